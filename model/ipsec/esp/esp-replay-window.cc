/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-replay-window.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

EspReplayWindow::EspReplayWindow(uint32_t size, bool extended)
    : m_size(size),
      m_extended(extended)
{
    NS_ABORT_MSG_IF((size != 0 || extended) && (size < LEAST || size > MOST),
                    "an anti-replay window of " << size << " packets: take " << LEAST << " to "
                                                << MOST << ", or 0 for none, which extended "
                                                << "sequence numbers cannot do without");
    // one word more than the window can touch: what enters is cleared by whole words
    m_seen.resize(size == 0 ? 0 : (size + WORD - 1) / WORD + 1);
}

uint64_t
EspReplayWindow::Extend(uint32_t low) const
{
    if (!m_extended)
    {
        return low;
    }
    const auto edge = static_cast<uint32_t>(m_top);
    const auto left = static_cast<uint32_t>(edge - m_size + 1); // modulo 2^32
    uint64_t high = m_top >> 32;
    if (edge >= m_size - 1) // the window lies in one subspace
    {
        high += low < left ? 1 : 0;
    }
    else if (low >= left) // it lies in two, and the packet in the lower one
    {
        if (high == 0)
        {
            return 0;
        }
        --high;
    }
    return high << 32 | low;
}

EspFreshness
EspReplayWindow::Validate(uint64_t sequence) const
{
    if (m_size == 0 || sequence > m_top)
    {
        return EspFreshness::FRESH;
    }
    if (sequence == 0 || m_top - sequence >= m_size)
    {
        return EspFreshness::TOO_OLD;
    }
    return m_seen[GetWord(sequence)] >> (sequence % WORD) & 1 ? EspFreshness::REPLAYED
                                                              : EspFreshness::FRESH;
}

void
EspReplayWindow::Accept(uint64_t sequence)
{
    if (sequence > m_top)
    {
        if (m_size > 0)
        {
            const uint64_t entered = sequence / WORD - m_top / WORD;
            const uint64_t words = std::min<uint64_t>(entered, m_seen.size());
            for (uint64_t i = 0; i < words; ++i)
            {
                m_seen[GetWord(sequence - i * WORD)] = 0;
            }
        }
        m_top = sequence;
    }
    if (m_size > 0)
    {
        m_seen[GetWord(sequence)] |= uint64_t{1} << (sequence % WORD);
    }
}

uint64_t
EspReplayWindow::GetTop() const
{
    return m_top;
}

std::size_t
EspReplayWindow::GetWord(uint64_t sequence) const
{
    return sequence / WORD % m_seen.size();
}

} // namespace ns3
