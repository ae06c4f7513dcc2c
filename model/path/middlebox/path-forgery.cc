/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-forgery.h"

#include "path-payload.h"

#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-internet-checksum.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{
namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;
using boost::endian::store_big_u16;
using boost::endian::store_big_u32;

constexpr std::size_t FORGED_V6 = 40;        //!< octets of IPv6's header
constexpr std::size_t FORGED_V4 = 20;        //!< octets of IPv4's without options
constexpr std::size_t FORGED_ICMP = 8;       //!< octets of an ICMP error's own header
constexpr std::size_t FORGED_TCP = 20;       //!< octets of TCP's header without options
constexpr std::size_t QUOTED = 8;            //!< octets behind IPv4's header that are quoted
constexpr std::size_t LONGEST_ICMPV6 = 1280; //!< octets of an ICMPv6 error
constexpr uint32_t GUESSED_ESP = 8;          //!< octets of SPI and number
constexpr uint16_t MORE_FRAGMENTS = 0x2000;  //!< flag of IPv4
constexpr uint16_t FRAGMENT_OFFSET = 0x1FFF; //!< of IPv4, in units of 8 octets
constexpr uint8_t FORGED_TTL = 64;           //!< hops that a forged packet may take
constexpr uint32_t FORGED_PARAMETER = 4;     //!< type of ICMPv6: parameter problem
constexpr uint32_t FORGED_NEXT_HEADER = 6;   //!< where IPv6 has its next header

/// @param octets of a datagram @return octets of its IP header
std::size_t
GetForgedHeader(const PathOctets& octets)
{
    return IsPathIpv6(octets) ? FORGED_V6 : (octets[0] & 0x0F) * 4;
}

/// @param sum so far @param octets of which some are summed up @param begin first, at an even place
/// @param end behind the last @return sum in ones' complement, not folded
uint64_t
SumForged(uint64_t sum, const PathOctets& octets, std::size_t begin, std::size_t end)
{
    return iwarp::SumInternetChecksum(sum, octets.data() + begin, end - begin);
}

/// @param sum it @return checksum
uint16_t
FoldForged(uint64_t sum)
{
    return static_cast<uint16_t>(~iwarp::FoldInternetChecksum(sum));
}

/// Write lengths and IPv4's checksum into the header. @param[in,out] octets of a datagram
void
SealForgedIp(PathOctets& octets)
{
    if (IsPathIpv6(octets))
    {
        store_big_u16(&octets[4], static_cast<uint16_t>(octets.size() - FORGED_V6));
        return;
    }
    store_big_u16(&octets[2], static_cast<uint16_t>(octets.size()));
    store_big_u16(&octets[10], 0);
    store_big_u16(&octets[10], FoldForged(SumForged(0, octets, 0, GetForgedHeader(octets))));
}

/// Write the checksum of the layer above IP. @param[in,out] octets of a datagram @param at where
/// its checksum is, from IP's header on @param pseudo it covers addresses, too
void
SealForgedPayload(PathOctets& octets, std::size_t at, bool pseudo)
{
    const std::size_t header = GetForgedHeader(octets);
    const bool ipv6 = IsPathIpv6(octets);
    uint64_t sum = 0;
    if (pseudo)
    {
        sum = SumForged(0, octets, ipv6 ? 8 : 12, ipv6 ? FORGED_V6 : FORGED_V4);
        sum += octets[ipv6 ? FORGED_NEXT_HEADER : 9] + octets.size() - header;
    }
    store_big_u16(&octets[header + at], 0);
    store_big_u16(&octets[header + at], FoldForged(SumForged(sum, octets, header, octets.size())));
}

/// @param about a datagram @param protocol of the new one @param back it goes to where that came
/// from @return IP header without options, of a whole datagram
PathOctets
MakeForgedIp(const PathOctets& about, uint8_t protocol, bool back)
{
    const bool ipv6 = IsPathIpv6(about);
    PathOctets octets(ipv6 ? FORGED_V6 : FORGED_V4);
    octets[0] = ipv6 ? 0x60 : 0x45;
    octets[ipv6 ? 7 : 8] = FORGED_TTL;
    octets[ipv6 ? FORGED_NEXT_HEADER : 9] = protocol;
    const std::size_t size = ipv6 ? 16 : 4;
    const std::size_t source = ipv6 ? 8 : 12;
    const auto from = about.begin() + static_cast<long>(source);
    std::copy_n(from, size, &octets[source + (back ? size : 0)]);
    std::copy_n(from + static_cast<long>(size), size, &octets[source + (back ? 0 : size)]);
    return octets;
}

/// @param octets of a datagram @param[out] at where the payload is @return whether it is TCP's or
/// that of ESP
bool
FindForged(const PathOctets& octets, PathPayload& at)
{
    const auto size = static_cast<uint32_t>(octets.size());
    return at.Find(octets.data(), std::min(size, +PathPayload::HEAD), size);
}

} // namespace

PathIcmpError
PathIcmpError::TooBig(bool ipv6, uint32_t mtu)
{
    return ipv6 ? PathIcmpError{2, 0, mtu} : PathIcmpError{3, 4, mtu};
}

PathIcmpError
PathIcmpError::Unreachable(bool ipv6, uint32_t which)
{
    if (ipv6 && which > 0)
    {
        return {FORGED_PARAMETER, 1, FORGED_NEXT_HEADER};
    }
    return ipv6 ? PathIcmpError{1, 1, 0} : PathIcmpError{3, static_cast<uint8_t>(2 + which), 0};
}

bool
IsPathIpv6(const PathOctets& octets)
{
    return octets[0] >> 4 == 6;
}

PathOctets
MakePathIcmp(const PathOctets& about, const PathIcmpError& error)
{
    const bool ipv6 = IsPathIpv6(about);
    const uint8_t protocol = ipv6 ? Icmpv6L4Protocol::PROT_NUMBER : Icmpv4L4Protocol::PROT_NUMBER;
    PathOctets octets = MakeForgedIp(about, protocol, true);
    const std::size_t header = octets.size();
    octets.resize(header + FORGED_ICMP);
    octets[header] = error.type;
    octets[header + 1] = error.code;
    store_big_u32(&octets[header + 4], error.info);
    const std::size_t most =
        ipv6 ? LONGEST_ICMPV6 - octets.size() : GetForgedHeader(about) + QUOTED;
    octets.insert(octets.end(),
                  about.begin(),
                  about.begin() + static_cast<long>(std::min(most, about.size())));
    SealForgedIp(octets);
    SealForgedPayload(octets, 2, ipv6);
    return octets;
}

bool
GuessPathNumber(PathOctets& octets, uint32_t number)
{
    PathPayload at;
    if (!FindForged(octets, at))
    {
        return false;
    }
    store_big_u32(&octets[at.tcp > 0 ? at.tcp + 4 : at.begin - GUESSED_ESP], number);
    return true;
}

PathTcpSegment
MakePathReset(const PathTcpSegment& about, uint32_t seq)
{
    PathTcpSegment reset(about);
    reset.SetFlags(PathTcpSegment::RST);
    reset.SetData(seq, about.GetPayload()->CreateFragment(0, 0));
    return reset;
}

PathTcpSegment
MakePathData(const PathTcpSegment& about, uint32_t seq, const PathOctets& payload)
{
    PathTcpSegment data(about);
    data.SetFlags(PathTcpSegment::ACK | PathTcpSegment::PSH);
    const Ptr<Packet> octets = about.GetPayload()->CreateFragment(0, 0);
    octets->AddAtEnd(Create<Packet>(payload.data(), static_cast<uint32_t>(payload.size())));
    data.SetData(seq, octets);
    return data;
}

PathOctets
MakePathBlindReset(const PathOctets& about, const std::array<uint16_t, 2>& ports, uint32_t seq)
{
    PathOctets octets = MakeForgedIp(about, TcpL4Protocol::PROT_NUMBER, false);
    const std::size_t header = octets.size();
    octets.resize(header + FORGED_TCP);
    store_big_u16(&octets[header], ports[0]);
    store_big_u16(&octets[header + 2], ports[1]);
    store_big_u32(&octets[header + 4], seq);
    octets[header + 12] = FORGED_TCP / 4 << 4;
    octets[header + 13] = PathTcpSegment::RST;
    SealForgedIp(octets);
    SealForgedPayload(octets, 16, true);
    return octets;
}

PathOctets
MakePathEsp(const PathOctets& about, uint32_t ahead, const PathOctets& payload)
{
    PathPayload at;
    if (!FindForged(about, at) || at.tcp > 0)
    {
        return {};
    }
    PathOctets octets(about);
    uint8_t* number = &octets[at.begin - 4];
    store_big_u32(number, load_big_u32(number) + ahead);
    const auto size = std::min(payload.size(), std::size_t{at.end} - at.begin);
    std::copy_n(payload.begin(), size, octets.begin() + at.begin);
    return octets;
}

std::vector<PathOctets>
CutPathDatagram(const PathOctets& datagram)
{
    constexpr std::size_t UNIT = 8; // octets in which offsets count
    const std::size_t header = GetForgedHeader(datagram);
    if (IsPathIpv6(datagram) || datagram.size() < header + 2 * UNIT)
    {
        return {};
    }
    const std::size_t first = (datagram.size() - header) / 2 / UNIT * UNIT;
    const auto cut = datagram.begin() + static_cast<long>(header + first);
    const uint16_t field = load_big_u16(&datagram[6]) & (MORE_FRAGMENTS | FRAGMENT_OFFSET);
    PathOctets begin(datagram.begin(), cut);
    store_big_u16(&begin[6], field | MORE_FRAGMENTS);
    PathOctets rest(datagram.begin(), datagram.begin() + static_cast<long>(header));
    rest.insert(rest.end(), cut, datagram.end());
    store_big_u16(&rest[6], static_cast<uint16_t>(field + first / UNIT));
    SealForgedIp(begin);
    SealForgedIp(rest);
    return {begin, rest};
}

PathOctets
MixPathFragment(PathOctets fragment, const PathOctets& other)
{
    const std::size_t header = GetForgedHeader(fragment);
    const std::size_t offset = (load_big_u16(&fragment[6]) & FRAGMENT_OFFSET) * 8U;
    const std::size_t from = GetForgedHeader(other) + offset;
    if (from < other.size())
    {
        const std::size_t size = std::min(fragment.size() - header, other.size() - from);
        std::copy_n(other.begin() + static_cast<long>(from), size, &fragment[header]);
    }
    return fragment;
}

} // namespace ns3
