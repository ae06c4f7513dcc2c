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

/// PDUs of a tag of three octets, an octet that says how many there are in all, and content.
class ShortFramer : public DecodeFramer
{
  public:
    const char* GetName() const override
    {
        return "short";
    }

    bool IsBeginning(const uint8_t* octets, uint32_t size) const override
    {
        return size >= 4 && GetSize(octets) > 0;
    }

    uint32_t GetHeadSize() const override
    {
        return 4;
    }

    uint32_t GetSize(const uint8_t* head) const override
    {
        return std::equal(head, head + 3, "TAG") && head[3] >= 4 ? head[3] : 0;
    }

    void Read(DecodePdu& pdu) override
    {
        pdu.name = "tagged";
        pdu.payload = pdu.size - 4;
    }
};

/// @param type of a PDU of NVMe/TCP @param header its octets @param data its octets; with digests
/// if there are any @return the PDU
DecodeOctets
MakeNvmePdu(uint8_t type, uint8_t header, uint32_t data)
{
    constexpr uint32_t DIGEST = 4; // octets
    const auto seal = [](DecodeOctets& octets, std::size_t from) {
        iwarp::Crc32c crc;
        crc.Update(octets.data() + from, octets.size() - from);
        uint8_t digest[DIGEST];
        crc.Write(digest);
        octets.insert(octets.end(), std::begin(digest), std::end(digest));
    };
    const bool bare = data == 0;
    const uint32_t around = bare ? 0 : 2 * DIGEST;
    DecodeOctets pdu(header);
    pdu[0] = type;
    pdu[1] = bare ? 0 : 3;
    pdu[2] = header;
    pdu[3] = bare ? 0 : static_cast<uint8_t>(header + DIGEST);
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
DecodePdusOf(const DecodeOctets& file, IwarpDecoder::Format format = IwarpDecoder::TEXT)
{
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

/// @brief NVMe/TCP of Linux: what tshark finds in it is found.
IWARP_TEST(decodeFramer, "PDUs of NVMe over TCP in a capture of Linux")
{
    std::ifstream in(CaptureFolder() + "../nvme/digests_mtu1500.pcap", std::ios::binary);
    const DecodeOctets file{std::istreambuf_iterator<char>(in), {}};
    NS_TEST_ASSERT_MSG_EQ(file.size(), 314482, "the capture is there");
    const PduCollector found = DecodePdusOf(file);
    const std::map<std::string, uint32_t> counts{{"ic_req", 2},
                                                 {"ic_resp", 2},
                                                 {"capsule_cmd", 38},
                                                 {"capsule_resp", 38},
                                                 {"h2c_data", 1},
                                                 {"c2h_data", 18},
                                                 {"r2t", 1}};
    NS_TEST_EXPECT_MSG_EQ((found.counts == counts), true, "as tshark counts them");
    const std::map<DecodeCrc, uint32_t> digests{{DecodeCrc::GOOD, 96}, {DecodeCrc::OFF, 4}};
    NS_TEST_EXPECT_MSG_EQ((found.digests == digests), true, "all but the first have digests");
    // 2 Connects, 2 KiB of other capsules, 64 KiB by R2T; SGLs of what is read
    const uint64_t written = 2 * 1024 + 2 * 4096 + 3 * 512 + 65536;
    const uint64_t read = 7 * 4096 + 2 * 8208 + 512 + 6 * 4096 + 2 * 65536;
    NS_TEST_EXPECT_MSG_EQ(found.payload, written + read, "PLEN less header and digests");
    NS_TEST_EXPECT_MSG_EQ(found.errors.size(), 0, "nothing is malformed");
    NS_TEST_EXPECT_MSG_NE(found.text.find("17 nvme-tcp PDUs: CRC 16 good, 0 bad, 1 off"),
                          std::string::npos,
                          found.text);
    NS_TEST_EXPECT_MSG_NE(
        found.text.find("nvme-tcp capsule_cmd flags=1 hlen=72 pdo=0 opc=1 cid=22 nsid=1 slba=1152 "
                        "nlb=127 sgl1_type=90 sgl1_length=65536 | 76 octets, digest good"),
        std::string::npos,
        "a Write of 128 blocks");
    const PduCollector json = DecodePdusOf(file, IwarpDecoder::JSON);
    NS_TEST_EXPECT_MSG_NE(
        json.text.find("\"layer\": \"nvme-tcp\", \"event\": \"ic_resp\", \"flags\": 0, "
                       "\"hlen\": 128, \"pdo\": 0, \"pfv\": 0, \"cpda\": 0, \"dgst\": 3, "
                       "\"maxh2cdata\": 4194304, \"wire_length\": 128"),
        std::string::npos,
        json.text.substr(0, 1000));
}

/// @brief A framing of one's own is decoded as long as it is registered.
IWARP_TEST(decodeFramer, "a framing that is registered")
{
    DecodeTestConnection connection;
    connection.Send(0, {'T', 'A', 'G', 7, 1, 2, 3, 'T', 'A', 'G', 4, 'T', 'A', 'G', 5, 9}, 5);
    const DecodeOctets file = WriteCapture(connection.frames);
    {
        const DecodeFramer::Registration registered([] { return std::make_unique<ShortFramer>(); });
        const PduCollector found = DecodePdusOf(file);
        NS_TEST_EXPECT_MSG_EQ(found.counts.at("tagged"), 3, "three PDUs");
        NS_TEST_EXPECT_MSG_EQ(found.payload, 3 + 0 + 1, "what is behind the heads");
    }
    const PduCollector alone = DecodePdusOf(file);
    NS_TEST_EXPECT_MSG_EQ(alone.counts.size(), 0, "who knows of no such framing finds nothing");
    NS_TEST_EXPECT_MSG_EQ((alone.text.find("tagged") == std::string::npos), true, alone.text);
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
        const PduCollector found = DecodePdusOf(WriteCapture(connection.frames));
        NS_TEST_EXPECT_MSG_EQ(found.counts.at("h2c_data"), 4, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.payload, 1 + 4000 + 20 + 1300, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.digests.at(DecodeCrc::GOOD), 4, segment << " octets");
        NS_TEST_EXPECT_MSG_EQ(found.errors.size(), 0, segment << " octets");
    }

    DecodeOctets damaged = stream;
    damaged[128 + 24 + 4] ^= 1; // the one octet of data
    DecodeTestConnection bad;
    bad.Send(0, damaged);
    const PduCollector worse = DecodePdusOf(WriteCapture(bad.frames));
    NS_TEST_ASSERT_MSG_EQ(worse.errors.size(), 1, "damage");
    NS_TEST_EXPECT_MSG_EQ(worse.errors[0], "a digest is bad", "damage");
    NS_TEST_EXPECT_MSG_EQ(worse.counts.at("h2c_data"), 4, "the others are as they were");

    DecodeTestConnection wrong;
    wrong.Send(0, hello);
    wrong.Send(0, DecodeOctets(300, 0xFF));
    wrong.Send(0, MakeNvmePdu(6, 24, 100));
    wrong.Send(0, DecodeOctets(hello.begin(), hello.begin() + 20));
    wrong.Close(0);
    const PduCollector again = DecodePdusOf(WriteCapture(wrong.frames));
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
    const PduCollector less = DecodePdusOf(WriteCapture(frames));
    NS_TEST_EXPECT_MSG_EQ(less.counts.at("h2c_data"), 4, "its head says where it ends");
    NS_TEST_EXPECT_MSG_EQ(less.digests.at(DecodeCrc::UNKNOWN), 1, "but not whether it is good");
    NS_TEST_EXPECT_MSG_EQ(less.errors.size(), 0, "nothing is malformed");
}
