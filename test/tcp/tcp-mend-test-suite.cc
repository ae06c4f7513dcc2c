/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/tcp-challenge-limit.h"
#include "ns3/tcp-congestion-settings.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-path-mtu-discovery.h"
#include "ns3/tcp-sack-blocks.h"
#include "ns3/tcp-segment-meaning.h"
#include "ns3/tcp-silly-window.h"
#include "ns3/tcp-timestamp-echo.h"

#include <initializer_list>
#include <string>
#include <utility>

/**
 * @file
 * @ingroup iwarp-test
 * What Rfc9293TcpSocket mends of TcpSocketBase, as objects of their own.
 */

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpMend, "tcp-mend");

using Number = SequenceNumber32; //!< of an octet

/// @param flags flags @param seq sequence number @param ack acknowledgment number @return header
TcpHeader
MakeHeader(uint8_t flags, uint32_t seq, uint32_t ack)
{
    TcpHeader header;
    header.SetFlags(flags);
    header.SetSequenceNumber(Number(seq));
    header.SetAckNumber(Number(ack));
    return header;
}

/// Which timestamp is echoed, and which is old (RFC 7323 sections 4.3 and 5.3).
IWARP_TEST(tcpMend, "RFC 7323: timestamps")
{
    TcpTimestampEcho echo;
    echo.Start(0xfffffff0);
    NS_TEST_EXPECT_MSG_EQ(echo.Get(), 0xfffffff0, "that of the SYN");
    echo.Update(Number(101), Number(100), 0xfffffff8);
    NS_TEST_EXPECT_MSG_EQ(echo.Get(), 0xfffffff0, "not that of a segment behind a hole");
    echo.Update(Number(100), Number(100), 5);
    NS_TEST_EXPECT_MSG_EQ(echo.Get(), 5, "that of the next, behind the clock's wrap");
    echo.Update(Number(40), Number(100), 7);
    NS_TEST_EXPECT_MSG_EQ(echo.Get(), 7, "that of one sent again, whose ACK was lost");
    NS_TEST_EXPECT_MSG_EQ(echo.IsOld(7), false, "the same time");
    NS_TEST_EXPECT_MSG_EQ(echo.IsOld(6), true, "a tick before");
    NS_TEST_EXPECT_MSG_EQ(echo.IsOld(0xfffffff8), true, "before the wrap");
    echo.Update(Number(100), Number(100), 6);
    NS_TEST_EXPECT_MSG_EQ(echo.Get(), 7, "the clock never goes back");
}

/// One challenge ACK in an interval (RFC 5961 section 7).
IWARP_TEST(tcpMend, "RFC 5961: challenges are limited")
{
    const Time interval = MilliSeconds(500);
    TcpChallengeLimit limit;
    NS_TEST_EXPECT_MSG_EQ(limit.Allow(Seconds(0), interval), true, "the first, at time 0");
    NS_TEST_EXPECT_MSG_EQ(limit.Allow(MilliSeconds(499), interval), false, "too soon");
    NS_TEST_EXPECT_MSG_EQ(limit.Allow(MilliSeconds(500), interval),
                          true,
                          "what was held "
                          "back does not "
                          "count");
    NS_TEST_EXPECT_MSG_EQ(limit.Allow(MilliSeconds(999), interval), false, "too soon again");
    NS_TEST_EXPECT_MSG_EQ(limit.Allow(MilliSeconds(999), Seconds(0)), true, "no limit");
}

/// The sender's side of avoiding silly windows (RFC 9293 section 3.8.6.2.1).
IWARP_TEST(tcpMend, "RFC 9293: silly windows are avoided")
{
    TcpSendAllowance allowance;
    allowance.limit = 1000;
    allowance.window = 1000;
    allowance.offered = 1000;
    allowance.widest = 65535;
    allowance.unsent = 5000;
    auto choice = TcpChooseSegment(1000, allowance);
    NS_TEST_EXPECT_MSG_EQ(choice.size, 1000, "a full segment fits");
    choice = TcpChooseSegment(1460, allowance);
    NS_TEST_EXPECT_MSG_EQ(choice.size, 0, "it does not: an ACK will come");
    NS_TEST_EXPECT_MSG_EQ(choice.wanted, 1460, "what it waits for");
    NS_TEST_EXPECT_MSG_EQ(choice.mayOverride, false, "without a timer");
    allowance.unsent = 1000;
    NS_TEST_EXPECT_MSG_EQ(TcpChooseSegment(1460, allowance).size, 1000, "all that there is");
    allowance.unsent = 5000;
    allowance.idle = true;
    choice = TcpChooseSegment(1460, allowance);
    NS_TEST_EXPECT_MSG_EQ(choice.size, 0, "no ACK will come");
    NS_TEST_EXPECT_MSG_EQ(choice.mayOverride, true, "so that a timer has to end the wait");
    allowance.overridden = true;
    NS_TEST_EXPECT_MSG_EQ(TcpChooseSegment(1460, allowance).size, 1000, "which it does");
    allowance.overridden = false;
    allowance.widest = 2000;
    NS_TEST_EXPECT_MSG_EQ(TcpChooseSegment(1460, allowance).size, 1000, "half the widest");
    allowance.widest = 2001;
    NS_TEST_EXPECT_MSG_EQ(TcpChooseSegment(1460, allowance).size, 0, "less than that");
    allowance.offered = 1001;
    NS_TEST_EXPECT_MSG_EQ(TcpChooseSegment(1460, allowance).size, 1000, "congestion it is");
}

/// SACK blocks that cannot be are left out, and octets given up are noticed (RFC 2018).
struct SackBlocksTest : TestCase
{
    using TestCase::TestCase;

    using Blocks = std::initializer_list<std::pair<uint32_t, uint32_t>>; //!< of an ACK

    /// @param ack acknowledgment number @param blocks of the peer @return header
    static TcpHeader Ack(uint32_t ack, Blocks blocks)
    {
        TcpHeader header = MakeHeader(TcpHeader::ACK, 7, ack);
        header.SetWindowSize(9);
        auto timestamps = CreateObject<TcpOptionTS>();
        header.AppendOption(timestamps);
        auto option = CreateObject<TcpOptionSack>();
        for (const auto& [left, right] : blocks)
        {
            option->AddSackBlock({Number(left), Number(right)});
        }
        header.AppendOption(option);
        return header;
    }

    /// @param header of an ACK @return how many blocks it has
    static uint32_t Count(const TcpHeader& header)
    {
        const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
        return option ? option->GetNumSackBlocks() : 0;
    }
};

IWARP_TEST(tcpMend, "RFC 2018: blocks", SackBlocksTest)
{
    const Number head(1000);
    const Number sent(5000);
    TcpSackBlocks blocks;
    const auto filter = [&](uint32_t ack, Blocks list) {
        return blocks.Filter(Ack(ack, list), head, sent, true);
    };
    NS_TEST_EXPECT_MSG_EQ(filter(1000, {{2000, 3000}, {4000, 5000}}).has_value(),
                          false,
                          "all can be");
    for (const Blocks& wrong : {Blocks{{1000, 2000}},  // holds the octet expected next
                                Blocks{{500, 900}},    // came twice (RFC 2883)
                                Blocks{{4000, 5001}},  // was not sent
                                Blocks{{3000, 3000}},  // is none
                                Blocks{{3000, 2000}}}) // is none
    {
        auto header = filter(1000, wrong);
        NS_TEST_ASSERT_MSG_EQ(header.has_value(), true, "cannot be");
        NS_TEST_EXPECT_MSG_EQ(Count(*header), 0, "is left out");
        NS_TEST_EXPECT_MSG_EQ(header->HasOption(TcpOption::SACK), false, "with the option");
        NS_TEST_EXPECT_MSG_EQ(header->HasOption(TcpOption::TS), true, "not with others");
        NS_TEST_EXPECT_MSG_EQ(header->GetWindowSize(), 9, "and the rest stays");
        NS_TEST_EXPECT_MSG_EQ(header->GetAckNumber(), Number(1000), "and the rest stays");
    }
    auto one = filter(1000, {{500, 900}, {2000, 3000}});
    NS_TEST_ASSERT_MSG_EQ(one.has_value(), true, "one cannot be");
    NS_TEST_EXPECT_MSG_EQ(Count(*one), 1, "the other stays");
    NS_TEST_EXPECT_MSG_EQ(Count(*blocks.Filter(Ack(1000, {{2000, 3000}}), head, sent, false)),
                          0,
                          "who has not agreed to SACK has no blocks");

    NS_TEST_EXPECT_MSG_EQ(blocks.Acknowledge(Number(1500), sent), false, "it goes on");
    NS_TEST_EXPECT_MSG_EQ(blocks.Acknowledge(Number(2000), sent),
                          true,
                          "what was told of follows, and is not acknowledged");
    NS_TEST_EXPECT_MSG_EQ(blocks.Acknowledge(Number(4000), sent), false, "told once");
    filter(4000, {{4500, 5000}});
    NS_TEST_EXPECT_MSG_EQ(blocks.Acknowledge(Number(5000), sent), false, "all is there");
}

/// What a segment means for who connects, and for who ends (RFC 9293 section 3.10.7).
struct SegmentMeaningTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint8_t SYN = TcpHeader::SYN; //!< flag
    static constexpr uint8_t ACK = TcpHeader::ACK; //!< flag
    static constexpr uint8_t RST = TcpHeader::RST; //!< flag
    static constexpr uint8_t FIN = TcpHeader::FIN; //!< flag

    /// @param flags of a segment @param seq its sequence number @param ack what it acknowledges
    /// @param state of who gets it, whose SYN has 100 @return what it means
    static TcpHandshakeSegment Shake(uint8_t flags,
                                     uint32_t seq,
                                     uint32_t ack,
                                     TcpSocket::TcpStates_t state,
                                     bool active)
    {
        return {MakeHeader(flags, seq, ack), Number(100), Number(501), state, active};
    }

    /// @param flags of a segment @param ack what it acknowledges @param state of who gets it, whose
    /// last octet has 199 @param finished the peer's FIN has come @return what it means
    static TcpClosingSegment End(uint8_t flags,
                                 uint32_t ack,
                                 TcpSocket::TcpStates_t state,
                                 bool finished)
    {
        TcpHeaderFields fields;
        fields.flags = flags;
        fields.ack = ack;
        return {fields, state, Number(200), finished};
    }
};

IWARP_TEST(tcpMend, "RFC 9293: the handshake and the end", SegmentMeaningTest)
{
    const auto sent = TcpSocket::SYN_SENT;
    const auto rcvd = TcpSocket::SYN_RCVD;
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN | ACK, 500, 101, sent, true).opens, true, "answer");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN, 500, 0, sent, true).opens, true, "it connects, too");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN | ACK, 500, 100, sent, true).good, false, "wrong ACK");
    NS_TEST_EXPECT_MSG_EQ(Shake(ACK, 500, 101, sent, true).good, false, "no SYN");
    NS_TEST_EXPECT_MSG_EQ(Shake(0, 500, 0, sent, true).good, false, "octets without ACK");
    NS_TEST_EXPECT_MSG_EQ(Shake(RST | ACK, 0, 101, sent, true).matches, true, "refused");
    NS_TEST_EXPECT_MSG_EQ(Shake(RST, 0, 0, sent, true).good, false, "anybody can send that");
    NS_TEST_EXPECT_MSG_EQ(Shake(ACK, 501, 101, rcvd, false).good, true, "a listener's ACK");
    NS_TEST_EXPECT_MSG_EQ(Shake(ACK, 501, 99, rcvd, false).good, false, "wrong ACK");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN, 500, 0, rcvd, false).opens, true, "the same SYN");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN, 600, 0, rcvd, false).good, false, "another SYN");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN | ACK, 500, 101, rcvd, true).completes, true, "figure 8");
    NS_TEST_EXPECT_MSG_EQ(Shake(SYN | ACK, 600, 101, rcvd, true).old, true, "not the peer's");

    const auto last = TcpSocket::LAST_ACK;
    const auto wait = TcpSocket::CLOSE_WAIT;
    NS_TEST_EXPECT_MSG_EQ(End(ACK, 200, last, true).ackOfData, true, "the FIN has 200");
    NS_TEST_EXPECT_MSG_EQ(End(ACK, 201, last, true).ackOfData, false, "ACK of the FIN");
    NS_TEST_EXPECT_MSG_EQ(End(FIN | ACK, 201, wait, true).again, true, "FIN again");
    NS_TEST_EXPECT_MSG_EQ(End(FIN | ACK, 201, wait, false).again, false, "the first");
    NS_TEST_EXPECT_MSG_EQ(End(FIN | ACK, 150, TcpSocket::ESTABLISHED, false).ackWithFin,
                          true,
                          "its ACK counts");
    NS_TEST_EXPECT_MSG_EQ(End(RST | ACK, 0, wait, true).reset, true, "reset");
    NS_TEST_EXPECT_MSG_EQ(End(RST, 0, TcpSocket::CLOSED, true).reset, false, "of nothing");
}

/// The life of a probe (RFC 4821), and what ICMP tells (RFC 1191).
IWARP_TEST(tcpMend, "RFC 4821: a probe's life")
{
    using Probing = TcpMtuSettings::Probing;
    const TcpMtuSettings always{Probing::ALWAYS, 1024, 3, Seconds(600), false};
    TcpPathMtuDiscovery path;
    path.GetSizes().routeMtu = 9000;
    path.Start({Probing::BLACK_HOLE, 1024, 3, Seconds(600), false}, false, Seconds(0));
    NS_TEST_EXPECT_MSG_EQ(path.IsSearching(), false, "there is no reason yet");
    path.Start(always, false, Seconds(0));
    NS_TEST_EXPECT_MSG_EQ(path.IsSearching(), true, "from the start");
    uint32_t emss = path.GetSizes().GetEmss(false);
    NS_TEST_EXPECT_MSG_EQ(emss, 1024, "with BaseMss");
    const uint32_t probe = path.AllowProbe(emss, false, Seconds(1));
    NS_TEST_EXPECT_MSG_EQ(probe, (1064 + 9000) / 2 - 40, "half way");
    NS_TEST_EXPECT_MSG_EQ(path.GetAllowedProbe(), probe, "it is allowed");
    path.PlaceProbe(Number(100), probe);
    NS_TEST_EXPECT_MSG_EQ(path.GetAllowedProbe(), 0, "there is one");
    NS_TEST_EXPECT_MSG_EQ(path.FindProbe(Number(100)), probe, "here");
    NS_TEST_EXPECT_MSG_EQ(path.FindProbe(Number(101)), 0, "not there");
    NS_TEST_EXPECT_MSG_EQ(path.IsProbeSent(Number(100)), false, "not sent yet");
    NS_TEST_EXPECT_MSG_EQ(path.NotifyLost(Number(100), probe, Number(100), false, Seconds(1)),
                          false,
                          "what was not sent cannot be lost");
    const Number behind(100 + probe);
    NS_TEST_EXPECT_MSG_EQ(path.NotifyAcknowledged(behind - 1, false, Seconds(1)),
                          false,
                          "an octet is missing");
    NS_TEST_EXPECT_MSG_EQ(path.NotifyAcknowledged(behind, false, Seconds(1)), true, "arrived");
    emss = path.GetSizes().GetEmss(false);
    NS_TEST_EXPECT_MSG_EQ(emss, probe, "segments are as long now");

    const uint32_t next = path.AllowProbe(emss, false, Seconds(2));
    path.PlaceProbe(behind, next);
    NS_TEST_EXPECT_MSG_EQ(path.NotifyLost(behind, emss, behind + next, false, Seconds(2)),
                          true,
                          "lost");
    NS_TEST_EXPECT_MSG_EQ(path.HasProbe(), false, "there is none any more");
    NS_TEST_EXPECT_MSG_LT(path.AllowProbe(emss, false, Seconds(2)), next, "a smaller one");
    NS_TEST_EXPECT_MSG_EQ(path.EndProbe(), true, "which had no place yet");

    // its first octet sent again behind others that are lost is no proof of it any more, nor is it
    // known why it was lost (RFC 4821 section 7.6)
    const uint32_t third = path.AllowProbe(emss, false, Seconds(2));
    path.PlaceProbe(Number(20300), third);
    const Number sent(20300 + third);
    NS_TEST_EXPECT_MSG_EQ(path.NotifyLost(Number(20000), 300, sent, false, Seconds(2)),
                          false,
                          "what is before it");
    NS_TEST_EXPECT_MSG_EQ(path.NotifyLost(Number(20301), emss, sent, false, Seconds(2)),
                          false,
                          "what is in it: its first octet is still the probe's");
    NS_TEST_EXPECT_MSG_EQ(path.HasProbe(), true, "it is under way");
    NS_TEST_EXPECT_MSG_EQ(path.NotifyLost(Number(20000), emss, sent, false, Seconds(2)),
                          true,
                          "sent again together with what is before it");
    NS_TEST_EXPECT_MSG_EQ(path.NotifyAcknowledged(sent, false, Seconds(2)), false, "no proof");
    NS_TEST_EXPECT_MSG_EQ(path.AllowProbe(emss, false, Seconds(2)), third, "the same again");
    path.EndProbe();

    NS_TEST_EXPECT_MSG_EQ(path.Narrow(9000, always, false, Seconds(3)), false, "not new");
    NS_TEST_EXPECT_MSG_EQ(path.Narrow(1500, always, false, Seconds(3)), true, "ICMP");
    NS_TEST_EXPECT_MSG_EQ(path.GetSizes().GetEmss(false), 1460, "which is believed");
    NS_TEST_EXPECT_MSG_EQ(path.AllowProbe(1460, false, Seconds(3)), 0, "nothing to try");
    for (int i = 0; i < 2; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(path.NotifyTimeout(1460, false, Seconds(4)), false, "perhaps");
    }
    NS_TEST_EXPECT_MSG_EQ(path.NotifyTimeout(1460, false, Seconds(4)), true, "a black hole");
    NS_TEST_EXPECT_MSG_LT(path.GetSizes().GetEmss(false), 1460, "smaller segments");

    const TcpPathMtuDiscovery copy(path);
    NS_TEST_EXPECT_MSG_EQ(copy.IsSearching(), false, "another connection begins anew");
}

/// The copy of a congestion control has the original's settings.
IWARP_TEST(tcpMend, "settings of a copied congestion control")
{
    auto original = CreateObject<TcpCubic>();
    // older releases have none
    const bool named = original->SetAttributeFailSafe("TcpFriendliness", BooleanValue(false));
    original->SetAttribute("Beta", DoubleValue(0.5));
    auto copy = CreateObject<TcpCubic>();
    TcpCopyCongestionSettings(*original, *copy);
    BooleanValue friendly(false);
    DoubleValue beta;
    const bool found = copy->GetAttributeFailSafe("TcpFriendliness", friendly);
    copy->GetAttribute("Beta", beta);
    NS_TEST_EXPECT_MSG_EQ(found, named, "of one release");
    NS_TEST_EXPECT_MSG_EQ(friendly.Get(), false, "that which ns-3 leaves to chance");
    NS_TEST_EXPECT_MSG_EQ(beta.Get(), 0.5, "and others");
}

} // namespace
