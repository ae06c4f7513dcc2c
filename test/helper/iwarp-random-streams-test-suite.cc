/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/application.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-esp-engine.h"
#include "ns3/rnic.h"
#include "ns3/simulator.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpRandomStreams, "iwarp-random-streams");

/// Whatever draws random numbers, and settings with which these make a difference
const std::vector<ScenarioSettings> DRAWING{
    {{"Workload", "perf"},
     {"PerfOrder", "Random"},
     {"PerfQp", "8"},
     {"PerfSize", "2000"},
     {"PerfIterations", "50"}},
    {{"Workload", "storage"},
     {"RdmaStorageServer.ServiceTime", "ns3::ExponentialRandomVariable[Mean=2e-5]"}},
    {{"Workload", "rdma-write"}, {"Intervals", "ns3::ExponentialRandomVariable[Mean=2e-5]"}},
    {{"Workload", "send"}, {"Load", "0.4"}},
    {{"Workload", "go-back-n"}, {"Loss", "0.01"}},
    {{"Workload", "rdma-write"},
     {"Load", "0.3"},
     {"ArrivalWindow", "2ms"},
     {"DrainLimit", "2ms"},
     {"Arrivals", "on-off"},
     {"Connections", "pool"}},
    {{"Workload", "selective-repeat"},
     {"Load", "0.3"},
     {"ArrivalWindow", "2ms"},
     {"DrainLimit", "2ms"},
     {"Arrivals", "lognormal"},
     {"Connections", "own"}},
    {{"Workload", "rounds"}},
    {{"Loss", "0.01"}, {"Reordering", "0.02"}, {"Duplication", "0.02"}},
    {{"Impairment", "gilbert-elliott+jitter"},
     {"PathGilbertElliottImpairment.GoodToBad", "0.01"},
     {"PathJitterImpairment.Delay", "ns3::UniformRandomVariable[Max=2e-5]"}},
    {{"Impairment", "bit-error+outage"},
     {"PathBitErrorImpairment.Rate", "1e-7"},
     {"PathOutageImpairment.UpTime", "ns3::ExponentialRandomVariable[Mean=1e-3]"},
     {"PathOutageImpairment.DownTime", "ns3::ExponentialRandomVariable[Mean=1e-4]"}},
    {{"Middlebox", "resegmenting"},
     {"PathResegmentingMiddlebox.PieceSize", "ns3::UniformRandomVariable[Min=100|Max=1400]"}},
    {{"QueueDisc", "red"}, {"QueueSize", "40p"}, {"CongestionControl", "TcpBbr"}},
    {{"QueueDisc", "pie"}, {"QueueSize", "200p"}, {"CrossTraffic", "tcp"}},
    {{"Rnic", "t5-like"},
     {"Workload", "rdma-write"},
     {"Flows", "12"},
     {"HostPairs", "1"},
     {"Rnic.ContextCache.Entries", "4"},
     {"Rnic.ContextCache.Replacement", "Random"}},
    {{"Ipsec", "gateway"},
     {"IpsecSharing", "connection"},
     {"EspEngine", "inline"},
     {"Flows", "12"},
     {"HostPairs", "1"},
     {"EspEngine.AssociationCache.Entries", "4"},
     {"EspEngine.AssociationCache.Replacement", "Random"},
     {"EspEngine.AssociationCache.MemoryLatency", "2us"}},
    {{"Ipsec", "transport"}, {"KeyExchange", "true"}, {"Ipv6", "true"}},
    {{"Topology", "leaf-spine"}, {"Pattern", "permutation"}, {"Ecmp", "random"}},
};

/// @param settings of a scenario @return them, for people
std::string
Join(const ScenarioSettings& settings)
{
    std::string text;
    for (const auto& [name, value] : settings)
    {
        text += (text.empty() ? "" : " ") + name + "=" + value;
    }
    return text;
}

/**
 * The same attributes give the same numbers, whatever ns-3 has made in the process before: nothing
 * that makes a difference draws from one of its automatic streams, which go on from run to run.
 */
struct RepeatDrawsTest : ScenarioTestCase
{
    /// @param title of the case
    explicit RepeatDrawsTest(const std::string& title)
        : ScenarioTestCase(title, {{"Flows", "2"}, {"Octets", "100000"}, {"PlainTcp", "false"}})
    {
    }
};

/// Lists the random variables that attributes of an object and of those that it has lead to.
class VariableScan
{
  public:
    void Look(const Ptr<Object>& object) //!< @param object at this
    {
        if (!object || !m_seen.insert(PeekPointer(object)).second)
        {
            return;
        }
        if (const auto variable = DynamicCast<RandomVariableStream>(object))
        {
            streams.insert(variable->GetStream());
            return;
        }
        for (TypeId type = object->GetInstanceTypeId(); type.HasParent(); type = type.GetParent())
        {
            for (std::size_t i = 0; i < type.GetAttributeN(); i++)
            {
                const auto info = type.GetAttribute(i);
                PointerValue value;
                const bool points = DynamicCast<const PointerValue>(info.initialValue) ||
                                    info.checker->GetValueTypeName() == "ns3::PointerValue";
                if (points && (info.flags & TypeId::ATTR_GET) != 0 && info.accessor->HasGetter() &&
                    info.accessor->Get(PeekPointer(object), value))
                {
                    Look(value.GetObject());
                }
            }
        }
    }

    std::multiset<int64_t> streams; //!< that they draw from

  private:
    std::set<const Object*> m_seen; //!< objects
};

/// @param node any @param scan of its objects
void
ScanNode(const Ptr<Node>& node, VariableScan& scan)
{
    for (uint32_t i = 0; i < node->GetNApplications(); i++)
    {
        scan.Look(node->GetApplication(i));
    }
    for (uint32_t i = 0; i < node->GetNDevices(); i++)
    {
        scan.Look(node->GetDevice(i));
    }
    for (auto object = node->GetAggregateIterator(); object.HasNext();)
    {
        scan.Look(ConstCast<Object>(object.Next()));
    }
    if (const auto rnic = node->GetObject<Rnic>())
    {
        scan.Look(rnic->GetDatapath().GetRandom());
    }
    if (const auto engine = node->GetObject<RnicEspEngine>())
    {
        scan.Look(engine->GetDatapath().GetRandom());
    }
}

/**
 * All random variables that can be seen of a scenario draw from streams that the scenario has
 * allocated, each from its own, and no two of these ranges meet: in networks with thousands of
 * queues, and in scenarios drawn at random.
 */
struct ScanTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ScanTest(const std::string& title)
        : ScenarioTestCase(title, {{"Octets", "1000"}, {"PlainTcp", "false"}})
    {
    }

    /// @param settings of a scenario
    void Scan(const ScenarioSettings& settings)
    {
        const auto scenario = Make(settings);
        VariableScan scan;
        scenario->SetObserver([&scan](IwarpNetwork&) {
            for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
            {
                ScanNode(*node, scan);
            }
            Simulator::Stop(Time(0)); // there is no more to be seen
        });
        scenario->Run();
        const std::string text = Join(settings);
        NS_TEST_EXPECT_MSG_GT(scan.streams.size(), 1, "some are found: " << text);
        NS_TEST_EXPECT_MSG_EQ(scan.streams.count(-1), 0, "automatic: " << text);
        int64_t end = 0;
        for (const auto& range : scenario->GetRandomStreams())
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(range.first, end, range.purpose << ": " << text);
            NS_TEST_EXPECT_MSG_GT(range.count, 0, range.purpose << ": " << text);
            end = range.first + range.count;
        }
        for (const int64_t stream : scan.streams)
        {
            NS_TEST_EXPECT_MSG_EQ(scan.streams.count(stream), 1, stream << ": " << text);
            NS_TEST_EXPECT_MSG_EQ(FindPurpose(*scenario, stream).empty(),
                                  false,
                                  stream << " is not allocated: " << text);
        }
    }

    /// @param scenario that has run @param stream a random stream @return what draws from it, or ""
    static std::string FindPurpose(const IwarpScenario& scenario, int64_t stream)
    {
        for (const auto& range : scenario.GetRandomStreams())
        {
            if (stream >= range.first && stream < range.first + range.count)
            {
                return range.purpose;
            }
        }
        return "";
    }
};

/// Ranges begin where they are asked for, or behind those that are in the way.
IWARP_TEST(iwarpRandomStreams, "Ranges that do not meet")
{
    iwarp::RandomStreams streams;
    NS_TEST_EXPECT_MSG_EQ(streams.GetEnd(), 0, "none");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("flows", 3, 10), 10, "10 to 12");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("devices", 5, 20), 20, "20 to 24");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("links", 7, 12), 13, "13 to 19 fit between");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("more flows", 2, 11), 25, "all else is taken");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("fewer", 2, 8), 8, "in front");
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("none", 0, 500), 500, "nothing");
    std::vector<int64_t> tried;
    streams.Assign("stacks", 5, [&tried](int64_t first) {
        tried.push_back(first);
        return 4;
    });
    NS_TEST_EXPECT_MSG_EQ(tried.size(), 2, "5 to 8 are not all free");
    NS_TEST_EXPECT_MSG_EQ(tried.back(), 27, "behind all");
    NS_TEST_EXPECT_MSG_EQ(streams.GetEnd(), 31, "27 to 30");
    int64_t end = 0;
    for (const auto& range : streams.GetRanges())
    {
        NS_TEST_EXPECT_MSG_GT_OR_EQ(range.first, end, range.purpose);
        end = range.first + range.count;
    }
    NS_TEST_EXPECT_MSG_EQ(streams.GetRanges().size(), 6, "purposes with streams");
}

/**
 * Bases that grow with the number of flows by other factors than what begins at them does meet as
 * soon as each flow has more links than the factors allow for: what has RNICs, 16 for a flow and 64
 * more, and what flows and links have from 2 for a flow on.
 */
IWARP_TEST(iwarpRandomStreams, "Fixed bases meet, ranges do not")
{
    constexpr int64_t FLOWS = 2;
    constexpr int64_t LINKS = 1024 * 4;
    const int64_t links = 1000 + 2 * FLOWS;
    const int64_t rnics = 1000 + 16 * (FLOWS + 64);
    NS_TEST_EXPECT_MSG_GT(links + LINKS, rnics, "sums of bases and counts meet");
    iwarp::RandomStreams streams;
    streams.Allocate("links", LINKS, links);
    NS_TEST_EXPECT_MSG_EQ(streams.Allocate("RNICs", 1, rnics), links + LINKS, "behind them");
}

IWARP_TEST(iwarpRandomStreams, "The same attributes, the same numbers", RepeatDrawsTest)
{
    for (const auto& settings : DRAWING)
    {
        const auto first = RunScenario(settings);
        const auto second = RunScenario(settings);
        for (const auto& [name, value] : first)
        {
            const double again = second.at(name);
            const bool same = value == again || (std::isnan(value) && std::isnan(again));
            NS_TEST_EXPECT_MSG_EQ(same,
                                  true,
                                  name << ": " << value << ", then " << again << " of "
                                       << Join(settings));
        }
    }
}

IWARP_TEST(iwarpRandomStreams, "No stream is given out twice, or by chance", ScanTest)
{
    Scan({{"Workload", "storage"}, {"CrossTraffic", "udp"}, {"Rnic", "t5-like"}});
    Scan({{"Workload", "rdma-write"}, {"Loss", "0.001"}, {"Rnic", "t5-like"}});
    Scan({{"Topology", "leaf-spine"},
          {"Leaves", "64"},
          {"Spines", "16"},
          {"HostsPerLeaf", "2"},
          {"QueueDisc", "red"},
          {"Rnic", "t5-like"}});
    const std::vector<std::vector<ScenarioSettings>> parts{
        {{{"Topology", "dumbbell"}},
         {{"Topology", "star"}},
         {{"Topology", "parking-lot"}, {"Bottlenecks", "5"}},
         {{"Topology", "leaf-spine"}, {"Spines", "7"}},
         {{"Topology", "fat-tree"}, {"FatTreeK", "6"}}},
        {{}, {{"Pattern", "permutation"}}, {{"Pattern", "incast"}, {"IncastSenders", "5"}}},
        {{{"Impairment", "gilbert-elliott+random+jitter"}},
         {{"Impairment", "outage"}, {"ImpairmentDirection", "both"}},
         {{"Impairment", "random+bit-error"}, {"ImpairmentPlace", "core"}}},
        {{},
         {{"Middlebox", "resegmenting"},
          {"PathResegmentingMiddlebox.PieceSize", "ns3::UniformRandomVariable[Min=9|Max=99]"}},
         {{"QueueDisc", "red"}},
         {{"QueueDisc", "pie"}}},
        {{}, {{"CrossTraffic", "udp"}, {"CrossFlows", "6"}, {"CrossDirection", "both"}}},
        {{}, {{"Ipsec", "transport"}, {"EspEngine", "inline"}}, {{"Ipv6", "true"}}},
        {{}, {{"Rnic", "t5-like"}}},
        {{{"Workload", "mpa"}},
         {{"Workload", "storage"}},
         {{"Workload", "send"}, {"Intervals", "ns3::ExponentialRandomVariable[Mean=1e-5]"}}}};
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    for (int i = 0; i < 40; i++)
    {
        ScenarioSettings settings{{"Flows", std::to_string(1 << random->GetInteger(0, 6))}};
        for (const auto& choices : parts)
        {
            const auto& chosen =
                choices[random->GetInteger(0, static_cast<uint32_t>(choices.size()) - 1)];
            settings.insert(chosen.begin(), chosen.end());
        }
        if (settings["Topology"] == "star")
        { // nothing is between routers
            settings["ImpairmentPlace"] = settings["MiddleboxPlace"] = "receiver";
        }
        Scan(settings);
    }
}

} // namespace
