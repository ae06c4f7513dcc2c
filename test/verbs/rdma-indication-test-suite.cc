/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"
#include "rdma-scripted-host.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"
#include "ns3/mpa-enhanced.h"
#include "ns3/rdma-shared-receive-queue.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of ready-to-receive indications at the verbs.
IWARP_TEST_SUITE(rdmaIndication, "rdma-indication");

using Kind = RdmaConnectionEvent::Kind;

/// A ready-to-receive indication leaves queues and completions of the application alone.
class RdmaIndicationCountTest : public TestCase
{
  public:
    /// @param rtr kind of indication, or none @param shared receives are shared
    RdmaIndicationCountTest(const std::string& rtr, bool shared)
        : TestCase("work and completions with the indication " + rtr +
                   (shared ? ", shared receives" : "")),
          m_rtr(rtr),
          m_shared(shared)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestPair c;
        Ptr<RdmaSharedReceiveQueue> srq = m_shared ? c.b.pd->CreateSrq(8) : nullptr;
        c.b.config.srq = srq;
        for (const auto& connection : {c.connector, c.listener})
        {
            connection->SetAttribute("PeerToPeer", BooleanValue(m_rtr != "None"));
            for (const std::string kind : {"Send", "Write", "Read"})
            {
                connection->SetAttribute("Rtr" + kind, BooleanValue(kind == m_rtr));
            }
        }
        if (m_rtr == "None")
        {
            c.connector->SetAttribute("RtrWrite", BooleanValue(true));
            c.listener->SetAttribute("RtrWrite", BooleanValue(true));
        }
        c.onEstablished = [&] {
            // three of the Initiator's, and one of the other end's behind the first of them
            for (uint64_t id = 1; id <= 3; id++)
            {
                c.a.qp->PostSend(c.a.Send(id, RdmaOpcode::SEND, 0, 100 * id));
            }
            c.b.qp->PostSend(c.b.Send(1, RdmaOpcode::SEND, 0, 50));
        };
        c.a.config.signalAll = true;
        c.b.config.signalAll = true;
        c.Start();
        c.a.PostReceive(10, 1000, 500);
        for (uint64_t id = 10; id < 13; id++)
        {
            const RdmaReceiveRequest request{id, {c.b.region->GetSge(1000 * id, 500)}};
            const int error = m_shared ? srq->PostReceive(request) : c.b.qp->PostReceive(request);
            NS_TEST_EXPECT_MSG_EQ(error, 0, "posted");
        }
        c.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(c.a.completions.size(), 4, "three sends and a receive");
        NS_TEST_ASSERT_MSG_EQ(c.b.completions.size(), 4, "three receives and a send");
        uint64_t id = 10;
        for (const RdmaCompletion& completion : c.b.completions)
        {
            NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::SUCCESS), true, "success");
            if (completion.opcode == RdmaCompletionOpcode::RECEIVE)
            {
                NS_TEST_EXPECT_MSG_EQ(completion.id, id, "buffers in their order");
                NS_TEST_EXPECT_MSG_EQ(completion.octets, 100 * (id - 9), "messages in theirs");
                id++;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(id, 13, "all of them");
        IWARP_COVERS("ENH-4.4.2-1");
        NS_TEST_EXPECT_MSG_EQ(c.b.qp->GetReceivesPosted(), 0, "no receive is left");
        NS_TEST_EXPECT_MSG_EQ(c.a.Count(Kind::DISCONNECTED), 0, "no error");
    }

    std::string m_rtr; //!< kind of indication, or "None"
    bool m_shared;     //!< receives are shared
};

IWARP_TEST_CASES(rdmaIndication)
{
    for (const std::string rtr : {"None", "Send", "Write", "Read"})
    {
        for (const bool shared : {false, true})
        {
            suite.AddTestCase(new RdmaIndicationCountTest(rtr, shared));
        }
    }
}

/// Which first Sends serve as an indication, and when a Responder asks for one.
struct RdmaIndicationRuleTest : TestCase
{
    using TestCase::TestCase;

    void RunOffers() //!< what a Responder that knows all kinds answers
    {
        MpaEnhancedConfig config;
        config.rtr = {true, true, true};

        // B is 0x4000 of the first half, C 0x8000 and D 0x4000 of the second (RFC 6581 section 9)
        const struct
        {
            const char* offer;  //!< Initiator's word
            const char* answer; //!< Responder's word
        } rows[] = {
            {"C010C010", "8010C010"}, // B, C, D: Write and Read will do
            {"C0108010", "8010C010"}, // B, C
            {"C0104010", "8010C010"}, // B, D
            {"C0100010", "C010C010"}, // B: nothing else will do
            {"8010C010", "C010C010"}, // C, D: B is not offered, and may be listed
        };

        for (const auto& row : rows)
        {
            MpaEnhancedWord answer;
            MpaMakeAnswer(config, MpaEnhancedWord::Decode(Hex(row.offer).data()), answer);
            std::vector<uint8_t> octets(MpaEnhancedWord::SIZE);
            answer.Encode(octets.data());
            NS_TEST_EXPECT_MSG_EQ((octets == Hex(row.answer)), true, row.offer);
        }
    }

    /// The peer's first Send. @param fpdu it @param good it is an indication
    void RunFirst(const std::string& fpdu, bool good)
    {
        RdmaScriptedHost c;
        for (const std::string kind : {"Send", "Write", "Read"})
        {
            c.connection->SetAttribute("Rtr" + kind, BooleanValue(kind == "Send"));
        }
        c.Listen(Hex("4D504120494420526571204672616D65 5002 0004 C010 0010"));
        Simulator::Schedule(MilliSeconds(100), [&] { c.peer.Send(0, Hex(fpdu)); });
        c.Run(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(c.host.Count(Kind::DISCONNECTED), !good, fpdu);
        NS_TEST_EXPECT_MSG_EQ(c.host.completions.size(), !good, "flushed, or still there");
        for (const RdmaCompletion& completion : c.host.completions)
        {
            NS_TEST_EXPECT_MSG_EQ(completion.id, 1, "the application's own");
            NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::FLUSHED), true, "unused");
        }
    }
};

IWARP_TEST(rdmaIndication, "which Send is the indication", RdmaIndicationRuleTest)
{
    RunOffers();
    RunFirst("0012 4143 00000000 00000000 00000001 00000000 587BE8C4", true);
    // what has a payload is none: the Initiator has to send the indication first
    RunFirst("0016 4143 00000000 00000000 00000001 00000000 11223344 A2A7A020", false);
}

/// An indication is an FPDU as any other: it is counted where it leaves and where it comes.
struct RdmaIndicationFpduTest : ScenarioTestCase
{
    /// @param title of the case
    explicit RdmaIndicationFpduTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Topology", "point-to-point"},
                            {"Workload", "rdma-write"},
                            {"Octets", "20000"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(rdmaIndication, "FPDUs of an indication", RdmaIndicationFpduTest)
{
    const auto without = RunScenario({});
    for (const std::string kind : {"Send", "Write"})
    {
        ScenarioSettings settings{{"RdmaConnection.PeerToPeer", "true"}};
        for (const std::string each : {"Send", "Write", "Read"})
        {
            settings["RdmaConnection.Rtr" + each] = each == kind ? "true" : "false";
        }
        auto with = RunScenario(settings);
        NS_TEST_EXPECT_MSG_EQ(with["fpdus_sent"], without.at("fpdus_sent") + 1, kind);
        NS_TEST_EXPECT_MSG_EQ(with["fpdus_passed"], with["fpdus_sent"], kind + ": balance");
    }
}

} // namespace
