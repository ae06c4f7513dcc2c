/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_MPA_H
#define IWARP_WORKLOAD_MPA_H

#include "iwarp-workload-message.h"

#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Messages from MpaBulkSender to MpaSink.
 */
class IwarpMpaWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpMpaWorkload();
    ~IwarpMpaWorkload() override;

    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    void Finish(iwarp::MetricSet& metrics) override;

  protected:
  private:
    std::vector<Ptr<MpaBulkSender>> m_senders; //!< at the sending hosts
    std::vector<Ptr<MpaSink>> m_sinks;         //!< at the receiving hosts
};

} // namespace ns3

#endif // IWARP_WORKLOAD_MPA_H
