/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-receiver.h"

namespace ns3
{

RoceReceiver::RoceReceiver(RoceRecovery recovery, uint64_t window, uint32_t period)
    : m_recovery(recovery),
      m_window(window),
      m_period(period)
{
}

void
RoceReceiver::Advance(const RoceSegment& segment, std::vector<uint64_t>& messages)
{
    m_expected++;
    m_message += segment.payload;
    if (segment.last)
    {
        m_completed++;
        messages.push_back(m_message);
        m_message = 0;
    }
}

RoceAnswer
RoceReceiver::Receive(const RoceSegment& segment, std::vector<uint64_t>& messages, bool& taken)
{
    using Kind = RoceAnswer::Kind;
    const uint64_t number = segment.number;
    taken = number == m_expected;
    if (number < m_expected) // its ACK is lost, or on its way
    {
        return {Kind::ACK, m_expected, number};
    }
    if (!HasRoom(number))
    {
        return {Kind::NONE, m_expected, number};
    }
    if (number > m_expected)
    {
        const bool selective = m_recovery == RoceRecovery::SELECTIVE_REPEAT;
        taken = selective && m_came.emplace(number, segment).second;
        const bool told = !selective && m_refused;
        m_refused = true;
        return {told ? Kind::NONE : Kind::REFUSED, m_expected, number};
    }
    m_refused = false;
    const auto before = messages.size();
    Advance(segment, messages);
    for (auto next = m_came.begin(); next != m_came.end() && next->first == m_expected;
         next = m_came.erase(next))
    {
        Advance(next->second, messages);
    }
    m_unacknowledged++;
    // what fills a hole ends the sender's recovery
    if (messages.size() == before && m_expected == number + 1 && m_unacknowledged < m_period &&
        !segment.asksAck)
    {
        return {Kind::NONE, m_expected, number};
    }
    m_unacknowledged = 0;
    return {Kind::ACK, m_expected, number};
}

uint64_t
RoceReceiver::GetExpected() const
{
    return m_expected;
}

uint64_t
RoceReceiver::GetCompleted() const
{
    return m_completed;
}

std::size_t
RoceReceiver::GetHeld() const
{
    return m_came.size();
}

bool
RoceReceiver::HasRoom(uint64_t number) const
{
    return number < m_expected + m_window;
}

} // namespace ns3
