/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/app-data-file.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/iwarp-abilene-helper.h"
#include "ns3/iwarp-dumbbell-helper.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

using namespace ns3;

namespace
{

/// Sends one datagram across a network and tells how long it took.
class Probe
{
  public:
    /// @param network where @param from host @param to host @param payload octets
    Probe(IwarpNetwork& network, uint32_t from, uint32_t to, uint32_t payload)
    {
        const auto udp = UdpSocketFactory::GetTypeId();
        m_receiver = Socket::CreateSocket(network.GetHost(to), udp);
        m_receiver->Bind(network.GetAnySocketAddress(9));
        m_receiver->SetRecvCallback(MakeCallback(&Probe::Receive, this));
        m_sender = Socket::CreateSocket(network.GetHost(from), udp);
        Simulator::Schedule(m_start, [this, &network, to, payload] {
            m_sender->SendTo(Create<Packet>(payload), 0, network.GetHostSocketAddress(to, 9));
        });
        Simulator::Run();
    }

    Time GetDelay() const //!< @return time from sending to reception; negative if it did not come
    {
        return m_delay;
    }

  private:
    void Receive(Ptr<Socket> /* socket */)
    {
        m_delay = Simulator::Now() - m_start;
    }

    Ptr<Socket> m_receiver;         //!< receiver
    Ptr<Socket> m_sender;           //!< sender
    const Time m_start{Seconds(1)}; //!< when it is sent
    Time m_delay{Seconds(-1)};      //!< what it took
};

/**
 * @ingroup iwarp-test
 * A datagram across a dumbbell takes the sum of propagation and transmission times.
 */
class DumbbellTest : public TestCase
{
  public:
    explicit DumbbellTest(bool ipv6)
        : TestCase(std::string("Dumbbell, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const IwarpNetwork::Link bottleneck{DataRate("1Gbps"), MilliSeconds(3)};
        const IwarpNetwork::Link access{DataRate("2Gbps"), MicroSeconds(7)};
        IwarpDumbbellHelper dumbbell(3, bottleneck, access, m_ipv6);
        for (uint32_t pair = 0; pair < 3; pair++)
        {
            NS_TEST_EXPECT_MSG_EQ(
                dumbbell.GetPathDelay(dumbbell.GetLeft(pair), dumbbell.GetRight(pair)),
                MicroSeconds(3014),
                "propagation delay");
        }
        // octets on each link: payload, UDP, IP, PPP
        const uint32_t size = 1000 + 8 + (m_ipv6 ? 40 : 20) + 2;
        const Probe probe(dumbbell, dumbbell.GetLeft(2), dumbbell.GetRight(0), 1000);
        NS_TEST_EXPECT_MSG_EQ(probe.GetDelay(),
                              MicroSeconds(3014) + NanoSeconds(size * 8 + 2 * size * 4),
                              "delay of a datagram");
        Simulator::Destroy();
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/**
 * @ingroup iwarp-test
 * Abilene: delays of all pairs of cities by another formula for the great circle and another
 * algorithm for shortest paths, and a datagram from coast to coast.
 */
class AbileneTest : public TestCase
{
  public:
    explicit AbileneTest(bool ipv6)
        : TestCase(std::string("Abilene, ") + (ipv6 ? "IPv6" : "IPv4")),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        struct Place
        {
            double x, y, z;
        };

        std::vector<std::string> names;
        std::map<std::string, Place> places;
        std::ifstream nodes(iwarp::FindDataFile("abilene-nodes"));
        std::string line;
        std::getline(nodes, line);
        while (std::getline(nodes, line))
        {
            const auto name = line.substr(0, line.find(','));
            const auto second = line.find(',', line.find(',') + 1);
            double latitude;
            double longitude;
            NS_TEST_ASSERT_MSG_EQ(
                std::sscanf(line.c_str() + second + 1, "%lf,%lf", &latitude, &longitude),
                2,
                line);
            latitude *= M_PI / 180;
            longitude *= M_PI / 180;
            names.push_back(name);
            places[name] = {std::cos(latitude) * std::cos(longitude),
                            std::cos(latitude) * std::sin(longitude),
                            std::sin(latitude)};
        }
        NS_TEST_ASSERT_MSG_EQ(names.size(), 11, "cities");
        const double infinity = std::numeric_limits<double>::infinity();
        std::map<std::pair<std::string, std::string>, double> delay;
        std::map<std::pair<std::string, std::string>, int> hops;
        for (const auto& a : names)
        {
            for (const auto& b : names)
            {
                delay[{a, b}] = a == b ? 0 : infinity;
            }
        }
        std::ifstream links(iwarp::FindDataFile("abilene-links"));
        std::getline(links, line);
        int count = 0;
        while (std::getline(links, line))
        {
            const auto a = line.substr(0, 4);
            const auto b = line.substr(5, 4);
            const Place& p = places.at(a);
            const Place& q = places.at(b);
            const double angle = std::acos(p.x * q.x + p.y * q.y + p.z * q.z);
            delay[{a, b}] = delay[{b, a}] = 6371008.8 * angle / (2.0 / 3 * 299792458);
            hops[{a, b}] = hops[{b, a}] = 1;
            count++;
        }
        NS_TEST_ASSERT_MSG_EQ(count, 14, "number of links");
        for (const auto& via : names)
        {
            for (const auto& a : names)
            {
                for (const auto& b : names)
                {
                    if (delay[{a, via}] + delay[{via, b}] < delay[{a, b}])
                    {
                        delay[{a, b}] = delay[{a, via}] + delay[{via, b}];
                        hops[{a, b}] = hops[{a, via}] + hops[{via, b}];
                    }
                }
            }
        }

        const IwarpNetwork::Link backbone{DataRate("10Gbps")};
        const IwarpNetwork::Link access{DataRate("10Gbps"), MicroSeconds(1)};
        IwarpAbileneHelper abilene(backbone, m_ipv6);
        std::map<std::string, uint32_t> hosts;
        for (const auto& name : names)
        {
            hosts[name] = abilene.AddHost(abilene.GetRouterOf(name), access);
        }
        abilene.InstallRoutes();
        for (const auto& a : names)
        {
            for (const auto& b : names)
            {
                // a nanosecond a link is lost in ns-3's clock
                const double expected = delay[{a, b}] + 2e-6;
                NS_TEST_EXPECT_MSG_EQ_TOL(abilene.GetPathDelay(hosts[a], hosts[b]).GetSeconds(),
                                          expected,
                                          1e-8,
                                          a << " to " << b);
            }
        }
        // Seattle to Washington: 3,700 km of great circle, so no less than 18.5 ms
        NS_TEST_EXPECT_MSG_GT((delay[{"STTL", "WASH"}]), 0.0185, "plausible");
        NS_TEST_EXPECT_MSG_LT((delay[{"STTL", "WASH"}]), 0.026, "plausible");
        const uint32_t size = 1000 + 8 + (m_ipv6 ? 40 : 20) + 2;
        const double far = delay[{"STTL", "WASH"}] + 2e-6;
        const int crossed = hops[{"STTL", "WASH"}] + 2;
        const Probe probe(abilene, hosts["STTL"], hosts["WASH"], 1000);
        NS_TEST_EXPECT_MSG_EQ_TOL(probe.GetDelay().GetSeconds(),
                                  far + crossed * size * 8 / 10e9,
                                  1e-8,
                                  "delay of a datagram");
        Simulator::Destroy();
    }

    bool m_ipv6; //!< IPv6 rather than IPv4
};

/// The suite
class NetworkTestSuite : public TestSuite
{
  public:
    NetworkTestSuite()
        : TestSuite("iwarp-network", TestSuite::Type::UNIT)
    {
        for (const bool ipv6 : {false, true})
        {
            AddTestCase(new DumbbellTest(ipv6), IWARP_TEST_QUICK);
            AddTestCase(new AbileneTest(ipv6), IWARP_TEST_QUICK);
        }
    }
};

NetworkTestSuite g_networkTestSuite; //!< registers the suite

} // namespace
