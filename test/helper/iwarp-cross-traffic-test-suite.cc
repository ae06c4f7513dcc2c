/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpCrossTraffic, "iwarp-cross-traffic");

/**
 * @ingroup iwarp-test
 * Windows of 250 kB that fill 10 Gbit/s and no queue: what the cross traffic takes and leaves is
 * known. A packet of 1500 octets takes 1538; 1472 of them are UDP's payload, 1448 TCP's.
 */
class CrossTrafficTest : public ScenarioTestCase
{
  public:
    explicit CrossTrafficTest(bool ipv6) //!< @param ipv6 rather than IPv4
        : ScenarioTestCase(std::string("Shares of a link, ") + (ipv6 ? "IPv6" : "IPv4"),
                           {{"Ipv6", ipv6 ? "true" : "false"},
                            {"Delay", "48us"},
                            {"ReceiveBuffer", "250000"},
                            {"SendBuffer", "1000000"},
                            {"CongestionControl", "TcpNewReno"},
                            {"QueueSize", "3000p"},
                            {"WarmUp", "800000"},
                            {"Octets", "1500000"},
                            {"PlainTcp", "false"}}),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const double headers = m_ipv6 ? 20 : 0; // more than IPv4 has
        const double udp = (1472 - headers) / 1538;
        const double tcp = (1448 - headers) / 1538;
        const double link = 10e9;
        auto alone = RunScenario({});
        NS_TEST_EXPECT_MSG_EQ(alone.count("cross_goodput"), 0, "none");
        const double own = alone["goodput"] / link; // of whole FPDUs and their Markers
        NS_TEST_EXPECT_MSG_GT(alone["bottleneck_share"], 0.995, "alone");

        auto beside = RunScenario({{"CrossTraffic", "udp"},
                                   {"CrossRate", "2Gbps"},
                                   {"CrossFlows", "2"},
                                   {"PlainTcp", "true"}});
        const double left = link - 4e9 / udp;
        NS_TEST_EXPECT_MSG_EQ_TOL(beside["cross_goodput"], 4e9, 0.01 * 4e9, "UDP");
        NS_TEST_EXPECT_MSG_EQ_TOL(beside["goodput"], left * own, 0.01 * link, "beside UDP");
        NS_TEST_EXPECT_MSG_EQ_TOL(beside["plain_tcp_cross_goodput"], 4e9, 0.03 * 4e9, "UDP");
        NS_TEST_EXPECT_MSG_EQ_TOL(beside["plain_tcp_goodput"], left * tcp, 0.03 * link, "TCP");

        auto back = RunScenario(
            {{"CrossTraffic", "udp"}, {"CrossRate", "4Gbps"}, {"CrossDirection", "acks"}});
        NS_TEST_EXPECT_MSG_EQ(GetQueueDrops(back).value_or(0), 0, "no queue overflows");
        NS_TEST_EXPECT_MSG_EQ(GetQueueDrops(beside).value_or(0), 0, "no queue overflows");
        NS_TEST_EXPECT_MSG_EQ_TOL(back["cross_goodput"], 4e9, 0.01 * 4e9, "against the data");
        NS_TEST_EXPECT_MSG_EQ_TOL(back["goodput"], link * own, 0.01 * link, "not slower");

        if (m_ipv6)
        {
            return;
        }
        // equal windows have equal shares; both ways, so that ACKs wait too
        auto equal =
            RunScenario({{"CrossTraffic", "tcp"}, {"CrossCongestionControl", "TcpNewReno"}});
        NS_TEST_EXPECT_MSG_EQ_TOL(equal["goodput"] / own + equal["cross_goodput"] / tcp,
                                  link,
                                  0.01 * link,
                                  "the link is full");
        NS_TEST_EXPECT_MSG_EQ_TOL(equal["cross_goodput"] / tcp, link / 2, 0.05 * link, "half");
        auto both = RunScenario({{"CrossTraffic", "tcp"},
                                 {"CrossDirection", "both"},
                                 {"CrossCongestionControl", "TcpNewReno"}});
        NS_TEST_EXPECT_MSG_GT(both["cross_goodput"], equal["cross_goodput"], "both ways");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

IWARP_TEST_CASES(iwarpCrossTraffic)
{
    suite.AddTestCase(new CrossTrafficTest(false));
    suite.AddTestCase(new CrossTrafficTest(true));
}

/**
 * Cross traffic is there from 1 ms on, the flow comes later: what the links carried before does not
 * count. No link is busy for longer than there is time, and no more comes than is sent.
 */
struct CrossEarlyTest : ScenarioTestCase
{
    /// @param title of the case
    explicit CrossEarlyTest(const std::string& title)
        : ScenarioTestCase(title, {{"CrossTraffic", "udp"}, {"StartSpread", "10ms"}})
    {
    }
};

/**
 * Plain TCP through the tunnel of gateways, beside iWARP and in its place: what ESP adds to its
 * segments makes no packet that is too big, so that no first window is lost and waits for MinRto.
 */
struct CrossTunnelTest : ScenarioTestCase
{
    /// @param title of the case
    explicit CrossTunnelTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"CrossTraffic", "tcp"},
                            {"Delay", "48us"},
                            {"ReceiveBuffer", "250000"},
                            {"CongestionControl", "TcpNewReno"},
                            {"CrossCongestionControl", "TcpNewReno"},
                            {"QueueSize", "3000p"},
                            {"WarmUp", "0"},
                            {"Octets", "1000000"},
                            {"TimeLimit", "500ms"},
                            {"MinRto", "200ms"}})
    {
    }
};

IWARP_TEST(iwarpCrossTraffic, "TCP through gateways", CrossTunnelTest)
{
    for (const auto& [ipv6, place] :
         {std::pair{"false", "gateway"}, {"true", "gateway"}, {"true", "nested"}})
    {
        auto found = RunScenario({{"Ipv6", ipv6}, {"Ipsec", place}});
        const std::string what = std::string(place) + ", Ipv6 " + ipv6;
        NS_TEST_EXPECT_MSG_GT(found["cross_goodput"], 1e9, what);
        NS_TEST_EXPECT_MSG_GT(found["plain_tcp_cross_goodput"], 1e9, what);
        NS_TEST_EXPECT_MSG_GT(found["plain_tcp_goodput"], 1e9, what);
    }
}

IWARP_TEST(iwarpCrossTraffic, "Cross traffic before the flows", CrossEarlyTest)
{
    for (const std::string seed : {"1", "2", "3"})
    {
        const auto found =
            RunScenario({{"CrossRate", "9Gbps"}, {"Octets", "1000000"}, {"Seed", seed}});
        for (const std::string prefix : {"", "plain_tcp_"})
        {
            // what waits in a queue of 1000 packets may come on top
            const double waiting = 8 * 1e6 * 1.472 / found.at(prefix + "duration");
            NS_TEST_EXPECT_MSG_LT(found.at(prefix + "cross_goodput"), 9e9 + waiting, prefix);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at(prefix + "cross_goodput"), 10e9, prefix);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at(prefix + "queue_mean"),
                                        found.at(prefix + "queue_peak"),
                                        prefix);
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at("bottleneck_share"), 1, "a share");
    }
}

/// Scenarios without plain TCP.
struct BesideTest : ScenarioTestCase
{
    explicit BesideTest(const std::string& name) //!< @param name of the case
        : ScenarioTestCase(name, {{"PlainTcp", "false"}})
    {
    }
};

/// Traffic beside the flows leaves who sends to whom, and what is counted of flows, as it is.
IWARP_TEST(iwarpCrossTraffic, "Flows are the same beside cross traffic", BesideTest)
{
    for (const std::string pattern : {"all-to-all", "incast", "permutation"})
    {
        for (const std::string topology : {"star", "dumbbell"})
        {
            const ScenarioSettings flows{{"Topology", topology},
                                         {"HostPairs", "2"},
                                         {"Pattern", pattern},
                                         {"MessageSizes", "fixed:10000"},
                                         {"Octets", "20000"}};
            auto with = flows;
            with.insert({{"CrossTraffic", "udp"}, {"CrossFlows", "3"}});
            auto alone = RunScenario(flows);
            auto beside = RunScenario(with);
            for (const auto* metric : {"messages", "payload_octets"})
            {
                NS_TEST_EXPECT_MSG_GT(alone[metric], 0, pattern);
                NS_TEST_EXPECT_MSG_EQ(beside[metric],
                                      alone[metric],
                                      topology << ", " << pattern << ": " << metric);
            }
        }
    }
    // hosts of a leaf-spine have both
    const ScenarioSettings flows{{"Topology", "leaf-spine"},
                                 {"Leaves", "2"},
                                 {"HostsPerLeaf", "2"},
                                 {"Flows", "2"},
                                 {"Octets", "200000"}};
    auto with = flows;
    with.insert({{"CrossTraffic", "tcp"}, {"CrossDirection", "both"}});
    for (const std::string ipsec : {"none", "transport"})
    {
        auto without = flows;
        without["Ipsec"] = with["Ipsec"] = ipsec;
        auto alone = RunScenario(without);
        auto beside = RunScenario(with);
        NS_TEST_EXPECT_MSG_GT(beside["cross_goodput"], 0, ipsec);
        NS_TEST_EXPECT_MSG_EQ(beside["segments_sent"], alone["segments_sent"], ipsec);
        NS_TEST_EXPECT_MSG_EQ_TOL(beside["octets_on_wire"],
                                  alone["octets_on_wire"],
                                  0.02 * alone["octets_on_wire"],
                                  ipsec);
    }
}

/// What does not fit is refused.
IWARP_TEST(iwarpCrossTraffic, "Refusals")
{
    for (const auto& [settings, says] :
         {std::pair<ScenarioSettings, std::string>{{{"CrossTraffic", "sctp"}}, "CrossTraffic: "},
          {{{"CrossTraffic", "udp"}, {"CrossRate", "0bps"}}, "CrossRate: "},
          {{{"CrossCongestionControl", "TcpFast"}}, "CrossCongestionControl: "}})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        std::string problem;
        for (const auto& [name, value] : settings)
        {
            problem += scenario->SetParameter(name, value);
        }
        problem += problem.empty() ? scenario->Check() : "";
        NS_TEST_EXPECT_MSG_EQ(problem.find(says), 0, problem);
    }
}

} // namespace
