/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-c-interface.h"

#include "iwarp-scenario.h"

#include "ns3/iwarp-decoder.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-trace-helper.h"
#include "ns3/nstime.h"
#include "ns3/path-ranks.h"
#include "ns3/util-json.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

using namespace ns3;

/// A capture that is being decoded.
struct iwarp_decoder
{
    IwarpDecoder decoder; //!< does the work
};

/// Traces of one run.
struct iwarp_traces
{
    IwarpTraceHelper helper; //!< takes them down
    std::string error;       //!< what is wrong with what was asked for
};

namespace
{

/// @param text an answer @return the same, until the next
const char*
Keep(std::string text)
{
    static std::string answer;
    answer = std::move(text);
    return answer.c_str();
}

/// @param items what an array has @param write appends an item to a text @return the array
template <typename Items, typename Write>
std::string
Array(const Items& items, Write write)
{
    std::string text = "[";
    for (const auto& item : items)
    {
        text += text.size() > 1 ? ", " : "";
        write(item, text);
    }
    return text + "]";
}

/// @param parameter it @param[in,out] out its object is appended to it
void
Write(const IwarpParameter& parameter, std::string& out)
{
    JsonObject object(out);
    object.String("name", parameter.name);
    object.String("target", parameter.target);
    object.String("type", parameter.type);
    object.String("range", parameter.range);
    object.String("initial", parameter.initial);
    object.String("help", parameter.help);
}

/// @param kind name of the only member @param what its value @return the object
std::string
Problem(const char* kind, const std::string& what)
{
    std::string text;
    JsonObject(text).String(kind, what);
    return text;
}

/// @param scenario to set up @param settings names and values @param count of both
/// @return "", or what is wrong
std::string
Set(IwarpScenario& scenario, const char* const* settings, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2)
    {
        const std::string problem = scenario.SetParameter(settings[i], settings[i + 1]);
        if (!problem.empty())
        {
            return problem;
        }
    }
    return scenario.Check();
}

/// @param use makes an object of a scenario that is set up @param settings names and values
/// @param count of both @return the object, or what is wrong
template <typename Use>
std::string
WithScenario(Use use, const char* const* settings, size_t count)
{
    try
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        const std::string problem = Set(*scenario, settings, count);
        return problem.empty() ? use(*scenario) : Problem("usage", problem);
    }
    catch (const std::bad_alloc&)
    {
        return Problem("memory", "the run needed more memory than its limit");
    }
    catch (const std::exception& error)
    {
        return Problem("error", error.what());
    }
}

/// @param scenario after a run @return what it has measured
std::string
Measured(const IwarpScenario& scenario)
{
    std::string text;
    {
        JsonObject object(text);
        object.Name("metrics") += Array(scenario.GetMetrics(), [](const auto& metric, auto& out) {
            JsonObject entry(out);
            entry.String("name", metric.name);
            entry.Real("value", metric.value);
            entry.String("unit", metric.unit);
        });
        object.String("report", scenario.GetReport());
        object.Name("cautions") += Array(scenario.GetCautions(), AppendJson);
    }
    return text;
}

/// @param map it @return what it shows
std::string
Shown(const IwarpNetworkMap& map)
{
    std::string text;
    {
        JsonObject object(text);
        object.Name("nodes") += Array(map.nodes, [](const auto& node, auto& out) {
            JsonObject entry(out);
            entry.String("name", node.name);
            entry.Flag("router", node.router);
            entry.Flag("sends", node.sends);
            entry.Flag("receives", node.receives);
            if (node.placed)
            {
                entry.Real("longitude", node.longitude);
                entry.Real("latitude", node.latitude);
            }
        });
        object.Name("links") += Array(map.links, [](const auto& link, auto& out) {
            JsonObject entry(out);
            entry.Number("a", link.a);
            entry.Number("b", link.b);
            entry.Real("rate", link.rate);
            entry.Real("delay", link.delay);
            entry.Flag("used", link.used);
            entry.Flag("bottleneck", link.bottleneck);
        });
    }
    return text;
}

/// @param columns of a trace @return an array of them
std::string
Describe(const std::vector<iwarp::TraceColumn>& columns)
{
    return Array(columns, [](const auto& column, auto& out) {
        JsonObject entry(out);
        entry.String("name", column.name);
        entry.String("type", iwarp::ToString(column.type));
        entry.String("unit", column.unit);
        entry.String("help", column.help);
    });
}

/// @param value rows are changes of a value @return what they are called
const char*
NameKind(bool value)
{
    return value ? "value" : "event";
}

/// @param[in,out] helper gets an option @param name of it @param value of it @return "", or what is
/// wrong
std::string
SetTraceOption(IwarpTraceHelper& helper, const std::string& name, const std::string& value)
{
    if (name == "trace")
    {
        return helper.Add(value);
    }
    if (name == "rows")
    {
        helper.SetRows(std::strtoull(value.c_str(), nullptr, 10));
    }
    else if (name == "node")
    {
        helper.AddNode(value);
    }
    else
    {
        helper.AddConnection(value);
    }
    return "";
}

} // namespace

const char*
iwarp_list_parameters(const char* filter)
{
    return Keep(Array(filter ? IwarpScenario::ListQualifiedParameters(filter)
                             : IwarpScenario::ListParameters(),
                      Write));
}

const char*
iwarp_find_parameter(const char* name)
{
    IwarpParameter parameter;
    const std::string problem = IwarpScenario::FindParameter(name, parameter);
    if (!problem.empty())
    {
        return Keep(Problem("usage", problem));
    }
    std::string text;
    Write(parameter, text);
    return Keep(text);
}

const char*
iwarp_list_metrics()
{
    return Keep(Array(IwarpScenario::ListMetrics(), [](const auto& metric, auto& out) {
        JsonObject entry(out);
        entry.String("name", metric.name);
        entry.String("unit", metric.unit);
        entry.String("merge", iwarp::ToString(metric.merge));
        entry.String("help", metric.help);
    }));
}

const char*
iwarp_check(const char* const* settings, size_t count)
{
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    return Keep(Set(*scenario, settings, count));
}

const char*
iwarp_check_ranks(const char* const* settings, size_t count)
{
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    const std::string problem = Set(*scenario, settings, count);
    return Keep(problem.empty() ? scenario->CheckRanks() : problem);
}

const char*
iwarp_run_rank(const char* const* settings, size_t count, bool alone)
{
    Time::SetResolution(Time::FS);
    if (alone)
    {
        return iwarp_run(settings, count);
    }
    ranks::Begin();
    const std::string answer = iwarp_run(settings, count);
    const bool reports = ranks::GetOwn() == 0;
    ranks::End();
    return Keep(reports ? answer : "");
}

const char*
iwarp_run(const char* const* settings, size_t count)
{
    return Keep(WithScenario(
        [](IwarpScenario& scenario) {
            return scenario.Run() ? Measured(scenario) : Problem("error", scenario.GetError());
        },
        settings,
        count));
}

const char*
iwarp_find_map(const char* const* settings, size_t count)
{
    return Keep(WithScenario(
        [](IwarpScenario& scenario) {
            IwarpNetworkMap map;
            const std::string problem = scenario.FindMap(map);
            return problem.empty() ? Shown(map) : Problem("usage", problem);
        },
        settings,
        count));
}

const char*
iwarp_list_traces(const char* filter)
{
    return Keep(Array(IwarpTraceHelper::List(filter), [](const auto& trace, auto& out) {
        JsonObject entry(out);
        entry.String("name", trace.name);
        entry.String("source", trace.source);
        entry.String("kind", NameKind(trace.value));
        entry.Flag("standard", trace.standard);
        entry.String("help", trace.help);
        entry.Name("columns") += Describe(trace.columns);
    }));
}

iwarp_traces*
iwarp_traces_open(const char* const* options, size_t count)
{
    auto* traces = new iwarp_traces;
    for (size_t i = 0; i + 1 < count && traces->error.empty(); i += 2)
    {
        traces->error = SetTraceOption(traces->helper, options[i], options[i + 1]);
    }
    return traces;
}

const char*
iwarp_traces_error(const iwarp_traces* traces)
{
    return traces->error.c_str();
}

void*
iwarp_traces_helper(iwarp_traces* traces)
{
    return &traces->helper;
}

const char*
iwarp_run_traced(const char* const* settings, size_t count, iwarp_traces* traces)
{
    return Keep(WithScenario(
        [traces](IwarpScenario& scenario) {
            scenario.SetTraces(&traces->helper);
            return scenario.Run() ? Measured(scenario) : Problem("error", scenario.GetError());
        },
        settings,
        count));
}

const char*
iwarp_traces_tables(const iwarp_traces* traces)
{
    std::vector<const iwarp::TraceTable*> tables;
    for (size_t i = 0; i < traces->helper.GetNTables(); i++)
    {
        tables.push_back(&traces->helper.GetTable(i));
    }
    return Keep(Array(tables, [](const auto* table, auto& out) {
        JsonObject entry(out);
        entry.String("name", table->GetName());
        entry.String("source", table->GetSource());
        entry.String("kind", NameKind(table->IsValue()));
        entry.Number("rows", table->CountRows());
        entry.Number("left_out", table->CountLeftOut());
        entry.Name("columns") += Describe(table->GetColumns());
    }));
}

const void*
iwarp_traces_cells(const iwarp_traces* traces, size_t table, size_t column)
{
    return traces->helper.GetTable(table).GetCells(column).GetData();
}

const char*
iwarp_traces_words(const iwarp_traces* traces, size_t table, size_t column)
{
    return Keep(Array(traces->helper.GetTable(table).GetCells(column).GetWords(), AppendJson));
}

void
iwarp_traces_close(iwarp_traces* traces)
{
    delete traces;
}

iwarp_decoder*
iwarp_decoder_open(const char* file,
                   const uint16_t* ports,
                   size_t count,
                   bool mpa_only,
                   int format,
                   const char* esp_keys,
                   const char* tls_keys)
{
    auto* opened = new iwarp_decoder;
    opened->decoder.SetFormat(static_cast<IwarpDecoder::Format>(format));
    for (size_t i = 0; i < count; i++)
    {
        opened->decoder.AddPort(ports[i]);
    }
    if (mpa_only)
    {
        opened->decoder.SetMpaOnly();
    }
    if ((*esp_keys == '\0' || opened->decoder.ReadEspKeys(esp_keys)) &&
        (*tls_keys == '\0' || opened->decoder.ReadTlsKeys(tls_keys)))
    {
        opened->decoder.Open(file);
    }
    return opened;
}

const char*
iwarp_decoder_error(const iwarp_decoder* decoder)
{
    return decoder->decoder.GetError().c_str();
}

const char*
iwarp_decoder_read(iwarp_decoder* decoder)
{
    return Keep(decoder->decoder.Read());
}

uint64_t
iwarp_decoder_malformed(const iwarp_decoder* decoder)
{
    return decoder->decoder.GetMalformed();
}

uint32_t
iwarp_decoder_streams(const iwarp_decoder* decoder)
{
    return decoder->decoder.GetStreams();
}

void
iwarp_decoder_close(iwarp_decoder* decoder)
{
    delete decoder;
}
