/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_CLASS_NAME_H
#define IWARP_CLASS_NAME_H

#include "ns3/type-id.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Name a class. @param type it @return its name without ns3::
std::string GetShortName(TypeId type);

/// @ingroup iwarp-helper
/// @brief Take a qualified name apart. @param name Class.Member, or ns-3's own Class::Member, with
/// or without ns3:: in front @return class and member; both empty if it is none
std::pair<std::string, std::string> SplitName(const std::string& name);

/// @ingroup iwarp-helper
/// @brief Look a class up. @param name as FindClass() takes it @param [out] type it
/// @return whether there is one
bool HasClass(const std::string& name, TypeId& type);

/// @ingroup iwarp-helper
/// @brief Find a class. @param name of it, with or without ns3::; of a template whose parameter is
/// left out, such as Queue, that for Packet @param [out] type it
/// @return "", or one line that says which names are near
std::string FindClass(const std::string& name, TypeId& type);

/// @ingroup iwarp-helper
/// @brief Search a name. @param name it @param part what to look for @return whether it is in the
/// name, whatever the case
bool Contains(const std::string& name, const std::string& part);

/**
 * @ingroup iwarp-helper
 * @brief Find names that may have been meant.
 * @param name what was given
 * @param known names that there are
 * @return "", or " (did you mean X, Y?)"
 */
std::string SuggestNames(const std::string& name, const std::vector<std::string>& known);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_CLASS_NAME_H
