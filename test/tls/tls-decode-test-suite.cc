/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tls-data.h"

#include "ns3/decode-event.h"
#include "ns3/iwarp-decoder.h"

#include <map>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsDecode, "tls-decode");

/// Counts records.
class TlsRecordCounter : public DecodeListener
{
  public:
    void Found(const DecodeEvent& event) override
    {
        if (event.kind == DecodeEvent::Kind::PDU)
        {
            names[event.pdu->name]++;
            digests[event.pdu->digest]++;
            payload += event.pdu->payload;
        }
        errors += event.kind == DecodeEvent::Kind::ERROR ? 1 : 0;
    }

    std::map<std::string, uint32_t> names; //!< records by name
    std::map<DecodeCrc, uint32_t> digests; //!< records by verdict
    uint64_t payload{0};                   //!< octets
    uint32_t errors{0};                    //!< of any kind
};

/// @param name of a capture @param keys with its key log @param[out] counter counts @return text
std::string
DecodeTlsCapture(const std::string& name, bool keys, TlsRecordCounter& counter)
{
    IwarpDecoder decoder;
    decoder.SetListener(&counter);
    const std::string file = GetTlsFolder() + name;
    NS_ABORT_MSG_IF(keys && !decoder.ReadTlsKeys(file + ".keys"), decoder.GetError());
    NS_ABORT_MSG_UNLESS(decoder.Open(file + ".pcap"), decoder.GetError());
    std::string text;
    for (std::string more = decoder.Read(); !more.empty(); more = decoder.Read())
    {
        text += more;
    }
    return text;
}

} // namespace

/// @brief Records of OpenSSL, closed and opened, as tshark counts them.
IWARP_TEST(tlsDecode, "captures of OpenSSL")
{
    TlsRecordCounter closed;
    DecodeTlsCapture("aes128", false, closed);
    NS_TEST_EXPECT_MSG_EQ(closed.names["handshake"], 2, "hellos");
    NS_TEST_EXPECT_MSG_EQ(closed.names["change_cipher_spec"], 2, "one each");
    NS_TEST_EXPECT_MSG_EQ(closed.digests.count(DecodeCrc::GOOD), 0, "nothing is opened");
    NS_TEST_EXPECT_MSG_EQ(closed.errors, 0, "nothing is wrong");
    if (!HasRealTls())
    {
        return;
    }
    TlsRecordCounter opened;
    const std::string text = DecodeTlsCapture("aes128", true, opened);
    // EncryptedExtensions to Finished, Finished, two tickets
    NS_TEST_EXPECT_MSG_EQ(opened.names["handshake"], 2 + 4 + 1 + 2, "messages");
    NS_TEST_EXPECT_MSG_EQ(opened.payload, 40000 + 30000, "of application data");
    NS_TEST_EXPECT_MSG_EQ(opened.errors, 0, "nothing is wrong");
    NS_TEST_EXPECT_MSG_EQ(opened.digests[DecodeCrc::OFF], 4, "those in clear");
    NS_TEST_EXPECT_MSG_NE(text.find("inner_type=23"), std::string::npos, text.substr(0, 2000));
    TlsRecordCounter updates;
    DecodeTlsCapture("aes128-updates", true, updates);
    NS_TEST_EXPECT_MSG_EQ(updates.errors, 0, "key updates are followed");
    NS_TEST_EXPECT_MSG_EQ(updates.payload, 19 + 10, "words and an answer");
}

/// @brief A key log that is none, and one of other connections.
IWARP_TEST(tlsDecode, "key logs")
{
    IwarpDecoder decoder;
    NS_TEST_EXPECT_MSG_EQ(decoder.ReadTlsKeys(GetTlsFolder() + "none.keys"), false, "no file");
    NS_TEST_EXPECT_MSG_NE(decoder.GetError(), "", "says so");
    TlsKeyLog log;
    NS_TEST_EXPECT_MSG_NE(log.Parse("# comment\nLABEL 12 zz\n"), "", "no number");
    NS_TEST_EXPECT_MSG_EQ(log.GetEntries().size(), 0, "nothing");
    TlsRandom random;
    random.fill(0xab);
    const TlsKeyLog::Entry entry{TlsKeyLog::CLIENT_APPLICATION, random, TlsSecret(32, 0x0f)};
    NS_TEST_EXPECT_MSG_EQ(log.Parse(TlsKeyLog::Write(entry) + "\r\n"), "", "a line of its own");
    const TlsSecret* found = log.Find(TlsKeyLog::CLIENT_APPLICATION, random);
    NS_TEST_ASSERT_MSG_NE(found, nullptr, "found");
    NS_TEST_EXPECT_MSG_EQ((*found == entry.secret), true, "as it was");
    random[0] = 0;
    NS_TEST_EXPECT_MSG_EQ(log.Find(TlsKeyLog::CLIENT_APPLICATION, random), nullptr, "another's");
}
