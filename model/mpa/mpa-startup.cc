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
 * @param most octets there is room for
 * @return a refusal that changes nothing
 */
MpaStartup::Actions
TooMuchPrivateData(std::size_t size, std::size_t most)
{
    return Misuse(std::to_string(size) + " octets of Private Data; the frame takes at most " +
                  std::to_string(most));
}

/**
 * @param frame frame to send, with the enhanced word if it is enhanced
 * @param privateData the ULP's share of the Private Data
 * @return the action that sends it
 */
Action
Send(MpaStartupFrame frame, const std::vector<uint8_t>& privateData)
{
    frame.privateData.insert(frame.privateData.end(), privateData.begin(), privateData.end());
    return Action{Kind::SEND_FRAME, frame.Encode()};
}

} // namespace

MpaStartup::MpaStartup(const MpaStartupConfig& config)
    : m_config(config)
{
    NS_ABORT_MSG_IF(config.revision < 1 || config.revision > 2,
                    "the highest MPA revision is 1 or 2; revision 0 is a matter of the "
                    "personality (PERMISSIVE or RDMAC)");
    const char* problem = MpaCheckEnhanced(config.enhanced);
    NS_ABORT_MSG_IF(problem, problem);
    if (config.role == MpaRole::INITIATOR)
    {
        m_ownFrame = MpaMakeRequest(config);
    }
}

void
MpaStartup::SetEnhanced(const MpaEnhancedConfig& config)
{
    if (m_config.role == MpaRole::INITIATOR)
    {
        return; // its Request is made
    }
    m_config.enhanced = config;
    if (m_state == State::ULP_DECIDES && m_ownFrame.IsEnhanced())
    {
        Negotiate();
    }
}

MpaStartup::Actions
MpaStartup::Start(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::STREAM)
    {
        return Misuse("MPA is already started on this connection, or the connection is closed");
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
    if (privateData.size() > MaxPrivateData())
    {
        return TooMuchPrivateData(privateData.size(), MaxPrivateData());
    }
    m_state = State::WAIT_FRAME;
    return {Send(m_ownFrame, privateData), Do(Kind::START_TIMER)};
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
    m_partial = std::vector<uint8_t>(); // with its memory
    return ProcessFrame(consumed < size);
}

MpaStartup::Actions
MpaStartup::ProcessFrame(bool more)
{
    const bool initiator = m_config.role == MpaRole::INITIATOR;
    const MpaRevisionVerdict verdict = MpaCheckRevision(m_config, m_peerFrame.revision);
    if (verdict != MpaRevisionVerdict::USABLE)
    {
        Actions actions = Abandon(MpaError::NONE,
                                  "the peer's MPA revision " +
                                      std::to_string(m_peerFrame.revision) + " is not usable");
        if (verdict == MpaRevisionVerdict::REPLY_CLOSE)
        {
            actions.insert(actions.begin() + 1, Send(MpaMakeReply(m_config, m_peerFrame), {}));
        }
        return actions;
    }
    MpaEnhancedWord word;
    word.ird = MpaEnhancedWord::UNSPECIFIED;
    word.ord = MpaEnhancedWord::UNSPECIFIED;
    if (m_peerFrame.IsEnhanced())
    {
        std::vector<uint8_t>& data = m_peerFrame.privateData;
        if (data.size() < MpaEnhancedWord::SIZE)
        {
            return Abandon(MpaError::INVALID_STARTUP, "an enhanced frame without its word");
        }
        word = MpaEnhancedWord::Decode(data.data());
        // not by erase(), which keeps the memory
        data = std::vector<uint8_t>(data.begin() + MpaEnhancedWord::SIZE, data.end());
    }
    if (m_peerFrame.privateData.size() > m_config.privateDataLimit)
    {
        return Abandon(MpaError::INVALID_STARTUP,
                       "the peer's Private Data exceed the ULP's buffer");
    }
    if (initiator && m_peerFrame.reject)
    {
        m_result.enhanced.used = m_peerFrame.IsEnhanced();
        m_result.enhanced.ird = m_config.enhanced.ird;
        m_result.enhanced.ord = m_config.enhanced.ord;
        m_result.enhanced.peerIrd = word.ird;
        m_result.enhanced.peerOrd = word.ord;
        m_state = m_config.closeOnReject ? State::CLOSED : State::STREAM;
        Actions actions{Do(Kind::STOP_TIMER), Do(Kind::REPORT_REJECT)};
        if (m_config.closeOnReject)
        {
            actions.push_back(Do(Kind::CLOSE));
        }
        return actions;
    }
    // what is wrong with a Reply comes first: that there are octets behind it depends on TCP's cuts
    Actions actions = initiator ? ProcessReply(word) : ProcessRequest(word);
    if (!more || m_state == State::CLOSED || (initiator && !m_config.waitForFirstFpdu))
    {
        return actions;
    }
    m_state = State::WAIT_FRAME; // as it was, with the timer that is to be stopped
    return Abandon(MpaError::INVALID_STARTUP,
                   "octets behind the peer's frame, more than PD_Length says");
}

MpaStartup::Actions
MpaStartup::ProcessReply(const MpaEnhancedWord& word)
{
    m_result = MpaNegotiate(m_config.role, m_ownFrame, m_peerFrame);
    m_result.enhanced.ird = m_config.enhanced.ird;
    m_result.enhanced.ord = m_config.enhanced.ord;
    if (m_peerFrame.IsEnhanced())
    {
        m_result.enhanced = MpaProcessAnswer(m_config.enhanced, word);
    }
    else if (m_ownFrame.IsEnhanced())
    {
        m_result.enhanced.error = MpaError::LOCAL_CATASTROPHIC;
    }
    switch (m_result.enhanced.error)
    {
    case MpaError::NONE:
        m_state = State::ULP_DECIDES;
        return {Do(Kind::STOP_TIMER), Do(Kind::REPORT_FRAME)};
    case MpaError::INSUFFICIENT_IRD:
        return Terminate(MpaError::INSUFFICIENT_IRD, "the Responder's IRD or ORD does not do");
    case MpaError::NO_RTR:
        return Terminate(MpaError::NO_RTR, "no ready-to-receive indication that both ends know");
    default:
        return Terminate(MpaError::LOCAL_CATASTROPHIC,
                         "an unenhanced Reply to an enhanced Request");
    }
}

MpaStartup::Actions
MpaStartup::ProcessRequest(const MpaEnhancedWord& word)
{
    m_ownFrame = MpaMakeReply(m_config, m_peerFrame);
    m_result = MpaNegotiate(m_config.role, m_peerFrame, m_ownFrame);
    m_result.enhanced.ird = m_config.enhanced.ird;
    m_result.enhanced.ord = m_config.enhanced.ord;
    if (m_peerFrame.IsEnhanced())
    {
        m_ownFrame.privateData.resize(MpaEnhancedWord::SIZE);
        word.Encode(m_ownFrame.privateData.data());
        Negotiate();
    }
    m_state = State::ULP_DECIDES;
    return {Do(Kind::STOP_TIMER), Do(Kind::REPORT_FRAME)};
}

MpaEnhancedWord
MpaStartup::Negotiate()
{
    MpaEnhancedWord answer;
    const auto offer = MpaEnhancedWord::Decode(m_ownFrame.privateData.data());
    m_result.enhanced = MpaMakeAnswer(m_config.enhanced, offer, answer);
    return answer;
}

MpaStartup::Action
MpaStartup::Answer(const std::vector<uint8_t>& privateData)
{
    if (m_ownFrame.IsEnhanced())
    {
        Negotiate().Encode(m_ownFrame.privateData.data());
    }
    const Action reply = Send(m_ownFrame, privateData);
    m_ownFrame.privateData = std::vector<uint8_t>(); // with its memory
    return reply;
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
        m_ownFrame.privateData = std::vector<uint8_t>(); // with its memory
        return {Do(Kind::ENABLE_RECEIVE), Do(Kind::ENABLE_SEND)};
    }
    if (privateData.size() > MaxPrivateData())
    {
        return TooMuchPrivateData(privateData.size(), MaxPrivateData());
    }
    if (m_result.enhanced.error != MpaError::NONE)
    {
        Actions actions = Reject({});
        actions.push_back(Fail(m_result.enhanced.error,
                               "the Initiator's IRD is below the ORD that is needed, or its ORD "
                               "above the IRD there is; its Request was rejected"));
        return actions;
    }
    // The receiver is ready before the Reply can cause the first FPDU.
    Actions actions{Do(Kind::ENABLE_RECEIVE), Answer(privateData)};
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
    if (privateData.size() > MaxPrivateData())
    {
        return TooMuchPrivateData(privateData.size(), MaxPrivateData());
    }
    m_ownFrame.reject = true;
    m_state = State::STREAM;
    return {Answer(privateData)};
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

std::size_t
MpaStartup::MaxPrivateData() const
{
    return MpaStartupFrame::MAX_PRIVATE_DATA -
           (m_ownFrame.IsEnhanced() ? MpaEnhancedWord::SIZE : 0);
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

// ---- the end ------------------------------------------------------------------------------------

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
