/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-stream-fixture.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/iwarp-scenario.h"
#include "ns3/iwarp-scoped-settings.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(rnicWindow, "rnic-window");

using Mode = MpaTcpSocket::WindowMode; //!< what the receive window counts

/// What a run is to be like.
struct WindowSetup
{
    Mode mode{Mode::RETIRED};      //!< ReceiveWindow
    uint32_t buffer{131072};       //!< octets of receive buffer
    uint64_t packetBuffer{262144}; //!< octets of the RNIC's packet buffer
    std::string rate{"500Mbps"};   //!< at which the RNIC writes to the host; "" for no RNIC
    uint32_t ulpdus{5000};         //!< to be sent
    double loss{0};                //!< share of packets lost in each direction
    bool ipv6{false};              //!< IPv6
};

/// A stream of ULPDUs of 1000 octets over a link of 1 Gbit/s to an RNIC, and the receiver's ACKs.
class WindowRun
{
  public:
    explicit WindowRun(const WindowSetup& setup)
        : m_setup(setup)
    {
        iwarp::ScopedSettings settings;
        settings.SetDefault("TcpSocket.RcvBufSize", UintegerValue(setup.buffer));
        settings.SetDefault("TcpSocket.SndBufSize", UintegerValue(2000000));
        settings.SetDefault("MpaTcpSocket.ReceiveWindow", iwarp::MakeEnumValue(setup.mode));
        MpaLinkedHosts hosts(MicroSeconds(100), 1500, setup.ipv6);
        if (!setup.rate.empty())
        {
            RnicHelper helper;
            helper.Set("HostInterface.WriteRate", DataRateValue(DataRate(setup.rate)));
            helper.Set("PacketBuffer.Capacity", UintegerValue(setup.packetBuffer));
            const auto rnic = helper.Install(hosts.GetNode(1));
            rnic->TraceConnectWithoutContext("Placed", MakeCallback(&WindowRun::Placed, this));
            rnic->TraceConnectWithoutContext("Drop", MakeCallback(&WindowRun::Dropped, this));
        }
        for (uint32_t i = 0; i < 2 && setup.loss > 0; ++i)
        {
            auto error = CreateObject<RateErrorModel>();
            error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            error->SetRate(setup.loss);
            error->AssignStreams(11 + i);
            hosts.GetDevice(i)->SetAttribute("ReceiveErrorModel", PointerValue(error));
        }
        hosts.Connect(
            [this](Ptr<MpaTcpSocket> socket) {
                m_left = m_leftLog.MakeStream(socket);
                m_leftLog.fill = [this](Ptr<MpaStream> left) { Fill(left); };
                socket->TraceConnectWithoutContext("RecordCut",
                                                   MakeCallback(&WindowRun::Cut, this));
                m_left->StartInitiator();
            },
            [this](Ptr<MpaTcpSocket> socket) {
                m_right = m_rightLog.MakeStream(socket);
                socket->TraceConnectWithoutContext("Tx", MakeCallback(&WindowRun::Sent, this));
                m_shift = 0;
                for (uint32_t space = m_setup.buffer; space > 65535; space >>= 1)
                {
                    ++m_shift;
                }
                m_right->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(50), &WindowRun::Begin, this);
        Simulator::Stop(Seconds(1000));
        Simulator::Run();
        m_left = nullptr;
        m_right = nullptr;
        Simulator::Destroy();
    }

    /// @return all ULPDUs came, and nothing went wrong
    bool Complete() const
    {
        return m_rightLog.delivered == m_setup.ulpdus && m_rightLog.errors.empty();
    }

    /// @return times at which the right edge of the window went back
    uint32_t CountRetreats() const
    {
        uint32_t retreats = 0;
        for (std::size_t i = 1; i < acks.size(); ++i)
        {
            retreats += std::get<1>(acks[i]) + std::get<2>(acks[i]) <
                        std::get<1>(acks[i - 1]) + std::get<2>(acks[i - 1]);
        }
        return retreats;
    }

    /// @return narrowest window that was advertised
    uint32_t GetNarrowest() const
    {
        uint32_t least = UINT32_MAX;
        for (const auto& ack : acks)
        {
            least = std::min(least, std::get<2>(ack));
        }
        return least;
    }

    std::vector<std::tuple<Time, uint64_t, uint32_t>> acks; //!< when, ACK number, window in octets
    uint64_t drops{0};                                      //!< frames that the RNIC dropped
    uint32_t probes{0};                                     //!< closed windows that were probed
    Time first;                                             //!< when the first ULPDU came
    Time last;                                              //!< when the host saw the last one

  private:
    /// Send, once the stream is set up.
    void Begin()
    {
        if (!m_left || !m_left->CanSend())
        {
            Simulator::Schedule(MilliSeconds(50), &WindowRun::Begin, this);
            return;
        }
        Fill(m_left);
    }

    /// @param stream with room for more
    void Fill(Ptr<MpaStream> stream)
    {
        while (m_next < m_setup.ulpdus && m_left->CanSend() &&
               m_left->Send(nullptr, 0, nullptr, 1000) >= 0)
        {
            ++m_next;
        }
    }

    /// @param header of what the receiver sends
    void Sent(Ptr<const Packet>, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if ((header.GetFlags() & TcpHeader::SYN) == 0)
        {
            acks.emplace_back(Simulator::Now(),
                              header.GetAckNumber().GetValue(),
                              uint32_t(header.GetWindowSize()) << m_shift);
        }
    }

    /// @param octets placed @param delay until seen
    void Placed(uint64_t, uint64_t octets, Time delay, bool)
    {
        if (octets > 0)
        {
            first = last.IsZero() ? Simulator::Now() : first;
            last = std::max(last, Simulator::Now() + delay);
        }
    }

    /// The RNIC has dropped a frame.
    void Dropped(uint64_t, uint32_t, Rnic::DropReason)
    {
        ++drops;
    }

    /// @param reason why a record was cut
    void Cut(SequenceNumber32, uint32_t, MpaTcpSocket::CutReason reason)
    {
        probes += reason == MpaTcpSocket::CutReason::PROBE;
    }

    WindowSetup m_setup;     //!< what it is like
    MpaStreamLog m_leftLog;  //!< sender's
    MpaStreamLog m_rightLog; //!< receiver's
    Ptr<MpaStream> m_left;   //!< sender
    Ptr<MpaStream> m_right;  //!< receiver
    uint32_t m_next{0};      //!< ULPDU to be sent
    uint32_t m_shift{0};     //!< window scale of the receiver
};

} // namespace

/**
 * An RNIC that retires half of what the link brings: the window lets the sender go at that rate,
 * and nothing is dropped; otherwise the packet buffer overflows.
 */
IWARP_TEST(rnicWindow, "a window by what has been retired slows the sender")
{
    // a ULPDU an FPDU and a segment; the host takes 62.5 of them in a millisecond
    const double seconds = 5000 * 1000 * 8 / 500e6;
    for (bool ipv6 : {false, true})
    {
        for (uint32_t buffer : {40000U, 131072U, 1000000U}) // window scales 0, 2 and 4
        {
            const std::string name = std::to_string(buffer) + (ipv6 ? " IPv6" : " IPv4");
            WindowSetup setup;
            setup.ipv6 = ipv6;
            setup.buffer = buffer;
            // frames are 1/8 longer than what the window counts, rounding adds some
            setup.packetBuffer = buffer + buffer / 4;
            WindowRun retired(setup);
            NS_TEST_EXPECT_MSG_EQ(retired.Complete(), true, name);
            NS_TEST_EXPECT_MSG_EQ(retired.drops, 0, "no drops, " << name);
            IWARP_COVERS("DDP-A-4");
            NS_TEST_EXPECT_MSG_EQ(retired.CountRetreats(), 0, "" << name);
            IWARP_COVERS("DDP-A-5");
            NS_TEST_EXPECT_MSG_LT(retired.GetNarrowest(), buffer / 2, "it falls, " << name);
            NS_TEST_EXPECT_MSG_EQ(retired.probes, 0, "and is never probed, " << name);
            NS_TEST_EXPECT_MSG_EQ_TOL((retired.last - retired.first).GetSeconds(),
                                      seconds,
                                      0.02 * seconds,
                                      "at the rate of the host, " << name);
            IWARP_COVERS("DDP-A-4");

            setup.mode = Mode::CONSTANT;
            WindowRun constant(setup);
            NS_TEST_EXPECT_MSG_EQ(constant.Complete(), true, name);
            NS_TEST_EXPECT_MSG_GT(constant.drops, 0, "frames are dropped, " << name);
            NS_TEST_EXPECT_MSG_GT(constant.GetNarrowest(), buffer - 16, "stays, " << name);
        }
    }
}

/// The right edge under loss in both directions, and windows that close.
IWARP_TEST(rnicWindow, "the right edge under loss, and closed windows")
{
    for (bool ipv6 : {false, true})
    {
        for (uint32_t buffer : {40000U, 131072U, 1000000U})
        {
            WindowSetup setup;
            setup.ipv6 = ipv6;
            setup.buffer = buffer;
            setup.packetBuffer = 0;
            setup.loss = 0.02;
            setup.ulpdus = 3000;
            WindowRun run(setup);
            NS_TEST_EXPECT_MSG_EQ(run.Complete(), true, buffer);
            NS_TEST_EXPECT_MSG_EQ(run.CountRetreats(), 0, "" << buffer);
            IWARP_COVERS("DDP-A-5");
        }
        // 3 FPDUs fill the window, and each takes four round trips to be retired
        WindowSetup setup;
        setup.ipv6 = ipv6;
        setup.buffer = 4000;
        setup.rate = "10Mbps";
        setup.ulpdus = 200;
        WindowRun closed(setup);
        const double seconds = 200 * 1000 * 8 / 10e6;
        NS_TEST_EXPECT_MSG_EQ(closed.Complete(), true, "closed");
        NS_TEST_EXPECT_MSG_LT(closed.GetNarrowest(), 1008, "no room for an FPDU");
        NS_TEST_EXPECT_MSG_EQ(closed.CountRetreats(), 0, "closed");
        NS_TEST_EXPECT_MSG_EQ(closed.probes, 0, "told of room before it probes");
        NS_TEST_EXPECT_MSG_EQ_TOL((closed.last - closed.first).GetSeconds(),
                                  seconds,
                                  0.02 * seconds,
                                  "nobody waits for long");
        setup.loss = 0.05; // of window updates, too
        WindowRun lost(setup);
        NS_TEST_EXPECT_MSG_EQ(lost.Complete(), true, "lost");
        NS_TEST_EXPECT_MSG_EQ(lost.CountRetreats(), 0, "lost");
    }
}

/// Where nothing waits to be retired, the window is that of TCP.
IWARP_TEST(rnicWindow, "the window of a receiver that places at once")
{
    for (const char* rate : {"", "1000000Gbps"})
    {
        WindowSetup setup;
        setup.rate = rate;
        WindowRun retired(setup);
        setup.mode = Mode::CONSTANT;
        WindowRun constant(setup);
        NS_TEST_EXPECT_MSG_EQ(retired.Complete(), true, "retired");
        NS_TEST_EXPECT_MSG_GT(constant.acks.size(), 2000, "ACKs");
        NS_TEST_EXPECT_MSG_EQ((retired.acks == constant.acks), true, "the same ACKs");
        NS_TEST_EXPECT_MSG_GT(retired.GetNarrowest(), 131072 - 4, "all the time");
        IWARP_COVERS("DDP-A-1");
    }
}

/// The same as parameters of the scenario: 10 Gbit/s into an RNIC that retires 5 Gbit/s.
struct RnicWindowScenario : TestCase
{
    using TestCase::TestCase;

    using Settings = std::map<std::string, std::string>; //!< parameters and values

    /// @param settings over those that all have in common @return metrics
    std::map<std::string, double> Run(const Settings& settings)
    {
        Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
        for (const auto& [name, value] : Settings{{"Rnic", "ideal"},
                                                  {"PlainTcp", "false"},
                                                  {"LinkRate", "10Gbps"},
                                                  {"AccessRate", "10Gbps"},
                                                  {"AccessDelay", "5us"},
                                                  {"Delay", "40us"},
                                                  {"MessageSizes", "fixed:65536"},
                                                  {"QueueSize", "20000p"},
                                                  {"SendBuffer", "4194304"},
                                                  {"ReceiveBuffer", "262144"},
                                                  {"MinRto", "10ms"},
                                                  {"DelayedAck", "1ms"},
                                                  {"Octets", "0"},
                                                  {"Duration", "22ms"}})
        {
            scenario->SetParameter(name, value);
        }
        for (const auto& [name, value] : settings)
        {
            NS_TEST_EXPECT_MSG_EQ(scenario->SetParameter(name, value), "", name << "=" << value);
        }
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), true, scenario->GetError());
        std::map<std::string, double> results;
        for (const auto& metric : scenario->GetMetrics())
        {
            results[metric.name] = metric.value;
        }
        return results;
    }

    /// @param settings of a run @param header octets with the payload of an FPDU @param name of it
    /// @return metrics
    std::map<std::string, double> CheckRate(Settings settings,
                                            double header,
                                            const std::string& name)
    {
        auto longer = Run(settings);
        settings["Duration"] = "7ms"; // when it has settled
        auto shorter = Run(settings);
        const double payload = longer["payload_octets"] - shorter["payload_octets"];
        const double fpdus = longer["fpdus_passed"] / longer["payload_octets"] * payload;
        const double rate = 5e9 * payload / (payload + header * fpdus);
        NS_TEST_EXPECT_MSG_EQ_TOL(payload * 8 / 0.015, rate, 0.02 * rate, name);
        return longer;
    }
};

IWARP_TEST(rnicWindow, "the receive window in a scenario", RnicWindowScenario)
{
    const double header = 14; // octets of DDP that go to the host with the payload
    for (const auto& [workload, ipv6] : Settings{{"mpa", "false"}, {"rdma-write", "true"}})
    {
        const std::string name = std::string(workload) + ", IPv6 " + ipv6;
        Settings settings{{"Ipv6", ipv6},
                          {"Workload", workload},
                          {"Rnic.HostInterface.WriteRate", "5Gbps"},
                          {"Rnic.PacketBuffer.Capacity", "300000"},
                          {"ReceiveWindow", "Retired"}};
        auto retired = CheckRate(settings, header, "settles at the host's rate, " + name);
        IWARP_COVERS("DDP-A-4");
        NS_TEST_EXPECT_MSG_EQ(retired["rnic_drops_packet_buffer"], 0, "" << name);
        NS_TEST_EXPECT_MSG_EQ(retired["retransmitted_octets"], 0, name);
        settings["ReceiveWindow"] = "Constant";
        auto constant = Run(settings);
        NS_TEST_EXPECT_MSG_GT(constant["rnic_drops_packet_buffer"], 10, "drops, " << name);
        settings.erase("Rnic.PacketBuffer.Capacity");
        auto open = CheckRate(settings, header, "programs see no more than is written, " + name);
        // the link brings as much again as the host takes
        NS_TEST_EXPECT_MSG_GT(open["rnic_packet_buffer_peak"], 9e6, "or it grows");
        settings["ReceiveWindow"] = "Retired";
        NS_TEST_EXPECT_MSG_LT(Run(settings)["rnic_packet_buffer_peak"], 300000, name);
    }
    // the window from a rate and a round trip of 100 us
    auto rated = [this](const std::string& rate) {
        return Run({{"WindowRate", rate}, {"WindowRtt", "100us"}});
    };
    auto same = [this](const std::string& buffer) { return Run({{"ReceiveBuffer", buffer}}); };
    NS_TEST_EXPECT_MSG_EQ((rated("10Gbps") == same("125000")), true, "DDP-A-2");
    IWARP_COVERS("DDP-A-2");
    const double half = rated("5Gbps")["goodput"];
    const double quarter = rated("2500Mbps")["goodput"];
    NS_TEST_EXPECT_MSG_EQ_TOL(half / quarter, 2, 0.1, "window over round trip");
    IWARP_COVERS("DDP-A-3");
    NS_TEST_EXPECT_MSG_EQ_TOL(rated("20Gbps")["goodput"],
                              same("4194304")["goodput"],
                              1e8,
                              "not limited");
    IWARP_COVERS("DDP-A-2");
    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    scenario->SetParameter("WindowRate", "10Gbps");
    NS_TEST_EXPECT_MSG_NE(scenario->Check().find("WindowRtt"), std::string::npos, "one of two");
}
