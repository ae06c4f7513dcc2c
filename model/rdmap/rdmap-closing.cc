/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-closing.h"

#include <utility>

namespace ns3
{

void
RdmapClosing::Close()
{
    if (m_state == State::OPEN)
    {
        m_state = State::DRAINING;
    }
    else if (m_state == State::PEER_CLOSED)
    {
        m_state = State::DRAINING_FOR_LAST;
    }
}

void
RdmapClosing::PeerClosed()
{
    switch (m_state)
    {
    case State::OPEN:
        m_state = State::PEER_CLOSED;
        break;
    case State::DRAINING:
        m_state = State::DRAINING_FOR_LAST;
        break;
    case State::SEND_CLOSED:
        m_state = State::BOTH_CLOSED;
        break;
    case State::PEER_CLOSED:
    case State::DRAINING_FOR_LAST:
    case State::TERMINATING:
    case State::BOTH_CLOSED:
    case State::CLOSED:
        break;
    }
}

RdmapClosing::Actions
RdmapClosing::Abort()
{
    if (std::exchange(m_state, State::CLOSED) == State::CLOSED)
    {
        return {};
    }
    return {Action::CLOSE_TCP, Action::LOSE_LLP, Action::FINISH};
}

RdmapClosing::Actions
RdmapClosing::Lost()
{
    if (std::exchange(m_state, State::CLOSED) == State::CLOSED)
    {
        return {};
    }
    return {Action::LOSE_LLP, Action::CLOSE_TCP, Action::FINISH};
}

RdmapClosing::Actions
RdmapClosing::StartupFailed()
{
    if (std::exchange(m_state, State::CLOSED) == State::CLOSED)
    {
        return {};
    }
    return {Action::LOSE_LLP};
}

RdmapClosing::Actions
RdmapClosing::Update(const Conditions& now)
{
    if (m_state == State::CLOSED)
    {
        return {};
    }
    if (m_state == State::BOTH_CLOSED)
    {
        m_state = State::CLOSED;
        return {Action::CLOSE_TCP, Action::FINISH};
    }
    if (now.failed)
    {
        return Fail(now);
    }
    if (now.held && (m_state == State::PEER_CLOSED || m_state == State::DRAINING_FOR_LAST))
    {
        return Lost(); // that FPDU can not come any more
    }
    if (now.owes && m_state == State::SEND_CLOSED && !std::exchange(m_limited, true))
    {
        return {Action::LIMIT_END}; // the peer may wait for ever
    }
    const bool draining = m_state == State::DRAINING || m_state == State::DRAINING_FOR_LAST;
    if (!draining || !now.drained)
    {
        return {};
    }
    if (!now.receives)
    {
        m_state = State::CLOSED;
        return {Action::CLOSE_TCP, Action::LOSE_LLP, Action::FINISH};
    }
    if (m_state == State::DRAINING)
    {
        m_state = State::SEND_CLOSED;
        return {Action::SHUTDOWN_SEND};
    }
    // ns-3's TCP takes any ACK for that of its FIN once both sides have closed, and forgets what is
    // still to be retransmitted: the second FIN waits until all data is acknowledged
    if (!now.acknowledged)
    {
        return {};
    }
    m_state = State::CLOSED;
    return {Action::SHUTDOWN_SEND, Action::CLOSE_TCP, Action::FINISH};
}

RdmapClosing::Actions
RdmapClosing::Fail(const Conditions& now)
{
    if (!now.receives)
    {
        return {}; // startup ends with the peer's frame, or without it
    }
    Actions actions;
    if (m_state != State::TERMINATING)
    {
        actions.push_back(Action::LIMIT_END);
    }
    // a Terminate gets the chance to leave before FIN (RFC 5040 section 6.2)
    if (now.terminatePending && now.sends && MaySend())
    {
        m_state = State::TERMINATING;
        return actions;
    }
    m_state = State::CLOSED;
    actions.insert(actions.end(), {Action::CLOSE_TCP, Action::FINISH});
    return actions;
}

RdmapClosing::State
RdmapClosing::GetState() const
{
    return m_state;
}

bool
RdmapClosing::MaySend() const
{
    return m_state == State::OPEN || m_state == State::DRAINING || m_state == State::PEER_CLOSED ||
           m_state == State::DRAINING_FOR_LAST || m_state == State::TERMINATING;
}

bool
RdmapClosing::IsIdle() const
{
    return m_state == State::OPEN || m_state == State::CLOSED;
}

} // namespace ns3
