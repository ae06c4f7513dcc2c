/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SEGMENT_MEANING_H
#define TCP_SEGMENT_MEANING_H

#include "tcp-header-fields.h"

#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket.h"

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-tcp
 * What a segment means at the beginning and at the end of a connection, where ns-3's TcpSocketBase
 * (3.35 to 3.48) gets it wrong.
 */

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief What a segment means before the connection is there, RFC 9293 sections 3.10.7.3 and
 * 3.10.7.4.
 *
 * TcpSocketBase takes octets without an ACK for a connection, ends it for a wrong one, and takes
 * any SYN for that of the peer. It takes a reset with an ACK for an ACK, and sends the SYN until it
 * gives up; one without, which anybody can send, it would obey. SYN and ACK of a peer that was
 * connected to while it connects (section 3.5, figure 8) it answers with a reset, and an ACK of it
 * is a listener's.
 */
struct TcpHandshakeSegment
{
    /**
     * @brief Find it.
     * @param header of the segment
     * @param sent number of our SYN
     * @param next number that the peer's next octet has, once its SYN has come
     * @param state SYN_SENT or SYN_RCVD
     * @param active we connect, and do not answer who does
     */
    TcpHandshakeSegment(const TcpHeader& header,
                        SequenceNumber32 sent,
                        SequenceNumber32 next,
                        TcpSocket::TcpStates_t state,
                        bool active);

    bool syn;       //!< SYN
    bool ack;       //!< ACK
    bool reset;     //!< RST
    bool matches;   //!< it acknowledges our SYN
    bool old;       //!< it has a SYN that is not the peer's
    bool completes; //!< we and the peer have connected to each other, and here is the last of it
    bool good;      //!< anything else that TcpSocketBase may process
    bool opens;     //!< its options are those of the peer
    TcpHeader bare; //!< header of its ACK alone
};

/// @ingroup iwarp-tcp
/// @brief What a segment means for the end of a connection (RFC 9293 section 3.10.7.4).
struct TcpClosingSegment
{
    /**
     * @brief Find it.
     * @param fields of its header
     * @param state of the connection
     * @param tail number behind our last octet
     * @param finished the peer's FIN has come before
     */
    TcpClosingSegment(const TcpHeaderFields& fields,
                      TcpSocket::TcpStates_t state,
                      SequenceNumber32 tail,
                      bool finished);

    bool ackOfData;  //!< TcpSocketBase takes any ACK for that of our FIN, and would give up what
                     //!< the peer has not got yet
    bool again;      //!< a FIN that comes again, for want of an ACK: TcpSocketBase sends none, so
                     //!< that who waits for its peer waits for ever
    bool ackWithFin; //!< TcpSocketBase looks at the FIN only, and would send again what the segment
                     //!< acknowledges
    bool reset;      //!< TcpSocketBase obeys any reset without ACK, and answers one with ACK with
                     //!< another, or wants a timestamp
};

} // namespace ns3

#endif // TCP_SEGMENT_MEANING_H
