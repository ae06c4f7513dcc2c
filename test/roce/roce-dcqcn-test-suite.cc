/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/roce-dcqcn-rate.h"
#include "ns3/roce-notification-point.h"
#include "ns3/roce-pacer.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

using namespace ns3;

namespace
{

/// DCQCN without a simulator
IWARP_TEST_SUITE(roceDcqcn, "roce-dcqcn");

constexpr double DCQCN_LINE = 40e9; //!< bit/s

/// @return the paper's figures (Zhu et al., SIGCOMM 2015), with a floor of 1 Mbit/s
RoceDcqcnSettings
GetPublished()
{
    return {1.0 / 256, MicroSeconds(55), MicroSeconds(55), 10'000'000, 5, 40e6, 400e6, 1e6};
}

/// Rates by hand, in Gbit/s.
struct DcqcnRateTest : TestCase
{
    using TestCase::TestCase;

    /// @param point it @param microseconds the clock @param rate expected, Gbit/s
    void Expect(RoceDcqcnRate& point, int64_t microseconds, double rate)
    {
        const double found = point.GetRate(MicroSeconds(microseconds)) / 1e9;
        NS_TEST_EXPECT_MSG_EQ_TOL(found, rate, 1e-9, "at " << microseconds << " us");
    }
};

IWARP_TEST(roceDcqcn, "Cuts, fast recovery and additive increase, by hand", DcqcnRateTest)
{
    RoceDcqcnRate point(GetPublished(), DCQCN_LINE);
    Expect(point, 1000, 40);
    // alpha is 1: the rate is halved, and alpha stays
    point.NotifyCnp(MicroSeconds(1000));
    Expect(point, 1000, 20);
    point.NotifyCnp(MicroSeconds(1050));
    Expect(point, 1050, 10);
    NS_TEST_EXPECT_MSG_EQ(point.GetAlpha(), 1, "alpha");
    NS_TEST_EXPECT_MSG_EQ(point.GetTarget(), 20e9, "target");
    // five times half the way back to 20
    Expect(point, 1104, 10);
    Expect(point, 1105, 15);
    Expect(point, 1160, 17.5);
    Expect(point, 1325, 19.6875);
    NS_TEST_EXPECT_MSG_EQ_TOL(point.GetAlpha(), std::pow(255.0 / 256, 5), 1e-12, "alpha falls");
    // from then on the target rises by 0.04
    Expect(point, 1380, (20.04 + 19.6875) / 2);
    Expect(point, 1435, (20.08 + (20.04 + 19.6875) / 2) / 2);
    // the next CNP cuts by alpha / 2, seven times 55 us later
    const double before = point.GetRate(MicroSeconds(1440));
    point.NotifyCnp(MicroSeconds(1440));
    const double alpha = std::pow(255.0 / 256, 7);
    Expect(point, 1440, before / 1e9 * (1 - alpha / 2));
    NS_TEST_EXPECT_MSG_EQ(point.GetTarget(), before, "where it was");
    NS_TEST_EXPECT_MSG_EQ_TOL(point.GetAlpha(), alpha * 255 / 256 + 1.0 / 256, 1e-12, "alpha");
}

IWARP_TEST(roceDcqcn, "A cut begins fast recovery anew, by hand", DcqcnRateTest)
{
    RoceDcqcnRate point(GetPublished(), DCQCN_LINE);
    point.NotifyCnp(MicroSeconds(0));
    Expect(point, 6 * 55, 40 - 20 / 64.0); // the sixth has begun to raise the target
    point.NotifyCnp(MicroSeconds(6 * 55));
    const double target = 40 - 20 / 64.0;
    const double rate = target * (1 - std::pow(255.0 / 256, 6) / 2);
    Expect(point, 6 * 55, rate);
    Expect(point, 7 * 55, (target + rate) / 2);
    NS_TEST_EXPECT_MSG_EQ_TOL(point.GetTarget(), target * 1e9, 1, "the target stays, five times");
    // half the difference each time: 20 Gbit/s / 2^35 is less than a part in 10^9 of the line
    RoceDcqcnRate whole(GetPublished(), DCQCN_LINE);
    whole.NotifyCnp(MicroSeconds(0));
    NS_TEST_EXPECT_MSG_EQ(whole.GetRate(MicroSeconds(35 * 55)), DCQCN_LINE, "all of the line");
}

IWARP_TEST(roceDcqcn, "The byte counter, and hyper increase, by hand", DcqcnRateTest)
{
    RoceDcqcnSettings settings = GetPublished();
    settings.increase = 1000;
    RoceDcqcnRate point(settings, DCQCN_LINE);
    point.NotifySent(MicroSeconds(1), 5000); // nothing limits it yet
    point.NotifyCnp(MicroSeconds(10));
    Expect(point, 10, 20);
    point.NotifySent(MicroSeconds(11), 999);
    Expect(point, 11, 20);
    point.NotifySent(MicroSeconds(12), 1);
    Expect(point, 12, 30);
    point.NotifySent(MicroSeconds(13), 3000); // three times
    Expect(point, 13, 38.75);
    point.NotifySent(MicroSeconds(14), 999); // of no use behind a cut
    // target and rate fall by half again; counters begin anew
    point.NotifyCnp(MicroSeconds(20));
    point.NotifyCnp(MicroSeconds(21));
    NS_TEST_EXPECT_MSG_EQ_TOL(point.GetTarget(), 19.375e9, 1, "target");
    Expect(point, 21, 9.6875);
    RoceDcqcnRate anew = point;
    anew.NotifySent(MicroSeconds(22), 999);
    Expect(anew, 22, 9.6875);
    // six times the timer, five of them recover; six times the counter: the last is the first of
    // both
    double rate = 9.6875;
    double target = 19.375;
    for (int i = 0; i < 6; i++)
    {
        target += i == 5 ? 0.04 : 0;
        rate = (rate + target) / 2;
    }
    Expect(point, 21 + 6 * 55, rate);
    for (int i = 0; i < 5; i++)
    {
        target += 0.04; // the timer has come more than five times
        rate = (rate + target) / 2;
    }
    point.NotifySent(MicroSeconds(21 + 6 * 55), 5000);
    Expect(point, 21 + 6 * 55, rate);
    target += 0.4;
    rate = (rate + target) / 2;
    point.NotifySent(MicroSeconds(21 + 6 * 55), 1000);
    Expect(point, 21 + 6 * 55, rate);
    target += 0.4; // seven and six: the rarer counts
    rate = (rate + target) / 2;
    Expect(point, 21 + 7 * 55, rate);
    target += 0.8;
    rate = (rate + target) / 2;
    point.NotifySent(MicroSeconds(21 + 7 * 55), 1000);
    Expect(point, 21 + 7 * 55, rate);
}

IWARP_TEST(roceDcqcn, "Neither below the floor nor above the line", DcqcnRateTest)
{
    RoceDcqcnRate point(GetPublished(), DCQCN_LINE);
    for (int i = 0; i < 100; i++)
    {
        point.NotifyCnp(MicroSeconds(i));
    }
    Expect(point, 100, 0.001);
    Expect(point, 1'000'000, 40);
    NS_TEST_EXPECT_MSG_EQ(point.GetTarget(), DCQCN_LINE, "target");
    Expect(point, 3'600'000'000, 40);
    NS_TEST_EXPECT_MSG_LT(point.GetAlpha(), 1e-300, "forgotten");
    RoceDcqcnRate slow(GetPublished(), 5e5);
    slow.NotifyCnp(MicroSeconds(1));
    NS_TEST_EXPECT_MSG_EQ(slow.GetRate(MicroSeconds(1)), 5e5, "the line is slower than the floor");
}

/**
 * Whether it is asked often or seldom, the rate is the same: timers that are not there come when
 * they would.
 */
IWARP_TEST(roceDcqcn, "The rate does not depend on who asks")
{
    std::mt19937 random(7);
    for (int round = 0; round < 20; round++)
    {
        RoceDcqcnRate seldom(GetPublished(), DCQCN_LINE);
        RoceDcqcnRate often(GetPublished(), DCQCN_LINE);
        int64_t now = 0;
        for (int i = 0; i < 30; i++)
        {
            const int64_t next = now + std::uniform_int_distribution<int64_t>(1, 2000)(random);
            for (; now < next; now++)
            {
                often.GetRate(MicroSeconds(now));
            }
            seldom.NotifyCnp(MicroSeconds(now));
            often.NotifyCnp(MicroSeconds(now));
        }
        const double rate = often.GetRate(MicroSeconds(now + 777));
        NS_TEST_EXPECT_MSG_EQ_TOL(seldom.GetRate(MicroSeconds(now + 777)), rate, 1e-6 * rate, "R");
        NS_TEST_EXPECT_MSG_EQ_TOL(seldom.GetAlpha(), often.GetAlpha(), 1e-9, "alpha");
    }
}

IWARP_TEST(roceDcqcn, "When CNPs go")
{
    RoceNotificationPoint point(MicroSeconds(50));
    std::string text;
    for (const int64_t at : {0, 1, 49, 50, 51, 99, 100, 1000, 1049, 1050})
    {
        text += point.NotifyMarked(MicroSeconds(at)) ? 'C' : '-';
    }
    NS_TEST_EXPECT_MSG_EQ(text, "C--C--CC-C", "at most one in 50 us, the first at once");
}

IWARP_TEST(roceDcqcn, "Packets are spaced by the rate, bursts too")
{
    RocePacer pacer(0);
    NS_TEST_EXPECT_MSG_EQ(pacer.Advance(MicroSeconds(1), 1e9), true, "nothing is owed");
    NS_TEST_EXPECT_MSG_EQ(pacer.Charge(1000, false), true, "a packet is a burst");
    NS_TEST_EXPECT_MSG_EQ(pacer.GetWait(1e9), MicroSeconds(8), "8000 bits");
    NS_TEST_EXPECT_MSG_EQ(pacer.Advance(MicroSeconds(5), 1e9), false, "4000 are owed");
    NS_TEST_EXPECT_MSG_EQ(pacer.GetWait(2e9), MicroSeconds(2), "at twice the rate");
    NS_TEST_EXPECT_MSG_EQ(pacer.Advance(MicroSeconds(9), 2e9), true, "2 us late");
    pacer.Charge(1000, false);
    NS_TEST_EXPECT_MSG_EQ(pacer.GetWait(1e9), MicroSeconds(4), "the mean is kept");
    NS_TEST_EXPECT_MSG_EQ(pacer.Advance(Seconds(1), 1e9), true, "long after");
    pacer.Charge(1000, false);
    NS_TEST_EXPECT_MSG_EQ(pacer.GetWait(1e9), Time(0), "a credit of one packet");
    pacer.Charge(1000, false);
    NS_TEST_EXPECT_MSG_EQ(pacer.GetWait(1e9), MicroSeconds(8), "and no more");

    RocePacer bursts(2500);
    NS_TEST_EXPECT_MSG_EQ(bursts.Charge(1000, false), false, "two packets");
    NS_TEST_EXPECT_MSG_EQ(bursts.Charge(1000, false), false, "go at once");
    NS_TEST_EXPECT_MSG_EQ(bursts.GetWait(1e9), Time(0), "and a third");
    NS_TEST_EXPECT_MSG_EQ(bursts.Charge(1000, false), true, "completes a burst");
    NS_TEST_EXPECT_MSG_EQ(bursts.GetWait(1e9), MicroSeconds(24), "for all three");
    bursts.Clear(MicroSeconds(1));
    NS_TEST_EXPECT_MSG_EQ(bursts.Charge(100, true), true, "the end of a message does");
    NS_TEST_EXPECT_MSG_EQ(bursts.GetWait(1e9), NanoSeconds(800), "for what there is");
}

} // namespace
