/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"

#include "ns3/ddp-header.h"
#include "ns3/rdmap-header.h"
#include "ns3/rdmap-terminate.h"

#include <map>
#include <sstream>

using namespace ns3;

namespace
{

/// Suite of tests against captures of another implementation.
IWARP_TEST_SUITE(rdmapCapture, "rdmap-capture");

const char* const NAMES[] = {"Write",
                             "ReadReq",
                             "ReadResp",
                             "Send",
                             "SendInv",
                             "SendSE",
                             "SendSEInv",
                             "Terminate",
                             "op8",
                             "op9",
                             "op10",
                             "op11",
                             "op12",
                             "op13",
                             "op14",
                             "op15"};

/**
 * Decode the headers of a ULPDU and encode them again.
 * @param ulpdu octets of the ULPDU
 * @param header receives the DDP header
 * @return the octets that result, or none if there is no whole header
 */
std::vector<uint8_t>
Recode(const std::vector<uint8_t>& ulpdu, DdpHeader& header)
{
    std::vector<uint8_t> out = ulpdu;
    const uint32_t headerSize = header.Read(ulpdu.data(), ulpdu.size());
    if (headerSize == 0)
    {
        return {};
    }
    std::fill_n(out.begin(), headerSize, 0xEE);
    const RdmapControl control = RdmapControl::Decode(header.ulpControl);
    header.ulpControl = control.Encode();
    header.Write(out.data());
    const uint8_t* payload = ulpdu.data() + headerSize;
    const uint32_t payloadSize = ulpdu.size() - headerSize;
    switch (static_cast<RdmapOpcode>(control.opcode))
    {
    case RdmapOpcode::READ_REQUEST: {
        RdmapReadRequest request;
        if (payloadSize != rdmap::READ_REQUEST_SIZE)
        {
            return {};
        }
        request.Read(payload);
        std::fill(out.begin() + headerSize, out.end(), 0xEE);
        request.Write(&out[headerSize]);
        break;
    }
    case RdmapOpcode::TERMINATE: {
        RdmapTerminate terminate;
        const auto form = RdmapTerminateForm::MIRRORED;
        if (terminate.Read(payload, payloadSize, form) != payloadSize)
        {
            return {};
        }
        std::fill(out.begin() + headerSize, out.end(), 0xEE);
        terminate.Write(&out[headerSize], form);
        break;
    }
    default:
        break;
    }
    return out;
}

/// Every ULPDU of the captures decodes, and encodes to the same octets.
IWARP_TEST(rdmapCapture, "captured headers decode and encode to themselves")
{
    std::string file;
    std::vector<CapturedConnection> connections;
    uint32_t total = 0;
    for (const auto& row : ReadCaptureManifest())
    {
        if (row.file != file)
        {
            file = row.file;
            connections = ReadCapture(CaptureFolder() + file);
        }
        std::map<std::string, uint32_t> counts;
        uint32_t ulpdus = 0;
        uint64_t octets = 0;
        for (const auto& connection : connections)
        {
            for (const auto& ulpdu : connection.ulpdus[row.side])
            {
                ulpdus++;
                octets += ulpdu.octets.size();
                if (ulpdu.octets.size() < ddp::TAGGED_HEADER_SIZE)
                {
                    DdpHeader header;
                    NS_TEST_EXPECT_MSG_EQ(header.Read(ulpdu.octets.data(), ulpdu.octets.size()),
                                          0,
                                          file << ": a short ULPDU has no header");
                    IWARP_COVERS("DDP-4.4-1");
                    continue;
                }
                DdpHeader header;
                const auto out = Recode(ulpdu.octets, header);
                NS_TEST_ASSERT_MSG_EQ((out == ulpdu.octets), true, file << " ULPDU " << ulpdus);
                IWARP_COVERS("DDP-4.1-14 DDP-4.2-1 DDP-4.3-1");
                counts[std::string(NAMES[header.ulpControl & 15]) + (header.last ? "" : "*")]++;
            }
        }
        std::ostringstream operations;
        for (const auto& [name, count] : counts)
        {
            operations << (operations.tellp() > 0 ? " " : "") << name << ":" << count;
        }
        NS_TEST_EXPECT_MSG_EQ(ulpdus, row.ulpdus, file << " ULPDUs");
        NS_TEST_EXPECT_MSG_EQ(octets, row.octets, file << " octets");
        NS_TEST_EXPECT_MSG_EQ(operations.str(), row.operations, file << " operations");
        IWARP_COVERS("RDMAP-4.1-04");
        total += ulpdus;
    }
    NS_TEST_EXPECT_MSG_GT(total, 2000, "the captures are there");
}

/// Terminates of the captures say what the peer did.
struct RdmapCaptureTerminateTest : TestCase
{
    using TestCase::TestCase;

    void Expect(const std::string& file, uint8_t layer, uint8_t type, uint8_t code, bool read)
    {
        uint32_t seen = 0;
        for (const auto& connection : ReadCapture(CaptureFolder() + file))
        {
            for (const auto& side : connection.ulpdus)
            {
                for (const auto& ulpdu : side)
                {
                    DdpHeader header;
                    const uint32_t size = header.Read(ulpdu.octets.data(), ulpdu.octets.size());
                    if (size == 0 || (header.ulpControl & 15) != 7)
                    {
                        continue;
                    }
                    RdmapTerminate t;
                    const uint32_t used = t.Read(ulpdu.octets.data() + size,
                                                 ulpdu.octets.size() - size,
                                                 RdmapTerminateForm::MIRRORED);
                    NS_TEST_ASSERT_MSG_NE(used, 0, file);
                    NS_TEST_EXPECT_MSG_EQ(+t.layer, +layer, file << " " << t.Describe());
                    NS_TEST_EXPECT_MSG_EQ(+t.type, +type, file << " " << t.Describe());
                    NS_TEST_EXPECT_MSG_EQ(+t.code, +code, file << " " << t.Describe());
                    NS_TEST_EXPECT_MSG_EQ(t.hasReadHeader, read, file);
                    seen++;
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(seen, 1, file << " holds one Terminate");
    }
};

IWARP_TEST(rdmapCapture,
           "captured Terminates name the error, in the driver's mirrored form",
           RdmapCaptureTerminateTest)
{
    Expect("stock_term_read_badstag_mtu1500.pcap", 0, 1, 0, true);
    Expect("stock_term_read_oob_mtu1500.pcap", 0, 1, 1, true);
    Expect("stock_term_write_badstag_mtu1500.pcap", 1, 1, 0, false);
    Expect("stock_term_write_oob_mtu1500.pcap", 1, 1, 1, false);
    Expect("stock_term_send_toolong_mtu1500.pcap", 1, 2, 2, false);
    Expect("raw_opcode_b.pcap", 0, 2, 6, false);
    Expect("raw_write_wrap.pcap", 1, 0, 0, false);
}

} // namespace
