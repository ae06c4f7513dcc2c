/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-split-proxy.h"

#include "iwarp-part-ipsec.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/node-container.h"
#include "ns3/tcp-split-proxy-helper.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpSplitProxyPart);

namespace
{

/// @param device of a node with IPv4, or else with IPv6 @param ipv6 which @param port TCP port
/// @return the device's address, global if it is IPv6, and the port
Address
GetSocketAddress(const Ptr<NetDevice>& device, bool ipv6, uint16_t port)
{
    const Ptr<Node> node = device->GetNode();
    if (ipv6)
    {
        Ptr<Ipv6> ip = node->GetObject<Ipv6>();
        const auto interface = static_cast<uint32_t>(ip->GetInterfaceForDevice(device));
        uint32_t i = 0;
        while (ip->GetAddress(interface, i).GetAddress().IsLinkLocal())
        {
            i++;
        }
        return Inet6SocketAddress(ip->GetAddress(interface, i).GetAddress(), port);
    }
    Ptr<Ipv4> ip = node->GetObject<Ipv4>();
    const auto interface = static_cast<uint32_t>(ip->GetInterfaceForDevice(device));
    return InetSocketAddress(ip->GetAddress(interface, 0).GetLocal(), port);
}

} // namespace

TypeId
IwarpSplitProxyPart::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpSplitProxyPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpSplitProxyPart>()
            .AddAttribute("SplitProxy",
                          "Whether a TcpSplitProxy at the router next to a host ends connections "
                          "to the host and begins others there; with hosts that are joined by "
                          "routers, without IPsec",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpSplitProxyPart::m_enabled),
                          MakeBooleanChecker());
    return tid;
}

IwarpSplitProxyPart::IwarpSplitProxyPart() = default;
IwarpSplitProxyPart::~IwarpSplitProxyPart() = default;

bool
IwarpSplitProxyPart::IsIdle() const
{
    return !m_enabled;
}

std::string
IwarpSplitProxyPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    if (IsIdle())
    {
        return "";
    }
    if (!parts.Get<IwarpIpsecPart>()->IsIdle())
    {
        return "SplitProxy, Ipsec: a proxy has no keys, so give one of them";
    }
    return parts.GetWorkload()->GetTransport() != IwarpWorkload::Transport::TCP
               ? "SplitProxy, Workload: a proxy splits TCP connections, and there are none"
               : "";
}

std::string
IwarpSplitProxyPart::CheckNetwork(const iwarp::ScenarioParts& /* parts */,
                                  const IwarpNetwork& network,
                                  const IwarpTopology::Ends& ends) const
{
    for (const auto& [sender, receiver] : ends)
    {
        if (network.GetPath(sender, receiver).size() < 2) // a link from host to host
        {
            return "SplitProxy: hosts " + std::to_string(sender) + " and " +
                   std::to_string(receiver) + " have no router between them that could be a proxy";
        }
    }
    return "";
}

Address
IwarpSplitProxyPart::Redirect(iwarp::ScenarioNetwork& network,
                              uint32_t host,
                              uint16_t port,
                              const Address& address) const
{
    const IwarpNetwork& links = network.GetNetwork();
    const Ptr<NetDevice> device = links.GetLinkDevices(links.GetHostLink(host)).Get(0);
    if (links.IsIpv6()) // packets to the address come in at the router's other interfaces
    {
        device->GetNode()->GetObject<Ipv6>()->SetAttributeFailSafe("StrongEndSystemModel",
                                                                   BooleanValue(false));
    }
    const Address proxy = GetSocketAddress(device, links.IsIpv6(), port);
    TcpSplitProxyHelper(proxy, address).Install(NodeContainer(device->GetNode()));
    return proxy;
}

bool
IwarpSplitProxyPart::IsBuffering() const
{
    return true;
}

} // namespace ns3
