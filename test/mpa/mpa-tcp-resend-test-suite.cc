/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/error-model.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpResend, "mpa-tcp-resend");

/**
 * @ingroup iwarp-test
 * A box in front of a device that cuts each TCP segment in two, and loses chosen halves once.
 */
class SplittingBox : public ErrorModel
{
  public:
    Ptr<PointToPointNetDevice> device; //!< where
    uint32_t at{700};                  //!< octets of the first half
    std::set<uint32_t> lose;           //!< sequence numbers of halves to be lost

  private:
    bool DoCorrupt(Ptr<Packet> p) override
    {
        if (m_passing || p->GetSize() < 2 + 20 + 20 + 12 + at)
        {
            return false;
        }
        Ptr<Packet> payload = p->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        TcpHeader tcp;
        payload->RemoveHeader(ppp);
        payload->RemoveHeader(ip);
        payload->RemoveHeader(tcp);
        if (payload->GetSize() <= at)
        {
            return false;
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            Ptr<Packet> half = i ? payload->CreateFragment(at, payload->GetSize() - at)
                                 : payload->CreateFragment(0, at);
            TcpHeader header = tcp;
            header.SetSequenceNumber(tcp.GetSequenceNumber() + (i ? at : 0));
            if (i == 0)
            {
                header.SetFlags(tcp.GetFlags() & ~TcpHeader::FIN);
            }
            if (lose.erase(header.GetSequenceNumber().GetValue()))
            {
                continue;
            }
            half->AddHeader(header);
            ip.SetPayloadSize(half->GetSize());
            half->AddHeader(ip);
            half->AddHeader(ppp);
            m_passing = true;
            device->Receive(half);
            m_passing = false;
        }
        return true;
    }

    void DoReset() override
    {
    }

    bool m_passing{false}; //!< a half is let through
};

/**
 * @ingroup iwarp-test
 * A segment of which a box has delivered a part: by default TCP sends the rest, with ResendWhole
 * the segment as it was, 700 octets in vain; without SACK, which that takes, the rest again.
 */
class ResendTest : public TestCase
{
  public:
    ResendTest(const std::string& name,
               const std::set<uint32_t>& lose,
               uint32_t losses,
               bool sack = true)
        : TestCase("segments cut on the path: " + name),
          m_lose(lose),
          m_losses(losses),
          m_sack(sack)
    {
    }

  private:
    void NoteRedundant(SequenceNumber32 seq, uint32_t size)
    {
        m_redundant += size;
    }

    std::unique_ptr<MpaTcpRun> Go(bool whole)
    {
        MpaTcpSetup setup;
        setup.timestamps = false;
        setup.realOctets = true;
        setup.records.assign(400, 1460);
        setup.sack = m_sack;
        setup.booleans["ResendWhole"] = whole;
        auto run = std::make_unique<MpaTcpRun>(setup);
        auto box = CreateObject<SplittingBox>();
        box->device = DynamicCast<PointToPointNetDevice>(run->devices.Get(1));
        box->lose = m_lose;
        box->device->SetAttribute("ReceiveErrorModel", PointerValue(box));
        m_redundant = 0;
        run->onCreated = [this](Ptr<Socket> socket) {
            socket->TraceConnectWithoutContext("RedundantRetransmission",
                                               MakeCallback(&ResendTest::NoteRedundant, this));
        };
        run->Run();
        NS_TEST_EXPECT_MSG_EQ(box->lose.empty(), true, "the losses took place");
        NS_TEST_EXPECT_MSG_EQ(run->received, 584000U, "all there");
        NS_TEST_EXPECT_MSG_EQ(run->intact, true, "unharmed");
        NS_TEST_EXPECT_MSG_EQ(run->closed, true, "closed");
        return run;
    }

    void DoRun() override
    {
        auto part = Go(!m_sack);
        NS_TEST_EXPECT_MSG_EQ(m_redundant, 0U, "nothing redundant");
        DoRunPart(*part);
        if (m_sack)
        {
            DoRunWhole();
        }
    }

    void DoRunPart(const MpaTcpRun& part)
    {
        uint32_t resentInPart = 0;
        for (const auto& cut : part.cuts)
        {
            resentInPart += cut.again && cut.size == 760 && !cut.headerAligned;
        }
        NS_TEST_EXPECT_MSG_EQ(resentInPart, m_losses, "only the rest");
        IWARP_COVERS("MPA-A.1-08");
    }

    void DoRunWhole()
    {
        auto whole = Go(true);
        NS_TEST_EXPECT_MSG_EQ(m_redundant, 700 * m_losses, "the part that was there");
        IWARP_COVERS("MPA-B.2.2-09");
        for (const auto& cut : whole->cuts)
        {
            NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "whole records at " << cut.seq);
            NS_TEST_ASSERT_MSG_EQ(cut.size, 1460U, "as before, at " << cut.seq);
        }
        IWARP_COVERS("MPA-A.1-09 MPA-B.2.2-08");
    }

    std::set<uint32_t> m_lose; //!< halves to be lost
    uint32_t m_losses;         //!< how many follow what is acknowledged
    bool m_sack;               //!< SACK
    uint32_t m_redundant{0};   //!< RedundantRetransmission
};

/**
 * @ingroup iwarp-test
 * FragmentOnShrink: records accepted before the path became narrow stay whole, IP
 * fragments them; the loss of a fragment costs the segment; later records fit the new EMSS.
 */
class ResentFragmentTest : public TestCase
{
  public:
    ResentFragmentTest(bool ipv6, double loss)
        : TestCase(std::string("fragments, ") + (ipv6 ? "IPv6" : "IPv4") +
                   (loss > 0 ? ", loss" : "")),
          m_ipv6(ipv6),
          m_loss(loss)
    {
    }

  private:
    void Sniff4(Ptr<const Packet> p, Ptr<Ipv4>, uint32_t)
    {
        m_largest = std::max(m_largest, p->GetSize());
        ++m_frames;
    }

    void Sniff6(Ptr<const Packet> p, Ptr<Ipv6>, uint32_t)
    {
        Sniff4(p, nullptr, 0);
    }

    void DoRun() override
    {
        const uint32_t mtu = m_ipv6 ? 1300 : 1000;
        const uint32_t before = 1500 - (m_ipv6 ? 60 : 40) - 12;
        const uint32_t after = mtu - (m_ipv6 ? 60 : 40) - 12;
        MpaTcpSetup setup;
        setup.ipv6 = m_ipv6;
        setup.realOctets = true;
        setup.rate = "10Mbps";
        setup.loss = m_loss;
        setup.closeAtEnd = false;
        setup.records.assign(60, before);
        setup.booleans["FragmentOnShrink"] = true;
        MpaTcpRun run(setup);
        const Time start = Seconds(m_ipv6 ? 3.02 : 1.02);
        Simulator::Schedule(start, [&]() {
            auto socket = DynamicCast<MpaTcpSocket>(run.sender);
            NS_TEST_EXPECT_MSG_EQ(socket->GetEmss(), before, "EMSS");
            run.devices.Get(0)->SetMtu(mtu);
            Ptr<Node> node = run.devices.Get(0)->GetNode();
            if (m_ipv6)
            {
                node->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
                    "Tx",
                    MakeCallback(&ResentFragmentTest::Sniff6, this));
            }
            else
            {
                node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                    "Tx",
                    MakeCallback(&ResentFragmentTest::Sniff4, this));
            }
            socket->SetPathMtu(mtu);
            NS_TEST_EXPECT_MSG_EQ(socket->GetEmss(), after, "new EMSS at once");
            for (uint32_t i = 0; i < 30; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(run.sender->Send(Create<Packet>(after)), int(after), "taken");
            }
        });
        run.Run();
        // The later records' octets are zero
        NS_TEST_EXPECT_MSG_EQ(run.received, 60 * before + 30 * after, "all there");
        NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 0U, "no record is cut");
        uint32_t old = 0;
        for (const auto& cut : run.cuts)
        {
            NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "whole records at " << cut.seq);
            const bool first = cut.seq <= 60 * before;
            NS_TEST_ASSERT_MSG_EQ(cut.size, (first ? before : after), "size at " << cut.seq);
            old += first;
        }
        NS_TEST_EXPECT_MSG_EQ((m_largest <= mtu), true, "datagrams fit the narrow path");
        NS_TEST_EXPECT_MSG_GT(m_frames, 60U, "some old segments are in fragments");
        NS_TEST_EXPECT_MSG_EQ((old > 60), (m_loss > 0), "sent again as a whole");
        IWARP_COVERS("MPA-A.1-06");
    }

    bool m_ipv6;           //!< IPv6
    double m_loss;         //!< share of frames lost
    uint32_t m_largest{0}; //!< octets of the largest datagram on the narrow path
    uint32_t m_frames{0};  //!< frames on the narrow path
};

IWARP_TEST_CASES(mpaTcpResend)
{
    const uint32_t base = 1 + 100 * 1460;
    suite.AddTestCase(new ResendTest("second half lost", {base + 700}, 1));
    suite.AddTestCase(new ResendTest("second half lost, no SACK", {base + 700}, 1, false));
    // The later segment is resent whole in any case: TCP's scoreboard knows whole segments only
    suite.AddTestCase(new ResendTest("second halves lost", {base + 700, base + 14600 + 700}, 1));
    suite.AddTestCase(new ResendTest("at the very end", {1 + 399 * 1460 + 700}, 1));
    for (bool ipv6 : {false, true})
    {
        suite.AddTestCase(new ResentFragmentTest(ipv6, 0));
        suite.AddTestCase(new ResentFragmentTest(ipv6, 0.03));
    }
}

} // namespace
