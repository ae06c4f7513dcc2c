/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-ipsec-tap.h"

#include "ns3/app-message.h"
#include "ns3/channel.h"
#include "ns3/node.h"
#include "ns3/roce-head.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <functional>
#include <memory>
#include <set>
#include <unordered_set>

namespace ns3
{
namespace iwarp
{
namespace
{

using Pairs = std::unordered_set<IpsecFlow, IpsecFlowHash>; //!< of addresses

/// @param address of a host @return of all hosts at the same router
IpsecAddress
FindSite(const IpsecAddress& address)
{
    // as IwarpNetwork gives them out
    return address.IsIpv6() ? IpsecAddress(address.GetIpv6().CombinePrefix(Ipv6Prefix(48)))
                            : IpsecAddress(address.GetIpv4().CombineMask(Ipv4Mask("/16")));
}

/// @param flow any @return its addresses alone
IpsecFlow
KeepAddresses(const IpsecFlow& flow)
{
    return {flow.source, flow.destination};
}

/// What is protected in a scenario, and where
class ProtectedTraffic
{
  public:
    /// @param place where IPsec is @param network with its hosts @param ends of flows
    ProtectedTraffic(IwarpIpsecPart::Place place,
                     const IwarpNetwork& network,
                     const IwarpTopology::Ends& ends)
        : m_place(place)
    {
        const auto find = [&network](uint32_t host) {
            const Address address = network.GetHostAddress(host);
            return network.IsIpv6() ? IpsecAddress(Ipv6Address::ConvertFrom(address))
                                    : IpsecAddress(Ipv4Address::ConvertFrom(address));
        };
        for (const auto& [sender, receiver] : ends)
        {
            const IpsecFlow flow{find(sender), find(receiver)};
            const IpsecFlow sites{FindSite(flow.source), FindSite(flow.destination)};
            m_hosts.insert({{flow.source, {}}, {flow.destination, {}}});
            m_ways.insert({flow, flow.GetReverse()});
            m_sites.insert({sites, sites.GetReverse()});
        }
    }

    /// @param flow of a datagram @param ownLink on the link of a host @return it is protected there
    bool Holds(const IpsecFlow& flow, bool ownLink) const
    {
        using Place = IwarpIpsecPart::Place;
        if (m_place == Place::TUNNEL)
        {
            return m_ways.count(KeepAddresses(flow)) > 0;
        }
        const bool atHosts = m_place == Place::TRANSPORT || m_place == Place::NESTED;
        const bool roce =
            flow.protocol == UdpL4Protocol::PROT_NUMBER && flow.destinationPort == RoceHead::PORT;
        if (atHosts && (roce || flow.protocol == TcpL4Protocol::PROT_NUMBER) &&
            m_hosts.count({flow.source, {}}) > 0 && m_hosts.count({flow.destination, {}}) > 0)
        {
            return true;
        }
        return m_place != Place::TRANSPORT && !ownLink &&
               m_sites.count({FindSite(flow.source), FindSite(flow.destination)}) > 0;
    }

  private:
    const IwarpIpsecPart::Place m_place; //!< where IPsec is
    Pairs m_hosts;                       //!< hosts of flows, each as a source alone
    Pairs m_ways;                        //!< hosts of flows and their peers
    Pairs m_sites;                       //!< hosts at gateways and those of their peers
};

/// @param network network @param link index of a link @param visit called with each device in it,
/// those of middleboxes included
void
VisitDevices(const IwarpNetwork& network,
             uint32_t link,
             const std::function<void(const Ptr<NetDevice>&)>& visit)
{
    const Ptr<NetDevice> last = network.GetLinkDevices(link).Get(1);
    Ptr<NetDevice> device = network.GetLinkDevices(link).Get(0);
    for (bool more = true; more;)
    {
        const Ptr<Channel> channel = device->GetChannel();
        const Ptr<NetDevice> peer = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
        visit(device);
        visit(peer);
        more = peer != last;
        device = more ? peer->GetNode()->GetDevice(1) : nullptr; // port B of a middlebox
    }
}

} // namespace

Ptr<IpsecTap>
TapScenario(IwarpIpsecPart::Place place,
            bool enciphered,
            const IwarpNetwork& network,
            const IwarpTopology::Ends& ends)
{
    Ptr<IpsecTap> tap = Create<IpsecTap>();
    if (enciphered)
    {
        tap->AddContent(MessagePattern(0, 0), PATTERN_RUN);
    }
    const auto traffic = std::make_shared<ProtectedTraffic>(place, network, ends);
    std::set<uint32_t> own;
    for (uint32_t i = 0; i < network.GetNHosts(); i++)
    {
        own.insert(network.GetHostLink(i));
    }
    for (uint32_t i = 0; i < network.GetNLinks(); i++)
    {
        const bool ownLink = own.count(i) > 0;
        if (ownLink && place == IwarpIpsecPart::Place::GATEWAY)
        {
            continue; // all is in clear there
        }
        VisitDevices(network, i, [&](const Ptr<NetDevice>& device) {
            tap->Attach(device, [traffic, ownLink](const IpsecFlow& flow) {
                return traffic->Holds(flow, ownLink);
            });
        });
    }
    return tap;
}

} // namespace iwarp
} // namespace ns3
