/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"

#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

using namespace ns3;

namespace
{

constexpr uint32_t ALL = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ |
                         DDP_ACCESS_REMOTE_ATOMIC | DDP_ACCESS_MW_BIND;
constexpr uint32_t SIZE = 1 << 20; // octets of a region
constexpr uint16_t PORT = 4791;

/// One host with a device, a region of backed memory and a queue pair.
struct Host
{
    std::vector<uint8_t> memory = std::vector<uint8_t>(SIZE);
    Ptr<RdmaDevice> device;
    Ptr<RdmaProtectionDomain> pd;
    Ptr<RdmaCompletionQueue> cq;
    Ptr<RdmaMemoryRegion> region;
    Ptr<RdmaQueuePair> qp;
    RdmaQueuePairConfig config;
    std::vector<RdmaCompletion> completions;
    std::vector<RdmaConnectionEvent> events;
    std::vector<RdmaEvent> deviceEvents;

    explicit Host(Ptr<Node> node, uint32_t capacity = 1000)
        : device(RdmaDevice::Get(node)),
          pd(device->AllocPd()),
          cq(device->CreateCq(capacity)),
          region(pd->RegisterMemory(DdpMemory::Wrap(memory.data(), SIZE), 0x10000, ALL))
    {
        config.sendCq = cq;
        config.receiveCq = cq;
        config.maxSendSge = 4;
        config.maxInline = 64;
        device->SetEventCallback(MakeCallback(&Host::HandleDeviceEvent, this));
    }

    void HandleDeviceEvent(RdmaEvent event, uint32_t)
    {
        deviceEvents.push_back(event);
    }

    /// @param kind kind @return events of that kind
    uint32_t Count(RdmaConnectionEvent::Kind kind) const
    {
        return std::count_if(events.begin(), events.end(), [kind](const auto& e) {
            return e.kind == kind;
        });
    }

    void Drain()
    {
        RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            completions.push_back(completion);
        }
    }

    RdmaSendRequest Send(uint64_t id, RdmaOpcode opcode, uint64_t offset, uint32_t length) const
    {
        RdmaSendRequest request;
        request.id = id;
        request.opcode = opcode;
        request.sges = {region->GetSge(offset, length)};
        return request;
    }

    int PostReceive(uint64_t id, uint64_t offset, uint32_t length) const
    {
        return qp->PostReceive({id, {region->GetSge(offset, length)}});
    }
};

/// Two hosts, a connecting and a listening one.
struct Pair
{
    MpaLinkedHosts hosts;
    Host a{hosts.GetNode(0)};
    Host b{hosts.GetNode(1)};
    Ptr<RdmaConnection> connector = RdmaConnection::Create(hosts.GetNode(0));
    Ptr<RdmaConnection> listener = RdmaConnection::Create(hosts.GetNode(1));
    Ptr<RdmaConnection> accepted;
    RdmaConnectionParameters parametersA;
    RdmaConnectionParameters parametersB;
    bool reject{false};
    std::function<void()> onEstablished{[] {}}; // at both ends

    Pair()
    {
        for (uint32_t i = 0; i < SIZE; i++)
        {
            a.memory[i] = i * 7 + i / 251;
        }
        connector->SetEventCallback(MakeCallback(&Pair::HandleA, this));
        listener->SetEventCallback(MakeCallback(&Pair::HandleB, this));
    }

    ~Pair()
    {
        Simulator::Destroy();
    }

    void Start(uint16_t port = PORT)
    {
        if (!a.qp)
        {
            a.qp = a.pd->CreateQp(a.config);
            b.qp = b.pd->CreateQp(b.config);
            a.qp->Modify(RdmaQpState::INIT);
            b.qp->Modify(RdmaQpState::INIT);
        }
        listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        connector->SetQp(a.qp);
        Simulator::Schedule(MilliSeconds(10), [this, port] {
            connector->ResolveAddress(InetSocketAddress(Ipv4Address("10.0.0.2"), port));
        });
    }

    void Run(Time duration = Seconds(20))
    {
        Simulator::Stop(duration);
        Simulator::Run();
        a.Drain();
        b.Drain();
    }

    void HandleA(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        a.events.push_back(event);
        if (event.kind == Kind::ADDRESS_RESOLVED)
        {
            connection->ResolveRoute();
        }
        else if (event.kind == Kind::ROUTE_RESOLVED)
        {
            connection->Connect(parametersA);
        }
        else if (event.kind == Kind::ESTABLISHED && b.Count(Kind::ESTABLISHED) > 0)
        {
            onEstablished();
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            connection->Disconnect();
        }
    }

    void HandleB(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        b.events.push_back(event);
        if (event.kind == Kind::CONNECT_REQUEST)
        {
            accepted = connection;
            if (reject)
            {
                accepted->Reject({9, 8, 7});
                return;
            }
            accepted->SetQp(b.qp);
            accepted->Accept(parametersB);
        }
        else if (event.kind == Kind::ESTABLISHED && a.Count(Kind::ESTABLISHED) > 0)
        {
            onEstablished();
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            connection->Disconnect();
        }
    }
};

/// What is refused, with which number.
class RdmaVerbsErrorTest : public TestCase
{
  public:
    RdmaVerbsErrorTest()
        : TestCase("DDP-8.3-11 DDP-8.3.2-1 DDP-8.3.2-2 DDP-8.3.2-3 DDP-8.3.2-6 "
                   "DDP-8.3-4 DDP-8.3-5 bad use gives an error number")
    {
    }

  private:
    void DoRun() override
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
            regions.push_back(pd->RegisterVirtual(100, ALL));
        }
        NS_TEST_EXPECT_MSG_EQ((pd->RegisterVirtual(1, 0) == nullptr), true, "the 101st");
        NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::MEMORY_REGION), 100, "counted");
        NS_TEST_EXPECT_MSG_EQ(regions[99]->Deregister(), 0, "given back");
        NS_TEST_EXPECT_MSG_EQ(regions[99]->Deregister(), EINVAL, "once");
        NS_TEST_EXPECT_MSG_EQ(regions[99]->GetLength(), 0, "and empty");
        NS_TEST_EXPECT_MSG_EQ(regions[99]->IsValid(), false, "and invalid");
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
        config.srq = nullptr;
        auto qp = pd->CreateQp(config);
        NS_TEST_EXPECT_MSG_EQ((pd->CreateQp(config) == nullptr), true, "one queue pair");
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
};

/// Each opcode between two hosts, with its completions.
class RdmaVerbsTransferTest : public TestCase
{
  public:
    RdmaVerbsTransferTest()
        : TestCase(
              "DDP-5.4-7 DDP-1.2-1 each opcode, private data, inline, unsignaled, notification")
    {
    }

  private:
    void Notified(Ptr<RdmaCompletionQueue>)
    {
        m_notified++;
    }

    void DoRun() override
    {
        Pair p;
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
        for (const Host* host : {&p.a, &p.b})
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
            NS_TEST_EXPECT_MSG_EQ((p.a.completions[i].status == RdmapStatus::SUCCESS),
                                  true,
                                  "well");
        }
        NS_TEST_EXPECT_MSG_EQ((p.a.completions[2].opcode == RdmaCompletionOpcode::RDMA_READ),
                              true,
                              "opcode");
        NS_TEST_EXPECT_MSG_EQ(p.a.completions[2].octets, 20000, "octets read");

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
        NS_TEST_EXPECT_MSG_EQ(receives[1].withImmediate, true, "Immediate Data");
        NS_TEST_EXPECT_MSG_EQ(receives[1].immediate, 0xCAFEBABE, "the value");
        NS_TEST_EXPECT_MSG_EQ(receives[2].octets, 64, "inline");
        NS_TEST_EXPECT_MSG_EQ(receives[3].withInvalidate, true, "invalidation");
        NS_TEST_EXPECT_MSG_EQ(receives[3].invalidatedKey, window->GetRkey(), "which key");
        NS_TEST_EXPECT_MSG_EQ(window->IsBound(), false, "the window gives no rights");
        NS_TEST_EXPECT_MSG_EQ(std::equal(original.begin(), original.end(), &p.b.memory[200000]),
                              true,
                              "inline octets as they were when posted");
        NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[5000], &p.b.memory[600000], 50000),
                              0,
                              "Write");
        NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[5000], &p.b.memory[700000], 1000),
                              0,
                              "Write through the window");
        NS_TEST_EXPECT_MSG_EQ(std::memcmp(&p.a.memory[900000], &p.b.memory[600000], 20000),
                              0,
                              "Read");
        uint64_t values[3];
        std::memcpy(&values[0], &p.a.memory[800000], 16);
        std::memcpy(&values[2], &p.b.memory[800000], 8);
        NS_TEST_EXPECT_MSG_EQ(values[0], 0, "before the addition");
        NS_TEST_EXPECT_MSG_EQ(values[1], 77, "before the swap");
        NS_TEST_EXPECT_MSG_EQ(values[2], 99, "behind the swap");
        NS_TEST_EXPECT_MSG_EQ(m_notified, 1, "told of the solicited completion, once");
    }

    uint32_t m_notified{0}; //!< notifications
};

/// Failures of connecting and of transfer.
class RdmaVerbsFailureTest : public TestCase
{
  public:
    RdmaVerbsFailureTest()
        : TestCase("DDP-6.2.2-5 DDP-8.3-10 DDP-8.3.2-7 rejection, nobody there, errors, overflow, "
                   "shared receives")
    {
    }

  private:
    void DoRun() override
    {
        using Kind = RdmaConnectionEvent::Kind;
        {
            Pair p;
            p.reject = true;
            p.Start();
            p.Run();
            NS_TEST_ASSERT_MSG_EQ(p.a.Count(Kind::REJECTED), 1, "rejected");
            if (IsStatusFailure())
            {
                return;
            }
            const auto rejected =
                std::find_if(p.a.events.begin(), p.a.events.end(), [](const auto& e) {
                    return e.kind == Kind::REJECTED;
                });
            NS_TEST_EXPECT_MSG_EQ((rejected->privateData == std::vector<uint8_t>{9, 8, 7}),
                                  true,
                                  "with private data");
        }
        {
            Pair p;
            p.Start(PORT + 1);
            p.Run(Seconds(400)); // ns-3 does not take a reset for an answer to its SYN
            NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::UNREACHABLE), 1, "nobody listens");
        }
        {
            Pair p;
            NS_TEST_EXPECT_MSG_EQ(p.connector->Connect({}), EINVAL, "not resolved");
            NS_TEST_EXPECT_MSG_EQ(p.connector->ResolveRoute(), EINVAL, "not resolved");
            NS_TEST_EXPECT_MSG_EQ(p.connector->Disconnect(), EINVAL, "not connected");
            NS_TEST_EXPECT_MSG_EQ(p.connector->Reject(), EINVAL, "no request");
            p.connector->ResolveAddress(InetSocketAddress(Ipv4Address("192.168.9.9"), PORT));
            p.Run();
            NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ADDRESS_ERROR), 1, "no route");
        }
        {
            // a message too long for its buffer
            Pair p;
            p.Start();
            p.b.PostReceive(1, 0, 100);
            p.b.PostReceive(2, 100, 100);
            p.onEstablished = [&] {
                p.a.qp->PostSend(p.a.Send(1, RdmaOpcode::SEND, 0, 101));
                auto read = p.a.Send(2, RdmaOpcode::RDMA_READ, 0, 1);
                read.rkey = p.b.region->GetRkey();
                read.remoteAddress = 0x10000;
                p.a.qp->PostSend(read);
            };
            p.Run();
            NS_TEST_ASSERT_MSG_EQ(p.b.completions.size(), 2, "receives");
            if (IsStatusFailure())
            {
                return;
            }
            NS_TEST_EXPECT_MSG_EQ((p.b.completions[0].status == RdmapStatus::LOCAL_LENGTH),
                                  true,
                                  "too long");
            NS_TEST_EXPECT_MSG_EQ((p.b.completions[1].status == RdmapStatus::FLUSHED),
                                  true,
                                  "flushed");
            NS_TEST_EXPECT_MSG_EQ(
                (p.b.deviceEvents == std::vector<RdmaEvent>{RdmaEvent::QP_REQUEST_ERROR}),
                true,
                "at the sink");
            NS_TEST_EXPECT_MSG_EQ(
                (p.a.deviceEvents == std::vector<RdmaEvent>{RdmaEvent::QP_TERMINATED}),
                true,
                "at the source");
            NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), 2, "sends");
            if (IsStatusFailure())
            {
                return;
            }
            NS_TEST_EXPECT_MSG_EQ((p.a.completions[1].status == RdmapStatus::FLUSHED),
                                  true,
                                  "the Read is flushed");
            NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::DISCONNECTED), 1, "disconnected");
        }
        {
            // a completion queue of two that nobody polls
            Pair p;
            p.a.config.sendCq = p.a.device->CreateCq(2);
            p.Start();
            for (uint32_t i = 0; i < 4; i++)
            {
                p.b.PostReceive(i, 0, 100);
            }
            p.onEstablished = [&] {
                for (uint32_t i = 0; i < 4; i++)
                {
                    p.a.qp->PostSend(p.a.Send(i, RdmaOpcode::SEND, 0, 10));
                }
            };
            p.Run();
            NS_TEST_EXPECT_MSG_EQ(p.a.config.sendCq->HasOverflowed(), true, "overflow");
            std::vector<RdmaCompletion> completions;
            NS_TEST_EXPECT_MSG_EQ(p.a.config.sendCq->Poll(10, completions), 2, "what was before");
            NS_TEST_EXPECT_MSG_EQ(p.a.config.sendCq->Poll(10, completions), -EIO, "then an error");
            NS_TEST_EXPECT_MSG_EQ((p.a.deviceEvents[0] == RdmaEvent::CQ_ERROR), true, "event");
            NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), true, "over");
        }
        {
            // a shared queue of 64 of which one queue pair may hold 48
            Pair p;
            auto srq = p.b.pd->CreateSrq(64);
            p.b.config.srq = srq;
            srq->SetFairShare(48);
            srq->SetLimit(10);
            for (uint32_t i = 0; i < 64; i++)
            {
                NS_TEST_EXPECT_MSG_EQ(srq->PostReceive({i, {p.b.region->GetSge(100 * i, 100)}}),
                                      0,
                                      "posted");
            }
            NS_TEST_EXPECT_MSG_EQ(srq->PostReceive({64, {}}), ENOMEM, "full");
            NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), 0, "unused");
            srq = p.b.pd->CreateSrq(64);
            p.b.config.srq = srq;
            srq->SetFairShare(1);
            srq->SetLimit(63);
            for (uint32_t i = 0; i < 64; i++)
            {
                srq->PostReceive({i, {p.b.region->GetSge(100 * i, 100)}});
            }
            p.Start();
            NS_TEST_EXPECT_MSG_EQ(p.b.PostReceive(1, 0, 1), EINVAL, "receives are shared");
            NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), EBUSY, "in use");
            p.onEstablished = [&] {
                // the first is lost, so that those behind hold buffers at the same time
                auto drop = CreateObject<ReceiveListErrorModel>();
                drop->SetList({0});
                p.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
                for (uint32_t i = 0; i < 5; i++)
                {
                    p.a.qp->PostSend(p.a.Send(i, RdmaOpcode::SEND, 100 * i, 100));
                }
            };
            p.Run();
            NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), 5, "received");
            NS_TEST_EXPECT_MSG_EQ(srq->GetAvailable(), 59, "left");
            const auto& events = p.b.deviceEvents;
            NS_TEST_EXPECT_MSG_EQ(std::count(events.begin(), events.end(), RdmaEvent::SRQ_LIMIT),
                                  1,
                                  "runs low, told of once");
            NS_TEST_EXPECT_MSG_EQ(std::count(events.begin(), events.end(), RdmaEvent::SRQ_UNFAIR),
                                  1,
                                  "one queue pair holds more than its share");
        }
    }
};

/// Suite of the verbs.
class RdmaVerbsTestSuite : public TestSuite
{
  public:
    RdmaVerbsTestSuite()
        : TestSuite("rdma-verbs", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaVerbsErrorTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaVerbsTransferTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaVerbsFailureTest, IWARP_TEST_QUICK);
    }
};

RdmaVerbsTestSuite g_rdmaVerbsTestSuite;

} // namespace
