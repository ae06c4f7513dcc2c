/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-perf-bench.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/path-random-impairment.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rnic-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

using namespace ns3;

namespace
{

/// Suite of the options of the perftest applications, good and bad.
IWARP_TEST_SUITE(rdmaPerfOptions, "rdma-perf-options");

/// Options do what they say.
struct RdmaPerfOptionTest : TestCase
{
    using TestCase::TestCase;

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
        RdmaPerfBench bench;
        bench.Set("write_bw", 300000, 30); // more than TCP buffers
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(depth));
        bench.helper.SetClientAttribute(name, UintegerValue(value));
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.Client(0)->TraceConnectWithoutContext(
            "Connected",
            MakeCallback(&RdmaPerfOptionTest::HandleConnected, this));
        bench.Simulate();
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->GetError(), "", name);
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->GetReport().iterations, 30, name);
        m_pair = nullptr;
        return bench.Client(0)->GetReport();
    }

    Ptr<RdmaQueuePair> m_pair; //!< client's
    uint32_t m_deepest{0};     //!< most sends posted
    uint32_t m_drained{0};     //!< times that none was left
};

IWARP_TEST(rdmaPerfOptions,
           "Options: depth, completions, lists, inline, duration, credits",
           RdmaPerfOptionTest)
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
        RdmaPerfBench bench;
        bench.Set("write_bw", 100, 100);
        bench.helper.SetClientAttribute("InlineSize", UintegerValue(100));
        NS_TEST_EXPECT_MSG_EQ(bench.Run()->IsFinished(), true, "all inline");
    }
    for (const char* test : {"write_bw", "send_bw", "read_bw", "write_lat"})
    {
        RdmaPerfBench bench;
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
        RdmaPerfBench bench;
        bench.Set("write_bw", 10000, 100);
        bench.helper.SetClientAttribute("NoPeak", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(bench.Run()->GetReport().bwPeak.GetBitRate(), 0, "no peak");
    }
    for (const uint32_t depth : {1, 2, 16})
    {
        // losses have messages arrive out of order, each of which takes a receive
        RdmaPerfBench bench;
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

/// What goes wrong is told at the client.
struct RdmaPerfFailureTest : TestCase
{
    using TestCase::TestCase;

    void Expect(Ptr<RdmaPerfClient> client, const std::string& part)
    {
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), false, "not finished: " << part);
        NS_TEST_EXPECT_MSG_NE(client->GetError().find(part),
                              std::string::npos,
                              "\"" << client->GetError() << "\" has \"" << part << "\"");
    }
};

IWARP_TEST(rdmaPerfOptions, "Failures are told in words", RdmaPerfFailureTest)
{
    {
        RdmaPerfBench bench;
        bench.applications.clients = bench.helper.InstallClient(
            bench.Nodes().Get(0),
            RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT));
        bench.Simulate();
        Expect(bench.Client(0), "nobody listens");
    }
    {
        RdmaPerfBench bench;
        bench.helper.SetClientAttribute("Outs", UintegerValue(129));
        Expect(bench.Run(), "MaxReadAtomic");
    }
    {
        RdmaPerfBench bench;
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(40000));
        Expect(bench.Run(), "MaxQpWr");
    }
    {
        RdmaPerfBench bench;
        bench.Set("write_bw", 65536, 1000000);
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.applications.servers.Stop(MilliSeconds(100));
        bench.Simulate();
        Expect(bench.Client(0), "the peer ended the connection");
    }
    {
        RdmaPerfBench bench;
        bench.Set("write_bw", 65536, 1000000);
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.applications.clients.Stop(MilliSeconds(100));
        bench.Simulate();
        Expect(bench.Client(0), "stopped");
    }
    {
        RdmaPerfBench bench;
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

/**
 * Queue pairs drawn at random, of few slots each, whose completions come behind what they tell of:
 * a message has ended at the receiver while its slot is in use still, as one is until its
 * completion is polled (ibv_post_send(3), ibv_poll_cq(3)). A completion that is polled later makes
 * room for the next message all the same.
 */
struct RdmaPerfLateTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t ITERATIONS = 200; //!< of each queue pair

    /// @param test test @param depth value of TxDepth @param pairs queue pairs
    void Check(const char* test, uint32_t depth, uint32_t pairs)
    {
        RdmaPerfBench bench(2, "100Gbps");
        bench.Set(test, 8, ITERATIONS);
        bench.helper.SetClientAttribute("Order", StringValue("Random"));
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(depth));
        bench.helper.SetClientAttribute("Qp", UintegerValue(pairs));
        RnicHelper rnic;
        rnic.Set("HostInterface.Notify", StringValue("Interrupt"));
        rnic.Set("HostInterface.InterruptModeration", StringValue("100us"));
        rnic.Install(bench.Nodes());
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.Client(0)->AssignStreams(1);
        bench.Simulate();
        const auto client = bench.Client(0);
        const std::string name = std::string(test) + ", TxDepth " + std::to_string(depth) + ", " +
                                 std::to_string(pairs) + " queue pairs";
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", name);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, name << ": the test ends");
        NS_TEST_EXPECT_MSG_EQ(client->GetReport().iterations, ITERATIONS * pairs, name << ": all");
    }
};

IWARP_TEST(rdmaPerfOptions, "Random order with completions that come late", RdmaPerfLateTest)
{
    for (const char* test : {"write_bw", "send_bw", "read_bw"})
    {
        for (const uint32_t depth : {1, 2, 4})
        {
            Check(test, depth, 1);
            Check(test, depth, 4);
        }
    }
}

} // namespace
