/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-design.h"

#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicDesign");

namespace
{

const char* const RECEIVER = "Receiver"; // path of the kind of receiver

// @return the kind of receiver as an attribute
TypeId::AttributeInformation
DescribeReceiver()
{
    TypeId::AttributeInformation info;
    info.name = RECEIVER;
    info.help = "Kind of receiver.";
    info.checker = iwarp::MakeEnumChecker(RnicReceiver::FLOW_THROUGH,
                                          "FlowThrough",
                                          RnicReceiver::STORE_AND_FORWARD,
                                          "StoreAndForward",
                                          RnicReceiver::HOST_SOFTWARE,
                                          "HostSoftware",
                                          RnicReceiver::AUTONOMOUS,
                                          "Autonomous");
    return info;
}

// @param path of an attribute @return name of the part and name of the attribute
std::pair<std::string, std::string>
Split(const std::string& path)
{
    const auto dot = std::min(path.find('.'), path.size());
    return {path.substr(0, dot), path.substr(dot).erase(0, 1)};
}

} // namespace

RnicDesign::RnicDesign(RnicReceiver receiver)
    : m_receiver(receiver),
      m_stages(rnic::GetStages(receiver))
{
    Set("ContextCache.EntrySize", UintegerValue(375));
}

void
RnicDesign::SetReceiver(RnicReceiver receiver)
{
    m_receiver = receiver;
    m_stages = rnic::GetStages(receiver);
    for (const auto& added : std::exchange(m_added, {}))
    {
        AddStage(added.line.pipeline, added.line.name, added.line.type, added.before);
    }
}

RnicReceiver
RnicDesign::GetReceiver() const
{
    return m_receiver;
}

std::string
RnicDesign::AddStage(RnicPipelineKind pipeline,
                     const std::string& name,
                     const std::string& type,
                     const std::string& before)
{
    NS_LOG_FUNCTION(this << name << type << before);
    TypeId tid;
    if (FindPart(name, tid))
    {
        return "an RNIC has a part " + name + " already";
    }
    if (!TypeId::LookupByNameFailSafe(type, &tid) || !tid.IsChildOf(RnicStage::GetTypeId()) ||
        !tid.HasConstructor())
    {
        return type + " is no stage of an RNIC";
    }
    const auto place = std::find_if(m_stages.begin(), m_stages.end(), [&](const auto& stage) {
        return stage.pipeline == pipeline && stage.name == before;
    });
    if (place == m_stages.end() && !before.empty())
    {
        return "there is no stage " + before + " for " + name + " to stand before";
    }
    const rnic::StageLine line{pipeline, name, type};
    m_stages.insert(place, line);
    m_added.push_back({line, before});
    return "";
}

bool
RnicDesign::FindPart(const std::string& name, TypeId& tid) const
{
    for (const auto& resource : rnic::GetResources())
    {
        if (resource.name == name)
        {
            return TypeId::LookupByNameFailSafe(resource.type, &tid);
        }
    }
    for (const auto& stage : m_stages)
    {
        if (stage.name == name)
        {
            return TypeId::LookupByNameFailSafe(stage.type, &tid);
        }
    }
    return false;
}

bool
RnicDesign::Find(const std::string& path, TypeId::AttributeInformation& info) const
{
    if (path == RECEIVER)
    {
        info = DescribeReceiver();
        return true;
    }
    TypeId tid;
    const auto [part, attribute] = Split(path);
    return FindPart(part, tid) && tid.LookupAttributeByName(attribute, &info);
}

std::string
RnicDesign::Set(const std::string& path, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << path);
    TypeId::AttributeInformation info;
    if (!Find(path, info))
    {
        return "an RNIC of this design has no attribute " + path;
    }
    const Ptr<AttributeValue> valid = info.checker->CreateValidValue(value);
    if (!valid)
    {
        return path + " cannot be " + value.SerializeToString(info.checker);
    }
    if (path == RECEIVER)
    {
        using Value = decltype(iwarp::MakeEnumValue(m_receiver));
        SetReceiver(static_cast<RnicReceiver>(DynamicCast<Value>(valid)->Get()));
        return "";
    }
    const auto known = std::find_if(m_values.begin(), m_values.end(), [&path](const auto& set) {
        return set.first == path;
    });
    if (known == m_values.end())
    {
        m_values.emplace_back(path, valid);
    }
    else
    {
        known->second = valid;
    }
    return "";
}

Ptr<Object>
RnicDesign::MakePart(const std::string& name, const std::string& type) const
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    for (const auto& [path, value] : m_values)
    {
        const auto [part, attribute] = Split(path);
        TypeId::AttributeInformation info;
        if (part == name && factory.GetTypeId().LookupAttributeByName(attribute, &info))
        {
            factory.Set(attribute, *value);
        }
    }
    return factory.Create();
}

std::vector<RnicDesign::Setting>
RnicDesign::GetSettings() const
{
    std::vector<Setting> settings;
    auto info = DescribeReceiver();
    settings.push_back(
        {RECEIVER, iwarp::MakeEnumValue(m_receiver).SerializeToString(info.checker), info});
    auto add = [&](const std::string& name, const std::string& type) {
        const Ptr<Object> part = MakePart(name, type);
        TypeId tid = part->GetInstanceTypeId();
        for (; tid != RnicPart::GetTypeId(); tid = tid.GetParent())
        {
            for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
            {
                const auto attribute = tid.GetAttribute(i);
                const auto value = attribute.checker->Create();
                part->GetAttribute(attribute.name, *value);
                settings.push_back({name + "." + attribute.name,
                                    value->SerializeToString(attribute.checker),
                                    attribute});
            }
        }
    };
    for (const auto& resource : rnic::GetResources())
    {
        add(resource.name, resource.type);
    }
    for (const auto& stage : m_stages)
    {
        add(stage.name, stage.type);
    }
    return settings;
}

std::unique_ptr<RnicDatapath>
RnicDesign::Make() const
{
    std::vector<RnicNamedPart> resources;
    for (const auto& [name, type] : rnic::GetResources())
    {
        resources.push_back({name, DynamicCast<RnicPart>(MakePart(name, type))});
    }
    auto path = std::make_unique<RnicDatapath>(resources);
    for (const auto& [pipeline, name, type] : m_stages)
    {
        path->AddStage(pipeline, name, DynamicCast<RnicStage>(MakePart(name, type)));
    }
    return path;
}

} // namespace ns3
