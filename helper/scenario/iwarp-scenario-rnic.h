/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_RNIC_H
#define IWARP_SCENARIO_RNIC_H

#include "iwarp-qualified-name.h"

#include "ns3/rnic-helper.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Tell whether a name is of an RNIC's attribute, or of what does ESP.
/// @param name qualified name @return whether it begins with Rnic. or EspEngine.
bool IsRnicName(const std::string& name);

/**
 * @ingroup iwarp-helper
 * @brief Find an attribute of an RNIC, or of what does ESP.
 * @param name qualified name, which begins with Rnic. or EspEngine.
 * @param [out] info the attribute
 * @return "", or one line that says what is wrong and which names are near
 */
std::string FindRnicAttribute(const std::string& name, TypeId::AttributeInformation& info);

/// @ingroup iwarp-helper
/// @brief List the attributes of an RNIC, and of what does ESP. @return them by qualified name
std::vector<IwarpParameter> ListRnicAttributes();

/**
 * @ingroup iwarp-helper
 * @brief Make what installs the RNICs of a scenario.
 * @param profile name of a profile, or "none"
 * @param engine name of a profile of ESP, or "none"
 * @param settings qualified names and values, those of RNICs among them
 * @param [out] problem "", or one line that says what is wrong
 * @return it; nullptr if there are to be no RNICs, or a problem
 */
std::unique_ptr<RnicHelper> MakeRnicHelper(const std::string& profile,
                                           const std::string& engine,
                                           const std::map<std::string, std::string>& settings,
                                           std::string& problem);

/**
 * @ingroup iwarp-helper
 * @brief Make what does ESP at a scenario's nodes without an RNIC.
 * @param engine name of a profile of ESP, or "none"
 * @param settings qualified names and values, those of ESP among them
 * @param [out] problem "", or one line that says what is wrong
 * @return it, for RnicHelper::InstallEspEngine(); nullptr if ESP is to take no time, or a problem
 */
std::unique_ptr<RnicHelper> MakeEspHelper(const std::string& engine,
                                          const std::map<std::string, std::string>& settings,
                                          std::string& problem);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_RNIC_H
