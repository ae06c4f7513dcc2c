/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-sctp-session.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

using Function = DdpSctpControl::Function;
using ActionKind = DdpSctpSession::Action::Kind;

/**
 * @param error code
 * @param reason for people
 * @return the action that tells the ULP
 */
DdpSctpSession::Action
FailSession(MpaError error, const std::string& reason)
{
    DdpSctpSession::Action action{ActionKind::FAIL};
    action.error = error;
    action.reason = reason;
    return action;
}

/**
 * @param message message, without its word
 * @return the action that gives it to the ULP
 */
DdpSctpSession::Action
Report(const DdpSctpControl& message)
{
    DdpSctpSession::Action action{ActionKind::REPORT};
    action.message = message;
    return action;
}

/**
 * @param function unenhanced function code
 * @return its enhanced counterpart
 */
Function
Enhance(Function function)
{
    return static_cast<Function>(static_cast<uint16_t>(function) + 4);
}

} // namespace

DdpSctpSession::DdpSctpSession(const DdpSctpSessionConfig& config)
    : m_config(config),
      m_enhanced(config.role == MpaRole::INITIATOR && config.enhanced.wanted)
{
    const char* problem = MpaCheckEnhanced(config.enhanced);
    NS_ABORT_MSG_IF(problem, problem);
    m_result.ird = config.enhanced.ird;
    m_result.ord = config.enhanced.ord;
    m_word = MpaMakeOffer(config.enhanced);
}

DdpSctpSession::Actions
DdpSctpSession::Initiate(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::IDLE || m_config.role != MpaRole::INITIATOR)
    {
        return {FailSession(MpaError::NONE, "only the active side starts a session, and once")};
    }
    if (privateData.size() > MaxPrivateData())
    {
        return {FailSession(MpaError::NONE, "more Private Data than the message takes")};
    }
    m_state = State::WAIT_ANSWER;
    return {Control(Function::INITIATE, privateData)};
}

DdpSctpSession::Actions
DdpSctpSession::Accept(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::ULP_DECIDES)
    {
        return {FailSession(MpaError::NONE, "there is no session to accept")};
    }
    if (privateData.size() > MaxPrivateData())
    {
        return {FailSession(MpaError::NONE, "more Private Data than the message takes")};
    }
    if (m_result.error != MpaError::NONE)
    {
        Actions actions = Reject({});
        actions.push_back(
            FailSession(m_result.error, "IRD and ORD do not do; the session was rejected"));
        return actions;
    }
    m_state = State::OPEN;
    return {Control(Function::ACCEPT, privateData)};
}

DdpSctpSession::Actions
DdpSctpSession::Reject(const std::vector<uint8_t>& privateData)
{
    if (m_state != State::ULP_DECIDES)
    {
        return {FailSession(MpaError::NONE, "there is no session to reject")};
    }
    if (privateData.size() > MaxPrivateData())
    {
        return {FailSession(MpaError::NONE, "more Private Data than the message takes")};
    }
    m_state = State::CLOSED;
    return {Control(Function::REJECT, privateData)};
}

DdpSctpSession::Actions
DdpSctpSession::Terminate()
{
    const bool begun = m_state != State::IDLE && m_state != State::CLOSED;
    m_state = State::CLOSED;
    return begun ? Actions{Control(Function::TERMINATE, {})} : Actions{};
}

DdpSctpSession::Actions
DdpSctpSession::Send(const std::vector<uint8_t>& segment)
{
    if (m_state != State::OPEN)
    {
        return {FailSession(MpaError::NONE, "the session is not open")};
    }
    Action action{ActionKind::SEND};
    action.ppid = DdpSctpControl::PPID_SEGMENT;
    action.octets.reserve(DdpSctpControl::SSN_SIZE + segment.size());
    action.octets.push_back(static_cast<uint8_t>(m_nextOut >> 8));
    action.octets.push_back(static_cast<uint8_t>(m_nextOut & 0xFF));
    action.octets.insert(action.octets.end(), segment.begin(), segment.end());
    m_nextOut++;
    return {action};
}

DdpSctpSession::Actions
DdpSctpSession::Receive(uint32_t ppid, const uint8_t* data, std::size_t size)
{
    Actions actions;
    if (m_state == State::CLOSED)
    {
        return actions;
    }
    if (size < DdpSctpControl::SSN_SIZE)
    {
        End(MpaError::INVALID_STARTUP, "a chunk without a DDP-SSN", actions);
        return actions;
    }
    const auto ssn = static_cast<uint16_t>(data[0] << 8 | data[1]);
    if (static_cast<uint16_t>(ssn - m_nextIn) >= 0x8000)
    {
        return actions; // a chunk that was taken before
    }
    m_held.emplace(ssn, Held{ppid, std::vector<uint8_t>(data, data + size)});
    if (m_held.size() > MAX_HELD)
    {
        End(MpaError::INVALID_STARTUP, "too many chunks behind one that is missing", actions);
        return actions;
    }
    for (auto next = m_held.find(m_nextIn); next != m_held.end() && m_state != State::CLOSED;
         next = m_held.find(m_nextIn))
    {
        const Held chunk = std::move(next->second);
        m_held.erase(next);
        m_nextIn++;
        Process(chunk, actions);
    }
    return actions;
}

void
DdpSctpSession::Process(const Held& chunk, Actions& actions)
{
    if (chunk.ppid == DdpSctpControl::PPID_SEGMENT)
    {
        if (m_state != State::OPEN)
        {
            End(MpaError::INVALID_STARTUP, "a DDP Segment outside a session", actions);
            return;
        }
        Action action{ActionKind::DELIVER};
        action.octets.assign(chunk.octets.begin() + DdpSctpControl::SSN_SIZE, chunk.octets.end());
        actions.push_back(action);
        return;
    }
    DdpSctpControl message;
    if (chunk.ppid != DdpSctpControl::PPID_CONTROL ||
        DdpSctpControl::Decode(chunk.octets.data(), chunk.octets.size(), message) !=
            DdpSctpControl::Status::GOOD)
    {
        End(MpaError::INVALID_STARTUP, "no valid session control message", actions);
        return;
    }
    MpaEnhancedWord word;
    if (message.IsEnhanced())
    {
        std::vector<uint8_t>& data = message.privateData;
        word = MpaEnhancedWord::Decode(data.data());
        data.erase(data.begin(), data.begin() + MpaEnhancedWord::SIZE);
    }
    if (message.function == Function::TERMINATE && m_state != State::IDLE)
    {
        m_state = State::CLOSED;
        actions.push_back(Report(message));
    }
    else if (m_state == State::IDLE && m_config.role == MpaRole::RESPONDER)
    {
        ProcessInitiate(message, word, actions);
    }
    else if (m_state == State::WAIT_ANSWER && message.IsEnhanced() == m_enhanced)
    {
        ProcessAnswer(message, word, actions);
    }
    else
    {
        End(MpaError::INVALID_STARTUP, "a session control message out of turn", actions);
    }
}

void
DdpSctpSession::ProcessInitiate(const DdpSctpControl& message,
                                const MpaEnhancedWord& word,
                                Actions& actions)
{
    if (message.function != Function::INITIATE && message.function != Function::ENHANCED_INITIATE)
    {
        End(MpaError::INVALID_STARTUP, "a session that nobody asked for", actions);
        return;
    }
    m_state = State::ULP_DECIDES;
    m_enhanced = message.IsEnhanced();
    if (m_enhanced)
    {
        m_result = MpaMakeAnswer(m_config.enhanced, word, m_word);
        if (m_result.peerToPeer && m_result.rtrKinds.Empty())
        {
            // Nothing that the ULP could decide: the word tells the kinds that there are.
            m_state = State::CLOSED;
            actions.push_back(Control(Function::REJECT, {}));
            return;
        }
    }
    actions.push_back(Report(message));
}

void
DdpSctpSession::ProcessAnswer(const DdpSctpControl& message,
                              const MpaEnhancedWord& word,
                              Actions& actions)
{
    const Function accept = m_enhanced ? Function::ENHANCED_ACCEPT : Function::ACCEPT;
    const Function reject = m_enhanced ? Function::ENHANCED_REJECT : Function::REJECT;
    if (message.function == reject)
    {
        m_state = State::CLOSED;
        m_result.peerIrd = m_enhanced ? word.ird : MpaEnhancedWord::UNSPECIFIED;
        m_result.peerOrd = m_enhanced ? word.ord : MpaEnhancedWord::UNSPECIFIED;
        actions.push_back(Report(message));
        return;
    }
    if (message.function != accept)
    {
        End(MpaError::INVALID_STARTUP, "no answer to what was asked", actions);
        return;
    }
    m_state = State::OPEN;
    actions.push_back(Report(message));
    if (m_enhanced)
    {
        m_result = MpaProcessAnswer(m_config.enhanced, word);
        if (m_result.error != MpaError::NONE)
        {
            End(m_result.error, "the answer's IRD, ORD or indications do not do", actions);
        }
    }
}

void
DdpSctpSession::End(MpaError error, const std::string& reason, Actions& actions)
{
    m_state = State::CLOSED;
    m_held.clear();
    actions.push_back(Control(Function::TERMINATE, {}));
    actions.push_back(FailSession(error, reason));
}

DdpSctpSession::Action
DdpSctpSession::Control(Function function, const std::vector<uint8_t>& privateData)
{
    DdpSctpControl message;
    message.ssn = m_nextOut++;
    message.function = function;
    if (m_enhanced && function != Function::TERMINATE)
    {
        message.function = Enhance(function);
        message.privateData.resize(MpaEnhancedWord::SIZE);
        m_word.Encode(message.privateData.data());
    }
    message.privateData.insert(message.privateData.end(), privateData.begin(), privateData.end());
    Action action{ActionKind::SEND};
    action.ppid = DdpSctpControl::PPID_CONTROL;
    action.octets = message.Encode();
    return action;
}

std::size_t
DdpSctpSession::MaxPrivateData() const
{
    return DdpSctpControl::MAX_PRIVATE_DATA - (m_enhanced ? MpaEnhancedWord::SIZE : 0);
}

DdpSctpSession::State
DdpSctpSession::GetState() const
{
    return m_state;
}

const MpaEnhancedResult&
DdpSctpSession::Result() const
{
    return m_result;
}

} // namespace ns3
