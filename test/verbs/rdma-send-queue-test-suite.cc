/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../app/rdma-perf-bench.h"
#include "../iwarp-test.h"
#include "rdma-star.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-helper.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rdmaSendQueue, "rdma-send-queue");

constexpr uint32_t SLOTS = 8; //!< of the send queue

/// What libibverbs' man pages and iw_cxgb4's c4iw_poll_cq() say of the slots of a send queue.
struct RdmaSendSlotsTest : TestCase
{
    using TestCase::TestCase;

    /// @param id id @param flags flags @return as the verb
    int Post(uint64_t id, uint32_t flags)
    {
        auto request = m_pair->a.Send(id, RdmaOpcode::SEND, 0, 10);
        request.flags = flags;
        return m_pair->a.qp->PostSend(request);
    }

    /// Post unsignaled requests until one is refused. @param most requests @return those posted
    uint32_t Fill(uint32_t most)
    {
        uint32_t posted = 0;
        while (posted < most && Post(100 + posted, 0) == 0)
        {
            posted++;
        }
        return posted;
    }

    /// Connect, and do something a second later. @param work what
    void Run(const std::function<void()>& work)
    {
        RdmaTestPair pair;
        m_pair = &pair;
        pair.a.config.maxSendWr = SLOTS;
        pair.Start();
        for (uint32_t i = 0; i < 100; i++)
        {
            pair.b.PostReceive(i, 0, 100);
        }
        Simulator::Schedule(Seconds(1), [&work] { work(); });
        pair.Run();
    }

    void Never()
    {
        uint32_t taken = 0;
        Run([&] {
            for (uint32_t i = 0; i < 50; i++)
            {
                Simulator::Schedule(MilliSeconds(i), [this, &taken, i] {
                    const int error = Post(i, 0);
                    NS_TEST_EXPECT_MSG_EQ(error, (i < SLOTS ? 0 : ENOMEM), "request " << i);
                    taken += error == 0;
                });
            }
        });
        NS_TEST_EXPECT_MSG_EQ(taken, SLOTS, "never signal, queue full");
    }

    void Polled()
    {
        Run([this] {
            for (uint32_t i = 1; i <= 4; i++)
            {
                NS_TEST_EXPECT_MSG_EQ(Post(i, i == 3 ? RDMA_SEND_SIGNALED : 0), 0, "request " << i);
            }
            Simulator::Schedule(Seconds(1), [this] {
                auto& cq = *m_pair->a.cq;
                NS_TEST_EXPECT_MSG_EQ(m_pair->a.qp->GetSendsPosted(), 0, "all are done");
                NS_TEST_EXPECT_MSG_EQ(cq.GetSize(), 1, "and the completion waits");
                NS_TEST_EXPECT_MSG_EQ(Fill(50), SLOTS - 4, "none of their slots is free");
                RdmaCompletion completion;
                NS_TEST_EXPECT_MSG_EQ(cq.Poll(completion), 1, "taken");
                NS_TEST_EXPECT_MSG_EQ(completion.id, 3, "that of the third");
                NS_TEST_EXPECT_MSG_EQ(Fill(50), 3, "three are free: it and those before it");
                std::vector<RdmaCompletion> none;
                NS_TEST_EXPECT_MSG_EQ(cq.Poll(10, none), 0, "there is no other");
                NS_TEST_EXPECT_MSG_EQ(Post(5, RDMA_SEND_SIGNALED), ENOMEM, "nor a way out");
            });
        });
    }

    void All()
    {
        Run([this] {
            for (uint32_t i = 0; i < SLOTS; i++)
            {
                NS_TEST_EXPECT_MSG_EQ(Post(i, RDMA_SEND_SIGNALED), 0, "request " << i);
            }
            Simulator::Schedule(Seconds(1), [this] {
                NS_TEST_EXPECT_MSG_EQ(Fill(50), 0, "full");
                std::vector<RdmaCompletion> some;
                NS_TEST_EXPECT_MSG_EQ(m_pair->a.cq->Poll(3, some), 3, "three taken together");
                NS_TEST_EXPECT_MSG_EQ(Fill(50), 3, "three slots");
            });
        });
    }

    void Flushed()
    {
        Run([this] {
            NS_TEST_EXPECT_MSG_EQ(m_pair->a.qp->Modify(RdmaQpState::ERR), 0, "in error");
            NS_TEST_EXPECT_MSG_EQ(Fill(50), SLOTS, "flushed, and reported though not signaled");
            RdmaCompletion completion;
            NS_TEST_EXPECT_MSG_EQ(m_pair->a.cq->Poll(completion), 1, "one is taken");
            NS_TEST_EXPECT_MSG_EQ(Fill(50), 1, "and makes room for one");
            NS_TEST_EXPECT_MSG_EQ(m_pair->a.qp->Destroy(), 0, "over");
            NS_TEST_EXPECT_MSG_EQ(m_pair->a.cq->Poll(completion), 1, "what is left can be taken");
        });
    }

    RdmaTestPair* m_pair{nullptr}; //!< the hosts
};

IWARP_TEST(rdmaSendQueue,
           "a slot is free when its completion, or that of a later request, is polled",
           RdmaSendSlotsTest)
{
    Never();
    Polled();
    All();
    Flushed();
}

/// Lists as ibv_post_send(3), ibv_post_recv(3) and ibv_post_srq_recv(3) take them.
struct RdmaChainTest : TestCase
{
    using TestCase::TestCase;

    /// @param p hosts @param count requests @return as many Sends, with ids from 0
    static std::vector<RdmaSendRequest> Sends(const RdmaTestPair& p, uint64_t count)
    {
        std::vector<RdmaSendRequest> requests;
        for (uint64_t i = 0; i < count; i++)
        {
            requests.push_back(p.a.Send(i, RdmaOpcode::SEND, 100 * i, 100));
        }
        return requests;
    }

    /// Post a list of Sends at once. @param count requests @param change makes one of them bad
    /// @param error what is returned @param bad place of the first that is refused
    void Check(uint64_t count,
               const std::function<void(std::vector<RdmaSendRequest>&)>& change,
               int error,
               std::size_t bad)
    {
        RdmaTestPair p;
        p.a.config.maxSendWr = SLOTS;
        p.Start();
        for (uint64_t i = 0; i < 20; i++)
        {
            p.b.PostReceive(i, 500000 + 100 * i, 100);
        }
        p.onEstablished = [&] {
            auto requests = Sends(p, count);
            change(requests);
            std::size_t first = 1000;
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(requests, first), error, count << " requests");
            NS_TEST_EXPECT_MSG_EQ(first, bad, "the first that is refused, of " << count);
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->GetSendSlots(), bad, "those before it are posted");
        };
        p.Run(Seconds(1));
        NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), bad, "and done");
        for (std::size_t i = 0; i < bad && !IsStatusFailure(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(p.a.completions[i].id, i, "in order");
            NS_TEST_EXPECT_MSG_EQ((p.a.completions[i].status == RdmapStatus::SUCCESS),
                                  true,
                                  "well");
        }
        const bool there =
            std::equal(p.a.memory.begin(), p.a.memory.begin() + 100 * bad, &p.b.memory[500000]);
        NS_TEST_EXPECT_MSG_EQ(there, true, "each in its receive");
        NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), bad, "no other came");
    }

    void States()
    {
        RdmaTestPair p;
        std::size_t bad = 1000;
        p.a.qp = p.a.pd->CreateQp(p.a.config);
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(Sends(p, 3), bad), EINVAL, "state RESET");
        NS_TEST_EXPECT_MSG_EQ(bad, 0, "none is posted");
        p.a.qp->Modify(RdmaQpState::ERR);
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(Sends(p, 3), bad), 0, "state ERR");
        NS_TEST_EXPECT_MSG_EQ(bad, 3, "all are taken");
        p.a.Drain();
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 3, "and flushed");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->Destroy(), 0, "over");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(Sends(p, 3), bad), EINVAL, "it is over");
        NS_TEST_EXPECT_MSG_EQ(bad, 0, "none is posted");
    }

    void Receives()
    {
        RdmaTestPair p;
        p.a.config.maxReceiveWr = 3;
        p.a.qp = p.a.pd->CreateQp(p.a.config);
        p.a.qp->Modify(RdmaQpState::INIT);
        std::vector<RdmaReceiveRequest> requests(5);
        std::size_t bad = 1000;
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostReceive(requests, bad), ENOMEM, "three fit");
        NS_TEST_EXPECT_MSG_EQ(bad, 3, "not the fourth");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->GetReceivesPosted(), 3, "three are posted");
        const auto srq = p.a.pd->CreateSrq(4);
        requests[2].sges.resize(2);
        NS_TEST_EXPECT_MSG_EQ(srq->PostReceive(requests, bad), EINVAL, "a piece too many");
        NS_TEST_EXPECT_MSG_EQ(bad, 2, "the third");
        requests[2].sges.clear();
        NS_TEST_EXPECT_MSG_EQ(srq->PostReceive(requests, bad), ENOMEM, "two fit besides");
        NS_TEST_EXPECT_MSG_EQ(bad, 2, "not the third");
        NS_TEST_EXPECT_MSG_EQ(srq->GetAvailable(), 4, "four are posted");
        requests.clear();
        NS_TEST_EXPECT_MSG_EQ(srq->PostReceive(requests, bad), 0, "nothing");
        NS_TEST_EXPECT_MSG_EQ(bad, 0, "is refused");
    }
};

IWARP_TEST(rdmaSendQueue, "a list is posted up to the first request that is refused", RdmaChainTest)
{
    using List = std::vector<RdmaSendRequest>;
    Check(
        5,
        [](List&) {},
        0,
        5);
    Check(
        1,
        [](List&) {},
        0,
        1);
    Check(
        0,
        [](List&) {},
        0,
        0);
    Check(
        12,
        [](List&) {},
        ENOMEM,
        SLOTS);
    Check(
        5,
        [](List& list) { list[2].sges.resize(5); },
        EINVAL,
        2);
    Check(
        5,
        [](List& list) { list[0].opcode = RdmaOpcode::BIND_WINDOW; },
        EINVAL,
        0);
    Check(
        5,
        [](List& list) {
            list[4].opcode = RdmaOpcode::RDMA_READ;
            list[4].sges.resize(2, list[4].sges[0]);
        },
        EINVAL,
        4);
    States();
    Receives();
}

/// A queue pair tells what it is like as ibv_query_qp(3) has it.
IWARP_TEST(rdmaSendQueue, "a queue pair tells its state, depths and capabilities")
{
    RdmaTestPair p;
    p.a.config.maxSendWr = 17;
    p.a.config.maxReceiveWr = 19;
    p.a.config.maxSendSge = 3;
    p.a.config.maxReceiveSge = 2;
    p.a.config.maxInline = 50;
    p.a.config.signalAll = true;
    p.parametersA.initiatorDepth = 5;
    p.parametersA.responderResources = 7;
    p.a.qp = p.a.pd->CreateQp(p.a.config);
    p.b.qp = p.b.pd->CreateQp(p.b.config);
    RdmaQueuePairAttributes told;
    RdmaQueuePairConfig config;
    NS_TEST_EXPECT_MSG_EQ(p.a.qp->Query(told, config), 0, "a new one");
    NS_TEST_EXPECT_MSG_EQ((told.state == RdmaQpState::RESET), true, "its state");
    NS_TEST_EXPECT_MSG_EQ(told.initiatorDepth, 0, "not settled");
    NS_TEST_EXPECT_MSG_EQ(told.maxSendWr, 17, "maxSendWr");
    NS_TEST_EXPECT_MSG_EQ(told.maxReceiveWr, 19, "maxReceiveWr");
    NS_TEST_EXPECT_MSG_EQ(told.maxSendSge, 3, "maxSendSge");
    NS_TEST_EXPECT_MSG_EQ(told.maxReceiveSge, 2, "maxReceiveSge");
    NS_TEST_EXPECT_MSG_EQ(told.maxInline, 50, "maxInline");
    NS_TEST_EXPECT_MSG_EQ((config.sendCq == p.a.cq), true, "its completion queue");
    NS_TEST_EXPECT_MSG_EQ((config.srq == nullptr), true, "no shared receive queue");
    NS_TEST_EXPECT_MSG_EQ(config.signalAll, true, "all are signaled");
    NS_TEST_EXPECT_MSG_EQ(((told.access & DDP_ACCESS_REMOTE_ATOMIC) != 0), true, "RFC 7306");
    p.a.qp->Modify(RdmaQpState::INIT);
    p.b.qp->Modify(RdmaQpState::INIT);
    p.onEstablished = [&] {
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->Query(told, config), 0, "connected");
        NS_TEST_EXPECT_MSG_EQ((told.state == RdmaQpState::RTS), true, "its state");
        NS_TEST_EXPECT_MSG_EQ(told.draining, false, "it takes work");
        NS_TEST_EXPECT_MSG_EQ(told.initiatorDepth, 5, "ORD");
        NS_TEST_EXPECT_MSG_EQ(told.responderResources, 7, "IRD");
        p.a.PostReceive(1, 0, 100);
        auto request = p.a.Send(2, RdmaOpcode::RDMA_WRITE, 0, 0);
        request.rkey = p.b.region->GetRkey();
        request.flags = 0;
        p.a.qp->PostSend(request); // signaled all the same
        p.connector->Disconnect();
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->Query(told, config), 0, "it ends");
        NS_TEST_EXPECT_MSG_EQ((told.state == RdmaQpState::SQD), true, "its state");
        NS_TEST_EXPECT_MSG_EQ(told.draining, true, "what was posted goes out");
    };
    p.Start();
    p.Run();
    NS_TEST_EXPECT_MSG_EQ(p.a.qp->Query(told, config), 0, "disconnected");
    NS_TEST_EXPECT_MSG_EQ((told.state == RdmaQpState::ERR), true, "its state");
    const bool reported = std::any_of(p.a.completions.begin(),
                                      p.a.completions.end(),
                                      [](const auto& c) { return c.id == 2; });
    NS_TEST_EXPECT_MSG_EQ(reported, true, "signalAll");
    p.a.qp->Destroy();
    NS_TEST_EXPECT_MSG_EQ(p.a.qp->Query(told, config), EINVAL, "over");
}

/// Applications of the module signal often enough, and wait where a completion is late.
struct RdmaSlotsOfApplicationsTest : TestCase
{
    using TestCase::TestCase;

    /// @param test test @param iterations messages @param late completions come 10 ms late
    /// @param rxDepth receives of each end @param bidirectional both ends send
    void Perf(const char* test,
              uint32_t iterations,
              bool late,
              uint32_t rxDepth = 512,
              bool bidirectional = false)
    {
        RdmaPerfBench bench;
        bench.Set(test, 64, iterations);
        bench.helper.SetClientAttribute("RxDepth", UintegerValue(rxDepth));
        bench.helper.SetServerAttribute("RxDepth", UintegerValue(rxDepth));
        bench.helper.SetClientAttribute("TxDepth", UintegerValue(3));
        bench.helper.SetClientAttribute("CqMod", UintegerValue(3));
        bench.helper.SetClientAttribute("Bidirectional", BooleanValue(bidirectional));
        if (late)
        {
            RnicHelper rnic;
            rnic.Set("HostInterface.Notify", StringValue("Interrupt"));
            rnic.Set("HostInterface.InterruptModeration", StringValue("10ms"));
            rnic.Install(bench.Nodes());
        }
        const auto client = bench.Run();
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", test << (late ? ", late" : ""));
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, test << (late ? ", late" : ""));
        NS_TEST_EXPECT_MSG_EQ(client->GetReport().iterations, iterations, test);
    }

    /// @param depth requests under way @param size octets of a request's data @param most value of
    /// MaxQpWr
    void Storage(uint32_t depth, uint32_t size, uint32_t most)
    {
        RdmaStar star(2);
        RdmaStorageHelper helper;
        helper.SetClientAttribute("MaxRequests", UintegerValue(300));
        helper.SetClientAttribute("QueueDepth", UintegerValue(depth));
        helper.SetClientAttribute(
            "MessageSizes",
            StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(size) + "]"));
        for (uint32_t i = 0; i < 2; i++)
        {
            RdmaDevice::Get(star.GetHosts().Get(i))->SetAttribute("MaxQpWr", UintegerValue(most));
        }
        auto applications = helper.Connect(star.GetHosts().Get(0), star.GetHosts().Get(1), 20049);
        IwarpHelper::AssignStreams(star.GetHosts(), 1);
        applications.Start(MilliSeconds(1));
        Simulator::Stop(Seconds(400));
        Simulator::Run();
        const auto client = DynamicCast<RdmaStorageClient>(applications.clients.Get(0));
        NS_TEST_EXPECT_MSG_EQ(client->GetError(), "", "depth " << depth << ", " << size);
        NS_TEST_EXPECT_MSG_EQ(client->IsFinished(), true, "depth " << depth << ", " << size);
        Simulator::Destroy();
    }
};

IWARP_TEST(rdmaSendQueue,
           "no application fills its send queue for good",
           RdmaSlotsOfApplicationsTest)
{
    for (const char* test : {"send_bw", "write_bw", "read_bw", "send_lat", "write_lat"})
    {
        Perf(test, 400, false);
    }
    Perf("write_lat", 2000, true);
    Perf("send_bw", 200, false, 1);
    Perf("send_bw", 200, false, 1, true);
    Perf("send_bw", 200, true, 2, true);
    for (const uint32_t depth : {1U, 2U, 7U})
    {
        Storage(depth, 100, 32768);
        Storage(depth, 20000, 32768);
        Storage(depth, 20000, 2 * depth); // two work requests of each request
    }
}

} // namespace
