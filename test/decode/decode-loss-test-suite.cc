/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "decode-test.h"

#include "ns3/system-path.h"

#include <algorithm>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeLoss, "decode-loss");

constexpr uint32_t IP_AT = 14;    // where IPv4 begins in frames of DecodeTestConnection
constexpr uint32_t TCP_AT = 34;   // where TCP begins
constexpr uint8_t REFUSAL = 0x14; // control bits

/// @param octets octets @param value number @param size octets of it, most significant first
void
AppendBig(DecodeOctets& octets, uint64_t value, unsigned size)
{
    for (unsigned i = size; i > 0; --i)
    {
        octets.push_back(static_cast<uint8_t>(value >> 8 * (i - 1)));
    }
}

/// @param frame of DecodeTestConnection @param from octets of TCP to leave out at the beginning
/// @param count octets of TCP to take @param more others follow @return an IPv6 fragment
DecodeOctets
Fragment6(const DecodeOctets& frame, std::size_t from, std::size_t count, bool more)
{
    DecodeOctets octets(frame.begin(), frame.begin() + 12);
    AppendBig(octets, 0x86DD60000000, 6);
    AppendBig(octets, 8 + count, 2);
    AppendBig(octets, 0x2C40, 2); // fragment header, hop limit
    for (uint32_t at : {26, 30})
    {
        AppendBig(octets, 0x20010DB800000000, 8);
        AppendBig(octets, 0, 4);
        octets.insert(octets.end(), frame.begin() + at, frame.begin() + at + 4);
    }
    AppendBig(octets, 0x0600, 2); // TCP
    AppendBig(octets, from | (more ? 1 : 0), 2);
    AppendBig(octets, 0x1234, 4);
    const auto tcp = frame.begin() + TCP_AT + static_cast<std::ptrdiff_t>(from);
    octets.insert(octets.end(), tcp, tcp + static_cast<std::ptrdiff_t>(count));
    return octets;
}

/// @param result what was found @param text words of a note @return how often they are there
std::size_t
Notes(const DecodeResult& result, const std::string& text)
{
    return std::count_if(result.seen.begin(), result.seen.end(), [&text](const DecodeSeen& s) {
        return s.kind == DecodeEvent::Kind::NOTE && s.text.find(text) != std::string::npos;
    });
}

/// @param result what was found @return FPDUs in it
std::size_t
Fpdus(const DecodeResult& result)
{
    return result.Ulpdus(0).size() + result.Ulpdus(1).size();
}

} // namespace

/**
 * @brief Startup frames that the capture lacks are named, are not malformed, and FPDUs are found
 * from the octet on that the other end acknowledged.
 */
struct DecodeLostStartupTest : TestCase
{
    using TestCase::TestCase;

    static constexpr std::size_t REQUEST = 3; //!< frame that has it, behind the handshake
    static constexpr std::size_t REPLY = 4;   //!< the next one

    /// @param frames some frames of a connection @param what which @param fpdus in the connection
    /// @param lost of them at most @param note what has to be said once; nullptr for nothing
    void Check(const std::vector<DecodeTestFrame>& frames,
               const std::string& what,
               std::size_t fpdus,
               std::size_t lost,
               const char* note)
    {
        const DecodeResult result = Decode(WriteCapture(frames));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
        NS_TEST_EXPECT_MSG_EQ(result.streams, 1, what);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Fpdus(result) + lost, fpdus, what);
        if (note)
        {
            NS_TEST_EXPECT_MSG_EQ(Notes(result, note), 1, what << ": " << result.text);
        }
        NS_TEST_EXPECT_MSG_EQ(std::is_sorted(result.seen.begin(),
                                             result.seen.end(),
                                             [](const DecodeSeen& a, const DecodeSeen& b) {
                                                 return a.frame < b.frame;
                                             }),
                              true,
                              what << ": told when it was seen");
    }
};

IWARP_TEST(decodeLoss,
           "captures without the Request Frame, the Reply Frame, the beginning, a direction",
           DecodeLostStartupTest)
{
    for (unsigned i = 0; i < 4; ++i)
    {
        const bool markers = (i & 1) != 0;
        const bool crc = (i & 2) == 0;
        const std::string kind =
            std::string(markers ? "Markers" : "no Markers") + (crc ? ", CRC" : ", no CRC");
        // FPDUs of 32 octets: few of them have a Marker, by which they could be found
        DecodeTestConnection c = DecodeTalk(markers, crc, 40, 8);
        const auto without = [&c](std::size_t from, std::size_t to) {
            auto frames = c.frames;
            frames.erase(frames.begin() + from, frames.begin() + to);
            return frames;
        };
        Check(without(REQUEST, REQUEST + 1),
              kind + ", Request lost",
              80,
              crc ? 2 : 40,
              "the Request Frame is not in the capture: its receiver has 20 octets");
        Check(without(REPLY, REPLY + 1),
              kind + ", Reply lost",
              80,
              crc ? 20 : 40,
              "the Reply Frame is not in the capture: its receiver has 20 octets");
        Check(without(0, REPLY),
              kind + ", begins with the Reply",
              80,
              crc ? 2 : 40,
              "the Request Frame is not in the capture");
        for (unsigned side : {0, 1})
        {
            auto frames = c.frames;
            frames.erase(std::remove_if(frames.begin(),
                                        frames.end(),
                                        [side](const DecodeTestFrame& f) {
                                            return f.octets[IP_AT + 15] == side + 1;
                                        }),
                         frames.end());
            Check(frames, kind + ", one direction", 40, crc ? 20 : 40, "is not in the capture");
        }
    }
}

/**
 * @brief Real captures of peers that break no rule, each frame left out in turn, and each number of
 * frames at the beginning: nothing is called malformed.
 */
IWARP_TEST(decodeLoss, "captures that lost a frame or begin in mid-connection are not malformed")
{
    uint32_t files = 0;
    for (const std::string& name : SystemPath::ReadFiles(CaptureFolder()))
    {
        if (name.find(".pcap") == std::string::npos)
        {
            continue;
        }
        const DecodeOctets file = ReadCaptureOctets(name);
        if (file.size() > 20000 || Decode(file).malformed > 0)
        {
            continue;
        }
        files++;
        const auto all = SplitPcap(file);
        for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 20); ++i)
        {
            for (const std::size_t from : {i, std::size_t{0}})
            {
                auto frames = all;
                frames.erase(frames.begin() + from, frames.begin() + i + 1);
                NS_TEST_EXPECT_MSG_EQ(Decode(WriteCapture(frames)).ErrorLine(),
                                      "",
                                      name << " without frames " << from + 1 << " to " << i + 1);
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(files, 50, "the captures are there");
}

/// @brief IP fragments of both versions are put together, as far as they fit.
struct DecodeFragmentTest : TestCase
{
    using TestCase::TestCase;

    /// @param index frame of a connection @param instead what comes in its place
    static DecodeResult Replace(std::size_t index, const std::vector<DecodeOctets>& instead)
    {
        auto frames = DecodeTalk(true, true, 5).frames;
        const uint64_t time = frames[index].time;
        frames.erase(frames.begin() + index);
        for (auto at = instead.rbegin(); at != instead.rend(); ++at)
        {
            frames.insert(frames.begin() + index, {time, *at});
        }
        return Decode(WriteCapture(frames));
    }

    void Whole(const DecodeResult& result, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", what);
        NS_TEST_EXPECT_MSG_EQ(Fpdus(result), 10, what);
        NS_TEST_EXPECT_MSG_EQ(Notes(result, ""), 0, what << ": nothing is missing");
    }
};

IWARP_TEST(decodeLoss, "IP fragments, and IPv6 packets that are their only one", DecodeFragmentTest)
{
    const auto frames = DecodeTalk(true, true, 5).frames;
    const std::size_t request = 3;
    const auto parts = FragmentIpv4(frames[request].octets, {8, 24});
    Whole(Replace(request, parts), "in order");
    Whole(Replace(request, {parts[2], parts[0], parts[1]}), "reordered");
    Whole(Replace(request, {parts[0], parts[1], parts[1], parts[2]}), "one twice");
    const std::size_t fpdu = 7;
    Whole(Replace(fpdu, FragmentIpv4(frames[fpdu].octets, {16})), "an FPDU");
    NS_TEST_EXPECT_MSG_EQ(Replace(request, parts).text.find("not put together"),
                          std::string::npos,
                          "none is left");

    auto longer = FragmentIpv4(frames[request].octets, {32})[0];
    for (const auto& broken : {std::vector<DecodeOctets>{parts[0], parts[2]},
                               std::vector<DecodeOctets>{parts[0], longer, parts[1], parts[2]}})
    {
        const DecodeResult result = Replace(request, broken);
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "a fragment is missing, or overlaps");
        NS_TEST_EXPECT_MSG_EQ(Notes(result, "the Request Frame is not in the capture"), 1, "");
        NS_TEST_EXPECT_MSG_NE(result.text.find("IP fragments not put together"),
                              std::string::npos,
                              "said");
        NS_TEST_EXPECT_MSG_EQ(Fpdus(result), 10, "all the same");
    }

    std::vector<DecodeTestFrame> six;
    for (const auto& frame : frames)
    {
        const std::size_t size = frame.octets.size() - TCP_AT;
        if (size < 30)
        {
            six.push_back({frame.time, Fragment6(frame.octets, 0, size, false)});
            continue;
        }
        six.push_back({frame.time, Fragment6(frame.octets, 16, size - 16, false)});
        six.push_back({frame.time, Fragment6(frame.octets, 0, 16, true)});
    }
    Whole(Decode(WriteCapture(six)), "IPv6, atomic and not");
}

/// @brief A connection that is refused before it opens, and one that MPA refuses.
IWARP_TEST(decodeLoss, "a SYN that is refused before the good one; octets behind a rejecting Reply")
{
    // RFC 9293 section 3.10.7.1: RST|ACK to a SYN without ACK has sequence number 0
    auto frames = DecodeTalk(true, true, 5).frames;
    DecodeOctets refusal = frames[1].octets;
    std::fill_n(refusal.begin() + TCP_AT + 4, 4, 0);
    refusal[TCP_AT + 13] = REFUSAL;
    frames.insert(frames.begin() + 1, {frames[0], {0, refusal}});
    std::swap(frames[1], frames[2]); // SYN, RST|ACK, the SYN again, SYN|ACK
    const DecodeResult refused = Decode(WriteCapture(frames));
    NS_TEST_EXPECT_MSG_EQ(refused.ErrorLine(), "", "refused once");
    NS_TEST_EXPECT_MSG_EQ(refused.Ulpdus(0).size(), 5, "all there");
    NS_TEST_EXPECT_MSG_EQ(refused.Ulpdus(1).size(), 5, "and back");

    // RFC 5044 section 7.1.2: MPA is left, TCP may serve other purposes
    DecodeTestConnection c;
    MpaStartupFrame frame;
    c.Startup(0, frame);
    frame.reply = true;
    frame.reject = true;
    c.Startup(1, frame);
    for (uint32_t msn = 1; msn < 4; ++msn)
    {
        c.SendFpdu(0, MakeSend(500, msn));
        c.SendFpdu(1, MakeSend(500, msn));
    }
    const char* const note = "the startup was rejected: octets from here on are not MPA's";
    for (const bool whole : {true, false})
    {
        if (!whole)
        {
            c.frames.erase(c.frames.begin() + 3); // the Request
        }
        const DecodeResult rejected = Decode(WriteCapture(c.frames));
        NS_TEST_EXPECT_MSG_EQ(rejected.ErrorLine(), "", "nothing is malformed");
        NS_TEST_EXPECT_MSG_EQ(Fpdus(rejected), 0, "whatever they look like");
        NS_TEST_EXPECT_MSG_EQ(Notes(rejected, note), 2, "said in each direction");
    }
}
