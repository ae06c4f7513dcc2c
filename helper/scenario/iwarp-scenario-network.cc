/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-network.h"

#include "iwarp-host-names.h"
#include "iwarp-idle-settings.h"
#include "iwarp-short-names.h"

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-link-loads.h"
#include "ns3/iwarp-link-use.h"
#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-part-run.h"
#include "ns3/iwarp-pause-watch.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-rank-ledger.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/node-list.h"
#include "ns3/nstime.h"
#include "ns3/path-ranks.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-device.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint16_t FLOW_PORT = 20049; //!< where the applications of the first flow listen
constexpr uint32_t LISTENING_PORTS = 49152 - FLOW_PORT; //!< from there to the first ephemeral one
constexpr uint32_t EPHEMERAL_PORTS = 65536 - 49152;     //!< as ns-3 has them
constexpr double SCALED = 1.01; //!< receive windows, with what window scaling rounds them up by

// where random streams begin, so that a run has those that it has whatever else is in its network
constexpr int64_t CABLE_STREAMS = 996; //!< of the lengths of cables
constexpr int64_t KEY_STREAMS = 997;   //!< of IPsec
constexpr int64_t END_STREAMS = 998;   //!< of who sends to whom
constexpr int64_t START_STREAMS = 999; //!< of when flows start
constexpr int64_t FLOW_STREAMS = 1000; //!< of the flows; behind them those of links
constexpr int64_t STACK_STREAMS = 8;   //!< of hosts' and routers' stacks, for each flow
constexpr int64_t RNIC_STREAMS = 16;   //!< of RNICs, for each flow and SPARE_FLOWS
constexpr int64_t DEVICE_STREAMS = 32; //!< of verbs' devices, for each flow and SPARE_FLOWS
constexpr int64_t SPARE_FLOWS = 64;    //!< room for what few flows have

/// @param ends pairs of hosts that a topology made @param wanted how many it was asked for
/// @param hosts there are @return "", or one line that says what is wrong
std::string
CheckEnds(const IwarpTopology::Ends& ends, std::size_t wanted, uint32_t hosts)
{
    if (ends.size() < wanted)
    {
        return "Topology: it made " + std::to_string(ends.size()) + " pairs of hosts where " +
               std::to_string(wanted) + " are needed";
    }
    for (const auto& [sender, receiver] : ends)
    {
        if (sender >= hosts || receiver >= hosts || sender == receiver)
        {
            return "Topology: its pair " + std::to_string(sender) + "-" + std::to_string(receiver) +
                   " is not two of its " + std::to_string(hosts) + " hosts";
        }
    }
    return "";
}

/// @param network with its routes @param ends pairs of hosts with traffic @return "", or one line
/// that says which do not reach each other, by a path and within their time to live, and why
std::string
CheckPaths(const IwarpNetwork& network, const IwarpTopology::Ends& ends)
{
    const std::string ttl =
        std::string(network.IsIpv6() ? "Ipv6" : "Ipv4") + "L3Protocol.DefaultTtl";
    const uint64_t most = ScenarioParts::GetDefault<UintegerValue>(ttl);
    for (const auto& [sender, receiver] : ends)
    {
        const auto hosts = [sender = sender, receiver = receiver] {
            return "hosts " + std::to_string(sender) + " and " + std::to_string(receiver);
        };
        if (network.GetPathDelay(sender, receiver) == Time::Max())
        {
            return "Topology: no path joins " + hosts() + ", between which there is traffic";
        }
        // each router takes one off, and the one that leaves none does not forward
        const uint32_t routers = network.CountRouters(sender, receiver);
        if (routers >= most)
        {
            return "Topology, " + ttl + ": packets between " + hosts() + " cross " +
                   std::to_string(routers) + " routers, and live for " + std::to_string(most) +
                   ", so that none would come; " +
                   (routers < 255 ? "give them more" : "255 is the most");
        }
    }
    return "";
}

} // namespace

ScenarioNetwork::Traffic
ScenarioNetwork::Traffic::operator-(const Traffic& before) const
{
    return {segments - before.segments,
            octets - before.octets,
            retransmitted - before.retransmitted};
}

ScenarioNetwork::ScenarioNetwork(const ScenarioParts& parts, bool plainTcp)
    : m_parts(parts),
      m_plainTcp(plainTcp),
      m_active(parts.ListActive()),
      m_network(parts.Get<IwarpNetworkPart>()->IsIpv6()),
      m_cautions(ListIdleSettings(parts)),
      m_keyStream(m_streams.Allocate("keys", 1, KEY_STREAMS))
{
    LengthenCables();
    m_problem = Build();
    m_problem = m_problem.empty() ? CheckNetwork() : m_problem;
    if (!m_problem.empty())
    {
        return;
    }
    ListHosts();
    m_problem = FindShares();
    m_problem = m_problem.empty() ? MakeFlows() : m_problem;
    if (!m_problem.empty())
    {
        return;
    }
    for (const Host& host : m_hosts)
    {
        m_network.SetDscp(host.index, m_parts.GetWorkload()->GetDscp());
    }
    AddCollector(Section::LINKS, Create<LinkUse>(m_network));
    for (const auto& part : m_active)
    {
        part->Install(*this);
    }
    Watch();
    AssignStreams();
}

std::string
ScenarioNetwork::Build()
{
    const auto part = m_parts.Get<IwarpNetworkPart>();
    const uint32_t wanted = m_parts.CountPairs();
    const auto& topology = m_parts.GetTopology();
    const IwarpTopology::Ends pairs = topology->Build(m_network, wanted);
    const std::string problem = CheckEnds(pairs, wanted, m_network.GetNHosts());
    if (!problem.empty() || !m_network.GetProblem().empty())
    {
        return !problem.empty() ? problem : "Topology: " + m_network.GetProblem();
    }
    m_network.InstallRoutes();
    if (part->UsesFlowLabels())
    {
        m_network.UseFlowLabels();
    }
    auto next = pairs.begin() + part->GetFlowPairs();
    const std::string chosen = ChooseEnds({pairs.begin(), next}, {next, pairs.end()});
    if (!chosen.empty())
    {
        return chosen;
    }
    for (const auto& other : m_active)
    {
        const auto end = next + other->CountPairs();
        m_partEnds[PeekPointer(other)] = {next, end};
        next = end;
    }
    return part->CheckEnds(m_ends, m_chosen);
}

void
ScenarioNetwork::LengthenCables()
{
    const Time most = m_parts.Get<IwarpNetworkPart>()->GetCableSpread();
    if (most.IsZero())
    {
        if (ranks::IsOn())
        {
            AddCaution("CableSpread: which of two packets that come at the same time is first may "
                       "depend on the number of ranks; a spread, such as 100ns, keeps them apart");
        }
        return;
    }
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(m_streams.Allocate("cables", 1, CABLE_STREAMS));
    m_network.LengthenCables([random, most] {
        const double steps = random->GetValue(0, static_cast<double>(most.GetTimeStep()));
        return TimeStep(static_cast<uint64_t>(steps));
    });
}

std::vector<uint32_t>
ScenarioNetwork::ListPatternHosts(const IwarpTopology::Ends& pairs,
                                  const IwarpTopology::Ends& others) const
{
    const auto aside =
        m_parts.GetTopology()->AddsHosts() ? ListOwnHosts(others, pairs) : std::set<uint32_t>();
    std::vector<uint32_t> hosts;
    for (uint32_t host = 0; host < m_network.GetNHosts(); host++)
    {
        if (aside.count(host) == 0)
        {
            hosts.push_back(host);
        }
    }
    return hosts;
}

std::string
ScenarioNetwork::ChooseEnds(const IwarpTopology::Ends& pairs, const IwarpTopology::Ends& others)
{
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(m_streams.Allocate("ends", 1, END_STREAMS));
    m_ends = m_parts.Get<IwarpNetworkPart>()->ChooseEnds(
        ListPatternHosts(pairs, others),
        pairs,
        [&random](uint32_t most) { return random->GetInteger(0, most); });
    const auto& workload = m_parts.GetWorkload();
    IwarpTopology::Ends own;
    const std::string problem =
        workload->ChooseEnds([this] { return NameHosts(m_network, ListRouters(m_parts)); }, own);
    m_chosen = !own.empty();
    m_ends = m_chosen ? own : m_ends;
    return NameParameters(workload->GetInstanceTypeId(), problem);
}

std::string
ScenarioNetwork::CheckNetwork() const
{
    std::string problem = CheckPaths(m_network, m_ends);
    for (const auto& part : m_active)
    {
        problem = problem.empty() ? CheckPaths(m_network, GetEndsOf(*part)) : problem;
    }
    for (const auto& part : m_active)
    {
        problem = problem.empty() ? part->CheckNetwork(m_parts, m_network, m_ends) : problem;
    }
    return problem;
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
    const int64_t rnics =
        m_streams.Allocate("RNICs", hosts, FLOW_STREAMS + RNIC_STREAMS * (flows + SPARE_FLOWS));
    for (int64_t i = 0; i < hosts; i++)
    {
        if (const auto rnic = m_network.GetHost(m_hosts[i].index)->GetObject<Rnic>())
        {
            rnic->AssignStreams(rnics + i);
        }
    }
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
    for (const auto& [purpose, function] : m_drawing)
    {
        m_streams.Assign(purpose, m_streams.GetEnd(), function);
    }
}

uint32_t
ScenarioNetwork::CountFlows() const
{
    return m_parts.Get<IwarpNetworkPart>()->CountFlows(m_ends, m_chosen);
}

void
ScenarioNetwork::ListHosts()
{
    const bool both = m_parts.GetWorkload()->IsBothWays();
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
            host.sends = host.sends || !receives || both;
            host.receives = host.receives || receives || both;
        }
    }
}

Address
ScenarioNetwork::Reach(uint32_t host, uint16_t port)
{
    Address address = m_network.GetHostSocketAddress(host, port);
    for (const auto& part : m_active)
    {
        address = part->Redirect(*this, host, port, address);
    }
    return address;
}

double
ScenarioNetwork::GetWindow()
{
    const auto rate =
        ScenarioParts::GetDefault<DataRateValue>("MpaTcpSocket.WindowRate").GetBitRate();
    const auto time = ScenarioParts::GetDefault<TimeValue>("MpaTcpSocket.WindowRtt");
    return std::max(double(ScenarioParts::GetDefault<UintegerValue>("TcpSocket.RcvBufSize")),
                    double(rate) * time.GetSeconds() / 8);
}

Time
ScenarioNetwork::GetQueueTime(const IwarpNetwork::Link& link) const
{
    double octets = link.queue.GetValue();
    if (link.queue.GetUnit() == QueueSizeUnit::PACKETS)
    {
        octets *= link.mtu;
    }
    if (m_parts.GetWorkload()->GetTransport() == IwarpWorkload::Transport::TCP)
    {
        octets = std::min(octets, CountFlows() * GetWindow());
    }
    return Seconds(octets * 8 / static_cast<double>(link.rate.GetBitRate()));
}

std::string
ScenarioNetwork::FindShares()
{
    std::vector<std::vector<Way>> ways;
    const auto headers = m_parts.GetWorkloadHeaders();
    EmptyPaths paths(m_network, headers.transport + headers.message, headers.spare);
    for (const auto& [sender, receiver] : m_ends)
    {
        ways.push_back(FindWays(m_network, sender, receiver));
        m_paths.push_back(paths.Get(sender, receiver));
    }
    m_shares = FindNarrowest<Way>(ways, [this](const Way& way) {
        return static_cast<double>(m_network.GetLink(way.first).rate.GetBitRate());
    });
    const auto basis = m_parts.GetWorkload()->GetLoadBasis();
    if (basis == IwarpWorkload::LoadBasis::SHARE)
    {
        return "";
    }
    LinkLoads loads(m_network);
    for (const auto& [sender, receiver] : m_ends)
    {
        loads.Add(sender, receiver, 1);
    }
    const bool core = basis == IwarpWorkload::LoadBasis::CORE;
    const double load =
        loads.FindBusiest(core ? LinkLoads::Kind::CORE : LinkLoads::Kind::EDGE).load;
    for (auto& narrowest : m_shares)
    {
        narrowest.share = load > 0 ? 1 / load : 0;
    }
    return load > 0 ? ""
                    : "LoadBasis: no message crosses a link between routers, so there is no "
                      "core to be loaded";
}

Time
ScenarioNetwork::GetStartSpread() const
{
    const auto run = m_parts.Get<IwarpRunPart>();
    if (!run->HasSpreadStarts())
    {
        return run->GetStartSpread();
    }
    std::set<uint32_t> links;
    for (const auto& [way, share] : m_shares)
    {
        links.insert(way.first);
    }
    Time longest;
    for (const uint32_t link : links)
    {
        longest = std::max(longest, GetQueueTime(m_network.GetLink(link)));
    }
    return std::max(run->GetStartSpread(), GetRoundTrip() + longest);
}

std::string
ScenarioNetwork::MakeFlows()
{
    const uint32_t flows = CountFlows();
    const auto pairs = static_cast<uint32_t>(m_ends.size());
    const Time within = GetStartSpread();
    m_around = m_parts.GetMtu() - m_parts.GetWholeMtu();
    Ptr<UniformRandomVariable> spread = CreateObject<UniformRandomVariable>();
    spread->SetStream(m_streams.Allocate("starts", 1, START_STREAMS));
    const int64_t streams = m_parts.GetWorkload()->CountStreams();
    const int64_t first = m_streams.Allocate("flows", streams * flows, FLOW_STREAMS);
    for (uint32_t i = 0; i < flows; i++)
    {
        IwarpWorkload::Flow flow = MakeFlow(i % pairs);
        // a socket that connects at time 0 finds traffic control not yet initialised
        flow.start = MilliSeconds(1) + Seconds(spread->GetValue(0, within.GetSeconds()));
        flow.stream = first + streams * i;
        // pair i % pairs has one flow more than others if the last round does not reach it
        const uint32_t together = (flows - i % pairs + pairs - 1) / pairs;
        flow.share = m_shares[i % pairs].share / together;
        m_flows.push_back(flow);
    }
    std::string problem;
    for (const Host& host : m_hosts)
    {
        problem = problem.empty() ? CheckPorts(host.index) : problem;
    }
    return problem;
}

IwarpWorkload::Flow
ScenarioNetwork::MakeFlow(uint32_t pair)
{
    const auto& [sender, receiver] = m_ends[pair];
    // free at both hosts: either may listen
    uint32_t& there = m_ports[receiver];
    uint32_t& here = m_ports[sender];
    const auto port = static_cast<uint16_t>(FLOW_PORT + std::max(here, there));
    here = there = std::max(here, there) + 1;
    m_flowsFrom[sender]++;
    m_flowsAt[receiver]++;
    IwarpWorkload::Flow flow{};
    flow.sender = m_network.GetHost(sender);
    flow.receiver = m_network.GetHost(receiver);
    flow.senderAddress = Reach(sender, port);
    flow.receiverAddress = Reach(receiver, port);
    flow.any = m_network.GetAnySocketAddress(port);
    flow.path = m_paths[pair];
    flow.around = m_around;
    flow.from = sender;
    flow.to = receiver;
    flow.pair = pair;
    return flow;
}

IwarpWorkload::Flow
ScenarioNetwork::AddFlow(uint32_t pair, std::string& problem)
{
    IwarpWorkload::Flow flow = MakeFlow(pair);
    flow.start = Simulator::Now();
    problem = CheckPorts(flow.from);
    problem = problem.empty() ? CheckPorts(flow.to) : problem;
    return flow;
}

std::string
ScenarioNetwork::CheckPorts(uint32_t host) const
{
    const auto find = [host](const auto& counts) {
        const auto found = counts.find(host);
        return found == counts.end() ? 0 : found->second;
    };
    // an end that connects by TCP has an ephemeral port
    const bool tcp = m_parts.GetWorkload()->GetTransport() == IwarpWorkload::Transport::TCP;
    const uint32_t from = find(m_flowsFrom);
    const uint32_t at = find(m_flowsAt);
    const uint32_t most = tcp ? std::max(from, at) : 0;
    return most <= EPHEMERAL_PORTS && find(m_ports) <= LISTENING_PORTS
               ? ""
               : "Pattern, Flows: host " + std::to_string(host) + " has " +
                     std::to_string(from + at) + " connections, more than it has ports for: " +
                     std::to_string(EPHEMERAL_PORTS) + " of its own, " +
                     std::to_string(LISTENING_PORTS) + " to listen at";
}

std::string
ScenarioNetwork::CountConnection(uint32_t host)
{
    if (++m_connections[host] <= EPHEMERAL_PORTS ||
        m_parts.GetWorkload()->GetTransport() != IwarpWorkload::Transport::TCP)
    {
        return "";
    }
    const double life = ScenarioParts::GetDefault<DoubleValue>("TcpSocketBase.MaxSegLifetime");
    return Simulator::Now() > Seconds(2 * life)
               ? ""
               : "Connections, ArrivalWindow: host " + std::to_string(host) + " has made " +
                     std::to_string(EPHEMERAL_PORTS) +
                     " connections, as many as it has ports, which those that have ended keep for "
                     "twice TcpSocketBase.MaxSegLifetime; shorten the window, or take a pool";
}

IwarpTopology::Ends
ScenarioNetwork::ListWays() const
{
    IwarpTopology::Ends ways = m_ends;
    if (m_parts.GetWorkload()->IsBothWays())
    {
        for (const auto& [sender, receiver] : m_ends)
        {
            ways.emplace_back(receiver, sender);
        }
    }
    return ways;
}

void
ScenarioNetwork::Watch()
{
    for (Host& host : m_hosts)
    {
        host.tap = Create<IpTap>();
        host.tap->LeaveOut(m_asidePorts.first, m_asidePorts.second);
        host.tap->Attach(m_network.GetHost(host.index));
    }
    const auto& topology = m_parts.GetTopology();
    if (topology->HasPause() || topology->HasMemory())
    {
        const PauseWatch::Scope scope{topology->HasPause(), topology->HasMemory()};
        AddCollector(Section::LINKS, Create<PauseWatch>(m_network, ListWays(), scope));
    }
    AddCollector(Section::LINKS, Create<QueueWatch>(m_network, GetFirstStart()));
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

const ScenarioParts&
ScenarioNetwork::GetParts() const
{
    return m_parts;
}

bool
ScenarioNetwork::IsPlainTcp() const
{
    return m_plainTcp;
}

const IwarpTopology::Ends&
ScenarioNetwork::GetEndsOf(const IwarpScenarioPart& part) const
{
    return m_partEnds.at(&part);
}

const std::vector<ScenarioNetwork::Host>&
ScenarioNetwork::GetFlowHosts() const
{
    return m_hosts;
}

void
ScenarioNetwork::LeaveOutPorts(uint16_t first, uint16_t behind)
{
    m_asidePorts = {first, behind};
}

void
ScenarioNetwork::AddCollector(Section section, Ptr<Collector> collector)
{
    m_collectors.emplace_back(section, collector);
}

void
ScenarioNetwork::AddStreams(const std::string& purpose, StreamAssignment assign)
{
    m_drawing.emplace_back(purpose, std::move(assign));
}

void
ScenarioNetwork::AddCaution(const std::string& caution)
{
    m_cautions.push_back(caution);
}

const std::vector<std::string>&
ScenarioNetwork::GetCautions() const
{
    return m_cautions;
}

int64_t
ScenarioNetwork::GetKeyStream() const
{
    return m_keyStream;
}

void
ScenarioNetwork::SetHostBounds(std::function<RateBounds::Host(uint32_t)> find)
{
    m_hostBounds = std::move(find);
}

RateBounds
ScenarioNetwork::GetRateBounds() const
{
    const auto headers = m_parts.GetWorkloadHeaders();
    RateBounds bounds(m_network,
                      m_ends,
                      headers.transport,
                      headers.message,
                      m_parts.GetWorkload()->IsBothWays());
    if (m_hostBounds)
    {
        bounds.AddHosts(m_hostBounds);
    }
    uint32_t mtu = 0;
    for (uint32_t i = 0; i < m_network.GetNLinks(); i++)
    {
        mtu = std::max<uint32_t>(mtu, m_network.GetLink(i).mtu);
    }
    // those that came in mid-run as well
    const double flows =
        std::accumulate(m_flowsAt.begin(), m_flowsAt.end(), 0.0, [](double sum, const auto& at) {
            return sum + at.second;
        });
    bounds.SetSegments(flows * mtu);
    const auto isBuffering = [](const auto& part) { return part->IsBuffering(); };
    if (std::none_of(m_active.begin(), m_active.end(), isBuffering))
    {
        bounds.SetHeld(SCALED * GetWindow() * flows);
    }
    return bounds;
}

ScenarioNetwork::Traffic
ScenarioNetwork::GetTraffic() const
{
    if (m_shared)
    {
        return *m_shared;
    }
    Traffic traffic;
    for (const Host& host : m_hosts)
    {
        traffic.octets += host.tap->GetOctets();
        traffic.retransmitted += host.tap->GetRetransmitted();
        if (host.sends)
        {
            traffic.segments += host.tap->GetSegments();
        }
    }
    return traffic - m_before;
}

void
ScenarioNetwork::Report(Section section, MetricSet& metrics, const Collector::Period& period) const
{
    for (const auto& [place, collector] : m_collectors)
    {
        if (place == section)
        {
            collector->Report(metrics, period);
        }
    }
}

void
ScenarioNetwork::Share(RankLedger& ledger)
{
    m_shared = GetTraffic();
    ledger.Sum(m_shared->segments);
    ledger.Sum(m_shared->octets);
    ledger.Sum(m_shared->retransmitted);
    for (const auto& [section, collector] : m_collectors)
    {
        collector->Share(ledger);
    }
}

void
ScenarioNetwork::LeaveToOthers() const
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; !ranks::IsOwn(*node) && i < (*node)->GetNApplications(); i++)
        {
            (*node)->GetApplication(i)->SetStartTime(Time::Max() / 2);
        }
    }
}

std::string
ScenarioNetwork::FindFault() const
{
    std::string fault;
    for (const auto& [section, collector] : m_collectors)
    {
        fault = fault.empty() ? collector->FindFault() : fault;
    }
    return fault;
}

void
ScenarioNetwork::Begin()
{
    m_before = {};
    m_before = GetTraffic();
    for (const auto& [section, collector] : m_collectors)
    {
        collector->Begin();
    }
}

void
ScenarioNetwork::Restart()
{
    m_before = {};
    m_before = GetTraffic();
    for (const auto& [section, collector] : m_collectors)
    {
        collector->Restart();
    }
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
    for (const auto& [section, collector] : m_collectors)
    {
        collector->EnablePcap(prefix);
    }
}

} // namespace iwarp
} // namespace ns3
