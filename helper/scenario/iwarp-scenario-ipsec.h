/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_IPSEC_H
#define IWARP_SCENARIO_IPSEC_H

#include "iwarp-scenario-parameters.h"

#include "ns3/ike-keying.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Look at the parameters of IPsec. @param parameters of a scenario @return "", or one line
/// that says what is wrong
std::string CheckIpsec(const IwarpScenarioParameters& parameters);

/**
 * @ingroup iwarp-helper
 * @brief Find the largest datagram of TCP's that fits a link of the hosts.
 * @param parameters of a scenario, good by CheckIpsec()
 * @param mtu octets that the link takes
 * @return octets: fewer where the hosts themselves have IPsec
 */
uint32_t FindHostMtu(const IwarpScenarioParameters& parameters, uint32_t mtu);

/**
 * @ingroup iwarp-helper
 * @brief Find the largest datagram that hosts can send for gateways to pass it on, without a word
 * about it and in one piece if it is of IPv6. What is of IPv4, and may be, they divide.
 * @param parameters of a scenario, good by CheckIpsec()
 * @param mtu octets that links take
 * @return octets: fewer where gateways have tunnels for IPv6, but 1280 at least
 */
uint32_t FindTunnelMtu(const IwarpScenarioParameters& parameters, uint32_t mtu);

/**
 * @ingroup iwarp-helper
 * @brief IPsec of a scenario: at the hosts, or at the routers next to them, or both.
 */
class ScenarioIpsec
{
  public:
    /**
     * @brief Install it.
     * @param parameters of the scenario, good by CheckIpsec(), with IPsec; outlive this
     * @param network with routes
     * @param ends pairs of hosts, sending and receiving
     * @param stream random stream of the keys
     */
    ScenarioIpsec(const IwarpScenarioParameters& parameters,
                  const IwarpNetwork& network,
                  const IwarpTopology::Ends& ends,
                  int64_t stream);

    /// Tell whether it can be. @return "", or one line that says why not
    const std::string& GetProblem() const;

    /// Report what has come since Restart(), or the begin. @param metrics to add to
    void Report(MetricSet& metrics) const;

    /// Write keys, in real mode, beside pcap files. @param prefix see IpsecHelper::WriteKeys()
    void WriteKeys(const std::string& prefix) const;

    void Restart(); //!< Begin to count anew

  private:
    /// What all nodes have counted together
    struct Totals
    {
        IpsecStack::Counters counters; //!< of all nodes
        uint64_t associations{0};      //!< made
        uint64_t replaced{0};          //!< pairs that took over from others
        uint64_t deleted{0};           //!< pairs deleted for being idle
        uint64_t evicted{0};           //!< associations that made room for others
    };

    /// @param network network @param ends pairs of hosts
    void ProtectHosts(const IwarpNetwork& network, const IwarpTopology::Ends& ends);
    /// @param network network @param ends pairs of hosts
    void ProtectRouters(const IwarpNetwork& network, const IwarpTopology::Ends& ends);
    /// @param config of an association
    void NoteAssociation(const IpsecAssociationConfig& config);
    Totals Sum() const; //!< @return counts so far

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    IpsecHelper m_helper;                        //!< made it
    Ptr<IkeKeying> m_exchange;                   //!< key exchange, or nullptr
    std::vector<Ptr<IpsecStack>> m_stacks;       //!< of all nodes that have it
    std::string m_problem;                       //!< why it cannot be
    uint64_t m_associations{0};                  //!< made
    Totals m_before;                             //!< what does not count
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_IPSEC_H
