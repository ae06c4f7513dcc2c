/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-server-stage.h"

#include "ns3/rnic-attribute.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicServerStage);
NS_OBJECT_ENSURE_REGISTERED(RnicFrameStage);
NS_OBJECT_ENSURE_REGISTERED(RnicCheckStage);

TypeId
RnicServerStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicServerStage")
            .SetParent<RnicStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicServerStage>()
            .AddAttribute("TimePerPacket",
                          "Time for each segment, whatever is in it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicServerStage::m_timePerPacket),
                          rnic::MakeTimeChecker())
            .AddAttribute("TimePerUnit",
                          "Time for each thing in a segment that the stage works on: an FPDU's "
                          "length and header (RxMpa), a CRC begun or resumed (RxCrc), an address "
                          "computed and a copy commanded (RxPlace), or the segment itself.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicServerStage::m_timePerUnit),
                          rnic::MakeTimeChecker())
            .AddAttribute("Rate",
                          "Rate at which an engine works through octets; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicServerStage::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Latency",
                          "Time that a segment spends in the stage besides; keeps no engine busy.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicServerStage::m_latency),
                          rnic::MakeTimeChecker())
            .AddAttribute("Engines",
                          "Segments that are worked on at a time.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicServerStage::m_engines),
                          MakeUintegerChecker<uint32_t>(1, 1024));
    return tid;
}

RnicServerConfig
RnicServerStage::MakeConfig() const
{
    return {m_timePerPacket, m_timePerUnit, m_rate, m_latency, m_engines};
}

std::string
RnicServerStage::Check() const
{
    return MakeConfig().Check();
}

bool
RnicServerStage::IsIdeal() const
{
    return MakeConfig().IsIdeal();
}

void
RnicServerStage::DoInitialize()
{
    RnicStage::DoInitialize();
    m_server = m_ahead = RnicServer(MakeConfig());
}

RnicServerStage::Load
RnicServerStage::GetLoad(const RnicSegment& segment) const
{
    return {segment.frame, 1};
}

void
RnicServerStage::Serve(RnicSegment& segment)
{
    const Load load = GetLoad(segment);
    segment.time = m_server.Serve(segment.time, load.octets, load.units, load.extra).departure;
}

RnicTime
RnicServerStage::Reserve(RnicSegment& segment)
{
    const Load load = GetLoad(segment);
    m_ahead.Serve(segment.time, load.octets, load.units, load.extra);
    return m_ahead.GetFreeAt();
}

bool
RnicServerStage::KeepsOrder() const
{
    return true;
}

const RnicServer&
RnicServerStage::GetServer() const
{
    return m_server;
}

RnicTime
RnicServerStage::GetTimePerPacket() const
{
    return m_timePerPacket;
}

RnicTime
RnicServerStage::GetLatency() const
{
    return m_latency;
}

TypeId
RnicFrameStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicFrameStage")
            .SetParent<RnicServerStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicFrameStage>()
            .AddAttribute(
                "EspPasses",
                "Times that a segment with ESP passes the stage: 2 where it goes from the "
                "pipeline to the crypto engine and through the pipeline again; 1 where the "
                "engine is a part of the pipeline.",
                UintegerValue(1),
                MakeUintegerAccessor(&RnicFrameStage::m_espPasses),
                MakeUintegerChecker<uint32_t>(1, 16));
    return tid;
}

uint32_t
RnicFrameStage::CountMorePasses(const RnicSegment& segment) const
{
    return segment.protection ? m_espPasses - 1 : 0;
}

RnicServerStage::Load
RnicFrameStage::GetLoad(const RnicSegment& segment) const
{
    const uint32_t again = CountMorePasses(segment);
    if (again == 0)
    {
        return RnicServerStage::GetLoad(segment);
    }
    // all passes at once: a queue is as busy then as if others came in between
    return {segment.frame + uint64_t{again} * segment.protection->frame,
            1 + again,
            again * GetTimePerPacket()};
}

void
RnicFrameStage::Serve(RnicSegment& segment)
{
    RnicServerStage::Serve(segment);
    segment.time += CountMorePasses(segment) * GetLatency();
}

TypeId
RnicCheckStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicCheckStage")
                            .SetParent<RnicFrameStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicCheckStage>();
    return tid;
}

void
RnicCheckStage::Serve(RnicSegment& segment)
{
    RnicFrameStage::Serve(segment);
    segment.checked = segment.time;
}

} // namespace ns3
