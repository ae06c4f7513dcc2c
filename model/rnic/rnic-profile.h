/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PROFILE_H
#define RNIC_PROFILE_H

#include "rnic-design.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief A figure of an adapter, and how it is known.
struct RnicFigure
{
    /// How far a figure can be relied on.
    enum class Sure : uint8_t
    {
        CITED,   //!< stands in the source named
        FITTED,  //!< chosen so that the model meets a figure of the source named
        ASSUMED, //!< plausible, no more
    };

    std::string path;   //!< path of an attribute, see RnicDesign
    std::string value;  //!< its value, as text
    Sure sure;          //!< how it is known
    std::string source; //!< where from, or why it was assumed
};

/**
 * @ingroup iwarp-rnic
 * @brief Figures of adapters.
 *
 * There is no public break-down of an iWARP RNIC by stages, so most times are assumed or fitted;
 * each figure says which. Attributes that a profile does not name keep their default. A profile is
 * a kind of receiver, whose stages rnic::GetStages() lists, and figures for them.
 */
class RnicProfile
{
  public:
    /// List the profiles there are. @return names: ideal, t5-like, t6-like, e810-like, siw-like,
    /// connectx7-like
    static std::vector<std::string> GetNames();

    /// Look for a profile. @param name its name @return true if there is such a profile
    static bool Has(const std::string& name);

    /// Read the figures of a profile, with their sources.
    /// @param name one of GetNames() @return its figures; none for an unknown name
    static std::vector<RnicFigure> Get(const std::string& name);

    /// Make a design from a profile, to be changed further or given to an RNIC.
    /// @param name one of GetNames(), or NS_ABORT @return RNICs with its figures
    static RnicDesign GetDesign(const std::string& name);

    /// Name how far a figure can be relied on, for people.
    /// @param sure how a figure is known @return cited, fitted or assumed
    static std::string ToString(RnicFigure::Sure sure);
};

} // namespace ns3

#endif // RNIC_PROFILE_H
