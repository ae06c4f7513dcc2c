/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-timely-rate.h"

#include <algorithm>

namespace ns3
{
namespace
{

constexpr double LARGEST_CUT = 0.5; //!< of the rate is left at least, as in the authors' code

} // namespace

RoceTimelyRate::RoceTimelyRate(const RoceTimelySettings& settings, double line, double initial)
    : m_settings(settings),
      m_line(line),
      m_rate(std::min(initial, line))
{
}

void
RoceTimelyRate::NotifyRoundTrip(Time now, Time roundTrip)
{
    const bool first = m_before.IsZero();
    if (!first && now - m_updated < m_settings.least)
    {
        return;
    }
    const double difference = first ? 0 : (roundTrip - m_before).GetSeconds();
    m_before = roundTrip;
    m_updated = now;
    m_difference = (1 - m_settings.weight) * m_difference + m_settings.weight * difference;
    m_falls = difference < 0 ? m_falls + 1 : 0;
    const double gradient = GetGradient();
    const double before = m_rate;
    if (roundTrip < m_settings.low)
    {
        m_rate += m_settings.additive;
    }
    else if (roundTrip > m_settings.high)
    {
        const double share = m_settings.high.GetSeconds() / roundTrip.GetSeconds();
        m_rate *= 1 - m_settings.beta * (1 - share);
    }
    else if (gradient <= 0)
    {
        const bool hyper = m_falls >= m_settings.patience;
        m_rate += (hyper ? m_settings.hyper : 1) * m_settings.additive;
    }
    else
    {
        m_rate *= 1 - m_settings.beta * gradient;
    }
    m_rate = std::max(m_rate, LARGEST_CUT * before);
    m_rate = std::clamp(m_rate, std::min(m_settings.leastRate, m_line), m_line);
}

double
RoceTimelyRate::GetRate() const
{
    return m_rate;
}

double
RoceTimelyRate::GetGradient() const
{
    return m_difference / m_settings.least.GetSeconds();
}

} // namespace ns3
