/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_SERVER_H
#define RDMA_STORAGE_SERVER_H

#include "rdma-storage-message.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rdma-server-application.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The server of RdmaStorageClient applications. Storage takes any request at once and needs
 * ServiceTime for it, whatever else it does.
 */
class RdmaStorageServer : public RdmaServerApplication
{
  public:
    /// Signature of RequestServed. @param kind kind @param size octets of data
    typedef void (*ServedTracedCallback)(RdmaStorageKind kind, uint32_t size);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaStorageServer();
    ~RdmaStorageServer() override;

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetRequests() const; //!< Count the requests served. @return requests
    uint64_t GetOctets() const;   //!< Count the data of these. @return octets

  private:
    class Session; //!< one connection

    Ptr<RdmaFlow> MakeFlow() override;
    /// A response is sent. @param response it
    void CountServed(const RdmaStorageMessage& response);

    uint32_t m_queueDepth{0};                //!< most requests of a connection
    uint32_t m_inlineThreshold{0};           //!< most octets in a Send
    Ptr<RandomVariableStream> m_serviceTime; //!< seconds that a request takes
    uint64_t m_requests{0};                  //!< requests served
    uint64_t m_octets{0};                    //!< data of these

    TracedCallback<RdmaStorageKind, uint32_t> m_servedTrace; //!< RequestServed
};

} // namespace ns3

#endif // RDMA_STORAGE_SERVER_H
