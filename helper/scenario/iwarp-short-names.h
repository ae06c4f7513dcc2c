/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SHORT_NAMES_H
#define IWARP_SHORT_NAMES_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A short name of a scenario's parameter that stands for an attribute of another class.
 *
 * Type, range and help are the attribute's, and so is the default unless a scenario's differs.
 */
struct ShortName
{
    std::string name;    //!< short name
    std::string target;  //!< qualified name of the attribute
    std::string initial; //!< default in a scenario, or "" for the attribute's own
};

/// @ingroup iwarp-helper
/// @brief List the short names. @return all of them
const std::vector<ShortName>& GetShortNames();

/// @ingroup iwarp-helper
/// @brief Find a short name. @param name it @return its entry, or nullptr
const ShortName* FindShortName(const std::string& name);

/// @ingroup iwarp-helper
/// @brief Find the short name of an attribute. @param target qualified name @return the entry, or
/// nullptr
const ShortName* FindShortNameOf(const std::string& target);

/**
 * @ingroup iwarp-helper
 * @brief Name parameters in place of attributes.
 * @param type class of an object
 * @param problem that it tells, which begins with names of its attributes and a colon, or ""
 * @return the same, with short or qualified names of the attributes
 */
std::string NameParameters(TypeId type, const std::string& problem);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SHORT_NAMES_H
