/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-prefix.h"

#include <algorithm>
#include <arpa/inet.h>
#include <istream>
#include <iterator>
#include <ostream>

namespace ns3
{

ATTRIBUTE_HELPER_CPP(PathPrefix);

bool
PathPrefix::Parse(const std::string& text)
{
    const auto slash = text.find('/');
    PathPrefix read;
    read.m_text = text;
    read.m_ipv6 = text.find(':') != std::string::npos;
    read.m_bits = read.m_ipv6 ? 128 : 32;
    bool good = text.empty() || inet_pton(read.m_ipv6 ? AF_INET6 : AF_INET,
                                          text.substr(0, slash).c_str(),
                                          read.m_octets.data()) == 1;
    if (slash != std::string::npos)
    {
        const std::string bits = text.substr(slash + 1);
        good = good && !bits.empty() && bits.size() <= 3 &&
               std::all_of(bits.begin(), bits.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
               std::stoul(bits) <= read.m_bits;
        read.m_bits = good ? static_cast<uint32_t>(std::stoul(bits)) : 0;
    }
    if (good)
    {
        *this = read;
    }
    return good;
}

const std::string&
PathPrefix::GetText() const
{
    return m_text;
}

bool
PathPrefix::Matches(const uint8_t* address, bool ipv6) const
{
    if (m_text.empty())
    {
        return true;
    }
    const uint32_t whole = m_bits / 8;
    const uint32_t rest = 8 - m_bits % 8; // bits of the next octet that do not count
    return ipv6 == m_ipv6 && std::equal(address, address + whole, m_octets.begin()) &&
           (rest == 8 || (address[whole] ^ m_octets[whole]) >> rest == 0);
}

std::ostream&
operator<<(std::ostream& stream, const PathPrefix& prefix)
{
    return stream << prefix.GetText();
}

std::istream&
operator>>(std::istream& stream, PathPrefix& prefix)
{
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    stream.setstate(prefix.Parse(text) ? std::ios::eofbit : std::ios::eofbit | std::ios::failbit);
    return stream;
}

} // namespace ns3
