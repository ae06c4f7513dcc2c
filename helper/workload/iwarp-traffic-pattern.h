/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRAFFIC_PATTERN_H
#define IWARP_TRAFFIC_PATTERN_H

#include "ns3/iwarp-topology.h"

#include <cstdint>
#include <functional>
#include <set>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Who sends to whom in a network.
 */
enum class TrafficPattern : uint8_t
{
    PAIRS,       //!< the pairs of the topology
    ALL_TO_ALL,  //!< each host to each other
    INCAST,      //!< several hosts to one
    PERMUTATION, //!< each host to one other, from which no other receives, at random
};

/**
 * @ingroup iwarp-helper
 * @brief List who sends to whom.
 *
 * Of n hosts, all to all are n (n - 1) pairs, first those that send to the next host, then those
 * that send to the one after it, and so on. In an incast the receiver of the first pair receives;
 * the other hosts send, those first that send in the topology's pairs. Permutations without a fixed
 * point are all equally likely.
 * @param pattern who sends to whom
 * @param hosts indices of the hosts that take part, at least 2
 * @param pairs of the topology, at least one
 * @param senders hosts of an incast that send; 0, and more than there are, is all
 * @param draw gives a random number of 0 to the one it is called with
 * @return hosts that send and receive
 */
IwarpTopology::Ends MakeEnds(TrafficPattern pattern,
                             const std::vector<uint32_t>& hosts,
                             const IwarpTopology::Ends& pairs,
                             uint32_t senders,
                             const std::function<uint32_t(uint32_t)>& draw);

/// @ingroup iwarp-helper
/// @brief List hosts of some pairs that others have not. @param ends pairs @param others other
/// pairs @return indices of the hosts
std::set<uint32_t> ListOwnHosts(const IwarpTopology::Ends& ends, const IwarpTopology::Ends& others);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRAFFIC_PATTERN_H
