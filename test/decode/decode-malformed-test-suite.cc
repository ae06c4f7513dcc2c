/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "decode-test.h"

#include "ns3/util-crc32c.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

using namespace ns3;

IWARP_TEST_SUITE(decodeMalformed, "decode-malformed");

/// @brief A file cut anywhere: what was there before is found, and the cut is named.
IWARP_TEST(decodeMalformed, "files that end too early")
{
    const auto frames = SplitPcap(ReadCaptureOctets("raw_write_read.pcap"));
    for (bool pcapng : {false, true})
    {
        DecodeTestFormat format;
        format.pcapng = pcapng;
        const DecodeOctets file = WriteCapture(frames, format);
        const std::size_t whole = Decode(file).seen.size();
        std::vector<std::size_t> ends = {WriteCapture({}, format).size()};
        if (pcapng)
        {
            ends.insert(ends.begin(), {28, 60, 72});
        }
        for (std::size_t i = 1; i <= frames.size(); ++i)
        {
            ends.push_back(WriteCapture({frames.begin(), frames.begin() + i}, format).size());
        }
        std::size_t before = 0;
        for (std::size_t size = 0; size <= file.size(); ++size)
        {
            const DecodeResult result = Decode({file.begin(), file.begin() + size});
            const std::size_t header = pcapng ? 28 : 24;
            NS_TEST_ASSERT_MSG_EQ(result.opened, (size >= header), size);
            NS_TEST_ASSERT_MSG_EQ(result.error.empty(), (size >= header), size);
            if (size < header)
            {
                continue;
            }
            const bool clean = std::find(ends.begin(), ends.end(), size) != ends.end();
            NS_TEST_ASSERT_MSG_EQ(result.malformed, (clean ? 0 : 1), size);
            if (!clean)
            {
                NS_TEST_ASSERT_MSG_EQ(result.ErrorLine().find("the file ends"), 0, size);
            }
            const std::size_t found = result.seen.size() - result.malformed;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(found, before, "never less than of a shorter file");
            before = found;
        }
        NS_TEST_EXPECT_MSG_EQ(before, whole, "all at last");
    }
}

/// @brief Files that are none, and records that cannot be.
IWARP_TEST(decodeMalformed, "garbage")
{
    NS_TEST_EXPECT_MSG_EQ(Decode({}).error, "neither a pcap nor a pcapng file", "empty");
    NS_TEST_EXPECT_MSG_EQ(Decode(DecodeOctets(1000, 0x55)).opened, false, "no magic");
    NS_TEST_EXPECT_MSG_EQ(Decode({0x1F, 0x8B, 8, 0}).error,
                          "compressed: unpack it with gunzip first",
                          "gzip");
    DecodeTestFormat wireless;
    wireless.linkType = 105;
    NS_TEST_EXPECT_MSG_EQ(Decode(WriteCapture({{0, {1, 2, 3}}}, wireless)).error,
                          "link type 105 is not supported",
                          "not a network of ours");

    std::mt19937 random(RandomSeed(3));
    const DecodeOctets pcap = ReadCaptureOctets("tune_p2p_read_mtu1500.pcap");
    DecodeTestFormat format;
    format.pcapng = true;
    const DecodeOctets pcapng = WriteCapture(SplitPcap(pcap), format);
    uint32_t errors = 0;
    for (unsigned i = 0; i < 3000; ++i)
    {
        DecodeOctets octets = i % 2 == 0 ? pcap : pcapng;
        for (unsigned n = 1 + random() % 6; n > 0; --n)
        {
            octets[random() % octets.size()] = static_cast<uint8_t>(random());
        }
        const DecodeResult result = Decode(octets);
        errors += result.malformed > 0 ? 1 : 0;
    }
    NS_TEST_EXPECT_MSG_GT(errors, 100, "some of it is noticed");
}

/// @brief Each rule of MPA, DDP and RDMAP that a decoder can judge, broken once.
struct DecodeRulesTest : TestCase
{
    using TestCase::TestCase;

    using Change = std::function<void(DecodeOctets&)>;

    /// One FPDU of a stream is changed. @param expected error @param ulpdu change of the ULPDU
    /// @param wire change of what TCP carries @param msn of the Send that follows
    void Check(const std::string& expected,
               const Change& ulpdu,
               const Change& wire = nullptr,
               uint32_t msn = 3)
    {
        DecodeTestConnection c;
        MpaStartupFrame frame;
        frame.markers = true;
        c.Startup(0, frame);
        frame.reply = true;
        c.Startup(1, frame);
        c.SendFpdu(0, MakeSend(600, 1));
        DecodeOctets octets = MakeSend(600, 2);
        if (ulpdu)
        {
            ulpdu(octets);
        }
        const uint64_t place = c.sent[0];
        c.SendFpdu(0, octets);
        if (wire)
        {
            DecodeOctets& sent = c.frames.back().octets;
            DecodeOctets payload(sent.begin() + 54, sent.end());
            wire(payload);
            std::copy(payload.begin(), payload.end(), sent.begin() + 54);
        }
        c.SendFpdu(0, MakeSend(600, msn));
        const DecodeResult result = Decode(WriteCapture(c.frames));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), expected, "what is wrong");
        NS_TEST_EXPECT_MSG_EQ(result.malformed, 1, expected);
        NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size(), 3, expected << ": the others are found");
        for (const auto& s : result.seen)
        {
            if (s.kind == DecodeEvent::Kind::ERROR)
            {
                NS_TEST_EXPECT_MSG_EQ(s.seq, place, expected << ": where");
                NS_TEST_EXPECT_MSG_EQ(s.frame, 7, expected << ": in which frame");
            }
        }
    }
};

IWARP_TEST(decodeMalformed, "rules broken by one FPDU, and the stream goes on", DecodeRulesTest)
{
    Check("the CRC is bad", nullptr, [](DecodeOctets& o) { o.back() ^= 1; });
    IWARP_COVERS("MPA-8-03");
    Check("a Marker does not point to the FPDU's beginning", nullptr, [](DecodeOctets& o) {
        o[1024 - 632 + 3] ^= 8; // the FPDU begins at 632
        iwarp::Crc32c crc;
        crc.Update(o.data(), o.size() - iwarp::Crc32c::SIZE);
        crc.Write(&o[o.size() - iwarp::Crc32c::SIZE]);
    });
    IWARP_COVERS("MPA-8-05");
    Check("DDP version 0, not 1", [](DecodeOctets& o) { o[0] &= 0xFC; });
    Check("RDMAP version 0, not 1", [](DecodeOctets& o) { o[1] &= 0x3F; });
    Check("opcode 15 is reserved", [](DecodeOctets& o) { o[1] |= 15; });
    Check("there is no queue 256", [](DecodeOctets& o) { o[8] = 1; });
    Check("there is no queue 4", [](DecodeOctets& o) { o[9] = 4; });
    Check("Send on queue 2", [](DecodeOctets& o) { o[9] = 2; });
    Check("Send in a Tagged segment", [](DecodeOctets& o) { o[0] |= 0x80; });
    Check("MSN 7 on queue 0, 2 is due", [](DecodeOctets& o) { o[13] = 7; });
    Check("MO 5 in message 2 on queue 0, 0 is due", [](DecodeOctets& o) { o[17] = 5; });
    Check("RDMA Read Request of 600 octets: that is not its size", [](DecodeOctets& o) {
        o[1] = 0x41;
        o[9] = 1;
    });
    Check("a ULPDU of 17 octets is shorter than a DDP header",
          [](DecodeOctets& o) { o.resize(17); });
    Check(
        "a Terminate of 5 octets is shorter than its flags say",
        [](DecodeOctets& o) {
            o.resize(18 + 5);
            o[1] = 0x47;
            o[9] = 2;
            o[13] = 1;
            o[20] = 0xE0;
        },
        nullptr,
        2);
}

/**
 * @brief A Terminate is the last message of its side, and may come in the midst of another one,
 * which ends there (RFC 5040 section 4.8, RFC 5041 section 7.1). Any other message may not.
 */
struct DecodeCutMessageTest : TestCase
{
    using TestCase::TestCase;

    /// @param header of a segment @param opcode of RDMAP @param payload octets behind the header
    /// @return its ULPDU
    static DecodeOctets MakeSegment(DdpHeader header,
                                    RdmapOpcode opcode,
                                    const DecodeOctets& payload)
    {
        header.ulpControl = RdmapControl(opcode).Encode();
        DecodeOctets ulpdu(header.GetSize());
        header.Write(ulpdu.data());
        ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
        return ulpdu;
    }

    /// @param opcode of a message @param place of its segment @return a segment of it without L
    static DecodeOctets MakePart(RdmapOpcode opcode, uint32_t place)
    {
        DdpHeader header;
        header.tagged = rdmap::IsTagged(opcode);
        header.stag = 0x1234;
        header.to = place;
        header.mo = place;
        header.msn = 1;
        return MakeSegment(header, opcode, DecodeOctets(PART, 0x5A));
    }

    /// @param msn its number @return a Terminate for a local catastrophic error
    static DecodeOctets MakeTerminate(uint32_t msn)
    {
        DdpHeader header;
        header.last = true;
        header.qn = rdmap::QN_TERMINATE;
        header.msn = msn;
        return MakeSegment(header, RdmapOpcode::TERMINATE, {0, 0, 0, 0});
    }

    /// @param opcode of a message that is cut behind two segments @param last what comes then
    /// @return what is found
    static DecodeResult Cut(RdmapOpcode opcode, const DecodeOctets& last)
    {
        DecodeTestConnection c;
        MpaStartupFrame frame;
        c.Startup(0, frame);
        frame.reply = true;
        c.Startup(1, frame);
        c.SendFpdu(0, MakePart(opcode, 0));
        c.SendFpdu(0, MakePart(opcode, PART));
        c.SendFpdu(0, last);
        return Decode(WriteCapture(c.frames));
    }

    static constexpr uint32_t PART = 100; //!< octets of payload in a segment of the cut message
};

IWARP_TEST(decodeMalformed, "a Terminate cuts a message, nothing else does", DecodeCutMessageTest)
{
    for (const RdmapOpcode opcode :
         {RdmapOpcode::WRITE, RdmapOpcode::READ_RESPONSE, RdmapOpcode::SEND})
    {
        const std::string name = rdmap::OpcodeName(static_cast<uint8_t>(opcode));
        const DecodeResult result = Cut(opcode, MakeTerminate(1));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", name << ": that is how a stream ends");
        NS_TEST_EXPECT_MSG_EQ(result.malformed, 0, name);
        NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size(), 3, name << ": all are found");
        std::vector<DecodeMessage> messages;
        for (const auto& s : result.seen)
        {
            if (s.kind == DecodeEvent::Kind::FPDU && s.hasMessage)
            {
                messages.push_back(s.message);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(messages.size(), 1, name << ": the message that is cut has no end");
        const DecodeMessage& terminate = messages[0];
        NS_TEST_EXPECT_MSG_EQ((terminate.opcode == static_cast<uint8_t>(RdmapOpcode::TERMINATE)),
                              true,
                              name << ": the Terminate has");
        NS_TEST_EXPECT_MSG_EQ(terminate.first.tagged, false, name << ": its own header");
        NS_TEST_EXPECT_MSG_EQ(terminate.first.qn, rdmap::QN_TERMINATE, name << ": its own queue");
        NS_TEST_EXPECT_MSG_EQ(terminate.length, 4, name << ": its own octets only");
        NS_TEST_EXPECT_MSG_EQ(terminate.segments, 1, name << ": its own segment only");
        NS_TEST_EXPECT_MSG_EQ(terminate.partial, false, name << ": all of it");
        NS_TEST_EXPECT_MSG_NE(terminate.terminateText.find("catastrophic"),
                              std::string::npos,
                              name << ": " << terminate.terminateText);

        const std::string second = Cut(opcode, MakeTerminate(2)).ErrorLine();
        NS_TEST_EXPECT_MSG_NE(second, "", name << ": there is no second Terminate");
    }
    NS_TEST_EXPECT_MSG_EQ(Cut(RdmapOpcode::WRITE, MakeSend(100, 1)).ErrorLine(),
                          "message 1 on queue 0 begins within another message",
                          "a Send has to wait for the end of a Write");
    NS_TEST_EXPECT_MSG_EQ(Cut(RdmapOpcode::READ_RESPONSE, MakeSend(100, 1)).ErrorLine(),
                          "message 1 on queue 0 begins within another message",
                          "and for that of a Read Response");
    NS_TEST_EXPECT_MSG_EQ(Cut(RdmapOpcode::SEND, MakeSend(100, 2)).ErrorLine(),
                          "message 2 on queue 0 begins within another message",
                          "and for that of a Send");
    NS_TEST_EXPECT_MSG_EQ(
        Cut(RdmapOpcode::WRITE, MakePart(RdmapOpcode::READ_RESPONSE, 0)).ErrorLine(),
        "RDMA Read Response begins within another message",
        "so has a Read Response");
}

/**
 * @brief DV and RV are those of the revision in the startup frames (RFC 5044 sections C.1 and C.2),
 * also if one of them is not in the capture.
 */
struct DecodeVersionTest : TestCase
{
    using TestCase::TestCase;

    /// A connection, and what a receiver says of its segments.
    struct Row
    {
        uint8_t revision;               //!< of the startup frames
        std::array<uint8_t, 2> control; //!< first two octets of each ULPDU: T, L, DV; RV, opcode
        std::size_t errors;             //!< in two segments
    };

    /// @param row connection @param request its Request is in the capture
    void Check(const Row& row, bool request)
    {
        DecodeTestConnection c;
        MpaStartupFrame frame;
        frame.revision = row.revision;
        frame.markers = row.revision == 0;
        c.Startup(0, frame);
        const std::size_t lost = c.frames.size() - 1;
        frame.reply = true;
        c.Startup(1, frame);
        for (uint32_t msn : {1, 2})
        {
            DecodeOctets ulpdu = MakeSend(100, msn);
            std::copy(row.control.begin(), row.control.end(), ulpdu.begin());
            c.SendFpdu(0, ulpdu);
        }
        if (!request)
        {
            c.frames.erase(c.frames.begin() + lost);
        }
        const DecodeResult result = Decode(WriteCapture(c.frames));
        const std::string what = "revision " + std::to_string(row.revision) + ", " +
                                 std::to_string(row.control[0]) + " " +
                                 std::to_string(row.control[1]) +
                                 (request ? ": " : " without Request: ") + result.ErrorLine();
        NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(0).size(), 2, what);
        NS_TEST_EXPECT_MSG_EQ(result.Errors().size(), row.errors, what);
    }
};

IWARP_TEST(decodeMalformed, "versions of DDP and RDMAP", DecodeVersionTest)
{
    const std::vector<Row> rows = {
        {1, {0x41, 0x43}, 0}, // version 1 of both
        {1, {0x40, 0x03}, 2}, // version 0 of both
        {1, {0x41, 0x03}, 2}, // version 0 of RDMAP only
        {1, {0x42, 0x83}, 2}, // there is no version 2
        {0, {0x40, 0x03}, 0},
        {0, {0x41, 0x43}, 2},
        {0, {0x40, 0x43}, 2},
    };
    for (const Row& row : rows)
    {
        for (const bool request : {false, true})
        {
            Check(row, request);
        }
    }
}
