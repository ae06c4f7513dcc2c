/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"
#include "iwarp-workload-perf.h"
#include "iwarp-workload-rdma.h"
#include "iwarp-workload-storage.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

void
Workload::Finish(std::vector<IwarpMetric>& /* metrics */)
{
}

std::string
Workload::GetReport() const
{
    return "";
}

void
MergeMetrics(const std::vector<AppMetric>& columns,
             const std::string& prefix,
             std::vector<IwarpMetric>& metrics,
             const std::string& suffix)
{
    for (const auto& column : columns)
    {
        const bool sum = column.unit != "s" && column.name != "size";
        const std::string name = prefix + column.name + suffix;
        const auto metric = std::find_if(metrics.begin(), metrics.end(), [&name](const auto& m) {
            return m.name == name;
        });
        if (metric == metrics.end())
        {
            const std::string help = column.help + (sum ? ", all flows" : ", worst flow");
            metrics.push_back({name, column.value, column.unit, help});
        }
        else
        {
            metric->value =
                sum ? metric->value + column.value : std::max(metric->value, column.value);
        }
    }
}

std::unique_ptr<Workload>
MakeWorkload(const IwarpScenarioParameters& parameters, const FlowListener& listener)
{
    using Kind = IwarpScenarioParameters::Workload;
    switch (parameters.workload)
    {
    case Kind::MPA:
        return std::make_unique<MpaWorkload>(parameters, listener);
    case Kind::RDMA_WRITE:
        return std::make_unique<RdmaWorkload>(RdmaBulkOperation::WRITE, parameters, listener);
    case Kind::RDMA_READ:
        return std::make_unique<RdmaWorkload>(RdmaBulkOperation::READ, parameters, listener);
    case Kind::SEND:
        return std::make_unique<RdmaWorkload>(RdmaBulkOperation::SEND, parameters, listener);
    case Kind::STORAGE:
        return std::make_unique<StorageWorkload>(parameters, listener);
    case Kind::PERF:
        return std::make_unique<PerfWorkload>(parameters, listener);
    }
    return nullptr;
}

} // namespace iwarp
} // namespace ns3
