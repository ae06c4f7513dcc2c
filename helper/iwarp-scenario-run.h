/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_RUN_H
#define IWARP_SCENARIO_RUN_H

#include "iwarp-flow-collector.h"
#include "iwarp-ip-tap.h"
#include "iwarp-network.h"
#include "iwarp-scenario-parameters.h"
#include "iwarp-scoped-settings.h"

#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief One run of an IwarpScenario: builds the network and the workload, simulates, collects.
 *
 * It simulates the flows over MPA, and then, with PlainTcp, the same network, seeds and octets
 * over ns-3's BulkSendApplication and PacketSink.
 */
class IwarpScenarioRun
{
  public:
    /// @param parameters the experiment, good by Check(); outlives this
    explicit IwarpScenarioRun(const IwarpScenarioParameters& parameters);

    /// @param parameters an experiment @return "", or what does not fit together
    static std::string Check(const IwarpScenarioParameters& parameters);

    std::string Run();                                  //!< @return "", or why it failed
    const std::vector<IwarpMetric>& GetMetrics() const; //!< @return results

  private:
    /// What one simulation has, MPA or plain TCP
    struct Pass
    {
        std::unique_ptr<IwarpNetwork> network;            //!< network
        std::vector<std::pair<uint32_t, uint32_t>> flows; //!< sending and receiving host of each
        std::vector<Time> starts;                         //!< when they start
        std::vector<Ptr<iwarp::IpTap>> taps;              //!< count what the senders send
        std::vector<Ptr<iwarp::IpTap>> backTaps;          //!< count what the receivers send
        iwarp::FlowTotals totals;                         //!< what MPA's traces say
        uint64_t expected{0};                             //!< octets to receive; 0 is no limit
        uint64_t received{0};                             //!< octets received
        Time firstStart;                                  //!< when the first flow starts
        Time last;                                        //!< when the last octets came
        uint64_t events{0};                               //!< events simulated
        uint64_t contentErrors{0};                        //!< octets not as sent
        uint64_t refused{0};                              //!< messages refused
        std::string error;                                //!< why it failed
    };

    /// Simulate once. @param pass what to fill @param mpa MPA or plain TCP
    void Simulate(Pass& pass, bool mpa);
    void SetDefaults(iwarp::ScopedSettings& settings) const; //!< @param settings where to set
    void BuildNetwork(Pass& pass) const;                     //!< @param pass where
    void BuildDumbbell(Pass& pass) const;                    //!< @param pass where
    void BuildAbilene(Pass& pass) const;                     //!< @param pass where
    void Impair(Pass& pass) const;                           //!< @param pass where
    /// Install MPA applications. @param pass where @return called when the simulation is over
    std::function<void()> InstallMpa(Pass& pass);
    void InstallPlainTcp(Pass& pass); //!< @param pass where
    void Received(uint64_t octets);   //!< @param octets payload that came
    void PlainReceived(Ptr<const Packet> packet, const Address& from); //!< PacketSink's Rx
    void Failed(const std::string& reason);                            //!< @param reason why
    void AddMetrics(const Pass& pass);                                 //!< @param pass of MPA
    void AddPlainMetrics(const Pass& pass);                            //!< @param pass of plain TCP
    /// Add a metric; the parameters are its members
    void Add(const std::string& name, double value, const char* unit, const char* help);
    /// @param pass a pass @return time from the first start to the last octets, seconds
    double GetSeconds(const Pass& pass) const;

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    Pass* m_pass{nullptr};                       //!< what is being simulated
    std::vector<IwarpMetric> m_metrics;          //!< results
};

} // namespace ns3

#endif // IWARP_SCENARIO_RUN_H
