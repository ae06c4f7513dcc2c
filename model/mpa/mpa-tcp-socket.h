/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_SOCKET_H
#define MPA_TCP_SOCKET_H

#include "ns3/ns3-compat.h"
#include "ns3/record-tcp-socket.h"

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief MPA-aware TCP: a TCP socket that cuts segments at record boundaries (RFC 5044 A.1, A.3).
 *
 * A record is what one Send() hands over; MpaStream hands over one FPDU a call, an ordinary
 * application whatever it sends. All of it is RecordTcpSocket's: this is its name where the records
 * are FPDUs.
 *
 * Sockets are created by MpaTcpSocketFactory.
 */
class MpaTcpSocket : public iwarp::WithInstanceTypeId<MpaTcpSocket, RecordTcpSocket>
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    MpaTcpSocket() = default;
    MpaTcpSocket(const MpaTcpSocket& other); //!< for Fork() @param other listening socket

  protected:
    Ptr<TcpSocketBase> Fork() override;
    Ptr<Rfc9293TcpSocketFactory> GetFactory() const override;
};

} // namespace ns3

#endif // MPA_TCP_SOCKET_H
