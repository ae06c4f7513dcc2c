/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-bench.h"
#include "rdma-star.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"
#include "ns3/iwarp-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-storage-client.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SLOTS = 8; //!< of the send queue

/// What libibverbs' man pages and iw_cxgb4's c4iw_poll_cq() say of the slots of a send queue.
class RdmaSendSlotsTest : public TestCase
{
  public:
    RdmaSendSlotsTest()
        : TestCase("a slot is free when its completion, or that of a later request, is polled")
    {
    }

  private:
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

    void DoRun() override
    {
        Never();
        Polled();
        All();
        Flushed();
    }

    RdmaTestPair* m_pair{nullptr}; //!< the hosts
};

/// Applications of the module signal often enough, and wait where a completion is late.
class RdmaSlotsOfApplicationsTest : public TestCase
{
  public:
    RdmaSlotsOfApplicationsTest()
        : TestCase("no application fills its send queue for good")
    {
    }

  private:
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

    void DoRun() override
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
};

/// @ingroup iwarp-tests
class RdmaSendQueueTestSuite : public TestSuite
{
  public:
    RdmaSendQueueTestSuite()
        : TestSuite("rdma-send-queue")
    {
        AddTestCase(new RdmaSendSlotsTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaSlotsOfApplicationsTest, IWARP_TEST_QUICK);
    }
};

static RdmaSendQueueTestSuite g_rdmaSendQueueTestSuite; //!< registers the suite

} // namespace
