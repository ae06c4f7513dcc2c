/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PAUSE_H
#define PATH_PAUSE_H

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class PathPauseGate;
class QueueDiscItem;

/**
 * @ingroup iwarp-path
 * @brief Priority flow control of a switch (IEEE 802.1Qbb) with one priority.
 *
 * It counts the octets of datagrams that came in at each port and have not begun to leave. Where
 * they exceed Xoff, what is at the other end of the port's link is told to pause, where they fall
 * to Xon, to go on. A pause frame waits for the packet that the port is sending, then takes its 64
 * octets and the link's delay to arrive; it takes no rate from data, and holds until the other end
 * is told to go on, as if it were sent again in time. The other end completes the packet that it is
 * sending and the one that its device has taken, so it needs a queue disc.
 *
 * With rate C and propagation delay D of the link, at most 2 C D and four full frames come after
 * Xoff is exceeded: that of the other direction that the pause frame waits for, two that are not
 * stopped, and what the pause frame and a frame not yet whole take.
 */
class PathPause : public SimpleRefCount<PathPause>
{
  public:
    /// When a port has its other end pause
    struct Thresholds
    {
        uint64_t xoff{0}; //!< octets above which it does; 0 for never
        uint64_t xon{0};  //!< octets down to which it does
    };

    /// Control the flow into a switch. @param node the switch, with IPv4 or IPv6
    explicit PathPause(const Ptr<Node>& node);
    ~PathPause();
    PathPause(const PathPause&) = delete;
    PathPause& operator=(const PathPause&) = delete;

    /**
     * @brief Add a port.
     * @param port device of the switch, whose DataRate is final
     * @param peer the device at the other end, with a queue disc and flow control
     * @param thresholds of the port; if xoff is 0, only what leaves there counts
     * @param delay propagation delay of the link
     */
    void AddPort(const Ptr<PointToPointNetDevice>& port,
                 const Ptr<PointToPointNetDevice>& peer,
                 const Thresholds& thresholds,
                 Time delay);

    /// Tell for how long peers paused. @return time, those of all ports added
    Time GetPaused() const;
    /// Tell how much came in at one port and waited. @return most octets at any time
    uint64_t GetPeak() const;

  private:
    /// A port
    struct Port
    {
        PointToPointNetDevice* device; //!< it
        Ptr<PathPauseGate> gate;       //!< of its other end, if that can be paused
        Thresholds thresholds;         //!< of it
        Time delay;                    //!< of the link
        uint64_t held{0};              //!< octets that came here and have not begun to leave
        bool full{false};              //!< its other end is to pause
        Time busy;                     //!< when it has sent what it is sending
    };

    static void Arrive(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet);
    static void Leave(Ptr<PathPause> self, std::size_t port, Ptr<const Packet> packet);
    static void DropItem(Ptr<PathPause> self, Ptr<const QueueDiscItem> item);
    template <typename H, typename R, typename I>
    static void DropIp(Ptr<PathPause> self,
                       const H& header,
                       Ptr<const Packet> packet,
                       R reason,
                       Ptr<I> ip,
                       uint32_t interface);
    /// A packet is no longer here. @param packet it @param octets of its datagram
    void Release(const Ptr<const Packet>& packet, uint64_t octets);
    void SendPause(Port& port); //!< send a pause frame @param port it leaves by

    uint32_t m_id;             //!< of the switch
    std::vector<Port> m_ports; //!< ports
    uint64_t m_peak{0};        //!< octets
};

} // namespace ns3

#endif // PATH_PAUSE_H
