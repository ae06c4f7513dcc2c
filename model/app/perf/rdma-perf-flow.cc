/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-flow.h"

#include "ns3/log.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerfFlow");

namespace
{

constexpr uint32_t SPARE = 4; // sends kept for credits, of which one in two is signaled
constexpr uint64_t CREDIT_ID = UINT64_MAX; // of work requests with credits
constexpr uint32_t LATENCY_SLOTS = 128; // sends of a latency test, of which one in 64 is signaled

RdmaOpcode
WorkOpcode(const RdmaPerfParameters& test)
{
    switch (test.test)
    {
    case RdmaPerfTest::SEND_BW:
    case RdmaPerfTest::SEND_LAT:
        break;
    case RdmaPerfTest::WRITE_BW:
    case RdmaPerfTest::WRITE_LAT:
        return RdmaOpcode::RDMA_WRITE;
    case RdmaPerfTest::READ_BW:
    case RdmaPerfTest::READ_LAT:
        return RdmaOpcode::RDMA_READ;
    case RdmaPerfTest::ATOMIC_BW:
    case RdmaPerfTest::ATOMIC_LAT:
        return test.atomic == RdmaPerfAtomic::FETCH_AND_ADD ? RdmaOpcode::ATOMIC_FETCH_ADD
                                                            : RdmaOpcode::ATOMIC_COMPARE_SWAP;
    }
    return RdmaOpcode::SEND;
}

/// @param depth receives that an end posts @return how many it tells the peer of at a time
uint32_t
CreditOf(uint32_t depth)
{
    return std::max(1U, depth / 2);
}

bool
IsOneSided(RdmaOpcode opcode)
{
    return opcode == RdmaOpcode::RDMA_READ || opcode == RdmaOpcode::ATOMIC_FETCH_ADD ||
           opcode == RdmaOpcode::ATOMIC_COMPARE_SWAP;
}

} // namespace

RdmaPerfFlow::RdmaPerfFlow(uint32_t rxDepth, const RdmaPerfParameters& test)
    : m_test(test),
      m_record(RdmaPerfRecord::Find(test.record)),
      m_rxDepth(rxDepth)
{
}

RdmaPerfRecord::Direction
RdmaPerfFlow::GetOwn() const
{
    return IsClient() ? RdmaPerfRecord::FORWARD : RdmaPerfRecord::BACKWARD;
}

RdmaPerfRecord::Direction
RdmaPerfFlow::GetPeer() const
{
    return IsClient() ? RdmaPerfRecord::BACKWARD : RdmaPerfRecord::FORWARD;
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaPerfFlow::Open()
{
    NS_LOG_FUNCTION(this);
    MakeMemory();
    RdmaQueuePairConfig config;
    m_slots = RdmaPerfIsLatency(m_test.test)
                  ? std::min(LATENCY_SLOTS, GetDomain()->GetDevice()->GetMaxQpWr())
                  : m_test.txDepth + SPARE;
    config.maxSendWr = m_slots;
    config.maxReceiveWr = m_rxDepth;
    config.maxInline = std::max(m_test.inlineSize, CELL);
    const std::string problem = MakeQueuePair(config, "TxDepth, RxDepth or InlineSize");
    if (!problem.empty())
    {
        return problem;
    }
    m_receive.sges = {m_memory->GetSge(0, m_test.GetLargest())};
    const bool sends =
        m_test.test == RdmaPerfTest::SEND_BW || m_test.test == RdmaPerfTest::SEND_LAT;
    for (uint32_t i = 0; sends && i < m_rxDepth; i++)
    {
        PostReceive();
    }
    return "";
}

void
RdmaPerfFlow::MakeMemory()
{
    const uint32_t access = ACCESS | DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC;
    const bool atomics =
        m_test.test == RdmaPerfTest::ATOMIC_BW || m_test.test == RdmaPerfTest::ATOMIC_LAT;
    m_memory = atomics ? Keep(GetDomain()->RegisterVirtual(m_test.GetLargest(), access))
                       : RegisterPayload(m_test.GetLargest(), access);
    m_credits = Keep(GetDomain()->RegisterVirtual(CELL, ACCESS));
}

RdmaConnectionParameters
RdmaPerfFlow::GetParameters() const
{
    RdmaPerfParameters hello = m_test;
    hello.rxDepth = m_rxDepth;
    hello.key = m_memory->GetRkey();
    hello.address = m_memory->GetAddress();
    hello.creditKey = m_credits->GetRkey();
    RdmaConnectionParameters parameters;
    parameters.privateData = hello.Encode();
    parameters.initiatorDepth = m_test.outs;
    parameters.responderResources = m_test.outs;
    return parameters;
}

std::string
RdmaPerfFlow::HandlePeer(const std::vector<uint8_t>& privateData)
{
    NS_LOG_FUNCTION(this);
    if (!RdmaPerfParameters::Decode(privateData, m_peer))
    {
        return IsClient() ? "the peer is no RdmaPerfServer" : "the peer is no RdmaPerfClient";
    }
    if (!IsClient())
    {
        m_test = m_peer;
        m_record = RdmaPerfRecord::Find(m_test.record);
    }
    return m_record ? "" : "the peer is not part of this simulation";
}

void
RdmaPerfFlow::HandleReady()
{
    NS_LOG_FUNCTION(this);
    m_request.opcode = WorkOpcode(m_test);
    m_request.rkey = m_peer.key;
    m_request.remoteAddress = m_peer.address;
    m_request.compareAdd = 1;
    WatchMessages();
}

// ---- work ---------------------------------------------------------------------------------------

void
RdmaPerfFlow::Start()
{
    NS_LOG_FUNCTION(this);
    if (IsOver())
    {
        return;
    }
    Arm();
    if (RdmaPerfIsLatency(m_test.test))
    {
        Exchange();
    }
    else
    {
        Fill();
    }
}

void
RdmaPerfFlow::Arm()
{
    m_running = true;
    m_limit = m_record->GetLimit();
}

uint64_t
RdmaPerfFlow::GetRoom() const
{
    if (!m_running || IsOver() || m_record->IsClosed())
    {
        return 0;
    }
    uint64_t batch = m_led ? 1 : m_test.postList;
    if (!m_test.endless && !m_led)
    {
        batch = std::min<uint64_t>(batch, m_limit - m_posted);
    }
    if (m_posted - m_completed + batch > m_test.txDepth ||
        GetQp()->GetSendSlots() + batch > m_slots)
    {
        return 0;
    }
    if (m_test.test == RdmaPerfTest::SEND_BW)
    {
        batch = std::min<uint64_t>(batch, CreditOf(m_peer.rxDepth));
        if (m_posted + batch - m_peerTaken > m_peer.rxDepth)
        {
            return 0;
        }
    }
    return batch;
}

void
RdmaPerfFlow::PostOnRequest()
{
    m_led = true;
}

bool
RdmaPerfFlow::HasRoom() const
{
    return GetRoom() > 0;
}

void
RdmaPerfFlow::PostNext()
{
    m_record->Posted(GetOwn(), 1);
    Post(true);
}

void
RdmaPerfFlow::Fill()
{
    if (m_led)
    {
        m_record->HasRoom();
        return;
    }
    while (const uint64_t batch = GetRoom())
    {
        m_record->Posted(GetOwn(), batch);
        if (!PostChain(batch))
        {
            return;
        }
    }
}

bool
RdmaPerfFlow::PostChain(uint64_t count)
{
    m_chain.clear();
    for (uint64_t i = 0; i < count; i++)
    {
        // the last of a list, of the test, and each CqMod-th
        const bool last = m_test.postList > 1 && i + 1 == count;
        const bool end = !m_test.endless && m_posted + 1 == m_limit;
        const bool signaled = last || end || (m_posted + 1) % m_test.cqMod == 0;
        if (count == 1)
        {
            return Post(signaled);
        }
        Prepare(signaled);
        m_chain.push_back(m_request);
    }
    std::size_t bad = 0;
    return HasPosted(GetQp()->PostSend(m_chain, bad));
}

bool
RdmaPerfFlow::Post(bool signaled)
{
    Prepare(signaled);
    return HasPosted(GetQp()->PostSend(m_request));
}

void
RdmaPerfFlow::Prepare(bool signaled)
{
    const uint32_t size = m_record->GetSize();
    m_request.id = m_posted;
    m_request.sges.assign(1, m_memory->GetSge(m_source, size));
    m_request.flags = signaled ? RDMA_SEND_SIGNALED : 0;
    if (size <= m_test.inlineSize && !IsOneSided(m_request.opcode))
    {
        m_request.flags |= RDMA_SEND_INLINE;
    }
    m_posted++;
}

bool
RdmaPerfFlow::HasPosted(int error)
{
    if (error != 0)
    {
        Fail(std::string("a message cannot be posted: ") + std::strerror(error));
    }
    return error == 0;
}

void
RdmaPerfFlow::Exchange()
{
    // a server that was not told how often answers whatever comes
    const bool more = !m_running || m_test.endless || m_posted < m_limit;
    if (!more || IsOver() || m_record->IsClosed())
    {
        return;
    }
    m_waiting = GetQp()->GetSendSlots() == m_slots; // for a completion that is late
    if (!m_waiting)
    {
        m_sentAt = Simulator::Now();
        Post(IsOneSided(m_request.opcode) || (m_posted + 1) % ((m_slots + 1) / 2) == 0);
    }
}

void
RdmaPerfFlow::Answered()
{
    if (IsOver())
    {
        return;
    }
    if (m_running && m_posted > 0)
    {
        const int64_t turns = IsOneSided(m_request.opcode) ? 1 : 2;
        m_record->Latency(TimeStep((Simulator::Now() - m_sentAt).GetTimeStep() / turns));
    }
    Exchange();
}

void
RdmaPerfFlow::PostReceive()
{
    GetQp()->PostReceive(m_receive);
}

// ---- what happens -------------------------------------------------------------------------------

void
RdmaPerfFlow::HandleIdle()
{
    if (!RdmaPerfIsLatency(m_test.test))
    {
        while (OwesCredit() && SendCredit())
        {
        }
        Fill();
    }
    else if (m_waiting)
    {
        Exchange();
    }
}

void
RdmaPerfFlow::HandleCompletion(const RdmaCompletion& completion)
{
    NS_LOG_FUNCTION(this << completion.id);
    if (completion.opcode == RdmaCompletionOpcode::RECEIVE)
    {
        HandleReceive(completion);
        return;
    }
    if (completion.id == CREDIT_ID)
    {
        return;
    }
    const uint64_t ended = completion.id + 1 - m_completed;
    m_completed += ended;
    if (!EndsAtCompletion())
    {
        return;
    }
    if (RdmaPerfIsLatency(m_test.test))
    {
        Answered();
    }
    else
    {
        m_record->Ended(GetOwn(), ended);
    }
}

void
RdmaPerfFlow::HandleReceive(const RdmaCompletion& completion)
{
    PostReceive();
    if (completion.octets != m_record->GetSize())
    {
        return; // a ready-to-receive indication
    }
    if (m_test.test == RdmaPerfTest::SEND_LAT)
    {
        Answered();
        return;
    }
    m_record->Ended(GetPeer(), 1);
    m_untold++;
    if (OwesCredit())
    {
        SendCredit();
    }
}

bool
RdmaPerfFlow::EndsAtCompletion() const
{
    return IsOneSided(m_request.opcode);
}

bool
RdmaPerfFlow::OwesCredit() const
{
    return m_untold >= CreditOf(m_rxDepth);
}

void
RdmaPerfFlow::HandleVisible(RdmapOpcode opcode, uint64_t octets)
{
    NS_LOG_FUNCTION(this << octets);
    Ptr<RdmaPerfFlow> self(this);
    if (opcode == RdmapOpcode::WRITE && octets == CELL && m_test.test == RdmaPerfTest::SEND_BW)
    {
        m_peerTaken += CreditOf(m_peer.rxDepth);
        Simulator::ScheduleNow(&RdmaPerfFlow::Fill, self);
        return;
    }
    const uint64_t limit = m_record->GetLimit();
    if (!IsClient() && m_test.bidirectional && std::exchange(m_answering, limit) != limit)
    {
        // both directions begin with the client's first message of each size
        Simulator::ScheduleNow(&RdmaPerfFlow::Start, self);
    }
    if (opcode != RdmapOpcode::WRITE || octets != m_record->GetSize())
    {
        return;
    }
    if (m_test.test == RdmaPerfTest::WRITE_BW)
    {
        m_record->Ended(GetPeer(), 1);
    }
    else
    {
        Simulator::ScheduleNow(&RdmaPerfFlow::Answered, self);
    }
}

bool
RdmaPerfFlow::SendCredit()
{
    if (!PostCredit(0, m_peer.creditKey))
    {
        return false; // tried again when a completion has come
    }
    m_untold -= CreditOf(m_rxDepth);
    return true;
}

bool
RdmaPerfFlow::PostCredit(uint64_t address, uint32_t key)
{
    RdmaSendRequest request;
    request.id = CREDIT_ID;
    request.opcode = RdmaOpcode::RDMA_WRITE;
    request.flags = RDMA_SEND_INLINE | (m_told % 2 == 1 ? RDMA_SEND_SIGNALED : 0);
    request.sges = {m_credits->GetSge(0, CELL)};
    request.remoteAddress = address;
    request.rkey = key;
    if (IsOver() || GetQp()->PostSend(request) != 0)
    {
        return false;
    }
    m_told++;
    return true;
}

} // namespace ns3
