/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-stag-table.h"

#include "ns3/abort.h"

#include <limits>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t KEY_BITS = 8; // of an STag's 32 (RDMA Protocol Verbs Specification)

} // namespace

DdpError
DdpErrorFor(DdpStagVerdict verdict)
{
    switch (verdict)
    {
    case DdpStagVerdict::NOT_ASSOCIATED:
        return DdpError::TAGGED_NOT_ASSOCIATED;
    case DdpStagVerdict::WRAP:
        return DdpError::TAGGED_TO_WRAP;
    case DdpStagVerdict::BOUNDS:
        return DdpError::TAGGED_BASE_BOUNDS;
    case DdpStagVerdict::INVALID:
    case DdpStagVerdict::NO_RIGHT:
        return DdpError::TAGGED_INVALID_STAG;
    case DdpStagVerdict::OK:
        break;
    }
    return DdpError::NONE;
}

DdpStagTable::DdpStagTable(uint32_t capacity, Draw draw)
    : m_capacity(capacity),
      m_draw(std::move(draw))
{
    NS_ABORT_MSG_IF(capacity == 0 || capacity > 0xFFFFFF,
                    "a table of STags takes 1 to 16777215 of them, not " << capacity);
}

bool
DdpStagTable::IsSound(const DdpStagEntry& entry)
{
    return entry.memory && entry.length <= std::numeric_limits<uint64_t>::max() - entry.base &&
           entry.memory->Holds(entry.offset, entry.length);
}

template <typename Entries>
auto
DdpStagTable::Locate(Entries& entries, uint32_t stag)
{
    const auto found = entries.find(stag);
    return found == entries.end() ? nullptr : &found->second;
}

void
DdpStagTable::CountWindow(const DdpStagEntry& entry, bool more)
{
    DdpStagEntry* region = entry.valid ? Locate(m_entries, entry.region) : nullptr;
    if (region != nullptr)
    {
        more ? ++region->windows : --region->windows;
    }
}

uint32_t
DdpStagTable::Choose() const
{
    uint32_t stag;
    do
    {
        stag = m_draw();
    } while (stag == NO_STAG || m_entries.count(stag) != 0 || m_keyed.count(stag >> KEY_BITS) != 0);
    return stag;
}

uint32_t
DdpStagTable::Add(const DdpStagEntry& entry)
{
    if (m_entries.size() == m_capacity || !IsSound(entry))
    {
        return NO_STAG;
    }
    const uint32_t stag = Choose();
    m_entries.emplace(stag, entry).first->second.windows = 0;
    CountWindow(entry, true);
    return stag;
}

uint32_t
DdpStagTable::AddKeyed(const DdpStagEntry& entry)
{
    if (m_entries.size() == m_capacity || !IsSound(entry))
    {
        return NO_STAG;
    }
    uint32_t stag;
    bool taken;
    do
    {
        stag = Choose();
        const uint32_t first = stag >> KEY_BITS << KEY_BITS;
        taken = first == NO_STAG; // with key 0 it would be no STag
        for (uint32_t key = 0; key < 1U << KEY_BITS && !taken; key++)
        {
            taken = m_entries.count(first + key) != 0;
        }
    } while (taken);
    m_keyed.insert(stag >> KEY_BITS);
    m_entries.emplace(stag, entry).first->second.windows = 0;
    return stag;
}

bool
DdpStagTable::ChangeKey(uint32_t stag, uint8_t key)
{
    if (m_keyed.count(stag >> KEY_BITS) == 0)
    {
        return false;
    }
    auto node = m_entries.extract(stag);
    if (node.empty())
    {
        return false;
    }
    node.key() = (stag >> KEY_BITS << KEY_BITS) + key;
    m_entries.insert(std::move(node));
    return true;
}

const DdpStagEntry*
DdpStagTable::Find(uint32_t stag) const
{
    return Locate(m_entries, stag);
}

bool
DdpStagTable::Remove(uint32_t stag)
{
    const DdpStagEntry* entry = Find(stag);
    const bool known = entry != nullptr;
    if (known)
    {
        CountWindow(*entry, false);
        m_entries.erase(stag);
        m_keyed.erase(stag >> KEY_BITS);
    }
    return known;
}

bool
DdpStagTable::Invalidate(uint32_t stag)
{
    DdpStagEntry* entry = Locate(m_entries, stag);
    if (entry == nullptr || !entry->valid || entry->windows > 0)
    {
        return false;
    }
    CountWindow(*entry, false);
    entry->valid = false;
    return true;
}

bool
DdpStagTable::Update(uint32_t stag, const DdpStagEntry& entry)
{
    DdpStagEntry* found = Locate(m_entries, stag);
    if (found == nullptr || !IsSound(entry))
    {
        return false;
    }
    const uint32_t windows = found->windows;
    CountWindow(*found, false);
    *found = entry;
    found->windows = windows;
    CountWindow(entry, true);
    return true;
}

uint32_t
DdpStagTable::Rekey(uint32_t stag)
{
    auto node = m_entries.extract(stag);
    if (node.empty())
    {
        return NO_STAG;
    }
    node.key() = Choose();
    return m_entries.insert(std::move(node)).position->first;
}

DdpStagVerdict
DdpStagTable::Check(uint32_t stag,
                    uint32_t pd,
                    uint32_t stream,
                    uint64_t to,
                    uint64_t length,
                    uint32_t access,
                    const DdpStagEntry** entry) const
{
    const DdpStagEntry* e = Find(stag);
    if (e == nullptr || !e->valid)
    {
        return DdpStagVerdict::INVALID;
    }
    const bool tied = e->pd != 0 || e->stream != 0;
    if (!tied || (e->pd != 0 && e->pd != pd) || (e->stream != 0 && e->stream != stream))
    {
        return DdpStagVerdict::NOT_ASSOCIATED;
    }
    if ((access & ~e->access) != 0)
    {
        return DdpStagVerdict::NO_RIGHT;
    }
    if (length > std::numeric_limits<uint64_t>::max() - to)
    {
        return DdpStagVerdict::WRAP;
    }
    if (to < e->base || to - e->base > e->length || length > e->length - (to - e->base))
    {
        return DdpStagVerdict::BOUNDS;
    }
    *entry = e;
    return DdpStagVerdict::OK;
}

uint32_t
DdpStagTable::GetCapacity() const
{
    return m_capacity;
}

uint32_t
DdpStagTable::GetSize() const
{
    return m_entries.size();
}

} // namespace ns3
