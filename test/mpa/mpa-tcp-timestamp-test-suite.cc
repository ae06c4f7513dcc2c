/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"
#include "mpa-tcp-peer.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <list>
#include <string>

using namespace ns3;

namespace
{

/// Timestamps (RFC 7323).
IWARP_TEST_SUITE(mpaTcpTimestamp, "mpa-tcp-timestamp");

/// A segment of RFC 7323's examples and the answer to it.
struct EchoStep
{
    char segment;   //!< A is the first one
    uint32_t value; //!< TSval
    char acked;     //!< the last segment that the answer acknowledges; 0 if none comes
    uint32_t echo;  //!< TSecr of the answer
};

/**
 * @ingroup iwarp-test
 * The timestamps that answers echo, against tables: those of RFC 7323 section 4.3, as they are
 * there, and others that follow from its rule, which is Linux's, too (tcp_replace_ts_recent()): the
 * timestamp of a segment that starts at or before what was acknowledged last.
 */
class TimestampEchoTest : public TestCase
{
  public:
    /// @param name of the case @param delAck segments an ACK @param answers the host sends data
    /// that acknowledge what comes @param steps what comes
    TimestampEchoTest(const std::string& name,
                      uint32_t delAck,
                      bool answers,
                      const std::vector<EchoStep>& steps)
        : TestCase(name),
          m_delAck(delAck),
          m_answers(answers),
          m_steps(steps)
    {
    }

  private:
    static constexpr uint32_t SIZE = 100; //!< octets of each segment

    void DoRun() override
    {
        for (const uint32_t isn : {0U, 0xf0000000U})
        {
            for (const uint32_t clock : {1000U, 0x7ffffffcU, 0xfffffffcU})
            {
                Go(isn, clock);
            }
        }
    }

    /// @param isn initial sequence number of the peer @param clock its TSval at first
    void Go(uint32_t isn, uint32_t clock)
    {
        HandMadePeer peer;
        Ptr<Socket> listener = peer.MakeSocket();
        listener->SetAttribute("DelAckCount", UintegerValue(m_delAck));
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&TimestampEchoTest::Accept, this));
        HandMadeSegment segment;
        segment.flags = TcpHeader::SYN;
        segment.seq = isn;
        segment.timestamp = clock;
        Simulator::Schedule(MilliSeconds(1), &HandMadePeer::Send, &peer, segment);
        segment.flags = TcpHeader::ACK;
        segment.seq = isn + 1;
        segment.ack = 1;
        Simulator::Schedule(MilliSeconds(2), &HandMadePeer::Send, &peer, segment);
        // ns-3 acknowledges the first segment at once: the examples begin with the second one
        segment.size = SIZE;
        Simulator::Schedule(MilliSeconds(3), &HandMadePeer::Send, &peer, segment);
        Time at = MilliSeconds(10);
        std::size_t before = 0;
        for (const auto& step : m_steps)
        {
            Simulator::Schedule(at, [&, isn, clock] {
                segment.seq = isn + 1 + SIZE + SIZE * (step.segment - 'A');
                segment.timestamp = clock + step.value;
                segment.ack = 1 + m_sent;
                before = peer.seen.size();
                peer.Send(segment);
            });
            Simulator::Schedule(at + MilliSeconds(1),
                                [&, isn, clock] { Check(step, peer, before, isn, clock); });
            at += MilliSeconds(2);
        }
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_GT(peer.seen.size(), 1, "answers");
        NS_TEST_EXPECT_MSG_EQ(+peer.seen[0].flags, (TcpHeader::SYN | TcpHeader::ACK), "SYN|ACK");
        NS_TEST_EXPECT_MSG_EQ(peer.seen[0].echo, clock, "echoes the SYN");
        NS_TEST_EXPECT_MSG_EQ(peer.seen[1].echo, clock, "echoes the first segment");
    }

    /// Compare with the table. @param step of it @param peer what it saw
    /// @param before what it had seen before the step @param isn its first number
    /// @param clock its first time
    void Check(const EchoStep& step,
               const HandMadePeer& peer,
               std::size_t before,
               uint32_t isn,
               uint32_t clock)
    {
        const std::string what = std::string(1, step.segment) + ", TSval " +
                                 std::to_string(step.value) + ", clock " + std::to_string(clock);
        NS_TEST_ASSERT_MSG_EQ(peer.seen.size() - before, (step.acked ? 1 : 0), what);
        if (step.acked)
        {
            const auto& answer = peer.seen.back();
            NS_TEST_EXPECT_MSG_EQ(answer.ack,
                                  isn + 1 + SIZE + SIZE * (step.acked - 'A' + 1),
                                  what + ": acknowledged");
            NS_TEST_EXPECT_MSG_EQ(answer.echo, clock + step.echo, what + ": TSecr");
            NS_TEST_EXPECT_MSG_EQ((answer.size > 0), m_answers, what + ": data");
        }
    }

    void Accept(Ptr<Socket> socket, const Address& /* peer */)
    {
        m_sent = 0;
        m_first = true;
        socket->SetRecvCallback(MakeCallback(&TimestampEchoTest::Read, this));
    }

    void Read(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
        }
        if (m_answers && !m_first)
        {
            m_sent += SIZE;
            socket->Send(Create<Packet>(SIZE));
        }
        m_first = false;
    }

    uint32_t m_delAck;             //!< segments an ACK
    bool m_answers;                //!< data come back
    std::vector<EchoStep> m_steps; //!< what comes
    uint32_t m_sent{0};            //!< octets that have come back
    bool m_first{true};            //!< nothing has come yet
};

IWARP_TEST_CASES(mpaTcpTimestamp)
{
    auto add = [&suite](auto... args) { suite.AddTestCase(new TimestampEchoTest(args...)); };
    using Steps = std::vector<EchoStep>;
    add("RFC 7323 section 4.3: delayed ACKs",
        3U,
        false,
        Steps{{'A', 1, 0, 0}, {'B', 2, 0, 0}, {'C', 3, 'C', 1}});
    add("RFC 7323 section 4.3: holes and what fills them",
        1U,
        false,
        Steps{{'A', 1, 'A', 1},
              {'C', 3, 'A', 1},
              {'B', 2, 'C', 2},
              {'E', 5, 'C', 2},
              {'D', 4, 'E', 4}});
    add("data sent again, whose ACK was lost",
        1U,
        false,
        Steps{{'A', 1, 'A', 1}, {'A', 7, 'A', 7}, {'B', 8, 'B', 8}, {'A', 2, 'B', 8}});
    add("ACKs with data",
        2U,
        true,
        Steps{{'A', 1, 'A', 1}, {'B', 5, 'B', 5}, {'C', 5, 'C', 5}, {'D', 9, 'D', 9}});
}

/**
 * Requests and responses of a segment each, so that all ACKs come with data. While the round trip
 * is far below the least retransmission timeout, RFC 6298 makes that timeout 1 s: each lost request
 * or response costs 1 s, no matter how long the connection has lived.
 */
struct RequestLossTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t ROUNDS = 1000; //!< requests

    /// @param lost packets that a side loses: first of the responder, second of the requester
    /// @return when the last response has come
    Time Go(const std::list<uint32_t> (&lost)[2])
    {
        MpaLinkedHosts hosts;
        m_rounds = 0;
        m_done = Time(0);
        hosts.Connect(
            [this](Ptr<MpaTcpSocket> socket) {
                m_requester = socket;
                socket->SetRecvCallback(MakeCallback(&RequestLossTest::Response, this));
            },
            [this](Ptr<MpaTcpSocket> socket) {
                m_responder = socket;
                socket->SetRecvCallback(MakeCallback(&RequestLossTest::Request, this));
            });
        for (const uint32_t side : {0, 1})
        {
            Simulator::Schedule(MilliSeconds(50), [&hosts, &lost, side] {
                auto drop = CreateObject<ReceiveListErrorModel>();
                drop->SetList(lost[side]);
                hosts.GetDevice(1 - side)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
            });
        }
        Simulator::Schedule(MilliSeconds(60), [this] { m_requester->Send(Create<Packet>(20)); });
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_rounds, ROUNDS, "all are answered");
        return m_done;
    }

    void Request(Ptr<Socket> socket)
    {
        socket->Recv();
        socket->Send(Create<Packet>(20));
    }

    void Response(Ptr<Socket> socket)
    {
        socket->Recv();
        if (++m_rounds < ROUNDS)
        {
            socket->Send(Create<Packet>(20));
        }
        else
        {
            m_done = Simulator::Now();
        }
    }

    Ptr<Socket> m_requester; //!< sends requests
    Ptr<Socket> m_responder; //!< answers them
    uint32_t m_rounds{0};    //!< responses
    Time m_done;             //!< when the last one came
};

/// A listener's second peer, whose clock is behind the first one's, is answered with its own times.
struct SecondPeerTest : TestCase
{
    using TestCase::TestCase;

    void Accept(Ptr<Socket> /* socket */, const Address& /* peer */)
    {
        ++m_accepted;
    }

    uint32_t m_accepted{0}; //!< connections
};

IWARP_TEST(mpaTcpTimestamp, "a listener's second connection with a lower timestamp", SecondPeerTest)
{
    HandMadePeer peer;
    Ptr<Socket> listener = peer.MakeSocket();
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&SecondPeerTest::Accept, this));
    uint32_t at = 1;
    for (const uint32_t clock : {3000000000U, 5U})
    {
        HandMadeSegment segment;
        segment.port = static_cast<uint16_t>(2000 + at);
        segment.flags = TcpHeader::SYN;
        segment.seq = 777;
        segment.timestamp = clock;
        Simulator::Schedule(MilliSeconds(at), &HandMadePeer::Send, &peer, segment);
        segment.flags = TcpHeader::ACK;
        segment.seq = 778;
        segment.ack = 1;
        segment.timestamp = clock + 1;
        Simulator::Schedule(MilliSeconds(at + 1), &HandMadePeer::Send, &peer, segment);
        segment.size = 10;
        segment.timestamp = clock + 2;
        Simulator::Schedule(MilliSeconds(at + 2), &HandMadePeer::Send, &peer, segment);
        Simulator::Schedule(MilliSeconds(at + 3), [this, &peer, clock] {
            NS_TEST_ASSERT_MSG_EQ(peer.seen.size(), 2, "SYN|ACK and ACK");
            NS_TEST_EXPECT_MSG_EQ(peer.seen[0].echo, clock, "of the SYN");
            NS_TEST_EXPECT_MSG_EQ(peer.seen[1].echo, clock + 2, "of the data");
            peer.seen.clear();
        });
        at += 10;
    }
    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    Simulator::Destroy();
    NS_TEST_EXPECT_MSG_EQ(m_accepted, 2, "connections");
}

IWARP_TEST(mpaTcpTimestamp,
           "each request or response lost costs the least retransmission timeout",
           RequestLossTest)
{
    const Time none = Go({{}, {}});
    NS_TEST_EXPECT_MSG_LT(none, Seconds(3), "a round trip is 2 ms and a little");
    // a lost request takes a packet of the responder's count; a lost response is sent again
    // about when the request is
    const Time lost = Go({{100, 400, 900}, {200, 700}});
    NS_TEST_EXPECT_MSG_EQ_TOL((lost - none).GetSeconds(), 5, 0.05, "five losses, of 1 s each");
}

} // namespace
