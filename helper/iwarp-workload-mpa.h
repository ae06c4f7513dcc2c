/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_MPA_H
#define IWARP_WORKLOAD_MPA_H

#include "iwarp-workload.h"

#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Messages from MpaBulkSender to MpaSink.
 */
class MpaWorkload : public Workload
{
  public:
    /// @param parameters the experiment; outlives this @param listener told of the flows
    MpaWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener);

    void Install(const Flow& flow) override;
    uint64_t GetOctets() const override;
    void Finish(std::vector<IwarpMetric>& metrics) override;

  private:
    const IwarpScenarioParameters& m_parameters; //!< the experiment
    FlowListener m_listener;                     //!< told of the flows
    std::vector<Ptr<MpaBulkSender>> m_senders;   //!< senders
    std::vector<Ptr<MpaSink>> m_sinks;           //!< receivers
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_MPA_H
