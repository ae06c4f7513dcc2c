/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-ipsec-collector.h"

#include "ns3/callback.h"

#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const MetricDeclarations g_ipsecMetrics{std::vector<MetricInfo>{
    {"esp_packets", "packets", "Packets that IPsec has protected, at all nodes", Merge::SUM},
    {"esp_octets", "octets", "Octets of the IP datagrams with ESP", Merge::SUM},
    {"esp_overhead", "octets", "Octets of these that protection has added", Merge::SUM},
    {"esp_associations",
     "associations",
     "Security associations made, one for each direction",
     Merge::SUM},
    {"esp_rekeys",
     "pairs",
     "Pairs of associations that took over from others by KeyExchange",
     Merge::SUM},
    {"esp_idle_deletes", "pairs", "Pairs of associations deleted for being idle", Merge::SUM},
    {"esp_evictions",
     "associations",
     "Associations that went to make room for others, all senders",
     Merge::SUM},
    {"esp_drops", "packets", "Packets that IPsec has dropped", Merge::SUM},
    {"esp_drops_policy",
     "packets",
     "Of these, packets that a policy discards, or that came in clear but for it",
     Merge::SUM},
    {"esp_drops_no_association",
     "packets",
     "Packets for which there was no association, there or yet",
     Merge::SUM},
    {"esp_drops_truncated", "packets", "Packets that were too short for ESP", Merge::SUM},
    {"esp_drops_replayed", "packets", "Packets that had come before", Merge::SUM},
    {"esp_drops_too_old", "packets", "Packets left of the anti-replay window", Merge::SUM},
    {"esp_drops_bad_icv", "packets", "Packets forged, or changed on the way", Merge::SUM},
    {"esp_drops_expired", "packets", "Packets of an association whose life was over", Merge::SUM},
    {"esp_drops_too_big",
     "packets",
     "Packets that did not fit with protection and were not to be fragmented",
     Merge::SUM},
    {"esp_clear",
     "packets",
     "Packets that showed octets in clear that IPsec was to protect there, again on each link; the "
     "warm-up counts",
     Merge::SUM},
}};

/// Reasons that have a metric
const std::pair<IpsecDrop, const char*> REASONS[] = {
    {IpsecDrop::POLICY, "esp_drops_policy"},
    {IpsecDrop::NO_ASSOCIATION, "esp_drops_no_association"},
    {IpsecDrop::TRUNCATED, "esp_drops_truncated"},
    {IpsecDrop::REPLAYED, "esp_drops_replayed"},
    {IpsecDrop::TOO_OLD, "esp_drops_too_old"},
    {IpsecDrop::BAD_ICV, "esp_drops_bad_icv"},
    {IpsecDrop::EXPIRED, "esp_drops_expired"},
    {IpsecDrop::TOO_BIG, "esp_drops_too_big"},
};

} // namespace

IpsecCollector::IpsecCollector(const IpsecHelper& helper, bool real)
    : m_helper(helper),
      m_real(real),
      m_exchange(DynamicCast<IkeKeying>(helper.GetKeying()))
{
    helper.GetKeying()->TraceConnectWithoutContext(
        "Created",
        MakeCallback(&IpsecCollector::NotifyCreated, this));
}

void
IpsecCollector::Attach(Ptr<IpsecStack> stack)
{
    m_stacks.push_back(stack);
}

void
IpsecCollector::SetTap(Ptr<IpsecTap> tap)
{
    m_tap = tap;
}

void
IpsecCollector::NotifyCreated(const IpsecAssociationConfig& /* config */)
{
    m_associations++;
}

IpsecCollector::Totals
IpsecCollector::Sum() const
{
    Totals totals;
    totals.associations = m_associations;
    totals.replaced = m_exchange ? m_exchange->GetReplaced() : 0;
    totals.deleted = m_exchange ? m_exchange->GetDeleted() : 0;
    for (const auto& stack : m_stacks)
    {
        const auto& counters = stack->GetCounters();
        totals.counters.sealed += counters.sealed;
        totals.counters.sealedOctets += counters.sealedOctets;
        totals.counters.added += counters.added;
        totals.evicted += stack->GetAssociations().GetOutbound().GetEvicted();
        for (std::size_t i = 0; i < counters.dropped.size(); i++)
        {
            totals.counters.dropped[i] += counters.dropped[i];
        }
    }
    return totals;
}

void
IpsecCollector::Report(MetricSet& metrics, const Period& /* period */)
{
    const Totals now = Sum();
    const auto& counters = now.counters;
    const auto& before = m_before.counters;
    metrics.Add("esp_packets", counters.sealed - before.sealed);
    metrics.Add("esp_octets", counters.sealedOctets - before.sealedOctets);
    metrics.Add("esp_overhead", counters.added - before.added);
    metrics.Add("esp_associations", now.associations - m_before.associations);
    metrics.Add("esp_rekeys", now.replaced - m_before.replaced);
    metrics.Add("esp_idle_deletes", now.deleted - m_before.deleted);
    metrics.Add("esp_evictions", now.evicted - m_before.evicted);
    uint64_t drops = 0;
    for (std::size_t i = 0; i < counters.dropped.size(); i++)
    {
        drops += counters.dropped[i] - before.dropped[i];
    }
    metrics.Add("esp_drops", drops);
    for (const auto& [reason, name] : REASONS)
    {
        metrics.Add(name, counters.GetDropped(reason) - before.GetDropped(reason));
    }
    metrics.Add("esp_clear", static_cast<double>(m_tap->GetCount()));
}

void
IpsecCollector::Restart()
{
    m_before = Sum();
}

std::string
IpsecCollector::FindFault() const
{
    return m_tap->GetCount() > 0 ? "Ipsec: links showed protected octets in clear in " +
                                       std::to_string(m_tap->GetCount()) + " packets, first a " +
                                       m_tap->GetFirst()->ToString()
                                 : "";
}

void
IpsecCollector::EnablePcap(const std::string& prefix) const
{
    if (m_real)
    {
        m_helper.WriteKeys(prefix);
    }
}

} // namespace iwarp
} // namespace ns3
