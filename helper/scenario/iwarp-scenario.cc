/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario.h"

#include "iwarp-qualified-name.h"
#include "iwarp-scenario-parts.h"
#include "iwarp-scenario-rnic.h"
#include "iwarp-scenario-run.h"
#include "iwarp-short-names.h"

#include "ns3/iwarp-class-name.h"
#include "ns3/iwarp-part-cross-traffic.h"
#include "ns3/iwarp-part-ipsec.h"
#include "ns3/iwarp-part-link-schedule.h"
#include "ns3/iwarp-part-network.h"
#include "ns3/iwarp-part-path.h"
#include "ns3/iwarp-part-rnic.h"
#include "ns3/iwarp-part-run.h"
#include "ns3/iwarp-part-split-proxy.h"
#include "ns3/iwarp-part-tcp.h"
#include "ns3/node-list.h"
#include "ns3/object-factory.h"
#include "ns3/path-ranks.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <utility>

namespace ns3
{

using namespace iwarp;

NS_OBJECT_ENSURE_REGISTERED(IwarpScenario);

namespace
{

const std::string PREFIX = "IwarpScenario."; //!< of the qualified names of the scenario's own

/// @return classes of the parts of a scenario, in the order in which their parameters are listed
std::vector<TypeId>
ListPartTypes()
{
    return {
        IwarpNetworkPart::GetTypeId(),
        IwarpPathPart::GetTypeId(),
        IwarpSplitProxyPart::GetTypeId(),
        IwarpLinkSchedulePart::GetTypeId(),
        IwarpCrossTrafficPart::GetTypeId(),
        IwarpTcpPart::GetTypeId(),
        IwarpIpsecPart::GetTypeId(),
        IwarpRnicPart::GetTypeId(),
        IwarpRunPart::GetTypeId(),
    };
}

/// @return parts with defaults
std::vector<Ptr<IwarpScenarioPart>>
MakeParts()
{
    std::vector<Ptr<IwarpScenarioPart>> parts;
    for (const TypeId& type : ListPartTypes())
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        parts.push_back(factory.Create<IwarpScenarioPart>());
    }
    return parts;
}

/// @param part of a scenario @param type class @return whether it is of that class
bool
IsKind(const Ptr<IwarpScenarioPart>& part, TypeId type)
{
    const TypeId kind = part->GetInstanceTypeId();
    return kind == type || kind.IsChildOf(type);
}

/// Gives a scenario the attribute of a part.
class PartAccessor : public AttributeAccessor
{
  public:
    /// @param type class of the part @param info of its attribute
    PartAccessor(TypeId type, const TypeId::AttributeInformation& info)
        : m_type(type),
          m_accessor(info.accessor),
          m_checker(info.checker),
          m_initial(info.originalInitialValue->SerializeToString(info.checker))
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const auto part = FindPart(object);
        const auto* scenario = dynamic_cast<const IwarpScenario*>(object);
        if (part && !scenario->IsMade() && value.SerializeToString(m_checker) == m_initial)
        {
            return true; // the part has that, or what Config::SetDefault() says of its class
        }
        return part && m_accessor->Set(PeekPointer(part), value);
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto part = FindPart(object);
        return part && m_accessor->Get(PeekPointer(part), value);
    }

    bool HasGetter() const override
    {
        return m_accessor->HasGetter();
    }

    bool HasSetter() const override
    {
        return m_accessor->HasSetter();
    }

  private:
    /// @param object scenario @return its part, or nullptr
    Ptr<IwarpScenarioPart> FindPart(const ObjectBase* object) const
    {
        const auto* scenario = dynamic_cast<const IwarpScenario*>(object);
        return scenario ? scenario->FindPart(m_type) : nullptr;
    }

    TypeId m_type;                           //!< class of the part
    Ptr<const AttributeAccessor> m_accessor; //!< of its attribute
    Ptr<const AttributeChecker> m_checker;   //!< of its attribute
    std::string m_initial;                   //!< default of its attribute, as text
};

/// @param attribute of the scenario @return a part that has it, with defaults
const IwarpScenarioPart&
FindPrototype(const std::string& attribute)
{
    static const auto parts = MakeParts();
    const auto found = std::find_if(parts.begin(), parts.end(), [&attribute](const auto& part) {
        QualifiedAttribute ignored;
        return FindOwnAttribute(part->GetInstanceTypeId(), attribute, ignored);
    });
    NS_ABORT_MSG_IF(found == parts.end(), "IwarpScenario has no attribute " << attribute);
    return **found;
}

/// @param name any @param [out] found attribute of a class of parts by that name, qualified
/// @return whether there is one
bool
FindOfPart(const std::string& name, QualifiedAttribute& found)
{
    TypeId type;
    return HasClass(SplitName(name).first, type) &&
           type.IsChildOf(IwarpScenarioPart::GetTypeId()) && FindAttribute(name, found).empty();
}

/// @param name attribute of the scenario, short or qualified @param [out] found it @return success
bool
FindOfScenario(const std::string& name, QualifiedAttribute& found)
{
    std::string own = name.rfind(PREFIX, 0) == 0 ? name.substr(PREFIX.size()) : name;
    QualifiedAttribute ofPart;
    if (FindOfPart(name, ofPart))
    {
        const auto types = ListPartTypes();
        const bool isOwn = std::find(types.begin(), types.end(), ofPart.type) != types.end();
        own = isOwn ? ofPart.info.name : "";
    }
    return FindOwnAttribute(IwarpScenario::GetTypeId(), own, found);
}

/// @param attribute of the scenario @return what it is
IwarpParameter
DescribeOfScenario(const QualifiedAttribute& attribute)
{
    IwarpParameter parameter = DescribeParameter(attribute.info.name, attribute.info);
    const auto& part = FindPrototype(parameter.name);
    const auto names = part.ListNames(parameter.name);
    if (part.IsList(parameter.name)) // several are no longer one of the names
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

TypeId
IwarpScenario::GetTypeId()
{
    static TypeId tid = [] {
        TypeId type = TypeId("ns3::IwarpScenario")
                          .SetParent<Object>()
                          .SetGroupName("Iwarp")
                          .AddConstructor<IwarpScenario>();
        for (const TypeId& part : ListPartTypes())
        {
            for (std::size_t i = 0; i < part.GetAttributeN(); i++)
            {
                const auto info = part.GetAttribute(i);
                type.AddAttribute(info.name,
                                  info.help,
                                  *info.originalInitialValue,
                                  Create<PartAccessor>(part, info),
                                  info.checker);
            }
        }
        return type;
    }();
    return tid;
}

IwarpScenario::IwarpScenario()
{
    m_setup.parts = MakeParts();
}

IwarpScenario::~IwarpScenario() = default;

void
IwarpScenario::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    m_made = true;
}

bool
IwarpScenario::IsMade() const
{
    return m_made;
}

void
IwarpScenario::SetTopology(Ptr<IwarpTopology> topology)
{
    DynamicCast<IwarpNetworkPart>(FindPart(IwarpNetworkPart::GetTypeId()))->SetTopology(topology);
}

void
IwarpScenario::SetWorkload(Ptr<IwarpWorkload> workload)
{
    DynamicCast<IwarpRunPart>(FindPart(IwarpRunPart::GetTypeId()))->SetWorkload(workload);
}

void
IwarpScenario::SetPart(Ptr<IwarpScenarioPart> part)
{
    for (const TypeId& kind : ListPartTypes())
    {
        if (IsKind(part, kind))
        {
            const auto place = std::find_if(m_setup.parts.begin(),
                                            m_setup.parts.end(),
                                            [kind](const auto& one) { return IsKind(one, kind); });
            *place = part;
            return;
        }
    }
    m_setup.parts.push_back(part);
}

Ptr<IwarpScenarioPart>
IwarpScenario::FindPart(TypeId kind) const
{
    const auto found = std::find_if(m_setup.parts.begin(),
                                    m_setup.parts.end(),
                                    [kind](const auto& part) { return IsKind(part, kind); });
    return found == m_setup.parts.end() ? nullptr : *found;
}

void
IwarpScenario::SetObserver(std::function<void(IwarpNetwork&)> function)
{
    m_setup.observer = std::move(function);
}

void
IwarpScenario::SetTraces(IwarpTraceHelper* traces)
{
    m_setup.traces = traces;
}

std::string
IwarpScenario::Check() const
{
    return ScenarioParts(m_setup).Check();
}

std::string
IwarpScenario::CheckRanks() const
{
    const ScenarioParts parts(m_setup);
    const std::string problem = parts.Check();
    return problem.empty() ? parts.CheckRanks() : problem;
}

std::string
IwarpScenario::CheckNow() const
{
    const std::string problem = ranks::IsOn() ? CheckRanks() : Check();
    if (problem.empty() && NodeList::GetNNodes() > 0)
    {
        return "a scenario needs the simulator for itself: run it before nodes are created, or "
               "after Simulator::Destroy()";
    }
    return problem;
}

std::string
IwarpScenario::FindMap(IwarpNetworkMap& map) const
{
    const std::string problem = CheckNow();
    return problem.empty() ? MapScenario(m_setup, map) : problem;
}

bool
IwarpScenario::Run()
{
    m_metrics.clear();
    m_report.clear();
    m_cautions.clear();
    m_streams.clear();
    m_error = CheckNow();
    if (m_error.empty())
    {
        IwarpScenarioRun run(m_setup);
        m_error = run.Run();
        m_streams = run.GetRandomStreams();
        if (m_error.empty())
        {
            m_metrics = run.GetMetrics();
            m_report = run.GetReport();
            m_cautions = run.GetCautions();
        }
    }
    return m_error.empty();
}

const std::string&
IwarpScenario::GetError() const
{
    return m_error;
}

const std::vector<AppMetric>&
IwarpScenario::GetMetrics() const
{
    return m_metrics;
}

const std::vector<std::string>&
IwarpScenario::GetCautions() const
{
    return m_cautions;
}

const std::vector<iwarp::RandomStreams::Range>&
IwarpScenario::GetRandomStreams() const
{
    return m_streams;
}

const std::string&
IwarpScenario::GetReport() const
{
    return m_report;
}

std::string
IwarpScenario::SetOwn(const TypeId::AttributeInformation& info, const std::string& value)
{
    const auto part =
        std::find_if(m_setup.parts.begin(), m_setup.parts.end(), [&](const auto& one) {
            return IsKind(one, FindPrototype(info.name).GetInstanceTypeId());
        });
    std::string problem = (*part)->CheckName(info.name, value);
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
        m_setup.given.insert(info.name);
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
    QualifiedAttribute ofPart;
    if (FindOfPart(name, ofPart)) // a user's, since it is none of the scenario's own
    {
        const auto part = FindPart(ofPart.type);
        if (!part)
        {
            return name + ": the scenario has no such part; SetPart() takes one";
        }
        std::string wrong;
        const auto parsed = ParseParameter(name, ofPart.info, value, wrong);
        const bool set = parsed && part->SetAttributeFailSafe(ofPart.info.name, *parsed);
        return set || !wrong.empty() ? wrong : name + ": '" + value + "' is not allowed";
    }
    Target target;
    std::string problem = FindTarget(name, target);
    if (problem.empty() && ParseParameter(target.name, target.info, value, problem))
    {
        m_setup.settings[target.key] = value;
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
        const bool isOwn = attribute.type == GetTypeId() ||
                           attribute.type.IsChildOf(IwarpScenarioPart::GetTypeId());
        if (!isOwn) // these have short names
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
