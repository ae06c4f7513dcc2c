/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_MPA_STAGE_H
#define RNIC_MPA_STAGE_H

#include "rnic-server-stage.h"

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief MPA's look at a received segment: is it aligned, and where are its FPDUs.
 *
 * A segment that is not aligned occupies an engine for longer: MPA state and partial CRCs are
 * fetched and stored, and Markers searched (RFC 5044 section B.2.1).
 */
class RnicMpaStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    bool IsIdeal() const override;

  protected:
    Load GetLoad(const RnicSegment& segment) const override;

  private:
    RnicTime m_slowPathTime{0};     //!< see SlowPathTime
    RnicTime m_stateFetchTime{0};   //!< see StateFetchTime
    RnicTime m_partialCrcTime{0};   //!< see PartialCrcTime
    RnicTime m_markerSearchTime{0}; //!< see MarkerSearchTime
};

/**
 * @ingroup iwarp-rnic
 * @brief Placement: host addresses are computed and copies to them commanded.
 */
class RnicPlaceStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

  protected:
    Load GetLoad(const RnicSegment& segment) const override;
};

} // namespace ns3

#endif // RNIC_MPA_STAGE_H
