/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_NETWORK_H
#define IWARP_PART_NETWORK_H

#include "ns3/iwarp-scenario-part.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/path-ecmp-routing.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief The network of a scenario, and who sends to whom across it.
 */
class IwarpNetworkPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpNetworkPart();
    ~IwarpNetworkPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string CheckName(const std::string& attribute, const std::string& value) const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckRanks(const iwarp::ScenarioParts& parts) const override;
    void SetDefaults(iwarp::ScenarioParts& parts) const override;

    /// Use a topology in place of what Topology names. @param topology it, or nullptr
    void SetTopology(Ptr<IwarpTopology> topology);
    /// Make what Topology names. @return it, or that of SetTopology()
    Ptr<IwarpTopology> MakeTopology() const;

    bool IsIpv6() const;         //!< Tell which IP hosts use. @return true for IPv6
    bool UsesFlowLabels() const; //!< Tell whether nodes label what they send. @return so
    Time GetCableSpread() const; //!< Tell by how much cables differ. @return time at most

    /// Tell how many pairs of hosts with flows the topology is asked for. @return how many
    uint32_t GetFlowPairs() const;

    /**
     * @brief Choose who sends to whom.
     * @param hosts indices of those among which a pattern chooses
     * @param pairs of the topology
     * @param draw gives a random number of 0 to the one it is called with
     * @return pairs of hosts
     */
    IwarpTopology::Ends ChooseEnds(const std::vector<uint32_t>& hosts,
                                   const IwarpTopology::Ends& pairs,
                                   const std::function<uint32_t(uint32_t)>& draw) const;

    /// Look at who was chosen. @param ends of ChooseEnds(), or a workload's own @param each these
    /// are the workload's own @return "", or what is wrong
    std::string CheckEnds(const IwarpTopology::Ends& ends, bool each) const;

    /// Count the connections. @param ends pairs of hosts @param each Flows are those of each pair,
    /// whatever Pattern says @return how many
    uint32_t CountFlows(const IwarpTopology::Ends& ends, bool each) const;

  private:
    std::string m_topologyName;       //!< class of IwarpTopology, or file: and a file
    PathSpreading m_ecmp;             //!< what equal paths are picked by
    bool m_ipv6;                      //!< IPv6 rather than IPv4
    bool m_flowLabels;                //!< which has flow labels
    iwarp::TrafficPattern m_pattern;  //!< who sends to whom
    uint32_t m_incastSenders;         //!< hosts of an incast that send; 0: all but one
    uint32_t m_flows;                 //!< connections, of each sender and receiver but for pairs
    uint32_t m_hostPairs;             //!< pairs of hosts that share them; 0: one each
    Time m_cableSpread;               //!< cables are longer by up to this
    Ptr<IwarpTopology> m_ownTopology; //!< of the user's, or nullptr
};

} // namespace ns3

#endif // IWARP_PART_NETWORK_H
