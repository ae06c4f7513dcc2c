/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERFTEST_FLOW_H
#define RDMA_PERFTEST_FLOW_H

#include "perftest-exchange.h"
#include "rdma-perf-flow.h"

#include "ns3/callback.h"
#include "ns3/ddp-memory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One end of the connection that is measured, as perftest's own programs have it: nothing is
 * told with it, where memory is comes by RdmaPerftestControl.
 *
 * Its memory has content. Credits are the number of messages that have come, and RDMA Writes of a
 * latency test count in their last octet; what comes is held against what is due. A record of its
 * own has what this end sees: its completions, and its round trips.
 */
class RdmaPerftestFlow : public RdmaPerfFlow
{
  public:
    /**
     * @brief Make one end.
     * @param rxDepth receives to post
     * @param test the test
     * @param buffer octets of memory that the peer may use
     * @param wanted false if the exchange asks for no connection now, so that it is refused
     */
    RdmaPerftestFlow(uint32_t rxDepth,
                     const RdmaPerfParameters& test,
                     uint32_t buffer,
                     bool wanted);

    /// Hear of the connection. @param ready called when it is there @param over called when all has
    /// been sent that this end sends, and all has come that it waits for
    void SetCallbacks(Callback<void> ready, Callback<void> over);

    /// Tell where this end's memory is, once the connection is there. @return what the peer is told
    PerftestDestination GetDestination() const;

    /// Begin the test, or wait for the peer to begin. @param peer where its memory is
    void Begin(const PerftestDestination& peer);

    /// Tell how many messages of the peer have come, in tests in which this end sees them.
    /// @return messages
    uint64_t GetCome() const;

    bool IsDelivered() const; //!< Tell whether TCP has all acknowledged. @return true then

  private:
    // RdmaFlow
    bool IsPatient() const override;
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleReady() override;
    void HandleIdle() override;
    void HandleVisible(RdmapOpcode opcode, uint64_t octets) override;

    // RdmaPerfFlow
    void MakeMemory() override;
    void Prepare(bool signaled) override;
    bool EndsAtCompletion() const override;
    bool OwesCredit() const override;
    bool SendCredit() override;
    void HandleReceive(const RdmaCompletion& completion) override;

    /// A message has come. @param octets of it @return "", or what is wrong with it
    std::string TakeMessage(uint64_t octets);
    /// An RDMA Write of write_lat has come. @param octets of it @return "", or what is wrong with
    /// it
    std::string TakeWrite(uint64_t octets);
    std::string TakeCredit(); //!< a credit has come @return "", or what is wrong with it
    void Answer();            //!< a write of a latency test has come
    void CheckOver();         //!< look whether all was sent and has come

    uint32_t m_buffer;         //!< octets of memory for the peer; as many are this end's
    bool m_wanted;             //!< the exchange asks for this connection
    Ptr<DdpMemory> m_content;  //!< of m_memory
    Ptr<DdpMemory> m_credit;   //!< of m_credits
    Callback<void> m_ready;    //!< the connection is there
    Callback<void> m_finished; //!< all was sent and has come
    uint64_t m_came{0};        //!< Sends, or RDMA Writes of a latency test, of the peer
};

} // namespace ns3

#endif // RDMA_PERFTEST_FLOW_H
