/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/crypto-cipher.h"
#include "ns3/tls-packet.h"
#include "ns3/tls-protection.h"
#include "ns3/tls-record-sizer.h"

#include <algorithm>
#include <numeric>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsRecord, "tls-record");

using TlsRecordOctets = std::vector<uint8_t>;
using TlsDirection = TlsProtection::Direction;

/// @return the modes that this build has
std::vector<TlsMode>
GetTlsModes()
{
    return HasRealTls() ? std::vector<TlsMode>{TlsMode::MODELLED, TlsMode::REAL}
                        : std::vector<TlsMode>{TlsMode::MODELLED};
}

/// Both ends of a direction.
struct TlsProtectionPair
{
    /// @param suite cipher suite @param mode real or modelled
    TlsProtectionPair(const TlsCipherSuite& suite, TlsMode mode)
        : send(suite, mode, TlsDirection::ENCRYPT, TlsSecret(suite.hashSize, 7)),
          receive(suite, mode, TlsDirection::DECRYPT, TlsSecret(suite.hashSize, 7))
    {
    }

    TlsProtection send;    //!< makes records
    TlsProtection receive; //!< opens them
};

/// @param size octets @return a packet of different ones
Ptr<Packet>
MakeTlsContent(uint32_t size)
{
    TlsRecordOctets octets(size);
    std::iota(octets.begin(), octets.end(), uint8_t{1});
    return MakeTlsPacket(octets);
}

/// @param sizer of a connection @param count records @param now time in ns @return their sizes
std::vector<uint32_t>
DrawRecordSizes(TlsRecordSizer& sizer, uint32_t count, int64_t now = 0)
{
    std::vector<uint32_t> sizes;
    for (uint32_t i = 0; i < count; i++)
    {
        sizes.push_back(sizer.Next(1 << 30, now));
    }
    return sizes;
}

} // namespace

/// @brief Sizes, by hand: 5 octets of head, content, a type, padding, 16 of tag.
IWARP_TEST(tlsRecord, "sizes and octets of records")
{
    for (const auto& suite : GetTlsCipherSuites())
    {
        for (const TlsMode mode : GetTlsModes())
        {
            TlsProtectionPair pair(suite, mode);
            for (const auto& [size, padding] :
                 {std::pair{0U, 0U}, {1, 0}, {100, 11}, {16384, 0}, {16000, 384}, {0, 16384}})
            {
                const auto content = MakeTlsContent(size);
                const auto record =
                    pair.send.Seal(TlsContentType::APPLICATION_DATA, content, padding);
                NS_TEST_ASSERT_MSG_EQ(record->GetSize(), size + padding + 22, suite.name);
                IWARP_COVERS("TLS-5.2-04 TLS-5.2-07 TLS-5.4-01");
                const auto octets = CopyTlsOctets(record);
                NS_TEST_ASSERT_MSG_EQ(+octets[0], 23, "opaque_type");
                IWARP_COVERS("TLS-5.2-01");
                NS_TEST_ASSERT_MSG_EQ(octets[1] * 256 + octets[2], 0x0303, "version");
                IWARP_COVERS("TLS-5.2-02");
                NS_TEST_ASSERT_MSG_EQ(octets[3] * 256U + octets[4], size + padding + 17, "length");
                const auto opened = pair.receive.Open(record);
                NS_TEST_ASSERT_MSG_EQ((opened.alert == TlsAlert::NONE), true, suite.name);
                NS_TEST_EXPECT_MSG_EQ(opened.padding, padding, suite.name);
                const bool same = CopyTlsOctets(opened.content) == CopyTlsOctets(content);
                NS_TEST_EXPECT_MSG_EQ(same, true, suite.name);
                IWARP_COVERS("TLS-5.4-05");
            }
        }
    }
}

/// @brief What is damaged, comes twice or in another order cannot be opened.
IWARP_TEST(tlsRecord, "what cannot be opened")
{
    for (const TlsMode mode : GetTlsModes())
    {
        const TlsCipherSuite& suite = GetTlsCipherSuites()[0];
        const auto attempt = [&](auto change) {
            TlsProtectionPair pair(suite, mode);
            auto octets =
                CopyTlsOctets(pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(64)));
            change(octets);
            return pair.receive.Open(MakeTlsPacket(octets)).alert;
        };
        NS_TEST_EXPECT_MSG_EQ((attempt([](auto&) {}) == TlsAlert::NONE), true, "as it is");
        for (const std::size_t at : {1, 4, 5, 30, 68, 69, 85})
        {
            const auto alert = attempt([at](auto& octets) { octets[at] ^= 4; });
            NS_TEST_EXPECT_MSG_EQ((alert == TlsAlert::BAD_RECORD_MAC), true, "octet " << at);
            IWARP_COVERS("TLS-5.2-06");
        }
        const auto less = attempt([](auto& octets) { octets.resize(5 + 15); });
        NS_TEST_EXPECT_MSG_EQ((less == TlsAlert::BAD_RECORD_MAC), true, "less than a tag");
        const auto more = attempt([](auto& octets) { octets.resize(5 + 16384 + 257); });
        NS_TEST_EXPECT_MSG_EQ((more == TlsAlert::RECORD_OVERFLOW), true, "more than 2^14 + 256");
        IWARP_COVERS("TLS-5.2-03");
        TlsProtectionPair pair(suite, mode);
        const auto first = pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(10));
        const auto second = pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(10));
        const auto alert = pair.receive.Open(second).alert;
        NS_TEST_EXPECT_MSG_EQ((alert == TlsAlert::BAD_RECORD_MAC), true, "the second one first");
        IWARP_COVERS("TLS-5.3-02");
        TlsProtectionPair again(suite, mode);
        again.receive.Open(first);
        const auto twice = again.receive.Open(first).alert;
        NS_TEST_EXPECT_MSG_EQ((twice == TlsAlert::BAD_RECORD_MAC), true, "the first one twice");
        TlsProtectionPair none(suite, mode);
        const auto zeros =
            none.receive.Open(none.send.Seal(TlsContentType::INVALID, Create<Packet>(), 100));
        NS_TEST_EXPECT_MSG_EQ((zeros.alert == TlsAlert::UNEXPECTED_MESSAGE), true, "only zeros");
        IWARP_COVERS("TLS-5.4-06");
    }
}

/// @brief A record within 2^14 + 256 octets, whose content, type and padding are more than
/// 2^14 + 1: it is right in all else (RFC 8446 section 5.4).
IWARP_TEST(tlsRecord, "an inner record that is too long")
{
    if (!HasRealTls())
    {
        return;
    }
    const TlsCipherSuite& suite = GetTlsCipherSuites()[0];
    const auto keys = TlsTrafficKeys::Derive(suite, TlsMode::REAL, TlsSecret(suite.hashSize, 7));
    const auto cipher =
        CryptoCipher::Create(suite.cipher, keys.key.data(), CryptoCipher::Direction::ENCRYPT);
    for (const uint32_t size : {16385, 16386})
    {
        const uint32_t length = size + 16;
        TlsRecordOctets record(5 + length, 1);
        const TlsRecordOctets head{23, 3, 3, uint8_t(length >> 8), uint8_t(length)};
        std::copy(head.begin(), head.end(), record.begin());
        record[5 + size - 1] = 23; // type
        CryptoText text;
        text.iv = keys.iv.data(); // sequence number 0
        text.associated = record.data();
        text.associatedSize = 5;
        text.octets = record.data() + 5;
        text.size = size;
        text.tag = record.data() + 5 + size;
        text.tagSize = 16;
        cipher->Process(text);
        const auto alert =
            TlsProtectionPair(suite, TlsMode::REAL).receive.Open(MakeTlsPacket(record)).alert;
        const auto wanted = size == 16385 ? TlsAlert::NONE : TlsAlert::RECORD_OVERFLOW;
        NS_TEST_EXPECT_MSG_EQ((alert == wanted), true, size);
    }
    IWARP_COVERS("TLS-5.4-07");
}

/// @brief Keys of another generation; sequence numbers begin anew.
IWARP_TEST(tlsRecord, "key updates")
{
    for (const TlsMode mode : GetTlsModes())
    {
        TlsProtectionPair pair(GetTlsCipherSuites()[1], mode);
        pair.receive.Open(pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(5)));
        const TlsSecret before = pair.send.GetSecret();
        pair.send.Update();
        NS_TEST_EXPECT_MSG_EQ(pair.send.GetSequence(), 0, "anew");
        IWARP_COVERS("TLS-5.3-02");
        NS_TEST_EXPECT_MSG_EQ((pair.send.GetSecret() != before), true, "another secret");
        pair.receive.Update();
        const auto opened =
            pair.receive.Open(pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(5)));
        NS_TEST_EXPECT_MSG_EQ((opened.alert == TlsAlert::NONE), true, "both ends");
    }
}

/// @brief Octets stay clear in modelled mode, and what TCP cuts and joins can be opened.
IWARP_TEST(tlsRecord, "modelled records")
{
    TlsProtectionPair pair(GetTlsCipherSuites()[0], TlsMode::MODELLED);
    const auto record = pair.send.Seal(TlsContentType::APPLICATION_DATA, Create<Packet>(16384));
    const auto joined = Create<Packet>();
    for (uint32_t at = 0; at < record->GetSize(); at += 1448)
    {
        const uint32_t size = std::min(1448U, record->GetSize() - at);
        joined->AddAtEnd(record->CreateFragment(at, size));
    }
    const auto opened = pair.receive.Open(joined);
    NS_TEST_EXPECT_MSG_EQ((opened.alert == TlsAlert::NONE), true, "of virtual octets");
    NS_TEST_EXPECT_MSG_EQ(opened.content->GetSize(), 16384, "content");
    const auto clear = pair.send.Seal(TlsContentType::APPLICATION_DATA, MakeTlsContent(100));
    const auto octets = CopyTlsOctets(clear);
    NS_TEST_EXPECT_MSG_EQ(+octets[5 + 99], 100, "clear");
}

/// @brief The records of a stream by their heads.
IWARP_TEST(tlsRecord, "framing")
{
    const TlsFraming framing;
    const auto read = [&framing](TlsRecordOctets head) { return framing.ReadHead(head.data()); };
    const RecordHead data = read({23, 3, 3, 0x40, 0x11});
    NS_TEST_EXPECT_MSG_EQ(data.size, 5 + 16401, "a full record");
    NS_TEST_EXPECT_MSG_EQ(data.payload, 16384, "of content");
    NS_TEST_EXPECT_MSG_EQ(data.payloadOffset, 5, "behind its head");
    NS_TEST_EXPECT_MSG_EQ(read({22, 3, 1, 0, 100}).size, 105, "a hello, of another version");
    NS_TEST_EXPECT_MSG_EQ(read({22, 3, 2, 0, 100}).size, 105, "any version");
    IWARP_COVERS("TLS-5.1-09");
    const auto likely = [&framing](TlsRecordOctets head) { return framing.IsLikely(head.data()); };
    NS_TEST_EXPECT_MSG_EQ(likely({22, 3, 1, 0, 100}), true, "a hello");
    NS_TEST_EXPECT_MSG_EQ(likely({23, 3, 3, 0x40, 0x11}), true, "data");
    NS_TEST_EXPECT_MSG_EQ(likely({23, 3, 2, 0x40, 0x11}), false, "content that looks alike");
    NS_TEST_EXPECT_MSG_EQ(likely({24, 3, 3, 0, 1}), false, "types");
    NS_TEST_EXPECT_MSG_EQ(read({22, 3, 3, 0, 100}).payload, 0, "is no payload");
    NS_TEST_EXPECT_MSG_EQ(read({23, 3, 3, 0x41, 0x01}).size, 0, "more than 2^14 + 256");
    NS_TEST_EXPECT_MSG_EQ(read({22, 3, 3, 0x40, 0x01}).size, 0, "more than 2^14 in clear");
    NS_TEST_EXPECT_MSG_EQ(read({24, 3, 3, 0, 1}).size + read({19, 3, 3, 0, 1}).size, 0, "types");
}

/// @brief OpenSSL's choice: as much as fits.
IWARP_TEST(tlsRecord, "records of one size")
{
    TlsRecordSizer sizer({});
    NS_TEST_EXPECT_MSG_EQ(sizer.Next(100000, 0), 16384, "full");
    NS_TEST_EXPECT_MSG_EQ(sizer.Next(100, 0), 100, "what is left");
    IWARP_COVERS("TLS-5.1-01");
    sizer.Limit(1001);
    NS_TEST_EXPECT_MSG_EQ(sizer.Next(100000, 0), 1000, "a limit counts the type");
    IWARP_COVERS("TLS-5.4-08");
}

/// @brief nginx with Cloudflare's patch: 1,369, 4,229 and 16,384 octets, each behind 40 records,
/// and anew behind a second (ssl_dyn_rec_size_lo, _size_hi, _threshold, _timeout).
IWARP_TEST(tlsRecord, "records in steps")
{
    TlsRecordSizer::Settings settings;
    settings.sizing = TlsRecordSizing::STEPS;
    TlsRecordSizer sizer(settings);
    std::vector<uint32_t> steps(41, 1369);
    steps.insert(steps.end(), 40, 4229);
    steps.insert(steps.end(), 5, 16384);
    NS_TEST_EXPECT_MSG_EQ((DrawRecordSizes(sizer, 86) == steps), true, "three sizes");
    NS_TEST_EXPECT_MSG_EQ(DrawRecordSizes(sizer, 1, 1000000000)[0], 16384, "a second later");
    NS_TEST_EXPECT_MSG_EQ(DrawRecordSizes(sizer, 1, 2000000001)[0], 1369, "and a bit");
    // 1,369 octets of content and 61 around them at most are a segment over IPv6 with timestamps
    NS_TEST_EXPECT_MSG_LT_OR_EQ(1369 + TlsProtection::OVERHEAD, 1500 - 40 - 20 - 12, "a segment");
}

/// @brief Go: n times 1,208 octets less head, type and tag, until 1,000 records or 128 KiB.
IWARP_TEST(tlsRecord, "records that grow")
{
    TlsRecordSizer::Settings settings;
    settings.sizing = TlsRecordSizing::GROWTH;
    TlsRecordSizer sizer(settings);
    std::vector<uint32_t> sizes;
    uint64_t wire = 0;
    for (uint32_t n = 1; wire < 131072; n++)
    {
        sizes.push_back(std::min<uint32_t>(1186 * n, 16384));
        wire += sizes.back() + 22;
    }
    sizes.push_back(16384);
    NS_TEST_EXPECT_MSG_EQ((DrawRecordSizes(sizer, sizes.size()) == sizes), true, "sizes");
    TlsRecordSizer slow(settings);
    NS_TEST_EXPECT_MSG_EQ(slow.Next(1, 0), 1, "one octet");
    NS_TEST_EXPECT_MSG_EQ(slow.Next(100000, 0), 2 * 1186, "counts as a record");
    settings.boost = 2000;
    TlsRecordSizer early(settings);
    const std::vector<uint32_t> three{1186, 2 * 1186, 16384};
    NS_TEST_EXPECT_MSG_EQ((DrawRecordSizes(early, 3) == three), true, "octets alone are enough");
    // the first has 1,186 octets, its type and padding up to 1,536, its head and tag
    settings.boost = 1500;
    settings.padding = TlsPadding::BLOCK;
    TlsRecordSizer padded(settings);
    NS_TEST_EXPECT_MSG_EQ(padded.Next(100000, 0), 1186, "a segment");
    NS_TEST_EXPECT_MSG_EQ(padded.Next(100000, 0), padded.GetMost(), "padding is octets, too");
}

/// @brief Padding to blocks, and to the largest size.
IWARP_TEST(tlsRecord, "padding")
{
    TlsRecordSizer::Settings settings;
    settings.padding = TlsPadding::BLOCK;
    settings.block = 512;
    const TlsRecordSizer blocks(settings);
    for (const auto& [content, padding] :
         {std::pair{0U, 511U}, {1, 510}, {511, 0}, {512, 511}, {16383, 0}, {16384, 0}})
    {
        NS_TEST_EXPECT_MSG_EQ(blocks.GetPadding(content), padding, content);
        IWARP_COVERS("TLS-5.4-07");
    }
    settings.padding = TlsPadding::MAXIMUM;
    TlsRecordSizer most(settings);
    NS_TEST_EXPECT_MSG_EQ(most.GetPadding(100), 16384 - 100, "to the largest");
    most.Limit(200);
    NS_TEST_EXPECT_MSG_EQ(most.GetPadding(100), 99, "that the peer takes");
    IWARP_COVERS("TLS-5.4-08");
}
