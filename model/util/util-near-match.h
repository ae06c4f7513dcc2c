/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_NEAR_MATCH_H
#define UTIL_NEAR_MATCH_H

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @brief Find what a user may have meant by a name that does not exist.
 * @param name what was typed
 * @param known names that exist
 * @return up to three of them that differ from it by a third of its letters at most, or by upper
 *         and lower case only, or contain it; the nearest first
 */
std::vector<std::string> FindNearest(const std::string& name,
                                     const std::vector<std::string>& known);

} // namespace iwarp
} // namespace ns3

#endif // UTIL_NEAR_MATCH_H
