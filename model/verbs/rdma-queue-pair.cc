/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include "rdma-protection-domain.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

LogComponent& RdmaQueuePair::g_log = ns3::g_log;

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePair);

TypeId
RdmaQueuePair::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaQueuePair")
                            .SetParent<Object>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RdmaQueuePair>()
                            .AddTraceSource("State",
                                            "State of the queue pair (RdmaQpState).",
                                            MakeTraceSourceAccessor(&RdmaQueuePair::m_state),
                                            "ns3::RdmaQueuePair::StateTracedCallback");
    return tid;
}

RdmaQueuePair::RdmaQueuePair() = default;

RdmaQueuePair::~RdmaQueuePair() = default;

void
RdmaQueuePair::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_stream)
    {
        m_stream->Detach();
        m_stream->Dispose();
        m_stream = nullptr;
    }
    m_domain = nullptr;
    m_config = RdmaQueuePairConfig();
    m_connection = nullptr;
    Object::DoDispose();
}

void
RdmaQueuePair::Setup(Ptr<RdmaProtectionDomain> domain,
                     const RdmaQueuePairConfig& config,
                     uint32_t number)
{
    m_domain = domain;
    m_config = config;
    m_number = number;
    m_config.sendCq->Attach(number, this);
    m_config.receiveCq->Attach(number, this);
    if (m_config.srq)
    {
        m_config.srq->Attach();
    }
}

int
RdmaQueuePair::Modify(RdmaQpState state)
{
    NS_LOG_FUNCTION(this << static_cast<int>(state));
    if (!m_domain)
    {
        return EINVAL;
    }
    if (state == RdmaQpState::ERR)
    {
        Ptr<RdmaQueuePair> self(this);
        if (m_stream)
        {
            m_stream->Abort();
        }
        EnterError();
        return 0;
    }
    if (state == RdmaQpState::INIT && m_state.Get() == RdmaQpState::RESET)
    {
        m_state = state;
        return 0;
    }
    return m_domain->Fail(EINVAL);
}

int
RdmaQueuePair::Destroy()
{
    NS_LOG_FUNCTION(this);
    if (!m_domain)
    {
        return EINVAL;
    }
    if (m_stream)
    {
        m_stream->Detach();
        m_stream->Abort();
    }
    m_config.sendCq->Detach(m_number);
    m_config.receiveCq->Detach(m_number);
    if (m_config.srq)
    {
        m_config.srq->Detach();
    }
    m_state = RdmaQpState::RESET;
    m_domain->Release(RdmaResource::QUEUE_PAIR);
    m_domain = nullptr;
    m_config = RdmaQueuePairConfig();
    return 0;
}

// ---- the connection -----------------------------------------------------------------------------

int
RdmaQueuePair::Connect(Ptr<MpaStream> mpa, uint32_t ird, uint32_t ord, bool retry)
{
    NS_LOG_FUNCTION(this << mpa << ird << ord << retry);
    if (!m_domain || m_stream ||
        (m_state.Get() != RdmaQpState::RESET && m_state.Get() != RdmaQpState::INIT))
    {
        return EINVAL;
    }
    const Ptr<RdmaDevice> device = m_domain->GetDevice();
    if (ird > device->GetMaxReadAtomic() || ord > device->GetMaxReadAtomic())
    {
        return m_domain->Fail(EMFILE);
    }
    RdmapConfig config;
    config.pd = m_domain->GetNumber();
    config.stream = m_number;
    config.ird = ird;
    config.ord = ord;
    config.extensions = device->HasExtensions();
    config.terminateForm = device->GetTerminateForm();
    config.readRuns = device->GetMaxReadRuns();
    config.receives = m_config.srq ? this : nullptr;
    m_retry = retry;
    const auto stream = CreateObject<RdmapStream>();
    if (stream->Open(mpa, config, m_domain->GetTable(), this) != 0)
    {
        return EINVAL;
    }
    m_stream = stream;
    m_state = RdmaQpState::INIT;
    while (!m_early.empty())
    {
        m_stream->PostReceive(std::move(m_early.front()));
        m_early.pop_front();
    }
    m_early = boost::circular_buffer<DdpBuffer>(); // with its memory
    return 0;
}

void
RdmaQueuePair::Disconnect()
{
    NS_LOG_FUNCTION(this);
    if (m_stream && m_state.Get() != RdmaQpState::ERR)
    {
        Ptr<RdmaQueuePair> self(this);
        m_state = RdmaQpState::SQD;
        m_stream->Close();
    }
}

void
RdmaQueuePair::SetConnectionListener(ConnectionListener* listener)
{
    m_connection = listener;
}

void
RdmaQueuePair::Tell(const MpaConnectionEvent& event)
{
    if (m_connection != nullptr)
    {
        m_connection->HandleEvent(event);
    }
}

void
RdmaQueuePair::HandleEvent(const MpaConnectionEvent& event)
{
    using Kind = MpaConnectionEvent::Kind;
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind));
    Ptr<RdmaQueuePair> self(this);
    switch (event.kind)
    {
    case Kind::ESTABLISHED:
        if (m_state.Get() != RdmaQpState::INIT)
        {
            return; // Accepted() came first
        }
        m_state = RdmaQpState::RTS;
        break;
    case Kind::UNANSWERED:
        if (!LeaveStream())
        {
            return; // CONNECT_ERROR follows
        }
        break;
    case Kind::CONNECT_ERROR:
    case Kind::CLOSED:
        EnterError();
        break;
    default:
        break;
    }
    Tell(event);
}

void
RdmaQueuePair::Accepted()
{
    if (m_state.Get() == RdmaQpState::INIT)
    {
        m_state = RdmaQpState::RTS;
    }
}

// ---- completions --------------------------------------------------------------------------------

void
RdmaQueuePair::WorkCompleted(const RdmapWork& /* work */, RdmapStatus status, uint32_t octets)
{
    Posted& posted = m_posted.front();
    posted.octets += octets;
    if (posted.status == RdmapStatus::SUCCESS)
    {
        posted.status = status;
    }
    if (--posted.parts > 0)
    {
        return;
    }
    RdmaCompletion completion;
    completion.id = posted.id;
    completion.status = posted.status;
    completion.opcode = posted.opcode;
    completion.octets = posted.octets;
    completion.qpNumber = m_number;
    const bool invalidates = posted.invalidates && posted.status == RdmapStatus::SUCCESS;
    const bool report = posted.signaled || posted.status != RdmapStatus::SUCCESS;
    m_posted.pop_front();
    ++m_unreported;
    if (report)
    {
        Report(m_config.sendCq, completion, false, std::exchange(m_unreported, 0), invalidates);
    }
}

void
RdmaQueuePair::Report(Ptr<RdmaCompletionQueue> queue,
                      const RdmaCompletion& completion,
                      bool solicited,
                      uint32_t slots,
                      bool invalidates)
{
    const Ptr<MpaStream> mpa = m_stream ? m_stream->GetMpa() : nullptr;
    RdmaHardwareQueue* hardware = mpa ? RdmaHardwareQueue::Of(*mpa) : nullptr;
    const Time now = Simulator::Now();
    // in the order in which work was completed
    m_lastReport = std::max(m_lastReport, hardware ? now + hardware->Complete(invalidates) : now);
    if (m_reports == 0 && m_lastReport <= now)
    {
        queue->Push(completion, solicited, slots);
        return;
    }
    ++m_reports;
    Simulator::Schedule(m_lastReport - now,
                        &RdmaQueuePair::Push,
                        Ptr<RdmaQueuePair>(this),
                        queue,
                        completion,
                        solicited,
                        slots);
}

void
RdmaQueuePair::Push(Ptr<RdmaCompletionQueue> queue,
                    RdmaCompletion completion,
                    bool solicited,
                    uint32_t slots)
{
    --m_reports;
    queue->Push(completion, solicited, slots);
}

void
RdmaQueuePair::Received(const RdmapReceived& received)
{
    if (m_config.srq)
    {
        m_held--;
    }
    else
    {
        m_receives--;
    }
    RdmaCompletion completion;
    completion.id = received.buffer.context;
    completion.octets = received.length;
    completion.qpNumber = m_number;
    completion.opcode = RdmaCompletionOpcode::RECEIVE;
    if (received.hasImmediate)
    {
        completion.withImmediate = true;
        completion.immediate = received.immediate;
        completion.opcode = RdmaCompletionOpcode::RECEIVE_RDMA_WITH_IMM;
    }
    completion.withInvalidate = received.invalidated;
    completion.invalidatedKey = received.invalidatedStag;
    Report(m_config.receiveCq, completion, received.solicited, 0, received.invalidated);
}

void
RdmaQueuePair::ReportReceive(uint64_t id, RdmapStatus status)
{
    m_receives--;
    RdmaCompletion completion;
    completion.id = id;
    completion.status = status;
    completion.opcode = RdmaCompletionOpcode::RECEIVE;
    completion.qpNumber = m_number;
    Report(m_config.receiveCq, completion, false, 0, false);
}

void
RdmaQueuePair::Failed(const RdmapTerminate& terminate, bool byPeer)
{
    NS_LOG_INFO("queue pair " << m_number << ": " << terminate.Describe()
                              << (byPeer ? ", says the peer" : ""));
    const bool ddp = terminate.layer == static_cast<uint8_t>(RdmapLayer::DDP);
    if (!byPeer && ddp && terminate.type == 2 &&
        terminate.code == DdpErrorCode(DdpError::UNTAGGED_TOO_LONG) &&
        !m_stream->GetEndpoint()->ExpectsIndication()) // whose buffer is the connection's
    {
        m_receiveStatus = RdmapStatus::LOCAL_LENGTH;
    }
    EnterError();
    MpaConnectionEvent event{MpaConnectionEvent::Kind::FAILED};
    event.reason = terminate.Describe() + (byPeer ? ", says the peer" : "");
    const bool llp = terminate.layer == static_cast<uint8_t>(RdmapLayer::LLP);
    if (llp && terminate.type == 0)
    {
        event.error = static_cast<MpaError>(terminate.code);
    }
    Tell(event);
    if (!m_domain || (llp && !byPeer))
    {
        return; // the connection tells of its own end
    }
    const RdmaEvent raised = byPeer                ? RdmaEvent::QP_TERMINATED
                             : terminate.type == 0 ? RdmaEvent::QP_FATAL
                             : terminate.type == 1 ? RdmaEvent::QP_ACCESS_ERROR
                                                   : RdmaEvent::QP_REQUEST_ERROR;
    m_domain->GetDevice()->Raise(raised, m_number);
}

void
RdmaQueuePair::Terminated(const RdmapTerminate& terminate, bool byPeer)
{
    if (m_domain)
    {
        m_domain->GetDevice()->TraceTerminate(m_number, terminate, byPeer);
    }
}

void
RdmaQueuePair::EnterError()
{
    if (m_state.Get() == RdmaQpState::ERR || !m_domain)
    {
        return;
    }
    m_state = RdmaQpState::ERR;
    FlushReceives();
    if (m_config.srq)
    {
        m_domain->GetDevice()->Raise(RdmaEvent::LAST_WQE, m_number);
    }
}

void
RdmaQueuePair::FlushReceives()
{
    DdpBuffer buffer;
    while (m_stream && m_stream->GetEndpoint()->FlushReceive(buffer))
    {
        m_receives += m_config.srq ? 1 : 0; // ReportReceive() takes it off again
        ReportReceive(buffer.context, std::exchange(m_receiveStatus, RdmapStatus::FLUSHED));
    }
    while (!m_early.empty())
    {
        ReportReceive(m_early.front().context, RdmapStatus::FLUSHED);
        m_early.pop_front();
    }
}

void
RdmaQueuePair::HandleOverflow()
{
    if (m_domain && m_state.Get() != RdmaQpState::ERR)
    {
        Ptr<RdmaQueuePair> self(this);
        m_domain->GetDevice()->Raise(RdmaEvent::CQ_ERROR, m_number);
        Modify(RdmaQpState::ERR);
    }
}

void
RdmaQueuePair::HandlePolled(uint32_t slots)
{
    m_slots -= slots;
}

// ---- queries ------------------------------------------------------------------------------------

int
RdmaQueuePair::Query(RdmaQueuePairAttributes& attributes, RdmaQueuePairConfig& config) const
{
    if (!m_domain)
    {
        return EINVAL;
    }
    attributes = RdmaQueuePairAttributes();
    attributes.state = m_state.Get();
    attributes.draining = m_state.Get() == RdmaQpState::SQD;
    attributes.access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ;
    attributes.access |=
        m_domain->GetDevice()->HasExtensions() ? DDP_ACCESS_REMOTE_ATOMIC : DDP_ACCESS_NONE;
    if (m_stream)
    {
        attributes.initiatorDepth = m_stream->GetEndpoint()->GetRequester().GetOrd();
        attributes.responderResources = m_stream->GetEndpoint()->GetResponder().GetIrd();
    }
    attributes.maxSendWr = m_config.maxSendWr;
    attributes.maxReceiveWr = m_config.maxReceiveWr;
    attributes.maxSendSge = m_config.maxSendSge;
    attributes.maxReceiveSge = m_config.maxReceiveSge;
    attributes.maxInline = m_config.maxInline;
    config = m_config;
    return 0;
}

RdmaQpState
RdmaQueuePair::GetState() const
{
    return m_state.Get();
}

uint32_t
RdmaQueuePair::GetNumber() const
{
    return m_number;
}

Ptr<RdmapStream>
RdmaQueuePair::GetStream() const
{
    return m_stream;
}

Ptr<RdmaProtectionDomain>
RdmaQueuePair::GetPd() const
{
    return m_domain;
}

uint32_t
RdmaQueuePair::GetSendsPosted() const
{
    return m_posted.size();
}

uint32_t
RdmaQueuePair::GetSendSlots() const
{
    return m_slots;
}

uint32_t
RdmaQueuePair::GetReceivesPosted() const
{
    return m_receives;
}

} // namespace ns3
