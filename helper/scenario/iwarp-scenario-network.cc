/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-network.h"

#include "iwarp-scenario-check.h"
#include "iwarp-scenario-ipsec-tap.h"
#include "iwarp-scenario-proxies.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-link-shares.h"
#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/path-link-schedule.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-device.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint16_t FLOW_PORT = 20049; //!< where the applications of the first flow listen
constexpr int64_t MAX_FLOWS = 16384;  //!< most connections

// where random streams begin, so that a run has those that it has whatever else is in its network
constexpr int64_t KEY_STREAMS = 997;   //!< of IPsec
constexpr int64_t END_STREAMS = 998;   //!< of who sends to whom
constexpr int64_t START_STREAMS = 999; //!< of when flows start
constexpr int64_t FLOW_STREAMS = 1000; //!< of the flows; behind them those of links
constexpr int64_t STACK_STREAMS = 8;   //!< of hosts' and routers' stacks, for each flow
constexpr int64_t RNIC_STREAMS = 16;   //!< of RNICs, for each flow and SPARE_FLOWS
constexpr int64_t DEVICE_STREAMS = 32; //!< of verbs' devices, for each flow and SPARE_FLOWS
constexpr int64_t SPARE_FLOWS = 64;    //!< room for what few flows have

} // namespace

ScenarioNetwork::Traffic
ScenarioNetwork::Traffic::operator-(const Traffic& before) const
{
    return {segments - before.segments,
            octets - before.octets,
            retransmitted - before.retransmitted,
            cross - before.cross,
            busiest, // these begin anew by themselves
            queues,
            paused - before.paused};
}

ScenarioNetwork::ScenarioNetwork(const IwarpScenarioParameters& parameters,
                                 const ScenarioParts& parts)
    : m_parameters(parameters),
      m_network(parameters.ipv6)
{
    const int64_t keys = m_streams.Allocate("keys", 1, KEY_STREAMS);
    const uint32_t count = m_parameters.GetPairs();
    IwarpTopology::Ends pairs =
        parts.GetTopology()->Build(m_network, count + m_parameters.GetCrossPairs());
    m_problem = CheckEnds(pairs, count + m_parameters.GetCrossPairs(), m_network.GetNHosts());
    if (m_problem.empty() && !m_network.GetProblem().empty())
    {
        m_problem = "Topology: " + m_network.GetProblem();
    }
    if (!m_problem.empty())
    {
        return;
    }
    const IwarpTopology::Ends crossEnds(pairs.begin() + count, pairs.end());
    pairs.resize(count);
    m_network.InstallRoutes();
    ChooseEnds(pairs);
    m_problem = m_problem.empty() ? CheckPaths(m_network, m_ends) : m_problem;
    m_problem = m_problem.empty() ? CheckPaths(m_network, crossEnds) : m_problem;
    if (m_problem.empty() && m_parameters.splitProxy)
    {
        m_problem = CheckProxies(m_network, m_ends);
    }
    if (!m_problem.empty())
    {
        return;
    }
    if (m_parameters.ipsec != IwarpScenarioParameters::Ipsec::NONE)
    {
        m_ipsec = std::make_unique<ScenarioIpsec>(m_parameters, m_network, m_ends, keys);
        m_problem = m_ipsec->GetProblem();
        if (!m_problem.empty())
        {
            return;
        }
    }
    ListHosts();
    MakeFlows(parts);
    Watch();
    Disturb(parts);
    if (m_ipsec)
    {
        m_tap = TapScenario(m_parameters, m_network, m_ends);
    }
    AssignStreams();
    m_cross = Create<CrossTraffic>(m_parameters,
                                   m_network,
                                   crossEnds,
                                   m_ends,
                                   parts.GetPlainSegmentSize(),
                                   m_streams);
}

void
ScenarioNetwork::AssignStreams()
{
    NodeContainer nodes;
    for (uint32_t i = 0; i < m_network.GetNHosts(); i++)
    {
        nodes.Add(m_network.GetHost(i));
    }
    for (uint32_t i = 0; i < m_network.GetNRouters(); i++)
    {
        nodes.Add(m_network.GetRouter(i));
    }
    const int64_t flows = CountFlows();
    const auto hosts = static_cast<int64_t>(m_hosts.size());
    m_streams.Assign("links", m_streams.GetEnd(), [this](int64_t first) {
        return m_network.AssignStreams(first);
    });
    m_streams.Assign("stacks", FLOW_STREAMS + STACK_STREAMS * flows, [&nodes](int64_t first) {
        return InternetStackHelper().AssignStreams(nodes, first);
    });
    m_rnicStreams =
        m_streams.Allocate("RNICs", hosts, FLOW_STREAMS + RNIC_STREAMS * (flows + SPARE_FLOWS));
    m_streams.Assign(
        "RDMA devices",
        FLOW_STREAMS + DEVICE_STREAMS * (flows + SPARE_FLOWS),
        [this](int64_t first) {
            int64_t next = first;
            for (const Host& host : m_hosts)
            {
                next += RdmaDevice::Get(m_network.GetHost(host.index))->AssignStreams(next);
            }
            return next - first;
        });
}

void
ScenarioNetwork::ChooseEnds(const IwarpTopology::Ends& pairs)
{
    const auto& p = m_parameters;
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(m_streams.Allocate("ends", 1, END_STREAMS));
    m_ends = MakeEnds(p.pattern, m_network.GetNHosts(), pairs, p.incastSenders, [&](uint32_t most) {
        return random->GetInteger(0, most);
    });
    if (p.pattern == TrafficPattern::INCAST && m_ends.size() < p.incastSenders)
    {
        m_problem = "IncastSenders: the topology has only " + std::to_string(m_ends.size()) +
                    " hosts that could send to one";
    }
    if (CountFlows() > MAX_FLOWS)
    {
        m_problem = "Pattern, Flows: " + std::to_string(CountFlows()) +
                    " connections are more than " + std::to_string(MAX_FLOWS);
    }
}

int64_t
ScenarioNetwork::CountFlows() const
{
    const bool pairs = m_parameters.pattern == TrafficPattern::PAIRS;
    return m_parameters.flows * (pairs ? 1 : static_cast<int64_t>(m_ends.size()));
}

void
ScenarioNetwork::ListHosts()
{
    std::map<uint32_t, std::size_t> seen;
    for (const auto& [sender, receiver] : m_ends)
    {
        for (const bool receives : {false, true})
        {
            const uint32_t index = receives ? receiver : sender;
            const auto [place, isNew] = seen.emplace(index, m_hosts.size());
            if (isNew)
            {
                m_hosts.push_back({index, false, false, nullptr});
            }
            Host& host = m_hosts[place->second];
            (receives ? host.receives : host.sends) = true;
        }
    }
}

Address
ScenarioNetwork::Reach(uint32_t host, uint16_t port)
{
    return m_parameters.splitProxy ? InstallProxy(m_network, host, port)
                                   : m_network.GetHostSocketAddress(host, port);
}

void
ScenarioNetwork::MakeFlows(const ScenarioParts& parts)
{
    const auto& p = m_parameters;
    const auto flows = static_cast<uint32_t>(CountFlows());
    const auto pairs = static_cast<uint32_t>(m_ends.size());
    std::vector<std::vector<Way>> ways;
    for (const auto& [sender, receiver] : m_ends)
    {
        ways.push_back(FindWays(m_network, sender, receiver));
    }
    const auto narrowest = FindNarrowest<Way>(ways, [this](const Way& way) {
        return static_cast<double>(m_network.GetLink(way.first).rate.GetBitRate());
    });
    std::vector<Ptr<EmptyPath>> paths(pairs);
    const auto headers = parts.GetWorkloadHeaders();
    for (uint32_t i = 0; i < pairs; i++)
    {
        const auto& [sender, receiver] = m_ends[i];
        paths[i] =
            Create<EmptyPath>(m_network, sender, receiver, headers.transport + headers.message);
    }
    std::map<uint32_t, uint16_t> ports; // used at each host
    Ptr<UniformRandomVariable> spread = CreateObject<UniformRandomVariable>();
    spread->SetStream(m_streams.Allocate("starts", 1, START_STREAMS));
    const int64_t streams = parts.GetWorkload()->CountStreams();
    const int64_t first = m_streams.Allocate("flows", streams * flows, FLOW_STREAMS);
    for (uint32_t i = 0; i < flows; i++)
    {
        const auto& [sender, receiver] = m_ends[i % pairs];
        // free at both hosts: either may listen
        uint16_t& there = ports[receiver];
        uint16_t& here = ports[sender];
        const auto port = static_cast<uint16_t>(FLOW_PORT + std::max(here, there));
        here = there = static_cast<uint16_t>(port - FLOW_PORT + 1);
        m_flowsAt[receiver]++;
        IwarpWorkload::Flow flow;
        flow.sender = m_network.GetHost(sender);
        flow.receiver = m_network.GetHost(receiver);
        flow.senderAddress = Reach(sender, port);
        flow.receiverAddress = Reach(receiver, port);
        flow.any = m_network.GetAnySocketAddress(port);
        // a socket that connects at time 0 finds traffic control not yet initialised
        flow.start = MilliSeconds(1) + Seconds(spread->GetValue(0, p.startSpread.GetSeconds()));
        flow.stream = first + streams * i;
        // pair i % pairs has one flow more than others if the last round does not reach it
        const uint32_t together = (flows - i % pairs + pairs - 1) / pairs;
        flow.share = narrowest[i % pairs].share / together;
        flow.path = paths[i % pairs];
        m_flows.push_back(flow);
    }
}

void
ScenarioNetwork::Watch()
{
    for (Host& host : m_hosts)
    {
        host.tap = Create<IpTap>();
        host.tap->Attach(m_network.GetHost(host.index));
    }
    m_links = Create<LinkUse>(m_network);
    m_queues = Create<QueueWatch>(m_network, GetFirstStart());
}

void
ScenarioNetwork::Disturb(const ScenarioParts& parts)
{
    using Direction = IwarpScenarioParameters::Direction;
    const auto& p = m_parameters;
    // a link may be that of data in one direction and of ACKs in the other, or of both in each
    std::set<std::pair<uint32_t, PathDirection>> impaired;
    for (const bool back : {false, true})
    {
        const auto other = back ? Direction::DATA : Direction::ACKS;
        const auto hops = FindHops(m_network, m_ends, p.impairedPlace, back);
        for (const auto& hop : hops)
        {
            if (p.impairedDirection != other && impaired.insert({hop.link, hop.direction}).second)
            {
                for (const auto& impairment : parts.MakeImpairments())
                {
                    m_network.Impair(hop.link, hop.direction, impairment);
                }
            }
        }
    }
    std::set<uint32_t> divided;
    for (const auto& hop : FindHops(m_network, m_ends, p.middleboxPlace, false))
    {
        const Ptr<PathMiddlebox> middlebox = parts.MakeMiddlebox();
        if (middlebox && divided.insert(hop.link).second)
        {
            m_network.InsertMiddlebox(hop.link, middlebox);
        }
    }
    ChangeLinks();
}

void
ScenarioNetwork::ChangeLinks()
{
    std::vector<PathLinkChange> changes;
    const std::string problem = ParseLinkSchedule(m_parameters.linkSchedule, changes);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    std::set<uint32_t> links;
    for (const auto& hop : FindHops(m_network, m_ends, m_parameters.schedulePlace, false))
    {
        if (links.insert(hop.link).second)
        {
            m_network.ScheduleChanges(hop.link, changes);
        }
    }
}

const RandomStreams&
ScenarioNetwork::GetStreams() const
{
    return m_streams;
}

const std::string&
ScenarioNetwork::GetProblem() const
{
    return m_problem;
}

const IwarpNetwork&
ScenarioNetwork::GetNetwork() const
{
    return m_network;
}

const IwarpTopology::Ends&
ScenarioNetwork::GetEnds() const
{
    return m_ends;
}

const std::vector<IwarpWorkload::Flow>&
ScenarioNetwork::GetFlows() const
{
    return m_flows;
}

IwarpNetwork&
ScenarioNetwork::GetNetwork()
{
    return m_network;
}

Time
ScenarioNetwork::GetFirstStart() const
{
    return std::min_element(m_flows.begin(),
                            m_flows.end(),
                            [](const auto& a, const auto& b) { return a.start < b.start; })
        ->start;
}

uint32_t
ScenarioNetwork::GetMostFlows() const
{
    return std::max_element(m_flowsAt.begin(),
                            m_flowsAt.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
}

Time
ScenarioNetwork::GetRoundTrip() const
{
    Time longest;
    for (const auto& [sender, receiver] : m_ends)
    {
        longest = std::max(longest, 2 * m_network.GetPathDelay(sender, receiver));
    }
    return longest;
}

std::vector<Ptr<Rnic>>
ScenarioNetwork::InstallRnics(const RnicHelper& helper)
{
    int64_t stream = m_rnicStreams;
    std::vector<Ptr<Rnic>> receiving;
    for (const Host& host : m_hosts)
    {
        const NodeContainer node(m_network.GetHost(host.index));
        Ptr<Rnic> rnic = helper.Install(node.Get(0));
        stream += RnicHelper::AssignStreams(node, stream);
        m_rnics[host.index] = rnic;
        if (host.receives)
        {
            receiving.push_back(rnic);
        }
    }
    return receiving;
}

std::vector<RnicDatapath*>
ScenarioNetwork::InstallEsp(const RnicHelper& helper)
{
    NodeContainer nodes;
    for (const Host& host : m_hosts)
    {
        nodes.Add(m_network.GetHost(host.index));
    }
    for (uint32_t i = 0; i < m_network.GetNRouters(); ++i)
    {
        nodes.Add(m_network.GetRouter(i));
    }
    std::vector<RnicDatapath*> paths;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if ((*node)->GetObject<IpsecStack>())
        {
            const Ptr<Rnic> rnic = (*node)->GetObject<Rnic>();
            if (rnic)
            {
                paths.push_back(&rnic->GetDatapath());
                continue;
            }
            const Ptr<RnicEspEngine> engine = helper.InstallEspEngine(*node);
            m_streams.Assign("ESP engines", m_streams.GetEnd(), [&engine](int64_t first) {
                return engine->AssignStreams(first);
            });
            paths.push_back(&engine->GetDatapath());
        }
    }
    return paths;
}

ScenarioNetwork::Traffic
ScenarioNetwork::GetTraffic() const
{
    Traffic traffic;
    for (const Host& host : m_hosts)
    {
        traffic.octets += host.tap->GetOctets();
        if (host.sends)
        {
            traffic.segments += host.tap->GetSegments();
            traffic.retransmitted += host.tap->GetRetransmitted();
        }
    }
    traffic.busiest = m_links->GetBusiest();
    traffic.queues = m_queues->GetFigures();
    traffic.cross = m_cross->GetOctets();
    traffic.paused = m_network.GetPaused();
    return traffic - m_before;
}

void
ScenarioNetwork::Restart()
{
    m_before = {};
    m_before = GetTraffic();
    m_links->Restart();
    m_queues->Restart();
    if (m_ipsec)
    {
        m_ipsec->Restart();
    }
}

void
ScenarioNetwork::ReportIpsec(MetricSet& metrics) const
{
    if (m_ipsec)
    {
        m_ipsec->Report(metrics);
        ReportTap(*m_tap, metrics);
    }
}

std::string
ScenarioNetwork::FindLeak() const
{
    return m_tap && m_tap->GetCount() > 0 ? "Ipsec: links showed protected octets in clear in " +
                                                std::to_string(m_tap->GetCount()) +
                                                " packets, first a " + m_tap->GetFirst()->ToString()
                                          : "";
}

bool
ScenarioNetwork::HasMarking() const
{
    return m_queues->HasMarking();
}

void
ScenarioNetwork::EnablePcap(const std::string& prefix) const
{
    NodeContainer hosts;
    for (const Host& host : m_hosts)
    {
        hosts.Add(m_network.GetHost(host.index));
    }
    IwarpHelper::EnablePcap(prefix, hosts);
    if (m_ipsec)
    {
        m_ipsec->WriteKeys(prefix);
    }
}

} // namespace iwarp
} // namespace ns3
