/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_TEST_UTIL_H
#define ESP_TEST_UTIL_H

#include "ns3/esp-codec.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

using EspOctets = std::vector<uint8_t>; //!< a run of octets

/// \param digits hexadecimal, in pairs \return the octets
inline EspOctets
EspFromHex(const std::string& digits)
{
    EspOctets octets;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    {
        octets.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return octets;
}

/// \param octets any \return hexadecimal digits, as a message shows them
inline std::string
EspToHex(const EspOctets& octets)
{
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (uint8_t octet : octets)
    {
        text += digits[octet >> 4];
        text += digits[octet & 15];
    }
    return text;
}

/// \param size octets wanted \param first what they begin with \return that, counted up
inline EspOctets
CountedOctets(std::size_t size, uint8_t first = 0)
{
    EspOctets octets(size);
    for (std::size_t i = 0; i < size; ++i)
    {
        octets[i] = static_cast<uint8_t>(first + i);
    }
    return octets;
}

/// \param transform cipher and integrity \return keys that fit it
inline EspKeys
TestKeys(const EspTransform& transform)
{
    return {CountedOctets(transform.keySize + transform.saltSize, 1),
            CountedOctets(transform.integrityKeySize, 100)};
}

/**
 * Makes an ESP packet in real mode.
 * \param codec what makes it
 * \param fields SPI, sequence number, next header
 * \param iv to use; empty: the codec's own
 * \param payload to protect
 * \param tfc octets of padding that hides its length
 * \return the packet
 */
inline EspOctets
SealReal(const EspCodec& codec,
         const EspFields& fields,
         const EspOctets& iv,
         const EspOctets& payload,
         uint32_t tfc = 0)
{
    const EspSizes sizes =
        GetEspSizes(codec.GetTransform(), static_cast<uint32_t>(payload.size()), tfc);
    EspOctets packet(sizes.GetTotal(), 0xEE);
    std::copy(payload.begin(), payload.end(), packet.begin() + sizes.GetHead());
    codec.Seal(fields, iv.empty() ? nullptr : iv.data(), sizes, packet.data());
    return packet;
}

} // namespace ns3

#endif // ESP_TEST_UTIL_H
