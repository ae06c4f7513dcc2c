/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-probe-guard.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: what is sent, and when.
 */

namespace ns3
{

void
MpaTcpSocket::SetAlignment(bool alignment)
{
    m_segmenter.SetAlignment(alignment);
}

bool
MpaTcpSocket::GetAlignment() const
{
    return m_segmenter.GetAlignment();
}

void
MpaTcpSocket::SetPacking(bool packing)
{
    m_segmenter.SetPacking(packing);
}

bool
MpaTcpSocket::GetPacking() const
{
    return m_segmenter.GetPacking();
}

uint32_t
MpaTcpSocket::GetRoomInSegment() const
{
    return m_segmenter.GetRoom(GetAcknowledged());
}

uint64_t
MpaTcpSocket::GetOffset(SequenceNumber32 seq) const
{
    return m_segmenter.GetTail() - m_txBuffer->SizeFromSequence(seq);
}

uint64_t
MpaTcpSocket::GetAcknowledged() const
{
    return m_segmenter.GetTail() - m_txBuffer->Size();
}

int
MpaTcpSocket::Send(Ptr<Packet> p, uint32_t flags)
{
    NS_LOG_FUNCTION(this << p << flags);
    if (m_shutdownSend)
    {
        m_errno = ERROR_SHUTDOWN;
        return -1;
    }
    const uint32_t before = m_txBuffer->Size();
    const int result = TcpSocketBase::Send(p, flags);
    const uint32_t size = m_txBuffer->Size() - before;
    if (size == 0)
    {
        return result;
    }
    const bool offered = m_segmenter.GetAllowedProbe() > 0;
    m_segmenter.Append(size);
    if (offered && m_segmenter.GetAllowedProbe() == 0 && m_user)
    { // that was the probe: the next ones are as before
        m_user->EmssChanged(m_emss);
    }
    m_segmenter.DropUpTo(GetAcknowledged());
    if (m_state != ESTABLISHED && m_state != CLOSE_WAIT)
    {
        return result;
    }
    // As TcpSocketBase::Send(): a little later, so that the application can fill the buffer
    if (m_sendPendingDataEvent.IsExpired() && TcpSocketBase::AvailableWindow() > 0)
    {
        m_sendPendingDataEvent =
            Simulator::Schedule(TimeStep(1), &MpaTcpSocket::SendRecords, this, false);
    }
    if (m_rWnd.Get() == 0 && m_persistEvent.IsExpired())
    {
        m_persistEvent = Simulator::Schedule(m_persistTimeout, &MpaTcpSocket::PersistTimeout, this);
    }
    return result;
}

uint32_t
MpaTcpSocket::AvailableWindow() const
{
    return 0;
}

void
MpaTcpSocket::PassAck(Ptr<Packet> packet, const TcpHeader& header)
{
    const SequenceNumber32 ack = header.GetAckNumber();
    const bool keeps = m_resendWhole && m_sackEnabled && GetAlignment() &&
                       ack > m_txBuffer->HeadSequence() && ack <= m_tcb->m_highTxMark;
    const uint32_t part = keeps ? m_segmenter.GetPartBefore(GetOffset(ack)) : 0;
    if (part == 0)
    {
        TcpSocketBase::ReceivedAck(packet, header);
        return;
    }
    // A part of a segment counts as acknowledged only with the rest of it: TcpTxBuffer forgets what
    // is acknowledged. Without SACK such ACKs would look like duplicates.
    TcpHeader whole = header;
    whole.SetAckNumber(ack - part);
    TcpSocketBase::ReceivedAck(packet, whole);
}

void
MpaTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    NS_LOG_FUNCTION(this << header);
    const SequenceNumber32 ack = header.GetAckNumber();
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    if (ack < head)
    { // late: what its SACK blocks name is acknowledged, and ns-3 would look for it once closing
        if (packet->GetSize() > 0)
        {
            ReceivedData(packet, header);
        }
        return;
    }
    if (IsWindowUpdate(packet, header))
    {
        SendRecords(false);
        return;
    }
    NoticeForgotten(ack);
    if (m_tcb->m_congState == TcpSocketState::CA_CWR && ack > head)
    { // TcpSocketBase keeps the count of duplicates if the ACK has SACK blocks, too, and asserts
      // that none has been counted when such an ACK ends the reduction
        m_dupAckCount = 0;
    }
    const bool outstanding = m_txBuffer->Size() > 0;
    const bool probes = m_segmenter.HasProbe() && ack < m_tcb->m_highTxMark &&
                        m_tcb->m_congState < TcpSocketState::CA_CWR;
    const uint32_t probe = probes ? m_segmenter.FindProbe(GetOffset(ack), 0) : 0;
    const auto guard =
        probe > 0 ? CreateObject<TcpProbeGuard>(m_congestionControl, *m_tcb, m_txBuffer, probe)
                  : nullptr;
    if (header.HasOption(TcpOption::SACK))
    {
        PassBlocks(packet, header);
    }
    else
    {
        PassAck(packet, header);
    }
    if (guard && guard->End(m_congestionControl, *m_tcb))
    {
        m_dupAckCount = 0;
        if (!m_sackEnabled)
        {
            m_txBuffer->ResetRenoSack();
        }
    }
    if (m_search)
    {
        OfferProbe();
    }
    SendRecords(false);
    if (m_shutdownSend && outstanding && m_txBuffer->Size() == 0 &&
        (m_state == ESTABLISHED || m_state == CLOSE_WAIT))
    { // TcpSocketBase has FIN go with the last data, and with none once these are under way. A
      // listener that is shut, such as PacketSink's, ends no connection that never sent
        ShutdownSend();
    }
}

void
MpaTcpSocket::ReTxTimeout()
{
    NS_LOG_FUNCTION(this);
    // At the last timeout the base class reports failure, and the application may let go of the
    // socket
    Ptr<MpaTcpSocket> self(this);
    if (TimeOut())
    {
        return;
    }
    NoticeBlackHole();
    TcpSocketBase::ReTxTimeout();
    SendRecords(false);
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
MpaTcpSocket::SendRecords(bool overridden)
{
    NS_LOG_FUNCTION(this << overridden);
    if (m_state < ESTABLISHED || m_txBuffer->Size() == 0 || (!m_endPoint && !m_endPoint6))
    {
        return;
    }
    m_segmenter.NoticeWindow(m_rWnd);
    if (m_segmenter.EndKeepingWhole(GetAcknowledged()))
    {
        m_tcb->m_segmentSize = m_emss;
        m_txBuffer->SetSegmentSize(m_emss);
    }
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
        const uint32_t size = SizeSegment(next, high, window, overridden);
        if (size == 0)
        {
            break;
        }
        m_tcb->m_nextTxSequence = next;
        if (m_tcb->m_bytesInFlight.Get() == 0)
        {
            m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_TX_START);
        }
        m_tcb->m_nextTxSequence += SendSegment(next, size, m_connected);
    }
}

uint32_t
MpaTcpSocket::SizeSegment(SequenceNumber32 next,
                          SequenceNumber32 high,
                          uint32_t window,
                          bool overridden)
{
    const uint32_t unsent = m_txBuffer->SizeFromSequence(next);
    if (unsent < window)
    {
        NotifySend(GetTxAvailable());
    }
    // Nagle (RFC 896) is about new data: what is lost must not wait for what it holds up
    if (!m_noDelay && unsent < m_tcb->m_segmentSize && UnAckDataCount() > 0 &&
        next >= m_tcb->m_highTxMark)
    {
        return 0;
    }
    NoticeLostProbe(next);
    if (const uint32_t probe = m_segmenter.FindProbe(GetOffset(next), unsent))
    {
        // what counts as arrived widens the window, but not what the peer has room for
        const auto sent = static_cast<uint32_t>(next - m_txBuffer->HeadSequence());
        if (probe <= window && sent + probe <= m_rWnd)
        {
            return probe;
        }
        if (m_tcb->m_bytesInFlight.Get() > 0)
        {
            m_heldBack(next, probe, window);
            return 0;
        }
        EndProbe(); // the window will not become as wide
    }
    RecordSegmenter::Allowance allowance;
    allowance.limit = std::min({window, m_tcb->m_segmentSize, static_cast<uint32_t>(high - next)});
    allowance.window = window;
    allowance.offered = m_rWnd;
    allowance.unsent = unsent;
    allowance.idle = m_tcb->m_bytesInFlight.Get() == 0;
    allowance.overridden = overridden;
    const auto segment = m_segmenter.Choose(GetOffset(next), allowance);
    if (segment.mayOverride && m_overrideEvent.IsExpired())
    {
        m_overrideEvent =
            Simulator::Schedule(m_overrideTimeout, &MpaTcpSocket::SendRecords, this, true);
    }
    if (segment.size == 0)
    {
        m_heldBack(next, std::min(segment.wanted, unsent), allowance.limit);
    }
    return segment.size;
}

uint32_t
MpaTcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    NS_LOG_FUNCTION(this << seq << maxSize << withAck);
    NoticeLostProbe(seq);
    // TcpSocketBase calls it to retransmit, fast or for a partial ACK
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    if (m_resendWhole && GetAlignment() && seq == m_highRxAckMark && seq > head)
    { // from the start of the segment, as ReceivedAck() has kept it
        seq -= m_segmenter.GetPartBefore(GetOffset(seq));
    }
    uint32_t size = m_segmenter.Fit(GetOffset(seq), maxSize);
    if (size == 0 && !m_segmenter.IsSent(GetOffset(seq)) && UnAckDataCount() > 0)
    { // It found nothing lost, and no room for new data either: then the first segment, as when
        // there is no room at all
        seq = head;
        size = m_segmenter.GetFullSize(GetOffset(seq));
    }
    return SendSegment(seq,
                       size > 0 ? size : maxSize,
                       withAck); // it relies on a segment being sent
}

uint32_t
MpaTcpSocket::SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck)
{
    const uint64_t offset = GetOffset(seq);
    // records kept whole beyond the EMSS are for IP to fragment
    const bool fragments = m_fragmentOnShrink && size > m_emss;
    const TcpDontFragment::Mark mark(fragments ? nullptr : m_place.GetDontFragment());
    const uint32_t lost = m_sackEnabled ? 0 : m_txBuffer->GetLost();
    size = TcpSocketBase::SendDataPacket(seq, size, withAck);
    if (lost > size && seq == m_txBuffer->HeadSequence())
    {
        LeaveRest(seq + size, lost - size);
    }
    if (withAck)
    { // Last.ACK.sent (RFC 7323), which TcpSocketBase sets behind segments without data only
        m_highTxAck = m_tcb->m_rxBuffer->NextRxSequence();
    }
    const bool again = m_segmenter.Sent(offset, size);
    if (m_resendWhole && again && seq < m_highRxAckMark)
    {
        m_redundant(seq, std::min(size, static_cast<uint32_t>(m_highRxAckMark.Get() - seq)));
    }
    if (!m_segmentSent.IsEmpty() || !m_recordCut.IsEmpty())
    {
        TraceSegment(seq, offset, size, again);
    }
    return size;
}

void
MpaTcpSocket::LeaveRest(SequenceNumber32 seq, uint32_t size)
{
    const TcpSocketState::TcpCongState_t state = m_tcb->m_congState;
    const auto guard = DynamicCast<const TcpProbeGuard>(m_congestionControl);
    if (state == TcpSocketState::CA_LOSS || (guard && guard->IsLost()) ||
        (state == TcpSocketState::CA_CWR && m_txBuffer->GetSacked() == 0))
    {
        return; // more than the first segment is lost, and duplicates do not count
    }
    // TcpTxBuffer has both pieces of the first segment lost, would let the next duplicate of an ACK
    // stand for the second one besides, and end the program once that is the first. As others
    // behind the first it is to count as arrived until then: TcpSocketBase takes that back.
    m_txBuffer->Update({{seq, seq + size}});
}

void
MpaTcpSocket::TraceSegment(SequenceNumber32 seq, uint64_t offset, uint32_t size, bool again)
{
    const uint64_t end = offset + size;
    const bool atStart = m_segmenter.IsRecordBoundary(offset);
    const bool atEnd = m_segmenter.IsRecordBoundary(end);
    m_segmentSent(seq, size, atStart, atStart && atEnd, again);
    if (!atEnd)
    {
        CutReason reason = again ? CutReason::RETRANSMIT : CutReason::WINDOW;
        if (m_segmenter.IsLongRecord(end))
        {
            reason = CutReason::EMSS;
        }
        m_recordCut(seq, size, reason);
    }
}

void
MpaTcpSocket::SendByHand(Ptr<Packet> packet, TcpHeader& header)
{
    const TcpDontFragment::Mark mark(m_place.GetDontFragment());
    header.SetSourcePort(GetLocalPort());
    header.SetDestinationPort(m_endPoint ? m_endPoint->GetPeerPort() : m_endPoint6->GetPeerPort());
    AddOptions(header);
    m_txTrace(packet, header, this);
    if (m_endPoint)
    {
        m_tcp->SendPacket(packet,
                          header,
                          m_endPoint->GetLocalAddress(),
                          m_endPoint->GetPeerAddress(),
                          m_boundnetdevice);
    }
    else
    {
        m_tcp->SendPacket(packet,
                          header,
                          m_endPoint6->GetLocalAddress(),
                          m_endPoint6->GetPeerAddress(),
                          m_boundnetdevice);
    }
}

} // namespace ns3
