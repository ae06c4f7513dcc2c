/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-verbs-pair.h"

#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicVerbs, "rnic-verbs");

/// What a receiving RNIC did.
struct Placing
{
    std::vector<uint64_t> translations; //!< keys looked up, in order
    std::vector<Time> delays;           //!< of placements with octets
    std::vector<uint64_t> octets;       //!< of the same
};

/// Trace sink. @param seen what was seen @param cache which @param key of the entry
void
NoteAccess(Placing* seen, Rnic::Cache cache, uint64_t key, bool)
{
    if (cache == Rnic::Cache::TRANSLATION)
    {
        seen->translations.push_back(key);
    }
}

/// Trace sink. @param seen what was seen @param octets placed @param delay until the host sees them
void
NotePlaced(Placing* seen, uint64_t, uint64_t octets, Time delay, bool)
{
    if (octets > 0)
    {
        seen->delays.push_back(delay);
        seen->octets.push_back(octets);
    }
}

} // namespace

/// A segment with FPDUs for several regions needs the translation entry of each.
struct RnicVerbsRegions : TestCase
{
    using TestCase::TestCase;

    /// Post 100-octet writes in one go. @param regions where each goes @return what the right RNIC
    /// did
    Placing Write(const std::vector<uint32_t>& regions)
    {
        Placing seen;
        RnicVerbsPair pair(
            {{"HostInterface.DoorbellLatency", "1us"}}, // so that all are posted in time
            {{"TranslationCache.Entries", "1"}, {"HostInterface.ReadLatency", "1us"}});
        pair.Run([&] {
            pair.rnics[1]->TraceConnectWithoutContext("CacheAccess",
                                                      MakeBoundCallback(&NoteAccess, &seen));
            pair.rnics[1]->TraceConnectWithoutContext("Placed",
                                                      MakeBoundCallback(&NotePlaced, &seen));
            for (const uint32_t region : regions)
            {
                pair.Post(RdmaOpcode::RDMA_WRITE, 100, region);
            }
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, regions.size(), "all done");
        for (const uint32_t region : regions)
        {
            keys[region] = uint64_t(pair.GetRkey(region)) << 32; // page 0
        }
        return seen;
    }

    uint64_t keys[RnicVerbsPair::REGIONS]{}; //!< of the regions
};

IWARP_TEST(rnicVerbs,
           "packed FPDUs are charged the translation entry of each region",
           RnicVerbsRegions)
{
    struct Case
    {
        std::vector<uint32_t> regions; //!< where ULPDUs go
        std::vector<uint32_t> looked;  //!< entries looked up, each a miss
    };

    for (const auto& [regions, looked] :
         std::vector<Case>{{{0}, {0}},
                           {{0, 0, 0}, {0}},
                           {{0, 1}, {0, 1}},
                           {{2, 2, 1, 1, 1}, {2, 1}},
                           {{0, 1, 2, 3, 0, 1}, {0, 1, 2, 3, 0, 1}}})
    {
        const Placing seen = Write(regions);
        std::vector<uint64_t> expected;
        for (const uint32_t region : looked)
        {
            expected.push_back(keys[region]);
        }
        NS_TEST_EXPECT_MSG_EQ(seen.delays.size(), 1, "one segment");
        NS_TEST_EXPECT_MSG_EQ((seen.translations == expected), true, regions.size() << " ULPDUs");
        NS_TEST_EXPECT_MSG_EQ(seen.delays.at(0),
                              MicroSeconds(looked.size()),
                              "a read of host memory for each");
    }
}

/// Requests of READs stay with the hardware that answers them; their responses are placed.
IWARP_TEST(rnicVerbs, "what a READ has placed in host memory")
{
    for (const uint32_t size : {100U, 1000U})
    {
        Placing asked;
        Placing placed;
        RnicVerbsPair pair({});
        pair.Run([&] {
            pair.rnics[1]->TraceConnectWithoutContext("Placed",
                                                      MakeBoundCallback(&NotePlaced, &asked));
            pair.rnics[0]->TraceConnectWithoutContext("Placed",
                                                      MakeBoundCallback(&NotePlaced, &placed));
            pair.Post(RdmaOpcode::RDMA_READ, size);
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, 1, "done");
        NS_TEST_EXPECT_MSG_EQ(asked.octets.size(), 0, "nothing where it was asked for");
        NS_TEST_ASSERT_MSG_EQ(placed.octets.size(), 1, "once where it was wanted");
        NS_TEST_EXPECT_MSG_EQ(placed.octets[0], size, "octets");
    }
}

/// What is on its way to the host when a queue pair is destroyed is told to nobody (the verbs,
/// section 5.1.4).
IWARP_TEST(rnicVerbs, "a queue pair is destroyed while its completion is under way")
{
    const RnicVerbsPair::Figures figures{{"HostInterface.WriteLatency", "100us"}};
    Time told;
    {
        RnicVerbsPair pair(figures);
        pair.onCompletion = [&told] { told = Simulator::Now(); };
        pair.Run([&pair] { pair.Post(RdmaOpcode::SEND, 100); });
    }
    RnicVerbsPair pair(figures);
    Simulator::Schedule(told - MicroSeconds(50), [&pair] { pair.GetPair()->Destroy(); });
    bool some = false;
    pair.onCompletion = [&some] { some = true; };
    pair.Run([&pair] { pair.Post(RdmaOpcode::SEND, 100); });
    NS_TEST_EXPECT_MSG_GT(told, MilliSeconds(100), "it would have been");
    NS_TEST_EXPECT_MSG_EQ(some, false, "it is not");
}

/// A host ends its queue pair just when the completion of a read gets to it, and posts once more:
/// what is flushed is told behind what was done (RFC 5040 section 5.5; the verbs, section 8.1.2).
struct RnicVerbsOrder : TestCase
{
    using TestCase::TestCase;

    /// @param end when to end the queue pair, or 0 for never @param[out] at when the completion
    /// came
    /// @return successful ones once the first has come
    static uint32_t Read(Time end, Time& at)
    {
        const RnicVerbsPair::Figures figures{{"RxPlace.TimePerUnit", "10us"}};
        RnicVerbsPair pair(figures);
        uint32_t first = UINT32_MAX;
        pair.onCompletion = [&] {
            first = std::min(first, pair.completions);
            at = Simulator::Now();
        };
        if (end.IsStrictlyPositive())
        {
            Simulator::Schedule(end, [&pair] {
                pair.GetPair()->Modify(RdmaQpState::ERR);
                pair.Post(RdmaOpcode::SEND, 10);
            });
        }
        pair.Run([&pair] { pair.Post(RdmaOpcode::RDMA_READ, 10000); });
        return first;
    }
};

IWARP_TEST(rnicVerbs, "what is flushed at the same time comes behind", RnicVerbsOrder)
{
    Time done;
    NS_TEST_EXPECT_MSG_EQ(Read(Time(0), done), 1, "the read");
    Time all;
    NS_TEST_EXPECT_MSG_EQ(Read(done, all), 1, "the read, before what is flushed");
}

/// What came with a doorbell is not read to be sent.
struct RnicVerbsInline : TestCase
{
    using TestCase::TestCase;

    /// Post requests of the same kind, each when the one before is done. @param opcode what
    /// @param size octets of each @param loss lose the first one's packet @param posts how many
    /// @param flags of each, besides
    /// @return reads of host memory
    uint64_t CountReads(RdmaOpcode opcode,
                        uint32_t size,
                        bool loss = false,
                        uint32_t posts = POSTS,
                        uint32_t flags = 0)
    {
        RnicVerbsPair pair({{"HostInterface.InlineLimit", "96"},
                            {"HostInterface.ReadLatency", "1us"},
                            {"HostInterface.DoorbellLatency", "1us"}});
        uint64_t before = 0;
        uint32_t left = posts - 1;
        pair.onCompletion = [&] {
            if (left > 0)
            {
                --left;
                pair.Post(opcode, size, 0, flags);
            }
        };
        pair.Run([&] {
            before = pair.GetReads();
            pair.LoseNext(loss ? 1 : 0);
            pair.Post(opcode, size, 0, flags);
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, posts, "all done");
        return pair.GetReads() - before;
    }

    static constexpr uint32_t POSTS = 20; //!< requests of each kind
};

IWARP_TEST(rnicVerbs,
           "no inline post reads host memory, the first included; a retransmission does",
           RnicVerbsInline)
{
    for (const uint32_t size : {0U, 1U, 64U, 96U})
    {
        for (const auto opcode :
             {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE, RdmaOpcode::RDMA_WRITE_WITH_IMM})
        {
            NS_TEST_EXPECT_MSG_EQ(CountReads(opcode, size), 0, size << " octets inline");
        }
    }
    NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_READ, 1000),
                          0,
                          "a read sends nothing from host memory, however much comes back");
    NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_WRITE, 97),
                          2 * POSTS,
                          "longer: work request and payload");
    for (const auto opcode : {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE})
    {
        NS_TEST_EXPECT_MSG_EQ(CountReads(opcode, 97, false, POSTS, RDMA_SEND_INLINE),
                              POSTS,
                              "longer, inline: the work request, with its payload");
    }
    // TCP of older releases sends again what has arrived, too
    const uint64_t most = iwarp::TCP_SINCE_3_43 ? 1 : POSTS;
    const uint64_t again = CountReads(RdmaOpcode::RDMA_WRITE, 64, true);
    NS_TEST_EXPECT_MSG_GT_OR_EQ(again, 1, "sent again: from host memory");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(again, most, "and nothing else");
    NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_WRITE, 64, true, 1),
                          1,
                          "nor does a later post have to tell that it was sent");
}
