/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-segment-run.h"
#include "mpa-stream-fixture.h"
#include "mpa-tcp-test.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// How many segments a message takes.
IWARP_TEST_SUITE(mpaSegmentCount, "mpa-segment-count");

/// Trace sink. @param frames how many have been sent
void
CountFrame(uint32_t* frames, Ptr<const Packet> /* frame */)
{
    ++*frames;
}

constexpr uint32_t MESSAGE = 1 << 20; //!< octets of the message
constexpr uint32_t EMSS = 1460;       //!< MTU 1500, IPv4, no TCP options
const Time LAN = MicroSeconds(50);    //!< one-way delay

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
    using Sizes = std::vector<uint32_t>; //!< octets of segments or FPDUs

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

    /// Send the message over an MPA stream. @param alignment Alignment @return octets of each
    /// segment
    Sizes SendStream(bool alignment)
    {
        MpaSegmentRun run(m_markers);
        run.onSocket = [alignment](Ptr<MpaTcpSocket> socket) {
            socket->SetAttribute("Alignment", BooleanValue(alignment));
        };
        run.Run([&] {
            NS_TEST_EXPECT_MSG_EQ(run.stream[0]->GetMulpdu(), m_mulpdu, "MULPDU");
            for (const uint32_t length : CutMessage(MESSAGE, m_mulpdu))
            {
                SendUlpdu(run.stream[0], PatternUlpdu(length, length));
            }
        });
        Sizes sizes;
        for (const auto& segment : run.segments)
        {
            sizes.push_back(segment.size);
        }
        return sizes;
    }

    /// Work out the FPDUs of RFC 5044 sections 4.1 and 4.3: words of 4 octets, the last one the
    /// CRC, and a Marker where 512 octets have passed. @return octets of each FPDU
    Sizes FindFpdus() const
    {
        Sizes sizes;
        uint32_t position = 0;
        for (const uint32_t length : CutMessage(MESSAGE, m_mulpdu))
        {
            const uint32_t begin = position;
            for (uint32_t words = (2 + length + 3) / 4 + 1; words > 0; words--)
            {
                position += m_markers && position % 512 == 0 ? 8 : 4;
            }
            sizes.push_back(position - begin);
        }
        return sizes;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CountPlain(MESSAGE), 719, "the message alone over plain TCP");
        const Sizes aligned = SendStream(true);
        NS_TEST_EXPECT_MSG_EQ((aligned == FindFpdus()), true, "a segment is an FPDU");
        NS_TEST_EXPECT_MSG_EQ(aligned.size(), m_expected, "segments, framing included");
        const auto octets = std::accumulate(aligned.begin(), aligned.end(), 0U);
        NS_TEST_EXPECT_MSG_EQ(aligned.size(), CountPlain(octets), "plain TCP, the same octets");
        IWARP_COVERS("MPA-B.2.2-02");
        // with Markers there are FPDUs of 1456 octets, which end elsewhere than these segments
        Sizes full(octets / EMSS, EMSS);
        full.push_back(octets % EMSS);
        NS_TEST_EXPECT_MSG_EQ((SendStream(false) == full), true, "full ones without alignment");
        NS_TEST_EXPECT_MSG_EQ(full.size(), aligned.size(), "as many");
        IWARP_COVERS("MPA-B.2.2-02");
        NS_TEST_EXPECT_MSG_EQ((full != aligned), m_markers, "but not the same");
    }

    bool m_markers;      //!< Markers
    uint32_t m_mulpdu;   //!< MULPDU
    uint32_t m_expected; //!< segments that RFC 5044's arithmetic gives
};

/// ULPDUs, and how they fill segments.
struct Filling
{
    std::string name;              //!< of the case
    const char* shows;             //!< rows of RFC 5044
    std::vector<uint32_t> lengths; //!< ULPDUs to send
    uint32_t least;                //!< fewest segments expected
    uint32_t most;                 //!< most segments expected
    bool markers{false};           //!< Markers
    bool noDelay{true};            //!< TcpNoDelay
    bool alignment{true};          //!< Alignment; what all segments are
    Time gap{0};                   //!< time between ULPDUs
    Time delay{LAN};               //!< one-way delay
};

/**
 * @ingroup iwarp-tests
 * How ULPDUs fill segments: a large message, small ones alone, packed by Nagle or queued.
 */
class MpaSegmentFillTestCase : public TestCase
{
  public:
    /// @param filling what is sent
    explicit MpaSegmentFillTestCase(const Filling& filling)
        : TestCase(filling.name),
          m_filling(filling)
    {
    }

  private:
    void DoRun() override
    {
        const auto& lengths = m_filling.lengths;
        MpaSegmentRun run(m_filling.markers, m_filling.delay);
        run.onSocket = [this](Ptr<MpaTcpSocket> socket) {
            socket->SetAttribute("TcpNoDelay", BooleanValue(m_filling.noDelay));
            socket->SetAttribute("Alignment", BooleanValue(m_filling.alignment));
        };
        run.Run([&] {
            for (uint32_t i = 0; i < lengths.size(); ++i)
            {
                Simulator::Schedule(m_filling.gap * static_cast<int64_t>(i), [&, i] {
                    NS_TEST_EXPECT_MSG_GT(SendUlpdu(run.stream[0], PatternUlpdu(lengths[i], i)),
                                          0,
                                          "room");
                });
            }
        });
        NS_TEST_EXPECT_MSG_EQ(run.log[1].delivered, lengths.size(), "all arrive");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(run.segments.size(), m_filling.least, "segments");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(run.segments.size(), m_filling.most, "segments");
        IWARP_COVERS(m_filling.shows);
        NS_TEST_EXPECT_MSG_EQ(run.AreAligned(), m_filling.alignment, "aligned segments");
        IWARP_COVERS("MPA-3-02 MPA-B-02 MPA-B-03 MPA-B.1.3-01");
    }

    Filling m_filling; //!< what is sent
};

/// RFC 5681 section 4.2: an ACK for every second full segment, also of those whose FPDUs go to the
/// ULP as they come.
IWARP_TEST(mpaSegmentCount, "every second segment is acknowledged")
{
    constexpr uint32_t SEGMENTS = 80;
    MpaLinkedHosts hosts;
    MpaStreamLog logs[2];
    Ptr<MpaStream> streams[2];
    hosts.Connect(
        [&](Ptr<MpaTcpSocket> socket) {
            streams[0] = logs[0].MakeStream(socket);
            streams[0]->StartInitiator();
        },
        [&](Ptr<MpaTcpSocket> socket) {
            socket->SetAttribute("DelAckCount", UintegerValue(2));
            streams[1] = logs[1].MakeStream(socket);
            streams[1]->StartResponder();
        });
    uint32_t frames = 0;
    uint32_t before = 0;
    hosts.GetDevice(1)->TraceConnectWithoutContext("PhyTxBegin",
                                                   MakeBoundCallback(&CountFrame, &frames));
    Simulator::Schedule(MilliSeconds(500), [&] {
        before = frames;
        for (uint32_t i = 0; i < SEGMENTS; i++)
        {
            const uint32_t most = streams[0]->GetMulpdu();
            NS_TEST_EXPECT_MSG_GT(SendUlpdu(streams[0], PatternUlpdu(most, i)), 0, "room");
        }
    });
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(logs[1].delivered, SEGMENTS, "ULPDUs");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(frames - before, SEGMENTS / 2, "ACKs");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(frames - before, SEGMENTS / 2 + 3, "ACKs");
    Simulator::Destroy();
}

IWARP_TEST_CASES(mpaSegmentCount)
{
    // 1 MiB in FPDUs of 1440 octets of payload, or of 1428 where Markers take room
    suite.AddTestCase(new MpaSegmentCountTestCase(false, 1454, 729));
    suite.AddTestCase(new MpaSegmentCountTestCase(true, 1442, 735));
    std::vector<Filling> fillings;
    // section A.2: 100000 octets are 70 full FPDUs and a tail of 40 octets, with MULPDU 1442
    fillings.push_back(
        {"100000-octet message", "MPA-A.2-01", CutMessage(100000, 1442), 71, 71, true});
    // a ULPDU of 200 octets every 100 us: alone without Nagle; packed by it the more the longer
    // the RTT
    const std::vector<uint32_t> small(200, 200);
    const Time gap = MicroSeconds(100);
    const Time wan = MilliSeconds(1);
    fillings.push_back({"small ULPDUs, no delay",
                        "MPA-A.2-02 MPA-A.2-03 MPA-A.2-10",
                        small,
                        200,
                        200,
                        false,
                        true,
                        true,
                        gap});
    fillings.push_back({"small, Nagle, RTT 100 us",
                        "MPA-A.2-04 MPA-A.2-05",
                        small,
                        41,
                        199,
                        false,
                        false,
                        true,
                        gap});
    fillings.push_back({"small, Nagle, RTT 2 ms",
                        "MPA-A.2-04 MPA-A.2-05",
                        small,
                        28,
                        40,
                        false,
                        false,
                        true,
                        gap,
                        wan});
    // a queue of small ones is packed, 7 FPDUs of 208 octets a segment, once the window allows
    fillings.push_back({"small ULPDUs queued", "MPA-A.2-11", small, 29, 31});
    // 1000-octet ULPDUs: one a segment when aligned, cut anywhere when not
    const std::vector<uint32_t> odd(252, 1000);
    fillings.push_back({"1000-octet ULPDUs, aligned", "", odd, 252, 252});
    fillings.push_back({"1000-octet ULPDUs, unaligned", "", odd, 174, 176, false, true, false});
    for (const auto& filling : fillings)
    {
        suite.AddTestCase(new MpaSegmentFillTestCase(filling));
    }
}

} // namespace
