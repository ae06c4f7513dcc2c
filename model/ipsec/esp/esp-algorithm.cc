/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-algorithm.h"

#include <algorithm>
#include <array>
#include <map>

namespace ns3
{

namespace
{

/// A cipher of the table: sizes as EspTransform has them.
struct CipherRow
{
    const char* name;
    EspCipher cipher;
    uint8_t key;
    uint8_t salt;
    uint8_t iv;
    uint8_t alignment;
    uint8_t icv; //!< of a combined one
};

/// An integrity algorithm of the table.
struct IntegrityRow
{
    const char* name;
    EspIntegrity integrity;
    uint8_t key;
    uint8_t icv;
};

constexpr std::array CIPHERS{
    CipherRow{"null", EspCipher::NULL_CIPHER, 0, 0, 0, 4, 0},
    CipherRow{"aes-cbc-128", EspCipher::AES_CBC, 16, 0, 16, 16, 0},
    CipherRow{"aes-cbc-192", EspCipher::AES_CBC, 24, 0, 16, 16, 0},
    CipherRow{"aes-cbc-256", EspCipher::AES_CBC, 32, 0, 16, 16, 0},
    CipherRow{"aes-ctr-128", EspCipher::AES_CTR, 16, 4, 8, 4, 0},
    CipherRow{"aes-ctr-192", EspCipher::AES_CTR, 24, 4, 8, 4, 0},
    CipherRow{"aes-ctr-256", EspCipher::AES_CTR, 32, 4, 8, 4, 0},
    CipherRow{"aes-gcm-8-128", EspCipher::AES_GCM, 16, 4, 8, 4, 8},
    CipherRow{"aes-gcm-8-192", EspCipher::AES_GCM, 24, 4, 8, 4, 8},
    CipherRow{"aes-gcm-8-256", EspCipher::AES_GCM, 32, 4, 8, 4, 8},
    CipherRow{"aes-gcm-12-128", EspCipher::AES_GCM, 16, 4, 8, 4, 12},
    CipherRow{"aes-gcm-12-192", EspCipher::AES_GCM, 24, 4, 8, 4, 12},
    CipherRow{"aes-gcm-12-256", EspCipher::AES_GCM, 32, 4, 8, 4, 12},
    CipherRow{"aes-gcm-16-128", EspCipher::AES_GCM, 16, 4, 8, 4, 16},
    CipherRow{"aes-gcm-16-192", EspCipher::AES_GCM, 24, 4, 8, 4, 16},
    CipherRow{"aes-gcm-16-256", EspCipher::AES_GCM, 32, 4, 8, 4, 16},
    CipherRow{"chacha20-poly1305", EspCipher::CHACHA20_POLY1305, 32, 4, 8, 4, 16},
};

// keys as long as the digest (RFC 2404 section 3, RFC 4868 section 2.1.1)
constexpr std::array INTEGRITIES{
    IntegrityRow{"none", EspIntegrity::NONE, 0, 0},
    IntegrityRow{"hmac-sha1-96", EspIntegrity::HMAC_SHA1_96, 20, 12},
    IntegrityRow{"hmac-sha2-256-128", EspIntegrity::HMAC_SHA2_256_128, 32, 16},
    IntegrityRow{"hmac-sha2-384-192", EspIntegrity::HMAC_SHA2_384_192, 48, 24},
    IntegrityRow{"hmac-sha2-512-256", EspIntegrity::HMAC_SHA2_512_256, 64, 32},
};

/// @param cipher a row @param integrity another @return both, without a name
EspTransform
Combine(const CipherRow& cipher, const IntegrityRow& integrity)
{
    EspTransform transform;
    transform.name = cipher.name;
    transform.cipher = cipher.cipher;
    transform.integrity = integrity.integrity;
    transform.keySize = cipher.key;
    transform.saltSize = cipher.salt;
    transform.integrityKeySize = integrity.key;
    transform.ivSize = cipher.iv;
    transform.alignment = cipher.alignment;
    transform.icvSize = static_cast<uint8_t>(cipher.icv + integrity.icv);
    if (!transform.IsCombined())
    {
        transform.name += std::string("/") + integrity.name;
    }
    return transform;
}

/**
 * @param cipher a row
 * @param integrity another
 * @return whether ESP allows both together: NULL needs integrity (RFC 4303 section 3.2.2), so does
 * AES-CTR (RFC 3686 section 3), and a combined algorithm stands alone
 */
bool
IsAllowed(const CipherRow& cipher, const IntegrityRow& integrity)
{
    return cipher.icv > 0 || cipher.cipher == EspCipher::AES_CBC
               ? cipher.icv == 0 || integrity.integrity == EspIntegrity::NONE
               : integrity.integrity != EspIntegrity::NONE;
}

/// @return every transform, in the order of the tables
const std::vector<EspTransform>&
GetTransforms()
{
    static const std::vector<EspTransform> transforms = [] {
        std::vector<EspTransform> made;
        for (const auto& cipher : CIPHERS)
        {
            for (const auto& integrity : INTEGRITIES)
            {
                if (IsAllowed(cipher, integrity))
                {
                    made.push_back(Combine(cipher, integrity));
                }
            }
        }
        return made;
    }();
    return transforms;
}

} // namespace

bool
EspTransform::IsCombined() const
{
    return cipher == EspCipher::AES_GCM || cipher == EspCipher::CHACHA20_POLY1305;
}

bool
EspTransform::IsAuthenticated() const
{
    return icvSize > 0;
}

const EspTransform*
FindEspTransform(const std::string& name)
{
    const auto& transforms = GetTransforms();
    const auto found = std::find_if(transforms.begin(), transforms.end(), [&name](const auto& row) {
        return row.name == name;
    });
    return found == transforms.end() ? nullptr : &*found;
}

std::vector<std::string>
GetEspTransformNames()
{
    std::vector<std::string> names;
    for (const auto& transform : GetTransforms())
    {
        names.push_back(transform.name);
    }
    return names;
}

} // namespace ns3
