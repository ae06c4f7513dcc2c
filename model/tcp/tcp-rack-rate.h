/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_RACK_RATE_H
#define TCP_RACK_RATE_H

#include "ns3/tcp-rate-ops.h"

#include <cstdint>

namespace ns3
{

class TcpCongestionOps;
class TcpRack;

/**
 * @ingroup iwarp-tcp
 * @brief The samples of the delivery rate of a connection that RACK is used for.
 *
 * TcpSocketBase takes the octets that are lost from TcpTxBuffer, which knows of none of those that
 * RACK finds. A congestion control such as BBR has them from here.
 */
class TcpRackRate : public TcpRateLinux
{
  public:
    /// Take a connection over before it has sent. @param before its samples until now @param rack
    /// what finds its losses, and stays as long as it sends
    TcpRackRate(const TcpRateLinux& before, const TcpRack& rack);

    /// Take a connection over. @param rate its samples, replaced @param control its congestion
    /// control @param rack what finds its losses, and stays as long as it sends
    static void Install(Ptr<TcpRateOps>& rate, TcpCongestionOps& control, const TcpRack& rack);

    const TcpRateSample& GenerateSample(uint32_t delivered,
                                        uint32_t lost,
                                        bool reneged,
                                        uint32_t priorInFlight,
                                        const Time& minRtt) override;

  private:
    const TcpRack& m_rack; //!< finds what is lost
    uint64_t m_lost{0};    //!< octets that it had found at the last sample
};

} // namespace ns3

#endif // TCP_RACK_RATE_H
