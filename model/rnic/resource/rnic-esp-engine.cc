/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-esp-engine.h"

#include "rnic-association-cache.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/rnic-esp-design.h"
#include "ns3/simulator.h"

#include <cstddef>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicEspEngine");
NS_OBJECT_ENSURE_REGISTERED(RnicEspEngine);

TypeId
RnicEspEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicEspEngine")
                            .SetParent<EspEngine>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicEspEngine>();
    return tid;
}

RnicEspEngine::RnicEspEngine() = default;
RnicEspEngine::~RnicEspEngine() = default;

void
RnicEspEngine::SetDesign(const RnicDesign& design)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_started, "an ESP engine that has started keeps its parts");
    m_path = design.Make();
    m_stages = {m_path->Get<RnicEspStage>("TxEsp"), m_path->Get<RnicEspStage>("RxEsp")};
}

RnicDatapath&
RnicEspEngine::GetDatapath()
{
    if (!m_path)
    {
        RnicDesign design;
        rnic::AddEsp(design, EspPlace::INLINE);
        SetDesign(design);
    }
    return *m_path;
}

std::string
RnicEspEngine::Check()
{
    return GetDatapath().Check();
}

int64_t
RnicEspEngine::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    GetDatapath().GetRandom()->SetStream(stream);
    return 1;
}

void
RnicEspEngine::Start()
{
    if (!m_started)
    {
        GetDatapath().Start();
        m_started = true;
    }
}

Time
RnicEspEngine::Serve(EspDirection direction, const EspWork& work)
{
    NS_LOG_FUNCTION(this << static_cast<int>(direction) << work.association << work.ciphered);
    Start();
    RnicProtection protection;
    protection.work = work;
    protection.on = direction == EspDirection::INBOUND;
    RnicSegment packet;
    packet.connection = &m_connection;
    packet.now = packet.time = ToRnicTime(Simulator::Now());
    packet.protection = &protection;
    m_stages[static_cast<std::size_t>(direction)]->Serve(packet);
    return FromRnicTime(packet.time - packet.now);
}

void
RnicEspEngine::Release(EspDirection direction, uint64_t association)
{
    GetDatapath()
        .Get<RnicCache>("AssociationCache")
        ->Invalidate(RnicAssociationCache::GetKey(direction, association));
}

} // namespace ns3
