/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TRANSMISSION_TIMES_H
#define PATH_TRANSMISSION_TIMES_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Times that packets take at a rate. DataRate divides in 128 bits for each; packets have few
 * sizes, of which the last long one and the last short one are remembered.
 */
class PathTransmissionTimes
{
  public:
    /// Begin at a rate. @param rate it
    explicit PathTransmissionTimes(const DataRate& rate = DataRate(0))
        : m_rate(rate)
    {
    }

    /// Find the time of a packet. @param octets of it @return as DataRate::CalculateBytesTxTime()
    Time Get(uint32_t octets)
    {
        Known& known = m_known[octets > SHORT];
        if (known.octets != octets)
        {
            known = {octets, m_rate.CalculateBytesTxTime(octets)};
        }
        return known.time;
    }

  private:
    static constexpr uint32_t SHORT = 128; //!< octets of a short packet, such as an ACK, at most

    /// A time that is known.
    struct Known
    {
        uint32_t octets{0}; //!< of the packet, which takes no time at first
        Time time;          //!< that it takes
    };

    DataRate m_rate;                //!< rate
    std::array<Known, 2> m_known{}; //!< of the last short packet, and of the last long one
};

} // namespace ns3

#endif // PATH_TRANSMISSION_TIMES_H
