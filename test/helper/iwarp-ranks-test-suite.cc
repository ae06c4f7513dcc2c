/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-flow-collector.h"
#include "ns3/iwarp-flow-journal.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-queue-watch.h"
#include "ns3/iwarp-rank-ledger.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/simulator.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::iwarp;

IWARP_TEST_SUITE(iwarpRanks, "iwarp-ranks");

namespace
{

/// Have a rank take in what another knows. @param from the other @param into the one that reports
template <typename T>
void
Pass(T& from, T& into)
{
    RankLedger written;
    from.Share(written);
    RankLedger read(written.GetOctets());
    into.Share(read);
}

/// What a rank has of flows
struct Side
{
    FlowJournal journal;                 //!< what it has seen
    FlowTotals totals;                   //!< of its flows
    Ptr<FlowCollector> flow;             //!< one of them
    uint64_t octets{0};                  //!< of messages that are complete
    std::string failure;                 //!< why the flow has failed
    std::map<std::string, double> found; //!< metrics, after Report()

    explicit Side(bool journaled) //!< @param journaled events are taken down
    {
        totals.journal = journaled ? &journal : nullptr;
        FlowListener listener{&totals,
                              MakeCallback(&Side::Message, this),
                              MakeCallback(&Side::Fail, this)};
        flow = Create<FlowCollector>(listener);
    }

    void Message(uint64_t size) //!< @param size of a message that is complete
    {
        octets += size;
    }

    void Fail(const std::string& reason) //!< @param reason why the connection ended
    {
        failure = reason;
    }

    void Report() //!< Have totals report
    {
        MetricSet metrics;
        totals.Report(metrics, false, 1);
        for (const auto& metric : metrics.Get())
        {
            found[metric.name] = metric.value;
        }
    }
};

/// @param microseconds when @param act what happens then
template <typename Act>
void
At(int64_t microseconds, Act act)
{
    Simulator::Schedule(MicroSeconds(microseconds), act);
}

/// Have a flow send and receive. @param sender who sees its sender @param receiver who sees its
/// receiver
void
Follow(Side& sender, Side& receiver)
{
    At(1, [&] { receiver.flow->ReceiverReady(); });
    At(2, [&] { sender.flow->Posted(); });
    At(2, [&] { sender.flow->FrameSent(); });
    At(3, [&] { sender.flow->FrameSent(); });
    At(4, [&] { sender.flow->Posted(); });
    At(5, [&] { receiver.flow->MemoryHeld(0, 700); });
    At(5, [&] { receiver.flow->FramePassed(1000, false, Time(0)); });
    At(6, [&] { receiver.flow->Placed(700); });
    At(8, [&] { receiver.flow->FramePassed(0, true, MicroSeconds(1)); });
    At(8, [&] { receiver.flow->FramesDelivered(2); });
    At(8, [&] { receiver.flow->SegmentReceived(true, false); });
    At(9, [&] { receiver.flow->Placed(300); });
    At(9, [&] { receiver.flow->MemoryHeld(700, 0); });
    At(10, [&] { receiver.flow->Completed(600); });
    At(14, [&] { receiver.flow->Completed(400); });
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
}

} // namespace

IWARP_TEST(iwarpRanks, "A ledger adds, compares and appends")
{
    uint64_t count = 3;
    int64_t peak = 7;
    bool any = false;
    std::vector<double> records{1.5};
    std::vector<std::string> texts{"a", ""};
    RankLedger written;
    NS_TEST_EXPECT_MSG_EQ(written.IsWritten(), true, "it is empty");
    written.Sum(count);
    written.Maximum(peak);
    written.Any(any);
    written.Append(records);
    written.Append(texts);
    NS_TEST_EXPECT_MSG_EQ(count, 3, "who writes keeps what it has");

    uint64_t otherCount = 40;
    int64_t otherPeak = -2;
    bool otherAny = true;
    std::vector<double> otherRecords{2.5, 3.5};
    std::vector<std::string> otherTexts{"b"};
    RankLedger read(written.GetOctets());
    read.Sum(otherCount);
    read.Maximum(otherPeak);
    read.Any(otherAny);
    read.Append(otherRecords);
    NS_TEST_EXPECT_MSG_EQ(read.IsAtEnd(), false, "texts follow");
    read.Append(otherTexts);
    NS_TEST_EXPECT_MSG_EQ(read.IsAtEnd(), true, "all is read");
    NS_TEST_EXPECT_MSG_EQ(otherCount, 43, "3 + 40");
    NS_TEST_EXPECT_MSG_EQ(otherPeak, 7, "the greater");
    NS_TEST_EXPECT_MSG_EQ(otherAny, true, "one of them");
    const bool appended = otherRecords == std::vector<double>{2.5, 3.5, 1.5};
    NS_TEST_EXPECT_MSG_EQ(appended, true, "the other's behind");
    const bool appendedTexts = otherTexts == std::vector<std::string>{"b", "a", ""};
    NS_TEST_EXPECT_MSG_EQ(appendedTexts, true, "texts likewise");
}

IWARP_TEST(iwarpRanks, "Queues of two ranks: the one that is longest on average is told")
{
    QueueWatch::Figures own;
    own.drops = 2;
    own.marks = 5;
    own.mean = 3;
    own.peak = 9;
    own.median = 3;
    own.p90 = 5;
    own.p99 = 8;
    own.queue = 4;
    QueueWatch::Figures other = own;
    other.drops = 10;
    other.marks = 1;
    other.mean = 3.5;
    other.peak = 6;
    other.median = 2;
    other.p90 = 6;
    other.p99 = 6;
    other.queue = 7;
    QueueWatch::Figures longer = own;
    Pass(other, longer);
    NS_TEST_EXPECT_MSG_EQ(*longer.drops, 12, "all drops");
    NS_TEST_EXPECT_MSG_EQ(longer.marks, 6, "all marks");
    NS_TEST_EXPECT_MSG_EQ(longer.peak, 9, "of any queue");
    NS_TEST_EXPECT_MSG_EQ_TOL(longer.mean, 3.5, 1e-12, "the longest on average");
    NS_TEST_EXPECT_MSG_EQ(longer.median, 2, "of the same");
    NS_TEST_EXPECT_MSG_EQ(longer.p90, 6, "of the same");
    NS_TEST_EXPECT_MSG_EQ(longer.p99, 6, "of the same");

    // one process takes the first of queues that are as long as each other
    QueueWatch::Figures first = own;
    other.mean = 3;
    Pass(other, first);
    NS_TEST_EXPECT_MSG_EQ(first.queue, 4, "the first in the order of links");
    Pass(own, other);
    NS_TEST_EXPECT_MSG_EQ(other.median, 3, "whichever rank reports");
}

IWARP_TEST(iwarpRanks, "Metrics of two ranks merge by their rules")
{
    MetricSet own;
    own.Add("messages", 3);
    own.Add("header_aligned_share", 1, 4);
    own.Add("rnic_memory_stay_max", 2.5);
    MetricSet other;
    other.Add("messages", 5);
    other.Add("header_aligned_share", 4, 6);
    other.Add("rnic_memory_stay_max", 1.5);
    other.Add("fpdus_sent", 8);
    Pass(other, own);
    std::map<std::string, double> found;
    for (const auto& metric : own.Get())
    {
        found[metric.name] = metric.value;
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(found["messages"], 8, 1e-12, "a sum");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["header_aligned_share"], 0.5, 1e-12, "(1 + 4) / (4 + 6)");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["rnic_memory_stay_max"], 2.5, 1e-12, "a maximum");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["fpdus_sent"], 8, 1e-12, "only the other has it");
}

IWARP_TEST(iwarpRanks, "A flow between two ranks has the figures of one process")
{
    Side alone(false);
    Follow(alone, alone);
    alone.Report();
    Simulator::Destroy();

    Side sender(true);
    Side receiver(true);
    Follow(sender, receiver);
    NS_TEST_EXPECT_MSG_EQ(receiver.octets, 0, "nothing is reckoned before all is known");
    // the receiver's rank reports: the sender's part comes from elsewhere
    Pass(sender.journal, receiver.journal);
    NS_TEST_EXPECT_MSG_EQ(receiver.journal.GetN(), 15, "events of both");
    receiver.journal.Replay(receiver.totals, [] { return false; });
    receiver.totals.replayed = Simulator::Now();
    receiver.Report();
    Simulator::Destroy();

    NS_TEST_EXPECT_MSG_EQ(alone.octets, 1000, "messages");
    NS_TEST_EXPECT_MSG_EQ(receiver.octets, 1000, "messages");
    auto& found = receiver.found;
    NS_TEST_EXPECT_MSG_EQ_TOL(found["message_time_mean"], 9e-6, 1e-15, "(10 - 2 + 14 - 4) / 2 us");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["payload_octets"], 1000, 1e-9, "700 + 300");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["reassembly_peak"], 700, 1e-9, "octets held");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["delivery_latency_mean"], 2e-6, 1e-15, "(8 - 5 + 1) / 2 us");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["fpdus_sent"], 2, 1e-9, "of the sender");
    NS_TEST_EXPECT_MSG_EQ_TOL(found["common_time"], 18e-6, 1e-15, "from 2 us, when it begins");
    NS_TEST_EXPECT_MSG_EQ(found.size(), alone.found.size(), "as many metrics");
    for (const auto& [name, value] : alone.found)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(found[name], value, 1e-15, name);
    }
}

IWARP_TEST(iwarpRanks, "Memory of several ranks is followed as one")
{
    // 100 octets from 1 to 3 us here, 200 from 2 to 4 us there: 300 between 2 and 3 us
    Side here(true);
    Side there(true);
    At(1, [&] { here.flow->MemoryHeld(0, 100); });
    At(3, [&] { here.flow->MemoryHeld(100, 0); });
    At(2, [&] { there.flow->MemoryHeld(0, 200); });
    At(4, [&] { there.flow->MemoryHeld(200, 0); });
    Simulator::Stop(MicroSeconds(5));
    Simulator::Run();
    Pass(there.journal, here.journal);
    here.journal.Replay(here.totals, [] { return false; });
    here.totals.replayed = Simulator::Now();
    here.Report();
    Simulator::Destroy();
    NS_TEST_EXPECT_MSG_EQ_TOL(here.found["reassembly_peak"], 300, 1e-9, "together");
    // 0, 100, 200 and 300 for 1 us each
    NS_TEST_EXPECT_MSG_EQ_TOL(here.found["reassembly_p50"], 100, 1e-9, "half of the time");
}

IWARP_TEST(iwarpRanks, "Failures come with their reasons, and end a replay")
{
    Side here(true);
    Side there(true);
    At(5, [&] { here.flow->Failed("late"); });
    At(2, [&] { there.flow->Failed("early"); });
    At(3, [&] { there.flow->Placed(10); });
    Simulator::Run();
    Pass(there.journal, here.journal);
    std::vector<std::string> reasons;
    here.journal.Replay(here.totals, [&] {
        reasons.push_back(here.failure);
        return false;
    });
    const bool inTurn = reasons == std::vector<std::string>{"early", "early", "late"};
    NS_TEST_EXPECT_MSG_EQ(inTurn, true, "in the order of time");
    Side again(true);
    Pass(here.journal, again.journal);
    again.journal.Replay(again.totals, [&] { return !again.failure.empty(); });
    NS_TEST_EXPECT_MSG_EQ(again.failure, "early", "the first that counts");
    NS_TEST_EXPECT_MSG_EQ(again.totals.placed, 0, "what came behind it does not count");
    Simulator::Destroy();
}

IWARP_TEST(iwarpRanks, "What cannot be shared out is refused by its parameter")
{
    const std::map<std::string, std::string> good{{"PlainTcp", "false"},
                                                  {"Duration", "1ms"},
                                                  {"Topology", "fat-tree"}};
    const auto check = [&good](const std::map<std::string, std::string>& more) {
        auto scenario = CreateObject<IwarpScenario>();
        auto all = more;
        all.insert(good.begin(), good.end());
        for (const auto& [name, value] : all)
        {
            const std::string problem = scenario->SetParameter(name, value);
            if (!problem.empty())
            {
                return "not set: " + problem;
            }
        }
        return scenario->CheckRanks();
    };
    NS_TEST_EXPECT_MSG_EQ(check({}), "", "a fat tree for a time");
    NS_TEST_EXPECT_MSG_EQ(check({{"Workload", "rdma-read"}, {"Rnic", "t5-like"}}), "", "RDMA");
    const std::vector<std::map<std::string, std::string>> refused{
        {{"PlainTcp", "true"}},
        {{"Duration", "0s"}},
        {{"Pcap", "ranks"}},
        {{"Workload", "storage"}},
        {{"Workload", "rounds"}},
        {{"Middlebox", "resegmenting"}},
        {{"CrossTraffic", "udp"}},
        {{"Ipsec", "transport"}},
        {{"SplitProxy", "true"}},
        {{"EspEngine", "inline"}},
    };
    for (const auto& settings : refused)
    {
        const std::string& name = settings.begin()->first;
        const std::string problem = check(settings);
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, name.size()), name, problem);
    }
    const std::map<std::string, std::string> mentioned{
        {"Mtu", "9000"},
        {"PfcXoff", "30000"},
        {"BufferSize", "200000"},
        {"Delay", "0s"},
    };
    for (const auto& [name, value] : mentioned)
    {
        const std::string problem = check({{"IwarpTopology." + name, value}});
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, name.size()), name, problem);
    }
    NS_TEST_EXPECT_MSG_EQ(check({{"Duration", "0s"}, {"CheckInterval", "100us"}}), "", "by octets");
    const std::string warm = check({{"IwarpMessageWorkload.WarmUp", "1000"}});
    NS_TEST_EXPECT_MSG_NE(warm.find("WarmUp"), std::string::npos, warm);
}

namespace
{

/**
 * @ingroup iwarp-test
 * With CheckInterval a run ends at the first multiple of it behind the last message: the links are
 * watched until then, and what is told of messages is the same. The end is found by the busiest
 * link, whose frames take the same time and are part of a longer one.
 */
class CheckIntervalTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit CheckIntervalTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"PlainTcp", "false"},
                            {"StartSpread", "0s"},
                            {"Flows", "2"},
                            {"Octets", "300000"},
                            {"Rnic", "t5-like"},
                            {"Workload", "rdma-write"}})
    {
    }
};

} // namespace

IWARP_TEST(iwarpRanks, "A run that looks from time to time whether all has come", CheckIntervalTest)
{
    const double start = 1e-3; // of the flows
    const auto alone = RunScenario({});
    const double busy = alone.at("bottleneck_share") * alone.at("duration");
    const double end = start + alone.at("duration");
    for (const double interval : {10e-6, 70e-6, 1e-3})
    {
        const auto text = std::to_string(std::lround(1e6 * interval)) + "us";
        const auto found = RunScenario({{"CheckInterval", text}});
        for (const auto& [name, value] : alone)
        {
            const bool watched = name == "events" || name.rfind("queue_", 0) == 0 ||
                                 name.rfind("rnic_", 0) == 0 || name == "bottleneck_share" ||
                                 name == "octets_on_wire";
            if (!watched)
            {
                NS_TEST_EXPECT_MSG_EQ(found.at(name), value, text << ": " << name);
            }
        }
        const double until = start + busy / found.at("bottleneck_share");
        const double expected = interval * std::ceil(end / interval);
        NS_TEST_EXPECT_MSG_EQ_TOL(until, expected, 1e-6, text); // an acknowledgment may follow
    }
    // requests go on until the run ends, and all that is told is of that time
    for (const std::string workload : {"storage", "nvme-tcp"})
    {
        const auto found = RunScenario(
            {{"Workload", workload}, {"MessageSizes", "fixed:4096"}, {"CheckInterval", "5ms"}});
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("duration"), 5e-3 - start, 1e-12, workload);
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("goodput") * found.at("duration") / 8,
                                  found.at("payload_octets"),
                                  1,
                                  workload);
    }
    const auto cut = Make({{"CheckInterval", "70us"}, {"TimeLimit", "1200us"}});
    NS_TEST_EXPECT_MSG_EQ(cut->Run(), false, "the limit comes before the end");
    NS_TEST_EXPECT_MSG_NE(cut->GetError().find("0.001200 s (TimeLimit)"),
                          std::string::npos,
                          cut->GetError());
    const ScenarioSettings endless{{"Octets", "0"}, {"Duration", "1ms"}};
    const ScenarioSettings window{{"Load", "0.5"}, {"ArrivalWindow", "1ms"}};
    for (auto settings : {endless, window})
    {
        settings["CheckInterval"] = "1ms";
        const std::string problem = Make(settings)->Check();
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, 13), "CheckInterval", problem);
    }
}
