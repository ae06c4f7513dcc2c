/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/rnic-link.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace rnictest;

IWARP_TEST_SUITE(rnicHostInterface, "rnic-host-interface");

/// In order a link is a FIFO queue; out of order nothing overlaps and no idle time is lost.
IWARP_TEST(rnicHostInterface, "a shared link in closed form against slot-by-slot bookkeeping")
{
    const uint64_t rate = 8'000'000'000'000; // an octet a ps
    {
        RnicLink link(rate);
        RnicTime clock = 0;
        RnicTime free = 0;
        for (uint32_t i = 0; i < 10000; ++i)
        {
            clock += i * 7919 % 150;
            const uint32_t octets = 1 + i * 104729 % 120;
            const auto slot = link.Transfer(clock, clock, octets);
            NS_TEST_ASSERT_MSG_EQ(slot.start, std::max(clock, free), "FIFO start");
            free = slot.start + octets;
            NS_TEST_ASSERT_MSG_EQ(slot.end, free, "FIFO end");
        }
    }
    // a booking for later leaves the time before it to others
    RnicLink link(rate);
    NS_TEST_EXPECT_MSG_EQ(link.Transfer(0, 1000, 100).start, 1000, "booked ahead");
    NS_TEST_EXPECT_MSG_EQ(link.Transfer(0, 0, 600).start, 0, "fits before");
    NS_TEST_EXPECT_MSG_EQ(link.Transfer(0, 700, 100).start, 700, "within");
    const auto split = link.Transfer(0, 0, 301);
    NS_TEST_EXPECT_MSG_EQ(split.start, 600, "in pieces: 100 here");
    NS_TEST_EXPECT_MSG_EQ(split.end, 1101, "200 before what was booked, 1 behind it");
    NS_TEST_EXPECT_MSG_EQ(link.GetFreeAt(), 1101, "all of it is used");
    NS_TEST_EXPECT_MSG_EQ(link.Transfer(0, 50, 0).end, 50, "nothing waits for nothing");

    // random bookings: each octet's picosecond is taken once
    auto rng = CreateObject<UniformRandomVariable>();
    rng->SetStream(3);
    RnicLink busy(rate);
    std::vector<bool> taken(2'000'000, false);
    RnicTime clock = 0;
    uint64_t octets = 0;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        clock += rng->GetInteger(0, 60);
        const RnicTime arrival = clock + rng->GetInteger(0, 500);
        const uint32_t size = rng->GetInteger(1, 50);
        const auto slot = busy.Transfer(clock, arrival, size);
        RnicTime t = arrival;
        RnicTime first = -1;
        for (uint32_t left = size; left > 0; ++t)
        {
            if (!taken[t])
            {
                taken[t] = true;
                first = first < 0 ? t : first;
                --left;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(slot.start, first, "first free picosecond");
        NS_TEST_ASSERT_MSG_EQ(slot.end, t, "behind as many free ones as it needs");
        octets += size;
    }
    NS_TEST_EXPECT_MSG_EQ(busy.GetOctets(), octets, "octets");
    NS_TEST_EXPECT_MSG_EQ(busy.GetBusy(), RnicTime(octets), "busy");
}

/// Read bandwidth is the lower of the bus's and of what the tags allow.
IWARP_TEST(rnicHostInterface, "PCIe reads limited by tags and by bandwidth, to 1 %")
{
    for (uint32_t tags : {1U, 2U, 8U, 16U, 32U, 64U, 256U})
    {
        for (uint32_t request : {128U, 512U, 4096U})
        {
            const auto host = StartPart<RnicHostInterface>(
                "ReadRate=64Gbps WriteRate=64Gbps Header=24 MaxPayload=256 ReadLatency=500ns "
                "MaxReadRequest=" +
                std::to_string(request) + " ReadTags=" + std::to_string(tags));
            const uint64_t octets = 64 << 20;
            const RnicTime end = host->Read(0, 0, octets);

            const uint32_t packets = (request + 255) / 256;
            const double dataTime = (request + packets * 24) * 125.0; // ps, data and headers
            const double turn = 24 * 125.0 + 500'000 + dataTime;      // ps a tag is in use
            const double perRequest = std::max(dataTime, turn / tags);
            const double expected = perRequest * octets / request;
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(end),
                                      expected,
                                      0.01 * expected,
                                      tags << " tags, requests of " << request);
            NS_TEST_EXPECT_MSG_EQ(host->GetReadRequests(), octets / request, "requests");
        }
    }
    // one read alone: request, latency, data
    const auto host = StartPart<RnicHostInterface>(
        "ReadRate=64Gbps WriteRate=32Gbps Header=20 ReadLatency=550ns");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 1000, 64), 1000 + 20 * 250 + 550'000 + 84 * 125, "64 B");
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 5000, 0), 5000, "nothing");
    NS_TEST_EXPECT_MSG_EQ(host->GetReads(), 1, "reads");
}

/// Doorbell, WQE, payload, CQE: the times add up.
IWARP_TEST(rnicHostInterface, "doorbell, WQE fetch, inline payload, CQE and notification")
{
    const std::string figures = "ReadRate=8000Gbps WriteRate=8000Gbps " // an octet a ps
                                "Header=24 ReadLatency=500ns WriteLatency=250ns "
                                "DoorbellLatency=100ns PollTime=40ns ";
    {
        const auto host = StartPart<RnicHostInterface>(figures + "InlineLimit=96");
        const RnicTime rung = 8 + 24 + 100'000;
        NS_TEST_EXPECT_MSG_EQ(host->Post(0, 0, 97, false),
                              rung + 24 + 500'000 + 64 + 24,
                              "WQE read");
        const RnicTime now = 10'000'000;
        NS_TEST_EXPECT_MSG_EQ(host->Post(now, now, 96, false) - now,
                              8 + 64 + 96 + 24 + 100'000,
                              "inline: no read");
        NS_TEST_EXPECT_MSG_EQ(host->GetReads(), 1, "one WQE read in all");
        NS_TEST_EXPECT_MSG_EQ(host->GetDoorbells(), 2, "two doorbells");
        NS_TEST_EXPECT_MSG_EQ(host->Complete(now, now) - now, 64 + 24 + 250'000 + 40'000, "CQE");
        NS_TEST_EXPECT_MSG_EQ(host->Write(now, now + 1'000'000, 1024) - now,
                              1'000'000 + 1024 + 4 * 24,
                              "four packets");
        NS_TEST_EXPECT_MSG_EQ(host->GetInterrupts(), 0, "polling");
    }
    // no inline: payload of any size needs a WQE read
    const auto none = StartPart<RnicHostInterface>(figures);
    NS_TEST_EXPECT_MSG_EQ(none->IsInline(0), false, "no inline");

    // a completion every 3 us, at most one interrupt every 50 us
    const auto host = StartPart<RnicHostInterface>(
        figures + "Notify=Interrupt InterruptTime=2us InterruptModeration=50us");
    const uint32_t n = 10000;
    double delay = 0;
    RnicTime worst = 0;
    for (uint32_t i = 0; i < n; ++i)
    {
        const RnicTime now = RnicTime(i) * 3'000'000;
        const RnicTime known = host->Complete(now, now) - now;
        delay += static_cast<double>(known) / n;
        worst = std::max(worst, known);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(double(host->GetInterrupts()), n * 3.0 / 50, n * 3.0 / 5000, "rate");
    const double fixed = 64 + 24 + 250'000 + 2'000'000;
    // the completions of a period wait evenly spread from 0 to 50 us less the time to the next
    NS_TEST_EXPECT_MSG_EQ_TOL(delay, fixed + 25e6, 0.03 * 25e6, "mean wait about half a period");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(worst, RnicTime(fixed) + 50'000'000, "never more than a period");
    NS_TEST_EXPECT_MSG_EQ(host->GetCompletions(), n, "completions");
}

/// Writes and read data share nothing, writes and read requests do.
IWARP_TEST(rnicHostInterface, "each direction of the bus has its own bandwidth")
{
    const auto host =
        StartPart<RnicHostInterface>("ReadRate=16Gbps WriteRate=16Gbps ReadTags=1024");
    const uint64_t octets = 1 << 20;
    const RnicTime one = octets * 500;
    NS_TEST_EXPECT_MSG_EQ(host->Read(0, 0, octets), one, "read alone");
    NS_TEST_EXPECT_MSG_EQ(host->Write(0, 0, octets), one, "write beside it");
    NS_TEST_EXPECT_MSG_EQ(host->Write(0, 0, octets), 2 * one, "second write behind the first");

    // what headers leave of it: 256 of each 280 octets
    const auto headed =
        StartPart<RnicHostInterface>("ReadRate=16Gbps WriteRate=8Gbps MaxPayload=256 Header=24");
    NS_TEST_EXPECT_MSG_EQ_TOL(headed->GetDataRate(false), 16e9 * 256 / 280, 1, "reads");
    NS_TEST_EXPECT_MSG_EQ_TOL(headed->GetDataRate(true), 8e9 * 256 / 280, 1, "writes");
    const double seconds = static_cast<double>(headed->Write(0, 0, octets)) * 1e-12;
    NS_TEST_EXPECT_MSG_EQ_TOL(8 * octets / seconds, headed->GetDataRate(true), 1e3, "it is that");
}

/// Figures that make no sense are told in words.
IWARP_TEST(rnicHostInterface, "bad figures of a host interface")
{
    const auto host = CreatePart<RnicHostInterface>();
    NS_TEST_EXPECT_MSG_EQ(host->Check(), "", "the default is good");
    NS_TEST_EXPECT_MSG_EQ(host->IsIdeal(), true, "and ideal");
    for (const char* rate : {"WriteRate", "ReadRate"})
    {
        const auto slow = CreatePart<RnicHostInterface>(std::string(rate) + "=999bps");
        NS_TEST_EXPECT_MSG_NE(slow->Check().find("never ends"), std::string::npos, rate);
    }
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"ReadTags", "0"},
                                                          {"MaxReadRequest", "0"},
                                                          {"MaxPayload", "1048576"},
                                                          {"ReadLatency", "-5ns"},
                                                          {"InterruptModeration", "2s"}})
    {
        NS_TEST_EXPECT_MSG_EQ(host->SetAttributeFailSafe(name, StringValue(value)),
                              false,
                              name << " " << value);
    }
}
