/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_GRAPH_FILE_H
#define IWARP_GRAPH_FILE_H

#include "iwarp-topology-table.h"

#include "ns3/nstime.h"

#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Read routers and links, in whichever form the file has them.
 *
 * - CSV: NAME-nodes.csv and NAME-links.csv are there, as MapFile reads them;
 * - Inet: a line with the numbers of routers and links, a line for each router with its number and
 *   two coordinates, a line for each link with two routers and a weight;
 * - Orbis: a line for each link with two routers;
 * - Rocketfuel's weights: a line for each link with two routers and a weight;
 * - Rocketfuel's maps: a line for each router that begins with its number and \@place, with
 * neighbours as <number>; those of radius 0 count, as in ns-3's reader.
 *
 * Numbers and names of routers are their names. A link that is listed for both directions is one;
 * weights and Inet's coordinates, which are of no unit, do not matter.
 *
 * @param name path of the file, name of a data file, or what begins the names of two CSV files
 * @param delay propagation delay of links whose length is not known
 * @param [out] table where to add
 * @return "", or what is wrong in one line
 */
std::string ReadGraph(const std::string& name, Time delay, TopologyTable& table);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_GRAPH_FILE_H
