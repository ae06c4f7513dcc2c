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
#include <string>
#include <vector>

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

/// What ns-3's buffers of 2000 octets leave to a datagram: the rest is for time and place of the
/// arrival, tags and lengths
constexpr uint16_t MAX_MTU = 1800;

uint32_t GetCount();               //!< Count the ranks of the run. @return at least 1
uint32_t GetOwn();                 //!< Tell the number of this process. @return number, from 0
bool IsOwn(const Ptr<Node>& node); //!< Tell whether a node is of this rank. @param node it
                                   //!< @return so, whatever its system id if there is one rank

/// Have this process be one of several by the engine of granted time, before there are nodes;
/// NS_ABORT where ns-3 was built without MPI.
void Begin();
void End();  //!< Leave the others, after Simulator::Destroy(); nothing comes after it
bool IsOn(); //!< Tell whether this process is of a run of MPI's. @return so, be it the only one

/// Bring texts of all ranks together, after the simulation; all ranks call it. @param own this
/// rank's @return in rank 0 those of all by their numbers, in the others none
std::vector<std::string> Gather(const std::string& own);

/// Have all ranks go the same way; all of them call it. @param own what this rank would do @return
/// what rank 0 would
bool Decide(bool own);

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
