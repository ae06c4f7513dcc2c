/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-network.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/fifo-queue-disc.h"
#include "ns3/hash.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-routing-helper.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6.h"
#include "ns3/iwarp-helper.h"
#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/path-ecmp-routing.h"
#include "ns3/path-ethernet-channel.h"
#include "ns3/path-headroom.h"
#include "ns3/path-impairment.h"
#include "ns3/path-input-queue-disc.h"
#include "ns3/path-link-schedule.h"
#include "ns3/path-marking-queue-disc.h"
#include "ns3/path-middlebox.h"
#include "ns3/path-priority-queue-disc.h"
#include "ns3/path-random-impairment.h"
#include "ns3/path-ranks.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/red-queue-disc.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpNetwork");

namespace
{

/// Gives a node a routing protocol.
template <typename Base, typename Protocol, typename Routing>
class RouterHelper : public Base
{
  public:
    RouterHelper* Copy() const override
    {
        return new RouterHelper(*this);
    }

    Ptr<Protocol> Create(Ptr<Node> /* node */) const override
    {
        return CreateObject<Routing>();
    }
};

using RouterHelper4 = RouterHelper<Ipv4RoutingHelper, Ipv4RoutingProtocol, PathIpv4EcmpRouting>;
using RouterHelper6 = RouterHelper<Ipv6RoutingHelper, Ipv6RoutingProtocol, PathIpv6EcmpRouting>;

/// Make a port of a middlebox. @param node the middlebox's @param link that it ends
/// @return the device, without a channel
Ptr<PointToPointNetDevice>
MakePort(Ptr<Node> node, const IwarpNetwork::Link& link)
{
    Ptr<PointToPointNetDevice> port = CreateObject<PointToPointNetDevice>();
    port->SetAddress(Mac48Address::Allocate());
    port->SetDataRate(link.rate);
    port->SetMtu(static_cast<uint16_t>(link.mtu));
    Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(link.queue);
    port->SetQueue(queue);
    node->AddDevice(port);
    return port;
}

/// @param disc queue disc, or nullptr @param stream first random stream @return streams used
int64_t
AssignDiscStreams(const Ptr<QueueDisc>& disc, int64_t stream)
{
    if (auto priorities = DynamicCast<PathPriorityQueueDisc>(disc))
    {
        int64_t next = stream;
        for (std::size_t i = 0; i < priorities->GetNQueueDiscClasses(); i++)
        {
            next += AssignDiscStreams(priorities->GetQueueDiscClass(i)->GetQueueDisc(), next);
        }
        return next - stream;
    }
    if (auto red = DynamicCast<RedQueueDisc>(disc))
    {
        return red->AssignStreams(stream);
    }
    if (auto marking = DynamicCast<PathMarkingQueueDisc>(disc))
    {
        return marking->AssignStreams(stream);
    }
    auto pie = DynamicCast<PieQueueDisc>(disc);
    return pie ? pie->AssignStreams(stream) : 0;
}

/// @param link it @return its queue discs have priorities
bool
HasPriorities(const IwarpNetwork::Link& link)
{
    return link.priorities.GetCount() > 1 || link.pause.CountsAtInput() || link.hasAutoHeadroom ||
           link.buffer.size > 0;
}

/// @param link it @return when its routers have the other end pause
PathPause::Thresholds
GetThresholds(const IwarpNetwork::Link& link)
{
    PathPause::Thresholds thresholds = link.pause;
    if (link.hasAutoHeadroom)
    {
        thresholds.headroom =
            GetPauseHeadroom(link.rate, link.delay, link.mtu, link.framing, thresholds.response);
    }
    return thresholds;
}

/// @param link it @return one queue disc of it
Ptr<QueueDisc>
MakeSingleDisc(const IwarpNetwork::Link& link)
{
    if (link.queueDisc.IsTypeIdSet())
    {
        return link.queueDisc.Create<QueueDisc>();
    }
    auto disc = CreateObject<FifoQueueDisc>();
    disc->SetMaxSize(link.queue);
    return disc;
}

/// @param link it @param node that has the end @param router it is one @return queue disc of that
/// end
Ptr<QueueDisc>
MakeDisc(const IwarpNetwork::Link& link, const Ptr<Node>& node, bool router)
{
    constexpr uint32_t NO_LIMIT = 1U << 30; // packets or octets
    if (!HasPriorities(link))
    {
        return MakeSingleDisc(link);
    }
    const PathPause::Thresholds thresholds = GetThresholds(link);
    const bool limited = thresholds.headroom != PathBuffer::UNLIMITED;
    auto disc = CreateObject<PathPriorityQueueDisc>();
    disc->SetPriorities(link.priorities, [&](uint8_t priority) {
        if (router && link.pause.inputBuffer > 0)
        {
            auto turns = CreateObject<PathInputQueueDisc>();
            turns->SetNode(node->GetId());
            return Ptr<QueueDisc>(turns);
        }
        const Ptr<QueueDisc> single = MakeSingleDisc(link);
        // where the router's memory says what there is room for, only it does
        const bool lossless = limited && (thresholds.priorities >> priority & 1);
        if (router && (link.buffer.size > 0 || lossless))
        {
            single->SetMaxSize(QueueSize(single->GetMaxSize().GetUnit(), NO_LIMIT));
        }
        return single;
    });
    return disc;
}

/// Join two devices by a new channel. @param a device @param b device @param delay propagation
/// delay @param framing of the link
void
Attach(Ptr<PointToPointNetDevice> a, Ptr<PointToPointNetDevice> b, Time delay, PathFraming framing)
{
    if (framing == PathFraming::ETHERNET)
    {
        PathEthernetChannel::Join(a, b, delay);
        return;
    }
    NS_ABORT_MSG_IF(ranks::AreApart(a, b),
                    "IwarpNetwork: middleboxes between ranks need links of Ethernet framing");
    Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(delay));
    a->Attach(channel);
    b->Attach(channel);
}

/// @param ends of a link @return its devices from one end to the other, those of middleboxes too:
/// each two that follow are those of a part
std::vector<Ptr<PointToPointNetDevice>>
ListDevices(const NetDeviceContainer& ends)
{
    std::vector<Ptr<PointToPointNetDevice>> devices;
    auto from = DynamicCast<PointToPointNetDevice>(ends.Get(0));
    while (true)
    {
        const auto channel = DynamicCast<PointToPointChannel>(from->GetChannel());
        const auto to =
            channel->GetPointToPointDevice(channel->GetPointToPointDevice(0) == from ? 1 : 0);
        devices.insert(devices.end(), {from, to});
        if (to == ends.Get(1))
        {
            return devices;
        }
        const Ptr<Node> box = to->GetNode(); // whose devices are its two ports
        from = DynamicCast<PointToPointNetDevice>(box->GetDevice(box->GetDevice(0) == to ? 1 : 0));
    }
}

/// @param ends of a link @param delay propagation delay, which parts with boxes between share
void
SetDelay(const NetDeviceContainer& ends, Time delay)
{
    const auto devices = ListDevices(ends);
    const auto parts = static_cast<int64_t>(devices.size() / 2);
    const Time each = TimeStep(static_cast<uint64_t>(delay.GetTimeStep() / parts));
    for (std::size_t i = 0; i < devices.size(); i += 2)
    {
        const bool last = i + 2 == devices.size();
        devices[i]->GetChannel()->SetAttribute("Delay",
                                               TimeValue(last ? delay - (parts - 1) * each : each));
    }
}

} // namespace

IwarpNetwork::IwarpNetwork(bool ipv6)
    : m_ipv6(ipv6)
{
}

IwarpNetwork::~IwarpNetwork() = default;

Ptr<Node>
IwarpNetwork::MakeNode(bool router, uint32_t place) const
{
    Ptr<Node> node = CreateObject<Node>(place % ranks::GetCount());
    InternetStackHelper stack;
    stack.SetIpv4StackInstall(!m_ipv6);
    stack.SetIpv6StackInstall(m_ipv6);
    if (router)
    {
        stack.SetRoutingHelper(RouterHelper4());
        stack.SetRoutingHelper(RouterHelper6());
    }
    else
    {
        stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
        stack.SetRoutingHelper(Ipv6StaticRoutingHelper());
    }
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
IwarpNetwork::Join(Ptr<Node> a, Ptr<Node> b, const Link& link) const
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(link.mtu));
    helper.SetChannelAttribute("Delay", TimeValue(link.delay));
    // what waits is to wait where it can be chosen from: the device takes one packet ahead
    const bool hasDisc = link.queueDisc.IsTypeIdSet() || HasPriorities(link);
    helper.SetQueue("ns3::DropTailQueue",
                    "MaxSize",
                    QueueSizeValue(hasDisc ? QueueSize("1p") : link.queue));
    const NetDeviceContainer devices = helper.Install(a, b);
    for (uint32_t end = 0; hasDisc && end < 2; end++)
    {
        const Ptr<NetDevice> device = devices.Get(end);
        const bool router = HasPriorities(link) && m_routers.Contains(device->GetNode()->GetId());
        device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(
            device,
            MakeDisc(link, device->GetNode(), router));
    }
    if (link.framing == PathFraming::ETHERNET)
    {
        IwarpHelper::UseEthernet(devices);
    }
    return devices;
}

void
IwarpNetwork::Control(uint32_t router,
                      const NetDeviceContainer& devices,
                      uint32_t end,
                      const Link& link)
{
    const PathPause::Thresholds thresholds = GetThresholds(link);
    if (!thresholds.CountsAtInput() && link.buffer.size == 0)
    {
        return;
    }
    NS_ABORT_MSG_IF(ranks::AreApart(devices.Get(0), devices.Get(1)),
                    "IwarpNetwork: pauses do not cross ranks");
    m_memories.resize(m_routers.GetN());
    Ptr<PathPause>& memory = m_memories[router];
    memory = memory ? memory : Create<PathPause>(m_routers.Get(router), link.buffer);
    memory->AddPort(DynamicCast<PointToPointNetDevice>(devices.Get(end)),
                    DynamicCast<PointToPointNetDevice>(devices.Get(1 - end)),
                    thresholds,
                    link.delay);
    const std::string problem = memory->GetBuffer().Check();
    if (!problem.empty() && m_problem.empty())
    {
        m_problem = "router " + std::to_string(router) + ": " + problem;
    }
}

Time
IwarpNetwork::GetPaused() const
{
    Time total;
    for (const auto& memory : m_memories)
    {
        total += memory ? memory->GetPaused() : Time();
    }
    return total;
}

Time
IwarpNetwork::GetPaused(uint32_t link, uint32_t end) const
{
    const auto disc =
        DynamicCast<PathPriorityQueueDisc>(GetQueueDisc(GetLinkDevices(link).Get(end)));
    return disc ? disc->GetGate()->GetTotal() : Time();
}

const std::vector<Ptr<PathPause>>&
IwarpNetwork::GetMemories() const
{
    return m_memories;
}

void
IwarpNetwork::Assign(Ptr<NetDevice> device, const iwarp::AddressPlan::Pair& address) const
{
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = device->GetNode()->GetObject<Ipv6>();
        const uint32_t interface = ipv6->AddInterface(device);
        ipv6->AddAddress(interface, Ipv6InterfaceAddress(address.v6, Ipv6Prefix(64)));
        ipv6->SetMetric(interface, 1);
        ipv6->SetUp(interface);
    }
    else
    {
        Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
        const uint32_t interface = ipv4->AddInterface(device);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(address.v4, Ipv4Mask("/30")));
        ipv4->SetMetric(interface, 1);
        ipv4->SetUp(interface);
    }
}

void
IwarpNetwork::AssignRouter(uint32_t router,
                           const Ptr<NetDevice>& device,
                           const iwarp::AddressPlan::Pair& address)
{
    Assign(device, address);
    if (m_ipv6)
    {
        m_inputs6[router]->Add(device);
    }
    else
    {
        m_inputs4[router]->Add(device);
    }
}

uint32_t
IwarpNetwork::AddRouter()
{
    NS_ABORT_MSG_IF(m_routers.GetN() >= MAX_ROUTERS, "IwarpNetwork: too many routers");
    const Ptr<Node> node = MakeNode(true, m_routers.GetN());
    if (m_ipv6)
    {
        m_inputs6.push_back(Create<PathIpInput<Ipv6Traits>>(node));
    }
    else
    {
        m_inputs4.push_back(Create<PathIpInput<Ipv4Traits>>(node));
    }
    m_routers.Add(node);
    m_hostsOf.push_back(0);
    m_places.push_back(NONE);
    return m_routers.GetN() - 1;
}

uint32_t
IwarpNetwork::AddLink(uint32_t a, uint32_t b, const Link& asked)
{
    NS_LOG_FUNCTION(this << a << b);
    NS_ABORT_MSG_IF(a == b || a >= m_routers.GetN() || b >= m_routers.GetN(),
                    "IwarpNetwork: a link joins two routers that are there");
    const Link& link = Accept(asked);
    const Link cable = Lengthen(link);
    const uint32_t number = m_paths.AddLink(a, b, link.delay);
    const NetDeviceContainer devices = Join(m_routers.Get(a), m_routers.Get(b), cable);
    AssignRouter(a, devices.Get(0), iwarp::AddressPlan::GetLink(number, 1));
    AssignRouter(b, devices.Get(1), iwarp::AddressPlan::GetLink(number, 2));
    Control(a, devices, 0, cable);
    Control(b, devices, 1, cable);
    m_between.push_back(GetNLinks());
    m_cables.push_back({devices, link});
    return m_between.back();
}

uint32_t
IwarpNetwork::AddHost(uint32_t router, const Link& asked)
{
    using iwarp::AddressPlan;
    NS_LOG_FUNCTION(this << router);
    NS_ABORT_MSG_IF(router >= m_routers.GetN(), "IwarpNetwork: no such router");
    NS_ABORT_MSG_IF(m_hostsOf[router] >= AddressPlan::HOSTS_PER_ROUTER,
                    "IwarpNetwork: too many hosts at a router");
    uint32_t& place = m_places[router];
    if (place == NONE)
    {
        NS_ABORT_MSG_IF(m_nPlaces >= MAX_PLACES, "IwarpNetwork: too many routers with hosts");
        place = m_routers.GetN() > MAX_PLACES ? m_nPlaces : router;
        m_nPlaces++;
    }
    const Link& link = Accept(asked);
    const Link cable = Lengthen(link);
    const uint32_t number = m_hostsOf[router]++;
    Ptr<Node> node = MakeNode(false, router);
    const NetDeviceContainer devices = Join(m_routers.Get(router), node, cable);
    const auto gateway = AddressPlan::GetHost(place, number, 1);
    const auto address = AddressPlan::GetHost(place, number, 2);
    AssignRouter(router, devices.Get(0), gateway);
    Assign(devices.Get(1), address);
    AddHostRoute(router, devices.Get(0), address);
    Enter(node, router, address, gateway);
    Control(router, devices, 0, cable);
    m_cables.push_back({devices, link});
    return GetNHosts() - 1;
}

uint32_t
IwarpNetwork::AddHosts(const Link& asked)
{
    using iwarp::AddressPlan;
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_nLines >= AddressPlan::LINES, "IwarpNetwork: too many pairs of hosts");
    const Link& link = Accept(asked);
    const uint32_t number = m_nLines++;
    const Ptr<Node> nodes[] = {MakeNode(false, number), MakeNode(false, number)};
    const NetDeviceContainer devices = Join(nodes[0], nodes[1], Lengthen(link));
    const AddressPlan::Pair addresses[] = {AddressPlan::GetLine(number, 1),
                                           AddressPlan::GetLine(number, 2)};
    for (const uint32_t end : {0, 1})
    {
        Assign(devices.Get(end), addresses[end]);
        Enter(nodes[end], NONE, addresses[end], addresses[1 - end]);
        m_hosts.back().isA = end == 0;
    }
    m_cables.push_back({devices, link});
    return GetNHosts() - 2;
}

void
IwarpNetwork::Enter(Ptr<Node> node,
                    uint32_t router,
                    const iwarp::AddressPlan::Pair& address,
                    const iwarp::AddressPlan::Pair& gateway)
{
    IwarpHelper().Install(node);
    if (m_ipv6)
    {
        Ipv6StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv6>())
            ->SetDefaultRoute(gateway.v6, 1);
    }
    else
    {
        Ipv4StaticRoutingHelper()
            .GetStaticRouting(node->GetObject<Ipv4>())
            ->SetDefaultRoute(gateway.v4, 1);
    }
    m_hosts.push_back(
        {node, router, GetNLinks(), m_ipv6 ? Address(address.v6) : Address(address.v4)});
}

Ptr<Node>
IwarpNetwork::InsertMiddlebox(uint32_t link, Ptr<PathMiddlebox> middlebox)
{
    NS_LOG_FUNCTION(this << link << middlebox);
    NS_ABORT_MSG_IF(link >= GetNLinks(), "IwarpNetwork: no such link");
    const Cable& cable = m_cables[link];
    auto end = DynamicCast<PointToPointNetDevice>(cable.devices.Get(1));
    auto channel = DynamicCast<PointToPointChannel>(end->GetChannel());
    auto start = channel->GetPointToPointDevice(channel->GetPointToPointDevice(0) == end ? 1 : 0);
    TimeValue delay;
    channel->GetAttribute("Delay", delay);
    const Time half = TimeStep(delay.Get().GetTimeStep() / 2);
    Ptr<Node> node = CreateObject<Node>(start->GetNode()->GetSystemId());
    auto a = MakePort(node, cable.link);
    auto b = MakePort(node, cable.link);
    Attach(start, a, half, cable.link.framing);
    Attach(b, end, delay.Get() - half, cable.link.framing);
    middlebox->Install(a, b);
    m_middleboxes.push_back(middlebox);
    return node;
}

void
IwarpNetwork::Impair(uint32_t link, PathDirection direction, Ptr<PathImpairment> impairment)
{
    NS_LOG_FUNCTION(this << link << impairment);
    NS_ABORT_MSG_IF(link >= GetNLinks(), "IwarpNetwork: no such link");
    const bool installed =
        impairment->Install(m_cables[link].devices.Get(direction == PathDirection::A_TO_B ? 1 : 0));
    NS_ABORT_MSG_UNLESS(installed, "IwarpNetwork: the impairment is installed already");
}

int64_t
IwarpNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    for (const auto& cable : m_cables)
    {
        for (const uint32_t end : {1, 0})
        {
            PointerValue model;
            cable.devices.Get(end)->GetAttribute("ReceiveErrorModel", model);
            if (auto impairment = model.Get<PathImpairment>())
            {
                next += impairment->AssignStreams(next);
            }
        }
    }
    for (const auto& middlebox : m_middleboxes)
    {
        next += middlebox->AssignStreams(next);
    }
    for (const auto& cable : m_cables)
    {
        next += AssignDiscStreams(GetQueueDisc(cable.devices.Get(0)), next);
        next += AssignDiscStreams(GetQueueDisc(cable.devices.Get(1)), next);
    }
    return next - stream;
}

bool
IwarpNetwork::IsIpv6() const
{
    return m_ipv6;
}

uint32_t
IwarpNetwork::GetNRouters() const
{
    return m_routers.GetN();
}

uint32_t
IwarpNetwork::GetNHosts() const
{
    return static_cast<uint32_t>(m_hosts.size());
}

uint32_t
IwarpNetwork::GetNLinks() const
{
    return static_cast<uint32_t>(m_cables.size());
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
    const NetDeviceContainer& devices = m_cables[GetHostLink(i)].devices;
    return devices.Get(devices.Get(0)->GetNode() == GetHost(i) ? 0 : 1);
}

uint32_t
IwarpNetwork::GetHostLink(uint32_t i) const
{
    return m_hosts.at(i).link;
}

const IwarpNetwork::Link&
IwarpNetwork::GetLink(uint32_t i) const
{
    return m_cables.at(i).link;
}

NetDeviceContainer
IwarpNetwork::GetLinkDevices(uint32_t i) const
{
    return m_cables.at(i).devices;
}

Ptr<QueueDisc>
IwarpNetwork::GetQueueDisc(Ptr<NetDevice> device)
{
    return device->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(device);
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

// ---- routes and paths ---------------------------------------------------------------------------

void
IwarpNetwork::InstallRoutes()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_problem.empty(), "IwarpNetwork: " << m_problem);
    const uint32_t n = m_routers.GetN();
    std::vector<uint32_t> targets;
    for (uint32_t router = 0; router < n; router++)
    {
        if (m_hostsOf[router] > 0)
        {
            targets.push_back(router);
        }
    }
    m_paths.Compute(n, targets);
    for (const uint32_t target : targets)
    {
        for (uint32_t at = 0; at < n; at++)
        {
            const auto links = m_paths.GetFirstLinks(at, target);
            for (const uint32_t via : links)
            {
                AddRoute(at, via, target, links.size() > 1);
            }
        }
    }
    for (uint32_t router = 0; router < n; router++)
    {
        SetHashSeed(router);
    }
}

void
IwarpNetwork::AddRoute(uint32_t at, uint32_t via, uint32_t target, bool several)
{
    NS_LOG_FUNCTION(this << at << via << target << several);
    const bool forth = m_paths.GetEnds(via).first == at;
    Ptr<Node> node = m_routers.Get(at);
    Ptr<NetDevice> device = m_cables[m_between[via]].devices.Get(forth ? 0 : 1);
    const auto hosts = iwarp::AddressPlan::GetHosts(m_places[target]);
    const auto gateway = iwarp::AddressPlan::GetLink(via, forth ? 2 : 1);
    // ns-3's static route of the only next hop is for what has to leave by a device that it names
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
        auto routing = DynamicCast<PathIpv6EcmpRouting>(ipv6->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv6->GetInterfaceForDevice(device));
        routing->AddNextHop(hosts.v6, Ipv6Prefix(48), gateway.v6, interface);
        if (!several)
        {
            routing->AddNetworkRouteTo(hosts.v6, Ipv6Prefix(48), gateway.v6, interface);
        }
    }
    else
    {
        Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        auto routing = DynamicCast<PathIpv4EcmpRouting>(ipv4->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device));
        routing->AddNextHop(hosts.v4, Ipv4Mask("/16"), gateway.v4, interface);
        if (!several)
        {
            routing->AddNetworkRouteTo(hosts.v4, Ipv4Mask("/16"), gateway.v4, interface);
        }
    }
}

void
IwarpNetwork::AddHostRoute(uint32_t router,
                           const Ptr<NetDevice>& device,
                           const iwarp::AddressPlan::Pair& address)
{
    Ptr<Node> node = m_routers.Get(router);
    if (m_ipv6)
    {
        Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
        auto routing = DynamicCast<PathIpv6EcmpRouting>(ipv6->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv6->GetInterfaceForDevice(device));
        routing->AddNextHop(address.v6, Ipv6Prefix(128), Ipv6Address::GetAny(), interface);
    }
    else
    {
        Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        auto routing = DynamicCast<PathIpv4EcmpRouting>(ipv4->GetRoutingProtocol());
        const auto interface = static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device));
        routing->AddNextHop(address.v4, Ipv4Mask("/32"), Ipv4Address::GetAny(), interface);
    }
}

void
IwarpNetwork::SetHashSeed(uint32_t router)
{
    const UintegerValue seed(Hash64(std::to_string(RngSeedManager::GetSeed()) + ' ' +
                                    std::to_string(RngSeedManager::GetRun()) + ' ' +
                                    std::to_string(router)));
    Ptr<Node> node = m_routers.Get(router);
    if (m_ipv6)
    {
        node->GetObject<Ipv6>()->GetRoutingProtocol()->SetAttribute("HashSeed", seed);
    }
    else
    {
        node->GetObject<Ipv4>()->GetRoutingProtocol()->SetAttribute("HashSeed", seed);
    }
}

void
IwarpNetwork::UseFlowLabels()
{
    for (uint32_t router = 0; router < m_routers.GetN(); router++)
    {
        Ipv6FlowLabels::Install(m_routers.Get(router));
    }
    for (const auto& host : m_hosts)
    {
        Ipv6FlowLabels::Install(host.node);
    }
}

void
IwarpNetwork::SetDscp(uint32_t host, uint8_t dscp)
{
    if (const auto disc = DynamicCast<PathPriorityQueueDisc>(GetQueueDisc(GetHostDevice(host))))
    {
        disc->SetDscp(dscp);
    }
}

bool
IwarpNetwork::IsJoined(const Host& from, const Host& to) const
{
    return from.router == NONE || to.router == NONE ? from.link == to.link
                                                    : m_paths.IsReachable(from.router, to.router);
}

Time
IwarpNetwork::GetPathDelay(uint32_t a, uint32_t b) const
{
    NS_ABORT_MSG_UNLESS(m_paths.IsComputed(),
                        "IwarpNetwork::GetPathDelay: call InstallRoutes() first");
    const Host& from = m_hosts.at(a);
    const Host& to = m_hosts.at(b);
    if (!IsJoined(from, to))
    {
        return Time::Max();
    }
    if (from.router == NONE)
    {
        return m_cables[from.link].link.delay;
    }
    return m_cables[from.link].link.delay + m_paths.GetDelay(from.router, to.router) +
           m_cables[to.link].link.delay;
}

uint32_t
IwarpNetwork::CountRouters(uint32_t a, uint32_t b) const
{
    const Host& from = m_hosts.at(a);
    const Host& to = m_hosts.at(b);
    return from.router == NONE ? 0 : m_paths.CountLinks(from.router, to.router) + 1;
}

std::vector<IwarpNetwork::Hop>
IwarpNetwork::GetPath(uint32_t from, uint32_t to) const
{
    NS_ABORT_MSG_UNLESS(m_paths.IsComputed(), "IwarpNetwork::GetPath: call InstallRoutes() first");
    const Host& first = m_hosts.at(from);
    const Host& last = m_hosts.at(to);
    if (!IsJoined(first, last))
    {
        return {};
    }
    std::vector<Hop> path{GetHostHop(from, true)};
    if (first.router != NONE)
    {
        const auto& between = GetRoute(from, to).between;
        path.insert(path.end(), between.begin(), between.end());
        path.push_back(GetHostHop(to, false));
    }
    return path;
}

IwarpNetwork::Hop
IwarpNetwork::GetHostHop(uint32_t host, bool sent) const
{
    const Host& end = m_hosts.at(host);
    return {end.link, end.isA == sent ? PathDirection::A_TO_B : PathDirection::B_TO_A};
}

const IwarpNetwork::Route&
IwarpNetwork::GetRoute(uint32_t from, uint32_t to) const
{
    const Host& first = m_hosts.at(from);
    const Host& last = m_hosts.at(to);
    const bool routed = first.router != NONE;
    const auto [place, isNew] = m_routes.try_emplace(routed ? std::pair(first.router, last.router)
                                                            : std::pair(NONE, first.link));
    if (isNew && routed)
    {
        place->second = Walk(first.router, last.router);
    }
    return place->second;
}

IwarpNetwork::Route
IwarpNetwork::Walk(uint32_t from, uint32_t to) const
{
    Route route;
    std::set<uint32_t> seen{from};
    for (std::deque<uint32_t> left{from}; !left.empty(); left.pop_front())
    {
        const auto links = m_paths.GetFirstLinks(left.front(), to);
        route.divides = route.divides || links.size() > 1;
        for (const uint32_t number : links)
        {
            const auto& [a, b] = m_paths.GetEnds(number);
            const bool forth = a == left.front();
            route.between.push_back(
                {m_between[number], forth ? PathDirection::A_TO_B : PathDirection::B_TO_A});
            if (seen.insert(forth ? b : a).second)
            {
                left.push_back(forth ? b : a);
            }
        }
    }
    return route;
}

// ---- what links can be, and those that change while packets cross them --------------------------

std::string
IwarpNetwork::CheckDelay(Time delay)
{
    // seconds, since with the finest resolutions Time itself ends before that
    const double seconds = delay.GetSeconds();
    return delay.IsStrictlyNegative() || seconds > 1000000
               ? "its delay has to be 0 s to 1000000 s, not " + std::to_string(seconds) + " s"
               : "";
}

std::string
IwarpNetwork::CheckLink(const Link& link, bool ipv6)
{
    const uint32_t leastMtu = ipv6 ? 1280 : 68; // RFC 8200 section 5, RFC 791 section 3.2
    if (link.rate.GetBitRate() == 0)
    {
        return "its rate has to be more than 0";
    }
    if (link.mtu < leastMtu || link.mtu > UINT16_MAX)
    {
        return "its MTU has to be " + std::to_string(leastMtu) + " to 65535 octets, not " +
               std::to_string(link.mtu);
    }
    return link.queue.GetValue() == 0 ? "its queue has to hold a packet" : CheckDelay(link.delay);
}

const IwarpNetwork::Link&
IwarpNetwork::Accept(const Link& link)
{
    static const Link usual;
    const std::string problem = CheckLink(link, m_ipv6);
    if (!problem.empty() && m_problem.empty())
    {
        m_problem = "link " + std::to_string(GetNLinks()) + ": " + problem;
    }
    return problem.empty() ? link : usual;
}

const std::string&
IwarpNetwork::GetProblem() const
{
    return m_problem;
}

void
IwarpNetwork::LengthenCables(std::function<Time()> more)
{
    m_more = std::move(more);
}

IwarpNetwork::Link
IwarpNetwork::Lengthen(const Link& link) const
{
    Link cable = link;
    cable.delay += m_more ? m_more() : Time();
    return cable;
}

void
IwarpNetwork::ScheduleChanges(uint32_t link, const std::vector<PathLinkChange>& changes)
{
    using Kind = PathLinkChange::Kind;
    NS_LOG_FUNCTION(this << link << changes.size());
    NS_ABORT_MSG_IF(link >= GetNLinks(), "IwarpNetwork: no such link");
    const NetDeviceContainer devices = m_cables[link].devices;
    std::vector<Ptr<PathRandomImpairment>> cuts;
    const auto isCut = [](const auto& change) {
        return change.kind == Kind::DOWN || change.kind == Kind::UP;
    };
    if (std::any_of(changes.begin(), changes.end(), isCut))
    {
        for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
        {
            cuts.push_back(CreateObject<PathRandomImpairment>());
            cuts.back()->SetAttribute("Loss", DoubleValue(1));
            cuts.back()->SetAttribute("Packets", StringValue("all")); // whatever the default is
            cuts.back()->Disable();
            Impair(link, direction, cuts.back());
        }
    }
    for (const auto& change : changes)
    {
        // ranks run ahead of each other by the least delay that there is at the start
        NS_ABORT_MSG_IF(change.kind == Kind::DELAY && change.delay < GetLink(link).delay &&
                            ranks::AreApart(devices.Get(0), devices.Get(1)),
                        "IwarpNetwork: the delay of a link between ranks does not shrink");
        if (change.kind == Kind::RATE)
        {
            auto& rate = m_cables[link].link.rate;
            rate = std::max(rate, change.rate);
        }
        Simulator::Schedule(change.at, [devices, change, cuts] {
            switch (change.kind)
            {
            case Kind::RATE:
                for (const auto& device : ListDevices(devices))
                {
                    PathEthernetChannel::SetRate(device, change.rate);
                }
                break;
            case Kind::DELAY:
                SetDelay(devices, change.delay);
                break;
            case Kind::MTU:
                for (const auto& device : ListDevices(devices))
                {
                    device->SetMtu(static_cast<uint16_t>(change.mtu));
                }
                break;
            case Kind::DOWN:
            case Kind::UP:
                for (const auto& cut : cuts)
                {
                    change.kind == Kind::DOWN ? cut->Enable() : cut->Disable();
                }
                break;
            }
        });
    }
}

} // namespace ns3
