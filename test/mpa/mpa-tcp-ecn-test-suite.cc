/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

#include <algorithm>
#include <cstdint>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpEcn, "mpa-tcp-ecn");

constexpr uint32_t RECORD = 1000; //!< octets of a record, which is a segment

/**
 * Segments are lost while the window is reduced for ECN (RFC 3168 section 6.1.2), and the ACK that
 * ends that tells of another loss by a SACK block. By RFC 6675 section 5, an ACK that acknowledges
 * something new sets DupAcks to zero, and counts as the first duplicate if its SACK blocks are new:
 * so the segment missing is sent again at the second ACK after it, not earlier and not by timeout.
 */
struct LossWhileReducedTest : ConnectTest
{
    using ConnectTest::ConnectTest;

    /// Let an ACK come now. @param ack acknowledgment number @param left edge of a SACK block
    /// @param right edge; none if they are equal @param flags beside ACK
    void Acknowledge(uint32_t ack, uint32_t left, uint32_t right, uint8_t flags = 0)
    {
        NS_TEST_ASSERT_MSG_GT_OR_EQ(GetEnd(), std::max(ack, right), "octets were sent");
        HandMadeSegment segment;
        segment.flags = TcpHeader::ACK | flags;
        segment.seq = ISN + 1;
        segment.ack = ack;
        if (left < right)
        {
            segment.sack.emplace_back(SequenceNumber32(left), SequenceNumber32(right));
        }
        m_peer->Send(segment);
    }

    /// @return sequence number behind all that the host has sent
    uint32_t GetEnd() const
    {
        uint32_t end = 0;
        for (const auto& segment : m_peer->seen)
        {
            end = std::max(end, segment.seq + segment.size);
        }
        return end;
    }

    /// @param seq sequence number @return how many segments from there the host has sent
    std::size_t CountFrom(uint32_t seq) const
    {
        return static_cast<std::size_t>(
            std::count_if(m_peer->seen.begin(), m_peer->seen.end(), [seq](const auto& segment) {
                return segment.size > 0 && segment.seq == seq;
            }));
    }

    /// One window behind the reduction, a segment is missing again.
    void LoseAgain()
    {
        const uint32_t hole = m_recover + RECORD;
        Acknowledge(hole, hole + RECORD, hole + 2 * RECORD);
        Simulator::Schedule(MilliSeconds(1), [this, hole] {
            NS_TEST_EXPECT_MSG_EQ(CountFrom(hole), 1, "one duplicate");
            Acknowledge(hole, hole + RECORD, hole + 3 * RECORD);
        });
        Simulator::Schedule(MilliSeconds(2), [this, hole] {
            NS_TEST_EXPECT_MSG_EQ(CountFrom(hole), 1, "two duplicates");
            Acknowledge(hole, hole + RECORD, hole + 4 * RECORD);
        });
        Simulator::Schedule(MilliSeconds(3), [this, hole] {
            NS_TEST_EXPECT_MSG_EQ(CountFrom(hole), 2, "sent again at the third");
            Acknowledge(GetEnd(), 0, 0);
        });
    }

    uint32_t m_recover{0}; //!< behind what had been sent when the window was reduced
};

IWARP_TEST(mpaTcpEcn, "loss while the window is reduced", LossWhileReducedTest)
{
    Simulator::ScheduleNow([this] { m_socket->SetAttribute("UseEcn", StringValue("On")); });
    Simulator::Schedule(MilliSeconds(2), [this] {
        HandMadeSegment answer;
        answer.flags = SYN_ACK | TcpHeader::ECE;
        answer.seq = ISN;
        answer.ack = 1;
        answer.sackPermitted = true;
        m_peer->Send(answer);
    });
    Simulator::Schedule(MilliSeconds(3), [this] {
        for (uint32_t i = 0; i < 60; ++i)
        {
            m_socket->Send(Create<Packet>(RECORD), 0);
        }
    });
    Simulator::Schedule(MilliSeconds(4), [this] {
        m_recover = GetEnd();
        Acknowledge(1 + RECORD, 0, 0, TcpHeader::ECE);
    });
    for (uint32_t i = 1; i <= 6; ++i)
    {
        Simulator::Schedule(MilliSeconds(4 + i), [this, i] {
            Acknowledge(1 + RECORD, 1 + 2 * RECORD, 1 + (2 + i) * RECORD);
        });
    }
    Simulator::Schedule(MilliSeconds(11), &LossWhileReducedTest::LoseAgain, this);
    Go();
}

/// A peer by hand whose second segment is marked on its way (RFC 3168 section 6.1.3).
struct MarkTest : TestCase
{
    using TestCase::TestCase;

    /// @param ipv6 the listener is of IPv6, to which the peer is an IPv4-mapped address @param isn
    /// the peer's
    void Go(bool ipv6, uint32_t isn)
    {
        HandMadePeer peer;
        const auto listener = peer.MakeSocket();
        listener->SetAttribute("UseEcn", StringValue("On"));
        listener->Bind(ipv6
                           ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), HandMadePeer::PORT))
                           : Address(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT)));
        listener->Listen();
        const auto come = [&peer,
                           isn](Time at, uint8_t flags, uint32_t seq, uint32_t size, uint8_t tos) {
            HandMadeSegment segment;
            segment.flags = flags;
            segment.seq = isn + seq;
            segment.ack = (flags & TcpHeader::ACK) ? 1 : 0;
            segment.size = size;
            segment.tos = tos;
            Simulator::Schedule(at, &HandMadePeer::Send, &peer, segment);
        };
        constexpr uint8_t ECT = 2;
        constexpr uint8_t CE = 3;
        come(MilliSeconds(1), TcpHeader::SYN | TcpHeader::ECE | TcpHeader::CWR, 0, 0, 0);
        come(MilliSeconds(2), TcpHeader::ACK, 1, 0, 0);
        come(MilliSeconds(3), TcpHeader::ACK, 1, RECORD, ECT);
        come(MilliSeconds(4), TcpHeader::ACK, 1 + RECORD, RECORD, CE);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(peer.Count(SYN_ACK | TcpHeader::ECE), 1, "ECN, IPv6 " << ipv6);
        NS_TEST_EXPECT_MSG_EQ(peer.Count(TcpHeader::ACK | TcpHeader::ECE), 1, "IPv6 " << ipv6);
        Simulator::Destroy();
    }
};

IWARP_TEST(mpaTcpEcn, "a mark is echoed, also by a listener of IPv6 to a peer of IPv4", MarkTest)
{
    Go(false, 5000);
    Go(true, 5000);
}

/// TcpSocketBase compares the number of what is marked with 0.
IWARP_TEST(mpaTcpEcn, "a mark is echoed to a peer that starts above 2^31", MarkTest)
{
    Go(false, ISN);
    Go(true, ISN);
}

} // namespace
