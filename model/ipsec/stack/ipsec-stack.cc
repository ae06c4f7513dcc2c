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
#include "ns3/tcp-end-point-table.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <type_traits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecStack");
NS_OBJECT_ENSURE_REGISTERED(IpsecStack);

LogComponent& IpsecStack::g_log = ns3::g_log;

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

} // namespace ns3
