/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_TABLE_H
#define IWARP_TOPOLOGY_TABLE_H

#include "iwarp-link-settings.h"
#include "iwarp-topology.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief A network as a list: routers, the links between them, hosts, and which of these are pairs.
 */
struct TopologyTable
{
    /// A link between routers
    struct Link
    {
        uint32_t a;              //!< router at end A
        uint32_t b;              //!< router at end B
        Time delay;              //!< propagation delay, one way
        LinkSettings settings{}; //!< what it has of its own; their delay does not count
    };

    /// Where a router is
    struct Place
    {
        double longitude; //!< degrees east
        double latitude;  //!< degrees north
    };

    std::vector<std::string> routers; //!< their names
    std::vector<Place> places;        //!< theirs, or none where they are not known
    std::vector<Link> links;          //!< links between them
    std::vector<uint32_t> hosts;      //!< the router of each host
    IwarpTopology::Ends pairs;        //!< hosts that send and receive

    /// Add routers. @param count how many @param name of each, before its number there
    /// @return index of the first
    uint32_t AddRouters(uint32_t count, const std::string& name);
    /// Add hosts. @param count how many @param router theirs
    void AddHosts(uint32_t count, uint32_t router);
    /// Add a pair with two hosts of its own. @param from router of the one that sends
    /// @param to router of the one that receives
    void AddPair(uint32_t from, uint32_t to);
    /// Have hosts that are there send to those half of all away, in turn, so that a host receives
    /// from one other at most. @param count pairs
    void PairAcross(uint32_t count);
    /**
     * @brief Add pairs, with two hosts of their own each, at routers that are named.
     * @param names pairs of names, A-B,C-D,…, which the pairs take in turn
     * @param count pairs
     * @return "", or what is wrong with the names
     */
    std::string AddNamedPairs(const std::string& names, uint32_t count);

    /// Look for what IwarpNetwork cannot build, and for pairs without a path. @return "", or what
    /// is wrong in one line
    std::string Check() const;

  private:
    /// Look for what is not there, and for delays that are none. @return "", or what is wrong
    std::string CheckParts() const;
    /// Tell which routers have a path between them. @return of each router the least that it has
    /// one to
    std::vector<uint32_t> FindIslands() const;
};

} // namespace iwarp

/**
 * @ingroup iwarp-helper
 * @brief Base class of topologies that are a table of routers, links and hosts.
 *
 * Links between routers have LinkRate unless the table says otherwise, all those of hosts
 * AccessRate and AccessDelay.
 */
class IwarpTableTopology : public IwarpTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check(uint32_t pairs, bool ipv6) const override;
    Ends Build(IwarpNetwork& network, uint32_t pairs) const override;
    DataRate GetBottleneckRate() const override;
    bool AddsHosts() const override;

    /**
     * @brief Fill a table.
     * @param [out] table empty before
     * @param pairs pairs of hosts, at least 1
     * @return "", or one line that begins with an attribute's name and says what is wrong
     */
    virtual std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const = 0;
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_TABLE_H
