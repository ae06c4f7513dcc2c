/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-run-scenario.h"

#include "ns3/application.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic.h"
#include "ns3/test.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

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
 * @ingroup iwarp-test
 * The same attributes give the same numbers, whatever ns-3 has made in the process before: nothing
 * that makes a difference draws from one of its automatic streams, which go on from run to run.
 */
class RepeatDrawsTest : public ScenarioTestCase
{
  public:
    RepeatDrawsTest()
        : ScenarioTestCase("The same attributes, the same numbers",
                           {{"Flows", "2"}, {"Octets", "100000"}, {"PlainTcp", "false"}})
    {
    }

  private:
    void DoRun() override
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

/**
 * @ingroup iwarp-test
 * A scan of all objects of a run finds no random variable with a stream of ns-3's choice, and none
 * that shares its stream, on networks with thousands of queues too.
 */
class ScanTest : public ScenarioTestCase
{
  public:
    ScanTest()
        : ScenarioTestCase("No stream is given out twice, or by chance",
                           {{"Octets", "1000"}, {"PlainTcp", "false"}, {"Rnic", "t5-like"}})
    {
    }

  private:
    /// @param settings of a scenario
    void Scan(const ScenarioSettings& settings)
    {
        const auto scenario = Make(settings);
        scenario->SetObserver([&](IwarpNetwork& network) {
            // what queue discs draw from cannot be seen: it follows that of the flows, and all else
            // that links have goes elsewhere
            const bool discs = settings.count("QueueDisc") > 0;
            const int64_t first = 1000 + 2;
            const int64_t used = discs ? network.AssignStreams(1000000) : 0;
            VariableScan scan;
            const auto look = [&scan](const Ptr<Node>& node) {
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
            };
            for (uint32_t i = 0; i < network.GetNHosts(); i++)
            {
                look(network.GetHost(i));
            }
            for (uint32_t i = 0; i < network.GetNRouters(); i++)
            {
                look(network.GetRouter(i));
            }
            NS_TEST_EXPECT_MSG_GT(scan.streams.size(), 2, "some are found");
            NS_TEST_EXPECT_MSG_EQ(scan.streams.count(-1), 0, "automatic: " << Join(settings));
            for (const int64_t stream : scan.streams)
            {
                NS_TEST_EXPECT_MSG_EQ(scan.streams.count(stream), 1, "twice: " << stream);
                const bool taken = stream >= first && stream < first + used;
                NS_TEST_EXPECT_MSG_EQ(taken, false, "a queue has it as well: " << stream);
            }
        });
        Measure(scenario);
    }

    void DoRun() override
    {
        Scan({{"Workload", "storage"}, {"CrossTraffic", "udp"}});
        Scan({{"Workload", "rdma-write"}, {"Loss", "0.001"}});
        Scan({{"Topology", "leaf-spine"},
              {"Leaves", "64"},
              {"Spines", "16"},
              {"HostsPerLeaf", "2"},
              {"QueueDisc", "red"}});
    }
};

/**
 * @ingroup iwarp-test
 * Ranges follow each other, with gaps where asked for.
 */
class GiveTest : public TestCase
{
  public:
    GiveTest()
        : TestCase("Streams in ascending order")
    {
    }

  private:
    void DoRun() override
    {
        iwarp::RandomStreams streams(10);
        NS_TEST_EXPECT_MSG_EQ(streams.Take(3), 10, "10 to 12");
        streams.Give([this](int64_t first) {
            NS_TEST_EXPECT_MSG_EQ(first, 13, "the next");
            return 5;
        });
        streams.Skip(17);
        NS_TEST_EXPECT_MSG_EQ(streams.Take(0), 18, "17 is taken");
        streams.Skip(30);
        NS_TEST_EXPECT_MSG_EQ(streams.Take(2), 30, "behind a gap");
        NS_TEST_EXPECT_MSG_EQ(streams.Take(1), 32, "behind these");
    }
};

/// @ingroup iwarp-test
/// The suite.
class RandomStreamsTestSuite : public TestSuite
{
  public:
    RandomStreamsTestSuite()
        : TestSuite("iwarp-random-streams")
    {
        AddTestCase(new GiveTest, IWARP_TEST_QUICK);
        AddTestCase(new RepeatDrawsTest, IWARP_TEST_QUICK);
        AddTestCase(new ScanTest, IWARP_TEST_QUICK);
    }
};

RandomStreamsTestSuite g_randomStreamsTestSuite; //!< registers the suite

} // namespace
