/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-peer.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

/// Suite of what comes first in a stream.
IWARP_TEST_SUITE(mpaStreamFirst, "mpa-stream-first");

/**
 * @ingroup iwarp-tests
 * FPDUs that a Responder sends right behind its Reply wait until the Initiator's ULP has judged the
 * Reply, and are the first of the stream: positions of Markers count from there.
 */
class MpaStreamEarlyOctetsTest : public TestCase
{
  public:
    /// @param early octets of FPDUs that arrive before the ULP accepts
    explicit MpaStreamEarlyOctetsTest(uint32_t early)
        : TestCase(std::to_string(early) + " octets before the ULP accepts the Reply"),
          m_early(early)
    {
    }

  private:
    void DoRun() override
    {
        MpaStreamAndPeer run;
        const MpaStreamLog& log = run.log;
        run.log.judge = [](Ptr<MpaStream> stream, const MpaConnectionEvent&) {
            Simulator::Schedule(MilliSeconds(50), [stream] { stream->Accept(); });
        };
        run.Connect(true, [](Ptr<MpaStream> stream) {
            stream->SetAttribute("WaitForFirstFpdu", BooleanValue(false));
            stream->StartInitiator();
        });
        // with Markers, as the Initiator asks by default
        MpaOctets fpdus;
        std::vector<std::size_t> starts;
        for (uint32_t i = 0; i < 5; i++)
        {
            starts.push_back(fpdus.size());
            MpaAppend(fpdus, MakeFpdu(PatternUlpdu(500 + i, i), fpdus.size(), true));
        }
        MpaOctets first = MpaFrame(true, 0x40);
        first.insert(first.end(), fpdus.begin(), fpdus.begin() + m_early);
        run.SendAt(MilliSeconds(100), first);
        std::size_t before = 1;
        Simulator::Schedule(MilliSeconds(140), [&] { before = log.passed.size(); });
        run.SendAt(MilliSeconds(200), MpaOctets(fpdus.begin() + m_early, fpdus.end()));
        run.Run(Seconds(2));

        NS_TEST_EXPECT_MSG_EQ(before, 0, "nothing before the ULP has accepted");
        NS_TEST_EXPECT_MSG_EQ(log.errors.size(),
                              0,
                              (log.errors.empty() ? "no error" : log.errors[0].reason));
        NS_TEST_EXPECT_MSG_EQ(log.passed.size(), 5, "all ULPDUs");
        IWARP_COVERS("MPA-7.1.2-18");
        for (uint32_t i = 0; i < log.passed.size(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ((log.passed[i].octets == PatternUlpdu(500 + i, i)),
                                  true,
                                  "octets");
            NS_TEST_EXPECT_MSG_EQ(log.passed[i].seq - log.passed[0].seq, starts[i], "place");
        }
        NS_TEST_EXPECT_MSG_EQ(log.delivered, 5, "delivered");
    }

    uint32_t m_early; //!< octets before
};

IWARP_TEST_CASES(mpaStreamFirst)
{
    for (const uint32_t early : {0, 1, 4, 300, 511, 516, 1030, 1400})
    {
        suite.AddTestCase(new MpaStreamEarlyOctetsTest(early));
    }
}

/**
 * An Initiator's second FPDU that overtakes the first is placed, but does not let the Responder
 * send: an FPDU is validated once those before it are (RFC 5044 section 7.1.2 rule 4).
 */
IWARP_TEST(mpaStreamFirst, "an FPDU out of order does not open sending")
{
    MpaStreamAndPeer run;
    const MpaStreamLog& log = run.log;
    run.Connect(
        false,
        [](Ptr<MpaStream> stream) { stream->StartResponder(); },
        MpaFrame(false, 0x40));
    const auto own = PatternUlpdu(60, 9);
    Simulator::Schedule(MilliSeconds(100), [&] {
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(run.stream, own), 60, "taken, but held");
        auto loss = CreateObject<ReceiveListErrorModel>();
        loss->SetList({0});
        run.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        const auto first = MakeFpdu(PatternUlpdu(1000, 1), 0, true);
        run.peer->Send(first); // is lost
        run.peer->Send(MakeFpdu(PatternUlpdu(1000, 2), first.size(), true));
    });
    Simulator::Schedule(MilliSeconds(110), [&] {
        NS_TEST_ASSERT_MSG_EQ(log.passed.size(), 1, "the second is passed");
        NS_TEST_EXPECT_MSG_EQ(log.passed[0].inOrder, false, "out of order");
        NS_TEST_EXPECT_MSG_EQ((run.stream->GetState() == MpaStartup::State::FULL_RX_ONLY),
                              true,
                              "still waiting");
        NS_TEST_EXPECT_MSG_EQ(log.established.size(), 0, "and says so");
        NS_TEST_EXPECT_MSG_EQ(run.peer->received.size(), 20, "nothing but the Reply is sent");
        IWARP_COVERS("MPA-7.1.2-11");
    });
    run.Run(Seconds(10));
    NS_TEST_EXPECT_MSG_EQ(log.delivered, 2, "TCP sends the first again");
    NS_TEST_EXPECT_MSG_EQ(log.established.size(), 1, "which opens sending");
    auto all = MpaFrame(true, 0xC0);
    MpaAppend(all, MakeFpdu(own, 0, false));
    NS_TEST_EXPECT_MSG_EQ((run.peer->received == all), true, "of what was held");
}

/**
 * A Responder holds no more before the first FPDU than the send buffer takes, and refuses the rest
 * until there is room.
 */
struct MpaStreamHeldPostsTest : TestCase
{
    using TestCase::TestCase;

    /// There is room. @param stream stream
    void Fill(Ptr<MpaStream> stream)
    {
        while (m_sent < 30 && SendUlpdu(stream, PatternUlpdu(500, m_sent)) == 500)
        {
            m_sent++;
        }
    }

    uint32_t m_sent{0}; //!< ULPDUs taken
};

IWARP_TEST(mpaStreamFirst,
           "posts before the first FPDU, beyond the send buffer",
           MpaStreamHeldPostsTest)
{
    MpaStreamAndPeer run;
    run.Connect(
        false,
        [this, &run](Ptr<MpaStream> stream) {
            stream->GetSocket()->SetAttribute("SndBufSize", UintegerValue(4600));
            stream->SetAttribute("Markers", BooleanValue(false));
            run.log.fill = [this](Ptr<MpaStream> waiting) { Fill(waiting); };
            stream->StartResponder();
        },
        MpaFrame(false, 0xC0));
    Simulator::Schedule(MilliSeconds(100), [&] {
        Fill(run.stream);
        // an FPDU of 500 octets takes 2 + 500 + 2 + 4 and at most one Marker of 4: 8 fit 4600
        NS_TEST_EXPECT_MSG_EQ(m_sent, 8, "as many as the send buffer takes");
        NS_TEST_EXPECT_MSG_EQ((run.stream->GetErrno() == Socket::ERROR_AGAIN), true, "why");
        NS_TEST_EXPECT_MSG_LT(run.stream->GetTxAvailable(), 512, "no room for another");
    });
    Simulator::Schedule(MilliSeconds(200), [&] {
        NS_TEST_EXPECT_MSG_EQ(run.peer->received.size(), 20, "nothing but the Reply so far");
        run.peer->Send(MakeFpdu(PatternUlpdu(10, 1), 0, false));
    });
    run.Run(Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(m_sent, 30, "room is told of");
    MpaOctets all = MpaFrame(true, 0x40);
    for (uint32_t i = 0; i < 30; i++)
    {
        MpaAppend(all, MakeFpdu(PatternUlpdu(500, i), all.size() - 20, true));
    }
    NS_TEST_EXPECT_MSG_EQ((run.peer->received == all), true, "all in their order");
    IWARP_COVERS("MPA-7.1.2-19");
}

/**
 * @ingroup iwarp-tests
 * Damage towards either end: found if either frame has C=1, not looked for if neither has.
 */
class MpaStreamDamageTest : public TestCase
{
  public:
    /// @param initiator damage goes towards the Initiator @param own C of the damaged stream's end
    /// @param peer C of the other
    MpaStreamDamageTest(bool initiator, bool own, bool peer)
        : TestCase(std::string("damage towards the ") + (initiator ? "Initiator" : "Responder") +
                   ", C=" + std::to_string(own) + " there, C=" + std::to_string(peer) + " peer"),
          m_initiator(initiator),
          m_own(own),
          m_peer(peer)
    {
    }

  private:
    void DoRun() override
    {
        MpaStreamAndPeer run;
        const MpaStreamLog& log = run.log;
        run.Connect(true, [this](Ptr<MpaStream> stream) {
            stream->SetAttribute("Markers", BooleanValue(false));
            stream->SetAttribute("Crc", BooleanValue(m_own));
            stream->SetAttribute("PathIntegrity", BooleanValue(true));
            m_initiator ? stream->StartInitiator() : stream->StartResponder();
        });
        run.SendAt(MilliSeconds(100), MpaFrame(m_initiator, m_peer ? 0x40 : 0));
        auto damaged = PatternUlpdu(100, 2);
        damaged[50] ^= 0x01;
        run.SendAt(MilliSeconds(200), MakeFpdu(PatternUlpdu(100, 1), 0, false));
        auto fpdu = MakeFpdu(PatternUlpdu(100, 2), 0, false);
        fpdu[2 + 50] ^= 0x01;
        run.SendAt(MilliSeconds(200), fpdu);
        auto noise = MakeFpdu(PatternUlpdu(100, 3), 0, false);
        std::copy_n("junk", 4, noise.end() - 4); // the CRC field
        run.SendAt(MilliSeconds(200), noise);
        run.Run(Seconds(1));

        const bool crc = m_own || m_peer;
        NS_TEST_ASSERT_MSG_EQ(log.passed.size(), (crc ? 1 : 3), "ULPDUs passed");
        NS_TEST_EXPECT_MSG_EQ((log.passed[0].octets == PatternUlpdu(100, 1)), true, "good");
        NS_TEST_ASSERT_MSG_EQ(log.errors.size(), (crc ? 1 : 0), "errors");
        if (crc)
        {
            NS_TEST_EXPECT_MSG_EQ((log.errors[0].code == MpaError::CRC), true, "code 2");
            IWARP_COVERS("MPA-7.1.1-11");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((log.passed[1].octets == damaged), true, "as it came");
            NS_TEST_EXPECT_MSG_EQ((log.passed[2].octets == PatternUlpdu(100, 3)),
                                  true,
                                  "whatever the CRC field holds");
            IWARP_COVERS("MPA-7.1.1-09 MPA-7.1.1-12");
        }
    }

    bool m_initiator; //!< the Initiator gets damaged octets
    bool m_own;       //!< its C
    bool m_peer;      //!< the peer's C
};

IWARP_TEST_CASES(mpaStreamFirst)
{
    for (const bool initiator : {false, true})
    {
        for (const uint32_t bits : {0, 1, 2, 3})
        {
            suite.AddTestCase(new MpaStreamDamageTest(initiator, bits & 2, bits & 1));
        }
    }
}
