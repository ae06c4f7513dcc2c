/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-trace-connector.h"
#include "ns3/iwarp-trace-helper.h"
#include "ns3/iwarp-trace-source.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpTraceHelper, "iwarp-trace-helper", TestSuite::Type::SYSTEM);

const ScenarioSettings TRACED_SCENARIO{{"PlainTcp", "false"},
                                       {"Octets", "200000"},
                                       {"MessageSizes", "fixed:20000"},
                                       {"TimeLimit", "100s"}}; //!< of all scenarios here

/// @param column cells of numbers @return their sum
double
Sum(const iwarp::TraceCells& column)
{
    double sum = 0;
    for (std::size_t row = 0; row < column.GetSize(); row++)
    {
        sum += column.GetNumber(row);
    }
    return sum;
}

/// @param column cells of numbers @return the largest
double
Largest(const iwarp::TraceCells& column)
{
    double most = 0;
    for (std::size_t row = 0; row < column.GetSize(); row++)
    {
        most = std::max(most, column.GetNumber(row));
    }
    return most;
}

/// Runs scenarios with traces.
class TraceTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit TraceTest(const std::string& name)
        : ScenarioTestCase(name, TRACED_SCENARIO)
    {
    }

    /// @param traces what to take down @param names of traces @param settings of the scenario
    /// @return metrics
    ScenarioResults Trace(IwarpTraceHelper& traces,
                          const std::string& names,
                          const ScenarioSettings& settings = {})
    {
        NS_TEST_EXPECT_MSG_EQ(traces.Add(names), "", names);
        const auto scenario = Make(settings);
        scenario->SetTraces(&traces);
        return Measure(scenario);
    }
};

/// @return classes of ns-3 whose objects the runs have
const std::vector<std::string>&
ListNs3Classes()
{
    static const std::vector<std::string> names{"ns3::TcpSocketBase",
                                                "ns3::QueueBase",
                                                "ns3::Queue<Packet>",
                                                "ns3::QueueDisc",
                                                "ns3::PointToPointNetDevice",
                                                "ns3::TrafficControlLayer",
                                                "ns3::Ipv4L3Protocol",
                                                "ns3::Ipv6L3Protocol"};
    return names;
}

/**
 * @ingroup iwarp-test
 * Each source of the module, and of ns-3's classes that runs use, can be taken down, and its
 * columns have names of their own, none twice, and help.
 */
IWARP_TEST(iwarpTraceHelper, "Each source has a connector and names", TestCase)
{
    uint32_t sources = 0;
    const auto& others = ListNs3Classes();
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.GetGroupName() != "Iwarp" &&
            std::find(others.begin(), others.end(), type.GetName()) == others.end())
        {
            continue;
        }
        for (std::size_t j = 0; j < type.GetTraceSourceN(); j++)
        {
            const auto source = type.GetTraceSource(j);
            const std::string name = type.GetName() + "." + source.name + " " + source.callback;
            const auto* connector = iwarp::FindConnector(type, source);
            NS_TEST_EXPECT_MSG_EQ(bool(connector), true, "connector of " << name);
            NS_TEST_EXPECT_MSG_EQ(iwarp::HasOwnColumns(type, source), true, "columns of " << name);
            std::set<std::string> names{"time_ns", "node", "host", "connection"};
            for (const auto& column :
                 connector ? iwarp::MakeColumns(*connector) : std::vector<iwarp::TraceColumn>())
            {
                NS_TEST_EXPECT_MSG_EQ(names.insert(column.name).second, true, name << column.name);
                NS_TEST_EXPECT_MSG_EQ(column.help.empty(), false, name << column.name);
            }
            sources++;
        }
    }
    NS_TEST_EXPECT_MSG_GT(sources, 150, "there are many");
}

/**
 * @ingroup iwarp-test
 * What tables say is what metrics say.
 */
IWARP_TEST(iwarpTraceHelper, "Tables and metrics agree", TraceTest)
{
    IwarpTraceHelper traces;
    const auto found = Trace(
        traces,
        "goodput,queue,reassembly,TcpSocketBase.State,MpaTcpSocket.SegmentSent,MpaStream.Passed",
        {{"Loss", "0.01"}, {"HostPairs", "1"}, {"Octets", "1000000"}});
    NS_TEST_ASSERT_MSG_EQ(traces.GetNTables(), 6, "one a trace");
    NS_TEST_EXPECT_MSG_EQ(Sum(traces.GetTable(0).GetCells("placed_octets")),
                          found.at("payload_octets"),
                          "goodput");
    NS_TEST_EXPECT_MSG_EQ(Largest(traces.GetTable(1).GetCells("queue_packets")),
                          found.at("queue_peak"),
                          "queue");
    NS_TEST_EXPECT_MSG_EQ(Largest(traces.GetTable(2).GetCells("held_octets")),
                          found.at("reassembly_peak"),
                          "reassembly");
    const auto& again = traces.GetTable(4).GetCells("retransmission");
    const auto& size = traces.GetTable(4).GetCells("size_octets");
    double octets = 0;
    for (std::size_t row = 0; row < size.GetSize(); row++)
    {
        octets += again.GetNumber(row) * size.GetNumber(row);
    }
    NS_TEST_EXPECT_MSG_EQ(octets, found.at("retransmitted_octets"), "sent again");
    NS_TEST_EXPECT_MSG_GT(octets, 0, "some are");
    NS_TEST_EXPECT_MSG_EQ(traces.GetTable(5).CountRows(), found.at("fpdus_passed"), "FPDUs");
    // the accepted socket is there, too
    const auto& connections = traces.GetTable(3).GetCells("connection").GetWords();
    NS_TEST_EXPECT_MSG_EQ(connections.size(), 2, "both ends");
    const auto dash = connections.at(0).find('-');
    NS_TEST_EXPECT_MSG_EQ(connections.at(0).substr(dash + 1) + "-" +
                              connections.at(0).substr(0, dash),
                          connections.at(1),
                          "each with its own end first");
}

/// What a table says of an interval is of the time that it has: the last one ends with the run, and
/// no engine works for longer than there is time.
IWARP_TEST(iwarpTraceHelper, "Intervals of tables", TraceTest)
{
    IwarpTraceHelper traces;
    Trace(traces,
          "goodput:every=70us,stages:every=1us",
          {{"HostPairs", "1"},
           {"Flows", "1"},
           {"Rnic", "t5-like"},
           {"Rnic.RxMac.TimePerPacket", "3330ns"}}); // which is busy all the time
    const auto& goodput = traces.GetTable(0);
    const auto& octets = goodput.GetCells("placed_octets");
    const auto& rates = goodput.GetCells("goodput_bits_per_second");
    const auto& times = goodput.GetCells("time_ns");
    NS_TEST_ASSERT_MSG_GT(octets.GetSize(), 2, "some intervals");
    for (std::size_t row = 0; row < octets.GetSize(); row++)
    {
        const auto end = static_cast<int64_t>(times.GetNumber(row));
        const int64_t length = end % 70000 == 0 ? 70000 : end % 70000;
        const bool isLast = row + 1 == octets.GetSize();
        NS_TEST_EXPECT_MSG_EQ((length == 70000), !isLast, "the last is shorter");
        NS_TEST_EXPECT_MSG_EQ_TOL(rates.GetNumber(row) * static_cast<double>(length) * 1e-9 / 8,
                                  octets.GetNumber(row),
                                  1e-6 * octets.GetNumber(row),
                                  "until " << end);
    }
    const auto& busy = traces.GetTable(1).GetCells("busy_share");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(Largest(busy), 1 + 1e-9, "no engine does more");
    NS_TEST_EXPECT_MSG_GT(Largest(busy), 0.99, "one is never idle for so long");
}

/// What the other end sends again, as the data of a server's answers, counts as well.
IWARP_TEST(iwarpTraceHelper, "Octets sent again, whichever way they go", TraceTest)
{
    for (const std::string direction : {"acks", "both"})
    {
        IwarpTraceHelper traces;
        const auto found = Trace(traces,
                                 "MpaTcpSocket.SegmentSent",
                                 {{"Workload", "storage"},
                                  {"StorageReadShare", "1"},
                                  {"Loss", "0.03"},
                                  {"ImpairmentDirection", direction},
                                  {"HostPairs", "1"},
                                  {"Octets", "1000000"}});
        const auto& again = traces.GetTable(0).GetCells("retransmission");
        const auto& size = traces.GetTable(0).GetCells("size_octets");
        double octets = 0;
        for (std::size_t row = 0; row < size.GetSize(); row++)
        {
            octets += again.GetNumber(row) * size.GetNumber(row);
        }
        NS_TEST_EXPECT_MSG_EQ(octets, found.at("retransmitted_octets"), direction);
        NS_TEST_EXPECT_MSG_GT(octets, 0, "some are");
    }
}

/**
 * @ingroup iwarp-test
 * Traces change nothing of a run.
 */
IWARP_TEST(iwarpTraceHelper, "A traced run is the same run", TraceTest)
{
    const ScenarioSettings settings{{"Loss", "0.02"}, {"Rnic", "t5-like"}, {"Octets", "1000000"}};
    IwarpTraceHelper traces;
    const auto traced = Trace(traces, "standard,stage_visits", settings);
    const auto plain = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ((traced == plain), true, "all metrics");
    for (std::size_t i = 0; i < traces.GetNTables(); i++)
    {
        const auto& table = traces.GetTable(i);
        const bool there = table.CountRows() > 0 || table.GetName() == "sas";
        NS_TEST_EXPECT_MSG_EQ(there, true, table.GetName() << " has rows");
        const auto& times = table.GetCells("time_ns");
        for (std::size_t row = 1; row < times.GetSize(); row++)
        {
            NS_TEST_ASSERT_MSG_LT_OR_EQ(times.GetNumber(row - 1),
                                        times.GetNumber(row),
                                        table.GetName());
        }
    }
}

/**
 * @ingroup iwarp-test
 * A table ends where its rows do, and says what is missing.
 */
IWARP_TEST(iwarpTraceHelper, "Limits and samples", TraceTest)
{
    IwarpTraceHelper whole;
    Trace(whole, "cwnd,flight:every=10us");
    IwarpTraceHelper cut;
    cut.SetRows(10);
    Trace(cut, "cwnd");
    NS_TEST_EXPECT_MSG_EQ(cut.GetTable(0).CountRows(), 10, "rows");
    NS_TEST_EXPECT_MSG_EQ(cut.GetTable(0).CountLeftOut() + 10,
                          whole.GetTable(0).CountRows(),
                          "left out");
    const auto& times = whole.GetTable(1).GetCells("time_ns");
    NS_TEST_EXPECT_MSG_GT(times.GetSize(), 10, "samples");
    uint32_t besides = 0; // the last samples, when the run ends
    for (std::size_t row = 0; row < times.GetSize(); row++)
    {
        besides += static_cast<int64_t>(times.GetNumber(row)) % 10000 != 0;
    }
    NS_TEST_EXPECT_MSG_LT_OR_EQ(besides, 2, "each end once");
}

/**
 * @ingroup iwarp-test
 * Nodes and connections may be chosen.
 */
IWARP_TEST(iwarpTraceHelper, "Chosen nodes and connections", TraceTest)
{
    const ScenarioSettings flows{{"Flows", "3"}};
    IwarpTraceHelper all;
    Trace(all, "TcpSocketBase.State", flows);
    const auto& connections = all.GetTable(0).GetCells("connection").GetWords();
    NS_TEST_ASSERT_MSG_EQ(connections.size(), 6, "three, both ends");
    IwarpTraceHelper one;
    one.AddConnection(connections[2]);
    Trace(one, "TcpSocketBase.State", flows);
    NS_TEST_EXPECT_MSG_EQ(one.GetTable(0).GetCells("connection").GetWords().size(), 1, "one");
    IwarpTraceHelper host;
    host.AddNode(all.GetTable(0).GetCells("host").GetWords().at(0));
    Trace(host, "TcpSocketBase.State", flows);
    NS_TEST_EXPECT_MSG_EQ(host.GetTable(0).GetCells("host").GetWords().size(), 1, "a host");
    IwarpTraceHelper none;
    none.AddNode("nowhere");
    NS_TEST_EXPECT_MSG_EQ(none.Add("cwnd"), "", "a trace");
    const auto scenario = Make(flows);
    scenario->SetTraces(&none);
    NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "no such host");
    NS_TEST_EXPECT_MSG_EQ(scenario->GetError().find("there is no node 'nowhere'"), 0, "said");
}

/**
 * @ingroup iwarp-test
 * Wrong names get one line that helps.
 */
IWARP_TEST(iwarpTraceHelper, "Wrong names", TestCase)
{
    IwarpTraceHelper traces;
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"cwmd", "there is no trace 'cwmd' (did you mean cwnd?)"},
        {"MpaStrem.Passed", "there is no class 'MpaStrem' (did you mean MpaStream?)"},
        {"MpaStream.Pased", "MpaStream has no trace source 'Pased' (did you mean Passed?)"},
        {"cwnd:every=soon", "cwnd: every=soon is no time such as every=10us"},
        {"MpaStream.Passed:every=1us",
         "MpaStream.Passed has events, each of which is taken down: leave out every=1us"}};
    for (const auto& [name, message] : wrong)
    {
        NS_TEST_EXPECT_MSG_EQ(traces.Add(name), message, name);
    }
    NS_TEST_EXPECT_MSG_EQ(traces.Add("ns3::Queue.Drop,ns3::MpaStream::Passed"), "", "ns-3's form");
    NS_TEST_EXPECT_MSG_EQ(traces.GetNTables(), 2, "both");
}

/**
 * @ingroup iwarp-test
 * All sources of the module and of ns-3's classes at once: each has the signature that it says.
 */
class AllSourcesTest : public TraceTest
{
  public:
    /// @param title of the case @param settings of its scenario
    AllSourcesTest(const std::string& title, ScenarioSettings settings)
        : TraceTest("All sources: " + title),
          m_settings(std::move(settings))
    {
    }

  private:
    void DoRun() override
    {
        IwarpTraceHelper traces;
        for (const auto& source : iwarp::ListTraceSources(""))
        {
            NS_TEST_EXPECT_MSG_EQ(traces.Add(source.GetName()), "", source.GetName());
        }
        for (const auto& name : ListNs3Classes())
        {
            const TypeId type = TypeId::LookupByName(name);
            for (std::size_t i = 0; i < type.GetTraceSourceN(); i++)
            {
                const std::string source = name + "." + type.GetTraceSource(i).name;
                NS_TEST_EXPECT_MSG_EQ(traces.Add(source), "", source);
            }
        }
        Trace(traces, "standard", m_settings);
        std::size_t rows = 0;
        for (std::size_t i = 0; i < traces.GetNTables(); i++)
        {
            rows += traces.GetTable(i).CountRows();
        }
        NS_TEST_EXPECT_MSG_GT(rows, 1000, "they say something");
    }

    ScenarioSettings m_settings; //!< of the scenario
};

IWARP_TEST_CASES(iwarpTraceHelper)
{
    const std::vector<std::pair<std::string, ScenarioSettings>> scenarios{
        {"RNIC", {{"Rnic", "t5-like"}, {"Loss", "0.01"}}},
        {"queue discs and a box", {{"QueueDisc", "codel"}, {"Middlebox", "resegmenting"}}},
        {"NVMe over TCP", {{"Workload", "nvme-tcp"}}},
        {"TLS", {{"Workload", "tls"}}},
        {"IPsec", {{"Ipsec", "transport"}, {"IpsecReal", "true"}}},
        {"RoCE", {{"Workload", "selective-repeat"}}},
        {"verbs and RACK", {{"Workload", "rdma-read"}, {"Rack", "true"}, {"Loss", "0.01"}}}};
    for (const auto& [title, settings] : scenarios)
    {
        suite.AddTestCase(new AllSourcesTest(title, settings));
    }
}

} // namespace
