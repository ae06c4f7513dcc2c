/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ike-test-pair.h"

#include "ns3/esp-algorithm.h"
#include "ns3/ike-message.h"

#include <cmath>
#include <set>
#include <string>
#include <utility>

using namespace ns3;

/// Key exchange after IKEv2.
IWARP_TEST_SUITE(ikeExchange, "ike-exchange");

using ActionKind = IkeAction::Kind;

static const Time DELAY = MilliSeconds(5);              //!< of the path, one way
static const Time EXCHANGE_TIME = MilliSeconds(10);     //!< of the path
static const IpsecFlow TRAFFIC{"10.0.0.1", "10.0.0.2"}; //!< of end 0

/// \param connection number \return traffic of end 0
static IpsecFlow
Connection(uint16_t connection)
{
    return {"10.0.0.1", "10.0.0.2", 6, connection, 20049};
}

/// \return settings of which each time can be told from the others
static IkeSettings
ExchangeSettings()
{
    IkeSettings settings;
    settings.exponentiation = MilliSeconds(3);
    settings.signature = MilliSeconds(2);
    settings.handling = MicroSeconds(100);
    return settings;
}

/// Octets of messages against RFC 7296 section 3.
struct IkeMessageFormat : TestCase
{
    using TestCase::TestCase;

    /// \param message any \param sizes of its parts \param size expected
    void Validate(const IkeMessage& message, const IkeSizes& sizes, uint32_t size)
    {
        auto octets = EncodeIkeMessage(message, sizes);
        NS_TEST_ASSERT_MSG_EQ(octets.size(), size, "exchange " << +octets[18]);
        NS_TEST_ASSERT_MSG_EQ(+octets[17], 0x20, "version 2.0");
        IkeMessage read;
        NS_TEST_ASSERT_MSG_EQ(DecodeIkeMessage(octets.data(), octets.size(), read), true, "read");
        NS_TEST_ASSERT_MSG_EQ((EncodeIkeMessage(read, sizes) == octets), true, "there and back");
        NS_TEST_ASSERT_MSG_EQ(read.id, message.id, "number");
        NS_TEST_ASSERT_MSG_EQ(read.replaced, message.replaced, "SPI");
        NS_TEST_ASSERT_MSG_EQ((read.traffic == message.traffic), true, "traffic");
        for (std::size_t cut = 0; cut < octets.size(); ++cut)
        {
            const std::vector<uint8_t> part(octets.begin(), octets.begin() + cut);
            const bool taken = DecodeIkeMessage(part.data(), part.size(), read);
            NS_TEST_ASSERT_MSG_EQ(taken, false, "cut at " << cut);
        }
        for (std::size_t at : {17, 18, 27})
        {
            auto bad = octets;
            bad[at] ^= 0x40;
            const bool taken = DecodeIkeMessage(bad.data(), bad.size(), read);
            NS_TEST_ASSERT_MSG_EQ(taken, false, "octet " << at);
        }
    }
};

IWARP_TEST(ikeExchange,
           "sizes by the formats of RFC 7296, and messages there and back",
           IkeMessageFormat)
{
    IkeMessage init;
    init.nonce = 0x0123456789ABCDEF;
    IkeMessage auth = init;
    auth.exchange = IkeExchange::AUTH;
    auth.id = 1;
    auth.spi = 0xCAFE0001;
    auth.traffic = {"10.0.0.1", "10.0.0.2", 6, 40000, 20049};
    IkeMessage auth6 = auth;
    auth6.traffic = {"2001:db8::1", "2001:db8::2", 6, 40000, 20049};
    IkeMessage first = auth;
    first.initialContact = true;
    IkeMessage child = auth;
    child.exchange = IkeExchange::CREATE_CHILD_SA;
    IkeMessage rekey = child;
    rekey.replaced = 0xCAFE0002;
    IkeMessage answer = rekey;
    answer.response = true;
    IkeMessage deletion;
    deletion.exchange = IkeExchange::INFORMATIONAL;
    deletion.replaced = 0xCAFE0003;

    IkeSizes sizes;
    IkeSizes long_;
    long_.keyExchange = 256;
    long_.authentication = 256;
    long_.certificate = 1000;
    long_.forwardSecrecy = true;
    // header, SA 40, KE, nonce 36, two notifications of 28
    Validate(init, sizes, 28 + 40 + 40 + 36 + 56);
    Validate(init, long_, 28 + 40 + 264 + 36 + 56);
    // header, SK 29, ID, AUTH, SA 36, TSi and TSr
    Validate(auth, sizes, 28 + 29 + 12 + 40 + 36 + 48);
    Validate(auth6, sizes, 28 + 29 + 24 + 40 + 36 + 96);
    Validate(first, sizes, 28 + 29 + 12 + 40 + 36 + 48 + 8);
    Validate(auth, long_, 28 + 29 + 12 + 1005 + 264 + 36 + 48);
    // header, SK 29, SA 36, nonce 36, TSi and TSr; REKEY_SA 12; a group 8 and KE 264
    Validate(child, sizes, 28 + 29 + 36 + 36 + 48);
    Validate(rekey, sizes, 28 + 29 + 36 + 36 + 48 + 12);
    Validate(answer, sizes, 28 + 29 + 36 + 36 + 48);
    Validate(rekey, long_, 28 + 29 + 36 + 36 + 48 + 12 + 8 + 264);
    // header, SK 29, D 12
    Validate(deletion, sizes, 28 + 29 + 12);
}

/// How long it takes, in closed form.
struct IkeTimes : TestCase
{
    using TestCase::TestCase;

    /// \param pair of ends that have made their last pair of associations
    void Keys(const IkeTestPair& pair)
    {
        const EspTransform& transform = *FindEspTransform("aes-cbc-128/hmac-sha2-256-128");
        const IkeChild here = pair.GetTold(0).back().child;
        const IkeChild there = pair.GetTold(1).back().child;
        for (bool out : {false, true})
        {
            const EspKeys mine = here.GetKeys(transform, out);
            const EspKeys theirs = there.GetKeys(transform, !out);
            NS_TEST_ASSERT_MSG_EQ(EspCodec::CheckKeys(transform, mine), "", "sizes");
            NS_TEST_ASSERT_MSG_EQ((mine.cipher == theirs.cipher), true, "the same at both ends");
            NS_TEST_ASSERT_MSG_EQ((mine.integrity == theirs.integrity), true, "the same");
        }
        const bool differ =
            here.GetKeys(transform, true).cipher != here.GetKeys(transform, false).cipher;
        NS_TEST_ASSERT_MSG_EQ(differ, true, "each direction has its own");
        NS_TEST_ASSERT_MSG_EQ(here.inbound, there.outbound, "SPI");
        NS_TEST_ASSERT_MSG_EQ(here.outbound, there.inbound, "SPI");
    }
};

IWARP_TEST(ikeExchange,
           "time of set-up and of replacement in closed form; keys that both ends find",
           IkeTimes)
{
    for (bool secrecy : {false, true})
    {
        IkeSettings settings = ExchangeSettings();
        settings.forwardSecrecy = secrecy;
        IkeTestPair pair(settings, DELAY);
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1));
        // two round trips; four exponentiations, four signatures, each message made and read
        const Time made = EXCHANGE_TIME * int64_t{2} + settings.exponentiation * int64_t{4} +
                          settings.signature * int64_t{4} + settings.handling * int64_t{8};
        NS_TEST_ASSERT_MSG_EQ(pair.GetWhen(0, ActionKind::OUTBOUND), made, "first pair");
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 4, "messages");
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).IsEstablished(), true, "both know each other");
        Keys(pair);

        const uint32_t old = pair.GetInbound(0);
        pair.Do(0, pair.Peer(0).Rekey(old, pair.Now()));
        pair.Do(0, pair.Peer(0).Rekey(old, pair.Now())); // once is enough
        pair.Do(1, pair.Peer(1).Rekey(pair.GetInbound(1), pair.Now()));
        pair.Run(Seconds(1.5));
        const Time exchange = EXCHANGE_TIME + settings.handling * int64_t{4} +
                              settings.exponentiation * int64_t{secrecy ? 4 : 0};
        NS_TEST_ASSERT_MSG_EQ(pair.GetWhen(0, ActionKind::OUTBOUND),
                              Seconds(1) + exchange,
                              "its successor");
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 6, "messages");
        Keys(pair);
        pair.Run(Seconds(5));
        // the old one goes when it has overlapped for a second: an exchange of two messages
        NS_TEST_ASSERT_MSG_EQ(pair.GetWhen(0, ActionKind::REMOVE),
                              Seconds(2) + exchange + EXCHANGE_TIME +
                                  settings.handling * int64_t{4},
                              "the old pair");
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 8, "messages");
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN() + pair.Peer(1).GetN(), 2, "one pair is left");
        NS_TEST_ASSERT_MSG_EQ(pair.GetEarly(), 0, "who answers sends by it when it was used");
    }
}

/// Several demands, one behind the other or side by side; from both ends.
IWARP_TEST(ikeExchange, "many demands at once, and demands of both ends at once")
{
    for (uint32_t window : {1U, 3U, 9U})
    {
        IkeSettings settings; // no computing
        settings.window = window;
        IkeTestPair pair(settings, DELAY);
        for (uint16_t i = 0; i < 10; ++i)
        {
            pair.Do(0, pair.Peer(0).Acquire(Connection(i), pair.Now()));
            pair.Do(0, pair.Peer(0).Acquire(Connection(i), pair.Now())); // asked for already
        }
        pair.Run(Seconds(1));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN(), 10, "pairs");
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 4 + 9 * 2, "messages");
        NS_TEST_ASSERT_MSG_EQ(pair.GetWhen(0, ActionKind::OUTBOUND),
                              EXCHANGE_TIME * static_cast<int64_t>(2 + 9 / window),
                              "nine more, as many at once as the window has");
    }
    IkeTestPair pair(ExchangeSettings(), DELAY);
    pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
    pair.Do(1, pair.Peer(1).Acquire(TRAFFIC.GetReverse(), pair.Now()));
    pair.Run(Seconds(1));
    for (uint32_t end : {0, 1})
    {
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(end).GetN(), 2, "a pair of each demand");
        const bool heard = pair.CanReceive(1 - end, pair.GetOutbound(end));
        NS_TEST_ASSERT_MSG_EQ(heard, true, "what is sent is received");
        NS_TEST_ASSERT_MSG_EQ(pair.GetEarly(), 0, "however soon it comes");
    }
}

/// Messages that are lost.
struct IkeLoss : TestCase
{
    using TestCase::TestCase;

    /// Messages that no peer would send: requests outside the window, answers to nothing.
    void Strangers()
    {
        IkeTestPair pair(ExchangeSettings(), DELAY);
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1));
        IkeMessage message;
        message.exchange = IkeExchange::CREATE_CHILD_SA;
        message.nonce = 1;
        message.spi = 300;
        message.traffic = TRAFFIC;
        for (uint32_t id : {0U, 1U, 3U, 100U, 0xFFFFFFFFU}) // 2 is next
        {
            message.id = id;
            NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).Receive(message, Seconds(1)).size(), 0, id);
        }
        for (auto exchange : {IkeExchange::SA_INIT, IkeExchange::AUTH, IkeExchange::INFORMATIONAL})
        {
            message.exchange = exchange;
            message.response = true;
            NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).Receive(message, Seconds(1)).size(), 0, "answer");
        }
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).GetN(), 1, "nothing came of it");
    }

    /// The path breaks for ever, and is mended.
    void Gone()
    {
        bool broken = true;
        IkeSettings settings; // no computing
        IkeTestPair pair(settings, DELAY, [&broken](const IkeTestPair::Sent&) { return broken; });
        pair.Do(0, pair.Peer(0).Acquire(Connection(1), pair.Now()));
        pair.Do(0, pair.Peer(0).Acquire(Connection(2), pair.Now()));
        pair.Run(Seconds(1000));
        // strongSwan says of these settings: retransmits after 4, 7, 13, 23 and 42 s, gives up
        // after 76 s more, 165 s in all
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 6, "tries");
        double at = 0;
        for (int i = 0; i < 6; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(pair.GetSent()[i].when.GetSeconds(), at, 1e-6, "try " << i);
            at += 4 * std::pow(1.8, i);
        }
        NS_TEST_ASSERT_MSG_EQ(pair.Count(0, ActionKind::FAILED), 2, "both demands are told");
        NS_TEST_ASSERT_MSG_EQ_TOL(pair.GetWhen(0, ActionKind::FAILED).GetSeconds(),
                                  165.06,
                                  0.01,
                                  "when");

        // what one end has given up the other one drops when it hears of it
        broken = false;
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1100));
        broken = true;
        pair.Do(0, pair.Peer(0).Rekey(pair.GetInbound(0), pair.Now()));
        pair.Run(Seconds(1400));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN(), 0, "given up");
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).GetN(), 1, "the peer does not know");
        broken = false;
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1500));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).GetN(), 1, "the new pair alone");
        const bool heard = pair.CanReceive(1, pair.GetOutbound(0));
        NS_TEST_ASSERT_MSG_EQ(heard, true, "what is sent is received");
    }

    /// The path breaks while a pair is replaced. What is protected then waits for a successor:
    /// whoever waits is told, and asks anew.
    void GivenUpRekey()
    {
        bool broken = false;
        IkeSettings settings;
        IkeTestPair pair(settings, DELAY, [&broken](const IkeTestPair::Sent&) { return broken; });
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1));
        broken = true;
        const uint32_t inbound = pair.GetInbound(0);
        pair.Do(0, pair.Peer(0).Rekey(inbound, pair.Now()));
        pair.Do(0, pair.Peer(0).Delete(inbound, pair.Now())); // its time is over
        NS_TEST_EXPECT_MSG_EQ(pair.Peer(0).Acquire(TRAFFIC, pair.Now()).size(), 0, "is asked for");
        pair.Run(Seconds(300));
        NS_TEST_EXPECT_MSG_EQ(pair.Count(0, ActionKind::FAILED), 1, "who waits is told");
        broken = false;
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(301));
        NS_TEST_EXPECT_MSG_EQ(pair.CanReceive(1, pair.GetOutbound(0)), true, "a pair again");
    }

    /// An end that has given up the other one does not know it by a request for a pair (RFC 7296
    /// section 2.21.4): it begins anew by itself.
    void GivenUpPeer()
    {
        bool broken = false;
        IkeSettings settings;
        IkeTestPair pair(settings, DELAY, [&broken](const IkeTestPair::Sent&) { return broken; });
        pair.Do(0, pair.Peer(0).Acquire(Connection(1), pair.Now()));
        pair.Run(Seconds(1));
        broken = true;
        pair.Do(0, pair.Peer(0).Acquire(Connection(2), pair.Now()));
        pair.Run(Seconds(200));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN(), 0, "given up");
        broken = false;
        pair.Do(1, pair.Peer(1).Acquire(Connection(3).GetReverse(), pair.Now()));
        pair.Run(Seconds(201));
        NS_TEST_EXPECT_MSG_EQ(pair.Peer(0).IsEstablished(), false, "no peer");
        pair.Do(0, pair.Peer(0).Acquire(Connection(4), pair.Now()));
        pair.Run(Seconds(202));
        NS_TEST_EXPECT_MSG_EQ(pair.CanReceive(1, pair.GetOutbound(0)), true, "at once");
        pair.Run(Seconds(400));
        NS_TEST_EXPECT_MSG_EQ(pair.Peer(0).GetN(), 2, "and what the other end asked for");
        NS_TEST_EXPECT_MSG_EQ(pair.Peer(1).GetN(), 2, "at both ends");
        NS_TEST_EXPECT_MSG_EQ(pair.Count(0, ActionKind::FAILED), 1, "the first time alone");
    }

    /// A pair whose time is over while it is replaced: whatever the window and whatever is lost,
    /// nothing is sent by what the other end cannot receive by (RFC 7296 section 2.8).
    void OverWhileReplaced()
    {
        for (const uint32_t window : {1, 2, 8})
        {
            for (const int lost : {-1, 0, 1, 2, 3})
            {
                int count = 0;
                bool counts = false;
                IkeSettings settings = ExchangeSettings();
                settings.window = window;
                IkeTestPair pair(settings, DELAY, [&](const IkeTestPair::Sent&) {
                    return counts && count++ == lost;
                });
                pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
                pair.Run(Seconds(1));
                counts = true;
                const uint32_t inbound = pair.GetInbound(0);
                pair.Do(0, pair.Peer(0).Rekey(inbound, pair.Now()));
                pair.Do(0, pair.Peer(0).Delete(inbound, pair.Now()));
                pair.Run(Seconds(60));
                NS_TEST_EXPECT_MSG_EQ(pair.GetEarly(), 0, window << ", lost " << lost);
                NS_TEST_EXPECT_MSG_EQ(pair.Peer(0).GetN(), 1, window << ", lost " << lost);
                NS_TEST_EXPECT_MSG_EQ(pair.Peer(1).GetN(), 1, window << ", lost " << lost);
                NS_TEST_EXPECT_MSG_EQ(pair.CanReceive(0, pair.GetOutbound(1)), true, "and back");
            }
        }
    }
};

IWARP_TEST(ikeExchange, "what is given up while a pair is replaced", IkeLoss)
{
    GivenUpRekey();
    GivenUpPeer();
    OverWhileReplaced();
}

/// Requests that are sent are of the window that begins with the oldest without a response (RFC
/// 7296 section 2.3), so that the peer takes that one however late it comes.
IWARP_TEST(ikeExchange, "a request or its response lost in a wider window", IkeLoss)
{
    constexpr uint16_t PAIRS = 10;
    for (const uint32_t window : {2, 5})
    {
        for (const uint32_t loser : {0, 1})
        {
            std::set<uint32_t> answered;
            uint32_t oldest = 0;
            uint32_t early = 0;
            bool lost = false;
            IkeSettings settings;
            settings.window = window;
            IkeTestPair pair(settings, DELAY, [&](const IkeTestPair::Sent& sent) {
                const uint32_t id = sent.message.id;
                const bool loses = id == 2 && sent.from == loser && !std::exchange(lost, true);
                if (sent.message.response && !loses)
                {
                    answered.insert(id);
                }
                while (answered.count(oldest) > 0)
                {
                    oldest++;
                }
                early += id >= oldest + window;
                return loses;
            });
            for (uint16_t i = 0; i < PAIRS; ++i)
            {
                pair.Do(0, pair.Peer(0).Acquire(Connection(i), pair.Now()));
            }
            pair.Run(Seconds(400));
            NS_TEST_EXPECT_MSG_EQ(lost, true, "message 2 of end " << loser);
            NS_TEST_EXPECT_MSG_EQ(early, 0, "beyond a window of " << window);
            NS_TEST_EXPECT_MSG_EQ(pair.Count(0, ActionKind::FAILED), 0, "end " << loser);
            NS_TEST_EXPECT_MSG_EQ(pair.Peer(0).GetN(), PAIRS, "end " << loser);
            NS_TEST_EXPECT_MSG_EQ(pair.Peer(1).GetN(), PAIRS, "end " << loser);
        }
    }
}

IWARP_TEST(ikeExchange, "each message lost once; a peer that is gone", IkeLoss)
{
    // set-up, replacement, deletion: eight messages
    for (uint32_t lost = 0; lost < 8; ++lost)
    {
        uint32_t count = 0;
        IkeTestPair pair(ExchangeSettings(), DELAY, [&count, lost](const IkeTestPair::Sent&) {
            return count++ == lost;
        });
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(10));
        pair.Do(0, pair.Peer(0).Rekey(pair.GetInbound(0), pair.Now()));
        pair.Run(Seconds(30));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetResent(), 1, "message " << lost);
        const uint32_t more = lost % 2 ? 2 : 1; // a lost answer is asked for again
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 8 + more, "message " << lost);
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN(), 1, "message " << lost);
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).GetN(), 1, "nothing is made twice");
        const bool heard = pair.CanReceive(1, pair.GetOutbound(0));
        NS_TEST_ASSERT_MSG_EQ(heard, true, "message " << lost);
    }
    Gone();
    Strangers();
}

/// An end that has lost its state begins again from message 0 (RFC 7296 section 2.4), however far
/// the other one has counted.
IWARP_TEST(ikeExchange, "a peer that begins anew after many exchanges")
{
    IkeSettings settings = ExchangeSettings();
    settings.window = 1;
    IkeTestPair pair(settings, DELAY);
    pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
    for (int i = 0; i < 10; i++)
    {
        pair.Run(pair.Now() + Seconds(30));
        NS_TEST_ASSERT_MSG_NE(pair.GetOutbound(0), 0, "replaced, " << i);
        pair.Do(0, pair.Peer(0).Rekey(pair.GetInbound(0), pair.Now()));
    }
    pair.Run(pair.Now() + Seconds(30));
    pair.Forget(0);
    pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
    pair.Run(pair.Now() + Seconds(30));
    NS_TEST_ASSERT_MSG_NE(pair.GetOutbound(0), 0, "a pair again");
    NS_TEST_EXPECT_MSG_EQ(pair.CanReceive(1, pair.GetOutbound(0)), true, "of both ends");
}

/// Replacing and deleting while traffic goes on.
struct IkeRekeying : TestCase
{
    using TestCase::TestCase;

    /// A packet each way. \param pair of ends \param seed of the run
    void Traffic(IkeTestPair& pair, uint32_t seed)
    {
        for (uint32_t end : {0, 1})
        {
            const uint32_t spi = pair.GetOutbound(end);
            const bool heard = spi != 0 && pair.CanReceive(1 - end, spi);
            NS_TEST_ASSERT_MSG_EQ(heard, true, "seed " << seed << " at " << pair.Now());
            pair.Do(1 - end, pair.Peer(1 - end).Used(spi, pair.Now()));
        }
    }

    /// A pair that is idle goes, and comes again on demand: the ends still know each other.
    void Idle()
    {
        IkeSettings settings = ExchangeSettings();
        IkeTestPair pair(settings, DELAY);
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(1));
        const uint32_t inbound = pair.GetInbound(1);
        pair.Do(1, pair.Peer(1).Delete(inbound, pair.Now()));
        pair.Do(1, pair.Peer(1).Delete(inbound, pair.Now())); // once is enough
        pair.Run(Seconds(1) + DELAY);
        NS_TEST_ASSERT_MSG_EQ(pair.GetOutbound(1), 0, "the peer will not have it when this comes");
        NS_TEST_ASSERT_MSG_EQ(pair.CanReceive(1, inbound), true, "the peer may have sent by it");
        pair.Run(Seconds(2));
        NS_TEST_ASSERT_MSG_EQ(pair.GetSent().size(), 6, "two messages");
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN() + pair.Peer(1).GetN(), 0, "gone at both ends");
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(3));
        NS_TEST_ASSERT_MSG_EQ(pair.GetWhen(0, ActionKind::OUTBOUND),
                              Seconds(2) + EXCHANGE_TIME + settings.handling * int64_t{4},
                              "one round trip");
        // both ends delete at once
        pair.Do(0, pair.Peer(0).Delete(pair.GetInbound(0), pair.Now()));
        pair.Do(1, pair.Peer(1).Delete(pair.GetInbound(1), pair.Now()));
        pair.Run(Seconds(4));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN() + pair.Peer(1).GetN(), 0, "gone at both ends");
        NS_TEST_ASSERT_MSG_EQ(pair.Count(0, ActionKind::REMOVE), 2, "each once");
        // who asked for a successor has it, and deletes what it replaces
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        pair.Run(Seconds(5));
        const uint32_t old = pair.GetInbound(1);
        pair.Do(0, pair.Peer(0).Rekey(pair.GetInbound(0), pair.Now()));
        pair.Run(Seconds(5) + EXCHANGE_TIME);
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).Delete(old, pair.Now()).size(), 0, "not the other one");
        NS_TEST_ASSERT_MSG_NE(pair.GetOutbound(1), 0, "which still sends by it");
        pair.Run(Seconds(8));
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN() + pair.Peer(1).GetN(), 2, "the successor");
    }
};

IWARP_TEST(ikeExchange,
           "a pair is replaced again and again: whatever is sent can be received",
           IkeRekeying)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        std::mt19937 random(seed);
        IkeTestPair pair(ExchangeSettings(), DELAY, [&random](const IkeTestPair::Sent&) {
            return random() % 100 < 10;
        });
        pair.Do(0, pair.Peer(0).Acquire(TRAFFIC, pair.Now()));
        while (pair.GetOutbound(0) == 0 || pair.GetOutbound(1) == 0)
        {
            pair.Run(pair.Now() + Seconds(1));
        }
        const auto made = pair.Count(0, ActionKind::OUTBOUND);
        for (uint32_t i = 0; i < 600; ++i)
        {
            if (i % 20 == 10)
            {
                pair.Do(0, pair.Peer(0).Rekey(pair.GetInbound(0), pair.Now()));
            }
            pair.Run(pair.Now() + MilliSeconds(1 + random() % 999));
            Traffic(pair, seed);
        }
        pair.Run(pair.Now() + Seconds(400));
        NS_TEST_ASSERT_MSG_GT(pair.Count(0, ActionKind::OUTBOUND), made + 5, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(pair.Count(0, ActionKind::FAILED), 0, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(0).GetN(), 1, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(pair.Peer(1).GetN(), 1, "seed " << seed);
        NS_TEST_ASSERT_MSG_EQ(pair.GetEarly(), 0, "seed " << seed);
    }
    Idle();
}
