/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_DARY_HEAP_SCHEDULER_H
#define UTIL_DARY_HEAP_SCHEDULER_H

#include "ns3/scheduler.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-util
 * @brief Events of the simulator in a heap whose nodes have four children (D. B. Johnson, "Priority
 * queues with update and finding minimum spanning trees", 1975).
 *
 * Keys lie in one array, and those that a step compares beside each other. A tree of ns-3's
 * MapScheduler has a node of the heap memory for each event instead, so that with ten thousand
 * events that wait, as in a network of a thousand hosts, the processor waits for each level of it.
 * The order is that of ns-3's other schedulers, by time and then by number, so that a run's results
 * are the same.
 *
 * Remove() takes constant time on average: the event stays in the heap, without being touched
 * again, until its turn comes or half of the heap is such events.
 *
 * A program takes it by the global value: --SchedulerType=ns3::DaryHeapScheduler, or
 * GlobalValue::Bind("SchedulerType", TypeIdValue(DaryHeapScheduler::GetTypeId())) before the first
 * use of Simulator.
 */
class DaryHeapScheduler : public Scheduler
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    void Insert(const Event& event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;

    /// Get how much is held. @return events in the heap, with removed ones whose turn has not come
    std::size_t GetHeld() const;

  private:
    /// Hash of a key.
    struct KeyHash
    {
        /// @param key of an event @return hash
        std::size_t operator()(const EventKey& key) const
        {
            return std::hash<uint64_t>()(key.m_ts ^ (static_cast<uint64_t>(key.m_uid) << 32));
        }
    };

    void Pop();                                           //!< take the first from the heap
    void DropRemoved();                                   //!< have the first be a live one
    void Compact();                                       //!< keep live events alone
    void SiftDown(std::size_t place, const Event& event); //!< @param place free, @param event goes
                                                          //!< there or below

    std::vector<Event> m_heap;                       //!< children of i are 4i + 1 to 4i + 4
    std::unordered_set<EventKey, KeyHash> m_removed; //!< those in the heap that do not count
};

} // namespace ns3

#endif // UTIL_DARY_HEAP_SCHEDULER_H
