/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/log.h"
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
    window.offered = m_rightEdge.GetOffered(rx->NextRxSequence());
    window.step = std::max(1U, std::min(m_tcb->m_segmentSize, rx->MaxBufferSize() / 2));
    window.shift = m_rcvWindShift;
    return window.Get();
}

uint16_t
MpaTcpSocket::AdvertisedWindowSize(bool scale) const
{
    NS_LOG_FUNCTION(this << scale);
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
    m_rightEdge.Tell(m_tcb->m_rxBuffer->NextRxSequence(),
                     uint32_t{window} << (scale ? m_rcvWindShift : 0),
                     scale);
    return window;
}

Ptr<Packet>
MpaTcpSocket::Recv(uint32_t maxSize, uint32_t flags)
{
    NS_LOG_FUNCTION(this << maxSize << flags);
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
    const SequenceNumber32 next = rx->NextRxSequence();
    mpa::WindowUpdate update;
    update.left = m_rightEdge.GetLeft(next);
    update.segment = m_tcb->m_segmentSize;
    update.buffer = rx->MaxBufferSize();
    if (!update.IsPeerWaiting())
    {
        return;
    }
    const bool retired = m_windowMode == WindowMode::RETIRED;
    const auto free = static_cast<uint32_t>(rx->MaxRxSequence() - next) >> m_rcvWindShift;
    const uint32_t window =
        retired ? GetRetiredWindow() : std::min<uint32_t>(free, m_maxWinSize) << m_rcvWindShift;
    if (update.IsDue(window))
    {
        NS_LOG_LOGIC(this << " window update: " << window);
        m_windowUpdate(window);
        SendAck();
    }
    else if (retired && m_sink && m_windowEvent.IsExpired())
    {
        const uint64_t most = update.GetUnretired(GetRoom(), m_rcvWindShift);
        if (m_sink->GetUnretired() > most)
        {
            m_windowEvent = Simulator::Schedule(m_sink->GetTimeToRetire(most),
                                                &MpaTcpSocket::UpdateWindow,
                                                this);
        }
    }
}

} // namespace ns3
