/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-network.h"

#include "iwarp-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3
{
namespace
{

constexpr uint32_t HOSTS = 0x0A000000;           //!< 10.0.0.0
constexpr uint32_t LINKS = 0xAC100000;           //!< 172.16.0.0
constexpr uint64_t PREFIX6 = 0xFD00000000000000; //!< fd00::, as ns-3 forwards no 2001:db8::

/// @param high upper 64 bits @param low lower 64 bits @return the address
Ipv6Address
MakeIpv6(uint64_t high, uint64_t low)
{
    uint8_t octets[16];
    for (int i = 0; i < 8; i++)
    {
        octets[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
        octets[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
    }
    return Ipv6Address(octets);
}

} // namespace

IwarpNetwork::IwarpNetwork(bool ipv6)
    : m_ipv6(ipv6)
{
}

IwarpNetwork::~IwarpNetwork() = default;

Ptr<Node>
IwarpNetwork::MakeNode() const
{
    Ptr<Node> node = CreateObject<Node>();
    InternetStackHelper stack;
    stack.SetIpv4StackInstall(!m_ipv6);
    stack.SetIpv6StackInstall(m_ipv6);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.SetRoutingHelper(Ipv6StaticRoutingHelper());
    stack.Install(node);
    if (m_ipv6)
    {
        // Addresses are unique by construction: usable at once, without detection of duplicates.
        // Hosts count as forwarding too, or they would solicit routers again and again.
        node->GetObject<Icmpv6L4Protocol>()->SetAttribute("DAD", BooleanValue(false));
        node->GetObject<Ipv6>()->SetAttribute("IpForward", BooleanValue(true));
    }
    return node;
}

NetDeviceContainer
IwarpNetwork::Join(Ptr<Node> a, Ptr<Node> b, const Link& link)
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(link.mtu));
    helper.SetChannelAttribute("Delay", TimeValue(link.delay));
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(link.queue));
    return helper.Install(a, b);
}

void
IwarpNetwork::Assign(Ptr<NetDevice> device, uint32_t v4, std::pair<uint64_t, uint64_t> v6) const
{
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = device->GetNode()->GetObject<Ipv6>();
        const uint32_t interface = ipv6->AddInterface(device);
        ipv6->AddAddress(interface,
                         Ipv6InterfaceAddress(MakeIpv6(v6.first, v6.second), Ipv6Prefix(64)));
        ipv6->SetMetric(interface, 1);
        ipv6->SetUp(interface);
    }
    else
    {
        Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
        const uint32_t interface = ipv4->AddInterface(device);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(Ipv4Address(v4), Ipv4Mask("/30")));
        ipv4->SetMetric(interface, 1);
        ipv4->SetUp(interface);
    }
}

uint32_t
IwarpNetwork::AddRouter()
{
    NS_ABORT_MSG_IF(m_routers.GetN() >= 256, "IwarpNetwork: at most 256 routers");
    m_routers.Add(MakeNode());
    m_hostsOf.push_back(0);
    return m_routers.GetN() - 1;
}

uint32_t
IwarpNetwork::AddLink(uint32_t a, uint32_t b, const Link& link)
{
    NS_ABORT_MSG_IF(a == b || a >= m_routers.GetN() || b >= m_routers.GetN(),
                    "IwarpNetwork: a link joins two routers that are there");
    const auto index = static_cast<uint32_t>(m_edges.size());
    const NetDeviceContainer devices = Join(m_routers.Get(a), m_routers.Get(b), link);
    Assign(devices.Get(0), LINKS + 4 * index + 1, {PREFIX6 | index, 1});
    Assign(devices.Get(1), LINKS + 4 * index + 2, {PREFIX6 | index, 2});
    m_edges.push_back({a, b, link.delay, devices});
    return index;
}

uint32_t
IwarpNetwork::AddHost(uint32_t router, const Link& link)
{
    NS_ABORT_MSG_IF(router >= m_routers.GetN(), "IwarpNetwork: no such router");
    NS_ABORT_MSG_IF(m_hostsOf[router] >= 16384, "IwarpNetwork: at most 16384 hosts a router");
    const uint32_t j = m_hostsOf[router]++;
    Ptr<Node> node = MakeNode();
    IwarpHelper().Install(node);
    const NetDeviceContainer devices = Join(m_routers.Get(router), node, link);
    const uint32_t v4 = HOSTS + (router << 16) + 4 * j;
    const uint64_t v6 = PREFIX6 | (uint64_t{router} + 1) << 16 | j;
    Assign(devices.Get(0), v4 + 1, {v6, 1});
    Assign(devices.Get(1), v4 + 2, {v6, 2});
    Address address;
    if (m_ipv6)
    {
        address = MakeIpv6(v6, 2);
        Ipv6StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv6>())
            ->SetDefaultRoute(MakeIpv6(v6, 1), 1);
    }
    else
    {
        address = Ipv4Address(v4 + 2);
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv4>())
            ->SetDefaultRoute(Ipv4Address(v4 + 1), 1);
    }
    m_hosts.push_back({node, router, devices.Get(1), link.delay, address});
    return static_cast<uint32_t>(m_hosts.size() - 1);
}

void
IwarpNetwork::InstallRoutes()
{
    for (uint32_t router = 0; router < m_routers.GetN(); router++)
    {
        InstallRoutesTo(router);
    }
}

void
IwarpNetwork::InstallRoutesTo(uint32_t target)
{
    // Bellman and Ford's algorithm. Links are the same both ways, so the link over which the path
    // from the target arrives is the first one of the path to it.
    const uint32_t n = m_routers.GetN();
    std::vector<Time> delays(n, Time::Max());
    std::vector<uint32_t> via(n);
    delays[target] = Time(0);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (uint32_t i = 0; i < m_edges.size(); i++)
        {
            const Edge& edge = m_edges[i];
            for (const auto& [from, to] :
                 std::array<std::pair<uint32_t, uint32_t>, 2>{{{edge.a, edge.b}, {edge.b, edge.a}}})
            {
                if (delays[from] != Time::Max() && delays[from] + edge.delay < delays[to])
                {
                    delays[to] = delays[from] + edge.delay;
                    via[to] = i;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t at = 0; at < n && m_hostsOf[target] > 0; at++)
    {
        if (at != target && delays[at] != Time::Max())
        {
            AddRoute(at, via[at], target);
        }
    }
    m_delays.push_back(delays);
}

void
IwarpNetwork::AddRoute(uint32_t at, uint32_t via, uint32_t target)
{
    const Edge& edge = m_edges[via];
    const bool forth = edge.a == at;
    Ptr<Node> node = m_routers.Get(at);
    Ptr<NetDevice> device = edge.devices.Get(forth ? 0 : 1);
    const uint32_t peer = forth ? 2 : 1;
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
        Ipv6StaticRoutingHelper().GetStaticRouting(ipv6)->AddNetworkRouteTo(
            MakeIpv6(PREFIX6 | (uint64_t{target} + 1) << 16, 0),
            Ipv6Prefix(48),
            MakeIpv6(PREFIX6 | via, peer),
            ipv6->GetInterfaceForDevice(device));
    }
    else
    {
        Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddNetworkRouteTo(
            Ipv4Address(HOSTS + (target << 16)),
            Ipv4Mask("/16"),
            Ipv4Address(LINKS + 4 * via + peer),
            ipv4->GetInterfaceForDevice(device));
    }
}

bool
IwarpNetwork::IsIpv6() const
{
    return m_ipv6;
}

uint32_t
IwarpNetwork::GetNHosts() const
{
    return static_cast<uint32_t>(m_hosts.size());
}

Ptr<Node>
IwarpNetwork::GetRouter(uint32_t i) const
{
    return m_routers.Get(i);
}

Ptr<Node>
IwarpNetwork::GetHost(uint32_t i) const
{
    return m_hosts.at(i).node;
}

Ptr<NetDevice>
IwarpNetwork::GetHostDevice(uint32_t i) const
{
    return m_hosts.at(i).device;
}

NetDeviceContainer
IwarpNetwork::GetLinkDevices(uint32_t i) const
{
    return m_edges.at(i).devices;
}

Address
IwarpNetwork::GetHostAddress(uint32_t i) const
{
    return m_hosts.at(i).address;
}

Address
IwarpNetwork::GetHostSocketAddress(uint32_t i, uint16_t port) const
{
    const Address& address = m_hosts.at(i).address;
    return m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::ConvertFrom(address), port))
                  : Address(InetSocketAddress(Ipv4Address::ConvertFrom(address), port));
}

Address
IwarpNetwork::GetAnySocketAddress(uint16_t port) const
{
    return m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                  : Address(InetSocketAddress(Ipv4Address::GetAny(), port));
}

Time
IwarpNetwork::GetPathDelay(uint32_t a, uint32_t b) const
{
    NS_ABORT_MSG_IF(m_delays.size() != m_routers.GetN(),
                    "IwarpNetwork::GetPathDelay: call InstallRoutes() first");
    const Host& from = m_hosts.at(a);
    const Host& to = m_hosts.at(b);
    return from.delay + m_delays[from.router][to.router] + to.delay;
}

} // namespace ns3
