/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-split-connection.h"

#include "ns3/log.h"
#include "ns3/packet.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpSplitConnection");

TcpSplitConnection::TcpSplitConnection(Ptr<MpaTcpSocket> near,
                                       Ptr<MpaTcpSocket> far,
                                       ChangeFunction change)
    : m_ways{{{near, far}, {far, near}}},
      m_change(std::move(change))
{
    NS_LOG_FUNCTION(this << near << far);
    far->SetConnectCallback(MakeCallback(&TcpSplitConnection::Connected, this),
                            MakeCallback(&TcpSplitConnection::Lost, this));
    for (const auto& way : m_ways)
    {
        way.from->SetCloseCallbacks(MakeCallback(&TcpSplitConnection::Closed, this),
                                    MakeCallback(&TcpSplitConnection::Lost, this));
        way.from->SetRecvCallback(MakeCallback(&TcpSplitConnection::Received, this));
        way.from->SetSendCallback(MakeCallback(&TcpSplitConnection::Sent, this));
    }
}

TcpSplitConnection::~TcpSplitConnection()
{
    Detach();
}

void
TcpSplitConnection::Detach()
{
    const auto none = MakeNullCallback<void, Ptr<Socket>>();
    for (const auto& way : m_ways)
    {
        way.from->SetConnectCallback(none, none);
        way.from->SetCloseCallbacks(none, none);
        way.from->SetRecvCallback(none);
        way.from->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    }
}

void
TcpSplitConnection::Reset()
{
    NS_LOG_FUNCTION(this);
    if (m_over)
    {
        return;
    }
    m_over = true;
    m_end = End::RESET;
    Detach();
    for (const auto& way : m_ways)
    {
        way.from->EndWithin(Time(0));
    }
    Change();
}

void
TcpSplitConnection::Connected(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    m_connected = true;
    Move();
}

void
TcpSplitConnection::Lost(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    const bool isNear = socket == m_ways[0].from;
    const Way& from = m_ways[isNear ? 0 : 1];
    const Way& to = m_ways[isNear ? 1 : 0];
    if (from.rest && to.shut)
    { // both FINs are sent: what is left of this side's octets may still go to the other
        NS_LOG_LOGIC(this << " was closing");
        return;
    }
    Reset();
}

void
TcpSplitConnection::Closed(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    // ns-3 tells of a reset in the same way
    if (DynamicCast<MpaTcpSocket>(socket)->HasPeerClosed())
    {
        Move();
    }
    else
    {
        Reset();
    }
}

void
TcpSplitConnection::Received(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Move();
}

void
TcpSplitConnection::Sent(Ptr<Socket> socket, uint32_t room)
{
    NS_LOG_FUNCTION(this << socket << room);
    Move();
}

void
TcpSplitConnection::Move()
{
    if (m_connected && !(Move(m_ways[0]) && Move(m_ways[1])))
    {
        Reset();
        return;
    }
    m_over = m_ways[0].shut && m_ways[1].shut;
    if (m_over)
    {
        NS_LOG_LOGIC(this << " is closed both ways");
        Detach();
    }
    Change();
}

uint32_t
TcpSplitConnection::CountWaiting(const Way& way)
{
    return way.rest ? way.rest->GetSize() : way.from->GetRxAvailable();
}

bool
TcpSplitConnection::Move(Way& way)
{
    if (!way.rest && way.from->HasPeerClosed())
    { // a socket that has sent its FIN and gets one resets the connection if anything is left in it
        const uint32_t size = way.from->GetRxAvailable();
        way.rest = size > 0 ? way.from->Recv(size, 0) : Create<Packet>();
    }
    while (const uint32_t size = std::min(CountWaiting(way), way.to->GetTxAvailable()))
    {
        Ptr<Packet> octets = way.rest ? way.rest->CreateFragment(0, size) : way.from->Recv(size, 0);
        if (way.to->Send(octets, 0) < 0)
        {
            return false;
        }
        if (way.rest)
        {
            way.rest->RemoveAtStart(size);
        }
        way.moved += size;
    }
    if (!way.shut && way.rest && way.rest->GetSize() == 0)
    {
        way.shut = true;
        way.to->ShutdownSend();
    }
    return true;
}

void
TcpSplitConnection::Change()
{
    const Ptr<TcpSplitConnection> self(this); // whoever is told may let go of it
    const uint32_t held = m_over ? 0 : GetHeld(true) + GetHeld(false);
    const int64_t more = int64_t{held} - m_held;
    m_held = held;
    m_change(more);
}

bool
TcpSplitConnection::IsOver() const
{
    return m_over;
}

TcpSplitConnection::End
TcpSplitConnection::GetEnd() const
{
    return m_end;
}

uint64_t
TcpSplitConnection::GetMoved(bool forth) const
{
    return m_ways[forth ? 0 : 1].moved;
}

uint32_t
TcpSplitConnection::GetHeld(bool forth) const
{
    const Way& way = m_ways[forth ? 0 : 1];
    return CountWaiting(way) + way.to->GetTxCapacity() - way.to->GetTxAvailable();
}

} // namespace ns3
