/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-request-totals.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace iwarp
{

RequestTotals::RequestTotals(std::string inlined)
    : m_inlined(std::move(inlined))
{
}

void
RequestTotals::Begin()
{
    m_first = std::min(m_first, Simulator::Now());
}

void
RequestTotals::Restart()
{
    m_kinds = {};
    m_first = Simulator::Now();
    m_last = m_first;
    m_restarted = m_first;
}

void
RequestTotals::Complete(RequestKind kind, uint32_t size, bool inlined, Time latency)
{
    // what began before the time that counts would come on top of what can pass in it
    const Time now = Simulator::Now();
    if (std::max(std::exchange(m_completed, now), now - latency) < m_restarted)
    {
        return;
    }
    Kind& totals = m_kinds[static_cast<uint8_t>(kind)];
    totals.requests++;
    totals.octets += size;
    totals.inlined += inlined;
    totals.latencies.Add(latency);
    m_last = now;
}

uint64_t
RequestTotals::GetRequests() const
{
    return m_kinds[0].requests + m_kinds[1].requests;
}

uint64_t
RequestTotals::GetRequests(RequestKind kind) const
{
    return m_kinds[static_cast<uint8_t>(kind)].requests;
}

uint64_t
RequestTotals::GetOctets(RequestKind kind) const
{
    return m_kinds[static_cast<uint8_t>(kind)].octets;
}

const SampleSet&
RequestTotals::GetLatencies(RequestKind kind) const
{
    return m_kinds[static_cast<uint8_t>(kind)].latencies;
}

Time
RequestTotals::GetFirst() const
{
    return m_first;
}

Time
RequestTotals::GetLast() const
{
    return m_last;
}

std::vector<AppMetric>
RequestTotals::GetMetrics() const
{
    constexpr auto sum = MetricMerge::SUM;
    constexpr auto worst = MetricMerge::MAXIMUM;
    constexpr auto run = MetricMerge::RUN; // clients have times of their own
    const double seconds = (m_last - m_first).GetSeconds();
    const auto completed = static_cast<double>(GetRequests());
    const double octets = double(m_kinds[0].octets) + double(m_kinds[1].octets);
    std::vector<AppMetric> metrics{
        {{"requests", "requests", "requests completed", sum}, completed},
        {{"request_rate",
          "requests/s",
          "requests completed over the time from the first request to the last response",
          run},
         seconds > 0 ? completed / seconds : 0},
        {{"goodput",
          "bit/s",
          "data over the time from the first request to the last response",
          run},
         seconds > 0 ? 8 * octets / seconds : 0}};
    for (const auto kind : {RequestKind::READ, RequestKind::WRITE})
    {
        const std::string name = kind == RequestKind::READ ? "read" : "write";
        const Kind& t = m_kinds[static_cast<uint8_t>(kind)];
        const auto add = [&](const char* what,
                             double value,
                             const char* unit,
                             const std::string& help,
                             MetricMerge merge) {
            metrics.push_back({{name + "_" + what, unit, help, merge}, value});
        };
        add("requests", double(t.requests), "requests", name + " requests completed", sum);
        add("inline", double(t.inlined), "requests", "of these, with data in " + m_inlined, sum);
        add("octets", double(t.octets), "octets", "data of " + name + " requests", sum);
        add("latency_mean", t.latencies.GetMean(), "s", "from request to response, mean", worst);
        add("latency_p50", t.latencies.GetQuantile(0.5), "s", "median", worst);
        add("latency_p99", t.latencies.GetQuantile(0.99), "s", "99th percentile", worst);
        add("latency_max", t.latencies.GetMaximum(), "s", "longest", worst);
    }
    return metrics;
}

} // namespace iwarp
} // namespace ns3
