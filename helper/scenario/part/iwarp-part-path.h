/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_PATH_H
#define IWARP_PART_PATH_H

#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-scenario-part.h"
#include "ns3/nstime.h"
#include "ns3/path-impairment.h"
#include "ns3/path-middlebox.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief What packets meet on the links of a scenario: impairments and middleboxes.
 */
class IwarpPathPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpPathPart();
    ~IwarpPathPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    bool IsList(const std::string& attribute) const override;
    std::string CheckName(const std::string& attribute, const std::string& value) const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckRanks(const iwarp::ScenarioParts& parts) const override;
    std::string CheckNetwork(const iwarp::ScenarioParts& parts,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends) const override;
    void SetDefaults(iwarp::ScenarioParts& parts) const override;
    void Install(iwarp::ScenarioNetwork& network) const override;
    bool IsBuffering() const override;

  private:
    /// @return impairments of a link, in the order of the packets' way
    std::vector<Ptr<PathImpairment>> MakeImpairments() const;
    Ptr<PathMiddlebox> MakeMiddlebox() const; //!< @return one, or nullptr if there are to be none

    std::string m_impairment;                    //!< classes of PathImpairment, joined by +
    iwarp::PathPlace m_impairedPlace;            //!< which links have it
    iwarp::TrafficDirection m_impairedDirection; //!< in which direction
    Time m_reorderingDelay;                      //!< longest hold
    std::string m_middlebox;                     //!< class of PathMiddlebox, or "none"
    iwarp::PathPlace m_middleboxPlace;           //!< which links have it
};

} // namespace ns3

#endif // IWARP_PART_PATH_H
