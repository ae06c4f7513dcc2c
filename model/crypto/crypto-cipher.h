/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CRYPTO_CIPHER_H
#define CRYPTO_CIPHER_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/// @ingroup iwarp-crypto
/// @brief What a cipher works on, in place.
struct CryptoText
{
    const uint8_t* iv{nullptr};         //!< IV, or nonce, of the size that the cipher takes
    const uint8_t* associated{nullptr}; //!< octets that are authenticated alone
    std::size_t associatedSize{0};      //!< how many
    uint8_t* octets{nullptr};           //!< octets that are enciphered or deciphered
    std::size_t size{0};                //!< how many
    uint8_t* tag{nullptr};              //!< what authenticates all of it; nullptr: nothing does
    std::size_t tagSize{0};             //!< octets of it
};

/**
 * @ingroup iwarp-crypto
 * @brief The key of a cipher, set up for one direction: enciphers, or deciphers and verifies, by
 * OpenSSL's libcrypto.
 */
class CryptoCipher
{
  public:
    /// Which way it works.
    enum class Direction : uint8_t
    {
        ENCRYPT, //!< encipher, write tags
        DECRYPT, //!< decipher, verify tags
    };

    /// Tell whether this build has libcrypto. @return false if Create() makes nothing
    static bool IsThere();

    /**
     * @brief Set up a key.
     * @param name what OpenSSL calls the cipher, such as "aes-128-gcm"; NS_ABORT if it has none
     * @param key octets, as many as the cipher takes
     * @param direction which way
     * @return what works with it; nullptr if IsThere() is false
     */
    static std::unique_ptr<const CryptoCipher> Create(const char* name,
                                                      const uint8_t* key,
                                                      Direction direction);
    virtual ~CryptoCipher() = default;

    /// Encipher and write the tag, or decipher and verify it. @param text what @return false if a
    /// tag is not right: then the octets are of no use
    virtual bool Process(const CryptoText& text) const = 0;
};

} // namespace ns3

#endif // CRYPTO_CIPHER_H
