/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-star.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-random-impairment.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 20049;

/// Hosts on one router, and applications without Markers between them.
class Bench
{
  public:
    /// @param hosts hosts @param rate rate of their links
    explicit Bench(uint32_t hosts = 2, const char* rate = "1Gbps")
        : m_star(hosts, rate)
    {
        helper.SetStreamAttribute("Markers", BooleanValue(false));
        helper.SetSocketAttribute("SndBufSize", UintegerValue(262144));
        helper.SetSocketAttribute("RcvBufSize", UintegerValue(262144));
    }

    ~Bench()
    {
        Simulator::Destroy();
    }

    /// Set attributes of the client. @param test test @param size octets @param iterations how many
    void Set(const char* test, uint32_t size, uint32_t iterations)
    {
        helper.SetClientAttribute("Test", StringValue(test));
        helper.SetClientAttribute("Size", UintegerValue(size));
        helper.SetClientAttribute("Iterations", UintegerValue(iterations));
    }

    /// Connect host 0 to host 1 and simulate. @return the client
    Ptr<RdmaPerfClient> Run()
    {
        applications = helper.Connect(Nodes().Get(0), Nodes().Get(1), PORT);
        Simulate();
        return Client(0);
    }

    void Simulate() //!< simulate what is installed
    {
        applications.Start(MilliSeconds(1));
        Simulator::Stop(Seconds(400)); // ns-3 gives up connecting after 189 s
        Simulator::Run();
    }

    /// @param i number @return a client
    Ptr<RdmaPerfClient> Client(uint32_t i) const
    {
        return DynamicCast<RdmaPerfClient>(applications.clients.Get(i));
    }

    /// @param i number @return a server
    Ptr<RdmaPerfServer> Server(uint32_t i) const
    {
        return DynamicCast<RdmaPerfServer>(applications.servers.Get(i));
    }

    const NodeContainer& Nodes() const //!< @return hosts
    {
        return m_star.GetHosts();
    }

    /// @param host index @return its device
    Ptr<NetDevice> Device(uint32_t host) const
    {
        return m_star.GetDevice(host);
    }

    RdmaPerfHelper helper;         //!< makes applications
    RdmaApplications applications; //!< what it made

  private:
    RdmaStar m_star; //!< hosts
};

/**
 * Latency is the sum of what all segments take on both links: the last frame crosses the first link
 * behind all others, and then the second by itself; half of there and back.
 */
class RdmaPerfLatencyTest : public TestCase
{
  public:
    RdmaPerfLatencyTest()
        : TestCase("Latency is serialisation and propagation of the segments")
    {
    }

  private:
    void Check(const char* test, uint32_t size, Time expected)
    {
        Bench bench;
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

    void DoRun() override
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
};

/// Bandwidth is the link's rate times the share of payload in its octets.
class RdmaPerfBandwidthTest : public TestCase
{
  public:
    RdmaPerfBandwidthTest()
        : TestCase("Bandwidth is link rate times payload share")
    {
    }

  private:
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
        Bench bench(2, "10Gbps");
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

    void DoRun() override
    {
        Check("write_bw", 65536, 14, 1, false);
        Check("read_bw", 65536, 14, 1, false);
        Check("send_bw", 65536, 18, 1, false);
        Check("write_bw", 65536, 14, 4, false);
        Check("write_bw", 65536, 14, 1, true);
        Check("read_bw", 65536, 14, 1, true);
        Check("send_bw", 65536, 18, 2, true);

        // one Read under way at a time: the rate is one over its latency
        Bench bench;
        bench.Set("read_bw", 1000, 50);
        bench.helper.SetClientAttribute("Outs", UintegerValue(1));
        const auto client = bench.Run();
        const uint32_t request = RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER;
        const uint32_t response = RdmaStar::FpduOf(14 + 1000) + RdmaStar::LOWER;
        const double turn = 2 * (request + response) * 8e-9 + 20e-6;
        NS_TEST_EXPECT_MSG_EQ_TOL(client->GetReport().msgRate, 1 / turn, 1e-3 / turn, "Outs");

        // so it is for Atomics, whose size is given
        Bench atomics;
        atomics.Set("atomic_bw", 1000, 50);
        atomics.helper.SetClientAttribute("Outs", UintegerValue(1));
        atomics.helper.SetClientAttribute("AtomicType", StringValue("CMP_AND_SWAP"));
        const RdmaPerfReport report = atomics.Run()->GetReport();
        const double atomic =
            2 * (RdmaStar::FpduOf(70) + RdmaStar::FpduOf(30) + 2 * RdmaStar::LOWER) * 8e-9 + 20e-6;
        NS_TEST_EXPECT_MSG_EQ_TOL(report.msgRate, 1 / atomic, 1e-3 / atomic, "Outs of Atomics");
        NS_TEST_EXPECT_MSG_EQ(report.size, 8, "size of an Atomic");
    }
};

/// Options do what they say.
class RdmaPerfOptionTest : public TestCase
{
  public:
    RdmaPerfOptionTest()
        : TestCase("Options: depth, completions, lists, inline, duration, credits")
    {
    }

  private:
    void HandleConnected(Ptr<RdmaQueuePair> pair)
    {
        m_pair = pair;
        m_pair->GetStream()->TraceConnectWithoutContext(
            "MessageSent",
            MakeCallback(&RdmaPerfOptionTest::HandleSent, this));
    }

    void HandleSent(RdmapOpcode, uint64_t)
    {
        // the one that was sent is done
        m_deepest = std::max(m_deepest, m_pair->GetSendsPosted() + 1);
        m_drained += m_pair->GetSendsPosted() == 0;
    }

    /// Run write_bw of 30 messages. @param name attribute @param value its value
    /// @param depth value of TxDepth @return the client
    RdmaPerfReport Run(const char* name, uint32_t value, uint32_t depth)
    {
        m_deepest = 0;
        m_drained = 0;
        Bench bench;
        bench.Set("write_bw", 300000, 30); // more than TCP buffers
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(depth));
        bench.helper.SetClientAttribute(name, UintegerValue(value));
        bench.applications = bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), PORT);
        bench.Client(0)->TraceConnectWithoutContext(
            "Connected",
            MakeCallback(&RdmaPerfOptionTest::HandleConnected, this));
        bench.Simulate();
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->GetError(), "", name);
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->GetReport().iterations, 30, name);
        m_pair = nullptr;
        return bench.Client(0)->GetReport();
    }

    void DoRun() override
    {
        Run("CqMod", 1, 7);
        NS_TEST_EXPECT_MSG_EQ(m_deepest, 7, "TxDepth");
        NS_TEST_EXPECT_MSG_EQ(m_drained, 1, "there is always one posted");
        Run("CqMod", 1000, 7);
        NS_TEST_EXPECT_MSG_EQ(m_deepest, 7, "CqMod is at most TxDepth");
        NS_TEST_EXPECT_MSG_EQ(m_drained, 5, "only each seventh completion is known");
        Run("PostList", 4, 4);
        NS_TEST_EXPECT_MSG_EQ(m_drained, 7, "a list of four waits for the one before");
        Run("PostList", 3, 7);
        NS_TEST_EXPECT_MSG_EQ(m_drained, 1, "lists of three do not");
        Run("PostList", 1000, 7);
        NS_TEST_EXPECT_MSG_EQ(m_deepest, 7, "PostList is at most TxDepth");
        Run("InlineSize", 512, 7);
        {
            Bench bench;
            bench.Set("write_bw", 100, 100);
            bench.helper.SetClientAttribute("InlineSize", UintegerValue(100));
            NS_TEST_EXPECT_MSG_EQ(bench.Run()->IsFinished(), true, "all inline");
        }
        for (const char* test : {"write_bw", "send_bw", "read_bw", "write_lat"})
        {
            Bench bench;
            bench.Set(test, 10000, 100);
            bench.helper.SetClientAttribute("TxDepth", UintegerValue(8));
            bench.helper.SetClientAttribute("Duration", TimeValue(MilliSeconds(20)));
            bench.helper.SetClientAttribute("Bidirectional", BooleanValue(true));
            const auto client = bench.Run();
            NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test);
            NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, "over in time");
            const double octets = double(client->GetReport().iterations) * 10000;
            const bool latency = RdmaPerfIsLatency(client->GetReport().test);
            NS_TEST_EXPECT_MSG_GT(octets, (latency ? 5e5 : 2e6), test << " fills its time");
            NS_TEST_EXPECT_MSG_LT(octets, 3e6, test << " keeps to its time");
        }
        {
            Bench bench;
            bench.Set("write_bw", 10000, 100);
            bench.helper.SetClientAttribute("NoPeak", BooleanValue(true));
            NS_TEST_EXPECT_MSG_EQ(bench.Run()->GetReport().bwPeak.GetBitRate(), 0, "no peak");
        }
        for (const uint32_t depth : {1, 2, 16})
        {
            // losses have messages arrive out of order, each of which takes a receive
            Bench bench;
            bench.Set("send_bw", 100, 125 * depth);
            bench.helper.SetServerAttribute("RxDepth", UintegerValue(depth));
            bench.helper.SetClientAttribute("RxDepth", UintegerValue(depth));
            bench.helper.SetClientAttribute("PostList", UintegerValue(4));
            bench.helper.SetClientAttribute("Bidirectional", BooleanValue(true));
            bench.helper.SetStreamAttribute("Markers", BooleanValue(true));
            const auto loss = CreateObject<PathRandomImpairment>();
            loss->SetAttribute("Loss", DoubleValue(0.01));
            loss->AssignStreams(1);
            loss->Install(bench.Device(1));
            const auto client = bench.Run();
            NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", "credits for " << depth);
            NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, "credits for " << depth);
        }
    }

    Ptr<RdmaQueuePair> m_pair; //!< client's
    uint32_t m_deepest{0};     //!< most sends posted
    uint32_t m_drained{0};     //!< times that none was left
};

/// With All a test runs with each size in turn.
class RdmaPerfAllTest : public TestCase
{
  public:
    RdmaPerfAllTest()
        : TestCase("All sizes, one after the other")
    {
    }

  private:
    /// Run a test with all sizes. @param bench where @param test test @param iterations messages
    /// @return its reports
    std::vector<RdmaPerfReport> Run(Bench& bench, const char* test, uint32_t iterations)
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

    /// Each row of a latency test is what the test with that size alone has to give. @param test
    /// test
    void CheckLatency(const char* test)
    {
        Bench bench;
        for (const RdmaPerfReport& report : Run(bench, test, 1))
        {
            NS_TEST_EXPECT_MSG_EQ(report.iterations, 1, test);
            if (report.size > 1024)
            {
                break; // acknowledgments go besides the answers
            }
            const bool send = report.test == RdmaPerfTest::SEND_LAT;
            Time expected = RdmaStar::OneWay(RdmaStar::FramesOf(report.size, send ? 18 : 14));
            if (report.test == RdmaPerfTest::READ_LAT)
            {
                expected += RdmaStar::OneWay({RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER});
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(report.tAvg,
                                      expected,
                                      TimeStep(2),
                                      test << " of " << report.size);
        }
    }

    /// Long messages of a bandwidth test fill the link, whatever came before. @param test test
    /// @param both both ends send @param depth receives of each end
    void CheckBandwidth(const char* test, bool both, uint32_t depth)
    {
        Bench bench;
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

    void DoRun() override
    {
        CheckLatency("send_lat");
        CheckLatency("write_lat");
        CheckLatency("read_lat");
        CheckBandwidth("send_bw", false, 3); // credits go on from size to size
        CheckBandwidth("write_bw", true, 512);
        CheckBandwidth("read_bw", false, 512);

        Bench bench;
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
};

/// What goes wrong is told at the client.
class RdmaPerfFailureTest : public TestCase
{
  public:
    RdmaPerfFailureTest()
        : TestCase("Failures are told in words")
    {
    }

  private:
    void Expect(Ptr<RdmaPerfClient> client, const std::string& part)
    {
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), false, "not finished: " << part);
        NS_TEST_EXPECT_MSG_NE(client->GetError().find(part),
                              std::string::npos,
                              "\"" << client->GetError() << "\" has \"" << part << "\"");
    }

    void DoRun() override
    {
        {
            Bench bench;
            bench.applications.clients =
                bench.helper.InstallClient(bench.Nodes().Get(0),
                                           RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), PORT));
            bench.Simulate();
            Expect(bench.Client(0), "nobody listens");
        }
        {
            Bench bench;
            bench.helper.SetClientAttribute("Outs", UintegerValue(129));
            Expect(bench.Run(), "MaxReadAtomic");
        }
        {
            Bench bench;
            bench.helper.SetClientAttribute("TxDepth", UintegerValue(40000));
            Expect(bench.Run(), "MaxQpWr");
        }
        {
            Bench bench;
            bench.Set("write_bw", 65536, 1000000);
            bench.applications =
                bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), PORT);
            bench.applications.servers.Stop(MilliSeconds(100));
            bench.Simulate();
            Expect(bench.Client(0), "the peer ended the connection");
        }
        {
            Bench bench;
            bench.Set("write_bw", 65536, 1000000);
            bench.applications =
                bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), PORT);
            bench.applications.clients.Stop(MilliSeconds(100));
            bench.Simulate();
            Expect(bench.Client(0), "stopped");
        }
        {
            Bench bench;
            bench.Set("read_lat", 1000, 1);
            bench.helper.SetClientAttribute("Duration", TimeValue(MicroSeconds(1)));
            Expect(bench.Run(), "within Duration");
        }
        const auto client = CreateObject<RdmaPerfClient>();
        NS_TEST_EXPECT_MSG_EQ(client->Check(), "", "the defaults are sound");
        client->SetAttribute("WarmUp", UintegerValue(1000));
        NS_TEST_EXPECT_MSG_EQ(client->Check(),
                              "WarmUp (1000) has to be less than Iterations (1000), of which it is "
                              "a part",
                              "nothing would be left");
        client->SetAttribute("Duration", TimeValue(Seconds(1)));
        NS_TEST_EXPECT_MSG_EQ(client->Check(), "", "Iterations do not count now");
        client->SetAttribute("All", BooleanValue(true));
        NS_TEST_EXPECT_MSG_NE(client->Check(), "", "as in perftest");
    }
};

/// Full mesh and incast.
class RdmaPerfPatternTest : public TestCase
{
  public:
    RdmaPerfPatternTest()
        : TestCase("Full mesh and incast connect whom they should")
    {
    }

  private:
    void DoRun() override
    {
        {
            Bench bench(4);
            bench.Set("write_bw", 10000, 20);
            bench.applications = bench.helper.ConnectMesh(bench.Nodes(), PORT);
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
            Bench bench(5);
            bench.Set("write_bw", 50000, 100);
            NodeContainer clients;
            for (uint32_t i = 1; i < 5; i++)
            {
                clients.Add(bench.Nodes().Get(i));
            }
            bench.applications = bench.helper.ConnectIncast(clients, bench.Nodes().Get(0), PORT);
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
};

/// What is computed from times, and how it is printed.
class RdmaPerfReportTest : public TestCase
{
  public:
    RdmaPerfReportTest()
        : TestCase("Rates against brute force, tables against their text")
    {
    }

  private:
    void DoRun() override
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
        NS_TEST_EXPECT_MSG_NE(
            text.str().find(" 2         1000           2.000          2.500          "
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
        auto octets = parameters.Encode();
        octets[4] = 8;
        NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(octets, back), false, "no such test");
        octets.pop_back();
        NS_TEST_EXPECT_MSG_EQ(RdmaPerfParameters::Decode(octets, back), false, "too short");
    }
};

/// Suite of the perftest applications.
class RdmaPerfTestSuite : public TestSuite
{
  public:
    RdmaPerfTestSuite()
        : TestSuite("rdma-perf", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaPerfReportTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfLatencyTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfBandwidthTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfOptionTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfAllTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfFailureTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaPerfPatternTest, IWARP_TEST_QUICK);
    }
};

RdmaPerfTestSuite g_rdmaPerfTestSuite;

} // namespace
