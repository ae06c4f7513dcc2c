/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/event-id.h"
#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/util-dary-heap-scheduler.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// The scheduler of large networks, against ns-3's own.
IWARP_TEST_SUITE(daryHeapScheduler, "util-dary-heap-scheduler");

namespace
{

/// Times at which events of a program of its own ran, some of which cancel and remove others.
/// @param scheduler name of a type @return number and time, in the order of events
std::vector<std::pair<uint32_t, int64_t>>
RunWith(const std::string& scheduler)
{
    ObjectFactory factory(scheduler);
    Simulator::SetScheduler(factory);
    std::vector<std::pair<uint32_t, int64_t>> order;
    std::vector<EventId> ids;
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(7);
    std::function<void(uint32_t)> happen = [&](uint32_t number) {
        order.emplace_back(number, Simulator::Now().GetNanoSeconds());
        if (ids.size() > 5000)
        {
            return;
        }
        for (uint32_t i = random->GetInteger(0, 3); i > 0; i--)
        {
            const auto next = static_cast<uint32_t>(ids.size());
            ids.push_back(Simulator::Schedule(NanoSeconds(random->GetInteger(0, 20)),
                                              [&happen, next] { happen(next); }));
        }
        const EventId other = ids[random->GetInteger(0, static_cast<uint32_t>(ids.size()) - 1)];
        if (random->GetInteger(0, 4) == 0)
        {
            Simulator::Remove(other);
        }
        else if (random->GetInteger(0, 8) == 0)
        {
            Simulator::Cancel(other);
        }
    };
    for (uint32_t i = 0; i < 100; i++)
    {
        ids.push_back(Simulator::Schedule(NanoSeconds(i % 7), [&happen, i] { happen(i); }));
    }
    Simulator::Run();
    Simulator::Destroy();
    return order;
}

} // namespace

/// Any program of insertions and removals gives the order of ns-3's map, whose order is by
/// construction that of keys.
IWARP_TEST(daryHeapScheduler, "the order of a map for any insertions and removals")
{
    auto random = CreateObject<UniformRandomVariable>();
    for (uint32_t stream = 0; stream < 50; stream++)
    {
        random->SetStream(stream);
        auto heap = CreateObject<DaryHeapScheduler>();
        auto map = CreateObject<MapScheduler>();
        std::vector<Scheduler::Event> waiting;
        const uint32_t removals = stream % 5; // of ten
        const uint32_t insertions = 3 + stream % 4;
        for (uint32_t uid = 1; uid < 2000; uid++)
        {
            const uint32_t choice = random->GetInteger(0, 9);
            if (choice < removals && !waiting.empty())
            {
                const auto last = static_cast<uint32_t>(waiting.size()) - 1;
                std::swap(waiting[random->GetInteger(0, last)], waiting.back());
                heap->Remove(waiting.back());
                map->Remove(waiting.back());
                waiting.pop_back();
            }
            else if (choice < removals + insertions || waiting.empty())
            {
                const Scheduler::Event event{nullptr, {random->GetInteger(0, 99), uid, 0}};
                heap->Insert(event);
                map->Insert(event);
                waiting.push_back(event);
            }
            else
            {
                const uint32_t first = map->PeekNext().key.m_uid;
                NS_TEST_ASSERT_MSG_EQ(heap->PeekNext().key.m_uid, first, "next");
                map->RemoveNext();
                NS_TEST_ASSERT_MSG_EQ(heap->RemoveNext().key.m_uid, first, "taken");
                for (auto& event : waiting)
                {
                    if (event.key.m_uid == first)
                    {
                        std::swap(event, waiting.back());
                        waiting.pop_back();
                        break;
                    }
                }
            }
            NS_TEST_ASSERT_MSG_EQ(heap->IsEmpty(), map->IsEmpty(), "all gone");
        }
        while (!map->IsEmpty())
        {
            NS_TEST_ASSERT_MSG_EQ(heap->RemoveNext().key.m_uid,
                                  map->RemoveNext().key.m_uid,
                                  "rest");
        }
        NS_TEST_ASSERT_MSG_EQ(heap->IsEmpty(), true, "nothing is left");
    }
}

/// Events of a program that schedules, cancels and removes while it runs.
IWARP_TEST(daryHeapScheduler, "a program's events as with ns-3's map")
{
    const auto expected = RunWith("ns3::MapScheduler");
    const auto found = RunWith("ns3::DaryHeapScheduler");
    NS_TEST_EXPECT_MSG_GT(expected.size(), 3000, "a long program");
    NS_TEST_EXPECT_MSG_EQ((found == expected), true, "same events at the same times");
}

/// Far events that are removed again and again, as retransmission timers are: at most as many of
/// them stay in the heap as there are live ones.
IWARP_TEST(daryHeapScheduler, "timers that are moved do not pile up")
{
    auto heap = CreateObject<DaryHeapScheduler>();
    Scheduler::Event timer{nullptr, {1000000, 1, 0}};
    heap->Insert(timer);
    heap->Insert({nullptr, {0, 0, 0}});
    for (uint32_t uid = 2; uid < 100000; uid++)
    {
        heap->Remove(timer);
        timer.key = {1000000 + uid, uid, 0};
        heap->Insert(timer);
        NS_TEST_ASSERT_MSG_LT_OR_EQ(heap->GetHeld(), 4, "twice what is live");
    }
    NS_TEST_EXPECT_MSG_EQ(heap->RemoveNext().key.m_uid, 0, "the near one");
    NS_TEST_EXPECT_MSG_EQ(heap->RemoveNext().key.m_uid, 99999, "the last timer");
    NS_TEST_EXPECT_MSG_EQ(heap->IsEmpty(), true, "no other");
}
