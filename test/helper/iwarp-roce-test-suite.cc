/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/error-model.h"
#include "ns3/iwarp-network.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

using namespace ns3;

namespace
{

/// RoCE-like transports in scenarios
IWARP_TEST_SUITE(iwarpRoce, "iwarp-roce");

using Settings = ScenarioSettings; //!< parameters and values
using Results = ScenarioResults;   //!< metrics

constexpr double WIRE_FRAME = 1500 + 38;         //!< octet times of a full packet, at most
constexpr double ROCE_HEADERS = 20 + 8 + 12 + 4; //!< octets of IPv4, UDP, BTH and ICRC
constexpr double ROCE_PAYLOAD =
    1500 - ROCE_HEADERS - 16; //!< of a full packet, with room for a RETH

/// Runs go-back-N and selective repeat over one link of 10 Gbit/s and 10 us.
class RoceTest : public ScenarioTestCase
{
  protected:
    explicit RoceTest(const std::string& name) //!< @param name of the case
        : ScenarioTestCase(name,
                           {{"Topology", "point-to-point"},
                            {"Flows", "1"},
                            {"LinkRate", "10Gbps"},
                            {"Delay", "10us"},
                            {"MessageSizes", "fixed:1440000"}, // 1000 full packets
                            {"Octets", "14400000"},
                            {"StartSpread", "0s"},
                            {"PlainTcp", "false"}})
    {
    }

    /// Write a distribution of sizes, half of 64 octets and half of 3000. @return its path
    std::string WriteSizes()
    {
        const std::string path = CreateTempDirFilename("sizes.csv");
        std::ofstream(path) << "64,0\n64,50\n3000,50\n3000,100\n";
        return path;
    }
};

/**
 * A window of W packets carries the lesser of what the link does and of W a round trip, in which a
 * full packet and its acknowledgement cross the link; the default window is the least that fills
 * it.
 */
IWARP_TEST(iwarpRoce, "The window and the rate", RoceTest)
{
    constexpr double C = 10e9 / 8;
    constexpr double packet =
        (ROCE_PAYLOAD + ROCE_HEADERS + 38) / C; // but for the first of a message
    // 26 octets of a frame are there before the gap; an acknowledgement is a least frame
    constexpr double trip = 20e-6 + (ROCE_PAYLOAD + ROCE_HEADERS + 26 + 64 + 8) / C;
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        for (const int window : {1, 4, 12, 64})
        {
            const auto found = RunScenario(
                {{"Workload", workload}, {"IwarpRoceWorkload.Window", std::to_string(window)}});
            const double rate = 8 * ROCE_PAYLOAD * std::min(1 / packet, window / trip);
            NS_TEST_EXPECT_MSG_EQ_TOL(found.at("goodput"), rate, 0.006 * rate, workload << window);
            NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), 0, "nothing is lost");
            NS_TEST_EXPECT_MSG_EQ(found.at("segments_sent"), 10000, "packets");
        }
        const auto found = RunScenario({{"Workload", workload}});
        NS_TEST_EXPECT_MSG_EQ(found.at("roce_window"),
                              std::ceil((trip + 16 / C) * C / WIRE_FRAME),
                              "one bandwidth-delay product");
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("goodput"),
                                  8 * ROCE_PAYLOAD / packet,
                                  0.006 * 8 * ROCE_PAYLOAD / packet,
                                  "fills the link");
    }
}

/**
 * Under random loss selective repeat sends again what is lost, p / (1 - p) of it, and go-back-N up
 * to a window for each loss; all arrives.
 */
IWARP_TEST(iwarpRoce, "Loss", RoceTest)
{
    const Settings common{{"Loss", "0.01"}, {"ImpairmentDirection", "data"}};
    for (const std::string ipv6 : {"false", "true"})
    {
        Settings selective = common;
        selective["Workload"] = "selective-repeat";
        selective["Ipv6"] = ipv6;
        auto found = RunScenario(selective);
        const double again = found.at("retransmitted_octets") / found.at("payload_octets");
        NS_TEST_EXPECT_MSG_EQ_TOL(again, 0.01 / 0.99, 0.003, "what is lost");
        NS_TEST_EXPECT_MSG_GT(found.at("roce_early"), 0, "placed out of order");
        Settings back = common;
        back["Workload"] = "go-back-n";
        back["Ipv6"] = ipv6;
        found = RunScenario(back);
        const double more = found.at("retransmitted_octets") / found.at("payload_octets");
        const double window = found.at("roce_window");
        NS_TEST_EXPECT_MSG_EQ_TOL(more, 0.0101 * window, 0.15 * 0.01 * window, "a window each");
        NS_TEST_EXPECT_MSG_EQ(found.at("roce_early"), 0, "nothing out of order");
    }
}

/// Messages alone take what links and headers do, with and without an RNIC's host interface.
/// What has come before, or out of turn where that is not kept, does not go to host memory: with
/// loss as many octets do as without.
IWARP_TEST(iwarpRoce, "What is sent again is written once", RoceTest)
{
    for (const char* workload : {"go-back-n", "selective-repeat"})
    {
        const auto run = [this, workload](const char* loss) {
            return RunScenario({{"Workload", workload}, {"Rnic", "t5-like"}, {"Loss", loss}});
        };
        auto calm = run("0");
        auto lossy = run("0.01");
        NS_TEST_EXPECT_MSG_GT(lossy["retransmitted_octets"], 1e5, workload << ": some is");
        NS_TEST_EXPECT_MSG_EQ(lossy["rnic_octets_to_host"], calm["rnic_octets_to_host"], workload);
    }
}

IWARP_TEST(iwarpRoce, "A server that nothing is heard of", RoceTest)
{
    for (const char* window : {"0s", "10ms"})
    {
        Settings settings{{"Workload", "go-back-n"}, {"Loss", "1"}, {"RoceClient.RetryCount", "3"}};
        if (std::string(window) != "0s")
        {
            settings.insert({{"ArrivalWindow", window}, {"Load", "0.1"}});
        }
        const auto scenario = Make(settings);
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "it fails");
        NS_TEST_EXPECT_MSG_NE(scenario->GetError().find("RetryCount"),
                              std::string::npos,
                              scenario->GetError());
    }
}

IWARP_TEST(iwarpRoce, "Messages alone", RoceTest)
{
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        for (const int size : {100, 10000, 1000000})
        {
            const Settings settings{{"Workload", workload},
                                    {"MessageSizes", "fixed:" + std::to_string(size)},
                                    {"Octets", std::to_string(10 * size)},
                                    {"Intervals", "fixed:0.01"}};
            const auto found = RunScenario(settings);
            // packets are up to 16 octets shorter than they could be, for the RETH
            NS_TEST_EXPECT_MSG_EQ_TOL(found.at("slowdown_p99"), 1.01, 0.0101, workload << size);
            NS_TEST_EXPECT_MSG_EQ(found.at("timeouts"), 0, "none");
            Settings host = settings;
            host["Rnic"] = "t5-like";
            const auto there = RunScenario(host);
            const double more = there.at("message_time_mean") - found.at("message_time_mean");
            NS_TEST_EXPECT_MSG_GT(more, 0.5e-6, "doorbell, read, write and completion");
            NS_TEST_EXPECT_MSG_LT(more, 20e-6, "overlap with the link");
            NS_TEST_EXPECT_MSG_EQ(there.at("rnic_memory_peak"), 0, "no reassembly memory");
        }
    }
    const auto marking = Make({{"Workload", "go-back-n"}, {"QueueDisc", "threshold"}});
    NS_TEST_EXPECT_MSG_EQ(marking->Run(), true, marking->GetError());
    NS_TEST_EXPECT_MSG_EQ(marking->GetCautions().size(), 0U, "its packets are ECN-capable");
    const auto backed = Make({{"Workload", "go-back-n"}, {"Backed", "true"}});
    NS_TEST_EXPECT_MSG_EQ(backed->Run(), false, "no content");
    NS_TEST_EXPECT_MSG_EQ(backed->GetError().rfind("Backed: ", 0), 0U, backed->GetError());
}

/// What comes with the doorbell is not read from host memory when it is sent first, and is when it
/// is sent again; packets of a connection stay in order.
IWARP_TEST(iwarpRoce, "Payload that comes with the doorbell", RoceTest)
{
    const auto time = [this](const std::string& workload, const Settings& more) {
        Settings settings{{"Workload", workload},
                          {"MessageSizes", "fixed:64"},
                          {"Octets", "640"},
                          {"Intervals", "fixed:0.01"}};
        settings.insert(more.begin(), more.end());
        return RunScenario(settings).at("message_time_mean");
    };
    const Settings reads{{"Rnic", "ideal"}, {"Rnic.HostInterface.ReadLatency", "1us"}};
    Settings inlined = reads;
    inlined["Rnic.HostInterface.InlineLimit"] = "64";
    Settings above = reads;
    above["Rnic.HostInterface.InlineLimit"] = "63";
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        const double none = time(workload, {});
        NS_TEST_EXPECT_MSG_EQ_TOL(time(workload, reads), none + 2e-6, 1e-10, "WQE and payload");
        NS_TEST_EXPECT_MSG_EQ_TOL(time(workload, above), none + 2e-6, 1e-10, "an octet too many");
        NS_TEST_EXPECT_MSG_EQ_TOL(time(workload, inlined), none, 1e-10, "neither is read");
        // the first packet of all is lost, and sent again
        const auto lose = [&](Settings settings) {
            settings.insert({{"Workload", workload},
                             {"MessageSizes", "fixed:64"},
                             {"Octets", "64"},
                             {"Intervals", "fixed:0.01"}});
            const auto scenario = Make(settings);
            scenario->SetObserver([](IwarpNetwork& network) {
                const auto first = CreateObject<ReceiveListErrorModel>();
                first->SetList({0});
                network.GetHostDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(first));
            });
            return Measure(scenario).at("message_time_mean");
        };
        NS_TEST_EXPECT_MSG_EQ_TOL(lose(inlined), lose({}) + 1e-6, 1e-10, "read to be sent again");
    }
    // a message that needs no read waits for the packets of the one before it, which do
    const auto found = RunScenario({{"Workload", "go-back-n"},
                                    {"MessageSizes", "cdf:" + WriteSizes()},
                                    {"Octets", "1000000"},
                                    {"Rnic", "ideal"},
                                    {"Rnic.HostInterface.ReadLatency", "1us"},
                                    {"Rnic.HostInterface.InlineLimit", "64"}});
    NS_TEST_EXPECT_MSG_EQ(found.at("roce_naks"), 0, "in order");
    NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), 0, "none is sent again");
}

/// Where the last packet of a message is lost, no later one tells: at most 3 packets are under way
/// then, and the sender waits for the short timeout alone (SIGCOMM 2018, IRN, section 3.1), though
/// it has waited for the long one before.
IWARP_TEST(iwarpRoce, "The end of a message is lost", RoceTest)
{
    constexpr uint32_t PACKETS = 200;
    const double size = PACKETS * ROCE_PAYLOAD;
    const auto scenario = Make({{"Workload", "selective-repeat"},
                                {"MessageSizes", "fixed:" + std::to_string(int(size))},
                                {"Octets", std::to_string(int(size))},
                                {"Intervals", "fixed:0.01"},
                                {"IwarpRoceWorkload.Timeout", "10ms"},
                                {"IwarpRoceWorkload.ShortTimeout", "100us"}});
    scenario->SetObserver([](IwarpNetwork& network) {
        const auto last = CreateObject<ReceiveListErrorModel>();
        last->SetList({PACKETS - 1});
        network.GetHostDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(last));
    });
    const auto found = Measure(scenario);
    NS_TEST_EXPECT_MSG_EQ(found.at("timeouts"), 1, "one");
    NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), ROCE_PAYLOAD, "of the last packet");
    const double alone = PACKETS * WIRE_FRAME * 8 / 10e9 + 10e-6;
    NS_TEST_EXPECT_MSG_GT(found.at("message_time_mean"), alone + 100e-6, "the short timeout");
    NS_TEST_EXPECT_MSG_LT(found.at("message_time_mean"), alone + 200e-6, "and a round trip");
}

/**
 * Several flows, all-to-all on a leaf-spine at a load and an incast into shallow queues: all
 * arrives.
 */
IWARP_TEST(iwarpRoce, "All-to-all and incast", RoceTest)
{
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        const Settings load{{"Workload", workload},
                            {"Topology", "leaf-spine"},
                            {"Leaves", "2"},
                            {"Spines", "2"},
                            {"HostsPerLeaf", "2"},
                            {"Pattern", "all-to-all"},
                            {"MessageSizes", "fixed:20000"},
                            {"Octets", "400000"},
                            {"AccessRate", "10Gbps"},
                            {"QueueDepth", "100"},
                            {"Load", "0.5"}};
        auto found = RunScenario(load);
        NS_TEST_EXPECT_MSG_GT(found.at("slowdown_p50"), 1, "others are in the way");
        NS_TEST_EXPECT_MSG_LT(found.at("slowdown_p50"), 4, "at half the load");
        const Settings incast{{"Workload", workload},
                              {"Topology", "star"},
                              {"Pattern", "incast"},
                              {"IncastSenders", "8"},
                              {"Octets", "1440000"},
                              {"AccessRate", "10Gbps"},
                              {"AccessDelay", "1us"},
                              {"QueueSize", "20p"}};
        found = RunScenario(incast);
        NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 8 * 1440000, "all");
        NS_TEST_EXPECT_MSG_GT(GetQueueDrops(found).value_or(1),
                              0,
                              "eight windows do not fit the queue");
    }
}

/**
 * Where a bandwidth-delay product is more than half of what 24 bits of PSN tell apart the window
 * ends there; the largest datagram of IP, 65,535 octets, is full of payload but for its headers.
 */
IWARP_TEST(iwarpRoce, "The longest path and the largest MTU", RoceTest)
{
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        // 13 million packets, and more than 32 bits count
        for (const std::string rate : {"10Gbps", "4000Gbps"})
        {
            const auto found = RunScenario({{"Workload", workload},
                                            {"Octets", "14400"},
                                            {"Delay", "8s"},
                                            {"LinkRate", rate},
                                            {"Duration", "0s"},
                                            {"TimeLimit", "100s"}});
            NS_TEST_EXPECT_MSG_EQ(found.at("roce_window"), 1 << 22, "packets, " << rate);
            NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 14400, "all");
        }
        for (const bool ipv6 : {false, true})
        {
            const auto found = RunScenario({{"Workload", workload},
                                            {"MessageSizes", "fixed:654720"},
                                            {"Octets", "654720"},
                                            {"Ipv6", ipv6 ? "true" : "false"},
                                            {"Mtu", "65535"}});
            // 65,535 - 20 - 8 - 12 - 4 - 16 octets, less what is no whole word; IPv6: 20 less
            NS_TEST_EXPECT_MSG_EQ(found.at("segments_sent"), (ipv6 ? 11 : 10), "packets");
            NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 654720, "all");
        }
    }
}

} // namespace
