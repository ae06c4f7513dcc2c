/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RATE_BOUNDS_H
#define IWARP_RATE_BOUNDS_H

#include "iwarp-topology.h"

#include "ns3/app-metric.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The physical bounds of the rates that a run reports.
 *
 * A rate above its bound is an error of what measures it or of what simulates.
 */
class RateBounds
{
  public:
    /**
     * @brief Find the bounds that links and headers set to all pairs of hosts together.
     *
     * Each pair is counted at that link of its path that has the least for each of the pairs that
     * have to cross it; where paths divide, at a host's own link. Their sum is no less than any
     * flow through the network.
     * @param network with routes
     * @param ends pairs of hosts, sending and receiving
     * @param headers octets of IP and TCP in a datagram
     */
    RateBounds(const IwarpNetwork& network, const IwarpTopology::Ends& ends, uint32_t headers);

    /// Get what full segments leave to TCP's payload. @return bit/s
    double GetTcp() const;
    /// Get what full segments of an FPDU each leave to the payload of tagged DDP segments, which
    /// have the shortest headers. @return bit/s
    double GetPayload() const;

    /**
     * @brief Compare the rates of a run.
     * @param metrics of the run
     * @return "", or one line that says which rate is above what
     */
    std::string Check(const std::vector<AppMetric>& metrics) const;

  private:
    double m_tcp{0};     //!< for TCP's payload, bit/s
    double m_payload{0}; //!< for messages, bit/s
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RATE_BOUNDS_H
