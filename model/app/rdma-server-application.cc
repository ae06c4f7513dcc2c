/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-server-application.h"

#include "ns3/log.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaServerApplication");
NS_OBJECT_ENSURE_REGISTERED(RdmaServerApplication);

TypeId
RdmaServerApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaServerApplication")
                            .SetParent<RdmaApplication>()
                            .SetGroupName("Iwarp")
                            .AddAttribute("Local",
                                          "Address and port to listen at, IPv4 or IPv6",
                                          AddressValue(),
                                          MakeAddressAccessor(&RdmaServerApplication::m_local),
                                          MakeAddressChecker());
    return tid;
}

RdmaServerApplication::RdmaServerApplication() = default;

RdmaServerApplication::~RdmaServerApplication() = default;

void
RdmaServerApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (const auto& flow : m_flows)
    {
        flow->Detach();
    }
    m_flows.clear();
    if (m_listener)
    {
        m_listener->SetEventCallback(RdmaConnection::EventCallback());
        m_listener = nullptr;
    }
    RdmaApplication::DoDispose();
}

uint32_t
RdmaServerApplication::GetNConnections() const
{
    return m_accepted;
}

uint32_t
RdmaServerApplication::GetNOpen() const
{
    return static_cast<uint32_t>(m_flows.size());
}

void
RdmaServerApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_local, "Local");
    if (!GetDomain())
    {
        return;
    }
    m_listener = MakeConnection();
    m_listener->SetEventCallback(MakeCallback(&RdmaServerApplication::HandleRequest, this));
    const int error = m_listener->Listen(m_local);
    if (error != 0)
    {
        Fail(std::string("Local cannot be listened at: ") + std::strerror(error));
    }
}

void
RdmaServerApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Disconnect();
    }
    const auto flows = m_flows; // one may be over at once
    for (const auto& flow : flows)
    {
        flow->Stop();
    }
}

void
RdmaServerApplication::HandleRequest(Ptr<RdmaConnection> connection,
                                     const RdmaConnectionEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind));
    if (event.kind != RdmaConnectionEvent::Kind::CONNECT_REQUEST)
    {
        return;
    }
    const Ptr<RdmaFlow> flow = MakeFlow();
    const std::string problem = flow->Accept(*this, GetDomain(), connection, event.privateData);
    if (!problem.empty())
    {
        connection->Reject();
        Fail(problem);
        return;
    }
    m_flows.push_back(flow);
    m_accepted++;
}

void
RdmaServerApplication::HandleClosed(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    m_flows.erase(std::remove(m_flows.begin(), m_flows.end(), flow), m_flows.end());
}

} // namespace ns3
