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

  protected:
    static constexpr uint32_t CELL = 4; //!< octets of a credit
    static constexpr uint32_t ACCESS =
        DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE; //!< rights to them

    void HandleReady() override;
    void HandleCompletion(const RdmaCompletion& completion) override;
    void HandleIdle() override;

    virtual void MakeMemory(); //!< Make m_memory and m_credits.
    /// Make m_request the next message. @param signaled report its completion
    virtual void Prepare(bool signaled);
    /// Tell whether this end sees its messages end. @return true if they end with their completion
    virtual bool EndsAtCompletion() const;
    /// Tell whether the peer is to hear of receives. @return true if it is time to SendCredit()
    virtual bool OwesCredit() const;
    virtual bool SendCredit(); //!< Tell the peer of receives. @return false if it cannot now
    /// A message was received. @param completion of its receive
    virtual void HandleReceive(const RdmaCompletion& completion);

    void Arm();      //!< Have messages to post from now on, but not yet.
    void Fill();     //!< Post while there is room.
    void Answered(); //!< A latency test's answer is there.
    /// Write m_credits to the peer. @param address TO @param key STag @return false if it cannot
    bool PostCredit(uint64_t address, uint32_t key);

    RdmaPerfParameters m_test;       //!< the test
    RdmaPerfParameters m_peer;       //!< what the peer says
    Ptr<RdmaPerfRecord> m_record;    //!< where to write
    uint32_t m_rxDepth;              //!< receives posted
    Ptr<RdmaMemoryRegion> m_memory;  //!< messages
    Ptr<RdmaMemoryRegion> m_credits; //!< where the peer's credits go
    uint64_t m_source{0};            //!< where in m_memory messages are sent from
    RdmaSendRequest m_request;       //!< as each message is posted
    uint64_t m_limit{0};             //!< messages to post, or to come, of each end
    uint64_t m_posted{0};            //!< messages posted
    uint64_t m_completed{0};         //!< of these, known to have completed
    uint32_t m_untold{0};            //!< receives that the peer does not know of yet
    uint64_t m_peerTaken{0};         //!< messages that the peer has taken

  private:
    RdmaPerfRecord::Direction GetOwn() const;  //!< @return direction of this end's work
    RdmaPerfRecord::Direction GetPeer() const; //!< @return direction of the peer's work

    // RdmaFlow
    std::string Open() override;
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleVisible(RdmapOpcode opcode, uint64_t octets) override;

    uint64_t GetRoom() const; //!< @return messages to post now
    void Exchange();          //!< post the next message of a latency test
    bool Post(bool signaled); //!< post a message @param signaled report it @return false on failure
    /// Post messages together. @param count of them @return false on failure
    bool PostChain(uint64_t count);
    bool HasPosted(int error); //!< @param error of posting @return false after a failure
    void PostReceive();        //!< post a receive

    uint32_t m_slots{0};                  //!< of the send queue
    std::vector<RdmaSendRequest> m_chain; //!< as messages are posted together
    RdmaReceiveRequest m_receive;         //!< as each receive is posted

    bool m_led{false};       //!< PostOnRequest() was called
    bool m_running{false};   //!< Arm() was called
    uint64_t m_answering{0}; //!< server: limit of which Start() is under way
    uint64_t m_told{0};      //!< times that the peer was told of receives
    bool m_waiting{false};   //!< latency tests: the next message waits for a slot
    Time m_sentAt;           //!< latency tests: when the last message was posted
};

} // namespace ns3

#endif // RDMA_PERF_FLOW_H
