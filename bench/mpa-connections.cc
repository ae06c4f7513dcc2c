/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * Many connections between two hosts, all open until the end: MPA streams with Markers and CRC
 * through RNICs that take no time, or ns-3's own TCP. Both carry the same octets of zeros over the
 * same link, with the same windows and segment sizes, and begin connection after connection.
 */

#include "bench-bulk.h"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mpa-stream.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 4420;      //!< where the right host listens
constexpr uint32_t EMSS = 1448;      //!< MTU 1500, IPv4, timestamps
constexpr uint32_t HEADER_SIZE = 14; //!< real octets of each ULPDU; the rest is zero

/// What both kinds of connections have in common.
class Connection
{
  public:
    /// @param octets to carry
    explicit Connection(uint64_t octets)
        : m_left(octets)
    {
    }

    virtual ~Connection() = default;

    /// Connect. @param node from @param peer to
    void Open(Ptr<Node> node, Address peer)
    {
        m_socket = Socket::CreateSocket(node, GetFactory());
        m_socket->SetConnectCallback(MakeCallback(&Connection::HandleConnect, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Connect(peer);
    }

  protected:
    virtual TypeId GetFactory() const = 0;              //!< @return of the socket
    virtual void HandleConnect(Ptr<Socket> socket) = 0; //!< @param socket is established

    Ptr<Socket> m_socket; //!< of the left host
    uint64_t m_left;      //!< octets to be sent
};

/// By ns-3's TCP.
class PlainConnection : public Connection
{
  public:
    using Connection::Connection;

  protected:
    TypeId GetFactory() const override
    {
        return TcpSocketFactory::GetTypeId();
    }

    void HandleConnect(Ptr<Socket> socket) override
    {
        socket->SetSendCallback(MakeCallback(&PlainConnection::Fill, this));
        Fill(socket, 0);
    }

  private:
    /// Send until the buffer is full or all is sent. @param socket the socket
    void Fill(Ptr<Socket> socket, uint32_t /* room */)
    {
        while (m_left > 0)
        {
            const auto size = static_cast<uint32_t>(std::min<uint64_t>(EMSS, m_left));
            if (socket->Send(Create<Packet>(size)) < 0)
            {
                return;
            }
            m_left -= size;
        }
    }
};

/// By an MPA stream.
class MpaConnection : public Connection, private MpaStreamUser
{
  public:
    using Connection::Connection;

  protected:
    TypeId GetFactory() const override
    {
        return MpaTcpSocketFactory::GetTypeId();
    }

    void HandleConnect(Ptr<Socket> socket) override
    {
        m_stream = CreateObject<MpaStream>();
        m_stream->SetSocket(DynamicCast<MpaTcpSocket>(socket));
        m_stream->SetUser(this); // the right host sends nothing
        m_stream->StartInitiator();
    }

  private:
    void HandleEvent(MpaStream& stream, const MpaConnectionEvent& event) override
    {
        MpaStreamUser::HandleEvent(stream, event);
        if (event.kind == MpaConnectionEvent::Kind::ESTABLISHED)
        {
            HandleRoom(stream, 0);
        }
    }

    /// Send until the buffer is full or all is sent. @param stream the stream
    void HandleRoom(MpaStream& stream, uint32_t /* room */) override
    {
        static const uint8_t header[HEADER_SIZE]{};
        while (m_left > 0)
        {
            const auto size =
                std::max<uint64_t>(HEADER_SIZE, std::min<uint64_t>(stream.GetMulpdu(), m_left));
            if (stream.Send(header, HEADER_SIZE, nullptr, size - HEADER_SIZE) < 0)
            {
                return;
            }
            m_left -= std::min<uint64_t>(size, m_left);
        }
    }

    Ptr<MpaStream> m_stream; //!< left end
};

/// The right host.
class Sink : private MpaStreamUser
{
  public:
    /// @param node host @param mpa MPA streams
    Sink(Ptr<Node> node, bool mpa)
        : m_mpa(mpa)
    {
        m_listener = Socket::CreateSocket(node,
                                          mpa ? MpaTcpSocketFactory::GetTypeId()
                                              : TcpSocketFactory::GetTypeId());
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&Sink::HandleAccept, this));
    }

    uint64_t received{0}; //!< octets

  private:
    /// @param socket new connection
    void HandleAccept(Ptr<Socket> socket, const Address& /* peer */)
    {
        if (!m_mpa)
        {
            socket->SetRecvCallback(m_receive);
            return;
        }
        auto stream = CreateObject<MpaStream>();
        stream->SetSocket(DynamicCast<MpaTcpSocket>(socket));
        stream->SetUser(this);
        stream->StartResponder();
        m_streams.push_back(stream);
    }

    /// @param socket has data
    void HandleReceive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            received += packet->GetSize();
        }
    }

    /// @param ulpdu what came
    void HandleUlpdu(MpaStream& /* stream */,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* /* placements */) override
    {
        received += ulpdu.length;
    }

    /// Of TCP, one for all connections
    Callback<void, Ptr<Socket>> m_receive{MakeCallback(&Sink::HandleReceive, this)};
    bool m_mpa;                            //!< MPA streams
    Ptr<Socket> m_listener;                //!< listening socket
    std::vector<Ptr<MpaStream>> m_streams; //!< right ends
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string stack = "mpa";
    uint64_t octets = 30000000;
    uint32_t connections = 1000;
    bool rnic = true;
    bool memory = false;
    Time gap = MicroSeconds(10);
    CommandLine cmd(__FILE__);
    cmd.AddValue("stack", "mpa or tcp", stack);
    cmd.AddValue("octets", "octets to be carried, all connections together", octets);
    cmd.AddValue("connections", "number of connections, 1 to 16000", connections);
    cmd.AddValue("rnic", "with --stack=mpa, RNICs in both hosts", rnic);
    cmd.AddValue("gap", "time between the beginnings of two connections", gap);
    cmd.AddValue("memory", "print the octets of memory used at most", memory);
    cmd.Parse(argc, argv);
    if ((stack != "mpa" && stack != "tcp") || connections < 1 || connections > 16000)
    {
        std::cerr << "--stack is mpa or tcp, --connections 1 to 16000\n";
        return 2;
    }
    const bool mpa = stack == "mpa";

    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(EMSS));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(65536));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(65536));
    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.0.0");
    const auto interfaces = addresses.Assign(devices);
    if (mpa)
    {
        if (rnic)
        {
            RnicHelper().Install(nodes);
        }
        MpaTcpSocketFactory::Install(nodes.Get(0));
        MpaTcpSocketFactory::Install(nodes.Get(1));
    }

    Sink sink(nodes.Get(1), mpa);
    std::vector<std::unique_ptr<Connection>> sources;
    const Address peer = InetSocketAddress(interfaces.GetAddress(1), PORT);
    for (uint32_t i = 0; i < connections; ++i)
    {
        const uint64_t share = octets / connections + (i < octets % connections ? 1 : 0);
        sources.push_back(mpa ? std::unique_ptr<Connection>(new MpaConnection(share))
                              : std::unique_ptr<Connection>(new PlainConnection(share)));
        Simulator::Schedule(MilliSeconds(1) + i * gap,
                            &Connection::Open,
                            sources.back().get(),
                            nodes.Get(0),
                            peer);
    }
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    if (memory)
    {
        PrintMemory();
    }
    Simulator::Destroy();
    if (sink.received < octets)
    {
        std::cerr << sink.received << " of " << octets << " octets have arrived\n";
        return 1;
    }
    return 0;
}
