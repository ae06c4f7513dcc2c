/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two hosts and a link: messages over one MPA stream under ESP in transport mode, with pcap files
// and the keys with which Wireshark deciphers them.
//
//     sender ------------- sink
//            10 Gbit/s, 10 us

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string cipher = "aes-gcm-16-128";
    bool real = false;
    uint64_t messages = 16;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.AddValue("cipher", "cipher of ESP, such as aes-cbc-128/hmac-sha1-96", cipher);
    cmd.AddValue("real", "encipher octets, rather than only make packets longer", real);
    cmd.AddValue("messages", "messages of 65536 octets to send", messages);
    cmd.AddValue("pcap",
                 "write pcap files whose names begin with this, and with --real the keys for "
                 "Wireshark beside them",
                 pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    const auto ciphers = GetEspTransformNames();
    if (std::find(ciphers.begin(), ciphers.end(), cipher) == ciphers.end() || messages == 0 ||
        (real && !EspCodec::HasReal()))
    {
        std::cerr << "--cipher is one of";
        for (const auto& name : ciphers)
        {
            std::cerr << ' ' << name;
        }
        std::cerr << "; --messages is at least 1; --real needs a build with OpenSSL\n";
        return 2;
    }

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    const NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
    IwarpHelper iwarp;
    iwarp.Install(nodes);

    IpsecHelper ipsec(cipher);
    ipsec.GetProposal().codec = real ? EspCodec::Mode::REAL : EspCodec::Mode::MODELLED;
    ipsec.Install(nodes);
    ipsec.ProtectTransport(nodes);

    const uint16_t port = 20049;
    MpaSinkHelper sinkHelper(InetSocketAddress(Ipv4Address::GetAny(), port));
    sinkHelper.SetAttribute("Backed", BooleanValue(true));
    sinkHelper.SetStreamAttribute("Markers", BooleanValue(false)); // so that tshark reads all FPDUs
    Ptr<MpaSink> sink = DynamicCast<MpaSink>(sinkHelper.Install(nodes.Get(1)).Get(0));
    MpaBulkSenderHelper senderHelper(InetSocketAddress(addresses.GetAddress(1), port));
    senderHelper.SetAttribute("Backed", BooleanValue(true));
    senderHelper.SetStreamAttribute("Markers", BooleanValue(false));
    senderHelper.SetAttribute("MaxMessages", UintegerValue(messages));
    senderHelper.Install(nodes.Get(0)).Start(MilliSeconds(1));
    IwarpHelper::AssignStreams(nodes, 1);
    ipsec.GetKeying()->AssignStreams(100);
    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, nodes);
        if (real)
        {
            ipsec.WriteKeys(pcap);
        }
    }

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    const auto& counters = nodes.Get(0)->GetObject<IpsecStack>()->GetCounters();
    std::cout << sink->GetMessages() << " messages, " << sink->GetContentErrors()
              << " octets wrong, " << counters.sealed << " packets protected, " << counters.added
              << " of " << counters.sealedOctets << " octets added\n";
    const bool good = sink->GetMessages() == messages && sink->GetContentErrors() == 0;
    Simulator::Destroy();
    return good ? 0 : 1;
}
