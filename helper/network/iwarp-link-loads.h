/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_LINK_LOADS_H
#define IWARP_LINK_LOADS_H

#include "iwarp-network.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What part of each link's rate the traffic between pairs of hosts takes on average.
 *
 * Where equal paths divide, each next hop of a router gets as much as the others.
 */
class LinkLoads
{
  public:
    /// Links of a kind
    enum class Kind : uint8_t
    {
        EDGE, //!< those of hosts
        CORE, //!< those between routers
    };

    /// A link with its load
    struct Busiest
    {
        double load{0};   //!< part of its rate; 0 if there are no such links, or no traffic
        uint32_t link{0}; //!< its index
    };

    /// Begin without traffic. @param network with routes; outlives this
    explicit LinkLoads(const IwarpNetwork& network);

    /// Add traffic. @param from host @param to host with a path @param rate of it, bit/s
    void Add(uint32_t from, uint32_t to, double rate);

    /// Tell which link has the greatest load in a direction. @param kind of link @return it
    Busiest FindBusiest(Kind kind) const;

    /// Tell the load of a link. @param link its index @param direction of traffic @return part of
    /// its rate
    double GetLoad(uint32_t link, PathDirection direction) const;

  private:
    /// Tell what part of the traffic between two routers takes each link. @param hops all that
    /// packets may take, in their order @return part for each, greater than 0 and at most 1
    std::vector<double> Divide(const std::vector<IwarpNetwork::Hop>& hops) const;

    const IwarpNetwork& m_network; //!< links
    std::vector<bool> m_isEdge;    //!< each link is a host's
    /// Traffic of each link, A to B and B to A, bit/s
    std::vector<std::pair<double, double>> m_rates;
    /// Divide() of the routes that there is traffic on
    std::map<const IwarpNetwork::Route*, std::vector<double>> m_divided;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_LINK_LOADS_H
