/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/pointer.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of failures of connecting and of transfer.
IWARP_TEST_SUITE(rdmaVerbsFailure, "rdma-verbs-failure");

/// A Write with Immediate Data is one request (RFC 7306 section 6): what its Write failed for is
/// what is told, not that the Immediate Data were flushed for it.
IWARP_TEST(rdmaVerbsFailure, "a request of two parts tells of the first one's failure")
{
    RdmaTestPair p;
    p.Start();
    p.onEstablished = [&] {
        auto write = p.a.Send(1, RdmaOpcode::RDMA_WRITE_WITH_IMM, 0, 100);
        write.sges[0].address += RdmaTestHost::SIZE; // behind the region
        write.rkey = p.b.region->GetRkey();
        write.remoteAddress = 0x10000;
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(write), 0, "found in its turn");
    };
    p.Run(Seconds(2));
    NS_TEST_ASSERT_MSG_EQ(p.a.completions.size(), 1, "one request");
    NS_TEST_EXPECT_MSG_EQ((p.a.completions[0].status == RdmapStatus::LOCAL_PROTECTION),
                          true,
                          "status " << static_cast<int>(p.a.completions[0].status));
}

/// Posts from within the flush of what was posted before.
struct RdmaFlushTest : TestCase
{
    using TestCase::TestCase;

    /// @param completion as it enters the queue
    void Complete(const RdmaCompletion& completion)
    {
        if (completion.id == 1)
        {
            NS_TEST_EXPECT_MSG_EQ(m_end->qp->PostSend(m_end->Send(50, RdmaOpcode::SEND, 0, 10)),
                                  0,
                                  "taken");
            NS_TEST_EXPECT_MSG_EQ(m_end->PostReceive(63, 0, 10), 0, "taken");
        }
    }

    RdmaTestHost* m_end{nullptr}; //!< who posts
};

/// All that was posted completes once and in order, what is posted while the rest is flushed, too.
IWARP_TEST(rdmaVerbsFailure, "what is posted from within a flush", RdmaFlushTest)
{
    RdmaTestPair p;
    m_end = &p.a;
    p.a.cq = p.a.device->CreateCq(100);
    p.a.config.sendCq = p.a.config.receiveCq = p.a.cq;
    p.a.cq->TraceConnectWithoutContext("Completion", MakeCallback(&RdmaFlushTest::Complete, this));
    p.Start();
    p.onEstablished = [&] {
        p.a.PostReceive(61, 0, 10);
        p.a.PostReceive(62, 0, 10);
        auto read = p.a.Send(1, RdmaOpcode::RDMA_READ, 0, 100);
        read.rkey = p.b.region->GetRkey() + 1; // which the peer does not know
        read.remoteAddress = 0x10000;
        p.a.qp->PostSend(read);
        for (const uint64_t id : {2, 3})
        {
            auto fenced = p.a.Send(id, RdmaOpcode::SEND, 0, 10);
            fenced.flags |= RDMA_SEND_FENCE;
            p.a.qp->PostSend(fenced);
        }
    };
    p.Run(Seconds(2));
    std::vector<uint64_t> sends;
    std::vector<uint64_t> receives;
    for (const auto& completion : p.a.completions)
    {
        const bool receive = completion.opcode == RdmaCompletionOpcode::RECEIVE;
        (receive ? receives : sends).push_back(completion.id);
        NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::FLUSHED),
                              (completion.id != 1),
                              "status of " << completion.id);
    }
    NS_TEST_EXPECT_MSG_EQ((sends == std::vector<uint64_t>{1, 2, 3, 50}), true, "in order");
    NS_TEST_EXPECT_MSG_EQ((receives == std::vector<uint64_t>{61, 62, 63}), true, "in order");
}

/// A completion queue that overflows while work is flushed, and so ends its queue pair from within.
struct RdmaFlushOverflowTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint64_t REQUESTS = 5; //!< of which the queue takes two

    /// Post more than the completion queue takes, and have it flushed. @param how in words
    /// @param prepare changes each Read before it is posted @param end is called behind the last
    void Try(const std::string& how,
             const std::function<void(RdmaTestPair&, RdmaSendRequest&)>& prepare,
             const std::function<void(RdmaTestPair&)>& end)
    {
        RdmaTestPair p;
        p.a.cq = p.a.device->CreateCq(2);
        p.a.config.sendCq = p.a.cq;
        p.onEstablished = [&] {
            auto read = p.a.Send(0, RdmaOpcode::RDMA_READ, 0, 1000);
            read.rkey = p.b.region->GetRkey();
            read.remoteAddress = 0x10000;
            for (uint64_t id = 0; id < REQUESTS; id++)
            {
                auto request = read;
                request.id = id;
                prepare(p, request);
                NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(request), 0, how << ": posted");
            }
            // one that is refused counts nowhere; what it leaves in memory, though, is what a
            // completion of one request too many would find there
            auto refused = read;
            refused.sges.resize(2, read.sges[0]); // a Read has one
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->PostSend(refused), EINVAL, how << ": refused");
            NS_TEST_EXPECT_MSG_EQ(p.a.qp->GetSendsPosted(), REQUESTS, how << ": under way");
            end(p);
        };
        p.Start();
        p.Run(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ(p.a.cq->HasOverflowed(), true, how << ": overflow");
        NS_TEST_EXPECT_MSG_EQ(
            std::count(p.a.deviceEvents.begin(), p.a.deviceEvents.end(), RdmaEvent::CQ_ERROR),
            1,
            how << ": told once");
        NS_TEST_EXPECT_MSG_EQ((p.a.qp->GetState() == RdmaQpState::ERR), true, how << ": over");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->GetSendsPosted(), 0, how << ": each is done, and once");
        if (p.a.qp->GetSendsPosted() != 0)
        {
            p.a.qp->Ref(); // to destroy a ring that has lost count may take forever
        }
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 2, how << ": as many as the queue takes");
        for (uint64_t id = 0; id < p.a.completions.size(); id++)
        {
            NS_TEST_EXPECT_MSG_EQ(p.a.completions[id].id, id, how << ": in order, each once");
        }
        RdmaCompletion none;
        NS_TEST_EXPECT_MSG_EQ(p.a.cq->Poll(none), -EIO, how << ": then an error");
        NS_TEST_EXPECT_MSG_EQ(p.a.qp->Destroy(), 0, how << ": given back");
        NS_TEST_EXPECT_MSG_EQ(p.a.device->DestroyCq(p.a.cq), 0, how << ": given back");
    }
};

/// Each request completes once at most (RFC 5040 section 5.4 has those that are not done flushed),
/// also where the flush itself ends the queue pair: by a Terminate of the peer, with requests of
/// one part and of two, and by the application.
IWARP_TEST(rdmaVerbsFailure, "a completion queue overflows in a flush", RdmaFlushOverflowTest)
{
    const auto spoil = [](const RdmaTestPair& p, RdmaSendRequest& request) {
        request.rkey = p.b.region->GetRkey() + 1; // which the peer does not know
    };
    const auto wait = [](const RdmaTestPair&) {};
    Try("Reads of no memory", spoil, wait);
    Try(
        "Writes with Immediate Data behind such a Read",
        [&spoil](const RdmaTestPair& p, RdmaSendRequest& request) {
            if (request.id == 0)
            {
                spoil(p, request);
                return;
            }
            request.opcode = RdmaOpcode::RDMA_WRITE_WITH_IMM;
            request.flags |= RDMA_SEND_FENCE; // not before the Read has failed
        },
        wait);
    Try(
        "Reads that are given up",
        [](const RdmaTestPair&, RdmaSendRequest&) {},
        [](RdmaTestPair& p) { p.a.qp->Modify(RdmaQpState::ERR); });
}

/// Failures of connecting and of transfer.
IWARP_TEST(rdmaVerbsFailure, "rejection, nobody there, errors, overflow, shared receives")
{
    using Kind = RdmaConnectionEvent::Kind;
    {
        RdmaTestPair p;
        p.reject = true;
        p.Start();
        p.Run();
        NS_TEST_ASSERT_MSG_EQ(p.a.Count(Kind::REJECTED), 1, "rejected");
        if (IsStatusFailure())
        {
            return;
        }
        const auto rejected = std::find_if(p.a.events.begin(), p.a.events.end(), [](const auto& e) {
            return e.kind == Kind::REJECTED;
        });
        NS_TEST_EXPECT_MSG_EQ((rejected->privateData == std::vector<uint8_t>{9, 8, 7}),
                              true,
                              "with private data");
    }
    {
        RdmaTestPair p;
        p.Start(RdmaTestPair::PORT + 1);
        p.Run(Seconds(400)); // ns-3 does not take a reset for an answer to its SYN
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::UNREACHABLE), 1, "nobody listens");
    }
    {
        RdmaTestPair p;
        NS_TEST_EXPECT_MSG_EQ(p.connector->Connect({}), EINVAL, "not resolved");
        NS_TEST_EXPECT_MSG_EQ(p.connector->ResolveRoute(), EINVAL, "not resolved");
        NS_TEST_EXPECT_MSG_EQ(p.connector->Disconnect(), EINVAL, "not connected");
        NS_TEST_EXPECT_MSG_EQ(p.connector->Reject(), EINVAL, "no request");
        p.connector->ResolveAddress(
            InetSocketAddress(Ipv4Address("192.168.9.9"), RdmaTestPair::PORT));
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::ADDRESS_ERROR), 1, "no route");
    }
    {
        // a message too long for its buffer
        RdmaTestPair p;
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
        NS_TEST_EXPECT_MSG_EQ((p.b.completions[1].status == RdmapStatus::FLUSHED), true, "flushed");
        IWARP_COVERS("DDP-6.2.2-5");
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
        IWARP_COVERS("DDP-6.2.2-5 RDMAP-6.2.1-02 RDMAP-5.4-07");
        NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::DISCONNECTED), 1, "disconnected");
    }
    {
        // a completion queue of two that nobody polls
        RdmaTestPair p;
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
        RdmaTestPair p;
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
            srq->PostReceive({i, {p.b.region->GetSge(1000 * i, 1000)}});
        }
        p.Start();
        NS_TEST_EXPECT_MSG_EQ(p.b.PostReceive(1, 0, 1), EINVAL, "receives are shared");
        NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), EBUSY, "in use");
        p.onEstablished = [&] {
            // the first is lost, so that those behind hold buffers at the same time: they are
            // long enough for a Marker each
            auto drop = CreateObject<ReceiveListErrorModel>();
            drop->SetList({0});
            p.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
            for (uint32_t i = 0; i < 5; i++)
            {
                p.a.qp->PostSend(p.a.Send(i, RdmaOpcode::SEND, 1000 * i, 600));
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
        IWARP_COVERS("DDP-8.3.2-7 RDMAP-8.1.2-02");
    }
}

} // namespace
