/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../app/rdma-perf-bench.h"
#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-cache.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

IWARP_TEST_SUITE(rnicMiss, "rnic-miss");

/// Frame of a message: Ethernet, IPv4, TCP with timestamps, MPA, DDP, 64 octets of payload
constexpr uint32_t WRITE = 18 + 20 + 32 + 6 + 14 + 64;

/// Misses of a cache as time goes.
struct MissWatch
{
    const RnicCache* cache;       //!< the cache
    std::vector<uint64_t> misses; //!< up to each message
};

/// Trace sink. @param watch receives misses @param octets of a frame that goes out
void
NoteWatched(MissWatch* watch, uint64_t, uint32_t octets, Time)
{
    if (octets == WRITE)
    {
        watch->misses.push_back(watch->cache->GetMisses());
    }
}

/// Trace sink. @param flows receives the connections of messages @param flow key of one
/// @param octets of a frame that goes out
void
NoteFlow(std::vector<uint64_t>* flows, uint64_t flow, uint32_t octets, Time)
{
    if (octets > 600)
    {
        flows->push_back(flow);
    }
}

} // namespace

/// Rate of a stream of frames whose contexts are missing now and then.
IWARP_TEST(rnicMiss,
           "misses bound the rate to fetches over misses x latency, and hits are entries "
           "over keys")
{
    struct Case
    {
        uint32_t entries; //!< of the cache
        uint32_t fetches; //!< at a time, 0 for any number
    };

    constexpr uint32_t keys = 400;
    constexpr uint32_t frames = 400000;
    constexpr double service = 309e-9;
    constexpr double latency = 5e-6;
    for (const auto& [entries, fetches] :
         std::vector<Case>{{216, 0}, {216, 1}, {216, 4}, {216, 16}, {100, 8}, {300, 2}, {400, 1}})
    {
        const auto path =
            StartPath("RxClassify.TimePerPacket=309ns "
                      "HostInterface.ReadLatency=5us ContextCache.Entries=" +
                      std::to_string(entries) + " ContextCache.Fetches=" + std::to_string(fetches));
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(2);
        std::vector<RnicConnectionState> states(keys);
        RnicTime last = 0;
        RnicTime middle = 0;
        uint64_t misses = 0;
        for (uint32_t i = 0; i < frames; ++i)
        {
            const uint32_t key = random->GetInteger(0, keys - 1);
            states[key].key = key;
            last = std::max(last, Receive(*path, 0, states[key], 100).time);
            if (i + 1 == frames / 10) // the cache is full
            {
                middle = last;
                misses = path->GetContextCache().GetMisses();
            }
        }
        const uint32_t counted = frames - frames / 10;
        const double missed = double(path->GetContextCache().GetMisses() - misses) / counted;
        const double rate = counted / (double(last - middle) / 1e12);
        const double miss = 1 - double(entries) / keys;
        NS_TEST_EXPECT_MSG_EQ_TOL(missed, miss, 0.01 * miss, entries << " of " << keys);
        const double bound = fetches > 0 && miss > 0 ? fetches / (miss * latency) : 1e12;
        const double expected = std::min(1 / service, bound);
        NS_TEST_EXPECT_MSG_EQ_TOL(rate,
                                  expected,
                                  0.01 * expected,
                                  entries << " entries, " << fetches << " fetches");
    }
}

/// Who needs what is being fetched waits for that; who needs it for later takes no place now.
IWARP_TEST(rnicMiss,
           "a fetch is joined by who needs it meanwhile, and none holds a place ahead of "
           "its time")
{
    RnicOps ops;
    ops.copy = 1;
    {
        const auto path = StartPath("TranslationCache.Entries=100 TranslationCache.Fetches=1 "
                                    "HostInterface.ReadLatency=500ns");
        std::vector<RnicConnectionState> states(3);
        auto place = [&](RnicTime now, uint64_t key, const RecordPlacementList& where) {
            states[key].key = key;
            return Place(*path, Receive(*path, now, states[key], 100), ops, where).time;
        };
        NS_TEST_EXPECT_MSG_EQ(place(0, 0, {{40, 0, 7, 0}}), 500'000, "fetches");
        NS_TEST_EXPECT_MSG_EQ(place(100'000, 1, {{40, 0, 7, 40}}), 500'000, "joins");
        NS_TEST_EXPECT_MSG_EQ(place(200'000, 2, {{40, 0, 7, 4096}}), 1'000'000, "behind it");
        NS_TEST_EXPECT_MSG_EQ(path->GetTranslationCache().GetMisses(), 2, "misses");
        NS_TEST_EXPECT_MSG_EQ(path->GetHost().GetReads(), 2, "reads");
    }
    const auto path = StartPath("ContextCache.Entries=100 ContextCache.Fetches=1 "
                                "TxSchedule.TimePerPacket=10us HostInterface.ReadLatency=500ns");
    std::vector<RnicConnectionState> states(50);
    for (uint32_t i = 0; i < 40; ++i)
    {
        states[i].key = i;
        NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 0, states[i], 100, 40),
                              (i + 1) * 10'000'000 + 1'000'000,
                              "its turn, its context, its payload");
    }
    for (uint32_t i = 40; i < 50; ++i)
    {
        states[i].key = i;
        NS_TEST_EXPECT_MSG_EQ(Receive(*path, 0, states[i], 100).time,
                              (i - 39) * 500'000,
                              "only those that are received at the same time");
    }
    // a context that is to be read later is read now
    NS_TEST_EXPECT_MSG_EQ(Receive(*path, 6'000'000, states[39], 100).time, 6'500'000, "now");
}

/// A piece of memory needs the entry of each page that it touches.
IWARP_TEST(rnicMiss,
           "an entry is needed for each page that octets lie in, and the next access finds it")
{
    RnicOps ops;
    ops.copy = 1;
    RnicConnectionState connection;
    for (uint64_t page : {512, 4096, 65536})
    {
        for (uint64_t offset : {uint64_t(0), uint64_t(1), page - 1, 5 * page, 7 * page + 100})
        {
            for (uint64_t octets : {uint64_t(1), page - 100, page, page + 1, 3 * page})
            {
                const auto path = StartPath("TranslationCache.Entries=1000 TranslationCache."
                                            "PageSize=" +
                                            std::to_string(page));
                const uint64_t expected = (offset + octets - 1) / page - offset / page + 1;
                const RecordPlacementList where{{octets, 0, 9, offset}};
                Place(*path, Receive(*path, 0, connection, 100), ops, where);
                NS_TEST_EXPECT_MSG_EQ(path->GetTranslationCache().GetMisses(),
                                      expected,
                                      octets << " at " << offset << " of " << page);
                // the way out needs the same
                RnicSegment segment;
                segment.connection = &connection;
                segment.now = segment.time;
                segment.payload = octets;
                segment.placements = &where;
                path->Transmit(segment);
                NS_TEST_EXPECT_MSG_EQ(path->GetTranslationCache().GetHits(), expected, "out");
            }
        }
    }
    // a working set of W octets has W / P entries: all hit if they fit, none in turn if not
    constexpr uint64_t set = 1 << 20;
    for (uint32_t entries : {256U, 255U})
    {
        const auto path = StartPath("TranslationCache.Entries=" + std::to_string(entries));
        for (uint32_t round = 0; round < 3; ++round)
        {
            for (uint64_t offset = 0; offset < set; offset += 1024)
            {
                const RecordPlacementList where{{1024, 0, 9, 0x10000 + offset}};
                Place(*path, Receive(*path, 0, connection, 100), ops, where);
            }
        }
        const uint64_t pages = set / 4096;
        NS_TEST_EXPECT_MSG_EQ(path->GetTranslationCache().GetMisses(),
                              (entries < pages ? 3 * pages : pages),
                              entries << " entries");
    }
    NS_TEST_EXPECT_MSG_NE(
        CreatePart<RnicTranslationCache>("PageSize=5000")->Check().find("power of two"),
        std::string::npos,
        "told");
}

/// The same in a simulation: RDMA Writes on queue pairs drawn at random.
struct RnicMissSimulation : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t PAIRS = 400; //!< queue pairs

    /// What a run came to.
    struct Outcome
    {
        double rate;   //!< messages/s
        double misses; //!< a message
    };

    /// @param iterations of each queue pair @param settings of the sender's RNIC @return what came
    /// of it
    Outcome Write(uint32_t iterations, const std::string& settings)
    {
        RdmaPerfBench bench(2, "100Gbps");
        bench.Set("write_bw", 64, iterations);
        bench.helper.SetSocketAttribute("TcpNoDelay", BooleanValue(true));
        bench.helper.SetClientAttribute("Qp", UintegerValue(PAIRS));
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(16));
        bench.helper.SetClientAttribute("WarmUp", UintegerValue(iterations / 10));
        bench.helper.SetClientAttribute("Order", StringValue("Random"));
        bench.helper.SetClientAttribute("Window", UintegerValue(64));
        RnicHelper helper;
        for (const auto& [path, value] : ParseSettings(settings))
        {
            NS_TEST_EXPECT_MSG_EQ(helper.SetFromText(path, value), "", path);
        }
        const auto rnic = helper.Install(bench.Nodes().Get(0));
        MissWatch watch{&rnic->GetDatapath().GetContextCache(), {}};
        rnic->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&NoteWatched, &watch));
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        const auto client = bench.Client(0);
        client->AssignStreams(1);
        bench.Simulate();
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, client->GetError());
        const auto& misses = watch.misses;
        const std::size_t begin = misses.size() / 5;
        const std::size_t end = misses.size() * 4 / 5;
        return {client->GetReport().msgRate, double(misses[end] - misses[begin]) / (end - begin)};
    }
};

IWARP_TEST(rnicMiss,
           "the same bounds hold for RDMA Writes of many queue pairs in random order",
           RnicMissSimulation)
{
    const std::string settings = "TxSchedule.TimePerPacket=309ns HostInterface.InlineLimit=96 "
                                 "HostInterface.ReadLatency=5us ContextCache.Entries=200 "
                                 "ContextCache.Fetches=";
    const auto bound = Write(100, settings + "4");
    NS_TEST_EXPECT_MSG_EQ_TOL(bound.misses, 0.5, 0.005, "200 of 400 are there");
    NS_TEST_EXPECT_MSG_EQ_TOL(bound.rate, 4 / (0.5 * 5e-6), 0.01 * 1.6e6, "by misses");
    const double service = 1 / 309e-9;
    NS_TEST_EXPECT_MSG_EQ_TOL(Write(25, settings + "0").rate,
                              service,
                              0.01 * service,
                              "by the scheduler");
}

/// Queue pairs in turn and drawn at random.
struct RnicMissOrder : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t PAIRS = 16; //!< queue pairs

    /// @param test test @param order of the queue pairs @param depth of each
    /// @return queue pairs that PAIRS messages in a row are of, on average
    double GetSpread(const char* test, const char* order, uint32_t depth)
    {
        constexpr uint32_t iterations = 100;
        RdmaPerfBench bench(2, "10Gbps");
        bench.Set(test, 600, iterations);
        bench.helper.SetSocketAttribute("TcpNoDelay", BooleanValue(true));
        bench.helper.SetClientAttribute("Qp", UintegerValue(PAIRS));
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(depth));
        bench.helper.SetClientAttribute("Order", StringValue(order));
        RnicHelper helper;
        helper.Set("TxSchedule.TimePerPacket", StringValue("1ns"));
        std::vector<uint64_t> flows;
        helper.Install(bench.Nodes().Get(test == std::string("read_bw") ? 1 : 0))
            ->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&NoteFlow, &flows));
        bench.applications =
            bench.helper.Connect(bench.Nodes().Get(0), bench.Nodes().Get(1), RdmaPerfBench::PORT);
        bench.Client(0)->AssignStreams(2);
        bench.Simulate();
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->IsFinished(), true, test << " " << order);
        NS_TEST_EXPECT_MSG_EQ(bench.Client(0)->GetReport().iterations, PAIRS * iterations, test);
        uint64_t different = 0;
        const std::size_t runs = flows.size() / PAIRS;
        for (std::size_t i = 0; i < runs; ++i)
        {
            const auto run = flows.begin() + i * PAIRS;
            different += std::set<uint64_t>(run, run + PAIRS).size();
        }
        return double(different) / runs;
    }
};

IWARP_TEST(rnicMiss,
           "queue pairs send in turn, or as they are drawn, until all is sent",
           RnicMissOrder)
{
    // n things drawn n times: n (1 - (1 - 1/n)^n) of them come up
    const double drawn = PAIRS * (1 - std::pow(1 - 1.0 / PAIRS, PAIRS));
    for (const char* test : {"write_bw", "read_bw", "send_bw"})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(GetSpread(test, "Random", 16), drawn, 0.06 * drawn, test);
    }
    NS_TEST_EXPECT_MSG_GT(GetSpread("read_bw", "InTurn", 1), 0.95 * PAIRS, "in turn");
}
