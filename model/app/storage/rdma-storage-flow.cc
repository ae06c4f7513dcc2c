/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-flow.h"

#include "ns3/log.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-queue-pair.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaStorageFlow");

namespace
{

constexpr uint32_t SENDS = 2; // work requests of a tag at a time: data and response

} // namespace

RdmaStorageFlow::RdmaStorageFlow(const RdmaStorageTerms& terms)
    : m_terms(terms)
{
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaStorageFlow::Open()
{
    NS_LOG_FUNCTION(this);
    const auto domain = GetDomain();
    const uint64_t headers = uint64_t(m_terms.queueDepth) * RdmaStorageMessage::SIZE;
    const uint32_t access =
        DDP_ACCESS_LOCAL_WRITE |
        (IsClient() ? DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE : DDP_ACCESS_NONE);
    m_sent = Keep(domain->RegisterBacked(headers, DDP_ACCESS_LOCAL_WRITE));
    m_received = Keep(domain->RegisterBacked(headers, DDP_ACCESS_LOCAL_WRITE));
    // data begin anew in each slot
    m_inline = RegisterPayload(
        std::max<uint64_t>(1, uint64_t(m_terms.queueDepth) * m_terms.inlineThreshold),
        DDP_ACCESS_LOCAL_WRITE,
        std::max(1U, m_terms.inlineThreshold));
    m_data = RegisterPayload(GetAddress(m_terms.queueDepth), access, GetAddress(1));
    RdmaQueuePairConfig config;
    // what is under way, and what is done but waits for the next completion that is signaled
    const uint32_t underWay = SENDS * m_terms.queueDepth;
    config.maxSendWr =
        std::clamp(domain->GetDevice()->GetMaxQpWr(), underWay, underWay + m_terms.queueDepth);
    m_signalEvery = std::max(1U, config.maxSendWr - underWay);
    config.maxReceiveWr = m_terms.queueDepth;
    config.maxSendSge = 2;
    config.maxReceiveSge = 2;
    const std::string problem = MakeQueuePair(config, "QueueDepth");
    for (uint32_t i = 0; problem.empty() && i < m_terms.queueDepth; i++)
    {
        PostReceive(i);
    }
    return problem;
}

RdmaConnectionParameters
RdmaStorageFlow::GetParameters() const
{
    RdmaConnectionParameters parameters;
    parameters.privateData = m_terms.Encode();
    return parameters;
}

std::string
RdmaStorageFlow::HandlePeer(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this);
    RdmaStorageTerms terms;
    const bool good = RdmaStorageTerms::Decode(privateData, terms);
    if (IsClient() && (!good || terms.queueDepth > m_terms.queueDepth ||
                       terms.inlineThreshold > m_terms.inlineThreshold))
    {
        return "the peer is no RdmaStorageServer";
    }
    if (!good)
    {
        return "the peer is no RdmaStorageClient";
    }
    m_granted.queueDepth = std::min(terms.queueDepth, m_terms.queueDepth);
    m_granted.inlineThreshold = std::min(terms.inlineThreshold, m_terms.inlineThreshold);
    if (!IsClient())
    {
        m_terms = m_granted;
    }
    return "";
}

const RdmaStorageTerms&
RdmaStorageFlow::GetTerms() const
{
    return m_granted;
}

// ---- messages -----------------------------------------------------------------------------------

uint32_t
RdmaStorageFlow::GetKey() const
{
    return m_data->GetRkey();
}

uint64_t
RdmaStorageFlow::GetAddress(uint32_t tag)
{
    return uint64_t(tag) << 32;
}

void
RdmaStorageFlow::Send(const RdmaStorageMessage& message, bool withData)
{
    NS_LOG_FUNCTION(this << message.tag << withData);
    const uint64_t at = uint64_t(message.tag) * RdmaStorageMessage::SIZE;
    uint8_t header[RdmaStorageMessage::SIZE];
    message.Encode(header);
    m_sent->GetMemory()->Write(at, header, sizeof(header), sizeof(header));
    RdmaSendRequest request;
    request.id = message.tag;
    request.sges = {m_sent->GetSge(at, RdmaStorageMessage::SIZE)};
    if (withData)
    {
        request.sges.push_back(m_data->GetSge(GetAddress(message.tag), message.length));
    }
    Post(request);
}

void
RdmaStorageFlow::Move(RdmaOpcode opcode, const RdmaStorageMessage& message)
{
    NS_LOG_FUNCTION(this << message.tag);
    RdmaSendRequest request;
    request.id = message.tag;
    request.opcode = opcode;
    request.flags = opcode == RdmaOpcode::RDMA_READ ? RDMA_SEND_SIGNALED : 0;
    request.sges = {m_data->GetSge(GetAddress(message.tag), message.length)};
    request.rkey = message.key;
    request.remoteAddress = message.address;
    Post(request);
}

void
RdmaStorageFlow::Post(RdmaSendRequest& request)
{
    m_posted++;
    request.flags |= m_posted % m_signalEvery == 0 ? RDMA_SEND_SIGNALED : 0;
    const int error = GetQp()->PostSend(request);
    if (error != 0)
    {
        Fail(std::string("work cannot be posted: ") + std::strerror(error));
    }
}

void
RdmaStorageFlow::PostReceive(uint32_t slot)
{
    RdmaReceiveRequest request;
    request.id = slot;
    request.sges = {
        m_received->GetSge(uint64_t(slot) * RdmaStorageMessage::SIZE, RdmaStorageMessage::SIZE)};
    if (m_terms.inlineThreshold > 0)
    {
        request.sges.push_back(
            m_inline->GetSge(uint64_t(slot) * m_terms.inlineThreshold, m_terms.inlineThreshold));
    }
    GetQp()->PostReceive(request);
}

bool
RdmaStorageFlow::Receive(const RdmaCompletion& completion, RdmaStorageMessage& message)
{
    uint8_t header[RdmaStorageMessage::SIZE];
    const auto slot = static_cast<uint32_t>(completion.id);
    const bool whole = completion.octets >= RdmaStorageMessage::SIZE &&
                       m_received->GetMemory()->Read(uint64_t(slot) * RdmaStorageMessage::SIZE,
                                                     header,
                                                     sizeof(header));
    PostReceive(slot);
    if (!whole || !RdmaStorageMessage::Decode(header, message) || message.length == 0 ||
        message.tag >= m_terms.queueDepth)
    {
        return false;
    }
    // a write's data come with the request, a read's with the response
    const bool carries =
        message.inlined && message.response == (message.kind == RdmaStorageKind::READ);
    return completion.octets - RdmaStorageMessage::SIZE == (carries ? message.length : 0);
}

void
RdmaStorageFlow::HandleCompletion(const RdmaCompletion& completion)
{
    NS_LOG_FUNCTION(this << completion.id);
    if (completion.opcode == RdmaCompletionOpcode::RDMA_READ)
    {
        HandleRead(static_cast<uint32_t>(completion.id));
        return;
    }
    if (completion.opcode != RdmaCompletionOpcode::RECEIVE)
    {
        return; // signaled to free the slots of those before it
    }
    RdmaStorageMessage message;
    const bool good = Receive(completion, message);
    if (completion.octets == 0)
    {
        return; // a ready-to-receive indication
    }
    if (!good || message.response != IsClient())
    {
        Fail(IsClient() ? "the server sent what answers no request"
                        : "the client sent what is no request");
        return;
    }
    HandleMessage(message);
}

void
RdmaStorageFlow::HandleRead(uint32_t /* tag */)
{
}

} // namespace ns3
