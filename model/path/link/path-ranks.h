/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_RANKS_H
#define PATH_RANKS_H

#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief A run that is shared out to processes, ranks, by ns-3's MPI engine.
 *
 * Each rank makes the whole network, simulates the nodes whose system id is its number, and takes
 * over packets for them from the other ranks. Without MpiInterface::Enable(), and where ns-3 was
 * built without MPI, there is one rank, which has all nodes.
 */
namespace ranks
{

uint32_t GetCount();               //!< Count the ranks of the run. @return at least 1
uint32_t GetOwn();                 //!< Tell the number of this process. @return number, from 0
bool IsOwn(const Ptr<Node>& node); //!< Tell whether a node is of this rank. @param node it
                                   //!< @return so, whatever its system id if there is one rank

/// Tell whether two devices are of different ranks. @param a device @param b device @return so
bool AreApart(const Ptr<NetDevice>& a, const Ptr<NetDevice>& b);

/**
 * @brief Have a device receive from another rank, as PointToPointHelper does; NS_ABORT if its MTU
 * is more than MPI's buffers in ns-3 take.
 * @param device of a link between ranks; one that receives already is left alone
 */
void Open(const Ptr<PointToPointNetDevice>& device);

/**
 * @brief Send a packet to a device of another rank.
 * @param packet it, which is copied
 * @param after when it arrives, from now on; at least the delay of the channel
 * @param to device, which Open() was called for in its rank
 */
void Send(const Ptr<const Packet>& packet, Time after, const Ptr<NetDevice>& to);

} // namespace ranks
} // namespace ns3

#endif // PATH_RANKS_H
