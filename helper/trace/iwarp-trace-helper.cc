/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-helper.h"

#include "iwarp-class-name.h"
#include "iwarp-trace-goodput.h"

#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

using namespace iwarp;

namespace
{

const std::string STANDARD = "standard"; //!< name of the usual traces

/// @param text parts @param separator between them @return parts
std::vector<std::string>
SplitAt(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream rest(text);
    for (std::string part; std::getline(rest, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

/// @param name of a trace @return it; nullptr if that is no short name
const TraceShortName*
FindShortTrace(const std::string& name)
{
    const auto& all = ListShortTraces();
    const auto found =
        std::find_if(all.begin(), all.end(), [&name](const auto& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

/// @return short names, and "standard"
std::vector<std::string>
ListShortTraceNames()
{
    std::vector<std::string> names;
    for (const auto& one : ListShortTraces())
    {
        names.push_back(one.name);
    }
    names.push_back(STANDARD);
    return names;
}

} // namespace

IwarpTraceHelper::IwarpTraceHelper()
    : m_objects([this](Object& object, uint32_t index) { Meet(object, index); })
{
}

IwarpTraceHelper::~IwarpTraceHelper()
{
    if (ObjectBirths::GetListener() == this)
    {
        ObjectBirths::SetListener(nullptr);
    }
}

std::string
IwarpTraceHelper::Add(const std::string& names)
{
    for (const auto& text : SplitAt(names, ','))
    {
        const auto colon = text.find(":every=");
        if (text.substr(0, colon) != STANDARD)
        {
            const std::string problem = AddOne(text);
            if (!problem.empty())
            {
                return problem;
            }
            continue;
        }
        for (const auto& one : ListShortTraces())
        {
            const std::string option = colon != std::string::npos ? text.substr(colon) : "";
            const std::string problem =
                one.standard ? AddOne(one.name + (one.sampled ? option : "")) : "";
            if (!problem.empty())
            {
                return problem;
            }
        }
    }
    return "";
}

std::string
IwarpTraceHelper::AddOne(const std::string& text)
{
    const auto colon = text.rfind(":every=");
    Wanted wanted;
    wanted.name = text.substr(0, colon);
    wanted.shortName = FindShortTrace(wanted.name);
    if (wanted.shortName)
    {
        wanted.every = wanted.shortName->every;
    }
    else if (wanted.name.find_first_of(".:") == std::string::npos)
    {
        const auto known = ListShortTraceNames();
        const std::string near = SuggestNames(wanted.name, known);
        return "there is no trace '" + wanted.name + "'" +
               (near.empty() ? "; there are " + Join(known) + ", and qualified names such as " +
                                   "MpaStream.Passed"
                             : near);
    }
    else
    {
        const std::string problem = FindTraceSource(wanted.name, wanted.source);
        if (!problem.empty())
        {
            return problem;
        }
        wanted.name = wanted.source.GetName();
    }
    const std::string problem =
        colon != std::string::npos ? SetOption(text.substr(colon + 1), wanted) : "";
    const bool twice = std::any_of(m_wanted.begin(), m_wanted.end(), [&wanted](const auto& other) {
        return other.name == wanted.name;
    });
    if (problem.empty() && !twice)
    {
        m_wanted.push_back(std::move(wanted));
    }
    return problem;
}

std::string
IwarpTraceHelper::SetOption(const std::string& option, Wanted& wanted)
{
    const bool sampled =
        wanted.shortName ? wanted.shortName->sampled : wanted.source.connector->value;
    if (!sampled)
    {
        return wanted.name + " has events, each of which is taken down: leave out " + option;
    }
    const std::string text = option.substr(option.find('=') + 1);
    const auto checker = MakeTimeChecker(NanoSeconds(1));
    const StringValue value(text);
    const auto unit = text.find_first_not_of("0123456789.");
    static const std::vector<std::string> units{"ns", "us", "ms", "s"};
    const bool good = unit != 0 && unit != std::string::npos &&
                      std::find(units.begin(), units.end(), text.substr(unit)) != units.end();
    const auto found = good ? checker->CreateValidValue(value) : nullptr;
    if (!found)
    {
        return wanted.name + ": " + option + " is no time such as every=10us";
    }
    wanted.every = DynamicCast<TimeValue>(found)->Get();
    return "";
}

void
IwarpTraceHelper::SetRows(std::size_t rows)
{
    m_rows = rows;
}

void
IwarpTraceHelper::AddNode(const std::string& node)
{
    m_nodes.push_back(node);
}

void
IwarpTraceHelper::AddConnection(const std::string& connection)
{
    m_objects.Choose(connection);
}

void
IwarpTraceHelper::SetHostName(uint32_t node, const std::string& host)
{
    m_objects.Name(static_cast<int32_t>(node), host);
    m_hosts[host] = static_cast<int32_t>(node);
}

void
IwarpTraceHelper::Listen()
{
    ObjectBirths::SetListener(this);
    for (auto& wanted : m_wanted)
    {
        if (wanted.shortName && !wanted.series)
        {
            wanted.series =
                wanted.shortName->make(*wanted.shortName, wanted.every, m_rows, m_objects);
        }
        else if (!wanted.series)
        {
            const auto& connector = *wanted.source.connector;
            wanted.series = MakeSourceSeries({wanted.name,
                                              wanted.name,
                                              connector.value,
                                              MakeColumns(connector),
                                              m_rows,
                                              m_objects},
                                             {wanted.source},
                                             wanted.every);
        }
    }
}

std::string
IwarpTraceHelper::Begin()
{
    Listen();
    for (const auto& node : m_nodes)
    {
        const std::string problem = Choose(node);
        if (!problem.empty())
        {
            return problem;
        }
    }
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        m_objects.Walk(**node);
    }
    return "";
}

std::string
IwarpTraceHelper::Choose(const std::string& node)
{
    const auto found = m_hosts.find(node);
    const bool number = !node.empty() && node.size() < 10 &&
                        node.find_first_not_of("0123456789") == std::string::npos;
    if (found != m_hosts.end())
    {
        m_objects.Choose(found->second);
    }
    else if (number && std::stoul(node) < NodeList::GetNNodes())
    {
        m_objects.Choose(static_cast<int32_t>(std::stoul(node)));
    }
    else
    {
        std::vector<std::string> known;
        for (const auto& [name, id] : m_hosts)
        {
            known.push_back(name);
        }
        const std::string near = SuggestNames(node, known);
        return "there is no node '" + node + "'" +
               (near.empty() ? "; there are " + Join(known) + ", and IDs below " +
                                   std::to_string(NodeList::GetNNodes())
                             : near);
    }
    return "";
}

void
IwarpTraceHelper::End()
{
    for (auto& wanted : m_wanted)
    {
        if (wanted.series && wanted.series->GetTable().IsOpen())
        {
            wanted.series->Flush();
            wanted.series->GetTable().Finish();
        }
    }
    if (ObjectBirths::GetListener() == this)
    {
        ObjectBirths::SetListener(nullptr);
    }
}

FlowWatcher*
IwarpTraceHelper::GetFlowWatcher() const
{
    for (const auto& wanted : m_wanted)
    {
        if (auto* watcher = dynamic_cast<GoodputSeries*>(wanted.series.get()))
        {
            return watcher;
        }
    }
    return nullptr;
}

std::size_t
IwarpTraceHelper::GetNTables() const
{
    return m_wanted.size();
}

const TraceTable&
IwarpTraceHelper::GetTable(std::size_t index) const
{
    return m_wanted.at(index).series->GetTable();
}

void
IwarpTraceHelper::Made(const Object& object)
{
    m_objects.Make(object);
}

void
IwarpTraceHelper::Opened(Object& object, const Object* owner)
{
    m_objects.Open(object, owner);
}

void
IwarpTraceHelper::Gone(const Object& object)
{
    m_objects.Close(object);
}

void
IwarpTraceHelper::Meet(Object& object, uint32_t index)
{
    for (auto& wanted : m_wanted)
    {
        wanted.series->Meet(object, index);
    }
}

std::vector<IwarpTrace>
IwarpTraceHelper::List(const std::string& filter)
{
    std::vector<IwarpTrace> list;
    for (const auto& one : ListShortTraces())
    {
        if (Contains(one.name, filter))
        {
            list.push_back(
                {one.name, Join(one.sources), one.value, one.standard, one.help, one.columns});
        }
    }
    for (const auto& source : ListTraceSources(filter))
    {
        list.push_back({source.GetName(),
                        source.GetName(),
                        source.connector->value,
                        false,
                        source.info.help,
                        MakeColumns(*source.connector)});
    }
    return list;
}

} // namespace ns3
