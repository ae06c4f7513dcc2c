/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-watched-connection.h"

#include "ns3/boolean.h"
#include "ns3/ddp-header.h"
#include "ns3/double.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/path-random-impairment.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

/// Rules for segments, from DDP to TCP and back, that show only in the whole stack.
IWARP_TEST_SUITE(rdmapSegments, "rdmap-segments");

constexpr uint32_t MESSAGE_SIZE = RdmapTestEnd::SIZE; //!< octets of memory at each end

/// How a message is cut, and what the first octets of each DDP Segment are.
IWARP_TEST(rdmapSegments, "segments of an RDMA Write")
{
    RdmapWatchedConnection t;
    uint32_t mulpdu = 0;
    t.c.a.onEstablished = [&] {
        mulpdu = t.a.mpa->GetMulpdu();
        t.c.a.Post(RdmapWorkKind::WRITE, 0, 10000, t.c.b, MESSAGE_SIZE / 2);
    };
    t.c.Run(Seconds(5));
    const uint32_t pieces = (10000 + mulpdu - 15) / (mulpdu - 14);
    NS_TEST_ASSERT_MSG_EQ(t.a.ulpdus.size(), pieces, "10000 over MULPDU less a header");
    IWARP_COVERS("MPA-3-04");
    for (uint32_t i = 0; i + 1 < pieces; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(t.a.ulpdus[i], mulpdu, "as large as MULPDU allows");
    }
    IWARP_COVERS("MPA-4.5-06");
    NS_TEST_EXPECT_MSG_EQ(t.a.ulpdus.back(), 10000 - (pieces - 1) * (mulpdu - 14) + 14, "the rest");
    NS_TEST_ASSERT_MSG_EQ(t.b.passed.size(), pieces, "all there");
    for (uint32_t i = 0; i < pieces; i++)
    {
        // T, L of the last, DDP version 1; RDMAP version 1 and opcode 0
        NS_TEST_EXPECT_MSG_EQ(+t.b.passed[i][0], (i + 1 < pieces ? 0x81 : 0xC1), "DDP control");
        NS_TEST_EXPECT_MSG_EQ(+t.b.passed[i][1], 0x40, "RsvdULP as RDMAP gives it");
    }
    IWARP_COVERS("MPA-3-17 DDP-4.2-2 RDMAP-4.1-06 RDMAP-5.1-01");
    NS_TEST_EXPECT_MSG_EQ(t.c.b.received.size(), 0, "the sink's ULP is told of no message");
    IWARP_COVERS("DDP-5.2-8 RDMAP-5.1-02 RDMAP-3.2-03");
}

/// Any bit error in the header or payload of a DDP Segment shows in the FPDU's CRC.
IWARP_TEST(rdmapSegments, "the digest covers the whole DDP Segment")
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
        return mpa::ParseFpdu(wire.data(), wire.size(), 0, format, mpa::CheckMarkers::NONE).fault;
    };
    NS_TEST_ASSERT_MSG_EQ((fault() == mpa::FpduFault::NONE), true, "good as it is");
    // behind the leading Marker and the length
    for (uint32_t bit = 8 * (4 + 2); bit < 8 * (4 + 2 + ulpdu.size()); bit++)
    {
        wire[bit / 8] ^= 1 << bit % 8;
        NS_TEST_ASSERT_MSG_EQ((fault() == mpa::FpduFault::CRC), true, "bit " << bit);
        IWARP_COVERS("DDP-3-9 MPA-B.1.1-01");
        wire[bit / 8] ^= 1 << bit % 8;
    }
}

/// Out-of-order placement takes MPA and DDP in one block with TCP; nothing is placed twice.
IWARP_TEST(rdmapSegments, "placement under loss, reordering and duplication")
{
    for (bool integrated : {false, true})
    {
        RdmapWatchedConnection t;
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
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 500000, t.c.b, MESSAGE_SIZE / 2);
        };
        t.c.Run(Seconds(50));
        std::set<uint64_t> places;
        for (const auto& header : t.b.placed)
        {
            places.insert(header.to);
        }
        NS_TEST_EXPECT_MSG_EQ(places.size(), t.a.fpdus.size(), "each Segment is placed");
        NS_TEST_EXPECT_MSG_EQ(t.b.placed.size(), places.size(), "once");
        IWARP_COVERS("DDP-3-18");
        NS_TEST_EXPECT_MSG_EQ((t.b.outOfOrder > 0), integrated, "out of order");
        IWARP_COVERS("DDP-2.3-2");
    }
}

/// A change of the path in mid-stream leaves what DDP has handed over as it is.
IWARP_TEST(rdmapSegments, "Segments already taken are not cut again")
{
    RdmapWatchedConnection t;
    uint32_t before = 0;
    t.c.a.onEstablished = [&] {
        t.c.a.Post(RdmapWorkKind::WRITE, 0, 400000, t.c.b, MESSAGE_SIZE / 2);
        Simulator::Schedule(MilliSeconds(3), [&] {
            before = t.a.ulpdus.size();
            t.a.mpa->GetSocket()->SetPathMtu(800);
        });
    };
    t.c.Run(Seconds(50));
    NS_TEST_ASSERT_MSG_GT(before, 20, "some are taken before");
    NS_TEST_ASSERT_MSG_EQ(t.b.placed.size(), t.a.ulpdus.size(), "all come");
    std::vector<uint64_t> places;
    uint64_t to = MESSAGE_SIZE / 2;
    for (uint32_t ulpdu : t.a.ulpdus)
    {
        places.push_back(to);
        to += ulpdu - 14;
    }
    for (uint32_t i = 0; i < places.size(); i++)
    {
        NS_TEST_EXPECT_MSG_EQ(t.b.placed[i].to, places[i], "as they were taken");
        IWARP_COVERS("DDP-3-3");
        // one more may be made and wait for room in the send buffer
        if (i != before)
        {
            NS_TEST_EXPECT_MSG_EQ((t.a.ulpdus[i] > 760), (i < before), "later ones are shorter");
        }
    }
}

/// The receive window of a receiver that places at once, and what its size does.
struct MemoryWindowTest : TestCase
{
    using TestCase::TestCase;

    /// @param octets receive buffer @return seconds for 900000 octets
    double Transfer(uint32_t octets)
    {
        RdmapWatchedConnection t;
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
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 450000, t.c.b, MESSAGE_SIZE / 2);
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 450000, t.c.b, MESSAGE_SIZE / 2);
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
        IWARP_COVERS("DDP-A-5");
        // what is placed at once never takes room in it
        const auto [least, most] = std::minmax_element(t.b.windows.begin() + 1, t.b.windows.end());
        NS_TEST_EXPECT_MSG_EQ(*least, *most, "the window stays as it is");
        IWARP_COVERS("DDP-A-1");
        const uint32_t full = std::min(octets >> RdmapStreamWatch::SHIFT, 65535U)
                              << RdmapStreamWatch::SHIFT;
        NS_TEST_EXPECT_MSG_EQ(*most, full, "all of the buffer that it can say");
        return (end - start).GetSeconds();
    }
};

IWARP_TEST(rdmapSegments, "the receive window", MemoryWindowTest)
{
    // a round trip of 2 ms: windows of 15 and 30 kB allow 7.5 and 15 Mbyte/s
    const double small = Transfer(15000);
    const double twice = Transfer(30000);
    const double large = Transfer(250000);
    NS_TEST_EXPECT_MSG_EQ_TOL(small / twice, 2, 0.1, "half the window, half the rate");
    IWARP_COVERS("DDP-A-3");
    NS_TEST_EXPECT_MSG_EQ_TOL(900000 / twice, 30000 / 0.002, 0.1 * 30000 / 0.002, "window/RTT");
    NS_TEST_EXPECT_MSG_LT(large, twice, "more is faster");
    NS_TEST_EXPECT_MSG_EQ(large, Transfer(2000000), "up to the path's product");
    IWARP_COVERS("DDP-A-2");
}

/// FPDUs as long as segments at any offset take two of them each.
struct SegmentsPerFpduTest : TestCase
{
    using TestCase::TestCase;

    double Mean(bool aligned)
    {
        RdmapWatchedConnection t;
        t.c.a.onMpa = [aligned, then = t.c.a.onMpa](Ptr<MpaStream> stream) {
            stream->GetSocket()->SetAttribute("Alignment", BooleanValue(aligned));
            then(stream);
        };
        t.c.a.onEstablished = [&] {
            t.c.a.Post(RdmapWorkKind::SEND, 0, 333, t.c.b, 0);
            t.c.a.Post(RdmapWorkKind::WRITE, 0, 500000, t.c.b, MESSAGE_SIZE / 2);
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
};

IWARP_TEST(rdmapSegments, "segments that an FPDU takes", SegmentsPerFpduTest)
{
    NS_TEST_EXPECT_MSG_EQ(Mean(true), 1, "aligned: one");
    NS_TEST_EXPECT_MSG_EQ_TOL(Mean(false), 2, 0.05, "not aligned: two");
    IWARP_COVERS("MPA-B.2-04");
}

} // namespace
