/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application.h"

#include "app-message.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-device.h"

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
            .AddAttribute("Backed",
                          "Payload has content, which is compared where it is placed; set it at "
                          "both ends. Atomics have none",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaApplication::m_backed),
                          MakeBooleanChecker())
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
RdmaApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_domain = nullptr;
    Application::DoDispose();
}

int64_t
RdmaApplication::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return 0;
}

void
RdmaApplication::SetConnectionAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_connectionSettings.emplace_back(name, value.Copy());
}

void
RdmaApplication::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_socketSettings.emplace_back(name, value.Copy());
}

void
RdmaApplication::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
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

bool
RdmaApplication::IsBacked() const
{
    return m_backed;
}

Ptr<RdmaProtectionDomain>
RdmaApplication::GetDomain()
{
    if (!m_domain)
    {
        m_domain = RdmaDevice::Get(GetNode())->AllocPd();
    }
    if (!m_domain)
    {
        Fail("the RDMA device has no protection domain left (MaxPd)");
    }
    return m_domain;
}

bool
RdmaApplication::Connect(Ptr<RdmaFlow> flow, const Address& remote)
{
    NS_LOG_FUNCTION(this << remote);
    const Ptr<RdmaProtectionDomain> domain = GetDomain();
    if (!domain)
    {
        return false;
    }
    const std::string problem = flow->Connect(*this, domain, MakeConnection(), remote);
    if (!problem.empty())
    {
        Fail(problem);
    }
    return problem.empty();
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
RdmaApplication::HandleConnected(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    m_connectedTrace(flow->GetQp());
}

void
RdmaApplication::HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason)
{
    NS_LOG_FUNCTION(this << flow << reason);
    Fail(reason);
}

void
RdmaApplication::HandleClosed(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
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

Ptr<DdpMemory>
RdmaApplication::MakePayload(uint64_t length, uint64_t period)
{
    if (!m_backed)
    {
        return DdpMemory::CreateVirtual(length);
    }
    const auto memory = DdpMemory::CreatePattern(length, [period](uint64_t offset) {
        return iwarp::MessagePattern(0, offset % period);
    });
    m_payload.push_back(memory);
    return memory;
}

uint64_t
RdmaApplication::GetContentErrors() const
{
    uint64_t errors = 0;
    for (const auto& memory : m_payload)
    {
        errors += memory->GetDifferences();
    }
    return errors;
}

const std::string&
RdmaApplication::GetError() const
{
    return m_error;
}

} // namespace ns3
