/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application-helper.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/node.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-device.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rdma-storage-server.h"

#include <set>

namespace ns3
{

void
RdmaApplications::Start(Time start)
{
    servers.Start(Time(0));
    clients.Start(start);
}

void
RdmaApplications::Stop(Time stop)
{
    clients.Stop(stop);
    servers.Stop(stop);
}

RdmaApplicationHelper::RdmaApplicationHelper(const std::string& client, const std::string& server)
{
    m_client.SetTypeId(client);
    m_server.SetTypeId(server);
}

void
RdmaApplicationHelper::SetClientAttribute(const std::string& name, const AttributeValue& value)
{
    m_client.Set(name, value);
}

void
RdmaApplicationHelper::SetServerAttribute(const std::string& name, const AttributeValue& value)
{
    m_server.Set(name, value);
}

void
RdmaApplicationHelper::SetConnectionAttribute(const std::string& name, const AttributeValue& value)
{
    m_connection.emplace_back(name, value.Copy());
}

void
RdmaApplicationHelper::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socket.emplace_back(name, value.Copy());
}

void
RdmaApplicationHelper::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    m_stream.emplace_back(name, value.Copy());
}

void
RdmaApplicationHelper::SetIpv6(bool ipv6)
{
    m_ipv6 = ipv6;
}

ApplicationContainer
RdmaApplicationHelper::Install(const ObjectFactory& factory, Ptr<Node> node) const
{
    const Ptr<RdmaApplication> application = factory.Create<RdmaApplication>();
    for (const auto& [name, value] : m_connection)
    {
        application->SetConnectionAttribute(name, *value);
    }
    for (const auto& [name, value] : m_socket)
    {
        application->SetSocketAttribute(name, *value);
    }
    for (const auto& [name, value] : m_stream)
    {
        application->SetStreamAttribute(name, *value);
    }
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
RdmaApplicationHelper::InstallServer(Ptr<Node> node, uint16_t port) const
{
    ObjectFactory server = m_server;
    server.Set("Local",
               AddressValue(m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                                   : Address(InetSocketAddress(Ipv4Address::GetAny(), port))));
    return Install(server, node);
}

ApplicationContainer
RdmaApplicationHelper::InstallClient(Ptr<Node> node, const Address& remote) const
{
    ObjectFactory client = m_client;
    client.Set("Remote", AddressValue(remote));
    return Install(client, node);
}

RdmaApplications
RdmaApplicationHelper::Connect(Ptr<Node> client, Ptr<Node> server, uint16_t port) const
{
    return ConnectIncast(NodeContainer(client), server, port);
}

RdmaApplications
RdmaApplicationHelper::ConnectIncast(const NodeContainer& clients,
                                     Ptr<Node> server,
                                     uint16_t port) const
{
    RdmaApplications applications;
    applications.servers = InstallServer(server, port);
    const Address remote = GetAddress(server, port, m_ipv6);
    for (auto node = clients.Begin(); node != clients.End(); ++node)
    {
        applications.clients.Add(InstallClient(*node, remote));
    }
    return applications;
}

RdmaApplications
RdmaApplicationHelper::ConnectMesh(const NodeContainer& nodes, uint16_t port) const
{
    RdmaApplications applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.servers.Add(InstallServer(*node, port));
        for (auto other = nodes.Begin(); other != nodes.End(); ++other)
        {
            if (*other != *node)
            {
                applications.clients.Add(InstallClient(*node, GetAddress(*other, port, m_ipv6)));
            }
        }
    }
    return applications;
}

Address
RdmaApplicationHelper::GetAddress(Ptr<Node> node, uint16_t port, bool ipv6)
{
    if (const auto ip = ipv6 ? nullptr : node->GetObject<Ipv4>())
    {
        for (uint32_t i = 0; i < ip->GetNInterfaces(); i++)
        {
            for (uint32_t j = 0; j < ip->GetNAddresses(i); j++)
            {
                const Ipv4Address address = ip->GetAddress(i, j).GetLocal();
                if (address != Ipv4Address::GetLoopback())
                {
                    return InetSocketAddress(address, port);
                }
            }
        }
    }
    if (const auto ip = ipv6 ? node->GetObject<Ipv6>() : nullptr)
    {
        for (uint32_t i = 0; i < ip->GetNInterfaces(); i++)
        {
            for (uint32_t j = 0; j < ip->GetNAddresses(i); j++)
            {
                const Ipv6Address address = ip->GetAddress(i, j).GetAddress();
                if (address != Ipv6Address::GetLoopback() && !address.IsLinkLocal())
                {
                    return Inet6SocketAddress(address, port);
                }
            }
        }
    }
    NS_ABORT_MSG("node " << node->GetId() << " has no " << (ipv6 ? "IPv6" : "IPv4")
                         << " address: assign one before connecting applications");
    return Address();
}

int64_t
RdmaApplicationHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t next = stream;
    std::set<Ptr<RdmaDevice>> devices;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (auto application = DynamicCast<RdmaApplication>(*i))
        {
            next += application->AssignStreams(next);
            const Ptr<RdmaDevice> device = RdmaDevice::Get(application->GetNode());
            next += devices.insert(device).second ? device->AssignStreams(next) : 0;
        }
    }
    return next - stream;
}

RdmaPerfHelper::RdmaPerfHelper()
    : RdmaApplicationHelper(RdmaPerfClient::GetTypeId().GetName(),
                            RdmaPerfServer::GetTypeId().GetName())
{
}

RdmaStorageHelper::RdmaStorageHelper()
    : RdmaApplicationHelper(RdmaStorageClient::GetTypeId().GetName(),
                            RdmaStorageServer::GetTypeId().GetName())
{
}

} // namespace ns3
