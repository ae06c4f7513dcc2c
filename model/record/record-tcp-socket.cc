/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-tcp-socket.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecordTcpSocket");

TypeId
RecordTcpSocket::AddAttributes(TypeId tid)
{
    return Rfc9293TcpSocket::AddAttributes(tid)
        .AddAttribute(
            "Alignment",
            "Segments begin with a record and hold whole records, as long as a "
            "record fits the EMSS; otherwise octets fill segments as TCP likes.",
            BooleanValue(true),
            MakeBooleanAccessor(&RecordTcpSocket::SetAlignment, &RecordTcpSocket::GetAlignment),
            MakeBooleanChecker())
        .AddAttribute(
            "Packing",
            "With Alignment, several whole records that are there share a segment. "
            "Whether TCP waits for more of them is TcpNoDelay's choice.",
            BooleanValue(true),
            MakeBooleanAccessor(&RecordTcpSocket::SetPacking, &RecordTcpSocket::GetPacking),
            MakeBooleanChecker())
        .AddAttribute("ResendWhole",
                      "With Alignment and SACK, a segment is sent again as a whole even if "
                      "the peer has acknowledged a part of it, as happens behind a box that "
                      "cuts segments anew; otherwise only the rest, which no record starts "
                      "(RFC 5044 section B.2.2).",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RecordTcpSocket::m_resendWhole),
                      MakeBooleanChecker())
        .AddAttribute("FragmentOnShrink",
                      "With Alignment, records that TCP accepted before the EMSS became "
                      "smaller are sent whole and left to IP fragmentation, rather than cut "
                      "(RFC 5044 section A.1).",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RecordTcpSocket::m_fragmentOnShrink),
                      MakeBooleanChecker())
        .AddAttribute("ReceiveWindow",
                      "What takes room in the receive window: what TCP holds (Constant), or "
                      "besides what an RNIC has not retired yet (Retired), so that a sender "
                      "goes no faster than that (RFC 5041 Appendix A). Its right edge is never "
                      "pulled back then. Without an RNIC there is no difference.",
                      iwarp::MakeEnumValue(WindowMode::CONSTANT),
                      iwarp::MakeEnumAccessor(&RecordTcpSocket::m_windowMode),
                      iwarp::MakeEnumChecker(WindowMode::CONSTANT,
                                             "Constant",
                                             WindowMode::RETIRED,
                                             "Retired"))
        .AddTraceSource("SegmentSent",
                        "A segment with payload is sent.",
                        MakeTraceSourceAccessor(&RecordTcpSocket::m_segmentSent),
                        "ns3::RecordTcpSocket::SegmentSentTracedCallback")
        .AddTraceSource("RecordCut",
                        "A segment ends inside a record.",
                        MakeTraceSourceAccessor(&RecordTcpSocket::m_recordCut),
                        "ns3::RecordTcpSocket::RecordCutTracedCallback")
        .AddTraceSource("RedundantRetransmission",
                        "With ResendWhole, a segment that is sent again holds octets that the "
                        "peer has acknowledged.",
                        MakeTraceSourceAccessor(&RecordTcpSocket::m_redundant),
                        "ns3::RecordTcpSocket::RedundantRetransmissionTracedCallback")
        .AddTraceSource("SegmentDropped",
                        "The layer above had a segment treated as lost.",
                        MakeTraceSourceAccessor(&RecordTcpSocket::m_segmentDropped),
                        "ns3::RecordTcpSocket::SegmentDroppedTracedCallback");
}

RecordTcpSocket::RecordTcpSocket() = default;

RecordTcpSocket::RecordTcpSocket(const RecordTcpSocket& other)
    : Rfc9293TcpSocket(other),
      m_segmenter(other.m_segmenter),
      m_windowMode(other.m_windowMode),
      m_resendWhole(other.m_resendWhole),
      m_fragmentOnShrink(other.m_fragmentOnShrink),
      m_segmentSent(other.m_segmentSent),
      m_recordCut(other.m_recordCut),
      m_redundant(other.m_redundant),
      m_segmentDropped(other.m_segmentDropped)
{
}

RecordTcpSocket::~RecordTcpSocket()
{
    m_windowEvent.Cancel();
}

// ---- what the layer above asks and says ---------------------------------------------------------

void
RecordTcpSocket::SetUser(User* user, bool sees)
{
    m_filter.SetUser(user, sees);
}

void
RecordTcpSocket::KeepFirst(uint32_t octets)
{
    m_filter.KeepFirst(octets);
}

void
RecordTcpSocket::AckAtOnce()
{
    m_delAckCount = m_delAckMaxCount;
}

uint32_t
RecordTcpSocket::GetRoomInSegment() const
{
    return m_path.GetAllowedProbe() > 0 ? GetEmss() : m_segmenter.GetRoom(GetAcknowledged());
}

uint32_t
RecordTcpSocket::GetUnsent() const
{
    return m_txBuffer->SizeFromSequence(m_tcb->m_nextTxSequence);
}

uint32_t
RecordTcpSocket::GetTxCapacity() const
{
    return m_txBuffer->MaxBufferSize();
}

SequenceNumber32
RecordTcpSocket::GetNextTxOctet() const
{
    if (m_state < ESTABLISHED)
    { // the SYN takes a sequence number, which the buffer learns of when it is acknowledged
        return m_tcb->m_nextTxSequence + SequenceNumber32(1) + m_txBuffer->Size();
    }
    return m_txBuffer->TailSequence();
}

SequenceNumber32
RecordTcpSocket::GetNextRxOctet() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    return rx->NextRxSequence() - rx->Available() - (rx->Finished() ? 1 : 0);
}

bool
RecordTcpSocket::HasPeerClosed() const
{
    return m_tcb->m_rxBuffer->Finished();
}

bool
RecordTcpSocket::HoldsReceivedData() const
{
    return m_tcb->m_rxBuffer->Size() > 0;
}

bool
RecordTcpSocket::HasUnread() const
{
    // a user that does not see segments yet wants those in order only, which it negotiates by
    const auto& rx = m_tcb->m_rxBuffer;
    return rx->Available() > 0 || ((!GetUser() || m_filter.IsSeen()) && rx->Size() > 0);
}

void
RecordTcpSocket::NotifyEmss(uint32_t emss)
{
    if (User* user = GetUser())
    {
        user->EmssChanged(emss);
    }
}

// ---- hardware below TCP -------------------------------------------------------------------------

void
RecordTcpSocket::EnterTable(bool listening)
{
    Rfc9293TcpSocket::EnterTable(listening);
    m_sink = dynamic_cast<RecordSegmentSink*>(GetConnection());
}

RecordSegmentSink*
RecordTcpSocket::GetSegmentSink() const
{
    return m_sink;
}

RecordOffload*
RecordTcpSocket::GetOffload() const
{
    return dynamic_cast<RecordOffload*>(GetConnection());
}

uint32_t
RecordTcpSocket::GetRecordPart(SequenceNumber32 seq) const
{
    return m_segmenter.GetRecordPart(GetOffset(seq));
}

uint32_t
RecordTcpSocket::GetInlineOctets(SequenceNumber32 seq, uint32_t size) const
{
    if (!m_sources)
    {
        return 0;
    }
    const uint64_t offset = GetOffset(seq); // what is sent again is read from host memory
    return m_sources->CountInline(std::max(offset, m_segmenter.GetSent()), offset + size);
}

void
RecordTcpSocket::ForEachSource(SequenceNumber32 seq,
                               uint32_t size,
                               const TcpConnection::SourceFunction& visit) const
{
    if (!m_sources)
    {
        visit(0, 0, size);
        return;
    }
    const uint64_t offset = GetOffset(seq);
    m_sources->ForEachRun(offset, offset + size, visit);
}

void
RecordTcpSocket::SetSource(uint32_t size, uint32_t head, const RecordSource& source)
{
    if (!m_sources)
    {
        m_sources = std::make_unique<RecordSources>();
    }
    m_sources->DropUpTo(GetAcknowledged());
    const uint64_t end = GetTail();
    const uint64_t begin = end - size;
    if (source.inlined)
    {
        m_sources->Append({begin, end, 0, 0, true});
    }
    else if (source.placements)
    {
        uint64_t next = begin + head;
        for (const auto& piece : *source.placements)
        {
            m_sources->Append({next, next + piece.octets, piece.region, piece.address, false});
            next += piece.octets;
        }
    }
}

// ---- what is sent -------------------------------------------------------------------------------

void
RecordTcpSocket::SetAlignment(bool alignment)
{
    m_segmenter.SetAlignment(alignment);
}

bool
RecordTcpSocket::GetAlignment() const
{
    return m_segmenter.GetAlignment();
}

void
RecordTcpSocket::SetPacking(bool packing)
{
    m_segmenter.SetPacking(packing);
}

bool
RecordTcpSocket::GetPacking() const
{
    return m_segmenter.GetPacking();
}

uint64_t
RecordTcpSocket::GetTail() const
{
    return m_segmenter.GetTail() - m_begun;
}

uint64_t
RecordTcpSocket::GetOffset(SequenceNumber32 seq) const
{
    return GetTail() - m_txBuffer->SizeFromSequence(seq);
}

uint64_t
RecordTcpSocket::GetAcknowledged() const
{
    return GetTail() - m_txBuffer->Size();
}

uint32_t
RecordTcpSocket::UpdateSegmentSize(uint32_t emss)
{
    return m_segmenter.SetEmss(emss, m_fragmentOnShrink && m_txBuffer->Size() > 0);
}

uint32_t
RecordTcpSocket::GetFirstSegment() const
{
    return m_segmenter.GetFullSize(GetAcknowledged());
}

void
RecordTcpSocket::BeginRecord(uint32_t size)
{
    NS_ABORT_MSG_IF(m_begun > 0, "RecordTcpSocket::BeginRecord: a record is under way");
    m_segmenter.Append(size);
    m_begun = size;
}

int
RecordTcpSocket::Send(Ptr<Packet> p, uint32_t flags)
{
    const uint32_t before = m_txBuffer->Size();
    const int result = Rfc9293TcpSocket::Send(p, flags);
    const uint32_t size = m_txBuffer->Size() - before;
    if (size == 0)
    {
        return result;
    }
    if (m_begun > 0)
    {
        NS_ABORT_MSG_IF(size > m_begun, "RecordTcpSocket::Send: more than BeginRecord() has said");
        m_begun -= size;
        m_segmenter.DropUpTo(GetAcknowledged());
        return result;
    }
    m_segmenter.Append(size);
    if (GetAlignment() && size > m_emss && size <= m_path.GetAllowedProbe())
    { // that is the probe: the next records are as before
        m_path.PlaceProbe(m_txBuffer->TailSequence() - size, size);
        NotifyEmss(m_emss);
    }
    m_segmenter.DropUpTo(GetAcknowledged());
    return result;
}

void
RecordTcpSocket::SendPending(bool overridden)
{
    if (m_segmenter.KeepsWhole() && m_txBuffer->Size() > 0 &&
        m_segmenter.EndKeepingWhole(GetAcknowledged()))
    {
        m_tcb->m_segmentSize = m_emss;
        m_txBuffer->SetSegmentSize(m_emss);
    }
    Rfc9293TcpSocket::SendPending(overridden);
}

void
RecordTcpSocket::PlaceProbe(SequenceNumber32 next, uint32_t unsent)
{
    if (!GetAlignment())
    {
        Rfc9293TcpSocket::PlaceProbe(next, unsent);
    }
}

TcpSegmentChoice
RecordTcpSocket::ChooseSegment(SequenceNumber32 next, const TcpSendAllowance& allowance)
{
    return m_segmenter.Choose(GetOffset(next), allowance);
}

bool
RecordTcpSocket::IsFragmentable(uint32_t size) const
{
    return m_fragmentOnShrink && size > m_emss; // records kept whole beyond the EMSS
}

uint32_t
RecordTcpSocket::Retransmit(SequenceNumber32 seq, uint32_t size, bool withAck)
{
    NS_LOG_FUNCTION(this << seq << size << withAck);
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    if (m_resendWhole && GetAlignment() && seq == m_highRxAckMark && seq > head)
    { // from the start of the segment, as PassAck() has kept it
        seq -= m_segmenter.GetPartBefore(GetOffset(seq));
    }
    uint32_t fit = m_segmenter.Fit(GetOffset(seq), size);
    if (fit == 0 && !m_segmenter.IsSent(GetOffset(seq)) && UnAckDataCount() > 0)
    { // It found nothing lost, and no room for new data either: then the first segment, as when
        // there is no room at all
        seq = head;
        fit = m_segmenter.GetFullSize(GetOffset(seq));
    }
    return SendSegment(seq, fit > 0 ? fit : size,
                       withAck); // it relies on a segment being sent
}

uint32_t
RecordTcpSocket::SendSegment(SequenceNumber32 seq, uint32_t size, bool withAck)
{
    const uint64_t offset = GetOffset(seq);
    size = Rfc9293TcpSocket::SendSegment(seq, size, withAck);
    TraceRetiredWindow();
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
RecordTcpSocket::TraceSegment(SequenceNumber32 seq, uint64_t offset, uint32_t size, bool again)
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
RecordTcpSocket::PassAck(const Ptr<Packet>& packet, const TcpHeader& header)
{
    const SequenceNumber32 ack = header.GetAckNumber();
    const bool keeps = m_resendWhole && m_sackEnabled && GetAlignment() &&
                       ack > m_txBuffer->HeadSequence() && ack <= m_tcb->m_highTxMark;
    const uint32_t part = keeps ? m_segmenter.GetPartBefore(GetOffset(ack)) : 0;
    if (part == 0)
    {
        Rfc9293TcpSocket::PassAck(packet, header);
        return;
    }
    // A part of a segment counts as acknowledged only with the rest of it: TcpTxBuffer forgets what
    // is acknowledged. Without SACK such ACKs would look like duplicates.
    TcpHeader whole = header;
    whole.SetAckNumber(ack - part);
    Rfc9293TcpSocket::PassAck(packet, whole);
}

void
RecordTcpSocket::ProbeWindow(Time waited)
{
    const SequenceNumber32 next = m_tcb->m_nextTxSequence;
    if (m_txBuffer->SizeFromSequence(next) > 0 &&
        !m_segmenter.IsRecordBoundary(GetOffset(next) + 1))
    {
        m_recordCut(next, 1, CutReason::PROBE);
    }
    Rfc9293TcpSocket::ProbeWindow(waited);
    TraceRetiredWindow();
}

void
RecordTcpSocket::SendEmptyPacket(uint8_t flags)
{
    Ptr<RecordTcpSocket> self(this); // as in TcpConnectionSocket
    Rfc9293TcpSocket::SendEmptyPacket(flags);
    TraceRetiredWindow();
}

// ---- what is received ---------------------------------------------------------------------------

bool
RecordTcpSocket::StoreData(Ptr<Packet>& p, const TcpHeader& header)
{
    const auto& rx = m_tcb->m_rxBuffer;
    RecordSegmentFilter::Outcome outcome;
    if (m_filter.IsSeen() && p->GetSize() > 0)
    {
        const uint32_t size = p->GetSize();
        outcome = m_filter.Show(p, header, *rx, m_segmentDropped);
        if (outcome.lost)
        {
            m_segmentDropped(header.GetSequenceNumber(), size);
            return false;
        }
    }
    if (outcome.ackAtOnce)
    {
        AckAtOnce();
    }
    if (outcome.taken)
    {
        AcknowledgeSegment(p->GetSize());
    }
    else
    {
        Rfc9293TcpSocket::StoreData(p, header);
    }
    m_filter.DropUpTo(rx->NextRxSequence());
    return true;
}

void
RecordTcpSocket::AcknowledgeSegment(uint32_t size)
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
        Simulator::Remove(m_delAckEvent); // a cancelled event would stay until its time
        m_delAckCount = 0;
        m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_NON_DELAYED_ACK);
        SendAck();
        return;
    }
    m_congestionControl->CwndEvent(m_tcb, TcpSocketState::CA_EVENT_DELAYED_ACK);
    if (m_delAckEvent.IsExpired())
    {
        m_delAckEvent = Simulator::Schedule(m_delAckTimeout, &RecordTcpSocket::DelAckTimeout, this);
    }
}

// ---- the receive window that counts what hardware has not retired -------------------------------

uint32_t
RecordTcpSocket::GetRetiredWindow() const
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
RecordTcpSocket::AdvertisedWindowSize(bool scale) const
{
    if (m_windowMode != WindowMode::RETIRED || !scale || m_tcb->m_rxBuffer->GotFin())
    {
        const uint16_t window = Rfc9293TcpSocket::AdvertisedWindowSize(scale);
        m_retiredWindow = m_advWnd;
        return window;
    }
    m_retiredWindow = GetRetiredWindow();
    const auto window =
        static_cast<uint16_t>(std::min<uint32_t>(m_retiredWindow >> m_rcvWindShift, m_maxWinSize));
    NotifyAdvertised(window, scale);
    return window;
}

void
RecordTcpSocket::TraceRetiredWindow()
{
    // TcpSocketBase changes it in AdvertisedWindowSize(), which is const
    if (m_windowMode == WindowMode::RETIRED)
    {
        m_advWnd = m_retiredWindow;
    }
}

uint32_t
RecordTcpSocket::GetUpdatedWindow() const
{
    return m_windowMode == WindowMode::RETIRED ? GetRetiredWindow()
                                               : Rfc9293TcpSocket::GetUpdatedWindow();
}

void
RecordTcpSocket::WaitForWindow(const TcpWindowUpdate& update)
{
    if (m_windowMode != WindowMode::RETIRED || !m_sink || !m_windowEvent.IsExpired())
    {
        return;
    }
    const uint64_t most = update.GetUnretired(GetRoom(), m_rcvWindShift);
    if (m_sink->GetUnretired() > most)
    {
        m_windowEvent = Simulator::Schedule(m_sink->GetTimeToRetire(most),
                                            &RecordTcpSocket::SendWindowUpdate,
                                            this);
    }
}

} // namespace ns3
