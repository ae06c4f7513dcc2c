/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVE_WINDOW_H
#define MPA_RECEIVE_WINDOW_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-mpa
 * The receive window that RFC 5041 Appendix A advises, as functions of numbers.
 */

namespace ns3
{
namespace mpa
{

constexpr uint32_t WINDOW_FIELD = 65535;            ///< most that the window field says
constexpr uint32_t MAX_WINDOW = WINDOW_FIELD << 14; ///< widest window of TCP (RFC 7323)

/**
 * @ingroup iwarp-mpa
 * @brief The window that lets a sender go at a rate.
 * @param rate wanted
 * @param roundTrip delay to the sender and back
 * @return octets: their product, rounded up to what window scaling can say; at most MAX_WINDOW
 */
uint32_t WindowFor(DataRate rate, Time roundTrip);

/// @ingroup iwarp-mpa
/// @brief What a receive window follows from. Octets from the left edge of the window on.
struct ReceiveWindow
{
    uint32_t space{0};     //!< that the receive buffer has
    uint32_t unretired{0}; //!< of it, taken by what hardware has not placed yet
    uint32_t offered{0};   //!< that the peer has been told of and has not used: the right edge
    uint32_t step{1}; //!< least advance of the right edge worth telling, while any is unretired
    uint8_t shift{0}; //!< window scale

    /**
     * @brief The window to advertise. It never pulls the right edge back: where the edge is not on
     * a unit of the window scale, it moves up to the next one.
     * @return octets, a multiple of the window scale's unit
     */
    uint32_t Get() const;
};

} // namespace mpa
} // namespace ns3

#endif // MPA_RECEIVE_WINDOW_H
