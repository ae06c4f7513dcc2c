/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-end-point-lease.h"

namespace ns3
{

TcpEndPointLease::~TcpEndPointLease()
{
    if (m_connection)
    {
        m_table->Remove(m_connection);
    }
    if (m_shard)
    {
        m_table->ReleaseShard(m_shard);
    }
    if (m_port > 0)
    {
        m_table->ReleasePort(m_portIpv6, m_port);
    }
}

void
TcpEndPointLease::SetTable(Ptr<TcpEndPointTable> table)
{
    m_table = table;
}

const Ptr<TcpEndPointTable>&
TcpEndPointLease::GetTable() const
{
    return m_table;
}

Ptr<TcpL4Protocol>
TcpEndPointLease::AcquireShard()
{
    if (!m_table || m_shard)
    {
        return nullptr;
    }
    m_shard = m_table->AcquireShard();
    return m_shard;
}

uint16_t
TcpEndPointLease::AcquirePort(bool ipv6)
{
    if (!m_table || m_port > 0)
    {
        return 0;
    }
    m_port = m_table->AcquirePort(ipv6);
    m_portIpv6 = ipv6;
    return m_port;
}

void
TcpEndPointLease::Enter(TcpConnection::Owner& owner, bool listening)
{
    if (!m_table)
    {
        return;
    }
    if (m_connection)
    {
        m_table->Remove(m_connection);
    }
    m_connection = m_table->Add(owner, listening);
}

} // namespace ns3
