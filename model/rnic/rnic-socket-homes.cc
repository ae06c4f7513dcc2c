/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-socket-homes.h"

namespace ns3
{

void
RnicSocketHomes::Install(Ptr<Node> node,
                         const IpL4Protocol::DownTargetCallback& down,
                         const IpL4Protocol::DownTargetCallback6& down6)
{
    m_node = node;
    m_down = down;
    m_down6 = down6;
}

Ptr<TcpL4Protocol>
RnicSocketHomes::Take()
{
    if (m_vacant.empty())
    {
        auto home = CreateObject<TcpL4Protocol>();
        home->SetNode(m_node);
        home->SetDownTarget(m_down);
        home->SetDownTarget6(m_down6);
        m_homes.push_back(home);
        m_vacant.push_back(home);
    }
    Ptr<TcpL4Protocol> home = m_vacant.back();
    if (++m_tenants[PeekPointer(home)] == SOCKETS_PER_HOME)
    {
        m_vacant.pop_back();
    }
    return home;
}

void
RnicSocketHomes::Leave(Ptr<TcpL4Protocol> home)
{
    const auto found = m_tenants.find(PeekPointer(home));
    if (found != m_tenants.end() && found->second-- == SOCKETS_PER_HOME)
    {
        m_vacant.push_back(home);
    }
}

std::size_t
RnicSocketHomes::GetHomes() const
{
    return m_homes.size();
}

void
RnicSocketHomes::Dispose()
{
    for (const auto& home : m_homes)
    {
        home->Dispose();
    }
    m_homes.clear();
    m_vacant.clear();
    m_tenants.clear();
    m_node = nullptr;
    m_down.Nullify();
    m_down6.Nullify();
}

} // namespace ns3
