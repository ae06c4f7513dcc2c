/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-rnic.h"

#include "ns3/abort.h"
#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"
#include "ns3/util-text.h"

#include <set>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

const std::string RNIC = "Rnic.";            //!< of the qualified names of RNICs
const std::string ESP_ENGINE = "EspEngine."; //!< of those of what does ESP

/// Make what installs ESP at nodes without an RNIC. @param engine profile of ESP
/// @return it, with nothing but ESP
RnicHelper
MakeEspBase(const std::string& engine)
{
    RnicHelper helper;
    if (RnicEspProfile::GetPlace(engine) == EspPlace::SOFTWARE)
    {
        helper.Set("Receiver", StringValue("HostSoftware"));
    }
    const std::string problem = helper.AddEsp(engine);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    return helper;
}

/// @param path of an attribute @return whether it is of a part that ESP uses
bool
IsOfEsp(const std::string& path)
{
    static const std::set<std::string> parts{"TxEsp",
                                             "RxEsp",
                                             "AssociationCache",
                                             "HostInterface",
                                             "Cpu"};
    return parts.count(path.substr(0, path.find('.'))) > 0;
}

/// @return what can be set of the RNICs and the ESP of any profile, by qualified name: receivers
/// and places have stages of their own
const std::map<std::string, RnicDesign::Setting>&
ListSettings()
{
    static const auto settings = [] {
        std::map<std::string, RnicDesign::Setting> all;
        auto add = [&all](const std::string& prefix, RnicDesign::Setting setting) {
            auto& info = setting.info;
            info.initialValue = info.checker->CreateValidValue(StringValue(setting.value));
            all.emplace(prefix + setting.path, setting);
        };
        for (const auto& profile : RnicProfile::GetNames())
        {
            for (const auto& setting : RnicHelper::ListSettings(profile))
            {
                add(RNIC, setting);
            }
        }
        for (const auto& engine : RnicEspProfile::GetNames())
        {
            for (const auto& setting : MakeEspBase(engine).GetSettings())
            {
                if (IsOfEsp(setting.path))
                {
                    add(ESP_ENGINE, setting);
                }
            }
        }
        return all;
    }();
    return settings;
}

/// @param prefix RNIC or ESP @param name qualified name @return whether it begins so
bool
Begins(const std::string& name, const std::string& prefix)
{
    return name.rfind(prefix, 0) == 0;
}

/// Find the first setting of a kind. @param prefix RNIC or ESP @param settings qualified names and
/// values @return its name, or ""
std::string
FindFirst(const std::string& prefix, const std::map<std::string, std::string>& settings)
{
    const auto first = settings.lower_bound(prefix);
    return first != settings.end() && Begins(first->first, prefix) ? first->first : "";
}

/// Set what users have said. @param prefix RNIC or ESP @param settings qualified names and values
/// @param helper what gets them @return "", or one line that says what is wrong
std::string
SetAll(const std::string& prefix,
       const std::map<std::string, std::string>& settings,
       RnicHelper& helper)
{
    for (const auto& [name, text] : settings) // Receiver comes before the stages that it brings
    {
        const std::string problem =
            Begins(name, prefix) ? helper.SetFromText(name.substr(prefix.size()), text) : "";
        if (!problem.empty())
        {
            return prefix + problem;
        }
    }
    return "";
}

/// Add ESP with what users have said. @param engine profile of ESP, or "none"
/// @param settings qualified names and values @param helper what gets it
/// @return "", or one line that says what is wrong
std::string
AddEspEngine(const std::string& engine,
             const std::map<std::string, std::string>& settings,
             RnicHelper& helper)
{
    if (engine == "none")
    {
        return "";
    }
    const std::string problem = helper.AddEsp(engine);
    return problem.empty() ? SetAll(ESP_ENGINE, settings, helper) : "EspEngine: " + problem;
}

} // namespace

bool
IsRnicName(const std::string& name)
{
    return Begins(name, RNIC) || Begins(name, ESP_ENGINE);
}

std::string
FindRnicAttribute(const std::string& name, TypeId::AttributeInformation& info)
{
    const auto& settings = ListSettings();
    const auto found = settings.find(name);
    if (found != settings.end())
    {
        info = found->second.info;
        return "";
    }
    const bool isEsp = Begins(name, ESP_ENGINE);
    const std::string& prefix = isEsp ? ESP_ENGINE : RNIC;
    std::vector<std::string> known;
    std::set<std::string> parts;
    for (const auto& [other, setting] : settings)
    {
        if (Begins(other, prefix))
        {
            known.push_back(other);
            parts.insert(setting.path.substr(0, setting.path.find('.')));
        }
    }
    const std::string near = SuggestNames(name, known);
    return (isEsp ? "an ESP engine" : "an RNIC") + std::string(" has no attribute '") +
           name.substr(prefix.size()) + "'" +
           (near.empty() ? "; it has " + Join({parts.begin(), parts.end()}) : near);
}

std::vector<IwarpParameter>
ListRnicAttributes()
{
    std::vector<IwarpParameter> list;
    for (const auto& [name, setting] : ListSettings())
    {
        list.push_back(DescribeParameter(name, setting.info));
    }
    return list;
}

std::unique_ptr<RnicHelper>
MakeRnicHelper(const std::string& profile,
               const std::string& engine,
               const std::map<std::string, std::string>& settings,
               std::string& problem)
{
    problem.clear();
    if (profile == "none")
    {
        const std::string first = FindFirst(RNIC, settings);
        if (!first.empty())
        {
            problem = first + ": there is no RNIC unless Rnic names one";
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
    problem = SetAll(RNIC, settings, *helper);
    problem = problem.empty() ? AddEspEngine(engine, settings, *helper) : problem;
    if (problem.empty())
    {
        problem = helper->Check();
        problem = problem.empty() ? "" : "Rnic: " + problem;
    }
    return problem.empty() ? std::move(helper) : nullptr;
}

std::unique_ptr<RnicHelper>
MakeEspHelper(const std::string& engine,
              const std::map<std::string, std::string>& settings,
              std::string& problem)
{
    problem.clear();
    if (engine == "none")
    {
        const std::string first = FindFirst(ESP_ENGINE, settings);
        if (!first.empty())
        {
            problem = first + ": there is no ESP engine unless EspEngine names one";
        }
        return nullptr;
    }
    if (!RnicEspProfile::Has(engine))
    {
        problem = "EspEngine: there is no '" + engine + "'; there are none, " +
                  Join(RnicEspProfile::GetNames(), ", ");
        return nullptr;
    }
    auto helper = std::make_unique<RnicHelper>(MakeEspBase(engine));
    problem = SetAll(ESP_ENGINE, settings, *helper);
    if (problem.empty())
    {
        problem = helper->Check();
        problem = problem.empty() ? "" : "EspEngine: " + problem;
    }
    return problem.empty() ? std::move(helper) : nullptr;
}

} // namespace iwarp
} // namespace ns3
