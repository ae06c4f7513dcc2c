/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpParameterRange, "iwarp-parameter-range");

/// Each number takes the least and the greatest value of the range that it states.
struct RangeTest : TestCase
{
    using TestCase::TestCase;

    /// @param parameter a number
    void Check(const IwarpParameter& parameter)
    {
        const auto colon = parameter.range.find(':');
        const auto blank = parameter.range.rfind(' ', colon) + 1;
        NS_TEST_ASSERT_MSG_NE(colon, std::string::npos, parameter.name << " states a range");
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& bound :
             {parameter.range.substr(blank, colon - blank), parameter.range.substr(colon + 1)})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(parameter.name, bound),
                                  "",
                                  parameter.name << "=" << bound << " of " << parameter.range);
        }
        if (parameter.type == "ns3::UintegerValue")
        {
            const uint64_t least = std::stoull(parameter.range.substr(blank));
            const uint64_t most = std::stoull(parameter.range.substr(colon + 1));
            const std::string below = least > 0 ? std::to_string(least - 1) : "-1";
            const std::string above = most < std::numeric_limits<uint64_t>::max()
                                          ? std::to_string(most + 1)
                                          : std::to_string(most) + "0";
            for (const auto& outside : {below, above})
            {
                NS_TEST_EXPECT_MSG_NE(scenario->SetParameter(parameter.name, outside),
                                      "",
                                      parameter.name << "=" << outside);
            }
        }
        ++m_numbers;
    }

    uint32_t m_numbers{0}; //!< parameters checked
};

IWARP_TEST(iwarpParameterRange, "Bounds of numeric parameters are values of theirs", RangeTest)
{
    for (const auto& list :
         {IwarpScenario::ListParameters(), IwarpScenario::ListQualifiedParameters()})
    {
        for (const auto& parameter : list)
        {
            if (parameter.type == "ns3::UintegerValue" || parameter.type == "ns3::IntegerValue" ||
                parameter.type == "ns3::DoubleValue" || parameter.type == "ns3::TimeValue")
            {
                Check(parameter);
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(m_numbers, 150, "all of them");
}

/// The greatest number of octets is as good as no limit.
struct GreatestTest : TestCase
{
    using TestCase::TestCase;

    /// @param octets of everything that has a limit @return payload that came
    double Run(const std::string& octets)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : {std::pair<const char*, std::string>{"Octets", octets},
                                          {"Duration", "1ms"},
                                          {"MessageSizes", "fixed:20000"},
                                          {"Loss", "0.01"},
                                          {"Alignment", "false"},
                                          {"PlainTcp", "false"},
                                          {"ReassemblyMemory", octets},
                                          {"Rnic", "ideal"},
                                          {"Rnic.ReassemblyMemory.Capacity", octets},
                                          {"Rnic.ReassemblyMemory.PerConnection", octets},
                                          {"Rnic.PacketBuffer.Capacity", octets}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        for (const auto& metric : scenario->GetMetrics())
        {
            if (metric.name == "payload_octets")
            {
                return metric.value;
            }
        }
        return 0;
    }
};

IWARP_TEST(iwarpParameterRange,
           "Runs with the greatest payload and the greatest memories",
           GreatestTest)
{
    const double unlimited = Run("0");
    NS_TEST_EXPECT_MSG_GT(unlimited, 100000, "it runs");
    NS_TEST_EXPECT_MSG_EQ(Run("18446744073709551615"), unlimited, "as without limits");
}

} // namespace
