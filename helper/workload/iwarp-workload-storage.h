/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_STORAGE_H
#define IWARP_WORKLOAD_STORAGE_H

#include "iwarp-workload-message.h"

#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Requests of RdmaStorageClient at the sending host to RdmaStorageServer at the receiving
 * one: writes go the way of the flow, reads the other way.
 */
class IwarpStorageWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpStorageWorkload();
    ~IwarpStorageWorkload() override;

    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    int64_t CountStreams() const override;
    std::string Check() const override;
    bool IsShared() const override;
    bool NeedsAllFlows() const override;
    bool IsBothWays() const override;
    void Restart() override;
    void Finish(iwarp::MetricSet& metrics) override;

  private:
    double m_readShare;                            //!< share of requests that read
    uint32_t m_inlineThreshold;                    //!< most octets in a Send
    std::vector<Ptr<RdmaStorageClient>> m_clients; //!< clients
    std::vector<Ptr<RdmaStorageServer>> m_servers; //!< servers
};

} // namespace ns3

#endif // IWARP_WORKLOAD_STORAGE_H
