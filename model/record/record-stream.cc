/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-stream.h"

#include "record-tcp-socket.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecordStream");

namespace
{

constexpr uint32_t STREAM_READ = 65536; //!< octets that are taken out of TCP at once

} // namespace

RecordStream::RecordStream(const RecordFraming& framing, User& user)
    : m_framing(framing),
      m_user(user)
{
}

RecordStream::~RecordStream()
{
    Release();
}

void
RecordStream::Open(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    NS_ABORT_MSG_IF(m_socket, "RecordStream::Open: the stream is open");
    m_socket = socket;
    m_recordSocket = DynamicCast<RecordTcpSocket>(socket);
    m_chain = std::make_unique<RecordChain>(m_framing);
    m_record = Create<Packet>();
    m_socket->SetRecvCallback(MakeCallback(&RecordStream::HandleReceive, this));
    m_socket->SetSendCallback(MakeCallback(&RecordStream::HandleSend, this));
    m_socket->SetCloseCallbacks(MakeCallback(&RecordStream::HandleNormalClose, this),
                                MakeCallback(&RecordStream::HandleErrorClose, this));
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
RecordStream::Release()
{
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
        if (size > room && m_recordSocket && size <= m_recordSocket->GetTxCapacity())
        {
            return false; // there will be room for all of it
        }
        if (size > room)
        {
            const uint32_t segment = m_recordSocket ? m_recordSocket->GetEmss() : 1;
            size = room / segment * segment;
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
        }
    }
    return true;
}

void
RecordStream::HandleSend(Ptr<Socket> /* socket */, uint32_t /* room */)
{
    const Ptr<RecordStream> self(this);
    if (!SendWaiting())
    {
        return;
    }
    if (m_closing)
    {
        m_socket->Close();
    }
    else
    {
        m_user.HandleRoom();
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

void
RecordStream::HandleReceive(Ptr<Socket> socket)
{
    const Ptr<RecordStream> self(this);
    while (m_socket && socket->GetRxAvailable() > 0)
    {
        // all at once would have TCP put all that is there into one packet
        Read(socket->Recv(STREAM_READ, 0));
    }
}

void
RecordStream::Read(const Ptr<Packet>& packet)
{
    if (m_over)
    {
        return;
    }
    const uint64_t begin = m_chain->GetPosition();
    const uint32_t size = packet->GetSize();
    std::vector<RecordChain::Record> records;
    if (const auto* record = m_chain->GetRecord())
    {
        records.push_back(*record);
    }
    m_chain->Follow(
        size,
        [&packet](uint32_t at, uint32_t octets, uint8_t* to) {
            packet->CreateFragment(at, octets)->CopyData(to, octets);
        },
        [&records](const RecordChain::Record& record) { records.push_back(record); });
    uint64_t at =
        begin; // what is before has been handed up, or is part of a head that is not whole
    for (const auto& record : records)
    {
        const uint64_t end = std::min(record.GetEnd(), begin + size);
        const auto from = static_cast<uint32_t>(at - begin);
        Advance(record, at, packet->CreateFragment(from, static_cast<uint32_t>(end - at)));
        at = end;
        if (m_over)
        {
            return;
        }
    }
    if (m_chain->IsBroken())
    {
        Finish(End::BROKEN);
    }
    else if (at < begin + size)
    {
        const auto from = static_cast<uint32_t>(at - begin);
        m_record->AddAtEnd(packet->CreateFragment(from, size - from));
    }
}

void
RecordStream::Advance(const RecordChain::Record& record, uint64_t from, const Ptr<Packet>& octets)
{
    const uint64_t to = from + octets->GetSize();
    const uint64_t payload = record.start + record.head.payloadOffset;
    const uint64_t first = std::max(from, payload);
    const uint64_t last = std::min(to, payload + record.head.payload);
    m_record->AddAtEnd(octets);
    if (first < last)
    {
        m_user.HandlePayload(last - first);
    }
    if (to == record.GetEnd() && !m_over)
    {
        const Ptr<Packet> whole = std::exchange(m_record, Create<Packet>());
        m_user.HandleRecord(whole, record.head);
    }
}

void
RecordStream::Finish(End end)
{
    if (!m_over)
    {
        NS_LOG_INFO("the stream ends: " << static_cast<int>(end));
        m_over = true;
        m_user.HandleEnd(end);
    }
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
