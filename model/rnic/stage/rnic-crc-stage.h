/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CRC_STAGE_H
#define RNIC_CRC_STAGE_H

#include "rnic-server-stage.h"

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief The CRC of a segment on its way out.
class RnicTxCrcStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

  protected:
    Load GetLoad(const RnicSegment& segment) const override;
};

/// @ingroup iwarp-rnic
/// @brief The CRCs of a received segment, once MPA has found its FPDUs.
class RnicRxCrcStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

  protected:
    Load GetLoad(const RnicSegment& segment) const override;
};

/**
 * @ingroup iwarp-rnic
 * @brief The CRCs of segments that stream through the receiver.
 *
 * Those of an aligned segment may run beside classification and MPA's look at it (RFC 5044 section
 * B.2.1); those of others wait for MPA.
 */
class RnicStreamCrcStage : public RnicRxCrcStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;

  private:
    bool m_parallel{false}; //!< see Parallel
};

} // namespace ns3

#endif // RNIC_CRC_STAGE_H
