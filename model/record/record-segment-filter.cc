/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "record-segment-filter.h"

#include "ns3/tcp-held-octets.h"
#include "ns3/tcp-rx-buffer.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3
{

RecordSegmentFilter::RecordSegmentFilter() = default;

RecordSegmentFilter::~RecordSegmentFilter() = default;

RecordSegmentFilter::RecordSegmentFilter(const RecordSegmentFilter&)
{
}

void
RecordSegmentFilter::SetUser(RecordUser* user, bool sees)
{
    m_user = user;
    m_sees = user && sees;
}

void
RecordSegmentFilter::KeepFirst(uint32_t octets)
{
    m_keep = std::min(m_keep, octets);
}

RecordVerdict
RecordSegmentFilter::Ask(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    m_keep = packet->GetSize();
    // the user may have lost interest in the midst of a segment
    return m_sees ? m_user->InspectSegment(seq, packet) : RecordVerdict::KEEP;
}

RecordSegmentFilter::Outcome
RecordSegmentFilter::Show(Ptr<Packet>& packet,
                          const TcpHeader& header,
                          TcpRxBuffer& rx,
                          const DropTrace& dropped)
{
    const SequenceNumber32 seq = header.GetSequenceNumber();
    const uint32_t size = packet->GetSize();
    if (seq != rx.NextRxSequence() || m_held ||
        (rx.Available() > 0 && seq + size > rx.MaxRxSequence()))
    {
        return ShowPieces(packet, header, rx, dropped);
    }
    Outcome outcome;
    const RecordVerdict verdict = Ask(seq, packet);
    outcome.lost = verdict == RecordVerdict::DROP;
    if (!outcome.lost && m_keep < size)
    {
        dropped(seq + m_keep, size - m_keep);
        packet = packet->CreateFragment(0, m_keep);
        outcome.ackAtOnce = true;
    }
    // octets that came ahead of the user have to join those in order
    outcome.taken = verdict == RecordVerdict::TAKE && rx.Size() == 0 && !rx.GotFin();
    return outcome;
}

SequenceNumber32
RecordSegmentFilter::GetEndOfRoom(SequenceNumber32 seq, uint32_t size, const TcpRxBuffer& rx) const
{
    // TcpRxBuffer's right edge counts from the first octet that it stores, in order or not
    const SequenceNumber32 tail = seq + size;
    if (rx.Available() > 0)
    {
        return std::min(tail, rx.NextRxSequence() - rx.Available() + rx.MaxBufferSize());
    }
    return m_held ? std::min(tail, m_held->GetFirst() + rx.MaxBufferSize()) : tail;
}

RecordSegmentFilter::Outcome
RecordSegmentFilter::ShowPieces(Ptr<Packet>& packet,
                                const TcpHeader& header,
                                TcpRxBuffer& rx,
                                const DropTrace& dropped)
{
    const SequenceNumber32 seq = header.GetSequenceNumber();
    const SequenceNumber32 next = rx.NextRxSequence();
    const SequenceNumber32 head = std::max(seq, next);
    const SequenceNumber32 tail = GetEndOfRoom(seq, packet->GetSize(), rx);
    if (head >= tail)
    {
        return {}; // nothing of it is kept, but TCP answers
    }
    if (!m_held)
    {
        m_held = std::make_unique<TcpHeldOctets>(next);
    }
    std::vector<TcpHeldOctets::Piece> kept;
    for (auto piece : m_held->FindNew(head, static_cast<uint32_t>(tail - head)))
    {
        const auto at = static_cast<uint32_t>(piece.seq - seq);
        if (Ask(piece.seq, packet->CreateFragment(at, piece.size)) == RecordVerdict::DROP)
        {
            if (kept.empty())
            {
                if (m_held->IsEmpty())
                {
                    m_held.reset(); // it stands for octets out of order, of which there are none
                }
                return {true};
            }
            dropped(piece.seq, piece.size);
            break;
        }
        const uint32_t left = piece.size - m_keep;
        piece.size = m_keep;
        kept.push_back(piece);
        m_held->Add(piece);
        if (left > 0)
        {
            dropped(piece.seq + m_keep, left);
            break;
        }
    }
    // TcpRxBuffer would put the segment as a whole in place of what it has in between
    for (std::size_t i = kept.size(); i-- > 1;)
    {
        TcpHeader rest = header;
        rest.SetSequenceNumber(kept[i].seq);
        rx.Add(packet->CreateFragment(static_cast<uint32_t>(kept[i].seq - seq), kept[i].size),
               rest);
    }
    if (!kept.empty())
    {
        const auto end = static_cast<uint32_t>(kept.front().seq - seq) + kept.front().size;
        packet = packet->CreateFragment(0, end);
    }
    return {};
}

void
RecordSegmentFilter::DropUpTo(SequenceNumber32 next)
{
    if (m_held)
    {
        m_held->DropUpTo(next);
        if (m_held->IsEmpty())
        {
            m_held.reset();
        }
    }
}

} // namespace ns3
