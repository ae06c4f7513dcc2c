/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicScenario, "rnic-scenario");

/// Many connections between two hosts with RNICs.
class RnicScenarioTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit RnicScenarioTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"HostPairs", "1"},
                            {"Rnic", "ideal"},
                            {"PlainTcp", "false"},
                            {"LinkRate", "100Gbps"},
                            {"AccessRate", "100Gbps"},
                            {"QueueSize", "200000p"},
                            {"SendBuffer", "65536"},
                            {"ReceiveBuffer", "65536"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "1ms"},
                            {"StartSpread", "100us"}})
    {
    }
};

} // namespace

/// An ideal RNIC changes no metric, and what it reports is what the streams report.
IWARP_TEST(rnicScenario, "an ideal RNIC changes no metric", RnicScenarioTest)
{
    for (const char* alignment : {"true", "false"})
    {
        const ScenarioSettings settings{{"Flows", "12"},
                                        {"Octets", "200000"},
                                        {"Loss", "0.005"},
                                        {"Alignment", alignment}};
        ScenarioSettings none = settings;
        none["Rnic"] = "none";
        const ScenarioResults without = RunScenario(none);
        ScenarioResults with = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(without.count("rnic_memory_peak"), 0, "only with an RNIC");
        for (const auto& [name, value] : without)
        {
            NS_TEST_EXPECT_MSG_EQ(with[name], value, name);
        }
        NS_TEST_EXPECT_MSG_EQ(with["rnic_memory_peak"], with["reassembly_peak"], "the same");
        // the RNIC is watched from another moment on, which shifts a percentile of time
        NS_TEST_EXPECT_MSG_EQ_TOL(with["rnic_memory_p99"],
                                  with["reassembly_p99"],
                                  0.02 * with["reassembly_p99"],
                                  "nearly the same");
        NS_TEST_EXPECT_MSG_EQ(with["rnic_op_length_read"], with["fpdus_passed"], "the same");
        NS_TEST_EXPECT_MSG_GT(with["retransmitted_octets"], 0, "there was loss");
    }
}

/// Memory for parts of FPDUs grows with the connections, unless they are aligned.
IWARP_TEST(rnicScenario, "memory against connections", RnicScenarioTest)
{
    std::map<uint32_t, double> peaks;
    for (uint32_t flows : {1U, 25U, 50U, 100U, 200U})
    {
        // FPDUs of 1000 to 1440 octets: their places in segments are random
        ScenarioSettings settings{{"Flows", std::to_string(flows)},
                                  {"Octets", "42000"},
                                  {"MessageSizes", "ns3::UniformRandomVariable[Min=980|Max=1420]"},
                                  {"Markers", "false"},
                                  {"Packing", "true"}};
        ScenarioResults aligned = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(aligned["rnic_memory_peak"], 0, "none if aligned");
        IWARP_COVERS("MPA-B.2-07");
        NS_TEST_EXPECT_MSG_EQ(aligned["rnic_op_crc_run"],
                              aligned["rnic_op_length_read"],
                              "a segment brings a whole FPDU");
        IWARP_COVERS("MPA-B.2-04");
        settings["Alignment"] = "false";
        ScenarioResults other = RunScenario(settings);
        peaks[flows] = other["rnic_memory_peak"];
        NS_TEST_EXPECT_MSG_GT(other["rnic_memory_peak"], 0, "some if not");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(other["rnic_memory_peak"],
                                    other["buffer_size_naf"],
                                    "K1 = K2 = 1 is an upper bound");
        IWARP_COVERS("MPA-B.2-05");
        NS_TEST_EXPECT_MSG_EQ(other["rnic_drops_memory_full"], 0, "no limit");
        if (flows > 1)
        {
            // an FPDU of F octets at random places touches 1 + (F - 1) / EMSS segments of EMSS
            const double segments = other["rnic_op_crc_run"] / other["rnic_op_length_read"];
            NS_TEST_EXPECT_MSG_EQ_TOL(segments,
                                      1 + (1220 - 1) / other["emss"],
                                      0.1,
                                      "about two segments an FPDU");
            IWARP_COVERS("MPA-B.2-04");
        }
    }
    // a line through the origin, but for the few that a small number of connections may be off
    const double slope = (peaks[200] - peaks[50]) / 150;
    NS_TEST_EXPECT_MSG_GT(slope, 0.25 * 1448, "K1 is of the order of 1");
    for (uint32_t flows : {25U, 100U})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(peaks[flows],
                                  peaks[50] + slope * (double(flows) - 50),
                                  0.15 * peaks[200],
                                  "a line, " << flows);
    }
    IWARP_COVERS("MPA-B.2-05");
}

/// A memory that an RNIC may have on chip does for aligned connections, and not for others.
class RnicScenarioOnChip : public RnicScenarioTest
{
  public:
    /// @param flows connections
    explicit RnicScenarioOnChip(uint32_t flows)
        : RnicScenarioTest("256 KiB on chip, connections:" + std::to_string(flows)),
          m_flows(flows)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioSettings settings{
            {"Flows", std::to_string(m_flows)},
            {"Octets", "42000"},
            {"MessageSizes", "ns3::UniformRandomVariable[Min=980|Max=1420]"},
            {"Rnic.ReassemblyMemory.Capacity", "262144"},
            // with so little memory most segments are sent in vain, most times
            {"DataRetries", "1000"},
            {"TimeLimit", "100000s"}};
        ScenarioResults aligned = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(aligned["rnic_octets_dropped"], 0, "aligned: enough");
        IWARP_COVERS("MPA-B.2-08");
        NS_TEST_EXPECT_MSG_EQ(aligned["payload_octets"], 42000.0 * m_flows, "all");
        settings["Alignment"] = "false";
        ScenarioResults other = RunScenario(settings);
        NS_TEST_EXPECT_MSG_GT(other["rnic_drops_memory_full"], 0, "not aligned: too few");
        IWARP_COVERS("MPA-B.2-08");
        NS_TEST_EXPECT_MSG_EQ(other["rnic_drops_memory_full"],
                              other["segments_dropped"],
                              "each is counted");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(other["rnic_memory_peak"], 262144, "never more");
        NS_TEST_EXPECT_MSG_GT(other["rnic_memory_peak"], 250000, "all of it");
        NS_TEST_EXPECT_MSG_EQ(other["payload_octets"], 42000.0 * m_flows, "and TCP recovers");
        NS_TEST_EXPECT_MSG_LT(other["goodput"], aligned["goodput"], "at a cost");
        NS_TEST_EXPECT_MSG_EQ(other["buffer_size_naf"],
                              (m_flows + 1) * other["emss"],
                              "what the formula says");
        IWARP_COVERS("MPA-B.2-06");
    }

    uint32_t m_flows; //!< connections
};

IWARP_TEST_CASES(rnicScenario)
{
    suite.AddTestCase(new RnicScenarioOnChip(550));
    suite.AddTestCase(new RnicScenarioOnChip(10000), IWARP_TEST_TAKES_FOREVER);
}

/// Jumbo frames, FPDUs in several segments out of order, and a memory for four of them: the reserve
/// is that of the link, so that connections do not wait for each other until TCP gives up.
IWARP_TEST(rnicScenario, "no deadlock in a small memory with an MTU of 9000", RnicScenarioTest)
{
    for (const char* seed : {"1", "3", "6"}) // of ten that were tried, these came to a halt
    {
        ScenarioSettings settings{{"Rnic", "t5-like"},
                                  {"Rnic.ReassemblyMemory.Capacity", "36000"},
                                  {"Mtu", "9000"},
                                  {"Seed", seed},
                                  {"Flows", "3"},
                                  {"Octets", "300000"},
                                  {"MessageSizes", "fixed:65536"},
                                  {"QueueDepth", "1"},
                                  {"Alignment", "false"},
                                  {"Markers", "false"},
                                  {"Packing", "false"},
                                  {"Reordering", "0.3"},
                                  {"ReorderingDelay", "5ms"}};
        for (const auto& [name, value] : ScenarioSettings{{"LinkRate", "10Gbps"},
                                                          {"AccessRate", "40Gbps"},
                                                          {"QueueSize", "1000p"},
                                                          {"SendBuffer", "4194304"},
                                                          {"ReceiveBuffer", "4194304"},
                                                          {"MinRto", "200ms"},
                                                          {"DelayedAck", "40ms"}})
        {
            settings[name] = value; // as where they were found
        }
        ScenarioResults results = RunScenario(settings);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(results["payload_octets"], 3 * 300000, seed);
        IWARP_COVERS("MPA-A.5.2-02");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(results["rnic_memory_peak"], 36000, seed);
        NS_TEST_EXPECT_MSG_GT(results["rnic_drops_memory_full"], 0, seed << ": it gets full");
    }
}

/// With a real adapter's times there are delays and the packet buffer is in use.
IWARP_TEST(rnicScenario, "profiles and settings reach the RNICs", RnicScenarioTest)
{
    const ScenarioSettings settings{{"Flows", "8"}, {"Octets", "100000"}};
    ScenarioResults ideal = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ(ideal["rnic_receive_delay_mean"], 0, "ideal");
    for (const char* profile : {"t5-like", "e810-like", "siw-like"})
    {
        ScenarioSettings real = settings;
        real["Rnic"] = profile;
        ScenarioResults results = RunScenario(real);
        NS_TEST_EXPECT_MSG_GT(results["rnic_receive_delay_mean"], 1e-7, profile);
        NS_TEST_EXPECT_MSG_GT(results["rnic_packet_buffer_peak"], 1500, profile);
        NS_TEST_EXPECT_MSG_LT(results["goodput"], ideal["goodput"], profile);
        real["Rnic.RxMac.TimePerPacket"] = "20us";
        ScenarioResults slow = RunScenario(real);
        NS_TEST_EXPECT_MSG_GT(slow["rnic_receive_delay_mean"],
                              results["rnic_receive_delay_mean"] + 20e-6,
                              "a setting over the profile");
    }
}

/// Verbs wait for doorbells, work requests, payload and completions.
struct RnicScenarioVerbs : RnicScenarioTest
{
    using RnicScenarioTest::RnicScenarioTest;

    /// @param test of perftest @param settings of the RNICs @return typical latency, ns
    double GetLatency(const std::string& test, ScenarioSettings settings)
    {
        settings.insert({{"Workload", "perf"},
                         {"PerfTest", test},
                         {"PerfSize", "64"},
                         {"PerfIterations", "50"},
                         {"Rnic", "ideal"}});
        ScenarioResults results = RunScenario(settings);
        return std::round(results["perf_t_typical"] * 1e9);
    }
};

IWARP_TEST(rnicScenario,
           "doorbell, WQE fetch, inline data, CQE and notification in latencies",
           RnicScenarioVerbs)
{
    for (const char* test : {"write_lat", "send_lat"})
    {
        const double ideal = GetLatency(test, {});
        NS_TEST_EXPECT_MSG_EQ(ideal,
                              GetLatency(test, {{"Rnic", "none"}}),
                              "an ideal RNIC takes no time");
        auto more = [&](const ScenarioSettings& settings) {
            return GetLatency(test, settings) - ideal;
        };
        NS_TEST_EXPECT_MSG_EQ(more({{"Rnic.HostInterface.DoorbellLatency", "1us"}}), 1000, test);
        NS_TEST_EXPECT_MSG_EQ(more({{"Rnic.HostInterface.ReadLatency", "1us"}}),
                              2000,
                              "WQE, then payload");
        NS_TEST_EXPECT_MSG_EQ(more({{"Rnic.HostInterface.ReadLatency", "1us"},
                                    {"Rnic.HostInterface.InlineLimit", "96"}}),
                              0,
                              "neither is read");
        NS_TEST_EXPECT_MSG_EQ(
            more({{"Rnic.TxBuild.TimePerPacket", "300ns"}, {"Rnic.TxBuild.Latency", "1us"}}),
            1300,
            test);
        NS_TEST_EXPECT_MSG_EQ(more({{"Rnic.HostInterface.WriteLatency", "1us"}}),
                              1000,
                              "data, and a CQE behind it");
        NS_TEST_EXPECT_MSG_EQ(more({{"Rnic.HostInterface.PollTime", "700ns"}}),
                              700,
                              "polls memory, or a queue");
        NS_TEST_EXPECT_MSG_EQ(
            more({{"Rnic.RxTcp.TimePerPacket", "300ns"}, {"Rnic.RxTcp.Latency", "1us"}}),
            1300,
            test);
    }
    const double ideal = GetLatency("send_lat", {});
    NS_TEST_EXPECT_MSG_EQ(GetLatency("send_lat",
                                     {{"Rnic.HostInterface.Notify", "Interrupt"},
                                      {"Rnic.HostInterface.InterruptTime", "3us"}}) -
                              ideal,
                          3000,
                          "interrupt");
    // octets and times on the wire of the workloads over verbs stay as they are
    for (const char* workload : {"rdma-write", "rdma-read", "send"})
    {
        ScenarioSettings settings{{"Flows", "3"}, {"Octets", "100000"}, {"Workload", workload}};
        ScenarioResults with = RunScenario(settings);
        settings["Rnic"] = "none";
        for (const auto& [name, value] : RunScenario(settings))
        {
            NS_TEST_EXPECT_MSG_EQ(with[name], value, workload << " " << name);
        }
        settings["Rnic"] = "t5-like";
        ScenarioResults real = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(real["payload_octets"], with["payload_octets"], workload);
        NS_TEST_EXPECT_MSG_GT(real["duration"], with["duration"], workload);
    }
}

/// What has come is there for programs once the RNIC has written it to host memory, whatever they
/// receive with.
IWARP_TEST(rnicScenario, "no workload takes more than the bus brings", RnicScenarioTest)
{
    for (const std::string workload : {"mpa", "send", "tls", "nvme-tcp"})
    {
        const ScenarioSettings bulk{{"Workload", workload},
                                    {"Octets", "2048000"},
                                    {"MessageSizes", "fixed:40960"},
                                    {"IwarpNvmeTcpWorkload.ReadShare", "1"},
                                    {"PlainTcp", "false"}};
        ScenarioSettings slow = bulk;
        slow["Rnic"] = "ideal";
        slow["Rnic.HostInterface.WriteRate"] = "1Gbps";
        ScenarioResults results = RunScenario(slow);
        NS_TEST_EXPECT_MSG_LT(results["goodput"], 1e9, workload << ": of the bus");
        NS_TEST_EXPECT_MSG_GT(results["goodput"], 0.85e9, workload << ": nearly all of it");
        // the next requests of NVMe are under way at the end
        const double more = workload == "nvme-tcp" ? 16 * 40960 : 0;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(results["payload_octets"], 2048000, workload);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(results["payload_octets"], 2048000 + more, workload);

        ScenarioSettings one = bulk;
        one["Octets"] = "1024";
        one["MessageSizes"] = "fixed:1024";
        one["Rnic"] = "t5-like";
        NS_TEST_EXPECT_MSG_EQ(RunScenario(one)["payload_octets"], 1024, workload);
        one["Rnic"] = "ideal";
        const auto time = [&](const char* latency, const char* value) {
            ScenarioSettings settings = one;
            settings[std::string("Rnic.HostInterface.") + latency] = value;
            ScenarioResults found = RunScenario(settings);
            return found[workload == "nvme-tcp" ? "nvme_read_latency_mean" : "message_time_mean"];
        };
        const double ideal = time("PollTime", "0s");
        // a command of NVMe and its data and response are seen by a program each
        const double times = workload == "nvme-tcp" ? 2 : 1;
        for (const char* latency : {"PollTime", "WriteLatency"})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(time(latency, "9us") - ideal, 9e-6 * times, 1e-8, workload);
        }
    }
}

/// Connections whose senders are not aligned share much less memory than they hold together, and
/// send on: all get on, the slower the less memory there is.
IWARP_TEST(rnicScenario, "unaligned connections get on with little memory", RnicScenarioTest)
{
    for (const char* markers : {"true", "false"})
    {
        double slower = 0; // goodput of less memory
        for (const char* memory : {"4000", "16000", "64000", "0"})
        {
            ScenarioResults results =
                RunScenario({{"Flows", "50"},
                             {"WarmUp", "30000"},
                             {"Octets", "30000"},
                             {"Loss", "0.01"},
                             {"Alignment", "false"},
                             {"Markers", markers},
                             {"MessageSizes", "ns3::UniformRandomVariable[Min=4096|Max=12289]"},
                             {"LinkRate", "10Gbps"},
                             {"SendBuffer", "131072"},
                             {"ReceiveBuffer", "32768"},
                             {"TimeLimit", "20s"},
                             {"Rnic.ReassemblyMemory.Capacity", memory}});
            NS_TEST_ASSERT_MSG_EQ(results.empty(), false, "all get on with " << memory);
            NS_TEST_EXPECT_MSG_GT(results["goodput"], 0.98 * slower, "memory of " << memory);
            IWARP_COVERS("MPA-A.5.2-02 MPA-A.5.2-04 MPA-A.5.2-05");
            slower = results["goodput"];
        }
    }
}

/// What does not fit is told before the run.
IWARP_TEST(rnicScenario, "bad parameters of RNICs are told before the run", RnicScenarioTest)
{
    const std::vector<std::pair<ScenarioSettings, std::string>> cases{
        {{{"Rnic.ReassemblyMemory.Capacity", "1500"}}, "Rnic.ReassemblyMemory.Capacity"},
        {{{"Rnic", "ideal"}, {"Rnic.ReassemblyMemory.Capacity", "139"}}, "ReassemblyMemory"},
        {{{"Rnic", "ideal"}, {"Rnic.ReassemblyMemory.Capacity", "2999"}},
         "Rnic.ReassemblyMemory.Capacity: 0, or at least two packets"},
        {{{"Rnic", "ideal"}, {"Rnic.ReassemblyMemory.PerConnection", "2999"}},
         "Rnic.ReassemblyMemory.PerConnection: 0, or at least two packets"},
        {{{"Rnic", "ideal"}, {"Rnic.PacketBuffer.Capacity", "2999"}},
         "Rnic.PacketBuffer.Capacity: 0, or at least two packets"},
        {{{"Rnic", "ideal"}, {"Mtu", "9000"}, {"Rnic.ReassemblyMemory.Capacity", "17999"}},
         "two packets of Mtu"},
        {{{"Rnic", "ideal"}, {"Rnic.RxMac.Rate", "1bps"}}, "RxMac"},
        {{{"HostPairs", "2"}}, "HostPairs"},
    };
    for (const auto& [settings, word] : cases)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_EXPECT_MSG_NE(scenario->Check().find(word), std::string::npos, word);
        NS_TEST_EXPECT_MSG_EQ(scenario->Check().find('\n'), std::string::npos, "one line");
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, word);
    }
    for (const auto& [mtu, octets] : ScenarioSettings{{"1500", "3000"}, {"9000", "18000"}})
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] :
             ScenarioSettings{{"Rnic", "ideal"},
                              {"Mtu", mtu},
                              {"Rnic.ReassemblyMemory.Capacity", octets},
                              {"Rnic.ReassemblyMemory.PerConnection", octets}})
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Check(), "", "two packets of " << mtu);
    }
    for (const auto& [name, value, word] : std::vector<std::array<std::string, 3>>{
             {"Rnic", "t9-like", "t5-like"},
             {"Rnic.Speed", "1", "Speed"},
             {"Rnic.RxTcp.TimePerPackt", "1us", "RxTcp.TimePerPacket"},
             {"Rnic.RxTcp.TimePerPacket", "soon", "Rnic.RxTcp.TimePerPacket"},
             {"Rnic.RxTcp.TimePerPacket", "", "Rnic.RxTcp.TimePerPacket"},
             {"Rnic.Receiver", "Magic", "Rnic.Receiver"}})
    {
        const auto problem = CreateObject<IwarpScenario>()->SetParameter(name, value);
        NS_TEST_EXPECT_MSG_NE(problem.find(word), std::string::npos, problem);
    }
}
