/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-part-ipsec.h"

#include "iwarp-part-network.h"
#include "iwarp-scenario-ipsec-tap.h"

#include "ns3/boolean.h"
#include "ns3/ike-keying.h"
#include "ns3/iwarp-ipsec-collector.h"
#include "ns3/iwarp-scenario-network.h"
#include "ns3/iwarp-scenario-parts.h"
#include "ns3/ns3-compat.h"
#include "ns3/roce-head.h"
#include "ns3/string.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpIpsecPart);

namespace
{

constexpr uint8_t HOSTS_BITS4 = 16;       //!< of the network of a router's hosts, IPv4
constexpr uint8_t HOSTS_BITS6 = 48;       //!< the same, IPv6
constexpr uint32_t IPV6_LEAST_MTU = 1280; //!< octets that every link takes (RFC 8200 section 5)

/// @param network network @param i of a host @return its address
IpsecAddress
GetIpsecAddress(const IwarpNetwork& network, uint32_t i)
{
    const Address address = network.GetHostAddress(i);
    return network.IsIpv6() ? IpsecAddress(Ipv6Address::ConvertFrom(address))
                            : IpsecAddress(Ipv4Address::ConvertFrom(address));
}

/// @param network network @param host index of a host @return device of the router next to it, or
/// of the other host on its link
Ptr<NetDevice>
FindGatewayDevice(const IwarpNetwork& network, uint32_t host)
{
    return network.GetLinkDevices(network.GetHostLink(host)).Get(0);
}

/// @param ends pairs of hosts, or of others @return these, there and back, each once
template <typename Pairs>
std::set<std::pair<uint32_t, uint32_t>>
ListWays(const Pairs& ends)
{
    std::set<std::pair<uint32_t, uint32_t>> ways;
    for (const auto& [sender, receiver] : ends)
    {
        ways.insert({{sender, receiver}, {receiver, sender}});
    }
    return ways;
}

} // namespace

TypeId
IwarpIpsecPart::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpIpsecPart")
            .SetParent<IwarpScenarioPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpIpsecPart>()
            .AddAttribute("Ipsec",
                          "Where ESP protects TCP, or RoCE: nowhere; between the hosts in "
                          "transport or in tunnel mode; in a tunnel between the routers next to "
                          "them; or nested, transport mode between the hosts within the routers' "
                          "tunnel",
                          iwarp::MakeEnumValue(Place::NONE),
                          iwarp::MakeEnumAccessor(&IwarpIpsecPart::m_place),
                          iwarp::MakeEnumChecker(Place::NONE,
                                                 "none",
                                                 Place::TRANSPORT,
                                                 "transport",
                                                 Place::TUNNEL,
                                                 "tunnel",
                                                 Place::GATEWAY,
                                                 "gateway",
                                                 Place::NESTED,
                                                 "nested"))
            .AddAttribute("Cipher",
                          "Cipher of ESP, with octets of ICV and bits of key, or with a MAC",
                          StringValue("aes-gcm-16-128"),
                          MakeStringAccessor(&IwarpIpsecPart::m_cipher),
                          MakeStringChecker())
            .AddAttribute("IpsecReal",
                          "Encipher octets, rather than add what enciphering adds to them",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpIpsecPart::m_real),
                          MakeBooleanChecker())
            .AddAttribute("IpsecSharing",
                          "What shares a security association: all traffic of a policy, that of a "
                          "pair of hosts, or that of a connection",
                          iwarp::MakeEnumValue(IpsecSharing::HOSTS),
                          iwarp::MakeEnumAccessor(&IwarpIpsecPart::m_sharing),
                          iwarp::MakeEnumChecker(IpsecSharing::POLICY,
                                                 "policy",
                                                 IpsecSharing::HOSTS,
                                                 "hosts",
                                                 IpsecSharing::CONNECTION,
                                                 "connection"))
            .AddAttribute("ReplayWindow",
                          "Anti-replay window of ESP, 32 to 4096; 0 is none [packets]",
                          UintegerValue(64),
                          MakeUintegerAccessor(&IwarpIpsecPart::m_replayWindow),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("ExtendedSequence",
                          "Sequence numbers of ESP have 64 bits, of which packets carry 32",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpIpsecPart::m_extendedSequence),
                          MakeBooleanChecker())
            .AddAttribute("IpsecUdp",
                          "ESP goes in UDP, as through a NAT (RFC 3948)",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpIpsecPart::m_udp),
                          MakeBooleanChecker())
            .AddAttribute("IpsecUdpEntropy",
                          "With IpsecUdp the source port is a hash of the flow that is protected, "
                          "49152 to 65535, rather than 4500, so that routers tell flows apart; no "
                          "NAT may be on the path",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IwarpIpsecPart::m_udpEntropy),
                          MakeBooleanChecker())
            .AddAttribute(
                "KeyExchange",
                "Keys come by messages through the network, after IKEv2 (IkeKeying.… sets "
                "its attributes), rather than at once",
                BooleanValue(false),
                MakeBooleanAccessor(&IwarpIpsecPart::m_keyExchange),
                MakeBooleanChecker())
            .AddAttribute("AssociationOctets",
                          "Octets after which nothing goes through a security association; with "
                          "KeyExchange it is replaced at 80 % of them; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpIpsecPart::m_octets),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AssociationPackets",
                          "As AssociationOctets, in packets; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IwarpIpsecPart::m_packets),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AssociationTime",
                          "As AssociationOctets, since it was made; more than the way takes, or "
                          "with KeyExchange "
                          "a round trip; 0 is no limit",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IwarpIpsecPart::m_time),
                          MakeTimeChecker(Time(0)));
    return tid;
}

IwarpIpsecPart::IwarpIpsecPart() = default;
IwarpIpsecPart::~IwarpIpsecPart() = default;

bool
IwarpIpsecPart::IsIdle() const
{
    return m_place == Place::NONE;
}

std::vector<std::string>
IwarpIpsecPart::ListNames(const std::string& attribute) const
{
    return attribute == "Cipher" ? GetEspTransformNames() : std::vector<std::string>();
}

std::string
IwarpIpsecPart::Check() const
{
    const std::string name = CheckName("Cipher", m_cipher);
    if (!name.empty())
    {
        return "Cipher: " + name;
    }
    if (m_udpEntropy && !m_udp)
    {
        return "IpsecUdpEntropy: ESP has to go in UDP: set IpsecUdp";
    }
    if (m_real && !EspCodec::HasReal())
    {
        return "IpsecReal: this build has no OpenSSL; install libssl-dev and build again";
    }
    IpsecAssociationConfig proposal = MakeProposal();
    proposal.spi = UINT32_MAX;
    proposal.transform = FindEspTransform(m_cipher);
    proposal.keys.cipher.resize(proposal.transform->keySize + proposal.transform->saltSize);
    proposal.keys.integrity.resize(proposal.transform->integrityKeySize);
    const std::string problem = proposal.Check();
    return problem.empty() ? "" : "ReplayWindow: " + problem;
}

bool
IwarpIpsecPart::IsAtHosts() const
{
    return m_place != Place::NONE && m_place != Place::GATEWAY;
}

bool
IwarpIpsecPart::IsAtRouters() const
{
    return m_place == Place::GATEWAY || m_place == Place::NESTED;
}

uint32_t
IwarpIpsecPart::GetHostMtu(uint32_t mtu, bool ipv6) const
{
    const auto mode = m_place == Place::TUNNEL ? IpsecMode::TUNNEL : IpsecMode::TRANSPORT;
    return IsAtHosts() ? GetInnerMtu(mode, mtu, ipv6) : mtu;
}

uint32_t
IwarpIpsecPart::GetTunnelMtu(uint32_t mtu, bool ipv6) const
{
    return IsAtRouters()
               ? std::max(GetInnerMtu(IpsecMode::TUNNEL, mtu, ipv6), ipv6 ? IPV6_LEAST_MTU : 0)
               : mtu;
}

uint32_t
IwarpIpsecPart::GetInnerMtu(IpsecMode mode, uint32_t mtu, bool ipv6) const
{
    const uint32_t header = ipv6 ? 40 : 20;
    EspEncapsulation encapsulation;
    encapsulation.transform = FindEspTransform(m_cipher);
    encapsulation.mode = mode;
    encapsulation.udp = m_udp;
    encapsulation.outerHeader = header;
    return encapsulation.GetInnerMtu(mtu, header);
}

IpsecAssociationConfig
IwarpIpsecPart::MakeProposal() const
{
    IpsecAssociationConfig proposal;
    proposal.codec = m_real ? EspCodec::Mode::REAL : EspCodec::Mode::MODELLED;
    proposal.replayWindow = m_replayWindow;
    proposal.extended = m_extendedSequence;
    proposal.udp = m_udp;
    proposal.udpEntropy = m_udpEntropy;
    proposal.hard = {m_octets, m_packets, m_time};
    if (m_keyExchange)
    {
        proposal.soft = {m_octets * 4 / 5, m_packets * 4 / 5, m_time * 4 / 5};
    }
    return proposal;
}

std::string
IwarpIpsecPart::CheckNetwork(const iwarp::ScenarioParts& /* parts */,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends) const
{
    const std::string problem = CheckTime(network, ends);
    return problem.empty() && IsAtRouters() ? CheckGateways(network, ends) : problem;
}

Time
IwarpIpsecPart::GetProtectedDelay(const IwarpNetwork& network,
                                  uint32_t sender,
                                  uint32_t receiver) const
{
    Time way = network.GetPathDelay(sender, receiver);
    if (m_place == Place::GATEWAY)
    {
        way -= network.GetLink(network.GetHostLink(sender)).delay +
               network.GetLink(network.GetHostLink(receiver)).delay;
    }
    return way;
}

void
IwarpIpsecPart::WarnOfTime(iwarp::ScenarioNetwork& scenario) const
{
    if (!m_keyExchange || !m_time.IsStrictlyPositive())
    {
        return;
    }
    // a successor is due with a fifth of it left: two round trips and some, or four where that of
    // one association waits for the other's (doc/ipsec.rst has runs)
    const int64_t enough = m_place == Place::NESTED ? 20 : 12;
    Time longest;
    for (const auto& [sender, receiver] : scenario.GetEnds())
    {
        longest = std::max(longest, 2 * GetProtectedDelay(scenario.GetNetwork(), sender, receiver));
    }
    if (m_time < enough * longest)
    {
        scenario.AddCaution("AssociationTime, KeyExchange: successors may come behind the end of "
                            "their association, and packets wait for them then; " +
                            std::to_string(enough) + " round trips, " +
                            std::to_string((enough * longest).GetSeconds()) +
                            " s here, are enough");
    }
}

std::string
IwarpIpsecPart::CheckTime(const IwarpNetwork& network, const IwarpTopology::Ends& ends) const
{
    for (const auto& [sender, receiver] : ends)
    {
        const Time way = GetProtectedDelay(network, sender, receiver);
        const Time least = m_keyExchange ? 2 * way : way;
        if (m_time.IsStrictlyPositive() && m_time <= least)
        {
            return std::string("AssociationTime") + (m_keyExchange ? ", KeyExchange" : "") +
                   ": packets between hosts " + std::to_string(sender) + " and " +
                   std::to_string(receiver) + " would come behind the life of their association, " +
                   std::to_string(least.GetSeconds()) +
                   " s after it began; give it several times that";
        }
    }
    return "";
}

std::string
IwarpIpsecPart::CheckGateways(const IwarpNetwork& network, const IwarpTopology::Ends& ends) const
{
    for (const auto& [sender, receiver] : ends)
    {
        const Ptr<Node> from = FindGatewayDevice(network, sender)->GetNode();
        const Ptr<Node> to = FindGatewayDevice(network, receiver)->GetNode();
        if (from == to || from == network.GetHost(sender) || from == network.GetHost(receiver))
        {
            return "Ipsec: hosts " + std::to_string(sender) + " and " + std::to_string(receiver) +
                   " have no two routers between them that could be gateways";
        }
    }
    return "";
}

void
IwarpIpsecPart::Install(iwarp::ScenarioNetwork& network) const
{
    IpsecHelper helper(m_cipher);
    helper.GetProposal() = MakeProposal();
    helper.SetSharing(m_sharing);
    if (m_keyExchange)
    {
        helper.SetKeying(CreateObject<IkeKeying>());
    }
    helper.GetKeying()->AssignStreams(network.GetKeyStream());
    WarnOfTime(network);
    auto collector = Create<iwarp::IpsecCollector>(helper, m_real);
    if (IsAtRouters())
    {
        ProtectRouters(network, helper, *collector);
    }
    if (IsAtHosts())
    {
        ProtectHosts(network, helper, *collector);
    }
    const bool enciphered = m_real && FindEspTransform(m_cipher)->keySize > 0;
    collector->SetTap(
        iwarp::TapScenario(m_place, enciphered, network.GetNetwork(), network.GetEnds()));
    network.AddCollector(iwarp::ScenarioNetwork::Section::STACKS, collector);
}

void
IwarpIpsecPart::ProtectHosts(const iwarp::ScenarioNetwork& scenario,
                             IpsecHelper& helper,
                             iwarp::IpsecCollector& collector) const
{
    const IwarpNetwork& network = scenario.GetNetwork();
    const auto ways = ListWays(scenario.GetEnds());
    NodeContainer nodes;
    uint32_t last = UINT32_MAX;
    for (const auto& [host, peer] : ways) // by host
    {
        if (host != last)
        {
            nodes.Add(network.GetHost(host));
            collector.Attach(helper.Install(network.GetHost(host)));
        }
        last = host;
    }
    if (m_place != Place::TUNNEL)
    {
        helper.ProtectTransport(nodes);
        if (scenario.GetParts().GetWorkload()->GetTransport() == IwarpWorkload::Transport::UDP)
        {
            ProtectRoce(nodes, helper);
        }
        return;
    }
    for (const auto& [from, to] : ways)
    {
        IpsecSelector selector;
        selector.source = IpsecPrefix(GetIpsecAddress(network, from));
        selector.destination = IpsecPrefix(GetIpsecAddress(network, to));
        helper.ProtectTunnel(helper.Install(network.GetHost(from)),
                             selector,
                             GetIpsecAddress(network, from),
                             GetIpsecAddress(network, to));
    }
}

void
IwarpIpsecPart::ProtectRoce(const NodeContainer& nodes, IpsecHelper& helper)
{
    IpsecSelector out;
    out.protocol = UdpL4Protocol::PROT_NUMBER;
    out.destinationPorts = {RoceHead::PORT, RoceHead::PORT};
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto stack = (*node)->GetObject<IpsecStack>();
        helper.ProtectTransport(stack, out);
        helper.ProtectTransport(stack, out.GetReverse()); // what comes, which is not to be in clear
    }
}

void
IwarpIpsecPart::ProtectRouters(const iwarp::ScenarioNetwork& scenario,
                               IpsecHelper& helper,
                               iwarp::IpsecCollector& collector) const
{
    const IwarpNetwork& network = scenario.GetNetwork();
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
        const Ptr<NetDevice> device = FindGatewayDevice(network, host);
        const Ptr<Node> router = device->GetNode();
        gateways.emplace(router->GetId(),
                         Gateway{router,
                                 IpsecHelper::GetAddress(device, network.IsIpv6()),
                                 IpsecPrefix(GetIpsecAddress(network, host), bits)});
        return router->GetId();
    };
    std::vector<std::pair<uint32_t, uint32_t>> routers;
    for (const auto& [sender, receiver] : scenario.GetEnds())
    {
        const uint32_t from = enter(sender);
        routers.emplace_back(from, enter(receiver));
    }
    for (const auto& [id, gateway] : gateways)
    {
        collector.Attach(helper.InstallGateway(gateway.router));
    }
    for (const auto& [from, to] : ListWays(routers))
    {
        const Gateway& here = gateways.at(from);
        const Gateway& there = gateways.at(to);
        IpsecSelector selector;
        selector.source = here.hosts;
        selector.destination = there.hosts;
        helper.ProtectTunnel(helper.InstallGateway(here.router), selector, here.end, there.end);
    }
}

} // namespace ns3
