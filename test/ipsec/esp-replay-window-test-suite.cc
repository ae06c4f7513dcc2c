/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/esp-replay-window.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;

/// The anti-replay window of ESP.
IWARP_TEST_SUITE(espReplayWindow, "esp-replay-window");

/// Packets of 32-bit sequence numbers in the order in which they arrive.
using Arrivals = std::vector<uint32_t>;

/// What a window made of arrivals.
struct WindowOutcome
{
    uint32_t fresh{0};    //!< taken
    uint32_t replayed{0}; //!< refused as seen before
    uint32_t tooOld{0};   //!< refused as left of the window
};

/// \param window to try \param arrivals packets \return what became of them
static WindowOutcome
Receive(EspReplayWindow& window, const Arrivals& arrivals)
{
    WindowOutcome outcome;
    for (uint32_t low : arrivals)
    {
        const uint64_t sequence = window.Extend(low);
        switch (window.Validate(sequence))
        {
        case EspFreshness::FRESH:
            ++outcome.fresh;
            window.Accept(sequence);
            break;
        case EspFreshness::REPLAYED:
            ++outcome.replayed;
            break;
        case EspFreshness::TOO_OLD:
            ++outcome.tooOld;
            break;
        }
    }
    return outcome;
}

/// The first packet has number 1 (RFC 4303 section 2.2): none has 0.
IWARP_TEST(espReplayWindow, "no packet has the number 0")
{
    EspReplayWindow window(64, false);
    NS_TEST_EXPECT_MSG_EQ((window.Validate(0) == EspFreshness::TOO_OLD), true, "at first");
    window.Accept(1);
    NS_TEST_EXPECT_MSG_EQ((window.Validate(0) == EspFreshness::TOO_OLD), true, "nor later");
}

/// A window against a set that forgets nothing.
IWARP_TEST(espReplayWindow, "random arrivals against a set of all that was seen")
{
    std::mt19937 random(14);
    for (uint32_t size : {32U, 33U, 63U, 64U, 65U, 100U, 128U, 1000U, 4096U})
    {
        EspReplayWindow window(size, false);
        std::set<uint64_t> seen;
        uint64_t top = 0;
        for (uint32_t i = 0; i < 20000; ++i)
        {
            // around the window, sometimes far to the right of it
            const uint64_t from = top < 2 * size ? 0 : top - 2 * size;
            const uint64_t span = i % 500 == 0 ? 20 * size : 2 * size + 8;
            const uint64_t sequence = from + random() % span;
            const EspFreshness expected = sequence == 0 || sequence + size <= top
                                              ? EspFreshness::TOO_OLD
                                          : seen.count(sequence) ? EspFreshness::REPLAYED
                                                                 : EspFreshness::FRESH;
            NS_TEST_ASSERT_MSG_EQ((window.Validate(sequence) == expected),
                                  true,
                                  "window " << size << " top " << top << " packet " << sequence);
            if (expected == EspFreshness::FRESH && random() % 4 != 0) // others fail their ICV
            {
                window.Accept(sequence);
                seen.insert(sequence);
                top = std::max(top, sequence);
                NS_TEST_ASSERT_MSG_EQ(window.GetTop(), top, "right edge");
            }
        }
    }
}

/// What reordering costs, in closed form.
struct EspWindowReordering : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t SPACING = 97; //!< of packets that are late

    /// \param size of the window \param packets sent \param late packets by which each 100th is
    /// late \return what became of them
    static WindowOutcome Late(uint32_t size, uint32_t packets, uint32_t late)
    {
        std::vector<std::pair<uint64_t, uint32_t>> order; // when, which
        for (uint32_t i = 1; i <= packets + late; ++i)
        {
            const bool delayed = i % SPACING == 50 && i <= packets;
            order.emplace_back(delayed ? 2ULL * (i + late) + 1 : 2ULL * i, i);
        }
        std::sort(order.begin(), order.end());
        Arrivals arrivals;
        for (const auto& entry : order)
        {
            arrivals.push_back(entry.second);
        }
        EspReplayWindow window(size, false);
        WindowOutcome outcome = Receive(window, arrivals);
        outcome.fresh -= late; // those behind, which only let the last ones be late
        return outcome;
    }
};

IWARP_TEST(espReplayWindow, "losses under reordering in closed form", EspWindowReordering)
{
    constexpr uint32_t PACKETS = 16000;
    for (uint32_t size : {32U, 64U, 100U, 1024U})
    {
        // every 97th packet comes late by so many: it is lost if as many as the window has
        // have gone by
        for (uint32_t late : {1U, 31U, 32U, 63U, 64U, 99U, 100U, 1023U, 1024U})
        {
            const WindowOutcome outcome = Late(size, PACKETS, late);
            const uint32_t delayed = (PACKETS - 50) / SPACING + 1;
            NS_TEST_ASSERT_MSG_EQ(outcome.tooOld, (late < size ? 0 : delayed), size);
            NS_TEST_ASSERT_MSG_EQ(outcome.fresh, PACKETS - outcome.tooOld, size);
        }
        // blocks that come the wrong way round: of each as many as the window has are taken
        for (uint32_t block : {10U, 32U, 50U, 500U, 2000U})
        {
            Arrivals arrivals(PACKETS);
            std::iota(arrivals.begin(), arrivals.end(), 1);
            for (uint32_t at = 0; at < PACKETS; at += block)
            {
                std::reverse(arrivals.begin() + at, arrivals.begin() + at + block);
            }
            EspReplayWindow window(size, false);
            const WindowOutcome outcome = Receive(window, arrivals);
            NS_TEST_ASSERT_MSG_EQ(outcome.fresh,
                                  PACKETS / block * std::min(block, size),
                                  "blocks of " << block << " at a window of " << size);
            // all of it once more: nothing is taken twice, and the window knows its last ones
            const WindowOutcome again = Receive(window, arrivals);
            NS_TEST_ASSERT_MSG_EQ(again.fresh, 0, "replay");
            NS_TEST_ASSERT_MSG_EQ(again.replayed, size, "replay in the window");
            NS_TEST_ASSERT_MSG_EQ(again.tooOld, PACKETS - size, "replay left of it");
        }
    }
    EspReplayWindow off(0, false);
    const WindowOutcome all = Receive(off, Arrivals(100, 5));
    NS_TEST_ASSERT_MSG_EQ(all.fresh, 100, "no anti-replay service, no refusal");
}

/// Extended sequence numbers, as RFC 4303 Appendix A2 has them.
IWARP_TEST(espReplayWindow, "the upper half of extended sequence numbers")
{
    /// A right edge, the lower half in a packet, and the whole number that it means.
    struct Row
    {
        uint64_t top;
        uint32_t low;
        uint64_t sequence;
    };

    for (const auto& row : {
             // A2.1 case A: the window of 64 lies in one subspace
             Row{0x00000003000000FF, 0x00000100, 0x0000000300000100},
             Row{0x00000003000000FF, 0x000000C0, 0x00000003000000C0}, // its left edge
             Row{0x00000003000000FF, 0x000000BF, 0x00000004000000BF}, // left of it: the next
             Row{0x00000003000000FF, 0xFFFFFFFF, 0x00000003FFFFFFFF},
             Row{0x00000003FFFFFFF0, 0x00000005, 0x0000000400000005},
             Row{0x000000000000003F, 0x00000000, 0x0000000000000000},
             // A2.1 case B: it lies in two
             Row{0x0000000300000010, 0x00000011, 0x0000000300000011},
             Row{0x0000000300000010, 0x00000000, 0x0000000300000000},
             Row{0x0000000300000010, 0xFFFFFFD1, 0x00000002FFFFFFD1}, // its left edge
             Row{0x0000000300000010, 0xFFFFFFD0, 0x00000003FFFFFFD0},
             Row{0x0000000300000010, 0xFFFFFFFF, 0x00000002FFFFFFFF},
             // there is nothing before the first packet
             Row{0x0000000000000000, 0x00000001, 0x0000000000000001},
             Row{0x0000000000000010, 0xFFFFFFFF, 0x0000000000000000},
         })
    {
        EspReplayWindow window(64, true);
        if (row.top > 0)
        {
            window.Accept(row.top);
        }
        NS_TEST_ASSERT_MSG_EQ(window.Extend(row.low),
                              row.sequence,
                              "top " << row.top << " packet " << row.low);
    }
    // a run across the boundary: nothing is refused, and nothing taken twice
    EspReplayWindow window(64, true);
    window.Accept(0x00000001FFFFFF00);
    Arrivals arrivals(512);
    std::iota(arrivals.begin(), arrivals.end(), 0xFFFFFF01);
    for (std::size_t i = 0; i + 8 <= arrivals.size(); i += 8)
    {
        std::reverse(arrivals.begin() + i, arrivals.begin() + i + 8);
    }
    NS_TEST_ASSERT_MSG_EQ(Receive(window, arrivals).fresh, 512, "across the boundary");
    NS_TEST_ASSERT_MSG_EQ(window.GetTop(), 0x0000000200000100, "right edge");
    const Arrivals last(arrivals.end() - 64, arrivals.end());
    NS_TEST_ASSERT_MSG_EQ(Receive(window, last).replayed, 64, "once more");
    // 32-bit sequence numbers do not go round (RFC 4303 section 3.3.3)
    EspReplayWindow plain(64, false);
    plain.Accept(0xFFFFFFFF);
    NS_TEST_ASSERT_MSG_EQ((plain.Validate(plain.Extend(1)) == EspFreshness::TOO_OLD),
                          true,
                          "behind the last one");
}
