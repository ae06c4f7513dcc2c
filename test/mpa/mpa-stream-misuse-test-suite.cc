/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "../rdmap/rdmap-stream-fixture.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of what a layer above does wrong, or cannot do.
IWARP_TEST_SUITE(mpaStreamMisuse, "mpa-stream-misuse");

/// An Initiator whose layer above cannot go on although the Reply is good.
class MpaStreamLocalErrorTest : public TestCase
{
  public:
    /// @param enhanced startup is @param initiator the layer above is the Initiator's
    MpaStreamLocalErrorTest(bool enhanced, bool initiator)
        : TestCase(std::string("a local error of ") + (initiator ? "an Initiator" : "a Responder") +
                   (enhanced ? ", enhanced" : "")),
          m_enhanced(enhanced),
          m_initiator(initiator)
    {
    }

  private:
    /// @param stream stream @param error code for the Terminate
    void SendTerminate(Ptr<MpaStream> stream, MpaError error)
    {
        auto ulpdu = Hex("4147 00000000 00000002 00000001 00000000 2000 0000");
        ulpdu[19] = static_cast<uint8_t>(error);
        SendUlpdu(stream, ulpdu);
    }

    void DoRun() override
    {
        const std::string request = "4D504120494420526571204672616D65 ";
        const std::string reply = "4D504120494420526570204672616D65 ";
        const std::string tail = m_enhanced ? "5002 0004 0010 0010" : "4001 0000";
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        log.judge = [](Ptr<MpaStream> stream, const MpaConnectionEvent&) {
            stream->FailStartup("no memory");
        };
        Ptr<MpaStream> stream;
        std::unique_ptr<RawEnd> peer;
        Ptr<MpaTcpSocket> peerSocket;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                stream = log.MakeStream(socket);
                stream->SetAttribute("Revision", UintegerValue(m_enhanced ? 2 : 1));
                stream->SetAttribute("Markers", BooleanValue(false));
                log.terminate = [this](Ptr<MpaStream> failed, MpaError error) {
                    SendTerminate(failed, error);
                };
                m_initiator ? stream->StartInitiator() : stream->StartResponder();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                peerSocket = socket;
                peer = std::make_unique<RawEnd>(socket);
            });
        Simulator::Schedule(MilliSeconds(100),
                            [&] { peer->Send(Hex((m_initiator ? reply : request) + tail)); });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        std::string expected = m_initiator ? request + tail : "";
        if (m_initiator && m_enhanced)
        { // who may send FPDUs says why (RFC 6581 section 9.3); the CRC is not the module's
            expected += "0016 4147 00000000 00000002 00000001 00000000 20050000 1680D5F1";
        }
        NS_TEST_EXPECT_MSG_EQ((peer->received == Hex(expected)), true, "on the wire");
        uint8_t octet = 0;
        NS_TEST_EXPECT_MSG_EQ(peerSocket->Recv(&octet, 1, 0), 0, "then FIN");
        IWARP_COVERS("ENH-9.3-5");
        NS_TEST_ASSERT_MSG_EQ(log.errors.size(), 1, "told");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(log.errors[0].code), 5, "local catastrophic");
        NS_TEST_EXPECT_MSG_EQ((log.errors[0].kind == MpaConnectionEvent::Kind::CONNECT_ERROR),
                              true,
                              "no connection");
        NS_TEST_EXPECT_MSG_EQ(log.errors[0].reason, "no memory", "why");
        Simulator::Destroy();
    }

    bool m_enhanced;  //!< startup is
    bool m_initiator; //!< the layer above is the Initiator's
};

IWARP_TEST_CASES(mpaStreamMisuse)
{
    for (const bool enhanced : {false, true})
    {
        suite.AddTestCase(new MpaStreamLocalErrorTest(enhanced, true));
        suite.AddTestCase(new MpaStreamLocalErrorTest(enhanced, false));
    }
}

/// Local work that fails while the Reply is awaited.
struct RdmapLocalErrorTest : TestCase
{
    using TestCase::TestCase;

    /// Work that fails.
    struct Failing : RdmapLocalWork
    {
        RdmapStatus Perform() override
        {
            return RdmapStatus::LOCAL_OPERATION;
        }
    };
};

IWARP_TEST(mpaStreamMisuse,
           "local work that fails before there is a connection",
           RdmapLocalErrorTest)
{
    MpaLinkedHosts hosts;
    RdmapTestEnd a;
    std::unique_ptr<RawEnd> peer;
    Ptr<MpaTcpSocket> peerSocket;
    hosts.Connect([&](Ptr<MpaTcpSocket> socket) { a.Start(socket, true); },
                  [&](Ptr<MpaTcpSocket> socket) {
                      peerSocket = socket;
                      peer = std::make_unique<RawEnd>(socket);
                  });
    Simulator::Schedule(MilliSeconds(100), [&] {
        RdmapWork work;
        work.kind = RdmapWorkKind::LOCAL;
        work.local = std::make_shared<Failing>();
        a.stream->PostSend(std::move(work));
    });
    Simulator::Schedule(MilliSeconds(200), [&] {
        peer->Send(Hex("4D504120494420526570204672616D65 5002 0004 0010 0010"));
    });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    using Kind = MpaConnectionEvent::Kind;
    NS_TEST_EXPECT_MSG_EQ((a.events == std::vector<Kind>{Kind::CONNECT_ERROR}),
                          true,
                          "no connection, told once");
    NS_TEST_ASSERT_MSG_EQ(peer->received.size(), 52, "Request and Terminate");
    peer->received.erase(peer->received.begin(), peer->received.begin() + 24);
    NS_TEST_EXPECT_MSG_EQ(
        (peer->received == Hex("0016 4147 00000000 00000002 00000001 00000000 20050000 1680D5F1")),
        true,
        "local catastrophic error of startup");
    IWARP_COVERS("ENH-9.3-5");
    uint8_t octet = 0;
    NS_TEST_EXPECT_MSG_EQ(peerSocket->Recv(&octet, 1, 0), 0, "then FIN");
    a.stream->Dispose();
    Simulator::Destroy();
}

/// Calls that make no sense are refused, and nothing else happens.
IWARP_TEST(mpaStreamMisuse, "streams that are not there, or one too many")
{
    {
        // nothing of a stream that was not started
        auto stream = CreateObject<MpaStream>();
        NS_TEST_EXPECT_MSG_EQ(stream->GetResult().enhanced.used, false, "no terms");
        NS_TEST_EXPECT_MSG_EQ(stream->GetPeerFrame().privateData.size(), 0, "no frame");
        NS_TEST_EXPECT_MSG_EQ(stream->GetHeld(), 0, "no octets");
        NS_TEST_EXPECT_MSG_EQ((stream->GetState() == MpaStartup::State::STREAM), true, "state");
        NS_TEST_EXPECT_MSG_EQ(stream->GetTxAvailable(), 0, "no room");
        NS_TEST_EXPECT_MSG_EQ((stream->GetSocket() == nullptr), true, "no socket");
        stream->LimitEnd();
        stream->ShutdownSend();
        stream->Close();
    }
    MpaLinkedHosts hosts;
    MpaStreamLog log;
    MpaStreamLog secondLog;
    MpaStreamLog peerLog;
    Ptr<MpaStream> stream;
    Ptr<MpaStream> second;
    Ptr<MpaStream> peer;
    hosts.Connect(
        [&](Ptr<MpaTcpSocket> socket) {
            stream = log.MakeStream(socket);
            stream->StartInitiator();
            second = secondLog.MakeStream(socket);
            NS_TEST_EXPECT_MSG_EQ(second->StartInitiator(), false, "one stream a socket");
            NS_TEST_EXPECT_MSG_EQ(second->StartResponder(), false, "in no role");
            NS_TEST_EXPECT_MSG_EQ(secondLog.errors.size(), 2, "told");
            second = nullptr;
        },
        [&](Ptr<MpaTcpSocket> socket) {
            peer = peerLog.MakeStream(socket);
            peer->StartResponder();
        });
    Simulator::Schedule(MilliSeconds(200), [&] { SendUlpdu(stream, PatternUlpdu(50, 1)); });
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(log.established.size(), 1, "the first one goes on");
    NS_TEST_EXPECT_MSG_EQ(peerLog.passed.size(), 1, "and sends");
    NS_TEST_EXPECT_MSG_EQ(log.errors.size(), 0, "without an error");
    IWARP_COVERS("DDP-2.3-1");

    // nor two streams of RDMAP over one of MPA
    RdmapTestEnd end;
    auto mpa = CreateObject<MpaStream>();
    auto other = CreateObject<RdmapStream>();
    NS_TEST_EXPECT_MSG_EQ(end.stream->Open(nullptr, end.config, end.table, &end),
                          EINVAL,
                          "over nothing");
    NS_TEST_EXPECT_MSG_EQ(end.stream->Open(mpa, end.config, end.table, &end), 0, "first");
    NS_TEST_EXPECT_MSG_EQ(other->Open(mpa, end.config, end.table, &end), EBUSY, "second");
    NS_TEST_EXPECT_MSG_EQ(end.stream->Open(mpa, end.config, end.table, &end), EINVAL, "once more");
    IWARP_COVERS("DDP-2.3-1");
    NS_TEST_EXPECT_MSG_EQ((other->GetEndpoint() == nullptr), true, "not open");
    end.stream->Dispose();
    Simulator::Destroy();
}

} // namespace
