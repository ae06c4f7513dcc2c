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
    while (!IsOpen() && HasMore() && m_posted < m_allowed && m_user.HasRoom())
    {
        const uint64_t size = Count(DrawMessageSize(m_sizes));
        m_user.PostMessage(static_cast<uint32_t>(m_posted - 1), size);
    }
}

void
MessageSource::Arrive()
{
    uint64_t size = DrawMessageSize(m_sizes);
    const bool room = m_user.HasRoom();
    if (room)
    {
        size = Count(size);
    }
    else
    {
        m_refused++;
    }
    if (HasMore())
    {
        m_next = Simulator::Schedule(DrawGap(m_intervals), &MessageSource::Arrive, this);
    }
    if (room)
    {
        m_user.PostMessage(static_cast<uint32_t>(m_posted - 1), size);
    }
}

uint64_t
MessageSource::Count(uint64_t size)
{
    if (m_maxOctets > 0)
    {
        size = std::min(size, m_maxOctets - m_octets);
    }
    m_octets += size;
    m_posted++;
    return size;
}

void
MessageSource::Allow(uint64_t messages)
{
    m_allowed = messages;
}

// ---- counts -------------------------------------------------------------------------------------

bool
MessageSource::HasMore() const
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
