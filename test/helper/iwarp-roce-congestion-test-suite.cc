/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-queue-disc.h"
#include "ns3/node.h"
#include "ns3/pcap-file.h"
#include "ns3/queue-disc.h"
#include "ns3/roce-client.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-server.h"
#include "ns3/roce-timely.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// RoCE's congestion control in networks
IWARP_TEST_SUITE(iwarpRoceCongestion, "iwarp-roce-congestion");

constexpr uint32_t SHARED_MTU = 1000;                  //!< octets of a datagram
constexpr double SHARED_FRAME = 8.0 * (940 + 44 + 38); //!< bits that a full packet takes on a link
constexpr double SHARED_MOST = 8 * 940 / SHARED_FRAME; //!< share of a link that is payload

/**
 * Senders, and a receiver to which all send without end, at one router.
 */
class SharedLink
{
  public:
    /// @param senders of them @param rate of all links @param congestion class that controls rates
    /// @param disc of the links
    SharedLink(uint32_t senders,
               const std::string& rate,
               TypeId congestion,
               const iwarp::QueueDiscSettings& disc)
    {
        const DataRate links(rate);
        const Time delay = MicroSeconds(1);
        IwarpNetwork::Link link{links, delay, QueueSize("4MB"), SHARED_MTU};
        link.queueDisc = MakeQueueDiscFactory(disc, links, delay);
        m_network.AddRouter();
        m_receiver = m_network.AddHost(0, link);
        for (uint32_t i = 0; i < senders; i++)
        {
            m_network.AddHost(0, link);
        }
        m_network.InstallRoutes();
        m_network.AssignStreams(1);
        for (uint32_t i = 0; i < senders; i++)
        {
            AddFlow(i, congestion);
        }
    }

    ~SharedLink()
    {
        Simulator::Destroy();
    }

    SharedLink(const SharedLink&) = delete;
    SharedLink& operator=(const SharedLink&) = delete;

    /// @param flow that begins then @param start it
    void SetStart(uint32_t flow, Time start)
    {
        m_clients[flow]->SetStartTime(start);
    }

    /// @param begin when figures begin @param end when they end
    void Run(Time begin, Time end)
    {
        Simulator::Schedule(begin, &SharedLink::Restart, this);
        Simulator::Stop(end);
        Simulator::Run();
        m_seconds = (end - begin).GetSeconds();
    }

    /// @return payload of each flow [bit/s]
    std::vector<double> GetRates() const
    {
        std::vector<double> rates;
        for (const uint64_t octets : m_octets)
        {
            rates.push_back(8.0 * static_cast<double>(octets) / m_seconds);
        }
        return rates;
    }

    /// @return Jain's index of the flows' rates
    double GetFairness() const
    {
        double sum = 0;
        double squares = 0;
        for (const double rate : GetRates())
        {
            sum += rate;
            squares += rate * rate;
        }
        return sum * sum / (squares * static_cast<double>(m_octets.size()));
    }

    /// @return mean length of the queue to the receiver, octets
    double GetQueue() const
    {
        return m_queue / static_cast<double>(m_samples);
    }

    /// @return most that was in it, octets
    uint32_t GetPeak() const
    {
        return m_peak;
    }

    /// @return CNPs that come at senders, all flows, in a second
    double GetCnps() const
    {
        return static_cast<double>(CountCnps() - m_cnps) / m_seconds;
    }

    /// @return payload of all flows [bit/s]
    double GetRate() const
    {
        const auto rates = GetRates();
        return std::accumulate(rates.begin(), rates.end(), 0.0);
    }

    /// @return timeouts, all flows
    uint64_t GetTimeouts() const
    {
        uint64_t timeouts = 0;
        for (const auto& client : m_clients)
        {
            timeouts += client->GetTimeouts();
        }
        return timeouts;
    }

  private:
    /// @param flow number of it @param congestion class that controls its rate
    void AddFlow(uint32_t flow, TypeId congestion)
    {
        constexpr uint32_t window = 1 << 20;
        const uint16_t port = static_cast<uint16_t>(1000 + flow);
        Ptr<RoceServer> server = CreateObject<RoceServer>();
        server->SetAttribute("QueuePair", UintegerValue(port));
        server->SetAttribute("Window", UintegerValue(window));
        const bool marks = congestion == RoceDcqcn::GetTypeId();
        server->SetAttribute("CnpInterval", TimeValue(MicroSeconds(marks ? 50 : 0)));
        m_octets.push_back(0);
        server->TraceConnectWithoutContext("PacketPlaced",
                                           MakeBoundCallback(&SharedLink::Place, this, flow));
        m_network.GetHost(m_receiver)->AddApplication(server);

        Ptr<RoceClient> client = CreateObject<RoceClient>();
        client->SetAttribute("Remote",
                             AddressValue(m_network.GetHostSocketAddress(m_receiver, port)));
        client->SetAttribute("Window", UintegerValue(window));
        client->SetAttribute("PacketPayload", UintegerValue(SHARED_MTU - 60)); // 20, 8, 12, 16, 4
        client->SetAttribute("Timeout", TimeValue(MilliSeconds(4)));
        client->SetAttribute("Congestion", TypeIdValue(congestion));
        client->Allow(0);
        client->Post(0xFFFFFFFF);
        m_network.GetHost(m_receiver + 1 + flow)->AddApplication(client);
        m_clients.push_back(client);
    }

    static void Place(SharedLink* self, uint32_t flow, uint32_t octets, Time /* delay */)
    {
        self->m_octets[flow] += octets;
    }

    void Restart()
    {
        std::fill(m_octets.begin(), m_octets.end(), 0);
        m_cnps = CountCnps();
        Sample();
    }

    /// @return CNPs that have come at senders, all flows
    uint64_t CountCnps() const
    {
        uint64_t cnps = 0;
        for (const auto& client : m_clients)
        {
            cnps += client->GetCnps();
        }
        return cnps;
    }

    void Sample()
    {
        const auto device = m_network.GetLinkDevices(m_network.GetHostLink(m_receiver)).Get(0);
        const uint32_t length = IwarpNetwork::GetQueueDisc(device)->GetNBytes();
        m_queue += length;
        m_peak = std::max(m_peak, length);
        m_samples++;
        Simulator::Schedule(NanoSeconds(997), &SharedLink::Sample, this);
    }

    IwarpNetwork m_network;                 //!< hosts and a router
    uint32_t m_receiver{0};                 //!< its host
    std::vector<Ptr<RoceClient>> m_clients; //!< of the flows
    std::vector<uint64_t> m_octets;         //!< payload of each since figures begin
    double m_seconds{0};                    //!< for so long
    double m_queue{0};                      //!< sum of lengths, octets
    uint64_t m_samples{0};                  //!< how many
    uint32_t m_peak{0};                     //!< greatest, octets
    uint64_t m_cnps{0};                     //!< before figures begin
};

/**
 * The fixed point of DCQCN's fluid model (Zhu et al., ECN or Delay, CoNEXT 2016), for N flows that
 * share a link. With p the probability of a mark, rates in packets a second, and marks independent:
 *
 * - a CNP comes within tau with probability a = 1 - (1 - p)^(tau R), and the rate is cut by
 *   alpha / 2 for it: R loses R alpha a / (2 tau) a second;
 * - alpha is what an average with weight g of "a CNP within tau'" settles at, 1 - (1 - p)^(tau' R);
 * - k rises in a row by the byte counter have k B packets without a mark, so rises come R b times a
 *   second with b = p / ((1 - p)^-B - 1), those that raise the target R c times with c = (1 - p)^(F
 *   B) b; d and e are the same of the timer, with T R packets in place of B;
 * - a rise brings the rate half the way to the target, and a CNP the target down to the rate.
 *
 * At rest R = C / N, (R_T - R) a / tau = R_AI R (c + e) and alpha a / tau = (R_T - R) (b + d), so
 * that a^2 alpha = tau^2 R_AI R (b + d) (c + e), which has one solution p.
 */
struct DcqcnFixedPoint
{
    double p;     //!< probability of a mark
    double alpha; //!< alpha
    double cnps;  //!< of a flow in a second

    /// @param flows how many @param line rate in packets a second @param packet octets of one
    /// @return the fixed point
    static DcqcnFixedPoint Solve(double flows, double line, double packet)
    {
        double low = 1e-7;
        double high = 0.5;
        for (int i = 0; i < 200; i++)
        {
            const double middle = std::sqrt(low * high);
            (GetExcess(middle, line / flows, packet) < 0 ? low : high) = middle;
        }
        const double p = std::sqrt(low * high);
        const double rate = line / flows;
        return {p, 1 - std::pow(1 - p, TAU_ALPHA * rate), (1 - std::pow(1 - p, TAU * rate)) / TAU};
    }

  private:
    static constexpr double TAU = 50e-6;       //!< between CNPs, s
    static constexpr double TAU_ALPHA = 55e-6; //!< between falls of alpha, s

    /// @param p probability of a mark @param rate packets a second @param packet octets of one
    /// @return what is left of the equation of rest: below 0 where rates rise
    static double GetExcess(double p, double rate, double packet)
    {
        constexpr double timer = 55e-6;
        constexpr double recoveries = 5;
        const double counter = 10e6 / packet;
        const double additive = 40e6 / 8 / packet;
        const double kept = 1 - p;
        const double a = 1 - std::pow(kept, TAU * rate);
        const double alpha = 1 - std::pow(kept, TAU_ALPHA * rate);
        const double b = p / (std::pow(kept, -counter) - 1);
        const double d = p / (std::pow(kept, -timer * rate) - 1);
        const double c = std::pow(kept, recoveries * counter) * b;
        const double e = std::pow(kept, recoveries * timer * rate) * d;
        return a * a * alpha - TAU * TAU * additive * rate * (b + d) * (c + e);
    }
};

/// @return the paper's congestion point: Kmin 5 kB, Kmax 200 kB, Pmax 1 %
iwarp::QueueDiscSettings
GetPublishedMarking()
{
    return {iwarp::QueueDiscKind::THRESHOLD,
            QueueSize("4MB"),
            QueueSize("5kB"),
            true,
            QueueSize("200kB"),
            0.01,
            true};
}

/**
 * Flows of DCQCN at 40 Gbit/s with the paper's figures rest where the fluid model does.
 */
class DcqcnFluidTest : public TestCase
{
  public:
    explicit DcqcnFluidTest(uint32_t flows) //!< @param flows how many
        : TestCase("DCQCN's fixed point, " + std::to_string(flows) + " flows"),
          m_flows(flows)
    {
    }

  private:
    void DoRun() override
    {
        constexpr double packet = SHARED_FRAME / 8;
        const auto fixed = DcqcnFixedPoint::Solve(m_flows, 40e9 / SHARED_FRAME, packet);
        const double queue = 5e3 + fixed.p / 0.01 * 195e3;
        SharedLink link(m_flows, "40Gbps", RoceDcqcn::GetTypeId(), GetPublishedMarking());
        link.Run(MilliSeconds(15), MilliSeconds(40));
        const double cnps = m_flows * fixed.cnps;
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetQueue(), queue, 0.2 * queue, "queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(link.GetCnps(), cnps, 0.1 * cnps, "CNPs");
        NS_TEST_EXPECT_MSG_GT(link.GetFairness(), 0.95, "equal rates");
        NS_TEST_EXPECT_MSG_GT(link.GetRate(), 0.98 * SHARED_MOST * 40e9, "the link is full");
        NS_TEST_EXPECT_MSG_EQ(link.GetTimeouts(), 0, "none");
    }

    uint32_t m_flows; //!< how many
};

IWARP_TEST_CASES(iwarpRoceCongestion)
{
    for (const uint32_t flows : {2, 4, 8})
    {
        suite.AddTestCase(new DcqcnFluidTest(flows));
    }
}

/**
 * A second flow that begins when the first has the link: each has half of it soon (Zhu et al.,
 * SIGCOMM 2015, two flows converge), and the link stays full. Without control each sends at the
 * link's rate, and the queue takes what it can.
 */
IWARP_TEST(iwarpRoceCongestion, "Two flows, one after the other")
{
    SharedLink link(2, "40Gbps", RoceDcqcn::GetTypeId(), GetPublishedMarking());
    link.SetStart(1, MilliSeconds(5));
    link.Run(MilliSeconds(15), MilliSeconds(30));
    NS_TEST_EXPECT_MSG_GT(link.GetFairness(), 0.9, "10 ms later");
    NS_TEST_EXPECT_MSG_GT(link.GetRate(), 0.95 * SHARED_MOST * 40e9, "full");
    NS_TEST_EXPECT_MSG_LT(link.GetPeak(), 200e3, "below the ceiling");
}

/**
 * TIMELY at 10 Gbit/s, from a tenth of it on: the link is full, and round trips reach T_low but not
 * T_high, with queues of 50 and 500 us less a few; rates need not be equal.
 */
IWARP_TEST(iwarpRoceCongestion, "TIMELY fills a link, and keeps its queue between the thresholds")
{
    Config::SetDefault("ns3::RoceTimely::InitialShare", DoubleValue(0.1));
    for (const uint32_t flows : {2, 4})
    {
        const iwarp::QueueDiscSettings disc{iwarp::QueueDiscKind::THRESHOLD,
                                            QueueSize("4MB"),
                                            QueueSize("4MB")};
        SharedLink link(flows, "10Gbps", RoceTimely::GetTypeId(), disc);
        link.Run(MilliSeconds(30), MilliSeconds(60));
        constexpr double rate = 10e9 / 8; // octets a second
        NS_TEST_EXPECT_MSG_GT(link.GetRate(), 0.93 * SHARED_MOST * 10e9, "full");
        NS_TEST_EXPECT_MSG_GT(link.GetPeak(), 44e-6 * rate, "T_low is reached");
        NS_TEST_EXPECT_MSG_LT(link.GetPeak(), 500e-6 * rate, "T_high is not");
        NS_TEST_EXPECT_MSG_EQ(link.GetTimeouts(), 0, "none");
    }
    Config::SetDefault("ns3::RoceTimely::InitialShare", DoubleValue(1));
}

/// In scenarios: metrics, and what cannot be.
struct RoceControlTest : ScenarioTestCase
{
    /// @param name of the case
    explicit RoceControlTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"Topology", "star"},
                            {"Pattern", "incast"},
                            {"IncastSenders", "4"},
                            {"AccessRate", "40Gbps"},
                            {"QueueDisc", "threshold"},
                            {"QueueSize", "4MB"},
                            {"MarkingThreshold", "5kB"},
                            {"MarkingCeiling", "200kB"},
                            {"MarkAtDequeue", "true"},
                            {"MessageSizes", "fixed:1000000"},
                            {"Octets", "3000000"},
                            {"PlainTcp", "false"}})
    {
    }
};

IWARP_TEST(iwarpRoceCongestion, "Scenarios", RoceControlTest)
{
    for (const std::string workload : {"go-back-n", "selective-repeat"})
    {
        for (const std::string ipv6 : {"false", "true"})
        {
            const auto found =
                RunScenario({{"Workload", workload}, {"RoceCongestion", "dcqcn"}, {"Ipv6", ipv6}});
            NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 4 * 3000000, "all");
            NS_TEST_EXPECT_MSG_GT(found.at("roce_cnps"), 0, "some");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(found.at("roce_marked"),
                                        found.at("roce_cnps"),
                                        "for marks");
            NS_TEST_EXPECT_MSG_LT(found.at("roce_rate"), 20e9, "four share 40 Gbit/s");
            NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), 0, "nothing is lost");
            NS_TEST_EXPECT_MSG_EQ(found.at("roce_window"), 1 << 22, "none");
        }
        const auto timely = RunScenario({{"Workload", workload}, {"RoceCongestion", "timely"}});
        NS_TEST_EXPECT_MSG_EQ(timely.at("payload_octets"), 4 * 3000000, "all");
        NS_TEST_EXPECT_MSG_EQ(timely.count("roce_cnps"), 0, "it has none");
        NS_TEST_EXPECT_MSG_GT(timely.at("roce_rate"), 0, "a rate");
        const auto none = RunScenario({{"Workload", workload}});
        NS_TEST_EXPECT_MSG_EQ(none.count("roce_rate"), 0, "not controlled");
    }
    const auto slow = RunScenario(
        {{"Workload", "go-back-n"}, {"RoceCongestion", "dcqcn"}, {"RoceDcqcn.CnpInterval", "0s"}});
    NS_TEST_EXPECT_MSG_EQ(slow.at("roce_cnps"), 0, "the receiver tells nothing");
    const std::string problem =
        Make({{"Workload", "go-back-n"}, {"MarkingCeiling", "4kB"}})->Check();
    NS_TEST_EXPECT_MSG_EQ(problem.rfind("MarkingCeiling: ", 0), 0U, problem);
}

/// What is between an adapter's rate, its queue and the timeout, in scenarios without loss.
struct RoceQueueTest : ScenarioTestCase
{
    /// @param name of the case
    explicit RoceQueueTest(const std::string& name)
        : ScenarioTestCase(name, {{"PlainTcp", "false"}, {"AccessRate", "10Gbps"}})
    {
    }
};

/// Packets that are paused keep their places while other classes' go by, so that no more than
/// RoceHost::DEPTH wait, and a queue of 100 packets loses none beside datagrams.
IWARP_TEST(iwarpRoceCongestion, "A paused adapter takes no more of its queue", RoceQueueTest)
{
    const auto found = RunScenario({{"Topology", "leaf-spine"},
                                    {"Leaves", "1"},
                                    {"Spines", "1"},
                                    {"HostsPerLeaf", "16"},
                                    {"Pattern", "incast"},
                                    {"Workload", "go-back-n"},
                                    {"Octets", "500000"},
                                    {"IwarpRoceWorkload.Window", "2000"},
                                    {"IwarpRoceWorkload.Timeout", "100ms"},
                                    {"Priorities", "4"},
                                    {"RoceHost.DataDscp", "26"},
                                    {"PfcPriorities", "3"},
                                    {"PfcXoff", "30000"},
                                    {"PfcXon", "20000"},
                                    {"PfcHeadroom", "auto"},
                                    {"QueueSize", "100p"},
                                    {"CrossTraffic", "udp"},
                                    {"CrossFlows", "16"},
                                    {"CrossRate", "8Gbps"}});
    NS_TEST_EXPECT_MSG_EQ(found.at("roce_naks"), 0, "nothing is missed");
    NS_TEST_EXPECT_MSG_EQ(found.at("retransmitted_octets"), 0, "nothing is lost");
    NS_TEST_EXPECT_MSG_GT(found.at("goodput"), 9e9, "the link is full");
}

/// A flow whose packets cost less on the wire is no slower by TIMELY, which reckons when they have
/// left.
IWARP_TEST(iwarpRoceCongestion, "TIMELY reckons with the framing of the link", RoceQueueTest)
{
    std::vector<double> goodputs;
    for (const char* framing : {"ethernet", "ppp"})
    {
        goodputs.push_back(RunScenario({{"Workload", "selective-repeat"},
                                        {"RoceCongestion", "timely"},
                                        {"Octets", "0"},
                                        {"Duration", "20ms"},
                                        {"LinkRate", "10Gbps"},
                                        {"QueueSize", "5000p"},
                                        {"Framing", framing}})
                               .at("goodput"));
    }
    NS_TEST_EXPECT_MSG_GT(goodputs[0], 9e9, "the link is full");
    NS_TEST_EXPECT_MSG_GT(goodputs[1], goodputs[0], "it costs less");
}

/// The mean rate is that of the time in which there is something to send: long gaps between the
/// same messages do not matter.
IWARP_TEST(iwarpRoceCongestion, "Gaps between messages are no part of a rate", RoceQueueTest)
{
    std::vector<double> rates;
    for (const char* load : {"0.01", "0.0001"})
    {
        rates.push_back(RunScenario({{"Workload", "selective-repeat"},
                                     {"RoceCongestion", "timely"},
                                     {"RoceTimely.InitialShare", "0.1"},
                                     {"RoceTimely.LowThreshold", "1ms"},
                                     {"RoceTimely.HighThreshold", "2ms"},
                                     {"RoceTimely.AdditiveIncrease", "200Mbps"},
                                     {"MessageSizes", "fixed:1000000"},
                                     {"Delay", "1us"},
                                     {"Octets", "2000000"},
                                     {"Load", load}})
                            .at("roce_rate"));
    }
    NS_TEST_EXPECT_MSG_LT(rates[0], 8e9, "it begins at a tenth of the link");
    NS_TEST_EXPECT_MSG_EQ_TOL(rates[1], rates[0], 0.01 * rates[0], "whatever is between");
}

/// What waits for its rate to be sent again is not lost again: each timeout has a packet sent.
IWARP_TEST(iwarpRoceCongestion, "No timeout of what waits to be sent again", RoceQueueTest)
{
    const auto found = RunScenario({{"Topology", "star"},
                                    {"HostPairs", "1"},
                                    {"Workload", "selective-repeat"},
                                    {"RoceCongestion", "timely"},
                                    {"RoceTimely.InitialShare", "0.01"},
                                    {"RoceTimely.HighThreshold", "1us"},
                                    {"RoceTimely.LowThreshold", "0us"},
                                    {"MessageSizes", "fixed:20000"},
                                    {"Octets", "4000000"},
                                    {"Loss", "0.01"},
                                    {"Load", "0.005"}});
    const double packets = found.at("retransmitted_octets") / 1024;
    NS_TEST_EXPECT_MSG_GT(found.at("timeouts"), 0, "some");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(found.at("timeouts"), packets, "a packet each");
}

/// Longer cables than links say take headroom of their own, and pauses that come later.
IWARP_TEST(iwarpRoceCongestion, "Headroom is of the cable", RoceQueueTest)
{
    const ScenarioSettings incast{{"Topology", "star"},
                                  {"HostPairs", "4"},
                                  {"Pattern", "incast"},
                                  {"Workload", "go-back-n"},
                                  {"Octets", "1000000"},
                                  {"IwarpRoceWorkload.Window", "300"},
                                  {"AccessRate", "40Gbps"},
                                  {"Priorities", "4"},
                                  {"Dscp", "26"},
                                  {"PfcPriorities", "3"},
                                  {"BufferSize", "700000"},
                                  {"CableSpread", "10us"}};
    auto lossless = incast;
    lossless["PfcHeadroom"] = "auto";
    const auto found = RunScenario(lossless);
    NS_TEST_EXPECT_MSG_EQ(found.at("headroom_drops"), 0, "nothing is lost");
    NS_TEST_EXPECT_MSG_EQ(found.at("roce_naks"), 0, "nothing is lost");
    auto few = incast;
    few["PfcHeadroom"] = "14000"; // what links take without the 20 us there and back
    NS_TEST_EXPECT_MSG_GT(RunScenario(few).at("headroom_drops"), 0, "the cables are that long");
    few["CableSpread"] = "0s";
    NS_TEST_EXPECT_MSG_EQ(RunScenario(few).at("headroom_drops"), 0, "as links say");
}

/// An ICRC changes octets of packets, and nothing of what becomes of them; a memory of switches
/// holds a packet.
IWARP_TEST(iwarpRoceCongestion, "An ICRC goes as far as none", RoceQueueTest)
{
    std::vector<double> goodputs;
    for (const char* icrc : {"false", "true"})
    {
        goodputs.push_back(RunScenario({{"Topology", "parking-lot"},
                                        {"IwarpParkingLotTopology.Bottlenecks", "70"},
                                        {"Ipv4L3Protocol.DefaultTtl", "200"},
                                        {"Workload", "go-back-n"},
                                        {"RoceHost.Icrc", icrc},
                                        {"Octets", "0"},
                                        {"Duration", "2ms"},
                                        {"Delay", "100ns"}})
                               .at("goodput"));
    }
    NS_TEST_EXPECT_MSG_GT(goodputs[0], 5e9, "70 routers are no obstacle");
    NS_TEST_EXPECT_MSG_EQ(goodputs[1], goodputs[0], "nor are they to an ICRC");
    const auto small = Make({{"Workload", "go-back-n"}, {"BufferSize", "1000"}})->Check();
    NS_TEST_EXPECT_MSG_EQ(small, "BufferSize: it has to hold a packet of Mtu octets", small);
}

/// @param path pcap file @return the last four octets of each packet, which are an ICRC
std::vector<std::array<uint8_t, RoceHead::ICRC>>
ReadEnds(const std::string& path)
{
    constexpr uint32_t MOST = 2000;
    PcapFile file;
    file.Open(path, std::ios::in | std::ios::binary);
    std::vector<std::array<uint8_t, RoceHead::ICRC>> ends;
    std::vector<uint8_t> octets(MOST);
    uint32_t unused;
    uint32_t size;
    while (true)
    {
        file.Read(octets.data(), MOST, unused, unused, unused, unused, size);
        if (file.Eof())
        {
            return ends;
        }
        std::copy_n(&octets[size - RoceHead::ICRC], RoceHead::ICRC, ends.emplace_back().begin());
    }
}

/// Packets in pcap files have their ICRC (InfiniBand specification, annex A17), those of
/// connections that are made in mid-run, too.
IWARP_TEST(iwarpRoceCongestion, "The ICRC in pcap files", RoceQueueTest)
{
    for (const char* demand : {"false", "true"})
    {
        const std::string prefix = CreateTempDirFilename("icrc");
        RunScenario({{"Topology", "star"},
                     {"HostPairs", "1"},
                     {"Flows", "1"},
                     {"Workload", "go-back-n"},
                     {"Load", "0.3"},
                     {"ArrivalWindow", "50us"},
                     {"MessageSizes", "fixed:1000"},
                     {"ConnectOnDemand", demand},
                     {"Duration", "0s"},
                     {"Pcap", prefix}});
        int64_t packets = 0;
        int64_t blank = 0;
        for (const auto& file :
             std::filesystem::directory_iterator(std::filesystem::path(prefix).parent_path()))
        {
            const auto ends = ReadEnds(file.path());
            packets += static_cast<int64_t>(ends.size());
            blank += std::count(ends.begin(), ends.end(), decltype(ends)::value_type{});
        }
        NS_TEST_EXPECT_MSG_GT(packets, 20, "on demand: " << demand);
        NS_TEST_EXPECT_MSG_EQ(blank, 0, "on demand: " << demand);
    }
}

/// What a host is sent that is none of its packets.
class RoceJunkTest : public TestCase
{
  public:
    RoceJunkTest()
        : TestCase("Packets that are none of a connection are dropped, and told")
    {
    }

  private:
    void DoRun() override
    {
        IwarpNetwork network;
        network.AddHosts({DataRate("10Gbps"), MicroSeconds(1)});
        network.InstallRoutes();
        Ptr<RoceServer> server = CreateObject<RoceServer>();
        server->SetAttribute("QueuePair", UintegerValue(7));
        network.GetHost(0)->AddApplication(server);
        RoceHost::Get(network.GetHost(0))
            ->TraceConnectWithoutContext("PacketDropped", MakeCallback(&RoceJunkTest::Drop, this));
        Simulator::Schedule(MicroSeconds(1), &RoceJunkTest::SendAll, this, &network);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        using Reason = RoceDropReason;
        NS_TEST_EXPECT_MSG_EQ(m_reasons[Reason::MALFORMED], 4, "malformed");
        NS_TEST_EXPECT_MSG_EQ(m_reasons[Reason::NO_QUEUE_PAIR], 2, "no queue pair");
        NS_TEST_EXPECT_MSG_EQ(m_reasons[Reason::UNEXPECTED], 2, "not for a receiver");
        Simulator::Destroy();
    }

    void SendAll(IwarpNetwork* network)
    {
        const Ptr<Node> from = network->GetHost(1);
        m_socket = Socket::CreateSocket(from, UdpSocketFactory::GetTypeId());
        m_socket->Bind();
        m_socket->Connect(network->GetHostSocketAddress(0, RoceHead::PORT));
        RoceHead head;
        head.kind = RoceHead::Kind::WRITE_ONLY;
        head.queuePair = 7;
        Send(head, 4, 0); // a Write
        Send(head, 0, 1); // whose RETH is cut
        head.pad = 3;
        Send(head, 0, 0); // whose padding is not there
        head.pad = 0;
        m_socket->Send(Create<Packet>(1));   // no BTH
        m_socket->Send(Create<Packet>(100)); // SEND First, in no partition
        head.queuePair = 8;
        Send(head, 4, 0);
        head.kind = RoceHead::Kind::NOTIFICATION;
        Send(head, 0, 0);
        head.queuePair = 7;
        Send(head, 0, 0);
        head.kind = RoceHead::Kind::ACKNOWLEDGE;
        Send(head, 0, 0);
    }

    /// @param head of a packet @param payload octets @param less octets that are cut off
    void Send(const RoceHead& head, uint32_t payload, uint32_t less)
    {
        uint8_t octets[RoceHead::LONGEST];
        head.Write(octets);
        Ptr<Packet> packet = Create<Packet>(octets, head.GetSize());
        packet->AddAtEnd(Create<Packet>(payload + RoceHead::ICRC));
        packet->RemoveAtEnd(less);
        m_socket->Send(packet);
    }

    void Drop(Ptr<const Packet> /* packet */, RoceDropReason reason)
    {
        m_reasons[reason]++;
    }

    Ptr<Socket> m_socket;                    //!< of the other host
    std::map<RoceDropReason, int> m_reasons; //!< how often
};

IWARP_TEST_CASES(iwarpRoceCongestion)
{
    suite.AddTestCase(new RoceJunkTest);
}

} // namespace
