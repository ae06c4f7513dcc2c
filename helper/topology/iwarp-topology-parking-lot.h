/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_PARKING_LOT_H
#define IWARP_TOPOLOGY_PARKING_LOT_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Bottlenecks in a row: pairs that cross all of them share each with pairs that cross it
 * alone.
 *
 *     sender 0, 1 --- router 0 --- router 1 --- router 2 --- receiver 0, 2
 *                                  |
 *                                  receiver 1, sender 2
 *
 * Of k bottlenecks, links 0 to k - 1, pair 0 crosses all, pair i from 1 to k the (i - 1)th; pair k
 * + 1 is as pair 0, and so on.
 */
class IwarpParkingLotTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpParkingLotTopology();
    ~IwarpParkingLotTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    uint32_t m_bottlenecks; //!< links in the row
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_PARKING_LOT_H
