/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-ecmp-routing.h"

#include "ns3/hash.h"
#include "ns3/log.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <type_traits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathEcmpRouting");
NS_OBJECT_ENSURE_REGISTERED(PathIpv4EcmpRouting);
NS_OBJECT_ENSURE_REGISTERED(PathIpv6EcmpRouting);

namespace
{

constexpr uint8_t ESP = 50; //!< protocol number (RFC 4303 section 2)

} // namespace

Ptr<const AttributeChecker>
MakePathSpreadingChecker()
{
    return iwarp::MakeEnumChecker(PathSpreading::FLOW,
                                  "flow",
                                  PathSpreading::FLOW_SPI,
                                  "flow-spi",
                                  PathSpreading::FLOW_LABEL,
                                  "flow-label",
                                  PathSpreading::RANDOM,
                                  "random",
                                  PathSpreading::ROUND_ROBIN,
                                  "round-robin");
}

void
PathIpv4Routing::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ip = ipv4;
    for (uint32_t i = 0; i < ipv4->GetNInterfaces(); i++)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); j++)
        {
            AddLocal(ipv4->GetAddress(i, j));
        }
    }
    Ipv4StaticRouting::SetIpv4(ipv4);
}

void
PathIpv4Routing::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    AddLocal(address);
    Ipv4StaticRouting::NotifyAddAddress(interface, address);
}

void
PathIpv4Routing::AddLocal(const Ipv4InterfaceAddress& address)
{
    m_local.insert({address.GetLocal(), address.GetBroadcast()});
}

bool
PathIpv4Routing::IsLocal(const Ipv4Address& destination, uint32_t interface) const
{
    // IP looks through the addresses of all interfaces, and says no to whatever is none of these
    const bool possible =
        m_local.count(destination) > 0 || destination.IsMulticast() || destination.IsBroadcast();
    return possible && m_ip->IsDestinationAddress(destination, interface);
}

void
PathIpv4Routing::DoDispose()
{
    m_ip = nullptr;
    Ipv4StaticRouting::DoDispose();
}

void
PathIpv6Routing::SetIpv6(Ptr<Ipv6> ipv6)
{
    m_ip = ipv6;
    Ipv6StaticRouting::SetIpv6(ipv6);
}

void
PathIpv6Routing::DoDispose()
{
    m_ip = nullptr;
    Ipv6StaticRouting::DoDispose();
}

template <typename Ip>
TypeId
PathEcmpRouting<Ip>::GetTypeId()
{
    static TypeId tid =
        TypeId(Ip::NAME)
            .template SetParent<Ip>()
            .SetGroupName("Iwarp")
            .template AddConstructor<PathEcmpRouting<Ip>>()
            .AddAttribute("HashSeed",
                          "Seed of the hash that picks among next hops",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PathEcmpRouting<Ip>::m_seed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "Spreading",
                "What next hops are picked by: a hash of the flow, the same with ESP's SPI "
                "as its ports, one with IPv6's flow label in place of protocol and ports, at "
                "random for each packet, or packets in turn",
                iwarp::MakeEnumValue(PathSpreading::FLOW),
                iwarp::MakeEnumAccessor(&PathEcmpRouting<Ip>::m_spreading),
                MakePathSpreadingChecker());
    return tid;
}

template <typename Ip>
void
PathEcmpRouting<Ip>::DoDispose()
{
    m_forward.Nullify();
    m_guarded.Nullify();
    Ip::DoDispose();
}

template <typename Ip>
void
PathEcmpRouting<Ip>::AddNextHop(Address network, Mask mask, Address gateway, uint32_t interface)
{
    NS_LOG_FUNCTION(this << network << mask << gateway << interface);
    m_groups.Insert(network, mask).hops.push_back({gateway, interface});
}

template <typename Ip>
Ptr<typename PathEcmpRouting<Ip>::Route>
PathEcmpRouting<Ip>::RouteOutput(Ptr<Packet> packet,
                                 const Header& header,
                                 Ptr<NetDevice> device,
                                 Socket::SocketErrno& error)
{
    NS_LOG_FUNCTION(this << packet << device);
    Group* group = device ? nullptr : m_groups.Find(header.GetDestination());
    if (!group)
    {
        return Ip::RouteOutput(packet, header, device, error);
    }
    error = Socket::ERROR_NOTERROR;
    uint64_t next = group->sent; // who looks without a packet takes no turn
    uint64_t& turn = packet ? group->sent : next;
    if (m_spreading != PathSpreading::FLOW_LABEL)
    {
        return MakeRoute(*group, packet, header, turn);
    }
    Header labelled = header;
    SetLabel(labelled, packet);
    return MakeRoute(*group, packet, labelled, turn);
}

template <typename Ip>
bool
PathEcmpRouting<Ip>::RouteInput(Ptr<const Packet> packet,
                                const Header& header,
                                Ptr<const NetDevice> device,
                                typename Callbacks::Unicast forward,
                                typename Callbacks::Multicast multicast,
                                typename Callbacks::Local local,
                                typename Callbacks::Error error)
{
    NS_LOG_FUNCTION(this << packet << device);
    Group* group = m_groups.Find(header.GetDestination());
    if (!group || !IsTransit(header, device))
    {
        return Ip::RouteInput(packet, header, device, Guard(forward), multicast, local, error);
    }
    const Ptr<Route> route = MakeRoute(*group, packet, header, group->forwarded);
    V::Forward(Guard(forward), device, route, packet, header);
    return true;
}

template <typename Ip>
const typename PathEcmpRouting<Ip>::Forwarding&
PathEcmpRouting<Ip>::Guard(const Forwarding& forward)
{
    if (m_guarded.IsNull())
    {
        m_forward = forward; // the same for all packets
        m_guarded = V::MakeForward(
            [this](const auto& device, const auto& route, const auto& packet, const auto& header) {
                if (V::MayForward(*this->m_ip, route, packet, header))
                {
                    V::Forward(m_forward, device, route, packet, header);
                }
            });
    }
    return m_guarded;
}

template <typename Ip>
bool
PathEcmpRouting<Ip>::IsTransit(const Header& header, const Ptr<const NetDevice>& device) const
{
    const auto interface = static_cast<uint32_t>(this->m_ip->GetInterfaceForDevice(device));
    return !this->IsLocal(header.GetDestination(), interface) &&
           this->m_ip->IsForwarding(interface);
}

template <typename Ip>
void
PathEcmpRouting<Ip>::NotifyInterfaceDown(uint32_t interface)
{
    NS_LOG_FUNCTION(this << interface);
    m_groups.EraseIf([interface](Group& group) {
        auto& hops = group.hops;
        hops.erase(
            std::remove_if(hops.begin(),
                           hops.end(),
                           [interface](const NextHop& hop) { return hop.interface == interface; }),
            hops.end());
        return hops.empty();
    });
    Ip::NotifyInterfaceDown(interface);
}

template <typename Ip>
Ptr<typename PathEcmpRouting<Ip>::Route>
PathEcmpRouting<Ip>::MakeRoute(const Group& group,
                               Ptr<const Packet> packet,
                               const Header& header,
                               uint64_t& turn)
{
    const std::size_t n = group.hops.size();
    const NextHop& hop = group.hops[n > 1 ? Pick(packet, header, turn) % n : 0];
    Ptr<Route> route = Create<Route>();
    route->SetDestination(header.GetDestination());
    route->SetSource(this->m_ip->SourceAddressSelection(hop.interface, header.GetDestination()));
    route->SetGateway(hop.gateway);
    route->SetOutputDevice(this->m_ip->GetNetDevice(hop.interface));
    return route;
}

template <typename Ip>
uint64_t
PathEcmpRouting<Ip>::Pick(Ptr<const Packet> packet, const Header& header, uint64_t& turn)
{
    switch (m_spreading)
    {
    case PathSpreading::FLOW:
    case PathSpreading::FLOW_SPI:
    case PathSpreading::FLOW_LABEL:
        break;
    case PathSpreading::RANDOM: {
        std::array<char, sizeof(m_seed) + sizeof(m_packets)> key{};
        m_packets++;
        std::memcpy(key.data(), &m_seed, sizeof(m_seed));
        std::memcpy(key.data() + sizeof(m_seed), &m_packets, sizeof(m_packets));
        return Hash64(key.data(), key.size());
    }
    case PathSpreading::ROUND_ROBIN:
        return turn++;
    }
    return Hash(packet, header);
}

template <typename Ip>
uint64_t
PathEcmpRouting<Ip>::Hash(Ptr<const Packet> packet, const Header& header) const
{
    // octets at the head of what IP carries: both ports of TCP and UDP, the SPI of ESP; or a label
    constexpr uint32_t PORTS = 4;
    std::array<uint8_t, sizeof(m_seed) + 2 * V::ADDRESS_SIZE + 1 + PORTS> key{};
    uint8_t* at = key.data();
    std::memcpy(at, &m_seed, sizeof(m_seed));
    at += sizeof(m_seed);
    header.GetSource().Serialize(at);
    header.GetDestination().Serialize(at + V::ADDRESS_SIZE);
    at += 2 * V::ADDRESS_SIZE;
    const uint32_t label = m_spreading == PathSpreading::FLOW_LABEL ? V::GetFlowLabel(header) : 0;
    if (label > 0)
    {
        // the same for fragments, whatever their protocol
        boost::endian::store_big_u32(at + 1, label);
        return Hash64(reinterpret_cast<const char*>(key.data()), key.size());
    }
    *at = V::GetProtocol(header);
    const bool ports = *at == TcpL4Protocol::PROT_NUMBER || *at == UdpL4Protocol::PROT_NUMBER ||
                       (m_spreading == PathSpreading::FLOW_SPI && *at == ESP);
    if (packet && ports && V::HasPorts(header))
    {
        packet->CopyData(at + 1, PORTS);
    }
    return Hash64(reinterpret_cast<const char*>(key.data()), key.size());
}

template <typename Ip>
void
PathEcmpRouting<Ip>::SetLabel(Header& header, Ptr<const Packet> packet) const
{
    if constexpr (std::is_same_v<V, Ipv6Traits>)
    {
        if (const auto labels = this->m_ip->template GetObject<Ipv6FlowLabels>())
        {
            header.SetFlowLabel(labels->GetLabel(header, packet));
        }
    }
}

template class PathEcmpRouting<PathIpv4Routing>;
template class PathEcmpRouting<PathIpv6Routing>;

} // namespace ns3
