/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-request-report.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace iwarp
{

void
ReportRequests(const std::string& prefix,
               const std::vector<const RequestTotals*>& clients,
               MetricSet& metrics)
{
    Time first = Time::Max();
    Time last;
    std::map<std::string, double> rates;
    for (const auto* client : clients)
    {
        first = std::min(first, client->GetFirst());
        last = std::max(last, client->GetLast());
        const double seconds = (client->GetLast() - client->GetFirst()).GetSeconds();
        for (const auto& metric : client->GetMetrics())
        {
            const bool reads = metric.name.rfind("read_latency_", 0) == 0;
            const bool writes = metric.name.rfind("write_latency_", 0) == 0;
            if ((reads && client->GetRequests(RequestKind::READ) == 0) ||
                (writes && client->GetRequests(RequestKind::WRITE) == 0))
            {
                continue; // no request, no latency
            }
            if (metric.merge == MetricMerge::RUN)
            {
                rates[prefix + metric.name] += metric.value * std::max(0.0, seconds);
            }
            else
            {
                metrics.Add(prefix, {metric});
            }
        }
    }
    for (const auto& [name, amount] : rates)
    {
        metrics.Add(name, amount > 0 ? amount / (last - first).GetSeconds() : 0);
    }
}

} // namespace iwarp
} // namespace ns3
