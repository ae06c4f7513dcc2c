/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-attribute-text.h"

#include "util-text.h"

#include "ns3/command-line.h"
#include "ns3/string.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <system_error>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param text text that ends with a unit @return the number in front, NaN if there is none
double
Number(const std::string& text)
{
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() ? std::nan("") : number;
}

/// @tparam T type of integers @param text text @return whether all of it is a number of that type
template <typename T>
bool
IsInteger(const std::string& text)
{
    T number;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end;
}

/// @param text text @return whether it is a time of 0 or more that fits 2^63 ns, 292 years
bool
IsTime(const std::string& text)
{
    static const std::map<std::string, double> nanoseconds{{"", 1e9},
                                                           {"s", 1e9},
                                                           {"ms", 1e6},
                                                           {"us", 1e3},
                                                           {"ns", 1},
                                                           {"ps", 1e-3},
                                                           {"fs", 1e-6},
                                                           {"min", 60e9},
                                                           {"h", 3600e9},
                                                           {"d", 86400e9}};
    static const std::regex form(
        "([+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)([a-z]*)");
    std::smatch parts;
    if (!std::regex_match(text, parts, form))
    {
        return false;
    }
    const auto unit = nanoseconds.find(parts[2]);
    const double number = Number(parts[1]);
    return unit != nanoseconds.end() &&
           std::max(number, number * unit->second) < std::ldexp(1.0, 63);
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
        return IsInteger<uint64_t>(text);
    }
    if (type == "ns3::IntegerValue")
    {
        return IsInteger<int64_t>(text);
    }
    if (type == "ns3::DoubleValue")
    {
        static const std::regex form("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?");
        return std::regex_match(text, form);
    }
    if (type == "ns3::TimeValue")
    {
        return IsTime(text);
    }
    if (type == "ns3::DataRateValue")
    {
        static const std::regex form("([0-9]+\\.?[0-9]*|\\.[0-9]+)"
                                     "((|[kKMG])([bB]ps|[bB]/s)|[KMG]i[bB]/s)?");
        return std::regex_match(text, form) && Number(text) < 1e15;
    }
    if (type == "ns3::QueueSizeValue")
    {
        static const std::regex form("([0-9]+\\.?[0-9]*|\\.[0-9]+)([kKM]?|[KM]i)[Bp]");
        return std::regex_match(text, form) &&
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

/// See MakeTextChecker().
class TextChecker : public AttributeChecker
{
  public:
    /// @param isGood tells whether a text has the form @param form it, for people
    TextChecker(bool (*isGood)(const std::string& text), const std::string& form)
        : m_isGood(isGood),
          m_form(form)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* text = dynamic_cast<const StringValue*>(&value);
        return text && m_isGood(text->Get());
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::StringValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return m_form;
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<StringValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const StringValue*>(&source);
        auto* to = dynamic_cast<StringValue*>(&destination);
        if (from && to)
        {
            *to = *from;
        }
        return from && to;
    }

  private:
    bool (*m_isGood)(const std::string& text); //!< whether a text has the form
    std::string m_form;                        //!< for people
};

} // namespace

Ptr<const AttributeChecker>
MakeTextChecker(bool (*isGood)(const std::string& text), const std::string& form)
{
    return Create<TextChecker>(isGood, form);
}

std::string
GetKind(const Ptr<const AttributeChecker>& checker)
{
    const std::string name = checker->GetValueTypeName();
    return name.rfind("ns3::", 0) == 0 ? name : "ns3::" + name;
}

std::string
GetRange(const Ptr<const AttributeChecker>& checker)
{
    if (!checker->HasUnderlyingTypeInformation())
    {
        return "";
    }
    std::string range = checker->GetUnderlyingTypeInformation();
    if (range.rfind("Time -", 0) == 0)
    {
        range.replace(0, range.find(':'), "Time +0ns");
    }
    return range;
}

std::string
DescribeRange(const TypeId::AttributeInformation& info)
{
    const std::string type = GetKind(info.checker);
    const std::string range = GetRange(info.checker);
    if (type == "ns3::BooleanValue")
    {
        return "true or false";
    }
    if (type == "ns3::TimeValue")
    {
        return "a time of 0 or more with its unit (s, ms, us, ns, min, h), such as 50us; range " +
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
    if (type == "ns3::StringValue" && range == GetRange(MakeStringChecker()))
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
    Ptr<AttributeValue> value;
    const std::string kind = GetKind(info.checker);
    // a text that a checker refuses would be parsed, which ends the program if there is a space
    if (kind == "ns3::StringValue" ? info.checker->Check(StringValue(text))
                                   : IsWellFormed(kind, GetRange(info.checker), text))
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
    if (!IsTime(text))
    {
        return false;
    }
    time = Time(text);
    return true;
}

bool
HasOnlyOptions(const CommandLine& cmd)
{
    if (cmd.GetNExtraNonOptions() == 0)
    {
        return true;
    }
    std::cerr << "\"" << cmd.GetExtraNonOption(0)
              << "\" is no option: these are --NAME=VALUE, and --help lists them\n";
    return false;
}

} // namespace iwarp
} // namespace ns3
