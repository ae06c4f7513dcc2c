/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_ROCE_H
#define IWARP_WORKLOAD_ROCE_H

#include "iwarp-workload-message.h"

#include "ns3/roce-client.h"
#include "ns3/roce-server.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of the RoCE-like yardsticks: messages from RoceClient to RoceServer.
 *
 * The window is one bandwidth-delay product of the empty path unless it is set.
 */
class IwarpRoceWorkload : public IwarpMessageWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    ~IwarpRoceWorkload() override;

    std::string Check() const override;
    Transport GetTransport() const override;
    Headers GetHeaders(uint32_t ip, uint32_t tcp) const override;
    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    void Finish(iwarp::MetricSet& metrics) override;

  protected:
    /// @param recovery what is sent again
    explicit IwarpRoceWorkload(RoceRecovery recovery);

  private:
    RoceRecovery m_recovery;                //!< what is sent again
    uint32_t m_window;                      //!< see Window
    uint32_t m_period;                      //!< see AckPeriod
    Time m_timeout;                         //!< see Timeout
    Time m_shortTimeout;                    //!< see ShortTimeout
    std::vector<Ptr<RoceClient>> m_clients; //!< at the sending hosts
    std::vector<Ptr<RoceServer>> m_servers; //!< at the receiving hosts
};

/**
 * @ingroup iwarp-helper
 * @brief A RoCE-like transport with go-back-N.
 */
class IwarpGoBackNWorkload : public IwarpRoceWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpGoBackNWorkload();
};

/**
 * @ingroup iwarp-helper
 * @brief A RoCE-like transport with selective repeat.
 */
class IwarpSelectiveRepeatWorkload : public IwarpRoceWorkload
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpSelectiveRepeatWorkload();
};

} // namespace ns3

#endif // IWARP_WORKLOAD_ROCE_H
