/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/double.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rnic-pipeline.h"
#include "ns3/rnic-server-stage.h"
#include "ns3/rnic-server.h"
#include "ns3/rnic-time.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

IWARP_TEST_SUITE(rnicServer, "rnic-server");

/// Times of octets: exact where a picosecond divides them, without drift where it does not.
IWARP_TEST(rnicServer, "exact times of octets from 1 kbps to 100 Tbps")
{
    NS_TEST_EXPECT_MSG_EQ(RnicRate(400'000'000'000).Serve(1), 20, "an octet at 400 Gb/s");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(100'000'000'000).Serve(1538), 123040, "a frame at 100 Gb/s");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(10'000'000'000).Serve(1500), 1'200'000, "Ethernet");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(16'000'000'000).Serve(1500), 750'000, "I/O bus");
    IWARP_COVERS("MPA-B.2-11");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(1000).Serve(1), 8'000'000'000, "an octet at 1 kb/s");
    NS_TEST_EXPECT_MSG_EQ(RnicRate().Serve(UINT32_MAX), 0, "no limit");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(RnicRate::FASTEST + 1).Serve(1000), 0, "too fast to count");
    NS_TEST_EXPECT_MSG_EQ(RnicRate(RnicRate::FASTEST).Serve(100), 8, "the fastest");

    // octets times 8e12 over the rate, which long double holds exactly enough
    for (uint64_t rate : {3'000'000'000ULL,
                          63'015'384'615ULL,
                          99'999'999'977ULL,
                          1'000'003ULL,
                          99'999'999'999'973ULL})
    {
        RnicRate split(rate);
        RnicTime time = 0;
        uint64_t octets = 0;
        for (uint32_t i = 0; i < 100000; ++i)
        {
            const uint32_t size = 1 + i * 7919 % 1500;
            time += split.Serve(size);
            octets += size;
        }
        const long double exact = 8e12L * octets / rate;
        NS_TEST_EXPECT_MSG_LT_OR_EQ(time, exact, "never ahead, at " << rate);
        NS_TEST_EXPECT_MSG_GT(time, exact - 1.001L, "100,000 calls do not drift, at " << rate);
        RnicRate whole(rate);
        NS_TEST_EXPECT_MSG_EQ(whole.Serve(octets), time, "one call or many, at " << rate);
    }
}

/// Conversion to Time: the next step of its resolution, never an earlier one.
IWARP_TEST(rnicServer, "picoseconds and ns-3's Time")
{
    NS_TEST_EXPECT_MSG_EQ(ToRnicTime(NanoSeconds(3)), 3000, "to picoseconds");
    NS_TEST_EXPECT_MSG_EQ(FromRnicTime(3000), NanoSeconds(3), "exact");
    for (const RnicTime past : {0, -1, -1001})
    {
        NS_TEST_EXPECT_MSG_EQ(FromRnicTime(past), Time(0), "what is past takes no more time");
    }
    for (RnicTime t : {1, 999, 1000, 1001, 123456789})
    {
        NS_TEST_EXPECT_MSG_GT_OR_EQ(FromRnicTime(t).GetPicoSeconds(), t, "not before");
        NS_TEST_EXPECT_MSG_LT((FromRnicTime(t) - TimeStep(1)).GetPicoSeconds(), t, "earliest");
    }
    const Time day = Hours(24);
    NS_TEST_EXPECT_MSG_EQ(FromRnicTime(ToRnicTime(day)), day, "a day");
}

/// n packets at once through deterministic servers: the last leaves after the sum of the service
/// times and n - 1 times the largest.
IWARP_TEST(rnicServer, "tandem of deterministic servers base and per-FPDU time")
{
    const std::vector<RnicTime> times{70'000, 12'000, 250'000, 99'000, 1'000};
    RnicPipeline pipe;
    for (RnicTime t : times)
    {
        pipe.Add("stage " + std::to_string(t),
                 CreatePart<RnicServerStage>("TimePerPacket=" + std::to_string(t) + "ps"));
    }
    pipe.Start();
    auto walk = [&pipe](RnicTime now) {
        RnicSegment segment;
        segment.now = segment.time = now;
        segment.frame = 1500;
        pipe.Serve(segment);
        return segment.time;
    };
    const RnicTime sum = std::accumulate(times.begin(), times.end(), RnicTime(0));
    const RnicTime most = *std::max_element(times.begin(), times.end());
    for (int64_t n = 1; n <= 10000; ++n)
    {
        NS_TEST_ASSERT_MSG_EQ(walk(0), sum + (n - 1) * most, "packet " << n);
    }
    // a packet that comes when all is idle passes without waiting
    NS_TEST_EXPECT_MSG_EQ(walk(1'000'000'000'000), 1'000'000'000'000 + sum, "idle");

    // base, per FPDU, per octet and latency; 7 FPDUs cost 7 starts
    RnicServerConfig config;
    config.perPacket = 50'000;
    config.perUnit = 8'000;
    config.bitRate = 40'000'000'000; // 200 ps an octet
    config.latency = 30'000;
    RnicServer server(config);
    auto visit = server.Serve(1000, 1400, 7);
    NS_TEST_EXPECT_MSG_EQ(visit.start, 1000, "starts on arrival");
    NS_TEST_EXPECT_MSG_EQ(visit.departure,
                          1000 + 50'000 + 7 * 8'000 + 1400 * 200 + 30'000,
                          "MPA-A.2-08");
    IWARP_COVERS("MPA-A.2-08");
    visit = server.Serve(1000, 1400, 1);
    NS_TEST_EXPECT_MSG_EQ(visit.start, 1000 + 386'000, "the latency keeps no engine busy");
    NS_TEST_EXPECT_MSG_EQ(server.GetBusy(), 386'000 + 338'000, "busy");
    NS_TEST_EXPECT_MSG_EQ(server.GetWaited(), 386'000, "waited");
    NS_TEST_EXPECT_MSG_EQ(server.GetMaxWait(), 386'000, "longest wait");
    NS_TEST_EXPECT_MSG_EQ(server.GetOctets(), 2800, "octets");
    NS_TEST_EXPECT_MSG_EQ(server.GetServed(), 2, "packets");
}

/// k engines with the same service time: k packets leave every service time.
IWARP_TEST(rnicServer, "several engines keep the order and share the work")
{
    for (uint32_t engines : {1U, 2U, 3U, 8U, 64U})
    {
        RnicServerConfig config;
        config.perPacket = 1000;
        config.engines = engines;
        RnicServer server(config);
        for (uint32_t n = 0; n < 1000; ++n)
        {
            NS_TEST_ASSERT_MSG_EQ(server.Serve(0, 0).departure,
                                  1000 * (n / engines + 1),
                                  "packet " << n << " on " << engines);
        }
    }
    // a short packet behind a long one is done sooner, and leaves after it
    RnicServerConfig config;
    config.perUnit = 1000;
    config.engines = 2;
    RnicServer server(config);
    NS_TEST_EXPECT_MSG_EQ(server.Serve(0, 0, 10).departure, 10000, "long");
    NS_TEST_EXPECT_MSG_EQ(server.Serve(0, 0, 1).departure, 10000, "short");
    NS_TEST_EXPECT_MSG_EQ(server.Serve(0, 0, 1).start, 1000, "its engine is free");
    // who is served behind another has come behind it
    RnicServer idle(config);
    NS_TEST_EXPECT_MSG_EQ(idle.Serve(5000, 0, 1).start, 5000, "as it comes");
    NS_TEST_EXPECT_MSG_EQ(idle.Serve(0, 0, 1).start, 5000, "not before, on another engine");
}

/// Random arrivals, equal service times: mean wait rho s / (2 (1 - rho)).
IWARP_TEST(rnicServer, "waiting time of random arrivals at equal service times, to 1 %")
{
    const double service = 100'000; // ps
    for (double rho : {0.3, 0.5, 0.7, 0.8})
    {
        auto gap = CreateObject<ExponentialRandomVariable>();
        gap->SetAttribute("Mean", DoubleValue(service / rho));
        gap->SetStream(7);
        RnicServerConfig config;
        config.perPacket = static_cast<RnicTime>(service);
        RnicServer server(config);
        const uint32_t n = 3'000'000;
        double clock = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            clock += gap->GetValue();
            server.Serve(static_cast<RnicTime>(clock), 0);
        }
        const double mean = static_cast<double>(server.GetWaited()) / n;
        const double expected = rho * service / (2 * (1 - rho));
        NS_TEST_EXPECT_MSG_EQ_TOL(mean, expected, 0.01 * expected, "load " << rho);
        const double load = static_cast<double>(server.GetBusy()) / clock;
        NS_TEST_EXPECT_MSG_EQ_TOL(load, rho, 0.01 * rho, "utilization " << rho);
    }
}

/// Stages that a walk may leave out, and where they stand.
struct RnicPipelineOrder : TestCase
{
    using TestCase::TestCase;

    /// A stage that delays each segment by itself: so much as its frame has octets.
    class Delay : public RnicStage
    {
      public:
        std::string Check() const override
        {
            return "";
        }

        bool IsIdeal() const override
        {
            return false;
        }

        void Serve(RnicSegment& segment) override
        {
            segment.time += segment.frame;
            ++served;
        }

        uint32_t served{0}; //!< segments
    };
};

IWARP_TEST(rnicServer,
           "an ideal queue still keeps order; stages stand where they are told to",
           RnicPipelineOrder)
{
    auto delay = CreateObject<Delay>();
    auto queue = CreateObject<RnicServerStage>();
    auto first = CreateObject<RnicServerStage>();
    RnicPipeline pipe;
    pipe.Add("delay", delay);
    pipe.Add("queue", queue);
    pipe.Add("first", first, "delay");
    std::string names;
    for (const auto& stage : pipe.GetStages())
    {
        names += stage.name + " ";
    }
    NS_TEST_EXPECT_MSG_EQ(names, "first delay queue ", "before another, or at the end");
    pipe.Start();
    auto walk = [&pipe](uint32_t frame) {
        RnicSegment segment;
        segment.frame = frame;
        pipe.Serve(segment);
        return segment.time;
    };
    NS_TEST_EXPECT_MSG_EQ(walk(900), 900, "long");
    NS_TEST_EXPECT_MSG_EQ(walk(100), 900, "short, behind it though the queue takes no time");
    NS_TEST_EXPECT_MSG_EQ(delay->served, 2, "both");
    NS_TEST_EXPECT_MSG_EQ(queue->GetServer().GetServed(), 2, "not left out: it orders");
    NS_TEST_EXPECT_MSG_EQ(first->GetServer().GetServed(), 0, "left out: in order anyway");
}

/// Figures that make no sense are told in words.
IWARP_TEST(rnicServer, "bad figures of a stage")
{
    RnicServerConfig config;
    NS_TEST_EXPECT_MSG_EQ(config.Check(), "", "the default is good");
    config.bitRate = 999;
    NS_TEST_EXPECT_MSG_NE(config.Check().find("never ends"), std::string::npos, "slow");
    config = {};
    config.engines = 0;
    NS_TEST_EXPECT_MSG_NE(config.Check().find("engines"), std::string::npos, "no engine");
    config.engines = 1025;
    NS_TEST_EXPECT_MSG_NE(config.Check(), "", "too many engines");
    config = {};
    config.perPacket = -1;
    NS_TEST_EXPECT_MSG_NE(config.Check(), "", "negative time");
    config.perPacket = 1'000'000'000'001;
    NS_TEST_EXPECT_MSG_NE(config.Check(), "", "absurd time");
}
