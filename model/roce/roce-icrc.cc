/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-icrc.h"

#include "roce-head.h"

#include "ns3/assert.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

namespace ns3
{
namespace
{

constexpr std::size_t LINK_ONES = 8;    //!< octets of ones in place of the link's header
constexpr std::size_t ICRC_IPV4 = 20;   //!< octets of IPv4's header
constexpr std::size_t ICRC_IPV6 = 40;   //!< octets of IPv6's
constexpr uint8_t MASKED = 0xFF;        //!< what may change on the way
constexpr std::size_t UDP_CHECKSUM = 6; //!< in UDP's header
constexpr std::size_t FECN_BECN = 4;    //!< octet of the BTH that has FECN and BECN

/// @param ip header, in which ones take the place of what may change @return octets of it
std::size_t
MaskIp(uint8_t* ip)
{
    if (ip[0] >> 4 == 6)
    {
        ip[0] |= 0x0F; // traffic class and flow label
        std::fill_n(ip + 1, 3, MASKED);
        ip[7] = MASKED; // hop limit
        return ICRC_IPV6;
    }
    ip[1] = MASKED;                  // type of service
    ip[8] = MASKED;                  // time to live
    std::fill_n(ip + 10, 2, MASKED); // checksum
    return ICRC_IPV4;
}

} // namespace

uint32_t
RoceIcrc::Compute(const uint8_t* datagram, std::size_t size)
{
    constexpr std::size_t LONGEST_HEADERS = ICRC_IPV6 + RoceHead::UDP + RoceHead::BTH;
    const std::size_t headers =
        (datagram[0] >> 4 == 6 ? ICRC_IPV6 : ICRC_IPV4) + RoceHead::UDP + RoceHead::BTH;
    NS_ASSERT_MSG(size >= headers, "RoceIcrc: a datagram has IP, UDP and a BTH");
    uint8_t octets[LINK_ONES + LONGEST_HEADERS];
    std::fill_n(octets, LINK_ONES, MASKED);
    std::copy_n(datagram, headers, octets + LINK_ONES);
    uint8_t* udp = octets + LINK_ONES + MaskIp(octets + LINK_ONES);
    std::fill_n(udp + UDP_CHECKSUM, 2, MASKED);
    udp[RoceHead::UDP + FECN_BECN] = MASKED;
    boost::crc_32_type crc;
    crc.process_bytes(octets, LINK_ONES + headers);
    crc.process_bytes(datagram + headers, size - headers);
    return crc.checksum();
}

void
RoceIcrc::Write(uint32_t icrc, uint8_t* octets)
{
    boost::endian::store_little_u32(octets, icrc);
}

} // namespace ns3
