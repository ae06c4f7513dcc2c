/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-message-source.h"

#include "app-message-sizes.h"

#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

TypeId
MessageSource::AddAttributes(TypeId tid, const Accessors& accessors, const Words& words)
{
    return tid
        .AddAttribute("MaxOctets",
                      "Octets of payload to move, the last message is cut to fit; 0 is no limit",
                      UintegerValue(0),
                      accessors.maxOctets,
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute(words.maxMessages,
                      "Messages to post; 0 is no limit, until the application stops",
                      UintegerValue(0),
                      accessors.maxMessages,
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("MessageSizes",
                      "Distribution of message sizes, in octets",
                      StringValue("ns3::ConstantRandomVariable[Constant=65536]"),
                      accessors.sizes,
                      MakePointerChecker<RandomVariableStream>())
        .AddAttribute("Intervals",
                      "Distribution of the time between two messages, in seconds; without one a "
                      "message is posted whenever fewer than QueueDepth are",
                      PointerValue(),
                      accessors.intervals,
                      MakePointerChecker<RandomVariableStream>())
        .AddAttribute("QueueDepth",
                      words.depth,
                      UintegerValue(16),
                      accessors.depth,
                      MakeUintegerChecker<uint32_t>(1, words.maxDepth));
}

MessageSource::MessageSource(User& user)
    : m_user(user)
{
}

MessageSource::~MessageSource()
{
    m_next.Cancel();
}

// ---- what the attributes say --------------------------------------------------------------------

std::string
MessageSource::SetSizes(const std::string& description)
{
    return SetDistribution(m_sizes, description);
}

int64_t
MessageSource::AssignStreams(int64_t stream)
{
    return iwarp::AssignStreams({m_sizes, m_intervals}, stream);
}

Ptr<RandomVariableStream>
MessageSource::GetSizes() const
{
    return m_sizes;
}

Ptr<RandomVariableStream>
MessageSource::GetIntervals() const
{
    return m_intervals;
}

uint32_t
MessageSource::GetQueueDepth() const
{
    return m_depth;
}

bool
MessageSource::IsOpen() const
{
    return m_intervals != nullptr;
}

// ---- messages -----------------------------------------------------------------------------------

void
MessageSource::Start()
{
    if (IsOpen())
    {
        Arrive();
    }
}

void
MessageSource::Stop()
{
    m_next.Cancel();
}

void
MessageSource::Fill()
{
    while (!m_added.empty() && m_user.HasRoom())
    {
        const uint64_t size = m_added.front();
        m_added.pop_front();
        m_user.PostMessage(Count(size), size);
    }
    while (!IsOpen() && IsWithinLimits() && m_posted < m_allowed && m_user.HasRoom())
    {
        const uint64_t size = Draw();
        m_user.PostMessage(Count(size), size);
    }
}

void
MessageSource::Arrive()
{
    if (!IsWithinLimits())
    {
        return;
    }
    const uint64_t size = Draw();
    const bool room = m_user.HasRoom();
    const uint32_t number = room ? Count(size) : 0;
    m_refused += room ? 0 : 1;
    if (IsWithinLimits())
    {
        m_next = Simulator::Schedule(DrawGap(m_intervals), &MessageSource::Arrive, this);
    }
    if (room)
    {
        m_user.PostMessage(number, size);
    }
}

uint64_t
MessageSource::Draw() const
{
    const uint64_t size = DrawMessageSize(m_sizes);
    return m_maxOctets > 0 ? std::min(size, m_maxOctets - m_octets) : size;
}

uint32_t
MessageSource::Count(uint64_t size)
{
    m_octets += size;
    return static_cast<uint32_t>(m_posted++);
}

void
MessageSource::Allow(uint64_t messages)
{
    m_allowed = messages;
}

void
MessageSource::Add(uint64_t size)
{
    m_added.push_back(size);
}

// ---- counts -------------------------------------------------------------------------------------

bool
MessageSource::HasMore() const
{
    return !m_added.empty() || IsWithinLimits();
}

bool
MessageSource::IsWithinLimits() const
{
    return (m_maxMessages == 0 || m_posted + m_refused < m_maxMessages) &&
           (m_maxOctets == 0 || m_octets < m_maxOctets);
}

uint64_t
MessageSource::GetPosted() const
{
    return m_posted;
}

uint64_t
MessageSource::GetRefused() const
{
    return m_refused;
}

uint64_t
MessageSource::GetOctets() const
{
    return m_octets;
}

} // namespace iwarp
} // namespace ns3
