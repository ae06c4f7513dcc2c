/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-datagrams.h"
#include "iwarp-run-scenario.h"

#include "ns3/config.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-shortest-paths.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-ipv6-flow-labels.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpEcmp, "iwarp-ecmp");

/// A link of a graph
struct Edge
{
    uint32_t a;     //!< vertex
    uint32_t b;     //!< vertex
    uint32_t delay; //!< microseconds
};

/**
 * Delays and first links of shortest paths of random graphs, links without delay among them,
 * against a list of all simple paths.
 */
struct ShortestPathsTest : TestCase
{
    using TestCase::TestCase;

    /// Go all simple paths. @param edges graph @param at vertex @param to vertex @param visited
    /// vertices of the path @param first its first link @param delay its delay @param found
    /// first links by delay and length
    static void Walk(const std::vector<Edge>& edges,
                     uint32_t at,
                     uint32_t to,
                     std::vector<uint32_t>& visited,
                     uint32_t first,
                     uint32_t delay,
                     std::map<std::pair<uint32_t, std::size_t>, std::set<uint32_t>>& found)
    {
        if (at == to)
        {
            found[{delay, visited.size()}].insert(first);
            return;
        }
        visited.push_back(at);
        for (uint32_t i = 0; i < edges.size(); i++)
        {
            const auto& edge = edges[i];
            const uint32_t next = edge.a == at ? edge.b : edge.a;
            if ((edge.a == at || edge.b == at) &&
                std::find(visited.begin(), visited.end(), next) == visited.end())
            {
                Walk(edges,
                     next,
                     to,
                     visited,
                     visited.size() == 1 ? i : first,
                     delay + edge.delay,
                     found);
            }
        }
        visited.pop_back();
    }

    /// Compare one pair. @param paths tested @param from vertex @param to vertex @param found first
    /// links by delay and length of all paths
    void Compare(const iwarp::ShortestPaths& paths,
                 uint32_t from,
                 uint32_t to,
                 const std::map<std::pair<uint32_t, std::size_t>, std::set<uint32_t>>& found)
    {
        NS_TEST_ASSERT_MSG_EQ(paths.IsReachable(from, to), !found.empty(), "reachable");
        const auto links = paths.GetFirstLinks(from, to);
        const std::set<uint32_t> first(links.begin(), links.end());
        if (found.empty())
        {
            NS_TEST_ASSERT_MSG_EQ(first.empty(), true, "no path, no link");
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(paths.GetDelay(from, to),
                              MicroSeconds(found.begin()->first.first),
                              "delay");
        NS_TEST_ASSERT_MSG_EQ((first == found.begin()->second), true, "first links");
    }
};

IWARP_TEST(iwarpEcmp, "Shortest paths against a list of all paths", ShortestPathsTest)
{
    std::mt19937 random(1); // only for graphs: what is tested draws nothing
    for (uint32_t graph = 0; graph < 50; graph++)
    {
        const uint32_t n = 6;
        std::vector<Edge> edges;
        iwarp::ShortestPaths paths;
        for (uint32_t i = 0; i < 9; i++)
        {
            const auto a = static_cast<uint32_t>(random() % n);
            const auto b = static_cast<uint32_t>((a + 1 + random() % (n - 1)) % n);
            edges.push_back({a, b, static_cast<uint32_t>(random() % 3)});
            const uint32_t number = paths.AddLink(a, b, MicroSeconds(edges.back().delay));
            NS_TEST_ASSERT_MSG_EQ(number, i, "number of the link");
        }
        paths.Compute(n, {0, 1, 2, 3, 4, 5});
        for (uint32_t from = 0; from < n; from++)
        {
            for (uint32_t to = 0; to < n; to++)
            {
                std::vector<uint32_t> visited;
                std::map<std::pair<uint32_t, std::size_t>, std::set<uint32_t>> found;
                if (from != to)
                {
                    Walk(edges, from, to, visited, 0, 0, found);
                    Compare(paths, from, to, found);
                }
            }
        }
    }
}

/// A network of routers with host 0 at router 0 and host 1 at router 1, and who sees which flow.
class Fabric
{
  public:
    /// @param edges links between routers @param ipv6 use IPv6 @param labels with flow labels
    Fabric(const std::vector<Edge>& edges, bool ipv6, bool labels = false)
        : m_network(ipv6),
          m_overhead(2 + (ipv6 ? 40 : 20)) // PPP and IP
    {
        for (const auto& edge : edges)
        {
            while (m_network.GetNRouters() <= std::max(edge.a, edge.b))
            {
                m_network.AddRouter();
            }
        }
        for (uint32_t i = 0; i < edges.size(); i++)
        {
            // rates differ, so that packets of a flow on different paths would overtake each other
            const DataRate rate(1000000000ULL * (1 + i % 5));
            const uint32_t link =
                m_network.AddLink(edges[i].a,
                                  edges[i].b,
                                  {rate, MicroSeconds(edges[i].delay), QueueSize("100000p")});
            m_network.GetLinkDevices(link).Get(1)->TraceConnectWithoutContext(
                "MacRx",
                MakeBoundCallback(&Fabric::See, this, i));
        }
        for (const uint32_t router : {0, 1})
        {
            m_network.AddHost(router, {DataRate("100Gbps"), MicroSeconds(1), QueueSize("100000p")});
        }
        m_network.InstallRoutes();
        if (labels)
        {
            m_network.UseFlowLabels();
        }
    }

    ~Fabric()
    {
        Simulator::Destroy();
    }

    /// Send from host 0 to host 1. @param flows flows @param size octets of a datagram, of which
    /// each flow sends three at once
    void Run(uint32_t flows, uint32_t size = 1000)
    {
        Datagrams datagrams(m_network, 0, 1);
        for (uint32_t i = 0; i < flows; i++)
        {
            for (uint32_t j = 0; j < 3; j++)
            {
                datagrams.Send(MilliSeconds(1) + i * MicroSeconds(10), j, i, size);
            }
        }
        Simulator::Run();
        m_arrivals = datagrams.m_arrivals;
    }

    std::vector<Datagrams::Arrival> m_arrivals;     //!< what arrived
    std::map<uint32_t, std::set<uint16_t>> m_flows; //!< source ports of the flows of each link
    std::map<uint32_t, uint32_t> m_packets;         //!< packets of each link
    std::map<uint32_t, std::set<uint32_t>> m_links; //!< links by the flow label of their packets
    IwarpNetwork m_network;                         //!< network

  private:
    /// A packet comes in. @param fabric where @param edge by which link @param packet the packet
    static void See(Fabric* fabric, uint32_t edge, Ptr<const Packet> packet)
    {
        const uint32_t at = fabric->m_overhead;
        std::vector<uint8_t> head(at + 2);
        packet->CopyData(head.data(), at + 2);
        fabric->m_flows[edge].insert(static_cast<uint16_t>(head[at] << 8 | head[at + 1]));
        fabric->m_packets[edge]++;
        const uint8_t* ip = head.data() + 2; // of IPv6, RFC 8200 section 3
        fabric->m_links[(ip[1] & 0xFU) << 16 | ip[2] << 8 | ip[3]].insert(edge);
    }

    uint32_t m_overhead; //!< octets before the ports
};

/// Two routers with others between them. @param k how many @return their links: 2i and 2i + 1 are
/// those of the ith
std::vector<Edge>
MakeSpines(uint32_t k)
{
    std::vector<Edge> edges;
    for (uint32_t i = 0; i < k; i++)
    {
        edges.push_back({0, 2 + i, 10});
        edges.push_back({2 + i, 1, 10});
    }
    return edges;
}

/**
 * @ingroup iwarp-test
 * Flows over k equal paths: each path's share is binomial with 1/k, within four standard
 * deviations; a flow keeps to one path and in order; nothing is lost.
 */
class EcmpShareTest : public TestCase
{
  public:
    /// @param name name @param edges network @param paths a link of each of the equal paths
    /// @param ipv6 use IPv6
    EcmpShareTest(const std::string& name,
                  const std::vector<Edge>& edges,
                  const std::vector<uint32_t>& paths,
                  bool ipv6)
        : TestCase(name + (ipv6 ? ", IPv6" : ", IPv4")),
          m_edges(edges),
          m_paths(paths),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t n = 400;
        Fabric fabric(m_edges, m_ipv6);
        fabric.Run(n);
        const double p = 1.0 / m_paths.size();
        std::size_t flows = 0;
        for (const uint32_t link : m_paths)
        {
            const std::size_t share = fabric.m_flows[link].size();
            flows += share;
            NS_TEST_EXPECT_MSG_EQ(fabric.m_packets[link], 3 * share, "whole flows");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(share),
                                      n * p,
                                      4 * std::sqrt(n * p * (1 - p)) + 1e-9,
                                      "share of link " << link);
        }
        NS_TEST_EXPECT_MSG_EQ(flows, n, "each flow on one path");
        NS_TEST_ASSERT_MSG_EQ(fabric.m_arrivals.size(), 3 * n, "all arrive");
        std::map<uint32_t, uint32_t> next;
        for (const auto& arrival : fabric.m_arrivals)
        {
            NS_TEST_ASSERT_MSG_EQ(arrival.number, next[arrival.flow], "in order");
            next[arrival.flow]++;
        }
    }

    std::vector<Edge> m_edges;     //!< network
    std::vector<uint32_t> m_paths; //!< a link of each path
    bool m_ipv6;                   //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Packets over k equal paths, whatever their flow: in turn each path has as many as another; at
 * random its share is binomial with 1/k, within four standard deviations. Nothing is lost.
 */
class PacketShareTest : public TestCase
{
  public:
    /// @param spreading value of the attribute @param ipv6 use IPv6
    PacketShareTest(const std::string& spreading, bool ipv6)
        : TestCase("Packets, " + spreading + (ipv6 ? ", IPv6" : ", IPv4")),
          m_spreading(spreading),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t n = 400;
        const uint32_t k = 4;
        const std::string attribute =
            m_ipv6 ? "ns3::PathIpv6EcmpRouting::Spreading" : "ns3::PathIpv4EcmpRouting::Spreading";
        const bool found = Config::SetDefaultFailSafe(attribute, StringValue(m_spreading));
        NS_TEST_ASSERT_MSG_EQ(found, true, "there is " << attribute);
        Fabric fabric(MakeSpines(k), m_ipv6);
        Config::SetDefault(attribute, StringValue("flow"));
        fabric.Run(n);
        const double p = 1.0 / k;
        const double spread = m_spreading == "random" ? 4 * std::sqrt(3 * n * p * (1 - p)) : 0.5;
        for (uint32_t i = 0; i < k; i++)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(fabric.m_packets[2 * i],
                                      3 * n * p,
                                      spread,
                                      "packets of path " << i);
            NS_TEST_EXPECT_MSG_GT(fabric.m_flows[2 * i].size(), n / k, "flows are divided");
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.m_arrivals.size(), 3 * n, "all arrive");
    }

    std::string m_spreading; //!< value of the attribute
    bool m_ipv6;             //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * All fragments of the datagrams between two hosts take one path, and are put together.
 */
class SprayedFragmentTest : public TestCase
{
  public:
    explicit SprayedFragmentTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Fragments keep to one path, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        Fabric fabric(MakeSpines(4), m_ipv6);
        fabric.Run(20, 4000);
        NS_TEST_EXPECT_MSG_EQ(fabric.m_packets.size(), 2, "one path of two links");
        NS_TEST_EXPECT_MSG_EQ(fabric.m_packets.begin()->second, 60 * 3, "three fragments each");
        NS_TEST_EXPECT_MSG_EQ(fabric.m_arrivals.size(), 60, "all arrive");
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Routers that hash flow labels (RFC 6438): those of 1,000 flows are spread over five paths as
 * uniform ones would be, by a chi-squared test at 0.1 %; all datagrams of a flow, whole or in
 * fragments, have one label and one path, in order. Where nobody sets labels all flows have ns-3's.
 */
class FlowLabelTest : public TestCase
{
  public:
    /// @param size octets of a datagram's payload
    explicit FlowLabelTest(uint32_t size)
        : TestCase("Flow labels, datagrams of " + std::to_string(size) + " octets"),
          m_size(size)
    {
    }

  private:
    /// @param fabric that has run @return chi-squared of the flows of its paths against equal
    /// shares
    double Compare(Fabric& fabric)
    {
        double sum = 0;
        std::map<uint32_t, uint32_t> shares; // by first link
        for (const auto& [label, links] : fabric.m_links)
        {
            NS_TEST_EXPECT_MSG_EQ(links.size(), 2, "one path of two links");
            shares[*links.begin()]++;
        }
        for (uint32_t i = 0; i < PATHS; i++)
        {
            const double expected = static_cast<double>(fabric.m_links.size()) / PATHS;
            sum += std::pow(shares[2 * i] - expected, 2) / expected;
        }
        return sum;
    }

    void DoRun() override
    {
        const std::string attribute = "ns3::PathIpv6EcmpRouting::Spreading";
        if (!Ipv6FlowLabels::AreCarried())
        {
            return; // scenarios refuse them
        }
        Config::SetDefault(attribute, StringValue("flow-label"));
        {
            Fabric fabric(MakeSpines(PATHS), true, true);
            fabric.Run(FLOWS, m_size);
            const double most = quantile(complement(boost::math::chi_squared(PATHS - 1), 0.001));
            NS_TEST_EXPECT_MSG_LT(Compare(fabric), most, "as uniform labels would be");
            // of 1,000 labels out of 2^20 - 1 half a pair is the same
            NS_TEST_EXPECT_MSG_GT(fabric.m_links.size(), FLOWS - 5, "a label a flow");
            NS_TEST_EXPECT_MSG_EQ(fabric.m_links.count(0), 0, "0 is of no flow");
            NS_TEST_ASSERT_MSG_EQ(fabric.m_arrivals.size(), 3 * FLOWS, "all arrive");
            std::map<uint32_t, uint32_t> next;
            for (const auto& arrival : fabric.m_arrivals)
            {
                NS_TEST_ASSERT_MSG_EQ(arrival.number, next[arrival.flow], "in order");
                next[arrival.flow]++;
            }
        }
        Fabric plain(MakeSpines(PATHS), true);
        Config::SetDefault(attribute, StringValue("flow"));
        plain.Run(20, m_size);
        NS_TEST_EXPECT_MSG_EQ(plain.m_packets.size(), 2, "one label, one path");
    }

    static constexpr uint32_t FLOWS = 1000; //!< how many
    static constexpr uint32_t PATHS = 5;    //!< between the routers
    uint32_t m_size;                        //!< octets of payload
};

/**
 * @ingroup iwarp-test
 * Flows leave a link whose interface goes down; another run spreads them differently.
 */
class ChoiceTest : public TestCase
{
  public:
    explicit ChoiceTest(bool ipv6) //!< @param ipv6 use IPv6
        : TestCase(std::string("Interface down, another run, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    /// @param down take the way to the first router down @return flows of the first router
    std::set<uint16_t> Run(bool down)
    {
        Fabric fabric(MakeSpines(2), m_ipv6);
        if (down)
        {
            Ptr<NetDevice> device = fabric.m_network.GetLinkDevices(0).Get(0);
            if (m_ipv6)
            {
                Ptr<Ipv6> ip = device->GetNode()->GetObject<Ipv6>();
                ip->SetDown(static_cast<uint32_t>(ip->GetInterfaceForDevice(device)));
            }
            else
            {
                Ptr<Ipv4> ip = device->GetNode()->GetObject<Ipv4>();
                ip->SetDown(static_cast<uint32_t>(ip->GetInterfaceForDevice(device)));
            }
        }
        fabric.Run(100);
        NS_TEST_EXPECT_MSG_EQ(fabric.m_arrivals.size(), 300, "all arrive");
        return fabric.m_flows[0];
    }

    void DoRun() override
    {
        const auto down = Run(true);
        NS_TEST_EXPECT_MSG_EQ(down.size(), 0, "none over the interface that is down");
        const auto before = Run(false);
        NS_TEST_EXPECT_MSG_EQ((Run(false) == before), true, "the same run, the same paths");
        const uint64_t run = RngSeedManager::GetRun();
        RngSeedManager::SetRun(run + 1);
        NS_TEST_EXPECT_MSG_EQ((Run(false) == before), false, "another run, other paths");
        RngSeedManager::SetRun(run);
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * A tunnel between two gateways is one flow to routers that know ports, whatever is in it, in UDP
 * or not. It is as many as it has associations to those that hash the SPI; as many as it has flows
 * where UDP's source port, or IPv6's flow label, tells these apart: 16 balls over 4 urns, of which
 * fewer than 3 hold them once in 11,000 times.
 */
class TunnelPathTest : public ScenarioTestCase
{
  public:
    explicit TunnelPathTest(bool ipv6) //!< @param ipv6 use IPv6
        : ScenarioTestCase(std::string("Paths of a tunnel, ") + (ipv6 ? "IPv6" : "IPv4"),
                           {{"Topology", "leaf-spine"},
                            {"Leaves", "2"},
                            {"Spines", "4"},
                            {"HostsPerLeaf", "16"},
                            {"Flows", "16"},
                            {"Octets", "30000"},
                            {"Ipsec", "gateway"},
                            {"Ipv6", ipv6 ? "true" : "false"},
                            {"PlainTcp", "false"}}),
          m_ipv6(ipv6)
    {
    }

  private:
    using Sent = std::map<Ptr<Node>, std::map<Ptr<NetDevice>, uint32_t>>; //!< large packets

    /// Trace sink. @param sent where to count @param device that sends @param packet it
    static void Count(Sent* sent, Ptr<NetDevice> device, Ptr<const Packet> packet)
    {
        (*sent)[device->GetNode()][device] += packet->GetSize() > 1000;
    }

    /// @param some settings @param more settings @return both
    static ScenarioSettings With(ScenarioSettings some, const ScenarioSettings& more)
    {
        some.insert(more.begin(), more.end());
        return some;
    }

    /// @param settings how paths are picked, and what shows of flows @return most links on which a
    /// leaf sends data to spines
    uint32_t CountPaths(const ScenarioSettings& settings)
    {
        Sent sent;
        const auto scenario = Make(settings);
        scenario->SetObserver([&sent](IwarpNetwork& network) {
            for (uint32_t link = 0; link < 2 * 4; link++)
            {
                const auto device = network.GetLinkDevices(link).Get(0);
                device->TraceConnectWithoutContext("MacTx",
                                                   MakeBoundCallback(&Count, &sent, device));
            }
        });
        Measure(scenario);
        uint32_t most = 0;
        for (const auto& [node, devices] : sent)
        {
            const auto used = std::count_if(devices.begin(), devices.end(), [](const auto& one) {
                return one.second > 0;
            });
            most = std::max(most, static_cast<uint32_t>(used));
        }
        return most;
    }

    void DoRun() override
    {
        const ScenarioSettings one{{"IpsecSharing", "policy"}};
        const ScenarioSettings each{{"IpsecSharing", "connection"}};
        NS_TEST_EXPECT_MSG_EQ(CountPaths(With(each, {{"Ecmp", "flow"}})), 1, "one flow");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(With(one, {{"Ecmp", "flow-spi"}})), 1, "one association");
        NS_TEST_EXPECT_MSG_GT(CountPaths(With(each, {{"Ecmp", "flow-spi"}})),
                              2,
                              "an association a connection");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(With(each, {{"IpsecUdp", "true"}})),
                              1,
                              "ports of RFC 3948 are the same for all");
        NS_TEST_EXPECT_MSG_GT(
            CountPaths(With(one, {{"IpsecUdp", "true"}, {"IpsecUdpEntropy", "true"}})),
            2,
            "ports tell flows of one association apart");
        if (m_ipv6 && Ipv6FlowLabels::AreCarried())
        {
            NS_TEST_EXPECT_MSG_EQ(CountPaths(With(each, {{"FlowLabels", "true"}})),
                                  1,
                                  "labels, which nobody looks at");
            NS_TEST_EXPECT_MSG_GT(
                CountPaths(With(one, {{"FlowLabels", "true"}, {"Ecmp", "flow-label"}})),
                2,
                "labels tell flows of one association apart");
        }
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * What a gateway's tunnel carries over a leaf-spine of four spines whose links have the rate of a
 * host's. On one path all 16 hosts of a leaf have what one link leaves of its rate for payload, at
 * most; where outer headers tell flows apart, more paths carry more. Packets of one association on
 * several paths overtake each other: an anti-replay window of 64 takes some for old, one that holds
 * what is under way takes none (RFC 4303 section 3.4.3).
 */
class TunnelGoodputTest : public ScenarioTestCase
{
  public:
    TunnelGoodputTest()
        : ScenarioTestCase("Goodput of a tunnel over several paths",
                           {{"Topology", "leaf-spine"},
                            {"Leaves", "2"},
                            {"Spines", "4"},
                            {"HostsPerLeaf", "16"},
                            {"Flows", "16"},
                            {"Octets", "400000"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "10Gbps"},
                            {"Ipsec", "gateway"},
                            {"Ipv6", "true"},
                            {"WarmUp", "0"},
                            {"PlainTcp", "false"}})
    {
    }

  private:
    void DoRun() override
    {
        // a segment's payload, FPDU's and DDP's headers among it, of an Ethernet frame: the MTU of
        // 1500 less two headers of IPv6, TCP's 32, SPI and number, IV, trailer and ICV
        const double path = 10e9 * (1500 - 40 - 8 - 8 - 2 - 16 - 40 - 32) / 1538;
        const ScenarioSettings ports{{"IpsecUdp", "true"},
                                     {"IpsecUdpEntropy", "true"},
                                     {"IpsecSharing", "policy"}};
        const ScenarioSettings labels{{"Ecmp", "flow-label"},
                                      {"FlowLabels", "true"},
                                      {"IpsecSharing", "policy"}};
        for (const auto& way :
             std::vector<ScenarioSettings>{{{"Ecmp", "flow"}},
                                           {{"IpsecUdp", "true"}},
                                           {{"Ecmp", "flow-spi"}, {"IpsecSharing", "policy"}}})
        {
            const auto found = RunScenario(way);
            NS_TEST_EXPECT_MSG_LT(found.at("goodput"), path, "one path");
            NS_TEST_EXPECT_MSG_EQ(found.at("esp_drops_too_old"), 0, "in order");
        }
        ScenarioSettings wide = ports;
        wide["ReplayWindow"] = "4096";
        ScenarioSettings wideLabels = labels;
        wideLabels["ReplayWindow"] = "4096";
        std::vector<ScenarioSettings> several{
            {{"Ecmp", "flow-spi"}, {"IpsecSharing", "connection"}},
            wide};
        std::vector<ScenarioSettings> narrow{ports};
        if (Ipv6FlowLabels::AreCarried())
        {
            several.push_back(wideLabels);
            narrow.push_back(labels);
        }
        for (const auto& way : several)
        {
            const auto found = RunScenario(way);
            NS_TEST_EXPECT_MSG_GT(found.at("goodput"), 1.2 * path, "more than one path");
            NS_TEST_EXPECT_MSG_LT(found.at("goodput"), 4 * path, "four");
            NS_TEST_EXPECT_MSG_EQ(found.at("esp_drops_too_old"), 0, "the window holds them");
        }
        for (const auto& way : narrow)
        {
            NS_TEST_EXPECT_MSG_GT(RunScenario(way).at("esp_drops_too_old"),
                                  0,
                                  "a window of 64 does not");
        }
    }
};

IWARP_TEST_CASES(iwarpEcmp)
{
    // 0 to 2 and 3, 2 to 4 and 5, 3 to 6 and 7, all of these to 1: four paths over two choices
    const std::vector<Edge> tree{{0, 2, 5},
                                 {0, 3, 5},
                                 {2, 4, 5},
                                 {2, 5, 5},
                                 {3, 6, 5},
                                 {3, 7, 5},
                                 {4, 1, 5},
                                 {5, 1, 5},
                                 {6, 1, 5},
                                 {7, 1, 5}};
    suite.AddTestCase(new TunnelPathTest(false));
    suite.AddTestCase(new TunnelPathTest(true));
    suite.AddTestCase(new TunnelGoodputTest());
    suite.AddTestCase(new FlowLabelTest(1000));
    suite.AddTestCase(new FlowLabelTest(4000));
    for (const bool ipv6 : {false, true})
    {
        suite.AddTestCase(new EcmpShareTest("Two paths", MakeSpines(2), {0, 2}, ipv6));
        suite.AddTestCase(new EcmpShareTest("Five paths", MakeSpines(5), {0, 2, 4, 6, 8}, ipv6));
        suite.AddTestCase(new EcmpShareTest("Three links between two routers",
                                            {{0, 1, 7}, {0, 1, 7}, {0, 1, 7}, {0, 1, 8}},
                                            {0, 1, 2},
                                            ipv6));
        suite.AddTestCase(
            new EcmpShareTest("Two choices one after the other", tree, {6, 7, 8, 9}, ipv6));
        suite.AddTestCase(
            new EcmpShareTest("Least delay", {{0, 1, 9}, {0, 2, 4}, {2, 1, 4}}, {1}, ipv6));
        suite.AddTestCase(
            new EcmpShareTest("Fewest links", {{0, 1, 8}, {0, 2, 4}, {2, 1, 4}}, {0}, ipv6));
        suite.AddTestCase(new PacketShareTest("round-robin", ipv6));
        suite.AddTestCase(new PacketShareTest("random", ipv6));
        suite.AddTestCase(new SprayedFragmentTest(ipv6));
        suite.AddTestCase(new ChoiceTest(ipv6));
    }
}

} // namespace
