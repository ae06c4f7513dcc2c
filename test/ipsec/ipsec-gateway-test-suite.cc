/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"
#include "ipsec-packed.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/// What a gateway forwards, and what it may not.
IWARP_TEST_SUITE(ipsecGateway, "ipsec-gateway", TestSuite::Type::SYSTEM);

constexpr uint16_t GATEWAY_PORT = 9; //!< of UDP that the gateway protects

/// Host 10.0.0.1, a gateway at 10.0.0.2 and 10.1.0.1, and host 10.1.0.2.
class GatewayNodes
{
  public:
    /// @param mode of the gateway's policy for UDP to one port
    explicit GatewayNodes(IpsecMode mode)
        : m_nodes(3)
    {
        InternetStackHelper().Install(m_nodes);
        for (uint32_t i = 0; i < 2; i++)
        {
            const std::string network = "10." + std::to_string(i) + ".0.0";
            m_links.Add(PointToPointHelper().Install(m_nodes.Get(i), m_nodes.Get(i + 1)));
            Ipv4AddressHelper(network.c_str(), "255.255.255.0")
                .Assign({m_links.Get(2 * i), m_links.Get(2 * i + 1)});
        }
        Ipv4StaticRoutingHelper routing;
        routing.GetStaticRouting(m_nodes.Get(0)->GetObject<Ipv4>())->SetDefaultRoute("10.0.0.2", 1);
        IpsecHelper ipsec;
        ipsec.SetAttribute("OtherTraffic", iwarp::MakeEnumValue(IpsecAction::BYPASS));
        ipsec.SetSharing(IpsecSharing::POLICY);
        ipsec.Install(m_nodes.Get(1)); // a host's, which does not make a gateway less of it
        gateway = ipsec.InstallGateway(m_nodes.Get(1));
        ipsec.InstallGateway(m_nodes.Get(1)); // nor does a second call
        IpsecSelector selector;
        selector.protocol = 17;
        selector.destinationPorts = {GATEWAY_PORT, GATEWAY_PORT};
        if (mode == IpsecMode::TUNNEL)
        {
            ipsec.ProtectTunnel(gateway, selector, "10.1.0.1", "10.1.0.2");
        }
        else
        {
            ipsec.ProtectTransport(gateway, selector);
        }
        Simulator::Run(); // begins
        IpsecAssociationConfig config;
        config.spi = 0x1001;
        config.source = "10.1.0.1";
        config.destination = "10.1.0.2";
        config.mode = mode;
        config.transform = FindEspTransform("aes-gcm-16-128");
        config.keys = TestKeys(*config.transform);
        const IpsecFlow flow{"10.0.0.1", "10.1.0.2", 17, 1, GATEWAY_PORT};
        const auto policy = gateway->GetPolicies().FindOutbound(flow);
        NS_ABORT_MSG_UNLESS(gateway->GetAssociations().AddOutbound(config, policy, flow),
                            "by hand");
        m_links.Get(2)->TraceConnectWithoutContext("PhyTxEnd",
                                                   MakeCallback(&GatewayNodes::Leave, this));
        m_nodes.Get(0)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&GatewayNodes::Return, this));
    }

    ~GatewayNodes()
    {
        Simulator::Destroy();
    }

    /// Have host 10.0.0.1 send UDP to the other. @param port to which @param hops it may take
    void Send(uint16_t port, uint8_t hops)
    {
        const auto socket = Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->SetIpTtl(hops);
        socket->SendTo(Create<Packet>(100), 0, InetSocketAddress("10.1.0.2", port));
        Simulator::Run();
    }

    /// Have the gateway get a datagram from its first link. @param datagram octets
    void Deliver(const Packed& datagram)
    {
        m_nodes.Get(1)->GetObject<Ipv4L3Protocol>()->Receive(
            m_links.Get(1),
            Create<Packet>(datagram.data(), static_cast<uint32_t>(datagram.size())),
            Ipv4L3Protocol::PROT_NUMBER,
            Address(),
            Address(),
            NetDevice::PACKET_HOST);
        Simulator::Run();
    }

    uint64_t CountDropped() const //!< @return packets dropped by policy
    {
        return gateway->GetCounters().GetDropped(IpsecDrop::POLICY);
    }

    Ptr<IpsecStack> gateway; //!< it
    uint32_t sealed{0};      //!< ESP that it has sent on
    uint32_t clear{0};       //!< datagrams that it has sent on in clear
    uint32_t expired{0};     //!< Time Exceeded that came back

  private:
    void Leave(Ptr<const Packet> packet) //!< @param packet on the second link, in PPP
    {
        uint8_t octets[12] = {};
        packet->CopyData(octets, sizeof(octets));
        ++(octets[2 + 9] == 50 ? sealed : clear);
    }

    void Return(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t) //!< @param packet at 10.0.0.1
    {
        uint8_t octets[21] = {};
        packet->CopyData(octets, sizeof(octets));
        expired += octets[9] == 1 && octets[20] == 11;
    }

    NodeContainer m_nodes;      //!< host, gateway, host
    NetDeviceContainer m_links; //!< ends of both links, from host to host
};

/// A gateway that has an association in transport mode for what it forwards has no use for it: such
/// an association is for what a node sends itself (RFC 4301 section 4.1).
IWARP_TEST(ipsecGateway, "what is forwarded takes no transport mode")
{
    GatewayNodes nodes(IpsecMode::TRANSPORT);
    nodes.Send(GATEWAY_PORT, 64);
    NS_TEST_EXPECT_MSG_EQ(nodes.CountDropped(), 1, "dropped");
    NS_TEST_EXPECT_MSG_EQ(nodes.sealed, 0, "not in ESP");
    nodes.Send(GATEWAY_PORT + 1, 64);
    NS_TEST_EXPECT_MSG_EQ(nodes.clear, 1, "another port goes on, the first one does not");
}

/// A tunnel is a hop of what is in it: what may take no more does not enter it, and its sender is
/// told (RFC 4301 section 5.1.2.1, note 4; RFC 791).
IWARP_TEST(ipsecGateway, "what may take no more hops does not enter a tunnel")
{
    GatewayNodes nodes(IpsecMode::TUNNEL);
    nodes.Send(GATEWAY_PORT, 2);
    NS_TEST_EXPECT_MSG_EQ(nodes.sealed, 1, "one is left");
    nodes.Send(GATEWAY_PORT, 1);
    NS_TEST_EXPECT_MSG_EQ(nodes.sealed, 1, "none is left");
    NS_TEST_EXPECT_MSG_EQ(nodes.expired, 1, "which the sender hears");
    NS_TEST_EXPECT_MSG_EQ(nodes.clear, 0, "nothing goes on in clear");
}

/// What goes out protected is nobody's business who is in clear on the other side: an error message
/// about it from there, which anybody may have written, does not pass (RFC 4301 section 6.1.1).
IWARP_TEST(ipsecGateway, "ICMP in clear about what leaves protected does not pass")
{
    for (const uint16_t port : {GATEWAY_PORT, static_cast<uint16_t>(GATEWAY_PORT + 1)})
    {
        GatewayNodes nodes(IpsecMode::TUNNEL);
        // a message of 10.0.0.2 to 10.1.0.2 by its head, about what 10.1.0.2 is told to have sent
        const Packed about = Wrap(false, 17, WrapUdp(1, port, Packed(8, 1)));
        nodes.Deliver(Wrap(false, 1, Append({3, 1, 0, 0, 0, 0, 0, 0}, about)));
        const bool isProtected = port == GATEWAY_PORT;
        NS_TEST_EXPECT_MSG_EQ(nodes.CountDropped(), (isProtected ? 1 : 0), port);
        NS_TEST_EXPECT_MSG_EQ(nodes.clear, (isProtected ? 0 : 1), port);
    }
}

/// A fragment whose ports nobody knows may be of what is protected: it is dropped (RFC 4301 section
/// 7.3); once the first fragment has told them it goes with that.
IWARP_TEST(ipsecGateway, "fragments without ports do not pass")
{
    GatewayNodes nodes(IpsecMode::TUNNEL);
    const Packed whole = WrapUdp(5, GATEWAY_PORT, Packed(40, 1));
    const Packed first = Wrap(false, 17, Packed(whole.begin(), whole.begin() + 24), 0x2000);
    const Packed second = Wrap(false, 17, Packed(whole.begin() + 24, whole.end()), 3);
    nodes.Deliver(second);
    NS_TEST_EXPECT_MSG_EQ(nodes.CountDropped(), 1, "of what nobody knows");
    NS_TEST_EXPECT_MSG_EQ(nodes.clear + nodes.sealed, 0, "neither in clear nor in ESP");
    nodes.Deliver(first);
    nodes.Deliver(second);
    NS_TEST_EXPECT_MSG_EQ(nodes.sealed, 2, "both parts");
    NS_TEST_EXPECT_MSG_EQ(nodes.clear, 0, "none in clear");
}

} // namespace
