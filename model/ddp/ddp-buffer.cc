/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-buffer.h"

#include <algorithm>

namespace ns3
{

uint64_t
DdpLengthOf(const DdpSgeList& list)
{
    uint64_t length = 0;
    for (const auto& piece : list)
    {
        length += piece.length;
    }
    return length;
}

void
DdpCutSges(const DdpSgeList& list, uint32_t offset, uint32_t size, DdpSgeList& range)
{
    for (const auto& piece : list)
    {
        if (offset < piece.length && size > 0)
        {
            const uint32_t part = std::min(piece.length - offset, size);
            range.push_back({piece.to + offset, part, piece.stag});
            size -= part;
            offset += part;
        }
        offset -= std::min(offset, piece.length);
    }
}

bool
DdpMayUse(const DdpSgeList& list,
          const DdpStagTable& table,
          uint32_t pd,
          uint32_t stream,
          uint32_t access)
{
    const DdpStagEntry* entry;
    return std::all_of(list.begin(), list.end(), [&](const DdpSge& p) {
        return p.length == 0 || table.Check(p.stag, pd, stream, p.to, p.length, access, &entry) ==
                                    DdpStagVerdict::OK;
    });
}

DdpGather
DdpReadSges(const DdpSgeList& list,
            const DdpStagTable& table,
            uint32_t pd,
            uint32_t stream,
            uint32_t offset,
            uint32_t size,
            std::vector<uint8_t>& scratch,
            const uint8_t** octets)
{
    uint32_t done = 0;
    bool allZeros = true;
    bool copied = false;
    for (const auto& piece : list)
    {
        if (offset >= piece.length)
        {
            offset -= piece.length;
            continue;
        }
        const uint32_t part = std::min(piece.length - offset, size - done);
        const DdpStagEntry* entry;
        if (table.Check(piece.stag, pd, stream, piece.to, piece.length, DDP_ACCESS_NONE, &entry) !=
            DdpStagVerdict::OK)
        {
            return DdpGather::INVALID;
        }
        const uint64_t place = entry->offset + (piece.to - entry->base) + offset;
        const bool zeros = entry->memory->IsVirtual();
        if (done == 0 && part == size)
        {
            *octets = entry->memory->View(place, part);
            return zeros ? DdpGather::ZEROS : DdpGather::OCTETS;
        }
        allZeros = allZeros && zeros;
        if (!allZeros && !copied)
        {
            scratch.assign(size, 0);
            copied = true;
        }
        if (!zeros && !entry->memory->Read(place, scratch.data() + done, part))
        {
            return DdpGather::INVALID;
        }
        done += part;
        offset = 0;
        if (done == size)
        {
            break;
        }
    }
    if (done < size)
    {
        return DdpGather::INVALID;
    }
    *octets = scratch.data();
    return allZeros ? DdpGather::ZEROS : DdpGather::OCTETS;
}

bool
DdpWriteSges(const DdpSgeList& list,
             const DdpStagTable& table,
             uint32_t pd,
             uint32_t stream,
             uint32_t offset,
             const uint8_t* data,
             uint32_t available,
             uint32_t size)
{
    uint32_t done = 0;
    for (const auto& piece : list)
    {
        if (done == size)
        {
            break;
        }
        if (offset >= piece.length)
        {
            offset -= piece.length;
            continue;
        }
        const uint32_t part = std::min(piece.length - offset, size - done);
        const DdpStagEntry* entry;
        if (table.Check(piece.stag,
                        pd,
                        stream,
                        piece.to,
                        piece.length,
                        DDP_ACCESS_LOCAL_WRITE,
                        &entry) != DdpStagVerdict::OK)
        {
            return false;
        }
        const uint32_t real = available > done ? available - done : 0;
        if (!entry->memory->Write(entry->offset + (piece.to - entry->base) + offset,
                                  real > 0 ? data + done : nullptr,
                                  real,
                                  part))
        {
            return false;
        }
        done += part;
        offset = 0;
    }
    return done == size;
}

} // namespace ns3
