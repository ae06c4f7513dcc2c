/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_ETHERNET_CHANNEL_H
#define PATH_ETHERNET_CHANNEL_H

#include "path-transmission-times.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief A point-to-point link on which datagrams take the time of Ethernet frames.
 *
 * ns-3's point-to-point devices send a datagram and 2 octets of PPP, and so do their pcap files.
 * Ethernet sends preamble, header, FCS and gap besides, 38 octets a datagram in place of these 2,
 * and never a frame of less than 64 octets (IEEE 802.3 sections 3.1.1 and 4.4.2). Join() has
 * devices wait between packets for as long as the real frame takes more, the gap included; on
 * average the link's rate is kept exactly, whatever the resolution of ns3::Time. This channel has
 * packets arrive when the last octet of the frame does, without the gap.
 *
 * Its ends may be in different ranks of a run (ns3::ranks).
 */
class PathEthernetChannel : public PointToPointChannel
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathEthernetChannel();
    ~PathEthernetChannel() override;

    /**
     * @brief Join two devices by such a link, in place of the one that they may have.
     * @param a device whose DataRate is final
     * @param b another, likewise
     * @param delay propagation delay
     */
    static void Join(Ptr<PointToPointNetDevice> a, Ptr<PointToPointNetDevice> b, Time delay);

    /**
     * @brief Change the rate of a device, whatever its channel, from the next packet on.
     * @param device it
     * @param rate more than 0
     */
    static void SetRate(Ptr<PointToPointNetDevice> device, const DataRate& rate);

    bool TransmitStart(Ptr<const Packet> packet,
                       Ptr<PointToPointNetDevice> from,
                       Time transmission) override;

  private:
    /// What an end is to this rank
    enum class Side : uint8_t
    {
        OWN,     //!< it and the other end are of this rank
        REMOTE,  //!< it is of this rank, the other end is not
        FOREIGN, //!< it is of another rank, which sends for it
    };

    /// Tell which end a device is at. @param device one of the two @return 0 or 1
    std::size_t GetEnd(const Ptr<const PointToPointNetDevice>& device) const;

    std::array<PathTransmissionTimes, 2>
        m_times;                   //!< at the ends, in the order in which they were attached
    std::array<Side, 2> m_sides{}; //!< of the ends, likewise
};

} // namespace ns3

#endif // PATH_ETHERNET_CHANNEL_H
