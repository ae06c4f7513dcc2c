/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-end-point-table.h"

#include "tcp-plain-header.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"
#include "ns3/tcp-header.h"

#include <boost/endian/conversion.hpp>
#include <type_traits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpEndPointTable");

NS_OBJECT_ENSURE_REGISTERED(TcpEndPointTable);

namespace
{

// @param allocated endpoint of a TcpL4Protocol, or nullptr @param tcp it @return its port, or 0;
// the endpoint is gone
template <typename E>
uint16_t
TakePort(E* allocated, TcpL4Protocol& tcp)
{
    if (!allocated)
    {
        return 0;
    }
    const uint16_t port = allocated->GetLocalPort();
    tcp.DeAllocate(allocated);
    return port;
}

// @param packet segment @param local destination @param peer source @return its checksum is good
template <typename A>
bool
IsIntact(const Ptr<Packet>& packet, const A& local, const A& peer)
{
    TcpHeader header;
    header.EnableChecksums();
    header.InitializeChecksum(peer, local, TcpL4Protocol::PROT_NUMBER);
    packet->PeekHeader(header);
    return header.IsChecksumOk();
}

// @param endPoint of a connection @param interface where a segment came in @return it takes it
template <typename E, typename I>
bool
Takes(E& endPoint, const Ptr<I>& interface)
{
    return endPoint.IsRxEnabled() &&
           (!endPoint.GetBoundNetDevice() ||
            (interface && endPoint.GetBoundNetDevice() == interface->GetDevice()));
}

// @param payload first octets of a segment that this node sent @param from its source @param to its
// destination @return the connection
template <typename A>
TcpTuple
SenderOf(const uint8_t payload[8], const A& from, const A& to)
{
    return TcpTuple(from,
                    static_cast<uint16_t>(payload[0] << 8 | payload[1]),
                    to,
                    static_cast<uint16_t>(payload[2] << 8 | payload[3]));
}

// @param tcp TCP @return its way to that version of IP
template <typename V>
auto
DownTargetOf(const TcpL4Protocol& tcp)
{
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        return tcp.GetDownTarget();
    }
    else
    {
        return tcp.GetDownTarget6();
    }
}

} // namespace

TypeId
TcpEndPointTable::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpEndPointTable")
            .SetParent<IpL4Protocol>()
            .SetGroupName("Iwarp")
            .AddConstructor<TcpEndPointTable>()
            .AddAttribute("DontFragment",
                          "Segments of connections are sent with IPv4's \"don't fragment\" bit, "
                          "and not in fragments by IPv6 (RFC 5044 A.5.1).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TcpEndPointTable::m_dontFragment),
                          MakeBooleanChecker())
            .AddAttribute("ShardList",
                          "The TcpL4Protocols that keep the sockets of connections.",
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&TcpEndPointTable::GetShard,
                                                   &TcpEndPointTable::GetNShards),
                          MakeObjectVectorChecker<TcpL4Protocol>());
    return tid;
}

bool
TcpEndPointTable::IsPossible(Ptr<const Node> node)
{
    Ptr<TcpL4Protocol> tcp = node->GetObject<TcpL4Protocol>();
    return tcp && !(tcp->GetDownTarget().IsNull() && tcp->GetDownTarget6().IsNull());
}

Ptr<TcpEndPointTable>
TcpEndPointTable::Install(Ptr<Node> node)
{
    Ptr<TcpEndPointTable> table = node->GetObject<TcpEndPointTable>();
    if (!table)
    {
        NS_ABORT_MSG_UNLESS(IsPossible(node),
                            "node " << node->GetId()
                                    << " has no TCP: install an internet stack first");
        table = CreateObject<TcpEndPointTable>();
        node->AggregateObject(table);
    }
    return table;
}

void
TcpEndPointTable::NotifyNewAggregate()
{
    Ptr<Node> node = GetObject<Node>();
    if (!m_tcp && node && IsPossible(node))
    {
        NS_LOG_FUNCTION(this);
        m_tcp = GetObject<TcpL4Protocol>();
        if (Ptr<Ipv4> ipv4 = GetObject<Ipv4>())
        {
            ipv4->Insert(this);
        }
        if (Ptr<Ipv6> ipv6 = GetObject<Ipv6>())
        {
            ipv6->Insert(this);
        }
    }
    IpL4Protocol::NotifyNewAggregate();
}

void
TcpEndPointTable::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_shards.Dispose();
    m_whole = nullptr;
    m_connections.clear();
    m_factory = nullptr;
    m_tcp = nullptr;
    m_ipv4 = nullptr;
    m_ipv6 = nullptr;
    m_down.Nullify();
    m_down6.Nullify();
    IpL4Protocol::DoDispose();
}

void
TcpEndPointTable::SetConnectionFactory(ConnectionFactory factory)
{
    m_factory = std::move(factory);
}

Ptr<TcpConnection>
TcpEndPointTable::Add(TcpConnection::Owner& owner, bool listening)
{
    NS_LOG_FUNCTION(this << listening);
    m_checksums = Node::ChecksumEnabled();
    auto connection = m_factory ? m_factory() : Create<TcpConnection>();
    connection->m_owner = &owner;
    // a listener bound to a device is for TcpL4Protocol to find, which knows of devices
    auto* endPoint = owner.GetEndPoint(); // not const: older releases ask no const one
    auto* endPoint6 = owner.GetEndPoint6();
    const bool bound = (endPoint && endPoint->GetBoundNetDevice()) ||
                       (endPoint6 && endPoint6->GetBoundNetDevice());
    if (!(listening && bound))
    {
        const auto [place, fresh] = m_connections.try_emplace(connection->FindTuple(), connection);
        if (!fresh)
        {
            place->second->m_tuple = nullptr;
            place->second = connection;
        }
        connection->m_tuple = &place->first;
    }
    return connection;
}

void
TcpEndPointTable::Remove(Ptr<TcpConnection> connection)
{
    NS_LOG_FUNCTION(this);
    connection->m_owner = nullptr;
    if (!m_tcp)
    {
        return; // the node is gone, and with it all its connections
    }
    if (connection->m_tuple)
    {
        m_connections.erase(m_connections.find(*connection->m_tuple));
    }
    connection->Removed();
}

Ptr<TcpL4Protocol>
TcpEndPointTable::AcquireShard()
{
    return m_shards.Acquire(GetObject<Node>(), m_tcp->GetDownTarget(), m_tcp->GetDownTarget6());
}

void
TcpEndPointTable::ReleaseShard(Ptr<TcpL4Protocol> shard)
{
    m_shards.Release(shard);
}

uint16_t
TcpEndPointTable::AcquirePort(bool ipv6)
{
    // The node's own TCP proposes, so that ports are those of a run without a table, and no port
    // of a plain socket is taken
    auto& used = m_ports[ipv6];
    used.resize(65536);
    for (uint32_t tries = 0; tries < 65536; ++tries)
    {
        const uint16_t port =
            ipv6 ? TakePort(m_tcp->Allocate6(), *m_tcp) : TakePort(m_tcp->Allocate(), *m_tcp);
        if (port == 0)
        {
            break;
        }
        if (!used[port])
        {
            used[port] = true;
            return port;
        }
    }
    return 0;
}

void
TcpEndPointTable::ReleasePort(bool ipv6, uint16_t port)
{
    m_ports[ipv6][port] = false;
}

uint64_t
TcpEndPointTable::GetConnections() const
{
    return m_connections.size();
}

uint32_t
TcpEndPointTable::GetNShards() const
{
    return m_shards.GetAll().size();
}

Ptr<TcpL4Protocol>
TcpEndPointTable::GetShard(uint32_t i) const
{
    return m_shards.GetAll().at(i);
}

TcpConnection*
TcpEndPointTable::Find(const TcpTuple& tuple)
{
    const auto found = m_connections.find(tuple);
    if (found == m_connections.end())
    {
        return nullptr;
    }
    TcpConnection* connection = PeekPointer(found->second);
    if (connection->IsClosed())
    {
        connection->m_tuple = nullptr;
        m_connections.erase(found); // though its socket is still there
        return nullptr;
    }
    return connection;
}

// ---- up -----------------------------------------------------------------------------------------

template <typename A, typename I>
TcpConnection*
TcpEndPointTable::FindReceiver(const TcpSegmentHead& head,
                               const A& local,
                               const A& peer,
                               const Ptr<I>& interface)
{
    TcpConnection* connection = Find(TcpTuple(local, head.destinationPort, peer, head.sourcePort));
    if (!connection)
    {
        connection = Find(TcpTuple(local, head.destinationPort, A::GetAny(), 0));
    }
    if (!connection)
    {
        connection = Find(TcpTuple(A::GetAny(), head.destinationPort, A::GetAny(), 0));
    }
    if (!connection)
    {
        return nullptr;
    }
    auto* endPoint = connection->GetEndPoint();
    const bool takes =
        endPoint ? Takes(*endPoint, interface) : Takes(*connection->GetEndPoint6(), interface);
    return takes ? connection : nullptr;
}

template <typename H, typename I>
IpL4Protocol::RxStatus
TcpEndPointTable::DoReceive(const Ptr<Packet>& packet, const H& header, const Ptr<I>& interface)
{
    const auto local = header.GetDestination();
    const auto peer = header.GetSource();
    TcpSegmentHead head;
    TcpConnection* connection =
        head.Read(packet) ? FindReceiver(head, local, peer, interface) : nullptr;
    if (!connection)
    {
        return m_tcp->Receive(packet, header, interface);
    }
    if (m_checksums && !IsIntact(packet, local, peer))
    {
        return RX_CSUM_FAILED;
    }
    connection->Receive(*this, head, packet, header, interface);
    return RX_OK;
}

int
TcpEndPointTable::GetProtocolNumber() const
{
    return TcpL4Protocol::PROT_NUMBER;
}

void
TcpEndPointTable::Deliver(const TcpConnection& connection,
                          const TcpSegmentHead& head,
                          Ptr<Packet> packet,
                          const Ipv4Header& header,
                          Ptr<Ipv4Interface> interface)
{
    if (connection.GetEndPoint())
    {
        connection.m_owner->Deliver(packet, header, head.sourcePort, interface);
    }
    else if (connection.GetEndPoint6())
    { // an IPv6 socket that talks to an IPv4 peer sees IPv4-mapped addresses
        Ipv6Header mapped;
        mapped.SetSource(Ipv6Address::MakeIpv4MappedAddress(header.GetSource()));
        mapped.SetDestination(Ipv6Address::MakeIpv4MappedAddress(header.GetDestination()));
        mapped.SetTrafficClass(header.GetTos()); // congestion marks are in it
        connection.m_owner->Deliver(packet, mapped, head.sourcePort, Ptr<Ipv6Interface>());
    }
    else
    {
        m_tcp->Receive(packet, header, interface);
    }
}

void
TcpEndPointTable::Deliver(const TcpConnection& connection,
                          const TcpSegmentHead& head,
                          Ptr<Packet> packet,
                          const Ipv6Header& header,
                          Ptr<Ipv6Interface> interface)
{
    if (connection.GetEndPoint6())
    {
        connection.m_owner->Deliver(packet, header, head.sourcePort, interface);
    }
    else
    {
        m_tcp->Receive(packet, header, interface);
    }
}

bool
TcpEndPointTable::IsCredible(const TcpConnection& connection, const uint8_t payload[8])
{
    const SequenceNumber32 seq(boost::endian::load_big_u32(payload + 4));
    return connection.m_owner && connection.m_owner->IsOutstanding(seq);
}

template <typename V>
void
TcpEndPointTable::DoReceiveIcmp(const IpIcmpMessage<V>& message)
{
    const TcpConnection* connection = Find(SenderOf(message.payload, message.from, message.to));
    if (!connection)
    {
        message.HandTo(*m_tcp);
        return;
    }
    if (IsCredible(*connection, message.payload))
    { // one with an IPv4 peer may be of an IPv6 socket
        connection->m_owner->DeliverIcmp(message.source,
                                         message.ttl,
                                         message.type,
                                         message.code,
                                         message.info);
    }
}

template <typename A>
void
TcpEndPointTable::DoTellTooBig(const A& from, const A& to, const uint8_t payload[8], uint32_t mtu)
{
    const TcpConnection* connection = Find(SenderOf(payload, from, to));
    if (connection && connection->m_owner)
    {
        connection->m_owner->NotifyPathMtu(mtu);
    }
}

void
TcpEndPointTable::NotifyTooBig(Ipv4Address from,
                               Ipv4Address to,
                               const uint8_t payload[8],
                               uint32_t mtu)
{
    DoTellTooBig(from, to, payload, mtu);
}

void
TcpEndPointTable::NotifyTooBig(Ipv6Address from,
                               Ipv6Address to,
                               const uint8_t payload[8],
                               uint32_t mtu)
{
    DoTellTooBig(from, to, payload, mtu);
}

template IpL4Protocol::RxStatus TcpEndPointTable::DoReceive(const Ptr<Packet>&,
                                                            const Ipv4Header&,
                                                            const Ptr<Ipv4Interface>&);
template void TcpEndPointTable::DoReceiveIcmp(const IpIcmpMessage<Ipv4Traits>&);
template IpL4Protocol::RxStatus TcpEndPointTable::DoReceive(const Ptr<Packet>&,
                                                            const Ipv6Header&,
                                                            const Ptr<Ipv6Interface>&);
template void TcpEndPointTable::DoReceiveIcmp(const IpIcmpMessage<Ipv6Traits>&);

// ---- down ---------------------------------------------------------------------------------------

void
TcpEndPointTable::PointDown(const DownTargetCallback& down)
{
    m_tcp->SetDownTarget(down);
    for (const auto& shard : m_shards.GetAll())
    {
        shard->SetDownTarget(down);
    }
}

void
TcpEndPointTable::PointDown6(const DownTargetCallback6& down)
{
    m_tcp->SetDownTarget6(down);
    for (const auto& shard : m_shards.GetAll())
    {
        shard->SetDownTarget6(down);
    }
}

void
TcpEndPointTable::InterceptSending()
{
    if (m_tcp && !m_intercepts)
    {
        m_down = m_tcp->GetDownTarget();
        m_down6 = m_tcp->GetDownTarget6();
        PointDown(MakeCallback(&TcpEndPointTable::Send, this));
        PointDown6(MakeCallback(&TcpEndPointTable::Send6, this));
        m_intercepts = true;
    }
}

TcpDontFragment*
TcpEndPointTable::GetDontFragment()
{
    if (!m_dontFragment)
    {
        return nullptr;
    }
    if (!m_whole)
    {
        m_whole = TcpDontFragment::Install(GetObject<Node>());
    }
    return PeekPointer(m_whole);
}

void
TcpEndPointTable::SendDown(Ptr<Packet> packet,
                           Ipv4Address from,
                           Ipv4Address to,
                           Ptr<Ipv4Route> route)
{
    m_down(packet, from, to, TcpL4Protocol::PROT_NUMBER, route);
}

void
TcpEndPointTable::SendDown(Ptr<Packet> packet,
                           Ipv6Address from,
                           Ipv6Address to,
                           Ptr<Ipv6Route> route)
{
    m_down6(packet, from, to, TcpL4Protocol::PROT_NUMBER, route);
}

template <typename A, typename R>
void
TcpEndPointTable::DoSend(Ptr<Packet> packet, const A& from, const A& to, Ptr<R> route)
{
    TcpSegmentHead head;
    TcpConnection* connection =
        head.Read(packet) ? Find(TcpTuple(from, head.sourcePort, to, head.destinationPort))
                          : nullptr;
    if (connection)
    {
        connection->Send(*this, head, packet, from, to, route);
    }
    else
    {
        SendDown(packet, from, to, route);
    }
}

template <typename V>
Ptr<typename V::RoutingProtocol>
TcpEndPointTable::RoutingOf()
{
    if constexpr (std::is_same_v<V, Ipv4Traits>)
    {
        if (!m_ipv4)
        {
            m_ipv4 = GetObject<Ipv4>();
        }
        return m_ipv4->GetRoutingProtocol();
    }
    else
    {
        if (!m_ipv6)
        {
            m_ipv6 = GetObject<Ipv6>();
        }
        return m_ipv6->GetRoutingProtocol();
    }
}

template <typename V, typename E>
void
TcpEndPointTable::DoSendPlain(TcpConnection& connection,
                              E& endPoint,
                              const TcpL4Protocol& tcp,
                              const Ptr<Packet>& packet,
                              TcpHeaderFields& fields,
                              const Ptr<NetDevice>& bound)
{
    const auto from = endPoint.GetLocalAddress();
    const auto to = endPoint.GetPeerAddress();
    fields.source = endPoint.GetLocalPort();
    fields.destination = endPoint.GetPeerPort();
    const TcpPlainHeader plain(fields);
    packet->AddHeader(plain);
    typename V::Header header;
    header.SetSource(from);
    header.SetDestination(to);
    V::SetPayload(header, TcpL4Protocol::PROT_NUMBER, 0);
    Ptr<typename V::Route> route;
    if (const auto routing = RoutingOf<V>())
    {
        Socket::SocketErrno error;
        route = routing->RouteOutput(packet, header, bound, error);
    }
    if (m_intercepts)
    {
        const TcpSegmentHead head{fields.source,
                                  fields.destination,
                                  fields.seq,
                                  plain.GetSerializedSize(),
                                  fields.ack,
                                  fields.flags};
        connection.Send(*this, head, packet, from, to, route);
    }
    else
    {
        DownTargetOf<V>(tcp)(packet, from, to, TcpL4Protocol::PROT_NUMBER, route);
    }
}

void
TcpEndPointTable::SendPlain(TcpConnection& connection,
                            const TcpL4Protocol& tcp,
                            const Ptr<Packet>& packet,
                            TcpHeaderFields fields,
                            const Ptr<NetDevice>& bound)
{
    if (auto* endPoint = connection.GetEndPoint())
    {
        DoSendPlain<Ipv4Traits>(connection, *endPoint, tcp, packet, fields, bound);
    }
    else
    {
        DoSendPlain<Ipv6Traits>(connection, *connection.GetEndPoint6(), tcp, packet, fields, bound);
    }
}

void
TcpEndPointTable::Send(Ptr<Packet> packet,
                       Ipv4Address from,
                       Ipv4Address to,
                       uint8_t /* protocol */,
                       Ptr<Ipv4Route> route)
{
    DoSend(packet, from, to, route);
}

void
TcpEndPointTable::Send6(Ptr<Packet> packet,
                        Ipv6Address from,
                        Ipv6Address to,
                        uint8_t /* protocol */,
                        Ptr<Ipv6Route> route)
{
    DoSend(packet, from, to, route);
}

void
TcpEndPointTable::SetDownTarget(DownTargetCallback callback)
{
    if (m_intercepts)
    {
        m_down = callback;
    }
    else
    {
        PointDown(callback);
    }
}

void
TcpEndPointTable::SetDownTarget6(DownTargetCallback6 callback)
{
    if (m_intercepts)
    {
        m_down6 = callback;
    }
    else
    {
        PointDown6(callback);
    }
}

IpL4Protocol::DownTargetCallback
TcpEndPointTable::GetDownTarget() const
{
    return m_intercepts ? m_down : m_tcp->GetDownTarget();
}

IpL4Protocol::DownTargetCallback6
TcpEndPointTable::GetDownTarget6() const
{
    return m_intercepts ? m_down6 : m_tcp->GetDownTarget6();
}

} // namespace ns3
