/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_LINK_SHARES_H
#define IWARP_LINK_SHARES_H

#include "iwarp-network.h"

#include "ns3/path-direction.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// A link in one direction
using Way = std::pair<uint32_t, PathDirection>;

/**
 * @ingroup iwarp-helper
 * @brief List the links that all packets between two hosts cross.
 * @param network with routes
 * @param from host
 * @param to host
 * @return links; where paths divide, those of the hosts alone; none if there is no path
 */
std::vector<Way> FindWays(const IwarpNetwork& network, uint32_t from, uint32_t to);

/**
 * @ingroup iwarp-helper
 * @brief That part of a path which leaves it the least.
 * @tparam P part, such as Way
 */
template <typename P>
struct Narrowest
{
    P part{};        //!< it
    double share{0}; //!< its rate divided by the paths that cross it; 0 if the path has no parts
};

/**
 * @ingroup iwarp-helper
 * @brief Choose for each path the part that has the least for each path that has to cross it.
 * @tparam P part
 * @param paths parts that each has to cross
 * @param find tells the rate of a part
 * @return one for each path
 */
template <typename P>
std::vector<Narrowest<P>>
FindNarrowest(const std::vector<std::vector<P>>& paths, const std::function<double(P)>& find)
{
    std::map<P, std::size_t> numbers;
    std::vector<std::size_t> crossed; // numbers of the parts of all paths, in their order
    std::vector<double> shares;       // of each part
    for (const auto& path : paths)
    {
        for (const auto& part : path)
        {
            const auto [place, isNew] = numbers.emplace(part, shares.size());
            if (isNew)
            {
                shares.push_back(0);
            }
            shares[place->second]++;
            crossed.push_back(place->second);
        }
    }
    for (const auto& [part, number] : numbers)
    {
        shares[number] = find(part) / shares[number];
    }
    std::vector<Narrowest<P>> chosen;
    chosen.reserve(paths.size());
    auto next = crossed.begin();
    for (const auto& path : paths)
    {
        chosen.emplace_back();
        for (const auto& part : path)
        {
            const double share = shares[*next++];
            if (&part == &path.front() || share < chosen.back().share)
            {
                chosen.back() = {part, share};
            }
        }
    }
    return chosen;
}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_LINK_SHARES_H
