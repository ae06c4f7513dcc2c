/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-stack.h"

#include "ns3/udp-l4-protocol.h"

/**
 * @file
 * @ingroup iwarp-ipsec
 * IpsecStack: ICMP (RFC 4301 sections 6 and 8).
 */

namespace ns3
{

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
        const bool isOurs = (error->spi || isUdp) && HasSent(error->spi, destination);
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

} // namespace ns3
