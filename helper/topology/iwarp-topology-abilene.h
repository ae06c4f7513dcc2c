/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_ABILENE_H
#define IWARP_TOPOLOGY_ABILENE_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A backbone of cities, by default Abilene: 11 cities of the USA and 14 links, about 2004.
 *
 * Each city is a router, in the order of the file of cities. The propagation delay of a link is the
 * great-circle distance between its cities at two thirds of the speed of light. Cities and links
 * come from the data files abilene-nodes.csv (node,city,latitude_deg,longitude_deg) and
 * abilene-links.csv (a,b); files of the same form give other backbones.
 */
class IwarpAbileneTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpAbileneTopology();
    ~IwarpAbileneTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    std::string m_pairs; //!< cities from which and to which flows go
    std::string m_nodes; //!< file of cities
    std::string m_links; //!< file of links
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_ABILENE_H
