/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-pace-stage.h"

#include "ns3/rnic-attribute.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicPaceStage);

TypeId
RnicPaceStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicPaceStage")
            .SetParent<RnicStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicPaceStage>()
            .AddAttribute("Interval",
                          "Time between two segments of one connection with payload, at least: "
                          "what one queue pair can do.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicPaceStage::m_interval),
                          rnic::MakeTimeChecker());
    return tid;
}

std::string
RnicPaceStage::Check() const
{
    return "";
}

bool
RnicPaceStage::IsIdeal() const
{
    return m_interval == 0;
}

void
RnicPaceStage::Serve(RnicSegment& segment)
{
    if (segment.payload > 0)
    {
        auto& next = segment.connection->Of<RnicTime>(*this); // may leave then
        segment.time = std::max(segment.time, next);
        next = segment.time + m_interval;
    }
}

} // namespace ns3
