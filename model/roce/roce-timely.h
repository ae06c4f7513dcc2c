/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TIMELY_H
#define ROCE_TIMELY_H

#include "roce-congestion-ops.h"
#include "roce-timely-rate.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief TIMELY: the sender's rate follows the gradient of round-trip times (Mittal et al., TIMELY:
 * RTT-based Congestion Control for the Datacenter, SIGCOMM 2015).
 *
 * The rate is RoceTimelyRate's. A burst of Segment octets goes at the line's rate, and bursts are
 * spaced by the rate; a round-trip time is from when the last packet of a burst has left, by the
 * link's rate, until it is acknowledged.
 */
class RoceTimely : public RoceCongestionOps
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceTimely();
    ~RoceTimely() override;

    void Start(double line) override;
    double GetRate(Time now) override;
    uint32_t GetBurst() const override;
    bool WantsRoundTrips() const override;
    void NotifyRoundTrip(Time now, Time roundTrip) override;

  private:
    Time m_low;                               //!< see LowThreshold
    Time m_high;                              //!< see HighThreshold
    Time m_least;                             //!< see MinRtt
    double m_weight;                          //!< see Weight
    double m_beta;                            //!< see Beta
    DataRate m_additive;                      //!< see AdditiveIncrease
    uint32_t m_patience;                      //!< see HyperThreshold
    uint32_t m_hyper;                         //!< see HyperFactor
    DataRate m_minRate;                       //!< see MinRate
    double m_initial;                         //!< see InitialShare
    uint32_t m_segment;                       //!< see Segment
    std::unique_ptr<RoceTimelyRate> m_engine; //!< rate
};

} // namespace ns3

#endif // ROCE_TIMELY_H
