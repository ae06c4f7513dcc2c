/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-esp-collector.h"

#include "iwarp-rnic-load.h"

#include "ns3/rnic-esp-stage.h"

#include <cstddef>
#include <string>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const std::array<std::string, 2> ESP_STAGES{"TxEsp", "RxEsp"}; //!< of either way
const std::array<std::string, 2> WAYS{"out", "in"};            //!< as metrics are named

const MetricDeclarations g_espMetrics{std::vector<MetricInfo>{
    {"esp_busy_out",
     "s",
     "Time for which an engine or a CPU protects packets, mean over those of all hosts",
     Merge::RATIO},
    {"esp_busy_in",
     "s",
     "Time for which an engine or a CPU takes protection off, mean over those of all hosts",
     Merge::RATIO},
    {"esp_delay_out",
     "s",
     "From a packet's arrival at what protects it until it is protected, mean",
     Merge::RATIO},
    {"esp_delay_in",
     "s",
     "From a packet's arrival at what takes protection off until that is done, mean",
     Merge::RATIO},
    {"esp_context_wait",
     "s",
     "Of these, waits for the context of an association, mean over packets both ways",
     Merge::RATIO},
    {"esp_context_misses",
     "share",
     "Needs of an association's context that found it off chip",
     Merge::RATIO},
}};

} // namespace

EspCollector::EspCollector(const std::vector<RnicDatapath*>& paths)
    : m_paths(paths)
{
    for (RnicDatapath* path : paths)
    {
        for (std::size_t way = 0; way < ESP_STAGES.size(); ++way)
        {
            m_workers.at(way) += path->Get<RnicEspStage>(ESP_STAGES.at(way))->GetWorkers();
        }
    }
}

EspCollector::Sums
EspCollector::Read() const
{
    Sums sums;
    for (const RnicDatapath* path : m_paths)
    {
        for (std::size_t i = 0; i < ESP_STAGES.size(); ++i)
        {
            const auto& done = path->Get<RnicEspStage>(ESP_STAGES.at(i))->GetStatistics();
            Way& way = sums.ways.at(i);
            way.packets += static_cast<double>(done.packets);
            way.work += static_cast<double>(done.work) / RNIC_SECOND;
            way.contextWait += static_cast<double>(done.contextWait) / RNIC_SECOND;
            way.spent += static_cast<double>(done.spent) / RNIC_SECOND;
        }
        const auto cache = path->Get<RnicCache>("AssociationCache");
        sums.hits += static_cast<double>(cache->GetHits());
        sums.misses += static_cast<double>(cache->GetMisses());
    }
    return sums;
}

void
EspCollector::Restart()
{
    m_before = Read();
}

void
EspCollector::Report(MetricSet& metrics, const Period& /* period */)
{
    if (m_paths.empty())
    {
        return;
    }
    const Sums now = Read();
    for (std::size_t i = 0; i < ESP_STAGES.size(); ++i)
    {
        const Way& way = now.ways.at(i);
        const Way& before = m_before.ways.at(i);
        const double packets = way.packets - before.packets;
        metrics.Add("esp_busy_" + WAYS.at(i), way.work - before.work, m_workers.at(i));
        metrics.Add("esp_delay_" + WAYS.at(i), way.spent - before.spent, packets);
        metrics.Add("esp_context_wait", way.contextWait - before.contextWait, packets);
    }
    const double misses = now.misses - m_before.misses;
    metrics.Add("esp_context_misses", misses, misses + now.hits - m_before.hits);
}

} // namespace iwarp
} // namespace ns3
