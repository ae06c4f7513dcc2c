/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaApplication");
NS_OBJECT_ENSURE_REGISTERED(RdmaApplication);

TypeId
RdmaApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaApplication")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddTraceSource("Connected",
                            "A queue pair is connected, work may be posted",
                            MakeTraceSourceAccessor(&RdmaApplication::m_connectedTrace),
                            "ns3::RdmaApplication::ConnectedTracedCallback")
            .AddTraceSource("Failed",
                            "Something went wrong for the first time",
                            MakeTraceSourceAccessor(&RdmaApplication::m_failedTrace),
                            "ns3::RdmaApplication::FailedTracedCallback");
    return tid;
}

RdmaApplication::RdmaApplication() = default;

RdmaApplication::~RdmaApplication() = default;

void
RdmaApplication::SetConnectionAttribute(const std::string& name, const AttributeValue& value)
{
    m_connectionSettings.emplace_back(name, value.Copy());
}

void
RdmaApplication::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socketSettings.emplace_back(name, value.Copy());
}

void
RdmaApplication::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    m_streamSettings.emplace_back(name, value.Copy());
}

Ptr<RdmaConnection>
RdmaApplication::MakeConnection() const
{
    Ptr<RdmaConnection> connection = RdmaConnection::Create(GetNode());
    for (const auto& [name, value] : m_connectionSettings)
    {
        NS_ABORT_MSG_UNLESS(connection->SetAttributeFailSafe(name, *value),
                            "ns3::RdmaConnection has no attribute " << name
                                                                    << " that takes this value");
    }
    for (const auto& [name, value] : m_socketSettings)
    {
        NS_ABORT_MSG_IF(connection->SetSocketAttribute(name, *value) != 0,
                        "ns3::MpaTcpSocket has no attribute " << name << " that takes this value");
    }
    for (const auto& [name, value] : m_streamSettings)
    {
        NS_ABORT_MSG_IF(connection->SetStreamAttribute(name, *value) != 0,
                        "ns3::MpaStream has no attribute " << name << " that takes this value");
    }
    return connection;
}

void
RdmaApplication::CheckAddress(const Address& address, const char* attribute) const
{
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(address) ||
                            Inet6SocketAddress::IsMatchingType(address),
                        GetInstanceTypeId().GetName() << ": set " << attribute
                                                      << " to an InetSocketAddress or an "
                                                         "Inet6SocketAddress");
}

void
RdmaApplication::Fail(const std::string& reason)
{
    NS_LOG_INFO(reason);
    if (m_error.empty())
    {
        m_error = reason;
        m_failedTrace(reason);
    }
}

void
RdmaApplication::TellConnected(Ptr<RdmaQueuePair> p)
{
    m_connectedTrace(p);
}

const std::string&
RdmaApplication::GetError() const
{
    return m_error;
}

} // namespace ns3
