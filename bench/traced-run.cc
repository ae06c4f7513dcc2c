/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * A run of the scenario, with the standard traces taken down or without any, so that what traces
 * cost is the difference.
 */

#include "ns3/command-line.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-trace-helper.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string stack = "traced";
    uint64_t octets = 8000000;
    std::string rnic = "t5-like";
    CommandLine cmd(__FILE__);
    cmd.AddValue("stack", "traced or untraced", stack);
    cmd.AddValue("octets", "Octets of payload", octets);
    cmd.AddValue("rnic", "Rnic of the scenario", rnic);
    cmd.Parse(argc, argv);
    const auto scenario = CreateObject<IwarpScenario>();
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string, std::string>>{
             {"PlainTcp", "false"},
             {"Topology", "point-to-point"},
             {"Rnic", rnic},
             {"Octets", std::to_string(octets)}})
    {
        const std::string problem = scenario->SetParameter(name, value);
        NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    }
    IwarpTraceHelper traces;
    if (stack == "traced")
    {
        const std::string problem = traces.Add("standard");
        NS_ABORT_MSG_UNLESS(problem.empty(), problem);
        scenario->SetTraces(&traces);
    }
    const bool good = scenario->Run();
    NS_ABORT_MSG_UNLESS(good, scenario->GetError());
    std::size_t rows = 0;
    for (std::size_t i = 0; i < traces.GetNTables(); i++)
    {
        rows += traces.GetTable(i).CountRows();
    }
    std::cout << rows << " rows\n";
    return 0;
}
