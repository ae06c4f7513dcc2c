/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tls-data.h"

#include <algorithm>
#include <memory>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsOpenssl, "tls-openssl");

/// What is found in one direction of a capture.
struct TlsFoundSide
{
    std::vector<std::size_t> handshake; //!< octets in the stream of records of the handshake
    std::vector<std::size_t> data;      //!< octets of content of records of application data
    std::vector<std::size_t> padding;   //!< of these
    TlsOctets octets;                   //!< application data
    uint32_t updates{0};                //!< key updates
    uint32_t tickets{0};                //!< NewSessionTickets
    uint32_t closures{0};               //!< close_notify
    uint32_t records{0};                //!< encrypted ones
    bool good{true};                    //!< all could be opened, and made again
};

/// What is needed to follow a direction.
struct TlsFollower
{
    const TlsCipherSuite& suite; //!< of the connection
    TlsSecret handshake;         //!< first secret
    TlsSecret application;       //!< second one
    const TlsRecordSizer& sizer; //!< pads as the sender did
};

/// @param side records @param follower secrets @return what is in them
TlsFoundSide
FollowTls(const TlsCapturedSide& side, const TlsFollower& follower)
{
    using Direction = TlsProtection::Direction;
    TlsFoundSide found;
    std::unique_ptr<TlsProtection> receive;
    std::unique_ptr<TlsProtection> send;
    const auto set = [&](const TlsSecret& secret) {
        receive = std::make_unique<TlsProtection>(follower.suite,
                                                  TlsMode::REAL,
                                                  Direction::DECRYPT,
                                                  secret);
        send = std::make_unique<TlsProtection>(follower.suite,
                                               TlsMode::REAL,
                                               Direction::ENCRYPT,
                                               secret);
    };
    set(follower.handshake);
    bool finished = false;
    for (const TlsOctets& record : side.GetRecords())
    {
        const TlsRecordHead head = TlsRecordHead::Read(record.data());
        if (head.type != TlsContentType::APPLICATION_DATA)
        {
            found.handshake.push_back(record.size());
            continue;
        }
        const auto opened = receive->Open(MakeTlsPacket(record));
        if (opened.alert != TlsAlert::NONE)
        {
            found.good = false;
            return found;
        }
        found.records++;
        const uint32_t padding = follower.sizer.GetPadding(opened.content->GetSize());
        const auto made = send->Seal(opened.type, opened.content, padding);
        found.good = found.good && CopyTlsOctets(made) == record && padding == opened.padding;
        const TlsOctets octets = CopyTlsOctets(opened.content);
        if (opened.type == TlsContentType::APPLICATION_DATA)
        {
            found.data.push_back(octets.size());
            found.padding.push_back(opened.padding);
            found.octets.insert(found.octets.end(), octets.begin(), octets.end());
        }
        else if (opened.type == TlsContentType::ALERT)
        {
            found.closures += octets == TlsOctets{1, 0} ? 1 : 0;
        }
        else if (octets[0] == static_cast<uint8_t>(TlsHandshakeType::KEY_UPDATE))
        {
            found.updates++;
            receive->Update();
            send->Update();
        }
        else if (finished)
        {
            found.tickets++;
        }
        else
        {
            found.handshake.push_back(record.size());
            finished = octets[0] == static_cast<uint8_t>(TlsHandshakeType::FINISHED);
            if (finished)
            {
                set(follower.application);
            }
        }
    }
    return found;
}

/// @param name of a capture @param id of its suite @param settings of records @return what client
/// and server have sent
std::array<TlsFoundSide, 2>
OpenCapture(const std::string& name, uint16_t id, const TlsRecordSizer::Settings& settings = {})
{
    TlsKeyLog log;
    const std::string fault = log.Read(GetTlsFolder() + name + ".keys");
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    const auto sides = ReadTlsCapture(name);
    const TlsOctets hello = sides[0].GetRecords().at(0);
    TlsRandom random;
    std::copy_n(hello.begin() + tls::HEAD + TlsHandshakeMessage::HEAD + 2, 32, random.begin());
    const TlsRecordSizer sizer(settings);
    const TlsCipherSuite& suite = *FindTlsCipherSuite(id);
    const auto follow = [&](unsigned side, const char* first, const char* second) {
        const TlsSecret* handshake = log.Find(first, random);
        const TlsSecret* application = log.Find(second, random);
        NS_ABORT_MSG_UNLESS(handshake && application, "the key log is another's");
        return FollowTls(sides.at(side), {suite, *handshake, *application, sizer});
    };
    return {follow(0, TlsKeyLog::CLIENT_HANDSHAKE, TlsKeyLog::CLIENT_APPLICATION),
            follow(1, TlsKeyLog::SERVER_HANDSHAKE, TlsKeyLog::SERVER_APPLICATION)};
}

/// @param last of a count @param descending from there @return what `seq` writes, cut
TlsOctets
WriteSequenceText(uint32_t last, bool descending, std::size_t size)
{
    std::string text;
    for (uint32_t i = 1; i <= last; i++)
    {
        text += std::to_string(descending ? last + 1 - i : i) + "\n";
    }
    return {text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// @param number of records @param each octets @param last octets of the last one @return sizes
std::vector<std::size_t>
RepeatSize(std::size_t number, std::size_t each, std::size_t last)
{
    std::vector<std::size_t> sizes(number, each);
    sizes.push_back(last);
    return sizes;
}

} // namespace

/// @brief Each record that OpenSSL has sent is opened and made again, whatever the cipher suite.
IWARP_TEST(tlsOpenssl, "captures of OpenSSL, octet for octet")
{
    if (!HasRealTls())
    {
        return;
    }
    TlsRecordSizer::Settings padded;
    padded.padding = TlsPadding::BLOCK;
    padded.block = 512;
    const TlsOctets forth = WriteSequenceText(9000, false, 40000);
    const TlsOctets back = WriteSequenceText(9000, true, 30000);

    struct Row
    {
        const char* name;                  //!< of the capture
        uint16_t suite;                    //!< cipher suite
        TlsRecordSizer::Settings settings; //!< padding
    };

    for (const Row& row : {Row{"aes128", 0x1301, {}},
                           {"aes256-padding", 0x1302, padded},
                           {"chacha-fragments", 0x1303, {}}})
    {
        const auto found = OpenCapture(row.name, row.suite, row.settings);
        NS_TEST_ASSERT_MSG_EQ(found[0].good && found[1].good, true, row.name);
        IWARP_COVERS("TLS-5.2-01 TLS-5.2-02 TLS-5.2-05 TLS-5.3-01 TLS-5.4-01");
        NS_TEST_EXPECT_MSG_EQ((found[0].octets == forth), true, row.name << ": client's");
        NS_TEST_EXPECT_MSG_EQ((found[1].octets == back), true, row.name << ": server's");
        NS_TEST_EXPECT_MSG_EQ(found[1].tickets, 2, row.name);
    }
    const auto cut = OpenCapture("chacha-fragments", 0x1303);
    NS_TEST_EXPECT_MSG_EQ((cut[1].data == RepeatSize(29, 1024, 304)), true, "max_send_frag 1024");
    const auto pad = OpenCapture("aes256-padding", 0x1302, padded);
    const auto most = *std::max_element(pad[0].padding.begin(), pad[0].padding.end());
    NS_TEST_EXPECT_MSG_EQ(most, 511, "8,192 octets and a type are one more than 16 blocks");
}

/// @brief Key updates that OpenSSL has sent, for itself and as asked for.
IWARP_TEST(tlsOpenssl, "key updates of OpenSSL")
{
    if (!HasRealTls())
    {
        return;
    }
    const auto found = OpenCapture("aes128-updates", 0x1301);
    NS_TEST_ASSERT_MSG_EQ(found[0].good && found[1].good, true, "behind them as well");
    IWARP_COVERS("TLS-7.2-01 TLS-4.6.3-01");
    const std::string words = "one\ntwo\nthree\nfour\n";
    NS_TEST_EXPECT_MSG_EQ(std::string(found[0].octets.begin(), found[0].octets.end()), words, "");
    NS_TEST_EXPECT_MSG_EQ(found[0].updates, 3, "K, k and K");
    NS_TEST_EXPECT_MSG_EQ(found[1].updates, 1, "the answer to the first K, before its own words");
}

/// @brief A session resumed: no certificate.
IWARP_TEST(tlsOpenssl, "resumption of OpenSSL")
{
    if (!HasRealTls())
    {
        return;
    }
    const auto found = OpenCapture("aes256-resumed", 0x1302);
    NS_TEST_ASSERT_MSG_EQ(found[0].good && found[1].good, true, "opened");
    NS_TEST_EXPECT_MSG_EQ(found[1].handshake.size(), 4, "hello, CCS, extensions, Finished");
    NS_TEST_EXPECT_MSG_EQ(found[0].closures + found[1].closures, 2, "close_notify of each end");
    NS_TEST_EXPECT_MSG_EQ(std::string(found[0].octets.begin(), found[0].octets.end()), "one\n", "");
}
