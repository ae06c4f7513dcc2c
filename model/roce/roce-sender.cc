/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-sender.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

RoceSender::RoceSender(RoceRecovery recovery, uint64_t window, uint32_t payload)
    : m_recovery(recovery),
      m_window(window),
      m_payload(payload)
{
}

void
RoceSender::Post(uint64_t octets, bool inlined)
{
    const uint64_t first = m_posted;
    m_posted += (octets + m_payload - 1) / m_payload;
    m_messages.push_back({first, m_posted, octets, m_octets, inlined});
    m_octets += octets;
}

void
RoceSender::Describe(uint64_t number, RoceSegment& segment) const
{
    const auto behind = std::upper_bound(
        m_messages.begin(),
        m_messages.end(),
        number,
        [](uint64_t wanted, const Message& message) { return wanted < message.first; });
    const Message& message = *std::prev(behind);
    segment.number = number;
    segment.first = number == message.first;
    segment.last = number + 1 == message.behind;
    segment.message = message.octets;
    segment.payload =
        segment.last ? static_cast<uint32_t>(message.octets - (number - message.first) * m_payload)
                     : m_payload;
    segment.again = number < m_sent;
    segment.address = message.address;
    segment.inlined = message.inlined;
}

uint64_t
RoceSender::GetKnown() const
{
    // nothing is known of packets behind the latest that has come
    return std::min(m_recover, m_base + m_came.size());
}

bool
RoceSender::HasAgain() const
{
    bool lost = m_next < m_sent; // go-back-N
    for (uint64_t i = m_resend; !lost && m_recovering && i < GetKnown(); i++)
    {
        lost = !m_came[static_cast<std::size_t>(i - m_base)];
    }
    return lost;
}

bool
RoceSender::Next(RoceSegment& segment)
{
    for (; m_recovering && m_resend < GetKnown(); m_resend++)
    {
        if (!m_came[static_cast<std::size_t>(m_resend - m_base)])
        {
            Describe(m_resend++, segment);
            return true;
        }
    }
    if (m_next >= std::min(m_posted, m_base + m_window))
    {
        return false;
    }
    Describe(m_next++, segment);
    m_sent = std::max(m_sent, m_next);
    return true;
}

bool
RoceSender::Acknowledge(uint64_t expected)
{
    if (expected <= m_base || expected > m_sent)
    {
        return false;
    }
    const uint64_t come = expected - m_base;
    m_came.erase(m_came.begin(),
                 m_came.begin() + static_cast<std::ptrdiff_t>(std::min(come, m_came.size())));
    m_base = expected;
    m_next = std::max(m_next, m_base);
    m_resend = std::max(m_resend, m_base);
    if (m_recovering && m_base >= m_recover)
    {
        m_recovering = false;
        if (!m_came.empty()) // what was sent since has a hole, too
        {
            Recover();
        }
    }
    while (!m_messages.empty() && m_messages.front().behind <= m_base)
    {
        m_arrived.push_back(m_messages.front().octets);
        m_messages.pop_front();
    }
    return true;
}

uint64_t
RoceSender::PopArrived()
{
    if (m_arrived.empty())
    {
        return 0;
    }
    const uint64_t octets = m_arrived.front();
    m_arrived.pop_front();
    return octets;
}

bool
RoceSender::Refuse(uint64_t expected, uint64_t arrived)
{
    const bool news = Acknowledge(expected);
    if (expected != m_base || m_base >= m_sent)
    {
        return news; // it is about packets that have come since
    }
    if (m_recovery == RoceRecovery::GO_BACK_N)
    {
        m_next = m_base;
        return news;
    }
    if (arrived > m_base && arrived < m_sent)
    {
        const auto at = static_cast<std::size_t>(arrived - m_base);
        m_came.resize(std::max(m_came.size(), at + 1), false);
        m_came[at] = true;
    }
    if (!m_recovering)
    {
        Recover();
    }
    return news;
}

void
RoceSender::Recover()
{
    m_recovering = true;
    m_resend = m_base;
    m_recover = m_sent;
    m_came.resize(std::max<std::size_t>(m_came.size(), 1), false); // the first counts as lost
}

void
RoceSender::Expire()
{
    if (m_recovery == RoceRecovery::GO_BACK_N)
    {
        m_next = m_base;
    }
    else if (m_base < m_sent)
    {
        Recover();
    }
}

uint64_t
RoceSender::GetBase() const
{
    return m_base;
}

uint64_t
RoceSender::GetOutstanding() const
{
    return m_sent - m_base;
}

std::size_t
RoceSender::GetMessages() const
{
    return m_messages.size();
}

} // namespace ns3
