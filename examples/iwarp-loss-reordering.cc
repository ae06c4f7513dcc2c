/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A path that loses, reorders and duplicates packets: with Markers the receiver places FPDUs that
// overtake lost ones, and holds little; without, it has to hold them all.

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-topology-dumbbell.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{

uint64_t g_passed = 0;     //!< FPDUs placed
uint64_t g_outOfOrder = 0; //!< of these, out of order
uint64_t g_peak = 0;       //!< most octets held

void
Passed(const MpaUlpdu& ulpdu, Time /* wait */)
{
    g_passed++;
    g_outOfOrder += !ulpdu.inOrder;
}

void
Held(uint64_t /* before */, uint64_t after)
{
    g_peak = std::max(g_peak, after);
}

void
StreamCreated(Ptr<MpaStream> stream)
{
    stream->TraceConnectWithoutContext("Passed", MakeCallback(&Passed));
    stream->TraceConnectWithoutContext("ReassemblyMemory", MakeCallback(&Held));
}

} // namespace

int
main(int argc, char* argv[])
{
    double loss = 0.01;
    double reordering = 0.01;
    double duplication = 0.001;
    std::string holdText = "50us";
    bool markers = true;
    bool alignment = true;
    bool ipv6 = false;
    uint64_t octets = 4000000;
    std::string sizes = "cdf:alistorage2019";
    uint32_t run = 1;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.AddValue("loss", "probability that a packet is lost", loss);
    cmd.AddValue("reordering", "probability that a packet is held back", reordering);
    cmd.AddValue("duplication", "probability that a packet arrives twice", duplication);
    cmd.AddValue("hold", "longest time for which a packet is held back", holdText);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("alignment", "keep FPDUs aligned with TCP segments", alignment);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("octets", "payload to send", octets);
    cmd.AddValue("sizes", "message sizes: fixed:N, cdf:NAME or an ns-3 random variable", sizes);
    cmd.AddValue("run", "run number: another run has other random numbers", run);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Time hold;
    const auto isProbability = [](double p) { return p >= 0 && p <= 1; };
    if (!isProbability(loss) || !isProbability(reordering) || !isProbability(duplication) ||
        !iwarp::ParseTime(holdText, hold) || octets == 0)
    {
        std::cerr << "--loss, --reordering and --duplication take 0 to 1, --hold a time such as "
                     "50us, --octets at least 1\n";
        return 2;
    }
    RngSeedManager::SetRun(run);

    IwarpNetwork network(ipv6);
    const auto [left, right] = CreateObject<IwarpDumbbellTopology>()->Build(network, 1)[0];
    network.InstallRoutes();
    const NodeContainer hosts(network.GetHost(left), network.GetHost(right));

    Ptr<UniformRandomVariable> holdTime = CreateObject<UniformRandomVariable>();
    holdTime->SetAttribute("Max", DoubleValue(hold.GetSeconds()));
    Ptr<PathRandomImpairment> impairment = CreateObject<PathRandomImpairment>();
    impairment->SetAttribute("Loss", DoubleValue(loss));
    impairment->SetAttribute("Reordering", DoubleValue(reordering));
    impairment->SetAttribute("Duplication", DoubleValue(duplication));
    impairment->SetAttribute("HoldTime", PointerValue(holdTime));
    network.Impair(network.GetHostLink(right), PathDirection::A_TO_B, impairment);

    const uint16_t port = 20049;
    MpaSinkHelper sinkHelper(network.GetAnySocketAddress(port));
    sinkHelper.SetAttribute("Backed", BooleanValue(true));
    sinkHelper.SetStreamAttribute("Markers", BooleanValue(markers));
    Ptr<MpaSink> sink = DynamicCast<MpaSink>(sinkHelper.Install(hosts.Get(1)).Get(0));
    sink->TraceConnectWithoutContext("StreamCreated", MakeCallback(&StreamCreated));

    MpaBulkSenderHelper senderHelper(network.GetHostSocketAddress(right, port));
    senderHelper.SetAttribute("Backed", BooleanValue(true));
    senderHelper.SetAttribute("MaxOctets", UintegerValue(octets));
    senderHelper.SetSocketAttribute("Alignment", BooleanValue(alignment));
    senderHelper.SetStreamAttribute("Markers", BooleanValue(markers));
    ApplicationContainer senders = senderHelper.Install(hosts.Get(0));
    senders.Start(MilliSeconds(1));
    Ptr<MpaBulkSender> sender = DynamicCast<MpaBulkSender>(senders.Get(0));
    const std::string problem = sender->SetMessageSizes(sizes);
    if (!problem.empty())
    {
        std::cerr << "--sizes: " << problem << '\n';
        return 2;
    }
    IwarpHelper::AssignStreams(hosts, 1);
    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, hosts);
    }

    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    std::cout << "octets received      " << sink->GetMessageOctets() << '\n'
              << "octets wrong         " << sink->GetContentErrors() << '\n'
              << "FPDUs placed         " << g_passed << '\n'
              << "of these out of order " << g_outOfOrder << '\n'
              << "most octets held     " << g_peak << '\n';
    const std::string error = sender->GetError() + sink->GetError();
    if (!error.empty())
    {
        std::cout << "ended early: " << error << '\n';
    }
    const bool good = sink->GetMessageOctets() == octets && sink->GetContentErrors() == 0;
    Simulator::Destroy();
    return good ? 0 : 1;
}
