/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "decode-test.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeHostile, "decode-hostile");

std::atomic<int64_t> g_live{0}; //!< octets allocated with new, and not yet freed
std::atomic<int64_t> g_peak{0}; //!< the most of them since Peak() began

/// @param pointer what was allocated, or is to be freed @param sign 1 or -1
void
Account(void* pointer, int sign)
{
    const auto size = static_cast<int64_t>(pointer ? malloc_usable_size(pointer) : 0);
    const int64_t live = g_live.fetch_add(sign * size, std::memory_order_relaxed) + sign * size;
    if (live > g_peak.load(std::memory_order_relaxed))
    {
        g_peak.store(live, std::memory_order_relaxed);
    }
}

} // namespace

// both forms of new: AddressSanitizer wants what it allocates to be freed by its own delete

void*
operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    void* pointer = std::malloc(std::max<std::size_t>(size, 1));
    Account(pointer, 1);
    return pointer;
}

void*
operator new(std::size_t size)
{
    void* pointer = operator new(size, std::nothrow);
    if (!pointer)
    {
        throw std::bad_alloc();
    }
    return pointer;
}

void
operator delete(void* pointer) noexcept
{
    Account(pointer, -1);
    std::free(pointer);
}

void
operator delete(void* pointer, std::size_t) noexcept
{
    operator delete(pointer);
}

namespace
{

/// @param file a capture @return octets that the decoder has allocated at most
int64_t
Peak(const DecodeOctets& file)
{
    const int64_t before = g_live;
    g_peak = before;
    IwarpDecoder decoder;
    decoder.SetFormat(IwarpDecoder::NONE);
    decoder.Attach(file.data(), file.size());
    while (!decoder.Read().empty())
    {
    }
    return g_peak - before;
}

/// Appends numbers, least significant octet first. @param octets octets @param value number @param
/// size octets of it
void
AppendLittle(DecodeOctets& octets, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; ++i)
    {
        octets.push_back(static_cast<uint8_t>(value >> 8 * i));
    }
}

/// A block of pcapng. @param file receives it @param type its type @param body what it holds
void
AddBlock(DecodeOctets& file, uint32_t type, DecodeOctets body)
{
    body.resize((body.size() + 3) / 4 * 4);
    AppendLittle(file, type, 4);
    AppendLittle(file, body.size() + 12, 4);
    file.insert(file.end(), body.begin(), body.end());
    AppendLittle(file, body.size() + 12, 4);
}

/// @return a pcapng file without interfaces
DecodeOctets
Section()
{
    DecodeOctets file;
    DecodeOctets body;
    AppendLittle(body, 0x1A2B3C4D, 4);
    AppendLittle(body, 1, 4);
    AppendLittle(body, UINT64_MAX, 8);
    AddBlock(file, 0x0A0D0D0A, body);
    return file;
}

/// @param file receives an interface @param linkType its type @param resolution if_tsresol
/// @param offset if_tsoffset
void
AddInterface(DecodeOctets& file, uint32_t linkType, uint8_t resolution = 6, int64_t offset = 0)
{
    DecodeOctets body;
    AppendLittle(body, linkType, 4);
    AppendLittle(body, 0, 4);
    AppendLittle(body, 9 | 1 << 16, 4);
    AppendLittle(body, resolution, 4);
    AppendLittle(body, 14 | 8 << 16, 4);
    AppendLittle(body, static_cast<uint64_t>(offset), 8);
    AppendLittle(body, 0, 4);
    AddBlock(file, 1, body);
}

/// @param file receives a frame @param interface its interface @param ticks its time @param octets
/// the frame
void
AddFrame(DecodeOctets& file, uint32_t interface, uint64_t ticks, const DecodeOctets& octets)
{
    DecodeOctets body;
    AppendLittle(body, interface, 4);
    AppendLittle(body, ticks >> 32, 4);
    AppendLittle(body, ticks & UINT32_MAX, 4);
    AppendLittle(body, octets.size(), 4);
    AppendLittle(body, octets.size(), 4);
    body.insert(body.end(), octets.begin(), octets.end());
    AddBlock(file, 6, body);
}

} // namespace

/// @brief What a file claims to have had, and does not hold, is not allocated.
struct DecodeMemoryTest : TestCase
{
    using TestCase::TestCase;

    /// @param hosts connections, of different addresses
    static std::vector<DecodeTestFrame> Connections(unsigned hosts)
    {
        std::vector<DecodeTestFrame> frames;
        for (unsigned host = 0; host < hosts; ++host)
        {
            DecodeTestConnection c;
            MpaStartupFrame frame;
            c.Startup(0, frame);
            frame.reply = true;
            c.Startup(1, frame);
            c.SendFpdu(0, MakeSend(40, 1));
            c.frames.back().octets[54] = 0xFE; // ULPDU_Length
            for (auto& f : c.frames)
            {
                f.octets[14 + 14] = f.octets[14 + 18] = static_cast<uint8_t>(host >> 8);
                f.octets[14 + 13] = f.octets[14 + 17] = static_cast<uint8_t>(host);
                frames.push_back(f);
            }
        }
        return frames;
    }

    /// @param frames frames, the last of each connection cut @param length IP's Total Length of
    /// that @param original octets that it had, as the file says
    static DecodeOctets Cut(std::vector<DecodeTestFrame> frames, uint16_t length, uint32_t original)
    {
        DecodeOctets file;
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            DecodeOctets& octets = frames[i].octets;
            const bool last = i % 6 == 5;
            if (last)
            {
                octets[14 + 2] = static_cast<uint8_t>(length >> 8);
                octets[14 + 3] = static_cast<uint8_t>(length);
            }
            const DecodeOctets one = WriteCapture({frames[i]});
            const std::size_t at = file.size();
            file.insert(file.end(), one.begin() + (i == 0 ? 0 : 24), one.end());
            if (last)
            {
                for (unsigned n = 0; n < 4; ++n)
                {
                    file[at + (i == 0 ? 24 : 0) + 12 + n] = static_cast<uint8_t>(original >> 8 * n);
                }
            }
        }
        return file;
    }
};

IWARP_TEST(decodeHostile,
           "memory goes by what a file holds, not by the lengths in it",
           DecodeMemoryTest)
{
    const auto one = Connections(1);
    NS_TEST_ASSERT_MSG_EQ(one.size(), 6, "SYNs, startup, an FPDU");
    for (const uint32_t original : {UINT32_MAX, UINT32_C(0x7FFFFFFF), UINT32_C(500000)})
    {
        const DecodeOctets file = Cut(one, 0, original);
        const int64_t peak = Peak(file);
        NS_TEST_EXPECT_MSG_LT(peak, 500000, original << " octets of which few are there");
        const DecodeResult result = Decode(file);
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", original);
        const bool believed = original == 500000;
        NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size(), (believed ? 1 : 0), original);
    }

    // each ULPDU_Length asks for 65,024 octets, most of which are still to come
    const DecodeResult few = Decode(Cut(Connections(5), 1500, 1514));
    NS_TEST_EXPECT_MSG_EQ(few.ErrorLine(), "", "nothing is malformed");
    NS_TEST_EXPECT_MSG_EQ(few.Ulpdus(0).size(), 5, "each FPDU is shown");
    const DecodeOctets many = Cut(Connections(500), 1500, 1514);
    const int64_t peak = Peak(many);
    NS_TEST_EXPECT_MSG_LT(peak, 500 * 6000 + 500000, "not 65 kB a connection");
}

/// @brief Any time that a file can have: the difference of two is a number.
struct DecodeTimeTest : TestCase
{
    using TestCase::TestCase;

    /// @param resolution if_tsresol @param offset if_tsoffset @param first ticks of the first frame
    /// @param second ticks of all others @return text of the line about the second
    static std::string Line(uint8_t resolution, int64_t offset, uint64_t first, uint64_t second)
    {
        DecodeOctets file = Section();
        AddInterface(file, 1, resolution, offset);
        const auto frames = DecodeTalk(false, true, 1).frames;
        AddFrame(file, 0, first, {});
        for (const auto& frame : frames)
        {
            AddFrame(file, 0, second, frame.octets);
        }
        const DecodeResult text = Decode(file);
        const DecodeResult json =
            Decode(file, [](IwarpDecoder& d) { d.SetFormat(IwarpDecoder::JSON); });
        const std::string time = text.text.substr(7, text.text.find("  ", 7) - 7);
        const bool same = json.text.find("{\"time\": " + time + ",") == 0;
        return same ? time : json.text;
    }
};

IWARP_TEST(decodeHostile, "times at the ends of what pcapng can say", DecodeTimeTest)
{
    NS_TEST_EXPECT_MSG_EQ(Line(6, 0, 5, 2000005), "2.000000", "microseconds");
    NS_TEST_EXPECT_MSG_EQ(Line(0x80 | 20, 0, 1 << 20, 3 << 19), "0.500000", "a power of 2");
    NS_TEST_EXPECT_MSG_EQ(Line(6, 0, 2000005, 5), "-2.000000", "backwards");
    const uint64_t seconds = UINT64_C(1) << 61;
    const auto minus = -static_cast<int64_t>(seconds);
    NS_TEST_EXPECT_MSG_EQ(Line(0, minus, seconds, seconds + 7), "7.000000", "they cancel out");
    // as far apart as two times are believed to be: 2^63 - 2 ns
    const std::string most = "9223372036.854775806";
    NS_TEST_EXPECT_MSG_EQ(Line(0, INT64_MIN, 0, UINT64_MAX), most, "one end to the other");
    NS_TEST_EXPECT_MSG_EQ(Line(0, INT64_MIN, UINT64_MAX, 0), "-" + most, "and back");
    NS_TEST_EXPECT_MSG_EQ(Line(0, INT64_MAX, 0, UINT64_MAX), "0.000000", "both too late");
    NS_TEST_EXPECT_MSG_EQ(Line(0xFF, INT64_MAX, 0, UINT64_MAX), "0.000000", "all bits set");

    DecodeOctets file = Section();
    AddInterface(file, 1, 6, INT64_C(3000000000)); // 2065
    AddFrame(file, 0, 500000, DecodeTalk(false, true, 1).frames[0].octets);
    const DecodeResult result =
        Decode(file, [](IwarpDecoder& d) { d.SetFormat(IwarpDecoder::JSON); });
    NS_TEST_EXPECT_MSG_NE(result.text.find("\"start\": 3000000000.500000"),
                          std::string::npos,
                          result.text);
}

/// @brief A pcapng file with several interfaces, one of a link type that is not known.
IWARP_TEST(decodeHostile, "an interface of unknown link type is passed over")
{
    DecodeOctets file = Section();
    AddInterface(file, 105); // IEEE 802.11
    AddInterface(file, 1);
    for (const auto& frame : DecodeTalk(true, true, 5).frames)
    {
        AddFrame(file, 0, 0, {8, 0, 0, 0});
        AddFrame(file, 1, 0, frame.octets);
    }
    const DecodeResult result = Decode(file);
    NS_TEST_EXPECT_MSG_EQ(result.error, "", "opened");
    NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is malformed");
    NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size() + result.Ulpdus(1).size(), 10, "all there");
    NS_TEST_EXPECT_MSG_NE(result.text.find("15 frames of a link type that is not known"),
                          std::string::npos,
                          result.text);
    DecodeOctets known = Section();
    AddInterface(known, 1);
    for (const auto& frame : DecodeTalk(true, true, 5).frames)
    {
        AddFrame(known, 0, 0, frame.octets);
    }
    NS_TEST_EXPECT_MSG_EQ(Decode(known).text.find("not known"), std::string::npos, "all are");
    DecodeOctets none = Section();
    AddInterface(none, 105);
    AddFrame(none, 0, 0, {8, 0, 0, 0});
    NS_TEST_EXPECT_MSG_EQ(Decode(none).error, "link type 105 is not supported", "none known");
    NS_TEST_EXPECT_MSG_EQ(Decode(Section()).opened, true, "no frame, nothing wrong");
}
