/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-receive-window.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

uint32_t
TcpWindowFor(DataRate rate, Time roundTrip)
{
    constexpr double BIT_PS = 8e12; // of an octet
    const double product = static_cast<double>(rate.GetBitRate()) *
                           static_cast<double>(roundTrip.GetPicoSeconds()) / BIT_PS;
    // a millionth of an octet is what the product may be off by
    const double octets = std::ceil(std::max(0.0, product - 1e-6));
    if (octets >= TCP_MAX_WINDOW)
    {
        return TCP_MAX_WINDOW;
    }
    auto window = static_cast<uint32_t>(octets);
    for (uint32_t shift = 0; window >> shift > TCP_WINDOW_FIELD; ++shift)
    {
        const uint32_t unit = 2U << shift; // of the next scale
        window = (window + unit - 1) / unit * unit;
    }
    return window;
}

uint32_t
TcpReceiveWindow::Get() const
{
    const uint32_t free = space - std::min(space, unretired);
    const uint32_t edge = ((offered + (1U << shift) - 1) >> shift) << shift;
    if (unretired > 0 && (free <= offered || free - offered < step))
    {
        return edge; // RFC 1122 section 4.2.3.3: no silly windows
    }
    return std::max(edge, free >> shift << shift);
}

void
TcpRightEdge::Notify(SequenceNumber32 next, uint32_t window, bool established)
{
    m_edge = next + window;
    m_offered = m_offered || established;
}

int32_t
TcpRightEdge::GetLeft(SequenceNumber32 next) const
{
    return static_cast<int32_t>(m_edge.GetValue() - next.GetValue());
}

uint32_t
TcpRightEdge::GetOffered(SequenceNumber32 next) const
{
    return m_offered ? static_cast<uint32_t>(std::max(0, GetLeft(next))) : 0;
}

int64_t
TcpWindowUpdate::GetStep() const
{
    return std::min(2 * segment, buffer / 2);
}

bool
TcpWindowUpdate::IsPeerWaiting() const
{
    return left < GetStep();
}

bool
TcpWindowUpdate::IsDue(uint32_t window) const
{
    return int64_t{window} - left >= GetStep();
}

uint64_t
TcpWindowUpdate::GetUnretired(uint32_t room, uint8_t shift) const
{
    const int64_t lost = (int64_t{1} << shift) - 1; // octets that the window scale cannot say
    return static_cast<uint64_t>(std::max<int64_t>(0, room - left - GetStep() - lost));
}

} // namespace ns3
