/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a box that re-cuts TCP segments does to iWARP, and what Markers are for (RFC 5044 A.4):
// FPDUs that filled a segment each come in pieces, and behind reordering only a receiver with
// Markers finds them without what is missing. pcap files show both sides of the box.
//
//     sender --- router --- box --- router --- sink

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/iwarp-network.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-sink.h"
#include "ns3/mpa-stream.h"
#include "ns3/path-random-impairment.h"
#include "ns3/path-resegmenting-middlebox.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>

using namespace ns3;

namespace
{

uint32_t g_segments = 0;   //!< segments received
uint32_t g_aligned = 0;    //!< of these, those that begin with an FPDU
uint32_t g_outOfOrder = 0; //!< FPDUs passed before all that precedes them had come

void
Classified(uint32_t /* seq */, uint32_t /* size */, bool headerAligned, bool /* fpduAligned */)
{
    g_segments++;
    g_aligned += headerAligned;
}

void
SegmentReceived(uint32_t /* seq */, uint32_t /* size */, const RecordSegmentReport& report)
{
    g_outOfOrder += report.passedOutOfOrder;
}

void
StreamCreated(Ptr<MpaStream> stream)
{
    stream->TraceConnectWithoutContext("Classified", MakeCallback(&Classified));
    stream->TraceConnectWithoutContext("SegmentReceived", MakeCallback(&SegmentReceived));
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t maxPayload = 700;
    uint32_t coalesce = 0;
    uint32_t octets = 1000000;
    double reordering = 0.02;
    bool markers = true;
    bool ipv6 = false;
    std::string pcap;
    CommandLine cmd(__FILE__);
    cmd.AddValue("max-payload",
                 "octets of payload of a segment behind the box; 0: no limit",
                 maxPayload);
    cmd.AddValue("coalesce", "octets that the box gathers before it cuts; 0: none", coalesce);
    cmd.AddValue("octets", "octets to send", octets);
    cmd.AddValue("reordering", "share of segments that others overtake behind the box", reordering);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("pcap", "write pcap files of both sides, whose names begin with this", pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    if (octets == 0 || !(reordering >= 0 && reordering <= 1))
    {
        std::cerr << "--octets takes at least 1, --reordering 0 to 1\n";
        return 2;
    }
    Config::SetGlobal("ChecksumEnabled", BooleanValue(!pcap.empty()));
    Config::SetDefault("ns3::MpaStream::Markers", BooleanValue(markers));

    IwarpNetwork network(ipv6);
    network.AddRouter();
    network.AddRouter();
    const IwarpNetwork::Link link{DataRate("10Gbps"), MicroSeconds(10)};
    network.AddLink(0, 1, link);
    network.AddHost(0, link);
    network.AddHost(1, link);
    network.InstallRoutes();

    auto box = CreateObject<PathResegmentingMiddlebox>();
    box->SetAttribute("MaxPayload", UintegerValue(maxPayload));
    box->SetAttribute("CoalesceSize", UintegerValue(coalesce));
    Ptr<Node> middle = network.InsertMiddlebox(0, box);
    auto impairment = CreateObject<PathRandomImpairment>();
    impairment->SetAttribute("Reordering", DoubleValue(reordering));
    network.Impair(0, PathDirection::A_TO_B, impairment);
    network.AssignStreams(1);
    if (!pcap.empty())
    {
        PointToPointHelper().EnablePcap(pcap + "-before.pcap", middle->GetDevice(0), false, true);
        PointToPointHelper().EnablePcap(pcap + "-behind.pcap", middle->GetDevice(1), false, true);
    }

    MpaSinkHelper sinks(network.GetAnySocketAddress(20049));
    sinks.SetAttribute("Backed", BooleanValue(true));
    auto sink = DynamicCast<MpaSink>(sinks.Install(network.GetHost(1)).Get(0));
    sink->TraceConnectWithoutContext("StreamCreated", MakeCallback(&StreamCreated));
    MpaBulkSenderHelper senders(network.GetHostSocketAddress(1, 20049));
    senders.SetAttribute("Backed", BooleanValue(true));
    senders.SetAttribute("MaxOctets", UintegerValue(octets));
    senders.Install(network.GetHost(0)).Start(MilliSeconds(1));

    Simulator::Stop(Seconds(100));
    Simulator::Run();
    std::cout << "segments received         " << g_segments << '\n'
              << "that begin with an FPDU   " << g_aligned << '\n'
              << "FPDUs passed out of order " << g_outOfOrder << '\n'
              << "octets received           " << sink->GetMessageOctets() << '\n';
    const bool good = sink->GetMessageOctets() == octets && sink->GetContentErrors() == 0;
    Simulator::Destroy();
    return good ? 0 : 1;
}
