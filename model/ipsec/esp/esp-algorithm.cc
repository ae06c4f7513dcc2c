/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-algorithm.h"

#include <algorithm>
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
    EspMode mode;
    uint8_t key;
    uint8_t salt;
    uint8_t iv;
    uint8_t alignment;
    uint8_t icv; //!< of a combined one
    EspTransform::Names names;
};

/// An integrity algorithm of the table.
struct IntegrityRow
{
    const char* name;
    EspIntegrity integrity;
    uint8_t key;
    uint8_t icv;
    EspTransform::Names names;
};

// short, so that a row is a line
constexpr auto PLAIN = EspCipher::NULL_CIPHER;
constexpr auto AES_CBC = EspCipher::AES_CBC;
constexpr auto AES_CTR = EspCipher::AES_CTR;
constexpr auto AES_GCM = EspCipher::AES_GCM;
constexpr auto CHACHA20 = EspCipher::CHACHA20_POLY1305;
constexpr const char* RFC3602 = "AES-CBC [RFC3602]";
constexpr const char* RFC3686 = "AES-CTR [RFC3686]";
constexpr const char* GCM_8 = "AES-GCM with 8 octet ICV [RFC4106]";
constexpr const char* GCM_12 = "AES-GCM with 12 octet ICV [RFC4106]";
constexpr const char* GCM_16 = "AES-GCM with 16 octet ICV [RFC4106]";
constexpr const char* RFC7634 = "ChaCha20 with Poly1305 [RFC7634]";

constexpr CipherRow CIPHERS[] = {
    {"null", PLAIN, EspMode::NONE, 0, 0, 0, 4, 0, {"", "NULL"}},
    {"aes-cbc-128", AES_CBC, EspMode::CBC, 16, 0, 16, 16, 0, {"aes-128-cbc", RFC3602}},
    {"aes-cbc-192", AES_CBC, EspMode::CBC, 24, 0, 16, 16, 0, {"aes-192-cbc", RFC3602}},
    {"aes-cbc-256", AES_CBC, EspMode::CBC, 32, 0, 16, 16, 0, {"aes-256-cbc", RFC3602}},
    {"aes-ctr-128", AES_CTR, EspMode::COUNTER, 16, 4, 8, 4, 0, {"aes-128-ctr", RFC3686}},
    {"aes-ctr-192", AES_CTR, EspMode::COUNTER, 24, 4, 8, 4, 0, {"aes-192-ctr", RFC3686}},
    {"aes-ctr-256", AES_CTR, EspMode::COUNTER, 32, 4, 8, 4, 0, {"aes-256-ctr", RFC3686}},
    {"aes-gcm-8-128", AES_GCM, EspMode::COMBINED, 16, 4, 8, 4, 8, {"aes-128-gcm", GCM_8}},
    {"aes-gcm-8-192", AES_GCM, EspMode::COMBINED, 24, 4, 8, 4, 8, {"aes-192-gcm", GCM_8}},
    {"aes-gcm-8-256", AES_GCM, EspMode::COMBINED, 32, 4, 8, 4, 8, {"aes-256-gcm", GCM_8}},
    {"aes-gcm-12-128", AES_GCM, EspMode::COMBINED, 16, 4, 8, 4, 12, {"aes-128-gcm", GCM_12}},
    {"aes-gcm-12-192", AES_GCM, EspMode::COMBINED, 24, 4, 8, 4, 12, {"aes-192-gcm", GCM_12}},
    {"aes-gcm-12-256", AES_GCM, EspMode::COMBINED, 32, 4, 8, 4, 12, {"aes-256-gcm", GCM_12}},
    {"aes-gcm-16-128", AES_GCM, EspMode::COMBINED, 16, 4, 8, 4, 16, {"aes-128-gcm", GCM_16}},
    {"aes-gcm-16-192", AES_GCM, EspMode::COMBINED, 24, 4, 8, 4, 16, {"aes-192-gcm", GCM_16}},
    {"aes-gcm-16-256", AES_GCM, EspMode::COMBINED, 32, 4, 8, 4, 16, {"aes-256-gcm", GCM_16}},
    {"chacha20-poly1305",
     CHACHA20,
     EspMode::COMBINED,
     32,
     4,
     8,
     4,
     16,
     {"chacha20-poly1305", RFC7634, true}},
};

// keys as long as the digest (RFC 2404 section 3, RFC 4868 section 2.1.1)
constexpr IntegrityRow INTEGRITIES[] = {
    {"none", EspIntegrity::NONE, 0, 0, {"", "NULL"}},
    {"hmac-sha1-96", EspIntegrity::HMAC_SHA1_96, 20, 12, {"sha1", "HMAC-SHA-1-96 [RFC2404]"}},
    {"hmac-sha2-256-128",
     EspIntegrity::HMAC_SHA2_256_128,
     32,
     16,
     {"sha256", "HMAC-SHA-256-128 [RFC4868]"}},
    {"hmac-sha2-384-192",
     EspIntegrity::HMAC_SHA2_384_192,
     48,
     24,
     {"sha384", "HMAC-SHA-384-192 [RFC4868]"}},
    {"hmac-sha2-512-256",
     EspIntegrity::HMAC_SHA2_512_256,
     64,
     32,
     {"sha512", "HMAC-SHA-512-256 [RFC4868]"}},
};

/// @param cipher a row @param integrity another @return both, without a name
EspTransform
Combine(const CipherRow& cipher, const IntegrityRow& integrity)
{
    EspTransform transform;
    transform.name = cipher.name;
    transform.cipher = cipher.cipher;
    transform.mode = cipher.mode;
    transform.integrity = integrity.integrity;
    transform.keySize = cipher.key;
    transform.saltSize = cipher.salt;
    transform.integrityKeySize = integrity.key;
    transform.ivSize = cipher.iv;
    transform.alignment = cipher.alignment;
    transform.icvSize = static_cast<uint8_t>(cipher.icv + integrity.icv);
    transform.cipherNames = cipher.names;
    transform.integrityNames = integrity.names;
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
 * a counter (RFC 3686 section 3), and a combined algorithm stands alone
 */
bool
IsAllowed(const CipherRow& cipher, const IntegrityRow& integrity)
{
    const bool none = integrity.integrity == EspIntegrity::NONE;
    return cipher.mode == EspMode::COMBINED ? none : cipher.mode == EspMode::CBC || !none;
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
    return mode == EspMode::COMBINED;
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
