/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"
#include "requirement-record.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/mpa-crc32c.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

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
        MpaCrc32c expected;
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
        Simulator::Destroy();
    }

    uint32_t m_lost; //!< the packet that is lost
};

/**
 * @ingroup iwarp-tests
 * How ULPDUs fill segments: a large message, small ones alone, packed by Nagle or queued.
 */
class MpaStreamFillTestCase : public TestCase
{
  public:
    /// @param name of the case @param markers Markers @param noDelay TcpNoDelay @param alignment
    /// Alignment
    /// @param lengths ULPDUs to send @param gap time between ULPDUs @param delay one-way delay
    /// @param least fewest segments expected @param most most segments expected
    /// @param aligned all segments begin with an FPDU and hold whole ones
    MpaStreamFillTestCase(const std::string& name,
                          bool markers,
                          bool noDelay,
                          bool alignment,
                          std::vector<uint32_t> lengths,
                          Time gap,
                          Time delay,
                          uint32_t least,
                          uint32_t most,
                          bool aligned)
        : TestCase(name),
          m_markers(markers),
          m_noDelay(noDelay),
          m_alignment(alignment),
          m_lengths(lengths),
          m_gap(gap),
          m_delay(delay),
          m_least(least),
          m_most(most),
          m_allAligned(aligned)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false)); // EMSS 1460
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 << 20));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 << 20));
        MpaLinkedHosts hosts(m_delay);
        MpaStreamLog log[2];
        Ptr<MpaStream> stream[2];
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                socket->SetAttribute("TcpNoDelay", BooleanValue(m_noDelay));
                socket->SetAttribute("Alignment", BooleanValue(m_alignment));
                stream[0] = log[0].MakeStream(socket);
                stream[0]->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                stream[1] = log[1].MakeStream(socket);
                stream[1]->SetAttribute("Markers", BooleanValue(m_markers));
                stream[1]->StartResponder();
            });
        Simulator::Schedule(Seconds(1), [&] {
            stream[0]->GetSocket()->TraceConnectWithoutContext(
                "SegmentSent",
                MakeCallback(&MpaStreamFillTestCase::NoteSegment, this));
            for (uint32_t i = 0; i < m_lengths.size(); ++i)
            {
                Simulator::Schedule(m_gap * static_cast<int64_t>(i), [this, i, &stream] {
                    NS_TEST_EXPECT_MSG_GT(SendUlpdu(stream[0], PatternUlpdu(m_lengths[i], i)),
                                          0,
                                          "room");
                });
            }
        });
        Simulator::Stop(Seconds(100));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(log[1].delivered, m_lengths.size(), "all arrive");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_segments, m_least, "segments");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m_segments, m_most, "segments");
        IWARP_COVERS("MPA-A.2-01 MPA-A.2-02 MPA-A.2-03 MPA-A.2-04 MPA-A.2-05 MPA-A.2-10 "
                     "MPA-A.2-11");
        NS_TEST_EXPECT_MSG_EQ((m_aligned == m_segments), m_allAligned, "aligned segments");
        IWARP_COVERS("MPA-3-02 MPA-B-02 MPA-B-03 MPA-B.1.3-01");
        Simulator::Destroy();
        Config::Reset();
    }

    /// Count. @param headerAligned begins with an FPDU @param fpduAligned holds whole ones
    void NoteSegment(SequenceNumber32 /* seq */,
                     uint32_t /* size */,
                     bool headerAligned,
                     bool fpduAligned,
                     bool /* retransmission */)
    {
        ++m_segments;
        m_aligned += headerAligned && fpduAligned;
    }

    bool m_markers;                  //!< Markers
    bool m_noDelay;                  //!< TcpNoDelay
    bool m_alignment;                //!< Alignment
    std::vector<uint32_t> m_lengths; //!< ULPDUs
    Time m_gap;                      //!< time between them
    Time m_delay;                    //!< one-way delay
    uint32_t m_least;                //!< fewest segments
    uint32_t m_most;                 //!< most segments
    bool m_allAligned;               //!< expected alignment
    uint32_t m_segments{0};          //!< data segments
    uint32_t m_aligned{0};           //!< aligned ones
};

namespace
{

/// @param message octets of a DDP message @param mulpdu MULPDU @return ULPDUs with 14-octet headers
std::vector<uint32_t>
CutMessage(uint32_t message, uint32_t mulpdu)
{
    std::vector<uint32_t> lengths;
    for (uint32_t left = message; left > 0;)
    {
        const uint32_t payload = std::min(left, mulpdu - 14);
        lengths.push_back(payload + 14);
        left -= payload;
    }
    return lengths;
}

} // namespace

/**
 * @ingroup iwarp-tests
 * Full Operation is refused as long as nobody takes ULPDUs; no FPDU is sent or decoded meanwhile.
 */
class MpaStreamUnboundTestCase : public TestCase
{
  public:
    MpaStreamUnboundTestCase()
        : TestCase("Full Operation needs a bound ULP")
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog initiatorLog;
        MpaStreamLog responderLog;
        Ptr<MpaStream> initiator;
        Ptr<MpaStream> responder;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                initiator = initiatorLog.MakeStream(socket);
                initiator->SetUlpduCallback(MpaStream::UlpduCallback());
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
        NS_TEST_EXPECT_MSG_NE(initiatorLog.errors[0].reason.find("SetUlpduCallback"),
                              std::string::npos,
                              "and what to do");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.established.size(), 0, "no Full Operation");
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(initiator, PatternUlpdu(10, 1)), -1, "no ULPDU is taken");
        IWARP_COVERS("MPA-7.1-07");
        NS_TEST_EXPECT_MSG_EQ(responderLog.passed.size(), 0, "and none is sent");

        initiator->SetUlpduCallback(MakeCallback(&MpaStreamUnboundTestCase::Ignore, this));
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

    void Ignore(Ptr<MpaStream> /* stream */, const MpaUlpdu& /* ulpdu */)
    {
    }
};

/**
 * @ingroup iwarp-tests
 * Rules of MPA that show between two streams.
 */
class MpaStreamRulesTestSuite : public TestSuite
{
  public:
    MpaStreamRulesTestSuite()
        : TestSuite("mpa-stream-rules", Type::UNIT)
    {
        for (uint32_t bits = 0; bits < 16; ++bits)
        {
            AddTestCase(new MpaStreamOptionsTestCase(bits, false), IWARP_TEST_QUICK);
        }
        AddTestCase(new MpaStreamOptionsTestCase(0, true), IWARP_TEST_QUICK);
        AddTestCase(new MpaStreamUnboundTestCase, IWARP_TEST_QUICK);
        for (uint32_t lost = 0; lost < 6; ++lost)
        {
            AddTestCase(new MpaStreamSwitchLossTestCase(lost), IWARP_TEST_QUICK);
        }
        auto add = [this](auto... args) {
            AddTestCase(new MpaStreamFillTestCase(args...), IWARP_TEST_QUICK);
        };
        const Time none;
        const Time lan = MicroSeconds(50);
        // section B.2.2: 1 MiB is 729 segments without Markers, 735 with
        add("1 MiB message, no Markers",
            false,
            true,
            true,
            CutMessage(1 << 20, 1454),
            none,
            lan,
            729u,
            729u,
            true);
        add("1 MiB message, Markers",
            true,
            true,
            true,
            CutMessage(1 << 20, 1442),
            none,
            lan,
            735u,
            735u,
            true);
        // section A.2: 100000 octets are 70 full FPDUs and a tail of 40 octets, with MULPDU 1442
        NS_ABORT_MSG_UNLESS(CutMessage(100000, 1442).size() == 71, "70 full FPDUs and a tail");
        add("100000-octet message",
            true,
            true,
            true,
            CutMessage(100000, 1442),
            none,
            lan,
            71u,
            71u,
            true);
        // a ULPDU of 200 octets every 100 us: alone without Nagle; packed by it the more the longer
        // the RTT
        const std::vector<uint32_t> small(200, 200);
        const Time gap = MicroSeconds(100);
        add("small ULPDUs, no delay", false, true, true, small, gap, lan, 200u, 200u, true);
        add("small ULPDUs, Nagle, RTT 100 us",
            false,
            false,
            true,
            small,
            gap,
            lan,
            41u,
            199u,
            true);
        add("small ULPDUs, Nagle, RTT 2 ms",
            false,
            false,
            true,
            small,
            gap,
            MilliSeconds(1),
            28u,
            40u,
            true);
        // a queue of small ones is packed, 7 FPDUs of 208 octets a segment, once the window allows
        add("small ULPDUs queued", false, true, true, small, none, lan, 29u, 31u, true);
        // 1000-octet ULPDUs: one a segment when aligned, cut anywhere when not
        const std::vector<uint32_t> odd(252, 1000);
        add("1000-octet ULPDUs, aligned", false, true, true, odd, none, lan, 252u, 252u, true);
        add("1000-octet ULPDUs, unaligned", false, true, false, odd, none, lan, 174u, 176u, false);
    }
};

static MpaStreamRulesTestSuite g_mpaStreamRulesTestSuite; //!< registers the suite
