/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-pause-watch.h"

#include "ns3/iwarp-network.h"
#include "ns3/log.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace ns3
{
namespace iwarp
{

NS_LOG_COMPONENT_DEFINE("PauseWatch");

namespace
{

/// @return metrics, and the same of plain TCP
std::vector<MetricInfo>
ListPauseMetrics()
{
    std::vector<MetricInfo> metrics{
        {"pause_time",
         "s",
         "For how long ends of links paused, all of them added; told with PfcXoff or PfcHeadroom",
         MetricMerge::SUM},
        {"host_pause_time", "s", "As pause_time, of hosts alone", MetricMerge::SUM},
        {"pause_frames",
         "frames",
         "Pause frames that asked for a pause, without those that ended one",
         MetricMerge::SUM},
        {"host_pause_share",
         "share",
         "Share of duration for which hosts that send paused, mean of them",
         MetricMerge::RUN},
        {"host_pause_share_max",
         "share",
         "Share of duration for which the host paused that did so most, of those that send",
         MetricMerge::RUN},
        {"victim_pause_share",
         "share",
         "Share of duration for which hosts paused that send only to hosts to which no other host "
         "sends: they have no part in the congestion of a receiver; mean, absent if there are none",
         MetricMerge::RUN},
        {"switch_buffer_peak",
         "octets",
         "Most octets of datagrams that waited in one switch, from the beginning on; told with "
         "BufferSize or InputBuffer",
         MetricMerge::RUN},
        {"buffer_drops",
         "packets",
         "Packets that switches dropped as their queue had its share of the shared memory, or "
         "their port its memory full; told with BufferSize or InputBuffer",
         MetricMerge::SUM},
        {"headroom_drops",
         "packets",
         "Packets of lossless priorities that switches dropped as their headroom or port was full; "
         "told with PfcXoff or PfcHeadroom",
         MetricMerge::SUM},
    };
    const std::size_t count = metrics.size();
    for (std::size_t i = 0; i < count; i++)
    {
        MetricInfo plain = metrics[i];
        plain.help = "As " + plain.name + ", for plain TCP";
        plain.name = "plain_tcp_" + plain.name;
        metrics.push_back(plain);
    }
    return metrics;
}

const MetricDeclarations g_pauseMetrics{ListPauseMetrics()};

} // namespace

PauseWatch::PauseWatch(const IwarpNetwork& network, const IwarpTopology::Ends& ends, Scope scope)
    : m_network(network),
      m_scope(scope)
{
    NS_LOG_FUNCTION(this << ends.size());
    std::map<uint32_t, std::set<uint32_t>> sendersTo;
    std::map<uint32_t, std::set<uint32_t>> receiversOf;
    for (const auto& [sender, receiver] : ends)
    {
        sendersTo[receiver].insert(sender);
        receiversOf[sender].insert(receiver);
    }
    for (const auto& [sender, receivers] : receiversOf)
    {
        m_senders.push_back(sender);
        const auto isShared = [&](uint32_t receiver) { return sendersTo[receiver].size() > 1; };
        if (std::none_of(receivers.begin(), receivers.end(), isShared))
        {
            m_victims.push_back(sender);
        }
    }
    m_before = Count();
}

PauseWatch::~PauseWatch() = default;

PauseWatch::Totals
PauseWatch::Count() const
{
    Totals totals;
    totals.paused = m_network.GetPaused();
    for (uint32_t i = 0; i < m_network.GetNHosts(); i++)
    {
        const uint32_t link = m_network.GetHostLink(i);
        const bool first = m_network.GetLinkDevices(link).Get(0) == m_network.GetHostDevice(i);
        totals.host.push_back(m_network.GetPaused(link, first ? 0 : 1));
    }
    for (const auto& memory : m_network.GetMemories())
    {
        if (memory)
        {
            totals.pauses += memory->CountPauses();
            totals.drops.shared += memory->GetDrops().shared;
            totals.drops.headroom += memory->GetDrops().headroom;
        }
    }
    return totals;
}

void
PauseWatch::Restart()
{
    m_before = Count();
}

Time
PauseWatch::GetPaused(uint32_t host) const
{
    return Count().host.at(host) - m_before.host[host];
}

const std::vector<uint32_t>&
PauseWatch::GetVictims() const
{
    return m_victims;
}

void
PauseWatch::ReportPauses(MetricSet& metrics, const Period& period, const Totals& now) const
{
    const auto getTime = [&](uint32_t host) {
        return (now.host[host] - m_before.host[host]).GetSeconds();
    };
    double all = 0;
    for (uint32_t host = 0; host < now.host.size(); host++)
    {
        all += getTime(host);
    }
    const std::string& prefix = period.prefix;
    metrics.Add(prefix + "pause_time", (now.paused - m_before.paused).GetSeconds());
    metrics.Add(prefix + "host_pause_time", all);
    metrics.Add(prefix + "pause_frames", now.pauses - m_before.pauses);
    metrics.Add(prefix + "headroom_drops", now.drops.headroom - m_before.drops.headroom);
    const auto addMean = [&](const std::string& name, const std::vector<uint32_t>& hosts) {
        double sum = 0;
        for (const uint32_t host : hosts)
        {
            sum += getTime(host);
        }
        if (!hosts.empty() && period.seconds > 0)
        {
            metrics.Add(prefix + name, sum / static_cast<double>(hosts.size()) / period.seconds);
        }
    };
    addMean("host_pause_share", m_senders);
    double most = 0;
    for (const uint32_t host : m_senders)
    {
        most = std::max(most, getTime(host));
    }
    metrics.Add(prefix + "host_pause_share_max", period.seconds > 0 ? most / period.seconds : 0);
    addMean("victim_pause_share", m_victims);
}

void
PauseWatch::ReportMemory(MetricSet& metrics, const Period& period, const Totals& now) const
{
    uint64_t peak = 0;
    for (const auto& memory : m_network.GetMemories())
    {
        peak = std::max(peak, memory ? memory->GetBuffer().GetPeak() : 0);
    }
    metrics.Add(period.prefix + "switch_buffer_peak", peak);
    metrics.Add(period.prefix + "buffer_drops", now.drops.shared - m_before.drops.shared);
}

void
PauseWatch::Report(MetricSet& metrics, const Period& period)
{
    const Totals now = Count();
    if (m_scope.pauses)
    {
        ReportPauses(metrics, period, now);
    }
    if (m_scope.memory)
    {
        ReportMemory(metrics, period, now);
    }
}

} // namespace iwarp
} // namespace ns3
