/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_IDLE_SETTINGS_H
#define IWARP_IDLE_SETTINGS_H

#include "iwarp-scenario-parts.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief List what the user has set in vain: attributes of topologies and workloads other than
 * those of the run, and what another parameter sets aside, such as a cipher without IPsec.
 * @param parts that have a topology and a workload
 * @return one line each that begins with a parameter's name
 */
std::vector<std::string> ListIdleSettings(const ScenarioParts& parts);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_IDLE_SETTINGS_H
