/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rfc9293-tcp-socket.h"

#include "rfc9293-tcp-socket-factory.h"
#include "tcp-congestion-settings.h"
#include "tcp-probe-guard.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Rfc9293TcpSocket");

namespace
{

/// Tell congestion control whether the window is full, as ns-3 has it since 3.43.
/// @param state of the connection @param inFlight finds the octets in flight
template <typename S, typename F>
auto
NotifyCwndLimited(S& state, F inFlight) -> decltype(state.m_isCwndLimited, void())
{
    state.m_isCwndLimited = state.m_cWnd < inFlight() + state.m_segmentSize;
}

/// Before, there is nothing to tell.
template <typename... T>
void
NotifyCwndLimited(T&&... /* none */)
{
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(Rfc9293TcpSocket);

TypeId
Rfc9293TcpSocket::GetTypeId()
{
    static TypeId tid = AddAttributes(TypeId("ns3::Rfc9293TcpSocket")
                                          .SetParent<TcpSocketBase>()
                                          .SetGroupName("Iwarp")
                                          .AddConstructor<Rfc9293TcpSocket>());
    return tid;
}

TypeId
Rfc9293TcpSocket::AddAttributes(TypeId tid)
{
    return TcpRackSocket::AddAttributes(tid)
        .AddAttribute("OverrideTimeout",
                      "How long a segment waits, with nothing in flight, for a receive window "
                      "that is too narrow for it and less than half the widest one seen, "
                      "before it is cut (RFC 1122 section 4.2.3.4).",
                      TimeValue(MilliSeconds(200)),
                      MakeTimeAccessor(&Rfc9293TcpSocket::m_overrideTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("WindowRate",
                      "Payload rate that the receive window is to allow over WindowRtt; if "
                      "both are set, their product replaces RcvBufSize when the socket "
                      "connects or listens (RFC 5041 Appendix A). 0 leaves RcvBufSize.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&Rfc9293TcpSocket::m_windowRate),
                      MakeDataRateChecker())
        .AddAttribute("WindowRtt",
                      "Round-trip time expected, for WindowRate. 0 leaves RcvBufSize.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&Rfc9293TcpSocket::m_windowRtt),
                      MakeTimeChecker(Time(0), Seconds(1000)))
        .AddTraceSource("HeldBack",
                        "The next segment waits for a wider window, so as not to be cut.",
                        MakeTraceSourceAccessor(&Rfc9293TcpSocket::m_heldBack),
                        "ns3::Rfc9293TcpSocket::HeldBackTracedCallback")
        .AddTraceSource("WindowUpdate",
                        "An ACK is sent since the application has made room in the receive "
                        "buffer, or an RNIC has retired what took it.",
                        MakeTraceSourceAccessor(&Rfc9293TcpSocket::m_windowUpdate),
                        "ns3::Rfc9293TcpSocket::WindowUpdateTracedCallback");
}

Rfc9293TcpSocket::Rfc9293TcpSocket()
{
    m_pacingTimer.SetFunction(&Rfc9293TcpSocket::SendPending, this);
    m_pacingTimer.SetArguments(false);
}

Rfc9293TcpSocket::Rfc9293TcpSocket(const Rfc9293TcpSocket& other)
    : WithInstanceTypeId(other),
      m_overrideTimeout(other.m_overrideTimeout),
      m_windowRate(other.m_windowRate),
      m_windowRtt(other.m_windowRtt),
      m_heldBack(other.m_heldBack),
      m_windowUpdate(other.m_windowUpdate)
{
    m_pacingTimer.SetFunction(&Rfc9293TcpSocket::SendPending, this);
    m_pacingTimer.SetArguments(false);
    if (m_congestionControl)
    {
        TcpCopyCongestionSettings(*other.m_congestionControl, *m_congestionControl);
    }
}

Rfc9293TcpSocket::~Rfc9293TcpSocket()
{
    m_overrideEvent.Cancel();
}

Ptr<TcpSocketBase>
Rfc9293TcpSocket::Fork()
{
    return EnterSynBacklog(CopyObject<Rfc9293TcpSocket>(this));
}

int
Rfc9293TcpSocket::Listen()
{
    SizeReceiveBuffer();
    const int result = TcpSocketBase::Listen();
    if (result == 0)
    {
        EnterTable(true);
    }
    return result;
}

int
Rfc9293TcpSocket::Connect(const Address& address)
{
    NS_LOG_FUNCTION(this << address);
    SizeReceiveBuffer();
    ObjectBirths::Opened(*this, nullptr);
    const int result = TcpSocketBase::Connect(address);
    WatchEndPoint();
    return result;
}

// ---- what is sent -------------------------------------------------------------------------------

int
Rfc9293TcpSocket::Send(Ptr<Packet> p, uint32_t flags)
{
    NS_LOG_FUNCTION(this << p << flags);
    if (m_shutdownSend)
    {
        m_errno = ERROR_SHUTDOWN;
        return -1;
    }
    const uint32_t before = m_txBuffer->Size();
    const int result = TcpSocketBase::Send(p, flags);
    if (m_txBuffer->Size() == before || (m_state != ESTABLISHED && m_state != CLOSE_WAIT))
    {
        return result;
    }
    // As TcpSocketBase::Send(): a little later, so that the application can fill the buffer
    if (m_sendPendingDataEvent.IsExpired() && TcpSocketBase::AvailableWindow() > 0)
    {
        m_sendPendingDataEvent =
            Simulator::Schedule(TimeStep(1), &Rfc9293TcpSocket::SendPending, this, false);
    }
    if (m_rWnd.Get() == 0 && m_persistEvent.IsExpired())
    {
        m_persistEvent =
            Simulator::Schedule(m_persistTimeout, &Rfc9293TcpSocket::PersistTimeout, this);
    }
    return result;
}

uint32_t
Rfc9293TcpSocket::AvailableWindow() const
{
    return 0;
}

void
Rfc9293TcpSocket::SendPending(bool overridden)
{
    NS_LOG_FUNCTION(this << overridden);
    if (m_state < ESTABLISHED || m_txBuffer->Size() == 0 || !GetEnds().IsOpen())
    {
        return;
    }
    m_widestWindow = std::max(m_widestWindow, m_rWnd.Get());
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
        if (HasRack())
        { // which does not go back behind what is sent again
            m_tcb->m_nextTxSequence = m_tcb->m_highTxMark;
        }
    }
}

bool
Rfc9293TcpSocket::FindNext(SequenceNumber32& next, SequenceNumber32& high) const
{
    if (HasRack())
    {
        std::tie(next, high) = GetRack().FindLost(m_tcb->m_segmentSize);
        return next < high || FindUnsent(static_cast<uint32_t>(m_tcb->m_highTxMark.Get() -
                                                               m_txBuffer->HeadSequence()),
                                         next,
                                         high);
    }
    const bool recovery = m_sackEnabled && m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
    if (recovery || m_txBuffer->GetLost() > 0)
    {
        return m_txBuffer->NextSeg(&next, &high, recovery);
    }
    // Nothing is lost: what comes next is the first octet that has not been sent
    return FindUnsent(m_txBuffer->BytesInFlight() + m_txBuffer->GetSacked() -
                          m_txBuffer->GetRetransmitsCount(),
                      next,
                      high);
}

bool
Rfc9293TcpSocket::FindUnsent(uint32_t sent, SequenceNumber32& next, SequenceNumber32& high) const
{
    const uint32_t window = m_rWnd;
    if (sent >= m_txBuffer->Size() || sent >= window)
    {
        return false;
    }
    next = m_txBuffer->HeadSequence() + sent;
    high = next + std::min(m_tcb->m_segmentSize, window - sent);
    return true;
}

TcpSegmentChoice
Rfc9293TcpSocket::ChooseSegment(SequenceNumber32 /* next */, const TcpSendAllowance& allowance)
{
    return TcpChooseSegment(m_tcb->m_segmentSize, allowance);
}

void
Rfc9293TcpSocket::PlaceProbe(SequenceNumber32 next, uint32_t unsent)
{
    const uint32_t allowed = m_path.GetAllowedProbe();
    if (unsent >= allowed && next >= m_tcb->m_highTxMark)
    {
        m_path.PlaceProbe(next, allowed);
    }
}

uint32_t
Rfc9293TcpSocket::SizeSegment(SequenceNumber32 next,
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
    NotifyLost(next, 1); // before it is cut anew
    if (m_path.GetAllowedProbe() > 0)
    {
        PlaceProbe(next, unsent);
    }
    if (const uint32_t probe = m_path.FindProbe(next))
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
    TcpSendAllowance allowance = GetAllowance(next, static_cast<uint32_t>(high - next), window);
    allowance.overridden = overridden;
    const TcpSegmentChoice segment = ChooseSegment(next, allowance);
    if (segment.mayOverride && m_overrideEvent.IsExpired())
    {
        m_overrideEvent =
            Simulator::Schedule(m_overrideTimeout, &Rfc9293TcpSocket::SendPending, this, true);
    }
    if (segment.size == 0)
    {
        m_heldBack(next, std::min(segment.wanted, unsent), allowance.limit);
    }
    return segment.size;
}

TcpSendAllowance
Rfc9293TcpSocket::GetAllowance(SequenceNumber32 next, uint32_t limit, uint32_t window) const
{
    TcpSendAllowance allowance;
    allowance.limit = std::min({window, m_tcb->m_segmentSize, limit});
    allowance.window = window;
    allowance.offered = m_rWnd;
    allowance.widest = m_widestWindow;
    allowance.unsent = m_txBuffer->SizeFromSequence(next);
    allowance.idle = m_tcb->m_bytesInFlight.Get() == 0;
    return allowance;
}

uint32_t
Rfc9293TcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    NS_LOG_FUNCTION(this << seq << maxSize << withAck);
    // TcpSocketBase calls it to retransmit, fast or for a partial ACK
    return HasRack() ? RetransmitByRack(maxSize) : Retransmit(seq, maxSize, withAck);
}

uint32_t
Rfc9293TcpSocket::Retransmit(SequenceNumber32 seq, uint32_t size, bool withAck)
{
    return SendSegment(seq, size, withAck);
}

uint32_t
Rfc9293TcpSocket::SendNewProbe()
{
    SequenceNumber32 next;
    SequenceNumber32 high;
    const auto sent = static_cast<uint32_t>(m_tcb->m_highTxMark.Get() - m_txBuffer->HeadSequence());
    if (!FindUnsent(sent, next, high) || m_path.FindProbe(next) > 0)
    {
        return 0;
    }
    const TcpSendAllowance allowance =
        GetAllowance(next, static_cast<uint32_t>(high - next), m_rWnd.Get() - sent);
    const uint32_t size = ChooseSegment(next, allowance).size;
    if (size == 0)
    {
        return 0;
    }
    m_tcb->m_nextTxSequence = next + SendSegment(next, size, m_connected);
    return size;
}

bool
Rfc9293TcpSocket::IsFragmentable(uint32_t /* size */) const
{
    return false;
}

uint32_t
Rfc9293TcpSocket::SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck)
{
    const TcpDontFragment::Mark mark(IsFragmentable(size) ? nullptr : GetDontFragment());
    const uint32_t lost = m_sackEnabled ? 0 : m_txBuffer->GetLost();
    const bool rack = PrepareRack();
    const bool again = seq < m_tcb->m_highTxMark;
    if (withAck)
    {
        Simulator::Remove(m_delAckEvent); // as in SendEmptyPacket()
    }
    const bool open = m_tcb->m_congState == TcpSocketState::CA_OPEN ||
                      m_tcb->m_congState == TcpSocketState::CA_DISORDER;
    const bool plain = withAck && open && seq == m_tcb->m_highTxMark && !m_closeOnEmpty &&
                       !IsPacingEnabled() && IsPlain();
    size = plain ? SendPlainData(seq, size) : TcpSocketBase::SendDataPacket(seq, size, withAck);
    if (again)
    { // TcpSocketBase has decided how long it is
        NotifyLost(seq, size);
    }
    if (lost > size && seq == m_txBuffer->HeadSequence())
    {
        LeaveRest(seq + size, lost - size);
    }
    if (rack)
    { // which TcpSocketBase has not counted yet
        NotifySegmentSent(seq, size);
        NotifyCwndLimited(*m_tcb, [this]() { return BytesInFlight(); });
    }
    if (withAck)
    { // Last.ACK.sent (RFC 7323), which TcpSocketBase sets behind segments without data only
        m_highTxAck = m_tcb->m_rxBuffer->NextRxSequence();
    }
    return size;
}

uint32_t
Rfc9293TcpSocket::SendPlainData(SequenceNumber32 seq, uint32_t size)
{
    const bool first = BytesInFlight() == 0;
    TcpTxItem* const item = m_txBuffer->CopyFromSequence(size, seq);
    m_rateOps->SkbSent(item, first);
    const Ptr<Packet> packet = item->GetPacketCopy();
    size = packet->GetSize();
    if (m_retxEvent.IsExpired())
    {
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &Rfc9293TcpSocket::ReTxTimeout, this);
    }
    SendPlainSegment(packet, seq);
    NotifyCwndLimited(*m_tcb, [this]() { return BytesInFlight(); });
    UpdateRttHistory(seq, size, false);
    Simulator::ScheduleNow(&Rfc9293TcpSocket::NotifyDataSent, this, size);
    m_tcb->m_highTxMark = seq + size;
    return size;
}

void
Rfc9293TcpSocket::LeaveRest(SequenceNumber32 seq, uint32_t size)
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
Rfc9293TcpSocket::ResendAll()
{
    if (m_state < ESTABLISHED || UnAckDataCount() == 0)
    {
        return; // nothing is in flight
    }
    // RFC 1191 section 6.4: what was too big for the path is sent again at once, what has been sent
    // again already as well. That is no sign of congestion, so that the windows stay.
    if (!m_sackEnabled)
    {
        m_txBuffer->ResetRenoSack();
    }
    m_txBuffer->SetSentListLost(!m_sackEnabled);
    MarkAllLost(false);
    m_history.clear();
    // without SACK, recovery has duplicates of ACKs count as arrivals of what is lost
    if (m_tcb->m_congState != TcpSocketState::CA_LOSS &&
        (m_tcb->m_congState != TcpSocketState::CA_RECOVERY || !m_sackEnabled))
    {
        ResendCalmly();
    }
    SendPending(false);
}

void
Rfc9293TcpSocket::ResendCalmly()
{
    m_dupAckCount = 0;
    m_recover = m_tcb->m_highTxMark;
    m_recoverActive = true;
    m_tcb->m_congState = TcpSocketState::CA_LOSS;
}

void
Rfc9293TcpSocket::ReactToLosses()
{
    // a lost probe is about the MTU: see TcpProbeGuard, which is for what TcpSocketBase finds
    const uint32_t probe = m_path.HasProbe() ? m_path.FindProbe(GetRack().FindLost(0).first) : 0;
    if (probe > 0 && GetRack().GetLost() <= probe)
    {
        ResendCalmly();
    }
    else
    {
        RecoverByRack();
    }
}

void
Rfc9293TcpSocket::PersistTimeout()
{
    ProbeWindow(m_persistTimeout);
}

void
Rfc9293TcpSocket::ProbeWindow(Time waited)
{
    NS_LOG_FUNCTION(this << waited);
    const SequenceNumber32 next = m_tcb->m_nextTxSequence;
    const bool sent = m_txBuffer->SizeFromSequence(next) == 0;
    if (sent && m_txBuffer->Size() == 0)
    {
        return; // nothing to probe the window with: Send() starts the timer again
    }
    // TcpSocketBase's probe has no ACK flag, and a peer drops what has none (RFC 9293 section
    // 3.10.7.4). Probes are not ECN-capable (RFC 3168 section 6.1.6).
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
    // m_persistTimeout is the wait for the first probe of a window, each time that it closes
    const Time wait = std::min(Seconds(60), Time(2 * waited));
    m_persistEvent = Simulator::Schedule(wait, &Rfc9293TcpSocket::ProbeWindow, this, wait);
}

// ---- what is acknowledged -----------------------------------------------------------------------

bool
Rfc9293TcpSocket::IsDataAlone(const Ptr<const Packet>& packet, const TcpHeader& header) const
{
    // TcpSocketBase::ReceivedAck() finds that out as well, in more steps
    return packet->GetSize() > 0 && m_txBuffer->Size() == 0 &&
           header.GetAckNumber() == m_tcb->m_highTxMark &&
           m_tcb->m_highTxMark == m_txBuffer->HeadSequence() &&
           m_tcb->m_congState == TcpSocketState::CA_OPEN &&
           m_tcb->m_ecnState == TcpSocketState::ECN_DISABLED &&
           !header.HasOption(TcpOption::SACK) && !m_congestionControl->HasCongControl();
}

void
Rfc9293TcpSocket::PassAck(const Ptr<Packet>& packet, const TcpHeader& header)
{
    if (IsDataAlone(packet, header))
    {
        ReceivedData(packet, header);
    }
    else if (HasRack())
    {
        ReceiveAckByRack(packet, header);
    }
    else
    {
        TcpSocketBase::ReceivedAck(packet, header);
    }
}

bool
Rfc9293TcpSocket::IsWindowUpdate(Ptr<const Packet> packet, const TcpHeader& header)
{
    // RFC 5681 section 2, (e): TcpSocketBase takes it for a duplicate of the ACK before
    const int32_t before = std::exchange(m_lastWindow, header.GetWindowSize());
    return !m_sackEnabled && packet->GetSize() == 0 && before >= 0 && before != m_lastWindow &&
           header.GetAckNumber() == m_txBuffer->HeadSequence();
}

void
Rfc9293TcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    NS_LOG_FUNCTION(this << header);
    const SequenceNumber32 ack = header.GetAckNumber();
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    const SequenceNumber32 sent = m_tcb->m_highTxMark;
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
        SendPending(false);
        return;
    }
    if (ack > head && m_blocks.Acknowledge(ack, sent))
    { // RFC 2018 section 8: TcpSocketBase takes the octets for there, or ends the program
        NS_LOG_LOGIC(this << " the peer has given up what is behind " << ack);
        m_txBuffer->SetSentListLost(true);
        MarkAllLost(true);
    }
    if (m_tcb->m_congState == TcpSocketState::CA_CWR && ack > head)
    { // TcpSocketBase keeps the count of duplicates if the ACK has SACK blocks, too, and asserts
      // that none has been counted when such an ACK ends the reduction
        m_dupAckCount = 0;
    }
    const bool outstanding = m_txBuffer->Size() > 0;
    const bool probes = m_path.HasProbe() && ack < sent && !HasRack() &&
                        m_tcb->m_congState < TcpSocketState::CA_CWR;
    const uint32_t probe = probes ? m_path.FindProbe(ack) : 0;
    const auto guard =
        probe > 0 ? CreateObject<TcpProbeGuard>(m_congestionControl, *m_tcb, m_txBuffer, probe)
                  : nullptr;
    NoteDuplicates(header);
    // TcpSocketBase ends the program for a block that holds the octet expected next, and for any
    // block while nothing is under way
    const auto filtered = header.HasOption(TcpOption::SACK)
                              ? m_blocks.Filter(header, head, sent, m_sackEnabled)
                              : std::nullopt;
    PassAck(packet, filtered ? *filtered : header);
    if (guard && guard->End(m_congestionControl, *m_tcb))
    {
        m_dupAckCount = 0;
        if (!m_sackEnabled)
        {
            m_txBuffer->ResetRenoSack();
        }
    }
    OfferProbe();
    SendPending(false);
    if (m_shutdownSend && outstanding && m_txBuffer->Size() == 0 &&
        (m_state == ESTABLISHED || m_state == CLOSE_WAIT))
    { // TcpSocketBase has FIN go with the last data, and with none once these are under way. A
      // listener that is shut, such as PacketSink's, ends no connection that never sent
        ShutdownSend();
    }
}

// ---- what is received, and the receive window ---------------------------------------------------

void
Rfc9293TcpSocket::ReceivedData(Ptr<Packet> p, const TcpHeader& header)
{
    NS_LOG_FUNCTION(this << p << header);
    if (m_timestampEnabled && IsOld(header))
    {
        NS_LOG_LOGIC(this << " old duplicate " << header.GetSequenceNumber());
        SendAck();
        return;
    }
    m_receiving = true;
    const bool stored = StoreData(p, header);
    m_receiving = false;
    if (stored)
    {
        SendWindowUpdate();
    }
}

bool
Rfc9293TcpSocket::StoreData(Ptr<Packet>& p, const TcpHeader& header)
{
    if (m_state == FIN_WAIT_1 || m_state == FIN_WAIT_2)
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
    return true;
}

Ptr<Packet>
Rfc9293TcpSocket::Recv(uint32_t maxSize, uint32_t flags)
{
    NS_LOG_FUNCTION(this << maxSize << flags);
    Ptr<Packet> packet = TcpSocketBase::Recv(maxSize, flags);
    if (packet && !m_receiving)
    {
        SendWindowUpdate();
    }
    return packet;
}

void
Rfc9293TcpSocket::SizeReceiveBuffer()
{
    if (m_windowRate.GetBitRate() > 0 && m_windowRtt.IsStrictlyPositive())
    {
        m_tcb->m_rxBuffer->SetMaxBufferSize(TcpWindowFor(m_windowRate, m_windowRtt));
    }
}

uint32_t
Rfc9293TcpSocket::GetRoom() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    return rx->MaxBufferSize() - std::min(rx->MaxBufferSize(), rx->Available());
}

uint16_t
Rfc9293TcpSocket::AdvertisedWindowSize(bool scale) const
{
    NS_LOG_FUNCTION(this << scale);
    const uint16_t window = TcpSocketBase::AdvertisedWindowSize(scale);
    NotifyAdvertised(window, scale);
    return window;
}

void
Rfc9293TcpSocket::NotifyAdvertised(uint16_t window, bool scaled) const
{
    m_rightEdge.Notify(m_tcb->m_rxBuffer->NextRxSequence(),
                       uint32_t{window} << (scaled ? m_rcvWindShift : 0),
                       scaled);
}

int32_t
Rfc9293TcpSocket::GetWindowLeft() const
{
    return m_rightEdge.GetLeft(m_tcb->m_rxBuffer->NextRxSequence());
}

uint32_t
Rfc9293TcpSocket::GetUpdatedWindow() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    const auto free =
        static_cast<uint32_t>(rx->MaxRxSequence() - rx->NextRxSequence()) >> m_rcvWindShift;
    return std::min<uint32_t>(free, m_maxWinSize) << m_rcvWindShift;
}

void
Rfc9293TcpSocket::WaitForWindow(const TcpWindowUpdate& /* update */)
{
}

void
Rfc9293TcpSocket::SendWindowUpdate()
{
    const auto& rx = m_tcb->m_rxBuffer;
    if ((m_state != ESTABLISHED && m_state != FIN_WAIT_1 && m_state != FIN_WAIT_2) || rx->GotFin())
    {
        return;
    }
    TcpWindowUpdate update;
    update.left = GetWindowLeft();
    update.segment = m_tcb->m_segmentSize;
    update.buffer = rx->MaxBufferSize();
    if (!update.IsPeerWaiting())
    {
        return;
    }
    const uint32_t window = GetUpdatedWindow();
    if (update.IsDue(window))
    {
        NS_LOG_LOGIC(this << " window update: " << window);
        m_windowUpdate(window);
        SendAck();
    }
    else
    {
        WaitForWindow(update);
    }
}

} // namespace ns3
