/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

/// MPA over sockets: transfer.
IWARP_TEST_SUITE(mpaStreamTransfer, "mpa-stream-transfer");

/**
 * @ingroup iwarp-tests
 * Two streams over a link, the left one Initiator; a test sends once both are in Full Operation.
 */
class MpaStreamPairTestCase : public TestCase
{
  public:
    /// @param name of the case
    explicit MpaStreamPairTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    static constexpr uint32_t LEFT = 0;  //!< Initiator
    static constexpr uint32_t RIGHT = 1; //!< Responder

    /// Connect, and wait until 100 ms. @param delay one-way delay of the link
    void Start(Time delay = MilliSeconds(1))
    {
        m_hosts = std::make_unique<MpaLinkedHosts>(delay);
        m_hosts->Connect(
            [this](Ptr<MpaTcpSocket> socket) {
                m_stream[LEFT] = m_log[LEFT].MakeStream(socket);
                Configure(LEFT, m_stream[LEFT], socket);
                m_stream[LEFT]->StartInitiator();
            },
            [this](Ptr<MpaTcpSocket> socket) {
                m_stream[RIGHT] = m_log[RIGHT].MakeStream(socket);
                Configure(RIGHT, m_stream[RIGHT], socket);
                m_stream[RIGHT]->StartResponder();
            });
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_log[LEFT].established.size(), 1, "Full Operation");
    }

    /// Set attributes before startup. @param side LEFT or RIGHT @param stream its stream @param
    /// socket its socket
    virtual void Configure(uint32_t /* side */,
                           Ptr<MpaStream> /* stream */,
                           Ptr<MpaTcpSocket> /* socket */)
    {
    }

    /// Go on for a while. @param time how long
    void RunFor(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    /// End of the test.
    void Finish()
    {
        m_stream[LEFT] = nullptr;
        m_stream[RIGHT] = nullptr;
        Simulator::Destroy();
        m_hosts.reset();
    }

    std::unique_ptr<MpaLinkedHosts> m_hosts; //!< the hosts
    MpaStreamLog m_log[2];                   //!< what the streams report
    Ptr<MpaStream> m_stream[2];              //!< the streams
};

/**
 * @ingroup iwarp-tests
 * One segment of ten is lost: with Markers the others are passed on arrival with their order, and
 * delivered when the gap closes; a receiver without out-of-order passing waits for all of them.
 */
class MpaStreamGapTestCase : public MpaStreamPairTestCase
{
  public:
    /// @param markers the receiver asks for Markers @param outOfOrder it passes out of order
    MpaStreamGapTestCase(bool markers, bool outOfOrder)
        : MpaStreamPairTestCase(std::string("a lost segment, Markers ") + (markers ? "on" : "off") +
                                ", out of order " + (outOfOrder ? "on" : "off")),
          m_markers(markers),
          m_outOfOrder(outOfOrder)
    {
    }

  private:
    void Configure(uint32_t side, Ptr<MpaStream> stream, Ptr<MpaTcpSocket> socket) override
    {
        stream->SetAttribute("Markers", BooleanValue(m_markers));
        stream->SetAttribute("OutOfOrder", BooleanValue(m_outOfOrder));
        socket->SetAttribute("InitialCwnd", UintegerValue(20));
        if (side == RIGHT)
        {
            stream->TraceConnectWithoutContext(
                "Delivered",
                MakeCallback(&MpaStreamGapTestCase::NoteDelivery, this));
        }
    }

    /// ULPDUs were delivered. @param count how many
    void NoteDelivery(uint32_t count)
    {
        const uint32_t edge = m_stream[RIGHT]->GetSocket()->GetNextRxOctet().GetValue();
        m_deliveries.insert(m_deliveries.end(), count, Delivery{Simulator::Now(), edge});
    }

    /// Compare each ULPDU's delivery with its place and with when it was passed. @param waiting
    /// the first ULPDU that was passed ahead of another one
    void CheckDeliveries(uint32_t waiting)
    {
        const auto& passed = m_log[RIGHT].passed;
        for (uint32_t i = 0; i < 10; ++i)
        {
            const auto& [when, edge] = m_deliveries[i];
            // without Markers an FPDU has 6 octets more than its ULPDU
            const uint32_t next = i < 9 ? passed[i + 1].seq : passed[i].seq + 1436;
            NS_TEST_EXPECT_MSG_EQ((static_cast<int32_t>(edge - next) >= 0),
                                  true,
                                  "TCP has all before its end, ULPDU " << i);
            IWARP_COVERS("MPA-3-14 MPA-A.3-07 MPA-B.1.4-02");
            if (i < waiting)
            {
                NS_TEST_EXPECT_MSG_EQ(when, passed[i].when, "as it is passed, ULPDU " << i);
                IWARP_COVERS("MPA-1.2-03");
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(when, passed[LOST].when, "by the gap's end, ULPDU " << i);
                IWARP_COVERS("MPA-1.2-01 MPA-2-02 MPA-A.4-04");
            }
        }
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(20));
        Start();
        auto drop = CreateObject<ReceiveListErrorModel>();
        drop->SetList({LOST}); // counts from here on
        m_hosts->GetDevice(RIGHT)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
        for (uint32_t i = 0; i < 10; ++i)
        {
            SendUlpdu(m_stream[LEFT], PatternUlpdu(1430, i));
        }
        RunFor(MilliSeconds(1)); // 10 segments take 0.12 ms and 1 ms on the way
        RunFor(MicroSeconds(150));
        const bool mayPass = m_markers && m_outOfOrder;
        const std::size_t early = m_log[RIGHT].passed.size();
        NS_TEST_EXPECT_MSG_EQ(early, (mayPass ? 9 : LOST), "passed before the retransmission");
        IWARP_COVERS("MPA-3-12 MPA-6-05 MPA-A.3-01");
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].delivered, LOST, "delivered: those before the gap");
        IWARP_COVERS("MPA-A.3-08");
        NS_TEST_EXPECT_MSG_EQ((m_stream[RIGHT]->GetHeld() == 0),
                              mayPass,
                              "what was not passed is held");
        IWARP_COVERS("MPA-A.5-02 MPA-B-01");
        RunFor(Seconds(3));

        auto& passed = m_log[RIGHT].passed;
        NS_TEST_ASSERT_MSG_EQ(passed.size(), 10, "all passed once");
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].delivered, 10, "all delivered");
        NS_TEST_EXPECT_MSG_EQ(m_stream[RIGHT]->GetHeld(), 0, "nothing is held");
        NS_TEST_EXPECT_MSG_EQ(std::is_sorted(passed.begin(),
                                             passed.end(),
                                             [](const auto& a, const auto& b) {
                                                 return static_cast<int32_t>(a.seq - b.seq) < 0;
                                             }),
                              !mayPass,
                              "order of passing");
        std::sort(passed.begin(), passed.end(), [](const auto& a, const auto& b) {
            return static_cast<int32_t>(a.seq - b.seq) < 0;
        });
        for (uint32_t i = 0; i < 10; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ((passed[i].octets == PatternUlpdu(1430, i)),
                                  true,
                                  "sequence numbers give the order of the peer");
            IWARP_COVERS("MPA-1.2-01 MPA-3-13 MPA-A.3-06");
        }
        NS_TEST_ASSERT_MSG_EQ(m_deliveries.size(), 10, "each delivered once");
        CheckDeliveries(mayPass ? LOST + 1 : 10);
        Finish();
        Config::Reset();
    }

    /// When a ULPDU was delivered, and the sequence number that TCP awaited then.
    struct Delivery
    {
        Time when;     //!< time
        uint32_t edge; //!< left edge of the receive window
    };

    static constexpr uint32_t LOST = 2; //!< number of the ULPDU whose segment is lost

    bool m_markers;                     //!< attribute Markers
    bool m_outOfOrder;                  //!< attribute OutOfOrder
    std::vector<Delivery> m_deliveries; //!< of ULPDUs, in their order
};

/**
 * @ingroup iwarp-tests
 * Aligned or unaligned sender, out-of-order or in-order receiver: all four pairings carry the same
 * ULPDUs under loss.
 */
class MpaStreamPairingTestCase : public MpaStreamPairTestCase
{
  public:
    /// @param aligned sender keeps FPDUs aligned @param outOfOrder receiver passes out of order
    MpaStreamPairingTestCase(bool aligned, bool outOfOrder)
        : MpaStreamPairTestCase(std::string(aligned ? "aligned" : "unaligned") + " sender, " +
                                (outOfOrder ? "out-of-order" : "in-order") + " receiver"),
          m_aligned(aligned),
          m_outOfOrder(outOfOrder)
    {
    }

  private:
    void Configure(uint32_t side, Ptr<MpaStream> stream, Ptr<MpaTcpSocket> socket) override
    {
        socket->SetAttribute("Alignment", BooleanValue(m_aligned));
        stream->SetAttribute("OutOfOrder", BooleanValue(m_outOfOrder));
        if (side == LEFT)
        {
            m_log[side].fill = [this](Ptr<MpaStream> left) { Fill(left); };
        }
    }

    /// Send until the buffer is full. @param stream stream
    void Fill(Ptr<MpaStream> stream)
    {
        while (m_sent < COUNT &&
               SendUlpdu(stream, PatternUlpdu(1 + m_sent * 37 % 1442, m_sent)) > 0)
        {
            ++m_sent;
        }
    }

    void DoRun() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        Start();
        auto loss = CreateObject<RateErrorModel>();
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->SetRate(0.02);
        loss->AssignStreams(1);
        m_hosts->GetDevice(RIGHT)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
        Fill(m_stream[LEFT]);
        RunFor(Seconds(200));
        auto& passed = m_log[RIGHT].passed;
        NS_TEST_ASSERT_MSG_EQ(passed.size(), COUNT, "all passed");
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].delivered, COUNT, "all delivered");
        std::sort(passed.begin(), passed.end(), [](const auto& a, const auto& b) {
            return static_cast<int32_t>(a.seq - b.seq) < 0;
        });
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            wrong += passed[i].octets != PatternUlpdu(1 + i * 37 % 1442, i);
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "ULPDUs intact");
        IWARP_COVERS("MPA-1.2-04 MPA-5.1-12");
        Finish();
    }

    static constexpr uint32_t COUNT = 1500; //!< ULPDUs, 1 MB
    bool m_aligned;                         //!< attribute Alignment
    bool m_outOfOrder;                      //!< attribute OutOfOrder
    uint32_t m_sent{0};                     //!< ULPDUs sent
};

/**
 * @ingroup iwarp-tests
 * What Send() refuses, MULPDU, and a path MTU cut in mid-stream.
 */
class MpaStreamSendTestCase : public MpaStreamPairTestCase
{
  public:
    /// @param markers the receiver asks for Markers
    explicit MpaStreamSendTestCase(bool markers)
        : MpaStreamPairTestCase(std::string("sending, MULPDU and MTU changes, Markers ") +
                                (markers ? "on" : "off")),
          m_markers(markers)
    {
    }

  private:
    void Configure(uint32_t side, Ptr<MpaStream> stream, Ptr<MpaTcpSocket> /* socket */) override
    {
        stream->SetAttribute("Markers", BooleanValue(m_markers));
        m_log[side].mulpduChanged = [this](Ptr<MpaStream> changed) {
            m_mulpdu.push_back(changed->GetMulpdu());
        };
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        Start();
        auto stream = m_stream[LEFT];
        NS_TEST_EXPECT_MSG_EQ(stream->GetMulpdu(), (m_markers ? 1442 : 1454), "EMSS 1460");
        IWARP_COVERS("MPA-3-03 MPA-4.5-01 MPA-4.5-02 MPA-5.1-01");
        std::vector<uint8_t> big(64769);
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, big), -1, "too long");
        NS_TEST_EXPECT_MSG_EQ((stream->GetErrno() == Socket::ERROR_MSGSIZE), true, "says so");
        IWARP_COVERS("MPA-3-06");
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, {}), -1, "empty");
        big.resize(64768);
        const auto socket = stream->GetSocket();
        socket->SetAttribute("SndBufSize", UintegerValue(60000));
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, big), -1, "larger than the whole buffer");
        NS_TEST_EXPECT_MSG_EQ((stream->GetErrno() == Socket::ERROR_MSGSIZE), true, "for ever");
        socket->SetAttribute("SndBufSize", UintegerValue(131072));
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, big), 64768, "longest ULPDU");
        IWARP_COVERS("MPA-3-06");
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, big), 64768, "again");
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, big), -1, "the buffer of 128 KiB is full");
        NS_TEST_EXPECT_MSG_EQ((stream->GetErrno() == Socket::ERROR_AGAIN), true, "says so");
        stream->SetAttribute("RefuseAboveMulpdu", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(SendUlpdu(stream, PatternUlpdu(1455, 1)), -1, "above MULPDU");
        NS_TEST_EXPECT_MSG_EQ((stream->GetErrno() == Socket::ERROR_MSGSIZE), true, "says so");
        IWARP_COVERS("MPA-3-08");
        RunFor(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].delivered, 2, "over 45 segments each");
        IWARP_COVERS("MPA-3-08");

        // two FPDUs of 600 octets leave 260 in the segment
        if (!m_markers)
        {
            stream->SetAttribute("DynamicMulpdu", BooleanValue(true));
            SendUlpdu(stream, PatternUlpdu(594, 1));
            SendUlpdu(stream, PatternUlpdu(594, 2));
            NS_TEST_EXPECT_MSG_EQ(stream->GetMulpdu(), 254, "the room left");
            IWARP_COVERS("MPA-4.5-04 MPA-4.5-05");
            SendUlpdu(stream, PatternUlpdu(254, 3));
            NS_TEST_EXPECT_MSG_EQ(stream->GetMulpdu(), 1454, "then a new segment");
            IWARP_COVERS("MPA-A.2-07");
            stream->SetAttribute("DynamicMulpdu", BooleanValue(false));
        }
        const uint64_t before = m_log[RIGHT].delivered;
        for (uint32_t i = 0; i < 20; ++i)
        {
            SendUlpdu(stream, PatternUlpdu(1442, i));
        }
        stream->GetSocket()->SetPathMtu(1000);
        NS_TEST_EXPECT_MSG_EQ(stream->GetSocket()->GetEmss(), 960, "EMSS follows the path MTU");
        IWARP_COVERS("MPA-A.1-03");
        NS_TEST_ASSERT_MSG_EQ(m_mulpdu.size(), 1, "one change of MULPDU");
        NS_TEST_EXPECT_MSG_EQ(m_mulpdu[0], (m_markers ? 946 : 954), "MULPDU follows EMSS");
        IWARP_COVERS("MPA-4.5-07");
        RunFor(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].delivered - before,
                              (m_markers ? 20 : 23),
                              "what was accepted arrives");
        IWARP_COVERS("MPA-A.1-04");
        NS_TEST_EXPECT_MSG_EQ(m_log[RIGHT].errors.size(), 0, "no error");
        Finish();
        Config::Reset();
    }

    bool m_markers;                 //!< attribute Markers
    std::vector<uint32_t> m_mulpdu; //!< values reported
};

IWARP_TEST_CASES(mpaStreamTransfer)
{
    for (bool a : {true, false})
    {
        for (bool b : {true, false})
        {
            suite.AddTestCase(new MpaStreamGapTestCase(a, b));
            suite.AddTestCase(new MpaStreamPairingTestCase(a, b));
        }
        suite.AddTestCase(new MpaStreamSendTestCase(a));
    }
}
