/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"

#include "ns3/iwarp-queue-watch.h"
#include "ns3/simulator.h"

#include <map>
#include <string>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpQueueWatch, "iwarp-queue-watch");

constexpr uint32_t BURST_SIZE = 101; //!< datagrams that a host sends at once

/**
 * @ingroup iwarp-test
 * A burst at once: 100, 99, ... 0 datagrams wait for as long as one takes, each, so that the
 * figures are those of these numbers.
 */
IWARP_TEST(iwarpQueueWatch, "A burst leaves one by one", TestCase)
{
    IwarpNetwork::Link link;
    link.rate = DataRate("1Mbps");
    IwarpNetwork network;
    network.AddHosts(link);
    network.InstallRoutes();
    const auto watch = Create<iwarp::QueueWatch>(network, Seconds(1));
    Datagrams datagrams(network, 0, 1);
    for (uint32_t i = 0; i < BURST_SIZE; i++)
    {
        datagrams.Send(Seconds(1), static_cast<uint16_t>(i));
    }
    iwarp::QueueWatch::Figures figures;
    const uint32_t frame = 1000 + 8 + 20 + 14 + 4 + 8 + 12; // UDP, IP, Ethernet, preamble and gap
    iwarp::MetricSet metrics;
    Simulator::Schedule(Seconds(1) + BURST_SIZE * MicroSeconds(8 * frame), [&] {
        figures = watch->GetFigures();
        watch->Report(metrics, {});
    });
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(datagrams.m_arrivals.size(), BURST_SIZE, "all arrive");
    NS_TEST_EXPECT_MSG_EQ_TOL(figures.mean, 50, 1e-6, "mean");
    NS_TEST_EXPECT_MSG_EQ(figures.median, 50, "51 of 101 times");
    NS_TEST_EXPECT_MSG_EQ(figures.p90, 90, "91 of 101 times");
    NS_TEST_EXPECT_MSG_EQ(figures.p99, 99, "100 of 101 times");
    NS_TEST_EXPECT_MSG_EQ(figures.peak, 100, "all but the one that is being sent");
    std::map<std::string, double> values;
    for (const auto& metric : metrics.Get())
    {
        values[metric.name] = metric.value;
    }
    NS_TEST_EXPECT_MSG_EQ(values.at("queue_p50"), 50, "of the only queue");
    NS_TEST_EXPECT_MSG_EQ(values.at("queue_p90"), 90, "of the only queue");
    NS_TEST_EXPECT_MSG_EQ(values.at("queue_p99"), 99, "of the only queue");
    Simulator::Destroy();
}

} // namespace
