/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TYPE_NAME_H
#define IWARP_TYPE_NAME_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Give the short name of a class: what its name adds to that of its base class.
 *
 * The first and last words that both names have in common go, the others are joined by hyphens:
 * IwarpLeafSpineTopology, derived from IwarpTopology, is leaf-spine, and PathBurstLossImpairment,
 * derived from PathImpairment, is burst-loss. Namespaces do not count.
 * @param type a class
 * @param base a class from which it is derived
 * @return the short name
 */
std::string GetShortTypeName(TypeId type, TypeId base);

/**
 * @ingroup iwarp-helper
 * @brief List the classes of which an ObjectFactory can make objects that serve as a base class's.
 * @param base the base class
 * @return classes registered with ns-3 that are derived from it and have a constructor, the user's
 *         too, sorted by name
 */
std::vector<TypeId> GetTypes(TypeId base);

/// @ingroup iwarp-helper
/// @brief List the short names of GetTypes(). @param base the base class @return names, in the same
/// order
std::vector<std::string> ListShortTypeNames(TypeId base);

/**
 * @ingroup iwarp-helper
 * @brief Find a class by name.
 * @param name short name, or the TypeId's name with or without ns3::
 * @param base class from which it has to be derived
 * @param [out] type the class
 * @return "", or one line that says which names there are
 */
std::string FindType(const std::string& name, TypeId base, TypeId& type);

/**
 * @ingroup iwarp-helper
 * @brief Find several classes by name.
 * @param names of them, joined by +
 * @param base class from which they have to be derived
 * @param [out] types the classes, in this order
 * @return "", or one line that says which names there are
 */
std::string FindTypes(const std::string& names, TypeId base, std::vector<TypeId>& types);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TYPE_NAME_H
