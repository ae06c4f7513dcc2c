/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/ddp-header.h"
#include "ns3/double.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-random-impairment.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace ns3;

namespace
{

constexpr uint32_t SIZE = RdmapTestEnd::SIZE; //!< octets of memory at each end
constexpr uint32_t SHIFT = 2; //!< of the window, for the usual receive buffer of 131072 octets

/// What an end's streams and socket report.
struct Watch
{
    /// An FPDU or a segment sent
    struct Piece
    {
        uint32_t seq;  //!< first sequence number
        uint32_t size; //!< octets of the stream
    };

    Ptr<MpaStream> mpa;                             //!< transport
    std::vector<Piece> fpdus;                       //!< FPDUs sent
    std::vector<uint32_t> ulpdus;                   //!< their ULPDU lengths
    std::vector<Piece> segments;                    //!< TCP segments sent
    std::vector<Time> segmentTimes;                 //!< when
    std::vector<std::vector<uint8_t>> passed;       //!< first octets of the ULPDUs passed
    std::vector<DdpHeader> placed;                  //!< DDP Segments placed
    uint64_t outOfOrder{0};                         //!< of these, out of order
    std::vector<uint32_t> windows;                  //!< windows advertised
    std::vector<uint32_t> edges;                    //!< their right edges
    std::vector<std::pair<RdmapOpcode, Time>> sent; //!< messages sent

    /// @param end where; before startup
    void Attach(RdmapTestEnd& end)
    {
        auto before = end.onMpa;
        end.onMpa = [this, before, &end](Ptr<MpaStream> stream) {
            before(stream);
            mpa = stream;
            mpa->TraceConnectWithoutContext("FpduSent", MakeCallback(&Watch::FpduSent, this));
            mpa->TraceConnectWithoutContext("Passed", MakeCallback(&Watch::Passed, this));
            mpa->GetSocket()->TraceConnectWithoutContext("SegmentSent",
                                                         MakeCallback(&Watch::SegmentSent, this));
            mpa->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&Watch::Tx, this));
            end.stream->TraceConnectWithoutContext("SegmentPlaced",
                                                   MakeCallback(&Watch::Placed, this));
            end.stream->TraceConnectWithoutContext("MessageSent",
                                                   MakeCallback(&Watch::MessageSent, this));
        };
    }

    void FpduSent(uint32_t seq, uint32_t ulpdu, uint32_t size)
    {
        fpdus.push_back({seq, size});
        ulpdus.push_back(ulpdu);
    }

    void Passed(const MpaUlpdu& ulpdu, Time /* wait */)
    {
        passed.emplace_back(ulpdu.data, ulpdu.data + std::min<uint32_t>(ulpdu.length, 18));
    }

    void SegmentSent(SequenceNumber32 seq, uint32_t size, bool, bool, bool)
    {
        segments.push_back({seq.GetValue(), size});
        segmentTimes.push_back(Simulator::Now());
    }

    void Placed(const DdpHeader& header, uint32_t /* payload */, bool inOrder)
    {
        placed.push_back(header);
        outOfOrder += !inOrder;
    }

    void Tx(Ptr<const Packet> /* packet */,
            const TcpHeader& header,
            Ptr<const TcpSocketBase> /* socket */)
    {
        if (!(header.GetFlags() & TcpHeader::SYN))
        {
            windows.push_back(header.GetWindowSize() << SHIFT);
            edges.push_back(header.GetAckNumber().GetValue() + windows.back());
        }
    }

    void MessageSent(RdmapOpcode opcode, uint64_t /* octets */)
    {
        sent.emplace_back(opcode, Simulator::Now());
    }
};

/// A connection with a watch at each end.
struct Bench
{
    RdmapTestConnection c; //!< connection
    Watch a;               //!< at the Initiator
    Watch b;               //!< at the Responder

    Bench()
    {
        a.Attach(c.a);
        b.Attach(c.b);
    }
};

/// How a message is cut, and what the first octets of each DDP Segment are.
class SegmentsTest : public TestCase
{
  public:
    SegmentsTest()
        : TestCase("MPA-3-04 MPA-3-17 MPA-4.5-06 DDP-4.2-2 DDP-5.2-8 segments of an RDMA Write")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        uint32_t mulpdu = 0;
        t.c.a.onEstablished = [&] {
            mulpdu = t.a.mpa->GetMulpdu();
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 10000, t.c.b, SIZE / 2);
        };
        t.c.Run(Seconds(5));
        const uint32_t pieces = (10000 + mulpdu - 15) / (mulpdu - 14);
        NS_TEST_ASSERT_MSG_EQ(t.a.ulpdus.size(), pieces, "10000 over MULPDU less a header");
        for (uint32_t i = 0; i + 1 < pieces; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(t.a.ulpdus[i], mulpdu, "as large as MULPDU allows");
        }
        NS_TEST_EXPECT_MSG_EQ(t.a.ulpdus.back(),
                              10000 - (pieces - 1) * (mulpdu - 14) + 14,
                              "the rest");
        NS_TEST_ASSERT_MSG_EQ(t.b.passed.size(), pieces, "all there");
        for (uint32_t i = 0; i < pieces; i++)
        {
            // T, L of the last, DDP version 1; RDMAP version 1 and opcode 0
            NS_TEST_EXPECT_MSG_EQ(+t.b.passed[i][0], (i + 1 < pieces ? 0x81 : 0xC1), "DDP control");
            NS_TEST_EXPECT_MSG_EQ(+t.b.passed[i][1], 0x40, "RsvdULP as RDMAP gives it");
        }
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 0, "the sink's ULP is told of no message");
    }
};

/// Any bit error in the header or payload of a DDP Segment shows in the FPDU's CRC.
class DigestTest : public TestCase
{
  public:
    DigestTest()
        : TestCase("DDP-3-9 MPA-B.1.1-01 the digest covers the whole DDP Segment")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<uint8_t> ulpdu(14 + 100);
        DdpHeader header;
        header.tagged = true;
        header.stag = 0x12345678;
        header.to = 1000;
        header.Write(ulpdu.data());
        for (uint32_t i = 14; i < ulpdu.size(); i++)
        {
            ulpdu[i] = static_cast<uint8_t>(i * 37);
        }
        std::vector<uint8_t> wire(mpa::WireSize(ulpdu.size(), 0, true));
        const mpa::FpduFormat format{true, true};
        mpa::EncodeFpdu(wire.data(), ulpdu.data(), ulpdu.size(), nullptr, 0, 0, format);
        const auto fault = [&] {
            return mpa::ParseFpdu(wire.data(), wire.size(), 0, format, mpa::CheckMarkers::NONE)
                .fault;
        };
        NS_TEST_ASSERT_MSG_EQ((fault() == mpa::FpduFault::NONE), true, "good as it is");
        // behind the leading Marker and the length
        for (uint32_t bit = 8 * (4 + 2); bit < 8 * (4 + 2 + ulpdu.size()); bit++)
        {
            wire[bit / 8] ^= 1 << bit % 8;
            NS_TEST_ASSERT_MSG_EQ((fault() == mpa::FpduFault::CRC), true, "bit " << bit);
            wire[bit / 8] ^= 1 << bit % 8;
        }
    }
};

/// Reads in flight stay within ORD, and hold up what is posted behind them.
class ReadLimitTest : public TestCase
{
  public:
    ReadLimitTest()
        : TestCase("ENH-4.1-1 ENH-4.1-3 ENH-4.1-4 ENH-9.1-2 reads on the wire")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        t.c.a.enhanced.ord = 2;
        uint32_t asked = 0;
        uint32_t answered = 0;
        uint32_t most = 0;
        t.c.a.onEstablished = [&] {
            for (uint32_t i = 0; i < 20; i++)
            {
                t.c.a.Post(RdmapWorkKind::READ, 1000 * i, 1000, t.c.b, 0);
            }
            t.c.a.Post(RdmapWorkKind::SEND, 0, 100, t.c.b, 0);
        };
        t.c.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(t.c.a.ended.size(), 21, "all done");
        NS_TEST_EXPECT_MSG_EQ(t.c.a.failures.size() + t.c.b.failures.size(), 0, "no Terminate");
        // in the order of time: a request reaches the Responder after it was sent, so what the
        // Initiator sent until the k-th response was complete is what was under way
        for (const auto& [opcode, when] : t.a.sent)
        {
            if (opcode == RdmapOpcode::READ_REQUEST)
            {
                asked++;
                answered =
                    std::count_if(t.b.sent.begin(), t.b.sent.end(), [w = when](const auto& m) {
                        return m.first == RdmapOpcode::READ_RESPONSE && m.second < w;
                    });
                most = std::max(most, asked - answered);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(asked, 20, "requests");
        NS_TEST_EXPECT_MSG_EQ(most, 2, "no more than ORD under way, and as many");
        NS_TEST_EXPECT_MSG_EQ((t.a.sent.back().first == RdmapOpcode::SEND), true, "in turn");
        for (const auto& header : t.b.placed)
        {
            const bool request = (header.ulpControl & 0x0F) == 1;
            NS_TEST_EXPECT_MSG_EQ(header.tagged, false, "requests and Sends are untagged");
            NS_TEST_EXPECT_MSG_EQ(header.qn, (request ? 1 : 0), "queue");
        }
        for (const auto& header : t.a.placed)
        {
            NS_TEST_EXPECT_MSG_EQ(header.tagged, true, "responses are tagged");
            NS_TEST_EXPECT_MSG_EQ((header.ulpControl & 0x0F), 2, "Read Response");
        }
    }
};

/// Revision 2 changes startup only: the FPDUs behind it are the same.
class RevisionTest : public TestCase
{
  public:
    RevisionTest()
        : TestCase("ENH-4.2-2 ENH-4.3-1 ENH-4.3-2 the same FPDUs with MPA revision 1 and 2")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<std::vector<uint32_t>> sizes;
        std::vector<std::vector<std::vector<uint8_t>>> heads;
        for (uint8_t revision : {1, 2})
        {
            Bench t;
            t.c.a.revision = revision;
            t.c.b.revision = revision;
            t.c.a.onEstablished = [&] {
                t.c.a.Post(RdmapWorkKind::WRITE, 0, 30000, t.c.b, SIZE / 2);
                t.c.a.Post(RdmapWorkKind::SEND, 0, 5000, t.c.b, 0);
                t.c.a.Post(RdmapWorkKind::READ, 0, 7000, t.c.b, 0);
            };
            t.c.Run(Seconds(5));
            sizes.push_back(t.a.ulpdus);
            heads.push_back(t.b.passed);
            for (const auto* watch : {&t.a, &t.b})
            {
                NS_TEST_ASSERT_MSG_GT(watch->segments.size(), 1, "startup and FPDUs");
                const auto& frame = watch->segments[0];
                NS_TEST_EXPECT_MSG_EQ(frame.size, (revision == 2 ? 24 : 20), "the frame alone");
                NS_TEST_EXPECT_MSG_EQ(watch->fpdus[0].seq,
                                      frame.seq + frame.size,
                                      "FPDUs begin right behind it");
                NS_TEST_EXPECT_MSG_EQ(watch->segments[1].seq,
                                      watch->fpdus[0].seq,
                                      "in a segment of their own");
            }
        }
        NS_TEST_EXPECT_MSG_EQ((sizes[0] == sizes[1]), true, "lengths");
        NS_TEST_EXPECT_MSG_EQ((heads[0] == heads[1]), true, "headers");
    }
};

/// The indication goes out before the Initiator tells of the connection, and counts as a message.
class IndicationTest : public TestCase
{
  public:
    IndicationTest()
        : TestCase("ENH-5-5 ENH-5-6 ENH-9.2-21 a Send as ready-to-receive indication")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        for (auto* end : {&t.c.a, &t.c.b})
        {
            end->enhanced.peerToPeer = true;
            end->enhanced.rtr = {true, false, false};
        }
        Time established;
        std::size_t completed = 1;
        t.c.a.onEstablished = [&] {
            established = Simulator::Now();
            completed = t.c.a.ended.size() + t.c.a.received.size();
            t.c.a.Post(RdmapWorkKind::SEND, 0, 100, t.c.b, 0);
        };
        t.c.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(t.a.sent.size(), 2, "the indication and a Send");
        NS_TEST_EXPECT_MSG_EQ((established >= t.a.sent[0].second), true, "told after it was sent");
        NS_TEST_EXPECT_MSG_EQ(completed, 0, "startup makes no completions");
        NS_TEST_ASSERT_MSG_EQ(t.b.placed.size(), 2, "both came");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].qn + t.b.placed[1].qn, 0, "queue 0");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[0].msn, 1, "the indication is message 1");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[1].msn, 2, "the first Send message 2");
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 2, "each takes a receive buffer");
    }
};

/// A work request is done when TCP has promised to deliver, whether or not it can.
class CompletionTest : public TestCase
{
  public:
    CompletionTest()
        : TestCase("DDP-5.4-1 DDP-5.4-2 completion at the source")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        uint32_t buffered = 0;
        auto lossy = CreateObject<PathRandomImpairment>();
        lossy->SetAttribute("Loss", DoubleValue(1));
        t.c.a.onEstablished = [&] {
            lossy->Install(t.c.hosts.GetDevice(1));
            t.c.a.Post(RdmapWorkKind::SEND, 0, 50000, t.c.b, 0);
            buffered = 131072 - t.a.mpa->GetSocket()->GetTxAvailable();
        };
        t.c.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(t.c.a.ended.size(), 1, "done");
        NS_TEST_EXPECT_MSG_EQ((t.c.a.ended[0] == RdmapStatus::SUCCESS), true, "well");
        NS_TEST_EXPECT_MSG_GT(buffered, 49999, "TCP holds it");
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 0, "though it never comes");
    }
};

/// A Segment that MPA finds good may still be one that DDP refuses.
class UnknownStagTest : public TestCase
{
  public:
    UnknownStagTest()
        : TestCase("MPA-9.1-02 an FPDU with an STag that nobody has given out")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        t.c.a.onEstablished = [&] {
            RdmapWork work;
            work.kind = RdmapWorkKind::WRITE;
            work.pieces.push_back({0, 100, t.c.a.stag});
            work.remoteStag = t.c.b.stag ^ 0xFF00;
            t.c.a.stream->PostSend(std::move(work));
        };
        t.c.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(t.b.passed.size(), 1, "MPA passes it");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed.size(), 0, "DDP does not place it");
        NS_TEST_ASSERT_MSG_EQ(t.c.b.failures.size(), 1, "an error of DDP");
        NS_TEST_EXPECT_MSG_EQ(t.c.b.failures[0].find("DDP"), 0, t.c.b.failures[0]);
    }
};

/// Out-of-order placement takes MPA and DDP in one block with TCP; nothing is placed twice.
class PlacementTest : public TestCase
{
  public:
    PlacementTest()
        : TestCase("DDP-2.3-2 DDP-3-18 placement under loss, reordering and duplication")
    {
    }

  private:
    void DoRun() override
    {
        for (bool integrated : {false, true})
        {
            Bench t;
            t.c.b.onMpa = [integrated, then = t.c.b.onMpa](Ptr<MpaStream> stream) {
                stream->SetAttribute("OutOfOrder", BooleanValue(integrated));
                stream->SetAttribute("Markers", BooleanValue(true));
                then(stream);
            };
            auto path = CreateObject<PathRandomImpairment>();
            path->SetAttribute("Loss", DoubleValue(0.02));
            path->SetAttribute("Duplication", DoubleValue(0.2));
            path->AssignStreams(7);
            path->Install(t.c.hosts.GetDevice(1));
            t.c.a.onEstablished = [&] {
                t.c.a.Post(RdmapWorkKind::WRITE, 0, 500000, t.c.b, SIZE / 2);
            };
            t.c.Run(Seconds(50));
            std::set<uint64_t> places;
            for (const auto& header : t.b.placed)
            {
                places.insert(header.to);
            }
            NS_TEST_EXPECT_MSG_EQ(places.size(), t.a.fpdus.size(), "each Segment is placed");
            NS_TEST_EXPECT_MSG_EQ(t.b.placed.size(), places.size(), "once");
            NS_TEST_EXPECT_MSG_EQ((t.b.outOfOrder > 0), integrated, "out of order");
        }
    }
};

/// A change of the path in mid-stream leaves what DDP has handed over as it is.
class ShrinkTest : public TestCase
{
  public:
    ShrinkTest()
        : TestCase("DDP-3-3 Segments already taken are not cut again")
    {
    }

  private:
    void DoRun() override
    {
        Bench t;
        uint32_t before = 0;
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 400000, t.c.b, SIZE / 2);
            Simulator::Schedule(MilliSeconds(3), [&] {
                before = t.a.ulpdus.size();
                t.a.mpa->GetSocket()->SetPathMtu(800);
            });
        };
        t.c.Run(Seconds(50));
        NS_TEST_ASSERT_MSG_GT(before, 20, "some are taken before");
        NS_TEST_ASSERT_MSG_EQ(t.b.placed.size(), t.a.ulpdus.size(), "all come");
        std::vector<uint64_t> places;
        uint64_t to = SIZE / 2;
        for (uint32_t ulpdu : t.a.ulpdus)
        {
            places.push_back(to);
            to += ulpdu - 14;
        }
        for (uint32_t i = 0; i < places.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(t.b.placed[i].to, places[i], "as they were taken");
            // one more may be made and wait for room in the send buffer
            if (i != before)
            {
                NS_TEST_EXPECT_MSG_EQ((t.a.ulpdus[i] > 760),
                                      (i < before),
                                      "later ones are shorter");
            }
        }
    }
};

/// The receive window of a receiver that places at once, and what its size does.
class WindowTest : public TestCase
{
  public:
    WindowTest()
        : TestCase("DDP-A-1 DDP-A-2 DDP-A-3 DDP-A-5 the receive window")
    {
    }

  private:
    /// @param octets receive buffer @return seconds for 900000 octets
    double Transfer(uint32_t octets)
    {
        Bench t;
        t.c.b.onMpa = [octets, then = t.c.b.onMpa](Ptr<MpaStream> stream) {
            stream->GetSocket()->SetAttribute("RcvBufSize", UintegerValue(octets));
            then(stream);
        };
        t.c.a.onMpa = [then = t.c.a.onMpa](Ptr<MpaStream> stream) {
            stream->GetSocket()->SetAttribute("SndBufSize", UintegerValue(2000000));
            then(stream);
        };
        Time start;
        t.c.a.onEstablished = [&] {
            start = Simulator::Now();
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 450000, t.c.b, SIZE / 2);
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 450000, t.c.b, SIZE / 2);
            t.c.a.Post(RdmapWorkKind::SEND, 0, 1, t.c.b, 0);
        };
        Time end;
        t.c.b.onReceived = [&] { end = Simulator::Now(); };
        t.c.Run(Seconds(50));
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 1, "all there");
        uint32_t decreases = 0;
        for (std::size_t i = 1; i < t.b.edges.size(); i++)
        {
            decreases += static_cast<int32_t>(t.b.edges[i] - t.b.edges[i - 1]) < 0;
        }
        NS_TEST_EXPECT_MSG_EQ(decreases, 0, "the right edge is never pulled back");
        // what is placed at once never takes room in it
        const auto [least, most] = std::minmax_element(t.b.windows.begin() + 1, t.b.windows.end());
        NS_TEST_EXPECT_MSG_EQ(*least, *most, "the window stays as it is");
        const uint32_t full = std::min(octets >> SHIFT, 65535U) << SHIFT;
        NS_TEST_EXPECT_MSG_EQ(*most, full, "all of the buffer that it can say");
        return (end - start).GetSeconds();
    }

    void DoRun() override
    {
        // a round trip of 2 ms: windows of 15 and 30 kB allow 7.5 and 15 Mbyte/s
        const double small = Transfer(15000);
        const double twice = Transfer(30000);
        const double large = Transfer(250000);
        NS_TEST_EXPECT_MSG_EQ_TOL(small / twice, 2, 0.1, "half the window, half the rate");
        NS_TEST_EXPECT_MSG_EQ_TOL(900000 / twice, 30000 / 0.002, 0.1 * 30000 / 0.002, "window/RTT");
        NS_TEST_EXPECT_MSG_LT(large, twice, "more is faster");
        NS_TEST_EXPECT_MSG_EQ(large, Transfer(2000000), "up to the path's product");
    }
};

/// A Responder that closes before it has had an FPDU still takes what the Initiator sends.
class EarlyCloseTest : public TestCase
{
  public:
    EarlyCloseTest()
        : TestCase("DDP-6.2.1-1 the Responder closes before the first FPDU")
    {
    }

  private:
    void HandleState(MpaStartup::State /* before */, MpaStartup::State after)
    {
        if (after == MpaStartup::State::FULL_RX_ONLY)
        {
            Simulator::ScheduleNow(&RdmapStream::Close, m_bench->c.b.stream);
            m_early++;
        }
    }

    void DoRun() override
    {
        Bench t;
        m_bench = &t;
        t.c.b.onMpa = [this, then = t.c.b.onMpa](Ptr<MpaStream> stream) {
            then(stream);
            stream->TraceConnectWithoutContext("StartupState",
                                               MakeCallback(&EarlyCloseTest::HandleState, this));
        };
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 200000, t.c.b, SIZE / 2);
            t.c.a.Post(RdmapWorkKind::SEND, 0, 1000, t.c.b, 0);
            t.c.a.stream->Close();
        };
        t.c.Run(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(m_early, 1, "closed before");
        NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 1, "the Send has come");
        NS_TEST_EXPECT_MSG_EQ(std::equal(t.c.a.memory.begin() + 60000,
                                         t.c.a.memory.begin() + 200000,
                                         t.c.b.memory.begin() + SIZE / 2 + 60000),
                              true,
                              "and the Write");
        NS_TEST_EXPECT_MSG_EQ(t.c.a.failures.size() + t.c.b.failures.size(), 0, "no failure");
        NS_TEST_EXPECT_MSG_EQ(t.c.a.closed + t.c.b.closed, 2, "both ends are over");
    }

    Bench* m_bench{nullptr}; //!< the connection
    uint32_t m_early{0};     //!< times that the Responder closed early
};

/// FPDUs as long as segments at any offset take two of them each.
class SegmentsPerFpduTest : public TestCase
{
  public:
    SegmentsPerFpduTest()
        : TestCase("MPA-B.2-04 segments that an FPDU takes")
    {
    }

  private:
    double Mean(bool aligned)
    {
        Bench t;
        t.c.a.onMpa = [aligned, then = t.c.a.onMpa](Ptr<MpaStream> stream) {
            stream->GetSocket()->SetAttribute("Alignment", BooleanValue(aligned));
            then(stream);
        };
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::SEND, 0, 333, t.c.b, 0);
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 500000, t.c.b, SIZE / 2);
        };
        t.c.Run(Seconds(50));
        uint32_t parts = 0;
        uint32_t fpdus = 0;
        for (std::size_t i = 1; i + 1 < t.a.fpdus.size(); i++)
        {
            const auto& fpdu = t.a.fpdus[i];
            fpdus++;
            parts += std::count_if(t.a.segments.begin(), t.a.segments.end(), [&](const auto& s) {
                return s.seq < fpdu.seq + fpdu.size && fpdu.seq < s.seq + s.size;
            });
        }
        return static_cast<double>(parts) / fpdus;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Mean(true), 1, "aligned: one");
        NS_TEST_EXPECT_MSG_EQ_TOL(Mean(false), 2, 0.05, "not aligned: two");
    }
};

/// @ingroup iwarp-tests
/// Rules that show only in the whole stack.
class RdmapRulesTestSuite : public TestSuite
{
  public:
    RdmapRulesTestSuite()
        : TestSuite("rdmap-rules")
    {
        AddTestCase(new SegmentsTest, IWARP_TEST_QUICK);
        AddTestCase(new DigestTest, IWARP_TEST_QUICK);
        AddTestCase(new ReadLimitTest, IWARP_TEST_QUICK);
        AddTestCase(new RevisionTest, IWARP_TEST_QUICK);
        AddTestCase(new IndicationTest, IWARP_TEST_QUICK);
        AddTestCase(new CompletionTest, IWARP_TEST_QUICK);
        AddTestCase(new UnknownStagTest, IWARP_TEST_QUICK);
        AddTestCase(new PlacementTest, IWARP_TEST_QUICK);
        AddTestCase(new ShrinkTest, IWARP_TEST_QUICK);
        AddTestCase(new WindowTest, IWARP_TEST_QUICK);
        AddTestCase(new EarlyCloseTest, IWARP_TEST_QUICK);
        AddTestCase(new SegmentsPerFpduTest, IWARP_TEST_QUICK);
    }
};

RdmapRulesTestSuite g_rdmapRulesTestSuite; //!< the suite

} // namespace
