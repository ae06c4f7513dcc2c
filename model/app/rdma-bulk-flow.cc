/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-flow.h"

#include "ns3/ddp-octets.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-device.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdmap-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{
namespace
{

constexpr uint64_t CREDIT = UINT64_MAX;  //!< id of work that tells of Sends taken
constexpr uint32_t LONGEST = 0xFFFFFFFF; //!< octets of the longest message (RFC 5041)
constexpr uint32_t MAGIC = 0x69426C6B;   //!< first octets of the private data
constexpr uint32_t CREDITS = 8;          //!< of these, posted at once

} // namespace

std::vector<uint8_t>
RdmaBulkHello::Encode() const
{
    std::vector<uint8_t> octets(SIZE);
    ddp::StoreBig(octets.data(), MAGIC);
    octets[4] = static_cast<uint8_t>(operation);
    ddp::StoreBig(octets.data() + 8, receives);
    ddp::StoreBig(octets.data() + 12, key);
    return octets;
}

bool
RdmaBulkHello::Decode(const std::vector<uint8_t>& octets, RdmaBulkHello& hello)
{
    if (octets.size() < SIZE || ddp::LoadBig<uint32_t>(octets.data()) != MAGIC ||
        octets[4] > static_cast<uint8_t>(RdmaBulkOperation::SEND))
    {
        return false;
    }
    hello.operation = static_cast<RdmaBulkOperation>(octets[4]);
    hello.receives = ddp::LoadBig<uint32_t>(octets.data() + 8);
    hello.key = ddp::LoadBig<uint32_t>(octets.data() + 12);
    return true;
}

RdmaBulkFlow::RdmaBulkFlow(bool client,
                           RdmaBulkOperation operation,
                           uint32_t depth,
                           const Listener& listener)
    : m_client(client),
      m_depth(depth),
      m_listener(listener)
{
    m_own.operation = operation;
}

RdmaBulkFlow::~RdmaBulkFlow()
{
    Detach();
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaBulkFlow::Open(Ptr<RdmaProtectionDomain> domain)
{
    m_domain = domain;
    const bool sends = m_own.operation == RdmaBulkOperation::SEND;
    const uint32_t receives = sends && !m_client ? m_depth : 0;
    m_memory = domain->RegisterVirtual(LONGEST,
                                       DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE |
                                           DDP_ACCESS_REMOTE_READ);
    RdmaQueuePairConfig config;
    config.maxSendWr = m_client ? m_depth : CREDITS;
    config.maxReceiveWr = receives;
    m_cq = domain->GetDevice()->CreateCq(config.maxSendWr + receives);
    if (!m_memory || !m_cq)
    {
        return "the RDMA device has no memory region or completion queue left";
    }
    config.sendCq = m_cq;
    config.receiveCq = m_cq;
    m_pair = domain->CreateQp(config);
    if (!m_pair)
    {
        return "the RDMA device makes no such queue pair: QueueDepth or Receives is above its "
               "MaxQpWr, or it has MaxQp";
    }
    m_cq->SetNotifyCallback(MakeCallback(&RdmaBulkFlow::HandleCompletions, this));
    m_cq->RequestNotify();
    m_pair->Modify(RdmaQpState::INIT);
    RdmaReceiveRequest receive;
    receive.sges = {m_memory->GetSge(0, LONGEST)};
    for (uint32_t i = 0; i < receives; i++)
    {
        m_pair->PostReceive(receive);
    }
    m_own.receives = receives;
    m_own.key = m_memory->GetRkey();
    return "";
}

void
RdmaBulkFlow::Connect(Ptr<RdmaConnection> connection, const Address& remote)
{
    m_connection = connection;
    connection->SetQp(m_pair);
    connection->SetEventCallback(MakeCallback(&RdmaBulkFlow::HandleEvent, this));
    connection->ResolveAddress(remote);
}

std::string
RdmaBulkFlow::Accept(Ptr<RdmaConnection> connection, const RdmaBulkHello& hello)
{
    m_connection = connection;
    m_peer = hello;
    connection->SetQp(m_pair);
    connection->SetEventCallback(MakeCallback(&RdmaBulkFlow::HandleEvent, this));
    RdmaConnectionParameters parameters;
    parameters.privateData = m_own.Encode();
    const int error = connection->Accept(parameters);
    if (error != 0)
    {
        return std::string("the connection cannot be accepted: ") + std::strerror(error);
    }
    Start();
    return "";
}

void
RdmaBulkFlow::Start()
{
    m_pair->GetStream()->TraceConnectWithoutContext(
        "MessageVisible",
        MakeCallback(&RdmaBulkFlow::HandleVisible, this));
}

void
RdmaBulkFlow::HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
{
    using Kind = RdmaConnectionEvent::Kind;
    Ptr<RdmaBulkFlow> self(this);
    switch (event.kind)
    {
    case Kind::ADDRESS_RESOLVED:
        connection->ResolveRoute();
        break;
    case Kind::ROUTE_RESOLVED: {
        RdmaConnectionParameters parameters;
        parameters.privateData = m_own.Encode();
        const int error = connection->Connect(parameters);
        if (error != 0)
        {
            Fail(std::string("the connection cannot be made: ") + std::strerror(error));
        }
        break;
    }
    case Kind::ESTABLISHED:
        if (m_client)
        {
            if (!RdmaBulkHello::Decode(event.privateData, m_peer))
            {
                Fail("the peer is no RdmaBulkServer");
                connection->Disconnect();
                return;
            }
            Start();
        }
        m_listener.established(self);
        break;
    case Kind::DISCONNECTED:
        if (m_client)
        {
            Fail("the peer ended the connection");
        }
        connection->Disconnect();
        break;
    case Kind::ADDRESS_ERROR:
    case Kind::CONNECT_ERROR:
    case Kind::UNREACHABLE:
    case Kind::REJECTED:
        Fail(event.reason);
        m_listener.closed(self);
        break;
    case Kind::CLOSED:
        m_listener.closed(self);
        break;
    case Kind::CONNECT_REQUEST:
        break;
    }
}

void
RdmaBulkFlow::Finish()
{
    m_over = true;
    m_connection->Disconnect();
}

void
RdmaBulkFlow::Fail(const std::string& reason)
{
    if (!std::exchange(m_over, true))
    {
        m_listener.failed(this, reason);
    }
}

void
RdmaBulkFlow::Detach()
{
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
            MakeCallback(&RdmaBulkFlow::HandleVisible, this));
    }
}

void
RdmaBulkFlow::Release()
{
    Detach();
    if (m_pair)
    {
        m_pair->Destroy();
    }
    if (m_cq && m_domain->GetDevice())
    {
        m_domain->GetDevice()->DestroyCq(m_cq);
    }
    if (m_memory)
    {
        m_memory->Deregister();
    }
    m_memory = nullptr;
    m_cq = nullptr;
    m_pair = nullptr;
    m_connection = nullptr;
}

Ptr<RdmaQueuePair>
RdmaBulkFlow::GetQp() const
{
    return m_pair;
}

// ---- messages -----------------------------------------------------------------------------------

uint32_t
RdmaBulkFlow::GetRoom() const
{
    if (m_over || !m_pair || m_pair->GetState() != RdmaQpState::RTS)
    {
        return 0;
    }
    uint64_t room = m_depth - (m_posted - m_completed);
    if (m_own.operation == RdmaBulkOperation::SEND)
    {
        room = std::min(room, m_peer.receives - (m_posted - m_peerTaken));
    }
    return static_cast<uint32_t>(room);
}

uint32_t
RdmaBulkFlow::GetPending() const
{
    return static_cast<uint32_t>(m_posted - m_completed);
}

void
RdmaBulkFlow::Post(uint32_t size)
{
    constexpr RdmaOpcode OPCODES[] = {RdmaOpcode::RDMA_WRITE,
                                      RdmaOpcode::RDMA_READ,
                                      RdmaOpcode::SEND};
    RdmaSendRequest request;
    request.id = m_posted++;
    request.opcode = OPCODES[static_cast<uint8_t>(m_own.operation)];
    request.sges = {m_memory->GetSge(0, size)};
    request.rkey = m_peer.key;
    const int error = m_pair->PostSend(request);
    if (error != 0)
    {
        Fail(std::string("a message cannot be posted: ") + std::strerror(error));
        m_connection->Disconnect();
    }
}

void
RdmaBulkFlow::HandleCompletions(Ptr<RdmaCompletionQueue> cq)
{
    Ptr<RdmaBulkFlow> self(this);
    cq->RequestNotify();
    RdmaCompletion completion;
    while (m_pair && cq->Poll(completion) > 0)
    {
        if (completion.status != RdmapStatus::SUCCESS)
        { // what is flushed is told of by the connection's end
            if (completion.status != RdmapStatus::FLUSHED)
            {
                Fail("a work request ended with status " +
                     std::to_string(static_cast<int>(completion.status)));
            }
        }
        else if (completion.opcode == RdmaCompletionOpcode::RECEIVE)
        {
            RdmaReceiveRequest receive;
            receive.sges = {m_memory->GetSge(0, LONGEST)};
            m_pair->PostReceive(receive);
            m_taken++;
        }
        else if (completion.id != CREDIT)
        {
            m_completed++;
        }
    }
    while (!m_client && m_taken - m_told >= GetBatch(m_depth) && SendCredit())
    {
    }
    m_listener.room(self);
}

void
RdmaBulkFlow::HandleVisible(RdmapOpcode opcode, uint64_t octets)
{
    Ptr<RdmaBulkFlow> self(this);
    const auto operation = m_own.operation;
    if (m_client && operation == RdmaBulkOperation::SEND && opcode == RdmapOpcode::WRITE)
    {
        m_peerTaken += GetBatch(m_peer.receives);
        Simulator::ScheduleNow(&RdmaBulkFlow::TakeCredit, self);
    }
    else if (m_client ? operation == RdmaBulkOperation::READ && opcode == RdmapOpcode::READ_RESPONSE
                      : opcode == RdmapOpcode::WRITE || opcode == RdmapOpcode::SEND)
    {
        m_listener.message(self, octets);
    }
}

uint32_t
RdmaBulkFlow::GetBatch(uint32_t receives)
{
    return std::max(1U, receives / 4);
}

bool
RdmaBulkFlow::SendCredit()
{
    RdmaSendRequest request;
    request.id = CREDIT;
    request.opcode = RdmaOpcode::RDMA_WRITE;
    request.rkey = m_peer.key; // and no octets: that it comes is all it says
    if (!m_pair || m_pair->PostSend(request) != 0)
    {
        return false; // told with a later one
    }
    m_told += GetBatch(m_depth);
    return true;
}

void
RdmaBulkFlow::TakeCredit()
{
    m_listener.room(this);
}

} // namespace ns3
