/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: what is sent, and where it is cut.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaTcpSocketSender");

int
MpaTcpSocket::Send(Ptr<Packet> p, uint32_t flags)
{
    if (m_shutdownSend)
    {
        m_errno = ERROR_SHUTDOWN;
        return -1;
    }
    const uint32_t before = m_txBuffer->Size();
    m_inSend = true;
    const int result = TcpSocketBase::Send(p, flags & ~INLINE);
    m_inSend = false;
    const uint32_t size = m_txBuffer->Size() - before;
    if (size > 0)
    {
        const uint64_t tail = m_records.GetBack() + size;
        m_records.Append(tail);
        m_records.DropUpTo(tail - m_txBuffer->Size());
        m_segments.DropUpTo(tail - m_txBuffer->Size());
        if (flags & INLINE)
        {
            NoteInline(tail - size, tail);
        }
        if (m_rWnd.Get() == 0 && m_state >= ESTABLISHED && m_persistEvent.IsExpired())
        {
            m_persistEvent =
                Simulator::Schedule(m_persistTimeout, &MpaTcpSocket::PersistTimeout, this);
        }
    }
    return result;
}

uint64_t
MpaTcpSocket::GetOffset(SequenceNumber32 seq) const
{
    return m_records.GetBack() - m_txBuffer->SizeFromSequence(seq);
}

uint32_t
MpaTcpSocket::AvailableWindow() const
{
    if (m_inSend)
    {
        return TcpSocketBase::AvailableWindow();
    }
    // The other one who asks is TcpSocketBase::SendPendingData(), first thing whenever something
    // may be sent. It is not virtual, and finds the next segment by walking through all that are in
    // flight; so it gets to know that all has been done.
    const_cast<MpaTcpSocket*>(this)->SendRecords();
    return 0;
}

bool
MpaTcpSocket::FindNext(SequenceNumber32& next, SequenceNumber32& high) const
{
    const bool recovery = m_sackEnabled && m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
    if (recovery || m_txBuffer->GetLost() > 0)
    {
        return m_txBuffer->NextSeg(&next, &high, recovery);
    }
    // Nothing is lost: what comes next is the first octet that has not been sent
    const uint32_t sent =
        m_txBuffer->BytesInFlight() + m_txBuffer->GetSacked() - m_txBuffer->GetRetransmitsCount();
    const uint32_t window = m_rWnd;
    if (sent >= m_txBuffer->Size() || sent >= window)
    {
        return false;
    }
    next = m_txBuffer->HeadSequence() + sent;
    high = next + std::min(m_tcb->m_segmentSize, window - sent);
    return true;
}

void
MpaTcpSocket::SendRecords()
{
    NS_LOG_FUNCTION(this);
    m_maxWindow = std::max(m_maxWindow, m_rWnd.Get());
    EndFragmenting();
    while (const uint32_t window = TcpSocketBase::AvailableWindow())
    {
        if (IsPacingEnabled() && m_pacingTimer.IsRunning())
        {
            break;
        }
        if (m_tcb->m_congState == TcpSocketState::CA_OPEN && m_state == FIN_WAIT_1)
        {
            break; // all has been sent
        }
        SequenceNumber32 next;
        SequenceNumber32 high;
        if (!FindNext(next, high))
        {
            break;
        }
        const uint32_t unsent = m_txBuffer->SizeFromSequence(next);
        if (unsent < window)
        {
            NotifySend(GetTxAvailable());
        }
        // Nagle (RFC 896) is about new data: what is lost must not wait for what it holds up
        if (!m_noDelay && unsent < m_tcb->m_segmentSize && UnAckDataCount() > 0 &&
            next >= m_tcb->m_highTxMark)
        {
            break;
        }
        const uint32_t limit =
            std::min({window, m_tcb->m_segmentSize, static_cast<uint32_t>(high - next)});
        const uint32_t size = SizeSegment(next, limit, window, unsent);
        if (size == 0)
        {
            break;
        }
        if (m_tcb->m_nextTxSequence != next)
        {
            m_tcb->m_nextTxSequence = next;
        }
        if (m_tcb->m_bytesInFlight.Get() == 0)
        {
            m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_TX_START);
        }
        m_sized = true;
        m_tcb->m_nextTxSequence += SendDataPacket(next, size, m_connected);
    }
}

uint32_t
MpaTcpSocket::GetFullSize(uint64_t offset) const
{
    // Records accepted before the EMSS has shrunk may have a limit of their own
    const bool old = offset < m_wholeUpTo;
    const uint32_t limit = old ? m_tcb->m_segmentSize : m_emss.Get();
    uint32_t full = MpaFullSegment(m_records, offset, limit, m_packing);
    if (old && offset + full > m_wholeUpTo)
    {
        full = static_cast<uint32_t>(m_wholeUpTo - offset);
    }
    if (offset < m_segments.GetBack())
    { // sent before: the same segment again, if the path still takes it
        const auto original = static_cast<uint32_t>(m_segments.After(offset) - offset);
        full = original <= limit ? original : std::min(full, original);
    }
    return full;
}

void
MpaTcpSocket::EndFragmenting()
{
    if (m_wholeUpTo > 0 && m_records.GetBack() - m_txBuffer->Size() >= m_wholeUpTo)
    {
        m_wholeUpTo = 0;
        m_tcb->m_segmentSize = m_emss;
        m_txBuffer->SetSegmentSize(m_emss);
    }
}

void
MpaTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    const SequenceNumber32 ack = header.GetAckNumber();
    if (ack < m_txBuffer->HeadSequence())
    { // late: what its SACK blocks name is acknowledged, and ns-3 would look for it once closing
        if (packet->GetSize() > 0)
        {
            ReceivedData(packet, header);
        }
        return;
    }
    if (!m_resendWhole || !m_alignment || !m_sackEnabled || ack > m_tcb->m_highTxMark ||
        ack <= m_txBuffer->HeadSequence())
    {
        TcpSocketBase::ReceivedAck(packet, header);
        return;
    }
    // A part of a segment counts as acknowledged only with the rest of it: TcpTxBuffer forgets
    // what is acknowledged. Without SACK such ACKs would look like duplicates.
    TcpHeader whole = header;
    whole.SetAckNumber(ack - GetPartBefore(ack));
    TcpSocketBase::ReceivedAck(packet, whole);
}

uint32_t
MpaTcpSocket::GetPartBefore(SequenceNumber32 seq) const
{
    const uint64_t offset = GetOffset(seq);
    const uint64_t start = m_segments.UpTo(offset);
    if (start == offset || m_segments.After(offset) - start > m_tcb->m_segmentSize)
    {
        return 0; // none, or the path has become too narrow for the whole
    }
    return static_cast<uint32_t>(offset - start);
}

uint32_t
MpaTcpSocket::SizeSegment(SequenceNumber32 seq, uint32_t limit, uint32_t window, uint32_t unsent)
{
    uint32_t full = m_tcb->m_segmentSize;
    const uint64_t offset = GetOffset(seq);
    if (m_alignment)
    {
        full = GetFullSize(offset);
        if (full <= limit)
        {
            return full;
        }
    }
    else if (window >= full || window >= unsent)
    {
        return limit;
    }
    // The window is too narrow. As long as something is in flight, an ACK will come and widen it.
    uint32_t now = 0;
    if (m_tcb->m_bytesInFlight.Get() == 0)
    {
        now = m_alignment ? MpaWholeRecords(m_records, offset, limit, m_packing) : 0;
        if (now == 0 && (m_overridden || 2 * limit >= m_maxWindow || limit < m_rWnd))
        {
            now = limit;
        }
        else if (now == 0 && m_overrideEvent.IsExpired())
        {
            m_overrideEvent = Simulator::Schedule(m_overrideTimeout, &MpaTcpSocket::Override, this);
        }
    }
    if (now == 0)
    {
        m_heldBack(seq, std::min(full, unsent), limit);
    }
    return now;
}

void
MpaTcpSocket::Override()
{
    m_overridden = true;
    SendPendingData(m_connected);
    m_overridden = false;
}

uint32_t
MpaTcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    const bool sized = m_sized;
    m_sized = false;
    uint64_t offset = GetOffset(seq);
    uint32_t size = maxSize;
    if (m_alignment)
    {
        if (m_resendWhole && seq == m_highRxAckMark && seq > m_txBuffer->HeadSequence())
        { // from the start of the segment, as ReceivedAck() has kept it
            seq = seq - GetPartBefore(seq);
            offset = GetOffset(seq);
        }
        size = GetFullSize(offset);
        m_fillValid = m_fillValid && size <= maxSize;
        if (size > maxSize)
        { // never 0: who calls relies on a segment being sent
            size = MpaWholeRecords(m_records, offset, maxSize, m_packing);
        }
        if (size == 0 && !sized && offset >= m_segments.GetBack() && UnAckDataCount() > 0)
        { // TcpSocketBase::DoRetransmit() found nothing lost, and no room for new data either: then
            // the first segment, as when there is no room at all
            seq = m_txBuffer->HeadSequence();
            offset = GetOffset(seq);
            size = GetFullSize(offset);
        }
        size = size ? size : maxSize;
    }
    const bool again = offset < m_segments.GetBack();
    size = TcpSocketBase::SendDataPacket(seq, size, withAck);
    if (offset + size > m_segments.GetBack())
    {
        m_segments.Append(offset + size);
    }
    if (m_resendWhole && again && seq < m_highRxAckMark)
    {
        m_sentInVain(seq, std::min<uint32_t>(size, m_highRxAckMark.Get() - seq));
    }
    if (!m_segmentSent.IsEmpty() || !m_recordCut.IsEmpty())
    {
        TraceSegment(seq, offset, size, again);
    }
    return size;
}

void
MpaTcpSocket::TraceSegment(SequenceNumber32 seq, uint64_t offset, uint32_t size, bool again)
{
    const uint64_t end = offset + size;
    const bool atStart = m_records.IsBoundary(offset);
    const bool atEnd = m_records.IsBoundary(end);
    m_segmentSent(seq, size, atStart, atStart && atEnd, again);
    if (!atEnd)
    {
        CutReason reason = again ? CutReason::RETRANSMIT : CutReason::WINDOW;
        if (m_records.After(end) - m_records.UpTo(end) > m_tcb->m_segmentSize)
        {
            reason = CutReason::EMSS;
        }
        m_recordCut(seq, size, reason);
    }
}

void
MpaTcpSocket::PersistTimeout()
{
    const SequenceNumber32 next = m_tcb->m_nextTxSequence;
    if (m_txBuffer->SizeFromSequence(next) == 0)
    {
        return; // nothing to probe the window with: Send() starts the timer again
    }
    if (!m_records.IsBoundary(GetOffset(next) + 1))
    {
        m_recordCut(next, 1, CutReason::PROBE);
    }
    TcpSocketBase::PersistTimeout();
}

uint32_t
MpaTcpSocket::GetRoomInSegment() const
{
    const uint32_t emss = m_emss;
    const uint64_t tail = m_records.GetBack();
    const uint64_t sent = std::max(m_segments.GetBack(), tail - m_txBuffer->Size());
    if (!m_alignment || !m_packing || sent == tail)
    {
        return emss;
    }
    // Go through the segments to come, from where that is not known yet
    if (!m_fillValid || m_fillStart < sent)
    {
        m_fillStart = sent;
        m_fillValid = true;
    }
    uint64_t end = m_fillStart;
    while (end < tail)
    {
        m_fillStart = end;
        end += MpaFullSegment(m_records, end, emss, true);
    }
    return m_records.IsBoundary(m_fillStart) ? emss - static_cast<uint32_t>(tail - m_fillStart)
                                             : emss;
}

} // namespace ns3
