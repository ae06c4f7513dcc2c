/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-stream.h"

#include "record-segment-report.h"
#include "record-segment-sink.h"
#include "record-tcp-socket.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/util-sequence.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecordStream");

namespace
{

constexpr uint32_t STREAM_READ = 65536; //!< octets that are taken out of TCP at once

} // namespace

void
RecordStream::User::HandleHead(const uint8_t* /* octets */, const RecordHead& /* head */)
{
}

RecordStream::RecordStream(const RecordFraming& framing, User& user)
    : m_framing(framing),
      m_user(user)
{
}

RecordStream::~RecordStream()
{
    Leave();
}

void
RecordStream::Open(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_socket, "RecordStream::Open: the stream is open");
    m_socket = socket;
    m_chain = std::make_unique<RecordChain>(m_framing);
    m_record = Create<Packet>();
    m_recordSocket = DynamicCast<RecordTcpSocket>(socket);
    if (m_recordSocket)
    {
        m_base = m_recordSocket->GetNextRxOctet().GetValue();
        m_sink = m_recordSocket->GetSegmentSink();
        m_offload = m_recordSocket->GetOffload();
        m_recordSocket->SetUser(this, true);
    }
    m_socket->SetRecvCallback(MakeCallback(&RecordStream::HandleReceive, this));
    m_socket->SetSendCallback(MakeCallback(&RecordStream::HandleSend, this));
    m_socket->SetCloseCallbacks(MakeCallback(&RecordStream::HandleNormalClose, this),
                                MakeCallback(&RecordStream::HandleErrorClose, this));
}

void
RecordStream::SetService(const RecordService& service)
{
    NS_ABORT_MSG_UNLESS(IsNextKnown(), "RecordStream::SetService: the stream stands within a head");
    m_service = service;
    if (m_offload)
    {
        const auto* record = m_chain->GetRecord();
        const uint64_t next = record ? record->GetEnd() : m_chain->GetPosition();
        m_offload->SetService(service);
        m_isFollowed = m_offload->Follow(m_framing, static_cast<uint32_t>(m_base + next), *this);
    }
}

bool
RecordStream::IsNextKnown() const
{
    return m_chain && (m_chain->GetRecord() || m_chain->IsAtBoundary());
}

bool
RecordStream::IsOpen() const
{
    return m_socket != nullptr;
}

Ptr<Socket>
RecordStream::GetSocket() const
{
    return m_socket;
}

Ptr<RecordTcpSocket>
RecordStream::GetRecordSocket() const
{
    return m_recordSocket;
}

void
RecordStream::Leave()
{
    m_over = true;
    Unfollow();
    if (m_recordSocket)
    {
        m_recordSocket->SetUser(nullptr, false);
    }
    if (m_socket)
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        m_socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                    MakeNullCallback<void, Ptr<Socket>>());
        m_socket = nullptr;
        m_recordSocket = nullptr;
    }
}

// ---- sending ------------------------------------------------------------------------------------

void
RecordStream::Send(Ptr<Packet> record)
{
    NS_LOG_FUNCTION(this << record->GetSize());
    NS_ABORT_MSG_IF(!m_socket || m_closing, "RecordStream::Send: the stream is not open");
    m_octetsWaiting += record->GetSize();
    m_waiting.push_back(std::move(record));
    if (m_waiting.size() == 1)
    {
        SendWaiting();
    }
}

uint64_t
RecordStream::GetWaiting() const
{
    return m_octetsWaiting;
}

bool
RecordStream::SendWaiting()
{
    while (!m_waiting.empty())
    {
        Ptr<Packet>& record = m_waiting.front();
        const uint32_t room = m_socket->GetTxAvailable();
        uint32_t size = record->GetSize();
        if (size > room)
        {
            // a send buffer that is smaller than a segment is filled as a whole
            const uint32_t segment =
                m_recordSocket
                    ? std::clamp(m_recordSocket->GetTxCapacity(), 1U, m_recordSocket->GetEmss())
                    : 1;
            if (m_recordSocket && size <= segment)
            {
                return false; // there will be room for all of it
            }
            size = room / segment * segment;
            if (m_recordSocket && !m_isBegun && size > 0)
            {
                m_recordSocket->BeginRecord(record->GetSize());
                m_isBegun = true;
            }
        }
        const int taken = size > 0 ? m_socket->Send(record->CreateFragment(0, size)) : 0;
        if (taken <= 0)
        {
            return false;
        }
        m_octetsWaiting -= static_cast<uint32_t>(taken);
        if (static_cast<uint32_t>(taken) < record->GetSize())
        {
            record = record->CreateFragment(taken, record->GetSize() - taken);
        }
        else
        {
            m_waiting.pop_front();
            m_isBegun = false;
        }
    }
    return true;
}

void
RecordStream::HandleSend(Ptr<Socket> /* socket */, uint32_t /* room */)
{
    const Ptr<RecordStream> self(this);
    const bool waited = !m_waiting.empty();
    if (!SendWaiting())
    {
        return;
    }
    if (!m_closing)
    {
        m_user.HandleRoom();
    }
    else if (waited) // once: ns-3's TCP resets a connection that is closed where octets came ahead
    {
        m_socket->Close();
    }
}

void
RecordStream::Close()
{
    NS_LOG_FUNCTION(this);
    if (m_socket && !m_closing)
    {
        m_closing = true;
        if (m_waiting.empty())
        {
            m_socket->Close();
        }
    }
}

// ---- receiving ----------------------------------------------------------------------------------

uint64_t
RecordStream::GetOffset(uint32_t seq) const
{
    return iwarp::UnwrapSequence(m_base + m_chain->GetPosition(), seq) - m_base;
}

RecordVerdict
RecordStream::InspectSegment(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    if (!IsTaking())
    {
        return RecordVerdict::KEEP; // the chain stands still: TCP alone gets to the end
    }
    const Ptr<RecordStream> self(this);
    const uint32_t size = packet->GetSize();
    const uint64_t start = GetOffset(seq.GetValue());
    const bool isHeld = start > m_chain->GetPosition();
    const bool isHardware = m_offload && m_offload->HoldsSegments();
    const uint64_t before = m_arrivals.GetHeld();
    RecordSegmentReport report;
    if (isHeld && isHardware && m_sink->HasMemoryLimit() && size > m_sink->GetMemoryRoom(false))
    {
        report.dropped = report.memoryFull = true;
        m_sink->Segment(report, size, {}, before);
        m_user.HandleDropped();
        return RecordVerdict::DROP;
    }
    m_arrivals.Add(start, start + size, m_isFollowed && m_offload->WasWorkedOn(), isHeld);
    m_classifier.Add(start, start + size, !isHeld && m_chain->IsAtBoundary(), false);
    if (isHeld)
    {
        const uint64_t held = m_arrivals.GetHeld();
        m_user.HandleHeld(before, held);
        if (isHardware)
        {
            report.stored = size;
            m_sink->Segment(report, size, {}, held);
        }
    }
    return RecordVerdict::KEEP;
}

void
RecordStream::EmssChanged(uint32_t /* emss */)
{
}

void
RecordStream::HandleReceive(Ptr<Socket> socket)
{
    const Ptr<RecordStream> self(this);
    while (m_socket && socket->GetRxAvailable() > 0)
    {
        // all at once would have TCP put all that is there into one packet
        Read(socket->Recv(STREAM_READ, 0));
    }
    if (m_isFollowed && m_offload->WaitsForSoftware() && m_missed >= m_patience)
    {
        ResumeOffload();
    }
}

void
RecordStream::Read(const Ptr<Packet>& packet)
{
    if (!IsTaking())
    {
        return;
    }
    const Ptr<RecordTcpSocket> socket = m_recordSocket; // with what is below it, until all is told
    const uint64_t begin = m_chain->GetPosition();
    const uint64_t end = begin + packet->GetSize();
    RecordSegmentReport report;
    report.stateFetches = m_chain->IsAtBoundary() ? 0 : 1;
    std::vector<RecordChain::Record> records;
    const auto* last = m_chain->GetRecord();
    if (last)
    {
        records.push_back(*last);
    }
    m_chain->Follow(
        packet->GetSize(),
        [&packet](uint32_t at, uint32_t octets, uint8_t* to) {
            packet->CreateFragment(at, octets)->CopyData(to, octets);
        },
        [&records](const RecordChain::Record& record) { records.push_back(record); });
    AnswerGuesses(records);
    uint64_t at =
        begin; // what is before has been handed up, or is part of a head that is not whole
    for (const auto& record : records)
    {
        if (!IsTaking())
        {
            break;
        }
        const uint64_t to = std::min(record.GetEnd(), end);
        const auto from = static_cast<uint32_t>(at - begin);
        Advance(record, at, packet->CreateFragment(from, static_cast<uint32_t>(to - at)), report);
        at = to;
    }
    if (IsTaking() && at < end && !m_chain->IsBroken())
    {
        const auto from = static_cast<uint32_t>(at - begin);
        m_record->AddAtEnd(packet->CreateFragment(from, static_cast<uint32_t>(end - at)));
    }
    Report(begin, report);
    if (m_chain->IsBroken() && IsTaking())
    {
        Tell([this] { m_user.HandleHead(m_chain->GetHead(), RecordHead()); });
        Tell([this] { Finish(End::BROKEN); });
    }
    TellNews();
}

template <typename F>
void
RecordStream::Tell(F tell)
{
    if (m_sink)
    {
        m_news.push_back(std::move(tell));
    }
    else if (IsTaking())
    {
        tell();
    }
}

void
RecordStream::TellNews()
{
    if (m_news.empty())
    {
        return;
    }
    m_hostView.Notify(m_sink, Ptr<RecordStream>(this), [this, news = std::exchange(m_news, {})] {
        for (const auto& tell : news)
        {
            if (IsTaking())
            {
                tell();
            }
        }
    });
}

void
RecordStream::Advance(const RecordChain::Record& record,
                      uint64_t from,
                      const Ptr<Packet>& octets,
                      RecordSegmentReport& report)
{
    const uint64_t to = from + octets->GetSize();
    const uint64_t headEnd = record.start + m_framing.GetHeadSize();
    const uint64_t payload = record.start + record.head.payloadOffset;
    const uint64_t first = std::max(from, payload);
    const uint64_t last = std::min(to, payload + record.head.payload);
    const bool isWhole = to == record.GetEnd();
    if (m_sink)
    {
        if (first < last)
        {
            m_placements.push_back({last - first, m_arrivals.CountHeld(first, last)});
            report.copies++;
            report.placedAhead += m_service.placement ? m_arrivals.CountWorked(first, last) : 0;
        }
        if (m_offload && m_offload->HoldsSegments())
        {
            report.crcOctets += m_service.crc ? to - from : 0;
            report.crcRuns += m_service.crc ? 1 : 0;
            report.cipherOctets += m_service.cipher ? to - from : 0;
        }
        else if (isWhole)
        {
            Serve(record, report);
        }
    }
    m_record->AddAtEnd(octets);
    if (from < headEnd && headEnd <= to)
    {
        std::array<uint8_t, RecordChain::MAX_HEAD> head;
        m_record->CopyData(head.data(), m_framing.GetHeadSize());
        Tell([this, head, said = record.head] { m_user.HandleHead(head.data(), said); });
    }
    if (first < last)
    {
        Tell([this, octets = last - first] { m_user.HandlePayload(octets); });
    }
    if (!isWhole || !IsTaking())
    {
        return;
    }
    report.passed++;
    const uint64_t worked = m_arrivals.CountWorked(record.start, record.GetEnd());
    m_missed = worked > 0 ? 0 : m_missed + 1;
    m_patience = worked > 0 ? RESUME_AFTER : m_patience;
    m_classifier.Reach(record.GetEnd(), [this](const RecordSegmentClassifier::Segment& segment) {
        m_user.HandleClassified(segment.headerAligned, segment.recordAligned);
    });
    m_classifier.Purge();
    Tell([this, worked, whole = std::exchange(m_record, Create<Packet>()), said = record.head] {
        m_worked = worked;
        m_user.HandleRecord(whole, said);
    });
}

void
RecordStream::Serve(const RecordChain::Record& record, RecordSegmentReport& report) const
{
    const uint64_t worked = m_arrivals.CountWorked(record.start, record.GetEnd());
    if (worked == record.head.size)
    {
        return;
    }
    if (m_service.crc)
    {
        report.crcOctets += record.head.size;
        report.crcRuns++;
    }
    if (m_service.cipher)
    { // what was deciphered is enciphered again, so that the tag can be checked
        report.cipherOctets += record.head.size + worked;
    }
}

void
RecordStream::Report(uint64_t begin, RecordSegmentReport& report)
{
    const uint64_t end = m_chain->GetPosition();
    const uint64_t before = m_arrivals.GetHeld();
    m_arrivals.DropUpTo(end, m_chain->GetStart());
    const uint64_t held = m_arrivals.GetHeld();
    if (held != before)
    {
        m_user.HandleHeld(before, held);
    }
    if (m_sink)
    {
        const bool isBoundary = m_chain->IsAtBoundary();
        report.inOrder = true;
        report.aligned = report.stateFetches == 0 && isBoundary;
        report.partialCrcFetches = m_service.crc ? report.stateFetches : 0;
        report.partialCrcStores = m_service.crc && !isBoundary ? 1 : 0;
        const RecordPlacementList placements = std::exchange(m_placements, {});
        m_sink->Segment(report, static_cast<uint32_t>(end - begin), placements, held);
    }
}

// ---- hardware that works on records -------------------------------------------------------------

void
RecordStream::HandleGuess(uint32_t seq)
{
    m_guesses.insert(GetOffset(seq));
}

void
RecordStream::AnswerGuesses(const std::vector<RecordChain::Record>& records)
{
    for (auto guess = m_guesses.begin();
         guess != m_guesses.end() && *guess + m_framing.GetHeadSize() <= m_chain->GetPosition();
         guess = m_guesses.erase(guess))
    {
        const bool isRecord = std::any_of(records.begin(), records.end(), [&guess](const auto& r) {
            return r.start == *guess;
        });
        m_offload->Answer(static_cast<uint32_t>(m_base + *guess), isRecord);
    }
}

void
RecordStream::Unfollow()
{
    if (std::exchange(m_isFollowed, false))
    {
        m_offload->Unfollow();
    }
}

void
RecordStream::ResumeOffload()
{
    const auto* record = m_chain->GetRecord();
    if (!record && !m_chain->IsAtBoundary())
    {
        return; // the head under way tells
    }
    const uint64_t next = record ? record->GetEnd() : m_chain->GetPosition();
    m_offload->Resume(static_cast<uint32_t>(m_base + next));
    m_missed = 0;
    m_patience = std::min(2 * m_patience, RESUME_MOST);
}

uint64_t
RecordStream::GetWorkedOn() const
{
    return m_worked;
}

// ---- the end ------------------------------------------------------------------------------------

void
RecordStream::User::HandleClassified(bool /* headerAligned */, bool /* recordAligned */)
{
}

void
RecordStream::User::HandleHeld(uint64_t /* before */, uint64_t /* after */)
{
}

void
RecordStream::User::HandleDropped()
{
}

bool
RecordStream::IsTaking() const
{
    return !m_over && !m_discarding;
}

void
RecordStream::Discard()
{
    NS_LOG_FUNCTION(this);
    m_discarding = true;
    m_record = Create<Packet>();
    ForgetSegments();
    Unfollow();
}

void
RecordStream::ForgetSegments()
{
    m_classifier = RecordSegmentClassifier();
    const uint64_t before = std::exchange(m_arrivals, RecordArrivals()).GetHeld();
    if (before > 0)
    {
        m_user.HandleHeld(before, 0);
        if (m_sink)
        {
            m_sink->ReleaseHeld();
        }
    }
}

void
RecordStream::Finish(End end)
{
    m_hostView.Notify(m_sink, Ptr<RecordStream>(this), [this, end] {
        if (!m_over)
        {
            NS_LOG_INFO("the stream ends: " << static_cast<int>(end));
            m_over = true;
            ForgetSegments();
            Unfollow();
            m_user.HandleEnd(end);
        }
    });
}

void
RecordStream::HandleNormalClose(Ptr<Socket> socket)
{
    const Ptr<RecordStream> self(this);
    HandleReceive(socket);
    // ns-3 tells of an RST in the same way
    const bool isReset = m_recordSocket && !m_recordSocket->HasPeerClosed();
    Finish(isReset ? End::LOST : m_chain->IsAtBoundary() ? End::CLOSED : End::TRUNCATED);
}

void
RecordStream::HandleErrorClose(Ptr<Socket> /* socket */)
{
    const Ptr<RecordStream> self(this);
    Finish(End::LOST);
}

} // namespace ns3
