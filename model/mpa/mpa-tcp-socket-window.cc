/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receive-window.h"
#include "mpa-tcp-socket.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-rx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: the receive window.
 */

namespace ns3
{

void
MpaTcpSocket::SizeReceiveBuffer()
{
    if (m_windowRate.GetBitRate() > 0 && m_windowRtt.IsStrictlyPositive())
    {
        m_tcb->m_rxBuffer->SetMaxBufferSize(mpa::WindowFor(m_windowRate, m_windowRtt));
    }
}

uint32_t
MpaTcpSocket::GetRoom() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    return rx->MaxBufferSize() - std::min(rx->MaxBufferSize(), rx->Available());
}

uint32_t
MpaTcpSocket::GetRetiredWindow() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    mpa::ReceiveWindow window;
    window.space = std::min<uint32_t>(GetRoom(), uint32_t(m_maxWinSize) << m_rcvWindShift);
    window.unretired = m_sink ? std::min<uint64_t>(m_sink->GetUnretired(), UINT32_MAX) : 0;
    window.offered = m_edgeTold ? std::max(0, m_rightEdge - rx->NextRxSequence()) : 0;
    window.step = std::max(1U, std::min(m_tcb->m_segmentSize, rx->MaxBufferSize() / 2));
    window.shift = m_rcvWindShift;
    return window.Get();
}

uint16_t
MpaTcpSocket::AdvertisedWindowSize(bool scale) const
{
    uint16_t window = 0;
    if (m_windowMode == WindowMode::RETIRED && scale && !m_tcb->m_rxBuffer->GotFin())
    {
        const uint32_t octets = GetRetiredWindow();
        if (octets != m_advWnd.Get())
        { // told of by TcpSocketBase's trace
            const_cast<MpaTcpSocket*>(this)->m_advWnd = octets;
        }
        window = std::min<uint32_t>(octets >> m_rcvWindShift, m_maxWinSize);
    }
    else
    {
        window = TcpSocketBase::AdvertisedWindowSize(scale);
    }
    m_rightEdge = m_tcb->m_rxBuffer->NextRxSequence() + (window << (scale ? m_rcvWindShift : 0));
    m_edgeTold = m_edgeTold || scale;
    return window;
}

Ptr<Packet>
MpaTcpSocket::Recv(uint32_t maxSize, uint32_t flags)
{
    Ptr<Packet> packet = TcpSocketBase::Recv(maxSize, flags);
    if (packet && !m_receiving)
    {
        UpdateWindow();
    }
    return packet;
}

void
MpaTcpSocket::UpdateWindow()
{
    const auto& rx = m_tcb->m_rxBuffer;
    if ((m_state != ESTABLISHED && m_state != FIN_WAIT_1 && m_state != FIN_WAIT_2) || rx->GotFin())
    {
        return;
    }
    // RFC 1122 section 4.2.3.3, but only where the peer may be waiting: as long as it has room for
    // two segments it goes on sending, and gets to know from the ACKs
    const SequenceNumber32 next = rx->NextRxSequence();
    const auto left = m_rightEdge - next;
    const auto step =
        static_cast<int32_t>(std::min(2 * m_tcb->m_segmentSize, rx->MaxBufferSize() / 2));
    if (left >= step)
    {
        return;
    }
    const bool retired = m_windowMode == WindowMode::RETIRED;
    const auto window = static_cast<uint32_t>(rx->MaxRxSequence() - next) >> m_rcvWindShift;
    const auto now = static_cast<int32_t>(
        retired ? GetRetiredWindow() : std::min<uint32_t>(window, m_maxWinSize) << m_rcvWindShift);
    if (now - left >= step)
    {
        m_windowUpdate(now);
        SendAck();
    }
    else if (retired && m_sink && m_windowEvent.IsExpired())
    { // so much may be left unretired for a window that is worth telling
        const int64_t unit = int64_t{1} << m_rcvWindShift;
        const int64_t most = std::max<int64_t>(0, GetRoom() - left - step - (unit - 1));
        if (m_sink->GetUnretired() > static_cast<uint64_t>(most))
        {
            m_windowEvent = Simulator::Schedule(m_sink->GetTimeToRetire(most),
                                                &MpaTcpSocket::UpdateWindow,
                                                this);
        }
    }
}

} // namespace ns3
