/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include <algorithm>
#include <string>

using namespace ns3;

namespace
{

/// Connection states, against a peer made by hand.
IWARP_TEST_SUITE(mpaTcpState, "mpa-tcp-state");

/**
 * @ingroup iwarp-test
 * The ACK in a FIN segment counts (RFC 9293 section 3.10.7.4: the ACK field is checked before the
 * FIN bit): nothing is sent again, and the connection is over when the peer has our FIN.
 */
class AckInFinTest : public ConnectTest
{
  public:
    /// @param size octets that come with the FIN @param closes the application closes at once
    AckInFinTest(uint32_t size, bool closes)
        : ConnectTest("ACK in a FIN segment with " + std::to_string(size) + " octets" +
                      (closes ? ", closed at once" : "")),
          m_size(size)
    {
        m_closeWithPeer = closes;
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(10), [this] { m_socket->Send(Create<Packet>(500)); });
        Come(MilliSeconds(20), FIN_ACK, 1, 501, m_size);
        uint32_t finAt = 20;
        if (!m_closeWithPeer)
        {
            finAt = 5000;
            Simulator::Schedule(MilliSeconds(finAt), [this] { m_socket->Close(); });
        }
        Simulator::Schedule(MilliSeconds(finAt + 1), [this] {
            NS_TEST_EXPECT_MSG_EQ(m_peer->Count(FIN_ACK), 1, "our FIN");
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack, ISN + m_size + 2, "and the peer's ACK");
        });
        Come(MilliSeconds(finAt + 10), TcpHeader::ACK, m_size + 2, 502);
        Go();
        NS_TEST_EXPECT_MSG_EQ(CountOctets(), 500, "octets, once");
        NS_TEST_EXPECT_MSG_EQ(m_peer->Count(FIN_ACK), 1, "one FIN");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), (finAt + 10) / 1e3, 1e-3, "CLOSED");
    }

    uint32_t m_size; //!< octets with the FIN
};

/**
 * @ingroup iwarp-test
 * A FIN that acknowledges only a part, or what was never sent: the rest is sent again.
 */
class WrongAckInFinTest : public ConnectTest
{
  public:
    /// @param acked octets that the FIN acknowledges @param octets of 500 that are sent in the end
    WrongAckInFinTest(uint32_t acked, uint32_t octets)
        : ConnectTest("a FIN that acknowledges " + std::to_string(acked) + " octets of 500"),
          m_acked(acked),
          m_octets(octets)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(10), [this] { m_socket->Send(Create<Packet>(500)); });
        Come(MilliSeconds(20), FIN_ACK, 1, 1 + m_acked);
        Come(MilliSeconds(1500), TcpHeader::ACK, 2, 501);
        Go();
        NS_TEST_EXPECT_MSG_EQ(CountOctets(), m_octets, "octets sent, first and again");
    }

    uint32_t m_acked;  //!< octets that the FIN acknowledges
    uint32_t m_octets; //!< octets sent in the end
};

IWARP_TEST_CASES(mpaTcpState)
{
    for (const uint32_t size : {0, 100})
    {
        suite.AddTestCase(new AckInFinTest(size, false));
        suite.AddTestCase(new AckInFinTest(size, true));
    }
    suite.AddTestCase(new WrongAckInFinTest(500, 500));
    suite.AddTestCase(new WrongAckInFinTest(200, 800));
    suite.AddTestCase(new WrongAckInFinTest(600, 1000));
}

/**
 * A reset that acknowledges the SYN refuses the connection (RFC 9293 section 3.10.7.3), at once;
 * any other one in that state changes nothing.
 */
IWARP_TEST(mpaTcpState, "a SYN is refused", ConnectTest)
{
    Come(MilliSeconds(2), TcpHeader::RST, 0, 0);
    Come(MilliSeconds(3), RST_ACK, 0, 0);
    Come(MilliSeconds(4), RST_ACK, 0, 2);
    Simulator::Schedule(MilliSeconds(5), [this] {
        NS_TEST_EXPECT_MSG_EQ(m_failed, Time(0), "it may still succeed");
    });
    Come(MilliSeconds(10), RST_ACK, 0, 1);
    Go();
    NS_TEST_EXPECT_MSG_EQ(m_resets, 4, "the trace shows each of them");
    NS_TEST_EXPECT_MSG_EQ_TOL(m_failed.GetSeconds(), 0.01, 1e-3, "failed when it was refused");
    NS_TEST_EXPECT_MSG_EQ(m_connected, Time(0), "never connected");
    NS_TEST_EXPECT_MSG_EQ(m_peer->seen.size(), 1, "one SYN, and nothing else");
}

/// Resets that do not acknowledge the SYN leave it to connect when the peer answers.
IWARP_TEST(mpaTcpState, "resets that acknowledge no SYN", ConnectTest)
{
    Come(MilliSeconds(2), TcpHeader::RST, 0, 0);
    Come(MilliSeconds(3), RST_ACK, 0, 7);
    Come(MilliSeconds(10), SYN_ACK, 0, 1);
    Go();
    NS_TEST_EXPECT_MSG_EQ_TOL(m_connected.GetSeconds(), 0.01, 1e-3, "connected");
    NS_TEST_EXPECT_MSG_EQ(m_failed, Time(0), "without a failure");
    NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().echo, 10, "and the SYN's timestamp comes back");
}

/**
 * The window that a peer narrows in a segment with data counts (RFC 9293 section 3.10.7.4), though
 * its sequence numbers are above 2^31.
 */
IWARP_TEST(mpaTcpState, "a window that narrows with data", ConnectTest)
{
    Come(MilliSeconds(2), SYN_ACK, 0, 1);
    HandMadeSegment segment;
    segment.flags = TcpHeader::ACK;
    segment.seq = ISN + 1;
    segment.ack = 1;
    segment.timestamp = 5;
    segment.size = 10;
    segment.window = 1000;
    Simulator::Schedule(MilliSeconds(5), &HandMadePeer::Send, m_peer.get(), segment);
    Simulator::Schedule(MilliSeconds(10), [this] {
        for (uint32_t i = 0; i < 10; ++i)
        {
            m_socket->Send(Create<Packet>(500));
        }
    });
    Simulator::Schedule(MilliSeconds(20), [this] {
        NS_TEST_EXPECT_MSG_EQ(CountOctets(), 1000, "octets within the window");
    });
    Go();
}

/**
 * An application that closes when it is told of room, on the ACK of all that was sent again after a
 * timeout: the FIN stands behind the data (RFC 9293 section 3.4).
 */
struct FinBehindTimeoutTest : ConnectTest
{
    using ConnectTest::ConnectTest;

    void Shut(Ptr<Socket> socket, uint32_t /* room */)
    {
        socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        socket->ShutdownSend();
    }
};

IWARP_TEST(mpaTcpState, "a FIN behind data that were sent again", FinBehindTimeoutTest)
{
    Come(MilliSeconds(3), SYN_ACK, 0, 1);
    Simulator::Schedule(MilliSeconds(10), [this] {
        m_socket->Send(Create<Packet>(1400));
        m_socket->Send(Create<Packet>(1400));
    });
    Simulator::Schedule(MilliSeconds(1500), [this] {
        m_socket->SetSendCallback(MakeCallback(&FinBehindTimeoutTest::Shut, this));
    });
    Come(MilliSeconds(1600), TcpHeader::ACK, 1, 2801);
    Go();
    NS_TEST_EXPECT_MSG_GT(CountOctets(), 2800, "data sent again");
    const auto fin =
        std::find_if(m_peer->seen.begin(), m_peer->seen.end(), [](const auto& segment) {
            return (segment.flags & TcpHeader::FIN) != 0;
        });
    NS_TEST_ASSERT_MSG_EQ((fin != m_peer->seen.end()), true, "a FIN");
    NS_TEST_EXPECT_MSG_EQ(fin->seq, 2801, "number of the FIN");
}

} // namespace
