/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-endpoint.h"

#include "rdmap-validate.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ns3
{

namespace
{

RdmapOpcode
ReadOpcode(const DdpHeader& header)
{
    return static_cast<RdmapOpcode>(RdmapControl::Decode(header.ulpControl).opcode);
}

/// How a request ends that the peer refused. @param terminate the peer's Terminate @return status
RdmapStatus
StatusFor(const RdmapTerminate& terminate)
{
    if (terminate.layer != static_cast<uint8_t>(RdmapLayer::RDMAP))
    {
        return RdmapStatus::REMOTE_OPERATION;
    }
    return terminate.type == 1   ? RdmapStatus::REMOTE_ACCESS
           : terminate.type == 2 ? RdmapStatus::REMOTE_INVALID
                                 : RdmapStatus::REMOTE_OPERATION;
}

} // namespace

RdmapEndpoint::RdmapEndpoint(const RdmapConfig& config, DdpStagTable& table, Listener& listener)
    : m_config(config),
      m_table(table),
      m_listener(listener),
      m_receiver(table, config.pd, config.stream, *this),
      m_requester(table, config.pd, config.stream, config.ord, *this),
      m_responder(table, config.pd, config.stream, config.ird, config.extensions),
      m_terminates(rdmap::TERMINATE_MAX_SIZE, 1)
{
    m_receiver.EnableQueue(rdmap::QN_SEND, config.receives);
    m_receiver.EnableQueue(rdmap::QN_READ_REQUEST, &m_responder.GetPool());
    m_receiver.EnableQueue(rdmap::QN_TERMINATE, &m_terminates);
    if (config.extensions)
    {
        m_receiver.EnableQueue(rdmap::QN_ATOMIC_RESPONSE, &m_requester.GetResponsePool());
    }
}

void
RdmapEndpoint::SetVersion(uint8_t version)
{
    m_receiver.SetVersion(version);
    m_sender.SetVersion(version);
}

bool
RdmapEndpoint::HasExtensions() const
{
    return m_config.extensions && m_sender.GetVersion() == rdmap::VERSION;
}

void
RdmapEndpoint::ExpectIndication()
{
    m_indication = true;
    m_receiver.GetQueue(rdmap::QN_SEND).PostFirst({});
}

bool
RdmapEndpoint::ExpectsIndication() const
{
    return m_indication;
}

int
RdmapEndpoint::PostSend(RdmapWork&& work)
{
    if (m_closed || m_failed)
    {
        return ESHUTDOWN;
    }
    if (!HasExtensions() &&
        (work.kind == RdmapWorkKind::ATOMIC || work.kind == RdmapWorkKind::IMMEDIATE))
    {
        return EOPNOTSUPP;
    }
    const int error = m_requester.Post(std::move(work));
    if (error == 0)
    {
        m_listener.OutputReady();
    }
    return error;
}

void
RdmapEndpoint::PostFirst(RdmapWork&& work)
{
    m_requester.PostFirst(std::move(work));
}

void
RdmapEndpoint::RunLocal(uint32_t most)
{
    if (!m_failed && !m_requester.RunLocal(most))
    {
        FailLocally();
    }
}

int
RdmapEndpoint::PostReceive(DdpBuffer&& buffer)
{
    if (m_failed)
    {
        return ESHUTDOWN;
    }
    DdpReceiveQueue& queue = m_receiver.GetQueue(rdmap::QN_SEND);
    if (queue.HasSource())
    {
        return EINVAL;
    }
    queue.Post(std::move(buffer));
    return 0;
}

bool
RdmapEndpoint::FlushReceive(DdpBuffer& buffer)
{
    DdpReceiveQueue& queue = m_receiver.GetQueue(rdmap::QN_SEND);
    if (std::exchange(m_indication, false))
    {
        queue.Flush(buffer); // the connection's own
    }
    return queue.Flush(buffer);
}

DdpReceiver::Result
RdmapEndpoint::Segment(uint32_t order,
                       const uint8_t* ulpdu,
                       uint32_t available,
                       uint32_t length,
                       bool inOrder,
                       DdpSgeList* sges)
{
    return m_receiver.Segment(order, ulpdu, available, length, inOrder, sges);
}

void
RdmapEndpoint::Deliver(uint32_t count)
{
    m_receiver.Deliver(count);
}

DdpAdmission
RdmapEndpoint::Admit(const DdpHeader& header,
                     const uint8_t* segment,
                     uint32_t available,
                     uint32_t payload)
{
    DdpAdmission admission;
    // DDP has compared the version with the stream's
    RdmapError error = RdmapValidate(header, payload, m_config.extensions, header.version);
    const RdmapOpcode opcode = ReadOpcode(header);
    if (error == RdmapError::NONE && opcode == RdmapOpcode::READ_RESPONSE)
    {
        // the sink of a Read is open to this very response, whatever its remote rights
        admission.access = DDP_ACCESS_LOCAL_WRITE;
        error = m_requester.AdmitResponse(header, payload, admission.error);
    }
    if (error != RdmapError::NONE)
    {
        admission.refusal = static_cast<uint16_t>(error);
    }
    else if ((opcode == RdmapOpcode::IMMEDIATE || opcode == RdmapOpcode::IMMEDIATE_SE) &&
             available >= header.GetSize() + payload)
    {
        m_immediates.push_back({header.msn, ddp::LoadBig<uint64_t>(segment + header.GetSize())});
    }
    return admission;
}

void
RdmapEndpoint::PlacedLate(const DdpHeader& header, uint32_t payload)
{
    m_listener.PlacedLate(header, payload);
}

void
RdmapEndpoint::SegmentDelivered(const DdpHeader& header, uint32_t payload)
{
    if (ReadOpcode(header) != RdmapOpcode::READ_RESPONSE)
    {
        return;
    }
    DdpError placement = DdpError::NONE;
    RdmapError error = m_requester.ResponseDelivered(header, payload, placement);
    if (m_requester.GetScattered() > m_config.readRuns)
    {
        error = RdmapError::OPERATION_UNSPECIFIED;
    }
    if (error == RdmapError::NONE && placement == DdpError::NONE)
    {
        return;
    }
    uint8_t segment[ddp::MAX_HEADER_SIZE];
    DdpErrorReport report;
    report.error = placement;
    report.refusal = static_cast<uint16_t>(error);
    report.segment = segment;
    report.available = header.Write(segment);
    report.length = report.available + payload;
    Failed(report);
}

void
RdmapEndpoint::Delivered(DdpDelivery& delivery)
{
    const RdmapOpcode opcode = ReadOpcode(delivery.header);
    m_listener.MessageDelivered(opcode, delivery);
    const bool afterWrite = std::exchange(m_afterWrite, opcode == RdmapOpcode::WRITE);
    RdmapError error = RdmapError::NONE;
    switch (opcode)
    {
    case RdmapOpcode::WRITE:
        // the layer above learns of it by a later message only (RFC 5040 section 5.5)
        break;
    case RdmapOpcode::READ_REQUEST:
    case RdmapOpcode::ATOMIC_REQUEST:
        error = m_responder.Accept(delivery);
        if (error == RdmapError::NONE)
        {
            m_listener.OutputReady();
        }
        break;
    case RdmapOpcode::READ_RESPONSE:
    case RdmapOpcode::ATOMIC_RESPONSE:
        error = opcode == RdmapOpcode::READ_RESPONSE ? m_requester.ReadDelivered()
                                                     : m_requester.AtomicDelivered(delivery);
        if (error == RdmapError::NONE)
        {
            // ORD or a fence may have held work back
            m_listener.OutputReady();
        }
        break;
    case RdmapOpcode::TERMINATE:
        DeliverTerminate(delivery);
        break;
    default:
        m_afterWrite = afterWrite;
        DeliverToBuffer(opcode, delivery);
        break;
    }
    if (error == RdmapError::LOCAL_CATASTROPHIC)
    {
        FailLocally();
    }
    else if (error != RdmapError::NONE)
    {
        Terminate(error, delivery);
    }
}

void
RdmapEndpoint::DeliverToBuffer(RdmapOpcode opcode, DdpDelivery& delivery)
{
    RdmapReceived received;
    received.length = delivery.length;
    received.opcode = opcode;
    received.solicited = rdmap::IsSolicited(opcode);
    received.afterWrite = std::exchange(m_afterWrite, false);
    received.hasImmediate = !rdmap::IsSend(opcode);
    if (received.hasImmediate)
    {
        const auto immediate =
            std::find_if(m_immediates.begin(), m_immediates.end(), [&](const Immediate& i) {
                return i.msn == delivery.header.msn;
            });
        if (immediate != m_immediates.end())
        {
            received.immediate = immediate->data;
            m_immediates.erase(immediate);
        }
    }
    bool refused = false;
    if (rdmap::IsInvalidate(opcode))
    {
        const uint32_t stag = delivery.header.ulpWord;
        const DdpStagEntry* entry = m_table.Find(stag);
        const bool open = entry != nullptr && entry->invalidatable &&
                          (entry->pd == 0 || entry->pd == m_config.pd) &&
                          (entry->stream == 0 || entry->stream == m_config.stream);
        received.invalidated = open && m_table.Invalidate(stag);
        received.invalidatedStag = received.invalidated ? stag : 0;
        refused = !received.invalidated;
    }
    received.buffer = std::move(delivery.buffer);
    if (!std::exchange(m_indication, false))
    {
        m_listener.Received(received);
    }
    if (refused && !m_failed)
    {
        Terminate(RdmapError::PROTECTION_CANNOT_INVALIDATE, delivery);
    }
}

void
RdmapEndpoint::DeliverTerminate(const DdpDelivery& delivery)
{
    RdmapTerminate terminate;
    terminate.Read(delivery.buffer.octets, delivery.length, m_config.terminateForm);
    Stop();
    DdpHeader culprit;
    const bool known = terminate.hasDdpHeader &&
                       culprit.Read(terminate.ddpHeader.data(), terminate.GetDdpHeaderSize()) > 0 &&
                       !culprit.tagged && culprit.qn == rdmap::QN_READ_REQUEST;
    m_requester.Flush(known, culprit.msn, StatusFor(terminate));
    m_listener.Failed(terminate, true);
}

void
RdmapEndpoint::Failed(const DdpErrorReport& report)
{
    if (report.error == DdpError::NONE)
    {
        Terminate(static_cast<RdmapError>(report.refusal),
                  report.segment,
                  report.available,
                  report.length);
        return;
    }
    RdmapTerminate terminate = RdmapTerminate::ForDdp(report.error);
    terminate.CopyHeaders(report.segment, report.available, report.length, false);
    Terminate(terminate);
}

void
RdmapEndpoint::WorkCompleted(const RdmapWork& work, RdmapStatus status, uint32_t octets)
{
    m_listener.WorkCompleted(work, status, octets);
}

void
RdmapEndpoint::Terminate(const RdmapTerminate& terminate)
{
    if (m_failed)
    {
        return;
    }
    Stop();
    if (!m_lost)
    {
        m_terminate = std::make_unique<RdmapTerminate>(terminate);
    }
    m_requester.Flush();
    m_listener.Failed(terminate, false);
    if (m_terminate)
    {
        m_listener.OutputReady();
    }
}

void
RdmapEndpoint::Terminate(RdmapError error,
                         const uint8_t* ulpdu,
                         uint32_t available,
                         uint32_t length)
{
    RdmapTerminate terminate = RdmapTerminate::ForRdmap(error);
    const bool protection = static_cast<uint16_t>(error) >> 8 == 1;
    terminate.CopyHeaders(ulpdu, available, length, protection);
    Terminate(terminate);
}

void
RdmapEndpoint::Terminate(RdmapError error, const DdpDelivery& delivery)
{
    uint8_t ulpdu[RdmapOutput::MAX_HEAD];
    uint32_t available = delivery.header.Write(ulpdu);
    uint32_t length = available + delivery.length - delivery.header.mo;
    if (delivery.header.tagged)
    {
        length = available + delivery.payload;
    }
    else if (delivery.buffer.octets != nullptr)
    {
        // one of RDMAP's own buffers, so the message is a header
        const uint32_t size = std::min<uint32_t>(delivery.length, sizeof(ulpdu) - available);
        std::copy_n(delivery.buffer.octets, size, ulpdu + available);
        available += size;
    }
    Terminate(error, ulpdu, available, length);
}

void
RdmapEndpoint::LlpFailed(uint8_t code)
{
    Terminate(RdmapTerminate::ForLlp(code));
}

void
RdmapEndpoint::FailLocally()
{
    Terminate(RdmapTerminate::ForRdmap(RdmapError::LOCAL_CATASTROPHIC));
}

void
RdmapEndpoint::LlpLost()
{
    m_lost = true;
    m_terminate.reset();
    // code 1 of MPA: the connection is lost (RFC 5044 section 8)
    Terminate(RdmapTerminate::ForLlp(1));
}

void
RdmapEndpoint::LlpClosed()
{
    m_receiver.Stop();
    m_requester.EndResponses();
    if (m_requester.GetOutstanding() > 0)
    {
        // their responses can not come any more
        Terminate(RdmapTerminate::ForLlp(1));
    }
}

void
RdmapEndpoint::Close()
{
    m_closed = true;
}

void
RdmapEndpoint::Stop()
{
    m_failed = true;
    m_hasSegment = false;
    m_receiver.Stop();
    m_sender.Abort();
}

bool
RdmapEndpoint::HasFailed() const
{
    return m_failed;
}

bool
RdmapEndpoint::IsDrained() const
{
    return m_failed ? !m_terminate : m_requester.GetQueued() == 0 && m_responder.GetPending() == 0;
}

bool
RdmapEndpoint::IsTerminatePending() const
{
    return m_terminate != nullptr;
}

DdpReceiver&
RdmapEndpoint::GetReceiver()
{
    return m_receiver;
}

RdmapRequester&
RdmapEndpoint::GetRequester()
{
    return m_requester;
}

RdmapResponder&
RdmapEndpoint::GetResponder()
{
    return m_responder;
}

const RdmapConfig&
RdmapEndpoint::GetConfig() const
{
    return m_config;
}

// ---- what goes out ------------------------------------------------------------------------------

RdmapEndpoint::Start
RdmapEndpoint::GetStart() const
{
    if (m_failed || m_hasSegment || !m_sender.IsIdle())
    {
        return Start::NONE;
    }
    const RdmapWork* work = m_requester.GetNext();
    if (m_responder.IsReady() && (m_turn == Turn::REQUEST || work == nullptr))
    {
        return Start::OTHER;
    }
    if (work == nullptr)
    {
        return Start::NONE;
    }
    if (work->kind == RdmapWorkKind::LOCAL)
    {
        return Start::LOCAL;
    }
    const bool own = !work->internal && work->kind != RdmapWorkKind::IMMEDIATE;
    return own ? Start::WORK_REQUEST : Start::OTHER;
}

bool
RdmapEndpoint::BeginMessage()
{
    // after a request's message it is the responses' turn, and the other way round
    for (int i = 0; i < 2; i++)
    {
        m_turn = m_turn == Turn::REQUEST ? Turn::RESPONSE : Turn::REQUEST;
        if (m_turn == Turn::RESPONSE)
        {
            if (!m_responder.IsReady())
            {
                continue;
            }
            const RdmapError error = m_responder.Begin(m_sender, 0);
            if (error != RdmapError::NONE)
            {
                uint8_t ulpdu[RdmapOutput::MAX_HEAD];
                const uint32_t size = m_responder.GetFailed(ulpdu);
                Terminate(error, ulpdu, size, size);
                return false;
            }
            return true;
        }
        switch (m_requester.Begin(m_sender))
        {
        case RdmapRequester::Progress::SUBMITTED:
            return true;
        case RdmapRequester::Progress::FAILED:
            FailLocally();
            return false;
        case RdmapRequester::Progress::UNANSWERED:
            Terminate(RdmapTerminate::ForLlp(1));
            return false;
        case RdmapRequester::Progress::IDLE:
            break;
        }
    }
    return false;
}

bool
RdmapEndpoint::FillOutput()
{
    const DdpSender::Segment& segment = m_output->segment;
    m_output->ulpdu.messageOctets = segment.offset + segment.length;
    if (m_turn == Turn::RESPONSE)
    {
        const RdmapError error = m_responder.Fill(segment, m_output->ulpdu);
        if (error != RdmapError::NONE)
        {
            uint8_t ulpdu[RdmapOutput::MAX_HEAD];
            const uint32_t size = m_responder.GetFailed(ulpdu);
            Terminate(error, ulpdu, size, size);
            return false;
        }
        return true;
    }
    if (!m_requester.Fill(segment, m_output->scratch, m_output->ulpdu))
    {
        FailLocally();
        return false;
    }
    return true;
}

void
RdmapEndpoint::MakeOutput()
{
    if (!m_output)
    {
        m_output = std::make_unique<Output>();
    }
}

const RdmapOutput*
RdmapEndpoint::GetOutput(uint32_t mulpdu)
{
    if (!m_failed)
    {
        if (m_hasSegment && m_output->segment.GetSize() > mulpdu)
        {
            m_hasSegment = false; // MULPDU has become smaller before MPA took it
        }
        if (!m_hasSegment && (!m_sender.IsIdle() || BeginMessage()))
        {
            MakeOutput();
            m_output->segment = m_sender.Show(mulpdu);
            m_hasSegment = true;
        }
        if (m_hasSegment && FillOutput())
        {
            return &m_output->ulpdu;
        }
    }
    if (m_terminate)
    {
        MakeOutput();
        FillTerminate();
        return &m_output->ulpdu;
    }
    return nullptr;
}

void
RdmapEndpoint::LocateOutput(DdpSgeList& sges) const
{
    if (!m_hasSegment || m_output->ulpdu.withDoorbell)
    {
        return;
    }
    if (m_turn == Turn::RESPONSE)
    {
        m_responder.Locate(m_output->segment, sges);
    }
    else
    {
        m_requester.Locate(m_output->segment, sges);
    }
}

uint32_t
RdmapEndpoint::WriteTerminate(const RdmapTerminate& terminate, uint8_t* out) const
{
    DdpHeader header;
    header.version = m_sender.GetVersion();
    header.last = true;
    header.ulpControl = RdmapControl(RdmapOpcode::TERMINATE, m_sender.GetVersion()).Encode();
    header.qn = rdmap::QN_TERMINATE;
    header.msn = 1;
    const uint32_t size = header.Write(out);
    return size + terminate.Write(out + size, m_config.terminateForm);
}

void
RdmapEndpoint::FillTerminate()
{
    RdmapOutput& ulpdu = m_output->ulpdu;
    ulpdu.opcode = RdmapOpcode::TERMINATE;
    ulpdu.last = true;
    ulpdu.withDoorbell = false;
    ulpdu.headSize = WriteTerminate(*m_terminate, ulpdu.head.data());
    ulpdu.tail = nullptr;
    ulpdu.tailSize = 0;
    ulpdu.messageOctets = ulpdu.headSize - ddp::UNTAGGED_HEADER_SIZE;
}

void
RdmapEndpoint::OutputTaken()
{
    if (m_failed)
    {
        // what is taken is the Terminate, unless the stream failed between the two steps
        if (m_output->ulpdu.opcode == RdmapOpcode::TERMINATE)
        {
            m_terminate.reset();
        }
        return;
    }
    m_hasSegment = false;
    m_sender.Take(m_output->segment);
    if (!m_output->ulpdu.last)
    {
        return;
    }
    if (m_turn == Turn::RESPONSE)
    {
        m_responder.Sent();
    }
    else
    {
        m_requester.Sent(m_output->segment.context);
    }
}

} // namespace ns3
