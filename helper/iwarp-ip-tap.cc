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

constexpr uint32_t UDP_SIZE = 8;           //!< octets of UDP's header
constexpr uint32_t V6_SIZE = 40;           //!< octets of an IPv6 header
constexpr uint32_t V4_LONGEST = 60;        //!< octets of the longest IPv4 header
constexpr uint32_t PEEK = V4_LONGEST + 36; //!< and of UDP's and a RoCE packet's, or TCP's

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
    const uint32_t header = (octets[0] & 0x0F) * 4;
    const bool first = (boost::endian::load_big_u16(octets + 6) & 0x1FFF) == 0;
    if (octets[9] == TcpL4Protocol::PROT_NUMBER)
    {
        m_octets += packet->GetSize();
        if (first)
        {
            Count(octets + header, boost::endian::load_big_u16(octets + 2) - header);
        }
    }
    else if (octets[9] == UdpL4Protocol::PROT_NUMBER && first)
    {
        CountUdp(octets + header, packet->GetSize() - header, header);
    }
}

void
IpTap::Tx6(Ptr<const Packet> packet, Ptr<Ipv6> /* ip */, uint32_t /* interface */)
{
    uint8_t octets[PEEK] = {};
    packet->CopyData(octets, PEEK);
    if (octets[6] == TcpL4Protocol::PROT_NUMBER)
    {
        m_octets += packet->GetSize();
        Count(octets + V6_SIZE, packet->GetSize() - V6_SIZE);
    }
    else if (octets[6] == UdpL4Protocol::PROT_NUMBER)
    {
        CountUdp(octets + V6_SIZE, packet->GetSize() - V6_SIZE, V6_SIZE);
    }
}

void
IpTap::Sealed(Ptr<const Packet> payload, const IpsecFlow& flow, uint32_t octets)
{
    uint8_t tcp[20] = {};
    if (flow.protocol == TcpL4Protocol::PROT_NUMBER)
    {
        payload->CopyData(tcp, sizeof(tcp));
        m_octets += octets;
        Count(tcp, payload->GetSize());
    }
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
IpTap::CountUdp(const uint8_t* udp, uint32_t size, uint32_t ip)
{
    RoceHead head;
    if (boost::endian::load_big_u16(udp + 2) != RoceHead::PORT ||
        !head.Read(udp + UDP_SIZE, PEEK - V4_LONGEST - UDP_SIZE, size - UDP_SIZE))
    {
        return;
    }
    m_octets += ip + size;
    if (head.kind == RoceHead::Kind::ACKNOWLEDGE)
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
