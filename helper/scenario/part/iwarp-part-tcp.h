/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_TCP_H
#define IWARP_PART_TCP_H

#include "ns3/data-rate.h"
#include "ns3/iwarp-scenario-part.h"
#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief TCP of a scenario's hosts: its congestion control and receive window, and what adapters
 * make of it.
 */
class IwarpTcpPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpTcpPart();
    ~IwarpTcpPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckRanks(const iwarp::ScenarioParts& parts) const override;
    void SetDefaults(iwarp::ScenarioParts& parts) const override;
    void Install(iwarp::ScenarioNetwork& network) const override;

    /// Find a congestion control. @param name its class, with or without ns3:: @param [out] tid it
    /// @return whether there is such
    static bool FindCongestionControl(const std::string& name, TypeId& tid);

  private:
    /// @param parts of the scenario @return class of TcpCongestionOps that holds: the profile's
    /// where the user names none
    std::string GetCongestionControl(const iwarp::ScenarioParts& parts) const;

    std::string m_profile;           //!< profile of TCP, or "none"
    std::string m_congestionControl; //!< class of TcpCongestionOps
    DataRate m_windowRate;           //!< that the receive window allows; 0: TCP's buffer size
    Time m_windowRtt;                //!< round trip for that
};

} // namespace ns3

#endif // IWARP_PART_TCP_H
