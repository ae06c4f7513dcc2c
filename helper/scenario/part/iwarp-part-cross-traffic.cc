/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-cross-traffic.h"

#include "iwarp-part-tcp.h"

#include "ns3/bulk-send-application.h"
#include "ns3/iwarp-collector.h"
#include "ns3/iwarp-plain-tcp-factory.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpCrossTrafficPart");
NS_OBJECT_ENSURE_REGISTERED(IwarpCrossTrafficPart);

namespace
{

constexpr uint16_t CROSS_PORT = 40000; //!< where the first flow goes

const iwarp::MetricDeclarations g_crossMetrics{std::vector<MetricInfo>{
    {"cross_goodput",
     "bit/s",
     "Payload of the cross traffic that came over duration, all its flows and directions",
     MetricMerge::RUN},
    {"plain_tcp_cross_goodput", "bit/s", "As cross_goodput, beside plain TCP", MetricMerge::RUN},
}};

/// Counts what receivers of cross traffic get.
class CrossTrafficCollector : public iwarp::Collector
{
  public:
    /// @param sink application that receives, which keeps this by its trace
    void Attach(const Ptr<PacketSink>& sink)
    {
        sink->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&CrossTrafficCollector::Receive, Ptr<CrossTrafficCollector>(this)));
    }

    void Restart() override
    {
        m_octets = 0;
    }

    void Report(iwarp::MetricSet& metrics, const Period& period) override
    {
        metrics.Add(period.prefix + "cross_goodput",
                    period.seconds > 0 ? 8.0 * m_octets / period.seconds : 0);
    }

  private:
    /// @param packet that came @param from its sender
    void Receive(Ptr<const Packet> packet, const Address& /* from */)
    {
        m_octets += packet->GetSize();
    }

    uint64_t m_octets{0}; //!< payload
};

/// @param network where @param host index of the sender @param rate of its payload
/// @return source of UDP
Ptr<Application>
MakeUdpSource(const IwarpNetwork& network, uint32_t host, const DataRate& rate)
{
    const uint32_t headers = (network.IsIpv6() ? 40 : 20) + 8;
    const uint32_t mtu = network.GetLink(network.GetHostLink(host)).mtu;
    auto source = CreateObject<OnOffApplication>();
    source->SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1e9]"));
    source->SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    source->SetAttribute("DataRate", DataRateValue(rate));
    source->SetAttribute("PacketSize", UintegerValue(mtu - headers));
    return source;
}

} // namespace

TypeId
IwarpCrossTrafficPart::GetTypeId()
{
    using iwarp::TrafficDirection;
    static TypeId tid =
        TypeId("ns3::IwarpCrossTrafficPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpCrossTrafficPart>()
            .AddAttribute("CrossTraffic",
                          "Traffic beside the flows, between pairs of hosts of its own that the "
                          "topology adds: none; udp, at a rate; tcp, ns-3's own, all it can",
                          StringValue("none"),
                          MakeStringAccessor(&IwarpCrossTrafficPart::m_kind),
                          MakeStringChecker())
            .AddAttribute("CrossFlows",
                          "Flows of the cross traffic, each with a pair of hosts",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IwarpCrossTrafficPart::m_flows),
                          MakeUintegerChecker<uint32_t>(1, 8192))
            .AddAttribute("CrossRate",
                          "Payload of each flow of the cross traffic's UDP, in datagrams as large "
                          "as the MTU allows",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(&IwarpCrossTrafficPart::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("CrossDirection",
                          "Where the payload of the cross traffic goes: with the flows' data, with "
                          "their acknowledgements, or both ways",
                          iwarp::MakeEnumValue(TrafficDirection::DATA),
                          iwarp::MakeEnumAccessor(&IwarpCrossTrafficPart::m_direction),
                          iwarp::MakeDirectionChecker())
            .AddAttribute("CrossCongestionControl",
                          "Congestion control of the cross traffic's TCP: an ns-3 "
                          "TcpCongestionOps, with or without ns3:: before it",
                          StringValue("TcpCubic"),
                          MakeStringAccessor(&IwarpCrossTrafficPart::m_control),
                          MakeStringChecker())
            .AddAttribute("CrossDscp",
                          "DSCP of datagrams of hosts that only cross traffic has, by which queues "
                          "choose among Priorities",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpCrossTrafficPart::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, PathPriorities::DSCPS - 1));
    return tid;
}

IwarpCrossTrafficPart::IwarpCrossTrafficPart() = default;
IwarpCrossTrafficPart::~IwarpCrossTrafficPart() = default;

bool
IwarpCrossTrafficPart::IsIdle() const
{
    return m_kind == "none";
}

std::vector<std::string>
IwarpCrossTrafficPart::ListNames(const std::string& attribute) const
{
    return attribute == "CrossTraffic" ? std::vector<std::string>{"none", "udp", "tcp"}
                                       : std::vector<std::string>();
}

std::string
IwarpCrossTrafficPart::Check() const
{
    const std::string problem = CheckName("CrossTraffic", m_kind);
    if (!problem.empty())
    {
        return "CrossTraffic: " + problem;
    }
    if (m_kind == "udp" && m_rate.GetBitRate() == 0)
    {
        return "CrossRate: it has to be more than 0";
    }
    TypeId type;
    return IwarpTcpPart::FindCongestionControl(m_control, type)
               ? ""
               : "CrossCongestionControl: '" + m_control + "' is no ns-3 congestion control";
}

uint32_t
IwarpCrossTrafficPart::CountPairs() const
{
    return m_flows;
}

std::string
IwarpCrossTrafficPart::CheckWith(const iwarp::ScenarioParts& parts) const
{
    return m_dscp > 0 && !parts.GetTopology()->HasPriorities()
               ? "CrossDscp, Priorities: a DSCP chooses among priorities, so have more than one"
               : "";
}

void
IwarpCrossTrafficPart::Install(iwarp::ScenarioNetwork& network) const
{
    using iwarp::TrafficDirection;
    NS_LOG_FUNCTION(this);
    IwarpNetwork& links = network.GetNetwork();
    const auto& ends = network.GetEndsOf(*this);
    TypeId control;
    IwarpTcpPart::FindCongestionControl(m_control, control);
    const auto own = iwarp::ListOwnHosts(ends, network.GetEnds());
    const auto& given = network.GetParts().GetSetup().given;
    const bool asked = given.count("CrossCongestionControl") + given.count("CrossDscp") > 0;
    if (asked && own.empty())
    {
        network.AddCaution("CrossCongestionControl, CrossDscp: no effect, as flows have all hosts "
                           "that cross traffic has");
    }
    for (const uint32_t host : own)
    {
        links.GetHost(host)->GetObject<TcpL4Protocol>()->SetAttribute("SocketType",
                                                                      TypeIdValue(control));
        links.SetDscp(host, m_dscp);
    }
    const TypeId protocol =
        m_kind == "udp" ? UdpSocketFactory::GetTypeId() : TcpSocketFactory::GetTypeId();
    auto collector = Create<CrossTrafficCollector>();
    std::vector<Ptr<Application>> sources;
    uint16_t port = CROSS_PORT;
    for (const auto& [sender, receiver] : ends)
    {
        for (const bool back : {false, true})
        {
            if (m_direction == (back ? TrafficDirection::DATA : TrafficDirection::ACKS))
            {
                continue;
            }
            const uint32_t from = back ? receiver : sender;
            const uint32_t to = back ? sender : receiver;
            sources.push_back(InstallSource(network, from, to, port));
            auto sink = CreateObject<PacketSink>();
            sink->SetAttribute("Protocol", TypeIdValue(protocol));
            sink->SetAttribute("Local", AddressValue(links.GetAnySocketAddress(port++)));
            collector->Attach(sink);
            links.GetHost(to)->AddApplication(sink);
        }
    }
    network.AddCollector(iwarp::ScenarioNetwork::Section::LINKS, collector);
    network.LeaveOutPorts(CROSS_PORT, port);
    if (m_kind == "udp")
    {
        network.AddStreams("cross traffic", [sources](int64_t first) {
            int64_t next = first;
            for (const auto& source : sources)
            {
                next += DynamicCast<OnOffApplication>(source)->AssignStreams(next);
            }
            return next - first;
        });
    }
}

Ptr<Application>
IwarpCrossTrafficPart::InstallSource(iwarp::ScenarioNetwork& network,
                                     uint32_t from,
                                     uint32_t to,
                                     uint16_t port) const
{
    const IwarpNetwork& links = network.GetNetwork();
    const Ptr<Node> sender = links.GetHost(from);
    TypeId protocol = UdpSocketFactory::GetTypeId();
    Ptr<Application> source;
    if (m_kind == "udp")
    {
        source = MakeUdpSource(links, from, m_rate);
    }
    else
    {
        source = CreateObject<BulkSendApplication>();
        source->SetAttribute("MaxBytes", UintegerValue(0));
        protocol =
            iwarp::PlainTcpFactory::Install(sender, network.GetParts().GetPlainSegmentSize());
    }
    source->SetAttribute("Protocol", TypeIdValue(protocol));
    source->SetAttribute("Remote", AddressValue(links.GetHostSocketAddress(to, port)));
    source->SetStartTime(MilliSeconds(1));
    sender->AddApplication(source);
    return source;
}

} // namespace ns3
