/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_NETWORK_H
#define IWARP_SCENARIO_NETWORK_H

#include "iwarp-cross-traffic.h"
#include "iwarp-scenario-ipsec.h"
#include "iwarp-scenario-parameters.h"
#include "iwarp-scenario-parts.h"

#include "ns3/ipsec-tap.h"
#include "ns3/iwarp-ip-tap.h"
#include "ns3/iwarp-link-use.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/iwarp-rate-bounds.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload.h"
#include "ns3/rnic-helper.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The network of a scenario with its flows' hosts, impairments, middleboxes and counters.
 */
class ScenarioNetwork
{
  public:
    /// What the hosts' IP and the links have sent, all flows
    struct Traffic
    {
        uint64_t segments{0};       //!< segments with payload that the senders sent
        uint64_t octets{0};         //!< octets of datagrams that both ends sent
        uint64_t retransmitted{0};  //!< octets of payload that the senders sent again
        uint64_t cross{0};          //!< octets of payload of the cross traffic that came
        Time busiest;               //!< for which the busiest link was sending one way
        QueueWatch::Figures queues; //!< of all links
        Time paused;                //!< for which links were, those of all directions added

        /// @param before counts of an earlier moment @return what has come since
        Traffic operator-(const Traffic& before) const;
    };

    /// Build it. @param parameters good by CheckScenario(); outlive this @param parts the objects
    ScenarioNetwork(const IwarpScenarioParameters& parameters, const ScenarioParts& parts);

    /// Tell whether traffic can flow. @return "", or one line that says why not
    const std::string& GetProblem() const;

    const IwarpNetwork& GetNetwork() const; //!< Get what was built. @return it, with its routes
    /// Get who sends to whom. @return pairs of hosts
    const IwarpTopology::Ends& GetEnds() const;
    /// List where and when data flow. @return one entry a flow
    const std::vector<IwarpWorkload::Flow>& GetFlows() const;
    Time GetFirstStart() const; //!< Tell when traffic begins. @return when the first flow starts
    IwarpNetwork& GetNetwork(); //!< Get the network. @return it
    /// Tell what draws from which random streams. @return those allocated so far
    const RandomStreams& GetStreams() const;
    /// Count what ends in one host. @return most flows with the same receiving host
    uint32_t GetMostFlows() const;
    /// Tell the longest round trip without queues. @return propagation delay there and back on the
    /// longest path of a flow
    Time GetRoundTrip() const;
    /// Tell what links and RNICs leave to all flows together. @param parts what they
    /// carry @return bounds of rates
    RateBounds GetRateBounds(const ScenarioParts& parts) const;
    /// Give each host an RNIC, before sockets are made. @param helper with its figures
    /// @return those of receiving hosts
    std::vector<Ptr<Rnic>> InstallRnics(const RnicHelper& helper);
    /// Have ESP take time where it is: in an RNIC, or in an engine that the node gets.
    /// @param helper for those without an RNIC @return stages and resources of all
    std::vector<RnicDatapath*> InstallEsp(const RnicHelper& helper);
    /// Sum up what was sent. @return counts over all flows, since Restart() if it was
    /// called
    Traffic GetTraffic() const;
    bool HasMarking() const; //!< Tell whether any queue marks packets. @return so
    /// Report what IPsec did, where there is any. @param metrics to add to
    void ReportIpsec(MetricSet& metrics) const;
    /// Tell of octets that IPsec was to protect and that links showed. @return one line, or ""
    std::string FindLeak() const;
    void Restart(); //!< Begin to count anew
    /// Write pcap files at all hosts, and the keys of their ESP. @param prefix what their names
    /// begin with
    void EnablePcap(const std::string& prefix) const;

  private:
    /// A host that sends or receives
    struct Host
    {
        uint32_t index; //!< its index in the network
        bool sends;     //!< flows begin there
        bool receives;  //!< flows end there
        Ptr<IpTap> tap; //!< counts what it sends
    };

    /// Put impairments and middleboxes on the links. @param parts what makes them
    void Disturb(const ScenarioParts& parts);
    /// Say who sends to whom, and whether there are paths. @param pairs of the topology
    void ChooseEnds(const IwarpTopology::Ends& pairs);
    void ChangeLinks(); //!< Have links change in mid-run
    /// Make a port of a host be reached. @param host its index @param port TCP port
    /// @return what to connect to: it, or a proxy in front of it
    Address Reach(uint32_t host, uint16_t port);
    /// Say where and when the flows run. @param parts for what they carry
    void MakeFlows(const ScenarioParts& parts);
    int64_t CountFlows() const; //!< @return connections
    void AssignStreams();       //!< Say what draws from which random stream
    void ListHosts();           //!< List the hosts that send and receive, each once
    void Watch();               //!< Count what hosts send

    const IwarpScenarioParameters& m_parameters; //!< the experiment
    IwarpNetwork m_network;                      //!< network
    IwarpTopology::Ends m_ends;                  //!< hosts that send and receive
    std::string m_problem;                       //!< why traffic cannot flow
    std::vector<Host> m_hosts;                   //!< hosts of these, each once
    std::map<uint32_t, uint32_t> m_flowsAt;      //!< flows by receiving host
    std::map<uint32_t, Ptr<Rnic>> m_rnics;       //!< RNICs by host
    std::vector<IwarpWorkload::Flow> m_flows;    //!< flows
    Traffic m_before;                            //!< what does not count
    RandomStreams m_streams;                     //!< random streams
    int64_t m_rnicStreams{0};                    //!< first of the RNICs, one a host of m_hosts
    std::unique_ptr<ScenarioIpsec> m_ipsec;      //!< IPsec, or none
    Ptr<IpsecTap> m_tap;                         //!< on all links, where there is IPsec
    Ptr<LinkUse> m_links;                        //!< tell how busy links are
    Ptr<CrossTraffic> m_cross;                   //!< traffic beside the flows
    Ptr<QueueWatch> m_queues;                    //!< tell how long queues are
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_NETWORK_H
