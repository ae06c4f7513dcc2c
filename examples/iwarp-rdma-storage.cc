/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Storage clients that read and write at one server: requests in Sends, data inline or by RDMA.
//
//     client 0 ---+
//     client 1 ---+--- router --- server     rate, delay: each host's link
//     ...      ---+

#include "ns3/app-attribute-text.h"
#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/pointer.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    uint32_t clients = 1;
    DataRate rate("10Gbps");
    std::string delayText = "5us";
    uint32_t mtu = 1500;
    std::string sizes = "cdf:alistorage2019";
    double readShare = 0.7;
    uint32_t depth = 16;
    uint32_t threshold = 4096;
    uint64_t requests = 1000;
    std::string serviceText = "0s";
    bool markers = true;
    bool ipv6 = false;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.Usage(
        "Clients that read and write at one storage server, with data inline or by RDMA; prints "
        "rates and\nlatencies of each client.");
    cmd.AddValue("clients", "clients, a host each", clients);
    cmd.AddValue("rate", "rate of each host's link", rate);
    cmd.AddValue("delay", "propagation delay of each host's link", delayText);
    cmd.AddValue("mtu", "MTU of the links, octets", mtu);
    cmd.AddValue("sizes", "data of requests: fixed:N, cdf:NAME or an ns-3 random variable", sizes);
    cmd.AddValue("reads", "share of requests that read, 0 to 1", readShare);
    cmd.AddValue("depth", "requests of a client under way", depth);
    cmd.AddValue("inline", "most octets of data in a Send", threshold);
    cmd.AddValue("requests", "requests of each client", requests);
    cmd.AddValue("service", "time that the storage takes for a request", serviceText);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.Parse(argc, argv);

    Time delay;
    Time service;
    if (clients < 1 || clients > 1000 || mtu < (ipv6 ? 1280 : 576) || mtu > 65535 ||
        rate.GetBitRate() == 0 || !(readShare >= 0 && readShare <= 1) || depth < 1 || depth > 128 ||
        threshold > 8192 || requests < 1 || !iwarp::ParseTime(delayText, delay) ||
        !iwarp::ParseTime(serviceText, service))
    {
        std::cerr << "--clients takes 1 to 1000, --rate more than 0, --mtu 576 (1280 with --ipv6) "
                     "to 65535, --reads 0 to "
                     "1, --depth 1 to 128, --inline up to 8192, --requests at least 1, --delay and "
                     "--service times such as 5us\n";
        return 2;
    }
    std::string problem;
    if (!iwarp::MakeDistribution(sizes, problem))
    {
        std::cerr << "--sizes: " << problem << '\n';
        return 2;
    }

    IwarpNetwork network(ipv6);
    network.AddRouter();
    NodeContainer nodes;
    for (uint32_t i = 0; i <= clients; i++)
    {
        nodes.Add(network.GetHost(network.AddHost(0, {rate, delay, QueueSize("1000p"), mtu})));
    }
    network.InstallRoutes();
    const Ptr<Node> server = nodes.Get(clients);
    NodeContainer clientNodes;
    for (uint32_t i = 0; i < clients; i++)
    {
        clientNodes.Add(nodes.Get(i));
    }

    Ptr<ConstantRandomVariable> serviceTime = CreateObject<ConstantRandomVariable>();
    serviceTime->SetAttribute("Constant", DoubleValue(service.GetSeconds()));
    RdmaStorageHelper helper;
    helper.SetIpv6(ipv6);
    helper.SetClientAttribute("ReadShare", DoubleValue(readShare));
    helper.SetClientAttribute("QueueDepth", UintegerValue(depth));
    helper.SetClientAttribute("InlineThreshold", UintegerValue(threshold));
    helper.SetClientAttribute("MaxRequests", UintegerValue(requests));
    helper.SetServerAttribute("ServiceTime", PointerValue(serviceTime));
    helper.SetStreamAttribute("Markers", BooleanValue(markers));
    RdmaApplications applications = helper.ConnectIncast(clientNodes, server, 20049);
    for (uint32_t i = 0; i < clients; i++)
    {
        DynamicCast<RdmaStorageClient>(applications.clients.Get(i))->SetMessageSizes(sizes);
    }
    applications.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique
    IwarpHelper::AssignStreams(nodes, 1);
    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, nodes);
    }

    Simulator::Stop(Seconds(10000));
    Simulator::Run();
    bool good = true;
    for (uint32_t i = 0; i < clients; i++)
    {
        const auto client = DynamicCast<RdmaStorageClient>(applications.clients.Get(i));
        std::cout << "client " << i << '\n';
        for (const auto& metric : client->GetMetrics())
        {
            std::cout << "  " << std::left << std::setw(20) << metric.name << metric.value << ' '
                      << metric.unit << '\n';
        }
        if (!client->IsFinished())
        {
            good = false;
            std::cout << "  failed: "
                      << (client->GetError().empty() ? "not over after 10000 s"
                                                     : client->GetError())
                      << '\n';
        }
    }
    Simulator::Destroy();
    return good ? 0 : 1;
}
