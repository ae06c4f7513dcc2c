/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flow.h"

#include "ns3/log.h"
#include "ns3/rdma-device.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdmap-stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaFlow");

namespace
{

/// @param error number of a connection that is asked for @return it in words
std::string
TextOf(int error)
{
    return error == EMFILE ? "more Reads are wanted than the RDMA device takes (MaxReadAtomic)"
                           : std::strerror(error);
}

} // namespace

RdmaFlow::RdmaFlow() = default;

RdmaFlow::~RdmaFlow()
{
    // the simulation may be over, so that nothing is given back
    Detach();
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaFlow::Connect(Owner& owner,
                  Ptr<RdmaProtectionDomain> domain,
                  Ptr<RdmaConnection> connection,
                  const Address& remote)
{
    NS_LOG_FUNCTION(this << remote);
    m_owner = &owner;
    m_domain = domain;
    m_client = true;
    std::string problem = Open();
    if (!problem.empty())
    {
        Release();
        return problem;
    }
    Attach(connection);
    connection->ResolveAddress(remote);
    return "";
}

std::string
RdmaFlow::Accept(Owner& owner,
                 Ptr<RdmaProtectionDomain> domain,
                 Ptr<RdmaConnection> connection,
                 const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this);
    m_owner = &owner;
    m_domain = domain;
    std::string problem = HandlePeer(privateData);
    if (problem.empty())
    {
        problem = Open();
    }
    if (problem.empty())
    {
        Attach(connection);
        const int error = connection->Accept(GetParameters());
        problem = error != 0 ? "the connection cannot be accepted: " + TextOf(error)
                  : m_pair   ? ""
                             : "MPA rejects the peer's Request"; // and has told of it meanwhile
    }
    if (!problem.empty())
    {
        Release();
        return problem;
    }
    HandleReady();
    return "";
}

void
RdmaFlow::Attach(Ptr<RdmaConnection> connection)
{
    m_connection = connection;
    connection->SetQp(m_pair);
    connection->SetEventCallback(MakeCallback(&RdmaFlow::HandleEvent, this));
}

void
RdmaFlow::HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
{
    NS_LOG_FUNCTION(this << static_cast<int>(event.kind) << event.reason);
    using Kind = RdmaConnectionEvent::Kind;
    Ptr<RdmaFlow> self(this);
    switch (event.kind)
    {
    case Kind::ADDRESS_RESOLVED:
        connection->ResolveRoute();
        break;
    case Kind::ROUTE_RESOLVED:
        if (const int error = connection->Connect(GetParameters()))
        {
            Fail("the connection cannot be made: " + TextOf(error));
        }
        break;
    case Kind::ESTABLISHED:
        HandleReply(event.privateData);
        break;
    case Kind::FAILED:
        // told even if all that is posted is done: what TCP has taken may not have arrived well
        m_over = true;
        m_owner->HandleFailed(this, event.reason);
        break;
    case Kind::DISCONNECTED:
        if (m_client)
        {
            Fail("the peer ended the connection");
        }
        Stop();
        break;
    case Kind::ADDRESS_ERROR:
    case Kind::CONNECT_ERROR:
    case Kind::UNREACHABLE:
    case Kind::REJECTED:
        if (event.kind != Kind::UNREACHABLE || !IsPatient())
        {
            Fail(event.reason);
        }
        Close();
        break;
    case Kind::CLOSED:
        Close();
        break;
    default:
        break;
    }
}

void
RdmaFlow::HandleReply(const std::vector<uint8_t>& privateData)
{
    if (m_client)
    {
        const std::string problem = HandlePeer(privateData);
        if (!problem.empty())
        {
            Fail(problem);
            return;
        }
        HandleReady();
    }
    m_owner->HandleConnected(this);
}

void
RdmaFlow::Stop()
{
    NS_LOG_FUNCTION(this);
    m_over = true;
    if (m_connection)
    {
        m_connection->Disconnect();
    }
}

void
RdmaFlow::Fail(const std::string& reason)
{
    NS_LOG_FUNCTION(this << reason);
    if (!std::exchange(m_over, true) && m_owner)
    {
        m_owner->HandleFailed(this, reason);
        Stop();
    }
}

void
RdmaFlow::Close()
{
    Owner* const owner = m_owner;
    Release();
    owner->HandleClosed(this);
}

void
RdmaFlow::Detach()
{
    m_owner = nullptr;
    if (m_cq)
    {
        m_cq->SetNotifyCallback(RdmaCompletionQueue::NotifyCallback());
    }
    if (m_connection)
    {
        m_connection->SetEventCallback(RdmaConnection::EventCallback());
    }
    if (m_pair && m_pair->GetStream())
    {
        m_pair->GetStream()->TraceDisconnectWithoutContext(
            "MessageVisible",
            MakeCallback(&RdmaFlow::HandleVisible, this));
    }
}

void
RdmaFlow::Release()
{
    NS_LOG_FUNCTION(this);
    Detach();
    m_over = true;
    m_connection = nullptr;
    if (m_pair)
    {
        m_pair->Destroy();
        m_pair = nullptr;
    }
    if (m_cq)
    {
        m_domain->GetDevice()->DestroyCq(m_cq);
        m_cq = nullptr;
    }
    for (const auto& region : m_regions)
    {
        region->Deregister();
    }
    m_regions.clear();
}

bool
RdmaFlow::IsClient() const
{
    return m_client;
}

bool
RdmaFlow::IsOver() const
{
    return m_over;
}

Ptr<RdmaQueuePair>
RdmaFlow::GetQp() const
{
    return m_pair;
}

Ptr<RdmaProtectionDomain>
RdmaFlow::GetDomain() const
{
    return m_domain;
}

// ---- memory and queue pair ----------------------------------------------------------------------

Ptr<RdmaMemoryRegion>
RdmaFlow::RegisterPayload(uint64_t length, uint32_t access, uint64_t period)
{
    return Keep(m_domain->RegisterMemory(m_owner->MakePayload(length, period), 0, access));
}

Ptr<RdmaMemoryRegion>
RdmaFlow::Keep(Ptr<RdmaMemoryRegion> region)
{
    m_complete = m_complete && region;
    if (region)
    {
        m_regions.push_back(region);
    }
    return region;
}

std::string
RdmaFlow::MakeQueuePair(RdmaQueuePairConfig config, const std::string& attributes)
{
    m_cq = m_domain->GetDevice()->CreateCq(config.maxSendWr + config.maxReceiveWr);
    if (!m_complete || !m_cq)
    {
        return "the RDMA device has no memory region or completion queue left, or " + attributes +
               " is above what it takes (MaxCqe)";
    }
    config.sendCq = m_cq;
    config.receiveCq = m_cq;
    m_pair = m_domain->CreateQp(config);
    const Ptr<RdmaDevice> device = m_domain->GetDevice();
    if (!m_pair && device->GetErrno() == ENOMEM)
    {
        return "the RDMA device has no queue pair left, all " + std::to_string(device->GetMaxQp()) +
               " are in use (MaxQp of RdmaDevice, QueuePairs.Max of its RNIC)";
    }
    if (!m_pair)
    {
        return "the RDMA device makes no such queue pair: " + attributes +
               " is above what it takes (MaxQpWr, MaxInline)";
    }
    m_cq->SetNotifyCallback(MakeCallback(&RdmaFlow::HandleCompletions, this));
    m_cq->RequestNotify();
    m_pair->Modify(RdmaQpState::INIT);
    return "";
}

// ---- what happens -------------------------------------------------------------------------------

void
RdmaFlow::WatchMessages()
{
    m_pair->GetStream()->TraceConnectWithoutContext("MessageVisible",
                                                    MakeCallback(&RdmaFlow::HandleVisible, this));
}

void
RdmaFlow::HandleCompletions(Ptr<RdmaCompletionQueue> cq)
{
    NS_LOG_FUNCTION(this);
    Ptr<RdmaFlow> self(this);
    cq->RequestNotify();
    RdmaCompletion completion;
    while (m_pair && cq->Poll(completion) > 0)
    {
        if (completion.status == RdmapStatus::SUCCESS)
        {
            HandleCompletion(completion);
        }
        else if (completion.status != RdmapStatus::FLUSHED)
        {
            // what is flushed is told of by the connection's end
            Fail("a work request ended with status " +
                 std::to_string(static_cast<int>(completion.status)));
        }
    }
    if (m_pair)
    {
        HandleIdle();
    }
}

bool
RdmaFlow::IsPatient() const
{
    return false;
}

void
RdmaFlow::HandleReady()
{
}

void
RdmaFlow::HandleIdle()
{
}

void
RdmaFlow::HandleVisible(RdmapOpcode /* opcode */, uint64_t /* octets */)
{
}

} // namespace ns3
