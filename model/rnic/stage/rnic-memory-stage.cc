/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-memory-stage.h"

#include "ns3/rnic-datapath.h"
#include "ns3/rnic-reassembly-memory.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicMemoryStage);
NS_OBJECT_ENSURE_REGISTERED(RnicStoreAndForwardStage);

TypeId
RnicMemoryStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicMemoryStage")
                            .SetParent<RnicStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicMemoryStage>();
    return tid;
}

RnicMemoryStage::RnicMemoryStage() = default;
RnicMemoryStage::~RnicMemoryStage() = default;

std::string
RnicMemoryStage::Check() const
{
    return "";
}

bool
RnicMemoryStage::IsIdeal() const
{
    return m_memory->IsIdeal();
}

void
RnicMemoryStage::Bind(const RnicDatapath& path)
{
    m_memory = path.Get<RnicReassemblyMemory>("ReassemblyMemory");
}

void
RnicMemoryStage::Serve(RnicSegment& segment)
{
    m_memory->Access(segment.now, segment.time, segment.ops->localStore);
    segment.time = m_memory->Access(segment.now, segment.time, segment.ops->localLoad);
}

TypeId
RnicStoreAndForwardStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicStoreAndForwardStage")
                            .SetParent<RnicMemoryStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicStoreAndForwardStage>();
    return tid;
}

void
RnicStoreAndForwardStage::Serve(RnicSegment& segment)
{
    segment.time = m_memory->Access(segment.now, segment.time, segment.frame);
    segment.time = m_memory->Access(segment.now, segment.time, segment.placed);
}

} // namespace ns3
