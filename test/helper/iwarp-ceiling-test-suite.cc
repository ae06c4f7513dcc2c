/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-scenario.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpCeiling, "iwarp-ceiling");

using AttributeList = std::vector<std::pair<std::string, std::string>>; //!< parameters and values

/**
 * @ingroup iwarp-test
 * A workload fills a link with MTU 1500 to what its headers leave, and never shows more.
 *
 * A frame takes 1538 octet times: 8 of preamble, 14 of header, 1500 of IP, 4 of FCS, 12 of gap
 * (IEEE 802.3). Of the 1500, IP has 20 and TCP 32 with timestamps; of the 1448 left, MPA's length
 * and CRC have 6 (RFC 5044 section 4), DDP and RDMAP 14 in a tagged and 18 in an untagged segment
 * (RFC 5041 section 4, RFC 5040 section 4).
 */
class CeilingTest : public TestCase
{
  public:
    /// @param name of the case @param header octets of DDP and RDMAP @param rate of the link,
    /// Gbit/s
    /// @param metrics that are rates @param settings besides
    CeilingTest(const std::string& name,
                uint32_t header,
                uint32_t rate,
                const std::vector<std::string>& metrics,
                const AttributeList& settings)
        : TestCase("Ceiling of " + name),
          m_ceiling(1e9 * rate * (1500 - 20 - 32 - 6 - header) / 1538),
          m_rate(rate),
          m_metrics(metrics),
          m_settings(settings)
    {
    }

  private:
    void DoRun() override
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        AttributeList settings{{"LinkRate", std::to_string(m_rate) + "Gbps"},
                               {"AccessRate", std::to_string(4 * m_rate) + "Gbps"},
                               {"Mtu", "1500"},
                               {"Markers", "false"},
                               {"MessageSizes", "fixed:65536"},
                               {"ReceiveBuffer", "300000"}, // so that no queue overflows
                               {"CongestionControl", "TcpNewReno"},
                               {"PlainTcp", "false"}};
        settings.insert(settings.end(), m_settings.begin(), m_settings.end());
        for (const auto& [name, value] : settings)
        {
            NS_TEST_ASSERT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        std::map<std::string, double> metrics;
        for (const auto& metric : scenario->GetMetrics())
        {
            metrics[metric.name] = metric.value;
        }
        for (const auto& name : m_metrics)
        {
            NS_TEST_EXPECT_MSG_EQ(metrics.count(name), 1, name << " is there");
            NS_TEST_EXPECT_MSG_LT(metrics[name], m_ceiling, name);
            NS_TEST_EXPECT_MSG_GT(metrics[name], 0.75 * m_ceiling, name << " nearly reaches it");
        }
        NS_TEST_EXPECT_MSG_LT(metrics["goodput"], m_ceiling, "all of the run");
    }

    double m_ceiling;                   //!< bit/s
    uint32_t m_rate;                    //!< of the link, Gbit/s
    std::vector<std::string> m_metrics; //!< metrics that are rates
    AttributeList m_settings;           //!< parameters besides
};

/**
 * On a link that is never idle the rate of any workload is what the headers leave, however large
 * the messages are that the time measured begins and ends in.
 *
 * The headers are those of CeilingTest; with Markers an FPDU is made shorter by one each 512 octets
 * of a full segment (RFC 5044 section 5.1). RoCE's packets have 20 octets of IP, 8 of UDP, 12 of
 * BTH and 4 of ICRC around a payload of 4 octets' multiple that leaves room for a RETH of 16.
 */
IWARP_TEST(iwarpCeiling, "Long messages read what a busy link carries")
{
    const struct
    {
        const char* workload;  //!< what the flows carry
        const char* alignment; //!< FPDUs in segments of their own
        const char* markers;   //!< with Markers
        double payload;        //!< octets in a frame of 1538
    } cases[]{{"mpa", "true", "false", 1428},
              {"mpa", "false", "false", 1428},
              {"mpa", "true", "true", 1416},
              {"rdma-write", "true", "false", 1428},
              {"rdma-read", "false", "false", 1428},
              {"send", "true", "false", 1424},
              {"storage", "true", "false", 1428},
              {"selective-repeat", "true", "false", 1440.0 / 1522 * 1538}};

    for (const auto& [workload, alignment, markers, payload] : cases)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : AttributeList{{"Workload", workload},
                                                       {"Alignment", alignment},
                                                       {"Markers", markers},
                                                       {"MessageSizes", "fixed:3000000"},
                                                       {"Flows", "4"},
                                                       {"LinkRate", "10Gbps"},
                                                       {"AccessRate", "40Gbps"},
                                                       {"Mtu", "1500"},
                                                       {"WarmUp", "1000000"},
                                                       {"Octets", "2000000"},
                                                       {"StorageReadShare", "0"},
                                                       {"ReceiveBuffer", "300000"},
                                                       {"PlainTcp", "false"}})
        {
            NS_TEST_ASSERT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_ASSERT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        uint32_t found = 0;
        for (const auto& metric : scenario->GetMetrics())
        {
            if (metric.name == "goodput" || metric.name == "common_goodput")
            {
                found++;
                NS_TEST_EXPECT_MSG_EQ_TOL(metric.value * 1538 / (10e9 * payload),
                                          1,
                                          0.002,
                                          workload << " " << alignment << " " << markers << " "
                                                   << metric.name);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(found, 2, "both rates");
    }
}

IWARP_TEST_CASES(iwarpCeiling)
{
    const std::vector<std::string> common{"common_goodput"};
    const std::vector<std::string> perf{"perf_bw_average", "perf_bw_peak"};
    for (const uint32_t flows : {1, 3})
    {
        const AttributeList base{{"Flows", std::to_string(flows)},
                                 {"Octets", std::to_string(5000000 / flows)},
                                 {"PerfIterations", std::to_string(90 / flows)}};
        const auto add = [&](const std::string& workload,
                             uint32_t header,
                             const std::vector<std::string>& metrics,
                             const AttributeList& besides) {
            AttributeList settings = base;
            settings.emplace_back("Workload", workload);
            std::string name = workload + ", flows " + std::to_string(flows);
            for (const auto& [key, value] : besides)
            {
                name += ", " + key + " " + value;
                settings.emplace_back(key, value);
            }
            suite.AddTestCase(new CeilingTest(name, header, 10, metrics, settings));
        };
        add("mpa", 14, common, {});
        add("rdma-write", 14, common, {});
        add("rdma-read", 14, common, {});
        add("send", 18, common, {});
        const std::vector<std::string> storage{"common_goodput", "storage_goodput"};
        add("storage", 14, storage, {{"StorageReadShare", "0"}});
        add("storage", 14, storage, {{"StorageReadShare", "1"}});
        add("perf", 14, perf, {{"PerfTest", "write_bw"}});
        add("perf", 14, perf, {{"PerfTest", "read_bw"}});
        add("perf", 18, perf, {{"PerfTest", "send_bw"}});
    }
    suite.AddTestCase(new CeilingTest("Writes of 1 MiB on three flows at 100 Gbps",
                                      14,
                                      100,
                                      perf,
                                      {{"Flows", "3"},
                                       {"Workload", "perf"},
                                       {"PerfSize", "1048576"},
                                       {"PerfIterations", "20"},
                                       {"PerfWarmUp", "3"},
                                       {"Delay", "1us"}}));
}

} // namespace
