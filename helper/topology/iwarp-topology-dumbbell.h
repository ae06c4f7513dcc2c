/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_DUMBBELL_H
#define IWARP_TOPOLOGY_DUMBBELL_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A dumbbell: pairs of hosts that share one bottleneck link, the network's link 0.
 *
 *     sender 0 --- access ---+                         +--- access --- receiver 0
 *                            router -- bottleneck -- router
 *     sender 1 --- access ---+                         +--- access --- receiver 1
 *
 * The sender of pair i is host 2i and the receiver host 2i + 1, unless Receivers says that several
 * senders have one receiver.
 */
class IwarpDumbbellTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpDumbbellTopology();
    ~IwarpDumbbellTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    uint32_t m_receivers; //!< hosts that receive, 0 as many as send
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_DUMBBELL_H
