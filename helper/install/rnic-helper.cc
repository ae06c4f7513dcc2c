/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-helper.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-profile.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-attribute-text.h"
#include "ns3/util-near-match.h"
#include "ns3/util-text.h"

#include <cstddef>

namespace ns3
{

RnicHelper::RnicHelper(const std::string& profile)
    : RnicHelper(RnicProfile::GetDesign(profile))
{
}

RnicHelper::RnicHelper(const RnicDesign& design)
    : m_design(design)
{
    m_factory.SetTypeId(Rnic::GetTypeId());
}

void
RnicHelper::Set(const std::string& path, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (Rnic::GetTypeId().LookupAttributeByName(path, &info))
    {
        m_factory.Set(path, value);
        return;
    }
    const std::string problem = m_design.Set(path, value);
    NS_ABORT_MSG_UNLESS(problem.empty(), "RNIC: " << problem);
}

std::string
RnicHelper::SetFromText(const std::string& path, const std::string& value)
{
    TypeId::AttributeInformation info;
    if (!Find(path, info))
    {
        std::vector<std::string> paths;
        for (const auto& setting : GetSettings())
        {
            paths.push_back(setting.path);
        }
        const auto near = iwarp::FindNearest(path, paths);
        return "an RNIC has no attribute '" + path + "'" +
               (near.empty() ? "" : "; near are " + iwarp::Join(near));
    }
    info.name = path;
    std::string problem;
    if (const auto parsed = iwarp::ParseAttribute(info, value, problem))
    {
        Set(path, *parsed);
    }
    return problem;
}

void
RnicHelper::AddStage(RnicPipelineKind pipeline,
                     const std::string& name,
                     const std::string& type,
                     const std::string& before)
{
    const std::string problem = m_design.AddStage(pipeline, name, type, before);
    NS_ABORT_MSG_UNLESS(problem.empty(), "RNIC: " << problem);
}

std::string
RnicHelper::AddEsp(const std::string& profile)
{
    return RnicEspProfile::Has(profile) ? RnicEspProfile::Apply(profile, m_design)
                                        : "there is no ESP engine '" + profile + "'; there are " +
                                              iwarp::Join(RnicEspProfile::GetNames(), ", ");
}

std::string
RnicHelper::Check() const
{
    return m_design.Make()->Check();
}

bool
RnicHelper::Find(const std::string& path, TypeId::AttributeInformation& info) const
{
    return Rnic::GetTypeId().LookupAttributeByName(path, &info) || m_design.Find(path, info);
}

std::vector<RnicDesign::Setting>
RnicHelper::GetSettings() const
{
    auto settings = m_design.GetSettings();
    const Ptr<Rnic> rnic = m_factory.Create<Rnic>();
    const TypeId tid = Rnic::GetTypeId();
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto info = tid.GetAttribute(i);
        const auto value = info.checker->Create();
        rnic->GetAttribute(info.name, *value);
        settings.push_back({info.name, value->SerializeToString(info.checker), info});
    }
    return settings;
}

std::vector<RnicDesign::Setting>
RnicHelper::ListSettings(const std::string& profile)
{
    return RnicHelper(profile).GetSettings();
}

Ptr<Rnic>
RnicHelper::Install(Ptr<Node> node) const
{
    Ptr<Rnic> rnic = node->GetObject<Rnic>();
    if (rnic)
    {
        return rnic;
    }
    NS_ABORT_MSG_UNLESS(node->GetObject<TcpL4Protocol>(),
                        "an RNIC needs TCP: install an internet stack on node " << node->GetId()
                                                                                << " first");
    rnic = m_factory.Create<Rnic>();
    rnic->SetDesign(m_design);
    const std::string fault = rnic->Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC of node " << node->GetId() << ": " << fault);
    node->AggregateObject(rnic);
    return rnic;
}

std::vector<Ptr<Rnic>>
RnicHelper::Install(const NodeContainer& nodes) const
{
    std::vector<Ptr<Rnic>> rnics;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        rnics.push_back(Install(*i));
    }
    return rnics;
}

Ptr<RnicEspEngine>
RnicHelper::InstallEspEngine(Ptr<Node> node) const
{
    NS_ABORT_MSG_IF(node->GetObject<Rnic>(),
                    "node " << node->GetId() << " has an RNIC, which does ESP itself: AddEsp()");
    Ptr<RnicEspEngine> engine = node->GetObject<RnicEspEngine>();
    if (!engine)
    {
        engine = CreateObject<RnicEspEngine>();
        engine->SetDesign(m_design);
        const std::string fault = engine->Check();
        NS_ABORT_MSG_UNLESS(fault.empty(), "ESP engine of node " << node->GetId() << ": " << fault);
        node->AggregateObject(engine);
    }
    return engine;
}

int64_t
RnicHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    const int64_t first = stream;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        if (Ptr<Rnic> rnic = (*i)->GetObject<Rnic>())
        {
            stream += rnic->AssignStreams(stream);
        }
        if (Ptr<RnicEspEngine> engine = (*i)->GetObject<RnicEspEngine>())
        {
            stream += engine->AssignStreams(stream);
        }
    }
    return stream - first;
}

} // namespace ns3
