/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-qualified-name.h"

#include "ns3/util-attribute-text.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param type class @return names of its own attributes
std::vector<std::string>
GetAttributeNames(TypeId type)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        names.push_back(type.GetAttribute(i).name);
    }
    return names;
}

/// @param kind of a value as ns-3 names it @return whether its text can be read without harm
bool
IsReadable(const std::string& kind)
{
    static const std::vector<std::string> kinds{"ns3::BooleanValue",
                                                "ns3::UintegerValue",
                                                "ns3::IntegerValue",
                                                "ns3::DoubleValue",
                                                "ns3::TimeValue",
                                                "ns3::DataRateValue",
                                                "ns3::QueueSizeValue",
                                                "ns3::StringValue",
                                                "ns3::TypeIdValue",
                                                "ns3::PointerValue"};
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ||
           kind.rfind("ns3::EnumValue", 0) == 0;
}

/// @param info of an attribute @return whether a default can be given for it as text
bool
IsSettable(const TypeId::AttributeInformation& info)
{
    return (info.flags & (TypeId::ATTR_SET | TypeId::ATTR_CONSTRUCT)) != 0 &&
           info.accessor->HasSetter() && IsReadable(GetKind(info.checker));
}

} // namespace

std::string
QualifiedAttribute::GetName() const
{
    return GetShortName(type) + "." + info.name;
}

bool
FindOwnAttribute(TypeId type, const std::string& name, QualifiedAttribute& found)
{
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        if (type.GetAttribute(i).name == name)
        {
            found = {type, i, type.GetAttribute(i)};
            return true;
        }
    }
    return false;
}

IwarpParameter
DescribeParameter(const std::string& name, const TypeId::AttributeInformation& info)
{
    return {name,
            "",
            GetKind(info.checker),
            GetRange(info.checker),
            info.initialValue->SerializeToString(info.checker),
            info.help};
}

std::string
FindAttribute(const std::string& name, QualifiedAttribute& found)
{
    if (name.find('.') == std::string::npos && name.find("::") == std::string::npos)
    {
        return "'" + name + "' is no qualified name such as MpaStream.SilentDrop";
    }
    const auto [type, attribute] = SplitName(name);
    TypeId tid;
    const std::string problem = FindClass(type, tid);
    if (!problem.empty())
    {
        return problem;
    }
    if (!FindOwnAttribute(tid, attribute, found))
    {
        for (TypeId base = tid; base.HasParent(); base = base.GetParent())
        {
            if (FindOwnAttribute(base.GetParent(), attribute, found))
            {
                return attribute + " is an attribute of a base class of " + type +
                       " and has one default for all its kinds: set " + found.GetName();
            }
        }
        const auto known = GetAttributeNames(tid);
        const std::string near = SuggestNames(attribute, known);
        const std::string others = known.empty() ? "; it has none" : "; it has " + Join(known);
        return type + " has no attribute '" + attribute + "'" + (near.empty() ? others : near);
    }
    return IsSettable(found.info) ? "" : found.GetName() + " cannot be given as text";
}

std::vector<QualifiedAttribute>
ListAttributes(const std::string& filter)
{
    std::vector<QualifiedAttribute> list;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t j = 0; j < type.GetAttributeN(); j++)
        {
            const QualifiedAttribute attribute{type, j, type.GetAttribute(j)};
            const bool wanted = filter.empty() ? type.GetGroupName() == "Iwarp"
                                               : Contains(attribute.GetName(), filter);
            if (wanted && IsSettable(attribute.info))
            {
                list.push_back(attribute);
            }
        }
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return a.GetName() < b.GetName();
    });
    return list;
}

Ptr<AttributeValue>
ParseParameter(const std::string& name,
               TypeId::AttributeInformation info,
               const std::string& text,
               std::string& problem)
{
    info.name = name;
    return ParseAttribute(info, text, problem);
}

} // namespace iwarp
} // namespace ns3
