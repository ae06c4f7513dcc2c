/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/rnic-profile.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicCalibration, "rnic-calibration");

using AttributeList = std::vector<std::pair<std::string, std::string>>; //!< parameters and values

// octets of a full segment's payload, and of its stream: MTU 1500, timestamps, tagged, no Markers
constexpr double FPDU_PAYLOAD = 1428;

} // namespace

/// What a single bottleneck lets through, in the simulator, against its closed form.
struct RnicBottlenecks : TestCase
{
    using TestCase::TestCase;

    /// Simulate two hosts with a link of 100 Gb/s.
    /// @param settings of the scenario @param metric wanted @return its value
    double Run(const AttributeList& settings, const std::string& metric)
    {
        AttributeList all{{"HostPairs", "1"},
                          {"Rnic", "ideal"},
                          {"PlainTcp", "false"},
                          {"Markers", "false"},
                          {"LinkRate", "100Gbps"},
                          {"AccessRate", "100Gbps"},
                          {"Delay", "1us"},
                          {"AccessDelay", "0us"},
                          {"StartSpread", "0us"},
                          {"QueueSize", "200000p"}};
        all.insert(all.end(), settings.begin(), settings.end());
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : all)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        const bool good = scenario->Run();
        NS_TEST_EXPECT_MSG_EQ(good, true, scenario->GetError());
        for (const auto& found : scenario->GetMetrics())
        {
            if (found.name == metric)
            {
                return found.value;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(metric, "", "there is no such metric");
        return 0;
    }

    /// Check the goodput of RDMA Writes. @param settings of the scenario @param limit bit/s
    void CheckGoodput(const AttributeList& settings, double limit)
    {
        AttributeList all{{"Workload", "rdma-write"},
                          {"MessageSizes", "fixed:65536"},
                          {"Octets", "10000000"}};
        all.insert(all.end(), settings.begin(), settings.end());
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(all, "goodput"),
                                  limit,
                                  0.01 * limit,
                                  settings.front().first << "=" << settings.front().second);
    }
};

IWARP_TEST(rnicCalibration, "single bottlenecks are closed forms, to 1 %", RnicBottlenecks)
{
    CheckGoodput({{"Rnic.TxPace.Interval", "400ns"}}, FPDU_PAYLOAD * 8 / 400e-9);
    CheckGoodput({{"Rnic.TxPace.Interval", "400ns"}, {"Flows", "2"}},
                 2 * FPDU_PAYLOAD * 8 / 400e-9);
    // the slow path is not for aligned segments
    CheckGoodput({{"Rnic.RxMpa.SlowPathTime", "300ns"}, {"Alignment", "false"}},
                 FPDU_PAYLOAD * 8 / 300e-9);
    CheckGoodput({{"Rnic.RxMpa.SlowPathTime", "300ns"}, {"LinkRate", "10Gbps"}},
                 Run({{"Workload", "rdma-write"},
                      {"MessageSizes", "fixed:65536"},
                      {"Octets", "10000000"},
                      {"LinkRate", "10Gbps"}},
                     "goodput"));
    // a segment is read in 3 requests, 4 at a time a microsecond
    CheckGoodput(
        {{"Rnic.HostInterface.ReadTags", "4"},
         {"MessageSizes", "fixed:1048576"}, // so that WQEs, which are read too, do not count
         {"Rnic.HostInterface.MaxReadRequest", "512"},
         {"Rnic.HostInterface.ReadLatency", "1us"}},
        4.0 / 3 / 1e-6 * FPDU_PAYLOAD * 8);
    // 10 + 10 + 100 + 50 + 2 * 50 ns in RxMpa, with windows that the packet buffer has room for
    CheckGoodput({{"Rnic", "e810-like"},
                  {"Flows", "8"},
                  {"Octets", "2500000"},
                  {"Alignment", "false"},
                  {"ReceiveBuffer", "65536"},
                  {"ReceiveWindow", "Retired"}},
                 FPDU_PAYLOAD * 8 / 270e-9);
    NS_TEST_EXPECT_MSG_EQ_TOL(Run({{"Workload", "perf"},
                                   {"PerfTest", "write_bw"},
                                   {"PerfSize", "64"},
                                   {"PerfIterations", "5000"},
                                   {"QueueDepth", "128"},
                                   {"Packing", "false"},
                                   {"Rnic.RxTcp.TimePerPacket", "200ns"}},
                                  "perf_msg_rate"),
                              1 / 200e-9,
                              0.01 / 200e-9,
                              "a stage of 200 ns a segment");
    // each end is interrupted once a round trip, and no more often than every 20 us
    NS_TEST_EXPECT_MSG_EQ_TOL(Run({{"Workload", "perf"},
                                   {"PerfTest", "write_lat"},
                                   {"PerfSize", "64"},
                                   {"PerfIterations", "20"},
                                   {"Rnic", "siw-like"}},
                                  "perf_t_typical"),
                              20e-6 / 2,
                              1e-7,
                              "the moderation of interrupts is longer than the path");
}

/// Eight figures of the profiles were chosen to meet a measurement: four of a server's software,
/// and as many of an adapter with autonomous offloads.
IWARP_TEST(rnicCalibration, "fitted figures are few and say so")
{
    std::vector<std::string> fitted;
    for (const auto& name : RnicProfile::GetNames())
    {
        for (const auto& figure : RnicProfile::Get(name))
        {
            const bool isFitted = figure.sure == RnicFigure::Sure::FITTED;
            const bool says = figure.source.substr(0, 8) == "so that ";
            NS_TEST_EXPECT_MSG_EQ(isFitted,
                                  says,
                                  name << " " << figure.path << ": " << figure.source);
            if (says)
            {
                fitted.push_back(name + " " + figure.path);
            }
        }
    }
    NS_TEST_EXPECT_MSG_EQ(fitted.size(), 8, "fitted figures");
}
