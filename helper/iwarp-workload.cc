/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"
#include "iwarp-workload-perf.h"
#include "iwarp-workload-rdma.h"

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
    case Kind::PERF:
        return std::make_unique<PerfWorkload>(parameters, listener);
    }
    return nullptr;
}

} // namespace iwarp
} // namespace ns3
