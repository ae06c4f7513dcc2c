/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-cryptography.h"

#include "esp-codec.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

EspCryptography::EspCryptography(const EspTransform& transform, const EspKeys& keys)
    : m_transform(transform)
{
    using Direction = CryptoCipher::Direction;
    const char* const name = transform.cipherNames.openssl;
    const uint8_t* const key = keys.cipher.data();
    if (transform.mode != EspMode::NONE)
    {
        std::copy_n(keys.cipher.begin() + transform.keySize, transform.saltSize, m_salt.begin());
        m_encrypt = CryptoCipher::Create(name, key, Direction::ENCRYPT);
        m_decrypt = CryptoCipher::Create(name, key, Direction::DECRYPT);
    }
    if (transform.mode == EspMode::CBC)
    {
        m_block = CryptoCipher::Create(name, key, Direction::ENCRYPT);
    }
    if (transform.integrity != EspIntegrity::NONE)
    {
        m_hmac = CryptoHmac::Create(transform.integrityNames.openssl,
                                    keys.integrity.data(),
                                    keys.integrity.size());
    }
}

bool
EspCryptography::Run(const CryptoCipher& cipher,
                     uint8_t* packet,
                     std::size_t ciphered,
                     const uint32_t* high) const
{
    std::array<uint8_t, BLOCK> first{};
    auto end = std::copy_n(m_salt.begin(), m_transform.saltSize, first.begin());
    std::copy_n(packet + ESP_HEADER_SIZE, m_transform.ivSize, end);
    if (m_transform.mode == EspMode::COUNTER)
    {
        first.back() = 1; // the counter begins with 1 (RFC 3686 section 4)
    }
    CryptoText text;
    text.iv = first.data();
    text.octets = packet + ESP_HEADER_SIZE + m_transform.ivSize;
    text.size = ciphered;
    // SPI and sequence number, its upper half between them (RFC 4106 section 5, RFC 7634
    // section 2.1)
    std::array<uint8_t, ESP_HEADER_SIZE + 4> header;
    if (m_transform.IsCombined())
    {
        auto next = std::copy_n(packet, 4, header.begin());
        if (high)
        {
            boost::endian::store_big_u32(&*next, *high);
            next += 4;
        }
        next = std::copy_n(packet + 4, 4, next);
        text.associated = header.data();
        text.associatedSize = static_cast<std::size_t>(next - header.begin());
        text.tag = text.octets + ciphered;
        text.tagSize = m_transform.icvSize;
    }
    return cipher.Process(text);
}

CryptoHmac::Value
EspCryptography::GetHmac(const uint8_t* packet, std::size_t size, const uint32_t* high) const
{
    std::array<uint8_t, 4> behind; // the packet (RFC 4303 section 2.2.1)
    if (high)
    {
        boost::endian::store_big_u32(behind.data(), *high);
    }
    return m_hmac->Compute(packet, size, behind.data(), high ? behind.size() : 0);
}

void
EspCryptography::Protect(uint8_t* packet, const EspSizes& sizes, const uint32_t* high) const
{
    if (m_encrypt)
    {
        Run(*m_encrypt, packet, sizes.GetCiphered(), high);
    }
    if (m_hmac)
    {
        const std::size_t covered = sizes.GetHead() + sizes.GetCiphered();
        const auto hmac = GetHmac(packet, covered, high);
        std::copy_n(hmac.begin(), sizes.icv, packet + covered);
    }
}

bool
EspCryptography::Open(uint8_t* packet, std::size_t ciphered, const uint32_t* high) const
{
    if (m_hmac)
    {
        const std::size_t covered = ESP_HEADER_SIZE + m_transform.ivSize + ciphered;
        const auto hmac = GetHmac(packet, covered, high);
        if (!std::equal(hmac.begin(), hmac.begin() + m_transform.icvSize, packet + covered))
        {
            return false;
        }
    }
    return !m_decrypt || Run(*m_decrypt, packet, ciphered, high);
}

void
EspCryptography::EncipherBlock(uint8_t* block) const
{
    const std::array<uint8_t, BLOCK> zeros{};
    CryptoText text;
    text.iv = zeros.data();
    text.octets = block;
    text.size = BLOCK;
    m_block->Process(text);
}

} // namespace ns3
