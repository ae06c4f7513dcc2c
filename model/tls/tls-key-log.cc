/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-key-log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

/// @param octets any @return them in hexadecimal
template <typename Octets>
std::string
WriteHex(const Octets& octets)
{
    static const char* const digits = "0123456789abcdef";
    std::string text;
    for (const uint8_t octet : octets)
    {
        text += digits[octet >> 4];
        text += digits[octet & 15];
    }
    return text;
}

/// @param text in hexadecimal @param[out] octets of it @return whether it is
bool
ReadHex(const std::string& text, std::vector<uint8_t>& octets)
{
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    octets.clear();
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0)
        {
            return false;
        }
        octets.push_back(static_cast<uint8_t>(high << 4 | low));
    }
    return text.size() % 2 == 0 && !text.empty();
}

} // namespace

const char* const TlsKeyLog::CLIENT_HANDSHAKE = "CLIENT_HANDSHAKE_TRAFFIC_SECRET";
const char* const TlsKeyLog::SERVER_HANDSHAKE = "SERVER_HANDSHAKE_TRAFFIC_SECRET";
const char* const TlsKeyLog::CLIENT_APPLICATION = "CLIENT_TRAFFIC_SECRET_0";
const char* const TlsKeyLog::SERVER_APPLICATION = "SERVER_TRAFFIC_SECRET_0";

std::string
TlsKeyLog::Write(const Entry& entry)
{
    return entry.label + " " + WriteHex(entry.random) + " " + WriteHex(entry.secret);
}

std::string
TlsKeyLog::Parse(const std::string& text)
{
    std::istringstream lines(text);
    uint32_t number = 0;
    for (std::string line; std::getline(lines, line);)
    {
        number++;
        std::istringstream words(line);
        Entry entry;
        std::string random;
        std::string secret;
        if (!(words >> entry.label) || entry.label[0] == '#')
        {
            continue;
        }
        std::vector<uint8_t> octets;
        const bool whole = static_cast<bool>(words >> random >> secret);
        if (!whole || !ReadHex(random, octets) || !ReadHex(secret, entry.secret))
        {
            return "line " + std::to_string(number) +
                   " of the key log is not a label and two "
                   "numbers in hexadecimal";
        }
        if (octets.size() == entry.random.size()) // RSA's secrets of earlier versions have another
        {
            std::copy(octets.begin(), octets.end(), entry.random.begin());
            m_entries.push_back(std::move(entry));
        }
    }
    return "";
}

std::string
TlsKeyLog::Read(const std::string& name)
{
    std::ifstream in(name);
    if (!in)
    {
        return name + ": " + std::strerror(errno);
    }
    const std::string fault = Parse({std::istreambuf_iterator<char>(in), {}});
    return fault.empty() ? "" : name + ": " + fault;
}

const std::vector<TlsKeyLog::Entry>&
TlsKeyLog::GetEntries() const
{
    return m_entries;
}

const TlsSecret*
TlsKeyLog::Find(const std::string& label, const TlsRandom& random) const
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.label == label && entry.random == random;
    });
    return found == m_entries.end() ? nullptr : &found->secret;
}

} // namespace ns3
