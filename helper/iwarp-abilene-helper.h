/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_ABILENE_HELPER_H
#define IWARP_ABILENE_HELPER_H

#include "iwarp-map-file.h"
#include "iwarp-network.h"

#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A backbone of cities, by default Abilene: 11 cities of the USA and 14 links, about 2004.
 *
 * Each city is a router. The propagation delay of a link is the great-circle distance between its
 * cities at two thirds of the speed of light. Cities and links come from the data files
 * abilene-nodes.csv (node,city,latitude_deg,longitude_deg) and abilene-links.csv (a,b); files of
 * the same form give other backbones.
 */
class IwarpAbileneHelper : public IwarpNetwork
{
  public:
    /**
     * @brief Build the backbone. Ends the program if a file is not good; see iwarp::MapFile.
     * @param backbone rate, queue and MTU of the backbone's links; the delay comes from the map
     * @param ipv6 use IPv6 rather than IPv4
     * @param nodes file of cities
     * @param links file of links
     */
    explicit IwarpAbileneHelper(const Link& backbone,
                                bool ipv6 = false,
                                const std::string& nodes = "abilene-nodes.csv",
                                const std::string& links = "abilene-links.csv");

    const iwarp::MapFile& GetMap() const; //!< @return cities, one a router, and links

    /**
     * @param city short name, such as "STTL"
     * @return index of its router; ends the program if there is no such city
     */
    uint32_t GetRouterOf(const std::string& city) const;

    /**
     * @brief Add a pair of hosts, each at its city. Call InstallRoutes() after the last.
     * @param from city of the first
     * @param to city of the second
     * @param access each host's link
     * @return indices of the hosts
     */
    std::pair<uint32_t, uint32_t> AddPair(const std::string& from,
                                          const std::string& to,
                                          const Link& access);

    /**
     * @brief Propagation delay over a distance on the surface of the Earth.
     * @param latitudeA degrees @param longitudeA degrees
     * @param latitudeB degrees @param longitudeB degrees
     * @return great-circle distance on a sphere of radius 6371.0088 km, at two thirds of the speed
     *         of light
     */
    static Time GreatCircleDelay(double latitudeA,
                                 double longitudeA,
                                 double latitudeB,
                                 double longitudeB);

  private:
    iwarp::MapFile m_map; //!< cities and links
};

} // namespace ns3

#endif // IWARP_ABILENE_HELPER_H
