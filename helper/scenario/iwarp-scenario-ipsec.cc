/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario-ipsec.h"

#include "ns3/util-text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

using IpsecPlace = IwarpScenarioParameters::Ipsec;
using Merge = MetricMerge;

constexpr uint8_t HOSTS_BITS4 = 16;       //!< of the network of a router's hosts, IPv4
constexpr uint8_t HOSTS_BITS6 = 48;       //!< the same, IPv6
constexpr uint32_t IPV6_LEAST_MTU = 1280; //!< octets that every link takes (RFC 8200 section 5)

const MetricDeclarations g_ipsecMetrics{std::vector<MetricInfo>{
    {"esp_packets", "packets", "Packets that IPsec has protected, at all nodes", Merge::SUM},
    {"esp_octets", "octets", "Octets of the IP datagrams with ESP", Merge::SUM},
    {"esp_overhead", "octets", "Octets of these that protection has added", Merge::SUM},
    {"esp_associations",
     "associations",
     "Security associations made, one for each direction",
     Merge::SUM},
    {"esp_rekeys", "pairs", "Pairs of associations that took over from others", Merge::SUM},
    {"esp_idle_deletes", "pairs", "Pairs of associations deleted for being idle", Merge::SUM},
    {"esp_evictions",
     "associations",
     "Associations that went to make room for others, all senders",
     Merge::SUM},
    {"esp_drops", "packets", "Packets that IPsec has dropped", Merge::SUM},
    {"esp_drops_policy",
     "packets",
     "Of these, packets that a policy discards, or that came in clear but for it",
     Merge::SUM},
    {"esp_drops_no_association",
     "packets",
     "Packets for which there was no association, there or yet",
     Merge::SUM},
    {"esp_drops_truncated", "packets", "Packets that were too short for ESP", Merge::SUM},
    {"esp_drops_replayed", "packets", "Packets that had come before", Merge::SUM},
    {"esp_drops_too_old", "packets", "Packets left of the anti-replay window", Merge::SUM},
    {"esp_drops_bad_icv", "packets", "Packets forged, or changed on the way", Merge::SUM},
    {"esp_drops_expired", "packets", "Packets of an association whose life was over", Merge::SUM},
    {"esp_drops_too_big",
     "packets",
     "Packets that did not fit with protection and were not to be fragmented",
     Merge::SUM},
}};

/// Reasons that have a metric
const std::pair<IpsecDrop, const char*> REASONS[] = {
    {IpsecDrop::POLICY, "esp_drops_policy"},
    {IpsecDrop::NO_ASSOCIATION, "esp_drops_no_association"},
    {IpsecDrop::TRUNCATED, "esp_drops_truncated"},
    {IpsecDrop::REPLAYED, "esp_drops_replayed"},
    {IpsecDrop::TOO_OLD, "esp_drops_too_old"},
    {IpsecDrop::BAD_ICV, "esp_drops_bad_icv"},
    {IpsecDrop::EXPIRED, "esp_drops_expired"},
    {IpsecDrop::TOO_BIG, "esp_drops_too_big"},
};

/// @param p an experiment @return what its associations are made of
IpsecAssociationConfig
MakeProposal(const IwarpScenarioParameters& p)
{
    IpsecAssociationConfig proposal;
    proposal.codec = p.ipsecReal ? EspCodec::Mode::REAL : EspCodec::Mode::MODELLED;
    proposal.replayWindow = p.replayWindow;
    proposal.extended = p.extendedSequence;
    proposal.udp = p.ipsecUdp;
    proposal.hard = {p.ipsecOctets, p.ipsecPackets, p.ipsecTime};
    if (p.keyExchange)
    {
        proposal.soft = {p.ipsecOctets * 4 / 5, p.ipsecPackets * 4 / 5, p.ipsecTime * 4 / 5};
    }
    return proposal;
}

/// @param p an experiment @param mode of ESP @param mtu octets that a path takes @return octets of
/// a datagram that fits with ESP around it
uint32_t
FindInnerMtu(const IwarpScenarioParameters& p, IpsecMode mode, uint32_t mtu)
{
    const uint32_t header = p.ipv6 ? 40 : 20;
    EspEncapsulation encapsulation;
    encapsulation.transform = FindEspTransform(p.cipher);
    encapsulation.mode = mode;
    encapsulation.udp = p.ipsecUdp;
    encapsulation.outerHeader = header;
    return encapsulation.GetInnerMtu(mtu, header);
}

/// @param p an experiment @param network network @param ends pairs of hosts @return "", or one line
/// that says that packets come behind the life of their association. With key exchange that begins
/// at the other end when the answer sets out, and what is sent on the answer's arrival comes a
/// round trip later
std::string
CheckAssociationTime(const IwarpScenarioParameters& p,
                     const IwarpNetwork& network,
                     const IwarpTopology::Ends& ends)
{
    for (const auto& [sender, receiver] : ends)
    {
        Time way = network.GetPathDelay(sender, receiver);
        if (p.ipsec == IpsecPlace::GATEWAY)
        {
            way -= network.GetLink(network.GetHostLink(sender)).delay +
                   network.GetLink(network.GetHostLink(receiver)).delay;
        }
        const Time least = p.keyExchange ? 2 * way : way;
        if (p.ipsecTime.IsStrictlyPositive() && p.ipsecTime <= least)
        {
            return std::string("AssociationTime") + (p.keyExchange ? ", KeyExchange" : "") +
                   ": packets between hosts " + std::to_string(sender) + " and " +
                   std::to_string(receiver) + " would come behind the life of their association, " +
                   std::to_string(least.GetSeconds()) +
                   " s after it began; give it several times " + "that";
        }
    }
    return "";
}

/// @param network network @param i of a host @return its address
IpsecAddress
GetAddress(const IwarpNetwork& network, uint32_t i)
{
    const Address address = network.GetHostAddress(i);
    return network.IsIpv6() ? IpsecAddress(Ipv6Address::ConvertFrom(address))
                            : IpsecAddress(Ipv4Address::ConvertFrom(address));
}

} // namespace

std::string
CheckIpsec(const IwarpScenarioParameters& p)
{
    if (!FindEspTransform(p.cipher))
    {
        return "Cipher: there is no '" + p.cipher + "'; there are " + Join(GetEspTransformNames());
    }
    if (p.ipsecReal && !EspCodec::HasReal())
    {
        return "IpsecReal: this build has no OpenSSL; install libssl-dev and build again";
    }
    IpsecAssociationConfig proposal = MakeProposal(p);
    proposal.spi = UINT32_MAX;
    proposal.transform = FindEspTransform(p.cipher);
    proposal.keys.cipher.resize(proposal.transform->keySize + proposal.transform->saltSize);
    proposal.keys.integrity.resize(proposal.transform->integrityKeySize);
    const std::string problem = proposal.Check();
    return problem.empty() ? "" : "ReplayWindow: " + problem;
}

uint32_t
FindHostMtu(const IwarpScenarioParameters& p, uint32_t mtu)
{
    const bool none = p.ipsec == IpsecPlace::NONE || p.ipsec == IpsecPlace::GATEWAY;
    const auto mode = p.ipsec == IpsecPlace::TUNNEL ? IpsecMode::TUNNEL : IpsecMode::TRANSPORT;
    return none ? mtu : FindInnerMtu(p, mode, mtu);
}

uint32_t
FindTunnelMtu(const IwarpScenarioParameters& p, uint32_t mtu)
{
    const bool gateways = p.ipsec == IpsecPlace::GATEWAY || p.ipsec == IpsecPlace::NESTED;
    return gateways && p.ipv6 ? std::max(FindInnerMtu(p, IpsecMode::TUNNEL, mtu), IPV6_LEAST_MTU)
                              : mtu;
}

ScenarioIpsec::ScenarioIpsec(const IwarpScenarioParameters& parameters,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends,
                             int64_t stream)
    : m_parameters(parameters),
      m_helper(parameters.cipher),
      m_problem(CheckAssociationTime(parameters, network, ends))
{
    if (!m_problem.empty())
    {
        return;
    }
    m_helper.GetProposal() = MakeProposal(parameters);
    m_helper.SetSharing(parameters.ipsecSharing);
    if (parameters.keyExchange)
    {
        m_exchange = CreateObject<IkeKeying>();
        m_helper.SetKeying(m_exchange);
    }
    m_helper.GetKeying()->AssignStreams(stream);
    m_helper.GetKeying()->TraceConnectWithoutContext(
        "Created",
        MakeCallback(&ScenarioIpsec::NoteAssociation, this));
    const IpsecPlace place = parameters.ipsec;
    if (place == IpsecPlace::GATEWAY || place == IpsecPlace::NESTED)
    {
        ProtectRouters(network, ends);
    }
    if (place != IpsecPlace::GATEWAY)
    {
        ProtectHosts(network, ends);
    }
}

void
ScenarioIpsec::ProtectHosts(const IwarpNetwork& network, const IwarpTopology::Ends& ends)
{
    std::set<uint32_t> hosts;
    std::set<std::pair<uint32_t, uint32_t>> ways;
    for (const auto& [sender, receiver] : ends)
    {
        hosts.insert({sender, receiver});
        ways.insert({{sender, receiver}, {receiver, sender}});
    }
    NodeContainer nodes;
    for (const uint32_t host : hosts)
    {
        nodes.Add(network.GetHost(host));
        m_stacks.push_back(m_helper.Install(network.GetHost(host)));
    }
    if (m_parameters.ipsec != IpsecPlace::TUNNEL)
    {
        m_helper.ProtectTransport(nodes);
        return;
    }
    for (const auto& [from, to] : ways)
    {
        IpsecSelector selector;
        selector.source = IpsecPrefix(GetAddress(network, from));
        selector.destination = IpsecPrefix(GetAddress(network, to));
        m_helper.ProtectTunnel(m_helper.Install(network.GetHost(from)),
                               selector,
                               GetAddress(network, from),
                               GetAddress(network, to));
    }
}

void
ScenarioIpsec::ProtectRouters(const IwarpNetwork& network, const IwarpTopology::Ends& ends)
{
    const uint8_t bits = network.IsIpv6() ? HOSTS_BITS6 : HOSTS_BITS4;

    /// What is known of a gateway
    struct Gateway
    {
        Ptr<Node> router;  //!< node
        IpsecAddress end;  //!< where its tunnels end
        IpsecPrefix hosts; //!< for whom it works
    };

    std::map<uint32_t, Gateway> gateways; // by node
    const auto enter = [&](uint32_t host) {
        const Ptr<NetDevice> device = network.GetLinkDevices(network.GetHostLink(host)).Get(0);
        const Ptr<Node> router = device->GetNode();
        gateways.emplace(router->GetId(),
                         Gateway{router,
                                 IpsecHelper::GetAddress(device, network.IsIpv6()),
                                 IpsecPrefix(GetAddress(network, host), bits)});
        return router->GetId();
    };
    std::set<std::pair<uint32_t, uint32_t>> ways;
    for (const auto& [sender, receiver] : ends)
    {
        const uint32_t from = enter(sender);
        const uint32_t to = enter(receiver);
        if (from == to || from == network.GetHost(sender)->GetId() ||
            from == network.GetHost(receiver)->GetId())
        {
            m_problem = "Ipsec: hosts " + std::to_string(sender) + " and " +
                        std::to_string(receiver) +
                        " have no two routers between them that could be gateways";
            return;
        }
        ways.insert({{from, to}, {to, from}});
    }
    for (const auto& [id, gateway] : gateways)
    {
        m_stacks.push_back(m_helper.InstallGateway(gateway.router));
    }
    for (const auto& [from, to] : ways)
    {
        const Gateway& here = gateways.at(from);
        const Gateway& there = gateways.at(to);
        IpsecSelector selector;
        selector.source = here.hosts;
        selector.destination = there.hosts;
        m_helper.ProtectTunnel(m_helper.InstallGateway(here.router), selector, here.end, there.end);
    }
}

const std::string&
ScenarioIpsec::GetProblem() const
{
    return m_problem;
}

void
ScenarioIpsec::NoteAssociation(const IpsecAssociationConfig& /* config */)
{
    m_associations++;
}

ScenarioIpsec::Totals
ScenarioIpsec::Sum() const
{
    Totals totals;
    totals.associations = m_associations;
    totals.replaced = m_exchange ? m_exchange->GetReplaced() : 0;
    totals.deleted = m_exchange ? m_exchange->GetDeleted() : 0;
    for (const auto& stack : m_stacks)
    {
        const auto& counters = stack->GetCounters();
        totals.counters.sealed += counters.sealed;
        totals.counters.sealedOctets += counters.sealedOctets;
        totals.counters.added += counters.added;
        totals.evicted += stack->GetOutbound().GetEvicted();
        for (std::size_t i = 0; i < counters.dropped.size(); i++)
        {
            totals.counters.dropped[i] += counters.dropped[i];
        }
    }
    return totals;
}

void
ScenarioIpsec::Report(MetricSet& metrics) const
{
    const Totals now = Sum();
    const auto& counters = now.counters;
    const auto& before = m_before.counters;
    metrics.Add("esp_packets", counters.sealed - before.sealed);
    metrics.Add("esp_octets", counters.sealedOctets - before.sealedOctets);
    metrics.Add("esp_overhead", counters.added - before.added);
    metrics.Add("esp_associations", now.associations - m_before.associations);
    metrics.Add("esp_rekeys", now.replaced - m_before.replaced);
    metrics.Add("esp_idle_deletes", now.deleted - m_before.deleted);
    metrics.Add("esp_evictions", now.evicted - m_before.evicted);
    uint64_t drops = 0;
    for (std::size_t i = 0; i < counters.dropped.size(); i++)
    {
        drops += counters.dropped[i] - before.dropped[i];
    }
    metrics.Add("esp_drops", drops);
    for (const auto& [reason, name] : REASONS)
    {
        metrics.Add(name, counters.GetDropped(reason) - before.GetDropped(reason));
    }
}

void
ScenarioIpsec::WriteKeys(const std::string& prefix) const
{
    if (m_parameters.ipsecReal)
    {
        m_helper.WriteKeys(prefix);
    }
}

void
ScenarioIpsec::Restart()
{
    m_before = Sum();
}

} // namespace iwarp
} // namespace ns3
