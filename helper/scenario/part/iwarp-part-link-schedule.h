/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_LINK_SCHEDULE_H
#define IWARP_PART_LINK_SCHEDULE_H

#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-scenario-part.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Changes of a scenario's links in mid-run.
 */
class IwarpLinkSchedulePart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpLinkSchedulePart();
    ~IwarpLinkSchedulePart() override;

    bool IsIdle() const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckNetwork(const iwarp::ScenarioParts& parts,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends) const override;
    void Install(iwarp::ScenarioNetwork& network) const override;

  private:
    std::string m_schedule;   //!< changes, see ParseLinkSchedule()
    iwarp::PathPlace m_place; //!< which links change
};

} // namespace ns3

#endif // IWARP_PART_LINK_SCHEDULE_H
