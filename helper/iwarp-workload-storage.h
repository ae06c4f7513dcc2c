/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_STORAGE_H
#define IWARP_WORKLOAD_STORAGE_H

#include "iwarp-workload.h"

#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Requests of RdmaStorageClient at the sending host to RdmaStorageServer at the receiving
 * one: writes go the way of the flow, reads the other way.
 */
class StorageWorkload : public Workload
{
  public:
    /// @param parameters the experiment; outlives this @param listener told of the flows
    StorageWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener);

    void Install(const Flow& flow) override;
    uint64_t GetOctets() const override;
    void Finish(std::vector<IwarpMetric>& metrics) override;

  private:
    const IwarpScenarioParameters& m_parameters;   //!< the experiment
    FlowListener m_listener;                       //!< told of the flows
    std::vector<Ptr<RdmaStorageClient>> m_clients; //!< clients
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_STORAGE_H
