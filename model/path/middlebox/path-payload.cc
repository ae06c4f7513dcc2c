/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-payload.h"

#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{
namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;

constexpr uint8_t PROTOCOL_ESP = 50;     //!< protocol number
constexpr uint16_t ESP_PORT = 4500;      //!< of UDP, RFC 3948 section 2.1
constexpr uint32_t V6_HEADER = 40;       //!< octets of IPv6's header
constexpr uint32_t TCP_HEADER = 20;      //!< octets of TCP's, at least
constexpr uint32_t UDP_HEADER = 8;       //!< octets of UDP's
constexpr uint32_t ESP_HEADER = 8;       //!< octets of SPI and sequence number
constexpr uint32_t ETHERNET_HEADER = 14; //!< octets of Ethernet's

/// @param octets first ones of a packet @param known how many, at least 20 @return octets in front
/// of IP's header
uint32_t
GetLinkHeader(const uint8_t* octets, uint32_t known)
{
    const uint16_t ppp = load_big_u16(octets);
    if (ppp == 0x0021 || ppp == 0x0057)
    {
        return 2;
    }
    const uint16_t ethernet = load_big_u16(octets + 12);
    return known > ETHERNET_HEADER && (ethernet == 0x0800 || ethernet == 0x86DD) ? ETHERNET_HEADER
                                                                                 : 0;
}

/// @param udp header of UDP, and 8 octets behind it @return it is ESP, rather than key exchange
bool
IsEspInUdp(const uint8_t* udp)
{
    return (load_big_u16(udp) == ESP_PORT || load_big_u16(udp + 2) == ESP_PORT) &&
           load_big_u32(udp + UDP_HEADER) != 0;
}

} // namespace

bool
PathPayload::Find(const uint8_t* octets, uint32_t known, uint32_t size)
{
    if (known < TCP_HEADER)
    {
        return false;
    }
    const uint32_t start = GetLinkHeader(octets, known);
    const uint8_t* ip = octets + start;
    if (known < start + V6_HEADER)
    {
        return false; // shorter than any IP datagram with TCP
    }
    const uint8_t version = ip[0] >> 4;
    const bool first = version == 6 || (load_big_u16(ip + 6) & 0x1FFF) == 0;
    if ((version != 4 && version != 6) || !first)
    {
        return false;
    }
    const uint32_t header = version == 6 ? V6_HEADER : (ip[0] & 0x0F) * 4;
    const uint32_t datagram =
        version == 6 ? V6_HEADER + load_big_u16(ip + 4) : load_big_u16(ip + 2);
    const uint8_t protocol = ip[version == 6 ? 6 : 9];
    const uint32_t next = start + header;
    end = std::min(start + datagram, size); // Ethernet may pad
    if (protocol == TcpL4Protocol::PROT_NUMBER && known >= next + TCP_HEADER)
    {
        tcp = next;
        begin = std::min(tcp + (octets[tcp + 12] >> 4) * 4U, end);
        return true;
    }
    tcp = 0;
    begin = next + ESP_HEADER + (protocol == UdpL4Protocol::PROT_NUMBER ? UDP_HEADER : 0);
    return begin < std::min(known, end) &&
           (protocol == PROTOCOL_ESP ||
            (protocol == UdpL4Protocol::PROT_NUMBER && IsEspInUdp(octets + next)));
}

uint16_t
PathPayload::UpdateChecksum(uint16_t checksum, uint32_t at, uint8_t before, uint8_t now) const
{
    if (checksum == 0)
    {
        return 0;
    }
    const uint32_t shift = (at - tcp) % 2 == 0 ? 8 : 0;
    uint32_t sum = static_cast<uint16_t>(~checksum);
    sum += static_cast<uint16_t>(~(uint32_t{before} << shift));
    sum += uint32_t{now} << shift;
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

} // namespace ns3
