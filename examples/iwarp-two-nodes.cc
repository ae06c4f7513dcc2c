/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two nodes and a link: messages over one MPA stream, with pcap files that Wireshark reads.
//
//     sender ------------- sink
//           LinkRate, Delay

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    DataRate rate("10Gbps");
    std::string delayText = "10us";
    uint16_t mtu = 1500;
    std::string sizes = "fixed:65536";
    uint64_t messages = 16;
    bool markers = true;
    bool crc = true;
    bool ipv6 = false;
    std::string hello;
    std::string pcap;
    std::string ascii;

    CommandLine cmd(__FILE__);
    cmd.AddValue("rate", "rate of the link", rate);
    cmd.AddValue("delay", "propagation delay of the link", delayText);
    cmd.AddValue("mtu", "MTU of the link, octets", mtu);
    cmd.AddValue("sizes", "message sizes: fixed:N, cdf:NAME or an ns-3 random variable", sizes);
    cmd.AddValue("messages", "messages to send", messages);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("crc", "use CRC32c", crc);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("hello", "streaming data to exchange before MPA starts", hello);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.AddValue("ascii", "write the events of both streams to this file", ascii);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Time delay;
    if (!iwarp::ParseTime(delayText, delay) || mtu < (ipv6 ? 1280 : 576) || messages == 0)
    {
        std::cerr << "--delay takes a time such as 10us, --mtu at least 576, or 1280 with --ipv6, "
                     "--messages at least 1\n";
        return 2;
    }

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    NetDeviceContainer devices = link.Install(nodes);

    InternetStackHelper().Install(nodes);
    IwarpHelper iwarp;
    iwarp.Install(nodes);

    const uint16_t port = 20049;
    Address remote;
    Address local;
    if (ipv6)
    {
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        remote = Inet6SocketAddress(addresses.Assign(devices).GetAddress(1, 1), port);
        local = Inet6SocketAddress(Ipv6Address::GetAny(), port);
    }
    else
    {
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        remote = InetSocketAddress(addresses.Assign(devices).GetAddress(1), port);
        local = InetSocketAddress(Ipv4Address::GetAny(), port);
    }

    MpaSinkHelper sinkHelper(local);
    sinkHelper.SetAttribute("Backed", BooleanValue(true));
    sinkHelper.SetAttribute("Hello", StringValue(hello));
    sinkHelper.SetStreamAttribute("Markers", BooleanValue(markers));
    sinkHelper.SetStreamAttribute("Crc", BooleanValue(crc));
    ApplicationContainer sinks = sinkHelper.Install(nodes.Get(1));

    MpaBulkSenderHelper senderHelper(remote);
    senderHelper.SetAttribute("Backed", BooleanValue(true));
    senderHelper.SetAttribute("MaxMessages", UintegerValue(messages));
    senderHelper.SetAttribute("Hello", StringValue(hello));
    senderHelper.SetStreamAttribute("Markers", BooleanValue(markers));
    senderHelper.SetStreamAttribute("Crc", BooleanValue(crc));
    ApplicationContainer senders = senderHelper.Install(nodes.Get(0));
    senders.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique

    Ptr<MpaBulkSender> sender = DynamicCast<MpaBulkSender>(senders.Get(0));
    Ptr<MpaSink> sink = DynamicCast<MpaSink>(sinks.Get(0));
    const std::string problem = sender->SetMessageSizes(sizes);
    if (!problem.empty())
    {
        std::cerr << "--sizes: " << problem << '\n';
        return 2;
    }
    IwarpHelper::AssignStreams(nodes, 1);

    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, nodes);
    }
    if (!ascii.empty())
    {
        ApplicationContainer both(senders);
        both.Add(sinks);
        IwarpHelper::EnableAscii(Create<OutputStreamWrapper>(ascii, std::ios::out), both);
    }

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    std::cout << sink->GetMessages() << " messages, " << sink->GetMessageOctets() << " octets, "
              << sink->GetContentErrors() << " octets wrong\n";
    const std::string error = sender->GetError() + sink->GetError();
    if (!error.empty())
    {
        std::cout << "ended early: " << error << '\n';
    }
    const bool good = sink->GetMessages() == messages && sink->GetContentErrors() == 0;
    Simulator::Destroy();
    return good ? 0 : 1;
}
