/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-cipher-suite.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t TLS_GCM_RECORDS = 23726566;      // 2^24.5
constexpr uint64_t TLS_CHACHA_RECORDS = UINT64_MAX; // its sequence number would wrap before

} // namespace

const std::vector<TlsCipherSuite>&
GetTlsCipherSuites()
{
    static const std::vector<TlsCipherSuite> suites{
        {0x1301, "TLS_AES_128_GCM_SHA256", "aes-128-gcm", "sha256", 16, 32, TLS_GCM_RECORDS},
        {0x1302, "TLS_AES_256_GCM_SHA384", "aes-256-gcm", "sha384", 32, 48, TLS_GCM_RECORDS},
        {0x1303,
         "TLS_CHACHA20_POLY1305_SHA256",
         "chacha20-poly1305",
         "sha256",
         32,
         32,
         TLS_CHACHA_RECORDS},
    };
    return suites;
}

const TlsCipherSuite*
FindTlsCipherSuite(const std::string& name)
{
    const auto& suites = GetTlsCipherSuites();
    const auto found = std::find_if(suites.begin(), suites.end(), [&name](const auto& suite) {
        return name == suite.name;
    });
    return found == suites.end() ? nullptr : &*found;
}

const TlsCipherSuite*
FindTlsCipherSuite(uint16_t id)
{
    const auto& suites = GetTlsCipherSuites();
    const auto found = std::find_if(suites.begin(), suites.end(), [id](const auto& suite) {
        return id == suite.id;
    });
    return found == suites.end() ? nullptr : &*found;
}

} // namespace ns3
