/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-peer.h"

#include "ns3/inet-socket-address.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpBacklog, "mpa-tcp-backlog");

constexpr uint8_t SYN_ACK = TcpHeader::SYN | TcpHeader::ACK; //!< flags
constexpr uint16_t OTHER = HandMadePeer::PORT + 1;           //!< another port that is listened on
constexpr uint32_t LIMIT = 8;                                //!< connections in SYN_RCVD
constexpr uint16_t PEERS = 100;                              //!< SYNs of a flood
constexpr uint32_t FLOOD_ISN = 5000;                         //!< of the peer

/**
 * A peer that sends SYNs, and nothing behind them, gets as many connections as SynBacklog allows,
 * as Linux has it without SYN cookies. The others are dropped until there is room: a connection is
 * made, is reset, or has been given up.
 */
struct SynBacklogTest : TestCase
{
    using TestCase::TestCase;

    /// Let a segment come. @param at when @param port of the peer @param flags flags @param seq
    /// octets behind the SYN's number @param to port of the host
    void Come(Time at, uint16_t port, uint8_t flags, uint32_t seq, uint16_t to = HandMadePeer::PORT)
    {
        HandMadeSegment segment;
        segment.flags = flags;
        segment.seq = FLOOD_ISN + seq;
        segment.ack = flags == TcpHeader::ACK ? 1 : 0;
        segment.port = port;
        Simulator::Schedule(at, [this, segment, to] {
            m_peer->hostPort = to;
            m_peer->Send(segment);
        });
    }

    /// @param port of the host to listen on @return the socket
    Ptr<MpaTcpSocket> Listen(uint16_t port)
    {
        const auto socket = m_peer->MakeSocket();
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        socket->Listen();
        socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&SynBacklogTest::Accept, this));
        return socket;
    }

    void Accept(Ptr<Socket> /* socket */, const Address& /* peer */)
    {
        m_accepted++;
    }

    /// The factory tells. @param port listened on @param waiting connections in SYN_RCVD
    void Note(uint16_t port, uint32_t waiting)
    {
        m_most = std::max(m_most, waiting);
        if (port == HandMadePeer::PORT)
        {
            m_last = waiting;
        }
    }

    /// @param at when @param waiting connections in SYN_RCVD then @param what about them
    void Expect(Time at, uint32_t waiting, const std::string& what)
    {
        Simulator::Schedule(at, [this, waiting, what] {
            const uint32_t count = m_factory->GetSynBacklog(HandMadePeer::PORT);
            NS_TEST_EXPECT_MSG_EQ(count, waiting, what);
            NS_TEST_EXPECT_MSG_EQ(m_last, waiting, what << ": told");
        });
    }

    /// @param port of the peer @return whether the host has answered its SYN
    bool IsAnswered(uint16_t port) const
    {
        return std::any_of(m_peer->seen.begin(), m_peer->seen.end(), [port](const auto& segment) {
            return segment.port == port && segment.flags == SYN_ACK;
        });
    }

    /// @return how many ports of the peer have had an answer
    std::size_t CountAnswered() const
    {
        std::size_t answered = 0;
        for (uint16_t i = 0; i < PEERS; i++)
        {
            answered += IsAnswered(2000 + i);
        }
        return answered;
    }

    std::optional<HandMadePeer> m_peer;       //!< peer
    Ptr<MpaTcpSocketFactory> m_factory;       //!< the host's
    std::vector<Ptr<MpaTcpSocket>> m_sockets; //!< those that listen
    uint32_t m_accepted{0};                   //!< connections made
    uint32_t m_most{0};                       //!< most connections of a port in SYN_RCVD
    uint32_t m_last{0};                       //!< those of the first port, told last
};

IWARP_TEST(mpaTcpBacklog, "a flood of SYNs", SynBacklogTest)
{
    m_peer.emplace();
    m_factory = MpaTcpSocketFactory::Install(m_peer->host);
    UintegerValue limit;
    m_factory->GetAttribute("SynBacklog", limit);
    NS_TEST_EXPECT_MSG_EQ(limit.Get(), 4096, "as net.core.somaxconn");
    m_factory->SetAttribute("SynBacklog", UintegerValue(LIMIT));
    m_factory->TraceConnectWithoutContext("SynBacklog", MakeCallback(&SynBacklogTest::Note, this));
    m_sockets = {Listen(HandMadePeer::PORT), Listen(OTHER)};
    for (uint16_t i = 0; i < PEERS; i++)
    {
        Come(MicroSeconds(100 * i), 2000 + i, TcpHeader::SYN, 0);
    }
    Expect(MilliSeconds(50), LIMIT, "a flood");
    Simulator::Schedule(MilliSeconds(50),
                        [this] { NS_TEST_EXPECT_MSG_EQ(CountAnswered(), LIMIT, "answered"); });
    Come(MilliSeconds(60), 3000, TcpHeader::SYN, 0, OTHER);
    Simulator::Schedule(MilliSeconds(70), [this] {
        NS_TEST_EXPECT_MSG_EQ(IsAnswered(3000), true, "another port has a backlog of its own");
    });
    Come(MilliSeconds(80), 2000, TcpHeader::SYN, 0);
    Expect(MilliSeconds(90), LIMIT, "a SYN that comes again");

    Come(MilliSeconds(100), 2000, TcpHeader::ACK, 1);
    Expect(MilliSeconds(110), LIMIT - 1, "a connection is made");
    Come(MilliSeconds(120), 2050, TcpHeader::SYN, 0);
    Expect(MilliSeconds(130), LIMIT, "room for the next");
    Come(MilliSeconds(140), 2001, TcpHeader::RST, 2);
    Expect(MilliSeconds(150), LIMIT, "a reset beside the number expected");
    Come(MilliSeconds(160), 2001, TcpHeader::RST, 1);
    Expect(MilliSeconds(170), LIMIT - 1, "a reset");
    Expect(Seconds(1000), 0, "given up");
    Simulator::Stop(Seconds(1001));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_accepted, 1, "accepted");
    NS_TEST_EXPECT_MSG_EQ(m_most, LIMIT, "never more");
    m_sockets.clear();
    m_factory = nullptr;
    m_peer.reset();
    Simulator::Destroy();
}

} // namespace
