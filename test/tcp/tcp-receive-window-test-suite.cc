/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/rnic-retirement.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-receive-window.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

/// The suite.
IWARP_TEST_SUITE(tcpReceiveWindow, "tcp-receive-window");

/// The window for a rate and a round trip is their product, and TCP can say it.
IWARP_TEST(tcpReceiveWindow, "the window for a rate and a round-trip time")
{
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("10Gbps"), MicroSeconds(100)), 125000, "DDP-A-2");
    IWARP_COVERS("DDP-A-2");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("5Gbps"), MicroSeconds(100)), 62500, "half");
    IWARP_COVERS("DDP-A-3");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("8bps"), Seconds(1)), 1, "an octet");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("12bps"), Seconds(1)), 2, "up to a whole one");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("400Gbps"), MilliSeconds(10)),
                          61036 * 8192,
                          "500 MB, in units of 8192 octets");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("0bps"), Seconds(1)), 0, "no rate");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("1Gbps"), Seconds(0)), 0, "no time");
    NS_TEST_EXPECT_MSG_EQ(TcpWindowFor(DataRate("400Gbps"), Seconds(1)), 65535U << 14, "RFC 7323");
    for (uint64_t octets : {65535, 65536, 65537, 131071, 131072, 1000001, 123456789})
    {
        const uint32_t window = TcpWindowFor(DataRate(octets * 8), Seconds(1));
        uint32_t shift = 0;
        while (window >> shift > 65535)
        {
            shift++;
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(window, octets, "no less");
        NS_TEST_EXPECT_MSG_LT(window, octets + (1 << shift), "and no more than it must be");
        NS_TEST_EXPECT_MSG_EQ(window % (1 << shift), 0, "its scale can say it");
    }
}

/// A socket's receive buffer is what they make together; one of them alone does not change it.
IWARP_TEST(tcpReceiveWindow, "a buffer for a rate and a round-trip time")
{
    const auto node = CreateObject<Node>();
    InternetStackHelper().Install(node);
    Rfc9293TcpSocketFactory::Install(node);
    for (const auto& [rate, time, octets] :
         std::vector<std::tuple<std::string, Time, uint32_t>>{{"10Gbps", MicroSeconds(100), 125000},
                                                              {"10Gbps", Seconds(0), 70000},
                                                              {"0bps", MicroSeconds(100), 70000}})
    {
        const auto socket = Socket::CreateSocket(node, Rfc9293TcpSocketFactory::GetTypeId());
        socket->SetAttribute("RcvBufSize", UintegerValue(70000));
        socket->SetAttribute("WindowRate", StringValue(rate));
        socket->SetAttribute("WindowRtt", TimeValue(time));
        socket->Bind();
        socket->Listen();
        UintegerValue size;
        socket->GetAttribute("RcvBufSize", size);
        NS_TEST_EXPECT_MSG_EQ(size.Get(), octets, rate << " over " << time);
    }
    Simulator::Destroy();
}

/**
 * A receiver by hand: segments come as far as the right edge allows, retire at random, and the
 * window is advertised after each.
 */
struct RightEdgeTest : TestCase
{
    using TestCase::TestCase;

    void Check(uint32_t buffer, uint8_t shift, uint32_t segment, uint32_t seed)
    {
        std::mt19937 random(RandomSeed(seed));
        uint64_t next = 0;
        uint64_t retired = 0;
        uint64_t edge = buffer >> shift << shift;
        uint64_t small = 0;
        uint64_t acknowledgments = 0;
        const uint32_t step = std::max(1U, std::min(segment, buffer / 2));
        for (uint32_t i = 0; i < 20000; i++)
        {
            if (random() % 2 == 0)
            {
                next += std::min<uint64_t>(random() % segment + 1, edge - next);
            }
            else
            {
                retired += std::min<uint64_t>(random() % segment + 1, next - retired);
            }
            acknowledgments++;
            TcpReceiveWindow window;
            window.space = buffer;
            window.unretired = next - retired;
            window.offered = edge - next;
            window.step = step;
            window.shift = shift;
            const uint32_t got = window.Get();
            const uint64_t now = next + got;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(now, edge, "DDP-A-5");
            IWARP_COVERS("DDP-A-5");
            NS_TEST_ASSERT_MSG_EQ(got % (1 << shift), 0, "can be said");
            small += now > edge && now - edge < step && next > retired && shift == 0;
            if (shift == 0)
            { // nothing is promised that the buffer does not back
                NS_TEST_ASSERT_MSG_LT_OR_EQ(now, retired + buffer, "DDP-A-1");
                IWARP_COVERS("DDP-A-1");
            }
            if (next == retired)
            {
                NS_TEST_ASSERT_MSG_GT_OR_EQ(got, (buffer >> shift << shift), "all of it");
            }
            edge = now;
        }
        NS_TEST_EXPECT_MSG_EQ(small, 0, "no silly windows");
        NS_TEST_EXPECT_MSG_GT(next, 2000 * segment, "it goes on");
    }
};

IWARP_TEST(tcpReceiveWindow, "the right edge, whatever retires when", RightEdgeTest)
{
    uint32_t seed = 1;
    for (uint32_t buffer : {3000U, 40000U, 65535U})
    {
        Check(buffer, 0, 1448, seed++);
    }
    for (uint8_t shift : {1, 3, 7})
    {
        Check(100000, shift, 1448, seed++);
        Check(100000, shift, 64, seed++);
    }
}

/// By how much the right edge moves, to the octet.
IWARP_TEST(tcpReceiveWindow, "the right edge moves by a step or not at all")
{
    TcpReceiveWindow window;
    window.space = 10000;
    window.unretired = 1000;
    window.step = 1000;
    for (const auto& [offered, got, what] :
         std::vector<std::tuple<uint32_t, uint32_t, const char*>>{{7999, 9000, "more than a step"},
                                                                  {8000, 9000, "exactly a step"},
                                                                  {8001, 8001, "an octet less"},
                                                                  {9000, 9000, "nothing to gain"},
                                                                  {9500, 9500, "never back"}})
    {
        window.offered = offered;
        NS_TEST_EXPECT_MSG_EQ(window.Get(), got, what);
    }
    window.unretired = 0;
    window.offered = 9999;
    NS_TEST_EXPECT_MSG_EQ(window.Get(), 10000, "any step, if all is retired");
    window.space = 9999;
    window.shift = 3;
    window.offered = 9993; // 9992 is what the scale says of the buffer
    NS_TEST_EXPECT_MSG_EQ(window.Get(), 10000, "never back (RFC 9293 section 3.8.6)");
    IWARP_COVERS("DDP-A-5");
    window.shift = 0;
    window.unretired = 12000;
    window.offered = 0;
    NS_TEST_EXPECT_MSG_EQ(window.Get(), 0, "more than there is room for");
}

/// What the peer has been told, across the wrap of sequence numbers.
IWARP_TEST(tcpReceiveWindow, "the right edge as the peer knows it")
{
    const SequenceNumber32 next(0xffffff00);
    TcpRightEdge edge;
    edge.Notify(next, 1000, false);
    NS_TEST_EXPECT_MSG_EQ(edge.GetLeft(next), 1000, "by a SYN");
    NS_TEST_EXPECT_MSG_EQ(edge.GetOffered(next), 0, "which offers nothing yet");
    edge.Notify(next, 2000, true);
    NS_TEST_EXPECT_MSG_EQ(edge.GetOffered(next + 500), 1500, "by an ACK, across the wrap");
    NS_TEST_EXPECT_MSG_EQ(edge.GetLeft(next + 2100), -100, "the peer has sent too much");
    NS_TEST_EXPECT_MSG_EQ(edge.GetOffered(next + 2100), 0, "so that nothing is left");
}

/// When a window update is sent (RFC 1122 section 4.2.3.3), against sums by hand.
IWARP_TEST(tcpReceiveWindow, "window updates are neither silly nor missing")
{
    TcpWindowUpdate update;
    update.segment = 1000;
    update.buffer = 10000;
    update.left = 2000;
    NS_TEST_EXPECT_MSG_EQ(update.IsPeerWaiting(), false, "room for two segments");
    update.left = 1999;
    NS_TEST_EXPECT_MSG_EQ(update.IsPeerWaiting(), true, "an octet less");
    NS_TEST_EXPECT_MSG_EQ(update.IsDue(3998), false, "wider by less than two segments");
    NS_TEST_EXPECT_MSG_EQ(update.IsDue(3999), true, "by two");
    update.buffer = 3000;
    update.left = 0;
    NS_TEST_EXPECT_MSG_EQ(update.IsDue(1499), false, "less than half a small buffer");
    NS_TEST_EXPECT_MSG_EQ(update.IsDue(1500), true, "half of it");
    NS_TEST_EXPECT_MSG_EQ(update.GetUnretired(3000, 0), 1500, "the other half may wait");
    NS_TEST_EXPECT_MSG_EQ(update.GetUnretired(3000, 3), 1493, "less what the scale loses");
    NS_TEST_EXPECT_MSG_EQ(update.GetUnretired(1000, 0), 0, "never due");
    update.left = -100;
    NS_TEST_EXPECT_MSG_EQ(update.IsDue(1400), true, "what was sent too much counts");
}

/// What is not retired, against sums by hand.
IWARP_TEST(tcpReceiveWindow, "octets that are not retired")
{
    RnicRetirement r;
    NS_TEST_EXPECT_MSG_EQ(r.GetHeld(0), 0, "nothing yet");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(5, 0), 5, "so at once");
    r.Add(100, 10);
    r.Add(200, 20);
    r.Add(300, 20);
    r.Add(400, 30);
    NS_TEST_EXPECT_MSG_EQ(r.GetHeld(9), 1000, "all");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(9, 1000), 9, "already");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(9, 999), 10, "one less");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(9, 900), 10, "without the first");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(9, 899), 20, "or the second");
    NS_TEST_EXPECT_MSG_EQ(r.GetTime(9, 0), 30, "nothing left");
    NS_TEST_EXPECT_MSG_EQ(r.GetHeld(10), 900, "at its time it is retired");
    NS_TEST_EXPECT_MSG_EQ(r.GetHeld(29), 400, "the last");
    NS_TEST_EXPECT_MSG_EQ(r.GetHeld(30), 0, "none");
}
