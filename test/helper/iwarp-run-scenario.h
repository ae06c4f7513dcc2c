/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RUN_SCENARIO_H
#define IWARP_RUN_SCENARIO_H

#include "ns3/iwarp-scenario.h"
#include "ns3/test.h"

#include <map>
#include <optional>
#include <string>

using ScenarioSettings = std::map<std::string, std::string>; //!< parameters and values
using ScenarioResults = std::map<std::string, double>;       //!< metrics

/// Tell what queues dropped. ns-3.35 cannot tell it of devices without a queue disc.
/// @param found metrics @param prefix of the metric @return packets, or nothing
inline std::optional<double>
GetQueueDrops(const ScenarioResults& found, const std::string& prefix = "")
{
    const auto drops = found.find(prefix + "queue_drops");
    return drops == found.end() ? std::nullopt : std::optional<double>(drops->second);
}

/// A test that runs scenarios.
class ScenarioTestCase : public ns3::TestCase
{
  protected:
    /// @param name of the case @param common what all its scenarios are set to
    ScenarioTestCase(const std::string& name, const ScenarioSettings& common)
        : TestCase(name),
          m_common(common)
    {
    }

    /// @param settings over those that all have in common @return scenario
    ns3::Ptr<ns3::IwarpScenario> Make(const ScenarioSettings& settings)
    {
        ScenarioSettings all = settings;
        all.insert(m_common.begin(), m_common.end());
        auto scenario = ns3::CreateObject<ns3::IwarpScenario>();
        for (const auto& [name, value] : all)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        return scenario;
    }

    /// @param settings over those that all have in common @return metrics
    ScenarioResults RunScenario(const ScenarioSettings& settings)
    {
        return Measure(Make(settings));
    }

    /// Run a scenario. @param scenario it @return metrics
    ScenarioResults Measure(const ns3::Ptr<ns3::IwarpScenario>& scenario)
    {
        const bool good = scenario->Run();
        NS_TEST_EXPECT_MSG_EQ(good, true, GetName() << ": " << scenario->GetError());
        ScenarioResults results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }

  private:
    const ScenarioSettings m_common; //!< what all scenarios are set to
};

#endif // IWARP_RUN_SCENARIO_H
