/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_CHECK_H
#define IWARP_SCENARIO_CHECK_H

#include "iwarp-scenario-parameters.h"

#include "ns3/type-id.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class RnicHelper;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @param parameters an experiment
 * @return "", or one line that says what does not fit together
 */
std::string CheckScenario(const IwarpScenarioParameters& parameters);

/**
 * @ingroup iwarp-helper
 * @param name TypeId of a congestion control, with or without ns3::
 * @param [out] tid it
 * @return whether there is such
 */
bool FindCongestionControl(const std::string& name, TypeId& tid);

/**
 * @ingroup iwarp-helper
 * @param text "STTL-WASH,LOSA-NYCM"
 * @return the pairs; a pair is short if its text is not A-B
 */
std::vector<std::vector<std::string>> SplitPairs(const std::string& text);

/**
 * @ingroup iwarp-helper
 * @param parameters an experiment
 * @param [out] problem "", or one line that says what is wrong with the RNIC's parameters
 * @return a helper that installs the RNIC; nullptr if there is to be none, or a problem
 */
std::shared_ptr<RnicHelper> MakeRnicHelper(const IwarpScenarioParameters& parameters,
                                           std::string& problem);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_CHECK_H
