/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The tests of the perftest suite between hosts on one switch, with perftest's options and tables.
//
//     host 0 ---+
//     host 1 ---+--- router     rate, delay: each host's link
//     ...    ---+

#include "ns3/app-attribute-text.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

namespace
{

/// Set an attribute of the client from text. @param helper helper @param name attribute
/// @param text value @return true if the attribute takes it; otherwise a message was printed
bool
SetClient(RdmaPerfHelper& helper, const std::string& name, const std::string& text)
{
    TypeId::AttributeInformation info;
    RdmaPerfClient::GetTypeId().LookupAttributeByName(name, &info);
    std::string problem;
    const Ptr<AttributeValue> value = iwarp::ParseAttribute(info, text, problem);
    if (!value)
    {
        std::cerr << problem << '\n';
        return false;
    }
    helper.SetClientAttribute(name, *value);
    return true;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string pattern = "pair";
    uint32_t hosts = 2;
    DataRate rate("10Gbps");
    std::string delayText = "5us";
    uint32_t mtu = 1500;
    uint32_t buffer = 1048576;
    bool markers = true;
    bool crc = true;
    bool ipv6 = false;
    std::string pcap;

    // option, attribute of RdmaPerfClient, value
    struct
    {
        const char* option;
        const char* attribute;
        const char* help;
        std::string value;
    } options[] = {
        {"test", "Test", "send_, write_, read_ or atomic_, with bw or lat", "send_bw"},
        {"size", "Size", "octets of a message; 0: 65536 for bandwidth, 2 for latency", "0"},
        {"iters", "Iterations", "messages a queue pair and direction", "1000"},
        {"warm-up", "WarmUp", "of these, messages that do not count", "0"},
        {"duration", "Duration", "send for so long, instead of iters", "0s"},
        {"tx-depth", "TxDepth", "most sends posted", "128"},
        {"qp", "Qp", "queue pairs", "1"},
        {"bidirectional", "Bidirectional", "both ends send", "false"},
        {"inline_size", "InlineSize", "longest message sent inline, octets", "0"},
        {"cq-mod", "CqMod", "every so many sends are signaled", "1"},
        {"post_list", "PostList", "sends posted together", "1"},
        {"outs", "Outs", "most Reads and Atomics under way", "16"},
        {"atomic_type", "AtomicType", "FETCH_AND_ADD or CMP_AND_SWAP", "FETCH_AND_ADD"},
        {"noPeak", "NoPeak", "do not look for the peak", "false"},
    };

    CommandLine cmd(__FILE__);
    cmd.AddValue("pattern", "pair (host 0 to host 1), incast (all to host 0), mesh", pattern);
    cmd.AddValue("hosts", "hosts", hosts);
    cmd.AddValue("rate", "rate of each host's link", rate);
    cmd.AddValue("delay", "propagation delay of each host's link", delayText);
    cmd.AddValue("mtu", "MTU of the links, octets", mtu);
    cmd.AddValue("buffer", "TCP send and receive buffers, octets", buffer);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("crc", "use CRC32c", crc);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    for (auto& option : options)
    {
        cmd.AddValue(option.option, option.help, option.value);
    }
    cmd.Parse(argc, argv);

    Time delay;
    const bool known = pattern == "pair" || pattern == "incast" || pattern == "mesh";
    if (!known || hosts < 2 || hosts > 1000 || mtu < (ipv6 ? 1280 : 576) || mtu > 65535 ||
        buffer < 65536 || !iwarp::ParseTime(delayText, delay))
    {
        std::cerr
            << "--pattern takes pair, incast or mesh, --hosts 2 to 1000, --mtu 576 (1280 with "
               "--ipv6) to 65535, --buffer at least 65536, --delay a time such as 5us\n";
        return 2;
    }

    IwarpNetwork network(ipv6);
    network.AddRouter();
    NodeContainer nodes;
    for (uint32_t i = 0; i < hosts; i++)
    {
        nodes.Add(network.GetHost(network.AddHost(0, {rate, delay, QueueSize("1000p"), mtu})));
    }
    network.InstallRoutes();

    RdmaPerfHelper helper;
    for (const auto& option : options)
    {
        if (!SetClient(helper, option.attribute, option.value))
        {
            return 2;
        }
    }
    helper.SetIpv6(ipv6);
    helper.SetStreamAttribute("Markers", BooleanValue(markers));
    helper.SetStreamAttribute("Crc", BooleanValue(crc));
    helper.SetSocketAttribute("SndBufSize", UintegerValue(buffer));
    helper.SetSocketAttribute("RcvBufSize", UintegerValue(buffer));

    const uint16_t port = 20049;
    RdmaApplications applications;
    if (pattern == "mesh")
    {
        applications = helper.ConnectMesh(nodes, port);
    }
    else if (pattern == "incast")
    {
        NodeContainer clients;
        for (uint32_t i = 1; i < hosts; i++)
        {
            clients.Add(nodes.Get(i));
        }
        applications = helper.ConnectIncast(clients, nodes.Get(0), port);
    }
    else
    {
        applications = helper.Connect(nodes.Get(0), nodes.Get(1), port);
    }
    applications.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique

    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, nodes);
    }
    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    bool good = true;
    for (uint32_t i = 0; i < applications.clients.GetN(); i++)
    {
        const auto client = DynamicCast<RdmaPerfClient>(applications.clients.Get(i));
        if (applications.clients.GetN() > 1)
        {
            std::cout << "host " << client->GetNode()->GetId() - nodes.Get(0)->GetId() << '\n';
        }
        if (client->IsFinished())
        {
            std::cout << client->GetReport();
        }
        else
        {
            good = false;
            std::cout << "failed: "
                      << (client->GetError().empty() ? "not over after 1000 s" : client->GetError())
                      << '\n';
        }
    }
    Simulator::Destroy();
    return good ? 0 : 1;
}
