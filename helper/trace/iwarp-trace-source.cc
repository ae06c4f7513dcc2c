/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-source.h"

#include "iwarp-class-name.h"

#include "ns3/util-text.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param type class @return its trace sources and those of its base classes, with their classes
std::vector<std::pair<TypeId, TypeId::TraceSourceInformation>>
ListAll(TypeId type)
{
    std::vector<std::pair<TypeId, TypeId::TraceSourceInformation>> all;
    for (;; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetTraceSourceN(); i++)
        {
            all.emplace_back(type, type.GetTraceSource(i));
        }
        if (!type.HasParent())
        {
            return all;
        }
    }
}

} // namespace

std::string
TraceSource::GetName() const
{
    const std::string name = GetShortName(type);
    return name.substr(0, name.find('<')) + "." + info.name;
}

bool
TraceSource::IsOf(const Object& object) const
{
    const TypeId kind = object.GetInstanceTypeId();
    return kind == type || kind.IsChildOf(type);
}

std::string
FindTraceSource(const std::string& name, TraceSource& found)
{
    const auto [type, source] = SplitName(name);
    if (source.empty())
    {
        return "'" + name + "' is no qualified name such as MpaStream.Passed";
    }
    const std::string problem = FindClass(type, found.type);
    if (!problem.empty())
    {
        return problem;
    }
    std::vector<std::string> known;
    for (const auto& [declares, info] : ListAll(found.type))
    {
        if (info.name == source)
        {
            found.info = info;
            found.connector = FindConnector(declares, info);
            return found.connector ? ""
                                   : found.GetName() + " cannot be taken down: nothing connects " +
                                         info.callback;
        }
        known.push_back(info.name);
    }
    const std::string near = SuggestNames(source, known);
    const std::string others = known.empty() ? "; it has none" : "; it has " + Join(known);
    return type + " has no trace source '" + source + "'" + (near.empty() ? others : near);
}

std::vector<TraceSource>
ListTraceSources(const std::string& filter)
{
    std::vector<TraceSource> list;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t j = 0; j < type.GetTraceSourceN(); j++)
        {
            const auto info = type.GetTraceSource(j);
            const TraceSource source{type, info, FindConnector(type, info)};
            const bool wanted = filter.empty() ? type.GetGroupName() == "Iwarp"
                                               : Contains(source.GetName(), filter);
            if (wanted && source.connector)
            {
                list.push_back(source);
            }
        }
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return a.GetName() < b.GetName();
    });
    return list;
}

std::vector<TraceColumn>
MakeColumns(const TraceConnector& connector)
{
    std::vector<TraceColumn> columns;
    for (std::size_t i = 0; i < connector.types.size(); i++)
    {
        const auto& text = connector.texts[i];
        columns.push_back({text.name, connector.types[i], text.unit, text.help});
    }
    return columns;
}

} // namespace iwarp
} // namespace ns3
