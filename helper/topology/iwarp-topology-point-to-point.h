/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_POINT_TO_POINT_H
#define IWARP_TOPOLOGY_POINT_TO_POINT_H

#include "iwarp-topology.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Pairs of hosts, each joined by a link of its own of LinkRate and Delay, without a router.
 *
 * Pair i is hosts 2i and 2i + 1 and link i, whose end A is the sender. AccessRate and AccessDelay
 * are not used.
 */
class IwarpPointToPointTopology : public IwarpTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpPointToPointTopology();
    ~IwarpPointToPointTopology() override;

    std::string Check(uint32_t pairs, bool ipv6) const override;
    Ends Build(IwarpNetwork& network, uint32_t pairs) const override;
    DataRate GetBottleneckRate() const override;
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_POINT_TO_POINT_H
