/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket-factory.h"
#include "mpa-tcp-socket.h"

#include "ns3/ipv4-end-point.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header-fields.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: states of the connection and its timestamps, where TcpSocketBase (3.35 to 3.48)
 * does not do what RFC 9293 and RFC 7323 say. Each function names what it mends.
 */

namespace ns3
{

namespace
{

/// Timeout of data where SYN and ACK were sent again, until something is measured (RFC 6298, (5.7))
const Time UNMEASURED_RTO = Seconds(3);

/// What a segment means for the end of a connection, where TcpSocketBase gets it wrong.
struct EndSegment
{
    /// @param fields of its header @param state of the connection @param tail behind the last octet
    /// of ours @param finished the peer's FIN has come before
    EndSegment(const TcpHeaderFields& fields,
               TcpSocket::TcpStates_t state,
               SequenceNumber32 tail,
               bool finished)
    {
        const uint8_t kind =
            fields.flags & (TcpHeader::ACK | TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST);
        const bool closing = state == TcpSocket::LAST_ACK || state == TcpSocket::CLOSING;
        const bool fin = kind == (TcpHeader::FIN | TcpHeader::ACK);
        ackOfData = closing && SequenceNumber32(fields.ack) <= tail && kind == TcpHeader::ACK;
        again = fin && finished &&
                (state == TcpSocket::CLOSE_WAIT || state == TcpSocket::TIME_WAIT || closing);
        ackWithFin = fin && (state == TcpSocket::ESTABLISHED || again);
        reset = (kind & TcpHeader::RST) && state != TcpSocket::CLOSED;
    }

    bool ackOfData;  //!< TcpSocketBase takes any ACK for that of our FIN, and would give up what
                     //!< the peer has not got yet
    bool again;      //!< a FIN that comes again, for want of an ACK: TcpSocketBase sends none, so
                     //!< that who waits for its peer waits for ever
    bool ackWithFin; //!< TcpSocketBase looks at the FIN only, and would send again what the segment
                     //!< acknowledges
    bool reset;      //!< TcpSocketBase obeys any reset without ACK, and answers one with ACK with
                     //!< another, or wants a timestamp
};

/**
 * What a segment means before the connection is there, RFC 9293 sections 3.10.7.3 and 3.10.7.4.
 * TcpSocketBase takes octets without an ACK for a connection, ends it for a wrong one, and takes
 * any SYN for that of the peer. It takes a reset with an ACK for an ACK, and sends the SYN until it
 * gives up; one without, which anybody can send, it would obey. SYN and ACK of a peer that was
 * connected to while it connects (section 3.5, figure 8) it answers with a reset, and an ACK of it
 * is a listener's.
 */
struct Answer
{
    /// @param header of it @param tcb the connection @param state of it @param active we connect,
    /// and do not answer who does
    Answer(const TcpHeader& header,
           const TcpSocketState& tcb,
           TcpSocket::TcpStates_t state,
           bool active)
        : syn(header.GetFlags() & TcpHeader::SYN),
          ack(header.GetFlags() & TcpHeader::ACK),
          reset(header.GetFlags() & TcpHeader::RST),
          matches(header.GetAckNumber() == tcb.m_nextTxSequence + SequenceNumber32(1)),
          bare(header)
    {
        const SequenceNumber32 next = tcb.m_rxBuffer->NextRxSequence();
        const bool sent = state == TcpSocket::SYN_SENT;
        const bool follows = !syn || header.GetSequenceNumber() + SequenceNumber32(1) == next;
        const bool both = !sent && active && ack && matches && !reset;
        old = both && !follows;
        completes = both && follows;
        good = sent ? syn && !reset && (matches || !ack)
                    : reset || (syn && !ack && follows) || (ack && matches && !both);
        opens = good && syn;
        bare.SetFlags(TcpHeader::ACK);
        bare.SetSequenceNumber(next);
    }

    bool syn;       //!< SYN
    bool ack;       //!< ACK
    bool reset;     //!< RST
    bool matches;   //!< it acknowledges our SYN
    bool old;       //!< it has a SYN that is not the peer's
    bool completes; //!< we and the peer have connected to each other, and here is the last of it
    bool good;      //!< anything else that TcpSocketBase may process
    bool opens;     //!< its options are those of the peer
    TcpHeader bare; //!< header of its ACK alone
};

} // namespace

void
MpaTcpSocket::StartFrom(const TcpHeader& header)
{
    // TcpSocketBase compares with sequence number 0 and with the latest timestamp of the listener's
    // other peers: it would not answer a SYN with its timestamp, never again if the peer's clock is
    // behind, and take no sequence number above 2^31 for newer.
    m_highTxAck = header.GetSequenceNumber();
    m_highRxMark = header.GetSequenceNumber();
    if (const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS)))
    {
        m_tsRecent = option->GetTimestamp();
        m_timestampToEcho = m_tsRecent;
        m_tcb->m_rcvTimestampValue = m_tsRecent;
    }
}

void
MpaTcpSocket::NoteTimestamp(SequenceNumber32 seq, uint32_t timestamp)
{
    // TcpSocketBase wants the next octet expected in its place, so that it answers data sent again
    // with the time of the first try, if it was the ACK that got lost
    if (static_cast<int32_t>(timestamp - m_tsRecent) >= 0 && seq <= m_highTxAck)
    {
        m_tsRecent = timestamp;
    }
    m_timestampToEcho = m_tsRecent;
}

void
MpaTcpSocket::EstimateRtt(const TcpHeader& header)
{
    // TcpSocketBase calls it for all segments with an ACK, right after its own look at the option
    if (const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS)))
    {
        NoteTimestamp(header.GetSequenceNumber(), option->GetTimestamp());
    }
    TcpSocketBase::EstimateRtt(header);
    if (m_state == SYN_RCVD && m_rtt->GetNSamples() == 0)
    { // data need not wait as SYN and ACK had to in the end
        m_rto = std::min(m_rto.Get(), UNMEASURED_RTO);
    }
}

bool
MpaTcpSocket::IsOld(const TcpHeader& header) const
{
    // RFC 7323 section 5.3, which TcpSocketBase leaves out
    const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
    return option && static_cast<int32_t>(option->GetTimestamp() - m_tsRecent) < 0;
}

bool
MpaTcpSocket::ReceiveAnswer(Ptr<Packet> packet)
{
    TcpHeader header;
    const uint32_t size = packet->PeekHeader(header);
    const Answer answer(header, *m_tcb, m_state, m_backlogPort == 0);
    if (answer.opens)
    { // TcpSocketBase would answer a SYN that comes again with the time of the first
        LearnPeerMss(header);
        StartFrom(header);
        UpdateEmss(m_timestampEnabled && header.HasOption(TcpOption::TS));
        if (m_state == SYN_SENT && !header.HasOption(TcpOption::WINSCALE))
        { // TcpSocketBase would go on to tell a part of the window
            m_rcvWindShift = 0;
        }
        if (m_state == SYN_SENT && !answer.ack)
        { // TcpSocketBase would send the SYN again where its SYN and ACK get lost
            m_retxEvent.Cancel();
        }
    }
    if (answer.good)
    {
        return true;
    }
    const bool fin = header.GetFlags() & TcpHeader::FIN;
    const bool more = answer.completes && !answer.syn && (fin || packet->GetSize() > size);
    if (!more)
    {
        packet->RemoveHeader(header);
        m_rxTrace(packet, header, this);
    }
    if (answer.completes)
    {
        EstimateRtt(header);
        if (!answer.syn) // the window of a SYN is not scaled
        {
            UpdateWindowSize(header);
        }
        ProcessSynRcvd(Create<Packet>(), answer.bare, GetPeerAddress(), GetLocalAddress());
        ConnectionSucceeded();
        SendRecords(false);
    }
    else if (answer.old)
    {
        Challenge();
    }
    else if (answer.ack && !answer.matches && !answer.reset)
    {
        TcpHeader wrong;
        wrong.SetFlags(TcpHeader::RST);
        wrong.SetSequenceNumber(header.GetAckNumber());
        SendByHand(Create<Packet>(), wrong);
    }
    else if (answer.ack && answer.reset && answer.matches)
    {
        NS_LOG_LOGIC(this << " connection refused");
        FailConnecting();
    }
    return more;
}

void
MpaTcpSocket::TakeAckOfFin(Ptr<const Packet> packet)
{
    TcpHeader header;
    packet->PeekHeader(header);
    if (header.GetAckNumber() <= m_tcb->m_highTxMark &&
        (!m_timestampEnabled || header.HasOption(TcpOption::TS)))
    {
        EstimateRtt(header);
        UpdateWindowSize(header);
        ReceivedAck(Create<Packet>(), header);
    }
}

bool
MpaTcpSocket::MayBeGuessed(const TcpHeaderFields& header) const
{
    if (m_state < ESTABLISHED || (header.flags & TcpHeader::RST))
    {
        return false;
    }
    // TcpSocketBase takes options and windows of SYNs in all states, and resets the connection for
    // one in some; it takes octets without ACK; and in all states but ESTABLISHED any ACK
    const uint32_t first = m_txBuffer->HeadSequence().GetValue() -
                           std::max(m_segmenter.GetWidestWindow(), m_rWnd.Get());
    // the FIN has a number, too, and so has the octet that probes a closed window
    const bool further = m_state > CLOSE_WAIT || !m_persistEvent.IsExpired();
    const uint32_t last = m_tcb->m_highTxMark.Get().GetValue() + (further ? 1 : 0);
    return (header.flags & TcpHeader::SYN) || !(header.flags & TcpHeader::ACK) ||
           header.ack - first > last - first;
}

void
MpaTcpSocket::Challenge()
{
    NS_LOG_FUNCTION(this);
    if (MpaTcpSocketFactory::Install(m_node)->AllowChallenge(m_lastChallenge))
    {
        SendAck();
    }
}

bool
MpaTcpSocket::ReceiveApart(Ptr<Packet> packet, const TcpHeaderFields& fields)
{
    const bool guessed = MayBeGuessed(fields);
    const EndSegment end(fields,
                         m_state,
                         m_txBuffer->TailSequence(),
                         m_tcb->m_rxBuffer->Finished());
    if (!guessed && (end.ackOfData ||
                     (end.ackWithFin && SequenceNumber32(fields.ack) > m_txBuffer->HeadSequence())))
    {
        TakeAckOfFin(packet);
    }
    const bool late = m_state == ESTABLISHED &&
                      SequenceNumber32(fields.ack) < m_txBuffer->HeadSequence() &&
                      !(fields.flags & TcpHeader::FIN);
    if (!guessed && !end.reset && !end.again && !end.ackOfData && !late)
    {
        return false;
    }
    TcpHeader header;
    packet->RemoveHeader(header);
    m_rxTrace(packet, header, this);
    if (guessed)
    {
        Challenge();
    }
    else if (end.reset)
    {
        TakeReset(header.GetSequenceNumber());
        LeaveSynBacklog();
    }
    else if (end.again)
    {
        SendAck();
    }
    else if (late && (!m_timestampEnabled || header.HasOption(TcpOption::TS)))
    { // TcpSocketBase drops what comes with it
        EstimateRtt(header);
        UpdateWindowSize(header);
        ReceivedAck(packet, header);
    }
    return true;
}

void
MpaTcpSocket::ReceiveAtListener(Ptr<Packet> packet, const Address& from, const Address& to)
{
    uint8_t octets[TcpHeaderFields::SHORT];
    TcpHeaderFields fields;
    fields.Read(octets, packet->CopyData(octets, sizeof(octets)));
    if (fields.flags & TcpHeader::ACK)
    {
        RefuseStranger(packet, from, to);
        return;
    }
    if (MpaTcpSocketFactory::Install(m_node)->IsSynBacklogFull(GetLocalPort()))
    {
        return;
    }
    // what one peer does not do is no rule for the next one
    const bool sack = m_sackEnabled;
    const bool scaling = m_winScalingEnabled;
    const bool timestamps = m_timestampEnabled;
    TcpSocketBase::DoForwardUp(packet, from, to);
    m_sackEnabled = sack;
    m_txBuffer->SetSackEnabled(sack);
    m_winScalingEnabled = scaling;
    m_timestampEnabled = timestamps;
}

void
MpaTcpSocket::RefuseStranger(Ptr<Packet> packet, const Address& from, const Address& to)
{
    // RFC 9293 section 3.10.7.2, second step: TcpSocketBase leaves the peer without an answer
    TcpHeader header;
    packet->RemoveHeader(header);
    m_rxTrace(packet, header, this);
    if (header.GetFlags() & TcpHeader::RST)
    {
        return;
    }
    TcpHeader reset;
    reset.SetFlags(TcpHeader::RST);
    reset.SetSequenceNumber(header.GetAckNumber());
    reset.SetSourcePort(header.GetDestinationPort());
    reset.SetDestinationPort(header.GetSourcePort());
    const auto nothing = Create<Packet>();
    m_txTrace(nothing, reset, this);
    const TcpDontFragment::Mark mark(m_place.GetDontFragment());
    m_tcp->SendPacket(nothing, reset, to, from, m_boundnetdevice);
}

void
MpaTcpSocket::DoForwardUp(Ptr<Packet> packet, const Address& fromAddress, const Address& toAddress)
{
    NS_LOG_FUNCTION(this << packet << fromAddress << toAddress);
    // In some cases below, the application may let go of the socket
    Ptr<MpaTcpSocket> self(this);
    if (m_state == LISTEN)
    {
        ReceiveAtListener(packet, fromAddress, toAddress);
        return;
    }
    uint8_t octets[TcpHeaderFields::SHORT];
    TcpHeaderFields fields;
    fields.Read(octets, packet->CopyData(octets, sizeof(octets)));
    const SequenceNumber32 behind(fields.seq + packet->GetSize() - fields.size);
    if (((m_state == SYN_SENT || m_state == SYN_RCVD) && !ReceiveAnswer(packet)) ||
        ReceiveApart(packet, fields))
    {
        return;
    }
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    if ((fields.flags & TcpHeader::FIN) && m_state >= ESTABLISHED &&
        SequenceNumber32(fields.seq) < next && behind >= next)
    { // TcpSocketBase would drop it whole, for octets that have come before
        TcpHeader header;
        packet->RemoveHeader(header);
        packet->RemoveAtStart(static_cast<uint32_t>(next - SequenceNumber32(fields.seq)));
        header.SetSequenceNumber(next);
        packet->AddHeader(header);
    }
    // TcpSocketBase takes the number of the first octet for that of the FIN
    const bool misplaced =
        (fields.flags & TcpHeader::FIN) && (m_state == FIN_WAIT_1 || m_state == FIN_WAIT_2);
    if (misplaced)
    {
        m_tcb->m_rxBuffer->SetFinSequence(behind);
    }
    const bool connecting = m_state == SYN_SENT;
    const bool probing = !m_persistEvent.IsExpired();
    NoticeClosedWindow(fields);
    TakeAckOfProbe(packet, fields);
    TcpSocketBase::DoForwardUp(packet, fromAddress, toAddress);
    LeaveSynBacklog();
    if (misplaced)
    {
        m_tcb->m_rxBuffer->SetFinSequence(behind);
    }
    if (connecting || (probing && m_persistEvent.IsExpired()))
    { // the connection is there, or the window is open again
        SendRecords(false);
    }
    KeepTimer();
}

uint16_t
MpaTcpSocket::GetLocalPort() const
{
    return m_endPoint ? m_endPoint->GetLocalPort() : m_endPoint6->GetLocalPort();
}

void
MpaTcpSocket::LeaveSynBacklog()
{
    if (m_backlogPort != 0 && m_state != SYN_RCVD)
    {
        const auto factory = MpaTcpSocketFactory::Install(m_node);
        factory->CountSyn(std::exchange(m_backlogPort, uint16_t(0)), false);
    }
}

void
MpaTcpSocket::NewAck(const SequenceNumber32& ack, bool resetRto)
{
    // TcpSocketBase goes on from there only when it has told the application of room: behind a
    // timeout, a FIN sent then would have the number of an octet that was acknowledged
    if (ack > m_tcb->m_nextTxSequence)
    {
        m_tcb->m_nextTxSequence = ack;
    }
    // TcpSocketBase stays in FIN_WAIT_1 if it is a FIN that acknowledges its own, and octets before
    // that have not come (RFC 9293 section 3.10.7.4, fifth step)
    if (m_state == FIN_WAIT_1 && m_txBuffer->Size() == 0 && ack > m_tcb->m_highTxMark)
    {
        NS_LOG_LOGIC(this << " FIN_WAIT_1 -> FIN_WAIT_2");
        m_state = FIN_WAIT_2;
    }
    TcpSocketBase::NewAck(ack, resetRto);
    if (m_state == LAST_ACK && m_txBuffer->Size() == 0 && m_retxEvent.IsExpired())
    { // the FIN has gone with the last octets, or since the application was told of room:
      // TcpSocketBase has stopped its timer
        WatchFin(false);
    }
    if (m_search)
    {
        NoticeArrival();
    }
}

} // namespace ns3
