/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/simulator.h"

#include <memory>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpWindow, "mpa-tcp-window");

/**
 * An application that reads a full receive buffer later (ns-3 issue 125): plain ns-3 TCP does not
 * tell the sender, which waits for its persist timer; MpaTcpSocket does, so that the transfer ends
 * when the application has read the last octet.
 */
struct FullBufferTest : TestCase
{
    using TestCase::TestCase;

    std::unique_ptr<MpaTcpRun> Go(bool mpa, bool mpaReceiver)
    {
        MpaTcpSetup setup;
        setup.mpa = mpa;
        setup.mpaReceiver = mpaReceiver;
        setup.realOctets = true;
        setup.rcvBuf = 29200;
        setup.records.assign(60, 1448);
        setup.closeAtEnd = false;
        auto run = std::make_unique<MpaTcpRun>(setup);
        run->onReadable = []() {}; // reads by the clock
        for (uint32_t i = 2; i < 8; ++i)
        {
            Simulator::Schedule(Seconds(i), [r = run.get()]() { r->Read(); });
        }
        run->Run();
        return run;
    }
};

IWARP_TEST(mpaTcpWindow, "a full receive buffer is read", FullBufferTest)
{
    auto plain = Go(false, false);
    auto ours = Go(true, true);
    auto mixed = Go(false, true);
    const uint64_t all = 60 * 1448;
    // 29,200 octets each second: the third reading finds the rest of them
    NS_TEST_EXPECT_MSG_EQ(ours->received, all, "all arrive");
    NS_TEST_EXPECT_MSG_EQ(ours->intact, true, "unharmed");
    NS_TEST_EXPECT_MSG_EQ(ours->lastReceived, Seconds(4), "read as soon as there is room");
    NS_TEST_EXPECT_MSG_EQ(mixed->lastReceived, Seconds(4), "which a plain sender obeys too");
    NS_TEST_EXPECT_MSG_EQ(ours->windowUpdates, 3U, "one update a reading");
    NS_TEST_EXPECT_MSG_EQ(ours->cutReasons[MpaTcpSocket::CutReason::PROBE], 0U, "no probe");
    NS_TEST_EXPECT_MSG_EQ((plain->received < all), true, "plain ns-3 TCP still waits");
}

/**
 * A window that stays closed is probed with one octet, which cuts a record and is told; nothing is
 * lost or twice there.
 */
IWARP_TEST(mpaTcpWindow, "a closed window is probed")
{
    MpaTcpSetup setup;
    setup.mpaReceiver = false; // says nothing when it is read
    setup.realOctets = true;
    setup.rcvBuf = 14480;
    setup.records.assign(20, 1448);
    MpaTcpRun run(setup);
    run.onReadable = []() {};
    Simulator::Schedule(Seconds(10), [&run]() {
        run.Read();
        run.onReadable = [&run]() { run.Read(); };
    });
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.received, 20U * 1448, "all arrive");
    NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
    IWARP_COVERS("MPA-5.1-12");
    NS_TEST_EXPECT_MSG_GT(run.cutReasons[MpaTcpSocket::CutReason::PROBE], 0U, "probes");
    NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 1U, "and no other cut");

    // Nothing to probe with: ns-3's persist timer must not look for it
    setup.records.assign(10, 1448);
    setup.closeAtEnd = false;
    MpaTcpRun empty(setup);
    empty.onReadable = []() {};
    Simulator::Schedule(Seconds(30), [&empty]() { empty.sender->Send(Create<Packet>(1000)); });
    Simulator::Schedule(Seconds(31), [&empty]() {
        empty.Read();
        empty.onReadable = [&empty]() { empty.Read(); };
    });
    empty.Run();
    NS_TEST_EXPECT_MSG_EQ(empty.received, 15480U, "later data still arrives");
}

/**
 * @ingroup iwarp-test
 * The right edge of the receive window: records that do not fit wait as long as anything is in
 * flight, so that none is cut; the same without alignment cuts.
 */
class EdgeTest : public TestCase
{
  public:
    EdgeTest(const std::string& name, uint32_t size, uint32_t window, Time delay)
        : TestCase("window edge: " + name),
          m_size(size),
          m_window(window),
          m_delay(delay)
    {
    }

  private:
    void DoRun() override
    {
        MpaTcpSetup setup;
        setup.realOctets = true;
        setup.timestamps = false;
        setup.scaling = false;
        setup.rcvBuf = m_window;
        setup.delay = m_delay;
        setup.records.assign(500, m_size);
        MpaTcpRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 500U * m_size, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
        NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 0U, "no record is cut");
        NS_TEST_EXPECT_MSG_GT(run.heldBack, 0U, "some have waited");
        NS_TEST_EXPECT_MSG_EQ(run.heldFitting, 0U, "for a window that has no room for them");
        for (const auto& cut : run.cuts)
        {
            NS_TEST_ASSERT_MSG_EQ(cut.recordAligned, true, "aligned at " << cut.seq);
        }
    }

    uint32_t m_size;   //!< octets of a record
    uint32_t m_window; //!< receive buffer
    Time m_delay;      //!< of the link
};

/**
 * @ingroup iwarp-test
 * A receive window narrower than a record: records go out in pieces, each cut is told,
 * and nothing stalls, where plain ns-3 TCP waits for ever.
 */
class TcpNarrowWindowTest : public TestCase
{
  public:
    TcpNarrowWindowTest(uint32_t window, bool alignment)
        : TestCase("receive window of " + std::to_string(window) +
                   (alignment ? "" : ", no alignment")),
          m_window(window),
          m_alignment(alignment)
    {
    }

  private:
    void DoRun() override
    {
        MpaTcpSetup setup;
        setup.realOctets = true;
        setup.timestamps = false;
        setup.segmentSize = 1460;
        setup.rcvBuf = m_window;
        setup.records.assign(20, 1460);
        setup.booleans["Alignment"] = m_alignment;
        MpaTcpRun run(setup);
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.received, 20U * 1460, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
        if (m_alignment)
        {
            NS_TEST_EXPECT_MSG_EQ(run.cutReasons[MpaTcpSocket::CutReason::WINDOW],
                                  20 * ((1460 - 1) / m_window),
                                  "each record is cut so many times");
            IWARP_COVERS("MPA-A.1-05");
        }
        setup.mpa = false;
        setup.mpaReceiver = false;
        MpaTcpRun plain(setup);
        plain.Run();
        NS_TEST_EXPECT_MSG_EQ(plain.received, 0U, "plain ns-3 TCP sends nothing at all");
    }

    uint32_t m_window; //!< receive buffer
    bool m_alignment;  //!< Alignment
};

IWARP_TEST_CASES(mpaTcpWindow)
{
    suite.AddTestCase(new EdgeTest("10000 octets", 1460, 10000, MicroSeconds(500)));
    suite.AddTestCase(new EdgeTest("small records", 1000, 4500, MicroSeconds(500)));
    suite.AddTestCase(new EdgeTest("64 KiB, 10 ms", 1100, 65535, MilliSeconds(5)));
    suite.AddTestCase(new TcpNarrowWindowTest(500, true));
    suite.AddTestCase(new TcpNarrowWindowTest(1000, true));
    suite.AddTestCase(new TcpNarrowWindowTest(500, false));
}

/**
 * A window that has shrunk to less than a record and to less than half of what it was: the record
 * is cut only after OverrideTimeout (RFC 1122 section 4.2.3.4).
 */
IWARP_TEST(mpaTcpWindow, "a narrow window with nothing in flight")
{
    MpaTcpSetup setup;
    setup.mpaReceiver = false;
    setup.realOctets = true;
    setup.timestamps = false;
    setup.scaling = false;
    setup.rcvBuf = 10000;
    setup.closeAtEnd = false;
    // Not read, so that 10000 - 6 * 1460 = 1240 octets are left
    setup.records.assign(8, 1460);
    MpaTcpRun run(setup);
    run.onReadable = []() {};
    uint64_t before = 0;
    Simulator::Schedule(Seconds(1.39), [&]() {
        before = run.cuts.size();
        NS_TEST_EXPECT_MSG_EQ(run.cutReasons.size(), 0U, "not yet cut");
    });
    Simulator::Schedule(Seconds(1.5), [&]() {
        NS_TEST_EXPECT_MSG_EQ(run.cuts.size(), before + 1, "one more segment");
        NS_TEST_EXPECT_MSG_EQ(run.cuts.back().size, 1240U, "as wide as the window");
        IWARP_COVERS("MPA-5.1-08");
        NS_TEST_EXPECT_MSG_EQ(run.cutReasons[MpaTcpSocket::CutReason::WINDOW], 1U, "cut");
        run.onReadable = [&run]() { run.Read(); };
        run.Read();
    });
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.received, 8U * 1460, "all arrive");
    NS_TEST_EXPECT_MSG_EQ(run.intact, true, "unharmed");
    // what follows is aligned again
    NS_TEST_EXPECT_MSG_EQ(run.cuts.back().recordAligned, true, "the last record is whole");
    IWARP_COVERS("MPA-5.1-11");
}

} // namespace
