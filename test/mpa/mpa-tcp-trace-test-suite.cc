/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include <sstream>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpTrace, "mpa-tcp-trace");

/**
 * @ingroup iwarp-test
 * With one record a segment, an MpaTcpSocket sends the same segments at the same times as plain
 * ns-3 TCP with the same SegmentSize, and so does the receiver.
 */
class SameTraceTest : public TestCase
{
  public:
    SameTraceTest(const std::string& name, const MpaTcpSetup& setup)
        : TestCase(name),
          m_setup(setup)
    {
    }

  private:
    void Compare(const std::vector<MpaTcpSegment>& plain,
                 const std::vector<MpaTcpSegment>& ours,
                 const std::string& who)
    {
        const size_t n = std::min(plain.size(), ours.size());
        for (size_t i = 0; i < n; ++i)
        {
            const auto& p = plain[i];
            const auto& o = ours[i];
            if (!(p == o))
            {
                std::ostringstream text;
                text << who << " segment " << i << ": plain t=" << p.time << " seq=" << p.seq
                     << " size=" << p.size << " ack=" << p.ack << " flags=" << +p.flags
                     << " window=" << p.window << ", ours t=" << o.time << " seq=" << o.seq
                     << " size=" << o.size << " ack=" << o.ack << " flags=" << +o.flags
                     << " window=" << o.window;
                NS_TEST_EXPECT_MSG_EQ((p == o), true, text.str());
                return;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(ours.size(), plain.size(), who << " sends as many segments");
    }

    void DoRun() override
    {
        MpaTcpSetup setup = m_setup;
        setup.mpa = false;
        setup.mpaReceiver = false;
        MpaTcpRun plain(setup);
        plain.Run();
        setup.mpa = true;
        setup.mpaReceiver = true;
        MpaTcpRun ours(setup);
        ours.Run();
        uint64_t octets = 0;
        for (auto record : setup.records)
        {
            octets += record;
        }
        NS_TEST_ASSERT_MSG_EQ(plain.received, octets, "plain TCP delivers all");
        NS_TEST_ASSERT_MSG_EQ(ours.received, octets, "ours delivers all");
        Compare(plain.sent, ours.sent, "sender's");
        Compare(plain.acks, ours.acks, "receiver's");
        IWARP_COVERS("MPA-B.2.2-01 MPA-B.2.2-10 MPA-B.2.2-11");
        NS_TEST_ASSERT_MSG_EQ(ours.cutReasons.size(), 0U, "no record is cut");
        for (const auto& cut : ours.cuts)
        {
            NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "aligned: " << cut.seq);
        }
    }

    MpaTcpSetup m_setup; //!< what the runs are like
};

IWARP_TEST_CASES(mpaTcpTrace)
{
    MpaTcpSetup base;
    base.booleans["MssOption"] = false; // 4 octets more in each SYN, 64 ns later at 1 Gb/s
    base.records.assign(1500, 1448);
    base.records.push_back(700);
    auto add = [&suite](const std::string& name, const MpaTcpSetup& setup) {
        suite.AddTestCase(new SameTraceTest("same segments as plain ns-3 TCP: " + name, setup));
    };
    for (const std::string cc : {"TcpNewReno",
                                 "TcpLinuxReno",
                                 "TcpCubic",
                                 "TcpBbr",
                                 "TcpDctcp",
                                 "TcpVegas",
                                 "TcpHighSpeed"})
    {
        MpaTcpSetup setup = base;
        setup.congestion = "ns3::" + cc;
        setup.ecn = cc == "TcpDctcp";
        add(cc, setup);
        setup.delay = MilliSeconds(5);
        setup.rate = "100Mbps";
        add(cc + ", 10 ms", setup);
        for (bool sack : {false, true})
        {
            setup = base;
            setup.congestion = "ns3::" + cc;
            setup.ecn = cc == "TcpDctcp";
            setup.loss = 0.01;
            setup.sack = sack;
            setup.stop = Seconds(2000);
            add(cc + (sack ? ", loss, SACK" : ", loss"), setup);
        }
    }
    for (uint32_t window : {65536U, 1U << 20, 4U << 20})
    {
        MpaTcpSetup setup = base;
        setup.delay = MilliSeconds(2);
        setup.sndBuf = window;
        setup.rcvBuf = window;
        add("window " + std::to_string(window), setup);
    }
    for (bool sack : {false, true})
    {
        for (uint32_t delAck : {1U, 2U, 4U})
        {
            for (bool ipv6 : {false, true})
            {
                MpaTcpSetup setup = base;
                setup.sack = sack;
                setup.delAck = delAck;
                setup.ipv6 = ipv6;
                setup.timestamps = sack;
                setup.segmentSize = 1500 - (ipv6 ? 60 : 40) - (sack ? 12 : 0);
                setup.records.assign(700, setup.segmentSize);
                std::ostringstream name;
                name << (sack ? "SACK and timestamps" : "without options") << ", ACK every "
                     << delAck << ", " << (ipv6 ? "IPv6" : "IPv4");
                add(name.str(), setup);
            }
        }
    }
    MpaTcpSetup setup = base;
    setup.scaling = false;
    add("no window scaling", setup);
    setup = base;
    setup.noDelay = false;
    add("Nagle", setup);
    setup = base;
    setup.closeAtEnd = false;
    add("left open", setup);
    setup = base;
    setup.mtu = 9000;
    setup.rate = "100Gbps";
    setup.delay = MicroSeconds(1);
    setup.segmentSize = 8948;
    setup.records.assign(1000, 8948);
    add("jumbo frames, 100 gigabits a second", setup);
    setup = base;
    setup.integers["MaxEmss"] = 536;
    setup.segmentSize = 536;
    setup.records.assign(1000, 536);
    add("EMSS 536", setup);
}

} // namespace
