/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-qualified-name.h"
#include "iwarp-scenario-rnic.h"
#include "iwarp-scenario.h"
#include "iwarp-short-names.h"
#include "iwarp-type-name.h"

#include "ns3/esp-algorithm.h"
#include "ns3/iwarp-topology-file.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-profile.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <set>

namespace ns3
{

using namespace iwarp;

namespace
{

const std::string PREFIX = "IwarpScenario."; //!< of the qualified names of the scenario's own

/// An attribute of the scenario that names a class
struct Part
{
    std::string attribute; //!< attribute
    TypeId base;           //!< base class
    bool isOptional;       //!< there may be none
    bool isList;           //!< there may be several
};

/// @return attributes that name classes
std::vector<Part>
GetParts()
{
    return {{"Topology", IwarpTopology::GetTypeId(), false, false},
            {"Workload", IwarpWorkload::GetTypeId(), false, false},
            {"Impairment", PathImpairment::GetTypeId(), false, true},
            {"Middlebox", PathMiddlebox::GetTypeId(), true, false}};
}

/// @param attribute of the scenario @return names that it takes; none if it is free or a number
std::vector<std::string>
ListNames(const std::string& attribute)
{
    std::vector<std::string> names;
    if (attribute == "Rnic" || attribute == "EspEngine")
    {
        names = attribute == "Rnic" ? RnicProfile::GetNames() : RnicEspProfile::GetNames();
        names.emplace(names.begin(), "none");
    }
    if (attribute == "CrossTraffic")
    {
        names = {"none", "udp", "tcp"};
    }
    if (attribute == "Cipher")
    {
        names = GetEspTransformNames();
    }
    for (const auto& [name, base, isOptional, isList] : GetParts())
    {
        if (name != attribute)
        {
            continue;
        }
        for (const TypeId& type : GetTypes(base))
        {
            names.push_back(GetShortTypeName(type, base));
        }
        if (isOptional)
        {
            names.emplace(names.begin(), "none");
        }
    }
    std::replace(names.begin(), names.end(), std::string("file"), std::string("file:PATH"));
    return names;
}

/// @param name attribute of the scenario, short or qualified @param [out] found it @return success
bool
FindOfScenario(const std::string& name, QualifiedAttribute& found)
{
    const std::string own = name.rfind(PREFIX, 0) == 0 ? name.substr(PREFIX.size()) : name;
    return FindOwnAttribute(IwarpScenario::GetTypeId(), own, found);
}

/// @param attribute of the scenario @return what it is
IwarpParameter
DescribeOfScenario(const QualifiedAttribute& attribute)
{
    IwarpParameter parameter = DescribeParameter(attribute.info.name, attribute.info);
    const auto names = ListNames(parameter.name);
    if (parameter.name == "Impairment") // several are no longer one of the names
    {
        parameter.help += ": " + Join(names);
    }
    else if (!names.empty())
    {
        parameter.type = "ns3::EnumValue";
        parameter.range = Join(names, "|");
    }
    return parameter;
}

/// @param name a short name @return what it is
IwarpParameter
DescribeShort(const ShortName& name)
{
    QualifiedAttribute attribute;
    const std::string problem = FindAttribute(name.target, attribute);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    IwarpParameter parameter = DescribeParameter(name.name, attribute.info);
    parameter.target = name.target;
    if (!name.initial.empty())
    {
        std::string ignored;
        parameter.initial = ParseParameter(name.name, attribute.info, name.initial, ignored)
                                ->SerializeToString(attribute.info.checker);
    }
    return parameter;
}

/// @param name unknown @return one line that says so
std::string
SayUnknown(const std::string& name)
{
    std::vector<std::string> known;
    for (const auto& parameter : IwarpScenario::ListParameters())
    {
        known.push_back(parameter.name);
    }
    const std::string near = SuggestNames(name, known);
    return "there is no parameter '" + name + "'" +
           (near.empty() ? "; there are " + Join(known) + ", and qualified names" : near);
}

/// An attribute that is not the scenario's own
struct Target
{
    std::string name;                  //!< name for people
    std::string key;                   //!< qualified name
    TypeId::AttributeInformation info; //!< what it is
};

/// @param name short or qualified name @param [out] target attribute @return "", or what is wrong
std::string
FindTarget(const std::string& name, Target& target)
{
    const ShortName* shortName = FindShortName(name);
    if (!shortName && name.find_first_of(".:") == std::string::npos)
    {
        return SayUnknown(name);
    }
    target.key = shortName ? shortName->target : name;
    target.name = name;
    if (IsRnicName(target.key))
    {
        return FindRnicAttribute(target.key, target.info);
    }
    QualifiedAttribute attribute;
    const std::string problem = FindAttribute(target.key, attribute);
    target.info = attribute.info;
    target.key = problem.empty() ? attribute.GetName() : name;
    return problem;
}

} // namespace

std::string
IwarpScenario::SetOwn(const TypeId::AttributeInformation& info, const std::string& value)
{
    std::string problem;
    static const std::set<std::string> named{"Rnic", "EspEngine", "Cipher", "CrossTraffic"};
    if (named.count(info.name) > 0)
    {
        const auto names = ListNames(info.name);
        if (std::find(names.begin(), names.end(), value) == names.end())
        {
            problem = "there is no '" + value + "'; there are " + Join(names);
        }
    }
    for (const auto& [name, base, isOptional, isList] : GetParts())
    {
        TypeId type;
        std::vector<TypeId> types;
        const bool isFile = name == "Topology" && !IwarpFileTopology::GetFile(value).empty();
        if (name == info.name && !(isOptional && value == "none") && !isFile)
        {
            problem = isList ? FindTypes(value, base, types) : FindType(value, base, type);
        }
    }
    if (!problem.empty())
    {
        return info.name + ": " + problem;
    }
    const Ptr<AttributeValue> parsed = ParseParameter(info.name, info, value, problem);
    if (parsed && !SetAttributeFailSafe(info.name, *parsed))
    {
        problem = info.name + ": '" + value + "' is not allowed";
    }
    if (problem.empty())
    {
        given.insert(info.name);
    }
    return problem;
}

std::string
IwarpScenario::SetParameter(const std::string& name, const std::string& value)
{
    QualifiedAttribute own;
    if (FindOfScenario(name, own))
    {
        return SetOwn(own.info, value);
    }
    Target target;
    std::string problem = FindTarget(name, target);
    if (problem.empty() && ParseParameter(target.name, target.info, value, problem))
    {
        settings[target.key] = value;
    }
    return problem;
}

std::vector<IwarpParameter>
IwarpScenario::ListParameters()
{
    std::vector<IwarpParameter> list;
    const TypeId type = GetTypeId();
    for (std::size_t i = 0; i < type.GetAttributeN(); i++)
    {
        list.push_back(DescribeOfScenario({type, i, type.GetAttribute(i)}));
    }
    for (const auto& name : GetShortNames())
    {
        list.push_back(DescribeShort(name));
    }
    return list;
}

std::vector<IwarpParameter>
IwarpScenario::ListQualifiedParameters(const std::string& filter)
{
    std::vector<IwarpParameter> list;
    for (const auto& attribute : ListAttributes(filter))
    {
        if (attribute.type != GetTypeId())
        {
            list.push_back(DescribeParameter(attribute.GetName(), attribute.info));
        }
    }
    for (const auto& parameter : ListRnicAttributes())
    {
        if (Contains(parameter.name, filter))
        {
            list.push_back(parameter);
        }
    }
    return list;
}

std::string
IwarpScenario::FindParameter(const std::string& name, IwarpParameter& parameter)
{
    QualifiedAttribute own;
    if (FindOfScenario(name, own))
    {
        parameter = DescribeOfScenario(own);
        return "";
    }
    Target target;
    const std::string problem = FindTarget(name, target);
    if (!problem.empty())
    {
        return problem;
    }
    if (const ShortName* shortName = FindShortNameOf(target.key))
    {
        parameter = DescribeShort(*shortName);
    }
    else
    {
        parameter = DescribeParameter(target.key, target.info);
    }
    return "";
}

std::vector<MetricInfo>
IwarpScenario::ListMetrics()
{
    std::vector<MetricInfo> list;
    for (const auto& metric : GetDeclaredMetrics())
    {
        list.push_back(metric.second);
    }
    return list;
}

} // namespace ns3
