/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/iwarp-queue-disc.h"
#include "ns3/iwarp-workload-mpa.h"
#include "ns3/path-marking-queue-disc.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <boost/endian/conversion.hpp>
#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpQueueDisc, "iwarp-queue-disc");

using Settings = ScenarioSettings; //!< parameters and values
using Results = ScenarioResults;   //!< metrics

/**
 * @ingroup iwarp-test
 * A threshold of 4 and room for 10, by hand, in packets and in octets: packet n finds n - 1
 * waiting.
 */
class ThresholdTest : public TestCase
{
  public:
    /// @param octets sizes are in octets @param marking the disc marks
    ThresholdTest(bool octets, bool marking)
        : TestCase(std::string("A threshold in ") + (octets ? "octets" : "packets") +
                   (marking ? ", marking" : ", dropping")),
          m_octets(octets),
          m_marking(marking)
    {
    }

  private:
    /// @param capable the packets are ECN-capable @return what becomes of twelve packets: '-'
    /// passes as it came, 'M' is marked, 'D' is dropped
    std::string Offer(bool capable) const
    {
        const iwarp::QueueDiscSettings settings{iwarp::QueueDiscKind::THRESHOLD,
                                                QueueSize(m_octets ? "1000B" : "10p"),
                                                QueueSize(m_octets ? "400B" : "4p"),
                                                m_marking};
        const auto factory = MakeQueueDiscFactory(settings, DataRate("10Gbps"), MicroSeconds(1));
        Ptr<QueueDisc> disc = factory.Create<QueueDisc>();
        disc->Initialize();
        std::string fates;
        for (uint32_t i = 0; i < 12; i++)
        {
            Ipv4Header header;
            header.SetEcn(capable ? Ipv4Header::ECN_ECT0 : Ipv4Header::ECN_NotECT);
            auto item = Create<Ipv4QueueDiscItem>(Create<Packet>(80), Address(), 0x0800, header);
            const bool queued = disc->Enqueue(item);
            const bool marked = item->GetHeader().GetEcn() == Ipv4Header::ECN_CE;
            fates += !queued ? 'D' : marked ? 'M' : '-';
        }
        Simulator::Destroy();
        return fates;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Offer(true), (m_marking ? "----MMMMMMDD" : "----DDDDDDDD"), "ECT");
        NS_TEST_EXPECT_MSG_EQ(Offer(false), "----DDDDDDDD", "not ECN-capable");
    }

    bool m_octets;  //!< sizes are in octets
    bool m_marking; //!< the disc marks
};

IWARP_TEST_CASES(iwarpQueueDisc)
{
    for (const bool octets : {false, true})
    {
        suite.AddTestCase(new ThresholdTest(octets, true));
        suite.AddTestCase(new ThresholdTest(octets, false));
    }
}

/**
 * A queue that is held at a length marks with the probability of a ramp, each packet for itself:
 * n p of n packets within four standard deviations, and distances between marks as a geometric
 * distribution has them, of mean 1 / p and variance (1 - p) / p^2.
 */
class MarkingRampTest : public TestCase
{
  public:
    /// @param departing packets are marked when they leave
    explicit MarkingRampTest(bool departing)
        : TestCase(std::string("A ramp, at ") + (departing ? "dequeue" : "enqueue")),
          m_departing(departing)
    {
    }

  private:
    static constexpr uint32_t PACKETS = 200000; //!< at each length

    /// @param length at which the queue is held, packets @return distances between marks
    std::vector<uint32_t> Hold(uint32_t length) const
    {
        const iwarp::QueueDiscSettings settings{iwarp::QueueDiscKind::THRESHOLD,
                                                QueueSize("100p"),
                                                QueueSize("10p"),
                                                true,
                                                QueueSize("50p"),
                                                0.2,
                                                m_departing};
        const auto factory = MakeQueueDiscFactory(settings, DataRate("10Gbps"), MicroSeconds(1));
        Ptr<PathMarkingQueueDisc> disc =
            DynamicCast<PathMarkingQueueDisc>(factory.Create<QueueDisc>());
        disc->AssignStreams(7);
        disc->Initialize();
        std::vector<uint32_t> distances;
        uint32_t distance = 0;
        for (uint32_t i = 0; i < PACKETS + length; i++)
        {
            Ipv4Header header;
            header.SetEcn(Ipv4Header::ECN_ECT0);
            disc->Enqueue(Create<Ipv4QueueDiscItem>(Create<Packet>(80), Address(), 0x0800, header));
            if (i < length)
            {
                continue;
            }
            const auto item = DynamicCast<Ipv4QueueDiscItem>(disc->Dequeue());
            distance++;
            if (i >= 2 * length && item->GetHeader().GetEcn() == Ipv4Header::ECN_CE)
            {
                distances.push_back(distance);
                distance = 0;
            }
        }
        Simulator::Destroy();
        return distances;
    }

    void DoRun() override
    {
        for (const auto& [length, p] :
             std::map<uint32_t, double>{{9, 0}, {20, 0.05}, {30, 0.1}, {49, 0.195}, {50, 1}})
        {
            const auto distances = Hold(length);
            const double marks = static_cast<double>(distances.size());
            const double spread = std::sqrt(PACKETS * p * (1 - p));
            NS_TEST_EXPECT_MSG_EQ_TOL(marks, p * PACKETS, 4 * spread + length, "at " << length);
            if (p == 0 || p == 1)
            {
                continue;
            }
            double mean = 0;
            double square = 0;
            for (const double distance : distances)
            {
                mean += distance / marks;
                square += distance * distance / marks;
            }
            const double variance = (1 - p) / (p * p);
            NS_TEST_EXPECT_MSG_EQ_TOL(mean, 1 / p, 0.03 / p, "mean distance");
            NS_TEST_EXPECT_MSG_EQ_TOL(square - mean * mean,
                                      variance,
                                      0.1 * variance,
                                      "independent");
        }
    }

    bool m_departing; //!< packets are marked when they leave
};

IWARP_TEST_CASES(iwarpQueueDisc)
{
    suite.AddTestCase(new MarkingRampTest(false));
    suite.AddTestCase(new MarkingRampTest(true));
}

/// Runs scenarios of 16 flows that share 10 Gbit/s with a round trip of 100 us.
class QueueTest : public ScenarioTestCase
{
  protected:
    static constexpr double RATE = 10e9 / 8 / 1538;  //!< packets a second
    static constexpr double PACKETS = RATE * 100e-6; //!< of a bandwidth-delay product
    static constexpr double FLOWS = 16;              //!< flows
    static constexpr double THRESHOLD = 65;          //!< packets
    static constexpr uint32_t OCTETS = 170000;       //!< of each flow

    explicit QueueTest(const std::string& name) //!< @param name of the case
        : ScenarioTestCase(name,
                           {{"Flows", "16"},
                            {"Delay", "48us"},
                            {"LinkRate", "10Gbps"},
                            {"AccessRate", "40Gbps"},
                            {"WarmUp", "100000"},
                            {"SendBuffer", "200000"}, // or each run fills 4 MB a flow first
                            {"Octets", std::to_string(OCTETS)},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "500us"},
                            {"PlainTcp", "false"}})
    {
    }
};

/**
 * @ingroup iwarp-test
 * DCTCP at a threshold of K packets, against Alizadeh et al., Data Center TCP, SIGCOMM 2010,
 * section 3.3: the queue of N flows reaches K + N and swings by half the root of 2N(C RTT + K) if
 * they are in step, less if not; and the link is full, as K is above C RTT / 7.
 */
class DctcpTest : public QueueTest
{
  public:
    DctcpTest(bool ipv6, const std::string& rnic) //!< @param ipv6 use IPv6 @param rnic of the hosts
        : QueueTest(std::string("DCTCP's queue, ") + (ipv6 ? "IPv6" : "IPv4") + ", RNIC " + rnic),
          m_ipv6(ipv6),
          m_rnic(rnic)
    {
    }

  private:
    void DoRun() override
    {
        const bool plain = m_rnic == "none" && !m_ipv6;
        Results found = RunScenario({{"CongestionControl", "TcpDctcp"},
                                     {"QueueDisc", "threshold"},
                                     {"Rnic", m_rnic},
                                     {"Ipv6", m_ipv6 ? "true" : "false"},
                                     {"PlainTcp", plain ? "true" : "false"}});
        ExpectQueue(found, "");
        NS_TEST_EXPECT_MSG_GT(found["bottleneck_share"], 0.99, "the link is full");
        if (plain)
        {
            ExpectQueue(found, "plain_tcp_");
            NS_TEST_EXPECT_MSG_EQ_TOL(found["queue_mean"] / found["plain_tcp_queue_mean"],
                                      1,
                                      0.1,
                                      "as plain TCP has it");
        }
    }

    /// @param found metrics @param prefix of their names
    void ExpectQueue(Results& found, const std::string& prefix)
    {
        const std::string what = "queue " + prefix;
        const double swing = std::sqrt(2 * FLOWS * (PACKETS + THRESHOLD)) / 2;
        const double most = THRESHOLD + FLOWS;
        NS_TEST_EXPECT_MSG_LT(found[prefix + "queue_mean"], most, what);
        NS_TEST_EXPECT_MSG_GT(found[prefix + "queue_mean"], most - swing - FLOWS, what);
        // an ACK of two segments lets two go at once
        NS_TEST_EXPECT_MSG_LT(found[prefix + "queue_peak"], THRESHOLD + 2 * FLOWS, what);
        NS_TEST_EXPECT_MSG_GT(found[prefix + "ecn_marks"], 0, what);
        NS_TEST_EXPECT_MSG_EQ(GetQueueDrops(found, prefix).value_or(0), 0, what);
    }

    bool m_ipv6;        //!< use IPv6
    std::string m_rnic; //!< RNIC of the hosts
};

/**
 * @ingroup iwarp-test
 * So many senders with DCTCP that two segments of each exceed what the path and the threshold hold.
 * As Linux's dctcp_ssthresh() leaves a window of two segments, each has just these under way, and
 * the queue holds what of them the path does not: the link is full, and no segment waits for a
 * delayed ACK. ns-3's TcpDctcp, without a least window, leaves the link idle.
 */
class DctcpMinCwndTest : public QueueTest
{
  public:
    DctcpMinCwndTest()
        : QueueTest("DCTCP's least window")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double MANY = 32;           // senders
        constexpr double HELD = 44e-6 * RATE; // packets of a round trip, 0.55 of what they send
        ScenarioSettings settings{{"CongestionControl", "TcpDctcp"},
                                  {"QueueDisc", "threshold"},
                                  {"MarkingThreshold", "5p"},
                                  {"Flows", "32"},
                                  {"Delay", "20us"},
                                  {"WarmUp", "60000"}, // until all windows are the least
                                  {"Octets", "60000"}};
        Results found = RunScenario(settings);
        NS_TEST_EXPECT_MSG_GT(found["bottleneck_share"], 0.99, "the link is full");
        NS_TEST_EXPECT_MSG_EQ_TOL(found["queue_mean"], 2 * MANY - HELD, 4, "two of each");
        settings["TcpDctcpMinCwnd.MinCwnd"] = "0";
        settings["PlainTcp"] = "true";
        found = RunScenario(settings);
        NS_TEST_EXPECT_MSG_LT(found["bottleneck_share"], 0.97, "not so without");
        NS_TEST_EXPECT_MSG_LT(found["queue_mean"], 15, "segments wait elsewhere");
        NS_TEST_EXPECT_MSG_LT(found["plain_tcp_queue_mean"], 15, "as those of plain TCP");
    }
};

IWARP_TEST_CASES(iwarpQueueDisc)
{
    suite.AddTestCase(new DctcpMinCwndTest);
}

/// Counts the octets that come marked, and those that are acknowledged with an echo of marks.
class EchoWorkload : public IwarpMpaWorkload
{
  public:
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override
    {
        IwarpMpaWorkload::Install(flow, listener);
        m_last.emplace_back();
        Attach(flow.receiver, nullptr);
        Attach(flow.sender, &m_last.back());
    }

    double marked{0};       //!< octets of payload that came marked
    double echoed{0};       //!< octets that ACKs with ECE acknowledge
    double acknowledged{0}; //!< octets that all ACKs acknowledge

  private:
    /// A TCP segment
    struct Segment
    {
        bool ce;          //!< marked
        bool ece;         //!< echoes marks
        uint32_t ack;     //!< acknowledgement number
        uint32_t payload; //!< octets
    };

    /// @param packet datagram @return its segment
    static Segment Read(const Ptr<const Packet>& packet)
    {
        uint8_t octets[100] = {};
        packet->CopyData(octets, sizeof(octets));
        const bool six = octets[0] >> 4 == 6;
        const uint8_t* tcp = octets + (six ? 40 : 20);
        const uint32_t headers = (six ? 40 : 20) + (tcp[12] >> 4) * 4;
        return {((six ? octets[1] >> 4 : octets[1]) & 3) == 3,
                (tcp[13] & 0x40) != 0,
                boost::endian::load_big_u32(tcp + 8),
                packet->GetSize() - headers};
    }

    /// @param node host @param last where to note what has been acknowledged to it, if it sends
    void Attach(Ptr<Node> node, uint32_t* last)
    {
        if (auto ip = node->GetObject<Ipv4>())
        {
            ip->TraceConnectWithoutContext("Rx",
                                           MakeBoundCallback(&EchoWorkload::Get4, this, last));
        }
        if (auto ip = node->GetObject<Ipv6>())
        {
            ip->TraceConnectWithoutContext("Rx",
                                           MakeBoundCallback(&EchoWorkload::Get6, this, last));
        }
    }

    static void Get4(EchoWorkload* self,
                     uint32_t* last,
                     Ptr<const Packet> packet,
                     Ptr<Ipv4> /* ip */,
                     uint32_t /* interface */)
    {
        self->Get(last, packet);
    }

    static void Get6(EchoWorkload* self,
                     uint32_t* last,
                     Ptr<const Packet> packet,
                     Ptr<Ipv6> /* ip */,
                     uint32_t /* interface */)
    {
        self->Get(last, packet);
    }

    void Get(uint32_t* last, const Ptr<const Packet>& packet)
    {
        const Segment segment = Read(packet);
        if (!last)
        {
            marked += segment.ce ? segment.payload : 0;
            return;
        }
        const auto more = static_cast<int32_t>(segment.ack - *last);
        if (*last == 0 || more > 0)
        {
            acknowledged += *last == 0 ? 0 : more;
            echoed += *last == 0 || !segment.ece ? 0 : more;
            *last = segment.ack;
        }
    }

    std::list<uint32_t> m_last; //!< acknowledged so far, by flow
};

/**
 * @ingroup iwarp-test
 * What DCTCP's receiver echoes is what came marked (RFC 8257 section 3.2): the octets that ACKs
 * with ECE acknowledge are those of marked segments.
 */
class CongestionEchoTest : public QueueTest
{
  public:
    CongestionEchoTest(bool ipv6,
                       const std::string& rnic) //!< @param ipv6 use IPv6 @param rnic of the hosts
        : QueueTest(std::string("Echo of marks, ") + (ipv6 ? "IPv6" : "IPv4") + ", RNIC " + rnic),
          m_ipv6(ipv6),
          m_rnic(rnic)
    {
    }

  private:
    void DoRun() override
    {
        auto workload = CreateObject<EchoWorkload>();
        for (const auto& [name, octets] : {std::pair{"WarmUp", 0}, {"Octets", 400000}})
        {
            workload->SetAttribute(name, UintegerValue(octets));
        }
        const auto scenario = Make({{"CongestionControl", "TcpDctcp"},
                                    {"QueueDisc", "threshold"},
                                    {"Ipv6", m_ipv6 ? "true" : "false"},
                                    {"Rnic", m_rnic}});
        scenario->SetWorkload(workload);
        Measure(scenario);
        const double share = workload->marked / workload->acknowledged;
        NS_TEST_EXPECT_MSG_GT(share, 0.05, "some are marked");
        NS_TEST_EXPECT_MSG_LT(share, 0.9, "not all");
        NS_TEST_EXPECT_MSG_EQ_TOL(workload->echoed / workload->marked, 1, 0.02, "echoed");
    }

    bool m_ipv6;        //!< use IPv6
    std::string m_rnic; //!< RNIC of the hosts
};

/**
 * A congestion control that the path cannot serve, and a path that the congestion control cannot,
 * are said; what does not fit together is refused.
 */
IWARP_TEST(iwarpQueueDisc, "Cautions and refusals", QueueTest)
{
    const std::string control = "CongestionControl, QueueDisc: no queue marks packets";
    const std::vector<std::pair<Settings, std::string>> said{
        {{{"CongestionControl", "TcpDctcp"}}, control},
        {{{"CongestionControl", "TcpDctcp"}, {"QueueDisc", "threshold"}, {"EcnMarking", "false"}},
         control},
        {{{"Ecn", "On"}}, "Ecn, QueueDisc: "},
        {{{"Ecn", "On"}, {"QueueDisc", "codel"}}, ""},
        {{{"QueueDisc", "threshold"}}, "QueueDisc, Ecn: "},
        {{{"QueueDisc", "fq-codel"}}, ""},
        {{{"Rack", "true"}}, "Rack, Dsack: "},
        {{{"Rack", "true"}, {"Dsack", "true"}}, ""},
        {{{"Rack", "true"}, {"Dsack", "true"}, {"Sack", "false"}}, "Rack, Sack: "},
        {{{"Impairment", "jitter"}}, "Impairment: PathJitterImpairment does nothing"},
        {{{"Impairment", "random+jitter"},
          {"PathJitterImpairment.Delay", "ns3::ConstantRandomVariable[Constant=1e-6]"}},
         ""},
        {{{"Middlebox", "resegmenting"}}, "Middlebox: PathResegmentingMiddlebox does nothing"},
        {{{"Middlebox", "resegmenting"}, {"PathResegmentingMiddlebox.MaxPayload", "700"}}, ""},
        {{{"Middlebox", "icmp-filter"}}, ""},
        {{{"EspEngine", "aesni-like"}}, "EspEngine, Ipsec: there is no ESP"},
        {{{"EspEngine", "aesni-like"}, {"Ipsec", "gateway"}}, ""},
        {{{"EspEngine", "inline"}}, ""},
        {{}, ""}};
    for (const auto& [settings, caution] : said)
    {
        Settings little{{"Flows", "1"}, {"WarmUp", "0"}, {"Octets", "20000"}};
        little.insert(settings.begin(), settings.end());
        const auto scenario = Make(little);
        Measure(scenario);
        const auto& cautions = scenario->GetCautions();
        NS_TEST_ASSERT_MSG_EQ(cautions.size(), (caution.empty() ? 0 : 1), caution);
        for (const auto& line : cautions)
        {
            NS_TEST_EXPECT_MSG_EQ(line.find(caution), 0, line);
        }
    }

    const std::vector<std::pair<Settings, std::string>> refused{
        {{{"QueueDisc", "fq-codel"}, {"QueueSize", "150000B"}}, "QueueSize, QueueDisc: "},
        {{{"QueueDisc", "threshold"}, {"QueueSize", "150000B"}}, "MarkingThreshold, QueueSize: "},
        {{{"QueueDisc", "threshold"}, {"QueueSize", "50p"}}, "MarkingThreshold: "},
        {{{"QueueDisc", "threshold"}, {"MarkingThreshold", "1p"}}, "MarkingThreshold: "}};
    for (const auto& [settings, says] : refused)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name);
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Check().find(says), 0, scenario->Check());
    }
}

IWARP_TEST_CASES(iwarpQueueDisc)
{
    suite.AddTestCase(new DctcpTest(false, "none"));
    suite.AddTestCase(new DctcpTest(true, "none"), IWARP_TEST_EXTENSIVE);
    suite.AddTestCase(new DctcpTest(false, "t5-like"));
}

/**
 * NewReno fills a drop-tail queue of two bandwidth-delay products until it drops; with as much
 * queue DCTCP needs what the threshold says.
 */
IWARP_TEST(iwarpQueueDisc, "NewReno at a drop-tail queue", QueueTest)
{
    Results tail = RunScenario({{"CongestionControl", "TcpNewReno"}, {"QueueSize", "250p"}});
    NS_TEST_EXPECT_MSG_EQ(tail["queue_peak"], 250, "full");
    NS_TEST_EXPECT_MSG_GT(GetQueueDrops(tail).value_or(1), 0, "overflows");
    NS_TEST_EXPECT_MSG_GT(tail["queue_mean"], THRESHOLD + FLOWS, "above that of DCTCP");
    NS_TEST_EXPECT_MSG_EQ(tail["ecn_marks"], 0, "marks nothing");
    // halving a window of C RTT + 250 leaves more than C RTT: the link stays full
    NS_TEST_EXPECT_MSG_GT(tail["bottleneck_share"], 0.98, "the link is full");
}

IWARP_TEST_CASES(iwarpQueueDisc)
{
    suite.AddTestCase(new CongestionEchoTest(false, "none"));
    suite.AddTestCase(new CongestionEchoTest(true, "none"));
    suite.AddTestCase(new CongestionEchoTest(false, "t5-like"));
    suite.AddTestCase(new CongestionEchoTest(true, "t5-like"));
}

/**
 * Each queue disc with each congestion control: all octets come, who can be told by marks is, and
 * if nothing is dropped, then nothing is sent again and no flow waits until a timer of 10 ms ends.
 */
IWARP_TEST(iwarpQueueDisc, "Queue discs and congestion controls", QueueTest)
{
    for (const std::string disc : {"red", "codel", "fq-codel", "pie", "threshold"})
    {
        for (const std::string control : {"TcpNewReno", "TcpCubic", "TcpBbr", "TcpDctcp"})
        {
            const Settings settings{{"CongestionControl", control},
                                    {"QueueDisc", disc},
                                    {"Ecn", "On"},
                                    {"Flows", "4"},
                                    {"LinkRate", "1Gbps"},
                                    {"MarkingThreshold", "10p"},
                                    {"PieQueueDisc.MaxBurstAllowance", "0s"},
                                    {"PieQueueDisc.A", "1000"},
                                    {"PieQueueDisc.B", "1000"},
                                    {"PieQueueDisc.MarkEcnThreshold", "1"},
                                    {"WarmUp", "0"},
                                    {"CoDelQueueDisc.Interval", "1ms"},
                                    {"CoDelQueueDisc.Target", "20us"},
                                    {"FqCoDelQueueDisc.Interval", "1ms"},
                                    {"FqCoDelQueueDisc.Target", "20us"},
                                    {"PieQueueDisc.QueueDelayReference", "20us"},
                                    {"PieQueueDisc.Tupdate", "100us"},
                                    {"PieQueueDisc.Supdate", "0s"}};
            const std::string what = disc + " " + control;
            Results found = RunScenario(settings);
            NS_TEST_EXPECT_MSG_GT(found["ecn_marks"], 0, what);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(found["goodput"], found["goodput_bound"], what);
            if (GetQueueDrops(found) == 0.)
            {
                NS_TEST_EXPECT_MSG_EQ(found["retransmitted_octets"], 0, what);
                const double needed = 8. * 4 * OCTETS / found["goodput_bound"];
                NS_TEST_EXPECT_MSG_LT(found["duration"], needed + 10e-3, what);
            }
            if (control == "TcpCubic")
            {
                NS_TEST_EXPECT_MSG_EQ(RunScenario(settings)["ecn_marks"],
                                      found["ecn_marks"],
                                      what << ": again");
            }
        }
    }
}

} // namespace
