/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-reassembly-store.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

MpaReassemblyStore::Chunks::const_iterator
MpaReassemblyStore::Find(uint64_t offset) const
{
    // most segments come at the end, and what is asked for is mostly at the front
    if (m_chunks.empty() || m_chunks.front().end > offset)
    {
        return m_chunks.begin();
    }
    if (m_chunks.back().end <= offset)
    {
        return m_chunks.end();
    }
    return std::upper_bound(m_chunks.begin(),
                            m_chunks.end(),
                            offset,
                            [](uint64_t o, const Chunk& c) { return o < c.end; });
}

void
MpaReassemblyStore::InsertReference(uint64_t start,
                                    const uint8_t* data,
                                    uint32_t size,
                                    uint64_t stamp,
                                    bool late)
{
    m_chunks.insert(Find(start), Chunk{start, start + size, data, nullptr, stamp, late});
    m_lentFrom = std::min(m_lentFrom, start);
    m_lentTo = std::max(m_lentTo, start + size);
}

uint32_t
MpaReassemblyStore::Keep(uint32_t& pieces)
{
    uint32_t kept = 0;
    for (auto it = m_chunks.begin() + (Find(m_lentFrom) - m_chunks.begin());
         it != m_chunks.end() && it->start < m_lentTo;
         ++it)
    {
        if (!it->octets)
        {
            const auto size = static_cast<uint32_t>(it->end - it->start);
            it->octets.reset(new uint8_t[size]);
            std::memcpy(it->octets.get(), it->data, size);
            it->data = it->octets.get();
            kept += size;
            ++pieces;
        }
    }
    m_held += kept;
    m_lentFrom = UINT64_MAX;
    m_lentTo = 0;
    return kept;
}

void
MpaReassemblyStore::Return()
{
    m_chunks.erase(
        std::remove_if(m_chunks.begin(), m_chunks.end(), [](const Chunk& c) { return !c.octets; }),
        m_chunks.end());
    m_lentFrom = UINT64_MAX;
    m_lentTo = 0;
}

void
MpaReassemblyStore::Erase(uint64_t from, uint64_t to)
{
    auto it = m_chunks.begin() + (Find(from) - m_chunks.begin());
    if (it != m_chunks.end() && it->start < from)
    {
        if (it->end > to) // a hole within one chunk
        {
            Chunk behind{to, it->end, it->data + (to - it->start), nullptr, it->stamp, it->late};
            if (it->octets)
            {
                const std::size_t size = behind.end - behind.start;
                behind.octets.reset(new uint8_t[size]);
                std::memcpy(behind.octets.get(), behind.data, size);
                behind.data = behind.octets.get();
                m_held -= to - from;
            }
            it->end = from;
            m_chunks.insert(it + 1, std::move(behind));
            return;
        }
        m_held -= it->octets ? it->end - from : 0;
        it->end = from;
        ++it;
    }
    const auto first = it;
    while (it != m_chunks.end() && it->end <= to)
    {
        m_held -= it->octets ? it->end - it->start : 0;
        ++it;
    }
    if (it != m_chunks.end() && it->start < to)
    {
        m_held -= it->octets ? to - it->start : 0;
        it->data += to - it->start;
        it->start = to;
    }
    m_chunks.erase(first, it);
}

void
MpaReassemblyStore::Clear()
{
    Chunks().swap(m_chunks);
    m_held = 0;
    m_lentFrom = UINT64_MAX;
    m_lentTo = 0;
}

uint64_t
MpaReassemblyStore::Contiguous(uint64_t offset, uint64_t want) const
{
    uint64_t at = offset;
    for (auto it = Find(offset); it != m_chunks.end() && it->start <= at; ++it)
    {
        at = it->end;
        if (at - offset >= want)
        {
            return want;
        }
    }
    return at - offset;
}

uint64_t
MpaReassemblyStore::RunStart(uint64_t offset) const
{
    auto it = Find(offset);
    if (it == m_chunks.end() || it->start > offset)
    {
        return offset;
    }
    while (it != m_chunks.begin() && (it - 1)->end == it->start)
    {
        --it;
    }
    return it->start;
}

uint64_t
MpaReassemblyStore::Next(uint64_t offset) const
{
    const auto it = Find(offset);
    return it == m_chunks.end() ? UINT64_MAX : std::max(offset, it->start);
}

MpaReassemblyStore::Span
MpaReassemblyStore::Peek(uint64_t offset, uint32_t& size) const
{
    const auto it = Find(offset);
    if (it == m_chunks.end() || it->start > offset)
    {
        size = 0;
        return {};
    }
    size = static_cast<uint32_t>(it->end - offset);
    Span span;
    span.data = it->data + (offset - it->start);
    span.pieces = 1;
    span.lent = it->octets ? 0 : size;
    span.late = it->octets && it->late ? size : 0;
    span.stamp = it->stamp;
    return span;
}

MpaReassemblyStore::Span
MpaReassemblyStore::Gather(uint64_t offset, uint32_t size, uint8_t* out) const
{
    Span span;
    span.data = out;
    for (auto it = Find(offset); size > 0; ++it)
    {
        const auto run = static_cast<uint32_t>(std::min<uint64_t>(size, it->end - offset));
        std::memcpy(out, it->data + (offset - it->start), run);
        ++span.pieces;
        span.lent += it->octets ? 0 : run;
        span.late += it->octets && it->late ? run : 0;
        span.stamp = std::max(span.stamp, it->stamp);
        out += run;
        offset += run;
        size -= run;
    }
    return span;
}

} // namespace ns3
