/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-cache.h"

#include "ns3/ns3-compat.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicCache);
NS_OBJECT_ENSURE_REGISTERED(RnicTranslationCache);

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
                            .AddAttribute("Fetches",
                                          "Entries that are read from the host at a time at most; "
                                          "0 for any number.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&RnicCache::m_fetches),
                                          MakeUintegerChecker<uint32_t>(0, 65536))
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
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

void
RnicCache::DoInitialize()
{
    RnicPart::DoInitialize();
    m_underWay = RnicTags(std::max(m_fetches, 1U));
}

void
RnicCache::SetRandom(Ptr<UniformRandomVariable> random)
{
    m_random = random;
}

void
RnicCache::Release(RnicTime /* now */, uint64_t connection)
{
    Invalidate(connection);
}

void
RnicCache::RestartStatistics(RnicTime /* now */)
{
    m_hits = 0;
    m_misses = 0;
    m_evictions = 0;
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
    const bool hit = Touch(key);
    Record(key, hit);
    return hit;
}

void
RnicCache::Record(uint64_t key, bool hit)
{
    ++(hit ? m_hits : m_misses);
    m_access(key, hit);
}

RnicTime
RnicCache::Fetch(RnicTime now, RnicTime arrival, uint64_t key)
{
    if (m_capacity == 0)
    {
        ++m_hits;
        return arrival;
    }
    const bool found = Touch(key);
    Slot& slot = m_slots[m_newest];
    // a fetch that somebody will need later has not begun yet
    const bool hit = found && slot.asked <= arrival;
    Record(key, hit);
    if (!hit)
    {
        // as long as the last one, for they are all of a size
        const auto end = [took = m_took](RnicTime begin) { return begin + took; };
        const RnicTime begin = m_fetches > 0 ? m_underWay.Find(arrival, end) : arrival;
        slot.asked = arrival;
        slot.ready = Read(now, begin);
        m_took = slot.ready - begin;
        if (m_fetches > 0)
        {
            m_underWay.Hold(now, begin, slot.ready);
        }
    }
    return std::max(arrival, slot.ready);
}

RnicTime
RnicCache::Read(RnicTime now, RnicTime begin)
{
    return m_host->Read(now, begin, m_entrySize);
}

bool
RnicCache::Touch(uint64_t key)
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

TypeId
RnicTranslationCache::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicTranslationCache")
                            .SetParent<RnicCache>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicTranslationCache>()
                            .AddAttribute("PageSize",
                                          "Octets of host memory that an entry is for, a power of "
                                          "two.",
                                          UintegerValue(4096),
                                          MakeUintegerAccessor(&RnicTranslationCache::m_pageSize),
                                          MakeUintegerChecker<uint32_t>(512, 1U << 30));
    return tid;
}

std::string
RnicTranslationCache::Check() const
{
    return (m_pageSize & (m_pageSize - 1)) == 0 ? RnicCache::Check()
                                                : "PageSize has to be a power of two";
}

uint64_t
RnicTranslationCache::GetPage(uint64_t address) const
{
    return address / m_pageSize;
}

} // namespace ns3
