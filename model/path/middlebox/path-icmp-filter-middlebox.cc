/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-icmp-filter-middlebox.h"

#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathIcmpFilterMiddlebox");
NS_OBJECT_ENSURE_REGISTERED(PathIcmpFilterMiddlebox);

namespace
{

/// @param packet datagram @param protocol EtherType @return that tells of a datagram too large
bool
IsTooBig(const Ptr<Packet>& packet, uint16_t protocol)
{
    const Ptr<Packet> payload = packet->Copy();
    if (protocol == Ipv4L3Protocol::PROT_NUMBER)
    {
        Ipv4Header ip;
        payload->RemoveHeader(ip);
        Icmpv4Header icmp;
        return ip.GetProtocol() == Icmpv4L4Protocol::PROT_NUMBER && payload->PeekHeader(icmp) > 0 &&
               icmp.GetType() == Icmpv4Header::ICMPV4_DEST_UNREACH &&
               icmp.GetCode() == Icmpv4DestinationUnreachable::ICMPV4_FRAG_NEEDED;
    }
    Ipv6Header ip;
    payload->RemoveHeader(ip);
    Icmpv6Header icmp;
    return ip.GetNextHeader() == Icmpv6L4Protocol::PROT_NUMBER && payload->PeekHeader(icmp) > 0 &&
           icmp.GetType() == Icmpv6Header::ICMPV6_ERROR_PACKET_TOO_BIG;
}

} // namespace

TypeId
PathIcmpFilterMiddlebox::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathIcmpFilterMiddlebox")
                            .SetParent<PathMiddlebox>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<PathIcmpFilterMiddlebox>();
    return tid;
}

uint64_t
PathIcmpFilterMiddlebox::GetDropped() const
{
    return m_dropped;
}

void
PathIcmpFilterMiddlebox::Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction)
{
    NS_LOG_FUNCTION(this << packet << protocol);
    if (IsTooBig(packet, protocol))
    {
        ++m_dropped;
        return;
    }
    Forward(packet, protocol, direction);
}

} // namespace ns3
