/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-parts.h"

#include "iwarp-scenario-rnic.h"
#include "iwarp-short-names.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-part-ipsec.h"
#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-part-run.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace iwarp
{

ScenarioParts::ScenarioParts(const ScenarioSetup& setup)
    : m_setup(setup)
{
    SetDefaults();
    for (const auto& part : m_setup.parts)
    {
        m_problem = m_problem.empty() ? part->Check() : m_problem;
    }
    if (m_problem.empty())
    {
        m_topology = Get<IwarpNetworkPart>()->MakeTopology();
        m_workload = Get<IwarpRunPart>()->MakeWorkload();
        // what plain TCP has to be told: the segment that fits the MTU with headers and timestamps
        Derive("TcpSocket.SegmentSize", UintegerValue(GetEmss()), "");
    }
}

void
ScenarioParts::SetDefaults()
{
    for (const auto& [name, target, initial] : GetShortNames())
    {
        if (!initial.empty() && m_setup.settings.count(target) == 0)
        {
            m_settings.SetDefault(target, StringValue(initial));
        }
    }
    for (const auto& [name, text] : m_setup.settings)
    {
        QualifiedAttribute attribute;
        if (IsRnicName(name))
        {
            continue;
        }
        const bool found = FindAttribute(name, attribute).empty();
        NS_ABORT_MSG_UNLESS(found, "IwarpScenario has taken " << name);
        m_settings.SetDefault(attribute, StringValue(text));
    }
    for (const auto& part : m_setup.parts)
    {
        part->SetDefaults(*this);
    }
}

void
ScenarioParts::Derive(const std::string& name,
                      const AttributeValue& value,
                      const std::string& source)
{
    if (m_setup.settings.count(name) == 0)
    {
        m_settings.SetDefault(name, value);
    }
    else if (m_setup.given.count(source) > 0)
    {
        m_problem = source + ", " + name + ": the first sets the second, so give one of them";
    }
}

std::string
ScenarioParts::Check() const
{
    std::string problem = m_problem;
    for (const auto& part : m_setup.parts)
    {
        problem = problem.empty() ? part->CheckWith(*this) : problem;
    }
    return problem;
}

std::string
ScenarioParts::CheckRanks() const
{
    std::string problem = m_setup.observer
                              ? "an observer sees the nodes of one rank only; run it in "
                                "one process"
                              : "";
    problem = m_setup.traces ? "traces are taken down in one process; leave them out" : problem;
    for (const auto& part : ListActive())
    {
        problem = problem.empty() ? part->CheckRanks(*this) : problem;
    }
    return problem;
}

void
ScenarioParts::Restart()
{
    const auto run = Get<IwarpRunPart>();
    m_settings.SetRandom(run->GetSeed(), run->GetRun());
}

const ScenarioSetup&
ScenarioParts::GetSetup() const
{
    return m_setup;
}

std::string
ScenarioParts::GetSetting(const std::string& name) const
{
    const auto found = m_setup.settings.find(name);
    return found == m_setup.settings.end() ? "" : found->second;
}

std::vector<Ptr<IwarpScenarioPart>>
ScenarioParts::ListActive() const
{
    std::vector<Ptr<IwarpScenarioPart>> active;
    std::copy_if(m_setup.parts.begin(),
                 m_setup.parts.end(),
                 std::back_inserter(active),
                 [](const auto& part) { return !part->IsIdle(); });
    return active;
}

const Ptr<IwarpTopology>&
ScenarioParts::GetTopology() const
{
    return m_topology;
}

const Ptr<IwarpWorkload>&
ScenarioParts::GetWorkload() const
{
    return m_workload;
}

uint32_t
ScenarioParts::CountPairs() const
{
    uint32_t pairs = Get<IwarpNetworkPart>()->GetFlowPairs();
    for (const auto& part : ListActive())
    {
        pairs += part->CountPairs();
    }
    return pairs;
}

ScopedSettings&
ScenarioParts::GetSettings()
{
    return m_settings;
}

uint32_t
ScenarioParts::GetMtu() const
{
    UintegerValue mtu;
    m_topology->GetAttribute("Mtu", mtu);
    return static_cast<uint32_t>(mtu.Get());
}

uint32_t
ScenarioParts::GetIp() const
{
    return Get<IwarpNetworkPart>()->IsIpv6() ? 40 : 20;
}

uint32_t
ScenarioParts::GetHeaders() const
{
    const bool timestamps = GetDefault<BooleanValue>("TcpSocketBase.Timestamp");
    return GetIp() + 20 + (timestamps ? 12 : 0);
}

IwarpWorkload::Headers
ScenarioParts::GetWorkloadHeaders() const
{
    return m_workload->GetHeaders(GetIp(), GetHeaders() - GetIp());
}

uint32_t
ScenarioParts::GetPlainSegmentSize() const
{
    const auto given = static_cast<uint32_t>(GetDefault<UintegerValue>("TcpSocket.SegmentSize"));
    const bool ipv6 = Get<IwarpNetworkPart>()->IsIpv6();
    const uint32_t mtu = ipv6 ? GetWholeMtu() // gateways divide what is of IPv4
                              : Get<IwarpIpsecPart>()->GetHostMtu(GetMtu(), ipv6);
    return std::min(given, mtu - GetHeaders());
}

uint32_t
ScenarioParts::GetWholeMtu() const
{
    const bool ipv6 = Get<IwarpNetworkPart>()->IsIpv6();
    const auto ipsec = Get<IwarpIpsecPart>();
    return ipsec->GetHostMtu(ipsec->GetTunnelMtu(GetMtu(), ipv6), ipv6);
}

uint32_t
ScenarioParts::GetEmss() const
{
    const bool ipv6 = Get<IwarpNetworkPart>()->IsIpv6();
    return Get<IwarpIpsecPart>()->GetHostMtu(GetMtu(), ipv6) - GetHeaders();
}

} // namespace iwarp
} // namespace ns3
