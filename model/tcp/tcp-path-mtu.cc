/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-path-mtu.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t LEAST_TCP_HEADER = 20;  // octets of a TCP header without options
constexpr uint32_t PADDED_TIMESTAMPS = 12; // octets of the timestamps option with its padding

/// @param a octets @param b octets @return their difference, at least 1
uint32_t
LessAtLeastOne(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 1;
}

} // namespace

uint32_t
TcpPathMtu::GetMtu() const
{
    return pathMtu > 0 ? std::min(pathMtu, routeMtu) : routeMtu;
}

uint32_t
TcpPathMtu::GetHeaders(bool timestamps) const
{
    return ipHeader + LEAST_TCP_HEADER + overhead + (timestamps ? PADDED_TIMESTAMPS : 0);
}

uint32_t
TcpPathMtu::GetEmss(bool timestamps) const
{
    const uint32_t mtu = GetMtu();
    if (mtu == 0)
    {
        return 0;
    }
    // RFC 6691: the MSS option counts no options, the EMSS does
    const uint32_t options = timestamps ? PADDED_TIMESTAMPS : 0;
    return std::min(
        {limit, LessAtLeastOne(mtu, GetHeaders(timestamps)), LessAtLeastOne(peerMss, options)});
}

uint16_t
TcpPathMtu::GetMss() const
{
    return static_cast<uint16_t>(
        std::min<uint32_t>(LessAtLeastOne(routeMtu, GetHeaders(false)), 65535));
}

bool
TcpPathMtu::Narrow(uint32_t mtu)
{
    if (mtu >= routeMtu || (pathMtu > 0 && mtu >= pathMtu))
    {
        return false;
    }
    pathMtu = mtu;
    return true;
}

} // namespace ns3
