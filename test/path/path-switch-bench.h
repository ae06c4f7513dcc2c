/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_SWITCH_BENCH_H
#define PATH_SWITCH_BENCH_H

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/iwarp-network.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/path-pause.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

/**
 * @ingroup iwarp-test
 * Hosts at switches that send datagrams of given sizes and classes, as fast as their links take
 * them, and count what comes.
 */
class SwitchBench
{
  public:
    /// A run of equal datagrams
    struct Train
    {
        uint32_t count; //!< datagrams
        uint32_t size;  //!< octets of each, IP's header too
    };

    explicit SwitchBench(bool ipv6) //!< @param ipv6 of the network
        : m_network(ipv6)
    {
    }

    SwitchBench(const SwitchBench&) = delete;
    SwitchBench& operator=(const SwitchBench&) = delete;

    ns3::IwarpNetwork& GetNetwork() //!< @return network
    {
        return m_network;
    }

    /// Compute routes, and have all hosts count what comes
    void Start()
    {
        m_network.InstallRoutes();
        m_received.resize(m_network.GetNHosts());
        for (uint32_t host = 0; host < m_network.GetNHosts(); host++)
        {
            auto socket = ns3::Socket::CreateSocket(m_network.GetHost(host),
                                                    ns3::UdpSocketFactory::GetTypeId());
            socket->Bind(m_network.GetAnySocketAddress(PORT));
            socket->SetRecvCallback(ns3::MakeCallback(&SwitchBench::Receive, this));
            m_index[ns3::PeekPointer(socket)] = host;
            m_sockets.push_back(socket);
        }
    }

    /// Send. @param at when @param from host @param to host @param dscp of the datagrams @param
    /// trains what to send, one behind the other
    void Send(ns3::Time at,
              uint32_t from,
              uint32_t to,
              uint8_t dscp,
              const std::vector<Train>& trains)
    {
        ns3::Simulator::Schedule(at, [this, from, to, dscp, trains] {
            auto socket = ns3::Socket::CreateSocket(m_network.GetHost(from),
                                                    ns3::UdpSocketFactory::GetTypeId());
            // connected first: until 3.37 ns-3 takes the type of service from the address
            socket->Connect(m_network.GetHostSocketAddress(to, PORT));
            if (m_network.IsIpv6())
            {
                socket->SetIpv6Tclass(dscp << 2);
            }
            else
            {
                socket->SetIpTos(static_cast<uint8_t>(dscp << 2));
            }
            for (const auto& train : trains)
            {
                for (uint32_t i = 0; i < train.count; i++)
                {
                    socket->Send(ns3::Create<ns3::Packet>(train.size - GetHeaders()));
                }
                m_sent[{from, to}] += train.count;
            }
            m_sockets.push_back(socket);
        });
    }

    uint32_t GetHeaders() const //!< @return octets of a datagram's headers
    {
        return (m_network.IsIpv6() ? 40 : 20) + 8;
    }

    /// @param host its index @return datagrams that it received
    uint64_t GetReceived(uint32_t host) const
    {
        return m_received.at(host);
    }

    uint64_t CountSent() const //!< @return datagrams that were sent
    {
        uint64_t all = 0;
        for (const auto& entry : m_sent)
        {
            all += entry.second;
        }
        return all;
    }

    uint64_t CountReceived() const //!< @return datagrams that came
    {
        uint64_t all = 0;
        for (const uint64_t some : m_received)
        {
            all += some;
        }
        return all;
    }

    /// @param router its index @return memory of the router
    const ns3::PathPause& GetMemory(uint32_t router) const
    {
        return *m_network.GetMemories().at(router);
    }

  private:
    static constexpr uint16_t PORT = 9; //!< where all hosts listen

    void Receive(ns3::Ptr<ns3::Socket> socket)
    {
        while (socket->Recv())
        {
            m_received[m_index.at(ns3::PeekPointer(socket))]++;
        }
    }

    ns3::IwarpNetwork m_network;                              //!< network
    std::vector<ns3::Ptr<ns3::Socket>> m_sockets;             //!< of all hosts
    std::map<const ns3::Socket*, uint32_t> m_index;           //!< hosts of those that listen
    std::vector<uint64_t> m_received;                         //!< datagrams at each host
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_sent; //!< datagrams by hosts
};

#endif // PATH_SWITCH_BENCH_H
