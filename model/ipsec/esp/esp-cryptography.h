/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_CRYPTOGRAPHY_H
#define ESP_CRYPTOGRAPHY_H

#include "esp-format.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

struct EspKeys;

/// @ingroup iwarp-ipsec
/// @brief Enciphers and authenticates ESP packets by OpenSSL's libcrypto: the keys of one
/// association, set up. It knows where the octets of a packet are, and nothing of what they mean.
class EspCryptography
{
  public:
    static constexpr uint32_t BLOCK = 16; //!< octets that AES works on

    /// Tell whether this build has libcrypto. @return false if Create() makes nothing
    static bool IsThere();

    /**
     * @brief Set up keys.
     * @param transform cipher and integrity; has to live as long as what is returned
     * @param keys of the sizes that the transform says
     * @return what works with them; nullptr if IsThere() is false
     */
    static std::unique_ptr<const EspCryptography> Create(const EspTransform& transform,
                                                         const EspKeys& keys);
    virtual ~EspCryptography() = default;

    /**
     * @brief Encipher a packet in place and write its ICV.
     * @param packet octets from SPI to ICV: head and clear text are there
     * @param sizes what it consists of
     * @param high upper half of the sequence number, which the ICV covers too; nullptr: it has none
     */
    virtual void Protect(uint8_t* packet, const EspSizes& sizes, const uint32_t* high) const = 0;

    /**
     * @brief Verify a packet and decipher it in place.
     * @param packet octets from SPI to ICV
     * @param ciphered octets between IV and ICV
     * @param high as for Protect()
     * @return false if its ICV is not right
     */
    virtual bool Open(uint8_t* packet, std::size_t ciphered, const uint32_t* high) const = 0;

    /// Encipher a block alone, as an IV for CBC is made. @param block BLOCK octets, in place
    virtual void EncipherBlock(uint8_t* block) const = 0;
};

} // namespace ns3

#endif // ESP_CRYPTOGRAPHY_H
