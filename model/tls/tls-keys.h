/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_KEYS_H
#define TLS_KEYS_H

#include "tls-cipher-suite.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-tls
 * Keys of TLS 1.3 (RFC 8446 section 7). Without OpenSSL, or where nothing is really enciphered,
 * there is no HMAC: secrets are then mixed as CryptoModelledTag does, and have their sizes alone.
 */

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief Octets of a secret, as many as the hash of its suite has.
using TlsSecret = std::vector<uint8_t>;

/// @ingroup iwarp-tls
/// @brief A random of a hello, by which key logs know connections.
using TlsRandom = std::array<uint8_t, 32>;

/// @ingroup iwarp-tls
/// @brief Whether records are really enciphered.
enum class TlsMode : uint8_t
{
    MODELLED, //!< sizes are right, octets stay clear
    REAL,     //!< by OpenSSL
};

/// @ingroup iwarp-tls
/// @brief Tell whether records can really be enciphered. @return false in a build without OpenSSL
bool HasRealTls();

/**
 * @ingroup iwarp-tls
 * @brief HKDF-Expand-Label (RFC 8446 section 7.1).
 * @param suite for its hash
 * @param mode REAL for HMAC
 * @param secret PRK
 * @param label without "tls13 " before it
 * @param context octets
 * @param size octets wanted, 255 at most
 * @return they
 */
std::vector<uint8_t> ExpandTlsLabel(const TlsCipherSuite& suite,
                                    TlsMode mode,
                                    const TlsSecret& secret,
                                    const std::string& label,
                                    const std::vector<uint8_t>& context,
                                    uint32_t size);

/// @ingroup iwarp-tls
/// @brief What protects the records of one direction (RFC 8446 section 7.3).
struct TlsTrafficKeys
{
    std::vector<uint8_t> key; //!< of the AEAD
    std::vector<uint8_t> iv;  //!< that sequence numbers are added to

    /// Derive them. @param suite cipher suite @param mode REAL or MODELLED @param secret traffic
    /// secret @return they
    static TlsTrafficKeys Derive(const TlsCipherSuite& suite,
                                 TlsMode mode,
                                 const TlsSecret& secret);
};

/// @ingroup iwarp-tls
/// @brief Find the secret behind a key update (RFC 8446 section 7.2). @param suite cipher suite
/// @param mode REAL or MODELLED @param secret traffic secret @return the next one
TlsSecret UpdateTlsSecret(const TlsCipherSuite& suite, TlsMode mode, const TlsSecret& secret);

/**
 * @ingroup iwarp-tls
 * @brief The secrets of a connection. They come of the two randoms in the hellos, without a key
 * exchange: both ends know them, and so does whoever reads the hellos.
 */
struct TlsSecrets
{
    TlsSecret clientHandshake;   //!< client_handshake_traffic_secret
    TlsSecret serverHandshake;   //!< server_handshake_traffic_secret
    TlsSecret clientApplication; //!< client_application_traffic_secret_0
    TlsSecret serverApplication; //!< server_application_traffic_secret_0

    /// Derive them. @param suite cipher suite @param mode REAL or MODELLED @param client random of
    /// the ClientHello @param server random of the ServerHello @return they
    static TlsSecrets Derive(const TlsCipherSuite& suite,
                             TlsMode mode,
                             const TlsRandom& client,
                             const TlsRandom& server);
};

} // namespace ns3

#endif // TLS_KEYS_H
