/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_SERVER_H
#define RDMA_BULK_SERVER_H

#include "ns3/rdma-server-application.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Serves any number of RdmaBulkClients: takes their RDMA Writes and Sends, answers their
 * RDMA Reads.
 */
class RdmaBulkServer : public RdmaServerApplication
{
  public:
    /// Signature of MessageReceived. @param pair its queue pair @param size octets
    typedef void (*MessageTracedCallback)(Ptr<RdmaQueuePair> pair, uint64_t size);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaBulkServer();
    ~RdmaBulkServer() override;

    /// Count the RDMA Writes and Sends that are complete. @return messages
    uint64_t GetMessages() const;
    uint64_t GetOctets() const; //!< Count the payload of these. @return octets

  private:
    Ptr<RdmaFlow> MakeFlow() override;

    /// A message is complete. @param pair its queue pair @param octets its payload
    void HandleMessage(Ptr<RdmaQueuePair> pair, uint64_t octets);

    uint32_t m_receives{0}; //!< receives posted for Sends
    uint64_t m_messages{0}; //!< messages complete
    uint64_t m_octets{0};   //!< octets of these

    TracedCallback<Ptr<RdmaQueuePair>, uint64_t> m_receivedTrace; //!< MessageReceived
};

} // namespace ns3

#endif // RDMA_BULK_SERVER_H
