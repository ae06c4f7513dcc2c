/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-client.h"

#include "app-message-sizes.h"

#include "ns3/double.h"
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

NS_LOG_COMPONENT_DEFINE("RdmaStorageClient");
NS_OBJECT_ENSURE_REGISTERED(RdmaStorageClient);

TypeId
RdmaStorageClient::GetTypeId()
{
    static TypeId tid =
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
            .AddAttribute("MessageSizes",
                          "Distribution of the data of requests, in octets",
                          StringValue("ns3::ConstantRandomVariable[Constant=65536]"),
                          MakePointerAccessor(&RdmaStorageClient::m_sizes),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Intervals",
                          "Distribution of the time between two requests, in seconds; without one "
                          "a request is made whenever fewer than QueueDepth are under way",
                          PointerValue(),
                          MakePointerAccessor(&RdmaStorageClient::m_intervals),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("MaxRequests",
                          "Requests to make; 0 is no limit, until the application stops",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaStorageClient::m_maxRequests),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueDepth",
                          "Requests under way at any time, as far as the server grants them; with "
                          "Intervals more of them wait at the client",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaStorageClient::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1, 16384))
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
                            "ns3::RdmaStorageClient::FinishedTracedCallback");
    return tid;
}

RdmaStorageClient::RdmaStorageClient()
    : m_kinds(CreateObject<UniformRandomVariable>())
{
}

RdmaStorageClient::~RdmaStorageClient() = default;

void
RdmaStorageClient::DoDispose()
{
    m_next.Cancel();
    if (m_connection)
    {
        m_connection->SetEventCallback(RdmaConnection::EventCallback());
        m_connection = nullptr;
    }
    RdmaApplication::DoDispose();
}

std::string
RdmaStorageClient::SetMessageSizes(const std::string& description)
{
    std::string problem;
    Ptr<RandomVariableStream> sizes = iwarp::MakeDistribution(description, problem);
    if (sizes)
    {
        m_sizes = sizes;
    }
    return problem;
}

int64_t
RdmaStorageClient::AssignStreams(int64_t stream)
{
    m_sizes->SetStream(stream);
    m_kinds->SetStream(stream + 1);
    if (m_intervals)
    {
        m_intervals->SetStream(stream + 2);
    }
    return 3;
}

// ---- connection ---------------------------------------------------------------------------------

void
RdmaStorageClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    const Ptr<RdmaProtectionDomain> domain = RdmaDevice::Get(GetNode())->AllocPd();
    if (!domain)
    {
        Fail("the RDMA device has no protection domain left");
        return;
    }
    m_terms.queueDepth = m_queueDepth;
    m_terms.inlineThreshold = m_inlineThreshold;
    const std::string problem =
        m_endpoint.Open(domain,
                        m_terms,
                        DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                        MakeCallback(&RdmaStorageClient::HandleCompletion, this));
    if (!problem.empty())
    {
        Fail(problem);
        return;
    }
    m_connection = MakeConnection();
    m_connection->SetQp(m_endpoint.GetQp());
    m_connection->SetEventCallback(MakeCallback(&RdmaStorageClient::HandleEvent, this));
    m_connection->ResolveAddress(m_remote);
}

void
RdmaStorageClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_next.Cancel();
    m_ending = true;
    if (m_connection)
    {
        m_connection->Disconnect();
    }
}

void
RdmaStorageClient::HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
{
    using Kind = RdmaConnectionEvent::Kind;
    switch (event.kind)
    {
    case Kind::ADDRESS_RESOLVED:
        connection->ResolveRoute();
        break;
    case Kind::ROUTE_RESOLVED: {
        RdmaConnectionParameters parameters;
        parameters.privateData = m_terms.Encode();
        const int error = connection->Connect(parameters);
        if (error != 0)
        {
            FailAndEnd(std::string("the connection cannot be made: ") + std::strerror(error));
        }
        break;
    }
    case Kind::ESTABLISHED:
        if (!RdmaStorageTerms::Decode(event.privateData, m_terms) ||
            m_terms.queueDepth > m_queueDepth || m_terms.inlineThreshold > m_inlineThreshold)
        {
            FailAndEnd("the peer is no RdmaStorageServer");
            return;
        }
        TellConnected(m_endpoint.GetQp());
        m_sent.resize(m_terms.queueDepth);
        m_busy.resize(m_terms.queueDepth);
        for (uint32_t tag = m_terms.queueDepth; tag > 0; tag--)
        {
            m_free.push_back(tag - 1);
        }
        m_running = true;
        if (m_intervals)
        {
            MakeAndWait();
        }
        Fill();
        break;
    case Kind::DISCONNECTED:
        if (!m_ending)
        {
            FailAndEnd("the server ended the connection");
        }
        connection->Disconnect();
        break;
    case Kind::ADDRESS_ERROR:
    case Kind::CONNECT_ERROR:
    case Kind::UNREACHABLE:
    case Kind::REJECTED:
        FailAndEnd(event.reason);
        Simulator::ScheduleNow(&RdmaStorageClient::Release, this);
        break;
    case Kind::CLOSED:
        // not from within its own call
        Simulator::ScheduleNow(&RdmaStorageClient::Release, this);
        break;
    case Kind::CONNECT_REQUEST:
        break;
    }
}

void
RdmaStorageClient::FailAndEnd(const std::string& reason)
{
    m_next.Cancel();
    if (!std::exchange(m_ending, true))
    {
        Fail(reason);
    }
    m_connection->Disconnect();
}

void
RdmaStorageClient::Release()
{
    m_running = false;
    m_endpoint.Close();
}

// ---- requests -----------------------------------------------------------------------------------

bool
RdmaStorageClient::MayMake() const
{
    return m_maxRequests == 0 || m_made < m_maxRequests;
}

void
RdmaStorageClient::Make()
{
    const bool read = m_kinds->GetValue() < m_readShare;
    if (m_made == 0)
    {
        m_first = Simulator::Now();
    }
    m_made++;
    m_waiting.push_back({read ? RdmaStorageKind::READ : RdmaStorageKind::WRITE,
                         static_cast<uint32_t>(iwarp::DrawMessageSize(m_sizes)),
                         Simulator::Now()});
}

void
RdmaStorageClient::MakeAndWait()
{
    Make();
    if (MayMake())
    {
        m_next = Simulator::Schedule(Seconds(std::max(0.0, m_intervals->GetValue())),
                                     &RdmaStorageClient::MakeAndWait,
                                     this);
    }
    Fill();
}

void
RdmaStorageClient::Fill()
{
    while (m_running && !m_ending && !m_free.empty())
    {
        if (!m_intervals && m_waiting.empty() && MayMake())
        {
            Make();
        }
        if (m_waiting.empty() || !SendNext())
        {
            return;
        }
    }
}

bool
RdmaStorageClient::SendNext()
{
    const Request request = m_waiting.front();
    const uint32_t tag = m_free.back();
    RdmaStorageMessage message;
    message.kind = request.kind;
    message.tag = tag;
    message.length = request.size;
    message.inlined = request.size <= m_terms.inlineThreshold;
    message.key = m_endpoint.GetKey();
    message.address = RdmaStorageEndpoint::GetAddress(tag);
    const int error =
        m_endpoint.Send(message, message.inlined && request.kind == RdmaStorageKind::WRITE);
    if (error != 0)
    {
        FailAndEnd(std::string("a request cannot be posted: ") + std::strerror(error));
        return false;
    }
    m_waiting.pop_front();
    m_free.pop_back();
    m_busy[tag] = true;
    m_sent[tag] = request;
    m_postedTrace(request.kind, request.size);
    return true;
}

void
RdmaStorageClient::HandleCompletion(const RdmaCompletion& completion)
{
    if (completion.status != RdmapStatus::SUCCESS)
    {
        // what is flushed is told of by the connection's end
        if (completion.status != RdmapStatus::FLUSHED)
        {
            FailAndEnd("a work request ended with status " +
                       std::to_string(static_cast<int>(completion.status)));
        }
        return;
    }
    if (!m_running)
    {
        return;
    }
    RdmaStorageMessage response;
    if (!m_endpoint.Receive(completion, response) || !response.response ||
        response.tag >= m_busy.size() || !m_busy[response.tag] ||
        response.kind != m_sent[response.tag].kind || response.length != m_sent[response.tag].size)
    {
        FailAndEnd("the server sent what answers no request");
        return;
    }
    Complete(response);
}

void
RdmaStorageClient::Complete(const RdmaStorageMessage& response)
{
    const Request& request = m_sent[response.tag];
    const Time latency = Simulator::Now() - request.made;
    Totals& totals = m_totals[static_cast<uint8_t>(request.kind)];
    totals.requests++;
    totals.octets += request.size;
    totals.inlined += response.inlined;
    totals.latencies.Add(latency);
    m_completed++;
    m_last = Simulator::Now();
    m_busy[response.tag] = false;
    m_free.push_back(response.tag);
    m_completedTrace(request.kind, request.size, latency);
    if (m_completed == m_maxRequests)
    {
        m_finished = true;
        m_ending = true;
        m_finishedTrace(m_completed);
        m_connection->Disconnect();
        return;
    }
    Fill();
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
    return m_totals[static_cast<uint8_t>(kind)].requests;
}

uint64_t
RdmaStorageClient::GetOctets(RdmaStorageKind kind) const
{
    return m_totals[static_cast<uint8_t>(kind)].octets;
}

const iwarp::SampleSet&
RdmaStorageClient::GetLatencies(RdmaStorageKind kind) const
{
    return m_totals[static_cast<uint8_t>(kind)].latencies;
}

std::vector<AppMetric>
RdmaStorageClient::GetMetrics() const
{
    const double seconds = (m_last - m_first).GetSeconds();
    const double octets = double(m_totals[0].octets) + double(m_totals[1].octets);
    std::vector<AppMetric> metrics{
        {"requests", double(m_completed), "requests", "requests completed"},
        {"request_rate",
         seconds > 0 ? m_completed / seconds : 0,
         "requests/s",
         "requests completed over the time from the first request to the last response"},
        {"goodput",
         seconds > 0 ? 8 * octets / seconds : 0,
         "bit/s",
         "data over the time from the first request to the last response"}};
    for (const auto kind : {RdmaStorageKind::READ, RdmaStorageKind::WRITE})
    {
        const std::string name = kind == RdmaStorageKind::READ ? "read" : "write";
        const Totals& totals = m_totals[static_cast<uint8_t>(kind)];
        const auto add =
            [&](const char* what, double value, const char* unit, const std::string& help) {
                metrics.push_back({name + "_" + what, value, unit, help});
            };
        add("requests", double(totals.requests), "requests", name + " requests completed");
        add("inline", double(totals.inlined), "requests", "of these, with data in a Send");
        add("octets", double(totals.octets), "octets", "data of " + name + " requests");
        add("latency_mean", totals.latencies.GetMean(), "s", "from request to response, mean");
        add("latency_p50", totals.latencies.GetQuantile(0.5), "s", "median");
        add("latency_p99", totals.latencies.GetQuantile(0.99), "s", "99th percentile");
        add("latency_max", totals.latencies.GetMaximum(), "s", "longest");
    }
    return metrics;
}

} // namespace ns3
