/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_PLAIN_TCP_H
#define IWARP_WORKLOAD_PLAIN_TCP_H

#include "iwarp-workload.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Octets from ns-3's BulkSendApplication to its PacketSink, over ns-3's own TCP: what other
 * workloads are compared with.
 */
class PlainTcpWorkload : public IwarpWorkload
{
  public:
    /// Set how much is sent. @param other workload that it is compared with, which says how much
    /// each flow sends @param sendBuffer TCP's, octets @param segmentSize octets of a segment
    PlainTcpWorkload(const IwarpWorkload& other, uint32_t sendBuffer, uint32_t segmentSize);

    void Install(const Flow& flow, const FlowListener& listener) override;
    uint64_t GetOctets() const override;
    uint64_t GetWarmUp() const override;
    void Finish(MetricSet& metrics) override;

  private:
    uint64_t m_octets;      //!< payload of each flow
    uint64_t m_warmUp;      //!< payload before it
    uint32_t m_chunk;       //!< octets that the application writes at once
    uint32_t m_segmentSize; //!< octets of a segment
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_PLAIN_TCP_H
