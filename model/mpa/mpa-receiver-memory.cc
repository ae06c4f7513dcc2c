/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-receiver-arrival.h"
#include "mpa-receiver.h"

#include <algorithm>

// The part of MpaReceiver that tells which segments its memory has room for, and how much of them
// (RFC 5044 section A.5.2).

namespace ns3
{

using namespace mpa;

/// Add octets. @param held octets @param more octets, perhaps without limit @return the sum, which
/// does not overflow
static uint64_t
Sum(uint64_t held, uint64_t more)
{
    return more < UINT64_MAX - held ? held + more : UINT64_MAX;
}

void
MpaReceiver::SetRoom(uint64_t inOrder, uint64_t outOfOrder, uint64_t behind)
{
    m_room = inOrder;
    m_lateRoom = outOfOrder;
    m_behind = behind;
}

bool
MpaReceiver::RefuseInPlace(Arrival& a)
{
    const auto size = static_cast<uint32_t>(a.end - a.start);
    const uint64_t memory = std::min(m_config.memory, m_room);
    const uint64_t behind = std::min(memory, m_behind);
    if (size <= behind && !m_config.silentDrop)
    {
        return false;
    }
    FpduView view;
    uint32_t whole = 0;
    do
    {
        whole += view.wireSize;
        view = ParseFpdu(a.data + whole, size - whole, m_next + whole, a.format, a.check);
        a.error = view.complete ? Judge(view) : MpaError::NONE;
    } while (view.complete && a.error == MpaError::NONE);
    const bool full = a.error == MpaError::NONE && size - whole > (whole > 0 ? behind : memory);
    if (a.Refuse(m_config.silentDrop, full))
    {
        a.SetWhole(m_next + whole);
        return true;
    }
    a.SetVerified();
    return false;
}

bool
MpaReceiver::Refuse(Arrival& a)
{
    // what out-of-order octets may not use: the reserve, or more if the FPDU in order needs more
    const uint64_t held = m_store.GetHeld();
    const uint64_t head = m_edge - m_next;
    const uint64_t late = held - head;
    const uint64_t reserve = std::max<uint64_t>(m_reserve, head);
    const uint64_t own = m_config.memory > reserve ? m_config.memory - reserve : 0;
    const uint64_t most = Sum(held, m_room);
    const uint64_t limit = std::min(own, Sum(late, m_lateRoom));
    const bool fits = a.report.inOrder
                          ? held + a.fresh <= std::min({m_config.memory, most - late, m_behind})
                          : late + a.fresh <= limit;
    if (fits && !m_config.silentDrop)
    {
        return false;
    }
    bool full = false;
    uint64_t next = 0;
    if (a.report.inOrder)
    {
        next = Chain(a, true);
        // what would have to be kept of it; if nothing, it is taken whatever the memory
        const uint64_t kept = a.lastNew > next ? std::min(a.fresh, a.lastNew - next) : 0;
        const bool ends = next > m_next; // what is held in order goes with the FPDU
        const bool room = m_store.Contiguous(next) <= m_config.memory &&
                          (ends ? late + kept <= std::min(m_behind, most) : held + kept <= most);
        full = a.error == MpaError::NONE && kept > 0 && !room;
    }
    else
    {
        SearchNew(a, true);
        full = late + a.fresh - a.used > limit;
    }
    if (a.Refuse(m_config.silentDrop && a.faultInside, full))
    {
        a.SetWhole(next);
        return true;
    }
    if (a.report.inOrder)
    {
        a.SetVerified();
    }
    return false;
}

} // namespace ns3
