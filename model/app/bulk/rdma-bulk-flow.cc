/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-flow.h"

#include "ns3/ddp-octets.h"
#include "ns3/log.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaBulkFlow");

namespace
{

constexpr uint64_t CREDIT = UINT64_MAX;     //!< id of work that tells of Sends taken
constexpr uint32_t LONGEST = 0xFFFFFFFF;    //!< octets of the longest message (RFC 5041)
constexpr uint32_t BULK_MAGIC = 0x69426C6B; //!< first octets of the private data
constexpr uint32_t CREDITS = 8;             //!< of these, posted at once

} // namespace

std::vector<uint8_t>
RdmaBulkHello::Encode() const
{
    std::vector<uint8_t> octets(SIZE);
    ddp::StoreBig(octets.data(), BULK_MAGIC);
    octets[4] = static_cast<uint8_t>(operation);
    ddp::StoreBig(octets.data() + 8, receives);
    ddp::StoreBig(octets.data() + 12, key);
    return octets;
}

bool
RdmaBulkHello::Decode(const std::vector<uint8_t>& octets, RdmaBulkHello& hello)
{
    if (octets.size() < SIZE || ddp::LoadBig<uint32_t>(octets.data()) != BULK_MAGIC ||
        octets[4] > static_cast<uint8_t>(RdmaBulkOperation::SEND))
    {
        return false;
    }
    hello.operation = static_cast<RdmaBulkOperation>(octets[4]);
    hello.receives = ddp::LoadBig<uint32_t>(octets.data() + 8);
    hello.key = ddp::LoadBig<uint32_t>(octets.data() + 12);
    return true;
}

RdmaBulkFlow::RdmaBulkFlow(RdmaBulkOperation operation,
                           uint32_t depth,
                           MessageCallback message,
                           RoomCallback room)
    : m_depth(depth),
      m_message(message),
      m_room(room)
{
    m_own.operation = operation;
}

RdmaBulkFlow::RdmaBulkFlow(uint32_t receives, MessageCallback message)
    : m_depth(receives),
      m_message(message)
{
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaBulkFlow::Open()
{
    NS_LOG_FUNCTION(this);
    const bool sends = m_own.operation == RdmaBulkOperation::SEND;
    m_memory =
        RegisterPayload(LONGEST,
                        DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ);
    RdmaQueuePairConfig config;
    config.maxSendWr = IsClient() ? m_depth : CREDITS;
    config.maxReceiveWr = sends && !IsClient() ? m_depth : 0;
    const std::string problem = MakeQueuePair(config, "QueueDepth or Receives");
    if (!problem.empty())
    {
        return problem;
    }
    for (uint32_t i = 0; i < config.maxReceiveWr; i++)
    {
        PostReceive();
    }
    m_own.receives = config.maxReceiveWr;
    m_own.key = m_memory->GetRkey();
    return "";
}

RdmaConnectionParameters
RdmaBulkFlow::GetParameters() const
{
    RdmaConnectionParameters parameters;
    parameters.privateData = m_own.Encode();
    return parameters;
}

std::string
RdmaBulkFlow::HandlePeer(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this);
    if (!RdmaBulkHello::Decode(privateData, m_peer))
    {
        return IsClient() ? "the peer is no RdmaBulkServer" : "the peer is no RdmaBulkClient";
    }
    m_own.operation = m_peer.operation;
    return "";
}

void
RdmaBulkFlow::HandleReady()
{
    NS_LOG_FUNCTION(this);
    WatchMessages();
}

// ---- messages -----------------------------------------------------------------------------------

uint32_t
RdmaBulkFlow::GetRoom() const
{
    if (IsOver() || GetQp()->GetState() != RdmaQpState::RTS)
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
    NS_LOG_FUNCTION(this << size);
    constexpr RdmaOpcode OPCODES[] = {RdmaOpcode::RDMA_WRITE,
                                      RdmaOpcode::RDMA_READ,
                                      RdmaOpcode::SEND};
    RdmaSendRequest request;
    request.id = m_posted++;
    request.flags = RDMA_SEND_SIGNALED;
    request.opcode = OPCODES[static_cast<uint8_t>(m_own.operation)];
    request.sges = {m_memory->GetSge(0, size)};
    request.rkey = m_peer.key;
    const int error = GetQp()->PostSend(request);
    if (error != 0)
    {
        Fail(std::string("a message cannot be posted: ") + std::strerror(error));
    }
}

void
RdmaBulkFlow::PostReceive()
{
    RdmaReceiveRequest receive;
    receive.sges = {m_memory->GetSge(0, LONGEST)};
    GetQp()->PostReceive(receive);
}

void
RdmaBulkFlow::HandleCompletion(const RdmaCompletion& completion)
{
    NS_LOG_FUNCTION(this << completion.id);
    if (completion.opcode == RdmaCompletionOpcode::RECEIVE)
    {
        PostReceive();
        m_taken++;
    }
    else if (completion.id != CREDIT)
    {
        m_completed++;
    }
}

void
RdmaBulkFlow::HandleIdle()
{
    if (IsClient())
    {
        m_room();
        return;
    }
    while (m_taken - m_told >= GetBatch(m_depth) && SendCredit())
    {
    }
}

void
RdmaBulkFlow::HandleVisible(RdmapOpcode opcode, uint64_t octets)
{
    NS_LOG_FUNCTION(this << octets);
    Ptr<RdmaBulkFlow> self(this);
    const auto operation = m_own.operation;
    if (IsClient() && operation == RdmaBulkOperation::SEND && opcode == RdmapOpcode::WRITE)
    {
        m_peerTaken += GetBatch(m_peer.receives);
        Simulator::ScheduleNow(&RdmaBulkFlow::HandleIdle, self);
    }
    else if (IsClient()
                 ? operation == RdmaBulkOperation::READ && opcode == RdmapOpcode::READ_RESPONSE
                 : opcode == RdmapOpcode::WRITE || opcode == RdmapOpcode::SEND)
    {
        m_message(GetQp(), octets);
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
    request.flags = RDMA_SEND_SIGNALED;
    request.opcode = RdmaOpcode::RDMA_WRITE;
    request.rkey = m_peer.key; // and no octets: that it comes is all it says
    if (GetQp()->PostSend(request) != 0)
    {
        return false; // told with a later one
    }
    m_told += GetBatch(m_depth);
    return true;
}

} // namespace ns3
