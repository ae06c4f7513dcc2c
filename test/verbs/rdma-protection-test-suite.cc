/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "../rdmap/rdmap-test-memories.h"
#include "rdma-test-pair.h"

#include "ns3/node.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-shared-receive-queue.h"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of protection, events and turns, each against a fault that could hide there.
IWARP_TEST_SUITE(rdmaProtection, "rdma-protection");

/// What memory grants, and to whom.
struct RdmaRightsTest : TestCase
{
    using TestCase::TestCase;

    /// A Send of 4 octets into a receive buffer. @param access rights of its region
    /// @return what is in the buffer then
    std::string Receive(uint32_t access)
    {
        RdmapTestNode node(RdmapTestConfig());
        std::vector<uint8_t> memory(16, '.');
        DdpStagEntry entry;
        entry.pd = node.endpoint->GetConfig().pd;
        entry.access = access;
        entry.length = memory.size();
        entry.memory = DdpMemory::Wrap(memory.data(), memory.size());
        node.PostReceive(1, node.table.Add(entry), 0, 16);
        node.Input(Hex("4143 00000000 00000000 00000001 00000000 41424344"));
        NS_TEST_EXPECT_MSG_EQ(node.received.size(), (node.failure ? 0 : 1), "received, or failed");
        if (node.failure)
        {
            NS_TEST_EXPECT_MSG_EQ(node.failure->Describe(),
                                  "DDP, local catastrophic error (1/0/0)",
                                  "the application's fault");
        }
        return std::string(memory.begin(), memory.begin() + 6);
    }

    /// A Send with Invalidate of an STag. @param pd whose it is @param stream of which stream
    /// @param allowed the peer may do so @return whether it is invalidated
    bool Invalidate(uint32_t pd, uint32_t stream, bool allowed = true)
    {
        RdmapTestNode node(RdmapTestConfig());
        DdpStagEntry entry;
        entry.pd = pd;
        entry.stream = stream;
        entry.invalidatable = allowed;
        entry.length = 16;
        entry.memory = DdpMemory::CreateVirtual(16);
        const uint32_t stag = node.table.Add(entry);
        NS_TEST_EXPECT_MSG_EQ(stag, 0x101, "first STag of a table");
        node.PostReceive(1, stag, 0, 0);
        node.Input(Hex("4144 00000101 00000000 00000001 00000000"));
        NS_TEST_EXPECT_MSG_EQ(node.received.size(), 1, "the Send itself is received");
        const DdpStagEntry* found = node.table.Find(stag);
        const bool invalidated = found == nullptr || !found->valid;
        NS_TEST_EXPECT_MSG_EQ(node.received[0].invalidated, invalidated, "and tells");
        NS_TEST_EXPECT_MSG_EQ((node.failure ? node.failure->Describe() : ""),
                              (invalidated ? ""
                                           : "RDMAP, STag cannot be "
                                             "invalidated (0/1/9)"),
                              "RFC 5040 section 4.8");
        return invalidated;
    }
};

IWARP_TEST(rdmaProtection,
           "receives need LOCAL_WRITE; Send with Invalidate reaches its own domain only",
           RdmaRightsTest)
{
    NS_TEST_EXPECT_MSG_EQ(Receive(DDP_ACCESS_LOCAL_WRITE), "ABCD..", "granted");
    NS_TEST_EXPECT_MSG_EQ(Receive(DDP_ACCESS_REMOTE_WRITE), "......", "the wrong right");
    NS_TEST_EXPECT_MSG_EQ(Receive(DDP_ACCESS_NONE), "......", "none");
    NS_TEST_EXPECT_MSG_EQ(Invalidate(7, 0), true, "its domain");
    NS_TEST_EXPECT_MSG_EQ(Invalidate(7, 5), true, "its stream");
    NS_TEST_EXPECT_MSG_EQ(Invalidate(8, 0), false, "another domain");
    NS_TEST_EXPECT_MSG_EQ(Invalidate(7, 6), false, "another stream");
    NS_TEST_EXPECT_MSG_EQ(Invalidate(7, 0, false), false, "its own, but not to be invalidated");
}

/// What windows can be bound to (RDMA Protocol Verbs Specification, section 7.10.4): regions of
/// their domain that allow it, inside of these, for the peer, and to be changed only if the region
/// can be changed here.
IWARP_TEST(rdmaProtection, "what a window can be bound to")
{
    const auto device = RdmaDevice::Get(CreateObject<Node>());
    const auto pd = device->AllocPd();
    const auto other = device->AllocPd();
    const auto make = [](const Ptr<RdmaProtectionDomain>& domain, uint32_t access) {
        return domain->RegisterMemory(DdpMemory::CreateVirtual(100), 0x1000, access);
    };
    const auto fixed = make(pd, DDP_ACCESS_MW_BIND);
    const auto open = make(pd, DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_MW_BIND);
    const auto closed = make(pd, DDP_ACCESS_LOCAL_WRITE);
    const auto foreign = make(other, DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_MW_BIND);
    const auto window = pd->AllocMw();
    const auto bind = [&](const Ptr<RdmaMemoryRegion>& region,
                          uint32_t access,
                          uint64_t to = 0x1000,
                          uint64_t length = 100) {
        return window->Bind(region, to, length, access, 0);
    };
    NS_TEST_EXPECT_MSG_EQ(bind(fixed, DDP_ACCESS_REMOTE_READ), 0, "read what is fixed");
    NS_TEST_EXPECT_MSG_EQ(bind(fixed, DDP_ACCESS_REMOTE_WRITE), EINVAL, "but not write it");
    NS_TEST_EXPECT_MSG_EQ(bind(fixed, DDP_ACCESS_REMOTE_ATOMIC), EINVAL, "in any way");
    const uint32_t before = window->GetRkey();
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_REMOTE_WRITE), 0, "write what can be written");
    NS_TEST_EXPECT_MSG_NE(window->GetRkey(), before, "by another key");
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_LOCAL_WRITE), EINVAL, "the peer's rights only");
    NS_TEST_EXPECT_MSG_EQ(bind(closed, DDP_ACCESS_REMOTE_READ), EINVAL, "no windows allowed");
    NS_TEST_EXPECT_MSG_EQ(bind(foreign, DDP_ACCESS_REMOTE_READ), EINVAL, "another domain");
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_REMOTE_READ, 0x1000, 101), EINVAL, "one behind");
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_REMOTE_READ, 0x0FFF, 10), EINVAL, "one before");
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_REMOTE_READ, 0x1001, 99), 0, "to its end");
    NS_TEST_EXPECT_MSG_EQ(open->Deregister(), EBUSY, "a window is bound to it");
    const uint32_t last = window->GetRkey();
    NS_TEST_EXPECT_MSG_EQ(bind(open, DDP_ACCESS_NONE, 0x1000, 0), 0, "unbound");
    NS_TEST_EXPECT_MSG_EQ(pd->GetTable().Find(last)->valid, false, "the peer cannot use it");
    NS_TEST_EXPECT_MSG_EQ(open->Deregister(), 0, "none is bound to it");
}

/**
 * A region that has windows is not invalidated, by which they would stay open; a window that is
 * invalidated, by whomever, is none of its region's (RDMA Protocol Verbs Specification, as
 * Deregister() has it).
 */
IWARP_TEST(rdmaProtection, "the windows of a region")
{
    for (const bool bound : {true, false})
    {
        for (const bool byPeer : {true, false})
        {
            RdmaTestPair p;
            p.Start();
            p.a.region->AllowInvalidation(true);
            const auto window = p.a.pd->AllocMw();
            const uint32_t stream = p.a.qp->GetNumber();
            const auto bind = [&] {
                return window->Bind(p.a.region, 0x10000, 100, DDP_ACCESS_REMOTE_READ, stream);
            };
            NS_TEST_EXPECT_MSG_EQ(bind(), 0, "bound");
            NS_TEST_EXPECT_MSG_EQ(bind(), 0, "and once more, which is one window");
            auto& table = p.a.pd->GetTable();
            if (!bound)
            {
                NS_TEST_EXPECT_MSG_EQ(table.Invalidate(window->GetRkey()), true, "the window");
                NS_TEST_EXPECT_MSG_EQ(window->IsBound(), false, "it gives no rights");
            }
            p.onEstablished = [&] {
                auto& end = byPeer ? p.b : p.a;
                p.a.PostReceive(2, 0, 10);
                auto request = end.Send(1, RdmaOpcode::LOCAL_INVALIDATE, 0, 0);
                request.opcode =
                    byPeer ? RdmaOpcode::SEND_WITH_INVALIDATE : RdmaOpcode::LOCAL_INVALIDATE;
                request.sges.clear();
                request.rkey = p.a.region->GetRkey();
                end.qp->PostSend(request);
            };
            if (byPeer)
            { // which waits for the first FPDU
                p.onEstablished = [&, post = p.onEstablished] {
                    post();
                    p.a.qp->PostSend(p.a.Send(3, RdmaOpcode::RDMA_WRITE, 0, 0));
                };
            }
            p.Run();
            NS_TEST_EXPECT_MSG_EQ(p.a.region->IsValid(), bound, "the region");
            NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), bound, "an error");
            NS_TEST_EXPECT_MSG_EQ(p.a.region->Deregister(), (bound ? EBUSY : 0), "as its end");
        }
    }
}

IWARP_TEST(rdmaProtection, "whether the peer may invalidate a region")
{
    const auto pd = RdmaDevice::Get(CreateObject<Node>())->AllocPd();
    const auto region = pd->RegisterVirtual(100, DDP_ACCESS_REMOTE_READ);
    const auto may = [&] { return pd->GetTable().Find(region->GetRkey())->invalidatable; };
    NS_TEST_EXPECT_MSG_EQ(may(), false, "not by itself");
    NS_TEST_EXPECT_MSG_EQ(region->AllowInvalidation(true), 0, "allowed");
    NS_TEST_EXPECT_MSG_EQ(may(), true, "now");
    NS_TEST_EXPECT_MSG_EQ(region->AllowInvalidation(false), 0, "not any more");
    NS_TEST_EXPECT_MSG_EQ(may(), false, "no longer");
}

/// Local Invalidate of memory that belongs to others.
struct RdmaLocalInvalidateTest : TestCase
{
    using TestCase::TestCase;

    /// @param own the STag is of the queue pair's domain @return status of the request
    RdmapStatus Try(bool own)
    {
        RdmaTestPair p;
        const auto pd = own ? p.a.pd : p.a.device->AllocPd();
        const auto region =
            pd->RegisterMemory(DdpMemory::CreateVirtual(100), 0x5000, RdmaTestHost::ALL);
        p.Start();
        p.onEstablished = [&] {
            auto request = p.a.Send(1, RdmaOpcode::LOCAL_INVALIDATE, 0, 0);
            request.sges.clear();
            request.rkey = region->GetRkey();
            request.flags = RDMA_SEND_SIGNALED;
            p.a.qp->PostSend(request);
        };
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 1, "one completion");
        const DdpStagEntry* entry = p.a.pd->GetTable().Find(region->GetRkey());
        NS_TEST_EXPECT_MSG_EQ((entry != nullptr && entry->valid), !own, "memory can be reached");
        return p.a.completions.empty() ? RdmapStatus::FLUSHED : p.a.completions[0].status;
    }
};

IWARP_TEST(rdmaProtection,
           "Local Invalidate of another queue pair's window fails and leaves it",
           RdmaLocalInvalidateTest)
{
    for (const bool own : {true, false})
    {
        RdmaTestPair p;
        p.Start();
        const auto window = p.a.pd->AllocMw();
        const uint32_t stream = p.a.qp->GetNumber() + (own ? 0 : 1);
        NS_TEST_ASSERT_MSG_EQ(
            window->Bind(p.a.region, 0x10000, 100, DDP_ACCESS_REMOTE_READ, stream),
            0,
            "bound");
        p.onEstablished = [&] {
            auto request = p.a.Send(1, RdmaOpcode::LOCAL_INVALIDATE, 0, 0);
            request.sges.clear();
            request.rkey = window->GetRkey();
            p.a.qp->PostSend(request);
        };
        p.Run();
        NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ((p.a.completions[0].status == RdmapStatus::SUCCESS), own, "status");
        NS_TEST_EXPECT_MSG_EQ(p.a.pd->GetTable().Find(window->GetRkey())->valid, !own, "rights");
    }
}

IWARP_TEST(rdmaProtection, "a window that its region does not hold is not bound")
{
    for (const bool inside : {true, false})
    {
        RdmaTestPair p;
        p.Start();
        const auto window = p.a.pd->AllocMw();
        p.onEstablished = [&] {
            auto request = p.a.Send(1, RdmaOpcode::BIND_WINDOW, 0, 0);
            request.sges.clear();
            request.window = window;
            request.region = p.a.region;
            request.bindAddress = 0x10000;
            request.bindLength = RdmaTestHost::SIZE + (inside ? 0 : 1);
            request.bindAccess = DDP_ACCESS_REMOTE_READ;
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(request), 0, "posted");
        };
        p.Run();
        const auto status = inside ? RdmapStatus::SUCCESS : RdmapStatus::BIND;
        NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ((p.a.completions[0].status == status), true, "status");
    }
}

IWARP_TEST(rdmaProtection,
           "Local Invalidate of another protection domain's STag fails and leaves it",
           RdmaLocalInvalidateTest)
{
    NS_TEST_EXPECT_MSG_EQ((Try(true) == RdmapStatus::SUCCESS), true, "its own");
    NS_TEST_EXPECT_MSG_EQ((Try(false) == RdmapStatus::LOCAL_OPERATION), true, "another's");
}

/// What an application waits for.
struct RdmaEventsTest : TestCase
{
    using TestCase::TestCase;

    /// @param status of a completion @param solicited the peer asked for an event
    /// @return events after a request for solicited ones
    uint32_t Notified(RdmapStatus status, bool solicited)
    {
        const auto cq = RdmaDevice::Get(CreateObject<Node>())->CreateCq(10);
        m_notified = 0;
        cq->SetNotifyCallback(MakeCallback(&RdmaEventsTest::HandleNotify, this));
        cq->RequestNotify(true);
        RdmaCompletion completion;
        completion.status = status;
        cq->Push(completion, solicited, 0);
        Simulator::Run();
        Simulator::Destroy();
        return m_notified;
    }

    void HandleNotify(Ptr<RdmaCompletionQueue>) //!< an event
    {
        m_notified++;
    }

    void HandleEvent(RdmaEvent event, uint32_t) //!< @param event of the device
    {
        m_limits += event == RdmaEvent::SRQ_LIMIT ? 1 : 0;
    }

    uint32_t m_notified{0}; //!< events of the completion queue
    uint32_t m_limits{0};   //!< events of the limit
};

IWARP_TEST(rdmaProtection,
           "solicited-only notification on an error; the limit event at the limit",
           RdmaEventsTest)
{
    // ibv_req_notify_cq: solicited_only lets through what is solicited or in error
    NS_TEST_EXPECT_MSG_EQ(Notified(RdmapStatus::SUCCESS, false), 0, "neither");
    NS_TEST_EXPECT_MSG_EQ(Notified(RdmapStatus::SUCCESS, true), 1, "solicited");
    NS_TEST_EXPECT_MSG_EQ(Notified(RdmapStatus::FLUSHED, false), 1, "in error");

    // armed anew before it has told of the first: one event does for both
    const auto twice = RdmaDevice::Get(CreateObject<Node>())->CreateCq(10);
    m_notified = 0;
    twice->SetNotifyCallback(MakeCallback(&RdmaEventsTest::HandleNotify, this));
    for (int i = 0; i < 2; i++)
    {
        twice->RequestNotify(false);
        twice->Push({}, false, 0);
    }
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_notified, 1, "one event");
    twice->RequestNotify(false);
    twice->Push({}, false, 0);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_notified, 2, "and the next");
    Simulator::Destroy();

    // ibv_modify_srq: once the number of buffers drops below the limit
    const auto device = RdmaDevice::Get(CreateObject<Node>());
    device->SetEventCallback(MakeCallback(&RdmaEventsTest::HandleEvent, this));
    const auto srq = device->AllocPd()->CreateSrq(4);
    for (uint32_t i = 0; i < 4; i++)
    {
        srq->PostReceive({i, {}});
    }
    NS_TEST_EXPECT_MSG_EQ(srq->SetLimit(4), 0, "as many as there can be");
    NS_TEST_EXPECT_MSG_EQ(srq->SetLimit(5), EINVAL, "more than there can be");
    NS_TEST_EXPECT_MSG_EQ(srq->SetLimit(3), 0, "set");
    DdpBuffer buffer;
    srq->Pop(buffer);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_limits, 0, "as many as the limit are left");
    srq->Pop(buffer);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_limits, 1, "one fewer");
    srq->Pop(buffer);
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(m_limits, 1, "once");
    Simulator::Destroy();
}

/// ibv_destroy_srq: not while a queue pair takes from it. ibv_destroy_qp: then it is gone.
IWARP_TEST(rdmaProtection, "a shared receive queue outlives its queue pairs")
{
    const auto device = RdmaDevice::Get(CreateObject<Node>());
    const auto pd = device->AllocPd();
    const auto srq = pd->CreateSrq(4);
    RdmaQueuePairConfig config;
    config.sendCq = config.receiveCq = device->CreateCq(4);
    config.srq = srq;
    const auto first = pd->CreateQp(config);
    const auto second = pd->CreateQp(config);
    NS_TEST_EXPECT_MSG_EQ(second->Modify(RdmaQpState::INIT), 0, "ready");
    for (const auto& qp : {second, first})
    {
        NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), EBUSY, "in use");
        NS_TEST_EXPECT_MSG_EQ(qp->Destroy(), 0, "gone");
        NS_TEST_EXPECT_MSG_EQ((qp->GetState() == RdmaQpState::RESET), true, "gone");
        NS_TEST_EXPECT_MSG_EQ(qp->Modify(RdmaQpState::INIT), EINVAL, "for good");
    }
    NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), 0, "by nobody");
    NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "none is left");
    Simulator::Destroy();
}

/// Messages that are a header and nothing else.
struct RdmaHeaderOnlyTest : TestCase
{
    using TestCase::TestCase;

    /// @param ulpdu one that arrives @return the failure
    std::string Fail(const std::string& ulpdu)
    {
        RdmapTestNode node(RdmapTestConfig());
        node.PostReceive(1, node.Register(DdpMemory::CreateVirtual(1000)), 0, 1000);
        node.Input(Hex(ulpdu));
        NS_TEST_EXPECT_MSG_EQ(node.failedByPeer, false, "found here");
        return node.failure ? node.failure->Describe() : "";
    }
};

IWARP_TEST(rdmaProtection, "MO of a message that is a header is 0", RdmaHeaderOnlyTest)
{
    const std::string odd = "RDMAP, remote operation: unspecified (0/2/255)";
    // Terminate, Immediate Data, Read Request
    NS_TEST_EXPECT_MSG_EQ(Fail("4147 00000000 00000002 00000001 00000004 00060000"),
                          odd,
                          "Terminate at 4");
    NS_TEST_EXPECT_MSG_EQ(Fail("4148 00000000 00000000 00000001 00000008 0102030405060708"),
                          odd,
                          "Immediate Data at 8");
    NS_TEST_EXPECT_MSG_EQ(Fail("4141 00000000 00000001 00000001 0000001C 00000101"
                               "0000000000000000 00000004 00000101 0000000000000000"),
                          odd,
                          "Read Request at 28");
    NS_TEST_EXPECT_MSG_EQ(Fail("4148 00000000 00000000 00000001 00000000 0102030405060708"),
                          "",
                          "Immediate Data at 0");
}

/// Responses and requests take turns.
IWARP_TEST(rdmaProtection, "responses go out while requests are queued, and the other way round")
{
    RdmapTestPair pair(RdmapTestConfig(16, 16));
    RdmapTestMemories m(pair);
    for (uint32_t i = 0; i < 4; i++)
    {
        RdmapWork read = MakeWork(i, RdmapWorkKind::READ, {{0x10000, 8, m.stagA}});
        read.remoteStag = m.stagB;
        read.remoteTo = 0x20000;
        pair.a.endpoint->PostSend(std::move(read));
        pair.b.Input(pair.a.Output());
    }
    for (uint32_t i = 0; i < 6; i++)
    {
        pair.b.endpoint->PostSend(MakeWork(100 + i, RdmapWorkKind::SEND));
    }
    std::string order;
    for (auto ulpdu = pair.b.Output(); !ulpdu.empty(); ulpdu = pair.b.Output())
    {
        order += (ulpdu[1] & 15) == 2 ? 'r' : 's';
    }
    NS_TEST_EXPECT_MSG_EQ(order.size(), 10, "all go out");
    NS_TEST_EXPECT_MSG_EQ(order.substr(2),
                          (order[0] == 'r' ? "rsrsrsss" : "srsrsrss"),
                          "a message each, in turns");
}

} // namespace
