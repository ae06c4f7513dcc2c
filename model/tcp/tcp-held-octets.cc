/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-held-octets.h"

namespace ns3
{

TcpHeldOctets::TcpHeldOctets(SequenceNumber32 next)
    : m_next(next)
{
}

TcpHeldOctets::Range
TcpHeldOctets::ToRange(const Piece& piece) const
{
    const uint64_t from = m_nextOffset + static_cast<uint32_t>(piece.seq - m_next);
    return Range::right_open(from, from + piece.size);
}

std::vector<TcpHeldOctets::Piece>
TcpHeldOctets::FindNew(SequenceNumber32 seq, uint32_t size) const
{
    const Range segment = ToRange({seq, size});
    std::vector<Piece> pieces;
    uint64_t from = segment.lower();
    const auto add = [&](uint64_t to) {
        if (from < to)
        {
            const auto at = static_cast<uint32_t>(from - segment.lower());
            pieces.push_back({seq + at, static_cast<uint32_t>(to - from)});
        }
    };
    for (auto held = m_octets.lower_bound(segment);
         held != m_octets.end() && held->lower() < segment.upper();
         ++held)
    {
        add(held->lower());
        from = held->upper();
    }
    add(segment.upper());
    return pieces;
}

void
TcpHeldOctets::Add(const Piece& piece)
{
    m_octets += ToRange(piece);
}

void
TcpHeldOctets::DropUpTo(SequenceNumber32 next)
{
    m_nextOffset += static_cast<uint32_t>(next - m_next);
    m_next = next;
    m_octets -= Range::right_open(0, m_nextOffset);
}

bool
TcpHeldOctets::IsEmpty() const
{
    return m_octets.empty();
}

SequenceNumber32
TcpHeldOctets::GetFirst() const
{
    return m_next + static_cast<uint32_t>(m_octets.begin()->lower() - m_nextOffset);
}

} // namespace ns3
