/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_BUFFER_H
#define PATH_BUFFER_H

#include "path-priorities.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief The memory of a switch that shares it among its ports and priorities, without a simulator.
 *
 * It counts octets of datagrams. Those of a lossless priority count where they came in, and where
 * too many do, the other end of that port's link is to pause; all others count where they leave,
 * and where too many do, they are dropped. A queue, which is that of a port and priority, first
 * fills its reserve, then what all share, for which its threshold is alpha times what is free of
 * it (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998): S
 * queues that always want more have alpha B / (1 + alpha S) each of B shared octets. A lossless
 * queue that finds no more wants a pause, and from then on fills its headroom, which is nobody
 * else's; it wants the pause to end when it has left the headroom, by then or by what is free, and
 * is an offset below its threshold.
 *
 * Lossless queues may have static thresholds instead. Without a size all is free. A port may have
 * memory of its own for what came in by it: then all priorities count there, and what finds it full
 * is dropped.
 */
class PathBuffer
{
  public:
    /// Headroom that does not end
    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max();

    /// What a switch has
    struct Settings
    {
        uint64_t size{0}; //!< octets of memory; 0 for no limit
        /// Threshold of each priority over what is free
        std::array<double, PathPriorities::MOST> alpha{1, 1, 1, 1, 1, 1, 1, 1};
        uint64_t reserve{0}; //!< octets for each port and priority alone
        uint64_t offset{0};  //!< octets below a dynamic threshold at which a pause is to end
    };

    /// A port
    struct Port
    {
        uint8_t count{1};             //!< priorities
        uint8_t lossless{0};          //!< bit p is 1 if priority p loses nothing
        uint64_t xoff{0};             //!< static threshold of lossless ones, octets; 0: dynamic
        uint64_t xon{0};              //!< octets down to which a pause lasts with a static one
        uint64_t headroom{UNLIMITED}; //!< octets for each lossless priority behind the threshold
        uint64_t input{0};            //!< octets, of all priorities, that count here; 0: no limit
    };

    /// What becomes of a datagram
    enum class Verdict : uint8_t
    {
        ACCEPTED,    //!< it is in
        NO_SHARED,   //!< dropped: its queue has its share
        NO_HEADROOM, //!< dropped: it is of a lossless priority, whose headroom or port is full
    };

    /// Make an empty one. @param settings of the switch
    explicit PathBuffer(const Settings& settings);

    /// Add a port. @param port it @return its number, from 0
    uint32_t AddPort(const Port& port);

    /// Tell whether reserves and headroom leave something to share. @return "", or one line
    std::string Check() const;

    /// Tell whether there is a limit. @return the memory has a size
    bool IsLimited() const;

    /// Tell where datagrams count. @param port where they came in @param priority theirs
    /// @return true: there
    bool CountsAtInput(uint32_t port, uint8_t priority) const;

    /**
     * @brief Ask for room.
     * @param port of the queue: where the datagram came in, if it counts there, or where it leaves
     * @param priority of the queue
     * @param octets of the datagram
     * @return whether it is in
     */
    Verdict Add(uint32_t port, uint8_t priority, uint64_t octets);

    /// Give room back. @param port of the queue @param priority of the queue @param octets of a
    /// datagram that is in
    void Remove(uint32_t port, uint8_t priority, uint64_t octets);

    /// Tell whether the other end is to pause. @param port where it is @param priority which
    /// @return so
    bool WantsPause(uint32_t port, uint8_t priority) const;

    /// Tell how long a queue is. @param port of it @param priority of it @return octets, those in
    /// its headroom too
    uint64_t GetLength(uint32_t port, uint8_t priority) const;

    uint64_t GetShared() const;    //!< Tell what there is to share. @return octets
    uint64_t GetOccupancy() const; //!< Tell how much is in. @return octets, of all queues
    uint64_t GetPeak() const;      //!< Tell how much was in at most. @return octets

  private:
    /// A queue: of a port and priority
    struct Queue
    {
        uint64_t under{0};    //!< octets in its reserve and in what is shared
        uint64_t headroom{0}; //!< octets in its headroom
        bool full{false};     //!< the other end is to pause
    };

    /// A port with its queues
    struct Place
    {
        Port port;                                      //!< what it is
        std::array<Queue, PathPriorities::MOST> queues; //!< by priority
        uint64_t length{0};                             //!< octets of all of them
    };

    /// @param port number @param priority of datagrams @return it loses nothing
    bool IsLossless(uint32_t port, uint8_t priority) const;
    /// @param under octets of a queue without its headroom @return those beyond its reserve
    uint64_t GetPart(uint64_t under) const;
    /// @return octets that are free of what is shared
    uint64_t GetFree() const;
    /// @param place port @param priority of a queue @param octets of a datagram @return it may go
    /// into the reserve and what is shared
    bool Fits(const Place& place, uint8_t priority, uint64_t octets) const;
    /// @param place port @param priority of a lossless queue @return a pause is to end
    bool MayGoOn(const Place& place, uint8_t priority) const;
    /// @param queue that changes @param under what it has then without its headroom
    void SetUnder(Queue& queue, uint64_t under);

    Settings m_settings;         //!< of the switch
    std::vector<Place> m_places; //!< ports
    uint64_t m_apart{0};         //!< octets of all reserves and headroom
    uint64_t m_used{0};          //!< octets of what is shared
    uint64_t m_occupancy{0};     //!< octets that are in
    uint64_t m_peak{0};          //!< most of them
};

} // namespace ns3

#endif // PATH_BUFFER_H
