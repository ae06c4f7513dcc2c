/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-flow-journal.h"

#include "iwarp-flow-collector.h"
#include "iwarp-rank-ledger.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace iwarp
{

void
FlowJournal::Add(const FlowEvent& event)
{
    m_events.push_back(event);
}

uint64_t
FlowJournal::Keep(const std::string& reason)
{
    m_reasons.push_back(reason);
    return m_reasons.size() - 1;
}

std::size_t
FlowJournal::GetN() const
{
    return m_events.size();
}

void
FlowJournal::Share(RankLedger& ledger)
{
    const auto own = static_cast<std::ptrdiff_t>(m_events.size());
    const std::size_t reasons = m_reasons.size();
    ledger.Append(m_events);
    ledger.Append(m_reasons);
    const auto theirs = m_events.begin() + own;
    for (auto event = theirs; event != m_events.end(); ++event)
    {
        event->first += event->kind == FlowEvent::Kind::FAILED ? reasons : 0;
    }
    std::inplace_merge(m_events.begin(),
                       theirs,
                       m_events.end(),
                       [](const FlowEvent& a, const FlowEvent& b) { return a.time < b.time; });
}

void
FlowJournal::Replay(FlowTotals& totals, const std::function<bool()>& isOver) const
{
    FlowJournal* const journal = std::exchange(totals.journal, nullptr);
    bool isEnded = false;
    for (auto event = m_events.begin(); event != m_events.end() && !isEnded; ++event)
    {
        totals.replayed = TimeStep(static_cast<uint64_t>(event->time));
        if (event->kind == FlowEvent::Kind::DELAYED)
        {
            totals.Delay(TimeStep(event->first));
        }
        else if (event->kind == FlowEvent::Kind::FAILED)
        {
            totals.collectors[event->flow]->Failed(m_reasons[event->first]);
        }
        else
        {
            totals.collectors[event->flow]->Handle(*event);
        }
        isEnded = isOver();
    }
    totals.journal = journal;
    totals.replayed.reset();
}

} // namespace iwarp
} // namespace ns3
