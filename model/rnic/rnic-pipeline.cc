/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-pipeline.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

uint32_t
RnicPipeline::AddStage(const std::string& name, const RnicServerConfig& config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_UNLESS(fault.empty(), "RNIC, stage " << name << ": " << fault);
    m_servers.emplace_back(config);
    m_names.push_back(name);
    return static_cast<uint32_t>(m_servers.size() - 1);
}

void
RnicPipeline::Enter(RnicTime arrival)
{
    m_time = arrival;
}

RnicTime
RnicPipeline::Next(uint32_t stage, uint64_t octets, uint32_t units, RnicTime extra)
{
    m_time = m_servers[stage].Serve(m_time, octets, units, extra).departure;
    return m_time;
}

void
RnicPipeline::WaitUntil(RnicTime time)
{
    m_time = std::max(m_time, time);
}

RnicTime
RnicPipeline::GetTime() const
{
    return m_time;
}

uint32_t
RnicPipeline::GetStages() const
{
    return static_cast<uint32_t>(m_servers.size());
}

const RnicServer&
RnicPipeline::GetServer(uint32_t stage) const
{
    return m_servers.at(stage);
}

const std::string&
RnicPipeline::GetName(uint32_t stage) const
{
    return m_names.at(stage);
}

} // namespace ns3
