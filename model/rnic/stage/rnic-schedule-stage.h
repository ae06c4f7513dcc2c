/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SCHEDULE_STAGE_H
#define RNIC_SCHEDULE_STAGE_H

#include "rnic-server-stage.h"

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief In which order segments begin to be sent.
enum class RnicDiscipline : uint8_t
{
    FIFO,        //!< in the order in which TCP has them, whatever their queue pairs
    ROUND_ROBIN, //!< a segment of each queue pair that has any, in turn
};

/// @ingroup iwarp-rnic
/// @brief Chooses the segment that is to be sent next.
class RnicScheduleStage : public RnicFrameStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    RnicDiscipline GetDiscipline() const; //!< Get the order of segments. @return see Discipline

  private:
    RnicDiscipline m_discipline{RnicDiscipline::FIFO}; //!< see Discipline
};

} // namespace ns3

#endif // RNIC_SCHEDULE_STAGE_H
