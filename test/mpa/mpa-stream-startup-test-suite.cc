/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-peer.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// MPA startup over sockets: octets and their order.
IWARP_TEST_SUITE(mpaStreamStartup, "mpa-stream-startup");

/// @param text ASCII @return its octets
std::vector<uint8_t>
ToOctets(const std::string& text)
{
    return {text.begin(), text.end()};
}

} // namespace

/**
 * @ingroup iwarp-tests
 * The octets on the wire of a Request, of the Initiator's first FPDU, and the time of each, seen by
 * A peer made by hand.
 */
class MpaStreamWireTestCase : public TestCase
{
  public:
    /// @param markers M of the hand-made Reply @param crc attribute Crc @param policy its policy
    /// @param octet16 expected flags of the Request
    MpaStreamWireTestCase(bool markers, bool crc, const std::string& policy, uint8_t octet16)
        : TestCase(std::string("octets of an Initiator, Markers ") + (markers ? "on" : "off") +
                   (crc ? ", CRC, " : ", no CRC, ") + policy),
          m_markers(markers),
          m_crc(crc),
          m_policy(policy),
          m_octet16(octet16)
    {
    }

  private:
    void DoRun() override
    {
        MpaStreamAndPeer run;
        run.Connect(true, [this](Ptr<MpaStream> stream) {
            stream->SetAttribute("Crc", BooleanValue(m_crc));
            stream->SetAttribute("CrcPolicy", StringValue(m_policy));
            stream->StartInitiator();
        });
        std::size_t beforeReply = 0;
        const auto ulpdu = PatternUlpdu(42, 3);
        Simulator::Schedule(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(SendUlpdu(run.stream, ulpdu), -1, "no FPDU before the Reply");
            IWARP_COVERS("MPA-7.1.2-12 MPA-7.1.2-14");
            beforeReply = run.peer->received.size();
            // C=1 here: either side's C suffices
            run.peer->Send(MpaFrame(true, m_markers ? 0xC0 : 0x40));
        });
        Simulator::Schedule(MilliSeconds(110), [&] { SendUlpdu(run.stream, ulpdu); });
        run.Run(Seconds(1));

        NS_TEST_EXPECT_MSG_EQ(beforeReply, 20, "nothing but the Request before the Reply");
        IWARP_COVERS("MPA-7.1-05");
        const MpaOctets& received = run.peer->received;
        NS_TEST_ASSERT_MSG_GT(received.size(), 20, "Request and first FPDU");
        CheckRequest(received);
        CheckFpdu({received.begin() + 20, received.end()}, ulpdu);
        NS_TEST_EXPECT_MSG_EQ(run.log.errors.size(), 0, "no error");
        // connect at 10 ms, one-way delay 1 ms: the Request leaves at 1 RTT
        NS_TEST_ASSERT_MSG_EQ(run.log.established.size(), 1, "Full Operation");
        NS_TEST_EXPECT_MSG_EQ_TOL(run.log.established[0].GetSeconds(),
                                  0.101,
                                  1e-5,
                                  "half an RTT later");
        IWARP_COVERS("MPA-7.1.4.2-01");
    }

    /// Check the Request. @param received what it begins
    void CheckRequest(const MpaOctets& received)
    {
        const auto key = ToOctets("MPA ID Req Frame");
        NS_TEST_EXPECT_MSG_EQ(std::equal(key.begin(), key.end(), received.begin()),
                              true,
                              "the key is the connection's first octets");
        IWARP_COVERS("MPA-7.1-03 MPA-7.1.1-01 MPA-7.1.2-01");
        NS_TEST_EXPECT_MSG_EQ(+received[16], +m_octet16, "flags");
        NS_TEST_EXPECT_MSG_EQ((received[16] & 0x20), 0, "R");
        IWARP_COVERS("MPA-7.1.1-13");
        NS_TEST_EXPECT_MSG_EQ((received[16] & 0x1F), 0, "Res");
        IWARP_COVERS("MPA-7.1.1-16");
        const bool crc = received[16] & 0x40;
        if (m_policy == "AlwaysOn")
        {
            NS_TEST_EXPECT_MSG_EQ(crc, true, "the administrator's wish is declined");
            IWARP_COVERS("MPA-4.4-02 MPA-4.4-03");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(crc, m_crc, "C=0 if the administrator wishes it, and only then");
            IWARP_COVERS("MPA-4.4-02 MPA-4.4-04");
        }
        NS_TEST_EXPECT_MSG_EQ(+received[17], 1, "Rev");
        IWARP_COVERS("MPA-7.1.1-18");
        NS_TEST_EXPECT_MSG_EQ(received[18] + received[19], 0, "PD_Length");
    }

    /// Check the first FPDU. @param received from where it begins @param ulpdu its ULPDU
    void CheckFpdu(const MpaOctets& received, const MpaOctets& ulpdu)
    {
        NS_TEST_EXPECT_MSG_EQ((received == MakeFpdu(ulpdu, 0, m_markers)), true, "all octets");
        NS_TEST_ASSERT_MSG_GT(received.size(), 6, "with its length");
        const MpaOctets begin(received.begin(), received.begin() + 6);
        if (m_markers)
        {
            NS_TEST_EXPECT_MSG_EQ((begin == MpaOctets{0, 0, 0, 0, 0, 42}), true, "Marker, length");
            IWARP_COVERS("MPA-4.3-10 MPA-7.1.1-06 MPA-7.1.2-24");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((begin[0] == 0 && begin[1] == 42), true, "length");
            IWARP_COVERS("MPA-7.1.1-06 MPA-7.1.2-25");
        }
    }

    bool m_markers;       //!< M of the Reply
    bool m_crc;           //!< attribute Crc
    std::string m_policy; //!< attribute CrcPolicy
    uint8_t m_octet16;    //!< flags of the Request
};

IWARP_TEST_CASES(mpaStreamStartup)
{
    suite.AddTestCase(new MpaStreamWireTestCase(true, true, "AdminMayDisable", 0xC0));
    suite.AddTestCase(new MpaStreamWireTestCase(false, true, "AdminMayDisable", 0xC0));
    suite.AddTestCase(new MpaStreamWireTestCase(false, false, "AdminMayDisable", 0x80));
    suite.AddTestCase(new MpaStreamWireTestCase(false, false, "AlwaysOn", 0xC0));
}

/// Trace sink. @param states of a socket, which it appends to @param now what it is in
void
NoteState(std::vector<TcpSocket::TcpStates_t>* states,
          TcpSocket::TcpStates_t /* before */,
          TcpSocket::TcpStates_t now)
{
    states->push_back(now);
}

/**
 * The Responder's rules: silent until the Request, FPDUs held until the first valid FPDU of the
 * Initiator; Markers and flags of the Reply.
 */
IWARP_TEST(mpaStreamStartup, "octets of a Responder and its wait for the first FPDU")
{
    MpaStreamAndPeer run;
    run.Connect(false, [](Ptr<MpaStream> stream) {
        stream->SetAttribute("Markers", BooleanValue(false));
        stream->StartResponder();
    });
    std::vector<TcpSocket::TcpStates_t> states;
    std::size_t beforeRequest = 1;
    std::size_t afterReply = 0;
    const auto own = PatternUlpdu(200, 1);
    Simulator::Schedule(MilliSeconds(100), [&] {
        beforeRequest = run.peer->received.size();
        run.peer->Send(MpaFrame(false, 0xC0));
    });
    Simulator::Schedule(MilliSeconds(200), [&] {
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(run.stream, own), 200, "taken, but held");
        run.stream->GetSocket()->TraceConnectWithoutContext("State",
                                                            MakeBoundCallback(&NoteState, &states));
        run.stream->ShutdownSend();
    });
    Simulator::Schedule(MilliSeconds(500), [&] {
        afterReply = run.peer->received.size();
        NS_TEST_EXPECT_MSG_EQ(states.size(), 0, "no FIN before what is held");
        run.peer->Send(MakeFpdu(PatternUlpdu(42, 3), 0, false));
    });
    run.Run(Seconds(1));

    NS_TEST_EXPECT_MSG_EQ(beforeRequest, 0, "silent before the Request");
    IWARP_COVERS("MPA-7.1.2-03 MPA-7.1.2-13");
    NS_TEST_ASSERT_MSG_EQ(afterReply, 20, "nothing but the Reply before the first FPDU");
    IWARP_COVERS("MPA-7.1.2-19 MPA-7.1.3-04");
    NS_TEST_EXPECT_MSG_EQ(run.log.passed.size(), 1, "decodes from the Reply on");
    IWARP_COVERS("MPA-7.1.2-11");
    const MpaOctets reply = MpaFrame(true, 0x40);
    NS_TEST_EXPECT_MSG_EQ(std::equal(reply.begin(), reply.end(), run.peer->received.begin()),
                          true,
                          "Reply");
    IWARP_COVERS("MPA-7.1.1-03 MPA-7.1.2-09");
    const MpaOctets fpdu(run.peer->received.begin() + 20, run.peer->received.end());
    NS_TEST_EXPECT_MSG_EQ((fpdu == MakeFpdu(own, 0, true)),
                          true,
                          "then the held FPDU with the Markers that the peer asked for");
    IWARP_COVERS("MPA-7.1.1-05 MPA-7.1.1-08");
    const std::vector<TcpSocket::TcpStates_t> ending{TcpSocket::FIN_WAIT_1, TcpSocket::FIN_WAIT_2};
    NS_TEST_EXPECT_MSG_EQ((states == ending), true, "then the FIN, which is acknowledged");
}

/// Delayed startup: streaming data first, the Responder enabled with its last message.
IWARP_TEST(mpaStreamStartup, "delayed startup behind streaming data")
{
    MpaLinkedHosts hosts;
    MpaStreamLog leftLog;
    MpaStreamLog rightLog;
    Ptr<MpaStream> initiator;
    Ptr<MpaStream> responder;
    std::unique_ptr<RawEnd> left;
    std::unique_ptr<RawEnd> right;
    Ptr<MpaTcpSocket> leftSocket;
    Ptr<MpaTcpSocket> rightSocket;
    hosts.Connect(
        [&](Ptr<MpaTcpSocket> socket) {
            leftSocket = socket;
            left = std::make_unique<RawEnd>(socket);
            left->Send(PatternUlpdu(1001, 1));
        },
        [&](Ptr<MpaTcpSocket> socket) {
            rightSocket = socket;
            right = std::make_unique<RawEnd>(socket);
        });
    Simulator::Schedule(MilliSeconds(100), [&] {
        responder = rightLog.MakeStream(rightSocket);
        const auto ack = ToOctets("hello-ack");
        responder->StartResponder(Create<Packet>(ack.data(), ack.size()));
    });
    Simulator::Schedule(MilliSeconds(102), [&] {
        initiator = leftLog.MakeStream(leftSocket);
        initiator->StartInitiator(PatternUlpdu(13, 2));
    });
    Simulator::Schedule(MilliSeconds(200), [&] {
        for (uint32_t i = 0; i < 40; ++i)
        {
            SendUlpdu(initiator, PatternUlpdu(1442, i));
        }
    });
    Simulator::Schedule(MilliSeconds(300), [&] { SendUlpdu(responder, PatternUlpdu(1442, 5)); });
    Simulator::Stop(Seconds(1));
    Simulator::Run();

    NS_TEST_EXPECT_MSG_EQ((right->received == PatternUlpdu(1001, 1)), true, "hello arrived");
    IWARP_COVERS("MPA-7.1.4-02");
    NS_TEST_EXPECT_MSG_EQ((left->received == ToOctets("hello-ack")), true, "and hello-ack");
    IWARP_COVERS("MPA-7.1-04 MPA-7.1.3-01");
    NS_TEST_EXPECT_MSG_EQ((rightLog.privateData.at(0) == PatternUlpdu(13, 2)),
                          true,
                          "the Request is MPA's");
    IWARP_COVERS("MPA-7.1.3-02 MPA-7.1.5-02 MPA-7.1.5-05");
    NS_TEST_EXPECT_MSG_EQ(rightLog.delivered, 40, "Marker positions agree behind odd offsets");
    IWARP_COVERS("MPA-7.1-01 MPA-4.3-11");
    NS_TEST_EXPECT_MSG_EQ(leftLog.delivered, 1, "in both directions");
    NS_TEST_EXPECT_MSG_EQ(leftLog.errors.size() + rightLog.errors.size(), 0, "no error");
    Simulator::Destroy();
}

/**
 * @ingroup iwarp-tests
 * Rejection leaves TCP open for streaming data, or closes it if told so.
 */
class MpaStreamRejectTestCase : public TestCase
{
  public:
    /// @param close attribute CloseOnReject
    explicit MpaStreamRejectTestCase(bool close)
        : TestCase(std::string("rejection, TCP ") + (close ? "closed" : "left open")),
          m_close(close)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog leftLog;
        MpaStreamLog rightLog;
        Ptr<MpaStream> initiator;
        Ptr<MpaStream> responder;
        std::unique_ptr<RawEnd> left;
        std::unique_ptr<RawEnd> right;
        Ptr<MpaTcpSocket> leftSocket;
        Ptr<MpaTcpSocket> rightSocket;
        rightLog.judge = [this](Ptr<MpaStream> stream, const MpaConnectionEvent& event) {
            NS_TEST_EXPECT_MSG_EQ(+event.privateData.at(0), 0xFF, "Private Data to judge");
            stream->Reject(PatternUlpdu(16, 4));
        };
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                leftSocket = socket;
                initiator = leftLog.MakeStream(socket);
                initiator->SetAttribute("CloseOnReject", BooleanValue(m_close));
                initiator->StartInitiator({0xFF});
            },
            [&](Ptr<MpaTcpSocket> socket) {
                rightSocket = socket;
                responder = rightLog.MakeStream(socket);
                responder->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(100), [&] {
            left = std::make_unique<RawEnd>(leftSocket);
            right = std::make_unique<RawEnd>(rightSocket);
            left->Send(ToOctets("still here"));
            right->Send(ToOctets("so am I"));
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(leftLog.rejections.size(), 1, "one rejection");
        NS_TEST_EXPECT_MSG_EQ((leftLog.rejections[0] == PatternUlpdu(16, 4)),
                              true,
                              "the reason arrives");
        IWARP_COVERS("MPA-7.1.2-06 MPA-7.1.2-23");
        NS_TEST_EXPECT_MSG_EQ(leftLog.established.size() + rightLog.established.size(),
                              0,
                              "no Full Operation");
        IWARP_COVERS("MPA-7.1.2-05");
        NS_TEST_EXPECT_MSG_EQ((right->received == ToOctets("still here")),
                              !m_close,
                              "streaming data goes on");
        IWARP_COVERS("MPA-7.1.2-07 MPA-7.1.2-08 MPA-7.1.2-16 MPA-7.1.4.2-04");
        // FIN ends one half only
        NS_TEST_EXPECT_MSG_EQ((left->received == ToOctets("so am I")), true, "the other half too");
        IWARP_COVERS("MPA-7.1.2-17");
        Simulator::Destroy();
    }

    bool m_close; //!< attribute CloseOnReject
};

/// What comes in the segment of a rejecting Reply is streaming data, and none of an FPDU.
IWARP_TEST(mpaStreamStartup, "streaming data behind a rejecting Reply")
{
    MpaStreamAndPeer run;
    run.Connect(true, [](Ptr<MpaStream> stream) { stream->StartInitiator(); });
    auto octets = MakeReply();
    octets[16] |= 0x20; // R
    MpaAppend(octets, ToOctets("ok"));
    run.SendAt(MilliSeconds(100), octets);
    run.Run(Seconds(1));
    NS_TEST_EXPECT_MSG_EQ(run.log.rejections.size(), 1, "rejected");
    NS_TEST_EXPECT_MSG_EQ((run.log.streaming == ToOctets("ok")), true, "all of it, once");
    NS_TEST_EXPECT_MSG_EQ(run.stream->GetHeld(), 0, "none is held for MPA");
    NS_TEST_EXPECT_MSG_EQ(run.log.errors.size(), 0, "no error");
    IWARP_COVERS("MPA-7.1.2-16");
}

/// Whoever has closed a stream waits for no startup frame: its timer is over.
IWARP_TEST(mpaStreamStartup, "closed in startup")
{
    MpaStreamAndPeer run;
    run.Connect(true, [](Ptr<MpaStream> stream) {
        stream->SetAttribute("StartupTimeout", TimeValue(Seconds(5)));
        stream->StartInitiator();
    });
    Simulator::Schedule(Seconds(1), [&run] { run.stream->Close(); });
    run.Run(Seconds(20));
    NS_TEST_EXPECT_MSG_GT(run.peer->received.size(), 0, "the Request came");
    NS_TEST_EXPECT_MSG_EQ(run.log.errors.size(), 0, "no error");
}

/**
 * @ingroup iwarp-tests
 * Bad startup octets close TCP and raise code 4 at once; silence ends with the timer.
 */
class MpaStreamBadStartupTestCase : public TestCase
{
  public:
    /// @param name of the case @param octets what a Responder gets @param code error expected
    /// @param at when, after the octets; 5 s is the timer
    MpaStreamBadStartupTestCase(const std::string& name,
                                std::vector<uint8_t> octets,
                                MpaError code,
                                Time at)
        : TestCase("bad startup: " + name),
          m_octets(octets),
          m_code(code),
          m_at(at)
    {
    }

  private:
    void DoRun() override
    {
        MpaStreamAndPeer run;
        const MpaStreamLog& log = run.log;
        Time started;
        run.Connect(
            false,
            [&started](Ptr<MpaStream> stream) {
                stream->SetAttribute("StartupTimeout", TimeValue(Seconds(5)));
                stream->StartResponder();
                started = Simulator::Now();
            },
            m_octets);
        run.Run(Seconds(20));

        NS_TEST_ASSERT_MSG_GT_OR_EQ(log.errors.size(), 1, "an error is reported");
        NS_TEST_EXPECT_MSG_EQ((log.errors[0].code == m_code), true, log.errors[0].reason);
        NS_TEST_EXPECT_MSG_EQ_TOL((log.errors[0].when - started).GetSeconds(),
                                  m_at.GetSeconds(),
                                  1e-3,
                                  "at the right time");
        const bool closed = run.stream->GetState() == MpaStartup::State::CLOSED;
        if (m_code == MpaError::NONE)
        {
            NS_TEST_EXPECT_MSG_EQ(closed, true, "by the timer");
            IWARP_COVERS("MPA-7.1.2-27 MPA-7.1.2-32");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(closed, true, "at once");
            IWARP_COVERS("MPA-7.1.1-24 MPA-7.1.2-04 MPA-7.1.2-21 MPA-7.1.2-31 MPA-7.1.3-05 "
                         "MPA-8-09");
        }
        NS_TEST_EXPECT_MSG_EQ(run.peer->received.size(), 0, "no Reply, no FPDU");
        IWARP_COVERS("MPA-7.1.1-02");
    }

    std::vector<uint8_t> m_octets; //!< what the Responder gets
    MpaError m_code;               //!< expected error
    Time m_at;                     //!< expected time
};

IWARP_TEST_CASES(mpaStreamStartup)
{
    suite.AddTestCase(new MpaStreamRejectTestCase(false));
    suite.AddTestCase(new MpaStreamRejectTestCase(true));
    const Time atOnce = MilliSeconds(0);
    MpaOctets tooLong = MpaFrame(false, 0x40);
    tooLong[18] = 2;
    tooLong[19] = 1;
    MpaOctets cut = MpaFrame(false, 0x40);
    cut.pop_back();
    suite.AddTestCase(new MpaStreamBadStartupTestCase("HTTP",
                                                      ToOctets("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
                                                      MpaError::INVALID_STARTUP,
                                                      atOnce));
    suite.AddTestCase(new MpaStreamBadStartupTestCase("Reply key in a Request",
                                                      MpaFrame(true, 0x40),
                                                      MpaError::INVALID_STARTUP,
                                                      atOnce));
    suite.AddTestCase(new MpaStreamBadStartupTestCase("PD_Length 513",
                                                      tooLong,
                                                      MpaError::INVALID_STARTUP,
                                                      atOnce));
    suite.AddTestCase(
        new MpaStreamBadStartupTestCase("silent peer", {}, MpaError::NONE, Seconds(5)));
    suite.AddTestCase(
        new MpaStreamBadStartupTestCase("19 of 20 octets", cut, MpaError::NONE, Seconds(5)));
}
