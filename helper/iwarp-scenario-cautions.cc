/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-cautions.h"

#include "iwarp-scenario-check.h"
#include "iwarp-type-name.h"
#include "iwarp-workload-roce.h"

#include "ns3/tcp-dctcp.h"

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

} // namespace

std::vector<std::string>
ListCautions(const IwarpScenarioParameters& p, bool marking)
{
    TypeId type;
    if (FindType(p.workload, IwarpWorkload::GetTypeId(), type).empty() &&
        type.IsChildOf(IwarpRoceWorkload::GetTypeId()))
    {
        return {}; // its packets are ECN-capable, and it has no congestion control
    }
    const bool isDctcp = FindCongestionControl(p.congestionControl, type) &&
                         (type == TcpDctcp::GetTypeId() || type.IsChildOf(TcpDctcp::GetTypeId()));
    const bool isEcn = GetSetting(p, "TcpSocketBase.UseEcn") == "On";
    std::vector<std::string> cautions;
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
