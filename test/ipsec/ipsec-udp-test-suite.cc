/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ns3-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What UDP sockets ask of IP, and what of it is there behind IPsec.
IWARP_TEST_SUITE(ipsecUdp, "ipsec-udp", TestSuite::Type::SYSTEM);

constexpr uint16_t RECEIVER_PORT = 9;  //!< of the receiver
constexpr uint8_t TTL = 5;             //!< that the sender asks for
constexpr uint8_t TOS = 0x28;          //!< that the sender asks for
constexpr uint8_t OUTER_TTL = 63;      //!< of headers that IPsec makes, behind a router
const char* const GROUP = "225.1.2.3"; //!< of multicast

/// An IP header on the link behind the router.
struct SeenHeader
{
    uint8_t protocol; //!< next layer
    uint8_t hops;     //!< time to live
    uint32_t size;    //!< octets of the datagram
};

/// A datagram that a socket has got.
struct GotDatagram
{
    uint32_t size; //!< octets
    uint8_t hops;  //!< time to live
    uint8_t tos;   //!< type of service
};

/// Host 0, router 1 and host 2, with both versions of IP.
class UdpNodes
{
  public:
    UdpNodes()
        : nodes(3)
    {
        InternetStackHelper().Install(nodes);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        Ipv6AddressHelper addresses6(Ipv6Address("fd00::"), Ipv6Prefix(64));
        for (uint32_t i = 0; i < 2; i++)
        {
            links.Add(link.Install(nodes.Get(i), nodes.Get(i + 1)));
            const NetDeviceContainer ends(links.Get(2 * i), links.Get(2 * i + 1));
            ipv4.Add(addresses.Assign(ends));
            ipv6.push_back(addresses6.Assign(ends));
            addresses.NewNetwork();
            addresses6.NewNetwork();
            ipv6[i].SetForwarding(1 - i, true);
            ipv6[i].SetDefaultRouteInAllNodes(1 - i);
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        links.Get(2)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&UdpNodes::Leave, this));
    }

    ~UdpNodes()
    {
        Simulator::Destroy();
    }

    /// @param host 0 or 1 @param six version of IP @return the host's address
    IpsecAddress GetAddress(uint32_t host, bool six) const
    {
        return six ? IpsecAddress(ipv6[host].GetAddress(host, 1))
                   : IpsecAddress(ipv4.GetAddress(3 * host));
    }

    /// Have both hosts protect their UDP. @param helper for both @param inner version of IP of it
    /// @param outer version of IP of the tunnel
    void Protect(IpsecHelper& helper, bool inner, bool outer)
    {
        helper.Install(NodeContainer(nodes.Get(0), nodes.Get(2)));
        IpsecSelector selector;
        selector.protocol = 17;
        selector.source = IpsecPrefix(GetAddress(0, inner));
        selector.destination = IpsecPrefix(GetAddress(1, inner));
        const IpsecAddress here = GetAddress(0, outer);
        const IpsecAddress there = GetAddress(1, outer);
        helper.ProtectTunnel(GetStack(0), selector, here, there);
        helper.ProtectTunnel(GetStack(2), selector.GetReverse(), there, here);
    }

    /// @param node number @return its stack
    Ptr<IpsecStack> GetStack(uint32_t node) const
    {
        return nodes.Get(node)->GetObject<IpsecStack>();
    }

    /// Have host 0 send UDP to host 2, and run. @param six version of IP @param size of each
    /// datagram @param count datagrams, 50 ms apart
    void Send(bool six, uint32_t size, uint32_t count)
    {
        m_receiver = Socket::CreateSocket(nodes.Get(2), UdpSocketFactory::GetTypeId());
        const auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        const IpsecAddress to = GetAddress(1, six);
        if (six)
        {
            m_receiver->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), RECEIVER_PORT));
            m_receiver->SetIpv6RecvHopLimit(true);
            m_receiver->SetIpv6RecvTclass(true);
            sender->Connect(Inet6SocketAddress(to.GetIpv6(), RECEIVER_PORT));
            sender->SetIpv6HopLimit(TTL);
            sender->SetIpv6Tclass(TOS);
        }
        else
        {
            m_receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), RECEIVER_PORT));
            m_receiver->SetIpRecvTtl(true);
            m_receiver->SetIpRecvTos(true);
            sender->Connect(InetSocketAddress(to.GetIpv4(), RECEIVER_PORT));
            sender->SetIpTtl(TTL);
            sender->SetIpTos(TOS); // older releases take it from the address at first
        }
        m_receiver->SetRecvCallback(MakeCallback(&UdpNodes::Take, this));
        for (uint32_t i = 0; i < count; i++)
        {
            Simulator::Schedule(Seconds(3) + MilliSeconds(50) * int64_t{i},
                                [=] { sender->Send(Create<Packet>(size)); });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
    }

    NodeContainer nodes;                      //!< host, router, host
    NetDeviceContainer links;                 //!< ends of both links, from host to host
    Ipv4InterfaceContainer ipv4;              //!< addresses of the ends
    std::vector<Ipv6InterfaceContainer> ipv6; //!< addresses of the ends, by link
    std::vector<SeenHeader> seen;             //!< what left the router, without ICMPv6
    std::vector<GotDatagram> got;             //!< by the receiver

  private:
    void Leave(Ptr<const Packet> packet) //!< @param packet on the second link, in PPP
    {
        uint8_t octets[42] = {};
        packet->CopyData(octets, sizeof(octets));
        const uint8_t* ip = octets + 2;
        const SeenHeader header = ip[0] >> 4 == 4 ? SeenHeader{ip[9], ip[8], packet->GetSize() - 2}
                                                  : SeenHeader{ip[6], ip[7], packet->GetSize() - 2};
        if (header.protocol != 58)
        {
            seen.push_back(header);
        }
    }

    void Take(Ptr<Socket> socket) //!< @param socket that has got datagrams
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            SocketIpTtlTag ttl;
            SocketIpTosTag tos;
            SocketIpv6HopLimitTag limit;
            SocketIpv6TclassTag tclass;
            const bool six = packet->PeekPacketTag(limit);
            packet->PeekPacketTag(ttl);
            packet->PeekPacketTag(tos);
            packet->PeekPacketTag(tclass);
            got.push_back({packet->GetSize(),
                           six ? limit.GetHopLimit() : ttl.GetTtl(),
                           six ? tclass.GetTclass() : tos.GetTos()});
        }
    }

    Ptr<Socket> m_receiver; //!< at host 2
};

/// What a socket wants of the header is of the one within (RFC 4301 section 5.1.2), whichever
/// version of IP is outside.
IWARP_TEST(ipsecUdp,
           "the time to live and type of service that a socket asks for are within a tunnel")
{
    for (const bool inner : {false, true})
    {
        for (const bool outer : {false, true})
        {
            UdpNodes nodes;
            IpsecHelper helper;
            nodes.Protect(helper, inner, outer);
            nodes.Send(inner, 100, 1);
            const std::string what =
                std::string(inner ? "IPv6" : "IPv4") + " in " + (outer ? "IPv6" : "IPv4");
            NS_TEST_ASSERT_MSG_EQ(nodes.got.size(), 1, what);
            NS_TEST_EXPECT_MSG_EQ(nodes.got[0].size, 100, what);
            NS_TEST_EXPECT_MSG_EQ(+nodes.got[0].hops, +TTL, what << ": no hop within");
            NS_TEST_EXPECT_MSG_EQ(+nodes.got[0].tos, +TOS, what);
            NS_TEST_ASSERT_MSG_EQ(nodes.seen.size(), 1, what);
            NS_TEST_EXPECT_MSG_EQ(+nodes.seen[0].protocol, 50, what);
            NS_TEST_EXPECT_MSG_EQ(+nodes.seen[0].hops, +OUTER_TTL, what);
        }
    }
}

/// A datagram may begin by one association and end by its successor.
IWARP_TEST(ipsecUdp, "datagrams that are divided before ESP outlive a hard lifetime")
{
    constexpr uint32_t COUNT = 40;
    for (const auto fragments : {IpsecFragments::BEFORE_ESP, IpsecFragments::AFTER_ESP})
    {
        UdpNodes nodes;
        IpsecHelper helper;
        helper.SetAttribute("Fragments", iwarp::MakeEnumValue(fragments));
        helper.GetProposal().hard.packets = 10;
        nodes.Protect(helper, false, false);
        nodes.Send(false, 3000, COUNT);
        NS_TEST_EXPECT_MSG_EQ(nodes.got.size(), COUNT, "all come");
        NS_TEST_EXPECT_MSG_EQ(nodes.GetStack(0)->GetCounters().GetDropped(IpsecDrop::EXPIRED),
                              0,
                              "each piece has an association");
    }
}

/// Padding for traffic flow confidentiality takes what the path has, and no more.
IWARP_TEST(ipsecUdp, "a length to pad to beyond the path")
{
    for (const uint32_t length : {1000, 1446, 1447, 1500, 9000})
    {
        UdpNodes nodes;
        IpsecHelper helper;
        helper.GetProposal().tfcLength = length;
        nodes.Protect(helper, false, false);
        nodes.Send(false, 100, 1);
        NS_TEST_EXPECT_MSG_EQ(nodes.got.size(), 1, "comes with " << length);
        NS_TEST_ASSERT_MSG_EQ(nodes.seen.size(), 1, "one packet with " << length);
        // 20 outside, 32 of SPI, sequence number, IV and ICV, 2 of the trailer, units of 4
        const uint32_t sealed = (std::min(length, 1446U) + 2 + 3) / 4 * 4 + 52;
        NS_TEST_EXPECT_MSG_EQ(nodes.seen[0].size, sealed, "as long as it may be, " << length);
    }
}

/// Policies of a gateway are for multicast, too (RFC 4301 section 5.1).
IWARP_TEST(ipsecUdp, "what a gateway forwards to a group of multicast goes through its policies")
{
    for (const auto action : {IpsecAction::BYPASS, IpsecAction::PROTECT, IpsecAction::DISCARD})
    {
        UdpNodes nodes;
        Ipv4StaticRoutingHelper routing;
        routing.AddMulticastRoute(nodes.nodes.Get(1),
                                  nodes.GetAddress(0, false).GetIpv4(),
                                  GROUP,
                                  nodes.links.Get(1),
                                  NetDeviceContainer(nodes.links.Get(2)));
        routing.SetDefaultMulticastRoute(nodes.nodes.Get(0), nodes.links.Get(0));
        IpsecHelper helper;
        helper.SetAttribute("OtherTraffic",
                            iwarp::MakeEnumValue(action == IpsecAction::DISCARD
                                                     ? IpsecAction::DISCARD
                                                     : IpsecAction::BYPASS));
        const auto gateway = helper.InstallGateway(nodes.nodes.Get(1));
        helper.Install(nodes.nodes.Get(2));
        IpsecSelector selector;
        selector.protocol = 17;
        selector.destination = IpsecPrefix(IpsecAddress(GROUP));
        if (action == IpsecAction::PROTECT)
        {
            const IpsecAddress here(nodes.ipv4.GetAddress(2));
            const IpsecAddress there = nodes.GetAddress(1, false);
            helper.ProtectTunnel(gateway, selector, here, there);
            helper.ProtectTunnel(nodes.GetStack(2), selector.GetReverse(), there, here);
        }
        const auto socket = Socket::CreateSocket(nodes.nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->Bind();
        socket->SetAttribute("IpMulticastTtl", UintegerValue(TTL));
        Simulator::Schedule(Seconds(1), [&] {
            socket->SendTo(Create<Packet>(100), 0, InetSocketAddress(GROUP, RECEIVER_PORT));
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        const bool goes = action != IpsecAction::DISCARD;
        NS_TEST_ASSERT_MSG_EQ(nodes.seen.size(), (goes ? 1 : 0), "what leaves");
        if (goes)
        {
            const bool seals = action == IpsecAction::PROTECT;
            NS_TEST_EXPECT_MSG_EQ(+nodes.seen[0].protocol, (seals ? 50 : 17), "how");
            NS_TEST_EXPECT_MSG_EQ(gateway->GetCounters().sealed, (seals ? 1 : 0), "by ESP");
        }
    }
}

} // namespace
