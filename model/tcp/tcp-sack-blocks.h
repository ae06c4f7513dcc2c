/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SACK_BLOCKS_H
#define TCP_SACK_BLOCKS_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"

#include <memory>
#include <optional>

namespace ns3
{

class TcpHeldOctets;

/**
 * @ingroup iwarp-tcp
 * @brief What the peer says that it holds behind a hole (RFC 2018), as far as that can be, and
 * whether it goes back on it (section 8).
 */
class TcpSackBlocks
{
  public:
    TcpSackBlocks();
    ~TcpSackBlocks();
    /// A connection of a listener begins with nothing.
    TcpSackBlocks(const TcpSackBlocks&);
    TcpSackBlocks& operator=(const TcpSackBlocks&) = delete;

    /**
     * @brief Take note of the blocks of an ACK, and leave out those of what was not sent or is
     * acknowledged, such as those of octets that came twice (RFC 2883).
     * @param header of the ACK, which has blocks
     * @param head number of the first octet not acknowledged
     * @param sent number behind all that was sent
     * @param permitted both ends use SACK
     * @return the header with the blocks that count; nothing if all do
     */
    std::optional<TcpHeader> Filter(const TcpHeader& header,
                                    SequenceNumber32 head,
                                    SequenceNumber32 sent,
                                    bool permitted);

    /**
     * @brief Something new is acknowledged.
     * @param ack number up to which it is
     * @param sent number behind all that was sent
     * @return true if the peer has given up octets that it has told of: the ACK stops in front of
     * them
     */
    bool Acknowledge(SequenceNumber32 ack, SequenceNumber32 sent);

  private:
    std::unique_ptr<TcpHeldOctets> m_told; //!< octets that blocks named; none at first
};

} // namespace ns3

#endif // TCP_SACK_BLOCKS_H
