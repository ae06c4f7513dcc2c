/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-silly-window.h"

namespace ns3
{

bool
TcpFillsNarrowWindow(const TcpSendAllowance& allowance)
{
    const uint32_t limit = allowance.limit;
    return allowance.idle &&
           (allowance.overridden || 2 * limit >= allowance.widest || limit < allowance.offered);
}

TcpSegmentChoice
TcpChooseSegment(uint32_t full, const TcpSendAllowance& allowance)
{
    TcpSegmentChoice choice;
    choice.wanted = full;
    if (allowance.window >= full || allowance.window >= allowance.unsent ||
        TcpFillsNarrowWindow(allowance))
    {
        choice.size = allowance.limit;
    }
    // as long as something is in flight, an ACK will come and widen the window
    choice.mayOverride = choice.size == 0 && allowance.idle;
    return choice;
}

} // namespace ns3
