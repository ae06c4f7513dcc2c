/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-startup-endpoint.h"

#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of RFC 5044 Appendix C.
IWARP_TEST_SUITE(mpaInteropMatrix, "mpa-interop-matrix");

/// A row or a column of Figures 15 to 17.
struct MatrixEnd
{
    const char* name;           //!< as in the figures
    MpaPersonality personality; //!< kind of RNIC
    bool markers;               //!< own preference
};

const MatrixEnd MATRIX_ENDS[] = {
    {"RDMAC", MpaPersonality::RDMAC, true},
    {"NP M=0", MpaPersonality::IETF, false},
    {"NP M=1", MpaPersonality::IETF, true},
    {"P M=0", MpaPersonality::PERMISSIVE, false},
    {"P M=1", MpaPersonality::PERMISSIVE, true},
};

/**
 * Figures 15, 16 and 17 of RFC 5044: DDP version, then Markers towards Initiator/Responder. The
 * one cell that cannot occur (RDMAC, permissive with M=0 in its Reply) becomes what the RNIC does
 * instead, a Reply with M=1.
 */
const char* const FIGURES[5][5] = {
    {"V0 1/1", "close", "close", "V0 1/1", "V0 1/1"},
    {"close", "V1 0/0", "V1 0/1", "V1 0/0", "V1 0/1"},
    {"close", "V1 1/0", "V1 1/1", "V1 1/0", "V1 1/1"},
    {"V0 1/1", "V1 0/0", "V1 0/1", "V1 0/0", "V1 0/1"},
    {"V0 1/1", "V1 1/0", "V1 1/1", "V1 1/0", "V1 1/1"},
};

/**
 * @param role role
 * @param kind row or column
 * @param crc own CRC preference
 * @return configuration
 */
MpaStartupConfig
MatrixConfig(MpaRole role, const MatrixEnd& kind, bool crc)
{
    MpaStartupConfig config;
    config.role = role;
    config.personality = kind.personality;
    config.markers = kind.markers;
    config.crc = crc;
    config.echoCrc = false; // flags as each end prefers
    return config;
}

} // namespace

/**
 * @ingroup iwarp-tests
 * @brief One cell: an Initiator and a Responder back to back, each octet a segment.
 */
class MpaInteropCellTest : public TestCase
{
  public:
    /**
     * @param row Initiator
     * @param column Responder
     */
    MpaInteropCellTest(std::size_t row, std::size_t column)
        : TestCase(std::string(MATRIX_ENDS[row].name) + " to " + MATRIX_ENDS[column].name),
          m_row(row),
          m_column(column)
    {
    }

  private:
    void DoRun() override
    {
        for (const bool initiatorCrc : {false, true})
        {
            for (const bool responderCrc : {false, true})
            {
                Connect(initiatorCrc, responderCrc);
            }
        }
    }

    /**
     * @param initiatorCrc C of the Initiator
     * @param responderCrc C of the Responder
     */
    void Connect(bool initiatorCrc, bool responderCrc)
    {
        const MatrixEnd& from = MATRIX_ENDS[m_row];
        const MatrixEnd& to = MATRIX_ENDS[m_column];
        MpaStartupEndpoint initiator(MatrixConfig(MpaRole::INITIATOR, from, initiatorCrc));
        MpaStartupEndpoint responder(MatrixConfig(MpaRole::RESPONDER, to, responderCrc));
        const bool fromRdmac = from.personality == MpaPersonality::RDMAC;
        const bool toRdmac = to.personality == MpaPersonality::RDMAC;

        responder.Start();
        initiator.Start();
        const MpaStartupEndpoint::Octets request = initiator.TakeSent();
        const uint8_t requestFlags = (from.markers ? 0x80 : 0) | (initiatorCrc ? 0x40 : 0);
        NS_TEST_ASSERT_MSG_EQ(request.size(), 20, "one Request without Private Data");
        NS_TEST_EXPECT_MSG_EQ(+request[16], (fromRdmac ? 0xC0 : +requestFlags), "Request's flags");
        NS_TEST_EXPECT_MSG_EQ(+request[17], (fromRdmac ? 0 : 1), "Request's Rev");
        IWARP_COVERS("MPA-C.1-01 MPA-C.1-02 MPA-C.2.1-01 MPA-C.1-03");

        responder.Feed(request, 1);
        if (responder.State() == MpaStartup::State::ULP_DECIDES)
        {
            responder.Accept();
        }
        const MpaStartupEndpoint::Octets reply = responder.TakeSent();
        NS_TEST_ASSERT_MSG_EQ(reply.size(), 20, "one Reply without Private Data");
        const bool version0 = toRdmac || (fromRdmac && to.personality != MpaPersonality::IETF);
        const uint8_t replyFlags = (to.markers ? 0x80 : 0) | (responderCrc ? 0x40 : 0);
        NS_TEST_EXPECT_MSG_EQ(+reply[16], (version0 ? 0xC0 : +replyFlags), "Reply's flags");
        NS_TEST_EXPECT_MSG_EQ(+reply[17], (version0 ? 0 : 1), "Reply's Rev");
        IWARP_COVERS("MPA-C.2.3-03 MPA-C.2.4-01 MPA-C.2.5-02");

        initiator.Feed(reply, 1);
        if (initiator.State() == MpaStartup::State::ULP_DECIDES)
        {
            initiator.Accept();
        }

        const std::string expected = FIGURES[m_row][m_column];
        if (expected == "close")
        {
            CheckClosed(initiator, responder, fromRdmac);
            return;
        }
        responder.Do(responder.machine.FpduValidated());
        NS_TEST_ASSERT_MSG_EQ((initiator.State() == MpaStartup::State::FULL), true, "Initiator");
        NS_TEST_ASSERT_MSG_EQ((responder.State() == MpaStartup::State::FULL), true, "Responder");
        const MpaStartupResult& i = initiator.machine.Result();
        const MpaStartupResult& r = responder.machine.Result();
        std::ostringstream cell;
        cell << "V" << +i.version << " " << i.rxMarkers << "/" << r.rxMarkers;
        CheckCell(cell.str(), expected, from.personality, to.personality);
        IWARP_COVERS("MPA-C.1-07");
        // one version in both directions
        NS_TEST_EXPECT_MSG_EQ(+r.version, +i.version, "same version at both ends");
        NS_TEST_EXPECT_MSG_EQ(i.txMarkers, r.rxMarkers, "Initiator sends what is expected");
        NS_TEST_EXPECT_MSG_EQ(r.txMarkers, i.rxMarkers, "Responder sends what is expected");
        NS_TEST_EXPECT_MSG_EQ(+i.peerRevision, +reply[17], "Rev told to the Initiator's ULP");
        NS_TEST_EXPECT_MSG_EQ(+r.peerRevision, +request[17], "Rev told to the Responder's ULP");
        IWARP_COVERS("MPA-C.1-06");
        const bool crc = fromRdmac || toRdmac || initiatorCrc || responderCrc;
        NS_TEST_EXPECT_MSG_EQ(i.crc, crc, "CRC at the Initiator");
        NS_TEST_EXPECT_MSG_EQ(r.crc, crc, "CRC at the Responder");
        IWARP_COVERS("MPA-C.1-09");
        NS_TEST_EXPECT_MSG_EQ(initiator.failures + responder.failures, 0, "nobody complains");
    }

    /**
     * @brief Compare a cell with that of the figure.
     * @param cell what came of startup
     * @param expected the figure's
     * @param from the Initiator
     * @param to the Responder
     */
    void CheckCell(const std::string& cell,
                   const std::string& expected,
                   MpaPersonality from,
                   MpaPersonality to)
    {
        const auto expect = [&] { NS_TEST_EXPECT_MSG_EQ(cell, expected, "cell of the figure"); };
        const bool permissive =
            from == MpaPersonality::PERMISSIVE || to == MpaPersonality::PERMISSIVE;
        if (permissive && from == MpaPersonality::RDMAC)
        {
            expect();
            IWARP_COVERS("MPA-C.1-04 MPA-C.2.3-01 MPA-C.2.3-04");
        }
        else if (permissive && to == MpaPersonality::RDMAC)
        {
            expect();
            IWARP_COVERS("MPA-C.1-04 MPA-C.2.3-01 MPA-C.2.3-05");
        }
        else if (permissive && from == to)
        {
            expect();
            IWARP_COVERS("MPA-C.2.3-06 MPA-C.3-01");
        }
        else if (!permissive && from == MpaPersonality::IETF)
        {
            expect();
            IWARP_COVERS("MPA-C.2-03 MPA-C.3-01");
        }
        else if (permissive)
        {
            expect();
            IWARP_COVERS("MPA-C.3-01");
        }
        else
        {
            expect();
            IWARP_COVERS("MPA-C.1-07");
        }
    }

    /**
     * @brief RDMAC and non-permissive do not work together.
     * @param initiator after the Reply
     * @param responder after the Reply
     * @param fromRdmac the Initiator is the RDMAC RNIC
     */
    void CheckClosed(MpaStartupEndpoint& initiator, MpaStartupEndpoint& responder, bool fromRdmac)
    {
        // the Responder closes right behind its Reply; the Initiator
        // closes when it has read Rev.
        NS_TEST_EXPECT_MSG_EQ(responder.closed, fromRdmac, "Responder closes first");
        NS_TEST_EXPECT_MSG_EQ(initiator.closed, true, "Initiator closes after reading Rev");
        IWARP_COVERS("MPA-C.2.1-02 MPA-C.2.2-01");
        NS_TEST_EXPECT_MSG_EQ((initiator.error == MpaError::NONE), true, "a local error");
        NS_TEST_EXPECT_MSG_EQ(initiator.sending, false, "no FPDU from the Initiator");
        if (!fromRdmac)
        {
            responder.Do(responder.machine.ConnectionLost());
            NS_TEST_EXPECT_MSG_EQ((responder.error == MpaError::CONNECTION_LOST),
                                  true,
                                  "the Responder sees TCP end");
        }
        NS_TEST_EXPECT_MSG_EQ(responder.sending, false, "no FPDU from the Responder");
        NS_TEST_EXPECT_MSG_EQ(initiator.failures, 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(responder.failures, 1, "told once");
        IWARP_COVERS("MPA-C.2-01");
    }

    std::size_t m_row;    //!< Initiator
    std::size_t m_column; //!< Responder
};

IWARP_TEST_CASES(mpaInteropMatrix)
{
    for (std::size_t row = 0; row < 5; row++)
    {
        for (std::size_t column = 0; column < 5; column++)
        {
            suite.AddTestCase(new MpaInteropCellTest(row, column));
        }
    }
}

/// @brief What one RNIC does with peers of several kinds, and what peers can tell of it.
IWARP_TEST(mpaInteropMatrix, "kinds and peers of draft-01")
{
    // frames of both IETF kinds are the same octet for octet.
    for (const bool markers : {false, true})
    {
        const MatrixEnd np{"", MpaPersonality::IETF, markers};
        const MatrixEnd p{"", MpaPersonality::PERMISSIVE, markers};
        MpaStartupEndpoint a(MatrixConfig(MpaRole::INITIATOR, np, true));
        MpaStartupEndpoint b(MatrixConfig(MpaRole::INITIATOR, p, true));
        a.Start({1, 2, 3});
        b.Start({1, 2, 3});
        NS_TEST_EXPECT_MSG_EQ((a.sent == b.sent), true, "Requests");
        MpaStartupEndpoint c(MatrixConfig(MpaRole::RESPONDER, np, true));
        MpaStartupEndpoint d(MatrixConfig(MpaRole::RESPONDER, p, true));
        for (MpaStartupEndpoint* e : {&c, &d})
        {
            e->Start();
            e->Feed(a.sent);
            e->Accept({4, 5});
        }
        NS_TEST_EXPECT_MSG_EQ((c.sent == d.sent), true, "Replies");
    }
    IWARP_COVERS("MPA-C.3-02");

    // A peer of draft-ietf-rddp-mpa-01 sends Rev 0 like RDMAC, but with M=0: it sends us
    // Markers since our Reply asks for them, and gets none.
    MpaStartupEndpoint responder(MatrixConfig(MpaRole::RESPONDER, MATRIX_ENDS[3], false));
    responder.Start();
    MpaStartupFrame draft;
    draft.revision = 0;
    draft.markers = false;
    draft.crc = false;
    responder.Feed(draft.Encode());
    responder.Accept();
    NS_TEST_EXPECT_MSG_EQ(+responder.machine.Result().version, 0, "version");
    NS_TEST_EXPECT_MSG_EQ(responder.machine.Result().rxMarkers, true, "Markers expected");
    NS_TEST_EXPECT_MSG_EQ(responder.machine.Result().txMarkers, false, "no Markers sent");
    NS_TEST_EXPECT_MSG_EQ(responder.machine.Result().crc, true, "CRC asked for in the Reply");

    // without the frame agent nobody answers, and the IETF Initiator times out.
    MpaStartupEndpoint alone(MatrixConfig(MpaRole::INITIATOR, MATRIX_ENDS[2], true));
    alone.Start();
    NS_TEST_EXPECT_MSG_EQ(alone.Do(alone.machine.Timeout()), "close fail0", "timeout");
    IWARP_COVERS("MPA-C-03");
}
