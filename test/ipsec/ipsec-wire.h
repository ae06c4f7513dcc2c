/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_WIRE_H
#define IPSEC_WIRE_H

#include "ns3/packet.h"

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Datagrams by hand, after RFC 791, RFC 792, RFC 8200 and RFC 4443.
 */

namespace ipsec_wire
{

using Octets = std::vector<uint8_t>; //!< of a datagram

constexpr uint8_t ICMP = 1;      //!< protocol
constexpr uint8_t TCP = 6;       //!< protocol
constexpr uint8_t UDP = 17;      //!< protocol
constexpr uint8_t FRAGMENT = 44; //!< extension header
constexpr uint8_t ESP = 50;      //!< protocol
constexpr uint8_t ICMPV6 = 58;   //!< protocol

/// @param packet it @return its octets
inline Octets
Read(const ns3::Ptr<const ns3::Packet>& packet)
{
    Octets octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    return octets;
}

/// @param octets of a datagram @return it is IPv6's
inline bool
IsIpv6(const Octets& octets)
{
    return octets[0] >> 4 == 6;
}

/// @param octets of a datagram @return octets of its IP header
inline std::size_t
GetHeader(const Octets& octets)
{
    return IsIpv6(octets) ? 40 : 20;
}

/// @param octets of a datagram @return its protocol, or next header
inline uint8_t
GetProtocol(const Octets& octets)
{
    return octets[IsIpv6(octets) ? 6 : 9];
}

/// @param octets of a datagram @return a router or host tells another something, or asks whether
/// it is there: the neighbour discovery of links
inline bool
IsDiscovery(const Octets& octets)
{
    return IsIpv6(octets) && GetProtocol(octets) == ICMPV6 && octets[40] >= 133 &&
           octets[40] <= 137;
}

/// Set length and protocol of a datagram. @param octets of it @param protocol of it
/// @return packet
inline ns3::Ptr<ns3::Packet>
Write(Octets octets, uint8_t protocol)
{
    const bool ipv6 = IsIpv6(octets);
    const auto size = static_cast<uint16_t>(octets.size());
    boost::endian::store_big_u16(octets.data() + (ipv6 ? 4 : 2), ipv6 ? size - 40 : size);
    octets[ipv6 ? 6 : 9] = protocol;
    return ns3::Create<ns3::Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

/// Make an ICMP message that says of a datagram that it is too big. @param about the beginning of
/// the datagram; the message goes from where that went to where it came from @param mtu told
/// @return the message
inline ns3::Ptr<ns3::Packet>
MakeTooBig(const Octets& about, uint32_t mtu)
{
    const bool ipv6 = IsIpv6(about);
    const std::size_t header = GetHeader(about);
    const std::size_t length = ipv6 ? 16 : 4;
    const std::size_t source = ipv6 ? 8 : 12;
    Octets octets(about.begin(), about.begin() + static_cast<long>(header));
    for (std::size_t i = 0; i < length; i++)
    {
        octets[source + i] = about[source + length + i];
        octets[source + length + i] = about[source + i];
    }
    if (!ipv6)
    {
        octets[6] = octets[7] = 0; // no fragment
        octets[8] = 64;            // time to live
    }
    Octets icmp(8);
    icmp[0] = ipv6 ? 2 : 3;
    icmp[1] = ipv6 ? 0 : 4;
    boost::endian::store_big_u32(icmp.data() + 4, mtu);
    octets.insert(octets.end(), icmp.begin(), icmp.end());
    octets.insert(octets.end(), about.begin(), about.begin() + static_cast<long>(header) + 8);
    return Write(octets, ipv6 ? ICMPV6 : ICMP);
}

} // namespace ipsec_wire

#endif // IPSEC_WIRE_H
