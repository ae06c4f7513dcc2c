/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ike-peer.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/// @param kind what to do @param when at which time @param child with which @return the action
IkeAction
Execute(IkeAction::Kind kind, Time when, const IkeChild& child = {})
{
    IkeAction action;
    action.kind = kind;
    action.when = when;
    action.child = child;
    return action;
}

/// @param message to send @param when at which time @return the action
IkeAction
SendAction(const IkeMessage& message, Time when)
{
    IkeAction action = Execute(IkeAction::Kind::SEND, when);
    action.message = message;
    return action;
}

} // namespace

IkePeer::IkePeer(const IkeSettings& settings, Random random, Random spis, IkeProcessor& processor)
    : m_settings(settings),
      m_random(std::move(random)),
      m_spis(std::move(spis)),
      m_processor(processor)
{
}

bool
IkePeer::IsEstablished() const
{
    return m_established;
}

std::size_t
IkePeer::GetN() const
{
    return m_pairs.size();
}

uint64_t
IkePeer::GetResent() const
{
    return m_resent;
}

uint64_t
IkePeer::Nonce()
{
    const uint64_t high = m_random();
    return high << 32 | m_random();
}

Time
IkePeer::Work(IkeExchange exchange, bool response) const
{
    // what it takes to read the message before it, and to make this one
    Time work = m_settings.handling * static_cast<int64_t>(response ? 2 : 1);
    const int64_t pairs = response ? 2 : 1; // who answers has both public values
    switch (exchange)
    {
    case IkeExchange::SA_INIT:
        return work + m_settings.exponentiation * pairs;
    case IkeExchange::AUTH:
        return work + m_settings.signature * pairs;
    case IkeExchange::CREATE_CHILD_SA:
        return m_settings.forwardSecrecy ? work + m_settings.exponentiation * pairs : work;
    case IkeExchange::INFORMATIONAL:
        break;
    }
    return work;
}

IkeActions
IkePeer::Acquire(const IpsecFlow& traffic, Time now)
{
    IkeActions actions;
    if (m_asked.count(traffic) > 0)
    {
        return actions;
    }
    m_asked.insert(traffic);
    IkeMessage message;
    message.exchange = IkeExchange::CREATE_CHILD_SA;
    message.traffic = traffic;
    if (m_established)
    {
        SendRequest(message, now, actions);
        return actions;
    }
    m_held.push_back(message);
    if (m_requests.empty())
    {
        SendRequest(IkeMessage(), now, actions); // SA_INIT
    }
    return actions;
}

IkeActions
IkePeer::Rekey(uint32_t inbound, Time now)
{
    IkeActions actions;
    const auto found = m_pairs.find(inbound);
    if (found == m_pairs.end() || !found->second.child.initiator || found->second.replacing)
    {
        return actions;
    }
    found->second.replacing = true;
    IkeMessage message;
    message.exchange = IkeExchange::CREATE_CHILD_SA;
    message.replaced = inbound;
    message.traffic = found->second.child.traffic;
    m_asked.insert(message.traffic);
    SendRequest(message, now, actions);
    return actions;
}

IkeActions
IkePeer::Delete(uint32_t inbound, Time now)
{
    IkeActions actions;
    const auto found = m_pairs.find(inbound);
    if (found == m_pairs.end() || found->second.leaving)
    {
        return actions;
    }
    const auto successor = m_pairs.find(found->second.successor);
    if (successor != m_pairs.end() && !successor->second.outbound)
    {
        return actions; // the peer deletes it, once it is known to have the successor
    }
    // by when the answer comes what the peer sent is here; what this end sent later would be lost
    found->second.leaving = true;
    if (found->second.outbound)
    {
        actions.push_back(Execute(IkeAction::Kind::SILENCE, now, found->second.child));
    }
    // a deletion tells the peer that its answer about the successor was read
    found->second.deferred = found->second.replacing && found->second.successor == 0;
    if (!found->second.deferred)
    {
        RequestDeletion(inbound, now, actions);
    }
    return actions;
}

void
IkePeer::RequestDeletion(uint32_t inbound, Time now, IkeActions& actions)
{
    IkeMessage message;
    message.exchange = IkeExchange::INFORMATIONAL;
    message.replaced = inbound;
    SendRequest(message, now, actions);
}

void
IkePeer::SendRequest(IkeMessage message, Time now, IkeActions& actions)
{
    message.id = m_next++;
    if (message.exchange != IkeExchange::INFORMATIONAL)
    {
        message.nonce = Nonce();
    }
    if (message.exchange == IkeExchange::AUTH || message.exchange == IkeExchange::CREATE_CHILD_SA)
    {
        message.spi = m_spis();
    }
    Request request;
    request.message = message;
    request.wait = m_settings.retry;
    m_requests.push_back(request);
    Advance(now, actions);
}

std::size_t
IkePeer::CountOpen() const
{
    // the peer takes none beyond (RFC 7296 section 2.3), whatever else it has answered
    const auto beyond =
        std::find_if(m_requests.begin(), m_requests.end(), [this](const Request& request) {
            return request.message.id - m_requests.front().message.id >= m_settings.window;
        });
    return static_cast<std::size_t>(beyond - m_requests.begin());
}

void
IkePeer::Advance(Time now, IkeActions& actions)
{
    const std::size_t open = CountOpen();
    for (std::size_t i = 0; i < open; ++i)
    {
        Request& request = m_requests[i];
        if (request.sent == 0)
        {
            const IkeExchange exchange = request.message.exchange;
            const Time when = m_processor.Compute(Work(exchange, false), now);
            request.sent = 1;
            request.due = when + request.wait;
            actions.push_back(SendAction(request.message, when));
            actions.push_back(Execute(IkeAction::Kind::WAKE, request.due));
        }
    }
}

IkeActions
IkePeer::Receive(const IkeMessage& message, Time now)
{
    IkeActions actions;
    if (message.response)
    {
        Conclude(message, now, actions);
    }
    else
    {
        Answer(message, now, actions);
    }
    return actions;
}

void
IkePeer::Answer(const IkeMessage& message, Time now, IkeActions& actions)
{
    const bool begins = message.exchange == IkeExchange::SA_INIT;
    const auto known = m_answers.find(message.id);
    if (known != m_answers.end() && known->second.asked == message.nonce)
    {
        actions.push_back(SendAction(known->second.message,
                                     m_processor.Compute(m_settings.handling * int64_t{2}, now)));
        return;
    }
    const uint64_t id = message.id;
    const bool due = begins ? id == 0 && message.nonce != m_begun
                            : known == m_answers.end() && id + m_settings.window >= m_expected &&
                                  id < uint64_t{m_expected} + m_settings.window;
    if (!due)
    {
        return; // answered long ago, or outside the window (RFC 7296 section 2.3)
    }
    if (!m_established && !begins && message.exchange != IkeExchange::AUTH)
    {
        return; // the ends do not know each other, or no more (RFC 7296 section 2.21.4)
    }
    if (begins)
    {
        m_answers.clear(); // the peer counts from 0 again
        m_expected = 0;
        m_begun = message.nonce;
    }
    while (message.initialContact && !m_pairs.empty())
    {
        Remove(m_pairs.begin()->first, now, actions);
    }
    const Time when = m_processor.Compute(Work(message.exchange, true), now);
    IkeMessage answer = message;
    answer.response = true;
    answer.initialContact = false;
    switch (message.exchange)
    {
    case IkeExchange::SA_INIT:
        answer.nonce = Nonce();
        break;
    case IkeExchange::AUTH:
    case IkeExchange::CREATE_CHILD_SA:
        AnswerChild(message, answer, when, actions);
        break;
    case IkeExchange::INFORMATIONAL:
        // pairs go both ways at once (RFC 7296 section 1.4.1)
        answer.replaced = FindOutbound(message.replaced);
        Remove(answer.replaced, when, actions);
        break;
    }
    m_answers[message.id] = {message.nonce, answer};
    m_expected = std::max(m_expected, message.id + 1);
    while (m_answers.size() > m_settings.window)
    {
        m_answers.erase(m_answers.begin());
    }
    actions.push_back(SendAction(answer, when));
}

void
IkePeer::AnswerChild(const IkeMessage& message, IkeMessage& answer, Time when, IkeActions& actions)
{
    answer.nonce = Nonce();
    answer.spi = m_spis();
    IkeChild child;
    child.inbound = answer.spi;
    child.outbound = message.spi;
    child.nonces[0] = message.nonce;
    child.nonces[1] = answer.nonce;
    child.replaces = FindOutbound(message.replaced);
    child.traffic = message.traffic.GetReverse();
    m_established = true;
    Install(child, when, actions);
}

bool
IkePeer::IsLeaving(uint32_t inbound) const
{
    const auto found = m_pairs.find(inbound);
    return found != m_pairs.end() && found->second.leaving;
}

uint32_t
IkePeer::FindOutbound(uint32_t spi) const
{
    const auto found = m_outbound.find(spi);
    return found == m_outbound.end() ? 0 : found->second;
}

void
IkePeer::Conclude(const IkeMessage& message, Time now, IkeActions& actions)
{
    const auto request = std::find_if(m_requests.begin(), m_requests.end(), [&](const auto& r) {
        return r.sent > 0 && r.message.id == message.id && r.message.exchange == message.exchange;
    });
    if (request == m_requests.end())
    {
        return; // answered before
    }
    const IkeMessage asked = request->message;
    m_requests.erase(request);
    // to read an answer takes what it takes to make a request of its kind
    const Time when = m_processor.Compute(Work(message.exchange, false), now);
    switch (message.exchange)
    {
    case IkeExchange::SA_INIT:
        if (!m_held.empty())
        {
            IkeMessage next = m_held.front();
            m_held.pop_front();
            next.exchange = IkeExchange::AUTH;
            next.initialContact = m_pairs.empty();
            SendRequest(next, when, actions);
        }
        break;
    case IkeExchange::INFORMATIONAL:
        Remove(asked.replaced, when, actions);
        break;
    case IkeExchange::AUTH:
    case IkeExchange::CREATE_CHILD_SA: {
        IkeChild child;
        child.inbound = asked.spi;
        child.outbound = message.spi;
        child.initiator = true;
        child.nonces[0] = asked.nonce;
        child.nonces[1] = message.nonce;
        child.replaces = asked.replaced;
        child.traffic = asked.traffic;
        m_asked.erase(m_asked.find(asked.traffic));
        m_established = true;
        Install(child, when, actions);
        break;
    }
    }
    while (m_established && !m_held.empty())
    {
        const IkeMessage demand = m_held.front();
        m_held.pop_front();
        SendRequest(demand, when, actions);
    }
    Advance(when, actions);
}

void
IkePeer::Install(const IkeChild& child, Time when, IkeActions& actions)
{
    Pair pair;
    pair.child = child;
    // who answers sends by the new pair once that is used, or what it replaces deleted: before that
    // the other end may not have read the answer, and open nothing (RFC 7296 section 2.8)
    pair.outbound = child.initiator;
    m_pairs[child.inbound] = pair;
    m_outbound[child.outbound] = child.inbound;
    actions.push_back(Execute(IkeAction::Kind::INBOUND, when, child));
    if (pair.outbound)
    {
        actions.push_back(Execute(IkeAction::Kind::OUTBOUND, when, child));
    }
    const auto old = m_pairs.find(child.replaces);
    if (old == m_pairs.end())
    {
        return;
    }
    old->second.successor = child.inbound;
    if (old->second.deferred)
    {
        RequestDeletion(child.replaces, when, actions);
    }
    else if (child.initiator)
    {
        m_superseded.emplace_back(when + m_settings.overlap, child.replaces);
        actions.push_back(Execute(IkeAction::Kind::WAKE, m_superseded.back().first));
    }
}

IkeActions
IkePeer::Used(uint32_t inbound, Time now)
{
    IkeActions actions;
    const auto found = m_pairs.find(inbound);
    if (found != m_pairs.end() && !found->second.outbound)
    {
        found->second.outbound = true;
        actions.push_back(Execute(IkeAction::Kind::OUTBOUND, now, found->second.child));
    }
    return actions;
}

void
IkePeer::Remove(uint32_t inbound, Time when, IkeActions& actions)
{
    const auto found = m_pairs.find(inbound);
    if (found == m_pairs.end())
    {
        return; // the peer deleted it at the same time
    }
    const auto successor = m_pairs.find(found->second.successor);
    if (successor != m_pairs.end() && !successor->second.outbound)
    {
        successor->second.outbound = true;
        actions.push_back(Execute(IkeAction::Kind::OUTBOUND, when, successor->second.child));
    }
    actions.push_back(Execute(IkeAction::Kind::REMOVE, when, found->second.child));
    m_outbound.erase(found->second.child.outbound);
    m_pairs.erase(found);
}

IkeActions
IkePeer::Expire(Time now)
{
    IkeActions actions;
    const std::size_t open = CountOpen();
    for (std::size_t i = 0; i < open; ++i)
    {
        Request& request = m_requests[i];
        if (request.sent == 0 || request.due > now)
        {
            continue;
        }
        if (request.sent > m_settings.retries)
        {
            GiveUp(now, actions);
            return actions;
        }
        ++request.sent;
        ++m_resent;
        request.wait = request.wait * m_settings.backOff;
        const Time when = m_processor.Compute(m_settings.handling, now);
        request.due = when + request.wait;
        actions.push_back(SendAction(request.message, when));
        actions.push_back(Execute(IkeAction::Kind::WAKE, request.due));
    }
    while (!m_superseded.empty() && m_superseded.front().first <= now)
    {
        const IkeActions more = Delete(m_superseded.front().second, now);
        actions.insert(actions.end(), more.begin(), more.end());
        m_superseded.pop_front();
    }
    return actions;
}

void
IkePeer::GiveUp(Time now, IkeActions& actions)
{
    IkeChild child;
    for (const auto& request : m_requests)
    {
        if (request.message.spi > 0)
        {
            child.traffic = request.message.traffic;
            actions.push_back(Execute(IkeAction::Kind::FAILED, now, child));
        }
    }
    for (const auto& demand : m_held)
    {
        child.traffic = demand.traffic;
        actions.push_back(Execute(IkeAction::Kind::FAILED, now, child));
    }
    m_requests.clear();
    m_held.clear();
    m_asked.clear();
    m_superseded.clear();
    while (!m_pairs.empty())
    {
        Remove(m_pairs.begin()->first, now, actions);
    }
    m_established = false;
    m_next = 0;
}

} // namespace ns3
