/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-sender.h"

#include "mpa-scratch.h"
#include "mpa-tcp-socket.h"

#include <vector>

namespace ns3
{

MpaStreamSender::MpaStreamSender(MpaStreamTraces& traces)
    : m_traces(traces)
{
}

void
MpaStreamSender::Open(const MpaTcpSocket& socket, const mpa::FpduFormat& format)
{
    if (!m_sender.IsOpen())
    {
        m_sender.Open(format, socket.GetNextTxOctet().GetValue());
        m_traces.mulpdu = m_sender.GetMulpdu(socket.GetEmss());
    }
}

bool
MpaStreamSender::IsOpen() const
{
    return m_sender.IsOpen();
}

bool
MpaStreamSender::MaySend() const
{
    return m_sender.IsOpen() && !m_sender.IsShutdown();
}

int
MpaStreamSender::Send(MpaTcpSocket* socket,
                      const uint8_t* head,
                      uint32_t headSize,
                      const uint8_t* tail,
                      uint32_t tailSize,
                      const RecordSource& source,
                      uint32_t most,
                      bool accepted)
{
    const uint64_t size = uint64_t{headSize} + tailSize;
    m_errno = Socket::ERROR_NOTERROR;
    switch (m_sender.Admit(size, most, accepted))
    {
    case MpaSender::Admission::SEND:
        if (!SendFpdu(*socket, head, headSize, tail, tailSize, source))
        {
            // an FPDU larger than the whole send buffer would wait for ever
            const uint32_t seq = socket->GetNextTxOctet().GetValue();
            m_errno = m_sender.GetWireSize(size, seq) > socket->GetTxCapacity()
                          ? Socket::ERROR_MSGSIZE
                          : Socket::ERROR_AGAIN;
        }
        break;
    case MpaSender::Admission::QUEUE:
        if (!m_sender.Enqueue(head, headSize, tail, tailSize, socket->GetTxAvailable()))
        {
            m_errno = Socket::ERROR_AGAIN;
        }
        break;
    case MpaSender::Admission::BUSY:
        m_errno = Socket::ERROR_AGAIN;
        break;
    case MpaSender::Admission::BAD_SIZE:
        m_errno = Socket::ERROR_MSGSIZE;
        break;
    case MpaSender::Admission::SHUTDOWN:
        m_errno = Socket::ERROR_SHUTDOWN;
        break;
    case MpaSender::Admission::NOT_OPEN:
        m_errno = Socket::ERROR_NOTCONN;
        break;
    }
    return m_errno == Socket::ERROR_NOTERROR ? static_cast<int>(size) : -1;
}

Socket::SocketErrno
MpaStreamSender::GetErrno() const
{
    return m_errno;
}

void
MpaStreamSender::SetFramingAhead(uint32_t octets)
{
    m_ahead = octets;
}

uint32_t
MpaStreamSender::FindRoom(const MpaTcpSocket& socket) const
{
    return m_ahead > 0 && socket.GetUnsent() >= m_ahead ? 0 : socket.GetTxAvailable();
}

bool
MpaStreamSender::SendFpdu(MpaTcpSocket& socket,
                          const uint8_t* head,
                          uint32_t headSize,
                          const uint8_t* tail,
                          uint32_t tailSize,
                          const RecordSource& source)
{
    const uint32_t seq = socket.GetNextTxOctet().GetValue();
    const uint32_t wireSize = m_sender.GetWireSize(headSize + tailSize, seq);
    if (FindRoom(socket) < wireSize)
    {
        return false;
    }
    MpaScratch fpdu(wireSize);
    m_sender.Encode(fpdu.Data(), head, headSize, tail, tailSize, seq);
    Ptr<Packet> record = Create<Packet>(fpdu.Data(), wireSize);
    if (socket.Send(record, 0) < 0)
    {
        return false;
    }
    if (source.inlined || source.placements)
    {
        socket.SetSource(wireSize, mpa::LENGTH_SIZE + headSize, source);
    }
    m_traces.fpduSent(seq, headSize + tailSize, wireSize);
    return true;
}

bool
MpaStreamSender::SendQueued(MpaTcpSocket& socket)
{
    const std::vector<uint8_t>* ulpdu = m_sender.GetFront();
    while (ulpdu && SendFpdu(socket, ulpdu->data(), ulpdu->size(), nullptr, 0, {}))
    {
        m_sender.Pop();
        ulpdu = m_sender.GetFront();
    }
    if (!ulpdu && m_sender.IsShutdown())
    {
        socket.ShutdownSend();
    }
    return !m_sender.GetFront();
}

void
MpaStreamSender::Shutdown(MpaTcpSocket& socket)
{
    if (m_sender.IsShutdown())
    {
        return;
    }
    m_sender.Shutdown(); // what was accepted goes first
    if (!m_sender.GetFront())
    {
        socket.ShutdownSend();
    }
}

void
MpaStreamSender::Stop()
{
    m_sender.Shutdown();
}

uint32_t
MpaStreamSender::GetMulpdu(const MpaTcpSocket* socket, bool dynamic) const
{
    if (!dynamic || !m_sender.IsOpen())
    {
        return m_traces.mulpdu;
    }
    return m_sender.GetOfferedMulpdu(socket->GetEmss(),
                                     socket->GetRoomInSegment(),
                                     socket->GetNextTxOctet().GetValue());
}

bool
MpaStreamSender::UpdateMulpdu(uint32_t emss)
{
    const uint32_t before = m_traces.mulpdu;
    if (m_sender.IsOpen())
    {
        m_traces.mulpdu = m_sender.GetMulpdu(emss);
    }
    return m_traces.mulpdu.Get() != before;
}

uint32_t
MpaStreamSender::GetTxAvailable(const MpaTcpSocket* socket) const
{
    const uint32_t room = socket ? FindRoom(*socket) : 0;
    const uint32_t queued = m_sender.GetQueued();
    return room > queued ? room - queued : 0;
}

} // namespace ns3
