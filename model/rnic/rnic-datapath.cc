/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-datapath.h"

#include "ns3/log.h"
#include "ns3/rnic-schedule-stage.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicDatapath");

RnicDatapath::RnicDatapath(const std::vector<RnicNamedPart>& resources)
    : m_random(CreateObject<UniformRandomVariable>()),
      m_resources(resources),
      // TCP gets segments in the order of whole nanoseconds, not of picoseconds
      m_pipelines{RnicPipeline(true), RnicPipeline(true), RnicPipeline(false)}
{
    m_host = Get<RnicHostInterface>("HostInterface");
    m_queuePairs = Get<RnicQueuePairs>("QueuePairs");
    m_memory = Get<RnicReassemblyMemory>("ReassemblyMemory");
    m_buffer = Get<RnicPacketBuffer>("PacketBuffer");
    m_contexts = Get<RnicCache>("ContextCache");
    m_translations = Get<RnicCache>("TranslationCache");
    for (const auto& resource : m_resources)
    {
        resource.part->Bind(*this);
    }
}

RnicDatapath::~RnicDatapath() = default;

const RnicPipeline&
RnicDatapath::GetPipeline(RnicPipelineKind pipeline) const
{
    return m_pipelines[static_cast<uint8_t>(pipeline)];
}

void
RnicDatapath::AddStage(RnicPipelineKind pipeline,
                       const std::string& name,
                       Ptr<RnicStage> stage,
                       const std::string& before)
{
    NS_LOG_FUNCTION(this << name << before);
    NS_ABORT_MSG_IF(Find(name), "RNIC: there is a part " << name << " already");
    m_pipelines[static_cast<uint8_t>(pipeline)].Add(name, stage, before);
    stage->Bind(*this);
}

Ptr<RnicPart>
RnicDatapath::Find(const std::string& name) const
{
    Ptr<RnicPart> found;
    ForEach(
        [&](const std::string& other, RnicPart& part) { found = other == name ? &part : found; });
    return found;
}

std::string
RnicDatapath::Check() const
{
    std::string faults;
    ForEach([&faults](const std::string& name, const RnicPart& part) {
        const std::string fault = part.Check();
        faults += fault.empty() ? "" : (faults.empty() ? "" : "; ") + name + ": " + fault;
    });
    return faults;
}

bool
RnicDatapath::IsIdeal() const
{
    bool ideal = true;
    ForEach([&ideal](const std::string&, const RnicPart& part) { ideal &= part.IsIdeal(); });
    return ideal;
}

void
RnicDatapath::Start()
{
    NS_LOG_FUNCTION(this);
    const std::string faults = Check();
    NS_ABORT_MSG_UNLESS(faults.empty(), "RNIC: " << faults);
    for (const auto& [name, part] : m_resources)
    {
        part->Initialize();
    }
    for (auto& pipeline : m_pipelines)
    {
        pipeline.Start();
    }
    const auto schedule = DynamicCast<RnicScheduleStage>(Find("TxSchedule"));
    m_takesTurns = schedule && schedule->GetDiscipline() == RnicDiscipline::ROUND_ROBIN;
}

void
RnicDatapath::Watch(const RnicPipeline::Wrap& wrap)
{
    for (auto& pipeline : m_pipelines)
    {
        pipeline.Watch(wrap);
    }
}

void
RnicDatapath::Transmit(RnicSegment& segment)
{
    NS_LOG_FUNCTION(this << segment.connection->key << segment.now << segment.frame);
    segment.time = segment.now;
    GetPipeline(RnicPipelineKind::TRANSMIT).Serve(segment);
    EndTransmit(segment);
}

void
RnicDatapath::EndTransmit(RnicSegment& segment)
{
    segment.time = std::max(segment.time, segment.connection->lastOut);
    segment.connection->lastOut = segment.time;
}

bool
RnicDatapath::TakesTurns() const
{
    return m_takesTurns;
}

std::size_t
RnicDatapath::CountTransmitParts() const
{
    return GetPipeline(RnicPipelineKind::TRANSMIT).CountParts();
}

RnicTime
RnicDatapath::BeginTransmit(RnicSegment& segment)
{
    NS_LOG_FUNCTION(this << segment.connection->key << segment.time << segment.frame);
    const RnicPipeline& pipeline = GetPipeline(RnicPipelineKind::TRANSMIT);
    const RnicTime turn = segment.time;
    const RnicTime next = pipeline.Reserve(segment);
    pipeline.Serve(segment, 0);
    segment.time = std::max(segment.time, segment.connection->lastFetched);
    segment.connection->lastFetched = segment.time;
    return std::max(next, turn + segment.reading);
}

void
RnicDatapath::ContinueTransmit(RnicSegment& segment, std::size_t part)
{
    NS_LOG_FUNCTION(this << segment.connection->key << segment.time << part);
    GetPipeline(RnicPipelineKind::TRANSMIT).Serve(segment, part);
}

bool
RnicDatapath::Receive(RnicSegment& segment)
{
    NS_LOG_FUNCTION(this << segment.connection->key << segment.now << segment.frame);
    if (!m_buffer->Admit(segment.now, segment.frame))
    {
        return false;
    }
    segment.buffered = segment.frame;
    segment.time = segment.checked = segment.now;
    GetPipeline(RnicPipelineKind::RECEIVE).Serve(segment);
    segment.time = std::max(segment.time, segment.connection->lastIn);
    segment.connection->lastIn = segment.time;
    return true;
}

void
RnicDatapath::Place(RnicSegment& segment)
{
    NS_LOG_FUNCTION(this << segment.connection->key << segment.now << *segment.ops);
    for (const auto& ulpdu : *segment.placements)
    {
        segment.placed += ulpdu.octets;
    }
    GetPipeline(RnicPipelineKind::PLACE).Serve(segment);
    segment.visible = std::max(segment.visible, segment.time);
    segment.seen = std::max(segment.seen, segment.visible);
    Discard(segment);
}

void
RnicDatapath::Discard(RnicSegment& segment)
{
    m_buffer->HoldUntil(segment.buffered, segment.time);
    segment.buffered = 0;
}

void
RnicDatapath::Release(RnicTime now, uint64_t connection)
{
    ForEach(
        [now, connection](const std::string&, RnicPart& part) { part.Release(now, connection); });
}

void
RnicDatapath::RestartStatistics(RnicTime now)
{
    ForEach([now](const std::string&, RnicPart& part) { part.RestartStatistics(now); });
}

RnicHostInterface&
RnicDatapath::GetHost()
{
    return *m_host;
}

RnicQueuePairs&
RnicDatapath::GetQueuePairs()
{
    return *m_queuePairs;
}

RnicReassemblyMemory&
RnicDatapath::GetMemory()
{
    return *m_memory;
}

RnicPacketBuffer&
RnicDatapath::GetBuffer()
{
    return *m_buffer;
}

const RnicCache&
RnicDatapath::GetContextCache() const
{
    return *m_contexts;
}

const RnicCache&
RnicDatapath::GetTranslationCache() const
{
    return *m_translations;
}

Ptr<UniformRandomVariable>
RnicDatapath::GetRandom() const
{
    return m_random;
}

} // namespace ns3
