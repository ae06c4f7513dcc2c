/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of protocol versions below MPA.
IWARP_TEST_SUITE(rdmapVersion, "rdmap-version");

/// A row or a column of Figures 15 to 17 of RFC 5044.
struct VersionEnd
{
    const char* name;        //!< as in the figures
    const char* personality; //!< kind of RNIC
    bool markers;            //!< own preference
};

const VersionEnd VERSION_ENDS[] = {
    {"RDMAC", "Rdmac", true},
    {"NP M=0", "Ietf", false},
    {"NP M=1", "Ietf", true},
    {"P M=0", "Permissive", false},
    {"P M=1", "Permissive", true},
};

/// What goes from one end to the other: a Send of four octets, by hand, as the RDMA Consortium has
/// it with Markers, and as the RFCs have it without and with them; or nothing.
const char* const V0M = "00000000 0016 4003 00000000 00000000 00000001 00000000 11223344 C2822C43";
const char* const V1 = "0016 4143 00000000 00000000 00000001 00000000 11223344 A2A7A020";
const char* const V1M = "00000000 0016 4143 00000000 00000000 00000001 00000000 11223344 258C9253";
const char* const NO = "";

/// What the Initiator sends, by Initiator and Responder.
const char* const INITIATOR_SENDS[5][5] = {
    // RDMAC NP0 NP1 P0 P1
    {V0M, NO, NO, V0M, V0M}, // RDMAC
    {NO, V1, V1M, V1, V1M},  // NP M=0
    {NO, V1, V1M, V1, V1M},  // NP M=1
    {V0M, V1, V1M, V1, V1M}, // P M=0
    {V0M, V1, V1M, V1, V1M}, // P M=1
};

/// What the Responder sends.
const char* const RESPONDER_SENDS[5][5] = {
    // RDMAC NP0 NP1 P0 P1
    {V0M, NO, NO, V0M, V0M},   // RDMAC
    {NO, V1, V1, V1, V1},      // NP M=0
    {NO, V1M, V1M, V1M, V1M},  // NP M=1
    {V0M, V1, V1, V1, V1},     // P M=0
    {V0M, V1M, V1M, V1M, V1M}, // P M=1
};

/// Draft-ietf-rddp-mpa-01, Figure 5: a Send of 24 zero octets behind a Marker, of version 0.
const char* const DRAFT_FIGURE_5 = "00000000 002A 4003 00000000 00000000 00000001 00000000"
                                   "000000000000000000000000000000000000000000000000 4C86B384";

/// Octets that a socket sends behind the first 20, which are its startup frame.
struct SentOctets
{
    std::vector<uint8_t> octets; //!< all of them

    /// @param packet payload of a segment
    void Note(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        const auto before = octets.size();
        octets.resize(before + packet->GetSize());
        packet->CopyData(octets.data() + before, packet->GetSize());
    }

    /// @return octets behind the startup frame
    std::vector<uint8_t> GetFpdus() const
    {
        return octets.size() < 20 ? octets
                                  : std::vector<uint8_t>(octets.begin() + 20, octets.end());
    }
};

/// Make an end of a kind. @param end end @param kind kind @param crc it wants CRC @param sent gets
/// what it sends
void
MakeEnd(RdmapTestEnd& end, const VersionEnd& kind, bool crc, SentOctets& sent)
{
    end.revision = 1;
    end.onMpa = [&kind, crc, &sent](Ptr<MpaStream> mpa) {
        mpa->SetAttribute("Personality", StringValue(kind.personality));
        mpa->SetAttribute("Markers", BooleanValue(kind.markers));
        mpa->SetAttribute("Crc", BooleanValue(crc));
        mpa->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&SentOctets::Note, &sent));
    };
    const uint8_t payload[] = {0x11, 0x22, 0x33, 0x44};
    std::memcpy(end.memory.data(), payload, sizeof(payload));
}

/// A cell of the figures, on segments.
class RdmapInteropCellTest : public TestCase
{
  public:
    /// @param row Initiator @param column Responder
    RdmapInteropCellTest(std::size_t row, std::size_t column)
        : TestCase(std::string(VERSION_ENDS[row].name) + " to " + VERSION_ENDS[column].name +
                   " on segments"),
          m_row(row),
          m_column(column)
    {
    }

  private:
    /// @param crc the ends want CRC
    void Connect(bool crc)
    {
        RdmapTestConnection c;
        SentOctets fromInitiator;
        SentOctets fromResponder;
        MakeEnd(c.a, VERSION_ENDS[m_row], crc, fromInitiator);
        MakeEnd(c.b, VERSION_ENDS[m_column], crc, fromResponder);
        c.a.onEstablished = [&] { c.a.Post(RdmapWorkKind::SEND, 0, 4, c.b, 0); };
        c.b.onReceived = [&] { c.b.Post(RdmapWorkKind::SEND, 0, 4, c.a, 0); };
        c.Run(Seconds(5));
        const std::vector<uint8_t> initiator = Hex(INITIATOR_SENDS[m_row][m_column]);
        const std::vector<uint8_t> responder = Hex(RESPONDER_SENDS[m_row][m_column]);
        NS_TEST_EXPECT_MSG_EQ((fromInitiator.GetFpdus() == initiator), true, "Initiator's FPDUs");
        NS_TEST_EXPECT_MSG_EQ((fromResponder.GetFpdus() == responder), true, "Responder's FPDUs");
        const bool works = !initiator.empty();
        for (const RdmapTestEnd* end : {&c.a, &c.b})
        {
            NS_TEST_EXPECT_MSG_EQ(end->established, works, "established");
            NS_TEST_EXPECT_MSG_EQ(end->received.size(), works, "received");
            // an RDMAC Responder that has accepted sees no more than the Initiator's FIN
            const bool accepted = !works && end == &c.b && m_column == 0;
            NS_TEST_EXPECT_MSG_EQ(end->failures.size(), !works && !accepted, "no failure");
            NS_TEST_EXPECT_MSG_EQ(end->startupFailures.size(), !works && !accepted, "if it works");
            NS_TEST_EXPECT_MSG_EQ(end->peerClosed, accepted, "nor an end");
        }
        if (!works)
        {
            NS_TEST_EXPECT_MSG_EQ(fromInitiator.octets.size(), 20, "a Request and nothing else");
            NS_TEST_EXPECT_MSG_EQ(fromResponder.octets.size(), 20, "a Reply and nothing else");
            IWARP_COVERS("MPA-C.2-01 MPA-C.2.1-02 MPA-C.2.2-01");
            return;
        }
        const uint32_t version = INITIATOR_SENDS[m_row][m_column] == V0M ? 0 : 1;
        NS_TEST_EXPECT_MSG_EQ(c.a.version, version, "told to the Initiator's ULP");
        NS_TEST_EXPECT_MSG_EQ(c.b.version, version, "told to the Responder's ULP");
        IWARP_COVERS("MPA-C.1-05 MPA-C.1-07 MPA-C.1-08 RDMAP-4.1-07");
        CoverCell(c.b.version);
        // as the octets show
        NS_TEST_EXPECT_MSG_EQ(c.a.stream->GetMpa()->GetResult().crc, true, "CRC at the Initiator");
        NS_TEST_EXPECT_MSG_EQ(c.b.stream->GetMpa()->GetResult().crc, true, "CRC at the Responder");
        IWARP_COVERS("MPA-C.1-09");
    }

    /// Record what a cell that works stands for. @param version that the Responder is told
    void CoverCell(uint32_t version)
    {
        const auto expect = [this, version](uint32_t wanted) {
            NS_TEST_EXPECT_MSG_EQ(version, wanted, "version of the cell");
        };
        if (m_row == 0 && m_column == 0)
        {
            expect(0);
            IWARP_COVERS("MPA-C.2-02");
        }
        else if (m_row == 0)
        {
            expect(0);
            IWARP_COVERS("MPA-C.2.3-01 MPA-C.2.3-02 MPA-C.2.3-04 MPA-C.2.4-01");
        }
        else if (m_column == 0)
        {
            expect(0);
            IWARP_COVERS("MPA-C.2.3-01 MPA-C.2.3-02 MPA-C.2.3-05");
        }
        else if (m_row >= 3 && m_column >= 3)
        {
            expect(1);
            IWARP_COVERS("MPA-C.2.3-06 MPA-C.3-01");
        }
        else
        {
            expect(1);
            IWARP_COVERS("MPA-C.2-03 MPA-C.3-01");
        }
    }

    void DoRun() override
    {
        Connect(true);
        if (INITIATOR_SENDS[m_row][m_column] == V0M)
        {
            Connect(false); // an RDMAC RNIC has CRC on whatever the other wants
        }
    }

    std::size_t m_row;    //!< Initiator
    std::size_t m_column; //!< Responder
};

/// A permissive Initiator without Markers before an RDMAC Responder made by hand.
class RdmapVersionPeerTest : public TestCase
{
  public:
    /// @param second the peer's second FPDU @param terminate what is said of it
    RdmapVersionPeerTest(const std::string& second, const std::string& terminate)
        : TestCase("a permissive Initiator and an RDMAC peer made by hand: " + terminate),
          m_second(Hex(second)),
          m_terminate(Hex(terminate))
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        RdmapTestEnd a;
        a.revision = 1;
        a.onMpa = [](Ptr<MpaStream> mpa) {
            mpa->SetAttribute("Personality", StringValue("Permissive"));
            mpa->SetAttribute("Markers", BooleanValue(false));
            mpa->SetAttribute("Crc", BooleanValue(false));
        };
        a.onEstablished = [&a] { a.Post(RdmapWorkKind::SEND, 0, 24, a, 0); };
        std::unique_ptr<RawEnd> peer;
        hosts.Connect([&](Ptr<MpaTcpSocket> socket) { a.Start(socket, true); },
                      [&](Ptr<MpaTcpSocket> socket) { peer = std::make_unique<RawEnd>(socket); });
        Simulator::Schedule(MilliSeconds(100),
                            [&] { peer->Send(Hex("4D504120494420526570204672616D65 C000 0000")); });
        Simulator::Schedule(MilliSeconds(200), [&] { peer->Send(Hex(DRAFT_FIGURE_5)); });
        Simulator::Schedule(MilliSeconds(300), [&] {
            const auto expected =
                Hex(std::string("4D504120494420526571204672616D65 0001 0000") + DRAFT_FIGURE_5);
            NS_TEST_EXPECT_MSG_EQ((peer->received == expected), true, "as draft-01 has it");
            NS_TEST_ASSERT_MSG_EQ(a.received.size(), 1, "and taken as it has it");
            NS_TEST_EXPECT_MSG_EQ(a.received[0].length, 24, "octets");
            NS_TEST_EXPECT_MSG_EQ(a.version, 0, "told to the ULP");
            NS_TEST_EXPECT_MSG_EQ(a.failures.size(), 0, "nothing is wrong");
            IWARP_COVERS("MPA-C.2.5-01 MPA-C.2.3-02");
            peer->received.clear();
            peer->Send(m_second);
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        // length, DDP header of version 0, and what is wrong
        NS_TEST_ASSERT_MSG_GT(peer->received.size(), 22, "an answer");
        const std::vector<uint8_t> answer(peer->received.begin() + 2, peer->received.begin() + 22);
        NS_TEST_EXPECT_MSG_EQ((answer == m_terminate), true, "Terminate");
        NS_TEST_EXPECT_MSG_EQ(a.received.size(), 1, "not taken");
        IWARP_COVERS("MPA-C.1-05 MPA-C.1-08 DDP-7.2-14");
        a.stream->Dispose();
        Simulator::Destroy();
    }

    std::vector<uint8_t> m_second;    //!< the peer's second FPDU
    std::vector<uint8_t> m_terminate; //!< first octets of the Terminate
};

IWARP_TEST_CASES(rdmapVersion)
{
    for (std::size_t row = 0; row < 5; row++)
    {
        for (std::size_t column = 0; column < 5; column++)
        {
            suite.AddTestCase(new RdmapInteropCellTest(row, column));
        }
    }
    const std::string rest = "00000000 00000000 00000002 00000000"
                             "000000000000000000000000000000000000000000000000";
    // DV 1, and DV 0 with RV 1
    suite.AddTestCase(new RdmapVersionPeerTest("002A 4143" + rest + "290FBEDE",
                                               "4007 00000000 00000002 00000001 00000000 1206"));
    suite.AddTestCase(new RdmapVersionPeerTest("002A 4043" + rest + "B989692D",
                                               "4007 00000000 00000002 00000001 00000000 0205"));
}

} // namespace
