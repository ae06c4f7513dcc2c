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
            .AddAttribute(
                "Discipline",
                "Order in which segments begin to be sent. Fifo: one transmit pipe over "
                "all queue pairs, so that a segment, even one whose payload came with its "
                "doorbell, waits for the payload of those before it, whose they may be. "
                "RoundRobin: a queue for each queue pair, and a segment of each that has "
                "any, in turn; where more of them send than contexts are on chip, more "
                "contexts are fetched.",
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
