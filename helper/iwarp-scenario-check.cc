/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-check.h"

#include "iwarp-map-file.h"
#include "rnic-helper.h"

#include "ns3/app-attribute-text.h"
#include "ns3/app-message-sizes.h"
#include "ns3/app-text.h"
#include "ns3/mpa-receive-window.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{

uint32_t
IwarpScenarioParameters::GetReceiveBuffer() const
{
    const bool derived = windowRate.GetBitRate() > 0 && windowRtt.IsStrictlyPositive();
    return derived ? mpa::WindowFor(windowRate, windowRtt) : receiveBuffer;
}

namespace iwarp
{

bool
FindCongestionControl(const std::string& name, TypeId& tid)
{
    return (TypeId::LookupByNameFailSafe(name, &tid) ||
            TypeId::LookupByNameFailSafe("ns3::" + name, &tid)) &&
           tid.HasConstructor() &&
           (tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
            tid.GetName() == "ns3::TcpCubic"); // older releases name a wrong parent for it
}

std::vector<std::vector<std::string>>
SplitPairs(const std::string& text)
{
    std::vector<std::vector<std::string>> pairs;
    for (const auto& item : Split(text, ','))
    {
        pairs.push_back(Split(item, '-'));
    }
    return pairs;
}

std::shared_ptr<RnicHelper>
MakeRnicHelper(const IwarpScenarioParameters& p, std::string& problem)
{
    problem.clear();
    if (p.rnic == "none")
    {
        if (!p.rnicSettings.empty() || p.rnicMemory > 0)
        {
            problem = "RnicSettings, RnicMemory: there is no RNIC unless Rnic names one";
        }
        return nullptr;
    }
    if (!RnicProfile::Has(p.rnic))
    {
        problem = "Rnic: there is no profile '" + p.rnic + "'; there are none, " +
                  Join(RnicProfile::GetNames(), ", ");
        return nullptr;
    }
    auto helper = std::make_shared<RnicHelper>(p.rnic);
    std::vector<std::pair<std::string, std::string>> settings;
    if (!p.rnicSettings.empty())
    {
        for (const auto& item : Split(p.rnicSettings, ','))
        {
            const auto equals = std::min(item.find('='), item.size());
            settings.emplace_back(item.substr(0, equals), item.substr(equals).erase(0, 1));
        }
    }
    if (p.rnicMemory > 0)
    {
        settings.emplace_back("ReassemblyMemory.Capacity", std::to_string(p.rnicMemory));
    }
    for (const auto& [name, value] : settings)
    {
        problem = helper->SetFromText(name, value);
        if (!problem.empty())
        {
            problem = "RnicSettings: " + problem;
            return nullptr;
        }
    }
    problem = helper->Check();
    if (!problem.empty())
    {
        problem = "Rnic: " + problem;
        return nullptr;
    }
    return helper;
}

std::string
CheckScenario(const IwarpScenarioParameters& p)
{
    std::string problem;
    TypeId tid;
    if (!MakeDistribution(p.messageSizes, problem))
    {
        return "MessageSizes: " + problem;
    }
    if (!p.intervals.empty() && !MakeDistribution(p.intervals, problem))
    {
        return "Intervals: " + problem;
    }
    if (!p.intervals.empty() && p.plainTcp)
    {
        return "PlainTcp: plain TCP sends in bulk; set it to false together with Intervals";
    }
    if (p.backed && p.workload != IwarpScenarioParameters::Workload::MPA)
    {
        return "Backed: only messages of the workload mpa have content";
    }
    if (p.octets == 0 && p.duration.IsZero())
    {
        return "Octets, Duration: one of them has to be more than 0, or flows would not end";
    }
    if (p.duration >= p.timeLimit)
    {
        return "TimeLimit: it has to be more than Duration";
    }
    if (p.delayedAck >= p.minRto)
    {
        return "DelayedAck: it has to be less than MinRto, or a lone segment would be sent again "
               "before its ACK comes";
    }
    if (p.ipv6 && p.mtu < 1280)
    {
        return "Mtu: IPv6 needs at least 1280";
    }
    if (p.linkRate.GetBitRate() == 0 || p.accessRate.GetBitRate() == 0)
    {
        return "LinkRate, AccessRate: both have to be more than 0";
    }
    if (p.queueSize.GetValue() == 0 ||
        (p.queueSize.GetUnit() == QueueSizeUnit::BYTES && p.queueSize.GetValue() < p.mtu + 2))
    {
        return "QueueSize: it has to hold a packet of Mtu octets and the 2 octets of PPP";
    }
    if ((p.windowRate.GetBitRate() > 0) != p.windowRtt.IsStrictlyPositive())
    {
        return "WindowRate, WindowRtt: the window is their product, so give both or neither";
    }
    if (p.sendBuffer < 2 * p.mtu || p.GetReceiveBuffer() < 2 * p.mtu)
    {
        return "SendBuffer, ReceiveBuffer, or WindowRate times WindowRtt: each has to hold two "
               "packets of Mtu octets";
    }
    if (p.reassemblyMemory > 0 && p.reassemblyMemory < 2 * p.mtu)
    {
        return "ReassemblyMemory: 0, or at least two packets of Mtu octets";
    }
    MakeRnicHelper(p, problem);
    if (!problem.empty())
    {
        return problem;
    }
    if (p.hostPairs > p.flows)
    {
        return "HostPairs: there cannot be more than Flows";
    }
    if (!FindCongestionControl(p.congestionControl, tid))
    {
        return "CongestionControl: '" + p.congestionControl +
               "' is no ns-3 congestion control; such are TcpNewReno, TcpCubic, TcpDctcp, TcpBbr";
    }
    if (p.topology == IwarpScenarioParameters::Topology::ABILENE)
    {
        MapFile map;
        problem = map.Load("abilene-nodes.csv", "abilene-links.csv");
        if (!problem.empty())
        {
            return "Topology: " + problem;
        }
        for (const auto& pair : SplitPairs(p.abilenePairs))
        {
            if (pair.size() != 2 || pair[0] == pair[1] || map.Find(pair[0]) == map.cities.size() ||
                map.Find(pair[1]) == map.cities.size())
            {
                return "AbilenePairs: '" + Join(pair, "-") +
                       "' are not two cities; such are STTL-WASH,LOSA-NYCM; there are " +
                       map.Names();
            }
        }
    }
    const auto folder = std::filesystem::path(p.pcap).parent_path();
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    {
        return "Pcap: there is no directory " + folder.string();
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
