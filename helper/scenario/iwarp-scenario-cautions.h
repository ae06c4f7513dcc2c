/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_CAUTIONS_H
#define IWARP_SCENARIO_CAUTIONS_H

#include "iwarp-scenario-parameters.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Say what a run allows and its reader has to know.
 * @param parameters an experiment, good by CheckScenario()
 * @param marking whether any queue of its network marks packets (RFC 3168)
 * @return one line each, which begins with names of parameters
 */
std::vector<std::string> ListCautions(const IwarpScenarioParameters& parameters, bool marking);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_CAUTIONS_H
