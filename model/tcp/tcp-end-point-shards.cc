/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-end-point-shards.h"

namespace ns3
{

Ptr<TcpL4Protocol>
TcpEndPointShards::Acquire(Ptr<Node> node,
                           const IpL4Protocol::DownTargetCallback& down,
                           const IpL4Protocol::DownTargetCallback6& down6)
{
    if (m_vacant.empty())
    {
        auto shard = CreateObject<TcpL4Protocol>();
        shard->SetNode(node);
        shard->SetDownTarget(down);
        shard->SetDownTarget6(down6);
        m_shards.push_back(shard);
        m_vacant.push_back(shard);
    }
    Ptr<TcpL4Protocol> shard = m_vacant.back();
    if (++m_used[PeekPointer(shard)] == SOCKETS_PER_SHARD)
    {
        m_vacant.pop_back();
    }
    return shard;
}

void
TcpEndPointShards::Release(Ptr<TcpL4Protocol> shard)
{
    const auto found = m_used.find(PeekPointer(shard));
    if (found != m_used.end() && found->second-- == SOCKETS_PER_SHARD)
    {
        m_vacant.push_back(shard);
    }
}

const std::vector<Ptr<TcpL4Protocol>>&
TcpEndPointShards::GetAll() const
{
    return m_shards;
}

void
TcpEndPointShards::Dispose()
{
    for (const auto& shard : m_shards)
    {
        shard->Dispose();
    }
    m_shards.clear();
    m_vacant.clear();
    m_used.clear();
}

} // namespace ns3
