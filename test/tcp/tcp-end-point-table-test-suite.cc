/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/record-placement.h"
#include "ns3/record-sources.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-factory.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tcpEndPointTable, "tcp-end-point-table");

/// @param socket bound for IPv4 @return its port
uint16_t
PortOf(Ptr<Socket> socket)
{
    Address address;
    socket->GetSockName(address);
    return InetSocketAddress::ConvertFrom(address).GetPort();
}

} // namespace

/// Names of connections.
IWARP_TEST(tcpEndPointTable,
           "a tuple names a connection, and the same one if addresses are IPv4-mapped")
{
    const Ipv4Address a("10.0.0.1");
    const Ipv4Address b("10.0.0.2");
    const TcpTuple v4(a, 4000, b, 5000);
    const TcpTuple mapped(Ipv6Address::MakeIpv4MappedAddress(a),
                          4000,
                          Ipv6Address::MakeIpv4MappedAddress(b),
                          5000);
    NS_TEST_EXPECT_MSG_EQ((v4 == mapped), true, "IPv4-mapped");
    NS_TEST_EXPECT_MSG_EQ(TcpTuple::Hash()(v4), TcpTuple::Hash()(mapped), "hash");
    std::set<std::size_t> hashes;
    for (uint16_t port = 0; port < 1000; port++)
    {
        const TcpTuple other(a, port, b, 5000);
        NS_TEST_EXPECT_MSG_EQ((v4 == other), false, "port " << port);
        hashes.insert(TcpTuple::Hash()(other) % 65536);
    }
    NS_TEST_EXPECT_MSG_GT(hashes.size(), 950, "spread over a table of 65536");
    NS_TEST_EXPECT_MSG_EQ((v4 == TcpTuple(b, 5000, a, 4000)), false, "the peer's view");
    NS_TEST_EXPECT_MSG_EQ((v4 == TcpTuple(Ipv6Address("::1"), 4000, Ipv6Address("::2"), 5000)),
                          false,
                          "IPv6");

    TcpHeader header;
    header.SetSourcePort(4000);
    header.SetDestinationPort(5000);
    header.SetSequenceNumber(SequenceNumber32(0xF1234567));
    Ptr<Packet> packet = Create<Packet>(100);
    packet->AddHeader(header);
    TcpSegmentHead head;
    NS_TEST_EXPECT_MSG_EQ(head.Read(packet), true, "whole");
    NS_TEST_EXPECT_MSG_EQ(head.sourcePort, 4000, "source");
    NS_TEST_EXPECT_MSG_EQ(head.destinationPort, 5000, "destination");
    NS_TEST_EXPECT_MSG_EQ(head.seq, 0xF1234567, "sequence number");
    NS_TEST_EXPECT_MSG_EQ(head.headerSize, header.GetSerializedSize(), "header");
    NS_TEST_EXPECT_MSG_EQ(head.GetPayload(packet->GetSize()), 100, "payload");
    NS_TEST_EXPECT_MSG_EQ(head.Read(packet->CreateFragment(0, 4)), true, "ports only");
    NS_TEST_EXPECT_MSG_EQ(head.Read(packet->CreateFragment(0, 3)), false, "not even these");
}

/// Ports and shards.
IWARP_TEST(tcpEndPointTable,
           "ports are the node's own, no socket shares one; 64 sockets share a shard")
{
    NodeContainer nodes;
    nodes.Create(2);
    InternetStackHelper().Install(nodes);
    Ptr<TcpEndPointTable> table = TcpEndPointTable::Install(nodes.Get(0));
    NS_TEST_EXPECT_MSG_EQ((TcpEndPointTable::Install(nodes.Get(0)) == table), true, "one");
    // sockets of both kinds in turn; the other node's choose as ns-3 does
    Ptr<MpaTcpSocketFactory> mpa = MpaTcpSocketFactory::Install(nodes.Get(0));
    std::vector<Ptr<Socket>> sockets;
    for (uint32_t i = 0; i < 20; i++)
    {
        sockets.push_back(i % 3 > 0
                              ? mpa->CreateSocket()
                              : Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId()));
        sockets.back()->Bind();
        sockets.push_back(Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId()));
        sockets.back()->Bind();
        NS_TEST_EXPECT_MSG_EQ(PortOf(sockets[2 * i]),
                              PortOf(sockets[2 * i + 1]),
                              "as without a table");
    }
    for (bool ipv6 : {false, true})
    {
        std::set<uint16_t> ports;
        for (uint32_t i = 0; i < 100; i++)
        {
            ports.insert(table->AcquirePort(ipv6));
        }
        NS_TEST_EXPECT_MSG_EQ(ports.size(), 100, "all different");
        NS_TEST_EXPECT_MSG_EQ(ports.count(0), 0, "and true ports");
    }
    sockets.clear();

    Ptr<TcpEndPointTable> other = TcpEndPointTable::Install(nodes.Get(1));
    Ptr<TcpL4Protocol> first = other->AcquireShard();
    for (uint32_t i = 1; i < TcpEndPointShards::SOCKETS_PER_SHARD; i++)
    {
        NS_TEST_EXPECT_MSG_EQ((other->AcquireShard() == first), true, "shared");
    }
    Ptr<TcpL4Protocol> second = other->AcquireShard();
    NS_TEST_EXPECT_MSG_EQ((second == first), false, "full");
    NS_TEST_EXPECT_MSG_EQ(other->GetNShards(), 2, "two");
    other->ReleaseShard(first);
    NS_TEST_EXPECT_MSG_EQ((other->AcquireShard() == first), true, "room again");
    NS_TEST_EXPECT_MSG_EQ(other->GetNShards(), 2, "still two");
    Simulator::Destroy();
}

/// Connections without an RNIC.
struct TcpEndPointTableConnections : TestCase
{
    using TestCase::TestCase;

    /// @param socket to connect
    void Connect(Ptr<Socket> socket)
    {
        socket->Connect(m_peer);
    }

    /// @param socket new @param from peer
    void Accept(Ptr<Socket> socket, const Address& /* from */)
    {
        socket->SetRecvCallback(MakeCallback(&TcpEndPointTableConnections::Receive, this));
        m_accepted.push_back(socket);
    }

    /// @param socket with data
    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    /// @param socket connected
    void Send(Ptr<Socket> socket)
    {
        socket->Send(Create<Packet>(1000));
    }

    /// Close everything and let go of it.
    void End()
    {
        for (const auto& socket : m_sockets)
        {
            socket->Close();
        }
        for (const auto& socket : m_accepted)
        {
            socket->Close();
        }
        m_sockets.clear();
        m_accepted.clear();
    }

    Address m_peer;                      //!< where the listener is
    std::vector<Ptr<Socket>> m_sockets;  //!< connecting
    std::vector<Ptr<Socket>> m_accepted; //!< at the listener
    uint64_t m_received{0};              //!< octets
};

IWARP_TEST(tcpEndPointTable,
           "connections without an RNIC are found by the table, and forgotten at their end",
           TcpEndPointTableConnections)
{
    constexpr uint32_t CONNECTIONS = 100;
    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    InternetStackHelper().Install(nodes);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(link.Install(nodes));
    m_peer = InetSocketAddress(addresses.GetAddress(1), 5000);
    Ptr<Socket> listener = MpaTcpSocketFactory::Install(nodes.Get(1))->CreateSocket();
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&TcpEndPointTableConnections::Accept, this));
    Ptr<MpaTcpSocketFactory> factory = MpaTcpSocketFactory::Install(nodes.Get(0));
    for (uint32_t i = 0; i < CONNECTIONS; i++)
    {
        m_sockets.push_back(factory->CreateSocket());
        m_sockets.back()->SetConnectCallback(MakeCallback(&TcpEndPointTableConnections::Send, this),
                                             MakeNullCallback<void, Ptr<Socket>>());
        Simulator::Schedule(MilliSeconds(10 + i),
                            &TcpEndPointTableConnections::Connect,
                            this,
                            m_sockets.back());
    }
    Simulator::Schedule(Seconds(5), &TcpEndPointTableConnections::End, this);
    Simulator::Stop(Seconds(4));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_received, 1000 * CONNECTIONS, "all arrived");
    const auto left = nodes.Get(0)->GetObject<TcpEndPointTable>();
    const auto right = nodes.Get(1)->GetObject<TcpEndPointTable>();
    NS_TEST_EXPECT_MSG_EQ(left->GetConnections(), CONNECTIONS, "connections");
    NS_TEST_EXPECT_MSG_EQ(right->GetConnections(), CONNECTIONS + 1, "and a listener");
    NS_TEST_EXPECT_MSG_EQ(left->GetNShards(), 2, "64 in a shard");
    NS_TEST_EXPECT_MSG_EQ(
        Config::LookupMatches("/NodeList/*/$ns3::TcpEndPointTable/ShardList/*/SocketList/*").GetN(),
        2 * CONNECTIONS,
        "found by Config");
    Simulator::Stop(Seconds(600));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(left->GetConnections(), 0, "all over");
    NS_TEST_EXPECT_MSG_EQ(right->GetConnections(), 1, "the listener stays");
    Simulator::Destroy();
}

/// What MPA keeps for hardware below TCP.
IWARP_TEST(tcpEndPointTable, "octets of FPDUs outside of a segment, octets of inline records")
{
    for (const uint32_t base : {0U, 5000U, UINT32_MAX - 50, 0x7FFFFFC0U})
    {
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base, 100, base, 100), 0, "the same");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base + 20, 60, base, 100), 0, "within");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base - 30, 100, base, 100), 30, "begun before");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base + 70, 100, base, 100), 70, "ends behind");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base - 10, 120, base, 100), 20, "both");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base + 200, 80, base, 100), 80, "behind it");
        NS_TEST_EXPECT_MSG_EQ(RecordOctetsOutside(base - 200, 80, base, 100), 80, "before it");
    }
    RecordSources records;
    records.Append({100, 200, 0, 0, true});
    records.Append({210, 260, 7, 4000, false});
    records.Append({300, 350, 0, 0, true});
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(0, 1000), 150, "all");
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(150, 320), 70, "parts");
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(200, 300), 0, "between");
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(300, 100), 0, "nothing");
    records.DropUpTo(199);
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(0, 1000), 150, "not over");
    records.DropUpTo(200);
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(0, 1000), 50, "over");
    records.DropUpTo(1000);
    NS_TEST_EXPECT_MSG_EQ(records.CountInline(0, 1000), 0, "none left");
}
