/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SCRIPTED_PEER_H
#define TCP_SCRIPTED_PEER_H

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

/**
 * @ingroup iwarp-tests
 * A host 10.0.0.1 with ns-3's stack, and a peer 10.0.0.2 without one: it sends TCP segments made by
 * hand, so that it answers as the test says and not as ns-3's TCP would. One connection at a time,
 * nothing is lost, and the peer sends nothing again.
 */
class TcpScriptedPeer
{
  public:
    static constexpr uint8_t FIN = ns3::TcpHeader::FIN; //!< flag
    static constexpr uint8_t SYN = ns3::TcpHeader::SYN; //!< flag
    static constexpr uint8_t RST = ns3::TcpHeader::RST; //!< flag
    static constexpr uint8_t ACK = ns3::TcpHeader::ACK; //!< flag

    /// A segment of the host.
    struct Segment
    {
        uint8_t flags;                //!< flags
        std::vector<uint8_t> payload; //!< octets
        ns3::Time when;               //!< when it came
    };

    TcpScriptedPeer()
    {
        m_nodes.Create(2);
        ns3::PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", ns3::StringValue("1ms"));
        const ns3::NetDeviceContainer devices = link.Install(m_nodes);
        ns3::InternetStackHelper().Install(m_nodes.Get(0));
        ns3::Ipv4AddressHelper("10.0.0.0", "255.255.255.0")
            .Assign(ns3::NetDeviceContainer(devices.Get(0)));
        m_device = devices.Get(1);
        m_nodes.Get(1)->RegisterProtocolHandler(ns3::MakeCallback(&TcpScriptedPeer::Receive, this),
                                                IPV4,
                                                m_device);
    }

    ~TcpScriptedPeer()
    {
        ns3::Simulator::Destroy();
    }

    /// @return the host
    ns3::Ptr<ns3::Node> GetHost() const
    {
        return m_nodes.Get(0);
    }

    /// Connect to the host. @param port where it listens
    void Connect(uint16_t port)
    {
        m_hostPort = port;
        m_port = 50000;
        Send(SYN);
    }

    /// Send a segment that acknowledges all that came, but for a first SYN and an RST. @param flags
    /// besides ACK @param payload octets
    void Send(uint8_t flags, const std::vector<uint8_t>& payload = {})
    {
        SendFrom(m_next, flags, payload);
    }

    /// Send a segment from anywhere in the stream: again, or ahead of what was sent. @param seq
    /// sequence number of its first octet @param flags besides ACK @param payload octets
    void SendFrom(uint32_t seq, uint8_t flags, const std::vector<uint8_t>& payload)
    {
        ns3::TcpHeader tcp;
        tcp.SetSourcePort(m_port);
        tcp.SetDestinationPort(m_hostPort);
        tcp.SetFlags(m_synchronized && !(flags & RST) ? flags | ACK : flags);
        tcp.SetSequenceNumber(ns3::SequenceNumber32(seq));
        tcp.SetAckNumber(ns3::SequenceNumber32(m_expected));
        tcp.SetWindowSize(window);
        m_next = std::max<uint32_t>(m_next, seq + payload.size() + ((flags & (SYN | FIN)) ? 1 : 0));
        auto packet = ns3::Create<ns3::Packet>(payload.data(), payload.size());
        packet->AddHeader(tcp);
        ns3::Ipv4Header ip;
        ip.SetSource("10.0.0.2");
        ip.SetDestination("10.0.0.1");
        ip.SetProtocol(6);
        ip.SetTtl(64);
        ip.SetPayloadSize(packet->GetSize());
        packet->AddHeader(ip);
        m_device->Send(packet, m_device->GetBroadcast(), IPV4);
    }

    /// @return sequence number behind all that was sent
    uint32_t GetNext() const
    {
        return m_next;
    }

    /// @param flag of a segment @return how many segments of the host had it
    uint32_t Count(uint8_t flag) const
    {
        uint32_t count = 0;
        for (const Segment& segment : segments)
        {
            count += (segment.flags & flag) != 0;
        }
        return count;
    }

    /// Called with each segment of the host behind the handshake, once it is noted.
    std::function<void(const Segment&)> onSegment{[](const Segment&) {}};
    /// Called when the handshake is over.
    std::function<void()> onConnected{[] {}};
    std::vector<Segment> segments; //!< of the host, behind the handshake
    std::vector<uint8_t> received; //!< octets of the host in order
    uint16_t window{65535};        //!< receive window that it tells

  private:
    static constexpr uint16_t IPV4 = 0x0800; //!< EtherType

    /// A datagram of the host. @param packet datagram
    void Receive(ns3::Ptr<ns3::NetDevice>,
                 ns3::Ptr<const ns3::Packet> packet,
                 uint16_t,
                 const ns3::Address&,
                 const ns3::Address&,
                 ns3::NetDevice::PacketType)
    {
        auto rest = packet->Copy();
        ns3::Ipv4Header ip;
        ns3::TcpHeader tcp;
        rest->RemoveHeader(ip);
        rest->RemoveHeader(tcp);
        const uint8_t flags = tcp.GetFlags();
        const uint32_t seq = tcp.GetSequenceNumber().GetValue();
        if (flags & SYN)
        {
            m_hostPort = tcp.GetSourcePort();
            m_port = tcp.GetDestinationPort();
            m_expected = seq + 1;
            m_synchronized = true;
            Send(flags & ACK ? 0 : SYN);
            if (flags & ACK)
            {
                onConnected();
            }
            return;
        }
        Segment segment{flags, std::vector<uint8_t>(rest->GetSize()), ns3::Simulator::Now()};
        rest->CopyData(segment.payload.data(), segment.payload.size());
        if (seq == m_expected)
        {
            m_expected += segment.payload.size() + (flags & FIN ? 1 : 0);
            received.insert(received.end(), segment.payload.begin(), segment.payload.end());
        }
        segments.push_back(segment);
        const auto tell = onSegment; // it may set another one
        tell(segment);
    }

    ns3::NodeContainer m_nodes;        //!< host and peer
    ns3::Ptr<ns3::NetDevice> m_device; //!< of the peer
    uint16_t m_hostPort{0};            //!< port of the host
    uint16_t m_port{0};                //!< port of the peer
    bool m_synchronized{false};        //!< a SYN of the host has come
    uint32_t m_next{1000};             //!< sequence number of the next octet
    uint32_t m_expected{0};            //!< sequence number that is awaited
};

#endif // TCP_SCRIPTED_PEER_H
