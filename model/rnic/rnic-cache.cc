/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-cache.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

RnicCache::RnicCache(uint32_t capacity, RnicReplacement replacement, Random random)
    : m_capacity(capacity),
      m_replacement(replacement),
      m_random(std::move(random))
{
    NS_ABORT_MSG_IF(replacement == RnicReplacement::RANDOM && !m_random,
                    "RNIC: a cache with random replacement needs something to draw with");
}

void
RnicCache::Link(uint32_t slot)
{
    m_slots[slot].older = m_newest;
    m_slots[slot].newer = NONE;
    (m_newest == NONE ? m_oldest : m_slots[m_newest].newer) = slot;
    m_newest = slot;
}

void
RnicCache::Unlink(uint32_t slot)
{
    const Slot& s = m_slots[slot];
    (s.older == NONE ? m_oldest : m_slots[s.older].newer) = s.newer;
    (s.newer == NONE ? m_newest : m_slots[s.newer].older) = s.older;
}

bool
RnicCache::Access(uint64_t key)
{
    if (m_capacity == 0)
    {
        ++m_hits;
        return true;
    }
    const auto found = m_places.find(key);
    if (found != m_places.end())
    {
        if (found->second != m_newest)
        {
            Unlink(found->second);
            Link(found->second);
        }
        ++m_hits;
        return true;
    }
    ++m_misses;
    uint32_t slot = 0;
    if (m_places.size() < m_capacity)
    {
        if (m_spare.empty())
        {
            slot = static_cast<uint32_t>(m_slots.size());
            m_slots.emplace_back();
        }
        else
        {
            slot = m_spare.back();
            m_spare.pop_back();
        }
        m_places.emplace(key, slot);
    }
    else
    {
        slot = m_replacement == RnicReplacement::LRU ? m_oldest : m_random(m_capacity);
        auto node = m_places.extract(m_slots[slot].key);
        node.key() = key;
        m_places.insert(std::move(node));
        Unlink(slot);
        ++m_evictions;
    }
    m_slots[slot].key = key;
    Link(slot);
    return false;
}

void
RnicCache::Invalidate(uint64_t key)
{
    const auto found = m_places.find(key);
    if (found != m_places.end())
    {
        Unlink(found->second);
        m_spare.push_back(found->second);
        m_places.erase(found);
    }
}

uint32_t
RnicCache::GetCapacity() const
{
    return m_capacity;
}

uint32_t
RnicCache::GetSize() const
{
    return static_cast<uint32_t>(m_places.size());
}

uint64_t
RnicCache::GetHits() const
{
    return m_hits;
}

uint64_t
RnicCache::GetMisses() const
{
    return m_misses;
}

uint64_t
RnicCache::GetEvictions() const
{
    return m_evictions;
}

} // namespace ns3
