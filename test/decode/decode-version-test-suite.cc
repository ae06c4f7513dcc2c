/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "decode-test.h"

#include "ns3/mpa-startup-frame.h"

#include <string>

using namespace ns3;

namespace
{

/// @brief Suite of captures of version 0.
IWARP_TEST_SUITE(decodeVersion, "decode-version");

/**
 * @brief Streams of the RDMA Consortium's version 0 are found without their startup, and again
 * behind what is lost.
 */
struct DecodeStreamVersionTest : TestCase
{
    using TestCase::TestCase;

    void RunWithoutStartup() //!< octets that are not the module's
    {
        // draft-ietf-rddp-mpa-01, Figure 5: a Send of 24 zero octets behind a Marker; then one of
        // four octets, by hand, with its CRC by another CRC32c
        const std::string sends[] = {
            "00000000 002A 4003 00000000 00000000 00000001 00000000"
            "000000000000000000000000000000000000000000000000 4C86B384",
            "00000000 0016 4003 00000000 00000000 00000001 00000000 11223344 C2822C43"};
        for (const auto& send : sends)
        {
            DecodeTestConnection c(false);
            const DecodeOctets octets = Hex(send);
            c.Send(0, octets);
            const DecodeResult result = Decode(WriteCapture(c.frames));
            NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is wrong");
            const auto ulpdus = result.Ulpdus(0);
            NS_TEST_ASSERT_MSG_EQ(ulpdus.size(), 1, "found");
            if (IsStatusFailure())
            {
                return;
            }
            NS_TEST_EXPECT_MSG_EQ((ulpdus[0] == DecodeOctets(octets.begin() + 6, octets.end() - 4)),
                                  true,
                                  "its octets");
        }
    }

    void RunGap() //!< one FPDU of 20 is not in the capture
    {
        DecodeTestConnection c;
        for (const unsigned side : {0, 1})
        {
            MpaStartupFrame frame;
            frame.reply = side == 1;
            frame.markers = true;
            frame.crc = true;
            frame.revision = 0;
            c.Startup(side, frame);
        }
        std::vector<DecodeOctets> sent;
        std::size_t lost = 0;
        for (uint32_t i = 1; i <= 20; i++)
        {
            for (const unsigned side : {0, 1})
            {
                DecodeOctets send = MakeSend(200 + i, i);
                send[0] &= 0xFC; // DV
                send[1] &= 0x3F; // RV
                if (side == 0 && i == 8)
                {
                    lost = c.frames.size();
                }
                else if (side == 0)
                {
                    sent.push_back(send);
                }
                c.SendFpdu(side, send);
            }
        }
        c.frames.erase(c.frames.begin() + lost);
        const DecodeResult result = Decode(WriteCapture(c.frames));
        NS_TEST_EXPECT_MSG_EQ(result.ErrorLine(), "", "nothing is wrong");
        NS_TEST_EXPECT_MSG_EQ((result.Ulpdus(0) == sent), true, "those behind it are found");
        NS_TEST_EXPECT_MSG_EQ(result.Ulpdus(1).size(), 20, "and all of the other side");
        for (const auto& s : result.seen)
        {
            NS_TEST_EXPECT_MSG_EQ(s.hasMessage && s.message.partial,
                                  false,
                                  "a message whose first segment is there is whole");
        }
    }
};

IWARP_TEST(decodeVersion, "version 0 without startup, and behind a gap", DecodeStreamVersionTest)
{
    RunWithoutStartup();
    RunGap();
}

} // namespace
