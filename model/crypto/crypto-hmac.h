/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CRYPTO_HMAC_H
#define CRYPTO_HMAC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/// @ingroup iwarp-crypto
/// @brief A key set up for HMAC (RFC 2104), by OpenSSL's libcrypto.
class CryptoHmac
{
  public:
    static constexpr std::size_t MAX_SIZE = 64; //!< octets of the longest

    /// An HMAC; as many octets count as its hash has
    using Value = std::array<uint8_t, MAX_SIZE>;

    /**
     * @brief Set up a key.
     * @param hash what OpenSSL calls the hash, such as "sha256"; NS_ABORT if it has none
     * @param key octets
     * @param size how many
     * @return what works with it; nullptr if CryptoCipher::IsThere() is false
     */
    static std::unique_ptr<const CryptoHmac> Create(const char* hash,
                                                    const uint8_t* key,
                                                    std::size_t size);
    virtual ~CryptoHmac() = default;

    /**
     * @brief Compute the HMAC of octets, and of others behind them.
     * @param octets octets
     * @param size how many
     * @param more octets that follow
     * @param moreSize how many; 0 if none do
     * @return it
     */
    virtual Value Compute(const uint8_t* octets,
                          std::size_t size,
                          const uint8_t* more = nullptr,
                          std::size_t moreSize = 0) const = 0;
};

} // namespace ns3

#endif // CRYPTO_HMAC_H
