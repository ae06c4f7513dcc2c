/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_RDMA_H
#define IWARP_WORKLOAD_RDMA_H

#include "iwarp-workload.h"

#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Messages moved by RDMA Writes, RDMA Reads or Sends between RdmaBulkClient and
 * RdmaBulkServer. With Reads the client is at the receiving host.
 */
class RdmaWorkload : public Workload
{
  public:
    /// @param operation how messages are moved @param parameters the experiment; outlives this
    /// @param listener told of the flows
    RdmaWorkload(RdmaBulkOperation operation,
                 const IwarpScenarioParameters& parameters,
                 const FlowListener& listener);

    void Install(const Flow& flow) override;
    uint64_t GetOctets() const override;
    void Finish(std::vector<IwarpMetric>& metrics) override;

  private:
    RdmaBulkOperation m_operation;               //!< how messages are moved
    const IwarpScenarioParameters& m_parameters; //!< the experiment
    FlowListener m_listener;                     //!< told of the flows
    std::vector<Ptr<RdmaBulkClient>> m_clients;  //!< clients
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_RDMA_H
