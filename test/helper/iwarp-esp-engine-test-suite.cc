/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rnic/rnic-test-util.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-scenario.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

/// Suite "iwarp-esp-engine".
IWARP_TEST_SUITE(iwarpEspEngine, "iwarp-esp-engine");

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
IWARP_TEST(iwarpEspEngine, "EspEngine and its attributes: what can be set, and what is wrong")
{
    // settings, and part of what is wrong with them; "" if nothing is
    const std::vector<std::array<const char*, 2>> cases{
        {"EspEngine=none", ""},
        {"EspEngine=software EspEngine.TxEsp.TimePerPacket=1us Rnic=t5-like", ""},
        {"Ipsec=tunnel EspEngine=inline EspEngine.TxEsp.TimePerPacket=1us", ""},
        {"Ipsec=gateway EspEngine=software EspEngine.Cpu.Cores=4 Rnic=t5-like", ""},
        {"Ipsec=transport EspEngine=qat-like Rnic=t5-like", ""},
        {"Ipsec=nested EspEngine=aesni-like Rnic=siw-like", ""},
        {"Ipsec=transport EspEngine=lookaside EspEngine.AssociationCache.Entries=16 "
         "Rnic=e810-like "
         "Rnic.Receiver=HostSoftware",
         ""},
        {"EspEngine=offside",
         "EspEngine: there is no 'offside'; there are none, inline, lookaside, software"},
        {"EspEngine.TxEsp.TimePerPackt=1us", "did you mean EspEngine.TxEsp.TimePerPacket"},
        {"EspEngine.RxMpa.TimePerPacket=1us", "an ESP engine has no attribute"},
        {"EspEngine.TxEsp.TimePerPacket=1us", "there is no ESP engine unless EspEngine names one"},
        {"Ipsec=transport EspEngine=software Rnic=t5-like", "set Receiver to HostSoftware"},
        {"Ipsec=transport EspEngine=inline EspEngine.RxEsp.KeySetup=1us",
         "set AssociationCache.Entries"},
        {"Ipsec=transport EspEngine=software EspEngine.TxEsp.Engines=2",
         "no attribute 'TxEsp.Engines'"}};
    for (const auto& [settings, says] : cases)
    {
        const std::string fault = FindFault(settings);
        const bool expected = *says == '\0' ? fault.empty() : fault.find(says) != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(expected, true, "'" << fault << "', not '" << says << "'");
    }
    const auto names = IwarpScenario::ListQualifiedParameters("EspEngine.");
    const bool has = std::any_of(names.begin(), names.end(), [](const auto& parameter) {
        return parameter.name == "EspEngine.RxEsp.AesGcmRate";
    });
    NS_TEST_EXPECT_MSG_EQ(has, true, "they are listed");
}

/// What an engine makes of a run, wherever it is.
struct IwarpEspEngineRuns : ScenarioTestCase
{
    /// @param title of the case
    explicit IwarpEspEngineRuns(const std::string& title)
        : ScenarioTestCase(title,
                           {{"HostPairs", "1"},
                            {"PlainTcp", "false"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Delay", "5us"},
                            {"AccessDelay", "1us"},
                            {"QueueSize", "20000p"},
                            {"Octets", "3000000"},
                            {"WarmUp", "200000"},
                            {"MessageSizes", "fixed:65536"},
                            {"SendBuffer", "65536"},
                            {"ReceiveBuffer", "65536"}})
    {
    }

    /// @param ipsec where there is ESP @param engine where at that @param rnic profile
    /// @param isOut it takes time to protect, and none to take protection off; or the other way
    void RunOne(const std::string& ipsec,
                const std::string& engine,
                const std::string& rnic,
                bool isOut)
    {
        const std::string stage = isOut ? "TxEsp" : "RxEsp";
        const std::string way = isOut ? "_out" : "_in";
        const std::string where = ipsec + " " + engine + " " + rnic + " " + stage;
        // 4 us a packet: 250,000 a second, 2.8 Gb/s
        ScenarioSettings settings{{"Ipsec", ipsec},
                                  {"EspEngine", engine},
                                  {"EspEngine." + stage + ".TimePerPacket", "4us"},
                                  {"Rnic", rnic}};
        if (ipsec == "transport" && engine == "software")
        {
            settings["Rnic.Receiver"] = "HostSoftware";
        }
        auto run = RunScenario(settings);
        const double bound = run["payload_octets"] * 8 / (run["segments_sent"] * 4e-6);
        const double share = run["goodput"] / bound;
        NS_TEST_EXPECT_MSG_EQ_TOL(share, 1, 0.04, where << ": of the engine's rate");
        // data keep one of two engines busy, the other works for ACKs
        const double busy = run["esp_busy" + way] / run["duration"];
        NS_TEST_EXPECT_MSG_GT(busy, 0.45, where << ": one of two is busy");
        NS_TEST_EXPECT_MSG_LT(busy, 1, where << ": the other is not, all the time");
        NS_TEST_EXPECT_MSG_GT(run["esp_delay" + way], 4e-6, where << ": packets wait");
        const std::string other = isOut ? "_in" : "_out";
        NS_TEST_EXPECT_MSG_EQ(run["esp_busy" + other], 0, where << ": and no other way");
    }
};

IWARP_TEST(iwarpEspEngine,
           "goodput is bounded by the engine, at hosts, in RNICs, at gateways",
           IwarpEspEngineRuns)
{
    struct Case
    {
        const char* ipsec;  //!< where
        const char* engine; //!< where at that
        const char* rnic;   //!< profile
    };

    for (const auto& [ipsec, engine, rnic] : std::vector<Case>{{"transport", "inline", "none"},
                                                               {"transport", "inline", "ideal"},
                                                               {"transport", "lookaside", "ideal"},
                                                               {"tunnel", "inline", "ideal"},
                                                               {"transport", "software", "ideal"},
                                                               {"gateway", "inline", "none"},
                                                               {"gateway", "software", "ideal"},
                                                               {"nested", "inline", "ideal"}})
    {
        for (const bool isOut : {true, false})
        {
            RunOne(ipsec, engine, rnic, isOut);
        }
    }
}
