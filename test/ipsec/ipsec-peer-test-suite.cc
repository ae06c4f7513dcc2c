/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-association-database.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-path-mtu.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What a peer with keys, and the path to it, may not do.
IWARP_TEST_SUITE(ipsecPeer, "ipsec-peer", TestSuite::Type::SYSTEM);

constexpr uint32_t PEER_SPI = 0x1001; //!< of the association that there is

/// @return an association from 10.1.0.1 to 10.1.0.2
IpsecAssociationConfig
MakePeerConfig()
{
    IpsecAssociationConfig config;
    config.spi = PEER_SPI;
    config.source = "10.1.0.1";
    config.destination = "10.1.0.2";
    config.transform = FindEspTransform("aes-gcm-16-128");
    config.keys = TestKeys(*config.transform);
    return config;
}

/// ICMP about a path counts for ten minutes (RFC 1191 section 6.3), if it is about what was sent
/// (RFC 4301 section 8.2.1), less than is known, and at least what each link takes (RFC 791).
IWARP_TEST(ipsecPeer, "which ICMP about a path counts")
{
    IpsecAssociationDatabase outbound;
    const auto association = std::make_shared<IpsecAssociation>(MakePeerConfig(), Time(0));
    outbound.Add(association);
    IpsecPathMtu paths(outbound);
    const IpsecAddress to("10.1.0.2");
    const Time age = Minutes(10);
    const Time told = Seconds(5);
    NS_TEST_EXPECT_MSG_EQ(paths.Update(to, PEER_SPI + 1, 1400, told, age), false, "another SPI");
    NS_TEST_EXPECT_MSG_EQ(paths.Update("10.1.0.3", PEER_SPI, 1400, told, age), false, "not there");
    NS_TEST_EXPECT_MSG_EQ(paths.Update(to, PEER_SPI, 67, told, age), false, "no link takes less");
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1500, told, age).mtu, 1500, "the link's");
    NS_TEST_EXPECT_MSG_EQ(paths.Update(to, PEER_SPI, 1400, told, age), true, "ours");
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1500, told, age).mtu, 1400, "the path's");
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1300, told, age).mtu, 1300, "a link of less");
    NS_TEST_EXPECT_MSG_EQ(paths.Update(to, PEER_SPI, 1450, told, age), false, "it does not grow");
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1500, told, age).mtu, 1400, "by ICMP");
    const Time last = told + age - TimeStep(1);
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1500, last, age).mtu, 1400, "to the last moment");
    NS_TEST_EXPECT_MSG_EQ(paths.FindLimit(to, 1500, told + age, age).mtu, 1500, "no longer");
    // a path that takes less than each host does: packets go as large as that, in fragments
    NS_TEST_EXPECT_MSG_EQ(paths.Update(to, PEER_SPI, 68, told, age), true, "the least of a link");
    const auto limit = paths.FindLimit(to, 1500, told, age);
    NS_TEST_EXPECT_MSG_EQ(limit.mtu, 576, "what each host takes");
    NS_TEST_EXPECT_MSG_EQ(limit.whole, false, "which has to be divided");
    // what an association has sent may be on its way when that is gone
    outbound.Remove(association);
    IpsecPathMtu later(outbound);
    NS_TEST_EXPECT_MSG_EQ(later.Update(to, PEER_SPI, 1400, told, age), false, "there is none");
    later.NotifyGone(association);
    NS_TEST_EXPECT_MSG_EQ(later.Update(to, PEER_SPI, 1400, told, age), true, "there was one");
}

/// Two nodes on a link, a sender with an association and a receiver with its other end.
class PeerNodes
{
  public:
    /// @param mode of the sender's policy for UDP, if it has one
    explicit PeerNodes(std::optional<IpsecMode> mode)
        : m_nodes(2)
    {
        InternetStackHelper().Install(m_nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0")
            .Assign(PointToPointHelper().Install(m_nodes));
        IpsecHelper ipsec;
        ipsec.Install(m_nodes);
        sender = m_nodes.Get(0)->GetObject<IpsecStack>();
        receiver = m_nodes.Get(1)->GetObject<IpsecStack>();
        IpsecSelector udp;
        udp.protocol = 17;
        if (mode == IpsecMode::TUNNEL)
        {
            ipsec.ProtectTunnel(sender, udp, "10.1.0.1", "10.1.0.2");
        }
        else if (mode)
        {
            ipsec.ProtectTransport(sender, udp);
        }
        for (const uint16_t port : {9, 10, 4500})
        {
            m_sockets.push_back(
                Socket::CreateSocket(m_nodes.Get(1), UdpSocketFactory::GetTypeId()));
            m_sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        }
        Simulator::Run(); // begins
    }

    ~PeerNodes()
    {
        Simulator::Destroy();
    }

    /// Send a datagram. @param port to which @param size octets @return it has come
    bool Send(uint16_t port, uint32_t size)
    {
        const auto socket = Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->SendTo(Create<Packet>(size), 0, InetSocketAddress("10.1.0.2", port));
        Simulator::Run();
        bool came = false;
        for (const auto& receiving : m_sockets)
        {
            came = receiving->Recv() || came;
        }
        return came;
    }

    Ptr<IpsecStack> sender;   //!< at 10.1.0.1
    Ptr<IpsecStack> receiver; //!< at 10.1.0.2

  private:
    NodeContainer m_nodes;              //!< both
    std::vector<Ptr<Socket>> m_sockets; //!< of the receiver
};

/**
 * A peer whose association is for one port sends by it to another (RFC 4301 section 5.2, step 4):
 * what it has sealed with the right keys is dropped.
 */
IWARP_TEST(ipsecPeer, "what an association is not for does not come by it")
{
    for (const auto mode : {IpsecMode::TRANSPORT, IpsecMode::TUNNEL})
    {
        PeerNodes nodes(mode);
        IpsecAssociationConfig config = MakePeerConfig();
        config.mode = mode;
        const IpsecFlow flow{"10.1.0.1", "10.1.0.2", 17, 1, 9};
        const auto policy = nodes.sender->GetPolicies().FindOutbound(flow);
        NS_TEST_ASSERT_MSG_EQ(nodes.sender->GetAssociations().AddOutbound(config, policy, flow),
                              true,
                              "by hand");
        config.selector.protocol = 17;
        config.selector.destinationPorts = {9, 9};
        NS_TEST_ASSERT_MSG_EQ(nodes.receiver->GetAssociations().AddInbound(config),
                              true,
                              "its other end");
        NS_TEST_EXPECT_MSG_EQ(nodes.Send(9, 100), true, "what it is for");
        NS_TEST_EXPECT_MSG_EQ(nodes.Send(10, 100), false, "what it is not for");
        const auto& counters = nodes.receiver->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.opened, 2, "both had the right keys");
        NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(IpsecDrop::POLICY), 1, "one was dropped");
    }
}

/// A single octet to the port of ESP in UDP keeps a NAT's mapping alive (RFC 3948 section 2.3).
IWARP_TEST(ipsecPeer, "an octet that keeps a NAT's mapping alive is no ESP")
{
    PeerNodes nodes(std::nullopt);
    const auto count = [&nodes](IpsecDrop why) {
        return nodes.receiver->GetCounters().GetDropped(why);
    };
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 1), true, "UDP's");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::TRUNCATED), 0, "not read as ESP");
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 2), false, "two are ESP");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::TRUNCATED), 1, "which has eight at least");
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 8), false, "as these");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::NO_ASSOCIATION), 1, "of no association");
}

} // namespace
