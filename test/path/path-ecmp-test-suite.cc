/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-ecmp-routing.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/util-ip-traits.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(pathEcmp, "path-ecmp");

/// A router whose networks 10.1.0.0/16 and 10.2.0.0/16 have two next hops each.
class EcmpNode
{
  public:
    explicit EcmpNode(const std::string& spreading) //!< @param spreading value of the attribute
    {
        auto node = CreateObject<Node>();
        InternetStackHelper().Install(node);
        m_ip = node->GetObject<Ipv4>();
        m_routing = CreateObject<PathIpv4EcmpRouting>();
        m_routing->SetAttribute("Spreading", StringValue(spreading));
        m_ip->SetRoutingProtocol(m_routing);
        for (uint32_t i = 1; i <= 2; i++)
        {
            auto device = CreateObject<SimpleNetDevice>();
            device->SetAddress(Mac48Address::Allocate());
            node->AddDevice(device);
            const uint32_t interface = m_ip->AddInterface(device);
            m_ip->AddAddress(interface, {Ipv4Address(GATEWAYS + 256 * i), Ipv4Mask("/24")});
            m_ip->SetUp(interface);
            for (const char* network : {"10.1.0.0", "10.2.0.0"})
            {
                m_routing->AddNextHop(network,
                                      Ipv4Mask("/16"),
                                      Ipv4Address(GATEWAYS + 256 * i + 1),
                                      interface);
            }
        }
    }

    ~EcmpNode()
    {
        Simulator::Destroy();
    }

    /// Route a datagram of 10.9.0.1. @param word its first four octets @param network to which host
    /// of 10.network.0.0 it goes @param more it is a first fragment @return which next hop it has
    uint32_t Route(uint32_t word, uint32_t network = 1, bool more = false)
    {
        const std::vector<uint8_t> octets{static_cast<uint8_t>(word >> 24),
                                          static_cast<uint8_t>(word >> 16),
                                          static_cast<uint8_t>(word >> 8),
                                          static_cast<uint8_t>(word)};
        Ipv4Header header = MakeHeader(network);
        more ? header.SetMoreFragments() : header.SetLastFragment();
        return Send(Create<Packet>(octets.data(), 4), header);
    }

    /// @return which next hop the next datagram to network 1 would have
    uint32_t Peek()
    {
        return Send(nullptr, MakeHeader());
    }

    /// @param forwarding of the interface where it comes in @return which next hop a datagram to
    /// network 1 has that comes from elsewhere; 0 if it does not go on
    uint32_t Forward(bool forwarding = true)
    {
        m_ip->SetForwarding(1, forwarding);
        uint32_t hop = 0;
        m_routing->RouteInput(
            Create<Packet>(4),
            MakeHeader(),
            m_ip->GetNetDevice(1),
            Ipv4Traits::MakeForward(
                [&hop](const auto&, const Ptr<Ipv4Route>& route, const auto&, const auto&) {
                    hop = FindHop(route);
                }),
            {},
            {},
            iwarp::MakeLambdaCallback<Ipv4RoutingProtocol::ErrorCallback>(
                [](Ptr<const Packet>, const Ipv4Header&, Socket::SocketErrno) {}));
        return hop;
    }

    /// @param more they are first fragments @return next hops of 64 datagrams, of which the first
    /// four octets differ
    std::set<uint32_t> RouteMany(bool more = false)
    {
        std::set<uint32_t> hops;
        for (uint32_t i = 0; i < 64; i++)
        {
            hops.insert(Route(0x10000 * i + i, 1, more));
        }
        return hops;
    }

    /// @param network address @param mask of it @param hop that it has
    void AddNetwork(const char* network, const char* mask, uint32_t hop)
    {
        m_routing->AddNextHop(network, mask, Ipv4Address(GATEWAYS + 256 * hop + 1), hop);
    }

    /// @param hop whose interface goes down
    void Break(uint32_t hop)
    {
        m_ip->SetDown(hop);
    }

    uint8_t protocol{6}; //!< that IP carries

  private:
    static constexpr uint32_t GATEWAYS = 0x0A800000; //!< 10.128.0.0

    /// @param network to which host of 10.network.0.0 it goes @return header of a datagram
    Ipv4Header MakeHeader(uint32_t network = 1) const
    {
        Ipv4Header header;
        header.SetSource("10.9.0.1");
        header.SetDestination(Ipv4Address(0x0A000007 | network << 16));
        header.SetProtocol(protocol);
        return header;
    }

    /// @param route of a datagram @return which next hop it has
    static uint32_t FindHop(const Ptr<Ipv4Route>& route)
    {
        return (route->GetGateway().Get() - GATEWAYS) / 256;
    }

    /// @param packet of this node, or nullptr @param header of it @return which next hop it has
    uint32_t Send(const Ptr<Packet>& packet, const Ipv4Header& header)
    {
        Socket::SocketErrno error = Socket::ERROR_NOTERROR;
        return FindHop(m_routing->RouteOutput(packet, header, nullptr, error));
    }

    Ptr<Ipv4> m_ip;                     //!< of the router
    Ptr<PathIpv4EcmpRouting> m_routing; //!< of the router
};

const std::set<uint32_t> BOTH_HOPS{1, 2}; ///< next hops of a network

} // namespace

/// @brief Packets of each network go in turn, whatever goes to the other.
IWARP_TEST(pathEcmp, "round robin by network")
{
    EcmpNode node("round-robin");
    for (uint32_t i = 0; i < 6; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(node.Route(0, 1), 1 + i % 2, "one network, packet " << i);
        NS_TEST_EXPECT_MSG_EQ(node.Route(0, 2), 1 + i % 2, "the other one, packet " << i);
    }
}

/// @brief What looks for the MTU of a path takes no turn, and what a gateway protects one only:
/// that of the datagram that it sends.
IWARP_TEST(pathEcmp, "who looks takes no turn of a round robin")
{
    EcmpNode node("round-robin");
    for (uint32_t i = 0; i < 6; i++)
    {
        const uint32_t hop = 1 + i % 2;
        NS_TEST_EXPECT_MSG_EQ(node.Peek(), hop, "looks, packet " << i);
        NS_TEST_EXPECT_MSG_EQ(node.Peek(), hop, "looks again, packet " << i);
        NS_TEST_EXPECT_MSG_EQ(node.Route(0), hop, "is sent, packet " << i);
    }
    for (uint32_t i = 0; i < 6; i++)
    {
        const uint32_t hop = 1 + i % 2;
        NS_TEST_EXPECT_MSG_EQ(node.Forward(), hop, "comes from elsewhere, packet " << i);
        NS_TEST_EXPECT_MSG_EQ(node.Route(0), hop, "goes on protected, packet " << i);
    }
}

/// @brief What a flow is: of 64 that differ, all on one of two paths has a chance of 2^-63.
IWARP_TEST(pathEcmp, "what flows are told apart by")
{
    for (const uint8_t protocol : {6, 17})
    {
        EcmpNode ports("flow");
        ports.protocol = protocol;
        NS_TEST_EXPECT_MSG_EQ((ports.RouteMany() == BOTH_HOPS), true, "ports");
        NS_TEST_EXPECT_MSG_EQ(ports.RouteMany(true).size(), 1, "of which fragments have none");
        const uint32_t hop = ports.Route(0x12345678);
        for (uint32_t i = 0; i < 10; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(ports.Route(0x12345678), hop, "a flow keeps to its path");
        }
    }
    for (const std::string spreading : {"flow", "flow-spi"})
    {
        EcmpNode esp(spreading);
        esp.protocol = 50;
        const std::size_t hops = spreading == "flow" ? 1 : 2;
        NS_TEST_EXPECT_MSG_EQ(esp.RouteMany().size(), hops, "SPIs, " << spreading);
        EcmpNode other(spreading);
        other.protocol = 1;
        NS_TEST_EXPECT_MSG_EQ(other.RouteMany().size(), 1, "ICMP has none, " << spreading);
    }
}

/// @brief At random packets of one flow take both paths.
IWARP_TEST(pathEcmp, "packets at random")
{
    EcmpNode node("random");
    std::set<uint32_t> hops;
    for (uint32_t i = 0; i < 64; i++)
    {
        hops.insert(node.Route(1));
    }
    NS_TEST_EXPECT_MSG_EQ((hops == BOTH_HOPS), true, "one flow");
}

/// @brief A next hop goes with its interface; flows of the other one stay there.
IWARP_TEST(pathEcmp, "an interface that goes down")
{
    EcmpNode node("flow");
    NS_TEST_ASSERT_MSG_EQ((node.RouteMany() == BOTH_HOPS), true, "both");
    node.Break(1);
    NS_TEST_EXPECT_MSG_EQ((node.RouteMany() == std::set<uint32_t>{2}), true, "the other one");
}

/// @brief A host with several ways forwards nothing (RFC 1122 section 3.3.1.1).
IWARP_TEST(pathEcmp, "a node that does not forward")
{
    EcmpNode node("flow");
    NS_TEST_EXPECT_MSG_GT(node.Forward(true), 0, "a router");
    NS_TEST_EXPECT_MSG_EQ(node.Forward(false), 0, "a host");
}

/// @brief Of networks that hold an address the longest prefix counts, in whatever order they came.
IWARP_TEST(pathEcmp, "the longest prefix counts")
{
    for (const bool longestFirst : {false, true})
    {
        EcmpNode node("flow");
        node.AddNetwork(longestFirst ? "10.1.0.0" : "10.0.0.0",
                        longestFirst ? "/24" : "/8",
                        longestFirst ? 2 : 1);
        node.AddNetwork(longestFirst ? "10.0.0.0" : "10.1.0.0",
                        longestFirst ? "/8" : "/24",
                        longestFirst ? 1 : 2);
        NS_TEST_EXPECT_MSG_EQ((node.RouteMany() == std::set<uint32_t>{2}), true, "of /24");
        NS_TEST_EXPECT_MSG_EQ(node.Route(0, 3), 1, "of /8");
        EcmpNode whole("round-robin");
        whole.AddNetwork("10.0.0.0", "/8", 1);
        NS_TEST_EXPECT_MSG_EQ(whole.Route(0, 2), 1, "of /16, the first");
        NS_TEST_EXPECT_MSG_EQ(whole.Route(0, 2), 2, "of /16, the second");
    }
}
