/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/default-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <map>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpScenario, "iwarp-scenario", TestSuite::Type::SYSTEM);

using Settings = std::map<std::string, std::string>; //!< parameters and values
using Results = std::map<std::string, double>;       //!< metrics

/// Runs scenarios and keeps their results.
class ScenarioTest : public TestCase
{
  protected:
    using TestCase::TestCase;

    /// @param settings parameters @return metrics; none if the run failed, which is a failure
    Results RunScenario(const Settings& settings)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        const bool good = scenario->Run();
        NS_TEST_EXPECT_MSG_EQ(good, true, GetName() << ": " << scenario->GetError());
        Results results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }
};

/**
 * @ingroup iwarp-test
 * Without loss all metrics follow from arithmetic: octets, segments, times.
 */
class ClosedFormTest : public ScenarioTest
{
  public:
    explicit ClosedFormTest(bool ipv6)
        : ScenarioTest(std::string("Closed forms, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        // messages of one FPDU each, that with header, length and CRC fills a segment: no Markers
        const uint32_t ip = m_ipv6 ? 40 : 20;
        const uint32_t mss = 1500 - ip - 20 - 12;
        const uint32_t payload = mss - 2 - 4 - 14;
        const uint32_t messages = 1000;
        const auto results = RunScenario({{"Ipv6", m_ipv6 ? "true" : "false"},
                                          {"Markers", "false"},
                                          {"MessageSizes", "fixed:" + std::to_string(payload)},
                                          {"Octets", std::to_string(messages * payload)},
                                          {"LinkRate", "1Gbps"},
                                          {"AccessRate", "10Gbps"},
                                          {"Delay", "10us"},
                                          {"AccessDelay", "1us"},
                                          {"StartSpread", "0s"}});
        const auto expect = [&](const std::string& name, double value) {
            NS_TEST_EXPECT_MSG_EQ(results.count(name), 1, name << " is there");
            NS_TEST_EXPECT_MSG_EQ_TOL(results.at(name), value, 1e-9, name);
        };
        NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "it runs");
        expect("messages", messages);
        expect("payload_octets", messages * payload);
        expect("fpdus_sent", messages);
        expect("fpdus_passed", messages);
        expect("fpdus_passed_out_of_order", 0);
        expect("header_aligned_share", 1);
        expect("fpdu_aligned_share", 1);
        expect("header_aligned_share_sent", 1);
        expect("fpdu_aligned_share_sent", 1);
        IWARP_COVERS("MPA-A.1-01");
        expect("reassembly_peak", 0);
        expect("reassembly_p99", 0);
        expect("placement_wait_max", 0);
        expect("delivery_latency_p99", 0);
        expect("retransmitted_octets", 0);
        expect("segments_dropped", 0);
        expect("content_errors", 0);
        // one segment more for the MPA Request
        expect("segments_sent", messages + 1);
        // data; SYNs, Request and Reply; an ACK for each segment or two, and some for startup
        const double octets = messages * 1500.0 + 2 * (ip + 40) + 2 * (ip + 32 + 20);
        const double acks = results.at("octets_on_wire") - octets;
        NS_TEST_EXPECT_MSG_GT(acks, (messages / 2 + 2) * (ip + 32) - 1, "all data and ACKs");
        NS_TEST_EXPECT_MSG_LT(acks, (messages + 6) * (ip + 32), "and no more");
        expect("plain_tcp_segments", (messages * payload + mss - 1) / mss);
        expect("plain_tcp_retransmitted_octets", 0);
        // at least the time of all octets on the bottleneck and three crossings of the path, and
        // little more: initial window and slow start cover the path
        const double wire = messages * 1538 * 8 / 1e9;
        NS_TEST_EXPECT_MSG_GT(results.at("duration"), wire + 5 * 12e-6, "no faster than the link");
        NS_TEST_EXPECT_MSG_LT(results.at("duration"), wire + 5 * 12e-6 + 150e-6, "nor slower");
        NS_TEST_EXPECT_MSG_EQ_TOL(results.at("goodput"),
                                  8.0 * messages * payload / results.at("duration"),
                                  1,
                                  "goodput is payload over time");
        NS_TEST_EXPECT_MSG_LT(results.at("plain_tcp_goodput"), 1e9, "plain TCP is no faster");
        NS_TEST_EXPECT_MSG_GT(results.at("plain_tcp_goodput"), 0.9e9, "plain TCP fills the link");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

IWARP_TEST_CASES(iwarpScenario)
{
    suite.AddTestCase(new ClosedFormTest(false));
    suite.AddTestCase(new ClosedFormTest(true));
}

/**
 * A run again in the same process gives identical numbers, another run number or seed does not,
 * and the process is left as it was.
 */
struct RepeatTest : ScenarioTest
{
    using ScenarioTest::ScenarioTest;

    static std::string Default(const std::string& type, const std::string& name)
    {
        TypeId::AttributeInformation info;
        TypeId::LookupByName(type).LookupAttributeByName(name, &info);
        return info.initialValue->SerializeToString(info.checker);
    }
};

IWARP_TEST(iwarpScenario, "Runs repeat", RepeatTest)
{
    const std::string segment = Default("ns3::TcpSocket", "SegmentSize");
    const std::string control = Default("ns3::TcpL4Protocol", "SocketType");
    const std::string markers = Default("ns3::MpaStream", "Markers");
    const uint32_t seed = RngSeedManager::GetSeed();
    const uint64_t run = RngSeedManager::GetRun();
    for (const std::string control : {"TcpNewReno", "TcpCubic", "TcpBbr"})
    {
        for (const std::string topology : {"dumbbell", "abilene"})
        {
            for (const std::string ipv6 : {"false", "true"})
            {
                Settings settings{{"Topology", topology},
                                  {"Ipv6", ipv6},
                                  {"CongestionControl", control},
                                  {"Loss", "0.01"},
                                  {"Reordering", "0.02"},
                                  {"Duplication", "0.01"},
                                  {"Markers", "false"},
                                  {"Flows", "2"},
                                  {"Octets", "150000"},
                                  {"LinkRate", "1Gbps"}};
                const auto first = RunScenario(settings);
                NS_TEST_EXPECT_MSG_EQ((RunScenario(settings) == first),
                                      true,
                                      control << " " << topology << ": the same again");
                settings["Run"] = "2";
                NS_TEST_EXPECT_MSG_EQ((RunScenario(settings) == first),
                                      false,
                                      "another run is another");
                settings["Run"] = "1";
                settings["Seed"] = "2";
                NS_TEST_EXPECT_MSG_EQ((RunScenario(settings) == first),
                                      false,
                                      "another seed is another");
            }
        }
    }
    NS_TEST_EXPECT_MSG_EQ(Default("ns3::TcpSocket", "SegmentSize"), segment, "restored");
    NS_TEST_EXPECT_MSG_EQ(Default("ns3::TcpL4Protocol", "SocketType"), control, "restored");
    NS_TEST_EXPECT_MSG_EQ(Default("ns3::MpaStream", "Markers"), markers, "restored");
    NS_TEST_EXPECT_MSG_EQ(RngSeedManager::GetSeed(), seed, "restored");
    NS_TEST_EXPECT_MSG_EQ(RngSeedManager::GetRun(), run, "restored");
}

/**
 * @ingroup iwarp-test
 * Content is identical at both ends under loss, reordering and duplication, for many seeds and ways
 * to frame and cut, and an out-of-order receiver passes what
 * Markers prove.
 */
class ContentTest : public ScenarioTest
{
  public:
    ContentTest(const std::string& name, const Settings& settings, uint32_t seeds)
        : ScenarioTest("Content: " + name),
          m_settings(settings),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        Settings settings{{"Backed", "true"},
                          {"PlainTcp", "false"},
                          {"Loss", "0.05"},
                          {"Reordering", "0.05"},
                          {"Duplication", "0.02"},
                          {"Octets", "60000"},
                          {"MessageSizes", "ns3::UniformRandomVariable[Min=1|Max=6000]"},
                          {"LinkRate", "1Gbps"},
                          {"MinRto", "10ms"},
                          {"DelayedAck", "4ms"}};
        for (const auto& [name, value] : m_settings)
        {
            settings[name] = value;
        }
        double outOfOrder = 0;
        for (uint32_t seed = 1; seed <= m_seeds; seed++)
        {
            settings["Seed"] = std::to_string(seed);
            const auto results = RunScenario(settings);
            NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(results.at("payload_octets"), 60000, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(results.at("content_errors"), 0, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(results.at("fpdus_passed"),
                                  results.at("fpdus_sent"),
                                  "each FPDU once, seed " << seed);
            IWARP_COVERS("MPA-6-04");
            outOfOrder += results.at("fpdus_passed_out_of_order");
        }
        const bool proved = settings["Markers"] != "false" && settings["OutOfOrder"] != "false";
        NS_TEST_EXPECT_MSG_EQ((outOfOrder > 0), proved, "out of order where Markers prove it");
        IWARP_COVERS("MPA-6-05");
    }

    Settings m_settings; //!< what is special
    uint32_t m_seeds;    //!< how many seeds
};

IWARP_TEST_CASES(iwarpScenario)
{
    suite.AddTestCase(new ContentTest("aligned, Markers", {}, 100));
    suite.AddTestCase(new ContentTest("aligned, no Markers", {{"Markers", "false"}}, 50));
    suite.AddTestCase(new ContentTest("unaligned, Markers", {{"Alignment", "false"}}, 100));
    suite.AddTestCase(new ContentTest("unaligned, no Markers",
                                      {{"Alignment", "false"}, {"Markers", "false"}},
                                      50));
    suite.AddTestCase(new ContentTest("in-order receiver", {{"OutOfOrder", "false"}}, 50));
    suite.AddTestCase(new ContentTest("little memory",
                                      {{"Alignment", "false"}, {"ReassemblyMemory", "4000"}},
                                      50));
    suite.AddTestCase(new ContentTest("little memory for all connections",
                                      {{"Alignment", "false"},
                                       {"Flows", "20"},
                                       {"HostPairs", "1"},
                                       {"Octets", "3000"},
                                       {"Rnic", "ideal"},
                                       {"Rnic.ReassemblyMemory.Capacity", "4000"}},
                                      10));
    suite.AddTestCase(
        new ContentTest("IPv6, no SACK",
                        {{"Ipv6", "true"}, {"Sack", "false"}, {"Timestamps", "false"}},
                        50));
    suite.AddTestCase(
        new ContentTest("Nagle, no packing, dynamic MULPDU",
                        {{"NoDelay", "false"}, {"Packing", "false"}, {"DynamicMulpdu", "true"}},
                        50));
    suite.AddTestCase(new ContentTest("dynamic MULPDU", {{"DynamicMulpdu", "true"}}, 50));
    suite.AddTestCase(
        new ContentTest("small buffers", {{"SendBuffer", "6000"}, {"ReceiveBuffer", "6000"}}, 50));
    suite.AddTestCase(
        new ContentTest("jumbo, BBR", {{"Mtu", "9000"}, {"CongestionControl", "TcpBbr"}}, 30));
}

/// Bad values are refused in one line that says what is allowed, and never end the program.
struct BadValueTest : TestCase
{
    using TestCase::TestCase;

    void Refuse(const std::string& name, const std::string& value, const std::string& part)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        const std::string problem = scenario->SetParameter(name, value);
        NS_TEST_EXPECT_MSG_NE(problem, "", name << "=" << value << " is refused");
        NS_TEST_EXPECT_MSG_NE(problem.find(part), std::string::npos, problem);
        NS_TEST_EXPECT_MSG_EQ(problem.find('\n'), std::string::npos, "one line");
    }

    void Mismatch(const Settings& settings, const std::string& part)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        NS_TEST_EXPECT_MSG_NE(scenario->Check().find(part), std::string::npos, scenario->Check());
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "it does not run");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError(), scenario->Check(), "and says why");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetMetrics().empty(), true, "no metrics");
    }
};

IWARP_TEST(iwarpScenario, "Bad values", BadValueTest)
{
    // every parameter with text that is nothing at all, wherever text is not free
    for (const auto& info : IwarpScenario::ListParameters())
    {
        NS_TEST_EXPECT_MSG_GT(info.help.size(), 10, info.name << " has help");
        if (info.type == "ns3::StringValue")
        {
            continue;
        }
        for (const std::string value :
             {"", "#", "-", "nan", "1e999", "99999999999999999999", "1 2", "1x", "-1", "s", "."})
        {
            Refuse(info.name, value, info.name);
        }
    }
    Refuse("Mtu", "100", "576:65535");
    Refuse("Loss", "1.5", "0:1");
    Refuse("Topology", "ring", "abilene, dumbbell");
    Refuse("Delay", "10parsec", "such as 50us");
    Refuse("LinkRate", "10Gpbs", "such as 10Gbps");
    Refuse("QueueSize", "100", "such as 100p");
    Refuse("Sack", "maybe", "true or false");
    Refuse("NoSuchThing", "1", "there are Topology");

    Mismatch({{"Ipv6", "true"}, {"Mtu", "1000"}}, "Mtu");
    Mismatch({{"Octets", "0"}}, "Octets, Duration");
    Mismatch({{"Duration", "10s"}, {"TimeLimit", "5s"}}, "TimeLimit");
    Mismatch({{"MessageSizes", "cdf:none"}}, "MessageSizes: no file");
    Mismatch({{"Intervals", "soon"}}, "Intervals");
    Mismatch({{"Intervals", "fixed:1"}}, "PlainTcp");
    for (const auto* never : {"0", "1e-12", "-1", "nan"})
    {
        const auto constant = "ns3::ConstantRandomVariable[Constant=" + std::string(never) + "]";
        Mismatch({{"Intervals", constant}, {"PlainTcp", "false"}}, "Intervals");
    }
    Mismatch({{"MessageSizes", "ns3::EmpiricalRandomVariable"}}, "MessageSizes");
    Mismatch(
        {{"Workload", "perf"}, {"PerfOrder", "Random"}, {"RdmaPerfClient.Bidirectional", "true"}},
        "Workload=perf: Order=Random");
    Mismatch({{"CongestionControl", "TcpMagic"}}, "CongestionControl");
    Mismatch({{"CongestionControl", "ns3::Node"}}, "CongestionControl");
    Mismatch({{"Topology", "abilene"}, {"AbilenePairs", "STTL"}}, "AbilenePairs");
    Mismatch({{"Topology", "abilene"}, {"AbilenePairs", "STTL-ROME"}}, "AbilenePairs");
    Mismatch({{"Topology", "abilene"}, {"AbilenePairs", ""}}, "AbilenePairs");
    Mismatch({{"LinkRate", "0bps"}}, "LinkRate");
    Mismatch({{"QueueSize", "0p"}}, "QueueSize");
    Mismatch({{"QueueSize", "1000B"}}, "QueueSize");
    Mismatch({{"Mtu", "9000"}, {"SendBuffer", "8000"}}, "SendBuffer");
    Mismatch({{"ReassemblyMemory", "100"}}, "ReassemblyMemory");
    Mismatch({{"Pcap", "/no/such/directory/x"}}, "Pcap: there is no directory");
}

/// A run that cannot end fails with a reason, and one beside other nodes does not start.
IWARP_TEST(iwarpScenario, "Runs that fail")
{
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    scenario->SetParameter("Loss", "1");
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "nothing arrives");
    NS_TEST_EXPECT_MSG_NE(scenario->GetError().find("did not connect"),
                          std::string::npos,
                          scenario->GetError());
    scenario->SetParameter("Loss", "0");
    scenario->SetParameter("LinkRate", "1Mbps");
    scenario->SetParameter("TimeLimit", "1s");
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "it takes longer");
    NS_TEST_EXPECT_MSG_NE(scenario->GetError().find("TimeLimit"),
                          std::string::npos,
                          scenario->GetError());
    scenario->SetParameter("LinkRate", "10Gbps");
    scenario->SetParameter("TimeLimit", "1000s");
    // TCP gives up with data that the application has handed over long ago, and says so
    scenario->SetParameter("Octets", "100000");
    scenario->SetParameter("Loss", "0.5");
    scenario->SetParameter("DataRetries", "1");
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "two losses in turn are too many");
    NS_TEST_EXPECT_MSG_NE(scenario->GetError().find("TCP lost the connection"),
                          std::string::npos,
                          scenario->GetError());
    scenario->SetParameter("DataRetries", "15");
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
    scenario->SetParameter("Loss", "0");
    CreateObject<Node>();
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "not beside other nodes");
    Simulator::Destroy();
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
    NS_TEST_EXPECT_MSG_EQ(scenario->GetError(), "", "no error");
}

namespace
{

/// Remembers how the simulator is told to keep its events.
class SchedulerSpy : public DefaultSimulatorImpl
{
  public:
    static TypeId GetTypeId() //!< Get the type ID. @return the object TypeId
    {
        static TypeId tid = TypeId("ns3::SchedulerSpy")
                                .SetParent<DefaultSimulatorImpl>()
                                .AddConstructor<SchedulerSpy>();
        return tid;
    }

    void SetScheduler(ObjectFactory factory) override
    {
        s_last = factory.GetTypeId().GetName();
        DefaultSimulatorImpl::SetScheduler(factory);
    }

    static std::string s_last; //!< name of the last scheduler
};

std::string SchedulerSpy::s_last;

NS_OBJECT_ENSURE_REGISTERED(SchedulerSpy);

} // namespace

/// A run keeps its events in a heap, whether a simulator is there already or not, and in what the
/// program has chosen.
IWARP_TEST(iwarpScenario, "The scheduler of a run", ScenarioTest)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::SchedulerSpy"));
    const Settings settings{{"Octets", "10000"}};
    auto found = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ(SchedulerSpy::s_last, "ns3::DaryHeapScheduler", "by itself");
    GlobalValue::Bind("SchedulerType", StringValue("ns3::ListScheduler"));
    NS_TEST_EXPECT_MSG_EQ((RunScenario(settings) == found), true, "the same results");
    NS_TEST_EXPECT_MSG_EQ(SchedulerSpy::s_last, "ns3::ListScheduler", "chosen");
    GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
    Simulator::Now();
    NS_TEST_EXPECT_MSG_EQ((RunScenario(settings) == found), true, "once more");
    NS_TEST_EXPECT_MSG_EQ(SchedulerSpy::s_last, "ns3::DaryHeapScheduler", "in place of a map");
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
}

/**
 * The duration decides where there is no limit of octets, and an open loop refuses what finds the
 * queue full.
 */
IWARP_TEST(iwarpScenario, "Runs by time", ScenarioTest)
{
    auto results = RunScenario({{"Octets", "0"}, {"Duration", "20ms"}, {"LinkRate", "1Gbps"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(results["duration"], 0.02, 1e-9, "duration");
    NS_TEST_EXPECT_MSG_GT(results["goodput"], 0.85e9, "fills the link");
    NS_TEST_EXPECT_MSG_LT(results["goodput"], 0.97e9, "less headers");
    NS_TEST_EXPECT_MSG_GT(results["plain_tcp_goodput"], 0.85e9, "plain TCP too");

    // 8 kb a message, one each 100 us: 80 Mb/s
    results = RunScenario({{"Octets", "0"},
                           {"Duration", "100ms"},
                           {"LinkRate", "1Gbps"},
                           {"MessageSizes", "fixed:1000"},
                           {"Intervals", "fixed:0.0001"},
                           {"PlainTcp", "false"}});
    NS_TEST_EXPECT_MSG_EQ_TOL(results["messages"], 1000, 5, "messages");
    NS_TEST_EXPECT_MSG_EQ(results["messages_refused"], 0, "none refused");
    // two hops of 40 Gb/s, one of 1 Gb/s; pad, Markers and headers up to 1100 octets
    NS_TEST_EXPECT_MSG_GT(results["message_time_mean"], 52e-6 + 8e-6, "no faster than light");
    NS_TEST_EXPECT_MSG_LT(results["message_time_p99"], 52e-6 + 12e-6, "nothing waits");
}

} // namespace
