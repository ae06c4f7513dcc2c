/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "decode-test.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeOutput, "decode-output");

/// @param text lines @param number which, from 1 on @return it
std::string
GetLine(const std::string& text, std::size_t number)
{
    std::istringstream lines(text);
    std::string line;
    for (std::size_t i = 0; i < number && std::getline(lines, line); i++)
    {
    }
    return lines ? line : "";
}

/// What is written of captures, a line for a line: `iwarp decode FILE` and `--json` write these
/// files. The JSON of all captures is compared with tshark's by tshark_decode_test.py.
struct DecodeOutputTest : TestCase
{
    using TestCase::TestCase;

    /// @param name of a capture @param ending of the file with what is expected
    /// @param format of it
    void Compare(const std::string& name, const std::string& ending, IwarpDecoder::Format format)
    {
        std::ifstream file(CaptureFolder() + "../decode/" + name + ending);
        const std::string expected(std::istreambuf_iterator<char>(file), {});
        NS_TEST_ASSERT_MSG_EQ(expected.empty(), false, name << ending << " is there");
        const auto found = Decode(ReadCaptureOctets(name + ".pcap"), [format](IwarpDecoder& d) {
                               d.SetFormat(format);
                           }).text;
        for (std::size_t i = 1; found != expected && i <= expected.size(); i++)
        {
            NS_TEST_ASSERT_MSG_EQ(GetLine(found, i),
                                  GetLine(expected, i),
                                  name << ending << ", line " << i);
        }
    }
};

IWARP_TEST(decodeOutput, "text and JSON of captures", DecodeOutputTest)
{
    for (const std::string name : {"raw_crc1_badcrc",
                                   "raw_fin_half_fpdu",
                                   "raw_markers_v1",
                                   "raw_read_badstag",
                                   "raw_send_gap_mo",
                                   "raw_terminate_in",
                                   "raw_write_read",
                                   "rawsrv_rej_pd",
                                   "stock_sendinv_badstag_mtu1500",
                                   "tune_crc_term_write_badstag_mtu1500"})
    {
        Compare(name, ".txt", IwarpDecoder::TEXT);
        Compare(name, ".json", IwarpDecoder::JSON);
    }
}

} // namespace
