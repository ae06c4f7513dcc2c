/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_RUN_H
#define IWARP_SCENARIO_RUN_H

#include "iwarp-scenario-network.h"
#include "iwarp-scenario-parts.h"

#include "ns3/iwarp-flow-collector.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-part-run.h"
#include "ns3/iwarp-workload.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief One run of an IwarpScenario: builds the network and the workload, simulates, collects.
 *
 * It simulates the flows of the workload, and then, with PlainTcp, the same network, seeds and
 * octets over ns-3's BulkSendApplication and PacketSink, in a process of its own: if ns-3's TCP
 * fails or ends that, its metrics are missing and a caution says why.
 */
class IwarpScenarioRun
{
  public:
    /// Prepare a run. @param setup of the scenario, good by iwarp::ScenarioParts::Check(); outlives
    /// this
    explicit IwarpScenarioRun(const iwarp::ScenarioSetup& setup);

    std::string Run(); //!< Simulate, once. @return "", or why it failed
    /// Get the figures, after Run(). @return all results
    std::vector<AppMetric> GetMetrics() const;
    /// Get what a reader has to know. @return cautions, one line each
    const std::vector<std::string>& GetCautions() const;
    /// Tell what drew from which random streams. @return ranges, in ascending order
    const std::vector<iwarp::RandomStreams::Range>& GetRandomStreams() const;
    /// Get what the workload prints itself. @return its table, or ""
    std::string GetReport() const;

  private:
    /// What has become of a flow
    struct FlowState
    {
        uint64_t received{0}; //!< octets of its messages
        bool lost{false};     //!< its connection has ended before all of it came
    };

    /// What one simulation has, of the workload or of plain TCP
    struct Pass
    {
        bool tolerant{false};             //!< connections may end early
        std::vector<FlowState> states;    //!< of each flow
        uint32_t lost{0};                 //!< connections that have ended early
        std::string lostReason;           //!< why the first of them has
        uint64_t missing{0};              //!< octets that were still to come of these
        iwarp::FlowTotals totals;         //!< what traces say
        uint32_t flows{0};                //!< connections
        IwarpWorkload* workload{nullptr}; //!< what they carry
        uint64_t received{0};             //!< octets received
        uint32_t cold{0};                 //!< flows that are not warm yet
        std::function<void()> restart;    //!< counts anew when all are
        Time firstStart;                  //!< when the first flow starts
        Time begin;                       //!< from when on all counts
        Time last;                        //!< when the last octets came
        std::string error;                //!< why it failed
        std::string fault;                //!< why nothing of it holds
        bool stopped{false};              //!< the workload has said that all is over

        /// Tell how much is to come. @return octets; 0 is no limit
        uint64_t GetExpected() const;
        /// Tell whether all has come. @return so; never where there is no limit
        bool IsComplete() const;
        /// Tell how long it took. @return from begin to the last octets, seconds
        double GetSeconds() const;
        /// Tell how fast they were. @return payload over time, bit/s
        double GetGoodput() const;
        /// Tell for how long what reports it was watched. @param prefix of its metrics @return from
        /// begin to the end of the simulation
        iwarp::Collector::Period GetWatched(const std::string& prefix) const;
    };

    /// Add what plain TCP does, or a caution that says why not. @return "", or why nothing of it
    /// holds
    std::string ComparePlainTcp();
    /// Simulate plain TCP; throws std::runtime_error if that fails. @return a line that says why
    /// nothing of it holds; then its metrics, a line each: name and value
    std::string SimulatePlainTcp();
    /// Simulate once. @param pass what to fill @param workload what to send @param rdma it is not
    /// plain TCP: with RNICs and pcap files
    void Simulate(Pass& pass, IwarpWorkload& workload, bool rdma);
    /// The same on a network that is there. @param network network @param pass what to fill
    /// @param workload what to send @param rdma it is not plain TCP
    void RunOn(iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload, bool rdma);
    /// Have the flows begin when they are to. @param network network @param pass what to complete
    /// @param workload what to send
    void InstallFlows(const iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload);
    /// Have a workload say what counts and when all is over. @param network network @param pass it
    /// @param workload with HasStage()
    void BeginStage(iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload);
    /// Begin to take traces down. @param network network @return "", or what is wrong
    std::string BeginTraces(const iwarp::ScenarioNetwork& network) const;
    /// Let it all happen. @param network network @param pass what to complete @param rdma it is not
    /// plain TCP: with pcap files, traces and the user's observer
    void RunToEnd(iwarp::ScenarioNetwork& network, Pass& pass, bool rdma);
    /// Simulate until all has come, or to an end. @param pass of the flows @param end latest time
    void RunUntil(Pass& pass, Time end);
    /// Tell whether nothing more is to be simulated, all ranks alike. @param pass it @return so
    bool IsOver(Pass& pass);
    /// Have rank 0 go through what ranks have seen of flows since. @param pass of the flows
    void Replay(Pass& pass);
    /// Bring together what ranks have seen. @param network theirs @param pass to be completed
    /// @param workload that they carry @return whether this rank reports
    bool Share(iwarp::ScenarioNetwork& network, Pass& pass, IwarpWorkload& workload);
    /// Give what this rank knows to another, or take that in. @param ledger of the ranks
    /// @param network whose collectors do @param metrics of the workload
    void Share(iwarp::RankLedger& ledger,
               iwarp::ScenarioNetwork& network,
               iwarp::MetricSet& metrics);
    /// Say that the simulation is over. @param pass to be completed
    void End(Pass& pass) const;
    /// Compare what applications have with what was set. @return "", or what the workload overrides
    std::string CheckApplications() const;
    void Received(uint32_t flow, uint64_t octets); //!< @param flow whose @param octets came
    void Warmed();                                 //!< a flow is warm
    void Restart();                                //!< all are: what counts begins now
    void Failed(const std::string& reason);        //!< the run has @param reason why
    /// A connection has ended early. @param flow whose @param reason why
    void Lost(uint32_t flow, const std::string& reason);
    void StopIfComplete() const; //!< end the simulation if all has come, without CheckInterval

    /// Report the workload's flows. @param pass of them @param network theirs @param workload it
    void Report(Pass& pass, const iwarp::ScenarioNetwork& network, IwarpWorkload& workload);
    /// Report plain TCP. @param pass of it @param network its
    void ReportPlainTcp(const Pass& pass, const iwarp::ScenarioNetwork& network);

    const iwarp::ScenarioSetup& m_setup;     //!< of the scenario
    iwarp::ScenarioParts m_parts;            //!< its objects and defaults
    Ptr<const IwarpRunPart> m_run;           //!< how long, and what is written
    Pass* m_pass{nullptr};                   //!< what is being simulated
    iwarp::FlowWatcher* m_watcher{nullptr};  //!< looks on as payload comes, or nullptr
    iwarp::MetricSet m_metrics;              //!< results
    std::pair<uint64_t, uint64_t> m_inRnics; //!< RateBounds::SetInRnics() of the workload
    iwarp::FlowJournal m_journal;            //!< of flows whose ends are of several ranks
    iwarp::MetricSet m_elsewhere;            //!< what the workload reports in other ranks
    uint64_t m_events{0};                    //!< that simulators ran, all ranks
    std::vector<std::string> m_cautions;     //!< what a reader has to know
    std::vector<iwarp::RandomStreams::Range>
        m_streams; //!< random streams of the workload's network
};

} // namespace ns3

#endif // IWARP_SCENARIO_RUN_H
