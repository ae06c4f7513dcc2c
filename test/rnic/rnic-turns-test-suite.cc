/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"
#include "rnic-test-util.h"

#include "ns3/address.h"
#include "ns3/iwarp-network.h"
#include "ns3/rdma-bulk-client.h"
#include "ns3/rdma-bulk-server.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-transmit-queues.h"
#include "ns3/rnic-turns.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace rnictest;

namespace
{

/// Queue pairs that take turns to be sent
IWARP_TEST_SUITE(rnicTurns, "rnic-turns");

/// Items of each queue in order, of all queues in turn; who comes to an empty queue waits for one
/// of each other.
IWARP_TEST(rnicTurns, "queues in turn")
{
    RnicTurns<std::string> turns;
    NS_TEST_EXPECT_MSG_EQ(turns.IsEmpty(), true, "nothing");
    for (const auto* item : {"a1", "a2", "a3", "b1", "b2"})
    {
        turns.Push(static_cast<uint64_t>(item[0]), item);
    }
    NS_TEST_EXPECT_MSG_EQ(turns.GetSize(), 5, "all");
    NS_TEST_EXPECT_MSG_EQ(turns.Pop(), "a1", "the first queue");
    turns.Push('c', "c1");
    std::string rest;
    while (!turns.IsEmpty())
    {
        rest += turns.Pop();
    }
    NS_TEST_EXPECT_MSG_EQ(rest, "b1a2c1b2a3", "c1 behind one of b and one of a");
}

/// Segments that are sent by an RNIC alone, without nodes.
class TurnsTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /// A segment that has left.
    struct Left
    {
        uint32_t connection; //!< whose
        uint32_t number;     //!< of it
        RnicTime at;         //!< ps
    };

    /// Have an RNIC with nothing to send. @param settings of its parts
    void Start(const std::string& settings)
    {
        m_queues.reset();
        m_path = StartPath("TxSchedule.Discipline=RoundRobin " + settings);
        m_queues = std::make_unique<RnicTransmitQueues>(*m_path);
        m_states.clear();
        m_sent.clear();
        left.clear();
        for (uint64_t key = 0; key < CONNECTIONS; key++)
        {
            m_states.push_back(std::make_unique<RnicConnectionState>());
            m_states.back()->key = key;
        }
    }

    /// Have segments come. @param at when @param connection whose @param count how many
    /// @param octets of frame and payload @param inlined octets of payload that need not be read
    void Send(Time at, uint32_t connection, uint32_t count, uint32_t octets, uint32_t inlined = 0)
    {
        Simulator::Schedule(at, [this, connection, count, octets, inlined] {
            for (uint32_t i = 0; i < count; i++)
            {
                auto departure = std::make_shared<RnicDeparture>();
                departure->segment.connection = m_states[connection].get();
                departure->segment.frame = departure->segment.payload = octets;
                departure->segment.inlined = inlined;
                const uint32_t number = m_sent[connection]++;
                departure->leave = [this, connection, number](const RnicSegment& segment) {
                    left.push_back({connection, number, segment.time});
                };
                m_queues->Push(departure);
            }
        });
    }

    /// Let all that was sent leave
    void Run()
    {
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_queues->GetWaiting(), 0, "nothing is left behind");
        std::map<uint32_t, uint32_t> next;
        std::map<uint32_t, RnicTime> last;
        for (const auto& one : left)
        {
            NS_TEST_EXPECT_MSG_EQ(one.number, next[one.connection], "in order");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(one.at, last[one.connection], "in the order of times");
            next[one.connection]++;
            last[one.connection] = one.at;
        }
        NS_TEST_EXPECT_MSG_EQ((next == m_sent), true, "each leaves once");
    }

    /// @param connection whose @param number of a segment @return ps, when it has left
    RnicTime Get(uint32_t connection, uint32_t number) const
    {
        for (const auto& one : left)
        {
            if (one.connection == connection && one.number == number)
            {
                return one.at;
            }
        }
        return -1;
    }

    /// @return ps, when the last has left
    RnicTime GetEnd() const
    {
        RnicTime end = 0;
        for (const auto& one : left)
        {
            end = std::max(end, one.at);
        }
        return end;
    }

    std::vector<Left> left; //!< those that have left, in that order

  private:
    static constexpr uint64_t CONNECTIONS = 16;                 //!< there are
    std::unique_ptr<RnicDatapath> m_path;                       //!< pipelines
    std::unique_ptr<RnicTransmitQueues> m_queues;               //!< what is tested
    std::vector<std::unique_ptr<RnicConnectionState>> m_states; //!< of connections
    std::map<uint32_t, uint32_t> m_sent;                        //!< segments of each
};

/// A segment waits for what is left of the one that is being sent and for one of the other queue
/// pair, in closed form: with a stage of 100 ns, and with a bus of an octet a nanosecond.
IWARP_TEST(rnicTurns, "one segment of another queue pair", TurnsTestCase)
{
    Start("TxSchedule.TimePerPacket=100ns");
    Send(NanoSeconds(0), 0, 10, 1000);
    Send(NanoSeconds(250), 1, 1, 1000);
    Run();
    // turns at 0, 100, 200, 300 and, its own, 400
    NS_TEST_EXPECT_MSG_EQ(Get(1, 0), 500'000, "behind one");
    NS_TEST_EXPECT_MSG_EQ(Get(0, 3), 400'000, "the one");
    NS_TEST_EXPECT_MSG_EQ(Get(0, 4), 600'000, "the next");
    NS_TEST_EXPECT_MSG_EQ(GetEnd(), 1'100'000, "no time is lost");

    Start("HostInterface.ReadRate=8Gbps HostInterface.ReadLatency=500ns "
          "HostInterface.MaxReadRequest=4096");
    Send(NanoSeconds(0), 0, 5, 1000);
    Send(NanoSeconds(1500), 1, 1, 1000);
    Run();
    NS_TEST_EXPECT_MSG_EQ(Get(1, 0), 3'000'000 + 1'500'000, "a turn at 3 us, then its read");
    NS_TEST_EXPECT_MSG_EQ(GetEnd(), 6'500'000, "the bus is busy all the time");
}

/// A segment whose payload came with its doorbell passes those whose payload is read, and its own
/// queue pair's does not: 500 ns of a read, 10 ns of a stage behind it.
IWARP_TEST(rnicTurns, "what need not be read", TurnsTestCase)
{
    const std::string settings = "HostInterface.ReadLatency=500ns TxBuild.TimePerPacket=10ns";
    Start(settings);
    Send(NanoSeconds(0), 0, 1, 1000);
    Send(NanoSeconds(100), 1, 1, 40, 40);
    Send(NanoSeconds(100), 0, 1, 40, 40);
    Run();
    NS_TEST_EXPECT_MSG_EQ(Get(1, 0), 110'000, "at once");
    NS_TEST_EXPECT_MSG_EQ(Get(0, 0), 510'000, "when it is read");
    NS_TEST_EXPECT_MSG_EQ(Get(0, 1), 520'000, "behind its own");

    // in one queue it waits for the other's read
    auto path = StartPath(settings + " TxSchedule.Discipline=Fifo");
    NS_TEST_EXPECT_MSG_EQ(path->TakesTurns(), false, "no turns");
    RnicConnectionState a;
    RnicConnectionState b;
    b.key = 1;
    NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 0, a, 1000, 1000), 510'000, "read");
    NS_TEST_EXPECT_MSG_EQ(Transmit(*path, 100'000, b, 40, 40, 40), 520'000, "behind it");
}

/// No queue grows where the bottleneck is behind the reads: an octet a nanosecond of the MAC. What
/// comes waits for what is left of a frame, for the turn of one more, for that to leave, and for
/// its own octets.
IWARP_TEST(rnicTurns, "a bottleneck behind the reads", TurnsTestCase)
{
    Start("HostInterface.ReadLatency=500ns TxMac.Rate=8Gbps");
    Send(NanoSeconds(0), 0, 100, 1000);
    RnicTime longest = 0;
    for (uint32_t i = 0; i < 20; i++)
    {
        Send(NanoSeconds(1000 + 2777 * i), 1, 1, 100, 100);
    }
    Run();
    for (uint32_t i = 0; i < 20; i++)
    {
        longest = std::max(longest, Get(1, i) - 1000 * (1000 + 2777 * RnicTime{i}));
    }
    NS_TEST_EXPECT_MSG_LT_OR_EQ(longest, 3'100'000, "three frames of another, and its own");
    NS_TEST_EXPECT_MSG_EQ(GetEnd(), 500'000 + 100'000'000 + 20 * 100'000, "no time is lost");
}

/// What a small segment waits for beside another queue pair that always has one, without
/// preemption: half of one that is being sent, on average, and one more whose turn is before it.
IWARP_TEST(rnicTurns, "mean wait beside another queue pair", TurnsTestCase)
{
    constexpr uint32_t COUNT = 4000;
    Start("TxSchedule.Rate=8Gbps");
    std::mt19937 random(1);
    std::exponential_distribution<double> interval(1 / 20'000.0); // ns: they hardly meet
    double at = 0;
    std::vector<RnicTime> sent;
    for (uint32_t i = 0; i < COUNT; i++)
    {
        at += interval(random);
        sent.push_back(static_cast<RnicTime>(at) * 1000);
        Send(NanoSeconds(static_cast<uint64_t>(at)), 1, 1, 10);
    }
    Send(NanoSeconds(0), 0, static_cast<uint32_t>(at / 1000), 1000);
    Run();
    double sum = 0;
    RnicTime longest = 0;
    for (uint32_t i = 0; i < COUNT; i++)
    {
        const RnicTime wait = Get(1, i) - sent[i] - 10'000;
        sum += static_cast<double>(wait);
        longest = std::max(longest, wait);
    }
    // 1 us at a time: residual 0.5 us with a standard deviation of 0.29; two meet 1 in 15 times
    NS_TEST_EXPECT_MSG_EQ_TOL(sum / COUNT, 1.5e6, 0.04e6, "mean");
    NS_TEST_EXPECT_MSG_LT(longest, 4'100'000, "hardly more than two");
}

/// Queue pairs that always have segments get equal shares; with 8 of them each waits for 7 others;
/// those with twice as long ones get as many of them. Nothing starves, nothing is faster than the
/// stage.
IWARP_TEST(rnicTurns, "shares of queue pairs", TurnsTestCase)
{
    Start("TxSchedule.TimePerPacket=100ns HostInterface.ReadLatency=700ns");
    for (uint32_t connection = 0; connection < 8; connection++)
    {
        Send(NanoSeconds(0), connection, 50, connection < 4 ? 1000 : 2000);
    }
    Run();
    std::map<uint32_t, RnicTime> last;
    for (std::size_t i = 0; i < left.size(); i++)
    {
        const Left& one = left[i];
        NS_TEST_EXPECT_MSG_EQ(one.at,
                              static_cast<RnicTime>(i + 1) * 100'000 + 700'000,
                              "one a turn");
        // the first has had its turn, and waits for the next one, when the others come
        const bool first = one.connection == 0;
        if (one.number > (first ? 1 : 0) && one.number < 49)
        {
            NS_TEST_EXPECT_MSG_EQ(one.at - last[one.connection], 800'000, "of 8");
        }
        last[one.connection] = one.at;
    }
}

/// One queue pair alone has its segments leave when it does without turns, to the picosecond:
/// stages and a bus that are busy for times that are no whole nanoseconds.
IWARP_TEST(rnicTurns, "one queue pair alone", TurnsTestCase)
{
    const std::string settings =
        "TxSchedule.TimePerPacket=100ns TxCrc.Rate=80Gbps HostInterface.ReadRate=57.88Gbps "
        "HostInterface.Header=24 HostInterface.ReadLatency=500ns HostInterface.ReadTags=64 "
        "TxMac.Rate=40Gbps";
    Start(settings);
    Send(NanoSeconds(0), 0, 1000, 1460);
    Run();
    auto path = StartPath(settings + " TxSchedule.Discipline=Fifo");
    RnicConnectionState alone;
    RnicTime end = 0;
    for (uint32_t i = 0; i < 1000; i++)
    {
        end = Transmit(*path, 0, alone, 1460, 1460);
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(GetEnd(), end, 1000, "within a nanosecond after 292 us");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(GetEnd(), end, "never faster");
}

/// Any mixture leaves once, in order within its queue pair, and never before it can have been read:
/// queue pairs, sizes, payload that need not be read, and misses of contexts at random.
IWARP_TEST(rnicTurns, "mixtures", TurnsTestCase)
{
    for (uint32_t seed = 1; seed <= 10; seed++)
    {
        std::mt19937 random(seed);
        Start("TxSchedule.TimePerPacket=37ns TxCrc.Rate=80Gbps HostInterface.ReadRate=57.88Gbps "
              "HostInterface.ReadLatency=500ns HostInterface.ReadTags=4 TxMac.Rate=40Gbps "
              "ContextCache.Entries=5 ContextCache.Fetches=2 TxPace.Interval=100ns");
        uint64_t octets = 0;
        uint64_t count = 0;
        for (uint32_t i = 0; i < 300; i++)
        {
            const uint32_t size = 40 + random() % 1400;
            const bool inlined = random() % 3 == 0;
            const uint32_t many = 1 + random() % 3;
            octets += uint64_t{many} * size;
            count += many;
            Send(NanoSeconds(random() % 100'000), random() % 16, many, size, inlined ? size : 0);
        }
        Run();
        NS_TEST_EXPECT_MSG_EQ(left.size(), count, "each");
        NS_TEST_EXPECT_MSG_GT(GetEnd(), static_cast<RnicTime>(octets * 200), "40 Gbit/s");
    }
}

/**
 * @ingroup iwarp-test
 * Two connections between hosts with t5-like RNICs: messages of 64 KiB whenever there is room, and
 * one of 40 octets every 17.3 us, which comes with its doorbell as none is before it. Alone a small
 * one is in the RNIC for 100 ns to be scheduled and 890 ns of latency, and its CRC takes 6 ns more.
 * In turn with the large ones it also waits for two segments on the bus at most, 220.05 ns each of
 * 1592 octets with headers at 57.88 Gbit/s, and for one at the CRC, 145 ns; in one queue for all
 * their reads.
 */
class SmallMessageTest : public TestCase
{
  public:
    SmallMessageTest()
        : TestCase("a small message beside large ones, in a simulation")
    {
    }

  private:
    /// Times of small messages in the RNIC.
    struct Seen
    {
        uint64_t count{0}; //!< messages
        double sum{0};     //!< ns
        double longest{0}; //!< ns
        double least{1e9}; //!< ns
    };

    /// Rnic's Transmit. @param seen where to count @param flow its key @param frame octets
    /// @param delay in the RNIC
    static void Count(Seen* seen, uint64_t /* flow */, uint32_t frame, Time delay)
    {
        if (frame == SMALL)
        {
            const auto ns = static_cast<double>(delay.GetNanoSeconds());
            seen->count++;
            seen->sum += ns;
            seen->longest = std::max(seen->longest, ns);
            seen->least = std::min(seen->least, ns);
        }
    }

    /// @param discipline of TxSchedule @param beside there are large messages @return what was seen
    Seen Run(const std::string& discipline, bool beside)
    {
        IwarpNetwork network;
        network.AddHosts({DataRate("100Gbps"), MicroSeconds(1)});
        network.InstallRoutes();
        RnicHelper helper("t5-like");
        helper.Set("TxSchedule.Discipline", StringValue(discipline));
        const Ptr<Rnic> rnic = helper.Install(network.GetHost(0));
        helper.Install(network.GetHost(1));
        Seen seen;
        rnic->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&Count, &seen));
        for (uint16_t i = 0; i < (beside ? 2 : 1); i++)
        {
            const auto port = static_cast<uint16_t>(5000 + i);
            const auto server = CreateObject<RdmaBulkServer>();
            server->SetAttribute("Local", AddressValue(network.GetAnySocketAddress(port)));
            network.GetHost(1)->AddApplication(server);
            const auto client = CreateObject<RdmaBulkClient>();
            client->SetAttribute("Remote", AddressValue(network.GetHostSocketAddress(1, port)));
            client->SetAttribute("Operation", StringValue("Write"));
            client->SetAttribute("MessageSizes",
                                 StringValue("ns3::ConstantRandomVariable[Constant=" +
                                             std::string(i == 0 ? "40" : "65536") + "]"));
            client->SetAttribute("Intervals",
                                 StringValue("ns3::ConstantRandomVariable[Constant=" +
                                             std::string(i == 0 ? "17.3e-6" : "1e-9") + "]"));
            client->AssignStreams(10 * i + 1);
            client->SetStartTime(MilliSeconds(1));
            network.GetHost(0)->AddApplication(client);
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_GT(seen.count, 80, "small ones");
        return seen;
    }

    void DoRun() override
    {
        const Seen alone = Run("RoundRobin", false);
        NS_TEST_EXPECT_MSG_EQ_TOL(alone.least, 996, 1, "alone");
        const Seen turns = Run("RoundRobin", true);
        NS_TEST_EXPECT_MSG_EQ_TOL(turns.least, 996, 1, "at best as alone");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(turns.longest, 997 + 2 * 221 + 145, "in turn");
        const Seen queued = Run("Fifo", true);
        NS_TEST_EXPECT_MSG_GT(queued.sum / static_cast<double>(queued.count),
                              turns.sum / static_cast<double>(turns.count) + 500,
                              "a read of 500 ns and more in one queue");
    }

    static constexpr uint32_t SMALL = 130; //!< octets: 60 of FPDU, 52 of TCP and IP, 18 of Ethernet
};

IWARP_TEST_CASES(rnicTurns)
{
    suite.AddTestCase(new SmallMessageTest());
}

/**
 * @ingroup iwarp-test
 * Queue pairs that all connect at once: in turn the ACKs of their handshakes leave before the
 * Requests, each of which waits for a segment of each other queue pair. So a listener has most of
 * the connections without a Request for a while, more than the 256 of Linux's default backlog.
 */
class ManyConnectTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit ManyConnectTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"Workload", "perf"},
                            {"HostPairs", "1"},
                            {"PerfTest", "write_bw"},
                            {"PerfSize", "64"},
                            {"PerfIterations", "2"},
                            {"Rnic", "t5-like"},
                            {"PlainTcp", "false"},
                            {"LinkRate", "100Gbps"},
                            {"AccessRate", "100Gbps"},
                            {"Delay", "1us"},
                            {"StartSpread", "0us"},
                            {"QueueSize", "20000p"},
                            {"MpaTcpSocketFactory.SynBacklog", "8192"}})
    {
    }
};

IWARP_TEST(rnicTurns, "many queue pairs connect at once", ManyConnectTest)
{
    for (const char* discipline : {"Fifo", "RoundRobin"})
    {
        ScenarioResults found =
            RunScenario({{"PerfQp", "1000"}, {"Rnic.TxSchedule.Discipline", discipline}});
        NS_TEST_EXPECT_MSG_EQ(found["payload_octets"], 1000 * 2 * 64, discipline);
        NS_TEST_EXPECT_MSG_EQ(found["retransmitted_octets"], 0, discipline << ": none is refused");
    }
}

} // namespace
