/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-reassembly.h"

#include "ns3/util-sequence.h"

#include <algorithm>
#include <string>

namespace ns3
{

DecodeReassembly::DecodeReassembly(Listener& listener, DecodeStats& stats)
    : m_listener(listener),
      m_stats(stats)
{
}

bool
DecodeReassembly::HasStarted() const
{
    return m_started;
}

bool
DecodeReassembly::HasSyn() const
{
    return m_syn;
}

uint32_t
DecodeReassembly::GetInitial() const
{
    return m_initial;
}

uint64_t
DecodeReassembly::GetEdge() const
{
    return m_edge;
}

uint64_t
DecodeReassembly::GetAcknowledged() const
{
    return m_acknowledged;
}

std::size_t
DecodeReassembly::GetWaiting() const
{
    return m_waiting.size();
}

uint64_t
DecodeReassembly::Unwrap(uint32_t seq) const
{
    const auto offset =
        static_cast<int64_t>(iwarp::UnwrapSequence(m_initial + m_edge, seq) - m_initial);
    return offset > 0 ? static_cast<uint64_t>(offset) : 0;
}

bool
DecodeReassembly::IsBeginning(const DecodeSegment& segment) const
{
    // a SYN of another number counts as long as there are no octets: what came before was stray
    return !m_started ||
           ((segment.flags & DecodeSegment::SYN) != 0 && !segment.checksumBad &&
            segment.seq != m_initial && m_edge == 1 && m_waiting.empty() && m_doubtful.empty());
}

void
DecodeReassembly::Start(uint32_t initial)
{
    m_started = true;
    m_syn = false;
    m_initial = initial;
    m_acknowledged = 0;
    m_end = 0;
}

void
DecodeReassembly::Add(const DecodeSegment& segment, const DecodeFrame& frame)
{
    if ((segment.flags & DecodeSegment::RST) != 0)
    {
        return; // what it carries is no data of the stream, and its number is 0 if it refuses a SYN
    }
    const bool syn = (segment.flags & DecodeSegment::SYN) != 0;
    if (IsBeginning(segment))
    {
        Start(segment.seq - (syn ? 0 : 1));
        m_syn = syn;
    }
    DecodePiece piece;
    piece.offset = Unwrap(segment.seq + (syn ? 1 : 0));
    piece.data = segment.data;
    piece.size = segment.size;
    piece.length = segment.length;
    piece.frame = frame.number;
    piece.time = frame.time;
    if (segment.checksumBad)
    {
        m_stats.checksums++;
        if (piece.length > 0 && m_doubtful.size() < MAX_WAITING)
        {
            m_doubtful.emplace(piece.offset, piece);
        }
        return;
    }
    m_anyGood = true;
    const uint64_t end = piece.offset + piece.length;
    if ((segment.flags & DecodeSegment::FIN) != 0 && m_end == 0)
    {
        m_end = end;
        m_endFrame = frame.number;
        m_endTime = frame.time;
    }
    if (piece.length > 0)
    {
        m_stats.segments++;
        if (end <= m_edge || piece.offset == 0)
        {
            m_stats.duplicates++;
            return;
        }
        m_stats.outOfOrder += piece.offset > m_edge && !m_paused ? 1 : 0;
        if (piece.offset <= m_edge && !m_paused && m_waiting.empty())
        {
            Give(piece);
        }
        else
        {
            m_waiting.emplace(piece.offset, piece);
        }
    }
    Pump();
}

void
DecodeReassembly::Acknowledged(uint32_t ack)
{
    if (m_started)
    {
        m_acknowledged = std::max(m_acknowledged, Unwrap(ack));
        if (m_acknowledged > m_edge)
        {
            Pump();
        }
    }
}

void
DecodeReassembly::PassOver(uint64_t offset)
{
    m_stats.missing += offset - m_edge;
    m_edge = offset;
    Pump();
}

void
DecodeReassembly::Resume()
{
    m_paused = false;
    Pump();
}

void
DecodeReassembly::Finish()
{
    m_finish = true;
    Pump();
}

void
DecodeReassembly::Give(DecodePiece piece)
{
    const uint64_t end = piece.offset + piece.length;
    const auto known = static_cast<uint32_t>(m_edge - piece.offset);
    piece.offset = m_edge;
    piece.data += std::min(known, piece.size);
    piece.size -= std::min(known, piece.size);
    piece.length -= known;
    const uint32_t taken = piece.size > 0 ? m_listener.InOrder(piece) : 0;
    m_edge += taken;
    m_stats.octets += taken;
    if (taken < piece.size)
    {
        m_paused = true;
        piece.offset += taken;
        piece.data += taken;
        piece.size -= taken;
        piece.length -= taken;
        m_waiting.emplace(piece.offset, piece);
    }
    else if (m_edge < end) // the rest was cut off when it was captured
    {
        const uint64_t from = m_edge;
        m_edge = end;
        m_stats.missing += end - from;
        m_listener.Gap(from, end, piece);
    }
}

bool
DecodeReassembly::IsCredible()
{
    if (m_acknowledged <= m_edge && (m_anyGood || !m_finish))
    {
        return false;
    }
    auto at = m_doubtful.upper_bound(m_edge);
    while (at != m_doubtful.begin())
    {
        --at;
        const DecodePiece piece = at->second;
        at = m_doubtful.erase(at);
        if (piece.offset + piece.length > m_edge)
        {
            m_stats.segments++;
            Give(piece);
            return true;
        }
    }
    return false;
}

void
DecodeReassembly::Pump()
{
    while (!m_paused)
    {
        if (!m_waiting.empty() && m_waiting.begin()->first <= m_edge)
        {
            const DecodePiece piece = m_waiting.begin()->second;
            m_waiting.erase(m_waiting.begin());
            if (piece.offset + piece.length > m_edge)
            {
                Give(piece);
            }
            else
            {
                m_stats.duplicates++;
            }
            continue;
        }
        if (!m_doubtful.empty() && IsCredible())
        {
            continue;
        }
        if (!m_waiting.empty() &&
            (m_finish || m_acknowledged > m_edge || m_waiting.size() > MAX_WAITING))
        {
            const uint64_t from = m_edge;
            m_edge = m_waiting.begin()->first;
            m_stats.missing += m_edge - from;
            m_listener.Gap(from, m_edge, m_waiting.begin()->second);
            continue;
        }
        break;
    }
    if (!m_paused && m_end > 0 && m_edge >= m_end && !m_ended)
    {
        m_ended = true;
        m_listener.End(m_endFrame, m_endTime);
    }
}

} // namespace ns3
