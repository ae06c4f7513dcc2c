/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-flow.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t CELL = 4;  // octets of a credit
constexpr uint32_t SPARE = 4; // sends kept for credits

RdmaOpcode
OpcodeOf(const RdmaPerfParameters& test)
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

/// @param error number @return it in words
std::string
TextOf(int error)
{
    return error == EMFILE ? "Outs is more Reads than the RDMA device takes (MaxReadAtomic)"
                           : std::strerror(error);
}

bool
IsOneSided(RdmaOpcode opcode)
{
    return opcode == RdmaOpcode::RDMA_READ || opcode == RdmaOpcode::ATOMIC_FETCH_ADD ||
           opcode == RdmaOpcode::ATOMIC_COMPARE_SWAP;
}

} // namespace

RdmaPerfFlow::RdmaPerfFlow(const RdmaPerfParameters& parameters,
                           bool client,
                           Ptr<RdmaPerfRecord> record)
    : m_test(parameters),
      m_client(client),
      m_record(record)
{
}

RdmaPerfFlow::~RdmaPerfFlow()
{
    // the simulation may be over, so that nothing is given back
    if (m_cq)
    {
        m_cq->SetNotifyCallback(RdmaCompletionQueue::NotifyCallback());
    }
    if (m_connection)
    {
        m_connection->SetEventCallback(RdmaConnection::EventCallback());
    }
    Unwatch();
}

void
RdmaPerfFlow::Unwatch()
{
    if (m_pair && m_pair->GetStream())
    {
        m_pair->GetStream()->TraceDisconnectWithoutContext(
            "MessageVisible",
            MakeCallback(&RdmaPerfFlow::HandleVisible, this));
    }
}

void
RdmaPerfFlow::SetCallbacks(FlowCallback connected, FlowCallback failed, FlowCallback closed)
{
    m_connected = connected;
    m_failed = failed;
    m_closed = closed;
}

RdmaPerfRecord::Direction
RdmaPerfFlow::GetOwn() const
{
    return m_client ? RdmaPerfRecord::FORWARD : RdmaPerfRecord::BACKWARD;
}

RdmaPerfRecord::Direction
RdmaPerfFlow::GetPeer() const
{
    return m_client ? RdmaPerfRecord::BACKWARD : RdmaPerfRecord::FORWARD;
}

Ptr<RdmaQueuePair>
RdmaPerfFlow::GetQp() const
{
    return m_pair;
}

// ---- connection ---------------------------------------------------------------------------------

std::string
RdmaPerfFlow::Open(Ptr<RdmaProtectionDomain> domain, uint32_t rxDepth)
{
    m_domain = domain;
    m_rxDepth = rxDepth;
    m_memory = domain->RegisterVirtual(m_test.GetLargest(),
                                       DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE |
                                           DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC);
    m_credits = domain->RegisterVirtual(CELL, DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE);
    m_cq = domain->GetDevice()->CreateCq(m_test.txDepth + rxDepth + SPARE);
    if (!m_memory || !m_credits || !m_cq)
    {
        return "the RDMA device has no memory region or completion queue left";
    }
    RdmaQueuePairConfig config;
    config.sendCq = m_cq;
    config.receiveCq = m_cq;
    config.maxSendWr = m_test.txDepth + SPARE;
    config.maxReceiveWr = rxDepth;
    config.maxInline = std::max(m_test.inlineSize, CELL);
    m_pair = domain->CreateQp(config);
    if (!m_pair)
    {
        return "the RDMA device makes no such queue pair: TxDepth, RxDepth or InlineSize is above "
               "what it takes (MaxQpWr, MaxInline), or it has MaxQp";
    }
    m_cq->SetNotifyCallback(MakeCallback(&RdmaPerfFlow::HandleCompletions, this));
    m_cq->RequestNotify();
    m_pair->Modify(RdmaQpState::INIT);
    m_receive.sges = {m_memory->GetSge(0, m_test.GetLargest())};
    const bool sends =
        m_test.test == RdmaPerfTest::SEND_BW || m_test.test == RdmaPerfTest::SEND_LAT;
    for (uint32_t i = 0; sends && i < rxDepth; i++)
    {
        PostReceive();
    }
    return "";
}

RdmaConnectionParameters
RdmaPerfFlow::GetConnectionParameters() const
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

void
RdmaPerfFlow::Connect(Ptr<RdmaConnection> connection, const Address& remote)
{
    m_connection = connection;
    connection->SetQp(m_pair);
    connection->SetEventCallback(MakeCallback(&RdmaPerfFlow::HandleEvent, this));
    connection->ResolveAddress(remote);
}

std::string
RdmaPerfFlow::Accept(Ptr<RdmaConnection> connection)
{
    m_connection = connection;
    m_peer = m_test;
    connection->SetQp(m_pair);
    connection->SetEventCallback(MakeCallback(&RdmaPerfFlow::HandleEvent, this));
    const int error = connection->Accept(GetConnectionParameters());
    if (error != 0)
    {
        return "the connection cannot be accepted: " + TextOf(error);
    }
    Prepare();
    return "";
}

void
RdmaPerfFlow::HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
{
    using Kind = RdmaConnectionEvent::Kind;
    Ptr<RdmaPerfFlow> self(this);
    switch (event.kind)
    {
    case Kind::ADDRESS_RESOLVED:
        connection->ResolveRoute();
        break;
    case Kind::ROUTE_RESOLVED: {
        const int error = connection->Connect(GetConnectionParameters());
        if (error != 0)
        {
            Fail("the connection cannot be made: " + TextOf(error));
        }
        break;
    }
    case Kind::ESTABLISHED:
        if (m_client)
        {
            if (!RdmaPerfParameters::Decode(event.privateData, m_peer))
            {
                Fail("the peer is no RdmaPerfServer");
                Stop();
                return;
            }
            Prepare();
        }
        m_connected(self, "");
        break;
    case Kind::DISCONNECTED:
        // the client ends the test
        if (m_client && !m_stopped)
        {
            Fail("the peer ended the connection");
        }
        Stop();
        break;
    case Kind::CLOSED:
        m_closed(self, "");
        break;
    case Kind::ADDRESS_ERROR:
    case Kind::CONNECT_ERROR:
    case Kind::UNREACHABLE:
    case Kind::REJECTED:
        Fail(event.reason);
        m_closed(self, "");
        break;
    case Kind::CONNECT_REQUEST:
        break;
    }
}

void
RdmaPerfFlow::Prepare()
{
    m_request.opcode = OpcodeOf(m_test);
    m_request.rkey = m_peer.key;
    m_request.remoteAddress = m_peer.address;
    m_request.compareAdd = 1;
    m_pair->GetStream()->TraceConnectWithoutContext(
        "MessageVisible",
        MakeCallback(&RdmaPerfFlow::HandleVisible, this));
}

void
RdmaPerfFlow::Fail(const std::string& reason)
{
    const bool first = !std::exchange(m_stopped, true);
    if (first)
    {
        m_failed(this, reason);
    }
}

void
RdmaPerfFlow::Stop()
{
    m_stopped = true;
    if (m_connection)
    {
        m_connection->Disconnect();
    }
}

void
RdmaPerfFlow::Release()
{
    Unwatch();
    if (m_connection)
    {
        m_connection->SetEventCallback(RdmaConnection::EventCallback());
        m_connection = nullptr;
    }
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
    for (auto* region : {&m_memory, &m_credits})
    {
        if (*region)
        {
            (*region)->Deregister();
            *region = nullptr;
        }
    }
}

// ---- work ---------------------------------------------------------------------------------------

void
RdmaPerfFlow::Start()
{
    if (m_stopped)
    {
        return;
    }
    m_running = true;
    m_limit = m_record->GetLimit();
    if (RdmaPerfIsLatency(m_test.test))
    {
        Exchange();
    }
    else
    {
        Fill();
    }
}

uint64_t
RdmaPerfFlow::GetRoom() const
{
    if (!m_running || m_stopped || m_record->IsClosed())
    {
        return 0;
    }
    uint64_t batch = m_test.postList;
    if (!m_test.endless)
    {
        batch = std::min<uint64_t>(batch, m_limit - m_posted);
    }
    if (m_posted - m_completed + batch > m_test.txDepth)
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
RdmaPerfFlow::Fill()
{
    while (const uint64_t batch = GetRoom())
    {
        m_record->Posted(GetOwn(), batch);
        for (uint64_t i = 0; i < batch; i++)
        {
            // the last of a list, of the test, and each CqMod-th
            const bool last = m_test.postList > 1 && i + 1 == batch;
            const bool end = !m_test.endless && m_posted + 1 == m_limit;
            if (!Post(last || end || (m_posted + 1) % m_test.cqMod == 0))
            {
                return;
            }
        }
    }
}

bool
RdmaPerfFlow::Post(bool signaled)
{
    const uint32_t size = m_record->GetSize();
    m_request.id = m_posted;
    m_request.sges.assign(1, m_memory->GetSge(0, size));
    m_request.flags = signaled ? RDMA_SEND_SIGNALED : 0;
    if (size <= m_test.inlineSize && !IsOneSided(m_request.opcode))
    {
        m_request.flags |= RDMA_SEND_INLINE;
    }
    m_posted++;
    const int error = m_pair->PostSend(m_request);
    if (error != 0)
    {
        Fail("a message cannot be posted: " + TextOf(error));
    }
    return error == 0;
}

void
RdmaPerfFlow::Exchange()
{
    // the server answers whatever comes
    const bool more = !m_client || m_test.endless || m_posted < m_limit;
    if (more && !m_stopped && !m_record->IsClosed())
    {
        m_sentAt = Simulator::Now();
        Post(IsOneSided(m_request.opcode));
    }
}

void
RdmaPerfFlow::Answered()
{
    if (m_stopped)
    {
        return;
    }
    if (m_client)
    {
        const int64_t turns = IsOneSided(m_request.opcode) ? 1 : 2;
        m_record->Latency(TimeStep((Simulator::Now() - m_sentAt).GetTimeStep() / turns));
    }
    Exchange();
}

void
RdmaPerfFlow::PostReceive()
{
    m_pair->PostReceive(m_receive);
}

// ---- what happens -------------------------------------------------------------------------------

void
RdmaPerfFlow::HandleCompletions(Ptr<RdmaCompletionQueue> cq)
{
    Ptr<RdmaPerfFlow> self(this);
    cq->RequestNotify();
    RdmaCompletion completion;
    while (cq->Poll(completion) > 0)
    {
        HandleCompletion(completion);
    }
    if (!RdmaPerfIsLatency(m_test.test))
    {
        Fill();
    }
}

void
RdmaPerfFlow::HandleCompletion(const RdmaCompletion& completion)
{
    if (completion.status != RdmapStatus::SUCCESS)
    {
        // what is flushed is told of by the connection's end
        if (completion.status != RdmapStatus::FLUSHED)
        {
            Fail("a work request ended with status " +
                 std::to_string(static_cast<int>(completion.status)));
        }
        return;
    }
    if (completion.opcode == RdmaCompletionOpcode::RECEIVE)
    {
        HandleReceive(completion);
        return;
    }
    const uint64_t ended = completion.id + 1 - m_completed;
    m_completed += ended;
    if (!IsOneSided(m_request.opcode))
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
    if (m_untold >= CreditOf(m_rxDepth))
    {
        SendCredit();
    }
}

void
RdmaPerfFlow::HandleVisible(RdmapOpcode opcode, uint64_t octets)
{
    Ptr<RdmaPerfFlow> self(this);
    if (opcode == RdmapOpcode::WRITE && octets == CELL && m_test.test == RdmaPerfTest::SEND_BW)
    {
        m_peerTaken += CreditOf(m_peer.rxDepth);
        Simulator::ScheduleNow(&RdmaPerfFlow::Fill, self);
        return;
    }
    const uint64_t limit = m_record->GetLimit();
    if (!m_client && m_test.bidirectional && std::exchange(m_answering, limit) != limit)
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

void
RdmaPerfFlow::SendCredit()
{
    RdmaSendRequest request;
    request.opcode = RdmaOpcode::RDMA_WRITE;
    request.flags = RDMA_SEND_INLINE;
    request.sges = {m_credits->GetSge(0, CELL)};
    request.rkey = m_peer.creditKey;
    if (!m_stopped && m_pair->PostSend(request) == 0)
    {
        m_untold -= CreditOf(m_rxDepth);
    }
}

} // namespace ns3
