/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"
#include "esp-vectors.h"

#include "ns3/esp-algorithm.h"
#include "ns3/esp-codec.h"
#include "ns3/esp-cryptography.h"

#include <algorithm>
#include <string>

using namespace ns3;

/// Ciphers and ICVs against what RFCs print.
IWARP_TEST_SUITE(espVector, "esp-vector");

/// Whole packets: made octet for octet, and opened again.
class EspPublishedPackets : public TestCase
{
  public:
    EspPublishedPackets()
        : TestCase("packets of RFC 3602, RFC 7634 and draft-mcgrew-gcm-test-01")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& vector : ESP_VECTORS)
        {
            const EspTransform* transform = FindEspTransform(vector.transform);
            NS_TEST_ASSERT_MSG_NE(transform, nullptr, vector.transform);
            const EspCodec codec(*transform,
                                 {EspFromHex(vector.key), {}},
                                 EspCodec::Mode::REAL,
                                 vector.extended);
            const EspOctets packet = EspFromHex(vector.packet);
            EspOctets payload = EspFromHex(vector.clear);
            EspFields fields;
            fields.spi =
                static_cast<uint32_t>(std::stoul(std::string(vector.packet, 8), nullptr, 16));
            fields.sequence = vector.sequence;
            fields.nextHeader = payload.back();
            payload.resize(payload.size() - 2 - payload[payload.size() - 2]);
            const EspOctets iv(packet.begin() + 8, packet.begin() + 8 + transform->ivSize);

            NS_TEST_ASSERT_MSG_EQ(EspToHex(SealReal(codec, fields, iv, payload)),
                                  vector.packet,
                                  vector.source);
            EspOctets opened = packet;
            const EspOpened found = codec.Open(vector.sequence, opened.data(), opened.size());
            NS_TEST_ASSERT_MSG_EQ((found.result == EspResult::OK), true, vector.source);
            NS_TEST_ASSERT_MSG_EQ(+found.nextHeader, +fields.nextHeader, vector.source);
            NS_TEST_ASSERT_MSG_EQ(found.payload, payload.size(), vector.source);
            NS_TEST_ASSERT_MSG_EQ(
                (std::equal(payload.begin(), payload.end(), opened.begin() + found.head)),
                true,
                vector.source);
        }
    }
};

/// Ciphers alone. What they work on begins behind the IV; there is no padding.
class EspPublishedCiphers : public TestCase
{
  public:
    EspPublishedCiphers()
        : TestCase("ciphers of RFC 3602 and RFC 3686")
    {
    }

  private:
    /// A text, and what becomes of it.
    struct Row
    {
        const char* source; //!< where it stands
        EspCipher cipher;   //!< which cipher
        const char* key;    //!< and salt
        const char* iv;     //!< in the packet
        const char* clear;  //!< text
        const char* secret; //!< enciphered
    };

    void DoRun() override;
};

void
EspPublishedCiphers::DoRun()
{
    const std::string block = EspToHex(
        EspOctets{'S', 'i', 'n', 'g', 'l', 'e', ' ', 'b', 'l', 'o', 'c', 'k', ' ', 'm', 's', 'g'});
    const std::string counted = EspToHex(CountedOctets(36));
    const std::string two = counted.substr(0, 64);
    const std::string quoted = "This is a 48-byte message (exactly 3 AES blocks)";
    const std::string three = EspToHex(EspOctets(quoted.begin(), quoted.end()));
    const std::string four = EspToHex(CountedOctets(64, 0xA0));
    constexpr auto CBC = EspCipher::AES_CBC;
    constexpr auto CTR = EspCipher::AES_CTR;
    for (const auto& row :
         {Row{"RFC 3602 case 1",
              CBC,
              "06a9214036b8a15b512e03d534120006",
              "3dafba429d9eb430b422da802c9fac41",
              block.c_str(),
              "e353779c1079aeb82708942dbe77181a"},
          Row{"RFC 3602 case 2",
              CBC,
              "c286696d887c9aa0611bbb3e2025a45a",
              "562e17996d093d28ddb3ba695a2e6f58",
              two.c_str(),
              "d296cd94c2cccf8a3a863028b5e1dc0a7586602d253cfff91b8266bea6d61ab1"},
          Row{"RFC 3602 case 3",
              CBC,
              "6c3ea0477630ce21a2ce334aa746c2cd",
              "c782dc4c098c66cbd9cd27d825682c81",
              three.c_str(),
              "d0a02b3836451753d493665d33f0e8862dea54cdb293abc7506939276772f8d5"
              "021c19216bad525c8579695d83ba2684"},
          Row{"RFC 3602 case 4",
              CBC,
              "56e47a38c5598974bc46903dba290349",
              "8ce82eefbea0da3c44699ed7db51b7d9",
              four.c_str(),
              "c30e32ffedc0774e6aff6af0869f71aa0f3af07a9a31a9c684db207eb0ef8e4e"
              "35907aa632c3ffdf868bb7b29d3d46ad83ce9f9a102ee99d49a53e87f4c3da55"},
          Row{"RFC 3686 vector 1",
              CTR,
              "ae6852f8121067cc4bf7a5765577f39e00000030",
              "0000000000000000",
              block.c_str(),
              "e4095d4fb7a7b3792d6175a3261311b8"},
          Row{"RFC 3686 vector 2",
              CTR,
              "7e24067817fae0d743d6ce1f32539163006cb6db",
              "c0543b59da48d90b",
              two.c_str(),
              "5104a106168a72d9790d41ee8edad388eb2e1efc46da57c8fce630df9141be28"},
          Row{"RFC 3686 vector 3",
              CTR,
              "7691be035e5020a8ac6e618529f9a0dc00e0017b",
              "27777f3f4a1786f0",
              counted.c_str(),
              "c1cf48a89f2ffdd9cf4652e9efdb72d74540a42bde6d7836d59a5ceaaef31053"
              "25b2072f"},
          Row{"RFC 3686 vector 4",
              CTR,
              "16af5b145fc9f579c175f93e3bfb0eed863d06ccfdb7851500000048",
              "36733c147d6d93cb",
              block.c_str(),
              "4b55384fe259c9c84e7935a003cbe928"},
          Row{"RFC 3686 vector 5",
              CTR,
              "7c5cb2401b3dc33c19e7340819e0f69c678c3db8e6f6a91a0096b03b",
              "020c6eadc2cb500d",
              two.c_str(),
              "453243fc609b23327edfaafa7131cd9f8490701c5ad4a79cfc1fe0ff42f4fb00"},
          Row{"RFC 3686 vector 6",
              CTR,
              "02bf391ee8ecb159b959617b0965279bf59b60a786d3e0fe0007bdfd",
              "5cbd60278dcc0912",
              counted.c_str(),
              "96893fc55e5c722f540b7dd1ddf7e758d288bc95c69165884536c811662f2188"
              "abee0935"},
          Row{"RFC 3686 vector 7",
              CTR,
              "776beff2851db06f4c8a0542c8696f6c6a81af1eec96b4d37fc1d689e6c1c10400000060",
              "db5672c97aa8f0b2",
              block.c_str(),
              "145ad01dbf824ec7560863dc71e3e0c0"},
          Row{"RFC 3686 vector 8",
              CTR,
              "f6d66d6bd52d59bb0796365879eff886c66dd51a5b6a99744b50590c87a2388400faac24",
              "c1585ef15a43d875",
              two.c_str(),
              "f05e231b3894612c49ee000b804eb2a9b8306b508f839d6a5530831d9344af1c"},
          Row{"RFC 3686 vector 9",
              CTR,
              "ff7a617ce69148e4f1726e2f43581de2aa62d9f805532edff1eed687fb54153d001cc5b7",
              "51a51d70a1c11148",
              counted.c_str(),
              "eb6c52821d0bbbf7ce7594462aca4faab407df866569fd07f48cc0b583d6071f"
              "1ec0e6b8"}})
    {
        const std::size_t salt = row.cipher == CTR ? 4 : 0;
        const std::size_t bits = 8 * (std::string(row.key).size() / 2 - salt);
        const EspTransform* found = FindEspTransform((row.cipher == CTR ? "aes-ctr-" : "aes-cbc-") +
                                                     std::to_string(bits) + "/hmac-sha2-256-128");
        NS_TEST_ASSERT_MSG_NE(found, nullptr, row.source);
        EspTransform transform = *found;
        transform.integrity = EspIntegrity::NONE; // the vectors have none
        const EspCryptography cryptography(transform, {EspFromHex(row.key), {}});
        const EspOctets clear = EspFromHex(row.clear);
        EspSizes sizes;
        sizes.iv = transform.ivSize;
        sizes.payload = static_cast<uint32_t>(clear.size()) - ESP_TRAILER_SIZE;
        const std::string head = "0000000000000000" + std::string(row.iv);
        EspOctets packet = EspFromHex(head + row.clear);
        cryptography.Protect(packet.data(), sizes, nullptr);
        NS_TEST_ASSERT_MSG_EQ(EspToHex(packet), head + row.secret, row.source);
        NS_TEST_ASSERT_MSG_EQ(cryptography.Open(packet.data(), clear.size(), nullptr),
                              true,
                              row.source);
        NS_TEST_ASSERT_MSG_EQ(EspToHex(packet), head + row.clear, row.source);
    }
}

/// HMACs alone: SPI and sequence number are the first octets of the text.
class EspPublishedHmacs : public TestCase
{
  public:
    EspPublishedHmacs()
        : TestCase("HMACs of RFC 2202 and RFC 4868")
    {
    }

  private:
    void DoRun() override
    {
        /// A text, and the ICV that keeps it whole.
        struct Row
        {
            const char* source;
            const char* transform;
            std::string key, text;
            const char* icv;
        };

        const auto jefe = [](std::size_t size) {
            std::string key;
            while (key.size() < size)
            {
                key += "Jefe";
            }
            return key;
        };
        const std::string question = "what do ya want for nothing?";
        const std::string dd(50, '\xdd');
        const std::string cd(50, '\xcd');
        const EspOctets count = CountedOctets(64, 1);
        const std::string counted(count.begin(), count.end());
        const EspOctets more = CountedOctets(16, 0x0A);
        for (const auto& row :
             {Row{"RFC 2202 case 3",
                  "null/hmac-sha1-96",
                  std::string(20, '\xaa'),
                  dd,
                  "125d7342b9ac11cd91a39af4"},
              Row{"RFC 2202 case 5",
                  "null/hmac-sha1-96",
                  std::string(20, '\x0c'),
                  "Test With Truncation",
                  "4c1a03424b55e07fe7f27be1"},
              Row{"RFC 4868 AUTH256-2",
                  "null/hmac-sha2-256-128",
                  jefe(32),
                  question,
                  "167f928588c5cc2eef8e3093caa0e87c"},
              Row{"RFC 4868 AUTH256-3",
                  "null/hmac-sha2-256-128",
                  std::string(32, '\xaa'),
                  dd,
                  "cdcb1220d1ecccea91e53aba3092f962"},
              Row{"RFC 4868 AUTH256-4",
                  "null/hmac-sha2-256-128",
                  counted.substr(0, 32),
                  cd,
                  "372efcf9b40b35c2115b1346903d2ef4"},
              Row{"RFC 4868 AUTH384-2",
                  "null/hmac-sha2-384-192",
                  jefe(48),
                  question,
                  "2c7353974f1842fd66d53c452ca42122b28c0b594cfb184d"},
              Row{"RFC 4868 AUTH384-3",
                  "null/hmac-sha2-384-192",
                  std::string(48, '\xaa'),
                  dd,
                  "809f439be00274321d4a538652164b53554a508184a0c316"},
              Row{"RFC 4868 AUTH384-4",
                  "null/hmac-sha2-384-192",
                  counted.substr(0, 32) + std::string(more.begin(), more.end()),
                  cd,
                  "5b540085c6e6358096532b2493609ed1cb298f774f87bb5c"},
              Row{"RFC 4868 AUTH512-2",
                  "null/hmac-sha2-512-256",
                  jefe(64),
                  question,
                  "cb370917ae8a7ce28cfd1d8f4705d6141c173b2a9362c15df235dfb251b15454"},
              Row{"RFC 4868 AUTH512-3",
                  "null/hmac-sha2-512-256",
                  std::string(64, '\xaa'),
                  dd,
                  "2ee7acd783624ca9398710f3ee05ae41b9f9b0510c87e49e586cc9bf961733d8"},
              Row{"RFC 4868 AUTH512-4",
                  "null/hmac-sha2-512-256",
                  counted,
                  cd,
                  "5e6688e5a3daec826ca32eaea224eff5e700628947470e13ad01302561bab108"}})
        {
            const EspTransform& transform = *FindEspTransform(row.transform);
            const EspCryptography cryptography(transform, {{}, {row.key.begin(), row.key.end()}});
            EspSizes sizes;
            sizes.payload =
                static_cast<uint32_t>(row.text.size()) - ESP_HEADER_SIZE - ESP_TRAILER_SIZE;
            sizes.icv = transform.icvSize;
            EspOctets packet(row.text.begin(), row.text.end());
            packet.resize(sizes.GetTotal());
            cryptography.Protect(packet.data(), sizes, nullptr);
            const EspOctets icv(packet.end() - transform.icvSize, packet.end());
            NS_TEST_ASSERT_MSG_EQ(EspToHex(icv), row.icv, row.source);
            const uint32_t high = 0;
            NS_TEST_ASSERT_MSG_EQ(cryptography.Open(packet.data(), sizes.GetCiphered(), &high),
                                  false,
                                  "extended sequence numbers put four more octets under the ICV");
        }
    }
};

IWARP_TEST_CASES(espVector)
{
    if (EspCodec::HasReal())
    {
        suite.AddTestCase(new EspPublishedPackets);
        suite.AddTestCase(new EspPublishedCiphers);
        suite.AddTestCase(new EspPublishedHmacs);
    }
}
