/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "decode-test.h"

#include "ns3/decode-copies.h"
#include "ns3/decode-replay.h"
#include "ns3/decode-tcp-options.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeTimeline, "decode-timeline");

using Fate = DecodeCopies::Fate;

constexpr int64_t TIMELINE_MS = 1'000'000; // ns

/// FPDUs of a stream, with the octets of each.
struct TimelineStream
{
    DecodeOctets octets;                 //!< all of it
    std::vector<DecodeFpduPlace> places; //!< where FPDUs are

    /// @param markers there are Markers @param sizes octets of ULPDUs
    TimelineStream(bool markers, const std::vector<uint32_t>& sizes)
    {
        for (const uint32_t size : sizes)
        {
            const DecodeOctets ulpdu(size, static_cast<uint8_t>(size));
            const auto position = static_cast<uint32_t>(octets.size());
            DecodeFpduPlace place;
            place.begin = 1 + octets.size();
            place.size = mpa::WireSize(size, position, markers);
            place.position = position;
            place.markers = markers;
            place.isMpa = true;
            place.crc = DecodeCrc::GOOD;
            octets.resize(octets.size() + place.size);
            mpa::EncodeFpdu(octets.data() + position,
                            ulpdu.data(),
                            size,
                            nullptr,
                            0,
                            position,
                            {markers, true});
            places.push_back(place);
        }
    }

    /// @param begin first offset @param end behind the last @param time ms @param segment which
    /// @return octets as they come
    DecodeKeptPiece Piece(uint64_t begin, uint64_t end, int64_t time, std::size_t segment) const
    {
        return {begin,
                octets.data() + begin - 1,
                static_cast<uint32_t>(end - begin),
                time * TIMELINE_MS,
                segment};
    }

    /// @param index of an FPDU @param time ms @param segment which @return all of it
    DecodeKeptPiece Whole(std::size_t index, int64_t time, std::size_t segment) const
    {
        return Piece(places[index].begin, places[index].begin + places[index].size, time, segment);
    }
};

IWARP_TEST(decodeTimeline, "what was acknowledged before is sent in vain")
{
    DecodeCopies copies(false);
    NS_TEST_EXPECT_MSG_EQ((copies.Add(0, 1, 101, 0) == Fate::KEPT), true, "new");
    NS_TEST_EXPECT_MSG_EQ((copies.Add(1, 201, 301, 1) == Fate::KEPT), true, "out of order");
    copies.Acknowledge(101);
    copies.Select(201, 301);
    NS_TEST_EXPECT_MSG_EQ((copies.Add(2, 1, 101, 2) == Fate::AGAIN), true, "acknowledged");
    NS_TEST_EXPECT_MSG_EQ((copies.Add(3, 201, 301, 2) == Fate::AGAIN), true, "by SACK");
    NS_TEST_EXPECT_MSG_EQ((copies.Add(4, 101, 251, 3) == Fate::KEPT), true, "partly new");
    const auto kept = copies.TakeKept();
    NS_TEST_ASSERT_MSG_EQ(kept.size(), 3, "three parts");
    NS_TEST_EXPECT_MSG_EQ(kept[2].segment, 4, "the last");
    NS_TEST_EXPECT_MSG_EQ(kept[2].end, 201, "without what had come before");
}

IWARP_TEST(decodeTimeline, "a copy is needed that no acknowledgment has made needless")
{
    for (const bool nearReceiver : {false, true})
    {
        DecodeCopies copies(nearReceiver);
        copies.Add(0, 1, 101, 0);
        const Fate soon = copies.Add(1, 1, 101, TIMELINE_MS);
        NS_TEST_EXPECT_MSG_EQ((soon == (nearReceiver ? Fate::AGAIN : Fate::KEPT)),
                              true,
                              "near the receiver its acknowledgment may be under way");
        copies.Add(2, 101, 201, 2 * TIMELINE_MS);
        copies.Acknowledge(1);
        NS_TEST_EXPECT_MSG_EQ((copies.Add(3, 1, 101, 3 * TIMELINE_MS) == Fate::KEPT),
                              true,
                              "the receiver still waits for it");
        copies.Acknowledge(201);
        const auto kept = copies.TakeKept();
        NS_TEST_ASSERT_MSG_EQ(kept.size(), 2, "each octet once");
        NS_TEST_EXPECT_MSG_EQ(kept[0].segment, 2, "in the order in which they came");
        NS_TEST_EXPECT_MSG_EQ(kept[1].segment, 3, "the last copy");
    }
}

IWARP_TEST(decodeTimeline, "a segment that is acknowledged in parts stays whole")
{
    DecodeCopies copies(false);
    copies.Add(0, 1, 101, 0);
    copies.Acknowledge(41);
    copies.Select(61, 101);
    copies.Acknowledge(101);
    const auto kept = copies.TakeKept();
    NS_TEST_ASSERT_MSG_EQ(kept.size(), 1, "one piece");
    NS_TEST_EXPECT_MSG_EQ(kept[0].end - kept[0].begin, 100, "all of it");
}

IWARP_TEST(decodeTimeline, "half a second without an acknowledgment is a loss, near the receiver")
{
    DecodeCopies copies(true);
    copies.Add(0, 1, 101, 0);
    NS_TEST_EXPECT_MSG_EQ((copies.Add(1, 1, 101, 499 * TIMELINE_MS) == Fate::AGAIN), true, "soon");
    NS_TEST_EXPECT_MSG_EQ((copies.Add(2, 1, 101, 500 * TIMELINE_MS) == Fate::KEPT), true, "late");
}

IWARP_TEST(decodeTimeline, "what lies outside of the window is dropped")
{
    DecodeCopies copies(true);
    copies.SetEdge(101);
    NS_TEST_EXPECT_MSG_EQ((copies.Add(0, 101, 102, 0) == Fate::WINDOW), true, "a probe");
    NS_TEST_EXPECT_MSG_EQ((copies.Add(1, 51, 151, 0) == Fate::KEPT), true, "partly inside");
    copies.SetEdge(91);
    const auto kept = copies.TakeKept();
    NS_TEST_ASSERT_MSG_EQ(kept.size(), 1, "one part");
    NS_TEST_EXPECT_MSG_EQ(kept[0].end, 101, "up to the edge, which does not go back");
}

IWARP_TEST(decodeTimeline, "options tell the window's scale and what has come")
{
    const DecodeOctets octets{1, 3, 3, 7, 5, 10, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0};
    const auto options = DecodeTcpOptions::Read(octets.data(), octets.size());
    NS_TEST_EXPECT_MSG_EQ(options.windowShift, 7, "shift");
    NS_TEST_ASSERT_MSG_EQ(options.sack.size(), 1, "one block");
    NS_TEST_EXPECT_MSG_EQ(options.sack[0][1], 256, "its right edge");
    const DecodeOctets most{3, 3, 200};
    NS_TEST_EXPECT_MSG_EQ(DecodeTcpOptions::Read(most.data(), 3).windowShift, 14, "RFC 7323 2.3");
    for (uint32_t size = 0; size < octets.size(); ++size)
    {
        const DecodeOctets cut(octets.begin(), octets.begin() + size);
        const auto some = DecodeTcpOptions::Read(cut.data(), size);
        NS_TEST_EXPECT_MSG_EQ(some.sack.size(), (size < 14 ? 0 : 1), "cut short");
    }
    for (const DecodeOctets& other : {DecodeOctets{3, 4, 7, 0}, DecodeOctets{254, 3, 7, 0}})
    {
        NS_TEST_EXPECT_MSG_EQ(DecodeTcpOptions::Read(other.data(), 4).windowShift,
                              -1,
                              "a length of 3 and a kind of 3");
    }
    const DecodeOctets zero{8, 0, 3, 3};
    NS_TEST_EXPECT_MSG_EQ(DecodeTcpOptions::Read(zero.data(), 4).windowShift, -1, "no length");
}

IWARP_TEST(decodeTimeline, "FPDUs in order are placed at once, or when their last part has come")
{
    const TimelineStream stream(false, {600, 700, 800});
    const uint64_t middle = stream.places[1].begin + 100;
    const uint64_t end = 1 + stream.octets.size();
    DecodeReplay replay({stream.Piece(1, middle, 1, 0), stream.Piece(middle, end, 2, 1)},
                        2,
                        stream.places);
    replay.Run();
    const auto& fpdus = replay.GetFpdus();
    NS_TEST_EXPECT_MSG_EQ((fpdus[0].fate == DecodeFate::AT_ONCE), true, "whole");
    NS_TEST_EXPECT_MSG_EQ((fpdus[1].fate == DecodeFate::IN_PARTS), true, "of two segments");
    NS_TEST_EXPECT_MSG_EQ(fpdus[1].placed - fpdus[1].first, TIMELINE_MS, "waited for its rest");
    NS_TEST_EXPECT_MSG_EQ((fpdus[2].fate == DecodeFate::AT_ONCE), true, "whole, too");
    NS_TEST_EXPECT_MSG_EQ(replay.GetSegments()[0].stored, 100, "its beginning was held");
    NS_TEST_EXPECT_MSG_EQ(replay.GetSegments()[1].held, 0, "and is not any more");
}

IWARP_TEST(decodeTimeline, "behind a loss FPDUs wait, or Markers tell where they begin")
{
    for (const bool markers : {false, true})
    {
        const TimelineStream stream(markers, {1000, 1100, 1200});
        DecodeReplay replay({stream.Whole(1, 1, 0), stream.Whole(2, 2, 1), stream.Whole(0, 5, 2)},
                            3,
                            stream.places);
        replay.Run();
        const auto& fpdus = replay.GetFpdus();
        const auto first = markers ? DecodeFate::MARKER : DecodeFate::WAITED;
        const auto second = markers ? DecodeFate::LENGTH : DecodeFate::WAITED;
        NS_TEST_EXPECT_MSG_EQ((fpdus[0].fate == DecodeFate::AT_ONCE), true, "in order");
        NS_TEST_EXPECT_MSG_EQ((fpdus[1].fate == first), true, "behind the loss");
        NS_TEST_EXPECT_MSG_EQ((fpdus[2].fate == second), true, "behind that one");
        const int64_t waited = markers ? 0 : 4 * TIMELINE_MS;
        NS_TEST_EXPECT_MSG_EQ(fpdus[1].placed - fpdus[1].first, waited, "as long as it waited");
        NS_TEST_EXPECT_MSG_EQ(fpdus[1].delivered, 5 * TIMELINE_MS, "delivered in order");
        const uint64_t held = markers ? 0 : stream.places[1].size + stream.places[2].size;
        NS_TEST_EXPECT_MSG_EQ(replay.GetSegments()[1].held, held, "reassembly memory");
    }
}

IWARP_TEST(decodeTimeline, "behind an FPDU that is damaged the rest goes on")
{
    TimelineStream stream(true, {1000, 1100, 1200});
    stream.places[1].crc = DecodeCrc::BAD;
    stream.octets[stream.places[1].begin + 50] ^= 1;
    DecodeReplay replay({stream.Whole(0, 1, 0), stream.Whole(1, 2, 1), stream.Whole(2, 3, 2)},
                        3,
                        stream.places);
    replay.Run();
    NS_TEST_EXPECT_MSG_EQ((replay.GetFpdus()[1].fate == DecodeFate::BAD), true, "dropped");
    NS_TEST_EXPECT_MSG_EQ((replay.GetFpdus()[2].fate == DecodeFate::AT_ONCE), true, "placed");
}

IWARP_TEST(decodeTimeline, "an FPDU whose Marker is wrong is dropped, and the rest goes on")
{
    TimelineStream stream(true, {1000, 1100, 1200});
    const auto& second = stream.places[1];
    const uint64_t marker = second.begin + (512 - second.position % 512) % 512;
    stream.octets[marker - 1 + 3] ^= 8; // its FPDUPTR
    DecodeReplay replay({stream.Whole(0, 1, 0), stream.Whole(1, 2, 1), stream.Whole(2, 3, 2)},
                        3,
                        stream.places);
    replay.Run();
    NS_TEST_EXPECT_MSG_EQ((replay.GetFpdus()[0].fate == DecodeFate::AT_ONCE), true, "before");
    NS_TEST_EXPECT_MSG_EQ((replay.GetFpdus()[1].fate == DecodeFate::BAD), true, "dropped");
    NS_TEST_EXPECT_MSG_EQ(replay.GetFpdus()[1].first, 2 * TIMELINE_MS, "when it came");
    NS_TEST_EXPECT_MSG_EQ((replay.GetFpdus()[2].fate == DecodeFate::AT_ONCE), true, "placed");
}

IWARP_TEST(decodeTimeline, "rows tell of each segment and FPDU of a capture")
{
    const auto talk = DecodeTalk(true, true, 5);
    const auto result =
        Decode(WriteCapture(talk.frames), [](IwarpDecoder& d) { d.SetFormat(IwarpDecoder::ROWS); });
    const auto count = [&result](const std::string& part) {
        std::size_t found = 0;
        for (auto at = result.text.find(part); at != std::string::npos;
             at = result.text.find(part, at + 1))
        {
            ++found;
        }
        return found;
    };
    NS_TEST_EXPECT_MSG_EQ(count("\"row\": \"connection\""), 1, "connections");
    NS_TEST_EXPECT_MSG_EQ(count("\"row\": \"segment\""), talk.frames.size(), "segments");
    NS_TEST_EXPECT_MSG_EQ(count("\"row\": \"fpdu\""), 12, "FPDUs and startup frames");
    NS_TEST_EXPECT_MSG_EQ(count("\"name\": \"Send\""), 10, "of these, Sends");
    NS_TEST_EXPECT_MSG_EQ(count("\"event\": \"summary\""), 1, "summary");
}

} // namespace
