/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-stag-table.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{

namespace
{

constexpr unsigned KEY_BITS = 8;

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

DdpStagTable::DdpStagTable(uint32_t capacity)
    : m_capacity(capacity),
      m_slots(1)
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

uint32_t
DdpStagTable::Add(const DdpStagEntry& entry)
{
    if (m_size == m_capacity || !IsSound(entry))
    {
        return NO_STAG;
    }
    uint32_t index = m_slots.size();
    if (m_free.empty())
    {
        m_slots.emplace_back();
    }
    else
    {
        index = m_free.back();
        m_free.pop_back();
    }
    Slot& slot = m_slots[index];
    slot.entry = entry;
    slot.key++;
    slot.used = true;
    m_size++;
    return index << KEY_BITS | slot.key;
}

DdpStagTable::Slot*
DdpStagTable::Locate(uint32_t stag)
{
    const uint32_t index = stag >> KEY_BITS;
    if (index >= m_slots.size())
    {
        return nullptr;
    }
    Slot& slot = m_slots[index];
    return slot.used && slot.key == (stag & 0xFF) ? &slot : nullptr;
}

const DdpStagEntry*
DdpStagTable::Find(uint32_t stag) const
{
    const Slot* slot = const_cast<DdpStagTable*>(this)->Locate(stag);
    return slot == nullptr ? nullptr : &slot->entry;
}

bool
DdpStagTable::Remove(uint32_t stag)
{
    Slot* slot = Locate(stag);
    if (slot == nullptr)
    {
        return false;
    }
    slot->used = false;
    slot->entry = DdpStagEntry();
    m_free.push_back(stag >> KEY_BITS);
    m_size--;
    return true;
}

bool
DdpStagTable::Invalidate(uint32_t stag)
{
    Slot* slot = Locate(stag);
    if (slot == nullptr || !slot->entry.valid)
    {
        return false;
    }
    slot->entry.valid = false;
    return true;
}

bool
DdpStagTable::Update(uint32_t stag, const DdpStagEntry& entry)
{
    Slot* slot = Locate(stag);
    if (slot == nullptr || !IsSound(entry))
    {
        return false;
    }
    slot->entry = entry;
    return true;
}

uint32_t
DdpStagTable::Rekey(uint32_t stag)
{
    Slot* slot = Locate(stag);
    if (slot == nullptr)
    {
        return NO_STAG;
    }
    slot->key++;
    return (stag & ~uint32_t(0xFF)) | slot->key;
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
    return m_size;
}

} // namespace ns3
