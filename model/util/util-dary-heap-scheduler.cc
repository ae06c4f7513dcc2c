/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-dary-heap-scheduler.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t CHILDREN = 4; //!< of a node: four keys are one and a half lines of a cache

} // namespace

NS_OBJECT_ENSURE_REGISTERED(DaryHeapScheduler);

TypeId
DaryHeapScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DaryHeapScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<DaryHeapScheduler>();
    return tid;
}

void
DaryHeapScheduler::Insert(const Event& event)
{
    std::size_t place = m_heap.size();
    m_heap.push_back(event);
    while (place > 0)
    {
        const std::size_t parent = (place - 1) / CHILDREN;
        if (!(event.key < m_heap[parent].key))
        {
            break;
        }
        m_heap[place] = m_heap[parent];
        place = parent;
    }
    m_heap[place] = event;
}

bool
DaryHeapScheduler::IsEmpty() const
{
    return m_heap.empty();
}

Scheduler::Event
DaryHeapScheduler::PeekNext() const
{
    NS_ASSERT(!m_heap.empty());
    return m_heap.front();
}

Scheduler::Event
DaryHeapScheduler::RemoveNext()
{
    NS_ASSERT(!m_heap.empty());
    const Event next = m_heap.front();
    Pop();
    DropRemoved();
    return next;
}

void
DaryHeapScheduler::Remove(const Event& event)
{
    m_removed.insert(event.key);
    if (2 * m_removed.size() > m_heap.size())
    {
        Compact();
    }
    DropRemoved();
}

std::size_t
DaryHeapScheduler::GetHeld() const
{
    return m_heap.size();
}

void
DaryHeapScheduler::Pop()
{
    const Event last = m_heap.back();
    m_heap.pop_back();
    if (!m_heap.empty())
    {
        SiftDown(0, last);
    }
}

void
DaryHeapScheduler::DropRemoved()
{
    while (!m_removed.empty() && m_removed.erase(m_heap.front().key) > 0)
    {
        Pop();
    }
}

void
DaryHeapScheduler::Compact()
{
    m_heap.erase(std::remove_if(m_heap.begin(),
                                m_heap.end(),
                                [this](const Event& event) {
                                    return m_removed.find(event.key) != m_removed.end();
                                }),
                 m_heap.end());
    m_removed.clear();
    for (std::size_t place = m_heap.size(); place-- > 0;)
    {
        SiftDown(place, Event(m_heap[place]));
    }
}

void
DaryHeapScheduler::SiftDown(std::size_t place, const Event& event)
{
    const std::size_t size = m_heap.size();
    for (std::size_t child = CHILDREN * place + 1; child < size; child = CHILDREN * place + 1)
    {
        const std::size_t end = std::min(child + CHILDREN, size);
        std::size_t least = child;
        for (std::size_t other = child + 1; other < end; other++)
        {
            if (m_heap[other].key < m_heap[least].key)
            {
                least = other;
            }
        }
        if (!(m_heap[least].key < event.key))
        {
            break;
        }
        m_heap[place] = m_heap[least];
        place = least;
    }
    m_heap[place] = event;
}

} // namespace ns3
