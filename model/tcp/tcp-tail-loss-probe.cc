/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-tail-loss-probe.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// When a probe is due as long as no round trip was measured
const Time UNMEASURED_PROBE = Seconds(1);

} // namespace

Time
TcpTailLossProbe::GetTimeout(const Situation& situation)
{
    Time timeout = UNMEASURED_PROBE;
    if (situation.smoothed.IsStrictlyPositive())
    {
        timeout = 2 * situation.smoothed + (situation.lone ? situation.ackDelay : Time(0));
    }
    return std::min(timeout, situation.retransmit);
}

bool
TcpTailLossProbe::NotifyAck(const Ack& ack)
{
    if (!m_end || ack.ack < *m_end)
    {
        return false;
    }
    const bool both = ack.repeated == m_end; // the segment and the probe have come
    const bool beyond = ack.ack > *m_end;
    if (!m_again || both || beyond || ack.plain)
    {
        m_end.reset();
    }
    return m_again && !both && beyond;
}

} // namespace ns3
