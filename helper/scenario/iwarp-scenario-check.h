/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_CHECK_H
#define IWARP_SCENARIO_CHECK_H

#include "iwarp-scenario-parameters.h"

#include "ns3/iwarp-topology.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Look at all parameters of an experiment together.
 * @param parameters an experiment
 * @return "", or one line that says what does not fit together
 */
std::string CheckScenario(const IwarpScenarioParameters& parameters);

/**
 * @ingroup iwarp-helper
 * @brief Find a congestion control of TCP.
 * @param name its class, with or without ns3::
 * @param [out] tid it
 * @return whether there is such
 */
bool FindCongestionControl(const std::string& name, TypeId& tid);

/**
 * @ingroup iwarp-helper
 * @brief Look at who sends to whom.
 * @param ends pairs of hosts that a topology made
 * @param wanted how many it was asked for
 * @param hosts there are
 * @return "", or one line that says what is wrong
 */
std::string CheckEnds(const IwarpTopology::Ends& ends, std::size_t wanted, uint32_t hosts);

/**
 * @ingroup iwarp-helper
 * @brief Look whether packets can come from host to host: by a path, and within their time to live.
 * @param network with its routes
 * @param ends pairs of hosts with traffic
 * @return "", or one line that says which do not reach each other, and why
 */
std::string CheckPaths(const IwarpNetwork& network, const IwarpTopology::Ends& ends);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_CHECK_H
