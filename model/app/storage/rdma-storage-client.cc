/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-client.h"

#include "rdma-storage-flow.h"

#include "ns3/app-message-sizes.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaStorageClient");
NS_OBJECT_ENSURE_REGISTERED(RdmaStorageClient);

/// The client's end of the connection.
class RdmaStorageClient::Session : public RdmaStorageFlow
{
  public:
    /// @param client whose
    explicit Session(RdmaStorageClient& client)
        : RdmaStorageFlow({client.m_source.GetQueueDepth(), client.m_inlineThreshold}),
          m_client(client)
    {
    }

  private:
    void HandleMessage(const RdmaStorageMessage& response) override
    {
        m_client.HandleResponse(response);
    }

    RdmaStorageClient& m_client; //!< whose
};

TypeId
RdmaStorageClient::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
        TypeId("ns3::RdmaStorageClient")
            .SetParent<RdmaApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaStorageClient>()
            .AddAttribute("Remote",
                          "Address and port of the RdmaStorageServer, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaStorageClient::m_remote),
                          MakeAddressChecker())
            .AddAttribute("ReadShare",
                          "Share of requests that read; the others write",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaStorageClient::m_readShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "InlineThreshold",
                "Most octets of data that go in a Send, as far as the server grants them; "
                "more go by RDMA",
                UintegerValue(4096),
                MakeUintegerAccessor(&RdmaStorageClient::m_inlineThreshold),
                MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddTraceSource("RequestPosted",
                            "A request was sent",
                            MakeTraceSourceAccessor(&RdmaStorageClient::m_postedTrace),
                            "ns3::RdmaStorageClient::PostedTracedCallback")
            .AddTraceSource("RequestCompleted",
                            "The response to a request is there",
                            MakeTraceSourceAccessor(&RdmaStorageClient::m_completedTrace),
                            "ns3::RdmaStorageClient::CompletedTracedCallback")
            .AddTraceSource("Finished",
                            "All requests have been completed",
                            MakeTraceSourceAccessor(&RdmaStorageClient::m_finishedTrace),
                            "ns3::RdmaStorageClient::FinishedTracedCallback"),
        &RdmaStorageClient::m_source,
        {"Requests under way at any time, as far as the server grants them; with Intervals more of "
         "them wait at the client",
         "MaxRequests",
         16384});
    return tid;
}

RdmaStorageClient::RdmaStorageClient()
    : m_source(*this),
      m_kinds(CreateObject<UniformRandomVariable>()),
      m_totals("a Send")
{
}

RdmaStorageClient::~RdmaStorageClient() = default;

void
RdmaStorageClient::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    if (m_flow)
    {
        m_flow->Detach();
        m_flow = nullptr;
    }
    RdmaApplication::DoDispose();
}

std::string
RdmaStorageClient::SetMessageSizes(const std::string& description)
{
    NS_LOG_FUNCTION(this << description);
    return m_source.SetSizes(description);
}

int64_t
RdmaStorageClient::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return iwarp::AssignStreams({m_source.GetSizes(), m_kinds, m_source.GetIntervals()}, stream);
}

// ---- connection ---------------------------------------------------------------------------------

void
RdmaStorageClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    m_flow = Create<Session>(*this);
    Connect(m_flow, m_remote);
}

void
RdmaStorageClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    if (m_flow)
    {
        m_flow->Stop();
    }
}

void
RdmaStorageClient::HandleConnected(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    RdmaApplication::HandleConnected(flow);
    const uint32_t depth = m_flow->GetTerms().queueDepth;
    m_sent.resize(depth);
    m_busy.resize(depth);
    for (uint32_t tag = depth; tag > 0; tag--)
    {
        m_free.push_back(tag - 1);
    }
    m_source.Start();
    m_source.Fill();
}

void
RdmaStorageClient::HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason)
{
    NS_LOG_FUNCTION(this << flow << reason);
    m_source.Stop();
    RdmaApplication::HandleFailed(flow, reason);
}

// ---- requests -----------------------------------------------------------------------------------

bool
RdmaStorageClient::CanSend() const
{
    return !m_flow->IsOver() && !m_free.empty();
}

bool
RdmaStorageClient::HasRoom() const
{
    return m_source.IsOpen() || CanSend();
}

void
RdmaStorageClient::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << number << size);
    m_totals.Begin();
    const bool read = m_kinds->GetValue() < m_readShare;
    m_waiting.push_back({read ? RdmaStorageKind::READ : RdmaStorageKind::WRITE,
                         static_cast<uint32_t>(size),
                         Simulator::Now()});
    if (CanSend())
    {
        SendNext();
    }
}

void
RdmaStorageClient::SendNext()
{
    const Request request = m_waiting.front();
    const uint32_t tag = m_free.back();
    m_waiting.pop_front();
    m_free.pop_back();
    m_busy[tag] = true;
    m_sent[tag] = request;
    RdmaStorageMessage message;
    message.kind = request.kind;
    message.tag = tag;
    message.length = request.size;
    message.inlined = request.size <= m_flow->GetTerms().inlineThreshold;
    message.key = m_flow->GetKey();
    message.address = RdmaStorageFlow::GetAddress(tag);
    m_flow->Send(message, message.inlined && request.kind == RdmaStorageKind::WRITE);
    if (!m_flow->IsOver())
    {
        m_postedTrace(request.kind, request.size);
    }
}

void
RdmaStorageClient::HandleResponse(const RdmaStorageMessage& response)
{
    NS_LOG_FUNCTION(this << response.tag);
    if (!m_busy[response.tag] || response.kind != m_sent[response.tag].kind ||
        response.length != m_sent[response.tag].size)
    {
        m_flow->Fail("the server sent what answers no request");
        return;
    }
    Complete(response);
}

void
RdmaStorageClient::Complete(const RdmaStorageMessage& response)
{
    const Request& request = m_sent[response.tag];
    const Time latency = Simulator::Now() - request.made;
    m_totals.Complete(request.kind, request.size, response.inlined, latency);
    m_busy[response.tag] = false;
    m_free.push_back(response.tag);
    m_completedTrace(request.kind, request.size, latency);
    if (!m_source.HasMore() && m_waiting.empty() && m_free.size() == m_busy.size())
    {
        m_finished = true;
        m_finishedTrace(m_source.GetPosted());
        m_flow->Stop();
        return;
    }
    if (!m_waiting.empty() && CanSend())
    {
        SendNext();
    }
    m_source.Fill();
}

// ---- results ------------------------------------------------------------------------------------

bool
RdmaStorageClient::IsFinished() const
{
    return m_finished;
}

uint64_t
RdmaStorageClient::GetRequests(RdmaStorageKind kind) const
{
    return m_totals.GetRequests(kind);
}

uint64_t
RdmaStorageClient::GetOctets(RdmaStorageKind kind) const
{
    return m_totals.GetOctets(kind);
}

const iwarp::SampleSet&
RdmaStorageClient::GetLatencies(RdmaStorageKind kind) const
{
    return m_totals.GetLatencies(kind);
}

void
RdmaStorageClient::RestartTotals()
{
    m_totals.Restart();
}

const iwarp::RequestTotals&
RdmaStorageClient::GetTotals() const
{
    return m_totals;
}

std::vector<AppMetric>
RdmaStorageClient::GetMetrics() const
{
    return m_totals.GetMetrics();
}

std::vector<AppMetric>
RdmaStorageClient::ListMetrics()
{
    return iwarp::RequestTotals("a Send").GetMetrics();
}

} // namespace ns3
