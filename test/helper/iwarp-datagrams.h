/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_DATAGRAMS_H
#define IWARP_DATAGRAMS_H

#include "ns3/callback.h"
#include "ns3/iwarp-network.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

/**
 * @ingroup iwarp-test
 * Numbered UDP datagrams from one host of a network to another, each flow from a port of its own.
 */
class Datagrams
{
  public:
    /// A datagram that arrived
    struct Arrival
    {
        uint32_t flow;   //!< its flow
        uint32_t number; //!< its number
        ns3::Time at;    //!< when
    };

    /// @param network where @param from host @param to host
    Datagrams(ns3::IwarpNetwork& network, uint32_t from, uint32_t to)
        : m_from(network.GetHost(from)),
          m_receiver(
              ns3::Socket::CreateSocket(network.GetHost(to), ns3::UdpSocketFactory::GetTypeId())),
          m_to(network.GetHostSocketAddress(to, 9))
    {
        m_receiver->SetAttribute("RcvBufSize", ns3::UintegerValue(1U << 24));
        m_receiver->Bind(network.GetAnySocketAddress(9));
        m_receiver->SetRecvCallback(ns3::MakeCallback(&Datagrams::Receive, this));
    }

    Datagrams(const Datagrams&) = delete;
    Datagrams& operator=(const Datagrams&) = delete;

    /// Send a datagram. @param at when, not 0 @param number its number @param flow its flow
    /// @param size octets of payload, at least 8
    void Send(ns3::Time at, uint32_t number, uint32_t flow = 0, uint32_t size = 1000)
    {
        ns3::Simulator::Schedule(at, [this, number, flow, size] {
            auto& socket = m_senders[flow];
            if (!socket)
            {
                socket = ns3::Socket::CreateSocket(m_from, ns3::UdpSocketFactory::GetTypeId());
            }
            std::vector<uint8_t> payload(size);
            for (uint32_t i = 0; i < 4; i++)
            {
                payload[i] = static_cast<uint8_t>(flow >> 8 * i);
                payload[4 + i] = static_cast<uint8_t>(number >> 8 * i);
            }
            socket->SendTo(ns3::Create<ns3::Packet>(payload.data(), size), 0, m_to);
        });
    }

    /// Send datagrams 0 to n - 1, one every 100 us from 1 ms on. @param n how many
    void SendTrain(uint32_t n)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            Send(ns3::MilliSeconds(1) + i * ns3::MicroSeconds(100), i);
        }
    }

    std::vector<uint32_t> GetNumbers() const //!< @return numbers in the order of arrival
    {
        std::vector<uint32_t> numbers;
        for (const auto& arrival : m_arrivals)
        {
            numbers.push_back(arrival.number);
        }
        return numbers;
    }

    std::vector<Arrival> m_arrivals; //!< what arrived

  private:
    void Receive(ns3::Ptr<ns3::Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            std::array<uint8_t, 8> octets{};
            packet->CopyData(octets.data(), octets.size());
            Arrival arrival{0, 0, ns3::Simulator::Now()};
            for (uint32_t i = 0; i < 4; i++)
            {
                arrival.flow |= uint32_t{octets[i]} << 8 * i;
                arrival.number |= uint32_t{octets[4 + i]} << 8 * i;
            }
            m_arrivals.push_back(arrival);
        }
    }

    ns3::Ptr<ns3::Node> m_from;                          //!< sending host
    ns3::Ptr<ns3::Socket> m_receiver;                    //!< receiver
    ns3::Address m_to;                                   //!< where it listens
    std::map<uint32_t, ns3::Ptr<ns3::Socket>> m_senders; //!< sender of each flow
};

#endif // IWARP_DATAGRAMS_H
