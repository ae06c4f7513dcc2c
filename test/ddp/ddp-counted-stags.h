/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_COUNTED_STAGS_H
#define DDP_COUNTED_STAGS_H

#include "ns3/ddp-stag-table.h"

#include <cstdint>
#include <utility>

/// A table whose STags are known beforehand, 0x101, 0x201 and so on, for octets written by hand.
struct CountedStagTable : ns3::DdpStagTable
{
    /// @param capacity most STags at a time
    explicit CountedStagTable(uint32_t capacity = 0xFFFFFF)
        : DdpStagTable(capacity,
                       [next = 0x101U]() mutable { return std::exchange(next, next + 0x100); })
    {
    }
};

#endif // DDP_COUNTED_STAGS_H
