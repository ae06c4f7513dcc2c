/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_SAMPLE_SET_H
#define UTIL_SAMPLE_SET_H

#include "util-level-histogram.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-util
 * @brief Durations of which most are 0, with exact quantiles.
 */
class SampleSet
{
  public:
    void Add(Time sample);  //!< Add a sample. @param sample 0 or more
    uint64_t GetN() const;  //!< Count the samples. @return samples
    double GetMean() const; //!< Get the mean. @return seconds, 0 without samples
    /// Get the standard deviation of the samples as a whole, dividing by GetN(). @return seconds
    double GetDeviation() const;
    double GetMaximum() const; //!< Get the largest sample. @return seconds, 0 without samples
    /// Get a quantile as a time, exactly. @param p 0 to 1, 0 for the smallest sample @return as
    /// GetQuantile()
    Time GetOrder(double p) const;
    /// Get a quantile. @param p 0 to 1 @return the smallest sample, in seconds, that at least that
    /// share of all do not exceed; 0 without samples
    double GetQuantile(double p) const;

  private:
    uint64_t m_zeros{0};                    //!< samples that are 0
    mutable std::vector<int64_t> m_samples; //!< the others, in time steps
};

/**
 * @ingroup iwarp-util
 * @brief A number that changes in steps, with its peak and quantiles over time.
 */
class LevelOverTime
{
  public:
    /// Add to - from. @param from before @param to after @param now when it changes
    void Change(uint64_t from, uint64_t to, Time now);
    void Change(uint64_t from,
                uint64_t to); //!< Add to - from now. @param from before @param to after
    void Stop(Time now);      //!< the time of observation ends @param now then
    void Stop();              //!< the time of observation ends now
    void Restart();           //!< the time of observation begins now: the past is forgotten
    uint64_t GetPeak() const; //!< Get the highest level. @return it
    /// Get a quantile over time. @param p 0 to 1 @return the smallest level that was not exceeded
    /// for that share of the time since Restart() or the first Change(), as exact as LevelHistogram
    uint64_t GetQuantile(double p) const;

  private:
    uint64_t m_level{0};    //!< level now
    uint64_t m_peak{0};     //!< highest level
    Time m_since{-1};       //!< when it got there; negative before the first change
    LevelHistogram m_spent; //!< time steps at each level
};

} // namespace iwarp
} // namespace ns3

#endif // UTIL_SAMPLE_SET_H
