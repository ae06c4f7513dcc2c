/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-enhanced-test-util.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of startup with revision 2.
IWARP_TEST_SUITE(mpaEnhancedStartup, "mpa-enhanced-startup");

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

constexpr uint16_t STARTUP_ULP = MpaEnhancedWord::UNSPECIFIED;

} // namespace

/// @brief Octets of enhanced frames as the machine makes them.
IWARP_TEST(mpaEnhancedStartup, "frames")
{
    const Octets ping = {'P', 'I', 'N', 'G'};
    // Request C=1, S=1, Rev 2, A=1, C=1, D=1, IRD 16, ORD 8 and 4 octets of the ULP
    MpaStartupEndpoint i(PeerToPeer());
    i.Start(ping);
    const Octets request =
        MpaStartupWire(false, 0x50, 2, {0x80, 0x10, 0xC0, 0x08, 'P', 'I', 'N', 'G'});
    NS_TEST_EXPECT_MSG_EQ((i.sent == request), true, "Request");
    IWARP_COVERS("ENH-5-1 ENH-6-1 ENH-6-7 ENH-6-10 ENH-6-11");

    MpaStartupConfig config = ConfigFor(MpaRole::RESPONDER);
    config.enhanced.ird = 1;
    config.enhanced.ord = 16;
    config.enhanced.rtr = {false, true, false};
    MpaStartupEndpoint r(config);
    r.Start();
    NS_TEST_EXPECT_MSG_EQ(r.Feed(request, 1), "stop report", "reported");
    NS_TEST_EXPECT_MSG_EQ((r.machine.PeerFrame().privateData == ping),
                          true,
                          "the ULP's share of the Private Data");
    NS_TEST_EXPECT_MSG_EQ(r.machine.Result().enhanced.peerIrd, 16, "Initiator's IRD");
    NS_TEST_EXPECT_MSG_EQ(r.machine.Result().enhanced.peerOrd, 8, "Initiator's ORD");
    IWARP_COVERS("ENH-9.1-9");
    r.Accept();
    const Octets reply = MpaStartupWire(true, 0x50, 2, {0x80, 0x08, 0x80, 0x10});
    NS_TEST_EXPECT_MSG_EQ((r.sent == reply), true, "Reply");
    IWARP_COVERS("ENH-6-2 ENH-6-4 ENH-10-1");
    NS_TEST_EXPECT_MSG_EQ((r.State() == State::FULL_RX_ONLY), true, "fenced");
    NS_TEST_EXPECT_MSG_EQ(r.machine.Result().enhanced.rtrKinds.write, true, "Write expected");
    NS_TEST_EXPECT_MSG_EQ(r.machine.Result().enhanced.rtrKinds.read, false, "but no Read");

    NS_TEST_EXPECT_MSG_EQ(i.Feed(reply), "stop report", "the Reply ends it");
    IWARP_COVERS("ENH-5-2");
    const MpaEnhancedResult& result = i.machine.Result().enhanced;
    NS_TEST_EXPECT_MSG_EQ(result.used, true, "enhanced");
    NS_TEST_EXPECT_MSG_EQ(result.peerIrd, 8, "Responder's IRD");
    NS_TEST_EXPECT_MSG_EQ(result.peerOrd, 16, "Responder's ORD");
    IWARP_COVERS("ENH-9.1-20");
    NS_TEST_EXPECT_MSG_EQ((result.rtr == MpaRtr::WRITE), true, "Write goes first");
    NS_TEST_EXPECT_MSG_EQ(i.Accept(), "rx tx", "the indication may go");
    NS_TEST_EXPECT_MSG_EQ(r.Do(r.machine.FpduValidated()), "tx", "and lifts the fence");
    IWARP_COVERS("ENH-1-1");

    // What was agreed holds before the indication goes
    MpaStartupConfig many = PeerToPeer();
    many.enhanced.ord = 12;
    MpaStartupEndpoint eager(many);
    eager.Start();
    eager.Feed(reply);
    NS_TEST_EXPECT_MSG_EQ(eager.machine.Result().enhanced.ord, 8, "as many as are granted");
    NS_TEST_EXPECT_MSG_EQ(eager.Accept(), "rx tx", "then the indication");
    IWARP_COVERS("ENH-9.3-3");

    // Reserved bits are not looked at
    MpaStartupEndpoint noise(config);
    noise.Start();
    Octets noisy = request;
    noisy[16] = 0x5F;
    noise.Feed(noisy);
    noise.Accept();
    NS_TEST_EXPECT_MSG_EQ((noise.sent == reply), true, "as without them");
    IWARP_COVERS("ENH-6-5 ENH-10-10");

    // Room for the ULP
    MpaStartupEndpoint big(PeerToPeer());
    NS_TEST_EXPECT_MSG_EQ(big.machine.MaxPrivateData(), 508, "in an enhanced frame");
    IWARP_COVERS("ENH-9-3");
    NS_TEST_EXPECT_MSG_EQ(big.Start(Octets(509)), "fail0", "509 octets");
    NS_TEST_EXPECT_MSG_EQ(big.Start(Octets(508)), "send start", "508 octets");
    NS_TEST_EXPECT_MSG_EQ(+big.sent[18], 2, "PD_Length 512");
    NS_TEST_EXPECT_MSG_EQ(+big.sent[19], 0, "PD_Length 512");
    IWARP_COVERS("ENH-6-12");
    MpaStartupConfig limited = ConfigFor(MpaRole::RESPONDER);
    limited.privateDataLimit = 508;
    MpaStartupEndpoint full(limited);
    full.Start();
    NS_TEST_EXPECT_MSG_EQ(full.Feed(big.sent), "stop report", "the ULP's share alone counts");
    NS_TEST_EXPECT_MSG_EQ(full.machine.MaxPrivateData(), 508, "in the Reply");
    NS_TEST_EXPECT_MSG_EQ(full.Accept(Octets(509)), "fail0", "509 octets");
    NS_TEST_EXPECT_MSG_EQ(full.Accept(Octets(508)), "rx send", "508 octets");
    NS_TEST_EXPECT_MSG_EQ(full.sent.size(), 532, "a whole frame");
}

/// @brief Peers of different revisions, in all orders.
struct MpaEnhancedInterworkingTest : TestCase
{
    using TestCase::TestCase;

    /// @param config what found no answer: revision 1 on a new connection does
    void Retry(MpaStartupConfig config)
    {
        config.revision = 1;
        MpaStartupEndpoint i(config);
        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER, 1));
        Connect(i, r);
        NS_TEST_EXPECT_MSG_EQ((i.State() == State::FULL), true, "connected");
        NS_TEST_EXPECT_MSG_EQ(i.machine.Result().enhanced.ird, 16, "IRD as configured");
        NS_TEST_EXPECT_MSG_EQ(i.machine.Result().enhanced.ord, 8, "ORD as configured");
        IWARP_COVERS("ENH-10-9");
        NS_TEST_EXPECT_MSG_EQ(i.machine.MayRetryUnenhanced(), false, "nothing to retry");
        // A loss in the middle of a Reply says nothing of revisions.
        MpaStartupEndpoint half(ConfigFor(MpaRole::INITIATOR));
        half.Start();
        half.Feed({'M'});
        half.Do(half.machine.ConnectionLost());
        NS_TEST_EXPECT_MSG_EQ(half.machine.MayRetryUnenhanced(), false, "an answer had begun");
    }

    /// Requests that our Initiator never makes.
    void HandMade()
    {
        struct Row
        {
            const char* name;
            Octets header;     // octets 16 and 17 of the Request
            std::string words; // at a Responder of revision 2
            Octets reply;      // octets 16 and 17 of the Reply
        };

        const Row rows[] = {
            {"Rev 2, S=0", {0x40, 2}, "stop report", {0x40, 2}},
            {"Rev 1, S=1", {0x50, 1}, "stop report", {0x40, 1}},
            {"Rev 3, S=1", {0x50, 3}, "stop close fail0", {}},
            {"Rev 0, S=1", {0x50, 0}, "stop send close fail0", {0x40, 1}},
        };
        for (const auto& row : rows)
        {
            MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
            r.Start();
            const Octets data = {0x80, 0x10, 0xC0, 0x08};
            NS_TEST_EXPECT_MSG_EQ(r.Feed(MpaStartupWire(false, row.header[0], row.header[1], data)),
                                  row.words,
                                  row.name);
            if (r.State() == State::ULP_DECIDES)
            {
                NS_TEST_EXPECT_MSG_EQ((r.machine.PeerFrame().privateData == data),
                                      true,
                                      "no word, all of it the ULP's");
                NS_TEST_EXPECT_MSG_EQ(r.machine.Result().enhanced.used, false, row.name);
                IWARP_COVERS("ENH-10-5");
                r.Accept();
            }
            NS_TEST_EXPECT_MSG_EQ(
                (r.sent ==
                 (row.reply.empty() ? Octets{} : MpaStartupWire(true, row.reply[0], row.reply[1]))),
                true,
                row.name);
        }
        for (int n = 0; n < 100; n++)
        {
            MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
            r.Start();
            const Octets data(n * 5, static_cast<uint8_t>(n));
            NS_TEST_ASSERT_MSG_EQ(r.Feed(MpaStartupWire(false, 0x40, 1, data)),
                                  "stop report",
                                  "Rev 1");
            NS_TEST_ASSERT_MSG_EQ(r.Accept(), "rx send", "stays welcome");
            IWARP_COVERS("ENH-10-4 ENH-6-9");
        }
    }

    /// Revision 2 and the RNICs of RFC 5044 Appendix C.
    void Personalities()
    {
        // A permissive Initiator of revision 2 gets no answer from an RDMAC RNIC, but with 1.
        for (const uint8_t revision : {2, 1})
        {
            MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR, revision);
            config.personality = MpaPersonality::PERMISSIVE;
            MpaStartupConfig rdmac = ConfigFor(MpaRole::RESPONDER);
            rdmac.personality = MpaPersonality::RDMAC;
            MpaStartupEndpoint i(config);
            MpaStartupEndpoint r(rdmac);
            Connect(i, r);
            NS_TEST_EXPECT_MSG_EQ(i.machine.MayRetryUnenhanced(), (revision == 2), "retry");
            NS_TEST_EXPECT_MSG_EQ((i.State() == State::FULL), (revision == 1), "connected");
        }
        // An RDMAC Initiator with Responders that know revision 2
        for (const auto personality : {MpaPersonality::IETF, MpaPersonality::PERMISSIVE})
        {
            MpaStartupConfig rdmac = ConfigFor(MpaRole::INITIATOR);
            rdmac.personality = MpaPersonality::RDMAC;
            MpaStartupConfig config = ConfigFor(MpaRole::RESPONDER);
            config.personality = personality;
            MpaStartupEndpoint i(rdmac);
            MpaStartupEndpoint r(config);
            Connect(i, r);
            const bool works = personality == MpaPersonality::PERMISSIVE;
            NS_TEST_EXPECT_MSG_EQ((i.State() == State::FULL), works, "connected");
            NS_TEST_EXPECT_MSG_EQ(r.closed, !works, "or closed");
        }
    }
};

IWARP_TEST(mpaEnhancedStartup, "interworking", MpaEnhancedInterworkingTest)
{
    struct Row
    {
        const char* name;
        uint8_t initiator;  // highest revision
        bool wanted;        // enhanced establishment wanted
        uint8_t responder;  // highest revision
        uint8_t requestRev; // Rev on the wire
        uint8_t replyRev;   // Rev on the wire, 0 if there is no Reply
        bool enhanced;      // settled
    };

    const Row rows[] = {
        {"old, old", 1, true, 1, 1, 1, false},
        {"old, new", 1, true, 2, 1, 1, false},
        {"new without wish, old", 2, false, 1, 1, 1, false},
        {"new without wish, new", 2, false, 2, 1, 1, false},
        {"new, old", 2, true, 1, 2, 0, false},
        {"new, new", 2, true, 2, 2, 2, true},
    };
    for (const auto& row : rows)
    {
        MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR, row.initiator);
        config.enhanced.wanted = row.wanted;
        MpaStartupEndpoint i(config);
        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER, row.responder));
        r.Start();
        i.Start({1, 2, 3});
        const Octets request = i.TakeSent();
        NS_TEST_EXPECT_MSG_EQ(+request[17], +row.requestRev, row.name);
        NS_TEST_EXPECT_MSG_EQ(+request[16], (row.requestRev == 2 ? 0x50 : 0x40), row.name);
        NS_TEST_EXPECT_MSG_EQ(+request[19], (row.requestRev == 2 ? 4 + 3 : 3), row.name);
        IWARP_COVERS("ENH-6-3 ENH-6-8 ENH-10-3");
        r.Feed(request);
        if (row.replyRev == 0)
        {
            // An old Responder closes, and both report it once.
            NS_TEST_EXPECT_MSG_EQ((r.State() == State::CLOSED), true, row.name);
            NS_TEST_EXPECT_MSG_EQ(r.sent.size(), 0, "no Reply");
            NS_TEST_EXPECT_MSG_EQ(r.failures, 1, "told");
            NS_TEST_EXPECT_MSG_EQ(i.Do(i.machine.ConnectionLost()), "stop close fail1", row.name);
            IWARP_COVERS("ENH-10-6 ENH-10-7");
            NS_TEST_EXPECT_MSG_EQ(i.machine.MayRetryUnenhanced(), true, "an old peer?");
            IWARP_COVERS("ENH-10-8");
            Retry(config);
            continue;
        }
        NS_TEST_EXPECT_MSG_EQ((r.machine.PeerFrame().privateData == Octets{1, 2, 3}),
                              true,
                              row.name);
        r.Accept({4, 5});
        NS_TEST_EXPECT_MSG_EQ(+r.sent[17], +row.replyRev, row.name);
        NS_TEST_EXPECT_MSG_EQ(+r.sent[16], +request[16], "S as in the Request");
        IWARP_COVERS("ENH-10-1 ENH-10-2 ENH-6-6");
        i.Feed(r.sent);
        NS_TEST_EXPECT_MSG_EQ((i.machine.PeerFrame().privateData == Octets{4, 5}), true, row.name);
        NS_TEST_EXPECT_MSG_EQ(i.Accept(), "rx tx", row.name);
        for (const MpaStartupEndpoint* e : {&i, &r})
        {
            const MpaStartupResult& result = e->machine.Result();
            NS_TEST_EXPECT_MSG_EQ(result.enhanced.used, row.enhanced, row.name);
            NS_TEST_EXPECT_MSG_EQ(result.enhanced.ird, 16, "IRD");
            NS_TEST_EXPECT_MSG_EQ(result.enhanced.ord, 8, "ORD");
            NS_TEST_EXPECT_MSG_EQ(result.enhanced.peerIrd,
                                  (row.enhanced ? 16 : STARTUP_ULP),
                                  "the peer's IRD, if it said");
            NS_TEST_EXPECT_MSG_EQ(+result.version, 1, "the DDP version does not change");
        }
    }
    HandMade();
    Personalities();
}
