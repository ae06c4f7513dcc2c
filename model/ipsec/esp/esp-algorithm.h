/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_ALGORITHM_H
#define ESP_ALGORITHM_H

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-ipsec
 * Which ciphers and integrity algorithms ESP can use, and what they add to a packet.
 */

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief How a cipher is used.
enum class EspMode : uint8_t
{
    NONE,     //!< not at all
    CBC,      //!< block by block, each with the one before (RFC 3602)
    COUNTER,  //!< the payload with a stream of enciphered counters (RFC 3686)
    COMBINED, //!< it keeps the payload whole as well (RFC 4303 section 3.2.3)
};

/// @ingroup iwarp-ipsec
/// @brief Which cipher keeps a payload secret, or which one costs hardware what it does.
enum class EspCipher : uint8_t
{
    NULL_CIPHER,       //!< not at all (RFC 2410)
    AES_CBC,           //!< RFC 3602
    AES_CTR,           //!< RFC 3686
    AES_GCM,           //!< RFC 4106: keeps it whole as well
    CHACHA20_POLY1305, //!< RFC 7634: keeps it whole as well
};

/// @ingroup iwarp-ipsec
/// @brief How ESP keeps a payload whole, beside its cipher.
enum class EspIntegrity : uint8_t
{
    NONE,              //!< not at all, or the cipher does it
    HMAC_SHA1_96,      //!< RFC 2404
    HMAC_SHA2_256_128, //!< RFC 4868
    HMAC_SHA2_384_192, //!< RFC 4868
    HMAC_SHA2_512_256, //!< RFC 4868
};

/**
 * @ingroup iwarp-ipsec
 * @brief What an association does to a payload: a cipher and an integrity algorithm, and the octets
 * that they need. All sizes are in octets.
 */
struct EspTransform
{
    std::string name;            //!< as users type it, such as "aes-gcm-16-128"
    EspCipher cipher;            //!< keeps the payload secret
    EspMode mode{EspMode::NONE}; //!< how it does
    EspIntegrity integrity;      //!< keeps it whole, unless the cipher does
    uint8_t keySize{0};          //!< of the cipher's key, without salt
    uint8_t saltSize{0};         //!< that follow the key in keying material, part of each nonce
    uint8_t integrityKeySize{0}; //!< of the integrity algorithm's key
    uint8_t ivSize{0};           //!< of the initialisation vector in each packet
    uint8_t alignment{4}; //!< payload, padding and trailer are a multiple of it: the cipher's
                          //!< block, and at least 4 (RFC 4303 section 2.4)
    uint8_t icvSize{0};   //!< of the integrity check value that ends each packet

    /// What others call them; "" is nothing
    struct Names
    {
        const char* openssl{""};   //!< OpenSSL
        const char* wireshark{""}; //!< Wireshark, in its table of keys; "" if it knows none
        bool since42{false};       //!< Wireshark does so from 4.2 on
    };

    Names cipherNames;    //!< of the cipher
    Names integrityNames; //!< of the integrity algorithm; OpenSSL's is that of the hash

    /// Tell whether cipher and integrity are one algorithm. @return true for AES-GCM and
    /// ChaCha20-Poly1305
    bool IsCombined() const;

    /// Tell whether forged packets are noticed. @return false without any integrity algorithm
    bool IsAuthenticated() const;
};

/**
 * @ingroup iwarp-ipsec
 * @brief Find a transform by its name: "aes-gcm-16-128" (octets of ICV, bits of key), or a cipher
 * and an integrity algorithm, "aes-cbc-128/hmac-sha2-256-128".
 * @param name as GetEspTransformNames() has them
 * @return the transform, which lives as long as the program; nullptr if there is none
 */
const EspTransform* FindEspTransform(const std::string& name);

/**
 * @ingroup iwarp-ipsec
 * @brief Tell all names that FindEspTransform() knows. A cipher that is not combined stands with
 * each integrity algorithm, and AES-CBC without one too (RFC 4303 section 3.2.1 allows it; the
 * profile of RFC 3723 does not).
 * @return names in the order of the table
 */
std::vector<std::string> GetEspTransformNames();

} // namespace ns3

#endif // ESP_ALGORITHM_H
