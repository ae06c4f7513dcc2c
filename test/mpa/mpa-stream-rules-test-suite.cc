/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/util-crc32c.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

/// Rules of MPA that show between two streams.
IWARP_TEST_SUITE(mpaStreamRules, "mpa-stream-rules");

/**
 * @ingroup iwarp-tests
 * All 16 combinations of M and C: Markers in each direction as its receiver asks, CRC unless both
 * ends decline it, the same ULPDUs in every case.
 */
class MpaStreamOptionsTestCase : public TestCase
{
  public:
    /// @param bits M and C of the Initiator, M and C of the Responder
    /// @param anyway GenerateCrcAnyway
    MpaStreamOptionsTestCase(uint32_t bits, bool anyway)
        : TestCase("options " + std::to_string(bits) + (anyway ? ", CRC sent anyway" : "")),
          m_markers{(bits & 8) != 0, (bits & 2) != 0},
          m_crc{(bits & 4) != 0, (bits & 1) != 0},
          m_anyway(anyway)
    {
    }

  private:
    /// Apply the options. @param stream stream @param side 0 Initiator, 1 Responder
    void Configure(Ptr<MpaStream> stream, uint32_t side)
    {
        stream->SetAttribute("Markers", BooleanValue(m_markers[side]));
        stream->SetAttribute("Crc", BooleanValue(m_crc[side]));
        stream->SetAttribute("PathIntegrity", BooleanValue(true));
        stream->SetAttribute("GenerateCrcAnyway", BooleanValue(m_anyway));
    }

    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log[2];
        Ptr<MpaStream> stream[2];
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                // what the Initiator's TCP receives is what the Responder sent, octet for octet
                socket->TraceConnectWithoutContext(
                    "Rx",
                    MakeCallback(&MpaStreamOptionsTestCase::NoteSegment, this));
                stream[0] = log[0].MakeStream(socket);
                Configure(stream[0], 0);
                stream[0]->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                stream[1] = log[1].MakeStream(socket);
                Configure(stream[1], 1);
                stream[1]->StartResponder();
            });
        // no DDP header at all: MPA does not look into ULPDUs
        const auto ulpdu = PatternUlpdu(1000, 5);
        Simulator::Schedule(MilliSeconds(100), [&] { SendUlpdu(stream[0], ulpdu); });
        Simulator::Schedule(MilliSeconds(200), [&] { SendUlpdu(stream[1], ulpdu); });
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        const bool crc = m_crc[0] || m_crc[1];
        for (uint32_t side : {0, 1})
        {
            const auto& result = stream[side]->GetResult();
            NS_TEST_EXPECT_MSG_EQ(result.crc, crc, "CRC unless both decline");
            IWARP_COVERS("MPA-4.4-06 MPA-7.1.1-11");
            NS_TEST_EXPECT_MSG_EQ(result.rxMarkers, m_markers[side], "own M");
            NS_TEST_EXPECT_MSG_EQ(result.txMarkers, m_markers[1 - side], "peer's M");
            IWARP_COVERS("MPA-4.3-02 MPA-7.1.1-05 MPA-7.1.1-06");
            NS_TEST_ASSERT_MSG_EQ(log[side].passed.size(), 1, "one ULPDU");
            NS_TEST_EXPECT_MSG_EQ((log[side].passed[0].octets == ulpdu), true, "the same octets");
            IWARP_COVERS("MPA-4.4-08 MPA-B.1.2-01");
        }
        // the Responder's stream behind its 20-octet Reply
        NS_TEST_ASSERT_MSG_GT(m_octets.size(), 20, "an FPDU");
        std::vector<uint8_t> fpdu(m_octets.begin() + 20, m_octets.end());
        NS_TEST_EXPECT_MSG_EQ(fpdu.size(),
                              mpa::WireSize(1000, 0, m_markers[0]),
                              "Markers as the Initiator asks; the CRC field is always there");
        IWARP_COVERS("MPA-1.2-05 MPA-4.3-03 MPA-4.4-12 MPA-7.1.1-07 MPA-7.1.1-08");
        iwarp::Crc32c expected;
        expected.Update(fpdu.data(), fpdu.size() - 4);
        NS_TEST_EXPECT_MSG_EQ(expected.Matches(&fpdu[fpdu.size() - 4]),
                              (crc || m_anyway),
                              "the CRC field is filled if CRC is in use, or anyway");
        IWARP_COVERS("MPA-4.4-11 MPA-7.1.1-10 MPA-7.1.1-11");
        Simulator::Destroy();
    }

    /// Collect in-order payload. @param packet payload @param header its header @param socket
    /// socket
    void NoteSegment(Ptr<const Packet> packet,
                     const TcpHeader& /* header */,
                     Ptr<const TcpSocketBase> /* socket */)
    {
        const auto before = m_octets.size();
        m_octets.resize(before + packet->GetSize());
        packet->CopyData(m_octets.data() + before, packet->GetSize());
    }

    bool m_markers[2];             //!< attribute Markers of either side
    bool m_crc[2];                 //!< attribute Crc of either side
    bool m_anyway;                 //!< attribute GenerateCrcAnyway
    std::vector<uint8_t> m_octets; //!< what the Responder sent
};

IWARP_TEST_CASES(mpaStreamRules)
{
    for (uint32_t bits = 0; bits < 16; ++bits)
    {
        suite.AddTestCase(new MpaStreamOptionsTestCase(bits, false));
    }
    suite.AddTestCase(new MpaStreamOptionsTestCase(0, true));
}

/**
 * @ingroup iwarp-tests
 * TCP recovers what is lost around the switch from streaming to MPA, and nothing is counted twice.
 */
class MpaStreamSwitchLossTestCase : public TestCase
{
  public:
    /// @param lost packets that the right host loses, counted from the connection on
    explicit MpaStreamSwitchLossTestCase(uint32_t lost)
        : TestCase("packet " + std::to_string(lost) + " lost around the switch"),
          m_lost(lost)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log[2];
        Ptr<MpaStream> stream[2];
        std::unique_ptr<RawEnd> left;
        std::unique_ptr<RawEnd> right;
        Ptr<MpaTcpSocket> leftSocket;
        Ptr<MpaTcpSocket> rightSocket;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                leftSocket = socket;
                socket->TraceConnectWithoutContext(
                    "Tx",
                    MakeCallback(&MpaStreamSwitchLossTestCase::NoteSent, this));
                socket->TraceConnectWithoutContext(
                    "Rx",
                    MakeCallback(&MpaStreamSwitchLossTestCase::NoteReceived, this));
                left = std::make_unique<RawEnd>(socket);
            },
            [&](Ptr<MpaTcpSocket> socket) {
                rightSocket = socket;
                right = std::make_unique<RawEnd>(socket);
            });
        Simulator::Schedule(MilliSeconds(50), [&] {
            auto drop = CreateObject<ReceiveListErrorModel>();
            drop->SetList({m_lost});
            hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
            left->Send(PatternUlpdu(3000, 1)); // three segments of streaming data
        });
        // the ULP protocol: 3000 octets, then MPA
        Simulator::Schedule(Seconds(10), [&] {
            NS_TEST_EXPECT_MSG_EQ((right->received == PatternUlpdu(3000, 1)), true, "streaming");
            stream[1] = log[1].MakeStream(rightSocket);
            stream[1]->StartResponder();
            stream[0] = log[0].MakeStream(leftSocket);
            stream[0]->StartInitiator();
        });
        Simulator::Schedule(Seconds(20), [&] {
            for (uint32_t i = 0; i < 5; ++i)
            {
                SendUlpdu(stream[0], PatternUlpdu(900, i));
            }
        });
        Simulator::Stop(Seconds(40));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(right->received.size(), 3000, "no MPA octet is taken for streaming");
        IWARP_COVERS("MPA-7.1.5-01 MPA-7.1.5-05");
        NS_TEST_EXPECT_MSG_EQ(log[1].delivered, 5, "all ULPDUs");
        IWARP_COVERS("MPA-7.1.5-04");
        NS_TEST_EXPECT_MSG_EQ(log[0].errors.size() + log[1].errors.size(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(m_broken, "", "TCP's rules");
        IWARP_COVERS("MPA-7.1.5-03");
        NS_TEST_EXPECT_MSG_GT(m_stream.size(), 3000, "before the switch and behind it");
        Simulator::Destroy();
    }

    /// The left host sends a segment: it follows the last octet sent or is sent again with the same
    /// octets, and stays in the window. @param packet payload @param header its header
    void NoteSent(Ptr<const Packet> packet,
                  const TcpHeader& header,
                  Ptr<const TcpSocketBase> /* socket */)
    {
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), octets.size());
        const std::size_t begin = header.GetSequenceNumber().GetValue() - 1; // the SYN's is 0
        if (octets.empty())
        {
            return;
        }
        if (begin > m_stream.size())
        {
            m_broken += "a gap at " + std::to_string(begin) + "; ";
            return;
        }
        const std::size_t again = std::min(octets.size(), m_stream.size() - begin);
        if (!std::equal(octets.begin(), octets.begin() + again, m_stream.begin() + begin))
        {
            m_broken += "other octets at " + std::to_string(begin) + "; ";
        }
        m_stream.insert(m_stream.end(), octets.begin() + again, octets.end());
        if (m_stream.size() > m_edge)
        {
            m_broken += "beyond the window at " + std::to_string(begin) + "; ";
        }
    }

    /// A segment comes to the left host. @param header its header
    void NoteReceived(Ptr<const Packet> /* packet */,
                      const TcpHeader& header,
                      Ptr<const TcpSocketBase> /* socket */)
    {
        const auto ack = header.GetAckNumber().GetValue() - 1;
        if (ack > m_stream.size())
        {
            m_broken += "an ACK of what was not sent; ";
        }
        m_edge = std::max<std::size_t>(m_edge, ack + header.GetWindowSize() * SCALE);
    }

    static constexpr uint32_t SCALE = 4; //!< window scale of 2, that of a buffer of 131072 octets

    uint32_t m_lost;               //!< the packet that is lost
    std::vector<uint8_t> m_stream; //!< what the left host has sent, in order
    std::size_t m_edge{65535};     //!< octets that the right host's windows allow
    std::string m_broken;          //!< rules that were broken
};

/// Full Operation is refused as long as nobody takes ULPDUs; no FPDU is sent or decoded meanwhile.
IWARP_TEST(mpaStreamRules, "Full Operation needs a bound ULP")
{
    MpaLinkedHosts hosts;
    MpaStreamLog initiatorLog;
    MpaStreamLog responderLog;
    Ptr<MpaStream> initiator;
    Ptr<MpaStream> responder;
    hosts.Connect(
        [&](Ptr<MpaTcpSocket> socket) {
            initiator = initiatorLog.MakeStream(socket);
            initiatorLog.takesUlpdus = false;
            NS_TEST_EXPECT_MSG_EQ(initiator->StartInitiator(), true, "started");
        },
        [&](Ptr<MpaTcpSocket> socket) {
            responder = responderLog.MakeStream(socket);
            responder->StartResponder();
        });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    // the log accepts the peer's frame at once, which fails for want of a ULP
    NS_TEST_ASSERT_MSG_EQ(initiatorLog.errors.size(), 1, "told why");
    NS_TEST_EXPECT_MSG_NE(initiatorLog.errors[0].reason.find("SetUser"),
                          std::string::npos,
                          "and what to do");
    NS_TEST_EXPECT_MSG_EQ(initiatorLog.established.size(), 0, "no Full Operation");
    NS_TEST_EXPECT_MSG_EQ(SendUlpdu(initiator, PatternUlpdu(10, 1)), -1, "no ULPDU is taken");
    IWARP_COVERS("MPA-7.1-07");
    NS_TEST_EXPECT_MSG_EQ(responderLog.passed.size(), 0, "and none is sent");

    initiatorLog.takesUlpdus = true;
    initiator->ClearUser(nullptr);
    NS_TEST_EXPECT_MSG_EQ(initiator->HasUser(), true, "nobody else ends what it is of");
    NS_TEST_EXPECT_MSG_EQ(initiator->Accept(), true, "bound");
    IWARP_COVERS("MPA-7.1-06");
    NS_TEST_EXPECT_MSG_EQ(SendUlpdu(initiator, PatternUlpdu(10, 1)), 10, "taken now");
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(responderLog.passed.size(), 1, "and sent");

    auto lone = CreateObject<MpaStream>();
    lone->SetSocket(initiator->GetSocket());
    NS_TEST_EXPECT_MSG_EQ(lone->StartInitiator(), false, "nobody could ever take ULPDUs");
    Simulator::Destroy();
}

IWARP_TEST_CASES(mpaStreamRules)
{
    for (uint32_t lost = 0; lost < 6; ++lost)
    {
        suite.AddTestCase(new MpaStreamSwitchLossTestCase(lost));
    }
}
