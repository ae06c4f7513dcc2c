/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-cross-traffic.h"

#include "iwarp-scenario-check.h"

#include "ns3/bulk-send-application.h"
#include "ns3/iwarp-plain-tcp-factory.h"
#include "ns3/log.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <set>

namespace ns3
{
namespace iwarp
{

NS_LOG_COMPONENT_DEFINE("CrossTraffic");

namespace
{

constexpr uint16_t CROSS_PORT = 40000; //!< where the first flow goes

/// @param network where @param host index of the sender @param rate of its payload
/// @param[in,out] streams to take from @return source of UDP
Ptr<Application>
MakeUdpSource(const IwarpNetwork& network,
              uint32_t host,
              const DataRate& rate,
              RandomStreams& streams)
{
    const uint32_t headers = (network.IsIpv6() ? 40 : 20) + 8;
    const uint32_t mtu = network.GetLink(network.GetHostLink(host)).mtu;
    auto source = CreateObject<OnOffApplication>();
    source->SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1e9]"));
    source->SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    source->SetAttribute("DataRate", DataRateValue(rate));
    source->SetAttribute("PacketSize", UintegerValue(mtu - headers));
    streams.Assign("cross traffic", streams.GetEnd(), [&source](int64_t first) {
        return source->AssignStreams(first);
    });
    return source;
}

/// @param ends pairs of hosts @param others pairs of the flows @return hosts that no flow has
std::set<uint32_t>
ListOwnHosts(const IwarpTopology::Ends& ends, const IwarpTopology::Ends& others)
{
    std::set<uint32_t> hosts;
    for (const auto& [sender, receiver] : ends)
    {
        hosts.insert({sender, receiver});
    }
    for (const auto& [sender, receiver] : others)
    {
        hosts.erase(sender);
        hosts.erase(receiver);
    }
    return hosts;
}

} // namespace

CrossTraffic::CrossTraffic(const IwarpScenarioParameters& parameters,
                           const IwarpNetwork& network,
                           const IwarpTopology::Ends& ends,
                           const IwarpTopology::Ends& others,
                           uint32_t segmentSize,
                           RandomStreams& streams)
    : m_segmentSize(segmentSize),
      m_port(CROSS_PORT)
{
    using Direction = IwarpScenarioParameters::Direction;
    NS_LOG_FUNCTION(this << ends.size());
    TypeId control;
    FindCongestionControl(parameters.crossControl, control);
    for (const uint32_t host : ListOwnHosts(ends, others))
    {
        network.GetHost(host)->GetObject<TcpL4Protocol>()->SetAttribute("SocketType",
                                                                        TypeIdValue(control));
    }
    for (const auto& [sender, receiver] : ends)
    {
        if (parameters.crossDirection != Direction::ACKS)
        {
            Install(parameters, network, sender, receiver, streams);
        }
        if (parameters.crossDirection != Direction::DATA)
        {
            Install(parameters, network, receiver, sender, streams);
        }
    }
}

CrossTraffic::~CrossTraffic() = default;

void
CrossTraffic::Install(const IwarpScenarioParameters& parameters,
                      const IwarpNetwork& network,
                      uint32_t from,
                      uint32_t to,
                      RandomStreams& streams)
{
    const Ptr<Node> sender = network.GetHost(from);
    const Ptr<Node> receiver = network.GetHost(to);
    const bool isUdp = parameters.crossTraffic == "udp";
    Ptr<Application> source;
    if (isUdp)
    {
        source = MakeUdpSource(network, from, parameters.crossRate, streams);
    }
    else
    {
        source = CreateObject<BulkSendApplication>();
        source->SetAttribute("MaxBytes", UintegerValue(0));
    }
    source->SetAttribute("Protocol",
                         TypeIdValue(isUdp ? UdpSocketFactory::GetTypeId()
                                           : PlainTcpFactory::Install(sender, m_segmentSize)));
    source->SetAttribute("Remote", AddressValue(network.GetHostSocketAddress(to, m_port)));
    source->SetStartTime(MilliSeconds(1));
    sender->AddApplication(source);

    auto sink = CreateObject<PacketSink>();
    sink->SetAttribute(
        "Protocol",
        TypeIdValue(isUdp ? UdpSocketFactory::GetTypeId() : TcpSocketFactory::GetTypeId()));
    sink->SetAttribute("Local", AddressValue(network.GetAnySocketAddress(m_port++)));
    // the trace keeps this object as long as the application
    sink->TraceConnectWithoutContext("Rx",
                                     MakeCallback(&CrossTraffic::Receive, Ptr<CrossTraffic>(this)));
    receiver->AddApplication(sink);
}

void
CrossTraffic::Receive(Ptr<const Packet> packet, const Address& /* from */)
{
    m_octets += packet->GetSize();
}

uint64_t
CrossTraffic::GetOctets() const
{
    return m_octets;
}

} // namespace iwarp
} // namespace ns3
