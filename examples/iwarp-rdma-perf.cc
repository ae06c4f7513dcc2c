/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The tests of the perftest suite between hosts on one switch, with perftest's options and tables.
//
//     host 0 ---+
//     host 1 ---+--- router     rate, delay: each host's link
//     ...    ---+

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// An option of perftest.
struct Option
{
    const char* name;      ///< its name
    char letter;           ///< its short name, or 0
    const char* attribute; ///< attribute of RdmaPerfClient
    const char* help;      ///< what it does
    std::string value;     ///< its value
    bool flag;             ///< stands by itself in perftest
};

/// Make "--size=64" of "-s 64" and of "--size 64", "--all=true" of "-a" and of "--all".
/// @param options options @param argc arguments @param argv arguments @return arguments for ns-3
std::vector<std::string>
Translate(const std::vector<Option>& options, int argc, char* argv[])
{
    std::vector<std::string> arguments;
    for (int i = 0; i < argc; i++)
    {
        std::string argument = argv[i];
        for (const auto& option : options)
        {
            const std::string name = std::string("--") + option.name;
            const bool shortened = argument.size() == 2 && argument[0] == '-' &&
                                   option.letter != 0 && argument[1] == option.letter;
            if ((shortened || argument == name) && (option.flag || i + 1 < argc))
            {
                argument = name + "=" + (option.flag ? "true" : argv[++i]);
                break;
            }
        }
        arguments.push_back(argument);
    }
    return arguments;
}

/// Set an attribute of the client, and the server's of the same name, from text. @param helper
/// helper @param name attribute
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
    if (name == "RxDepth")
    {
        helper.SetServerAttribute(name, *value);
    }
    return true;
}

/// Connect applications. @param helper makes them @param nodes hosts @param pattern which with
/// which
/// @return applications
RdmaApplications
Connect(const RdmaPerfHelper& helper, const NodeContainer& nodes, const std::string& pattern)
{
    const uint16_t port = 20049;
    if (pattern == "mesh")
    {
        return helper.ConnectMesh(nodes, port);
    }
    if (pattern == "pair")
    {
        return helper.Connect(nodes.Get(0), nodes.Get(1), port);
    }
    NodeContainer clients;
    for (uint32_t i = 1; i < nodes.GetN(); i++)
    {
        clients.Add(nodes.Get(i));
    }
    return helper.ConnectIncast(clients, nodes.Get(0), port);
}

/// Run the simulation and print the tables. @param applications what runs @param nodes hosts
/// @return false if a test did not end
bool
RunAndReport(const RdmaApplications& applications, const NodeContainer& nodes)
{
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
            RdmaPerfReport::PrintTable(std::cout, client->GetReports());
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
    return good;
}

/// What the program takes beside perftest's options.
struct Settings
{
    std::string pattern{"pair"};  ///< which hosts connect to which
    uint32_t hosts{2};            ///< hosts
    DataRate rate{"10Gbps"};      ///< rate of each host's link
    std::string delayText{"5us"}; ///< propagation delay of each host's link
    Time delay;                   ///< the same, once checked
    uint32_t mtu{1500};           ///< MTU of the links, octets
    uint32_t buffer{1048576};     ///< TCP send and receive buffers, octets
    bool markers{true};           ///< use Markers
    bool crc{true};               ///< use CRC32c
    bool ipv6{false};             ///< use IPv6 rather than IPv4
    std::string pcap;             ///< beginning of pcap files' names

    void AddTo(CommandLine& cmd); ///< Add options. @param cmd where
    bool Check();                 ///< @return false if a message was printed
};

void
Settings::AddTo(CommandLine& cmd)
{
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
}

bool
Settings::Check()
{
    const bool known = pattern == "pair" || pattern == "incast" || pattern == "mesh";
    if (!known || hosts < 2 || hosts > 1000 || mtu < (ipv6 ? 1280 : 576) || mtu > 65535 ||
        rate.GetBitRate() == 0 || buffer < 65536 || buffer > 1U << 30 ||
        !iwarp::ParseTime(delayText, delay))
    {
        std::cerr << "--pattern takes pair, incast or mesh, --hosts 2 to 1000, --rate more than 0, "
                     "--mtu 576 (1280 with "
                     "--ipv6) to 65535, --buffer 65536 to 1073741824, --delay a time such as 5us\n";
        return false;
    }
    return true;
}

/// @return perftest's options
std::vector<Option>
MakeOptions()
{
    return {
        {"test", 0, "Test", "send_, write_, read_ or atomic_, with bw or lat", "send_bw", false},
        {"size", 's', "Size", "octets; 0: 65536 for bandwidth, 2 for latency", "0", false},
        {"all", 'a', "All", "all sizes from 2 to 8388608 (2^23)", "false", true},
        {"iters", 'n', "Iterations", "messages a queue pair and direction", "1000", false},
        {"warm-up", 0, "WarmUp", "of these, messages that do not count", "0", false},
        {"duration", 'D', "Duration", "send for so long, instead of iters", "0s", false},
        {"tx-depth", 't', "TxDepth", "most sends posted", "128", false},
        {"rx-depth", 'r', "RxDepth", "receives posted, at both ends", "512", false},
        {"qp", 'q', "Qp", "queue pairs", "1", false},
        {"bidirectional", 'b', "Bidirectional", "both ends send", "false", true},
        {"inline_size", 'I', "InlineSize", "longest message sent inline, octets", "0", false},
        {"cq-mod", 'Q', "CqMod", "every so many sends are signaled", "1", false},
        {"post_list", 'l', "PostList", "sends posted together", "1", false},
        {"outs", 'o', "Outs", "most Reads and Atomics under way", "16", false},
        {"atomic_type", 'A', "AtomicType", "FETCH_AND_ADD, CMP_AND_SWAP", "FETCH_AND_ADD", false},
        {"noPeak", 'N', "NoPeak", "do not look for the peak", "false", true},
    };
}

} // namespace

int
main(int argc, char* argv[])
{
    Settings settings;
    std::vector<Option> options = MakeOptions();
    CommandLine cmd(__FILE__);
    cmd.Usage("The tests of the perftest suite between hosts on one router, with its options and "
              "tables.\n\n"
              "perftest's short options do as well: -a -n 100 -s 4096 -b -q 2.");
    settings.AddTo(cmd);
    for (auto& option : options)
    {
        const std::string letter =
            option.letter == 0 ? "" : std::string(" (-") + option.letter + ")";
        cmd.AddValue(option.name, option.help + letter, option.value);
    }
    cmd.Parse(Translate(options, argc, argv));
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
    for (uint32_t i = 0; i < settings.hosts; i++)
    {
        nodes.Add(network.GetHost(
            network.AddHost(0, {settings.rate, settings.delay, QueueSize("1000p"), settings.mtu})));
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
    helper.SetIpv6(settings.ipv6);
    helper.SetStreamAttribute("Markers", BooleanValue(settings.markers));
    helper.SetStreamAttribute("Crc", BooleanValue(settings.crc));
    helper.SetSocketAttribute("SndBufSize", UintegerValue(settings.buffer));
    helper.SetSocketAttribute("RcvBufSize", UintegerValue(settings.buffer));

    RdmaApplications applications = Connect(helper, nodes, settings.pattern);
    const auto first = DynamicCast<RdmaPerfClient>(applications.clients.Get(0));
    if (!first->Check().empty())
    {
        std::cerr << first->Check() << '\n';
        return 2;
    }
    applications.Start(Seconds(2)); // IPv6 addresses are usable once they are known to be unique
    if (!settings.pcap.empty())
    {
        IwarpHelper::EnablePcap(settings.pcap, nodes);
    }
    return RunAndReport(applications, nodes) ? 0 : 1;
}
