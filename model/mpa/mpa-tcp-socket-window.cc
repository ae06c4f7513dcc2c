/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header-fields.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: the receive window, and the peer's.
 */

namespace ns3
{

void
MpaTcpSocket::SizeReceiveBuffer()
{
    if (m_windowRate.GetBitRate() > 0 && m_windowRtt.IsStrictlyPositive())
    {
        m_tcb->m_rxBuffer->SetMaxBufferSize(TcpWindowFor(m_windowRate, m_windowRtt));
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
    TcpReceiveWindow window;
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
    TcpWindowUpdate update;
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

bool
MpaTcpSocket::IsWindowUpdate(Ptr<const Packet> packet, const TcpHeader& header)
{
    // RFC 5681 section 2, (e): TcpSocketBase takes it for a duplicate of the ACK before
    const int32_t before = std::exchange(m_lastWindow, header.GetWindowSize());
    return !m_sackEnabled && packet->GetSize() == 0 && before >= 0 && before != m_lastWindow &&
           header.GetAckNumber() == m_txBuffer->HeadSequence();
}

void
MpaTcpSocket::NoticeClosedWindow(const TcpHeaderFields& fields)
{
    // RFC 9293 section 3.10.7.4, fifth step: TcpSocketBase believes in a window that gets smaller
    // only if the segment is newer than the last one
    if (fields.window == 0 &&
        (fields.flags & (TcpHeader::ACK | TcpHeader::SYN)) == TcpHeader::ACK &&
        SequenceNumber32(fields.seq) == m_highRxMark &&
        SequenceNumber32(fields.ack) == m_highRxAckMark)
    {
        m_rWnd = 0;
    }
}

void
MpaTcpSocket::TakeAckOfProbe(Ptr<Packet> packet, const TcpHeaderFields& fields) const
{
    // TcpSocketBase takes it for an ACK of what was never sent, and answers. The octet goes out
    // once more, at the head of its record
    const SequenceNumber32 next = m_tcb->m_nextTxSequence;
    if (m_persistEvent.IsExpired() || SequenceNumber32(fields.ack) != next + SequenceNumber32(1) ||
        next != m_tcb->m_highTxMark || !(fields.flags & TcpHeader::ACK) ||
        (m_state != ESTABLISHED && m_state != CLOSE_WAIT))
    {
        return;
    }
    TcpHeader header;
    packet->RemoveHeader(header);
    header.SetAckNumber(next);
    packet->AddHeader(header);
}

void
MpaTcpSocket::PersistTimeout()
{
    NS_LOG_FUNCTION(this);
    const SequenceNumber32 next = m_tcb->m_nextTxSequence;
    const bool sent = m_txBuffer->SizeFromSequence(next) == 0;
    if (sent && m_txBuffer->Size() == 0)
    {
        return; // nothing to probe the window with: Send() starts the timer again
    }
    if (!sent && !m_segmenter.IsRecordBoundary(GetOffset(next) + 1))
    {
        m_recordCut(next, 1, CutReason::PROBE);
    }
    // TcpSocketBase's probe has no ACK flag, and a peer drops what has none (RFC 9293 section
    // 3.10.7.4). Probes are not ECN-capable (RFC 3168 section 6.1.6).
    m_persistTimeout = std::min(Seconds(60), Time(2 * m_persistTimeout));
    Ptr<Packet> probe = Create<Packet>();
    if (!sent)
    {
        probe = m_txBuffer->CopyFromSequence(1, next)->GetPacketCopy();
        m_txBuffer->ResetLastSegmentSent();
    }
    m_highTxAck = m_tcb->m_rxBuffer->NextRxSequence();
    TcpHeader header;
    header.SetFlags(TcpHeader::ACK);
    // all is under way: a segment that the peer does not expect has it answer, too
    header.SetSequenceNumber(sent ? m_txBuffer->HeadSequence() - 1 : next);
    header.SetAckNumber(m_highTxAck);
    header.SetWindowSize(AdvertisedWindowSize());
    SendByHand(probe, header);
    m_persistEvent = Simulator::Schedule(m_persistTimeout, &MpaTcpSocket::PersistTimeout, this);
}

void
MpaTcpSocket::KeepTimer()
{
    // TcpSocketBase stops the timer of octets and of a FIN under way when the peer's window closes,
    // and starts it no more
    const bool octets = m_persistEvent.IsExpired() && m_txBuffer->Size() > 0 &&
                        m_tcb->m_highTxMark > m_txBuffer->HeadSequence();
    if (m_state >= ESTABLISHED && m_retxEvent.IsExpired() && (octets || IsFinPending()))
    {
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &MpaTcpSocket::ReTxTimeout, this);
    }
}

} // namespace ns3
