/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * One bulk transfer over one connection, by an MPA stream with Markers and CRC or by ns-3's own TCP
 * with BulkSendApplication and PacketSink, or by that MPA stream under modelled ESP. All run over
 * the same link, with the same window and segment size and with zero octets as payload, so that the
 * cost of a simulated octet compares. The link's bandwidth-delay product of 5 MB keeps the window
 * the only limit.
 */

#include "bench-bulk.h"

#include "ns3/command-line.h"
#include "ns3/ipsec-helper.h"
#include "ns3/mpa-stream.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr uint32_t HEADER_SIZE = 14; //!< real octets of each ULPDU; the rest is zero

/// The MPA transfer: the right host's sink and the left host's source.
class MpaBulk : private MpaStreamUser
{
  public:
    /// @param nodes left and right @param address of the right one @param octets of ULPDUs to carry
    MpaBulk(const NodeContainer& nodes, Ipv4Address address, uint64_t octets)
        : m_octets(octets),
          m_peer(InetSocketAddress(address, BENCH_PORT))
    {
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            MpaTcpSocketFactory::Install(*node);
        }
        m_listener = Socket::CreateSocket(nodes.Get(1), MpaTcpSocketFactory::GetTypeId());
        m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), BENCH_PORT));
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&MpaBulk::HandleAccept, this));
        m_client = Socket::CreateSocket(nodes.Get(0), MpaTcpSocketFactory::GetTypeId());
        m_client->SetConnectCallback(MakeCallback(&MpaBulk::HandleConnect, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        Simulator::Schedule(MilliSeconds(1), &MpaBulk::Connect, this);
    }

    /// @return octets of ULPDUs passed at the right host
    uint64_t GetReceived() const
    {
        return m_received;
    }

  private:
    /// Open the connection.
    void Connect()
    {
        m_client->Connect(m_peer);
    }

    /// Become Responder. @param socket new connection
    void HandleAccept(Ptr<Socket> socket, const Address& /* peer */)
    {
        m_sink = CreateObject<MpaStream>();
        m_sink->SetSocket(DynamicCast<MpaTcpSocket>(socket));
        m_sink->SetUser(this);
        m_sink->StartResponder();
    }

    /// Become Initiator. @param socket the connection
    void HandleConnect(Ptr<Socket> socket)
    {
        m_source = CreateObject<MpaStream>();
        m_source->SetSocket(DynamicCast<MpaTcpSocket>(socket));
        m_source->SetUser(this);
        m_source->StartInitiator();
    }

    void HandleEvent(MpaStream& stream, const MpaConnectionEvent& event) override
    {
        MpaStreamUser::HandleEvent(stream, event); // accepts the peer
        if (event.kind == MpaConnectionEvent::Kind::ESTABLISHED)
        {
            HandleRoom(stream, 0);
        }
    }

    // Sends until the buffer is full or all is sent
    void HandleRoom(MpaStream& stream, uint32_t /* room */) override
    {
        if (&stream != PeekPointer(m_source))
        {
            return;
        }
        static const uint8_t header[HEADER_SIZE]{};
        while (m_sent < m_octets)
        {
            const auto size =
                std::max<uint64_t>(HEADER_SIZE,
                                   std::min<uint64_t>(stream.GetMulpdu(), m_octets - m_sent));
            if (stream.Send(header, HEADER_SIZE, nullptr, size - HEADER_SIZE) < 0)
            {
                return;
            }
            m_sent += size;
        }
    }

    void HandleUlpdu(MpaStream& /* stream */,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* /* placements */) override
    {
        m_received += ulpdu.length;
    }

    uint64_t m_octets;       //!< to carry
    uint64_t m_sent{0};      //!< given to the source
    uint64_t m_received{0};  //!< passed at the sink
    Address m_peer;          //!< where the right host listens
    Ptr<Socket> m_listener;  //!< listening socket
    Ptr<Socket> m_client;    //!< connecting socket
    Ptr<MpaStream> m_source; //!< left end
    Ptr<MpaStream> m_sink;   //!< right end
};

} // namespace

int
main(int argc, char* argv[])
{
    std::string stack = "mpa";
    uint64_t octets = 100000000;
    uint32_t window = 65536;
    CommandLine cmd(__FILE__);
    cmd.AddValue(
        "stack",
        "mpa, esp for the same under ESP, bypass for IPsec that lets TCP by, or tcp for ns-3's "
        "own TCP",
        stack);
    cmd.AddValue("octets", "octets of payload to carry", octets);
    cmd.AddValue("window", "send and receive buffer in octets", window);
    cmd.Parse(argc, argv);
    if (stack != "mpa" && stack != "esp" && stack != "bypass" && stack != "tcp")
    {
        std::cerr << "mpa-bulk: --stack is mpa, esp, bypass or tcp, not " << stack << "\n";
        return 2;
    }

    const BenchHosts hosts(window);
    uint64_t received;
    if (stack == "esp" || stack == "bypass")
    {
        IpsecHelper ipsec("aes-gcm-16-128");
        ipsec.Install(hosts.nodes);
        if (stack == "esp")
        {
            ipsec.ProtectTransport(hosts.nodes);
        }
    }
    if (stack != "tcp")
    {
        MpaBulk bulk(hosts.nodes, hosts.address, octets);
        Simulator::Run();
        received = bulk.GetReceived();
    }
    else
    {
        auto sink = InstallPlainTcp(hosts, octets);
        Simulator::Run();
        received = sink->GetTotalRx();
    }
    Simulator::Destroy();
    if (received < octets)
    {
        std::cerr << "mpa-bulk: " << received << " of " << octets << " octets arrived\n";
        return 1;
    }
    return 0;
}
