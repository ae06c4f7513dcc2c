/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SPLIT_PROXY_BENCH_H
#define TCP_SPLIT_PROXY_BENCH_H

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/iwarp-network.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/mpa-tcp-socket.h"
#include "ns3/path-random-impairment.h"
#include "ns3/simulator.h"
#include "ns3/tcp-split-proxy-helper.h"
#include "ns3/tcp-split-proxy.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace ns3
{

/// One end of a connection: it sends octets in writes of random sizes, and compares what comes.
class ProxyPeer
{
  public:
    /// @param sends stream sent @param total octets of it @param receives stream that comes
    ProxyPeer(uint32_t sends, uint64_t total, uint32_t receives)
        : m_total(total),
          m_sends(sends),
          m_receives(receives),
          m_random(sends)
    {
    }

    ProxyPeer(const ProxyPeer&) = delete;
    ProxyPeer& operator=(const ProxyPeer&) = delete;

    ~ProxyPeer()
    {
        if (m_socket)
        {
            Use(m_socket, false);
        }
    }

    /// @param socket its socket @param on false to want nothing more of it
    void Use(Ptr<Socket> socket, bool on = true)
    {
        m_socket = socket;
        const auto none = MakeNullCallback<void, Ptr<Socket>>();
        const auto closed = MakeCallback(&ProxyPeer::Closed, this);
        const auto lost = MakeCallback(&ProxyPeer::Lost, this);
        socket->SetRecvCallback(on ? MakeCallback(&ProxyPeer::Receive, this) : none);
        socket->SetSendCallback(on ? MakeCallback(&ProxyPeer::Fill, this)
                                   : MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        socket->SetCloseCallbacks(on ? closed : none, on ? lost : none);
        socket->SetConnectCallback(on ? MakeCallback(&ProxyPeer::Connected, this) : none,
                                   on ? lost : none);
    }

    void Fill(Ptr<Socket> socket, uint32_t /* room */) //!< Send. @param socket socket
    {
        while (m_sent < m_total && socket->GetTxAvailable() > 0)
        {
            const auto size = static_cast<uint32_t>(std::min<uint64_t>(
                {m_total - m_sent, socket->GetTxAvailable(), 1 + m_random() % 5000}));
            std::vector<uint8_t> octets(size);
            for (uint32_t i = 0; i < size; i++)
            {
                octets[i] = GetOctet(m_sends, m_sent + i);
            }
            if (socket->Send(octets.data(), size, 0) < 0)
            {
                return;
            }
            m_sent += size;
        }
        if (m_sent == m_total && m_closes && !m_shut && (m_ended || !m_waits))
        {
            m_shut = true;
            socket->ShutdownSend();
        }
    }

    void Receive(Ptr<Socket> socket) //!< Take what is there. @param socket socket
    {
        while (!m_paused && socket->GetRxAvailable() > 0)
        {
            const auto packet = socket->Recv(1 + m_random() % 5000, 0);
            std::vector<uint8_t> octets(packet->GetSize());
            packet->CopyData(octets.data(), packet->GetSize());
            for (const uint8_t octet : octets)
            {
                m_wrong += octet != GetOctet(m_receives, m_received++);
            }
        }
        if (!m_paused && DynamicCast<MpaTcpSocket>(socket)->HasPeerClosed())
        {
            m_ended = true;
            Fill(socket, 0);
        }
    }

    uint64_t m_total;       //!< octets to send
    uint64_t m_sent{0};     //!< octets given to TCP
    uint64_t m_received{0}; //!< octets that came
    uint64_t m_wrong{0};    //!< of these, wrong ones
    bool m_closes{true};    //!< FIN behind the last octet
    bool m_waits{false};    //!< for the other's FIN before its own
    bool m_paused{false};   //!< takes nothing
    bool m_ended{false};    //!< the other sends no more
    bool m_lost{false};     //!< the connection was reset, or never came
    Ptr<Socket> m_socket;   //!< socket

  private:
    /// @param stream which @param at where @return octet of a stream
    static uint8_t GetOctet(uint32_t stream, uint64_t at)
    {
        return static_cast<uint8_t>(((at + 1) * (2 * stream + 1) * 2654435761U) >> 11);
    }

    void Connected(Ptr<Socket> socket)
    {
        Fill(socket, 0);
    }

    void Closed(Ptr<Socket> socket)
    {
        m_lost = m_lost || !DynamicCast<MpaTcpSocket>(socket)->HasPeerClosed();
        Receive(socket);
    }

    void Lost(Ptr<Socket> /* socket */)
    {
        m_lost = true;
    }

    uint32_t m_sends;      //!< stream sent
    uint32_t m_receives;   //!< stream that comes
    std::mt19937 m_random; //!< sizes of writes and reads
    bool m_shut{false};    //!< FIN sent
};

/// Host 0, a proxy on host 1, and a server on host 2.
class ProxyBench
{
  public:
    static constexpr uint16_t PORT = 5000; //!< where proxy and server listen

    /// @param ipv6 use IPv6 @param loss of every link, each way @param buffer of the proxy
    ProxyBench(bool ipv6, double loss, uint32_t buffer)
        : m_network(ipv6),
          m_buffer(buffer)
    {
        m_network.AddRouter();
        for (uint32_t i = 0; i < 3; i++)
        {
            m_network.AddHost(0, {DataRate("1Gbps"), MicroSeconds(50)});
        }
        m_network.InstallRoutes();
        for (uint32_t link = 0; loss > 0 && link < 3; link++)
        {
            for (const auto direction : {PathDirection::A_TO_B, PathDirection::B_TO_A})
            {
                auto impairment = CreateObject<PathRandomImpairment>();
                impairment->SetAttribute("Loss", DoubleValue(loss));
                impairment->SetAttribute("Reordering", DoubleValue(2 * loss));
                impairment->SetAttribute("Duplication", DoubleValue(loss));
                m_network.Impair(link, direction, impairment);
            }
        }
        m_network.AssignStreams(1);
        TcpSplitProxyHelper helper(m_network.GetAnySocketAddress(PORT),
                                   m_network.GetHostSocketAddress(2, PORT));
        helper.SetAttribute("BufferSize", UintegerValue(buffer));
        m_proxy =
            DynamicCast<TcpSplitProxy>(helper.Install(NodeContainer(m_network.GetHost(1))).Get(0));
        m_proxy->TraceConnectWithoutContext("Ended", MakeCallback(&ProxyBench::Ended, this));
        m_proxy->TraceConnectWithoutContext("Held", MakeCallback(&ProxyBench::Held, this));
    }

    ProxyBench(const ProxyBench&) = delete;
    ProxyBench& operator=(const ProxyBench&) = delete;

    ~ProxyBench()
    {
        m_clients.clear();
        m_servers.clear();
        m_listener = nullptr;
        Simulator::Destroy();
        Config::Reset();
    }

    void Listen() //!< Have the server accept; connection n sends stream 2n + 1 and gets stream 2n
    {
        m_listener = MakeSocket(2);
        m_listener->Bind(m_network.GetAnySocketAddress(PORT));
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&ProxyBench::Accept, this));
        m_listener->Listen();
    }

    /// @param at when @param octets it sends @param answer octets that the server sends it
    /// @return a client that is to connect
    ProxyPeer& Connect(Time at, uint64_t octets, uint64_t answer)
    {
        const auto number = static_cast<uint32_t>(m_clients.size());
        m_clients.push_back(std::make_unique<ProxyPeer>(2 * number, octets, 2 * number + 1));
        m_servers.push_back(std::make_unique<ProxyPeer>(2 * number + 1, answer, 2 * number));
        Simulator::Schedule(at, [this, number] {
            auto socket = MakeSocket(0);
            socket->Bind(m_network.GetAnySocketAddress(static_cast<uint16_t>(10000 + number)));
            m_clients[number]->Use(socket);
            socket->Connect(m_network.GetHostSocketAddress(1, PORT));
        });
        return *m_clients.back();
    }

    void Run(Time until = Seconds(1000)) //!< @param until when at the latest
    {
        Simulator::Stop(until);
        Simulator::Run();
    }

    IwarpNetwork m_network;                             //!< network
    Ptr<TcpSplitProxy> m_proxy;                         //!< proxy
    std::vector<std::unique_ptr<ProxyPeer>> m_clients;  //!< clients
    std::vector<std::unique_ptr<ProxyPeer>> m_servers;  //!< what the server has for each
    std::vector<TcpSplitConnection::End> m_ends;        //!< how connections ended
    std::vector<std::pair<uint64_t, uint64_t>> m_moved; //!< octets forth and back of these
    uint64_t m_most{0};                                 //!< octets held at most
    uint32_t m_buffer;                                  //!< octets of a buffer

  private:
    /// @param host where @return a socket
    Ptr<Socket> MakeSocket(uint32_t host)
    {
        return Socket::CreateSocket(m_network.GetHost(host), MpaTcpSocketFactory::GetTypeId());
    }

    void Accept(Ptr<Socket> socket, const Address& /* from */)
    {
        // the proxy connects in the order of its clients where nothing is lost; with loss they
        // come one at a time
        m_servers[m_accepted]->Use(socket);
        m_servers[m_accepted++]->Fill(socket, 0);
    }

    void Ended(const Address&, TcpSplitConnection::End end, uint64_t forth, uint64_t back)
    {
        m_ends.push_back(end);
        m_moved.emplace_back(forth, back);
    }

    void Held(uint64_t /* before */, uint64_t held)
    {
        m_most = std::max(m_most, held);
    }

    Ptr<Socket> m_listener;    //!< server's
    std::size_t m_accepted{0}; //!< connections accepted
};

} // namespace ns3

#endif // TCP_SPLIT_PROXY_BENCH_H
