/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-perf-bench.h"

#include "ns3/boolean.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

using namespace ns3;

namespace
{

/// Suite of the perftest applications: latency, bandwidth, sizes and patterns.
IWARP_TEST_SUITE(rdmaPerf, "rdma-perf");

/**
 * Latency is the sum of what all segments take on both links: the last frame crosses the first link
 * behind all others, and then the second by itself; half of there and back.
 */
struct RdmaPerfLatencyTest : TestCase
{
    using TestCase::TestCase;

    void Check(const char* test, uint32_t size, Time expected)
    {
        RdmaPerfBench bench;
        bench.Set(test, size, 20);
        const auto client = bench.Run();
        const RdmaPerfReport& report = client->GetReport();
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test);
        NS_TEST_ASSERT_MSG_EQ(client->IsFinished(), true, test << " is over");
        NS_TEST_EXPECT_MSG_EQ(report.iterations, 20, "samples");
        // ns-3's TCP sends a time step after it is given something to send
        const Time step = TimeStep(2);
        const std::string name = std::string(test) + " of " + std::to_string(size);
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tMin, expected, step, name << ", least");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tMax, expected, step, name << ", most");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tTypical, expected, step, name << ", median");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tAvg, expected, step, name << ", mean");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.t999, expected, step, name << ", percentile");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tStdev.GetSeconds(), 0, 2e-9, "no deviation");
    }
};

IWARP_TEST(rdmaPerf,
           "Latency is serialisation and propagation of the segments",
           RdmaPerfLatencyTest)
{
    // where the third segment is there, its acknowledgment rides on the answer
    for (const uint32_t size : {1U, 2U, 64U, 1400U, 4000U})
    {
        Check("send_lat", size, RdmaStar::OneWay(RdmaStar::FramesOf(size, 18)));
        Check("write_lat", size, RdmaStar::OneWay(RdmaStar::FramesOf(size, 14)));
        Check("read_lat",
              size,
              RdmaStar::OneWay({RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER}) +
                  RdmaStar::OneWay(RdmaStar::FramesOf(size, 14)));
    }
    Check("atomic_lat",
          8,
          RdmaStar::OneWay({RdmaStar::FpduOf(18 + 52) + RdmaStar::LOWER}) +
              RdmaStar::OneWay({RdmaStar::FpduOf(18 + 12) + RdmaStar::LOWER}));
}

/// Bandwidth is the link's rate times the share of payload in its octets.
struct RdmaPerfBandwidthTest : TestCase
{
    using TestCase::TestCase;

    /// @param size payload @param header octets of the DDP header @return share of payload
    static double ShareOf(uint32_t size, uint32_t header)
    {
        double octets = 0;
        for (const uint32_t frame : RdmaStar::FramesOf(size, header))
        {
            octets += frame;
        }
        return size / octets;
    }

    void Check(const char* test,
               uint32_t size,
               uint32_t header,
               uint32_t queuePairs,
               bool bidirectional)
    {
        RdmaPerfBench bench(2, "10Gbps");
        bench.Set(test, size, 150);
        bench.helper.SetClientAttribute("WarmUp", UintegerValue(75));
        bench.helper.SetClientAttribute("Qp", UintegerValue(queuePairs));
        bench.helper.SetClientAttribute("Bidirectional", BooleanValue(bidirectional));
        const auto client = bench.Run();
        const RdmaPerfReport& report = client->GetReport();
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test);
        NS_TEST_ASSERT_MSG_EQ(client->IsFinished(), true, test << " is over");
        NS_TEST_EXPECT_MSG_EQ(report.iterations, 75 * queuePairs, "messages");
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetNConnections(), queuePairs, "connections");
        const double expected = (bidirectional ? 2 : 1) * 1e10 * ShareOf(size, header);
        const double average = report.bwAverage.GetBitRate();
        // acknowledgments share the link with the other direction's data, and queue pairs do not
        // end at the same time
        NS_TEST_EXPECT_MSG_EQ_TOL(average,
                                  expected,
                                  expected * (bidirectional    ? 0.03
                                              : queuePairs > 1 ? 0.01
                                                               : 0.002),
                                  test << " of " << size << " on " << queuePairs);
        NS_TEST_EXPECT_MSG_EQ_TOL(report.msgRate * size * 8, average, 1, "rate of messages");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(average,
                                    double(report.bwPeak.GetBitRate()),
                                    "the peak is no less");
    }
};

IWARP_TEST(rdmaPerf, "Bandwidth is link rate times payload share", RdmaPerfBandwidthTest)
{
    Check("write_bw", 65536, 14, 1, false);
    Check("read_bw", 65536, 14, 1, false);
    Check("send_bw", 65536, 18, 1, false);
    Check("write_bw", 65536, 14, 4, false);
    Check("write_bw", 65536, 14, 1, true);
    Check("read_bw", 65536, 14, 1, true);
    Check("send_bw", 65536, 18, 2, true);

    // one Read under way at a time: the rate is one over its latency
    RdmaPerfBench bench;
    bench.Set("read_bw", 1000, 50);
    bench.helper.SetClientAttribute("Outs", UintegerValue(1));
    const auto client = bench.Run();
    const uint32_t request = RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER;
    const uint32_t response = RdmaStar::FpduOf(14 + 1000) + RdmaStar::LOWER;
    const double turn = 2 * (request + response) * 8e-9 + 20e-6;
    NS_TEST_EXPECT_MSG_EQ_TOL(client->GetReport().msgRate, 1 / turn, 1e-3 / turn, "Outs");

    // so it is for Atomics, whose size is given
    RdmaPerfBench atomics;
    atomics.Set("atomic_bw", 1000, 50);
    atomics.helper.SetClientAttribute("Outs", UintegerValue(1));
    atomics.helper.SetClientAttribute("AtomicType", StringValue("CMP_AND_SWAP"));
    const RdmaPerfReport report = atomics.Run()->GetReport();
    const double atomic =
        2 * (RdmaStar::FpduOf(70) + RdmaStar::FpduOf(30) + 2 * RdmaStar::LOWER) * 8e-9 + 20e-6;
    NS_TEST_EXPECT_MSG_EQ_TOL(report.msgRate, 1 / atomic, 1e-3 / atomic, "Outs of Atomics");
    NS_TEST_EXPECT_MSG_EQ(report.size, 8, "size of an Atomic");
}

/// With All a test runs with each size in turn.
struct RdmaPerfAllTest : TestCase
{
    using TestCase::TestCase;

    /// Run a test with all sizes. @param bench where @param test test @param iterations messages
    /// @return its reports
    std::vector<RdmaPerfReport> Run(RdmaPerfBench& bench, const char* test, uint32_t iterations)
    {
        bench.Set(test, 77, iterations);
        bench.helper.SetClientAttribute("All", BooleanValue(true));
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, test);
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(client->GetReports().size(), 23, test << ": 2 to 2^23");
        for (std::size_t i = 0; i < client->GetReports().size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(client->GetReports()[i].size, 2U << i, test << ": size " << i);
        }
        return client->GetReports();
    }

    /// Each row of a latency test is what the test with that size alone has to give.
    void CheckLatency()
    {
        RdmaPerfBench bench;
        for (const RdmaPerfReport& report : Run(bench, "read_lat", 1))
        {
            NS_TEST_EXPECT_MSG_EQ(report.iterations, 1, report.size);
            if (report.size > 1024)
            {
                break; // acknowledgments go besides the answers
            }
            const Time expected = RdmaStar::OneWay(RdmaStar::FramesOf(report.size, 14)) +
                                  RdmaStar::OneWay({RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER});
            NS_TEST_EXPECT_MSG_EQ_TOL(report.tAvg, expected, TimeStep(2), report.size);
        }
    }

    /// Long messages of a bandwidth test fill the link, whatever came before. @param test test
    /// @param both both ends send @param depth receives of each end
    void CheckBandwidth(const char* test, bool both, uint32_t depth)
    {
        RdmaPerfBench bench;
        bench.helper.SetClientAttribute("Bidirectional", BooleanValue(both));
        bench.helper.SetClientAttribute("WarmUp", UintegerValue(1));
        bench.helper.SetClientAttribute("RxDepth", UintegerValue(depth));
        bench.helper.SetServerAttribute("RxDepth", UintegerValue(depth));
        for (const RdmaPerfReport& report : Run(bench, test, 3))
        {
            NS_TEST_EXPECT_MSG_EQ(report.iterations, 2, test);
            if (report.size < 1U << 20)
            {
                continue;
            }
            double octets = 0;
            const bool send = report.test == RdmaPerfTest::SEND_BW;
            for (const uint32_t frame : RdmaStar::FramesOf(report.size, send ? 18 : 14))
            {
                octets += frame;
            }
            const double expected = (both ? 2e9 : 1e9) * report.size / octets;
            // acknowledgments share the link with the other direction's data
            NS_TEST_EXPECT_MSG_EQ_TOL(report.bwAverage.GetBitRate(),
                                      expected,
                                      expected * (both ? 0.03 : 0.01),
                                      test << " of " << report.size << ", both " << both);
        }
    }
};

IWARP_TEST(rdmaPerf, "All sizes, one after the other", RdmaPerfAllTest)
{
    // each operation once
    CheckLatency();
    CheckBandwidth("send_bw", false, 3); // credits go on from size to size
    CheckBandwidth("write_bw", true, 512);

    RdmaPerfBench bench;
    bench.Set("atomic_lat", 0, 5);
    bench.helper.SetClientAttribute("All", BooleanValue(true));
    const auto client = bench.Run();
    NS_TEST_ASSERT_MSG_EQ(client->GetReports().size(), 1, "Atomics have one size");
    NS_TEST_EXPECT_MSG_EQ(client->GetReport().size, 8, "which is this");

    std::ostringstream one;
    std::ostringstream two;
    RdmaPerfReport::PrintTable(one, {client->GetReport()});
    RdmaPerfReport::PrintTable(two, {client->GetReport(), client->GetReport()});
    const auto lines = [](const std::string& text) {
        return std::count(text.begin(), text.end(), '\n');
    };
    NS_TEST_EXPECT_MSG_EQ(lines(two.str()), lines(one.str()) + 1, "a row each, one heading");
}

/// Full mesh and incast.
IWARP_TEST(rdmaPerf, "Full mesh and incast connect whom they should")
{
    {
        RdmaPerfBench bench(4);
        bench.Set("write_bw", 10000, 20);
        bench.applications = bench.helper.ConnectMesh(bench.Nodes(), RdmaPerfBench::PORT);
        NS_TEST_ASSERT_MSG_EQ(bench.applications.clients.GetN(), 12, "one a pair");
        bench.Simulate();
        for (uint32_t i = 0; i < 12; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.Client(i)->IsFinished(), true, "client " << i);
            NS_TEST_EXPECT_MSG_EQ((bench.Client(i)->GetNode() == bench.Nodes().Get(i / 3)),
                                  true,
                                  "where it is");
        }
        for (uint32_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.Server(i)->GetNConnections(), 3, "server " << i);
            NS_TEST_EXPECT_MSG_EQ(bench.Server(i)->GetError(), "", "server " << i);
            const auto device = RdmaDevice::Get(bench.Nodes().Get(i));
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "given back");
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::MEMORY_REGION), 0, "as well");
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::COMPLETION_QUEUE), 0, "too");
        }
    }
    {
        RdmaPerfBench bench(5);
        bench.Set("write_bw", 50000, 100);
        NodeContainer clients;
        for (uint32_t i = 1; i < 5; i++)
        {
            clients.Add(bench.Nodes().Get(i));
        }
        bench.applications =
            bench.helper.ConnectIncast(clients, bench.Nodes().Get(0), RdmaPerfBench::PORT);
        bench.Simulate();
        double least = 1e12;
        double sum = 0;
        for (uint32_t i = 0; i < 4; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.Client(i)->IsFinished(), true, "client " << i);
            const double average = bench.Client(i)->GetReport().bwAverage.GetBitRate();
            least = std::min(least, average);
            sum += average;
        }
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetNConnections(), 4, "one server");
        NS_TEST_EXPECT_MSG_LT(4 * least, 1e9, "they share one link");
        NS_TEST_EXPECT_MSG_GT(sum, 7e8, "and use it");
    }
}

} // namespace
