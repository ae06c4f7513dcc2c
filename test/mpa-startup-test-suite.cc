/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-startup-endpoint.h"

#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

/**
 * @param role role
 * @param markers M
 * @param crc C
 * @return configuration
 */
MpaStartupConfig
ConfigFor(MpaRole role, bool markers = true, bool crc = true)
{
    MpaStartupConfig config;
    config.role = role;
    config.markers = markers;
    config.crc = crc;
    return config;
}

/**
 * @brief A peer's frame by hand, independent of the codec.
 * @param reply Reply or Request
 * @param flags octet 16
 * @param rev octet 17
 * @param data Private Data
 * @return octets
 */
Octets
Wire(bool reply, uint8_t flags, uint8_t rev, const Octets& data = {})
{
    const std::string key = reply ? "MPA ID Rep Frame" : "MPA ID Req Frame";
    Octets octets(key.begin(), key.end());
    octets.push_back(flags);
    octets.push_back(rev);
    octets.push_back(static_cast<uint8_t>(data.size() >> 8));
    octets.push_back(static_cast<uint8_t>(data.size() & 0xFF));
    octets.insert(octets.end(), data.begin(), data.end());
    return octets;
}

/// @param a first octets @param b octets behind them @return both
Octets
Join(Octets a, const Octets& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// @return an Initiator that has sent its Request, nothing left in its sent octets
MpaStartupEndpoint
StartedInitiator(const MpaStartupConfig& config = ConfigFor(MpaRole::INITIATOR))
{
    MpaStartupEndpoint e(config);
    e.Start();
    e.TakeSent();
    return e;
}

/// @return a Responder that waits for a Request
MpaStartupEndpoint
StartedResponder(const MpaStartupConfig& config = ConfigFor(MpaRole::RESPONDER))
{
    MpaStartupEndpoint e(config);
    e.Start();
    return e;
}

} // namespace

/**
 * @ingroup iwarp-tests
 * @brief The Initiator's state table.
 */
class MpaInitiatorTest : public TestCase
{
  public:
    MpaInitiatorTest()
        : TestCase("Initiator: MPA-7.1-02 -06 -08, MPA-7.1.1-13 -16 -18 -25, MPA-7.1.2-01 -02 -12 "
                   "-13 -14 -16..-18 -22, MPA-7.1.3-06, MPA-7.1.4.2-04")
    {
    }

  private:
    void DoRun() override
    {
        // Request, alone and with Private Data (MPA-7.1.2-01 -02)
        {
            MpaStartupEndpoint e(ConfigFor(MpaRole::INITIATOR));
            NS_TEST_EXPECT_MSG_EQ(e.Start(), "send start", "Request and timer");
            NS_TEST_EXPECT_MSG_EQ((e.sent == Wire(false, 0xC0, 1)), true, "Request's octets");
            MpaStartupEndpoint d(ConfigFor(MpaRole::INITIATOR, false, false));
            d.Start(Octets(100, 0x5A));
            NS_TEST_EXPECT_MSG_EQ((d.sent == Wire(false, 0x00, 1, Octets(100, 0x5A))),
                                  true,
                                  "Request's octets with Private Data");
        }
        // A good Reply, whole and one octet at a time; FPDUs only after the ULP's word
        // (MPA-7.1-08, MPA-7.1.2-14 -18)
        const Octets data = {9, 8, 7};
        for (const std::size_t segment : {SIZE_MAX, std::size_t(1), std::size_t(7)})
        {
            MpaStartupEndpoint e = StartedInitiator();
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::WAIT_FRAME), true, "waits");
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(true, 0xC0, 1, data), segment),
                                  "stop report",
                                  "Reply");
            NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "to the ULP");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::ULP_DECIDES), true, "ULP's turn");
            NS_TEST_EXPECT_MSG_EQ(e.receiving || e.sending, false, "MPA is not on yet");
            NS_TEST_EXPECT_MSG_EQ(e.Accept(), "rx tx", "both directions together (MPA-7.1-02)");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
            NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0, 0, 0, 0, 42}), "", "what follows is FPDUs");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 6, "and not startup's");
        }
        // The ULP does not like the Private Data: MPA off, TCP open (MPA-7.1.2-16, A-19)
        {
            MpaStartupEndpoint e = StartedInitiator();
            e.Feed(Wire(true, 0xC0, 1, data));
            NS_TEST_EXPECT_MSG_EQ(e.Reject(), "", "an Initiator cannot answer");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
            NS_TEST_EXPECT_MSG_EQ(e.closed, false, "TCP is open");
        }
        // The ULP closes (MPA-7.1.2-22, MPA-7.1.3-06)
        {
            MpaStartupEndpoint e = StartedInitiator();
            e.Feed(Wire(true, 0xC0, 1, data));
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "closed");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
            NS_TEST_EXPECT_MSG_EQ(e.sending, false, "no FPDU");
        }
        // R=1: MPA off, TCP open; octets behind the Reply are streaming data
        {
            MpaStartupEndpoint e = StartedInitiator();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(Wire(true, 0x60, 1, data), {'o', 'k'})),
                                  "stop rejected",
                                  "rejected");
            NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "why");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
            NS_TEST_EXPECT_MSG_EQ((e.rest == Octets{'o', 'k'}), true, "streaming data");
            NS_TEST_EXPECT_MSG_EQ(e.Feed({'!'}), "", "and more of them");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 3, "untouched");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "the ULP may close TCP");
        }
        // ... and the connection may be used again, for MPA even (MPA-7.1.2-17)
        {
            MpaStartupEndpoint e = StartedInitiator();
            e.Feed(Wire(true, 0x60, 1));
            NS_TEST_EXPECT_MSG_EQ(e.Start({1}), "send start", "a second try");
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(true, 0x40, 1)), "stop report", "accepted now");
        }
        // The example of 7.1.4.2 by attribute
        {
            MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR);
            config.closeOnReject = true;
            MpaStartupEndpoint e = StartedInitiator(config);
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(true, 0x60, 1)), "stop rejected close", "closes");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
        }
        // Octets behind an accepting Reply: the Responder may not send yet, so PD_Length is wrong
        {
            MpaStartupEndpoint e = StartedInitiator();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(Wire(true, 0xC0, 1, {1}), {2})),
                                  "stop close fail4",
                                  "in one segment");
            MpaStartupEndpoint f = StartedInitiator();
            f.Feed(Wire(true, 0xC0, 1, {1}));
            NS_TEST_EXPECT_MSG_EQ(f.Feed({2}), "close fail4", "while the ULP thinks");
        }
        // ... unless the Responder's wait is switched off (MPA-7.1.2-20)
        {
            MpaStartupConfig config = ConfigFor(MpaRole::INITIATOR);
            config.waitForFirstFpdu = false;
            MpaStartupEndpoint e = StartedInitiator(config);
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Join(Wire(true, 0xC0, 1), {0, 0})), "stop report", "fine");
            NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0}), "", "while the ULP thinks");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 4, "early FPDU left to the receiver");
        }
    }
};

/**
 * @ingroup iwarp-tests
 * @brief The Responder's state table.
 */
class MpaResponderTest : public TestCase
{
  public:
    MpaResponderTest()
        : TestCase("Responder: MPA-7.1.1-14 -15 -17, MPA-7.1.2-03 -05..-11 -19 -20 -23, "
                   "MPA-7.1.3-02..-04, MPA-7.1.4.2-03, MPA-8-16")
    {
    }

  private:
    void DoRun() override
    {
        const Octets data = {0xFF, 2, 3};
        // Accept: receiver on as the Reply leaves, sender off until an FPDU is good
        for (const std::size_t segment : {SIZE_MAX, std::size_t(1), std::size_t(19)})
        {
            MpaStartupEndpoint e(ConfigFor(MpaRole::RESPONDER));
            NS_TEST_EXPECT_MSG_EQ(e.Start(), "start", "sends nothing (MPA-7.1.2-03)");
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(false, 0xC0, 1, data), segment),
                                  "stop report",
                                  "Request");
            NS_TEST_EXPECT_MSG_EQ((e.machine.PeerFrame().privateData == data), true, "to the ULP");
            NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 0, "no Reply before the ULP's word");
            NS_TEST_EXPECT_MSG_EQ(e.Accept(Octets(512, 1)), "rx send", "accept");
            NS_TEST_EXPECT_MSG_EQ((e.sent == Wire(true, 0xC0, 1, Octets(512, 1))), true, "Reply");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL_RX_ONLY), true, "receives only");
            NS_TEST_EXPECT_MSG_EQ(e.sending, false, "neither FPDU nor Marker (MPA-7.1.2-19)");
            NS_TEST_EXPECT_MSG_EQ(e.Feed({0, 0, 0, 0}), "", "FPDUs");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 4, "are not startup's");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.FpduValidated()), "tx", "now it may");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.FpduValidated()), "", "once");
        }
        // Reject, with a reason; TCP stays open and carries streaming data
        {
            MpaStartupEndpoint e = StartedResponder();
            e.Feed(Wire(false, 0xC0, 1, data));
            NS_TEST_EXPECT_MSG_EQ(e.Reject(Octets(16, 'x')), "send", "reject");
            NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 36, "Reply with a reason (MPA-7.1.2-06)");
            NS_TEST_EXPECT_MSG_EQ((e.sent == Wire(true, 0xE0, 1, Octets(16, 'x'))), true, "R=1");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::STREAM), true, "MPA is off");
            NS_TEST_EXPECT_MSG_EQ(e.closed, false, "TCP is open (MPA-7.1.2-07)");
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(100, 'y')), "", "streaming data");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 100, "raw (MPA-7.1.2-08)");
        }
        // Close instead of a Reply
        {
            MpaStartupEndpoint e = StartedResponder();
            e.Feed(Wire(false, 0xC0, 1, data));
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Close()), "close", "close");
            NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 0, "no Reply");
        }
        // R and Res of a Request are not looked at (MPA-7.1.1-14 -17)
        for (const uint8_t flags : {0xE0, 0xDF, 0xFF})
        {
            MpaStartupEndpoint e = StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(false, flags, 1)), "stop report", "accepted");
            e.Accept();
            NS_TEST_EXPECT_MSG_EQ((e.sent == Wire(true, 0xC0, 1)), true, "as with C0");
        }
        // Without the wait (ablation)
        {
            MpaStartupConfig config = ConfigFor(MpaRole::RESPONDER);
            config.waitForFirstFpdu = false;
            MpaStartupEndpoint e = StartedResponder(config);
            e.Feed(Wire(false, 0xC0, 1));
            NS_TEST_EXPECT_MSG_EQ(e.Accept(), "rx send tx", "sends at once");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::FULL), true, "Full Operation");
        }
        // Streaming data before MPA are nobody's business here (MPA-7.1-04, MPA-7.1.3-01)
        {
            MpaStartupEndpoint e(ConfigFor(MpaRole::RESPONDER));
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(1000, 'h')), "", "hello");
            NS_TEST_EXPECT_MSG_EQ(e.rest.size(), 1000, "left alone");
            e.Start();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(Wire(false, 0xC0, 1)), "stop report", "then MPA");
        }
    }
};

/**
 * @ingroup iwarp-tests
 * @brief Everything wrong that can come from the wire, or does not come.
 */
class MpaStartupErrorTest : public TestCase
{
  public:
    MpaStartupErrorTest()
        : TestCase("errors: MPA-7.1-10, MPA-7.1.1-02 -04 -19..-21 -23 -24, MPA-7.1.2-04 -12 -15 "
                   "-21 -26..-32, MPA-7.1.3-05, MPA-8-01 -02 -09 -10")
    {
    }

  private:
    void DoRun() override
    {
        Keys();
        Lengths();
        Revisions();
        Timers();
        Losses();
    }

    /// Wrong keys: closed within the event that brings the first wrong octet.
    void Keys()
    {
        for (const bool initiator : {false, true})
        {
            for (std::size_t i = 0; i < 16; i++)
            {
                Octets bad = Wire(initiator, 0xC0, 1);
                bad[i] ^= 1;
                for (const std::size_t segment : {SIZE_MAX, std::size_t(1)})
                {
                    MpaStartupEndpoint e = initiator ? StartedInitiator() : StartedResponder();
                    const std::size_t end = segment == 1 ? i : 0;
                    NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(bad.begin(), bad.begin() + end), segment),
                                          "",
                                          "nothing before octet " << i);
                    NS_TEST_EXPECT_MSG_EQ(e.Feed(Octets(bad.begin() + end, bad.end()), segment),
                                          "stop close fail4",
                                          "octet " << i);
                    NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
                    NS_TEST_EXPECT_MSG_EQ(e.sent.size(), 0, "no Reply");
                    NS_TEST_EXPECT_MSG_EQ(e.failures, 1, "told once");
                }
            }
        }
        const std::string http = "GET / HTTP/1.1\r\n";
        MpaStartupEndpoint web = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(web.Feed(Octets(http.begin(), http.end())),
                              "stop close fail4",
                              "HTTP (MPA-7.1.2-21)");

        // Both are Initiators (MPA-7.1-10, MPA-7.1.2-26)
        MpaStartupEndpoint a(ConfigFor(MpaRole::INITIATOR));
        MpaStartupEndpoint b(ConfigFor(MpaRole::INITIATOR));
        a.Start();
        b.Start();
        const Octets fromA = a.TakeSent();
        const Octets fromB = b.TakeSent();
        NS_TEST_EXPECT_MSG_EQ(a.Feed(fromB, 1), "stop close fail4", "A sees a Request");
        NS_TEST_EXPECT_MSG_EQ(b.Feed(fromA), "stop close fail4", "B sees a Request");
        NS_TEST_EXPECT_MSG_EQ((a.reason.find("both ends are Initiators") != std::string::npos),
                              true,
                              a.reason);
        NS_TEST_EXPECT_MSG_EQ(a.sending || b.sending, false, "nobody enters Full Operation");
    }

    /// PD_Length against what comes, and against the ULP's buffer.
    void Lengths()
    {
        for (const bool initiator : {false, true})
        {
            Octets wire = Wire(initiator, 0xC0, 1);
            wire[18] = 0x02;
            wire[19] = 0x01;
            MpaStartupEndpoint e = initiator ? StartedInitiator() : StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(wire, 1), "stop close fail4", "513 at once");

            MpaStartupConfig small = ConfigFor(initiator ? MpaRole::INITIATOR : MpaRole::RESPONDER);
            small.privateDataLimit = 64;
            MpaStartupEndpoint f = initiator ? StartedInitiator(small) : StartedResponder(small);
            NS_TEST_EXPECT_MSG_EQ(f.Feed(Wire(initiator, 0xC0, 1, Octets(65))),
                                  "stop close fail4",
                                  "65 octets into a buffer of 64 (MPA-7.1.2-29..-31)");
            NS_TEST_EXPECT_MSG_EQ(f.reports, 0, "the ULP gets none of it");
            MpaStartupEndpoint g = initiator ? StartedInitiator(small) : StartedResponder(small);
            NS_TEST_EXPECT_MSG_EQ(g.Feed(Wire(initiator, 0xC0, 1, Octets(64))),
                                  "stop report",
                                  "64 fit");
            MpaStartupEndpoint h = initiator ? StartedInitiator() : StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(h.Feed(Wire(initiator, 0xC0, 1, Octets(512)), 100),
                                  "stop report",
                                  "512 are legal");
        }
        // Octets behind a Request: an FPDU sent too early, or a wrong PD_Length
        const Octets longer = Join(Wire(false, 0xC0, 1, {1, 2, 3, 4}), {5, 6, 7, 8});
        MpaStartupEndpoint e = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(longer), "stop close fail4", "in one segment");
        MpaStartupEndpoint f = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(f.Feed(longer, 24), "stop report close fail4", "in the next one");
        NS_TEST_EXPECT_MSG_EQ(f.sent.size(), 0, "no Reply");
    }

    /// Rev of 0, 2, 3, 255 at an endpoint of RFC 5044.
    void Revisions()
    {
        for (const uint8_t rev : {0, 2, 3, 255})
        {
            MpaStartupEndpoint i = StartedInitiator();
            NS_TEST_EXPECT_MSG_EQ(i.Feed(Wire(true, 0xC0, rev)),
                                  "stop close fail0",
                                  "Rev " << +rev);
            MpaStartupEndpoint r = StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(r.Feed(Wire(false, 0xC0, rev)),
                                  (rev == 0 ? "stop send close fail0" : "stop close fail0"),
                                  "Rev " << +rev);
            // C.2.1: the Reply tells the own revision
            NS_TEST_EXPECT_MSG_EQ((r.sent == (rev == 0 ? Wire(true, 0xC0, 1) : Octets{})),
                                  true,
                                  "Reply to Rev " << +rev);
            NS_TEST_EXPECT_MSG_EQ(r.reports + i.reports, 0, "not reported");
        }
        MpaStartupEndpoint r = StartedResponder();
        r.Feed(Wire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(+r.machine.Result().version, 1, "version to the ULP");
        NS_TEST_EXPECT_MSG_EQ(+r.machine.Result().peerRevision, 1, "Rev to the ULP");
    }

    /// The startup timer.
    void Timers()
    {
        // 19 of 20 octets, one at a time: the timer is started once and not moved (MPA-7.1.2-32)
        for (const bool initiator : {false, true})
        {
            MpaStartupEndpoint e = initiator ? StartedInitiator() : StartedResponder();
            Octets wire = Wire(initiator, 0xC0, 1);
            wire.pop_back();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(wire, 1), "", "not whole");
            NS_TEST_EXPECT_MSG_EQ(e.timer, true, "the timer runs");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "close fail0", "timeout");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "", "once");
        }
        // PD_Length 8 and only 4 octets (MPA-7.1.1-23)
        MpaStartupEndpoint e = StartedResponder();
        Octets wire = Wire(false, 0xC0, 1, Octets(8));
        wire.resize(24);
        NS_TEST_EXPECT_MSG_EQ(e.Feed(wire), "", "waits");
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "close fail0", "timeout");
        // Two Responders: nothing on the wire, both time out (MPA-7.1.2-27)
        MpaStartupEndpoint r = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(r.sent.size(), 0, "silent");
        NS_TEST_EXPECT_MSG_EQ(r.Do(r.machine.Timeout()), "close fail0", "timeout");
        // A timer that runs out late changes nothing
        MpaStartupEndpoint l = StartedResponder();
        l.Feed(Wire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(l.timer, false, "stopped");
        NS_TEST_EXPECT_MSG_EQ(l.Do(l.machine.Timeout()), "", "late");
        NS_TEST_EXPECT_MSG_EQ((l.State() == State::ULP_DECIDES), true, "as it was");
    }

    /// TCP ends, in each state (MPA-8-01 -02, MPA-7.1.3-06).
    void Losses()
    {
        MpaStartupEndpoint stream(ConfigFor(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(stream.Do(stream.machine.ConnectionLost()), "", "MPA was off");
        NS_TEST_EXPECT_MSG_EQ(stream.Start(), "fail0", "too late to start");
        MpaStartupEndpoint wait = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(wait.Do(wait.machine.ConnectionLost()), "stop fail1", "waiting");
        NS_TEST_EXPECT_MSG_EQ(wait.Do(wait.machine.ConnectionLost()), "", "once");
        MpaStartupEndpoint ulp = StartedResponder();
        ulp.Feed(Wire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(ulp.Do(ulp.machine.ConnectionLost()), "fail1", "the ULP thinks");
        NS_TEST_EXPECT_MSG_EQ(ulp.Accept(), "fail0", "too late to accept");
        NS_TEST_EXPECT_MSG_EQ(ulp.sent.size(), 0, "no Reply");
        MpaStartupEndpoint half = StartedResponder();
        half.Feed(Wire(false, 0xC0, 1));
        half.Accept();
        NS_TEST_EXPECT_MSG_EQ(half.Do(half.machine.ConnectionLost()), "fail1", "receives only");
        NS_TEST_EXPECT_MSG_EQ(half.Do(half.machine.FpduValidated()), "", "no sending any more");
        MpaStartupEndpoint full = StartedInitiator();
        full.Feed(Wire(true, 0xC0, 1));
        full.Accept();
        NS_TEST_EXPECT_MSG_EQ(full.Do(full.machine.ConnectionLost()), "fail1", "Full Operation");
        NS_TEST_EXPECT_MSG_EQ(full.Do(full.machine.Close()), "", "nothing left to close");
        MpaStartupEndpoint close = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(close.Do(close.machine.Close()), "stop close", "gives up waiting");
    }
};

/**
 * @ingroup iwarp-tests
 * @brief Bad use of the interface is refused and changes nothing.
 */
class MpaStartupMisuseTest : public TestCase
{
  public:
    MpaStartupMisuseTest()
        : TestCase("misuse: MPA-7.1.1-26, MPA-7.1-07")
    {
    }

  private:
    void DoRun() override
    {
        MpaStartupEndpoint i(ConfigFor(MpaRole::INITIATOR));
        NS_TEST_EXPECT_MSG_EQ(i.Start(Octets(513)), "fail0", "513 octets");
        NS_TEST_EXPECT_MSG_EQ((i.State() == State::STREAM), true, "not started");
        NS_TEST_EXPECT_MSG_EQ(i.sent.size(), 0, "nothing sent");
        NS_TEST_EXPECT_MSG_EQ(i.Accept(), "fail0", "nothing to accept");
        NS_TEST_EXPECT_MSG_EQ(i.Reject(), "fail0", "nothing to reject");
        NS_TEST_EXPECT_MSG_EQ(i.Start(Octets(512)), "send start", "512 octets");
        NS_TEST_EXPECT_MSG_EQ(i.sent.size(), 532, "whole frame");
        NS_TEST_EXPECT_MSG_EQ(i.Start(), "fail0", "started already");
        NS_TEST_EXPECT_MSG_EQ(i.timer, true, "goes on");
        i.Feed(Wire(true, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(i.Accept({1}), "fail0", "no frame to put it in");
        NS_TEST_EXPECT_MSG_EQ(i.Reject({1}), "fail0", "no frame to put it in");
        NS_TEST_EXPECT_MSG_EQ(i.Accept(), "rx tx", "goes on");

        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(r.Start({1}), "fail0", "no frame to put it in");
        NS_TEST_EXPECT_MSG_EQ(r.Start(), "start", "goes on");
        r.Feed(Wire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(r.Accept(Octets(513)), "fail0", "513 octets");
        NS_TEST_EXPECT_MSG_EQ(r.Reject(Octets(513)), "fail0", "513 octets");
        NS_TEST_EXPECT_MSG_EQ(r.receiving, false, "not on");
        NS_TEST_EXPECT_MSG_EQ(r.Accept(Octets(512)), "rx send", "goes on");
        NS_TEST_EXPECT_MSG_EQ(r.Feed({}), "", "no octets, no event");
    }
};

/**
 * @ingroup iwarp-tests
 * @brief All 16 combinations of M and C.
 */
class MpaStartupFlagsTest : public TestCase
{
  public:
    MpaStartupFlagsTest()
        : TestCase("M and C: MPA-7.1.1-05..-09 -11, MPA-7.1.2-24 -25, MPA-7.1-09")
    {
    }

  private:
    void DoRun() override
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
            NS_TEST_EXPECT_MSG_EQ(b.txMarkers, row[5], "Responder's Markers");
            NS_TEST_EXPECT_MSG_EQ(a.rxMarkers, row[5], "expected by the Initiator");
            NS_TEST_EXPECT_MSG_EQ(a.crc, row[6], "CRC at the Initiator");
            NS_TEST_EXPECT_MSG_EQ(b.crc, row[6], "CRC at the Responder");
        }
    }
};

/**
 * @ingroup iwarp-tests
 * @brief Suite of the startup state machine.
 */
class MpaStartupTestSuite : public TestSuite
{
  public:
    MpaStartupTestSuite()
        : TestSuite("mpa-startup")
    {
        AddTestCase(new MpaInitiatorTest);
        AddTestCase(new MpaResponderTest);
        AddTestCase(new MpaStartupErrorTest);
        AddTestCase(new MpaStartupMisuseTest);
        AddTestCase(new MpaStartupFlagsTest);
    }
};

static MpaStartupTestSuite g_mpaStartupTestSuite; //!< registers the suite
