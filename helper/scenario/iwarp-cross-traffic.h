/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_CROSS_TRAFFIC_H
#define IWARP_CROSS_TRAFFIC_H

#include "iwarp-scenario-parameters.h"

#include "ns3/address.h"
#include "ns3/iwarp-random-streams.h"
#include "ns3/iwarp-topology.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Traffic of ns-3's own UDP or TCP beside a scenario's flows, from 1 ms to the end.
 */
class CrossTraffic : public SimpleRefCount<CrossTraffic>
{
  public:
    /// Install its applications. @param parameters what it is @param network with its routes
    /// @param ends pairs of hosts, none if there is no such traffic; one that a flow's pair shares
    /// keeps the congestion control that it has @param others pairs of the flows
    /// @param segmentSize octets of a segment of TCP
    /// @param[in,out] streams what it draws from comes from there
    CrossTraffic(const IwarpScenarioParameters& parameters,
                 const IwarpNetwork& network,
                 const IwarpTopology::Ends& ends,
                 const IwarpTopology::Ends& others,
                 uint32_t segmentSize,
                 RandomStreams& streams);
    CrossTraffic(const CrossTraffic&) = delete;
    CrossTraffic& operator=(const CrossTraffic&) = delete;
    ~CrossTraffic();

    uint64_t GetOctets() const; //!< Count what came. @return octets of payload, all flows

  private:
    /// Install a flow. @param parameters what it is @param network where @param from index of the
    /// host that sends @param to of that which receives @param[in,out] streams to take from
    void Install(const IwarpScenarioParameters& parameters,
                 const IwarpNetwork& network,
                 uint32_t from,
                 uint32_t to,
                 RandomStreams& streams);
    /// @param packet that came @param from its sender
    void Receive(Ptr<const Packet> packet, const Address& from);

    uint32_t m_segmentSize; //!< octets of a segment of TCP
    uint16_t m_port;        //!< where the next flow goes
    uint64_t m_octets{0};   //!< octets that came
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_CROSS_TRAFFIC_H
