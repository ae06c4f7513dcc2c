/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-segment-run.h"
#include "mpa-stream-peer.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of what waits in MPA's queues.
IWARP_TEST_SUITE(mpaStreamQueue, "mpa-stream-queue");

/// ULPDUs made for three values of the MULPDU wait together in the send queue, and leave whole.
IWARP_TEST(mpaStreamQueue, "ULPDUs of older MULPDUs in the queue")
{
    // MTU less 40 octets of IP and TCP, 2 of length and 4 of CRC
    const std::vector<uint32_t> mulpdus{1454, 1394, 1294};
    MpaSegmentRun run;
    run.Run([&] {
        for (uint32_t i = 0; i < mulpdus.size(); i++)
        {
            run.stream[0]->GetSocket()->SetPathMtu(mulpdus[i] + 46);
            NS_TEST_EXPECT_MSG_EQ(run.stream[0]->GetMulpdu(), mulpdus[i], "MULPDU now");
            SendUlpdu(run.stream[0], PatternUlpdu(mulpdus[i], i));
        }
        NS_TEST_EXPECT_MSG_EQ(run.segments.size(), 0, "all wait");
    });
    NS_TEST_ASSERT_MSG_EQ(run.log[1].passed.size(), mulpdus.size(), "all are sent");
    for (uint32_t i = 0; i < mulpdus.size(); i++)
    {
        NS_TEST_EXPECT_MSG_EQ((run.log[1].passed[i].octets == PatternUlpdu(mulpdus[i], i)),
                              true,
                              "of " << mulpdus[i] << " octets");
    }
    IWARP_COVERS("DDP-3-4");
}

/**
 * ULPDUs that fill segments badly take more of them than their octets need, and those queued
 * behind them take none more.
 */
IWARP_TEST(mpaStreamQueue, "full segments behind odd ULPDUs")
{
    MpaSegmentRun run;
    run.Run([&] {
        for (uint32_t i = 0; i < 200; i++)
        {
            SendUlpdu(run.stream[0], PatternUlpdu(i < 100 ? 1000 : 1454, i));
        }
    });
    NS_TEST_ASSERT_MSG_EQ(run.segments.size(), 200, "one each");
    for (uint32_t i = 0; i < 200; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(run.segments[i].size, (i < 100 ? 1008 : 1460), "segment " << i);
    }
    IWARP_COVERS("MPA-B.2.2-06");
}

/// A congestion window that is no whole number of segments.
class FixedWindow : public TcpNewReno
{
  public:
    static constexpr uint32_t WINDOW = 4000; //!< octets

  private:
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t /* segments */) override
    {
        tcb->m_cWnd = WINDOW;
    }
};

/// A congestion window counted in octets leaves room for a part of an FPDU: it is not sent.
IWARP_TEST(mpaStreamQueue, "a congestion window of 4000 octets")
{
    MpaSegmentRun run(false, MilliSeconds(1));
    run.onSocket = [](Ptr<MpaTcpSocket> socket) {
        socket->SetCongestionControlAlgorithm(CreateObject<FixedWindow>());
    };
    uint32_t first = 0;
    run.Run([&] {
        for (uint32_t i = 0; i < 20; i++)
        {
            SendUlpdu(run.stream[0], PatternUlpdu(1454, i));
        }
        Simulator::Schedule(MilliSeconds(1), [&] { first = run.segments.size(); });
    });
    NS_TEST_EXPECT_MSG_EQ(first, 2, "two segments of 1460 octets within 4000");
    NS_TEST_EXPECT_MSG_EQ(run.segments.size(), 20, "one an FPDU");
    NS_TEST_EXPECT_MSG_EQ(run.AreAligned(), true, "none is cut");
    IWARP_COVERS("MPA-5.1-09");
}

/**
 * FPDUs that are framed as TCP sends (attribute FramingAhead) go out as fast as those that wait in
 * its send buffer, also if less than one FPDU is framed ahead: what TCP sends makes room for the
 * next one, and no acknowledgment, which the peer may delay, is waited for.
 */
struct MpaFramingAheadTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t OCTETS = 1000000; //!< of all ULPDUs, at least

    /// @param mtu MTU of the link @param ahead FramingAhead @return name of that transfer
    static std::string Name(uint32_t mtu, uint32_t ahead)
    {
        return "MTU " + std::to_string(mtu) + ", FramingAhead " + std::to_string(ahead);
    }

    /// @param mtu MTU of the link @param ahead FramingAhead of the sender @return how long it takes
    /// until the last ULPDU has come
    Time Transfer(uint32_t mtu, uint32_t ahead)
    {
        const Time begin = Seconds(1);
        MpaStreamLog log[2];
        Ptr<MpaStream> streams[2];
        MpaLinkedHosts hosts(MilliSeconds(1), mtu);
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                streams[0] = log[0].MakeStream(socket);
                streams[0]->SetAttribute("FramingAhead", UintegerValue(ahead));
                streams[0]->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                streams[1] = log[1].MakeStream(socket);
                streams[1]->StartResponder();
            });
        uint32_t size = 0;
        uint32_t count = 0;
        uint32_t sent = 0;
        log[0].fill = [&](Ptr<MpaStream> stream) {
            while (sent < count && SendUlpdu(stream, PatternUlpdu(size, sent)) > 0)
            {
                ++sent;
            }
        };
        Simulator::Schedule(begin, [&] {
            size = streams[0]->GetMulpdu();
            count = OCTETS / size + 1;
            log[0].fill(streams[0]);
        });
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        Simulator::Destroy();

        const std::string name = Name(mtu, ahead);
        NS_TEST_EXPECT_MSG_GT(size, mtu - 200, name << ": an FPDU fills a segment");
        NS_TEST_EXPECT_MSG_EQ(log[0].errors.size() + log[1].errors.size(), 0, name);
        NS_TEST_EXPECT_MSG_EQ(log[1].delivered, count, name << ": all are delivered");
        const auto& passed = log[1].passed;
        NS_TEST_EXPECT_MSG_EQ(passed.size(), count, name << ": each once");
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < passed.size(); ++i)
        {
            wrong += passed[i].octets != PatternUlpdu(size, i);
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, name << ": octets and order");
        return passed.empty() ? Seconds(1000) : passed.back().when - begin;
    }
};

IWARP_TEST(mpaStreamQueue, "FPDUs framed as TCP sends wait for no ACK", MpaFramingAheadTest)
{
    for (const uint32_t mtu : {1500, 9000})
    {
        const double expected = Transfer(mtu, 0).GetSeconds();
        for (const uint32_t ahead : {1, 1000, 4000})
        {
            const double time = Transfer(mtu, ahead).GetSeconds();
            NS_TEST_EXPECT_MSG_EQ_TOL(time, expected, 0.1 * expected, Name(mtu, ahead));
        }
    }
}

/**
 * The segment behind a lost one is acknowledged selectively when it comes, and its FPDU is passed
 * at the same time.
 */
struct MpaSackTest : TestCase
{
    using TestCase::TestCase;

    /// The Responder sends. @param header its header
    void NoteSent(Ptr<const Packet> /* packet */,
                  const TcpHeader& header,
                  Ptr<const TcpSocketBase> /* socket */)
    {
        const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
        if (option && m_when.IsZero())
        {
            m_when = Simulator::Now();
            m_block = option->GetSackList().front();
        }
    }

    Time m_when;                      //!< of the first SACK option
    TcpOptionSack::SackBlock m_block; //!< its first block
};

IWARP_TEST(mpaStreamQueue, "SACK and an FPDU out of order at the same time", MpaSackTest)
{
    MpaSegmentRun run(true); // Markers show where an FPDU begins
    run.Run([&] {
        auto loss = CreateObject<ReceiveListErrorModel>();
        loss->SetList({2});
        run.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        run.stream[1]->GetSocket()->TraceConnectWithoutContext(
            "Tx",
            MakeCallback(&MpaSackTest::NoteSent, this));
        for (uint32_t i = 0; i < 5; i++)
        {
            SendUlpdu(run.stream[0], PatternUlpdu(1442, i));
        }
    });
    const auto& passed = run.log[1].passed;
    NS_TEST_ASSERT_MSG_EQ(passed.size(), 5, "all come in the end");
    NS_TEST_EXPECT_MSG_EQ((passed[2].octets == PatternUlpdu(1442, 3)), true, "the fourth");
    NS_TEST_EXPECT_MSG_EQ(passed[2].inOrder, false, "before the third");
    NS_TEST_EXPECT_MSG_EQ(m_block.first.GetValue(), run.segments[3].seq, "left edge");
    NS_TEST_EXPECT_MSG_EQ(m_block.second.GetValue(),
                          run.segments[3].seq + run.segments[3].size,
                          "right edge");
    NS_TEST_EXPECT_MSG_EQ(passed[2].when, m_when, "at the same time");
    IWARP_COVERS("MPA-A.3-03");
}

/**
 * A frame of the peer is not taken for one until the upper layer starts MPA, in a role that it
 * names.
 */
IWARP_TEST(mpaStreamQueue, "no MPA before the upper layer has chosen a role")
{
    MpaStreamAndPeer run;
    const MpaStreamLog& log = run.log;
    run.Connect(
        false,
        [](Ptr<MpaStream> stream) { stream->SetAttribute("Markers", BooleanValue(false)); },
        MpaFrame(false, 0x40));
    Simulator::Schedule(MilliSeconds(100), [&] {
        NS_TEST_EXPECT_MSG_EQ(log.privateData.size() + log.passed.size() + log.errors.size(),
                              0,
                              "nothing is taken for a frame or an FPDU");
        NS_TEST_EXPECT_MSG_EQ((run.stream->GetState() == MpaStartup::State::STREAM), true, "state");
        IWARP_COVERS("ENH-4.2-1");
        NS_TEST_EXPECT_MSG_EQ(run.stream->Accept(), false, "no role, nothing to accept");
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(run.stream, PatternUlpdu(10, 1)), -1, "nor to send");
        NS_TEST_EXPECT_MSG_EQ(run.peer->received.size(), 0, "and nothing is sent");
        IWARP_COVERS("MPA-7.1-11");
        run.stream->StartResponder();
    });
    run.SendAt(MilliSeconds(200), MakeFpdu(PatternUlpdu(40, 1), 0, false));
    run.Run(Seconds(1));
    NS_TEST_ASSERT_MSG_EQ(log.passed.size(), 1, "then it is an FPDU");
    NS_TEST_EXPECT_MSG_EQ((log.passed[0].octets == PatternUlpdu(40, 1)), true, "its ULPDU");
}

} // namespace
