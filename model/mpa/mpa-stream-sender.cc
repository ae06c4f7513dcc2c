/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-mulpdu.h"
#include "mpa-scratch.h"
#include "mpa-stream.h"

#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaStreamSender");

int
MpaStream::Send(const uint8_t* head,
                uint32_t headSize,
                const uint8_t* tail,
                uint32_t tailSize,
                bool inlined)
{
    const uint64_t size = uint64_t{headSize} + tailSize;
    m_errno = Socket::ERROR_NOTERROR;
    if (size == 0 || size > mpa::MAX_ULPDU ||
        (m_refuseOversize && m_canSend && size > m_mulpdu.Get()))
    {
        m_errno = Socket::ERROR_MSGSIZE;
    }
    else if (m_sendShutdown)
    {
        m_errno = Socket::ERROR_SHUTDOWN;
    }
    else if (m_canSend)
    {
        if (!SendFpdu(head, headSize, tail, tailSize, inlined))
        {
            // an FPDU larger than the whole send buffer would wait for ever
            m_errno = mpa::WireSize(size, 0, m_txFormat.markers) > m_socket->GetTxCapacity()
                          ? Socket::ERROR_MSGSIZE
                          : Socket::ERROR_AGAIN;
        }
    }
    else if (m_startup && m_startup->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        if (m_txQueued + mpa::WireSize(size, 0, true) > m_socket->GetTxAvailable())
        {
            m_errno = Socket::ERROR_AGAIN;
        }
        else
        {
            std::vector<uint8_t> ulpdu(size);
            std::copy(head, head + headSize, ulpdu.begin());
            if (tail)
            {
                std::copy(tail, tail + tailSize, ulpdu.begin() + headSize);
            }
            m_txQueued += mpa::WireSize(size, 0, true);
            m_txQueue.push_back(std::move(ulpdu));
        }
    }
    else
    {
        m_errno = Socket::ERROR_NOTCONN;
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
                    bool inlined)
{
    const uint32_t seq = m_socket->GetNextTxOctet().GetValue();
    const uint32_t position = seq - m_txSeqStart;
    const uint32_t wireSize = mpa::WireSize(headSize + tailSize, position, m_txFormat.markers);
    if (m_socket->GetTxAvailable() < wireSize)
    {
        return false;
    }
    MpaScratch fpdu(wireSize);
    mpa::EncodeFpdu(fpdu.Data(), head, headSize, tail, tailSize, position, m_txFormat);
    Ptr<Packet> record = Create<Packet>(fpdu.Data(), wireSize);
    if (m_socket->Send(record, inlined ? MpaTcpSocket::INLINE : 0) < 0)
    {
        return false;
    }
    m_fpduSentTrace(seq, headSize + tailSize, wireSize);
    return true;
}

void
MpaStream::SendQueued()
{
    while (!m_txQueue.empty() &&
           SendFpdu(m_txQueue.front().data(), m_txQueue.front().size(), nullptr, 0))
    {
        m_txQueued -= mpa::WireSize(m_txQueue.front().size(), 0, true);
        m_txQueue.pop_front();
    }
    if (m_txQueue.empty() && m_sendShutdown)
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
    if (!m_dynamicMulpdu || !m_canSend)
    {
        return m_mulpdu;
    }
    return mpa::OfferedMulpdu(m_socket->GetEmss(),
                              m_socket->GetRoomInSegment(),
                              m_socket->GetNextTxOctet().GetValue() - m_txSeqStart,
                              m_txFormat.markers);
}

uint32_t
MpaStream::GetTxAvailable() const
{
    const uint32_t room = m_socket ? m_socket->GetTxAvailable() : 0;
    return room > m_txQueued ? room - m_txQueued : 0;
}

void
MpaStream::ShutdownSend()
{
    NS_LOG_FUNCTION(this);
    if (!m_sendShutdown && m_socket)
    {
        m_sendShutdown = true; // what was accepted goes first
        if (m_txQueue.empty())
        {
            m_socket->ShutdownSend();
        }
    }
}

void
MpaStream::HandleSend(uint32_t room)
{
    if (!m_canSend)
    {
        return;
    }
    Ptr<MpaStream> self(this);
    SendQueued();
    if (m_txQueue.empty())
    {
        m_user->HandleRoom(*this, room);
    }
}

void
MpaStream::EmssChanged(uint32_t emss)
{
    if (!m_canSend)
    {
        return;
    }
    const uint32_t mulpdu = mpa::Mulpdu(emss, m_txFormat.markers);
    if (mulpdu != m_mulpdu.Get())
    {
        Ptr<MpaStream> self(this);
        m_mulpdu = mulpdu;
        m_user->HandleMulpdu(*this);
    }
}

} // namespace ns3
