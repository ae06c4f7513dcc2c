/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/nvme-pdu.h"
#include "ns3/simulator.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the workload nvme-tcp.
IWARP_TEST_SUITE(nvmeWorkload, "nvme-workload", TestSuite::Type::SYSTEM);

constexpr uint32_t REQUESTS = 20;                    //!< of a flow
constexpr uint32_t SIZE = 20480;                     //!< of a request: 40 blocks
constexpr uint32_t DEPTH = 8;                        //!< requests of a flow under way
constexpr uint32_t LONG = 65536;                     //!< of one that many segments take
const std::string NS3_TCP = "ns3::TcpSocketFactory"; //!< which knows of no PDUs

/// Scenarios of the workload, without plain TCP beside them.
class NvmeScenarioTest : public ScenarioTestCase
{
  public:
    /// @param name of the case
    explicit NvmeScenarioTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"Workload", "nvme-tcp"},
                            {"PlainTcp", "false"},
                            {"DelayedAck", "4ms"},
                            {"MinRto", "10ms"}})
    {
    }

  protected:
    /// @param flows how many @param size of a request @param others more parameters
    /// @return settings for REQUESTS of each flow
    static ScenarioSettings Describe(uint32_t flows, uint32_t size, const ScenarioSettings& others)
    {
        ScenarioSettings settings{{"Octets", std::to_string(REQUESTS * size)},
                                  {"MessageSizes", "fixed:" + std::to_string(size)},
                                  {"Flows", std::to_string(flows)}};
        settings.insert(others.begin(), others.end());
        return settings;
    }
};

} // namespace

/// @brief PDUs, requests and octets are those that the parameters say, to the octet. One request is
/// under way at a time, so that at the end no PDU is but the command of the next one.
IWARP_TEST(nvmeWorkload, "counts of PDUs and payload", NvmeScenarioTest)
{
    /// A mix of requests, and the PDUs that a request is.
    struct Case
    {
        std::string readShare; //!< share of reads
        std::string inCapsule; //!< data in a capsule at most
        uint32_t pdus;         //!< of a request
    };

    // Read: CapsuleCmd, C2HData, CapsuleResp; Write in a capsule: CapsuleCmd, CapsuleResp; by R2T:
    // CapsuleCmd, R2T, H2CData, CapsuleResp
    for (const Case& c : {Case{"1", "8192", 3}, {"0", "32768", 2}, {"0", "8192", 4}})
    {
        for (const std::string protocol : {"ns3::MpaTcpSocketFactory", "ns3::TcpSocketFactory"})
        {
            for (const std::string admin : {"true", "false"})
            {
                auto found = RunScenario(Describe(1,
                                                  SIZE,
                                                  {{"QueueDepth", "1"},
                                                   {"NvmeReadShare", c.readShare},
                                                   {"NvmeInCapsuleSize", c.inCapsule},
                                                   {"NvmeProtocol", protocol},
                                                   {"NvmeAdminQueue", admin}}));
                const double requests = REQUESTS;
                NS_TEST_EXPECT_MSG_EQ(found["nvme_requests"], requests, "requests");
                NS_TEST_EXPECT_MSG_EQ(found["messages"], requests, "each is a message");
                NS_TEST_EXPECT_MSG_EQ(found["payload_octets"], requests * SIZE, "payload");
                NS_TEST_EXPECT_MSG_EQ(found["fpdus_sent"], requests * c.pdus + 1, "PDUs sent");
                NS_TEST_EXPECT_MSG_EQ(found["fpdus_passed"], requests * c.pdus, "and received");
                const std::string kind = c.readShare == "1" ? "read" : "write";
                NS_TEST_EXPECT_MSG_EQ(found["nvme_" + kind + "_octets"], requests * SIZE, kind);
                const double inlined = c.pdus == 2 ? requests : 0;
                NS_TEST_EXPECT_MSG_EQ(found["nvme_" + kind + "_inline"], inlined, "in capsules");
            }
        }
    }
}

/// @brief How segments lie among PDUs, at both ends, one request after the other: a write by R2T is
/// four PDUs, of which the data take as many segments as they need.
IWARP_TEST(nvmeWorkload, "alignment at both ends", NvmeScenarioTest)
{
    constexpr uint32_t EMSS = 1448;              // MTU 1500, TCP's timestamps
    constexpr uint32_t DATA = 24 + 4 + LONG + 4; // H2CData with both digests
    constexpr double HEADED = 4;                 // segments of a request that begin with a PDU
    constexpr double ALL = 3 + (DATA + EMSS - 1) / EMSS; // segments of a request
    auto found = RunScenario(Describe(1, LONG, {{"NvmeReadShare", "0"}, {"QueueDepth", "1"}}));
    NS_TEST_EXPECT_MSG_EQ_TOL(found["header_aligned_share"], HEADED / ALL, 1e-12, "received");
    // besides: the target's response to Connect, which TCP has yet to send when I/O may begin, and
    // the command of the next request, which is on its way
    NS_TEST_EXPECT_MSG_EQ_TOL(found["header_aligned_share_sent"],
                              (REQUESTS * HEADED + 2) / (REQUESTS * ALL + 2),
                              1e-12,
                              "sent");
    // with PDUs that fit a segment each segment begins with one
    auto small = RunScenario(Describe(1, 512, {{"NvmeReadShare", "0"}}));
    NS_TEST_EXPECT_MSG_EQ(small["header_aligned_share"], 1, "each begins with a PDU");
    NS_TEST_EXPECT_MSG_EQ(small["fpdu_aligned_share"], 1, "and holds whole ones");
}

/// @brief Of PDUs that follow each other more begin a segment if the sender aligns them.
IWARP_TEST(nvmeWorkload, "what alignment changes", NvmeScenarioTest)
{
    std::map<std::string, ScenarioResults> found;
    for (const std::string alignment : {"true", "false"})
    {
        found[alignment] = RunScenario(Describe(1, LONG, {{"Alignment", alignment}}));
        NS_TEST_EXPECT_MSG_EQ_TOL(found[alignment]["header_aligned_share"],
                                  found[alignment]["header_aligned_share_sent"],
                                  0.005, // of 1,000 segments a few are on their way at the end
                                  "as they were sent");
    }
    NS_TEST_EXPECT_MSG_GT(found["true"]["header_aligned_share"],
                          found["false"]["header_aligned_share"],
                          "aligned ones are more");
}

/// @brief Each octet of data is as it was sent, over paths that lose, reorder and cut.
IWARP_TEST(nvmeWorkload, "content over bad paths", NvmeScenarioTest)
{
    const ScenarioSettings path{{"Backed", "true"},
                                {"QueueDepth", std::to_string(DEPTH)},
                                {"Loss", "0.01"},
                                {"Reordering", "0.05"},
                                {"LinkRate", "1Gbps"}};
    for (const ScenarioSettings& settings :
         {ScenarioSettings{{"NvmeReadShare", "0.5"}},
          {{"NvmeProtocol", NS3_TCP}, {"Ipv6", "true"}},
          {{"Alignment", "false"}, {"NvmeInCapsuleSize", "0"}},
          {{"NvmeHeaderDigest", "false"}, {"NvmeDataDigest", "false"}, {"Ipv6", "true"}},
          {{"NvmeQueues", "4"}, {"NvmeAdminQueue", "false"}},
          {{"Middlebox", "resegmenting"}, {"PathResegmentingMiddlebox.MaxPayload", "700"}}})
    {
        auto all = settings;
        all.insert(path.begin(), path.end());
        auto found = RunScenario(Describe(2, LONG, all));
        NS_TEST_EXPECT_MSG_EQ(found["content_errors"], 0, "octets as they were sent");
        // requests that are under way at the end have octets that count
        const double least = 2.0 * REQUESTS * LONG;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(found["payload_octets"], least, "all have come");
        NS_TEST_EXPECT_MSG_LT(found["payload_octets"], least + 2 * DEPTH * LONG, "once each");
        NS_TEST_EXPECT_MSG_GT(found["fpdus_passed"], 2 * 2 * REQUESTS, "PDUs come");
    }
}

/// @brief An RNIC that works on records beside TCP finds the PDUs; what it cannot work on costs the
/// host's CPUs a digest.
IWARP_TEST(nvmeWorkload, "PDUs beside TCP", NvmeScenarioTest)
{
    const ScenarioSettings rnic{{"Rnic", "t5-like"},
                                {"Rnic.Receiver", "Autonomous"},
                                {"NvmeReadShare", "0"},
                                {"Alignment", "false"}};
    auto clean = RunScenario(Describe(1, LONG, rnic));
    auto all = rnic;
    all["Loss"] = "0.01";
    auto lossy = RunScenario(Describe(1, LONG, all));
    NS_TEST_EXPECT_MSG_GT(clean["rnic_offload_share"], 0.99, "all is worked on");
    NS_TEST_EXPECT_MSG_LT(lossy["rnic_offload_share"], 0.99, "with losses not all is");
}

/// @brief Bad parameters are told.
IWARP_TEST(nvmeWorkload, "parameters that do not go", NvmeScenarioTest)
{
    for (const auto& [name, value, told] :
         {std::tuple{"NvmeInCapsuleSize", "100", "InCapsuleSize: it has to be a multiple of 16"},
          {"QueueDepth", "2000", "QueueDepth: a queue of NVMe/TCP has 1024 commands at most here"}})
    {
        const auto scenario = Make(Describe(1, SIZE, {{name, value}}));
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, "refused");
        NS_TEST_EXPECT_MSG_NE(scenario->GetError().find(told), std::string::npos, told);
    }
}

/// @brief What the workload sets of queues has no other setting; what it leaves alone has.
IWARP_TEST(nvmeWorkload, "settings of queues", NvmeScenarioTest)
{
    for (const auto& [name, other, same] : {std::tuple{"NvmeQueue.HeaderDigest", "false", "true"},
                                            {"NvmeQueue.DataDigest", "false", "true"},
                                            {"NvmeHostQueue.InCapsuleSize", "0", "8192"},
                                            {"NvmeControllerQueue.InCapsuleSize", "0", "8192"},
                                            {"NvmeControllerQueue.QueueSize", "8", "16"},
                                            {"NvmeHostQueue.QueueDepth", "8", "16"}})
    {
        const auto scenario = Make(Describe(1, SIZE, {{name, other}}));
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), false, name << " is refused");
        NS_TEST_EXPECT_MSG_EQ(scenario->GetError(),
                              std::string(name) +
                                  ": the workload sets it itself, by a parameter of its own",
                              name);
        RunScenario(Describe(1, SIZE, {{name, same}}));
    }
    const ScenarioSettings own{{"NvmeDataDigest", "false"}, {"NvmeReadShare", "1"}};
    auto alike = own;
    alike["NvmeQueue.DataDigest"] = "false";
    NS_TEST_EXPECT_MSG_EQ(RunScenario(Describe(1, SIZE, own))["octets_on_wire"],
                          RunScenario(Describe(1, SIZE, alike))["octets_on_wire"],
                          "both say the same");
    const auto odd = Make(Describe(1, SIZE, {{"NvmeQueue.DataAlignment", "6"}}));
    NS_TEST_EXPECT_MSG_EQ(odd->Check(),
                          "NvmeQueue.DataAlignment: 6 is no multiple of 4",
                          "refused");
    RunScenario(Describe(1, SIZE, {{"NvmeQueue.DataAlignment", "8"}}));
}
