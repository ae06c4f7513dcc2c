/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_SOCKET_FACTORY_H
#define MPA_TCP_SOCKET_FACTORY_H

#include "mpa-tcp-socket.h"

#include "ns3/rfc9293-tcp-socket-factory.h"

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Creates MpaTcpSocket on a node, beside the node's plain TCP sockets.
 *
 * Install() it on a node that has an internet stack. With its first socket the node gets a
 * TcpEndPointTable. An application gets MPA-aware sockets if its
 * attribute `Protocol` is `ns3::MpaTcpSocketFactory`, a program if it calls
 * Socket::CreateSocket(node, MpaTcpSocketFactory::GetTypeId()).
 */
class MpaTcpSocketFactory : public Rfc9293TcpSocketFactory
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Give a node the factory, unless it has it.
     * @param node a node with an internet stack
     * @return the node's factory
     */
    static Ptr<MpaTcpSocketFactory> Install(Ptr<Node> node);

    using Rfc9293TcpSocketFactory::CreateSocket;

    /**
     * @brief Make a socket with a congestion control of its own.
     * @param congestion TypeId of a TcpCongestionOps
     * @return a socket with this congestion control and the recovery of the node's TcpL4Protocol
     */
    Ptr<MpaTcpSocket> CreateSocket(TypeId congestion);

    /**
     * @brief Make a socket with a congestion control and a recovery of its own.
     * @param congestion TypeId of a TcpCongestionOps
     * @param recovery TypeId of a TcpRecoveryOps
     * @return a socket with these
     */
    Ptr<MpaTcpSocket> CreateSocket(TypeId congestion, TypeId recovery);

  protected:
    Ptr<Rfc9293TcpSocket> MakeSocket() const override;
};

} // namespace ns3

#endif // MPA_TCP_SOCKET_FACTORY_H
