/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "decode-test.h"

#include "ns3/system-path.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeCapture, "decode-capture");

/// @param seen FPDUs @return "name:count" of segments, a star for those without L
std::string
Operations(const std::vector<const DecodeSeen*>& seen)
{
    static const char* const names[] =
        {"Write", "ReadReq", "ReadResp", "Send", "SendInv", "SendSE", "SendSEInv", "Terminate"};
    std::map<std::string, uint32_t> counts;
    for (const auto* s : seen)
    {
        if (s->hasSegment)
        {
            const unsigned opcode = s->ddp.ulpControl & 15;
            const std::string name = opcode < 8 ? names[opcode] : "op" + std::to_string(opcode);
            counts[name + (s->ddp.last ? "" : "*")]++;
        }
    }
    std::ostringstream text;
    for (const auto& [name, count] : counts)
    {
        text << (text.tellp() > 0 ? " " : "") << name << ":" << count;
    }
    return text.str();
}

} // namespace

/**
 * @brief Every frame of the captures is found, as an independent reader finds it, and encodes to
 * the same octets.
 */
struct DecodeCaptureTest : TestCase
{
    using TestCase::TestCase;

    /// Compare what was decoded and encoded again. @param file its name @param result its events
    void Recode(const std::string& file, const DecodeResult& result)
    {
        // startup frames against what TCP carried, put in order without the module
        std::vector<CapturedConnection> connections = ReadCapture(CaptureFolder() + file);
        for (const auto& s : result.seen)
        {
            NS_TEST_ASSERT_MSG_LT(s.stream, connections.size(), file);
            const auto& octets = connections[s.stream].octets[s.side];
            if (s.kind == DecodeEvent::Kind::STARTUP)
            {
                const bool same = octets.size() >= s.octets.size() &&
                                  std::equal(s.octets.begin(), s.octets.end(), octets.begin());
                NS_TEST_EXPECT_MSG_EQ(same, true, file << ": startup frame");
                IWARP_COVERS("MPA-7.1.1-01 MPA-7.1.1-03");
            }
            if (s.kind != DecodeEvent::Kind::FPDU)
            {
                continue;
            }
            m_fpdus++;
            const auto at = octets.begin() + static_cast<std::ptrdiff_t>(s.seq - 1);
            const bool there = s.seq - 1 + s.fpdu.size() <= octets.size() &&
                               std::equal(s.fpdu.begin(), s.fpdu.end(), at);
            NS_TEST_EXPECT_MSG_EQ(there, true, file << ": FPDU at " << s.seq);
            if (s.octets.empty())
            {
                continue; // it cannot be posted to be sent
            }
            DecodeOctets wire = s.fpdu;
            DecodeOctets again = s.again;
            const std::size_t end = mpa::LENGTH_SIZE + s.octets.size(); // no Markers here
            if (!std::all_of(wire.begin() + end, wire.end() - 4, [](uint8_t o) { return o == 0; }))
            {
                m_padded++;
                wire.resize(end); // the RFC has zeros there, and the CRC covers them
                again.resize(end);
            }
            if (s.crc == DecodeCrc::BAD || s.crc == DecodeCrc::OFF)
            {
                wire.resize(std::min(wire.size(), s.fpdu.size() - 4));
                again.resize(std::min(again.size(), s.fpdu.size() - 4));
            }
            NS_TEST_EXPECT_MSG_EQ((wire == again), true, file << ": FPDU at " << s.seq);
            IWARP_COVERS("MPA-4.1-01 MPA-4.1-06 DDP-4.1-14");
        }
    }

    uint32_t m_fpdus{0};  //!< FPDUs compared
    uint32_t m_padded{0}; //!< FPDUs with pad octets that are not 0
};

IWARP_TEST(decodeCapture, "captures decode and encode to themselves", DecodeCaptureTest)
{
    std::map<std::string, std::vector<CaptureManifestRow>> files;
    for (const auto& row : ReadCaptureManifest())
    {
        files[row.file].push_back(row);
    }
    for (const auto& [file, rows] : files)
    {
        const DecodeResult result = Decode(ReadCaptureOctets(file));
        NS_TEST_ASSERT_MSG_EQ(result.opened, true, file);
        for (const auto& row : rows)
        {
            // an Initiator of these captures opens the TCP connection too
            std::vector<const DecodeSeen*> seen;
            uint64_t octets = 0;
            for (const auto& s : result.seen)
            {
                if (s.kind == DecodeEvent::Kind::FPDU && s.side == unsigned(row.side))
                {
                    seen.push_back(&s);
                    octets += s.octets.size();
                }
            }
            if (file == "raw_tune_crcstrictoff_crc1.pcap")
            {
                // sent in spite of a rejecting Reply, so that it is none (RFC 5044 7.1.2)
                NS_TEST_EXPECT_MSG_EQ(seen.size(), 0, file);
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(seen.size(), row.ulpdus, file << " ULPDUs");
            NS_TEST_EXPECT_MSG_EQ(octets, row.octets, file << " octets");
            NS_TEST_EXPECT_MSG_EQ(Operations(seen), row.operations, file << " operations");
        }
        Recode(file, result);
    }
    NS_TEST_EXPECT_MSG_GT(m_fpdus, 2000, "the captures are there");
    NS_TEST_EXPECT_MSG_GT(m_padded, 0, "some have pad octets that are not 0");
}

/// @brief What is wrong in captures with a peer that breaks rules is named, and nothing else is.
IWARP_TEST(decodeCapture, "captures: what is malformed is named, with its place")
{
    std::map<std::string, std::string> expected = {
        {"raw_badkey", "1 neither a Request nor a Reply Frame: the key is wrong"},
        {"raw_crc1_badcrc", "34 the CRC is bad"},
        {"raw_ddp_ver2", "34 DDP version 2, not 1"},
        {"raw_fin_half_fpdu", "34 TCP ends 30 octets into an FPDU"},
        {"raw_msn7", "34 MSN 7 on queue 0, 1 is due"},
        {"raw_opcode_b", "34 Atomic Response on queue 0"},
        {"raw_pdlen_600", "1 a startup frame's PD_Length is more than 512"},
        {"raw_qn1_send", "34 Send on queue 1"},
        {"raw_qn5", "34 there is no queue 5"},
        {"raw_repkey", "1 a Reply Frame that no Request Frame precedes"},
        {"raw_rev3", "1 there is no revision 3 of MPA"},
        {"raw_send_gap_mo", "158 MO 150 in message 1 on queue 0, 100 is due"},
        {"raw_tagged_send", "34 Send in a Tagged segment"},
        {"raw_tune_crcreq_crc1_badcrc", "34 the CRC is bad"},
        {"raw_ulpdu_len0", "34 a ULPDU of 0 octets is shorter than a DDP header"},
        {"raw_untagged_write", "34 RDMA Write in an Untagged segment"},
        {"rawsrv_reqkey", "1 a Request Frame answers a Request Frame"},
    };
    uint32_t files = 0;
    for (const std::string& file : SystemPath::ReadFiles(CaptureFolder()))
    {
        const auto dot = file.rfind(".pcap");
        if (dot == std::string::npos)
        {
            continue;
        }
        files++;
        const DecodeResult result = Decode(ReadCaptureOctets(file));
        std::string found;
        for (const auto& s : result.seen)
        {
            if (s.kind == DecodeEvent::Kind::ERROR)
            {
                found += std::to_string(s.seq) + " " + s.text;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(found, expected[file.substr(0, dot)], file);
        NS_TEST_EXPECT_MSG_EQ(result.malformed, (found.empty() ? 0 : 1), file);
        const bool none = file.find("nolistener") != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ((result.streams > 0), !none, file);
    }
    NS_TEST_EXPECT_MSG_GT(files, 100, "the captures are there");
}

/// @brief A capture's events come in the sequence in which the peers made them.
struct DecodeCaptureSequenceTest : TestCase
{
    using TestCase::TestCase;

    static std::string Sequence(const std::string& file)
    {
        const char* const names[] =
            {"write", "readreq", "readresp", "send", "sendinv", "sendse", "sendseinv", "term"};
        std::string text;
        for (const auto& s : Decode(ReadCaptureOctets(file)).seen)
        {
            const std::string side = s.side == 0 ? ">" : "<";
            if (s.kind == DecodeEvent::Kind::STARTUP)
            {
                text += " " + side + (s.octets[9] == 'p' ? "reply" : "request");
            }
            else if (s.hasMessage)
            {
                text += " " + side + names[s.message.opcode & 7];
                text += s.message.opcode == 7 ? "" : ":" + std::to_string(s.message.length);
                text += s.message.opcode != 7 ? ""
                                              : ":" + std::to_string(s.message.terminate.layer) +
                                                    "/" + std::to_string(s.message.terminate.type) +
                                                    "/" + std::to_string(s.message.terminate.code);
            }
        }
        return text;
    }
};

IWARP_TEST(decodeCapture,
           "captures: startup, ready-to-receive message, Sends, Reads, Writes, Terminate",
           DecodeCaptureSequenceTest)
{
    const std::pair<const char*, const char*> expected[] = {
        {"stock_rping_S64_mtu1500.pcap",
         " >request <reply >send:16 <readreq:28 >readresp:64 <send:16 >send:16 <write:64 "
         "<send:16 >send:16 <readreq:28 >readresp:64 <send:16 >send:16 <write:64 <send:16 "
         ">send:16 <readreq:28 >readresp:64 <send:16 >send:16 <write:64 <send:16"},
        {"tune_p2p_write_mtu1500.pcap",
         " >request <reply >write:0 >send:100 >write:100 >readreq:28 <readresp:100"},
        {"tune_p2p_read_mtu1500.pcap",
         " >request <reply >readreq:28 >send:100 <readresp:0 >write:100 >readreq:28 "
         "<readresp:100"},
        {"stock_sendinv_then_write_mtu1500.pcap",
         " >request <reply >sendinv:10 >write:100 <term:1/1/0"},
        {"stock_term_read_oob_mtu1500.pcap", " >request <reply >readreq:28 <term:0/1/1"},
        {"stock_term_write_badstag_mtu1500.pcap",
         " >request <reply >write:10 >write:100 <term:1/1/0"},
        {"stock_reject_mtu1500.pcap", " >request <reply"},
    };
    for (const auto& [file, sequence] : expected)
    {
        NS_TEST_EXPECT_MSG_EQ(Sequence(file), sequence, file);
    }
}
