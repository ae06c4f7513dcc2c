/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-test-util.h"

#include "ns3/mpa-reassembly-store.h"

#include <map>
#include <random>

using namespace ns3;
using namespace mpatest;

IWARP_TEST_SUITE(mpaReassemblyStore, "mpa-reassembly-store");

/// Random lending, keeping, returning and erasing against a map of octets.
struct MpaReassemblyStoreRandom : TestCase
{
    using TestCase::TestCase;

    /// Erase the same octets everywhere. @param engine random numbers @param base lowest offset
    /// @param store store @param held octets held @param lent octets lent
    static void Erase(std::mt19937& engine,
                      uint64_t base,
                      MpaReassemblyStore& store,
                      std::map<uint64_t, uint8_t>& held,
                      std::map<uint64_t, uint8_t>& lent)
    {
        const uint64_t from = base + engine() % 1100;
        const uint64_t to = from + engine() % 60;
        store.Erase(from, to);
        for (auto* octets : {&held, &lent})
        {
            octets->erase(octets->lower_bound(from), octets->lower_bound(to));
        }
    }

    /// @param engine random numbers @param base lowest offset @param store store @param held model
    void Compare(std::mt19937& engine,
                 uint64_t base,
                 const MpaReassemblyStore& store,
                 const std::map<uint64_t, uint8_t>& held)
    {
        const uint64_t at = base + engine() % 1100;
        uint64_t run = 0;
        while (held.count(at + run))
        {
            ++run;
        }
        uint64_t start = at;
        while (run > 0 && start > 0 && held.count(start - 1))
        {
            --start;
        }
        const auto next = held.lower_bound(at);
        NS_TEST_ASSERT_MSG_EQ(store.Contiguous(at), run, "run");
        NS_TEST_ASSERT_MSG_EQ(store.Contiguous(at, 5), std::min<uint64_t>(run, 5), "enough");
        NS_TEST_ASSERT_MSG_EQ(store.RunStart(at), start, "start of the run");
        NS_TEST_ASSERT_MSG_EQ(store.Next(at),
                              (next == held.end() ? UINT64_MAX : next->first),
                              "next octet");
        uint32_t seen = 0;
        const auto peek = store.Peek(at, seen);
        NS_TEST_ASSERT_MSG_EQ((seen > 0), (run > 0), "something to see");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(seen, run, "within the run");
        if (run > 0)
        {
            Octets out(run);
            const auto span = store.Gather(at, run, out.data());
            NS_TEST_ASSERT_MSG_EQ(span.lent, 0, "all kept");
            NS_TEST_ASSERT_MSG_GT_OR_EQ(span.stamp, peek.stamp, "largest stamp");
            NS_TEST_ASSERT_MSG_EQ(std::equal(peek.data, peek.data + seen, out.begin()), true, at);
            for (uint64_t i = 0; i < run; ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(int(out[i]), int(held.at(at + i)), "octet " << at + i);
            }
        }
    }
};

IWARP_TEST(mpaReassemblyStore,
           "random operations against a map of octets",
           MpaReassemblyStoreRandom)
{
    std::mt19937 engine(1);
    for (int run = 0; run < 60; ++run)
    {
        MpaReassemblyStore store;
        std::map<uint64_t, uint8_t> held;
        const uint64_t base = run % 2 ? 0 : (uint64_t{1} << 32) - 500; // no wrap in here
        for (int step = 0; step < 200; ++step)
        {
            // lend some runs of new octets
            std::map<uint64_t, uint8_t> lent;
            std::vector<Octets> memory(1 + engine() % 3);
            for (auto& octets : memory)
            {
                const uint64_t start = base + engine() % 1000;
                while (octets.size() < engine() % 100 &&
                       held.count(start + octets.size()) + lent.count(start + octets.size()) == 0)
                {
                    octets.push_back(static_cast<uint8_t>(engine()));
                }
                for (std::size_t i = 0; i < octets.size(); ++i)
                {
                    lent[start + i] = octets[i];
                }
                if (!octets.empty())
                {
                    store.InsertReference(start, octets.data(), octets.size(), step, step % 2 != 0);
                }
            }
            Erase(engine, base, store, held, lent);
            NS_TEST_ASSERT_MSG_EQ(store.GetHeld(), held.size(), "lent octets do not count");
            if (engine() % 4 == 0)
            {
                store.Return();
            }
            else
            {
                uint32_t pieces = 0;
                NS_TEST_ASSERT_MSG_EQ(store.Keep(pieces), lent.size(), "copied");
                held.insert(lent.begin(), lent.end());
            }
            memory.clear();
            lent.clear();
            Erase(engine, base, store, held, lent);
            NS_TEST_ASSERT_MSG_EQ(store.GetHeld(), held.size(), "held");
            NS_TEST_ASSERT_MSG_EQ(store.IsEmpty(), held.empty(), "empty");
            Compare(engine, base, store, held);
        }
        store.Clear();
        NS_TEST_EXPECT_MSG_EQ(store.GetHeld(), 0, "cleared");
        NS_TEST_EXPECT_MSG_EQ(store.Contiguous(base), 0, "cleared");
    }
}
