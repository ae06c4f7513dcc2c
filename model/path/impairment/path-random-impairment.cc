/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-random-impairment.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathRandomImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathRandomImpairment);

TypeId
PathRandomImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathRandomImpairment")
            .SetParent<PathImpairment>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathRandomImpairment>()
            .AddAttribute("Loss",
                          "Probability that a packet is lost [probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathRandomImpairment::m_loss),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Reordering",
                          "Probability that a packet is held back for HoldTime [probability]",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PathRandomImpairment::m_reordering),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "Duplication",
                "Probability that a packet arrives a second time, HoldTime later [probability]",
                DoubleValue(0),
                MakeDoubleAccessor(&PathRandomImpairment::m_duplication),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute("HoldTime",
                          "Time for which a packet is held back, in seconds; negative draws "
                          "count as 0",
                          StringValue("ns3::UniformRandomVariable[Min=0|Max=0.0001]"),
                          MakePointerAccessor(&PathRandomImpairment::m_holdTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("LossEvent",
                            "A packet is lost",
                            MakeTraceSourceAccessor(&PathRandomImpairment::m_lossTrace),
                            "ns3::PathRandomImpairment::LossTracedCallback")
            .AddTraceSource("HoldEvent",
                            "A packet is held back",
                            MakeTraceSourceAccessor(&PathRandomImpairment::m_holdTrace),
                            "ns3::PathRandomImpairment::DelayTracedCallback")
            .AddTraceSource("DuplicateEvent",
                            "A packet arrives and will arrive once more",
                            MakeTraceSourceAccessor(&PathRandomImpairment::m_duplicateTrace),
                            "ns3::PathRandomImpairment::DelayTracedCallback");
    return tid;
}

PathRandomImpairment::PathRandomImpairment()
    : m_lossRandom(CreateObject<UniformRandomVariable>()),
      m_holdRandom(CreateObject<UniformRandomVariable>()),
      m_copyRandom(CreateObject<UniformRandomVariable>())
{
}

PathRandomImpairment::~PathRandomImpairment() = default;

int64_t
PathRandomImpairment::DoAssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_lossRandom->SetStream(stream);
    m_holdRandom->SetStream(stream + 1);
    m_copyRandom->SetStream(stream + 2);
    m_holdTime->SetStream(stream + 3);
    return 4;
}

bool
PathRandomImpairment::Happens(const Ptr<UniformRandomVariable>& random, double probability)
{
    return probability > 0 && random->GetValue() < probability;
}

Time
PathRandomImpairment::DrawHoldTime() const
{
    return Seconds(std::max(0.0, m_holdTime->GetValue()));
}

bool
PathRandomImpairment::Impair(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    if (Happens(m_lossRandom, m_loss))
    {
        NS_LOG_LOGIC("lose a packet of " << packet->GetSize());
        m_lossTrace(packet);
        return true;
    }
    if (!CanReceiveLater())
    {
        return false;
    }
    if (Happens(m_holdRandom, m_reordering))
    {
        const Time delay = DrawHoldTime();
        NS_LOG_LOGIC("hold a packet of " << packet->GetSize() << " for " << delay);
        m_holdTrace(packet, delay);
        ReceiveLater(packet->Copy(), delay);
        return true;
    }
    if (Happens(m_copyRandom, m_duplication))
    {
        const Time delay = DrawHoldTime();
        m_duplicateTrace(packet, delay);
        ReceiveLater(packet->Copy(), delay);
    }
    return false;
}

} // namespace ns3
