/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_TEST_MEMORIES_H
#define RDMAP_TEST_MEMORIES_H

#include "rdmap-pair.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

/// @param ird IRD @param ord ORD @return configuration in protection domain 7, stream 5
inline ns3::RdmapConfig
RdmapTestConfig(uint32_t ird = 4, uint32_t ord = 4)
{
    ns3::RdmapConfig config;
    config.pd = 7;
    config.stream = 5;
    config.ird = ird;
    config.ord = ord;
    return config;
}

/// Memory of 64 KiB at both ends of a pair: octets 1, 2, 3, ... at a, and zeros at b.
struct RdmapTestMemories
{
    std::vector<uint8_t> a; //!< octets at a
    std::vector<uint8_t> b; //!< octets at b
    uint32_t stagA;         //!< STag at a
    uint32_t stagB;         //!< STag at b

    /// @param pair whose memory it is
    explicit RdmapTestMemories(RdmapTestPair& pair)
        : a(65536),
          b(65536)
    {
        std::iota(a.begin(), a.end(), 1);
        stagA = pair.a.Register(ns3::DdpMemory::Wrap(a.data(), a.size()), 0x10000);
        stagB = pair.b.Register(ns3::DdpMemory::Wrap(b.data(), b.size()), 0x20000);
    }

    /// @param placeA place at a @param placeB place at b @param size octets @return whether they
    /// are equal
    bool Equal(uint32_t placeA, uint32_t placeB, uint32_t size) const
    {
        return std::equal(a.begin() + placeA, a.begin() + placeA + size, b.begin() + placeB);
    }
};

#endif // RDMAP_TEST_MEMORIES_H
