/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-helper.h"

#include "iwarp-helper.h"
#include "rdma-application-helper.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/node.h"
#include "ns3/nvme-host.h"
#include "ns3/nvme-target.h"

namespace ns3
{

void
NvmeApplications::Start(Time start)
{
    targets.Start(Seconds(0));
    hosts.Start(start);
}

void
NvmeApplications::Stop(Time stop)
{
    targets.Stop(stop);
    hosts.Stop(stop);
}

NvmeHelper::NvmeHelper()
{
    m_host.SetTypeId(NvmeHost::GetTypeId());
    m_target.SetTypeId(NvmeTarget::GetTypeId());
}

void
NvmeHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    m_host.Set(name, value);
}

void
NvmeHelper::SetTargetAttribute(const std::string& name, const AttributeValue& value)
{
    m_target.Set(name, value);
}

void
NvmeHelper::SetHostQueueAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostQueue.emplace_back(name, value.Copy());
}

void
NvmeHelper::SetTargetQueueAttribute(const std::string& name, const AttributeValue& value)
{
    m_targetQueue.emplace_back(name, value.Copy());
}

void
NvmeHelper::SetQueueAttribute(const std::string& name, const AttributeValue& value)
{
    SetHostQueueAttribute(name, value);
    SetTargetQueueAttribute(name, value);
}

void
NvmeHelper::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socket.emplace_back(name, value.Copy());
}

void
NvmeHelper::SetIpv6(bool ipv6)
{
    m_ipv6 = ipv6;
}

ApplicationContainer
NvmeHelper::Install(const ObjectFactory& factory, const Settings& queue, Ptr<Node> node) const
{
    const auto application = factory.Create<NvmeApplication>();
    for (const auto& [name, value] : queue)
    {
        application->SetQueueAttribute(name, *value);
    }
    for (const auto& [name, value] : m_socket)
    {
        application->SetSocketAttribute(name, *value);
    }
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
NvmeHelper::InstallTarget(Ptr<Node> node, uint16_t port) const
{
    ObjectFactory factory = m_target;
    const Address any = m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), port))
                               : Address(InetSocketAddress(Ipv4Address::GetAny(), port));
    factory.Set("Local", AddressValue(any));
    return Install(factory, m_targetQueue, node);
}

ApplicationContainer
NvmeHelper::InstallHost(Ptr<Node> node, const Address& remote) const
{
    ObjectFactory factory = m_host;
    factory.Set("Remote", AddressValue(remote));
    return Install(factory, m_hostQueue, node);
}

NvmeApplications
NvmeHelper::Connect(Ptr<Node> host, Ptr<Node> target, uint16_t port) const
{
    return ConnectIncast(NodeContainer(host), target, port);
}

NvmeApplications
NvmeHelper::ConnectIncast(const NodeContainer& hosts, Ptr<Node> target, uint16_t port) const
{
    NvmeApplications all;
    all.targets = InstallTarget(target, port);
    const Address remote = RdmaApplicationHelper::GetAddress(target, port, m_ipv6);
    for (auto i = hosts.Begin(); i != hosts.End(); ++i)
    {
        all.hosts.Add(InstallHost(*i, remote));
    }
    return all;
}

void
NvmeHelper::EnablePcap(const std::string& prefix, const NodeContainer& nodes)
{
    IwarpHelper::EnablePcap(prefix, nodes);
}

int64_t
NvmeHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t next = stream;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (auto application = DynamicCast<NvmeApplication>(*i))
        {
            next += application->AssignStreams(next);
        }
    }
    return next - stream;
}

} // namespace ns3
