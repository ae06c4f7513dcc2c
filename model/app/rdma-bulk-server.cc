/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-server.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rdma-device.h"
#include "ns3/uinteger.h"

#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaBulkServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaBulkServer);

TypeId
RdmaBulkServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaBulkServer")
            .SetParent<RdmaApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaBulkServer>()
            .AddAttribute("Local",
                          "Address and port to listen at, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaBulkServer::m_local),
                          MakeAddressChecker())
            .AddAttribute("Receives",
                          "Receives that are posted for the Sends of each client; it sends no more "
                          "messages ahead",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaBulkServer::m_receives),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("MessageReceived",
                            "An RDMA Write or a Send is in host memory, and all before it are",
                            MakeTraceSourceAccessor(&RdmaBulkServer::m_receivedTrace),
                            "ns3::RdmaBulkServer::MessageTracedCallback");
    return tid;
}

RdmaBulkServer::RdmaBulkServer() = default;

RdmaBulkServer::~RdmaBulkServer() = default;

void
RdmaBulkServer::DoDispose()
{
    for (const auto& flow : m_flows)
    {
        flow->Detach();
    }
    m_flows.clear();
    m_listener = nullptr;
    m_domain = nullptr;
    RdmaApplication::DoDispose();
}

void
RdmaBulkServer::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_local, "Local");
    m_domain = RdmaDevice::Get(GetNode())->AllocPd();
    if (!m_domain)
    {
        Fail("the RDMA device has no protection domain left");
        return;
    }
    m_listener = MakeConnection();
    m_listener->SetEventCallback(MakeCallback(&RdmaBulkServer::HandleRequest, this));
    const int error = m_listener->Listen(m_local);
    if (error != 0)
    {
        Fail(std::string("Local cannot be listened at: ") + std::strerror(error));
    }
}

void
RdmaBulkServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Disconnect();
        m_listener = nullptr;
    }
    for (const auto& flow : std::set<Ptr<RdmaBulkFlow>>(m_flows))
    {
        flow->Finish();
    }
}

void
RdmaBulkServer::HandleRequest(Ptr<RdmaConnection> /* listener */, const RdmaConnectionEvent& event)
{
    if (event.kind != RdmaConnectionEvent::Kind::CONNECT_REQUEST)
    {
        return;
    }
    RdmaBulkHello hello;
    if (!RdmaBulkHello::Decode(event.privateData, hello))
    {
        NS_LOG_INFO("a peer that is no RdmaBulkClient");
        event.request->Reject();
        return;
    }
    auto flow = Create<RdmaBulkFlow>(
        false,
        hello.operation,
        m_receives,
        RdmaBulkFlow::Listener{MakeCallback(&RdmaBulkServer::HandleEstablished, this),
                               MakeCallback(&RdmaBulkServer::HandleRoom, this),
                               MakeCallback(&RdmaBulkServer::HandleMessage, this),
                               MakeCallback(&RdmaBulkServer::HandleFailed, this),
                               MakeCallback(&RdmaBulkServer::HandleClosed, this)});
    std::string problem = flow->Open(m_domain);
    if (problem.empty())
    {
        problem = flow->Accept(event.request, hello);
    }
    if (!problem.empty())
    {
        Fail(problem);
        event.request->Reject();
        flow->Release();
        return;
    }
    m_flows.insert(flow);
}

void
RdmaBulkServer::HandleEstablished(Ptr<RdmaBulkFlow> flow)
{
    TellConnected(flow->GetQp());
}

void
RdmaBulkServer::HandleRoom(Ptr<RdmaBulkFlow> /* flow */)
{
}

void
RdmaBulkServer::HandleMessage(Ptr<RdmaBulkFlow> flow, uint64_t octets)
{
    m_messages++;
    m_octets += octets;
    m_receivedTrace(flow->GetQp(), octets);
}

void
RdmaBulkServer::HandleFailed(Ptr<RdmaBulkFlow> /* flow */, const std::string& reason)
{
    Fail(reason);
}

void
RdmaBulkServer::HandleClosed(Ptr<RdmaBulkFlow> flow)
{
    flow->Release();
    m_flows.erase(flow);
}

uint64_t
RdmaBulkServer::GetMessages() const
{
    return m_messages;
}

uint64_t
RdmaBulkServer::GetOctets() const
{
    return m_octets;
}

} // namespace ns3
