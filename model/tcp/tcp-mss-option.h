/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_MSS_OPTION_H
#define TCP_MSS_OPTION_H

#include "ns3/address.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"

#include <cstdint>

namespace ns3
{

class TcpL4Protocol;

/**
 * @ingroup iwarp-tcp
 * @brief Put an MSS option into the header of a SYN segment, first of all options (RFC 9293
 * section 3.7.1).
 * @param header the header, without checksum
 * @param mss maximum segment size in octets
 * @return the header with the option
 */
TcpHeader TcpAddMssOption(const TcpHeader& header, uint16_t mss);

/**
 * @ingroup iwarp-tcp
 * @brief Adds an MSS option to what TCP sends, for as long as the object is there.
 *
 * TcpSocketBase builds the header of a SYN and sends it in one go, so that the option can only be
 * added on the way down.
 */
class TcpMssInserter
{
  public:
    /// Get into TCP's way down, to add the option there. @param tcp whose segments get the option
    /// @param mss maximum segment size in octets
    TcpMssInserter(Ptr<TcpL4Protocol> tcp, uint16_t mss);
    ~TcpMssInserter();
    TcpMssInserter(const TcpMssInserter&) = delete;
    TcpMssInserter& operator=(const TcpMssInserter&) = delete;

  private:
    void Add(Ptr<Packet> packet, const Address& from, const Address& to, uint8_t protocol) const;
    void SendDown(Ptr<Packet> packet,
                  Ipv4Address from,
                  Ipv4Address to,
                  uint8_t protocol,
                  Ptr<Ipv4Route> route);
    void SendDown6(Ptr<Packet> packet,
                   Ipv6Address from,
                   Ipv6Address to,
                   uint8_t protocol,
                   Ptr<Ipv6Route> route);

    Ptr<TcpL4Protocol> m_tcp;                  //!< whose way down passes here
    IpL4Protocol::DownTargetCallback m_down;   //!< its own way down
    IpL4Protocol::DownTargetCallback6 m_down6; //!< the same for IPv6
    uint16_t m_mss;                            //!< what the option says
};

} // namespace ns3

#endif // TCP_MSS_OPTION_H
