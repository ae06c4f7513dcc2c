/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-run.h"

#include "iwarp-abilene-helper.h"
#include "iwarp-dumbbell-helper.h"
#include "iwarp-helper.h"

#include "ns3/app-message-sizes.h"
#include "ns3/app-text.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/path-impairment.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>

namespace ns3
{
namespace
{

constexpr uint16_t PORT = 20049;        //!< where sinks listen
constexpr int64_t STREAMS = 1000;       //!< first random stream of the flows
constexpr uint32_t PLAIN_CHUNK = 65536; //!< octets that plain TCP's application writes at once

/// @param name TypeId, with or without ns3:: @param [out] tid it @return whether there is such
bool
FindCongestionControl(const std::string& name, TypeId& tid)
{
    return (TypeId::LookupByNameFailSafe(name, &tid) ||
            TypeId::LookupByNameFailSafe("ns3::" + name, &tid)) &&
           tid.HasConstructor() &&
           (tid.IsChildOf(TcpCongestionOps::GetTypeId()) ||
            tid.GetName() == "ns3::TcpCubic"); // older releases name a wrong parent for it
}

/// @param text "STTL-WASH,LOSA-NYCM" @return the pairs; a pair is short if its text is not A-B
std::vector<std::vector<std::string>>
SplitPairs(const std::string& text)
{
    std::vector<std::vector<std::string>> pairs;
    for (const auto& item : iwarp::Split(text, ','))
    {
        pairs.push_back(iwarp::Split(item, '-'));
    }
    return pairs;
}

} // namespace

IwarpScenarioRun::IwarpScenarioRun(const IwarpScenarioParameters& parameters)
    : m_parameters(parameters)
{
}

// ---- check --------------------------------------------------------------------------------------

std::string
IwarpScenarioRun::Check(const IwarpScenarioParameters& p)
{
    std::string problem;
    TypeId tid;
    if (!iwarp::MakeDistribution(p.messageSizes, problem))
    {
        return "MessageSizes: " + problem;
    }
    if (!p.intervals.empty() && !iwarp::MakeDistribution(p.intervals, problem))
    {
        return "Intervals: " + problem;
    }
    if (!p.intervals.empty() && p.plainTcp)
    {
        return "PlainTcp: plain TCP sends in bulk; set it to false together with Intervals";
    }
    if (p.octets == 0 && p.duration.IsZero())
    {
        return "Octets, Duration: one of them has to be more than 0, or flows would not end";
    }
    if (p.duration >= p.timeLimit)
    {
        return "TimeLimit: it has to be more than Duration";
    }
    if (p.delayedAck >= p.minRto)
    {
        return "DelayedAck: it has to be less than MinRto, or a lone segment would be sent again "
               "before its ACK comes";
    }
    if (p.ipv6 && p.mtu < 1280)
    {
        return "Mtu: IPv6 needs at least 1280";
    }
    if (p.linkRate.GetBitRate() == 0 || p.accessRate.GetBitRate() == 0)
    {
        return "LinkRate, AccessRate: both have to be more than 0";
    }
    if (p.queueSize.GetValue() == 0 ||
        (p.queueSize.GetUnit() == QueueSizeUnit::BYTES && p.queueSize.GetValue() < p.mtu + 2))
    {
        return "QueueSize: it has to hold a packet of Mtu octets and the 2 octets of PPP";
    }
    if (p.sendBuffer < 2 * p.mtu || p.receiveBuffer < 2 * p.mtu)
    {
        return "SendBuffer, ReceiveBuffer: both have to hold two packets of Mtu octets";
    }
    if (p.reassemblyMemory > 0 && p.reassemblyMemory < 2 * p.mtu)
    {
        return "ReassemblyMemory: 0, or at least two packets of Mtu octets";
    }
    if (!FindCongestionControl(p.congestionControl, tid))
    {
        return "CongestionControl: '" + p.congestionControl +
               "' is no ns-3 congestion control; such are TcpNewReno, TcpCubic, TcpDctcp, TcpBbr";
    }
    if (p.topology == IwarpScenarioParameters::Topology::ABILENE)
    {
        iwarp::MapFile map;
        problem = map.Load("abilene-nodes.csv", "abilene-links.csv");
        if (!problem.empty())
        {
            return "Topology: " + problem;
        }
        for (const auto& pair : SplitPairs(p.abilenePairs))
        {
            if (pair.size() != 2 || pair[0] == pair[1] || map.Find(pair[0]) == map.cities.size() ||
                map.Find(pair[1]) == map.cities.size())
            {
                return "AbilenePairs: '" + iwarp::Join(pair, "-") +
                       "' are not two cities; such are STTL-WASH,LOSA-NYCM; there are " +
                       map.Names();
            }
        }
    }
    const auto folder = std::filesystem::path(p.pcap).parent_path();
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    {
        return "Pcap: there is no directory " + folder.string();
    }
    return "";
}

// ---- network ------------------------------------------------------------------------------------

void
IwarpScenarioRun::BuildDumbbell(Pass& pass) const
{
    const auto& p = m_parameters;
    auto dumbbell = std::make_unique<IwarpDumbbellHelper>(
        p.flows,
        IwarpNetwork::Link{p.linkRate, p.delay, p.queueSize, p.mtu},
        IwarpNetwork::Link{p.accessRate, p.accessDelay, p.queueSize, p.mtu},
        p.ipv6);
    for (uint32_t i = 0; i < p.flows; i++)
    {
        pass.flows.emplace_back(dumbbell->GetLeft(i), dumbbell->GetRight(i));
    }
    pass.network = std::move(dumbbell);
}

void
IwarpScenarioRun::BuildAbilene(Pass& pass) const
{
    const auto& p = m_parameters;
    const auto pairs = SplitPairs(p.abilenePairs);
    auto abilene = std::make_unique<IwarpAbileneHelper>(
        IwarpNetwork::Link{p.linkRate, Time(0), p.queueSize, p.mtu},
        p.ipv6);
    for (uint32_t i = 0; i < p.flows; i++)
    {
        const auto& pair = pairs[i % pairs.size()];
        pass.flows.push_back(
            abilene->AddPair(pair[0], pair[1], {p.accessRate, p.accessDelay, p.queueSize, p.mtu}));
    }
    abilene->InstallRoutes();
    pass.network = std::move(abilene);
}

void
IwarpScenarioRun::BuildNetwork(Pass& pass) const
{
    const auto& p = m_parameters;
    if (p.topology == IwarpScenarioParameters::Topology::ABILENE)
    {
        BuildAbilene(pass);
    }
    else
    {
        BuildDumbbell(pass);
    }
    Ptr<UniformRandomVariable> spread = CreateObject<UniformRandomVariable>();
    spread->SetStream(STREAMS - 1);
    NodeContainer hosts;
    pass.firstStart = Time::Max();
    for (const auto& [sender, receiver] : pass.flows)
    {
        hosts.Add(pass.network->GetHost(sender));
        hosts.Add(pass.network->GetHost(receiver));
        pass.taps.push_back(Create<iwarp::IpTap>());
        pass.taps.back()->Attach(pass.network->GetHost(sender));
        pass.backTaps.push_back(Create<iwarp::IpTap>());
        pass.backTaps.back()->Attach(pass.network->GetHost(receiver));
        // a socket that connects at time 0 finds traffic control not yet initialised
        pass.starts.push_back(MilliSeconds(1) +
                              Seconds(spread->GetValue(0, p.startSpread.GetSeconds())));
        pass.firstStart = std::min(pass.firstStart, pass.starts.back());
    }
    Impair(pass);
    InternetStackHelper().AssignStreams(hosts, STREAMS + 8 * int64_t{p.flows});
}

void
IwarpScenarioRun::Impair(Pass& pass) const
{
    const auto& p = m_parameters;
    if (p.loss == 0 && p.reordering == 0 && p.duplication == 0)
    {
        return;
    }
    int64_t stream = STREAMS + 2 * int64_t{p.flows};
    for (const auto& flow : pass.flows)
    {
        Ptr<UniformRandomVariable> hold = CreateObject<UniformRandomVariable>();
        hold->SetAttribute("Max", DoubleValue(p.reorderingDelay.GetSeconds()));
        Ptr<PathImpairment> impairment = CreateObject<PathImpairment>();
        impairment->SetAttribute("Loss", DoubleValue(p.loss));
        impairment->SetAttribute("Reordering", DoubleValue(p.reordering));
        impairment->SetAttribute("Duplication", DoubleValue(p.duplication));
        impairment->SetAttribute("HoldTime", PointerValue(hold));
        impairment->Install(pass.network->GetHostDevice(flow.second));
        stream += impairment->AssignStreams(stream);
    }
}

// ---- workload -----------------------------------------------------------------------------------

void
IwarpScenarioRun::SetDefaults(iwarp::ScopedSettings& settings) const
{
    const auto& p = m_parameters;
    TypeId congestionControl;
    FindCongestionControl(p.congestionControl, congestionControl);
    // what plain TCP has to be told: the segment that fits the MTU with its headers and timestamps
    const uint32_t headers = (p.ipv6 ? 40 : 20) + 20 + (p.timestamps ? 12 : 0);
    settings.SetRandom(p.seed, p.run);
    settings.SetDefault("ns3::TcpL4Protocol", "SocketType", TypeIdValue(congestionControl));
    settings.SetDefault("ns3::TcpSocket", "SegmentSize", UintegerValue(p.mtu - headers));
    settings.SetDefault("ns3::TcpSocket", "SndBufSize", UintegerValue(p.sendBuffer));
    settings.SetDefault("ns3::TcpSocket", "RcvBufSize", UintegerValue(p.receiveBuffer));
    settings.SetDefault("ns3::TcpSocket", "TcpNoDelay", BooleanValue(p.noDelay));
    settings.SetDefault("ns3::TcpSocketBase", "Sack", BooleanValue(p.sack));
    settings.SetDefault("ns3::TcpSocketBase", "Timestamp", BooleanValue(p.timestamps));
    settings.SetDefault("ns3::TcpSocketBase", "MinRto", TimeValue(p.minRto));
    settings.SetDefault("ns3::TcpSocket", "DelAckTimeout", TimeValue(p.delayedAck));
    settings.SetDefault("ns3::MpaTcpSocket", "Alignment", BooleanValue(p.alignment));
    settings.SetDefault("ns3::MpaTcpSocket", "Packing", BooleanValue(p.packing));
    settings.SetDefault("ns3::MpaStream", "Markers", BooleanValue(p.markers));
    settings.SetDefault("ns3::MpaStream", "Crc", BooleanValue(p.crc));
    settings.SetDefault("ns3::MpaStream", "OutOfOrder", BooleanValue(p.outOfOrder));
    settings.SetDefault("ns3::MpaStream", "DynamicMulpdu", BooleanValue(p.dynamicMulpdu));
    settings.SetDefault("ns3::MpaStream",
                        "ReassemblyMemory",
                        UintegerValue(p.reassemblyMemory > 0 ? p.reassemblyMemory : UINT64_MAX));
    if (!p.pcap.empty())
    {
        settings.SetGlobal("ChecksumEnabled", BooleanValue(true));
    }
}

std::function<void()>
IwarpScenarioRun::InstallMpa(Pass& pass)
{
    const auto& p = m_parameters;
    auto senders = std::make_shared<std::vector<Ptr<MpaBulkSender>>>();
    auto sinks = std::make_shared<std::vector<Ptr<MpaSink>>>();
    for (std::size_t i = 0; i < pass.flows.size(); i++)
    {
        const auto [from, to] = pass.flows[i];
        Ptr<MpaSink> sink = CreateObject<MpaSink>();
        sink->SetAttribute("Local", AddressValue(pass.network->GetAnySocketAddress(PORT)));
        sink->SetAttribute("Backed", BooleanValue(p.backed));
        pass.network->GetHost(to)->AddApplication(sink);
        sinks->push_back(sink);

        std::string problem;
        Ptr<MpaBulkSender> sender = CreateObject<MpaBulkSender>();
        sender->SetAttribute("Remote", AddressValue(pass.network->GetHostSocketAddress(to, PORT)));
        sender->SetAttribute("MaxOctets", UintegerValue(p.octets));
        sender->SetAttribute("QueueDepth", UintegerValue(p.queueDepth));
        sender->SetAttribute("Backed", BooleanValue(p.backed));
        sender->SetAttribute("MessageSizes",
                             PointerValue(iwarp::MakeDistribution(p.messageSizes, problem)));
        if (!p.intervals.empty())
        {
            sender->SetAttribute("Intervals",
                                 PointerValue(iwarp::MakeDistribution(p.intervals, problem)));
        }
        sender->AssignStreams(STREAMS + 2 * static_cast<int64_t>(i));
        sender->SetStartTime(pass.starts[i]);
        pass.network->GetHost(from)->AddApplication(sender);
        senders->push_back(sender);

        auto collector =
            Create<iwarp::FlowCollector>(pass.totals,
                                         MakeCallback(&IwarpScenarioRun::Received, this),
                                         MakeCallback(&IwarpScenarioRun::Failed, this));
        collector->Attach(sink);
        collector->Attach(sender);
    }
    return [&pass, senders, sinks] {
        for (std::size_t i = 0; i < senders->size(); i++)
        {
            pass.contentErrors += (*sinks)[i]->GetContentErrors();
            pass.refused += (*senders)[i]->GetMessagesRefused();
        }
    };
}

void
IwarpScenarioRun::InstallPlainTcp(Pass& pass)
{
    const auto& p = m_parameters;
    const TypeIdValue protocol(TcpSocketFactory::GetTypeId());
    for (std::size_t i = 0; i < pass.flows.size(); i++)
    {
        const auto [from, to] = pass.flows[i];
        Ptr<PacketSink> sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", protocol);
        sink->SetAttribute("Local", AddressValue(pass.network->GetAnySocketAddress(PORT)));
        sink->TraceConnectWithoutContext("Rx",
                                         MakeCallback(&IwarpScenarioRun::PlainReceived, this));
        pass.network->GetHost(to)->AddApplication(sink);

        Ptr<BulkSendApplication> sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("Protocol", protocol);
        sender->SetAttribute("Remote", AddressValue(pass.network->GetHostSocketAddress(to, PORT)));
        sender->SetAttribute("MaxBytes", UintegerValue(p.octets));
        sender->SetAttribute("SendSize", UintegerValue(std::min(PLAIN_CHUNK, p.sendBuffer / 2)));
        sender->SetStartTime(pass.starts[i]);
        pass.network->GetHost(from)->AddApplication(sender);
    }
}

// ---- simulation ---------------------------------------------------------------------------------

std::string
IwarpScenarioRun::Run()
{
    Pass mpa;
    Simulate(mpa, true);
    if (!mpa.error.empty())
    {
        return mpa.error;
    }
    AddMetrics(mpa);
    if (m_parameters.plainTcp)
    {
        Pass plain;
        Simulate(plain, false);
        if (!plain.error.empty())
        {
            return "plain TCP: " + plain.error;
        }
        AddPlainMetrics(plain);
    }
    return "";
}

void
IwarpScenarioRun::Simulate(Pass& pass, bool mpa)
{
    const auto& p = m_parameters;
    iwarp::ScopedSettings settings;
    SetDefaults(settings);
    m_pass = &pass;
    pass.expected = p.octets * p.flows;
    BuildNetwork(pass);
    std::function<void()> finish;
    if (mpa)
    {
        finish = InstallMpa(pass);
    }
    else
    {
        InstallPlainTcp(pass);
    }
    if (mpa && !p.pcap.empty())
    {
        NodeContainer hosts;
        for (const auto& [sender, receiver] : pass.flows)
        {
            hosts.Add(pass.network->GetHost(sender));
            hosts.Add(pass.network->GetHost(receiver));
        }
        IwarpHelper::EnablePcap(p.pcap, hosts);
    }
    const bool timed = !p.duration.IsZero();
    Simulator::Stop(timed ? pass.firstStart + p.duration : p.timeLimit);
    Simulator::Run();
    pass.totals.held.Stop();
    pass.events = Simulator::GetEventCount();
    const bool complete = p.octets > 0 && pass.received >= pass.expected;
    if (timed && !complete)
    {
        pass.last = pass.firstStart + p.duration;
    }
    if (finish)
    {
        finish();
    }
    if (pass.error.empty() && !complete && !timed)
    {
        pass.error = "only " + std::to_string(pass.received) + " of " +
                     std::to_string(pass.expected) + " octets had come by " +
                     std::to_string(Simulator::Now().GetSeconds()) + " s (TimeLimit)";
    }
    pass.network.reset();
    Simulator::Destroy();
    m_pass = nullptr;
}

void
IwarpScenarioRun::Received(uint64_t octets)
{
    m_pass->received += octets;
    m_pass->last = Simulator::Now();
    if (m_pass->received == m_pass->expected)
    {
        Simulator::Stop();
    }
}

void
IwarpScenarioRun::PlainReceived(Ptr<const Packet> packet, const Address& /* from */)
{
    Received(packet->GetSize());
}

void
IwarpScenarioRun::Failed(const std::string& reason)
{
    // a stream that ends after all has come is no failure
    const bool complete = m_pass->expected > 0 && m_pass->received >= m_pass->expected;
    if (!complete && m_pass->error.empty())
    {
        m_pass->error = reason;
        Simulator::Stop();
    }
}

// ---- results ------------------------------------------------------------------------------------

double
IwarpScenarioRun::GetSeconds(const Pass& pass) const
{
    return (pass.last - pass.firstStart).GetSeconds();
}

void
IwarpScenarioRun::Add(const std::string& name, double value, const char* unit, const char* help)
{
    m_metrics.push_back({name, value, unit, help});
}

void
IwarpScenarioRun::AddMetrics(const Pass& pass)
{
    const auto& t = pass.totals;
    const double seconds = GetSeconds(pass);
    const auto share = [](uint64_t part, uint64_t whole) {
        return whole > 0 ? static_cast<double>(part) / whole : 0;
    };
    uint64_t segments = 0;
    uint64_t octets = 0;
    uint64_t retransmitted = 0;
    for (const auto& tap : pass.taps)
    {
        segments += tap->GetSegments();
        octets += tap->GetOctets();
        retransmitted += tap->GetRetransmitted();
    }
    for (const auto& tap : pass.backTaps)
    {
        octets += tap->GetOctets();
    }
    Add("duration", seconds, "s", "From the first flow's start to the last message's completion");
    Add("goodput",
        seconds > 0 ? 8.0 * pass.received / seconds : 0,
        "bit/s",
        "Payload of complete messages over duration, all flows");
    Add("payload_octets", pass.received, "octets", "Payload of complete messages");
    Add("messages", t.messages, "messages", "Messages complete");
    Add("messages_refused", pass.refused, "messages", "Messages that found QueueDepth posted");
    Add("header_aligned_share",
        share(t.received.header, t.received.segments),
        "share",
        "Data segments received that begin with an FPDU");
    Add("fpdu_aligned_share",
        share(t.received.fpdu, t.received.segments),
        "share",
        "Data segments received that hold whole FPDUs only");
    Add("header_aligned_share_sent",
        share(t.sent.header, t.sent.segments),
        "share",
        "Data segments sent, again or not, that begin with an FPDU");
    Add("fpdu_aligned_share_sent",
        share(t.sent.fpdu, t.sent.segments),
        "share",
        "Data segments sent, again or not, that hold whole FPDUs only");
    Add("fpdus_sent", t.fpdusSent, "FPDUs", "FPDUs given to TCP");
    Add("fpdus_passed", t.fpdusPassed, "FPDUs", "FPDUs validated and placed");
    Add("fpdus_passed_out_of_order",
        t.fpdusOutOfOrder,
        "FPDUs",
        "FPDUs placed before all that precedes them had come");
    Add("reassembly_peak",
        t.held.GetPeak(),
        "octets",
        "Most octets in reassembly memory at any time, all receivers");
    Add("reassembly_p99",
        t.held.GetQuantile(0.99),
        "octets",
        "Octets in reassembly memory that are not exceeded for 99 % of the time, all receivers");
    Add("segments_dropped",
        t.drops,
        "segments",
        "Segments the receivers dropped, such as for want "
        "of reassembly memory");
    Add("segments_sent", segments, "segments", "TCP segments with payload that the senders sent");
    Add("octets_on_wire",
        octets,
        "octets",
        "Octets of the IP datagrams that both ends sent, acknowledgements included");
    Add("retransmitted_octets", retransmitted, "octets", "Octets of TCP payload sent again");
    Add("placement_wait_mean",
        t.placement.GetMean(),
        "s",
        "From the arrival of an FPDU's last octet to its placement, mean");
    Add("placement_wait_p99", t.placement.GetQuantile(0.99), "s", "The same, 99th percentile");
    Add("placement_wait_max", t.placement.GetMaximum(), "s", "The same, maximum");
    Add("delivery_latency_mean",
        t.delivery.GetMean(),
        "s",
        "From the arrival of an FPDU's last octet to its delivery in order, mean");
    Add("delivery_latency_p99", t.delivery.GetQuantile(0.99), "s", "The same, 99th percentile");
    Add("message_time_mean",
        t.completion.GetMean(),
        "s",
        "From the posting of a message to its completion at the receiver, mean");
    Add("message_time_p99", t.completion.GetQuantile(0.99), "s", "The same, 99th percentile");
    Add("content_errors",
        pass.contentErrors,
        "octets",
        "Octets of messages that are not as they were sent; told with Backed");
    Add("events", pass.events, "events", "Events that the simulator ran for the MPA flows");
}

void
IwarpScenarioRun::AddPlainMetrics(const Pass& pass)
{
    const double seconds = GetSeconds(pass);
    uint64_t segments = 0;
    uint64_t octets = 0;
    uint64_t retransmitted = 0;
    for (const auto& tap : pass.taps)
    {
        segments += tap->GetSegments();
        octets += tap->GetOctets();
        retransmitted += tap->GetRetransmitted();
    }
    for (const auto& tap : pass.backTaps)
    {
        octets += tap->GetOctets();
    }
    Add("plain_tcp_duration", seconds, "s", "As duration, for plain TCP");
    Add("plain_tcp_goodput",
        seconds > 0 ? 8.0 * pass.received / seconds : 0,
        "bit/s",
        "As goodput, for plain TCP");
    Add("plain_tcp_segments", segments, "segments", "As segments_sent, for plain TCP");
    Add("plain_tcp_octets", octets, "octets", "As octets_on_wire, for plain TCP");
    Add("plain_tcp_retransmitted_octets",
        retransmitted,
        "octets",
        "As retransmitted_octets, for plain TCP");
    Add("plain_tcp_events", pass.events, "events", "As events, for plain TCP");
}

const std::vector<IwarpMetric>&
IwarpScenarioRun::GetMetrics() const
{
    return m_metrics;
}

} // namespace ns3
