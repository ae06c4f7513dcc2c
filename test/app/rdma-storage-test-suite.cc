/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-star.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/iwarp-helper.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace ns3;

namespace
{

/// Suite of the storage applications.
IWARP_TEST_SUITE(rdmaStorage, "rdma-storage");

constexpr uint16_t STORAGE_PORT = 20049;
constexpr uint32_t MESSAGE_HEADER = RdmaStorageMessage::SIZE;
constexpr uint32_t FULL = RdmaStar::EMSS - 6 - 14; // payload of a full segment of RDMA

/// A client at host 0 and a server at host 1.
class StorageBench
{
  public:
    StorageBench()
        : m_star(2)
    {
        helper.SetStreamAttribute("Markers", BooleanValue(false));
        helper.SetClientAttribute("MaxRequests", UintegerValue(10));
    }

    ~StorageBench()
    {
        Simulator::Destroy();
    }

    /// Install and simulate.
    void Run()
    {
        applications =
            helper.Connect(m_star.GetHosts().Get(0), m_star.GetHosts().Get(1), STORAGE_PORT);
        IwarpHelper::AssignStreams(m_star.GetHosts(), 1);
        applications.Start(MilliSeconds(1));
        Client()->TraceConnectWithoutContext("RequestPosted",
                                             MakeCallback(&StorageBench::HandlePosted, this));
        Client()->TraceConnectWithoutContext("RequestCompleted",
                                             MakeCallback(&StorageBench::HandleCompleted, this));
        if (stopServer.IsStrictlyPositive())
        {
            applications.servers.Stop(stopServer);
        }
        Simulator::Stop(Seconds(400));
        Simulator::Run();
    }

    Ptr<RdmaStorageClient> Client() const //!< @return the client
    {
        return DynamicCast<RdmaStorageClient>(applications.clients.Get(0));
    }

    Ptr<RdmaStorageServer> Server() const //!< @return the server
    {
        return DynamicCast<RdmaStorageServer>(applications.servers.Get(0));
    }

    /// @param name a metric @return its value
    double Metric(const std::string& name) const
    {
        for (const auto& metric : Client()->GetMetrics())
        {
            if (metric.name == name)
            {
                return metric.value;
            }
        }
        return std::nan("");
    }

    const RdmaStar& Star() const //!< @return hosts
    {
        return m_star;
    }

    RdmaStorageHelper helper;      //!< makes applications
    RdmaApplications applications; //!< what it made
    Time stopServer;               //!< when the server stops, if it does
    uint32_t posted{0};            //!< requests posted
    uint32_t completed{0};         //!< requests completed
    uint32_t deepest{0};           //!< most requests under way
    uint64_t octets{0};            //!< data of those completed

  private:
    void HandlePosted(RdmaStorageKind, uint32_t)
    {
        posted++;
        deepest = std::max(deepest, posted - completed);
    }

    void HandleCompleted(RdmaStorageKind, uint32_t size, Time)
    {
        completed++;
        octets += size;
    }

    RdmaStar m_star; //!< hosts
};

/// Latency of each way of moving data is the sum of what its messages take.
struct RdmaStorageLatencyTest : TestCase
{
    using TestCase::TestCase;

    void Check(bool read, uint32_t size, bool inlined, Time expected)
    {
        StorageBench bench;
        bench.helper.SetClientAttribute("QueueDepth", UintegerValue(1));
        bench.helper.SetClientAttribute("ReadShare", DoubleValue(read ? 1 : 0));
        bench.helper.SetClientAttribute(
            "MessageSizes",
            StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(size) + "]"));
        bench.helper.SetServerAttribute("ServiceTime",
                                        StringValue("ns3::ConstantRandomVariable[Constant=1e-4]"));
        bench.Run();
        const std::string name = std::string(read ? "read" : "write") + " of " +
                                 std::to_string(size) + (inlined ? ", inline" : "");
        NS_TEST_EXPECT_MSG_EQ(bench.Client()->GetError(), "", name);
        NS_TEST_EXPECT_MSG_EQ(bench.Client()->IsFinished(), true, name);
        const auto kind = read ? RdmaStorageKind::READ : RdmaStorageKind::WRITE;
        const iwarp::SampleSet& latencies = bench.Client()->GetLatencies(kind);
        NS_TEST_EXPECT_MSG_EQ(latencies.GetN(), 10, name);
        // ns-3's TCP sends a time step after it is given something to send
        NS_TEST_EXPECT_MSG_EQ_TOL(latencies.GetOrder(0), expected, TimeStep(5), name << ", least");
        NS_TEST_EXPECT_MSG_EQ_TOL(latencies.GetOrder(1), expected, TimeStep(5), name << ", most");
        NS_TEST_EXPECT_MSG_EQ(bench.Metric(read ? "read_inline" : "write_inline"),
                              (inlined ? 10 : 0),
                              name);
        NS_TEST_EXPECT_MSG_EQ(bench.Metric(read ? "read_octets" : "write_octets"), 10 * size, name);
    }
};

IWARP_TEST(rdmaStorage,
           "Latency is that of request, data, service and response",
           RdmaStorageLatencyTest)
{
    const auto sendOf = [](uint32_t octets) {
        return RdmaStar::OneWay(RdmaStar::FramesOf(octets, 18));
    };
    const Time service = MicroSeconds(100);
    const Time header = sendOf(MESSAGE_HEADER);
    for (const uint32_t size : {1U, 512U, 1000U, 4096U})
    {
        Check(false, size, true, sendOf(MESSAGE_HEADER + size) + service + header);
        Check(true, size, true, header + service + sendOf(MESSAGE_HEADER + size));
    }
    // Segments are full, so that the response does not share one with the data. Each second one
    // is acknowledged by itself; where that is the last, its acknowledgment would be in the way
    // of what follows.
    for (const uint32_t segments : {3U, 5U})
    {
        const uint32_t size = segments * FULL;
        const Time request = RdmaStar::OneWay({RdmaStar::FpduOf(18 + 28) + RdmaStar::LOWER});
        const Time data = RdmaStar::OneWay(RdmaStar::FramesOf(size, 14));
        Check(false, size, false, header + request + data + service + header);
    }
    for (const uint32_t segments : {4U, 6U})
    {
        const uint32_t size = segments * FULL;
        auto data = RdmaStar::FramesOf(size, 14);
        data.push_back(RdmaStar::FpduOf(18 + MESSAGE_HEADER) + RdmaStar::LOWER);
        Check(true, size, false, header + service + RdmaStar::OneWay(data));
    }
}

/// Mix, sizes, depth, intervals and what the server grants.
IWARP_TEST(rdmaStorage, "Mix, sizes, depth, intervals, terms, loss")
{
    {
        StorageBench bench;
        bench.helper.SetClientAttribute("MaxRequests", UintegerValue(1000));
        bench.helper.SetClientAttribute("ReadShare", DoubleValue(0.25));
        bench.helper.SetClientAttribute("MessageSizes",
                                        StringValue("ns3::UniformRandomVariable[Min=1|Max=10000]"));
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(bench.Client()->IsFinished(), true, "finished");
        NS_TEST_EXPECT_MSG_EQ(bench.deepest, 16, "requests under way");
        NS_TEST_EXPECT_MSG_EQ(bench.completed, 1000, "requests");
        // four standard deviations of a binomial distribution
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Metric("read_requests"), 250, 4 * 13.7, "reads");
        NS_TEST_EXPECT_MSG_EQ(bench.Metric("read_requests") + bench.Metric("write_requests"),
                              1000,
                              "all are one of both");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.octets, 5000.5 * 1000, 4 * 2887 * 31.6, "sizes");
        NS_TEST_EXPECT_MSG_EQ(bench.Metric("read_octets") + bench.Metric("write_octets"),
                              bench.octets,
                              "octets");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Metric("read_inline") / bench.Metric("read_requests"),
                                  0.4096,
                                  0.13,
                                  "share up to the threshold");
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetRequests(), 1000, "served");
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetOctets(), bench.octets, "octets served");
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetNConnections(), 1, "one client");
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetError(), "", "no error");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Metric("goodput"),
                                  bench.Metric("request_rate") * 8 * bench.octets / 1000,
                                  1,
                                  "goodput");
        NS_TEST_EXPECT_MSG_GT(bench.Metric("goodput"), 8e8, "the link is in use");
        for (uint32_t host : {0, 1})
        {
            const auto device = RdmaDevice::Get(bench.Star().GetHosts().Get(host));
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "given back");
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::MEMORY_REGION), 0, "as well");
        }
    }
    {
        StorageBench bench;
        bench.helper.SetClientAttribute("MaxRequests", UintegerValue(100));
        bench.helper.SetClientAttribute("MessageSizes",
                                        StringValue("ns3::ConstantRandomVariable"
                                                    "[Constant=100]"));
        bench.helper.SetServerAttribute("QueueDepth", UintegerValue(3));
        bench.helper.SetServerAttribute("InlineThreshold", UintegerValue(99));
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(bench.completed, 100, "requests");
        NS_TEST_EXPECT_MSG_EQ(bench.deepest, 3, "as the server grants");
        NS_TEST_EXPECT_MSG_EQ(bench.Metric("read_inline") + bench.Metric("write_inline"),
                              0,
                              "no data in Sends");
    }
    {
        // requests come twice as fast as they are served, one at a time
        StorageBench bench;
        bench.helper.SetClientAttribute("QueueDepth", UintegerValue(1));
        bench.helper.SetClientAttribute("ReadShare", DoubleValue(1));
        bench.helper.SetClientAttribute("MessageSizes",
                                        StringValue("ns3::ConstantRandomVariable"
                                                    "[Constant=100]"));
        bench.helper.SetClientAttribute("Intervals",
                                        StringValue("ns3::ConstantRandomVariable"
                                                    "[Constant=5e-4]"));
        bench.helper.SetServerAttribute("ServiceTime",
                                        StringValue("ns3::ConstantRandomVariable"
                                                    "[Constant=1e-3]"));
        bench.Run();
        const double one = 1e-3 + (RdmaStar::OneWay(RdmaStar::FramesOf(MESSAGE_HEADER, 18)) +
                                   RdmaStar::OneWay(RdmaStar::FramesOf(MESSAGE_HEADER + 100, 18)))
                                      .GetSeconds();
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Metric("read_latency_max"),
                                  10 * one - 9 * 5e-4,
                                  1e-7,
                                  "the last waits for all others");
        NS_TEST_EXPECT_MSG_EQ_TOL(bench.Metric("read_latency_mean"),
                                  5.5 * one - 4.5 * 5e-4,
                                  1e-7,
                                  "mean");
    }
    {
        StorageBench bench;
        bench.helper.SetClientAttribute("MaxRequests", UintegerValue(300));
        bench.helper.SetStreamAttribute("Markers", BooleanValue(true));
        bench.helper.SetClientAttribute("MessageSizes",
                                        StringValue("ns3::UniformRandomVariable[Min=1|Max=20000]"));
        for (const uint32_t host : {0, 1})
        {
            const auto loss = CreateObject<PathRandomImpairment>();
            loss->SetAttribute("Loss", DoubleValue(0.01));
            loss->Install(bench.Star().GetDevice(host));
        }
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(bench.Client()->GetError(), "", "no error with loss");
        NS_TEST_EXPECT_MSG_EQ(bench.completed, 300, "all come through");
    }
}

/// What goes wrong is told in words.
struct RdmaStorageFailureTest : TestCase
{
    using TestCase::TestCase;

    void Expect(const StorageBench& bench, const std::string& part)
    {
        const std::string& error = bench.Client()->GetError();
        NS_TEST_EXPECT_MSG_EQ(bench.Client()->IsFinished(), false, "not finished: " << part);
        NS_TEST_EXPECT_MSG_NE(error.find(part), std::string::npos, error << " has " << part);
    }
};

IWARP_TEST(rdmaStorage, "Failures, headers that are none", RdmaStorageFailureTest)
{
    {
        StorageBench bench;
        bench.helper.SetClientAttribute("MaxRequests", UintegerValue(0));
        bench.stopServer = MilliSeconds(100);
        bench.Run();
        Expect(bench, "the peer ended the connection");
        NS_TEST_EXPECT_MSG_GT(bench.completed, 10, "until then it works");
    }
    {
        StorageBench bench;
        RdmaDevice::Get(bench.Star().GetHosts().Get(0))->SetAttribute("MaxQpWr", UintegerValue(10));
        bench.Run();
        Expect(bench, "MaxQpWr");
    }
    {
        StorageBench bench;
        RdmaDevice::Get(bench.Star().GetHosts().Get(1))->SetAttribute("MaxQp", UintegerValue(1));
        RdmaDevice::Get(bench.Star().GetHosts().Get(1))->SetAttribute("MaxQpWr", UintegerValue(10));
        bench.Run();
        Expect(bench, "reject");
        NS_TEST_EXPECT_MSG_NE(bench.Server()->GetError(), "", "the server tells as well");
    }
    {
        // a perftest client is none of storage
        StorageBench bench;
        RdmaPerfHelper perf;
        bench.applications.servers =
            bench.helper.InstallServer(bench.Star().GetHosts().Get(1), STORAGE_PORT);
        auto client = perf.InstallClient(
            bench.Star().GetHosts().Get(0),
            RdmaPerfHelper::GetAddress(bench.Star().GetHosts().Get(1), STORAGE_PORT));
        client.Start(MilliSeconds(1));
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_NE(bench.Server()->GetError().find("no RdmaStorageClient"),
                              std::string::npos,
                              bench.Server()->GetError());
        NS_TEST_EXPECT_MSG_NE(
            DynamicCast<RdmaApplication>(client.Get(0))->GetError().find("reject"),
            std::string::npos,
            "the client is told");
    }

    RdmaStorageMessage message;
    message.kind = RdmaStorageKind::WRITE;
    message.inlined = true;
    message.tag = 7;
    message.length = 0x01020304;
    message.key = 0xCAFEF00D;
    message.address = uint64_t(5) << 40;
    uint8_t octets[MESSAGE_HEADER];
    message.Encode(octets);
    RdmaStorageMessage back;
    NS_TEST_EXPECT_MSG_EQ(RdmaStorageMessage::Decode(octets, back), true, "a header");
    uint8_t again[MESSAGE_HEADER];
    back.Encode(again);
    NS_TEST_EXPECT_MSG_EQ(std::equal(octets, octets + MESSAGE_HEADER, again), true, "the same");
    NS_TEST_EXPECT_MSG_EQ(back.address, message.address, "address");
    for (const uint32_t at : {0, 1, 2, 3})
    {
        uint8_t bad[MESSAGE_HEADER];
        std::copy(octets, octets + MESSAGE_HEADER, bad);
        bad[at] ^= 0x84;
        NS_TEST_EXPECT_MSG_EQ(RdmaStorageMessage::Decode(bad, back), false, "octet " << at);
    }
    RdmaStorageTerms terms;
    NS_TEST_EXPECT_MSG_EQ(RdmaStorageTerms::Decode({1, 2, 3}, terms), false, "too short");
    NS_TEST_EXPECT_MSG_EQ(RdmaStorageTerms::Decode(terms.Encode(), terms), false, "no depth");
    terms.queueDepth = 1;
    NS_TEST_EXPECT_MSG_EQ(RdmaStorageTerms::Decode(terms.Encode(), terms), true, "terms");
}

/// A server that needs more Reads than a client grants rejects its Request (RFC 6581 section 9.1),
/// says so, holds nothing of it, and serves the next client.
IWARP_TEST(rdmaStorage, "A client that grants too few Reads is rejected", RdmaStorageFailureTest)
{
    StorageBench bench;
    const auto client = bench.Star().GetHosts().Get(0);
    const auto server = bench.Star().GetHosts().Get(1);
    const auto remote = RdmaStorageHelper::GetAddress(server, STORAGE_PORT);
    bench.helper.SetConnectionAttribute("MinOrd", UintegerValue(8));
    bench.helper.SetConnectionAttribute("Ird", UintegerValue(4));
    bench.applications.servers = bench.helper.InstallServer(server, STORAGE_PORT);
    bench.applications.clients = bench.helper.InstallClient(client, remote);
    bench.helper.SetConnectionAttribute("Ird", UintegerValue(8));
    auto next = bench.helper.InstallClient(client, remote);
    bench.applications.Start(MilliSeconds(1));
    next.Start(Seconds(1));
    Simulator::Schedule(MilliSeconds(900), [&] {
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetNConnections(), 0, "none is accepted");
        NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetNOpen(), 0, "none is open");
        for (const auto& node : {client, server})
        {
            const auto device = RdmaDevice::Get(node);
            NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "given back");
        }
    });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    Expect(bench, "reject");
    IWARP_COVERS("ENH-9.1-13");
    const std::string& told = bench.Server()->GetError();
    NS_TEST_EXPECT_MSG_NE(told.find("Request was rejected"), std::string::npos, told);
    const auto served = DynamicCast<RdmaStorageClient>(next.Get(0));
    NS_TEST_EXPECT_MSG_EQ(served->GetError(), "", "the next client");
    NS_TEST_EXPECT_MSG_EQ(served->IsFinished(), true, "the next client");
    NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetNConnections(), 1, "that alone");
    NS_TEST_EXPECT_MSG_EQ(bench.Server()->GetNOpen(), 0, "which is over");
}

/// Totals that begin anew do not keep a client from having done all.
IWARP_TEST(rdmaStorage, "Totals that begin anew")
{
    StorageBench bench;
    bench.helper.SetClientAttribute("MaxRequests", UintegerValue(100));
    bench.helper.SetClientAttribute("QueueDepth", UintegerValue(1));
    bench.helper.SetServerAttribute("ServiceTime",
                                    StringValue("ns3::ConstantRandomVariable[Constant=1e-3]"));
    uint64_t told = 0;
    std::function<void(uint64_t)> finished = [&told](uint64_t requests) { told += requests; };
    Simulator::Schedule(MilliSeconds(50), [&bench, &finished] {
        bench.Client()->TraceConnectWithoutContext(
            "Finished",
            MakeCallback(&decltype(finished)::operator(), &finished));
        bench.Client()->RestartTotals();
    });
    bench.Run();
    NS_TEST_EXPECT_MSG_EQ(bench.Client()->GetError(), "", "no error");
    NS_TEST_EXPECT_MSG_EQ(bench.Client()->IsFinished(), true, "all requests");
    NS_TEST_EXPECT_MSG_EQ(told, 100, "all of them, once");
    const uint64_t behind = bench.Client()->GetRequests(RdmaStorageKind::READ) +
                            bench.Client()->GetRequests(RdmaStorageKind::WRITE);
    NS_TEST_EXPECT_MSG_GT(behind, 0, "some behind");
    NS_TEST_EXPECT_MSG_LT(behind, 100, "and some before");
}

} // namespace
