/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-protection-domain.h"
#include "rdma-queue-pair.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cerrno>
#include <utility>

// Posting: what a queue pair makes of work requests, and of those of a shared receive queue.

namespace ns3
{

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
        const bool own = entry != nullptr && entry->pd == m_domain->GetNumber() &&
                         (entry->stream == 0 || entry->stream == m_stream);
        if (own)
        {
            // one that the peer has invalidated already may be, as the verbs specification has it
            table.Invalidate(m_stag);
        }
        return own ? RdmapStatus::SUCCESS : RdmapStatus::LOCAL_OPERATION;
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
    return sends ? DdpLengthOf(work.pieces) : 0;
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

template <typename T>
void
Append(boost::circular_buffer<T>& buffer, T&& value)
{
    if (buffer.full())
    {
        buffer.set_capacity(std::max<std::size_t>(4, 2 * buffer.capacity()));
    }
    buffer.push_back(std::move(value));
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
    work.pieces = RdmaMakePieces(request.sges);
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
    return work.inlined ? TakeInline(work) : 0;
}

int
RdmaQueuePair::TakeInline(RdmapWork& work)
{
    const uint64_t length = DdpLengthOf(work.pieces);
    if (length > m_config.maxInline)
    {
        return EINVAL;
    }
    work.inlineOctets.resize(length);
    if (length > 0)
    {
        const uint8_t* octets = nullptr;
        std::vector<uint8_t> scratch;
        switch (DdpReadPieces(work.pieces,
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
    work.pieces.clear();
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
    const bool withImmediate = request.opcode == RdmaOpcode::RDMA_WRITE_WITH_IMM;
    return withImmediate && !m_domain->GetDevice()->HasExtensions() ? EOPNOTSUPP : 0;
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
    Append(m_posted, std::move(posted));
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
        if (m_stream->PostSend(std::move(immediate)) != 0)
        {
            // the stream failed over the first part
            WorkCompleted(immediate, RdmapStatus::FLUSHED, 0);
        }
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
    else if (!m_stream)
    {
        Append(m_early, std::move(buffer));
    }
    else if (m_stream->PostReceive(std::move(buffer)) != 0)
    {
        ReportReceive(request.id, RdmapStatus::FLUSHED);
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
        Append(m_early, std::move(buffer));
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
RdmaQueuePair::Take(DdpBuffer& buffer)
{
    if (!m_config.srq || !m_config.srq->Take(buffer))
    {
        return false;
    }
    m_held++;
    const uint32_t share = m_config.srq->GetFairShare();
    if (share > 0 && m_held == share + 1)
    {
        m_domain->GetDevice()->Raise(RdmaEvent::SRQ_UNFAIR, m_number);
    }
    return true;
}

} // namespace ns3
