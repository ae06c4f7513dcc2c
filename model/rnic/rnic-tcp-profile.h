/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TCP_PROFILE_H
#define RNIC_TCP_PROFILE_H

#include "rnic-profile.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief TCP as adapters have it: what their drivers ask their hardware for, with sources.
 *
 * The path of a figure is the qualified name of an attribute, such as TcpSocketBase.MinRto. What a
 * profile does not name is as it is without it.
 */
class RnicTcpProfile
{
  public:
    /// List the profiles there are. @return names: t3-like, t5-like, e810-like, e810-dctcp-like
    static std::vector<std::string> GetNames();

    /// Look for a profile. @param name its name @return true if there is such a profile
    static bool Has(const std::string& name);

    /// Read the figures of a profile, with their sources.
    /// @param name one of GetNames() @return its figures; none for an unknown name
    static std::vector<RnicFigure> Get(const std::string& name);
};

} // namespace ns3

#endif // RNIC_TCP_PROFILE_H
