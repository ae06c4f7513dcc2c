/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_CHECK_H
#define IWARP_SCENARIO_CHECK_H

#include "iwarp-scenario-parameters.h"

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
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

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_CHECK_H
