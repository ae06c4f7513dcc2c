/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs an IwarpScenario and prints its metrics: iwarp-scenario-run --Topology=abilene --Loss=0.001

#include "ns3/command-line.h"
#include "ns3/iwarp-scenario.h"

#include <iostream>
#include <map>

using namespace ns3;

int
main(int argc, char* argv[])
{
    const TypeId tid = IwarpScenario::GetTypeId();
    std::map<std::string, std::string> values;
    CommandLine cmd(__FILE__);
    for (std::size_t i = 0; i < tid.GetAttributeN(); i++)
    {
        const auto info = tid.GetAttribute(i);
        values[info.name] = info.initialValue->SerializeToString(info.checker);
        cmd.AddValue(info.name, info.help, values[info.name]);
    }
    const auto defaults = values;
    cmd.Parse(argc, argv);

    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    for (const auto& [name, value] : values)
    {
        if (value == defaults.at(name))
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
    for (const auto& metric : scenario->GetMetrics())
    {
        std::cout << metric.name << ' ' << metric.value << ' ' << metric.unit << '\n';
    }
    return 0;
}
