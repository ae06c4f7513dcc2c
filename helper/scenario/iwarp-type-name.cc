/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-type-name.h"

#include "ns3/util-text.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Split a class's name into words. @param type class @return words, as ns3::IwarpTopology is
/// Iwarp and Topology
std::vector<std::string>
SplitWords(TypeId type)
{
    const std::string name = type.GetName().substr(type.GetName().rfind(':') + 1);
    const auto isUpper = [&name](std::size_t i) {
        return std::isupper(static_cast<unsigned char>(name[i])) != 0;
    };
    std::vector<std::string> words;
    for (std::size_t i = 0; i < name.size(); i++)
    {
        const bool acronym = i > 0 && isUpper(i - 1) && (i + 1 == name.size() || isUpper(i + 1));
        if (words.empty() || (isUpper(i) && !acronym))
        {
            words.emplace_back();
        }
        words.back() += name[i];
    }
    return words;
}

} // namespace

std::string
GetShortTypeName(TypeId type, TypeId base)
{
    auto words = SplitWords(type);
    const auto common = SplitWords(base);
    const auto begin =
        std::mismatch(words.begin(), words.end(), common.begin(), common.end()).first;
    words.erase(words.begin(), begin);
    const auto end =
        std::mismatch(words.rbegin(), words.rend(), common.rbegin(), common.rend()).first;
    words.erase(end.base(), words.end());
    std::string name = Join(words, "-");
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return name;
}

std::vector<TypeId>
GetTypes(TypeId base)
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(base) && type.HasConstructor())
        {
            types.push_back(type);
        }
    }
    std::sort(types.begin(), types.end(), [](const TypeId& a, const TypeId& b) {
        return a.GetName() < b.GetName();
    });
    return types;
}

std::vector<std::string>
ListShortTypeNames(TypeId base)
{
    std::vector<std::string> names;
    for (const TypeId& type : GetTypes(base))
    {
        names.push_back(GetShortTypeName(type, base));
    }
    return names;
}

std::string
FindType(const std::string& name, TypeId base, TypeId& type)
{
    for (const TypeId& candidate : GetTypes(base))
    {
        if (name == GetShortTypeName(candidate, base) || name == candidate.GetName() ||
            "ns3::" + name == candidate.GetName())
        {
            type = candidate;
            return "";
        }
    }
    return "there is no '" + name + "'; there are " + Join(ListShortTypeNames(base), ", ");
}

std::string
FindTypes(const std::string& names, TypeId base, std::vector<TypeId>& types)
{
    types.clear();
    for (const auto& name : Split(names, '+'))
    {
        types.emplace_back();
        const std::string problem = FindType(name, base, types.back());
        if (!problem.empty())
        {
            return problem;
        }
    }
    return "";
}

} // namespace iwarp
} // namespace ns3
