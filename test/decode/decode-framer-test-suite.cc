/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "decode-test.h"

#include "ns3/decode-framer.h"
#include "ns3/util-crc32c.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(decodeFramer, "decode-framer");

/// PDUs of NVMe/TCP (NVM Express TCP Transport Specification 1.0, section 3.6.1): type, flags,
/// HLEN, PDO, PLEN; a digest behind the header if flag 0 is set, one behind the data if flag 1 is.
class NvmeFramer : public DecodeFramer
{
  public:
    const char* GetName() const override
    {
        return "nvme-tcp";
    }

    bool IsBeginning(const uint8_t* octets, uint32_t size) const override
    {
        return size >= 8 && octets[0] <= 1 && octets[2] == 128 && GetSize(octets) == 128;
    }

    uint32_t GetHeadSize() const override
    {
        return 8;
    }

    uint32_t GetSize(const uint8_t* head) const override
    {
        const uint32_t size = boost::endian::load_little_u32(head + 4);
        return head[0] <= 9 && head[0] != 8 && head[2] >= 8 && head[3] <= size && head[2] <= size
                   ? size
                   : 0;
    }

    void Read(DecodePdu& pdu) override
    {
        static const char* const names[] = {"icreq",
                                            "icresp",
                                            "h2c_term_req",
                                            "c2h_term_req",
                                            "capsule_cmd",
                                            "capsule_resp",
                                            "h2c_data",
                                            "c2h_data",
                                            "",
                                            "r2t"};
        const uint8_t* const octets = pdu.octets;
        pdu.name = names[octets[0]];
        pdu.fields = {{"flags", octets[1]}, {"hlen", octets[2]}, {"pdo", octets[3]}};
        const bool header = (octets[1] & 1) != 0;
        const bool data = octets[3] > 0;
        const bool tail = data && (octets[1] & 2) != 0;
        const uint32_t around = octets[3] + (tail ? DIGEST : 0);
        if (octets[2] + (header ? DIGEST : 0) > pdu.size || around > pdu.size)
        {
            pdu.fault = "its digests do not fit";
            return;
        }
        pdu.payload = data ? pdu.size - around : 0;
        if (pdu.missing > 0)
        {
            pdu.digest = DecodeCrc::UNKNOWN;
        }
        else if (header || tail)
        {
            const bool good = (!header || IsGood(octets, octets[2])) &&
                              (!tail || IsGood(octets + octets[3], pdu.payload));
            pdu.digest = good ? DecodeCrc::GOOD : DecodeCrc::BAD;
            pdu.fault = good ? "" : "a digest is bad";
        }
    }

    static constexpr uint32_t DIGEST = 4; //!< octets of a digest

  private:
    /// @param octets octets @param size how many @return the digest of them follows
    static bool IsGood(const uint8_t* octets, uint32_t size)
    {
        iwarp::Crc32c crc;
        crc.Update(octets, size);
        return crc.Matches(octets + size);
    }
};

/// @param type of a PDU @param header its octets @param data its octets; with digests if there are
/// any @return the PDU
DecodeOctets
MakeNvmePdu(uint8_t type, uint8_t header, uint32_t data)
{
    const auto seal = [](DecodeOctets& octets, std::size_t from) {
        iwarp::Crc32c crc;
        crc.Update(octets.data() + from, octets.size() - from);
        uint8_t digest[NvmeFramer::DIGEST];
        crc.Write(digest);
        octets.insert(octets.end(), std::begin(digest), std::end(digest));
    };
    const bool bare = data == 0;
    const uint32_t around = bare ? 0 : 2 * NvmeFramer::DIGEST;
    DecodeOctets pdu(header);
    pdu[0] = type;
    pdu[1] = bare ? 0 : 3;
    pdu[2] = header;
    pdu[3] = bare ? 0 : static_cast<uint8_t>(header + NvmeFramer::DIGEST);
    boost::endian::store_little_u32(pdu.data() + 4, header + data + around);
    if (!bare)
    {
        seal(pdu, 0);
        const std::size_t from = pdu.size();
        for (uint32_t i = 0; i < data; i++)
        {
            pdu.push_back(static_cast<uint8_t>(i * 7));
        }
        seal(pdu, from);
    }
    return pdu;
}

/// Keeps what PDUs say.
class PduCollector : public DecodeListener
{
  public:
    void Found(const DecodeEvent& event) override
    {
        if (event.kind == DecodeEvent::Kind::PDU)
        {
            counts[event.pdu->name]++;
            digests[event.pdu->digest]++;
            aligned += event.pdu->aligned ? 1 : 0;
            payload += event.pdu->payload;
        }
        else if (event.kind == DecodeEvent::Kind::ERROR)
        {
            errors.push_back(event.text);
        }
    }

    std::map<std::string, uint32_t> counts; //!< PDUs by name
    std::map<DecodeCrc, uint32_t> digests;  //!< PDUs by verdict
    uint32_t aligned{0};                    //!< PDUs in one segment
    uint64_t payload{0};                    //!< octets
    std::vector<std::string> errors;        //!< errors
    std::string text;                       //!< all that is told
};

/// @param file octets of a capture @param format of the text @return what is found
PduCollector
DecodeNvme(const DecodeOctets& file, IwarpDecoder::Format format = IwarpDecoder::TEXT)
{
    const DecodeFramer::Registration registered([] { return std::make_unique<NvmeFramer>(); });
    PduCollector collector;
    IwarpDecoder decoder;
    decoder.SetFormat(format);
    decoder.SetListener(&collector);
    decoder.Attach(file.data(), file.size());
    for (std::string more = decoder.Read(); !more.empty(); more = decoder.Read())
    {
        collector.text += more;
    }
    return collector;
}

} // namespace

/// @brief NVMe/TCP of Linux, by a framer of forty lines: what tshark finds in it is found.
IWARP_TEST(decodeFramer, "PDUs of NVMe over TCP in a capture of Linux")
{
    std::ifstream in(CaptureFolder() + "../nvme/digests_mtu1500.pcap", std::ios::binary);
    const DecodeOctets file{std::istreambuf_iterator<char>(in), {}};
    NS_TEST_ASSERT_MSG_EQ(file.size(), 23816, "the capture is there");
    const PduCollector found = DecodeNvme(file);
    const std::map<std::string, uint32_t> counts{{"icreq", 1},
                                                 {"icresp", 1},
                                                 {"capsule_cmd", 13},
                                                 {"capsule_resp", 13},
                                                 {"c2h_data", 4}};
    NS_TEST_EXPECT_MSG_EQ((found.counts == counts), true, "as tshark counts them");
    const std::map<DecodeCrc, uint32_t> digests{{DecodeCrc::GOOD, 30}, {DecodeCrc::OFF, 2}};
    NS_TEST_EXPECT_MSG_EQ((found.digests == digests), true, "all but the first have digests");
    NS_TEST_EXPECT_MSG_EQ(found.payload,
                          1024 + 2 * 4096 + 512 + 8208,
                          "PLEN less header and digests");
    NS_TEST_EXPECT_MSG_EQ(found.aligned, 29, "three are longer than a segment");
    NS_TEST_EXPECT_MSG_EQ(found.errors.size(), 0, "nothing is malformed");
    NS_TEST_EXPECT_MSG_NE(found.text.find("14 nvme-tcp PDUs: CRC 13 good, 0 bad, 1 off"),
                          std::string::npos,
                          found.text);
    const PduCollector json = DecodeNvme(file, IwarpDecoder::JSON);
    NS_TEST_EXPECT_MSG_NE(
        json.text.find("\"layer\": \"nvme-tcp\", \"event\": \"icresp\", \"flags\": 0, "
                       "\"hlen\": 128, \"pdo\": 0, \"wire_length\": 128"),
        std::string::npos,
        json.text.substr(0, 1000));
    // who knows of no such framing finds nothing
    IwarpDecoder alone;
    alone.Attach(file.data(), file.size());
    NS_TEST_EXPECT_MSG_EQ((alone.Read().find("nvme") == std::string::npos), true, "alone");
    NS_TEST_EXPECT_MSG_EQ(alone.GetStreams(), 0, "no stream");
}

/// @brief PDUs cut in segments anyhow, damaged, and with octets missing.
IWARP_TEST(decodeFramer, "PDUs cut, damaged and missing")
{
    const DecodeOctets hello = MakeNvmePdu(0, 128, 0);
    DecodeOctets stream = hello;
    for (uint32_t size : {1, 4000, 20, 1300})
    {
        const DecodeOctets pdu = MakeNvmePdu(6, 24, size);
        stream.insert(stream.end(), pdu.begin(), pdu.end());
    }
    for (uint32_t segment : {128, 129, 160, 500, 1448})
    {
        DecodeTestConnection connection;
        connection.Send(0, stream, segment);
        const PduCollector found = DecodeNvme(WriteCapture(connection.frames));
        NS_TEST_EXPECT_MSG_EQ(found.counts.at("h2c_data"), 4, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.payload, 1 + 4000 + 20 + 1300, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.digests.at(DecodeCrc::GOOD), 4, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.errors.size(), 0, segment << " octets");
    }

    DecodeOctets damaged = stream;
    damaged[128 + 24 + 4] ^= 1; // the one octet of data
    DecodeTestConnection bad;
    bad.Send(0, damaged);
    const PduCollector worse = DecodeNvme(WriteCapture(bad.frames));
    NS_TEST_ASSERT_MSG_EQ(worse.errors.size(), 1, "damage");
    NS_TEST_EXPECT_MSG_EQ(worse.errors[0], "a digest is bad", "damage");
    NS_TEST_EXPECT_MSG_EQ(worse.counts.at("h2c_data"), 4, "the others are as they were");

    DecodeTestConnection wrong;
    wrong.Send(0, hello);
    wrong.Send(0, DecodeOctets(300, 0xFF));
    wrong.Send(0, MakeNvmePdu(6, 24, 100));
    wrong.Send(0, DecodeOctets(hello.begin(), hello.begin() + 20));
    wrong.Close(0);
    const PduCollector again = DecodeNvme(WriteCapture(wrong.frames));
    const std::vector<std::string> errors{"no PDU begins so", "TCP ends 20 octets into a PDU"};
    NS_TEST_EXPECT_MSG_EQ((again.errors == errors), true, "what is no PDU, and half of one");
    NS_TEST_EXPECT_MSG_EQ(again.counts.at("h2c_data"), 1, "found again behind it");

    // a segment within the long PDU is not in the capture, though it arrived
    DecodeTestConnection lost;
    lost.Send(0, stream, 1000);
    lost.Send(1, hello); // acknowledges all
    auto frames = lost.frames;
    const auto second = std::find_if(frames.begin(), frames.end(), [](const auto& frame) {
        return frame.octets.size() > 1000;
    });
    frames.erase(second + 1);
    const PduCollector less = DecodeNvme(WriteCapture(frames));
    NS_TEST_EXPECT_MSG_EQ(less.counts.at("h2c_data"), 4, "its head says where it ends");
    NS_TEST_EXPECT_MSG_EQ(less.digests.at(DecodeCrc::UNKNOWN), 1, "but not whether it is good");
    NS_TEST_EXPECT_MSG_EQ(less.errors.size(), 0, "nothing is malformed");
}
