/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-cautions.h"

#include "iwarp-scenario-check.h"
#include "iwarp-type-name.h"

#include "ns3/iwarp-workload-roce.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"
#include "ns3/tcp-dctcp.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param p an experiment @param name qualified name @return its value, "" if it has its default
std::string
GetSetting(const IwarpScenarioParameters& p, const std::string& name)
{
    const auto found = p.settings.find(name);
    return found == p.settings.end() ? "" : found->second;
}

/// Classes of the module that leave packets alone unless one of their own attributes is set, by the
/// attribute that sets what they do
const std::map<std::string, std::string> g_idle{
    {"PathGilbertElliottImpairment", "GoodToBad"},
    {"PathJitterImpairment", "Delay"},
    {"PathOutageImpairment", "DownTime"},
    {"PathBitErrorImpairment", "Rate"},
    {"PathResegmentingMiddlebox", "MaxPayload"},
};

/// @param p an experiment @param parameter name @param type class that it names
/// @return "", or one line that says that it does nothing
std::string
FindIdle(const IwarpScenarioParameters& p, const std::string& parameter, TypeId type)
{
    const std::string name = type.GetName().substr(std::string("ns3::").size());
    const auto idle = g_idle.find(name);
    const auto first = p.settings.lower_bound(name + ".");
    const bool isSet = first != p.settings.end() && first->first.rfind(name + ".", 0) == 0;
    return idle == g_idle.end() || isSet
               ? ""
               : parameter + ": " + name + " does nothing by default; " + name + "." +
                     idle->second + " and its other attributes set what it does";
}

/// @param p an experiment @return cautions that tell of parts of the path that do nothing
std::vector<std::string>
ListIdleParts(const IwarpScenarioParameters& p)
{
    std::vector<std::string> cautions;
    std::vector<TypeId> types;
    FindTypes(p.impairment, PathImpairment::GetTypeId(), types);
    for (const auto& type : types)
    {
        cautions.push_back(FindIdle(p, "Impairment", type));
    }
    TypeId middlebox;
    if (p.middlebox != "none" &&
        FindType(p.middlebox, PathMiddlebox::GetTypeId(), middlebox).empty())
    {
        cautions.push_back(FindIdle(p, "Middlebox", middlebox));
    }
    if (p.ipsec == IwarpScenarioParameters::Ipsec::NONE && p.espEngine != "none" &&
        p.espEngine != "inline")
    { // that one takes no time, so nobody misses it
        cautions.emplace_back(
            "EspEngine, Ipsec: there is no ESP, so the engine does nothing; Ipsec "
            "says where there is some");
    }
    cautions.erase(std::remove(cautions.begin(), cautions.end(), ""), cautions.end());
    return cautions;
}

} // namespace

std::vector<std::string>
ListCautions(const IwarpScenarioParameters& p, bool marking)
{
    auto cautions = ListIdleParts(p);
    TypeId type;
    if (FindType(p.workload, IwarpWorkload::GetTypeId(), type).empty() &&
        type.IsChildOf(IwarpRoceWorkload::GetTypeId()))
    {
        return cautions; // its packets are ECN-capable, and it has no congestion control
    }
    const bool isDctcp = FindCongestionControl(p.congestionControl, type) &&
                         (type == TcpDctcp::GetTypeId() || type.IsChildOf(TcpDctcp::GetTypeId()));
    const bool isEcn = GetSetting(p, "TcpSocketBase.UseEcn") == "On";
    if (isDctcp && !marking)
    {
        cautions.push_back("CongestionControl, QueueDisc: no queue marks packets, so " +
                           p.congestionControl +
                           " is told of congestion by loss alone; QueueDisc=threshold marks");
    }
    else if (isEcn && !marking)
    {
        cautions.emplace_back("Ecn, QueueDisc: no queue marks packets, so ECN has no effect; "
                              "QueueDisc=threshold marks");
    }
    if (GetSetting(p, "IwarpTopology.QueueDisc") == "threshold" && !isDctcp && !isEcn)
    {
        cautions.emplace_back("QueueDisc, Ecn: without ECN all that finds MarkingThreshold waiting "
                              "is dropped; Ecn=On has it marked");
    }
    return cautions;
}

} // namespace iwarp
} // namespace ns3
