/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESTIMATE_H
#define RNIC_ESTIMATE_H

#include "rnic-design.h"

#include "ns3/data-rate.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief What two RNICs of equal figures do over a link, found without a simulation: segments walk
 * through the stages of their datapaths, with IPv4, Ethernet, no TCP options, no Markers and no
 * loss.
 *
 * For comparisons with measured adapters, and to see what a figure is worth.
 */
class RnicEstimate
{
  public:
    /// Set up two equal RNICs with a link between them.
    /// @param design of both RNICs @param link rate of the link
    RnicEstimate(const RnicDesign& design, DataRate link);

    /// Estimate the one-way latency of an RDMA Write.
    /// @param octets payload, in one segment
    /// @return seconds from posting an RDMA Write to its sight by a polling peer, all caches warm
    double GetWriteLatency(uint32_t octets) const;

    /// Estimate the rate of RDMA Writes that fit a segment each.
    /// @param octets payload of an RDMA Write, in one segment
    /// @return RDMA Writes a second of one connection that always has more to send
    double GetWriteRate(uint32_t octets) const;

    /**
     * @brief Estimate the throughput of bulk data, in full segments.
     * @param connections that always have more to send, in turn
     * @param aligned FPDUs fill segments; otherwise each segment ends one FPDU and begins another
     * @param header DDP header: 14 octets tagged, 18 untagged
     * @return bit/s of payload in full segments of MTU 1500, all connections together
     */
    double GetThroughput(uint32_t connections, bool aligned = true, uint32_t header = 14) const;

  private:
    /// @param connections in turn @param fpdu octets of each segment @param payload that they bring
    /// @param aligned as above @param messages each segment is a message
    /// @return segments a second
    double GetRate(uint32_t connections,
                   uint32_t fpdu,
                   uint32_t payload,
                   bool aligned,
                   bool messages) const;

    RnicDesign m_design; //!< of both RNICs
    uint64_t m_link;     //!< bit/s
};

} // namespace ns3

#endif // RNIC_ESTIMATE_H
