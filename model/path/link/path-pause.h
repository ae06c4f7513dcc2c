/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PAUSE_H
#define PATH_PAUSE_H

#include "path-buffer.h"
#include "path-pause-gate.h"
#include "path-priority-queue-disc.h"

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class QueueDiscItem;

/**
 * @ingroup iwarp-path
 * @brief Memory of a switch and priority flow control (IEEE 802.1Qbb) of its ports.
 *
 * It counts the octets of datagrams that wait in the switch, from when they have been forwarded
 * until they begin to leave, in a PathBuffer. Where those of a lossless priority that came in at a
 * port exceed its threshold, what is at the other end of the port's link is told to pause that
 * priority, and to go on when there is room again. A pause frame waits for the packet that the port
 * is sending, then takes its 64 octets, the link's delay to arrive and the time that the other end
 * needs to respond; it takes no rate from data, and holds until the other end is told to go on, as
 * if it were sent again in time. The other end completes the packet that it is sending and the one
 * that its device has taken.
 *
 * So with rate C and propagation delay D of the link, at most 2 C D and four full frames come after
 * the threshold is exceeded: that of the other direction that the pause frame waits for, two that
 * are not stopped, and what the pause frame and a frame not yet whole take. GetPauseHeadroom() has
 * the exact number of octets.
 */
class PathPause : public SimpleRefCount<PathPause>, public PathAdmission
{
  public:
    /// When a port has its other end pause
    struct Thresholds
    {
        /// Octets above which it does; 0: if headroom is limited, where PathBuffer has no more to
        /// share, otherwise never
        uint64_t xoff{0};
        uint64_t xon{0}; //!< octets down to which it does, with xoff
        /// Octets of each lossless priority behind the threshold for what comes nevertheless;
        /// UNLIMITED: what the queue discs hold
        uint64_t headroom{PathBuffer::UNLIMITED};
        uint8_t priorities{0xFF}; //!< which are lossless: bit p is 1 if priority p is
        /// Octets of all priorities that came in at the port and wait in the switch; 0: no limit
        uint64_t inputBuffer{0};
        Time response{0}; //!< time until the other end heeds a pause frame

        /// Tell whether there is any pause. @return so
        bool IsOn() const
        {
            return xoff > 0 || headroom != PathBuffer::UNLIMITED;
        }

        /// Tell whether it matters by which port a datagram came in. @return so
        bool CountsAtInput() const
        {
            return IsOn() || inputBuffer > 0;
        }
    };

    /// What a switch dropped for want of memory
    struct Drops
    {
        uint64_t shared{0};   //!< datagrams that found their queue to have its share
        uint64_t headroom{0}; //!< datagrams of lossless priorities that found their headroom full
    };

    /// Begin with a switch. @param node the switch @param buffer its memory
    PathPause(const Ptr<Node>& node, const PathBuffer::Settings& buffer);
    ~PathPause() override;
    PathPause(const PathPause&) = delete;
    PathPause& operator=(const PathPause&) = delete;

    /**
     * @brief Add a port.
     * @param port device of the switch, whose DataRate is final, with a PathPriorityQueueDisc
     * @param peer the device at the other end, with another
     * @param thresholds of the port
     * @param delay propagation delay of the link
     */
    void AddPort(const Ptr<PointToPointNetDevice>& port,
                 const Ptr<PointToPointNetDevice>& peer,
                 const Thresholds& thresholds,
                 Time delay);

    const char* Admit(uint32_t port,
                      uint8_t priority,
                      const Ptr<Packet>& packet,
                      uint32_t octets) override;

    /**
     * @brief Tell where a packet that waits in a switch came in, if that port loses nothing or has
     * memory of its own.
     * @param packet with its tags
     * @param node id of the switch
     * @return number of the port, or nothing of what the switch itself sends
     */
    static std::optional<uint32_t> FindInput(const Ptr<const Packet>& packet, uint32_t node);

    const PathBuffer& GetBuffer() const; //!< Get the memory. @return it
    const Drops& GetDrops() const;       //!< Tell what was dropped. @return counts
    Time GetPaused() const; //!< Tell for how long peers paused. @return time, that of all ports
    /// Count the pause frames that asked for a pause. @return frames, without those that end one
    uint64_t CountPauses() const;

  private:
    /// A port
    struct Port
    {
        PointToPointNetDevice* device; //!< it
        Ptr<PathPauseGate> gate;       //!< of its other end
        Time delay;                    //!< until that heeds what has been sent
        bool pauses;                   //!< it has its other end pause
        Time busy;                     //!< when it has sent what it is sending
    };

    static void Arrive(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet);
    static void Leave(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet);
    static void DropItem(Ptr<PathPause> self, Ptr<const QueueDiscItem> item);
    /// A packet is no longer here. @param packet it @param octets of its datagram
    void Release(const Ptr<const Packet>& packet, uint64_t octets);
    /// Send a pause frame. @param port it leaves by @param priority which it names
    void SendPause(uint32_t port, uint8_t priority);

    uint32_t m_id;             //!< of the switch
    PathBuffer m_buffer;       //!< its memory
    std::vector<Port> m_ports; //!< ports
    Drops m_drops;             //!< what had no room
    uint64_t m_pauses{0};      //!< frames that asked for a pause
};

} // namespace ns3

#endif // PATH_PAUSE_H
