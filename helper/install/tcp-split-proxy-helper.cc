/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-split-proxy-helper.h"

#include "ns3/node.h"
#include "ns3/tcp-split-proxy.h"

namespace ns3
{

TcpSplitProxyHelper::TcpSplitProxyHelper(const Address& local, const Address& remote)
{
    m_factory.SetTypeId(TcpSplitProxy::GetTypeId());
    SetAttribute("Local", AddressValue(local));
    SetAttribute("Remote", AddressValue(remote));
}

void
TcpSplitProxyHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
TcpSplitProxyHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer proxies;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        auto proxy = m_factory.Create<Application>();
        (*i)->AddApplication(proxy);
        proxies.Add(proxy);
    }
    return proxies;
}

} // namespace ns3
