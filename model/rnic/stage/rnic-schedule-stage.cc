/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-schedule-stage.h"

#include "ns3/ns3-compat.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicScheduleStage);

TypeId
RnicScheduleStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicScheduleStage")
            .SetParent<RnicFrameStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicScheduleStage>()
            .AddAttribute("Discipline",
                          "Order in which segments begin to be sent: all in one queue, so that a "
                          "segment waits for the payload of those before it, whose they may be; or "
                          "a segment of each queue pair that has any, in turn.",
                          iwarp::MakeEnumValue(RnicDiscipline::FIFO),
                          iwarp::MakeEnumAccessor(&RnicScheduleStage::m_discipline),
                          iwarp::MakeEnumChecker(RnicDiscipline::FIFO,
                                                 "Fifo",
                                                 RnicDiscipline::ROUND_ROBIN,
                                                 "RoundRobin"));
    return tid;
}

RnicDiscipline
RnicScheduleStage::GetDiscipline() const
{
    return m_discipline;
}

} // namespace ns3
