/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_STAR_H
#define IWARP_TOPOLOGY_STAR_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Hosts at one switch, whose links alone are shared: two hosts a pair.
 *
 * The sender of pair i is host 2i and the receiver host 2i + 1. There are no links between routers,
 * so LinkRate and Delay are not used.
 */
class IwarpStarTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpStarTopology();
    ~IwarpStarTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_STAR_H
