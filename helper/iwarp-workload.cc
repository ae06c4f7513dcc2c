/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-mpa.h"

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
    return std::make_unique<MpaWorkload>(parameters, listener);
}

} // namespace iwarp
} // namespace ns3
