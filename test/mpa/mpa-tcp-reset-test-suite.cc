/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpReset, "mpa-tcp-reset");

constexpr uint32_t WINDOW = 65535; //!< octets that the host offers, without window scaling

/// What becomes of a reset.
enum class Fate
{
    OBEYED,     //!< it ends the connection
    CHALLENGED, //!< it is answered with an ACK
    DROPPED,    //!< nothing happens
};

/**
 * @ingroup iwarp-test
 * A reset ends a connection only if it has the very number that is expected next: RFC 5961 section
 * 3.2. One elsewhere in the window is challenged, so that a peer which means it says so with that
 * number, and others are dropped.
 */
class ResetTest : public ConnectTest
{
  public:
    /// @param flags of the reset @param peerCloses a FIN has come before @param ahead octets that
    /// the reset is ahead of what is expected @param fate what becomes of it
    ResetTest(uint8_t flags, bool peerCloses, int64_t ahead, Fate fate)
        : ConnectTest(std::string(flags == TcpHeader::RST ? "RST" : "RST with ACK") +
                      (peerCloses ? ", peer has closed, " : ", ") + std::to_string(ahead) +
                      " ahead"),
          m_flags(flags),
          m_peerCloses(peerCloses),
          m_ahead(ahead),
          m_fate(fate)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t next = m_peerCloses ? 2 : 1;
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        if (m_peerCloses)
        {
            Come(MilliSeconds(5), FIN_ACK, 1, 1);
        }
        Simulator::Schedule(MilliSeconds(9), [this] {
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().window, WINDOW, "window");
            m_before = m_peer->seen.size();
        });
        Come(MilliSeconds(10), m_flags, static_cast<uint32_t>(next + m_ahead), 1);
        Simulator::Schedule(MilliSeconds(500), [this, next] {
            const bool obeyed = m_fate == Fate::OBEYED;
            NS_TEST_EXPECT_MSG_EQ((m_end != Time(0)), obeyed, "ended");
            NS_TEST_EXPECT_MSG_EQ(m_resets, 1, "Rx shows it");
            NS_TEST_EXPECT_MSG_EQ(m_errors, (obeyed ? 1 : 0), "told of an error");
            const std::size_t answers = m_fate == Fate::CHALLENGED ? 1 : 0;
            NS_TEST_ASSERT_MSG_EQ(m_peer->seen.size(), m_before + answers, "answers");
            if (answers > 0)
            {
                const auto& answer = m_peer->seen.back();
                NS_TEST_EXPECT_MSG_EQ(+answer.flags, +TcpHeader::ACK, "an ACK");
                NS_TEST_EXPECT_MSG_EQ(answer.ack, ISN + next, "of what is expected");
                NS_TEST_EXPECT_MSG_EQ(answer.seq, 1, "from where we are");
            }
        });
        Come(Seconds(1), TcpHeader::RST, next, 0); // as who has no connection answers a challenge
        Go();
        const Time expected = m_fate == Fate::OBEYED ? MilliSeconds(10) : Seconds(1);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), expected.GetSeconds(), 1e-3, "the end");
    }

    uint8_t m_flags;         //!< of the reset
    bool m_peerCloses;       //!< a FIN has come before
    int64_t m_ahead;         //!< octets that the reset is ahead of what is expected
    Fate m_fate;             //!< what becomes of it
    std::size_t m_before{0}; //!< segments of the host before the reset
};

/**
 * @ingroup iwarp-test
 * Once both ends have closed, a reset ends the connection, and is no error: in CLOSING, LAST_ACK
 * and TIME_WAIT, RFC 9293 section 3.10.7.4, second step.
 */
class QuietResetTest : public ConnectTest
{
  public:
    /// @param state when the reset comes @param name of it
    QuietResetTest(TcpSocket::TcpStates_t state, const std::string& name)
        : ConnectTest("a reset in " + name),
          m_when(state)
    {
        m_closeWithPeer = state == TcpSocket::LAST_ACK;
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        if (m_when != TcpSocket::LAST_ACK)
        {
            Simulator::Schedule(MilliSeconds(5), [this] { m_socket->Close(); });
        }
        Come(MilliSeconds(8), FIN_ACK, 1, m_when == TcpSocket::TIME_WAIT ? 2 : 1);
        Come(MilliSeconds(20), TcpHeader::RST, 3, 0); // not the number expected
        Simulator::Schedule(MilliSeconds(30),
                            [this] { NS_TEST_EXPECT_MSG_EQ(m_state, m_when, "the state"); });
        Come(MilliSeconds(40), TcpHeader::RST, 2, 0);
        Go();
        NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), 0.04, 1e-3, "over");
        NS_TEST_EXPECT_MSG_EQ(m_errors, 0, "well");
        NS_TEST_EXPECT_MSG_LT(m_peer->seen.back().at, MilliSeconds(40), "and quietly");
    }

    TcpSocket::TcpStates_t m_when; //!< state when the reset comes
};

/**
 * @ingroup iwarp-test
 * The reset or the ACK of a socket whose data has timed out has the number behind all that it has
 * sent, SND.NXT of RFC 9293 (sections 3.10.5 and 3.10.7.4), at which the peer looks for it.
 */
class BehindTimeoutTest : public ConnectTest
{
  public:
    explicit BehindTimeoutTest(bool reset) //!< @param reset it, or the ACK of octets
        : ConnectTest(std::string("the ") + (reset ? "reset" : "ACK") + " behind a timeout"),
          m_reset(reset)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(3), [this] { m_socket->Send(Create<Packet>(3000), 0); });
        if (m_reset)
        {
            Simulator::Schedule(Seconds(8), [this] { m_socket->EndWithin(Time(0)); });
        }
        else
        {
            Come(Seconds(8), TcpHeader::ACK, 1, 1, 100);
        }
        Simulator::Schedule(MilliSeconds(8500), [this] {
            uint32_t behind = 0;
            for (const auto& segment : m_peer->seen)
            {
                behind = std::max(behind, segment.seq + segment.size);
            }
            NS_TEST_EXPECT_MSG_GT(CountOctets(), behind, "octets were sent again");
            const auto& last = m_peer->seen.back();
            NS_TEST_EXPECT_MSG_EQ(+last.flags,
                                  +(m_reset ? TcpHeader::RST : TcpHeader::ACK),
                                  "reset or ACK");
            NS_TEST_EXPECT_MSG_EQ(last.seq, behind, "behind all octets");
        });
        Go();
    }

    bool m_reset; //!< the reset, or the ACK of octets
};

IWARP_TEST_CASES(mpaTcpReset)
{
    for (const uint8_t flags : {uint8_t{TcpHeader::RST}, RST_ACK})
    {
        for (const bool peerCloses : {false, true})
        {
            for (const auto& [ahead, fate] : {std::pair{int64_t(-1), Fate::DROPPED},
                                              {0, Fate::OBEYED},
                                              {1, Fate::CHALLENGED},
                                              {WINDOW - 1, Fate::CHALLENGED},
                                              {WINDOW, Fate::DROPPED},
                                              {0x7FFFFFFF, Fate::DROPPED}})
            {
                suite.AddTestCase(new ResetTest(flags, peerCloses, ahead, fate));
            }
        }
    }
    suite.AddTestCase(new QuietResetTest(TcpSocket::CLOSING, "CLOSING"));
    suite.AddTestCase(new QuietResetTest(TcpSocket::LAST_ACK, "LAST_ACK"));
    suite.AddTestCase(new QuietResetTest(TcpSocket::TIME_WAIT, "TIME_WAIT"));
    suite.AddTestCase(new BehindTimeoutTest(true));
    suite.AddTestCase(new BehindTimeoutTest(false));
}

} // namespace
