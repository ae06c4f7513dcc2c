/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-path-socket.h"

#include "rfc9293-tcp-socket-factory.h"
#include "tcp-datagram-sizes.h"
#include "tcp-option-inserter.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t IPV4_HEADER = 20;        // octets of a header without options
constexpr uint32_t IPV6_HEADER = 40;        // octets of a header without extensions
constexpr uint8_t ICMP_UNREACHABLE = 3;     // ICMP: destination unreachable …
constexpr uint8_t ICMP_FRAG_NEEDED = 4;     // … since it would have to be fragmented
constexpr uint8_t ICMP6_PACKET_TOO_BIG = 2; // ICMPv6

} // namespace

NS_LOG_COMPONENT_DEFINE("TcpPathSocket");

TypeId
TcpPathSocket::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute(
            "PathOverhead",
            "Octets that ESP and the like add to each segment; they lower the EMSS "
            "and the MSS that the peer is told.",
            UintegerValue(0),
            MakeUintegerAccessor(&TcpPathSocket::SetPathOverhead, &TcpPathSocket::GetPathOverhead),
            MakeUintegerChecker<uint32_t>(0, 1024))
        .AddAttribute("MaxEmss",
                      "Upper limit of the EMSS in octets.",
                      UintegerValue(65535),
                      MakeUintegerAccessor(&TcpPathSocket::SetMaxEmss, &TcpPathSocket::GetMaxEmss),
                      MakeUintegerChecker<uint32_t>(1, 65535))
        .AddAttribute("MinPathMtu",
                      "Least path MTU in octets that an ICMP message for IPv4 may tell; a "
                      "smaller one is ignored (RFC 5044 section 9.1).",
                      UintegerValue(576),
                      MakeUintegerAccessor(&TcpPathSocket::m_minPathMtu),
                      MakeUintegerChecker<uint32_t>(68, 65535))
        .AddAttribute("MinPathMtu6",
                      "Least path MTU in octets that an ICMPv6 message may tell; a smaller "
                      "one is ignored.",
                      UintegerValue(1280),
                      MakeUintegerAccessor(&TcpPathSocket::m_minPathMtu6),
                      MakeUintegerChecker<uint32_t>(68, 65535))
        .AddAttribute("PeerMssDefault",
                      "MSS in octets of a peer whose SYN has no MSS option. ns-3's own "
                      "sockets send none and take any segment, so the default is no limit; "
                      "RFC 1122 says 536.",
                      UintegerValue(65535),
                      MakeUintegerAccessor(&TcpPathSocket::m_peerMssDefault),
                      MakeUintegerChecker<uint32_t>(64, 65535))
        .AddAttribute("MssOption",
                      "SYN segments carry an MSS option, as those of real hosts do. ns-3's own "
                      "do not.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&TcpPathSocket::m_mssOption),
                      MakeBooleanChecker())
        .AddTraceSource("Emss",
                        "Octets of payload that a segment takes.",
                        MakeTraceSourceAccessor(&TcpPathSocket::m_emss),
                        "ns3::TracedValueCallback::Uint32");
}

TcpPathSocket::TcpPathSocket() = default;

TcpPathSocket::TcpPathSocket(const TcpPathSocket& other)
    : TcpSocketBase(other),
      m_path(other.m_path),
      m_minPathMtu(other.m_minPathMtu),
      m_minPathMtu6(other.m_minPathMtu6),
      m_peerMssDefault(other.m_peerMssDefault),
      m_mssOption(other.m_mssOption)
{
    m_place.SetTable(other.m_place.GetTable());
}

Ptr<Rfc9293TcpSocketFactory>
TcpPathSocket::GetFactory() const
{
    return Rfc9293TcpSocketFactory::Install(m_node);
}

// ---- the node's endpoint table ------------------------------------------------------------------

void
TcpPathSocket::SetEndPointTable(Ptr<TcpEndPointTable> table)
{
    m_place.SetTable(table);
}

TcpConnection*
TcpPathSocket::GetConnection() const
{
    return m_place.GetConnection();
}

Ipv4EndPoint*
TcpPathSocket::GetEndPoint() const
{
    return m_endPoint;
}

Ipv6EndPoint*
TcpPathSocket::GetEndPoint6() const
{
    return m_endPoint6;
}

uint32_t
TcpPathSocket::GetInlineOctets(SequenceNumber32 /* seq */, uint32_t /* size */) const
{
    return 0;
}

void
TcpPathSocket::ForEachSource(SequenceNumber32 /* seq */,
                             uint32_t size,
                             const TcpConnection::SourceFunction& visit) const
{
    visit(0, 0, size);
}

uint32_t
TcpPathSocket::GetRecordPart(SequenceNumber32 /* seq */) const
{
    return 0;
}

bool
TcpPathSocket::IsOutstanding(SequenceNumber32 seq) const
{
    if (m_state == SYN_SENT || m_state == SYN_RCVD)
    {
        return seq == m_tcb->m_nextTxSequence;
    }
    const bool fin = m_state == FIN_WAIT_1 || m_state == CLOSING || m_state == LAST_ACK;
    return seq >= m_txBuffer->HeadSequence() &&
           seq < m_tcb->m_highTxMark + SequenceNumber32(fin ? 1 : 0);
}

bool
TcpPathSocket::CanSendPlain() const
{
    // what TcpSocketBase::AddSocketTags() looks at
    const bool tags = GetIpTos() != 0 || GetPriority() != 0 || IsManualIpv6Tclass() ||
                      IsManualIpTtl() || IsManualIpv6HopLimit() ||
                      m_tcb->m_ecnState != TcpSocketState::ECN_DISABLED ||
                      m_tcb->m_ecnMode == TcpSocketState::DctcpEcn;
    return !tags && m_place.GetConnection() && !m_place.GetTable()->HasChecksums() &&
           (m_endPoint || !m_endPoint6->GetPeerAddress().IsIpv4MappedAddress());
}

void
TcpPathSocket::SendPlain(const Ptr<Packet>& packet, const TcpHeaderFields& fields) const
{
    m_place.GetTable()->SendPlain(*m_place.GetConnection(),
                                  *m_tcp,
                                  packet,
                                  fields,
                                  m_boundnetdevice);
}

void
TcpPathSocket::EnterTable(bool listening)
{
    m_place.Enter(*this, listening);
}

void
TcpPathSocket::EnterShard()
{
    if (Ptr<TcpL4Protocol> shard = m_place.AcquireShard())
    {
        SetTcp(shard);
    }
}

uint16_t
TcpPathSocket::AcquirePort(bool ipv6)
{
    const uint16_t port = GetEnds().IsOpen() ? 0 : m_place.AcquirePort(ipv6);
    if (port > 0)
    {
        EnterShard();
    }
    return port;
}

int
TcpPathSocket::Bind()
{
    const uint16_t port = AcquirePort(false);
    return port > 0 ? TcpSocketBase::Bind(InetSocketAddress(Ipv4Address::GetAny(), port))
                    : TcpSocketBase::Bind();
}

int
TcpPathSocket::Bind6()
{
    const uint16_t port = AcquirePort(true);
    return port > 0 ? TcpSocketBase::Bind(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                    : TcpSocketBase::Bind6();
}

int
TcpPathSocket::Bind(const Address& address)
{
    if (InetSocketAddress::IsMatchingType(address))
    {
        auto where = InetSocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? AcquirePort(false) : 0;
        if (port > 0)
        {
            where.SetPort(port);
            return TcpSocketBase::Bind(where);
        }
    }
    else if (Inet6SocketAddress::IsMatchingType(address))
    {
        auto where = Inet6SocketAddress::ConvertFrom(address);
        const uint16_t port = where.GetPort() == 0 ? AcquirePort(true) : 0;
        if (port > 0)
        {
            where.SetPort(port);
            return TcpSocketBase::Bind(where);
        }
    }
    return TcpSocketBase::Bind(address);
}

void
TcpPathSocket::WatchEndPoint()
{
    const Ptr<TcpPathSocket> self(this);
    const bool known = m_place.GetConnection(); // the table delivers, and callbacks take memory
    if (m_endPoint && known)
    {
        m_endPoint->SetRxCallback(
            MakeNullCallback<void, Ptr<Packet>, Ipv4Header, uint16_t, Ptr<Ipv4Interface>>());
        m_endPoint->SetIcmpCallback(
            MakeNullCallback<void, Ipv4Address, uint8_t, uint8_t, uint8_t, uint32_t>());
    }
    else if (m_endPoint)
    {
        m_endPoint->SetRxCallback(MakeCallback(&TcpPathSocket::Receive, self));
        m_endPoint->SetIcmpCallback(
            MakeCallback(IcmpHandler<Ipv4Address>(&TcpPathSocket::DeliverIcmp), this));
    }
    if (m_endPoint6 && known)
    {
        m_endPoint6->SetRxCallback(
            MakeNullCallback<void, Ptr<Packet>, Ipv6Header, uint16_t, Ptr<Ipv6Interface>>());
        m_endPoint6->SetIcmpCallback(
            MakeNullCallback<void, Ipv6Address, uint8_t, uint8_t, uint8_t, uint32_t>());
    }
    else if (m_endPoint6)
    {
        m_endPoint6->SetRxCallback(MakeCallback(&TcpPathSocket::Receive6, self));
        m_endPoint6->SetIcmpCallback(
            MakeCallback(IcmpHandler<Ipv6Address>(&TcpPathSocket::DeliverIcmp), this));
    }
}

void
TcpPathSocket::Receive(Ptr<Packet> packet,
                       Ipv4Header header,
                       uint16_t port,
                       Ptr<Ipv4Interface> interface)
{
    Deliver(packet, header, port, interface);
}

void
TcpPathSocket::Receive6(Ptr<Packet> packet,
                        Ipv6Header header,
                        uint16_t port,
                        Ptr<Ipv6Interface> interface)
{
    Deliver(packet, header, port, interface);
}

void
TcpPathSocket::Deliver(const Ptr<Packet>& packet,
                       const Ipv4Header& header,
                       uint16_t port,
                       const Ptr<Ipv4Interface>& interface)
{
    NS_LOG_FUNCTION(this << packet << header << port << interface);
    const Ptr<TcpPathSocket> self(this); // of which the layer above may let go
    if (header.GetEcn() != Ipv4Header::ECN_NotECT)
    {
        PreviewSegment(packet);
        ForwardUp(packet, header, port, interface);
    }
    else if (!ReceiveFast(packet))
    {
        DoForwardUp(packet,
                    InetSocketAddress(header.GetSource(), port),
                    InetSocketAddress(header.GetDestination(), m_endPoint->GetLocalPort()));
    }
}

void
TcpPathSocket::Deliver(const Ptr<Packet>& packet,
                       const Ipv6Header& header,
                       uint16_t port,
                       const Ptr<Ipv6Interface>& interface)
{
    NS_LOG_FUNCTION(this << packet << header << port << interface);
    const Ptr<TcpPathSocket> self(this);
    if (header.GetEcn() != Ipv6Header::ECN_NotECT)
    {
        PreviewSegment(packet);
        ForwardUp6(packet, header, port, interface);
    }
    else if (!ReceiveFast(packet))
    {
        DoForwardUp(packet,
                    Inet6SocketAddress(header.GetSource(), port),
                    Inet6SocketAddress(header.GetDestination(), m_endPoint6->GetLocalPort()));
    }
}

// ---- the size of segments -----------------------------------------------------------------------

void
TcpPathSocket::SetPathOverhead(uint32_t octets)
{
    m_path.GetSizes().overhead = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
TcpPathSocket::GetPathOverhead() const
{
    return m_path.GetSizes().overhead;
}

void
TcpPathSocket::SetMaxEmss(uint32_t octets)
{
    m_path.GetSizes().limit = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
TcpPathSocket::GetMaxEmss() const
{
    return m_path.GetSizes().limit;
}

void
TcpPathSocket::SetPathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    NS_ABORT_MSG_IF(mtu < 68, "a path MTU is at least 68 octets (RFC 791), not " << mtu);
    m_path.GetSizes().pathMtu = mtu;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
TcpPathSocket::GetEmss() const
{
    return std::max(m_emss.Get(), m_path.GetAllowedProbe());
}

uint32_t
TcpPathSocket::GetHeaders() const
{
    return m_path.GetSizes().GetHeaders(m_timestampEnabled);
}

uint32_t
TcpPathSocket::FindRouteMtu() const
{
    const TcpEndPointPair ends = GetEnds();
    const Ptr<NetDevice> device = ends.FindRouteDevice(*m_node, m_boundnetdevice);
    if (!device)
    {
        return 0;
    }
    const Ptr<TcpDatagramSizes> sizes = m_node->GetObject<TcpDatagramSizes>();
    return sizes
               ? sizes->GetInnerMtu(device->GetMtu(), ends.GetLocalAddress(), ends.GetPeerAddress())
               : device->GetMtu();
}

void
TcpPathSocket::PrepareSyn(std::optional<TcpOptionInserter>& option)
{
    EnterTable(false);
    TcpPathMtu& sizes = m_path.GetSizes();
    sizes.routeMtu = FindRouteMtu();
    sizes.ipHeader = GetEnds().IsIpv4() ? IPV4_HEADER : IPV6_HEADER;
    m_path.Start(GetFactory()->GetMtuSettings(), m_timestampEnabled, Simulator::Now());
    UpdateEmss(m_timestampEnabled);
    if (m_mssOption)
    {
        option.emplace(m_tcp, [mss = sizes.GetMss()](const TcpHeader& header) {
            return TcpAddMssOption(header, mss);
        });
    }
}

void
TcpPathSocket::LearnPeerMss(const TcpHeader& header)
{
    m_path.GetSizes().peerMss = m_peerMssDefault;
    if (auto option = DynamicCast<const TcpOptionMSS>(header.GetOption(TcpOption::MSS)))
    {
        m_path.GetSizes().peerMss = option->GetMSS();
    }
}

uint32_t
TcpPathSocket::UpdateSegmentSize(uint32_t emss)
{
    return emss;
}

void
TcpPathSocket::NotifyEmss(uint32_t /* emss */)
{
}

void
TcpPathSocket::UpdateEmss(bool timestamps)
{
    NS_LOG_FUNCTION(this << timestamps);
    const uint32_t emss = m_path.GetSizes().GetEmss(timestamps);
    if (emss == 0)
    {
        return; // no route is known yet
    }
    NS_LOG_LOGIC(this << " peer MSS " << m_path.GetSizes().peerMss << " EMSS " << emss);
    const uint32_t segmentSize = UpdateSegmentSize(emss);
    m_tcb->m_segmentSize = segmentSize;
    m_txBuffer->SetSegmentSize(segmentSize);
    if (m_state >= ESTABLISHED && m_tcb->m_cWnd < segmentSize)
    { // TCP sends nothing through a congestion window of less than a segment
        m_tcb->m_cWnd = segmentSize;
    }
    const bool changed = m_emss != emss;
    m_emss = emss;
    if (changed)
    {
        NotifyEmss(emss);
    }
}

// ---- the MTU of the path, as the connection learns of it ----------------------------------------

void
TcpPathSocket::RaiseIpPathMtu(uint32_t mtu)
{
    const TcpEndPointPair ends = GetEnds();
    const bool larger = !ends.IsIpv4() && mtu > m_emss + GetHeaders();
    if (const Ptr<NetDevice> device =
            larger ? ends.FindRouteDevice(*m_node, m_boundnetdevice) : nullptr)
    { // all that the link takes, since other connections may know of more than this one
        m_node->GetObject<Ipv6L3Protocol>()->SetPmtu(m_endPoint6->GetPeerAddress(),
                                                     device->GetMtu());
    }
}

void
TcpPathSocket::UsePathMtu()
{
    const uint32_t mtu = m_path.GetSizes().pathMtu;
    NS_LOG_FUNCTION(this << mtu);
    RaiseIpPathMtu(mtu);
    UpdateEmss(m_timestampEnabled);
}

void
TcpPathSocket::OfferProbe()
{
    if (!m_path.IsSearching() || m_state != ESTABLISHED || m_path.HasProbe())
    {
        return;
    }
    const Time now = Simulator::Now();
    if (m_path.IsDue(now) && m_path.Refresh(FindRouteMtu(), now))
    {
        UsePathMtu();
    }
    if (m_tcb->m_congState != TcpSocketState::CA_OPEN)
    {
        return;
    }
    if (const uint32_t probe = m_path.AllowProbe(m_emss, m_timestampEnabled, now))
    {
        NS_LOG_LOGIC(this << " probes with " << probe);
        RaiseIpPathMtu(probe + GetHeaders());
        NotifyEmss(probe);
    }
}

void
TcpPathSocket::EndProbe()
{
    if (m_path.EndProbe())
    {
        NotifyEmss(m_emss);
    }
}

void
TcpPathSocket::NotifyLost(SequenceNumber32 seq, uint32_t size)
{
    if (m_path.HasProbe() &&
        m_path.NotifyLost(seq, size, m_tcb->m_highTxMark, m_timestampEnabled, Simulator::Now()))
    {
        NS_LOG_LOGIC(this << " lost a probe");
    }
}

void
TcpPathSocket::NotifyAcknowledged()
{
    if (m_path.IsSearching() &&
        m_path.NotifyAcknowledged(m_txBuffer->HeadSequence(), m_timestampEnabled, Simulator::Now()))
    {
        NS_LOG_LOGIC(this << " a probe has come through");
        UsePathMtu();
    }
}

uint32_t
TcpPathSocket::GetFirstSegment() const
{
    return m_tcb->m_segmentSize;
}

void
TcpPathSocket::NotifyTimeout()
{
    if (m_state < ESTABLISHED || m_txBuffer->Size() == 0)
    {
        return;
    }
    const TcpMtuSettings settings = GetFactory()->GetMtuSettings();
    if (!settings.Probes())
    {
        return;
    }
    const Time now = Simulator::Now();
    m_path.Search(settings, m_timestampEnabled, now);
    const uint32_t segment = std::min(GetFirstSegment(), m_txBuffer->Size());
    if (m_path.NotifyTimeout(segment, m_timestampEnabled, now))
    {
        EndProbe();
        UsePathMtu();
    }
}

void
TcpPathSocket::NotifyPathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    const bool narrower =
        m_path.Narrow(mtu, GetFactory()->GetMtuSettings(), m_timestampEnabled, Simulator::Now());
    // That may be about a probe, of which what is in use remains. Until it is sent again, one that
    // is under way stays known, so that its loss is no congestion
    if (narrower || !m_path.IsProbeSent(m_tcb->m_highTxMark))
    {
        EndProbe();
    }
    if (narrower)
    {
        UpdateEmss(m_timestampEnabled);
        ResendAll();
    }
}

void
TcpPathSocket::DeliverIcmp(Ipv4Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP_UNREACHABLE && code == ICMP_FRAG_NEEDED && info >= m_minPathMtu &&
        !GetFactory()->GetMtuSettings().ignoreIcmp)
    {
        NotifyPathMtu(info);
    }
    ForwardIcmp(from, ttl, type, code, info);
}

void
TcpPathSocket::DeliverIcmp(Ipv6Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP6_PACKET_TOO_BIG && info >= m_minPathMtu6 &&
        !GetFactory()->GetMtuSettings().ignoreIcmp)
    {
        NotifyPathMtu(info);
    }
    ForwardIcmp6(from, ttl, type, code, info);
}

} // namespace ns3
