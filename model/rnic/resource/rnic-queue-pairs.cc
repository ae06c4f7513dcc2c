/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-queue-pairs.h"

#include "ns3/rnic-attribute.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicQueuePairs);

TypeId
RnicQueuePairs::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicQueuePairs")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicQueuePairs>()
            .AddAttribute("Max",
                          "Queue pairs of the RNIC at most, as is RdmaDevice's MaxQp: one more is "
                          "refused; 0 for no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicQueuePairs::m_max),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Prefetch",
                          "Work queue elements that are fetched in one read at most, while those "
                          "before them are in use.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicQueuePairs::m_prefetch),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("TimePerMessage",
                          "Time to begin a message, of a work request or in answer to a Read; all "
                          "queue pairs share what does it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicQueuePairs::m_timePerMessage),
                          rnic::MakeTimeChecker())
            .AddAttribute("Latency",
                          "Time that passes besides until a message has begun, and its queue pair "
                          "can turn to the next; others need not wait.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicQueuePairs::m_latency),
                          rnic::MakeTimeChecker())
            .AddAttribute("TimePerMemoryChange",
                          "Time to note that memory is opened or closed: for a fast registration, "
                          "a bind, and an invalidation, whoever asks for it; what begins messages "
                          "does it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicQueuePairs::m_timePerChange),
                          rnic::MakeTimeChecker())
            .AddAttribute("TimePerPage",
                          "Time besides for each page of a fast registration.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicQueuePairs::m_timePerPage),
                          rnic::MakeTimeChecker());
    return tid;
}

RnicQueuePairs::RnicQueuePairs() = default;
RnicQueuePairs::~RnicQueuePairs() = default;

std::string
RnicQueuePairs::Check() const
{
    return "";
}

bool
RnicQueuePairs::IsIdeal() const
{
    return m_timePerMessage == 0 && m_latency == 0 && m_timePerChange == 0 && m_timePerPage == 0 &&
           m_host->IsIdeal();
}

void
RnicQueuePairs::Bind(const RnicDatapath& path)
{
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

uint32_t
RnicQueuePairs::GetMax() const
{
    return m_max;
}

double
RnicQueuePairs::GetMessageRate() const
{
    constexpr double second = 1e12; // ps
    return m_timePerMessage > 0 ? second / static_cast<double>(m_timePerMessage)
                                : std::numeric_limits<double>::infinity();
}

bool
RnicQueuePairs::Ring(RnicTime now,
                     RnicWorkQueue& queue,
                     uint32_t count,
                     uint64_t payload,
                     bool inlined,
                     uint32_t waiting)
{
    if (waiting > 0)
    {
        m_host->Ring(now, now);
        queue.inlined += inlined ? static_cast<uint32_t>(payload) : 0;
        return inlined;
    }
    queue.here = 0;
    if (count > 1)
    {
        queue.inlined = inlined ? static_cast<uint32_t>(payload) : 0;
        FetchAhead(now, m_host->Ring(now, now), queue, count);
        return inlined;
    }
    queue.inlined = 0;
    queue.ahead = 1;
    queue.aheadIn = m_host->Post(now, now, payload, inlined);
    return inlined || m_host->IsInline(payload);
}

void
RnicQueuePairs::FetchAhead(RnicTime now, RnicTime arrival, RnicWorkQueue& queue, uint32_t elements)
{
    queue.ahead = static_cast<uint16_t>(std::min(elements, m_prefetch));
    // their share of what is in all of them
    const uint64_t payload = uint64_t(queue.inlined) * queue.ahead / elements;
    queue.inlined -= static_cast<uint32_t>(payload);
    queue.aheadIn = m_host->Fetch(now, arrival, queue.ahead, payload);
}

RnicTime
RnicQueuePairs::Claim(RnicTime now, RnicTime arrival, RnicWorkQueue& queue, uint32_t waiting)
{
    if (queue.here == 0)
    {
        if (queue.ahead == 0)
        {
            FetchAhead(now, arrival, queue, waiting);
        }
        queue.hereIn = queue.aheadIn;
        queue.here = std::exchange(queue.ahead, uint16_t(0));
    }
    arrival = std::max(arrival, queue.hereIn);
    --queue.here;
    --waiting;
    if (queue.ahead == 0 && waiting > queue.here)
    {
        FetchAhead(now, arrival, queue, waiting - queue.here);
    }
    return arrival;
}

RnicTime
RnicQueuePairs::Begin(RnicTime now, RnicWorkQueue& queue, uint32_t waiting)
{
    const RnicTime there = waiting > 0 ? Claim(now, now, queue, waiting) : now;
    return m_engine.Reserve(now, there, m_timePerMessage).end + m_latency;
}

RnicTime
RnicQueuePairs::BeginLocal(RnicTime now, RnicWorkQueue& queue, uint32_t waiting, uint32_t pages)
{
    const RnicTime there = Claim(now, now, queue, waiting);
    const RnicTime service = m_timePerMessage + m_timePerChange + pages * m_timePerPage;
    return m_engine.Reserve(now, there, service).end + m_latency;
}

RnicTime
RnicQueuePairs::Invalidate(RnicTime now, RnicTime arrival)
{
    return m_engine.Reserve(now, arrival, m_timePerChange).end;
}

RnicTime
RnicQueuePairs::Receive(RnicTime now, RnicTime arrival, RnicWorkQueue& queue)
{
    if (queue.here == 0 && queue.ahead == 0)
    {
        queue.here = static_cast<uint16_t>(m_prefetch); // fetched when they were posted
    }
    return Claim(now, arrival, queue, UINT32_MAX);
}

} // namespace ns3
