/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-stream.h"

#include "rdma-hardware-queue.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmapStream");

NS_OBJECT_ENSURE_REGISTERED(RdmapStream);

namespace
{

/// @param sges of memory @param[out] placements receives them
void
AddPlacements(const DdpSgeList& sges, RecordPlacementList& placements)
{
    for (const auto& sge : sges)
    {
        placements.push_back({sge.length, 0, sge.stag, sge.to});
    }
}

} // namespace

TypeId
RdmapStream::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmapStream")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmapStream>()
            .AddTraceSource("MessageSent",
                            "The last segment of a message was given to MPA.",
                            MakeTraceSourceAccessor(&RdmapStream::m_sentTrace),
                            "ns3::RdmapStream::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "A message is complete, and so are all before it.",
                            MakeTraceSourceAccessor(&RdmapStream::m_deliveredTrace),
                            "ns3::RdmapStream::MessageTracedCallback")
            .AddTraceSource("MessageVisible",
                            "A program that looks at its memory sees a message that was delivered: "
                            "the RNIC, if there is one, has written it and all before it.",
                            MakeTraceSourceAccessor(&RdmapStream::m_visibleTrace),
                            "ns3::RdmapStream::MessageTracedCallback")
            .AddTraceSource("SegmentPlaced",
                            "A DDP Segment was placed.",
                            MakeTraceSourceAccessor(&RdmapStream::m_placedTrace),
                            "ns3::RdmapStream::SegmentPlacedTracedCallback")
            .AddTraceSource("Terminate",
                            "A Terminate was received, or an error found that has one sent.",
                            MakeTraceSourceAccessor(&RdmapStream::m_terminateTrace),
                            "ns3::RdmapStream::TerminateTracedCallback");
    return tid;
}

RdmapStream::RdmapStream()
{
    NS_LOG_FUNCTION(this);
    ObjectBirths::Made(*this);
}

RdmapStream::~RdmapStream()
{
    NS_LOG_FUNCTION(this);
    m_finish.Cancel();
    m_begin.Cancel();
    if (m_mpa)
    {
        m_mpa->ClearUser(this); // another may hold it
    }
}

void
RdmapStream::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_finish.Cancel();
    m_begin.Cancel();
    m_listener = nullptr;
    m_endpoint.reset();
    if (m_mpa)
    {
        m_mpa->ClearUser(this);
        m_mpa = nullptr;
    }
    Object::DoDispose();
}

int
RdmapStream::Open(Ptr<MpaStream> mpa,
                  const RdmapConfig& config,
                  DdpStagTable& table,
                  Listener* listener)
{
    NS_LOG_FUNCTION(this << mpa);
    if (m_endpoint || !mpa)
    {
        return EINVAL;
    }
    if (mpa->HasUser())
    {
        return EBUSY;
    }
    m_mpa = mpa;
    m_listener = listener;
    m_endpoint.reset(new RdmapEndpoint(config, table, *this)); // the base is private
    mpa->SetUser(this);
    return 0;
}

void
RdmapStream::Detach()
{
    NS_LOG_FUNCTION(this);
    m_listener = nullptr;
    m_finish.Cancel();
    m_begin.Cancel();
}

int
RdmapStream::PostSend(RdmapWork&& work)
{
    return m_endpoint ? m_endpoint->PostSend(std::move(work)) : ENOTCONN;
}

bool
RdmapStream::RingDoorbell(uint64_t payload, bool inlined)
{
    RdmaHardwareQueue* hardware = m_endpoint ? RdmaHardwareQueue::Of(*m_mpa) : nullptr;
    return hardware &&
           hardware->RingDoorbell(1, payload, inlined, m_endpoint->GetRequester().GetWaiting());
}

void
RdmapStream::HoldChain()
{
    m_chained = true;
    m_behind = m_endpoint->GetRequester().GetWaiting();
}

void
RdmapStream::ReleaseChain(uint32_t count, uint64_t inlined)
{
    m_chained = false;
    RdmaHardwareQueue* hardware = count > 0 ? RdmaHardwareQueue::Of(*m_mpa) : nullptr;
    if (hardware)
    {
        hardware->RingDoorbell(count, inlined, true, m_behind);
    }
    Pump();
}

bool
RdmapStream::MayBegin(RdmapEndpoint::Start start)
{
    using Start = RdmapEndpoint::Start;
    if (start == Start::NONE || std::exchange(m_ready, false))
    {
        return true;
    }
    if (!m_begin.IsExpired())
    {
        return false;
    }
    RdmaHardwareQueue* hardware = RdmaHardwareQueue::Of(*m_mpa);
    if (!hardware)
    {
        return true;
    }
    const RdmapRequester& requester = m_endpoint->GetRequester();
    const uint32_t waiting = start == Start::OTHER ? 0 : requester.GetWaiting();
    const Time wait = start == Start::LOCAL
                          ? hardware->BeginLocal(waiting, requester.GetNext()->local->GetPages())
                          : hardware->Begin(waiting);
    if (wait.IsStrictlyPositive())
    {
        m_begin = Simulator::Schedule(wait, &RdmapStream::Begin, this);
    }
    return !wait.IsStrictlyPositive();
}

void
RdmapStream::Begin()
{
    Ptr<RdmapStream> self(this);
    m_ready = true;
    Pump();
    Reconcile();
}

int
RdmapStream::PostReceive(DdpBuffer&& buffer)
{
    return m_endpoint ? m_endpoint->PostReceive(std::move(buffer)) : ENOTCONN;
}

bool
RdmapStream::IsEstablished() const
{
    return m_established;
}

bool
RdmapStream::IsClosed() const
{
    return m_closing.GetState() == RdmapClosing::State::CLOSED;
}

Ptr<MpaStream>
RdmapStream::GetMpa() const
{
    return m_mpa;
}

RdmapEndpoint*
RdmapStream::GetEndpoint() const
{
    return m_endpoint.get();
}

// ---- transfer -----------------------------------------------------------------------------------

void
RdmapStream::HandleUlpdu(MpaStream& /* mpa */,
                         const MpaUlpdu& ulpdu,
                         RecordPlacementList* placements)
{
    Ptr<RdmapStream> self(this);
    ApplyNegotiated();
    DdpSgeList sges;
    const DdpReceiver::Result result = m_endpoint->Segment(ulpdu.seq,
                                                           ulpdu.data,
                                                           ulpdu.length,
                                                           ulpdu.length,
                                                           ulpdu.inOrder,
                                                           placements ? &sges : nullptr);
    const DdpHeader& header = result.header;
    if (result.hasHeader && !header.tagged && header.qn == rdmap::QN_SEND && header.mo == 0)
    {
        if (RdmaHardwareQueue* hardware = RdmaHardwareQueue::Of(*m_mpa))
        {
            hardware->ConsumeReceive();
        }
    }
    if (result.taken == DdpReceiver::Taken::PLACED && !m_placedTrace.IsEmpty())
    {
        m_placedTrace(header, result.payload, ulpdu.inOrder);
    }
    if (placements)
    {
        AddPlacements(sges, *placements);
        if (sges.empty())
        {
            placements->push_back({}); // hardware keeps it to itself: a request, or what is dropped
        }
    }
}

void
RdmapStream::PlacedLate(const DdpHeader& header, uint32_t payload)
{
    if (!m_placedTrace.IsEmpty())
    {
        m_placedTrace(header, payload, true);
    }
}

void
RdmapStream::HandleDeliver(MpaStream& /* mpa */, uint32_t count)
{
    Ptr<RdmapStream> self(this);
    m_endpoint->Deliver(count);
    Reconcile();
}

void
RdmapStream::HandleRoom(MpaStream& /* mpa */, uint32_t /* room */)
{
    Pump();
    Reconcile();
}

void
RdmapStream::OutputReady()
{
    Pump();
}

int
RdmapStream::Send(const RdmapOutput& output)
{
    RecordSource source;
    source.inlined = output.withDoorbell;
    RecordPlacementList placements;
    if (m_mpa->WantsSources())
    {
        DdpSgeList sges;
        m_endpoint->LocateOutput(sges);
        AddPlacements(sges, placements);
        source.placements = &placements;
    }
    return m_mpa->Send(output.head.data(), output.headSize, output.tail, output.tailSize, source);
}

void
RdmapStream::Pump()
{
    if (m_pumping || m_chained || !m_closing.MaySend())
    {
        return;
    }
    if (!m_established)
    {
        Ptr<RdmapStream> self(this);
        m_endpoint->RunLocal();
        if (m_endpoint && !m_endpoint->HasFailed())
        {
            Reconcile();
        }
        return;
    }
    m_pumping = true;
    Ptr<RdmapStream> self(this);
    while (m_endpoint)
    {
        const RdmapEndpoint::Start start = m_endpoint->GetStart();
        if (!MayBegin(start))
        {
            break;
        }
        if (start == RdmapEndpoint::Start::LOCAL)
        {
            m_endpoint->RunLocal(1);
            continue;
        }
        const RdmapOutput* output = m_endpoint->GetOutput(m_mpa->GetMulpdu());
        if (output == nullptr)
        {
            break;
        }
        if (Send(*output) < 0)
        {
            if (m_mpa->GetErrno() == Socket::ERROR_MSGSIZE)
            {
                NS_LOG_WARN("TCP's send buffer does not hold one FPDU of "
                            << output->GetSize() << " octets: enlarge attribute SndBufSize");
                m_endpoint->LlpLost();
            }
            break;
        }
        const RdmapOpcode opcode = output->opcode;
        const bool last = output->last;
        const uint32_t octets = output->messageOctets;
        m_endpoint->OutputTaken();
        if (last)
        {
            m_sentTrace(opcode, octets);
        }
    }
    m_pumping = false;
    Reconcile();
}

void
RdmapStream::WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets)
{
    if (!work.internal && m_listener != nullptr)
    {
        m_listener->WorkCompleted(work, status, octets);
    }
}

void
RdmapStream::Received(const RdmapReceived& received)
{
    if (m_listener != nullptr)
    {
        m_listener->Received(received);
    }
}

void
RdmapStream::MessageDelivered(RdmapOpcode opcode, const DdpDelivery& delivery)
{
    const uint64_t octets = delivery.placed;
    m_deliveredTrace(opcode, octets);
    if (!m_visibleTrace.IsEmpty())
    {
        m_hostView.Notify(m_mpa->GetSegmentSink(), Ptr<RdmapStream>(this), [this, opcode, octets] {
            m_visibleTrace(opcode, octets);
        });
    }
}

// ---- the connection: startup, and the end -------------------------------------------------------

// ---- events -------------------------------------------------------------------------------------

void
RdmapStream::HandleEvent(MpaStream& mpa, const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    Ptr<RdmapStream> self(this);
    switch (event.kind)
    {
    case Kind::CONNECT_REQUEST:
    case Kind::CONNECT_RESPONSE:
        if (m_endpoint->HasFailed())
        {
            mpa.FailStartup("work posted before the connection was there has failed");
        }
        else
        {
            mpa.Accept();
            Accepted();
        }
        break;
    case Kind::ESTABLISHED:
        Establish(event);
        break;
    case Kind::CONNECT_ERROR:
        FailStartup(event);
        break;
    case Kind::DISCONNECTED:
        m_closing.PeerClosed();
        m_endpoint->LlpClosed();
        Notify(event);
        Reconcile();
        break;
    case Kind::FAILED:
        if (event.error == MpaError::CONNECTION_LOST)
        {
            Perform(m_closing.Lost());
        }
        else if (event.error != MpaError::NONE)
        {
            m_endpoint->LlpFailed(static_cast<uint8_t>(event.error));
            Reconcile();
        }
        break;
    default:
        Notify(event);
        break;
    }
}

void
RdmapStream::Notify(const MpaConnectionEvent& event)
{
    if (m_listener != nullptr)
    {
        m_listener->HandleEvent(event);
    }
}

// ---- startup ------------------------------------------------------------------------------------

void
RdmapStream::ApplyNegotiated()
{
    if (m_negotiated)
    {
        return;
    }
    m_negotiated = true;
    m_endpoint->SetVersion(m_mpa->GetResult().version);
    const MpaEnhancedResult& result = m_mpa->GetResult().enhanced;
    if (!result.used)
    {
        return;
    }
    if (result.rtr == MpaRtr::NONE && result.rtrKinds.send)
    { // a Responder lists Send alone
        m_endpoint->ExpectIndication();
    }
    if (result.ird != MpaEnhancedWord::UNSPECIFIED)
    {
        m_endpoint->GetResponder().SetIrd(result.ird);
    }
    if (result.ord != MpaEnhancedWord::UNSPECIFIED)
    {
        // an ORD that was left to the ULP is what the layer above wants, even if the peer names an
        // IRD above it
        const uint32_t ord = std::min<uint32_t>(result.ord, m_endpoint->GetConfig().ord);
        m_endpoint->GetRequester().SetOrd(ord);
    }
}

void
RdmapStream::Accepted()
{
    if (m_mpa && m_mpa->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        ApplyNegotiated();
    }
}

void
RdmapStream::Establish(const MpaConnectionEvent& event)
{
    ApplyNegotiated();
    m_established = true;
    SendIndication();
    // who follows the stream from ESTABLISHED on is to see its first FPDU
    Notify(event);
    if (m_endpoint)
    {
        Pump();
    }
}

void
RdmapStream::SendIndication()
{
    RdmapWork work;
    work.internal = true;
    switch (m_mpa->GetResult().enhanced.rtr)
    {
    case MpaRtr::NONE:
        return;
    case MpaRtr::SEND:
        work.kind = RdmapWorkKind::SEND;
        break;
    case MpaRtr::WRITE:
        work.kind = RdmapWorkKind::WRITE;
        break;
    case MpaRtr::READ:
        work.kind = RdmapWorkKind::READ;
        break;
    }
    m_endpoint->PostFirst(std::move(work));
}

void
RdmapStream::FailStartup(const MpaConnectionEvent& event)
{
    const RdmapClosing::Actions actions = m_closing.StartupFailed();
    if (actions.empty())
    {
        return; // it is over already
    }
    if (m_mpa->MayRetryUnenhanced())
    {
        MpaConnectionEvent unanswered = event;
        unanswered.kind = MpaConnectionEvent::Kind::UNANSWERED;
        Notify(unanswered);
        if (m_listener == nullptr)
        {
            return; // the layer above goes on with another stream
        }
    }
    Perform(actions);
    Notify(event);
}

void
RdmapStream::HandleTerminate(MpaStream& /* mpa */, MpaError error)
{
    NS_LOG_FUNCTION(this << static_cast<int>(error));
    Ptr<RdmapStream> self(this);
    // the layer above learns of it by CONNECT_ERROR
    const RdmapTerminate terminate = RdmapTerminate::ForLlp(static_cast<uint8_t>(error));
    std::array<uint8_t, RdmapOutput::MAX_HEAD> ulpdu;
    const uint32_t size = m_endpoint->WriteTerminate(terminate, ulpdu.data());
    TraceTerminate(terminate, false);
    m_mpa->Send(ulpdu.data(), size, nullptr, 0);
}

// ---- the end ------------------------------------------------------------------------------------

void
RdmapStream::Failed(const RdmapTerminate& terminate, bool byPeer)
{
    NS_LOG_LOGIC(this << " " << terminate.Describe() << (byPeer ? " (peer)" : ""));
    TraceTerminate(terminate, byPeer);
    if (m_listener != nullptr)
    {
        m_listener->Failed(terminate, byPeer);
    }
    if (byPeer)
    {
        Reconcile();
    }
}

void
RdmapStream::TraceTerminate(const RdmapTerminate& terminate, bool byPeer)
{
    m_terminateTrace(terminate, byPeer);
    if (m_listener != nullptr)
    {
        m_listener->Terminated(terminate, byPeer);
    }
}

void
RdmapStream::Close()
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmapStream> self(this);
    m_closing.Close();
    if (m_endpoint)
    {
        m_endpoint->Close();
        Reconcile();
    }
}

void
RdmapStream::Abort()
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmapStream> self(this);
    if (m_endpoint)
    {
        Perform(m_closing.Abort());
    }
}

void
RdmapStream::Reconcile()
{
    if (!m_endpoint || m_pumping || (m_closing.IsIdle() && !m_endpoint->HasFailed()))
    {
        return;
    }
    const Ptr<MpaTcpSocket> socket = m_mpa->GetSocket();
    RdmapClosing::Conditions now;
    // a Responder that waits for the first FPDU takes what comes all the same
    now.receives = m_established || m_mpa->GetState() == MpaStartup::State::FULL_RX_ONLY;
    now.sends = m_established;
    now.failed = m_endpoint->HasFailed();
    now.terminatePending = m_endpoint->IsTerminatePending();
    now.drained = m_endpoint->IsDrained();
    now.acknowledged = socket->GetTxAvailable() == socket->GetTxCapacity();
    now.held = !m_established && m_endpoint->GetRequester().GetQueued() > 0;
    now.owes = m_endpoint->GetResponder().GetPending() > 0;
    Perform(m_closing.Update(now));
}

void
RdmapStream::Perform(const RdmapClosing::Actions& actions)
{
    for (const auto action : actions)
    {
        if (!m_endpoint)
        {
            return; // the layer above has disposed of the stream
        }
        switch (action)
        {
        case RdmapClosing::Action::SHUTDOWN_SEND:
            m_mpa->ShutdownSend();
            break;
        case RdmapClosing::Action::CLOSE_TCP:
            if (m_endpoint->HasFailed())
            { // behind an error nothing of the peer is looked at: it is no reason for a reset
                const Ptr<MpaTcpSocket> socket = m_mpa->GetSocket();
                socket->SetUser(socket->GetUser(), false);
            }
            m_mpa->Close();
            break;
        case RdmapClosing::Action::LIMIT_END:
            m_mpa->LimitEnd();
            break;
        case RdmapClosing::Action::LOSE_LLP:
            m_endpoint->LlpLost();
            break;
        case RdmapClosing::Action::FINISH:
            Finish();
            break;
        }
    }
}

void
RdmapStream::Finish()
{
    // not from within a call of the layer above, nor before it sees what came last
    const RecordSegmentSink* sink = m_mpa->GetSegmentSink();
    const Time wait = sink ? sink->GetTimeToHost() : Time(0);
    // does not hold the stream, which holds it: neither would ever be freed
    m_finish = Simulator::Schedule(wait, [this] {
        Ptr<RdmapStream> self(this);
        Notify(MpaConnectionEvent{MpaConnectionEvent::Kind::CLOSED});
    });
}

} // namespace ns3
