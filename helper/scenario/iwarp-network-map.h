/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_NETWORK_MAP_H
#define IWARP_NETWORK_MAP_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief What a picture of a scenario's network has to show: routers, hosts, links, and who uses
 * them.
 */
struct IwarpNetworkMap
{
    /// A router or a host
    struct Node
    {
        std::string name; //!< of a router, as the topology calls it; "" of a host
        bool router;      //!< it is one
        bool sends;       //!< flows begin there
        bool receives;    //!< flows end there
        bool placed;      //!< longitude and latitude are known
        double longitude; //!< degrees east
        double latitude;  //!< degrees north
    };

    /// A link
    struct Link
    {
        uint32_t a;      //!< index of the node at end A
        uint32_t b;      //!< index of the node at end B
        double rate;     //!< bit/s
        double delay;    //!< propagation delay, seconds
        bool used;       //!< flows may take it in either direction
        bool bottleneck; //!< it leaves some flow the least if all share their links alike
    };

    std::vector<Node> nodes; //!< routers, then hosts, as IwarpNetwork counts them
    std::vector<Link> links; //!< as IwarpNetwork counts them
};

namespace iwarp
{

struct ScenarioSetup;

/**
 * @ingroup iwarp-helper
 * @brief Build the network of a scenario for its map alone, and take it apart again.
 * @param setup good by ScenarioParts::Check(); the simulator is not in use
 * @param [out] map of the network, empty before
 * @return "", or one line that says why traffic could not flow there
 */
std::string MapScenario(const ScenarioSetup& setup, IwarpNetworkMap& map);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_NETWORK_MAP_H
