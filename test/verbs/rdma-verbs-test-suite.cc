/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace ns3;

namespace
{

/// Suite of the verbs: bad use, and each opcode.
IWARP_TEST_SUITE(rdmaVerbs, "rdma-verbs");

/// What is refused, with which number.
IWARP_TEST(rdmaVerbs, "bad use gives an error number")
{
    auto device = CreateObject<RdmaDevice>();
    device->SetAttribute("MaxMr", UintegerValue(100));
    device->SetAttribute("MaxMw", UintegerValue(2));
    device->SetAttribute("MaxPd", UintegerValue(2));
    device->SetAttribute("MaxQp", UintegerValue(1));
    device->SetAttribute("MaxCqe", UintegerValue(10));
    auto pd = device->AllocPd();
    auto other = device->AllocPd();
    NS_TEST_EXPECT_MSG_EQ((device->AllocPd() == nullptr), true, "two domains");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), ENOMEM, "ENOMEM");
    NS_TEST_EXPECT_MSG_EQ((device->CreateCq(0) == nullptr), true, "no capacity");
    NS_TEST_EXPECT_MSG_EQ((device->CreateCq(11) == nullptr), true, "too much");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), EINVAL, "EINVAL");
    auto cq = device->CreateCq(10);

    NS_TEST_EXPECT_MSG_EQ((pd->RegisterVirtual(10, DDP_ACCESS_REMOTE_WRITE) == nullptr),
                          true,
                          "remote writing without local");
    NS_TEST_EXPECT_MSG_EQ((pd->RegisterVirtual(10, 1 << 20) == nullptr), true, "unknown right");
    NS_TEST_EXPECT_MSG_EQ((pd->RegisterMemory(nullptr, 0, 0) == nullptr), true, "no memory");
    NS_TEST_EXPECT_MSG_EQ(
        (pd->RegisterMemory(DdpMemory::CreateVirtual(10), ~uint64_t(0) - 5, 0) == nullptr),
        true,
        "addresses that wrap");
    std::vector<Ptr<RdmaMemoryRegion>> regions;
    for (uint32_t i = 0; i < 100; i++)
    {
        regions.push_back(pd->RegisterVirtual(100, RdmaTestHost::ALL));
    }
    NS_TEST_EXPECT_MSG_EQ((pd->RegisterVirtual(1, 0) == nullptr), true, "the 101st");
    IWARP_COVERS("DDP-8.3.2-6");
    NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::MEMORY_REGION), 100, "counted");
    IWARP_COVERS("DDP-8.3.2-3 DDP-8.3-11");
    NS_TEST_EXPECT_MSG_EQ(regions[99]->Deregister(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(regions[99]->Deregister(), EINVAL, "once");
    NS_TEST_EXPECT_MSG_EQ(regions[99]->GetLength(), 0, "and empty");
    NS_TEST_EXPECT_MSG_EQ(regions[99]->IsValid(), false, "and invalid");
    IWARP_COVERS("DDP-8.3-5");
    NS_TEST_EXPECT_MSG_EQ((pd->RegisterVirtual(1, 0) != nullptr), true, "room again");

    auto window = pd->AllocMw();
    NS_TEST_EXPECT_MSG_EQ(window->Bind(regions[0], 50, 51, DDP_ACCESS_REMOTE_READ, 1),
                          EINVAL,
                          "past the end");
    NS_TEST_EXPECT_MSG_EQ(window->Bind(regions[0], 50, ~uint64_t(0), 4, 1), EINVAL, "wrap");
    NS_TEST_EXPECT_MSG_EQ(window->Bind(regions[0], 50, 50, DDP_ACCESS_MW_BIND, 1),
                          EINVAL,
                          "not a right of windows");
    NS_TEST_EXPECT_MSG_EQ(window->Bind(nullptr, 0, 1, 4, 1), EINVAL, "no region");
    NS_TEST_EXPECT_MSG_EQ(other->AllocMw()->Bind(regions[0], 0, 1, 4, 1), EINVAL, "another's");
    NS_TEST_EXPECT_MSG_EQ(window->Bind(regions[0], 50, 50, DDP_ACCESS_REMOTE_READ, 1), 0, "ok");
    IWARP_COVERS("DDP-8.3-4");
    const uint32_t first = window->GetRkey();
    NS_TEST_EXPECT_MSG_EQ(regions[0]->Deregister(), EBUSY, "a window is bound");
    NS_TEST_EXPECT_MSG_EQ(window->Bind(regions[1], 0, 10, 4, 1), 0, "bound elsewhere");
    NS_TEST_EXPECT_MSG_NE(window->GetRkey(), first, "another key");
    NS_TEST_EXPECT_MSG_EQ(regions[0]->Deregister(), 0, "no longer bound");
    NS_TEST_EXPECT_MSG_EQ(window->Deallocate(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(window->Deallocate(), EINVAL, "once");

    RdmaQueuePairConfig config;
    NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "no queues");
    config.sendCq = config.receiveCq = cq;
    config.maxSendSge = 100;
    NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "too many pieces");
    config.maxSendSge = 1;
    config.maxReceiveWr = 2;
    config.srq = other->CreateSrq(10);
    NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "another domain's queue");
    IWARP_COVERS("DDP-8.3.2-2");
    config.srq = nullptr;
    auto qp = pd->CreateQp(config);
    NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "one queue pair");
    device->SetQueuePairs(5);
    NS_TEST_EXPECT_MSG_EQ(device->GetMaxQp(), 1, "hardware with more changes nothing");
    NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "one queue pair");
    device->SetAttribute("MaxQp", UintegerValue(8));
    NS_TEST_EXPECT_MSG_EQ(device->GetMaxQp(), 5, "hardware with less does");
    device->SetAttribute("MaxQp", UintegerValue(1));
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), ENOMEM, "ENOMEM");
    NS_TEST_EXPECT_MSG_EQ(device->DestroyCq(cq), EBUSY, "in use");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({1, {}}), EINVAL, "state RESET");
    NS_TEST_EXPECT_MSG_EQ(qp->Modify(RdmaQpState::RTS), EINVAL, "only by connecting");
    NS_TEST_EXPECT_MSG_EQ(qp->Modify(RdmaQpState::INIT), 0, "INIT");
    NS_TEST_EXPECT_MSG_EQ(qp->PostSend(RdmaSendRequest()), EINVAL, "not connected");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({1, {{}, {}}}), EINVAL, "too many pieces");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({1, {}}), 0, "one");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({2, {}}), 0, "two");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({3, {}}), ENOMEM, "full");
    NS_TEST_EXPECT_MSG_EQ(qp->Modify(RdmaQpState::ERR), 0, "ERR");
    NS_TEST_EXPECT_MSG_EQ(qp->PostReceive({3, {}}), 0, "flushed at once");
    NS_TEST_EXPECT_MSG_EQ(qp->PostSend(RdmaSendRequest()), 0, "flushed at once");
    std::vector<RdmaCompletion> completions;
    NS_TEST_ASSERT_MSG_EQ(cq->Poll(100, completions), 4, "all are reported");
    if (IsStatusFailure())
    {
        return;
    }
    for (const auto& completion : completions)
    {
        NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::FLUSHED), true, "flushed");
    }
    NS_TEST_EXPECT_MSG_EQ(pd->Deallocate(), EBUSY, "in use");
    NS_TEST_EXPECT_MSG_EQ(qp->Destroy(), 0, "destroyed");
    NS_TEST_EXPECT_MSG_EQ(qp->Destroy(), EINVAL, "once");
    NS_TEST_EXPECT_MSG_EQ(qp->PostSend(RdmaSendRequest()), EINVAL, "over");
    NS_TEST_EXPECT_MSG_EQ(device->DestroyCq(cq), 0, "no longer in use");
    device->Dispose();
}

/// Each opcode between two hosts, with its completions.
struct RdmaVerbsTransferTest : TestCase
{
    using TestCase::TestCase;

    void Notified(Ptr<RdmaCompletionQueue>)
    {
        m_notified++;
    }

    uint32_t m_notified{0}; //!< notifications
};

IWARP_TEST(rdmaVerbs,
           "each opcode, private data, inline, unsignaled, notification",
           RdmaVerbsTransferTest)
{
    RdmaTestPair p;
    p.parametersA.privateData = {1, 2, 3};
    p.parametersB.privateData = {4, 5};
    p.parametersA.initiatorDepth = 3;
    p.b.cq->SetNotifyCallback(MakeCallback(&RdmaVerbsTransferTest::Notified, this));
    p.b.cq->RequestNotify(true);
    p.Start();
    for (uint32_t i = 0; i < 6; i++)
    {
        p.b.PostReceive(100 + i, 100000 * i, 100000);
    }
    auto window = p.b.pd->AllocMw();
    p.onEstablished = [&] {
        auto post = [&](const RdmaSendRequest& request) {
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(request), 0, "posted " << request.id);
        };
        // a window for a's writing, which a invalidates at the end
        RdmaSendRequest bind;
        bind.id = 50;
        bind.flags = RDMA_SEND_SIGNALED;
        bind.opcode = RdmaOpcode::BIND_WINDOW;
        bind.window = window;
        bind.region = p.b.region;
        bind.bindAddress = 0x10000 + 700000;
        bind.bindLength = 1000;
        bind.bindAccess = DDP_ACCESS_REMOTE_WRITE;
        NS_TEST_EXPECT_MSG_EQ(p.b.qp->PostSend(bind), 0, "bind");

        post(p.a.Send(1, RdmaOpcode::SEND, 0, 5000));
        auto write = p.a.Send(2, RdmaOpcode::RDMA_WRITE, 5000, 50000);
        write.remoteAddress = 0x10000 + 600000;
        write.rkey = p.b.region->GetRkey();
        write.flags = 0;
        post(write);
        write.id = 3;
        write.opcode = RdmaOpcode::RDMA_WRITE_WITH_IMM;
        write.remoteAddress = 0x10000 + 660000;
        write.immediate = 0xCAFEBABE;
        write.flags = RDMA_SEND_SIGNALED | RDMA_SEND_SOLICITED;
        post(write);
        auto read = p.a.Send(4, RdmaOpcode::RDMA_READ, 900000, 20000);
        read.remoteAddress = 0x10000 + 600000;
        read.rkey = p.b.region->GetRkey();
        post(read);
        auto atomic = p.a.Send(5, RdmaOpcode::ATOMIC_FETCH_ADD, 800000, 8);
        atomic.remoteAddress = 0x10000 + 800000;
        atomic.rkey = p.b.region->GetRkey();
        atomic.compareAdd = 77;
        post(atomic);
        atomic.id = 6;
        atomic.opcode = RdmaOpcode::ATOMIC_COMPARE_SWAP;
        atomic.sges[0] = p.a.region->GetSge(800008, 8);
        atomic.compareAdd = 77;
        atomic.swap = 99;
        post(atomic);
        auto small = p.a.Send(7, RdmaOpcode::SEND, 0, 64);
        small.flags = RDMA_SEND_INLINE | RDMA_SEND_SIGNALED;
        post(small);
        std::fill_n(p.a.memory.begin(), 64, 0xEE); // inline data are copied already
        small.sges[0].length = 65;
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(small), EINVAL, "too long for inline");
        auto many = p.a.Send(8, RdmaOpcode::RDMA_READ, 0, 1);
        many.sges.resize(2);
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(many), EINVAL, "a Read into two pieces");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->GetStream()->GetEndpoint()->GetRequester().GetOrd(),
                              3,
                              "negotiated");

        write.id = 9;
        write.opcode = RdmaOpcode::RDMA_WRITE;
        write.sges[0].length = 1000;
        write.remoteAddress = 0x10000 + 700000;
        write.rkey = window->GetRkey();
        post(write);
        auto invalidate = p.a.Send(10, RdmaOpcode::SEND_WITH_INVALIDATE, 0, 1);
        invalidate.rkey = window->GetRkey();
        post(invalidate);
        p.connector->Disconnect();
    };
    const std::vector<uint8_t> original(p.a.memory.begin(), p.a.memory.begin() + 64);
    p.Run();

    using Kind = RdmaConnectionEvent::Kind;
    NS_TEST_ASSERT_MSG_EQ(p.b.events.empty(), false, "events");
    if (IsStatusFailure())
    {
        return;
    }
    NS_TEST_EXPECT_MSG_EQ((p.b.events[0].privateData == p.parametersA.privateData),
                          true,
                          "private data of the request");
    NS_TEST_EXPECT_MSG_EQ(p.b.events[0].peerOrd, 3, "ORD of the request");
    for (const auto& event : p.a.events)
    {
        if (event.kind == Kind::ESTABLISHED)
        {
            NS_TEST_EXPECT_MSG_EQ((event.privateData == p.parametersB.privateData),
                                  true,
                                  "private data of the answer");
        }
    }
    for (const RdmaTestHost* host : {&p.a, &p.b})
    {
        NS_TEST_EXPECT_MSG_EQ(host->Count(Kind::ESTABLISHED), 1, "established");
        NS_TEST_EXPECT_MSG_EQ(host->Count(Kind::DISCONNECTED), 1, "disconnected");
        NS_TEST_EXPECT_MSG_EQ(host->Count(Kind::CLOSED), 1, "closed");
        NS_TEST_EXPECT_MSG_EQ((host->qp->GetState() == RdmaQpState::ERR), true, "over");
    }

    const std::vector<uint64_t> ids{1, 3, 4, 5, 6, 7, 9, 10};
    NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), ids.size(), "all but the unsignaled one");
    if (IsStatusFailure())
    {
        return;
    }
    for (std::size_t i = 0; i < ids.size(); i++)
    {
        NS_TEST_EXPECT_MSG_EQ(p.a.completions[i].id, ids[i], "in order");
        NS_TEST_EXPECT_MSG_EQ((p.a.completions[i].status == RdmapStatus::SUCCESS), true, "well");
    }
    IWARP_COVERS("RDMAP-5.5-17");
    NS_TEST_EXPECT_MSG_EQ((p.a.completions[2].opcode == RdmaCompletionOpcode::RDMA_READ),
                          true,
                          "opcode");
    NS_TEST_EXPECT_MSG_EQ(p.a.completions[2].octets, 20000, "octets read");
    IWARP_COVERS("RDMAP-5.2.2-04");

    // the bind, four receives, two receives flushed
    std::vector<RdmaCompletion> receives;
    uint32_t flushed = 0;
    for (const auto& completion : p.b.completions)
    {
        flushed += completion.status == RdmapStatus::FLUSHED;
        if (completion.status == RdmapStatus::SUCCESS && completion.id >= 100)
        {
            receives.push_back(completion);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(flushed, 2, "unused receives come back");
    NS_TEST_ASSERT_MSG_EQ(receives.size(), 4, "messages");
    if (IsStatusFailure())
    {
        return;
    }
    NS_TEST_EXPECT_MSG_EQ(receives[0].octets, 5000, "length");
    IWARP_COVERS("DDP-5.4-7 DDP-1.2-1");
    NS_TEST_EXPECT_MSG_EQ(receives[1].withImmediate, true, "Immediate Data");
    NS_TEST_EXPECT_MSG_EQ(receives[1].immediate, 0xCAFEBABE, "the value");
    NS_TEST_EXPECT_MSG_EQ(receives[2].octets, 64, "inline");
    NS_TEST_EXPECT_MSG_EQ(receives[3].withInvalidate, true, "invalidation");
    NS_TEST_EXPECT_MSG_EQ(receives[3].invalidatedKey, window->GetRkey(), "which key");
    NS_TEST_EXPECT_MSG_EQ(window->IsBound(), false, "the window gives no rights");
    IWARP_COVERS("RDMAP-5.3-13");
    NS_TEST_EXPECT_MSG_EQ(std::equal(original.begin(), original.end(), &p.b.memory[200000]),
                          true,
                          "inline octets as they were when posted");
    NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[5000], &p.b.memory[600000], 50000), 0, "Write");
    NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[5000], &p.b.memory[700000], 1000),
                          0,
                          "Write through the window");
    NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[900000], &p.b.memory[600000], 20000), 0, "Read");
    uint64_t values[3];
    std::memcpy(&values[0], &p.a.memory[800000], 16);
    std::memcpy(&values[2], &p.b.memory[800000], 8);
    NS_TEST_EXPECT_MSG_EQ(values[0], 0, "before the addition");
    NS_TEST_EXPECT_MSG_EQ(values[1], 77, "before the swap");
    NS_TEST_EXPECT_MSG_EQ(values[2], 99, "behind the swap");
    NS_TEST_EXPECT_MSG_EQ(m_notified, 1, "told of the solicited completion, once");
    IWARP_COVERS("RDMAP-5.3-06");
}

/// Immediate Data (RFC 7306) need a device that has them.
IWARP_TEST(rdmaVerbs, "Immediate Data without extensions")
{
    for (const bool extensions : {true, false})
    {
        RdmaTestPair p;
        p.a.device->SetAttribute("Extensions", BooleanValue(extensions));
        int error = -1;
        p.Start();
        p.onEstablished = [&] {
            auto write = p.a.Send(1, RdmaOpcode::RDMA_WRITE_WITH_IMM, 0, 100);
            write.rkey = p.b.region->GetRkey();
            write.remoteAddress = 0x10000;
            error = p.a.qp->PostSend(write);
        };
        p.Run(MilliSeconds(100));
        NS_TEST_EXPECT_MSG_EQ(error, (extensions ? 0 : EOPNOTSUPP), "Write with Immediate Data");
        NS_TEST_EXPECT_MSG_EQ((p.b.memory[1] == 7), extensions, "nothing is written without");
    }
}

/// Requests to be told, and sizes, of a queue by itself.
struct CompletionQueueTest : TestCase
{
    using TestCase::TestCase;

    /// @param queue gets a completion @param solicited its sender asks for an event
    void Push(const Ptr<RdmaCompletionQueue>& queue, bool solicited)
    {
        queue->Push(RdmaCompletion(), solicited, 0);
        Simulator::Run();
    }

    uint32_t m_told{0}; //!< times
};

/// A request for all completions outdoes one for solicited ones, in either order.
IWARP_TEST(rdmaVerbs, "completions that somebody is told of", CompletionQueueTest)
{
    for (const bool solicitedFirst : {false, true})
    {
        m_told = 0;
        auto queue = CreateObject<RdmaCompletionQueue>();
        queue->Resize(10);
        queue->SetNotifyCallback(MakeBoundCallback(
            +[](uint32_t* told, Ptr<RdmaCompletionQueue>) { ++*told; },
            &m_told));
        queue->RequestNotify(true);
        Push(queue, false);
        NS_TEST_EXPECT_MSG_EQ(m_told, 0, "not solicited");
        Push(queue, true);
        NS_TEST_EXPECT_MSG_EQ(m_told, 1, "solicited");
        queue->RequestNotify(solicitedFirst);
        queue->RequestNotify(!solicitedFirst);
        Push(queue, false);
        NS_TEST_EXPECT_MSG_EQ(m_told, 2, "any, as one of the requests was for all");
        Push(queue, true);
        NS_TEST_EXPECT_MSG_EQ(m_told, 2, "once a request");
    }
    Simulator::Destroy();
}

/// A queue shrinks to what is in it at most.
IWARP_TEST(rdmaVerbs, "sizes of a completion queue", CompletionQueueTest)
{
    auto queue = CreateObject<RdmaCompletionQueue>();
    NS_TEST_EXPECT_MSG_EQ(queue->Resize(10), 0, "room for ten");
    for (uint32_t i = 0; i < 3; i++)
    {
        Push(queue, false);
    }
    NS_TEST_EXPECT_MSG_EQ(queue->Resize(2), EINVAL, "three are in it");
    NS_TEST_EXPECT_MSG_EQ(queue->GetCapacity(), 10, "as it was");
    NS_TEST_EXPECT_MSG_EQ(queue->GetSize(), 3, "none is gone");
    NS_TEST_EXPECT_MSG_EQ(queue->Resize(3), 0, "just room");
    NS_TEST_EXPECT_MSG_EQ(queue->Resize(0), EINVAL, "none");
    RdmaCompletion completion;
    NS_TEST_EXPECT_MSG_EQ(queue->Poll(completion), 1, "they are there");
    Simulator::Destroy();
}

} // namespace
