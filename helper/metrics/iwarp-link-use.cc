/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-link-use.h"

#include "iwarp-rank-ledger.h"

#include "ns3/callback.h"
#include "ns3/iwarp-network.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

NS_LOG_COMPONENT_DEFINE("LinkUse");

namespace
{

const MetricDeclarations g_linkMetrics{std::vector<MetricInfo>{
    {"bottleneck_share",
     "share",
     "Share of the time until the run ends, which CheckInterval has a part in, for which the "
     "busiest link was sending in one direction, gaps between frames included",
     MetricMerge::RUN},
}};

} // namespace

LinkUse::LinkUse(const IwarpNetwork& network)
    : m_meters(2 * network.GetNLinks())
{
    NS_LOG_FUNCTION(this << network.GetNLinks());
    for (uint32_t i = 0; i < m_meters.size(); i++)
    {
        const Ptr<NetDevice> device = network.GetLinkDevices(i / 2).Get(i % 2);
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Meter::Begin, &m_meters[i]));
        device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Meter::End, &m_meters[i]));
    }
}

LinkUse::~LinkUse() = default;

void
LinkUse::Restart()
{
    for (Meter& meter : m_meters)
    {
        meter = {Simulator::Now(), Time(0)};
    }
}

void
LinkUse::Report(MetricSet& metrics, const Period& period)
{
    if (period.prefix.empty()) // plain TCP has none
    {
        metrics.Add("bottleneck_share",
                    period.seconds > 0 ? GetBusiest().GetSeconds() / period.seconds : 0);
    }
}

Time
LinkUse::GetBusiest() const
{
    Time busiest = m_elsewhere;
    for (const Meter& meter : m_meters)
    {
        busiest = std::max(busiest, meter.busy);
    }
    return busiest;
}

void
LinkUse::Share(RankLedger& ledger)
{
    int64_t steps = GetBusiest().GetTimeStep();
    ledger.Maximum(steps);
    m_elsewhere = TimeStep(static_cast<uint64_t>(steps));
}

void
LinkUse::Meter::Begin(Ptr<const Packet> packet)
{
    begin = Simulator::Now();
}

void
LinkUse::Meter::End(Ptr<const Packet> packet)
{
    busy += Simulator::Now() - begin;
}

} // namespace iwarp
} // namespace ns3
