/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_PACKET_H
#define TLS_PACKET_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup iwarp-tls
 * Octets of packets.
 */

namespace ns3
{

/**
 * @ingroup iwarp-tls
 * @brief Copy a packet and put octets before it.
 * @param packet it
 * @param octets what to put there
 * @param size how many
 * @return the copy
 */
Ptr<Packet> AddTlsOctetsBefore(const Ptr<const Packet>& packet,
                               const uint8_t* octets,
                               uint32_t size);

/// @ingroup iwarp-tls
/// @brief Take the octets of a packet. @param packet it @return they, virtual ones as zeros
std::vector<uint8_t> CopyTlsOctets(const Ptr<const Packet>& packet);

/// @ingroup iwarp-tls
/// @brief Make a packet. @param octets its octets @return it
Ptr<Packet> MakeTlsPacket(const std::vector<uint8_t>& octets);

} // namespace ns3

#endif // TLS_PACKET_H
