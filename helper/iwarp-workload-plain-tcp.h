/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_PLAIN_TCP_H
#define IWARP_WORKLOAD_PLAIN_TCP_H

#include "iwarp-workload.h"

#include "ns3/packet.h"

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
    /// Set how much is sent. @param octets payload of each flow, 0 is no limit @param sendBuffer
    /// TCP's, octets
    PlainTcpWorkload(uint64_t octets, uint32_t sendBuffer);

    void Install(const Flow& flow, const FlowListener& listener) override;
    uint64_t GetOctets() const override;
    void Finish(MetricSet& metrics) override;

  private:
    void Received(Ptr<const Packet> packet, const Address& from); //!< PacketSink's Rx

    uint64_t m_octets;       //!< payload of each flow
    uint32_t m_chunk;        //!< octets that the application writes at once
    FlowListener m_listener; //!< told of the flows
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_WORKLOAD_PLAIN_TCP_H
