/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-clear-reader.h"

#include "ipsec-datagram.h"

#include "ns3/esp-format.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>

namespace ns3
{
namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;

/// Next layer protocols that are read
enum NextLayer : uint8_t
{
    HOP_BY_HOP = 0,
    ICMP_OF_IPV4 = 1,
    IPV4_IN_IP = 4,
    TCP = 6,
    UDP = 17,
    IPV6_IN_IP = 41,
    ROUTING_HEADER = 43,
    FRAGMENT_HEADER = 44,
    ICMP_OF_IPV6 = 58,
    DESTINATION_OPTIONS = 60,
};

constexpr std::size_t V4_LEAST = 20;    //!< octets of an IPv4 header
constexpr std::size_t V6_FIXED = 40;    //!< octets of IPv6's
constexpr std::size_t V6_EXTENSION = 8; //!< octets of an extension of that, at least
constexpr std::size_t ICMP_HEADER = 8;  //!< octets before what an ICMP error quotes
constexpr std::size_t LOOK_SIZE = 8;    //!< octets of content that are looked up at once
constexpr std::size_t LOOK_STEP = 16;   //!< octets from one look to the next
constexpr uint32_t DEEPEST = 4;         //!< headers of IP that are read

static_assert(LOOK_SIZE + LOOK_STEP == IpsecClearReader::CONTENT_RUN, "each has a look inside");

/// @param octets of an address @param ipv6 version @return it
IpsecAddress
ReadIpAddress(const uint8_t* octets, bool ipv6)
{
    return ipv6 ? IpsecAddress(Ipv6Address::Deserialize(octets))
                : IpsecAddress(Ipv4Address::Deserialize(octets));
}

/// @param version of ICMP by its protocol number @param type of a message @return an error quotes
bool
IsIcmpError(uint8_t version, uint8_t type)
{
    return version == ICMP_OF_IPV6
               ? type < 128
               : type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

/// @param type of an ICMPv6 message @return the link needs it: listeners (RFC 2710, RFC 3810),
/// neighbours (RFC 4861)
bool
IsOfLink(uint8_t type)
{
    return (type >= 130 && type <= 137) || type == 143;
}

} // namespace

/// What the header of IP says
struct IpsecClearReader::Datagram
{
    IpsecFlow flow;             //!< without ports
    std::size_t header{0};      //!< octets of it, with extensions
    std::size_t size{0};        //!< of the datagram, by its header
    bool isFragment{false};     //!< it is a fragment
    bool isFirst{true};         //!< which is the first
    uint32_t identification{0}; //!< if so

    /// @param octets of a datagram @param known how many @return false if they are none
    bool Read(const uint8_t* octets, std::size_t known)
    {
        if (known >= V4_LEAST && octets[0] >> 4 == 4)
        {
            header = (octets[0] & 0x0F) * 4;
            size = load_big_u16(octets + 2);
            const uint16_t offset = load_big_u16(octets + 6);
            isFragment = (offset & 0x3FFF) != 0;
            isFirst = (offset & 0x1FFF) == 0;
            identification = load_big_u16(octets + 4);
            flow.protocol = octets[9];
            flow.source = ReadIpAddress(octets + 12, false);
            flow.destination = ReadIpAddress(octets + 16, false);
            return header >= V4_LEAST;
        }
        if (known < V6_FIXED || octets[0] >> 4 != 6)
        {
            return false;
        }
        header = V6_FIXED;
        size = V6_FIXED + load_big_u16(octets + 4);
        flow.protocol = octets[6];
        flow.source = ReadIpAddress(octets + 8, true);
        flow.destination = ReadIpAddress(octets + 24, true);
        while (isFirst && known >= header + V6_EXTENSION && ReadExtension(octets + header))
        {
        }
        return true;
    }

  private:
    /// @param octets behind IPv6's headers so far @return these are one as well
    bool ReadExtension(const uint8_t* octets)
    {
        const uint8_t type = flow.protocol;
        if (type == FRAGMENT_HEADER)
        {
            isFragment = true;
            isFirst = (load_big_u16(octets + 2) & 0xFFF8) == 0;
            identification = load_big_u32(octets + 4);
            header += V6_EXTENSION;
        }
        else if (type == HOP_BY_HOP || type == ROUTING_HEADER || type == DESTINATION_OPTIONS)
        {
            header += V6_EXTENSION * (1 + octets[1]);
        }
        else
        {
            return false;
        }
        flow.protocol = octets[0];
        return true;
    }
};

std::string
IpsecClearReader::Finding::ToString() const
{
    static const char* const KINDS[] = {"nothing", "datagram", "fragment", "quote", "content"};
    const auto end = [](const IpsecAddress& address, uint16_t port) {
        return address.ToString() + (port > 0 ? " port " + std::to_string(port) : "");
    };
    return std::string(KINDS[static_cast<std::size_t>(kind)]) + " of protocol " +
           std::to_string(flow.protocol) + " from " + end(flow.source, flow.sourcePort) + " to " +
           end(flow.destination, flow.destinationPort);
}

void
IpsecClearReader::AddContent(const uint8_t* octets, std::size_t size)
{
    for (std::size_t i = 0; i + LOOK_SIZE <= size; i++)
    {
        uint64_t run;
        std::memcpy(&run, octets + i, LOOK_SIZE);
        if (run != uint64_t{octets[i]} * 0x0101010101010101)
        {
            m_content.insert(run);
        }
    }
}

bool
IpsecClearReader::HasContent() const
{
    return !m_content.empty();
}

bool
IpsecClearReader::FindContent(const uint8_t* octets, std::size_t known) const
{
    for (std::size_t i = 0; i + LOOK_SIZE <= known; i += LOOK_STEP)
    {
        uint64_t run;
        std::memcpy(&run, octets + i, LOOK_SIZE);
        if (m_content.count(run) > 0)
        {
            return true;
        }
    }
    return false;
}

IpsecClearReader::Finding
IpsecClearReader::Read(const uint8_t* octets,
                       std::size_t known,
                       std::size_t size,
                       const Protected& isProtected)
{
    Finding found = ReadDatagram(octets, known, size, isProtected, 0, false);
    if (found.kind == Kind::NOTHING && HasContent() && FindContent(octets, known))
    {
        Datagram datagram;
        datagram.Read(octets, known);
        found = {Kind::CONTENT, datagram.flow};
    }
    return found;
}

IpsecClearReader::Finding
IpsecClearReader::ReadDatagram(const uint8_t* octets,
                               std::size_t known,
                               std::size_t size,
                               const Protected& isProtected,
                               uint32_t depth,
                               bool quoted)
{
    Datagram datagram;
    if (depth == DEEPEST || !datagram.Read(octets, known) || size <= datagram.header)
    {
        return {}; // there is nothing behind IP's header
    }
    const std::size_t shown = std::min(known, size);
    const std::size_t begin = std::min(datagram.header, shown);
    Finding found = Validate(datagram,
                             octets + begin,
                             shown - begin,
                             size - datagram.header,
                             isProtected,
                             depth);
    if (datagram.isFragment)
    {
        found = Join(datagram, found, quoted);
    }
    if (found.kind != Kind::NOTHING && quoted)
    {
        found.kind = Kind::QUOTE;
    }
    return found;
}

IpsecClearReader::Finding
IpsecClearReader::Join(const Datagram& fragment, const Finding& alone, bool quoted)
{
    IpsecFlow key = fragment.flow;
    key.sourcePort = static_cast<uint16_t>(fragment.identification >> 16);
    key.destinationPort = static_cast<uint16_t>(fragment.identification);
    if (fragment.isFirst)
    {
        if (!quoted)
        {
            if (m_fragments.size() >= REMEMBERED)
            {
                m_fragments.clear();
            }
            m_fragments[key] = alone;
        }
        return alone;
    }
    const auto first = m_fragments.find(key);
    Finding found = first == m_fragments.end() ? alone : first->second;
    if (first == m_fragments.end() && fragment.flow.protocol == UDP)
    {
        return {}; // it was lost, is late or forgotten, and may have been ESP
    }
    found.kind = found.kind == Kind::DATAGRAM ? Kind::FRAGMENT : found.kind;
    return found;
}

IpsecClearReader::Finding
IpsecClearReader::Validate(const Datagram& datagram,
                           const uint8_t* octets,
                           std::size_t known,
                           std::size_t size,
                           const Protected& isProtected,
                           uint32_t depth)
{
    IpsecFlow flow = datagram.flow;
    const bool hasBegin = datagram.isFirst && known > 0; // of what is behind IP's header
    const bool hasPorts = flow.protocol == TCP || flow.protocol == UDP;
    if (hasPorts && datagram.isFirst && known >= 4)
    {
        flow.sourcePort = load_big_u16(octets);
        flow.destinationPort = load_big_u16(octets + 2);
    }
    switch (flow.protocol)
    {
    case ESP_PROTOCOL:
        return {};
    case UDP:
        if (IsKeyExchange(flow) ||
            (flow.destinationPort == ESP_UDP_PORT &&
             (flow.sourcePort == ESP_UDP_PORT || flow.sourcePort >= ESP_UDP_FIRST_ENTROPY)))
        {
            return {};
        }
        break;
    case IPV4_IN_IP:
    case IPV6_IN_IP:
        if (hasBegin)
        {
            const Finding inner = ReadDatagram(octets, known, size, isProtected, depth + 1, false);
            if (inner.kind != Kind::NOTHING)
            {
                return inner;
            }
        }
        break;
    case ICMP_OF_IPV4:
    case ICMP_OF_IPV6:
        if (hasBegin && IsIcmpError(flow.protocol, octets[0]))
        {
            const std::size_t begin = std::min(ICMP_HEADER, known);
            return ReadDatagram(octets + begin,
                                known - begin,
                                size - std::min(ICMP_HEADER, size),
                                isProtected,
                                depth + 1,
                                true);
        }
        if (hasBegin && flow.protocol == ICMP_OF_IPV6 && IsOfLink(octets[0]))
        {
            return {};
        }
        break;
    default:
        break;
    }
    return isProtected(flow) ? Finding{Kind::DATAGRAM, flow} : Finding{};
}

} // namespace ns3
