/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-parts.h"

#include "iwarp-scenario-check.h"
#include "iwarp-scenario-ipsec.h"
#include "iwarp-scenario-rnic.h"
#include "iwarp-short-names.h"
#include "iwarp-type-name.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-topology-file.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/path-ecmp-routing.h"
#include "ns3/string.h"
#include "ns3/tcp-receive-window.h"
#include "ns3/uinteger.h"

#include <iomanip>
#include <sstream>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param longest of a uniform distribution from 0 @return the distribution as text
std::string
MakeHoldTime(Time longest)
{
    std::ostringstream text;
    text << "ns3::UniformRandomVariable[Max=" << std::setprecision(17) << longest.GetSeconds()
         << "]";
    return text.str();
}

} // namespace

ScenarioParts::ScenarioParts(const IwarpScenarioParameters& parameters)
    : m_parameters(parameters)
{
    SetDefaults();
    MakeParts();
    if (m_problem.empty())
    {
        m_problem = CheckIpsec(m_parameters);
    }
    if (m_problem.empty())
    {
        MakeRnics();
    }
    if (m_problem.empty())
    {
        // what plain TCP has to be told: the segment that fits the MTU with headers and timestamps
        Derive("TcpSocket.SegmentSize", UintegerValue(GetEmss()), "");
    }
}

void
ScenarioParts::Derive(const std::string& name,
                      const AttributeValue& value,
                      const std::string& source)
{
    if (m_parameters.settings.count(name) == 0)
    {
        m_settings.SetDefault(name, value);
    }
    else if (m_parameters.given.count(source) > 0)
    {
        m_problem = source + ", " + name + ": the first sets the second, so give one of them";
    }
}

void
ScenarioParts::SetDefaults()
{
    const auto& p = m_parameters;
    for (const auto& [name, target, initial] : GetShortNames())
    {
        if (!initial.empty() && p.settings.count(target) == 0)
        {
            m_settings.SetDefault(target, StringValue(initial));
        }
    }
    TypeId congestionControl;
    if (FindCongestionControl(p.congestionControl, congestionControl))
    {
        Derive("TcpL4Protocol.SocketType", TypeIdValue(congestionControl), "CongestionControl");
    }
    for (const auto* routing : {"PathIpv4EcmpRouting", "PathIpv6EcmpRouting"})
    {
        Derive(std::string(routing) + ".Spreading", iwarp::MakeEnumValue(p.ecmp), "Ecmp");
    }
    Derive("PathRandomImpairment.HoldTime",
           StringValue(MakeHoldTime(p.reorderingDelay)),
           "ReorderingDelay");
    for (const auto& [name, text] : p.settings)
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
    if (p.windowRate.GetBitRate() > 0 && p.windowRtt.IsStrictlyPositive())
    {
        m_settings.SetDefault("TcpSocket.RcvBufSize",
                              UintegerValue(TcpWindowFor(p.windowRate, p.windowRtt)));
    }
    if (!p.pcap.empty())
    {
        m_settings.SetGlobal("ChecksumEnabled", BooleanValue(true));
    }
}

void
ScenarioParts::Find(const std::string& source, const std::string& name, TypeId base, TypeId& type)
{
    const std::string problem = FindType(name, base, type);
    if (!problem.empty() && m_problem.empty())
    {
        m_problem = source + ": " + problem;
    }
}

void
ScenarioParts::MakeParts()
{
    const auto& p = m_parameters;
    ObjectFactory factory;
    TypeId type;
    const std::string file = IwarpFileTopology::GetFile(p.topology);
    Find("Topology", file.empty() ? p.topology : "file", IwarpTopology::GetTypeId(), type);
    if (m_problem.empty())
    {
        factory.SetTypeId(type);
        if (!file.empty())
        {
            factory.Set("File", StringValue(file));
        }
        m_topology = p.ownTopology ? p.ownTopology : factory.Create<IwarpTopology>();
    }
    Find("Workload", p.workload, IwarpWorkload::GetTypeId(), type);
    if (m_problem.empty())
    {
        factory.SetTypeId(type);
        m_workload = p.ownWorkload ? p.ownWorkload : factory.Create<IwarpWorkload>();
    }
    const std::string wrong = FindTypes(p.impairment, PathImpairment::GetTypeId(), m_impairments);
    if (!wrong.empty() && m_problem.empty())
    {
        m_problem = "Impairment: " + wrong;
    }
    if (p.middlebox != "none")
    {
        Find("Middlebox", p.middlebox, PathMiddlebox::GetTypeId(), m_middlebox);
    }
}

void
ScenarioParts::MakeRnics()
{
    const auto& p = m_parameters;
    using Ipsec = IwarpScenarioParameters::Ipsec;
    m_espHelper = MakeEspHelper(p.espEngine, p.settings, m_problem);
    if (m_problem.empty())
    {
        const bool atHosts = p.ipsec != Ipsec::NONE && p.ipsec != Ipsec::GATEWAY;
        m_rnicHelper =
            MakeRnicHelper(p.rnic, atHosts ? p.espEngine : "none", p.settings, m_problem);
    }
}

const std::string&
ScenarioParts::GetProblem() const
{
    return m_problem;
}

void
ScenarioParts::Restart()
{
    m_settings.SetRandom(m_parameters.seed, m_parameters.run);
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

const RnicHelper*
ScenarioParts::GetRnicHelper() const
{
    return m_rnicHelper.get();
}

const RnicHelper*
ScenarioParts::GetEspHelper() const
{
    return m_espHelper.get();
}

std::vector<Ptr<PathImpairment>>
ScenarioParts::MakeImpairments() const
{
    std::vector<Ptr<PathImpairment>> made;
    for (const TypeId& type : m_impairments)
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        made.push_back(factory.Create<PathImpairment>());
    }
    return made;
}

Ptr<PathMiddlebox>
ScenarioParts::MakeMiddlebox() const
{
    if (m_parameters.middlebox == "none")
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(m_middlebox);
    return factory.Create<PathMiddlebox>();
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
    return m_parameters.ipv6 ? 40 : 20;
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
    const uint32_t mtu = FindHostMtu(m_parameters, FindTunnelMtu(m_parameters, GetMtu()));
    return std::min(given, mtu - GetHeaders());
}

uint32_t
ScenarioParts::GetEmss() const
{
    return FindHostMtu(m_parameters, GetMtu()) - GetHeaders();
}

} // namespace iwarp
} // namespace ns3
