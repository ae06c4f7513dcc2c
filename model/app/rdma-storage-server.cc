/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-server.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaStorageServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaStorageServer);

TypeId
RdmaStorageServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaStorageServer")
            .SetParent<RdmaApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaStorageServer>()
            .AddAttribute("Local",
                          "Address and port to listen at",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaStorageServer::m_local),
                          MakeAddressChecker())
            .AddAttribute("QueueDepth",
                          "Most requests of a connection under way",
                          UintegerValue(128),
                          MakeUintegerAccessor(&RdmaStorageServer::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1, 16384))
            .AddAttribute("InlineThreshold",
                          "Most octets of data in a Send, granted to a client that wants more",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&RdmaStorageServer::m_inlineThreshold),
                          MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("ServiceTime",
                          "Distribution of the time that the storage takes for a request, in "
                          "seconds: between the arrival of a write's data and the response, before "
                          "a read's data are sent",
                          StringValue("ns3::ConstantRandomVariable[Constant=0]"),
                          MakePointerAccessor(&RdmaStorageServer::m_serviceTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("RequestServed",
                            "The response to a request is sent",
                            MakeTraceSourceAccessor(&RdmaStorageServer::m_servedTrace),
                            "ns3::RdmaStorageServer::ServedTracedCallback");
    return tid;
}

RdmaStorageServer::RdmaStorageServer() = default;

RdmaStorageServer::~RdmaStorageServer() = default;

void
RdmaStorageServer::DoDispose()
{
    m_sessions.clear();
    if (m_listener)
    {
        m_listener->SetEventCallback(RdmaConnection::EventCallback());
        m_listener = nullptr;
    }
    m_domain = nullptr;
    RdmaApplication::DoDispose();
}

int64_t
RdmaStorageServer::AssignStreams(int64_t stream)
{
    m_serviceTime->SetStream(stream);
    return 1;
}

uint32_t
RdmaStorageServer::GetNConnections() const
{
    return m_accepted;
}

uint64_t
RdmaStorageServer::GetRequests() const
{
    return m_requests;
}

uint64_t
RdmaStorageServer::GetOctets() const
{
    return m_octets;
}

void
RdmaStorageServer::StartApplication()
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
    m_listener->SetEventCallback(MakeCallback(&RdmaStorageServer::HandleEvent, this));
    const int error = m_listener->Listen(m_local);
    NS_ABORT_MSG_IF(error != 0,
                    "ns3::RdmaStorageServer: cannot listen at Local: " << std::strerror(error));
}

void
RdmaStorageServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Disconnect();
    }
    for (const auto& session : m_sessions)
    {
        session->Stop();
    }
}

void
RdmaStorageServer::HandleEvent(Ptr<RdmaConnection> /* connection */,
                               const RdmaConnectionEvent& event)
{
    if (event.kind != RdmaConnectionEvent::Kind::CONNECT_REQUEST)
    {
        return;
    }
    const auto session = Create<Session>(*this);
    const std::string problem = session->Accept(event);
    if (!problem.empty())
    {
        session->Close();
        event.request->Reject();
        Fail(problem);
        return;
    }
    m_sessions.push_back(session);
    m_accepted++;
}

void
RdmaStorageServer::Remove(Ptr<Session> session)
{
    const auto found = std::find(m_sessions.begin(), m_sessions.end(), session);
    if (found != m_sessions.end())
    {
        m_sessions.erase(found);
        session->Close();
    }
}

// ---- a connection -------------------------------------------------------------------------------

RdmaStorageServer::Session::Session(RdmaStorageServer& server)
    : m_server(server)
{
}

std::string
RdmaStorageServer::Session::Accept(const RdmaConnectionEvent& event)
{
    RdmaStorageTerms terms;
    if (!RdmaStorageTerms::Decode(event.privateData, terms))
    {
        return "the peer is no RdmaStorageClient";
    }
    terms.queueDepth = std::min(terms.queueDepth, m_server.m_queueDepth);
    terms.inlineThreshold = std::min(terms.inlineThreshold, m_server.m_inlineThreshold);
    std::string problem = m_endpoint.Open(m_server.m_domain,
                                          terms,
                                          DDP_ACCESS_NONE,
                                          MakeCallback(&Session::HandleCompletion, this));
    if (!problem.empty())
    {
        return problem;
    }
    m_requests.resize(terms.queueDepth);
    m_busy.resize(terms.queueDepth);
    m_connection = event.request;
    m_connection->SetQp(m_endpoint.GetQp());
    m_connection->SetEventCallback(MakeCallback(&Session::HandleEvent, this));
    RdmaConnectionParameters parameters;
    parameters.privateData = terms.Encode();
    const int error = m_connection->Accept(parameters);
    return error == 0 ? ""
                      : std::string("the connection cannot be accepted: ") + std::strerror(error);
}

void
RdmaStorageServer::Session::Stop()
{
    m_ending = true;
    m_connection->Disconnect();
}

void
RdmaStorageServer::Session::Close()
{
    m_ending = true;
    if (m_connection)
    {
        m_connection->SetEventCallback(RdmaConnection::EventCallback());
        m_connection = nullptr;
    }
    m_endpoint.Close();
}

void
RdmaStorageServer::Session::HandleEvent(Ptr<RdmaConnection> connection,
                                        const RdmaConnectionEvent& event)
{
    using Kind = RdmaConnectionEvent::Kind;
    switch (event.kind)
    {
    case Kind::ESTABLISHED:
        m_server.TellConnected(m_endpoint.GetQp());
        break;
    case Kind::DISCONNECTED:
        m_ending = true;
        connection->Disconnect();
        break;
    case Kind::CONNECT_ERROR:
        m_server.Fail(event.reason);
        [[fallthrough]];
    case Kind::CLOSED:
        // not from within its own call
        Simulator::ScheduleNow(&RdmaStorageServer::Remove, &m_server, Ptr<Session>(this));
        break;
    default:
        break;
    }
}

void
RdmaStorageServer::Session::Fail(const std::string& reason)
{
    if (!std::exchange(m_ending, true))
    {
        m_server.Fail(reason);
        m_connection->Disconnect();
    }
}

void
RdmaStorageServer::Session::Check(int error)
{
    if (error != 0)
    {
        Fail(std::string("work cannot be posted: ") + std::strerror(error));
    }
}

void
RdmaStorageServer::Session::HandleCompletion(const RdmaCompletion& completion)
{
    if (completion.status != RdmapStatus::SUCCESS)
    {
        // what is flushed is told of by the connection's end
        if (completion.status != RdmapStatus::FLUSHED)
        {
            Fail("a work request ended with status " +
                 std::to_string(static_cast<int>(completion.status)));
        }
        return;
    }
    if (m_ending)
    {
        return;
    }
    if (completion.opcode == RdmaCompletionOpcode::RDMA_READ)
    {
        Serve(static_cast<uint32_t>(completion.id));
        return;
    }
    RdmaStorageMessage request;
    const bool good = m_endpoint.Receive(completion, request);
    if (completion.octets == 0)
    {
        return; // a ready-to-receive indication
    }
    if (!good || request.response || m_busy[request.tag])
    {
        Fail("the client sent what is no request");
        return;
    }
    HandleRequest(request);
}

void
RdmaStorageServer::Session::HandleRequest(const RdmaStorageMessage& request)
{
    m_busy[request.tag] = true;
    m_requests[request.tag] = request;
    if (request.kind == RdmaStorageKind::WRITE && !request.inlined)
    {
        Check(m_endpoint.Move(RdmaOpcode::RDMA_READ, request));
    }
    else
    {
        Serve(request.tag);
    }
}

void
RdmaStorageServer::Session::Serve(uint32_t tag)
{
    const double seconds = std::max(0.0, m_server.m_serviceTime->GetValue());
    if (seconds == 0)
    {
        Respond(tag);
    }
    else
    {
        Simulator::Schedule(Seconds(seconds), &Session::Respond, Ptr<Session>(this), tag);
    }
}

void
RdmaStorageServer::Session::Respond(uint32_t tag)
{
    if (m_ending)
    {
        return;
    }
    RdmaStorageMessage response = m_requests[tag];
    response.response = true;
    const bool read = response.kind == RdmaStorageKind::READ;
    m_busy[tag] = false;
    if (read && !response.inlined)
    {
        Check(m_endpoint.Move(RdmaOpcode::RDMA_WRITE, response));
    }
    if (!m_ending)
    {
        Check(m_endpoint.Send(response, read && response.inlined));
        m_server.m_requests++;
        m_server.m_octets += response.length;
        m_server.m_servedTrace(response.kind, response.length);
    }
}

} // namespace ns3
