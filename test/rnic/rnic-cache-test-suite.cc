/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-cache.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

IWARP_TEST_SUITE(rnicCache, "rnic-cache");

namespace
{

/// A cache whose entries come 100 ps after they were asked for.
class RnicTestFetchCache : public RnicCache
{
  private:
    RnicTime Read(RnicTime /* now */, RnicTime begin) override
    {
        return begin + 100;
    }
};

} // namespace

/// When an entry is there, by hand: fetched once, and waited for by all who need it meanwhile.
IWARP_TEST(rnicCache, "an entry under way")
{
    const auto cache = StartPart<RnicTestFetchCache>("Entries=4");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 1000, 1), 1100, "missing");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 1040, 1), 1100, "on its way");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 1100, 1), 1100, "just here");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 1200, 1), 1200, "here");
    NS_TEST_EXPECT_MSG_EQ(cache->GetHits(), 3, "one of them is not missing");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 500, 1), 600, "nobody had asked for it at that time");
    NS_TEST_EXPECT_MSG_EQ(cache->GetMisses(), 2, "so that it was missing");
    cache->RestartStatistics(1200);
    NS_TEST_EXPECT_MSG_EQ(cache->GetHits() + cache->GetMisses(), 0, "counted anew");
    NS_TEST_EXPECT_MSG_EQ(cache->Fetch(0, 1300, 1), 1300, "and still here");
}

/// Known reference strings under LRU.
IWARP_TEST(rnicCache, "LRU hits of known reference strings")
{
    // the textbook string for page replacement: with 3 frames LRU has 12 faults
    const std::vector<uint64_t> book{7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1};
    const auto frames = StartPart<RnicCache>("Entries=3");
    for (uint64_t page : book)
    {
        frames->Access(page);
    }
    NS_TEST_EXPECT_MSG_EQ(frames->GetMisses(), 12, "faults");
    NS_TEST_EXPECT_MSG_EQ(frames->GetHits(), 8, "hits");
    NS_TEST_EXPECT_MSG_EQ(frames->GetEvictions(), 9, "evictions");

    // round robin over one more than fits: never a hit; over what fits: always, but at first
    const auto thrash = StartPart<RnicCache>("Entries=100");
    const auto fit = StartPart<RnicCache>("Entries=100");
    for (uint64_t i = 0; i < 10000; ++i)
    {
        thrash->Access(i % 101);
        fit->Access(i % 100);
    }
    NS_TEST_EXPECT_MSG_EQ(thrash->GetHits(), 0, "101 over 100");
    NS_TEST_EXPECT_MSG_EQ(fit->GetMisses(), 100, "100 over 100");

    // references drawn with chances p: hit rate is the sum over ordered pairs of the last two
    // different keys, sum over i, j of p_i p_j / (1 - p_i) (p_i + p_j), by W. F. King
    const std::vector<double> p{0.5, 0.3, 0.15, 0.05};
    double expected = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
    {
        for (std::size_t j = 0; j < p.size(); ++j)
        {
            expected += i == j ? 0 : p[i] * p[j] / (1 - p[i]) * (p[i] + p[j]);
        }
    }
    auto rng = CreateObject<UniformRandomVariable>();
    rng->SetStream(1);
    const auto two = StartPart<RnicCache>("Entries=2");
    const uint32_t n = 500000;
    for (uint32_t i = 0; i < n; ++i)
    {
        double u = rng->GetValue(0, 1);
        uint64_t key = 0;
        while (key + 1 < p.size() && u >= p[key])
        {
            u -= p[key++];
        }
        two->Access(key);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(double(two->GetHits()) / n, expected, 0.01 * expected, "King");
}

/// Uniform references: either policy hits with the share of the keys that fits.
IWARP_TEST(rnicCache, "uniform references: hit rate is capacity over keys, LRU and random")
{
    const uint32_t keys = 4000;
    const uint32_t n = 1000000;
    for (uint32_t capacity : {300U, 1000U, 3000U})
    {
        for (const char* policy : {" Replacement=Lru", " Replacement=Random"})
        {
            auto rng = CreateObject<UniformRandomVariable>();
            rng->SetStream(2);
            auto draw = CreateObject<UniformRandomVariable>();
            draw->SetStream(3);
            const auto cache =
                CreatePart<RnicCache>("Entries=" + std::to_string(capacity) + policy);
            cache->SetRandom(draw);
            cache->Initialize();
            for (uint32_t i = 0; i < capacity; ++i)
            {
                cache->Access(i); // full, so that no cold miss counts
            }
            const uint64_t before = cache->GetHits();
            for (uint32_t i = 0; i < n; ++i)
            {
                cache->Access(rng->GetInteger(0, keys - 1));
            }
            const double rate = double(cache->GetHits() - before) / n;
            const double expected = double(capacity) / keys;
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, expected, 0.01 * expected, "capacity " << capacity);
            NS_TEST_EXPECT_MSG_EQ(cache->GetSize(), capacity, "full");
        }
    }
}

/// Round robin over n keys with random replacement does hit, LRU does not.
IWARP_TEST(rnicCache, "a cache without limit, invalidation, one entry")
{
    const auto all = StartPart<RnicCache>();
    for (uint64_t i = 0; i < 1000; ++i)
    {
        NS_TEST_EXPECT_MSG_EQ(all->Access(i), true, "no limit");
    }
    const auto one = StartPart<RnicCache>("Entries=1");
    NS_TEST_EXPECT_MSG_EQ(one->Access(5), false, "cold");
    NS_TEST_EXPECT_MSG_EQ(one->Access(5), true, "warm");
    NS_TEST_EXPECT_MSG_EQ(one->Access(6), false, "another");
    NS_TEST_EXPECT_MSG_EQ(one->Access(5), false, "evicted");
    one->Invalidate(5);
    one->Invalidate(77);
    NS_TEST_EXPECT_MSG_EQ(one->GetSize(), 0, "empty");
    NS_TEST_EXPECT_MSG_EQ(one->Access(5), false, "invalidated");
    const auto random = CreatePart<RnicCache>("Entries=1 Replacement=Random");
    NS_TEST_EXPECT_MSG_NE(random->Check(), "", "nothing to draw from");
}
