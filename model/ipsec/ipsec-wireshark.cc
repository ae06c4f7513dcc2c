/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-wireshark.h"

#include "ipsec-association.h"

#include <iomanip>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// @param transform cipher and integrity @return Wireshark's name of the cipher; empty: it has none
std::string
GetCipherName(const EspTransform& transform)
{
    switch (transform.cipher)
    {
    case EspCipher::NULL_CIPHER:
        return "NULL";
    case EspCipher::AES_CBC:
        return "AES-CBC [RFC3602]";
    case EspCipher::AES_CTR:
        return "AES-CTR [RFC3686]";
    case EspCipher::AES_GCM:
        return "AES-GCM with " + std::to_string(transform.icvSize) + " octet ICV [RFC4106]";
    case EspCipher::CHACHA20_POLY1305:
        break;
    }
    return "";
}

/// @param integrity an algorithm @return Wireshark's name of it
std::string
GetIntegrityName(EspIntegrity integrity)
{
    switch (integrity)
    {
    case EspIntegrity::NONE:
        break;
    case EspIntegrity::HMAC_SHA1_96:
        return "HMAC-SHA-1-96 [RFC2404]";
    case EspIntegrity::HMAC_SHA2_256_128:
        return "HMAC-SHA-256-128 [RFC4868]";
    case EspIntegrity::HMAC_SHA2_384_192:
        return "HMAC-SHA-384-192 [RFC4868]";
    case EspIntegrity::HMAC_SHA2_512_256:
        return "HMAC-SHA-512-256 [RFC4868]";
    }
    return "NULL";
}

/// @param key octets @return them in hexadecimal; nothing for none
std::string
GetHexadecimal(const std::vector<uint8_t>& key)
{
    std::ostringstream text;
    text << (key.empty() ? "" : "0x") << std::hex << std::setfill('0');
    for (uint8_t octet : key)
    {
        text << std::setw(2) << +octet;
    }
    return text.str();
}

} // namespace

std::string
GetWiresharkLine(const IpsecAssociationConfig& config)
{
    const std::string cipher = GetCipherName(*config.transform);
    if (cipher.empty())
    {
        return "";
    }
    std::ostringstream line;
    line << '"' << (config.destination.IsIpv6() ? "IPv6" : "IPv4");
    line << "\",\"" << config.source.ToString();
    line << "\",\"" << config.destination.ToString();
    line << "\",\"0x" << std::hex << std::setfill('0') << std::setw(8) << config.spi;
    line << "\",\"" << cipher;
    line << "\",\"" << GetHexadecimal(config.keys.cipher);
    line << "\",\"" << GetIntegrityName(config.transform->integrity);
    line << "\",\"" << GetHexadecimal(config.keys.integrity) << '"';
    return line.str();
}

} // namespace ns3
