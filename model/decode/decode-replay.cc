/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-replay.h"

#include "ns3/util-sequence.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

DecodeReplay::DecodeReplay(std::vector<DecodeKeptPiece> pieces,
                           std::size_t segments,
                           std::vector<DecodeFpduPlace> places)
    : m_pieces(std::move(pieces)),
      m_places(std::move(places)),
      m_byOffset(m_pieces.size()),
      m_segments(segments),
      m_fpdus(m_places.size()),
      m_early(m_places.size())
{
    std::iota(m_byOffset.begin(), m_byOffset.end(), 0);
    std::sort(m_byOffset.begin(), m_byOffset.end(), [this](std::size_t a, std::size_t b) {
        return m_pieces[a].offset < m_pieces[b].offset;
    });
}

const std::vector<DecodeSegmentOutcome>&
DecodeReplay::GetSegments() const
{
    return m_segments;
}

const std::vector<DecodeFpduOutcome>&
DecodeReplay::GetFpdus() const
{
    return m_fpdus;
}

bool
DecodeReplay::IsSound(const DecodeFpduPlace& place)
{
    return place.isMpa && place.missing == 0 && place.crc != DecodeCrc::BAD;
}

void
DecodeReplay::Run()
{
    std::size_t from = 0;
    while (from < m_places.size())
    {
        const DecodeFpduPlace& first = m_places[from];
        std::size_t to = from + 1;
        if (!IsSound(first))
        {
            DecodeFpduOutcome& outcome = m_fpdus[from];
            FindTimes(first, outcome);
            outcome.placed = outcome.delivered = first.time;
            const bool together = outcome.complete == outcome.first;
            outcome.fate = first.missing > 0                   ? DecodeFate::INCOMPLETE
                           : first.crc == DecodeCrc::BAD       ? DecodeFate::BAD
                           : outcome.complete < outcome.placed ? DecodeFate::WAITED
                           : together                          ? DecodeFate::AT_ONCE
                                                               : DecodeFate::IN_PARTS;
            from = to;
            continue;
        }
        while (to < m_places.size() && IsSound(m_places[to]) &&
               m_places[to].begin == m_places[to - 1].begin + m_places[to - 1].size &&
               m_places[to].markers == first.markers && m_places[to].crc == first.crc)
        {
            ++to;
        }
        from = RunStretch(from, to);
    }
}

std::vector<std::size_t>
DecodeReplay::FindPieces(uint64_t begin, uint64_t end) const
{
    auto at =
        std::upper_bound(m_byOffset.begin(), m_byOffset.end(), begin, [this](uint64_t o, auto i) {
            return o < m_pieces[i].offset;
        });
    at -= at != m_byOffset.begin() ? 1 : 0;
    std::vector<std::size_t> found;
    for (; at != m_byOffset.end() && m_pieces[*at].offset < end; ++at)
    {
        if (m_pieces[*at].offset + m_pieces[*at].size > begin)
        {
            found.push_back(*at);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

void
DecodeReplay::FindTimes(const DecodeFpduPlace& place, DecodeFpduOutcome& outcome) const
{
    outcome.first = outcome.complete = place.time;
    const auto pieces = FindPieces(place.begin, place.begin + place.size);
    if (!pieces.empty())
    {
        outcome.first = m_pieces[pieces.front()].time;
        outcome.complete = m_pieces[pieces.back()].time;
    }
}

std::size_t
DecodeReplay::RunStretch(std::size_t from, std::size_t to)
{
    const DecodeFpduPlace& first = m_places[from];
    const uint64_t end = m_places[to - 1].begin + m_places[to - 1].size;
    MpaReceiverConfig config;
    config.seqStart = static_cast<uint32_t>(first.begin);
    config.position = first.position % mpa::MARKER_INTERVAL;
    config.format = {first.markers, first.crc == DecodeCrc::GOOD};
    config.records = UINT32_MAX; // what was refused is known
    m_from = m_delivered = from;
    m_to = to;
    m_edge = first.begin;
    m_came.clear();
    m_fault.reset();
    MpaReceiver::Listener& listener = *this;
    MpaReceiver receiver(config, listener);
    for (std::size_t index : FindPieces(first.begin, end))
    {
        if (!m_fault)
        {
            Feed(receiver, m_pieces[index], first.begin, end);
        }
    }
    if (!m_fault)
    {
        return to;
    }
    DecodeFpduOutcome& outcome = m_fpdus[*m_fault];
    FindTimes(m_places[*m_fault], outcome);
    outcome.placed = outcome.delivered = m_places[*m_fault].time;
    outcome.fate = DecodeFate::BAD;
    return *m_fault + 1;
}

void
DecodeReplay::Feed(MpaReceiver& receiver,
                   const DecodeKeptPiece& piece,
                   uint64_t begin,
                   uint64_t end)
{
    const uint64_t from = std::max(piece.offset, begin);
    const uint64_t to = std::min(piece.offset + piece.size, end);
    m_now = piece.time;
    const auto report = receiver.Segment(static_cast<uint32_t>(from),
                                         piece.data + (from - piece.offset),
                                         static_cast<uint32_t>(to - from),
                                         static_cast<uint64_t>(piece.time));
    DecodeSegmentOutcome& outcome = m_segments[piece.segment];
    outcome.inOrder = outcome.isSeen ? outcome.inOrder : report.inOrder;
    outcome.isSeen = true;
    outcome.passed += report.passed;
    outcome.early += report.passedOutOfOrder;
    outcome.stored += report.stored;
    outcome.held = receiver.GetHeld();
    m_came[from] = to;
    while (!m_came.empty() && m_came.begin()->first <= m_edge)
    {
        m_edge = std::max(m_edge, m_came.begin()->second);
        m_came.erase(m_came.begin());
    }
    receiver.Advance(static_cast<uint32_t>(m_edge));
}

std::size_t
DecodeReplay::FindPlace(uint32_t seq) const
{
    const auto first = m_places.begin() + static_cast<std::ptrdiff_t>(m_from);
    const auto last = m_places.begin() + static_cast<std::ptrdiff_t>(m_to);
    const uint64_t begin = iwarp::UnwrapSequence(m_edge, seq);
    const auto at = std::lower_bound(first, last, begin, [](const auto& place, uint64_t o) {
        return place.begin < o;
    });
    const bool found = at != last && at->begin == begin;
    return found ? static_cast<std::size_t>(at - m_places.begin()) : m_to;
}

void
DecodeReplay::Pass(const MpaUlpdu& ulpdu)
{
    const std::size_t index = FindPlace(ulpdu.seq);
    if (index == m_to)
    {
        return; // an FPDU out of order that was none
    }
    DecodeFpduOutcome& outcome = m_fpdus[index];
    FindTimes(m_places[index], outcome);
    outcome.placed = m_now;
    if (!ulpdu.inOrder)
    {
        m_early[index] = true;
        const bool follows = index > m_from && m_early[index - 1];
        outcome.fate = follows ? DecodeFate::LENGTH : DecodeFate::MARKER;
    }
    else if (outcome.complete < outcome.placed)
    {
        outcome.fate = DecodeFate::WAITED;
    }
    else
    {
        outcome.fate = ulpdu.aligned ? DecodeFate::AT_ONCE : DecodeFate::IN_PARTS;
    }
}

void
DecodeReplay::Deliver(uint32_t count)
{
    for (; count > 0 && m_delivered < m_to; --count)
    {
        m_fpdus[m_delivered++].delivered = m_now;
    }
}

void
DecodeReplay::Error(MpaError, uint32_t seq)
{
    // a Marker is wrong, or one has led to what is no FPDU; where that is does not always show
    m_fault = std::min(FindPlace(seq), m_to - 1);
}

void
DecodeReplay::Classified(uint32_t, uint32_t, bool, bool)
{
}

} // namespace ns3
