/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <string>

using namespace ns3;

namespace
{

/// What an adversary achieves in scenarios.
IWARP_TEST_SUITE(iwarpAdversary, "iwarp-adversary", TestSuite::Type::SYSTEM);

constexpr uint32_t PREY_FLOWS = 4;       //!< connections
constexpr uint32_t PREY_OCTETS = 300000; //!< of each

const ScenarioSettings BLIND_DEEDS{{"PathAdversaryMiddlebox.IcmpTooBig", "0.1"},
                                   {"PathAdversaryMiddlebox.IcmpUnreachable", "0.1"},
                                   {"PathAdversaryMiddlebox.IcmpQuote", "Guessed"},
                                   {"PathAdversaryMiddlebox.ResetOutside", "0.1"},
                                   {"PathAdversaryMiddlebox.ResetInside", "0.1"},
                                   {"PathAdversaryMiddlebox.Repeat", "0.1"}};

/// Flows past an adversary.
struct AdversaryScenarioTest : ScenarioTestCase
{
    /// @param title of the case
    explicit AdversaryScenarioTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "dumbbell"},
                            {"Flows", std::to_string(PREY_FLOWS)},
                            {"Octets", std::to_string(PREY_OCTETS)},
                            {"MessageSizes", "fixed:30000"},
                            {"Backed", "true"},
                            {"PlainTcp", "false"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "1ms"},
                            {"TolerateLost", "true"},
                            {"Middlebox", "adversary"},
                            {"PathAdversaryMiddlebox.Begin", "1ms"},
                            {"StartSpread", "10us"},
                            {"LinkRate", "1Gbps"}})
    {
    }

    /// All octets come, and right, of all connections. @param settings of the scenario @param text
    /// says which it is
    void CheckUnharmed(ScenarioSettings settings, const std::string& text)
    {
        auto found = RunScenario(settings);
        NS_TEST_EXPECT_MSG_GT(found["adversary_acts"], 20, text << ": there were some");
        NS_TEST_EXPECT_MSG_EQ(found.at("connections_lost"), 0, text << ": all stand");
        NS_TEST_EXPECT_MSG_EQ(found["content_errors"], 0, text << ": octets");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(found["payload_octets"],
                                    PREY_FLOWS * PREY_OCTETS,
                                    text << ": all");
        const double clear = found.count("esp_packets") > 0 ? found.at("esp_clear") : 0;
        NS_TEST_EXPECT_MSG_EQ(clear, 0, text << ": nothing in clear");
    }
};

} // namespace

/// Who sees no packets does no harm to TCP (RFC 5961 section 3, RFC 5927 section 4).
IWARP_TEST(iwarpAdversary, "without IPsec, blind", AdversaryScenarioTest)
{
    for (const char* workload : {"mpa", "rdma-write", "nvme-tcp"})
    {
        auto settings = BLIND_DEEDS;
        settings["Workload"] = workload;
        if (std::string(workload) == "nvme-tcp")
        {
            settings.insert({{"NvmeReadShare", "0"}});
        }
        CheckUnharmed(settings, workload);
    }
}

/// Who sees them ends connections, and without CRC changes what they carry.
IWARP_TEST(iwarpAdversary, "without IPsec, on the path", AdversaryScenarioTest)
{
    auto reset = RunScenario({{"PathAdversaryMiddlebox.ResetExact", "0.002"}});
    NS_TEST_EXPECT_MSG_GT(reset.at("connections_lost"), 0, "ended by a reset");
    NS_TEST_EXPECT_MSG_LT(reset["payload_octets"], PREY_FLOWS * PREY_OCTETS, "not all comes");
    NS_TEST_EXPECT_MSG_EQ(reset["content_errors"], 0, "what comes is right");

    const ScenarioSettings change{{"PathAdversaryMiddlebox.Change", "0.002"}};
    auto changed = RunScenario(change);
    NS_TEST_EXPECT_MSG_GT(changed.at("connections_lost"), 0, "ended by MPA's CRC");
    NS_TEST_EXPECT_MSG_EQ(changed["content_errors"], 0, "none of it comes");
    auto unchecked = change;
    unchecked.insert({{"Crc", "false"}, {"Markers", "false"}});
    NS_TEST_EXPECT_MSG_GT(RunScenario(unchecked)["content_errors"], 0, "without CRC it does");

    auto strict = change;
    strict["TolerateLost"] = "false";
    NS_TEST_EXPECT_MSG_EQ(Make(strict)->Run(), false, "a run that needs all of them fails");
    NS_TEST_EXPECT_MSG_EQ(Make({{"WarmUp", "1000"}})->Check().substr(0, 13),
                          "TolerateLost:",
                          "a warm-up needs all of them");
    NS_TEST_EXPECT_MSG_EQ(Make({{"Workload", "rounds"}})->Check().substr(0, 13),
                          "TolerateLost:",
                          "a round waits for all of them");
    // both are lost: until then is what they carried
    const auto lost = RunScenario({{"Workload", "rdma-read"},
                                   {"Topology", "star"},
                                   {"Flows", "2"},
                                   {"Octets", "1000000"},
                                   {"MiddleboxPlace", "sender"},
                                   {"PathAdversaryMiddlebox.Begin", "0s"},
                                   {"PathAdversaryMiddlebox.Change", "0.002"},
                                   {"Seed", "2"}});
    NS_TEST_EXPECT_MSG_EQ(lost.at("connections_lost"), 2, "by MPA's CRC");
    NS_TEST_EXPECT_MSG_EQ_TOL(lost.at("goodput"),
                              8 * lost.at("payload_octets") / lost.at("duration"),
                              1,
                              "by definition");
}

/// With ESP he changes nothing, whatever he does and wherever it is (RFC 4303 section 1).
IWARP_TEST(iwarpAdversary, "with IPsec", AdversaryScenarioTest)
{
    ScenarioSettings all = BLIND_DEEDS;
    all["PathAdversaryMiddlebox.IcmpQuote"] = "Real";
    all.insert({{"PathAdversaryMiddlebox.ResetExact", "0.1"},
                {"PathAdversaryMiddlebox.ForgeData", "0.1"},
                {"PathAdversaryMiddlebox.Change", "0.01"},
                {"PathAdversaryMiddlebox.MixFragments", "0.01"},
                {"PathAdversaryMiddlebox.RepeatIke", "0.3"},
                {"PathAdversaryMiddlebox.WithholdIke", "0.05"},
                {"PathAdversaryMiddlebox.RepeatOldEsp", "0.1"},
                {"KeyExchange", "true"},
                {"AssociationPackets", "200"}});
    for (const char* place : {"transport", "tunnel", "gateway", "nested"})
    {
        for (const char* real : {"false", "true"})
        {
            auto settings = all;
            settings.insert({{"Ipsec", place}, {"IpsecReal", real}});
            CheckUnharmed(settings, std::string(place) + ", real " + real);
        }
    }
    all.insert({{"Ipsec", "transport"}});
    all["Topology"] = "leaf-spine"; // where a packet meets two, and one sees what the other forges
    CheckUnharmed(all, "two of them");
}
