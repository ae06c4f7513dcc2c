/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PATH_H
#define ROCE_PATH_H

#include "roce-head.h"

#include "ns3/address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

class Ipv4;
class Ipv4Route;
class Ipv6;
class UdpL4Protocol;

/**
 * @ingroup iwarp-roce
 * @brief Sends packets of a connection to port 4791 of its peer, from a port that tells flows apart
 * on equal paths.
 *
 * Nothing comes to that port, so it needs no endpoint of UDP, through all of which ns-3 would walk
 * for each packet that comes. Packets are ECN-capable.
 *
 * With an ICRC (RoceIcrc) a packet becomes real octets, and its IPv4 header is written here, with
 * an identification of its own and not to be fragmented: the ICRC is of what is in it. Where
 * something stands between UDP and IPv4, such as IPsec, it gets the packets, without an ICRC.
 */
class RocePath : public SimpleRefCount<RocePath>
{
  public:
    static constexpr uint8_t ECN_CAPABLE = 2; //!< ECT(0): queues mark it as they do TCP's

    /// What a packet gets on its way out
    struct Treatment
    {
        uint8_t dscp{0};  //!< differentiated services codepoint, 0 to 63 (RFC 2474)
        bool icrc{false}; //!< the ICRC is right; its four octets are zeros otherwise
    };

    /// Make one. @param node that sends, with UDP @param peer address, and any port @param port
    /// that packets come from
    RocePath(const Ptr<Node>& node, const Address& peer, uint16_t port);
    ~RocePath();

    /// Send a packet, if there is a route. @param packet payload of UDP @param treatment of it
    void Send(const Ptr<Packet>& packet, const Treatment& treatment) const;

  private:
    /// Send over IPv4. @param packet payload of UDP @param treatment of it
    void Send4(const Ptr<Packet>& packet, const Treatment& treatment) const;
    /// Send over IPv6. @param packet payload of UDP @param treatment of it
    void Send6(const Ptr<Packet>& packet, const Treatment& treatment) const;
    /// Send over IPv4 with an ICRC. @param packet payload of UDP @param tos type of service
    /// @param route of it
    void SendSealed4(const Ptr<Packet>& packet, uint8_t tos, const Ptr<Ipv4Route>& route) const;

    Ptr<UdpL4Protocol> m_udp;             //!< of the node
    Ptr<Ipv4> m_ipv4;                     //!< of the node, if the peer has it
    Ptr<Ipv6> m_ipv6;                     //!< of the node, if the peer has it
    Ipv4Address m_peer4;                  //!< where packets go
    Ipv6Address m_peer6;                  //!< where packets go
    uint16_t m_port;                      //!< where packets come from
    bool m_alone{false};                  //!< IPv4 is right below UDP
    uint8_t m_timeToLive{0};              //!< of IPv4
    mutable uint16_t m_identification{0}; //!< of IPv4, of the next packet with an ICRC
};

} // namespace ns3

#endif // ROCE_PATH_H
