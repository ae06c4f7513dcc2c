/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-startup.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Action = MpaStartup::Action;
using Kind = MpaStartup::Action::Kind;

/**
 * @param kind what to do
 * @return an action without further fields
 */
Action
Do(Kind kind)
{
    return Action{kind};
}

/**
 * @param frame frame to send
 * @return the action that sends it
 */
Action
Send(const MpaStartupFrame& frame)
{
    return Action{Kind::SEND_FRAME, frame.Encode()};
}

/**
 * @param error code for DDP
 * @param reason for people
 * @return the action that tells the ULP
 */
Action
Fail(MpaError error, const std::string& reason)
{
    return Action{Kind::FAIL, {}, error, reason};
}

/**
 * @param reason what the caller did wrong
 * @return a refusal that changes nothing
 */
MpaStartup::Actions
Misuse(const std::string& reason)
{
    return {Fail(MpaError::NONE, reason)};
}

/**
 * @param size octets of Private Data given by the ULP
 * @return the refusal's text
 */
std::string
TooMuchPrivateData(std::size_t size)
{
    return std::to_string(size) + " octets of Private Data; a frame takes at most " +
           std::to_string(MpaStartupFrame::MAX_PRIVATE_DATA);
}

} // namespace

MpaStartup::MpaStartup(const MpaStartupConfig& config)
    : m_config(config)
{
    NS_ABORT_MSG_IF(config.revision < 1,
                    "the highest MPA revision is at least 1; revision 0 is a "
                    "matter of the personality (PERMISSIVE or RDMAC)");
}

MpaStartup::Actions
MpaStartup::Start(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::STREAM)
    {
        return Misuse("MPA is already started on this connection, or the connection is closed");
    }
    if (privateData.size() > MpaStartupFrame::MAX_PRIVATE_DATA)
    {
        return Misuse(TooMuchPrivateData(privateData.size()));
    }
    if (m_config.role == MpaRole::RESPONDER)
    {
        if (!privateData.empty())
        {
            return Misuse("a Responder gives its Private Data to Accept() or Reject()");
        }
        m_state = State::WAIT_FRAME;
        return {Do(Kind::START_TIMER)};
    }
    m_ownFrame = MpaMakeRequest(m_config);
    m_ownFrame.privateData = privateData;
    m_state = State::WAIT_FRAME;
    return {Send(m_ownFrame), Do(Kind::START_TIMER)};
}

MpaStartup::Actions
MpaStartup::Receive(const uint8_t* data, std::size_t size, std::size_t& consumed)
{
    consumed = 0;
    if (size == 0)
    {
        return {};
    }
    if (m_state == State::ULP_DECIDES &&
        (m_config.role == MpaRole::RESPONDER || m_config.waitForFirstFpdu))
    {
        consumed = size;
        return Abandon(MpaError::INVALID_STARTUP,
                       "octets behind the peer's frame, more than PD_Length says");
    }
    if (m_state != State::WAIT_FRAME)
    {
        return {};
    }

    constexpr std::size_t longest =
        MpaStartupFrame::HEADER_SIZE + MpaStartupFrame::MAX_PRIVATE_DATA;
    const std::size_t before = m_partial.size();
    m_partial.insert(m_partial.end(), data, data + std::min(size, longest - before));
    consumed = size;
    switch (MpaStartupFrame::Decode(m_partial.data(),
                                    m_partial.size(),
                                    m_config.role == MpaRole::INITIATOR,
                                    m_peerFrame))
    {
    case MpaStartupFrame::Status::INCOMPLETE:
        return {};
    case MpaStartupFrame::Status::BAD_KEY:
        return Abandon(MpaError::INVALID_STARTUP, DescribeBadKey());
    case MpaStartupFrame::Status::BAD_LENGTH:
        return Abandon(MpaError::INVALID_STARTUP, "PD_Length above 512");
    case MpaStartupFrame::Status::COMPLETE:
        break;
    }
    consumed = MpaStartupFrame::HEADER_SIZE + m_peerFrame.privateData.size() - before;
    m_partial.clear();
    return TakeFrame(consumed < size);
}

MpaStartup::Actions
MpaStartup::TakeFrame(bool more)
{
    const bool initiator = m_config.role == MpaRole::INITIATOR;
    const MpaRevisionVerdict verdict = MpaJudgeRevision(m_config, m_peerFrame.revision);
    if (verdict != MpaRevisionVerdict::USABLE)
    {
        Actions actions = Abandon(MpaError::NONE,
                                  "the peer's MPA revision " +
                                      std::to_string(m_peerFrame.revision) + " is not usable");
        if (verdict == MpaRevisionVerdict::REPLY_CLOSE)
        {
            actions.insert(actions.begin() + 1, Send(MpaMakeReply(m_config, m_peerFrame)));
        }
        return actions;
    }
    if (m_peerFrame.privateData.size() > m_config.privateDataLimit)
    {
        return Abandon(MpaError::INVALID_STARTUP,
                       "the peer's Private Data exceed the ULP's buffer");
    }
    if (initiator && m_peerFrame.reject)
    {
        m_state = m_config.closeOnReject ? State::CLOSED : State::STREAM;
        Actions actions{Do(Kind::STOP_TIMER), Do(Kind::REPORT_REJECT)};
        if (m_config.closeOnReject)
        {
            actions.push_back(Do(Kind::CLOSE));
        }
        return actions;
    }
    if (more && (!initiator || m_config.waitForFirstFpdu))
    {
        return Abandon(MpaError::INVALID_STARTUP,
                       "octets behind the peer's frame, more than PD_Length says");
    }
    if (!initiator)
    {
        m_ownFrame = MpaMakeReply(m_config, m_peerFrame);
    }
    m_result = initiator ? MpaSettle(m_config.role, m_ownFrame, m_peerFrame)
                         : MpaSettle(m_config.role, m_peerFrame, m_ownFrame);
    m_state = State::ULP_DECIDES;
    return {Do(Kind::STOP_TIMER), Do(Kind::REPORT_FRAME)};
}

MpaStartup::Actions
MpaStartup::Accept(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::ULP_DECIDES)
    {
        return Misuse("there is no frame of the peer to accept");
    }
    if (m_config.role == MpaRole::INITIATOR)
    {
        if (!privateData.empty())
        {
            return Misuse("an Initiator's Private Data go with Start()");
        }
        m_state = State::FULL;
        return {Do(Kind::ENABLE_RECEIVE), Do(Kind::ENABLE_SEND)};
    }
    if (privateData.size() > MpaStartupFrame::MAX_PRIVATE_DATA)
    {
        return Misuse(TooMuchPrivateData(privateData.size()));
    }
    m_ownFrame.privateData = privateData;
    // The receiver is ready before the Reply can cause the first FPDU.
    Actions actions{Do(Kind::ENABLE_RECEIVE), Send(m_ownFrame)};
    m_state = State::FULL_RX_ONLY;
    if (!m_config.waitForFirstFpdu)
    {
        m_state = State::FULL;
        actions.push_back(Do(Kind::ENABLE_SEND));
    }
    return actions;
}

MpaStartup::Actions
MpaStartup::Reject(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::ULP_DECIDES)
    {
        return Misuse("there is no frame of the peer to reject");
    }
    if (m_config.role == MpaRole::INITIATOR)
    {
        if (!privateData.empty())
        {
            return Misuse("an Initiator cannot answer a Reply");
        }
        m_state = State::STREAM;
        return {};
    }
    if (privateData.size() > MpaStartupFrame::MAX_PRIVATE_DATA)
    {
        return Misuse(TooMuchPrivateData(privateData.size()));
    }
    m_ownFrame.reject = true;
    m_ownFrame.privateData = privateData;
    m_state = State::STREAM;
    return {Send(m_ownFrame)};
}

MpaStartup::Actions
MpaStartup::Close()
{
    Actions actions;
    if (m_state == State::WAIT_FRAME)
    {
        actions.push_back(Do(Kind::STOP_TIMER));
    }
    if (m_state != State::CLOSED)
    {
        actions.push_back(Do(Kind::CLOSE));
    }
    m_state = State::CLOSED;
    return actions;
}

MpaStartup::Actions
MpaStartup::Timeout()
{
    if (m_state != State::WAIT_FRAME)
    {
        return {};
    }
    const bool initiator = m_config.role == MpaRole::INITIATOR;
    const std::string frame = initiator ? "Reply" : "Request";
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
        actions.push_back(Do(Kind::STOP_TIMER));
    }
    actions.push_back(Fail(MpaError::CONNECTION_LOST, "TCP connection lost or closed by the peer"));
    return actions;
}

MpaStartup::Actions
MpaStartup::FpduValidated()
{
    if (m_state != State::FULL_RX_ONLY)
    {
        return {};
    }
    m_state = State::FULL;
    return {Do(Kind::ENABLE_SEND)};
}

MpaStartup::State
MpaStartup::GetState() const
{
    return m_state;
}

const MpaStartupConfig&
MpaStartup::GetConfig() const
{
    return m_config;
}

const MpaStartupFrame&
MpaStartup::PeerFrame() const
{
    return m_peerFrame;
}

const MpaStartupResult&
MpaStartup::Result() const
{
    return m_result;
}

MpaStartup::Actions
MpaStartup::Abandon(MpaError error, const std::string& reason)
{
    Actions actions;
    if (m_state == State::WAIT_FRAME)
    {
        actions.push_back(Do(Kind::STOP_TIMER));
    }
    m_state = State::CLOSED;
    m_partial.clear();
    actions.push_back(Do(Kind::CLOSE));
    actions.push_back(Fail(error, reason));
    return actions;
}

std::string
MpaStartup::DescribeBadKey() const
{
    const bool initiator = m_config.role == MpaRole::INITIATOR;
    MpaStartupFrame ignored;
    if (MpaStartupFrame::Decode(m_partial.data(), m_partial.size(), !initiator, ignored) ==
        MpaStartupFrame::Status::BAD_KEY)
    {
        return "the first octets are no MPA startup frame";
    }
    return initiator ? "a Request where a Reply is due: both ends are Initiators"
                     : "a Reply where a Request is due";
}

} // namespace ns3
