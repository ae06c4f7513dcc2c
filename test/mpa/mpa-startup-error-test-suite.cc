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

/// @brief Suite of startup that fails.
IWARP_TEST_SUITE(mpaStartupError, "mpa-startup-error");

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

} // namespace

/// @brief Everything wrong that can come from the wire, or does not come.
struct MpaStartupErrorTest : TestCase
{
    using TestCase::TestCase;

    /// Wrong keys: closed within the event that brings the first wrong octet.
    void Keys()
    {
        for (const bool initiator : {false, true})
        {
            for (std::size_t i = 0; i < 16; i++)
            {
                Octets bad = MpaStartupWire(initiator, 0xC0, 1);
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
                    IWARP_COVERS("MPA-7.1.1-02 MPA-7.1.1-04 MPA-7.1.2-04 MPA-7.1.2-15 MPA-8-09");
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
                              "HTTP");
        IWARP_COVERS("MPA-7.1.2-21 MPA-7.1.3-05");

        // Both are Initiators
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
        IWARP_COVERS("MPA-7.1-10 MPA-7.1.2-26");
    }

    /// PD_Length against what comes, and against the ULP's buffer.
    void Lengths()
    {
        for (const bool initiator : {false, true})
        {
            Octets wire = MpaStartupWire(initiator, 0xC0, 1);
            wire[18] = 0x02;
            wire[19] = 0x01;
            MpaStartupEndpoint e = initiator ? StartedInitiator() : StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(wire, 1), "stop close fail4", "513 at once");
            IWARP_COVERS("MPA-7.1.1-24 MPA-7.1.2-28");

            MpaStartupConfig small = ConfigFor(initiator ? MpaRole::INITIATOR : MpaRole::RESPONDER);
            small.privateDataLimit = 64;
            MpaStartupEndpoint f = initiator ? StartedInitiator(small) : StartedResponder(small);
            NS_TEST_EXPECT_MSG_EQ(f.Feed(MpaStartupWire(initiator, 0xC0, 1, Octets(65))),
                                  "stop close fail4",
                                  "65 octets into a buffer of 64");
            NS_TEST_EXPECT_MSG_EQ(f.reports, 0, "the ULP gets none of it");
            IWARP_COVERS("MPA-7.1.2-29 MPA-7.1.2-30 MPA-7.1.2-31");
            MpaStartupEndpoint g = initiator ? StartedInitiator(small) : StartedResponder(small);
            NS_TEST_EXPECT_MSG_EQ(g.Feed(MpaStartupWire(initiator, 0xC0, 1, Octets(64))),
                                  "stop report",
                                  "64 fit");
            MpaStartupEndpoint h = initiator ? StartedInitiator() : StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(h.Feed(MpaStartupWire(initiator, 0xC0, 1, Octets(512)), 100),
                                  "stop report",
                                  "512 are legal");
        }
        // Octets behind a Request: an FPDU sent too early, or a wrong PD_Length
        const Octets longer = Join(MpaStartupWire(false, 0xC0, 1, {1, 2, 3, 4}), {5, 6, 7, 8});
        MpaStartupEndpoint e = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(e.Feed(longer), "stop close fail4", "in one segment");
        IWARP_COVERS("MPA-7.1.1-23");
        MpaStartupEndpoint f = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(f.Feed(longer, 24), "stop report close fail4", "in the next one");
        NS_TEST_EXPECT_MSG_EQ(f.sent.size(), 0, "no Reply");
        IWARP_COVERS("MPA-7.1.2-12");
    }

    /// Rev of 0, 2, 3, 255 at an endpoint of RFC 5044.
    void Revisions()
    {
        for (const uint8_t rev : {0, 2, 3, 255})
        {
            MpaStartupEndpoint i = StartedInitiator();
            NS_TEST_EXPECT_MSG_EQ(i.Feed(MpaStartupWire(true, 0xC0, rev)),
                                  "stop close fail0",
                                  "Rev " << +rev);
            MpaStartupEndpoint r = StartedResponder();
            NS_TEST_EXPECT_MSG_EQ(r.Feed(MpaStartupWire(false, 0xC0, rev)),
                                  (rev == 0 ? "stop send close fail0" : "stop close fail0"),
                                  "Rev " << +rev);
            IWARP_COVERS("MPA-7.1.1-19 MPA-7.1.1-20");
            // C.2.1: the Reply tells the own revision
            NS_TEST_EXPECT_MSG_EQ((r.sent == (rev == 0 ? MpaStartupWire(true, 0xC0, 1) : Octets{})),
                                  true,
                                  "Reply to Rev " << +rev);
            NS_TEST_EXPECT_MSG_EQ(r.reports + i.reports, 0, "not reported");
        }
        MpaStartupEndpoint r = StartedResponder();
        r.Feed(MpaStartupWire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(+r.machine.Result().version, 1, "version to the ULP");
        NS_TEST_EXPECT_MSG_EQ(+r.machine.Result().peerRevision, 1, "Rev to the ULP");
        IWARP_COVERS("MPA-7.1.1-21");
    }

    /// The startup timer.
    void Timers()
    {
        // 19 of 20 octets, one at a time: the timer is started once and not moved
        for (const bool initiator : {false, true})
        {
            MpaStartupEndpoint e = initiator ? StartedInitiator() : StartedResponder();
            Octets wire = MpaStartupWire(initiator, 0xC0, 1);
            wire.pop_back();
            NS_TEST_EXPECT_MSG_EQ(e.Feed(wire, 1), "", "not whole");
            NS_TEST_EXPECT_MSG_EQ(e.timer, true, "the timer runs");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "close fail0", "timeout");
            NS_TEST_EXPECT_MSG_EQ((e.State() == State::CLOSED), true, "closed");
            NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "", "once");
            IWARP_COVERS("MPA-7.1.2-32");
        }
        // PD_Length 8 and only 4 octets
        MpaStartupEndpoint e = StartedResponder();
        Octets wire = MpaStartupWire(false, 0xC0, 1, Octets(8));
        wire.resize(24);
        NS_TEST_EXPECT_MSG_EQ(e.Feed(wire), "", "waits");
        NS_TEST_EXPECT_MSG_EQ(e.Do(e.machine.Timeout()), "close fail0", "timeout");
        IWARP_COVERS("MPA-7.1.1-23");
        // Two Responders: nothing on the wire, both time out
        MpaStartupEndpoint r = StartedResponder();
        NS_TEST_EXPECT_MSG_EQ(r.sent.size(), 0, "silent");
        NS_TEST_EXPECT_MSG_EQ(r.Do(r.machine.Timeout()), "close fail0", "timeout");
        IWARP_COVERS("MPA-7.1.2-27");
        // A timer that runs out late changes nothing
        MpaStartupEndpoint l = StartedResponder();
        l.Feed(MpaStartupWire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(l.timer, false, "stopped");
        NS_TEST_EXPECT_MSG_EQ(l.Do(l.machine.Timeout()), "", "late");
        NS_TEST_EXPECT_MSG_EQ((l.State() == State::ULP_DECIDES), true, "as it was");
    }

    /// TCP ends, in each state.
    void Losses()
    {
        MpaStartupEndpoint stream(ConfigFor(MpaRole::RESPONDER));
        NS_TEST_EXPECT_MSG_EQ(stream.Do(stream.machine.ConnectionLost()), "", "MPA was off");
        NS_TEST_EXPECT_MSG_EQ(stream.Start(), "fail0", "too late to start");
        MpaStartupEndpoint wait = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(wait.Do(wait.machine.ConnectionLost()),
                              "stop close fail1",
                              "waiting");
        IWARP_COVERS("MPA-8-01 MPA-8-02");
        NS_TEST_EXPECT_MSG_EQ(wait.Do(wait.machine.ConnectionLost()), "", "once");
        MpaStartupEndpoint ulp = StartedResponder();
        ulp.Feed(MpaStartupWire(false, 0xC0, 1));
        NS_TEST_EXPECT_MSG_EQ(ulp.Do(ulp.machine.ConnectionLost()),
                              "close fail1",
                              "the ULP thinks");
        NS_TEST_EXPECT_MSG_EQ(ulp.Accept(), "fail0", "too late to accept");
        NS_TEST_EXPECT_MSG_EQ(ulp.sent.size(), 0, "no Reply");
        MpaStartupEndpoint half = StartedResponder();
        half.Feed(MpaStartupWire(false, 0xC0, 1));
        half.Accept();
        NS_TEST_EXPECT_MSG_EQ(half.Do(half.machine.ConnectionLost()), "fail1", "receives only");
        NS_TEST_EXPECT_MSG_EQ(half.Do(half.machine.FpduValidated()), "", "no sending any more");
        MpaStartupEndpoint full = StartedInitiator();
        full.Feed(MpaStartupWire(true, 0xC0, 1));
        full.Accept();
        NS_TEST_EXPECT_MSG_EQ(full.Do(full.machine.ConnectionLost()), "fail1", "Full Operation");
        IWARP_COVERS("MPA-8-01 MPA-8-02");
        NS_TEST_EXPECT_MSG_EQ(full.Do(full.machine.Close()), "", "nothing left to close");
        MpaStartupEndpoint close = StartedInitiator();
        NS_TEST_EXPECT_MSG_EQ(close.Do(close.machine.Close()), "stop close", "gives up waiting");
        IWARP_COVERS("MPA-7.1.3-06");
    }
};

IWARP_TEST(mpaStartupError, "errors", MpaStartupErrorTest)
{
    Keys();
    Lengths();
    Revisions();
    Timers();
    Losses();
}

/// @brief What each kind of end does about each revision of the peer's frame.
IWARP_TEST(mpaStartupError, "verdicts on revisions")
{
    using Verdict = MpaRevisionVerdict;

    struct Row
    {
        MpaRole role;
        MpaPersonality personality;
        uint8_t revision;
        Verdict verdict;
    };

    for (const auto& row : {Row{MpaRole::RESPONDER, MpaPersonality::IETF, 0, Verdict::REPLY_CLOSE},
                            Row{MpaRole::RESPONDER, MpaPersonality::PERMISSIVE, 0, Verdict::USABLE},
                            Row{MpaRole::RESPONDER, MpaPersonality::IETF, 1, Verdict::USABLE},
                            Row{MpaRole::RESPONDER, MpaPersonality::IETF, 255, Verdict::CLOSE},
                            Row{MpaRole::RESPONDER, MpaPersonality::RDMAC, 1, Verdict::USABLE},
                            Row{MpaRole::RESPONDER, MpaPersonality::RDMAC, 2, Verdict::CLOSE},
                            Row{MpaRole::INITIATOR, MpaPersonality::IETF, 0, Verdict::CLOSE},
                            Row{MpaRole::INITIATOR, MpaPersonality::PERMISSIVE, 0, Verdict::USABLE},
                            Row{MpaRole::INITIATOR, MpaPersonality::RDMAC, 0, Verdict::USABLE},
                            Row{MpaRole::INITIATOR, MpaPersonality::RDMAC, 1, Verdict::CLOSE}})
    {
        MpaStartupConfig config = ConfigFor(row.role);
        config.personality = row.personality;
        NS_TEST_EXPECT_MSG_EQ((MpaCheckRevision(config, row.revision) == row.verdict),
                              true,
                              "role " << unsigned(row.role) << ", personality "
                                      << unsigned(row.personality) << ", revision "
                                      << unsigned(row.revision));
    }
}

/// @brief Bad use of the interface is refused and changes nothing.
IWARP_TEST(mpaStartupError, "misuse")
{
    MpaStartupEndpoint i(ConfigFor(MpaRole::INITIATOR));
    NS_TEST_EXPECT_MSG_EQ(i.Start(Octets(513)), "fail0", "513 octets");
    IWARP_COVERS("MPA-7.1.1-26");
    NS_TEST_EXPECT_MSG_EQ((i.State() == State::STREAM), true, "not started");
    NS_TEST_EXPECT_MSG_EQ(i.sent.size(), 0, "nothing sent");
    NS_TEST_EXPECT_MSG_EQ(i.Accept(), "fail0", "nothing to accept");
    NS_TEST_EXPECT_MSG_EQ(i.Reject(), "fail0", "nothing to reject");
    NS_TEST_EXPECT_MSG_EQ(i.Start(Octets(512)), "send start", "512 octets");
    NS_TEST_EXPECT_MSG_EQ(i.sent.size(), 532, "whole frame");
    IWARP_COVERS("MPA-7.1.1-26");
    NS_TEST_EXPECT_MSG_EQ(i.Start(), "fail0", "started already");
    NS_TEST_EXPECT_MSG_EQ(i.timer, true, "goes on");
    i.Feed(MpaStartupWire(true, 0xC0, 1));
    NS_TEST_EXPECT_MSG_EQ(i.Accept({1}), "fail0", "no frame to put it in");
    NS_TEST_EXPECT_MSG_EQ(i.Reject({1}), "fail0", "no frame to put it in");
    NS_TEST_EXPECT_MSG_EQ(i.Accept(), "rx tx", "goes on");

    MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
    NS_TEST_EXPECT_MSG_EQ(r.Start({1}), "fail0", "no frame to put it in");
    NS_TEST_EXPECT_MSG_EQ(r.Start(), "start", "goes on");
    r.Feed(MpaStartupWire(false, 0xC0, 1));
    NS_TEST_EXPECT_MSG_EQ(r.Accept(Octets(513)), "fail0", "513 octets");
    NS_TEST_EXPECT_MSG_EQ(r.Reject(Octets(513)), "fail0", "513 octets");
    NS_TEST_EXPECT_MSG_EQ(r.receiving, false, "not on");
    NS_TEST_EXPECT_MSG_EQ(r.Accept(Octets(512)), "rx send", "goes on");
    NS_TEST_EXPECT_MSG_EQ(r.Feed({}), "", "no octets, no event");
}
