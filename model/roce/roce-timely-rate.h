/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TIMELY_RATE_H
#define ROCE_TIMELY_RATE_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief What TIMELY is told (Mittal et al., TIMELY: RTT-based Congestion Control for the
 * Datacenter, SIGCOMM 2015).
 */
struct RoceTimelySettings
{
    Time low;          //!< T_low: below it the rate rises whatever the gradient
    Time high;         //!< T_high: above it the rate falls whatever the gradient
    Time least;        //!< minimum round-trip time, by which gradients are divided
    double weight;     //!< alpha of the moving average of differences, 0 to 1
    double beta;       //!< multiplicative decrease, 0 to 1
    double additive;   //!< delta, bit/s
    uint32_t patience; //!< falling round-trip times in turn, after which the rate rises faster
    uint32_t hyper;    //!< N: how many times faster
    double leastRate;  //!< rate at least, bit/s
};

/**
 * @ingroup iwarp-roce
 * @brief TIMELY's rate computation engine: the rate of one sending connection.
 *
 * Pure: algorithm 1 of the paper. Of each round-trip time the difference to the one before goes
 * into a moving average; that over the least round-trip time is the gradient. Below T_low the rate
 * rises by delta; above T_high it is multiplied by 1 - beta (1 - T_high / RTT); between them it
 * rises by delta, or N delta after so many falling round-trip times in turn, if the gradient is not
 * positive, and is multiplied by 1 - beta gradient otherwise. No step leaves less than half of the
 * rate.
 *
 * Of completions that are closer than the least round-trip time only the first counts, so that
 * gradients are those of a round trip, as the fluid model has it (Zhu et al., ECN or Delay, CoNEXT
 * 2016).
 */
class RoceTimelyRate
{
  public:
    /// Make one. @param settings figures @param line rate of the link [bit/s] @param initial first
    /// rate [bit/s]
    RoceTimelyRate(const RoceTimelySettings& settings, double line, double initial);

    /// A burst is complete. @param now the clock, never less than before @param roundTrip its RTT
    void NotifyRoundTrip(Time now, Time roundTrip);

    double GetRate() const;     //!< Get the rate. @return bit/s
    double GetGradient() const; //!< Get the gradient. @return normalized

  private:
    const RoceTimelySettings m_settings; //!< figures
    const double m_line;                 //!< bit/s
    double m_rate;                       //!< bit/s
    Time m_before;                       //!< RTT before; 0 if there is none
    Time m_updated;                      //!< when the rate was updated
    double m_difference{0};              //!< moving average of differences, s
    uint32_t m_falls{0};                 //!< falling RTTs in turn
};

} // namespace ns3

#endif // ROCE_TIMELY_RATE_H
