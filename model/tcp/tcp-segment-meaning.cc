/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-segment-meaning.h"

namespace ns3
{

TcpHandshakeSegment::TcpHandshakeSegment(const TcpHeader& header,
                                         SequenceNumber32 sent,
                                         SequenceNumber32 next,
                                         TcpSocket::TcpStates_t state,
                                         bool active)
    : syn(header.GetFlags() & TcpHeader::SYN),
      ack(header.GetFlags() & TcpHeader::ACK),
      reset(header.GetFlags() & TcpHeader::RST),
      matches(header.GetAckNumber() == sent + SequenceNumber32(1)),
      bare(header)
{
    const bool connecting = state == TcpSocket::SYN_SENT;
    const bool follows = !syn || header.GetSequenceNumber() + SequenceNumber32(1) == next;
    const bool both = !connecting && active && ack && matches && !reset;
    old = both && !follows;
    completes = both && follows;
    good = connecting ? syn && !reset && (matches || !ack)
                      : reset || (syn && !ack && follows) || (ack && matches && !both);
    opens = good && syn;
    bare.SetFlags(TcpHeader::ACK);
    bare.SetSequenceNumber(next);
}

TcpClosingSegment::TcpClosingSegment(const TcpHeaderFields& fields,
                                     TcpSocket::TcpStates_t state,
                                     SequenceNumber32 tail,
                                     bool finished)
{
    const uint8_t kind =
        fields.flags & (TcpHeader::ACK | TcpHeader::SYN | TcpHeader::FIN | TcpHeader::RST);
    const bool closing = state == TcpSocket::LAST_ACK || state == TcpSocket::CLOSING;
    const bool fin = kind == (TcpHeader::FIN | TcpHeader::ACK);
    ackOfData = closing && SequenceNumber32(fields.ack) <= tail && kind == TcpHeader::ACK;
    again = fin && finished &&
            (state == TcpSocket::CLOSE_WAIT || state == TcpSocket::TIME_WAIT || closing);
    ackWithFin = fin && (state == TcpSocket::ESTABLISHED || again);
    reset = (kind & TcpHeader::RST) && state != TcpSocket::CLOSED;
}

} // namespace ns3
