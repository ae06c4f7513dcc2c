/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_MEMORY_H
#define LIVE_MEMORY_H

#include "ns3/abort.h"
#include "ns3/rdma-protection-domain.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace live
{

/// Rights to a memory that is the owner's alone.
constexpr uint32_t LOCAL = ns3::DDP_ACCESS_LOCAL_WRITE;
/// Rights to a memory that the peer may read and write.
constexpr uint32_t SHARED =
    ns3::DDP_ACCESS_LOCAL_WRITE | ns3::DDP_ACCESS_REMOTE_WRITE | ns3::DDP_ACCESS_REMOTE_READ;

/// One registered piece of memory with octets behind it.
struct Memory
{
    ns3::Ptr<ns3::RdmaMemoryRegion> region; //!< how it is registered
    std::vector<uint8_t> octets;            //!< what is in it

    /// Register. @param pd where @param size octets @param address of the first
    /// @param access rights, bits of DdpAccess
    void Make(ns3::Ptr<ns3::RdmaProtectionDomain> pd,
              uint64_t size,
              uint64_t address,
              uint32_t access)
    {
        octets.assign(size, 0);
        region = pd->RegisterMemory(ns3::DdpMemory::Wrap(octets.data(), size), address, access);
        NS_ABORT_MSG_IF(!region, "cannot register memory");
    }

    /// @param offset of the first octet @param length octets @return an entry of a list
    ns3::RdmaSge Sge(uint64_t offset, uint32_t length) const
    {
        return region->GetSge(offset, length);
    }

    /// @param i number of an octet @param turned added to it
    /// @return the octet of the pattern that both ends know
    static uint8_t Pattern(uint64_t i, uint32_t turned)
    {
        return static_cast<uint8_t>((i ^ (i >> 8) ^ (i >> 16)) + turned);
    }

    /// Fill the beginning with the pattern. @param length octets @param turned added to each
    void Fill(uint64_t length, uint32_t turned = 0)
    {
        for (uint64_t i = 0; i < length; i++)
        {
            octets[i] = Pattern(i, turned);
        }
    }

    /// @param offset of the first octet @param length octets @param turned added to each
    /// @return whether they are those of the pattern
    bool Has(uint64_t offset, uint64_t length, uint32_t turned = 0) const
    {
        uint64_t i = 0;
        while (i < length && octets[offset + i] == Pattern(i, turned))
        {
            i++;
        }
        return i == length;
    }

    /// Make all octets zero.
    void Clear()
    {
        std::fill(octets.begin(), octets.end(), 0);
    }
};

} // namespace live

#endif // LIVE_MEMORY_H
