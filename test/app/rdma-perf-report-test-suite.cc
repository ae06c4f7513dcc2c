/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-perf-bench.h"

#include "ns3/nstime.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

/// Suite of what the perftest applications compute and print.
IWARP_TEST_SUITE(rdmaPerfReport, "rdma-perf-report");

/// What is computed from times, and how it is printed.
IWARP_TEST(rdmaPerfReport, "Rates against brute force, tables against their text")
{
    std::mt19937 random(1);
    for (int round = 0; round < 200; round++)
    {
        const uint32_t n = 1 + random() % 40;
        const uint32_t warmUp = random() % 3 == 0 ? random() % n : 0;
        std::vector<Time> posted(n);
        std::vector<Time> ended(n);
        int64_t at = 0;
        int64_t end = 0;
        for (uint32_t i = 0; i < n; i++)
        {
            at += random() % 3 * (random() % 1000);
            end = std::max<int64_t>(end, at + 1) + random() % 2 * (random() % 3000);
            posted[i] = NanoSeconds(at);
            ended[i] = NanoSeconds(end);
        }
        double peak = 0;
        for (uint32_t i = warmUp; i < n; i++)
        {
            for (uint32_t j = i; j < n; j++)
            {
                peak = std::max(peak, (j - i + 1) / (ended[j] - posted[i]).GetSeconds());
            }
        }
        const double average =
            (n - warmUp) /
            (ended[n - 1] - (warmUp > 0 ? ended[warmUp - 1] : posted[0])).GetSeconds();
        const auto rates = RdmaPerfMeasure(posted, ended, warmUp, true);
        if (std::isfinite(average))
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(rates.average, average, average * 1e-9, "average");
            NS_TEST_EXPECT_MSG_EQ_TOL(rates.peak,
                                      std::max(peak, average),
                                      peak * 1e-9,
                                      "peak of " << n);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(RdmaPerfMeasure({}, {}, 0, true).average, 0, "nothing");

    RdmaPerfReport report;
    report.test = RdmaPerfTest::WRITE_BW;
    report.size = 65536;
    report.iterations = 5000;
    report.bwPeak = DataRate(uint64_t(1100.5 * 1048576 * 8));
    report.bwAverage = DataRate(uint64_t(1099.25 * 1048576 * 8));
    report.msgRate = 17588;
    std::ostringstream text;
    text << report;
    NS_TEST_EXPECT_MSG_NE(text.str().find("RDMA_Write BW Test"), std::string::npos, "title");
    NS_TEST_EXPECT_MSG_NE(
        text.str().find(
            " #bytes    #iterations    BW peak[MiB/sec]    BW average[MiB/sec]    "
            "MsgRate[Mpps]\n"
            " 65536     5000           1100.50             1099.25                0.017588\n"),
        std::string::npos,
        text.str());
    NS_TEST_EXPECT_MSG_EQ(report.GetMetrics().size(), 5, "columns");
    NS_TEST_EXPECT_MSG_EQ(report.GetMetrics()[3].name, "bw_average", "name");
    NS_TEST_EXPECT_MSG_EQ(report.GetMetrics()[3].unit, "bit/s", "unit");

    report = RdmaPerfReport();
    report.test = RdmaPerfTest::SEND_LAT;
    report.size = 2;
    report.iterations = 1000;
    report.tMin = NanoSeconds(2000);
    report.tMax = NanoSeconds(2500);
    report.tTypical = NanoSeconds(2100);
    report.tAvg = NanoSeconds(2110);
    report.tStdev = NanoSeconds(20);
    report.t99 = NanoSeconds(2200);
    report.t999 = NanoSeconds(2300);
    text.str("");
    report.Print(text);
    NS_TEST_EXPECT_MSG_NE(text.str().find(" 2         1000           2.000          2.500          "
                                          "2.100              2.110          0.020            2.200"
                                          "                   2.300\n"),
                          std::string::npos,
                          text.str());
    NS_TEST_EXPECT_MSG_EQ(report.GetMetrics().back().name, "t_99_9", "name");
    NS_TEST_EXPECT_MSG_EQ_TOL(report.GetMetrics().back().value, 2.3e-6, 1e-15, "seconds");

    RdmaPerfParameters parameters;
    parameters.test = RdmaPerfTest::ATOMIC_LAT;
    parameters.size = 0x01020304;
    parameters.iterations = uint64_t(1) << 40;
    parameters.outs = 7;
    parameters.address = uint64_t(3) << 50;
    parameters.creditKey = 0xCAFEF00D;
    RdmaPerfParameters back;
    NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(parameters.Encode(), back), true, "read");
    NS_TEST_EXPECT_MSG_EQ((back.Encode() == parameters.Encode()), true, "the same");
    NS_TEST_EXPECT_MSG_EQ(back.creditKey, 0xCAFEF00D, "the last one");
    for (const auto field : {&RdmaPerfParameters::size,
                             &RdmaPerfParameters::txDepth,
                             &RdmaPerfParameters::rxDepth,
                             &RdmaPerfParameters::cqMod,
                             &RdmaPerfParameters::postList})
    {
        RdmaPerfParameters none = parameters;
        none.*field = 0;
        NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(none.Encode(), back), false, "nothing");
        none.*field = 1;
        NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(none.Encode(), back), true, "the least");
    }
    auto octets = parameters.Encode();
    octets[4] = 8;
    NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(octets, back), false, "no such test");
    octets.pop_back();
    NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(octets, back), false, "too short");
}

/// A Read takes its latency, so that a duration has as many as fit; what comes later, such as the
/// end of the application, is no failure.
IWARP_TEST(rdmaPerfReport, "A test of a duration is over in time")
{
    RdmaPerfBench bench;
    bench.Set("read_lat", 1000, 1);
    bench.helper.SetClientAttribute("Duration", TimeValue(MilliSeconds(1)));
    bench.applications =
        bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
    bench.applications.Start(MilliSeconds(1));
    bench.applications.clients.Stop(MilliSeconds(10));
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    const auto client = bench.Client(0);
    NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", "nothing went wrong");
    NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, "before the application was stopped");
    const Time each = RdmaStar::OneWay({RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER}) +
                      RdmaStar::OneWay(RdmaStar::FramesOf(1000, 14));
    NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(client->GetReport().iterations),
                              MilliSeconds(1).GetSeconds() / each.GetSeconds(),
                              1.0,
                              "as many as the duration has room for");
}

} // namespace
