/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NOTIFICATION_POINT_H
#define ROCE_NOTIFICATION_POINT_H

#include "ns3/nstime.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief DCQCN's notification point: when a receiver sends CNPs for a connection (Zhu et al.,
 * SIGCOMM 2015).
 *
 * Pure. The first packet that comes marked has a CNP at once, and later ones if none was sent for
 * an interval.
 */
class RoceNotificationPoint
{
  public:
    /// Make one that has sent none. @param interval shortest time between CNPs, more than 0
    explicit RoceNotificationPoint(Time interval);

    /// A marked packet comes. @param now the clock @return whether a CNP goes
    bool NotifyMarked(Time now);

  private:
    const Time m_interval;      //!< shortest time between CNPs
    std::optional<Time> m_last; //!< when the last went
};

} // namespace ns3

#endif // ROCE_NOTIFICATION_POINT_H
