/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-held-octets.h"
#include "mpa-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: segments shown to the layer above, and the receive window.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaTcpSocketReceiver");

void
MpaTcpSocket::ReceivedData(Ptr<Packet> p, const TcpHeader& header)
{
    const SequenceNumber32 seq = header.GetSequenceNumber();
    bool taken = false;
    if (!m_segmentCallback.IsNull() && p->GetSize() > 0)
    {
        const uint32_t size = p->GetSize();
        if (!ShowSegment(p, seq, taken))
        {
            NS_LOG_LOGIC(this << " dropped " << seq << " of " << size);
            m_segmentDropped(seq, size);
            return;
        }
    }
    m_receiving = true;
    if (taken)
    {
        TakeSegment(p->GetSize());
    }
    else
    {
        TcpSocketBase::ReceivedData(p, header);
    }
    m_receiving = false;
    if (m_held)
    {
        const uint64_t next = GetRxOffset(m_tcb->m_rxBuffer->NextRxSequence());
        m_held->octets.erase(HeldOctets::Between(0, next));
        if (m_held->octets.empty())
        {
            m_held.reset();
        }
    }
    UpdateWindow();
}

bool
MpaTcpSocket::ShowSegment(Ptr<Packet>& p, SequenceNumber32 seq, bool& taken)
{
    const auto& rx = m_tcb->m_rxBuffer;
    if (seq != rx->NextRxSequence() || m_held ||
        (rx->Available() > 0 && seq + p->GetSize() > rx->MaxRxSequence()))
    {
        return ShowPieces(p, seq);
    }
    const Verdict verdict = m_segmentCallback(seq, p);
    taken = verdict == Verdict::TAKE && rx->Available() == 0 && !rx->GotFin();
    return verdict != Verdict::DROP;
}

bool
MpaTcpSocket::ShowPieces(Ptr<Packet>& p, SequenceNumber32 seq)
{
    const auto& rx = m_tcb->m_rxBuffer;
    const SequenceNumber32 next = rx->NextRxSequence();
    const SequenceNumber32 head = std::max(seq, next);
    SequenceNumber32 tail = seq + p->GetSize();
    // TcpRxBuffer's right edge counts from the first octet that it stores, in order or not
    if (rx->Available() > 0)
    {
        tail = std::min(tail, next - rx->Available() + rx->MaxBufferSize());
    }
    else if (m_held)
    {
        const uint64_t first = m_held->octets.begin()->lower() - GetRxOffset(next);
        tail = std::min(tail, next + static_cast<uint32_t>(first) + rx->MaxBufferSize());
    }
    if (head >= tail)
    {
        return true; // nothing of it is kept, but TCP answers
    }
    if (!m_held)
    {
        m_held = std::make_unique<HeldOctets>();
    }
    const uint64_t from = GetRxOffset(head);
    const auto start = from - static_cast<uint32_t>(head - seq); // of the segment
    HeldOctets::Set pieces;
    pieces += HeldOctets::Between(from, from + static_cast<uint32_t>(tail - head));
    pieces -= m_held->octets;
    for (const auto& piece : pieces)
    {
        const auto at = static_cast<uint32_t>(piece.lower() - start);
        const auto size = static_cast<uint32_t>(piece.upper() - piece.lower());
        if (m_segmentCallback(seq + at, p->CreateFragment(at, size)) == Verdict::DROP)
        {
            if (at == pieces.begin()->lower() - start)
            {
                return false;
            }
            m_segmentDropped(seq + at, size);
            p = p->CreateFragment(0, at);
            break;
        }
        m_held->octets += piece;
    }
    return true;
}

uint64_t
MpaTcpSocket::GetRxOffset(SequenceNumber32 seq)
{
    // Counted from the left edge of the window, which only moves on
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    m_rxOffset += static_cast<uint32_t>(next - m_rxSeq);
    m_rxSeq = next;
    return m_rxOffset + static_cast<uint32_t>(seq - next);
}

void
MpaTcpSocket::TakeSegment(uint32_t size)
{
    const auto& rx = m_tcb->m_rxBuffer;
    rx->SetNextRxSequence(rx->NextRxSequence() + size);
    if (!m_shutdownRecv)
    {
        NotifyDataRecv();
    }
    // Delayed ACKs as in TcpSocketBase::ReceivedData()
    if (++m_delAckCount >= m_delAckMaxCount)
    {
        m_delAckEvent.Cancel();
        m_delAckCount = 0;
        m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_NON_DELAYED_ACK);
        SendAck();
        return;
    }
    m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_DELAYED_ACK);
    if (m_delAckEvent.IsExpired())
    {
        m_delAckEvent = Simulator::Schedule(m_delAckTimeout, &MpaTcpSocket::DelAckTimeout, this);
    }
}

void
MpaTcpSocket::SendAck()
{
    if (m_tcb->m_ecnState == TcpSocketState::ECN_CE_RCVD ||
        m_tcb->m_ecnState == TcpSocketState::ECN_SENDING_ECE)
    {
        SendEmptyPacket(TcpHeader::ACK | TcpHeader::ECE);
        m_tcb->m_ecnState = TcpSocketState::ECN_SENDING_ECE;
    }
    else
    {
        SendEmptyPacket(TcpHeader::ACK);
    }
}

uint16_t
MpaTcpSocket::AdvertisedWindowSize(bool scale) const
{
    const uint16_t window = TcpSocketBase::AdvertisedWindowSize(scale);
    m_rightEdge = m_tcb->m_rxBuffer->NextRxSequence() + (window << (scale ? m_rcvWindShift : 0));
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
    const auto window = static_cast<uint32_t>(rx->MaxRxSequence() - next) >> m_rcvWindShift;
    const auto now =
        static_cast<int32_t>(std::min<uint32_t>(window, m_maxWinSize) << m_rcvWindShift);
    if (now - left >= step)
    {
        m_windowUpdate(now);
        SendAck();
    }
}

} // namespace ns3
