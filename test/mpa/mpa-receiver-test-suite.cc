/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-receiver.h"

#include <algorithm>

using namespace ns3;
using namespace mpatest;

/// Suite of finding FPDUs and of passing and classifying them.
IWARP_TEST_SUITE(mpaReceiver, "mpa-receiver");

/// The five cases of A.4, with the numbers that the requirements give.
IWARP_TEST(mpaReceiver, "the five cases of A.4")
{
    Stream big(true);
    big.PostSizes({1442, 1442, 1442, 1442});

    // 1: one aligned FPDU, out of order
    ReceiverProbe one(ReceiverConfig(big));
    auto report = one.Feed(big, 1460, 2920);
    NS_TEST_EXPECT_MSG_EQ(one.Order(), "1460 ", "passed on arrival");
    IWARP_COVERS("MPA-A.3-01 MPA-A.3-06");
    NS_TEST_EXPECT_MSG_EQ(report.passedOutOfOrder, 1, "out of order");
    NS_TEST_EXPECT_MSG_EQ(report.inOrder, false, "out of order");
    NS_TEST_EXPECT_MSG_EQ(one.receiver.GetHeld(), 0, "nothing buffered");
    one.receiver.Advance(1000);
    NS_TEST_EXPECT_MSG_EQ(one.delivered, 0, "not delivered");
    IWARP_COVERS("MPA-A.4-04");
    report = one.Feed(big, 0, 1460);
    NS_TEST_EXPECT_MSG_EQ(report.inOrder, true, "in order");
    NS_TEST_EXPECT_MSG_EQ(one.Order(), "1460 0+ ", "once each");
    NS_TEST_EXPECT_MSG_EQ(one.delivered, 0, "TCP has not moved its edge");
    IWARP_COVERS("MPA-A.3-07");
    one.receiver.Advance(1000 + 2920);
    NS_TEST_EXPECT_MSG_EQ(one.delivered, 2, "both delivered");
    IWARP_COVERS("MPA-A.4-04 MPA-A.3-07");
    NS_TEST_EXPECT_MSG_EQ(one.receiver.GetDelivered(), 2, "both delivered");
    NS_TEST_EXPECT_MSG_EQ(one.receiver.GetNext(), 1000 + 2920, "chain");
    NS_TEST_EXPECT_MSG_EQ(one.Same(big), true, "octets");

    // both at once, acknowledged one by one: an FPDU is delivered with its last octet
    ReceiverProbe both(ReceiverConfig(big));
    both.Feed(big, 0, 2920);
    both.receiver.Advance(1000 + 1459);
    NS_TEST_EXPECT_MSG_EQ(both.delivered, 0, "an octet is missing");
    both.receiver.Advance(1000 + 1460);
    NS_TEST_EXPECT_MSG_EQ(both.delivered, 1, "the first, whatever waits behind it");
    both.receiver.Advance(1000 + 2920);
    NS_TEST_EXPECT_MSG_EQ(both.delivered, 2, "the second");
    IWARP_COVERS("MPA-A.4-04 MPA-A.3-07");

    // 2: three aligned FPDUs in a segment, a Marker in the first
    Stream packed(true);
    packed.PostSizes({490, 94, 94, 94});
    NS_TEST_ASSERT_MSG_EQ(packed.fpdus[1].start, 500, "layout");
    ReceiverProbe two(ReceiverConfig(packed));
    report = two.Feed(packed, 500, packed.octets.size());
    NS_TEST_EXPECT_MSG_EQ(two.Order(), "500 604 704 ", "three passes");
    IWARP_COVERS("MPA-A.4-05");
    NS_TEST_EXPECT_MSG_EQ(report.markerSearches, 1, "one Marker");
    two.receiver.Advance(1000);
    NS_TEST_EXPECT_MSG_EQ(two.delivered, 0, "no delivery");
    two.Feed(packed, 0, 500);
    two.receiver.Advance(1000 + packed.octets.size());
    NS_TEST_EXPECT_MSG_EQ(two.delivered, 4, "delivered with the gap closed");
    IWARP_COVERS("MPA-A.4-05");

    // 3: incomplete FPDU
    ReceiverProbe three(ReceiverConfig(big));
    report = three.Feed(big, 0, 1000);
    NS_TEST_EXPECT_MSG_EQ(three.receiver.GetHeld(), 1000, "buffered");
    IWARP_COVERS("MPA-A.4-06");
    NS_TEST_EXPECT_MSG_EQ(report.stored, 1000, "buffered");
    report = three.Feed(big, 1000, 1460);
    NS_TEST_EXPECT_MSG_EQ(three.Order(), "0+ ", "passed");
    NS_TEST_EXPECT_MSG_EQ(three.passed[0].ulpdu.aligned, false, "in two segments");
    NS_TEST_EXPECT_MSG_EQ(three.receiver.GetHeld(), 0, "buffer empty");
    IWARP_COVERS("MPA-A.4-06");
    ReceiverProbe remainder(ReceiverConfig(big)); // the remainder is already there
    remainder.Feed(big, 1000, 1460);
    remainder.Feed(big, 0, 1000);
    NS_TEST_EXPECT_MSG_EQ(remainder.Order(), "0+ ", "at once");

    // 4: unaligned start; 700-octet segments, in the order 2, 1, 3
    ReceiverProbe four(ReceiverConfig(big));
    four.Feed(big, 700, 1400);
    NS_TEST_EXPECT_MSG_EQ(four.receiver.GetHeld(), 700, "buffered");
    four.Feed(big, 0, 700);
    NS_TEST_EXPECT_MSG_EQ(four.passed.size(), 0, "not whole");
    NS_TEST_EXPECT_MSG_EQ(four.receiver.GetHeld(), 1400, "buffered");
    four.Feed(big, 1400, 2100);
    NS_TEST_EXPECT_MSG_EQ(four.Order(), "0+ ", "passed on arrival of the last piece");
    IWARP_COVERS("MPA-A.4-07");
    NS_TEST_EXPECT_MSG_EQ(four.receiver.GetHeld(), 640, "beginning of the second");

    // 5: tail of A, all of B, head of C
    ReceiverProbe five(ReceiverConfig(big));
    five.Feed(big, 0, 1000);
    report = five.Feed(big, 1000, 3000);
    NS_TEST_EXPECT_MSG_EQ(five.Order(), "0+ 1460+ ", "A and B");
    NS_TEST_EXPECT_MSG_EQ(five.passed[1].ulpdu.aligned, true, "B came whole");
    NS_TEST_EXPECT_MSG_EQ(five.receiver.GetHeld(), 80, "C's head");
    IWARP_COVERS("MPA-A.4-08");
    NS_TEST_EXPECT_MSG_EQ(report.stored, 80, "C's head");
    five.Feed(big, 3000, 5840);
    NS_TEST_EXPECT_MSG_EQ(five.Order(), "0+ 1460+ 2920+ 4380+ ", "all");
    NS_TEST_EXPECT_MSG_EQ(five.Same(big), true, "octets");
    // the same out of order, A's head held
    ReceiverProbe late(ReceiverConfig(big));
    late.Feed(big, 1460, 2400);
    late.Feed(big, 2400, 4400);
    NS_TEST_EXPECT_MSG_EQ(late.Order(), "1460 2920 ", "A and B");
    IWARP_COVERS("MPA-A.4-08");
    NS_TEST_EXPECT_MSG_EQ(late.receiver.GetHeld(), 20, "C's head");
}

/// Section 6: how an FPDU may be found, and how not.
IWARP_TEST(mpaReceiver, "identification")
{
    Stream big(true);
    big.PostSizes({1442, 1442, 1442});
    NS_TEST_EXPECT_MSG_EQ((big.octets[1538] << 8 | big.octets[1539]), 76, "Marker at 1536");

    ReceiverProbe lost(ReceiverConfig(big));
    lost.Feed(big, 1460, 2920);
    NS_TEST_EXPECT_MSG_EQ(lost.Order(), "1460 ", "the Marker at 1536 leads to 1460");
    IWARP_COVERS("MPA-6-07 MPA-6-04");

    ReceiverProbe once(ReceiverConfig(big));
    const auto search = once.Feed(big, 1460, 2900);
    NS_TEST_EXPECT_MSG_EQ(search.markerSearches, 1, "three Markers say the same");

    ReceiverProbe halves(ReceiverConfig(big));
    halves.Feed(big, 2200, 2920);
    NS_TEST_EXPECT_MSG_EQ(halves.passed.size(), 0, "header missing");
    halves.Feed(big, 1460, 2200);
    NS_TEST_EXPECT_MSG_EQ(halves.Order(), "1460 ", "on arrival of the second half");
    IWARP_COVERS("MPA-A.3-04");

    // five FPDUs, and more than one Marker or just one
    for (uint32_t ulpdu : {94, 194})
    {
        Stream five(true);
        five.PostSizes({490, ulpdu, ulpdu, ulpdu, ulpdu, ulpdu});
        ReceiverProbe probe(ReceiverConfig(five));
        probe.Feed(five, 500, five.octets.size());
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 5, "all five of " << ulpdu);
        NS_TEST_EXPECT_MSG_EQ(probe.Same(five), true, "octets");
    }
    IWARP_COVERS("MPA-6-08");

    // all but the last four octets
    ReceiverProbe four(ReceiverConfig(big));
    four.Feed(big, 0, 1456);
    NS_TEST_EXPECT_MSG_EQ(four.passed.size(), 0, "four octets are missing");
    IWARP_COVERS("MPA-6-01 MPA-6-09 MPA-B.2-03");
    four.Feed(big, 1456, 1460);
    NS_TEST_EXPECT_MSG_EQ(four.Order(), "0+ ", "passed at once");
    IWARP_COVERS("MPA-6-04 MPA-6-09");

    // the Marker's header is missing, and behind it there is no other
    Stream small(true);
    small.PostSizes({600, 94, 94, 94});
    NS_TEST_ASSERT_MSG_EQ(small.fpdus[1].start, 616, "layout");
    ReceiverProbe tail(ReceiverConfig(small));
    tail.Feed(small, 400, small.octets.size());
    NS_TEST_EXPECT_MSG_EQ(tail.passed.size(), 0, "no start is proved");
    IWARP_COVERS("MPA-6-02 MPA-6-10");
    NS_TEST_EXPECT_MSG_EQ(tail.receiver.GetHeld(), small.octets.size() - 400, "all waits");
    tail.Feed(small, 0, 400);
    NS_TEST_EXPECT_MSG_EQ(tail.passed.size(), 4, "the gap is closed");
    NS_TEST_EXPECT_MSG_EQ(tail.receiver.GetHeld(), 0, "the gap is closed");

    // seven FPDUs from 8 mod 512 on, the first Marker in the third
    Stream seven(true);
    seven.PostSizes({506, 194, 194, 194, 194, 194, 194, 194});
    NS_TEST_ASSERT_MSG_EQ(seven.fpdus[1].start, 520, "layout");
    ReceiverProbe packed(ReceiverConfig(seven));
    packed.Feed(seven, 520, seven.octets.size());
    NS_TEST_EXPECT_MSG_EQ(packed.Order(), "920 1124 1324 1524 1728 ", "3 to 7");
    IWARP_COVERS("MPA-6-11");
    NS_TEST_EXPECT_MSG_EQ(packed.receiver.GetHeld(), 400, "1 and 2");
    packed.Feed(seven, 0, 520);
    NS_TEST_EXPECT_MSG_EQ(packed.Order(),
                          "920 1124 1324 1524 1728 0+ 520+ 720+ ",
                          "with the gap closed");
    packed.receiver.Advance(1000 + seven.octets.size());
    NS_TEST_EXPECT_MSG_EQ(packed.delivered, 8, "in order");
    IWARP_COVERS("MPA-A.3-08");

    // aligned segments out of order, without Markers or without the wish
    for (bool markers : {false, true})
    {
        Stream stream(markers);
        stream.PostSizes({1442, 1442, 1442});
        auto config = ReceiverConfig(stream);
        config.outOfOrder = !markers;
        ReceiverProbe probe(config);
        probe.Feed(stream, stream.fpdus[1].start, stream.octets.size());
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 0, "alignment proves nothing");
        IWARP_COVERS("MPA-6-02 MPA-6-05");
        probe.Feed(stream, 0, stream.fpdus[1].start);
        NS_TEST_EXPECT_MSG_EQ(probe.passed.size(), 3, "in order");
    }

    // header at 0xFFFFFF80, Marker with 0x0180 at 0x00000100
    Stream wrap(true);
    wrap.PostSizes({118, 700});
    NS_TEST_ASSERT_MSG_EQ(wrap.fpdus[1].start, 128, "layout");
    NS_TEST_EXPECT_MSG_EQ((wrap.octets[514] << 8 | wrap.octets[515]), 0x0180, "FPDUPTR");
    ReceiverProbe around(ReceiverConfig(wrap, 0xFFFFFF00));
    around.Feed(wrap, 128, wrap.octets.size());
    NS_TEST_EXPECT_MSG_EQ(around.Order(), "128 ", "found over the wrap");
    IWARP_COVERS("MPA-4.3-06");
    NS_TEST_EXPECT_MSG_EQ(around.passed[0].ulpdu.seq, 0xFFFFFF80, "sequence number");
    IWARP_COVERS("DDP-3-8");
}

/// Duplicates, lengths, and segments among boundaries.
IWARP_TEST(mpaReceiver, "streams")
{
    // every length, in order; the segments are cut so that each octet comes alone
    Stream every(true);
    std::vector<uint32_t> sizes;
    for (uint32_t i = 1; i <= 1442; i += i < 70 ? 1 : 49)
    {
        sizes.push_back(i);
    }
    sizes.push_back(1442);
    every.PostSizes(sizes);
    for (uint32_t cut : {1U, 3U, 700U, 1460U, 100000U})
    {
        ReceiverProbe probe(ReceiverConfig(every));
        for (uint32_t at = 0; at < every.octets.size(); at += cut)
        {
            const auto to = std::min<uint32_t>(at + cut, every.octets.size());
            probe.Feed(every, at, to);
            probe.receiver.Advance(1000 + to);
        }
        NS_TEST_EXPECT_MSG_EQ(probe.delivered, sizes.size(), "cut " << cut);
        IWARP_COVERS("MPA-3-11 MPA-5.1-12 MPA-A.4-01 MPA-A.4-02");
        NS_TEST_EXPECT_MSG_EQ(probe.Same(every), true, "cut " << cut);
        IWARP_COVERS("MPA-4.3-16 MPA-4.3-17");
    }

    // a segment again, altered, its CRC good
    Stream altered(true);
    altered.PostSizes({1442, 1442, 1442});
    Stream other(true);
    other.PostSizes({1442});
    other.Post(Octets(1442, 0x5A));
    ReceiverProbe again(ReceiverConfig(altered));
    again.Feed(altered, 1460, 2920);
    const auto report = again.Feed(other, 1460, 2920);
    NS_TEST_EXPECT_MSG_EQ(report.duplicate, true, "nothing new");
    again.Feed(other, 1000, 2920);
    again.Feed(other, 0, 2920);
    NS_TEST_EXPECT_MSG_EQ(again.Order(), "1460 0+ ", "once each");
    NS_TEST_EXPECT_MSG_EQ(again.Same(altered), true, "what came first counts");
    IWARP_COVERS("MPA-A.3-05");

    // all pointers zeroed, CRC computed again
    Stream zeroed(true);
    zeroed.PostSizes({1442, 700, 1442, 20, 900});
    for (uint32_t at = 0; at < zeroed.octets.size(); at += 512)
    {
        zeroed.octets[at + 2] = zeroed.octets[at + 3] = 0;
    }
    for (std::size_t i = 0; i < zeroed.fpdus.size(); ++i)
    {
        zeroed.FixCrc(i);
    }
    auto config = ReceiverConfig(zeroed);
    config.outOfOrder = false;
    config.check = mpa::CheckMarkers::NONE;
    ReceiverProbe lengths(config);
    for (uint32_t at = 0; at < zeroed.octets.size(); at += 400)
    {
        lengths.Feed(zeroed, at, std::min<uint32_t>(at + 400, zeroed.octets.size()));
    }
    NS_TEST_EXPECT_MSG_EQ(lengths.passed.size(), 5, "the length chain alone");
    IWARP_COVERS("MPA-5.2-01");
    NS_TEST_EXPECT_MSG_EQ(lengths.Same(zeroed), true, "Markers are skipped");
    IWARP_COVERS("MPA-5.2-03");

    // reserved octets and low bits of a Marker, out of order too
    Stream odd(true);
    odd.PostSizes({1442, 1442});
    for (uint8_t low = 0; low < 4; ++low)
    {
        for (const uint32_t marker : {1536, 2048, 2560})
        {
            odd.octets[marker] = odd.octets[marker + 1] = 0xFF;
            odd.octets[marker + 3] = (odd.octets[marker + 3] & 0xFC) | low;
        }
        odd.FixCrc(1);
        ReceiverProbe probe(ReceiverConfig(odd));
        probe.Feed(odd, 1460, 2920);
        NS_TEST_EXPECT_MSG_EQ(probe.Order(), "1460 ", "low bits " << int(low));
        IWARP_COVERS("MPA-4.2-03 MPA-4.2-06 MPA-4.3-09");
        ReceiverProbe search(ReceiverConfig(odd));
        search.Feed(odd, 1400, 2920); // where the FPDU begins, the Marker alone tells
        NS_TEST_EXPECT_MSG_EQ(search.Order(), "1460 ", "searched, low bits " << int(low));
    }
}

/// Classified(): once a segment, when the chain has passed it.
IWARP_TEST(mpaReceiver, "classes of segments")
{
    Stream stream(true);
    stream.PostSizes({1442, 1442, 1442, 1442, 1442});
    ReceiverProbe probe(ReceiverConfig(stream));
    auto last = [&]() { return probe.classes.back(); };
    probe.Feed(stream, 0, 1460);
    NS_TEST_ASSERT_MSG_EQ(probe.classes.size(), 1, "at once");
    NS_TEST_EXPECT_MSG_EQ((last() == ReceiverProbe::Class{0, 1460, true, true}), true, "aligned");
    IWARP_COVERS("MPA-2-03 MPA-B.2.1-10");
    probe.Feed(stream, 1460, 2000);
    probe.Feed(stream, 2000, 2500);
    NS_TEST_EXPECT_MSG_EQ(probe.classes.size(), 1, "FPDU not yet known to be one");
    probe.Feed(stream, 2500, 2920);
    NS_TEST_ASSERT_MSG_EQ(probe.classes.size(), 4, "now it is");
    NS_TEST_EXPECT_MSG_EQ((probe.classes[1] == ReceiverProbe::Class{1460, 540, true, false}),
                          true,
                          "begins with an FPDU");
    IWARP_COVERS("MPA-2-03");
    NS_TEST_EXPECT_MSG_EQ((probe.classes[2] == ReceiverProbe::Class{2000, 500, false, false}),
                          true,
                          "middle");
    NS_TEST_EXPECT_MSG_EQ((probe.classes[3] == ReceiverProbe::Class{2500, 420, false, false}),
                          true,
                          "only ends with one");
    IWARP_COVERS("MPA-B.2.1-10");
    probe.Feed(stream, 4380, 7300);
    NS_TEST_EXPECT_MSG_EQ(probe.classes.size(), 4, "out of order: not yet");
    probe.Feed(stream, 2920, 4380);
    NS_TEST_ASSERT_MSG_EQ(probe.classes.size(), 6, "gap closed");
    NS_TEST_EXPECT_MSG_EQ((probe.classes[5] == ReceiverProbe::Class{4380, 2920, true, true}),
                          true,
                          "two whole FPDUs");
    probe.Feed(stream, 4380, 7300);
    NS_TEST_EXPECT_MSG_EQ(probe.classes.size(), 6, "duplicates are not classified");
}
