/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PLAIN_TCP_FACTORY_H
#define IWARP_PLAIN_TCP_FACTORY_H

#include "ns3/node.h"
#include "ns3/ptr.h"
#include "ns3/socket-factory.h"
#include "ns3/socket.h"
#include "ns3/type-id.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Makes sockets of ns-3's own TCP whose segments have a size of their node.
 *
 * That TCP takes no notice of ICMP, so it has to be told what a path takes: where a gateway's
 * tunnel leaves less than its first window's segments have, all of them are lost.
 */
class PlainTcpFactory : public SocketFactory
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /**
     * @brief Give a node such sockets.
     * @param node with TCP
     * @param segmentSize octets of payload of a segment at most; the last that is given counts
     * @return what an application takes for its attribute Protocol
     */
    static TypeId Install(Ptr<Node> node, uint32_t segmentSize);

    Ptr<Socket> CreateSocket() override;

  private:
    uint32_t m_segmentSize{0}; //!< octets
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_PLAIN_TCP_FACTORY_H
