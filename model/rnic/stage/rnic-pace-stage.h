/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PACE_STAGE_H
#define RNIC_PACE_STAGE_H

#include "ns3/rnic-part.h"

#include <string>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief The pace of one connection: segments with payload leave no closer than an interval, as if
/// one queue pair could do no more.
class RnicPaceStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;
    void Serve(RnicSegment& segment) override;

  private:
    RnicTime m_interval{0}; //!< see Interval
};

} // namespace ns3

#endif // RNIC_PACE_STAGE_H
