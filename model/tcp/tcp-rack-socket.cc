/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-rack-socket.h"

#include "tcp-duplicate-sack.h"
#include "tcp-rack-rate.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpRackSocket");

/// What a connection has besides, if RACK is used for it.
struct TcpRackSocket::State
{
    /// @param next number of the first octet @param threshold DupThresh @param window time for
    /// which the least RTT counts
    State(SequenceNumber32 next, uint32_t threshold, Time window)
        : rack(next, threshold, window)
    {
    }

    ~State()
    {
        event.Cancel();
    }

    TcpRack rack;                            //!< finds what is lost
    TcpTailLossProbe probe;                  //!< says when to probe
    Waiting waiting{Waiting::NOTHING};       //!< what the timer is about
    Time deadline;                           //!< when its time has come
    EventId event;                           //!< runs until then, or until it is looked at again
    Time reduced{-1};                        //!< when congestion control has reacted last
    Time window;                             //!< reordering window that was shown last
    std::optional<TcpRack::Block> duplicate; //!< DSACK block of the ACK that is processed
    int32_t peerWindow{-1};                  //!< window field of the last ACK
    bool entering{false};                    //!< fast recovery begins
    bool probing{false};                     //!< what is sent is a probe
};

TypeId
TcpRackSocket::AddAttributes(TypeId tid)
{
    return TcpConnectionSocket::AddAttributes(tid)
        .AddAttribute("Rack",
                      "With SACK, find what is lost by RACK-TLP (RFC 8985): by the time at which "
                      "segments were sent, and by probes of the tail; otherwise by three segments "
                      "that arrive behind it (RFC 6675), and by timeouts. A peer with Dsack tells "
                      "of octets that were sent again for nothing.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&TcpRackSocket::m_useRack),
                      MakeBooleanChecker())
        .AddAttribute("RackRttWindow",
                      "Time for which the least round-trip time counts, of which the reordering "
                      "window of Rack is a quarter. The default is Linux's (tcp_min_rtt_wlen). 0: "
                      "for ever.",
                      TimeValue(Seconds(300)),
                      MakeTimeAccessor(&TcpRackSocket::m_rackRttWindow),
                      MakeTimeChecker(Time(0)))
        .AddTraceSource("LossProbe",
                        "A tail loss probe is sent.",
                        MakeTraceSourceAccessor(&TcpRackSocket::m_lossProbe),
                        "ns3::TcpRackSocket::LossProbeTracedCallback")
        .AddTraceSource("RackLoss",
                        "RACK has found octets to be lost.",
                        MakeTraceSourceAccessor(&TcpRackSocket::m_rackLoss),
                        "ns3::TcpRackSocket::RackLossTracedCallback")
        .AddTraceSource("ReorderingWindow",
                        "The time for which RACK lets a segment come late is another.",
                        MakeTraceSourceAccessor(&TcpRackSocket::m_reorderingWindow),
                        "ns3::TcpRackSocket::ReorderingWindowTracedCallback");
}

TcpRackSocket::TcpRackSocket() = default;

TcpRackSocket::TcpRackSocket(const TcpRackSocket& other)
    : TcpConnectionSocket(other),
      m_rackRttWindow(other.m_rackRttWindow),
      m_useRack(other.m_useRack),
      m_lossProbe(other.m_lossProbe),
      m_rackLoss(other.m_rackLoss),
      m_reorderingWindow(other.m_reorderingWindow)
{
}

TcpRackSocket::~TcpRackSocket() = default;

// ---- the beginning ------------------------------------------------------------------------------

void
TcpRackSocket::EstimateRtt(const TcpHeader& header)
{
    if (m_useRack && (m_state == SYN_SENT || m_state == SYN_RCVD) && !m_history.empty() &&
        !m_history.front().retx && header.GetAckNumber() > m_history.front().seq)
    {
        m_handshakeRtt = Simulator::Now() - m_history.front().time;
    }
    TcpConnectionSocket::EstimateRtt(header);
}

bool
TcpRackSocket::PrepareRack()
{
    if (!m_useRack || m_rack || !m_sackEnabled || UnAckDataCount() > 0)
    {
        return HasRack();
    }
    m_rack = std::make_unique<State>(m_tcb->m_highTxMark, m_retxThresh, m_rackRttWindow);
    if (m_handshakeRtt.IsStrictlyPositive())
    {
        m_rack->rack.MeasureHandshake(m_handshakeRtt, Simulator::Now());
        m_rack->probe.NotifyMeasured();
    }
    // RFC 8985 section 9.2: RFC 6675 must not be used besides, nor FACK, which ns-3 has since 3.46
    SetRetxThresh(std::numeric_limits<uint32_t>::max());
    SetAttributeFailSafe("Fack", BooleanValue(false));
    TcpRackRate::Install(m_rateOps, *m_congestionControl, m_rack->rack);
    return true;
}

const TcpRack&
TcpRackSocket::GetRack() const
{
    return m_rack->rack;
}

bool
TcpRackSocket::IsRecovering() const
{
    return m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
           m_tcb->m_congState == TcpSocketState::CA_LOSS;
}

uint32_t
TcpRackSocket::BytesInFlight() const
{
    if (!m_rack)
    {
        return TcpSocketBase::BytesInFlight();
    }
    // ns-3 changes what is traced in a const method, too
    m_tcb->m_bytesInFlight = m_rack->rack.GetInFlight();
    // RFC 6675 section 5, (4.2), wants FlightSize for the threshold, and TcpSocketBase asks here
    return m_rack->entering ? UnAckDataCount() : m_rack->rack.GetInFlight();
}

// ---- what is sent -------------------------------------------------------------------------------

uint32_t
TcpRackSocket::RetransmitByRack(uint32_t size)
{
    // TcpSocketBase calls for the first segment that is lost, which it takes for the first of all;
    // and for another one with each ACK of a part, whether one is lost or not
    const TcpRack::Block lost = m_rack->rack.FindLost(m_tcb->m_segmentSize);
    if (m_rack->entering && lost.first < lost.second)
    {
        m_rack->entering = false;
        Retransmit(lost.first,
                   std::min(static_cast<uint32_t>(lost.second - lost.first), m_tcb->m_segmentSize),
                   m_connected);
    }
    return size;
}

void
TcpRackSocket::NotifySegmentSent(SequenceNumber32 seq, uint32_t size)
{
    TcpRack& rack = m_rack->rack;
    const bool first = seq >= rack.GetNext();
    rack.NotifySent(seq, size, Simulator::Now());
    if (first && !m_rack->probing)
    {
        StartProbeTimer();
    }
}

void
TcpRackSocket::MarkAllLost(bool forget)
{
    if (m_rack)
    {
        m_rack->rack.MarkAll(forget);
        m_rack->probe.Reset();
        StopTimer();
    }
}

// ---- what is acknowledged -----------------------------------------------------------------------

void
TcpRackSocket::NoteDuplicates(const TcpHeader& header)
{
    if (m_rack)
    {
        m_rack->duplicate = TcpFindDuplicateSack(header);
    }
}

TcpRack::Ack
TcpRackSocket::ReadAck(const TcpHeader& header) const
{
    TcpRack::Ack ack;
    ack.ack = std::min(header.GetAckNumber(), m_tcb->m_highTxMark.Get());
    ack.now = Simulator::Now();
    ack.duplicate = m_rack->duplicate.has_value();
    ack.recovered = IsRecovering() && header.GetAckNumber() >= m_recover;
    if (const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK)))
    {
        const auto blocks = option->GetSackList();
        ack.blocks.assign(blocks.begin(), blocks.end());
    }
    if (const auto option = DynamicCast<const TcpOptionTS>(header.GetOption(TcpOption::TS));
        option && m_timestampEnabled)
    {
        const uint32_t age = TcpOptionTS::NowToTsValue() - option->GetEcho();
        ack.echo = MilliSeconds(ack.now.GetMilliSeconds() - age + 1);
    }
    return ack;
}

void
TcpRackSocket::ReceiveAckByRack(const Ptr<Packet>& packet, const TcpHeader& header)
{
    State& state = *m_rack;
    const TcpRack::Ack ack = ReadAck(header);
    const bool news = header.GetAckNumber() > m_txBuffer->HeadSequence();
    const bool sameWindow = state.peerWindow == header.GetWindowSize();
    state.peerWindow = header.GetWindowSize();
    const uint32_t flight = UnAckDataCount();
    if (state.rack.NotifyAck(ack))
    {
        state.probe.NotifyMeasured();
    }
    const bool recovering = IsRecovering() && !ack.recovered;
    const TcpRack::Losses losses = state.rack.DetectLosses(recovering, ack.now);
    TcpTailLossProbe::Ack answer;
    answer.ack = header.GetAckNumber();
    answer.plain =
        !news && sameWindow && packet->GetSize() == 0 && ack.blocks.empty() && !state.duplicate;
    if (state.duplicate)
    {
        answer.repeated = state.duplicate->second;
    }
    const bool repaired = state.probe.NotifyAck(answer);
    state.duplicate.reset();
    TraceWindow();
    m_isFirstPartialAck = true; // RFC 6298, (5.3), holds in recovery, too
    TcpSocketBase::ReceivedAck(packet, header);
    if (m_tcb->m_nextTxSequence < m_tcb->m_highTxMark)
    { // where TcpSocketBase would have sent again
        m_tcb->m_nextTxSequence = m_tcb->m_highTxMark;
    }
    if (m_state < ESTABLISHED || !GetEnds().IsOpen())
    {
        StopTimer();
        return; // the application has ended it
    }
    ProcessLosses(losses, false);
    if (repaired)
    {
        ReactToRepair(flight);
    }
    ChooseTimer(losses, news);
}

void
TcpRackSocket::ProcessLosses(const TcpRack::Losses& losses, bool timer)
{
    if (losses.octets == 0)
    {
        return;
    }
    m_rackLoss(losses.octets, timer);
    if (m_tcb->m_congState == TcpSocketState::CA_OPEN ||
        m_tcb->m_congState == TcpSocketState::CA_DISORDER)
    {
        if (timer)
        { // one segment may go for it, as in Linux
            m_tcb->m_lastAckedSackedBytes = m_tcb->m_segmentSize;
        }
        ReactToLosses();
    }
    else if (losses.latestAgain >= m_rack->reduced && IsRecovering())
    {
        ReactOnceMore();
    }
}

void
TcpRackSocket::RecoverByRack()
{
    m_rack->probe.Reset();
    m_rack->reduced = Simulator::Now();
    m_rack->entering = true;
    EnterRecovery(m_tcb->m_lastAckedSackedBytes);
    m_rack->entering = false;
}

void
TcpRackSocket::ReactOnceMore()
{
    // RFC 8985 section 9.3: PRR sends no more than what arrives, in place of another reduction
    const bool prr = m_tcb->m_congState == TcpSocketState::CA_RECOVERY &&
                     DynamicCast<TcpPrrRecovery>(m_recoveryOps);
    if (prr || m_congestionControl->HasCongControl())
    {
        return;
    }
    m_rack->reduced = Simulator::Now();
    // what arrived behind a hole is outstanding as well, and no measure of what the path takes
    const uint32_t flight = std::min(UnAckDataCount(), m_tcb->m_cWnd.Get());
    m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, flight);
    m_tcb->m_cWnd = std::min(m_tcb->m_cWnd.Get(), m_tcb->m_ssThresh.Get());
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
}

void
TcpRackSocket::ReactToRepair(uint32_t flight)
{
    // as fast recovery that is over at once
    const auto before = m_tcb->m_congState.Get();
    if (before != TcpSocketState::CA_OPEN && before != TcpSocketState::CA_DISORDER)
    {
        return;
    }
    m_rack->reduced = Simulator::Now();
    m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, flight);
    m_congestionControl->CongestionStateSet(m_tcb, TcpSocketState::CA_CWR);
    if (!m_congestionControl->HasCongControl())
    {
        m_tcb->m_cWnd = std::min(m_tcb->m_cWnd.Get(), m_tcb->m_ssThresh.Get());
        m_tcb->m_cWndInfl = m_tcb->m_cWnd;
        m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_COMPLETE_CWR);
    }
    m_congestionControl->CongestionStateSet(m_tcb, before);
}

// ---- timers -------------------------------------------------------------------------------------

void
TcpRackSocket::ChooseTimer(const TcpRack::Losses& losses, bool restart)
{
    if (losses.wait.IsStrictlyPositive())
    {
        StartTimer(Waiting::REORDERING, losses.wait);
    }
    else if (restart || m_rack->waiting != Waiting::PROBE || m_rack->rack.GetSackedSegments() > 0 ||
             IsRecovering())
    {
        m_rack->waiting = Waiting::NOTHING;
        if (restart)
        {
            StartProbeTimer();
        }
        if (m_rack->waiting == Waiting::NOTHING)
        {
            StopTimer();
        }
    }
    if (m_rack->waiting != Waiting::REORDERING && m_retxEvent.IsExpired())
    { // its time has come while segments might come late
        RestartRetransmitTimer();
    }
}

void
TcpRackSocket::StartProbeTimer()
{
    const TcpRack& rack = m_rack->rack;
    // Where a probe is outstanding, RFC 8985 would let the timer run out, and put off the timeout
    if (m_rack->waiting == Waiting::REORDERING || IsRecovering() || rack.GetSegments() == 0 ||
        rack.GetSackedSegments() > 0 || m_rack->probe.IsOutstanding())
    {
        return;
    }
    TcpTailLossProbe::Situation situation;
    situation.smoothed = rack.GetRoundTrips().GetSmoothed();
    situation.lone = rack.GetSegments() == 1;
    situation.ackDelay = m_delAckTimeout;
    situation.retransmit =
        m_retxEvent.IsExpired() ? m_rto.Get() : Simulator::GetDelayLeft(m_retxEvent);
    StartTimer(Waiting::PROBE, TcpTailLossProbe::GetTimeout(situation));
}

void
TcpRackSocket::StartTimer(Waiting what, Time time)
{
    State& state = *m_rack;
    state.waiting = what;
    state.deadline = Simulator::Now() + time;
    // An event that comes too early looks again: each segment puts the time off
    if (!state.event.IsExpired())
    {
        if (Simulator::GetDelayLeft(state.event) <= time)
        {
            return;
        }
        Simulator::Remove(state.event);
    }
    state.event = Simulator::Schedule(time, &TcpRackSocket::TimeOutByRack, this);
}

void
TcpRackSocket::StopTimer()
{
    m_rack->waiting = Waiting::NOTHING;
    Simulator::Remove(m_rack->event);
}

void
TcpRackSocket::TimeOutByRack()
{
    State& state = *m_rack;
    const Time left = state.deadline - Simulator::Now();
    if (left.IsStrictlyPositive())
    {
        state.event = Simulator::Schedule(left, &TcpRackSocket::TimeOutByRack, this);
        return;
    }
    const Waiting what = state.waiting;
    state.waiting = Waiting::NOTHING;
    if (m_state < ESTABLISHED || m_state == TIME_WAIT || !GetEnds().IsOpen() ||
        state.rack.GetSegments() == 0)
    {
        return;
    }
    if (what == Waiting::PROBE)
    {
        SendProbe();
    }
    else
    {
        const auto losses = state.rack.DetectLosses(IsRecovering(), Simulator::Now());
        ProcessLosses(losses, true);
        ChooseTimer(losses, false);
        SendPending(false);
    }
    RestartRetransmitTimer();
}

void
TcpRackSocket::SendProbe()
{
    State& state = *m_rack;
    if (!state.probe.IsAllowed() || !m_persistEvent.IsExpired())
    {
        return;
    }
    state.probing = true;
    SequenceNumber32 seq = state.rack.GetNext();
    uint32_t size = SendNewProbe();
    const bool again = size == 0;
    if (again)
    {
        const TcpRack::Block last = state.rack.FindLast();
        size = std::min(static_cast<uint32_t>(last.second - last.first), m_tcb->m_segmentSize);
        seq = last.second - size;
        size = Retransmit(seq, size, m_connected);
    }
    state.probing = false;
    state.probe.NotifySent(state.rack.GetNext(), again);
    NS_LOG_LOGIC(this << " loss probe " << seq << " of " << size);
    m_lossProbe(seq, size, again);
}

void
TcpRackSocket::RestartRetransmitTimer()
{
    if (m_persistEvent.IsExpired() && m_rack->rack.GetSegments() > 0)
    {
        Simulator::Remove(m_retxEvent);
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &TcpRackSocket::ReTxTimeout, this);
    }
}

void
TcpRackSocket::ReTxTimeout()
{
    // RFC 8985 section 8: of the timers one runs at a time. Where a probe is due at the same time,
    // it goes first, and where segments may come late, it is their timer that goes on with this one
    if (m_rack && m_rack->waiting == Waiting::PROBE && m_rack->deadline <= Simulator::Now())
    {
        Simulator::Remove(m_rack->event);
        TimeOutByRack();
    }
    else if (!m_rack || m_rack->waiting != Waiting::REORDERING)
    {
        TcpConnectionSocket::ReTxTimeout();
    }
}

void
TcpRackSocket::PassTimeout()
{
    if (!m_rack)
    {
        TcpConnectionSocket::PassTimeout();
        return;
    }
    // as TcpSocketBase::ReTxTimeout(), which takes all for lost (section 6.3)
    TcpRack& rack = m_rack->rack;
    const uint32_t flight = UnAckDataCount();
    const bool again = m_tcb->m_congState == TcpSocketState::CA_LOSS && rack.IsFirstAgain();
    rack.MarkTimeout(IsRecovering(), Simulator::Now());
    m_rack->probe.Reset();
    m_rack->reduced = Simulator::Now();
    StopTimer();
    --m_dataRetrCount;
    m_dupAckCount = 0;
    m_recover = m_tcb->m_highTxMark;
    m_recoverActive = true;
    m_rto = std::max(m_rto.Get(), std::min(Seconds(60), Time(2 * m_rto.Get())));
    m_history.clear();
    if (!again)
    { // RFC 5681 section 3.1
        m_tcb->m_ssThresh = m_congestionControl->GetSsThresh(m_tcb, flight);
    }
    m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_LOSS);
    m_congestionControl->CongestionStateSet(m_tcb, TcpSocketState::CA_LOSS);
    m_tcb->m_congState = TcpSocketState::CA_LOSS;
    m_tcb->m_cWnd = m_tcb->m_segmentSize;
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
    m_pacingTimer.Cancel();
    // RFC 6298, (5.4), whatever else is still on its way
    m_rack->entering = true;
    RetransmitByRack(0);
    m_rack->entering = false;
}

void
TcpRackSocket::TraceWindow()
{
    if (m_reorderingWindow.IsEmpty())
    {
        return;
    }
    const Time window = m_rack->rack.GetWindow(IsRecovering());
    if (window != m_rack->window)
    {
        m_rack->window = window;
        m_reorderingWindow(window);
    }
}

} // namespace ns3
