/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_NVME_H
#define IWARP_WORKLOAD_NVME_H

#include "iwarp-workload-message.h"

#include "ns3/nvme-host.h"
#include "ns3/nvme-target.h"
#include "ns3/type-id.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Requests of NvmeHost at the sending host to NvmeTarget at the receiving one: writes go the
 * way of the flow, reads the other way.
 */
class IwarpNvmeTcpWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpNvmeTcpWorkload();
    ~IwarpNvmeTcpWorkload() override;

    std::string Check() const override;
    std::vector<OwnSetting> ListOwnSettings() const override;
    bool IsShared() const override;
    bool NeedsAllFlows() const override;
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    int64_t CountStreams() const override;
    bool CountsInHost() const override;
    bool IsBothWays() const override;
    Headers GetHeaders(uint32_t ip, uint32_t tcp) const override;
    void Restart() override;
    void Finish(iwarp::MetricSet& metrics) override;

  protected:
    double GetMeanSize() const override; // in whole blocks

  private:
    uint32_t GetQueueSize() const; //!< @return entries of a queue, as targets allow
    /// Give an application what both ends have alike. @param application of a flow
    void ConfigureEnd(const Ptr<NvmeApplication>& application) const;

    double m_readShare;                     //!< see ReadShare
    uint32_t m_inCapsule;                   //!< see InCapsuleSize
    bool m_headerDigest;                    //!< see HeaderDigest
    bool m_dataDigest;                      //!< see DataDigest
    uint32_t m_queues;                      //!< see Queues
    bool m_admin;                           //!< see AdminQueue
    TypeId m_protocol;                      //!< see Protocol
    std::vector<Ptr<NvmeHost>> m_hosts;     //!< hosts
    std::vector<Ptr<NvmeTarget>> m_targets; //!< targets
};

} // namespace ns3

#endif // IWARP_WORKLOAD_NVME_H
