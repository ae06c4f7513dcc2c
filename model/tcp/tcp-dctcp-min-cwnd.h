/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_DCTCP_MIN_CWND_H
#define TCP_DCTCP_MIN_CWND_H

#include "ns3/tcp-dctcp.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief DCTCP (RFC 8257) whose marks leave a window of MinCwnd segments, two as in Linux's
 * dctcp_ssthresh(), and as RFC 5681 section 3.1, equation (4), has it for losses.
 *
 * ns-3's TcpDctcp goes on below. A lone segment then waits until the receiver's timer for delayed
 * ACKs expires, for each round trip, so that many senders to one host leave its link idle. A factory
 * of this module's sockets takes this class where TcpDctcp is asked for; attributes and trace
 * sources of that are here, too.
 */
class TcpDctcpMinCwnd : public TcpDctcp
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t inFlight) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    uint32_t m_minCwnd; //!< segments that a reduction leaves
};

} // namespace ns3

#endif // TCP_DCTCP_MIN_CWND_H
