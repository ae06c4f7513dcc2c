/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PROXIES_H
#define IWARP_SCENARIO_PROXIES_H

#include "ns3/address.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-topology.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Look whether each of the hosts has a router for a splitting proxy.
 * @param network with routes
 * @param ends pairs of hosts
 * @return "", or one line that says which have none
 */
std::string CheckProxies(const IwarpNetwork& network, const IwarpTopology::Ends& ends);

/**
 * @brief Put a TcpSplitProxy at the router next to a host: who connects to the proxy reaches the
 * host.
 * @param network with routes, of which CheckProxies() finds nothing wrong
 * @param host index of the host
 * @param port of the host, and of the proxy
 * @return address and port of the proxy: the router's on the host's link
 */
Address InstallProxy(const IwarpNetwork& network, uint32_t host, uint16_t port);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_PROXIES_H
