/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TEST_UTIL_H
#define MPA_TEST_UTIL_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// What the suites of the MPA layer share: octets as hex, and slow, plain renderings of the RFC.
namespace mpatest
{

using Octets = std::vector<uint8_t>; //!< a run of octets

/// @param text hex digits, white space ignored @return the octets
inline Octets
FromHex(const std::string& text)
{
    Octets out;
    unsigned value = 0;
    bool half = false;
    for (char c : text)
    {
        const bool digit = c >= '0' && c <= '9';
        const bool upper = c >= 'A' && c <= 'F';
        if (digit || upper)
        {
            value = value << 4 | static_cast<unsigned>(digit ? c - '0' : c - 'A' + 10);
            if (half)
            {
                out.push_back(static_cast<uint8_t>(value));
            }
            half = !half;
        }
    }
    return out;
}

/// @param data octets @param size how many @return upper-case hex, octets parted by spaces
inline std::string
ToHex(const uint8_t* data, std::size_t size)
{
    const char* digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(3 * size);
    for (std::size_t i = 0; i < size; ++i)
    {
        if (i > 0)
        {
            out.push_back(' ');
        }
        out.push_back(digits[data[i] >> 4]);
        out.push_back(digits[data[i] & 15]);
    }
    return out;
}

/// @param octets octets @return upper-case hex
inline std::string
ToHex(const Octets& octets)
{
    return ToHex(octets.data(), octets.size());
}

/// @param size how many @return octets i mod 256
inline Octets
Ramp(std::size_t size)
{
    Octets out(size);
    for (std::size_t i = 0; i < size; ++i)
    {
        out[i] = static_cast<uint8_t>(i);
    }
    return out;
}

/**
 * @brief CRC32c bit by bit, in the normal form of the polynomial, as RFC 3720 describes it.
 * @param data octets
 * @param size how many
 * @return the four octets as they stand on the wire
 */
inline Octets
SlowCrc(const uint8_t* data, std::size_t size)
{
    uint32_t reg = 0xFFFFFFFF;
    for (std::size_t i = 0; i < size; ++i)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            const bool in = data[i] >> bit & 1;
            const bool top = reg >> 31;
            reg = reg << 1 ^ (in != top ? 0x1EDC6F41U : 0);
        }
    }
    reg = ~reg;
    Octets out(4);
    for (int bit = 0; bit < 32; ++bit) // x^31 goes first, least significant bit first
    {
        out[bit / 8] |= static_cast<uint8_t>((reg >> (31 - bit) & 1) << (bit % 8));
    }
    return out;
}

/**
 * @brief An FPDU built octet by octet: before each octet a Marker is put if one is due.
 * @param ulpdu ULPDU
 * @param position position of the first octet
 * @param markers Markers in use
 * @return the FPDU's octets
 */
inline Octets
SlowFpdu(const Octets& ulpdu, uint32_t position, bool markers)
{
    // padded to a multiple of four, behind two octets of length
    Octets base((ulpdu.size() + 5) / 4 * 4);
    base[0] = static_cast<uint8_t>(ulpdu.size() >> 8);
    base[1] = static_cast<uint8_t>(ulpdu.size());
    std::copy(ulpdu.begin(), ulpdu.end(), base.begin() + 2);
    Octets out;
    uint32_t header = 0;
    auto marker = [&]() {
        const auto here = static_cast<uint32_t>(position + out.size());
        if (markers && here % 512 == 0)
        {
            const uint32_t pointer = out.empty() ? 0 : here - header;
            out.insert(out.end(), {0, 0, uint8_t(pointer >> 8), uint8_t(pointer)});
        }
    };
    for (std::size_t i = 0; i < base.size(); ++i)
    {
        marker();
        if (i == 0)
        {
            header = static_cast<uint32_t>(position + out.size());
        }
        out.push_back(base[i]);
    }
    marker();
    const Octets crc = SlowCrc(out.data(), out.size());
    out.insert(out.end(), crc.begin(), crc.end());
    return out;
}

} // namespace mpatest

#endif // MPA_TEST_UTIL_H
