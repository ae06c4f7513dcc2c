/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_MPA_H
#define IWARP_WORKLOAD_MPA_H

#include "iwarp-workload-open-loop.h"

#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Messages from MpaBulkSender to MpaSink.
 */
class IwarpMpaWorkload : public IwarpOpenLoopWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpMpaWorkload();
    ~IwarpMpaWorkload() override;

    std::string CheckRanks() const override;
    bool EndsWithAck() const override;

  protected:
    void InstallFlow(const Flow& flow, const iwarp::FlowListener& listener) override;
    void FinishFlows(iwarp::MetricSet& metrics) override;
    void Count(iwarp::MetricSet& counts) const override;
    Ptr<iwarp::MessageCarrier> MakeCarrier(const Flow& flow,
                                           const iwarp::FlowListener& listener,
                                           iwarp::MessageCarrier::Kind kind,
                                           iwarp::MessageCarrier::User& user) override;

  private:
    std::vector<Ptr<MpaBulkSender>> m_senders; //!< at the sending hosts
    std::vector<Ptr<MpaSink>> m_sinks;         //!< at the receiving hosts
};

} // namespace ns3

#endif // IWARP_WORKLOAD_MPA_H
