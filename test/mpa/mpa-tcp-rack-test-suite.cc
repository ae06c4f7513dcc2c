/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-test.h"

#include "ns3/double.h"
#include "ns3/path-random-impairment.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * RACK-TLP (RFC 8985) over paths that lose, reorder and duplicate at random, with each congestion
 * control and recovery of ns-3, over IPv4 and IPv6: all octets arrive as they were sent, and the
 * sender never waits longer than its timers let it.
 */

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpRack, "mpa-tcp-rack");

/// Congestion controls of ns-3, not all of which are in each release
const std::vector<std::string> RACK_CONTROLS{"TcpNewReno",
                                             "TcpCubic",
                                             "TcpBbr",
                                             "TcpDctcp",
                                             "TcpLinuxReno",
                                             "TcpBic",
                                             "TcpVegas",
                                             "TcpVeno",
                                             "TcpYeah",
                                             "TcpHtcp",
                                             "TcpWestwoodPlus",
                                             "TcpIllinois",
                                             "TcpScalable",
                                             "TcpHighSpeed",
                                             "TcpHybla",
                                             "TcpLedbat",
                                             "TcpLp"};

/// A run, drawn from a seed.
class RackLawTest : public TestCase
{
  public:
    /// @param control congestion control @param seed of all else
    RackLawTest(const std::string& control, uint32_t seed)
        : TestCase(control + ", seed " + std::to_string(seed)),
          m_control(control),
          m_random(seed)
    {
    }

  private:
    double Draw() //!< @return between 0 and 1, the same everywhere
    {
        return static_cast<double>(m_random() % 1000000) / 1e6;
    }

    template <typename T>
    T Pick(const std::vector<T>& values) //!< @param values to choose from @return one
    {
        return values[m_random() % values.size()];
    }

    MpaTcpSetup MakeSetup() //!< @return a run
    {
        MpaTcpSetup setup;
        setup.congestion = "ns3::" + m_control;
        setup.ecn = m_control == "TcpDctcp";
        setup.realOctets = true;
        setup.rate = "100Mbps";
        setup.delay = MicroSeconds(Pick<int>({20, 500, 20000}));
        setup.mtu = Pick<uint32_t>({1500, 4000});
        setup.queue = Pick<uint32_t>({20, 10000});
        setup.rcvBuf = Pick<uint32_t>({16000, 65536, 131072});
        setup.ipv6 = Pick<int>({0, 1}) == 1;
        setup.timestamps = Pick<int>({0, 1}) == 1;
        setup.delAck = Pick<uint32_t>({1, 2});
        setup.stop = Seconds(4000);
        setup.booleans = {{"Rack", true},
                          {"Dsack", Pick<int>({0, 1, 1}) == 1},
                          {"Alignment", Pick<int>({0, 1}) == 1}};
        for (int i = 0; i < 200; ++i)
        {
            setup.records.push_back(4 + m_random() % 1400);
        }
        return setup;
    }

    /// @param device where packets arrive @param stream of random numbers
    void Harm(const Ptr<NetDevice>& device, int64_t stream)
    {
        auto harm = CreateObject<PathRandomImpairment>();
        harm->SetAttribute("Loss", DoubleValue(0.1 * Draw()));
        harm->SetAttribute("Reordering", DoubleValue(0.1 * Draw()));
        harm->SetAttribute("Duplication", DoubleValue(0.05 * Draw()));
        harm->SetAttribute("HoldTime",
                           StringValue("ns3::UniformRandomVariable[Min=0|Max=" +
                                       Pick<std::string>({"0.0001", "0.01", "0.1"}) + "]"));
        harm->Install(device);
        harm->AssignStreams(stream);
    }

    void DoRun() override
    {
        const MpaTcpSetup setup = MakeSetup();
        MpaTcpRun run(setup);
        const TypeId recovery = TypeId::LookupByName(
            Pick<std::string>({"ns3::TcpPrrRecovery", "ns3::TcpClassicRecovery"}));
        run.nodes.Get(0)->GetObject<TcpL4Protocol>()->SetAttribute("RecoveryType",
                                                                   TypeIdValue(recovery));
        Harm(run.devices.Get(0), 100);
        Harm(run.devices.Get(1), 200);
        run.onCreated = [this](Ptr<Socket> socket) {
            socket->TraceConnectWithoutContext("RTO", MakeCallback(&RackLawTest::NoteRto, this));
            socket->TraceConnectWithoutContext("ReorderingWindow",
                                               MakeCallback(&RackLawTest::NoteWindow, this));
            socket->TraceConnectWithoutContext("Tx", MakeCallback(&RackLawTest::NoteSent, this));
            socket->TraceConnectWithoutContext("Rx", MakeCallback(&RackLawTest::NoteAck, this));
        };
        run.Run();
        uint64_t total = 0;
        for (const uint32_t size : setup.records)
        {
            total += size;
        }
        NS_TEST_EXPECT_MSG_EQ(run.received, total, "all octets arrive");
        NS_TEST_EXPECT_MSG_EQ(run.intact, true, "in order and unharmed");
        NS_TEST_EXPECT_MSG_EQ(run.closed, true, "and the end too");
        NS_TEST_EXPECT_MSG_EQ(m_stall, Time(0), "longest wait beyond the timers");
    }

    void NoteRto(Time /* before */, Time now) //!< @param now timeout
    {
        m_rto = now;
        m_rtoSince = Simulator::Now();
    }

    void NoteWindow(Time window) //!< @param window of reordering
    {
        m_window = std::max(m_window, window);
    }

    /// @param p payload @param header of a segment of the sender's
    void NoteSent(Ptr<const Packet> p, const TcpHeader& header, Ptr<const TcpSocketBase> /* s */)
    {
        if (p->GetSize() == 0)
        {
            return;
        }
        if (m_acked < m_sent)
        { // something was outstanding: the timer that ran has been that of the event before
            const Time wait = Simulator::Now() - m_last - m_limit - m_window;
            m_stall = std::max(m_stall, wait);
        }
        m_sent = std::max(m_sent, header.GetSequenceNumber() + p->GetSize());
        Restart();
    }

    /// @param header of a segment of the receiver's
    void NoteAck(Ptr<const Packet> /* p */,
                 const TcpHeader& header,
                 Ptr<const TcpSocketBase> /* s */)
    {
        if (header.GetAckNumber() > m_acked)
        {
            m_acked = header.GetAckNumber();
            Restart();
        }
    }

    void Restart()
    {
        // traces tell of what comes before and behind the change of the timeout at the same time
        m_last = Simulator::Now();
        Simulator::ScheduleNow(&RackLawTest::NoteLimit, this);
    }

    void NoteLimit()
    {
        m_limit = m_rto;
    }

    const std::string m_control; //!< congestion control
    std::mt19937 m_random;       //!< numbers
    SequenceNumber32 m_sent{1};  //!< behind what was sent
    SequenceNumber32 m_acked{1}; //!< acknowledged
    Time m_rto{Seconds(1)};      //!< timeout
    Time m_rtoSince;             //!< when it has become that
    Time m_limit{Seconds(1)};    //!< timeout since the last event
    Time m_window;               //!< longest reordering window
    Time m_last;                 //!< when something was sent or acknowledged last
    Time m_stall{0};             //!< longest wait beyond what timers allow
};

/// What the trace of the window says: a quarter of the least round trip (RFC 8985 section 6.2, step
/// 4), until something is behind a loss.
struct RackWindowTest : TestCase
{
    using TestCase::TestCase;

    void Note(Time window) //!< @param window it
    {
        m_windows.push_back(window);
    }

    std::vector<Time> m_windows; //!< in order
};

IWARP_TEST(mpaTcpRack, "the trace of the reordering window", RackWindowTest)
{
    MpaTcpSetup setup;
    setup.delay = MilliSeconds(20);
    setup.booleans = {{"Rack", true}};
    setup.records.assign(20, 1000);
    MpaTcpRun run(setup);
    run.onCreated = [this](Ptr<Socket> socket) {
        socket->TraceConnectWithoutContext("ReorderingWindow",
                                           MakeCallback(&RackWindowTest::Note, this));
    };
    run.Run();
    NS_TEST_ASSERT_MSG_EQ(m_windows.empty(), false, "told");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(m_windows.back(), MilliSeconds(10), "of 40 ms and more");
    NS_TEST_EXPECT_MSG_LT(m_windows.back(), MilliSeconds(11), "but little more");
}

IWARP_TEST_CASES(mpaTcpRack)
{
    for (const auto& control : RACK_CONTROLS)
    {
        TypeId type;
        if (TypeId::LookupByNameFailSafe("ns3::" + control, &type))
        {
            for (uint32_t seed = 1; seed <= 6; ++seed)
            {
                suite.AddTestCase(new RackLawTest(control, seed));
            }
        }
    }
}

} // namespace
