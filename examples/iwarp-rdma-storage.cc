/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Storage clients that read and write at one server: requests in Sends, data inline or by RDMA.
//
//     client 0 ---+
//     client 1 ---+--- router --- server     rate, delay: each host's link
//     ...      ---+

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
    uint32_t clients{1};                     ///< clients, a host each
    DataRate rate{"10Gbps"};                 ///< rate of each host's link
    std::string delayText{"5us"};            ///< propagation delay of each host's link
    Time delay;                              ///< the same, once checked
    uint32_t mtu{1500};                      ///< MTU of the links, octets
    std::string sizes{"cdf:alistorage2019"}; ///< data of requests
    double readShare{0.7};                   ///< share of requests that read
    uint32_t depth{16};                      ///< requests of a client under way
    uint32_t threshold{4096};                ///< most octets of data in a Send
    uint64_t requests{1000};                 ///< requests of each client
    std::string serviceText{"0s"};           ///< time that the storage takes for a request
    Time service;                            ///< the same, once checked
    bool markers{true};                      ///< use Markers
    bool ipv6{false};                        ///< use IPv6 rather than IPv4
    std::string pcap;                        ///< beginning of pcap files' names

    void AddTo(CommandLine& cmd); ///< Add options. @param cmd where
    bool Check();                 ///< @return false if a message was printed
};

void
Settings::AddTo(CommandLine& cmd)
{
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
}

bool
Settings::Check()
{
    if (clients < 1 || clients > 1000 || mtu < (ipv6 ? 1280 : 576) || mtu > 65535 ||
        rate.GetBitRate() == 0 || !(readShare >= 0 && readShare <= 1) || depth < 1 || depth > 128 ||
        threshold > 8192 || requests < 1 || !iwarp::ParseTime(delayText, delay) ||
        !iwarp::ParseTime(serviceText, service))
    {
        std::cerr << "--clients takes 1 to 1000, --rate more than 0, --mtu 576 (1280 with --ipv6) "
                     "to 65535, --reads 0 to "
                     "1, --depth 1 to 128, --inline up to 8192, --requests at least 1, --delay and "
                     "--service times such as 5us\n";
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

/// Make clients and a server. @param settings what is wanted @param clients nodes of the clients
/// @param server node of the server @return applications
RdmaApplications
Connect(const Settings& settings, const NodeContainer& clients, Ptr<Node> server)
{
    Ptr<ConstantRandomVariable> serviceTime = CreateObject<ConstantRandomVariable>();
    serviceTime->SetAttribute("Constant", DoubleValue(settings.service.GetSeconds()));
    RdmaStorageHelper helper;
    helper.SetIpv6(settings.ipv6);
    helper.SetClientAttribute("ReadShare", DoubleValue(settings.readShare));
    helper.SetClientAttribute("QueueDepth", UintegerValue(settings.depth));
    helper.SetClientAttribute("InlineThreshold", UintegerValue(settings.threshold));
    helper.SetClientAttribute("MaxRequests", UintegerValue(settings.requests));
    helper.SetServerAttribute("ServiceTime", PointerValue(serviceTime));
    helper.SetStreamAttribute("Markers", BooleanValue(settings.markers));
    RdmaApplications applications = helper.ConnectIncast(clients, server, 20049);
    for (uint32_t i = 0; i < clients.GetN(); i++)
    {
        DynamicCast<RdmaStorageClient>(applications.clients.Get(i))
            ->SetMessageSizes(settings.sizes);
    }
    return applications;
}

/// Run the simulation and print the figures. @param clients clients @return false if one did not
/// end
bool
RunAndReport(const ApplicationContainer& clients)
{
    Simulator::Stop(Seconds(10000));
    Simulator::Run();
    bool good = true;
    for (uint32_t i = 0; i < clients.GetN(); i++)
    {
        const auto client = DynamicCast<RdmaStorageClient>(clients.Get(i));
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
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    Settings settings;
    CommandLine cmd(__FILE__);
    cmd.Usage(
        "Clients that read and write at one storage server, with data inline or by RDMA; prints "
        "rates and\nlatencies of each client.");
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
    NodeContainer clients;
    for (uint32_t i = 0; i <= settings.clients; i++)
    {
        nodes.Add(network.GetHost(
            network.AddHost(0, {settings.rate, settings.delay, QueueSize("1000p"), settings.mtu})));
        if (i < settings.clients)
        {
            clients.Add(nodes.Get(i));
        }
    }
    network.InstallRoutes();

    RdmaApplications applications = Connect(settings, clients, nodes.Get(settings.clients));
    applications.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique
    IwarpHelper::AssignStreams(nodes, 1);
    if (!settings.pcap.empty())
    {
        IwarpHelper::EnablePcap(settings.pcap, nodes);
    }
    return RunAndReport(applications.clients) ? 0 : 1;
}
