/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-sample-set.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace iwarp
{

void
SampleSet::Add(Time sample)
{
    if (sample.IsZero())
    {
        m_zeros++;
    }
    else
    {
        m_samples.push_back(sample.GetTimeStep());
    }
}

uint64_t
SampleSet::GetN() const
{
    return m_zeros + m_samples.size();
}

double
SampleSet::GetMean() const
{
    double sum = 0;
    for (const int64_t sample : m_samples)
    {
        sum += TimeStep(sample).GetSeconds();
    }
    return GetN() > 0 ? sum / GetN() : 0;
}

double
SampleSet::GetDeviation() const
{
    const double mean = GetMean();
    double sum = m_zeros * mean * mean;
    for (const int64_t sample : m_samples)
    {
        const double distance = TimeStep(sample).GetSeconds() - mean;
        sum += distance * distance;
    }
    return GetN() > 0 ? std::sqrt(sum / GetN()) : 0;
}

double
SampleSet::GetMaximum() const
{
    return GetQuantile(1);
}

double
SampleSet::GetQuantile(double p) const
{
    return GetOrder(p).GetSeconds();
}

Time
SampleSet::GetOrder(double p) const
{
    if (GetN() == 0)
    {
        return Time(0);
    }
    const auto rank = static_cast<uint64_t>(std::max(1.0, std::ceil(p * GetN())));
    if (rank <= m_zeros)
    {
        return Time(0);
    }
    const auto nth = m_samples.begin() + (rank - m_zeros - 1);
    std::nth_element(m_samples.begin(), nth, m_samples.end());
    return TimeStep(*nth);
}

void
LevelOverTime::Change(uint64_t from, uint64_t to, Time now)
{
    Stop(now);
    m_level = m_level - from + to;
    m_peak = std::max(m_peak, m_level);
    m_since = now;
}

void
LevelOverTime::Change(uint64_t from, uint64_t to)
{
    Change(from, to, Simulator::Now());
}

void
LevelOverTime::Stop(Time now)
{
    if (m_since >= Time(0))
    {
        m_spent.Add(m_level, (now - m_since).GetTimeStep());
        m_since = now;
    }
}

void
LevelOverTime::Stop()
{
    Stop(Simulator::Now());
}

void
LevelOverTime::Restart()
{
    m_spent = {};
    m_peak = m_level;
    m_since = Simulator::Now();
}

uint64_t
LevelOverTime::GetPeak() const
{
    return m_peak;
}

uint64_t
LevelOverTime::GetQuantile(double p) const
{
    return m_spent.GetQuantile(p);
}

} // namespace iwarp
} // namespace ns3
