/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-pacer.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

RocePacer::RocePacer(uint32_t burst)
    : m_burst(burst)
{
}

bool
RocePacer::Advance(Time now, double rate)
{
    if (now > m_paid)
    {
        m_owed = std::max(m_owed - rate * (now - m_paid).GetSeconds(), m_least);
        m_paid = now;
    }
    return m_owed <= 0;
}

void
RocePacer::Clear(Time now)
{
    m_owed = 0;
    m_paid = now;
}

bool
RocePacer::Charge(uint32_t octets, bool last)
{
    m_gone += octets;
    if (m_gone < m_burst && !last)
    {
        return false;
    }
    m_owed += 8.0 * m_gone;
    m_least = -8.0 * m_gone;
    m_gone = 0;
    return true;
}

Time
RocePacer::GetWait(double rate) const
{
    if (m_owed <= 0)
    {
        return Time();
    }
    constexpr double ROUNDING = 1e-6; // ns, what floating-point numbers may add
    const double nanoseconds = std::max(std::ceil(1e9 * m_owed / rate - ROUNDING), 1.0);
    return NanoSeconds(static_cast<uint64_t>(nanoseconds));
}

} // namespace ns3
