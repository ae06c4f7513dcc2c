/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_CROSS_TRAFFIC_H
#define IWARP_PART_CROSS_TRAFFIC_H

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/iwarp-path-place.h"
#include "ns3/iwarp-scenario-part.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Traffic of ns-3's own UDP or TCP beside a scenario's flows, from 1 ms to the end.
 *
 * It has pairs of hosts of its own; where a topology has it share a host with a flow, the host
 * keeps the congestion control that it has.
 */
class IwarpCrossTrafficPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpCrossTrafficPart();
    ~IwarpCrossTrafficPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    uint32_t CountPairs() const override;
    void Install(iwarp::ScenarioNetwork& network) const override;

  private:
    /// @param network where @param from index of the host that sends @param to of that which
    /// receives @param port of the receiver @return application that sends, installed
    Ptr<Application> InstallSource(iwarp::ScenarioNetwork& network,
                                   uint32_t from,
                                   uint32_t to,
                                   uint16_t port) const;

    std::string m_kind;                  //!< "none", "udp" or "tcp"
    uint32_t m_flows;                    //!< flows
    DataRate m_rate;                     //!< payload of each flow of UDP
    iwarp::TrafficDirection m_direction; //!< where its payload goes
    std::string m_control;               //!< class of TcpCongestionOps, of TCP
    uint8_t m_dscp;                      //!< see CrossDscp
};

} // namespace ns3

#endif // IWARP_PART_CROSS_TRAFFIC_H
