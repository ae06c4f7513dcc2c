/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-client.h"

#include "ns3/log.h"
#include "ns3/ns3-compat.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaBulkClient");
NS_OBJECT_ENSURE_REGISTERED(RdmaBulkClient);

TypeId
RdmaBulkClient::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
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
            .AddTraceSource("MessagePosted",
                            "A message was posted",
                            MakeTraceSourceAccessor(&RdmaBulkClient::m_postedTrace),
                            "ns3::RdmaBulkClient::MessageTracedCallback")
            .AddTraceSource("MessageReceived",
                            "An RDMA Read is complete: all its octets are in host memory",
                            MakeTraceSourceAccessor(&RdmaBulkClient::m_receivedTrace),
                            "ns3::RdmaBulkClient::MessageTracedCallback"),
        &RdmaBulkClient::m_source,
        {"Work requests posted and not complete at any time. With Intervals, messages that find no "
         "room are refused and counted"});
    return tid;
}

RdmaBulkClient::RdmaBulkClient()
    : m_source(*this)
{
}

RdmaBulkClient::~RdmaBulkClient() = default;

void
RdmaBulkClient::DoDispose()
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

int64_t
RdmaBulkClient::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return m_source.AssignStreams(stream);
}

void
RdmaBulkClient::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    m_flow = Create<RdmaBulkFlow>(m_operation,
                                  m_source.GetQueueDepth(),
                                  MakeCallback(&RdmaBulkClient::HandleMessage, this),
                                  MakeCallback(&RdmaBulkClient::Fill, this));
    Connect(m_flow, m_remote);
}

void
RdmaBulkClient::StopApplication()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
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
    m_source.Start();
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
    m_source.Stop();
    RdmaApplication::HandleFailed(flow, reason);
}

// ---- messages -----------------------------------------------------------------------------------

bool
RdmaBulkClient::MayPost() const
{
    return m_source.HasMore();
}

bool
RdmaBulkClient::HasRoom() const
{
    return m_flow->GetRoom() > 0;
}

void
RdmaBulkClient::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << number << size);
    m_postedTrace(number, size);
    m_flow->Post(static_cast<uint32_t>(size));
}

void
RdmaBulkClient::Fill()
{
    NS_LOG_FUNCTION(this);
    m_source.Fill();
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
    m_source.Allow(messages);
    if (m_flow)
    {
        Fill();
    }
}

void
RdmaBulkClient::Post(uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    m_source.Add(size);
    if (m_flow)
    {
        Fill();
    }
}

// ---- state --------------------------------------------------------------------------------------

uint64_t
RdmaBulkClient::GetMessagesPosted() const
{
    return m_source.GetPosted();
}

uint64_t
RdmaBulkClient::GetMessagesRefused() const
{
    return m_source.GetRefused();
}

uint64_t
RdmaBulkClient::GetOctetsPosted() const
{
    return m_source.GetOctets();
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
