/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-jitter-impairment.h"

#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathJitterImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathJitterImpairment);

TypeId
PathJitterImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathJitterImpairment")
            .SetParent<PathImpairment>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathJitterImpairment>()
            .AddAttribute(
                "Delay",
                "Time by which a packet is delayed, in seconds; negative draws count as 0",
                StringValue("ns3::ConstantRandomVariable[Constant=0]"),
                MakePointerAccessor(&PathJitterImpairment::m_delay),
                MakePointerChecker<RandomVariableStream>());
    return tid;
}

PathJitterImpairment::PathJitterImpairment() = default;
PathJitterImpairment::~PathJitterImpairment() = default;

std::string
PathJitterImpairment::GetIdleAttribute() const
{
    const auto delay = DynamicCast<ConstantRandomVariable>(m_delay);
    return delay && delay->GetConstant() <= 0 ? "Delay" : "";
}

int64_t
PathJitterImpairment::DoAssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_delay->SetStream(stream);
    return 1;
}

bool
PathJitterImpairment::Impair(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    const Time delay = Seconds(m_delay->GetValue());
    if (!CanReceiveLater() || !delay.IsStrictlyPositive())
    {
        return false;
    }
    ReceiveLater(packet->Copy(), delay);
    return true;
}

} // namespace ns3
