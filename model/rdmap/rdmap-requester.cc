/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-requester.h"

#include "rdmap-read-coverage.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ns3
{

namespace
{

RdmapOpcode
OpcodeOf(const RdmapWork& work)
{
    switch (work.kind)
    {
    case RdmapWorkKind::WRITE:
        return RdmapOpcode::WRITE;
    case RdmapWorkKind::READ:
        return RdmapOpcode::READ_REQUEST;
    case RdmapWorkKind::ATOMIC:
        return RdmapOpcode::ATOMIC_REQUEST;
    case RdmapWorkKind::IMMEDIATE:
        return work.solicited ? RdmapOpcode::IMMEDIATE_SE : RdmapOpcode::IMMEDIATE;
    case RdmapWorkKind::SEND:
    case RdmapWorkKind::LOCAL:
        break;
    }
    if (work.invalidate)
    {
        return work.solicited ? RdmapOpcode::SEND_SE_INVALIDATE : RdmapOpcode::SEND_INVALIDATE;
    }
    return work.solicited ? RdmapOpcode::SEND_SE : RdmapOpcode::SEND;
}

bool
NeedsResponse(RdmapWorkKind kind)
{
    return kind == RdmapWorkKind::READ || kind == RdmapWorkKind::ATOMIC;
}

/// @param work a Read @param length octets that it asks for @return its request
RdmapReadRequest
ReadRequestOf(const RdmapWork& work, uint32_t length)
{
    RdmapReadRequest request;
    if (!work.sges.empty())
    {
        request.sinkStag = work.sges[0].stag;
        request.sinkTo = work.sges[0].to;
    }
    request.size = length;
    request.srcStag = work.remoteStag;
    request.srcTo = work.remoteTo;
    return request;
}

} // namespace

RdmapRequester::RdmapRequester(const DdpStagTable& table,
                               uint32_t pd,
                               uint32_t stream,
                               uint32_t ord,
                               Listener& listener)
    : m_table(table),
      m_pd(pd),
      m_stream(stream),
      m_ord(ord),
      m_listener(listener),
      m_responses(rdmap::ATOMIC_RESPONSE_SIZE, 0)
{
}

RdmapRequester::~RdmapRequester() = default;

int
RdmapRequester::Post(RdmapWork&& work)
{
    const uint64_t length = work.inlined ? work.inlineOctets.size() : DdpLengthOf(work.sges);
    if (length > ddp::MAX_MESSAGE)
    {
        return EMSGSIZE;
    }
    const bool carriesOctets =
        work.kind == RdmapWorkKind::SEND || work.kind == RdmapWorkKind::WRITE;
    if ((work.inlined && !carriesOctets) || (work.kind == RdmapWorkKind::LOCAL && !work.local) ||
        (work.invalidate && work.kind != RdmapWorkKind::SEND))
    {
        return EINVAL;
    }
    if (NeedsResponse(work.kind) && (m_ord == 0 || work.sges.size() > 1))
    {
        return EINVAL;
    }
    if (work.kind == RdmapWorkKind::ATOMIC &&
        (length != rdmap::ATOMIC_OCTETS || !work.atomic.IsSupported()))
    {
        return EINVAL;
    }
    Entry entry;
    entry.work = std::move(work);
    entry.length = length;
    m_entries.push_back(std::move(entry));
    return 0;
}

void
RdmapRequester::PostFirst(RdmapWork&& work)
{
    NS_ABORT_MSG_IF(m_next != m_front, "a request has begun: none can come before it");
    Entry entry;
    entry.length = DdpLengthOf(work.sges);
    entry.work = std::move(work);
    m_entries.push_front(std::move(entry));
}

RdmapRequester::Entry&
RdmapRequester::At(uint64_t number)
{
    return m_entries[number - m_front];
}

const RdmapRequester::Entry&
RdmapRequester::At(uint64_t number) const
{
    return m_entries[number - m_front];
}

bool
RdmapRequester::IsNextReady() const
{
    if (m_next >= m_front + m_entries.size())
    {
        return false;
    }
    const RdmapWork& work = At(m_next).work;
    // what the connection itself posts is first, and does not count
    const uint32_t ord = work.internal ? std::max(m_ord, 1U) : m_ord;
    return (!work.fence || m_outstanding.empty()) &&
           (!NeedsResponse(work.kind) || m_outstanding.size() < ord);
}

bool
RdmapRequester::RunLocal(uint32_t most)
{
    for (; most > 0 && IsNextReady() && At(m_next).work.kind == RdmapWorkKind::LOCAL; most--)
    {
        const uint64_t number = m_next++;
        // the request may go with its report
        const std::shared_ptr<RdmapLocalWork> local = At(number).work.local;
        const RdmapStatus status = local->Perform();
        End(number, status);
        if (status != RdmapStatus::SUCCESS)
        {
            return false;
        }
    }
    return true;
}

RdmapRequester::Progress
RdmapRequester::Begin(DdpSender& sender)
{
    if (!RunLocal())
    {
        return Progress::FAILED;
    }
    if (!IsNextReady())
    {
        return Progress::IDLE;
    }
    if (m_unanswered && NeedsResponse(At(m_next).work.kind))
    {
        return Progress::UNANSWERED;
    }
    const uint64_t number = m_next++;
    const RdmapWork& work = At(number).work;
    const uint32_t access = NeedsResponse(work.kind) ? DDP_ACCESS_LOCAL_WRITE : DDP_ACCESS_NONE;
    if (!work.inlined && !DdpMayUse(work.sges, m_table, m_pd, m_stream, access))
    {
        End(number, RdmapStatus::LOCAL_PROTECTION);
        return Progress::FAILED;
    }
    Submit(sender, number);
    return Progress::SUBMITTED;
}

void
RdmapRequester::Submit(DdpSender& sender, uint64_t number)
{
    Entry& entry = At(number);
    RdmapWork& work = entry.work;
    const RdmapOpcode opcode = OpcodeOf(work);
    const uint8_t control = RdmapControl(opcode, sender.GetVersion()).Encode();
    entry.state = State::SENDING;
    switch (work.kind)
    {
    case RdmapWorkKind::WRITE:
        sender.SubmitTagged(control, work.remoteStag, work.remoteTo, entry.length, number);
        return;
    case RdmapWorkKind::SEND:
        sender.SubmitUntagged(control,
                              work.invalidate ? work.invalidateStag : 0,
                              rdmap::QN_SEND,
                              entry.length,
                              number);
        return;
    case RdmapWorkKind::IMMEDIATE:
        sender.SubmitUntagged(control, 0, rdmap::QN_SEND, rdmap::IMMEDIATE_SIZE, number);
        return;
    case RdmapWorkKind::READ:
        sender.SubmitUntagged(control, 0, rdmap::QN_READ_REQUEST, rdmap::READ_REQUEST_SIZE, number);
        break;
    case RdmapWorkKind::ATOMIC:
        work.atomic.requestId = m_nextRequestId++;
        work.atomic.stag = work.remoteStag;
        work.atomic.to = work.remoteTo;
        sender.SubmitUntagged(control,
                              0,
                              rdmap::QN_READ_REQUEST,
                              rdmap::ATOMIC_REQUEST_SIZE,
                              number);
        m_atomics++;
        m_responses.SetLimit(m_atomics);
        break;
    case RdmapWorkKind::LOCAL:
        return;
    }
    m_outstanding.push_back({number, m_nextMsn++, work.kind == RdmapWorkKind::ATOMIC});
}

bool
RdmapRequester::Fill(const DdpSender::Segment& segment,
                     std::vector<uint8_t>& scratch,
                     RdmapOutput& output)
{
    const Entry& entry = At(segment.context);
    const RdmapWork& work = entry.work;
    output.opcode = OpcodeOf(work);
    output.last = segment.header.last;
    output.withDoorbell = work.withDoorbell;
    output.headSize = segment.header.Write(output.head.data());
    output.tail = nullptr;
    output.tailSize = 0;
    uint8_t* behind = output.head.data() + output.headSize;
    switch (work.kind)
    {
    case RdmapWorkKind::READ:
        ReadRequestOf(work, entry.length).Write(behind);
        output.headSize += rdmap::READ_REQUEST_SIZE;
        return true;
    case RdmapWorkKind::ATOMIC:
        work.atomic.Write(behind);
        output.headSize += rdmap::ATOMIC_REQUEST_SIZE;
        return true;
    case RdmapWorkKind::IMMEDIATE:
        for (uint32_t i = 0; i < rdmap::IMMEDIATE_SIZE; i++)
        {
            behind[i] = work.immediate >> 8 * (rdmap::IMMEDIATE_SIZE - 1 - i);
        }
        output.headSize += rdmap::IMMEDIATE_SIZE;
        return true;
    case RdmapWorkKind::SEND:
    case RdmapWorkKind::WRITE:
    case RdmapWorkKind::LOCAL:
        break;
    }
    output.tailSize = segment.length;
    if (segment.length == 0)
    {
        return true;
    }
    if (work.inlined)
    {
        output.tail = work.inlineOctets.data() + segment.offset;
        return true;
    }
    const DdpGather gather = DdpReadSges(work.sges,
                                         m_table,
                                         m_pd,
                                         m_stream,
                                         segment.offset,
                                         segment.length,
                                         scratch,
                                         &output.tail);
    if (gather == DdpGather::INVALID)
    {
        End(segment.context, RdmapStatus::LOCAL_PROTECTION);
        return false;
    }
    if (gather == DdpGather::ZEROS)
    {
        output.tail = nullptr;
    }
    return true;
}

void
RdmapRequester::Locate(const DdpSender::Segment& segment, DdpSgeList& sges) const
{
    const RdmapWork& work = At(segment.context).work;
    if ((work.kind == RdmapWorkKind::SEND || work.kind == RdmapWorkKind::WRITE) && !work.inlined)
    {
        DdpCutSges(work.sges, segment.offset, segment.length, sges);
    }
}

void
RdmapRequester::Sent(uint64_t context)
{
    if (context < m_front || At(context).state != State::SENDING)
    {
        return;
    }
    if (NeedsResponse(At(context).work.kind))
    {
        At(context).state = State::AWAITING;
    }
    else
    {
        End(context, RdmapStatus::SUCCESS);
    }
}

void
RdmapRequester::End(uint64_t number, RdmapStatus status)
{
    Entry& entry = At(number);
    entry.state = State::ENDED;
    entry.status = status;
    Report();
}

void
RdmapRequester::Report()
{
    while (!m_entries.empty() && m_entries.front().state == State::ENDED)
    {
        const Entry entry = std::move(m_entries.front());
        m_entries.pop_front();
        m_front++;
        const bool moved = entry.status == RdmapStatus::SUCCESS;
        m_listener.WorkCompleted(entry.work, entry.status, moved ? entry.length : 0);
    }
}

void
RdmapRequester::Flush(bool known, uint32_t failedMsn, RdmapStatus status)
{
    for (std::size_t i = 0; i < m_entries.size(); ++i)
    {
        Entry& entry = m_entries[i];
        if (entry.state != State::ENDED)
        {
            entry.state = State::ENDED;
            entry.status = RdmapStatus::FLUSHED;
        }
    }
    for (std::size_t i = 0; i < m_outstanding.size(); ++i)
    {
        const Outstanding& outstanding = m_outstanding[i];
        if (known && outstanding.msn == failedMsn)
        {
            At(outstanding.number).status = status;
        }
    }
    m_outstanding.clear();
    m_next = m_front + m_entries.size();
    Report();
}

RdmapBufferPool&
RdmapRequester::GetResponsePool()
{
    return m_responses;
}

const RdmapWork*
RdmapRequester::GetNext() const
{
    return IsNextReady() ? &At(m_next).work : nullptr;
}

uint32_t
RdmapRequester::GetWaiting() const
{
    return static_cast<uint32_t>(m_front + m_entries.size() - m_next);
}

uint32_t
RdmapRequester::GetQueued() const
{
    return m_entries.size();
}

uint32_t
RdmapRequester::GetOutstanding() const
{
    return m_outstanding.size();
}

uint32_t
RdmapRequester::GetScattered() const
{
    return m_filled ? m_filled->GetScattered() : 0;
}

uint32_t
RdmapRequester::GetOrd() const
{
    return m_ord;
}

void
RdmapRequester::SetOrd(uint32_t ord)
{
    m_ord = ord;
}

void
RdmapRequester::EndResponses()
{
    m_unanswered = true;
}

// ---- responses ----------------------------------------------------------------------------------

DdpError
RdmapRequester::CheckSink(const Entry& entry, const DdpHeader& header, uint32_t payload)
{
    if (entry.work.sges.empty() || entry.work.sges[0].stag != header.stag)
    {
        return DdpError::TAGGED_INVALID_STAG;
    }
    // the STag's own check has proved that the buffer does not wrap
    const uint64_t sink = entry.work.sges[0].to;
    const uint64_t ahead = header.to - sink;
    const bool inside =
        header.to >= sink && ahead <= entry.length && payload <= entry.length - ahead;
    return inside ? DdpError::NONE : DdpError::TAGGED_BASE_BOUNDS;
}

RdmapError
RdmapRequester::AdmitResponse(const DdpHeader& header, uint32_t payload, DdpError& error) const
{
    error = DdpError::NONE;
    bool anyRead = false;
    for (std::size_t i = 0; i < m_outstanding.size(); ++i)
    {
        const Outstanding& outstanding = m_outstanding[i];
        if (outstanding.atomic)
        {
            continue;
        }
        const DdpError found =
            payload == 0 ? DdpError::NONE : CheckSink(At(outstanding.number), header, payload);
        if (found == DdpError::NONE)
        {
            error = found;
            return RdmapError::NONE;
        }
        // a sink that has the STag says more than one that has not
        error = !anyRead || found == DdpError::TAGGED_BASE_BOUNDS ? found : error;
        anyRead = true;
    }
    return anyRead ? RdmapError::NONE : RdmapError::OPERATION_OPCODE;
}

RdmapError
RdmapRequester::ResponseDelivered(const DdpHeader& header, uint32_t payload, DdpError& error)
{
    error = DdpError::NONE;
    if (m_outstanding.empty() || m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    if (payload == 0)
    {
        return RdmapError::NONE;
    }
    const Entry& entry = At(m_outstanding.front().number);
    error = CheckSink(entry, header, payload);
    if (error != DdpError::NONE)
    {
        return RdmapError::NONE;
    }
    if (!m_filled)
    {
        m_filled = std::make_unique<RdmapReadCoverage>();
    }
    return m_filled->Add(header.to - entry.work.sges[0].to, payload)
               ? RdmapError::NONE
               : RdmapError::OPERATION_UNSPECIFIED;
}

RdmapError
RdmapRequester::ReadDelivered()
{
    if (m_outstanding.empty() || m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    const uint64_t number = m_outstanding.front().number;
    if ((m_filled ? m_filled->GetFilled() : 0) != At(number).length)
    {
        return RdmapError::OPERATION_UNSPECIFIED;
    }
    if (m_filled)
    {
        m_filled->Clear();
    }
    m_outstanding.pop_front();
    RdmapLocalWork* const besides = At(number).work.local.get();
    const RdmapStatus status = besides != nullptr ? besides->Perform() : RdmapStatus::SUCCESS;
    End(number, status);
    return status == RdmapStatus::SUCCESS ? RdmapError::NONE : RdmapError::LOCAL_CATASTROPHIC;
}

RdmapError
RdmapRequester::AtomicDelivered(const DdpDelivery& delivery)
{
    if (m_outstanding.empty() || !m_outstanding.front().atomic)
    {
        return RdmapError::OPERATION_OPCODE;
    }
    RdmapAtomicResponse response;
    response.Read(delivery.buffer.octets);
    m_responses.Release(delivery.buffer);
    const uint64_t number = m_outstanding.front().number;
    const RdmapWork& work = At(number).work;
    if (response.requestId != work.atomic.requestId)
    {
        return RdmapError::OPERATION_UNSPECIFIED;
    }
    uint8_t octets[rdmap::ATOMIC_OCTETS];
    std::copy_n(reinterpret_cast<const uint8_t*>(&response.original), rdmap::ATOMIC_OCTETS, octets);
    if (!DdpWriteSges(work.sges,
                      m_table,
                      m_pd,
                      m_stream,
                      0,
                      octets,
                      rdmap::ATOMIC_OCTETS,
                      rdmap::ATOMIC_OCTETS))
    {
        return RdmapError::LOCAL_CATASTROPHIC;
    }
    m_outstanding.pop_front();
    m_atomics--;
    m_responses.SetLimit(m_atomics);
    End(number, RdmapStatus::SUCCESS);
    return RdmapError::NONE;
}

} // namespace ns3
