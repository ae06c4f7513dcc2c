/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An ns-3 application that knows nothing of iWARP over MPA-aware TCP: BulkSendApplication and
// PacketSink with another Protocol. Each write is a record, and segments are cut where records end.

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-topology-dumbbell.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>

using namespace ns3;

namespace
{

uint64_t g_segments = 0; //!< segments sent
uint64_t g_aligned = 0;  //!< of these, those that hold whole records

void
SegmentSent(SequenceNumber32 /* seq */,
            uint32_t /* size */,
            bool /* headerAligned */,
            bool recordAligned,
            bool /* retransmission */)
{
    g_segments++;
    g_aligned += recordAligned;
}

void
Connected(Ptr<BulkSendApplication> application)
{
    application->GetSocket()->TraceConnectWithoutContext("SegmentSent", MakeCallback(&SegmentSent));
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t record = 1000;
    uint64_t octets = 1000000;
    bool alignment = true;
    bool packing = true;
    bool ipv6 = false;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.AddValue("record", "octets that the application writes at once", record);
    cmd.AddValue("octets", "octets to send", octets);
    cmd.AddValue("alignment", "cut segments where records end", alignment);
    cmd.AddValue("packing", "put several records into a segment", packing);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    if (record == 0 || record > 65536 || octets == 0)
    {
        std::cerr << "--record takes 1 to 65536, --octets at least 1\n";
        return 2;
    }
    Config::SetDefault("ns3::MpaTcpSocket::Alignment", BooleanValue(alignment));
    Config::SetDefault("ns3::MpaTcpSocket::Packing", BooleanValue(packing));

    IwarpNetwork network(ipv6);
    const auto [left, right] = CreateObject<IwarpDumbbellTopology>()->Build(network, 1)[0];
    network.InstallRoutes();
    const uint16_t port = 20049;

    const std::string protocol = MpaTcpSocketFactory::GetTypeId().GetName();
    PacketSinkHelper sinkHelper(protocol, network.GetAnySocketAddress(port));
    Ptr<PacketSink> sink =
        DynamicCast<PacketSink>(sinkHelper.Install(network.GetHost(right)).Get(0));
    BulkSendHelper senderHelper(protocol, network.GetHostSocketAddress(right, port));
    senderHelper.SetAttribute("SendSize", UintegerValue(record));
    senderHelper.SetAttribute("MaxBytes", UintegerValue(octets));
    ApplicationContainer senders = senderHelper.Install(network.GetHost(left));
    senders.Start(MilliSeconds(1));
    Simulator::Schedule(MilliSeconds(1) + NanoSeconds(1),
                        &Connected,
                        DynamicCast<BulkSendApplication>(senders.Get(0)));
    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, {network.GetHost(left), network.GetHost(right)});
    }

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    std::cout << sink->GetTotalRx() << " octets in " << g_segments << " segments, " << g_aligned
              << " of whole records\n";
    const bool good = sink->GetTotalRx() == octets;
    Simulator::Destroy();
    return good ? 0 : 1;
}
