/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include "ns3/tcp-ipv6-flow-labels.h"

using namespace ns3;

namespace
{

/// IPsec of scenarios.
IWARP_TEST_SUITE(ipsecScenario, "ipsec-scenario", TestSuite::Type::SYSTEM);

/// IPsec of scenarios: the EMSS by hand, all octets, and what is counted.
struct IpsecScenarioTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IpsecScenarioTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "leaf-spine"},
                            {"Octets", "400000"},
                            {"Backed", "true"},
                            {"Loss", "0.002"}})
    {
    }

    /// What lives no longer than a packet is on its way is of no use. @param place where IPsec is
    /// @param exchange of keys @param life of associations
    void CheckShortLife(const char* place, const char* exchange, const char* life)
    {
        const auto scenario = Make({{"Ipsec", place},
                                    {"Topology", "wan"},
                                    {"KeyExchange", exchange},
                                    {"AssociationTime", life},
                                    {"TimeLimit", "2s"},
                                    {"Octets", "1"}});
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, place << ": too short");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError().substr(0, 15), "AssociationTime", "says why");
        // 100 ms there and back: twelve of these, or twenty nested, are enough for a successor
        const bool exchanges = std::string(exchange) == "true";
        const bool nested = std::string(place) == "nested";
        const std::pair<const char*, bool> times[] = {{nested ? "1900ms" : "1s", exchanges},
                                                      {nested ? "2010ms" : "1250ms", false}};
        for (const auto& [time, warns] : times)
        {
            scenario->SetParameter("AssociationTime", time);
            NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, place << ": " << scenario->GetError());
            const auto& cautions = scenario->GetCautions();
            NS_TEST_EXPECT_MSG_EQ(cautions.size(), warns, place << " with " << time);
            NS_TEST_EXPECT_MSG_EQ((cautions.empty() ? "" : cautions[0].substr(0, 29)),
                                  (warns ? "AssociationTime, KeyExchange:" : ""),
                                  place << " with " << time);
        }
    }
};

IWARP_TEST(ipsecScenario, "where IPsec is", IpsecScenarioTest)
{
    // with timestamps, AES-GCM-16: 32 octets around what is a multiple of 4 with its trailer
    const uint32_t room = (1500 - 20 - 32) / 4 * 4 - 2;
    const uint32_t nested = (room - 20 - 32) / 4 * 4 - 2;
    const std::pair<const char*, uint32_t> places[] = {{"none", 1448},
                                                       {"transport", room - 32},
                                                       {"tunnel", room - 52},
                                                       {"gateway", room - 52},
                                                       {"nested", nested - 32}};
    for (const auto& [place, emss] : places)
    {
        for (const char* rnic : {"none", "t5-like"})
        {
            auto results = RunScenario({{"Ipsec", place}, {"Rnic", rnic}});
            const bool some = std::string(place) != "none";
            NS_TEST_EXPECT_MSG_EQ(results.at("content_errors"), 0, place << ": octets");
            NS_TEST_EXPECT_MSG_EQ(results.at("emss_end"), emss, place << ": EMSS");
            NS_TEST_EXPECT_MSG_EQ(results.count("esp_packets"), some, place << ": metrics");
            NS_TEST_EXPECT_MSG_GT(results.at("segments_sent"), 400'000 / emss, "segments");
            if (some)
            {
                NS_TEST_EXPECT_MSG_GT(results["esp_packets"], results["segments_sent"], place);
                NS_TEST_EXPECT_MSG_GT(results["esp_overhead"],
                                      34 * results["esp_packets"] - 1,
                                      "at least 34 octets each");
                NS_TEST_EXPECT_MSG_EQ(results["esp_drops"] - results["esp_drops_too_big"],
                                      0,
                                      "drops");
            }
        }
    }
    for (const char* place : {"transport", "tunnel", "gateway", "nested"})
    {
        auto shared = RunScenario({{"Ipsec", place},
                                   {"IpsecSharing", "policy"},
                                   {"Pattern", "incast"},
                                   {"IncastSenders", "3"},
                                   {"Octets", "20000"},
                                   {"TimeLimit", "1s"}});
        NS_TEST_EXPECT_MSG_EQ(shared["esp_drops_no_association"], 0, place);
    }
    const auto more = RunScenario({{"Ipsec", "transport"},
                                   {"KeyExchange", "true"},
                                   {"AssociationPackets", "100"},
                                   {"IpsecSharing", "connection"},
                                   {"Flows", "4"}});
    NS_TEST_EXPECT_MSG_EQ(more.at("content_errors"), 0, "octets");
    NS_TEST_EXPECT_MSG_GT(more.at("esp_rekeys"), 4 * 2, "each pair is replaced");
    NS_TEST_EXPECT_MSG_EQ(more.at("esp_associations"), 2 * (more.at("esp_rekeys") + 4), "two each");
    NS_TEST_EXPECT_MSG_EQ(Make({{"Ipsec", "gateway"}, {"Topology", "star"}})->Run(),
                          false,
                          "no two routers");
    CheckShortLife("transport", "true", "97ms"); // 10000 km, at two thirds of 300000 km/s
    CheckShortLife("gateway", "true", "97ms");
    CheckShortLife("nested", "true", "97ms");
    CheckShortLife("nested", "false", "48ms");
    NS_TEST_EXPECT_MSG_EQ(Make({{"ReplayWindow", "7"}})->Check().substr(0, 13),
                          "ReplayWindow:",
                          "too narrow");
    NS_TEST_EXPECT_MSG_EQ(Make({{"IpsecUdpEntropy", "true"}})->Check().substr(0, 16),
                          "IpsecUdpEntropy:",
                          "ports without UDP");
    NS_TEST_EXPECT_MSG_EQ(Make({{"FlowLabels", "true"}})->Check().substr(0, 11),
                          "FlowLabels:",
                          "labels without IPv6");
    NS_TEST_EXPECT_MSG_EQ(Make({{"FlowLabels", "true"}, {"Ipv6", "true"}})->Check().empty(),
                          Ipv6FlowLabels::AreCarried(),
                          "this ns-3 keeps labels, or they are refused");
    NS_TEST_EXPECT_MSG_EQ(Make({{"Ecmp", "flow-label"}, {"Ipv6", "true"}})->Check().substr(0, 5),
                          "Ecmp:",
                          "one label for all");
    NS_TEST_EXPECT_MSG_EQ(
        CreateObject<IwarpScenario>()->SetParameter("Cipher", "rot13").substr(0, 7),
        "Cipher:",
        "no such cipher");
}

/// Segments that a tunnel divides: what they contain changes no figure.
struct IpsecDividedScenarioTest : ScenarioTestCase
{
    /// @param title of the case
    explicit IpsecDividedScenarioTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "leaf-spine"},
                            {"Workload", "rdma-read"},
                            {"Octets", "60000"},
                            {"Flows", "1"},
                            {"PlainTcp", "false"},
                            {"DontFragment", "false"},
                            {"Ipsec", "tunnel"},
                            {"TunnelDontFragment", "set"},
                            {"LinkSchedule", "1200us:mtu=1000"}})
    {
    }
};

IWARP_TEST(ipsecScenario, "segments in fragments", IpsecDividedScenarioTest)
{
    auto blank = RunScenario({{"Backed", "false"}});
    NS_TEST_EXPECT_MSG_GT(blank["retransmitted_octets"], 0, "some did not fit");
    NS_TEST_EXPECT_MSG_EQ((RunScenario({{"Backed", "true"}}) == blank), true, "each figure");
}

} // namespace
