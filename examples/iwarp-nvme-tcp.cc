/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Hosts that read and write at one target over NVMe/TCP, with PDUs aligned with segments or not.
//
//     host 0 ---+
//     host 1 ---+--- router --- target     rate, delay: each one's link
//     ...    ---+

#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/nvme-helper.h"
#include "ns3/nvme-host.h"
#include "ns3/nvme-target.h"
#include "ns3/pointer.h"
#include "ns3/record-tcp-socket.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iomanip>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

/// What the program takes.
struct Settings
{
    uint32_t hosts{1};                       ///< hosts, a node each
    DataRate rate{"10Gbps"};                 ///< rate of each one's link
    std::string delayText{"5us"};            ///< propagation delay of each one's link
    Time delay;                              ///< the same, once checked
    uint32_t mtu{1500};                      ///< MTU of the links, octets
    std::string sizes{"cdf:alistorage2019"}; ///< data of requests
    double readShare{0.7};                   ///< share of requests that read
    uint32_t depth{16};                      ///< requests of a host under way
    uint32_t queues{1};                      ///< I/O queues of a host
    uint32_t inCapsule{8192};                ///< most octets of data in a capsule
    uint64_t requests{1000};                 ///< requests of each host
    std::string serviceText{"0s"};           ///< time that the storage takes for a command
    Time service;                            ///< the same, once checked
    bool headerDigest{true};                 ///< digests of headers
    bool dataDigest{true};                   ///< digests of data
    bool admin{true};                        ///< start a controller on an admin queue
    bool backed{false};                      ///< data have content, which is compared
    bool align{true};                        ///< PDUs are aligned with segments
    bool plain{false};                       ///< ns-3's TCP, which knows of no PDUs
    bool ipv6{false};                        ///< use IPv6 rather than IPv4
    std::string pcap;                        ///< beginning of pcap files' names

    void AddTo(CommandLine& cmd); ///< Add options. @param cmd where
    bool Check();                 ///< @return false if a message was printed
};

void
Settings::AddTo(CommandLine& cmd)
{
    cmd.AddValue("hosts", "hosts, a node each", hosts);
    cmd.AddValue("rate", "rate of each one's link", rate);
    cmd.AddValue("delay", "propagation delay of each one's link", delayText);
    cmd.AddValue("mtu", "MTU of the links, octets", mtu);
    cmd.AddValue("sizes", "data of requests: fixed:N, cdf:NAME or an ns-3 random variable", sizes);
    cmd.AddValue("reads", "share of requests that read, 0 to 1", readShare);
    cmd.AddValue("depth", "requests of a host under way", depth);
    cmd.AddValue("queues", "I/O queues of a host, a TCP connection each", queues);
    cmd.AddValue("inCapsule", "most octets of data in a capsule, a multiple of 16", inCapsule);
    cmd.AddValue("requests", "requests of each host", requests);
    cmd.AddValue("service", "time that the storage takes for a command", serviceText);
    cmd.AddValue("headerDigest", "digests of headers", headerDigest);
    cmd.AddValue("dataDigest", "digests of data", dataDigest);
    cmd.AddValue("admin", "start a controller on an admin queue, as Linux does", admin);
    cmd.AddValue("backed", "data have content, which both ends compare", backed);
    cmd.AddValue("align", "align PDUs with segments", align);
    cmd.AddValue("plain", "use ns-3's TCP, which knows of no PDUs", plain);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
}

bool
Settings::Check()
{
    if (hosts < 1 || hosts > 1000 || mtu < (ipv6 ? 1280 : 576) || mtu > 65535 ||
        rate.GetBitRate() == 0 || !(readShare >= 0 && readShare <= 1) || depth < 1 || depth > 128 ||
        queues < 1 || queues > 128 || inCapsule > 1048576 || inCapsule % 16 != 0 || requests < 1 ||
        !iwarp::ParseTime(delayText, delay) || !iwarp::ParseTime(serviceText, service))
    {
        std::cerr << "--hosts takes 1 to 1000, --rate more than 0, --mtu 576 (1280 with --ipv6) to "
                     "65535, --reads 0 to 1, --depth and --queues 1 to 128, --inCapsule multiples "
                     "of 16 up to 1048576, --requests at least 1, --delay and --service times such "
                     "as 5us\n";
        return false;
    }
    std::string problem;
    if (!iwarp::MakeDistribution(sizes, problem))
    {
        std::cerr << "--sizes: " << problem << '\n';
        return false;
    }
    return true;
}

/// Segments that a queue has sent.
struct SegmentCount
{
    uint64_t all{0};    ///< data segments
    uint64_t headed{0}; ///< of these, those that begin with a PDU

    /// Count one.
    void Count(SequenceNumber32, uint32_t, bool header, bool, bool)
    {
        all++;
        headed += header ? 1 : 0;
    }
};

/// Count what a queue sends. @param count where @param queue it
void
CountSegments(SegmentCount* count, Ptr<NvmeQueue> queue)
{
    queue->GetSocket()->TraceConnectWithoutContext("SegmentSent",
                                                   MakeCallback(&SegmentCount::Count, count));
}

/// Make hosts and a target. @param settings what is wanted @param hosts nodes of the hosts @param
/// target node of the target @return applications
NvmeApplications
Connect(const Settings& settings, const NodeContainer& hosts, Ptr<Node> target)
{
    Ptr<ConstantRandomVariable> serviceTime = CreateObject<ConstantRandomVariable>();
    serviceTime->SetAttribute("Constant", DoubleValue(settings.service.GetSeconds()));
    NvmeHelper helper;
    helper.SetIpv6(settings.ipv6);
    helper.SetHostAttribute("ReadShare", DoubleValue(settings.readShare));
    helper.SetHostAttribute("QueueDepth", UintegerValue(settings.depth));
    helper.SetHostAttribute("Queues", UintegerValue(settings.queues));
    helper.SetHostAttribute("MaxRequests", UintegerValue(settings.requests));
    helper.SetHostAttribute("AdminQueue", BooleanValue(settings.admin));
    helper.SetHostAttribute("Backed", BooleanValue(settings.backed));
    helper.SetTargetAttribute("Backed", BooleanValue(settings.backed));
    helper.SetTargetAttribute("RequireConnect", BooleanValue(settings.admin));
    helper.SetTargetAttribute("ServiceTime", PointerValue(serviceTime));
    helper.SetQueueAttribute("HeaderDigest", BooleanValue(settings.headerDigest));
    helper.SetQueueAttribute("DataDigest", BooleanValue(settings.dataDigest));
    helper.SetQueueAttribute("InCapsuleSize", UintegerValue(settings.inCapsule));
    if (settings.plain)
    {
        helper.SetHostAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        helper.SetTargetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
    }
    else
    {
        helper.SetSocketAttribute("Alignment", BooleanValue(settings.align));
    }
    NvmeApplications applications = helper.ConnectIncast(hosts, target, 4420);
    for (uint32_t i = 0; i < hosts.GetN(); i++)
    {
        DynamicCast<NvmeHost>(applications.hosts.Get(i))->SetMessageSizes(settings.sizes);
    }
    return applications;
}

/// Run the simulation and print the figures. @param applications hosts and target @param sent what
/// all have sent @return false if one did not end
bool
RunAndReport(const NvmeApplications& applications, const SegmentCount& sent)
{
    Simulator::Stop(Seconds(10000));
    Simulator::Run();
    bool good = true;
    uint64_t wrong = DynamicCast<NvmeTarget>(applications.targets.Get(0))->GetContentErrors();
    for (uint32_t i = 0; i < applications.hosts.GetN(); i++)
    {
        const auto host = DynamicCast<NvmeHost>(applications.hosts.Get(i));
        std::cout << "host " << i << '\n';
        for (const auto& metric : host->GetMetrics())
        {
            std::cout << "  " << std::left << std::setw(20) << metric.name << metric.value << ' '
                      << metric.unit << '\n';
        }
        wrong += host->GetContentErrors();
        if (!host->IsFinished())
        {
            good = false;
            std::cout << "  failed: "
                      << (host->GetError().empty() ? "not over after 10000 s" : host->GetError())
                      << '\n';
        }
    }
    if (sent.all > 0)
    {
        std::cout << sent.all << " data segments, " << sent.headed << " of them begin with a PDU\n";
    }
    if (wrong > 0)
    {
        std::cout << wrong << " octets are not as they were sent\n";
    }
    Simulator::Destroy();
    return good && wrong == 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    Settings settings;
    CommandLine cmd(__FILE__);
    cmd.Usage("Hosts that read and write at one target over NVMe/TCP; prints rates and latencies "
              "of each host,\nand how many segments begin with a PDU.");
    settings.AddTo(cmd);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    if (!settings.Check())
    {
        return 2;
    }

    IwarpNetwork network(settings.ipv6);
    network.AddRouter();
    NodeContainer nodes;
    NodeContainer hosts;
    for (uint32_t i = 0; i <= settings.hosts; i++)
    {
        nodes.Add(network.GetHost(
            network.AddHost(0, {settings.rate, settings.delay, QueueSize("1000p"), settings.mtu})));
        if (i < settings.hosts)
        {
            hosts.Add(nodes.Get(i));
        }
    }
    network.InstallRoutes();

    NvmeApplications applications = Connect(settings, hosts, nodes.Get(settings.hosts));
    applications.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique
    IwarpHelper::AssignStreams(nodes, 1);
    SegmentCount sent;
    for (const auto& all : {applications.hosts, applications.targets})
    {
        for (uint32_t i = 0; i < all.GetN(); i++)
        {
            all.Get(i)->TraceConnectWithoutContext("QueueReady",
                                                   MakeBoundCallback(&CountSegments, &sent));
        }
    }
    if (!settings.pcap.empty())
    {
        NvmeHelper::EnablePcap(settings.pcap, nodes);
    }
    return RunAndReport(applications, sent) ? 0 : 1;
}
