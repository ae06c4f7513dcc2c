/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-end-point-table.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-end-point.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/object-vector.h"

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

} // namespace ns3
