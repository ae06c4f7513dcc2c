/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_ROUND_TRIPS_H
#define TCP_ROUND_TRIPS_H

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief The round-trip times that RACK-TLP reckons with (RFC 8985): measured by when segments were
 * sent, to the nanosecond, where timestamps tell milliseconds and RTTs of a data center are less.
 *
 * The least one is that of a while (section 6.2, step 1), so that it grows on a path that has
 * become longer: what is from between half of the window and the whole of it counts.
 */
class TcpRoundTrips
{
  public:
    /// Begin. @param window time for which the least RTT counts; 0: for ever
    explicit TcpRoundTrips(Time window)
        : m_half(window / 2)
    {
    }

    /**
     * @brief Take a measurement of segments that were sent once.
     * @param first RTT of the first that an ACK is about, which smooths the estimate (RFC 6298)
     * @param last RTT of the last, which no delayed ACK has lengthened
     * @param now the clock
     */
    void Measure(Time first, Time last, Time now);

    /// Tell whether there is a measurement. @return true if there is
    bool IsKnown() const
    {
        return m_least < Time::Max();
    }

    /// Get the smoothed RTT. @return SRTT; 0 if there is no measurement
    Time GetSmoothed() const
    {
        return m_smoothed;
    }

    Time GetLeast() const; //!< Get the least RTT. @return RACK.min_RTT; 0 if there is none

  private:
    Time m_half;                //!< half of the window
    Time m_smoothed;            //!< SRTT
    Time m_least{Time::Max()};  //!< least of the half that runs
    Time m_before{Time::Max()}; //!< least of the half before
    Time m_begin;               //!< when the half that runs has begun
};

} // namespace ns3

#endif // TCP_ROUND_TRIPS_H
