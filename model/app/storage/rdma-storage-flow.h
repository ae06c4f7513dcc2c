/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_FLOW_H
#define RDMA_STORAGE_FLOW_H

#include "rdma-storage-message.h"

#include "ns3/rdma-flow.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One end of a storage connection: sends and receives requests and responses, moves data.
 *
 * Headers are in memory with octets, data in virtual memory: each tag has 2^32 octets of it, so
 * that a request of any size fits.
 */
class RdmaStorageFlow : public RdmaFlow
{
  public:
    /// Make one end. @param terms at the client what to ask for, at the server the most that it
    /// grants
    explicit RdmaStorageFlow(const RdmaStorageTerms& terms);

    /// Get what both ends have agreed on, once connected. @return terms
    const RdmaStorageTerms& GetTerms() const;
    uint32_t GetKey() const; //!< Get the STag of the data. @return STag
    /// Get where data are. @param tag of the request @return TO
    static uint64_t GetAddress(uint32_t tag);

    /**
     * @brief Send a message; that it cannot be posted ends the connection.
     * @param message header
     * @param withData its data go in the Send
     */
    void Send(const RdmaStorageMessage& message, bool withData);

    /**
     * @brief Move a request's data by RDMA; that it cannot be posted ends the connection.
     * @param opcode RDMA_READ, of which HandleRead() tells when it is done, or RDMA_WRITE
     * @param message the request
     */
    void Move(RdmaOpcode opcode, const RdmaStorageMessage& message);

  protected:
    std::string Open() override;

  private:
    // RdmaFlow
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleCompletion(const RdmaCompletion& completion) override;

    /// The peer has sent a message. @param message request or response, of a tag within the terms
    virtual void HandleMessage(const RdmaStorageMessage& message) = 0;
    /// An RDMA Read of Move() is done. @param tag its request
    virtual void HandleRead(uint32_t tag);

    /// Post work, and signal it now and then. @param request it
    void Post(RdmaSendRequest& request);
    void PostReceive(uint32_t slot); //!< post a receive @param slot its place

    /**
     * @brief Read what was received, and post the receive again.
     * @param completion a receive
     * @param [out] message its header
     * @return false if it is none, or inline data are not as long as it says
     */
    bool Receive(const RdmaCompletion& completion, RdmaStorageMessage& message);

    RdmaStorageTerms m_terms;         //!< what memory and queue pair are made for
    RdmaStorageTerms m_granted;       //!< what both have agreed on
    Ptr<RdmaMemoryRegion> m_sent;     //!< headers that are sent, by tag
    Ptr<RdmaMemoryRegion> m_received; //!< headers that are received, by receive
    Ptr<RdmaMemoryRegion> m_inline;   //!< inline data that are received, by receive
    Ptr<RdmaMemoryRegion> m_data;     //!< data by tag
    uint64_t m_posted{0};             //!< work requests posted
    uint32_t m_signalEvery{1};        //!< one in so many of these is signaled
};

} // namespace ns3

#endif // RDMA_STORAGE_FLOW_H
