/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_WAN_H
#define IWARP_TOPOLOGY_WAN_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Pairs of hosts that share one link as long as Distance of fibre and SatelliteHops: long
 * and, by LinkRate, fat.
 *
 * Light in fibre goes at two thirds of its speed in vacuum. A satellite hop takes 280 ms one way:
 * up to a geostationary satellite and down from it at the edge of its view are 279.0 ms (RFC 2488
 * section 2), rounded up. Delay is not used. Hosts and links are numbered as those of the dumbbell.
 */
class IwarpWanTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpWanTopology();
    ~IwarpWanTopology() override;

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    double m_distance;        //!< kilometres of fibre
    uint32_t m_satelliteHops; //!< satellites on the way
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_WAN_H
