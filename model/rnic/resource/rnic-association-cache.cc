/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-association-cache.h"

#include "ns3/rnic-attribute.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicAssociationCache);

TypeId
RnicAssociationCache::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicAssociationCache")
            .SetParent<RnicCache>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicAssociationCache>()
            .AddAttribute("MemoryLatency",
                          "Time of a fetch from memory of the adapter's own; 0 if contexts are in "
                          "host memory, and are read across the host interface.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicAssociationCache::m_memoryLatency),
                          rnic::MakeTimeChecker());
    return tid;
}

uint64_t
RnicAssociationCache::GetKey(EspDirection direction, uint64_t association)
{
    return association << 1 | static_cast<uint64_t>(direction);
}

void
RnicAssociationCache::Release(RnicTime /* now */, uint64_t /* connection */)
{
}

RnicTime
RnicAssociationCache::Read(RnicTime now, RnicTime begin)
{
    return m_memoryLatency > 0 ? begin + m_memoryLatency : RnicCache::Read(now, begin);
}

} // namespace ns3
