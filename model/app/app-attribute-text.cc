/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-attribute-text.h"

#include "app-text.h"

#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param text text @param pattern regular expression @return whether all of the text matches
bool
Matches(const std::string& text, const char* pattern)
{
    return std::regex_match(text, std::regex(pattern));
}

/// @param text text that ends with a unit @return the number in front, NaN if there is none
double
Number(const std::string& text)
{
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() ? std::nan("") : number;
}

/**
 * @param text such as "ns3::UniformRandomVariable[Min=1|Max=2]"
 * @return whether there is a class of that name with these attributes
 */
bool
IsObject(const std::string& text)
{
    const auto bracket = std::min(text.find('['), text.size());
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(text.substr(0, bracket), &tid) || !tid.HasConstructor())
    {
        return false;
    }
    if (bracket == text.size())
    {
        return true;
    }
    const auto settings = Split(text.substr(bracket + 1, text.size() - bracket - 2), '|');
    return text.back() == ']' &&
           std::all_of(settings.begin(), settings.end(), [tid](const std::string& setting) {
               const auto equal = setting.find('=');
               TypeId::AttributeInformation info;
               std::string problem;
               return equal != std::string::npos &&
                      tid.LookupAttributeByName(setting.substr(0, equal), &info) &&
                      ParseAttribute(info, setting.substr(equal + 1), problem);
           });
}

/**
 * @param type name of the kind of value, as in "ns3::TimeValue"
 * @param range what the checker says of its range
 * @param text text
 * @return false if ns-3's parser of that kind would end the program or read something else
 */
bool
IsWellFormed(const std::string& type, const std::string& range, const std::string& text)
{
    if (type == "ns3::UintegerValue")
    {
        return Matches(text, "[0-9]{1,19}");
    }
    if (type == "ns3::IntegerValue")
    {
        return Matches(text, "[+-]?[0-9]{1,18}");
    }
    if (type == "ns3::DoubleValue")
    {
        return Matches(text, "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?");
    }
    if (type == "ns3::TimeValue")
    {
        // 2^63 ns are 292 years; what the simulator can hold is bounded by the checker as well
        return Matches(text,
                       "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,2})?"
                       "(s|ms|us|ns|ps|fs|min|h|d)?") &&
               std::fabs(Number(text)) < 9e18 && (text.back() != 'd' || Number(text) < 1e5) &&
               (text.back() != 'h' || Number(text) < 2e6) &&
               (text.back() != 'n' || Number(text) < 1e8) &&
               (!Matches(text, ".*[0-9.]s?") || std::fabs(Number(text)) < 9e9);
    }
    if (type == "ns3::DataRateValue")
    {
        return Matches(text,
                       "([0-9]+\\.?[0-9]*|\\.[0-9]+)"
                       "((|[kKMG])([bB]ps|[bB]/s)|[KMG]i[bB]/s)?") &&
               Number(text) < 1e15;
    }
    if (type == "ns3::QueueSizeValue")
    {
        return Matches(text, "([0-9]+\\.?[0-9]*|\\.[0-9]+)([kKM]?|[KM]i)[Bp]") &&
               Number(text) * (text.find('M') != std::string::npos             ? 1048576
                               : text.find_first_of("kK") != std::string::npos ? 1024
                                                                               : 1) <
                   4294967295.0;
    }
    if (type == "ns3::TypeIdValue")
    {
        TypeId tid;
        return TypeId::LookupByNameFailSafe(text, &tid);
    }
    if (type == "ns3::PointerValue")
    {
        return IsObject(text);
    }
    if (type.rfind("ns3::EnumValue", 0) == 0)
    {
        const auto names = Split(range, '|');
        return std::find(names.begin(), names.end(), text) != names.end();
    }
    return true;
}

} // namespace

std::string
GetKind(const Ptr<const AttributeChecker>& checker)
{
    const std::string name = checker->GetValueTypeName();
    return name.rfind("ns3::", 0) == 0 ? name : "ns3::" + name;
}

std::string
DescribeRange(const TypeId::AttributeInformation& info)
{
    const std::string type = GetKind(info.checker);
    const std::string range = info.checker->HasUnderlyingTypeInformation()
                                  ? info.checker->GetUnderlyingTypeInformation()
                                  : "";
    if (type == "ns3::BooleanValue")
    {
        return "true or false";
    }
    if (type == "ns3::TimeValue")
    {
        return "a time with its unit (s, ms, us, ns, min, h), such as 50us; range " +
               range.substr(range.find(' ') + 1);
    }
    if (type == "ns3::DataRateValue")
    {
        return "a rate with its unit, such as 10Gbps";
    }
    if (type == "ns3::QueueSizeValue")
    {
        return "a number of packets or octets, such as 100p or 1MB";
    }
    if (type.rfind("ns3::EnumValue", 0) == 0)
    {
        return "one of " + Join(Split(range, '|'));
    }
    if (type == "ns3::StringValue")
    {
        return "text";
    }
    if (type == "ns3::TypeIdValue")
    {
        return "the name of a class, such as ns3::TcpCubic";
    }
    if (type == "ns3::PointerValue")
    {
        return "an object as ns3::UniformRandomVariable[Min=1|Max=2]";
    }
    return range;
}

Ptr<AttributeValue>
ParseAttribute(const TypeId::AttributeInformation& info,
               const std::string& text,
               std::string& problem)
{
    const std::string range = info.checker->HasUnderlyingTypeInformation()
                                  ? info.checker->GetUnderlyingTypeInformation()
                                  : "";
    Ptr<AttributeValue> value;
    if (IsWellFormed(GetKind(info.checker), range, text))
    {
        value = info.checker->CreateValidValue(StringValue(text));
    }
    problem = value ? ""
                    : info.name + ": '" + text + "' is not allowed, it takes " +
                          DescribeRange(info) + " (" + info.help + ")";
    return value;
}

bool
ParseTime(const std::string& text, Time& time)
{
    if (!IsWellFormed("ns3::TimeValue", "", text) || text.front() == '-')
    {
        return false;
    }
    time = Time(text);
    return true;
}

} // namespace iwarp
} // namespace ns3
