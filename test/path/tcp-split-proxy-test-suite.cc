/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tcp-split-proxy-bench.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-sink.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/uinteger.h"

#include <random>
#include <string>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(tcpSplitProxy, "tcp-split-proxy", TestSuite::Type::SYSTEM);

/**
 * @ingroup iwarp-test
 * Octets of random numbers, each way, through a proxy with buffers of a random size, over links
 * that lose, reorder and duplicate; ends close in any order. Nothing is lost, nothing is wrong, and
 * no more is held than buffers allow.
 */
class ProxyTransferTest : public TestCase
{
  public:
    /// @param first seed @param seeds how many
    ProxyTransferTest(uint32_t first, uint32_t seeds)
        : TestCase(std::to_string(seeds) + " transfers through a proxy, seeds from " +
                   std::to_string(first)),
          m_first(first),
          m_seeds(seeds)
    {
    }

  private:
    /// @param seed of all that is random
    void Run(uint32_t seed)
    {
        std::mt19937 random(seed);
        RngSeedManager::SetRun(seed + 1);
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));
        Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(20)));
        Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(20));
        ProxyBench bench(seed % 2, 0.01, 1000 + random() % (seed % 3 ? 100000 : 5000));
        bench.Listen();
        const uint64_t forth = seed % 5 == 0 ? 0 : random() % 60000;
        const uint64_t back = seed % 7 == 0 ? 0 : random() % 60000;
        ProxyPeer& client = bench.Connect(MilliSeconds(1), forth, back);
        ProxyPeer& server = *bench.m_servers.front();
        client.m_waits = random() % 3 == 0;
        server.m_waits = !client.m_waits && random() % 2;
        bench.Run();
        const auto what = " seed " + std::to_string(seed);
        NS_TEST_EXPECT_MSG_EQ(server.m_received, forth, "octets forth," << what);
        NS_TEST_EXPECT_MSG_EQ(client.m_received, back, "octets back," << what);
        NS_TEST_EXPECT_MSG_EQ(server.m_wrong + client.m_wrong, 0, "wrong ones," << what);
        NS_TEST_EXPECT_MSG_EQ(server.m_ended && client.m_ended, true, "both ends," << what);
        NS_TEST_EXPECT_MSG_EQ(server.m_lost || client.m_lost, false, "no reset," << what);
        NS_TEST_EXPECT_MSG_EQ(bench.m_ends.size(), 1, "over," << what);
        if (bench.m_ends.empty())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ((bench.m_ends[0] == TcpSplitConnection::End::CLOSED), true, "well");
        NS_TEST_EXPECT_MSG_EQ(bench.m_moved[0].first, forth, "counted");
        NS_TEST_EXPECT_MSG_EQ(bench.m_moved[0].second, back, "counted");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(bench.m_most, uint64_t{4} * bench.m_buffer, "buffers");
        NS_TEST_EXPECT_MSG_EQ(bench.m_proxy->GetHeld(), 0, "nothing is left");
        NS_TEST_EXPECT_MSG_EQ(bench.m_proxy->GetNConnections(), 0, "none");
    }

    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_seeds; seed++)
        {
            Run(seed);
        }
    }

    uint32_t m_first; //!< first seed
    uint32_t m_seeds; //!< how many
};

IWARP_TEST_CASES(tcpSplitProxy)
{
    suite.AddTestCase(new ProxyTransferTest(0, 100));
    // the ACK of a SYN gets lost, and who sent it has nothing to say
    suite.AddTestCase(new ProxyTransferTest(10925, 1));
    // a FIN comes before octets that precede it, and acknowledges a FIN
    suite.AddTestCase(new ProxyTransferTest(10843, 1));
    suite.AddTestCase(new ProxyTransferTest(11524, 1));
    suite.AddTestCase(new ProxyTransferTest(10000, 5000), IWARP_TEST_EXTENSIVE);
}

/// A request and its end go forth before the answer begins to come back.
IWARP_TEST(tcpSplitProxy, "One direction ends before the other")
{
    ProxyBench bench(false, 0, 20000);
    bench.Listen();
    ProxyPeer& client = bench.Connect(MilliSeconds(1), 100000, 0);
    ProxyPeer& server = *bench.m_servers.front();
    server.m_waits = true;
    Simulator::Schedule(MilliSeconds(500), [&] {
        NS_TEST_EXPECT_MSG_EQ(server.m_ended, false, "it takes nothing yet");
        server.m_paused = false;
        server.m_total = 80000;
        server.Receive(server.m_socket);
    });
    server.m_paused = true;
    bench.Run();
    NS_TEST_EXPECT_MSG_EQ(server.m_received, 100000, "the request");
    NS_TEST_EXPECT_MSG_EQ(client.m_received, 80000, "the answer");
    NS_TEST_EXPECT_MSG_EQ(server.m_wrong + client.m_wrong, 0, "wrong octets");
    NS_TEST_EXPECT_MSG_EQ(server.m_ended && client.m_ended, true, "both ends");
    NS_TEST_EXPECT_MSG_EQ(bench.m_ends.size(), 1, "over");
}

/**
 * @ingroup iwarp-test
 * Of a sender whose receiver takes nothing, buffers take what they have room for and no more; when
 * the receiver goes on, so does all.
 */
class BackpressureTest : public TestCase
{
  public:
    explicit BackpressureTest(bool back) //!< @param back from the server to the client
        : TestCase(std::string("A receiver that takes nothing, ") + (back ? "back" : "forth")),
          m_back(back)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t BUFFER = 50000;
        constexpr uint64_t OCTETS = 1000000;
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(30000));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(40000));
        ProxyBench bench(false, 0, BUFFER);
        bench.Listen();
        ProxyPeer& client =
            bench.Connect(MilliSeconds(1), m_back ? 0 : OCTETS, m_back ? OCTETS : 0);
        ProxyPeer& server = *bench.m_servers.front();
        ProxyPeer& from = m_back ? server : client;
        ProxyPeer& to = m_back ? client : server;
        to.m_paused = true;
        Simulator::Schedule(Seconds(5), [&] {
            // what the receiver's window has room for, both buffers of the proxy, the sender's own
            constexpr uint64_t ROOM = 40000 + 2 * BUFFER + 30000;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(from.m_sent, ROOM, "no more than buffers take");
            NS_TEST_EXPECT_MSG_GT(from.m_sent, ROOM - 3 * 1448, "and no less");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(bench.m_proxy->GetHeld(), 2 * BUFFER, "at the proxy");
            NS_TEST_EXPECT_MSG_GT(bench.m_proxy->GetHeld(), 2 * BUFFER - 2 * 1448, "full");
            to.m_paused = false;
            to.Receive(to.m_socket);
        });
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(to.m_received, OCTETS, "all of them");
        NS_TEST_EXPECT_MSG_EQ(to.m_wrong, 0, "wrong ones");
        NS_TEST_EXPECT_MSG_EQ(bench.m_ends.size(), 1, "over");
    }

    bool m_back; //!< from the server to the client
};

IWARP_TEST_CASES(tcpSplitProxy)
{
    suite.AddTestCase(new BackpressureTest(false));
    suite.AddTestCase(new BackpressureTest(true));
}

/**
 * What ends one connection at once ends the other: a reset of either side, a server that is not
 * there, a proxy that stops, one connection too many.
 */
struct ProxyResetTest : TestCase
{
    using TestCase::TestCase;

    /// @param bench bench @param what for people
    void ExpectReset(const ProxyBench& bench, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(bench.m_ends.size(), 1, "over: " << what);
        if (bench.m_ends.empty())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ((bench.m_ends[0] == TcpSplitConnection::End::RESET), true, what);
        NS_TEST_EXPECT_MSG_EQ(bench.m_proxy->GetNConnections(), 0, what);
        NS_TEST_EXPECT_MSG_EQ(bench.m_proxy->GetHeld(), 0, what);
    }
};

IWARP_TEST(tcpSplitProxy, "Resets", ProxyResetTest)
{
    for (const bool byServer : {false, true})
    {
        ProxyBench bench(byServer, 0, 20000);
        bench.Listen();
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 100000000, 100000000);
        ProxyPeer& server = *bench.m_servers.front();
        Simulator::Schedule(MilliSeconds(10), [&] {
            auto& one = byServer ? server : client;
            NS_TEST_EXPECT_MSG_GT(one.m_received, 0, "under way");
            DynamicCast<MpaTcpSocket>(one.m_socket)->EndWithin(Time(0));
        });
        bench.Run(MilliSeconds(30));
        NS_TEST_EXPECT_MSG_EQ((byServer ? client : server).m_lost, true, "the other hears");
        NS_TEST_EXPECT_MSG_EQ(server.m_wrong + client.m_wrong, 0, "wrong octets");
        ExpectReset(bench, "a reset");
    }
    for (const bool byServer : {false, true})
    { // nothing is under way that could show it
        ProxyBench bench(false, 0, 20000);
        bench.Listen();
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 1000, 1000);
        ProxyPeer& server = *bench.m_servers.front();
        client.m_closes = server.m_closes = false;
        Simulator::Schedule(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(client.m_received + server.m_received, 2000, "all has come");
            DynamicCast<MpaTcpSocket>((byServer ? server : client).m_socket)->EndWithin(Time(0));
        });
        bench.Run(MilliSeconds(200));
        NS_TEST_EXPECT_MSG_EQ((byServer ? client : server).m_lost, true, "the other hears");
        ExpectReset(bench, "a reset of what is idle");
    }
    { // one direction has ended, the other goes on (RFC 9293 section 3.10.7.4: CLOSE_WAIT)
        ProxyBench bench(false, 0, 20000);
        bench.Listen();
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 1000, 1000);
        ProxyPeer& server = *bench.m_servers.front();
        server.m_closes = false;
        Simulator::Schedule(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(server.m_ended, true, "the client's FIN has come");
            NS_TEST_EXPECT_MSG_EQ(client.m_ended, false, "the server's has not");
            DynamicCast<MpaTcpSocket>(client.m_socket)->EndWithin(Time(0));
        });
        bench.Run(MilliSeconds(200));
        NS_TEST_EXPECT_MSG_EQ(server.m_lost, true, "the server hears");
        ExpectReset(bench, "a reset behind a FIN");
    }
    {
        ProxyBench bench(false, 0, 20000);
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 1000, 0);
        bench.Run(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(client.m_lost, true, "it hears");
        ExpectReset(bench, "nobody listens");
    }
    {
        ProxyBench bench(false, 0, 20000);
        bench.Listen();
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 100000000, 100000000);
        bench.m_proxy->SetStopTime(MilliSeconds(10));
        bench.Run(MilliSeconds(30));
        NS_TEST_EXPECT_MSG_EQ(client.m_lost, true, "the client hears");
        NS_TEST_EXPECT_MSG_EQ(bench.m_servers.front()->m_lost, true, "the server hears");
        ExpectReset(bench, "the proxy stops");
    }
    { // its SYN and ACK are under way
        ProxyBench bench(false, 0, 20000);
        bench.Listen();
        ProxyPeer& client = bench.Connect(MilliSeconds(1), 100000000, 100000000);
        bench.m_proxy->SetStopTime(MicroSeconds(1200));
        bench.Run(MilliSeconds(30));
        NS_TEST_EXPECT_MSG_GT(client.m_sent, 0, "it was connected");
        NS_TEST_EXPECT_MSG_EQ(client.m_lost, true, "the client hears");
        NS_TEST_EXPECT_MSG_EQ(bench.m_proxy->GetNConnections(), 0, "none behind the stop");
    }
    ProxyBench bench(false, 0, 20000);
    bench.Listen();
    bench.m_proxy->SetAttribute("MaxConnections", UintegerValue(2));
    for (uint32_t i = 0; i < 3; i++)
    {
        bench.Connect(MilliSeconds(1) + MicroSeconds(10 * i), 1000, 1000).m_closes = i == 0;
    }
    bench.Connect(MilliSeconds(100), 1000, 1000); // there is room again
    bench.Run(MilliSeconds(200));
    NS_TEST_EXPECT_MSG_EQ(bench.m_clients[1]->m_received, 1000, "the second of two");
    NS_TEST_EXPECT_MSG_EQ(bench.m_clients[2]->m_lost, true, "one too many");
    NS_TEST_EXPECT_MSG_EQ(bench.m_clients[3]->m_lost, false, "room again");
}

/// A congestion control that counts its sockets.
template <bool Near>
class CountedControl : public TcpNewReno
{
  public:
    /// @return type
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId(Near ? "ns3::ProxyNearControl" : "ns3::ProxyFarControl")
                                .SetParent<TcpNewReno>()
                                .SetGroupName("Iwarp")
                                .template AddConstructor<CountedControl<Near>>();
        return tid;
    }

    CountedControl()
    {
        g_made++;
    }

    CountedControl(const CountedControl& other)
        : TcpNewReno(other)
    {
        g_made++;
    }

    Ptr<TcpCongestionOps> Fork() override
    {
        return CopyObject<CountedControl<Near>>(this);
    }

    static uint32_t g_made; //!< sockets
};

template <bool Near>
uint32_t CountedControl<Near>::g_made = 0;

using NearControl = CountedControl<true>; //!< towards those who connect
using FarControl = CountedControl<false>; //!< towards the server

/// Each side has its congestion control, and MPA crosses the proxy.
IWARP_TEST(tcpSplitProxy, "Congestion control of either side, and MPA")
{
    ProxyBench bench(false, 0, 100000);
    bench.m_proxy->SetAttribute("NearCongestionControl", TypeIdValue(NearControl::GetTypeId()));
    bench.m_proxy->SetAttribute("FarCongestionControl", TypeIdValue(FarControl::GetTypeId()));
    MpaSinkHelper sinks(bench.m_network.GetAnySocketAddress(ProxyBench::PORT));
    sinks.SetAttribute("Backed", BooleanValue(true));
    auto sink = DynamicCast<MpaSink>(sinks.Install(bench.m_network.GetHost(2)).Get(0));
    MpaBulkSenderHelper senders(bench.m_network.GetHostSocketAddress(1, ProxyBench::PORT));
    senders.SetAttribute("Backed", BooleanValue(true));
    senders.SetAttribute("MaxOctets", UintegerValue(300000));
    senders.Install(bench.m_network.GetHost(0)).Start(MilliSeconds(1));
    bench.Run(Seconds(100));
    NS_TEST_EXPECT_MSG_EQ(sink->GetMessageOctets(), 300000, "octets");
    NS_TEST_EXPECT_MSG_EQ(sink->GetContentErrors(), 0, "as they were sent");
    NS_TEST_EXPECT_MSG_EQ(sink->GetError(), "", "well ended");
    NS_TEST_EXPECT_MSG_EQ(NearControl::g_made, 2, "the listener's and its connection's");
    NS_TEST_EXPECT_MSG_EQ(FarControl::g_made, 1, "one");
}

} // namespace
