/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_RDMA_H
#define IWARP_WORKLOAD_RDMA_H

#include "iwarp-workload-open-loop.h"

#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief The applications of a flow over a queue pair.
struct RdmaPair
{
    Ptr<RdmaBulkClient> client; //!< posts the messages
    Ptr<RdmaBulkServer> server; //!< its peer
};

/**
 * @ingroup iwarp-helper
 * @brief Install client and server of a flow, and have a collector follow it.
 * @param flow it
 * @param listener who is told of it
 * @param operation how messages are moved: with RDMA Reads the client is at the receiving host
 * @param backed messages have content
 * @return both, the client without messages and start
 */
RdmaPair InstallRdmaPair(const IwarpWorkload::Flow& flow,
                         const FlowListener& listener,
                         RdmaBulkOperation operation,
                         bool backed);

/// @ingroup iwarp-helper
/// @brief Report what only the applications know, when the simulation is over. @param pair them
/// @param metrics where to add
void ReportRdmaPair(const RdmaPair& pair, MetricSet& metrics);

} // namespace iwarp

/**
 * @ingroup iwarp-helper
 * @brief Base class of workloads that move messages between RdmaBulkClient and RdmaBulkServer.
 */
class IwarpRdmaWorkload : public IwarpOpenLoopWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    ~IwarpRdmaWorkload() override;

    std::string CheckRanks() const override;
    bool EndsWithAck() const override;

  protected:
    /// @param operation how messages are moved
    explicit IwarpRdmaWorkload(RdmaBulkOperation operation);

    void InstallFlow(const Flow& flow, const iwarp::FlowListener& listener) override;
    void FinishFlows(iwarp::MetricSet& metrics) override;
    void Count(iwarp::MetricSet& counts) const override;
    Ptr<iwarp::MessageCarrier> MakeCarrier(const Flow& flow,
                                           const iwarp::FlowListener& listener,
                                           iwarp::MessageCarrier::Kind kind,
                                           iwarp::MessageCarrier::User& user) override;

    /// Change a client before it is installed. @param client of a flow, else complete
    virtual void Prepare(Ptr<RdmaBulkClient> client);

  private:
    RdmaBulkOperation m_operation;        //!< how messages are moved
    std::vector<iwarp::RdmaPair> m_pairs; //!< flows
};

/**
 * @ingroup iwarp-helper
 * @brief Messages moved by RDMA Writes.
 */
class IwarpRdmaWriteWorkload : public IwarpRdmaWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpRdmaWriteWorkload();
};

/**
 * @ingroup iwarp-helper
 * @brief Messages moved by RDMA Reads. The client is at the receiving host.
 */
class IwarpRdmaReadWorkload : public IwarpRdmaWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpRdmaReadWorkload();
};

/**
 * @ingroup iwarp-helper
 * @brief Messages moved by Sends.
 */
class IwarpSendWorkload : public IwarpRdmaWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpSendWorkload();
};

} // namespace ns3

#endif // IWARP_WORKLOAD_RDMA_H
