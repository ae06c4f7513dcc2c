/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-scratch.h"
#include "mpa-stream.h"

#include "ns3/log.h"

#include <vector>

namespace ns3
{

int
MpaStream::Send(const uint8_t* head,
                uint32_t headSize,
                const uint8_t* tail,
                uint32_t tailSize,
                const RecordSource& source)
{
    const uint64_t size = uint64_t{headSize} + tailSize;
    const bool accepted = GetState() == MpaStartup::State::FULL_RX_ONLY;
    m_errno = Socket::ERROR_NOTERROR;
    switch (m_sender.Judge(size, m_refuseOversize ? m_mulpdu.Get() : 0, accepted))
    {
    case MpaSender::Verdict::SEND:
        if (!SendFpdu(head, headSize, tail, tailSize, source))
        {
            // an FPDU larger than the whole send buffer would wait for ever
            const uint32_t seq = m_socket->GetNextTxOctet().GetValue();
            m_errno = m_sender.GetWireSize(size, seq) > m_socket->GetTxCapacity()
                          ? Socket::ERROR_MSGSIZE
                          : Socket::ERROR_AGAIN;
        }
        break;
    case MpaSender::Verdict::QUEUE:
        if (!m_sender.Enqueue(head, headSize, tail, tailSize, m_socket->GetTxAvailable()))
        {
            m_errno = Socket::ERROR_AGAIN;
        }
        break;
    case MpaSender::Verdict::BUSY:
        m_errno = Socket::ERROR_AGAIN;
        break;
    case MpaSender::Verdict::BAD_SIZE:
        m_errno = Socket::ERROR_MSGSIZE;
        break;
    case MpaSender::Verdict::SHUTDOWN:
        m_errno = Socket::ERROR_SHUTDOWN;
        break;
    case MpaSender::Verdict::NOT_OPEN:
        m_errno = Socket::ERROR_NOTCONN;
        break;
    }
    return m_errno == Socket::ERROR_NOTERROR ? static_cast<int>(size) : -1;
}

int
MpaStream::Send(Ptr<const Packet> ulpdu)
{
    std::vector<uint8_t> octets(ulpdu->GetSize());
    ulpdu->CopyData(octets.data(), octets.size());
    return Send(octets.data(), octets.size(), nullptr, 0);
}

bool
MpaStream::SendFpdu(const uint8_t* head,
                    uint32_t headSize,
                    const uint8_t* tail,
                    uint32_t tailSize,
                    const RecordSource& source)
{
    const uint32_t seq = m_socket->GetNextTxOctet().GetValue();
    const uint32_t wireSize = m_sender.GetWireSize(headSize + tailSize, seq);
    if (m_socket->GetTxAvailable() < wireSize)
    {
        return false;
    }
    MpaScratch fpdu(wireSize);
    m_sender.Encode(fpdu.Data(), head, headSize, tail, tailSize, seq);
    Ptr<Packet> record = Create<Packet>(fpdu.Data(), wireSize);
    if (m_socket->Send(record, 0) < 0)
    {
        return false;
    }
    if (source.inlined || source.places)
    {
        m_socket->NoteSource(wireSize, mpa::LENGTH_SIZE + headSize, source);
    }
    m_fpduSentTrace(seq, headSize + tailSize, wireSize);
    return true;
}

void
MpaStream::SendQueued()
{
    const std::vector<uint8_t>* ulpdu = m_sender.GetFront();
    while (ulpdu && SendFpdu(ulpdu->data(), ulpdu->size(), nullptr, 0))
    {
        m_sender.Pop();
        ulpdu = m_sender.GetFront();
    }
    if (!ulpdu && m_sender.IsShutdown())
    {
        m_socket->ShutdownSend();
    }
}

Socket::SocketErrno
MpaStream::GetErrno() const
{
    return m_errno;
}

uint32_t
MpaStream::GetMulpdu() const
{
    if (!m_dynamicMulpdu || !m_sender.IsOpen())
    {
        return m_mulpdu;
    }
    return m_sender.GetOfferedMulpdu(m_socket->GetEmss(),
                                     m_socket->GetRoomInSegment(),
                                     m_socket->GetNextTxOctet().GetValue());
}

uint32_t
MpaStream::GetTxAvailable() const
{
    const uint32_t room = m_socket ? m_socket->GetTxAvailable() : 0;
    const uint32_t queued = m_sender.GetQueued();
    return room > queued ? room - queued : 0;
}

void
MpaStream::ShutdownSend()
{
    NS_LOG_FUNCTION(this);
    if (!m_sender.IsShutdown() && m_socket)
    {
        m_sender.Shutdown(); // what was accepted goes first
        if (!m_sender.GetFront())
        {
            m_socket->ShutdownSend();
        }
    }
}

bool
MpaStream::WantsSources() const
{
    const RecordSegmentSink* sink = m_socket ? m_socket->GetSegmentSink() : nullptr;
    return sink && sink->WantsSources();
}

bool
MpaStream::CanSend() const
{
    return m_sender.IsOpen() && !m_sender.IsShutdown();
}

void
MpaStream::HandleSend(uint32_t room)
{
    if (!m_sender.IsOpen())
    {
        return;
    }
    Ptr<MpaStream> self(this);
    SendQueued();
    if (!m_sender.GetFront())
    {
        m_user->HandleRoom(*this, room);
    }
}

void
MpaStream::EmssChanged(uint32_t emss)
{
    if (!m_sender.IsOpen())
    {
        return;
    }
    const uint32_t mulpdu = m_sender.GetMulpdu(emss);
    if (mulpdu != m_mulpdu.Get())
    {
        Ptr<MpaStream> self(this);
        m_mulpdu = mulpdu;
        m_user->HandleMulpdu(*this);
    }
}

} // namespace ns3
