/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ipsec-input.h"
#include "ipsec-udp-errors.h"

#include "ns3/abort.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-ipv6-flow-labels.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecStack");
NS_OBJECT_ENSURE_REGISTERED(IpsecStack);

TypeId
IpsecStack::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IpsecStack")
            .SetParent<TcpDatagramSizes>()
            .SetGroupName("Iwarp")
            .AddConstructor<IpsecStack>()
            .AddAttribute("OtherTraffic",
                          "What happens to datagrams that no policy selects",
                          iwarp::MakeEnumValue(IpsecAction::BYPASS),
                          iwarp::MakeEnumAccessor(&IpsecStack::m_otherwise),
                          iwarp::MakeEnumChecker(IpsecAction::BYPASS,
                                                 "bypass",
                                                 IpsecAction::DISCARD,
                                                 "discard"))
            .AddAttribute("DontFragment",
                          "What the outer header of a tunnel over IPv4 says about fragments: what "
                          "the inner one does, that there must be none, or that there may be some "
                          "(RFC 4301 section 8.1)",
                          iwarp::MakeEnumValue(IpsecDontFragment::COPY),
                          iwarp::MakeEnumAccessor(&IpsecStack::m_dontFragment),
                          iwarp::MakeEnumChecker(IpsecDontFragment::COPY,
                                                 "copy",
                                                 IpsecDontFragment::SET,
                                                 "set",
                                                 IpsecDontFragment::CLEAR,
                                                 "clear"))
            .AddAttribute("Fragments",
                          "What is divided where a datagram that may be divided does not fit a "
                          "tunnel: the outer one, after ESP, or the inner one, before it",
                          iwarp::MakeEnumValue(IpsecFragments::AFTER_ESP),
                          iwarp::MakeEnumAccessor(&IpsecStack::m_fragments),
                          iwarp::MakeEnumChecker(IpsecFragments::AFTER_ESP,
                                                 "after",
                                                 IpsecFragments::BEFORE_ESP,
                                                 "before"))
            .AddAttribute("PathMtuAge",
                          "How long a path MTU counts that ICMP has told (RFC 1191 section 6.3)",
                          TimeValue(Minutes(10)),
                          MakeTimeAccessor(&IpsecStack::m_pathMtuAge),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MaxWaiting",
                          "Most datagrams that wait for one association; 0 has none wait, so that "
                          "those that ask for it are lost [packets]",
                          UintegerValue(64),
                          MakeUintegerAccessor(&IpsecStack::m_maxWaiting),
                          MakeUintegerChecker<uint32_t>(0, 65535))
            .AddAttribute("MaxAssociations",
                          "Most associations to send by, as hardware has room for; the one longest "
                          "unused goes when another comes, and its connections stay (RFC 5044 "
                          "section 9.4); 0: no limit [associations]",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IpsecStack::SetMaxAssociations,
                                               &IpsecStack::GetMaxAssociations),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Sealed",
                            "A packet is protected: what it was, and octets that go out",
                            MakeTraceSourceAccessor(&IpsecStack::m_sealedTrace),
                            "ns3::IpsecStack::SealedTracedCallback")
            .AddTraceSource("Drop",
                            "A packet is dropped: why, and the packet",
                            MakeTraceSourceAccessor(&IpsecStack::m_dropTrace),
                            "ns3::IpsecStack::DropTracedCallback");
    return tid;
}

IpsecStack::IpsecStack() = default;
IpsecStack::~IpsecStack() = default;

void
IpsecStack::Install(Ptr<Node> node)
{
    NS_ABORT_MSG_UNLESS(node->GetObject<TcpL4Protocol>(),
                        "node " << node->GetId() << " has no IP: install an internet stack first");
    NS_ABORT_MSG_IF(node->GetObject<IpsecStack>(), "node " << node->GetId() << " has IPsec");
    node->AggregateObject(this);
}

void
IpsecStack::NotifyNewAggregate()
{
    if (!m_ip.GetNode() && GetObject<Node>())
    {
        Start();
    }
    // these may come later
    m_ip.SetTable(PeekPointer(GetObject<TcpEndPointTable>()));
    m_ip.SetLabels(PeekPointer(GetObject<Ipv6FlowLabels>()));
    m_timing.SetEngine(GetObject<EspEngine>());
    TcpDatagramSizes::NotifyNewAggregate();
}

template <typename Ip>
void
IpsecStack::Insert(Ip* ip)
{
    if (!ip)
    {
        return;
    }
    const Ptr<IpL4Protocol> esp = CreateObject<IpsecInput>(this, ESP_PROTOCOL);
    ip->Insert(esp);
    if (const Ptr<IpL4Protocol> udp = ip->GetProtocol(UdpL4Protocol::PROT_NUMBER))
    {
        const Ptr<IpL4Protocol> within = CreateObject<IpsecInput>(this, udp->GetProtocolNumber());
        ip->Insert(CreateObject<IpsecUdpErrors>(within, udp));
    }
    const int ownIcmp = std::is_same_v<Ip, Ipv4L3Protocol> ? Ipv4Traits::ICMP : Ipv6Traits::ICMP;
    for (const int protocol : {+TcpL4Protocol::PROT_NUMBER, +UdpL4Protocol::PROT_NUMBER, ownIcmp})
    {
        Ptr<IpL4Protocol> input = CreateObject<IpsecInput>(this, protocol);
        if (const auto icmp = DynamicCast<Icmpv6L4Protocol>(ip->GetProtocol(protocol)))
        {
            input = CreateObject<IpsecIcmpv6Input>(icmp, input);
        }
        for (uint32_t i = 1; i < ip->GetNInterfaces(); i++) // 0 is loopback
        {
            ip->Insert(input, i);
        }
    }
}

void
IpsecStack::Start()
{
    NS_LOG_FUNCTION(this);
    m_ip.Start(PeekPointer(GetObject<Node>()));
    Watch();
    Ipv4L3Protocol* ip4 = m_ip.GetIp<Ipv4Traits>();
    Ipv6L3Protocol* ip6 = m_ip.GetIp<Ipv6Traits>();
    Insert(ip4);
    Insert(ip6);
    for (const int number : {+TcpL4Protocol::PROT_NUMBER, +UdpL4Protocol::PROT_NUMBER})
    {
        const Ptr<IpL4Protocol> protocol =
            ip4 ? ip4->GetProtocol(number) : ip6->GetProtocol(number);
        if (protocol)
        {
            m_ip.SetDownTargets(protocol->GetDownTarget(), protocol->GetDownTarget6());
            protocol->SetDownTarget(MakeCallback(&IpsecStack::Send, this));
            protocol->SetDownTarget6(MakeCallback(&IpsecStack::Send6, this));
        }
    }
    if (const Ptr<IpL4Protocol> icmp = GetObject<Icmpv4L4Protocol>())
    {
        icmp->SetDownTarget(MakeCallback(&IpsecStack::Send, this));
    }
    if (const Ptr<IpL4Protocol> icmp = GetObject<Icmpv6L4Protocol>())
    {
        icmp->SetDownTarget6(MakeCallback(&IpsecStack::Send6, this));
    }
}

void
IpsecStack::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_associations.Clear();
    m_timing.Clear();
    m_ip.Clear();
    TcpDatagramSizes::DoDispose();
}

void
IpsecStack::SetMaxAssociations(uint32_t most)
{
    m_associations.GetOutbound().SetCapacity(most);
}

uint32_t
IpsecStack::GetMaxAssociations() const
{
    return static_cast<uint32_t>(m_associations.GetOutbound().GetCapacity());
}

IpsecPolicies&
IpsecStack::GetPolicies()
{
    return m_policies;
}

const IpsecPolicies&
IpsecStack::GetPolicies() const
{
    return m_policies;
}

IpsecAssociations&
IpsecStack::GetAssociations()
{
    return m_associations;
}

const IpsecCounters&
IpsecStack::GetCounters() const
{
    return m_statistics.GetCounters();
}

uint32_t
IpsecStack::GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer)
{
    return m_policies.GetInnerMtu(mtu, local, peer);
}

void
IpsecStack::NotifyPathMtu(const IpsecAddress& destination,
                          std::optional<uint32_t> spi,
                          uint32_t mtu)
{
    m_out.NotifyPathMtu(destination, spi, mtu);
}

// ---- out ----------------------------------------------------------------------------------------

void
IpsecStack::Send(Ptr<Packet> packet,
                 Ipv4Address from,
                 Ipv4Address to,
                 uint8_t protocol,
                 Ptr<Ipv4Route> route)
{
    if (protocol == TcpL4Protocol::PROT_NUMBER && !m_policies.HasRules())
    {
        m_ip.Down(std::move(packet), from, to, protocol, std::move(route));
        return;
    }
    const TcpDontFragment* marks = m_ip.GetMarks();
    Dispatch<Ipv4Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

void
IpsecStack::Send6(Ptr<Packet> packet,
                  Ipv6Address from,
                  Ipv6Address to,
                  uint8_t protocol,
                  Ptr<Ipv6Route> route)
{
    if (protocol == TcpL4Protocol::PROT_NUMBER && !m_policies.HasRules())
    {
        m_ip.Down(std::move(packet), from, to, protocol, std::move(route));
        return;
    }
    const TcpDontFragment* marks = m_ip.GetMarks();
    Dispatch<Ipv6Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

template <typename V>
void
IpsecStack::Dispatch(const IpsecOutgoing<V>& datagram)
{
    NS_LOG_FUNCTION(this << datagram.packet << datagram.from << datagram.to);
    const IpsecFlow flow =
        ReadIpsecFlow(datagram.from, datagram.to, datagram.protocol, datagram.packet);
    IpsecFlow traffic = flow;
    Index policy = m_policies.FindOutbound(flow);
    const IpsecAction action = datagram.protocol == V::ICMP
                                   ? DecideIcmp(datagram.packet, flow, traffic, policy)
                               : IsKeyExchange(flow) ? IpsecAction::BYPASS
                                                     : m_policies.GetAction(policy);
    switch (action)
    {
    case IpsecAction::BYPASS:
        m_ip.Down(datagram, datagram.protocol);
        break;
    case IpsecAction::DISCARD:
        m_statistics.Drop(IpsecDrop::POLICY, datagram.packet);
        break;
    case IpsecAction::PROTECT:
        m_out.Protect(datagram, flow, traffic, policy);
        break;
    }
}

template <typename H>
void
IpsecStack::Forward(Ptr<const Packet> packet, const H& header, const std::function<void()>& forward)
{
    using V = IpTraitsOf<H>;
    NS_LOG_FUNCTION(this << packet << header);
    IpsecView view = ReadIpsecView(header, packet);
    const IpsecFlow& flow = view.flow;
    if (!m_fragmentPorts.Find(view, m_in.IsDelivering(), Simulator::Now()) &&
        m_policies.NeedsPorts(flow))
    { // nobody can tell what it is a part of (RFC 4301 section 7.3)
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return;
    }
    Index policy = m_policies.FindOutbound(flow);
    IpsecFlow traffic = flow;
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (const Index answering =
            error ? m_policies.FindAnswering(*error) : IpsecPolicyDatabase::NONE;
        answering != IpsecPolicyDatabase::NONE)
    {
        policy = answering;
        traffic = error->flow.GetReverse();
    }
    else if ((error && !m_in.IsDelivering() && m_policies.Protects(error->flow)) ||
             !m_policies.AcceptsForwarded(flow, policy, m_in.IsDelivering()))
    { // ICMP about what leaves protected would come so
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return;
    }
    const bool bypass =
        policy == IpsecPolicyDatabase::NONE || m_policies.Get(policy).action == IpsecAction::BYPASS;
    if (bypass || V::GetHops(header) <= 1) // IP tells who sent it
    {
        forward();
        return;
    }
    H inner = header;
    V::SetHops(inner, static_cast<uint8_t>(V::GetHops(header) - 1));
    m_out.Forward<V>(packet->Copy(), inner, flow, traffic, policy);
}

template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv4Header&,
                                  const std::function<void()>&);
template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv6Header&,
                                  const std::function<void()>&);

// ---- in -----------------------------------------------------------------------------------------

bool
IpsecStack::Permits(const IpsecFlow& flow)
{
    return m_in.IsDelivering() || IsKeyExchange(flow) || m_policies.AcceptsClear(flow);
}

template <typename H, typename I>
IpL4Protocol::RxStatus
IpsecStack::Receive(Ptr<Packet> packet, const H& header, Ptr<I> interface)
{
    using V = IpTraitsOf<H>;
    NS_LOG_FUNCTION(this << packet << header);
    const uint8_t protocol = V::GetProtocol(header);
    if (protocol == ESP_PROTOCOL)
    {
        return m_in.Receive<V>(packet, header, interface);
    }
    if (protocol == TcpL4Protocol::PROT_NUMBER && !m_policies.HasRules())
    {
        return m_ip.GetIp<V>()->GetProtocol(protocol)->Receive(packet, header, interface);
    }
    const IpsecFlow flow =
        ReadIpsecFlow(header.GetSource(), header.GetDestination(), protocol, packet);
    if (protocol == UdpL4Protocol::PROT_NUMBER && flow.destinationPort == ESP_UDP_PORT &&
        packet->GetSize() > ESP_UDP_HEADER_SIZE)
    {
        if (packet->GetSize() == ESP_UDP_HEADER_SIZE + 1)
        {
            return IpL4Protocol::RX_OK; // keeps a NAT's mapping alive (RFC 3948 section 2.3)
        }
        packet->RemoveAtStart(ESP_UDP_HEADER_SIZE);
        return m_in.Receive<V>(packet, header, interface);
    }
    if (protocol == V::ICMP ? !PermitsIcmp(packet, flow) : !Permits(flow))
    {
        m_statistics.Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return m_ip.GetIp<V>()->GetProtocol(protocol)->Receive(packet, header, interface);
}

template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv4Header&,
                                                    Ptr<Ipv4Interface>);
template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv6Header&,
                                                    Ptr<Ipv6Interface>);

// ---- ICMP (RFC 4301 sections 6 and 8) -----------------------------------------------------------

IpsecAction
IpsecStack::DecideIcmp(const Ptr<const Packet>& packet,
                       const IpsecFlow& flow,
                       IpsecFlow& traffic,
                       Index& policy)
{
    if (IsNeighbourDiscovery(flow.protocol, packet))
    { // a redirect would show what came by an association
        return m_in.IsDelivering() && IsIpv6Redirect(flow.protocol, packet) ? IpsecAction::DISCARD
                                                                            : IpsecAction::BYPASS;
    }
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (!error)
    {
        return m_policies.GetAction(policy);
    }
    const Index answering = m_policies.FindAnswering(*error);
    if (answering == IpsecPolicyDatabase::NONE)
    { // who sends in clear what is protected here is told in clear
        return m_policies.Protects(error->flow) ? IpsecAction::BYPASS
                                                : m_policies.GetAction(policy);
    }
    // the association of the answers, if there is one: none is made for this (RFC 4301 section 6.2)
    policy = answering;
    traffic = error->flow.GetReverse();
    return m_associations.FindAssociation(policy, traffic) ? IpsecAction::PROTECT
                                                           : IpsecAction::DISCARD;
}

bool
IpsecStack::PermitsIcmp(const Ptr<const Packet>& packet, const IpsecFlow& flow)
{
    if (m_in.IsDelivering() || IsNeighbourDiscovery(flow.protocol, packet))
    {
        return true;
    }
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (!error)
    {
        return Permits(flow);
    }
    const IpsecAddress& destination = error->flow.destination;
    const bool isUdp =
        error->flow.protocol == UdpL4Protocol::PROT_NUMBER &&
        (error->flow.sourcePort == ESP_UDP_PORT || error->flow.destinationPort == ESP_UDP_PORT);
    if (error->flow.protocol == ESP_PROTOCOL || isUdp)
    {
        const bool isOurs = (error->spi || isUdp) && m_out.HasSent(error->spi, destination);
        // ns-3's IPv6 would believe any size
        return isOurs &&
               !(error->mtu && destination.IsIpv6() && *error->mtu < Ipv6Traits::MIN_LINK_MTU);
    }
    const Index policy = m_policies.FindOutbound(error->flow);
    if (policy == IpsecPolicyDatabase::NONE)
    {
        return Permits(flow);
    }
    // what leaves protected shows on no path
    const IpsecAction action = m_policies.Get(policy).action;
    return action == IpsecAction::BYPASS || (action == IpsecAction::DISCARD && Permits(flow));
}

// ---- what takes time ----------------------------------------------------------------------------

void
IpsecStack::Watch()
{
    const Ptr<EspForecast> forecast = CreateObject<EspForecast>();
    forecast->SetFunction([this](const auto& flow, uint32_t datagram, uint32_t header, auto& work) {
        return Predict(flow, datagram, header, work);
    });
    m_timing.SetForecast(forecast);
    m_ip.GetNode()->AggregateObject(forecast);
    m_associations.SetRemovalHook(
        [this](EspDirection direction, const std::shared_ptr<IpsecAssociation>& association) {
            if (direction == EspDirection::OUTBOUND)
            {
                m_out.NotifyGone(association);
            }
            m_timing.NotifyGone(direction, association->GetConfig().number);
        });
}

bool
IpsecStack::Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work)
{
    const Index policy = m_policies.FindOutbound(flow);
    if (m_policies.GetAction(policy) != IpsecAction::PROTECT)
    {
        return false;
    }
    const std::shared_ptr<IpsecAssociation> association =
        m_associations.GetOutbound().Find({policy, m_policies.GetShared(policy, flow)});
    work = association ? EspWork(association->GetConfig().number,
                                 association->GetEncapsulation(),
                                 datagram,
                                 header)
                       : EspWork(0, m_policies.GetEncapsulation(policy), datagram, header);
    return true;
}

} // namespace ns3
