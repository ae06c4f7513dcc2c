/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-cache.h"

#include "rnic-datapath.h"

#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicCache);

TypeId
RnicCache::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicCache")
                            .SetParent<RnicPart>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicCache>()
                            .AddAttribute("Entries",
                                          "Entries that are on chip; 0 for all.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&RnicCache::m_capacity),
                                          MakeUintegerChecker<uint32_t>())
                            .AddAttribute("EntrySize",
                                          "Octets of an entry.",
                                          UintegerValue(64),
                                          MakeUintegerAccessor(&RnicCache::m_entrySize),
                                          MakeUintegerChecker<uint32_t>(1, 65536))
                            .AddAttribute("Replacement",
                                          "Which entry gives way to a new one.",
                                          iwarp::MakeEnumValue(RnicReplacement::LRU),
                                          iwarp::MakeEnumAccessor(&RnicCache::m_replacement),
                                          iwarp::MakeEnumChecker(RnicReplacement::LRU,
                                                                 "Lru",
                                                                 RnicReplacement::RANDOM,
                                                                 "Random"))
                            .AddTraceSource("Access",
                                            "An entry was needed, of a cache with a limit.",
                                            MakeTraceSourceAccessor(&RnicCache::m_access),
                                            "ns3::RnicCache::AccessTracedCallback");
    return tid;
}

RnicCache::RnicCache() = default;
RnicCache::~RnicCache() = default;

std::string
RnicCache::Check() const
{
    return m_replacement == RnicReplacement::RANDOM && !m_random
               ? "random replacement needs something to draw from"
               : "";
}

bool
RnicCache::IsIdeal() const
{
    return m_capacity == 0;
}

void
RnicCache::Bind(const RnicDatapath& path)
{
    SetRandom(path.GetRandom());
}

void
RnicCache::SetRandom(Ptr<UniformRandomVariable> random)
{
    m_random = random;
}

void
RnicCache::Forget(RnicTime /* now */, uint64_t connection)
{
    Invalidate(connection);
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
    const bool hit = Take(key);
    ++(hit ? m_hits : m_misses);
    m_access(key, hit);
    return hit;
}

bool
RnicCache::Take(uint64_t key)
{
    const auto found = m_places.find(key);
    if (found != m_places.end())
    {
        if (found->second != m_newest)
        {
            Unlink(found->second);
            Link(found->second);
        }
        return true;
    }
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
        slot = m_replacement == RnicReplacement::LRU ? m_oldest
                                                     : m_random->GetInteger(0, m_capacity - 1);
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
RnicCache::GetEntrySize() const
{
    return m_entrySize;
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
