/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DCQCN_RATE_H
#define ROCE_DCQCN_RATE_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief What DCQCN's reaction point is told (Zhu et al., Congestion Control for Large-Scale RDMA
 * Deployments, SIGCOMM 2015).
 */
struct RoceDcqcnSettings
{
    double gain;         //!< g, 0 to 1
    Time alphaTimer;     //!< K: alpha falls when so long no CNP has come
    Time increaseTimer;  //!< T: the rate rises each time
    uint64_t increase;   //!< B: and for each so many octets sent
    uint32_t recoveries; //!< F: rises of either kind that only recover
    double additive;     //!< R_AI, bit/s
    double hyper;        //!< R_HAI, bit/s
    double least;        //!< rate at least, bit/s
};

/**
 * @ingroup iwarp-roce
 * @brief DCQCN's reaction point: the rate of one sending connection.
 *
 * Pure. A CNP makes the rate R the target, cuts R by alpha / 2 and lets alpha approach 1: R_T = R,
 * R = R (1 - alpha / 2), alpha = (1 - g) alpha + g. Without CNPs alpha is multiplied by 1 - g every
 * K. After the cut R rises, each T and each B octets anew: F times R = (R_T + R) / 2; when T or B
 * has come more often, with R_T = R_T + R_AI before; when both have, with R_T = R_T + i R_HAI, i
 * being how often the rarer one has come beyond F. Neither exceeds the line's rate, at which a
 * connection begins; alpha begins with 1.
 *
 * There are no timers: what they would have done is done when something is asked.
 */
class RoceDcqcnRate
{
  public:
    /// Make one at full rate. @param settings figures @param line rate of the link [bit/s]
    RoceDcqcnRate(const RoceDcqcnSettings& settings, double line);

    /// A CNP has come. @param now the clock, never less than before
    void NotifyCnp(Time now);
    /// A packet goes. @param now the clock @param octets of it
    void NotifySent(Time now, uint32_t octets);

    double GetRate(Time now); //!< Get R. @param now the clock @return bit/s
    double GetTarget() const; //!< Get R_T as of the last call. @return bit/s
    double GetAlpha() const;  //!< Get alpha as of the last call. @return 0 to 1

  private:
    void Advance(Time now); //!< do what timers would have @param now the clock
    void Increase();        //!< T or B has come once more

    const RoceDcqcnSettings m_settings; //!< figures
    const double m_line;                //!< bit/s
    double m_rate;                      //!< R
    double m_target;                    //!< R_T
    double m_alpha{1};                  //!< estimate of the congestion
    bool m_limited{false};              //!< a CNP has come
    Time m_alphaSince;                  //!< when alpha's timer began
    Time m_increaseSince;               //!< when that of the rate did
    uint64_t m_octets{0};               //!< sent since B began
    uint64_t m_times{0};                //!< how often T has come, below the line's rate
    uint64_t m_counts{0};               //!< how often B has
};

} // namespace ns3

#endif // ROCE_DCQCN_RATE_H
