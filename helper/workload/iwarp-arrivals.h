/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ARRIVALS_H
#define IWARP_ARRIVALS_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief When messages arrive: the gaps between those of a source that heeds nothing else.
 */
class Arrivals
{
  public:
    virtual ~Arrivals() = default;
    /// Draw a gap. @return seconds from an arrival to the next, or from the start to the first
    virtual double DrawGap() = 0;
    /// Fix the random streams. @param stream first @return streams used, STREAMS at most
    virtual int64_t AssignStreams(int64_t stream) = 0;

    static constexpr int64_t STREAMS = 3; //!< random streams that a source draws from at most
};

/// @ingroup iwarp-helper
/// @brief Make arrivals whose gaps are drawn from one distribution. @param gaps of them, seconds
/// @return arrivals
std::unique_ptr<Arrivals> MakeRenewalArrivals(Ptr<RandomVariableStream> gaps);

/**
 * @ingroup iwarp-helper
 * @brief Make arrivals at random times (Poisson).
 * @param mean of the gaps, seconds
 * @return arrivals with exponential gaps
 */
std::unique_ptr<Arrivals> MakePoissonArrivals(double mean);

/**
 * @ingroup iwarp-helper
 * @brief Make arrivals with log-normal gaps, as K. Zhao et al. have them (Scalable Tail Latency
 * Estimation for Data Center Networks, NSDI 2023, with a sigma of 1 or 2).
 * @param mean of the gaps, seconds
 * @param sigma standard deviation of their logarithm, more than 0
 * @return arrivals; the squared coefficient of variation of gaps is exp(sigma^2) - 1
 */
std::unique_ptr<Arrivals> MakeLogNormalArrivals(double mean, double sigma);

/**
 * @ingroup iwarp-helper
 * @brief Make arrivals in bursts: at random times in a burst, then none in a pause, and so on. A
 * source begins with a burst or a pause, as likely as there is either.
 * @param mean of the gaps over all, seconds: bursts are denser than that
 * @param bursts distribution of their lengths, seconds
 * @param pauses the same of the pauses
 * @param burst mean of @p bursts, more than 0
 * @param pause mean of @p pauses
 * @return arrivals
 */
std::unique_ptr<Arrivals> MakeOnOffArrivals(double mean,
                                            Ptr<RandomVariableStream> bursts,
                                            Ptr<RandomVariableStream> pauses,
                                            double burst,
                                            double pause);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_ARRIVALS_H
