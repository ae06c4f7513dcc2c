/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-connections.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

using namespace ns3;

namespace
{

/// Suite of rules for streams among each other, for peers, and for other TCP.
IWARP_TEST_SUITE(rdmaRules, "rdma-rules");

using Kind = RdmaConnectionEvent::Kind;

/// Streams do not wait for each other, and end with their connections.
struct RdmaStreamsTest : TestCase
{
    using TestCase::TestCase;

    /// @param first octets of the message on the first stream @param second on the second, behind
    /// it
    /// @return whether the first is received first
    bool IsFirstFirst(uint32_t first, uint32_t second)
    {
        RdmaTestConnections party;
        party.Connect();
        party.Connect();
        party.ready = [&party, first, second] {
            Simulator::Schedule(MilliSeconds(1), [&party, first, second] {
                party.left[0]->Send(first);
                party.left[1]->Send(second);
            });
        };
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(party.right.size(), 2, "both are connected");
        NS_TEST_EXPECT_MSG_GT(party.right[0]->received, Time(0), "received");
        NS_TEST_EXPECT_MSG_GT(party.right[1]->received, Time(0), "received");
        return party.right[0]->received < party.right[1]->received;
    }
};

IWARP_TEST(rdmaRules, "order between streams, and their ends", RdmaStreamsTest)
{
    NS_TEST_EXPECT_MSG_EQ(IsFirstFirst(100, 100), true, "in the order of submission");
    NS_TEST_EXPECT_MSG_EQ(IsFirstFirst(1000000, 100), false, "one overtakes the other");
    IWARP_COVERS("DDP-1.2-3 RDMAP-5.5-01");

    for (const bool byLeft : {true, false})
    {
        RdmaTestConnections party;
        party.Connect();
        party.ready = [&party, byLeft] {
            party.left[0]->Send(100);
            auto& side = byLeft ? party.left[0] : party.right[0];
            Simulator::Schedule(MilliSeconds(100), [&side] { side->connection->Disconnect(); });
        };
        party.Run();
        for (const auto& side : {party.left[0].get(), party.right[0].get()})
        {
            NS_TEST_EXPECT_MSG_EQ(side->Count(Kind::CLOSED), 1, "the connection is over");
            NS_TEST_EXPECT_MSG_GT(side->closed, MilliSeconds(100), "when it was ended");
            NS_TEST_EXPECT_MSG_EQ(side->over, side->closed, "and so is the stream, with it");
            IWARP_COVERS("DDP-3-16");
        }
    }
}

/// Whoever can connect is let in, unless the ULP refuses; private data says where to.
IWARP_TEST(rdmaRules, "the ULP admits peers, by address and private data")
{
    {
        // nobody asks who it is
        RdmaTestConnections party;
        party.Connect();
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 1, "a stranger is in");
        IWARP_COVERS("DDP-8.3-2");
    }
    {
        RdmaTestConnections party;
        Address peer;
        party.Connect();
        party.admission = [&peer](RdmaTestSide& side, const RdmaConnectionEvent&) {
            side.connection->GetMpa()->GetSocket()->GetPeerName(peer);
            return false;
        };
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(InetSocketAddress::ConvertFrom(peer).GetIpv4(),
                              Ipv4Address("10.0.0.1"),
                              "address of the peer");
        NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 0, "refused");
        NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::REJECTED), 1, "it is told");
        IWARP_COVERS("DDP-8.3-2");
        NS_TEST_EXPECT_MSG_EQ(party.left[0]->connection->GetMpa()->GetPeerFrame().reject,
                              true,
                              "R=1");
    }
    {
        // private data: a tenant, who has a protection domain, and how many Reads it wants
        RdmaTestConnections party;
        const auto device = RdmaDevice::Get(party.hosts.GetNode(1));
        const Ptr<RdmaProtectionDomain> tenants[] = {device->AllocPd(), device->AllocPd()};
        party.Connect({1, 4});
        party.Connect({0, 4});
        party.Connect({0, 5});
        party.admission = [&tenants](RdmaTestSide& side, const RdmaConnectionEvent& event) {
            side.Make(tenants[event.privateData.at(0)]);
            return event.privateData.at(1) <= 4;
        };
        party.Run();
        NS_TEST_ASSERT_MSG_EQ(party.right.size(), 3, "requests");
        for (std::size_t i = 0; i < 3; i++)
        {
            const auto& asked = party.right[i]->events[0].privateData;
            const bool fits = asked[1] <= 4;
            NS_TEST_EXPECT_MSG_EQ((party.right[i]->pair->GetPd() == tenants[asked[0]]),
                                  true,
                                  "protection domain of the tenant");
            NS_TEST_EXPECT_MSG_EQ(party.left[i]->Count(Kind::ESTABLISHED), fits, "depth fits");
            NS_TEST_EXPECT_MSG_EQ(party.left[i]->Count(Kind::REJECTED), !fits, "too much");
        }
        IWARP_COVERS("MPA-7.1.4-01");
    }
}

/// Who has no TCP connection makes no MPA stream.
struct RdmaBlindTest : TestCase
{
    using TestCase::TestCase;

    /// Send a TCP segment out of nothing. @param node where @param flags TCP flags
    static void Inject(Ptr<Node> node, uint8_t flags)
    {
        std::vector<uint8_t> request(20);
        std::memcpy(request.data(), "MPA ID Req Frame", 16);
        request[16] = 0x40;
        request[17] = 1;
        auto packet = Create<Packet>(request.data(), request.size());
        const Ipv4Address source("10.0.0.1");
        const Ipv4Address destination("10.0.0.2");
        TcpHeader header;
        header.SetSourcePort(50000);
        header.SetDestinationPort(RdmaTestConnections::PORT);
        header.SetSequenceNumber(SequenceNumber32(1));
        header.SetAckNumber(SequenceNumber32(1));
        header.SetFlags(flags);
        header.SetWindowSize(1000);
        packet->AddHeader(header);
        node->GetObject<Ipv4L3Protocol>()->Send(packet,
                                                source,
                                                destination,
                                                TcpL4Protocol::PROT_NUMBER,
                                                nullptr);
    }
};

IWARP_TEST(rdmaRules, "a Request without a TCP connection", RdmaBlindTest)
{
    RdmaTestConnections party;
    const auto node = party.hosts.GetNode(0);
    // neither with an ACK nor with any other flags that are not those of a handshake
    Simulator::Schedule(MilliSeconds(100), &RdmaBlindTest::Inject, node, TcpHeader::ACK);
    Simulator::Schedule(MilliSeconds(200),
                        &RdmaBlindTest::Inject,
                        node,
                        TcpHeader::ACK | TcpHeader::PSH);
    Simulator::Schedule(MilliSeconds(300), &RdmaBlindTest::Inject, node, 0);
    party.Connect();
    party.Run();
    NS_TEST_EXPECT_MSG_EQ(party.right.size(), 1, "no request but the one over a connection");
    NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 1, "which is accepted");
    IWARP_COVERS("MPA-9.1.1-01");
}

/// TCP of other applications is what it is on a node without MPA.
struct RdmaBesideTcpTest : TestCase
{
    using TestCase::TestCase;

    using Segments = std::vector<std::pair<uint32_t, uint32_t>>; //!< sequence numbers and sizes

    /// A segment of plain TCP. @param packet payload @param header its header
    void HandleTx(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() > 0)
        {
            m_segments.emplace_back(header.GetSequenceNumber().GetValue(), packet->GetSize());
        }
    }

    /// @param mpa an MPA flow, too @return segments of the plain flow
    Segments Run(bool mpa)
    {
        m_segments.clear();
        RdmaTestConnections party;
        if (mpa)
        {
            party.Connect();
            party.ready = [&party] { party.left[0]->Send(RdmaTestSide::MEMORY); };
        }
        const auto listener =
            Socket::CreateSocket(party.hosts.GetNode(1), TcpSocketFactory::GetTypeId());
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        listener->Listen();
        std::unique_ptr<RawEnd> sink;
        const auto accept = [&sink](Ptr<Socket> socket) {
            sink = std::make_unique<RawEnd>(socket);
        };
        m_accept = accept;
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&RdmaBesideTcpTest::HandleAccept, this));
        const auto socket =
            Socket::CreateSocket(party.hosts.GetNode(0), TcpSocketFactory::GetTypeId());
        NS_TEST_EXPECT_MSG_EQ((DynamicCast<MpaTcpSocket>(socket) == nullptr), true, "plain TCP");
        socket->SetAttribute("SndBufSize", UintegerValue(RdmaTestSide::MEMORY));
        socket->SetAttribute("SegmentSize", UintegerValue(1000));
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&RdmaBesideTcpTest::HandleTx, this));
        Simulator::Schedule(MilliSeconds(10), [socket] {
            socket->Connect(InetSocketAddress(Ipv4Address("10.0.0.2"), 9));
            socket->Send(Create<Packet>(300500));
        });
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(sink->received.size(), 300500, "all arrives");
        if (mpa)
        {
            NS_TEST_EXPECT_MSG_GT(party.right[0]->received, Time(0), "and so does MPA's message");
        }
        return m_segments;
    }

    /// A plain connection. @param socket its socket
    void HandleAccept(Ptr<Socket> socket, const Address&)
    {
        m_accept(socket);
    }

    Segments m_segments;                       //!< seen
    std::function<void(Ptr<Socket>)> m_accept; //!< takes a connection
};

/// What a sender makes of a TCP that tells its segment size and no more.
struct RdmaStandardTcpTest : TestCase
{
    using TestCase::TestCase;

    /// @param markers the peer wants Markers @return MULPDU of the sender
    uint32_t MulpduOf(bool markers)
    {
        RdmaTestConnections party;
        uint32_t mulpdu = 0;
        party.listener->SetStreamAttribute("Markers", BooleanValue(markers));
        party.Connect();
        const auto& connection = party.left[0]->connection;
        connection->SetSocketAttribute("Alignment", BooleanValue(false));
        connection->SetSocketAttribute("Timestamp", BooleanValue(false));
        party.ready = [&] {
            NS_TEST_EXPECT_MSG_EQ(connection->GetMpa()->GetSocket()->GetEmss(),
                                  1460,
                                  "of Ethernet");
            mulpdu = connection->GetMpa()->GetMulpdu();
        };
        party.Run();
        return mulpdu;
    }
};

IWARP_TEST(rdmaRules, "MULPDU over TCP that does not align", RdmaStandardTcpTest)
{
    // section 4.5: EMSS - (6 + 4 * Ceiling(EMSS / 512) + EMSS mod 4), and EMSS - (6 + EMSS mod
    // 4)
    NS_TEST_EXPECT_MSG_EQ(MulpduOf(true), 1460 - (6 + 4 * 3 + 0), "with Markers");
    NS_TEST_EXPECT_MSG_EQ(MulpduOf(false), 1460 - 6, "without");
    IWARP_COVERS("MPA-5.1-01");
}

IWARP_TEST(rdmaRules, "plain TCP beside MPA", RdmaBesideTcpTest)
{
    const Segments alone = Run(false);
    const Segments beside = Run(true);
    NS_TEST_EXPECT_MSG_EQ(alone.size(), 301, "segments of 1000 octets, and the rest");
    NS_TEST_EXPECT_MSG_EQ((alone == beside), true, "the same ones");
    IWARP_COVERS("MPA-A-01");
}

} // namespace
