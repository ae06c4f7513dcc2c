/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-idle-settings.h"

#include "iwarp-scenario-rnic.h"
#include "iwarp-short-names.h"

#include "ns3/iwarp-topology-file.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/nstime.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"
#include "ns3/string.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param parts of the scenario @return whether links have the queue discs of QueueDisc
bool
HasOneQueueDisc(const ScenarioParts& parts)
{
    StringValue links; // of a table, some of which may have others
    const auto& topology = parts.GetTopology();
    return !DynamicCast<IwarpFileTopology>(topology) &&
           (!topology->GetAttributeFailSafe("Links", links) || links.Get().empty());
}

/// @param parts of the scenario @return whether messages do not arrive by themselves
bool
HasNoStage(const ScenarioParts& parts)
{
    return !parts.GetWorkload()->HasStage();
}

/// Parameters that do nothing with some values of another one.
struct IdleRule
{
    const char* idle;   //!< parameters, with commas between them
    const char* by;     //!< parameter that sets them aside
    const char* values; //!< its values that do, with commas between them
    bool (*applies)(const ScenarioParts&) = nullptr; //!< where else it depends on more
};

constexpr IdleRule RULES[] = {
    {"CrossFlows,CrossRate,CrossDirection,CrossCongestionControl,CrossDscp",
     "CrossTraffic",
     "none"},
    {"CrossRate", "CrossTraffic", "tcp"},
    {"CrossCongestionControl", "CrossTraffic", "udp"},
    {"Cipher,IpsecReal,IpsecSharing,ReplayWindow,ExtendedSequence,IpsecUdp,IpsecUdpEntropy,"
     "KeyExchange,AssociationOctets,AssociationPackets,AssociationTime",
     "Ipsec",
     "none"},
    {"IncastSenders", "Pattern", "pairs,all-to-all,permutation"},
    {"LinkSchedulePlace", "LinkSchedule", ""},
    {"MiddleboxPlace", "Middlebox", "none"},
    {"MarkingThreshold,MarkingCeiling,MarkingProbability,MarkAtDequeue",
     "QueueDisc",
     "none,codel,fq-codel,pie,red",
     HasOneQueueDisc},
    {"EcnMarking", "QueueDisc", "none", HasOneQueueDisc},
    {"PfcXon", "PfcXoff", "0"},
    {"BufferAlpha,BufferReserve,PfcXonOffset", "BufferSize", "0"},
    {"ArrivalSigma", "Arrivals", "poisson,on-off"},
    {"Bursts,Pauses", "Arrivals", "poisson,lognormal"},
    {"PoolGrows", "Connections", "multiplexed,own"},
    {"ConnectOnDemand", "Connections", "own"},
    {"Arrivals,ArrivalSource,LoadBasis,Connections,ConnectOnDemand,MessageLimit,ArrivalWarmUp,"
     "DrainLimit,IdealTime,SizeBins,MessageLog",
     "ArrivalWindow",
     "0",
     HasNoStage},
};

/// @param name of a parameter @return what the user would call it, its short name if it has one
std::string
GetShownName(const std::string& name)
{
    const ShortName* shortName = FindShortNameOf(name);
    return shortName ? shortName->name : name;
}

/// @param object that may have the attribute @param name of it @param [out] text its value, a time
/// of 0 as 0 @return whether it has it
bool
GetText(const Object& object, const std::string& name, std::string& text)
{
    TypeId::AttributeInformation info;
    if (!object.GetInstanceTypeId().LookupAttributeByName(name, &info))
    {
        return false;
    }
    if (info.checker->GetValueTypeName() == "ns3::TimeValue")
    {
        TimeValue time;
        object.GetAttribute(name, time);
        text = time.Get().IsZero() ? "0" : std::to_string(time.Get().GetSeconds());
        return true;
    }
    StringValue value;
    object.GetAttribute(name, value);
    text = value.Get();
    return true;
}

/// @param parts of the scenario @param name of a parameter @param [out] text its value @return
/// whether the run has such a parameter
bool
GetText(const ScenarioParts& parts, const std::string& name, std::string& text)
{
    if (const ShortName* shortName = FindShortName(name))
    {
        const std::string attribute = shortName->target.substr(shortName->target.find('.') + 1);
        return GetText(*parts.GetTopology(), attribute, text) ||
               GetText(*parts.GetWorkload(), attribute, text);
    }
    const auto& all = parts.GetSetup().parts;
    return std::any_of(all.begin(), all.end(), [&](const auto& part) {
        return GetText(*part, name, text);
    });
}

/// @param setup of the user @param name of a parameter @return whether the user has set it
bool
IsGiven(const ScenarioSetup& setup, const std::string& name)
{
    const ShortName* shortName = FindShortName(name);
    return shortName ? setup.settings.count(shortName->target) > 0 : setup.given.count(name) > 0;
}

/// @param parts of the scenario @param [out] idle lines for what RULES tell
void
AddByRules(const ScenarioParts& parts, std::vector<std::string>& idle)
{
    for (const auto& rule : RULES)
    {
        std::string value;
        const auto values = Split(rule.values, ',');
        if ((rule.applies && !rule.applies(parts)) || !GetText(parts, rule.by, value) ||
            std::find(values.begin(), values.end(), value) == values.end())
        {
            continue;
        }
        for (const auto& name : Split(rule.idle, ','))
        {
            if (IsGiven(parts.GetSetup(), name))
            {
                idle.push_back(name + ": no effect with " + rule.by + "=" + value);
            }
        }
    }
}

/// @param parts of the scenario @param name of a parameter that names classes @param base theirs
/// @return the classes
std::vector<TypeId>
GetClasses(const ScenarioParts& parts, const std::string& name, TypeId base)
{
    std::string text;
    std::vector<TypeId> types;
    if (GetText(parts, name, text) && text != "none")
    {
        FindTypes(text, base, types);
    }
    return types;
}

/// @param parts of the scenario @param [out] idle lines for attributes of other classes
void
AddByClass(const ScenarioParts& parts, std::vector<std::string>& idle)
{
    const TypeId impairment = PathImpairment::GetTypeId();
    const TypeId middlebox = PathMiddlebox::GetTypeId();
    const std::pair<TypeId, std::vector<TypeId>> kinds[] = {
        {IwarpTopology::GetTypeId(), {parts.GetTopology()->GetInstanceTypeId()}},
        {IwarpWorkload::GetTypeId(), {parts.GetWorkload()->GetInstanceTypeId()}},
        {impairment, GetClasses(parts, "Impairment", impairment)},
        {middlebox, GetClasses(parts, "Middlebox", middlebox)}};
    for (const auto& setting : parts.GetSetup().settings)
    {
        QualifiedAttribute attribute;
        if (IsRnicName(setting.first) || !FindAttribute(setting.first, attribute).empty())
        {
            continue;
        }
        const TypeId declared = attribute.type;
        for (const auto& [base, used] : kinds)
        {
            const bool isUsed = std::any_of(used.begin(), used.end(), [&](TypeId type) {
                return type == declared || type.IsChildOf(declared);
            });
            if (declared.IsChildOf(base) && !isUsed)
            {
                const std::string what =
                    used.empty() ? "there is none"
                                 : GetShortName(used.front()) + " has no such attribute";
                idle.push_back(GetShownName(setting.first) + ": no effect, as " + what);
            }
        }
    }
}

} // namespace

std::vector<std::string>
ListIdleSettings(const ScenarioParts& parts)
{
    std::vector<std::string> idle;
    AddByClass(parts, idle);
    AddByRules(parts, idle);
    return idle;
}

} // namespace iwarp
} // namespace ns3
