/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpSimultaneous, "mpa-tcp-simultaneous");

constexpr uint8_t ACK = TcpHeader::ACK;  //!< flag
constexpr uint8_t FIN = TcpHeader::FIN;  //!< flag
constexpr uint8_t RST = TcpHeader::RST;  //!< flag
constexpr uint8_t SYN = TcpHeader::SYN;  //!< flag
constexpr uint32_t BUFFER = 300000;      //!< octets of receive buffer, which take a scaled window
constexpr uint32_t EACH_SENDS = 5000;    //!< that each end sends
const Time LINK_DELAY = MilliSeconds(5); //!< of the link
const Time RETRY = Seconds(3);           //!< ConnTimeout
using States = std::vector<std::string>; //!< names of states, in their order

/// One of two ends that connect to each other.
class ActiveEnd
{
  public:
    /// @param node host @param peer where to connect to
    void Connect(Ptr<Node> node, const Address& peer)
    {
        MpaTcpSocketFactory::Install(node);
        socket =
            DynamicCast<MpaTcpSocket>(Socket::CreateSocket(node, MpaTcpSocketFactory::GetTypeId()));
        socket->SetAttribute("RcvBufSize", UintegerValue(BUFFER));
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), HandMadePeer::PORT));
        socket->SetConnectCallback(MakeCallback(&ActiveEnd::Connected, this),
                                   MakeCallback(&ActiveEnd::Failed, this));
        socket->SetCloseCallbacks(MakeCallback(&ActiveEnd::Failed, this),
                                  MakeCallback(&ActiveEnd::Failed, this));
        socket->SetRecvCallback(MakeCallback(&ActiveEnd::Read, this));
        socket->TraceConnectWithoutContext("State", MakeCallback(&ActiveEnd::NoteState, this));
        socket->TraceConnectWithoutContext("RWND", MakeCallback(&ActiveEnd::NoteWindow, this));
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&ActiveEnd::NoteTx, this));
        socket->Connect(peer);
    }

    Ptr<MpaTcpSocket> socket;    //!< its socket
    uint32_t told{0};            //!< times that the application hears of a connection
    Time when;                   //!< the last time
    uint32_t failures{0};        //!< times that it hears of an end
    uint32_t octets{0};          //!< received
    uint32_t early{0};           //!< octets received before it heard of a connection
    uint32_t widest{0};          //!< window of the peer
    States states;               //!< states
    std::vector<uint8_t> opened; //!< flags of segments sent until the connection was there
    uint32_t resets{0};          //!< segments with RST sent

  private:
    void Connected(Ptr<Socket> s)
    {
        told++;
        when = Simulator::Now();
        s->Send(Create<Packet>(EACH_SENDS));
    }

    void Failed(Ptr<Socket> /* socket */)
    {
        failures++;
    }

    void Read(Ptr<Socket> s)
    {
        while (const auto packet = s->Recv())
        {
            octets += packet->GetSize();
            early += told ? 0 : packet->GetSize();
        }
    }

    void NoteState(TcpSocket::TcpStates_t /* before */, TcpSocket::TcpStates_t now)
    {
        states.emplace_back(TcpSocket::TcpStateName[now]);
    }

    void NoteWindow(uint32_t /* before */, uint32_t now)
    {
        widest = std::max(widest, now);
    }

    void NoteTx(Ptr<const Packet> /* packet */,
                const TcpHeader& header,
                Ptr<const TcpSocketBase> /* socket */)
    {
        resets += (header.GetFlags() & RST) != 0;
        if (!told)
        {
            opened.push_back(header.GetFlags());
        }
    }
};

/**
 * @ingroup iwarp-test
 * Two ends that connect to each other at the same time: RFC 9293 section 3.5, figure 8.
 */
class SimultaneousOpenTest : public TestCase
{
  public:
    /// @param lost for either end, which of the segments sent to it are lost
    /// @param when connections are there, at either end
    SimultaneousOpenTest(const std::array<std::list<uint32_t>, 2>& lost,
                         const std::array<Time, 2>& when)
        : TestCase("both ends connect; lost towards them: " + std::to_string(lost[0].size()) +
                   " and " + std::to_string(lost[1].size()) + " segments"),
          m_lost(lost),
          m_when(when)
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", TimeValue(LINK_DELAY));
        const auto devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        std::array<ActiveEnd, 2> ends;
        for (uint32_t i = 0; i < 2; i++)
        {
            auto loss = CreateObject<ReceiveListErrorModel>();
            loss->SetList(m_lost[i]);
            devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
            const InetSocketAddress peer(addresses.GetAddress(1 - i), HandMadePeer::PORT);
            Simulator::Schedule(MilliSeconds(0),
                                [&ends, &nodes, i, peer] { ends[i].Connect(nodes.Get(i), peer); });
        }
        Simulator::Stop(Seconds(30));
        Simulator::Run();
        for (uint32_t i = 0; i < 2; i++)
        {
            const ActiveEnd& end = ends[i];
            NS_TEST_EXPECT_MSG_EQ(end.told, 1, "the application hears of it once");
            NS_TEST_EXPECT_MSG_EQ_TOL(end.when, m_when[i], MilliSeconds(1), "when");
            NS_TEST_EXPECT_MSG_EQ(end.failures, 0, "and of no failure");
            NS_TEST_EXPECT_MSG_EQ((end.states == States{"SYN_SENT", "SYN_RCVD", "ESTABLISHED"}),
                                  true,
                                  "states of figure 8");
            NS_TEST_EXPECT_MSG_EQ(end.octets, EACH_SENDS, "octets");
            NS_TEST_EXPECT_MSG_EQ(end.early, 0, "none before the connection");
            NS_TEST_EXPECT_MSG_EQ(end.resets, 0, "no reset");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(end.widest, BUFFER, "the window is what the peer has");
            NS_TEST_EXPECT_MSG_GT(end.widest, 65535, "which a scaled window can tell");
            if (m_lost[0].empty() && m_lost[1].empty())
            {
                NS_TEST_EXPECT_MSG_EQ((end.opened == std::vector<uint8_t>{SYN, SYN_ACK}),
                                      true,
                                      "segments of figure 8");
            }
        }
        for (ActiveEnd& end : ends)
        {
            end.socket = nullptr;
        }
        Simulator::Destroy();
    }

    std::array<std::list<uint32_t>, 2> m_lost; //!< segments lost on their way to the ends
    std::array<Time, 2> m_when;                //!< connections are there
};

/**
 * @ingroup iwarp-test
 * A socket that connects while its peer, made by hand, does as well.
 */
class SimultaneousPeerTest : public ConnectTest
{
  public:
    /// @param name of what answers its SYN and ACK @param flags of that @param seq of that, behind
    /// the peer's SYN @param ack of that @param size octets of that
    SimultaneousPeerTest(const std::string& name,
                         uint8_t flags,
                         uint32_t seq,
                         uint32_t ack,
                         uint32_t size)
        : ConnectTest("the peer connects, too, and sends " + name),
          m_flags(flags),
          m_seq(seq),
          m_ack(ack),
          m_size(size)
    {
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(10), SYN, 0, 0);
        Come(MilliSeconds(20), m_flags, m_seq, m_ack, m_size);
        const bool good = m_ack == 1 && m_seq == (m_flags & SYN ? 0U : 1U);
        Simulator::Schedule(MilliSeconds(30), [this, good] {
            const auto& seen = m_peer->seen;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(seen.size(), 2, "SYN, and SYN with ACK");
            NS_TEST_EXPECT_MSG_EQ(+seen[0].flags, +SYN, "SYN");
            NS_TEST_EXPECT_MSG_EQ(+seen[1].flags, +SYN_ACK, "SYN with ACK");
            NS_TEST_EXPECT_MSG_EQ(seen[1].seq, 0, "the number of the SYN");
            NS_TEST_EXPECT_MSG_EQ(seen[1].ack, ISN + 1, "ACK of the peer's");
            NS_TEST_EXPECT_MSG_EQ((m_state == TcpSocket::SYN_RCVD), !good, "state");
            if (m_ack != 1)
            { // RFC 9293 section 3.10.7.4, fifth step
                NS_TEST_ASSERT_MSG_EQ(seen.size(), 3, "an answer");
                NS_TEST_EXPECT_MSG_EQ(+seen[2].flags, +RST, "a reset");
                NS_TEST_EXPECT_MSG_EQ(seen[2].seq, m_ack, "with the number of the ACK");
            }
            else if (!good)
            { // first step
                NS_TEST_ASSERT_MSG_EQ(seen.size(), 3, "an answer");
                NS_TEST_EXPECT_MSG_EQ(+seen[2].flags, +ACK, "not acceptable");
                NS_TEST_EXPECT_MSG_EQ(seen[2].ack, ISN + 1, "what is expected");
            }
        });
        // the peer has heard nothing: it goes on to send its SYN and ACK
        Come(MilliSeconds(40), SYN_ACK, 0, 1);
        Go();
        const Time when = good ? MilliSeconds(20) : MilliSeconds(40);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_connected, when, MilliSeconds(1), "connected");
        NS_TEST_EXPECT_MSG_EQ(m_failed, Time(0), "no failure");
        NS_TEST_EXPECT_MSG_EQ(m_errors, 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(m_state,
                              (m_flags & FIN ? TcpSocket::CLOSE_WAIT : TcpSocket::ESTABLISHED),
                              "state");
        if (m_size > 0 || (m_flags & FIN))
        {
            NS_TEST_EXPECT_MSG_EQ(m_peer->seen.back().ack,
                                  ISN + 1 + m_size + (m_flags & FIN ? 1 : 0),
                                  "what came with the ACK is taken");
        }
    }

    uint8_t m_flags; //!< of the answer
    uint32_t m_seq;  //!< of it
    uint32_t m_ack;  //!< of it
    uint32_t m_size; //!< of it
};

IWARP_TEST_CASES(mpaTcpSimultaneous)
{
    // SYNs cross, and so do SYN and ACK: two one-way delays
    suite.AddTestCase(new SimultaneousOpenTest({}, {2 * LINK_DELAY, 2 * LINK_DELAY}));
    // without the other's SYN and ACK, the first octets tell, one delay later
    suite.AddTestCase(new SimultaneousOpenTest({{{1}, {}}}, {3 * LINK_DELAY, 2 * LINK_DELAY}));
    suite.AddTestCase(new SimultaneousOpenTest({{{}, {1}}}, {2 * LINK_DELAY, 3 * LINK_DELAY}));
    // both lost: sent again
    suite.AddTestCase(
        new SimultaneousOpenTest({{{1}, {1}}}, {2 * LINK_DELAY + RETRY, 2 * LINK_DELAY + RETRY}));
    suite.AddTestCase(new SimultaneousPeerTest("SYN and ACK", SYN_ACK, 0, 1, 0));
    suite.AddTestCase(new SimultaneousPeerTest("an ACK", ACK, 1, 1, 0));
    suite.AddTestCase(new SimultaneousPeerTest("octets", ACK, 1, 1, 100));
    suite.AddTestCase(new SimultaneousPeerTest("a FIN", FIN_ACK, 1, 1, 0));
    suite.AddTestCase(new SimultaneousPeerTest("octets and a FIN", FIN_ACK, 1, 1, 100));
    suite.AddTestCase(new SimultaneousPeerTest("ACK of another SYN", SYN_ACK, 0, 7777, 0));
    suite.AddTestCase(new SimultaneousPeerTest("another SYN with its ACK", SYN_ACK, 9999, 1, 0));
}

/**
 * A peer that sends its SYN and nothing else: SYN and ACK are sent again, not the SYN alone, which
 * acknowledges nothing (RFC 9293 section 3.10.7.3: <SEQ=ISS><ACK=RCV.NXT><CTL=SYN,ACK>).
 */
IWARP_TEST(mpaTcpSimultaneous, "the peer connects, too, and is silent", ConnectTest)
{
    Come(MilliSeconds(10), SYN, 0, 0);
    Go();
    const auto& seen = m_peer->seen;
    NS_TEST_ASSERT_MSG_GT_OR_EQ(seen.size(), 4, "sent again");
    for (std::size_t i = 1; i < seen.size(); i++)
    {
        NS_TEST_EXPECT_MSG_EQ(+seen[i].flags, +SYN_ACK, "SYN and ACK");
        NS_TEST_EXPECT_MSG_EQ(seen[i].ack, ISN + 1, "of the peer's");
    }
    NS_TEST_EXPECT_MSG_EQ_TOL(seen[2].at, MilliSeconds(10) + RETRY, MilliSeconds(1), "when");
    NS_TEST_EXPECT_MSG_EQ(m_connected, Time(0), "not connected");
}

} // namespace
