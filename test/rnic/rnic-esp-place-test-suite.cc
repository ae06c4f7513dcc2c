/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-esp-test-util.h"

#include "ns3/rnic-cpu.h"
#include "ns3/rnic-host-interface.h"

#include <algorithm>
#include <string>
#include <utility>

using namespace ns3;
using namespace rnictest;

/// Suite "rnic-esp-place".
IWARP_TEST_SUITE(rnicEspPlace, "rnic-esp-place");

/// A lookaside engine has the host interface carry every packet there and back.
IWARP_TEST(rnicEspPlace, "lookaside: latency of a packet, octets and rate of the bus")
{
    // 125 ps an octet; packets of 256 octets with headers of 24; requests of up to 512
    const std::string bus = "HostInterface.WriteRate=64Gbps HostInterface.ReadRate=64Gbps "
                            "HostInterface.Header=24 HostInterface.MaxPayload=256 "
                            "HostInterface.MaxReadRequest=512 HostInterface.ReadTags=64 ";
    constexpr uint64_t payload = 1460 + 6 * 24; // read to be sent
    constexpr uint64_t there = 1500 + 6 * 24;   // in the clear
    constexpr uint64_t back = 1536 + 6 * 24;    // protected
    constexpr uint64_t requests = 3 * 24;       // of each read
    const std::string esp = "TxEsp.TimePerPacket=100ns RxEsp.TimePerPacket=100ns";

    const auto out = StartEsp(EspPlace::LOOKASIDE, bus + esp);
    const double shared = MeasureBacklog(*out);
    NS_TEST_EXPECT_MSG_EQ_TOL(shared,
                              125.0 * (payload + back),
                              0.001 * shared,
                              "payload and what comes back share a direction");
    auto& host = out->GetHost();
    NS_TEST_EXPECT_MSG_EQ(host.GetFromHost().GetOctets(), BACKLOG * (payload + back), "read");
    NS_TEST_EXPECT_MSG_EQ(host.GetToHost().GetOctets(),
                          BACKLOG * (there + 2 * requests),
                          "written");

    const auto inside = StartEsp(EspPlace::INLINE, bus + esp);
    const double alone = MeasureBacklog(*inside);
    NS_TEST_EXPECT_MSG_EQ_TOL(alone, 125.0 * payload, 1, "inline");

    // an engine slower than the bus
    const auto slow = StartEsp(EspPlace::LOOKASIDE, bus + "TxEsp.TimePerPacket=600ns");
    const double limited = MeasureBacklog(*slow);
    NS_TEST_EXPECT_MSG_EQ_TOL(limited, 600e3, 1, "engine");

    // one packet alone, coming in: across, work, request, back
    const auto in = StartEsp(EspPlace::LOOKASIDE,
                             bus + esp +
                                 " HostInterface.WriteLatency=250ns "
                                 "HostInterface.ReadLatency=500ns");
    RnicConnectionState connection;
    const auto received = ReceiveProtected(*in, 0, connection, MakeWork(1));
    NS_TEST_EXPECT_MSG_EQ(
        received.time,
        RnicTime(125 * back + 250'000 + 100'000 + 125 * 24 + 500'000 + 125 * there),
        "there and back");
}

/// CPUs: those of a HostSoftware receiver do ESP beside TCP, and lose segmentation offload by it.
IWARP_TEST(rnicEspPlace, "software: CPUs, their number, and offloads that cannot be used")
{
    constexpr double esp = 300'000 + 1484 * 400; // 300 ns and 20 Gb/s
    const std::string work = "TxEsp.TimePerPacket=300ns TxEsp.Rate=20Gbps ";
    auto measure = [](const std::string& settings, uint32_t associations) {
        const auto path = StartEsp(EspPlace::SOFTWARE, settings, MakeSoftware());
        return MeasureBacklog(*path, associations);
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(work, 1), esp, 1, "one CPU");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.TimePerPacket=800ns", 1),
                              esp + 800'000,
                              1,
                              "that does TCP as well");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4", 1), esp, 1, "bound to one of four");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4", 4), esp / 4, 0.001 * esp, "four");
    NS_TEST_EXPECT_MSG_EQ_TOL(measure(work + "Cpu.Cores=4 TxEsp.Spread=true", 1),
                              esp / 4,
                              0.001 * esp,
                              "spread over four");

    // ten segments that a plain adapter could cut from one
    auto busy = [](EspPlace place) {
        const auto path = StartEsp(place,
                                   "Cpu.TimePerPacket=800ns Cpu.LargeSendOffload=65536 "
                                   "Cpu.LargeReceiveOffload=65536",
                                   MakeSoftware());
        RnicConnectionState connection;
        for (uint32_t i = 0; i < 10; ++i)
        {
            TransmitProtected(*path, 0, connection, MakeWork(1));
        }
        const RnicTime sent = path->Get<RnicCpu>("Cpu")->GetBusy();
        for (uint32_t i = 0; i < 10; ++i)
        {
            ReceiveProtected(*path, 100'000'000, connection, MakeWork(1));
        }
        return std::pair(sent, path->Get<RnicCpu>("Cpu")->GetBusy() - sent);
    };
    const auto inside = busy(EspPlace::INLINE);
    NS_TEST_EXPECT_MSG_EQ(inside.first, 800'000, "ESP behind segmentation");
    NS_TEST_EXPECT_MSG_EQ(inside.second, 800'000, "ESP before gathering");
    for (EspPlace place : {EspPlace::LOOKASIDE, EspPlace::SOFTWARE})
    {
        const auto outside = busy(place);
        NS_TEST_EXPECT_MSG_EQ(outside.first, 8'000'000, "ESP before segmentation");
        NS_TEST_EXPECT_MSG_EQ(outside.second, 8'000'000, "ESP behind gathering");
    }
}

/// Crypto engines that both directions share: what one takes the other has not.
struct RnicEspShared : TestCase
{
    using TestCase::TestCase;

    static constexpr RnicTime WORK = 100'000; //!< ps for a packet

    /// Send and receive backlogs. @param settings besides the work @param out packets sent for each
    /// one received @return ps a packet of either direction takes in the long run
    double Measure(const std::string& settings, uint32_t out)
    {
        const auto path =
            StartEsp(EspPlace::INLINE,
                     "TxEsp.TimePerPacket=100ns RxEsp.TimePerPacket=100ns" + settings);
        RnicConnectionState connection;
        RnicTime last = 0;
        uint32_t packets = 0;
        for (uint32_t i = 0; i < BACKLOG; ++i)
        {
            for (uint32_t j = 0; j < out; ++j)
            {
                last = std::max(last, TransmitProtected(*path, 0, connection, MakeWork(1)).time);
            }
            last = std::max(last, ReceiveProtected(*path, 0, connection, MakeWork(1)).time);
            packets += out + 1;
        }
        return double(last) / packets;
    }
};

IWARP_TEST(rnicEspPlace,
           "engines of both directions: the sum of both rates is at most engines by work",
           RnicEspShared)
{
    const std::string one = " EspCore.Engines=1";
    NS_TEST_EXPECT_MSG_EQ_TOL(Measure("", 1), WORK / 2.0, 1, "each has its own");
    for (const uint32_t out : {1, 3, 10})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(one, out), WORK, 1, out << " sent for one received");
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(Measure(" EspCore.Engines=4 TxEsp.Spread=true RxEsp.Spread=true", 1),
                              WORK / 4.0,
                              0.01 * WORK,
                              "four of both");

    // below the bound nothing piles up: both ways together need 80 % of the engine
    const auto path =
        StartEsp(EspPlace::INLINE, "TxEsp.TimePerPacket=100ns RxEsp.TimePerPacket=100ns" + one);
    RnicConnectionState connection;
    RnicTime most = 0;
    for (RnicTime now = 0; now < 250'000'000; now += 250'000)
    {
        const auto out = TransmitProtected(*path, now, connection, MakeWork(1));
        const auto in = ReceiveProtected(*path, now, connection, MakeWork(1));
        most = std::max({most, out.time - now, in.time - now});
    }
    NS_TEST_EXPECT_MSG_EQ(most, 2 * WORK, "a packet waits for one of the other direction");
    NS_TEST_EXPECT_MSG_EQ(path->Get<RnicEspCore>("EspCore")->GetBusy(), 2000 * WORK, "busy");
    NS_TEST_EXPECT_MSG_EQ(path->Get<RnicEspStage>("TxEsp")->GetWorkers(), 1, "engines");

    // what comes in does not wait for what will only go out
    const auto late = StartEsp(EspPlace::INLINE,
                               "TxBuild.Latency=1us TxEsp.TimePerPacket=100ns "
                               "RxEsp.TimePerPacket=100ns RxEsp.Latency=30ns" +
                                   one);
    RnicConnectionState fresh;
    const auto out = TransmitProtected(*late, 0, fresh, MakeWork(1));
    const auto in = ReceiveProtected(*late, 0, fresh, MakeWork(1));
    NS_TEST_EXPECT_MSG_EQ(out.time, 1'000'000 + WORK, "when it is there");
    NS_TEST_EXPECT_MSG_EQ(in.time, WORK + 30'000, "at once");
}

/// A pipeline that a packet with ESP passes twice.
IWARP_TEST(rnicEspPlace, "a pipeline passed twice has half its rate, and its latency twice")
{
    auto time = [](const std::string& settings) {
        return MeasureBacklog(*StartEsp(EspPlace::INLINE, settings));
    };
    const std::string packet = "TxBuild.TimePerPacket=200ns TxEsp.TimePerPacket=20ns";
    NS_TEST_EXPECT_MSG_EQ_TOL(time(packet), 200'000, 1, "once");
    NS_TEST_EXPECT_MSG_EQ_TOL(time(packet + " TxBuild.EspPasses=2"), 400'000, 1, "twice");
    NS_TEST_EXPECT_MSG_EQ_TOL(time(packet + " TxBuild.EspPasses=3"), 600'000, 1, "three times");
    NS_TEST_EXPECT_MSG_EQ_TOL(time("TxBuild.Rate=100Gbps TxBuild.EspPasses=2"),
                              (1518 + 1554) * 80,
                              1,
                              "in clear, and with ESP");
    NS_TEST_EXPECT_MSG_EQ_TOL(time("TxSchedule.TimePerUnit=50ns TxSchedule.EspPasses=3"),
                              150'000,
                              1,
                              "three times");

    // one packet alone, coming in; and one without ESP
    const auto path = StartEsp(EspPlace::INLINE,
                               "RxTcp.TimePerPacket=100ns RxTcp.Latency=30ns RxTcp.Rate=100Gbps "
                               "RxTcp.EspPasses=2 RxEsp.TimePerPacket=70ns");
    RnicConnectionState connection;
    const auto in = ReceiveProtected(*path, 0, connection, MakeWork(1));
    const RnicTime once = 100'000 + 1518 * 80 + 30'000;
    NS_TEST_EXPECT_MSG_EQ(in.time, 70'000 + 2 * once, "engine, and pipeline twice");
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, 10'000'000, connection, 1518).time,
                          10'000'000 + once,
                          "in clear it passes once");
}
