/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of octets that come ahead of the ULP's decision.
IWARP_TEST_SUITE(mpaStreamEarly, "mpa-stream-early");

/// An Initiator that does not wait for its own first FPDU, and a Responder that sends at once.
class MpaStreamEarlyTest : public TestCase
{
  public:
    /// @param count ULPDUs of 1000 octets that come with the Reply @param later when the Initiator
    /// accepts
    MpaStreamEarlyTest(uint32_t count, Time later)
        : TestCase(std::to_string(count) + " ULPDUs ahead of a decision that takes " +
                   std::to_string(later.GetMilliSeconds()) + " ms"),
          m_count(count),
          m_later(later)
    {
    }

  private:
    static constexpr uint32_t BUFFER = 50000; //!< octets of the Initiator's receive buffer

    void NoteHeld(uint64_t, uint64_t held) //!< @param held octets
    {
        m_most = std::max(m_most, held);
    }

    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        Ptr<MpaStream> stream;
        std::unique_ptr<RawEnd> raw;
        Ptr<MpaTcpSocket> sender;
        log.judge = [this](Ptr<MpaStream> s, const MpaConnectionEvent&) {
            if (m_later.IsZero())
            {
                s->Accept();
            }
            else
            {
                Simulator::Schedule(m_later, [s] { s->Accept(); });
            }
        };
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                socket->SetAttribute("RcvBufSize", UintegerValue(BUFFER));
                stream = log.MakeStream(socket);
                stream->SetAttribute("Markers", BooleanValue(false));
                stream->SetAttribute("WaitForFirstFpdu", BooleanValue(false));
                stream->TraceConnectWithoutContext(
                    "ReassemblyMemory",
                    MakeCallback(&MpaStreamEarlyTest::NoteHeld, this));
                stream->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                sender = socket;
                sender->SetAttribute("SndBufSize", UintegerValue(2000000));
                raw = std::make_unique<RawEnd>(socket);
            });
        std::vector<std::vector<uint8_t>> ulpdus;
        Simulator::Schedule(MilliSeconds(50), [&] {
            std::vector<uint8_t> octets = MakeReply();
            uint32_t position = 0;
            for (uint32_t i = 0; i < m_count; i++)
            {
                ulpdus.push_back(PatternUlpdu(1000, i));
                const auto fpdu = MakeFpdu(ulpdus.back(), position, false);
                position += fpdu.size();
                octets.insert(octets.end(), fpdu.begin(), fpdu.end());
            }
            raw->Send(octets);
        });
        // one more when the decision is long over
        Simulator::Schedule(Seconds(20), [&] {
            ulpdus.push_back(PatternUlpdu(1000, m_count));
            raw->Send(MakeFpdu(ulpdus.back(), 0, false));
        });
        uint64_t held = 0;
        uint32_t left = 0;
        std::size_t early = 0;
        Simulator::Schedule(MilliSeconds(49) + m_later, [&] {
            held = stream ? stream->GetHeld() : 0;
            left = stream ? stream->GetSocket()->GetRxAvailable() : 0;
            early = log.passed.size();
        });
        Simulator::Stop(Seconds(30));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log.errors.size(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(early, 0, "none ahead of the decision");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(held, BUFFER, "held by MPA");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(left, BUFFER, "left with TCP, whose window is shut");
        NS_TEST_EXPECT_MSG_EQ((held > 0), !m_later.IsZero(), "what is held is counted");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_most, held, "and traced");
        NS_TEST_ASSERT_MSG_EQ(log.passed.size(), ulpdus.size(), "all pass");
        for (std::size_t i = 0; i < ulpdus.size(); i++)
        {
            NS_TEST_ASSERT_MSG_EQ((log.passed[i].octets == ulpdus[i]), true, "ULPDU " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(log.delivered, ulpdus.size(), "all are delivered");
        Simulator::Destroy();
    }

    uint32_t m_count;   //!< ULPDUs
    Time m_later;       //!< time of the decision
    uint64_t m_most{0}; //!< most octets held
};

IWARP_TEST_CASES(mpaStreamEarly)
{
    for (const uint32_t later : {0, 500})
    {
        suite.AddTestCase(new MpaStreamEarlyTest(1, MilliSeconds(later)));
        suite.AddTestCase(new MpaStreamEarlyTest(1000, MilliSeconds(later)));
    }
}

} // namespace
