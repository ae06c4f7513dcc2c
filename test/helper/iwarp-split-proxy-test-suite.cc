/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <numeric>
#include <string>
#include <utility>

using namespace ns3;

namespace
{

/// Splitting proxies in scenarios
IWARP_TEST_SUITE(iwarpSplitProxy, "iwarp-split-proxy");

/**
 * What a splitting proxy leaves of alignment. Two hosts send to a third, whose link is full, so
 * that the proxy in front of it has full segments to send of what is a stream of octets to it: of
 * FPDUs of s octets and segments of m octets one in s / gcd(s, m) segments begins with an FPDU, and
 * none holds whole FPDUs only, if m < 2s.
 */
struct ProxyAlignmentTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ProxyAlignmentTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "star"},
                            {"Pattern", "incast"},
                            {"IncastSenders", "2"},
                            {"AccessRate", "1Gbps"},
                            {"QueueSize", "1000p"},
                            {"Workload", "mpa"},
                            {"Markers", "false"},
                            {"Packing", "false"},
                            {"MessageSizes", "fixed:1000"},
                            {"Octets", "2000000"},
                            {"Backed", "true"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpSplitProxy, "Alignment behind a proxy", ProxyAlignmentTest)
{
    for (const std::string ipv6 : {"false", "true"})
    {
        const auto direct = RunScenario({{"Ipv6", ipv6}});
        NS_TEST_EXPECT_MSG_EQ(direct.at("header_aligned_share"), 1, "without a proxy");
        const auto split = RunScenario({{"Ipv6", ipv6}, {"SplitProxy", "true"}});
        NS_TEST_EXPECT_MSG_EQ(split.at("payload_octets"), 4000000, "all, with its content");
        NS_TEST_EXPECT_MSG_EQ(split.at("segments_sent"),
                              direct.at("segments_sent"),
                              "in front of the proxy it is as it was");
        const double heads = 1.0 / (1020 / std::gcd(ipv6 == "true" ? 1428 : 1448, 1020));
        NS_TEST_EXPECT_MSG_EQ_TOL(split.at("header_aligned_share"), heads, 0.04, "behind it");
        NS_TEST_EXPECT_MSG_LT(split.at("fpdu_aligned_share"), 0.05, "behind it");
    }
}

/**
 * Every workload over TCP goes through proxies, also one whose connections are made to the sending
 * host, and on every topology with routers.
 */
struct ProxyWorkloadTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ProxyWorkloadTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "dumbbell"},
                            {"Flows", "2"},
                            {"SplitProxy", "true"},
                            {"Octets", "200000"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpSplitProxy, "Workloads through a proxy", ProxyWorkloadTest)
{
    for (const std::string workload : {"mpa", "send", "rdma-write", "rdma-read", "storage"})
    {
        for (const std::string rnic : {"none", "t5-like"})
        {
            const auto found = RunScenario({{"Workload", workload}, {"Rnic", rnic}});
            NS_TEST_EXPECT_MSG_GT(found.at("payload_octets"), 399999, workload << rnic);
        }
    }
    const auto plain = RunScenario({{"PlainTcp", "true"}});
    NS_TEST_EXPECT_MSG_GT(plain.at("plain_tcp_goodput"), 0, "plain TCP goes through it too");
    for (const std::string topology : {"parking-lot", "leaf-spine", "fat-tree", "abilene", "wan"})
    {
        const auto found = RunScenario({{"Topology", topology}});
        NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 400000, topology);
    }
}

/**
 * Each side has its own round trip: with a delay D on the sender's link, D on the receiver's and a
 * window of W octets in flight on either side, what a connection carries is W / 2D instead of W /
 * 4D of the whole path (RFC 3135 section 3.1).
 */
struct ProxyRoundTripTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ProxyRoundTripTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "star"},
                            {"AccessRate", "1Gbps"},
                            {"AccessDelay", "5ms"},
                            {"ReceiveBuffer", "131072"},
                            {"TcpSplitProxy.BufferSize", "131072"},
                            {"Octets", "20000000"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpSplitProxy, "Either side has a round trip of its own", ProxyRoundTripTest)
{
    const double direct = RunScenario({}).at("goodput");
    const double split = RunScenario({{"SplitProxy", "true"}}).at("goodput");
    NS_TEST_EXPECT_MSG_EQ_TOL(split / direct, 2, 0.1, "twice as fast");
}

/// What does not fit to a proxy is told
struct ProxyErrorTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ProxyErrorTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"SplitProxy", "true"}, {"PlainTcp", "false"}, {"Octets", "1000"}})
    {
    }
};

IWARP_TEST(iwarpSplitProxy, "Where there can be no proxy", ProxyErrorTest)
{
    const std::pair<ScenarioSettings, std::string> cases[] = {
        {{{"Topology", "point-to-point"}}, "SplitProxy: hosts 0 and 1 have no router"},
        {{{"Ipsec", "transport"}}, "SplitProxy, Ipsec: "},
        {{{"Workload", "go-back-n"}}, "SplitProxy, Workload: "},
    };
    for (const auto& [settings, error] : cases)
    {
        const auto scenario = Make(settings);
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, error);
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError().substr(0, error.size()), error, "said");
    }
}

} // namespace
