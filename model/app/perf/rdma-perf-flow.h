/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_FLOW_H
#define RDMA_PERF_FLOW_H

#include "rdma-perf-record.h"
#include "rdma-perf-test.h"

#include "ns3/rdma-flow.h"

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
class RdmaPerfFlow : public RdmaFlow
{
  public:
    /**
     * @brief Make one end.
     * @param rxDepth receives to post
     * @param test the test, at the client; the server learns it from the client
     */
    explicit RdmaPerfFlow(uint32_t rxDepth, const RdmaPerfParameters& test = {});

    void Start(); //!< Begin to send, or to send messages of the record's next size

    void PostOnRequest(); //!< Let somebody else say when messages of a bandwidth test are posted
    bool HasRoom() const; //!< Tell whether a message can be posted. @return true if PostNext() may
    void PostNext();      //!< Post the next message, where PostOnRequest() was called

  private:
    RdmaPerfRecord::Direction GetOwn() const;  //!< @return direction of this end's work
    RdmaPerfRecord::Direction GetPeer() const; //!< @return direction of the peer's work

    // RdmaFlow
    std::string Open() override;
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleReady() override;
    void HandleCompletion(const RdmaCompletion& completion) override;
    void HandleIdle() override;
    void HandleVisible(RdmapOpcode opcode, uint64_t octets) override;

    /// A message was received. @param completion of its receive
    void HandleReceive(const RdmaCompletion& completion);
    uint64_t GetRoom() const;    //!< @return messages to post now
    void Fill();                 //!< post while there is room
    void Exchange();             //!< post the next message of a latency test
    void Answered();             //!< a latency test's answer is there
    void Prepare(bool signaled); //!< make m_request the next message @param signaled report it
    bool Post(bool signaled); //!< post a message @param signaled report it @return false on failure
    /// Post messages together. @param count of them @return false on failure
    bool PostChain(uint64_t count);
    bool HasPosted(int error); //!< @param error of posting @return false after a failure
    void PostReceive();        //!< post a receive
    bool SendCredit();         //!< tell the peer of receives to use @return false if it cannot now

    RdmaPerfParameters m_test;            //!< the test
    RdmaPerfParameters m_peer;            //!< what the peer says
    Ptr<RdmaPerfRecord> m_record;         //!< where to write
    uint32_t m_rxDepth;                   //!< receives posted
    uint32_t m_slots{0};                  //!< of the send queue
    Ptr<RdmaMemoryRegion> m_memory;       //!< messages
    Ptr<RdmaMemoryRegion> m_credits;      //!< where the peer's credits go
    RdmaSendRequest m_request;            //!< as each message is posted
    std::vector<RdmaSendRequest> m_chain; //!< as messages are posted together
    RdmaReceiveRequest m_receive;         //!< as each receive is posted

    bool m_led{false};       //!< PostOnRequest() was called
    bool m_running{false};   //!< Start() was called
    uint64_t m_limit{0};     //!< messages to post, as of the last Start()
    uint64_t m_answering{0}; //!< server: limit of which Start() is under way
    uint64_t m_posted{0};    //!< messages posted
    uint64_t m_completed{0}; //!< of these, known to have completed
    uint32_t m_untold{0};    //!< receives that the peer does not know of yet
    uint64_t m_told{0};      //!< times that the peer was told of some
    bool m_waiting{false};   //!< latency tests: the next message waits for a slot
    uint64_t m_peerTaken{0}; //!< messages that the peer has taken
    Time m_sentAt;           //!< latency tests: when the last message was posted
};

} // namespace ns3

#endif // RDMA_PERF_FLOW_H
