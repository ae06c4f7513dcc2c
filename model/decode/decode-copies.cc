/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-copies.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t LONGEST_DELAY = 500'000'000; // ns: acknowledgments come sooner

} // namespace

DecodeCopies::DecodeCopies(bool nearReceiver)
    : m_near(nearReceiver)
{
}

bool
DecodeCopies::IsMissed(std::size_t segment, int64_t time) const
{
    return !m_near || (m_anyAck && segment <= m_lastBefore) ||
           time - m_times[segment] >= LONGEST_DELAY;
}

DecodeCopies::Fate
DecodeCopies::Add(std::size_t segment, uint64_t begin, uint64_t end, int64_t time)
{
    m_times.resize(segment + 1);
    m_times[segment] = time;
    m_last = segment;
    if (begin >= end)
    {
        return Fate::NONE;
    }
    if (m_hasEdge && begin >= m_edge)
    {
        return Fate::WINDOW;
    }
    boost::icl::interval_set<uint64_t> fresh;
    fresh += Interval(std::max(begin, m_acknowledged), std::min(end, m_edge));
    fresh -= m_selected;
    std::vector<Interval> known;
    for (auto [at, last] = m_pending.equal_range(Interval(begin, end)); at != last; ++at)
    {
        if (!IsMissed(at->second, time))
        {
            known.push_back(at->first);
        }
    }
    for (const Interval& interval : known)
    {
        fresh -= interval;
    }
    for (const Interval& interval : fresh)
    {
        m_pending.set(std::make_pair(interval, segment));
    }
    return fresh.empty() ? Fate::AGAIN : Fate::KEPT;
}

void
DecodeCopies::Settle(const Interval& interval)
{
    for (auto [at, last] = m_pending.equal_range(interval); at != last; ++at)
    {
        const Interval part = at->first & interval;
        m_kept.push_back({part.lower(), part.upper(), at->second});
    }
    m_pending.erase(interval);
}

void
DecodeCopies::Acknowledge(uint64_t ack)
{
    m_anyAck = true;
    m_lastBefore = m_last;
    if (ack > m_acknowledged)
    {
        m_acknowledged = ack;
        const Interval all(0, ack);
        Settle(all);
        m_selected -= all;
    }
}

void
DecodeCopies::Select(uint64_t begin, uint64_t end)
{
    begin = std::max(begin, m_acknowledged);
    if (begin < end)
    {
        const Interval interval(begin, end);
        m_selected += interval;
        Settle(interval);
    }
}

void
DecodeCopies::SetEdge(uint64_t edge)
{
    m_edge = m_hasEdge ? std::max(m_edge, edge) : edge;
    m_hasEdge = true;
}

std::vector<DecodeCopies::Kept>
DecodeCopies::TakeKept()
{
    Settle(Interval(0, UINT64_MAX));
    std::sort(m_kept.begin(), m_kept.end(), [](const Kept& a, const Kept& b) {
        return std::make_pair(a.segment, a.begin) < std::make_pair(b.segment, b.begin);
    });
    std::vector<Kept> joined; // a segment may have been acknowledged in parts
    for (const Kept& part : m_kept)
    {
        if (!joined.empty() && joined.back().segment == part.segment &&
            joined.back().end == part.begin)
        {
            joined.back().end = part.end;
        }
        else
        {
            joined.push_back(part);
        }
    }
    return joined;
}

} // namespace ns3
