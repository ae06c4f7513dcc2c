/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpChallenge, "mpa-tcp-challenge");

constexpr uint32_t PEER_WINDOW = 30000; //!< octets that the peer offers, MAX.SND.WND of RFC 5961
constexpr uint32_t FAR = 0x7FFF0000;    //!< octets that no window holds
constexpr uint32_t FLOOD = 101;         //!< segments, one every 10 ms
const Time HOSTILE = MilliSeconds(20);  //!< when a segment comes that may be somebody else's

/// A state of a connection, and how it gets there.
struct TcpState
{
    const char* name;             //!< name
    TcpSocket::TcpStates_t state; //!< state
    bool closes;                  //!< the host closes
    bool afterPeer;               //!< behind the peer, not first
    uint8_t flags;                //!< of a segment of the peer, if any
    uint32_t ack;                 //!< what that acknowledges: 2 for the host's FIN
};

const std::vector<TcpState> TCP_STATES = {
    {"ESTABLISHED", TcpSocket::ESTABLISHED, false, false, 0, 0},
    {"CLOSE_WAIT", TcpSocket::CLOSE_WAIT, false, false, FIN_ACK, 1},
    {"LAST_ACK", TcpSocket::LAST_ACK, true, true, FIN_ACK, 1},
    {"FIN_WAIT_1", TcpSocket::FIN_WAIT_1, true, false, 0, 0},
    {"FIN_WAIT_2", TcpSocket::FIN_WAIT_2, true, false, TcpHeader::ACK, 2},
    {"CLOSING", TcpSocket::CLOSING, true, false, FIN_ACK, 1},
    {"TIME_WAIT", TcpSocket::TIME_WAIT, true, false, FIN_ACK, 2},
}; //!< the synchronised states of RFC 9293

/// A segment that somebody may send who sees nothing of the connection.
struct Hostile
{
    const char* name;  //!< name
    uint8_t flags;     //!< flags
    uint32_t ahead;    //!< octets that its number is ahead of RCV.NXT
    uint32_t ackAhead; //!< octets that it acknowledges ahead of SND.NXT
    uint32_t size;     //!< octets of payload
};

const std::vector<Hostile> HOSTILES = {
    {"SYN in the window", TcpHeader::SYN, 100, 0, 0},
    {"SYN at the number expected", TcpHeader::SYN, 0, 0, 0},
    {"SYN far away", TcpHeader::SYN, FAR, 0, 0},
    {"SYN with ACK", SYN_ACK, 0, 0, 0},
    {"SYN with FIN", TcpHeader::SYN | TcpHeader::FIN, 0, 0, 0},
    {"ACK of what was not sent", TcpHeader::ACK, 0, 1, 0},
    {"ACK of what was not sent, with octets", TcpHeader::ACK, 0, 1, 100},
    {"ACK of what was not sent, with FIN", FIN_ACK, 0, 1, 0},
    {"ACK far ahead", TcpHeader::ACK, 0, FAR, 0},
    {"ACK from before the window", TcpHeader::ACK, 0, 0 - PEER_WINDOW - 3, 100},
    {"octets without ACK", 0, 0, 0, 100},
    {"FIN without ACK", TcpHeader::FIN, 0, 0, 0},
};

/**
 * @ingroup iwarp-test
 * In each synchronised state, a segment that its sender may have guessed is answered with
 * <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>, and that is all that it does: SYNs whatever their number,
 * RFC 5961 section 4.2; ACKs outside of SND.UNA - MAX.SND.WND to SND.NXT, section 5.2, and none at
 * all, RFC 9293 section 3.10.7.4, fifth step.
 */
class ChallengeTest : public ConnectTest
{
  public:
    /// @param state of the connection @param hostile what comes
    ChallengeTest(const TcpState& state, const Hostile& hostile)
        : ConnectTest(std::string(hostile.name) + " in " + state.name),
          m_case(state),
          m_hostile(hostile)
    {
        m_closeWithPeer = state.closes && state.afterPeer;
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        if (m_case.closes && !m_case.afterPeer)
        {
            Simulator::Schedule(MilliSeconds(5), [this] { m_socket->Close(); });
        }
        if (m_case.flags)
        {
            Come(MilliSeconds(8), m_case.flags, 1, m_case.ack);
        }
        const uint32_t expected = m_case.flags & TcpHeader::FIN ? 2 : 1; // of the peer
        const uint32_t next = m_case.closes ? 2 : 1;                     // of the host
        HandMadeSegment segment;                                         // without timestamps
        segment.flags = m_hostile.flags;
        segment.seq = ISN + expected + m_hostile.ahead;
        segment.ack = m_hostile.flags & TcpHeader::ACK ? next + m_hostile.ackAhead : 0;
        segment.size = m_hostile.size;
        segment.window = 1;
        Simulator::Schedule(HOSTILE - MicroSeconds(1),
                            [this] { NS_TEST_EXPECT_MSG_EQ(m_state, m_case.state, "there"); });
        Simulator::Schedule(HOSTILE, &HandMadePeer::Send, m_peer.get(), segment);
        Simulator::Schedule(MilliSeconds(500), [this, next, expected] {
            NS_TEST_EXPECT_MSG_EQ(m_state, m_case.state, "still there");
            HandMadeSegment answer;
            uint32_t answers = 0;
            for (const auto& segment : m_peer->seen)
            { // a FIN that nobody has acknowledged is sent again meanwhile
                if (segment.at > HOSTILE && !(segment.flags & TcpHeader::FIN))
                {
                    answer = segment;
                    answers++;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(answers, 1, "one answer");
            NS_TEST_EXPECT_MSG_EQ(+answer.flags, +TcpHeader::ACK, "an ACK");
            NS_TEST_EXPECT_MSG_EQ(answer.seq, next, "SND.NXT");
            NS_TEST_EXPECT_MSG_EQ(answer.ack, ISN + expected, "RCV.NXT");
            NS_TEST_EXPECT_MSG_EQ(answer.timestamp.has_value(), true, "options are as before");
            if (!m_case.closes)
            { // the window is what it was, too
                m_socket->Send(Create<Packet>(3000), 0);
            }
        });
        Simulator::Schedule(MilliSeconds(600), [this] {
            const uint32_t octets = m_case.closes ? 0 : 3000;
            NS_TEST_EXPECT_MSG_EQ(CountOctets(), octets, "data goes on");
            NS_TEST_EXPECT_MSG_EQ(m_failed, Time(0), "no error");
        });
        Go();
    }

    TcpState m_case;   //!< state
    Hostile m_hostile; //!< what comes
};

/**
 * @ingroup iwarp-test
 * From SND.UNA - MAX.SND.WND to SND.NXT, octets are taken, RFC 5961 section 5.2: those with a late
 * ACK, too, which come behind others that overtook them. The widest window counts that ever was.
 */
class LateAckTest : public ConnectTest
{
  public:
    /// @param ack acknowledgment number @param window that the peer offers before
    LateAckTest(uint32_t ack, uint16_t window)
        : ConnectTest("octets with the ACK of " + std::to_string(static_cast<int32_t>(ack)) +
                      ", of 3001 to 5001 octets, window " + std::to_string(window)),
          m_ack(ack),
          m_window(window)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        Simulator::Schedule(MilliSeconds(5), [this] { m_socket->Send(Create<Packet>(3000), 0); });
        HandMadeSegment update;
        update.flags = TcpHeader::ACK;
        update.seq = ISN + 1;
        update.ack = 3001;
        update.window = m_window;
        update.timestamp = 10;
        Simulator::Schedule(MilliSeconds(10), &HandMadePeer::Send, m_peer.get(), update);
        Simulator::Schedule(MilliSeconds(15), [this] { m_socket->Send(Create<Packet>(2000), 0); });
        Come(HOSTILE, TcpHeader::ACK, 1, m_ack, 100);
        Come(HOSTILE + MilliSeconds(1),
             TcpHeader::ACK,
             101,
             3001,
             100); // has it acknowledged at once
        Simulator::Schedule(HOSTILE + MilliSeconds(2), [this] {
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack, ISN + 201, "all taken");
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().seq, 5001, "nothing sent again");
        });
        Go();
    }

    uint32_t m_ack;    //!< acknowledgment number
    uint16_t m_window; //!< that the peer offers before
};

/**
 * @ingroup iwarp-test
 * A connection sends one challenge within ChallengeInterval, RFC 5961 section 7: as Linux does
 * within tcp_invalid_ratelimit, 500 ms, whatever draws them. Those sent and those not are counted.
 */
class ThrottleTest : public ConnectTest
{
  public:
    /// @param interval to set, negative for the default @param challenges of FLOOD segments
    ThrottleTest(Time interval, uint32_t challenges)
        : ConnectTest("a flood, ChallengeInterval " + std::to_string(interval.GetMilliSeconds()) +
                      " ms"),
          m_interval(interval),
          m_challenges(challenges)
    {
    }

  private:
    void DoRun() override
    {
        const auto factory = MpaTcpSocketFactory::Install(m_peer->host);
        TimeValue interval;
        factory->GetAttribute("ChallengeInterval", interval);
        NS_TEST_EXPECT_MSG_EQ(interval.Get(), MilliSeconds(500), "as tcp_invalid_ratelimit");
        if (!m_interval.IsStrictlyNegative())
        {
            factory->SetAttribute("ChallengeInterval", TimeValue(m_interval));
        }
        factory->TraceConnectWithoutContext("Challenges", MakeCallback(&ThrottleTest::Sent, this));
        factory->TraceConnectWithoutContext("ChallengesHeldBack",
                                            MakeCallback(&ThrottleTest::HeldBack, this));
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        for (uint32_t i = 0; i < FLOOD; i++)
        { // those that are an interval apart are as long as each other
            const uint8_t flags =
                i % 2 == 0 ? TcpHeader::SYN : (i % 4 == 1 ? TcpHeader::ACK : TcpHeader::RST);
            Come(MilliSeconds(1000 + 10 * i), flags, 101, flags == TcpHeader::ACK ? 2 : 0);
        }
        Simulator::Schedule(MilliSeconds(900), [this] { m_before = m_peer->seen.size(); });
        Go();
        NS_TEST_EXPECT_MSG_EQ(m_peer->seen.size() - m_before, m_challenges, "answers");
        NS_TEST_EXPECT_MSG_EQ(m_sent, m_challenges, "counted");
        NS_TEST_EXPECT_MSG_EQ(m_heldBack, FLOOD - m_challenges, "those held back, too");
        NS_TEST_EXPECT_MSG_EQ(m_end, Time(0), "nothing else");
    }

    void Sent(uint32_t before, uint32_t now)
    {
        NS_TEST_EXPECT_MSG_EQ(now, before + 1, "one more");
        m_sent = now;
    }

    void HeldBack(uint32_t before, uint32_t now)
    {
        NS_TEST_EXPECT_MSG_EQ(now, before + 1, "one more");
        m_heldBack = now;
    }

    Time m_interval;         //!< to set
    uint32_t m_challenges;   //!< expected
    uint32_t m_sent{0};      //!< that the factory counts
    uint32_t m_heldBack{0};  //!< that it counts
    std::size_t m_before{0}; //!< segments of the host before
};

IWARP_TEST_CASES(mpaTcpChallenge)
{
    for (const auto& state : TCP_STATES)
    {
        for (const auto& hostile : HOSTILES)
        {
            suite.AddTestCase(new ChallengeTest(state, hostile));
        }
    }
    for (const uint32_t ack : {3001 - PEER_WINDOW, 1U, 3000U, 3001U, 4449U, 5001U})
    {
        suite.AddTestCase(new LateAckTest(ack, PEER_WINDOW));
        suite.AddTestCase(new LateAckTest(ack, 4000));
    }
    suite.AddTestCase(new ThrottleTest(MilliSeconds(-1), 3));
    suite.AddTestCase(new ThrottleTest(MilliSeconds(100), 11));
    suite.AddTestCase(new ThrottleTest(Time(0), FLOOD));
}

/**
 * Before its SYN is acknowledged, a socket takes nothing from who has not seen it: an ACK of
 * something else is answered with <SEQ=SEG.ACK><CTL=RST>, what has neither SYN nor ACK is dropped,
 * RFC 9293 section 3.10.7.3, first and fifth step; and it connects.
 */
IWARP_TEST(mpaTcpChallenge, "segments of others in SYN_SENT", ConnectTest)
{
    Come(MilliSeconds(10), 0, 1, 0, 100);
    Come(MilliSeconds(20), TcpHeader::FIN, 1, 0);
    Come(MilliSeconds(30), FIN_ACK, 1, 1);
    Come(MilliSeconds(40),
         TcpHeader::ACK,
         1,
         7777); // as a connection that was there before challenges
    Come(MilliSeconds(50), SYN_ACK, 0, 7778);
    Come(MilliSeconds(60), RST_ACK, 0, 7779);
    Simulator::Schedule(MilliSeconds(70), [this] {
        NS_TEST_EXPECT_MSG_EQ(m_state, TcpSocket::SYN_SENT, "not connected");
        NS_TEST_ASSERT_MSG_EQ(m_peer->seen.size(), 3, "a SYN and two resets");
        for (const std::size_t i : {1, 2})
        {
            NS_TEST_EXPECT_MSG_EQ(+m_peer->seen[i].flags, +TcpHeader::RST, "a reset");
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen[i].seq, 7776 + i, "with the number of the ACK");
        }
    });
    Come(MilliSeconds(80), SYN_ACK, 0, 1);
    Go();
    NS_TEST_EXPECT_MSG_EQ_TOL(m_connected.GetSeconds(), 0.08, 1e-3, "connected");
    NS_TEST_EXPECT_MSG_EQ(m_failed, Time(0), "no failure");
}

/**
 * The same at a listener, RFC 9293 section 3.10.7.4, fifth step. And a peer that has forgotten its
 * connection, and sends a SYN from the same port: it is challenged, resets the old connection with
 * the number that the challenge tells, and connects, as RFC 5961 section 4.2 has it.
 */
struct SynReceivedTest : ConnectTest
{
    using ConnectTest::ConnectTest;

    void Accept(Ptr<Socket> socket, const Address& /* peer */)
    {
        m_accepted.push_back(socket);
        socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                  MakeCallback(&SynReceivedTest::Lose, this));
    }

    void Lose(Ptr<Socket> /* socket */)
    {
        m_lost++;
    }

    std::vector<Ptr<Socket>> m_accepted; //!< connections
    uint32_t m_lost{0};                  //!< connections that were reset
};

IWARP_TEST(mpaTcpChallenge,
           "segments of others in SYN_RCVD, and a peer that begins anew",
           SynReceivedTest)
{
    m_socket = m_peer->MakeSocket();
    m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
    m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&SynReceivedTest::Accept, this));
    m_socket->Listen();
    Come(MilliSeconds(2), TcpHeader::SYN, 0, 0);
    Come(MilliSeconds(5), TcpHeader::SYN, 700000, 0); // another one
    Come(MilliSeconds(10), 0, 1, 0, 100);
    Come(MilliSeconds(20), TcpHeader::FIN, 1, 0);
    Come(MilliSeconds(30), TcpHeader::ACK, 1, 7777);
    Come(MilliSeconds(40), FIN_ACK, 1, 7778);
    Simulator::Schedule(MilliSeconds(50), [this] {
        NS_TEST_EXPECT_MSG_EQ(m_accepted.size(), 0, "nobody yet");
        NS_TEST_ASSERT_MSG_EQ(m_peer->seen.size(), 3, "SYN-ACK and two resets");
        for (const std::size_t i : {1, 2})
        {
            NS_TEST_EXPECT_MSG_EQ(+m_peer->seen[i].flags, +TcpHeader::RST, "a reset");
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen[i].seq, 7776 + i, "with the number of the ACK");
        }
    });
    Come(MilliSeconds(60), TcpHeader::ACK, 1, 1);
    Come(MilliSeconds(70), TcpHeader::SYN, 500000, 0);
    Come(MilliSeconds(80), TcpHeader::RST, 1, 0);
    Come(MilliSeconds(90), TcpHeader::SYN, 500000, 0);
    Come(MilliSeconds(100), TcpHeader::ACK, 500001, 1);
    Simulator::Schedule(MilliSeconds(75), [this] {
        NS_TEST_EXPECT_MSG_EQ(m_accepted.size(), 1, "accepted");
        NS_TEST_EXPECT_MSG_EQ(+m_peer->seen.back().flags, +TcpHeader::ACK, "challenged");
        NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack, ISN + 1, "what the reset is to have");
    });
    Simulator::Stop(MilliSeconds(200));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_lost, 1, "the old one is over");
    NS_TEST_EXPECT_MSG_EQ(m_accepted.size(), 2, "accepted anew");
    m_accepted.clear();
    m_socket = nullptr;
    Simulator::Destroy();
}

} // namespace
