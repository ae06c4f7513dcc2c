/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-verbs-pair.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicPosting, "rnic-posting");

/// One doorbell for what is posted together.
struct RnicPostChain : TestCase
{
    using TestCase::TestCase;

    /// What posting took.
    struct Cost
    {
        uint64_t doorbells; //!< rung
        uint64_t reads;     //!< of host memory
    };

    /// @param chained post together @param size octets of each @param flags of each @param times
    /// how often, at once @return what it took to post some RDMA Writes to an idle queue pair
    Cost Post(bool chained, uint32_t size, uint32_t flags, uint32_t times = 1)
    {
        RnicVerbsPair pair({{"HostInterface.InlineLimit", "96"},
                            {"HostInterface.ReadLatency", "1us"},
                            {"HostInterface.DoorbellLatency", "1us"},
                            {"QueuePairs.Prefetch", "8"}});
        Cost before{};
        pair.Run([&] {
            before = {pair.GetDoorbells(), pair.GetReads()};
            RdmaSendRequest request;
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.flags = RDMA_SEND_SIGNALED | flags;
            request.sges = {{0, size, 0}};
            for (uint32_t i = 0; i < times * (chained ? 1 : COUNT); i++)
            {
                pair.PostChain(chained ? COUNT : 1, request);
            }
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, times * COUNT, "all done");
        return {pair.GetDoorbells() - before.doorbells, pair.GetReads() - before.reads};
    }

    static constexpr uint32_t COUNT = 5; //!< requests
};

IWARP_TEST(rnicPosting,
           "a chain rings one doorbell, and its elements are fetched together",
           RnicPostChain)
{
    NS_TEST_EXPECT_MSG_EQ(Post(false, 1000, 0).doorbells, COUNT, "one by one");
    const Cost large = Post(true, 1000, 0);
    NS_TEST_EXPECT_MSG_EQ(large.doorbells, 1, "together");
    NS_TEST_EXPECT_MSG_EQ(large.reads, COUNT + 1, "the elements at once, and each payload");
    const Cost small = Post(true, 64, 0);
    NS_TEST_EXPECT_MSG_EQ(small.doorbells, 1, "small ones together");
    // iw_cxgb4 and others push an element with the doorbell only if it is alone
    NS_TEST_EXPECT_MSG_GT_OR_EQ(small.reads, 2, "elements and payload have to be read");
    const Cost inlined = Post(true, 64, RDMA_SEND_INLINE);
    NS_TEST_EXPECT_MSG_EQ(inlined.doorbells, 1, "inline ones together");
    NS_TEST_EXPECT_MSG_EQ(inlined.reads, 1, "the payload is in the elements");
    const Cost behind = Post(true, 1000, 0, 2);
    NS_TEST_EXPECT_MSG_EQ(behind.doorbells, 2, "one for each chain");
    NS_TEST_EXPECT_MSG_EQ(behind.reads,
                          2 * COUNT + 2,
                          "those behind others are fetched once, when it is their turn");
}

/// What opening and closing memory costs, in closed form.
struct RnicMemoryChange : TestCase
{
    using TestCase::TestCase;

    /// @param figures of both RNICs @param make makes the requests, to be posted together
    /// @return time from posting to the last completion
    Time Post(const RnicVerbsPair::Figures& figures,
              const std::function<std::vector<RdmaSendRequest>(RnicVerbsPair&)>& make)
    {
        RnicVerbsPair pair(figures);
        Time begin;
        Time end;
        std::size_t count = 0;
        pair.onCompletion = [&end] { end = Simulator::Now(); };
        pair.Run([&] {
            const auto requests = make(pair);
            count = requests.size();
            std::size_t bad = 0;
            begin = Simulator::Now();
            NS_TEST_EXPECT_MSG_EQ(pair.GetPair()->PostSend(requests, bad), 0, "posted");
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, count, "all done");
        return end - begin;
    }

    /// @param pair hosts @param pages to register @return a REG_MR
    static RdmaSendRequest Register(RnicVerbsPair& pair, uint32_t pages)
    {
        RdmaSendRequest request;
        request.opcode = RdmaOpcode::REG_MR;
        request.flags = RDMA_SEND_SIGNALED;
        request.region = pair.GetPair()->GetPd()->AllocMr(256);
        const uint64_t octets = uint64_t(pages) * RdmaMemoryRegion::PAGE;
        request.region->Map(DdpMemory::CreateVirtual(octets), 0, octets, 0);
        request.registerAccess = DDP_ACCESS_LOCAL_WRITE;
        return request;
    }

    /// @param pair hosts @param opcode an RDMA Read @return one of 1000 octets
    static RdmaSendRequest Read(RnicVerbsPair& pair, RdmaOpcode opcode)
    {
        RdmaSendRequest request;
        request.opcode = opcode;
        request.flags = RDMA_SEND_SIGNALED;
        const auto sink = pair.GetPair()->GetPd()->RegisterVirtual(1000, DDP_ACCESS_LOCAL_WRITE);
        request.sges = {sink->GetSge(0, 1000)};
        request.rkey = pair.GetRkey(0);
        return request;
    }
};

IWARP_TEST(rnicPosting,
           "fast registration, invalidation and bind take their times",
           RnicMemoryChange)
{
    const RnicVerbsPair::Figures figures{{"QueuePairs.TimePerMemoryChange", "10us"},
                                         {"QueuePairs.TimePerPage", "1us"},
                                         {"QueuePairs.TimePerMessage", "3us"}};
    for (const uint32_t pages : {1U, 7U, 256U})
    {
        NS_TEST_EXPECT_MSG_EQ(
            Post(figures, [pages](RnicVerbsPair& p) { return std::vector{Register(p, pages)}; }),
            MicroSeconds(3 + 10 + pages),
            "a registration of " << pages << " pages");
    }
    NS_TEST_EXPECT_MSG_EQ(Post(figures,
                               [](RnicVerbsPair& p) {
                                   auto first = Register(p, 5);
                                   auto second = Register(p, 6);
                                   auto over = first;
                                   over.opcode = RdmaOpcode::LOCAL_INVALIDATE;
                                   over.rkey = first.region->GetRkey();
                                   return std::vector{first, second, over};
                               }),
                          MicroSeconds(3 * (3 + 10) + 5 + 6),
                          "each in its turn");
    const Time plain =
        Post(figures, [](RnicVerbsPair& p) { return std::vector{Read(p, RdmaOpcode::RDMA_READ)}; });
    const Time invalidates = Post(figures, [](RnicVerbsPair& p) {
        return std::vector{Read(p, RdmaOpcode::RDMA_READ_WITH_INVALIDATE)};
    });
    NS_TEST_EXPECT_MSG_EQ(invalidates - plain, MicroSeconds(10), "besides the Read");

    // 8 octets for each page come with the work queue element, at an octet a ns
    const RnicVerbsPair::Figures bus{{"HostInterface.ReadRate", "8Gbps"}};
    const auto fetch = [&](uint32_t pages) {
        return Post(bus, [pages](RnicVerbsPair& p) { return std::vector{Register(p, pages)}; });
    };
    NS_TEST_EXPECT_MSG_EQ(fetch(101) - fetch(1), NanoSeconds(800), "the list of pages");
}

/// A completion waits for those that are on their way, and for none that has come.
IWARP_TEST(rnicPosting, "what is flushed is there at once behind a completion", RnicMemoryChange)
{
    const RnicVerbsPair::Figures figures{{"QueuePairs.TimePerMemoryChange", "10us"}};
    RnicVerbsPair pair(figures);
    pair.Run([&] {
        pair.GetPair()->PostSend(Read(pair, RdmaOpcode::RDMA_READ_WITH_INVALIDATE));
        Simulator::Schedule(MilliSeconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(pair.completions, 1, "the Read, which took its time");
            pair.GetPair()->Modify(RdmaQpState::ERR);
            pair.Post(RdmaOpcode::SEND, 10);
            NS_TEST_EXPECT_MSG_EQ(pair.GetQueue()->GetSize(), 1, "before anything else happens");
        });
    });
}

} // namespace
