/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * \file
 * MpaStartup: the ways in which it ends without, or behind, Full Operation.
 */

#include "mpa-startup.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Kind = MpaStartup::Action::Kind;

} // namespace

MpaStartup::Actions
MpaStartup::Close()
{
    Actions actions;
    if (m_state == State::WAIT_FRAME)
    {
        actions.push_back({Kind::STOP_TIMER});
    }
    if (m_state != State::CLOSED)
    {
        actions.push_back({Kind::CLOSE});
    }
    m_state = State::CLOSED;
    return actions;
}

MpaStartup::Actions
MpaStartup::LocalError(const std::string& reason)
{
    const bool maySend = m_state == State::FULL ||
                         (m_state == State::ULP_DECIDES && m_config.role == MpaRole::INITIATOR);
    if (m_state == State::STREAM || m_state == State::CLOSED)
    {
        return {{Kind::FAIL, {}, MpaError::NONE, "MPA is not on: no error of its can end TCP"}};
    }
    if (maySend && m_result.enhanced.used)
    {
        return Terminate(MpaError::LOCAL_CATASTROPHIC, reason);
    }
    return Abandon(MpaError::LOCAL_CATASTROPHIC, reason);
}

MpaStartup::Actions
MpaStartup::Timeout()
{
    if (m_state != State::WAIT_FRAME)
    {
        return {};
    }
    const std::string frame = m_config.role == MpaRole::INITIATOR ? "Reply" : "Request";
    Actions actions = Abandon(MpaError::NONE,
                              m_partial.empty() ? "no " + frame + " Frame came in time"
                                                : "the " + frame + " Frame did not end in time");
    actions.erase(actions.begin()); // the timer has just run out
    return actions;
}

MpaStartup::Actions
MpaStartup::ConnectionLost()
{
    const State before = m_state;
    m_state = State::CLOSED;
    if (before == State::CLOSED || before == State::STREAM)
    {
        return {};
    }
    Actions actions;
    if (before == State::WAIT_FRAME)
    {
        actions.push_back({Kind::STOP_TIMER});
    }
    m_unanswered = before == State::WAIT_FRAME && m_partial.empty();
    if (before == State::WAIT_FRAME || before == State::ULP_DECIDES)
    { // if it was the peer's FIN, this side's follows; in Full Operation the ULP sees to that
        actions.push_back({Kind::CLOSE});
    }
    actions.push_back({Kind::FAIL,
                       {},
                       MpaError::CONNECTION_LOST,
                       MayRetryUnenhanced()
                           ? "TCP ended without a Reply; the peer may know revision 1 only"
                           : "TCP connection lost or closed by the peer"});
    return actions;
}

bool
MpaStartup::MayRetryUnenhanced() const
{
    return m_unanswered && m_config.role == MpaRole::INITIATOR && m_ownFrame.IsEnhanced();
}

MpaStartup::Actions
MpaStartup::Abandon(MpaError error, const std::string& reason)
{
    Actions actions;
    if (m_state == State::WAIT_FRAME)
    {
        actions.push_back({Kind::STOP_TIMER});
    }
    m_state = State::CLOSED;
    m_partial.clear();
    actions.push_back({Kind::CLOSE});
    actions.push_back({Kind::FAIL, {}, error, reason});
    return actions;
}

MpaStartup::Actions
MpaStartup::Terminate(MpaError error, const std::string& reason)
{
    Actions actions = Abandon(error, reason);
    const auto close = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
        return action.kind == Kind::CLOSE;
    });
    actions.insert(close, Action{Kind::SEND_TERMINATE, {}, error, reason});
    return actions;
}

} // namespace ns3
