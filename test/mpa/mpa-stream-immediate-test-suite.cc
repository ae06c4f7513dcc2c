/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"

using namespace ns3;

/// Immediate startup over sockets.
IWARP_TEST_SUITE(mpaStreamImmediate, "mpa-stream-immediate");

/**
 * @ingroup iwarp-tests
 * Immediate startup in either role and with Private Data of all sizes, then ULPDUs both ways.
 */
class MpaStreamImmediateTestCase : public TestCase
{
  public:
    /// @param initiatorIsLeft the TCP opener is the Initiator @param privateData octets of it
    /// @param ipv6 over IPv6
    MpaStreamImmediateTestCase(bool initiatorIsLeft, uint32_t privateData, bool ipv6)
        : TestCase("immediate startup, initiator " +
                   std::string(initiatorIsLeft ? "opens TCP" : "accepts TCP") + ", " +
                   std::to_string(privateData) + " octets of Private Data" +
                   (ipv6 ? ", IPv6" : "")),
          m_initiatorIsLeft(initiatorIsLeft),
          m_privateData(privateData),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        const auto pd = PatternUlpdu(m_privateData, 7);
        MpaLinkedHosts hosts(MilliSeconds(1), 1500, m_ipv6);
        MpaStreamLog initiatorLog;
        MpaStreamLog responderLog;
        Ptr<MpaStream> initiator;
        Ptr<MpaStream> responder;
        auto beInitiator = [&](Ptr<MpaTcpSocket> socket) {
            initiator = initiatorLog.MakeStream(socket);
            NS_TEST_EXPECT_MSG_EQ(initiator->StartInitiator(pd), true, "Initiator starts");
        };
        auto beResponder = [&](Ptr<MpaTcpSocket> socket) {
            responder = responderLog.MakeStream(socket);
            NS_TEST_EXPECT_MSG_EQ(responder->StartResponder(), true, "Responder starts");
        };
        if (m_initiatorIsLeft)
        {
            hosts.Connect(beInitiator, beResponder);
        }
        else
        {
            hosts.Connect(beResponder, beInitiator);
        }
        Simulator::Schedule(MilliSeconds(50), [&] {
            for (uint32_t length : {1U, 2U, 3U, 127U, 128U, 1000U, 1442U})
            {
                NS_TEST_EXPECT_MSG_EQ(SendUlpdu(initiator, PatternUlpdu(length, length)),
                                      static_cast<int>(length),
                                      "ULPDU taken");
            }
        });
        Simulator::Schedule(MilliSeconds(100), [&] { SendUlpdu(responder, PatternUlpdu(99, 1)); });
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(responderLog.privateData.size(), 1, "one Request reported");
        NS_TEST_EXPECT_MSG_EQ((responderLog.privateData[0] == pd), true, "Private Data intact");
        IWARP_COVERS("MPA-7.1.1-25 MPA-7.1.2-02 MPA-7.1.1-22");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.privateData.size(), 1, "one Reply reported");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.established.size(), 1, "Initiator in Full Operation");
        IWARP_COVERS("MPA-7.1.2-18");
        NS_TEST_EXPECT_MSG_EQ(responderLog.established.size(), 1, "Responder in Full Operation");
        IWARP_COVERS("MPA-2-04 MPA-7.1-09");
        for (const auto& stream : {initiator, responder})
        {
            BooleanValue crc;
            stream->GetAttribute("Crc", crc);
            NS_TEST_EXPECT_MSG_EQ(crc.Get(), true, "C by default");
            NS_TEST_EXPECT_MSG_EQ(stream->GetResult().crc, true, "CRC by default");
            IWARP_COVERS("MPA-1.2-02 MPA-4.4-05");
        }
        NS_TEST_EXPECT_MSG_EQ(+initiator->GetResult().version, 1, "version told");
        IWARP_COVERS("MPA-3-16");
        NS_TEST_EXPECT_MSG_EQ(responderLog.passed.size(), 7, "all ULPDUs passed");
        IWARP_COVERS("MPA-3-07");
        NS_TEST_EXPECT_MSG_EQ(responderLog.delivered, 7, "and delivered");
        uint32_t i = 0;
        for (uint32_t length : {1U, 2U, 3U, 127U, 128U, 1000U, 1442U})
        {
            NS_TEST_EXPECT_MSG_EQ((responderLog.passed[i++].octets == PatternUlpdu(length, length)),
                                  true,
                                  "octets and length intact");
            IWARP_COVERS("MPA-3-11 MPA-4.3-16 MPA-4.3-17");
        }
        NS_TEST_ASSERT_MSG_EQ(initiatorLog.passed.size(), 1, "the other direction");
        IWARP_COVERS("MPA-7.1-02");
        NS_TEST_EXPECT_MSG_EQ((initiatorLog.passed[0].octets == PatternUlpdu(99, 1)),
                              true,
                              "octets intact");
        NS_TEST_EXPECT_MSG_EQ(initiatorLog.errors.size() + responderLog.errors.size(),
                              0,
                              "no error");
        Simulator::Destroy();
    }

    bool m_initiatorIsLeft; //!< the TCP opener is the Initiator
    uint32_t m_privateData; //!< octets of Private Data
    bool m_ipv6;            //!< over IPv6
};

IWARP_TEST_CASES(mpaStreamImmediate)
{
    for (bool initiatorIsLeft : {true, false})
    {
        for (uint32_t privateData : {0, 1, 511, 512})
        {
            suite.AddTestCase(new MpaStreamImmediateTestCase(initiatorIsLeft, privateData, false));
        }
    }
    suite.AddTestCase(new MpaStreamImmediateTestCase(true, 100, true));
}
