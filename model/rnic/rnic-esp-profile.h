/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESP_PROFILE_H
#define RNIC_ESP_PROFILE_H

#include "rnic-esp-design.h"
#include "rnic-profile.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Figures of what does ESP, with their sources. Those of CPUs are of part Cpu, of contexts
 * part AssociationCache, of engines that both directions share part EspCore, of the work stages
 * TxEsp and RxEsp.
 */
class RnicEspProfile
{
  public:
    /// List the profiles there are. @return names: inline, lookaside and software, which take no
    /// time, and those of things that exist
    static std::vector<std::string> GetNames();

    /// Look for a profile. @param name its name @return true if there is such a profile
    static bool Has(const std::string& name);

    /// Tell where a profile does ESP. @param name one of GetNames(), or NS_ABORT @return the place
    static EspPlace GetPlace(const std::string& name);

    /// Read the figures of a profile, with their sources.
    /// @param name one of GetNames(), or NS_ABORT @return its figures
    static std::vector<RnicFigure> Get(const std::string& name);

    /// Read what key exchange takes a CPU, with sources.
    /// @return figures; their paths are the times of IkeSettings
    static std::vector<RnicFigure> GetKeyExchange();

    /// Add ESP with a profile's figures. @param name one of GetNames(), or NS_ABORT
    /// @param design what gets them, as for rnic::AddEsp()
    /// @return what is wrong, for people; empty if nothing
    static std::string Apply(const std::string& name, RnicDesign& design);
};

} // namespace ns3

#endif // RNIC_ESP_PROFILE_H
