/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-stream-fixture.h"

#include "ns3/boolean.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

/// Suite of what is posted before the ready-to-receive indication.
IWARP_TEST_SUITE(rdmapIndication, "rdmap-indication");

/**
 * @ingroup iwarp-tests
 * What an Initiator's ULP posts before the connection is established goes out behind the
 * ready-to-receive indication (RFC 6581 section 5), and on the wire behind it alone.
 */
class RdmapIndicationFirstTest : public TestCase
{
  public:
    /**
     * @param name kind of indication
     * @param kinds kinds that the Initiator can send
     * @param word the Responder's, as hexadecimal digits
     * @param indication ULPDU of the indication, as hexadecimal digits
     * @param msn of the first Send behind it
     */
    RdmapIndicationFirstTest(const std::string& name,
                             const MpaRtrSet& kinds,
                             const std::string& word,
                             const std::string& indication,
                             uint8_t msn)
        : TestCase("posted before the indication: " + name),
          m_kinds(kinds),
          m_word(word),
          m_indication(indication),
          m_msn(msn)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        RdmapTestEnd end;
        RdmapTestEnd there; // for its STag alone
        std::unique_ptr<RawEnd> peer;
        end.enhanced.peerToPeer = !m_indication.empty();
        end.enhanced.rtr = m_kinds;
        end.onMpa = [](Ptr<MpaStream> mpa) { mpa->SetAttribute("Markers", BooleanValue(false)); };
        for (uint8_t i = 0; i < 4; i++)
        {
            end.memory[i] = i + 1;
        }
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                end.Start(socket, true);
                NS_TEST_EXPECT_MSG_EQ(end.Post(RdmapWorkKind::SEND, 0, 4, there, 0), 0, "early");
            },
            [&](Ptr<MpaTcpSocket> socket) { peer = std::make_unique<RawEnd>(socket); });
        Simulator::Schedule(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(end.Post(RdmapWorkKind::SEND, 2, 2, there, 0), 0, "early");
            NS_TEST_EXPECT_MSG_EQ(peer->received.size(), 24, "nothing but the Request");
            peer->Send(Hex("4D504120494420526570204672616D65 5002 0004" + m_word));
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        std::vector<uint8_t> expected;
        std::vector<std::vector<uint8_t>> ulpdus{
            Hex("4143 00000000 00000000 00000001 00000000 01020304"),
            Hex("4143 00000000 00000000 00000001 00000000 0304")};
        ulpdus[0][13] = m_msn;
        ulpdus[1][13] = m_msn + 1;
        if (!m_indication.empty())
        {
            ulpdus.insert(ulpdus.begin(), Hex(m_indication));
        }
        for (const auto& ulpdu : ulpdus)
        {
            const auto fpdu = MakeFpdu(ulpdu, 0, false);
            expected.insert(expected.end(), fpdu.begin(), fpdu.end());
        }
        NS_TEST_ASSERT_MSG_GT(peer->received.size(), 24, "FPDUs");
        peer->received.erase(peer->received.begin(), peer->received.begin() + 24);
        NS_TEST_EXPECT_MSG_EQ((peer->received == expected), true, "octets in this order");
        IWARP_COVERS("ENH-5-4");
        if (!m_indication.empty())
        {
            const auto fpdu = MakeFpdu(Hex(m_indication), 0, false);
            NS_TEST_EXPECT_MSG_EQ(std::equal(fpdu.begin(), fpdu.end(), peer->received.begin()),
                                  true,
                                  "of the one kind that both ends have");
            IWARP_COVERS("ENH-9.2-12");
        }
        NS_TEST_EXPECT_MSG_EQ(end.established, 1, "established");
        NS_TEST_EXPECT_MSG_EQ(end.failures.size(), 0, "no failure");
        end.stream->Dispose();
        Simulator::Destroy();
    }

    MpaRtrSet m_kinds;        //!< kinds of indication
    std::string m_word;       //!< the Responder's word
    std::string m_indication; //!< ULPDU of the indication
    uint8_t m_msn;            //!< MSN of the first Send behind it
};

IWARP_TEST_CASES(rdmapIndication)
{
    // ULPDUs as in RFC 5040 sections 4.1 to 4.4
    suite.AddTestCase(
        new RdmapIndicationFirstTest("none", {false, true, true}, "0004 0004", "", 1));
    suite.AddTestCase(new RdmapIndicationFirstTest("RDMA Write",
                                                   {false, true, false},
                                                   "8004 8004",
                                                   "C140 00000000 0000000000000000",
                                                   1));
    suite.AddTestCase(
        new RdmapIndicationFirstTest("RDMA Read",
                                     {false, false, true},
                                     "8004 4004",
                                     "4141 00000000 00000001 00000001 00000000 00000000 "
                                     "0000000000000000 00000000 00000000 0000000000000000",
                                     1));
    suite.AddTestCase(new RdmapIndicationFirstTest("Send",
                                                   {true, false, false},
                                                   "C004 0004",
                                                   "4143 00000000 00000000 00000001 00000000",
                                                   2));
}
