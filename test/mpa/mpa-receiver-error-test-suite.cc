/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(mpaReceiverError, "mpa-receiver-error");

static const std::vector<int> NO_ERROR{}; //!< as ReceiverProbe::errors
static const std::vector<int> CODE_2{2};  //!< as ReceiverProbe::errors
static const std::vector<int> CODE_3{3};  //!< as ReceiverProbe::errors

/// @param stream what is to come @return configuration
static MpaReceiverConfig
For(const Stream& stream)
{
    MpaReceiverConfig config;
    config.seqStart = 0xFFFFF000; // the streams wrap
    config.format = stream.format;
    return config;
}

/// Feed an FPDU as one segment, and let TCP advance if it is in order. @param probe receiver
/// @param stream stream @param index which FPDU @return report
static RecordSegmentReport
FeedFpdu(ReceiverProbe& probe, const Stream& stream, std::size_t index)
{
    const auto& f = stream.fpdus[index];
    const auto report = probe.Feed(stream, f.start, f.end);
    if (report.inOrder && !report.dropped)
    {
        probe.receiver.Advance(probe.receiver.GetNext());
    }
    return report;
}

/// Ten FPDUs. @param markers Markers in use @param crc CRC in use @return the stream
static Stream
Ten(bool markers, bool crc = true)
{
    Stream stream(markers, crc);
    stream.PostSizes({1442, 1442, 1442, 1442, 1442, 1442, 1442, 1442, 1442, 1442});
    return stream;
}

/// A bad CRC: in order, packed, out of order.
IWARP_TEST(mpaReceiverError, "code 2")
{
    for (bool markers : {false, true})
    {
        const Stream good = Ten(markers);
        Stream bad = good;
        bad.octets[bad.fpdus[4].start + 700] ^= 0x40;

        ReceiverProbe each(For(bad)); // an FPDU a segment
        for (std::size_t i = 0; i < 10; ++i)
        {
            FeedFpdu(each, bad, i);
            NS_TEST_EXPECT_MSG_EQ(each.receiver.HasFailed(), (i >= 4), "FPDU " << i + 1);
            IWARP_COVERS("MPA-4.4-20");
        }
        NS_TEST_EXPECT_MSG_EQ(each.delivered, 4, "1 to 4 delivered");
        NS_TEST_EXPECT_MSG_EQ(each.passed.size(), 4, "5 to 10 not passed");
        IWARP_COVERS("MPA-6-03");
        NS_TEST_EXPECT_MSG_EQ((each.errors == CODE_2), true, "code 2, once");
        IWARP_COVERS("MPA-8-03 MPA-8-04");
        NS_TEST_EXPECT_MSG_EQ(each.errorAt, bad.fpdus[4].start, "where");
        NS_TEST_EXPECT_MSG_EQ(each.deliveredAfterError, 0, "nothing afterwards");
        IWARP_COVERS("MPA-8-13");

        ReceiverProbe whole(For(bad)); // all in one segment
        whole.Feed(bad, 0, bad.octets.size());
        whole.receiver.Advance(0xFFFFF000 + bad.octets.size());
        NS_TEST_EXPECT_MSG_EQ(whole.delivered, 4, "delivered before the error is told");
        NS_TEST_EXPECT_MSG_EQ(whole.deliveredAfterError, 0, "nothing afterwards");
        NS_TEST_EXPECT_MSG_EQ((whole.errors == CODE_2), true, "code 2");

        ReceiverProbe cut(For(bad)); // cut into 100 octets
        for (uint32_t at = 0; at < bad.octets.size(); at += 100)
        {
            cut.Feed(bad, at, std::min<uint32_t>(at + 100, bad.octets.size()));
        }
        NS_TEST_EXPECT_MSG_EQ(cut.passed.size(), 4, "the chain stops");
        IWARP_COVERS("MPA-6-06");
        NS_TEST_EXPECT_MSG_EQ((cut.errors == CODE_2), true, "code 2");
        NS_TEST_EXPECT_MSG_EQ(cut.receiver.GetHeld(), 0, "memory is free");
    }

    // out of order: a start found by a Marker is a claim, so nothing is said until the
    // chain is there; delivery goes on until then
    const Stream good = Ten(true);
    Stream bad = good;
    bad.octets[bad.fpdus[4].start + 700] ^= 0x40;
    ReceiverProbe late(For(bad));
    FeedFpdu(late, bad, 4);
    NS_TEST_EXPECT_MSG_EQ(late.passed.size(), 0, "not passed");
    NS_TEST_EXPECT_MSG_EQ((late.errors == NO_ERROR), true, "not told");
    NS_TEST_EXPECT_MSG_EQ(late.receiver.GetHeld(), 1460, "kept");
    FeedFpdu(late, bad, 6);
    NS_TEST_EXPECT_MSG_EQ(late.passed.size(), 1, "others are passed");
    FeedFpdu(late, bad, 5);
    for (std::size_t i = 0; i < 3; ++i)
    {
        FeedFpdu(late, bad, i);
    }
    NS_TEST_EXPECT_MSG_EQ(late.delivered, 3, "delivery goes on");
    FeedFpdu(late, bad, 3);
    NS_TEST_EXPECT_MSG_EQ((late.errors == CODE_2), true, "told when the gap closes");
    NS_TEST_EXPECT_MSG_EQ(late.errorAt, bad.fpdus[4].start, "where");
    NS_TEST_EXPECT_MSG_EQ(late.delivered, 4, "5 to 7 are not delivered");
    NS_TEST_EXPECT_MSG_EQ(late.passedAfterError + late.deliveredAfterError, 0, "nothing more");
    IWARP_COVERS("MPA-8-13");
}

/// CRC off, and lengths that no sender may use.
IWARP_TEST(mpaReceiverError, "CRC off; lengths out of range")
{
    Stream off = Ten(true, false);
    for (const auto& f : off.fpdus)
    {
        off.octets[f.end - 20] ^= 0xFF; // of the ULPDU
        off.octets[f.end - 2] ^= 0xFF;  // of the CRC field
    }
    ReceiverProbe unchecked(For(off));
    for (std::size_t i : {1, 0, 2, 3, 4, 5, 6, 7, 8, 9})
    {
        FeedFpdu(unchecked, off, i);
    }
    NS_TEST_EXPECT_MSG_EQ(unchecked.delivered, 10, "all passed");
    NS_TEST_EXPECT_MSG_EQ((unchecked.errors == NO_ERROR), true, "no error");
    IWARP_COVERS("MPA-4.1-08 MPA-4.4-10");

    // without CRC a Marker is all there is: what it says has to fit
    Stream bare(true, false);
    bare.PostSizes({502, 1400, 100});
    ReceiverProbe headless(For(bare));
    headless.Feed(bare, 516, bare.octets.size());
    NS_TEST_EXPECT_MSG_EQ(headless.passed.size(), 0, "the FPDU begins with its Marker");
    headless.Feed(bare, 0, 516);
    NS_TEST_EXPECT_MSG_EQ(headless.passed.size(), 3, "which now is there");
    for (uint16_t pointer : {0x0100, 0x0200}) // into the ULPDU of zeros, onto a Marker
    {
        Stream lie(true, false);
        lie.Post(Octets(502, 0));
        lie.Post(Octets(900, 0));
        lie.octets[514] = 0x01; // so that the first Marker leads nowhere
        lie.octets[1026] = pointer >> 8;
        lie.octets[1027] = pointer & 0xFF;
        auto config = For(lie);
        config.check = mpa::CheckMarkers::NONE;
        ReceiverProbe probe(config);
        probe.Feed(lie, 512, lie.octets.size());
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 0, "no FPDU can start there");
    }

    for (uint32_t length : {0U, 64769U, 65535U})
    {
        Stream odd(true);
        odd.PostSizes({100, length, 100});
        for (bool strict : {false, true})
        {
            auto config = For(odd);
            config.strictLength = strict;
            ReceiverProbe probe(config);
            for (uint32_t at = 0; at < odd.octets.size(); at += 1460)
            {
                probe.Feed(odd, at, std::min<uint32_t>(at + 1460, odd.octets.size()));
            }
            NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), (strict ? 1 : 3), "length " << length);
            NS_TEST_EXPECT_MSG_EQ((probe.errors == (strict ? CODE_3 : NO_ERROR)),
                                  true,
                                  "length " << length);
            NS_TEST_EXPECT_MSG_EQ(probe.Same(odd), true, "length " << length);
        }
    }
}

/// Markers and the length chain disagree.
IWARP_TEST(mpaReceiverError, "code 3")
{
    // 0x0018 where 0x0014 is right
    Stream six(true);
    six.PostSizes({482, 42, 42});
    six.octets[515] = 0x18;
    six.FixCrc(1);
    ReceiverProbe wrong(For(six));
    wrong.Feed(six, 0, six.octets.size());
    NS_TEST_EXPECT_MSG_EQ((wrong.errors == CODE_3), true, "code 3 and not 2");
    IWARP_COVERS("MPA-8-05 MPA-8-06");
    NS_TEST_EXPECT_MSG_EQ(wrong.passed.size(), 1, "only the first");
    auto config = For(six);
    config.check = mpa::CheckMarkers::NONE;
    ReceiverProbe blind(config);
    blind.Feed(six, 0, six.octets.size());
    NS_TEST_EXPECT_MSG_EQ(blind.passed.size(), 3, "Markers not checked");
    IWARP_COVERS("MPA-5.2-02 MPA-8-08");

    // the bad Marker comes in the later segment, out of order: told when the gap closes
    ReceiverProbe later(For(six));
    FeedFpdu(later, six, 1);
    NS_TEST_EXPECT_MSG_EQ((later.errors == NO_ERROR), true, "not yet");
    FeedFpdu(later, six, 0);
    NS_TEST_EXPECT_MSG_EQ((later.errors == CODE_3), true, "when the gap closes");
    IWARP_COVERS("MPA-8-07");

    // what an FPDU's ULPDU has in it looks like an FPDU to a lying Marker
    Stream liar(true);
    liar.PostSizes({482});
    liar.Post(Octets(600, 0));
    liar.PostSizes({100});
    // octets 512.. of the stream: Marker; put an FPDU of 20 at 516 and let the Marker say 0
    Octets fake(mpa::WireSize(20, 512, true));
    const Octets ulpdu(20, 0x77);
    mpa::EncodeFpdu(fake.data(), ulpdu.data(), 20, nullptr, 0, 512, liar.format);
    std::copy(fake.begin(), fake.end(), liar.octets.begin() + 512);
    liar.FixCrc(1);
    ReceiverProbe misled(For(liar));
    misled.Feed(liar, 512, liar.fpdus[1].end);
    NS_TEST_EXPECT_MSG_EQ(misled.passed.size(), 1, "the claim cannot be told from the truth");
    misled.Feed(liar, 0, 492);
    NS_TEST_EXPECT_MSG_EQ((misled.errors == NO_ERROR), true, "the gap is still open");
    misled.Feed(liar, 492, 512);
    NS_TEST_EXPECT_MSG_EQ((misled.errors == CODE_3), true, "the chain knows better");
    IWARP_COVERS("MPA-8-07");
    NS_TEST_EXPECT_MSG_EQ(misled.errorAt, 492, "where");

    // each bit of each pointer in turn, in order and out of order
    const Stream good = Ten(true);
    for (std::size_t i = 0; i < good.fpdus.size(); ++i)
    {
        const auto& f = good.fpdus[i];
        for (uint32_t at = (f.start + 511) / 512 * 512; at < f.end; at += 512)
        {
            for (int bit = 0; bit < 16; ++bit)
            {
                Stream bad = good;
                bad.octets[at + 3 - bit / 8] ^= 1 << bit % 8;
                bad.FixCrc(i);
                const bool fault = bit > 1; // the two low bits do not count
                ReceiverProbe order(For(bad));
                order.Feed(bad, 0, bad.octets.size());
                NS_TEST_ASSERT_MSG_EQ((order.errors == (fault ? CODE_3 : NO_ERROR)), true, at);
                IWARP_COVERS("MPA-4.2-06 MPA-8-05");
                NS_TEST_ASSERT_MSG_EQ(order.passed.size(), (fault ? i : 10), at);

                ReceiverProbe late(For(bad));
                for (std::size_t k = 1; k < 10; ++k)
                {
                    FeedFpdu(late, bad, k);
                }
                NS_TEST_ASSERT_MSG_EQ((late.errors == NO_ERROR), true, at);
                NS_TEST_ASSERT_MSG_EQ(late.passed.size(), (fault && i > 0 ? 8 : 9), at);
                FeedFpdu(late, bad, 0);
                NS_TEST_ASSERT_MSG_EQ((late.errors == (fault ? CODE_3 : NO_ERROR)), true, at);
                IWARP_COVERS("MPA-8-07");
                NS_TEST_ASSERT_MSG_EQ(late.delivered, (fault ? i : 10), at);
                NS_TEST_ASSERT_MSG_EQ(late.Same(bad), true, at);
            }
        }
    }
}

/// The segment that completes a faulty FPDU is refused, and TCP sends it again.
IWARP_TEST(mpaReceiverError, "silent drop")
{
    for (bool markers : {false, true})
    {
        const Stream good = Ten(markers);
        Stream bad = good;
        bad.octets[bad.fpdus[4].start + 700] ^= 0x40;
        auto config = For(good);
        config.silentDrop = true;

        ReceiverProbe each(config);
        for (std::size_t i = 0; i < 10; ++i)
        {
            const bool dropped = FeedFpdu(each, bad, i).dropped;
            NS_TEST_EXPECT_MSG_EQ(dropped, (i == 4), "FPDU " << i + 1);
        }
        NS_TEST_EXPECT_MSG_EQ(each.delivered, 4, "delivery waits");
        NS_TEST_EXPECT_MSG_EQ(FeedFpdu(each, good, 4).dropped, false, "sent again");
        NS_TEST_EXPECT_MSG_EQ(each.delivered, 10, "data good");
        NS_TEST_EXPECT_MSG_EQ((each.errors == NO_ERROR), true, "code count 0");
        NS_TEST_EXPECT_MSG_EQ(each.Same(good), true, "octets");
        IWARP_COVERS("MPA-8-11");

        // packed with good ones: nothing of the segment is taken
        ReceiverProbe packed(config);
        const uint32_t end = good.fpdus[6].end;
        const auto report = packed.Feed(bad, 0, end);
        NS_TEST_EXPECT_MSG_EQ(report.dropped, true, "all refused");
        NS_TEST_EXPECT_MSG_EQ(report.memoryFull, false, "not for memory");
        NS_TEST_EXPECT_MSG_EQ(packed.passed.size(), 0, "nothing passed");
        NS_TEST_EXPECT_MSG_EQ(packed.receiver.GetHeld(), 0, "nothing held");
        NS_TEST_EXPECT_MSG_EQ(packed.receiver.GetNext(), config.seqStart, "unchanged");
        NS_TEST_EXPECT_MSG_EQ(packed.Feed(good, 0, end).dropped, false, "sent again");
        NS_TEST_EXPECT_MSG_EQ(packed.passed.size(), 7, "each once");

        // over two segments: the second completes it and is refused, each time it comes
        ReceiverProbe parts(config);
        const uint32_t start = good.fpdus[4].start;
        parts.Feed(good, 0, start + 900);
        Stream tail = good;
        tail.octets[start + 1000] ^= 1;
        for (int i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(parts.Feed(tail, start + 900, end).dropped, true, "bad");
            NS_TEST_EXPECT_MSG_EQ(parts.receiver.GetHeld(), 900, "the first part stays");
        }
        NS_TEST_EXPECT_MSG_EQ(parts.Feed(good, start + 900, end).dropped, false, "good");
        NS_TEST_EXPECT_MSG_EQ(parts.passed.size(), 7, "mended");
    }
    // the fault lies in octets that TCP has acknowledged, all of them: it must be reported;
    // without Markers nothing shows before the gap closes
    const Stream good = Ten(false);
    Stream bad = good;
    bad.octets[bad.fpdus[4].start + 700] ^= 0x40;
    auto config = For(good);
    config.silentDrop = true;
    ReceiverProbe acked(config);
    NS_TEST_EXPECT_MSG_EQ(FeedFpdu(acked, bad, 4).dropped, false, "nobody can know");
    for (std::size_t i = 0; i < 4; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(FeedFpdu(acked, good, i).dropped, false, "good");
    }
    NS_TEST_EXPECT_MSG_EQ((acked.errors == CODE_2), true, "TCP has acknowledged the fault");
    NS_TEST_EXPECT_MSG_EQ(acked.delivered, 4, "what came before");
}
