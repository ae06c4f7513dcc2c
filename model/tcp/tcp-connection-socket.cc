/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-connection-socket.h"

#include "rfc9293-tcp-socket-factory.h"
#include "tcp-duplicate-sack.h"
#include "tcp-header-fields.h"
#include "tcp-option-inserter.h"
#include "tcp-segment-meaning.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpConnectionSocket");

namespace
{

/// Timeout of data where SYN and ACK were sent again, until something is measured (RFC 6298, (5.7))
const Time UNMEASURED_RTO = Seconds(3);

} // namespace

TypeId
TcpConnectionSocket::AddAttributes(TypeId tid)
{
    return TcpPathSocket::AddAttributes(tid).AddAttribute(
        "Dsack",
        "With SACK, an ACK tells of octets that have come twice (RFC 2883).",
        BooleanValue(false),
        MakeBooleanAccessor(&TcpConnectionSocket::m_reportsDuplicates),
        MakeBooleanChecker());
}

TcpConnectionSocket::TcpConnectionSocket()
{
    ObjectBirths::Made(*this);
}

TcpConnectionSocket::TcpConnectionSocket(const TcpConnectionSocket& other)
    : TcpPathSocket(other),
      m_reportsDuplicates(other.m_reportsDuplicates)
{
    ObjectBirths::Made(*this);
}

TcpConnectionSocket::~TcpConnectionSocket()
{
    ObjectBirths::Gone(*this);
}

// ---- segments -----------------------------------------------------------------------------------

bool
TcpConnectionSocket::ReceiveFast(Ptr<Packet> packet)
{
    uint8_t octets[TcpHeaderFields::LONG];
    TcpHeaderFields fields;
    const uint32_t size = packet->GetSize();
    const bool good =
        fields.Read(octets, packet->CopyData(octets, sizeof(octets))) && fields.size <= size;
    if (good && m_reportsDuplicates)
    {
        FindDuplicate(SequenceNumber32(fields.seq), size - fields.size);
    }
    if (!good || !IsValidTcpSegment(SequenceNumber32(fields.seq), fields.size, size - fields.size))
    {
        return true; // malformed or out of range
    }
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
    TcpHeader header = fields.ToHeader();
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
        m_echo.Update(header.GetSequenceNumber(), m_highTxAck, fields.timestamp);
        m_timestampToEcho = m_echo.Get();
    }
    TcpSocketBase::EstimateRtt(header);
    UpdateWindowSize(header);
    ProcessEstablished(packet, header);
    return true;
}

void
TcpConnectionSocket::PreviewSegment(const Ptr<const Packet>& packet)
{
    uint8_t octets[TcpHeaderFields::LONG];
    TcpHeaderFields fields;
    if (m_reportsDuplicates && fields.Read(octets, packet->CopyData(octets, sizeof(octets))) &&
        fields.size <= packet->GetSize())
    {
        FindDuplicate(SequenceNumber32(fields.seq), packet->GetSize() - fields.size);
    }
}

void
TcpConnectionSocket::FindDuplicate(SequenceNumber32 seq, uint32_t size)
{
    const auto& rx = m_tcb->m_rxBuffer;
    const SequenceNumber32 next = rx->NextRxSequence();
    if (size == 0 || !m_sackEnabled || m_state < ESTABLISHED ||
        (seq >= next && rx->GetSackListSize() == 0))
    {
        return;
    }
    m_duplicate = TcpFindDuplicate(seq, size, next, rx->GetSackList());
    if (m_duplicate)
    { // the ACK that tells of it is that of this segment
        m_delAckCount = m_delAckMaxCount;
    }
}

void
TcpConnectionSocket::DoForwardUp(Ptr<Packet> packet,
                                 const Address& fromAddress,
                                 const Address& toAddress)
{
    NS_LOG_FUNCTION(this << packet << fromAddress << toAddress);
    // In some cases below, the application may let go of the socket
    Ptr<TcpConnectionSocket> self(this);
    if (m_state == LISTEN)
    {
        ReceiveAtListener(packet, fromAddress, toAddress);
        return;
    }
    if (HasLostListener())
    { // RFC 9293 section 3.10.7.1; a peer that sends its SYN yet again finds the port closed
        RejectStranger(packet, fromAddress, toAddress);
        FailConnecting();
        return;
    }
    uint8_t octets[TcpHeaderFields::SHORT];
    TcpHeaderFields fields;
    fields.Read(octets, packet->CopyData(octets, sizeof(octets)));
    const SequenceNumber32 behind(fields.seq + packet->GetSize() - fields.size);
    if (((m_state == SYN_SENT || m_state == SYN_RCVD) && !ReceiveHandshake(packet)) ||
        ReceiveApart(packet, fields))
    {
        return;
    }
    TrimFin(packet, fields);
    // TcpSocketBase takes the number of the first octet for that of the FIN
    const bool misplaced =
        (fields.flags & TcpHeader::FIN) && (m_state == FIN_WAIT_1 || m_state == FIN_WAIT_2);
    if (misplaced)
    {
        m_tcb->m_rxBuffer->SetFinSequence(behind);
    }
    const bool connecting = m_state == SYN_SENT;
    const bool probing = !m_persistEvent.IsExpired();
    CheckClosedWindow(fields);
    RewriteProbeAck(packet, fields);
    TcpSocketBase::DoForwardUp(packet, fromAddress, toAddress);
    LeaveSynBacklog();
    if (misplaced)
    {
        m_tcb->m_rxBuffer->SetFinSequence(behind);
    }
    if (connecting || (probing && m_persistEvent.IsExpired()))
    { // the connection is there, or the window is open again
        SendPending(false);
    }
    RestartTimer();
}

void
TcpConnectionSocket::ReceiveAtListener(Ptr<Packet> packet, const Address& from, const Address& to)
{
    uint8_t octets[TcpHeaderFields::SHORT];
    TcpHeaderFields fields;
    fields.Read(octets, packet->CopyData(octets, sizeof(octets)));
    if (fields.flags & TcpHeader::ACK)
    {
        RejectStranger(packet, from, to);
        return;
    }
    if (GetFactory()->IsSynBacklogFull(GetEnds().GetLocalPort()))
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
TcpConnectionSocket::RejectStranger(Ptr<Packet> packet, const Address& from, const Address& to)
{
    // RFC 9293 section 3.10.7.2, second step: TcpSocketBase leaves the peer without an answer
    TcpHeader header;
    packet->RemoveHeader(header);
    m_rxTrace(packet, header, this);
    if ((header.GetFlags() & (TcpHeader::RST | TcpHeader::ACK)) != TcpHeader::ACK)
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
    const TcpDontFragment::Mark mark(GetDontFragment());
    m_tcp->SendPacket(nothing, reset, to, from, m_boundnetdevice);
}

void
TcpConnectionSocket::StartFrom(const TcpHeader& header)
{
    // TcpSocketBase compares with sequence number 0 and with the latest timestamp of the listener's
    // other peers: it would not answer a SYN with its timestamp, never again if the peer's clock is
    // behind, and take no sequence number above 2^31 for newer.
    m_highTxAck = header.GetSequenceNumber();
    m_highRxMark = header.GetSequenceNumber();
    m_ecnCESeq = header.GetSequenceNumber();
    if (const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS)))
    {
        m_echo.Start(option->GetTimestamp());
        m_timestampToEcho = m_echo.Get();
        m_tcb->m_rcvTimestampValue = m_echo.Get();
    }
}

void
TcpConnectionSocket::EstimateRtt(const TcpHeader& header)
{
    // TcpSocketBase calls it for all segments with an ACK, right after its own look at the option,
    // for which it wants the next octet expected in the place of Last.ACK.sent, so that it answers
    // data sent again with the time of the first try, if it was the ACK that got lost
    if (const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS)))
    {
        m_echo.Update(header.GetSequenceNumber(), m_highTxAck, option->GetTimestamp());
        m_timestampToEcho = m_echo.Get();
    }
    TcpSocketBase::EstimateRtt(header);
    if (m_state == SYN_RCVD && m_rtt->GetNSamples() == 0)
    { // data need not wait as SYN and ACK had to in the end
        m_rto = std::min(m_rto.Get(), UNMEASURED_RTO);
    }
}

bool
TcpConnectionSocket::IsOld(const TcpHeader& header) const
{
    // which TcpSocketBase leaves out
    const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
    return option && m_echo.IsOld(option->GetTimestamp());
}

bool
TcpConnectionSocket::ReceiveHandshake(Ptr<Packet> packet)
{
    TcpHeader header;
    const uint32_t size = packet->PeekHeader(header);
    const TcpHandshakeSegment answer(header,
                                     m_tcb->m_nextTxSequence,
                                     m_tcb->m_rxBuffer->NextRxSequence(),
                                     m_state,
                                     m_backlogPort == 0);
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
        CompleteBoth(header, answer.bare);
    }
    else if (answer.old)
    {
        SendChallenge();
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
TcpConnectionSocket::CompleteBoth(const TcpHeader& header, const TcpHeader& bare)
{
    EstimateRtt(header);
    if (!(header.GetFlags() & TcpHeader::SYN)) // the window of a SYN is not scaled
    {
        UpdateWindowSize(header);
    }
    const TcpEndPointPair ends = GetEnds();
    ProcessSynRcvd(Create<Packet>(), bare, ends.GetPeerAddress(), ends.GetLocalAddress());
    ConnectionSucceeded();
    SendPending(false);
}

bool
TcpConnectionSocket::IsBlind(const TcpHeaderFields& header) const
{
    if (m_state < ESTABLISHED || (header.flags & TcpHeader::RST))
    {
        return false;
    }
    // TcpSocketBase takes options and windows of SYNs in all states, and resets the connection for
    // one in some; it takes octets without ACK; and in all states but ESTABLISHED any ACK
    const uint32_t first =
        m_txBuffer->HeadSequence().GetValue() - std::max(m_widestWindow, m_rWnd.Get());
    // the FIN has a number, too, and so has the octet that probes a closed window
    const bool further = m_state > CLOSE_WAIT || !m_persistEvent.IsExpired();
    const uint32_t last = m_tcb->m_highTxMark.Get().GetValue() + (further ? 1 : 0);
    return (header.flags & TcpHeader::SYN) || !(header.flags & TcpHeader::ACK) ||
           header.ack - first > last - first;
}

void
TcpConnectionSocket::SendChallenge()
{
    NS_LOG_FUNCTION(this);
    if (GetFactory()->AllowChallenge(m_challenge))
    {
        SendAck();
    }
}

bool
TcpConnectionSocket::ReceiveApart(Ptr<Packet> packet, const TcpHeaderFields& fields)
{
    const bool blind = IsBlind(fields);
    const TcpClosingSegment end(fields,
                                m_state,
                                m_txBuffer->TailSequence(),
                                m_tcb->m_rxBuffer->Finished());
    if (!blind && (end.ackOfData ||
                   (end.ackWithFin && SequenceNumber32(fields.ack) > m_txBuffer->HeadSequence())))
    {
        ReceiveFinAck(packet);
    }
    const bool late = m_state == ESTABLISHED &&
                      SequenceNumber32(fields.ack) < m_txBuffer->HeadSequence() &&
                      !(fields.flags & TcpHeader::FIN);
    if (!blind && !end.reset && !end.again && !end.ackOfData && !late)
    {
        return false;
    }
    TcpHeader header;
    packet->RemoveHeader(header);
    m_rxTrace(packet, header, this);
    if (blind)
    {
        SendChallenge();
    }
    else if (end.reset)
    {
        ReceiveReset(header.GetSequenceNumber());
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
TcpConnectionSocket::ReceiveReset(SequenceNumber32 seq)
{
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    if (seq == next)
    { // once both ends have closed it is no error: RFC 9293 section 3.10.7.4, second step
        AbortQuietly(m_state != CLOSING && m_state != LAST_ACK && m_state != TIME_WAIT);
    }
    else if (m_state != SYN_RCVD && seq > next && seq - next < GetWindowLeft())
    { // in SYN_RCVD the SYN is sent again, which challenges the peer as well
        SendChallenge();
    }
}

void
TcpConnectionSocket::ReceiveFinAck(Ptr<const Packet> packet)
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

void
TcpConnectionSocket::TrimFin(Ptr<Packet> packet, const TcpHeaderFields& fields) const
{
    // TcpSocketBase would drop it whole, for octets that have come before
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    const SequenceNumber32 first(fields.seq);
    const SequenceNumber32 behind(fields.seq + packet->GetSize() - fields.size);
    if (!(fields.flags & TcpHeader::FIN) || m_state < ESTABLISHED || first >= next || behind < next)
    {
        return;
    }
    TcpHeader header;
    packet->RemoveHeader(header);
    packet->RemoveAtStart(static_cast<uint32_t>(next - first));
    header.SetSequenceNumber(next);
    packet->AddHeader(header);
}

void
TcpConnectionSocket::CheckClosedWindow(const TcpHeaderFields& fields)
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
TcpConnectionSocket::RewriteProbeAck(Ptr<Packet> packet, const TcpHeaderFields& fields) const
{
    // TcpSocketBase takes it for an ACK of what was never sent, and answers. The octet goes out
    // once more, at the head of its segment
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
TcpConnectionSocket::NewAck(const SequenceNumber32& ack, bool resetRto)
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
    if (resetRto && m_state != SYN_RCVD)
    { // which starts it anew, and leaves a cancelled event until its time
        Simulator::Remove(m_retxEvent);
    }
    TcpSocketBase::NewAck(ack, resetRto);
    if (m_state == LAST_ACK && m_txBuffer->Size() == 0 && m_retxEvent.IsExpired())
    { // the FIN has gone with the last octets, or since the application was told of room:
      // TcpSocketBase has stopped its timer
        ScheduleFin(false);
    }
    NotifyAcknowledged();
}

// ---- what is sent -------------------------------------------------------------------------------

void
TcpConnectionSocket::SendEmptyPacket(uint8_t flags)
{
    NS_LOG_FUNCTION(this << TcpHeader::FlagsToString(flags));
    // behind the last SYN, the application may let go of the socket
    Ptr<TcpConnectionSocket> self(this);
    const TcpDontFragment::Mark mark(GetDontFragment());
    if ((flags & TcpHeader::SYN) && GetEnds().IsOpen())
    {
        SendSyn(flags);
        return;
    }
    if (flags & TcpHeader::ACK)
    { // which acknowledges all: a cancelled event would stay until its time
        Simulator::Remove(m_delAckEvent);
    }
    if (flags == TcpHeader::ACK && m_state == ESTABLISHED && IsPlain() && !m_duplicate &&
        (!m_sackEnabled || m_tcb->m_rxBuffer->GetSackListSize() == 0))
    {
        SendPlainAck();
        return;
    }
    std::optional<TcpOptionInserter> report;
    if (m_duplicate && (flags & TcpHeader::ACK))
    { // of which one segment tells
        report.emplace(m_tcp, [block = *m_duplicate](const TcpHeader& header) {
            return TcpAddDuplicateSack(header, block);
        });
        m_duplicate.reset();
    }
    // SND.NXT of RFC 9293, which TcpSocketBase has gone back from behind what was lost
    const SequenceNumber32 back = m_tcb->m_nextTxSequence;
    const bool finSent = m_state == FIN_WAIT_2 || m_state == TIME_WAIT;
    const SequenceNumber32 next = m_tcb->m_highTxMark + SequenceNumber32(finSent ? 1 : 0);
    if (next > back)
    {
        m_tcb->m_nextTxSequence = next;
    }
    const Time rto = m_rto;
    const bool running = !m_retxEvent.IsExpired();
    TcpSocketBase::SendEmptyPacket(flags);
    if (next > back)
    {
        m_tcb->m_nextTxSequence = back;
    }
    if (m_dataRetrCount < m_dataRetries)
    { // backed off, which TcpSocketBase forgets with each ACK that it sends: RFC 6298, (5.5)
        m_rto = rto;
    }
    if (flags & TcpHeader::FIN)
    {
        ScheduleFin(running);
    }
}

bool
TcpConnectionSocket::IsPlain() const
{
    return m_txTrace.IsEmpty() && CanSendPlain();
}

void
TcpConnectionSocket::SendPlainSegment(const Ptr<Packet>& packet, SequenceNumber32 seq)
{
    TcpHeaderFields fields;
    fields.seq = seq.GetValue();
    fields.ack = m_tcb->m_rxBuffer->NextRxSequence().GetValue();
    fields.flags = TcpHeader::ACK;
    fields.window = AdvertisedWindowSize();
    fields.timestamps = m_timestampEnabled;
    fields.timestamp = m_timestampEnabled ? TcpOptionTS::NowToTsValue() : 0;
    fields.echo = m_timestampToEcho;
    m_delAckCount = 0;
    m_highTxAck = std::max(m_highTxAck, m_tcb->m_rxBuffer->NextRxSequence());
    SendPlain(packet, fields);
}

void
TcpConnectionSocket::SendPlainAck()
{
    if (m_dataRetrCount >= m_dataRetries)
    { // RFC 6298, (2.4), unless it is backed off
        m_rto = Max(m_rtt->GetEstimate() + Max(m_clockGranularity, m_rtt->GetVariation() * 4),
                    m_minRto);
    }
    SendPlainSegment(Create<Packet>(),
                     std::max(m_tcb->m_nextTxSequence.Get(), m_tcb->m_highTxMark.Get()));
}

void
TcpConnectionSocket::SendSyn(uint8_t flags)
{
    const bool again = !m_retxEvent.IsExpired();
    if (!again && (m_synCount == 0 || HasLostListener()))
    {
        FailConnecting();
        return;
    }
    std::optional<TcpOptionInserter> option;
    PrepareSyn(option);
    for (auto& sent : m_history)
    { // RFC 6298 section 3; TcpSocketBase looks for octets sent again, of which a SYN has none
        sent.retx = true;
    }
    if (again)
    {
        AnswerSynAgain(flags);
    }
    else
    {
        TcpSocketBase::SendEmptyPacket(flags);
    }
}

void
TcpConnectionSocket::AnswerSynAgain(uint8_t flags)
{
    // TcpSocketBase counts each answer to a copy of the SYN as a try, and leaves without a word
    // when none is left; the timer runs as it did
    const Time rto = m_rto;
    const uint32_t tries = m_synCount;
    m_synCount = std::max(tries, 1U);
    TcpSocketBase::SendEmptyPacket(flags);
    m_synCount = tries;
    m_rto = rto;
}

void
TcpConnectionSocket::SendByHand(Ptr<Packet> packet, TcpHeader& header)
{
    const TcpDontFragment::Mark mark(GetDontFragment());
    GetEnds().SetPorts(header);
    AddOptions(header);
    m_txTrace(packet, header, this);
    GetEnds().Send(*m_tcp, packet, header, m_boundnetdevice);
}

void
TcpConnectionSocket::SendAck()
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

// ---- the handshake ------------------------------------------------------------------------------

Ptr<TcpSocketBase>
TcpConnectionSocket::EnterSynBacklog(Ptr<TcpConnectionSocket> fork) const
{
    fork->m_listener = this;
    fork->m_backlogPort = GetEnds().GetLocalPort();
    GetFactory()->CountSyn(fork->m_backlogPort, true);
    ObjectBirths::Opened(*fork, nullptr);
    return fork;
}

void
TcpConnectionSocket::LeaveSynBacklog()
{
    if (m_backlogPort != 0 && m_state != SYN_RCVD)
    {
        GetFactory()->CountSyn(std::exchange(m_backlogPort, uint16_t(0)), false);
        m_listener = nullptr;
    }
}

bool
TcpConnectionSocket::HasLostListener() const
{
    return m_listener && m_listener->m_state != LISTEN;
}

void
TcpConnectionSocket::CompleteFork(Ptr<Packet> p,
                                  const TcpHeader& header,
                                  const Address& fromAddress,
                                  const Address& toAddress)
{
    NS_LOG_FUNCTION(this << header << fromAddress << toAddress);
    LearnPeerMss(header);
    StartFrom(header);
    EnterShard();
    TcpSocketBase::CompleteFork(p, header, fromAddress, toAddress);
    WatchEndPoint();
    // The initial windows have been reckoned before the route was known
    m_tcb->m_cWnd = GetInitialCwnd() * GetSegSize();
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
}

void
TcpConnectionSocket::FailConnecting()
{
    NS_LOG_FUNCTION(this);
    m_rtt->Reset();
    m_state = CLOSED; // as in AbortInError()
    LeaveSynBacklog();
    DeallocateEndPoint();
    NotifyConnectionFailed();
}

// ---- the end ------------------------------------------------------------------------------------

void
TcpConnectionSocket::EndWithin(Time limit)
{
    NS_LOG_FUNCTION(this << limit);
    // the event holds the socket, of which the layer above may let go
    Simulator::Schedule(limit, &TcpConnectionSocket::Abort, Ptr<TcpConnectionSocket>(this));
}

void
TcpConnectionSocket::Abort()
{
    NS_LOG_FUNCTION(this);
    if (m_state == CLOSED || m_state == TIME_WAIT || !GetEnds().IsOpen())
    {
        return;
    }
    SendEmptyPacket(TcpHeader::RST);
    AbortInError();
}

void
TcpConnectionSocket::AbortInError()
{
    NS_LOG_FUNCTION(this);
    // TcpSocketBase tells of the error first: who closes then has it send a FIN, or another reset
    m_state = CLOSED;
    CancelAllTimers();
    NotifyErrorClose();
    DeallocateEndPoint();
}

void
TcpConnectionSocket::AbortQuietly(bool error)
{
    NS_LOG_FUNCTION(this << error);
    m_state = CLOSED; // as in AbortInError()
    CancelAllTimers();
    if (error)
    {
        NotifyErrorClose();
    }
    CloseAndNotify();
}

bool
TcpConnectionSocket::HasUnread() const
{
    return m_tcb->m_rxBuffer->Size() > 0;
}

int
TcpConnectionSocket::Close()
{
    NS_LOG_FUNCTION(this);
    // In error callbacks, the socket may be released
    Ptr<TcpConnectionSocket> self(this);
    if (m_state == CLOSED || m_state == CLOSING)
    { // over, or on its way (RFC 9293 section 3.10.4): TcpSocketBase resets what both ends close
        return 0;
    }
    if (HasUnread())
    {
        Abort();
        return 0;
    }
    if (m_state == SYN_SENT && m_txBuffer->Size() == 0)
    { // TcpSocketBase sends a reset, which a peer that has not answered has no use for
        AbortQuietly(true);
        return 0;
    }
    if (m_tcb->m_rxBuffer->Size() == 0)
    {
        return TcpSocketBase::Close();
    }
    // the application does not want what waits for octets ahead of it, for which TcpSocketBase
    // would reset the connection: what has been given to it last would be lost
    if (m_txBuffer->SizeFromSequence(m_tcb->m_nextTxSequence) > 0)
    {
        m_closeOnEmpty = true;
        return 0;
    }
    return DoClose();
}

void
TcpConnectionSocket::ScheduleFin(bool running)
{
    // TcpSocketBase sends the FIN again after the same time for ever, in LAST_ACK besides with no
    // regard to MinRto
    const bool last = m_txBuffer->Size() == 0;
    if (last || !running)
    { // a cancelled event would stay until its time
        Simulator::Remove(m_retxEvent);
    }
    if (last)
    {
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &TcpConnectionSocket::ReTxTimeout, this);
    }
}

void
TcpConnectionSocket::LastAckTimeout()
{
    // the timer of the FIN is that of ScheduleFin(), in LAST_ACK as well
}

bool
TcpConnectionSocket::IsFinPending() const
{
    return m_txBuffer->Size() == 0 &&
           (m_state == FIN_WAIT_1 || m_state == CLOSING || m_state == LAST_ACK);
}

void
TcpConnectionSocket::RestartTimer()
{
    // TcpSocketBase stops the timer of octets and of a FIN under way when the peer's window closes,
    // and starts it no more
    const bool octets = m_persistEvent.IsExpired() && m_txBuffer->Size() > 0 &&
                        m_tcb->m_highTxMark > m_txBuffer->HeadSequence();
    if (m_state >= ESTABLISHED && m_retxEvent.IsExpired() && (octets || IsFinPending()))
    {
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &TcpConnectionSocket::ReTxTimeout, this);
    }
}

bool
TcpConnectionSocket::TimeOutApart()
{
    const bool fin = IsFinPending();
    if (m_state < ESTABLISHED || (m_txBuffer->Size() == 0 && !fin))
    {
        return m_state >= ESTABLISHED;
    }
    if (m_dataRetrCount == 0)
    {
        NS_LOG_LOGIC(this << " gives up");
        AbortInError();
        return true;
    }
    if (fin)
    {
        m_dataRetrCount--;
        // RFC 6298, (5.5), and (2.5) as TcpSocketBase has it for data
        m_rto = std::max(m_rto.Get(), std::min(Seconds(60), Time(2 * m_rto.Get())));
        SendEmptyPacket(TcpHeader::FIN);
    }
    return fin;
}

void
TcpConnectionSocket::ReTxTimeout()
{
    NS_LOG_FUNCTION(this);
    // At the last timeout the base class reports failure, and the application may let go of the
    // socket
    Ptr<TcpConnectionSocket> self(this);
    if (TimeOutApart())
    {
        return;
    }
    NotifyTimeout();
    PassTimeout();
    SendPending(false);
}

void
TcpConnectionSocket::PassTimeout()
{
    TcpSocketBase::ReTxTimeout();
}

} // namespace ns3
