/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-switch-bench.h"

#include "ns3/fifo-queue-disc.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-priorities.h"
#include "ns3/path-priority-queue-disc.h"
#include "ns3/path-priority-scheduler.h"
#include "ns3/queue-disc.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Priorities of a link's queues
IWARP_TEST_SUITE(pathPriority, "path-priority");

IWARP_TEST(pathPriority, "priorities of DSCPs")
{
    PathPriorities eight(8);
    const std::vector<std::pair<int, int>> known{{0, 0}, {7, 0}, {8, 1}, {26, 3}, {46, 5}, {63, 7}};
    for (const auto& [dscp, priority] : known)
    { // CS0 to CS7 (RFC 2474 section 4.2.2.2), AF31, EF
        NS_TEST_EXPECT_MSG_EQ(+eight.Get(dscp << 2 | 1), priority, "class selectors");
    }
    NS_TEST_EXPECT_MSG_EQ(eight.ParseMap("26:6, 0:1"), "", "a map");
    NS_TEST_EXPECT_MSG_EQ(+eight.Get(26 << 2 | 3), 6, "whatever ECN says");
    NS_TEST_EXPECT_MSG_EQ(+eight.Get(0), 1, "the other one");
    NS_TEST_EXPECT_MSG_EQ(+eight.Get(27 << 2), 3, "not in the map");
    PathPriorities two(2);
    NS_TEST_EXPECT_MSG_EQ(+two.Get(46 << 2), 1, "the greatest");
    for (const std::string map : {"26", "26:2", "64:0", "-1:0", "a:1", "26:1:1", ":", ","})
    {
        NS_TEST_EXPECT_MSG_NE(two.ParseMap(map), "", map);
    }
    for (const std::string weights : {"1", "1,2,3", "1,-1", "1,1001", "1,", "x,1"})
    {
        NS_TEST_EXPECT_MSG_NE(two.ParseWeights(weights), "", weights);
    }
    uint8_t mask = 0;
    NS_TEST_EXPECT_MSG_EQ(ParsePrioritySet("all", 2, mask), "", "all");
    NS_TEST_EXPECT_MSG_EQ(+mask, 3, "both");
    NS_TEST_EXPECT_MSG_EQ(ParsePrioritySet("7,2", 8, mask), "", "two of eight");
    NS_TEST_EXPECT_MSG_EQ(+mask, 0x84, "those two");
    for (const std::string set : {"", "2", "0,2", "none"})
    {
        NS_TEST_EXPECT_MSG_NE(ParsePrioritySet(set, 2, mask), "", set);
    }
}

IWARP_TEST(pathPriority, "strict priorities go first, the highest before all")
{
    PathPriorityScheduler scheduler({1, 0, 2, 0});
    NS_TEST_EXPECT_MSG_EQ(scheduler.Choose(0).has_value(), false, "nobody");
    NS_TEST_EXPECT_MSG_EQ(+*scheduler.Choose(0xF), 3, "the highest strict one");
    NS_TEST_EXPECT_MSG_EQ(+*scheduler.Choose(0x7), 1, "the other one");
    NS_TEST_EXPECT_MSG_EQ(+*scheduler.Choose(0x4), 2, "alone");
    NS_TEST_EXPECT_MSG_EQ(+*scheduler.Choose(0x1), 0, "alone");
}

/**
 * Octets that priorities with packets send are as their weights: each differs from its part by a
 * turn and a packet at most, as the law of deficit round robin says, for random weights and sizes.
 */
IWARP_TEST(pathPriority, "shares are as weights")
{
    std::mt19937 random(30);
    for (uint32_t round = 0; round < 200; round++)
    {
        const uint32_t count = 2 + random() % 7;
        std::vector<uint32_t> weights;
        double all = 0;
        for (uint32_t i = 0; i < count; i++)
        {
            weights.push_back(1 + random() % 20);
            all += weights.back();
        }
        const uint32_t most = round % 2 == 0 ? 1500 : 9000;
        PathPriorityScheduler scheduler(weights);
        std::vector<double> sent(count, 0);
        for (uint32_t i = 0; i < 20000; i++)
        {
            const uint8_t priority = *scheduler.Choose(static_cast<uint8_t>((1U << count) - 1));
            const uint32_t size = 64 + random() % (most - 63);
            scheduler.Charge(priority, size);
            sent[priority] += size;
        }
        double turns = 0;
        for (uint32_t i = 0; i < count; i++)
        {
            turns += sent[i] / all / PathPriorityScheduler::QUANTUM;
        }
        for (uint32_t i = 0; i < count; i++)
        {
            const double turn = weights[i] * double(PathPriorityScheduler::QUANTUM);
            const double allowed = 2 * (turn + most) + 2.0 * weights[i] / all * count * most;
            NS_TEST_EXPECT_MSG_LT_OR_EQ(std::abs(sent[i] - turns * turn), allowed, "its part");
        }
    }
}

/// Weights times 1500 octets are as many packets of 1500 octets a turn, and none more.
IWARP_TEST(pathPriority, "credit that is used up ends a turn")
{
    PathPriorityScheduler scheduler({1, 2});
    std::string order;
    for (uint32_t i = 0; i < 9; i++)
    {
        const uint8_t priority = *scheduler.Choose(3);
        scheduler.Charge(priority, PathPriorityScheduler::QUANTUM);
        order += std::to_string(priority);
    }
    NS_TEST_EXPECT_MSG_EQ(order, "110110110", "two of one, one of the other");
}

IWARP_TEST(pathPriority, "who has nothing to send saves nothing")
{
    PathPriorityScheduler scheduler({1, 1});
    for (uint32_t i = 0; i < 1000; i++)
    {
        scheduler.Charge(*scheduler.Choose(1), 1500);
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < 20; i++)
    {
        const uint8_t priority = *scheduler.Choose(3);
        scheduler.Charge(priority, 1500);
        first += priority == 0;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(first, 10U, 1U, "half of them each");
}

/// A queue disc alone: what it gives out, and what a gate holds back.
class PriorityDiscTest : public TestCase
{
  protected:
    explicit PriorityDiscTest(const std::string& title) //!< @param title of the case
        : TestCase(title)
    {
    }

    /// @param count priorities @return disc with FIFOs
    static Ptr<PathPriorityQueueDisc> MakeDisc(uint8_t count)
    {
        auto disc = CreateObject<PathPriorityQueueDisc>();
        disc->SetPriorities(PathPriorities(count),
                            [](uint8_t) { return CreateObject<FifoQueueDisc>(); });
        disc->Initialize();
        return disc;
    }

    /// @param dscp of the datagram @return item
    static Ptr<Ipv4QueueDiscItem> MakeItem(uint8_t dscp)
    {
        Ipv4Header header;
        header.SetTos(static_cast<uint8_t>(dscp << 2 | 1));
        return Create<Ipv4QueueDiscItem>(Create<Packet>(100), Address(), 0x0800, header);
    }

    /// @param disc it @return TOS of all that it gives out
    static std::vector<int> Empty(const Ptr<QueueDisc>& disc)
    {
        std::vector<int> tos;
        while (const auto item = DynamicCast<Ipv4QueueDiscItem>(disc->Dequeue()))
        {
            tos.push_back(item->GetHeader().GetTos());
        }
        return tos;
    }
};

IWARP_TEST(pathPriority, "a gate holds one priority back", PriorityDiscTest)
{
    const auto disc = MakeDisc(8);
    for (const uint8_t priority : {0, 3, 5, 3})
    {
        disc->Enqueue(MakeItem(priority * 8));
    }
    disc->GetGate()->Pause(3);
    NS_TEST_EXPECT_MSG_EQ((Empty(disc) == std::vector<int>{161, 1}), true, "5, then 0");
    NS_TEST_EXPECT_MSG_EQ(disc->GetNPackets(), 2U, "3 waits");
    NS_TEST_EXPECT_MSG_EQ(+disc->GetGate()->GetPaused(), 8, "bit 3");
    Simulator::Destroy();
}

IWARP_TEST(pathPriority, "datagrams without a DSCP get the adapter's", PriorityDiscTest)
{
    const auto disc = MakeDisc(8);
    disc->SetDscp(26);
    disc->Enqueue(MakeItem(0));
    disc->Enqueue(MakeItem(48));
    disc->GetGate()->Pause(3);
    NS_TEST_EXPECT_MSG_EQ((Empty(disc) == std::vector<int>{193}), true, "48 is kept, with ECN");
    const auto class3 = disc->GetQueueDiscClass(3)->GetQueueDisc();
    NS_TEST_EXPECT_MSG_EQ((Empty(class3) == std::vector<int>{105}), true, "0 is 26, with ECN");
    Simulator::Destroy();
}

/**
 * A link of 1 Gbit/s that two hosts of 10 Gbit/s share by weights of 1 and 3: while both have
 * packets waiting, of 400 datagrams that have come 100 and 300 are theirs.
 */
IWARP_TEST(pathPriority, "a link is shared by weights")
{
    for (const bool ipv6 : {false, true})
    {
        SwitchBench bench(ipv6);
        IwarpNetwork& network = bench.GetNetwork();
        network.AddRouter();
        IwarpNetwork::Link link{DataRate("10Gbps"), MicroSeconds(1), QueueSize("1000p")};
        link.priorities = PathPriorities(2);
        NS_TEST_EXPECT_MSG_EQ(link.priorities.ParseWeights("1,3"), "", "weights");
        network.AddHost(0, link);
        network.AddHost(0, link);
        link.rate = DataRate("1Gbps");
        network.AddHost(0, link);
        bench.Start();
        std::array<double, 2> came{};
        DynamicCast<PointToPointNetDevice>(network.GetHostDevice(2))
            ->TraceConnectWithoutContext(
                "PhyRxEnd",
                iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>>>(
                    [&came, ipv6](Ptr<const Packet> packet) {
                        std::array<uint8_t, 4> head{};
                        packet->CopyData(head.data(), head.size());
                        const int dscp = ipv6 ? (head[2] & 15) << 2 | head[3] >> 6 : head[3] >> 2;
                        came[dscp / 8]++;
                    }));
        bench.Send(MilliSeconds(1), 0, 2, 0, {{500, 1500}});
        bench.Send(MilliSeconds(1), 1, 2, 8, {{500, 1500}});
        Simulator::Stop(MilliSeconds(1) + 400 * NanoSeconds(12304));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(came[0], 100, 3, "a quarter");
        NS_TEST_EXPECT_MSG_EQ_TOL(came[1], 300, 3, "three quarters");
        Simulator::Destroy();
    }
}

} // namespace
