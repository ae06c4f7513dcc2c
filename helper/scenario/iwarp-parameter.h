/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PARAMETER_H
#define IWARP_PARAMETER_H

#include <string>

namespace ns3
{

/// @ingroup iwarp-helper
/// @brief What can be set in a scenario.
struct IwarpParameter
{
    std::string name;    //!< short name, or the qualified name where there is none
    std::string target;  //!< qualified name for which a short name stands, or ""
    std::string type;    //!< kind of value as ns-3 names it, such as ns3::UintegerValue
    std::string range;   //!< what ns-3's checker says of it: "uint32_t 1:16384", "a|b|c", or ""
    std::string initial; //!< value unless it is set, as text
    std::string help;    //!< what it says; ends with its unit in brackets if the type has none
};

} // namespace ns3

#endif // IWARP_PARAMETER_H
