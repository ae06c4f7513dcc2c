/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-message-sizes.h"

#include "app-cdf-variable.h"

#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/util-attribute-text.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <cmath>
#include <map>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

/// A random variable by its name and attributes, Name[A=1|B=2]. @param text that @param [out]
/// problem as for MakeDistribution() @return the variable
Ptr<RandomVariableStream>
MakeRandomVariable(const std::string& text, std::string& problem)
{
    const auto bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) ||
        !tid.IsChildOf(RandomVariableStream::GetTypeId()) || !tid.HasConstructor())
    {
        problem = "'" + name +
                  "' is no ns-3 random variable; such are ns3::UniformRandomVariable, "
                  "ns3::ExponentialRandomVariable, ns3::ParetoRandomVariable";
        return nullptr;
    }
    if (name == "ns3::EmpiricalRandomVariable" || name == "ns3::DeterministicRandomVariable")
    {
        problem = "'" + name + "' has its values from no attribute; write cdf:FILE";
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    if (bracket != std::string::npos)
    {
        if (text.back() != ']')
        {
            problem = "'" + text + "': the closing ] is missing";
            return nullptr;
        }
        const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
        for (const auto& setting : Split(inside, '|'))
        {
            const auto equal = setting.find('=');
            TypeId::AttributeInformation info;
            if (equal == std::string::npos ||
                !tid.LookupAttributeByName(setting.substr(0, equal), &info))
            {
                if (setting.empty())
                {
                    continue;
                }
                problem = "'" + setting + "' sets no attribute of " + name + ", which has";
                for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
                {
                    problem += (i > 0 ? ", " : " ") + tid.GetAttribute(i).name;
                }
                return nullptr;
            }
            Ptr<AttributeValue> value = ParseAttribute(info, setting.substr(equal + 1), problem);
            if (!value)
            {
                return nullptr;
            }
            factory.Set(info.name, *value);
        }
    }
    return factory.Create<RandomVariableStream>();
}

/// @param text a number, with or without a unit @param measure what it is of @param [out] number it
/// @return whether it is one of 0 or more
bool
ParseNumber(const std::string& text, Measure measure, double& number)
{
    static const std::map<std::string, double> octets{{"", 1},
                                                      {"B", 1},
                                                      {"kB", 1e3},
                                                      {"MB", 1e6},
                                                      {"GB", 1e9},
                                                      {"KiB", 1024},
                                                      {"MiB", 1 << 20},
                                                      {"GiB", 1 << 30}};
    static const std::map<std::string, double> parts{{"", 1},
                                                     {"s", 1},
                                                     {"ms", 1e3},
                                                     {"us", 1e6},
                                                     {"ns", 1e9}}; // of a second: exact
    const bool isSize = measure == Measure::OCTETS;
    const auto& units = isSize ? octets : parts;
    const std::size_t end = text.find_last_of("0123456789.") + 1; // npos + 1 is 0
    const auto unit = units.find(text.substr(end));
    if (unit == units.end() || !boost::conversion::try_lexical_convert(text.substr(0, end), number))
    {
        return false;
    }
    number = isSize ? number * unit->second : number / unit->second;
    return number >= 0 && number <= 1e18;
}

} // namespace

Ptr<RandomVariableStream>
MakeDistribution(const std::string& text, std::string& problem, Measure measure)
{
    problem.clear();
    const bool plain = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front()));
    if (plain || text.rfind("fixed:", 0) == 0)
    {
        double number = 0;
        if (!ParseNumber(plain ? text : text.substr(6), measure, number))
        {
            problem = "'" + text + "': after fixed: there is a number of 0 or more";
            return nullptr;
        }
        Ptr<ConstantRandomVariable> constant = CreateObject<ConstantRandomVariable>();
        constant->SetAttribute("Constant", DoubleValue(number));
        return constant;
    }
    if (text.rfind("cdf:", 0) == 0)
    {
        Ptr<CdfFileRandomVariable> variable = CreateObject<CdfFileRandomVariable>();
        problem = variable->Load(text.substr(4));
        return problem.empty() ? variable : nullptr;
    }
    if (text.rfind("ns3::CdfFileRandomVariable", 0) == 0)
    {
        problem = "'" + text + "': write cdf:FILE";
        return nullptr;
    }
    if (text.rfind("ns3::", 0) == 0)
    {
        return MakeRandomVariable(text, problem);
    }
    problem = "'" + text +
              "' is none of fixed:65536, cdf:alistorage2019, "
              "ns3::ExponentialRandomVariable[Mean=8000]";
    return nullptr;
}

std::string
SetDistribution(Ptr<RandomVariableStream>& variable, const std::string& text)
{
    std::string problem;
    const Ptr<RandomVariableStream> made = MakeDistribution(text, problem);
    if (made)
    {
        variable = made;
    }
    return problem;
}

int64_t
AssignStreams(std::initializer_list<Ptr<RandomVariableStream>> variables, int64_t stream)
{
    int64_t next = stream;
    for (const auto& variable : variables)
    {
        if (variable)
        {
            variable->SetStream(next);
        }
        next++;
    }
    return next - stream;
}

uint64_t
DrawMessageSize(const Ptr<RandomVariableStream>& sizes)
{
    const double size = std::round(sizes->GetValue());
    return size >= 1 ? static_cast<uint64_t>(std::min<double>(size, MAX_MESSAGE_SIZE)) : 1;
}

Time
DrawInterval(const Ptr<RandomVariableStream>& seconds)
{
    constexpr double LONGEST = 1e9; // seconds, a tenth of what ns3::Time holds
    return Seconds(std::min(std::max(0.0, seconds->GetValue()), LONGEST));
}

Time
DrawGap(const Ptr<RandomVariableStream>& seconds)
{
    return std::max(DrawInterval(seconds), NanoSeconds(1));
}

bool
HasGaps(const Ptr<RandomVariableStream>& seconds)
{
    for (uint32_t draw = 0; draw < 1000; draw++)
    {
        if (seconds->GetValue() >= 1e-9)
        {
            return true;
        }
    }
    return false;
}

} // namespace iwarp
} // namespace ns3
