/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_DUPLICATE_SACK_H
#define TCP_DUPLICATE_SACK_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @file
 * @ingroup iwarp-tcp
 * Reports of octets that have come twice, which stand in front of the SACK blocks (RFC 2883).
 */

/**
 * @ingroup iwarp-tcp
 * @brief Find what an ACK tells of octets that came twice (RFC 2883 section 4).
 * @param header of the ACK
 * @return its first block, if that is acknowledged or a part of the second one; none otherwise
 */
std::optional<TcpOptionSack::SackBlock> TcpFindDuplicateSack(const TcpHeader& header);

/**
 * @ingroup iwarp-tcp
 * @brief Find what of a segment has come before.
 * @param seq first octet of it
 * @param size octets
 * @param next number expected next
 * @param held what is held behind that, as SACK blocks tell
 * @return the first octets in a row that have come before; none if all are new
 */
std::optional<TcpOptionSack::SackBlock> TcpFindDuplicate(SequenceNumber32 seq,
                                                         uint32_t size,
                                                         SequenceNumber32 next,
                                                         const TcpOptionSack::SackList& held);

/**
 * @ingroup iwarp-tcp
 * @brief Put a report in front of the SACK blocks of an ACK, of which the last give way to it where
 * the header has no room.
 * @param header of the ACK, without checksum
 * @param duplicate octets that came twice
 * @return the header with the report
 */
TcpHeader TcpAddDuplicateSack(const TcpHeader& header, const TcpOptionSack::SackBlock& duplicate);

} // namespace ns3

#endif // TCP_DUPLICATE_SACK_H
