/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-outage-impairment.h"

#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathOutageImpairment");
NS_OBJECT_ENSURE_REGISTERED(PathOutageImpairment);

TypeId
PathOutageImpairment::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PathOutageImpairment")
            .SetParent<PathImpairment>()
            .SetGroupName("Iwarp")
            .AddConstructor<PathOutageImpairment>()
            .AddAttribute(
                "UpTime",
                "Time for which the link is up, in seconds; draws below 1 ns count as 1 ns",
                StringValue("ns3::ConstantRandomVariable[Constant=1]"),
                MakePointerAccessor(&PathOutageImpairment::m_upTime),
                MakePointerChecker<RandomVariableStream>())
            .AddAttribute("DownTime",
                          "Time for which it is down then, in seconds; negative draws count as 0",
                          StringValue("ns3::ConstantRandomVariable[Constant=0]"),
                          MakePointerAccessor(&PathOutageImpairment::m_downTime),
                          MakePointerChecker<RandomVariableStream>());
    return tid;
}

PathOutageImpairment::PathOutageImpairment() = default;
PathOutageImpairment::~PathOutageImpairment() = default;

std::string
PathOutageImpairment::GetIdleAttribute() const
{
    const auto time = DynamicCast<ConstantRandomVariable>(m_downTime);
    return time && time->GetConstant() <= 0 ? "DownTime" : "";
}

int64_t
PathOutageImpairment::DoAssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_upTime->SetStream(stream);
    m_downTime->SetStream(stream + 1);
    return 2;
}

bool
PathOutageImpairment::Impair(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    const Time shortest = NanoSeconds(1); // or time would stand still
    if (!m_begun)
    {
        m_begun = true;
        m_next = std::max(shortest, Seconds(m_upTime->GetValue()));
    }
    while (m_next <= Simulator::Now())
    {
        m_down = !m_down;
        m_next += m_down ? std::max(Time(0), Seconds(m_downTime->GetValue()))
                         : std::max(shortest, Seconds(m_upTime->GetValue()));
    }
    return m_down;
}

} // namespace ns3
