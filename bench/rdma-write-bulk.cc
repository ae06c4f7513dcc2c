/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * One transfer by RDMA Writes over a queue pair, with Markers and CRC, or by ns-3's own TCP with
 * BulkSendApplication and PacketSink. Both run over the same link, with the same window and segment
 * size and with zero octets as payload. Writes of 64 KiB are signaled, and sixteen of them posted.
 *
 * With --idle, so many connections are made and carry nothing, and what is printed is the memory
 * that the process has taken, in octets: by queue pairs (--stack=mpa), by the MPA-aware TCP sockets
 * alone (--stack=socket).
 */

#include "bench-bulk.h"

#include "ns3/command-line.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MESSAGE = 65536;  //!< octets of an RDMA Write
constexpr uint32_t DEPTH = 16;       //!< RDMA Writes posted
constexpr uint32_t STAGGER_US = 100; //!< between connections that are begun

/// Queue pairs of two hosts, the first of which writes.
class RdmaWriteBulk
{
  public:
    /// @param nodes left and right @param address of the right one @param octets to write
    /// @param pairs connections
    RdmaWriteBulk(const NodeContainer& nodes, Ipv4Address address, uint64_t octets, uint32_t pairs)
        : m_nodes(nodes),
          m_peer(InetSocketAddress(address, BENCH_PORT)),
          m_left(octets)
    {
        for (auto& end : m_ends)
        {
            end.device = RdmaDevice::Get(nodes.Get(&end - m_ends));
            end.pd = end.device->AllocPd();
            end.cq = end.device->CreateCq(2 * DEPTH + pairs);
            end.region =
                end.pd->RegisterVirtual(MESSAGE, DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE);
        }
        m_ends[0].cq->SetNotifyCallback(MakeCallback(&RdmaWriteBulk::HandleCompletions, this));
        m_ends[0].cq->RequestNotify();
        m_listener = RdmaConnection::Create(nodes.Get(1));
        m_listener->SetEventCallback(MakeCallback(&RdmaWriteBulk::HandleEvent, this));
        m_listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), BENCH_PORT));
        for (uint32_t i = 0; i < pairs; i++)
        {
            Simulator::Schedule(MicroSeconds(1000 + STAGGER_US * i), &RdmaWriteBulk::Open, this);
        }
    }

    /// @return octets delivered at the right host
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// @return queue pairs that are connected
    uint32_t GetConnected() const
    {
        return m_connected;
    }

  private:
    /// A host.
    struct End
    {
        Ptr<RdmaDevice> device;                       //!< device
        Ptr<RdmaProtectionDomain> pd;                 //!< protection domain
        Ptr<RdmaCompletionQueue> cq;                  //!< completions
        Ptr<RdmaMemoryRegion> region;                 //!< memory
        std::vector<Ptr<RdmaQueuePair>> pairs;        //!< queue pairs
        std::vector<Ptr<RdmaConnection>> connections; //!< their connections
    };

    /// @param end a host @return a new queue pair
    static Ptr<RdmaQueuePair> MakePair(End& end)
    {
        RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = end.cq;
        end.pairs.push_back(end.pd->CreateQp(config));
        return end.pairs.back();
    }

    /// Connect one more.
    void Open()
    {
        const auto connection = RdmaConnection::Create(m_nodes.Get(0));
        connection->SetQp(MakePair(m_ends[0]));
        connection->SetEventCallback(MakeCallback(&RdmaWriteBulk::HandleEvent, this));
        connection->ResolveAddress(m_peer);
        m_ends[0].connections.push_back(connection);
    }

    /// @param connection it @param event what happened
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            connection->Connect({});
            break;
        case Kind::CONNECT_REQUEST:
            connection->SetQp(MakePair(m_ends[1]));
            connection->Accept({});
            m_ends[1].connections.push_back(connection);
            if (m_ends[1].pairs.size() == 1)
            {
                m_ends[1].pairs[0]->GetStream()->TraceConnectWithoutContext(
                    "MessageDelivered",
                    MakeCallback(&RdmaWriteBulk::HandleDelivered, this));
            }
            break;
        case Kind::ESTABLISHED:
            m_connected++;
            if (connection == m_ends[0].connections[0])
            {
                m_write.opcode = RdmaOpcode::RDMA_WRITE;
                m_write.flags = RDMA_SEND_SIGNALED;
                m_write.rkey = m_ends[1].region->GetRkey();
                Fill();
            }
            break;
        default:
            break;
        }
    }

    /// Completions are there. @param cq the queue
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq)
    {
        cq->RequestNotify();
        RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            m_posted--;
        }
        Fill();
    }

    /// Post as much as may be posted.
    void Fill()
    {
        while (m_left > 0 && m_posted < DEPTH)
        {
            const auto size = static_cast<uint32_t>(std::min<uint64_t>(MESSAGE, m_left));
            m_write.sges = {m_ends[0].region->GetSge(0, size)};
            m_ends[0].pairs[0]->PostSend(m_write);
            m_left -= size;
            m_posted++;
        }
    }

    /// A message is there. @param octets its payload
    void HandleDelivered(RdmapOpcode /* opcode */, uint64_t octets)
    {
        m_received += octets;
    }

    NodeContainer m_nodes;          //!< left and right
    Address m_peer;                 //!< where the right host listens
    uint64_t m_left;                //!< octets to write
    uint64_t m_received{0};         //!< octets delivered
    uint32_t m_posted{0};           //!< writes posted and not completed
    uint32_t m_connected{0};        //!< events ESTABLISHED
    End m_ends[2];                  //!< left and right
    Ptr<RdmaConnection> m_listener; //!< listens
    RdmaSendRequest m_write;        //!< as each is posted
};

/// MPA-aware TCP connections that carry nothing.
class IdleSockets
{
  public:
    /// @param nodes left and right @param address of the right one @param number connections
    IdleSockets(const NodeContainer& nodes, Ipv4Address address, uint32_t number)
        : m_node(nodes.Get(0)),
          m_peer(InetSocketAddress(address, BENCH_PORT))
    {
        for (uint32_t i = 0; i < 2; i++)
        {
            MpaTcpSocketFactory::Install(nodes.Get(i));
        }
        m_listener = Socket::CreateSocket(nodes.Get(1), MpaTcpSocketFactory::GetTypeId());
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), BENCH_PORT));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&IdleSockets::HandleAccept, this));
        for (uint32_t i = 0; i < number; i++)
        {
            Simulator::Schedule(MicroSeconds(1000 + STAGGER_US * i), &IdleSockets::Open, this);
        }
    }

    /// @return ends of connections
    std::size_t GetConnected() const
    {
        return m_sockets.size();
    }

  private:
    void Open() //!< connect one more
    {
        m_sockets.push_back(Socket::CreateSocket(m_node, MpaTcpSocketFactory::GetTypeId()));
        m_sockets.back()->Connect(m_peer);
    }

    void HandleAccept(Ptr<Socket> socket, const Address& /* peer */) //!< @param socket new
    {
        m_sockets.push_back(socket);
    }

    Ptr<Node> m_node;                   //!< left
    Address m_peer;                     //!< where the right host listens
    Ptr<Socket> m_listener;             //!< listens
    std::vector<Ptr<Socket>> m_sockets; //!< of both
};

/// Make connections that carry nothing and print the memory that the process has used.
/// @param nodes left and right @param address of the right one @param pairs queue pairs rather than
/// sockets @param number connections @return exit code
int
MeasureIdle(const NodeContainer& nodes, Ipv4Address address, bool pairs, uint32_t number)
{
    // far behind the last handshake, long before any keepalive
    Simulator::Stop(Seconds(1) + MicroSeconds(STAGGER_US) * number);
    std::size_t connected;
    if (pairs)
    {
        RdmaWriteBulk bulk(nodes, address, 0, number);
        Simulator::Run();
        connected = bulk.GetConnected();
        PrintMemory();
        Simulator::Destroy();
    }
    else
    {
        IdleSockets sockets(nodes, address, number);
        Simulator::Run();
        connected = sockets.GetConnected();
        PrintMemory();
        Simulator::Destroy();
    }
    if (connected != 2 * number)
    {
        std::cerr << "rdma-write-bulk: " << connected << " of " << 2 * number
                  << " ends are connected\n";
        return 1;
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string stack = "mpa";
    uint64_t octets = 100000000;
    uint32_t window = 65536;
    uint32_t idle = 0;
    CommandLine cmd(__FILE__);
    cmd.AddValue("stack", "mpa for queue pairs, tcp for ns-3's own TCP, socket with --idle", stack);
    cmd.AddValue("octets", "octets of payload to carry", octets);
    cmd.AddValue("window", "send and receive buffer in octets", window);
    cmd.AddValue("idle", "make so many connections instead, and print the memory taken", idle);
    cmd.Parse(argc, argv);
    if (stack != "mpa" && stack != (idle > 0 ? "socket" : "tcp"))
    {
        std::cerr << "rdma-write-bulk: --stack is mpa, tcp, or with --idle socket, not " << stack
                  << "\n";
        return 2;
    }

    const BenchHosts hosts(window);
    if (idle > 0)
    {
        return MeasureIdle(hosts.nodes, hosts.address, stack == "mpa", idle);
    }

    uint64_t received;
    if (stack == "mpa")
    {
        RdmaWriteBulk bulk(hosts.nodes, hosts.address, octets, 1);
        Simulator::Run();
        received = bulk.GetReceived();
        Simulator::Destroy();
    }
    else
    {
        auto sink = InstallPlainTcp(hosts, octets);
        Simulator::Run();
        received = sink->GetTotalRx();
        Simulator::Destroy();
    }
    if (received < octets)
    {
        std::cerr << "rdma-write-bulk: " << received << " of " << octets << " octets arrived\n";
        return 1;
    }
    return 0;
}
