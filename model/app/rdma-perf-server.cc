/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-server.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerfServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaPerfServer);

TypeId
RdmaPerfServer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPerfServer")
                            .SetParent<RdmaApplication>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RdmaPerfServer>()
                            .AddAttribute("Local",
                                          "Address and port to listen at",
                                          AddressValue(),
                                          MakeAddressAccessor(&RdmaPerfServer::m_local),
                                          MakeAddressChecker())
                            .AddAttribute("RxDepth",
                                          "Receives posted on each queue pair (--rx-depth)",
                                          UintegerValue(512),
                                          MakeUintegerAccessor(&RdmaPerfServer::m_rxDepth),
                                          MakeUintegerChecker<uint32_t>(1, 16777216));
    return tid;
}

RdmaPerfServer::RdmaPerfServer() = default;

RdmaPerfServer::~RdmaPerfServer() = default;

void
RdmaPerfServer::DoDispose()
{
    m_flows.clear();
    if (m_listener)
    {
        m_listener->SetEventCallback(RdmaConnection::EventCallback());
        m_listener = nullptr;
    }
    m_domain = nullptr;
    RdmaApplication::DoDispose();
}

uint32_t
RdmaPerfServer::GetNConnections() const
{
    return m_accepted;
}

void
RdmaPerfServer::StartApplication()
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
    m_listener->SetEventCallback(MakeCallback(&RdmaPerfServer::HandleEvent, this));
    const int error = m_listener->Listen(m_local);
    NS_ABORT_MSG_IF(error != 0,
                    "ns3::RdmaPerfServer: cannot listen at Local: " << std::strerror(error));
}

void
RdmaPerfServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Disconnect();
    }
    for (const auto& flow : m_flows)
    {
        flow->Stop();
    }
}

void
RdmaPerfServer::HandleEvent(Ptr<RdmaConnection> /* connection */, const RdmaConnectionEvent& event)
{
    if (event.kind != RdmaConnectionEvent::Kind::CONNECT_REQUEST)
    {
        return;
    }
    const std::string problem = Take(event);
    if (!problem.empty())
    {
        event.request->Reject();
        Fail(problem);
    }
}

std::string
RdmaPerfServer::Take(const RdmaConnectionEvent& event)
{
    RdmaPerfParameters parameters;
    if (!RdmaPerfParameters::Decode(event.privateData, parameters))
    {
        return "the peer is no RdmaPerfClient";
    }
    const Ptr<RdmaPerfRecord> record = RdmaPerfRecord::Find(parameters.record);
    if (!record)
    {
        return "the peer is not part of this simulation";
    }
    const auto flow = Create<RdmaPerfFlow>(parameters, false, record);
    flow->SetCallbacks(MakeCallback(&RdmaPerfServer::HandleConnected, this),
                       MakeCallback(&RdmaPerfServer::HandleFailed, this),
                       MakeCallback(&RdmaPerfServer::HandleClosed, this));
    std::string problem = flow->Open(m_domain, m_rxDepth);
    if (problem.empty())
    {
        problem = flow->Accept(event.request);
    }
    if (!problem.empty())
    {
        flow->Release();
        return problem;
    }
    m_flows.push_back(flow);
    m_accepted++;
    return "";
}

void
RdmaPerfServer::HandleConnected(Ptr<RdmaPerfFlow> flow, const std::string&)
{
    TellConnected(flow->GetQp());
}

void
RdmaPerfServer::HandleFailed(Ptr<RdmaPerfFlow>, const std::string& reason)
{
    Fail(reason);
}

void
RdmaPerfServer::HandleClosed(Ptr<RdmaPerfFlow> flow, const std::string&)
{
    // not from within its own call
    Simulator::ScheduleNow(&RdmaPerfServer::Remove, this, flow);
}

void
RdmaPerfServer::Remove(Ptr<RdmaPerfFlow> flow)
{
    const auto found = std::find(m_flows.begin(), m_flows.end(), flow);
    if (found != m_flows.end())
    {
        m_flows.erase(found);
        flow->Release();
    }
}

} // namespace ns3
