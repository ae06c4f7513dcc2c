/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_RUN_H
#define IWARP_SCENARIO_RUN_H

#include "iwarp-flow-collector.h"
#include "iwarp-scenario-network.h"
#include "iwarp-scenario-parameters.h"
#include "iwarp-scoped-settings.h"
#include "iwarp-workload.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief One run of an IwarpScenario: builds the network and the workload, simulates, collects.
 *
 * It simulates the flows of the workload, and then, with PlainTcp, the same network, seeds and
 * octets over ns-3's BulkSendApplication and PacketSink.
 */
class IwarpScenarioRun
{
  public:
    /// @param parameters the experiment, good by iwarp::CheckScenario(); outlives this
    explicit IwarpScenarioRun(const IwarpScenarioParameters& parameters);

    std::string Run();                                  //!< @return "", or why it failed
    const std::vector<IwarpMetric>& GetMetrics() const; //!< @return results
    const std::string& GetReport() const;               //!< @return the workload's table, or ""

  private:
    /// What one simulation has, of the workload or of plain TCP
    struct Pass
    {
        iwarp::FlowTotals totals;                //!< what traces say
        iwarp::ScenarioNetwork::Traffic traffic; //!< what the hosts' IP says
        std::vector<IwarpMetric> own;            //!< what only the workload knows
        uint64_t expected{0};                    //!< octets to receive; 0 is no limit
        uint64_t received{0};                    //!< octets received
        Time firstStart;                         //!< when the first flow starts
        Time last;                               //!< when the last octets came
        uint64_t events{0};                      //!< events simulated
        std::string error;                       //!< why it failed
    };

    /// @param pass what to fill @return who is told of its flows
    iwarp::FlowListener Listen(Pass& pass);
    /// Simulate once. @param pass what to fill @param workload what to send @param rdma it is not
    /// plain TCP: with RNICs and pcap files
    void Simulate(Pass& pass, iwarp::Workload& workload, bool rdma);
    void SetDefaults(iwarp::ScopedSettings& settings) const; //!< @param settings where to set
    void Received(uint64_t octets);                          //!< @param octets payload that came
    void Failed(const std::string& reason);                  //!< @param reason why
    void AddMetrics(const Pass& pass);                       //!< @param pass of the workload
    void AddPlainMetrics(const Pass& pass);                  //!< @param pass of plain TCP
    uint32_t GetEmss() const; //!< @return EMSS by MTU, IP and timestamps
    /// Add what RFC 5044 B.2 says of buffers. @param metrics where @param roundTrip delay of paths
    void AddFormulas(std::vector<IwarpMetric>& metrics, Time roundTrip) const;
    /// Add a metric; the parameters are its members
    void Add(const std::string& name, double value, const char* unit, const char* help);
    /// @param pass a pass @return time from the first start to the last octets, seconds
    double GetSeconds(const Pass& pass) const;

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    Pass* m_pass{nullptr};                       //!< what is being simulated
    std::vector<IwarpMetric> m_metrics;          //!< results
    std::string m_report;                        //!< the workload's table
};

} // namespace ns3

#endif // IWARP_SCENARIO_RUN_H
