/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_PACKED_H
#define IPSEC_PACKED_H

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Datagrams written by hand, of the hosts that IpsecRun has over IPv4.
 */

using Packed = std::vector<uint8_t>; //!< octets of a datagram

inline const Packed TCP_HEAD{0xC0, 0x01, 0,    7,    1, 2, 3, 4, 5, 6,
                             7,    8,    0x50, 0x10, 0, 9, 0, 0, 0, 0};
inline const Packed ESP_HEAD{0, 0, 0x10, 1, 0, 0, 0, 9};

/// @param a octets @param b octets behind them @return both
inline Packed
Append(Packed a, const Packed& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/**
 * Write a datagram of host 10.0.0.2 or fd00::2 to 10.1.0.2 or fd00:1::2 (RFC 791, RFC 8200).
 * @param ipv6 version
 * @param protocol next layer
 * @param payload behind the header
 * @param fragment flags and offset as IPv4 has them, 0x2000 for more; identification is 77
 * @return it
 */
inline Packed
Wrap(bool ipv6, uint8_t protocol, Packed payload, uint16_t fragment = 0)
{
    const auto high = [](std::size_t value) { return static_cast<uint8_t>(value >> 8); };
    const auto low = [](std::size_t value) { return static_cast<uint8_t>(value); };
    if (!ipv6)
    {
        const std::size_t size = 20 + payload.size();
        return Append({0x45,
                       0,
                       high(size),
                       low(size),
                       0,
                       77,
                       high(fragment),
                       low(fragment),
                       64,
                       protocol,
                       0,
                       0,
                       10,
                       0,
                       0,
                       2,
                       10,
                       1,
                       0,
                       2},
                      payload);
    }
    if (fragment > 0)
    {
        const std::size_t place = (fragment & 0x1FFF) << 3 | (fragment & 0x2000) >> 13;
        payload = Append({protocol, 0, high(place), low(place), 0, 0, 0, 77}, payload);
        protocol = 44;
    }
    Packed header{0x60, 0, 0, 0, high(payload.size()), low(payload.size()), protocol, 64};
    header.resize(40);
    header[8] = header[24] = 0xFD;
    header[23] = header[39] = 2;
    header[27] = 1;
    return Append(header, payload);
}

/// @param from first port @param to second port @param payload octets @return of a UDP datagram
inline Packed
WrapUdp(uint16_t from, uint16_t to, const Packed& payload)
{
    return Append({static_cast<uint8_t>(from >> 8),
                   static_cast<uint8_t>(from),
                   static_cast<uint8_t>(to >> 8),
                   static_cast<uint8_t>(to),
                   0,
                   static_cast<uint8_t>(8 + payload.size()),
                   0,
                   0},
                  payload);
}

#endif // IPSEC_PACKED_H
