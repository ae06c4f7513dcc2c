/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PACKET_MEMORY_H
#define PATH_PACKET_MEMORY_H

#include "ns3/packet.h"
#include "ns3/path-direction.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief What somebody on the path remembers of packets that he has seen: the last ones, and of
 * each association of ESP the last one.
 */
class PathPacketMemory
{
  public:
    /// A packet
    struct Kept
    {
        Ptr<Packet> packet;      //!< the datagram
        uint16_t protocol{0};    //!< EtherType
        PathDirection direction; //!< where it went
        uint32_t spi{0};         //!< of ESP; 0 if it is none
    };

    /**
     * @brief Remember a packet.
     * @param kept it
     * @param limit of packets that are remembered, and of associations of which the last one is;
     * the oldest go
     */
    void Push(const Kept& kept, uint32_t limit);

    /// Get what came last. @return packets, the oldest first
    const std::deque<Kept>& GetLast() const;

    /// List packets of other associations. @param direction in which they went @param spi theirs is
    /// another @return the last of each such association, the oldest association first
    std::vector<Kept> ListOthers(PathDirection direction, uint32_t spi) const;

  private:
    std::deque<Kept> m_last;         //!< packets, the oldest first
    std::deque<Kept> m_associations; //!< the last packet of each, the oldest association first
};

} // namespace ns3

#endif // PATH_PACKET_MEMORY_H
