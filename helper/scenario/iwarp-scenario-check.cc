/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-check.h"

#include "iwarp-scenario-parts.h"
#include "iwarp-short-names.h"

#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/iwarp-workload-roce.h"
#include "ns3/nstime.h"
#include "ns3/path-link-schedule.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/uinteger.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

constexpr uint64_t MAX_BUFFER = 1 << 30; //!< octets that TCP's window scale option can tell

/**
 * @param type class of a part of the scenario
 * @param problem that it tells, which begins with names of its attributes and a colon
 * @return the same, with the names of the scenario's parameters
 */
std::string
NameParameters(TypeId type, const std::string& problem)
{
    const auto colon = std::min(problem.find(':'), problem.size());
    std::vector<std::string> names = Split(problem.substr(0, colon), ',');
    for (auto& name : names)
    {
        for (TypeId base = type; base.HasParent(); base = base.GetParent())
        {
            QualifiedAttribute attribute;
            const std::string qualified = base.GetName() + "." + name;
            if (FindAttribute(qualified, attribute).empty())
            {
                const ShortName* shortName = FindShortNameOf(attribute.GetName());
                name = shortName ? shortName->name : attribute.GetName();
                break;
            }
        }
    }
    return Join(names) + problem.substr(colon);
}

/// @param p an experiment @param parts its objects @return "", or what is wrong with its length
std::string
CheckLength(const IwarpScenarioParameters& p, const ScenarioParts& parts)
{
    if (parts.GetWorkload()->GetOctets() == 0 && p.duration.IsZero())
    {
        return "Octets, Duration: one of them has to be more than 0, or flows would not end";
    }
    if (p.duration >= p.timeLimit)
    {
        return "TimeLimit: it has to be more than Duration";
    }
    if (p.plainTcp && parts.GetWorkload()->IsPaced())
    {
        return "PlainTcp: plain TCP sends in bulk; set it to false together with Intervals, Load "
               "or "
               "Workload=rounds";
    }
    return "";
}

/// @param p an experiment @param parts its objects @return "", or what is wrong with its TCP
std::string
CheckTcp(const IwarpScenarioParameters& p, const ScenarioParts& parts)
{
    TypeId tid;
    if (!FindCongestionControl(p.congestionControl, tid))
    {
        return "CongestionControl: '" + p.congestionControl +
               "' is no ns-3 congestion control; such are TcpNewReno, TcpCubic, TcpDctcp, TcpBbr";
    }
    if (ScenarioParts::GetDefault<TimeValue>("TcpSocket.DelAckTimeout") >=
        ScenarioParts::GetDefault<TimeValue>("TcpSocketBase.MinRto"))
    {
        return "DelayedAck: it has to be less than MinRto, or a lone segment would be sent again "
               "before its ACK comes";
    }
    if ((p.windowRate.GetBitRate() > 0) != p.windowRtt.IsStrictlyPositive())
    {
        return "WindowRate, WindowRtt: the window is their product, so give both or neither";
    }
    const uint64_t packets = 2 * uint64_t{parts.GetMtu()};
    const uint64_t buffers[] = {ScenarioParts::GetDefault<UintegerValue>("TcpSocket.SndBufSize"),
                                ScenarioParts::GetDefault<UintegerValue>("TcpSocket.RcvBufSize")};
    if (*std::min_element(std::begin(buffers), std::end(buffers)) < packets ||
        *std::max_element(std::begin(buffers), std::end(buffers)) > MAX_BUFFER)
    {
        return "SendBuffer, ReceiveBuffer, or WindowRate times WindowRtt: each has to hold two "
               "packets of Mtu octets, and 1 GiB at most";
    }
    const uint64_t memory = ScenarioParts::GetDefault<UintegerValue>("MpaStream.ReassemblyMemory");
    if (memory > 0 && memory < packets)
    {
        return "ReassemblyMemory: 0, or at least two packets of Mtu octets";
    }
    return "";
}

/// @param parts objects of an experiment @return "", or what is wrong with how much its RNICs hold
std::string
CheckRnics(const ScenarioParts& parts)
{
    const uint64_t packets = 2 * uint64_t{parts.GetMtu()};
    const std::set<std::string> memories{"ReassemblyMemory.Capacity",
                                         "ReassemblyMemory.PerConnection",
                                         "PacketBuffer.Capacity"};
    const auto settings = parts.GetRnicHelper() ? parts.GetRnicHelper()->GetSettings()
                                                : std::vector<RnicDesign::Setting>{};
    for (const auto& setting : settings)
    {
        const uint64_t octets = memories.count(setting.path) > 0 ? std::stoull(setting.value) : 0;
        if (octets > 0 && octets < packets)
        {
            return "Rnic." + setting.path + ": 0, or at least two packets of Mtu octets";
        }
    }
    return "";
}

/// @param p an experiment @return "", or what is wrong with its links and what they carry besides
std::string
CheckPath(const IwarpScenarioParameters& p)
{
    std::vector<PathLinkChange> changes;
    const std::string problem = ParseLinkSchedule(p.linkSchedule, changes);
    if (!problem.empty())
    {
        return "LinkSchedule: " + problem;
    }
    for (const auto& change : changes)
    {
        if (p.ipv6 && change.kind == PathLinkChange::Kind::MTU && change.mtu < 1280)
        {
            return "LinkSchedule: every link of IPv6 takes 1280 octets";
        }
    }
    TypeId type;
    if (p.crossTraffic != "none" && p.crossTraffic != "udp" && p.crossTraffic != "tcp")
    {
        return "CrossTraffic: there is no '" + p.crossTraffic + "'; there are none, udp, tcp";
    }
    if (p.crossTraffic == "udp" && p.crossRate.GetBitRate() == 0)
    {
        return "CrossRate: it has to be more than 0";
    }
    return FindCongestionControl(p.crossControl, type)
               ? ""
               : "CrossCongestionControl: '" + p.crossControl + "' is no ns-3 congestion control";
}

/// @param p an experiment @param parts its objects @return "", or what is wrong with pauses
std::string
CheckPause(const IwarpScenarioParameters& p, const ScenarioParts& parts)
{
    return parts.GetTopology()->HasPause() && p.middlebox != "none"
               ? "PfcXoff, Middlebox: a middlebox knows no pauses, so give one of them"
               : "";
}

/// @param p an experiment @param parts its objects @return "", or what is wrong with proxies
std::string
CheckProxy(const IwarpScenarioParameters& p, const ScenarioParts& parts)
{
    if (p.splitProxy && p.ipsec != IwarpScenarioParameters::Ipsec::NONE)
    {
        return "SplitProxy, Ipsec: a proxy has no keys, so give one of them";
    }
    const TypeId workload = parts.GetWorkload()->GetInstanceTypeId();
    return p.splitProxy && workload.IsChildOf(IwarpRoceWorkload::GetTypeId())
               ? "SplitProxy, Workload: a proxy splits TCP connections, and there are none"
               : "";
}

/// @param p an experiment @return "", or what is wrong with where its files go
std::string
CheckFiles(const IwarpScenarioParameters& p)
{
    const auto folder = std::filesystem::path(p.pcap).parent_path();
    std::error_code error;
    const bool good = folder.empty() || std::filesystem::is_directory(folder, error);
    return good ? "" : "Pcap: there is no directory " + folder.string();
}

} // namespace

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

std::string
CheckPaths(const IwarpNetwork& network, const IwarpTopology::Ends& ends)
{
    const std::string ttl =
        std::string(network.IsIpv6() ? "Ipv6" : "Ipv4") + "L3Protocol.DefaultTtl";
    const uint64_t most = ScenarioParts::GetDefault<UintegerValue>(ttl);
    for (const auto& [sender, receiver] : ends)
    {
        const std::string hosts =
            "hosts " + std::to_string(sender) + " and " + std::to_string(receiver);
        if (network.GetPathDelay(sender, receiver) == Time::Max())
        {
            return "Topology: no path joins " + hosts + ", between which there is traffic";
        }
        // each router takes one off, and the one that leaves none does not forward
        const uint32_t routers = network.CountRouters(sender, receiver);
        if (routers >= most)
        {
            return "Topology, " + ttl + ": packets between " + hosts + " cross " +
                   std::to_string(routers) + " routers, and live for " + std::to_string(most) +
                   ", so that none would come; " +
                   (routers < 255 ? "give them more" : "255 is the most");
        }
    }
    return "";
}

bool
FindCongestionControl(const std::string& name, TypeId& tid)
{
    return (TypeId::LookupByNameFailSafe(name, &tid) ||
            TypeId::LookupByNameFailSafe("ns3::" + name, &tid)) &&
           tid.HasConstructor() &&
           (tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
            tid.GetName() == "ns3::TcpCubic"); // older releases name a wrong parent for it
}

std::string
CheckScenario(const IwarpScenarioParameters& p)
{
    const ScenarioParts parts(p);
    if (!parts.GetProblem().empty())
    {
        return parts.GetProblem();
    }
    if (p.pattern == TrafficPattern::PAIRS && p.hostPairs > p.flows)
    {
        return "HostPairs: there cannot be more than Flows";
    }
    const auto& topology = parts.GetTopology();
    const auto& workload = parts.GetWorkload();
    const std::string problems[] = {
        NameParameters(topology->GetInstanceTypeId(),
                       topology->Check(p.GetPairs() + p.GetCrossPairs(), p.ipv6)),
        NameParameters(workload->GetInstanceTypeId(), workload->Check()),
        CheckLength(p, parts),
        CheckTcp(p, parts),
        CheckPath(p),
        CheckPause(p, parts),
        CheckProxy(p, parts),
        CheckRnics(parts),
        CheckFiles(p)};
    const auto problem = std::find_if(std::begin(problems),
                                      std::end(problems),
                                      [](const std::string& text) { return !text.empty(); });
    return problem == std::end(problems) ? "" : *problem;
}

} // namespace iwarp

uint32_t
IwarpScenarioParameters::GetPairs() const
{
    const bool own = hostPairs == 0;
    switch (pattern)
    {
    case iwarp::TrafficPattern::PAIRS:
        return own ? flows : hostPairs;
    case iwarp::TrafficPattern::INCAST:
        return std::max({hostPairs, incastSenders, 1U});
    case iwarp::TrafficPattern::ALL_TO_ALL:
    case iwarp::TrafficPattern::PERMUTATION:
        break;
    }
    return own ? 1 : hostPairs;
}

} // namespace ns3
