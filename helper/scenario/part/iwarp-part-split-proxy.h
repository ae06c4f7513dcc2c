/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_SPLIT_PROXY_H
#define IWARP_PART_SPLIT_PROXY_H

#include "ns3/iwarp-scenario-part.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Splitting proxies of a scenario: TCP ends at the routers next to hosts, and begins anew.
 */
class IwarpSplitProxyPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpSplitProxyPart();
    ~IwarpSplitProxyPart() override;

    bool IsIdle() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckNetwork(const iwarp::ScenarioParts& parts,
                             const IwarpNetwork& network,
                             const IwarpTopology::Ends& ends) const override;
    Address Redirect(iwarp::ScenarioNetwork& network,
                     uint32_t host,
                     uint16_t port,
                     const Address& address) const override;
    bool IsBuffering() const override;

  private:
    bool m_enabled; //!< there are proxies
};

} // namespace ns3

#endif // IWARP_PART_SPLIT_PROXY_H
