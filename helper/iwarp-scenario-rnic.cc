/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-rnic.h"

#include "ns3/app-text.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"

#include <set>

namespace ns3
{
namespace iwarp
{
namespace
{

const std::string PREFIX = "Rnic."; //!< of the qualified names

/// @return what can be set of the RNICs of any profile, by path: receivers have stages of their own
const std::map<std::string, RnicDesign::Setting>&
ListSettings()
{
    static const auto settings = [] {
        std::map<std::string, RnicDesign::Setting> all;
        for (const auto& profile : RnicProfile::GetNames())
        {
            for (auto& setting : RnicHelper::ListSettings(profile))
            {
                auto& info = setting.info;
                info.initialValue = info.checker->CreateValidValue(StringValue(setting.value));
                all.emplace(setting.path, setting);
            }
        }
        return all;
    }();
    return settings;
}

} // namespace

bool
IsRnicName(const std::string& name)
{
    return name.rfind(PREFIX, 0) == 0;
}

std::string
FindRnicAttribute(const std::string& name, TypeId::AttributeInformation& info)
{
    const std::string path = name.substr(PREFIX.size());
    const auto& settings = ListSettings();
    const auto found = settings.find(path);
    if (found != settings.end())
    {
        info = found->second.info;
        return "";
    }
    std::vector<std::string> known;
    std::set<std::string> parts;
    for (const auto& setting : settings)
    {
        known.push_back(PREFIX + setting.first);
        parts.insert(setting.first.substr(0, setting.first.find('.')));
    }
    const std::string near = SuggestNames(name, known);
    return "an RNIC has no attribute '" + path + "'" +
           (near.empty() ? "; it has " + Join({parts.begin(), parts.end()}) : near);
}

std::vector<IwarpParameter>
ListRnicAttributes()
{
    std::vector<IwarpParameter> list;
    for (const auto& [path, setting] : ListSettings())
    {
        list.push_back(DescribeParameter(PREFIX + path, setting.info));
    }
    return list;
}

std::unique_ptr<RnicHelper>
MakeRnicHelper(const std::string& profile,
               const std::map<std::string, std::string>& settings,
               std::string& problem)
{
    problem.clear();
    if (profile == "none")
    {
        const auto first = settings.lower_bound(PREFIX);
        if (first != settings.end() && IsRnicName(first->first))
        {
            problem = first->first + ": there is no RNIC unless Rnic names one";
        }
        return nullptr;
    }
    if (!RnicProfile::Has(profile))
    {
        problem = "Rnic: there is no profile '" + profile + "'; there are none, " +
                  Join(RnicProfile::GetNames(), ", ");
        return nullptr;
    }
    auto helper = std::make_unique<RnicHelper>(profile);
    for (const auto& [name, text] : settings) // Receiver comes before the stages that it brings
    {
        problem = IsRnicName(name) ? helper->SetFromText(name.substr(PREFIX.size()), text) : "";
        if (!problem.empty())
        {
            problem = PREFIX + problem;
            return nullptr;
        }
    }
    problem = helper->Check();
    if (!problem.empty())
    {
        problem = "Rnic: " + problem;
        return nullptr;
    }
    return helper;
}

} // namespace iwarp
} // namespace ns3
