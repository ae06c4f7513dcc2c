/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-server.h"

#include "rdma-storage-flow.h"

#include "ns3/app-message-sizes.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaStorageServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaStorageServer);

/// One connection.
class RdmaStorageServer::Session : public RdmaStorageFlow
{
  public:
    /// @param server whose
    explicit Session(RdmaStorageServer& server);

  private:
    // RdmaStorageFlow
    std::string Open() override;
    void HandleMessage(const RdmaStorageMessage& request) override;
    void HandleRead(uint32_t tag) override;

    void Serve(uint32_t tag);   //!< let the storage do its work @param tag request
    void Respond(uint32_t tag); //!< the storage has done it @param tag request

    RdmaStorageServer& m_server;                //!< whose
    std::vector<RdmaStorageMessage> m_requests; //!< under way, by tag
    std::vector<bool> m_busy;                   //!< tags under way
};

TypeId
RdmaStorageServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaStorageServer")
            .SetParent<RdmaServerApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaStorageServer>()
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

int64_t
RdmaStorageServer::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return iwarp::AssignStreams({m_serviceTime}, stream);
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

Ptr<RdmaFlow>
RdmaStorageServer::MakeFlow()
{
    return Create<Session>(*this);
}

void
RdmaStorageServer::CountServed(const RdmaStorageMessage& response)
{
    m_requests++;
    m_octets += response.length;
    m_servedTrace(response.kind, response.length);
}

// ---- a connection -------------------------------------------------------------------------------

RdmaStorageServer::Session::Session(RdmaStorageServer& server)
    : RdmaStorageFlow({server.m_queueDepth, server.m_inlineThreshold}),
      m_server(server)
{
}

std::string
RdmaStorageServer::Session::Open()
{
    m_requests.resize(GetTerms().queueDepth);
    m_busy.resize(GetTerms().queueDepth);
    return RdmaStorageFlow::Open();
}

void
RdmaStorageServer::Session::HandleMessage(const RdmaStorageMessage& request)
{
    NS_LOG_FUNCTION(this << request.tag);
    if (IsOver())
    {
        return;
    }
    if (m_busy[request.tag])
    {
        Fail("the client sent a request of a tag that is under way");
        return;
    }
    m_busy[request.tag] = true;
    m_requests[request.tag] = request;
    if (request.kind == RdmaStorageKind::WRITE && !request.inlined)
    {
        Move(RdmaOpcode::RDMA_READ, request);
    }
    else
    {
        Serve(request.tag);
    }
}

void
RdmaStorageServer::Session::HandleRead(uint32_t tag)
{
    if (!IsOver())
    {
        Serve(tag);
    }
}

void
RdmaStorageServer::Session::Serve(uint32_t tag)
{
    const Time service = iwarp::DrawInterval(m_server.m_serviceTime);
    if (service.IsZero())
    {
        Respond(tag);
    }
    else
    {
        Simulator::Schedule(service, &Session::Respond, Ptr<Session>(this), tag);
    }
}

void
RdmaStorageServer::Session::Respond(uint32_t tag)
{
    if (IsOver())
    {
        return;
    }
    RdmaStorageMessage response = m_requests[tag];
    response.response = true;
    const bool read = response.kind == RdmaStorageKind::READ;
    m_busy[tag] = false;
    if (read && !response.inlined)
    {
        Move(RdmaOpcode::RDMA_WRITE, response);
    }
    if (!IsOver())
    {
        Send(response, read && response.inlined);
        m_server.CountServed(response);
    }
}

} // namespace ns3
