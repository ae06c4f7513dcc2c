/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "rdma-startup-test-util.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of what startup negotiates between queue pairs.
IWARP_TEST_SUITE(rdmaNegotiation, "rdma-negotiation");

using Kind = RdmaConnectionEvent::Kind;
using Octets = std::vector<uint8_t>;

/// @param end an end @return its ORD
uint32_t
Ord(const RdmaTestHost& end)
{
    return end.qp->GetStream()->GetEndpoint()->GetRequester().GetOrd();
}

/// @param end an end that holds no request @return its IRD
uint32_t
Ird(const RdmaTestHost& end)
{
    return end.qp->GetStream()->GetEndpoint()->GetResponder().GetPool().GetAvailable();
}

/// Read 1000 octets many times at once. @param end who reads @param peer whose memory
void
ReadMany(const RdmaTestHost& end, const RdmaTestHost& peer)
{
    for (uint32_t i = 0; i < 40; i++)
    {
        auto read = end.Send(i, RdmaOpcode::RDMA_READ, 500000 + i * 1000, 1000);
        read.remoteAddress = 0x10000 + i * 1000;
        read.rkey = peer.region->GetRkey();
        end.qp->PostSend(read);
    }
}

/// @param end an end @param kind of event @return the first event of that kind, or an empty one
RdmaConnectionEvent
FindEvent(const RdmaTestHost& end, Kind kind)
{
    for (const auto& event : end.events)
    {
        if (event.kind == kind)
        {
            return event;
        }
    }
    return RdmaConnectionEvent{Kind::CLOSED};
}

} // namespace

/// A rejection tells the application the peer's IRD and ORD.
IWARP_TEST(rdmaNegotiation, "IRD and ORD of a peer that rejects")
{
    {
        RdmaTestPair p;
        StartupFrames replies(p.hosts.GetDevice(1));
        p.connector->SetAttribute("Ird", UintegerValue(2));
        p.listener->SetAttribute("MinOrd", UintegerValue(8));
        p.Start();
        p.Run(Seconds(5));
        // R=1 and S=1; IRD 16 follows ORD 16, ORD 8 is what the peer cannot do without
        NS_TEST_EXPECT_MSG_EQ(replies.Last(), "F0020004 00100008", "Reply");
        NS_TEST_ASSERT_MSG_EQ(p.a.Count(Kind::REJECTED), 1, "rejected");
        const auto event = FindEvent(p.a, Kind::REJECTED);
        NS_TEST_EXPECT_MSG_EQ(event.peerIrd, 16, "IRD is told");
        NS_TEST_EXPECT_MSG_EQ(event.peerOrd, 8, "the ORD that the peer needs is told");
        IWARP_COVERS("ENH-9.1-13 ENH-9.1-20");
        const auto& result = p.connector->GetMpa()->GetResult().enhanced;
        NS_TEST_EXPECT_MSG_EQ(result.peerOrd, 8, "and can be asked for");
        NS_TEST_EXPECT_MSG_EQ(result.used, true, "as the peer said it");
    }
    for (const uint32_t revision : {1, 2})
    {
        RdmaTestPair p;
        p.reject = true;
        p.connector->SetAttribute("Revision", UintegerValue(revision));
        p.listener->SetAttribute("Ird", UintegerValue(21));
        p.listener->SetAttribute("Ord", UintegerValue(7));
        p.Start();
        p.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(p.a.Count(Kind::REJECTED), 1, "rejected by the application");
        const auto event = FindEvent(p.a, Kind::REJECTED);
        NS_TEST_EXPECT_MSG_EQ((event.privateData == Octets{9, 8, 7}), true, "Private Data");
        NS_TEST_EXPECT_MSG_EQ(event.peerIrd, (revision == 2 ? 21 : 0), "IRD, if it was said");
        NS_TEST_EXPECT_MSG_EQ(event.peerOrd, (revision == 2 ? 7 : 0), "ORD, if it was said");
    }
}

/// The Reply says what the Responder uses, and both ends keep to it.
struct RdmaReplyDepthsTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint16_t NONE = RdmaConnectionParameters::BY_ATTRIBUTE; //!< not given

    /// What the ends want, and what comes of it by RFC 6581 section 9.1.
    struct Row
    {
        const char* name;
        uint16_t ird;            // of the side that connects
        uint16_t ord;            // of the side that connects
        uint16_t listenerIrd;    // attribute
        uint16_t listenerMaxIrd; // attribute
        uint16_t listenerOrd;    // attribute
        uint16_t resources;      // responderResources of Accept(), or NONE
        uint16_t depth;          // initiatorDepth of Accept(), or NONE
        std::string word;        // of the Reply: IRD and ORD
        uint32_t ordA;           // ORD of the side that connects
        uint32_t irdB;           // IRD of the side that listens
        uint32_t ordB;           // its ORD
    };

    /// @param row what to try
    void Try(const Row& row)
    {
        RdmaTestPair p;
        StartupFrames replies(p.hosts.GetDevice(1));
        p.connector->SetAttribute("Ird", UintegerValue(row.ird));
        p.connector->SetAttribute("Ord", UintegerValue(row.ord));
        p.listener->SetAttribute("Ird", UintegerValue(row.listenerIrd));
        p.listener->SetAttribute("MaxIrd", UintegerValue(row.listenerMaxIrd));
        p.listener->SetAttribute("Ord", UintegerValue(row.listenerOrd));
        p.parametersB.responderResources = row.resources;
        p.parametersB.initiatorDepth = row.depth;
        p.onEstablished = [&] {
            NS_TEST_EXPECT_MSG_EQ(Ord(p.a), row.ordA, row.name << ": ORD of the Initiator");
            IWARP_COVERS("ENH-9.1-7 ENH-9.1-16");
            ReadMany(p.a, p.b);
            ReadMany(p.b, p.a);
        };
        p.Start();
        p.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(replies.Last(), "D0020004 " + row.word, row.name << ": Reply");
        IWARP_COVERS("ENH-9.1-10 ENH-9.3-2");
        NS_TEST_EXPECT_MSG_EQ(Ird(p.b), row.irdB, row.name << ": IRD that is used");
        IWARP_COVERS("ENH-9.1-5");
        NS_TEST_EXPECT_MSG_EQ(Ord(p.b), row.ordB, row.name << ": ORD that is used");
        IWARP_COVERS("ENH-9.1-6 ENH-9.1-8 ENH-9.1-12");
        NS_TEST_EXPECT_MSG_EQ(FindEvent(p.a, Kind::ESTABLISHED).peerOrd,
                              row.ordB,
                              row.name << ": ORD is told");
        NS_TEST_EXPECT_MSG_EQ(Successes(p.a), 40, row.name << ": Reads of the Initiator");
        NS_TEST_EXPECT_MSG_EQ(Successes(p.b), 40, row.name << ": Reads of the Responder");
        NS_TEST_EXPECT_MSG_EQ(p.a.deviceEvents.size() + p.b.deviceEvents.size(),
                              0,
                              row.name << ": no Terminate");
    }
};

IWARP_TEST(rdmaNegotiation, "the Reply says what the Responder uses", RdmaReplyDepthsTest)
{
    const Row rows[] = {
        {"all by default", 16, 16, 16, 128, 16, NONE, NONE, "00100010", 16, 16, 16},
        {"Ord of the listener", 16, 16, 16, 128, 1, NONE, NONE, "00100001", 16, 16, 1},
        {"Ird of the listener", 16, 16, 32, 128, 16, NONE, NONE, "00200010", 16, 32, 16},
        {"IRD follows ORD", 16, 20, 16, 128, 16, NONE, NONE, "00140010", 20, 20, 16},
        {"as far as MaxIrd", 16, 20, 16, 4, 16, NONE, NONE, "00040010", 4, 4, 16},
        {"given to Accept()", 16, 16, 16, 128, 16, 24, 3, "00180003", 16, 24, 3},
        {"few, given to Accept()", 16, 16, 16, 128, 16, 2, 1, "00020001", 2, 2, 1},
        {"ORD within the peer's IRD", 3, 16, 16, 128, 16, NONE, 9, "00100003", 16, 16, 3},
        {"IRD above what is wanted", 16, 4, 20, 128, 16, NONE, NONE, "00140010", 4, 20, 16},
    };
    for (const auto& row : rows)
    {
        Try(row);
    }
}

/**
 * What startup settled holds for the Responder from Accept() on: a Read that the peer does not
 * answer is refused where it is posted (RFC 6581 section 9.1).
 */
IWARP_TEST(rdmaNegotiation, "a Read posted before the first FPDU")
{
    for (const uint32_t ird : {0, 3})
    {
        RdmaTestPair p;
        p.connector->SetAttribute("Ird", UintegerValue(ird));
        p.Start();
        Simulator::Schedule(MilliSeconds(150), [&] {
            NS_TEST_EXPECT_MSG_EQ(Ord(p.b), ird, "ORD at most the peer's IRD");
            IWARP_COVERS("ENH-9.1-12");
            auto read = p.b.Send(1, RdmaOpcode::RDMA_READ, 0, 1000);
            read.remoteAddress = 0x10000;
            read.rkey = p.a.region->GetRkey();
            NS_TEST_EXPECT_MSG_EQ(p.b.qp->PostSend(read), (ird == 0 ? EINVAL : 0), "the Read");
        });
        Simulator::Schedule(MilliSeconds(200), [&] {
            p.b.PostReceive(2, 0, 100);
            p.a.qp->PostSend(p.a.Send(3, RdmaOpcode::SEND, 0, 100));
        });
        Simulator::Schedule(MilliSeconds(300), [&] { p.accepted->Disconnect(); });
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "over");
        NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), (ird == 0 ? 1 : 2), "all are complete");
    }
}

/// Bad values at the side that listens are refused where they are given.
struct RdmaAcceptMisuseTest : TestCase
{
    using TestCase::TestCase;

    /// @param connection it @param event what happened
    void Handle(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        if (event.kind == Kind::CONNECT_REQUEST)
        {
            m_requests++;
            connection->SetQp(m_pair->b.qp);
            RdmaConnectionParameters parameters;
            parameters.initiatorDepth = 2;
            NS_TEST_EXPECT_MSG_EQ(connection->Accept(parameters), EINVAL, "less than MinOrd");
            parameters.initiatorDepth = 3;
            parameters.responderResources = 20000;
            NS_TEST_EXPECT_MSG_EQ(connection->Accept(parameters), EMFILE, "more than there are");
            parameters.responderResources = 9;
            NS_TEST_EXPECT_MSG_EQ(connection->Accept(parameters), EINVAL, "more than MaxIrd");
            parameters.responderResources = 1;
            NS_TEST_EXPECT_MSG_EQ(connection->Accept(parameters), 0, "both good");
        }
    }

    RdmaTestPair* m_pair{nullptr}; //!< hosts
    uint32_t m_requests{0};        //!< requests
};

IWARP_TEST(rdmaNegotiation, "bad values for Listen() and Accept()", RdmaAcceptMisuseTest)
{
    RdmaTestPair p;
    p.listener->SetAttribute("MinOrd", UintegerValue(17));
    const InetSocketAddress local(Ipv4Address::GetAny(), 7);
    NS_TEST_EXPECT_MSG_EQ(p.listener->Listen(local), EINVAL, "MinOrd above Ord");
    p.listener->SetAttribute("MinOrd", UintegerValue(3));
    p.listener->SetAttribute("MaxIrd", UintegerValue(8));
    p.listener->SetEventCallback(MakeCallback(&RdmaAcceptMisuseTest::Handle, this));
    m_pair = &p;
    p.Start();
    p.Run(Seconds(5));
    NS_TEST_EXPECT_MSG_EQ(m_requests, 1, "asked");
    NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ESTABLISHED), 1, "good values do all the same");
}

/// IRD and ORD that are left to the ULP stay as they are, through the whole stack.
struct RdmaUnspecifiedDepthsTest : TestCase
{
    using TestCase::TestCase;

    void VerbsToVerbs()
    {
        RdmaTestPair p;
        StartupFrames requests(p.hosts.GetDevice(0));
        StartupFrames replies(p.hosts.GetDevice(1));
        p.connector->SetAttribute("NegotiateReads", BooleanValue(false));
        p.connector->SetAttribute("Ird", UintegerValue(3));
        p.connector->SetAttribute("Ord", UintegerValue(5));
        p.listener->SetAttribute("Ird", UintegerValue(6));
        p.parametersB.initiatorDepth = 2;
        p.onEstablished = [&] {
            NS_TEST_EXPECT_MSG_EQ(Ird(p.a), 3, "IRD of the Initiator stays");
            IWARP_COVERS("ENH-9.1-28");
            NS_TEST_EXPECT_MSG_EQ(Ird(p.b), 6, "IRD of the Responder stays");
            IWARP_COVERS("ENH-9.1-23");
            ReadMany(p.a, p.b);
            ReadMany(p.b, p.a);
        };
        p.Start();
        p.Run(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(requests.Last(), "D0020004 3FFF3FFF", "Request");
        NS_TEST_EXPECT_MSG_EQ(replies.Last(), "D0020004 3FFF3FFF", "Reply");
        IWARP_COVERS("ENH-9.1-22 ENH-9.1-24 ENH-9.1-27");
        NS_TEST_EXPECT_MSG_EQ(Ord(p.a), 5, "ORD of the Initiator stays");
        IWARP_COVERS("ENH-9.1-25");
        NS_TEST_EXPECT_MSG_EQ(Ord(p.b), 2, "ORD of the Responder stays");
        IWARP_COVERS("ENH-9.1-26");
        NS_TEST_EXPECT_MSG_EQ(Successes(p.a), 40, "Reads of the Initiator");
        NS_TEST_EXPECT_MSG_EQ(Successes(p.b), 40, "Reads of the Responder");
        NS_TEST_EXPECT_MSG_EQ(p.a.deviceEvents.size() + p.b.deviceEvents.size(), 0, "all is well");
        NS_TEST_EXPECT_MSG_EQ(
            std::equal(p.a.memory.begin(), p.a.memory.begin() + 40000, p.b.memory.begin() + 500000),
            true,
            "octets of the Responder's Reads");
    }

    /// An Initiator by hand leaves its ORD alone to the ULP, and reads.
    void RawInitiator()
    {
        RdmaTestPair p;
        p.listener->SetAttribute("Ird", UintegerValue(5));
        p.listener->SetStreamAttribute("Markers", BooleanValue(false));
        p.Start(1); // nobody listens there: the peer is made by hand
        RawPeer peer;
        Simulator::Schedule(MilliSeconds(20), [&] { peer.Connect(p.hosts.GetNode(0)); });
        Simulator::Schedule(MilliSeconds(50), [&] {
            peer.end->Send(Hex("4D504120494420526571204672616D65 5002 0004 0010 3FFF"));
        });
        Simulator::Schedule(MilliSeconds(100), [&] {
            NS_TEST_EXPECT_MSG_EQ(Ird(p.b), 5, "IRD of the Responder");
            // a Read of 4 octets at the start of the region (RFC 5040 section 4.4)
            auto read = Hex("4141 00000000 00000001 00000001 00000000"
                            "11223344 0000000000000000 00000004 00000000 0000000000010000");
            const uint32_t rkey = p.b.region->GetRkey();
            for (uint32_t i = 0; i < 4; i++)
            {
                read[34 + i] = static_cast<uint8_t>(rkey >> (24 - 8 * i));
            }
            peer.end->Send(MakeFpdu(read, 0, false));
        });
        std::copy_n("ABCD", 4, p.b.memory.begin());
        p.Run(Seconds(5));
        const auto expected = MakeFpdu(Hex("C142 11223344 0000000000000000 41424344"), 0, false);
        auto all = Hex("4D504120494420526570204672616D65 5002 0004 3FFF 0010");
        all.insert(all.end(), expected.begin(), expected.end());
        NS_TEST_EXPECT_MSG_EQ((peer.end->received == all),
                              true,
                              "Reply, then a response and no Terminate");
        IWARP_COVERS("ENH-9.1-23 ENH-9.1-24");
    }

    /// A Responder by hand names an IRD all the same, as Linux's siw does. @param ird the IRD
    /// @param expected ORD that is used
    void RawResponder(const std::string& ird, uint32_t expected)
    {
        RdmaTestPair p;
        p.connector->SetAttribute("NegotiateReads", BooleanValue(false));
        p.connector->SetAttribute("Ord", UintegerValue(4));
        RawPeer peer;
        peer.Listen(p.hosts.GetNode(1));
        StartConnector(p);
        Simulator::Schedule(MilliSeconds(100), [&] {
            peer.end->Send(Hex("4D504120494420526570204672616D65 5002 0004" + ird + "0010"));
        });
        p.Run(Seconds(5));
        NS_TEST_ASSERT_MSG_EQ(p.a.Count(Kind::ESTABLISHED), 1, "established");
        NS_TEST_EXPECT_MSG_EQ(Ord(p.a), expected, "ORD with an IRD of " << ird);
        IWARP_COVERS("ENH-9.1-16");
    }
};

IWARP_TEST(rdmaNegotiation, "IRD and ORD left to the ULP (0x3FFF)", RdmaUnspecifiedDepthsTest)
{
    VerbsToVerbs();
    RawInitiator();
    RawResponder("0080", 4); // no more than was configured
    RawResponder("0002", 2); // nor than the peer holds
    RawResponder("3FFF", 4);
}

/**
 * What a Responder posts before the Initiator's first message waits and arrives, even if it is more
 * than TCP's send buffer takes.
 */
IWARP_TEST(rdmaNegotiation, "posts beyond the send buffer before the first FPDU")
{
    RdmaTestPair p;
    p.listener->SetSocketAttribute("SndBufSize", UintegerValue(8000));
    p.Start();
    p.b.PostReceive(1, 0, 100);
    for (uint32_t i = 0; i < 20; i++)
    {
        p.a.PostReceive(100 + i, 500000 + 5000 * i, 5000);
    }
    for (uint32_t i = 0; i < 100000; i++)
    {
        p.b.memory[i] = static_cast<uint8_t>(i * 13 + i / 253);
    }
    Simulator::Schedule(MilliSeconds(200), [&] {
        for (uint32_t i = 0; i < 20; i++)
        {
            NS_TEST_EXPECT_MSG_EQ(p.b.qp->PostSend(p.b.Send(i, RdmaOpcode::SEND, 5000 * i, 5000)),
                                  0,
                                  "taken");
        }
    });
    Simulator::Schedule(Seconds(1), [&] {
        p.a.Drain();
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 0, "nothing before the first FPDU");
        p.a.qp->PostSend(p.a.Send(50, RdmaOpcode::SEND, 0, 100));
    });
    p.Run(Seconds(10));
    NS_TEST_EXPECT_MSG_EQ(Successes(p.a), 21, "all came");
    NS_TEST_EXPECT_MSG_EQ(Successes(p.b), 21, "and are done");
    NS_TEST_EXPECT_MSG_EQ(std::equal(p.b.memory.begin() + 100,
                                     p.b.memory.begin() + 100000,
                                     p.a.memory.begin() + 500100),
                          true,
                          "in their order");
}
