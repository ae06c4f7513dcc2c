/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-level-histogram.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint64_t BINS = 1024; //!< of an octave

} // namespace

std::size_t
LevelHistogram::GetBin(uint64_t level)
{
    std::size_t octave = 0;
    while (level >> octave >= 2 * BINS)
    {
        octave++;
    }
    return octave * BINS + (level >> octave);
}

uint64_t
LevelHistogram::GetTop(std::size_t bin)
{
    const std::size_t octave = bin < 2 * BINS ? 0 : bin / BINS - 1;
    const uint64_t least = uint64_t{bin - octave * BINS} << octave;
    return least + ((uint64_t{1} << octave) - 1);
}

void
LevelHistogram::Add(uint64_t level, int64_t time)
{
    if (time <= 0)
    {
        return;
    }
    const std::size_t bin = GetBin(level);
    if (bin >= m_times.size())
    {
        m_times.resize(bin + 1);
    }
    m_times[bin] += time;
    m_total += static_cast<double>(time);
    m_highest = std::max(m_highest, level);
}

uint64_t
LevelHistogram::GetQuantile(double p) const
{
    double passed = 0;
    for (std::size_t bin = 0; bin < m_times.size(); bin++)
    {
        passed += static_cast<double>(m_times[bin]);
        if (m_times[bin] > 0 && passed >= p * m_total)
        {
            return std::min(GetTop(bin), m_highest);
        }
    }
    return m_highest;
}

std::size_t
LevelHistogram::GetBins() const
{
    return m_times.size();
}

} // namespace iwarp
} // namespace ns3
