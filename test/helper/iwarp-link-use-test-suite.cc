/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

using namespace ns3;

namespace
{

/// Use of links
IWARP_TEST_SUITE(iwarpLinkUse, "iwarp-link-use", TestSuite::Type::SYSTEM);

/// @param datagram octets of an IP datagram @return octet times that it takes of an Ethernet link
double
WireTime(uint32_t datagram)
{
    return 8 + std::max(14 + datagram + 4, 64U) + 12; // preamble, frame, gap
}

/**
 * @ingroup iwarp-test
 * The share of the bottleneck is what arithmetic says: the octets of all frames over the octets
 * that the slowest link carries in the time.
 */
class LinkUseTest : public TestCase
{
  public:
    /// @param flows connections @param linkRate Gbit/s of the link that they share
    /// @param accessRate Gbit/s of each host's link
    /// @param receivers hosts that receive, 0 for one a flow
    LinkUseTest(uint32_t flows, uint32_t linkRate, uint32_t accessRate, uint32_t receivers)
        : TestCase("Share of the busiest link, " + std::to_string(flows) + " flows, " +
                   std::to_string(linkRate) + " and " + std::to_string(accessRate) + " Gbps, " +
                   std::to_string(receivers) + " receivers"),
          m_flows(flows),
          m_linkRate(linkRate),
          m_accessRate(accessRate),
          m_receivers(receivers)
    {
    }

  private:
    void DoRun() override
    {
        // messages of one FPDU each, that with header, length and CRC fills a segment: no Markers
        const uint32_t payload = 1500 - 20 - 20 - 12 - 2 - 4 - 14;
        const uint32_t messages = 300;
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        const std::map<std::string, std::string> settings{
            {"Flows", std::to_string(m_flows)},
            {"Markers", "false"},
            {"MessageSizes", "fixed:" + std::to_string(payload)},
            {"Octets", std::to_string(messages * payload)},
            {"LinkRate", std::to_string(m_linkRate) + "Gbps"},
            {"AccessRate", std::to_string(m_accessRate) + "Gbps"},
            {"Receivers", std::to_string(m_receivers)},
            {"PlainTcp", "false"}};
        for (const auto& [name, value] : settings)
        {
            NS_TEST_ASSERT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        std::map<std::string, double> results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        NS_TEST_ASSERT_MSG_EQ(results.count("bottleneck_share"), 1, "it is there");
        // SYN, its ACK, the MPA Request, the segments
        const double octets =
            WireTime(60) + WireTime(52) + WireTime(72) + messages * WireTime(1500);
        const bool shared = m_linkRate < m_accessRate || m_receivers == 1;
        const double most = std::min(m_linkRate, m_accessRate) * 1e9 / 8 * results.at("duration");
        const double expected = octets * (shared ? m_flows : 1) / most;
        // an ACK of the Reply and the time of the last frame from there to the receiver
        NS_TEST_EXPECT_MSG_EQ_TOL(results.at("bottleneck_share"),
                                  expected,
                                  m_flows * WireTime(52) / most + 1e-6,
                                  "the share of the busiest link");
        NS_TEST_EXPECT_MSG_GT(results.at("bottleneck_share"), 0.8, "which is nearly all of it");
        NS_TEST_EXPECT_MSG_LT(results.at("bottleneck_share"), 1, "and no more than there is");
    }

    uint32_t m_flows;      //!< connections
    uint32_t m_linkRate;   //!< rate of the shared link, Gbit/s
    uint32_t m_accessRate; //!< rate of the hosts' links, Gbit/s
    uint32_t m_receivers;  //!< hosts that receive, 0 for one a flow
};

IWARP_TEST_CASES(iwarpLinkUse)
{
    suite.AddTestCase(new LinkUseTest(1, 1, 10, 0));
    suite.AddTestCase(new LinkUseTest(3, 1, 10, 0));
    suite.AddTestCase(new LinkUseTest(2, 10, 1, 0));
    suite.AddTestCase(new LinkUseTest(3, 10, 1, 1)); // incast
}

} // namespace
