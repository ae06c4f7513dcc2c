/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_CRYPTOGRAPHY_H
#define ESP_CRYPTOGRAPHY_H

#include "esp-format.h"

#include "ns3/crypto-cipher.h"
#include "ns3/crypto-hmac.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

struct EspKeys;

/// @ingroup iwarp-ipsec
/// @brief Enciphers and authenticates ESP packets: the keys of one association, set up. It knows
/// where the octets of a packet are, and nothing of what they mean.
class EspCryptography
{
  public:
    static constexpr uint32_t BLOCK = 16; //!< octets that AES works on

    /**
     * @brief Set up keys, where CryptoCipher::IsThere().
     * @param transform cipher and integrity; has to live as long as this
     * @param keys of the sizes that the transform says
     */
    EspCryptography(const EspTransform& transform, const EspKeys& keys);

    /**
     * @brief Encipher a packet in place and write its ICV.
     * @param packet octets from SPI to ICV: head and clear text are there
     * @param sizes what it consists of
     * @param high upper half of the sequence number, which the ICV covers too; nullptr: it has none
     */
    void Protect(uint8_t* packet, const EspSizes& sizes, const uint32_t* high) const;

    /**
     * @brief Verify a packet and decipher it in place.
     * @param packet octets from SPI to ICV
     * @param ciphered octets between IV and ICV
     * @param high as for Protect()
     * @return false if its ICV is not right
     */
    bool Open(uint8_t* packet, std::size_t ciphered, const uint32_t* high) const;

    /// Encipher a block alone, as an IV for CBC is made. @param block BLOCK octets, in place
    void EncipherBlock(uint8_t* block) const;

  private:
    /// @param cipher a key @param packet from the SPI on @param ciphered octets between IV and ICV
    /// @param high upper half of the sequence number, or nullptr @return false if the ICV of a
    /// combined algorithm is not right
    bool Run(const CryptoCipher& cipher,
             uint8_t* packet,
             std::size_t ciphered,
             const uint32_t* high) const;
    /// @param packet from the SPI on @param size octets before the ICV @param high upper half of
    /// the sequence number, or nullptr @return the HMAC, of which the first octets are the ICV
    CryptoHmac::Value GetHmac(const uint8_t* packet, std::size_t size, const uint32_t* high) const;

    const EspTransform& m_transform;               //!< cipher and integrity
    std::array<uint8_t, 4> m_salt{};               //!< begins each nonce
    std::unique_ptr<const CryptoCipher> m_encrypt; //!< key for packets that go out
    std::unique_ptr<const CryptoCipher> m_decrypt; //!< key for packets that come in
    std::unique_ptr<const CryptoCipher> m_block;   //!< key for single blocks
    std::unique_ptr<const CryptoHmac> m_hmac;      //!< keyed hash
};

} // namespace ns3

#endif // ESP_CRYPTOGRAPHY_H
