/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"

#include "ns3/ddp-error.h"
#include "ns3/ddp-header.h"
#include "ns3/ddp-segmenter.h"
#include "ns3/random-variable-stream.h"

#include <set>
#include <utility>

using namespace ns3;

namespace
{

/// Suite of the DDP header, its segmentation and its error numbers.
IWARP_TEST_SUITE(ddpHeader, "ddp-header");

std::vector<uint8_t>
Encode(const DdpHeader& header)
{
    std::vector<uint8_t> octets(header.GetSize());
    header.Write(octets.data());
    return octets;
}

/// The octets of the RFC's layouts, both ways.
struct DdpHeaderVectorTest : TestCase
{
    using TestCase::TestCase;

    void Expect(const std::string& hex, const DdpHeader& header)
    {
        const auto octets = Hex(hex);
        NS_TEST_EXPECT_MSG_EQ((Encode(header) == octets), true, "encode " << hex);
        DdpHeader back;
        NS_TEST_EXPECT_MSG_EQ(back.Read(octets.data(), octets.size()), octets.size(), hex);
        NS_TEST_EXPECT_MSG_EQ((back == header), true, "decode " << hex);
    }
};

IWARP_TEST(ddpHeader, "vectors of both headers", DdpHeaderVectorTest)
{
    DdpHeader h;
    h.ulpControl = 0x43;
    h.msn = 1;
    Expect("01 43 00000000 00000000 00000001 00000000", h);
    h.last = true;
    h.mo = 1482;
    Expect("41 43 00000000 00000000 00000001 000005CA", h);
    h.ulpControl = 0x44;
    h.ulpWord = 0xABCD0100;
    h.msn = 3;
    h.mo = 0;
    Expect("41 44ABCD0100 00000000 00000003 00000000", h);
    IWARP_COVERS("DDP-4.3-2");
    h.ulpControl = 0x47;
    h.ulpWord = 0;
    h.qn = 2;
    h.msn = 0xFFFFFFFF;
    h.mo = 0x80000001;
    Expect("41 47 00000000 00000002 FFFFFFFF 80000001", h);
    IWARP_COVERS("DDP-4.3-1 DDP-4.1-9 DDP-4.1-11");

    DdpHeader t;
    t.tagged = true;
    t.ulpControl = 0x40;
    t.stag = 0xABCD0100;
    t.to = 0x4000;
    Expect("81 40 ABCD0100 0000000000004000", t);
    t.last = true;
    t.to = 0x45CE;
    Expect("C1 40 ABCD0100 00000000000045CE", t);
    t.to = 0xFEDCBA9876543210;
    Expect("C1 40 ABCD0100 FEDCBA9876543210", t);
    IWARP_COVERS("DDP-4.2-1 DDP-4.2-7");
}

/// Any octets decode and come back; only short ones do not.
IWARP_TEST(ddpHeader, "random octets come back")
{
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(5041);
    for (uint32_t i = 0; i < 20000; i++)
    {
        std::vector<uint8_t> octets(random->GetInteger(0, 24));
        for (auto& octet : octets)
        {
            octet = random->GetInteger(0, 255);
        }
        const bool tagged = !octets.empty() && (octets[0] & 0x80) != 0;
        const uint32_t size = tagged ? 14 : 18;
        DdpHeader header;
        header.stag = 77;
        const uint32_t used = header.Read(octets.data(), octets.size());
        NS_TEST_ASSERT_MSG_EQ(used, (octets.size() >= size ? size : 0), "octets taken");
        IWARP_COVERS("DDP-4.4-1 DDP-3-11");
        if (used == 0)
        {
            NS_TEST_ASSERT_MSG_EQ(header.stag, 77, "untouched without a whole header");
            continue;
        }
        octets.resize(size);
        NS_TEST_ASSERT_MSG_EQ((Encode(header) == octets), true, "same octets");
        IWARP_COVERS("DDP-4.2-3 DDP-4.4-2");
    }
}

/// The worked examples of segmentation.
struct DdpSegmenterExampleTest : TestCase
{
    using TestCase::TestCase;

    struct Expected
    {
        uint64_t offset; // MO or TO
        uint32_t payload;
        uint32_t size;
    };

    void Expect(bool tagged,
                uint32_t length,
                uint64_t first,
                uint32_t mulpdu,
                const std::vector<Expected>& expected)
    {
        DdpHeader header;
        header.tagged = tagged;
        header.to = first;
        header.stag = 0xABCD0100;
        DdpSegmenter segmenter(header, length);
        NS_TEST_EXPECT_MSG_EQ(DdpSegmenter::Count(length, tagged, mulpdu),
                              expected.size(),
                              "count");
        for (std::size_t i = 0; i < expected.size(); i++)
        {
            NS_TEST_ASSERT_MSG_EQ(segmenter.IsDone(), false, "segment " << i);
            const DdpSegment s = segmenter.Show(mulpdu);
            segmenter.Take(s);
            const uint64_t offset = tagged ? s.header.to : s.header.mo;
            NS_TEST_EXPECT_MSG_EQ(offset, expected[i].offset, "offset of segment " << i);
            NS_TEST_EXPECT_MSG_EQ(s.length, expected[i].payload, "payload of segment " << i);
            NS_TEST_EXPECT_MSG_EQ(s.GetSize(), expected[i].size, "size of segment " << i);
            NS_TEST_EXPECT_MSG_EQ(s.header.last, (i + 1 == expected.size()), "L of segment " << i);
            NS_TEST_EXPECT_MSG_EQ(s.offset, expected[i].offset - (tagged ? first : 0), "offset");
        }
        NS_TEST_EXPECT_MSG_EQ(segmenter.IsDone(), true, "no more segments");
    }

    /// A long message: number of segments and payload of the last.
    void ExpectCount(bool tagged, uint32_t length, uint32_t mulpdu, uint32_t n, uint32_t tail)
    {
        DdpHeader header;
        header.tagged = tagged;
        DdpSegmenter segmenter(header, length);
        uint32_t count = 0;
        DdpSegment s;
        while (!segmenter.IsDone())
        {
            s = segmenter.Show(mulpdu);
            segmenter.Take(s);
            count++;
        }
        NS_TEST_EXPECT_MSG_EQ(count, n, length << " octets at " << mulpdu);
        NS_TEST_EXPECT_MSG_EQ(DdpSegmenter::Count(length, tagged, mulpdu), n, "Count()");
        NS_TEST_EXPECT_MSG_EQ(s.length, tail, "last payload");
        NS_TEST_EXPECT_MSG_EQ(s.offset, length - tail, "last offset");
    }
};

IWARP_TEST(ddpHeader, "worked examples of segmentation", DdpSegmenterExampleTest)
{
    Expect(false, 2048, 0, 1500, {{0, 1482, 1500}, {1482, 566, 584}});
    IWARP_COVERS("DDP-5.2-7 DDP-4.1-6");
    Expect(true, 2048, 16384, 1500, {{16384, 1486, 1500}, {17870, 562, 576}});
    IWARP_COVERS("DDP-5.2-11");
    Expect(false, 1482, 0, 1500, {{0, 1482, 1500}});
    Expect(false, 1483, 0, 1500, {{0, 1482, 1500}, {1482, 1, 19}});
    Expect(true, 1486, 0, 1500, {{0, 1486, 1500}});
    Expect(false, 4000, 0, 1500, {{0, 1482, 1500}, {1482, 1482, 1500}, {2964, 1036, 1054}});
    IWARP_COVERS("DDP-5.2-1 DDP-4.1-3 DDP-4.1-4");
    Expect(true, 0, 99, 1500, {{99, 0, 14}});
    Expect(false, 0, 0, 1500, {{0, 0, 18}});
    IWARP_COVERS("DDP-5.2-13");
    ExpectCount(true, 65536, 1442, 46, 1276);
    ExpectCount(true, 65536, 1454, 46, 736);
    ExpectCount(false, 65536, 1442, 47, 32);
    ExpectCount(true, 1048576, 1442, 735, 424);
    ExpectCount(true, 1048576, 8954, 118, 2596);
    ExpectCount(false, 1000, 128, 10, 10);
    ExpectCount(true, 0xFFFFFFFF, 64768, 66328, 28737);
}

/// A MULPDU that changes between the segments of a message, and TO near its end.
struct DdpSegmenterChangeTest : TestCase
{
    using TestCase::TestCase;

    /// @param found header of a segment @param message header of the message @param before octets
    /// of the message ahead of the segment
    void CheckFields(const DdpHeader& found, const DdpHeader& message, uint32_t before)
    {
        DdpHeader rest = message;
        rest.last = found.last;
        if (message.tagged)
        {
            rest.to = found.to;
            NS_TEST_ASSERT_MSG_EQ(found.to, message.to + before, "TO");
            IWARP_COVERS("DDP-5.2-10 DDP-5.3-4");
            NS_TEST_ASSERT_MSG_EQ(found.stag, message.stag, "STag");
            IWARP_COVERS("DDP-4.2-9");
            NS_TEST_ASSERT_MSG_EQ(+found.ulpControl, +message.ulpControl, "RsvdULP");
            IWARP_COVERS("DDP-4.2-5");
        }
        else
        {
            rest.mo = found.mo;
            NS_TEST_ASSERT_MSG_EQ(found.mo, before, "MO");
            IWARP_COVERS("DDP-4.3-13 DDP-5.2-6 DDP-5.3-3");
            NS_TEST_ASSERT_MSG_EQ(found.qn, message.qn, "QN");
            IWARP_COVERS("DDP-4.3-6");
            NS_TEST_ASSERT_MSG_EQ(found.msn, message.msn, "MSN");
            IWARP_COVERS("DDP-4.3-11");
            const std::pair word{found.ulpControl, found.ulpWord};
            NS_TEST_ASSERT_MSG_EQ((word == std::pair{message.ulpControl, message.ulpWord}),
                                  true,
                                  "RsvdULP, all of it");
            IWARP_COVERS("DDP-4.3-4");
        }
        NS_TEST_ASSERT_MSG_EQ((found == rest), true, "all other fields");
    }
};

IWARP_TEST(ddpHeader, "random messages with a MULPDU that changes", DdpSegmenterChangeTest)
{
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(52);
    for (uint32_t i = 0; i < 2000 && !IsStatusFailure(); i++)
    {
        DdpHeader header;
        header.tagged = random->GetInteger(0, 1) != 0;
        header.ulpControl = random->GetInteger(0, 255);
        header.ulpWord = header.tagged ? 0 : random->GetInteger(0, 0xFFFFFFFE);
        header.stag = header.tagged ? random->GetInteger(0, 0xFFFFFFFE) : 0;
        header.to = header.tagged ? uint64_t(0) - random->GetInteger(0, 100000) : 0;
        header.qn = header.tagged ? 0 : random->GetInteger(0, 3);
        header.msn = header.tagged ? 0 : random->GetInteger(0, 0xFFFFFFFE);
        const uint32_t length = random->GetInteger(0, 60000);
        DdpSegmenter segmenter(header, length);
        uint32_t sum = 0;
        bool last = false;
        while (!segmenter.IsDone())
        {
            NS_TEST_ASSERT_MSG_EQ(segmenter.GetRemaining(), length - sum, "remaining");
            const uint32_t mulpdu = random->GetInteger(128, 3000);
            // one that was not taken leaves nothing behind
            NS_TEST_EXPECT_MSG_EQ(segmenter.Show(3000).offset, sum, "shown before");
            const DdpSegment s = segmenter.Show(mulpdu);
            segmenter.Take(s);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(s.GetSize(), mulpdu, "within MULPDU");
            IWARP_COVERS("DDP-5.2-2 DDP-3-2");
            CheckFields(s.header, header, sum);
            NS_TEST_ASSERT_MSG_EQ(s.header.last, (sum + s.length == length), "L");
            NS_TEST_ASSERT_MSG_EQ((s.length > 0 || length == 0), true, "no empty segment");
            NS_TEST_ASSERT_MSG_EQ(s.offset, sum, "offset");
            sum += s.length;
            last = s.header.last;
        }
        NS_TEST_ASSERT_MSG_EQ(sum, length, "all octets are sent");
        IWARP_COVERS("DDP-5.2-4");
        NS_TEST_ASSERT_MSG_EQ(last, true, "L ends the message");
    }
}

/// The error numbers are those of the RFC's table.
IWARP_TEST(ddpHeader, "error numbers")
{
    const std::vector<std::pair<DdpError, uint16_t>> table = {
        {DdpError::LOCAL_CATASTROPHIC, 0x000},
        {DdpError::TAGGED_INVALID_STAG, 0x100},
        {DdpError::TAGGED_BASE_BOUNDS, 0x101},
        {DdpError::TAGGED_NOT_ASSOCIATED, 0x102},
        {DdpError::TAGGED_TO_WRAP, 0x103},
        {DdpError::TAGGED_VERSION, 0x104},
        {DdpError::UNTAGGED_INVALID_QN, 0x201},
        {DdpError::UNTAGGED_NO_BUFFER, 0x202},
        {DdpError::UNTAGGED_MSN_RANGE, 0x203},
        {DdpError::UNTAGGED_INVALID_MO, 0x204},
        {DdpError::UNTAGGED_TOO_LONG, 0x205},
        {DdpError::UNTAGGED_VERSION, 0x206},
    };
    std::set<std::string> texts;
    for (const auto& [error, number] : table)
    {
        const uint32_t pair = DdpErrorType(error) << 8 | DdpErrorCode(error);
        NS_TEST_EXPECT_MSG_EQ(pair, number, "number");
        IWARP_COVERS("DDP-7.2-2");
        texts.insert(DdpErrorText(error));
    }
    NS_TEST_EXPECT_MSG_EQ(texts.size(), table.size(), "each error has its own text");
    IWARP_COVERS("DDP-7.2-1 DDP-7.2-15");
}

} // namespace
