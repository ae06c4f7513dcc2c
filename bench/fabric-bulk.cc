/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * Hosts in a leaf-spine network, each sending messages at random times to the host half of all
 * away, at half the rate of its link, by MPA streams with Markers and CRC or by ns-3's own TCP.
 * Both have the same network, times, sizes, segment size and zero octets as payload, so that the
 * cost of a segment that crosses four links compares. A network of k squared hosts has k leaves
 * with k hosts each and k/2 spines, so that paths are as long and links as full in all.
 *
 * With --turns hosts send one after another: the same work in the same network, but of which a
 * small part is in use at a time, so that it stays in the processor's caches.
 *
 * It prints the number of events that the simulator ran.
 */

#include "bench-bulk.h"

#include "ns3/command-line.h"
#include "ns3/iwarp-topology-leaf-spine.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double LOAD = 0.5;        //!< of a host's link
constexpr double RATE = 10e9;       //!< of a host's link, bit/s
constexpr uint64_t MESSAGE = 32000; //!< octets

/// @param flow number @return times between its messages, seconds
Ptr<RandomVariableStream>
MakeIntervals(uint32_t flow)
{
    auto intervals = CreateObject<ExponentialRandomVariable>();
    intervals->SetAttribute("Mean", DoubleValue(8 * MESSAGE / (LOAD * RATE)));
    intervals->SetStream(flow);
    return intervals;
}

/// Writes messages to a socket of ns-3's TCP at the times of MpaBulkSender.
class TcpSource : public SimpleRefCount<TcpSource>
{
  public:
    /// @param node where @param peer to whom @param flow number @param octets to carry
    /// @param start when
    TcpSource(const Ptr<Node>& node,
              const Address& peer,
              uint32_t flow,
              uint64_t octets,
              const Time& start)
        : m_peer(peer),
          m_left(octets),
          m_intervals(MakeIntervals(flow)),
          m_node(node)
    {
        Simulator::Schedule(start, &TcpSource::Connect, this);
    }

  private:
    void Connect() //!< make the socket, as an application does that starts, and open the connection
    {
        m_socket = Socket::CreateSocket(m_node, TcpSocketFactory::GetTypeId());
        m_socket->SetConnectCallback(MakeCallback(&TcpSource::HandleConnect, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->SetSendCallback(MakeCallback(&TcpSource::HandleRoom, this));
        m_socket->Connect(m_peer);
    }

    void HandleConnect(Ptr<Socket> /* socket */) //!< begin
    {
        Post();
    }

    void Post() //!< a message arrives
    {
        const uint64_t size = std::min(m_left, MESSAGE);
        m_left -= size;
        m_waiting += size;
        Fill();
        if (m_left > 0)
        {
            Simulator::Schedule(Seconds(m_intervals->GetValue()), &TcpSource::Post, this);
        }
    }

    void HandleRoom(Ptr<Socket> /* socket */, uint32_t /* room */) //!< TCP has sent
    {
        Fill();
    }

    void Fill() //!< give TCP what waits, in the pieces that are the cheapest for it
    {
        while (m_waiting > 0)
        {
            const auto size = static_cast<uint32_t>(std::min<uint64_t>(m_waiting, BENCH_EMSS));
            if (m_socket->GetTxAvailable() < size || m_socket->Send(Create<Packet>(size)) < 0)
            {
                return;
            }
            m_waiting -= size;
        }
    }

    Address m_peer;                        //!< to whom
    uint64_t m_left;                       //!< octets of messages to come
    uint64_t m_waiting{0};                 //!< octets that TCP does not have
    Ptr<RandomVariableStream> m_intervals; //!< between messages
    Ptr<Node> m_node;                      //!< where
    Ptr<Socket> m_socket;                  //!< connection, from its start on
};

/// What a host sends.
struct Transfer
{
    Ptr<Node> from;  //!< host
    Ptr<Node> to;    //!< host
    Address peer;    //!< of that one
    Address any;     //!< where it listens
    uint32_t flow;   //!< number
    uint64_t octets; //!< to carry
    Time start;      //!< when
};

/// The transfers of all pairs.
class Fabric
{
  public:
    /// @param mpa by MPA streams @param leaves switches with hosts, with as many hosts each
    /// @param octets to carry, all together @param turns whether hosts send one after another
    Fabric(bool mpa, uint32_t leaves, uint64_t octets, bool turns)
    {
        const uint32_t hosts = leaves * leaves;
        auto topology = CreateObject<IwarpLeafSpineTopology>();
        topology->SetAttribute("Leaves", UintegerValue(leaves));
        topology->SetAttribute("HostsPerLeaf", UintegerValue(leaves));
        topology->SetAttribute("Spines", UintegerValue(leaves / 2));
        topology->SetAttribute("AccessRate", StringValue("10Gbps"));
        topology->SetAttribute("LinkRate", StringValue("40Gbps"));
        topology->SetAttribute("Delay", StringValue("1us"));
        const auto pairs = topology->Build(m_network, hosts);
        m_network.InstallRoutes();
        const uint64_t share = std::max<uint64_t>(1, octets / hosts);
        const Time turn = turns ? MilliSeconds(1) + Seconds(16 * share / (LOAD * RATE)) : Time(0);
        uint32_t flow = 0;
        for (const auto& [from, to] : pairs)
        {
            (mpa ? &Fabric::AddMpa
                 : &Fabric::AddTcp)(*this,
                                    {m_network.GetHost(from),
                                     m_network.GetHost(to),
                                     m_network.GetHostSocketAddress(to, BENCH_PORT),
                                     m_network.GetAnySocketAddress(BENCH_PORT),
                                     flow,
                                     share,
                                     MilliSeconds(1) + turn * flow});
            flow++;
        }
    }

    uint64_t GetReceived() const //!< @return octets of messages that came
    {
        uint64_t received = 0;
        for (const auto& sink : m_sinks)
        {
            received += sink->GetTotalRx();
        }
        for (const auto& sink : m_mpaSinks)
        {
            received += sink->GetOctets();
        }
        return received;
    }

  private:
    /// @param fabric it @param transfer one of it
    static void AddMpa(Fabric& fabric, const Transfer& transfer)
    {
        auto sink = CreateObject<MpaSink>();
        sink->SetAttribute("Local", AddressValue(transfer.any));
        transfer.to->AddApplication(sink);
        fabric.m_mpaSinks.push_back(sink);
        auto sender = CreateObject<MpaBulkSender>();
        sender->SetAttribute("Remote", AddressValue(transfer.peer));
        sender->SetAttribute("MaxOctets", UintegerValue(transfer.octets));
        sender->SetAttribute("QueueDepth", UintegerValue(1000000));
        sender->SetAttribute("CloseWhenDone", BooleanValue(false));
        sender->SetMessageSizes("fixed:" + std::to_string(MESSAGE));
        sender->SetAttribute("Intervals", PointerValue(MakeIntervals(transfer.flow)));
        sender->SetStartTime(transfer.start);
        transfer.from->AddApplication(sender);
    }

    /// As AddMpa().
    static void AddTcp(Fabric& fabric, const Transfer& transfer)
    {
        auto sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sink->SetAttribute("Local", AddressValue(transfer.any));
        transfer.to->AddApplication(sink);
        fabric.m_sinks.push_back(sink);
        fabric.m_sources.push_back(Create<TcpSource>(transfer.from,
                                                     transfer.peer,
                                                     transfer.flow,
                                                     transfer.octets,
                                                     transfer.start));
    }

    IwarpNetwork m_network;                //!< hosts and switches
    std::vector<Ptr<PacketSink>> m_sinks;  //!< of plain TCP
    std::vector<Ptr<TcpSource>> m_sources; //!< of plain TCP
    std::vector<Ptr<MpaSink>> m_mpaSinks;  //!< of MPA
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string stack = "mpa";
    uint64_t octets = 100000000;
    uint32_t hosts = 64;
    bool turns = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("stack", "mpa, or tcp for ns-3's own TCP", stack);
    cmd.AddValue("octets", "octets of payload to carry", octets);
    cmd.AddValue("hosts", "hosts, the square of an even number", hosts);
    cmd.AddValue("turns", "hosts send one after another", turns);
    cmd.Parse(argc, argv);
    if (stack != "mpa" && stack != "tcp")
    {
        std::cerr << "fabric-bulk: --stack is mpa or tcp, not " << stack << "\n";
        return 2;
    }
    const auto leaves = static_cast<uint32_t>(std::lround(std::sqrt(hosts)));
    if (leaves == 0 || leaves % 2 != 0 || leaves * leaves != hosts)
    {
        std::cerr << "fabric-bulk: --hosts is the square of an even number, not " << hosts << "\n";
        return 2;
    }
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(BENCH_EMSS));

    Fabric fabric(stack == "mpa", leaves, octets, turns);
    Simulator::Run();
    const uint64_t received = fabric.GetReceived();
    std::cout << Simulator::GetEventCount() << '\n';
    Simulator::Destroy();
    if (received < octets / hosts * hosts)
    {
        std::cerr << "fabric-bulk: " << received << " of " << octets << " octets arrived\n";
        return 1;
    }
    return 0;
}
