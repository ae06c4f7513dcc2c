/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-adversary-collector.h"

namespace ns3
{
namespace iwarp
{
namespace
{

const MetricDeclarations g_adversaryMetrics{std::vector<MetricInfo>{
    {"adversary_acts",
     "acts",
     "Packets that adversaries on the path forged, changed, repeated or withheld, of all kinds; "
     "told with Middlebox=adversary",
     MetricMerge::SUM},
}};

} // namespace

AdversaryCollector::AdversaryCollector(const std::vector<Ptr<PathAdversaryMiddlebox>>& boxes)
    : m_boxes(boxes)
{
}

uint64_t
AdversaryCollector::Sum() const
{
    uint64_t acts = 0;
    for (const auto& box : m_boxes)
    {
        acts += box->GetAllActs();
    }
    return acts;
}

void
AdversaryCollector::Restart()
{
    m_before = Sum();
}

void
AdversaryCollector::Report(MetricSet& metrics, const Period& /* period */)
{
    metrics.Add("adversary_acts", static_cast<double>(Sum() - m_before));
}

} // namespace iwarp
} // namespace ns3
