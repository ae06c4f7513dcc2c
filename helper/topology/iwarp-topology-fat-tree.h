/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_FAT_TREE_H
#define IWARP_TOPOLOGY_FAT_TREE_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A fat tree of switches with K ports (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008): K pods
 * of K / 2 edge switches and K / 2 aggregation switches, K² / 4 core switches, K³ / 4 hosts.
 *
 * Routers are the edge switches by pod, then the aggregation switches by pod, then the cores. Host
 * h is at edge switch h / (K / 2). Pair i is host i and the one half of all hosts away, in another
 * pod. Between two pods there are K² / 4 equal paths, within one K / 2.
 */
class IwarpFatTreeTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpFatTreeTopology();
    ~IwarpFatTreeTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    uint32_t m_k; //!< ports of a switch
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_FAT_TREE_H
