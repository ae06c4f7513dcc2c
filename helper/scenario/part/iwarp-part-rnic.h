/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_RNIC_H
#define IWARP_PART_RNIC_H

#include "ns3/iwarp-scenario-part.h"
#include "ns3/rnic-helper.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief RNICs of a scenario's hosts, and what does ESP where there is IPsec.
 */
class IwarpRnicPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpRnicPart();
    ~IwarpRnicPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckRanks(const iwarp::ScenarioParts& parts) const override;
    void Install(iwarp::ScenarioNetwork& network) const override;

  private:
    /// @param parts for IPsec and settings @param [out] problem "", or what is wrong
    /// @return what installs RNICs; nullptr if there are to be none, or a problem
    std::unique_ptr<RnicHelper> MakeHelper(const iwarp::ScenarioParts& parts,
                                           std::string& problem) const;
    /// @param network whose hosts have RNICs from then on
    void InstallRnics(iwarp::ScenarioNetwork& network) const;
    /// @param network whose ESP takes time from then on
    void InstallEsp(iwarp::ScenarioNetwork& network) const;

    std::string m_profile; //!< profile of RNICs, or "none"
    std::string m_engine;  //!< profile of ESP, or "none"
};

} // namespace ns3

#endif // IWARP_PART_RNIC_H
