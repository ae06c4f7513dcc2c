/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"

#include <algorithm>
#include <string>

using namespace ns3;

namespace
{

/// How connections end, against a peer made by hand.
IWARP_TEST_SUITE(mpaTcpEnding, "mpa-tcp-ending");

/**
 * A SYN that comes again is answered with its own timestamp (RFC 7323 section 4.3), so that the
 * round trip that the peer measures has no timeout in it.
 */
IWARP_TEST(mpaTcpEnding, "a SYN that comes again", ConnectTest)
{
    m_socket = m_peer->MakeSocket();
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
    m_socket->Listen();
    Come(MilliSeconds(2), TcpHeader::SYN, 0, 0);
    Come(MilliSeconds(900), TcpHeader::SYN, 0, 0);
    Simulator::Stop(MilliSeconds(950));
    Simulator::Run();
    m_socket = nullptr;
    Simulator::Destroy();
    NS_TEST_ASSERT_MSG_EQ(m_peer->Count(SYN_ACK), 2, "an answer each");
    NS_TEST_EXPECT_MSG_EQ(m_peer->seen.front().echo, 2, "the first SYN's time");
    NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().echo, 900, "the second's");
}

/**
 * @ingroup iwarp-test
 * A FIN that comes again is acknowledged again, since the ACK was lost (RFC 9293 section 3.10.7.4,
 * second step and eighth), and ends nothing early.
 */
class FinAgainTest : public ConnectTest
{
  public:
    /// When the socket's own side closes.
    enum class Own
    {
        NEVER,  //!< CLOSE_WAIT
        BEFORE, //!< TIME_WAIT
        BEHIND, //!< LAST_ACK, and the peer has not got the FIN
    };

    /// @param own when the socket's own side closes @param name of the state
    FinAgainTest(Own own, const std::string& name)
        : ConnectTest("a FIN that comes again in " + name),
          m_own(own)
    {
        m_closeWithPeer = own == Own::BEHIND;
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        const uint32_t ack = m_own == Own::BEFORE ? 2 : 1;
        if (m_own == Own::BEFORE)
        {
            Simulator::Schedule(MilliSeconds(5), [this] { m_socket->Close(); });
            Come(MilliSeconds(8), TcpHeader::ACK, 1, 2);
        }
        Come(MilliSeconds(10), FIN_ACK, 1, ack);
        Come(MilliSeconds(30), FIN_ACK, 1, ack);
        Simulator::Schedule(MilliSeconds(35), [&] {
            std::size_t answers = 0; // a FIN of ours may be sent again meanwhile
            for (const auto& segment : m_peer->seen)
            {
                answers += segment.flags == TcpHeader::ACK && segment.ack == ISN + 2 &&
                           segment.at >= MilliSeconds(30);
            }
            NS_TEST_EXPECT_MSG_EQ(answers, 1, "an ACK of the FIN");
            NS_TEST_EXPECT_MSG_EQ(m_end, Time(0), "and nothing else happens");
        });
        if (m_own == Own::BEHIND)
        {
            Come(MilliSeconds(40), TcpHeader::ACK, 2, 2);
        }
        Go();
        if (m_own == Own::BEHIND)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), 0.04, 1e-3, "over with our FIN's ACK");
        }
    }

    Own m_own; //!< when the socket's own side closes
};

/**
 * @ingroup iwarp-test
 * Data that come with a FIN, to a socket that has closed its own side: both are acknowledged.
 */
class DataWithFinTest : public ConnectTest
{
  public:
    /// @param acked the peer has acknowledged our FIN before @param gap 100 octets come later
    DataWithFinTest(bool acked, bool gap)
        : ConnectTest(std::string("data with a FIN in ") + (acked ? "FIN_WAIT_2" : "FIN_WAIT_1") +
                      (gap ? ", out of order" : "")),
          m_acked(acked),
          m_gap(gap)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(5), [this] { m_socket->ShutdownSend(); });
        if (m_acked)
        {
            Come(MilliSeconds(8), TcpHeader::ACK, 1, 2);
        }
        const uint32_t first = m_gap ? 101 : 1;
        Come(MilliSeconds(10), FIN_ACK, first, m_acked ? 2 : 1, 100);
        if (m_gap)
        {
            Come(MilliSeconds(20), TcpHeader::ACK, 1, m_acked ? 2 : 1, 100);
        }
        Simulator::Schedule(MilliSeconds(30), [this, first] {
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack, ISN + first + 101, "data and FIN");
            NS_TEST_EXPECT_MSG_EQ(m_socket->HasPeerClosed(), true, "the peer has closed");
        });
        Go();
    }

    bool m_acked; //!< the peer has acknowledged our FIN before
    bool m_gap;   //!< octets in front come later
};

/**
 * @ingroup iwarp-test
 * A FIN that comes before the data in front of it, to a socket that has closed its own side: with
 * the data the socket enters TIME_WAIT and sends neither another FIN nor a reset (RFC 9293 section
 * 3.10.7.4, eighth step), even if the application has not read them yet.
 */
class FinBeforeDataTest : public ConnectTest
{
  public:
    explicit FinBeforeDataTest(bool reads) //!< @param reads the application reads at once
        : ConnectTest(std::string("a FIN before its data in FIN_WAIT_2") +
                      (reads ? "" : ", which nobody reads")),
          m_reads(reads)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(5), [this] {
            m_socket->ShutdownSend();
            if (!m_reads)
            {
                m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
            }
        });
        Come(MilliSeconds(8), TcpHeader::ACK, 1, 2);
        Come(MilliSeconds(10), FIN_ACK, 101, 2);
        Come(MilliSeconds(20), TcpHeader::ACK, 1, 2, 100);
        Simulator::Schedule(MilliSeconds(30), [this] {
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack, ISN + 102, "data and FIN");
            NS_TEST_EXPECT_MSG_EQ(m_socket->GetRxAvailable(), (m_reads ? 0 : 100), "data");
        });
        Go();
        uint32_t ends = 0;
        for (const auto& segment : m_peer->seen)
        {
            ends += (segment.flags & (TcpHeader::FIN | TcpHeader::RST)) != 0;
        }
        NS_TEST_EXPECT_MSG_EQ(ends, 1, "one FIN, no reset");
    }

    bool m_reads; //!< the application reads at once
};

/**
 * @ingroup iwarp-test
 * A reset ends the connection at once, with ACK and without timestamp, and is never answered with
 * one (RFC 9293 section 3.10.7.4, RFC 7323 section 3.2).
 */
class EndingResetTest : public ConnectTest
{
  public:
    /// @param peerCloses the peer closes before @param weClose we do
    EndingResetTest(bool peerCloses, bool weClose)
        : ConnectTest(std::string("RST with ACK") + (peerCloses ? ", peer has closed" : "") +
                      (weClose ? ", we have closed" : "")),
          m_peerCloses(peerCloses),
          m_weClose(weClose)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        if (m_peerCloses)
        {
            Come(MilliSeconds(5), FIN_ACK, 1, 1);
        }
        if (m_weClose)
        {
            Simulator::Schedule(MilliSeconds(8), [this] { m_socket->Close(); });
        }
        Come(MilliSeconds(10), RST_ACK, m_peerCloses ? 2 : 1, 1);
        Go();
        NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), 0.01, 1e-3, "over at once");
        const auto resets = std::count_if(
            m_peer->seen.begin(),
            m_peer->seen.end(),
            [](const HandMadeSegment& segment) { return (segment.flags & TcpHeader::RST) != 0; });
        NS_TEST_EXPECT_MSG_EQ(resets, 0, "without an answer");
        NS_TEST_EXPECT_MSG_EQ(m_resets, 1, "the trace shows it");
    }

    bool m_peerCloses; //!< the peer closes before
    bool m_weClose;    //!< we do
};

IWARP_TEST_CASES(mpaTcpEnding)
{
    using Own = FinAgainTest::Own;
    suite.AddTestCase(new FinAgainTest(Own::NEVER, "CLOSE_WAIT"));
    suite.AddTestCase(new FinAgainTest(Own::BEFORE, "TIME_WAIT"));
    suite.AddTestCase(new FinAgainTest(Own::BEHIND, "LAST_ACK"));
    for (const bool first : {false, true})
    {
        for (const bool second : {false, true})
        {
            suite.AddTestCase(new DataWithFinTest(first, second));
            suite.AddTestCase(new EndingResetTest(first, second));
        }
    }
    suite.AddTestCase(new FinBeforeDataTest(true));
    suite.AddTestCase(new FinBeforeDataTest(false));
}

/**
 * A probe of a closed window has ACK set, as each segment of a connection (RFC 9293 section
 * 3.10.7.4, fifth step: one without is dropped).
 */
IWARP_TEST(mpaTcpEnding, "a probe of a closed window", ConnectTest)
{
    Come(MilliSeconds(2), SYN_ACK, 0, 1);
    HandMadeSegment shut;
    shut.flags = TcpHeader::ACK;
    shut.seq = ISN + 1;
    shut.ack = 1;
    shut.timestamp = 5;
    shut.window = 0;
    Simulator::Schedule(MilliSeconds(5), &HandMadePeer::Send, m_peer.get(), shut);
    Simulator::Schedule(MilliSeconds(10), [this] { m_socket->Send(Create<Packet>(500)); });
    Go();
    // 6 s and 12 s behind the window's end
    uint32_t probes = 0;
    for (const auto& segment : m_peer->seen)
    {
        if (segment.size > 0)
        {
            NS_TEST_EXPECT_MSG_EQ(segment.size, 1, "a probe");
            NS_TEST_EXPECT_MSG_EQ(+segment.flags, +TcpHeader::ACK, "its flags");
            NS_TEST_EXPECT_MSG_EQ(segment.ack, ISN + 1, "what it acknowledges");
            probes++;
        }
    }
    NS_TEST_EXPECT_MSG_EQ(probes, 2, "probes");
}

} // namespace
