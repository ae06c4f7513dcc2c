/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_TEST_NETWORK_H
#define RECORD_TEST_NETWORK_H

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <functional>
#include <string>

/// Two hosts on a link of 1 Gbit/s and 50 us: the left one connects to the right one at 2 s.
class RecordTestNetwork
{
  public:
    /// What is done to the hosts before sockets are made.
    using Prepare = std::function<void(const ns3::NodeContainer&, const ns3::NetDeviceContainer&)>;

    /// @param factory of the sockets @param ipv6 over IPv6 @param prepare hosts, if need be
    RecordTestNetwork(const std::string& factory, bool ipv6, const Prepare& prepare = nullptr)
    {
        using namespace ns3;
        nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", StringValue("50us"));
        devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            MpaTcpSocketFactory::Install(nodes.Get(i));
            Rfc9293TcpSocketFactory::Install(nodes.Get(i));
        }
        Address to;
        Address any = InetSocketAddress(Ipv4Address::GetAny(), PORT);
        if (ipv6)
        {
            const auto interfaces =
                Ipv6AddressHelper(Ipv6Address("2001:db8::"), Ipv6Prefix(64)).Assign(devices);
            to = Inet6SocketAddress(interfaces.GetAddress(1, 1), PORT);
            any = Inet6SocketAddress(Ipv6Address::GetAny(), PORT);
        }
        else
        {
            const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
            to = InetSocketAddress(interfaces.GetAddress(1), PORT);
        }
        if (prepare)
        {
            prepare(nodes, devices);
        }
        const TypeId type = TypeId::LookupByName(factory);
        m_listener = Socket::CreateSocket(nodes.Get(1), type);
        m_listener->Bind(any);
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&RecordTestNetwork::HandleAccept, this));
        m_socket = Socket::CreateSocket(nodes.Get(0), type);
        m_socket->SetAttribute("SndBufSize", UintegerValue(SEND_BUFFER));
        m_socket->SetConnectCallback(MakeCallback(&RecordTestNetwork::HandleConnect, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        Simulator::Schedule(Seconds(2), [this, to] { m_socket->Connect(to); });
    }

    ~RecordTestNetwork()
    {
        m_socket = nullptr;
        m_listener = nullptr;
        ns3::Simulator::Destroy();
    }

    std::function<void(ns3::Ptr<ns3::Socket>)> onConnect; //!< the left end is connected
    std::function<void(ns3::Ptr<ns3::Socket>)> onAccept;  //!< the right end is
    ns3::NodeContainer nodes;                             //!< left, right
    ns3::NetDeviceContainer devices;                      //!< of the link, left and right

    static constexpr uint16_t PORT = 4420;         //!< that is listened on
    static constexpr uint32_t SEND_BUFFER = 20000; //!< of the left end, octets

  private:
    void HandleAccept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& /* from */)
    {
        onAccept(socket);
    }

    void HandleConnect(ns3::Ptr<ns3::Socket> socket)
    {
        onConnect(socket);
    }

    ns3::Ptr<ns3::Socket> m_listener; //!< of the right host
    ns3::Ptr<ns3::Socket> m_socket;   //!< of the left host
};

#endif // RECORD_TEST_NETWORK_H
