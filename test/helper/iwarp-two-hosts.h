/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TWO_HOSTS_H
#define IWARP_TWO_HOSTS_H

#include "ns3/iwarp-network.h"

/**
 * @ingroup iwarp-test
 * Hosts 0 and 1 with two routers between them: 1 Gbit/s and a round trip of 24 us.
 */
class TwoHosts : public ns3::IwarpNetwork
{
  public:
    explicit TwoHosts(bool ipv6 = false) //!< @param ipv6 use IPv6 rather than IPv4
        : IwarpNetwork(ipv6)
    {
        const Link access{ns3::DataRate("10Gbps"), ns3::MicroSeconds(1)};
        AddRouter();
        AddRouter();
        AddLink(0, 1, {ns3::DataRate("1Gbps"), ns3::MicroSeconds(10)});
        AddHost(0, access);
        AddHost(1, access);
        InstallRoutes();
    }
};

#endif // IWARP_TWO_HOSTS_H
