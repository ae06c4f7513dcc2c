/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../app/rdma-perf-bench.h"
#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/rnic-helper.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

IWARP_TEST_SUITE(rnicMessageRate, "rnic-message-rate");

constexpr RnicTime NS = 1000; // ps

/// What a run of perf is made of.
struct Run
{
    std::string profile;          //!< of both RNICs
    std::string settings;         //!< of both RNICs besides
    uint32_t queuePairs{1};       //!< of the client
    bool packing{true};           //!< segments may take several FPDUs
    const char* test{"write_bw"}; //!< test
    uint32_t size{64};            //!< octets of a message
    uint32_t iterations{1000};    //!< messages of each queue pair
    const char* rate{"100Gbps"};  //!< of the links
};

/// What came of it.
struct RateOutcome
{
    double rate{0};        //!< messages/s
    uint64_t reads{0};     //!< reads of host memory by the server's RNIC
    uint64_t doorbells{0}; //!< rung at the client's
};

/// @param run what to do @return what came of it
RateOutcome
Perform(const Run& run)
{
    RdmaPerfBench bench(2, run.rate);
    RnicHelper helper(run.profile);
    for (const auto& [path, value] : ParseSettings(run.settings))
    {
        helper.Set(path, StringValue(value));
    }
    const auto rnics = helper.Install(bench.Nodes());
    bench.helper.SetSocketAttribute("Packing", BooleanValue(run.packing));
    bench.Set(run.test, run.size, run.iterations);
    bench.helper.SetClientAttribute("Qp", UintegerValue(run.queuePairs));
    bench.helper.SetClientAttribute("WarmUp", UintegerValue(run.iterations / 4));
    const auto client = bench.Run();
    NS_ABORT_MSG_UNLESS(client->IsFinished(), client->GetError());
    return {client->GetReport().msgRate,
            rnics[1]->GetDatapath().GetHost().GetReads(),
            rnics[0]->GetDatapath().GetHost().GetDoorbells()};
}

} // namespace

/// Messages that queue pairs begin, in closed form.
struct RnicMessageStages : TestCase
{
    using TestCase::TestCase;

    /// Queue pairs with work at all times, each beginning a message when it has begun the one
    /// before. @param settings of the RNIC @param queuePairs how many @return messages/s
    double Rate(const std::string& settings, uint32_t queuePairs)
    {
        const auto path = StartPath(settings);
        std::vector<RnicWorkQueue> queues(queuePairs);
        std::vector<RnicTime> begun(queuePairs, 0);
        const uint32_t n = 5000;
        RnicTime now = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            const auto next = std::min_element(begun.begin(), begun.end());
            now = *next;
            *next = path->GetQueuePairs().Begin(now, queues[next - begun.begin()], 1000);
        }
        return n / (static_cast<double>(now) / 1e12);
    }
};

IWARP_TEST(rnicMessageRate,
           "messages begun by queue pairs: bounds of a queue pair, of all, and of fetching",
           RnicMessageStages)
{
    for (const uint32_t n : {1U, 2U, 3U, 16U})
    {
        const double most = std::min(n / 500e-9, 1 / 200e-9);
        NS_TEST_EXPECT_MSG_EQ_TOL(
            Rate("QueuePairs.TimePerMessage=200ns QueuePairs.Latency=300ns", n),
            most,
            0.01 * most,
            n << " queue pairs");
    }
    for (const uint32_t elements : {1U, 4U, 32U})
    {
        const double most = std::min(elements / 1e-6, 10e6);
        NS_TEST_EXPECT_MSG_EQ_TOL(
            Rate("QueuePairs.TimePerMessage=100ns HostInterface.ReadLatency=1us "
                 "QueuePairs.Prefetch=" +
                     std::to_string(elements),
                 1),
            most,
            0.01 * most,
            elements << " elements a read");
    }
    // each element crosses the bus once, with the headers of its read
    const double perRead = (4 * 64 + 2 * 24) * 8 / 8e9;
    NS_TEST_EXPECT_MSG_EQ_TOL(Rate("HostInterface.ReadRate=8Gbps HostInterface.Header=24 "
                                   "HostInterface.MaxPayload=128 QueuePairs.Prefetch=4",
                                   8),
                              4 / perRead,
                              0.04 / perRead,
                              "the bus");
}

/// Work queue elements are fetched once, as many at a time as there are.
IWARP_TEST(rnicMessageRate, "reads of work queue elements, and when they are there")
{
    const auto path = StartPath("HostInterface.ReadLatency=1us HostInterface.InlineLimit=64 "
                                "HostInterface.DoorbellLatency=100ns QueuePairs.Prefetch=4");
    RnicQueuePairs& pairs = path->GetQueuePairs();
    const RnicHostInterface& host = path->GetHost();
    RnicWorkQueue queue;
    NS_TEST_EXPECT_MSG_EQ(pairs.Ring(0, queue, 1, 64, false, 0), true, "comes with its doorbell");
    NS_TEST_EXPECT_MSG_EQ(pairs.Begin(0, queue, 1), 100 * NS, "and begins");
    NS_TEST_EXPECT_MSG_EQ(host.GetReads(), 0, "without a read");
    NS_TEST_EXPECT_MSG_EQ(pairs.Ring(1000 * NS, queue, 1, 65, false, 0), false, "too long");
    NS_TEST_EXPECT_MSG_EQ(pairs.Ring(1000 * NS, queue, 1, 64, false, 1), false, "not the first");
    NS_TEST_EXPECT_MSG_EQ(host.GetDoorbells(), 3, "doorbells");
    // ten are posted: 1, then 4 and 4 and 1, each read as the ones before are taken
    const RnicTime there = 2100 * NS;
    NS_TEST_EXPECT_MSG_EQ(pairs.Begin(1000 * NS, queue, 10), there, "the first");
    for (uint32_t i = 1; i < 10; ++i)
    {
        const RnicTime when = there + (i + 3) / 4 * 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(pairs.Begin(there, queue, 10 - i), when, "element " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(host.GetReads(), 4, "reads");
    NS_TEST_EXPECT_MSG_EQ(pairs.Begin(9000 * NS, queue, 0), 9000 * NS, "has no element");
    NS_TEST_EXPECT_MSG_EQ(host.GetReads(), 4, "nor a read");
    // payload in elements comes with them, wherever they are fetched, and is not read itself
    const auto bus = StartPath("HostInterface.ReadRate=8Gbps HostInterface.InlineLimit=64");
    RnicWorkQueue full;
    NS_TEST_EXPECT_MSG_EQ(bus->GetQueuePairs().Ring(0, full, 1, 100, true, 0), true, "in it");
    NS_TEST_EXPECT_MSG_EQ(bus->GetHost().GetFromHost().GetOctets(), 8 + 64 + 100, "element");
    for (const uint32_t waiting : {1U, 2U})
    {
        const bool in = bus->GetQueuePairs().Ring(0, full, 1, 30, true, waiting);
        NS_TEST_EXPECT_MSG_EQ(in, true, "behind others, too");
    }
    bus->GetQueuePairs().Begin(0, full, 3);
    const uint64_t octets = bus->GetHost().GetFromHost().GetOctets();
    NS_TEST_EXPECT_MSG_EQ(octets, 3 * 8 + 64 + 100 + 64 + 30, "one fetched ahead, and its share");
    // receives were fetched when posted, the first four; then four at a time
    RnicWorkQueue receives;
    for (uint32_t i = 0; i < 12; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(pairs.Receive(10'000 * NS, 10'000 * NS, receives),
                              (10'000 + i / 4 * 1000) * NS,
                              "receive " << i);
    }
    NS_TEST_EXPECT_MSG_EQ(host.GetReads(), 7, "one ahead");
}

/// Rates of small messages in simulations are those of the stages that bound them, packed or not.
IWARP_TEST(rnicMessageRate,
           "small writes through the simulator against closed forms, packed or not")
{
    for (const bool packing : {true, false})
    {
        const std::string how = packing ? "packed" : "one a segment";
        const double t5 = Perform({"t5-like", "", 1, packing}).rate;
        NS_TEST_EXPECT_MSG_EQ_TOL(t5, 3.24e6, 0.01 * 3.24e6, "t5-like, " << how);
        for (const uint32_t n : {1U, 2U, 4U})
        {
            const std::string two = "QueuePairs.TimePerMessage=200ns QueuePairs.Latency=300ns";
            const double most = std::min(n / 500e-9, 1 / 200e-9);
            NS_TEST_EXPECT_MSG_EQ_TOL(Perform({"ideal", two, n, packing}).rate,
                                      most,
                                      0.01 * most,
                                      n << " queue pairs, " << how);
        }
        const std::string fetch = "HostInterface.ReadLatency=1us QueuePairs.Prefetch=";
        for (const uint32_t elements : {1U, 3U})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(
                Perform({"ideal", fetch + std::to_string(elements), 1, packing}).rate,
                elements * 1e6,
                elements * 1e4,
                elements << " elements a read, " << how);
        }
    }
}

/// What is charged for messages leaves bulk data alone.
IWARP_TEST(rnicMessageRate,
           "long writes of t5-like are bound by the link, receives and doorbells are counted")
{
    auto bulk = [](const char* profile) {
        return Perform({profile, "", 1, true, "write_bw", 65536, 150, "40Gbps"}).rate;
    };
    const double link = bulk("ideal");
    NS_TEST_EXPECT_MSG_EQ_TOL(bulk("t5-like"), link, 0.01 * link, "bulk");

    const RateOutcome sends = Perform({"ideal",
                                       "HostInterface.ReadLatency=100ns QueuePairs.Prefetch=8",
                                       1,
                                       true,
                                       "send_bw",
                                       64,
                                       400});
    NS_TEST_EXPECT_MSG_GT_OR_EQ(sends.reads, 400 / 8 - 1, "receives are fetched, 8 at a time");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(sends.reads, 400 / 8 + 4, "and once");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(sends.doorbells, 400, "one for each post");
}
