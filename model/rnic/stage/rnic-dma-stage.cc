/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-dma-stage.h"

#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/rnic-queue-pairs.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicDmaStage);
NS_OBJECT_ENSURE_REGISTERED(RnicReadStage);
NS_OBJECT_ENSURE_REGISTERED(RnicReceiveStage);
NS_OBJECT_ENSURE_REGISTERED(RnicWriteStage);

TypeId
RnicDmaStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicDmaStage").SetParent<RnicStage>().SetGroupName("Iwarp");
    return tid;
}

RnicDmaStage::RnicDmaStage() = default;
RnicDmaStage::~RnicDmaStage() = default;

std::string
RnicDmaStage::Check() const
{
    return "";
}

bool
RnicDmaStage::IsIdeal() const
{
    return m_host->IsIdeal();
}

void
RnicDmaStage::Bind(const RnicDatapath& path)
{
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

TypeId
RnicReadStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicReadStage")
                            .SetParent<RnicDmaStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicReadStage>();
    return tid;
}

void
RnicReadStage::Serve(RnicSegment& segment)
{
    const RnicTime arrival = segment.time;
    segment.time = m_host->Read(segment.now, arrival, segment.payload - segment.inlined);
    segment.reading = segment.time - arrival - m_host->GetReadLatency();
}

TypeId
RnicReceiveStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicReceiveStage")
                            .SetParent<RnicDmaStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicReceiveStage>();
    return tid;
}

RnicReceiveStage::RnicReceiveStage() = default;
RnicReceiveStage::~RnicReceiveStage() = default;

void
RnicReceiveStage::Bind(const RnicDatapath& path)
{
    RnicDmaStage::Bind(path);
    m_queuePairs = path.Get<RnicQueuePairs>("QueuePairs");
}

void
RnicReceiveStage::Serve(RnicSegment& segment)
{
    RnicConnectionState& connection = *segment.connection;
    for (; connection.receivesTaken > 0; --connection.receivesTaken)
    {
        segment.time = m_queuePairs->Receive(segment.now, segment.time, connection.receives);
    }
}

TypeId
RnicWriteStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicWriteStage")
                            .SetParent<RnicDmaStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicWriteStage>();
    return tid;
}

void
RnicWriteStage::Serve(RnicSegment& segment)
{
    segment.time = m_host->Write(segment.now, segment.time, segment.placed);
    segment.visible = m_host->GetVisible(segment.time);
    segment.seen = segment.visible + m_host->GetPollTime();
}

} // namespace ns3
