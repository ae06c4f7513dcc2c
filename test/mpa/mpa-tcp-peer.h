/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_PEER_H
#define MPA_TCP_PEER_H

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack-permitted.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"

#include <cstdint>
#include <optional>
#include <vector>

/// A segment, as the peer made by hand sends or sees it.
struct HandMadeSegment
{
    uint8_t flags{0};                                //!< flags
    uint32_t seq{0};                                 //!< sequence number
    uint32_t ack{0};                                 //!< acknowledgment number
    uint32_t size{0};                                //!< octets of payload
    std::optional<uint32_t> timestamp;               //!< TSval
    uint32_t echo{0};                                //!< TSecr
    uint16_t window{30000};                          //!< window field
    uint16_t port{2000};                             //!< the peer's port
    uint8_t tos{0};                                  //!< type of service of IP's header
    bool sackPermitted{false};                       //!< option of a SYN
    std::vector<ns3::TcpOptionSack::SackBlock> sack; //!< SACK blocks
    ns3::Time at;                                    //!< when it was seen
};

/**
 * @ingroup iwarp-test
 * A host with MpaTcpSockets, 10.0.0.2, and a peer at the other end of its link that has no stack:
 * 10.0.0.1 sends the segments that a test makes by hand and notes what comes.
 */
class HandMadePeer
{
  public:
    static constexpr uint16_t PORT = 4000; //!< the host's port

    HandMadePeer()
    {
        ns3::NodeContainer nodes(2);
        ns3::PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::MicroSeconds(10)));
        const auto devices = link.Install(nodes);
        m_device = devices.Get(0);
        host = nodes.Get(1);
        ns3::InternetStackHelper().Install(host);
        ns3::Ipv4AddressHelper("10.0.0.0", "255.255.255.0", "0.0.0.2").Assign(devices.Get(1));
        ns3::MpaTcpSocketFactory::Install(host);
        nodes.Get(0)->RegisterProtocolHandler(ns3::MakeCallback(&HandMadePeer::Receive, this),
                                              0x0800,
                                              m_device);
    }

    HandMadePeer(const HandMadePeer&) = delete;
    HandMadePeer& operator=(const HandMadePeer&) = delete;

    /// @return a socket of the host
    ns3::Ptr<ns3::MpaTcpSocket> MakeSocket() const
    {
        return ns3::DynamicCast<ns3::MpaTcpSocket>(
            ns3::Socket::CreateSocket(host, ns3::MpaTcpSocketFactory::GetTypeId()));
    }

    /// @return where a socket of the host connects to
    static ns3::Address GetAddress()
    {
        return ns3::InetSocketAddress(ns3::Ipv4Address("10.0.0.1"), 2000);
    }

    /// Send a segment to the host. @param segment it
    void Send(const HandMadeSegment& segment)
    {
        ns3::TcpHeader tcp;
        tcp.SetSourcePort(segment.port);
        tcp.SetDestinationPort(hostPort);
        tcp.SetFlags(segment.flags);
        tcp.SetSequenceNumber(ns3::SequenceNumber32(segment.seq));
        tcp.SetAckNumber(ns3::SequenceNumber32(segment.ack));
        tcp.SetWindowSize(segment.window);
        if (segment.timestamp)
        {
            auto option = ns3::CreateObject<ns3::TcpOptionTS>();
            option->SetTimestamp(*segment.timestamp);
            option->SetEcho(segment.echo);
            tcp.AppendOption(option);
        }
        if (segment.sackPermitted)
        {
            tcp.AppendOption(ns3::CreateObject<ns3::TcpOptionSackPermitted>());
        }
        if (!segment.sack.empty())
        {
            auto option = ns3::CreateObject<ns3::TcpOptionSack>();
            for (const auto& block : segment.sack)
            {
                option->AddSackBlock(block);
            }
            tcp.AppendOption(option);
        }
        auto packet = ns3::Create<ns3::Packet>(segment.size);
        packet->AddHeader(tcp);
        ns3::Ipv4Header ip;
        ip.SetSource(ns3::Ipv4Address("10.0.0.1"));
        ip.SetDestination(ns3::Ipv4Address("10.0.0.2"));
        ip.SetProtocol(6);
        ip.SetTtl(64);
        ip.SetTos(segment.tos);
        ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
        packet->AddHeader(ip);
        m_device->Send(packet, m_device->GetBroadcast(), 0x0800);
    }

    /// @param flags of segments @return how many that have exactly these have come
    std::size_t Count(uint8_t flags) const
    {
        std::size_t count = 0;
        for (const auto& segment : seen)
        {
            count += segment.flags == flags;
        }
        return count;
    }

    ns3::Ptr<ns3::Node> host;          //!< the host
    uint16_t hostPort{PORT};           //!< where segments go
    std::vector<HandMadeSegment> seen; //!< what the host has sent

  private:
    void Receive(ns3::Ptr<ns3::NetDevice> /* device */,
                 ns3::Ptr<const ns3::Packet> packet,
                 uint16_t /* protocol */,
                 const ns3::Address& /* from */,
                 const ns3::Address& /* to */,
                 ns3::NetDevice::PacketType /* type */)
    {
        auto copy = packet->Copy();
        ns3::Ipv4Header ip;
        ns3::TcpHeader tcp;
        copy->RemoveHeader(ip);
        copy->RemoveHeader(tcp);
        HandMadeSegment segment;
        segment.flags = tcp.GetFlags();
        segment.seq = tcp.GetSequenceNumber().GetValue();
        segment.ack = tcp.GetAckNumber().GetValue();
        segment.size = copy->GetSize();
        segment.window = tcp.GetWindowSize();
        segment.port = tcp.GetDestinationPort();
        segment.at = ns3::Simulator::Now();
        const auto option =
            ns3::DynamicCast<const ns3::TcpOptionTS>(tcp.GetOption(ns3::TcpOption::TS));
        if (option)
        {
            segment.timestamp = option->GetTimestamp();
            segment.echo = option->GetEcho();
        }
        hostPort = tcp.GetSourcePort();
        seen.push_back(segment);
    }

    ns3::Ptr<ns3::NetDevice> m_device; //!< the peer's device
};

#endif // MPA_TCP_PEER_H
