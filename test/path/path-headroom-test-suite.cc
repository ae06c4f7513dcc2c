/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "path-switch-bench.h"

#include "ns3/ns3-compat.h"
#include "ns3/path-headroom.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/// Headroom of pauses
IWARP_TEST_SUITE(pathHeadroom, "path-headroom");

constexpr uint32_t HEADERS_OF_ETHERNET = 38; //!< octets of wire besides a datagram's
constexpr uint32_t LEAST_WIRE = 84;          //!< octets of wire of the shortest frame
constexpr uint32_t GAP_OF_ETHERNET = 12;     //!< octet times between frames
constexpr uint32_t PAUSE_AND_PREAMBLE = 72;  //!< octets until a pause frame has been sent

/// Headroom by hand, from annex O's sum: rate, cable, MTU.
IWARP_TEST(pathHeadroom, "octets by hand")
{
    // 8 Gbit/s, 1 octet a ns, no cable: 1538 + 72 + 2 * 1538 - 12 - 1 = 4673 = 3 * 1538 + 59
    NS_TEST_EXPECT_MSG_EQ(GetPauseHeadroom(DataRate("8Gbps"), Time(0), 1500, PathFraming::ETHERNET),
                          1500U + 3 * 1500 + 59 - 38,
                          "without a cable");
    // 100 m are 500 ns: 1000 octets more, 5673 = 3 * 1538 + 1059
    NS_TEST_EXPECT_MSG_EQ(
        GetPauseHeadroom(DataRate("8Gbps"), NanoSeconds(500), 1500, PathFraming::ETHERNET),
        1500U + 3 * 1500 + 1059 - 38,
        "100 m");
    // a response of 479 ns fills the frame, of which nothing is left
    NS_TEST_EXPECT_MSG_EQ(GetPauseHeadroom(DataRate("8Gbps"),
                                           NanoSeconds(500),
                                           1500,
                                           PathFraming::ETHERNET,
                                           NanoSeconds(479)),
                          1500U + 4 * 1500,
                          "with a response");
    // PPP has 2 octets and no gap: 1538 + 72 + 2 * 1502 - 1 = 4613 = 3 * 1502 + 107
    NS_TEST_EXPECT_MSG_EQ(GetPauseHeadroom(DataRate("8Gbps"), Time(0), 1500, PathFraming::PPP),
                          1500U + 3 * 1500 + 107 - 2,
                          "PPP");
    // 40 Gbit/s, 0.2 ns an octet, and 300 m: 1538 + 72 + 15000 + 3076 - 12 - 1 + 15 = 19688
    NS_TEST_EXPECT_MSG_EQ(
        GetPauseHeadroom(DataRate("40Gbps"), NanoSeconds(1500), 1500, PathFraming::ETHERNET),
        1500U + 12 * 1500 + 19688 - 12 * 1538 - 38,
        "where an octet takes no whole step of time");
}

/**
 * The worst case: a host sends at the rate of its link; when a datagram finds the threshold filled
 * to the octet, the switch has just begun a frame of full size to the host, behind which the pause
 * frame has to wait; and what the host sends leaves no gap in the time until it pauses. Nothing is
 * dropped with the headroom, which is used to the last octet, and one datagram with an octet less.
 */
class HeadroomWorstCase : public TestCase
{
  public:
    /// What the link is
    struct Line
    {
        std::string rate; //!< of it
        uint32_t metres;  //!< of cable, at 5 ns each; at least
        uint32_t mtu;     //!< octets
        bool ipv6;        //!< version of IP
        int64_t response; //!< ns
        bool whole;       //!< an octet takes whole ns: the last one can be told
    };

    explicit HeadroomWorstCase(const Line& line) //!< @param line what the link is
        : TestCase(line.rate + ", " + std::to_string(line.metres) + " m, " +
                   std::to_string(line.mtu) + " octets" + (line.ipv6 ? ", IPv6" : "")),
          m_line(line)
    {
        FitCable();
    }

  private:
    static constexpr uint32_t FILL = 5;                //!< datagrams below the threshold
    static constexpr uint64_t XOFF_OF_PORT = 5;        //!< datagrams of the threshold
    static constexpr int64_t SENDING_FROM = 1'000'000; //!< ns

    /// What a run was like
    struct Outcome
    {
        Time exceeded;  //!< when the datagram arrived that exceeded the threshold
        uint64_t drops; //!< datagrams that found no headroom
        uint64_t peak;  //!< octets that were held
    };

    uint64_t GetWire() const //!< @return octets of wire of a full frame
    {
        return m_line.mtu + HEADERS_OF_ETHERNET;
    }

    /// @return octets of wire that follow the datagram in time, in the words of the sum: the frame
    /// before the pause frame, that, there and back, two frames, without a gap at the end, and less
    /// than all
    uint64_t GetWindow() const
    {
        const double octets =
            (2 * m_delay + m_line.response) * DataRate(m_line.rate).GetBitRate() / 8e9;
        return 3 * GetWire() + PAUSE_AND_PREAMBLE - GAP_OF_ETHERNET - 1 +
               static_cast<uint64_t>(octets);
    }

    void FitCable() //!< Where an octet takes parts of a ns have only whole frames fit, with 20 left
    {
        m_delay = 5 * m_line.metres;
        while (!m_line.whole && (GetWindow() % GetWire() < 15 || GetWindow() % GetWire() > 20))
        {
            m_delay += 1;
        }
    }

    /// @return what follows the datagram that exceeds the threshold, without what is too late
    std::vector<SwitchBench::Train> ListLate() const
    {
        const auto left = static_cast<uint32_t>(GetWindow() % GetWire());
        const auto full = static_cast<uint32_t>(GetWindow() / GetWire());
        std::vector<SwitchBench::Train> late;
        if (left >= LEAST_WIRE + 20) // the least of IPv6 and UDP
        {
            late.push_back({1, left - HEADERS_OF_ETHERNET});
        }
        late.push_back({full + 50, m_line.mtu});
        return late;
    }

    /// @param headroom of the port @param back when the frame to the host reaches the switch, or 0
    /// @return what happened
    Outcome Try(uint64_t headroom, Time back) const
    {
        SwitchBench bench(m_line.ipv6);
        IwarpNetwork& network = bench.GetNetwork();
        network.AddRouter();
        IwarpNetwork::Link link{DataRate(m_line.rate), NanoSeconds(m_delay), QueueSize("100000p")};
        link.mtu = m_line.mtu;
        link.pause.xoff = XOFF_OF_PORT * m_line.mtu;
        link.pause.headroom = headroom;
        link.pause.response = NanoSeconds(m_line.response);
        const uint32_t host = network.AddHost(0, link);
        IwarpNetwork::Link other = link; // so that the frame back is under way earlier
        other.delay += MicroSeconds(100);
        const uint32_t peer = network.AddHost(0, other);
        IwarpNetwork::Link slow = link;
        slow.rate = DataRate("1kbps");
        const uint32_t sink = network.AddHost(0, slow);
        bench.Start();

        std::vector<SwitchBench::Train> trains{{1 + FILL + 1, m_line.mtu}}; // the first one leaves
        for (const auto& train : ListLate())
        {
            trains.push_back(train);
        }
        bench.Send(NanoSeconds(SENDING_FROM), host, sink, 0, trains);
        if (!back.IsZero())
        {
            const uint32_t sent = m_line.mtu + HEADERS_OF_ETHERNET - GAP_OF_ETHERNET;
            bench.Send(back - other.delay - other.rate.CalculateBytesTxTime(sent),
                       peer,
                       host,
                       0,
                       {{1, m_line.mtu}});
        }
        Outcome outcome{};
        uint32_t arrived = 0;
        const auto port = network.GetLinkDevices(network.GetHostLink(host)).Get(0);
        port->TraceConnectWithoutContext(
            "PhyRxEnd",
            iwarp::MakeLambdaCallback<Callback<void, Ptr<const Packet>>>([&outcome, &arrived](
                                                                             Ptr<const Packet>) {
                outcome.exceeded = ++arrived == 1 + FILL + 1 ? Simulator::Now() : outcome.exceeded;
            }));
        Simulator::Stop(NanoSeconds(SENDING_FROM) + MilliSeconds(5));
        Simulator::Run();
        outcome.drops = bench.GetMemory(0).GetDrops().headroom;
        outcome.peak = bench.GetMemory(0).GetBuffer().GetPeak();
        Simulator::Destroy();
        return outcome;
    }

    void DoRun() override
    {
        const uint64_t headroom = GetPauseHeadroom(DataRate(m_line.rate),
                                                   NanoSeconds(m_delay),
                                                   m_line.mtu,
                                                   PathFraming::ETHERNET,
                                                   NanoSeconds(m_line.response));
        const uint64_t left = GetWindow() % GetWire();
        const uint64_t needed = m_line.mtu * (1 + GetWindow() / GetWire()) +
                                (left > HEADERS_OF_ETHERNET ? left - HEADERS_OF_ETHERNET : 0);
        if (m_line.whole)
        {
            NS_TEST_EXPECT_MSG_EQ(headroom, needed, "what is needed");
        }
        else
        { // or what three ns more are
            NS_TEST_EXPECT_MSG_EQ((needed <= headroom && headroom <= needed + 40), true, "needed");
        }
        const Time exceeded = Try(headroom, Time(0)).exceeded;
        const Outcome enough = Try(headroom, exceeded);
        NS_TEST_EXPECT_MSG_EQ(enough.drops, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(enough.peak,
                              XOFF_OF_PORT * m_line.mtu + needed,
                              "the headroom is used to the last octet");
        NS_TEST_EXPECT_MSG_EQ(Try(needed - 1, exceeded).drops, 1, "an octet less");
    }

    Line m_line;        //!< what the link is
    int64_t m_delay{0}; //!< of the link, ns
};

IWARP_TEST_CASES(pathHeadroom)
{
    for (const bool ipv6 : {false, true})
    {
        for (const uint32_t mtu : {1500, 9000, 4200})
        {
            suite.AddTestCase(new HeadroomWorstCase({"1Gbps", 100, mtu, ipv6, 0, true}));
            suite.AddTestCase(new HeadroomWorstCase({"8Gbps", 300, mtu, ipv6, 0, true}));
            suite.AddTestCase(new HeadroomWorstCase({"8Gbps", 2, mtu, ipv6, 700, true}));
            suite.AddTestCase(new HeadroomWorstCase({"10Gbps", 10, mtu, ipv6, 0, false}));
            suite.AddTestCase(new HeadroomWorstCase({"40Gbps", 100, mtu, ipv6, 500, false}));
            suite.AddTestCase(new HeadroomWorstCase({"100Gbps", 1000, mtu, ipv6, 0, false}));
        }
    }
}

} // namespace
