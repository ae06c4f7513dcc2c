/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STORAGE_ENDPOINT_H
#define RDMA_STORAGE_ENDPOINT_H

#include "rdma-storage-message.h"

#include "ns3/callback.h"
#include "ns3/rdma-protection-domain.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Queue pair and memory of one end of a storage connection.
 *
 * Headers are in memory with octets, data in virtual memory: each tag has 2^32 octets of it, so
 * that a request of any size fits.
 */
class RdmaStorageEndpoint
{
  public:
    /// A completion. @param completion it
    using CompletionCallback = Callback<void, const RdmaCompletion&>;

    RdmaStorageEndpoint();
    ~RdmaStorageEndpoint();
    RdmaStorageEndpoint(const RdmaStorageEndpoint&) = delete;
    RdmaStorageEndpoint& operator=(const RdmaStorageEndpoint&) = delete;

    /**
     * @brief Make them and post all receives.
     * @param domain protection domain
     * @param terms most requests under way and octets of inline data
     * @param access rights of the peer to the data, bits of DdpAccess
     * @param callback called for each completion
     * @return "", or what the device refuses
     */
    std::string Open(Ptr<RdmaProtectionDomain> domain,
                     const RdmaStorageTerms& terms,
                     uint32_t access,
                     CompletionCallback callback);

    void Close(); //!< Give all back

    Ptr<RdmaQueuePair> GetQp() const;         //!< @return queue pair; nullptr when closed
    uint32_t GetKey() const;                  //!< @return STag of the data
    static uint64_t GetAddress(uint32_t tag); //!< @param tag tag @return TO of its data

    /**
     * @brief Send a message.
     * @param message header
     * @param withData its data go in the Send
     * @return 0 or an error number
     */
    int Send(const RdmaStorageMessage& message, bool withData);

    /**
     * @brief Move a request's data by RDMA.
     * @param opcode RDMA_READ, reported, or RDMA_WRITE, not reported
     * @param message the request
     * @return 0 or an error number
     */
    int Move(RdmaOpcode opcode, const RdmaStorageMessage& message);

    /**
     * @brief Read what was received, and post the receive again.
     * @param completion a receive
     * @param [out] message its header
     * @return false if it is none, or inline data are not as long as it says
     */
    bool Receive(const RdmaCompletion& completion, RdmaStorageMessage& message);

  private:
    void PostReceive(uint32_t slot); //!< post a receive @param slot its place
    /// Completions are there. @param cq the queue
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq);

    RdmaStorageTerms m_terms;           //!< requests and inline data
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain
    Ptr<RdmaCompletionQueue> m_cq;      //!< all completions
    Ptr<RdmaQueuePair> m_pair;          //!< queue pair
    Ptr<RdmaMemoryRegion> m_sent;       //!< headers that are sent, by tag
    Ptr<RdmaMemoryRegion> m_received;   //!< headers that are received, by receive
    Ptr<RdmaMemoryRegion> m_inline;     //!< inline data that are received, by receive
    Ptr<RdmaMemoryRegion> m_data;       //!< data by tag
    CompletionCallback m_callback;      //!< called for completions
};

} // namespace ns3

#endif // RDMA_STORAGE_ENDPOINT_H
