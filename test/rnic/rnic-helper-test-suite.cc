/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/rnic-esp-profile.h"
#include "ns3/rnic-figure-range.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"
#include "ns3/rnic-server-stage.h"
#include "ns3/rnic-tcp-profile.h"

#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace rnictest;

IWARP_TEST_SUITE(rnicHelper, "rnic-helper");

/// Profiles: figures exist, say where they are from, and meet what they were fitted to.
struct RnicProfileFigures : TestCase
{
    using TestCase::TestCase;

    /// A table of doc/tables has the figures, as bench/rnic-figures writes it. @param file its name
    /// @param names of profiles @param get reads the figures of one
    void CheckTable(const std::string& file,
                    const std::vector<std::string>& names,
                    std::vector<RnicFigure> (*get)(const std::string&))
    {
        std::ifstream table(std::string(IWARP_SOURCE_DIR) + "/doc/tables/" + file);
        std::string line;
        std::getline(table, line);
        for (const auto& name : names)
        {
            for (const auto& figure : get(name))
            {
                const RnicFigureRange range = GetPlausibleRange(figure);
                std::getline(table, line);
                NS_TEST_EXPECT_MSG_EQ(line,
                                      name + "," + figure.path + "," + figure.value + "," +
                                          range.low + "," + range.high + "," +
                                          RnicProfile::ToString(figure.sure) + ",\"" +
                                          figure.source + "\"",
                                      file);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(std::getline(table, line).eof(), true, "and no more");
    }
};

IWARP_TEST(rnicHelper, "tables of documentation have the figures of profiles", RnicProfileFigures)
{
    CheckTable("rnic-profiles.csv", RnicProfile::GetNames(), &RnicProfile::Get);
    CheckTable("tcp-profiles.csv", RnicTcpProfile::GetNames(), &RnicTcpProfile::Get);
    auto esp = RnicEspProfile::GetNames();
    esp.emplace_back("key exchange");
    CheckTable("esp-profiles.csv", esp, [](const std::string& name) {
        return name == "key exchange" ? RnicEspProfile::GetKeyExchange()
                                      : RnicEspProfile::Get(name);
    });
}

IWARP_TEST(rnicHelper,
           "profiles name attributes and sources; t5-like meets latency and message rate",
           RnicProfileFigures)
{
    for (const auto& name : RnicProfile::GetNames())
    {
        RnicDesign design;
        std::set<std::string> seen;
        for (const auto& figure : RnicProfile::Get(name))
        {
            NS_TEST_EXPECT_MSG_EQ(design.Set(figure.path, StringValue(figure.value)), "", name);
            NS_TEST_EXPECT_MSG_EQ(seen.insert(figure.path).second, true, "once");
            NS_TEST_EXPECT_MSG_GT(figure.source.size(), 5, "a source or a reason");
        }
        const auto path = RnicProfile::GetDesign(name).Make();
        NS_TEST_EXPECT_MSG_EQ(path->Check(), "", name);
        NS_TEST_EXPECT_MSG_EQ(path->IsIdeal(), (name == "ideal"), name);
    }
    NS_TEST_EXPECT_MSG_EQ(RnicProfile::Has("t6"), false, "unknown");
    NS_TEST_EXPECT_MSG_EQ(RnicProfile::Get("t6").size(), 0, "unknown");

    // a 64-octet RDMA Write: 14 DDP, 2 length, 4 CRC, 20 TCP, 20 IP, 18 Ethernet
    const uint32_t payload = 64 + 14 + 2 + 4;
    const uint32_t frame = payload + 58;
    RnicOps ops;
    ops.lengthRead = ops.crcRun = ops.copy = 1;
    ops.crcOctets = payload;
    RnicRate wire(40'000'000'000);
    const RnicDesign design = RnicProfile::GetDesign("t5-like");
    const auto sender = StartPath(design);
    const auto receiver = StartPath(design);
    RnicConnectionState a;
    RnicConnectionState b;
    auto once = [&](RnicTime now) {
        sender->GetQueuePairs().Ring(now, a.sends, 1, 64, false, 0);
        const RnicTime begin = sender->GetQueuePairs().Begin(now, a.sends, 1);
        const RnicTime out = Transmit(*sender, begin, a, frame, payload, payload);
        const auto arrival = Receive(*receiver, out + wire.Serve(frame + 20), b, frame);
        return Place(*receiver, arrival, ops, {{64, 0, 0}}).seen - now;
    };
    once(0); // caches are warm afterwards
    const double latency = static_cast<double>(once(100'000'000)) * 1e-6;
    NS_TEST_EXPECT_MSG_EQ_TOL(latency, 2.89, 0.0289, "latency in us, SIGCOMM 2018");
    const uint32_t n = 10000;
    RnicTime out = 0;
    const RnicTime start = 200'000'000;
    RnicTime begin = start;
    for (uint32_t i = 0; i < n; ++i)
    {
        begin = sender->GetQueuePairs().Begin(begin, a.sends, n - i);
        out = Transmit(*sender, begin, a, frame, payload, payload);
    }
    const double rate = n / (static_cast<double>(out - start) * 1e-6);
    NS_TEST_EXPECT_MSG_EQ_TOL(rate, 3.24, 0.0324, "million messages a second, SIGCOMM 2018");
}

/// Attributes by path and text: what is wrong is told before the run.
IWARP_TEST(rnicHelper, "paths and texts of a user are set, or told to be wrong in one line")
{
    RnicHelper helper("t5-like");
    for (const auto& [path, value, words] :
         std::vector<std::tuple<std::string, std::string, std::string>>{
             {"RxTcp.TimePerPacket", "150ns", ""},
             {"HostInterface.ReadTags", "32", ""},
             {"ReassemblyMemory.Capacity", "140", ""},
             {"Framing", "ppp", ""},
             {"Receiver", "StoreAndForward", ""},
             {"RxTcp.Engines", "0", "RxTcp.Engines: '0' is not allowed"},
             {"HostInterface.ReadTags", "0", "not allowed"},
             {"RxTcp.TimePerPacket", "2s", "not allowed"},
             {"RxTcp.TimePerPacket", "soon", "not allowed"},
             {"Receiver", "Magic", "FlowThrough"},
             {"RxTcp.TimePerPackets", "1ns", "near are RxTcp.TimePerPacket"},
             {"rxtcp.engines", "1", "near are RxTcp.Engines"},
             {"ReadTags", "1", "near are HostInterface.ReadTags"},
             {"Speed", "1", "an RNIC has no attribute 'Speed'"},
             {"RxCrc.Parallel", "true", "no attribute"}}) // not with StoreAndForward
    {
        const std::string problem = helper.SetFromText(path, value);
        NS_TEST_EXPECT_MSG_EQ(problem.empty(), words.empty(), path << ": " << problem);
        NS_TEST_EXPECT_MSG_NE(problem.find(words), std::string::npos, problem);
        NS_TEST_EXPECT_MSG_EQ(problem.find('\n'), std::string::npos, "one line");
    }
    NS_TEST_EXPECT_MSG_EQ(helper.Check(), "", "all of it is good");
    NS_TEST_EXPECT_MSG_EQ(helper.SetFromText("ReassemblyMemory.Capacity", "139"), "", "text");
    NS_TEST_EXPECT_MSG_NE(helper.Check().find("ReassemblyMemory"), std::string::npos, "not 139");
    auto value = [&helper](const std::string& path) {
        for (const auto& setting : helper.GetSettings())
        {
            if (setting.path == path)
            {
                return setting.value;
            }
        }
        return std::string("none");
    };
    NS_TEST_EXPECT_MSG_EQ(value("HostInterface.ReadTags"), "32", "set");
    NS_TEST_EXPECT_MSG_EQ(value("Framing"), "ppp", "of Rnic itself");
    NS_TEST_EXPECT_MSG_EQ(value("Receiver"), "StoreAndForward", "kind");
    NS_TEST_EXPECT_MSG_EQ(value("RxCrc.Parallel"), "none", "needs octets that stream");
    NS_TEST_EXPECT_MSG_EQ(value("HostInterface.InlineLimit"), "64", "the profile's");
    helper.SetFromText("Receiver", "FlowThrough");
    NS_TEST_EXPECT_MSG_EQ(value("RxCrc.Parallel"), "true", "the profile's again");
}

/// What can be set is listed, each with help, range and a value that can be set.
IWARP_TEST(rnicHelper, "the list of what can be set is complete")
{
    for (const auto& profile : RnicProfile::GetNames())
    {
        RnicHelper helper(profile);
        std::set<std::string> paths;
        for (const auto& setting : RnicHelper::ListSettings(profile))
        {
            NS_TEST_EXPECT_MSG_EQ(paths.insert(setting.path).second, true, setting.path);
            NS_TEST_EXPECT_MSG_GT(setting.info.help.size(), 10, setting.path);
            NS_TEST_EXPECT_MSG_EQ(helper.SetFromText(setting.path, setting.value),
                                  "",
                                  setting.path);
        }
        for (const auto& figure : RnicProfile::Get(profile))
        {
            NS_TEST_EXPECT_MSG_EQ(paths.count(figure.path), 1, figure.path);
        }
        const bool software = profile == "siw-like" || profile == "connectx7-like";
        NS_TEST_EXPECT_MSG_EQ(paths.count("RxTcp.TimePerPacket"), (software ? 0 : 1), profile);
        NS_TEST_EXPECT_MSG_EQ(paths.count("TxPace.Interval"), 1, profile);
        NS_TEST_EXPECT_MSG_EQ(paths.count("Cpu.Cores"), 1, profile);
    }
}

/// A stage of the user's.
class RnicTestStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RnicTestStage")
                                .SetParent<RnicServerStage>()
                                .AddConstructor<RnicTestStage>();
        return tid;
    }

    void Serve(RnicSegment& segment) override
    {
        segment.frame += 100; // as inline ESP makes it longer
        RnicServerStage::Serve(segment);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RnicTestStage);

/// Stages of the user's: the ones behind them serve what is really there.
IWARP_TEST(rnicHelper, "a stage that makes frames longer is paid for by the MAC behind it")
{
    RnicDesign design = MakeDesign("TxMac.Rate=8Gbps"); // 1 ns an octet
    const std::string type = "ns3::RnicTestStage";
    NS_TEST_EXPECT_MSG_EQ(design.AddStage(RnicPipelineKind::TRANSMIT, "TxEsp", type, "TxMac"),
                          "",
                          "add");
    NS_TEST_EXPECT_MSG_EQ(design.Set("TxEsp.TimePerPacket", StringValue("50ns")), "", "figure");
    RnicConnectionState connection;
    auto path = StartPath(design);
    NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 0, connection, 1000, 900), 50'000 + 1'100'000, "both");
    // also with another kind of receiver, if the stage before which it stands is there
    design.SetReceiver(RnicReceiver::STORE_AND_FORWARD);
    RnicConnectionState other;
    path = StartPath(design);
    NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 0, other, 1000, 900), 50'000 + 1'100'000, "kept");
    NS_TEST_EXPECT_MSG_NE(design.AddStage(RnicPipelineKind::TRANSMIT, "TxEsp", type), "", "twice");
    NS_TEST_EXPECT_MSG_NE(design.AddStage(RnicPipelineKind::TRANSMIT, "A", type, "B"),
                          "",
                          "before what");
    NS_TEST_EXPECT_MSG_NE(design.AddStage(RnicPipelineKind::RECEIVE, "A", type, "TxMac"),
                          "",
                          "way");
    NS_TEST_EXPECT_MSG_NE(design.AddStage(RnicPipelineKind::RECEIVE, "A", "ns3::Node"),
                          "",
                          "no stage");
}
