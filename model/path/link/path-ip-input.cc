/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-ip-input.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/traffic-control-layer.h"

#include <type_traits>

namespace ns3
{

template <typename V>
PathIpInput<V>::PathIpInput(const Ptr<Node>& node)
    : m_node(PeekPointer(node)),
      m_ip(PeekPointer(node->GetObject<typename V::Ip>())),
      m_control(PeekPointer(node->GetObject<TrafficControlLayer>()))
{
    const auto receive = MakeCallback(&PathIpInput<V>::Receive, Ptr<PathIpInput<V>>(this));
    node->RegisterProtocolHandler(receive, V::ETHER_TYPE, nullptr);
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        node->RegisterProtocolHandler(receive, ArpL3Protocol::PROT_NUMBER, nullptr);
    }
}

template <typename V>
void
PathIpInput<V>::Add(const Ptr<NetDevice>& device)
{
    // the node finds handlers by what they call, and those of all devices, and of ARP, call the
    // same
    const auto up =
        MakeCallback(&TrafficControlLayer::Receive, Ptr<TrafficControlLayer>(m_control));
    m_node->UnregisterProtocolHandler(up);
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        m_node->UnregisterProtocolHandler(up);
    }
    m_known.insert(PeekPointer(device));
}

template <typename V>
void
PathIpInput<V>::Receive(Ptr<NetDevice> device,
                        Ptr<const Packet> packet,
                        uint16_t protocol,
                        const Address& from,
                        const Address& to,
                        NetDevice::PacketType type)
{
    if (m_known.count(PeekPointer(device)) == 0)
    {
        return; // it has a handler of its own
    }
    if (protocol == V::ETHER_TYPE)
    {
        m_ip->Receive(device, packet, protocol, from, to, type);
    }
    else
    {
        m_control->Receive(device, packet, protocol, from, to, type);
    }
}

template class PathIpInput<Ipv4Traits>;
template class PathIpInput<Ipv6Traits>;

} // namespace ns3
