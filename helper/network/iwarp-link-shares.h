/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_LINK_SHARES_H
#define IWARP_LINK_SHARES_H

#include "iwarp-network.h"

#include "ns3/path-direction.h"

#include <algorithm>
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
    std::map<P, double> shares;
    for (const auto& path : paths)
    {
        for (const auto& part : path)
        {
            shares[part]++;
        }
    }
    for (auto& [part, share] : shares)
    {
        share = find(part) / share;
    }
    const auto less = [&shares](const P& a, const P& b) { return shares.at(a) < shares.at(b); };
    std::vector<Narrowest<P>> chosen;
    for (const auto& path : paths)
    {
        chosen.emplace_back();
        if (!path.empty())
        {
            chosen.back().part = *std::min_element(path.begin(), path.end(), less);
            chosen.back().share = shares.at(chosen.back().part);
        }
    }
    return chosen;
}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_LINK_SHARES_H
