/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_ABILENE_H
#define IWARP_TOPOLOGY_ABILENE_H

#include "iwarp-topology.h"

#include <string>
#include <vector>

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
class IwarpAbileneTopology : public IwarpTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpAbileneTopology();
    ~IwarpAbileneTopology() override;

    std::string Check(uint32_t pairs, bool ipv6) const override;
    Ends Build(IwarpNetwork& network, uint32_t pairs) const override;

  private:
    /// Cities of the flows. @return the pairs; a pair is short if its text is not A-B
    std::vector<std::vector<std::string>> SplitPairs() const;

    std::string m_pairs; //!< cities from which and to which flows go
    std::string m_nodes; //!< file of cities
    std::string m_links; //!< file of links
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_ABILENE_H
