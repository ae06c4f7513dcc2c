/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../path/path-switch-bench.h"
#include "iwarp-datagrams.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-raw-socket-factory.h"
#include "ns3/iwarp-flow-collector.h"
#include "ns3/iwarp-ip-tap.h"
#include "ns3/iwarp-ipsec-collector.h"
#include "ns3/iwarp-link-use.h"
#include "ns3/iwarp-message-window.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-pause-watch.h"
#include "ns3/iwarp-queue-disc.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-shortest-paths.h"
#include "ns3/iwarp-slowdown.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"
#include "ns3/util-sample-set.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @param marked counts datagrams that come marked @param header of one
void
CountMarked(uint32_t* marked, const Ipv4Header& header, Ptr<const Packet>, uint32_t)
{
    *marked += header.GetEcn() == Ipv4Header::ECN_CE ? 1 : 0;
}

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

/// Of two frames the second comes first, at 1 us, the other at 4 us, across the wrap of numbers; by
/// 6 us both are delivered.
IWARP_TEST(iwarpMetricOracle, "frames are delivered in the order of the stream")
{
    iwarp::FlowTotals totals;
    iwarp::FlowListener listener{};
    listener.totals = &totals;
    const auto flow = Create<iwarp::FlowCollector>(listener);
    Simulator::Schedule(MicroSeconds(1), [&] { flow->FramePassed(10, false, Time(0)); });
    Simulator::Schedule(MicroSeconds(5), [&] { flow->FramePassed(-90U, true, MicroSeconds(1)); });
    Simulator::Schedule(MicroSeconds(6), [&] {
        flow->FramesDelivered(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(totals.delivery.GetQuantile(1), 2e-6, 1e-15, "of 4 us");
        flow->FramesDelivered(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(totals.delivery.GetQuantile(1), 5e-6, 1e-15, "of 1 us");
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(totals.framesPassed, 2, "passed");
    NS_TEST_EXPECT_MSG_EQ(totals.framesOutOfOrder, 1, "one out of order");
    iwarp::MetricSet metrics;
    totals.Report(metrics, false, 1);
    const auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ_TOL(values.at("delivery_latency_p99"), 5e-6, 1e-15, "the larger of two");
    NS_TEST_EXPECT_MSG_EQ_TOL(values.at("placement_wait_p99"), 1e-6, 1e-15, "one in two");
    NS_TEST_EXPECT_MSG_EQ_TOL(values.at("placement_wait_mean"), 5e-7, 1e-15, "the other at once");
    Simulator::Destroy();
}

/// Of messages one behind the other the first to end after a restart had begun before it.
IWARP_TEST(iwarpMetricOracle, "a message that began before the warm-up does not count")
{
    iwarp::FlowTotals totals;
    iwarp::FlowListener listener{};
    listener.totals = &totals;
    uint64_t octets = 0;
    listener.message = iwarp::MakeLambdaCallback<Callback<void, uint64_t>>(
        [&octets](uint64_t size) { octets += size; });
    const auto flow = Create<iwarp::FlowCollector>(listener);
    Simulator::Schedule(MicroSeconds(1), [&] { flow->Completed(1); });
    Simulator::Schedule(MicroSeconds(5), [&] {
        NS_TEST_EXPECT_MSG_EQ(totals.messages, 1, "so far");
        totals.Restart();
    });
    Simulator::Schedule(MicroSeconds(6), [&] { flow->Completed(10); });
    Simulator::Schedule(MicroSeconds(7), [&] { flow->Completed(100); });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(totals.messages, 1, "the one that began at 6 us");
    NS_TEST_EXPECT_MSG_EQ(octets, 101, "of those that count");
    Simulator::Destroy();
}

/// 50 octets for 599 us, 100 for 398 us, 300 for 3 us: shares of the time by hand.
IWARP_TEST(iwarpMetricOracle, "how long octets are held")
{
    iwarp::FlowTotals totals;
    iwarp::FlowListener listener{};
    listener.totals = &totals;
    const auto flow = Create<iwarp::FlowCollector>(listener);
    flow->ReceiverReady();
    flow->MemoryHeld(0, 50);
    Simulator::Schedule(MicroSeconds(599), [&] { flow->MemoryHeld(50, 100); });
    Simulator::Schedule(MicroSeconds(997), [&] { flow->MemoryHeld(100, 300); });
    Simulator::Schedule(MicroSeconds(1000), [] {});
    Simulator::Run();
    iwarp::MetricSet metrics;
    totals.Report(metrics, false, 1);
    const auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(values.at("reassembly_p50"), 50, "599 of 1000");
    NS_TEST_EXPECT_MSG_EQ(values.at("reassembly_p99"), 100, "997 of 1000");
    NS_TEST_EXPECT_MSG_EQ(values.at("reassembly_p999"), 300, "all of it");
    NS_TEST_EXPECT_MSG_EQ(values.at("reassembly_peak"), 300, "the most");
    Simulator::Destroy();
}

IWARP_TEST(iwarpMetricOracle, "who sends to whom")
{
    using iwarp::MakeEnds;
    using Pattern = iwarp::TrafficPattern;
    const auto none = [](uint32_t) { return 0U; };
    const IwarpTopology::Ends pairs{{1, 0}};
    const std::vector<uint32_t> four{0, 1, 2, 3};
    const IwarpTopology::Ends incast{{1, 0}, {2, 0}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::INCAST, four, pairs, 2, none) == incast), true, "two");
    NS_TEST_EXPECT_MSG_EQ(MakeEnds(Pattern::INCAST, four, pairs, 0, none).size(), 3, "all others");
    NS_TEST_EXPECT_MSG_EQ(MakeEnds(Pattern::ALL_TO_ALL, four, pairs, 0, none).size(), 12, "4 * 3");
    // the first shuffle leaves all where they are, the second makes 0 1 2 to 1 2 0
    uint32_t drawn = 0;
    const auto draw = [&drawn](uint32_t most) { return drawn++ < 2 ? most : 0; };
    const IwarpTopology::Ends moved{{0, 1}, {1, 2}, {2, 0}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::PERMUTATION, {0, 1, 2}, pairs, 0, draw) == moved),
                          true,
                          "nobody sends to itself");
    // hosts that are left out neither send nor receive
    drawn = 0;
    const IwarpTopology::Ends named{{4, 7}, {7, 9}, {9, 4}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::PERMUTATION, {4, 7, 9}, pairs, 0, draw) == named),
                          true,
                          "the same of other hosts");
    const IwarpTopology::Ends each{{4, 7}, {7, 4}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::ALL_TO_ALL, {4, 7}, pairs, 0, none) == each),
                          true,
                          "two hosts");
    const IwarpTopology::Ends both{{1, 0}, {4, 0}};
    NS_TEST_EXPECT_MSG_EQ((MakeEnds(Pattern::INCAST, {0, 4}, pairs, 0, none) == both),
                          true,
                          "one that sends, and another");
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

/// Of ten packets at once most wait behind the threshold: as many are marked as come marked, and
/// none of two later on.
IWARP_TEST(iwarpMetricOracle, "marks before the warm-up do not count")
{
    IwarpNetwork network;
    auto link = MakeOracleLink("1Mbps", 0);
    iwarp::QueueDiscSettings settings;
    settings.kind = iwarp::QueueDiscKind::THRESHOLD;
    settings.threshold = QueueSize("2p");
    link.queueDisc = iwarp::MakeQueueDiscFactory(settings, link.rate, link.delay);
    network.AddHosts(link);
    network.InstallRoutes();
    const auto queues = Create<iwarp::QueueWatch>(network, Time(0));
    const auto socket = Socket::CreateSocket(network.GetHost(0), UdpSocketFactory::GetTypeId());
    socket->Connect(network.GetHostSocketAddress(1, 9));
    socket->SetIpTos(Ipv4Header::ECN_ECT0);
    uint32_t marked = 0;
    network.GetHost(1)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
        "LocalDeliver",
        MakeBoundCallback(&CountMarked, &marked));
    const auto send = [&socket](uint32_t count) {
        while (count-- > 0)
        {
            socket->Send(Create<Packet>(1000));
        }
    };
    Simulator::Schedule(Seconds(1), [&] { send(10); });
    Simulator::Schedule(Seconds(2), [&] {
        NS_TEST_EXPECT_MSG_GT_OR_EQ(marked, 6, "most of ten");
        NS_TEST_EXPECT_MSG_EQ(queues->GetFigures().marks, marked, "so far");
        queues->Restart();
        NS_TEST_EXPECT_MSG_EQ(queues->GetFigures().marks, 0, "none since");
        send(2);
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(queues->GetFigures().marks, 0, "nor of two");
    Simulator::Destroy();
}

/// A host at 10 Gbit/s pauses for 9/10 of the time in which a link of 1 Gbit/s takes what it sends,
/// here for 500 datagrams of 1538 octets each on the wire; what was before a restart does not
/// count.
IWARP_TEST(iwarpMetricOracle, "pauses before the warm-up do not count")
{
    SwitchBench bench(false);
    IwarpNetwork& network = bench.GetNetwork();
    network.AddRouter();
    IwarpNetwork::Link link{DataRate("10Gbps"), MicroSeconds(1), QueueSize("10000p")};
    link.pause.xoff = 20000;
    link.pause.xon = 10000;
    link.pause.priorities = 1;
    link.hasAutoHeadroom = true;
    network.AddHost(0, link);
    link.rate = DataRate("1Gbps");
    network.AddHost(0, link);
    bench.Start();
    iwarp::PauseWatch watch(network, {{0, 1}}, {true, false});
    bench.Send(MilliSeconds(1), 0, 1, 0, {{500, 1500}});
    const double seconds = 500 * 1538 * 8e-9;
    Simulator::Schedule(MilliSeconds(20), [&] {
        const double before = watch.GetPaused(0).GetSeconds();
        NS_TEST_EXPECT_MSG_EQ_TOL(before, 0.9 * seconds, 0.05 * seconds, "but at the ends");
        watch.Restart();
        NS_TEST_EXPECT_MSG_EQ(watch.GetPaused(0), Time(0), "none since");
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(bench.GetReceived(1), 500, "all come");
    NS_TEST_EXPECT_MSG_EQ(watch.GetPaused(0), Time(0), "none at all");
    Simulator::Destroy();
}

/// A link that loses all for half a second: the sender probes once (RFC 8985 section 7.2), and then
/// waits for its timer, of 1 s, once.
IWARP_TEST(iwarpMetricOracle, "a timeout of TCP counts once")
{
    IwarpNetwork network;
    network.AddHosts(MakeOracleLink("1Gbps", 100));
    network.InstallRoutes();
    iwarp::FlowTotals totals;
    iwarp::FlowListener listener{};
    listener.totals = &totals;
    listener.path = Create<iwarp::EmptyPath>(network, 0, 1, ORACLE_HEADERS);
    const auto flow = Create<iwarp::FlowCollector>(listener);
    const auto type = Rfc9293TcpSocketFactory::GetTypeId();
    for (const uint32_t host : {0, 1})
    {
        Rfc9293TcpSocketFactory::Install(network.GetHost(host));
    }
    const auto receiver = Socket::CreateSocket(network.GetHost(1), type);
    receiver->Bind(network.GetAnySocketAddress(9));
    receiver->Listen();
    const auto sender = Socket::CreateSocket(network.GetHost(0), type);
    sender->SetAttribute("Rack", BooleanValue(true));
    flow->WatchSocket(sender);
    sender->Connect(network.GetHostSocketAddress(1, 9));
    const auto loss = CreateObject<RateErrorModel>();
    loss->SetRate(1);
    loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    loss->Disable();
    network.GetHostDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    Simulator::Schedule(Seconds(1), [&] {
        NS_TEST_EXPECT_MSG_EQ(totals.timeouts, 0, "none without loss");
        loss->Enable();
        sender->Send(Create<Packet>(1000));
    });
    Simulator::Schedule(MilliSeconds(1500), [&] { loss->Disable(); });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    iwarp::MetricSet metrics;
    totals.Report(metrics, true, 1);
    const auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(values.at("timeouts"), 1, "one");
    NS_TEST_EXPECT_MSG_EQ(values.at("loss_probes"), 1, "before it");
    sender->Dispose();
    receiver->Dispose();
    Simulator::Destroy();
}

/// Segments from ports of other traffic are left out, and those of dynamic ports, 49152 and above
/// (RFC 6335 section 6), never are: any connection may have them.
IWARP_TEST(iwarpMetricOracle, "ports that are left out")
{
    for (const uint16_t port : {20000, 50000})
    {
        IwarpNetwork network;
        network.AddHosts(MakeOracleLink("1Gbps", 100));
        network.InstallRoutes();
        iwarp::IpTap tap;
        tap.LeaveOut(10000, 60000);
        tap.Attach(network.GetHost(0));
        const auto receiver =
            Socket::CreateSocket(network.GetHost(1), TcpSocketFactory::GetTypeId());
        receiver->Bind(network.GetAnySocketAddress(9));
        receiver->Listen();
        const auto sender = Socket::CreateSocket(network.GetHost(0), TcpSocketFactory::GetTypeId());
        sender->Bind(network.GetAnySocketAddress(port));
        sender->Connect(network.GetHostSocketAddress(1, 9));
        Simulator::Schedule(Seconds(1), [&sender] { sender->Send(Create<Packet>(100)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(tap.GetSegments(), (port == 50000 ? 1 : 0), port);
        sender->Dispose();
        receiver->Dispose();
        Simulator::Destroy();
    }
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

/// Of 15 datagrams 10 are protected, as the association is for no more and there is no keying
/// behind the first; 5 of 4 octets are no ESP, whose header has 8, and 3 of 40 have an SPI of 0.
IWARP_TEST(iwarpMetricOracle, "what ESP drops, by reason")
{
    IwarpNetwork network;
    network.AddHosts(MakeOracleLink("1Gbps", 100));
    network.InstallRoutes();
    IpsecHelper helper;
    helper.GetProposal().hard.packets = 10;
    iwarp::IpsecCollector collector(helper, false);
    collector.SetTap(Create<IpsecTap>());
    const std::array<IpsecAddress, 2> addresses{
        IpsecAddress(Ipv4Address::ConvertFrom(network.GetHostAddress(0))),
        IpsecAddress(Ipv4Address::ConvertFrom(network.GetHostAddress(1)))};
    for (const uint32_t host : {0, 1})
    {
        const auto stack = helper.Install(network.GetHost(host));
        IpsecSelector selector;
        selector.source = IpsecPrefix(addresses[host]);
        selector.destination = IpsecPrefix(addresses[1 - host]);
        selector.protocol = UdpL4Protocol::PROT_NUMBER;
        helper.ProtectTransport(stack, selector);
        collector.Attach(stack);
    }
    Datagrams datagrams(network, 0, 1);
    datagrams.SendTrain(15);
    Simulator::Schedule(MicroSeconds(1050), [&] {
        network.GetHost(0)->GetObject<IpsecStack>()->GetAssociations().SetAcquire(nullptr);
    });
    const auto socket = Socket::CreateSocket(network.GetHost(0), Ipv4RawSocketFactory::GetTypeId());
    socket->SetAttribute("Protocol", UintegerValue(ESP_PROTOCOL));
    for (uint32_t i = 0; i < 5; i++)
    {
        Simulator::Schedule(MilliSeconds(10), [&] {
            socket->SendTo(Create<Packet>(4), 0, network.GetHostSocketAddress(1, 0));
        });
    }
    for (uint32_t i = 0; i < 3; i++)
    {
        Simulator::Schedule(MilliSeconds(20), [&] {
            socket->SendTo(Create<Packet>(40), 0, network.GetHostSocketAddress(1, 0));
        });
    }
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    iwarp::MetricSet metrics;
    collector.Report(metrics, {});
    const auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(datagrams.m_arrivals.size(), 10, "come");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_packets"), 10, "protected");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_drops_expired"), 5, "behind the life of it");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_drops_truncated"), 5, "too short");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_drops_no_association"), 3, "of nobody");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_drops"), 13, "in all");
    Simulator::Destroy();
}

IWARP_TEST(iwarpMetricOracle, "packets in clear that were to be protected")
{
    IwarpNetwork network;
    network.AddHosts(MakeOracleLink("1Gbps", 100));
    network.InstallRoutes();
    IpsecHelper helper;
    iwarp::IpsecCollector collector(helper, false);
    const auto tap = Create<IpsecTap>();
    tap->Attach(network.GetHostDevice(0), [](const IpsecFlow&) { return true; });
    collector.SetTap(tap);
    Datagrams datagrams(network, 0, 1);
    datagrams.SendTrain(7);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    iwarp::MetricSet metrics;
    collector.Report(metrics, {});
    const auto values = ListOracleValues(metrics);
    NS_TEST_EXPECT_MSG_EQ(datagrams.m_arrivals.size(), 7, "come");
    NS_TEST_EXPECT_MSG_EQ(values.at("esp_clear"), 7, "each in clear");
    Simulator::Destroy();
}

} // namespace
