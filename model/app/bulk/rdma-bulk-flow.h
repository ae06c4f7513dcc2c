/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_FLOW_H
#define RDMA_BULK_FLOW_H

#include "ns3/callback.h"
#include "ns3/rdma-flow.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief How the messages of RdmaBulkClient are moved.
enum class RdmaBulkOperation : uint8_t
{
    WRITE, //!< RDMA Writes to the server
    READ,  //!< RDMA Reads from the server
    SEND,  //!< Sends to the server
};

/**
 * @ingroup iwarp-app
 * @brief What the client's Request and the server's Reply carry as private data.
 */
struct RdmaBulkHello
{
    static constexpr uint32_t SIZE = 16; //!< octets of private data

    RdmaBulkOperation operation{RdmaBulkOperation::WRITE}; //!< what the client does
    uint32_t receives{0}; //!< receives that the server keeps posted for Sends
    uint32_t key{0};      //!< STag of the sender's memory

    std::vector<uint8_t> Encode() const; //!< Write what it says as private data. @return octets

    /**
     * @brief Read it from private data.
     * @param octets private data
     * @param [out] hello what they say
     * @return false if they are not those of these applications
     */
    static bool Decode(const std::vector<uint8_t>& octets, RdmaBulkHello& hello);
};

/**
 * @ingroup iwarp-app
 * @brief One end of the queue pair of an RdmaBulkClient and an RdmaBulkServer.
 *
 * All messages go to, or come from, address 0 of a region as long as the longest message.
 * A Send without a receive ends an iWARP connection, so the client sends only as many as the server
 * keeps receives for; the server tells of a quarter of its receives at a time that they were taken,
 * by an RDMA Write of no octets. Its arrival counts, in the order of the stream; octets in memory
 * could be those of an earlier one that was sent again.
 */
class RdmaBulkFlow : public RdmaFlow
{
  public:
    /// GetRoom() may have grown.
    using RoomCallback = Callback<void>;
    /// A message is complete at this end. @param pair its queue pair @param size octets
    using MessageCallback = Callback<void, Ptr<RdmaQueuePair>, uint64_t>;

    /**
     * @brief The client's end.
     * @param operation how messages are moved
     * @param depth messages posted at once, at least 1
     * @param message called for each RDMA Read that is complete
     * @param room called when more may be posted
     */
    RdmaBulkFlow(RdmaBulkOperation operation,
                 uint32_t depth,
                 MessageCallback message,
                 RoomCallback room);

    /**
     * @brief The server's end.
     * @param receives receives posted for the client's Sends, at least 1
     * @param message called for each RDMA Write and Send that is complete
     */
    RdmaBulkFlow(uint32_t receives, MessageCallback message);

    uint32_t GetRoom() const; //!< Count the messages that may be posted now. @return messages
    /// Count the messages posted and not complete at this end. @return messages
    uint32_t GetPending() const;
    void Post(uint32_t size); //!< Post a message; there is room. @param size octets

  private:
    // RdmaFlow
    std::string Open() override;
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleReady() override;
    void HandleCompletion(const RdmaCompletion& completion) override;
    void HandleIdle() override;
    void HandleVisible(RdmapOpcode opcode, uint64_t octets) override;

    void PostReceive(); //!< post a receive
    /// Tell the client that a batch of Sends was taken. @return false if there is no room
    bool SendCredit();
    /// @param receives of the server @return Sends that a credit stands for
    static uint32_t GetBatch(uint32_t receives);

    RdmaBulkHello m_own;            //!< what this end says
    RdmaBulkHello m_peer;           //!< what the other says
    uint32_t m_depth;               //!< messages posted at once, or receives
    MessageCallback m_message;      //!< called for messages
    RoomCallback m_room;            //!< client: called when there is room
    Ptr<RdmaMemoryRegion> m_memory; //!< messages
    uint64_t m_posted{0};           //!< messages posted
    uint64_t m_completed{0};        //!< of these, complete at this end
    uint64_t m_taken{0};            //!< Sends taken by this end
    uint64_t m_told{0};             //!< of these, told to the peer
    uint64_t m_peerTaken{0};        //!< Sends that the peer has taken
};

} // namespace ns3

#endif // RDMA_BULK_FLOW_H
