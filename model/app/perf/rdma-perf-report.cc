/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-report.h"

#include "ns3/app-common-window.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

constexpr double MEBI = 1048576;  // octets of a MiB
constexpr std::size_t RULE = 110; // characters of a rule

/// The test's name in a heading, "RDMA_Write BW Test". @param test test @return text
std::string
TitleOf(RdmaPerfTest test)
{
    switch (test)
    {
    case RdmaPerfTest::SEND_BW:
        return "Send BW Test";
    case RdmaPerfTest::SEND_LAT:
        return "Send Latency Test";
    case RdmaPerfTest::WRITE_BW:
        return "RDMA_Write BW Test";
    case RdmaPerfTest::WRITE_LAT:
        return "RDMA_Write Latency Test";
    case RdmaPerfTest::READ_BW:
        return "RDMA_Read BW Test";
    case RdmaPerfTest::READ_LAT:
        return "RDMA_Read Latency Test";
    case RdmaPerfTest::ATOMIC_BW:
        return "Atomic BW Test";
    case RdmaPerfTest::ATOMIC_LAT:
        return "Atomic Latency Test";
    }
    return "";
}

/// @param reports of tests that ran at the same time @param direction index
/// @return rates of all together while all of them ran, and messages that this counts, 0 if that is
/// too short
std::pair<RdmaPerfRates, uint64_t>
MeasureTogether(const std::vector<RdmaPerfReport>& reports, std::size_t direction)
{
    std::vector<iwarp::CommonWindow::Flow> flows;
    for (const auto& report : reports)
    {
        const auto& [posted, ended] = report.times[direction];
        if (ended.size() <= report.warmUp)
        {
            return {};
        }
        const auto first = static_cast<std::size_t>(report.warmUp);
        flows.push_back({first > 0 ? ended[first - 1] : posted.front(), first, ended});
    }
    const iwarp::CommonWindow window(flows);
    if (!window.IsLongEnough())
    {
        return {};
    }
    RdmaPerfTimes all;
    for (std::size_t i = 0; i < reports.size(); i++)
    {
        const auto& [posted, ended] = reports[i].times[direction];
        const auto begin = static_cast<std::ptrdiff_t>(window.GetRanges()[i].begin);
        const auto end = static_cast<std::ptrdiff_t>(window.GetRanges()[i].end);
        all.posted.insert(all.posted.end(), posted.begin() + begin, posted.begin() + end);
        all.ended.insert(all.ended.end(), ended.begin() + begin, ended.begin() + end);
    }
    std::sort(all.posted.begin(), all.posted.end());
    std::sort(all.ended.begin(), all.ended.end());
    RdmaPerfRates rates;
    rates.average = double(all.ended.size()) / window.GetLength().GetSeconds();
    rates.peak = std::max(rates.average, RdmaPerfMeasure(all.posted, all.ended, 0, true).peak);
    return {rates, all.ended.size()};
}

/// @param rate rate of octets @return in MiB/s
double
InMebi(const DataRate& rate)
{
    return rate.GetBitRate() / 8.0 / MEBI;
}

} // namespace

void
RdmaPerfReport::Print(std::ostream& os) const
{
    PrintTable(os, {*this});
}

void
RdmaPerfReport::PrintTable(std::ostream& os, const std::vector<RdmaPerfReport>& reports)
{
    if (reports.empty())
    {
        return;
    }
    reports.front().PrintHeading(os);
    for (const auto& report : reports)
    {
        report.PrintRow(os);
    }
    os << std::string(RULE, '-') << '\n';
}

void
RdmaPerfReport::SetRates(const std::vector<RdmaPerfRates>& rates)
{
    const double bits = 8.0 * size;
    double peak = 0;
    msgRate = 0;
    for (const auto& rate : rates)
    {
        msgRate += rate.average;
        peak += rate.peak;
    }
    bwAverage = DataRate(static_cast<uint64_t>(msgRate * bits + 0.5));
    bwPeak = DataRate(static_cast<uint64_t>(peak * bits + 0.5));
}

RdmaPerfReport
RdmaPerfReport::Merge(const std::vector<RdmaPerfReport>& reports)
{
    RdmaPerfReport merged = reports.front();
    if (reports.size() == 1)
    {
        return merged;
    }
    merged.queuePairs = 0;
    for (const auto& report : reports)
    {
        merged.queuePairs += report.queuePairs;
    }
    merged.times.clear();
    std::vector<RdmaPerfRates> rates;
    for (std::size_t i = 0; i < reports.front().times.size(); i++)
    {
        const auto [together, messages] = MeasureTogether(reports, i);
        rates.push_back(together);
        merged.iterations = i == 0 ? messages : std::min(merged.iterations, messages);
    }
    merged.SetRates(rates);
    return merged;
}

void
RdmaPerfReport::PrintHeading(std::ostream& os) const
{
    const std::string rule(RULE, '-');
    os << rule << '\n'
       << std::string(20, ' ') << (bidirectional ? "Bidirectional " : "") << TitleOf(test) << '\n'
       << " Number of qps   : " << queuePairs << "\tTransport type : iWARP\n"
       << rule << '\n'
       << (RdmaPerfIsLatency(test)
               ? " #bytes    #iterations    t_min[usec]    t_max[usec]    t_typical[usec]    "
                 "t_avg[usec]    t_stdev[usec]    99% percentile[usec]    99.9% percentile[usec]\n"
               : " #bytes    #iterations    BW peak[MiB/sec]    BW average[MiB/sec]    "
                 "MsgRate[Mpps]\n");
}

void
RdmaPerfReport::PrintRow(std::ostream& os) const
{
    std::ostringstream out;
    out << std::left << std::fixed << ' ' << std::setw(10) << size << std::setw(15) << iterations;
    if (RdmaPerfIsLatency(test))
    {
        out << std::setprecision(3);
        const std::pair<Time, int> columns[] = {{tMin, 15},
                                                {tMax, 15},
                                                {tTypical, 19},
                                                {tAvg, 15},
                                                {tStdev, 17},
                                                {t99, 24},
                                                {t999, 0}};
        for (const auto& [time, width] : columns)
        {
            out << std::setw(width) << time.GetSeconds() * 1e6;
        }
    }
    else
    {
        out << std::setprecision(2) << std::setw(20) << InMebi(bwPeak) << std::setw(23)
            << InMebi(bwAverage) << std::setprecision(6) << msgRate / 1e6;
    }
    os << out.str() << '\n';
}

std::vector<AppMetric>
RdmaPerfReport::GetMetrics() const
{
    constexpr auto sum = MetricMerge::SUM;
    constexpr auto worst = MetricMerge::MAXIMUM;
    constexpr auto run = MetricMerge::RUN; // see Merge()
    std::vector<AppMetric> metrics{
        {{"size", "octets", "octets of a message", worst}, double(size)},
        {{"iterations", "messages", "messages measured, of one direction", sum},
         double(iterations)}};
    if (RdmaPerfIsLatency(test))
    {
        const bool full = test == RdmaPerfTest::READ_LAT || test == RdmaPerfTest::ATOMIC_LAT;
        const std::string what = full ? " time of an operation" : " half round trip";
        metrics.push_back({{"t_min", "s", "least" + what, worst}, tMin.GetSeconds()});
        metrics.push_back({{"t_max", "s", "longest" + what, worst}, tMax.GetSeconds()});
        metrics.push_back({{"t_typical", "s", "median" + what, worst}, tTypical.GetSeconds()});
        metrics.push_back({{"t_avg", "s", "mean" + what, worst}, tAvg.GetSeconds()});
        metrics.push_back({{"t_stdev", "s", "standard deviation", worst}, tStdev.GetSeconds()});
        metrics.push_back({{"t_99", "s", "99th percentile", worst}, t99.GetSeconds()});
        metrics.push_back({{"t_99_9", "s", "99.9th percentile", worst}, t999.GetSeconds()});
        return metrics;
    }
    metrics.push_back({{"bw_peak", "bit/s", "peak of payload", run}, double(bwPeak.GetBitRate())});
    metrics.push_back(
        {{"bw_average", "bit/s", "average of payload", run}, double(bwAverage.GetBitRate())});
    metrics.push_back({{"msg_rate", "messages/s", "average rate of messages", run}, msgRate});
    return metrics;
}

std::ostream&
operator<<(std::ostream& os, const RdmaPerfReport& report)
{
    report.Print(os);
    return os;
}

RdmaPerfRates
RdmaPerfMeasure(const std::vector<Time>& posted,
                const std::vector<Time>& ended,
                uint64_t warmUp,
                bool peak)
{
    RdmaPerfRates rates;
    const std::size_t n = std::min(posted.size(), ended.size());
    if (n <= warmUp)
    {
        return rates;
    }
    const Time from = warmUp > 0 ? ended[warmUp - 1] : posted[0];
    const Time last = ended[n - 1] - from;
    if (!last.IsStrictlyPositive())
    {
        return rates;
    }
    rates.average = (n - warmUp) / last.GetSeconds();
    if (!peak)
    {
        return rates;
    }
    // Dinkelbach's method: the best pair for a rate, whose own rate is better or the answer
    double rate = 0;
    for (double better = (n - warmUp) / (ended[n - 1] - posted[warmUp]).GetSeconds();
         better > rate * (1 + 1e-12);)
    {
        rate = better;
        double bestStart = 0;
        double bestGain = 0;
        bool any = false;
        std::size_t start = warmUp;
        for (std::size_t j = warmUp; j < n; j++)
        {
            const double gain = rate * (posted[j] - from).GetSeconds() - double(j);
            if (j == warmUp || gain > bestStart)
            {
                bestStart = gain;
                start = j;
            }
            const double total = bestStart + double(j + 1) - rate * (ended[j] - from).GetSeconds();
            const Time length = ended[j] - posted[start];
            if ((!any || total > bestGain) && length.IsStrictlyPositive())
            {
                any = true;
                bestGain = total;
                better = (j + 1 - start) / length.GetSeconds();
            }
        }
    }
    rates.peak = std::max(rate, rates.average);
    return rates;
}

} // namespace ns3
