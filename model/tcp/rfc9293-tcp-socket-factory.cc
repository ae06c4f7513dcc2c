/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rfc9293-tcp-socket-factory.h"

#include "tcp-dctcp-min-cwnd.h"
#include "tcp-end-point-table.h"
#include "tcp-prr-cwr.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Rfc9293TcpSocketFactory);

namespace
{

// @param tcp a node's TCP @param name attribute with a TypeId @return its value
TypeId
GetType(Ptr<TcpL4Protocol> tcp, const std::string& name)
{
    TypeIdValue value;
    tcp->GetAttribute(name, value);
    return value.Get();
}

} // namespace

TypeId
Rfc9293TcpSocketFactory::GetTypeId()
{
    static TypeId tid = AddAttributes(TypeId("ns3::Rfc9293TcpSocketFactory")
                                          .SetParent<SocketFactory>()
                                          .SetGroupName("Iwarp")
                                          .AddConstructor<Rfc9293TcpSocketFactory>());
    return tid;
}

TypeId
Rfc9293TcpSocketFactory::AddAttributes(TypeId tid)
{
    return AddLimits(AddMtuAttributes(tid));
}

TypeId
Rfc9293TcpSocketFactory::AddMtuAttributes(TypeId tid)
{
    using Probing = TcpMtuSettings::Probing;
    return tid
        .AddAttribute("MtuProbing",
                      "When segments larger than the path is known to take are tried (RFC "
                      "4821): Off, never; BlackHole, once full segments have vanished "
                      "MtuTimeouts times without an ICMP message; Always, from the start. As "
                      "Linux's tcp_mtu_probing 0, 1 and 2.",
                      iwarp::MakeEnumValue(Probing::OFF),
                      iwarp::MakeEnumAccessor(&Rfc9293TcpSocketFactory::m_probing),
                      iwarp::MakeEnumChecker(Probing::OFF,
                                             "Off",
                                             Probing::BLACK_HOLE,
                                             "BlackHole",
                                             Probing::ALWAYS,
                                             "Always"))
        .AddAttribute("BaseMss",
                      "Octets of a segment that any path is trusted to take, from which probing "
                      "begins (Linux: tcp_base_mss).",
                      UintegerValue(1024),
                      MakeUintegerAccessor(&Rfc9293TcpSocketFactory::m_baseMss),
                      MakeUintegerChecker<uint32_t>(TcpMtuSearch::LEAST_MSS, 65535))
        .AddAttribute("MtuTimeouts",
                      "Timeouts in a row of a segment larger than BaseMss that make a black "
                      "hole (Linux: tcp_retries1).",
                      UintegerValue(3),
                      MakeUintegerAccessor(&Rfc9293TcpSocketFactory::m_mtuTimeouts),
                      MakeUintegerChecker<uint32_t>(1, 100))
        .AddAttribute("ProbeInterval",
                      "How long a path MTU counts that was found by probing or told by ICMP. "
                      "Then larger segments are tried again (RFC 1191: 10 minutes).",
                      TimeValue(Seconds(600)),
                      MakeTimeAccessor(&Rfc9293TcpSocketFactory::m_probeInterval),
                      MakeTimeChecker(MilliSeconds(1), Seconds(1000000)))
        .AddAttribute("IgnoreIcmp",
                      "ICMP messages about the MTU of a path are not heeded, as by hosts that "
                      "breach RFC 1122.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&Rfc9293TcpSocketFactory::m_ignoreIcmp),
                      MakeBooleanChecker());
}

TypeId
Rfc9293TcpSocketFactory::AddLimits(TypeId tid)
{
    return tid
        .AddAttribute("SynBacklog",
                      "Most connections of a port that is listened on whose handshake is not "
                      "over (SYN_RCVD): a SYN beyond is dropped. The default is Linux's "
                      "(net.core.somaxconn).",
                      UintegerValue(4096),
                      MakeUintegerAccessor(&Rfc9293TcpSocketFactory::m_maxSynBacklog),
                      MakeUintegerChecker<uint32_t>(1))
        .AddTraceSource("SynBacklog",
                        "How many connections of a port are in SYN_RCVD has changed.",
                        MakeTraceSourceAccessor(&Rfc9293TcpSocketFactory::m_synBacklogTrace),
                        "ns3::Rfc9293TcpSocketFactory::SynBacklogTracedCallback")
        .AddAttribute("ChallengeInterval",
                      "A connection sends one challenge ACK at most in that time (RFC 5961 "
                      "section 7). The default is Linux's (tcp_invalid_ratelimit).",
                      TimeValue(MilliSeconds(500)),
                      MakeTimeAccessor(&Rfc9293TcpSocketFactory::m_challengeInterval),
                      MakeTimeChecker(Time(0), Seconds(1000)))
        .AddTraceSource("Challenges",
                        "Challenge ACKs that the node's connections have sent.",
                        MakeTraceSourceAccessor(&Rfc9293TcpSocketFactory::m_challenges),
                        "ns3::TracedValueCallback::Uint32")
        .AddTraceSource("ChallengesHeldBack",
                        "Segments that drew none, so soon behind another.",
                        MakeTraceSourceAccessor(&Rfc9293TcpSocketFactory::m_challengesHeldBack),
                        "ns3::TracedValueCallback::Uint32");
}

Ptr<TcpL4Protocol>
Rfc9293TcpSocketFactory::GetTcp(Ptr<const Object> object)
{
    Ptr<TcpL4Protocol> tcp = object->GetObject<TcpL4Protocol>();
    NS_ABORT_MSG_IF(!tcp, "the node has no TCP: install an internet stack first");
    return tcp;
}

TcpMtuSettings
Rfc9293TcpSocketFactory::GetMtuSettings() const
{
    return {m_probing, m_baseMss, m_mtuTimeouts, m_probeInterval, m_ignoreIcmp};
}

uint32_t
Rfc9293TcpSocketFactory::GetSynBacklog(uint16_t port) const
{
    const auto found = m_synBacklog.find(port);
    return found == m_synBacklog.end() ? 0 : found->second;
}

bool
Rfc9293TcpSocketFactory::IsSynBacklogFull(uint16_t port) const
{
    return GetSynBacklog(port) >= m_maxSynBacklog;
}

void
Rfc9293TcpSocketFactory::CountSyn(uint16_t port, bool more)
{
    uint32_t& waiting = m_synBacklog[port];
    waiting += more ? 1 : -1;
    m_synBacklogTrace(port, waiting);
}

bool
Rfc9293TcpSocketFactory::AllowChallenge(TcpChallengeLimit& limit)
{
    const bool allowed = limit.Allow(Simulator::Now(), m_challengeInterval);
    ++(allowed ? m_challenges : m_challengesHeldBack);
    return allowed;
}

Ptr<Rfc9293TcpSocketFactory>
Rfc9293TcpSocketFactory::Install(Ptr<Node> node)
{
    return InstallAs<Rfc9293TcpSocketFactory>(node);
}

Ptr<Rfc9293TcpSocket>
Rfc9293TcpSocketFactory::MakeSocket() const
{
    return CreateObject<Rfc9293TcpSocket>();
}

Ptr<Socket>
Rfc9293TcpSocketFactory::CreateSocket()
{
    return CreateSocket(GetType(GetTcp(this), "SocketType"));
}

Ptr<Rfc9293TcpSocket>
Rfc9293TcpSocketFactory::CreateSocket(TypeId congestion)
{
    return CreateSocket(congestion, GetType(GetTcp(this), "RecoveryType"));
}

Ptr<Rfc9293TcpSocket>
Rfc9293TcpSocketFactory::CreateSocket(TypeId congestion, TypeId recovery)
{
    Ptr<TcpL4Protocol> tcp = GetTcp(this);
    auto socket = MakeSocket();
    socket->SetNode(GetObject<Node>());
    socket->SetTcp(tcp);
    socket->SetRtt(
        ObjectFactory(GetType(tcp, "RttEstimatorType").GetName()).Create<RttEstimator>());
    const TypeId control =
        congestion == TcpDctcp::GetTypeId() ? TcpDctcpMinCwnd::GetTypeId() : congestion;
    socket->SetCongestionControlAlgorithm(
        ObjectFactory(control.GetName()).Create<TcpCongestionOps>());
    const TypeId reduction =
        recovery == TcpPrrRecovery::GetTypeId() ? TcpPrrCwr::GetTypeId() : recovery;
    socket->SetRecoveryAlgorithm(ObjectFactory(reduction.GetName()).Create<TcpRecoveryOps>());
    // it appears in a list of sockets once it is bound, in that of TCP or of a shard
    socket->SetEndPointTable(TcpEndPointTable::Install(GetObject<Node>()));
    return socket;
}

} // namespace ns3
