/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_DATAGRAM_SIZES_H
#define TCP_DATAGRAM_SIZES_H

#include "ns3/address.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Tells TCP how much room a path leaves where something below it adds octets to datagrams,
 * as IPsec does. Aggregated to a node; where there is none, nothing is added.
 *
 * TCP reckons with datagrams as it hands them down. Addresses are InetSocketAddress or
 * Inet6SocketAddress.
 */
class TcpDatagramSizes : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Find the largest datagram of TCP's that fits a link or a path.
     * @param mtu what that takes, octets
     * @param local address and port of a connection
     * @param peer address and port of its peer
     * @return octets, at most @p mtu
     */
    virtual uint32_t GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer) = 0;
};

} // namespace ns3

#endif // TCP_DATAGRAM_SIZES_H
