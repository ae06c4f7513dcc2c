/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "decode-test.h"

#include <algorithm>
#include <random>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeStream, "decode-stream");

constexpr uint32_t ETHERNET = 14; // octets of its header

/// @param octets octets @param from first to leave out @param count how many
DecodeOctets
Without(DecodeOctets octets, uint32_t from, uint32_t count)
{
    octets.erase(octets.begin() + from, octets.begin() + from + count);
    return octets;
}

/// @param octets octets @param before where @param more what to put there
DecodeOctets
With(DecodeOctets octets, uint32_t before, const DecodeOctets& more)
{
    octets.insert(octets.begin() + before, more.begin(), more.end());
    return octets;
}

/// @param frame an Ethernet frame with IPv4 @return the same with IPv6, without a checksum
DecodeOctets
ToIpv6(const DecodeOctets& frame)
{
    if (frame[12] != 8 || frame[13] != 0)
    {
        return frame;
    }
    const auto length = static_cast<uint16_t>((frame[16] << 8 | frame[17]) - 20);
    DecodeOctets ip{0x60, 0, 0, 0, uint8_t(length >> 8), uint8_t(length), 0, 64};
    for (uint32_t at : {26, 30})
    {
        ip.insert(ip.end(), {0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0});
        ip.insert(ip.end(), frame.begin() + at, frame.begin() + at + 4);
    }
    ip.insert(ip.end(), {6, 0, 1, 4, 0, 0, 0, 0}); // hop-by-hop options
    ip[6] = 0;
    ip[4] = static_cast<uint8_t>((length + 8) >> 8);
    ip[5] = static_cast<uint8_t>(length + 8);
    DecodeOctets out = With(Without(frame, ETHERNET, 20), ETHERNET, ip);
    out[12] = 0x86;
    out[13] = 0xDD;
    out[ETHERNET + 48 + 16] = out[ETHERNET + 48 + 17] = 0;
    return out;
}

/// @param all what there is @param some what was found @return some of all, in order
bool
IsPart(const std::vector<DecodeOctets>& all, const std::vector<DecodeOctets>& some)
{
    auto at = all.begin();
    for (const auto& one : some)
    {
        at = std::find(at, all.end(), one);
        if (at == all.end())
        {
            return false;
        }
        ++at;
    }
    return true;
}

} // namespace

/// @brief One capture in every file format and on every link: the same is found.
struct DecodeFormatTest : TestCase
{
    using TestCase::TestCase;

    void Same(const DecodeOctets& file, const std::string& what)
    {
        const DecodeResult result = Decode(file);
        NS_TEST_EXPECT_MSG_EQ(result.error, "", what);
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
        for (unsigned side : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ((result.Ulpdus(side) == m_expected.Ulpdus(side)), true, what);
        }
        NS_TEST_EXPECT_MSG_EQ(result.seen.size(), m_expected.seen.size(), what);
    }

    DecodeResult m_expected; //!< what the capture holds
};

IWARP_TEST(decodeStream, "file formats and link types", DecodeFormatTest)
{
    const DecodeOctets file = ReadCaptureOctets("stock_rping_S1000_mtu1500.pcap");
    const auto frames = SplitPcap(file);
    m_expected = Decode(file);
    NS_TEST_ASSERT_MSG_EQ(m_expected.Ulpdus(0).size() + m_expected.Ulpdus(1).size(), 21, "all");
    for (unsigned i = 0; i < 8; ++i)
    {
        DecodeTestFormat format;
        format.pcapng = (i & 1) != 0;
        format.big = (i & 2) != 0;
        format.nanoseconds = (i & 4) != 0;
        const DecodeOctets written = WriteCapture(frames, format);
        Same(written, "format " + std::to_string(i));
        NS_TEST_EXPECT_MSG_EQ((Decode(written).text == m_expected.text), true, "times too");
    }
    auto link = [&](uint32_t type, const DecodeOctets& header, const char* what) {
        DecodeTestFormat format;
        format.linkType = type;
        Same(WriteCapture(ChangeFrames(frames,
                                       [&](const DecodeOctets& frame) {
                                           return frame[12] == 8 && frame[13] == 0
                                                      ? With(Without(frame, 0, ETHERNET), 0, header)
                                                      : DecodeOctets{};
                                       }),
                          format),
             what);
    };
    link(101, {}, "raw IP");
    link(228, {}, "raw IPv4");
    link(0, {2, 0, 0, 0}, "BSD loopback");
    link(9, {0, 0x21}, "PPP as ns-3 writes it");
    link(9, {0xFF, 3, 0, 0x21}, "PPP with address and control");
    link(50, {0x21}, "PPP with a protocol of one octet");
    link(113, {0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0}, "Linux cooked");
    link(276,
         {8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0},
         "Linux cooked, second version");
    Same(WriteCapture(ChangeFrames(frames,
                                   [](const DecodeOctets& f) {
                                       return With(f, 12, {0x88, 0xA8, 0, 5, 0x81, 0, 0, 7});
                                   })),
         "two VLAN tags");
    Same(WriteCapture(ChangeFrames(frames,
                                   [](const DecodeOctets& f) {
                                       return With(f, 12, {1, 0, 0xAA, 0xAA, 3, 0, 0, 0});
                                   })),
         "LLC and SNAP");
    Same(WriteCapture(ChangeFrames(frames, ToIpv6)), "IPv6 with hop-by-hop options");
}

/// @brief Segments twice, out of order: the same is found, each FPDU once.
struct DecodeReorderTest : TestCase
{
    using TestCase::TestCase;

    /// @param frames of a capture @param expected of them in order @param what which
    void Same(const std::vector<DecodeTestFrame>& frames,
              const DecodeResult& expected,
              const std::string& what)
    {
        const DecodeResult result = Decode(WriteCapture(frames));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
        NS_TEST_EXPECT_MSG_EQ(result.text.find("not in the capture"), std::string::npos, what);
        NS_TEST_ASSERT_MSG_EQ(result.seen.empty(), false, what);
        const unsigned first = result.seen.front().side; // the Request's, wherever SYNs are
        for (unsigned side : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ((result.Ulpdus(side ^ first) == expected.Ulpdus(side)),
                                  true,
                                  what);
        }
    }

    /// @param frames of two ends @param by how many frames those of one are late @param side which
    /// @return them as a merge of two captures gives them if clocks differ
    static std::vector<DecodeTestFrame> Skew(const std::vector<DecodeTestFrame>& frames,
                                             std::size_t by,
                                             unsigned side)
    {
        constexpr uint32_t LAST_OF_SOURCE = ETHERNET + 15;
        std::vector<std::pair<std::size_t, DecodeTestFrame>> order;
        for (std::size_t i = 0; i < frames.size(); ++i)
        {
            const bool late = frames[i].octets[LAST_OF_SOURCE] == side + 1;
            order.emplace_back(2 * i + (late ? 2 * by + 1 : 0), frames[i]);
        }
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
        std::vector<DecodeTestFrame> out;
        for (const auto& [place, frame] : order)
        {
            out.push_back({frames[out.size()].time, frame.octets});
        }
        return out;
    }
};

IWARP_TEST(decodeStream, "MPA-5-01 retransmission and reordering", DecodeReorderTest)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        const bool markers = seed % 2 == 0;
        DecodeTestConnection c = DecodeTalk(markers, seed % 3 != 0, 60);
        const DecodeResult expected = Decode(WriteCapture(c.frames));
        NS_TEST_ASSERT_MSG_EQ(expected.Ulpdus(0).size(), 60, "all");
        std::mt19937 random(RandomSeed(seed));
        auto frames = c.frames;
        for (std::size_t i = 5; i + 1 < frames.size(); ++i)
        {
            if (random() % 3 == 0)
            {
                const auto to = std::min<std::size_t>(frames.size() - 1, i + random() % 8);
                std::swap(frames[i].octets, frames[to].octets);
            }
            if (random() % 10 == 0)
            {
                frames.insert(frames.begin() + i, frames[5 + random() % (i - 4)]);
            }
        }
        Same(frames, expected, "seed " + std::to_string(seed));
        Same(ChangeFrames(frames,
                          [](DecodeOctets f) {
                              f[ETHERNET + 33] &= 0xEF;
                              return f;
                          }),
             expected,
             "without acknowledgments, seed " + std::to_string(seed));
    }
}

IWARP_TEST(decodeStream, "acknowledgments captured before what they acknowledge", DecodeReorderTest)
{
    const auto frames = DecodeTalk(true, true, 60).frames;
    const DecodeResult expected = Decode(WriteCapture(frames));
    for (unsigned side : {0, 1})
    {
        for (std::size_t by : {1, 2, 3, 10, 1000})
        {
            Same(Skew(frames, by, side),
                 expected,
                 std::to_string(by) + " frames, side " + std::to_string(side));
        }
    }

    auto some = frames; // what the capture lacks is not waited for
    some.erase(some.begin() + 30);
    const DecodeResult result = Decode(WriteCapture(Skew(some, 3, 0)));
    NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "one is missing");
    NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size() + result.Ulpdus(1).size(), 119, "but that");
    uint64_t last = 0;
    for (const auto& s : result.seen)
    {
        NS_TEST_EXPECT_MSG_GT(s.frame + 10, last, "told soon");
        last = std::max(last, s.frame);
    }
}

/// @brief Frames that the capture lacks: all FPDUs but those are found, and words say so.
struct DecodeGapTest : TestCase
{
    using TestCase::TestCase;

    /// Decode some frames. @param frames frames @param expected of the whole @param what which
    /// @param lost FPDUs that may be lost in each direction
    DecodeResult Some(const std::vector<DecodeTestFrame>& frames,
                      const DecodeResult& expected,
                      const std::string& what,
                      std::size_t lost)
    {
        const DecodeResult result = Decode(WriteCapture(frames));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
        for (unsigned side : {0, 1})
        {
            std::vector<DecodeOctets> whole;
            for (const auto& s : result.seen)
            {
                if (s.kind == DecodeEvent::Kind::FPDU && s.side == side && s.missing == 0)
                {
                    whole.push_back(s.octets);
                }
            }
            const auto all = expected.Ulpdus(side);
            NS_TEST_EXPECT_MSG_EQ(IsPart(all, whole), true, what);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(whole.size() + lost, all.size(), what);
        }
        return result;
    }
};

IWARP_TEST(decodeStream, "frames missing, frames cut, captures that begin midway", DecodeGapTest)
{
    for (unsigned i = 0; i < 4; ++i)
    {
        const bool markers = (i & 1) != 0;
        const bool crc = (i & 2) == 0;
        const std::string what =
            std::string(markers ? "Markers" : "no Markers") + (crc ? ", CRC" : ", no CRC");
        DecodeTestConnection c = DecodeTalk(markers, crc, 50);
        const DecodeResult expected = Decode(WriteCapture(c.frames));
        NS_TEST_ASSERT_MSG_EQ(expected.Ulpdus(0).size(), 50, "all");
        NS_TEST_ASSERT_MSG_EQ(expected.ErrorLine(), "", what);

        for (std::size_t hole = 5; hole + 8 < c.frames.size(); hole += 9)
        {
            auto frames = c.frames;
            const std::size_t count = 1 + hole % 4;
            frames.erase(frames.begin() + hole, frames.begin() + hole + count);
            const std::string where = what + ", hole at " + std::to_string(hole);
            const DecodeResult result = Some(frames, expected, where, count + 1);
            NS_TEST_EXPECT_MSG_NE(result.text.find("not in the capture"), std::string::npos, where);
        }
        if (!markers || crc)
        {
            auto frames = c.frames;
            frames.erase(frames.begin(), frames.begin() + 31);
            const DecodeResult result = Some(frames, expected, what + ", midway", 14);
            NS_TEST_EXPECT_MSG_NE(result.text.find("FPDUs are found from here on"),
                                  std::string::npos,
                                  what);
        }
    }
}

/// @brief Of a frame that was captured up to three octets of a message those three are told,
/// whether there is a Marker in front of them or not.
IWARP_TEST(decodeStream, "the first octets of a message that was cut off")
{
    for (const bool markers : {false, true})
    {
        DecodeTestConnection c = DecodeTalk(markers, true, 1, 100);
        DecodeTestFormat format;
        // headers of Ethernet, IP and TCP, a Marker, length, DDP's header
        format.snap = 54 + (markers ? 4 : 0) + 2 + 18 + 3;
        const DecodeResult result = Decode(WriteCapture(c.frames, format));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is malformed");
        const auto found =
            std::find_if(result.seen.begin(), result.seen.end(), [](const DecodeSeen& s) {
                return s.kind == DecodeEvent::Kind::FPDU && s.side == 0;
            });
        NS_TEST_ASSERT_MSG_EQ((found != result.seen.end() && found->hasMessage), true, "it is");
        NS_TEST_EXPECT_MSG_EQ(found->message.headerSize, 3, "octets of it");
    }
}

/// @brief Captures of headers only: every FPDU that begins a segment is found, its CRC unknown.
IWARP_TEST(decodeStream, "frames captured in part")
{
    for (bool markers : {false, true})
    {
        DecodeTestConnection c = DecodeTalk(markers, true, 40);
        const DecodeResult expected = Decode(WriteCapture(c.frames));
        DecodeTestFormat format;
        format.snap = 96;
        const DecodeResult result = Decode(WriteCapture(c.frames, format));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is malformed");
        std::vector<const DecodeSeen*> all;
        for (const auto& s : expected.seen)
        {
            if (s.kind == DecodeEvent::Kind::FPDU)
            {
                all.push_back(&s);
            }
        }
        std::size_t i = 0;
        std::size_t unknown = 0;
        for (const auto& s : result.seen)
        {
            if (s.kind != DecodeEvent::Kind::FPDU)
            {
                continue;
            }
            NS_TEST_ASSERT_MSG_LT(i, all.size(), "no more than there are");
            const DecodeSeen& other = *all[i++];
            NS_TEST_EXPECT_MSG_EQ(s.octets.size(), other.octets.size(), "its length");
            NS_TEST_EXPECT_MSG_EQ((s.ddp == other.ddp), true, "its header");
            NS_TEST_EXPECT_MSG_EQ((s.crc == DecodeCrc::UNKNOWN), (s.missing > 0), "its CRC");
            unknown += s.crc == DecodeCrc::UNKNOWN ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(i, all.size(), "all are found");
        NS_TEST_EXPECT_MSG_GT(unknown, 60, "most are cut");
        NS_TEST_EXPECT_MSG_NE(result.text.find("100.0 % hold whole ones only"),
                              std::string::npos,
                              "their alignment is seen");
    }
}

/// @brief Several connections, one after the other with the same ports too, and a stranger.
IWARP_TEST(decodeStream, "several connections; ports used again; what is not MPA")
{
    const DecodeTestConnection c = DecodeTalk(true, true, 10);
    std::vector<DecodeTestFrame> frames = c.frames;
    for (const auto& frame : c.frames) // the same again, other sequence numbers
    {
        DecodeOctets octets = frame.octets;
        octets[ETHERNET + 24] += 0x40;
        octets[ETHERNET + 28] += 0x40;
        frames.push_back({frame.time, octets});
    }
    const std::size_t once = c.frames.size();
    for (std::size_t i = 0; i < once; ++i) // others among them
    {
        DecodeOctets octets = c.frames[i].octets;
        octets[ETHERNET + (octets[ETHERNET + 20] == 4000 >> 8 ? 20 : 22)] = 0x33;
        frames.insert(frames.begin() + 2 * i, {c.frames[i].time, octets});
    }
    DecodeTestConnection web;
    web.Send(0, DecodeOctets(3000, 'G'));
    web.Send(1, DecodeOctets(30000, 'x'));
    for (auto& frame : web.frames)
    {
        frame.octets[ETHERNET + 15] = frame.octets[ETHERNET + 19] = 99; // other machines
        frames.push_back(frame);
    }
    const DecodeResult result = Decode(WriteCapture(frames));
    NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is malformed");
    NS_TEST_EXPECT_MSG_EQ(result.streams, 3, "three carry MPA");
    std::size_t counts[3] = {};
    for (const auto& s : result.seen)
    {
        counts[s.stream % 3] += s.kind == DecodeEvent::Kind::FPDU ? 1 : 0;
    }
    for (std::size_t count : counts)
    {
        NS_TEST_EXPECT_MSG_EQ(count, 20, "all FPDUs");
    }
    const DecodeOctets file = WriteCapture(web.frames);
    NS_TEST_EXPECT_MSG_EQ(Decode(file).seen.size(), 0, "not MPA");
    const DecodeResult forced = Decode(file, [](IwarpDecoder& d) { d.AddPort(5000); });
    NS_TEST_EXPECT_MSG_EQ(forced.ErrorLine(),
                          "no MPA in 3000 octets; no MPA in 30000 octets",
                          "said to be MPA");
    const DecodeResult other = Decode(WriteCapture(frames), [](IwarpDecoder& d) { d.AddPort(77); });
    NS_TEST_EXPECT_MSG_EQ(other.seen.size(), 0, "another port");
}

/// @brief A stream that begins with data of the layer above before MPA starts.
IWARP_TEST(decodeStream,
           "MPA-7.1.2-01 streaming data before startup, in the startup frame's segment too")
{
    DecodeTestConnection c;
    const std::string hello = "So MPA ID R is how keys begin";
    c.Send(0, DecodeOctets(hello.begin(), hello.end()), 10);
    c.Send(1, DecodeOctets(5000, 'M'));
    MpaStartupFrame frame;
    frame.privateData.assign(100, 9);
    DecodeOctets octets(7, 'M');
    const DecodeOctets request = frame.Encode();
    octets.insert(octets.end(), request.begin(), request.end());
    c.Send(0, octets, 20);
    frame.reply = true;
    c.Startup(1, frame);
    c.start[0] = c.sent[0];
    c.SendFpdu(0, MakeSend(500, 1));
    const DecodeResult result = Decode(WriteCapture(c.frames));
    NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is malformed");
    NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size(), 1, "the FPDU is found");
    const auto startups = std::count_if(result.seen.begin(), result.seen.end(), [](auto& s) {
        return s.kind == DecodeEvent::Kind::STARTUP;
    });
    NS_TEST_EXPECT_MSG_EQ(startups, 2, "and both startup frames");
    NS_TEST_EXPECT_MSG_NE(result.text.find("36 octets of streaming data"),
                          std::string::npos,
                          result.text);
}
