/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_OPTION_INSERTER_H
#define TCP_OPTION_INSERTER_H

#include "ns3/address.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

class TcpL4Protocol;

/**
 * @ingroup iwarp-tcp
 * @brief Make a header with other options.
 * @param header all but its options
 * @param options of the new header
 * @return the header with these, without checksum
 */
TcpHeader TcpReplaceOptions(const TcpHeader& header,
                            const std::vector<Ptr<const TcpOption>>& options);

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
 * @brief Changes the options of what TCP sends, for as long as the object is there.
 *
 * TcpSocketBase builds the header of a segment without data and sends it in one go, so that an
 * option can only be added on the way down.
 */
class TcpOptionInserter
{
  public:
    /// Makes another header of one.
    using Change = std::function<TcpHeader(const TcpHeader&)>;

    /// Get into TCP's way down. @param tcp whose segments are changed @param change what is to be
    /// done to their headers
    TcpOptionInserter(Ptr<TcpL4Protocol> tcp, Change change);
    ~TcpOptionInserter();
    TcpOptionInserter(const TcpOptionInserter&) = delete;
    TcpOptionInserter& operator=(const TcpOptionInserter&) = delete;

  private:
    void Apply(Ptr<Packet> packet, const Address& from, const Address& to, uint8_t protocol) const;
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
    Change m_change;                           //!< what is done to headers
};

} // namespace ns3

#endif // TCP_OPTION_INSERTER_H
