/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-keys.h"

#include "ns3/abort.h"
#include "ns3/crypto-cipher.h"
#include "ns3/crypto-hmac.h"
#include "ns3/crypto-modelled-tag.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param label as ExpandTlsLabel() takes it @param context octets @param size octets wanted
/// @return HkdfLabel (RFC 8446 section 7.1)
std::vector<uint8_t>
WriteHkdfLabel(const std::string& label, const std::vector<uint8_t>& context, uint32_t size)
{
    const std::string whole = "tls13 " + label;
    std::vector<uint8_t> octets{static_cast<uint8_t>(size >> 8),
                                static_cast<uint8_t>(size),
                                static_cast<uint8_t>(whole.size())};
    octets.insert(octets.end(), whole.begin(), whole.end());
    octets.push_back(static_cast<uint8_t>(context.size()));
    octets.insert(octets.end(), context.begin(), context.end());
    return octets;
}

} // namespace

bool
HasRealTls()
{
    return CryptoCipher::IsThere();
}

std::vector<uint8_t>
ExpandTlsLabel(const TlsCipherSuite& suite,
               TlsMode mode,
               const TlsSecret& secret,
               const std::string& label,
               const std::vector<uint8_t>& context,
               uint32_t size)
{
    NS_ABORT_MSG_IF(size > UINT8_MAX, "HKDF-Expand-Label: 255 octets at most, not " << size);
    const std::vector<uint8_t> info = WriteHkdfLabel(label, context, size);
    std::vector<uint8_t> octets;
    if (mode == TlsMode::MODELLED)
    {
        CryptoModelledTag tag(suite.id);
        tag.Cover(secret.data(), secret.size());
        tag.Cover(info.data(), info.size());
        octets.resize(size);
        tag.Write(octets.data(), size);
        return octets;
    }
    const auto hmac = CryptoHmac::Create(suite.hash, secret.data(), secret.size());
    NS_ABORT_MSG_UNLESS(hmac,
                        "this build of iwarp cannot encipher, since OpenSSL was not found: install "
                        "libssl-dev and configure again, or take modelled TLS");
    // HKDF-Expand (RFC 5869 section 2.3): T(n) = HMAC(PRK, T(n - 1) | info | n)
    std::vector<uint8_t> before;
    for (uint8_t n = 1; octets.size() < size; n++)
    {
        std::vector<uint8_t> rest = info;
        rest.push_back(n);
        const auto block = hmac->Compute(before.data(), before.size(), rest.data(), rest.size());
        before.assign(block.begin(), block.begin() + suite.hashSize);
        octets.insert(octets.end(), before.begin(), before.end());
    }
    octets.resize(size);
    return octets;
}

TlsTrafficKeys
TlsTrafficKeys::Derive(const TlsCipherSuite& suite, TlsMode mode, const TlsSecret& secret)
{
    return {ExpandTlsLabel(suite, mode, secret, "key", {}, suite.keySize),
            ExpandTlsLabel(suite, mode, secret, "iv", {}, TlsCipherSuite::IV)};
}

TlsSecret
UpdateTlsSecret(const TlsCipherSuite& suite, TlsMode mode, const TlsSecret& secret)
{
    return ExpandTlsLabel(suite, mode, secret, "traffic upd", {}, suite.hashSize);
}

TlsSecrets
TlsSecrets::Derive(const TlsCipherSuite& suite,
                   TlsMode mode,
                   const TlsRandom& client,
                   const TlsRandom& server)
{
    TlsSecret randoms(client.begin(), client.end());
    randoms.insert(randoms.end(), server.begin(), server.end());
    const auto derive = [&](const char* label) {
        return ExpandTlsLabel(suite, mode, randoms, label, {}, suite.hashSize);
    };
    return {derive("c hs traffic"),
            derive("s hs traffic"),
            derive("c ap traffic"),
            derive("s ap traffic")};
}

} // namespace ns3
