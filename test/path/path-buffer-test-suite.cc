/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-switch-bench.h"

#include "ns3/iwarp-queue-disc.h"
#include "ns3/path-buffer.h"
#include "ns3/path-headroom.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Memory of switches
IWARP_TEST_SUITE(pathBuffer, "path-buffer");

using BufferVerdict = PathBuffer::Verdict; //!< what becomes of a datagram

/**
 * Queues that always want more have alpha B / (1 + alpha S) each of B octets (Choudhury and Hahne
 * 1998, equation 3), and what nobody has is B / (1 + alpha S).
 */
IWARP_TEST(pathBuffer, "dynamic thresholds by the closed form")
{
    constexpr uint64_t MEMORY = 12'000'000;
    constexpr uint64_t SIZE = 1500;
    for (const double alpha : {0.125, 0.5, 1.0, 2.0, 8.0})
    {
        for (const uint32_t queues : {1, 2, 7, 32})
        {
            PathBuffer::Settings settings;
            settings.size = MEMORY;
            settings.alpha.fill(alpha);
            PathBuffer buffer(settings);
            for (uint32_t i = 0; i < queues; i++)
            {
                buffer.AddPort({});
            }
            for (bool any = true; any;)
            {
                any = false;
                for (uint32_t i = 0; i < queues; i++)
                {
                    any |= buffer.Add(i, 0, SIZE) == BufferVerdict::ACCEPTED;
                }
            }
            const double each = alpha * MEMORY / (1 + alpha * queues);
            for (uint32_t i = 0; i < queues; i++)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(double(buffer.GetLength(i, 0)),
                                          each,
                                          (1 + alpha) * SIZE,
                                          alpha << ", " << queues);
            }
        }
    }
}

/// A queue with a smaller alpha has less, one that comes late finds what is kept free for it.
IWARP_TEST(pathBuffer, "each priority has its alpha")
{
    PathBuffer::Settings settings;
    settings.size = 1'000'000;
    settings.alpha[0] = 1;
    settings.alpha[1] = 0.25;
    PathBuffer buffer(settings);
    buffer.AddPort({2});
    while (buffer.Add(0, 1, 100) == BufferVerdict::ACCEPTED)
    {
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(double(buffer.GetLength(0, 1)), 200'000.0, 200, "1/4 of 4/5");
    while (buffer.Add(0, 0, 100) == BufferVerdict::ACCEPTED)
    {
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(double(buffer.GetLength(0, 0)), 400'000.0, 200, "half of the rest");
}

IWARP_TEST(pathBuffer, "a reserve is its queue's alone")
{
    PathBuffer::Settings settings;
    settings.size = 100'000;
    settings.reserve = 3000;
    settings.alpha.fill(1024);
    PathBuffer buffer(settings);
    buffer.AddPort({});
    buffer.AddPort({});
    NS_TEST_EXPECT_MSG_EQ(buffer.GetShared(), 94'000U, "without two reserves");
    while (buffer.Add(0, 0, 1000) == BufferVerdict::ACCEPTED)
    {
    }
    NS_TEST_EXPECT_MSG_EQ(buffer.GetLength(0, 0), 97'000U, "all but the other's reserve");
    for (uint32_t i = 0; i < 3; i++)
    {
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(1, 0, 1000) == BufferVerdict::ACCEPTED), true, "in it");
    }
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(1, 0, 1) == BufferVerdict::NO_SHARED), true, "full");
}

IWARP_TEST(pathBuffer, "headroom and reserves have to leave something")
{
    PathBuffer::Settings settings;
    settings.size = 10'000;
    PathBuffer buffer(settings);
    buffer.AddPort({8, 0x0C, 0, 0, 4000});
    NS_TEST_EXPECT_MSG_EQ(buffer.Check(), "", "8000 of 10000");
    buffer.AddPort({8, 0x01, 0, 0, 2000});
    NS_TEST_EXPECT_MSG_NE(buffer.Check(), "", "all of it");
}

/// What a queue disc drops behind the memory of the switch leaves it: of 50 datagrams those above
/// the threshold of 5 are no longer there, so that the host does not pause for them, and in the end
/// nothing is.
IWARP_TEST(pathBuffer, "what is dropped is in no memory")
{
    SwitchBench bench(false);
    IwarpNetwork& network = bench.GetNetwork();
    network.AddRouter();
    IwarpNetwork::Link link{DataRate("1Gbps"), MicroSeconds(1), QueueSize("1000p")};
    iwarp::QueueDiscSettings settings;
    settings.kind = iwarp::QueueDiscKind::THRESHOLD;
    settings.threshold = QueueSize("5p");
    link.queueDisc = iwarp::MakeQueueDiscFactory(settings, link.rate, link.delay);
    link.buffer.size = 1'000'000;
    network.AddHost(0, link);
    network.AddHost(0, link);
    link.rate = DataRate("1Mbps");
    network.AddHost(0, link);
    bench.Start();
    for (const uint32_t from : {0, 1})
    { // hosts have queues of their own
        for (uint32_t i = 0; i < 25; i++)
        {
            bench.Send(MilliSeconds(1 + i), from, 2, 0, {{1, 1500}});
        }
    }
    Simulator::Run();
    const auto& memory = bench.GetMemory(0);
    NS_TEST_EXPECT_MSG_LT(bench.GetReceived(2), 50, "some are dropped");
    NS_TEST_EXPECT_MSG_EQ(memory.GetDrops().shared, 0, "not for want of memory");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(memory.GetBuffer().GetPeak(), 7 * 1500, "five wait, one is sent");
    NS_TEST_EXPECT_MSG_EQ(memory.GetBuffer().GetOccupancy(), 0, "it is empty");
    Simulator::Destroy();
}

/// A static threshold: a pause above it, its end at the other one, the headroom to the octet.
IWARP_TEST(pathBuffer, "static thresholds")
{
    PathBuffer buffer({});
    buffer.AddPort({1, 1, 3000, 1000, 2000});
    buffer.Add(0, 0, 1500);
    buffer.Add(0, 0, 1500);
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), false, "at the threshold");
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(0, 0, 1500) == BufferVerdict::ACCEPTED), true, "headroom");
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), true, "above");
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(0, 0, 501) == BufferVerdict::NO_HEADROOM), true, "too much");
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(0, 0, 500) == BufferVerdict::ACCEPTED), true, "just so");
    buffer.Remove(0, 0, 1500);
    buffer.Remove(0, 0, 1500);
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), true, "2000 are left");
    buffer.Remove(0, 0, 1000);
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), false, "1000 are left");
    NS_TEST_EXPECT_MSG_EQ(buffer.GetOccupancy(), 1000U, "as counted");
    NS_TEST_EXPECT_MSG_EQ(buffer.GetPeak(), 5000U, "threshold and headroom");
}

/// Memory of a port: all of its priorities fill it, to the octet, and no other port does; a pause
/// goes on until its end.
IWARP_TEST(pathBuffer, "ports with memory of their own")
{
    PathBuffer buffer({});
    buffer.AddPort({2, 0, 0, 0, PathBuffer::UNLIMITED, 4500});
    buffer.AddPort({2, 1, 3000, 1000, PathBuffer::UNLIMITED, 4500});
    buffer.AddPort({2, 1, 3000, 1000});
    NS_TEST_EXPECT_MSG_EQ(buffer.CountsAtInput(0, 1), true, "all that came in by it");
    NS_TEST_EXPECT_MSG_EQ(buffer.CountsAtInput(2, 1), false, "lossless ones alone");
    for (const uint32_t port : {0, 1})
    {
        const auto full = port == 0 ? BufferVerdict::NO_SHARED : BufferVerdict::NO_HEADROOM;
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 1, 1400) == BufferVerdict::ACCEPTED), true, "1");
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 0, 1600) == BufferVerdict::ACCEPTED), true, "2");
        NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(port, 0), false, "1600 of it");
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 0, 1501) == full), true, "one octet too much");
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 0, 1500) == BufferVerdict::ACCEPTED), true, "3");
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 1, 1) == BufferVerdict::NO_SHARED), true, "full");
        NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(port, 0), (port == 1), "3100 where 3000 are many");
        buffer.Remove(port, 0, 1500);
        NS_TEST_EXPECT_MSG_EQ((buffer.Add(port, 1, 1500) == BufferVerdict::ACCEPTED), true, "4");
        buffer.Remove(port, 0, 1600);
        NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(port, 0), false, "all of its priority is gone");
    }
    NS_TEST_EXPECT_MSG_EQ(buffer.GetOccupancy(), 5800U, "two and two");
}

/// A dynamic threshold of a lossless queue, which falls as another queue takes memory.
IWARP_TEST(pathBuffer, "dynamic thresholds of pauses")
{
    PathBuffer::Settings settings;
    settings.size = 104'000;
    settings.offset = 3000;
    PathBuffer buffer(settings);
    buffer.AddPort({2, 1, 0, 0, 4000});
    uint64_t sent = 0;
    for (; !buffer.WantsPause(0, 0); sent += 1000)
    {
        buffer.Add(0, 0, 1000);
    }
    NS_TEST_EXPECT_MSG_EQ(sent, 51'000U, "half of 100000, and one that found it full");
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(0, 0, 3001) == BufferVerdict::NO_HEADROOM), true, "4001");
    NS_TEST_EXPECT_MSG_EQ((buffer.Add(0, 0, 3000) == BufferVerdict::ACCEPTED), true, "4000");
    for (; buffer.WantsPause(0, 0); sent -= 1000)
    {
        buffer.Remove(0, 0, 1000);
    }
    // 54000 were in; at x the threshold is 100000 - x, and x + 3000 has to be no more
    NS_TEST_EXPECT_MSG_EQ(buffer.GetLength(0, 0), 48'000U, "the first below 48500");
    while (buffer.Add(0, 1, 1000) == BufferVerdict::ACCEPTED)
    {
    }
    NS_TEST_EXPECT_MSG_EQ(buffer.GetLength(0, 1), 26'000U, "half of what was free");
    buffer.Add(0, 0, 1000);
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), true, "48000 are more than 26000 now");
    while (buffer.GetLength(0, 0) > 0)
    {
        buffer.Remove(0, 0, 1000);
    }
    NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(0, 0), false, "whatever is free");
}

/**
 * Whatever comes and goes: no more is in than the memory has, nothing is left at the end, and a
 * queue that is empty wants no pause.
 */
IWARP_TEST(pathBuffer, "laws of counting")
{
    std::mt19937 random(44);
    for (uint32_t round = 0; round < 300; round++)
    {
        PathBuffer::Settings settings;
        settings.size = 20'000 + random() % 200'000;
        settings.reserve = random() % 3 * 500;
        settings.offset = random() % 4000;
        for (auto& alpha : settings.alpha)
        {
            alpha = 1.0 / 16 * (1U << random() % 10);
        }
        PathBuffer buffer(settings);
        std::vector<uint64_t> inputs;
        for (uint32_t port = 0; port < 4; port++)
        {
            const auto lossless = static_cast<uint8_t>(random() % 16);
            inputs.push_back(random() % 3 * 8000);
            buffer.AddPort({4, lossless, random() % 2 * 9000, 5000, 600, inputs.back()});
        }
        if (!buffer.Check().empty())
        {
            continue;
        }

        struct Held
        {
            uint32_t port;    //!< of the queue
            uint8_t priority; //!< of the queue
            uint64_t octets;  //!< of the datagram
        };

        std::vector<Held> held;
        uint64_t octets = 0;
        for (uint32_t i = 0; i < 3000; i++)
        {
            const Held item{static_cast<uint32_t>(random() % 4),
                            static_cast<uint8_t>(random() % 4),
                            40 + random() % 1461};
            if (random() % 5 < 3 &&
                buffer.Add(item.port, item.priority, item.octets) == BufferVerdict::ACCEPTED)
            {
                held.push_back(item);
                octets += item.octets;
            }
            else if (!held.empty())
            {
                std::swap(held[random() % held.size()], held.back());
                buffer.Remove(held.back().port, held.back().priority, held.back().octets);
                octets -= held.back().octets;
                held.pop_back();
            }
            NS_TEST_ASSERT_MSG_EQ(buffer.GetOccupancy(), octets, "as counted");
            NS_TEST_ASSERT_MSG_LT_OR_EQ(octets, settings.size, "within the memory");
            uint64_t length = 0;
            for (uint8_t priority = 0; priority < 4; priority++)
            {
                length += buffer.GetLength(item.port, priority);
            }
            const uint64_t input = inputs[item.port];
            NS_TEST_ASSERT_MSG_EQ((input == 0 || length <= input), true, "within the port's");
        }
        for (const auto& item : held)
        {
            buffer.Remove(item.port, item.priority, item.octets);
        }
        NS_TEST_EXPECT_MSG_EQ(buffer.GetOccupancy(), 0U, "nothing is left");
        for (uint32_t queue = 0; queue < 16; queue++)
        {
            NS_TEST_EXPECT_MSG_EQ(buffer.GetLength(queue / 4, queue % 4), 0U, "of any queue");
            NS_TEST_EXPECT_MSG_EQ(buffer.WantsPause(queue / 4, queue % 4), false, "empty");
        }
    }
}

/**
 * In a network: two hosts send to each of S receivers whose links are as fast as theirs; the queue
 * of each receiver comes to alpha B / (1 + alpha S), and what came in went out or was dropped.
 */
IWARP_TEST(pathBuffer, "a switch shares its memory among saturated ports")
{
    constexpr uint32_t PORTS = 4;
    constexpr double MEMORY_OF_SWITCH = 1'000'000;
    for (const double alpha : {0.5, 2.0})
    {
        SwitchBench bench(false);
        IwarpNetwork& network = bench.GetNetwork();
        network.AddRouter();
        IwarpNetwork::Link link{DataRate("10Gbps"), MicroSeconds(1), QueueSize("10000p")};
        link.buffer.size = static_cast<uint64_t>(MEMORY_OF_SWITCH);
        link.buffer.alpha.fill(alpha);
        for (uint32_t i = 0; i < 3 * PORTS; i++)
        {
            network.AddHost(0, link);
        }
        bench.Start();
        for (uint32_t i = 0; i < 2 * PORTS; i++)
        {
            bench.Send(MilliSeconds(1), i, 2 * PORTS + i % PORTS, 0, {{2000, 1500}});
        }
        Simulator::Schedule(MilliSeconds(3), [&] {
            for (uint32_t port = 2 * PORTS; port < 3 * PORTS; port++)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(double(bench.GetMemory(0).GetBuffer().GetLength(port, 0)),
                                          alpha * MEMORY_OF_SWITCH / (1 + alpha * PORTS),
                                          2 * (1 + alpha) * 1500,
                                          "alpha " << alpha);
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.GetMemory(0).GetBuffer().GetOccupancy(), 0U, "empty");
        NS_TEST_EXPECT_MSG_GT(bench.GetMemory(0).GetDrops().shared, 0U, "too much was sent");
        NS_TEST_EXPECT_MSG_EQ(bench.CountReceived() + bench.GetMemory(0).GetDrops().shared,
                              bench.CountSent(),
                              "each datagram once");
        Simulator::Destroy();
    }
}

/// Two hosts at one switch and two at another, behind a link of 10 Mbit/s.
struct InputTest : TestCase
{
    /// @param title of the case
    explicit InputTest(const std::string& title)
        : TestCase(title)
    {
    }

    /// Have one host send three times as fast as the other, until 60 datagrams may have crossed
    /// the slow link. @param input memory of each port, octets @param ipv6 version
    /// @return those of the faster one
    uint64_t CountFaster(uint64_t input, bool ipv6)
    {
        SwitchBench bench(ipv6);
        IwarpNetwork& network = bench.GetNetwork();
        network.AddRouter();
        network.AddRouter();
        IwarpNetwork::Link link{DataRate("300Mbps"), MicroSeconds(1), QueueSize("10000p")};
        link.pause.inputBuffer = input;
        network.AddHost(0, link);
        network.AddHost(1, link);
        network.AddHost(1, link);
        link.rate = DataRate("100Mbps");
        network.AddHost(0, link);
        link.rate = DataRate("10Mbps");
        network.AddLink(0, 1, link);
        bench.Start();
        const Time begin = MilliSeconds(1);
        for (uint32_t flow = 0; flow < 3; flow++)
        {
            bench.Send(begin, 0, 1, 0, {{200, 1500}});
        }
        bench.Send(begin, 3, 2, 0, {{200, 1500}});
        Simulator::Stop(begin + 61 * MicroSeconds(1538 * 8 / 10));
        Simulator::Run();
        const uint64_t faster = bench.GetReceived(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(double(bench.CountReceived()), 60., 2, "a link's worth");
        Simulator::Destroy();
        return faster;
    }
};

/// Inputs have equal shares of an output, in packets, however fast and by how many flows they come;
/// in a queue of all of them shares are as rates.
IWARP_TEST(pathBuffer, "virtual output queues send in turn", InputTest)
{
    for (const bool ipv6 : {false, true})
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(double(CountFaster(1'000'000, ipv6)), 30., 2, "a half");
        NS_TEST_EXPECT_MSG_EQ_TOL(double(CountFaster(0, ipv6)), 45., 2, "three quarters");
    }
}

/**
 * What came in by a port finds the port's memory full whichever way it goes, and no other port is
 * the worse for it. Of 40 datagrams to a slow host one is on its way and 30 wait where there is
 * memory for 30; all 40 behind them to a fast host are lost, those of another port are not.
 */
IWARP_TEST(pathBuffer, "memory of ports")
{
    SwitchBench bench(false);
    IwarpNetwork& network = bench.GetNetwork();
    network.AddRouter();
    IwarpNetwork::Link link{DataRate("1Gbps"), MicroSeconds(1), QueueSize("5p")};
    link.pause.inputBuffer = 30 * 1500;
    network.AddHost(0, link);
    network.AddHost(0, link);
    network.AddHost(0, link);
    link.rate = DataRate("1Mbps");
    network.AddHost(0, link);
    bench.Start();
    for (uint32_t i = 0; i < 80; i++)
    { // hosts have queues of five
        bench.Send(MicroSeconds(1000 + 13 * i), 0, i < 40 ? 3 : 2, 0, {{1, 1500}});
        bench.Send(MicroSeconds(1000 + 13 * i), 1, 2, 0, {{i < 40 ? 1U : 0U, 1500}});
    }
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(bench.GetReceived(3), 31U, "to the slow host");
    NS_TEST_EXPECT_MSG_EQ(bench.GetReceived(2), 40U, "to the fast one, by the other port");
    NS_TEST_EXPECT_MSG_EQ(bench.GetMemory(0).GetDrops().shared, 49U, "the rest");
    NS_TEST_EXPECT_MSG_EQ(bench.GetMemory(0).GetBuffer().GetOccupancy(), 0U, "nothing is left");
    Simulator::Destroy();
}

/**
 * Random networks of switches in a row, hosts, sizes, classes and thresholds, loaded without mercy:
 * no datagram of a lossless priority is lost with the headroom that the links need, no memory holds
 * more than it has, and in the end all are empty.
 */
class LosslessLaw : public TestCase
{
  public:
    explicit LosslessLaw(uint32_t seed) //!< @param seed of what is random
        : TestCase("Lossless priorities lose nothing, seed " + std::to_string(seed)),
          m_random(seed)
    {
    }

  private:
    static constexpr uint8_t CLASSES = 3; //!< priorities

    /// @param most greatest @return number of 0 to most
    uint32_t Draw(uint32_t most)
    {
        return m_random() % (most + 1);
    }

    IwarpNetwork::Link DrawLink() //!< @return link, without its rate
    {
        IwarpNetwork::Link link{DataRate("10Gbps"), NanoSeconds(Draw(3000)), QueueSize("100000p")};
        link.mtu = Draw(1) == 0 ? 1500 : 4000;
        link.priorities = PathPriorities(CLASSES);
        link.priorities.ParseWeights(Draw(1) == 0 ? "" : "1,2,0");
        link.pause.priorities = static_cast<uint8_t>(1 + Draw(6));
        link.pause.response = NanoSeconds(Draw(500));
        link.pause.xoff = Draw(1) * (4000 + Draw(20000));
        link.pause.xon = link.pause.xoff / 2;
        link.hasAutoHeadroom = true;
        link.buffer.size = Draw(3) == 0 && link.pause.xoff > 0 ? 0 : 3'000'000;
        link.buffer.alpha.fill(1.0 / 8 * (1U << Draw(4)));
        link.buffer.reserve = Draw(1) * 1000;
        link.buffer.offset = 3072;
        return link;
    }

    void DoRun() override
    {
        const bool ipv6 = Draw(1) == 1;
        SwitchBench bench(ipv6);
        IwarpNetwork& network = bench.GetNetwork();
        IwarpNetwork::Link link = DrawLink();
        const uint32_t routers = 1 + Draw(2);
        for (uint32_t router = 0; router < routers; router++)
        {
            network.AddRouter();
            if (router > 0)
            {
                link.rate = DataRate(Draw(1) == 0 ? "10Gbps" : "25Gbps");
                network.AddLink(router - 1, router, link);
            }
        }
        const uint32_t hosts = 4 + Draw(8);
        for (uint32_t host = 0; host < hosts; host++)
        {
            link.rate = DataRate(Draw(2) == 0 ? "1Gbps" : "10Gbps");
            link.delay = NanoSeconds(Draw(3000));
            network.AddHost(Draw(routers - 1), link);
        }
        NS_TEST_ASSERT_MSG_EQ(network.GetProblem(), "", "it can be built");
        bench.Start();
        uint64_t lossless = 0;
        for (uint32_t i = 0; i < 4 * hosts; i++)
        {
            const uint32_t to = Draw(3) == 0 ? Draw(hosts - 1) : 0; // most of it an incast
            const uint32_t from = (to + 1 + Draw(hosts - 2)) % hosts;
            const uint32_t count = 20 + Draw(300);
            const auto priority = static_cast<uint8_t>(Draw(CLASSES - 1));
            lossless += link.pause.priorities >> priority & 1 ? count : 0;
            bench.Send(MilliSeconds(1) + NanoSeconds(Draw(200'000)),
                       from,
                       to,
                       priority * 8,
                       {{count, 60 + Draw(link.mtu - 60)}});
        }
        Simulator::Run();
        uint64_t shared = 0;
        for (uint32_t router = 0; router < routers; router++)
        {
            if (router < network.GetMemories().size() && network.GetMemories()[router])
            {
                const auto& memory = bench.GetMemory(router);
                NS_TEST_EXPECT_MSG_EQ(memory.GetDrops().headroom, 0U, "headroom is enough");
                NS_TEST_EXPECT_MSG_EQ(memory.GetBuffer().GetOccupancy(), 0U, "all has left");
                NS_TEST_EXPECT_MSG_EQ((!memory.GetBuffer().IsLimited() ||
                                       memory.GetBuffer().GetPeak() <= link.buffer.size),
                                      true,
                                      "no more than there is");
                shared += memory.GetDrops().shared;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(bench.CountReceived() + shared, bench.CountSent(), "each once");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(lossless, bench.CountReceived(), "all that is lossless");
        Simulator::Destroy();
    }

    std::mt19937 m_random; //!< what is random
};

IWARP_TEST_CASES(pathBuffer)
{
    for (uint32_t seed = 1; seed <= 24; seed++)
    {
        suite.AddTestCase(new LosslessLaw(seed));
    }
}

} // namespace
