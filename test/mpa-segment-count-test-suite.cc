/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"
#include "mpa-tcp-test.h"
#include "requirement-record.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr uint32_t MESSAGE = 1 << 20; //!< octets of the message
constexpr uint32_t EMSS = 1460;       //!< MTU 1500, IPv4, no TCP options
constexpr uint32_t DDP_HEADER = 14;   //!< octets of a tagged segment's header

/**
 * @ingroup iwarp-tests
 * A message cut to the MULPDU takes as many segments as plain TCP takes for the same octets, here
 * ns-3's own TCP beside it: alignment adds none, framing does (RFC 5044 section B.2.2).
 */
class MpaSegmentCountTestCase : public TestCase
{
  public:
    /// @param markers Markers @param mulpdu MULPDU @param expected segments
    MpaSegmentCountTestCase(bool markers, uint32_t mulpdu, uint32_t expected)
        : TestCase(std::string("1 MiB, ") + (markers ? "" : "no ") + "Markers, beside plain TCP"),
          m_markers(markers),
          m_mulpdu(mulpdu),
          m_expected(expected)
    {
    }

  private:
    /// @param octets to send over TcpSocketBase @return segments that they take
    static uint32_t CountPlain(uint32_t octets)
    {
        MpaTcpSetup setup;
        setup.mpa = false;
        setup.mpaReceiver = false;
        setup.timestamps = false;
        setup.segmentSize = EMSS;
        setup.sndBuf = 2 << 20;
        setup.rcvBuf = 2 << 20;
        setup.closeAtEnd = false;
        setup.records = {octets};
        MpaTcpRun run(setup);
        run.Run();
        return run.received == octets ? run.CountData() : 0;
    }

    /// Send the message over an MPA stream. @param alignment Alignment @return segments
    uint32_t CountStream(bool alignment)
    {
        m_segments = 0;
        m_octets = 0;
        MpaLinkedHosts hosts(MicroSeconds(50));
        MpaStreamLog log[2];
        Ptr<MpaStream> stream[2];
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                socket->SetAttribute("Alignment", BooleanValue(alignment));
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
                MakeCallback(&MpaSegmentCountTestCase::NoteSegment, this));
            for (uint32_t left = MESSAGE; left > 0;)
            {
                const uint32_t payload = std::min(left, m_mulpdu - DDP_HEADER);
                SendUlpdu(stream[0], PatternUlpdu(payload + DDP_HEADER, left));
                left -= payload;
            }
        });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        Simulator::Destroy();
        return m_segments;
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 << 20));
        Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(2 << 20));
        NS_TEST_EXPECT_MSG_EQ(CountPlain(MESSAGE), 719, "the message alone over plain TCP");
        const uint32_t aligned = CountStream(true);
        const uint32_t octets = m_octets;
        NS_TEST_EXPECT_MSG_EQ(aligned, m_expected, "segments, framing included");
        NS_TEST_EXPECT_MSG_EQ(aligned, CountPlain(octets), "plain TCP, the same octets");
        IWARP_COVERS("MPA-B.2.2-02");
        NS_TEST_EXPECT_MSG_EQ(CountStream(false), aligned, "the same without alignment");
        NS_TEST_EXPECT_MSG_EQ(m_octets, octets, "of the same octets");
        Config::Reset();
    }

    /// Count. @param size octets of a segment
    void NoteSegment(SequenceNumber32 /* seq */,
                     uint32_t size,
                     bool /* headerAligned */,
                     bool /* fpduAligned */,
                     bool /* retransmission */)
    {
        ++m_segments;
        m_octets += size;
    }

    bool m_markers;         //!< Markers
    uint32_t m_mulpdu;      //!< MULPDU
    uint32_t m_expected;    //!< segments that RFC 5044's arithmetic gives
    uint32_t m_segments{0}; //!< segments of the stream
    uint32_t m_octets{0};   //!< their payload
};

/**
 * @ingroup iwarp-tests
 * How many segments a message takes.
 */
class MpaSegmentCountTestSuite : public TestSuite
{
  public:
    MpaSegmentCountTestSuite()
        : TestSuite("mpa-segment-count", TestSuite::Type::UNIT)
    {
        // 1 MiB in FPDUs of 1440 octets of payload, or of 1428 where Markers take room
        AddTestCase(new MpaSegmentCountTestCase(false, 1454, 729), IWARP_TEST_QUICK);
        AddTestCase(new MpaSegmentCountTestCase(true, 1442, 735), IWARP_TEST_QUICK);
    }
};

MpaSegmentCountTestSuite g_mpaSegmentCountTestSuite; //!< the suite

} // namespace
