/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs an IwarpScenario and prints its metrics. Attributes of other classes go by their qualified
// names: iwarp-scenario-run --Topology=abilene --Loss=0.001 MpaStream.SilentDrop=true

#include "ns3/command-line.h"
#include "ns3/iwarp-scenario.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::map<std::string, std::string> values;
    CommandLine cmd(__FILE__);
    for (const auto& parameter : IwarpScenario::ListParameters())
    {
        values[parameter.name] = parameter.initial;
        cmd.AddValue(parameter.name, parameter.help, values[parameter.name]);
    }
    const auto initial = values;
    cmd.Parse(argc, argv);
    for (std::size_t i = 0; i < cmd.GetNExtraNonOptions(); i++)
    {
        const std::string setting = cmd.GetExtraNonOption(i);
        const auto equal = std::min(setting.find('='), setting.size());
        values[setting.substr(0, equal)] = setting.substr(equal).erase(0, 1);
    }

    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    for (const auto& [name, value] : values)
    {
        const auto unchanged = initial.find(name);
        if (unchanged != initial.end() && unchanged->second == value)
        {
            continue;
        }
        const std::string problem = scenario->SetParameter(name, value);
        if (!problem.empty())
        {
            std::cerr << problem << '\n';
            return 2;
        }
    }
    if (!scenario->Run())
    {
        std::cerr << scenario->GetError() << '\n';
        return 1;
    }
    for (const auto& caution : scenario->GetCautions())
    {
        std::cerr << "caution: " << caution << '\n';
    }
    for (const auto& metric : scenario->GetMetrics())
    {
        std::cout << metric.name << ' ' << metric.value << ' ' << metric.unit << '\n';
    }
    return 0;
}
