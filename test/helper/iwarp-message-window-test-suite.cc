/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-message-window.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What is measured of messages that arrive in a window of time.
IWARP_TEST_SUITE(iwarpMessageWindow, "iwarp-message-window");

using iwarp::MessageWindow;

/// @param window of messages @param now when all is over @return what it reports
std::map<std::string, double>
ReportWindow(const MessageWindow& window, Time now)
{
    iwarp::MetricSet metrics;
    window.Report(metrics, now);
    std::map<std::string, double> values;
    for (const auto& metric : metrics.Get())
    {
        values[metric.name] = metric.value;
    }
    return values;
}

/// Messages of the window count, whenever they end; others do not, but are under way with them.
IWARP_TEST(iwarpMessageWindow, "who counts")
{
    const auto at = [](int64_t time) { return MicroSeconds(time); };
    MessageWindow window;
    window.SetBins(2);
    window.SetCapacity(8e9);
    const uint64_t early = window.Arrive(at(5), 100, 0);
    window.Open(at(10));
    const uint64_t first = window.Arrive(at(10), 1000, 3);
    const uint64_t second = window.Arrive(at(12), 2000, 0);
    window.Refuse(at(13), 500, 0);
    window.End(early, at(15), at(1));
    const uint64_t third = window.Arrive(at(18), 4000, 0);
    window.Close(at(20));
    const uint64_t late = window.Arrive(at(20), 9000, 0);
    NS_TEST_EXPECT_MSG_EQ(early, MessageWindow::OUTSIDE, "before it");
    NS_TEST_EXPECT_MSG_EQ(late, MessageWindow::OUTSIDE, "behind it");
    NS_TEST_EXPECT_MSG_EQ(window.IsComplete(), false, "three are under way");
    window.End(first, at(40), at(10));
    window.End(late, at(41), at(10));
    window.End(third, at(48), at(15));
    NS_TEST_EXPECT_MSG_EQ(window.IsComplete(), false, "one is under way");
    const auto& messages = window.ListMessages();
    NS_TEST_ASSERT_MSG_EQ(messages.size(), 4, "with the one that was refused");
    NS_TEST_EXPECT_MSG_EQ(messages[0].flow, 3, "whose it is");
    NS_TEST_EXPECT_MSG_EQ(messages[0].taken, at(30), "from arrival to end");
    NS_TEST_EXPECT_MSG_EQ_TOL(messages[0].slowdown, 3, 1e-12, "over the time alone");
    NS_TEST_EXPECT_MSG_EQ(messages[2].refused, true, "found no room");

    auto found = ReportWindow(window, at(70));
    NS_TEST_EXPECT_MSG_EQ(found["offered_messages"], 4, "arrived");
    NS_TEST_EXPECT_MSG_EQ(found["offered_octets"], 7500, "theirs");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["offered_load"], 0.75, 1e-12, "60 kbit in 10 us of 8 Gbit/s");
    NS_TEST_EXPECT_MSG_EQ(found["completed_messages"], 2, "ended");
    NS_TEST_EXPECT_MSG_EQ(found["completed_octets"], 5000, "theirs");
    NS_TEST_EXPECT_MSG_EQ(found["censored_messages"], 1, "did not");
    NS_TEST_EXPECT_MSG_EQ(found["censored_octets"], 2000, "its octets");
    NS_TEST_EXPECT_MSG_EQ(found["messages_refused"], 1, "found no room");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["drain_time"], 50e-6, 1e-12, "it goes on");
    // 2 in 10 to 12, 3 to 15, 2 to 18, 3 to 20
    NS_TEST_EXPECT_MSG_EQ_TOL(found["messages_under_way"], (4 + 9 + 6 + 6) / 10.0, 1e-9, "mean");
    NS_TEST_EXPECT_MSG_EQ(found.count("slowdown_mean"), 0, "one is missing in the mean");
    NS_TEST_EXPECT_MSG_EQ(found.count("slowdown_p50"), 0, "three are too few");
    NS_TEST_EXPECT_MSG_EQ(found["half_messages_1"], 1, "the first half's");
    NS_TEST_EXPECT_MSG_EQ(found["half_messages_2"], 1, "the second half's");
    // equal counts of 500, 1000, 2000 and 4000 octets
    NS_TEST_EXPECT_MSG_EQ(found["size_messages_1000"], 1, "the other one was refused");
    NS_TEST_EXPECT_MSG_EQ(found["size_messages_4000"], 1, "large");
    NS_TEST_EXPECT_MSG_EQ(found["size_censored_4000"], 1, "large");
    NS_TEST_EXPECT_MSG_EQ(window.ListCautions().size(), 2, "too few, and one censored");

    window.End(second, at(72), at(20));
    NS_TEST_EXPECT_MSG_EQ(window.IsComplete(), true, "all have ended");
    found = ReportWindow(window, at(80));
    NS_TEST_EXPECT_MSG_EQ_TOL(found["drain_time"], 52e-6, 1e-12, "until the last ended");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_mean"], (3 + 2 + 3) / 3.0, 1e-12, "of all");
}

/**
 * Percentiles by hand: of slowdowns of 1 to 400 the 99th is 396, and its interval by ranks is that
 * of the binomial distribution (400, 0.99): 2.5 % at most are below 392, so the 392nd, and none
 * beyond the 400th.
 */
IWARP_TEST(iwarpMessageWindow, "percentiles with intervals, and none")
{
    MessageWindow window;
    window.SetEdges({100, 1000});
    window.Open(Time(0));
    std::vector<uint64_t> tickets;
    for (uint32_t i = 1; i <= 400; i++)
    {
        tickets.push_back(window.Arrive(MicroSeconds(i), i % 2 == 0 ? 100 : 101, 0));
    }
    window.Close(MicroSeconds(401));
    for (uint32_t i = 1; i <= 400; i++)
    {
        window.End(tickets[i - 1], MicroSeconds(i + 10 * i), MicroSeconds(10));
    }
    auto found = ReportWindow(window, Seconds(1));
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p50"], 200, 1e-9, "median");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p50_low"], 180, 1e-9, "200 - 1.96 * 10");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p50_high"], 221, 1e-9, "and one more behind");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p99"], 396, 1e-9, "99 %");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p99_low"], 392, 1e-9, "rank");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["slowdown_p99_high"], 400, 1e-9, "rank");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["message_time_p95"], 3800e-6, 1e-12, "of times, too");
    NS_TEST_EXPECT_MSG_EQ(found.count("slowdown_p999"), 0, "400 are too few");
    NS_TEST_EXPECT_MSG_EQ(found["size_messages_100"], 200, "even ones");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["size_slowdown_p50_1000"], 199, 1e-9, "odd ones");
    NS_TEST_EXPECT_MSG_EQ(found.count("size_slowdown_p99_100"), 0, "200 are too few");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["half_slowdown_p50_1"], 100, 1e-9, "of the first 200");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["half_slowdown_p50_2"], 300, 1e-9, "of the others");
    const auto cautions = window.ListCautions();
    NS_TEST_ASSERT_MSG_EQ(cautions.size(), 1, "one");
    NS_TEST_EXPECT_MSG_EQ(cautions.front(),
                          "ArrivalWindow: 400 messages are too few for the interval of the 99.9th "
                          "percentile (3688): not told",
                          "why");
}

/// Of slowdowns of 1 to 4000, in their order, percentiles are ranks: of all, of a size, which all
/// have here, and of halves; one more does not end.
IWARP_TEST(iwarpMessageWindow, "percentiles of sizes and halves by hand")
{
    MessageWindow window;
    window.SetEdges({100});
    window.Open(Time(0));
    std::vector<uint64_t> tickets;
    for (uint32_t i = 1; i <= 4000; i++)
    {
        tickets.push_back(window.Arrive(MicroSeconds(i), 100, 0));
    }
    window.Close(MicroSeconds(4002));
    for (uint32_t i = 1; i <= 4000; i++)
    {
        window.End(tickets[i - 1], MicroSeconds(11 * i), MicroSeconds(10));
    }
    auto found = ReportWindow(window, Seconds(1));
    const std::string size = "_100";
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("message_time_p50"), 20e-3, 1e-9, "2000 of 10 us");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("message_time_p999"), 39.96e-3, 1e-9, "3996 of 10 us");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("slowdown_p999"), 3996, 1e-9, "3996");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_time_p95" + size), 38e-3, 1e-9, "3800");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_time_p99" + size), 39.6e-3, 1e-9, "3960");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_time_p999" + size), 39.96e-3, 1e-9, "3996");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_slowdown_p50" + size), 2000, 1e-9, "2000");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_slowdown_p95" + size), 3800, 1e-9, "3800");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_slowdown_p99" + size), 3960, 1e-9, "3960");
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("size_slowdown_p999" + size), 3996, 1e-9, "3996");
    for (const auto& [half, first] : std::map<std::string, double>{{"_1", 0}, {"_2", 2000}})
    { // the 2001st arrives in the middle
        NS_TEST_EXPECT_MSG_EQ(found.at("half_messages" + half), 2000, half);
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("half_slowdown_p50" + half), first + 1000, 1e-9, half);
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("half_slowdown_p99" + half), first + 1980, 1e-9, half);
    }
    NS_TEST_EXPECT_MSG_EQ(found.at("size_censored" + size), 0, "all have ended");

    MessageWindow other;
    other.SetEdges({100});
    other.Open(Time(0));
    for (uint32_t i = 1; i <= 3; i++)
    {
        other.Arrive(MicroSeconds(i), 100, 0);
    }
    other.Close(MicroSeconds(10));
    found = ReportWindow(other, Seconds(1));
    NS_TEST_EXPECT_MSG_EQ(found.at("size_censored" + size), 3, "none has");
}

/// Messages that did not end are longer than any: percentiles below them are right, others are not
/// there.
IWARP_TEST(iwarpMessageWindow, "censored messages in percentiles")
{
    MessageWindow window;
    window.Open(Time(0));
    std::vector<uint64_t> tickets;
    for (uint32_t i = 0; i < 1000; i++)
    {
        tickets.push_back(window.Arrive(MicroSeconds(i), 100, 0));
    }
    window.Close(MicroSeconds(1000));
    for (uint32_t i = 0; i < 995; i++) // the last five do not
    {
        window.End(tickets[i], MicroSeconds(2 * i + 1), MicroSeconds(1));
    }
    const auto found = ReportWindow(window, Seconds(1));
    NS_TEST_EXPECT_MSG_EQ_TOL(found.at("slowdown_p95"), 950, 1e-9, "far from them");
    NS_TEST_EXPECT_MSG_EQ(found.count("slowdown_p99"), 0, "its interval ends among them");
    NS_TEST_EXPECT_MSG_EQ(found.count("message_time_p99"), 0, "so does that of times");
}

} // namespace
