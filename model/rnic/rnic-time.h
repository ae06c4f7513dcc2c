/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TIME_H
#define RNIC_TIME_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @defgroup iwarp-rnic The RNIC
 * @ingroup iwarp
 * @brief Timing and memories of an RDMA network interface controller.
 */

/**
 * @ingroup iwarp-rnic
 * @brief Simulated time in picoseconds.
 *
 * An octet at 400 Gb/s takes 20 ps, which Time at its default resolution of 1 ns cannot hold. The
 * range is 106 days.
 */
using RnicTime = int64_t;

/// @ingroup iwarp-rnic
/// @brief Turn a Time into picoseconds.
/// @param t time, at most 106 days @return the same in picoseconds, rounded towards zero
RnicTime ToRnicTime(Time t);

/**
 * @ingroup iwarp-rnic
 * @brief The earliest Time that is not before @p t, so that no event runs ahead of its cause.
 * @param t picoseconds; what is below 0 is past, and counts as 0
 * @return the time
 */
Time FromRnicTime(RnicTime t);

/**
 * @ingroup iwarp-rnic
 * @brief Time that octets take at a rate, without drift.
 *
 * What is left of a picosecond after one call is carried into the next: the times of any number of
 * calls add up to the exact time of all their octets, rounded down to a picosecond.
 */
class RnicRate
{
  public:
    /// Rates above this take no time: 100 Tb/s, 0.08 ps an octet.
    static constexpr uint64_t FASTEST = 100'000'000'000'000;
    /// Lowest rate: 1 kb/s.
    static constexpr uint64_t SLOWEST = 1000;

    /// Look at a rate.
    /// @param bitRate bit/s @return what is wrong with it, for people; empty if nothing
    static std::string Check(uint64_t bitRate);

    /// Tell whether octets take no time at a rate.
    /// @param bitRate bit/s @return true for 0, which is no limit, and above FASTEST
    static constexpr bool IsUnlimited(uint64_t bitRate)
    {
        return bitRate == 0 || bitRate > FASTEST;
    }

    /// Set the rate; NS_ABORT with a message if Check() finds fault.
    /// @param bitRate bit/s, at least SLOWEST; 0 for no limit
    explicit RnicRate(uint64_t bitRate = 0);

    /// Time octets, and carry what is left of a picosecond.
    /// @param octets to be carried @return picoseconds that they take
    RnicTime Serve(uint64_t octets);

  private:
    uint64_t m_whole{0};   //!< whole picoseconds an octet takes
    uint64_t m_part{0};    //!< and this many parts of one
    uint64_t m_parts{1};   //!< parts that a picosecond has
    uint64_t m_carried{0}; //!< parts left over
};

} // namespace ns3

#endif // RNIC_TIME_H
