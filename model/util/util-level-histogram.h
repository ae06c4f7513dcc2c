/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_LEVEL_HISTOGRAM_H
#define UTIL_LEVEL_HISTOGRAM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-util
 * @brief How long a level had which values, in bounded memory.
 *
 * Levels below 2,048 are kept apart; above, 1,024 bins share each octave, so that a quantile is at
 * most 0.1 % too high. A histogram has at most GetBin(UINT64_MAX) + 1 bins, of 8 octets.
 */
class LevelHistogram
{
  public:
    /// Add a stretch of time. @param level level @param time how long, in any unit; 0 or more
    void Add(uint64_t level, int64_t time);

    /**
     * @brief Get a quantile by time.
     * @param p 0 to 1
     * @return the smallest level that was not exceeded for that share of all time, or up to 0.1 %
     * more, but not more than the highest level added; 0 if no time was added
     */
    uint64_t GetQuantile(double p) const;

    std::size_t GetBins() const; //!< Count the bins in memory. @return bins, empty ones included

    /// Find the bin of a level. @param level level @return index of its bin
    static std::size_t GetBin(uint64_t level);
    /// Get the highest level of a bin. @param bin index @return level
    static uint64_t GetTop(std::size_t bin);

  private:
    std::vector<int64_t> m_times; //!< time by bin
    uint64_t m_highest{0};        //!< highest level that had time
    double m_total{0};            //!< all time
};

} // namespace iwarp
} // namespace ns3

#endif // UTIL_LEVEL_HISTOGRAM_H
