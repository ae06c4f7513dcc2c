/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PATH_PLACE_H
#define IWARP_PATH_PLACE_H

#include "iwarp-topology.h"

#include "ns3/attribute.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Where on the paths of a scenario's flows something stands.
 */
enum class PathPlace : uint8_t
{
    SENDER,   //!< links of the sending hosts
    CORE,     //!< links between routers that the flows may take
    RECEIVER, //!< links of the receiving hosts
};

/// @ingroup iwarp-helper
/// @brief Which way on the paths of a scenario's flows.
enum class TrafficDirection : uint8_t
{
    DATA, //!< from the sending hosts to the receiving ones
    ACKS, //!< the other way
    BOTH, //!< both ways
};

/// @ingroup iwarp-helper
/// @brief Make the checker of attributes that are a place. @return it
Ptr<const AttributeChecker> MakePlaceChecker();

/// @ingroup iwarp-helper
/// @brief Make the checker of attributes that are a direction. @return it
Ptr<const AttributeChecker> MakeDirectionChecker();

/**
 * @ingroup iwarp-helper
 * @brief List the links of the flows' paths at a place. A path of one link has it at every place.
 * @param network after InstallRoutes()
 * @param ends pairs of hosts
 * @param place which part of the paths
 * @param back false for the data's direction, true for that of the ACKs
 * @return links with the direction, in the order of the pairs, none twice
 */
std::vector<IwarpNetwork::Hop> FindHops(const IwarpNetwork& network,
                                        const IwarpTopology::Ends& ends,
                                        PathPlace place,
                                        bool back);

/**
 * @brief Tell whether a flow passes a place, in either direction.
 * @param attribute that names the place
 * @param network after InstallRoutes()
 * @param ends pairs of hosts
 * @param place which part of the paths
 * @return "", or one line that begins with the attribute
 */
std::string CheckPlace(const std::string& attribute,
                       const IwarpNetwork& network,
                       const IwarpTopology::Ends& ends,
                       PathPlace place);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_PATH_PLACE_H
