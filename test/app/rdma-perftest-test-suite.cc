/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-test-pair.h"
#include "rdma-perf-bench.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/path-random-impairment.h"
#include "ns3/perftest-exchange.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdmap-stream.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the perftest applications with perftest's own exchange.
IWARP_TEST_SUITE(rdmaPerftest, "rdma-perftest");

const char* const PERFTEST_TESTS[] =
    {"send_bw", "send_lat", "write_bw", "write_lat", "read_bw", "read_lat"};

/// Two hosts, with perftest's exchange unless told otherwise.
struct PerftestBench : RdmaPerfBench
{
    /// @param test test @param size octets @param iterations messages
    PerftestBench(const char* test, uint32_t size, uint32_t iterations)
    {
        Set(test, size, iterations);
        SetServer(test, size, iterations);
        helper.SetClientAttribute("Exchange", StringValue("Perftest"));
        helper.SetServerAttribute("Exchange", StringValue("Perftest"));
    }

    /// Set attributes of the server. @param test test @param size octets @param iterations messages
    void SetServer(const char* test, uint32_t size, uint32_t iterations)
    {
        helper.SetServerAttribute("Test", StringValue(test));
        helper.SetServerAttribute("Size", UintegerValue(size));
        helper.SetServerAttribute("Iterations", UintegerValue(iterations));
    }

    /// @param host index @return objects of its device that the applications have left
    uint32_t GetLeft(uint32_t host) const
    {
        const auto device = RdmaDevice::Get(Nodes().Get(host));
        return device->GetInUse(RdmaResource::QUEUE_PAIR) +
               device->GetInUse(RdmaResource::COMPLETION_QUEUE) +
               device->GetInUse(RdmaResource::MEMORY_REGION);
    }
};

/// Tests by perftest's exchange beside those by private data.
struct PerftestBesideTest : TestCase
{
    using TestCase::TestCase;

    /// Run a test by perftest's exchange, and check how it ends. @param test test @param size
    /// octets
    /// @param iterations messages @return reports of client and server
    std::pair<RdmaPerfReport, RdmaPerfReport> RunPerftest(const char* test,
                                                          uint32_t size,
                                                          uint32_t iterations)
    {
        PerftestBench bench(test, size, iterations);
        const auto client = bench.Run();
        const auto server = bench.Server(0);
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(server->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, test << " is over");
        NS_TEST_EXPECT_MSG_EQ(client->GetReports().size(), 1, test);
        NS_TEST_EXPECT_MSG_EQ(server->GetNConnections(), 2, test << ": parameters, and the test");
        NS_TEST_EXPECT_MSG_EQ(server->GetNOpen(), 0, test << ": both are over");
        NS_TEST_EXPECT_MSG_EQ(bench.GetLeft(0) + bench.GetLeft(1), 0, test << " leaves nothing");
        NS_ABORT_MSG_IF(server->GetReports().size() != 1, test << " is over at the server");
        return {client->GetReport(), server->GetReports()[0]};
    }

    /// @param test test @param size octets @param iterations messages @return report of the client
    static RdmaPerfReport RunPrivate(const char* test, uint32_t size, uint32_t iterations)
    {
        RdmaPerfBench bench;
        bench.Set(test, size, iterations);
        return bench.Run()->GetReport();
    }
};

IWARP_TEST(rdmaPerftest, "Latency is that of the exchange by private data", PerftestBesideTest)
{
    const Time step = TimeStep(2); // as each of the two exchanges is, see suite rdma-perf
    for (const char* test : {"send_lat", "write_lat", "read_lat"})
    {
        for (const uint32_t size : {1U, 64U, 4000U})
        {
            const auto [client, server] = RunPerftest(test, size, 20);
            const RdmaPerfReport other = RunPrivate(test, size, 20);
            const bool write = std::string(test) == "write_lat";
            const bool read = std::string(test) == "read_lat";
            // a round trip begins with an end's own message: who is second has one less
            NS_TEST_EXPECT_MSG_EQ(client.iterations, (write ? 19 : 20), test);
            NS_TEST_EXPECT_MSG_EQ(server.iterations, (read ? 0 : write ? 20 : 19), test);
            NS_TEST_EXPECT_MSG_EQ_TOL(client.tTypical, other.tTypical, step, test);
            NS_TEST_EXPECT_MSG_EQ_TOL(client.tMin, other.tMin, step, test);
            // one round trip of write_lat meets TCP's acknowledgment of the exchange's last message
            const Time met = step + NanoSeconds(write ? 8 * RdmaStar::LOWER / 2 : 0);
            NS_TEST_EXPECT_MSG_EQ_TOL(client.tMax, other.tMax, met, test);
            if (!read)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(server.tTypical, other.tTypical, step, test);
            }
        }
    }
}

IWARP_TEST(rdmaPerftest, "Bandwidth beside the exchange by private data", PerftestBesideTest)
{
    constexpr uint32_t SIZE = 65536;
    constexpr uint32_t ITERATIONS = 100;
    for (const char* test : {"send_bw", "write_bw", "read_bw"})
    {
        const auto [client, server] = RunPerftest(test, SIZE, ITERATIONS);
        const RdmaPerfReport other = RunPrivate(test, SIZE, ITERATIONS);
        const double expected = other.bwAverage.GetBitRate();
        NS_TEST_EXPECT_MSG_EQ(client.iterations, ITERATIONS, test);
        const bool read = std::string(test) == "read_bw";
        // to the client a Send or Write is over when TCP has it: what its buffer of 262144 octets,
        // and the peer's, hold at the end has not come yet
        const double held = 2 * 262144.0 / SIZE / ITERATIONS;
        NS_TEST_EXPECT_MSG_EQ_TOL(double(client.bwAverage.GetBitRate()),
                                  expected,
                                  expected * (read ? 0.0005 : held),
                                  test);
        if (std::string(test) == "send_bw")
        {
            // from the first that has come to the last: the first comes after slow start's begin
            NS_TEST_EXPECT_MSG_EQ(server.iterations, ITERATIONS - 1, test);
            NS_TEST_EXPECT_MSG_EQ_TOL(double(server.bwAverage.GetBitRate()),
                                      expected,
                                      expected * 0.001,
                                      test << " at the server");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(server.iterations, 0, test << ": a server sees nothing of it");
        }
    }
}

IWARP_TEST(rdmaPerftest, "Sizes, few and many messages, receives, credits", PerftestBesideTest)
{
    for (const char* test : PERFTEST_TESTS)
    {
        RunPerftest(test, 1, 5);
        RunPerftest(test, 5000, 300); // the count in the last octet goes round
    }
    for (const uint32_t depth : {1U, 2U, 3U, 7U})
    {
        PerftestBench bench("send_bw", 2000, 100);
        bench.helper.SetClientAttribute("RxDepth", UintegerValue(depth));
        bench.helper.SetServerAttribute("RxDepth", UintegerValue(depth));
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->GetError() + bench.Server(0)->GetError(), "", depth);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, "RxDepth " << depth);
    }
    for (const char* test : {"send_lat", "write_lat", "write_bw", "send_bw"})
    {
        PerftestBench bench(test, 100, 50);
        bench.helper.SetClientAttribute("InlineSize", UintegerValue(100));
        bench.helper.SetClientAttribute("CqMod", UintegerValue(16));
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(20));
        bench.helper.SetClientAttribute("FirstDelay", TimeValue(MilliSeconds(200)));
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->GetError() + bench.Server(0)->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, test);
    }
}

IWARP_TEST(rdmaPerftest,
           "Loss: messages of both connections overtake each other",
           PerftestBesideTest)
{
    for (uint32_t run = 0; run < 60; run++)
    {
        const char* const test = PERFTEST_TESTS[run % 6];
        PerftestBench bench(test, 3000, 20);
        const auto loss = CreateObject<PathRandomImpairment>();
        loss->SetAttribute("Loss", DoubleValue(0.05));
        loss->AssignStreams(run);
        loss->Install(bench.Device(run / 6 % 2));
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->GetError() + bench.Server(0)->GetError(), "", test);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, test << ", run " << run);
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetReports().size(), 1, test << ", run " << run);
    }
}

/// Messages that the server sends over its connections.
struct PerftestCreditTest : TestCase
{
    using TestCase::TestCase;

    /// @param pair of the server, connected
    void HandleConnected(Ptr<RdmaQueuePair> pair)
    {
        pair->GetStream()->TraceConnectWithoutContext(
            "MessageSent",
            MakeCallback(&PerftestCreditTest::HandleSent, this));
    }

    /// @param opcode of a message that is sent @param octets its payload
    void HandleSent(RdmapOpcode opcode, uint64_t octets)
    {
        m_credits += opcode == RdmapOpcode::WRITE && octets == PerftestCredit::SIZE;
    }

    uint32_t m_credits{0}; //!< RDMA Writes of a credit's length
};

IWARP_TEST(rdmaPerftest, "Credits of send_bw are as many as perftest's", PerftestCreditTest)
{
    PerftestBench bench("send_bw", 4096, 20);
    bench.applications =
        bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
    bench.Server(0)->TraceConnectWithoutContext(
        "Connected",
        MakeCallback(&PerftestCreditTest::HandleConnected, this));
    bench.Simulate();
    NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->IsFinished(), true, "the test is over");
    NS_TEST_EXPECT_MSG_EQ(m_credits, 4, "6, 12, 18 and 20, as in the capture of ib_send_bw");
}

/// Ends that do not want the same, and peers that are none.
struct PerftestOddTest : TestCase
{
    using TestCase::TestCase;

    /// Run what does not go together. @param bench where @param client words of the client's error
    /// @param server words of the server's
    void Refuse(PerftestBench& bench, const std::string& client, const std::string& server)
    {
        const auto application = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(application->IsFinished(), false, server);
        CheckError(application->GetError(), client);
        CheckError(bench.Server(0)->GetError(), server);
        CheckEnd(bench, 0);
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetReports().size(), 0, server);
    }

    /// @param error of an application @param words that are in it
    void CheckError(const std::string& error, const std::string& words)
    {
        NS_TEST_EXPECT_MSG_EQ(
            (error.find(words) != std::string::npos && error.empty() == words.empty()),
            true,
            "\"" << error << "\" has to have \"" << words << "\"");
    }

    /// All is given back. @param bench where @param first host to look at
    void CheckEnd(const PerftestBench& bench, uint32_t first)
    {
        for (uint32_t host = first; host < 2; host++)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.GetLeft(host), 0, "host " << host);
        }
    }
};

IWARP_TEST(rdmaPerftest, "A server that wants another size", PerftestOddTest)
{
    for (const char* test : {"send_bw", "send_lat"})
    {
        PerftestBench longer(test, 64, 20);
        longer.SetServer(test, 128, 20);
        Refuse(longer, "the peer ended the connection", "messages of 64 octets, Size is 128 here");
    }
    {
        PerftestBench bench("write_lat", 64, 20);
        bench.SetServer("write_lat", 128, 20);
        Refuse(bench, "messages of 128 octets, Size is 64 here", "before the test was over");
    }
    for (const char* test : {"write_bw", "read_bw"})
    {
        PerftestBench bench(test, 64, 20);
        bench.SetServer(test, 128, 20);
        Refuse(bench, "the peer ended the connection", "the client's Size is 64, and 128 here");
    }
    // more than the server has memory for: its RDMA device says so
    for (const char* test : {"send_bw", "write_bw", "read_bw", "read_lat"})
    {
        PerftestBench bench(test, 65536, 20);
        bench.SetServer(test, 64, 20);
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), false, test);
        NS_TEST_EXPECT_MSG_NE(client->GetError(), "", test);
        NS_TEST_EXPECT_MSG_NE(bench.Server(0)->GetError(), "", test);
        CheckEnd(bench, 0);
    }
}

IWARP_TEST(rdmaPerftest, "A server that wants another number, or test", PerftestOddTest)
{
    for (const char* test : {"send_bw", "send_lat"})
    {
        for (const auto& [iterations, words] :
             {std::pair{10, "more messages than Iterations is here, 10"},
              std::pair{30, "after 20 messages, Iterations is 30 here"}})
        {
            PerftestBench bench(test, 64, 20);
            bench.SetServer(test, 64, iterations);
            Refuse(bench, "the peer ended the connection", words);
        }
    }
    {
        PerftestBench bench("write_bw", 64, 20);
        bench.SetServer("write_bw", 64, 30);
        Refuse(bench,
               "the peer ended the connection",
               "the client's Iterations is 20, and 30 here");
    }
    {
        // the server has all that it wants, and goes
        PerftestBench bench("write_lat", 64, 20);
        bench.SetServer("write_lat", 64, 10);
        const auto client = bench.Run();
        CheckError(client->GetError(), "the peer ended the connection");
        NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetReports().size(), 1, "the server is done");
        CheckEnd(bench, 0);
    }
    {
        PerftestBench bench("read_lat", 64, 20);
        bench.SetServer("read_bw", 64, 20);
        Refuse(bench, "the peer ended the connection", "do both ends run the same test?");
    }
}

IWARP_TEST(rdmaPerftest, "One end alone with perftest's exchange", PerftestOddTest)
{
    {
        PerftestBench bench("send_bw", 64, 20);
        bench.helper.SetClientAttribute("Exchange", StringValue("PrivateData"));
        Refuse(bench, "reject", "the client has Exchange=PrivateData, the server Perftest");
    }
    PerftestBench bench("send_bw", 64, 20);
    bench.helper.SetServerAttribute("Exchange", StringValue("PrivateData"));
    Refuse(bench, "reject", "the peer is no RdmaPerfClient");
}

/// A peer made by hand, that sends messages over the first connection whatever comes.
struct OddPerftestPeer
{
    RdmaTestHost host;                        //!< its device
    Ptr<RdmaConnection> connection;           //!< connects or listens
    Ptr<RdmaConnection> accepted;             //!< the client's
    std::vector<std::vector<uint8_t>> script; //!< what it sends, one message after each that comes
    bool silent{false};                       //!< it ends the connection instead of the last
    std::size_t sent{0};                      //!< messages
    bool closed{false};                       //!< its connection is over

    /// @param node where
    explicit OddPerftestPeer(Ptr<Node> node)
        : host(node),
          connection(RdmaConnection::Create(node))
    {
        host.qp = host.pd->CreateQp(host.config);
        host.qp->Modify(RdmaQpState::INIT);
        for (uint32_t i = 0; i < 10; i++)
        {
            host.PostReceive(i, 0, 64);
        }
        connection->SetStreamAttribute("Markers", BooleanValue(false));
        connection->SetEventCallback(MakeCallback(&OddPerftestPeer::Handle, this));
        host.cq->SetNotifyCallback(MakeCallback(&OddPerftestPeer::HandleCompletions, this));
        host.cq->RequestNotify();
    }

    /// Something happens. @param which connection @param event what
    void Handle(Ptr<RdmaConnection> which, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            which->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            which->SetQp(host.qp);
            which->Connect({});
            break;
        case Kind::CONNECT_REQUEST:
            accepted = which;
            which->SetEventCallback(MakeCallback(&OddPerftestPeer::Handle, this));
            which->SetQp(host.qp);
            which->Accept({});
            break;
        case Kind::ESTABLISHED:
            if (!accepted)
            {
                SendNext();
            }
            break;
        case Kind::DISCONNECTED:
            which->Disconnect();
            break;
        case Kind::CLOSED:
            closed = true;
            break;
        default:
            break;
        }
    }

    /// @param cq queue with completions
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq)
    {
        cq->RequestNotify();
        RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            if (completion.opcode == RdmaCompletionOpcode::RECEIVE &&
                completion.status == RdmapStatus::SUCCESS)
            {
                SendNext();
            }
        }
    }

    void SendNext() //!< send the next message
    {
        if (sent + 1 == script.size() && silent)
        {
            (accepted ? accepted : connection)->Disconnect();
        }
        else if (sent < script.size())
        {
            const auto& octets = script[sent];
            std::copy(octets.begin(), octets.end(), host.memory.begin() + 100);
            host.qp->PostSend(host.Send(99, RdmaOpcode::SEND, 100, uint32_t(octets.size())));
        }
        sent++;
    }
};

/// @param count how many @return the first messages of a client that makes sense
std::vector<std::vector<uint8_t>>
GoodMessages(std::size_t count)
{
    PerftestExchange client(RdmaPerfTest::SEND_BW, false, 64, 20);
    std::vector<std::vector<uint8_t>> messages;
    while (messages.size() < count)
    {
        messages.push_back(client.MakeMessage());
        client.Next();
    }
    return messages;
}

IWARP_TEST(rdmaPerftest, "A client that says nonsense", PerftestOddTest)
{
    const std::vector<std::pair<std::vector<uint8_t>, std::string>> odd{
        {std::vector<uint8_t>(16, 0xee), "does not begin with a version"},
        {std::vector<uint8_t>(4, 0xee), "message of 4 octets where perftest's exchange has one of"},
        {std::vector<uint8_t>(56), "message of 56 octets"},
        {std::vector<uint8_t>(64), "status"},
    };
    for (std::size_t good = 0; good < 4; good++)
    {
        for (const auto& [octets, words] : odd)
        {
            if (good > 0 && octets.size() == 16)
            {
                continue;
            }
            PerftestBench bench("send_bw", 64, 20);
            bench.applications.servers =
                bench.helper.InstallServer(bench.Nodes().Get(1), RdmaPerfBench::PORT);
            OddPerftestPeer peer(bench.Nodes().Get(0));
            peer.script = GoodMessages(good);
            peer.script.push_back(octets);
            const Address address =
                RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT);
            Simulator::Schedule(MilliSeconds(5), [&] { peer.connection->ResolveAddress(address); });
            bench.Simulate();
            const bool power = good > 0 && good < 3 && octets.size() == 4;
            CheckError(bench.Server(0)->GetError(), power ? "no power of two" : words);
            CheckEnd(bench, 1);
            NS_TEST_EXPECT_MSG_EQ(peer.closed, true, "the peer's connection is over");
        }
    }
    // one that leaves
    PerftestBench bench("send_bw", 64, 20);
    bench.applications.servers =
        bench.helper.InstallServer(bench.Nodes().Get(1), RdmaPerfBench::PORT);
    OddPerftestPeer peer(bench.Nodes().Get(0));
    peer.script = GoodMessages(4);
    peer.silent = true;
    const Address address = RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT);
    Simulator::Schedule(MilliSeconds(5), [&] { peer.connection->ResolveAddress(address); });
    bench.Simulate();
    CheckError(bench.Server(0)->GetError(), "the client ended the connection before");
    CheckEnd(bench, 1);
}

IWARP_TEST(rdmaPerftest, "A server that says nonsense", PerftestOddTest)
{
    for (std::size_t good = 0; good < 4; good++)
    {
        PerftestBench bench("send_bw", 64, 20);
        const Address address =
            RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.applications.clients = bench.helper.InstallClient(bench.Nodes().Get(0), address);
        OddPerftestPeer peer(bench.Nodes().Get(1));
        peer.script = GoodMessages(good);
        peer.script.push_back(
            std::vector<uint8_t>(PerftestExchange::GetLength(PerftestStep(good)), 0xee));
        peer.connection->Listen(InetSocketAddress(Ipv4Address::GetAny(), RdmaPerfBench::PORT));
        bench.Simulate();
        const char* const words[] = {"version", "power of two", "power of two", "MTU"};
        CheckError(bench.Client(0)->GetError(), words[good]);
        NS_TEST_EXPECT_MSG_EQ(bench.GetLeft(0), 0, "the client gives all back");
        NS_TEST_EXPECT_MSG_EQ(peer.closed, true, "the peer's connection is over");
    }
}

IWARP_TEST(rdmaPerftest, "Clients one after the other", PerftestOddTest)
{
    PerftestBench bench("send_lat", 64, 20);
    bench.applications =
        bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
    const Address address = RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT);
    // the second comes while the first is still there, its test over
    for (const int64_t start : {100, 2000})
    {
        const auto later = bench.helper.InstallClient(bench.Nodes().Get(0), address);
        later.Get(0)->SetStartTime(MilliSeconds(start));
        bench.applications.clients.Add(later);
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    for (uint32_t i = 0; i < 3; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(bench.Client(i)->GetError(), "", "client " << i);
        NS_TEST_EXPECT_MSG_EQ(bench.Client(i)->IsFinished(), true, "client " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetError(), "", "server");
    NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetReports().size(), 3, "tests");
    CheckEnd(bench, 0);
}

IWARP_TEST(rdmaPerftest, "A client too many", PerftestOddTest)
{
    PerftestBench bench("send_lat", 64, 2000);
    bench.applications =
        bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
    const Address address = RdmaPerfHelper::GetAddress(bench.Nodes().Get(1), RdmaPerfBench::PORT);
    const auto second = bench.helper.InstallClient(bench.Nodes().Get(0), address);
    second.Get(0)->SetStartTime(MilliSeconds(10));
    bench.applications.clients.Add(second);
    bench.applications.clients.Get(0)->SetStartTime(MilliSeconds(1));
    bench.applications.servers.Get(0)->SetStartTime(MilliSeconds(1));
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->IsFinished(), true, "the first goes on");
    CheckError(bench.Client(1)->GetError(), "reject");
    CheckError(bench.Server(0)->GetError(), "a server has one client at a time");
    CheckEnd(bench, 0);
}

IWARP_TEST(rdmaPerftest, "A server that is late, and none at all", PerftestOddTest)
{
    for (const int64_t start : {3, 11})
    {
        PerftestBench bench("read_lat", 64, 20);
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.applications.servers.Get(0)->SetStartTime(Seconds(double(start)));
        bench.applications.clients.Get(0)->SetStartTime(MilliSeconds(1));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->IsFinished(), (start == 3), start << " s");
        CheckError(bench.Client(0)->GetError(),
                   start == 3 ? "" : "nobody has listened at Remote for 10 s");
        CheckEnd(bench, 0);
    }
}

IWARP_TEST(rdmaPerftest, "Applications that are stopped", PerftestOddTest)
{
    for (const bool server : {false, true})
    {
        PerftestBench bench("send_bw", 65536, 2000);
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.applications.Start(MilliSeconds(1));
        const auto& stopped = server ? bench.applications.servers : bench.applications.clients;
        stopped.Get(0)->SetStopTime(MilliSeconds(100));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        const std::string here = "stopped before the test was over";
        CheckError(bench.Client(0)->GetError(), server ? "the peer ended the connection" : here);
        CheckError(bench.Server(0)->GetError(), server ? here : "before the test was over");
        CheckEnd(bench, 0);
    }
    // the simulation ends in the middle of everything
    PerftestBench bench("write_lat", 64, 2000);
    bench.applications =
        bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
    bench.applications.Start(MilliSeconds(1));
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->IsFinished(), false, "under way");
}

/// A server that needs more Reads than the client grants rejects its Request (RFC 6581
/// section 9.1): for the exchange, or for the test, whose Reads are --outs.
IWARP_TEST(rdmaPerftest, "A client that grants too few Reads is rejected", PerftestOddTest)
{
    for (const char* test : {"write_bw", "send_lat", "read_bw"})
    {
        for (const bool control : {true, false})
        {
            PerftestBench bench(test, 64, 20);
            bench.helper.SetConnectionAttribute("MinOrd", UintegerValue(8));
            bench.helper.SetConnectionAttribute("Ird", UintegerValue(control ? 4 : 8));
            bench.helper.SetClientAttribute("Outs", UintegerValue(4));
            Refuse(bench, "reject", "Request was rejected");
            IWARP_COVERS("ENH-9.1-13");
            NS_TEST_EXPECT_MSG_EQ(bench.Server(0)->GetNOpen(), 0, test << ": none is open");
        }
    }
}

IWARP_TEST(rdmaPerftest, "What does not go by perftest's exchange", PerftestOddTest)
{
    const auto check = [this](const char* name, const AttributeValue& value, const char* words) {
        const auto client = CreateObject<RdmaPerfClient>();
        client->SetAttribute(name, value);
        NS_TEST_EXPECT_MSG_EQ(client->Check(), "", name << " by private data");
        client->SetAttribute("Exchange", StringValue("Perftest"));
        CheckError(client->Check(), words);
        CheckError(client->Check(), "Exchange=PrivateData");
    };
    check("Qp", UintegerValue(2), "Qp above 1");
    check("All", BooleanValue(true), "All");
    check("Duration", TimeValue(Seconds(1)), "Duration");
    check("Bidirectional", BooleanValue(true), "Bidirectional");
    check("Order", StringValue("Random"), "Order=Random");
    check("PostList", UintegerValue(2), "PostList above 1");
    check("Backed", BooleanValue(true), "Backed");
    check("Test", StringValue("atomic_bw"), "atomic_bw");

    const auto client = CreateObject<RdmaPerfClient>();
    client->SetAttribute("FirstDelay", TimeValue(Seconds(1)));
    CheckError(client->Check(), "FirstDelay is of Exchange=Perftest");
    client->SetAttribute("Exchange", StringValue("Perftest"));
    NS_TEST_EXPECT_MSG_EQ(client->Check(), "", "with it");
    client->SetAttribute("Iterations", UintegerValue(4));
    CheckError(client->Check(), "Iterations of 5 to 100000000");

    const auto server = CreateObject<RdmaPerfServer>();
    server->SetAttribute("Backed", BooleanValue(true));
    NS_TEST_EXPECT_MSG_EQ(server->Check(), "", "by private data");
    server->SetAttribute("Exchange", StringValue("Perftest"));
    CheckError(server->Check(), "Backed");
    server->SetAttribute("Backed", BooleanValue(false));
    NS_TEST_EXPECT_MSG_EQ(server->Check(), "", "without it");
    server->SetAttribute("Test", StringValue("atomic_lat"));
    CheckError(server->Check(), "atomic_lat");
}

} // namespace
