/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ipsec-input.h"
#include "ipsec-udp-errors.h"

#include "ns3/abort.h"
#include "ns3/esp-packet.h"
#include "ns3/icmpv4-l4-protocol.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/tcp-dont-fragment.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-header.h"
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
    if (!m_node && GetObject<Node>())
    {
        Start();
    }
    if (!m_table)
    { // it may come later
        m_table = PeekPointer(GetObject<TcpEndPointTable>());
    }
    if (!m_engine)
    {
        m_engine = GetObject<EspEngine>();
    }
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
        const Ptr<IpL4Protocol> input = CreateObject<IpsecInput>(this, protocol);
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
    m_node = PeekPointer(GetObject<Node>());
    Watch();
    m_ip4 = PeekPointer(GetObject<Ipv4L3Protocol>());
    m_ip6 = PeekPointer(GetObject<Ipv6L3Protocol>());
    Insert(m_ip4);
    Insert(m_ip6);
    for (const int number : {+TcpL4Protocol::PROT_NUMBER, +UdpL4Protocol::PROT_NUMBER})
    {
        const Ptr<IpL4Protocol> protocol =
            m_ip4 ? m_ip4->GetProtocol(number) : m_ip6->GetProtocol(number);
        if (protocol)
        {
            m_down = protocol->GetDownTarget();
            m_down6 = protocol->GetDownTarget6();
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
    m_waiting.clear();
    m_acquire = nullptr;
    m_noticed = nullptr;
    m_forecast = nullptr;
    m_engine = nullptr;
    m_down.Nullify();
    m_down6.Nullify();
    TcpDatagramSizes::DoDispose();
}

// ---- policies and associations ------------------------------------------------------------------

IpsecStack::Index
IpsecStack::AddPolicy(const IpsecPolicy& policy, const IpsecAssociationConfig& proposal)
{
    NS_LOG_FUNCTION(this);
    IpsecPolicy inbound = policy;
    inbound.selector = policy.selector.GetReverse();
    m_inPolicies.Add(inbound);
    m_proposals.push_back(proposal);
    m_proposals.back().mode = policy.mode;
    m_proposals.back().transform = policy.transform;
    return m_outPolicies.Add(policy);
}

IpsecStack::Index
IpsecStack::FindOutbound(const IpsecFlow& flow)
{
    return m_outPolicies.Find(flow);
}

IpsecStack::Index
IpsecStack::FindInbound(const IpsecFlow& flow)
{
    return m_inPolicies.Find(flow);
}

const IpsecPolicy&
IpsecStack::GetPolicy(Index policy) const
{
    return m_outPolicies.Get(policy);
}

const IpsecAssociationConfig&
IpsecStack::GetProposal(Index policy) const
{
    return m_proposals.at(policy);
}

bool
IpsecStack::HasRules(const IpsecPolicyDatabase& policies) const
{
    return policies.GetN() > 0 || m_otherwise != IpsecAction::BYPASS;
}

IpsecAction
IpsecStack::GetAction(const IpsecPolicyDatabase& policies, Index index) const
{
    return index == IpsecPolicyDatabase::NONE ? m_otherwise : policies.Get(index).action;
}

bool
IpsecStack::AddOutbound(const IpsecAssociationConfig& config, Index policy, const IpsecFlow& flow)
{
    NS_LOG_FUNCTION(this << config.spi << policy);
    const IpsecFlow shared = m_outPolicies.GetShared(policy, flow);
    auto numbered = config;
    numbered.number = ++m_numbers[static_cast<std::size_t>(EspDirection::OUTBOUND)];
    const auto association = std::make_shared<IpsecAssociation>(numbered, Simulator::Now());
    if (!m_outbound.Add(association, {policy, shared}))
    {
        return false;
    }
    ExpireInTime(EspDirection::OUTBOUND, association);
    auto& waiting = m_waiting[policy];
    const auto found = waiting.find(shared);
    if (found != waiting.end())
    {
        const auto going = std::move(found->second);
        waiting.erase(found);
        for (const auto& datagram : going)
        {
            datagram.go();
        }
    }
    return true;
}

bool
IpsecStack::AddInbound(const IpsecAssociationConfig& config)
{
    NS_LOG_FUNCTION(this << config.spi);
    auto numbered = config;
    numbered.number = ++m_numbers[static_cast<std::size_t>(EspDirection::INBOUND)];
    const auto association = std::make_shared<IpsecAssociation>(numbered, Simulator::Now());
    if (!m_inbound.Add(association))
    {
        return false;
    }
    ExpireInTime(EspDirection::INBOUND, association);
    return true;
}

IpsecStack::Association
IpsecStack::FindSending(Index policy, const IpsecFlow& flow)
{
    return m_outbound.Find({policy, m_outPolicies.GetShared(policy, flow)});
}

void
IpsecStack::SetAcquire(Acquire acquire)
{
    m_acquire = std::move(acquire);
}

void
IpsecStack::SetNotice(Noticed noticed)
{
    m_noticed = std::move(noticed);
}

void
IpsecStack::SetMaxAssociations(uint32_t most)
{
    m_outbound.SetCapacity(most);
}

uint32_t
IpsecStack::GetMaxAssociations() const
{
    return static_cast<uint32_t>(m_outbound.GetCapacity());
}

void
IpsecStack::Abandon(Index policy, const IpsecFlow& flow)
{
    NS_LOG_FUNCTION(this << policy);
    auto& waiting = m_waiting[policy];
    const auto found = waiting.find(m_outPolicies.GetShared(policy, flow));
    if (found != waiting.end())
    {
        const auto given = std::move(found->second);
        waiting.erase(found);
        for (const auto& datagram : given)
        {
            Drop(IpsecDrop::NO_ASSOCIATION, datagram.packet);
        }
    }
}

IpsecStack::Association
IpsecStack::FindAssociation(Index policy, const IpsecFlow& flow)
{
    Association association = FindSending(policy, flow);
    if (association && m_acquire && association->GetAge(Simulator::Now()) == IpsecAge::HARD)
    {
        Expire(EspDirection::OUTBOUND, association);
        return nullptr;
    }
    return association;
}

void
IpsecStack::Await(Index policy,
                  const IpsecFlow& flow,
                  const Ptr<const Packet>& packet,
                  std::function<void()> go)
{
    NS_LOG_FUNCTION(this << policy);
    if (!m_acquire)
    {
        Drop(IpsecDrop::NO_ASSOCIATION, packet);
        return;
    }
    auto [waiting, isNew] = m_waiting[policy].try_emplace(m_outPolicies.GetShared(policy, flow));
    if (waiting->second.size() < m_maxWaiting)
    {
        waiting->second.push_back({packet, std::move(go)});
    }
    else
    {
        Drop(IpsecDrop::NO_ASSOCIATION, packet);
    }
    if (isNew)
    {
        m_acquire(policy, flow);
    }
}

IpsecAssociationDatabase&
IpsecStack::GetOutbound()
{
    return m_outbound;
}

IpsecAssociationDatabase&
IpsecStack::GetInbound()
{
    return m_inbound;
}

const IpsecStack::Counters&
IpsecStack::GetCounters() const
{
    return m_counters;
}

void
IpsecStack::Drop(IpsecDrop reason, const Ptr<const Packet>& packet)
{
    NS_LOG_LOGIC(this << " drops: " << ToString(reason));
    ++m_counters.dropped[static_cast<std::size_t>(reason)];
    m_dropTrace(reason, packet);
}

// ---- out ----------------------------------------------------------------------------------------

namespace
{

constexpr uint8_t OUTER_HOPS = 64; // time to live of headers made here

/// @param association of a packet @param packet ESP, which UDP goes before if that is to be
/// @param whole nobody may divide it @return protocol of the packet
uint8_t
Finish(const IpsecAssociation& association, const Ptr<Packet>& packet, bool whole)
{
    const auto& config = association.GetConfig();
    if (!whole && association.GetCodec().GetMode() == EspCodec::Mode::MODELLED)
    {
        FillEspPacket(packet);
    }
    if (!config.udp)
    {
        return ESP_PROTOCOL;
    }
    UdpHeader header; // its checksum stays 0 (RFC 3948 section 2.1)
    header.SetSourcePort(config.udpSource);
    header.SetDestinationPort(config.udpDestination);
    packet->AddHeader(header);
    return UdpL4Protocol::PROT_NUMBER;
}

} // namespace

TcpDontFragment*
IpsecStack::GetMarks() const
{
    return m_table ? m_table->GetDontFragment() : nullptr;
}

void
IpsecStack::Down(const Outgoing<Ipv4Traits>& datagram, uint8_t protocol)
{
    m_down(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

void
IpsecStack::Down(const Outgoing<Ipv6Traits>& datagram, uint8_t protocol)
{
    m_down6(datagram.packet, datagram.from, datagram.to, protocol, datagram.route);
}

void
IpsecStack::Send(Ptr<Packet> packet,
                 Ipv4Address from,
                 Ipv4Address to,
                 uint8_t protocol,
                 Ptr<Ipv4Route> route)
{
    if (protocol == TcpL4Protocol::PROT_NUMBER && !HasRules(m_outPolicies))
    {
        m_down(std::move(packet), from, to, protocol, std::move(route));
        return;
    }
    const TcpDontFragment* marks = GetMarks();
    Dispatch<Ipv4Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

void
IpsecStack::Send6(Ptr<Packet> packet,
                  Ipv6Address from,
                  Ipv6Address to,
                  uint8_t protocol,
                  Ptr<Ipv6Route> route)
{
    if (protocol == TcpL4Protocol::PROT_NUMBER && !HasRules(m_outPolicies))
    {
        m_down6(std::move(packet), from, to, protocol, std::move(route));
        return;
    }
    const TcpDontFragment* marks = GetMarks();
    Dispatch<Ipv6Traits>({packet, from, to, protocol, route, marks && marks->IsMarking()});
}

template <typename V>
void
IpsecStack::Dispatch(const Outgoing<V>& datagram)
{
    NS_LOG_FUNCTION(this << datagram.packet << datagram.from << datagram.to);
    const IpsecFlow flow =
        ReadIpsecFlow(datagram.from, datagram.to, datagram.protocol, datagram.packet);
    IpsecFlow traffic = flow;
    Index policy = m_outPolicies.Find(flow);
    const IpsecAction action = datagram.protocol == V::ICMP
                                   ? DecideIcmp(datagram.packet, flow, traffic, policy)
                               : IsKeyExchange(flow) ? IpsecAction::BYPASS
                                                     : GetAction(m_outPolicies, policy);
    switch (action)
    {
    case IpsecAction::BYPASS:
        Down(datagram, datagram.protocol);
        break;
    case IpsecAction::DISCARD:
        Drop(IpsecDrop::POLICY, datagram.packet);
        break;
    case IpsecAction::PROTECT:
        Protect(datagram, flow, traffic, policy);
        break;
    }
}

template <typename V>
void
IpsecStack::Protect(const Outgoing<V>& datagram,
                    const IpsecFlow& flow,
                    const IpsecFlow& traffic,
                    Index policy)
{
    const Association association = FindAssociation(policy, traffic);
    if (!association)
    {
        Await(policy, traffic, datagram.packet, [this, datagram, flow, traffic, policy] {
            const TcpDontFragment::Mark mark(datagram.whole ? GetMarks() : nullptr);
            Protect(datagram, flow, traffic, policy);
        });
    }
    else if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    {
        SendTransport(datagram, flow, *association);
    }
    else
    {
        SendTunnel(datagram, flow, *association);
    }
}

template <typename V>
void
IpsecStack::SendTransport(const Outgoing<V>& datagram,
                          const IpsecFlow& flow,
                          IpsecAssociation& association)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = V::HEADER_SIZE + datagram.packet->GetSize();
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE);
    const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
    const uint32_t link =
        datagram.route ? datagram.route->GetOutputDevice()->GetMtu() : FindLinkMtu(datagram.to);
    const Room room = FindRoom(datagram.to, link);
    if (datagram.whole && octets > room.mtu)
    {
        TcpDontFragment::NotifyTooBig(m_node,
                                      datagram.from,
                                      datagram.to,
                                      datagram.packet,
                                      encapsulation.GetInnerMtu(room.mtu, V::HEADER_SIZE));
        Drop(IpsecDrop::TOO_BIG, datagram.packet);
        return;
    }
    const bool whole = datagram.whole && room.whole;
    if (whole)
    {
        m_paths.NotifySent(*datagram.packet, flow, datagram.to, size, octets, true);
    }
    m_sealedTrace(datagram.packet, flow, octets);
    if (Seal(association, sizes, datagram.protocol, datagram.packet))
    {
        m_counters.sealedOctets += octets;
        m_counters.added += octets - size;
        const uint8_t protocol = Finish(association, datagram.packet, whole);
        if (!m_engine)
        {
            const TcpDontFragment::Pause pause(whole ? nullptr : GetMarks());
            Down(datagram, protocol);
            return;
        }
        const EspWork work(association.GetConfig().number, encapsulation, size, V::HEADER_SIZE);
        ProcessWork(EspDirection::OUTBOUND, work, [this, datagram, protocol, whole] {
            const TcpDontFragment::Mark mark(whole ? GetMarks() : nullptr);
            Down(datagram, protocol);
        });
    }
}

template <typename V>
void
IpsecStack::SendTunnel(const Outgoing<V>& datagram,
                       const IpsecFlow& flow,
                       IpsecAssociation& association)
{
    typename V::Header header;
    header.SetSource(datagram.from);
    header.SetDestination(datagram.to);
    V::SetPayload(header, datagram.protocol, datagram.packet->GetSize());
    V::SetTos(header, V::GetTos(*datagram.packet));
    V::SetHops(header, OUTER_HOPS);
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        header.SetIdentification(m_identification++);
        if (datagram.whole)
        {
            header.SetDontFragment();
        }
    }
    if (!datagram.whole)
    { // a host divides what it sends itself
        Tunnel<V>(datagram.packet,
                  header,
                  flow,
                  association,
                  V::IsWhole(header) ? UINT32_MAX : 0,
                  nullptr);
        return;
    }
    Tunnel<V>(datagram.packet, header, flow, association, 0, [&](uint32_t mtu) {
        TcpDontFragment::NotifyTooBig(m_node, datagram.from, datagram.to, datagram.packet, mtu);
    });
}

template <typename V>
void
IpsecStack::Tunnel(const Ptr<Packet>& payload,
                   const typename V::Header& header,
                   const IpsecFlow& flow,
                   IpsecAssociation& association,
                   uint32_t least,
                   const std::function<void(uint32_t mtu)>& tell)
{
    const auto& encapsulation = association.GetEncapsulation();
    const auto& config = association.GetConfig();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    const EspSizes sizes = encapsulation.GetSizes(size, V::HEADER_SIZE);
    const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
    const Room room = FindRoom(config.destination, FindLinkMtu(config.destination));
    const bool fits = octets <= room.mtu;
    const uint32_t inner = encapsulation.GetInnerMtu(room.mtu, V::HEADER_SIZE);
    // a sender is not asked for less than it believes (RFC 2473 section 7.1, RFC 4459 section 3.1)
    const auto outer = !fits && size <= least ? IpsecDontFragment::CLEAR : m_dontFragment;
    const auto passage = PlanIpsecPassage(fits, !V::IsWhole(header), outer, m_fragments);
    if (passage == IpsecPassage::TOO_BIG)
    {
        tell(std::max(inner, least));
        Drop(IpsecDrop::TOO_BIG, payload);
        return;
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (passage == IpsecPassage::FRAGMENTED_FIRST)
        {
            const auto pieces = DivideIpv4(header, payload, inner);
            std::vector<EspSizes> parts;
            uint32_t all = 0;
            for (const auto& [head, rest] : pieces)
            {
                const uint32_t part = head.GetSerializedSize() + rest->GetSize();
                parts.push_back(encapsulation.GetSizes(part, V::HEADER_SIZE));
                all += encapsulation.GetProtected(parts.back(), V::HEADER_SIZE);
            }
            m_sealedTrace(payload, flow, all);
            const bool set = m_dontFragment == IpsecDontFragment::SET;
            for (std::size_t i = 0; i < pieces.size(); i++)
            {
                const auto& [head, rest] = pieces[i];
                Enclose<V>(rest, head, association, parts[i], set && room.whole);
            }
            return;
        }
    }
    const bool whole = passage == IpsecPassage::WHOLE && room.whole;
    if (whole && tell && V::IsWhole(header))
    {
        m_paths.NotifySent(*payload, flow, config.destination, size, octets, least == 0);
    }
    m_sealedTrace(payload, flow, octets);
    Enclose<V>(payload, header, association, sizes, whole);
}

template <typename V>
void
IpsecStack::Enclose(const Ptr<Packet>& payload,
                    const typename V::Header& header,
                    IpsecAssociation& association,
                    const EspSizes& sizes,
                    bool whole)
{
    const auto& encapsulation = association.GetEncapsulation();
    const uint32_t size = header.GetSerializedSize() + payload->GetSize();
    typename V::Header first = header;
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (Node::ChecksumEnabled())
        {
            first.EnableChecksum();
        }
    }
    payload->AddHeader(first);
    if (Seal(association, sizes, V::PROTOCOL, payload))
    {
        const uint32_t octets = encapsulation.GetProtected(sizes, V::HEADER_SIZE);
        m_counters.sealedOctets += octets;
        m_counters.added += octets - size;
        const uint8_t tos = V::GetTos(header);
        if (!m_engine)
        {
            SendOuter(payload, association, tos, whole);
            return;
        }
        const EspWork work(association.GetConfig().number, encapsulation, size, V::HEADER_SIZE);
        const Association kept = association.shared_from_this();
        const bool marked = GetMarks() && GetMarks()->IsMarking();
        ProcessWork(EspDirection::OUTBOUND, work, [this, payload, kept, tos, whole, marked] {
            const TcpDontFragment::Mark mark(marked ? GetMarks() : nullptr);
            SendOuter(payload, *kept, tos, whole);
        });
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
    if (!m_fragmentPorts.Find(view, m_opened, Simulator::Now()) &&
        (m_outPolicies.NeedsPorts(flow) || m_inPolicies.NeedsPorts(flow)))
    { // nobody can tell what it is a part of (RFC 4301 section 7.3)
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    Index policy = m_outPolicies.Find(flow);
    IpsecFlow traffic = flow;
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (const Index answering = error ? FindAnswering(*error) : IpsecPolicyDatabase::NONE;
        answering != IpsecPolicyDatabase::NONE)
    {
        policy = answering;
        traffic = error->flow.GetReverse();
    }
    else if ((error && !m_opened && Protects(error->flow)) || !MayForward(flow, policy))
    { // ICMP about what leaves protected would come so
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    const bool bypass =
        policy == IpsecPolicyDatabase::NONE || GetPolicy(policy).action == IpsecAction::BYPASS;
    if (bypass || V::GetHops(header) <= 1) // IP tells who sent it
    {
        forward();
        return;
    }
    H inner = header;
    V::SetHops(inner, static_cast<uint8_t>(V::GetHops(header) - 1));
    ForwardProtected<V>(packet->Copy(), inner, flow, traffic, policy);
}

bool
IpsecStack::MayForward(const IpsecFlow& flow, Index out)
{
    // each datagram crosses once, outward or inward: only a policy of one way need select it
    const Index in = m_opened ? IpsecPolicyDatabase::NONE : m_inPolicies.Find(flow);
    if (in != IpsecPolicyDatabase::NONE && m_inPolicies.Get(in).action != IpsecAction::BYPASS)
    {
        return false;
    }
    if (out != IpsecPolicyDatabase::NONE)
    {
        return GetPolicy(out).action != IpsecAction::DISCARD;
    }
    return m_opened || in != IpsecPolicyDatabase::NONE || m_otherwise == IpsecAction::BYPASS;
}

template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv4Header&,
                                  const std::function<void()>&);
template void IpsecStack::Forward(Ptr<const Packet>,
                                  const Ipv6Header&,
                                  const std::function<void()>&);

template <typename V>
void
IpsecStack::ForwardProtected(const Ptr<Packet>& packet,
                             const typename V::Header& header,
                             const IpsecFlow& flow,
                             const IpsecFlow& traffic,
                             Index policy)
{
    const Association association = FindAssociation(policy, traffic);
    if (!association)
    {
        Await(policy, traffic, packet, [this, packet, header, flow, traffic, policy] {
            ForwardProtected<V>(packet, header, flow, traffic, policy);
        });
        return;
    }
    if (association->GetConfig().mode == IpsecMode::TRANSPORT)
    { // is for what a node sends itself (RFC 4301 section 4.1)
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    Tunnel<V>(packet, header, flow, *association, V::MIN_PATH_MTU, [&](uint32_t mtu) {
        NotifyTooBig(packet, header, mtu);
    });
}

bool
IpsecStack::Seal(IpsecAssociation& association,
                 const EspSizes& sizes,
                 uint8_t next,
                 const Ptr<Packet>& packet)
{
    EspFields fields;
    fields.nextHeader = next;
    const IpsecDrop drop = association.Begin(sizes.GetCiphered(), Simulator::Now(), fields);
    if (drop != IpsecDrop::NONE)
    {
        // what RFC 4303 section 3.3.3 has an audit log say
        const auto& config = association.GetConfig();
        NS_LOG_WARN(ToString(drop) << ": SPI " << config.spi << " from " << config.source.ToString()
                                   << " to " << config.destination.ToString()
                                   << ", sequence number " << association.GetSequence());
        Drop(drop, packet);
        return false;
    }
    SealEspPacket(association.GetCodec(), fields, sizes, packet);
    ++m_counters.sealed;
    Notify(association, false);
    return true;
}

void
IpsecStack::SendOuter(const Ptr<Packet>& packet,
                      const IpsecAssociation& association,
                      uint8_t tos,
                      bool whole)
{
    const auto& config = association.GetConfig();
    const uint8_t protocol = Finish(association, packet, whole);
    const TcpDontFragment::Pause pause(whole ? nullptr : GetMarks());
    SocketIpTosTag tosTag;
    packet->RemovePacketTag(tosTag);
    if (config.destination.IsIpv6())
    {
        SocketIpv6TclassTag tag;
        tag.SetTclass(tos);
        packet->ReplacePacketTag(tag);
        m_ip6->Send(packet,
                    config.source.GetIpv6(),
                    config.destination.GetIpv6(),
                    protocol,
                    nullptr);
        return;
    }
    Ipv4Header header;
    header.SetSource(config.source.GetIpv4());
    header.SetDestination(config.destination.GetIpv4());
    Ipv4Traits::SetPayload(header, protocol, packet->GetSize());
    header.SetTos(tos);
    header.SetTtl(OUTER_HOPS);
    header.SetIdentification(m_identification++);
    if (whole)
    {
        header.SetDontFragment();
    }
    Socket::SocketErrno error;
    const Ptr<Ipv4Route> route =
        m_ip4->GetRoutingProtocol()->RouteOutput(packet, header, nullptr, error);
    m_ip4->SendWithHeader(packet, header, route);
}

// ---- in -----------------------------------------------------------------------------------------

bool
IpsecStack::Permits(const IpsecFlow& flow)
{
    return m_opened || IsKeyExchange(flow) ||
           GetAction(m_inPolicies, m_inPolicies.Find(flow)) == IpsecAction::BYPASS;
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
        return ReceiveEsp<V>(packet, header, interface);
    }
    if (protocol == TcpL4Protocol::PROT_NUMBER && !HasRules(m_inPolicies))
    {
        return GetIp<V>()->GetProtocol(protocol)->Receive(packet, header, interface);
    }
    const IpsecFlow flow =
        ReadIpsecFlow(header.GetSource(), header.GetDestination(), protocol, packet);
    if (protocol == UdpL4Protocol::PROT_NUMBER && flow.destinationPort == ESP_UDP_PORT &&
        packet->GetSize() > ESP_UDP_HEADER_SIZE + 1) // a single octet keeps a NAT's mapping alive
    {
        packet->RemoveAtStart(ESP_UDP_HEADER_SIZE);
        return ReceiveEsp<V>(packet, header, interface);
    }
    if (protocol == V::ICMP ? !PermitsIcmp(packet, flow) : !Permits(flow))
    {
        Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return GetIp<V>()->GetProtocol(protocol)->Receive(packet, header, interface);
}

template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv4Header&,
                                                    Ptr<Ipv4Interface>);
template IpL4Protocol::RxStatus IpsecStack::Receive(Ptr<Packet>,
                                                    const Ipv6Header&,
                                                    Ptr<Ipv6Interface>);

template <typename V>
IpL4Protocol::RxStatus
IpsecStack::ReceiveEsp(const Ptr<Packet>& packet,
                       const typename V::Header& header,
                       const Ptr<typename V::Interface>& interface)
{
    if (packet->GetSize() < ESP_HEADER_SIZE)
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return IpL4Protocol::RX_OK;
    }
    EspHeader esp;
    packet->PeekHeader(esp);
    const Association association = m_inbound.Find(esp.GetSpi(), header.GetDestination());
    if (!association)
    {
        Drop(IpsecDrop::NO_ASSOCIATION, packet);
        return IpL4Protocol::RX_OK;
    }
    const auto& config = association->GetConfig();
    const auto& codec = association->GetCodec();
    EspWork work;
    work.association = config.number;
    work.transform = config.transform;
    work.sealed = V::HEADER_SIZE + packet->GetSize() + (config.udp ? ESP_UDP_HEADER_SIZE : 0);
    work.ciphered = packet->GetSize() - codec.GetHeadSize() - config.transform->icvSize;
    uint8_t next = 0;
    const IpsecDrop drop = Open(*association, esp.GetSequence(), packet, next);
    if (drop == IpsecDrop::BAD_ICV)
    {
        ChargeWork(work);
    }
    if (drop != IpsecDrop::NONE || next == ESP_NO_NEXT_HEADER)
    {
        return IpL4Protocol::RX_OK;
    }
    work.clear = packet->GetSize() + (config.mode == IpsecMode::TUNNEL ? 0 : V::HEADER_SIZE);
    if (!m_engine)
    {
        const EspForecast::Arrival arrival(*m_forecast, work);
        return ReceiveOpened<V>(packet, *association, next, header, interface);
    }
    ProcessWork(EspDirection::INBOUND, work, [this, packet, association, next, header, interface] {
        ReceiveOpened<V>(packet, *association, next, header, interface);
    });
    return IpL4Protocol::RX_OK;
}

template <typename V>
IpL4Protocol::RxStatus
IpsecStack::ReceiveOpened(const Ptr<Packet>& packet,
                          IpsecAssociation& association,
                          uint8_t next,
                          const typename V::Header& header,
                          const Ptr<typename V::Interface>& interface)
{
    if (association.GetConfig().mode == IpsecMode::TUNNEL)
    {
        const uint8_t tos = V::GetTos(header);
        if (next == Ipv4Traits::PROTOCOL)
        {
            ReceiveInner<Ipv4Traits>(packet, association, tos, interface->GetDevice());
        }
        else if (next == Ipv6Traits::PROTOCOL)
        {
            ReceiveInner<Ipv6Traits>(packet, association, tos, interface->GetDevice());
        }
        else
        {
            Drop(IpsecDrop::POLICY, packet);
        }
        return IpL4Protocol::RX_OK;
    }
    typename V::Header inner = header;
    V::SetPayload(inner, next, packet->GetSize());
    const Ptr<IpL4Protocol> protocol = GetIp<V>()->GetProtocol(next);
    const IpsecFlow flow = ReadIpsecFlow(header.GetSource(), header.GetDestination(), next, packet);
    if (!protocol || !IsSelected(association, flow, packet))
    {
        Drop(IpsecDrop::POLICY, packet);
        return IpL4Protocol::RX_OK;
    }
    return protocol->Receive(packet, inner, interface);
}

IpsecDrop
IpsecStack::Open(IpsecAssociation& association,
                 uint32_t low,
                 const Ptr<Packet>& packet,
                 uint8_t& next)
{
    const Time now = Simulator::Now();
    const uint32_t size = packet->GetSize();
    const auto& codec = association.GetCodec();
    uint64_t sequence = 0;
    IpsecDrop drop = association.Admit(low, now, sequence);
    if (drop == IpsecDrop::NONE)
    {
        const EspOpened opened = OpenEspPacket(codec, sequence, packet);
        const uint32_t around = codec.GetHeadSize() + codec.GetTransform().icvSize;
        next = opened.nextHeader;
        drop = association.Finish(sequence, size - std::min(size, around), opened.result, now);
    }
    if (drop != IpsecDrop::NONE)
    {
        Drop(drop, packet);
        return drop;
    }
    ++m_counters.opened;
    Notify(association, true);
    return drop;
}

bool
IpsecStack::IsSelected(const IpsecAssociation& association,
                       const IpsecFlow& flow,
                       const Ptr<const Packet>& packet)
{
    const IpsecSelector& selector = association.GetConfig().selector;
    if (selector.Selects(flow))
    {
        return true;
    }
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    return error && selector.Selects(error->flow.GetReverse()); // RFC 4301 section 6.2
}

template <typename V>
Ptr<Packet>
IpsecStack::Reassemble(const IpsecView& view,
                       const Ptr<Packet>& packet,
                       typename V::Header& header,
                       const IpsecAssociation& association)
{
    if (!view.fragment || GetIp<V>()->GetInterfaceForAddress(header.GetDestination()) < 0)
    {
        return packet;
    }
    packet->RemoveAtStart(view.payload); // what all fragments have in front
    const Ptr<Packet> whole =
        m_reassembly.Add(view, association.GetConfig().number, packet, Simulator::Now());
    if (whole)
    {
        V::SetWhole(header);
        V::SetPayload(header, view.flow.protocol, whole->GetSize());
    }
    return whole;
}

template <typename V>
void
IpsecStack::ReceiveInner(const Ptr<Packet>& packet,
                         IpsecAssociation& association,
                         uint8_t tos,
                         const Ptr<NetDevice>& device)
{
    typename V::Header header;
    if (!GetIp<V>() || packet->GetSize() < V::HEADER_SIZE)
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveHeader(header);
    if (packet->GetSize() < V::GetPayload(header))
    {
        Drop(IpsecDrop::TRUNCATED, packet);
        return;
    }
    packet->RemoveAtEnd(packet->GetSize() - V::GetPayload(header)); // TFC padding
    uint8_t inner = V::GetTos(header);
    IpsecView view = ReadIpsecView(header, packet);
    const bool known = m_fragmentPorts.Find(view, true, Simulator::Now()) ||
                       association.GetConfig().selector.TakesAllPorts();
    if (!known || !IsSelected(association, view.flow, packet) || !CopyIpsecEcn(tos, inner))
    {
        Drop(IpsecDrop::POLICY, packet);
        return;
    }
    V::SetTos(header, inner);
    const Ptr<Packet> whole = Reassemble<V>(view, packet, header, association);
    if (!whole)
    {
        return;
    }
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum();
        }
    }
    whole->AddHeader(header);
    m_opened = true;
    GetIp<V>()->Receive(device, whole, V::ETHER_TYPE, Address(), Address(), NetDevice::PACKET_HOST);
    m_opened = false;
}

// ---- ICMP (RFC 4301 sections 6 and 8) -----------------------------------------------------------

bool
IpsecStack::Protects(const IpsecFlow& flow)
{
    return GetAction(m_outPolicies, m_outPolicies.Find(flow)) == IpsecAction::PROTECT;
}

IpsecStack::Index
IpsecStack::FindAnswering(const IpsecIcmpError& error)
{
    const Index policy = m_outPolicies.Find(error.flow.GetReverse());
    return GetAction(m_outPolicies, policy) == IpsecAction::PROTECT ? policy
                                                                    : IpsecPolicyDatabase::NONE;
}

IpsecAction
IpsecStack::DecideIcmp(const Ptr<const Packet>& packet,
                       const IpsecFlow& flow,
                       IpsecFlow& traffic,
                       Index& policy)
{
    if (IsNeighbourDiscovery(flow.protocol, packet))
    { // a redirect would show what came by an association
        return m_opened && IsIpv6Redirect(flow.protocol, packet) ? IpsecAction::DISCARD
                                                                 : IpsecAction::BYPASS;
    }
    const auto error = ReadIpsecIcmpError(flow.protocol, packet);
    if (!error)
    {
        return GetAction(m_outPolicies, policy);
    }
    const Index answering = FindAnswering(*error);
    if (answering == IpsecPolicyDatabase::NONE)
    { // who sends in clear what is protected here is told in clear
        return Protects(error->flow) ? IpsecAction::BYPASS : GetAction(m_outPolicies, policy);
    }
    // the association of the answers, if there is one: none is made for this (RFC 4301 section 6.2)
    policy = answering;
    traffic = error->flow.GetReverse();
    return FindAssociation(policy, traffic) ? IpsecAction::PROTECT : IpsecAction::DISCARD;
}

bool
IpsecStack::PermitsIcmp(const Ptr<const Packet>& packet, const IpsecFlow& flow)
{
    if (m_opened || IsNeighbourDiscovery(flow.protocol, packet))
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
        const bool isOurs = (error->spi || isUdp) && m_paths.HasSent(error->spi, destination);
        // ns-3's IPv6 would believe any size
        return isOurs &&
               !(error->mtu && destination.IsIpv6() && *error->mtu < Ipv6Traits::MIN_LINK_MTU);
    }
    const Index policy = m_outPolicies.Find(error->flow);
    if (policy == IpsecPolicyDatabase::NONE)
    {
        return Permits(flow);
    }
    // what leaves protected shows on no path
    const IpsecAction action = GetPolicy(policy).action;
    return action == IpsecAction::BYPASS || (action == IpsecAction::DISCARD && Permits(flow));
}

// ---- what paths take, and who is told -----------------------------------------------------------

void
IpsecStack::NotifyPathMtu(const IpsecAddress& destination,
                          std::optional<uint32_t> spi,
                          uint32_t mtu)
{
    NS_LOG_FUNCTION(this << destination.ToString() << mtu);
    if (m_paths.Update(destination, spi, mtu, Simulator::Now(), m_pathMtuAge))
    {
        const Room room = FindRoom(destination, mtu);
        for (const auto& entry : m_paths.ExtractTooBig(destination, room.mtu))
        {
            NotifySender(entry, room.mtu);
        }
    }
}

IpsecStack::Room
IpsecStack::FindRoom(const IpsecAddress& destination, uint32_t mtu) const
{
    return m_paths.FindRoom(destination, mtu, Simulator::Now(), m_pathMtuAge);
}

void
IpsecStack::NotifySender(const IpsecSentLog::Entry& entry, uint32_t mtu)
{
    const IpsecFlow& flow = entry.flow;
    const Index policy = m_outPolicies.Find(flow);
    if (GetAction(m_outPolicies, policy) != IpsecAction::PROTECT)
    {
        return;
    }
    const bool ipv6 = flow.source.IsIpv6();
    const uint32_t header = ipv6 ? Ipv6Traits::HEADER_SIZE : Ipv4Traits::HEADER_SIZE;
    const uint32_t inner = GetEncapsulation(policy).GetInnerMtu(mtu, header);
    const Ptr<Packet> payload =
        Create<Packet>(entry.head.data(), static_cast<uint32_t>(entry.head.size()));
    if (ipv6)
    {
        const Ipv6Address from = flow.source.GetIpv6();
        const Ipv6Address to = flow.destination.GetIpv6();
        if (entry.own)
        {
            TcpDontFragment::NotifyTooBig(m_node, from, to, payload, inner);
            return;
        }
        Ipv6Header quoted;
        quoted.SetSource(from);
        quoted.SetDestination(to);
        Ipv6Traits::SetPayload(quoted, flow.protocol, entry.size - header);
        NotifyTooBig(payload, quoted, std::max(inner, Ipv6Traits::MIN_PATH_MTU));
        return;
    }
    const Ipv4Address from = flow.source.GetIpv4();
    const Ipv4Address to = flow.destination.GetIpv4();
    if (entry.own)
    {
        TcpDontFragment::NotifyTooBig(m_node, from, to, payload, inner);
        return;
    }
    Ipv4Header quoted;
    quoted.SetSource(from);
    quoted.SetDestination(to);
    Ipv4Traits::SetPayload(quoted, flow.protocol, entry.size - header);
    quoted.SetDontFragment();
    NotifyTooBig(payload, quoted, std::max(inner, Ipv4Traits::MIN_PATH_MTU));
}

IpsecStack::Index
IpsecStack::FindOutbound(const Address& local, const Address& peer, uint32_t& header)
{
    IpsecFlow flow{{}, {}, TcpL4Protocol::PROT_NUMBER};
    header = Ipv4Traits::HEADER_SIZE;
    if (InetSocketAddress::IsMatchingType(peer))
    {
        const auto from = InetSocketAddress::ConvertFrom(local);
        const auto to = InetSocketAddress::ConvertFrom(peer);
        flow.source = from.GetIpv4();
        flow.destination = to.GetIpv4();
        flow.sourcePort = from.GetPort();
        flow.destinationPort = to.GetPort();
    }
    else
    {
        const auto from = Inet6SocketAddress::ConvertFrom(local);
        const auto to = Inet6SocketAddress::ConvertFrom(peer);
        const bool mapped = to.GetIpv6().IsIpv4MappedAddress();
        flow.source = mapped ? IpsecAddress(from.GetIpv6().GetIpv4MappedAddress())
                             : IpsecAddress(from.GetIpv6());
        flow.destination =
            mapped ? IpsecAddress(to.GetIpv6().GetIpv4MappedAddress()) : IpsecAddress(to.GetIpv6());
        flow.sourcePort = from.GetPort();
        flow.destinationPort = to.GetPort();
        header = mapped ? Ipv4Traits::HEADER_SIZE : Ipv6Traits::HEADER_SIZE;
    }
    const Index policy = m_outPolicies.Find(flow);
    return GetAction(m_outPolicies, policy) == IpsecAction::PROTECT ? policy
                                                                    : IpsecPolicyDatabase::NONE;
}

EspEncapsulation
IpsecStack::GetEncapsulation(Index policy) const
{
    EspEncapsulation encapsulation = m_proposals[policy].GetEncapsulation();
    encapsulation.outerHeader = m_outPolicies.Get(policy).tunnelDestination.IsIpv6()
                                    ? Ipv6Traits::HEADER_SIZE
                                    : Ipv4Traits::HEADER_SIZE;
    return encapsulation;
}

uint32_t
IpsecStack::GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer)
{
    uint32_t header;
    const Index policy = FindOutbound(local, peer, header);
    if (policy == IpsecPolicyDatabase::NONE)
    {
        return mtu;
    }
    const EspEncapsulation encapsulation = GetEncapsulation(policy);
    const bool outer6 = encapsulation.mode == IpsecMode::TUNNEL
                            ? encapsulation.outerHeader == Ipv6Traits::HEADER_SIZE
                            : header == Ipv6Traits::HEADER_SIZE;
    const uint32_t floor = outer6 ? Ipv6Traits::MIN_PATH_MTU : Ipv4Traits::MIN_PATH_MTU;
    return encapsulation.GetInnerMtu(std::max(mtu, floor), header);
}

void
IpsecStack::NotifyTooBig(const Ptr<Packet>& packet, const Ipv4Header& header, uint32_t mtu)
{
    m_ip4->GetObject<Icmpv4L4Protocol>()->SendDestUnreachFragNeeded(header,
                                                                    packet,
                                                                    static_cast<uint16_t>(mtu));
}

void
IpsecStack::NotifyTooBig(const Ptr<Packet>& packet, const Ipv6Header& header, uint32_t mtu)
{
    const Ptr<Packet> whole = packet->Copy();
    whole->AddHeader(header);
    m_ip6->GetObject<Icmpv6L4Protocol>()->SendErrorTooBig(whole, header.GetSource(), mtu);
}

uint32_t
IpsecStack::FindLinkMtu(const IpsecAddress& destination) const
{
    const Ptr<NetDevice> device = destination.IsIpv6()
                                      ? FindIpDevice<Ipv6Traits>(m_ip6, destination.GetIpv6())
                                      : FindIpDevice<Ipv4Traits>(m_ip4, destination.GetIpv4());
    return device ? device->GetMtu() : UINT16_MAX;
}

// ---- associations, and what takes time ----------------------------------------------------------

void
IpsecStack::Notify(IpsecAssociation& association, bool received)
{
    if (m_noticed && received && association.GetPackets() == 1)
    {
        m_noticed(association, Notice::FIRST_RECEIVED);
    }
    const IpsecAge age = association.GetAge(Simulator::Now());
    if (m_noticed && age == IpsecAge::SOFT)
    {
        m_noticed(association, received ? Notice::RECEIVING_AGED : Notice::SENDING_AGED);
    }
    if (received && age == IpsecAge::HARD)
    {
        // once an engine has had this packet
        Simulator::ScheduleNow(
            [self = Ptr<IpsecStack>(this), kept = association.shared_from_this()] {
                self->Expire(EspDirection::INBOUND, kept);
            });
    }
}

void
IpsecStack::ExpireInTime(EspDirection direction, const Association& association)
{
    const Time life = association->GetConfig().hard.time;
    if (!life.IsStrictlyPositive())
    {
        return;
    }
    const std::weak_ptr<IpsecAssociation> kept = association;
    Simulator::Schedule(life, [self = Ptr<IpsecStack>(this), direction, kept] {
        if (const Association old = kept.lock())
        {
            self->Expire(direction, old);
        }
    });
}

void
IpsecStack::Expire(EspDirection direction, const Association& association)
{
    const bool sends = direction == EspDirection::OUTBOUND;
    if (sends && !m_acquire)
    {
        return; // it stays, to say why packets are dropped
    }
    if ((sends ? m_outbound : m_inbound).Remove(association))
    {
        // who asks for another does so first
        Simulator::ScheduleNow([self = Ptr<IpsecStack>(this), sends, association] {
            if (self->m_noticed)
            {
                self->m_noticed(*association,
                                sends ? Notice::SENDING_EXPIRED : Notice::RECEIVING_EXPIRED);
            }
        });
    }
}

void
IpsecStack::Watch()
{
    m_forecast = CreateObject<EspForecast>();
    m_forecast->SetFunction(
        [this](const auto& flow, uint32_t datagram, uint32_t header, auto& work) {
            return Predict(flow, datagram, header, work);
        });
    m_node->AggregateObject(m_forecast);
    auto tell = [this](EspDirection direction) {
        return [this, direction](const Association& association) {
            if (direction == EspDirection::OUTBOUND)
            {
                m_paths.NotifyGone(association);
            }
            const uint64_t number = association->GetConfig().number;
            if (m_forecast)
            {
                m_forecast->NotifyGone(direction, number);
            }
            if (m_engine)
            {
                m_engine->Release(direction, number);
            }
        };
    };
    m_outbound.SetRemovalHook(tell(EspDirection::OUTBOUND));
    m_inbound.SetRemovalHook(tell(EspDirection::INBOUND));
    m_outbound.SetEvictionHook([this](const Association& association) {
        if (m_noticed)
        {
            m_noticed(*association, Notice::EVICTED);
        }
    });
}

bool
IpsecStack::Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work)
{
    const Index policy = m_outPolicies.Find(flow);
    if (GetAction(m_outPolicies, policy) != IpsecAction::PROTECT)
    {
        return false;
    }
    const Association association =
        m_outbound.Find({policy, m_outPolicies.GetShared(policy, flow)});
    work = association ? EspWork(association->GetConfig().number,
                                 association->GetEncapsulation(),
                                 datagram,
                                 header)
                       : EspWork(0, GetEncapsulation(policy), datagram, header);
    return true;
}

void
IpsecStack::ChargeWork(const EspWork& work)
{
    if (m_engine)
    {
        m_engine->Serve(EspDirection::INBOUND, work);
    }
    else
    {
        m_forecast->NotifyForged(work);
    }
}

void
IpsecStack::ProcessWork(EspDirection direction, const EspWork& work, std::function<void()> go)
{
    // events of the same time run in their order, and so do packets that leave together
    Simulator::Schedule(m_engine->Serve(direction, work),
                        [self = Ptr<IpsecStack>(this), go = std::move(go)] {
                            if (self->m_engine) // the node is still there
                            {
                                go();
                            }
                        });
}

} // namespace ns3
