/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-notification-point.h"

namespace ns3
{

RoceNotificationPoint::RoceNotificationPoint(Time interval)
    : m_interval(interval)
{
}

bool
RoceNotificationPoint::NotifyMarked(Time now)
{
    if (m_last && now - *m_last < m_interval)
    {
        return false;
    }
    m_last = now;
    return true;
}

} // namespace ns3
