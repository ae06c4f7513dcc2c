/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-esp.h"

#include "ns3/ddp-octets.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

namespace ns3
{

namespace
{

/// @param end of a datagram @return its address
IpsecAddress
ToIpsecAddress(const DecodeEndpoint& end)
{
    return end.ipv6 ? IpsecAddress(Ipv6Address::Deserialize(end.address.data()))
                    : IpsecAddress(Ipv4Address::Deserialize(end.address.data()));
}

} // namespace

std::string
DecodeEsp::Read(const std::string& file)
{
    if (!EspCodec::HasReal())
    {
        return file + ": this build has no OpenSSL, so it opens no ESP; install libssl-dev and "
                      "build again";
    }
    struct stat status;
    std::ifstream stream(file);
    if (stat(file.c_str(), &status) != 0 || !stream)
    {
        return file + ": " + std::strerror(errno);
    }
    if (S_ISDIR(status.st_mode))
    {
        return file + ": not a file";
    }
    uint64_t number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        number++;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#')
        {
            continue;
        }
        WiresharkKeys keys;
        const std::string problem = ReadWiresharkLine(line, keys);
        if (!problem.empty())
        {
            return file + ": line " + std::to_string(number) + ": " + problem;
        }
        Add(keys);
    }
    return "";
}

void
DecodeEsp::Add(const WiresharkKeys& keys)
{
    (keys.spi ? m_named[*keys.spi] : m_any).push_back(m_lines.size());
    m_lines.push_back(
        {keys, EspCodec(*keys.transform, keys.keys, EspCodec::Mode::REAL, keys.extended)});
}

std::size_t
DecodeEsp::GetN() const
{
    return m_lines.size();
}

DecodeEsp::Result
DecodeEsp::Open(const DecodeFragment& packet, std::vector<uint8_t>& octets, EspOpened& opened) const
{
    if (packet.size < ESP_HEADER_SIZE)
    {
        return Result::DAMAGED;
    }
    const auto low = ddp::LoadBig<uint32_t>(packet.data + 4);
    const IpsecAddress from = ToIpsecAddress(packet.from);
    const IpsecAddress to = ToIpsecAddress(packet.to);
    const auto named = m_named.find(ddp::LoadBig<uint32_t>(packet.data));
    const Lines none;
    bool found = false;
    for (const Lines* lines : {named == m_named.end() ? &none : &named->second, &m_any})
    {
        for (const std::size_t i : *lines)
        {
            const WiresharkKeys& keys = m_lines[i].keys;
            if (!keys.source.Holds(from) || !keys.destination.Holds(to))
            {
                continue;
            }
            found = true;
            const uint64_t sequence = static_cast<uint64_t>(keys.high) << 32 | low;
            octets.assign(packet.data, packet.data + packet.size);
            opened = m_lines[i].codec.Open(sequence, octets.data(), octets.size());
            if (opened.result == EspResult::OK && packet.size == packet.length)
            {
                return Result::OPENED;
            }
        }
    }
    return found ? Result::DAMAGED : Result::NO_KEY;
}

} // namespace ns3
