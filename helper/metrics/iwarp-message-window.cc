/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-message-window.h"

#include "ns3/util-order-statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using Merge = MetricMerge;

/// A percentile that is reported
struct Percentile
{
    const char* name; //!< in names of metrics
    const char* text; //!< for people
    double share;     //!< of messages that do not exceed it
};

constexpr std::array<Percentile, 4> PERCENTILES{{{"p50", "median", 0.5},
                                                 {"p95", "95th percentile", 0.95},
                                                 {"p99", "99th percentile", 0.99},
                                                 {"p999", "99.9th percentile", 0.999}}};

const MetricDeclarations g_windowMetrics{std::vector<MetricInfo>{
    {"offered_messages", "messages", "Messages that arrived in ArrivalWindow", Merge::SUM},
    {"offered_octets", "octets", "Payload of offered_messages", Merge::SUM},
    {"offered_load",
     "ratio",
     "Payload that arrived in ArrivalWindow over that of a Load of 1",
     Merge::RUN},
    {"completed_messages", "messages", "Of offered_messages, those that ended", Merge::SUM},
    {"completed_octets", "octets", "Payload of completed_messages", Merge::SUM},
    {"censored_messages",
     "messages",
     "Of offered_messages, those that had not ended by DrainLimit",
     Merge::SUM},
    {"censored_octets", "octets", "Payload of censored_messages", Merge::SUM},
    {"drain_time",
     "s",
     "From the end of ArrivalWindow until the last of its messages ended",
     Merge::RUN},
    {"messages_under_way",
     "messages",
     "Messages that had arrived and not ended, mean over ArrivalWindow",
     Merge::RUN},
    {"slowdown_mean", "ratio", "As slowdown_p50, mean; told with ArrivalWindow", Merge::SAMPLES},
    {"size_censored", "messages", "As censored_messages, by size as size_messages", Merge::SUM},
    {"half_messages",
     "messages",
     "Messages of the first half (_1) and the second half (_2) of ArrivalWindow that ended",
     Merge::SUM},
}};

/// @param name of a metric @param unit of it @param as how it is computed @param own it is told
/// here alone @param [out] metrics gets it with the ends of its interval
void
DeclarePercentile(const std::string& name,
                  const char* unit,
                  const std::string& as,
                  bool own,
                  std::vector<MetricInfo>& metrics)
{
    if (own)
    {
        metrics.push_back({name, unit, as + "; told with ArrivalWindow", Merge::SAMPLES});
    }
    metrics.push_back({name + "_low",
                       unit,
                       "Lower end of the 95 % interval of " + name + " by order statistics",
                       Merge::SAMPLES});
    metrics.push_back(
        {name + "_high", unit, "Upper end of the interval of " + name, Merge::SAMPLES});
}

/// @return percentiles of times and slowdowns with their intervals, over all and in series
std::vector<MetricInfo>
ListPercentiles()
{
    std::vector<MetricInfo> metrics;
    for (const auto& percentile : PERCENTILES)
    {
        // others are there without ArrivalWindow, too
        const bool own = percentile.share == 0.95 || percentile.share == 0.999;
        const std::string end = std::string("_") + percentile.name;
        const std::string text = std::string(", ") + percentile.text;
        const std::string all = "message_time" + end;
        DeclarePercentile(all, "s", "As message_time_p99" + text, own || end == "_p50", metrics);
        DeclarePercentile("slowdown" + end, "ratio", "As slowdown_p99" + text, own, metrics);
        DeclarePercentile("size_time" + end, "s", "As size_time_p99" + text, own, metrics);
        DeclarePercentile("size_slowdown" + end,
                          "ratio",
                          "As size_slowdown_p99" + text,
                          own,
                          metrics);
        if (!own)
        {
            DeclarePercentile("half_slowdown" + end,
                              "ratio",
                              "As slowdown" + end + ", by half as half_messages",
                              true,
                              metrics);
        }
    }
    return metrics;
}

const MetricDeclarations g_percentileMetrics{ListPercentiles()};

/// @param name name behind a prefix @param value value @return metric of a series
AppMetric
MakeSeries(const std::string& name, double value)
{
    AppMetric metric;
    metric.name = name;
    metric.value = value;
    return metric;
}

/**
 * @param name of the metric, without the percentile
 * @param samples of it
 * @return its percentiles with their intervals, as far as both are known
 */
std::vector<AppMetric>
MakePercentiles(const std::string& name, const OrderStatistics& samples)
{
    std::vector<AppMetric> metrics;
    for (const auto& percentile : PERCENTILES)
    {
        const auto found = samples.FindQuantile(percentile.share);
        if (found && std::isfinite(found->high))
        {
            const std::string full = name + '_' + percentile.name;
            metrics.push_back(MakeSeries(full, found->value));
            metrics.push_back(MakeSeries(full + "_low", found->low));
            metrics.push_back(MakeSeries(full + "_high", found->high));
        }
    }
    return metrics;
}

} // namespace

// ---- what happens -------------------------------------------------------------------------------

void
MessageWindow::SetEdges(std::vector<uint64_t> edges)
{
    m_edges = std::move(edges);
}

void
MessageWindow::SetBins(uint32_t bins)
{
    m_bins = bins;
}

void
MessageWindow::SetCapacity(double rate)
{
    m_capacity = rate;
}

void
MessageWindow::Open(Time now)
{
    m_opened = now;
    m_changed = now;
}

void
MessageWindow::Close(Time now)
{
    Change(now, 0);
    m_closed = now;
}

void
MessageWindow::Change(Time now, int64_t by)
{
    if (!m_opened.IsStrictlyNegative() && m_closed.IsStrictlyNegative())
    {
        m_area += static_cast<double>(m_level) * (now - m_changed).GetSeconds();
        m_changed = now;
    }
    m_level += by;
}

uint64_t
MessageWindow::Arrive(Time now, uint64_t octets, uint32_t flow)
{
    Change(now, 1);
    if (m_opened.IsStrictlyNegative() || !m_closed.IsStrictlyNegative())
    {
        return OUTSIDE;
    }
    m_missing++;
    m_messages.push_back({now, octets, flow});
    return m_messages.size() - 1;
}

void
MessageWindow::Refuse(Time now, uint64_t octets, uint32_t flow)
{
    const uint64_t ticket = Arrive(now, octets, flow);
    Change(now, -1);
    if (ticket != OUTSIDE)
    {
        m_missing--;
        m_messages[ticket].refused = true;
    }
}

void
MessageWindow::End(uint64_t ticket, Time now, Time alone)
{
    Change(now, -1);
    if (ticket == OUTSIDE)
    {
        return;
    }
    m_missing--;
    m_last = now;
    Message& message = m_messages.at(ticket);
    message.ended = true;
    message.taken = now - message.arrival;
    message.slowdown = message.taken.GetSeconds() / alone.GetSeconds();
}

bool
MessageWindow::IsComplete() const
{
    return !m_closed.IsStrictlyNegative() && m_missing == 0;
}

const std::vector<MessageWindow::Message>&
MessageWindow::ListMessages() const
{
    return m_messages;
}

// ---- figures ------------------------------------------------------------------------------------

void
MessageWindow::Add(Group& group, const Message& message)
{
    constexpr double NEVER = std::numeric_limits<double>::infinity();
    if (!message.refused)
    {
        group.censored += !message.ended;
        group.taken.push_back(message.ended ? message.taken.GetSeconds() : NEVER);
        group.slowdown.push_back(message.ended ? message.slowdown : NEVER);
    }
}

MessageWindow::Group
MessageWindow::Select(std::size_t first, std::size_t behind) const
{
    Group group;
    for (std::size_t i = first; i < behind; i++)
    {
        Add(group, m_messages[i]);
    }
    return group;
}

std::size_t
MessageWindow::FindMiddle() const
{
    const Time middle = m_opened + TimeStep((m_closed - m_opened).GetTimeStep() / 2);
    const auto second =
        std::partition_point(m_messages.begin(),
                             m_messages.end(),
                             [middle](const Message& message) { return message.arrival < middle; });
    return static_cast<std::size_t>(second - m_messages.begin());
}

std::vector<uint64_t>
MessageWindow::FindEdges() const
{
    if (!m_edges.empty() || m_messages.empty() || m_bins == 0)
    {
        return m_edges;
    }
    std::vector<double> sizes;
    for (const Message& message : m_messages)
    {
        sizes.push_back(static_cast<double>(message.octets));
    }
    const OrderStatistics sorted(sizes);
    std::vector<uint64_t> edges;
    for (uint32_t bin = 1; bin <= m_bins; bin++)
    {
        const auto edge = static_cast<uint64_t>(sorted.GetQuantile(double(bin) / m_bins));
        if (edges.empty() || edge > edges.back())
        {
            edges.push_back(edge);
        }
    }
    return edges;
}

void
MessageWindow::Report(MetricSet& metrics, Time now) const
{
    ReportCounts(metrics, now);
    const Group all = Select(0, m_messages.size());
    const OrderStatistics slowdown(all.slowdown);
    const OrderStatistics taken(all.taken);
    if (all.censored == 0 && taken.GetN() > 0)
    {
        metrics.Add("message_time_mean", taken.GetMean());
        metrics.Add("slowdown_mean", slowdown.GetMean());
    }
    metrics.Add("", MakePercentiles("message_time", taken));
    metrics.Add("", MakePercentiles("slowdown", slowdown));
    ReportSizes(metrics);
    ReportHalves(metrics);
}

void
MessageWindow::ReportCounts(MetricSet& metrics, Time now) const
{
    uint64_t refused = 0;
    uint64_t completed = 0;
    uint64_t offeredOctets = 0;
    uint64_t refusedOctets = 0;
    uint64_t completedOctets = 0;
    for (const Message& message : m_messages)
    {
        refused += message.refused;
        completed += message.ended;
        offeredOctets += message.octets;
        refusedOctets += message.refused ? message.octets : 0;
        completedOctets += message.ended ? message.octets : 0;
    }
    metrics.Add("offered_messages", static_cast<double>(m_messages.size()));
    metrics.Add("offered_octets", offeredOctets);
    const double seconds = (m_closed - m_opened).GetSeconds();
    if (m_capacity > 0 && seconds > 0)
    {
        metrics.Add("offered_load", 8.0 * offeredOctets / seconds / m_capacity);
    }
    metrics.Add("completed_messages", completed);
    metrics.Add("completed_octets", completedOctets);
    metrics.Add("censored_messages", m_messages.size() - refused - completed);
    metrics.Add("censored_octets", offeredOctets - refusedOctets - completedOctets);
    metrics.Add("messages_refused", refused);
    metrics.Add("drain_time",
                (std::max(m_missing > 0 ? now : m_last, m_closed) - m_closed).GetSeconds());
    if (seconds > 0)
    {
        metrics.Add("messages_under_way", m_area / seconds);
    }
}

void
MessageWindow::ReportSizes(MetricSet& metrics) const
{
    const auto edges = FindEdges();
    if (edges.empty())
    {
        return;
    }
    std::map<uint64_t, Group> bins;
    for (const Message& message : m_messages)
    {
        const auto edge = std::lower_bound(edges.begin(), edges.end(), message.octets);
        Add(bins[edge == edges.end() ? edges.back() : *edge], message);
    }
    for (const auto& [edge, group] : bins)
    {
        const std::string suffix = '_' + std::to_string(edge);
        const auto censored = static_cast<double>(group.censored);
        metrics.Add("size_",
                    {MakeSeries("messages", static_cast<double>(group.taken.size()) - censored),
                     MakeSeries("censored", censored)},
                    suffix);
        metrics.Add("size_", MakePercentiles("time", OrderStatistics(group.taken)), suffix);
        metrics.Add("size_", MakePercentiles("slowdown", OrderStatistics(group.slowdown)), suffix);
    }
}

void
MessageWindow::ReportHalves(MetricSet& metrics) const
{
    const std::size_t middle = FindMiddle();
    for (const bool second : {false, true})
    {
        const Group half = second ? Select(middle, m_messages.size()) : Select(0, middle);
        const auto ended = static_cast<double>(half.taken.size() - half.censored);
        std::vector<AppMetric> found{MakeSeries("messages", ended)};
        for (const auto& metric : MakePercentiles("slowdown", OrderStatistics(half.slowdown)))
        {
            if (metric.name.rfind("slowdown_p95", 0) != 0 &&
                metric.name.rfind("slowdown_p999", 0) != 0)
            {
                found.push_back(metric);
            }
        }
        metrics.Add("half_", found, second ? "_2" : "_1");
    }
}

std::vector<std::string>
MessageWindow::ListCautions() const
{
    std::vector<std::string> cautions;
    const Group all = Select(0, m_messages.size());
    std::string missing;
    uint64_t least = 0;
    const OrderStatistics taken(all.taken);
    for (const auto& percentile : PERCENTILES)
    {
        if (!taken.FindQuantile(percentile.share))
        {
            least = OrderStatistics::GetLeast(percentile.share);
            missing += (missing.empty() ? "" : ", ") + std::string(percentile.text) + " (" +
                       std::to_string(least) + ")";
        }
    }
    if (!missing.empty())
    {
        cautions.push_back("ArrivalWindow: " + std::to_string(all.taken.size()) +
                           " messages are too few for the interval of the " + missing +
                           ": not told");
    }
    if (all.censored > 0)
    {
        cautions.push_back("DrainLimit: " + std::to_string(all.censored) + " of " +
                           std::to_string(all.taken.size()) +
                           " messages had not ended; percentiles count them as longer than any "
                           "other, and are not told where that decides, nor are means");
    }
    return cautions;
}

} // namespace iwarp
} // namespace ns3
