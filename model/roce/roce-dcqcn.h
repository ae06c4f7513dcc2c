/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_DCQCN_H
#define ROCE_DCQCN_H

#include "roce-congestion-ops.h"
#include "roce-dcqcn-rate.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief DCQCN: the receiver tells the sender of marked packets, and the sender's rate follows
 * (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015).
 *
 * The rate is RoceDcqcnRate's; RoceServer is the notification point; the congestion point is a
 * queue with PathMarkingQueueDisc. Defaults are the paper's for 40 Gbit/s.
 */
class RoceDcqcn : public RoceCongestionOps
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceDcqcn();
    ~RoceDcqcn() override;

    void Start(double line) override;
    double GetRate(Time now) override;
    Time GetPeriod() const override;
    Time GetCnpInterval() const override;
    void NotifySent(Time now, uint32_t octets) override;
    void NotifyCnp(Time now) override;

    double GetAlpha() const; //!< Get the estimate of the congestion, after Start(). @return 0 to 1

  private:
    double m_gain;                          //!< see Gain
    Time m_alphaTimer;                      //!< see AlphaTimer
    Time m_increaseTimer;                   //!< see IncreaseTimer
    uint64_t m_byteCounter;                 //!< see ByteCounter
    uint32_t m_fastRecovery;                //!< see FastRecovery
    DataRate m_additive;                    //!< see AdditiveIncrease
    DataRate m_hyper;                       //!< see HyperIncrease
    DataRate m_minRate;                     //!< see MinRate
    Time m_cnpInterval;                     //!< see CnpInterval
    std::unique_ptr<RoceDcqcnRate> m_point; //!< reaction point
};

} // namespace ns3

#endif // ROCE_DCQCN_H
