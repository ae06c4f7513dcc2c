/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/esp-algorithm.h"
#include "ns3/esp-format.h"
#include "ns3/mpa-mulpdu.h"

#include <set>
#include <string>

using namespace ns3;

/// Sizes of ESP packets.
IWARP_TEST_SUITE(espFormat, "esp-format");

/// @param name of a transform that is there @return it
static const EspTransform&
Transform(const std::string& name)
{
    return *FindEspTransform(name);
}

/// The table of algorithms against the RFCs' own figures.
IWARP_TEST(espFormat, "keys, salts, IVs, alignments and ICVs as the RFCs say")
{
    /// A transform, and the sizes that its RFC gives.
    struct Row
    {
        const char* name;
        uint32_t key, salt, integrityKey, iv, alignment, icv;
    };

    for (const auto& row : {Row{"null/hmac-sha1-96", 0, 0, 20, 0, 4, 12},
                            Row{"null/hmac-sha2-256-128", 0, 0, 32, 0, 4, 16},
                            Row{"aes-cbc-128/none", 16, 0, 0, 16, 16, 0},
                            Row{"aes-cbc-128/hmac-sha1-96", 16, 0, 20, 16, 16, 12},
                            Row{"aes-cbc-256/hmac-sha2-256-128", 32, 0, 32, 16, 16, 16},
                            Row{"aes-cbc-128/hmac-sha2-384-192", 16, 0, 48, 16, 16, 24},
                            Row{"aes-cbc-192/hmac-sha2-512-256", 24, 0, 64, 16, 16, 32},
                            Row{"aes-ctr-128/hmac-sha1-96", 16, 4, 20, 8, 4, 12},
                            Row{"aes-ctr-256/hmac-sha2-512-256", 32, 4, 64, 8, 4, 32},
                            Row{"aes-gcm-8-128", 16, 4, 0, 8, 4, 8},
                            Row{"aes-gcm-12-192", 24, 4, 0, 8, 4, 12},
                            Row{"aes-gcm-16-256", 32, 4, 0, 8, 4, 16},
                            Row{"chacha20-poly1305", 32, 4, 0, 8, 4, 16}})
    {
        const EspTransform* found = FindEspTransform(row.name);
        NS_TEST_ASSERT_MSG_NE(found, nullptr, row.name);
        NS_TEST_ASSERT_MSG_EQ(found->name, row.name, "its own name");
        NS_TEST_ASSERT_MSG_EQ(+found->keySize, row.key, row.name);
        NS_TEST_ASSERT_MSG_EQ(+found->saltSize, row.salt, row.name);
        NS_TEST_ASSERT_MSG_EQ(+found->integrityKeySize, row.integrityKey, row.name);
        NS_TEST_ASSERT_MSG_EQ(+found->ivSize, row.iv, row.name);
        NS_TEST_ASSERT_MSG_EQ(+found->alignment, row.alignment, row.name);
        NS_TEST_ASSERT_MSG_EQ(+found->icvSize, row.icv, row.name);
    }
    // RFC 4303 section 3.2.2: not both NULL; RFC 3686 section 3: CTR never without integrity
    for (const char* name : {"null/none",
                             "aes-ctr-128/none",
                             "aes-gcm-16-128/hmac-sha1-96",
                             "aes-gcm-16-128/none",
                             "AES-GCM-16-128",
                             ""})
    {
        NS_TEST_ASSERT_MSG_EQ(FindEspTransform(name), nullptr, name);
    }
    const auto names = GetEspTransformNames();
    // 3 ciphers of AES-CBC with 5, NULL and 3 of AES-CTR with 4, 9 of AES-GCM, one more
    NS_TEST_ASSERT_MSG_EQ(names.size(), 3 * 5 + 4 * 4 + 9 + 1, "transforms");
    NS_TEST_ASSERT_MSG_EQ(std::set<std::string>(names.begin(), names.end()).size(),
                          names.size(),
                          "distinct names");
}

/// Sizes against a table worked out by hand.
IWARP_TEST(espFormat, "pad and total for each kind of cipher")
{
    /// A payload, and what becomes of it.
    struct Row
    {
        const char* name;
        uint32_t payload, tfc, pad, total;
    };

    for (const auto& row : {
             // 8 + 8 IV + payload + pad + 2 + ICV; payload + pad + 2 a multiple of 4
             Row{"aes-gcm-16-128", 0, 0, 2, 36},
             Row{"aes-gcm-16-128", 1, 0, 1, 36},
             Row{"aes-gcm-16-128", 2, 0, 0, 36},
             Row{"aes-gcm-16-128", 3, 0, 3, 40},
             Row{"aes-gcm-16-128", 1446, 0, 0, 1480},
             Row{"aes-gcm-16-128", 1447, 0, 3, 1484},
             Row{"aes-gcm-8-256", 100, 0, 2, 128},
             Row{"aes-gcm-12-128", 100, 0, 2, 132},
             Row{"chacha20-poly1305", 100, 0, 2, 136},
             Row{"aes-ctr-128/hmac-sha1-96", 100, 0, 2, 132},
             Row{"null/hmac-sha1-96", 100, 0, 2, 124},
             Row{"null/hmac-sha2-256-128", 101, 0, 1, 128},
             // 8 + 16 IV + payload + pad + 2 + ICV; a multiple of 16
             Row{"aes-cbc-128/none", 0, 0, 14, 40},
             Row{"aes-cbc-128/none", 14, 0, 0, 40},
             Row{"aes-cbc-128/none", 15, 0, 15, 56},
             Row{"aes-cbc-256/hmac-sha2-256-128", 100, 0, 10, 152},
             Row{"aes-cbc-128/hmac-sha1-96", 1438, 0, 0, 1476},
             Row{"aes-cbc-128/hmac-sha2-512-256", 100, 0, 10, 168},
             // padding that hides the length comes before padding that aligns
             Row{"aes-gcm-16-128", 40, 1000, 2, 1076},
             Row{"aes-cbc-128/none", 14, 1, 15, 56},
         })
    {
        const EspSizes sizes = GetEspSizes(Transform(row.name), row.payload, row.tfc);
        NS_TEST_ASSERT_MSG_EQ(sizes.pad, row.pad, row.name << " " << row.payload);
        NS_TEST_ASSERT_MSG_EQ(sizes.GetTotal(), row.total, row.name << " " << row.payload);
        NS_TEST_ASSERT_MSG_EQ(sizes.GetOverhead(),
                              row.total - row.payload,
                              row.name << " " << row.payload);
    }
    // RFC 4303 and RFC 4106: AES-GCM-16 adds 34 to 37 octets
    uint32_t least = 100;
    uint32_t most = 0;
    for (uint32_t payload = 1; payload < 1500; ++payload)
    {
        const auto added = GetEspSizes(Transform("aes-gcm-16-128"), payload).GetOverhead();
        least = std::min(least, added);
        most = std::max(most, added);
    }
    NS_TEST_ASSERT_MSG_EQ(least, 34, "least that AES-GCM-16 adds");
    NS_TEST_ASSERT_MSG_EQ(most, 37, "most that AES-GCM-16 adds");
}

/// The inverse against a search.
struct EspMaxPayload : TestCase
{
    using TestCase::TestCase;

    /// @param name of the transform @param around datagrams of 1500 octets
    void Around(const std::string& name, const EspEncapsulation& around)
    {
        const uint32_t inner = around.GetInnerMtu(1500, 20);
        NS_TEST_ASSERT_MSG_EQ((around.GetProtected(inner, 20) <= 1500), true, name);
        NS_TEST_ASSERT_MSG_EQ((around.GetProtected(inner + 1, 20) > 1500), true, name);
        NS_TEST_ASSERT_MSG_EQ(around.GetInnerMtu(40, 20), 0, name << ": nothing fits");
    }
};

IWARP_TEST(espFormat,
           "the largest payload that fits, for every room and every transform",
           EspMaxPayload)
{
    for (const auto& name : GetEspTransformNames())
    {
        const EspTransform& transform = Transform(name);
        uint32_t fits = 0;
        for (uint32_t room = 0; room < 400; ++room)
        {
            while (GetEspSizes(transform, fits + 1).GetTotal() <= room)
            {
                ++fits;
            }
            NS_TEST_ASSERT_MSG_EQ(GetEspMaxPayload(transform, room), fits, name << " " << room);
        }
        for (bool udp : {false, true})
        {
            for (auto mode : {IpsecMode::TRANSPORT, IpsecMode::TUNNEL})
            {
                Around(name, {&transform, mode, udp, 40});
            }
        }
    }
}

/// What ESP does to EMSS and MULPDU, and to the share of a link.
IWARP_TEST(espFormat, "ESP in EMSS, MULPDU and the share of the link")
{
    /// A path, and what RDMA Writes get of it; the share in hundredths of a per cent.
    struct Row
    {
        uint32_t mtu, tcpHeader;
        bool esp, markers;
        uint32_t mulpdu, payload, share;
    };

    const EspTransform& gcm = Transform("aes-gcm-16-128");
    const EspEncapsulation transport{&gcm};
    for (const auto& row : {Row{1500, 20, false, false, 1454, 1440, 9363},
                            Row{1500, 20, true, false, 1418, 1404, 9129},
                            Row{1500, 20, true, true, 1406, 1392, 9051},
                            Row{9000, 32, true, false, 8906, 8892, 9838},
                            Row{9000, 32, true, true, 8834, 8820, 9759}})
    {
        const uint32_t inner = row.esp ? transport.GetInnerMtu(row.mtu, 20) : row.mtu;
        const uint32_t emss = inner - 20 - row.tcpHeader;
        const uint32_t mulpdu = mpa::Mulpdu(emss, row.markers);
        NS_TEST_ASSERT_MSG_EQ(mulpdu, row.mulpdu, "MTU " << row.mtu);
        IWARP_COVERS("MPA-9.2-02");
        const uint32_t payload = mulpdu - 14; // the header of a tagged segment
        NS_TEST_ASSERT_MSG_EQ(payload, row.payload, "MTU " << row.mtu);
        NS_TEST_ASSERT_MSG_EQ((payload * 20000 / (row.mtu + 38) + 1) / 2,
                              row.share,
                              "share at MTU " << row.mtu);
    }
    // tunnel mode: 20 or 40 more in front; and 8 for UDP. 1500 - 20 - 8 - 8 - 16 = 1448 less 2
    NS_TEST_ASSERT_MSG_EQ((EspEncapsulation{&gcm, IpsecMode::TUNNEL}.GetInnerMtu(1500, 20)),
                          1446,
                          "IPv4 in IPv4");
    NS_TEST_ASSERT_MSG_EQ(
        (EspEncapsulation{&gcm, IpsecMode::TUNNEL, false, 40}.GetInnerMtu(1500, 20)),
        1426,
        "IPv4 in IPv6");
    NS_TEST_ASSERT_MSG_EQ((EspEncapsulation{&gcm, IpsecMode::TUNNEL, true}.GetInnerMtu(1500, 20)),
                          1438,
                          "IPv4 in UDP");
    // 40 octets, padded to 1000, and 2 for alignment: 20 + 8 + 8 + 1004 + 16
    NS_TEST_ASSERT_MSG_EQ(
        (EspEncapsulation{&gcm, IpsecMode::TUNNEL, false, 20, 1000}.GetProtected(40, 20)),
        1056,
        "a padded flow");
}
