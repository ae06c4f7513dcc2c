/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-tcp-run.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Tell whether CE of one may stand for both. @param a ECN field @param b ECN field @return whether
/// the two can be merged
bool
AreEcnCompatible(PathTcpSegment::Ecn a, PathTcpSegment::Ecn b)
{
    using Segment = PathTcpSegment;
    return a == b || (a == Segment::CE && b != Segment::NOT_ECT) ||
           (b == Segment::CE && a != Segment::NOT_ECT);
}

} // namespace

PathTcpRun::PathTcpRun(const PathTcpSegment& first)
    : m_head(first),
      m_payloads{first.GetPayload()},
      m_size(first.GetSize())
{
}

bool
PathTcpRun::CanAppend(const PathTcpSegment& next) const
{
    using Segment = PathTcpSegment;
    const uint8_t differing = m_head.GetFlags() ^ next.GetFlags();
    return next.IsPlainData() && next.GetSeq() == m_head.GetSeq() + m_size && !IsComplete() &&
           (next.GetFlags() & Segment::CWR) == 0 && (differing & Segment::ECE) == 0 &&
           static_cast<int32_t>(next.GetAck() - m_head.GetAck()) >= 0 &&
           AreEcnCompatible(m_head.GetEcn(), next.GetEcn()) && next.HasHeadersOf(m_head);
}

void
PathTcpRun::Append(const PathTcpSegment& next)
{
    m_head.MergeAck(next);
    m_head.SetFlags(m_head.GetFlags() | next.GetFlags());
    if (next.GetEcn() == PathTcpSegment::CE)
    {
        m_head.SetEcn(PathTcpSegment::CE);
    }
    m_payloads.push_back(next.GetPayload());
    m_size += next.GetSize();
}

bool
PathTcpRun::IsComplete() const
{
    return (m_head.GetFlags() & (PathTcpSegment::PSH | PathTcpSegment::FIN)) != 0;
}

uint32_t
PathTcpRun::GetSize() const
{
    return m_size;
}

uint32_t
PathTcpRun::GetSegments() const
{
    return static_cast<uint32_t>(m_payloads.size());
}

uint32_t
PathTcpRun::GetHeld() const
{
    return m_size + GetSegments() * m_head.GetHeaderSize();
}

const PathTcpSegment&
PathTcpRun::GetHead() const
{
    return m_head;
}

std::vector<PathTcpSegment>
PathTcpRun::Cut(const CutFunction& next, const IdFunction& id) const
{
    using Segment = PathTcpSegment;
    std::vector<Segment> pieces;
    for (uint32_t at = 0; at < m_size;)
    {
        const uint32_t size = std::min(next(), m_size - at);
        Segment piece = m_head;
        piece.SetData(m_head.GetSeq() + at, Gather(at, size));
        uint8_t flags = m_head.GetFlags();
        if (at > 0)
        {
            flags &= static_cast<uint8_t>(~Segment::CWR);
            piece.SetIdentification(id());
        }
        at += size;
        if (at < m_size)
        {
            flags &= static_cast<uint8_t>(~(Segment::PSH | Segment::FIN));
        }
        piece.SetFlags(flags);
        pieces.push_back(piece);
    }
    return pieces;
}

Ptr<Packet>
PathTcpRun::Gather(uint32_t from, uint32_t size) const
{
    Ptr<Packet> octets;
    uint32_t begin = 0; // of a payload, in the run
    for (const auto& payload : m_payloads)
    {
        const uint32_t end = begin + payload->GetSize();
        const uint32_t first = std::max(from, begin);
        const uint32_t last = std::min(from + size, end);
        if (first < last)
        {
            Ptr<Packet> part = payload->CreateFragment(first - begin, last - first);
            if (octets)
            {
                octets->AddAtEnd(part);
            }
            else
            {
                octets = part;
            }
        }
        begin = end;
    }
    return octets;
}

} // namespace ns3
