/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-scripted-host.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the end of TCP behind errors.
IWARP_TEST_SUITE(rdmaTerminateEnd, "rdma-terminate-end");

using Kind = RdmaConnectionEvent::Kind;

// Frames and FPDUs, each octet by hand; CRCs by a CRC32c that is not the module's
const std::vector<uint8_t> ENHANCED_REQUEST =
    Hex("4D504120494420526571204672616D65 5002 0004 8010 4010");
const std::vector<uint8_t> REPLY = Hex("4D504120494420526570204672616D65 5002 0004 0010 0010");
const std::vector<uint8_t> REPLY_OTHER_RTR = // peer to peer, RDMA Read only
    Hex("4D504120494420526570204672616D65 5002 0004 8010 4010");
const std::vector<uint8_t> TERMINATE_NO_RTR =
    Hex("0016 4147 00000000 00000002 00000001 00000000 20070000 1BD2BABE");
const std::vector<uint8_t> SEND = // 4 octets
    Hex("0016 4143 00000000 00000000 00000001 00000000 11223344 A2A7A020");

const std::vector<uint8_t> SECOND_SEND = // another 4
    Hex("0016 4143 00000000 00000000 00000002 00000000 11223344 8BAB0F39");

/// @param octets what the host sends: 24 of a Request, then FPDUs @return opcode of the first
/// FPDU, -1 if there is none
int
FirstOpcode(const std::vector<uint8_t>& octets)
{
    return octets.size() < 28 ? -1 : octets[27] & 15;
}

/// TCP after a startup that fails.
struct RdmaStartupEndTest : TestCase
{
    using TestCase::TestCase;

    /// Have the host send a Terminate instead of an indication. @param c before it runs
    static void FailIndication(RdmaScriptedHost& c)
    {
        c.connection->SetAttribute("PeerToPeer", BooleanValue(true));
        c.connection->SetAttribute("RtrRead", BooleanValue(false));
        c.Connect(REPLY_OTHER_RTR);
    }

    void RunPeerEnds() //!< the peer ends TCP while its frame is awaited
    {
        {
            RdmaScriptedHost c;
            c.connection->SetAttribute("RetryUnenhanced", BooleanValue(false));
            c.Connect({}, TcpScriptedPeer::FIN);
            c.Run();
            NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::CONNECT_ERROR), 1, "no Reply: told once");
            NS_TEST_EXPECT_MSG_EQ(static_cast<int>(c.Get(Kind::CONNECT_ERROR).error),
                                  1,
                                  "TCP is lost (RFC 5044 section 8)");
            NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0),
                                  true,
                                  "no half-open TCP");
            IWARP_COVERS("MPA-8-02");
        }
        {
            RdmaScriptedHost c;
            c.Listen(std::vector<uint8_t>(ENHANCED_REQUEST.begin(), ENHANCED_REQUEST.begin() + 12),
                     TcpScriptedPeer::FIN);
            c.Run();
            NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0),
                                  true,
                                  "nor behind half a Request");
        }
    }

    void RunRejects() //!< the host answers with R=1, by itself or since the ORD needed is not there
    {
        for (const bool asked : {true, false})
        {
            const std::string who = asked ? "the application" : "the connection manager";
            RdmaScriptedHost c;
            c.reject = asked;
            c.connection->SetAttribute("MinOrd", UintegerValue(asked ? 0 : 8));
            auto request = ENHANCED_REQUEST;
            request[21] = 4; // IRD
            c.Listen(request);
            c.Run();
            const auto& reply = c.peer.received;
            NS_TEST_EXPECT_MSG_EQ((reply.size() == 24 && (reply[16] & 0x20)),
                                  true,
                                  who + ": a Reply that rejects");
            NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0),
                                  true,
                                  who + ": no half-open TCP");
        }
    }

    void RunTerminate() //!< the host finds the Reply unusable
    {
        {
            RdmaScriptedHost c;
            FailIndication(c);
            c.Run();
            const auto& octets = c.peer.received;
            NS_TEST_ASSERT_MSG_GT_OR_EQ(octets.size(), REPLY.size(), "Request");
            const std::vector<uint8_t> behind(octets.begin() + REPLY.size(), octets.end());
            NS_TEST_EXPECT_MSG_EQ((behind == TERMINATE_NO_RTR), true, "Terminate");
            IWARP_COVERS("DDP-1.3-1 ENH-8-2 ENH-9.2-15 ENH-9.3-4");
            NS_TEST_EXPECT_MSG_EQ(static_cast<int>(c.Get(Kind::CONNECT_ERROR).error), 7, "told");
            NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0), true, "FIN behind it");
            // the peer has acknowledged nothing of that
            NS_TEST_ASSERT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 1, "then the end at last");
            const Time wait =
                c.peer.segments.back().when - MilliSeconds(1) - c.When(Kind::CONNECT_ERROR);
            NS_TEST_EXPECT_MSG_EQ_TOL(wait, Seconds(10), MicroSeconds(10), "TerminateTimeout");
        }
        {
            // a peer that acknowledges, but never ends its half
            RdmaScriptedHost c;
            c.connection->SetStreamAttribute("TerminateTimeout", TimeValue(Seconds(2)));
            FailIndication(c);
            Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(0); });
            c.Run();
            NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::FIN), 1, "FIN");
            NS_TEST_ASSERT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 1, "RST");
            const Time wait =
                c.peer.segments.back().when - MilliSeconds(1) - c.When(Kind::CONNECT_ERROR);
            NS_TEST_EXPECT_MSG_EQ_TOL(wait, Seconds(2), MicroSeconds(10), "TerminateTimeout");
        }
        {
            // a peer that does as it should
            RdmaScriptedHost c;
            FailIndication(c);
            Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(TcpScriptedPeer::FIN); });
            c.Run();
            NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::FIN), 1, "FIN");
            NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 0, "and no RST");
        }
    }

    void RunPeerTerminates() //!< the peer finds the host's Reply unusable
    {
        RdmaScriptedHost c;
        c.Listen(ENHANCED_REQUEST);
        Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(0, TERMINATE_NO_RTR); });
        Simulator::Schedule(MilliSeconds(200), [&] { c.peer.Send(TcpScriptedPeer::FIN); });
        c.Run();
        NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::FIN), 1, "FIN");
        NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 0, "no RST");
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::CLOSED), 1, "told of the end");
    }
};

IWARP_TEST(rdmaTerminateEnd, "the end of TCP after a startup that fails", RdmaStartupEndTest)
{
    RunPeerEnds();
    RunRejects();
    RunTerminate();
    RunPeerTerminates();
}

/// TCP after a Terminate in full operation.
struct RdmaTerminateEndTest : TestCase
{
    using TestCase::TestCase;

    /// Have the host find an error: the second message has no buffer. @param c before it runs
    static void Offend(RdmaScriptedHost& c)
    {
        c.Connect(REPLY);
        c.onEstablished = [&c] {
            Simulator::Schedule(MilliSeconds(100), [&c] {
                c.peer.Send(0, SEND);
                c.peer.Send(0, SECOND_SEND);
            });
        };
    }
};

IWARP_TEST(rdmaTerminateEnd,
           "the end of TCP after a Terminate in full operation",
           RdmaTerminateEndTest)
{
    {
        RdmaScriptedHost c;
        Offend(c);
        Simulator::Schedule(MilliSeconds(150), [&] { c.peer.Send(0); });
        c.Run();
        NS_TEST_EXPECT_MSG_EQ(FirstOpcode(c.peer.received), 7, "Terminate");
        NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::FIN), 1, "FIN behind it");
        IWARP_COVERS("DDP-7.1-22");
        NS_TEST_ASSERT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 1, "the peer never ends");
        NS_TEST_EXPECT_MSG_EQ_TOL(c.peer.segments.back().when - c.When(Kind::DISCONNECTED),
                                  Seconds(10),
                                  MilliSeconds(2),
                                  "TerminateTimeout");
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::CLOSED), 1, "told once");
    }
    {
        // a window that stays closed, and two FPDUs of 924 octets that wait for it: the send
        // buffer has no room for a Terminate of 48
        RdmaScriptedHost c;
        c.connection->SetSocketAttribute("SndBufSize", UintegerValue(1880));
        c.connection->SetStreamAttribute("TerminateTimeout", TimeValue(Seconds(2)));
        Offend(c);
        const auto offend = c.onEstablished;
        c.onEstablished = [&c, offend] {
            c.peer.window = 0;
            c.peer.Send(0);
            for (uint64_t id = 10; id < 14; id++)
            {
                Simulator::Schedule(MilliSeconds(10), [&c, id] {
                    c.host.qp->PostSend(c.host.Send(id, RdmaOpcode::SEND, 0, 900));
                });
            }
            offend();
        };
        c.Run();
        NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::FIN), 0, "no FIN without it");
        NS_TEST_EXPECT_MSG_EQ(c.peer.Count(TcpScriptedPeer::RST), 1, "RST");
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::CLOSED), 1, "told of the end");
        NS_TEST_EXPECT_MSG_EQ_TOL(c.When(Kind::CLOSED),
                                  Seconds(2) + MilliSeconds(104),
                                  MilliSeconds(3),
                                  "TerminateTimeout");
    }
}

/// The application learns of the code of an error below DDP, without a look into the text.
struct RdmaErrorCodeTest : TestCase
{
    using TestCase::TestCase;

    /// @param fpdu a Terminate @param code of MPA that it has, 0 for none
    void Try(const std::string& fpdu, int code)
    {
        RdmaScriptedHost c;
        c.Connect(REPLY);
        c.onEstablished = [&] {
            Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(0, Hex(fpdu)); });
        };
        c.Run(Seconds(1));
        NS_TEST_ASSERT_MSG_EQ(c.host.Count(Kind::FAILED), 1, fpdu);
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(c.Get(Kind::FAILED).error), code, fpdu);
        NS_TEST_EXPECT_MSG_EQ((c.host.deviceEvents == std::vector{RdmaEvent::QP_TERMINATED}),
                              true,
                              fpdu);
    }
};

IWARP_TEST(rdmaTerminateEnd, "codes of the peer's Terminates", RdmaErrorCodeTest)
{
    Try("0016 4147 00000000 00000002 00000001 00000000 20050000 1680D5F1", 5);
    Try("0016 4147 00000000 00000002 00000001 00000000 20020000 7FE42585", 2);
    Try("0016 4147 00000000 00000002 00000001 00000000 02FF0000 D0AA0D33", 0);
    // of RDMAP, whose code is none of MPA, and of another type below DDP
    Try("0016 4147 00000000 00000002 00000001 00000000 00050000 9D94F026", 0);
    Try("0016 4147 00000000 00000002 00000001 00000000 21050000 AE2A902C", 0);
}

/// A loss of TCP is told as one.
struct RdmaLossTest : TestCase
{
    using TestCase::TestCase;

    /// A Terminate. @param number of the queue pair @param terminate what it says @param byPeer
    /// it was received
    void HandleTerminate(uint32_t number, const RdmapTerminate& terminate, bool byPeer)
    {
        m_terminates += "queue pair " + std::to_string(number) + ": " + terminate.Describe() +
                        (byPeer ? ", from the peer" : ", found here");
    }

    /// @param octets of the peer @param flags of the segment with them @param lost it is a loss
    void Try(const std::vector<uint8_t>& octets, uint8_t flags, bool lost)
    {
        RdmaScriptedHost c;
        m_terminates.clear();
        // connected before there is a connection, and so a stream
        c.host.device->TraceConnectWithoutContext(
            "Terminate",
            MakeCallback(&RdmaLossTest::HandleTerminate, this));
        c.Connect(REPLY);
        c.onEstablished = [&] {
            Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(flags, octets); });
        };
        c.Run();
        const std::string what =
            std::to_string(octets.size()) + " octets, flags " + std::to_string(flags) + ": ";
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::DISCONNECTED), 1, what + "told");
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::CLOSED), lost, what + "over at once, or half");
        const std::string told = "queue pair " + std::to_string(c.host.qp->GetNumber()) +
                                 ": MPA, TCP connection closed, lost or reset (2/0/1), found here";
        NS_TEST_EXPECT_MSG_EQ(m_terminates, (lost ? told : ""), what + "an error");
        NS_TEST_EXPECT_MSG_EQ((c.host.qp->GetState() == RdmaQpState::ERR), lost, what + "state");
        NS_TEST_EXPECT_MSG_EQ(FirstOpcode(c.peer.received), -1, what + "and no Terminate");
        IWARP_COVERS("RDMAP-6.2-01 RDMAP-6.2-02");
    }

    std::string m_terminates; //!< what the device told
};

IWARP_TEST(rdmaTerminateEnd, "a FIN inside an FPDU, and an RST, are losses", RdmaLossTest)
{
    const auto half = std::vector<uint8_t>(SEND.begin(), SEND.begin() + 10);
    auto more = SEND;
    more.insert(more.end(), half.begin(), half.end());
    Try({}, TcpScriptedPeer::FIN, false);
    Try(SEND, TcpScriptedPeer::FIN, false);
    Try(half, TcpScriptedPeer::FIN, true);
    Try(more, TcpScriptedPeer::FIN, true);
    Try({SEND[0]}, TcpScriptedPeer::FIN, true);
    Try({}, TcpScriptedPeer::RST, true);
}

/// What the layer above sees of a startup frame that is not valid.
struct RdmaStartupFaultTest : TestCase
{
    using TestCase::TestCase;

    /// The host connects. @param reply octets of the peer @param flags of their segment @param code
    /// that is told
    void TryConnect(const std::vector<uint8_t>& reply, uint8_t flags, int code)
    {
        RdmaScriptedHost c;
        c.connection->SetAttribute("RetryUnenhanced", BooleanValue(false));
        c.Connect(reply, flags);
        c.Run();
        const std::string what = "code " + std::to_string(code);
        NS_TEST_ASSERT_MSG_EQ(c.host.Count(Kind::CONNECT_ERROR), 1, what + ": one event");
        NS_TEST_EXPECT_MSG_EQ(c.host.events.size(), 3, what + ": the last one");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(c.Get(Kind::CONNECT_ERROR).error), code, what);
        NS_TEST_EXPECT_MSG_EQ(c.Get(Kind::CONNECT_ERROR).reason.empty(), false, what);
        NS_TEST_EXPECT_MSG_EQ((c.host.qp->GetState() == RdmaQpState::ERR), true, what);
        NS_TEST_ASSERT_MSG_EQ(c.host.completions.size(), 1, what + ": the receive comes back");
        NS_TEST_EXPECT_MSG_EQ((c.host.completions[0].status == RdmapStatus::FLUSHED), true, what);
        NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0), true, what + ": TCP ends");
    }

    /// The host listens. @param request octets of the peer @param code that is told @param reply
    /// octets that the host answers
    void TryListen(const std::vector<uint8_t>& request, int code, const std::vector<uint8_t>& reply)
    {
        RdmaScriptedHost c;
        c.Listen(request);
        c.Run();
        const std::string what = "listener, code " + std::to_string(code);
        NS_TEST_ASSERT_MSG_EQ(c.host.events.size(), 1, what + ": one event");
        NS_TEST_ASSERT_MSG_EQ(c.host.Count(Kind::CONNECT_ERROR), 1, what + ": this one");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(c.host.events[0].error), code, what);
        NS_TEST_EXPECT_MSG_EQ(c.host.events[0].reason.empty(), false, what + ": why");
        NS_TEST_EXPECT_MSG_EQ((c.peer.received == reply), true, what + ": answer");
        NS_TEST_EXPECT_MSG_EQ((c.peer.Count(TcpScriptedPeer::FIN) > 0), true, what + ": TCP ends");
    }
};

IWARP_TEST(rdmaTerminateEnd, "invalid frames at the layer above", RdmaStartupFaultTest)
{
    // "... much like code 1" (RFC 5044 section 8): the same, but for the code
    TryConnect({}, TcpScriptedPeer::FIN, 1);
    TryConnect(Hex("4D504120494420526571204672616D65 4001 0000"), 0, 4);
    TryConnect(Hex("4D504120494420526570204672616D65 5002 0201"), 0, 4);
    IWARP_COVERS("MPA-8-10 MPA-7.1.1-04");
    // a revision that will not do is no invalid frame, and has no code
    TryListen(Hex("4D504120494420526571204672616D65 4003 0000"), 0, {});
    TryListen(Hex("4D504120494420526571204672616D65 C000 0000"),
              0,
              Hex("4D504120494420526570204672616D65 4001 0000"));
    IWARP_COVERS("MPA-C.2.1-02");
    TryListen(Hex("4D504120494420526570204672616D65 4001 0000"), 4, {});
    IWARP_COVERS("MPA-8-10 MPA-7.1.1-02");
}

} // namespace
