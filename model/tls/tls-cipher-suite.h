/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_CIPHER_SUITE_H
#define TLS_CIPHER_SUITE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief A cipher suite of TLS 1.3 (RFC 8446 appendix B.4): how records are protected, and the
/// hash of its key schedule. All sizes are in octets.
struct TlsCipherSuite
{
    static constexpr uint32_t TAG = 16; //!< what each AEAD here adds (RFC 5116, RFC 8439)
    static constexpr uint32_t IV = 12;  //!< iv_length, that of the nonce too

    uint16_t id;          //!< number in hellos
    const char* name;     //!< such as "TLS_AES_128_GCM_SHA256"
    const char* cipher;   //!< AEAD, as OpenSSL calls it
    const char* hash;     //!< hash, as OpenSSL calls it
    uint8_t keySize;      //!< of the AEAD's key
    uint8_t hashSize;     //!< of the hash, and of secrets
    uint64_t recordLimit; //!< records that a key may protect (RFC 8446 section 5.5), full ones
};

/// @ingroup iwarp-tls
/// @brief Tell all suites there are. @return they, which live as long as the program
const std::vector<TlsCipherSuite>& GetTlsCipherSuites();

/// @ingroup iwarp-tls
/// @brief Find a suite. @param name its name @return it; nullptr if there is none
const TlsCipherSuite* FindTlsCipherSuite(const std::string& name);

/// @ingroup iwarp-tls
/// @brief Find a suite. @param id its number @return it; nullptr if there is none
const TlsCipherSuite* FindTlsCipherSuite(uint16_t id);

} // namespace ns3

#endif // TLS_CIPHER_SUITE_H
