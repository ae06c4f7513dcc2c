/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-crc32c.h"

#include <map>

using namespace ns3;

namespace
{

/// MPA over sockets: errors and ends.
IWARP_TEST_SUITE(mpaStreamError, "mpa-stream-error");

/// A Request that asks for no Markers, in octets
const std::vector<uint8_t> PLAIN_REQUEST{'M', 'P', 'A', ' ', 'I', 'D', ' ',  'R', 'e', 'q',
                                         ' ', 'F', 'r', 'a', 'm', 'e', 0x40, 1,   0,   0};

/// Flips an octet of one packet on its way, past all checks of the link.
class FlipOnceErrorModel : public ErrorModel
{
  public:
    /// @param size flip in the first packet of at least so many octets
    explicit FlipOnceErrorModel(uint32_t size)
        : m_size(size)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        if (!m_done && packet->GetSize() >= m_size)
        {
            m_done = true;
            const uint8_t wrong = 0x55;
            packet->RemoveAtEnd(1);
            packet->AddAtEnd(Create<Packet>(&wrong, 1));
        }
        return false;
    }

    void DoReset() override
    {
    }

    uint32_t m_size;    //!< smallest packet to flip in
    bool m_done{false}; //!< done
};

} // namespace

/**
 * @ingroup iwarp-tests
 * A hand-made Initiator sends ten FPDUs, one of them faulty: those before it are delivered, the
 * error has its code, nothing follows, TCP stays open and the other half still sends.
 */
class MpaStreamFaultTestCase : public TestCase
{
  public:
    /// @param bad number of the faulty FPDU, 1 to 10 @param marker spoil its Marker rather than its
    /// CRC @param crc CRC is in use
    MpaStreamFaultTestCase(uint32_t bad, bool marker, bool crc)
        : TestCase("fault in FPDU " + std::to_string(bad) + (marker ? ", Marker" : ", payload") +
                   (crc ? "" : ", CRC off")),
          m_bad(bad),
          m_marker(marker),
          m_crc(crc)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        Ptr<MpaStream> responder;
        std::unique_ptr<RawEnd> peer;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                peer = std::make_unique<RawEnd>(socket);
                auto request = PLAIN_REQUEST;
                request[16] = m_crc ? 0x40 : 0;
                peer->Send(request);
            },
            [&](Ptr<MpaTcpSocket> socket) {
                responder = log.MakeStream(socket);
                // the peer's C is enough
                responder->SetAttribute("Crc", BooleanValue(m_crc && m_bad != 10));
                responder->SetAttribute("PathIntegrity", BooleanValue(true));
                responder->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(100), [&] {
            uint32_t position = 0;
            for (uint32_t i = 1; i <= 10; ++i)
            {
                // 1000 octets: an inner Marker in each
                const auto ulpdu = PatternUlpdu(1000, i);
                auto fpdu = MakeFpdu(ulpdu, position, true);
                if (i == m_bad && m_marker)
                {
                    const uint32_t at =
                        mpa::DistanceToMarker(position) + (position % 512 ? 0 : 512);
                    fpdu[at + 3] ^= 0x08;
                    iwarp::Crc32c crc;
                    crc.Update(fpdu.data(), fpdu.size() - 4);
                    crc.Write(fpdu.data() + fpdu.size() - 4);
                }
                else if (i == m_bad)
                {
                    fpdu[100] ^= 0x01;
                }
                position += fpdu.size();
                peer->Send(fpdu);
            }
        });
        uint64_t passedSoon = 0;
        Simulator::Schedule(MilliSeconds(300), [&] {
            passedSoon = log.passed.size();
            SendUlpdu(responder, PatternUlpdu(50, 1));
        });
        Simulator::Schedule(Seconds(60), [&] { SendUlpdu(responder, PatternUlpdu(51, 2)); });
        Simulator::Stop(Seconds(61));
        Simulator::Run();

        const bool fault = m_crc || m_marker;
        const uint32_t good = fault ? m_bad - 1 : 10;
        NS_TEST_EXPECT_MSG_EQ(log.passed.size(), good, "passed");
        IWARP_COVERS("MPA-6-03 MPA-4.1-08 MPA-4.4-10 MPA-7.1.1-12");
        NS_TEST_EXPECT_MSG_EQ(log.delivered, good, "delivered");
        NS_TEST_EXPECT_MSG_EQ(passedSoon, good, "nothing follows");
        IWARP_COVERS("MPA-4.4-20 MPA-8-13");
        NS_TEST_ASSERT_MSG_EQ(log.errors.size(), (fault ? 1 : 0), "one error");
        if (fault)
        {
            const auto expected = m_marker ? MpaError::MARKER : MpaError::CRC;
            NS_TEST_EXPECT_MSG_EQ((log.errors[0].code == expected), true, log.errors[0].reason);
            IWARP_COVERS("MPA-4.1-06 MPA-8-03 MPA-8-04 MPA-8-05 MPA-8-06 MPA-9.1-01");
        }
        if (m_crc && m_bad == 10)
        {
            NS_TEST_EXPECT_MSG_EQ(responder->GetResult().crc, true, "by the peer's C alone");
            IWARP_COVERS("MPA-4.4-09");
        }
        // the Reply has 20 octets; Markers are off in this direction
        const std::size_t own = good > 0 ? mpa::BaseSize(50) + mpa::BaseSize(51) : 0;
        NS_TEST_EXPECT_MSG_EQ(peer->received.size(),
                              20 + own,
                              "last messages after the error, unless no FPDU was ever valid");
        IWARP_COVERS("MPA-8-14 MPA-8-15 MPA-8-16");
        Simulator::Destroy();
    }

    uint32_t m_bad; //!< faulty FPDU
    bool m_marker;  //!< its Marker is wrong
    bool m_crc;     //!< CRC in use
};

/**
 * @ingroup iwarp-tests
 * Silent drop: corruption on the path heals by TCP's retransmission; at the source it repeats until
 * TCP gives up.
 */
class MpaStreamSilentDropTestCase : public TestCase
{
  public:
    /// @param atSource the fault is in what is sent
    explicit MpaStreamSilentDropTestCase(bool atSource)
        : TestCase(std::string("silent drop, fault ") +
                   (atSource ? "at the source" : "on the path")),
          m_atSource(atSource)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        Ptr<MpaStream> responder;
        std::unique_ptr<RawEnd> peer;
        Ptr<MpaTcpSocket> peerSocket;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                peerSocket = socket;
                peer = std::make_unique<RawEnd>(socket);
                peer->Send(PLAIN_REQUEST);
                socket->SetCloseCallbacks(
                    MakeNullCallback<void, Ptr<Socket>>(),
                    MakeCallback(&MpaStreamSilentDropTestCase::HandleError, this));
            },
            [&](Ptr<MpaTcpSocket> socket) {
                responder = log.MakeStream(socket);
                responder->SetAttribute("SilentDrop", BooleanValue(true));
                responder->TraceConnectWithoutContext(
                    "Drop",
                    MakeCallback(&MpaStreamSilentDropTestCase::HandleDrop, this));
                responder->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(100), [&] {
            hosts.GetDevice(1)->SetAttribute(
                "ReceiveErrorModel",
                PointerValue(CreateObject<FlipOnceErrorModel>(m_atSource ? 9999 : 900)));
            uint32_t position = 0;
            for (uint32_t i = 0; i < 10; ++i)
            {
                auto fpdu = MakeFpdu(PatternUlpdu(1000, i), position, true);
                fpdu[100] ^= (m_atSource && i == 5) ? 1 : 0;
                position += fpdu.size();
                peer->Send(fpdu);
            }
        });
        Simulator::Stop(Seconds(400));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(log.errors.size(), 0, "no error is reported");
        IWARP_COVERS("MPA-8-11");
        if (m_atSource)
        {
            NS_TEST_EXPECT_MSG_EQ(log.delivered, 5, "delivered up to the fault");
            NS_TEST_EXPECT_MSG_GT(m_drops[MpaStream::DropReason::FAULT],
                                  5,
                                  "every retransmission is dropped");
            NS_TEST_EXPECT_MSG_EQ(m_lost, true, "until the sender's TCP gives up");
            IWARP_COVERS("MPA-8-12");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(m_drops[MpaStream::DropReason::FAULT],
                                  1,
                                  "one segment is dropped");
            NS_TEST_ASSERT_MSG_EQ(log.delivered, 10, "and sent again");
            // Markers let the others pass before the first one's second try
            NS_TEST_EXPECT_MSG_EQ((log.passed.back().octets == PatternUlpdu(1000, 0)),
                                  true,
                                  "good at last");
            IWARP_COVERS("MPA-8-11");
        }
        Simulator::Destroy();
    }

    /// The peer's TCP gave up. @param socket socket
    void HandleError(Ptr<Socket> /* socket */)
    {
        m_lost = true;
    }

    /// A segment was dropped. @param seq number @param size octets @param reason why
    void HandleDrop(uint32_t /* seq */, uint32_t /* size */, MpaStream::DropReason reason)
    {
        m_drops[reason]++;
    }

    bool m_atSource;                                   //!< the fault is in what is sent
    std::map<MpaStream::DropReason, uint32_t> m_drops; //!< segments dropped, by reason
    bool m_lost{false};                                //!< the peer's TCP gave up
};

/**
 * @ingroup iwarp-tests
 * Ends of a connection: FIN, RST, retries exhausted. Each is code 1, after all ULPDUs before it.
 */
class MpaStreamEndTestCase : public TestCase
{
  public:
    /// How the left side ends the connection.
    enum class End
    {
        FIN,    //!< half close
        RST,    //!< reset
        SILENCE //!< the link is cut
    };

    /// @param name of the case @param end how it ends
    MpaStreamEndTestCase(const std::string& name, End end)
        : TestCase("end by " + name),
          m_end(end)
    {
    }

  private:
    void DoRun() override
    {
        MpaLinkedHosts hosts;
        MpaStreamLog leftLog;
        MpaStreamLog rightLog;
        Ptr<MpaStream> left;
        Ptr<MpaStream> right;
        Ptr<MpaTcpSocket> leftSocket;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                leftSocket = socket;
                left = leftLog.MakeStream(socket);
                left->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                right = rightLog.MakeStream(socket);
                right->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(100), [&] { SendUlpdu(left, PatternUlpdu(1000, 1)); });
        Simulator::Schedule(MilliSeconds(200), [&] {
            switch (m_end)
            {
            case End::FIN:
                SendUlpdu(left, PatternUlpdu(1000, 2));
                left->ShutdownSend();
                NS_TEST_EXPECT_MSG_EQ(SendUlpdu(left, PatternUlpdu(1, 1)), -1, "half is closed");
                break;
            case End::RST:
                // ns-3's TCP resets a connection that is closed with unread data
                leftSocket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
                SendUlpdu(right, PatternUlpdu(500, 9));
                Simulator::Schedule(MilliSeconds(20), [&] { leftSocket->Close(); });
                break;
            case End::SILENCE: {
                auto cut = CreateObject<RateErrorModel>();
                cut->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                cut->SetRate(1.0);
                hosts.GetDevice(0)->SetAttribute("ReceiveErrorModel", PointerValue(cut));
                SendUlpdu(right, PatternUlpdu(500, 9));
                break;
            }
            }
        });
        if (m_end == End::FIN)
        {
            Simulator::Schedule(MilliSeconds(400), [&] {
                NS_TEST_EXPECT_MSG_EQ(SendUlpdu(right, PatternUlpdu(700, 3)), 700, "other half");
            });
        }
        Simulator::Stop(Seconds(1000));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(rightLog.delivered, (m_end == End::FIN ? 2 : 1), "delivered before");
        NS_TEST_ASSERT_MSG_EQ(rightLog.errors.size(), 1, "told once");
        NS_TEST_EXPECT_MSG_EQ((rightLog.errors[0].code == MpaError::CONNECTION_LOST),
                              true,
                              rightLog.errors[0].reason);
        IWARP_COVERS("MPA-8-01 MPA-8-02 MPA-7.1.3-06");
        if (m_end == End::FIN)
        {
            NS_TEST_EXPECT_MSG_EQ(right->IsPeerClosed(), true, "a graceful one");
            IWARP_COVERS("MPA-7.2-02");
            NS_TEST_EXPECT_MSG_EQ(leftLog.delivered, 1, "the other half goes on");
            IWARP_COVERS("MPA-7.2-01");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(rightLog.errors[0].when,
                                        rightLog.passed.back().when,
                                        "after the last ULPDU");
            IWARP_COVERS("MPA-3-15");
        }
        Simulator::Destroy();
    }

    End m_end; //!< how the connection ends
};

IWARP_TEST_CASES(mpaStreamError)
{
    for (uint32_t bad : {1, 5, 10})
    {
        suite.AddTestCase(new MpaStreamFaultTestCase(bad, false, true));
        suite.AddTestCase(new MpaStreamFaultTestCase(bad, true, true));
    }
    suite.AddTestCase(new MpaStreamFaultTestCase(5, false, false));
    suite.AddTestCase(new MpaStreamFaultTestCase(5, true, false));
    suite.AddTestCase(new MpaStreamSilentDropTestCase(true));
    suite.AddTestCase(new MpaStreamSilentDropTestCase(false));
    using End = MpaStreamEndTestCase::End;
    suite.AddTestCase(new MpaStreamEndTestCase("FIN", End::FIN));
    suite.AddTestCase(new MpaStreamEndTestCase("RST", End::RST));
    suite.AddTestCase(new MpaStreamEndTestCase("silence", End::SILENCE));
}
