/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-metrics.h"

#include "iwarp-rank-ledger.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @return the registry, which static objects of other files fill
std::map<std::string, MetricInfo>&
GetRegistry()
{
    static std::map<std::string, MetricInfo> registry;
    return registry;
}

/// @param info of a metric @param prefix of its name in the registry
void
Declare(const MetricInfo& info, const std::string& prefix)
{
    MetricInfo declared = info;
    declared.name = prefix + info.name;
    GetRegistry()[declared.name] = declared;
}

/// @param name name of a metric @return what it is
const MetricInfo&
Find(const std::string& name)
{
    const auto found = GetRegistry().find(name);
    NS_ABORT_MSG_IF(found == GetRegistry().end(), "metric " << name << " is not declared");
    return found->second;
}

} // namespace

MetricDeclarations::MetricDeclarations(const std::vector<MetricInfo>& metrics)
{
    for (const auto& metric : metrics)
    {
        Declare(metric, "");
    }
}

MetricDeclarations::MetricDeclarations(const std::string& prefix,
                                       const std::vector<AppMetric>& metrics)
{
    for (const auto& metric : metrics)
    {
        Declare(metric, prefix);
    }
}

std::string
ToString(MetricMerge merge)
{
    switch (merge)
    {
    case MetricMerge::SUM:
        return "sum";
    case MetricMerge::MAXIMUM:
        return "maximum";
    case MetricMerge::RATIO:
        return "ratio";
    case MetricMerge::SAMPLES:
        return "samples";
    case MetricMerge::LEVEL:
        return "level";
    case MetricMerge::RUN:
        return "run";
    }
    return "";
}

const std::map<std::string, MetricInfo>&
GetDeclaredMetrics()
{
    return GetRegistry();
}

void
MetricSet::Add(const std::string& name, double value, double weight)
{
    Merge(Find(name), name, value, weight);
}

void
MetricSet::Add(const std::string& prefix,
               const std::vector<AppMetric>& metrics,
               const std::string& suffix)
{
    for (const auto& metric : metrics)
    {
        Merge(Find(prefix + metric.name), prefix + metric.name + suffix, metric.value, 1);
    }
}

void
MetricSet::Add(const MetricSet& other)
{
    for (const auto& [info, value, weight] : other.m_entries)
    {
        Merge(info, info.name, value, weight);
    }
}

void
MetricSet::Share(RankLedger& ledger)
{
    std::vector<std::string> names;
    std::vector<double> numbers; // value and weight in turn
    for (const auto& [info, value, weight] : m_entries)
    {
        if (ledger.IsWritten())
        {
            names.push_back(info.name);
            numbers.insert(numbers.end(), {value, weight});
        }
    }
    ledger.Append(names);
    ledger.Append(numbers);
    for (std::size_t i = 0; !ledger.IsWritten() && i < names.size(); i++)
    {
        Add(names[i], numbers[2 * i], numbers[2 * i + 1]);
    }
}

void
MetricSet::Merge(const MetricInfo& info, const std::string& name, double value, double weight)
{
    const auto [place, isNew] = m_indices.emplace(name, m_entries.size());
    if (isNew)
    {
        m_entries.push_back({info, value, weight});
        m_entries.back().info.name = name;
        return;
    }
    Entry& entry = m_entries[place->second];
    switch (info.merge)
    {
    case MetricMerge::SUM:
        entry.value += value;
        break;
    case MetricMerge::MAXIMUM:
        entry.value = std::max(entry.value, value);
        break;
    case MetricMerge::RATIO:
        entry.value += value;
        entry.weight += weight;
        break;
    case MetricMerge::SAMPLES:
    case MetricMerge::LEVEL:
    case MetricMerge::RUN:
        NS_ABORT_MSG("metric " << name << " has one value, which comes from all flows together");
    }
}

std::vector<AppMetric>
MetricSet::Get() const
{
    std::vector<AppMetric> metrics;
    for (const auto& [info, value, weight] : m_entries)
    {
        const bool ratio = info.merge == MetricMerge::RATIO;
        metrics.push_back({info, !ratio ? value : weight > 0 ? value / weight : 0});
    }
    return metrics;
}

} // namespace iwarp
} // namespace ns3
