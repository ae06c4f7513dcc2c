/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-client.h"

#include "ns3/app-message-sizes.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaBulkClient");
NS_OBJECT_ENSURE_REGISTERED(RdmaBulkClient);

TypeId
RdmaBulkClient::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaBulkClient")
            .SetParent<RdmaApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaBulkClient>()
            .AddAttribute("Remote",
                          "Address and port of the RdmaBulkServer, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaBulkClient::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Operation",
                          "How messages are moved: RDMA Writes or Sends to the server, or RDMA "
                          "Reads from it",
                          iwarp::MakeEnumValue(RdmaBulkOperation::WRITE),
                          iwarp::MakeEnumAccessor(&RdmaBulkClient::m_operation),
                          iwarp::MakeEnumChecker(RdmaBulkOperation::WRITE,
                                                 "Write",
                                                 RdmaBulkOperation::READ,
                                                 "Read",
                                                 RdmaBulkOperation::SEND,
                                                 "Send"))
            .AddAttribute("MaxOctets",
                          "Octets of payload to move, the last message is cut to fit; 0 is no "
                          "limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaBulkClient::m_maxOctets),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxMessages",
                          "Messages to move; 0 is no limit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaBulkClient::m_maxMessages),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MessageSizes",
                          "Distribution of message sizes, in octets",
                          StringValue("ns3::ConstantRandomVariable[Constant=65536]"),
                          MakePointerAccessor(&RdmaBulkClient::m_sizes),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Intervals",
                          "Distribution of the time between two messages, in seconds; without one "
                          "a message is posted whenever there is room",
                          PointerValue(),
                          MakePointerAccessor(&RdmaBulkClient::m_intervals),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("QueueDepth",
                          "Work requests posted and not complete at any time. With Intervals, "
                          "messages that find no room are refused and counted",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RdmaBulkClient::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("MessagePosted",
                            "A message was posted",
                            MakeTraceSourceAccessor(&RdmaBulkClient::m_postedTrace),
                            "ns3::RdmaBulkClient::MessageTracedCallback")
            .AddTraceSource("MessageReceived",
                            "An RDMA Read is complete: all its octets are in host memory",
                            MakeTraceSourceAccessor(&RdmaBulkClient::m_receivedTrace),
                            "ns3::RdmaBulkClient::MessageTracedCallback");
    return tid;
}

RdmaBulkClient::RdmaBulkClient() = default;

RdmaBulkClient::~RdmaBulkClient() = default;

void
RdmaBulkClient::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_nextPost.Cancel();
    if (m_flow)
    {
        m_flow->Detach();
        m_flow = nullptr;
    }
    m_sizes = nullptr;
    m_intervals = nullptr;
    RdmaApplication::DoDispose();
}

int64_t
RdmaBulkClient::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return iwarp::AssignStreams({m_sizes, m_intervals}, stream);
}

void
RdmaBulkClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    m_flow = Create<RdmaBulkFlow>(m_operation,
                                  m_queueDepth,
                                  MakeCallback(&RdmaBulkClient::HandleMessage, this),
                                  MakeCallback(&RdmaBulkClient::Fill, this));
    Connect(m_flow, m_remote);
}

void
RdmaBulkClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_nextPost.Cancel();
    if (m_flow && !m_flow->IsOver())
    {
        m_finished = true;
        m_flow->Stop();
    }
}

void
RdmaBulkClient::HandleConnected(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    RdmaApplication::HandleConnected(flow);
    if (m_intervals)
    {
        PostAndWait();
    }
    Fill();
}

void
RdmaBulkClient::HandleMessage(Ptr<RdmaQueuePair> pair, uint64_t octets)
{
    NS_LOG_FUNCTION(this << pair << octets);
    m_receivedTrace(static_cast<uint32_t>(m_received++), octets);
}

void
RdmaBulkClient::HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason)
{
    NS_LOG_FUNCTION(this << flow << reason);
    m_nextPost.Cancel();
    RdmaApplication::HandleFailed(flow, reason);
}

// ---- messages -----------------------------------------------------------------------------------

bool
RdmaBulkClient::MayPost() const
{
    return (m_maxMessages == 0 || m_posted + m_refused < m_maxMessages) &&
           (m_maxOctets == 0 || m_postedOctets < m_maxOctets);
}

void
RdmaBulkClient::Post()
{
    uint64_t size = iwarp::DrawMessageSize(m_sizes);
    if (m_flow->GetRoom() == 0)
    {
        m_refused++;
        return;
    }
    if (m_maxOctets > 0)
    {
        size = std::min(size, m_maxOctets - m_postedOctets);
    }
    m_postedOctets += size;
    m_postedTrace(static_cast<uint32_t>(m_posted++), size);
    m_flow->Post(static_cast<uint32_t>(size));
}

void
RdmaBulkClient::PostAndWait()
{
    NS_LOG_FUNCTION(this);
    Post();
    if (MayPost())
    {
        m_nextPost =
            Simulator::Schedule(iwarp::DrawGap(m_intervals), &RdmaBulkClient::PostAndWait, this);
    }
}

void
RdmaBulkClient::Fill()
{
    NS_LOG_FUNCTION(this);
    while (!m_intervals && MayPost() && m_posted < m_allowed && m_flow->GetRoom() > 0)
    {
        Post();
    }
    if (!m_flow->IsOver() && !MayPost() && m_flow->GetPending() == 0)
    {
        m_finished = true;
        m_flow->Stop();
    }
}

void
RdmaBulkClient::Allow(uint64_t messages)
{
    NS_LOG_FUNCTION(this << messages);
    m_allowed = messages;
    if (m_flow)
    {
        Fill();
    }
}

// ---- state --------------------------------------------------------------------------------------

uint64_t
RdmaBulkClient::GetMessagesPosted() const
{
    return m_posted;
}

uint64_t
RdmaBulkClient::GetMessagesRefused() const
{
    return m_refused;
}

uint64_t
RdmaBulkClient::GetOctetsPosted() const
{
    return m_postedOctets;
}

bool
RdmaBulkClient::IsFinished() const
{
    return m_finished;
}

Ptr<RdmaQueuePair>
RdmaBulkClient::GetQp() const
{
    return m_flow ? m_flow->GetQp() : nullptr;
}

} // namespace ns3
