/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-workload-rounds.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpRounds, "iwarp-rounds");

constexpr double BLOCK = 100000;             //!< octets that each sender answers with
constexpr double RATE = 10e9;                //!< of the receiver's link, bit/s
constexpr double WIRE_SHARE = 1538.0 / 1428; //!< of a full segment over its payload
const ScenarioSettings INCAST{{"Topology", "star"},
                              {"Pattern", "incast"},
                              {"Workload", "rounds"},
                              {"MessageSizes", "fixed:100000"},
                              {"AccessRate", "10Gbps"},
                              {"StartSpread", "0s"},
                              {"PlainTcp", "false"}}; //!< rounds at one switch

/// @param senders of a round @return time in which their answers cross the receiver's link
double
GetDrainTime(double senders)
{
    return 8 * senders * BLOCK * WIRE_SHARE / RATE;
}

/**
 * Where nothing is lost, a round takes as long as its answers take on the receiver's link, and the
 * request's way to the senders and back.
 */
struct DrainTest : ScenarioTestCase
{
    /// @param title of the case
    explicit DrainTest(const std::string& title)
        : ScenarioTestCase(title, INCAST)
    {
    }
};

IWARP_TEST(iwarpRounds, "A round takes the time in which its answers drain", DrainTest)
{
    for (const int senders : {1, 8, 16})
    {
        const auto results = RunScenario({{"IncastSenders", std::to_string(senders)},
                                          {"QueueSize", "10000p"},
                                          {"Octets", "1000000"}});
        const double drain = GetDrainTime(senders);
        NS_TEST_EXPECT_MSG_EQ(results.at("rounds"), 10, senders << " senders");
        NS_TEST_EXPECT_MSG_EQ(results.at("payload_octets"), 10 * senders * BLOCK, "all");
        NS_TEST_EXPECT_MSG_EQ_TOL(results.at("round_time_mean"), drain + 10e-6, 10e-6, senders);
        NS_TEST_EXPECT_MSG_EQ_TOL(results.at("round_goodput"),
                                  8 * senders * BLOCK / results.at("round_time_mean"),
                                  1,
                                  "payload over time");
    }
}

/**
 * Incast collapse: where the switch's queue is short, tails of answers are lost, all wait for one
 * sender's retransmission timer, and the link idles for MinRto; a fine one brings goodput back
 * (Vasudevan et al., SIGCOMM 2009, sections 2 and 5).
 */
struct CollapseTest : ScenarioTestCase
{
    /// @param title of the case
    explicit CollapseTest(const std::string& title)
        : ScenarioTestCase(title, INCAST)
    {
    }
};

IWARP_TEST(iwarpRounds, "Incast collapse, and what a fine MinRto does", CollapseTest)
{
    const double bound = 16 * BLOCK * 8 / GetDrainTime(16);
    const ScenarioSettings crowd{{"IncastSenders", "16"},
                                 {"QueueSize", "32p"},
                                 {"Octets", "1000000"},
                                 {"DelayedAck", "100us"}};
    auto coarse = crowd;
    coarse["MinRto"] = "200ms";
    auto fine = crowd;
    fine["MinRto"] = "200us";
    const auto slow = RunScenario(coarse);
    const auto fast = RunScenario(fine);
    NS_TEST_EXPECT_MSG_GT(GetQueueDrops(slow).value_or(1), 0, "the queue is too short");
    NS_TEST_EXPECT_MSG_GT(slow.at("round_time_max"), 0.2, "a timeout");
    NS_TEST_EXPECT_MSG_LT(slow.at("round_goodput"), 0.1 * bound, "collapse");
    NS_TEST_EXPECT_MSG_GT(fast.at("round_goodput"), 0.5 * bound, "no collapse");
}

/// Rounds that tell what each flow has posted and read.
class WatchedRounds : public IwarpRoundsWorkload
{
  public:
    /// What a flow has done
    struct Reader
    {
        uint32_t posted{0};    //!< messages
        uint32_t completed{0}; //!< of these
    };

    void Posted(std::size_t flow, uint32_t message, uint64_t /* size */)
    {
        readers[flow].posted = message + 1;
        for (const auto& [posted, completed] : readers)
        {
            // what is under way, if anything, is of the same round
            early += posted > completed && posted != message + 1;
        }
    }

    void Read(std::size_t flow, uint32_t /* message */, uint64_t /* size */)
    {
        readers[flow].completed++;
    }

    std::vector<Reader> readers; //!< flows
    uint32_t early{0};           //!< messages posted while one of another round was under way

  protected:
    void Prepare(Ptr<RdmaBulkClient> client) override
    {
        IwarpRoundsWorkload::Prepare(client);
        const std::size_t flow = readers.size();
        readers.emplace_back();
        client->TraceConnectWithoutContext("MessagePosted",
                                           MakeCallback(&WatchedRounds::Posted, this).Bind(flow));
        client->TraceConnectWithoutContext("MessageReceived",
                                           MakeCallback(&WatchedRounds::Read, this).Bind(flow));
    }
};

/**
 * Flows whose messages differ in size need different numbers of them for their octets: one that has
 * read all of its own takes no part in the rounds of the others.
 */
struct UnequalTest : ScenarioTestCase
{
    /// @param title of the case
    explicit UnequalTest(const std::string& title)
        : ScenarioTestCase(title, {{"PlainTcp", "false"}, {"TimeLimit", "10s"}})
    {
    }
};

IWARP_TEST(iwarpRounds, "Rounds of messages whose sizes differ", UnequalTest)
{
    for (const std::string seed : {"1", "2", "3"})
    {
        const auto workload = CreateObject<WatchedRounds>();
        workload->SetAttribute("Octets", UintegerValue(1000000));
        const auto scenario = Make({{"Flows", "3"}, {"Seed", seed}});
        scenario->SetWorkload(workload);
        const auto results = Measure(scenario);
        uint32_t most = 0;
        uint32_t least = UINT32_MAX;
        uint32_t all = 0;
        for (const auto& reader : workload->readers)
        {
            NS_TEST_EXPECT_MSG_EQ(reader.completed, reader.posted, "all is read");
            most = std::max(most, reader.posted);
            least = std::min(least, reader.posted);
            all += reader.posted;
        }
        NS_TEST_EXPECT_MSG_LT(least, most, "flows differ");
        NS_TEST_EXPECT_MSG_EQ(workload->early, 0, "a barrier");
        NS_TEST_ASSERT_MSG_EQ(results.count("rounds"), 1, "it ends");
        NS_TEST_EXPECT_MSG_EQ(results.at("payload_octets"), 3000000, "Octets of each");
        NS_TEST_EXPECT_MSG_EQ(results.at("messages"), all, "messages");
        NS_TEST_EXPECT_MSG_EQ(results.at("rounds"), most, "as many as the longest flow needs");
    }
}

/// What does not go with rounds is told.
struct RefusalTest : ScenarioTestCase
{
    /// @param title of the case
    explicit RefusalTest(const std::string& title)
        : ScenarioTestCase(title, INCAST)
    {
    }
};

IWARP_TEST(iwarpRounds, "What does not go with rounds", RefusalTest)
{
    const auto check = [this](const ScenarioSettings& settings, const std::string& begin) {
        const std::string problem = Make(settings)->Check();
        NS_TEST_EXPECT_MSG_EQ(problem.rfind(begin, 0), 0, problem);
    };
    check({{"WarmUp", "1000"}}, "WarmUp: ");
    check({{"Load", "0.5"}}, "Load, Intervals: ");
    check({{"PlainTcp", "true"}}, "PlainTcp: ");
}

} // namespace
