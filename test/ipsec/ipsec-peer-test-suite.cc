/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "esp-test-util.h"
#include "ipsec-packed.h"

#include "ns3/esp-packet.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-association-database.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-path-mtu.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/udp-l4-protocol.h"
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
        m_link = PointToPointHelper().Install(m_nodes);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(m_link);
        m_addresses = Ipv6AddressHelper(Ipv6Address("fd00::"), Ipv6Prefix(64))
                          .Assign({m_link.Get(1), m_link.Get(0)});
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

    /// Give the sender an association by hand for its UDP. @param config of it @return it is added
    bool AddOutbound(const IpsecAssociationConfig& config)
    {
        const IpsecFlow flow{"10.1.0.1", "10.1.0.2", 17, 1, 9};
        const auto policy = sender->GetPolicies().FindOutbound(flow);
        return sender->GetAssociations().AddOutbound(config, policy, flow);
    }

    /// Have the receiver get a datagram from its link. @param datagram octets @param type
    /// EtherType @return what its sockets have got of it, octets
    uint32_t Deliver(const Packed& datagram, uint16_t type = Ipv4L3Protocol::PROT_NUMBER)
    {
        const auto node = m_nodes.Get(1);
        const auto packet = Create<Packet>(datagram.data(), static_cast<uint32_t>(datagram.size()));
        const auto device = m_link.Get(1);
        const auto to = NetDevice::PACKET_HOST;
        if (type == Ipv4L3Protocol::PROT_NUMBER)
        {
            node->GetObject<Ipv4L3Protocol>()->Receive(device, packet, type, {}, {}, to);
        }
        else
        {
            node->GetObject<Ipv6L3Protocol>()->Receive(device, packet, type, {}, {}, to);
        }
        Simulator::Run();
        uint32_t octets = 0;
        for (const auto& socket : m_sockets)
        {
            while (const auto packet = socket->Recv())
            {
                octets += packet->GetSize();
            }
        }
        return octets;
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

    /// Have the receiver forward IPv6 from and to its link.
    void Route()
    {
        const auto node = m_nodes.Get(1);
        m_addresses.SetForwarding(0, true);
        Ipv6StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv6>())
            ->AddNetworkRouteTo("fd00:1::", Ipv6Prefix(64), m_addresses.GetInterfaceIndex(0));
        m_link.Get(1)->TraceConnectWithoutContext("PhyTxEnd",
                                                  MakeCallback(&PeerNodes::Leave, this));
    }

    Ptr<IpsecStack> sender;   //!< at 10.1.0.1
    Ptr<IpsecStack> receiver; //!< at 10.1.0.2
    uint32_t forwarded{0};    //!< UDP that the receiver has forwarded after Route()
    uint32_t redirects{0};    //!< of ICMPv6 that it has sent about these

  private:
    void Leave(Ptr<const Packet> packet) //!< @param packet that the receiver sends, in PPP
    {
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        const bool ipv6 = octets.at(2) >> 4 == 6;
        forwarded += ipv6 && octets.at(2 + 6) == 17;
        // behind IPv6, the redirect and the head of its option there is what it is about
        redirects += ipv6 && octets.at(2 + 6) == 58 && octets.at(2 + 40) == 137 &&
                     octets.at(2 + 40 + 40 + 8 + 6) == 17;
    }

    NodeContainer m_nodes;              //!< both
    NetDeviceContainer m_link;          //!< ends of their link
    Ipv6InterfaceContainer m_addresses; //!< fd00::1 of the receiver, fd00::2 of the sender
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
        NS_TEST_ASSERT_MSG_EQ(nodes.AddOutbound(config), true, "by hand");
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

/// What nobody may divide is not sent if ESP makes it larger than the link takes, and whoever sent
/// it is told; else ESP is divided. Of 1500 octets IP takes 20, SPI, sequence number, IV and ICV of
/// aes-gcm-16 32, two of the trailer make it a multiple of 4, and UDP 8: 1438 are left.
IWARP_TEST(ipsecPeer, "what ESP makes too large is not divided against its will")
{
    PeerNodes nodes(IpsecMode::TRANSPORT);
    IpsecAssociationConfig config = MakePeerConfig();
    NS_TEST_ASSERT_MSG_EQ(nodes.AddOutbound(config), true, "by hand");
    config.selector.protocol = 17;
    NS_TEST_ASSERT_MSG_EQ(nodes.receiver->GetAssociations().AddInbound(config), true, "by hand");
    const auto table = TcpEndPointTable::Install(nodes.sender->GetObject<Node>());
    const auto& counters = nodes.sender->GetCounters();
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(9, 1439), true, "in fragments");
    {
        const TcpDontFragment::Mark mark(table->GetDontFragment());
        NS_TEST_EXPECT_MSG_EQ(nodes.Send(9, 1438), true, "the largest");
        NS_TEST_EXPECT_MSG_EQ(counters.sealed, 2, "both");
        NS_TEST_EXPECT_MSG_EQ(nodes.Send(9, 1439), false, "one more");
    }
    NS_TEST_EXPECT_MSG_EQ(counters.sealed, 2, "is not sealed");
    NS_TEST_EXPECT_MSG_EQ(counters.GetDropped(IpsecDrop::TOO_BIG), 1, "but dropped");
}

/// A receiver with one end of a tunnel, and packets that its peer seals with the right keys.
class SealingPeer
{
  public:
    /// @param ports of UDP that the association is for
    explicit SealingPeer(const IpsecPorts& ports)
        : m_nodes(std::nullopt),
          m_sealing(MakePeerConfig(), Time(0))
    {
        IpsecAssociationConfig config = MakePeerConfig();
        config.mode = IpsecMode::TUNNEL;
        config.selector.protocol = 17;
        config.selector.destinationPorts = ports;
        NS_ABORT_MSG_UNLESS(m_nodes.receiver->GetAssociations().AddInbound(config), "by hand");
    }

    /// @param inner what the packet protects @param next header that it tells of @param tfc octets
    /// of padding behind it @return what sockets have got of it, octets
    uint32_t Send(const Packed& inner, uint8_t next = 4, uint32_t tfc = 0)
    {
        const auto packet = Create<Packet>(inner.data(), static_cast<uint32_t>(inner.size()));
        const auto& codec = m_sealing.GetCodec();
        SealEspPacket(codec,
                      {PEER_SPI, ++m_sequence, next},
                      GetEspSizes(codec.GetTransform(), packet->GetSize(), tfc),
                      packet);
        Packed octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        return m_nodes.Deliver(Wrap(false, 50, octets));
    }

    PeerNodes& GetNodes() //!< @return both nodes
    {
        return m_nodes;
    }

    /// @param why packets may be dropped @return how many were
    uint64_t Count(IpsecDrop why) const
    {
        return m_nodes.receiver->GetCounters().GetDropped(why);
    }

    /// @return packets whose keys were right
    uint64_t CountOpened() const
    {
        return m_nodes.receiver->GetCounters().opened;
    }

  private:
    PeerNodes m_nodes;          //!< of which one receives
    IpsecAssociation m_sealing; //!< the peer's end
    uint64_t m_sequence{0};     //!< of its packets
};

/// What a tunnel's packets hold, with the right keys (RFC 4301 section 5.2, RFC 4303 section 2.6).
IWARP_TEST(ipsecPeer, "what a tunnel may hold")
{
    SealingPeer peer({9, 9});
    const Packed datagram = Wrap(false, 17, WrapUdp(5, 9, Packed(40, 1)));
    NS_TEST_EXPECT_MSG_EQ(peer.Send(datagram), 40, "a datagram");
    NS_TEST_EXPECT_MSG_EQ(peer.Send(datagram, 4, 33), 40, "with padding behind it");
    NS_TEST_EXPECT_MSG_EQ(peer.Send(datagram, 59), 0, "a dummy");
    NS_TEST_EXPECT_MSG_EQ(peer.CountOpened(), 3, "is a good packet");
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 0, "and silently discarded");
    const Packed six = Wrap(true, 17, WrapUdp(5, 9, Packed(40, 1)));
    peer.Send(six, 41);
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 0, "IPv6 is the policy's as well");
    NS_TEST_EXPECT_MSG_EQ(peer.Send(six, 17), 0, "told to be neither version of IP");
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 1, "is none of the policy's");
    Packed cut = datagram;
    cut.pop_back();
    NS_TEST_EXPECT_MSG_EQ(peer.Send(cut), 0, "an octet is missing");
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::TRUNCATED), 1, "as the header tells");
    // ICMP about another flow than the association's is not the association's (section 6.2)
    const auto unreachable = [](uint16_t port) {
        const Packed about = Wrap(false, 17, WrapUdp(port, 5, {}));
        return Wrap(false, 1, Append({3, 1, 0, 0, 0, 0, 0, 0}, about));
    };
    peer.Send(unreachable(9));
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 1, "about its own");
    peer.Send(unreachable(10));
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 2, "about another");
}

/// A router tells of a better first hop, and quotes what it forwards (RFC 4861 section 8.2): not in
/// clear what has come by an association.
IWARP_TEST(ipsecPeer, "a redirect does not show what a tunnel holds")
{
    SealingPeer peer({9, 9});
    PeerNodes& nodes = peer.GetNodes();
    nodes.Route();
    const Packed datagram = Wrap(true, 17, WrapUdp(5, 9, Packed(40, 1)));
    nodes.Deliver(datagram, 0x86DD);
    NS_TEST_EXPECT_MSG_EQ(nodes.forwarded, 1, "in clear, it goes back");
    NS_TEST_EXPECT_MSG_EQ(nodes.redirects, 1, "and whoever sent it is told");
    peer.Send(datagram, 41);
    NS_TEST_EXPECT_MSG_EQ(nodes.forwarded, 2, "from the tunnel it goes on");
    NS_TEST_EXPECT_MSG_EQ(nodes.redirects, 1, "and nobody is told");
}

/// Fragments in a tunnel: those with padding are put together without it (RFC 4303 section 2.7);
/// one whose ports nobody knows is none of those with certain ports (RFC 4301 section 7.3).
IWARP_TEST(ipsecPeer, "fragments in a tunnel")
{
    SealingPeer peer({0, 1000});
    const Packed whole = WrapUdp(5, 9, Packed(40, 1));
    const Packed first(whole.begin(), whole.begin() + 24);
    const Packed second(whole.begin() + 24, whole.end());
    peer.Send(Wrap(false, 17, second, 3));
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 1, "of what nobody knows");
    NS_TEST_EXPECT_MSG_EQ(peer.Send(Wrap(false, 17, first, 0x2000), 4, 21), 0, "a part");
    NS_TEST_EXPECT_MSG_EQ(peer.Send(Wrap(false, 17, second, 3), 4, 21), 40, "and the rest");
    NS_TEST_EXPECT_MSG_EQ(peer.Count(IpsecDrop::POLICY), 1, "that belongs to it");
}

/// A single octet to the port of ESP in UDP keeps a NAT's mapping alive (RFC 3948 section 2.3).
IWARP_TEST(ipsecPeer, "an octet that keeps a NAT's mapping alive is no ESP")
{
    PeerNodes nodes(std::nullopt);
    const auto count = [&nodes](IpsecDrop why) {
        return nodes.receiver->GetCounters().GetDropped(why);
    };
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 1), false, "ignored");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::TRUNCATED), 0, "not read as ESP");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::POLICY), 0, "nor dropped by a policy");
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 2), false, "two are ESP");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::TRUNCATED), 1, "which has eight at least");
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 7), false, "not seven");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::TRUNCATED), 2, "which has eight at least");
    NS_TEST_EXPECT_MSG_EQ(nodes.Send(4500, 8), false, "as these");
    NS_TEST_EXPECT_MSG_EQ(count(IpsecDrop::NO_ASSOCIATION), 1, "of no association");
}

/// IPv6 asks for its neighbours' addresses where links have such (RFC 4861 section 7.2), and ESP
/// goes to them.
IWARP_TEST(ipsecPeer, "IPv6 on a link with neighbour discovery")
{
    NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    Ipv6AddressHelper addresses(Ipv6Address("fd00::"), Ipv6Prefix(64));
    const Ipv6InterfaceContainer interfaces =
        addresses.Assign(SimpleNetDeviceHelper().Install(nodes));
    IpsecHelper helper;
    for (uint32_t i = 0; i < 2; i++)
    {
        IpsecSelector udp;
        udp.protocol = UdpL4Protocol::PROT_NUMBER;
        helper.ProtectTransport(helper.Install(nodes.Get(i)), udp);
    }
    const auto receiver = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
    receiver->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 9));
    uint32_t solicitations = 0;
    nodes.Get(0)->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
        "Tx",
        iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>, Ptr<Ipv6>, uint32_t>>(
            [&solicitations](Ptr<const Packet> packet, Ptr<Ipv6>, uint32_t) {
                uint8_t octets[41] = {};
                packet->CopyData(octets, sizeof(octets));
                solicitations += octets[6] == 58 && octets[40] == 135 ? 1 : 0;
            }));
    const auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
    sender->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 8));
    Simulator::Schedule(Seconds(3), [&] { // no address is there twice
        solicitations = 0;
        sender->SendTo(Create<Packet>(100), 0, Inet6SocketAddress(interfaces.GetAddress(1, 1), 9));
    });
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    const auto datagram = receiver->Recv();
    NS_TEST_EXPECT_MSG_EQ((datagram ? datagram->GetSize() : 0), 100, "it comes");
    const auto stack = nodes.Get(1)->GetObject<IpsecStack>();
    NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().opened, 1, "by ESP");
    NS_TEST_EXPECT_MSG_EQ(solicitations, 1, "the address is asked for once");
    Simulator::Destroy();
}

} // namespace
