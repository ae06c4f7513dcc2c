/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"

#include "ns3/esp-algorithm.h"
#include "ns3/esp-codec.h"
#include "ns3/esp-cryptography.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

using namespace ns3;

/// The codec of ESP.
IWARP_TEST_SUITE(espCodec, "esp-codec");

/// Sequence number of the packets below, more than 32 bits.
static constexpr uint64_t SEQUENCE = 0x0000000712345678;
/// What they say.
static const EspFields FIELDS{0xCAFE0001, SEQUENCE, 6};

/// A packet of modelled mode: what is around its payload.
struct ModelledPacket
{
    std::array<uint8_t, EspCodec::MAX_HEAD> head{}; //!< SPI to IV
    EspOctets tail;                                 //!< padding to ICV
    std::size_t size{0};                            //!< octets from SPI to ICV
    uint32_t digest{0};                             //!< of the payload
};

/// \param codec what makes it \param payload octets \param tfc octets \return the packet
static ModelledPacket
SealModelled(const EspCodec& codec, uint32_t payload, uint32_t tfc = 0)
{
    const EspSizes sizes = GetEspSizes(codec.GetTransform(), payload, tfc);
    ModelledPacket packet;
    packet.tail.resize(sizes.GetTail());
    packet.size = sizes.GetTotal();
    packet.digest = payload * 31 + tfc;
    codec.SealModelled(FIELDS, sizes, packet.digest, packet.head.data(), packet.tail.data());
    return packet;
}

/// \param codec what opens it \param packet a packet \param sequence of it \return what it is
static EspOpened
OpenModelled(const EspCodec& codec, const ModelledPacket& packet, uint64_t sequence = SEQUENCE)
{
    // the octets that a packet of ns-3 would show: MAX_TAIL of them, payload in front of the tail
    EspOctets shown(std::min<std::size_t>(packet.size, EspCodec::MAX_TAIL), 0x55);
    const std::size_t tail = std::min(packet.tail.size(), shown.size());
    std::copy(packet.tail.end() - tail, packet.tail.end(), shown.end() - tail);
    return codec.OpenModelled(sequence,
                              packet.head.data(),
                              shown.data(),
                              packet.size,
                              [&packet](uint32_t) { return packet.digest; });
}

/// Both modes have one layout.
struct EspTwoModes : TestCase
{
    using TestCase::TestCase;

    /// \param opened what was found \param payload octets expected \param transform of the packet
    void Validate(const EspOpened& opened, uint32_t payload, const EspTransform& transform)
    {
        NS_TEST_ASSERT_MSG_EQ((opened.result == EspResult::OK), true, transform.name);
        NS_TEST_ASSERT_MSG_EQ(opened.payload, payload, transform.name);
        NS_TEST_ASSERT_MSG_EQ(+opened.nextHeader, 6, transform.name);
    }

    /// \param transform cipher and integrity \param keys of both \param payload octets
    /// \param tfc octets \param packet modelled \param opened what it is
    void Real(const EspTransform& transform,
              const EspKeys& keys,
              uint32_t payload,
              uint32_t tfc,
              const ModelledPacket& packet,
              const EspOpened& opened)
    {
        const EspCodec real(transform, keys, EspCodec::Mode::REAL, true);
        const EspOctets clear = CountedOctets(payload, 7);
        EspOctets octets = SealReal(real, FIELDS, {}, clear, tfc);
        NS_TEST_ASSERT_MSG_EQ(octets.size(), packet.size, transform.name);
        NS_TEST_ASSERT_MSG_EQ(EspToHex({octets.begin(), octets.begin() + 8}),
                              "cafe000112345678",
                              "SPI and lower half of the sequence number");
        NS_TEST_ASSERT_MSG_EQ((std::equal(octets.begin(), octets.begin() + 8, packet.head.begin())),
                              true,
                              transform.name);
        const EspOpened found = real.Open(SEQUENCE, octets.data(), octets.size());
        Validate(found, payload + tfc, transform);
        NS_TEST_ASSERT_MSG_EQ(found.head, opened.head, transform.name);
        EspOctets padded = clear;
        padded.resize(payload + tfc); // zeros hide the length
        NS_TEST_ASSERT_MSG_EQ((std::equal(padded.begin(), padded.end(), &octets[found.head])),
                              true,
                              transform.name);
    }
};

IWARP_TEST(espCodec, "modelled and real packets are equal in every size", EspTwoModes)
{
    for (const auto& name : GetEspTransformNames())
    {
        const EspTransform& transform = *FindEspTransform(name);
        const EspKeys keys = TestKeys(transform);
        const EspCodec modelled(transform, keys, EspCodec::Mode::MODELLED, true);
        for (uint32_t payload : {0U, 1U, 2U, 13U, 14U, 15U, 100U, 255U, 1446U})
        {
            for (uint32_t tfc : {0U, 1U, 300U})
            {
                const ModelledPacket packet = SealModelled(modelled, payload, tfc);
                const EspOpened opened = OpenModelled(modelled, packet);
                Validate(opened, payload + tfc, transform);
                if (EspCodec::HasReal())
                {
                    Real(transform, keys, payload, tfc, packet, opened);
                }
            }
        }
    }
}

/// What was changed on the way is noticed, in both modes.
struct EspForgery : TestCase
{
    using TestCase::TestCase;

    /// \param opened what was found \param what was done \param transform cipher and integrity
    void Refused(const EspOpened& opened, const char* what, const EspTransform& transform)
    {
        if (opened.result != EspResult::BAD_ICV)
        {
            NS_TEST_ASSERT_MSG_EQ(what, transform.name, "is not refused");
        }
    }

    /// \param transform cipher and integrity \return keys of which one bit is another
    EspKeys OtherKeys(const EspTransform& transform)
    {
        EspKeys keys = TestKeys(transform);
        (keys.integrity.empty() ? keys.cipher : keys.integrity).front() ^= 1;
        return keys;
    }

    /// \param transform cipher and integrity
    void Real(const EspTransform& transform)
    {
        const EspCodec codec(transform, TestKeys(transform), EspCodec::Mode::REAL, true);
        const EspOctets good = SealReal(codec, FIELDS, {}, CountedOctets(21));
        for (std::size_t bit = 0; bit < good.size() * 8; ++bit)
        {
            EspOctets bad = good;
            bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            Refused(codec.Open(SEQUENCE, bad.data(), bad.size()), "a bit", transform);
        }
        EspOctets same = good;
        Refused(codec.Open(SEQUENCE + (1ULL << 32), same.data(), same.size()), "half", transform);
        const EspCodec other(transform, OtherKeys(transform), EspCodec::Mode::REAL, true);
        same = good;
        Refused(other.Open(SEQUENCE, same.data(), same.size()), "key", transform);
        const EspCodec short32(transform, TestKeys(transform), EspCodec::Mode::REAL, false);
        same = good;
        Refused(short32.Open(SEQUENCE, same.data(), same.size()), "no upper half", transform);
    }

    /// \param transform cipher and integrity
    void Modelled(const EspTransform& transform)
    {
        const EspCodec codec(transform, TestKeys(transform), EspCodec::Mode::MODELLED, true);
        const ModelledPacket good = SealModelled(codec, 21);
        for (std::size_t bit = 0; bit < codec.GetHeadSize() * 8; ++bit)
        {
            ModelledPacket bad = good;
            bad.head[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            Refused(OpenModelled(codec, bad), "a bit of the head", transform);
        }
        for (std::size_t bit = 0; bit < good.tail.size() * 8; ++bit)
        {
            ModelledPacket bad = good;
            bad.tail[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            Refused(OpenModelled(codec, bad), "a bit of the tail", transform);
        }
        ModelledPacket bad = good;
        bad.digest ^= 1;
        Refused(OpenModelled(codec, bad), "payload", transform);
        bad = good;
        bad.size += transform.alignment;
        Refused(OpenModelled(codec, bad), "length", transform);
        Refused(OpenModelled(codec, good, SEQUENCE + (1ULL << 32)), "half", transform);
        const EspCodec other(transform, OtherKeys(transform), EspCodec::Mode::MODELLED, true);
        Refused(OpenModelled(other, good), "key", transform);
    }
};

IWARP_TEST(espCodec,
           "a changed bit, another key, another upper half of the sequence number",
           EspForgery)
{
    for (const auto& name : GetEspTransformNames())
    {
        const EspTransform& transform = *FindEspTransform(name);
        if (transform.IsAuthenticated())
        {
            Modelled(transform);
            if (EspCodec::HasReal())
            {
                Real(transform);
            }
        }
    }
}

/// Packets that are too short, of every size.
struct EspTruncation : TestCase
{
    using TestCase::TestCase;

    /// \param result found \param truncated it has no room for its fields, or is not aligned
    /// \param transform cipher and integrity
    void Validate(EspResult result, bool truncated, const EspTransform& transform)
    {
        if (truncated)
        {
            NS_TEST_ASSERT_MSG_EQ((result == EspResult::TRUNCATED), true, transform.name);
        }
        else if (transform.IsAuthenticated()) // otherwise what is left may pass for a packet
        {
            NS_TEST_ASSERT_MSG_EQ((result == EspResult::BAD_ICV), true, transform.name);
        }
    }
};

IWARP_TEST(espCodec, "packets cut at every octet", EspTruncation)
{
    for (const auto& name : GetEspTransformNames())
    {
        const EspTransform& transform = *FindEspTransform(name);
        const uint32_t around = 8U + transform.ivSize + transform.icvSize;
        const EspCodec modelled(transform, TestKeys(transform), EspCodec::Mode::MODELLED);
        const ModelledPacket whole = SealModelled(modelled, 50);
        std::optional<EspCodec> real;
        if (EspCodec::HasReal())
        {
            real.emplace(transform, TestKeys(transform), EspCodec::Mode::REAL);
        }
        const EspOctets sealed =
            real ? SealReal(*real, FIELDS, {}, CountedOctets(50)) : EspOctets();
        for (std::size_t size = 0; size < whole.size; ++size)
        {
            const bool truncated = size < around + 2 || (size - around) % transform.alignment != 0;
            ModelledPacket cut = whole;
            cut.size = size;
            Validate(OpenModelled(modelled, cut).result, truncated, transform);
            if (real)
            {
                EspOctets octets(sealed.begin(), sealed.begin() + size);
                Validate(real->Open(SEQUENCE, octets.data(), size).result, truncated, transform);
            }
        }
    }
}

/// Padding that a peer with the key got wrong.
struct EspPadding : TestCase
{
    using TestCase::TestCase;

    /// \param transform without integrity \param end octets \param result expected
    /// \param payload octets expected
    void Modelled(const EspTransform& transform,
                  const std::string& end,
                  EspResult result,
                  uint32_t payload)
    {
        const EspCodec codec(transform, TestKeys(transform), EspCodec::Mode::MODELLED);
        ModelledPacket packet;
        packet.tail = EspFromHex(end);
        packet.size = codec.GetHeadSize() + packet.tail.size();
        Validate(OpenModelled(codec, packet), "modelled " + end, result, payload);
    }

    /// \param transform any \param end octets \param result expected \param payload octets expected
    void Real(const EspTransform& transform,
              const std::string& end,
              EspResult result,
              uint32_t payload)
    {
        const EspKeys keys = TestKeys(transform);
        EspSizes sizes;
        sizes.iv = transform.ivSize;
        sizes.icv = transform.icvSize;
        sizes.payload = 14;
        EspOctets packet(sizes.GetTotal());
        const EspOctets clear = EspFromHex(end);
        std::copy(clear.begin(), clear.end(), packet.begin() + sizes.GetHead());
        EspCryptography(transform, keys).Protect(packet.data(), sizes, nullptr);
        const EspCodec codec(transform, keys, EspCodec::Mode::REAL);
        Validate(codec.Open(0, packet.data(), packet.size()), "real " + end, result, payload);
    }

    /// \param opened what was found \param what the packet \param result expected
    /// \param payload octets expected
    void Validate(const EspOpened& opened,
                  const std::string& what,
                  EspResult result,
                  uint32_t payload)
    {
        NS_TEST_ASSERT_MSG_EQ((opened.result == result), true, what);
        NS_TEST_ASSERT_MSG_EQ(opened.payload, payload, what);
    }
};

IWARP_TEST(espCodec, "padding has to be 1, 2, 3, ... and to fit (RFC 4303 section 2.4)", EspPadding)
{
    /// The last octets of a payload of 16, and what they are.
    struct Row
    {
        const char* end;
        EspResult result;
        uint32_t payload;
    };

    const EspTransform& cbc = *FindEspTransform("aes-cbc-128/none");
    for (const auto& row : {Row{"01020304050607080931020304050603", EspResult::BAD_PADDING, 0},
                            Row{"00000000000000000000000000000006", EspResult::OK, 14},
                            Row{"000000000000000000010203040a0506", EspResult::BAD_PADDING, 0},
                            Row{"00000000000000000001020304050506", EspResult::OK, 9},
                            Row{"0102030405060708090a0b0c0d0e0e06", EspResult::OK, 0},
                            Row{"0102030405060708090a0b0c0d0e0f06", EspResult::BAD_PADDING, 0},
                            Row{"02030405060708090a0b0c0d0e0f0f06", EspResult::BAD_PADDING, 0},
                            Row{"0102030405060708090a0b0c0d0eff06", EspResult::BAD_PADDING, 0}})
    {
        Modelled(cbc, row.end, row.result, row.payload);
        if (EspCodec::HasReal())
        {
            Real(*FindEspTransform("aes-gcm-16-128"), row.end, row.result, row.payload);
            Real(cbc, row.end, row.result, row.payload);
        }
    }
}

/// Initialisation vectors, and keys that do not fit.
struct EspIvAndKeys : TestCase
{
    using TestCase::TestCase;

    // openssl enc -aes-128-ecb -K g_key of 8 octets of zeros and the sequence number
    static constexpr const char* g_key = "2b7e151628aed2a6abf7158809cf4f3c"; //!< of FIPS 197
    static constexpr const char* g_iv = "05581594c1c54c018a2f3418ee491c92"; //!< enciphered under it
};

IWARP_TEST(espCodec, "initialisation vectors; keys that do not fit", EspIvAndKeys)
{
    const EspTransform& gcm = *FindEspTransform("aes-gcm-16-128");
    const EspTransform& cbc = *FindEspTransform("aes-cbc-128/hmac-sha2-256-128");
    EspOctets iv(8);
    EspCodec(gcm, TestKeys(gcm), EspCodec::Mode::MODELLED).MakeIv(SEQUENCE, iv.data());
    NS_TEST_ASSERT_MSG_EQ(EspToHex(iv), "0000000712345678", "the sequence number");
    if (EspCodec::HasReal())
    {
        EspCodec(gcm, TestKeys(gcm), EspCodec::Mode::REAL).MakeIv(SEQUENCE, iv.data());
        NS_TEST_ASSERT_MSG_EQ(EspToHex(iv), "0000000712345678", "the same");
        iv.resize(16);
        const EspCodec codec(cbc, {EspFromHex(g_key), EspOctets(32)}, EspCodec::Mode::REAL);
        codec.MakeIv(SEQUENCE, iv.data());
        NS_TEST_ASSERT_MSG_EQ(EspToHex(iv), g_iv, "the sequence number, enciphered");
    }

    NS_TEST_ASSERT_MSG_EQ(EspCodec::CheckKeys(gcm, TestKeys(gcm)), "", "fit");
    NS_TEST_ASSERT_MSG_EQ(EspCodec::CheckKeys(gcm, {EspOctets(16), {}}),
                          "the cipher key for aes-gcm-16-128 has 16 octets: give 16 of key and 4 "
                          "of salt behind them",
                          "no salt");
    NS_TEST_ASSERT_MSG_EQ(EspCodec::CheckKeys(cbc, {EspOctets(16), EspOctets(20)}),
                          "the integrity key for aes-cbc-128/hmac-sha2-256-128 has 20 octets: "
                          "give 32",
                          "a key for SHA1");
}
