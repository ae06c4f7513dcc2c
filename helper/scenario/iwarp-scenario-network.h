/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_NETWORK_H
#define IWARP_SCENARIO_NETWORK_H

#include "iwarp-scenario-parts.h"

#include "ns3/iwarp-collector.h"
#include "ns3/iwarp-ip-tap.h"
#include "ns3/iwarp-link-shares.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/iwarp-rate-bounds.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The network of a scenario with its flows' hosts, what its parts install, and collectors.
 */
class ScenarioNetwork
{
  public:
    /// Where among the metrics of a run a collector reports
    enum class Section : uint8_t
    {
        LINKS,  //!< with those of links, of plain TCP too
        STACKS, //!< behind these, before the workload's
        HOSTS,  //!< behind the workload's
    };

    /// What the hosts' IP has sent, all flows
    struct Traffic
    {
        uint64_t segments{0};      //!< segments with payload that the senders sent
        uint64_t octets{0};        //!< octets of datagrams that both ends sent
        uint64_t retransmitted{0}; //!< octets of payload that the senders sent again

        /// @param before counts of an earlier moment @return what has come since
        Traffic operator-(const Traffic& before) const;
    };

    /// A host with flows
    struct Host
    {
        uint32_t index; //!< its index in the network
        bool sends;     //!< flows begin there
        bool receives;  //!< flows end there
        Ptr<IpTap> tap; //!< counts what it sends
    };

    /// Streams that something draws from: takes the first of them, returns how many it uses
    using StreamAssignment = std::function<int64_t(int64_t)>;

    /// Build it. @param parts good by Check(); outlive this @param plainTcp flows are to be of
    /// plain TCP, without RNICs
    ScenarioNetwork(const ScenarioParts& parts, bool plainTcp);

    /// Tell whether traffic can flow. @return "", or one line that says why not
    const std::string& GetProblem() const;

    const ScenarioParts& GetParts() const;  //!< Get what it was built of. @return it
    bool IsPlainTcp() const;                //!< Tell what it is for. @return true for plain TCP
    const IwarpNetwork& GetNetwork() const; //!< Get what was built. @return it, with its routes
    IwarpNetwork& GetNetwork();             //!< Get the network. @return it
    /// Get who sends to whom. @return pairs of hosts
    const IwarpTopology::Ends& GetEnds() const;
    /// Get the pairs of hosts that a part has for itself. @param part it @return CountPairs() of
    /// them
    const IwarpTopology::Ends& GetEndsOf(const IwarpScenarioPart& part) const;
    /// List the hosts with flows. @return each once
    const std::vector<Host>& GetFlowHosts() const;
    /// List where and when data flow. @return one entry a flow
    const std::vector<IwarpWorkload::Flow>& GetFlows() const;
    /// Add a flow while the simulation runs. @param pair index of two hosts in GetEnds()
    /// @param [out] problem "", or what they have no more of @return a flow between them
    IwarpWorkload::Flow AddFlow(uint32_t pair, std::string& problem);
    Time GetFirstStart() const; //!< Tell when traffic begins. @return when the first flow starts
    /// Count what ends in one host. @return most flows with the same receiving host
    uint32_t GetMostFlows() const;
    /// Tell the longest round trip without queues. @return propagation delay there and back on the
    /// longest path of a flow
    Time GetRoundTrip() const;

    /// Have something report metrics. @param section where @param collector what
    void AddCollector(Section section, Ptr<Collector> collector);

    /// Leave TCP segments from or to some ports out of what hosts send. @param first port
    /// @param behind the one behind the last
    void LeaveOutPorts(uint16_t first, uint16_t behind);

    /// Count a connection that a host makes in mid-run. @param host index of it @return "", or why
    /// it cannot make so many
    std::string CountConnection(uint32_t host);

    /// Have something draw from streams of its own. @param purpose of the streams @param assign
    /// fixes them, when all is installed
    void AddStreams(const std::string& purpose, StreamAssignment assign);
    /// Say what a run allows and its reader has to know. @param caution one line, which begins with
    /// names of parameters
    void AddCaution(const std::string& caution);
    /// List what a reader has to know. @return one line each
    const std::vector<std::string>& GetCautions() const;
    int64_t GetKeyStream() const; //!< Get the random stream of keys. @return its number
    /// Tell what draws from which random streams. @return those allocated so far
    const RandomStreams& GetStreams() const;
    /// Say what hosts can do at most. @param find tells it of a host with flows
    void SetHostBounds(std::function<RateBounds::Host(uint32_t)> find);
    /// Tell what links and hosts leave to all flows together. @return bounds of rates
    RateBounds GetRateBounds() const;

    /// Sum up what was sent. @return counts over all flows, since Restart() if it was called
    Traffic GetTraffic() const;
    /// Have collectors report. @param section those of which @param metrics where to
    /// @param period what is reported
    void Report(Section section, MetricSet& metrics, const Collector::Period& period) const;
    /// Give what this rank of a run has counted to another, or take that in, when the simulation
    /// has ended. @param ledger of the ranks
    void Share(RankLedger& ledger);
    /// Have applications at other ranks' nodes not start: each rank installs all of them.
    void LeaveToOthers() const;
    /// Tell why nothing that was reported holds. @return "", or one line
    std::string FindFault() const;
    void Begin();   //!< Begin to count anew, as the first flow starts
    void Restart(); //!< Begin to count anew, as all flows are warm
    /// Write pcap files at all hosts, and what belongs to them. @param prefix what their names
    /// begin with
    void EnablePcap(const std::string& prefix) const;

  private:
    std::string Build();   //!< build routers, links and hosts @return "", or what is wrong
    void LengthenCables(); //!< Make cables differ by CableSpread
    std::string CheckNetwork() const; //!< @return "", or why parts cannot be in the network
    /// Choose who sends to whom. @param pairs of the flows @param others pairs of parts @return "",
    /// or what is wrong
    std::string ChooseEnds(const IwarpTopology::Ends& pairs, const IwarpTopology::Ends& others);
    /// List the hosts among which a pattern chooses: not those that are there for parts only
    /// @param pairs of the flows @param others pairs of parts @return their indices
    std::vector<uint32_t> ListPatternHosts(const IwarpTopology::Ends& pairs,
                                           const IwarpTopology::Ends& others) const;
    IwarpTopology::Ends ListWays() const; //!< @return who sends data to whom, also by reads
    void ListHosts();                     //!< List the hosts that send and receive, each once
    /// Tell what part of the capacity pairs of hosts have. @return "", or why it cannot be told
    std::string FindShares();
    std::string MakeFlows(); //!< Say where and when the flows run @return "", or what is wrong
    /// @return time within which flows start
    Time GetStartSpread() const;
    /// Make a flow. @param pair index of its hosts in m_ends @return it, without start, streams and
    /// share of the pair's
    IwarpWorkload::Flow MakeFlow(uint32_t pair);
    /// @param host its index @return "", or that it has more flows than ports
    std::string CheckPorts(uint32_t host) const;
    /// Tell how long a queue takes. @param link slowest of a path @return time of a full queue
    /// there, or of what the windows of all flows let be in it
    Time GetQueueTime(const IwarpNetwork::Link& link) const;
    static double GetWindow(); //!< @return most octets that a connection has under way
    void Watch();              //!< Count what hosts and queues do
    void AssignStreams();      //!< Say what draws from which random stream
    /// Make a port of a host be reached. @param host its index @param port TCP port
    /// @return what to connect to
    Address Reach(uint32_t host, uint16_t port);
    uint32_t CountFlows() const; //!< @return connections

    const ScenarioParts& m_parts;                       //!< what it is built of
    const bool m_plainTcp;                              //!< for plain TCP
    const std::vector<Ptr<IwarpScenarioPart>> m_active; //!< parts of it that do something
    IwarpNetwork m_network;                             //!< network
    IwarpTopology::Ends m_ends;                         //!< hosts that send and receive
    std::string m_problem;                              //!< why traffic cannot flow
    std::vector<Host> m_hosts;                          //!< hosts of these, each once
    bool m_chosen{false};                               //!< the workload says who sends to whom
    std::vector<Ptr<EmptyPath>> m_paths;        //!< without other traffic, of each pair of hosts
    std::vector<Narrowest<Way>> m_shares;       //!< of each pair: bit/s, and where
    std::map<uint32_t, uint32_t> m_ports;       //!< ports used at each host
    std::map<uint32_t, uint32_t> m_flowsFrom;   //!< flows by sending host
    std::map<uint32_t, uint32_t> m_connections; //!< made in mid-run, by host
    std::pair<uint16_t, uint16_t> m_asidePorts; //!< see LeaveOutPorts()
    std::map<uint32_t, uint32_t> m_flowsAt;     //!< flows by receiving host
    std::vector<IwarpWorkload::Flow> m_flows;   //!< flows
    uint32_t m_around{0};                       //!< what IPsec takes of a datagram, octets
    Traffic m_before;                           //!< what does not count
    std::optional<Traffic> m_shared;            //!< of all ranks, at the end
    std::vector<std::string> m_cautions;        //!< what a reader has to know
    RandomStreams m_streams;                    //!< random streams
    int64_t m_keyStream;                        //!< of keys
    std::map<const IwarpScenarioPart*, IwarpTopology::Ends> m_partEnds; //!< pairs of parts
    std::vector<std::pair<Section, Ptr<Collector>>> m_collectors;       //!< what reports
    std::vector<std::pair<std::string, StreamAssignment>> m_drawing;    //!< what draws of parts
    std::function<RateBounds::Host(uint32_t)> m_hostBounds;             //!< or empty
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_NETWORK_H
