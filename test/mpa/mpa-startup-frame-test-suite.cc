/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/mpa-startup-frame.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of the frame codec.
IWARP_TEST_SUITE(mpaStartupFrame, "mpa-startup-frame");

using Octets = std::vector<uint8_t>;
using FrameStatus = MpaStartupFrame::Status;

/// RFC 5044 section 7.1.1, Initiator's key.
const uint8_t REQUEST_KEY[16] = {0x4D,
                                 0x50,
                                 0x41,
                                 0x20,
                                 0x49,
                                 0x44,
                                 0x20,
                                 0x52,
                                 0x65,
                                 0x71,
                                 0x20,
                                 0x46,
                                 0x72,
                                 0x61,
                                 0x6D,
                                 0x65};
/// RFC 5044 section 7.1.1, Responder's key.
const uint8_t REPLY_KEY[16] = {0x4D,
                               0x50,
                               0x41,
                               0x20,
                               0x49,
                               0x44,
                               0x20,
                               0x52,
                               0x65,
                               0x70,
                               0x20,
                               0x46,
                               0x72,
                               0x61,
                               0x6D,
                               0x65};

/**
 * @param reply Reply or Request
 * @param tail octets behind the key
 * @return a frame by hand
 */
Octets
FrameOnWire(bool reply, const Octets& tail)
{
    const uint8_t* key = reply ? REPLY_KEY : REQUEST_KEY;
    Octets octets(16 + tail.size());
    std::copy(tail.begin(), tail.end(), std::copy(key, key + 16, octets.begin()));
    return octets;
}

/**
 * @param size number of octets
 * @return Private Data that differ from octet to octet
 */
Octets
PrivateData(std::size_t size)
{
    Octets octets(size);
    for (std::size_t i = 0; i < size; i++)
    {
        octets[i] = static_cast<uint8_t>(i * 7 + 1);
    }
    return octets;
}

} // namespace

/// @brief Octets of frames, both directions of the codec.
IWARP_TEST(mpaStartupFrame, "frame octets")
{
    struct Row
    {
        bool reply;   // key
        bool markers; // M
        bool crc;     // C
        bool reject;  // R
        uint8_t res;  // Res
        uint8_t rev;  // Rev
        Octets data;  // Private Data
        Octets tail;  // octets behind the key
    };

    const std::vector<Row> rows = {
        {false, true, true, false, 0, 1, {}, {0xC0, 0x01, 0x00, 0x00}},
        {false, false, false, false, 0, 1, {}, {0x00, 0x01, 0x00, 0x00}},
        {true, false, false, true, 0, 1, {}, {0x20, 0x01, 0x00, 0x00}},
        {true, false, true, false, 0, 1, {}, {0x40, 0x01, 0x00, 0x00}},
        {true, false, true, true, 0, 1, {}, {0x60, 0x01, 0x00, 0x00}},
        {true, true, false, false, 0, 1, {}, {0x80, 0x01, 0x00, 0x00}},
        {true, true, false, true, 0, 1, {}, {0xA0, 0x01, 0x00, 0x00}},
        {true, true, true, true, 0, 1, {0xAB}, {0xE0, 0x01, 0x00, 0x01, 0xAB}},
        // RDMAC
        {false, true, true, false, 0, 0, {}, {0xC0, 0x00, 0x00, 0x00}},
        // RFC 6581: C=1, S=1, Rev 2, an enhanced word and "PING"
        {false,
         false,
         true,
         false,
         0x10,
         2,
         {0x80, 0x10, 0xC0, 0x08, 0x50, 0x49, 0x4E, 0x47},
         {0x50, 0x02, 0x00, 0x08, 0x80, 0x10, 0xC0, 0x08, 0x50, 0x49, 0x4E, 0x47}},
    };
    for (const auto& row : rows)
    {
        const Octets wire = FrameOnWire(row.reply, row.tail);
        MpaStartupFrame frame;
        frame.reply = row.reply;
        frame.markers = row.markers;
        frame.crc = row.crc;
        frame.reject = row.reject;
        frame.reserved = row.res;
        frame.revision = row.rev;
        frame.privateData = row.data;
        NS_TEST_EXPECT_MSG_EQ((frame.Encode() == wire), true, "encoded octets");
        IWARP_COVERS("MPA-7.1.1-01 MPA-7.1.1-03 ENH-6-1 ENH-6-2 ENH-6-6");

        MpaStartupFrame read;
        NS_TEST_ASSERT_MSG_EQ((MpaStartupFrame::Decode(wire.data(), wire.size(), row.reply, read) ==
                               FrameStatus::COMPLETE),
                              true,
                              "decodes");
        NS_TEST_EXPECT_MSG_EQ(read.reply, row.reply, "key");
        NS_TEST_EXPECT_MSG_EQ(read.markers, row.markers, "M");
        NS_TEST_EXPECT_MSG_EQ(read.crc, row.crc, "C");
        NS_TEST_EXPECT_MSG_EQ(read.reject, row.reject, "R");
        NS_TEST_EXPECT_MSG_EQ(+read.reserved, +row.res, "Res");
        NS_TEST_EXPECT_MSG_EQ(+read.revision, +row.rev, "Rev");
        NS_TEST_EXPECT_MSG_EQ((read.privateData == row.data), true, "Private Data");
    }
}

/// @brief PD_Length from 0 to 512 and above.
IWARP_TEST(mpaStartupFrame, "PD_Length")
{
    for (const std::size_t size : {0, 1, 255, 256, 511, 512})
    {
        MpaStartupFrame frame;
        frame.privateData = PrivateData(size);
        const Octets wire = frame.Encode();
        NS_TEST_ASSERT_MSG_EQ(wire.size(), 20 + size, "no pad, no CRC, no Marker");
        NS_TEST_EXPECT_MSG_EQ(+wire[18], size / 256, "PD_Length, high octet");
        NS_TEST_EXPECT_MSG_EQ(+wire[19], size % 256, "PD_Length, low octet");
        IWARP_COVERS("MPA-7.1.1-22 MPA-7.1-05");
        MpaStartupFrame read;
        for (std::size_t have = 0; have < wire.size(); have++)
        {
            NS_TEST_ASSERT_MSG_EQ((MpaStartupFrame::Decode(wire.data(), have, false, read) ==
                                   FrameStatus::INCOMPLETE),
                                  true,
                                  have << " octets of " << wire.size());
        }
        // Octets behind the frame are somebody else's.
        Octets longer = wire;
        longer.push_back(0xDE);
        longer.push_back(0xAD);
        NS_TEST_EXPECT_MSG_EQ((MpaStartupFrame::Decode(longer.data(), longer.size(), false, read) ==
                               FrameStatus::COMPLETE),
                              true,
                              "a whole frame");
        NS_TEST_EXPECT_MSG_EQ((read.privateData == frame.privateData), true, "Private Data");
        IWARP_COVERS("MPA-7.1.1-27");
    }
    for (const uint32_t length : {513, 600, 0x8000, 65535})
    {
        const Octets wire = FrameOnWire(
            true,
            {0xC0, 0x01, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length & 0xFF)});
        MpaStartupFrame read;
        NS_TEST_EXPECT_MSG_EQ(
            (MpaStartupFrame::Decode(wire.data(), 20, true, read) == FrameStatus::BAD_LENGTH),
            true,
            "PD_Length " << length << " is refused before the data come");
        IWARP_COVERS("MPA-7.1.1-24 MPA-7.1.2-28");
    }
}

/// @brief A wrong key is told with its first wrong octet.
IWARP_TEST(mpaStartupFrame, "keys")
{
    for (const bool reply : {false, true})
    {
        const Octets good = FrameOnWire(reply, {0xC0, 0x01, 0x00, 0x00});
        for (std::size_t i = 0; i < 16; i++)
        {
            Octets bad = good;
            bad[i] ^= 0x20;
            MpaStartupFrame read;
            NS_TEST_EXPECT_MSG_EQ(
                (MpaStartupFrame::Decode(bad.data(), i, reply, read) == FrameStatus::INCOMPLETE),
                true,
                "nothing wrong before octet " << i);
            NS_TEST_EXPECT_MSG_EQ(
                (MpaStartupFrame::Decode(bad.data(), i + 1, reply, read) == FrameStatus::BAD_KEY),
                true,
                "octet " << i << " is wrong");
            NS_TEST_EXPECT_MSG_EQ((MpaStartupFrame::Decode(bad.data(), bad.size(), reply, read) ==
                                   FrameStatus::BAD_KEY),
                                  true,
                                  "octet " << i << " of a whole frame is wrong");
        }
        // The keys differ at octet 9 alone.
        MpaStartupFrame read;
        NS_TEST_EXPECT_MSG_EQ(
            (MpaStartupFrame::Decode(good.data(), 9, !reply, read) == FrameStatus::INCOMPLETE),
            true,
            "not told apart yet");
        NS_TEST_EXPECT_MSG_EQ(
            (MpaStartupFrame::Decode(good.data(), 10, !reply, read) == FrameStatus::BAD_KEY),
            true,
            "told apart");
    }
}
