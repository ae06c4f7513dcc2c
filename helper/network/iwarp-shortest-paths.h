/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SHORTEST_PATHS_H
#define IWARP_SHORTEST_PATHS_H

#include "ns3/nstime.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief All shortest paths of a graph: those of least delay and, among such, of fewest links.
 */
class ShortestPaths
{
  public:
    /**
     * @brief Add a link, the same in both directions.
     * @param a a vertex
     * @param b another vertex
     * @param delay its delay, at least 0
     * @return number of the link, from 0
     */
    uint32_t AddLink(uint32_t a, uint32_t b, Time delay);

    /// Find the paths, once all links are there. @param vertices number of vertices
    /// @param targets vertices to which paths are wanted
    void Compute(uint32_t vertices, const std::vector<uint32_t>& targets);

    bool IsComputed() const; //!< Tell whether the paths are known. @return true after Compute()

    /// Tell whether there is a path. @param from vertex @param to a target @return whether there is
    bool IsReachable(uint32_t from, uint32_t to) const;

    /// Tell the delay of the path. @param from vertex @param to a target,
    /// reachable @return delay
    Time GetDelay(uint32_t from, uint32_t to) const;

    /// Count the links of the path. @param from vertex @param to a target, reachable @return links
    uint32_t CountLinks(uint32_t from, uint32_t to) const;

    /**
     * @brief List the first links of all shortest paths.
     * @param from vertex
     * @param to a target
     * @return numbers of the links in order; none if there is no path, or it is the same vertex
     */
    std::vector<uint32_t> GetFirstLinks(uint32_t from, uint32_t to) const;

    /// Get the ends of a link. @param link its number @return vertices a and b
    std::pair<uint32_t, uint32_t> GetEnds(uint32_t link) const;

  private:
    /// A link
    struct Edge
    {
        uint32_t a;    //!< vertex
        uint32_t b;    //!< vertex
        int64_t delay; //!< delay, in steps of Time's resolution
    };

    // integers, as ns-3 keeps account of all objects of Time until the first run
    using Cost = std::pair<int64_t, uint32_t>; //!< delay in such steps, and number of links

    static constexpr int64_t NEVER = INT64_MAX; //!< delay where there is no path

    /// Find the costs from all vertices to one. @param to vertex @return cost from each vertex
    std::vector<Cost> ComputeTo(uint32_t to) const;

    bool m_computed{false};                     //!< the paths are known
    std::vector<Edge> m_edges;                  //!< links
    std::vector<std::vector<uint32_t>> m_links; //!< links of each vertex
    std::vector<std::vector<Cost>> m_cost;      //!< cost to each target, from each vertex
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SHORTEST_PATHS_H
