/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-endpoint.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t SENDS = 2; // work requests of a tag at a time: data and response

} // namespace

RdmaStorageEndpoint::RdmaStorageEndpoint() = default;

RdmaStorageEndpoint::~RdmaStorageEndpoint()
{
    // the simulation may be over, so that nothing is given back
    if (m_cq)
    {
        m_cq->SetNotifyCallback(RdmaCompletionQueue::NotifyCallback());
    }
}

std::string
RdmaStorageEndpoint::Open(Ptr<RdmaProtectionDomain> domain,
                          const RdmaStorageTerms& terms,
                          uint32_t access,
                          CompletionCallback callback)
{
    m_domain = domain;
    m_terms = terms;
    m_callback = callback;
    const uint64_t headers = uint64_t(terms.queueDepth) * RdmaStorageMessage::SIZE;
    m_sent = domain->RegisterBacked(headers, DDP_ACCESS_LOCAL_WRITE);
    m_received = domain->RegisterBacked(headers, DDP_ACCESS_LOCAL_WRITE);
    m_inline = domain->RegisterVirtual(
        std::max<uint64_t>(1, uint64_t(terms.queueDepth) * terms.inlineThreshold),
        DDP_ACCESS_LOCAL_WRITE);
    m_data = domain->RegisterVirtual(GetAddress(terms.queueDepth), DDP_ACCESS_LOCAL_WRITE | access);
    m_cq = domain->GetDevice()->CreateCq((SENDS + 1) * terms.queueDepth);
    if (!m_sent || !m_received || !m_inline || !m_data || !m_cq)
    {
        return "the RDMA device has no memory region or completion queue left, or QueueDepth is "
               "above what it takes (MaxCqe)";
    }
    RdmaQueuePairConfig config;
    config.sendCq = m_cq;
    config.receiveCq = m_cq;
    config.maxSendWr = SENDS * terms.queueDepth;
    config.maxReceiveWr = terms.queueDepth;
    config.maxSendSge = 2;
    config.maxReceiveSge = 2;
    m_pair = domain->CreateQp(config);
    if (!m_pair)
    {
        return "the RDMA device makes no such queue pair: QueueDepth is above what it takes "
               "(MaxQpWr), or it has MaxQp";
    }
    m_cq->SetNotifyCallback(MakeCallback(&RdmaStorageEndpoint::HandleCompletions, this));
    m_cq->RequestNotify();
    m_pair->Modify(RdmaQpState::INIT);
    for (uint32_t i = 0; i < terms.queueDepth; i++)
    {
        PostReceive(i);
    }
    return "";
}

void
RdmaStorageEndpoint::Close()
{
    if (m_pair)
    {
        m_pair->Destroy();
        m_pair = nullptr;
    }
    if (m_cq)
    {
        m_cq->SetNotifyCallback(RdmaCompletionQueue::NotifyCallback());
        m_domain->GetDevice()->DestroyCq(m_cq);
        m_cq = nullptr;
    }
    for (auto* region : {&m_sent, &m_received, &m_inline, &m_data})
    {
        if (*region)
        {
            (*region)->Deregister();
            *region = nullptr;
        }
    }
}

Ptr<RdmaQueuePair>
RdmaStorageEndpoint::GetQp() const
{
    return m_pair;
}

uint32_t
RdmaStorageEndpoint::GetKey() const
{
    return m_data->GetRkey();
}

uint64_t
RdmaStorageEndpoint::GetAddress(uint32_t tag)
{
    return uint64_t(tag) << 32;
}

int
RdmaStorageEndpoint::Send(const RdmaStorageMessage& message, bool withData)
{
    const uint64_t at = uint64_t(message.tag) * RdmaStorageMessage::SIZE;
    uint8_t header[RdmaStorageMessage::SIZE];
    message.Encode(header);
    m_sent->GetMemory()->Write(at, header, sizeof(header), sizeof(header));
    RdmaSendRequest request;
    request.id = message.tag;
    request.flags = 0;
    request.sges = {m_sent->GetSge(at, RdmaStorageMessage::SIZE)};
    if (withData)
    {
        request.sges.push_back(m_data->GetSge(GetAddress(message.tag), message.length));
    }
    return m_pair->PostSend(request);
}

int
RdmaStorageEndpoint::Move(RdmaOpcode opcode, const RdmaStorageMessage& message)
{
    RdmaSendRequest request;
    request.id = message.tag;
    request.opcode = opcode;
    request.flags = opcode == RdmaOpcode::RDMA_READ ? RDMA_SEND_SIGNALED : 0;
    request.sges = {m_data->GetSge(GetAddress(message.tag), message.length)};
    request.rkey = message.key;
    request.remoteAddress = message.address;
    return m_pair->PostSend(request);
}

void
RdmaStorageEndpoint::PostReceive(uint32_t slot)
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
    m_pair->PostReceive(request);
}

bool
RdmaStorageEndpoint::Receive(const RdmaCompletion& completion, RdmaStorageMessage& message)
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
RdmaStorageEndpoint::HandleCompletions(Ptr<RdmaCompletionQueue> cq)
{
    cq->RequestNotify();
    RdmaCompletion completion;
    while (cq->Poll(completion) > 0)
    {
        m_callback(completion);
    }
}

} // namespace ns3
