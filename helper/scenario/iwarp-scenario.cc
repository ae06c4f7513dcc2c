/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-scenario.h"

#include "iwarp-scenario-check.h"
#include "iwarp-scenario-run.h"

#include "ns3/boolean.h"
#include "ns3/ipsec-policy-database.h"
#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-traffic-pattern.h"
#include "ns3/node-list.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-ecmp-routing.h"
#include "ns3/path-ranks.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IwarpScenario);

namespace
{

/// @return checker of attributes that are a place on the paths
Ptr<const AttributeChecker>
MakePlaceChecker()
{
    using iwarp::PathPlace;
    return iwarp::MakeEnumChecker(PathPlace::SENDER,
                                  "sender",
                                  PathPlace::CORE,
                                  "core",
                                  PathPlace::RECEIVER,
                                  "receiver");
}

/// @return checker of attributes that are a direction
Ptr<const AttributeChecker>
MakeDirectionChecker()
{
    using Direction = IwarpScenarioParameters::Direction;
    return iwarp::MakeEnumChecker(Direction::DATA,
                                  "data",
                                  Direction::ACKS,
                                  "acks",
                                  Direction::BOTH,
                                  "both");
}

} // namespace

template <typename T>
T IwarpScenario::*
IwarpScenario::Of(T IwarpScenarioParameters::*member)
{
    return member;
}

TypeId
IwarpScenario::GetTypeId()
{
    using P = IwarpScenarioParameters;
    static TypeId tid =
        TypeId("ns3::IwarpScenario")
            .SetParent<Object>()
            .SetGroupName("Iwarp")
            .AddConstructor<IwarpScenario>()
            .AddAttribute(
                "Topology",
                "Network: a class of IwarpTopology, such as dumbbell, pairs of hosts that "
                "share one bottleneck, or abilene, hosts in the cities of a backbone; file:PATH "
                "reads it from a file",
                StringValue("dumbbell"),
                MakeStringAccessor(Of(&P::topology)),
                MakeStringChecker())
            .AddAttribute("Ecmp",
                          "What equal paths are picked by: a hash of the flow, at random for each "
                          "packet, or packets in turn",
                          iwarp::MakeEnumValue(PathSpreading::FLOW),
                          iwarp::MakeEnumAccessor(Of(&P::ecmp)),
                          iwarp::MakeEnumChecker(PathSpreading::FLOW,
                                                 "flow",
                                                 PathSpreading::RANDOM,
                                                 "random",
                                                 PathSpreading::ROUND_ROBIN,
                                                 "round-robin"))
            .AddAttribute("Ipv6",
                          "Use IPv6 rather than IPv4",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::ipv6)),
                          MakeBooleanChecker())
            .AddAttribute("Pattern",
                          "Who sends to whom: the topology's pairs of hosts; each host to each "
                          "other; IncastSenders hosts to one; or each host to one other, drawn at "
                          "random, so that each receives from one",
                          iwarp::MakeEnumValue(iwarp::TrafficPattern::PAIRS),
                          iwarp::MakeEnumAccessor(Of(&P::pattern)),
                          iwarp::MakeEnumChecker(iwarp::TrafficPattern::PAIRS,
                                                 "pairs",
                                                 iwarp::TrafficPattern::ALL_TO_ALL,
                                                 "all-to-all",
                                                 iwarp::TrafficPattern::INCAST,
                                                 "incast",
                                                 iwarp::TrafficPattern::PERMUTATION,
                                                 "permutation"))
            .AddAttribute("IncastSenders",
                          "Hosts that send in an incast; 0 is all but the one that receives",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::incastSenders)),
                          MakeUintegerChecker<uint32_t>(0, 16383))
            .AddAttribute("Flows",
                          "Connections, each between two hosts of its own unless HostPairs says "
                          "otherwise; with another Pattern than pairs, those of each sender with "
                          "each of its receivers",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::flows)),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute(
                "HostPairs",
                "Pairs of hosts over which the flows are spread; 0 gives each flow a "
                "pair of its own, 1 has all flows between the same two hosts. With another "
                "Pattern, half of the hosts, where the topology does not say how many",
                UintegerValue(0),
                MakeUintegerAccessor(Of(&P::hostPairs)),
                MakeUintegerChecker<uint32_t>(0, 16384))
            .AddAttribute(
                "Impairment",
                "What harms packets: a class of PathImpairment, such as random, which has "
                "Loss, Reordering and Duplication, or several joined by + that packets meet in "
                "this order",
                StringValue("random"),
                MakeStringAccessor(Of(&P::impairment)),
                MakeStringChecker())
            .AddAttribute("ImpairmentPlace",
                          "Links that have an impairment each: those of the sending hosts, those "
                          "between routers, or those of the receiving hosts",
                          iwarp::MakeEnumValue(iwarp::PathPlace::RECEIVER),
                          iwarp::MakeEnumAccessor(Of(&P::impairedPlace)),
                          MakePlaceChecker())
            .AddAttribute("ImpairmentDirection",
                          "Packets that meet impairments: those of the data's direction, those of "
                          "the acknowledgements', or both",
                          iwarp::MakeEnumValue(Direction::DATA),
                          iwarp::MakeEnumAccessor(Of(&P::impairedDirection)),
                          MakeDirectionChecker())
            .AddAttribute("ReorderingDelay",
                          "Longest time for which a packet is held back, or by which a copy comes "
                          "later; times are uniform between 0 and this",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(Of(&P::reorderingDelay)),
                          MakeTimeChecker(Time(0), Seconds(100)))
            .AddAttribute("Middlebox",
                          "What stands in the middle of links: none, or a class of PathMiddlebox",
                          StringValue("none"),
                          MakeStringAccessor(Of(&P::middlebox)),
                          MakeStringChecker())
            .AddAttribute("MiddleboxPlace",
                          "Links that have a middlebox each: those of the sending hosts, those "
                          "between routers, or those of the receiving hosts",
                          iwarp::MakeEnumValue(iwarp::PathPlace::CORE),
                          iwarp::MakeEnumAccessor(Of(&P::middleboxPlace)),
                          MakePlaceChecker())
            .AddAttribute("SplitProxy",
                          "Whether a TcpSplitProxy at the router next to a host ends connections "
                          "to the host and begins others there; with hosts that are joined by "
                          "routers, without IPsec",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::splitProxy)),
                          MakeBooleanChecker())
            .AddAttribute(
                "LinkSchedule",
                "Changes of links in mid-run, such as "
                "10ms:rate=1Gbps,20ms:delay=1ms,25ms:mtu=1000,30ms:down,31ms:up, at simulated "
                "times; "
                "the first flow starts at 1ms",
                StringValue(""),
                MakeStringAccessor(Of(&P::linkSchedule)),
                MakeStringChecker())
            .AddAttribute("LinkSchedulePlace",
                          "Links that change: those of the sending hosts, those between routers, "
                          "or those of the receiving hosts",
                          iwarp::MakeEnumValue(iwarp::PathPlace::CORE),
                          iwarp::MakeEnumAccessor(Of(&P::schedulePlace)),
                          MakePlaceChecker())
            .AddAttribute("CrossTraffic",
                          "Traffic beside the flows, between pairs of hosts of its own that the "
                          "topology adds: none; udp, at a rate; tcp, ns-3's own, all it can",
                          StringValue("none"),
                          MakeStringAccessor(Of(&P::crossTraffic)),
                          MakeStringChecker())
            .AddAttribute("CrossFlows",
                          "Flows of the cross traffic, each with a pair of hosts",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::crossFlows)),
                          MakeUintegerChecker<uint32_t>(1, 8192))
            .AddAttribute("CrossRate",
                          "Payload of each flow of the cross traffic's UDP, in datagrams as large "
                          "as the MTU allows",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(Of(&P::crossRate)),
                          MakeDataRateChecker())
            .AddAttribute("CrossDirection",
                          "Where the payload of the cross traffic goes: with the flows' data, with "
                          "their acknowledgements, or both ways",
                          iwarp::MakeEnumValue(Direction::DATA),
                          iwarp::MakeEnumAccessor(Of(&P::crossDirection)),
                          MakeDirectionChecker())
            .AddAttribute("CrossCongestionControl",
                          "Congestion control of the cross traffic's TCP: an ns-3 "
                          "TcpCongestionOps, with or without ns3:: before it",
                          StringValue("TcpCubic"),
                          MakeStringAccessor(Of(&P::crossControl)),
                          MakeStringChecker())
            .AddAttribute("CongestionControl",
                          "Congestion control of TCP: an ns-3 TcpCongestionOps, with or without "
                          "ns3:: before it",
                          StringValue("TcpCubic"),
                          MakeStringAccessor(Of(&P::congestionControl)),
                          MakeStringChecker())
            .AddAttribute("WindowRate",
                          "Rate that the receive window is to allow over WindowRtt; their product "
                          "replaces ReceiveBuffer (RFC 5041 Appendix A). 0 leaves ReceiveBuffer",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(Of(&P::windowRate)),
                          MakeDataRateChecker())
            .AddAttribute("WindowRtt",
                          "Round-trip time that WindowRate reckons with",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(Of(&P::windowRtt)),
                          MakeTimeChecker(Time(0), Seconds(60)))
            .AddAttribute("Ipsec",
                          "Where ESP protects TCP: nowhere; between the hosts in transport or in "
                          "tunnel mode; in a tunnel between the routers next to them; or nested, "
                          "transport mode between the hosts within the routers' tunnel",
                          iwarp::MakeEnumValue(P::Ipsec::NONE),
                          iwarp::MakeEnumAccessor(Of(&P::ipsec)),
                          iwarp::MakeEnumChecker(P::Ipsec::NONE,
                                                 "none",
                                                 P::Ipsec::TRANSPORT,
                                                 "transport",
                                                 P::Ipsec::TUNNEL,
                                                 "tunnel",
                                                 P::Ipsec::GATEWAY,
                                                 "gateway",
                                                 P::Ipsec::NESTED,
                                                 "nested"))
            .AddAttribute("Cipher",
                          "Cipher of ESP, with octets of ICV and bits of key, or with a MAC",
                          StringValue("aes-gcm-16-128"),
                          MakeStringAccessor(Of(&P::cipher)),
                          MakeStringChecker())
            .AddAttribute("IpsecReal",
                          "Encipher octets, rather than add what enciphering adds to them",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::ipsecReal)),
                          MakeBooleanChecker())
            .AddAttribute("IpsecSharing",
                          "What shares a security association: all traffic of a policy, that of a "
                          "pair of hosts, or that of a connection",
                          iwarp::MakeEnumValue(IpsecSharing::HOSTS),
                          iwarp::MakeEnumAccessor(Of(&P::ipsecSharing)),
                          iwarp::MakeEnumChecker(IpsecSharing::POLICY,
                                                 "policy",
                                                 IpsecSharing::HOSTS,
                                                 "hosts",
                                                 IpsecSharing::CONNECTION,
                                                 "connection"))
            .AddAttribute("ReplayWindow",
                          "Anti-replay window of ESP, 32 to 4096; 0 is none [packets]",
                          UintegerValue(64),
                          MakeUintegerAccessor(Of(&P::replayWindow)),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("ExtendedSequence",
                          "Sequence numbers of ESP have 64 bits, of which packets carry 32",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::extendedSequence)),
                          MakeBooleanChecker())
            .AddAttribute("IpsecUdp",
                          "ESP goes in UDP, as through a NAT (RFC 3948)",
                          BooleanValue(false),
                          MakeBooleanAccessor(Of(&P::ipsecUdp)),
                          MakeBooleanChecker())
            .AddAttribute(
                "KeyExchange",
                "Keys come by messages through the network, after IKEv2 (IkeKeying.… sets "
                "its attributes), rather than at once",
                BooleanValue(false),
                MakeBooleanAccessor(Of(&P::keyExchange)),
                MakeBooleanChecker())
            .AddAttribute("AssociationOctets",
                          "Octets after which nothing goes through a security association; with "
                          "KeyExchange it is replaced at 80 % of them; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::ipsecOctets)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AssociationPackets",
                          "As AssociationOctets, in packets; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(Of(&P::ipsecPackets)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AssociationTime",
                          "As AssociationOctets, since it was made; more than the way takes, or "
                          "with KeyExchange "
                          "a round trip; 0 is no limit",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(Of(&P::ipsecTime)),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Rnic",
                          "RNIC of each host: none, or a profile; Rnic.… sets its attributes",
                          StringValue("none"),
                          MakeStringAccessor(Of(&P::rnic)),
                          MakeStringChecker())
            .AddAttribute("EspEngine",
                          "What does ESP at each node that protects by IPsec: none, which takes no "
                          "time; inline, lookaside or software, which take what EspEngine.… says; "
                          "or a profile",
                          StringValue("none"),
                          MakeStringAccessor(Of(&P::espEngine)),
                          MakeStringChecker())
            .AddAttribute("Workload",
                          "What flows carry: a class of IwarpWorkload, such as mpa, ULPDUs of MPA "
                          "alone; rdma-write, rdma-read, which the receiver posts, and send, the "
                          "same over verbs; rounds, reads of all flows with a barrier; storage, "
                          "requests whose data go inline or by RDMA; "
                          "perf, a test of the perftest suite",
                          StringValue("mpa"),
                          MakeStringAccessor(Of(&P::workload)),
                          MakeStringChecker())
            .AddAttribute("Duration",
                          "Longest time for which flows send; 0 is no limit, Octets decides",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(Of(&P::duration)),
                          MakeTimeChecker(Time(0), Seconds(1000000)))
            .AddAttribute("StartSpread",
                          "Flows start at random within this time",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(Of(&P::startSpread)),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("PlainTcp",
                          "Run the same flows over ns-3's own TCP too, for the plain_tcp_ metrics",
                          BooleanValue(true),
                          MakeBooleanAccessor(Of(&P::plainTcp)),
                          MakeBooleanChecker())
            .AddAttribute("Seed",
                          "Seed of all random numbers",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::seed)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Run",
                          "Run number: runs of one seed are independent of each other",
                          UintegerValue(1),
                          MakeUintegerAccessor(Of(&P::run)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("TimeLimit",
                          "Simulated time after which a run that is not over has failed",
                          TimeValue(Seconds(1000)),
                          MakeTimeAccessor(Of(&P::timeLimit)),
                          MakeTimeChecker(MilliSeconds(1), Seconds(1000000)))
            .AddAttribute("Pcap",
                          "Write what the hosts send and receive to pcap files whose names begin "
                          "with this, and with IpsecReal the keys of ESP; empty writes none",
                          StringValue(""),
                          MakeStringAccessor(Of(&P::pcap)),
                          MakeStringChecker());
    return tid;
}

IwarpScenario::IwarpScenario() = default;
IwarpScenario::~IwarpScenario() = default;

void
IwarpScenario::SetTopology(Ptr<IwarpTopology> topology)
{
    ownTopology = topology;
}

void
IwarpScenario::SetWorkload(Ptr<IwarpWorkload> workload)
{
    ownWorkload = workload;
}

void
IwarpScenario::SetObserver(std::function<void(IwarpNetwork&)> function)
{
    observer = std::move(function);
}

std::string
IwarpScenario::Check() const
{
    return iwarp::CheckScenario(*this);
}

std::string
IwarpScenario::CheckNow() const
{
    const std::string problem = Check();
    if (problem.empty() && ranks::GetCount() > 1)
    {
        return "a scenario runs in one process: it counts at both ends of each flow, and ends when "
               "all octets have come; share out a network of IwarpNetwork, or sweep scenarios";
    }
    if (problem.empty() && NodeList::GetNNodes() > 0)
    {
        return "a scenario needs the simulator for itself: run it before nodes are created, or "
               "after Simulator::Destroy()";
    }
    return problem;
}

std::string
IwarpScenario::FindMap(IwarpNetworkMap& map) const
{
    const std::string problem = CheckNow();
    return problem.empty() ? iwarp::MapScenario(*this, map) : problem;
}

bool
IwarpScenario::Run()
{
    m_metrics.clear();
    m_report.clear();
    m_cautions.clear();
    m_streams.clear();
    m_error = CheckNow();
    if (m_error.empty())
    {
        IwarpScenarioRun run(*this);
        m_error = run.Run();
        m_streams = run.GetRandomStreams();
        if (m_error.empty())
        {
            m_metrics = run.GetMetrics();
            m_report = run.GetReport();
            m_cautions = run.GetCautions();
        }
    }
    return m_error.empty();
}

const std::string&
IwarpScenario::GetError() const
{
    return m_error;
}

const std::vector<AppMetric>&
IwarpScenario::GetMetrics() const
{
    return m_metrics;
}

const std::vector<std::string>&
IwarpScenario::GetCautions() const
{
    return m_cautions;
}

const std::vector<iwarp::RandomStreams::Range>&
IwarpScenario::GetRandomStreams() const
{
    return m_streams;
}

const std::string&
IwarpScenario::GetReport() const
{
    return m_report;
}

} // namespace ns3
