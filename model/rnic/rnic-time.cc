/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-time.h"

#include "ns3/abort.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

RnicTime
ToRnicTime(Time t)
{
    return t.GetPicoSeconds();
}

Time
FromRnicTime(RnicTime t)
{
    if (t <= 0)
    {
        return Time(); // PicoSeconds() takes what has no sign
    }
    const Time rounded = PicoSeconds(t);
    return rounded.GetPicoSeconds() < t ? rounded + TimeStep(1) : rounded;
}

std::string
RnicRate::Check(uint64_t bitRate)
{
    return bitRate == 0 || bitRate >= SLOWEST
               ? ""
               : std::to_string(bitRate) + " bit/s never ends: give at least " +
                     std::to_string(SLOWEST) + " bit/s, or 0 for no limit";
}

RnicRate::RnicRate(uint64_t bitRate)
{
    const std::string fault = Check(bitRate);
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC: " << fault);
    if (!IsUnlimited(bitRate))
    {
        constexpr uint64_t octetAtOne = 8'000'000'000'000; // ps an octet takes at 1 bit/s
        const uint64_t common = std::gcd(octetAtOne % bitRate, bitRate);
        m_whole = octetAtOne / bitRate;
        m_part = octetAtOne % bitRate / common;
        m_parts = bitRate / common;
    }
}

RnicTime
RnicRate::Serve(uint64_t octets)
{
    uint64_t time = octets * m_whole;
    if (m_part != 0)
    {
        // m_part < m_parts <= FASTEST, so that a product stays below 2^64
        constexpr uint64_t atOnce = 131072;
        while (octets > 0)
        {
            const uint64_t now = std::min(octets, atOnce);
            const uint64_t parts = now * m_part + m_carried;
            time += parts / m_parts;
            m_carried = parts % m_parts;
            octets -= now;
        }
    }
    return static_cast<RnicTime>(time);
}

} // namespace ns3
