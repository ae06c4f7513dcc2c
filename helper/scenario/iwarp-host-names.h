/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_HOST_NAMES_H
#define IWARP_HOST_NAMES_H

#include "iwarp-scenario-parts.h"

#include "ns3/iwarp-network.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief List the names of a topology's routers. @param parts with the topology @return names by
/// index; none of those that it does not name
std::vector<std::string> ListRouters(const ScenarioParts& parts);

/**
 * @ingroup iwarp-helper
 * @brief Name the hosts of a network by their routers.
 * @param network its hosts
 * @param routers names of routers; others are router0, router1, …
 * @return names by index: that of a router for its only host, else with the number of the host
 * there, leaf 0:0, leaf 0:1, …; of hosts without a router host0, host1, …
 */
std::vector<std::string> NameHosts(const IwarpNetwork& network,
                                   const std::vector<std::string>& routers);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_HOST_NAMES_H
