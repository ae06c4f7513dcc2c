/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "mpa-receiver-test-util.h"

#include "ns3/mpa-startup-frame.h"

#include <set>

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(mpaReceiverCapture, "mpa-receiver-capture");

/**
 * @brief FPDUs that Linux's soft-iWARP sent, through the receiver and through the encoder.
 *
 * The captures' own reader, which uses nothing of the module, says which ULPDUs there are.
 */
struct MpaReceiverCapture : TestCase
{
    using TestCase::TestCase;

    /// @param file capture @param connection connection @param side who sent
    void Side(const std::string& file, const CapturedConnection& connection, int side)
    {
        const auto& sent = connection.ulpdus[side];
        const auto& octets = connection.octets[side];
        MpaStartupFrame request;
        MpaStartupFrame reply;
        const auto& first = connection.octets[0];
        const auto& second = connection.octets[1];
        const auto complete = MpaStartupFrame::Status::COMPLETE;
        if (sent.empty() ||
            MpaStartupFrame::Decode(first.data(), first.size(), false, request) != complete ||
            MpaStartupFrame::Decode(second.data(), second.size(), true, reply) != complete)
        {
            return;
        }
        // each FPDU encoded again, but with the capture's pad: the driver's is not always zero, and
        // it takes the Reply's word on CRC
        const mpa::FpduFormat format{false, reply.crc};
        const uint32_t start = (side == 0 ? request : reply).Encode().size();
        uint32_t at = start;
        std::size_t good = 0;
        for (const auto& u : sent)
        {
            const auto size = static_cast<uint32_t>(u.octets.size());
            Octets fpdu(mpa::WireSize(size, at - start, false));
            mpa::EncodeFpdu(fpdu.data(), u.octets.data(), size, nullptr, 0, at - start, format);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(at + fpdu.size(), octets.size(), file);
            const uint32_t crc = fpdu.size() - mpa::CRC_SIZE;
            const uint32_t pad = mpa::PadSize(size);
            if (pad > 0 && format.crc)
            {
                std::copy_n(&octets[at + crc - pad], pad, &fpdu[crc - pad]);
                iwarp::Crc32c again;
                again.Update(fpdu.data(), crc);
                again.Write(&fpdu[crc]);
            }
            const uint32_t compared = format.crc ? fpdu.size() : crc - pad;
            if (!std::equal(fpdu.begin(), fpdu.begin() + compared, octets.begin() + at))
            {
                break;
            }
            at += fpdu.size();
            ++good;
        }
        // the hand-made captures have FPDUs with a wrong CRC in them: the chain ends there
        const bool faulty = file.find("badcrc") != std::string::npos;
        NS_TEST_ASSERT_MSG_EQ((good < sent.size()), (faulty && side == 0), file);
        IWARP_COVERS("MPA-4.1-01 MPA-4.1-02 MPA-4.1-05 MPA-4.4-14");

        // and all received, in segments of 700 octets of which every second one comes early
        MpaReceiverConfig config;
        config.seqStart = 0xFFFFFFF0;
        config.format = format;
        ReceiverProbe probe(config);
        const auto total = static_cast<uint32_t>(octets.size() - start);
        for (uint32_t from = 0; from < total; from += 1400)
        {
            const uint32_t middle = std::min(from + 700, total);
            const uint32_t to = std::min(from + 1400, total);
            if (to > middle)
            {
                probe.receiver.Segment(config.seqStart + middle,
                                       &octets[start + middle],
                                       to - middle);
            }
            probe.receiver.Segment(config.seqStart + from, &octets[start + from], middle - from);
            probe.receiver.Advance(config.seqStart + to);
        }
        NS_TEST_ASSERT_MSG_EQ(probe.passed.size(), good, file);
        NS_TEST_ASSERT_MSG_EQ(probe.delivered, good, file);
        NS_TEST_ASSERT_MSG_EQ(probe.errors.size(), (faulty && side == 0 ? 1 : 0), file);
        for (std::size_t i = 0; i < good; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ((probe.passed[i].octets == sent[i].octets), true, file);
            IWARP_COVERS("MPA-5.1-12");
        }
        (format.crc ? m_checked : m_unchecked) += good;
    }

    std::size_t m_checked{0};   //!< ULPDUs seen in connections with CRC
    std::size_t m_unchecked{0}; //!< ULPDUs seen in connections without
};

IWARP_TEST(mpaReceiverCapture, "captures of soft-iWARP", MpaReceiverCapture)
{
    std::set<std::string> files;
    for (const auto& row : ReadCaptureManifest())
    {
        files.insert(row.file);
    }
    for (const auto& file : files)
    {
        for (const auto& connection : ReadCapture(CaptureFolder() + "/" + file))
        {
            for (int side = 0; side < 2; ++side)
            {
                Side(file, connection, side);
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(m_checked, 1000, "ULPDUs under a CRC");
    NS_TEST_EXPECT_MSG_GT(m_unchecked, 100, "ULPDUs without");
}
