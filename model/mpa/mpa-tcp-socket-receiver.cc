/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header-fields.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-held-octets.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <vector>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: segments shown to the layer above.
 */

namespace ns3
{

bool
MpaTcpSocket::IsAcceptable(Ptr<const Packet> packet, TcpHeaderFields& header)
{
    uint8_t octets[TcpHeaderFields::LONG];
    const uint32_t size = packet->GetSize();
    return header.Read(octets, packet->CopyData(octets, sizeof(octets))) && header.size <= size &&
           IsValidTcpSegment(SequenceNumber32(header.seq), header.size, size - header.size);
}

bool
MpaTcpSocket::ReceivePredicted(Ptr<Packet> packet, const TcpHeaderFields& fields)
{
    // Whatever else TcpSocketBase::DoForwardUp() does is about other states, flags and options, and
    // about zero windows
    if (m_state != ESTABLISHED || !m_rxTrace.IsEmpty() || !fields.plain ||
        fields.timestamps != m_timestampEnabled || fields.flags != TcpHeader::ACK ||
        fields.window == 0 || m_rWnd.Get() == 0 || !m_persistEvent.IsExpired() ||
        SequenceNumber32(fields.ack) < m_txBuffer->HeadSequence() ||
        SequenceNumber32(fields.ack) > m_tcb->m_highTxMark)
    {
        return false;
    }
    TcpHeader header;
    header.SetSourcePort(fields.source);
    header.SetDestinationPort(fields.destination);
    header.SetSequenceNumber(SequenceNumber32(fields.seq));
    header.SetAckNumber(SequenceNumber32(fields.ack));
    header.SetFlags(fields.flags);
    header.SetWindowSize(fields.window);
    SocketPriorityTag priority;
    packet->RemovePacketTag(priority);
    packet->RemoveAtStart(fields.size);
    if (fields.timestamps)
    {
        static Ptr<TcpOptionTS> option; // used again unless somebody has kept it
        if (!option || option->GetReferenceCount() > 1)
        {
            option = CreateObject<TcpOptionTS>();
        }
        option->SetTimestamp(fields.timestamp);
        option->SetEcho(fields.echo);
        header.AppendOption(option);
        ProcessOptionTimestamp(option, header.GetSequenceNumber());
        NoteTimestamp(header.GetSequenceNumber(), fields.timestamp);
    }
    TcpSocketBase::EstimateRtt(header);
    UpdateWindowSize(header);
    ProcessEstablished(packet, header);
    return true;
}

void
MpaTcpSocket::Receive(Ptr<Packet> packet,
                      Ipv4Header header,
                      uint16_t port,
                      Ptr<Ipv4Interface> interface)
{
    NS_LOG_FUNCTION(this << packet << header << port << interface);
    TcpHeaderFields fields;
    if (header.GetEcn() != Ipv4Header::ECN_NotECT)
    {
        ForwardUp(packet, header, port, interface);
    }
    else if (IsAcceptable(packet, fields) && !ReceivePredicted(packet, fields))
    {
        DoForwardUp(packet,
                    InetSocketAddress(header.GetSource(), port),
                    InetSocketAddress(header.GetDestination(), m_endPoint->GetLocalPort()));
    }
}

void
MpaTcpSocket::Receive6(Ptr<Packet> packet,
                       Ipv6Header header,
                       uint16_t port,
                       Ptr<Ipv6Interface> interface)
{
    NS_LOG_FUNCTION(this << packet << header << port << interface);
    TcpHeaderFields fields;
    if (header.GetEcn() != Ipv6Header::ECN_NotECT)
    {
        ForwardUp6(packet, header, port, interface);
    }
    else if (IsAcceptable(packet, fields) && !ReceivePredicted(packet, fields))
    {
        DoForwardUp(packet,
                    Inet6SocketAddress(header.GetSource(), port),
                    Inet6SocketAddress(header.GetDestination(), m_endPoint6->GetLocalPort()));
    }
}

void
MpaTcpSocket::ReceivedData(Ptr<Packet> p, const TcpHeader& header)
{
    NS_LOG_FUNCTION(this << p << header);
    if (m_timestampEnabled && IsOld(header))
    {
        NS_LOG_LOGIC(this << " old duplicate " << header.GetSequenceNumber());
        SendAck();
        return;
    }
    bool taken = false;
    if ((m_userSees || !m_segmentCallback.IsNull()) && p->GetSize() > 0)
    {
        const uint32_t size = p->GetSize();
        if (!ShowSegment(p, header, taken))
        {
            m_segmentDropped(header.GetSequenceNumber(), size);
            return;
        }
    }
    m_receiving = true;
    if (taken)
    {
        TakeSegment(p->GetSize());
    }
    else if (m_state == FIN_WAIT_1 || m_state == FIN_WAIT_2)
    { // TcpSocketBase, which processes what the FIN waited for, would enter CLOSE_WAIT and close
      // once more; but not for a segment with a FIN. What follows enters the state that is due
        TcpHeader last = header;
        last.SetFlags(header.GetFlags() | TcpHeader::FIN);
        TcpSocketBase::ReceivedData(p, last);
    }
    else
    {
        TcpSocketBase::ReceivedData(p, header);
    }
    m_receiving = false;
    if (m_held)
    {
        m_held->DropUpTo(m_tcb->m_rxBuffer->NextRxSequence());
        if (m_held->IsEmpty())
        {
            m_held.reset();
        }
    }
    UpdateWindow();
}

MpaTcpSocket::Verdict
MpaTcpSocket::Show(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    m_keep = packet->GetSize();
    if (m_userSees)
    {
        return m_user->SeeSegment(seq, packet);
    }
    // the user may have lost interest in the midst of a segment
    return m_segmentCallback.IsNull() ? Verdict::KEEP : m_segmentCallback(seq, packet);
}

void
MpaTcpSocket::KeepFirst(uint32_t octets)
{
    m_keep = std::min(m_keep, octets);
}

void
MpaTcpSocket::AckAtOnce()
{
    m_delAckCount = m_delAckMaxCount;
}

bool
MpaTcpSocket::ShowSegment(Ptr<Packet>& p, const TcpHeader& header, bool& taken)
{
    const SequenceNumber32 seq = header.GetSequenceNumber();
    const auto& rx = m_tcb->m_rxBuffer;
    if (seq != rx->NextRxSequence() || m_held ||
        (rx->Available() > 0 && seq + p->GetSize() > rx->MaxRxSequence()))
    {
        return ShowPieces(p, header);
    }
    const Verdict verdict = Show(seq, p);
    if (verdict != Verdict::DROP && m_keep < p->GetSize())
    {
        m_segmentDropped(seq + m_keep, p->GetSize() - m_keep);
        p = p->CreateFragment(0, m_keep);
        AckAtOnce();
    }
    // octets that came ahead of the user have to join those in order
    taken = verdict == Verdict::TAKE && rx->Size() == 0 && !rx->GotFin();
    return verdict != Verdict::DROP;
}

SequenceNumber32
MpaTcpSocket::GetEndOfRoom(SequenceNumber32 seq, Ptr<const Packet> p) const
{
    // TcpRxBuffer's right edge counts from the first octet that it stores, in order or not
    const auto& rx = m_tcb->m_rxBuffer;
    const SequenceNumber32 tail = seq + p->GetSize();
    if (rx->Available() > 0)
    {
        return std::min(tail, rx->NextRxSequence() - rx->Available() + rx->MaxBufferSize());
    }
    return m_held ? std::min(tail, m_held->GetFirst() + rx->MaxBufferSize()) : tail;
}

bool
MpaTcpSocket::ShowPieces(Ptr<Packet>& p, const TcpHeader& header)
{
    const auto& rx = m_tcb->m_rxBuffer;
    const SequenceNumber32 seq = header.GetSequenceNumber();
    const SequenceNumber32 next = rx->NextRxSequence();
    const SequenceNumber32 head = std::max(seq, next);
    const SequenceNumber32 tail = GetEndOfRoom(seq, p);
    if (head >= tail)
    {
        return true; // nothing of it is kept, but TCP answers
    }
    if (!m_held)
    {
        m_held = std::make_unique<TcpHeldOctets>(next);
    }
    std::vector<TcpHeldOctets::Piece> kept;
    for (auto piece : m_held->FindNew(head, static_cast<uint32_t>(tail - head)))
    {
        const auto at = static_cast<uint32_t>(piece.seq - seq);
        if (Show(piece.seq, p->CreateFragment(at, piece.size)) == Verdict::DROP)
        {
            if (kept.empty())
            {
                if (m_held->IsEmpty())
                {
                    m_held.reset(); // it stands for octets out of order, of which there are none
                }
                return false;
            }
            m_segmentDropped(piece.seq, piece.size);
            break;
        }
        const uint32_t left = piece.size - m_keep;
        piece.size = m_keep;
        kept.push_back(piece);
        m_held->Add(piece);
        if (left > 0)
        {
            m_segmentDropped(piece.seq + m_keep, left);
            break;
        }
    }
    // TcpRxBuffer would put the segment as a whole in place of what it has in between
    for (size_t i = kept.size(); i-- > 1;)
    {
        TcpHeader rest = header;
        rest.SetSequenceNumber(kept[i].seq);
        rx->Add(p->CreateFragment(static_cast<uint32_t>(kept[i].seq - seq), kept[i].size), rest);
    }
    if (!kept.empty())
    {
        const auto end = static_cast<uint32_t>(kept.front().seq - seq) + kept.front().size;
        p = p->CreateFragment(0, end);
    }
    return true;
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

} // namespace ns3
