/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of MPA streams with RFC 6581.
IWARP_TEST_SUITE(mpaStreamEnhanced, "mpa-stream-enhanced");

/// @param stream stream @param peerToPeer the peer-to-peer model, with RDMA Write only
void
Enhance(Ptr<MpaStream> stream, bool peerToPeer)
{
    MpaEnhancedConfig config;
    config.ird = 4;
    config.maxIrd = 4;
    config.ord = 4;
    config.peerToPeer = peerToPeer;
    config.rtr = {false, true, false};
    stream->SetEnhanced(config);
    stream->SetAttribute("Revision", UintegerValue(2));
}

} // namespace

/**
 * @ingroup iwarp-tests
 * @brief A Terminate is the first and last FPDU of an Initiator that cannot use the Reply.
 */
class MpaStreamTerminateTest : public TestCase
{
  public:
    /**
     * @param word the Responder's word, as hexadecimal digits
     * @param code error code
     * @param crc CRC of the Terminate's FPDU, as hexadecimal digits
     */
    MpaStreamTerminateTest(const std::string& word, int code, const std::string& crc)
        : TestCase("Terminate with code " + std::to_string(code)),
          m_word(word),
          m_code(code),
          m_crc(crc)
    {
    }

  private:
    /// @param stream stream @param error code for the Terminate
    void SendTerminate(Ptr<MpaStream> stream, MpaError error)
    {
        m_terminates++;
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(error), m_code, "code for the Terminate");
        IWARP_COVERS("ENH-9.1-19 ENH-9.2-15");
        auto ulpdu = Hex("4147 00000000 00000002 00000001 00000000 2000 0000");
        ulpdu[19] = static_cast<uint8_t>(error);
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, ulpdu), 22, "taken");
    }

    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        Ptr<MpaStream> initiator;
        std::unique_ptr<RawEnd> peer;
        Ptr<MpaTcpSocket> peerSocket;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                initiator = log.MakeStream(socket);
                Enhance(initiator, true);
                initiator->SetAttribute("Markers", BooleanValue(false));
                log.terminate = [this](Ptr<MpaStream> failed, MpaError error) {
                    SendTerminate(failed, error);
                };
                initiator->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                peerSocket = socket;
                peer = std::make_unique<RawEnd>(socket);
            });
        Simulator::Schedule(MilliSeconds(100), [&] {
            peer->Send(Hex("4D504120494420526570204672616D65 5002 0004" + m_word));
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(m_terminates, 1, "asked for once");
        const auto expected = Hex("4D504120494420526571204672616D65 5002 0004 8004 8004"
                                  "0016 4147 00000000 00000002 00000001 00000000 200" +
                                  std::to_string(m_code) + "0000" + m_crc);
        NS_TEST_EXPECT_MSG_EQ((peer->received == expected), true, "Request and Terminate");
        IWARP_COVERS("ENH-8-1 ENH-9.1-17 ENH-9.2-13");
        NS_TEST_EXPECT_MSG_EQ(log.established.size(), 0, "never established");
        NS_TEST_ASSERT_MSG_EQ(log.errors.size(), 1, "one error");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(log.errors[0].code), m_code, "its code");
        // the Initiator's FIN has come behind the Terminate
        uint8_t octet = 0;
        NS_TEST_EXPECT_MSG_EQ(peerSocket->Recv(&octet, 1, 0), 0, "end of stream");
        IWARP_COVERS("ENH-9.1-18 ENH-9.2-14");
        Simulator::Destroy();
    }

    std::string m_word;  //!< the Responder's word
    int m_code;          //!< error code
    std::string m_crc;   //!< CRC of the Terminate's FPDU
    int m_terminates{0}; //!< Terminates asked for
};

/**
 * @ingroup iwarp-tests
 * @brief Two streams: revisions 1 and 2 in all orders.
 */
class MpaStreamRevisionTest : public TestCase
{
  public:
    /**
     * @param initiator highest revision
     * @param responder highest revision
     */
    MpaStreamRevisionTest(uint32_t initiator, uint32_t responder)
        : TestCase("revision " + std::to_string(initiator) + " to " + std::to_string(responder)),
          m_initiator(initiator),
          m_responder(responder)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog initiatorLog;
        MpaStreamLog responderLog;
        Ptr<MpaStream> initiator;
        Ptr<MpaStream> responder;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                initiator = initiatorLog.MakeStream(socket);
                Enhance(initiator, true);
                initiator->SetAttribute("Revision", UintegerValue(m_initiator));
                initiator->StartInitiator(PatternUlpdu(100, 1));
            },
            [&](Ptr<MpaTcpSocket> socket) {
                responder = responderLog.MakeStream(socket);
                Enhance(responder, false);
                responder->SetAttribute("Revision", UintegerValue(m_responder));
                responder->StartResponder();
            });
        bool fenced = true;
        const bool works = m_initiator <= m_responder;
        Simulator::Schedule(MilliSeconds(90), [&] {
            fenced = !responder->CanSend();
            NS_TEST_EXPECT_MSG_EQ(SendUlpdu(responder, PatternUlpdu(50, 2)),
                                  (works ? 50 : -1),
                                  "held, or refused");
            IWARP_COVERS("ENH-3-2");
        });
        Simulator::Schedule(MilliSeconds(100), [&] { SendUlpdu(initiator, PatternUlpdu(14, 3)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(fenced, true, "silent before the Initiator's first FPDU");
        IWARP_COVERS("ENH-3-2");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.established.size(), works, "Initiator");
        NS_TEST_EXPECT_MSG_EQ(responderLog.established.size(), works, "Responder");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.passed.size(), works, "what was held came");
        IWARP_COVERS("ENH-3-3 ENH-4.3-3");
        NS_TEST_EXPECT_MSG_EQ(initiator->MayRetryUnenhanced(), !works, "an old peer?");
        IWARP_COVERS("ENH-10-8");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.errors.size(), !works, "Initiator's ULP is told");
        NS_TEST_EXPECT_MSG_EQ(responderLog.errors.size(), !works, "Responder's ULP is told");
        IWARP_COVERS("ENH-10-6 ENH-10-7");
        if (works)
        {
            NS_TEST_ASSERT_MSG_EQ(responderLog.privateData.size(), 1, "Request");
            NS_TEST_EXPECT_MSG_EQ((responderLog.privateData[0] == PatternUlpdu(100, 1)),
                                  true,
                                  "the ULP's Private Data alone");
            const bool enhanced = m_initiator == 2;
            const auto& result = initiator->GetResult().enhanced;
            NS_TEST_EXPECT_MSG_EQ(result.used, enhanced, "negotiated");
            IWARP_COVERS("ENH-10-1 ENH-10-2");
            NS_TEST_EXPECT_MSG_EQ((result.rtr == MpaRtr::WRITE), enhanced, "Write goes first");
            NS_TEST_EXPECT_MSG_EQ(responder->GetResult().enhanced.rtrKinds.write,
                                  enhanced,
                                  "and is expected");
        }
        Simulator::Destroy();
    }

    uint32_t m_initiator; //!< highest revision
    uint32_t m_responder; //!< highest revision
};

IWARP_TEST_CASES(mpaStreamEnhanced)
{
    suite.AddTestCase(new MpaStreamTerminateTest("8004 8005", 6, "6540FB1B"));
    suite.AddTestCase(new MpaStreamTerminateTest("C004 0004", 7, "1BD2BABE"));
    for (const uint32_t initiator : {1, 2})
    {
        for (const uint32_t responder : {1, 2})
        {
            suite.AddTestCase(new MpaStreamRevisionTest(initiator, responder));
        }
    }
}
