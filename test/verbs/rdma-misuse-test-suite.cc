/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdma-test-pair.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of misuse, and of what ends a stream and its connection.
IWARP_TEST_SUITE(rdmaMisuse, "rdma-misuse");

using Kind = RdmaConnectionEvent::Kind;

/// What the device of a host tells, and what is done about it.
struct MisuseWatch
{
    std::vector<std::pair<RdmaEvent, uint32_t>> events;     //!< events and numbers
    std::function<void(RdmaEvent)> react{[](RdmaEvent) {}}; //!< done about each

    /// @param host whose device
    explicit MisuseWatch(RdmaTestHost& host)
    {
        host.device->SetEventCallback(MakeCallback(&MisuseWatch::Handle, this));
    }

    /// @param event what @param number of a queue pair
    void Handle(RdmaEvent event, uint32_t number)
    {
        events.emplace_back(event, number);
        react(event);
    }

    /// @param event what @return how often
    uint32_t Count(RdmaEvent event) const
    {
        return std::count_if(events.begin(), events.end(), [event](const auto& e) {
            return e.first == event;
        });
    }
};

/// TCP at both ends of a pair.
struct TcpStates
{
    TcpSocket::TcpStates_t left{TcpSocket::CLOSED};  //!< of a
    TcpSocket::TcpStates_t right{TcpSocket::CLOSED}; //!< of b

    /// Follow both. @param p pair that is connected
    void Follow(RdmaTestPair& p)
    {
        left = right = TcpSocket::ESTABLISHED;
        p.connector->GetMpa()->GetSocket()->TraceConnectWithoutContext(
            "State",
            MakeCallback(&TcpStates::Left, this));
        p.accepted->GetMpa()->GetSocket()->TraceConnectWithoutContext(
            "State",
            MakeCallback(&TcpStates::Right, this));
    }

    void Left(TcpSocket::TcpStates_t, TcpSocket::TcpStates_t now) //!< @param now state
    {
        left = now;
    }

    void Right(TcpSocket::TcpStates_t, TcpSocket::TcpStates_t now) //!< @param now state
    {
        right = now;
    }

    /// @return neither end sends or takes data any more
    bool AreOver() const
    {
        const auto over = [](TcpSocket::TcpStates_t state) {
            return state == TcpSocket::CLOSED || state == TcpSocket::TIME_WAIT;
        };
        return over(left) && over(right);
    }
};

/// The application is told once of an STag that does not open memory, and may end the stream.
struct RdmaBadStagTest : TestCase
{
    using TestCase::TestCase;

    /// @param close the application ends the stream when it is told
    void Try(bool close)
    {
        RdmaTestPair p;
        MisuseWatch watch(p.b);
        TcpStates tcp;
        Time told;
        watch.react = [&](RdmaEvent) {
            told = Simulator::Now();
            if (close)
            {
                p.b.qp->Modify(RdmaQpState::ERR);
            }
        };
        p.Start();
        p.onEstablished = [&] {
            tcp.Follow(p);
            for (uint32_t i = 0; i < 5; i++)
            {
                auto write = p.a.Send(i, RdmaOpcode::RDMA_WRITE, 0, 1000);
                write.rkey = p.b.region->GetRkey() ^ 0x100;
                write.remoteAddress = 0x10000;
                p.a.qp->PostSend(write);
            }
        };
        p.b.PostReceive(1, 0, 100);
        p.Run();
        NS_TEST_EXPECT_MSG_EQ(watch.events.size(), 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(watch.Count(RdmaEvent::QP_ACCESS_ERROR),
                              1,
                              "of an access that is not allowed: tagged, RFC 5041 section 7");
        IWARP_COVERS("DDP-8.3-9");
        NS_TEST_EXPECT_MSG_EQ(watch.events.at(0).second,
                              p.b.qp->GetNumber(),
                              "of which queue pair");
        NS_TEST_EXPECT_MSG_EQ((p.b.qp->GetState() == RdmaQpState::ERR), true, "the stream is over");
        NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), 1, "the receive comes back");
        NS_TEST_EXPECT_MSG_EQ(std::count(p.b.memory.begin(), p.b.memory.end(), 0),
                              RdmaTestHost::SIZE,
                              "memory is untouched");
        NS_TEST_EXPECT_MSG_EQ(tcp.AreOver(), true, "and so is the connection");
        NS_TEST_EXPECT_MSG_LT(told, Seconds(1), "at once");
    }
};

IWARP_TEST(rdmaMisuse,
           "five Writes with an STag that is not valid: told once, ended at once",
           RdmaBadStagTest)
{
    Try(false);
    Try(true);
}

/// A peer that takes more than its share of a shared receive queue is found and put out.
IWARP_TEST(rdmaMisuse, "a queue pair holds more than its share: told once, its stream is ended")
{
    RdmaTestPair p;
    MisuseWatch watch(p.b);
    TcpStates tcp;
    std::size_t held = 0; // when the application is told
    const auto srq = p.b.pd->CreateSrq(64);
    p.b.config.srq = srq;
    srq->SetFairShare(48);
    for (uint32_t i = 0; i < 64; i++)
    {
        srq->PostReceive({i, {p.b.region->GetSge(100 * i, 100)}});
    }
    watch.react = [&](RdmaEvent event) {
        if (event == RdmaEvent::SRQ_UNFAIR)
        {
            held = 64 - srq->GetAvailable();
            p.b.qp->Modify(RdmaQpState::ERR);
        }
    };
    p.connector->SetSocketAttribute("InitialCwnd", UintegerValue(100)); // all at once
    p.Start();
    p.onEstablished = [&] {
        tcp.Follow(p);
        // the first is lost, so that those behind hold buffers at the same time
        auto drop = CreateObject<ReceiveListErrorModel>();
        drop->SetList({0});
        p.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
        for (uint32_t i = 0; i < 64; i++)
        {
            p.a.qp->PostSend(p.a.Send(i, RdmaOpcode::SEND, 100 * i, 100));
        }
    };
    p.Run();
    NS_TEST_EXPECT_MSG_EQ(watch.Count(RdmaEvent::SRQ_UNFAIR), 1, "told once");
    NS_TEST_EXPECT_MSG_EQ(watch.Count(RdmaEvent::LAST_WQE), 1, "it takes nothing more");
    IWARP_COVERS("DDP-8.3.2-7");
    // told behind the segment that brought the 49th message, and perhaps others
    NS_TEST_EXPECT_MSG_GT_OR_EQ(held, 49, "more than its share");
    NS_TEST_EXPECT_MSG_LT(held, 49 + 1460 / 118, "by a segment at most");
    NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), held, "what it held comes back");
    const bool flushed =
        std::all_of(p.b.completions.begin(), p.b.completions.end(), [](const RdmaCompletion& c) {
            return c.status == RdmapStatus::FLUSHED;
        });
    NS_TEST_EXPECT_MSG_EQ(flushed, true, "flushed");
    NS_TEST_EXPECT_MSG_EQ(srq->GetAvailable(), 64 - held, "the others keep the rest");
    // by a reset: octets out of order wait in TCP
    NS_TEST_EXPECT_MSG_EQ(p.b.Count(Kind::CLOSED), 1, "the connection is over");
    NS_TEST_EXPECT_MSG_EQ(p.a.Count(Kind::DISCONNECTED), 1, "for the peer, too");
    NS_TEST_EXPECT_MSG_EQ((tcp.left == TcpSocket::CLOSED), true, "and its TCP");
    IWARP_COVERS("DDP-8.3-10");
}

/// A peer that takes its whole share, and no more, is left alone.
IWARP_TEST(rdmaMisuse, "a queue pair holds just its share")
{
    RdmaTestPair p;
    MisuseWatch watch(p.b);
    const auto srq = p.b.pd->CreateSrq(64);
    p.b.config.srq = srq;
    srq->SetFairShare(8);
    for (uint32_t i = 0; i < 64; i++)
    {
        srq->PostReceive({i, {p.b.region->GetSge(1400 * i, 1400)}});
    }
    p.connector->SetSocketAttribute("InitialCwnd", UintegerValue(100)); // all at once
    p.Start();
    p.onEstablished = [&] {
        // the first segment is lost, so that all messages hold buffers at the same time
        auto drop = CreateObject<ReceiveListErrorModel>();
        drop->SetList({0});
        p.hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(drop));
        for (uint32_t i = 0; i < 8; i++)
        {
            p.a.qp->PostSend(p.a.Send(i, RdmaOpcode::SEND, 1400 * i, 1400));
        }
        // what has been received is no longer held
        Simulator::Schedule(Seconds(1),
                            [&p] { p.a.qp->PostSend(p.a.Send(8, RdmaOpcode::SEND, 0, 1400)); });
    };
    p.Run();
    NS_TEST_EXPECT_MSG_EQ(p.b.completions.size(), 9, "all are received");
    NS_TEST_EXPECT_MSG_EQ(watch.Count(RdmaEvent::SRQ_UNFAIR), 0, "nothing is told");
    IWARP_COVERS("DDP-8.3.2-7");
}

/// What the Privileged Resource Manager is to do; here it is RdmaDevice with its domains.
IWARP_TEST(rdmaMisuse, "resources come from the manager, are counted, limited and kept apart")
{
    const auto device = CreateObject<RdmaDevice>();
    device->SetAttribute("MaxMr", UintegerValue(100));
    const auto used = [&device] {
        std::vector<uint32_t> counts;
        for (const auto resource : {RdmaResource::MEMORY_REGION,
                                    RdmaResource::COMPLETION_QUEUE,
                                    RdmaResource::QUEUE_PAIR,
                                    RdmaResource::SHARED_RECEIVE_QUEUE})
        {
            counts.push_back(device->GetInUse(resource));
        }
        return counts;
    };
    // objects made beside the manager are of no use, and do not count
    const auto before = used();
    const auto pair = CreateObject<RdmaQueuePair>();
    NS_TEST_EXPECT_MSG_EQ(pair->PostReceive({1, {}}), EINVAL, "a queue pair of nobody");
    NS_TEST_EXPECT_MSG_EQ(pair->PostSend(RdmaSendRequest()), EINVAL, "a queue pair of nobody");
    NS_TEST_EXPECT_MSG_EQ(pair->Modify(RdmaQpState::INIT), EINVAL, "a queue pair of nobody");
    NS_TEST_EXPECT_MSG_EQ(CreateObject<RdmaSharedReceiveQueue>()->PostReceive({1, {}}),
                          EINVAL,
                          "a queue of nobody");
    NS_TEST_EXPECT_MSG_EQ((used() == before), true, "nothing is taken");
    IWARP_COVERS("DDP-8.3.2-2");

    const auto first = device->AllocPd();
    const auto narrow = first->CreateSrq(10, 2);
    const auto small = first->RegisterVirtual(100, RdmaTestHost::ALL);
    const auto post = [&](std::size_t elements) {
        return narrow->PostReceive({1, std::vector<RdmaSge>(elements, small->GetSge(0, 10))});
    };
    NS_TEST_EXPECT_MSG_EQ(post(2), 0, "as many elements as were asked for");
    NS_TEST_EXPECT_MSG_EQ(post(3), EINVAL, "one more");
    NS_TEST_EXPECT_MSG_EQ(narrow->Destroy(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(small->Deregister(), 0, "given back");
    const auto brief = device->AllocPd();
    const auto member = brief->RegisterVirtual(100, RdmaTestHost::ALL);
    NS_TEST_EXPECT_MSG_EQ(brief->Deallocate(), EBUSY, "in use");
    NS_TEST_EXPECT_MSG_EQ(member->Deregister(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(brief->Deallocate(), 0, "no more");
    const auto second = device->AllocPd();
    NS_TEST_EXPECT_MSG_NE(first->GetNumber(), second->GetNumber(), "apart by default");
    RdmaQueuePairConfig config;
    config.sendCq = config.receiveCq = device->CreateCq(10);
    const auto srq = first->CreateSrq(10);
    const auto made = first->CreateQp(config);
    std::vector<Ptr<RdmaMemoryRegion>> regions;
    for (uint32_t i = 0; i < 100; i++)
    {
        regions.push_back(first->RegisterVirtual(100, RdmaTestHost::ALL));
    }
    NS_TEST_EXPECT_MSG_EQ((used() == std::vector<uint32_t>{100, 1, 1, 1}), true, "counted");
    IWARP_COVERS("DDP-8.3.2-3");
    NS_TEST_EXPECT_MSG_EQ((second->RegisterVirtual(100, 0) == nullptr), true, "the 101st");
    NS_TEST_EXPECT_MSG_EQ((used() == std::vector<uint32_t>{100, 1, 1, 1}), true, "not counted");
    IWARP_COVERS("DDP-8.3.2-6");

    const DdpStagEntry* entry = nullptr;
    const uint32_t stag = regions[0]->GetRkey();
    const auto check = [&](uint32_t pd) {
        return device->AllocPd()
            ->GetTable()
            .Check(stag, pd, 1, regions[0]->GetAddress(), 1, DDP_ACCESS_REMOTE_WRITE, &entry);
    };
    NS_TEST_EXPECT_MSG_EQ((check(first->GetNumber()) == DdpStagVerdict::OK), true, "its own");
    NS_TEST_EXPECT_MSG_EQ((check(second->GetNumber()) == DdpStagVerdict::NOT_ASSOCIATED),
                          true,
                          "the other's");
    IWARP_COVERS("DDP-8.3.2-4");
    NS_TEST_EXPECT_MSG_EQ(made->Destroy(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ(regions[0]->Deregister(), 0, "given back");
    NS_TEST_EXPECT_MSG_EQ((used() == std::vector<uint32_t>{99, 1, 0, 0}), true, "counted");
    IWARP_COVERS("DDP-8.3.2-1");
}

/// With one stream a connection, the connection ends when that stream has ended, and not before.
struct RdmaOneStreamTest : TestCase
{
    using TestCase::TestCase;

    /// @param end what ends the stream, if anything, after a second @param time to wait
    /// @return TCP is over then
    static bool IsOverAfter(const std::function<void(RdmaTestPair&)>& end, Time time = Seconds(2))
    {
        RdmaTestPair p;
        TcpStates tcp;
        p.Start();
        p.b.PostReceive(9, 0, 100);
        p.onEstablished = [&] {
            tcp.Follow(p);
            p.a.qp->PostSend(p.a.Send(9, RdmaOpcode::SEND, 0, 10)); // Full Operation at both
            Simulator::Schedule(Seconds(1), [&] { end(p); });
        };
        p.Run(time);
        return tcp.AreOver();
    }
};

IWARP_TEST(rdmaMisuse,
           "the connection stays while its stream is alive, and ends with it",
           RdmaOneStreamTest)
{
    NS_TEST_EXPECT_MSG_EQ(IsOverAfter([](RdmaTestPair&) {}, Seconds(200)), false, "alive");
    NS_TEST_EXPECT_MSG_EQ(IsOverAfter([](RdmaTestPair& p) { p.connector->Disconnect(); }),
                          true,
                          "gracefully closed by one end");
    NS_TEST_EXPECT_MSG_EQ(IsOverAfter([](RdmaTestPair& p) { p.accepted->Disconnect(); }),
                          true,
                          "by the other");
    NS_TEST_EXPECT_MSG_EQ(IsOverAfter([](RdmaTestPair& p) {
                              // no receive is posted for it
                              p.a.qp->PostSend(p.a.Send(1, RdmaOpcode::SEND, 0, 10));
                          }),
                          true,
                          "erroneous");
    IWARP_COVERS("DDP-3-17");
}

/// A queue pair whose last holder lets it go without giving it back. What it used has to be free
/// then: ibv_destroy_cq(3), ibv_destroy_srq(3) and ibv_dealloc_pd(3) refuse what is in use, and the
/// manager counts what it has handed out (RFC 5041 section 8.3.2).
struct RdmaForgottenPairTest : TestCase
{
    using TestCase::TestCase;

    void Unconnected() //!< queue pairs that were never connected
    {
        const auto device = CreateObject<RdmaDevice>();
        const auto pd = device->AllocPd();
        const auto srq = pd->CreateSrq(10);
        RdmaQueuePairConfig config;
        config.sendCq = device->CreateCq(3);
        config.receiveCq = device->CreateCq(3);
        config.srq = srq;
        auto forgotten = pd->CreateQp(config);
        auto destroyed = pd->CreateQp(config);
        auto last = pd->CreateQp(config);
        forgotten->Modify(RdmaQpState::ERR);
        RdmaSendRequest request;
        for (request.id = 0; request.id < 3; request.id++)
        {
            NS_TEST_EXPECT_MSG_EQ(forgotten->PostSend(request), 0, "taken, and flushed");
        }
        const uint32_t number = forgotten->GetNumber();
        forgotten = nullptr;
        NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 2, "given back");
        IWARP_COVERS("DDP-8.3.2-3");
        NS_TEST_EXPECT_MSG_EQ(config.receiveCq->GetUsers(), 2, "no longer a user");
        NS_TEST_ASSERT_MSG_EQ(config.sendCq->GetUsers(), 2, "of either queue");
        if (IsStatusFailure())
        {
            return; // what follows would write to a queue pair that is gone
        }

        // one that was given back does not count again when it is let go of
        NS_TEST_EXPECT_MSG_EQ(destroyed->Destroy(), 0, "given back");
        destroyed = nullptr;
        NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 1, "once");
        NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), EBUSY, "one is left that uses it");
        NS_TEST_EXPECT_MSG_EQ(device->DestroyCq(config.sendCq), EBUSY, "this as well");

        // an overflow tells all users: those that are gone are none
        last->Modify(RdmaQpState::ERR);
        NS_TEST_EXPECT_MSG_EQ(last->PostSend(request), 0, "taken, and flushed");
        NS_TEST_EXPECT_MSG_EQ(config.sendCq->HasOverflowed(), true, "one too many");
        std::vector<RdmaCompletion> left;
        NS_TEST_ASSERT_MSG_EQ(config.sendCq->Poll(10, left), 3, "what is there can be taken");
        for (uint64_t id = 0; id < left.size(); id++)
        {
            NS_TEST_EXPECT_MSG_EQ(left[id].id, id, "in order");
            NS_TEST_EXPECT_MSG_EQ(left[id].qpNumber, number, "it tells whose it was");
        }

        // disposed of while somebody holds it
        last->Dispose();
        NS_TEST_EXPECT_MSG_EQ(last->Destroy(), EINVAL, "it is over");
        last = nullptr;
        NS_TEST_EXPECT_MSG_EQ(device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "none is left");
        NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), 0, "unused");
        NS_TEST_EXPECT_MSG_EQ(device->DestroyCq(config.sendCq), 0, "unused");
        NS_TEST_EXPECT_MSG_EQ(device->DestroyCq(config.receiveCq), 0, "unused");
        NS_TEST_EXPECT_MSG_EQ(pd->Deallocate(), 0, "unused");
    }

    void Connected() //!< a queue pair whose connection has come and gone
    {
        RdmaTestPair p;
        const auto srq = p.a.pd->CreateSrq(10);
        p.a.config.srq = srq;
        p.onEstablished = [&] {
            p.a.qp->PostSend(p.a.Send(1, RdmaOpcode::SEND, 0, 10));
            Simulator::Schedule(MilliSeconds(50), [&p] { p.connector->Disconnect(); });
            Simulator::Schedule(MilliSeconds(500), [&p] {
                p.connector = nullptr;
                p.a.qp = nullptr;
            });
        };
        p.Start();
        p.b.PostReceive(1, 0, 100);
        Simulator::Schedule(MilliSeconds(600), [&] {
            NS_TEST_EXPECT_MSG_EQ(p.a.cq->GetSize(), 1, "its Send was done");
            NS_TEST_EXPECT_MSG_EQ(p.a.device->GetInUse(RdmaResource::QUEUE_PAIR), 0, "given back");
            NS_TEST_ASSERT_MSG_EQ(p.a.cq->GetUsers(), 0, "no longer a user");
            if (IsStatusFailure())
            {
                return; // as above
            }
            p.a.Drain();
            NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 1, "it can be taken");
            NS_TEST_EXPECT_MSG_EQ(srq->Destroy(), 0, "unused");
            NS_TEST_EXPECT_MSG_EQ(p.a.device->DestroyCq(p.a.cq), 0, "unused");
            NS_TEST_EXPECT_MSG_EQ(p.a.region->Deregister(), 0, "given back");
            NS_TEST_EXPECT_MSG_EQ(p.a.pd->Deallocate(), 0, "unused");
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(p.a.completions.size(), 1, "all of that was seen");
    }
};

IWARP_TEST(rdmaMisuse,
           "a queue pair that is let go of without Destroy() leaves all that it used",
           RdmaForgottenPairTest)
{
    Unconnected();
    Connected();
}

} // namespace
