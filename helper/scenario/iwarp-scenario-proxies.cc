/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-proxies.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/node-container.h"
#include "ns3/tcp-split-proxy-helper.h"

namespace ns3
{
namespace iwarp
{
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

std::string
CheckProxies(const IwarpNetwork& network, const IwarpTopology::Ends& ends)
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
InstallProxy(const IwarpNetwork& network, uint32_t host, uint16_t port)
{
    const Ptr<NetDevice> device = network.GetLinkDevices(network.GetHostLink(host)).Get(0);
    if (network.IsIpv6()) // packets to the address come in at the router's other interfaces
    {
        device->GetNode()->GetObject<Ipv6>()->SetAttributeFailSafe("StrongEndSystemModel",
                                                                   BooleanValue(false));
    }
    const Address address = GetSocketAddress(device, network.IsIpv6(), port);
    TcpSplitProxyHelper(address, network.GetHostSocketAddress(host, port))
        .Install(NodeContainer(device->GetNode()));
    return address;
}

} // namespace iwarp
} // namespace ns3
