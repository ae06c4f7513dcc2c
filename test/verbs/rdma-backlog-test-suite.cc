/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-tcp-peer.h"

#include "ns3/inet-socket-address.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-device.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <optional>
#include <string>

using namespace ns3;

namespace
{

/// Suite of connections that a listener has and no application knows of.
IWARP_TEST_SUITE(rdmaBacklog, "rdma-backlog");

/**
 * A peer that opens one TCP connection after the other and sends no Request: the listener keeps no
 * more than its backlog, each no longer than the startup timeout.
 */
struct RdmaBacklogTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint16_t LIMIT = 5;  //!< backlog
    static constexpr uint16_t PEERS = 20; //!< connections that the peer opens

    /// Send a segment. @param at when @param port from which port @param flags its flags
    /// @param seq its sequence number @param size octets of payload, all zero
    void Send(Time at, uint16_t port, uint8_t flags, uint32_t seq, uint32_t size = 0)
    {
        HandMadeSegment segment;
        segment.port = port;
        segment.flags = flags;
        segment.seq = seq;
        segment.ack = (flags & TcpHeader::ACK) ? 1 : 0;
        segment.size = size;
        Simulator::Schedule(at, &HandMadePeer::Send, &*m_peer, segment);
    }

    /// Open TCP. @param at when @param port from which port
    void Open(Time at, uint16_t port)
    {
        Send(at, port, TcpHeader::SYN, 0);
        Send(at + MicroSeconds(500), port, TcpHeader::ACK, 1);
    }

    /// @param since when @return how many connections the host has reset
    std::size_t CountResets(Time since = Time(0)) const
    {
        return std::count_if(m_peer->seen.begin(), m_peer->seen.end(), [=](const auto& segment) {
            return (segment.flags & TcpHeader::RST) != 0 && segment.at >= since;
        });
    }

    /// The device tells. @param listener of whom @param waiting connections without a Request
    void NoteBacklog(Ptr<const RdmaConnection> listener, uint16_t waiting)
    {
        NS_TEST_EXPECT_MSG_EQ(listener, m_listener, "whose");
        m_most = std::max(m_most, waiting);
        m_last = waiting;
    }

    /// @param at when @param waiting connections without a Request then @param what about them
    void Expect(Time at, uint16_t waiting, const std::string& what)
    {
        Simulator::Schedule(at, [this, waiting, what] {
            NS_TEST_EXPECT_MSG_EQ(m_listener->GetBacklog(), waiting, what);
            NS_TEST_EXPECT_MSG_EQ(m_last, waiting, what + ": told");
        });
    }

    /// @return attribute Backlog of the listener
    uint64_t GetLimit() const
    {
        UintegerValue limit;
        m_listener->GetAttribute("Backlog", limit);
        return limit.Get();
    }

    std::optional<HandMadePeer> m_peer; //!< the peer, and the host, while it runs
    Ptr<RdmaConnection> m_listener;     //!< who listens
    uint16_t m_most{0};                 //!< most that waited
    uint16_t m_last{0};                 //!< waiting at last
};

IWARP_TEST(rdmaBacklog, "a peer that connects and says nothing", RdmaBacklogTest)
{
    m_peer.emplace();
    m_listener = RdmaConnection::Create(m_peer->host);
    NS_TEST_EXPECT_MSG_EQ(GetLimit(), 256, "as net.iw_cm.default_backlog");
    m_listener->SetAttribute("Backlog", UintegerValue(LIMIT));
    m_listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
    RdmaDevice::Get(m_peer->host)
        ->TraceConnectWithoutContext("Backlog", MakeCallback(&RdmaBacklogTest::NoteBacklog, this));
    for (uint16_t i = 0; i < PEERS; i++)
    {
        Open(MilliSeconds(10 + i), 2000 + i);
    }
    Expect(Seconds(1), LIMIT, "kept");
    Simulator::Schedule(Seconds(1),
                        [this] { NS_TEST_EXPECT_MSG_EQ(CountResets(), PEERS - LIMIT, "refused"); });
    // what ends makes room: TCP is reset, or something else comes than a Request
    Send(Seconds(2), 2000, TcpHeader::RST, 1);
    Expect(Seconds(3), LIMIT - 1, "reset by the peer");
    Send(Seconds(4), 2001, TcpHeader::ACK, 1, 20);
    Expect(Seconds(5), LIMIT - 2, "no Request");
    Expect(Seconds(11), 0, "given up behind StartupTimeout");
    Open(Seconds(12), 3000);
    Expect(Seconds(13), 1, "the next one");
    Simulator::Schedule(Seconds(13), [this] {
        NS_TEST_EXPECT_MSG_EQ(CountResets(Seconds(12)), 0, "is not refused");
    });
    Simulator::Stop(Seconds(14));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_most, LIMIT, "at no time more");
    m_listener = nullptr;
    Simulator::Destroy();
    m_peer.reset();
}

} // namespace
