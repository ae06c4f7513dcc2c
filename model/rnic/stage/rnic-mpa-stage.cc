/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-mpa-stage.h"

#include "ns3/rnic-attribute.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicMpaStage);
NS_OBJECT_ENSURE_REGISTERED(RnicPlaceStage);

TypeId
RnicMpaStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicMpaStage")
            .SetParent<RnicServerStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicMpaStage>()
            .AddAttribute("SlowPathTime",
                          "Time that each segment that is not aligned takes besides.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicMpaStage::m_slowPathTime),
                          rnic::MakeTimeChecker())
            .AddAttribute(
                "StateFetchTime",
                "Time to fetch the MPA state of a connection whose segment is not aligned.",
                TimeValue(Time(0)),
                rnic::MakeTimeAccessor(&RnicMpaStage::m_stateFetchTime),
                rnic::MakeTimeChecker())
            .AddAttribute("PartialCrcTime",
                          "Time to fetch or store a partial CRC.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicMpaStage::m_partialCrcTime),
                          rnic::MakeTimeChecker())
            .AddAttribute("MarkerSearchTime",
                          "Time to find an FPDU by a Marker.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicMpaStage::m_markerSearchTime),
                          rnic::MakeTimeChecker());
    return tid;
}

bool
RnicMpaStage::IsIdeal() const
{
    return RnicServerStage::IsIdeal() && m_slowPathTime == 0 && m_stateFetchTime == 0 &&
           m_partialCrcTime == 0 && m_markerSearchTime == 0;
}

RnicServerStage::Load
RnicMpaStage::GetLoad(const RnicSegment& segment) const
{
    const RnicOps& ops = *segment.ops;
    RnicTime extra = 0;
    if (ops.slowPath > 0)
    {
        extra =
            m_slowPathTime + static_cast<RnicTime>(ops.stateFetch) * m_stateFetchTime +
            static_cast<RnicTime>(ops.partialCrcFetch + ops.partialCrcStore) * m_partialCrcTime +
            static_cast<RnicTime>(ops.markerSearch) * m_markerSearchTime;
    }
    return {segment.frame, ops.lengthRead, extra};
}

TypeId
RnicPlaceStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicPlaceStage")
                            .SetParent<RnicServerStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicPlaceStage>();
    return tid;
}

RnicServerStage::Load
RnicPlaceStage::GetLoad(const RnicSegment& segment) const
{
    return {segment.placed, segment.ops->copy};
}

} // namespace ns3
