/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-queue.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/record-tcp-socket.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-crc32c.h"
#include "ns3/util-object-births.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeQueue");
NS_OBJECT_ENSURE_REGISTERED(NvmeQueue);

namespace
{

/// @param packet of which @param offset of the first @param size octets @return a copy of them
std::vector<uint8_t>
CopyOctets(const Ptr<Packet>& packet, uint32_t offset, uint32_t size)
{
    std::vector<uint8_t> octets(size);
    const Ptr<Packet> part = offset > 0 ? packet->CreateFragment(offset, size) : packet;
    part->CopyData(octets.data(), size);
    return octets;
}

} // namespace

TypeId
NvmeQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvmeQueue")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddAttribute("HeaderDigest",
                          "Header digests: a host asks for them, a controller enables them for "
                          "hosts that do",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NvmeQueue::m_headerDigest),
                          MakeBooleanChecker())
            .AddAttribute("DataDigest",
                          "Data digests: a host asks for them, a controller enables them for hosts "
                          "that do",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NvmeQueue::m_dataDigest),
                          MakeBooleanChecker())
            .AddAttribute("DataAlignment",
                          "What data that come begin at a multiple of in their PDU, itself a "
                          "multiple of 4: HPDA of a host, CPDA of a controller [octets]",
                          UintegerValue(4),
                          MakeUintegerAccessor(&NvmeQueue::m_alignment),
                          MakeUintegerChecker<uint32_t>(4, nvme::MAX_ALIGNMENT))
            .AddAttribute("MaxR2t",
                          "R2Ts of a command outstanding at most: what a host takes (MAXR2T), what "
                          "a controller uses of that",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NvmeQueue::m_maxR2t),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("StartupTimeout",
                          "Time for ICReq or ICResp to come, after which the connection ends",
                          TimeValue(Seconds(15)),
                          MakeTimeAccessor(&NvmeQueue::m_startupTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("TerminateTimeout",
                          "Time for the peer to end TCP behind a Terminate Connection Request, "
                          "after which this end does",
                          TimeValue(Seconds(30)),
                          MakeTimeAccessor(&NvmeQueue::m_terminateTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("PduSent",
                            "A PDU was given to TCP, or waits for room there",
                            MakeTraceSourceAccessor(&NvmeQueue::m_sentTrace),
                            "ns3::NvmeQueue::PduTracedCallback")
            .AddTraceSource("PduReceived",
                            "A PDU has come, and is about to be processed",
                            MakeTraceSourceAccessor(&NvmeQueue::m_receivedTrace),
                            "ns3::NvmeQueue::PduReceivedTracedCallback")
            .AddTraceSource("Payload",
                            "Data of commands have come in order, of PDUs that may not be whole "
                            "yet; from StartCounting() on",
                            MakeTraceSourceAccessor(&NvmeQueue::m_payloadTrace),
                            "ns3::NvmeQueue::PayloadTracedCallback")
            .AddTraceSource("SegmentClassified",
                            "It is known how a segment that came lay among PDUs, which an "
                            "MpaTcpSocket alone tells",
                            MakeTraceSourceAccessor(&NvmeQueue::m_classifiedTrace),
                            "ns3::NvmeQueue::ClassifiedTracedCallback")
            .AddTraceSource("Held",
                            "What waits for octets in front of it has changed, which an "
                            "MpaTcpSocket alone tells",
                            MakeTraceSourceAccessor(&NvmeQueue::m_heldTrace),
                            "ns3::NvmeQueue::HeldTracedCallback")
            .AddTraceSource("SegmentDropped",
                            "A segment was dropped, since hardware had no room for it",
                            MakeTraceSourceAccessor(&NvmeQueue::m_droppedTrace),
                            "ns3::NvmeQueue::DroppedTracedCallback")
            .AddTraceSource("Ended",
                            "Nothing more comes of the connection",
                            MakeTraceSourceAccessor(&NvmeQueue::m_endedTrace),
                            "ns3::NvmeQueue::EndedTracedCallback");
    return tid;
}

NvmeQueue::NvmeQueue()
{
    ObjectBirths::Made(*this);
}

NvmeQueue::~NvmeQueue() = default;

void
NvmeQueue::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer.Cancel();
    if (m_stream)
    {
        m_stream->Leave();
        m_stream = nullptr;
    }
    Object::DoDispose();
}

// ---- connection ---------------------------------------------------------------------------------

void
NvmeQueue::Open(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_machine, "NvmeQueue::Open: a queue has one connection");
    NS_ABORT_MSG_IF(m_alignment % 4 != 0,
                    "NvmeQueue: DataAlignment is " << m_alignment
                                                   << ": it has to be a multiple of 4");
    ObjectBirths::Opened(*this, PeekPointer(socket));
    m_machine = &MakeMachine();
    RecordStream::User& user = *this;
    m_stream = Create<RecordStream>(m_framing, user);
    m_stream->Open(socket);
    m_timer = Simulator::Schedule(m_startupTimeout, &NvmeQueue::HandleTimeout, this);
    m_machine->Start();
    Settle();
}

void
NvmeQueue::Close()
{
    NS_LOG_FUNCTION(this);
    if (m_machine)
    {
        m_machine->Close();
        Settle();
    }
}

bool
NvmeQueue::IsReady() const
{
    return m_machine && m_machine->GetState() == NvmeMachine::State::READY;
}

Ptr<Socket>
NvmeQueue::GetSocket() const
{
    return m_stream ? m_stream->GetSocket() : nullptr;
}

Ptr<RecordTcpSocket>
NvmeQueue::GetRecordSocket() const
{
    return m_stream ? m_stream->GetRecordSocket() : nullptr;
}

const NvmeTerms&
NvmeQueue::GetTerms() const
{
    NS_ABORT_MSG_UNLESS(m_machine, "NvmeQueue::GetTerms: the queue is not open");
    return m_machine->GetTerms();
}

void
NvmeQueue::StartCounting()
{
    m_counting = true;
}

bool
NvmeQueue::IsCounting() const
{
    return m_counting;
}

void
NvmeQueue::BeginService()
{
    if (m_served || !IsReady() || !m_stream->IsOpen() || !m_stream->IsNextKnown())
    {
        return;
    }
    m_served = true;
    const NvmeTerms& terms = m_machine->GetTerms();
    RecordService service;
    service.crc = terms.headerDigest || terms.dataDigest;
    service.placement = true; // CCCID or TTAG, and DATAO
    m_stream->SetService(service);
}

void
NvmeQueue::HandleTimeout()
{
    NS_LOG_FUNCTION(this);
    const Ptr<NvmeQueue> self(this);
    m_machine->HandleTimeout();
    Settle();
}

void
NvmeQueue::Settle()
{
    SendWaiting();
    if (!m_stream)
    {
        return;
    }
    switch (m_machine->GetState())
    {
    case NvmeMachine::State::TERMINATING:
        if (m_timer.IsExpired())
        {
            m_stream->Discard();
            m_timer = Simulator::Schedule(m_terminateTimeout, &NvmeQueue::HandleTimeout, this);
        }
        break;
    case NvmeMachine::State::OVER:
        m_timer.Cancel();
        m_stream->Discard();
        m_stream->Close();
        break;
    default:
        break;
    }
}

// ---- sending ------------------------------------------------------------------------------------

void
NvmeQueue::SendWaiting()
{
    NvmeOutgoing out;
    while (m_stream && m_stream->GetWaiting() == 0 && m_machine->Pop(out))
    {
        m_stream->Send(MakePacket(out));
        m_sentTrace(out.pdu);
    }
}

Ptr<Packet>
NvmeQueue::MakePacket(const NvmeOutgoing& out) const
{
    if (!out.own.empty())
    {
        const auto octets = out.pdu.Write(out.own.data());
        return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
    }
    const auto head = out.pdu.WriteHead();
    auto packet = Create<Packet>(head.data(), static_cast<uint32_t>(head.size()));
    if (out.size == 0)
    {
        return packet;
    }
    const NvmeData data = GetData(out.cid);
    const Ptr<Packet> part = data.MakePart(out.offset, out.size);
    packet->AddAtEnd(part);
    if (out.pdu.ch.HasDataDigest())
    {
        iwarp::Crc32c crc;
        if (data.IsVirtual())
        {
            crc.UpdateZeros(out.size);
        }
        else
        {
            crc.Update(CopyOctets(part, 0, out.size).data(), out.size);
        }
        std::array<uint8_t, nvme::DIGEST_SIZE> digest;
        crc.Write(digest.data());
        packet->AddAtEnd(Create<Packet>(digest.data(), nvme::DIGEST_SIZE));
    }
    return packet;
}

void
NvmeQueue::HandleRoom()
{
    const Ptr<NvmeQueue> self(this);
    SendWaiting();
}

// ---- receiving ----------------------------------------------------------------------------------

void
NvmeQueue::HandleHead(const uint8_t* octets, const RecordHead& /* head */)
{
    const Ptr<NvmeQueue> self(this);
    m_machine->ProcessHeader(octets);
    if (m_machine->GetState() == NvmeMachine::State::TERMINATING ||
        m_machine->GetState() == NvmeMachine::State::OVER)
    {
        Settle();
    }
}

void
NvmeQueue::HandlePayload(uint64_t octets)
{
    if (m_counting)
    {
        m_payloadTrace(octets);
    }
}

void
NvmeQueue::HandleRecord(const Ptr<Packet>& record, const RecordHead& head)
{
    const Ptr<NvmeQueue> self(this);
    const auto header =
        CopyOctets(record,
                   0,
                   std::min(record->GetSize(), nvme::MAX_HEADER_SIZE + nvme::DIGEST_SIZE));
    NvmePdu pdu;
    pdu.Read(header.data(), static_cast<uint32_t>(header.size())); // the framing has seen its size
    m_good = true;
    if (pdu.ch.HasDataDigest())
    {
        const auto data = CopyOctets(record, head.payloadOffset, head.payload + nvme::DIGEST_SIZE);
        m_good = nvme::IsDigestGood(data.data(), head.payload);
    }
    m_record = record;
    m_dataOffset = head.payloadOffset;
    m_receivedTrace(pdu, m_received, m_good);
    m_received += record->GetSize();
    m_machine->ProcessPdu(header.data(), pdu.ch.GetHeadSize(), m_good);
    m_record = nullptr;
    BeginService();
    Settle();
}

void
NvmeQueue::HandleClassified(bool header, bool whole)
{
    m_classifiedTrace(header, whole);
}

void
NvmeQueue::HandleHeld(uint64_t before, uint64_t after)
{
    m_heldTrace(before, after);
}

void
NvmeQueue::HandleDropped()
{
    m_droppedTrace();
}

void
NvmeQueue::HandleEnd(RecordStream::End end)
{
    const Ptr<NvmeQueue> self(this);
    NS_LOG_FUNCTION(this << static_cast<int>(end));
    m_machine->HandleClosed(end == RecordStream::End::CLOSED);
    Settle();
}

void
NvmeQueue::HandleReady(const NvmeTerms& /* terms */)
{
    m_timer.Cancel();
    SendWaiting(); // ICResp is the last that is sent before the user may
    if (auto user = GetUser())
    {
        user->HandleReady(*this);
    }
}

void
NvmeQueue::HandleData(uint16_t cid, uint32_t offset, uint32_t size)
{
    if (auto user = m_good ? GetUser() : nullptr)
    {
        user->HandleData(*this, cid, offset, m_record->CreateFragment(m_dataOffset, size));
    }
}

void
NvmeQueue::HandleEnd(const NvmeEnd& end)
{
    NS_LOG_INFO("the connection ends: " << static_cast<int>(end.kind));
    m_timer.Cancel();
    m_endedTrace(end);
    if (auto user = GetUser())
    {
        user->HandleEnd(*this, end);
    }
}

} // namespace ns3
