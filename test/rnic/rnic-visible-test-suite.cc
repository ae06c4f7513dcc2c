/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../verbs/rdma-star.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rnicVisible, "rnic-visible");

constexpr uint16_t RDMA_PORT = 20049;
constexpr uint32_t CQE = 64; // octets of a completion queue element

/// Figures of an RNIC's way to the host.
struct HostWay
{
    Time pipeline;     //!< of the receiver, for each frame
    uint64_t rate;     //!< bit/s of the bus towards the host
    uint32_t header;   //!< octets around each packet of the bus
    Time latency;      //!< from a write to its sight
    Time poll;         //!< from sight to the application
    Time classify{0};  //!< of the stage before TCP
    bool none{false};  //!< no RNIC at all
    bool ideal{false}; //!< one that takes no time
};

} // namespace

/**
 * A program sees a message when the RNIC has written it: links, the receiver's pipeline and the
 * bus, one behind the other for each segment, in closed form.
 */
struct RnicVisibleTest : TestCase
{
    using TestCase::TestCase;

    /// @param way figures @param octets to write @return time on the bus
    static Time OnBus(const HostWay& way, uint32_t octets)
    {
        const uint64_t packets = (octets + 255) / 256;
        return NanoSeconds((octets + packets * way.header) * 8 * 1'000'000'000ULL / way.rate);
    }

    /// @param way figures @param size payload @param ddp octets of the DDP header @param cqe the
    /// program looks at the completion queue, rather than at the memory @return one-way time
    static Time Expect(const HostWay& way, uint32_t size, uint32_t ddp, bool cqe)
    {
        const auto frames = RdmaStar::FramesOf(size, ddp);
        if (way.none || way.ideal)
        {
            return RdmaStar::OneWay(frames);
        }
        // requests to read the WQE and the first segment cross the sender's bus first
        const uint32_t requests = 1 + (frames[0] - RdmaStar::LOWER + 511) / 512;
        const Time asked = NanoSeconds(requests * way.header * 8 * 1'000'000'000ULL / way.rate);
        uint32_t left = size;
        Time placed(0);
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            // with a second frame behind it, the first one is there when it has crossed both links
            const std::vector<uint32_t> first(frames.begin(), frames.begin() + i + 1);
            const Time toTcp = asked + RdmaStar::OneWay(first) + way.classify;
            const uint32_t payload = std::min(left, RdmaStar::EMSS - 6 - ddp);
            left -= payload;
            placed = std::max(placed, toTcp + way.pipeline);
            if (cqe && i == 0) // a request to read the WQE of the next receive
            {
                placed += NanoSeconds(way.header * 8 * 1'000'000'000ULL / way.rate);
            }
            placed += OnBus(way, payload);
        }
        return placed + (cqe ? OnBus(way, CQE) : Time(0)) + way.latency + way.poll;
    }

    void Check(const HostWay& way, uint32_t size, const std::string& test)
    {
        RdmaStar star(2, "1Gbps");
        if (!way.none)
        {
            RnicHelper rnic;
            if (!way.ideal)
            {
                rnic.Set("RxClassify.TimePerPacket", TimeValue(way.classify));
                rnic.Set("RxPlace.TimePerUnit", TimeValue(way.pipeline));
                rnic.Set("HostInterface.WriteRate", DataRateValue(DataRate(way.rate)));
                rnic.Set("HostInterface.Header", UintegerValue(way.header));
                rnic.Set("HostInterface.WriteLatency", TimeValue(way.latency));
                rnic.Set("HostInterface.PollTime", TimeValue(way.poll));
            }
            rnic.Install(star.GetHosts());
        }
        RdmaPerfHelper helper;
        helper.SetStreamAttribute("Markers", BooleanValue(false));
        helper.SetClientAttribute("Test", StringValue(test));
        helper.SetClientAttribute("Size", UintegerValue(size));
        helper.SetClientAttribute("Iterations", UintegerValue(10));
        auto applications =
            helper.Connect(star.GetHosts().Get(0), star.GetHosts().Get(1), RDMA_PORT);
        applications.Start(MilliSeconds(1));
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        const auto client = DynamicCast<RdmaPerfClient>(applications.clients.Get(0));
        const bool sends = test == "send_lat";
        const Time expected = Expect(way, size, sends ? 18 : 14, sends);
        const RdmaPerfReport& report = client->GetReport();
        const std::string name = test + " of " + std::to_string(size);
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", name);
        NS_TEST_EXPECT_MSG_EQ(report.iterations, 10, name);
        // each step ends at a whole nanosecond, and ns-3's TCP sends a time step after it is given
        // something to send
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tMin, expected, NanoSeconds(8), name << ", least");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.tMax, expected, NanoSeconds(8), name << ", most");
        Simulator::Destroy();
    }
};

IWARP_TEST(rnicVisible,
           "Latency is serialisation, pipeline and the write to the host",
           RnicVisibleTest)
{
    HostWay none;
    none.none = true;
    HostWay ideal;
    ideal.ideal = true;
    const HostWay latencies{NanoSeconds(0),
                            1'000'000'000'000'000,
                            0,
                            NanoSeconds(250),
                            NanoSeconds(120)};
    const HostWay stages{NanoSeconds(300),
                         1'000'000'000'000'000,
                         0,
                         NanoSeconds(0),
                         NanoSeconds(0),
                         NanoSeconds(500)};
    const HostWay fast{NanoSeconds(40), 10'000'000'000, 24, NanoSeconds(250), NanoSeconds(0)};
    // slower than the links: segments queue for the bus
    const HostWay slow{NanoSeconds(40), 500'000'000, 24, NanoSeconds(250), NanoSeconds(50)};
    for (const HostWay& way : {none, ideal, latencies, stages, fast, slow})
    {
        for (uint32_t size : {64U, 1400U, 4000U, 20000U})
        {
            Check(way, size, "write_lat");
            Check(way, size, "send_lat");
        }
    }
}
