/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-policies.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/util-ip-traits.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IpsecPolicies");

IpsecPolicies::IpsecPolicies(const IpsecAction& otherwise)
    : m_otherwise(otherwise)
{
}

IpsecPolicies::Index
IpsecPolicies::Add(const IpsecPolicy& policy, const IpsecAssociationConfig& proposal)
{
    NS_LOG_FUNCTION(this);
    IpsecPolicy inbound = policy;
    inbound.selector = policy.selector.GetReverse();
    m_in.Add(inbound);
    m_proposals.push_back(proposal);
    m_proposals.back().mode = policy.mode;
    m_proposals.back().transform = policy.transform;
    return m_out.Add(policy);
}

IpsecPolicies::Index
IpsecPolicies::FindOutbound(const IpsecFlow& flow)
{
    return m_out.Find(flow);
}

IpsecPolicies::Index
IpsecPolicies::FindInbound(const IpsecFlow& flow)
{
    return m_in.Find(flow);
}

const IpsecPolicy&
IpsecPolicies::Get(Index policy) const
{
    return m_out.Get(policy);
}

const IpsecAssociationConfig&
IpsecPolicies::GetProposal(Index policy) const
{
    return m_proposals.at(policy);
}

IpsecAction
IpsecPolicies::GetAction(Index policy) const
{
    return policy == IpsecPolicyDatabase::NONE ? m_otherwise : m_out.Get(policy).action;
}

IpsecFlow
IpsecPolicies::GetShared(Index policy, const IpsecFlow& flow) const
{
    return m_out.GetShared(policy, flow);
}

bool
IpsecPolicies::NeedsPorts(const IpsecFlow& flow) const
{
    return m_out.NeedsPorts(flow) || m_in.NeedsPorts(flow);
}

bool
IpsecPolicies::Protects(const IpsecFlow& flow)
{
    return GetAction(m_out.Find(flow)) == IpsecAction::PROTECT;
}

IpsecPolicies::Index
IpsecPolicies::FindAnswering(const IpsecIcmpError& error)
{
    const Index policy = m_out.Find(error.flow.GetReverse());
    return GetAction(policy) == IpsecAction::PROTECT ? policy : IpsecPolicyDatabase::NONE;
}

bool
IpsecPolicies::AcceptsClear(const IpsecFlow& flow)
{
    const Index policy = m_in.Find(flow);
    return (policy == IpsecPolicyDatabase::NONE ? m_otherwise : m_in.Get(policy).action) ==
           IpsecAction::BYPASS;
}

bool
IpsecPolicies::AcceptsForwarded(const IpsecFlow& flow, Index out, bool opened)
{
    // each datagram crosses once, outward or inward: only a policy of one way need select it
    const Index in = opened ? IpsecPolicyDatabase::NONE : m_in.Find(flow);
    if (in != IpsecPolicyDatabase::NONE && m_in.Get(in).action != IpsecAction::BYPASS)
    {
        return false;
    }
    if (out != IpsecPolicyDatabase::NONE)
    {
        return Get(out).action != IpsecAction::DISCARD;
    }
    return opened || in != IpsecPolicyDatabase::NONE || m_otherwise == IpsecAction::BYPASS;
}

IpsecPolicies::Index
IpsecPolicies::FindProtecting(const Address& local, const Address& peer, uint32_t& header)
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
    const Index policy = m_out.Find(flow);
    return GetAction(policy) == IpsecAction::PROTECT ? policy : IpsecPolicyDatabase::NONE;
}

EspEncapsulation
IpsecPolicies::GetEncapsulation(Index policy) const
{
    EspEncapsulation encapsulation = m_proposals[policy].GetEncapsulation();
    encapsulation.outerHeader = m_out.Get(policy).tunnelDestination.IsIpv6()
                                    ? Ipv6Traits::HEADER_SIZE
                                    : Ipv4Traits::HEADER_SIZE;
    return encapsulation;
}

uint32_t
IpsecPolicies::GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer)
{
    uint32_t header;
    const Index policy = FindProtecting(local, peer, header);
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

} // namespace ns3
