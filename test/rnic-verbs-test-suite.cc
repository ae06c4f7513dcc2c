/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/ns3-compat.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Two hosts with RNICs and a queue pair at each; the left one works.
class Pair
{
  public:
    static constexpr uint32_t REGIONS = 4; //!< memory regions of each host

    using Figures = std::vector<std::pair<std::string, std::string>>; //!< of an RNIC

    /// @param figures of both RNICs that are not ideal
    explicit Pair(const Figures& figures)
        : Pair(figures, figures)
    {
    }

    /// @param left figures of the left RNIC that are not ideal @param right of the right one
    Pair(const Figures& left, const Figures& right)
    {
        NodeContainer nodes;
        nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", StringValue("10us"));
        m_devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(m_devices);
        for (const auto* figures : {&left, &right})
        {
            RnicHelper helper;
            for (const auto& [name, value] : *figures)
            {
                helper.Set(name, StringValue(value));
            }
            rnics.push_back(helper.Install(nodes.Get(rnics.size())));
        }
        for (uint32_t i = 0; i < 2; i++)
        {
            auto device = RdmaDevice::Get(nodes.Get(i));
            auto pd = device->AllocPd();
            for (uint32_t j = 0; j < REGIONS; j++)
            {
                m_regions[i].push_back(pd->RegisterVirtual(
                    100000,
                    DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ));
            }
            RdmaQueuePairConfig config;
            config.maxInline = 97;
            config.sendCq = config.receiveCq = m_queues[i] = device->CreateCq(1000);
            m_pairs[i] = pd->CreateQp(config);
            m_pairs[i]->Modify(RdmaQpState::INIT);
            m_connections[i] = RdmaConnection::Create(nodes.Get(i));
            m_connections[i]->SetEventCallback(MakeCallback(&Pair::Handle, this));
        }
        for (uint32_t i = 0; i < 50; i++)
        {
            m_pairs[1]->PostReceive({i, {m_regions[1][0]->GetSge(0, 100)}});
        }
        m_connections[1]->Listen(InetSocketAddress(Ipv4Address::GetAny(), 4791));
        m_connections[0]->SetQp(m_pairs[0]);
        m_queues[0]->SetNotifyCallback(MakeCallback(&Pair::Completed, this));
        m_queues[0]->RequestNotify();
        m_peer = InetSocketAddress(addresses.GetAddress(1), 4791);
        Simulator::Schedule(MilliSeconds(10), &Pair::Resolve, this);
    }

    ~Pair()
    {
        Simulator::Destroy();
    }

    /// @param work done once the connection has been idle for a while
    void Run(std::function<void()> work)
    {
        Simulator::Schedule(MilliSeconds(100), [work] { work(); });
        Simulator::Stop(Seconds(10));
        Simulator::Run();
    }

    /// Post a request of the left host. @param opcode what @param size octets @param region of the
    /// peer
    void Post(RdmaOpcode opcode, uint32_t size, uint32_t region = 0, uint32_t flags = 0)
    {
        RdmaSendRequest request;
        request.flags = RDMA_SEND_SIGNALED | flags;
        request.opcode = opcode;
        request.sges = {m_regions[0][0]->GetSge(0, size)};
        request.rkey = GetRkey(region);
        m_pairs[0]->PostSend(request);
    }

    /// Post requests of the left host together. @param count how many @param request each of them
    void PostChain(uint32_t count, RdmaSendRequest request)
    {
        std::size_t bad = 0;
        request.rkey = GetRkey(0);
        request.sges[0].lkey = m_regions[0][0]->GetLkey();
        m_pairs[0]->PostSend(std::vector<RdmaSendRequest>(count, request), bad);
    }

    /// @return doorbells of the left host
    uint64_t GetDoorbells() const
    {
        return rnics[0]->GetDatapath().GetHost().GetDoorbells();
    }

    /// @param region of the right host @return its STag
    uint32_t GetRkey(uint32_t region) const
    {
        return m_regions[1][region]->GetRkey();
    }

    /// @param n how many of the packets that come to the right host from now on to lose
    void LoseNext(uint32_t n)
    {
        std::list<uint32_t> which;
        for (uint32_t i = 0; i < n; i++)
        {
            which.push_back(i);
        }
        auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(which);
        m_devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    /// @return reads of host memory by the left RNIC
    uint64_t GetReads() const
    {
        return rnics[0]->GetDatapath().GetHost().GetReads();
    }

    std::vector<Ptr<Rnic>> rnics;              //!< of both hosts
    std::function<void()> onCompletion{[] {}}; //!< done at each completion of the left host
    uint32_t completions{0};                   //!< of these, successful ones

  private:
    void Resolve() //!< look for the right host
    {
        m_connections[0]->ResolveAddress(m_peer);
    }

    /// @param connection which @param event what happened
    void Handle(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        if (event.kind == Kind::ADDRESS_RESOLVED)
        {
            connection->ResolveRoute();
        }
        else if (event.kind == Kind::ROUTE_RESOLVED)
        {
            connection->Connect({});
        }
        else if (event.kind == Kind::CONNECT_REQUEST)
        {
            connection->SetQp(m_pairs[1]);
            connection->Accept({});
            m_accepted = connection;
        }
    }

    /// @param queue with completions
    void Completed(Ptr<RdmaCompletionQueue> queue)
    {
        queue->RequestNotify();
        RdmaCompletion completion;
        while (queue->Poll(completion) > 0)
        {
            completions += completion.status == RdmapStatus::SUCCESS;
            onCompletion();
        }
    }

    NetDeviceContainer m_devices;                    //!< of the link
    Address m_peer;                                  //!< where the right host listens
    std::vector<Ptr<RdmaMemoryRegion>> m_regions[2]; //!< memory
    Ptr<RdmaCompletionQueue> m_queues[2];            //!< completions
    Ptr<RdmaQueuePair> m_pairs[2];                   //!< queue pairs
    Ptr<RdmaConnection> m_connections[2];            //!< connections
    Ptr<RdmaConnection> m_accepted;                  //!< that of the right host
};

/// What a receiving RNIC did.
struct Placing
{
    std::vector<uint64_t> translations; //!< keys looked up, in order
    std::vector<Time> delays;           //!< of placements with octets
};

/// Trace sink. @param seen what was seen @param cache which @param key of the entry
void
NoteAccess(Placing* seen, Rnic::Cache cache, uint64_t key, bool)
{
    if (cache == Rnic::Cache::TRANSLATION)
    {
        seen->translations.push_back(key);
    }
}

/// Trace sink. @param seen what was seen @param octets placed @param delay until the host sees them
void
NotePlaced(Placing* seen, uint64_t, uint64_t octets, Time delay, bool)
{
    if (octets > 0)
    {
        seen->delays.push_back(delay);
    }
}

} // namespace

/// A segment with FPDUs for several regions needs the translation entry of each.
class RnicVerbsRegions : public TestCase
{
  public:
    RnicVerbsRegions()
        : TestCase("packed FPDUs are charged the translation entry of each region")
    {
    }

  private:
    /// Post 100-octet writes in one go. @param regions where each goes @return what the right RNIC
    /// did
    Placing Write(const std::vector<uint32_t>& regions)
    {
        Placing seen;
        Pair pair({{"HostInterface.DoorbellLatency", "1us"}}, // so that all are posted in time
                  {{"TranslationCache.Entries", "1"}, {"HostInterface.ReadLatency", "1us"}});
        pair.Run([&] {
            pair.rnics[1]->TraceConnectWithoutContext("CacheAccess",
                                                      MakeBoundCallback(&NoteAccess, &seen));
            pair.rnics[1]->TraceConnectWithoutContext("Placed",
                                                      MakeBoundCallback(&NotePlaced, &seen));
            for (const uint32_t region : regions)
            {
                pair.Post(RdmaOpcode::RDMA_WRITE, 100, region);
            }
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, regions.size(), "all done");
        for (const uint32_t region : regions)
        {
            keys[region] = uint64_t(pair.GetRkey(region)) << 32; // page 0
        }
        return seen;
    }

    void DoRun() override
    {
        struct Case
        {
            std::vector<uint32_t> regions; //!< where ULPDUs go
            std::vector<uint32_t> looked;  //!< entries looked up, each a miss
        };

        for (const auto& [regions, looked] :
             std::vector<Case>{{{0}, {0}},
                               {{0, 0, 0}, {0}},
                               {{0, 1}, {0, 1}},
                               {{2, 2, 1, 1, 1}, {2, 1}},
                               {{0, 1, 2, 3, 0, 1}, {0, 1, 2, 3, 0, 1}}})
        {
            const Placing seen = Write(regions);
            std::vector<uint64_t> expected;
            for (const uint32_t region : looked)
            {
                expected.push_back(keys[region]);
            }
            NS_TEST_EXPECT_MSG_EQ(seen.delays.size(), 1, "one segment");
            NS_TEST_EXPECT_MSG_EQ((seen.translations == expected),
                                  true,
                                  regions.size() << " ULPDUs");
            NS_TEST_EXPECT_MSG_EQ(seen.delays.at(0),
                                  MicroSeconds(looked.size()),
                                  "a read of host memory for each");
        }
    }

    uint64_t keys[Pair::REGIONS]{}; //!< of the regions
};

/// What came with a doorbell is not read to be sent.
class RnicVerbsInline : public TestCase
{
  public:
    RnicVerbsInline()
        : TestCase("no inline post reads host memory, the first included; a retransmission does")
    {
    }

  private:
    /// Post requests of the same kind, each when the one before is done. @param opcode what
    /// @param size octets of each @param loss lose the first one's packet @param posts how many
    /// @param flags of each, besides
    /// @return reads of host memory
    uint64_t CountReads(RdmaOpcode opcode,
                        uint32_t size,
                        bool loss = false,
                        uint32_t posts = POSTS,
                        uint32_t flags = 0)
    {
        Pair pair({{"HostInterface.InlineLimit", "96"},
                   {"HostInterface.ReadLatency", "1us"},
                   {"HostInterface.DoorbellLatency", "1us"}});
        uint64_t before = 0;
        uint32_t left = posts - 1;
        pair.onCompletion = [&] {
            if (left > 0)
            {
                --left;
                pair.Post(opcode, size, 0, flags);
            }
        };
        pair.Run([&] {
            before = pair.GetReads();
            pair.LoseNext(loss ? 1 : 0);
            pair.Post(opcode, size, 0, flags);
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, posts, "all done");
        return pair.GetReads() - before;
    }

    void DoRun() override
    {
        for (const uint32_t size : {0U, 1U, 64U, 96U})
        {
            for (const auto opcode :
                 {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE, RdmaOpcode::RDMA_WRITE_WITH_IMM})
            {
                NS_TEST_EXPECT_MSG_EQ(CountReads(opcode, size), 0, size << " octets inline");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_READ, 1000),
                              0,
                              "a read sends nothing from host memory, however much comes back");
        NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_WRITE, 97),
                              2 * POSTS,
                              "longer: work request and payload");
        for (const auto opcode : {RdmaOpcode::SEND, RdmaOpcode::RDMA_WRITE})
        {
            NS_TEST_EXPECT_MSG_EQ(CountReads(opcode, 97, false, POSTS, RDMA_SEND_INLINE),
                                  POSTS,
                                  "longer, inline: the work request, with its payload");
        }
        // TCP of older releases sends again what has arrived, too
        const uint64_t most = iwarp::TCP_SINCE_3_43 ? 1 : POSTS;
        const uint64_t again = CountReads(RdmaOpcode::RDMA_WRITE, 64, true);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(again, 1, "sent again: from host memory");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(again, most, "and nothing else");
        NS_TEST_EXPECT_MSG_EQ(CountReads(RdmaOpcode::RDMA_WRITE, 64, true, 1),
                              1,
                              "nor does a later post have to tell that it was sent");
    }

    static constexpr uint32_t POSTS = 20; //!< requests of each kind
};

/// One doorbell for what is posted together.
class RnicVerbsChain : public TestCase
{
  public:
    RnicVerbsChain()
        : TestCase("a chain rings one doorbell, and its elements are fetched together")
    {
    }

  private:
    /// What posting took.
    struct Cost
    {
        uint64_t doorbells; //!< rung
        uint64_t reads;     //!< of host memory
    };

    /// @param chained post together @param size octets of each @param flags of each
    /// @return what it took to post some RDMA Writes to an idle queue pair
    Cost Post(bool chained, uint32_t size, uint32_t flags)
    {
        Pair pair({{"HostInterface.InlineLimit", "96"},
                   {"HostInterface.ReadLatency", "1us"},
                   {"HostInterface.DoorbellLatency", "1us"},
                   {"QueuePairs.Prefetch", "8"}});
        Cost before{};
        pair.Run([&] {
            before = {pair.GetDoorbells(), pair.GetReads()};
            RdmaSendRequest request;
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.flags = RDMA_SEND_SIGNALED | flags;
            request.sges = {{0, size, 0}};
            for (uint32_t i = 0; i < (chained ? 1 : COUNT); i++)
            {
                pair.PostChain(chained ? COUNT : 1, request);
            }
        });
        NS_TEST_EXPECT_MSG_EQ(pair.completions, COUNT, "all done");
        return {pair.GetDoorbells() - before.doorbells, pair.GetReads() - before.reads};
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Post(false, 1000, 0).doorbells, COUNT, "one by one");
        const Cost large = Post(true, 1000, 0);
        NS_TEST_EXPECT_MSG_EQ(large.doorbells, 1, "together");
        NS_TEST_EXPECT_MSG_EQ(large.reads, COUNT + 1, "the elements at once, and each payload");
        const Cost small = Post(true, 64, 0);
        NS_TEST_EXPECT_MSG_EQ(small.doorbells, 1, "small ones together");
        // iw_cxgb4 and others push an element with the doorbell only if it is alone
        NS_TEST_EXPECT_MSG_GT_OR_EQ(small.reads, 2, "elements and payload have to be read");
        const Cost inlined = Post(true, 64, RDMA_SEND_INLINE);
        NS_TEST_EXPECT_MSG_EQ(inlined.doorbells, 1, "inline ones together");
        NS_TEST_EXPECT_MSG_EQ(inlined.reads, 1, "the payload is in the elements");
    }

    static constexpr uint32_t COUNT = 5; //!< requests
};

/// @ingroup iwarp-test
class RnicVerbsTestSuite : public TestSuite
{
  public:
    RnicVerbsTestSuite()
        : TestSuite("rnic-verbs")
    {
        AddTestCase(new RnicVerbsRegions, IWARP_TEST_QUICK);
        AddTestCase(new RnicVerbsInline, IWARP_TEST_QUICK);
        AddTestCase(new RnicVerbsChain, IWARP_TEST_QUICK);
    }
};

static RnicVerbsTestSuite g_rnicVerbsTestSuite; //!< registers the suite
