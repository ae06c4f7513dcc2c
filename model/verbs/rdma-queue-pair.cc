/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include "rdma-protection-domain.h"

#include "ns3/log.h"
#include "ns3/rdma-hardware-queue.h"
#include "ns3/simulator.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePair");

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

RdmaQueuePair::RdmaQueuePair()
{
    ObjectBirths::Made(*this);
}

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
    Leave();
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
    m_state = RdmaQpState::RESET;
    Leave();
    return 0;
}

void
RdmaQueuePair::Leave()
{
    if (!m_domain)
    {
        return;
    }
    m_config.sendCq->Detach(m_number);
    m_config.receiveCq->Detach(m_number);
    if (m_config.srq)
    {
        m_config.srq->Detach();
    }
    m_domain->Release(RdmaResource::QUEUE_PAIR);
    m_domain = nullptr;
    m_config = RdmaQueuePairConfig();
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
    ObjectBirths::Opened(*this, PeekPointer(mpa));
    ObjectBirths::Opened(*stream, PeekPointer(mpa));
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
    m_early.clear();
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
RdmaQueuePair::Notify(const MpaConnectionEvent& event)
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
    Notify(event);
}

void
RdmaQueuePair::Accepted()
{
    if (m_state.Get() == RdmaQpState::INIT)
    {
        m_stream->Accepted();
        m_state = RdmaQpState::RTS;
    }
}

// ---- completions --------------------------------------------------------------------------------

void
RdmaQueuePair::WorkCompleted(const RdmapWork& /* work */, RdmapStatus status, uint32_t octets)
{
    if (m_posted.empty())
    { // the completion queue has overflowed while the stream flushed, which completed all of them
        return;
    }
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
    if (m_domain)
    {
        queue->Push(completion, solicited, slots);
    }
}

void
RdmaQueuePair::Received(const RdmapReceived& received)
{
    if (m_config.srq)
    {
        m_sharedInUse--;
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
    Notify(event);
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
    while (!m_posted.empty())
    { // posted while the stream flushed those before them
        WorkCompleted({}, RdmapStatus::FLUSHED, 0);
    }
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

// ---- posting ------------------------------------------------------------------------------------

namespace
{

/// Invalidates an STag of this side in the turn of a work request.
class LocalInvalidate : public RdmapLocalWork
{
  public:
    /// @param domain protection domain @param stream queue pair @param stag STag
    LocalInvalidate(Ptr<RdmaProtectionDomain> domain, uint32_t stream, uint32_t stag)
        : m_domain(domain),
          m_stream(stream),
          m_stag(stag)
    {
    }

    RdmapStatus Perform() override
    {
        DdpStagTable& table = m_domain->GetTable();
        const DdpStagEntry* entry = table.Find(m_stag);
        const bool may = entry != nullptr && entry->pd == m_domain->GetNumber() &&
                         (entry->stream == 0 || entry->stream == m_stream) && entry->windows == 0;
        if (may)
        {
            // one that the peer has invalidated already may be, as the verbs specification has it
            table.Invalidate(m_stag);
        }
        return may ? RdmapStatus::SUCCESS : RdmapStatus::LOCAL_OPERATION;
    }

  private:
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain
    uint32_t m_stream;                  //!< queue pair
    uint32_t m_stag;                    //!< STag
};

/// Registers memory in the turn of a work request.
class FastRegistration : public RdmapLocalWork
{
  public:
    /// @param region region to open @param domain protection domain @param entry what it opens
    FastRegistration(Ptr<RdmaMemoryRegion> region,
                     Ptr<RdmaProtectionDomain> domain,
                     const DdpStagEntry& entry)
        : m_region(region),
          m_domain(domain),
          m_stag(region->GetRkey()),
          m_pages(region->GetPages()),
          m_entry(entry)
    {
    }

    RdmapStatus Perform() override
    {
        return m_region->Open(PeekPointer(m_domain), m_stag, m_entry)
                   ? RdmapStatus::SUCCESS
                   : RdmapStatus::LOCAL_OPERATION;
    }

    uint32_t GetPages() const override
    {
        return m_pages;
    }

  private:
    Ptr<RdmaMemoryRegion> m_region;     //!< region to open
    Ptr<RdmaProtectionDomain> m_domain; //!< protection domain of the queue pair
    uint32_t m_stag;                    //!< its STag, when it was posted
    uint32_t m_pages;                   //!< pages, likewise
    DdpStagEntry m_entry;               //!< what it opens, likewise
};

/// Binds a memory window in the turn of a work request.
class BindWindow : public RdmapLocalWork
{
  public:
    /// @param request work request @param stream queue pair
    BindWindow(const RdmaSendRequest& request, uint32_t stream)
        : m_request(request),
          m_stream(stream)
    {
    }

    RdmapStatus Perform() override
    {
        const int error = m_request.window->Bind(m_request.region,
                                                 m_request.bindAddress,
                                                 m_request.bindLength,
                                                 m_request.bindAccess,
                                                 m_stream);
        return error == 0 ? RdmapStatus::SUCCESS : RdmapStatus::BIND;
    }

  private:
    RdmaSendRequest m_request; //!< work request
    uint32_t m_stream;         //!< queue pair
};

RdmaCompletionOpcode
CompletionOf(RdmaOpcode opcode)
{
    switch (opcode)
    {
    case RdmaOpcode::SEND:
    case RdmaOpcode::SEND_WITH_INVALIDATE:
        break;
    case RdmaOpcode::RDMA_WRITE:
    case RdmaOpcode::RDMA_WRITE_WITH_IMM:
        return RdmaCompletionOpcode::RDMA_WRITE;
    case RdmaOpcode::RDMA_READ:
    case RdmaOpcode::RDMA_READ_WITH_INVALIDATE:
        return RdmaCompletionOpcode::RDMA_READ;
    case RdmaOpcode::ATOMIC_COMPARE_SWAP:
        return RdmaCompletionOpcode::COMPARE_SWAP;
    case RdmaOpcode::ATOMIC_FETCH_ADD:
        return RdmaCompletionOpcode::FETCH_ADD;
    case RdmaOpcode::LOCAL_INVALIDATE:
        return RdmaCompletionOpcode::LOCAL_INVALIDATE;
    case RdmaOpcode::BIND_WINDOW:
        return RdmaCompletionOpcode::BIND_WINDOW;
    case RdmaOpcode::REG_MR:
        return RdmaCompletionOpcode::REG_MR;
    }
    return RdmaCompletionOpcode::SEND;
}

constexpr uint64_t PAGE_ENTRY = 8; // octets of a page's address in a work queue element

/// @param work a work request @return octets in its element besides what each has
uint64_t
InlinedOf(const RdmapWork& work)
{
    const bool local = work.kind == RdmapWorkKind::LOCAL;
    return local ? PAGE_ENTRY * work.local->GetPages() : work.inlineOctets.size();
}

/// @param work a work request @return octets that it sends from host memory
uint64_t
PayloadOf(const RdmapWork& work)
{
    const bool sends = work.kind == RdmapWorkKind::SEND || work.kind == RdmapWorkKind::WRITE;
    return sends ? DdpLengthOf(work.sges) : 0;
}

/// @param request what sends nothing @param domain protection domain @param stream queue pair
/// @return what is to be done; nullptr if the request is not sound
std::shared_ptr<RdmapLocalWork>
MakeLocal(const RdmaSendRequest& request, Ptr<RdmaProtectionDomain> domain, uint32_t stream)
{
    DdpStagEntry entry;
    switch (request.opcode)
    {
    case RdmaOpcode::LOCAL_INVALIDATE:
        return std::make_shared<LocalInvalidate>(domain, stream, request.rkey);
    case RdmaOpcode::BIND_WINDOW:
        return request.window ? std::make_shared<BindWindow>(request, stream) : nullptr;
    default:
        return request.region && request.region->Prepare(request.registerAccess, entry)
                   ? std::make_shared<FastRegistration>(request.region, domain, entry)
                   : nullptr;
    }
}

} // namespace

int
RdmaQueuePair::Translate(const RdmaSendRequest& request, RdmapWork& work)
{
    work.id = request.id;
    work.fence = (request.flags & RDMA_SEND_FENCE) != 0;
    work.inlined = (request.flags & RDMA_SEND_INLINE) != 0;
    work.remoteStag = request.rkey;
    work.remoteTo = request.remoteAddress;
    work.sges = RdmaMakeSges(request.sges);
    switch (request.opcode)
    {
    case RdmaOpcode::SEND_WITH_INVALIDATE:
        work.invalidate = true;
        work.invalidateStag = request.rkey;
        work.solicited = (request.flags & RDMA_SEND_SOLICITED) != 0;
        break;
    case RdmaOpcode::SEND:
        work.solicited = (request.flags & RDMA_SEND_SOLICITED) != 0;
        break;
    case RdmaOpcode::RDMA_WRITE:
    case RdmaOpcode::RDMA_WRITE_WITH_IMM:
        work.kind = RdmapWorkKind::WRITE;
        break;
    case RdmaOpcode::RDMA_READ:
        work.kind = RdmapWorkKind::READ;
        break;
    case RdmaOpcode::RDMA_READ_WITH_INVALIDATE:
        if (request.sges.empty())
        {
            return EINVAL;
        }
        work.kind = RdmapWorkKind::READ;
        work.local =
            std::make_shared<LocalInvalidate>(m_domain, m_number, request.sges.front().lkey);
        break;
    case RdmaOpcode::ATOMIC_COMPARE_SWAP:
        work.kind = RdmapWorkKind::ATOMIC;
        work.atomic.opcode = static_cast<uint8_t>(RdmapAtomicOpcode::COMPARE_SWAP);
        work.atomic.compare = request.compareAdd;
        work.atomic.data = request.swap;
        work.atomic.dataMask = ~uint64_t(0);
        break;
    case RdmaOpcode::ATOMIC_FETCH_ADD:
        work.kind = RdmapWorkKind::ATOMIC;
        work.atomic.data = request.compareAdd;
        break;
    case RdmaOpcode::LOCAL_INVALIDATE:
    case RdmaOpcode::BIND_WINDOW:
    case RdmaOpcode::REG_MR:
        work.kind = RdmapWorkKind::LOCAL;
        work.local = MakeLocal(request, m_domain, m_number);
        if (!work.local)
        {
            return EINVAL;
        }
        break;
    }
    return work.inlined ? CopyInline(work) : 0;
}

int
RdmaQueuePair::CopyInline(RdmapWork& work)
{
    const uint64_t length = DdpLengthOf(work.sges);
    if (length > m_config.maxInline)
    {
        return EINVAL;
    }
    work.inlineOctets.resize(length);
    if (length > 0)
    {
        const uint8_t* octets = nullptr;
        std::vector<uint8_t> scratch;
        switch (DdpReadSges(work.sges,
                            m_domain->GetTable(),
                            m_domain->GetNumber(),
                            m_number,
                            0,
                            length,
                            scratch,
                            &octets))
        {
        case DdpGather::OCTETS:
            std::copy_n(octets, length, work.inlineOctets.begin());
            break;
        case DdpGather::ZEROS:
            break;
        case DdpGather::INVALID:
            return EINVAL;
        }
    }
    work.sges.clear();
    return 0;
}

int
RdmaQueuePair::CheckSend(const RdmaSendRequest& request) const
{
    const RdmaQpState state = m_state.Get();
    if ((state != RdmaQpState::RTS && state != RdmaQpState::ERR) ||
        request.sges.size() > m_config.maxSendSge)
    {
        return EINVAL;
    }
    if (m_slots >= m_config.maxSendWr)
    {
        return ENOMEM;
    }
    if (request.opcode != RdmaOpcode::RDMA_WRITE_WITH_IMM)
    {
        return 0;
    }
    const bool known = m_stream ? m_stream->GetEndpoint()->HasExtensions()
                                : m_domain->GetDevice()->HasExtensions();
    return known ? 0 : EOPNOTSUPP;
}

int
RdmaQueuePair::PostSend(const RdmaSendRequest& request)
{
    NS_LOG_FUNCTION(this << request.id);
    Ptr<RdmaQueuePair> self(this);
    uint64_t inlined = 0;
    return m_domain ? PostOne(request, true, inlined) : EINVAL;
}

int
RdmaQueuePair::PostSend(const std::vector<RdmaSendRequest>& requests, std::size_t& bad)
{
    NS_LOG_FUNCTION(this << requests.size());
    bad = 0;
    if (!m_domain)
    {
        return EINVAL;
    }
    Ptr<RdmaQueuePair> self(this);
    // before it is connected, and behind its end, nothing goes out
    const bool chain = requests.size() > 1 && m_state.Get() == RdmaQpState::RTS;
    const Ptr<RdmapStream> stream = m_stream;
    if (chain)
    {
        stream->HoldChain();
    }
    uint64_t inlined = 0;
    int error = 0;
    while (bad < requests.size() && error == 0)
    {
        error = PostOne(requests[bad], !chain, inlined);
        bad += error == 0 ? 1 : 0;
    }
    if (chain)
    {
        stream->ReleaseChain(static_cast<uint32_t>(bad), inlined);
    }
    return error;
}

int
RdmaQueuePair::PostOne(const RdmaSendRequest& request, bool alone, uint64_t& inlined)
{
    RdmapWork work;
    int error = CheckSend(request);
    if (error == 0)
    {
        error = Translate(request, work);
    }
    if (error != 0)
    {
        return m_domain->Fail(error);
    }
    const bool withImmediate = request.opcode == RdmaOpcode::RDMA_WRITE_WITH_IMM;
    Posted posted;
    posted.id = request.id;
    posted.opcode = CompletionOf(request.opcode);
    posted.status = RdmapStatus::SUCCESS;
    posted.octets = 0;
    posted.parts = withImmediate ? 2 : 1;
    posted.invalidates = request.opcode == RdmaOpcode::RDMA_READ_WITH_INVALIDATE;
    posted.signaled = m_config.signalAll || (request.flags & RDMA_SEND_SIGNALED) != 0;
    m_posted.push_back(std::move(posted));
    ++m_slots;
    if (m_state.Get() == RdmaQpState::ERR)
    {
        for (uint8_t part = m_posted.back().parts; part > 0; part--)
        {
            WorkCompleted(work, RdmapStatus::FLUSHED, 0);
        }
        return 0;
    }
    const bool within = work.inlined || work.kind == RdmapWorkKind::LOCAL;
    const uint64_t payload = within ? InlinedOf(work) : PayloadOf(work);
    const bool withDoorbell = alone ? m_stream->RingDoorbell(payload, within) : within;
    inlined += within ? payload : 0;
    work.withDoorbell = withDoorbell;
    error = m_stream->PostSend(std::move(work));
    if (error == ESHUTDOWN)
    {
        return 0; // it is about to enter ERR, which flushes it
    }
    if (error != 0)
    {
        m_posted.pop_back();
        --m_slots;
        return m_domain->Fail(error);
    }
    if (withImmediate)
    {
        RdmapWork immediate;
        immediate.id = request.id;
        immediate.kind = RdmapWorkKind::IMMEDIATE;
        immediate.immediate = request.immediate;
        immediate.withDoorbell = withDoorbell; // it is in the same work queue element
        immediate.solicited = (request.flags & RDMA_SEND_SOLICITED) != 0;
        m_stream->PostSend(RdmapWork(immediate)); // not if it failed over the first part
    }
    return 0;
}

int
RdmaQueuePair::PostReceive(const RdmaReceiveRequest& request)
{
    NS_LOG_FUNCTION(this << request.id);
    DdpBuffer buffer;
    if (!m_domain)
    {
        return EINVAL;
    }
    if (m_config.srq || m_state.Get() == RdmaQpState::RESET ||
        request.sges.size() > m_config.maxReceiveSge || !RdmaMakeBuffer(request, buffer))
    {
        return m_domain->Fail(EINVAL);
    }
    if (m_receives >= m_config.maxReceiveWr)
    {
        return m_domain->Fail(ENOMEM);
    }
    m_receives++;
    if (m_state.Get() == RdmaQpState::ERR)
    {
        ReportReceive(request.id, RdmapStatus::FLUSHED);
    }
    else if (!m_stream || m_stream->GetEndpoint()->HasFailed())
    {
        m_early.push_back(std::move(buffer)); // in the second case ERR flushes it
    }
    else
    {
        m_stream->PostReceive(std::move(buffer));
    }
    return 0;
}

int
RdmaQueuePair::PostReceive(const std::vector<RdmaReceiveRequest>& requests, std::size_t& bad)
{
    NS_LOG_FUNCTION(this << requests.size());
    int error = m_domain ? 0 : EINVAL;
    for (bad = 0; bad < requests.size() && error == 0;)
    {
        error = PostReceive(requests[bad]);
        bad += error == 0 ? 1 : 0;
    }
    return error;
}

bool
RdmaQueuePair::LeaveStream()
{
    if (!m_retry || m_state.Get() != RdmaQpState::INIT)
    {
        return false;
    }
    DdpBuffer buffer;
    while (m_stream->GetEndpoint()->FlushReceive(buffer))
    {
        m_early.push_back(std::move(buffer));
    }
    m_stream->Detach();
    // not from within its own call
    Simulator::ScheduleNow(&RdmapStream::Dispose, m_stream);
    m_stream = nullptr;
    return true;
}

// ---- the shared receive queue -------------------------------------------------------------------

uint32_t
RdmaQueuePair::GetAvailable() const
{
    return m_config.srq ? m_config.srq->GetAvailable() : 0;
}

bool
RdmaQueuePair::Pop(DdpBuffer& buffer)
{
    if (!m_config.srq || !m_config.srq->Pop(buffer))
    {
        return false;
    }
    m_sharedInUse++;
    const uint32_t share = m_config.srq->GetFairShare();
    if (share > 0 && m_sharedInUse == share + 1)
    {
        m_domain->GetDevice()->Raise(RdmaEvent::SRQ_UNFAIR, m_number);
    }
    return true;
}

} // namespace ns3
