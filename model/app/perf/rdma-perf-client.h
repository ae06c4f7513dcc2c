/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_CLIENT_H
#define RDMA_PERF_CLIENT_H

#include "rdma-perf-flow.h"
#include "rdma-perf-report.h"
#include "rdma-perftest-control.h"

#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-application.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The tests of the perftest suite, against an RdmaPerfServer; options have perftest's names.
 *
 * It makes Qp connections, runs the test on all of them at once, ends them and has a report; with
 * All it does so with each size in turn, on the same connections, and has a report for each. Time
 * is simulated time. The server learns the options from the private data of the Request.
 *
 * With Exchange=Perftest it does as perftest's own programs: a first connection for parameters, a
 * second one that is measured, by what this end sees of it. The server may be one of these then.
 */
class RdmaPerfClient : public RdmaApplication
{
  public:
    /// Signature of the Finished trace. @param report what was measured, with All of the last size
    typedef void (*FinishedTracedCallback)(const RdmaPerfReport& report);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaPerfClient();
    ~RdmaPerfClient() override;

    bool IsFinished() const; //!< Tell whether the test ran to its end. @return true then
    /// Get what was measured, once finished. @return report; with All that of the last size
    const RdmaPerfReport& GetReport() const;
    /// Get what was measured so far. @return a report, or with All one for each size
    const std::vector<RdmaPerfReport>& GetReports() const;

    int64_t AssignStreams(int64_t stream) override;

    /// Check that the attributes go together; the test ends the program if they do not. @return ""
    /// or what is wrong, in words
    std::string Check() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    RdmaPerfParameters MakeParameters() const; //!< @return the test, as the attributes say
    std::string CheckPerftest() const;         //!< @return "", or what Exchange=Perftest refuses
    // RdmaFlow::Owner
    void HandleConnected(Ptr<RdmaFlow> flow) override;
    void HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason) override;
    void HandleClosed(Ptr<RdmaFlow> flow) override;

    void StartExchange();             //!< connect by perftest's exchange
    void ConnectMeasured();           //!< make the second connection
    void HandleExchanged();           //!< perftest's exchange is over
    void HandleEnded(uint64_t count); //!< messages have ended @param count how many
    void PostRandomly();              //!< post on queue pairs drawn at random, up to Window
    void StartFlows();                //!< begin to send messages of a size
    void HandleDone();                //!< all messages of a size have ended
    void StopFlows();                 //!< end all connections
    void CloseInTime();               //!< Duration is over

    Address m_remote;                       //!< where the server listens
    RdmaPerfTest m_test;                    //!< test
    uint32_t m_size{0};                     //!< octets of a message
    uint64_t m_iterations{0};               //!< messages a queue pair
    uint64_t m_warmUp{0};                   //!< messages a queue pair that do not count
    Time m_duration;                        //!< how long to send
    bool m_all{false};                      //!< all sizes
    uint32_t m_txDepth{0};                  //!< most sends posted
    uint32_t m_rxDepth{0};                  //!< receives posted
    uint32_t m_queuePairs{0};               //!< queue pairs
    bool m_bidirectional{false};            //!< both ends send
    uint32_t m_inlineSize{0};               //!< longest message sent inline
    uint32_t m_cqMod{0};                    //!< every so many sends are signaled
    uint32_t m_postList{0};                 //!< sends posted at a time
    uint32_t m_outs{0};                     //!< most Reads and Atomics under way
    RdmaPerfAtomic m_atomic;                //!< which Atomic
    bool m_noPeak{false};                   //!< do not look for the peak
    RdmaPerfOrder m_order;                  //!< which queue pair sends next
    uint32_t m_window{0};                   //!< messages under way, in random order
    RdmaPerfExchange m_exchange;            //!< how the server learns of the test
    Time m_firstDelay;                      //!< from a connection's setup to its first message
    Ptr<RdmaPerftestControl> m_control;     //!< perftest's exchange
    uint32_t m_tries{0};                    //!< connections that nobody listened for
    EventId m_again;                        //!< the next try
    Ptr<UniformRandomVariable> m_draw;      //!< draws queue pairs
    uint64_t m_left{0};                     //!< messages of this size to post, in random order
    uint64_t m_underWay{0};                 //!< of those posted, messages that have not ended
    EventId m_post;                         //!< PostRandomly()
    Ptr<RdmaPerfRecord> m_record;           //!< what happens
    std::vector<Ptr<RdmaPerfFlow>> m_flows; //!< queue pairs
    uint32_t m_connected{0};                //!< of these, connected
    bool m_finished{false};                 //!< the test ran to its end
    std::vector<RdmaPerfReport> m_reports;  //!< what was measured
    RdmaPerfReport m_last;                  //!< the last of these
    EventId m_end;                          //!< when Duration is over

    TracedCallback<const RdmaPerfReport&> m_finishedTrace; //!< Finished
};

} // namespace ns3

#endif // RDMA_PERF_CLIENT_H
