/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dcqcn-rate.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace
{

constexpr double WHOLE = 1e-9; //!< share of the line's rate below which a difference is none

} // namespace

RoceDcqcnRate::RoceDcqcnRate(const RoceDcqcnSettings& settings, double line)
    : m_settings(settings),
      m_line(line),
      m_rate(line),
      m_target(line)
{
}

void
RoceDcqcnRate::NotifyCnp(Time now)
{
    Advance(now);
    m_target = m_rate;
    m_rate = std::max(m_rate * (1 - m_alpha / 2), std::min(m_settings.least, m_line));
    m_alpha = (1 - m_settings.gain) * m_alpha + m_settings.gain;
    m_limited = true;
    m_alphaSince = now;
    m_increaseSince = now;
    m_octets = 0;
    m_times = 0;
    m_counts = 0;
}

void
RoceDcqcnRate::NotifySent(Time now, uint32_t octets)
{
    if (!m_limited)
    {
        return;
    }
    Advance(now);
    m_octets += octets;
    for (; m_octets >= m_settings.increase; m_octets -= m_settings.increase)
    {
        m_counts++;
        Increase();
    }
}

double
RoceDcqcnRate::GetRate(Time now)
{
    if (m_limited)
    {
        Advance(now);
    }
    return m_rate;
}

double
RoceDcqcnRate::GetTarget() const
{
    return m_target;
}

double
RoceDcqcnRate::GetAlpha() const
{
    return m_alpha;
}

void
RoceDcqcnRate::Advance(Time now)
{
    if (!m_limited)
    {
        return;
    }
    const int64_t falls = (now - m_alphaSince).GetTimeStep() / m_settings.alphaTimer.GetTimeStep();
    if (falls > 0)
    {
        m_alpha *= std::pow(1 - m_settings.gain, static_cast<double>(falls));
        m_alphaSince += falls * m_settings.alphaTimer;
    }
    int64_t rises = (now - m_increaseSince).GetTimeStep() / m_settings.increaseTimer.GetTimeStep();
    m_increaseSince += rises * m_settings.increaseTimer;
    for (; rises > 0 && m_rate < m_line; rises--)
    {
        m_times++;
        Increase();
    }
}

void
RoceDcqcnRate::Increase()
{
    const uint64_t often = std::max(m_times, m_counts);
    const uint64_t rare = std::min(m_times, m_counts);
    if (rare > m_settings.recoveries)
    {
        m_target += static_cast<double>(rare - m_settings.recoveries) * m_settings.hyper;
    }
    else if (often > m_settings.recoveries)
    {
        m_target += m_settings.additive;
    }
    m_target = std::min(m_target, m_line);
    m_rate = (m_target + m_rate) / 2;
    if (m_line - m_rate < WHOLE * m_line)
    {
        m_rate = m_line;
    }
}

} // namespace ns3
