/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-slowdown.h"

#include "ns3/node.h"
#include "ns3/path-framing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

const MetricDeclarations g_slowdownMetrics{std::vector<MetricInfo>{
    {"slowdown_p50",
     "ratio",
     "Time of a message over that which links and headers leave it alone on the empty path, "
     "median; "
     "told with Intervals and Load",
     Merge::SAMPLES},
    {"slowdown_p99", "ratio", "As slowdown_p50, 99th percentile", Merge::SAMPLES},
    {"size_messages",
     "messages",
     "Messages of a size, in the series with _N of N octets at most and more than N / 10",
     Merge::SUM},
    {"size_time_p50",
     "s",
     "From posting to completion, by size as size_messages, median",
     Merge::SAMPLES},
    {"size_time_p99", "s", "As size_time_p50, 99th percentile", Merge::SAMPLES},
    {"size_slowdown_p50", "ratio", "As slowdown_p50, by size as size_messages", Merge::SAMPLES},
    {"size_slowdown_p99", "ratio", "As slowdown_p99, by size as size_messages", Merge::SAMPLES},
}};

/// @param name name behind size_ @param value value @return a metric of the series
AppMetric
MakeMetric(const std::string& name, double value)
{
    AppMetric metric;
    metric.name = name;
    metric.value = value;
    return metric;
}

/// @param octets of payload behind a multiple of 4 @return octets of the PAD of its FPDU (RFC 5044
/// section 4.1), and of a packet's of RoCE
uint64_t
GetFpduPad(uint64_t octets)
{
    return (4 - octets % 4) % 4;
}

} // namespace

double
EmptyPath::Step::GetSeconds(uint32_t octets) const
{
    return 8.0 * octets / rate;
}

double
EmptyPath::Step::GetFull() const
{
    return GetSeconds(framing::GetWireOctets(framing, mtu));
}

EmptyPath::EmptyPath(const IwarpNetwork& network,
                     uint32_t from,
                     uint32_t to,
                     uint32_t headers,
                     uint32_t spare)
    : m_delay(network.GetPathDelay(from, to)),
      m_headers(headers),
      m_spare(spare)
{
    // equal paths have as many links: the fastest of each step
    std::map<Ptr<Node>, std::size_t> steps{{network.GetHost(from), 0}};
    for (const auto& [number, direction] : network.GetPath(from, to))
    {
        const NetDeviceContainer ends = network.GetLinkDevices(number);
        const bool forth = direction == PathDirection::A_TO_B;
        const std::size_t step = steps.at(ends.Get(forth ? 0 : 1)->GetNode());
        steps[ends.Get(forth ? 1 : 0)->GetNode()] = step + 1;
        const IwarpNetwork::Link& link = network.GetLink(number);
        const auto rate = static_cast<double>(link.rate.GetBitRate());
        if (step == m_links.size())
        {
            m_links.push_back({rate, link.mtu, link.framing});
        }
        else if (rate > m_links[step].rate)
        {
            m_links[step] = {rate, link.mtu, link.framing};
        }
    }
}

EmptyPath::Cut
EmptyPath::Divide(uint64_t octets) const
{
    const uint32_t most = GetPayload() / 4 * 4; // full packets have no PAD
    const uint64_t full = (octets - 1) / most;
    const uint64_t rest = octets - full * most;
    return {full, most + m_headers, static_cast<uint32_t>(rest + m_headers + GetFpduPad(rest))};
}

const EmptyPath::Step&
EmptyPath::FindSlowest() const
{
    return *std::max_element(m_links.begin(), m_links.end(), [](const Step& a, const Step& b) {
        return a.GetFull() < b.GetFull();
    });
}

Time
EmptyPath::GetTime(uint64_t octets) const
{
    const auto [full, packet, last] = Divide(octets);
    // A frame follows the one before it when that has left the link, and goes on when all of it has
    // come. With full frames up to the last one that is the longest of these ways through the
    // links: full frames to one of them, where all pass, and the last frame from there on.
    double longest = 0;
    double before = 0;
    double slowest = 0;
    for (std::size_t i = 0; i < m_links.size(); i++)
    {
        double seconds = before;
        for (std::size_t j = i; j < m_links.size(); j++)
        {
            const auto& link = m_links[j];
            seconds += link.GetSeconds(framing::GetSentOctets(link.framing, last));
        }
        const auto& link = m_links[i];
        const double wire = link.GetSeconds(framing::GetWireOctets(link.framing, packet));
        slowest = std::max(slowest, wire);
        if (full > 0)
        {
            seconds += wire + static_cast<double>(full - 1) * slowest;
            before += link.GetSeconds(framing::GetSentOctets(link.framing, packet));
        }
        longest = std::max(longest, seconds);
    }
    return m_delay + Seconds(longest);
}

Time
EmptyPath::GetSenderTime(uint64_t octets) const
{
    double seconds = 8.0 * static_cast<double>(GetWireOctets(octets)) / FindSlowest().rate;
    for (const auto& link : m_links)
    {
        seconds += link.GetFull();
    }
    return m_delay + m_delay + Seconds(seconds);
}

Time
EmptyPath::GetTime(uint64_t octets, IdealTime ideal) const
{
    return ideal == IdealTime::HPCC ? GetSenderTime(octets) : GetTime(octets);
}

uint64_t
EmptyPath::GetWireOctets(uint64_t octets) const
{
    const auto [full, packet, last] = Divide(octets);
    const Step& link = FindSlowest();
    return full * framing::GetWireOctets(link.framing, packet) +
           framing::GetWireOctets(link.framing, last);
}

uint32_t
EmptyPath::GetPayload() const
{
    return m_links.front().mtu - m_headers - m_spare;
}

Time
EmptyPath::GetRoundTrip() const
{
    double seconds = 0;
    for (const auto& link : m_links)
    {
        seconds += link.GetSeconds(framing::GetSentOctets(link.framing, link.mtu)) +
                   link.GetSeconds(framing::GetSentOctets(link.framing, 0));
    }
    return Seconds(seconds) + m_delay + m_delay;
}

uint64_t
EmptyPath::GetWindow() const
{
    return static_cast<uint64_t>(std::ceil(GetRoundTrip().GetSeconds() / FindSlowest().GetFull()));
}

EmptyPaths::EmptyPaths(const IwarpNetwork& network, uint32_t headers, uint32_t spare)
    : m_network(network),
      m_headers(headers),
      m_spare(spare)
{
}

EmptyPaths::Link
EmptyPaths::Look(uint32_t host) const
{
    const auto& link = m_network.GetLink(m_network.GetHostLink(host));
    return {link.rate.GetBitRate(), link.delay.GetTimeStep(), link.mtu, link.framing};
}

Ptr<EmptyPath>
EmptyPaths::Get(uint32_t from, uint32_t to)
{
    Ptr<EmptyPath>& path = m_paths[{&m_network.GetRoute(from, to), Look(from), Look(to)}];
    if (!path)
    {
        path = Create<EmptyPath>(m_network, from, to, m_headers, m_spare);
    }
    return path;
}

void
Slowdown::Add(uint64_t octets, Time taken, Time alone)
{
    uint64_t most = 10;
    while (most < octets)
    {
        most *= 10;
    }
    const Time slowdown = Seconds(taken.GetSeconds() / alone.GetSeconds());
    for (Bin* bin : {&m_all, &m_bins[most]})
    {
        bin->taken.Add(taken);
        bin->slowdown.Add(slowdown);
    }
}

void
Slowdown::Report(MetricSet& metrics) const
{
    if (m_all.taken.GetN() == 0)
    {
        return;
    }
    metrics.Add("slowdown_p50", m_all.slowdown.GetQuantile(0.5));
    metrics.Add("slowdown_p99", m_all.slowdown.GetQuantile(0.99));
    for (const auto& [most, bin] : m_bins)
    {
        metrics.Add("size_",
                    {MakeMetric("messages", static_cast<double>(bin.taken.GetN())),
                     MakeMetric("time_p50", bin.taken.GetQuantile(0.5)),
                     MakeMetric("time_p99", bin.taken.GetQuantile(0.99)),
                     MakeMetric("slowdown_p50", bin.slowdown.GetQuantile(0.5)),
                     MakeMetric("slowdown_p99", bin.slowdown.GetQuantile(0.99))},
                    "_" + std::to_string(most));
    }
}

} // namespace iwarp
} // namespace ns3
