/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-ip-tap.h"

#include "ns3/ipsec-stack.h"
#include "ns3/roce-head.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint32_t UDP_SIZE = 8;    //!< octets of UDP's header
constexpr uint32_t V6_SIZE = 40;    //!< octets of an IPv6 header
constexpr uint32_t V6_FRAGMENT = 8; //!< octets of that of a fragment
constexpr uint32_t V4_LONGEST = 60; //!< octets of the longest IPv4 header
constexpr uint32_t PEEK = V4_LONGEST + IpTap::HEAD;

/// @param protocol of a datagram @param head first IpTap::HEAD octets behind IP @param size octets
/// behind IP @param[out] roce headers @return it is a packet of RoCE
bool
ReadRoce(uint8_t protocol, const uint8_t* head, uint32_t size, RoceHead& roce)
{
    return protocol == UdpL4Protocol::PROT_NUMBER &&
           boost::endian::load_big_u16(head + 2) == RoceHead::PORT &&
           roce.Read(head + UDP_SIZE, IpTap::HEAD - UDP_SIZE, size - UDP_SIZE);
}

} // namespace

void
IpTap::Attach(Ptr<Node> node)
{
    // bound to a Ptr, the callbacks keep this object as long as the node's IP
    Ptr<IpTap> self(this);
    if (Ptr<Ipv4> ip = node->GetObject<Ipv4>())
    {
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&IpTap::Tx4, self));
    }
    if (Ptr<Ipv6> ip = node->GetObject<Ipv6>())
    {
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&IpTap::Tx6, self));
    }
    if (Ptr<IpsecStack> ipsec = node->GetObject<IpsecStack>())
    {
        ipsec->TraceConnectWithoutContext("Sealed", MakeCallback(&IpTap::Sealed, self));
    }
}

void
IpTap::Tx4(Ptr<const Packet> packet, Ptr<Ipv4> /* ip */, uint32_t /* interface */)
{
    uint8_t octets[PEEK] = {};
    packet->CopyData(octets, PEEK);
    const uint16_t fragment = boost::endian::load_big_u16(octets + 6);
    Datagram datagram;
    datagram.protocol = octets[9];
    datagram.headers = (octets[0] & 0x0F) * 4;
    datagram.payload = boost::endian::load_big_u16(octets + 2) - datagram.headers;
    datagram.offset = (fragment & 0x1FFF) * 8;
    datagram.last = (fragment & 0x2000) == 0;
    Process(datagram, octets + datagram.headers);
}

void
IpTap::Tx6(Ptr<const Packet> packet, Ptr<Ipv6> /* ip */, uint32_t /* interface */)
{
    uint8_t octets[PEEK] = {};
    packet->CopyData(octets, PEEK);
    Datagram datagram;
    datagram.protocol = octets[6];
    datagram.headers = V6_SIZE;
    if (datagram.protocol == Ipv6Header::IPV6_EXT_FRAGMENTATION)
    {
        const uint16_t fragment = boost::endian::load_big_u16(octets + V6_SIZE + 2);
        datagram.protocol = octets[V6_SIZE];
        datagram.headers += V6_FRAGMENT;
        datagram.offset = fragment & 0xFFF8;
        datagram.last = (fragment & 1) == 0;
    }
    datagram.payload = packet->GetSize() - datagram.headers;
    Process(datagram, octets + datagram.headers);
}

void
IpTap::Process(const Datagram& datagram, const uint8_t* payload)
{
    const bool first = datagram.offset == 0;
    if (first && !datagram.last)
    { // the others follow at once
        std::copy_n(payload, m_head.size(), m_head.begin());
    }
    const uint8_t* head = first ? payload : m_head.data();
    const uint32_t size = datagram.offset + datagram.payload;
    RoceHead roce;
    const bool tcp = datagram.protocol == TcpL4Protocol::PROT_NUMBER;
    if (tcp ? IsLeftOut(head) : !ReadRoce(datagram.protocol, head, size, roce))
    {
        return;
    }
    m_octets += datagram.headers + datagram.payload;
    if (datagram.last && tcp)
    {
        Count(head, size);
    }
    else if (datagram.last)
    {
        CountRoce(roce, head, size);
    }
}

void
IpTap::Sealed(Ptr<const Packet> payload, const IpsecFlow& flow, uint32_t octets)
{
    uint8_t head[HEAD] = {};
    payload->CopyData(head, sizeof(head));
    RoceHead roce;
    if (flow.protocol == TcpL4Protocol::PROT_NUMBER)
    {
        if (!IsLeftOut(head))
        {
            m_octets += octets;
            Count(head, payload->GetSize());
        }
    }
    else if (ReadRoce(flow.protocol, head, payload->GetSize(), roce))
    {
        m_octets += octets;
        CountRoce(roce, head, payload->GetSize());
    }
}

void
IpTap::LeaveOut(uint16_t first, uint16_t behind)
{
    constexpr uint16_t ephemeral = 49152; // from which on a flow may have it
    m_asideFirst = first;
    m_asideBehind = std::min(behind, ephemeral);
}

bool
IpTap::IsLeftOut(const uint8_t* tcp) const
{
    const auto from = boost::endian::load_big_u16(tcp);
    const auto to = boost::endian::load_big_u16(tcp + 2);
    return (from >= m_asideFirst && from < m_asideBehind) ||
           (to >= m_asideFirst && to < m_asideBehind);
}

void
IpTap::Count(const uint8_t* tcp, uint32_t size)
{
    const uint32_t seq = boost::endian::load_big_u32(tcp + 4);
    const uint32_t header = (tcp[12] >> 4) * 4;
    const uint32_t payload = size - std::min(size, header);
    if (payload == 0)
    {
        return;
    }
    m_segments++;
    uint32_t& next = m_next.emplace(boost::endian::load_big_u32(tcp), seq).first->second;
    const uint32_t end = seq + payload;
    const auto ahead = static_cast<int32_t>(end - next);
    const uint32_t fresh = std::clamp<int32_t>(ahead, 0, static_cast<int32_t>(payload));
    m_retransmitted += payload - fresh;
    if (ahead > 0)
    {
        next = end;
    }
}

void
IpTap::CountRoce(const RoceHead& head, const uint8_t* udp, uint32_t size)
{
    if (head.kind == RoceHead::Kind::ACKNOWLEDGE || head.kind == RoceHead::Kind::NOTIFICATION)
    {
        return;
    }
    m_segments++;
    constexpr uint32_t UNUSED = 8; // bits of m_next that a PSN does not have
    const uint32_t number = head.psn << UNUSED;
    uint32_t& next = m_next.emplace(boost::endian::load_big_u32(udp), number).first->second;
    if (static_cast<int32_t>(number - next) < 0)
    {
        m_retransmitted += head.GetPayload(size - UDP_SIZE);
    }
    else
    {
        next = number + (1U << UNUSED);
    }
}

uint64_t
IpTap::GetSegments() const
{
    return m_segments;
}

uint64_t
IpTap::GetOctets() const
{
    return m_octets;
}

uint64_t
IpTap::GetRetransmitted() const
{
    return m_retransmitted;
}

} // namespace iwarp
} // namespace ns3
