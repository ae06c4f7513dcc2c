/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-c-interface.h"

#include "iwarp-scenario.h"

#include "ns3/iwarp-decoder.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/util-json.h"

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
