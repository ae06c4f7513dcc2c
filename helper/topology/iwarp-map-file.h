/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_MAP_FILE_H
#define IWARP_MAP_FILE_H

#include "iwarp-topology-table.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A map of cities and the links between them, read from two files.
 */
struct MapFile
{
    /// A city
    struct City
    {
        std::string name; //!< short name
        double latitude;  //!< degrees north
        double longitude; //!< degrees east
    };

    std::vector<City> cities;                         //!< in file order
    std::vector<std::pair<uint32_t, uint32_t>> links; //!< indices into cities
    std::vector<LinkSettings> settings;               //!< of each link

    /**
     * @brief Read both files, in place of what was there.
     * @param nodes file of rows node,city,latitude_deg,longitude_deg after a line of names
     * @param edges file of rows a,b after a line of names, and of what else that line names:
     *        rate, delay, queue, buffer, of LinkSettings; a cell may be empty
     * @return "", or what is wrong: a file and its line
     */
    std::string Load(const std::string& nodes, const std::string& edges);

    /// List all as routers and links. @param [out] table where to add them, in file order
    void Fill(TopologyTable& table) const;

    /// Look a city up. @param name short name @return index of the city, or the number of cities if
    /// there is none
    std::size_t Find(const std::string& name) const;

    /**
     * @brief Tell the propagation delay between two cities, where a link has none of its own.
     * @param a index of a city
     * @param b index of another
     * @return great-circle distance on a sphere of radius 6371.0088 km, at two thirds of the speed
     *         of light
     */
    Time GetDelay(std::size_t a, std::size_t b) const;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_MAP_FILE_H
