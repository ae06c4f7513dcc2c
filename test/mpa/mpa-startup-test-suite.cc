/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-startup-test-util.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of the startup state machine.
IWARP_TEST_SUITE(mpaStartup, "mpa-startup");

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

} // namespace

/// @brief The Initiator's state table.
IWARP_TEST(mpaStartup, "Initiator")
{
    // Request, alone and with Private Data
    {
        MpaStartupEndpoint e(ConfigFor(MpaRole::INITIATOR));
        NS_TEST_EXPECT_MSG_EQ(e.Start(), "send start", "Request and timer");
        IWARP_COVERS("MPA-7.1.2-01");
        NS_TEST_EXPECT_MSG_EQ((e.sent == MpaStartupWire(false, 0xC0, 1)), true, "Request's octets");
        IWARP_COVERS("MPA-7.1.2-01 MPA-7.1.1-13 MPA-7.1.1-16 MPA-7.1.1-18");
        MpaStartupEndpoint d(ConfigFor(MpaRole::INITIATOR, false, false));
        d.Start(Octets(100, 0x5A));
        NS_TEST_EXPECT_MSG_EQ((d.sent == MpaStartupWire(false, 0x00, 1, Octets(100, 0x5A))),
                              true,
                              "Request's octets with Private Data");
        IWARP_COVERS("MPA-7.1.2-02");
    }
    // A good Reply, whole and one octet at a time; FPDUs only after the ULP's word
    const Octets data = {9, 8, 7};
    for (const std::size_t segment : {SIZE_MAX, std::size_t(1), std::size_t(7)})
    {
        MpaStartupEndpoint e = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::WAIT_FRAME), true, "waits");
        IWARP_COVERS("MPA-7.1.2-14");
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(true, 0xC0, 1, data), segment),
                              "stop report",
                              "Reply");
        NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "to the ULP");
        IWARP_COVERS("MPA-7.1.1-25");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::ULP_DECIDES), true, "ULP's turn");
        NS_TEST_EXPECT_MSG_EQ(e.receiving || e.sending, false, "MPA is not on yet");
        IWARP_COVERS("MPA-7.1-08 MPA-7.1.2-12");
        NS_TEST_EXPECT_MSG_EQ(e.Accept(), "rx tx", "both directions together");
        IWARP_COVERS("MPA-7.1-02 MPA-7.1.2-18");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
        NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0, 0, 0, 0, 42}), "", "what follows is FPDUs");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 6, "and not startup's");
    }
    // The ULP does not like the Private Data: MPA off, TCP open
    {
        MpaStartupEndpoint e = StartedInitiator();
        e.Feed(MpaStartupWire(true, 0xC0, 1, data));
        NS_TEST_EXPECT_MSG_EQ(e.Reject(), "", "an Initiator cannot answer");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
        NS_TEST_EXPECT_MSG_EQ(e.closed, false, "TCP is open");
        IWARP_COVERS("MPA-7.1.2-16");
    }
    // The ULP closes
    {
        MpaStartupEndpoint e = StartedInitiator();
        e.Feed(MpaStartupWire(true, 0xC0, 1, data));
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "closed");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
        NS_TEST_EXPECT_MSG_EQ(e.sending, false, "no FPDU");
        IWARP_COVERS("MPA-7.1.2-22 MPA-7.1.3-06");
    }
    // R=1: MPA off, TCP open; octets behind the Reply are streaming data
    {
        MpaStartupEndpoint e = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(MpaStartupWire(true, 0x60, 1, data), {'o', 'k'})),
                              "stop rejected",
                              "rejected");
        NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "why");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
        NS_TEST_EXPECT_MSG_EQ((e.rest == Octets{'o', 'k'}), true, "streaming data");
        NS_TEST_EXPECT_MSG_EQ(e.Feed({'!'}), "", "and more of them");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 3, "untouched");
        IWARP_COVERS("MPA-7.1.2-16");
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "the ULP may close TCP");
        IWARP_COVERS("MPA-7.1.2-17");
    }
    // ... and the connection may be used again, for MPA even
    {
        MpaStartupEndpoint e = StartedInitiator();
        e.Feed(MpaStartupWire(true, 0x60, 1));
        NS_TEST_EXPECT_MSG_EQ(e.Start({1}), "send start", "a second try");
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(true, 0x40, 1)), "stop report", "accepted now");
        IWARP_COVERS("MPA-7.1.2-17");
    }
    // The example of 7.1.4.2 by attribute
    {
        MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR);
        config.closeOnReject = true;
        MpaStartupEndpoint e = StartedInitiator(config);
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(true, 0x60, 1)),
                              "stop rejected close",
                              "closes");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
        IWARP_COVERS("MPA-7.1.4.2-04");
    }
    // Octets behind an accepting Reply: the Responder may not send yet, so PD_Length is wrong
    {
        MpaStartupEndpoint e = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(MpaStartupWire(true, 0xC0, 1, {1}), {2})),
                              "stop close fail4",
                              "in one segment");
        MpaStartupEndpoint f = StartedInitiator();
        f.Feed(MpaStartupWire(true, 0xC0, 1, {1}));
        NS_TEST_EXPECT_MSG_EQ(f.Feed({2}), "close fail4", "while the ULP thinks");
    }
    // ... unless the Responder's wait is switched off
    {
        MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR);
        config.waitForFirstFpdu = false;
        MpaStartupEndpoint e = StartedInitiator(config);
        NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(MpaStartupWire(true, 0xC0, 1), {0, 0})),
                              "stop report",
                              "fine");
        NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0}), "", "while the ULP thinks");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 4, "early FPDU left to the receiver");
        IWARP_COVERS("MPA-7.1.2-20");
    }
}

/// @brief The Responder's state table.
IWARP_TEST(mpaStartup, "Responder")
{
    const Octets data = {0xFF, 2, 3};
    // Accept: receiver on as the Reply leaves, sender off until an FPDU is good
    for (const std::size_t segment : {SIZE_MAX, std::size_t(1), std::size_t(19)})
    {
        MpaStartupEndpoint e(ConfigFor(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(e.Start(), "start", "sends nothing");
        IWARP_COVERS("MPA-7.1.2-03");
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(false, 0xC0, 1, data), segment),
                              "stop report",
                              "Request");
        NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "to the ULP");
        NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 0, "no Reply before the ULP's word");
        IWARP_COVERS("MPA-7.1-08 MPA-7.1.2-13");
        NS_TEST_EXPECT_MSG_EQ(e.Accept(Octets(512, 1)), "rx send", "accept");
        IWARP_COVERS("MPA-7.1.2-11");
        NS_TEST_EXPECT_MSG_EQ((e.sent == MpaStartupWire(true, 0xC0, 1, Octets(512, 1))),
                              true,
                              "Reply");
        IWARP_COVERS("MPA-7.1.2-09 MPA-7.1.2-10 MPA-7.1.1-15");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL_RX_ONLY), true, "receives only");
        NS_TEST_EXPECT_MSG_EQ(e.sending, false, "neither FPDU nor Marker");
        IWARP_COVERS("MPA-7.1.2-19 MPA-7.1.3-04");
        NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0, 0, 0}), "", "FPDUs");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 4, "are not startup's");
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.FpduValidated()), "tx", "now it may");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.FpduValidated()), "", "once");
    }
    // Reject, with a reason; TCP stays open and carries streaming data
    {
        MpaStartupEndpoint e = StartedResponder();
        e.Feed(MpaStartupWire(false, 0xC0, 1, data));
        NS_TEST_EXPECT_MSG_EQ(e.Reject(Octets(16, 'x')), "send", "reject");
        NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 36, "Reply with a reason");
        IWARP_COVERS("MPA-7.1.2-06");
        NS_TEST_EXPECT_MSG_EQ((e.sent == MpaStartupWire(true, 0xE0, 1, Octets(16, 'x'))),
                              true,
                              "R=1");
        IWARP_COVERS("MPA-7.1.2-05 MPA-7.1.2-23 MPA-7.1.1-15");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
        NS_TEST_EXPECT_MSG_EQ(e.closed, false, "TCP is open");
        IWARP_COVERS("MPA-7.1.2-07");
        NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(100, 'y')), "", "streaming data");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 100, "raw");
        IWARP_COVERS("MPA-7.1.2-08");
    }
    // Close instead of a Reply
    {
        MpaStartupEndpoint e = StartedResponder();
        e.Feed(MpaStartupWire(false, 0xC0, 1, data));
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "close");
        NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 0, "no Reply");
        IWARP_COVERS("MPA-7.1.3-03 MPA-7.1.4.2-03");
    }
    // R and Res of a Request are not looked at
    for (const uint8_t flags : {0xE0, 0xDF, 0xFF})
    {
        MpaStartupEndpoint e = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(false, flags, 1)), "stop report", "accepted");
        e.Accept();
        NS_TEST_EXPECT_MSG_EQ((e.sent == MpaStartupWire(true, 0xC0, 1)), true, "as with C0");
        IWARP_COVERS("MPA-7.1.1-14 MPA-7.1.1-17");
    }
    // Without the wait (ablation)
    {
        MpaStartupConfig config = ConfigFor(MpaRole::RESPONDER);
        config.waitForFirstFpdu = false;
        MpaStartupEndpoint e = StartedResponder(config);
        e.Feed(MpaStartupWire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(e.Accept(), "rx send tx", "sends at once");
        NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
        IWARP_COVERS("MPA-7.1.2-20");
        MpaStartupEndpoint early = StartedResponder(config);
        early.Feed(MpaStartupWire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(early.Feed({1}), "close fail4", "the peer still waits for a Reply");
    }
    // Streaming data before MPA are nobody's business here
    {
        MpaStartupEndpoint e(ConfigFor(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(1000, 'h')), "", "hello");
        NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 1000, "left alone");
        e.Start();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(MpaStartupWire(false, 0xC0, 1)), "stop report", "then MPA");
    }
}

/// @brief All 16 combinations of M and C.
IWARP_TEST(mpaStartup, "M and C")
{
    // RFC 5044 section 7.1.1: M_I C_I M_R C_R, Markers to the Responder, to the Initiator, CRC
    const bool rows[16][7] = {
        {0, 0, 0, 0, 0, 0, 0},
        {0, 0, 0, 1, 0, 0, 1},
        {0, 0, 1, 0, 1, 0, 0},
        {0, 0, 1, 1, 1, 0, 1},
        {0, 1, 0, 0, 0, 0, 1},
        {0, 1, 0, 1, 0, 0, 1},
        {0, 1, 1, 0, 1, 0, 1},
        {0, 1, 1, 1, 1, 0, 1},
        {1, 0, 0, 0, 0, 1, 0},
        {1, 0, 0, 1, 0, 1, 1},
        {1, 0, 1, 0, 1, 1, 0},
        {1, 0, 1, 1, 1, 1, 1},
        {1, 1, 0, 0, 0, 1, 1},
        {1, 1, 0, 1, 0, 1, 1},
        {1, 1, 1, 0, 1, 1, 1},
        {1, 1, 1, 1, 1, 1, 1},
    };
    for (const auto& row : rows)
    {
        MpaStartupEndpoint i(ConfigFor(MpaRole::INITIATOR, row[0], row[1]));
        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER, row[2], row[3]));
        r.Start();
        i.Start();
        r.Feed(i.TakeSent());
        r.Accept();
        i.Feed(r.TakeSent());
        i.Accept();
        NS_TEST_ASSERT_MSG_EQ((i.sending && r.receiving), true, "both on");
        const MpaStartupResult& a = i.machine.Result();
        const MpaStartupResult& b = r.machine.Result();
        NS_TEST_EXPECT_MSG_EQ(a.txMarkers, row[4], "Initiator's Markers");
        NS_TEST_EXPECT_MSG_EQ(b.rxMarkers, row[4], "expected by the Responder");
        IWARP_COVERS("MPA-7.1.1-06");
        NS_TEST_EXPECT_MSG_EQ(b.txMarkers, row[5], "Responder's Markers");
        NS_TEST_EXPECT_MSG_EQ(a.rxMarkers, row[5], "expected by the Initiator");
        IWARP_COVERS("MPA-7.1.1-05");
        NS_TEST_EXPECT_MSG_EQ(a.crc, row[6], "CRC at the Initiator");
        NS_TEST_EXPECT_MSG_EQ(b.crc, row[6], "CRC at the Responder");
        IWARP_COVERS("MPA-7.1.1-11");
    }
}
