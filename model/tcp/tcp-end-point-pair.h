/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_END_POINT_PAIR_H
#define TCP_END_POINT_PAIR_H

#include "ns3/address.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

class Ipv4EndPoint;
class Ipv6EndPoint;
class NetDevice;
class Node;
class Packet;
class TcpHeader;
class TcpL4Protocol;

/**
 * @ingroup iwarp-tcp
 * @brief The endpoint of a socket, be it of IPv4 or of IPv6: one of both is there, unless the
 * socket is closed. What is asked of a closed one is undefined, but IsOpen().
 */
struct TcpEndPointPair
{
    Ipv4EndPoint* ipv4; //!< endpoint of an IPv4 socket, or nullptr
    Ipv6EndPoint* ipv6; //!< endpoint of an IPv6 socket, or nullptr

    /// Tell whether there is an endpoint. @return true if there is
    bool IsOpen() const
    {
        return ipv4 || ipv6;
    }

    /// Tell which IP carries the segments. @return true for IPv4, also if the socket is one of IPv6
    /// whose peer has an IPv4-mapped address, or if there is no endpoint
    bool IsIpv4() const;
    uint16_t GetLocalPort() const;   //!< Get the port. @return port of this end
    Address GetLocalAddress() const; //!< Get this end. @return address and port
    Address GetPeerAddress() const;  //!< Get the other end. @return address and port

    /**
     * @brief Find the device of the route to the peer.
     * @param node of the socket
     * @param bound device that the socket is bound to, or nullptr
     * @return device; nullptr if there is no route
     */
    Ptr<NetDevice> FindRouteDevice(const Node& node, Ptr<NetDevice> bound) const;

    /**
     * @brief Send a segment to the peer.
     * @param tcp that sends it
     * @param packet payload
     * @param header its header, in which the ports are set
     * @param bound device that the socket is bound to, or nullptr
     */
    void Send(TcpL4Protocol& tcp,
              Ptr<Packet> packet,
              const TcpHeader& header,
              Ptr<NetDevice> bound) const;

    /// Set the ports of a segment to the peer. @param header its header
    void SetPorts(TcpHeader& header) const;
};

} // namespace ns3

#endif // TCP_END_POINT_PAIR_H
