/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// TCP by the RFCs in place of ns-3's own: a bulk transfer over a link that loses packets, with
// either kind of socket. Nothing of it knows of records or of iWARP.

#include "ns3/bulk-send-helper.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>

using namespace ns3;

namespace
{

Time g_last; //!< when octets came last

void
Received(Ptr<const Packet> /* packet */, const Address& /* from */)
{
    g_last = Simulator::Now();
}

} // namespace

int
main(int argc, char* argv[])
{
    bool plain = false;
    uint64_t octets = 10000000;
    DataRate rate("100Mbps");
    std::string delayText = "5ms";
    double loss = 0.001;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.AddValue("plain", "use ns-3's TcpSocketBase rather than Rfc9293TcpSocket", plain);
    cmd.AddValue("octets", "octets to send", octets);
    cmd.AddValue("rate", "rate of the link", rate);
    cmd.AddValue("delay", "delay of the link", delayText);
    cmd.AddValue("loss", "share of packets that are lost, in either direction", loss);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    Time delay;
    if (octets == 0 || !(loss >= 0 && loss < 1) || rate.GetBitRate() == 0 ||
        !iwarp::ParseTime(delayText, delay))
    {
        std::cerr
            << "--octets is at least 1, --loss from 0 to below 1, --rate more than 0, --delay a "
               "time such as 5ms\n";
        return 2;
    }

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(rate));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    const auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const auto interfaces = addresses.Assign(devices);
    for (uint32_t i = 0; i < 2; ++i)
    {
        Rfc9293TcpSocketFactory::Install(nodes.Get(i));
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(loss);
        model->AssignStreams(i);
        devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    // of TcpSocketBase alone: by the link's MTU, as the other kind finds by itself
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    const std::string protocol =
        (plain ? TcpSocketFactory::GetTypeId() : Rfc9293TcpSocketFactory::GetTypeId()).GetName();
    const uint16_t port = 9;
    PacketSinkHelper sinkHelper(protocol, InetSocketAddress(Ipv4Address::GetAny(), port));
    const auto sink = DynamicCast<PacketSink>(sinkHelper.Install(nodes.Get(1)).Get(0));
    sink->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
    BulkSendHelper bulk(protocol, InetSocketAddress(interfaces.GetAddress(1), port));
    bulk.SetAttribute("MaxBytes", UintegerValue(octets));
    bulk.Install(nodes.Get(0));
    if (!pcap.empty())
    {
        link.EnablePcapAll(pcap);
    }

    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    std::cout << sink->GetTotalRx() << " octets in " << g_last.GetSeconds() << " s\n";
    const bool good = sink->GetTotalRx() == octets;
    Simulator::Destroy();
    return good ? 0 : 1;
}
