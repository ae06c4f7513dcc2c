/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-path.h"

#include "ns3/double.h"
#include "ns3/iwarp-adversary-collector.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-type-name.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/path-random-impairment.h"
#include "ns3/string.h"

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpPathPart);

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

/**
 * @brief Say that something does nothing, which the user has not asked for.
 * @tparam T class of what packets meet
 * @param parameter that names it
 * @param object such as packets meet
 * @param network that has it
 */
template <typename T>
void
AddIdleCaution(const std::string& parameter, const Ptr<T>& object, iwarp::ScenarioNetwork& network)
{
    const std::string idle = object->GetIdleAttribute();
    const std::string name =
        object->GetInstanceTypeId().GetName().substr(std::string("ns3::").size());
    if (!idle.empty() && network.GetParts().GetSetting(name + "." + idle).empty())
    {
        network.AddCaution(parameter + ": " + name + " does nothing by default; " + name + "." +
                           idle + " and its other attributes set what it does");
    }
}

/// @param impairment of a link @return whether it does anything, as far as that is known
bool
Harms(const Ptr<PathImpairment>& impairment)
{
    if (!DynamicCast<PathRandomImpairment>(impairment))
    {
        return true;
    }
    const auto shares = {"Loss", "Reordering", "Duplication"};
    return std::any_of(shares.begin(), shares.end(), [&impairment](const char* name) {
        DoubleValue share;
        impairment->GetAttribute(name, share);
        return share.Get() > 0;
    });
}

} // namespace

TypeId
IwarpPathPart::GetTypeId()
{
    using iwarp::PathPlace;
    using iwarp::TrafficDirection;
    static TypeId tid =
        TypeId("ns3::IwarpPathPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpPathPart>()
            .AddAttribute(
                "Impairment",
                "What harms packets: a class of PathImpairment, such as random, which has "
                "Loss, Reordering and Duplication, or several joined by + that packets meet in "
                "this order",
                StringValue("random"),
                MakeStringAccessor(&IwarpPathPart::m_impairment),
                MakeStringChecker())
            .AddAttribute("ImpairmentPlace",
                          "Links that have an impairment each: those of the sending hosts, those "
                          "between routers, or those of the receiving hosts",
                          iwarp::MakeEnumValue(PathPlace::RECEIVER),
                          iwarp::MakeEnumAccessor(&IwarpPathPart::m_impairedPlace),
                          iwarp::MakePlaceChecker())
            .AddAttribute("ImpairmentDirection",
                          "Packets that meet impairments: those of the data's direction, those of "
                          "the acknowledgements', or both",
                          iwarp::MakeEnumValue(TrafficDirection::DATA),
                          iwarp::MakeEnumAccessor(&IwarpPathPart::m_impairedDirection),
                          iwarp::MakeDirectionChecker())
            .AddAttribute("ReorderingDelay",
                          "Longest time for which a packet is held back, or by which a copy comes "
                          "later; times are uniform between 0 and this",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&IwarpPathPart::m_reorderingDelay),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("Middlebox",
                          "What stands in the middle of links: none, or a class of PathMiddlebox",
                          StringValue("none"),
                          MakeStringAccessor(&IwarpPathPart::m_middlebox),
                          MakeStringChecker())
            .AddAttribute("MiddleboxPlace",
                          "Links that have a middlebox each: those of the sending hosts, those "
                          "between routers, or those of the receiving hosts",
                          iwarp::MakeEnumValue(PathPlace::CORE),
                          iwarp::MakeEnumAccessor(&IwarpPathPart::m_middleboxPlace),
                          iwarp::MakePlaceChecker());
    return tid;
}

IwarpPathPart::IwarpPathPart() = default;
IwarpPathPart::~IwarpPathPart() = default;

bool
IwarpPathPart::IsIdle() const
{
    return false; // what impairments do is known when they are made
}

std::vector<std::string>
IwarpPathPart::ListNames(const std::string& attribute) const
{
    std::vector<std::string> names;
    if (attribute == "Impairment")
    {
        names = iwarp::ListShortTypeNames(PathImpairment::GetTypeId());
    }
    if (attribute == "Middlebox")
    {
        names = iwarp::ListShortTypeNames(PathMiddlebox::GetTypeId());
        names.emplace(names.begin(), "none");
    }
    return names;
}

bool
IwarpPathPart::IsList(const std::string& attribute) const
{
    return attribute == "Impairment";
}

std::string
IwarpPathPart::CheckName(const std::string& attribute, const std::string& value) const
{
    TypeId type;
    std::vector<TypeId> types;
    if (attribute == "Impairment")
    {
        return iwarp::FindTypes(value, PathImpairment::GetTypeId(), types);
    }
    return attribute == "Middlebox" && value != "none"
               ? iwarp::FindType(value, PathMiddlebox::GetTypeId(), type)
               : "";
}

std::string
IwarpPathPart::Check() const
{
    const std::string impairment = CheckName("Impairment", m_impairment);
    const std::string middlebox = CheckName("Middlebox", m_middlebox);
    return !impairment.empty()  ? "Impairment: " + impairment
           : !middlebox.empty() ? "Middlebox: " + middlebox
                                : "";
}

std::string
IwarpPathPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    return parts.GetTopology()->HasPause() && m_middlebox != "none"
               ? "PfcXoff, Middlebox: a middlebox knows no pauses, so give one of them"
               : "";
}

std::string
IwarpPathPart::CheckRanks(const iwarp::ScenarioParts& /* parts */) const
{
    return m_middlebox == "none"
               ? ""
               : "Middlebox: what middleboxes count is not shared out to ranks; set it to none";
}

std::string
IwarpPathPart::CheckNetwork(const iwarp::ScenarioParts& parts,
                            const IwarpNetwork& network,
                            const IwarpTopology::Ends& ends) const
{
    const std::string problem =
        m_middlebox == "none" ? "" : CheckPlace("MiddleboxPlace", network, ends, m_middleboxPlace);
    const bool given = parts.GetSetup().given.count("ImpairmentPlace") > 0;
    return problem.empty() && given ? CheckPlace("ImpairmentPlace", network, ends, m_impairedPlace)
                                    : problem;
}

void
IwarpPathPart::SetDefaults(iwarp::ScenarioParts& parts) const
{
    parts.Derive("PathRandomImpairment.HoldTime",
                 StringValue(MakeHoldTime(m_reorderingDelay)),
                 "ReorderingDelay");
}

void
IwarpPathPart::Install(iwarp::ScenarioNetwork& network) const
{
    using iwarp::TrafficDirection;
    IwarpNetwork& links = network.GetNetwork();
    // a link may be that of data in one direction and of ACKs in the other, or of both in each
    std::set<std::pair<uint32_t, PathDirection>> impaired;
    bool harms = false;
    for (const bool back : {false, true})
    {
        const auto other = back ? TrafficDirection::DATA : TrafficDirection::ACKS;
        for (const auto& hop : FindHops(links, network.GetEnds(), m_impairedPlace, back))
        {
            if (m_impairedDirection != other && impaired.insert({hop.link, hop.direction}).second)
            {
                const bool first = impaired.size() == 1;
                for (const auto& impairment : MakeImpairments())
                {
                    if (first)
                    {
                        AddIdleCaution("Impairment", impairment, network);
                    }
                    harms = harms || Harms(impairment);
                    links.Impair(hop.link, hop.direction, impairment);
                }
            }
        }
    }
    const bool both = m_impairedDirection == TrafficDirection::BOTH;
    if (harms && !both && network.GetParts().GetWorkload()->IsBothWays())
    {
        network.AddCaution("ImpairmentDirection: data of reads go the other way than those of "
                           "writes, and one of them meets no impairment; both harms all");
    }
    std::set<uint32_t> divided;
    std::vector<Ptr<PathAdversaryMiddlebox>> adversaries;
    for (const auto& hop : FindHops(links, network.GetEnds(), m_middleboxPlace, false))
    {
        const Ptr<PathMiddlebox> middlebox = MakeMiddlebox();
        if (middlebox && divided.empty())
        {
            AddIdleCaution("Middlebox", middlebox, network);
        }
        if (middlebox && divided.insert(hop.link).second)
        {
            links.InsertMiddlebox(hop.link, middlebox);
            if (const auto adversary = DynamicCast<PathAdversaryMiddlebox>(middlebox))
            {
                adversaries.push_back(adversary);
            }
        }
    }
    if (!adversaries.empty())
    {
        network.AddCollector(iwarp::ScenarioNetwork::Section::STACKS,
                             Create<iwarp::AdversaryCollector>(adversaries));
    }
}

bool
IwarpPathPart::IsBuffering() const
{
    return m_middlebox != "none";
}

std::vector<Ptr<PathImpairment>>
IwarpPathPart::MakeImpairments() const
{
    std::vector<TypeId> types;
    iwarp::FindTypes(m_impairment, PathImpairment::GetTypeId(), types);
    std::vector<Ptr<PathImpairment>> made;
    for (const TypeId& type : types)
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        made.push_back(factory.Create<PathImpairment>());
    }
    return made;
}

Ptr<PathMiddlebox>
IwarpPathPart::MakeMiddlebox() const
{
    if (m_middlebox == "none")
    {
        return nullptr;
    }
    TypeId type;
    iwarp::FindType(m_middlebox, PathMiddlebox::GetTypeId(), type);
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create<PathMiddlebox>();
}

} // namespace ns3
