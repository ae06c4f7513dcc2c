/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERFTEST_CONTROL_H
#define RDMA_PERFTEST_CONTROL_H

#include "perftest-exchange.h"
#include "rdma-perf-record.h"
#include "rdma-perftest-flow.h"

#include "ns3/callback.h"
#include "ns3/ddp-memory.h"
#include "ns3/nstime.h"
#include "ns3/rdma-flow.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One end of a test by perftest's own exchange: the connection over which parameters are
 * told, which has the one that is measured made, begun and ended.
 */
class RdmaPerftestControl : public RdmaFlow
{
  public:
    /// What an end of a test wants to know, and how it goes about it.
    struct Settings
    {
        bool server{false};  //!< this end is the server
        uint32_t rxDepth{1}; //!< receives posted on the connection that is measured
        uint64_t warmUp{0};  //!< messages that do not count
        bool peak{false};    //!< find the peak
        Time delay;          //!< client: from a connection's setup to the first message over it
    };

    /// Make an end. @param test the test, as this end is to run it @param settings of the end
    RdmaPerftestControl(const RdmaPerfParameters& test, const Settings& settings);
    ~RdmaPerftestControl() override;

    /**
     * @brief Hear of the test.
     * @param connect client: called when the connection of MakeMeasured() is to be made
     * @param finished called when the exchange is over; the client ends both connections soon
     */
    void SetCallbacks(Callback<void> connect, Callback<void> finished);

    /// Make this end of the second connection; of one that is not due it makes one that refuses.
    /// @return a new flow
    Ptr<RdmaPerftestFlow> MakeMeasured();

    bool IsFinished() const; //!< Tell whether the exchange is over. @return true then
    /// Get what this end has measured, once finished. @return report; without iterations if it is
    /// the server of a test in which a server sees nothing
    const RdmaPerfReport& GetReport() const;

    bool Has(Ptr<RdmaFlow> flow) const; //!< @param flow a connection @return true of both of these
    void End();                         //!< End both connections.
    void DetachAll();                   //!< Detach() both connections.

  private:
    // RdmaFlow
    bool IsPatient() const override;
    std::string Open() override;
    RdmaConnectionParameters GetParameters() const override;
    std::string HandlePeer(const std::vector<uint8_t>& privateData) override;
    void HandleReady() override;
    void HandleCompletion(const RdmaCompletion& completion) override;

    bool IsSeen() const;   //!< @return true if this end sees the messages of the test
    void HandleMeasured(); //!< the second connection is there
    void HandleOver();     //!< this end's part of the test is over
    /// Go on once TCP has all octets of the test acknowledged: RDMA Writes are over here before
    /// that, and what goes over the first connection must not overtake them. @param next called
    /// then
    void AwaitDelivery(void (RdmaPerftestControl::*next)());
    void Advance();     //!< go on behind the test
    void Leave();       //!< end both connections soon
    void Proceed();     //!< do what the step at hand asks for
    void Finish();      //!< nothing more is to come
    void PostReceive(); //!< post a receive
    void SendMessage(); //!< send this end's message of the step at hand
    void HandleClient(const std::vector<uint8_t>& octets); //!< answer @param octets of a message
    void HandleLate();                                     //!< server: not all messages have come

    RdmaPerfParameters m_test;        //!< test
    Settings m_settings;              //!< of this end
    PerftestExchange m_exchange;      //!< where it is
    Ptr<RdmaPerfRecord> m_record;     //!< what this end sees
    Ptr<RdmaPerftestFlow> m_measured; //!< second connection
    Ptr<DdpMemory> m_content;         //!< of m_messages
    Ptr<RdmaMemoryRegion> m_messages; //!< a message that comes, and one that goes
    std::vector<uint8_t> m_held;      //!< server: message that waits for the end of the test
    bool m_testOver{false};           //!< this end's part of the test is over
    bool m_finished{false};           //!< nothing more is to come
    RdmaPerfReport m_report;          //!< what was measured
    Callback<void> m_connect;         //!< the second connection is to be made
    Callback<void> m_done;            //!< the exchange is over
};

} // namespace ns3

#endif // RDMA_PERFTEST_CONTROL_H
