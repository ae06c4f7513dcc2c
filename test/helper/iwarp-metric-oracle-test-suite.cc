/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"

#include "ns3/iwarp-link-use.h"
#include "ns3/iwarp-message-window.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-pause-watch.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-shortest-paths.h"
#include "ns3/iwarp-slowdown.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/simulator.h"
#include "ns3/util-sample-set.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Metrics against figures computed by hand.
IWARP_TEST_SUITE(iwarpMetricOracle, "iwarp-metric-oracle");

constexpr uint32_t ORACLE_HEADERS = 100; //!< octets in a datagram besides the payload

/// @param rate of a link @param delay us @return it, of Ethernet with an MTU of 1500 octets
IwarpNetwork::Link
MakeOracleLink(const char* rate, int64_t delay)
{
    IwarpNetwork::Link link;
    link.rate = DataRate(rate);
    link.delay = MicroSeconds(delay);
    return link;
}

/// Hosts 0 and 1 at a router. @param first link of host 0 @param second link of host 1
/// @param network gets them
void
MakeOraclePath(const IwarpNetwork::Link& first,
               const IwarpNetwork::Link& second,
               IwarpNetwork& network)
{
    const uint32_t router = network.AddRouter();
    network.AddHost(router, first);
    network.AddHost(router, second);
    network.InstallRoutes();
}

/**
 * A full frame is 8 + 14 + 1500 + 4 = 1526 octets, and 12 more until the next; at 1 Gbit/s an octet
 * takes 8 ns, at 100 Mbit/s 80 ns. The path has 3 us of delay.
 */
IWARP_TEST(iwarpMetricOracle, "the empty path, by hand")
{
    IwarpNetwork narrows;
    MakeOraclePath(MakeOracleLink("1Gbps", 1), MakeOracleLink("100Mbps", 2), narrows);
    const iwarp::EmptyPath fast(narrows, 0, 1, ORACLE_HEADERS);
    NS_TEST_EXPECT_MSG_EQ(fast.GetPayload(), 1400, "payload of a full frame");
    NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetTime(1400).GetSeconds(),
                              (3000 + 1526 * 8 + 1526 * 80) * 1e-9,
                              1e-12,
                              "one full frame, stored and forwarded");
    // two full frames, and one with 1 octet and a pad of 3: 8 + 14 + 104 + 4 = 130 octets. The
    // second link is the narrow one: it takes one frame behind the other from the first on.
    NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetTime(2801).GetSeconds(),
                              (3000 + 1526 * 8 + 2 * 1538 * 80 + 130 * 80) * 1e-9,
                              1e-12,
                              "the second link is the slow one");
    // 2 * 1538 + 142 octets at the slow link, a full frame at each, and both delays
    NS_TEST_EXPECT_MSG_EQ(fast.GetWireOctets(2801), 3218, "octets with all around them");
    NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetSenderTime(2801).GetSeconds(),
                              (6000 + 3218 * 80 + 1538 * 8 + 1538 * 80) * 1e-9,
                              1e-12,
                              "until the sender knows");
    // the frame of an answer has 8 + 64 octets: 146,624 ns in all, while a frame takes 123,040 ns
    NS_TEST_EXPECT_MSG_EQ_TOL(fast.GetRoundTrip().GetSeconds(), 146624e-9, 1e-12, "round trip");
    NS_TEST_EXPECT_MSG_EQ(fast.GetWindow(), 2, "a window of 1.19 packets is two");

    IwarpNetwork widens;
    MakeOraclePath(MakeOracleLink("100Mbps", 1), MakeOracleLink("1Gbps", 2), widens);
    const iwarp::EmptyPath slow(widens, 0, 1, ORACLE_HEADERS);
    // the second full frame has come by 246,120 ns, and leaves the fast link free at 258,424 ns:
    // the last, which has come by 257,480 ns, waits for that
    NS_TEST_EXPECT_MSG_EQ_TOL(slow.GetTime(2801).GetSeconds(),
                              (258424 + 130 * 8 + 2000) * 1e-9,
                              1e-12,
                              "the first link is the slow one");
    Simulator::Destroy();
}

IWARP_TEST(iwarpMetricOracle, "of equal links the faster one is reckoned with")
{
    IwarpNetwork network;
    const uint32_t left = network.AddRouter();
    const uint32_t right = network.AddRouter();
    network.AddLink(left, right, MakeOracleLink("100Mbps", 1));
    network.AddLink(left, right, MakeOracleLink("1Gbps", 1));
    network.AddHost(left, MakeOracleLink("1Gbps", 1));
    network.AddHost(right, MakeOracleLink("1Gbps", 1));
    network.InstallRoutes();
    const iwarp::EmptyPath path(network, 0, 1, ORACLE_HEADERS);
    NS_TEST_EXPECT_MSG_EQ_TOL(path.GetTime(1400).GetSeconds(),
                              (3000 + 3 * 1526 * 8) * 1e-9,
                              1e-12,
                              "1 Gbit/s at each of three links");
    Simulator::Destroy();
}

/// @param metrics a set @return its values by name
std::map<std::string, double>
ListOracleValues(const iwarp::MetricSet& metrics)
{
    std::map<std::string, double> values;
    for (const auto& metric : metrics.Get())
    {
        values[metric.name] = metric.value;
    }
    return values;
}

IWARP_TEST(iwarpMetricOracle, "slowdowns by size")
{
    iwarp::Slowdown slowdown;
    slowdown.Add(100, MicroSeconds(3), MicroSeconds(1));
    slowdown.Add(101, MicroSeconds(5), MicroSeconds(1));
    iwarp::MetricSet metrics;
    slowdown.Report(metrics);
    auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(values["size_messages_100"], 1, "100 octets are the most of their bin");
    NS_TEST_EXPECT_MSG_EQ(values["size_messages_1000"], 1, "one more is in the next");
    NS_TEST_EXPECT_MSG_EQ_TOL(values["size_slowdown_p50_100"], 3, 1e-9, "3 us over 1 us");
    NS_TEST_EXPECT_MSG_EQ_TOL(values["slowdown_p50"], 3, 1e-9, "the smaller of two");
    NS_TEST_EXPECT_MSG_EQ_TOL(values["slowdown_p99"], 5, 1e-9, "the larger of two");
}

IWARP_TEST(iwarpMetricOracle, "samples of which half are 0")
{
    iwarp::SampleSet samples;
    for (const int64_t sample : {4, 0, 2, 0})
    {
        samples.Add(MicroSeconds(sample));
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(samples.GetMean(), 1.5e-6, 1e-15, "6 us over four");
    // distances of 1.5, 1.5, 0.5 and 2.5 us: the root of 11 / 4
    NS_TEST_EXPECT_MSG_EQ_TOL(samples.GetDeviation(), 1.6583123951777e-6, 1e-15, "deviation");
    NS_TEST_EXPECT_MSG_EQ_TOL(samples.GetQuantile(0.5), 0, 1e-15, "two do not exceed it");
    NS_TEST_EXPECT_MSG_EQ_TOL(samples.GetQuantile(0.75), 2e-6, 1e-15, "three do not");
    NS_TEST_EXPECT_MSG_EQ_TOL(samples.GetQuantile(0.76), 4e-6, 1e-15, "three are too few");
}

IWARP_TEST(iwarpMetricOracle, "a level's peak after a restart")
{
    iwarp::LevelOverTime level;
    level.Change(0, 5);
    level.Change(5, 2);
    NS_TEST_EXPECT_MSG_EQ(level.GetPeak(), 5, "so far");
    level.Restart();
    NS_TEST_EXPECT_MSG_EQ(level.GetPeak(), 2, "what is there when it begins anew");
}

IWARP_TEST(iwarpMetricOracle, "a ratio of two flows has the sum of their weights")
{
    iwarp::MetricSet metrics;
    metrics.Add("rnic_memory_stay_mean", 1, 2);
    metrics.Add("rnic_memory_stay_mean", 2, 6);
    metrics.Add("rnic_memory_stay_max", 3);
    metrics.Add("rnic_memory_stay_max", 2);
    auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ_TOL(values["rnic_memory_stay_mean"], 3.0 / 8, 1e-12, "3 of 8");
    NS_TEST_EXPECT_MSG_EQ_TOL(values["rnic_memory_stay_max"], 3, 1e-12, "the larger of two");
}

IWARP_TEST(iwarpMetricOracle, "a message in the middle of the window is one of its second half")
{
    iwarp::MessageWindow window;
    window.Open(Time(0));
    for (const int64_t at : {0, 10})
    {
        window.End(window.Arrive(MicroSeconds(at), 100, 0), MicroSeconds(at + 1), MicroSeconds(1));
    }
    window.Close(MicroSeconds(20));
    iwarp::MetricSet metrics;
    window.Report(metrics, MicroSeconds(20));
    auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(values["half_messages_1"], 1, "at 0 us");
    NS_TEST_EXPECT_MSG_EQ(values["half_messages_2"], 1, "at 10 us of 20");
}

IWARP_TEST(iwarpMetricOracle, "who sends to whom")
{
    using iwarp::MakeEnds;
    using Pattern = iwarp::TrafficPattern;
    const auto none = [](uint32_t) { return 0U; };
    const IwarpTopology::Ends pairs{{1, 0}};
    const IwarpTopology::Ends incast{{1, 0}, {2, 0}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::INCAST, 4, pairs, 2, none) == incast), true, "two");
    NS_TEST_EXPECT_MSG_EQ(MakeEnds(Pattern::INCAST, 4, pairs, 0, none).size(), 3, "all others");
    NS_TEST_EXPECT_MSG_EQ(MakeEnds(Pattern::ALL_TO_ALL, 4, pairs, 0, none).size(), 12, "4 * 3");
    // the first shuffle leaves all where they are, the second makes 0 1 2 to 1 2 0
    uint32_t drawn = 0;
    const auto draw = [&drawn](uint32_t most) { return drawn++ < 2 ? most : 0; };
    const IwarpTopology::Ends moved{{0, 1}, {1, 2}, {2, 0}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::PERMUTATION, 3, pairs, 0, draw) == moved),
                          true,
                          "nobody sends to itself");
}

IWARP_TEST(iwarpMetricOracle, "of two paths of one delay the one with fewer links")
{
    iwarp::ShortestPaths paths;
    paths.AddLink(0, 1, MicroSeconds(1));
    paths.AddLink(1, 2, MicroSeconds(1));
    const uint32_t direct = paths.AddLink(0, 2, MicroSeconds(2));
    paths.Compute(3, {2});
    NS_TEST_EXPECT_MSG_EQ((paths.GetFirstLinks(0, 2) == std::vector<uint32_t>{direct}),
                          true,
                          "one");
    NS_TEST_EXPECT_MSG_EQ(paths.CountLinks(0, 2), 1, "link");
    NS_TEST_EXPECT_MSG_EQ(paths.GetDelay(0, 2), MicroSeconds(2), "of 2 us");
}

/// 1000 octets of UDP in Ethernet: preamble, frame and gap.
constexpr uint32_t ORACLE_FRAME = 1000 + 8 + 20 + 14 + 4 + 8 + 12;

IWARP_TEST(iwarpMetricOracle, "links and queues before the warm-up do not count")
{
    IwarpNetwork network;
    network.AddHosts(MakeOracleLink("1Mbps", 0));
    network.InstallRoutes();
    iwarp::LinkUse use(network);
    const auto queues = Create<iwarp::QueueWatch>(network, Time(0));
    Datagrams datagrams(network, 1, 0); // against the direction of the first device
    for (uint32_t i = 0; i < 100; i++)
    {
        datagrams.Send(MicroSeconds(1), i);
    }
    const Time frame = MicroSeconds(8 * ORACLE_FRAME);
    Simulator::Schedule(Seconds(10), [&] {
        NS_TEST_EXPECT_MSG_EQ(use.GetBusiest(), 100 * frame, "all so far");
        NS_TEST_EXPECT_MSG_EQ(queues->GetFigures().peak, 99, "all but the one that is sent");
        use.Restart();
        queues->Restart();
        NS_TEST_EXPECT_MSG_EQ(use.GetBusiest(), Time(0), "none has been sent since");
        datagrams.Send(Time(0), 200);
        datagrams.Send(Time(0), 201);
    });
    iwarp::QueueWatch::Figures figures;
    Simulator::Schedule(Seconds(10) + 2 * frame, [&] { figures = queues->GetFigures(); });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(use.GetBusiest(), 2 * frame, "two since");
    NS_TEST_EXPECT_MSG_EQ(figures.peak, 1, "one waited");
    NS_TEST_EXPECT_MSG_EQ(figures.p99, 1, "for half of the time");
    NS_TEST_EXPECT_MSG_EQ(figures.median, 0, "so that for half of it there was none");
    NS_TEST_EXPECT_MSG_EQ_TOL(figures.mean, 0.5, 1e-6, "mean");
    Simulator::Destroy();
}

IWARP_TEST(iwarpMetricOracle, "who is a victim of others' congestion")
{
    IwarpNetwork network;
    const uint32_t router = network.AddRouter();
    for (uint32_t i = 0; i < 6; i++)
    {
        network.AddHost(router, MakeOracleLink("1Gbps", 1));
    }
    network.InstallRoutes();
    const iwarp::PauseWatch watch(network, {{0, 2}, {1, 2}, {3, 4}}, {true, false});
    NS_TEST_EXPECT_MSG_EQ((watch.GetVictims() == std::vector<uint32_t>{3}), true, "one");
    const iwarp::PauseWatch none(network, {{0, 2}, {1, 2}, {3, 4}, {5, 4}}, {true, false});
    NS_TEST_EXPECT_MSG_EQ(none.GetVictims().size(), 0, "all receivers are shared");
    Simulator::Destroy();
}

} // namespace
