/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-scenario.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Messages that arrive whatever becomes of those before them.
IWARP_TEST_SUITE(iwarpOpenLoop, "iwarp-open-loop");

/// Workloads that can be an open loop
const std::vector<std::string> WORKLOADS{"mpa",
                                         "rdma-write",
                                         "rdma-read",
                                         "send",
                                         "go-back-n",
                                         "selective-repeat"};

/// A row of MessageLog
struct LogRow
{
    double time;     //!< of arrival, seconds
    uint32_t from;   //!< host
    uint32_t to;     //!< host
    uint64_t octets; //!< payload
    double taken;    //!< seconds
    double slowdown; //!< ratio
    std::string end; //!< how it ended
};

/// Runs open loops at one switch, with links of 10 Gbit/s and 1 us, without Markers.
class LoopTest : public ScenarioTestCase
{
  protected:
    /// @param title of the case
    explicit LoopTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "star"},
                            {"AccessRate", "10Gbps"},
                            {"AccessDelay", "1us"},
                            {"Markers", "false"},
                            {"PlainTcp", "false"},
                            {"QueueSize", "100000p"},
                            {"HostPairs", "2"},
                            {"StartSpread", "0s"},
                            {"Flows", "2"}})
    {
    }

    /// Write a file of flows. @param rows of it @return its path
    std::string WriteFlows(const std::string& rows)
    {
        const std::string path = CreateTempDirFilename("flows.csv");
        std::ofstream(path) << "time,source,destination,octets\n" << rows;
        return path;
    }

    /// Run a scenario and read what it logs of messages. @param settings of it
    /// @return rows in the order of arrivals
    std::vector<LogRow> RunLogged(ScenarioSettings settings)
    {
        const std::string path = CreateTempDirFilename("messages.csv");
        settings["MessageLog"] = path;
        m_results = RunScenario(settings);
        std::ifstream in(path);
        std::string line;
        std::getline(in, line);
        NS_TEST_EXPECT_MSG_EQ(line, "time,source,destination,octets,taken,slowdown,end", "head");
        std::vector<LogRow> rows;
        while (std::getline(in, line))
        {
            const auto cells = iwarp::Split(line, ',');
            rows.push_back({std::strtod(cells[0].c_str(), nullptr),
                            static_cast<uint32_t>(std::stoul(cells[1])),
                            static_cast<uint32_t>(std::stoul(cells[2])),
                            std::stoull(cells[3]),
                            std::strtod(cells[4].c_str(), nullptr),
                            std::strtod(cells[5].c_str(), nullptr),
                            cells[6]});
        }
        return rows;
    }

    /// @param settings of a scenario @return what is wrong with it
    std::string FindProblem(const ScenarioSettings& settings)
    {
        const auto scenario = Make(settings);
        scenario->Run();
        return scenario->GetError();
    }

    ScenarioResults m_results; //!< of RunLogged()
};

/**
 * By hand, on two links: a message takes what Homa's definition says until its last octet has come;
 * HPCC's adds a round trip of a full packet to its octets on the wire.
 */
IWARP_TEST(iwarpOpenLoop, "slowdowns by both definitions", LoopTest)
{
    // RDMA Writes: 72 octets of headers and CRC in front of Ethernet's 38, 1428 of payload
    const std::string flows = WriteFlows("0,0,2,1000\n0.001,0,2,9000\n");
    for (const std::string workload : {"rdma-write", "mpa"})
    {
        auto rows = RunLogged({{"Workload", workload}, {"Arrivals", "file:" + flows}});
        NS_TEST_EXPECT_MSG_EQ(rows.size(), 2, "messages");
        rows.resize(2);
        const double small = 2e-6 + 2 * (1000 + 72 + 26) * 8 / 10e9;
        const double large = 2e-6 + (1526 + 6 * 1538 + (9000 - 6 * 1428 + 72 + 26)) * 8 / 10e9;
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].taken, small, 2e-9, workload);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[1].taken, large, 2e-9, workload);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[1].slowdown, 1, 1e-3, workload);
        NS_TEST_EXPECT_MSG_EQ_TOL(rows[1].time, 1e-3, 1e-12, "arrives");
    }
    // Packets of go-back-n have 44 octets of headers, and 16 more in the first; the last asks for
    // an acknowledgement of 48 octets, with 26 of Ethernet's in front of the gap
    const auto rows = RunLogged(
        {{"Workload", "go-back-n"}, {"Arrivals", "file:" + flows}, {"IdealTime", "hpcc"}});
    const double octets = 2 * (1000 + 44 + 16 + 26) + 2 * (48 + 26);
    // each of four transmissions may be a nanosecond off, as ns-3.35 has them
    NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].taken, 4e-6 + octets * 8 / 10e9, 4e-9, "there and back");
    // the base round trip has a full packet at each link
    const double base = 4e-6 + 2 * 1538 * 8 / 10e9;
    NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].taken / rows[0].slowdown,
                              base + (1000 + 44 + 38) * 8 / 10e9,
                              2e-9,
                              "HPCC's ideal time");
    const double wire = 9000 + 7 * (44 + 38);
    NS_TEST_EXPECT_MSG_EQ_TOL(rows[1].taken / rows[1].slowdown,
                              base + wire * 8 / 10e9,
                              20e-9,
                              "HPCC's ideal time");
}

/**
 * No message is faster than alone on the empty path, whatever the packets leave of the MTU: those
 * of RoCE room for a RETH, and all what is behind a multiple of 4. A link sends by the nanosecond,
 * and a frame may be one faster at each of the two.
 */
IWARP_TEST(iwarpOpenLoop, "no slowdown is below 1", LoopTest)
{
    for (const auto& workload : WORKLOADS)
    {
        for (const std::string mtu : {"1500", "1501", "1503", "4096"})
        {
            std::string flows;
            int at = 0;
            for (const int octets : {1, 1000, 1440, 1441, 1456, 1457, 1535, 11799, 200000})
            {
                flows += "0.00" + std::to_string(++at) + ",0,2," + std::to_string(octets) + "\n";
            }
            const auto rows = RunLogged(
                {{"Workload", workload}, {"Mtu", mtu}, {"Arrivals", "file:" + WriteFlows(flows)}});
            NS_TEST_EXPECT_MSG_EQ(rows.size(), 9, "messages");
            for (const auto& row : rows)
            {
                NS_TEST_EXPECT_MSG_GT(row.slowdown,
                                      1 - 2e-9 * row.slowdown / row.taken - 1e-9,
                                      workload << " of " << row.octets << " with " << mtu);
            }
        }
    }
}

/// Rows of a file arrive when they say, between whom they say, whatever carries them.
IWARP_TEST(iwarpOpenLoop, "a file of flows in each workload", LoopTest)
{
    const std::string flows =
        WriteFlows("0.0002,1,3,5000\n0.0001,0,2,70000\n0.0001,switch 0:3,0,300\n");
    for (const auto& workload : WORKLOADS)
    {
        for (const std::string connections : {"multiplexed", "pool", "own"})
        {
            const std::string what = workload + ", " + connections;
            auto rows = RunLogged({{"Workload", workload},
                                   {"Connections", connections},
                                   {"Arrivals", "file:" + flows}});
            NS_TEST_EXPECT_MSG_EQ(rows.size(), 3, what);
            rows.resize(3);
            NS_TEST_EXPECT_MSG_EQ_TOL(rows[0].time, 1e-4, 1e-12, what);
            NS_TEST_EXPECT_MSG_EQ(rows[0].octets, 70000, what);
            NS_TEST_EXPECT_MSG_EQ(rows[0].from, 0, what);
            NS_TEST_EXPECT_MSG_EQ(rows[0].to, 2, what);
            NS_TEST_EXPECT_MSG_EQ(rows[1].from, 3, what);
            NS_TEST_EXPECT_MSG_EQ(rows[1].to, 0, what);
            NS_TEST_EXPECT_MSG_EQ_TOL(rows[2].time, 2e-4, 1e-12, what);
            NS_TEST_EXPECT_MSG_EQ(rows[2].octets, 5000, what);
            for (const auto& row : rows)
            {
                NS_TEST_EXPECT_MSG_EQ(row.end, "completed", what);
                NS_TEST_EXPECT_MSG_GT(row.slowdown, 0.99, what);
            }
            NS_TEST_EXPECT_MSG_EQ(m_results["completed_octets"], 75300, what);
            NS_TEST_EXPECT_MSG_EQ(m_results["payload_octets"], 75300, what);
            NS_TEST_EXPECT_MSG_EQ(m_results["messages"], 3, what);
            NS_TEST_EXPECT_MSG_EQ(m_results.count("common_time"), 0, what);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(
        FindProblem({{"Arrivals", "file:" + WriteFlows("0,0,9,1\n")}}).substr(0, 10),
        "Arrivals: ",
        "no such host");
}

/**
 * Of two messages at once the second waits for the first on their connection, or for the only one
 * of the pool; in a pool that grows, and with one of its own, it is connected first, which takes
 * two round trips.
 */
IWARP_TEST(iwarpOpenLoop, "what messages of a pair wait for", LoopTest)
{
    const std::string flows = WriteFlows("0,0,1,20000\n0,0,1,20000\n");
    const double wire = 14 * 1538 + (20000 - 14 * 1428.0 + 72 + 38); // fifteenth is small or none
    std::map<std::string, std::vector<LogRow>> found;
    std::map<std::string, ScenarioResults> results;
    for (const std::string kind : {"multiplexed", "pool", "waiting", "own"})
    {
        const bool waiting = kind == "waiting";
        found[kind] = RunLogged({{"Workload", "rdma-write"},
                                 {"Flows", "1"},
                                 {"HostPairs", "1"},
                                 {"AccessDelay", "100us"},
                                 {"Connections", waiting ? "pool" : kind},
                                 {"PoolGrows", waiting ? "false" : "true"},
                                 {"Arrivals", "file:" + flows}});
        results[kind] = m_results;
        NS_TEST_EXPECT_MSG_EQ(found[kind].size(), 2, kind);
        found[kind].resize(2);
    }
    const double alone = found["multiplexed"][0].taken;
    const double trip = 400e-6;
    NS_TEST_EXPECT_MSG_EQ_TOL(found["multiplexed"][1].taken - alone,
                              wire * 8 / 10e9,
                              0.1 * wire * 8 / 10e9 + trip,
                              "behind it");
    NS_TEST_EXPECT_MSG_EQ(results["multiplexed"]["connections_opened"], 0, "there from the start");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["pool"][0].taken, alone, 100e-9, "warm");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["pool"][1].taken, alone + 2 * trip, 10e-6, "made for it");
    NS_TEST_EXPECT_MSG_EQ(results["pool"]["connections_opened"], 1, "one");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["waiting"][1].taken,
                              2 * alone,
                              0.35 * alone,
                              "when it is idle");
    NS_TEST_EXPECT_MSG_GT(found["waiting"][1].taken, 1.5 * alone, "not before");
    NS_TEST_EXPECT_MSG_EQ(results["waiting"]["messages_waited"], 1, "one");
    NS_TEST_EXPECT_MSG_EQ(results["waiting"]["connections_opened"], 0, "none");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["own"][0].taken, alone + 2 * trip, 10e-6, "connected first");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["own"][1].taken, alone + 2 * trip, 40e-6, "beside it");
    NS_TEST_EXPECT_MSG_EQ(results["own"]["connections_opened"], 2, "each");

    // two that came in the warm-up waited, and one later did
    const std::string later = WriteFlows("0,0,1,20000\n0,0,1,20000\n0,0,1,20000\n"
                                         "0.1,0,1,20000\n0.1,0,1,20000\n");
    auto behind = RunScenario({{"Workload", "rdma-write"},
                               {"Flows", "1"},
                               {"HostPairs", "1"},
                               {"Connections", "pool"},
                               {"PoolGrows", "false"},
                               {"ArrivalWarmUp", "50ms"},
                               {"Arrivals", "file:" + later}});
    NS_TEST_EXPECT_MSG_EQ(behind["offered_messages"], 2, "behind the warm-up");
    NS_TEST_EXPECT_MSG_EQ(behind["messages_waited"], 1, "of these");
}

/// What came in the warm-up is told by no metric: one large message or a small one, and then the
/// same twenty.
IWARP_TEST(iwarpOpenLoop, "what a warm-up carried is not told", LoopTest)
{
    const auto run = [this](const std::string& workload, bool large, ScenarioSettings more) {
        std::string rows = std::string("0,0,1,") + (large ? "30000\n" : "1000\n");
        for (int i = 0; i < 20; i++)
        {
            rows += std::to_string(0.1 + 0.001 * i) + ",0,1,1000\n";
        }
        more.insert({{"Workload", workload},
                     {"Flows", "1"},
                     {"HostPairs", "1"},
                     {"Rnic", "t5-like"},
                     {"ArrivalWarmUp", "50ms"},
                     {"Arrivals", "file:" + WriteFlows(rows)}});
        return RunScenario(more);
    };
    const ScenarioSettings esp{{"Ipsec", "transport"},
                               {"EspEngine", "inline"},
                               {"EspEngine.AssociationCache.Entries", "1"}};
    for (const std::string workload : {"mpa", "rdma-write", "send", "go-back-n"})
    {
        for (const auto& more : {ScenarioSettings(), esp})
        {
            if (workload == "go-back-n" && !more.empty())
            {
                continue; // ESP is for TCP
            }
            auto large = run(workload, true, more);
            const auto small = run(workload, false, more);
            NS_TEST_EXPECT_MSG_EQ(large["offered_messages"], 20, workload);
            for (const auto& [name, value] : small)
            {
                if (name == "events")
                {
                    continue; // of the simulator
                }
                // picoseconds are rounded anew at each moment
                NS_TEST_EXPECT_MSG_EQ_TOL(large[name],
                                          value,
                                          1e-4 * std::abs(value),
                                          workload << ": " << name);
            }
        }
    }
}

/// The messages of a file take the connections of their hosts in turn, whoever else's come between.
IWARP_TEST(iwarpOpenLoop, "connections in turn, between pairs in turn", LoopTest)
{
    const std::string flows = WriteFlows("0,0,2,300000\n0,1,3,1000\n0,0,2,300000\n0,1,3,1000\n");
    const auto rows =
        RunLogged({{"Workload", "rdma-write"}, {"Arrivals", "file:" + flows}, {"Flows", "2"}});
    NS_TEST_ASSERT_MSG_EQ(rows.size(), 4, "all");
    // on one connection the second would wait for all of the first
    NS_TEST_EXPECT_MSG_EQ_TOL(rows[2].taken / rows[0].taken, 1, 0.3, "both at once");
}

/// Messages find room however many are under way, unless there is a limit.
IWARP_TEST(iwarpOpenLoop, "a limit of messages", LoopTest)
{
    std::string rows;
    for (int i = 0; i < 60; i++)
    {
        rows += "0,0,2,3000\n0,1,3,3000\n";
    }
    const std::string flows = WriteFlows(rows);
    for (const auto& workload : WORKLOADS)
    {
        const ScenarioSettings common{{"Workload", workload},
                                      {"QueueDepth", "4"},
                                      {"Arrivals", "file:" + flows}};
        auto all = RunScenario(common);
        NS_TEST_EXPECT_MSG_EQ(all["completed_messages"], 120, workload);
        NS_TEST_EXPECT_MSG_EQ(all["messages_refused"], 0, workload);
        ScenarioSettings limited = common;
        limited["MessageLimit"] = "7";
        auto some = RunScenario(limited);
        NS_TEST_EXPECT_MSG_EQ(some["offered_messages"], 120, workload);
        NS_TEST_EXPECT_MSG_EQ(some["completed_messages"], 14, workload << ": 7 of each pair");
        NS_TEST_EXPECT_MSG_EQ(some["messages_refused"], 106, workload);
    }
}

/**
 * All messages of the window are followed while others arrive; where more arrive than links can
 * carry, a run says so, and counts those that have not ended by the limit.
 */
IWARP_TEST(iwarpOpenLoop, "window, drain and censoring", LoopTest)
{
    const ScenarioSettings settings{{"Workload", "go-back-n"},
                                    {"Pattern", "all-to-all"},
                                    {"MessageSizes", "fixed:14400"},
                                    {"Load", "0.6"},
                                    {"Connections", "pool"},
                                    {"ArrivalWarmUp", "1ms"},
                                    {"ArrivalWindow", "4ms"}};
    const auto calm = Make(settings);
    auto found = Measure(calm);
    const double mean = 4 * 0.6 * 10e9 * 4e-3 / 8 / 14400; // of four hosts
    NS_TEST_EXPECT_MSG_EQ_TOL(found["offered_messages"], mean, 4 * std::sqrt(mean), "Poisson");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["offered_load"],
                              0.6 * found["offered_messages"] / mean,
                              1e-9,
                              "of all links of hosts");
    NS_TEST_EXPECT_MSG_EQ(found["completed_messages"], found["offered_messages"], "all");
    NS_TEST_EXPECT_MSG_EQ(found["censored_messages"], 0, "none");
    NS_TEST_EXPECT_MSG_GT(found["messages"], found["offered_messages"] - 1, "others, too");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(found["warm_up"], 1e-3, "does not count");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["duration"], 4e-3 + found["drain_time"], 1e-9, "to the end");
    NS_TEST_EXPECT_MSG_EQ(calm->GetCautions().size(), 1, "no 99.9th percentile");

    // of a pool that does not grow, messages wait and connections stay, whatever was before
    ScenarioSettings scarce = settings;
    scarce["PoolGrows"] = "false";
    scarce["ArrivalWindow"] = "500us";
    ScenarioSettings own = scarce;
    own["Connections"] = "own";
    own.erase("PoolGrows");
    for (const char* before : {"0s", "2ms"})
    {
        scarce["ArrivalWarmUp"] = before;
        own["ArrivalWarmUp"] = before;
        const auto waited = RunScenario(scarce);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(waited.at("messages_waited"),
                                    waited.at("offered_messages"),
                                    "of the window");
        const auto opened = RunScenario(own);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(opened.at("connections_opened"),
                                    1.5 * opened.at("offered_messages"),
                                    "of the window, and those that come while it drains");
    }

    // a message that ends with an acknowledgement of TCP's waits for it
    ScenarioSettings acknowledged = settings;
    acknowledged["IdealTime"] = "hpcc";
    acknowledged["Workload"] = "rdma-write";
    for (const auto& [every, warns] : {std::pair{"2", true}, std::pair{"1", false}})
    {
        acknowledged["TcpSocket.DelAckCount"] = every;
        const auto scenario = Make(acknowledged);
        Measure(scenario);
        const auto& cautions = scenario->GetCautions();
        const bool said = std::any_of(cautions.begin(), cautions.end(), [](const auto& line) {
            return line.find("IdealTime, TcpSocket.DelAckCount: ") == 0;
        });
        NS_TEST_EXPECT_MSG_EQ(said, warns, "acknowledged every " << every);
    }

    ScenarioSettings much = settings;
    much["Load"] = "1.5";
    much["DrainLimit"] = "2ms";
    const auto flood = Make(much);
    found = Measure(flood);
    NS_TEST_EXPECT_MSG_GT(found["censored_messages"], 100, "do not end");
    NS_TEST_EXPECT_MSG_EQ(found["censored_messages"] + found["completed_messages"],
                          found["offered_messages"],
                          "each of them");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["drain_time"], 2e-3, 1e-9, "the limit");
    NS_TEST_EXPECT_MSG_EQ(found.count("slowdown_p99"), 0, "of those that ended it would be small");
    bool warned = false;
    for (const auto& caution : flood->GetCautions())
    {
        warned = warned || caution.find("Load, LoadBasis: ") == 0;
    }
    NS_TEST_EXPECT_MSG_EQ(warned, true, "more than the links carry");
}

/**
 * Connections that first messages make: as many as pairs of hosts have messages, for the same
 * messages as with connections that are there, each of which ends.
 */
IWARP_TEST(iwarpOpenLoop, "connections on demand", LoopTest)
{
    for (const char* workload : {"mpa", "rdma-write", "go-back-n"})
    {
        for (const char* use : {"multiplexed", "pool"})
        {
            ScenarioSettings settings{{"Workload", workload},
                                      {"Pattern", "all-to-all"},
                                      {"MessageSizes", "fixed:14400"},
                                      {"Load", "0.01"},
                                      {"Connections", use},
                                      {"ArrivalWindow", "1ms"}};
            auto there = Measure(Make(settings));
            settings["ConnectOnDemand"] = "true";
            auto found = Measure(Make(settings));
            const std::string name = std::string(workload) + ", " + use;
            NS_TEST_EXPECT_MSG_GT(found["offered_messages"], 0, name);
            NS_TEST_EXPECT_MSG_EQ(found["offered_messages"], there["offered_messages"], name);
            NS_TEST_EXPECT_MSG_EQ(found["completed_messages"], found["offered_messages"], name);
            NS_TEST_EXPECT_MSG_EQ(there["connections_opened"], 0, name);
            NS_TEST_EXPECT_MSG_GT(found["connections_opened"], 0, name);
            NS_TEST_EXPECT_MSG_LT(found["connections_opened"], 12, name << ": not all pairs have");
        }
    }
}

/// Load against links of hosts or of routers: the same messages where the latter have half the
/// rate.
IWARP_TEST(iwarpOpenLoop, "what a load refers to", LoopTest)
{
    ScenarioSettings settings{{"Workload", "go-back-n"},
                              {"Topology", "leaf-spine"},
                              {"Leaves", "2"},
                              {"Spines", "1"},
                              {"HostsPerLeaf", "2"},
                              {"LinkRate", "10Gbps"},
                              {"Pattern", "all-to-all"},
                              {"MessageSizes", "fixed:14400"},
                              {"Connections", "pool"},
                              {"ArrivalWindow", "3ms"},
                              {"Load", "0.4"},
                              {"LoadBasis", "core"}};
    // Each host sends a third to its neighbour and two thirds across, so that the uplink of a leaf
    // has 4/3 of what a host's link has.
    auto core = RunScenario(settings);
    settings["LoadBasis"] = "edge";
    settings["Load"] = "0.3";
    auto edge = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ(core["offered_messages"], edge["offered_messages"], "the same rate");
    NS_TEST_EXPECT_MSG_EQ(core["slowdown_mean"], edge["slowdown_mean"], "the same times");
    settings["Load"] = "0.9";
    const auto flood = Make(settings);
    flood->Run();
    NS_TEST_ASSERT_MSG_EQ(flood->GetCautions().empty(), false, "1.2 of the core");
    NS_TEST_EXPECT_MSG_EQ(flood->GetCautions().front().substr(0, 17),
                          "Load, LoadBasis: ",
                          "says so");
    NS_TEST_EXPECT_MSG_NE(flood->GetCautions().front().find("between routers"),
                          std::string::npos,
                          "where");
    NS_TEST_EXPECT_MSG_EQ(FindProblem({{"Workload", "go-back-n"},
                                       {"ArrivalWindow", "1ms"},
                                       {"Load", "0.1"},
                                       {"MessageSizes", "fixed:100"},
                                       {"LoadBasis", "core"}})
                              .substr(0, 11),
                          "LoadBasis: ",
                          "one switch has none");
}

/// The same attributes give the same numbers; another run gives others; so does each process.
IWARP_TEST(iwarpOpenLoop, "repeated runs", LoopTest)
{
    for (const std::string arrivals : {"poisson", "lognormal", "on-off"})
    {
        for (const std::string source : {"pair", "host", "network"})
        {
            ScenarioSettings settings{{"Workload", "rdma-write"},
                                      {"Pattern", "all-to-all"},
                                      {"Load", "0.4"},
                                      {"Arrivals", arrivals},
                                      {"ArrivalSource", source},
                                      {"Connections", "own"},
                                      {"ArrivalWindow", "1ms"}};
            const std::string what = arrivals + " of a " + source;
            const auto once = RunScenario(settings);
            NS_TEST_EXPECT_MSG_EQ((once == RunScenario(settings)), true, what);
            NS_TEST_EXPECT_MSG_GT(once.at("completed_messages"), 20, what);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(once.at("connections_opened"),
                                        once.at("completed_messages"),
                                        what);
            settings["Run"] = "2";
            NS_TEST_EXPECT_MSG_NE(RunScenario(settings)["offered_octets"],
                                  once.at("offered_octets"),
                                  what);
        }
    }
}

/// What does not go together is said.
IWARP_TEST(iwarpOpenLoop, "what does not go together", LoopTest)
{
    const std::string flows = "file:" + WriteFlows("0,0,2,1\n");
    const std::vector<std::pair<ScenarioSettings, std::string>> wrong{
        {{{"Connections", "pool"}}, "Connections: "},
        {{{"ArrivalWindow", "1ms"}}, "ArrivalWindow: "},
        {{{"ArrivalWindow", "1ms"}, {"Load", "0.1"}, {"Duration", "1ms"}},
         "Duration, ArrivalWindow: "},
        {{{"ArrivalWindow", "1ms"}, {"Load", "0.1"}, {"WarmUp", "9"}}, "WarmUp, ArrivalWindow: "},
        {{{"ArrivalWindow", "1ms"}, {"Load", "0.1"}, {"PlainTcp", "true"}}, "PlainTcp: "},
        {{{"Arrivals", "lognormal"}}, "Arrivals: "},
        {{{"Arrivals", "nonsense"}}, "Arrivals: 'nonsense' is none of "},
        {{{"Arrivals", flows}, {"Load", "0.1"}}, "Arrivals, Load, Intervals: "},
        {{{"Arrivals", flows}, {"ArrivalWarmUp", "1us"}}, "ArrivalWarmUp: no message of the file "},
        {{{"Arrivals", "file:/no/such.csv"}}, "Arrivals: there is no file "},
        {{{"Arrivals", "on-off"},
          {"ArrivalWindow", "1ms"},
          {"Load", "0.1"},
          {"Pauses", "ns3::ZipfRandomVariable"}},
         "Pauses: its mean has to be known"},
        {{{"ArrivalWindow", "1ms"}, {"Load", "0.1"}, {"MessageLog", "/no/such/file"}},
         "MessageLog: there is no directory "},
        {{{"ArrivalWindow", "1ms"}, {"Load", "0.1"}, {"Workload", "rounds"}},
         "ArrivalWindow, Arrivals: "},
        {{{"Arrivals", flows}, {"Workload", "rounds"}}, "ArrivalWindow, Arrivals: "},
    };
    for (const auto& [settings, problem] : wrong)
    {
        NS_TEST_EXPECT_MSG_EQ(FindProblem(settings).substr(0, problem.size()), problem, problem);
    }
}

} // namespace
