/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/ns3-compat.h"
#include "ns3/nvme-helper.h"
#include "ns3/nvme-host-queue.h"
#include "ns3/nvme-host.h"
#include "ns3/nvme-target.h"
#include "ns3/pointer.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/record-tcp-socket.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmeApp, "nvme-app");

constexpr uint16_t NVME_PORT = 4420;

/// Hosts and a target around a router, and the helper that makes applications on them.
class NvmeBench
{
  public:
    /// @param hosts how many @param ipv6 over IPv6
    explicit NvmeBench(uint32_t hosts = 1, bool ipv6 = false)
        : m_network(std::make_unique<IwarpNetwork>(ipv6))
    {
        m_network->AddRouter();
        for (uint32_t i = 0; i <= hosts; i++)
        {
            const Ptr<Node> node = m_network->GetHost(
                m_network->AddHost(0, {DataRate("10Gbps"), Time("5us"), QueueSize("1000p"), 1500}));
            nodes.Add(node);
            if (i < hosts)
            {
                hostNodes.Add(node);
            }
        }
        m_network->InstallRoutes();
        helper.SetIpv6(ipv6);
        helper.SetHostAttribute("MaxRequests", UintegerValue(50));
    }

    ~NvmeBench()
    {
        all = {};
        m_network = nullptr;
        Simulator::Destroy();
    }

    /// Connect all and run. @param seconds at most
    void Run(double seconds = 100)
    {
        all = helper.ConnectIncast(hostNodes, nodes.Get(hostNodes.GetN()), NVME_PORT);
        all.Start(Seconds(2));
        NvmeHelper::AssignStreams(all.hosts, 10);
        NvmeHelper::AssignStreams(all.targets, 100);
        for (uint32_t i = 0; i < all.hosts.GetN(); i++)
        {
            if (!sizes.empty())
            {
                problem += GetHost(i)->SetMessageSizes(sizes);
            }
        }
        if (prepare)
        {
            prepare();
        }
        Simulator::Stop(Seconds(seconds));
        Simulator::Run();
    }

    /// @param i number @return the host
    Ptr<NvmeHost> GetHost(uint32_t i = 0) const
    {
        return DynamicCast<NvmeHost>(all.hosts.Get(i));
    }

    /// @return the target
    Ptr<NvmeTarget> GetTarget() const
    {
        return DynamicCast<NvmeTarget>(all.targets.Get(0));
    }

    NvmeHelper helper;             //!< makes applications
    NodeContainer nodes;           //!< hosts, then the target
    NodeContainer hostNodes;       //!< hosts
    NvmeApplications all;          //!< once they run
    std::string sizes;             //!< of requests
    std::string problem;           //!< with these
    std::function<void()> prepare; //!< called ahead of the run

  private:
    std::unique_ptr<IwarpNetwork> m_network; //!< network
};

using Kind = iwarp::RequestKind;

/// A peer that sends a PDU of no type that there is, as soon as it is connected.
class NvmeBadPeer
{
  public:
    /// Wait for a host. @param node where
    void Listen(const Ptr<Node>& node)
    {
        m_listener = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), NVME_PORT));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&NvmeBadPeer::HandleAccept, this));
    }

    /// Go to a target. @param node where @param remote the target
    void Connect(const Ptr<Node>& node, const Address& remote)
    {
        m_socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
        m_socket->SetConnectCallback(MakeCallback(&NvmeBadPeer::Begin, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Connect(remote);
    }

    std::vector<uint8_t> octets; //!< that have come
    bool closed{false};          //!< and then the end of the stream

  private:
    /// @param socket connected
    void HandleAccept(Ptr<Socket> socket, const Address& /* from */)
    {
        m_socket = socket;
        Begin(socket);
    }

    /// @param socket connected
    void Begin(Ptr<Socket> socket)
    {
        socket->SetRecvCallback(MakeCallback(&NvmeBadPeer::Read, this));
        socket->SetCloseCallbacks(MakeCallback(&NvmeBadPeer::HandleClose, this),
                                  MakeNullCallback<void, Ptr<Socket>>());
        std::vector<uint8_t> pdu(24);
        pdu[0] = 0x0f;
        pdu[2] = pdu[4] = 24;
        socket->Send(Create<Packet>(pdu.data(), 24));
    }

    /// @param socket with data
    void Read(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            std::vector<uint8_t> more(packet->GetSize());
            packet->CopyData(more.data(), packet->GetSize());
            octets.insert(octets.end(), more.begin(), more.end());
        }
    }

    void HandleClose(Ptr<Socket> /* socket */)
    {
        closed = true;
    }

    Ptr<Socket> m_listener; //!< where a host comes to
    Ptr<Socket> m_socket;   //!< connected
};

/// A host that connects queues of a controller one after the other.
class NvmeQueueOpener : private NvmeHostQueueUser
{
  public:
    /// @param node where @param remote target
    NvmeQueueOpener(const Ptr<Node>& node, const Address& remote)
        : m_node(node),
          m_remote(remote)
    {
    }

    ~NvmeQueueOpener()
    {
        for (const auto& queue : m_queues)
        {
            queue->Dispose();
        }
    }

    /// Connect a queue. @param qid QID, 0 for the admin queue, whose controller is enabled then
    void Open(uint16_t qid)
    {
        m_queues.push_back(CreateObject<NvmeHostQueue>());
        m_qids.push_back(qid);
        m_queues.back()->SetUser(this);
        const auto socket = Socket::CreateSocket(m_node, TcpSocketFactory::GetTypeId());
        socket->SetConnectCallback(
            iwarp::MakeLambdaCallback<Callback<void, Ptr<Socket>>>(
                [queue = m_queues.back()](Ptr<Socket> open) { queue->Open(open); }),
            MakeNullCallback<void, Ptr<Socket>>());
        socket->Connect(m_remote);
    }

    /// End a queue's connection. @param i number of the queue, from 0
    void Close(std::size_t i)
    {
        m_queues.at(i)->Close();
    }

    std::vector<NvmeStatus> statuses; //!< of Connects and of what enables the controller

  private:
    void HandleReady(NvmeQueue& /* queue */) override
    {
        if (m_qids.back() == 0)
        {
            m_queues.back()->SetAdmin();
        }
        NvmeConnectData data;
        data.subNqn = "nqn.2014-08.org.nvmexpress:uuid:iwarp";
        data.hostNqn = "opener";
        data.cntlid = m_qids.back() == 0 ? nvme::ANY_CONTROLLER : m_cntlid;
        m_queues.back()->Submit(NvmeSqe::MakeConnect(m_qids.back(), 32, 0), NvmeData(data.Write()));
    }

    void HandleCompletion(NvmeHostQueue& queue, uint16_t /* cid */, const NvmeCqe& cqe) override
    {
        statuses.push_back(cqe.GetStatus());
        if (statuses.size() == 1)
        {
            m_cntlid = static_cast<uint16_t>(cqe.result);
            queue.Submit(NvmeSqe::MakePropertySet(nvme::PROPERTY_CC, nvme::CC_EN), NvmeData());
        }
    }

    void HandleData(NvmeQueue& /* queue */,
                    uint16_t /* cid */,
                    uint32_t /* offset */,
                    const Ptr<Packet>& /* octets */) override
    {
    }

    void HandleEnd(NvmeQueue& /* queue */, const NvmeEnd& /* end */) override
    {
    }

    Ptr<Node> m_node;                         //!< where
    Address m_remote;                         //!< target
    uint16_t m_cntlid{0};                     //!< of the controller
    std::vector<Ptr<NvmeHostQueue>> m_queues; //!< in the order of Open()
    std::vector<uint16_t> m_qids;             //!< theirs
};

} // namespace

/// @brief Requests of all kinds, with content that both ends compare.
IWARP_TEST(nvmeApp, "hosts read and write")
{
    struct Row
    {
        const char* name;
        bool ipv6;
        bool admin;
        bool plain;
        uint32_t queues;
        uint32_t blockSize;
    };

    for (const Row& row : {Row{"as it is", false, true, false, 1, 512},
                           Row{"IPv6, ns-3's TCP", true, true, true, 1, 4096},
                           Row{"three queues", false, true, false, 3, 512},
                           Row{"without an admin queue", false, false, false, 2, 4096}})
    {
        NvmeBench bench(2, row.ipv6);
        bench.sizes = "ns3::UniformRandomVariable[Min=100|Max=60000]";
        bench.helper.SetHostAttribute("Backed", BooleanValue(true));
        bench.helper.SetTargetAttribute("Backed", BooleanValue(true));
        bench.helper.SetHostAttribute("AdminQueue", BooleanValue(row.admin));
        bench.helper.SetTargetAttribute("RequireConnect", BooleanValue(row.admin));
        bench.helper.SetHostAttribute("Queues", UintegerValue(row.queues));
        bench.helper.SetTargetAttribute("BlockSize", UintegerValue(row.blockSize));
        bench.helper.SetTargetAttribute("Blocks", UintegerValue(1000));
        bench.helper.SetHostAttribute("Blocks", UintegerValue(1000));
        bench.helper.SetHostAttribute("BlockSize", UintegerValue(row.blockSize));
        if (row.plain)
        {
            const TypeIdValue tcp(TcpSocketFactory::GetTypeId());
            bench.helper.SetHostAttribute("Protocol", tcp);
            bench.helper.SetTargetAttribute("Protocol", tcp);
        }
        bench.Run();
        NS_TEST_ASSERT_MSG_EQ(bench.problem, "", row.name);
        uint64_t octets = 0;
        for (uint32_t i = 0; i < 2; i++)
        {
            const auto host = bench.GetHost(i);
            NS_TEST_ASSERT_MSG_EQ(host->GetError(), "", row.name);
            NS_TEST_ASSERT_MSG_EQ(host->IsFinished(), true, row.name << ": all requests");
            NS_TEST_EXPECT_MSG_EQ(host->GetTotals().GetRequests(), 50, row.name);
            NS_TEST_EXPECT_MSG_EQ(host->GetContentErrors(), 0, row.name << ": content");
            for (const Kind kind : {Kind::READ, Kind::WRITE})
            {
                NS_TEST_EXPECT_MSG_GT(host->GetTotals().GetRequests(kind), 10, row.name);
                NS_TEST_EXPECT_MSG_EQ(host->GetTotals().GetOctets(kind) % row.blockSize,
                                      0,
                                      row.name << ": whole blocks");
                octets += host->GetTotals().GetOctets(kind);
            }
            const bool records = host->GetQueue(0)->GetRecordSocket() != nullptr;
            NS_TEST_EXPECT_MSG_EQ(records, !row.plain, row.name << ": the socket's kind");
            for (uint32_t queue = 0; queue < row.queues; queue++)
            {
                NS_TEST_EXPECT_MSG_NE(host->GetQueue(queue), nullptr, row.name);
            }
            NS_TEST_EXPECT_MSG_EQ(host->GetQueue(row.queues), nullptr, row.name);
        }
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetRequests(), 100, row.name);
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetOctets(), octets, row.name);
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetContentErrors(), 0, row.name << ": content");
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetError(), "", row.name);
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetNQueues(), 0, row.name << ": all have ended");
    }
    IWARP_COVERS("NVT-3.1-07");
}

/// @brief The time of a request is that of its PDUs on the links, to five nanoseconds.
IWARP_TEST(nvmeApp, "latency against the sum of its PDUs")
{
    // a PDU takes the first link for all of its segments and the second for the last two, of which
    // the last waits for the one before: Ethernet's 38 octets, IP's 20 and TCP's 32 more each, of
    // which the gap of 12 is behind the frame; 5 us on each link
    const auto pdu = [](uint32_t octets) {
        double ns = 2 * (5000 - 12 * 0.8);
        double longest = 0;
        for (uint32_t left = octets; left > 0;)
        {
            const uint32_t payload = std::min(left, 1448U);
            const double segment = (payload + 90) * 0.8;
            longest = std::max(longest, segment);
            ns += segment;
            left -= payload;
        }
        return ns + longest;
    };
    for (const bool digests : {false, true})
    {
        const uint32_t head = digests ? 4 : 0;
        const uint32_t tail = digests ? 4 : 0;
        for (const auto& [size, read] :
             {std::pair{512U, true}, {512U, false}, {7168U, false}, {8704U, false}, {8704U, true}})
        {
            NvmeBench bench;
            bench.sizes = "fixed:" + std::to_string(size);
            bench.helper.SetHostAttribute("MaxRequests", UintegerValue(1));
            bench.helper.SetHostAttribute("ReadShare", DoubleValue(read ? 1 : 0));
            bench.helper.SetQueueAttribute("HeaderDigest", BooleanValue(digests));
            bench.helper.SetQueueAttribute("DataDigest", BooleanValue(digests));
            bench.helper.SetTargetQueueAttribute("Success", BooleanValue(true));
            bench.Run();
            NS_TEST_ASSERT_MSG_EQ(bench.GetHost()->IsFinished(), true, size);
            const double command = pdu(72 + head);
            const double response = pdu(24 + head);
            const double data = size + tail;
            double expected = command + response;
            if (read)
            {
                expected = command + pdu(24 + head + data); // SUCCESS is in it
            }
            else if (size <= 8192)
            {
                expected = pdu(72 + head + data) + response;
            }
            else
            {
                expected += pdu(24 + head) + pdu(24 + head + data);
            }
            const auto kind = read ? Kind::READ : Kind::WRITE;
            const double ns = bench.GetHost()->GetTotals().GetLatencies(kind).GetMean() * 1e9;
            // a response may have to wait for an ACK that left just ahead of it
            const double ack = !read && ns > expected + 36 ? 90 * 0.8 : 0;
            NS_TEST_EXPECT_MSG_EQ_TOL(ns, expected + ack, 5.0, size << " " << read);
        }
    }
}

/// @brief The storage's time comes on top of it; requests overlap up to QueueDepth.
IWARP_TEST(nvmeApp, "service time and queue depth")
{
    Time alone;
    for (const uint32_t depth : {1U, 8U})
    {
        NvmeBench bench;
        bench.sizes = "fixed:512";
        bench.helper.SetHostAttribute("QueueDepth", UintegerValue(depth));
        bench.helper.SetHostAttribute("MaxRequests", UintegerValue(80));
        bench.helper.SetTargetAttribute("ServiceTime",
                                        StringValue("ns3::ConstantRandomVariable[Constant=0.001]"));
        bench.Run();
        NS_TEST_ASSERT_MSG_EQ(bench.GetHost()->IsFinished(), true, "all requests");
        const auto& totals = bench.GetHost()->GetTotals();
        const Time taken = totals.GetLast() - totals.GetFirst();
        const double rounds = 80.0 / depth;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(taken.GetSeconds(), rounds * 0.001, "so many rounds");
        NS_TEST_EXPECT_MSG_LT(taken.GetSeconds(), rounds * 0.00105, "and little else");
    }
}

/// @brief Shares and sizes are those that were asked for, and a long request is several commands.
IWARP_TEST(nvmeApp, "shares, sizes and long requests")
{
    NvmeBench bench;
    bench.sizes = "fixed:200000"; // 391 blocks
    bench.helper.SetHostAttribute("MaxRequests", UintegerValue(200));
    bench.helper.SetHostAttribute("ReadShare", DoubleValue(0.75));
    bench.helper.SetHostAttribute("MaxTransfer", UintegerValue(65536));
    bench.Run();
    const auto& totals = bench.GetHost()->GetTotals();
    NS_TEST_ASSERT_MSG_EQ(totals.GetRequests(), 200, "all requests");
    // 150 of 200 expected, with a standard deviation of 6.1
    NS_TEST_EXPECT_MSG_EQ_TOL(double(totals.GetRequests(Kind::READ)),
                              150.0,
                              25.0,
                              "share of reads");
    NS_TEST_EXPECT_MSG_EQ(totals.GetOctets(Kind::READ),
                          totals.GetRequests(Kind::READ) * 391 * 512,
                          "rounded to blocks");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetRequests(), 4 * 200, "four commands each");
    for (const auto& metric : bench.GetHost()->GetMetrics())
    { // the last command of each has 3,584 octets, which a capsule could hold
        const bool isInline = metric.name == "write_inline" || metric.name == "read_inline";
        NS_TEST_EXPECT_MSG_EQ((isInline && metric.value > 0), false, metric.name);
    }
    const auto metrics = bench.GetHost()->GetMetrics();
    const auto listed = NvmeHost::ListMetrics();
    NS_TEST_ASSERT_MSG_EQ(metrics.size(), listed.size(), "all that is listed");
    NS_TEST_EXPECT_MSG_EQ(metrics[0].name, "requests", "the first of them");
    NS_TEST_EXPECT_MSG_EQ(metrics[0].value, 200, "of so many");
}

/// @brief Requests are of whole blocks as the namespace has them, whatever the host would take.
IWARP_TEST(nvmeApp, "blocks of the namespace")
{
    NvmeBench bench;
    bench.sizes = "fixed:6000";
    bench.helper.SetHostAttribute("BlockSize", UintegerValue(512));
    bench.helper.SetTargetAttribute("BlockSize", UintegerValue(4096));
    bench.Run();
    NS_TEST_EXPECT_MSG_EQ(bench.GetHost()->GetError(), "", "no error");
    const auto& totals = bench.GetHost()->GetTotals();
    const uint64_t octets = totals.GetOctets(Kind::READ) + totals.GetOctets(Kind::WRITE);
    NS_TEST_EXPECT_MSG_EQ(octets, 50 * 8192, "two blocks each");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetOctets(), 50 * 8192, "and as many served");
}

/// @brief Octets that are not the pattern are counted where they come, and only there.
IWARP_TEST(nvmeApp, "content that is another")
{
    for (const bool reads : {false, true})
    {
        NvmeBench bench;
        bench.sizes = "fixed:4096";
        bench.helper.SetHostAttribute("ReadShare", DoubleValue(reads ? 1 : 0));
        bench.helper.SetHostAttribute("Backed", BooleanValue(reads));
        bench.helper.SetTargetAttribute("Backed", BooleanValue(!reads)); // the other has zeros
        bench.Run();
        NS_TEST_EXPECT_MSG_EQ(bench.GetHost()->IsFinished(), true, "content ends nothing");
        const uint64_t there =
            (reads ? bench.GetTarget()->GetContentErrors() : bench.GetHost()->GetContentErrors());
        const uint64_t here =
            (reads ? bench.GetHost()->GetContentErrors() : bench.GetTarget()->GetContentErrors());
        NS_TEST_EXPECT_MSG_EQ(there, 0, "it compares nothing");
        // an octet in 256 of the pattern is zero itself
        NS_TEST_EXPECT_MSG_EQ_TOL(double(here), 50 * 4096 * 255. / 256, 50 * 4096 / 256., reads);
    }
}

/// @brief What the storage has under way when its connection ends is not served any more.
IWARP_TEST(nvmeApp, "answers nobody waits for")
{
    NvmeBench bench(2);
    bench.sizes = "fixed:512";
    bench.helper.SetHostAttribute("MaxRequests", UintegerValue(0));
    bench.helper.SetHostAttribute("QueueDepth", UintegerValue(8));
    bench.helper.SetTargetAttribute("ServiceTime",
                                    StringValue("ns3::ConstantRandomVariable[Constant=0.5]"));
    bench.prepare = [&bench] { bench.GetHost(0)->SetStopTime(Seconds(2.2)); };
    bench.Run(2.9); // the first answers are due at 2.5 s, the next at 3 s
    NS_TEST_EXPECT_MSG_EQ(bench.GetHost(1)->GetTotals().GetRequests(), 8, "the other's");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetRequests(), 8, "and none besides");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetError(), "", "it was told to");
}

/// @brief An open loop with little load: its requests do not wait for each other.
IWARP_TEST(nvmeApp, "requests at random times")
{
    NvmeBench bench;
    bench.sizes = "fixed:4096";
    bench.helper.SetHostAttribute("MaxRequests", UintegerValue(3000));
    bench.helper.SetHostAttribute("QueueDepth", UintegerValue(1));
    bench.helper.SetHostAttribute("ReadShare", DoubleValue(1));
    bench.helper.SetTargetQueueAttribute("Success", BooleanValue(true));
    bench.helper.SetHostAttribute("Intervals",
                                  StringValue("ns3::ExponentialRandomVariable[Mean=0.0001]"));
    bench.Run();
    const auto& latencies = bench.GetHost()->GetTotals().GetLatencies(Kind::READ);
    NS_TEST_ASSERT_MSG_EQ(latencies.GetN(), 3000, "all requests");
    // a server of constant time S with load r: waiting r S / (2 (1 - r)) on average (M/D/1)
    const double service = latencies.GetQuantile(0);
    const double load = service / 0.0001;
    const double waiting = load * service / (2 * (1 - load));
    NS_TEST_EXPECT_MSG_EQ_TOL(latencies.GetMean(), service + waiting, 0.15 * waiting, load);
}

/// @brief Loss costs time, and no octet.
IWARP_TEST(nvmeApp, "lossy links")
{
    for (const bool plain : {false, true})
    {
        NvmeBench bench;
        bench.sizes = "fixed:100000";
        bench.helper.SetHostAttribute("Backed", BooleanValue(true));
        bench.helper.SetTargetAttribute("Backed", BooleanValue(true));
        if (plain)
        {
            const TypeIdValue tcp(TcpSocketFactory::GetTypeId());
            bench.helper.SetHostAttribute("Protocol", tcp);
            bench.helper.SetTargetAttribute("Protocol", tcp);
        }
        bench.prepare = [&bench] {
            for (uint32_t i = 0; i < bench.nodes.GetN(); i++)
            {
                auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(0.01);
                errors->AssignStreams(50 + i);
                const auto node = bench.nodes.Get(i);
                for (uint32_t j = 0; j < node->GetNDevices(); j++)
                {
                    node->GetDevice(j)->SetAttributeFailSafe("ReceiveErrorModel",
                                                             PointerValue(errors));
                }
            }
        };
        bench.Run(1000);
        NS_TEST_ASSERT_MSG_EQ(bench.GetHost()->GetError(), "", "no error");
        NS_TEST_ASSERT_MSG_EQ(bench.GetHost()->IsFinished(), true, "all requests");
        NS_TEST_EXPECT_MSG_EQ(bench.GetHost()->GetContentErrors(), 0, "content of reads");
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetContentErrors(), 0, "content of writes");
    }
}

/// @brief What does not fit together is told, at both ends, and nothing hangs.
IWARP_TEST(nvmeApp, "failures")
{
    using Set = std::function<void(NvmeBench&)>;

    struct Row
    {
        const char* name;
        Set set;
        const char* error;
    };

    const std::vector<Row> rows{
        {"another subsystem",
         [](NvmeBench& bench) { bench.helper.SetHostAttribute("Nqn", StringValue("nqn.x")); },
         "the controller refuses to start: Connect Invalid Parameters"},
        {"more queues than the controller has",
         [](NvmeBench& bench) {
             bench.helper.SetHostAttribute("Queues", UintegerValue(3));
             bench.helper.SetTargetAttribute("IoQueues", UintegerValue(2));
         },
         "the controller has fewer I/O queues"},
        {"queues that are too long",
         [](NvmeBench& bench) { bench.helper.SetHostAttribute("QueueDepth", UintegerValue(200)); },
         "the controller refuses to start: Connect Invalid Parameters"},
        {"no Connect though it is required",
         [](NvmeBench& bench) { bench.helper.SetHostAttribute("AdminQueue", BooleanValue(false)); },
         "a command failed: Command Sequence Error"},
        {"a namespace that ends before",
         [](NvmeBench& bench) {
             bench.helper.SetHostAttribute("AdminQueue", BooleanValue(false));
             bench.helper.SetTargetAttribute("RequireConnect", BooleanValue(false));
             bench.helper.SetTargetAttribute("Blocks", UintegerValue(10));
         },
         "a command failed: LBA Out of Range"},
        {"no target",
         [](NvmeBench& bench) {
             bench.prepare = [&bench] { bench.GetTarget()->SetStartTime(Seconds(90)); };
         },
         "TCP did not connect"},
        {"a digest that is required",
         [](NvmeBench& bench) {
             bench.helper.SetHostQueueAttribute("RequireDigests", BooleanValue(true));
             bench.helper.SetTargetQueueAttribute("DataDigest", BooleanValue(false));
         },
         "the controller does without a digest that is required"},
        {"a target that stops",
         [](NvmeBench& bench) {
             bench.helper.SetHostAttribute("MaxRequests", UintegerValue(0));
             bench.prepare = [&bench] { bench.GetTarget()->SetStopTime(Seconds(2.005)); };
         },
         "the connection was closed"}};
    for (const auto& row : rows)
    {
        NvmeBench bench;
        row.set(bench);
        bench.Run(60);
        NS_TEST_EXPECT_MSG_EQ(bench.GetHost()->GetError(), row.error, row.name);
        NS_TEST_EXPECT_MSG_EQ(bench.GetHost()->IsFinished(), false, row.name);
        NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetNQueues(), 0, row.name << ": none is left");
    }
}

/// @brief An end that gets what is no PDU says so before it closes: H2CTermReq, C2HTermReq.
IWARP_TEST(nvmeApp, "what is no PDU")
{
    {
        NvmeBench bench;
        NvmeBadPeer peer;
        bench.prepare = [&bench, &peer] {
            bench.GetTarget()->SetStartTime(Seconds(90));
            peer.Listen(bench.nodes.Get(1));
        };
        bench.Run(60);
        NS_TEST_ASSERT_MSG_GT(peer.octets.size(), 128 + 24, "ICReq, and more");
        NS_TEST_EXPECT_MSG_EQ(+peer.octets[0], 0x00, "ICReq");
        NS_TEST_EXPECT_MSG_EQ(+peer.octets[128], 0x02, "H2CTermReq");
        NS_TEST_EXPECT_MSG_EQ(peer.closed, true, "and the end");
    }
    NvmeBench bench;
    NvmeBadPeer peer;
    bench.prepare = [&bench, &peer] {
        bench.GetHost()->SetStartTime(Seconds(90));
        const Address target = RdmaApplicationHelper::GetAddress(bench.nodes.Get(1), NVME_PORT);
        Simulator::Schedule(Seconds(3),
                            [&bench, &peer, target] { peer.Connect(bench.nodes.Get(0), target); });
    };
    bench.Run(60);
    NS_TEST_ASSERT_MSG_GT(peer.octets.size(), 24, "something");
    NS_TEST_EXPECT_MSG_EQ(+peer.octets[0], 0x03, "C2HTermReq");
    NS_TEST_EXPECT_MSG_EQ(peer.closed, true, "and the end");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetNQueues(), 0, "none is left");
    IWARP_COVERS("NVT-3.5-02 NVT-3.5-10");
}

/// @brief A queue of a controller is connected once, and again behind its connection's end.
IWARP_TEST(nvmeApp, "a queue that connects again")
{
    NvmeBench bench;
    const Address target = RdmaApplicationHelper::GetAddress(bench.nodes.Get(1), NVME_PORT);
    NvmeQueueOpener opener(bench.nodes.Get(0), target);
    bench.prepare = [&bench, &opener] {
        bench.GetHost()->SetStartTime(Seconds(90));
        double at = 3;
        for (const uint16_t qid : {0, 1, 1, 2})
        {
            Simulator::Schedule(Seconds(at++), [&opener, qid] { opener.Open(qid); });
        }
        Simulator::Schedule(Seconds(at++), [&opener] { opener.Close(1); });
        Simulator::Schedule(Seconds(at++), [&opener] { opener.Open(1); });
    };
    bench.Run(60);
    std::string all;
    for (const NvmeStatus status : opener.statuses)
    {
        all += status == NvmeStatus::SUCCESS ? "+" : std::string(NvmeStatusName(status));
    }
    NS_TEST_EXPECT_MSG_EQ(all, "+++Command Sequence Error++", "Connects, and CC.EN");
    IWARP_COVERS("NVT-3.2-01");
}

/// @brief A host that stops leaves nothing at the target, and is no failure.
IWARP_TEST(nvmeApp, "a host that stops")
{
    NvmeBench bench(2);
    bench.helper.SetHostAttribute("MaxRequests", UintegerValue(0));
    bench.helper.SetHostAttribute("Queues", UintegerValue(2));
    bench.prepare = [&bench] { bench.GetHost(0)->SetStopTime(Seconds(2.003)); };
    bench.Run(2.01);
    NS_TEST_EXPECT_MSG_EQ(bench.GetHost(0)->GetError(), "", "it was told to");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetError(), "", "and tells");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetNQueues(), 3, "the other goes on");
    NS_TEST_EXPECT_MSG_GT(bench.GetHost(1)->GetTotals().GetRequests(), 100, "the other goes on");
}

/// @brief A host may ask for what a target without digests, alignment and limits does not have.
IWARP_TEST(nvmeApp, "attributes of queues")
{
    NvmeBench bench;
    bench.sizes = "fixed:60000";
    bench.helper.SetHostAttribute("Backed", BooleanValue(true));
    bench.helper.SetTargetAttribute("Backed", BooleanValue(true));
    bench.helper.SetHostQueueAttribute("DataAlignment", UintegerValue(128));
    bench.helper.SetTargetQueueAttribute("DataAlignment", UintegerValue(64));
    bench.helper.SetHostQueueAttribute("MaxR2t", UintegerValue(4));
    bench.helper.SetTargetQueueAttribute("MaxR2t", UintegerValue(2));
    bench.helper.SetTargetQueueAttribute("R2tLength", UintegerValue(8192));
    bench.helper.SetTargetQueueAttribute("MaxH2cData", UintegerValue(4096));
    bench.helper.SetTargetQueueAttribute("MaxC2hData", UintegerValue(16384));
    bench.helper.SetTargetQueueAttribute("InCapsuleSize", UintegerValue(0));
    bench.helper.SetTargetQueueAttribute("HeaderDigest", BooleanValue(false));
    bench.Run();
    const auto host = bench.GetHost();
    NS_TEST_ASSERT_MSG_EQ(host->GetError(), "", "no error");
    NS_TEST_ASSERT_MSG_EQ(host->IsFinished(), true, "all requests");
    NS_TEST_EXPECT_MSG_EQ(host->GetContentErrors(), 0, "content of reads");
    NS_TEST_EXPECT_MSG_EQ(bench.GetTarget()->GetContentErrors(), 0, "content of writes");
    const NvmeTerms terms = host->GetQueue(0)->GetTerms();
    NS_TEST_EXPECT_MSG_EQ(terms.headerDigest, false, "both have to");
    NS_TEST_EXPECT_MSG_EQ(terms.dataDigest, true, "both do");
    NS_TEST_EXPECT_MSG_EQ(terms.controllerAlignment, 64, "CPDA");
    NS_TEST_EXPECT_MSG_EQ(terms.hostAlignment, 128, "HPDA");
    NS_TEST_EXPECT_MSG_EQ(host->GetQueue(0)->GetInCapsule(), 0, "as Identify has told");
    for (const auto& metric : host->GetMetrics())
    {
        if (metric.name == "write_inline")
        {
            NS_TEST_EXPECT_MSG_EQ(metric.value, 0, "no data in capsules");
        }
    }
}

/// @brief Totals that begin anew do not keep a host from having done all.
IWARP_TEST(nvmeApp, "totals that begin anew")
{
    NvmeBench bench;
    bench.sizes = "fixed:60000";
    uint64_t told = 0;
    std::function<void(uint64_t)> finished = [&told](uint64_t requests) { told += requests; };
    bench.prepare = [&bench, &finished] {
        bench.GetHost()->TraceConnectWithoutContext(
            "Finished",
            MakeCallback(&decltype(finished)::operator(), &finished));
        Simulator::Schedule(MicroSeconds(2001500), [&bench] { bench.GetHost()->RestartTotals(); });
    };
    bench.Run();
    const auto host = bench.GetHost();
    NS_TEST_EXPECT_MSG_EQ(host->GetError(), "", "no error");
    NS_TEST_EXPECT_MSG_EQ(host->IsFinished(), true, "all requests");
    NS_TEST_EXPECT_MSG_EQ(told, 50, "all of them, once");
    NS_TEST_EXPECT_MSG_GT(host->GetTotals().GetRequests(), 0, "some behind");
    NS_TEST_EXPECT_MSG_LT(host->GetTotals().GetRequests(), 50, "and some before");
}
