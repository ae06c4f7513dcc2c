/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-packet.h"

#include "ns3/ddp-octets.h"
#include "ns3/esp-format.h"
#include "ns3/util-internet-checksum.h"

#include <algorithm>
#include <arpa/inet.h>

namespace ns3
{

namespace
{

constexpr uint16_t TYPE_IPV4 = 0x0800;
constexpr uint16_t TYPE_IPV6 = 0x86DD;
constexpr uint8_t PROTOCOL_IPV4 = 4;
constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint8_t PROTOCOL_IPV6 = 41;
constexpr uint8_t PROTOCOL_FRAGMENT = 44;
constexpr uint16_t PORT_ESP = 4500;           // of UDP (RFC 3948)
constexpr uint32_t MAX_OFFLOADED = 8 * 65535; // Linux's GSO_MAX_SIZE

/// Link types, https://www.ietf.org/archive/id/draft-ietf-opsawg-pcaplinktype
enum LinkType : uint32_t
{
    LINK_NULL = 0,
    LINK_ETHERNET = 1,
    LINK_PPP = 9,
    LINK_RAW_BSD = 12,
    LINK_RAW_OPENBSD = 14,
    LINK_PPP_HDLC = 50,
    LINK_RAW = 101,
    LINK_LOOP = 108,
    LINK_SLL = 113,
    LINK_IPV4 = 228,
    LINK_IPV6 = 229,
    LINK_SLL2 = 276,
};

/// A run of octets that shrinks from its front.
struct Octets
{
    const uint8_t* data; //!< first one
    uint32_t size;       //!< how many

    /// @param count octets to leave behind @return false if there are fewer
    bool Skip(uint32_t count)
    {
        if (count > size)
        {
            size = 0;
            return false;
        }
        data += count;
        size -= count;
        return true;
    }

    /// @param at offset @return 16 bits there; 0 beyond the end
    uint16_t Get16(uint32_t at) const
    {
        return size >= at + 2 ? ddp::LoadBig<uint16_t>(data + at) : 0;
    }
};

/// Leave VLAN tags and LLC behind. @param octets behind the addresses @return true if IP follows
bool
SkipEtherType(Octets& octets)
{
    uint16_t type = octets.Get16(0);
    while (type == 0x8100 || type == 0x88A8 || type == 0x9100)
    {
        octets.Skip(4);
        type = octets.Get16(0);
    }
    if (type < 0x0600) // a length: LLC and SNAP
    {
        type = octets.Get16(2) == 0xAAAA ? octets.Get16(8) : 0;
        octets.Skip(8);
    }
    octets.Skip(2);
    return type == TYPE_IPV4 || type == TYPE_IPV6;
}

/// Leave PPP's header behind. @param octets all of the frame @return true if IP follows
bool
SkipPpp(Octets& octets)
{
    if (octets.Get16(0) == 0xFF03) // address and control
    {
        octets.Skip(2);
    }
    uint16_t protocol = octets.Get16(0);
    if ((protocol & 0x0100) != 0) // one octet
    {
        protocol >>= 8;
        octets.Skip(1);
    }
    else
    {
        octets.Skip(2);
    }
    return protocol == 0x0021 || protocol == 0x0057;
}

/// Leave the link's header behind. @param linkType what it is @param octets frame @return IP
/// follows
bool
SkipLink(uint32_t linkType, Octets& octets)
{
    uint16_t type = 0;
    switch (linkType)
    {
    case LINK_ETHERNET:
        return octets.Skip(12) && SkipEtherType(octets);
    case LINK_PPP:
    case LINK_PPP_HDLC:
        return SkipPpp(octets);
    case LINK_SLL:
        return octets.Skip(14) && SkipEtherType(octets);
    case LINK_SLL2:
        type = octets.Get16(0);
        return octets.Skip(20) && (type == TYPE_IPV4 || type == TYPE_IPV6);
    case LINK_NULL: // a family of the capturing system's follows, IP's own version says enough
    case LINK_LOOP:
        return octets.Skip(4);
    default:
        return true;
    }
}

/// @param end one end @return sum of its address
uint64_t
SumAddress(const DecodeEndpoint& end)
{
    return iwarp::SumInternetChecksum(0, end.address.data(), end.ipv6 ? 16 : 4);
}

/// @param tcp all of the segment @param segment its addresses @return its checksum is wrong, and
/// not just left to an adapter
bool
IsChecksumBad(const Octets& tcp, const DecodeSegment& segment)
{
    const uint16_t field = tcp.Get16(16);
    const uint64_t pseudo = SumAddress(segment.from) + SumAddress(segment.to) + DECODE_TCP;
    // an adapter completes what begins as the sum of the pseudo header, with or without the length
    if (field == 0 || field == iwarp::FoldInternetChecksum(pseudo + tcp.size) ||
        field == iwarp::FoldInternetChecksum(pseudo))
    {
        return false;
    }
    return iwarp::FoldInternetChecksum(pseudo + tcp.size +
                                       iwarp::SumInternetChecksum(0, tcp.data, tcp.size)) != 0xFFFF;
}

/// Read a TCP header. @param tcp captured octets of the segment @param length octets that it had
/// @param[in,out] segment has the addresses; the rest is filled in @return what it is
DecodePacketKind
ReadTcp(Octets tcp, uint32_t length, DecodeSegment& segment)
{
    if (tcp.size < 20)
    {
        return DecodePacketKind::OTHER;
    }
    const uint32_t header = (tcp.data[12] >> 4) * 4U;
    if (header < 20 || header > length)
    {
        return DecodePacketKind::OTHER;
    }
    segment.from.port = tcp.Get16(0);
    segment.to.port = tcp.Get16(2);
    segment.seq = ddp::LoadBig<uint32_t>(tcp.data + 4);
    segment.ack = ddp::LoadBig<uint32_t>(tcp.data + 8);
    segment.flags = tcp.data[13];
    segment.window = tcp.Get16(14);
    segment.options = tcp.data + 20;
    segment.optionsSize = std::min(header, tcp.size) - 20;
    segment.checksumBad = tcp.size == length && IsChecksumBad(tcp, segment);
    segment.length = length - header;
    tcp.Skip(header);
    segment.data = tcp.data;
    segment.size = tcp.size;
    return DecodePacketKind::TCP;
}

/// Tell whether a protocol may carry TCP. @param protocol of IP @return true for TCP, ESP and UDP
bool
IsCarrier(uint8_t protocol)
{
    return protocol == DECODE_TCP || protocol == ESP_PROTOCOL || protocol == PROTOCOL_UDP;
}

/// Leave the header of UDP behind. @param udp captured octets @param[in,out] length octets that it
/// had @return true if ESP follows
bool
SkipUdp(Octets& udp, uint32_t& length)
{
    const uint32_t said = udp.Get16(4);
    const bool port = udp.Get16(0) == PORT_ESP || udp.Get16(2) == PORT_ESP;
    if (!port || said < ESP_UDP_HEADER_SIZE || said > length)
    {
        return false;
    }
    udp.size = std::min(udp.size, said);
    length = said - ESP_UDP_HEADER_SIZE;
    udp.Skip(ESP_UDP_HEADER_SIZE);
    // key exchange begins with four zeros, and no SPI is 0
    return udp.size >= ESP_HEADER_SIZE && ddp::LoadBig<uint32_t>(udp.data) != 0;
}

/// Read what IP carries. @param protocol of IP @param octets captured @param length octets that
/// there were @param[in,out] segment has the addresses; the rest is filled in @param[out] fragment
/// filled in if it is ESP @return what it is
DecodePacketKind
ReadCarried(uint8_t protocol,
            Octets octets,
            uint32_t length,
            DecodeSegment& segment,
            DecodeFragment& fragment)
{
    if (protocol == DECODE_TCP)
    {
        return ReadTcp(octets, length, segment);
    }
    if (protocol != ESP_PROTOCOL && (protocol != PROTOCOL_UDP || !SkipUdp(octets, length)))
    {
        return DecodePacketKind::OTHER;
    }
    fragment.from = segment.from;
    fragment.to = segment.to;
    fragment.protocol = ESP_PROTOCOL;
    fragment.data = octets.data;
    fragment.size = octets.size;
    fragment.length = length;
    return DecodePacketKind::ESP;
}

/// Find out how long a packet of unknown length is. @param original octets from here on in the
/// frame
/// @param captured how many of them there are @return octets
uint32_t
JudgeLength(uint32_t original, uint32_t captured)
{
    return original <= MAX_OFFLOADED ? original : std::min(captured, MAX_OFFLOADED);
}

/// Take a fragment. @param ip its octets @param length octets that it had @param offset of the
/// first in the datagram @param more it is not the last @param segment has the addresses
/// @param[out] fragment filled in, but for Identification and protocol @return what it is
DecodePacketKind
ReadFragment(const Octets& ip,
             uint32_t length,
             uint32_t offset,
             bool more,
             const DecodeSegment& segment,
             DecodeFragment& fragment)
{
    fragment.from = segment.from;
    fragment.to = segment.to;
    fragment.from.port = fragment.to.port = 0;
    fragment.offset = offset;
    fragment.more = more;
    fragment.data = ip.data;
    fragment.size = ip.size;
    fragment.length = length;
    return DecodePacketKind::FRAGMENT;
}

/// Read IPv4. @param ip captured octets @param original octets from here on in the frame
/// @param[out] segment filled in @param[out] fragment or this @return what it is
DecodePacketKind
ReadIpv4(Octets ip, uint32_t original, DecodeSegment& segment, DecodeFragment& fragment)
{
    const uint32_t header = ip.size < 20 ? 0 : (ip.data[0] & 15) * 4U;
    if (header < 20 || !IsCarrier(ip.data[9]))
    {
        return DecodePacketKind::OTHER;
    }
    uint32_t length = ip.Get16(2);
    if (length == 0) // left to an adapter that cuts it up
    {
        length = JudgeLength(original, ip.size);
    }
    segment.from.ipv6 = segment.to.ipv6 = false;
    segment.from.address = segment.to.address = {};
    std::copy_n(ip.data + 12, 4, segment.from.address.begin());
    std::copy_n(ip.data + 16, 4, segment.to.address.begin());
    const uint16_t place = ip.Get16(6);
    fragment.id = ip.Get16(4);
    segment.id = ip.Get16(4);
    segment.ecn = ip.data[1] & 3;
    fragment.protocol = ip.data[9];
    ip.size = std::min(ip.size, length); // without a short frame's padding
    if (length < header || !ip.Skip(header))
    {
        return DecodePacketKind::OTHER;
    }
    length -= header;
    return (place & 0x3FFF) != 0 ? ReadFragment(ip,
                                                length,
                                                (place & 0x1FFF) * 8U,
                                                (place & 0x2000) != 0,
                                                segment,
                                                fragment)
                                 : ReadCarried(fragment.protocol, ip, length, segment, fragment);
}

/// Read what follows a header of IPv6. @param next what it is @param ip captured octets @param
/// length octets that there were @param[in,out] segment has the addresses @param[out] fragment or
/// this @return what it is
DecodePacketKind
ReadExtensions(uint8_t next,
               Octets ip,
               uint32_t length,
               DecodeSegment& segment,
               DecodeFragment& fragment)
{
    // hop-by-hop, routing, destination options and fragment headers come before TCP
    while (next == 0 || next == 43 || next == 60 || next == PROTOCOL_FRAGMENT)
    {
        const bool cut = next == PROTOCOL_FRAGMENT;
        const Octets extension = ip;
        const uint32_t size = ip.size < 8 || cut ? 8 : (ip.data[1] + 1U) * 8;
        if (size > length || !ip.Skip(size))
        {
            return DecodePacketKind::OTHER;
        }
        next = extension.data[0];
        length -= size;
        const uint16_t place = cut ? extension.Get16(2) : 0;
        if ((place & 0xFFF9) != 0) // otherwise it is the only fragment, "atomic" (RFC 6946)
        {
            fragment.id = ddp::LoadBig<uint32_t>(extension.data + 4);
            fragment.protocol = next;
            return IsCarrier(next) ? ReadFragment(ip,
                                                  length,
                                                  place & 0xFFF8U,
                                                  (place & 1) != 0,
                                                  segment,
                                                  fragment)
                                   : DecodePacketKind::OTHER;
        }
    }
    return ReadCarried(next, ip, length, segment, fragment);
}

/// Read IPv6. Parameters as ReadIpv4() has them.
DecodePacketKind
ReadIpv6(Octets ip, uint32_t original, DecodeSegment& segment, DecodeFragment& fragment)
{
    constexpr uint32_t HEADER = 40;
    if (ip.size < HEADER)
    {
        return DecodePacketKind::OTHER;
    }
    segment.from.ipv6 = segment.to.ipv6 = true;
    std::copy_n(ip.data + 8, 16, segment.from.address.begin());
    std::copy_n(ip.data + 24, 16, segment.to.address.begin());
    segment.id = 0;
    segment.ecn = ip.data[1] >> 4 & 3;
    const uint8_t next = ip.data[6];
    uint32_t length = ip.Get16(4);
    if (length == 0) // a jumbogram, or left to an adapter
    {
        length = JudgeLength(original, ip.size);
        length -= std::min(length, HEADER);
    }
    ip.Skip(HEADER);
    ip.size = std::min(ip.size, length);
    return ReadExtensions(next, ip, length, segment, fragment);
}

} // namespace

std::string
DecodeEndpoint::ToString() const
{
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(ipv6 ? AF_INET6 : AF_INET, address.data(), text, sizeof(text));
    const std::string host = ipv6 ? std::string("[") + text + "]" : std::string(text);
    return host + ":" + std::to_string(port);
}

bool
operator==(const DecodeEndpoint& a, const DecodeEndpoint& b)
{
    return a.port == b.port && a.ipv6 == b.ipv6 && a.address == b.address;
}

bool
DecodeIsSupported(uint32_t linkType)
{
    switch (linkType)
    {
    case LINK_NULL:
    case LINK_ETHERNET:
    case LINK_PPP:
    case LINK_PPP_HDLC:
    case LINK_RAW_BSD:
    case LINK_RAW_OPENBSD:
    case LINK_RAW:
    case LINK_LOOP:
    case LINK_SLL:
    case LINK_IPV4:
    case LINK_IPV6:
    case LINK_SLL2:
        return true;
    default:
        return false;
    }
}

DecodePacketKind
DecodePacket(const DecodeFrame& frame, DecodeSegment& segment, DecodeFragment& fragment)
{
    if (!DecodeIsSupported(frame.linkType))
    {
        return DecodePacketKind::UNSUPPORTED;
    }
    Octets octets{frame.data, frame.size};
    if (!SkipLink(frame.linkType, octets) || octets.size == 0)
    {
        return DecodePacketKind::OTHER;
    }
    const uint32_t original = std::max(frame.original, frame.size) - (frame.size - octets.size);
    switch (octets.data[0] >> 4)
    {
    case 4:
        return ReadIpv4(octets, original, segment, fragment);
    case 6:
        return ReadIpv6(octets, original, segment, fragment);
    default:
        return DecodePacketKind::OTHER;
    }
}

DecodePacketKind
DecodePayload(uint8_t protocol,
              const DecodeFragment& carrier,
              const uint8_t* data,
              uint32_t size,
              DecodeSegment& segment,
              DecodeFragment& fragment)
{
    const Octets octets{data, size};
    segment.from = carrier.from;
    segment.to = carrier.to;
    switch (protocol)
    {
    case PROTOCOL_IPV4:
        return ReadIpv4(octets, size, segment, fragment);
    case PROTOCOL_IPV6:
        return ReadIpv6(octets, size, segment, fragment);
    default:
        return carrier.from.ipv6 ? ReadExtensions(protocol, octets, size, segment, fragment)
                                 : ReadCarried(protocol, octets, size, segment, fragment);
    }
}

} // namespace ns3
