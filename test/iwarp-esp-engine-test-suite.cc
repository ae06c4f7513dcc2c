/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-test-util.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/ns3-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

/// @param settings of a scenario, "Name=value Name=value" @return what is wrong with them, by one
/// or by all; "" if nothing
std::string
FindFault(const std::string& settings)
{
    const auto scenario = CreateObject<IwarpScenario>();
    for (const auto& [name, value] : ParseSettings(settings))
    {
        const std::string problem = scenario->SetParameter(name, value);
        if (!problem.empty())
        {
            return problem;
        }
    }
    return scenario->Check();
}

} // namespace

/// Parameters of what does ESP.
class IwarpEspEngineParameters : public TestCase
{
  public:
    IwarpEspEngineParameters()
        : TestCase("EspEngine and its attributes: what can be set, and what is wrong")
    {
    }

  private:
    void DoRun() override
    {
        // settings, and part of what is wrong with them; "" if nothing is
        const std::vector<std::array<const char*, 2>> cases{
            {"EspEngine=none", ""},
            {"EspEngine=inline EspEngine.TxEsp.TimePerPacket=1us", ""},
            {"EspEngine=software EspEngine.Cpu.Cores=4", ""},
            {"EspEngine=qat-like Rnic=t5-like", ""},
            {"EspEngine=aesni-like Rnic=siw-like", ""},
            {"EspEngine=lookaside EspEngine.AssociationCache.Entries=16 Rnic=e810-like "
             "Rnic.Receiver=HostSoftware",
             ""},
            {"EspEngine=offside",
             "EspEngine: there is no 'offside'; there are none, inline, lookaside, software"},
            {"EspEngine.TxEsp.TimePerPackt=1us", "did you mean EspEngine.TxEsp.TimePerPacket"},
            {"EspEngine.RxMpa.TimePerPacket=1us", "an ESP engine has no attribute"},
            {"EspEngine.TxEsp.TimePerPacket=1us",
             "there is no ESP engine unless EspEngine names one"},
            {"EspEngine=software Rnic=t5-like", "set Receiver to HostSoftware"},
            {"EspEngine=inline EspEngine.RxEsp.KeySetup=1us", "set AssociationCache.Entries"},
            {"EspEngine=software EspEngine.TxEsp.Engines=2", "no attribute 'TxEsp.Engines'"}};
        for (const auto& [settings, says] : cases)
        {
            const std::string fault = FindFault(settings);
            const bool expected =
                *says == '\0' ? fault.empty() : fault.find(says) != std::string::npos;
            NS_TEST_EXPECT_MSG_EQ(expected, true, "'" << fault << "', not '" << says << "'");
        }
        const auto names = IwarpScenario::ListQualifiedParameters("EspEngine.");
        const bool has = std::any_of(names.begin(), names.end(), [](const auto& parameter) {
            return parameter.name == "EspEngine.RxEsp.AesGcmRate";
        });
        NS_TEST_EXPECT_MSG_EQ(has, true, "they are listed");
    }
};

/// Suite "iwarp-esp-engine".
class IwarpEspEngineTestSuite : public TestSuite
{
  public:
    IwarpEspEngineTestSuite()
        : TestSuite("iwarp-esp-engine")
    {
        AddTestCase(new IwarpEspEngineParameters, IWARP_TEST_QUICK);
    }
};

static IwarpEspEngineTestSuite g_iwarpEspEngineTestSuite; //!< registers the suite
