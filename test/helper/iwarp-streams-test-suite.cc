/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/application.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/iwarp-workload-storage.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(iwarpStreams, "iwarp-streams");

/// A storage workload that tells which random streams its clients draw from.
class StreamsWorkload : public IwarpStorageWorkload
{
  public:
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        IwarpStorageWorkload::Install(flow, listener);
        const auto client = flow.sender->GetApplication(flow.sender->GetNApplications() - 1);
        for (const std::string name : {"MessageSizes", "Intervals"})
        {
            PointerValue variable;
            client->GetAttribute(name, variable);
            streams.insert(variable.Get<RandomVariableStream>()->GetStream());
        }
    }

    std::set<int64_t> streams; //!< streams
};

/// What is random of a flow is independent of what is random of another one.
struct StreamsTest : ScenarioTestCase
{
    /// @param title of the case
    explicit StreamsTest(const std::string& title)
        : ScenarioTestCase(title, {{"Flows", "5"}, {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpStreams, "No two variables of storage clients share a random stream", StreamsTest)
{
    const auto workload = CreateObject<StreamsWorkload>();
    workload->SetAttribute("Octets", UintegerValue(20000));
    workload->SetAttribute("MessageSizes",
                           StringValue("ns3::UniformRandomVariable[Min=1|Max=9999]"));
    workload->SetAttribute("Intervals", StringValue("ns3::ExponentialRandomVariable[Mean=1e-5]"));
    const auto scenario = Make({});
    scenario->SetWorkload(workload);
    Measure(scenario);
    NS_TEST_EXPECT_MSG_EQ(workload->streams.size(), 10, "two variables of five clients");
}

/// A workload that tells when messages are posted.
class TimesWorkload : public IwarpMpaWorkload
{
  public:
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        IwarpMpaWorkload::Install(flow, listener);
        flow.sender->GetApplication(flow.sender->GetNApplications() - 1)
            ->TraceConnectWithoutContext("MessagePosted", MakeCallback(&TimesWorkload::Note, this));
    }

    void Note(uint32_t /* number */, uint64_t /* octets */)
    {
        posted++;
        times.insert(Simulator::Now());
    }

    uint32_t posted{0};   //!< messages
    std::set<Time> times; //!< when they were
};

/// Time goes on between messages, whatever their intervals are said to be.
struct NoIntervalTest : ScenarioTestCase
{
    /// @param title of the case
    explicit NoIntervalTest(const std::string& title)
        : ScenarioTestCase(title, {{"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpStreams, "Intervals of no time", NoIntervalTest)
{
    for (const std::string intervals : {"fixed:0",
                                        "ns3::UniformRandomVariable[Min=0|Max=0]",
                                        "ns3::UniformRandomVariable[Min=-1|Max=0]",
                                        "ns3::UniformRandomVariable[Min=0|Max=1e-10]"})
    {
        const std::string expected = "Intervals: messages at intervals of no time";
        const std::string problem = Make({{"Intervals", intervals}})->Check();
        NS_TEST_EXPECT_MSG_EQ(problem.substr(0, expected.size()), expected, intervals);
    }
    const auto workload = CreateObject<TimesWorkload>();
    workload->SetAttribute("Octets", UintegerValue(50000));
    workload->SetAttribute("MessageSizes", StringValue("fixed:1000"));
    workload->SetAttribute("Intervals",
                           StringValue("ns3::UniformRandomVariable[Min=-1e-5|Max=1e-5]"));
    const auto scenario = Make({});
    scenario->SetWorkload(workload);
    Measure(scenario);
    NS_TEST_EXPECT_MSG_EQ(workload->posted, 50, "messages");
    NS_TEST_EXPECT_MSG_EQ(workload->times.size(), 50, "half of the draws are of no time");
}

/// A workload that tells when flows start.
class StartsWorkload : public IwarpMpaWorkload
{
  public:
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        IwarpMpaWorkload::Install(flow, listener);
        last = std::max(last, flow.start - MilliSeconds(1)); // before which none starts
    }

    Time last; //!< when the last one does
};

/**
 * Starts are as far apart as a round trip and a queue are long, so that each order in which flows
 * can meet at the queue is there in some run (phase effects: Floyd and Jacobson 1992).
 */
IWARP_TEST(iwarpStreams, "Starts over a round trip and a queue's time", StreamsTest)
{
    // 2 ms there and back; 1000 packets of 1500 octets take 120 ms at 100 Mbit/s, windows of 4000
    // octets of each of 200 flows 64 ms
    const struct
    {
        const char* spread;  //!< SpreadStarts
        const char* start;   //!< StartSpread
        const char* receive; //!< ReceiveBuffer
        int64_t within;      //!< ms
    } cases[]{{"false", "5ms", "1000000", 5},
              {"true", "5ms", "1000000", 122},
              {"true", "300ms", "1000000", 300},
              {"true", "5ms", "4000", 66}};

    for (const auto& [spread, start, receive, within] : cases)
    {
        const auto workload = CreateObject<StartsWorkload>();
        workload->SetAttribute("Octets", UintegerValue(400));
        workload->SetAttribute("MessageSizes", StringValue("fixed:400"));
        const auto scenario = Make({{"Flows", "200"},
                                    {"Delay", "1ms"},
                                    {"AccessDelay", "0s"},
                                    {"LinkRate", "100Mbps"},
                                    {"QueueSize", "1000p"},
                                    {"ReceiveBuffer", receive},
                                    {"StartSpread", start},
                                    {"SpreadStarts", spread}});
        scenario->SetWorkload(workload);
        Measure(scenario);
        const Time most = MilliSeconds(within);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(workload->last, most, spread << start << receive);
        NS_TEST_EXPECT_MSG_GT(workload->last, 0.95 * most, spread << start << receive);
    }
}

} // namespace
