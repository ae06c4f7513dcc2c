/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_FLOW_H
#define RDMA_BULK_FLOW_H

#include "ns3/callback.h"
#include "ns3/ptr.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdmap-header.h"
#include "ns3/simple-ref-count.h"

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

    std::vector<uint8_t> Encode() const; //!< @return octets for private data

    /**
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
 * All messages go to, or come from, address 0 of a virtual region as long as the longest message.
 * A Send without a receive ends an iWARP connection, so the client sends only as many as the server
 * keeps receives for; the server tells of a quarter of its receives at a time that they were taken,
 * by an RDMA Write of no octets. Its arrival counts, in the order of the stream; octets in memory
 * could be those of an earlier one that was sent again.
 */
class RdmaBulkFlow : public SimpleRefCount<RdmaBulkFlow>
{
  public:
    /// Something happened. @param flow to whom
    using FlowCallback = Callback<void, Ptr<RdmaBulkFlow>>;
    /// The connection ended early. @param flow which @param reason for people
    using FailureCallback = Callback<void, Ptr<RdmaBulkFlow>, const std::string&>;
    /// A message is complete at this end. @param flow which @param size octets
    using MessageCallback = Callback<void, Ptr<RdmaBulkFlow>, uint64_t>;

    /// Whom an end tells; each is called in an event of the simulation
    struct Listener
    {
        FlowCallback established; //!< work may be posted
        FlowCallback room;        //!< GetRoom() may have grown
        MessageCallback message;  //!< a message has come
        FailureCallback failed;   //!< the connection ended early
        FlowCallback closed;      //!< it is over
    };

    /**
     * @param client true at the client, false at the server
     * @param operation what the client does
     * @param depth messages posted at once (client), receives (server); at least 1
     * @param listener told of what happens
     */
    RdmaBulkFlow(bool client,
                 RdmaBulkOperation operation,
                 uint32_t depth,
                 const Listener& listener);
    ~RdmaBulkFlow();
    RdmaBulkFlow(const RdmaBulkFlow&) = delete;
    RdmaBulkFlow& operator=(const RdmaBulkFlow&) = delete;

    /// Make memory, completion queue and queue pair. @param domain where
    /// @return "", or what the device refuses
    std::string Open(Ptr<RdmaProtectionDomain> domain);
    /// Client: connect. @param connection a new one @param remote the server
    void Connect(Ptr<RdmaConnection> connection, const Address& remote);
    /// Server: accept. @param connection what was asked for @param hello the client's
    /// @return "", or why it cannot be
    std::string Accept(Ptr<RdmaConnection> connection, const RdmaBulkHello& hello);

    uint32_t GetRoom() const;         //!< @return messages that may be posted now
    uint32_t GetPending() const;      //!< @return messages posted and not complete at this end
    void Post(uint32_t size);         //!< Post a message; there is room. @param size octets
    void Finish();                    //!< Post nothing more: end when all is done
    void Release();                   //!< Give everything back, once the connection is over
    void Detach();                    //!< Hear nothing more, because the simulation ends
    Ptr<RdmaQueuePair> GetQp() const; //!< @return its queue pair

  private:
    void HandleEvent(Ptr<RdmaConnection> connection,
                     const RdmaConnectionEvent& event);      //!< @param connection @param event
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq);     //!< @param cq has completions
    void HandleVisible(RdmapOpcode opcode, uint64_t octets); //!< RdmapStream, MessageVisible
    void TakeCredit(); //!< the server has taken a batch of Sends
    /// Tell the client that a batch of Sends was taken. @return false if there is no room
    bool SendCredit();
    /// @param receives of the server @return Sends that a credit stands for
    static uint32_t GetBatch(uint32_t receives);
    void Start();                         //!< the connection is there
    void Fail(const std::string& reason); //!< @param reason why it ends early

    bool m_client;                      //!< client or server
    RdmaBulkHello m_own;                //!< what this end says
    RdmaBulkHello m_peer;               //!< what the other says
    uint32_t m_depth;                   //!< messages posted at once, or receives
    Listener m_listener;                //!< told of what happens
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain
    Ptr<RdmaMemoryRegion> m_memory;     //!< messages
    Ptr<RdmaCompletionQueue> m_cq;      //!< all completions
    Ptr<RdmaQueuePair> m_pair;          //!< queue pair
    Ptr<RdmaConnection> m_connection;   //!< connection
    uint64_t m_posted{0};               //!< messages posted
    uint64_t m_completed{0};            //!< of these, complete at this end
    uint64_t m_taken{0};                //!< Sends taken by this end
    uint64_t m_told{0};                 //!< of these, told to the peer
    uint64_t m_peerTaken{0};            //!< Sends that the peer has taken
    bool m_over{false};                 //!< it ends, or has ended
};

} // namespace ns3

#endif // RDMA_BULK_FLOW_H
