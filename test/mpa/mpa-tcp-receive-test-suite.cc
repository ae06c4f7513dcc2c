/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/global-value.h"
#include "ns3/ipv4-header.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-ts.h"

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpReceive, "mpa-tcp-receive");

using ReceiveVerdict = MpaTcpSocket::Verdict;

/// A piece as the segment callback sees it: first octet (from 0) and how many.
using ReceivedPiece = std::pair<uint32_t, uint32_t>;

/**
 * @ingroup iwarp-test
 * A connection whose receiver is fed with segments made by hand.
 */
class InjectTest : public TestCase, private MpaTcpSocket::User
{
  public:
    explicit InjectTest(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    MpaTcpSetup setup;                  //!< what the run is like
    std::unique_ptr<MpaTcpRun> run;     //!< the run
    std::vector<ReceivedPiece> seen;    //!< what the callback saw
    std::vector<bool> drop;             //!< verdicts to come: true to drop
    bool right{true};                   //!< the callback saw the right octets
    std::vector<ReceivedPiece> dropped; //!< SegmentDropped
    uint8_t harm{0};                    //!< added to each octet that is injected
    bool badChecksum{false};            //!< make the checksum wrong
    uint32_t timestamp{0};              //!< of what is injected

    void Begin()
    {
        setup.closeAtEnd = false;
        setup.realOctets = true;
        run = std::make_unique<MpaTcpRun>(setup);
        run->onAccepted = [this](Ptr<MpaTcpSocket> socket) {
            socket->SetUser(this, true);
            socket->TraceConnectWithoutContext("SegmentDropped",
                                               MakeCallback(&InjectTest::NoteDrop, this));
        };
    }

    /// @return the receiving socket
    Ptr<MpaTcpSocket> Receiver()
    {
        return DynamicCast<MpaTcpSocket>(run->receiver);
    }

    /// Let a segment arrive. @param from first octet, from 0 @param to behind the last one
    void Inject(uint32_t from, uint32_t to)
    {
        std::vector<uint8_t> octets;
        for (uint32_t i = from; i < to; ++i)
        {
            octets.push_back(MpaTcpRun::Pattern(i) + harm);
        }
        auto packet = Create<Packet>(octets.data(), octets.size());
        Address local;
        Address peer;
        run->receiver->GetSockName(local);
        run->receiver->GetPeerName(peer);
        const auto to4 = InetSocketAddress::ConvertFrom(local);
        const auto from4 = InetSocketAddress::ConvertFrom(peer);
        TcpHeader tcp;
        tcp.SetSourcePort(from4.GetPort());
        tcp.SetDestinationPort(to4.GetPort());
        tcp.SetSequenceNumber(SequenceNumber32(1 + from));
        tcp.SetAckNumber(SequenceNumber32(1));
        tcp.SetFlags(TcpHeader::ACK);
        tcp.SetWindowSize(30000);
        if (setup.timestamps)
        {
            auto option = CreateObject<TcpOptionTS>();
            option->SetTimestamp(timestamp);
            tcp.AppendOption(option);
        }
        if (Node::ChecksumEnabled())
        {
            tcp.EnableChecksums();
        }
        tcp.InitializeChecksum(badChecksum ? Ipv4Address("1.2.3.4") : from4.GetIpv4(),
                               to4.GetIpv4(),
                               6);
        packet->AddHeader(tcp);
        Ipv4Header ip;
        ip.SetSource(from4.GetIpv4());
        ip.SetDestination(to4.GetIpv4());
        ip.SetProtocol(6);
        ip.SetTtl(64);
        ip.SetPayloadSize(packet->GetSize());
        if (Node::ChecksumEnabled())
        {
            ip.EnableChecksum();
        }
        packet->AddHeader(ip);
        PppHeader ppp;
        ppp.SetProtocol(0x0021);
        packet->AddHeader(ppp);
        DynamicCast<PointToPointNetDevice>(run->devices.Get(1))->Receive(packet);
    }

    /// @param expected what the callback is to have seen since the last time @param what in words
    void Expect(const std::vector<ReceivedPiece>& expected, const std::string& what)
    {
        std::string text = what + ":";
        for (const auto& [from, size] : seen)
        {
            text += " " + std::to_string(from) + "+" + std::to_string(size);
        }
        NS_TEST_EXPECT_MSG_EQ((seen == expected), true, text);
        seen.clear();
    }

  private:
    ReceiveVerdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> p) override
    {
        const uint32_t from = seq.GetValue() - 1;
        seen.emplace_back(from, p->GetSize());
        std::vector<uint8_t> octets(p->GetSize());
        p->CopyData(octets.data(), octets.size());
        for (uint32_t i = 0; i < octets.size(); ++i)
        {
            right = right && octets[i] == uint8_t(MpaTcpRun::Pattern(from + i) + harm);
        }
        if (!drop.empty())
        {
            const bool now = drop.front();
            drop.erase(drop.begin());
            return now ? ReceiveVerdict::DROP : ReceiveVerdict::KEEP;
        }
        return ReceiveVerdict::KEEP;
    }

    void EmssChanged(uint32_t /* emss */) override
    {
    }

    void NoteDrop(SequenceNumber32 seq, uint32_t size)
    {
        dropped.emplace_back(seq.GetValue() - 1, size);
    }
};

/**
 * Segments in and out of order, overlapping and repeated: the callback sees each octet once, when
 * it comes; repeated octets with other contents
 * change nothing; dropped ones count as lost.
 */
struct OverlapTest : InjectTest
{
    using InjectTest::InjectTest;

    void Steps()
    {
        Inject(1000, 2000);
        Expect({{1000, 1000}}, "out of order, seen at once");
        IWARP_COVERS("MPA-A.3-01 MPA-A.3-06");
        NS_TEST_EXPECT_MSG_EQ(run->received, 0U, "but not readable");
        NS_TEST_EXPECT_MSG_EQ(Receiver()->GetNextRxOctet().GetValue(), 1U, "left edge");
        IWARP_COVERS("MPA-A.3-07");
        NS_TEST_EXPECT_MSG_EQ(Receiver()->HoldsReceivedData(), true, "held");
        Inject(500, 1500);
        Expect({{500, 500}}, "the front is new");
        Inject(1500, 2500);
        Expect({{2000, 500}}, "the back is new");
        harm = 1;
        Inject(1000, 2000);
        Expect({}, "nothing is new");
        IWARP_COVERS("MPA-A.3-05");
        Inject(600, 900);
        Expect({}, "nothing is new, in the middle of what is there");
        harm = 0;
        Inject(4000, 4500);
        Expect({{4000, 500}}, "another island");
        drop = {true};
        Inject(3000, 3500);
        Expect({{3000, 500}}, "seen, and dropped");
        NS_TEST_EXPECT_MSG_EQ((dropped == std::vector<ReceivedPiece>{{3000, 500}}),
                              true,
                              "which is told");
        drop = {false, true};
        Inject(2400, 5000);
        Expect({{2500, 1500}, {4500, 500}}, "both sides of the island, the second one dropped");
        NS_TEST_EXPECT_MSG_EQ((dropped.back() == ReceivedPiece{4500, 500}), true, "which is told");
        Inject(4400, 4800);
        Expect({{4500, 300}}, "so it is new still");
        const size_t acks = run->acks.size();
        drop = {true};
        Inject(0, 500);
        Expect({{0, 500}}, "in order, and dropped");
        NS_TEST_EXPECT_MSG_EQ(run->acks.size(), acks, "without an ACK");
        NS_TEST_EXPECT_MSG_EQ(run->received, 0U, "nothing is readable");
        Inject(0, 4900);
        Expect({{0, 500}, {4800, 100}}, "all the rest at once");
        NS_TEST_EXPECT_MSG_EQ(run->received, 4900U, "readable");
        NS_TEST_EXPECT_MSG_EQ(run->intact, true, "unharmed");
        NS_TEST_EXPECT_MSG_EQ(run->acks.back().ack, 4901U, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(Receiver()->GetNextRxOctet().GetValue(), 4901U, "left edge");
        IWARP_COVERS("MPA-A.3-07");
        NS_TEST_EXPECT_MSG_EQ(Receiver()->HoldsReceivedData(), false, "nothing is held");
        Inject(4000, 4900);
        Expect({}, "all old");
        Inject(4800, 5000);
        Expect({{4900, 100}}, "half old");
        NS_TEST_EXPECT_MSG_EQ(run->received, 5000U, "readable");
        NS_TEST_EXPECT_MSG_EQ(right, true, "the callback saw the right octets");
    }
};

IWARP_TEST(mpaTcpReceive, "overlapping segments", OverlapTest)
{
    setup.timestamps = false;
    setup.scaling = false;
    Begin();
    Simulator::ScheduleWithContext(run->nodes.Get(1)->GetId(), Seconds(1.5), [this]() { Steps(); });
    run->Run();
}

/// Harmful duplicates between islands: what is stored stays as it was.
IWARP_TEST(mpaTcpReceive, "duplicates with other contents", InjectTest)
{
    setup.timestamps = false;
    Begin();
    Simulator::ScheduleWithContext(run->nodes.Get(1)->GetId(), Seconds(1.5), [this]() {
        Inject(100, 200);
        Inject(300, 400);
        seen.clear();
        harm = 9;
        Inject(50, 450); // covers both islands
        Expect({{50, 50}, {200, 100}, {400, 50}}, "what is new");
        harm = 0;
        Inject(0, 50);
    });
    std::vector<uint8_t> octets;
    run->onReadable = [this, &octets]() {
        Ptr<Packet> p = run->receiver->Recv();
        octets.resize(p->GetSize());
        p->CopyData(octets.data(), octets.size());
    };
    run->Run();
    NS_TEST_ASSERT_MSG_EQ(octets.size(), 450U, "all in order");
    for (uint32_t i = 0; i < 450; ++i)
    {
        const bool first = i < 50 || (i >= 100 && i < 200) || (i >= 300 && i < 400);
        NS_TEST_ASSERT_MSG_EQ(+octets[i],
                              +uint8_t(MpaTcpRun::Pattern(i) + (first ? 0 : 9)),
                              "what came first stays, at " << i);
        IWARP_COVERS("MPA-A.3-05");
    }
}

/**
 * What TCP does not keep, the callback does not see: bad checksums, segments outside
 * the window, octets beyond its right edge, old timestamps.
 */
struct UnacceptableTest : InjectTest
{
    using InjectTest::InjectTest;

    void Steps()
    {
        timestamp = 5000;
        Inject(0, 100);
        Expect({{0, 100}}, "a good one");
        for (uint32_t i = 0; i < 100; ++i)
        {
            badChecksum = true;
            Inject(100, 200);
            badChecksum = false;
            Inject(20100 + i, 20200 + i);
            timestamp = 4999 - i;
            Inject(100 + i, 200 + i);
            timestamp = 5000;
        }
        Expect({}, "checksum, window, timestamp");
        IWARP_COVERS("MPA-A.3-02");
        NS_TEST_EXPECT_MSG_EQ(run->acks.back().ack, 101U, "but TCP answers");
        timestamp = 6000;
        Inject(100, 200);
        Expect({{100, 100}}, "a newer one");
        timestamp = 5999;
        Inject(300, 400);
        Expect({}, "old against that one");
        timestamp = 0x80002000;
        Inject(200, 300);
        Expect({}, "old, since the clock of timestamps wraps");
        timestamp = 0x70000000;
        Inject(200, 300);
        Expect({{200, 100}}, "newer");
        timestamp = 0xe0000000;
        Inject(300, 400);
        Expect({{300, 100}}, "newer, by wrapping arithmetic");
        timestamp = 10;
        Inject(400, 500);
        Expect({{400, 100}}, "newer, behind the wrap");
        NS_TEST_EXPECT_MSG_EQ(run->received, 500U, "all of the good ones");
        // The window: nothing is read from here on
        run->onReadable = []() {};
        Inject(500, 1000);
        Inject(19500, 20600);
        Expect({{500, 500}, {19500, 1000}}, "cut at the right edge, 20000 from octet 500 on");
        NS_TEST_EXPECT_MSG_EQ(right, true, "the right octets");
    }
};

IWARP_TEST(mpaTcpReceive, "unacceptable segments", UnacceptableTest)
{
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    setup.rcvBuf = 20000;
    setup.delAck = 1; // TS.Recent goes with the ACKs
    Begin();
    Simulator::ScheduleWithContext(run->nodes.Get(1)->GetId(), Seconds(1.5), [this]() { Steps(); });
    run->Run();
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
}

/**
 * @ingroup iwarp-test
 * Verdicts on a whole transfer. TAKE: nothing is stored or read, and both ends send the same
 * segments as otherwise. DROP: the segment comes again.
 */
class VerdictTest : public TestCase, private MpaTcpSocket::User
{
  public:
    VerdictTest(double loss, bool sack)
        : TestCase(std::string("taken and dropped segments") + (loss > 0 ? ", loss" : "") +
                   (sack ? ", SACK" : "")),
          m_loss(loss),
          m_sack(sack)
    {
    }

  private:
    std::unique_ptr<MpaTcpRun> Go(ReceiveVerdict verdict, bool parts = false)
    {
        m_verdict = verdict;
        m_parts = parts;
        m_octets = 0;
        m_right = true;
        m_drops = 0;
        MpaTcpSetup setup;
        setup.loss = m_loss;
        setup.sack = m_sack;
        setup.realOctets = true;
        setup.rcvBuf = 60000;
        setup.records.assign(1000, 1200);
        setup.stop = Seconds(1000);
        auto run = std::make_unique<MpaTcpRun>(setup);
        run->onAccepted = [this](Ptr<MpaTcpSocket> socket) {
            m_socket = socket;
            socket->SetUser(this, true);
            socket->TraceConnectWithoutContext("SegmentDropped",
                                               MakeCallback(&VerdictTest::NoteDrop, this));
        };
        m_count = 0;
        run->onReadable = [this, r = run.get()]() {
            // Octets out of order are stored and come here once the gap is filled
            while (r->receiver->GetRxAvailable() > 0)
            {
                r->receiver->Recv();
            }
            m_edge = m_socket->GetNextRxOctet().GetValue() - 1;
        };
        run->Run();
        NS_TEST_EXPECT_MSG_EQ(m_octets, 1200000U, "each octet is seen once");
        NS_TEST_EXPECT_MSG_EQ(m_right, true, "and is the right one");
        NS_TEST_EXPECT_MSG_EQ(m_edge, 1200000U, "the left edge has moved to the end");
        NS_TEST_EXPECT_MSG_EQ(run->closed, true, "closed");
        m_socket = nullptr;
        return run;
    }

    ReceiveVerdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> p) override
    {
        if (m_verdict == ReceiveVerdict::DROP && ++m_count % 10 == 0)
        {
            return ReceiveVerdict::DROP;
        }
        std::vector<uint8_t> octets(p->GetSize());
        const bool last = seq.GetValue() - 1 + octets.size() == 1200000; // a FIN is with it
        if (m_parts && (++m_count % 10 == 0 || last) && seq == m_socket->GetNextRxOctet())
        {
            octets.resize(1 + m_count % octets.size());
            m_socket->KeepFirst(octets.size());
        }
        p->CopyData(octets.data(), octets.size());
        for (uint32_t i = 0; i < octets.size(); ++i)
        {
            m_right = m_right && octets[i] == MpaTcpRun::Pattern(seq.GetValue() - 1 + i);
        }
        m_octets += octets.size();
        return m_verdict == ReceiveVerdict::DROP ? ReceiveVerdict::KEEP : m_verdict;
    }

    void EmssChanged(uint32_t /* emss */) override
    {
    }

    void NoteDrop(SequenceNumber32 seq, uint32_t size)
    {
        ++m_drops;
    }

    void DoRun() override
    {
        auto keep = Go(ReceiveVerdict::KEEP);
        auto take = Go(ReceiveVerdict::TAKE);
        NS_TEST_EXPECT_MSG_EQ((keep->sent == take->sent), true, "the same segments");
        NS_TEST_EXPECT_MSG_EQ((keep->acks == take->acks), true, "and ACKs");
        auto dropped = Go(ReceiveVerdict::DROP);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_drops, 111U, 15U, "a tenth is dropped, and seen again");
        NS_TEST_EXPECT_MSG_EQ((dropped->CountData() >= 1000 + m_drops), true, "and sent again");
        for (auto verdict : {ReceiveVerdict::KEEP, ReceiveVerdict::TAKE})
        {
            auto parts = Go(verdict, true);
            NS_TEST_EXPECT_MSG_GT(m_drops, 50U, "the rest of each tenth in order is dropped");
            NS_TEST_EXPECT_MSG_EQ((parts->CountData() >= 1000 + m_drops), true, "and sent again");
        }
    }

    double m_loss;              //!< share lost by the path
    bool m_sack;                //!< SACK
    ReceiveVerdict m_verdict;   //!< what to say
    bool m_parts{false};        //!< keep only the beginning of some segments
    uint64_t m_octets{0};       //!< octets seen
    uint32_t m_count{0};        //!< segments seen
    uint32_t m_drops{0};        //!< SegmentDropped
    uint32_t m_edge{0};         //!< left edge
    bool m_right{true};         //!< they were the right ones
    Ptr<MpaTcpSocket> m_socket; //!< receiver
};

IWARP_TEST_CASES(mpaTcpReceive)
{
    for (double loss : {0.0, 0.02})
    {
        suite.AddTestCase(new VerdictTest(loss, false));
        suite.AddTestCase(new VerdictTest(loss, true));
    }
}

} // namespace
