/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"

#include "ns3/packet.h"
#include "ns3/tcp-duplicate-sack.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rack.h"
#include "ns3/tcp-round-trips.h"
#include "ns3/tcp-tail-loss-probe.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * RACK-TLP (RFC 8985) without a simulator: its rules one by one, and against its pseudocode carried
 * out word by word.
 */

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpRack, "tcp-rack");

using Seq = SequenceNumber32;                   //!< number of an octet
using RackBlocks = std::vector<TcpRack::Block>; //!< of an ACK

const Seq RACK_START(0xfffff000);   //!< first octet: numbers wrap
constexpr uint32_t RACK_MSS = 1000; //!< octets of a segment

/// @param n segment, from 0 on @return number of its first octet
Seq
At(uint32_t n)
{
    return RACK_START + n * RACK_MSS;
}

/// A connection of segments of RACK_MSS octets.
struct RackTest : TestCase
{
    using TestCase::TestCase;

    /// @param n segment @param ms when it is sent
    void Send(uint32_t n, int64_t ms)
    {
        rack.NotifySent(At(n), RACK_MSS, MilliSeconds(ms));
    }

    /// @param ms when it comes @param n segments in front of which all have arrived @param sacked
    /// those that have, too: first and behind the last @param duplicate with a DSACK @param echo
    /// behind the moment echoed, in ms @return what is lost
    TcpRack::Losses Ack(int64_t ms,
                        uint32_t n,
                        const std::vector<std::pair<uint32_t, uint32_t>>& sacked = {},
                        bool duplicate = false,
                        int64_t echo = -1)
    {
        TcpRack::Ack ack;
        ack.now = MilliSeconds(ms);
        ack.ack = At(n);
        ack.duplicate = duplicate;
        for (const auto& [left, right] : sacked)
        {
            ack.blocks.emplace_back(At(left), At(right));
        }
        if (echo >= 0)
        {
            ack.echo = MilliSeconds(echo);
        }
        ack.recovered = recovering && n >= recover;
        recovering = recovering && !ack.recovered;
        rack.NotifyAck(ack);
        return Look(ms);
    }

    /// @param ms when @return what is lost, upon which recovery begins
    TcpRack::Losses Look(int64_t ms)
    {
        const auto losses = rack.DetectLosses(recovering, MilliSeconds(ms));
        if (losses.octets > 0 && !recovering)
        {
            recovering = true;
            recover = static_cast<uint32_t>(rack.GetNext() - RACK_START) / RACK_MSS;
        }
        return losses;
    }

    /// @return the first segment that is lost; -1 if there is none
    int64_t Lost() const
    {
        const auto [begin, end] = rack.FindLost(0);
        return begin == end ? -1 : int64_t{begin - RACK_START} / RACK_MSS;
    }

    TcpRack rack{RACK_START, 3, Seconds(300)}; //!< it
    bool recovering{false};                    //!< recovery is on
    uint32_t recover{0};                       //!< until as many segments are acknowledged
};

/// Figure 1 of section 3.4, with times.
IWARP_TEST(tcpRack, "RFC 8985 figure 1", RackTest)
{
    for (uint32_t n = 0; n < 4; ++n)
    {
        Send(n, 0);
    }
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 4 * RACK_MSS, "all are on their way");
    Ack(100, 1);
    NS_TEST_EXPECT_MSG_EQ(rack.GetRoundTrips().GetSmoothed(), MilliSeconds(100), "RTT");
    Send(3, 300); // the probe
    NS_TEST_EXPECT_MSG_EQ(Ack(400, 1, {{3, 4}}).octets, 2 * RACK_MSS, "P1 and P2 are lost");
    NS_TEST_EXPECT_MSG_EQ(Lost(), 1, "P1");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 0, "nothing is on its way");
    Send(1, 400);
    NS_TEST_EXPECT_MSG_EQ(Lost(), 2, "P2");
    Send(2, 400);
    NS_TEST_EXPECT_MSG_EQ(Lost(), -1, "both are sent again");
    const auto again = Ack(500, 1, {{2, 4}});
    NS_TEST_EXPECT_MSG_EQ(Lost(), 1, "the retransmission of P1 is lost");
    NS_TEST_EXPECT_MSG_EQ(again.latestAgain, MilliSeconds(400), "it was one");
    Send(1, 500);
    Ack(600, 4);
    NS_TEST_EXPECT_MSG_EQ(rack.GetSegments(), 0, "all has arrived");
    NS_TEST_EXPECT_MSG_EQ(rack.GetTotalLost(), 3 * RACK_MSS, "three were lost");
    NS_TEST_EXPECT_MSG_EQ(recovering, false, "recovery is over");
}

/// What is cut off a segment has become of what the whole has; blocks of what was never sent tell
/// of nothing.
IWARP_TEST(tcpRack, "parts of segments, and blocks beyond all", RackTest)
{
    for (uint32_t n = 0; n < 4; ++n)
    {
        Send(n, 0);
    }
    Ack(100, 0, {{1, 9}});
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 0, "a block beyond what was sent");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 4 * RACK_MSS, "does not count");
    Ack(100, 0, {{1, 4}});
    NS_TEST_ASSERT_MSG_EQ(Lost(), 0, "three behind it have arrived");
    rack.NotifySent(At(0) + RACK_MSS / 2, RACK_MSS / 2, MilliSeconds(100));
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), RACK_MSS / 2, "half of it is sent again");
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(RACK_MSS) == TcpRack::Block(At(0), At(0) + RACK_MSS / 2)),
                          true,
                          "the other half is to be");
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 3, "told of");
    rack.NotifySent(At(1), RACK_MSS / 2, MilliSeconds(100));
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 4, "two halves, one sent again for nothing");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), RACK_MSS / 2, "half of the first");
}

/// Segments sent at the same time are told apart by their numbers, whatever the order in which they
/// were sent (section 6.2, RACK_sent_after).
IWARP_TEST(tcpRack, "RFC 8985 6.2: sent at the same time", RackTest)
{
    for (uint32_t n = 0; n < 6; ++n)
    {
        Send(n, 0);
    }
    Ack(100, 0, {{4, 5}, {5, 6}});
    Ack(125, 0);
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 4 * RACK_MSS, "all in front");
    for (const uint32_t n : {3, 1, 0, 2})
    {
        Send(n, 125);
    }
    Ack(225, 0, {{1, 2}});
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), RACK_MSS, "none behind it");
    NS_TEST_EXPECT_MSG_EQ(Lost(), 0, "the one in front");
}

/// The reordering window: a quarter of the least RTT, zero in recovery and from the third segment
/// on, until something is reordered (step 4).
IWARP_TEST(tcpRack, "RFC 8985 6.2 step 4: the reordering window", RackTest)
{
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), Time(0), "nothing is known");
    for (uint32_t n = 0; n < 8; ++n)
    {
        Send(n, 0);
    }
    const auto losses = Ack(100, 0, {{1, 2}});
    NS_TEST_EXPECT_MSG_EQ(losses.wait, MilliSeconds(25), "a quarter of the least RTT");
    NS_TEST_EXPECT_MSG_EQ(losses.octets, 0, "nothing is lost yet");
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(true), Time(0), "in recovery");
    NS_TEST_EXPECT_MSG_EQ(Look(124).wait, MilliSeconds(1), "what is left");
    NS_TEST_EXPECT_MSG_EQ(Ack(124, 0, {{2, 3}}).octets, 0, "two");
    NS_TEST_EXPECT_MSG_EQ(Ack(124, 0, {{3, 4}}).octets, RACK_MSS, "three");
    Send(0, 124);
    Ack(224, 4);
    NS_TEST_EXPECT_MSG_EQ(rack.HasReordered(), false, "a retransmission is late anyway");
    Ack(225, 4, {{5, 6}});
    Ack(226, 5);
    NS_TEST_EXPECT_MSG_EQ(rack.HasReordered(), true, "the fifth came behind the sixth");
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(true), MilliSeconds(25), "in recovery as well");
}

/// A DSACK a round has it grow, and 16 recoveries without one have it shrink; SRTT is its limit.
IWARP_TEST(tcpRack, "RFC 8985 6.2 step 4: DSACK", RackTest)
{
    Send(0, 0);
    Ack(100, 1);
    Send(1, 100);
    Send(2, 100);
    Ack(200, 2, {}, true);
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), MilliSeconds(50), "twice");
    Ack(200, 2, {}, true);
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), MilliSeconds(50), "once a round");
    Ack(200, 3);
    for (uint32_t n = 3; n < 7; ++n)
    {
        Send(n, 100 * n);
        Ack(100 * n + 100, n + 1, {}, true);
    }
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), MilliSeconds(100), "SRTT");
    recover = 0;
    for (int i = 1; i < 16; ++i)
    {
        recovering = true;
        Ack(700, 7);
    }
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), MilliSeconds(100), "15 recoveries");
    recovering = true;
    Ack(700, 7);
    NS_TEST_EXPECT_MSG_EQ(rack.GetWindow(false), MilliSeconds(25), "the sixteenth");
}

/// What may be the answer to an earlier segment tells nothing (step 2).
IWARP_TEST(tcpRack, "RFC 8985 6.2 step 2: answers to earlier segments", RackTest)
{
    for (const int64_t echo : {-1, 190, 191})
    { // P1 is sent again at 140 and at 190, P2 at 140; then P1 is acknowledged
        TcpRack one(RACK_START, 3, Seconds(300));
        for (uint32_t n = 0; n < 3; ++n)
        {
            one.NotifySent(At(n), RACK_MSS, Time(0));
        }
        TcpRack::Ack ack;
        ack.ack = At(0);
        ack.blocks = {{At(2), At(3)}};
        ack.now = MilliSeconds(40);
        one.NotifyAck(ack);
        one.DetectLosses(true, MilliSeconds(50));
        one.NotifySent(At(0), RACK_MSS, MilliSeconds(140));
        one.NotifySent(At(1), RACK_MSS, MilliSeconds(140));
        one.MarkTimeout(true, MilliSeconds(150));
        one.NotifySent(At(0), RACK_MSS, MilliSeconds(190));
        ack.ack = At(1);
        ack.blocks.clear();
        ack.now = MilliSeconds(240);
        if (echo > 0)
        {
            ack.echo = MilliSeconds(echo);
        }
        one.NotifyAck(ack);
        const uint32_t lost = echo == 190 ? 0 : RACK_MSS;
        NS_TEST_EXPECT_MSG_EQ(one.DetectLosses(true, ack.now).octets,
                              lost,
                              "echo of before " << echo);
    }
    for (uint32_t n = 0; n < 3; ++n)
    {
        Send(n, 0);
    }
    Ack(100, 0, {{2, 3}});
    Look(125);
    Send(0, 125);
    Send(1, 125);
    NS_TEST_EXPECT_MSG_EQ(Ack(224, 0, {{1, 2}}).octets, 0, "faster than the least RTT");
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 2, "but it has arrived");
}

/// A timeout takes the first segment for lost, and of others those that are old enough (section
/// 6.3).
IWARP_TEST(tcpRack, "RFC 8985 6.3: a timeout", RackTest)
{
    Send(0, 0);
    Ack(100, 1);
    Send(1, 100);
    Send(2, 975);
    Send(3, 976);
    rack.MarkTimeout(false, MilliSeconds(1100));
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 2 * RACK_MSS, "P1, and what is a round trip old");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), RACK_MSS, "P3 is on its way");
    NS_TEST_EXPECT_MSG_EQ(rack.IsFirstAgain(), false, "for the first time");
    Send(1, 1100);
    NS_TEST_EXPECT_MSG_EQ(rack.IsFirstAgain(), true, "again");
    rack.MarkTimeout(true, MilliSeconds(1100));
    NS_TEST_EXPECT_MSG_EQ(Lost(), 1, "the first in any case");
    Ack(1101, 1, {{2, 4}});
    Ack(1102, 2);
    NS_TEST_EXPECT_MSG_EQ(rack.GetSegments(), 2, "the peer stops in front of what it told of");
    rack.MarkTimeout(true, MilliSeconds(3000));
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 2 * RACK_MSS, "and has given it up (RFC 2018)");
}

/// What is sent again in parts, acknowledged in parts, or told of in parts.
IWARP_TEST(tcpRack, "parts of segments", RackTest)
{
    Send(0, 0);
    Send(1, 0);
    Send(2, 0);
    TcpRack::Ack ack;
    ack.now = MilliSeconds(100);
    ack.ack = RACK_START + 300;
    ack.blocks = {{At(1), At(1) + 600}, {At(2) + 500, At(3)}};
    rack.NotifyAck(ack);
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 2700, "a part is acknowledged");
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 0, "parts are no segments");
    NS_TEST_EXPECT_MSG_EQ(rack.GetRoundTrips().IsKnown(), false, "nor do they measure");
    ack.blocks = {{At(2), At(3)}, {At(1) + 600, At(2)}};
    rack.NotifyAck(ack);
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 2, "the rest makes them some");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 700, "the first");
    rack.MarkTimeout(false, MilliSeconds(300));
    rack.NotifySent(RACK_START + 300, 400, MilliSeconds(300));
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 400, "a part is sent again");
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 2, "which tells of none");
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(0) == TcpRack::Block(RACK_START + 700, At(1))),
                          true,
                          "the rest waits");
    ack.ack = RACK_START + 700;
    ack.now = MilliSeconds(400);
    rack.NotifyAck(ack);
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 0, "it has come");
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 300, "the rest waits");
    ack.ack = At(3);
    rack.NotifyAck(ack);
    NS_TEST_EXPECT_MSG_EQ(rack.GetSegments(), 0, "all has come");
}

/// Each part of what was sent again has been sent again.
IWARP_TEST(tcpRack, "parts of what was sent again", RackTest)
{
    Send(0, 0);
    Send(0, 100);
    rack.NotifySent(RACK_START + 500, 500, MilliSeconds(200));
    NS_TEST_EXPECT_MSG_EQ(rack.IsFirstAgain(), true, "the part in front of what goes once more");
}

/// What was sent after all that has arrived is not lost, however late it is, and no part of it,
/// when the other is sent again (RFC 8985 section 6.2, step 5).
IWARP_TEST(tcpRack, "parts of what nothing has overtaken", RackTest)
{
    for (const uint32_t cut : {1U, 500U, 999U})
    {
        TcpRack fresh(RACK_START, 3, Seconds(300));
        fresh.NotifySent(At(0), RACK_MSS, MilliSeconds(0));
        fresh.NotifySent(At(1), RACK_MSS, MilliSeconds(50));
        TcpRack::Ack ack;
        ack.now = MilliSeconds(100);
        ack.ack = At(1);
        fresh.NotifyAck(ack);
        NS_TEST_EXPECT_MSG_EQ(fresh.DetectLosses(false, MilliSeconds(100)).octets, 0, cut);
        fresh.NotifySent(At(1) + cut, RACK_MSS - cut, MilliSeconds(110));
        NS_TEST_EXPECT_MSG_EQ(fresh.GetSegments(), 2, "two parts");
        NS_TEST_EXPECT_MSG_EQ(fresh.DetectLosses(false, Seconds(5)).octets, 0, cut);
        NS_TEST_EXPECT_MSG_EQ(fresh.GetInFlight(), RACK_MSS, "all of it is on its way");
        ack.now = Seconds(6);
        ack.blocks = {{At(1) + cut, At(2)}};
        fresh.NotifyAck(ack);
        NS_TEST_EXPECT_MSG_EQ(fresh.DetectLosses(false, Seconds(6)).octets, cut, "overtaken");
    }
}

/// Segments that are lost in a row may be cut anew.
IWARP_TEST(tcpRack, "what is sent together is one segment", RackTest)
{
    for (uint32_t n = 0; n < 5; ++n)
    {
        Send(n, 0);
    }
    Ack(100, 0, {{3, 4}});
    Look(125);
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(1500) == TcpRack::Block(At(0), At(2))), true, "enough");
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(9000) == TcpRack::Block(At(0), At(3))), true, "all");
    rack.NotifySent(At(0), 1500, MilliSeconds(125));
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(9000) == TcpRack::Block(At(0) + 1500, At(3))),
                          true,
                          "the rest");
    NS_TEST_EXPECT_MSG_EQ(rack.GetSegments(), 5, "one of 1500, 500, and the others");
    rack.NotifySent(At(0) + 1500, 1500, MilliSeconds(125));
    NS_TEST_EXPECT_MSG_EQ(rack.GetSegments(), 4, "two of 1500");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 4000, "with the last");
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 0, "nothing is left");
    Ack(225, 0, {{2, 4}});
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 1, "a part of the second");
    Ack(225, 0, {{1, 4}});
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 2, "all of it");
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 2500, "the first, at the same time, and the last");
}

/// The rest of a segment that is sent again in part is a segment: told of, if all of it was (RFC
/// 2018). So is what is sent again though all of it was.
IWARP_TEST(tcpRack, "parts of segments of which the peer has told", RackTest)
{
    Send(0, 0);
    Send(1, 0);
    Send(2, 0);
    TcpRack::Ack ack;
    ack.ack = RACK_START;
    ack.now = MilliSeconds(100);
    ack.blocks = {{At(0) + 600, At(1) + 400}, {At(2), At(3)}};
    rack.NotifyAck(ack);
    rack.MarkTimeout(false, MilliSeconds(300));
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 2 * RACK_MSS, "no segment is told of in full");
    rack.NotifySent(At(0), 600, MilliSeconds(300));
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 2, "the rest is");
    NS_TEST_EXPECT_MSG_EQ((rack.FindLost(0) == TcpRack::Block(At(1), At(2))), true, "the second");
    rack.NotifySent(At(1) + 400, 600, MilliSeconds(300));
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 3, "what is in front of a part, too");
    NS_TEST_EXPECT_MSG_EQ(rack.GetLost(), 0, "nothing is left");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 1200, "two parts");
    rack.NotifySent(At(0) + 600, 400, MilliSeconds(310));
    NS_TEST_EXPECT_MSG_EQ(rack.GetSackedSegments(), 3, "sent once more for nothing");
    NS_TEST_EXPECT_MSG_EQ(rack.GetInFlight(), 1200, "it is there already");
}

/// Random connections whose segments are cut anew each time, and whose peer tells of any octets:
/// RACK names nothing as lost that ns-3's scoreboard, by which it is sent, has as told of.
struct RackAgainstScoreboardTest : TestCase
{
    using TestCase::TestCase;

    /// @param seed of the numbers @return false if the law does not hold
    bool Play(uint32_t seed)
    {
        random.seed(RandomSeed(seed));
        rack.emplace(Seq(1), 3, Time(0));
        board = CreateObject<TcpTxBuffer>(1);
        board->SetMaxBufferSize(1000000);
        board->SetSackEnabled(true);
        board->SetDupAckThresh(1000000); // what is lost is for RACK to say
        board->SetRWndCallback(MakeCallback(&RackAgainstScoreboardTest::GetWindow, this));
        arrived.clear();
        told.clear();
        una = 1;
        now = Time(0);
        for (int step = 0; step < 300; ++step)
        {
            now += MicroSeconds(Pick(4000));
            switch (Pick(6))
            {
            case 0:
                SendNew(1 + Pick(40));
                break;
            case 1:
                if (Pick(8) == 0)
                {
                    rack->MarkTimeout(true, now);
                }
                break;
            case 2:
                SendProbe(1 + Pick(40));
                break;
            case 3:
                Acknowledge();
                break;
            default:
                if (!SendLost(1 + Pick(40)))
                {
                    return false;
                }
            }
        }
        return true;
    }

    uint32_t Pick(uint32_t n) //!< @param n limit @return number below it
    {
        return static_cast<uint32_t>(random() % n);
    }

    uint32_t GetWindow() //!< @return receive window
    {
        return 1000000;
    }

    void SendNew(uint32_t size) //!< @param size octets
    {
        const Seq next = rack->GetNext();
        board->Add(Create<Packet>(size));
        board->CopyFromSequence(size, next);
        rack->NotifySent(next, size, now);
    }

    /// @param first octet @param size octets @return none of them is told of to the scoreboard
    bool SendAgain(Seq first, uint32_t size)
    {
        const auto at = told.lower_bound(first.GetValue());
        if (at != told.end() && *at < (first + size).GetValue())
        {
            return false;
        }
        rack->NotifySent(first, board->CopyFromSequence(size, first)->GetSeqSize(), now);
        return true;
    }

    bool SendLost(uint32_t mss) //!< @param mss octets at most @return the law holds
    {
        const auto [first, end] = rack->FindLost(mss);
        return first == end || SendAgain(first, std::min(static_cast<uint32_t>(end - first), mss));
    }

    void SendProbe(uint32_t mss) //!< of the last segment @param mss octets at most
    {
        const auto [first, end] = rack->FindLast();
        if (first != end && rack->GetSackedSegments() == 0)
        {
            const uint32_t size = std::min(static_cast<uint32_t>(end - first), mss);
            SendAgain(end - size, size);
        }
    }

    void Acknowledge()
    {
        const uint32_t next = rack->GetNext().GetValue();
        for (uint32_t i = Pick(3); i > 0 && una < next; --i)
        {
            const uint32_t first = una + Pick(next - una);
            for (uint32_t n = first; n < std::min(next, first + 1 + Pick(60)); ++n)
            {
                arrived.insert(n);
            }
        }
        while (arrived.erase(una) > 0)
        {
            ++una;
        }
        TcpRack::Ack ack;
        ack.ack = Seq(una);
        ack.now = now;
        for (const uint32_t n : arrived)
        {
            if (!ack.blocks.empty() && ack.blocks.back().second == Seq(n))
            {
                ack.blocks.back().second = Seq(n + 1);
            }
            else
            {
                ack.blocks.emplace_back(n, n + 1);
            }
        }
        while (ack.blocks.size() > 3)
        {
            ack.blocks.erase(ack.blocks.begin() + Pick(static_cast<uint32_t>(ack.blocks.size())));
        }
        rack->NotifyAck(ack);
        rack->DetectLosses(true, now);
        board->DiscardUpTo(ack.ack);
        if (!ack.blocks.empty())
        {
            board->Update({ack.blocks.begin(), ack.blocks.end()},
                          MakeCallback(&RackAgainstScoreboardTest::NoteTold, this));
        }
    }

    void NoteTold(TcpTxItem* item) //!< @param item that the scoreboard has as told of
    {
        std::stringstream text; // which begins with "[first;"
        item->Print(text);
        char bracket = 0;
        uint32_t first = 0;
        text >> bracket >> first;
        for (uint32_t n = 0; n < item->GetSeqSize(); ++n)
        {
            told.insert(first + n);
        }
    }

    std::mt19937 random;         //!< numbers
    std::optional<TcpRack> rack; //!< what is tested
    Ptr<TcpTxBuffer> board;      //!< what it is to agree with
    std::set<uint32_t> arrived;  //!< octets behind a hole
    std::set<uint32_t> told;     //!< octets that the scoreboard has as told of
    uint32_t una{1};             //!< first octet that has not arrived
    Time now;                    //!< the clock
};

IWARP_TEST(tcpRack, "nothing is lost of which the scoreboard was told", RackAgainstScoreboardTest)
{
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        NS_TEST_EXPECT_MSG_EQ(Play(seed), true, "seed " << RandomSeed(seed));
    }
    board = nullptr;
}

/// SRTT (RFC 6298), and the least RTT of a while.
IWARP_TEST(tcpRack, "round-trip times")
{
    TcpRoundTrips trips(Seconds(10));
    NS_TEST_EXPECT_MSG_EQ(trips.GetLeast(), Time(0), "nothing is known");
    trips.Measure(MicroSeconds(80), MicroSeconds(40), Seconds(1));
    NS_TEST_EXPECT_MSG_EQ(trips.GetSmoothed(), MicroSeconds(80), "the first");
    trips.Measure(MicroSeconds(160), MicroSeconds(50), Seconds(2));
    NS_TEST_EXPECT_MSG_EQ(trips.GetSmoothed(), MicroSeconds(90), "7/8 and 1/8");
    NS_TEST_EXPECT_MSG_EQ(trips.GetLeast(), MicroSeconds(40), "the least");
    trips.Measure(MicroSeconds(90), MicroSeconds(60), Seconds(6));
    NS_TEST_EXPECT_MSG_EQ(trips.GetLeast(), MicroSeconds(40), "still counts");
    trips.Measure(MicroSeconds(90), MicroSeconds(70), Seconds(11));
    NS_TEST_EXPECT_MSG_EQ(trips.GetLeast(), MicroSeconds(60), "counts no more");
    trips.Measure(MicroSeconds(90), MicroSeconds(80), Seconds(40));
    NS_TEST_EXPECT_MSG_EQ(trips.GetLeast(), MicroSeconds(80), "all is long ago");
    TcpRoundTrips ever{Time(0)};
    ever.Measure(MicroSeconds(80), MicroSeconds(40), Seconds(1));
    ever.Measure(MicroSeconds(80), MicroSeconds(80), Seconds(100000));
    NS_TEST_EXPECT_MSG_EQ(ever.GetLeast(), MicroSeconds(40), "for ever");
}

/// When a probe is due, and what its ACK means (section 7).
IWARP_TEST(tcpRack, "RFC 8985 7: tail loss probes")
{
    TcpTailLossProbe::Situation situation{Time(0), true, MilliSeconds(200), Seconds(3)};
    NS_TEST_EXPECT_MSG_EQ(TcpTailLossProbe::GetTimeout(situation), Seconds(1), "no SRTT");
    situation.smoothed = MilliSeconds(100);
    NS_TEST_EXPECT_MSG_EQ(TcpTailLossProbe::GetTimeout(situation), MilliSeconds(400), "one");
    situation.lone = false;
    NS_TEST_EXPECT_MSG_EQ(TcpTailLossProbe::GetTimeout(situation), MilliSeconds(200), "more");
    situation.retransmit = MilliSeconds(150);
    NS_TEST_EXPECT_MSG_EQ(TcpTailLossProbe::GetTimeout(situation), MilliSeconds(150), "the RTO");

    TcpTailLossProbe probe;
    NS_TEST_EXPECT_MSG_EQ(probe.IsAllowed(), false, "no round trip was measured");
    const auto begin = [this, &probe](bool again) {
        probe.NotifyMeasured();
        NS_TEST_EXPECT_MSG_EQ(probe.IsAllowed(), true, "one may be sent");
        probe.NotifySent(At(4), again);
        NS_TEST_EXPECT_MSG_EQ(probe.IsAllowed(), false, "one is outstanding");
    };
    begin(false);
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(3), {}, false}), false, "not yet");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), true, "not yet");
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(4), {}, false}), false, "new octets");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), false, "have come");
    NS_TEST_EXPECT_MSG_EQ(probe.IsAllowed(), false, "an RTT has to be measured");
    begin(true);
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(4), {}, false}), false, "one of both has come");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), true, "one of both has come");
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(4), At(3), false}), false, "another duplicate");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), true, "another duplicate");
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(4), At(4), false}), false, "case 1");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), false, "case 1");
    begin(true);
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(4), {}, true}), false, "case 2");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), false, "case 2");
    begin(true);
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(5), {}, false}), true, "a loss was repaired");
    NS_TEST_EXPECT_MSG_EQ(probe.IsOutstanding(), false, "a loss was repaired");
    begin(true);
    probe.Reset();
    NS_TEST_EXPECT_MSG_EQ(probe.NotifyAck({At(5), {}, false}), false, "recovery sees to it");
}

/// RFC 8985's pseudocode of sections 6.1 to 6.3, as it is written, over a list of all segments.
class RackPseudocode
{
  public:
    /// A segment.
    struct Segment
    {
        uint32_t n;                //!< number: end_seq counts segments here
        Time xmit_ts;              //!< as in the RFC
        bool lost{false};          //!< as in the RFC
        bool retransmitted{false}; //!< as in the RFC
        bool sacked{false};        //!< it was told of
    };

    void Send(uint32_t n, Time now) //!< @param n segment @param now the clock
    {
        for (auto& segment : segments)
        {
            if (segment.n == n)
            {
                segment.retransmitted = true;
                segment.xmit_ts = now;
                segment.lost = false;
                return;
            }
        }
        segments.push_back({n, now});
    }

    /// @param t1 time @param seq1 number @param t2 time @param seq2 number @return RACK_sent_after
    static bool SentAfter(Time t1, uint32_t seq1, Time t2, uint32_t seq2)
    {
        return t1 > t2 || (t1 == t2 && seq1 > seq2);
    }

    /// @param upTo segments acknowledged @param sacked those told of @param dsack as a DSACK
    /// @param exiting recovery ends @param now the clock
    void Ack(uint32_t upTo, const std::vector<uint32_t>& sacked, bool dsack, bool exiting, Time now)
    {
        std::vector<Segment> newly;
        for (auto& segment : segments)
        {
            const bool told = std::find(sacked.begin(), sacked.end(), segment.n) != sacked.end();
            if (!segment.sacked && (segment.n < upTo || told))
            {
                newly.push_back(segment);
                segment.sacked = true;
            }
        }
        UpdateRtt(newly, now);
        Update(newly, now);
        for (const auto& segment : newly) // RACK_detect_reordering, by end_seq
        {
            if (segment.n + 1 > fack)
            {
                fack = segment.n + 1;
            }
            else if (segment.n + 1 < fack && !segment.retransmitted)
            {
                reordering_seen = true;
            }
        }
        segments.erase(std::remove_if(segments.begin(),
                                      segments.end(),
                                      [&](const Segment& s) { return s.n < upTo; }),
                       segments.end());
        UpdateWindow(upTo, dsack, exiting);
    }

    /// @param newly acknowledged @param now the clock: step 1 and RFC 6298
    void UpdateRtt(const std::vector<Segment>& newly, Time now)
    {
        Time first{-1};
        for (const auto& segment : newly)
        {
            if (!segment.retransmitted)
            {
                min_rtt = std::min(min_rtt, now - segment.xmit_ts);
                first = first < Time(0) ? segment.xmit_ts : std::min(first, segment.xmit_ts);
            }
        }
        if (first >= Time(0))
        {
            srtt = srtt.IsZero() ? now - first : srtt + (now - first - srtt) / 8;
        }
    }

    void Update(std::vector<Segment> newly, Time now) //!< @param newly acked @param now the clock
    {
        std::sort(newly.begin(), newly.end(), [](const Segment& a, const Segment& b) {
            return SentAfter(b.xmit_ts, b.n, a.xmit_ts, a.n);
        });
        for (const auto& segment : newly)
        {
            if (segment.retransmitted && now - segment.xmit_ts < min_rtt)
            {
                continue;
            }
            rtt = now - segment.xmit_ts;
            if (SentAfter(segment.xmit_ts, segment.n + 1, xmit_ts, end_seq))
            {
                xmit_ts = segment.xmit_ts;
                end_seq = segment.n + 1;
            }
        }
        std::sort(newly.begin(), newly.end(), [](const Segment& a, const Segment& b) {
            return a.n < b.n;
        });
    }

    /// @param una SND.UNA @param dsack as a DSACK @param exiting recovery ends
    void UpdateWindow(uint32_t una, bool dsack, bool exiting)
    {
        if (round && una >= *round)
        {
            round.reset();
        }
        if (!round && dsack)
        {
            round = next;
            mult += 1;
            persist = 16;
        }
        else if (exiting)
        {
            persist -= 1;
            if (persist <= 0)
            {
                mult = 1;
            }
        }
    }

    Time Window(bool recovering) const //!< @param recovering so @return RACK.reo_wnd
    {
        const auto sacked = std::count_if(segments.begin(), segments.end(), [](const Segment& s) {
            return s.sacked;
        });
        if (!reordering_seen && (recovering || sacked >= 3))
        {
            return Time(0);
        }
        return srtt.IsZero() ? Time(0) : std::min(mult * min_rtt / 4, srtt);
    }

    /// @param recovering so @param now the clock @return timeout of RACK_detect_loss
    Time Detect(bool recovering, Time now)
    {
        Time timeout(0);
        for (auto& segment : segments)
        {
            if (segment.sacked || segment.lost ||
                !SentAfter(xmit_ts, end_seq, segment.xmit_ts, segment.n + 1))
            {
                continue;
            }
            const Time remaining = segment.xmit_ts + rtt + Window(recovering) - now;
            if (remaining <= Time(0))
            {
                segment.lost = true;
            }
            else
            {
                timeout = std::max(remaining, timeout);
            }
        }
        return timeout;
    }

    void TimeOut(bool recovering, Time now) //!< @param recovering so @param now the clock
    {
        for (auto& segment : segments)
        {
            if (!segment.sacked && (segment.n == segments.front().n ||
                                    segment.xmit_ts + rtt + Window(recovering) - now <= Time(0)))
            {
                segment.lost = true;
            }
        }
    }

    std::deque<Segment> segments;  //!< outstanding
    uint32_t next{0};              //!< SND.NXT
    Time xmit_ts{-1};              //!< RACK.xmit_ts
    uint32_t end_seq{0};           //!< RACK.end_seq
    Time rtt;                      //!< RACK.rtt
    Time min_rtt{Seconds(1000)};   //!< RACK.min_RTT
    Time srtt;                     //!< SRTT
    uint32_t fack{0};              //!< RACK.fack
    bool reordering_seen{false};   //!< RACK.reordering_seen
    std::optional<uint32_t> round; //!< RACK.dsack_round
    int64_t mult{1};               //!< RACK.reo_wnd_mult
    int persist{0};                //!< RACK.reo_wnd_persist
};

/// Random connections: what TcpRack finds is what the pseudocode finds, at each event.
struct RackAgainstPseudocodeTest : TestCase
{
    using TestCase::TestCase;

    /// @param seed of the numbers
    void Play(uint32_t seed)
    {
        random.seed(RandomSeed(seed));
        rack.emplace(RACK_START, 3, Time(0));
        model = RackPseudocode();
        arrived.clear();
        recovering = false;
        una = 0;
        now = Time(0);
        for (int step = 0; step < 400; ++step)
        {
            now += MicroSeconds(Pick(3) == 0 ? 0 : Pick(4000));
            switch (Pick(8))
            {
            case 0:
            case 1:
                SendNew(1 + Pick(4));
                break;
            case 2:
            case 3:
                SendLost(1 + Pick(3));
                break;
            case 4:
                TimeOut();
                break;
            default:
                Acknowledge();
            }
            Compare(seed, step);
        }
    }

    /// @param n limit @return number below it
    uint32_t Pick(uint32_t n)
    {
        return static_cast<uint32_t>(random() % n); // the same everywhere, as distributions are not
    }

    void Send(uint32_t n) //!< @param n segment
    {
        rack->NotifySent(At(n), RACK_MSS, now);
        model.Send(n, now);
    }

    void SendNew(uint32_t count) //!< @param count of segments
    {
        for (; count > 0; --count)
        {
            Send(model.next++);
        }
    }

    void SendLost(uint32_t count) //!< @param count of segments
    {
        for (auto lost = rack->FindLost(0); count > 0 && lost.first < lost.second; --count)
        {
            Send(static_cast<uint32_t>(lost.first - RACK_START) / RACK_MSS);
            lost = rack->FindLost(0);
        }
    }

    void TimeOut()
    {
        if (Pick(20) == 0 && !model.segments.empty() && !model.segments.front().sacked)
        {
            rack->MarkTimeout(recovering, now);
            model.TimeOut(recovering, now);
            recovering = true;
            recover = model.next;
        }
        else
        {
            Detect();
        }
    }

    void Acknowledge()
    {
        for (auto& segment : model.segments)
        { // some have arrived since, in any order, lost ones as well
            if (Pick(4) == 0)
            {
                arrived.insert(segment.n);
            }
        }
        while (arrived.count(una) > 0)
        {
            arrived.erase(una++);
        }
        TcpRack::Ack ack;
        ack.ack = At(una);
        ack.now = now;
        ack.duplicate = Pick(10) == 0;
        ack.recovered = recovering && una >= recover;
        recovering = recovering && !ack.recovered;
        for (const uint32_t n : arrived)
        {
            if (!ack.blocks.empty() && ack.blocks.back().second == At(n))
            {
                ack.blocks.back().second = At(n + 1);
            }
            else
            {
                ack.blocks.emplace_back(At(n), At(n + 1));
            }
        }
        std::reverse(ack.blocks.begin(), ack.blocks.end());
        rack->NotifyAck(ack);
        model.Ack(una, {arrived.begin(), arrived.end()}, ack.duplicate, ack.recovered, now);
        Detect();
    }

    void Detect()
    {
        const auto losses = rack->DetectLosses(recovering, now);
        NS_TEST_EXPECT_MSG_EQ(losses.wait, model.Detect(recovering, now), "time to wait");
        if (losses.octets > 0 && !recovering)
        {
            recovering = true;
            recover = model.next;
        }
    }

    void Compare(uint32_t seed, int step) //!< @param seed of the case @param step of it
    {
        uint32_t lost = 0;
        uint32_t flight = 0;
        int64_t first = -1;
        for (const auto& segment : model.segments)
        {
            first = segment.lost && !segment.sacked && first < 0 ? segment.n : first;
            lost += segment.lost && !segment.sacked;
            flight += !segment.lost && !segment.sacked;
        }
        const auto [begin, end] = rack->FindLost(0);
        const int64_t found = begin == end ? -1 : int64_t{begin - RACK_START} / RACK_MSS;
        const std::string where = "seed " + std::to_string(seed) + ", step " + std::to_string(step);
        NS_TEST_EXPECT_MSG_EQ(rack->GetLost(), lost * RACK_MSS, where);
        NS_TEST_EXPECT_MSG_EQ(rack->GetInFlight(), flight * RACK_MSS, where);
        NS_TEST_EXPECT_MSG_EQ(found, first, where);
        NS_TEST_EXPECT_MSG_EQ(rack->GetWindow(recovering), model.Window(recovering), where);
        NS_TEST_EXPECT_MSG_EQ(rack->GetSegments(), model.segments.size(), where);
    }

    std::mt19937 random;         //!< numbers
    std::optional<TcpRack> rack; //!< what is tested
    RackPseudocode model;        //!< what it is to agree with
    std::set<uint32_t> arrived;  //!< segments behind a hole
    bool recovering{false};      //!< recovery is on
    uint32_t recover{0};         //!< until as many segments are acknowledged
    uint32_t una{0};             //!< segments acknowledged
    Time now;                    //!< the clock
};

IWARP_TEST(tcpRack, "RFC 8985 6: its pseudocode, at random", RackAgainstPseudocodeTest)
{
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        Play(seed);
    }
}

/// Reports of duplicates (RFC 2883): what an ACK tells, and what is to be told.
struct DuplicateSackTest : TestCase
{
    using TestCase::TestCase;

    /// @param ack number @param blocks of it @return header
    static TcpHeader Make(uint32_t ack, const std::vector<std::pair<uint32_t, uint32_t>>& blocks)
    {
        TcpHeader header;
        header.SetFlags(TcpHeader::ACK);
        header.SetAckNumber(Seq(ack));
        header.AppendOption(CreateObject<TcpOptionTS>());
        auto option = CreateObject<TcpOptionSack>();
        for (const auto& [left, right] : blocks)
        {
            option->AddSackBlock({Seq(left), Seq(right)});
        }
        if (!blocks.empty())
        {
            header.AppendOption(option);
        }
        return header;
    }

    /// @param header of an ACK @return its blocks
    static std::vector<std::pair<uint32_t, uint32_t>> GetBlocks(const TcpHeader& header)
    {
        std::vector<std::pair<uint32_t, uint32_t>> blocks;
        const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
        for (const auto& [left, right] : option->GetSackList())
        {
            blocks.emplace_back(left.GetValue(), right.GetValue());
        }
        return blocks;
    }
};

IWARP_TEST(tcpRack, "RFC 2883: reports of duplicates", DuplicateSackTest)
{
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicateSack(Make(1000, {})).has_value(), false, "no option");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicateSack(Make(1000, {{2000, 3000}})).has_value(),
                          false,
                          "no duplicate");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicateSack(Make(1000, {{500, 1000}}))->first,
                          Seq(500),
                          "it is acknowledged");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicateSack(Make(1000, {{2000, 2500}, {2000, 3000}}))->second,
                          Seq(2500),
                          "it is a part of the next");
    NS_TEST_EXPECT_MSG_EQ(
        TcpFindDuplicateSack(Make(1000, {{4000, 4500}, {2000, 3000}})).has_value(),
        false,
        "it is not");
    const TcpOptionSack::SackList held{{Seq(3000), Seq(4000)}, {Seq(2000), Seq(2500)}};
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicate(Seq(1000), 1000, Seq(1000), held).has_value(),
                          false,
                          "new octets");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicate(Seq(800), 500, Seq(1000), held)->second,
                          Seq(1000),
                          "up to what is expected");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicate(Seq(1500), 2000, Seq(1000), held)->first,
                          Seq(2000),
                          "the first of two");
    NS_TEST_EXPECT_MSG_EQ(TcpFindDuplicate(Seq(1500), 2000, Seq(1000), held)->second,
                          Seq(2500),
                          "the whole of it");
    const TcpHeader four = Make(1000, {{8000, 9000}, {6000, 7000}, {2000, 3000}});
    const auto blocks = GetBlocks(TcpAddDuplicateSack(four, {Seq(2000), Seq(2500)}));
    NS_TEST_ASSERT_MSG_EQ(blocks.size(), 3, "room beside timestamps");
    NS_TEST_EXPECT_MSG_EQ(blocks[0].second, 2500, "the report");
    NS_TEST_EXPECT_MSG_EQ(blocks[1].first, 2000, "what it is a part of");
    NS_TEST_EXPECT_MSG_EQ(blocks[2].first, 8000, "the newest");
    NS_TEST_EXPECT_MSG_EQ(GetBlocks(TcpAddDuplicateSack(Make(1000, {}), {Seq(1), Seq(2)})).size(),
                          1,
                          "an option of its own");
}

} // namespace
