/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-wireshark.h"

#include "ipsec-association.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

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

/// @param text a line @param[out] columns what it has between quotation marks @return false: it is
/// no row of a table
bool
SplitColumns(const std::string& text, std::vector<std::string>& columns)
{
    std::size_t at = 0;
    const auto skip = [&] {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
        {
            at++;
        }
    };
    for (bool more = true; more; at++)
    {
        skip();
        const std::size_t end = at < text.size() ? text.find('"', at + 1) : std::string::npos;
        if (end == std::string::npos || text[at] != '"')
        {
            return false;
        }
        columns.push_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
        skip();
        more = at < text.size();
        if (more && text[at] != ',')
        {
            return false;
        }
    }
    return true;
}

/// @param text octets in hexadecimal, or the octets themselves @param[out] key octets @return
/// false: a digit is none
bool
ReadKey(const std::string& text, std::vector<uint8_t>& key)
{
    if (text.size() < 2 || text[0] != '0' || std::tolower(text[1]) != 'x')
    {
        key.assign(text.begin(), text.end());
        return true;
    }
    const std::string digits = (text.size() % 2 == 0 ? "" : "0") + text.substr(2);
    key.clear();
    for (std::size_t i = 0; i < digits.size(); i += 2)
    {
        if (!std::isxdigit(static_cast<unsigned char>(digits[i])) ||
            !std::isxdigit(static_cast<unsigned char>(digits[i + 1])))
        {
            return false;
        }
        key.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return true;
}

/// @param text a number @param base 0: as it begins @param most largest @param[out] number it
/// @return false: it is none
bool
ReadNumber(const std::string& text, int base, uint64_t most, uint64_t& number)
{
    std::size_t used = 0;
    try
    {
        number = text.empty() || text[0] == '-' ? most + 1 : std::stoull(text, &used, base);
    }
    catch (const std::logic_error&)
    {
        return false;
    }
    return used == text.size() && number <= most;
}

/// @param text an address, a prefix or "*" @param protocol IPv4, IPv6 or Any @param[out] prefix it
/// @return false: it is none of that protocol
bool
ReadPrefix(const std::string& text, const std::string& protocol, IpsecPrefix& prefix)
{
    const bool any = protocol == "Any";
    if (text == "*")
    {
        prefix = any ? IpsecPrefix() : IpsecPrefix(protocol == "IPv6" ? "::" : "0.0.0.0", 0);
        return true;
    }
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string address = text.substr(0, slash);
    uint8_t octets[16];
    const bool ipv6 = address.find(':') != std::string::npos;
    if (inet_pton(ipv6 ? AF_INET6 : AF_INET, address.c_str(), octets) != 1 ||
        (!any && ipv6 != (protocol == "IPv6")))
    {
        return false;
    }
    prefix = ipv6 ? IpsecPrefix(IpsecAddress(Ipv6Address::Deserialize(octets)))
                  : IpsecPrefix(IpsecAddress(Ipv4Address::Deserialize(octets)));
    uint64_t bits = prefix.bits;
    if (slash < text.size() && !ReadNumber(text.substr(slash + 1), 10, prefix.bits, bits))
    {
        return false;
    }
    prefix.bits = static_cast<uint8_t>(bits);
    return true;
}

/// @param cipher Wireshark's name @param integrity Wireshark's name @param[in,out] keys whose keys
/// are known; receives the transform @return what is wrong
std::string
ReadAlgorithms(const std::string& cipher, const std::string& integrity, WiresharkKeys& keys)
{
    bool known = false;
    for (const auto& name : GetEspTransformNames())
    {
        const EspTransform* transform = FindEspTransform(name);
        if (transform->cipherNames.wireshark == cipher &&
            transform->integrityNames.wireshark == integrity)
        {
            known = true;
            if (EspCodec::CheckKeys(*transform, keys.keys).empty())
            {
                keys.transform = transform;
                return "";
            }
        }
    }
    return known ? "keys of " + std::to_string(keys.keys.cipher.size()) + " and " +
                       std::to_string(keys.keys.integrity.size()) + " octets do not fit '" +
                       cipher + "' and '" + integrity + "'"
                 : "'" + cipher + "' with '" + integrity + "' is not known here";
}

} // namespace

std::string
GetWiresharkLine(const IpsecAssociationConfig& config, WiresharkTable table)
{
    const bool ten = table == WiresharkTable::TEN_COLUMNS;
    const EspTransform::Names& cipher = config.transform->cipherNames;
    const EspTransform::Names& integrity = config.transform->integrityNames;
    if (*cipher.wireshark == 0 || *integrity.wireshark == 0 ||
        (!ten && (cipher.since42 || integrity.since42)))
    {
        return "";
    }
    std::ostringstream line;
    line << '"' << (config.destination.IsIpv6() ? "IPv6" : "IPv4");
    line << "\",\"" << config.source.ToString();
    line << "\",\"" << config.destination.ToString();
    line << "\",\"0x" << std::hex << std::setfill('0') << std::setw(8) << config.spi;
    line << "\",\"" << cipher.wireshark;
    line << "\",\"" << GetHexadecimal(config.keys.cipher);
    line << "\",\"" << integrity.wireshark;
    line << "\",\"" << GetHexadecimal(config.keys.integrity) << '"';
    if (ten)
    {
        const uint64_t high = config.extended ? config.sequence >> 32 : 0;
        line << ",\"" << (config.extended ? "64-bit" : "32-bit") << "\",\"" << high << '"';
    }
    return line.str();
}

std::string
GetWiresharkFile(const std::string& prefix, WiresharkTable table)
{
    return prefix + (table == WiresharkTable::TEN_COLUMNS ? "-esp_sa" : "-esp_sa-4.0");
}

std::string
ReadWiresharkLine(const std::string& line, WiresharkKeys& keys)
{
    keys = {};
    std::vector<std::string> columns;
    if (!SplitColumns(line, columns) || (columns.size() != 8 && columns.size() != 10))
    {
        return "not 8 or 10 columns, each between quotation marks and with commas between them";
    }
    const std::string& protocol = columns[0];
    if (protocol != "IPv4" && protocol != "IPv6" && protocol != "Any")
    {
        return "'" + protocol + "' is neither IPv4 nor IPv6 nor Any";
    }
    IpsecPrefix* const prefixes[] = {&keys.source, &keys.destination};
    for (std::size_t i = 0; i < 2; i++)
    {
        if (!ReadPrefix(columns[1 + i], protocol, *prefixes[i]))
        {
            return "'" + columns[1 + i] + "' is no address or prefix of " + protocol + ", nor *";
        }
    }
    uint64_t spi = 0;
    if (columns[3] != "*" && !ReadNumber(columns[3], 0, UINT32_MAX, spi))
    {
        return "'" + columns[3] + "' is no SPI, nor *";
    }
    keys.spi = columns[3] == "*" ? std::nullopt : std::optional(static_cast<uint32_t>(spi));
    if (!ReadKey(columns[5], keys.keys.cipher) || !ReadKey(columns[7], keys.keys.integrity))
    {
        return "a key has what is no hexadecimal digit";
    }
    if (columns.size() == 10)
    {
        uint64_t high = 0;
        if ((columns[8] != "32-bit" && columns[8] != "64-bit") ||
            !ReadNumber(columns[9], 16, UINT32_MAX, high))
        {
            return "'" + columns[8] + "' and '" + columns[9] +
                   "' are not 32-bit or 64-bit and the upper half of sequence numbers";
        }
        keys.extended = columns[8] == "64-bit";
        keys.high = static_cast<uint32_t>(high);
    }
    return ReadAlgorithms(columns[4], columns[6], keys);
}

} // namespace ns3
