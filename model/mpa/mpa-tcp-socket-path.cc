/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/abort.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: the size of its segments, as route, path, options and peer determine it.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpaTcpSocketPath");

namespace
{

constexpr uint32_t TCP_HEADER = 20;         // octets of a TCP header without options
constexpr uint32_t TIMESTAMPS = 12;         // octets of the timestamps option with its padding
constexpr uint8_t ICMP_UNREACHABLE = 3;     // ICMP: destination unreachable …
constexpr uint8_t ICMP_FRAG_NEEDED = 4;     // … since it would have to be fragmented
constexpr uint8_t ICMP6_PACKET_TOO_BIG = 2; // ICMPv6

} // namespace

void
MpaTcpSocket::SetPathOverhead(uint32_t octets)
{
    m_pathOverhead = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
MpaTcpSocket::GetPathOverhead() const
{
    return m_pathOverhead;
}

void
MpaTcpSocket::SetMaxEmss(uint32_t octets)
{
    m_maxEmss = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
MpaTcpSocket::GetMaxEmss() const
{
    return m_maxEmss;
}

void
MpaTcpSocket::SetPathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    NS_ABORT_MSG_IF(mtu < 68, "a path MTU is at least 68 octets (RFC 791), not " << mtu);
    m_pathMtu = mtu;
    UpdateEmss(m_timestampEnabled);
}

bool
MpaTcpSocket::IsIpv4() const
{
    return !m_endPoint6 || m_endPoint6->GetPeerAddress().IsIpv4MappedAddress();
}

uint32_t
MpaTcpSocket::GetHeaderSize() const
{
    return (IsIpv4() ? 20 : 40) + TCP_HEADER;
}

uint32_t
MpaTcpSocket::FindRouteMtu() const
{
    Socket::SocketErrno errorCode;
    Ptr<NetDevice> device;
    if (IsIpv4())
    {
        Ptr<Ipv4> ip = m_node->GetObject<Ipv4>();
        Ipv4Header header;
        header.SetDestination(m_endPoint ? m_endPoint->GetPeerAddress()
                                         : m_endPoint6->GetPeerAddress().GetIpv4MappedAddress());
        Ptr<Ipv4Route> route = ip && ip->GetRoutingProtocol()
                                   ? ip->GetRoutingProtocol()->RouteOutput(nullptr,
                                                                           header,
                                                                           m_boundnetdevice,
                                                                           errorCode)
                                   : nullptr;
        device = route ? route->GetOutputDevice() : nullptr;
    }
    else
    {
        Ptr<Ipv6L3Protocol> ip = m_node->GetObject<Ipv6L3Protocol>();
        Ipv6Header header;
        header.SetDestination(m_endPoint6->GetPeerAddress());
        Ptr<Ipv6Route> route = ip && ip->GetRoutingProtocol()
                                   ? ip->GetRoutingProtocol()->RouteOutput(nullptr,
                                                                           header,
                                                                           m_boundnetdevice,
                                                                           errorCode)
                                   : nullptr;
        device = route ? route->GetOutputDevice() : nullptr;
    }
    return device ? device->GetMtu() : 0;
}

void
MpaTcpSocket::LearnPeerMss(const TcpHeader& header)
{
    m_peerMss = m_peerMssDefault;
    if (auto option = DynamicCast<const TcpOptionMSS>(header.GetOption(TcpOption::MSS)))
    {
        m_peerMss = option->GetMSS();
    }
}

void
MpaTcpSocket::UpdateEmss(bool timestamps)
{
    const uint32_t mtu = m_pathMtu && (m_pathMtu < m_routeMtu) ? m_pathMtu : m_routeMtu;
    if (mtu == 0)
    {
        return; // no route is known yet
    }
    // RFC 6691: the MSS option counts no options, the EMSS does
    const uint32_t options = timestamps ? TIMESTAMPS : 0;
    const uint32_t fixed = GetHeaderSize() + m_pathOverhead + options;
    const uint32_t emss = std::min(
        {m_maxEmss, mtu > fixed ? mtu - fixed : 1, m_peerMss > options ? m_peerMss - options : 1});
    NS_LOG_LOGIC(this << " path MTU " << mtu << " peer MSS " << m_peerMss << " EMSS " << emss);
    m_fillValid = false;
    if (m_fragmentOnShrink && m_alignment && m_txBuffer->Size() > 0 && emss < m_tcb->m_segmentSize)
    { // TCP goes on with its segments until the records that it holds have arrived
        m_wholeUpTo = m_wholeUpTo ? m_wholeUpTo : m_records.GetBack();
        SetEmss(emss);
        return;
    }
    m_wholeUpTo = 0;
    m_tcb->m_segmentSize = emss;
    m_txBuffer->SetSegmentSize(emss);
    if (m_state >= ESTABLISHED && m_tcb->m_cWnd < emss)
    { // TCP sends nothing through a congestion window of less than a segment
        m_tcb->m_cWnd = emss;
    }
    SetEmss(emss);
}

void
MpaTcpSocket::SetEmss(uint32_t emss)
{
    const bool changed = m_emss != emss;
    m_emss = emss;
    if (changed && m_user)
    {
        m_user->EmssChanged(emss);
    }
}

int
MpaTcpSocket::Connect(const Address& address)
{
    SizeReceiveBuffer();
    const int result = TcpSocketBase::Connect(address);
    WatchEndPoint();
    return result;
}

void
MpaTcpSocket::CompleteFork(Ptr<Packet> p,
                           const TcpHeader& header,
                           const Address& fromAddress,
                           const Address& toAddress)
{
    LearnPeerMss(header);
    EnterShard();
    TcpSocketBase::CompleteFork(p, header, fromAddress, toAddress);
    WatchEndPoint();
    // The initial windows have been reckoned before the route was known
    m_tcb->m_cWnd = GetInitialCwnd() * GetSegSize();
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
}

void
MpaTcpSocket::DoForwardUp(Ptr<Packet> packet, const Address& fromAddress, const Address& toAddress)
{
    if (m_state == LISTEN)
    { // what one peer does not do is no rule for the next one
        const bool sack = m_sackEnabled;
        const bool scaling = m_winScalingEnabled;
        const bool timestamps = m_timestampEnabled;
        TcpSocketBase::DoForwardUp(packet, fromAddress, toAddress);
        m_sackEnabled = sack;
        m_txBuffer->SetSackEnabled(sack);
        m_winScalingEnabled = scaling;
        m_timestampEnabled = timestamps;
        return;
    }
    if (m_state == SYN_SENT)
    {
        TcpHeader header;
        packet->PeekHeader(header);
        if (header.GetFlags() & TcpHeader::SYN)
        {
            LearnPeerMss(header);
            UpdateEmss(m_timestampEnabled && header.HasOption(TcpOption::TS));
        }
    }
    if (m_state == LAST_ACK || m_state == CLOSING)
    { // ns-3 takes any ACK for that of the FIN, and would give up what the peer has not got yet
        TcpHeader header;
        packet->PeekHeader(header);
        const uint8_t others = TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST;
        if ((header.GetFlags() & (TcpHeader::ACK | others)) == TcpHeader::ACK &&
            header.GetAckNumber() <= m_txBuffer->TailSequence())
        {
            packet->RemoveHeader(header);
            EstimateRtt(header);
            UpdateWindowSize(header);
            ReceivedAck(packet, header);
            return;
        }
    }
    TcpSocketBase::DoForwardUp(packet, fromAddress, toAddress);
}

void
MpaTcpSocket::LastAckTimeout()
{
    if (m_state == LAST_ACK && m_txBuffer->Size() > 0)
    { // the FIN waits for data that are sent again, with a timer and a limit of their own
        m_lastAckEvent = Simulator::Schedule(m_rto.Get(), &MpaTcpSocket::LastAckTimeout, this);
        return;
    }
    TcpSocketBase::LastAckTimeout();
}

void
MpaTcpSocket::SendEmptyPacket(uint8_t flags)
{
    if (!(flags & TcpHeader::SYN) || (!m_endPoint && !m_endPoint6))
    {
        TcpSocketBase::SendEmptyPacket(flags);
        return;
    }
    EnterTable(false);
    m_routeMtu = FindRouteMtu();
    UpdateEmss(m_timestampEnabled);
    if (!m_mssOption)
    {
        TcpSocketBase::SendEmptyPacket(flags);
        return;
    }
    // With the last SYN the base class reports failure, and the application may let go of the
    // socket
    Ptr<MpaTcpSocket> self(this);
    Ptr<TcpL4Protocol> tcp = m_tcp;
    // The base class builds the header and sends it in one go: the option is added below it
    m_down = tcp->GetDownTarget();
    m_down6 = tcp->GetDownTarget6();
    tcp->SetDownTarget(MakeCallback(&MpaTcpSocket::SendDown, this));
    tcp->SetDownTarget6(MakeCallback(&MpaTcpSocket::SendDown6, this));
    TcpSocketBase::SendEmptyPacket(flags);
    tcp->SetDownTarget(m_down);
    tcp->SetDownTarget6(m_down6);
    m_down.Nullify();
    m_down6.Nullify();
}

void
MpaTcpSocket::AddMss(Ptr<Packet> packet, const Address& from, const Address& to, uint8_t protocol)
{
    TcpHeader old;
    packet->RemoveHeader(old);
    TcpHeader header;
    header.SetSourcePort(old.GetSourcePort());
    header.SetDestinationPort(old.GetDestinationPort());
    header.SetSequenceNumber(old.GetSequenceNumber());
    header.SetAckNumber(old.GetAckNumber());
    header.SetFlags(old.GetFlags());
    header.SetWindowSize(old.GetWindowSize());
    header.SetUrgentPointer(old.GetUrgentPointer());
    const uint32_t fixed = GetHeaderSize() + m_pathOverhead;
    auto option = CreateObject<TcpOptionMSS>();
    option->SetMSS(m_routeMtu > fixed ? std::min<uint32_t>(m_routeMtu - fixed, 65535) : 1);
    header.AppendOption(option);
    for (const auto& other : old.GetOptionList())
    {
        if (other->GetKind() != TcpOption::END)
        {
            header.AppendOption(other);
        }
    }
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksums();
    }
    header.InitializeChecksum(from, to, protocol);
    packet->AddHeader(header);
}

void
MpaTcpSocket::SendDown(Ptr<Packet> packet,
                       Ipv4Address from,
                       Ipv4Address to,
                       uint8_t protocol,
                       Ptr<Ipv4Route> route)
{
    AddMss(packet, from, to, protocol);
    m_down(packet, from, to, protocol, route);
}

void
MpaTcpSocket::SendDown6(Ptr<Packet> packet,
                        Ipv6Address from,
                        Ipv6Address to,
                        uint8_t protocol,
                        Ptr<Ipv6Route> route)
{
    AddMss(packet, from, to, protocol);
    m_down6(packet, from, to, protocol, route);
}

void
MpaTcpSocket::WatchEndPoint()
{
    if (m_endPoint)
    {
        m_endPoint->SetRxCallback(MakeCallback(&MpaTcpSocket::Receive, Ptr<MpaTcpSocket>(this)));
        m_endPoint->SetIcmpCallback(MakeCallback(&MpaTcpSocket::OnIcmp, this));
    }
    if (m_endPoint6)
    {
        m_endPoint6->SetRxCallback(MakeCallback(&MpaTcpSocket::Receive6, Ptr<MpaTcpSocket>(this)));
        m_endPoint6->SetIcmpCallback(MakeCallback(&MpaTcpSocket::OnIcmp6, this));
    }
}

void
MpaTcpSocket::OnIcmp(Ipv4Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP_UNREACHABLE && code == ICMP_FRAG_NEEDED && info >= m_minPathMtu)
    {
        NoticePathMtu(info);
    }
    TcpSocketBase::ForwardIcmp(from, ttl, type, code, info);
}

void
MpaTcpSocket::OnIcmp6(Ipv6Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP6_PACKET_TOO_BIG && info >= m_minPathMtu6)
    {
        NoticePathMtu(info);
    }
    TcpSocketBase::ForwardIcmp6(from, ttl, type, code, info);
}

void
MpaTcpSocket::NoticePathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    if (mtu >= m_routeMtu || (m_pathMtu && mtu >= m_pathMtu))
    {
        return; // such a message never makes a path wider
    }
    m_pathMtu = mtu;
    UpdateEmss(m_timestampEnabled);
    ResendAll();
}

void
MpaTcpSocket::ResendAll()
{
    if (m_state < ESTABLISHED || UnAckDataCount() == 0 ||
        m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
        m_tcb->m_congState == TcpSocketState::CA_LOSS)
    {
        return; // nothing is in flight, or recovery resends it anyway
    }
    // RFC 1191 section 6.4: what was too big for the path is sent again at once. That is no sign of
    // congestion, so that the windows stay.
    m_dupAckCount = 0;
    if (!m_sackEnabled)
    {
        m_txBuffer->ResetRenoSack();
    }
    m_txBuffer->SetSentListLost(!m_sackEnabled);
    m_recover = m_tcb->m_highTxMark;
    m_recoverActive = true;
    m_tcb->m_congState = TcpSocketState::CA_LOSS;
    m_history.clear();
    SendPendingData(m_connected);
}

} // namespace ns3
