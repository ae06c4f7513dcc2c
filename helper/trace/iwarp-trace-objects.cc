/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-objects.h"

#include "ns3/channel.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/node.h"
#include "ns3/object-ptr-container.h"
#include "ns3/pointer.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic.h"
#include "ns3/socket.h"
#include "ns3/tcp-path-socket.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param address of a socket @return "10.0.0.1:5001" or "[fd00::1]:5001"; "" if it is of no host
std::string
NameEnd(const Address& address)
{
    std::ostringstream text;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto inet = InetSocketAddress::ConvertFrom(address);
        if (inet.GetIpv4() != Ipv4Address::GetAny() && inet.GetPort() != 0)
        {
            text << inet.GetIpv4() << ':' << inet.GetPort();
        }
    }
    else if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto inet = Inet6SocketAddress::ConvertFrom(address);
        if (inet.GetIpv6() != Ipv6Address::GetAny() && inet.GetPort() != 0)
        {
            text << '[' << inet.GetIpv6() << "]:" << inet.GetPort();
        }
    }
    return text.str();
}

/// @param object any @param info of an attribute of it @return what it points to, one or several
std::vector<Ptr<Object>>
ListPointers(const Object& object, const TypeId::AttributeInformation& info)
{
    std::vector<Ptr<Object>> found;
    if ((info.flags & TypeId::ATTR_GET) == 0 || !info.accessor->HasGetter())
    {
        return found;
    }
    if (dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)))
    {
        PointerValue one;
        object.GetAttribute(info.name, one);
        found.push_back(one.Get<Object>());
    }
    else if (dynamic_cast<const ObjectPtrContainerChecker*>(PeekPointer(info.checker)))
    {
        ObjectPtrContainerValue several;
        object.GetAttribute(info.name, several);
        for (auto each = several.Begin(); each != several.End(); ++each)
        {
            found.push_back(each->second);
        }
    }
    return found;
}

/// @param end "10.0.0.1:5001" @param wanted the same, or without its port @return whether it is so
bool
IsEnd(const std::string& end, const std::string& wanted)
{
    return end == wanted || end.substr(0, end.rfind(':')) == wanted;
}

} // namespace

std::string
NameConnection(const Socket& socket)
{
    Address own;
    Address peer;
    if (socket.GetSockName(own) != 0 || socket.GetPeerName(peer) != 0)
    {
        return "";
    }
    const std::string local = NameEnd(own);
    const std::string remote = NameEnd(peer);
    return local.empty() || remote.empty() ? "" : local + "-" + remote;
}

TraceObjects::TraceObjects(Met met)
    : m_met(std::move(met))
{
}

void
TraceObjects::Choose(int32_t node)
{
    m_nodes.insert(node);
}

void
TraceObjects::Choose(const std::string& connection)
{
    m_connections.push_back(connection);
}

void
TraceObjects::Name(int32_t node, const std::string& host)
{
    m_hosts[node] = host;
}

uint32_t
TraceObjects::Enter()
{
    m_entries.emplace_back();
    m_pending.push_back(0);
    return static_cast<uint32_t>(m_entries.size() - 1);
}

void
TraceObjects::Describe(uint32_t index, int32_t node, const std::string& connection)
{
    m_entries[index].node = node;
    m_entries[index].connection = connection;
}

uint32_t
TraceObjects::Get(const Object& object)
{
    const auto found = m_indices.find(&object);
    if (found != m_indices.end())
    {
        return found->second;
    }
    Make(object);
    return m_indices[&object];
}

void
TraceObjects::Make(const Object& object)
{
    m_indices[&object] = Enter();
}

void
TraceObjects::Open(Object& object, const Object* owner)
{
    const uint32_t index = Get(object);
    if (owner)
    {
        const uint32_t of = Get(*owner);
        auto* socket = dynamic_cast<Socket*>(const_cast<Object*>(owner));
        const Ptr<Node> node = socket ? socket->GetNode() : owner->GetObject<Node>();
        if (node)
        {
            m_entries[of].node = static_cast<int32_t>(node->GetId());
        }
        m_entries[index].owner = of;
        m_entries[index].node =
            m_entries[of].node >= 0 ? m_entries[of].node : m_entries[index].node;
        m_pending[index] = m_entries[index].connection.empty();
        if (socket && !dynamic_cast<TcpPathSocket*>(socket))
        { // ns-3's own, which tells nobody
            Meet(of, *socket);
        }
    }
    Meet(index, object);
}

void
TraceObjects::Close(const Object& object)
{
    const auto found = m_indices.find(&object);
    if (found != m_indices.end())
    {
        m_entries[found->second].object = nullptr;
    }
}

void
TraceObjects::Meet(uint32_t index, Object& object)
{
    Entry& entry = m_entries[index];
    entry.object = &object;
    auto* socket = dynamic_cast<Socket*>(&object);
    if (socket && socket->GetNode())
    {
        entry.node = static_cast<int32_t>(socket->GetNode()->GetId());
        m_pending[index] = 1;
    }
    if (!std::exchange(entry.met, true) && (m_nodes.empty() || m_nodes.count(entry.node) > 0))
    {
        m_met(object, index);
    }
}

void
TraceObjects::Find(uint32_t index)
{
    uint32_t at = index;
    while (m_entries[at].owner != NONE && m_entries[at].connection.empty())
    {
        at = m_entries[at].owner;
    }
    std::string name = m_entries[at].connection;
    const auto* socket =
        name.empty() && m_pending[at] ? dynamic_cast<Socket*>(m_entries[at].object) : nullptr;
    name = socket ? NameConnection(*socket) : name;
    if (!name.empty())
    {
        m_entries[index].connection = name;
        m_entries[at].connection = name;
        m_pending[index] = 0;
    }
}

void
TraceObjects::Walk(Node& node)
{
    std::set<const Object*> seen;
    Visit(node, static_cast<int32_t>(node.GetId()), seen);
}

void
TraceObjects::Visit(Object& object, int32_t node, std::set<const Object*>& seen)
{
    const auto* other = dynamic_cast<Node*>(&object);
    if (!seen.insert(&object).second || dynamic_cast<Channel*>(&object) ||
        (other && static_cast<int32_t>(other->GetId()) != node))
    {
        return;
    }
    const uint32_t index = Get(object);
    m_entries[index].node = m_entries[index].node < 0 ? node : m_entries[index].node;
    Meet(index, object);
    for (auto each = object.GetAggregateIterator(); each.HasNext();)
    {
        Visit(const_cast<Object&>(*each.Next()), node, seen);
    }
    const auto visit = [&](const Ptr<Object>& child) {
        if (child)
        {
            Visit(*child, node, seen);
        }
    };
    for (TypeId type = object.GetInstanceTypeId();; type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); i++)
        {
            const auto found = ListPointers(object, type.GetAttribute(i));
            std::for_each(found.begin(), found.end(), visit);
        }
        if (!type.HasParent())
        {
            break;
        }
    }
    if (auto* rnic = dynamic_cast<Rnic*>(&object))
    {
        visit(rnic->GetDatapath().Find("ContextCache"));
        visit(rnic->GetDatapath().Find("TranslationCache"));
    }
}

int32_t
TraceObjects::GetNode(uint32_t index) const
{
    return m_entries[index].node;
}

std::string
TraceObjects::GetHost(int32_t node) const
{
    const auto found = m_hosts.find(node);
    if (found != m_hosts.end())
    {
        return found->second;
    }
    return node < 0 ? "" : "node " + std::to_string(node);
}

const std::string&
TraceObjects::GetConnection(uint32_t index) const
{
    return m_entries[index].connection;
}

bool
TraceObjects::IsChosen(uint32_t index) const
{
    if (!m_nodes.empty() && m_nodes.count(m_entries[index].node) == 0)
    {
        return false;
    }
    const std::string& name = m_entries[index].connection;
    const auto dash = name.find('-');
    return m_connections.empty() ||
           std::any_of(m_connections.begin(), m_connections.end(), [&](const auto& wanted) {
               return name == wanted ||
                      (dash != std::string::npos && (IsEnd(name.substr(0, dash), wanted) ||
                                                     IsEnd(name.substr(dash + 1), wanted)));
           });
}

} // namespace iwarp
} // namespace ns3
