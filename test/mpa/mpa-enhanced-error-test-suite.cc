/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-enhanced-test-util.h"

#include "ns3/rdmap-terminate.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of startup with revision 2 that fails.
IWARP_TEST_SUITE(mpaEnhancedError, "mpa-enhanced-error");

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

constexpr uint16_t ERROR_ULP = MpaEnhancedWord::UNSPECIFIED;

} // namespace

/// @brief Rejections, and Replies that an Initiator cannot take.
struct MpaEnhancedErrorsTest : TestCase
{
    using TestCase::TestCase;

    /// @param config Initiator @param reply what it gets @return actions in words
    std::string Answer(const MpaStartupConfig& config, const Octets& reply)
    {
        MpaStartupEndpoint i(config);
        i.Start();
        const std::string words = i.Feed(reply);
        m_reports = i.reports;
        return words;
    }

    /// The Responder's ULP needs more outbound reads than the Initiator offers.
    void Rejects()
    {
        MpaStartupConfig config = ConfigFor(MpaRole::RESPONDER);
        config.enhanced.ird = 8;
        config.enhanced.ord = 9;
        config.enhanced.minOrd = 9;
        config.enhanced.rtr = {false, true, false};
        MpaStartupConfig small = PeerToPeer();
        small.enhanced.ird = 2;
        for (const bool byUlp : {false, true})
        {
            MpaStartupEndpoint i(small);
            i.Start();
            MpaStartupEndpoint r(config);
            r.Start();
            NS_TEST_EXPECT_MSG_EQ(r.Feed(i.TakeSent()), "stop report", "the ULP hears of it");
            NS_TEST_EXPECT_MSG_EQ((r.machine.Result().enhanced.error == MpaError::INSUFFICIENT_IRD),
                                  true,
                                  "and why it will not do");
            NS_TEST_EXPECT_MSG_EQ((byUlp ? r.Reject({'n', 'o'}) : r.Accept()),
                                  (byUlp ? "send" : "send fail6"),
                                  "rejected");
            const Octets word = {0x80, 0x08, 0x80, 0x09};
            Octets data = word;
            if (byUlp)
            {
                data.push_back('n');
                data.push_back('o');
            }
            NS_TEST_EXPECT_MSG_EQ((r.sent == MpaStartupWire(true, 0x70, 2, data)),
                                  true,
                                  "R=1 and the ORD that is needed");
            IWARP_COVERS("ENH-9.1-13 ENH-9.1-14");
            NS_TEST_EXPECT_MSG_EQ((r.State() == State::STREAM), true, "MPA is off");
            NS_TEST_EXPECT_MSG_EQ(r.closed, false, "TCP is open");
            NS_TEST_EXPECT_MSG_EQ(i.Feed(r.sent), "stop rejected", "told");
            NS_TEST_EXPECT_MSG_EQ(i.machine.Result().enhanced.peerOrd, 9, "what is needed");
            NS_TEST_EXPECT_MSG_EQ(i.machine.Result().enhanced.peerIrd, 8, "what there is");
            IWARP_COVERS("ENH-9.1-20");
            NS_TEST_EXPECT_MSG_EQ(i.machine.PeerFrame().privateData.size(),
                                  (byUlp ? 2 : 0),
                                  "the ULP's share");
        }
        // With what it was told, the Initiator succeeds
        small.enhanced.ird = 9;
        MpaStartupEndpoint i(small);
        MpaStartupEndpoint r(config);
        Connect(i, r);
        NS_TEST_EXPECT_MSG_EQ((i.State() == State::FULL), true, "second try");
        IWARP_COVERS("ENH-9.1-21");
    }

    /// Errors that have no code of their own, in each state.
    void LocalErrors()
    {
        MpaStartupEndpoint off(ConfigFor(MpaRole::INITIATOR));
        NS_TEST_EXPECT_MSG_EQ(off.Do(off.machine.LocalError("memory")), "fail0", "MPA is off");
        MpaStartupEndpoint wait(ConfigFor(MpaRole::INITIATOR));
        wait.Start();
        NS_TEST_EXPECT_MSG_EQ(wait.Do(wait.machine.LocalError("memory")),
                              "stop close fail5",
                              "no FPDU is possible yet");
        MpaStartupEndpoint i(ConfigFor(MpaRole::INITIATOR));
        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
        r.Start();
        i.Start();
        r.Feed(i.TakeSent());
        MpaStartupEndpoint undecided = r;
        NS_TEST_EXPECT_MSG_EQ(undecided.Do(undecided.machine.LocalError("memory")),
                              "close fail5",
                              "a Responder sends no FPDU ahead of its Reply");
        r.Accept();
        i.Feed(r.TakeSent());
        MpaStartupEndpoint same = i;
        NS_TEST_EXPECT_MSG_EQ(i.Do(i.machine.LocalError("memory")),
                              "term5 close fail5",
                              "the Initiator has a Reply");
        IWARP_COVERS("ENH-9.3-5");
        same.Accept();
        NS_TEST_EXPECT_MSG_EQ(same.Do(same.machine.LocalError("memory")),
                              "term5 close fail5",
                              "Full Operation");
        MpaStartupEndpoint open = r;
        NS_TEST_EXPECT_MSG_EQ(r.Do(r.machine.LocalError("memory")),
                              "close fail5",
                              "the Responder may not send yet");
        open.Do(open.machine.FpduValidated());
        NS_TEST_EXPECT_MSG_EQ(open.Do(open.machine.LocalError("memory")),
                              "term5 close fail5",
                              "but now");
        NS_TEST_EXPECT_MSG_EQ(open.Do(open.machine.LocalError("memory")), "fail0", "once");
        MpaStartupEndpoint a(ConfigFor(MpaRole::INITIATOR, 1));
        MpaStartupEndpoint b(ConfigFor(MpaRole::RESPONDER, 1));
        Connect(a, b);
        NS_TEST_EXPECT_MSG_EQ(a.Do(a.machine.LocalError("memory")),
                              "close fail5",
                              "revision 1 has no such Terminate");
    }

    int m_reports{0}; //!< frames reported in the last Answer()
};

IWARP_TEST(mpaEnhancedError, "errors", MpaEnhancedErrorsTest)
{
    // Octets of the Terminates: layer 2, type 0 and the code
    const MpaError codes[] = {MpaError::LOCAL_CATASTROPHIC,
                              MpaError::INSUFFICIENT_IRD,
                              MpaError::NO_RTR};
    for (uint8_t n = 0; n < 3; n++)
    {
        uint8_t octets[4];
        const RdmapTerminate terminate = RdmapTerminate::ForLlp(static_cast<uint8_t>(codes[n]));
        NS_TEST_EXPECT_MSG_EQ(terminate.GetSize(), 4, "no header copied");
        terminate.Write(octets);
        NS_TEST_EXPECT_MSG_EQ(+octets[0], 0x20, "layer and type");
        NS_TEST_EXPECT_MSG_EQ(+octets[1], 5 + n, "code");
        IWARP_COVERS("ENH-8-2 ENH-8-3 ENH-8-4 ENH-8-5");
        NS_TEST_EXPECT_MSG_EQ(octets[2] + octets[3], 0, "no header copied");
        IWARP_COVERS("ENH-9.1-19 ENH-9.2-15");
    }

    // RFC 5044 section 8 and RFC 6581 section 8
    const MpaError all[] = {MpaError::CONNECTION_LOST,
                            MpaError::CRC,
                            MpaError::MARKER,
                            MpaError::INVALID_STARTUP,
                            MpaError::LOCAL_CATASTROPHIC,
                            MpaError::INSUFFICIENT_IRD,
                            MpaError::NO_RTR};
    for (int n = 0; n < 7; n++)
    {
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(all[n]), n + 1, "code");
    }
    IWARP_COVERS("ENH-8-6 ENH-11-1");

    // More reads than there are resources for
    MpaStartupConfig four = PeerToPeer();
    four.enhanced.maxIrd = 16;
    NS_TEST_EXPECT_MSG_EQ(Answer(four, MpaStartupWire(true, 0x50, 2, {0x80, 0x08, 0x80, 0x11})),
                          "stop term6 close fail6",
                          "ORD 17");
    IWARP_COVERS("ENH-9.1-17 ENH-9.1-18");
    NS_TEST_EXPECT_MSG_EQ(m_reports, 0, "never established");
    NS_TEST_EXPECT_MSG_EQ(Answer(four, MpaStartupWire(true, 0x50, 2, {0x80, 0x08, 0x80, 0x10})),
                          "stop report",
                          "ORD 16");
    // No indication in common, and the other model
    NS_TEST_EXPECT_MSG_EQ(
        Answer(PeerToPeer(), MpaStartupWire(true, 0x50, 2, {0xC0, 0x08, 0x00, 0x10})),
        "stop term7 close fail7",
        "Send only");
    IWARP_COVERS("ENH-9.2-13 ENH-9.2-14 ENH-8-1");
    NS_TEST_EXPECT_MSG_EQ(
        Answer(PeerToPeer(), MpaStartupWire(true, 0x50, 2, {0x00, 0x08, 0x00, 0x10})),
        "stop term7 close fail7",
        "client-server");
    // ... which the ULPs can do without
    MpaStartupConfig clientServer = PeerToPeer();
    clientServer.enhanced.peerToPeer = false;
    NS_TEST_EXPECT_MSG_EQ(
        Answer(clientServer, MpaStartupWire(true, 0x50, 2, {0x00, 0x08, 0x00, 0x10})),
        "stop report",
        "client-server");
    IWARP_COVERS("ENH-9.2-16");
    // An unenhanced Reply to an enhanced Request
    NS_TEST_EXPECT_MSG_EQ(Answer(PeerToPeer(), MpaStartupWire(true, 0x40, 2)),
                          "stop term5 close fail5",
                          "S=0");
    NS_TEST_EXPECT_MSG_EQ(Answer(PeerToPeer(), MpaStartupWire(true, 0x40, 1)),
                          "stop term5 close fail5",
                          "Rev 1");
    NS_TEST_EXPECT_MSG_EQ(Answer(PeerToPeer(), MpaStartupWire(true, 0x60, 1)),
                          "stop rejected",
                          "a Reject is one whatever its revision");
    // Enhanced frames too short for the word
    for (std::size_t size = 0; size < 4; size++)
    {
        NS_TEST_EXPECT_MSG_EQ(Answer(PeerToPeer(), MpaStartupWire(true, 0x50, 2, Octets(size))),
                              "stop close fail4",
                              size << " octets");
        MpaStartupEndpoint r(ConfigFor(MpaRole::RESPONDER));
        r.Start();
        NS_TEST_EXPECT_MSG_EQ(r.Feed(MpaStartupWire(false, 0x50, 2, Octets(size))),
                              "stop close fail4",
                              size << " octets");
    }
    // An enhanced Reply to a Request that was not
    NS_TEST_EXPECT_MSG_EQ(Answer(ConfigFor(MpaRole::INITIATOR, 1),
                                 MpaStartupWire(true, 0x50, 2, {0x00, 0x08, 0x00, 0x10})),
                          "stop close fail0",
                          "revision above that of the Request");
    Rejects();
    LocalErrors();
}
