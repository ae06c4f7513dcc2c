/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_RECEIVE_WINDOW_H
#define TCP_RECEIVE_WINDOW_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <cstdint>

/**
 * @file
 * @ingroup iwarp-tcp
 * The receive window that RFC 5041 Appendix A advises, as functions of numbers.
 */

namespace ns3
{

constexpr uint32_t TCP_WINDOW_FIELD = 65535;                ///< most that the window field says
constexpr uint32_t TCP_MAX_WINDOW = TCP_WINDOW_FIELD << 14; ///< widest window of TCP (RFC 7323)

/**
 * @ingroup iwarp-tcp
 * @brief The window that lets a sender go at a rate.
 * @param rate wanted
 * @param roundTrip delay to the sender and back
 * @return octets: their product, rounded up to what window scaling can say; at most TCP_MAX_WINDOW
 */
uint32_t TcpWindowFor(DataRate rate, Time roundTrip);

/// @ingroup iwarp-tcp
/// @brief What a receive window follows from. Octets from the left edge of the window on.
struct TcpReceiveWindow
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

/// @ingroup iwarp-tcp
/// @brief The right edge of the receive window, as the peer has been told.
class TcpRightEdge
{
  public:
    /**
     * @brief A segment tells the window.
     * @param next left edge of the window
     * @param window octets
     * @param established it belongs to a connection, whose window counts; not to a SYN
     */
    void Notify(SequenceNumber32 next, uint32_t window, bool established);

    /// Find what is left of the window. @param next left edge of the window @return octets that the
    /// peer may send from there on; below 0 if it has sent more than it was allowed to
    int32_t GetLeft(SequenceNumber32 next) const;

    /// Find the window that the peer knows of. @param next left edge of the window @return octets
    /// that the peer has been offered from there on since the connection is there
    uint32_t GetOffered(SequenceNumber32 next) const;

  private:
    SequenceNumber32 m_edge{0}; //!< behind the last octet that the peer may send
    bool m_offered{false};      //!< it has been told since the connection is there
};

/// @ingroup iwarp-tcp
/// @brief When the peer is told of a wider window unasked (RFC 1122 section 4.2.3.3): only where it
/// may be waiting. As long as it has room for two segments it goes on sending, and learns from the
/// ACKs.
struct TcpWindowUpdate
{
    int64_t left{0};     //!< octets that the peer may still send
    uint32_t segment{1}; //!< octets of a segment
    uint32_t buffer{0};  //!< octets of the receive buffer

    /// Tell whether the window has become narrow for the peer. @return true if the peer may be
    /// waiting
    bool IsPeerWaiting() const;

    /// Tell whether a wider window is worth a message. @param window that could be told, octets
    /// @return true if it adds two segments, or half the buffer if that is less
    bool IsDue(uint32_t window) const;

    /**
     * @brief Find what hardware may leave unretired for an update to be due.
     * @param room octets of the receive buffer that are free
     * @param shift window scale
     * @return octets
     */
    uint64_t GetUnretired(uint32_t room, uint8_t shift) const;

  private:
    int64_t GetStep() const; //!< @return least advance of the right edge that is worth an ACK
};

} // namespace ns3

#endif // TCP_RECEIVE_WINDOW_H
