/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../path/path-test-impairment.h"

#include "ns3/iwarp-collector.h"
#include "ns3/iwarp-ip-tap.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-part-ipsec.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-topology-dumbbell.h"
#include "ns3/iwarp-topology.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-middlebox.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-test
/// A user's topology: a line of routers between two hosts.
class IwarpTestLineTopology : public IwarpTopology
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::IwarpTestLineTopology")
                                .SetParent<IwarpTopology>()
                                .AddConstructor<IwarpTestLineTopology>()
                                .AddAttribute("Hops",
                                              "Links between routers",
                                              UintegerValue(3),
                                              MakeUintegerAccessor(&IwarpTestLineTopology::m_hops),
                                              MakeUintegerChecker<uint32_t>(1, 100));
        return tid;
    }

    std::string Check(uint32_t pairs, bool ipv6) const override
    {
        return m_hops == 13 ? "Hops: not 13" : IwarpTopology::Check(pairs, ipv6);
    }

    Ends Build(IwarpNetwork& network, uint32_t pairs) const override
    {
        for (uint32_t i = 0; i <= m_hops; i++)
        {
            network.AddRouter();
        }
        for (uint32_t i = 0; i < m_hops; i++)
        {
            network.AddLink(i, i + 1, MakeLink(MicroSeconds(10)));
        }
        Ends ends;
        for (uint32_t i = 0; i < pairs; i++)
        {
            const uint32_t sender = network.AddHost(0, MakeAccessLink());
            ends.emplace_back(sender, network.AddHost(m_hops, MakeAccessLink()));
        }
        return ends;
    }

  private:
    uint32_t m_hops; //!< links between routers
};

/// @ingroup iwarp-test
/// A user's workload: that of mpa, with a metric of its own.
class IwarpTestCountWorkload : public IwarpMpaWorkload
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::IwarpTestCountWorkload")
                                .SetParent<IwarpMpaWorkload>()
                                .AddConstructor<IwarpTestCountWorkload>();
        return tid;
    }

    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        m_flows++;
        IwarpMpaWorkload::Install(flow, listener);
    }

    void Finish(iwarp::MetricSet& metrics) override
    {
        metrics.Add("test_flows", m_flows);
        IwarpMpaWorkload::Finish(metrics);
    }

  private:
    uint32_t m_flows{0}; //!< flows installed
};

/// @ingroup iwarp-test
/// A user's middlebox: it counts.
class PathTestCountMiddlebox : public PathMiddlebox
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::PathTestCountMiddlebox")
                                .SetParent<PathMiddlebox>()
                                .AddConstructor<PathTestCountMiddlebox>();
        return tid;
    }

    static uint64_t octets;                          //!< that passed towards the receivers
    static uint64_t bothWays;                        //!< octets that passed in either direction
    static std::set<PathTestCountMiddlebox*> places; //!< those that something passed

  private:
    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override
    {
        octets += direction == PathDirection::A_TO_B ? packet->GetSize() : 0;
        bothWays += packet->GetSize();
        places.insert(this);
        Forward(packet, protocol, direction);
    }
};

uint64_t PathTestCountMiddlebox::octets = 0;
uint64_t PathTestCountMiddlebox::bothWays = 0;
std::set<PathTestCountMiddlebox*> PathTestCountMiddlebox::places;

/// @ingroup iwarp-test
/// A user's part of a scenario: it counts datagrams that hosts send, and draws from a stream.
class IwarpTestPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::IwarpTestPart")
                                .SetParent<IwarpScenarioPart>()
                                .AddConstructor<IwarpTestPart>()
                                .AddAttribute("Most",
                                              "Hosts that it takes; 0 for none",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&IwarpTestPart::m_most),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    bool IsIdle() const override
    {
        return m_most == 0;
    }

    std::string Check() const override
    {
        return m_most == 13 ? "Most: not 13" : "";
    }

    std::string CheckNetwork(const iwarp::ScenarioParts& /* parts */,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& /* ends */) const override
    {
        return network.GetNHosts() > m_most ? "Most: too many hosts" : "";
    }

    void Install(iwarp::ScenarioNetwork& network) const override
    {
        auto taps = Create<Taps>();
        for (uint32_t i = 0; i < network.GetNetwork().GetNHosts(); i++)
        {
            taps->taps.push_back(Create<iwarp::IpTap>());
            taps->taps.back()->Attach(network.GetNetwork().GetHost(i));
        }
        network.AddCollector(iwarp::ScenarioNetwork::Section::HOSTS, taps);
        network.AddCaution("Most: hosts are counted");
        for (uint32_t i = 0; i < (1 << 14); i++)
        { // as many ports as a host has for connections, which keep them when they have ended
            allowed += network.CountConnection(0).empty();
        }
        refusal = network.CountConnection(0);
        network.AddStreams("test", [](int64_t first) {
            stream = first;
            return 7;
        });
    }

    static int64_t stream;      //!< that it got
    static uint32_t allowed;    //!< connections that a host may make
    static std::string refusal; //!< of one more

  private:
    /// Counts what hosts send.
    class Taps : public iwarp::Collector
    {
      public:
        void Report(iwarp::MetricSet& metrics, const Period& /* period */) override
        {
            for (const auto& tap : taps)
            {
                metrics.Add("test_octets", static_cast<double>(tap->GetOctets()));
            }
        }

        std::vector<Ptr<iwarp::IpTap>> taps; //!< at all hosts
    };

    uint32_t m_most; //!< hosts
};

int64_t IwarpTestPart::stream = 0;
uint32_t IwarpTestPart::allowed = 0;
std::string IwarpTestPart::refusal;

NS_OBJECT_ENSURE_REGISTERED(IwarpTestPart);
NS_OBJECT_ENSURE_REGISTERED(IwarpTestLineTopology);
NS_OBJECT_ENSURE_REGISTERED(IwarpTestCountWorkload);
NS_OBJECT_ENSURE_REGISTERED(PathTestPeriodicImpairment);
NS_OBJECT_ENSURE_REGISTERED(PathTestCountMiddlebox);

} // namespace ns3

using namespace ns3;

namespace
{

using Settings = std::map<std::string, std::string>; //!< parameters and values
using Results = std::map<std::string, double>;       //!< metrics

const iwarp::MetricDeclarations g_metrics{std::vector<MetricInfo>{
    {"test_flows", "flows", "Flows of the test's workload", MetricMerge::SUM},
    {"test_octets", "octets", "What hosts of the test's part send", MetricMerge::SUM},
    {"test_worst", "s", "A largest value", MetricMerge::MAXIMUM},
    {"test_share", "share", "A ratio", MetricMerge::RATIO},
}};

/**
 * @ingroup iwarp-test
 * Topology, workload, impairment and middlebox are objects of the user's classes.
 */
class PartsTest : public TestCase
{
  public:
    PartsTest()
        : TestCase("A user's topology, workload, impairment and middlebox")
    {
    }

  private:
    /// @param settings of a scenario @param scenario it @return metrics
    Results Run(const Settings& settings,
                const Ptr<IwarpScenario>& scenario = CreateObject<IwarpScenario>())
    {
        scenario->SetParameter("PlainTcp", "false");
        scenario->SetParameter("Octets", "300000");
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        Results results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }

    void CheckTopology()
    {
        // two links of hosts at 1 us, and those between routers at 10 us
        const Settings line{{"Topology", "test-line"}, {"Rnic", "ideal"}};
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(line)["round_trip"], 64e-6, 1e-12, "three links");
        Settings longer = line;
        longer["Topology"] = "ns3::IwarpTestLineTopology";
        longer["IwarpTestLineTopology.Hops"] = "5";
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(longer)["round_trip"], 104e-6, 1e-12, "five links");
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetParameter("Topology", "IwarpTestLineTopology");
        scenario->SetParameter("IwarpTestLineTopology.Hops", "13");
        NS_TEST_EXPECT_MSG_EQ(scenario->Check(), "IwarpTestLineTopology.Hops: not 13", "its Check");
        // an object that is made already, in place of what the parameter names
        Ptr<IwarpTestLineTopology> topology = CreateObject<IwarpTestLineTopology>();
        topology->SetAttribute("Hops", UintegerValue(2));
        scenario = CreateObject<IwarpScenario>();
        scenario->SetTopology(topology);
        NS_TEST_EXPECT_MSG_EQ_TOL(Run({{"Rnic", "ideal"}}, scenario)["round_trip"],
                                  44e-6,
                                  1e-12,
                                  "two links");
        scenario->SetTopology(nullptr);
        NS_TEST_EXPECT_MSG_EQ_TOL(Run({}, scenario)["round_trip"], 104e-6, 1e-12, "a dumbbell");
    }

    void CheckWorkload()
    {
        auto results = Run({{"Workload", "test-count"}, {"Flows", "3"}});
        NS_TEST_EXPECT_MSG_EQ(results["test_flows"], 3, "its own metric");
        results.erase("test_flows");
        NS_TEST_EXPECT_MSG_EQ((results == Run({{"Flows", "3"}})), true, "the others are mpa's");
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetWorkload(CreateObject<IwarpTestCountWorkload>());
        NS_TEST_EXPECT_MSG_EQ(Run({}, scenario)["test_flows"], 1, "an object that is made already");
    }

    void CheckPath()
    {
        const Settings plain{{"Flows", "2"}};
        NS_TEST_EXPECT_MSG_EQ(Run(plain)["retransmitted_octets"], 0, "nothing is lost");
        Settings lossy = plain;
        lossy["Impairment"] = "test-periodic";
        NS_TEST_EXPECT_MSG_GT(Run(lossy)["retransmitted_octets"], 0, "at the receivers");
        NS_TEST_EXPECT_MSG_EQ(PathTestPeriodicImpairment::made, 2, "one for each receiver");
        lossy["ImpairmentPlace"] = "core";
        lossy["ImpairmentDirection"] = "both";
        lossy["PathTestPeriodicImpairment.Period"] = "100";
        NS_TEST_EXPECT_MSG_GT(Run(lossy)["retransmitted_octets"], 0, "at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(PathTestPeriodicImpairment::made, 4, "one for each direction");
        lossy["ImpairmentPlace"] = "sender";
        lossy["ImpairmentDirection"] = "data";
        NS_TEST_EXPECT_MSG_GT(Run(lossy)["retransmitted_octets"], 0, "at the senders' links");

        Settings boxes = plain;
        boxes["Middlebox"] = "test-count";
        const auto core = Run(boxes);
        const uint64_t passed = PathTestCountMiddlebox::octets;
        NS_TEST_EXPECT_MSG_GT(passed, 600000, "all data passes the bottleneck");
        NS_TEST_EXPECT_MSG_LT(passed,
                              core.at("octets_on_wire"),
                              "acknowledgements go the other way");
        boxes["MiddleboxPlace"] = "receiver";
        const auto edge = Run(boxes);
        NS_TEST_EXPECT_MSG_EQ(PathTestCountMiddlebox::octets - passed,
                              passed,
                              "and the last links");
        NS_TEST_EXPECT_MSG_EQ(edge.at("payload_octets"), 600000, "all there");

        // two hosts send to each other: the same link for both
        boxes = {{"Pattern", "all-to-all"}, {"Middlebox", "test-count"}};
        PathTestCountMiddlebox::places.clear();
        PathTestCountMiddlebox::bothWays = 0;
        const auto crossed = Run(boxes);
        NS_TEST_EXPECT_MSG_EQ(PathTestCountMiddlebox::places.size(), 1, "one in the link");
        NS_TEST_EXPECT_MSG_LT(PathTestCountMiddlebox::bothWays,
                              2 * crossed.at("payload_octets"),
                              "once");
    }

    void CheckPart()
    {
        Ptr<IwarpTestPart> part = CreateObject<IwarpTestPart>();
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetPart(part);
        const auto idle = Run({}, scenario);
        NS_TEST_EXPECT_MSG_EQ(idle.count("test_octets"), 0, "it does nothing");
        part->SetAttribute("Most", UintegerValue(2));
        auto counted = Run({}, scenario);
        NS_TEST_EXPECT_MSG_EQ(counted["test_octets"], idle.at("octets_on_wire"), "as counted");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetCautions().back(), "Most: hosts are counted", "told");
        const auto& last = scenario->GetRandomStreams().back();
        NS_TEST_EXPECT_MSG_EQ(last.purpose, "test", "behind all others");
        NS_TEST_EXPECT_MSG_EQ(last.first, IwarpTestPart::stream, "what it got");
        NS_TEST_EXPECT_MSG_EQ(last.count, 7, "what it uses");
        const std::string ports = "host 0 has made 16384 connections";
        NS_TEST_EXPECT_MSG_EQ(IwarpTestPart::allowed, 16384, "a port each");
        NS_TEST_EXPECT_MSG_NE(IwarpTestPart::refusal.find(ports), std::string::npos, "no more");
        counted.erase("test_octets");
        NS_TEST_EXPECT_MSG_EQ((counted == idle), true, "all else is as without it");
        scenario->SetParameter("Flows", "3");
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "six hosts");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError(), "Most: too many hosts", "its CheckNetwork");
        NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter("IwarpTestPart.Most", "13"), "", "by name");
        NS_TEST_EXPECT_MSG_EQ(scenario->Check(), "Most: not 13", "its Check");
        NS_TEST_EXPECT_MSG_NE(scenario->SetParameter("IwarpTestPart.Most", "few"), "", "no number");
        NS_TEST_EXPECT_MSG_EQ(
            CreateObject<IwarpScenario>()->SetParameter("IwarpTestPart.Most", "2"),
            "IwarpTestPart.Most: the scenario has no such part; SetPart() takes one",
            "another scenario");
    }

    void CheckAliases()
    {
        // attributes of the scenario are those of its parts, by name, qualified name or object
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        const auto ipsec = scenario->FindPart(IwarpIpsecPart::GetTypeId());
        NS_TEST_EXPECT_MSG_EQ(ipsec->IsIdle(), true, "none by default");
        scenario->SetParameter("Ipsec", "tunnel");
        NS_TEST_EXPECT_MSG_EQ(ipsec->IsIdle(), false, "set");
        scenario->SetAttribute("ReplayWindow", UintegerValue(128));
        UintegerValue window;
        ipsec->GetAttribute("ReplayWindow", window);
        NS_TEST_EXPECT_MSG_EQ(window.Get(), 128, "by the scenario's attribute");
        ipsec->SetAttribute("ReplayWindow", UintegerValue(256));
        scenario->GetAttribute("ReplayWindow", window);
        NS_TEST_EXPECT_MSG_EQ(window.Get(), 256, "by the part's");
        NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter("IwarpIpsecPart.ReplayWindow", "512"),
                              "",
                              "by its qualified name");
        ipsec->GetAttribute("ReplayWindow", window);
        NS_TEST_EXPECT_MSG_EQ(window.Get(), 512, "by its qualified name");
        // a part of the user's in place of one of the same kind
        auto other = CreateObject<IwarpIpsecPart>();
        scenario->SetPart(other);
        NS_TEST_EXPECT_MSG_EQ((scenario->FindPart(IwarpIpsecPart::GetTypeId()) == other),
                              true,
                              "replaced");
        NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter("Cipher", "rot13").substr(0, 27),
                              "Cipher: there is no 'rot13'",
                              "names");
    }

    void DoRun() override
    {
        CheckPart();
        CheckAliases();
        CheckTopology();
        CheckWorkload();
        CheckPath();
    }
};

/**
 * @ingroup iwarp-test
 * Metrics are merged by the rule that they were declared with.
 */
class MetricsTest : public TestCase
{
  public:
    MetricsTest()
        : TestCase("Metrics and how they merge")
    {
    }

  private:
    void DoRun() override
    {
        iwarp::MetricSet metrics;
        metrics.Add("test_worst", 2);
        metrics.Add("test_flows", 3);
        metrics.Add("test_worst", 1);
        metrics.Add("test_flows", 4);
        metrics.Add("test_share", 1, 4);
        metrics.Add("test_share", 2, 2);
        metrics.Add("test_", {{{"worst", "s", "", MetricMerge::SUM}, 5}}, "_64");
        metrics.Add("test_", {{{"worst", "s", "", MetricMerge::SUM}, 4}}, "_64");
        const auto list = metrics.Get();
        NS_TEST_ASSERT_MSG_EQ(list.size(), 4, "in the order in which they were added");
        NS_TEST_EXPECT_MSG_EQ(list[0].name, "test_worst", "the first");
        NS_TEST_EXPECT_MSG_EQ(list[0].value, 2, "the largest");
        NS_TEST_EXPECT_MSG_EQ(list[1].value, 7, "the sum");
        NS_TEST_EXPECT_MSG_EQ(list[2].value, 0.5, "of the sums");
        NS_TEST_EXPECT_MSG_EQ(list[2].unit, "share", "as declared");
        NS_TEST_EXPECT_MSG_EQ(list[3].name, "test_worst_64", "of a series");
        NS_TEST_EXPECT_MSG_EQ(list[3].value, 5, "as declared, whatever the application says");

        iwarp::MetricSet none;
        none.Add("test_share", 0, 0);
        NS_TEST_EXPECT_MSG_EQ(none.Get()[0].value, 0, "a share of nothing");

        for (const auto& metric : IwarpScenario::ListMetrics())
        {
            NS_TEST_EXPECT_MSG_EQ(metric.unit.empty(), false, metric.name << " has a unit");
            NS_TEST_EXPECT_MSG_EQ(metric.help.empty(), false, metric.name << " has help");
        }
        NS_TEST_EXPECT_MSG_GT(IwarpScenario::ListMetrics().size(), 80, "all kinds");
    }
};

/// @ingroup iwarp-test
/// The suite.
class PartsTestSuite : public TestSuite
{
  public:
    PartsTestSuite()
        : TestSuite("iwarp-parts")
    {
        AddTestCase(new PartsTest, IWARP_TEST_QUICK);
        AddTestCase(new MetricsTest, IWARP_TEST_QUICK);
    }
};

PartsTestSuite g_partsTestSuite; //!< registers the suite

} // namespace
