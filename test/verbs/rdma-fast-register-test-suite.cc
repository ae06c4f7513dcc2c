/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rdmaFastRegister, "rdma-fast-register");

constexpr uint32_t RIGHTS =
    DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ;
constexpr uint64_t ADDRESS = 0x7770'0000; // what is fast-registered begins there

/// @param host host @param id of the request @param region region of AllocMr()
/// @return a signaled REG_MR with all rights
RdmaSendRequest
Register(const RdmaTestHost& host, uint64_t id, Ptr<RdmaMemoryRegion> region)
{
    RdmaSendRequest request = host.Send(id, RdmaOpcode::REG_MR, 0, 0);
    request.sges.clear();
    request.region = region;
    request.registerAccess = RIGHTS;
    return request;
}

/// @param host host @param id of the request @param key STag of this side
/// @return a signaled local invalidation
RdmaSendRequest
Invalidate(const RdmaTestHost& host, uint64_t id, uint32_t key)
{
    RdmaSendRequest request = host.Send(id, RdmaOpcode::LOCAL_INVALIDATE, 0, 0);
    request.sges.clear();
    request.rkey = key;
    return request;
}

/// @param host host @param offset in its memory @param length octets @param address of the first
/// @param pages that the region takes @return a region of AllocMr() with that mapped
Ptr<RdmaMemoryRegion>
MapNew(const RdmaTestHost& host,
       uint64_t offset,
       uint64_t length,
       uint64_t address = ADDRESS,
       uint32_t pages = 16)
{
    const auto region = host.pd->AllocMr(pages);
    region->Map(host.region->GetMemory(), offset, length, address);
    return region;
}

/// @param host host @param id of a request @return how it was reported; FATAL if it was not, or
/// twice
RdmapStatus
StatusOf(const RdmaTestHost& host, uint64_t id)
{
    const auto same = [id](const RdmaCompletion& c) { return c.id == id; };
    const auto& all = host.completions;
    return std::count_if(all.begin(), all.end(), same) == 1
               ? std::find_if(all.begin(), all.end(), same)->status
               : RdmapStatus::FATAL;
}

/// What ib_alloc_mr(), ib_map_mr_sg() and ib_update_fast_reg_key() take.
IWARP_TEST(rdmaFastRegister, "regions for fast registration: pages, keys, limits")
{
    auto device = CreateObject<RdmaDevice>();
    device->SetAttribute("MaxMr", UintegerValue(3));
    auto pd = device->AllocPd();
    NS_TEST_EXPECT_MSG_EQ((pd->AllocMr(0) == nullptr), true, "no pages");
    NS_TEST_EXPECT_MSG_EQ((pd->AllocMr(257) == nullptr), true, "above MaxFastRegPages");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), EINVAL, "EINVAL");
    const auto region = pd->AllocMr(4);
    NS_TEST_ASSERT_MSG_EQ((region != nullptr), true, "four pages");
    NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "it opens nothing yet");
    NS_TEST_EXPECT_MSG_EQ(region->GetLength(), 0, "and has no octets");
    NS_TEST_EXPECT_MSG_EQ(region->GetPages(), 0, "nor pages");

    const auto memory = DdpMemory::CreateVirtual(100000);
    constexpr uint64_t PAGE = RdmaMemoryRegion::PAGE;
    NS_TEST_EXPECT_MSG_EQ(region->Map(nullptr, 0, 1, 0), EINVAL, "no memory");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 99999, 2, 0), EINVAL, "behind its end");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 0, 0, 0), EINVAL, "no octets");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 0, 9, ~uint64_t(0) - 7), EINVAL, "wraps");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 0, 4 * PAGE + 1, 0), EINVAL, "a page too many");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 0, 4 * PAGE, PAGE - 1), EINVAL, "not aligned");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 7, 4 * PAGE, PAGE), 0, "four pages");
    NS_TEST_EXPECT_MSG_EQ(region->GetPages(), 4, "four");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 7, 2, PAGE - 1), 0, "two octets");
    NS_TEST_EXPECT_MSG_EQ(region->GetPages(), 2, "on two pages");
    NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "a work request opens it");

    const uint32_t key = region->GetRkey();
    NS_TEST_EXPECT_MSG_EQ(region->UpdateKey(0xAB), 0, "another key");
    NS_TEST_EXPECT_MSG_EQ(region->GetRkey(), ((key & 0xFFFFFF00) | 0xAB), "of its own STags");
    NS_TEST_EXPECT_MSG_EQ(region->GetLkey(), region->GetRkey(), "both keys");
    const auto plain = pd->RegisterVirtual(100, 0);
    NS_TEST_EXPECT_MSG_EQ(plain->UpdateKey(1), EINVAL, "of a region that has memory");
    NS_TEST_EXPECT_MSG_EQ(plain->Map(memory, 0, 1, 0), EINVAL, "alike");

    const auto other = pd->AllocMr(256);
    NS_TEST_EXPECT_MSG_NE((other->GetRkey() >> 8), (key >> 8), "other STags");
    NS_TEST_EXPECT_MSG_EQ((pd->AllocMr(1) == nullptr), true, "MaxMr");
    NS_TEST_EXPECT_MSG_EQ(device->GetErrno(), ENOMEM, "ENOMEM");
    NS_TEST_EXPECT_MSG_EQ(region->Deregister(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(region->Deregister(), EINVAL, "once");
    NS_TEST_EXPECT_MSG_EQ(region->Map(memory, 0, 1, 0), EINVAL, "over");
    NS_TEST_EXPECT_MSG_EQ(region->UpdateKey(1), EINVAL, "over");
    NS_TEST_EXPECT_MSG_EQ((pd->AllocMr(1) != nullptr), true, "room again");
    device->Dispose();
}

/// STags that differ in their last 8 bits alone are those of one owner.
IWARP_TEST(rdmaFastRegister, "no other STag is given out among those of a key that may change")
{
    uint32_t next = 0x0001'00F0;
    DdpStagTable table(1000, [&next] { return next++; });
    DdpStagEntry entry;
    entry.pd = 1;
    entry.memory = DdpMemory::CreateVirtual(1);
    entry.length = 1;
    NS_TEST_EXPECT_MSG_EQ(table.Add(entry), 0x0001'00F0, "the first drawn");
    const uint32_t keyed = table.AddKeyed(entry);
    NS_TEST_EXPECT_MSG_EQ(keyed, 0x0002'0000 - 0xFF00, "the first that shares nothing");
    NS_TEST_EXPECT_MSG_EQ(table.Add(entry), keyed + 0x100, "others leave its keys alone");
    NS_TEST_EXPECT_MSG_EQ(table.ChangeKey(keyed, 0x77), true, "another key");
    NS_TEST_EXPECT_MSG_EQ((table.Find(keyed) == nullptr), true, "the old one is unknown");
    NS_TEST_EXPECT_MSG_EQ((table.Find(keyed + 0x77) != nullptr), true, "the new one is not");
    NS_TEST_EXPECT_MSG_EQ(table.ChangeKey(keyed, 1), false, "unknown");
    NS_TEST_EXPECT_MSG_EQ(table.ChangeKey(0x0001'00F0, 1), false, "not one of these");
    NS_TEST_EXPECT_MSG_EQ(table.Remove(keyed + 0x77), true, "given back");
    next = keyed;
    NS_TEST_EXPECT_MSG_EQ(table.Add(entry), keyed, "and free for others");
    next = 5;
    NS_TEST_EXPECT_MSG_EQ(table.AddKeyed(entry), 0x100, "none that could become 0");
}

/// Fast registration over a connection.
struct RdmaFastRegisterTest : TestCase
{
    using TestCase::TestCase;

    /// @param host host @param requests posted together; all are taken
    void Post(const RdmaTestHost& host, const std::vector<RdmaSendRequest>& requests)
    {
        std::size_t bad = 0;
        NS_TEST_EXPECT_MSG_EQ(host.qp->PostSend(requests, bad), 0, "posted, but for " << bad);
    }

    /// The peer writes, reads and invalidates what was registered.
    void Use()
    {
        constexpr uint32_t LENGTH = 10000;
        RdmaTestPair p;
        p.Start();
        const auto region = MapNew(p.b, 300000, LENGTH);
        p.a.PostReceive(1, 900000, 100);
        p.b.PostReceive(2, 900000, 100);
        p.onEstablished = [&] {
            // the key is known before the registration is done: both go out together
            Post(p.b, {Register(p.b, 10, region), p.b.Send(11, RdmaOpcode::SEND, 0, 8)});
            NS_TEST_EXPECT_MSG_EQ(region->IsValid(), true, "open");
            NS_TEST_EXPECT_MSG_EQ(region->GetAddress(), ADDRESS, "where it was mapped");
            NS_TEST_EXPECT_MSG_EQ(region->GetLength(), LENGTH, "all of it");
            auto write = p.a.Send(20, RdmaOpcode::RDMA_WRITE, 0, LENGTH);
            write.rkey = region->GetRkey();
            write.remoteAddress = ADDRESS;
            auto read = p.a.Send(21, RdmaOpcode::RDMA_READ, 500000, LENGTH - 100);
            read.rkey = region->GetRkey();
            read.remoteAddress = ADDRESS + 100;
            auto note = p.a.Send(22, RdmaOpcode::SEND_WITH_INVALIDATE, 0, 0);
            note.flags |= RDMA_SEND_FENCE;
            note.rkey = region->GetRkey();
            Post(p.a, {write, read, note});
        };
        Simulator::Schedule(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "closed by the peer");
            // no harm in closing it once more: it may be closed already
            Post(p.b, {Invalidate(p.b, 12, region->GetRkey())});
        });
        p.Run(Seconds(2));
        for (const uint64_t id : {10, 11, 12, 2})
        {
            NS_TEST_EXPECT_MSG_EQ((StatusOf(p.b, id) == RdmapStatus::SUCCESS), true, "b's " << id);
        }
        for (const uint64_t id : {20, 21, 22, 1})
        {
            NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, id) == RdmapStatus::SUCCESS), true, "a's " << id);
        }
        NS_TEST_ASSERT_MSG_EQ(p.b.completions.empty(), false, "completions");
        NS_TEST_EXPECT_MSG_EQ((p.b.completions[0].opcode == RdmaCompletionOpcode::REG_MR),
                              true,
                              "opcode of the completion");
        const auto& a = p.a.memory;
        NS_TEST_EXPECT_MSG_EQ(std::equal(a.begin(), a.begin() + LENGTH, &p.b.memory[300000]),
                              true,
                              "written");
        NS_TEST_EXPECT_MSG_EQ(std::equal(&a[100], &a[LENGTH], &a[500000]), true, "read");
    }

    /// Closed and opened anew, for other memory and with another key, list upon list.
    void Cycle()
    {
        RdmaTestPair p;
        std::copy_n(p.a.memory.begin(), 20000, p.b.memory.begin());
        p.Start();
        const auto region = p.a.pd->AllocMr(16);
        p.onEstablished = [&] {
            uint32_t before = 0;
            for (uint32_t i = 0; i < 5; i++)
            {
                std::vector<RdmaSendRequest> list;
                if (i > 0)
                {
                    list.push_back(Invalidate(p.a, 100 + i, before));
                    list.back().flags |= RDMA_SEND_FENCE;
                }
                region->UpdateKey(static_cast<uint8_t>(region->GetRkey() + 1));
                region->Map(p.a.region->GetMemory(), 300000 + 20000 * i, 4000 * i + 1, ADDRESS + i);
                list.push_back(Register(p.a, 200 + i, region));
                auto read = p.a.Send(300 + i, RdmaOpcode::RDMA_READ, 0, 0);
                read.rkey = p.b.region->GetRkey();
                read.remoteAddress = 0x10000;
                read.sges = {{ADDRESS + i, 4000 * i + 1, region->GetLkey()}};
                list.push_back(read);
                Post(p.a, list);
                before = region->GetLkey();
            }
        };
        p.Run(Seconds(1));
        for (uint32_t i = 0; i < 5; i++)
        {
            NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 200 + i) == RdmapStatus::SUCCESS), true, "REG_MR");
            NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 300 + i) == RdmapStatus::SUCCESS), true, "Read");
            const auto& memory = p.a.memory;
            NS_TEST_EXPECT_MSG_EQ(std::equal(p.b.memory.begin(),
                                             p.b.memory.begin() + 4000 * i + 1,
                                             &memory[300000 + 20000 * i]),
                                  true,
                                  "round " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(region->IsValid(), true, "the last one is open");
        NS_TEST_EXPECT_MSG_EQ(region->GetLength(), 16001, "as it was mapped last");
    }

    /// A key of a registration that is over opens nothing.
    void Stale()
    {
        RdmaTestPair p;
        p.Start();
        const auto region = MapNew(p.b, 300000, 5000);
        p.onEstablished = [&] {
            const uint32_t old = region->GetRkey();
            Post(p.b, {Register(p.b, 1, region)});
            Post(p.b, {Invalidate(p.b, 2, old)});
            region->UpdateKey(static_cast<uint8_t>(old + 1));
            Post(p.b, {Register(p.b, 3, region)});
            auto write = p.a.Send(4, RdmaOpcode::RDMA_WRITE, 1, 100);
            write.rkey = old;
            write.remoteAddress = ADDRESS;
            Post(p.a, {write});
        };
        const std::vector<uint8_t> before = p.b.memory;
        p.Run(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ((p.b.memory == before), true, "nothing is placed");
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), true, "the stream ends");
        NS_TEST_EXPECT_MSG_EQ(p.b.deviceEvents.empty(), false, "and b's device tells");
    }

    /// Post a REG_MR that is refused, or fails in its turn. @param change makes it so
    /// @param error of the call @param status of the completion, if it is posted
    void Refuse(const std::function<void(RdmaTestHost&, RdmaSendRequest&)>& change,
                int error,
                RdmapStatus status)
    {
        RdmaTestPair p;
        p.Start();
        p.onEstablished = [&] {
            auto request = Register(p.a, 1, MapNew(p.a, 300000, 5000));
            change(p.a, request);
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(request), error, "posting");
        };
        p.Run(Seconds(2));
        if (error == 0)
        {
            NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 1) == status), true, "its status");
        }
        const bool good = error != 0 || status == RdmapStatus::SUCCESS;
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::RTS), good, "the queue pair");
    }
};

IWARP_TEST(rdmaFastRegister,
           "REG_MR in its turn: opened, used, invalidated, opened anew",
           RdmaFastRegisterTest)
{
    Use();
    Cycle();
    Stale();
    using Host = RdmaTestHost;
    using Request = RdmaSendRequest;
    const auto ok = RdmapStatus::SUCCESS;
    Refuse([](Host&, Request&) {}, 0, ok);
    Refuse([](Host&, Request& r) { r.region = nullptr; }, EINVAL, ok);
    Refuse([](Host& h, Request& r) { r.region = h.region; }, EINVAL, ok);
    Refuse([](Host& h, Request& r) { r.region = h.pd->AllocMr(1); }, EINVAL, ok);
    Refuse([](Host&, Request& r) { r.registerAccess = DDP_ACCESS_REMOTE_WRITE; }, EINVAL, ok);
    Refuse([](Host&, Request& r) { r.registerAccess |= DDP_ACCESS_MW_BIND; }, EINVAL, ok);
    Refuse([](Host&, Request& r) { r.region->Deregister(); }, EINVAL, ok);
    // as siw_fastreg_mr(): open already, or of another protection domain
    const auto failed = RdmapStatus::LOCAL_OPERATION;
    Refuse(
        [](Host& h, Request& r) {
            auto first = r;
            first.id = 2;
            h.qp->PostSend(first);
        },
        0,
        failed);
    Refuse(
        [](Host& h, Request& r) {
            r.region = h.device->AllocPd()->AllocMr(16);
            r.region->Map(h.region->GetMemory(), 0, 10, 0);
        },
        0,
        failed);
}

/// RDMA Read with Invalidate.
struct RdmaReadInvalidateTest : TestCase
{
    using TestCase::TestCase;

    /// A message has come. @param seen opcodes so far @param opcode its kind
    static void Note(std::vector<RdmapOpcode>* seen, RdmapOpcode opcode, uint64_t)
    {
        seen->push_back(opcode);
    }

    /// @param fast the sink is fast-registered @param length octets to read
    void Read(bool fast, uint32_t length)
    {
        RdmaTestPair p;
        std::copy_n(p.a.memory.begin(), length, p.b.memory.begin());
        p.Start();
        auto region = fast ? MapNew(p.a, 300000, 50000)
                           : p.a.pd->RegisterMemory(DdpMemory::Wrap(&p.a.memory[300000], 50000),
                                                    ADDRESS,
                                                    DDP_ACCESS_LOCAL_WRITE);
        std::vector<RdmapOpcode> seen;
        p.onEstablished = [&] {
            p.b.qp->GetStream()->TraceConnectWithoutContext(
                "MessageDelivered",
                MakeBoundCallback(&RdmaReadInvalidateTest::Note, &seen));
            if (fast)
            {
                p.a.qp->PostSend(Register(p.a, 1, region));
            }
            auto read = p.a.Send(2, RdmaOpcode::RDMA_READ_WITH_INVALIDATE, 0, 0);
            read.rkey = p.b.region->GetRkey();
            read.remoteAddress = 0x10000;
            read.sges = {{ADDRESS, length, region->GetLkey()}};
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(read), 0, "posted");
            NS_TEST_EXPECT_MSG_EQ(region->IsValid(), true, "open until it is done");
        };
        p.Run(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 2) == RdmapStatus::SUCCESS), true, "done");
        NS_TEST_EXPECT_MSG_EQ((p.a.completions.back().opcode == RdmaCompletionOpcode::RDMA_READ),
                              true,
                              "its completion is that of an RDMA Read");
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.back().octets, length, "octets");
        NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "closed");
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::RTS), true, "all is well");
        NS_TEST_EXPECT_MSG_EQ(
            std::equal(p.b.memory.begin(), p.b.memory.begin() + length, &p.a.memory[300000]),
            true,
            "content");
        NS_TEST_ASSERT_MSG_EQ(seen.size(), 1, "one message came to the peer");
        NS_TEST_EXPECT_MSG_EQ((seen[0] == RdmapOpcode::READ_REQUEST), true, "a Read Request");
    }

    /// What fills the sink behind such a Read fails, as behind a local invalidation.
    void Closed()
    {
        RdmaTestPair p;
        p.Start();
        p.onEstablished = [&] {
            auto read = p.a.Send(1, RdmaOpcode::RDMA_READ_WITH_INVALIDATE, 0, 10);
            read.rkey = p.b.region->GetRkey();
            read.remoteAddress = 0x10000;
            auto many = read;
            many.sges.resize(2, read.sges[0]);
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(many), EINVAL, "two pieces");
            many.sges.clear();
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(many), EINVAL, "nothing to invalidate");
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(read), 0, "posted");
            read.id = 2;
            read.flags |= RDMA_SEND_FENCE;
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(read), 0, "posted");
        };
        p.Run(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 1) == RdmapStatus::SUCCESS), true, "the first");
        NS_TEST_EXPECT_MSG_EQ((StatusOf(p.a, 2) == RdmapStatus::LOCAL_PROTECTION), true, "second");
    }
};

IWARP_TEST(rdmaFastRegister,
           "an RDMA Read invalidates its sink when it is done",
           RdmaReadInvalidateTest)
{
    for (const bool fast : {true, false})
    {
        Read(fast, 40000);
        Read(fast, 0);
    }
    Closed();
}

} // namespace
