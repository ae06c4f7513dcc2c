/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_CLIENT_H
#define RDMA_BULK_CLIENT_H

#include "rdma-bulk-flow.h"

#include "ns3/app-message-source.h"
#include "ns3/rdma-application.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Moves messages of drawn sizes over a queue pair, by RDMA Writes, RDMA Reads or Sends.
 *
 * The counterpart over verbs of MpaBulkSender; see RdmaBulkServer. With RDMA Reads the payload
 * comes to this application, otherwise it goes to the server.
 */
class RdmaBulkClient : public RdmaApplication, private iwarp::MessageSource::User
{
  public:
    /// Signature of MessagePosted and MessageReceived. @param message its number, from 0
    /// @param size octets
    typedef void (*MessageTracedCallback)(uint32_t message, uint64_t size);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaBulkClient();
    ~RdmaBulkClient() override;

    int64_t AssignStreams(int64_t stream) override;

    /**
     * @brief Post no more than so many messages, until another call allows more. Without a call
     * there is no such limit; unlike MaxMessages it does not end the connection.
     * @param messages from the first one on
     */
    void Allow(uint64_t messages);

    /// Post a message as soon as QueueDepth allows, besides those that are drawn from MessageSizes
    /// and whatever their limits. @param size octets, 1 to 0xFFFFFFFF
    void Post(uint64_t size);

    /// Tell whether there is more to post. @return false when MaxOctets or MaxMessages are posted
    bool MayPost() const;

    uint64_t GetMessagesPosted() const; //!< Count the messages posted. @return messages
    /// Count the messages that found QueueDepth messages posted. @return messages
    uint64_t GetMessagesRefused() const;
    uint64_t GetOctetsPosted() const; //!< Count the payload of the messages posted. @return octets
    /// Tell whether all is posted, and complete at this end. @return true then
    bool IsFinished() const;
    /// Get the queue pair. @return it; nullptr while there is none
    Ptr<RdmaQueuePair> GetQp() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;
    // RdmaFlow::Owner
    void HandleConnected(Ptr<RdmaFlow> flow) override;
    void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) override;

    /// An RDMA Read is complete. @param pair its queue pair @param octets its payload
    void HandleMessage(Ptr<RdmaQueuePair> pair, uint64_t octets);

    void Fill(); //!< post while there is room, and end when nothing is left

    Address m_remote;              //!< where the server listens
    RdmaBulkOperation m_operation; //!< how messages are moved
    iwarp::MessageSource m_source; //!< messages
    Ptr<RdmaBulkFlow> m_flow;      //!< its end of the queue pair
    uint64_t m_received{0};        //!< Reads complete
    bool m_finished{false};        //!< all is done

    TracedCallback<uint32_t, uint64_t> m_postedTrace;   //!< MessagePosted
    TracedCallback<uint32_t, uint64_t> m_receivedTrace; //!< MessageReceived
};

} // namespace ns3

#endif // RDMA_BULK_CLIENT_H
