/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-idle-settings.h"

#include "iwarp-scenario-rnic.h"
#include "iwarp-short-names.h"

#include "ns3/iwarp-type-name.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/util-text.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Parameters that do nothing with some values of another one.
struct IdleRule
{
    const char* idle;   //!< parameters, with commas between them
    const char* by;     //!< parameter that sets them aside
    const char* values; //!< its values that do, with commas between them
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
    {"WindowRtt", "WindowRate", "0bps"},
    {"MarkingThreshold,MarkingCeiling,MarkingProbability,MarkAtDequeue",
     "QueueDisc",
     "none,codel,fq-codel,pie,red"},
    {"EcnMarking", "QueueDisc", "none"},
    {"DscpPriorities,PriorityWeights", "Priorities", "1"},
    {"PfcXon", "PfcXoff", "0"},
    {"BufferAlpha,BufferReserve,PfcXonOffset", "BufferSize", "0"},
    {"ArrivalSigma", "Arrivals", "poisson,on-off"},
    {"Bursts,Pauses", "Arrivals", "poisson,lognormal"},
    {"PoolGrows", "Connections", "multiplexed,own"},
    {"ConnectOnDemand", "Connections", "own"},
    {"Arrivals,ArrivalSource,LoadBasis,Connections,MessageLimit,ArrivalWarmUp,DrainLimit,IdealTime,"
     "SizeBins,MessageLog",
     "ArrivalWindow",
     "0"},
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
        if (!GetText(parts, rule.by, value) ||
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

/// @param parts of the scenario @param [out] idle lines for attributes of other classes
void
AddByClass(const ScenarioParts& parts, std::vector<std::string>& idle)
{
    for (const auto& setting : parts.GetSetup().settings)
    {
        QualifiedAttribute attribute;
        if (IsRnicName(setting.first) || !FindAttribute(setting.first, attribute).empty())
        {
            continue;
        }
        const auto look = [&](TypeId base, TypeId used) {
            const TypeId declared = attribute.type;
            if (declared.IsChildOf(base) && used != declared && !used.IsChildOf(declared))
            {
                idle.push_back(GetShownName(setting.first) + ": no effect, as " +
                               GetShortName(used) + " has no such attribute");
            }
        };
        look(IwarpTopology::GetTypeId(), parts.GetTopology()->GetInstanceTypeId());
        look(IwarpWorkload::GetTypeId(), parts.GetWorkload()->GetInstanceTypeId());
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
