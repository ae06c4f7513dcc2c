/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"
#include "iwarp-run-scenario.h"

#include "ns3/iwarp-network.h"
#include "ns3/path-icmp-filter-middlebox.h"
#include "ns3/path-link-schedule.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpLinkSchedule, "iwarp-link-schedule");

/**
 * @ingroup iwarp-test
 * Rate, delay and outages of a link change when they are to: arrivals in closed form.
 */
class LinkChangeTest : public TestCase
{
  public:
    /// @param framing of the links @param boxes middleboxes in it
    LinkChangeTest(PathFraming framing, uint32_t boxes)
        : TestCase(std::string("A link that changes, ") +
                   (framing == PathFraming::PPP ? "PPP, " : "Ethernet, ") + std::to_string(boxes) +
                   " middleboxes"),
          m_framing(framing),
          m_boxes(boxes)
    {
    }

  private:
    void DoRun() override
    {
        IwarpNetwork network;
        network.AddRouter();
        network.AddRouter();
        IwarpNetwork::Link link;
        link.rate = DataRate("1Gbps");
        link.delay = MicroSeconds(10);
        link.framing = m_framing;
        network.AddLink(0, 1, link);
        link.rate = DataRate("100Gbps");
        link.delay = Time(0);
        network.AddHost(0, link);
        network.AddHost(1, link);
        network.InstallRoutes();
        std::vector<Ptr<Node>> boxes;
        for (uint32_t i = 0; i < m_boxes; i++)
        {
            boxes.push_back(network.InsertMiddlebox(0, CreateObject<PathIcmpFilterMiddlebox>()));
        }
        std::vector<PathLinkChange> changes;
        const std::string problem = ParseLinkSchedule("2ms:rate=250Mbps,4ms:delay=110us,6ms:down,"
                                                      "6.5ms:up,8ms:rate=2Gbps,10ms:mtu=1400",
                                                      changes);
        NS_TEST_ASSERT_MSG_EQ(problem, "", "good");
        network.ScheduleChanges(0, changes);
        NS_TEST_EXPECT_MSG_EQ(network.GetLink(0).rate, DataRate("2Gbps"), "its greatest rate");

        Datagrams datagrams(network, 0, 1);
        for (uint32_t i = 0; i < 10; i++)
        {
            datagrams.Send(MilliSeconds(1), i);
            datagrams.Send(MilliSeconds(3), 10 + i);
            datagrams.Send(MilliSeconds(5), 20 + i);
            datagrams.Send(MilliSeconds(6) + i * MicroSeconds(100), 30 + i);
            datagrams.Send(MilliSeconds(9), 40 + i);
        }
        Simulator::Run();
        std::vector<Time> at(50);
        for (const auto& arrival : datagrams.m_arrivals)
        {
            at[arrival.number] = arrival.at;
        }
        for (const auto& box : boxes)
        {
            NS_TEST_EXPECT_MSG_EQ(box->GetDevice(0)->GetMtu(), 1400, "port A");
            NS_TEST_EXPECT_MSG_EQ(box->GetDevice(1)->GetMtu(), 1400, "port B");
        }
        Simulator::Destroy();
        // a datagram of 1028 octets, in Ethernet 38 more, in PPP 2
        const double bits = 8 * (1028 + (m_framing == PathFraming::PPP ? 2 : 38));
        for (const auto& [first, rate] :
             {std::pair{0U, 1e9}, {10U, 0.25e9}, {20U, 0.25e9}, {40U, 2e9}})
        {
            for (uint32_t i = first + 1; i < first + 10; i++)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL((at[i] - at[i - 1]).GetSeconds(),
                                          bits / rate,
                                          2e-9,
                                          "datagram " << i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((at[20] - MilliSeconds(5)) - (at[10] - MilliSeconds(3)),
                              MicroSeconds(100),
                              "100 us later");
        for (uint32_t i = 30; i < 40; i++)
        { // what comes before it is up again is lost: one sent at 6.3 ms, if it is sent twice at
          // most
            const double way = 110e-6 + (m_boxes + 1) * bits / 0.25e9;
            const bool lost = 6e-3 + (i - 30) * 100e-6 + way < 6.5e-3;
            NS_TEST_EXPECT_MSG_EQ(at[i].IsZero(), lost, "datagram " << i);
        }
    }

    PathFraming m_framing; //!< of the links
    uint32_t m_boxes;      //!< middleboxes in the link
};

IWARP_TEST_CASES(iwarpLinkSchedule)
{
    for (const uint32_t boxes : {0, 1, 2})
    {
        suite.AddTestCase(new LinkChangeTest(PathFraming::ETHERNET, boxes));
        suite.AddTestCase(new LinkChangeTest(PathFraming::PPP, boxes));
    }
}

/// What is no schedule, and a scenario whose bottleneck changes before its flows start.
struct ScheduleTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ScheduleTest(const std::string& title)
        : ScenarioTestCase(title, {{"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpLinkSchedule, "Schedules of a scenario", ScheduleTest)
{
    std::vector<PathLinkChange> changes;
    NS_TEST_EXPECT_MSG_EQ(ParseLinkSchedule("", changes), "", "nothing");
    NS_TEST_EXPECT_MSG_EQ(changes.size(), 0, "nothing");
    for (const std::string bad : {"down",
                                  "1s",
                                  "1s:",
                                  "1s:off",
                                  "1:down",
                                  "-1s:down",
                                  "1s:rate=0bps",
                                  "1s:rate=",
                                  "1s:rate=fast",
                                  "1s:delay=-1s",
                                  "1s:delay=1",
                                  "1s:mtu=67",
                                  "1s:mtu=65536",
                                  "1s:down=1",
                                  "1parsec:up",
                                  "1s:up,,2s:up"})
    {
        NS_TEST_EXPECT_MSG_NE(ParseLinkSchedule(bad, changes), "", bad);
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        scenario->SetParameter("LinkSchedule", bad);
        NS_TEST_EXPECT_MSG_EQ(scenario->Check().find("LinkSchedule: '"), 0, scenario->Check());
    }
    for (const std::string good : {"1s:mtu=68", "1s:mtu=65535", "0s:delay=0s", "1s:rate=1bps"})
    {
        NS_TEST_EXPECT_MSG_EQ(ParseLinkSchedule(good, changes), "", good);
    }
    std::vector<double> goodputs;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"LinkRate", "1Gbps"},
                                      {"LinkSchedule", "0s:rate=1Gbps"}})
    {
        goodputs.push_back(RunScenario({{name, value}})["goodput"]);
    }
    NS_TEST_EXPECT_MSG_EQ(goodputs.at(0), goodputs.at(1), "as if it had been so");
    goodputs.clear();
    for (const char* packets : {"all", "acks"})
    {
        goodputs.push_back(RunScenario({{"Workload", "go-back-n"},
                                        {"Octets", "0"},
                                        {"Duration", "8ms"},
                                        {"LinkSchedule", "2ms:down"},
                                        {"PathImpairment.Packets", packets}})["goodput"]);
    }
    NS_TEST_EXPECT_MSG_GT(goodputs.at(0), 0, "up at first");
    NS_TEST_EXPECT_MSG_EQ(goodputs.at(1), goodputs.at(0), "down whatever else is impaired");
    for (const bool ipv6 : {false, true})
    { // 1400 octets are headers and timestamps besides the EMSS
        const double emss = RunScenario({{"LinkSchedule", "1200us:mtu=1400"},
                                         {"Octets", "3000000"},
                                         {"Ipv6", ipv6 ? "true" : "false"}})["emss_end"];
        NS_TEST_EXPECT_MSG_EQ(emss, 1400 - (ipv6 ? 40 : 20) - 20 - 12, "the path's MTU");
    }
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    scenario->SetParameter("Ipv6", "true");
    scenario->SetParameter("LinkSchedule", "1s:mtu=1279");
    NS_TEST_EXPECT_MSG_EQ(scenario->Check().find("LinkSchedule: every"), 0, scenario->Check());
}

/**
 * What is framed ahead of an MTU that shrinks is cut (RFC 5044 section A.1): with a send buffer of
 * 4 MiB half of the segments or more; framed as TCP sends, next to nothing. Without a change of MTU
 * it makes no difference when FPDUs are framed.
 */
IWARP_TEST(iwarpLinkSchedule, "FPDUs framed ahead of an MTU that shrinks", ScheduleTest)
{
    for (const char* workload : {"mpa", "rdma-write", "send"})
    {
        const ScenarioSettings all{{"Workload", workload},
                                   {"Rnic", "none"},
                                   {"SendBuffer", "4194304"},
                                   {"Flows", "1"},
                                   {"Octets", "6000000"},
                                   {"Markers", "false"},
                                   {"MessageSizes", "fixed:65536"}};
        const auto run = [this, &all](const std::string& ahead, const std::string& schedule) {
            ScenarioSettings settings = all;
            settings["MpaStream.FramingAhead"] = ahead;
            settings["LinkSchedule"] = schedule;
            return RunScenario(settings);
        };
        NS_TEST_EXPECT_MSG_LT(run("0", "2ms:mtu=1000")["header_aligned_share"], 0.7, workload);
        NS_TEST_EXPECT_MSG_GT(run("4096", "2ms:mtu=1000")["header_aligned_share"], 0.97, workload);
        auto early = run("0", "");
        auto late = run("4096", "");
        NS_TEST_EXPECT_MSG_EQ(late["payload_octets"], 6e6, workload << ": all of it");
        NS_TEST_EXPECT_MSG_EQ(late["segments_sent"], early["segments_sent"], workload);
        NS_TEST_EXPECT_MSG_EQ_TOL(late["duration"],
                                  early["duration"],
                                  1e-3 * early["duration"],
                                  workload);
    }
}

} // namespace
