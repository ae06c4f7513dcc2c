/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/roce-timely-rate.h"

#include <cmath>

using namespace ns3;

namespace
{

/// TIMELY without a simulator
IWARP_TEST_SUITE(roceTimely, "roce-timely");

/// Algorithm 1 of Mittal et al., TIMELY (SIGCOMM 2015), by hand: completions 100 us apart.
struct TimelyRateTest : TestCase
{
    using TestCase::TestCase;

    RoceTimelyRate m_engine{
        {MicroSeconds(50), MicroSeconds(500), MicroSeconds(20), 0.875, 0.8, 10e6, 5, 5, 10e6},
        10e9,
        5e9};
    int64_t m_now{0}; //!< us

    /// @param roundTrip of the next completion, us @param rate expected, Mbit/s
    void Expect(int64_t roundTrip, double rate)
    {
        m_now += 100;
        m_engine.NotifyRoundTrip(MicroSeconds(m_now), MicroSeconds(roundTrip));
        NS_TEST_EXPECT_MSG_EQ_TOL(m_engine.GetRate() / 1e6, rate, 1e-6, "at " << m_now << " us");
    }
};

IWARP_TEST(roceTimely, "The first round-trip time has no gradient", TimelyRateTest)
{
    Expect(100, 5010);
    NS_TEST_EXPECT_MSG_EQ(m_engine.GetGradient(), 0, "none");
}

IWARP_TEST(roceTimely, "Thresholds count whatever the gradient", TimelyRateTest)
{
    Expect(30, 5010);
    Expect(49, 5020); // rising, but low
    // 1 - 0.8 (1 - 500 / 1000), falling next
    Expect(1000, 5020 * 0.6);
    Expect(625, 5020 * 0.6 * (1 - 0.8 * 0.2));
}

IWARP_TEST(roceTimely, "Gradients, by hand", TimelyRateTest)
{
    Expect(100, 5010);
    // difference 8 us, average 7 us, gradient 0.35
    Expect(108, 5010 * (1 - 0.8 * 0.35));
    double rate = 5010 * 0.72;
    NS_TEST_EXPECT_MSG_EQ_TOL(m_engine.GetGradient(), 0.35, 1e-9, "of 20 us");
    // average 0.875 us: the gradient lasts
    rate *= 1 - 0.8 * 0.875 / 20;
    Expect(108, rate);
    // average 0.109375 - 0.875 us
    rate += 10;
    Expect(107, rate);
    NS_TEST_EXPECT_MSG_EQ_TOL(m_engine.GetGradient(), (0.109375 - 0.875) / 20, 1e-9, "falls");
}

IWARP_TEST(roceTimely, "After five falling round-trip times the rate rises faster", TimelyRateTest)
{
    Expect(300, 5010);
    for (int i = 1; i <= 4; i++)
    {
        Expect(300 - i, 5010 + 10 * i);
    }
    Expect(295, 5100);
    Expect(294, 5150);
    Expect(294, 5160); // none falls, and the average is still below 0
}

IWARP_TEST(roceTimely, "Completions within the least round-trip time count once", TimelyRateTest)
{
    Expect(100, 5010);
    m_engine.NotifyRoundTrip(MicroSeconds(m_now + 19), MicroSeconds(400));
    NS_TEST_EXPECT_MSG_EQ_TOL(m_engine.GetRate(), 5010e6, 1, "too close");
    NS_TEST_EXPECT_MSG_EQ(m_engine.GetGradient(), 0, "too close");
    m_engine.NotifyRoundTrip(MicroSeconds(m_now + 20), MicroSeconds(100));
    NS_TEST_EXPECT_MSG_EQ_TOL(m_engine.GetRate(), 5020e6, 1, "the next");
}

IWARP_TEST(roceTimely, "Neither below the floor nor above the line", TimelyRateTest)
{
    Expect(60, 5010);
    Expect(490, 2505); // a gradient of 18: half of it at most
    for (int i = 0; i < 10; i++)
    {
        m_now += 100;
        m_engine.NotifyRoundTrip(MicroSeconds(m_now), MicroSeconds(600 + 1000 * i));
    }
    NS_TEST_EXPECT_MSG_EQ(m_engine.GetRate(), 10e6, "the floor");
    for (int i = 0; i < 2000; i++)
    {
        m_now += 100;
        m_engine.NotifyRoundTrip(MicroSeconds(m_now), MicroSeconds(40));
    }
    NS_TEST_EXPECT_MSG_EQ(m_engine.GetRate(), 10e9, "the line's");
}

} // namespace
