/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One end of a connection with a real machine, in real time: rping or perftest of Linux there, or
// the peer of test/interop, and here the same on simulated verbs; or Linux's host or target of
// NVMe/TCP there, and here the other. Frames go in UDP datagrams, as
// QEMU's `-netdev dgram` has them, or through a TAP device or a network interface. With --simulated
// both ends are in the simulation, which then takes no time of the clock.
//
//     machine ---frames--- host
//     machine ---frames--- edge ---1 Gbit/s, loss--- host      --gateway

#include "live/live-conformance.h"
#include "live/live-initiator.h"
#include "live/live-nvme.h"
#include "live/live-perftest.h"
#include "live/live-ping.h"
#include "live/live-work.h"

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/esp-algorithm.h"
#include "ns3/fd-net-device.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipsec-stack.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/iwarp-emulation-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/path-random-impairment.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <arpa/inet.h>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Where the simulation is joined to the machine, and what is between that and the host.
struct Settings
{
    bool simulated{false};            ///< both ends are here
    uint16_t localPort{20002};        ///< UDP port of this side
    uint16_t remotePort{20001};       ///< UDP port of the machine
    std::string tap;                  ///< TAP device, instead of UDP
    std::string interface;            ///< network interface, instead of UDP
    std::string address{"10.8.0.1"};  ///< of this side, in a network of 24 bits
    uint16_t mtu{1500};               ///< octets
    bool gateway{false};              ///< a router and a link with impairments are between
    std::string rnic;                 ///< profile of the host's RNIC
    std::string esp;                  ///< transform of ESP with static keys
    std::string espMode{"transport"}; ///< transport or tunnel
    std::string espKey;               ///< of the cipher, with its salt, in hexadecimal digits
    std::string espIntegrityKey;      ///< of the integrity algorithm, if there is one
    std::string pcap;                 ///< beginning of pcap files' names
    double stop{60};                  ///< s, most that a run takes

    void AddTo(CommandLine& cmd); ///< Add options. @param cmd where
    bool Check() const;           ///< @return false if a message was printed
};

void
Settings::AddTo(CommandLine& cmd)
{
    cmd.AddValue("simulated", "have both ends in the simulation", simulated);
    cmd.AddValue("localPort", "UDP port of this side, on 127.0.0.1", localPort);
    cmd.AddValue("remotePort", "UDP port of the machine, on 127.0.0.1", remotePort);
    cmd.AddValue("tap", "TAP device that leads to the machine, instead of UDP", tap);
    cmd.AddValue("interface", "network interface of this machine, instead of UDP", interface);
    cmd.AddValue("address", "IPv4 address of this side, whose network has 24 bits", address);
    cmd.AddValue("mtu", "MTU, octets", mtu);
    cmd.AddValue("gateway", "put a router and a link with impairments before the host", gateway);
    cmd.AddValue("rnic", "RNIC of the host: ideal, t5-like, e810-like, siw-like; or none", rnic);
    cmd.AddValue("esp", "protect TCP by ESP with static keys: aes-gcm-16-128, ...", esp);
    cmd.AddValue("espMode", "transport or tunnel", espMode);
    cmd.AddValue("espKey", "key of the cipher, its salt behind it, hexadecimal", espKey);
    cmd.AddValue("espIntegrityKey", "key of the integrity algorithm, hexadecimal", espIntegrityKey);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.AddValue("stop", "s, most that the run takes", stop);
}

bool
Settings::Check() const
{
    const auto transforms = GetEspTransformNames();
    if ((!esp.empty() &&
         std::find(transforms.begin(), transforms.end(), esp) == transforms.end()) ||
        (espMode != "transport" && espMode != "tunnel") || mtu < 576 ||
        (!rnic.empty() && !RnicProfile::Has(rnic)) || (!esp.empty() && !EspCodec::HasReal()))
    {
        std::cerr << "--esp takes a cipher such as aes-cbc-128/hmac-sha1-96 and needs OpenSSL, "
                     "--espMode transport or tunnel, --mtu 576 to 65535, --rnic a profile\n";
        return false;
    }
    in_addr own{};
    const bool isAddress = inet_pton(AF_INET, address.c_str(), &own) == 1;
    const uint32_t host = ntohl(own.s_addr) & 0xFF;
    if (!isAddress || host == 0 || host == 0xFF)
    {
        std::cerr << "--address takes an IPv4 address of a host, such as 10.8.0.1\n";
        return false;
    }
    if (!tap.empty() && !interface.empty())
    {
        std::cerr << "--tap and --interface are two ways to the machine: give one\n";
        return false;
    }
    return true;
}

/// @param digits two for an octet @return the octets
std::vector<uint8_t>
FromHex(const std::string& digits)
{
    std::vector<uint8_t> octets;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    {
        octets.push_back(static_cast<uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    }
    return octets;
}

/// Protect TCP with the machine by associations with static keys; SPIs are 0x1001 out, 0x2001 in.
/// @param host where @param settings which @param options with the peer
void
Protect(Ptr<Node> host, const Settings& settings, const live::Options& options)
{
    const IpsecAddress here(options.IsIpv6() ? "fd08::1" : settings.address.c_str());
    const IpsecAddress there(options.peer.c_str());
    IpsecPolicy policy;
    policy.action = IpsecAction::PROTECT;
    policy.mode = settings.espMode == "tunnel" ? IpsecMode::TUNNEL : IpsecMode::TRANSPORT;
    policy.transform = FindEspTransform(settings.esp);
    policy.selector.protocol = 6;
    if (policy.mode == IpsecMode::TUNNEL)
    {
        policy.tunnelSource = here;
        policy.tunnelDestination = there;
    }
    IpsecAssociationConfig association;
    association.mode = policy.mode;
    association.transform = policy.transform;
    association.codec = EspCodec::Mode::REAL;
    association.keys.cipher = FromHex(settings.espKey);
    association.keys.integrity = FromHex(settings.espIntegrityKey);

    const auto ipsec = CreateObject<IpsecStack>();
    ipsec->Install(host);
    const auto index = ipsec->GetPolicies().Add(policy, association);
    auto& associations = ipsec->GetAssociations();
    association.spi = 0x1001;
    association.source = here;
    association.destination = there;
    bool good = associations.AddOutbound(association, index, {here, there, 6});
    association.spi = 0x2001;
    association.source = there;
    association.destination = here;
    good = associations.AddInbound(association) && good;
    NS_ABORT_MSG_IF(!good, "an SPI is there twice");
}

/// Print what ESP has done. @param host where
void
PrintEsp(Ptr<Node> host)
{
    const auto& counters = host->GetObject<IpsecStack>()->GetCounters();
    std::cout << "ESP sealed " << counters.sealed << " opened " << counters.opened << " dropped";
    for (int i = 1; i < static_cast<int>(IpsecDrop::COUNT); i++)
    {
        const auto drop = static_cast<IpsecDrop>(i);
        if (counters.GetDropped(drop) > 0)
        {
            std::cout << ' ' << ToString(drop) << ' ' << counters.GetDropped(drop);
        }
    }
    std::cout << '\n';
}

/// Open what leads to the machine. @param settings how @param [out] problem in a line
/// @return file descriptor, or -1
int
OpenWay(const Settings& settings, std::string& problem)
{
    if (!settings.interface.empty())
    {
        return IwarpEmulationHelper::OpenInterface(settings.interface, problem);
    }
    return settings.tap.empty()
               ? IwarpEmulationHelper::OpenUdp(settings.localPort, settings.remotePort, problem)
               : IwarpEmulationHelper::OpenTap(settings.tap, problem);
}

/// @param address of IPv4 @return a locally administered one of Ethernet, as no other host of the
/// network has it
Mac48Address
MakeMac(Ipv4Address address)
{
    uint8_t octets[6] = {2};
    address.Serialize(octets + 2);
    Mac48Address mac;
    mac.CopyFrom(octets);
    return mac;
}

/// Make the device that leads to the machine, or end. @param edge where @param settings how
void
JoinMachine(Ptr<Node> edge, const Settings& settings)
{
    std::string problem;
    const int descriptor = OpenWay(settings, problem);
    if (descriptor < 0)
    {
        std::cerr << problem << '\n';
        std::exit(2);
    }
    IwarpEmulationHelper emulation;
    emulation.SetMtu(settings.mtu);
    const NetDeviceContainer wire(emulation.Install<FdNetDevice>(edge, descriptor));
    const Ipv4Address own(settings.address.c_str());
    wire.Get(0)->SetAddress(MakeMac(own));
    const Ipv4Mask mask("255.255.255.0");
    Ipv4AddressHelper(own.CombineMask(mask), mask, Ipv4Address(own.Get() & mask.GetInverse()))
        .Assign(wire);
    const auto ipv6 = edge->GetObject<Ipv6>();
    Ipv6AddressHelper().AssignWithoutAddress(wire);
    const auto interface = static_cast<uint32_t>(ipv6->GetInterfaceForDevice(wire.Get(0)));
    ipv6->AddAddress(interface, Ipv6InterfaceAddress("fd08::1", Ipv6Prefix(64)));
}

/// Link two nodes, 10.9.0.1 and 10.9.0.2. @param nodes they @param settings its MTU
/// @return its devices
NetDeviceContainer
Link(const NodeContainer& nodes, const Settings& settings)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(settings.mtu));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    const NetDeviceContainer devices = link.Install(nodes);
    Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(devices);
    return devices;
}

/// Make the network. @param settings of it @return the hosts: that of the role, and with
/// --simulated that of its peer
NodeContainer
MakeNetwork(const Settings& settings)
{
    NodeContainer nodes(settings.simulated || settings.gateway ? 2 : 1);
    InternetStackHelper().Install(nodes);
    if (settings.simulated)
    {
        Link(nodes, settings);
        return nodes;
    }
    JoinMachine(nodes.Get(0), settings);
    if (!settings.gateway)
    {
        return nodes;
    }
    const NetDeviceContainer devices = Link(nodes, settings);
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        CreateObject<PathRandomImpairment>()->Install(
            devices.Get(i)); // its defaults say what it does
    }
    Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(nodes.Get(1)->GetObject<Ipv4>())->SetDefaultRoute("10.9.0.1", 1);
    return NodeContainer(nodes.Get(1));
}

/// One end, of whatever kind.
struct End
{
    std::shared_ptr<void> object; ///< keeps it
    std::function<void()> start;  ///< begin
    std::function<bool()> isDone; ///< whether all is done
};

/// Make an end. @tparam T its class @tparam START begins it @param node host
/// @param options what it does @param report where it tells of it @return it
template <class T, auto START>
End
MakeEnd(Ptr<Node> node, const live::Options& options, live::Report& report)
{
    auto end = std::make_shared<T>(node, options, report);
    return {end, [end]() { ((*end).*START)(); }, [end]() { return end->IsDone(); }};
}

/// Make an end of a role. @param role such as "ping-server" @param node host @param options what it
/// does @param report where it tells of it @return it; without an object if there is no such role
End
MakeRole(const std::string& role,
         Ptr<Node> node,
         const live::Options& options,
         live::Report& report)
{
    using namespace live;
    using Make = End (*)(Ptr<Node>, const Options&, Report&);
    static const std::map<std::string, Make> makers{
        {"ping-server", &MakeEnd<PingServer, &PingServer::Listen>},
        {"ping-client", &MakeEnd<PingClient, &PingClient::Connect>},
        {"work-server", &MakeEnd<WorkServer, &WorkServer::Listen>},
        {"work-client", &MakeEnd<WorkClient, &WorkClient::Connect>},
        {"perftest-server", &MakeEnd<PerftestServer, &PerftestServer::Listen>},
        {"perftest-client", &MakeEnd<PerftestClient, &PerftestClient::Connect>},
        {"nvme-server", &MakeEnd<NvmeServer, &NvmeServer::Listen>},
        {"nvme-client", &MakeEnd<NvmeClient, &NvmeClient::Connect>},
        {"conformance-server", &MakeEnd<ConformanceServer, &ConformanceServer::Listen>},
        {"conformance-client", &MakeEnd<ConformanceClient, &ConformanceClient::Begin>},
        {"initiator-server", &MakeEnd<InitiatorServer, &InitiatorServer::Listen>},
        {"initiator-client", &MakeEnd<InitiatorClient, &InitiatorClient::Connect>},
    };
    const auto found = makers.find(role);
    return found == makers.end() ? End{} : found->second(node, options, report);
}

/// @param role such as "ping-server" @return "ping-client"
std::string
GetOtherRole(const std::string& role)
{
    const auto dash = role.find('-') + 1;
    return role.substr(0, dash) + (role.substr(dash) == "server" ? "client" : "server");
}

} // namespace

int
main(int argc, char* argv[])
{
    live::Options options;
    Settings settings;
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::MpaStream::Markers", BooleanValue(false)); // Linux has none
    CommandLine cmd(__FILE__);
    cmd.Usage("One end of rping, perftest, NVMe/TCP or other work, with a real machine.\n\n"
              "Connections are as the attributes of ns-3 say: --ns3::MpaStream::Crc=false,\n"
              "--ns3::RdmaConnection::PeerToPeer=true, --ns3::PathRandomImpairment::Loss=0.02.");
    options.AddTo(cmd);
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
    if (!settings.simulated)
    {
        IwarpEmulationHelper::UseRealTime();
    }

    const NodeContainer hosts = MakeNetwork(settings);
    IwarpHelper().Install(hosts);
    if (!settings.rnic.empty())
    {
        RnicHelper(settings.rnic).Install(hosts);
    }
    if (!settings.esp.empty())
    {
        Protect(hosts.Get(0), settings, options);
    }
    if (!settings.pcap.empty())
    {
        IwarpHelper::EnablePcap(settings.pcap, hosts);
    }

    live::Report report;
    std::vector<End> ends{MakeRole(options.role, hosts.Get(0), options, report)};
    if (settings.simulated)
    {
        options.peer = options.role.find("server") == std::string::npos ? "10.9.0.2" : "10.9.0.1";
        ends.push_back(MakeRole(GetOtherRole(options.role), hosts.Get(1), options, report));
    }
    bool client = options.role.find("client") != std::string::npos;
    for (const auto& end : ends)
    {
        if (!end.object)
        {
            std::cerr << "--role is ping-, work-, perftest-, nvme-, conformance- or initiator-, "
                         "and server or client\n";
            return 2;
        }
        Simulator::Schedule(MilliSeconds(client ? 50 : 1), end.start);
        client = !client;
    }
    Simulator::Stop(Seconds(settings.stop));
    std::cout << "READY" << std::endl;
    Simulator::Run();
    bool done = true;
    for (const auto& end : ends)
    {
        done = done && end.isDone();
    }
    const bool good = report.Conclude(done);
    if (!settings.esp.empty())
    {
        PrintEsp(hosts.Get(0));
    }
    Simulator::Destroy();
    return good ? 0 : 1;
}
