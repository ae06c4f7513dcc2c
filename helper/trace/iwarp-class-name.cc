/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-class-name.h"

#include "ns3/util-near-match.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace iwarp
{
namespace
{

const std::string NAMESPACE = "ns3::"; //!< of ns-3's classes

/// @param text text @return it in lower case
std::string
ToLower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/// @return names of all classes, without ns3::
std::vector<std::string>
GetClassNames()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        names.push_back(GetShortName(TypeId::GetRegistered(i)));
    }
    return names;
}

} // namespace

std::string
GetShortName(TypeId type)
{
    const std::string name = type.GetName();
    return name.rfind(NAMESPACE, 0) == 0 ? name.substr(NAMESPACE.size()) : name;
}

std::pair<std::string, std::string>
SplitName(const std::string& name)
{
    const auto dot = name.rfind('.');
    const auto colons = name.rfind("::");
    if (dot == std::string::npos && colons == std::string::npos)
    {
        return {};
    }
    const std::string type = name.substr(0, dot != std::string::npos ? dot : colons);
    return {type.rfind(NAMESPACE, 0) == 0 ? type.substr(NAMESPACE.size()) : type,
            dot != std::string::npos ? name.substr(dot + 1) : name.substr(colons + 2)};
}

bool
HasClass(const std::string& name, TypeId& type)
{
    for (const std::string& known : {NAMESPACE + name, name, NAMESPACE + name + "<Packet>"})
    {
        if (TypeId::LookupByNameFailSafe(known, &type))
        {
            return true;
        }
    }
    return false;
}

std::string
FindClass(const std::string& name, TypeId& type)
{
    if (HasClass(name, type))
    {
        return "";
    }
    return "there is no class '" + name + "'" + SuggestNames(name, GetClassNames());
}

bool
Contains(const std::string& name, const std::string& part)
{
    return ToLower(name).find(ToLower(part)) != std::string::npos;
}

std::string
SuggestNames(const std::string& name, const std::vector<std::string>& known)
{
    const auto near = FindNearest(name, known);
    return near.empty() ? "" : " (did you mean " + Join(near, " or ") + "?)";
}

} // namespace iwarp
} // namespace ns3
