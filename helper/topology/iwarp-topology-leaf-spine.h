/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_LEAF_SPINE_H
#define IWARP_TOPOLOGY_LEAF_SPINE_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Leaves with hosts, each joined to each of the spines: as many equal paths as spines
 * between two leaves.
 *
 * Leaf i is router i, spine j router Leaves + j, and their link Spines i + j, with the leaf at end
 * A. Host h is at leaf h / HostsPerLeaf. Pair i is host i and the one half of all hosts away.
 * HostsPerLeaf AccessRate / (Spines LinkRate) is the over-subscription.
 */
class IwarpLeafSpineTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpLeafSpineTopology();
    ~IwarpLeafSpineTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    uint32_t m_leaves; //!< leaves
    uint32_t m_spines; //!< spines
    uint32_t m_hosts;  //!< hosts at a leaf
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_LEAF_SPINE_H
