/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/app-common-window.h"
#include "ns3/iwarp-rate-bounds.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/iwarp-workload-storage.h"
#include "ns3/rdma-perf-report.h"
#include "ns3/simulator.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::iwarp;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpRateBounds, "iwarp-rate-bounds");

/// @param from @param to @param step in between, ms @return times
std::vector<Time>
Every(int64_t from, int64_t to, int64_t step)
{
    std::vector<Time> times;
    for (int64_t at = from; at <= to; at += step)
    {
        times.push_back(MilliSeconds(at));
    }
    return times;
}

/// What several flows move while all of them run, by hand.
IWARP_TEST(iwarpRateBounds, "The time in which all flows run")
{
    // one flow from 0, a message each 10 ms up to 200; one from 55, each 7 ms up to 300
    const auto slow = Every(10, 200, 10);
    const auto late = Every(62, 300, 7);
    const CommonWindow two({{Time(0), 0, slow}, {MilliSeconds(55), 0, late}});
    NS_TEST_EXPECT_MSG_EQ(two.IsLongEnough(), true, "long enough");
    NS_TEST_EXPECT_MSG_EQ(two.GetStart(), MilliSeconds(55), "when the last begins");
    NS_TEST_EXPECT_MSG_EQ(two.GetLength(), MilliSeconds(145), "until the first ends");
    // the message that ends at 60 began at 50, before; those of 70 to 200 are whole
    NS_TEST_EXPECT_MSG_EQ(two.GetRanges()[0].begin, 6, "first whole message");
    NS_TEST_EXPECT_MSG_EQ(two.GetRanges()[0].end, 20, "all to the end");
    // those of 62 to 195
    NS_TEST_EXPECT_MSG_EQ(two.GetRanges()[1].begin, 0, "from the first");
    NS_TEST_EXPECT_MSG_EQ(two.GetRanges()[1].end, 20, "to that which ends at 195");

    // five messages to warm up: the late flow has at 90, from which on the others count
    const CommonWindow warm({{slow[4], 5, slow}, {late[4], 5, late}});
    NS_TEST_EXPECT_MSG_EQ(warm.GetStart(), MilliSeconds(90), "when the last has warmed up");
    NS_TEST_EXPECT_MSG_EQ(warm.GetRanges()[0].begin, 9, "that of 100, which began at 90");
    NS_TEST_EXPECT_MSG_EQ(warm.GetRanges()[1].begin, 5, "the first that counts");

    const auto later = Every(210, 900, 5);
    const CommonWindow apart({{Time(0), 0, slow}, {MilliSeconds(205), 0, later}});
    NS_TEST_EXPECT_MSG_EQ(apart.IsLongEnough(), false, "one ends before the other begins");
    const auto few = Every(62, 300, 30);
    const CommonWindow little({{Time(0), 0, slow}, {MilliSeconds(55), 0, few}});
    NS_TEST_EXPECT_MSG_EQ(little.IsLongEnough(), false, "five messages tell no rate");
    NS_TEST_EXPECT_MSG_EQ(CommonWindow({{Time(0), 0, few}}).IsLongEnough(), true, "one flow");

    RdmaPerfReport first;
    first.test = RdmaPerfTest::WRITE_BW;
    first.size = 1000;
    first.times = {{slow, slow}};
    first.times[0].posted.insert(first.times[0].posted.begin(), Time(0));
    first.times[0].posted.pop_back();
    RdmaPerfReport second = first;
    second.times = {{late, late}};
    second.times[0].posted.insert(second.times[0].posted.begin(), MilliSeconds(55));
    second.times[0].posted.pop_back();
    const auto merged = RdmaPerfReport::Merge({first, second});
    NS_TEST_EXPECT_MSG_EQ(merged.iterations, 34, "14 and 20 messages");
    NS_TEST_EXPECT_MSG_EQ_TOL(merged.msgRate, 34 / 0.145, 1e-9, "over 145 ms");
    NS_TEST_EXPECT_MSG_EQ(merged.bwAverage, DataRate(1875862), "8000 times that");
    NS_TEST_EXPECT_MSG_EQ(merged.queuePairs, 2, "of two");
    second.times = {{later, later}};
    NS_TEST_EXPECT_MSG_EQ(RdmaPerfReport::Merge({first, second}).iterations, 0, "no rate");
}

/// Bounds of networks by hand, and the rates that are above them.
IWARP_TEST(iwarpRateBounds, "Bounds of rates")
{
    // a host of 40 Gbit/s at each of two routers; three equal ways of 10 Gbit/s, or one
    for (const uint32_t ways : {1, 3})
    {
        IwarpNetwork network;
        const IwarpNetwork::Link fast{DataRate("40Gbps")};
        const IwarpNetwork::Link slow{DataRate("10Gbps")};
        network.AddRouter();
        network.AddRouter();
        for (uint32_t i = 0; i < ways; i++)
        {
            network.AddLink(0, 1, slow);
        }
        IwarpTopology::Ends ends;
        for (uint32_t i = 0; i < 2; i++)
        {
            const uint32_t from = network.AddHost(0, fast);
            ends.emplace_back(from, network.AddHost(1, fast));
        }
        network.InstallRoutes();
        const RateBounds bounds(network, ends, 52);
        // where ways divide, the hosts' links are all that is sure
        const double rate = ways == 1 ? 10e9 : 80e9;
        NS_TEST_EXPECT_MSG_EQ_TOL(bounds.GetTcp(), rate * 1448 / 1538, 1, "TCP");
        NS_TEST_EXPECT_MSG_EQ_TOL(bounds.GetPayload(), rate * 1428 / 1538, 1, "messages");
        const double most = bounds.GetPayload();
        for (const auto* name : {"goodput", "common_goodput", "perf_bw_peak_65536"})
        {
            const MetricInfo info{name, "bit/s", ""};
            NS_TEST_EXPECT_MSG_EQ(bounds.Check({{info, most}}), "", "as much as can be");
            NS_TEST_EXPECT_MSG_EQ(bounds.Check({{info, 1.001 * most}}).find(name), 0, "more");
        }
        // behind a warm-up, and behind a hole, octets wait that come on top
        const AppMetric again{{"retransmitted_octets", "octets", ""}, 1448};
        const AppMetric begun{{"warm_up", "s", ""}, 0.1};
        const AppMetric over{{"goodput", "bit/s", ""}, 1.001 * most};
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({over, again}).empty(), false, "the whole run");
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({over, begun}).empty(), false, "no hole");
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({over, begun, again}), "", "both");
        for (const auto* name : {"rnic_cpu_time", "rnic_memory_peak"})
        {
            const AppMetric waiting{{name, "", ""}, 0.01};
            NS_TEST_EXPECT_MSG_EQ(bounds.Check({over, begun, waiting}), "", name);
        }
        const MetricInfo plain{"plain_tcp_goodput", "bit/s", ""};
        const AppMetric plainAgain{{"plain_tcp_retransmitted_octets", "octets", ""}, 1448};
        const double tcp = 1.001 * bounds.GetTcp();
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({{plain, tcp}, begun}).empty(), false, "no hole");
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({{plain, tcp}, begun, plainAgain}), "", "plain TCP");
        // no more of them than windows hold: 1 MB in 0.5 s are 16 Mbit/s
        RateBounds held = bounds;
        held.SetHeld(1e6);
        const AppMetric half{{"duration", "s", ""}, 0.5};
        for (const double above : {15.9e6, 16.1e6})
        {
            const AppMetric value{{"goodput", "bit/s", ""}, most + above};
            const bool good = above < 16e6;
            NS_TEST_EXPECT_MSG_EQ(held.Check({value, begun, again, half}).empty(), good, above);
            NS_TEST_EXPECT_MSG_EQ(held.Check({value, begun, half}).empty(), false, "no hole");
        }
        // and no more of what was in RNICs than there was: again 1 MB, now without a hole
        const AppMetric shared{{"common_time", "s", ""}, 0.5};
        RateBounds inRnics = bounds;
        inRnics.SetInRnics(1e6, 2e6);
        for (const double above : {15.9e6, 16.1e6, 31.9e6, 32.1e6})
        {
            const AppMetric value{{"goodput", "bit/s", ""}, most + above};
            const AppMetric common{{"common_goodput", "bit/s", ""}, most + above};
            const auto whole = inRnics.Check({value, begun, half});
            const auto together = inRnics.Check({common, shared});
            NS_TEST_EXPECT_MSG_EQ(whole.empty(), (above < 16e6), above);
            NS_TEST_EXPECT_MSG_EQ(together.empty(), (above < 32e6), above);
            NS_TEST_EXPECT_MSG_EQ(inRnics.Check({value, half}).empty(), false, "no warm-up");
        }
        // a segment of each connection that began the time: 100 MB in 0.5 s
        RateBounds ended = bounds;
        ended.SetSegments(1e8);
        const std::vector<AppMetric> test{{{"perf_bw_average", "bit/s", ""}, 1e9},
                                          {{"perf_size", "octets", ""}, 62500},
                                          {{"perf_iterations", "", ""}, 1000}};
        for (const double above : {1.59e9, 1.61e9})
        {
            const bool brief = above < 1.6e9;
            const AppMetric goodput{{"goodput", "bit/s", ""}, most + above};
            const auto early = ended.Check({goodput, begun, half});
            NS_TEST_EXPECT_MSG_EQ(early.find(brief ? "Octets: " : "goodput is"), 0, early);
            const AppMetric longer{{"duration", "s", ""}, 50};
            const AppMetric little{{"goodput", "bit/s", ""}, most + above / 100};
            const auto edge = ended.Check({little, begun, longer});
            NS_TEST_EXPECT_MSG_EQ(edge.empty(), brief, "in a long time it is next to nothing");
            const auto whole = ended.Check({goodput, half});
            NS_TEST_EXPECT_MSG_EQ(whole.find("goodput is"), 0, "no end began it");
            auto perf = test;
            perf.push_back({{"perf_bw_peak", "bit/s", ""}, most + above});
            const auto peak = ended.Check(perf);
            NS_TEST_EXPECT_MSG_EQ(peak.find(brief ? "PerfIterations: " : "perf_bw_peak is"),
                                  0,
                                  peak);
        }
        const MetricInfo other{"rnic_rate", "bit/s", ""};
        NS_TEST_EXPECT_MSG_EQ(bounds.Check({{other, 2 * most}}), "", "no rate of the links");
        Simulator::Destroy();
    }
}

/**
 * Bounds of payload that goes both ways, by hand: three hosts at links of 10 Gbit/s around a
 * router.
 */
IWARP_TEST(iwarpRateBounds, "Bounds of rates that count both directions")
{
    IwarpNetwork network;
    network.AddRouter();
    for (uint32_t i = 0; i < 3; i++)
    {
        network.AddHost(0, IwarpNetwork::Link{DataRate("10Gbps")});
    }
    network.InstallRoutes();

    // directions of links that are full: one of host 0 if two send to it, of all hosts if all
    // send to the next, and the other ones besides if payload comes back, once each
    const struct
    {
        IwarpTopology::Ends ends; //!< who sends to whom
        double oneWay;            //!< directions of links
        double bothWays;          //!< and if payload comes back
    } cases[]{{{{0, 1}}, 1, 2},
              {{{0, 1}, {1, 0}}, 2, 2},
              {{{1, 0}, {2, 0}}, 1, 2},
              {{{0, 1}, {1, 2}, {2, 0}}, 3, 3}};

    for (const auto& [ends, oneWay, bothWays] : cases)
    {
        const RateBounds there(network, ends, 52);
        const RateBounds back(network, ends, 52, RateBounds::FPDU_HEADERS, true);
        const double link = 10e9 / 1538;
        NS_TEST_EXPECT_MSG_EQ_TOL(there.GetPayload(), oneWay * link * 1428, 1, "one way");
        NS_TEST_EXPECT_MSG_EQ_TOL(back.GetPayload(), bothWays * link * 1428, 1, "both");
        NS_TEST_EXPECT_MSG_EQ_TOL(back.GetTcp(), oneWay * link * 1448, 1, "plain TCP");
        for (const auto* name : {"goodput", "common_goodput", "storage_goodput"})
        {
            const double most = back.GetPayload();
            const AppMetric requests{{"storage_requests", "", ""}, 1};
            const MetricInfo info{name, "bit/s", ""};
            NS_TEST_EXPECT_MSG_EQ(back.Check({{info, most}, requests}), "", name);
            NS_TEST_EXPECT_MSG_EQ(back.Check({{info, 1.001 * most}, requests}).find(name), 0, name);
        }
    }
    Simulator::Destroy();
}

/// Bounds of RNICs by hand: three hosts send to one over a fast network.
struct HostBoundsTest : TestCase
{
    using TestCase::TestCase;

    static constexpr auto NPOS = std::string::npos; //!< not found
};

IWARP_TEST(iwarpRateBounds, "Bounds of rates that RNICs set", HostBoundsTest)
{
    IwarpNetwork network;
    const IwarpNetwork::Link fast{DataRate("400Gbps")};
    network.AddRouter();
    const uint32_t to = network.AddHost(0, fast);
    IwarpTopology::Ends ends;
    for (uint32_t i = 0; i < 3; i++)
    {
        ends.emplace_back(network.AddHost(0, fast), to);
    }
    network.InstallRoutes();
    RateBounds bounds(network, ends, 52);
    RateBounds bothWays(network, ends, 52, RateBounds::FPDU_HEADERS, true);
    for (auto* these : {&bounds, &bothWays})
    {
        these->AddHosts([](uint32_t) { return RateBounds::Host{40e9, 20e9, 1e6}; });
    }
    const auto check = [&bounds, &bothWays](const char* name, double value, bool storage) {
        std::vector<AppMetric> metrics{{{name, "", ""}, value}, {{"duration", "s", ""}, 2}};
        metrics.push_back({{storage ? "storage_requests" : "perf_msg_rate", "", ""}, 1});
        return (storage ? bothWays : bounds).Check(metrics);
    };
    // 20 Gbit/s into the one; or, if it is read, 40 out of it; storage does both
    NS_TEST_EXPECT_MSG_EQ(check("goodput", 39.9e9, false), "", "one way");
    NS_TEST_EXPECT_MSG_NE(check("goodput", 40.1e9, false).find("host interfaces"), NPOS, "more");
    NS_TEST_EXPECT_MSG_EQ(check("storage_goodput", 59.9e9, true), "", "both ways");
    NS_TEST_EXPECT_MSG_NE(check("storage_goodput", 60.1e9, true).find("host"), NPOS, "more");
    // in 2 s 2 million messages of each host: of three, or of all four
    NS_TEST_EXPECT_MSG_EQ(check("messages", 6e6, false), "", "of three hosts");
    NS_TEST_EXPECT_MSG_NE(check("messages", 6e6 + 1, false).find("RNICs begin"), NPOS, "more");
    NS_TEST_EXPECT_MSG_EQ(check("messages", 8e6, true), "", "of four hosts");
    NS_TEST_EXPECT_MSG_NE(check("messages", 8e6 + 1, true).find("RNICs begin"), NPOS, "more");
    // behind a warm-up a window of data may be on its way: 1 MB in 2 s are 4 Mbit/s
    bounds.SetHeld(1e6);
    for (const double above : {3.9e6, 4.1e6})
    {
        const std::string fault = bounds.Check({{{"goodput", "bit/s", ""}, 40e9 + above},
                                                {{"duration", "s", ""}, 2},
                                                {{"warm_up", "s", ""}, 0.1}});
        NS_TEST_EXPECT_MSG_EQ(fault.empty(), (above < 4e6), fault);
    }
    Simulator::Destroy();
}

/// Rates of runs whose host interface is the bottleneck are close below its bound.
IWARP_TEST(iwarpRateBounds, "A host interface as the bottleneck")
{
    // 4 Gbit/s, of which headers of 24 octets for each 256 leave 3.657 to data
    const double bound = 4e9 * 256 / 280;
    for (const auto* rate : {"Rnic.HostInterface.ReadRate", "Rnic.HostInterface.WriteRate"})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] :
             std::vector<std::pair<std::string, std::string>>{{"Workload", "rdma-write"},
                                                              {"MessageSizes", "fixed:65536"},
                                                              {"Octets", "8000000"},
                                                              {"PlainTcp", "false"},
                                                              {"Rnic", "ideal"},
                                                              {"Rnic.HostInterface.Header", "24"},
                                                              {rate, "4Gbps"}})
        {
            const std::string problem = scenario->SetParameter(name, value);
            NS_TEST_ASSERT_MSG_EQ(problem.empty(), true, problem);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        for (const auto& metric : scenario->GetMetrics())
        {
            if (metric.name == "goodput")
            {
                NS_TEST_EXPECT_MSG_LT(metric.value, bound, rate);
                NS_TEST_EXPECT_MSG_GT(metric.value, 0.9 * bound, rate);
            }
        }
    }
}

/// A workload that says more than can be.
class BoastingWorkload : public IwarpMpaWorkload
{
  public:
    void Finish(MetricSet& metrics) override
    {
        IwarpMpaWorkload::Finish(metrics);
        metrics.Add("perf_bw_average", 9.3e9);
        metrics.Add("storage_goodput", 3e9);
    }
};

/// A storage service that says to have moved 18.8 Gbit/s.
class BoastingStorageWorkload : public IwarpStorageWorkload
{
  public:
    void Finish(MetricSet& metrics) override
    {
        MetricSet measured;
        IwarpStorageWorkload::Finish(measured);
        metrics.Add("storage_goodput", 18.8e9);
    }
};

/// A run that reports a rate above its bound has failed.
IWARP_TEST(iwarpRateBounds, "A run with a rate that cannot be")
{
    for (const auto* framing : {"ethernet", "ppp"})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetWorkload(CreateObject<BoastingWorkload>());
        for (const auto& [name, value] : {std::pair{"Framing", framing}, {"PlainTcp", "false"}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        // 10 Gbit/s times 1428 over 1538 or 1502 octets: 9.285 or 9.507 Gbit/s
        const bool good = std::string(framing) == "ppp";
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), good, scenario->GetError());
        NS_TEST_EXPECT_MSG_EQ(scenario->GetMetrics().empty(), !good, "no metrics then");
        const auto named = scenario->GetError().find("perf_bw_average");
        NS_TEST_EXPECT_MSG_EQ((named == 0), !good, scenario->GetError());
    }
    for (const auto* framing : {"ethernet", "ppp"})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetWorkload(CreateObject<BoastingStorageWorkload>());
        for (const auto& [name, value] : {std::pair{"Framing", framing}, {"PlainTcp", "false"}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        // twice as much, as data go both ways: 18.570 or 19.015 Gbit/s
        const bool good = std::string(framing) == "ppp";
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), good, scenario->GetError());
        const auto named = scenario->GetError().find("storage_goodput");
        NS_TEST_EXPECT_MSG_EQ((named == 0), !good, scenario->GetError());
    }
    for (const auto* rate : {"4Gbps", "2Gbps"})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetWorkload(CreateObject<BoastingWorkload>());
        for (const auto& [name, value] : {std::pair{"Framing", "ppp"},
                                          {"PlainTcp", "false"},
                                          {"Rnic", "ideal"},
                                          {"Rnic.HostInterface.ReadRate", rate},
                                          {"Rnic.HostInterface.WriteRate", rate}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        const bool good = std::string(rate) == "4Gbps";
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), good, scenario->GetError());
        const auto named = scenario->GetError().find("storage_goodput");
        NS_TEST_EXPECT_MSG_EQ((named == 0), !good, scenario->GetError());
    }
}

} // namespace
