/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_CHECK_H
#define IWARP_SCENARIO_CHECK_H

#include "iwarp-scenario-parameters.h"

#include "ns3/type-id.h"

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

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_CHECK_H
