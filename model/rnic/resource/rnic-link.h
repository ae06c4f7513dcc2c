/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_LINK_H
#define RNIC_LINK_H

#include "ns3/rnic-time.h"
#include "ns3/rnic-timeline.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief One direction of a bus or memory that several parts of the RNIC share, in closed form.
 *
 * Those parts ask for it at times to come, and not in their order: a read's data is booked when
 * the read is, well before it flows. So what is asked for takes the first idle time from its
 * arrival on, in several pieces if need be, as its packets would. If all arrivals are in order this
 * is a FIFO queue.
 */
class RnicLink
{
  public:
    /// When something is carried.
    struct Slot
    {
        RnicTime start; //!< ps, its first octet
        RnicTime end;   //!< ps, behind its last octet
    };

    /// Make an idle link. @param bitRate bit/s, at least RnicRate::SLOWEST; 0 for no limit
    explicit RnicLink(uint64_t bitRate = 0);

    /**
     * @brief Carry octets.
     * @param now ps, the clock, which never goes back: nothing will be asked for before it
     * @param arrival ps, when they are there to be carried; at least @p now
     * @param octets how many
     * @return when they are carried
     */
    Slot Transfer(RnicTime now, RnicTime arrival, uint64_t octets);

    /**
     * @brief Tell when octets would have been carried, without having that done.
     * @param arrival ps, when they are there to be carried; not before the clock
     * @param octets how many
     * @return ps, the end of the slot that Transfer() would return
     */
    RnicTime Predict(RnicTime arrival, uint64_t octets) const;

    /**
     * @brief Take the link for a time, whatever it is used for.
     * @param now ps, the clock, as above
     * @param arrival ps, from when on
     * @param service ps, for how long
     * @return when
     */
    Slot Reserve(RnicTime now, RnicTime arrival, RnicTime service);

    /// Count what Transfer() was asked for. @return octets, what is booked ahead included
    uint64_t GetOctets() const;
    /// Sum up the time in use. @return ps, what is booked ahead included
    RnicTime GetBusy() const;
    /// Find the end of all bookings. @return ps, from when on nothing is booked
    RnicTime GetFreeAt() const;

  private:
    /// @param t ps @return index of the first idle time that ends behind it
    std::size_t FindIdle(RnicTime t) const;
    /// Use idle times. @param arrival ps, from when on @param service ps, for how long
    /// @param [out] slot when, if at all @return ps, for which there are none
    RnicTime UseIdle(RnicTime arrival, RnicTime service, Slot& slot);

    RnicRate m_rate;           //!< octets to time
    RnicTime m_free{0};        //!< ps, from when on nothing is booked
    RnicTimeline<Slot> m_idle; //!< idle times before m_free that may still be used
    uint64_t m_octets{0};      //!< octets
    RnicTime m_busy{0};        //!< ps
};

} // namespace ns3

#endif // RNIC_LINK_H
