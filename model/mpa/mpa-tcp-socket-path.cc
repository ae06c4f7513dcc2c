/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
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
#include "ns3/tcp-datagram-sizes.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-mss-option.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-tx-buffer.h"

#include <optional>

/**
 * @file
 * @ingroup iwarp-mpa
 * MpaTcpSocket: the size of its segments, as route, path, options and peer determine it.
 */

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

void
MpaTcpSocket::SetPathOverhead(uint32_t octets)
{
    m_pathMtu.overhead = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
MpaTcpSocket::GetPathOverhead() const
{
    return m_pathMtu.overhead;
}

void
MpaTcpSocket::SetMaxEmss(uint32_t octets)
{
    m_pathMtu.limit = octets;
    UpdateEmss(m_timestampEnabled);
}

uint32_t
MpaTcpSocket::GetMaxEmss() const
{
    return m_pathMtu.limit;
}

void
MpaTcpSocket::SetPathMtu(uint32_t mtu)
{
    NS_LOG_FUNCTION(this << mtu);
    NS_ABORT_MSG_IF(mtu < 68, "a path MTU is at least 68 octets (RFC 791), not " << mtu);
    m_pathMtu.pathMtu = mtu;
    UpdateEmss(m_timestampEnabled);
}

bool
MpaTcpSocket::IsIpv4() const
{
    return !m_endPoint6 || m_endPoint6->GetPeerAddress().IsIpv4MappedAddress();
}

Ptr<NetDevice>
MpaTcpSocket::FindRouteDevice() const
{
    Socket::SocketErrno errorCode;
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
        return route ? route->GetOutputDevice() : nullptr;
    }
    Ptr<Ipv6L3Protocol> ip = m_node->GetObject<Ipv6L3Protocol>();
    Ipv6Header header;
    header.SetDestination(m_endPoint6->GetPeerAddress());
    Ptr<Ipv6Route> route =
        ip && ip->GetRoutingProtocol()
            ? ip->GetRoutingProtocol()->RouteOutput(nullptr, header, m_boundnetdevice, errorCode)
            : nullptr;
    return route ? route->GetOutputDevice() : nullptr;
}

uint32_t
MpaTcpSocket::FindRouteMtu() const
{
    const Ptr<NetDevice> device = FindRouteDevice();
    if (!device)
    {
        return 0;
    }
    const Ptr<TcpDatagramSizes> sizes = m_node->GetObject<TcpDatagramSizes>();
    return sizes ? sizes->GetInnerMtu(device->GetMtu(), GetLocalAddress(), GetPeerAddress())
                 : device->GetMtu();
}

Address
MpaTcpSocket::GetLocalAddress() const
{
    if (m_endPoint)
    {
        return InetSocketAddress(m_endPoint->GetLocalAddress(), m_endPoint->GetLocalPort());
    }
    return Inet6SocketAddress(m_endPoint6->GetLocalAddress(), m_endPoint6->GetLocalPort());
}

Address
MpaTcpSocket::GetPeerAddress() const
{
    if (m_endPoint)
    {
        return InetSocketAddress(m_endPoint->GetPeerAddress(), m_endPoint->GetPeerPort());
    }
    return Inet6SocketAddress(m_endPoint6->GetPeerAddress(), m_endPoint6->GetPeerPort());
}

void
MpaTcpSocket::LearnPeerMss(const TcpHeader& header)
{
    m_pathMtu.peerMss = m_peerMssDefault;
    if (auto option = DynamicCast<const TcpOptionMSS>(header.GetOption(TcpOption::MSS)))
    {
        m_pathMtu.peerMss = option->GetMSS();
    }
}

void
MpaTcpSocket::UpdateEmss(bool timestamps)
{
    NS_LOG_FUNCTION(this << timestamps);
    const uint32_t emss = m_pathMtu.GetEmss(timestamps);
    if (emss == 0)
    {
        return; // no route is known yet
    }
    NS_LOG_LOGIC(this << " peer MSS " << m_pathMtu.peerMss << " EMSS " << emss);
    const bool keepWhole = m_fragmentOnShrink && m_txBuffer->Size() > 0;
    const uint32_t segmentSize = m_segmenter.SetEmss(emss, keepWhole);
    m_tcb->m_segmentSize = segmentSize;
    m_txBuffer->SetSegmentSize(segmentSize);
    if (m_state >= ESTABLISHED && m_tcb->m_cWnd < segmentSize)
    { // TCP sends nothing through a congestion window of less than a segment
        m_tcb->m_cWnd = segmentSize;
    }
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
    NS_LOG_FUNCTION(this << address);
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
    NS_LOG_FUNCTION(this << header << fromAddress << toAddress);
    LearnPeerMss(header);
    StartFrom(header);
    EnterShard();
    TcpSocketBase::CompleteFork(p, header, fromAddress, toAddress);
    WatchEndPoint();
    // The initial windows have been reckoned before the route was known
    m_tcb->m_cWnd = GetInitialCwnd() * GetSegSize();
    m_tcb->m_cWndInfl = m_tcb->m_cWnd;
}

void
MpaTcpSocket::SendEmptyPacket(uint8_t flags)
{
    NS_LOG_FUNCTION(this << TcpHeader::FlagsToString(flags));
    // behind the last SYN, the application may let go of the socket
    Ptr<MpaTcpSocket> self(this);
    const TcpDontFragment::Mark mark(m_place.GetDontFragment());
    if ((flags & TcpHeader::SYN) && (m_endPoint || m_endPoint6))
    {
        SendSyn(flags);
        return;
    }
    // SND.NXT of RFC 9293, which TcpSocketBase has gone back from behind what was lost
    const SequenceNumber32 back = m_tcb->m_nextTxSequence;
    const bool finSent = m_state == FIN_WAIT_2 || m_state == TIME_WAIT;
    const SequenceNumber32 next = m_tcb->m_highTxMark + SequenceNumber32(finSent ? 1 : 0);
    if (next > back)
    {
        m_tcb->m_nextTxSequence = next;
    }
    const Time rto = m_rto;
    const bool running = !m_retxEvent.IsExpired();
    TcpSocketBase::SendEmptyPacket(flags);
    if (next > back)
    {
        m_tcb->m_nextTxSequence = back;
    }
    if (m_dataRetrCount < m_dataRetries)
    { // backed off, which TcpSocketBase forgets with each ACK that it sends: RFC 6298, (5.5)
        m_rto = rto;
    }
    if (flags & TcpHeader::FIN)
    {
        WatchFin(running);
    }
}

void
MpaTcpSocket::SendSyn(uint8_t flags)
{
    const bool again = !m_retxEvent.IsExpired();
    if (!again && m_synCount == 0)
    {
        FailConnecting();
        return;
    }
    EnterTable(false);
    m_pathMtu.routeMtu = FindRouteMtu();
    m_pathMtu.ipHeader = IsIpv4() ? IPV4_HEADER : IPV6_HEADER;
    if (GetMtuSettings().probing == TcpMtuSettings::Probing::ALWAYS)
    {
        StartMtuSearch();
        m_pathMtu.pathMtu = m_search->GetMtu();
    }
    UpdateEmss(m_timestampEnabled);
    std::optional<TcpMssInserter> option;
    if (m_mssOption)
    {
        option.emplace(m_tcp, m_pathMtu.GetMss());
    }
    for (auto& sent : m_history)
    { // RFC 6298 section 3; TcpSocketBase looks for octets sent again, of which a SYN has none
        sent.retx = true;
    }
    if (again)
    {
        AnswerSynAgain(flags);
    }
    else
    {
        TcpSocketBase::SendEmptyPacket(flags);
    }
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

bool
MpaTcpSocket::IsOutstanding(SequenceNumber32 seq) const
{
    if (m_state == SYN_SENT || m_state == SYN_RCVD)
    {
        return seq == m_tcb->m_nextTxSequence;
    }
    const bool fin = m_state == FIN_WAIT_1 || m_state == CLOSING || m_state == LAST_ACK;
    return seq >= m_txBuffer->HeadSequence() &&
           seq < m_tcb->m_highTxMark + SequenceNumber32(fin ? 1 : 0);
}

void
MpaTcpSocket::OnIcmp(Ipv4Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP_UNREACHABLE && code == ICMP_FRAG_NEEDED && info >= m_minPathMtu &&
        !GetMtuSettings().ignoreIcmp)
    {
        NoticePathMtu(info);
    }
    TcpSocketBase::ForwardIcmp(from, ttl, type, code, info);
}

void
MpaTcpSocket::OnIcmp6(Ipv6Address from, uint8_t ttl, uint8_t type, uint8_t code, uint32_t info)
{
    if (type == ICMP6_PACKET_TOO_BIG && info >= m_minPathMtu6 && !GetMtuSettings().ignoreIcmp)
    {
        NoticePathMtu(info);
    }
    TcpSocketBase::ForwardIcmp6(from, ttl, type, code, info);
}

} // namespace ns3
