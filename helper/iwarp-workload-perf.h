/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_PERF_H
#define IWARP_WORKLOAD_PERF_H

#include "iwarp-workload.h"

#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A test of the perftest suite on each flow, between RdmaPerfClient and RdmaPerfServer. In
 * tests that read the client is at the receiving host.
 */
class PerfWorkload : public Workload
{
  public:
    /// @param parameters the experiment; outlives this @param listener told of the flows
    PerfWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener);

    void Install(const Flow& flow) override;
    uint64_t GetOctets() const override;
    void Finish(std::vector<IwarpMetric>& metrics) override;
    std::string GetReport() const override;

  private:
    bool IsAll() const;        //!< @return whether it runs with all sizes
    uint32_t GetSize() const;  //!< @return octets of a message, if it does not
    uint64_t GetCount() const; //!< @return messages of a flow
    /// A client's Finished. @param collector its flow
    void Finished(Ptr<FlowCollector> collector, const RdmaPerfReport&);

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    FlowListener m_listener;                     //!< told of the flows
    std::vector<Ptr<RdmaPerfClient>> m_clients;  //!< clients
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_PERF_H
