/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-view.h"

#include "ipsec-datagram.h"

#include "ns3/esp-format.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv4.h"
#include "ns3/icmpv6-header.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

constexpr uint32_t LOOKED_AT = 128;     // octets in which ports are looked for
constexpr uint32_t FRAGMENT_SIZE = 8;   // octets of IPv6's fragment header
constexpr uint32_t PORTS_SIZE = 4;      // octets of both ports
constexpr uint32_t ICMP_SIZE = 8;       // octets of an ICMP message before what it quotes
constexpr uint32_t IPV4_LEAST = 20;     // octets of an IPv4 header without options
constexpr uint32_t IPV6_FIXED = 40;     // octets of an IPv6 header without extensions
constexpr uint8_t ICMPV6_QUERIES = 128; // least type of ICMPv6 that is no error
constexpr uint8_t ICMPV4_SOURCE_QUENCH = 4;
constexpr uint8_t ICMPV4_REDIRECT = 5;
constexpr uint8_t ICMPV4_PARAMETER = 12;

using Head = std::array<uint8_t, LOOKED_AT>;

/// @param packet it @param[out] head its first octets @return how many
uint32_t
Look(const Ptr<const Packet>& packet, Head& head)
{
    return packet->CopyData(head.data(), LOOKED_AT);
}

/// @param protocol of a packet @return it has ports
bool
HasPorts(uint8_t protocol)
{
    return protocol == TcpL4Protocol::PROT_NUMBER || protocol == UdpL4Protocol::PROT_NUMBER;
}

/// Step over IPv6's extension headers. @param octets behind the IP header @param size how many
/// @param[in,out] view of the datagram: its protocol is that of the first header
void
SkipExtensions(const uint8_t* octets, uint32_t size, IpsecView& view)
{
    uint8_t& next = view.flow.protocol;
    while (view.payload + FRAGMENT_SIZE <= size)
    {
        const uint8_t* header = octets + view.payload;
        if (next == Ipv6Header::IPV6_EXT_FRAGMENTATION)
        {
            const uint16_t place = boost::endian::load_big_u16(header + 2);
            view.fragment = true;
            view.more = place & 1;
            view.offset = place & ~7U;
            view.identification = boost::endian::load_big_u32(header + 4);
            view.payload += FRAGMENT_SIZE;
            next = header[0];
            if (view.offset > 0)
            {
                return;
            }
        }
        else if (next == Ipv6Header::IPV6_EXT_HOP_BY_HOP || next == Ipv6Header::IPV6_EXT_ROUTING ||
                 next == Ipv6Header::IPV6_EXT_DESTINATION)
        {
            view.payload += (header[1] + 1U) * 8;
            next = header[0];
        }
        else
        {
            return;
        }
    }
}

/// Find the ports behind what was stepped over. @param octets behind the IP header @param size how
/// many @param[in,out] view of the datagram
void
FindPorts(const uint8_t* octets, uint32_t size, IpsecView& view)
{
    if (view.offset == 0 && HasPorts(view.flow.protocol) && view.payload + PORTS_SIZE <= size)
    {
        view.flow.sourcePort = boost::endian::load_big_u16(octets + view.payload);
        view.flow.destinationPort = boost::endian::load_big_u16(octets + view.payload + 2);
    }
}

/// @param octets of a datagram from its IP header on @param size how many @param[out] view of it
/// @return octets of the IP header; 0 if there is too little to see
uint32_t
ReadQuoted(const uint8_t* octets, uint32_t size, IpsecView& view)
{
    const bool ipv6 = size > 0 && octets[0] >> 4 == 6;
    const uint32_t header = ipv6 ? IPV6_FIXED : size > 0 ? (octets[0] & 0xFU) * 4 : 0;
    if (size < header || header < IPV4_LEAST)
    {
        return 0;
    }
    if (ipv6)
    {
        view.flow.source = Ipv6Address::Deserialize(octets + 8);
        view.flow.destination = Ipv6Address::Deserialize(octets + 24);
        view.flow.protocol = octets[6];
        SkipExtensions(octets + header, size - header, view);
    }
    else
    {
        view.flow.source = Ipv4Address::Deserialize(octets + 12);
        view.flow.destination = Ipv4Address::Deserialize(octets + 16);
        view.flow.protocol = octets[9];
        const uint16_t place = boost::endian::load_big_u16(octets + 6);
        view.offset = (place & 0x1FFFU) * 8;
    }
    FindPorts(octets + header, size - header, view);
    return header;
}

} // namespace

bool
IpsecView::ShowsPorts() const
{
    return !HasPorts(flow.protocol) || flow.sourcePort != 0 || flow.destinationPort != 0;
}

IpsecView
ReadIpsecView(const Ipv4Header& header, const Ptr<const Packet>& packet)
{
    IpsecView view;
    view.offset = header.GetFragmentOffset();
    view.more = !header.IsLastFragment();
    view.fragment = view.more || view.offset > 0;
    view.identification = header.GetIdentification();
    view.flow = ReadIpsecFlow(header.GetSource(),
                              header.GetDestination(),
                              header.GetProtocol(),
                              view.offset > 0 ? nullptr : packet);
    return view;
}

IpsecView
ReadIpsecView(const Ipv6Header& header, const Ptr<const Packet>& packet)
{
    IpsecView view;
    view.flow = {header.GetSource(), header.GetDestination(), header.GetNextHeader()};
    Head head;
    const uint32_t size = Look(packet, head);
    SkipExtensions(head.data(), size, view);
    FindPorts(head.data(), size, view);
    return view;
}

std::optional<IpsecIcmpError>
ReadIpsecIcmpError(uint8_t protocol, const Ptr<const Packet>& message)
{
    const bool ipv6 = protocol == Icmpv6L4Protocol::PROT_NUMBER;
    if (!ipv6 && protocol != Icmpv4L4Protocol::PROT_NUMBER)
    {
        return std::nullopt;
    }
    Head head;
    const uint32_t size = Look(message, head);
    const uint8_t type = head[0];
    const bool isError = ipv6 ? type < ICMPV6_QUERIES
                              : type == Icmpv4Header::ICMPV4_DEST_UNREACH ||
                                    type == ICMPV4_SOURCE_QUENCH || type == ICMPV4_REDIRECT ||
                                    type == Icmpv4Header::ICMPV4_TIME_EXCEEDED ||
                                    type == ICMPV4_PARAMETER;
    IpsecView view;
    if (size < ICMP_SIZE || !isError)
    {
        return std::nullopt;
    }
    const uint8_t* quoted = head.data() + ICMP_SIZE;
    const uint32_t header = ReadQuoted(quoted, size - ICMP_SIZE, view);
    if (header == 0)
    {
        return std::nullopt;
    }
    IpsecIcmpError error;
    error.flow = view.flow;
    const uint32_t at = ICMP_SIZE + header + view.payload;
    if (view.flow.protocol == ESP_PROTOCOL && view.offset == 0 && at + PORTS_SIZE <= size)
    {
        error.spi = boost::endian::load_big_u32(head.data() + at);
    }
    if (ipv6 ? type == Icmpv6Header::ICMPV6_ERROR_PACKET_TOO_BIG
             : type == Icmpv4Header::ICMPV4_DEST_UNREACH &&
                   head[1] == Icmpv4DestinationUnreachable::ICMPV4_FRAG_NEEDED)
    {
        error.mtu = ipv6 ? boost::endian::load_big_u32(head.data() + 4)
                         : boost::endian::load_big_u16(head.data() + 6);
    }
    return error;
}

bool
IsNeighbourDiscovery(uint8_t protocol, const Ptr<const Packet>& message)
{
    uint8_t type = 0;
    return protocol == Icmpv6L4Protocol::PROT_NUMBER && message->CopyData(&type, 1) == 1 &&
           type >= Icmpv6Header::ICMPV6_ND_ROUTER_SOLICITATION &&
           type <= Icmpv6Header::ICMPV6_ND_REDIRECTION;
}

bool
IsIpv6Redirect(uint8_t protocol, const Ptr<const Packet>& message)
{
    uint8_t type = 0;
    return protocol == Icmpv6L4Protocol::PROT_NUMBER && message->CopyData(&type, 1) == 1 &&
           type == Icmpv6Header::ICMPV6_ND_REDIRECTION;
}

} // namespace ns3
