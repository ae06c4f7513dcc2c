/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket-factory.h"
#include "mpa-tcp-socket.h"

#include "ns3/log.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: the end of a connection, and of the attempt to get one. Each function names what it
 * mends of TcpSocketBase (3.35 to 3.48).
 */

namespace ns3
{

void
MpaTcpSocket::EndWithin(Time limit)
{
    NS_LOG_FUNCTION(this << limit);
    // the event holds the socket, of which the layer above may let go
    Simulator::Schedule(limit, &MpaTcpSocket::EndNow, Ptr<MpaTcpSocket>(this));
}

void
MpaTcpSocket::EndNow()
{
    NS_LOG_FUNCTION(this);
    if (m_state == CLOSED || m_state == TIME_WAIT || (!m_endPoint && !m_endPoint6))
    {
        return;
    }
    SendEmptyPacket(TcpHeader::RST);
    EndInError();
}

void
MpaTcpSocket::EndInError()
{
    NS_LOG_FUNCTION(this);
    // TcpSocketBase tells of the error first: who closes then has it send a FIN, or another reset
    m_state = CLOSED;
    CancelAllTimers();
    NotifyErrorClose();
    DeallocateEndPoint();
}

void
MpaTcpSocket::EndQuietly(bool error)
{
    NS_LOG_FUNCTION(this << error);
    m_state = CLOSED; // as in EndInError()
    CancelAllTimers();
    if (error)
    {
        NotifyErrorClose();
    }
    CloseAndNotify();
}

void
MpaTcpSocket::FailConnecting()
{
    NS_LOG_FUNCTION(this);
    m_rtt->Reset();
    m_state = CLOSED; // as in EndInError()
    LeaveSynBacklog();
    DeallocateEndPoint();
    NotifyConnectionFailed();
}

int
MpaTcpSocket::Close()
{
    NS_LOG_FUNCTION(this);
    // In error callbacks, the socket may be released
    Ptr<MpaTcpSocket> self(this);
    if (m_state == CLOSED || m_state == CLOSING)
    { // over, or on its way (RFC 9293 section 3.10.4): TcpSocketBase resets what both ends close
        return 0;
    }
    const Ptr<TcpRxBuffer> rx = m_tcb->m_rxBuffer;
    if (rx->Available() > 0 || ((!m_user || m_userSees) && rx->Size() > 0))
    {
        EndNow();
        return 0;
    }
    if (m_state == SYN_SENT && m_txBuffer->Size() == 0)
    { // TcpSocketBase sends a reset, which a peer that has not answered has no use for
        EndQuietly(true);
        return 0;
    }
    if (rx->Size() == 0)
    {
        return TcpSocketBase::Close();
    }
    // the user does not want what waits for octets ahead of it: TcpSocketBase would reset the
    // connection for it, and a Terminate would be lost
    if (m_txBuffer->SizeFromSequence(m_tcb->m_nextTxSequence) > 0)
    {
        m_closeOnEmpty = true;
        return 0;
    }
    return DoClose();
}

void
MpaTcpSocket::TakeReset(SequenceNumber32 seq)
{
    const SequenceNumber32 next = m_tcb->m_rxBuffer->NextRxSequence();
    if (seq == next)
    { // once both ends have closed it is no error: RFC 9293 section 3.10.7.4, second step
        EndQuietly(m_state != CLOSING && m_state != LAST_ACK && m_state != TIME_WAIT);
    }
    else if (m_state != SYN_RCVD && seq > next && seq - next < m_rightEdge.GetLeft(next))
    { // in SYN_RCVD the SYN is sent again, which challenges the peer as well
        Challenge();
    }
}

void
MpaTcpSocket::AnswerSynAgain(uint8_t flags)
{
    // TcpSocketBase counts each answer to a copy of the SYN as a try, and leaves without a word
    // when none is left; the timer runs as it did
    const Time rto = m_rto;
    const uint32_t tries = m_synCount;
    m_synCount = std::max(tries, 1U);
    TcpSocketBase::SendEmptyPacket(flags);
    m_synCount = tries;
    m_rto = rto;
}

void
MpaTcpSocket::WatchFin(bool running)
{
    // TcpSocketBase sends the FIN again after the same time for ever, in LAST_ACK besides with no
    // regard to MinRto
    const bool last = m_txBuffer->Size() == 0;
    if (last || !running)
    { // a cancelled event would stay until its time
        Simulator::Remove(m_retxEvent);
    }
    if (last)
    {
        m_retxEvent = Simulator::Schedule(m_rto.Get(), &MpaTcpSocket::ReTxTimeout, this);
    }
}

bool
MpaTcpSocket::IsFinPending() const
{
    return m_txBuffer->Size() == 0 &&
           (m_state == FIN_WAIT_1 || m_state == CLOSING || m_state == LAST_ACK);
}

bool
MpaTcpSocket::TimeOut()
{
    const bool fin = IsFinPending();
    if (m_state < ESTABLISHED || (m_txBuffer->Size() == 0 && !fin))
    {
        return m_state >= ESTABLISHED;
    }
    if (m_dataRetrCount == 0)
    {
        NS_LOG_LOGIC(this << " gives up");
        EndInError();
        return true;
    }
    if (fin)
    {
        m_dataRetrCount--;
        // RFC 6298, (5.5), and (2.5) as TcpSocketBase has it for data
        m_rto = std::max(m_rto.Get(), std::min(Seconds(60), Time(2 * m_rto.Get())));
        SendEmptyPacket(TcpHeader::FIN);
    }
    return fin;
}

void
MpaTcpSocket::LastAckTimeout()
{
    // the timer of the FIN is that of WatchFin(), in LAST_ACK as well
}

} // namespace ns3
