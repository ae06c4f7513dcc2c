/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <set>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpLoss, "mpa-tcp-loss");

/// What a path does to packets.
struct Harm
{
    double loss{0};          //!< share lost
    double late{0};          //!< share that comes late
    double duplicate{0};     //!< share that comes twice
    uint32_t window{131072}; //!< receive buffer in octets
};

/**
 * @ingroup iwarp-test
 * Loses, delays and duplicates packets on their way into a device.
 */
class HarmModel : public ErrorModel
{
  public:
    /// @param harm what to do @param device where @param stream random stream
    HarmModel(const Harm& harm, Ptr<NetDevice> device, int64_t stream)
        : m_harm(harm),
          m_device(DynamicCast<PointToPointNetDevice>(device)),
          m_random(CreateObject<UniformRandomVariable>())
    {
        m_random->SetStream(stream);
    }

    uint32_t lost{0}; //!< packets lost

  private:
    bool DoCorrupt(Ptr<Packet> p) override
    {
        if (m_passing || p->GetSize() < 200)
        {
            return false; // handshake and ACKs pass
        }
        const double x = m_random->GetValue();
        if (x < m_harm.loss)
        {
            ++lost;
            return true;
        }
        if (x < m_harm.loss + m_harm.late)
        {
            const auto wait = MicroSeconds(10 + 200 * m_random->GetValue());
            Simulator::Schedule(wait, &HarmModel::Pass, this, p->Copy());
            return true;
        }
        if (x < m_harm.loss + m_harm.late + m_harm.duplicate)
        {
            Simulator::Schedule(MicroSeconds(100), &HarmModel::Pass, this, p->Copy());
        }
        return false;
    }

    void DoReset() override
    {
    }

    void Pass(Ptr<Packet> p)
    {
        m_passing = true;
        m_device->Receive(p);
        m_passing = false;
    }

    Harm m_harm;                         //!< what to do
    Ptr<PointToPointNetDevice> m_device; //!< where
    Ptr<UniformRandomVariable> m_random; //!< chance
    bool m_passing{false};               //!< a late packet is let through
};

/**
 * @ingroup iwarp-test
 * Over a path that loses, reorders and duplicates, every octet arrives in order, each segment holds
 * whole records, and what is sent again is what was sent before. The layer above sees each octet
 * exactly once.
 */
class HarmTest : public TestCase, private MpaTcpSocket::User
{
  public:
    HarmTest(const std::string& name, const MpaTcpSetup& setup, const Harm& harm, bool packing)
        : TestCase(name),
          m_setup(setup),
          m_harm(harm),
          m_packing(packing)
    {
    }

  private:
    MpaTcpSocket::Verdict InspectSegment(SequenceNumber32 seq, Ptr<const Packet> p) override
    {
        std::vector<uint8_t> octets(p->GetSize());
        p->CopyData(octets.data(), octets.size());
        for (size_t i = 0; i < octets.size(); ++i)
        {
            const uint32_t at = seq.GetValue() - 1 + i;
            m_right = m_right && octets[i] == MpaTcpRun::Pattern(at);
            m_right = m_right && at < m_seen.size() && !m_seen[at];
            if (at < m_seen.size())
            {
                m_seen[at] = true;
            }
        }
        return MpaTcpSocket::Verdict::KEEP;
    }

    void EmssChanged(uint32_t /* emss */) override
    {
    }

    void DoRun() override
    {
        MpaTcpSetup setup = m_setup;
        setup.realOctets = true;
        setup.rcvBuf = m_harm.window;
        setup.booleans["Packing"] = m_packing;
        // Sizes of all kinds, none above the EMSS
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        uint64_t total = 0;
        for (uint32_t i = 0; i < 1000; ++i)
        {
            setup.records.push_back(random->GetInteger(4, 1400));
            total += setup.records.back();
        }
        m_seen.assign(total, false);
        MpaTcpRun run(setup);
        auto harm = CreateObject<HarmModel>(m_harm, run.devices.Get(1), 11);
        run.devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(harm));
        run.onAccepted = [this](Ptr<MpaTcpSocket> socket) { socket->SetUser(this, true); };
        run.Run();
        NS_TEST_ASSERT_MSG_EQ(run.received, total, "all octets arrive");
        IWARP_COVERS("MPA-A.1-04");
        NS_TEST_ASSERT_MSG_EQ(run.intact, true, "in order and unharmed");
        NS_TEST_ASSERT_MSG_EQ(run.closed, true, "and the end too");
        NS_TEST_ASSERT_MSG_EQ(m_right, true, "the layer above sees each octet once");
        IWARP_COVERS("MPA-A.3-06");
        NS_TEST_ASSERT_MSG_EQ((std::find(m_seen.begin(), m_seen.end(), false) == m_seen.end()),
                              true,
                              "and misses none");
        if (m_harm.loss > 0)
        {
            NS_TEST_ASSERT_MSG_GT(harm->lost, 2U, "the path did lose packets");
        }
        if (!iwarp::TCP_SINCE_3_43)
        {
            // its TcpTxBuffer may ask for a part of a segment; nothing else cuts a record
            const auto parts = run.cutReasons[MpaTcpSocket::CutReason::RETRANSMIT];
            NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 1U, "no other reason");
            // what is left of DCTCP's least window of two segments ends within one more often
            const uint32_t most = m_setup.ecn ? 2 * harm->lost : harm->lost;
            NS_TEST_EXPECT_MSG_LT(parts, std::max(10U, most), "not for each loss");
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 0U, "no record is cut");
        std::map<uint32_t, uint32_t> first; // segments as first sent
        uint32_t again = 0;
        for (const auto& cut : run.cuts)
        {
            NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "whole records at " << cut.seq);
            if (cut.again)
            {
                ++again;
                NS_TEST_ASSERT_MSG_EQ(first.count(cut.seq), 1U, "a segment that was sent before");
                NS_TEST_ASSERT_MSG_EQ(first[cut.seq], cut.size, "as it was, at " << cut.seq);
            }
            else
            {
                first[cut.seq] = cut.size;
            }
        }
        IWARP_COVERS("MPA-A.1-09 MPA-B.2.2-08");
        NS_TEST_EXPECT_MSG_EQ((again >= harm->lost), true, "what was lost is sent again");
    }

    MpaTcpSetup m_setup;      //!< what the run is like
    Harm m_harm;              //!< what the path does
    bool m_packing;           //!< Packing
    std::vector<bool> m_seen; //!< octets shown
    bool m_right{true};       //!< they were the right ones
};

/**
 * @ingroup iwarp-test
 * Both ends close while the first octets are lost: they are sent again, and all octets arrive.
 */
class CloseTest : public TestCase
{
  public:
    /// @param last the sender closes after the receiver, not before it
    explicit CloseTest(bool last)
        : TestCase(last ? "octets lost in LAST_ACK" : "octets lost in CLOSING"),
          m_last(last)
    {
    }

  private:
    void DoRun() override
    {
        MpaTcpSetup setup;
        setup.realOctets = true;
        setup.closeAtEnd = !m_last;
        setup.records.assign(3, 1000);
        MpaTcpRun run(setup);
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({2}); // behind SYN and ACK
        run.devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
        run.onAccepted = [](Ptr<MpaTcpSocket> socket) {
            Simulator::ScheduleNow(&Socket::Close, socket);
        };
        if (m_last)
        {
            run.onCreated = [this](Ptr<Socket> socket) {
                socket->SetCloseCallbacks(MakeCallback(&CloseTest::Answer, this),
                                          MakeNullCallback<void, Ptr<Socket>>());
            };
        }
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 3000, "all octets arrive");
        NS_TEST_EXPECT_MSG_EQ(run.intact, true, "and are the right ones");
    }

    void Answer(Ptr<Socket> socket) //!< close in turn @param socket the sender's
    {
        socket->Close();
    }

    bool m_last; //!< the sender closes after the receiver
};

IWARP_TEST_CASES(mpaTcpLoss)
{
    const std::vector<std::pair<std::string, Harm>> harms{
        {"1 % loss", {0.01, 0, 0}},
        {"5 % loss", {0.05, 0, 0}},
        {"reordering", {0, 0.05, 0}},
        {"duplicates", {0, 0, 0.05}},
        {"all of it", {0.02, 0.02, 0.02}},
        {"all of it and a narrow window", {0.02, 0.02, 0.02, 12000}}};
    suite.AddTestCase(new CloseTest(false));
    suite.AddTestCase(new CloseTest(true));
    for (const std::string cc : {"TcpNewReno", "TcpCubic", "TcpBbr", "TcpDctcp"})
    {
        for (const auto& [name, harm] : harms)
        {
            for (const std::string detection : {"", ", SACK", ", RACK"})
            {
                for (bool packing : {false, true})
                {
                    MpaTcpSetup setup;
                    setup.congestion = "ns3::" + cc;
                    setup.ecn = cc == "TcpDctcp";
                    setup.sack = !detection.empty();
                    setup.stop = Seconds(2000);
                    setup.rate = "100Mbps";
                    setup.ipv6 = packing;
                    if (detection == ", RACK")
                    {
                        setup.booleans = {{"Rack", true}, {"Dsack", true}};
                    }
                    const std::string title =
                        cc + ", " + name + detection + (packing ? ", packing" : "");
                    suite.AddTestCase(new HarmTest(title, setup, harm, packing));
                }
            }
        }
    }
}

} // namespace
