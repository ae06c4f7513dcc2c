/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of what receivers of any kind hand up.
IWARP_TEST_SUITE(receiverContent, "receiver-content", TestSuite::Type::SYSTEM);

constexpr uint32_t CONTENT_SIZE = 40'960; //!< octets of a message: 80 blocks
constexpr uint32_t CONTENT_MESSAGES = 10; //!< of each flow
constexpr uint32_t CONTENT_FLOWS = 2;     //!< in a run

/// Records of one protocol into an RNIC of one kind.
class ReceiverContentTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit ReceiverContentTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"Backed", "true"},
                            {"Rnic", "connectx7-like"},
                            {"Flows", std::to_string(CONTENT_FLOWS)},
                            {"Octets", std::to_string(CONTENT_MESSAGES * CONTENT_SIZE)},
                            {"MessageSizes", "fixed:" + std::to_string(CONTENT_SIZE)},
                            {"PlainTcp", "false"},
                            {"DelayedAck", "1ms"},
                            {"MinRto", "10ms"}})
    {
    }

    /// Run over paths that lose, reorder, copy and cut, with senders of both kinds. @param
    /// receiver its settings @param offloads the RNIC works on records beside TCP
    void Check(const ScenarioSettings& receiver, bool offloads)
    {
        const ScenarioSettings bad{{"Loss", "0.01"},
                                   {"Reordering", "0.03"},
                                   {"Duplication", "0.01"},
                                   {"LinkRate", "1Gbps"}};
        auto cut = bad;
        cut.insert(
            {{"Middlebox", "resegmenting"}, {"PathResegmentingMiddlebox.MaxPayload", "700"}});
        auto merged = bad;
        merged.insert({{"Middlebox", "resegmenting"},
                       {"PathResegmentingMiddlebox.CoalesceSize", "5000"},
                       {"PathResegmentingMiddlebox.HoldTime", "20us"},
                       {"PathResegmentingMiddlebox.MaxPayload", "900"}});
        for (const auto& path : {bad, cut, merged})
        {
            for (const std::string alignment : {"true", "false"})
            {
                ScenarioSettings settings = receiver;
                settings.insert(path.begin(), path.end());
                settings["Alignment"] = alignment;
                auto found = RunScenario(settings);
                NS_TEST_EXPECT_MSG_EQ(found["content_errors"], 0, "octets as they were sent");
                NS_TEST_EXPECT_MSG_GT_OR_EQ(found["messages"],
                                            CONTENT_FLOWS * CONTENT_MESSAGES,
                                            "all come");
                NS_TEST_EXPECT_MSG_GT(found["retransmitted_octets"], 0, "some twice");
                if (offloads)
                {
                    NS_TEST_EXPECT_MSG_GT(found["rnic_offload_share"], 0, "some by the adapter");
                    NS_TEST_EXPECT_MSG_LT(found["rnic_offload_share"], 1, "some by CPUs");
                }
            }
        }
    }

    /// Check receivers that hand up octets in order. @param records of which protocol
    void CheckStreams(const ScenarioSettings& records)
    {
        for (const std::string resync : {"Scan", "Software"})
        {
            auto settings = records;
            settings.insert({{"Rnic.Receiver", "Autonomous"}, {"Rnic.RxRecords.Resync", resync}});
            Check(settings, resync == "Scan");
        }
        for (const std::string receiver : {"HostSoftware", "StoreAndForward"})
        {
            auto settings = records;
            settings["Rnic.Receiver"] = receiver;
            Check(settings, false);
        }
    }
};

} // namespace

/// @brief Contents of records of TLS are what was written, whatever the receiver had to do.
IWARP_TEST(receiverContent, "TLS", ReceiverContentTest)
{
    CheckStreams({{"Workload", "tls"}});
}

/// @brief Data of NVMe/TCP are what was written.
IWARP_TEST(receiverContent, "NVMe over TCP", ReceiverContentTest)
{
    CheckStreams({{"Workload", "nvme-tcp"}, {"NvmeReadShare", "0"}});
}

/// @brief FPDUs' payload is where it belongs, with Markers and without, in RNICs that place and in
/// others.
IWARP_TEST(receiverContent, "MPA", ReceiverContentTest)
{
    for (const std::string receiver : {"FlowThrough", "StoreAndForward", "HostSoftware"})
    {
        for (const std::string markers : {"true", "false"})
        {
            Check({{"Workload", "mpa"}, {"Rnic.Receiver", receiver}, {"Markers", markers}}, false);
        }
    }
}
