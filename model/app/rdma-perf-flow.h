/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_FLOW_H
#define RDMA_PERF_FLOW_H

#include "rdma-perf-record.h"
#include "rdma-perf-test.h"

#include "ns3/callback.h"
#include "ns3/ptr.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One end of one queue pair of a perftest: its connection, memory and work.
 *
 * Sends of send_bw go out only as far as the peer has said that it has posted receives, since a
 * Send without a receive ends an iWARP connection: it writes a few octets whenever half of them are
 * free again (perftest has such credits, too).
 */
class RdmaPerfFlow : public SimpleRefCount<RdmaPerfFlow>
{
  public:
    /// Something happened to a flow. @param flow it @param reason for people
    using FlowCallback = Callback<void, Ptr<RdmaPerfFlow>, const std::string&>;

    /**
     * @param parameters the test
     * @param client true at the client, false at the server
     * @param record where to write down what happens
     */
    RdmaPerfFlow(const RdmaPerfParameters& parameters, bool client, Ptr<RdmaPerfRecord> record);
    ~RdmaPerfFlow();
    RdmaPerfFlow(const RdmaPerfFlow&) = delete;
    RdmaPerfFlow& operator=(const RdmaPerfFlow&) = delete;

    /**
     * @param connected called when work may be posted
     * @param failed called if the connection fails, or work does
     * @param closed called when the connection is over
     */
    void SetCallbacks(FlowCallback connected, FlowCallback failed, FlowCallback closed);

    /**
     * @brief Make queue pair, completion queue and memory.
     * @param domain protection domain
     * @param rxDepth receives to post
     * @return "", or what the device refuses
     */
    std::string Open(Ptr<RdmaProtectionDomain> domain, uint32_t rxDepth);

    /**
     * @brief Client: connect.
     * @param connection a new connection
     * @param remote address of the server
     */
    void Connect(Ptr<RdmaConnection> connection, const Address& remote);

    /**
     * @brief Server: accept.
     * @param connection the connection that was asked for
     * @return "", or why it cannot be
     */
    std::string Accept(Ptr<RdmaConnection> connection);

    void Start();   //!< Begin to send, or to send messages of the record's next size
    void Stop();    //!< Send nothing more and end the connection
    void Release(); //!< Give queue pair and memory back, once the connection is over

    Ptr<RdmaQueuePair> GetQp() const; //!< @return its queue pair

  private:
    RdmaPerfRecord::Direction GetOwn() const;  //!< @return direction of this end's work
    RdmaPerfRecord::Direction GetPeer() const; //!< @return direction of the peer's work
    /// @return what to ask for, and in the private data what the peer is to know
    RdmaConnectionParameters GetConnectionParameters() const;

    void HandleEvent(Ptr<RdmaConnection> connection,
                     const RdmaConnectionEvent& event); //!< @param connection it @param event what
    /// Completions are there. @param cq the queue
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq);
    void HandleCompletion(const RdmaCompletion& completion); //!< @param completion one of them
    void HandleReceive(const RdmaCompletion& completion);    //!< @param completion of a receive
    /// RdmapStream's MessageVisible. @param opcode kind @param octets payload
    void HandleVisible(RdmapOpcode opcode, uint64_t octets);
    void Prepare(); //!< the peer is known: get ready to post, and hear of messages
    void Unwatch(); //!< hear of messages no more

    uint64_t GetRoom() const; //!< @return messages to post now
    void Fill();              //!< post while there is room
    void Exchange();          //!< post the next message of a latency test
    void Answered();          //!< a latency test's answer is there
    bool Post(bool signaled); //!< post a message @param signaled report it @return false on failure
    void PostReceive();       //!< post a receive
    void SendCredit();        //!< tell the peer of receives that it may use
    void Fail(const std::string& reason); //!< @param reason why

    RdmaPerfParameters m_test;          //!< the test
    RdmaPerfParameters m_peer;          //!< what the peer says
    bool m_client;                      //!< client or server
    Ptr<RdmaPerfRecord> m_record;       //!< where to write
    uint32_t m_rxDepth{0};              //!< receives posted
    FlowCallback m_connected;           //!< see SetCallbacks()
    FlowCallback m_failed;              //!< see SetCallbacks()
    FlowCallback m_closed;              //!< see SetCallbacks()
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain
    Ptr<RdmaCompletionQueue> m_cq;      //!< all completions
    Ptr<RdmaQueuePair> m_pair;          //!< queue pair
    Ptr<RdmaConnection> m_connection;   //!< connection
    Ptr<RdmaMemoryRegion> m_memory;     //!< messages
    Ptr<RdmaMemoryRegion> m_credits;    //!< where the peer's credits go
    RdmaSendRequest m_request;          //!< as each message is posted
    RdmaReceiveRequest m_receive;       //!< as each receive is posted

    bool m_running{false};   //!< Start() was called
    bool m_stopped{false};   //!< Stop() was called, or it has failed
    uint64_t m_limit{0};     //!< messages to post, as of the last Start()
    uint64_t m_answering{0}; //!< server: limit of which Start() is under way
    uint64_t m_posted{0};    //!< messages posted
    uint64_t m_completed{0}; //!< of these, known to have completed
    uint32_t m_untold{0};    //!< receives that the peer does not know of yet
    uint64_t m_peerTaken{0}; //!< messages that the peer has taken
    Time m_sentAt;           //!< latency tests: when the last message was posted
};

} // namespace ns3

#endif // RDMA_PERF_FLOW_H
