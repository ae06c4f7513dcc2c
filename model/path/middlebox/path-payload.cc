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
constexpr uint16_t PATH_IKE_PORT = 500;  //!< of UDP, RFC 7296 section 2
constexpr uint32_t V6_HEADER = 40;       //!< octets of IPv6's header
constexpr uint32_t TCP_HEADER = 20;      //!< octets of TCP's, at least
constexpr uint32_t UDP_HEADER = 8;       //!< octets of UDP's
constexpr uint32_t ESP_HEADER = 8;       //!< octets of SPI and sequence number
constexpr uint32_t ETHERNET_HEADER = 14; //!< octets of Ethernet's

/// @param octets first ones of a packet, at least 20 @param size of it @return IP's header is in
/// front, and has the packet's length
bool
IsBareDatagram(const uint8_t* octets, uint32_t size)
{
    const uint8_t version = octets[0] >> 4;
    return (version == 4 && load_big_u16(octets + 2) == size) ||
           (version == 6 && V6_HEADER + load_big_u16(octets + 4) == size);
}

/// @param octets first ones of a packet @param known how many, at least 20 @param size of the
/// packet @return octets in front of IP's header
uint32_t
GetLinkHeader(const uint8_t* octets, uint32_t known, uint32_t size)
{
    if (IsBareDatagram(octets, size))
    { // its addresses may have what would be Ethernet's type
        return 0;
    }
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

/// @param packet packet @param at first octet to be changed @param octets new ones @param size how
/// many
void
Overwrite(const Ptr<Packet>& packet, uint32_t at, const uint8_t* octets, uint32_t size)
{
    const uint32_t left = packet->GetSize() - at;
    const Ptr<Packet> rest = packet->CreateFragment(at + size, left - size);
    packet->RemoveAtEnd(left);
    packet->AddAtEnd(Create<Packet>(octets, size));
    packet->AddAtEnd(rest);
}

} // namespace

bool
PathPayload::Find(const uint8_t* octets, uint32_t known, uint32_t size)
{
    if (known < TCP_HEADER)
    {
        return false;
    }
    const uint32_t start = GetLinkHeader(octets, known, size);
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

void
PathPayload::FlipBits(const Ptr<Packet>& packet, const std::vector<uint64_t>& bits) const
{
    constexpr uint32_t CHECKSUM = 16; // octet of TCP's header
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    uint8_t* field = octets.data() + tcp + CHECKSUM;
    uint16_t checksum = tcp > 0 ? load_big_u16(field) : 0;
    for (const uint64_t bit : bits)
    {
        const auto place = static_cast<uint32_t>(begin + bit / 8);
        const uint8_t before = octets[place];
        octets[place] ^= static_cast<uint8_t>(0x80 >> bit % 8);
        checksum = UpdateChecksum(checksum, place, before, octets[place]);
    }
    const auto first = static_cast<uint32_t>(begin + bits.front() / 8);
    const auto last = static_cast<uint32_t>(begin + bits.back() / 8);
    Overwrite(packet, first, &octets[first], last + 1 - first);
    if (tcp > 0)
    {
        boost::endian::store_big_u16(field, checksum);
        Overwrite(packet, tcp + CHECKSUM, field, sizeof(checksum));
    }
}

bool
PathPayload::IsKeyExchange(const uint8_t* octets, uint32_t known)
{
    if (known < TCP_HEADER)
    {
        return false;
    }
    const bool ipv6 = octets[0] >> 4 == 6;
    const uint32_t header = ipv6 ? V6_HEADER : (octets[0] & 0x0F) * 4;
    if (octets[ipv6 ? 6 : 9] != UdpL4Protocol::PROT_NUMBER ||
        (!ipv6 && (load_big_u16(octets + 6) & 0x1FFF) != 0) || known < header + UDP_HEADER + 4)
    {
        return false;
    }
    const uint8_t* udp = octets + header;
    const uint16_t ports[] = {load_big_u16(udp), load_big_u16(udp + 2)};
    const auto uses = [&ports](uint16_t port) { return ports[0] == port || ports[1] == port; };
    return uses(PATH_IKE_PORT) || (uses(ESP_PORT) && !IsEspInUdp(udp));
}

} // namespace ns3
