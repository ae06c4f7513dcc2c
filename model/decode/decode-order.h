/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_ORDER_H
#define DECODE_ORDER_H

#include "decode-packet.h"

#include <array>
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief A TCP segment and the frame that holds it.
struct DecodeCaptured
{
    DecodeSegment segment; //!< the segment
    DecodeFrame frame;     //!< the frame
};

/**
 * @ingroup iwarp-decode
 * @brief Gives the segments of a connection out so that octets come before their acknowledgment.
 *
 * Pure. A capture by several queues of an adapter, or of two ends whose clocks differ, may have an
 * acknowledgment before what it acknowledges. Such a segment is held until the octets came, if the
 * capture has them; so that an acknowledgment of octets that did not come says that the capture
 * lacks them. Segments of a direction that acknowledge the same stay as they were captured.
 */
class DecodeOrder
{
  public:
    /// Takes a segment of a direction, 0 or 1.
    using Give = std::function<void(unsigned side, const DecodeCaptured& captured)>;
    /// Segments that were captured next, of any connection.
    using Ahead = std::deque<DecodeCaptured>;

    explicit DecodeOrder(Give give); //!< @param give takes the segments

    /**
     * @brief The next segment of the connection.
     * @param side direction, 0 or 1
     * @param captured the segment
     * @param ahead what follows it: octets are waited for if they are there
     */
    void Take(unsigned side, const DecodeCaptured& captured, const Ahead& ahead);
    void Finish(); //!< Nothing more comes: what is held is given out.

    static constexpr std::size_t MAX_HELD = 4096; //!< segments of a direction that are held at most

  private:
    using Octets = boost::icl::interval_set<uint64_t>; //!< offsets of one direction

    /// A segment that has to wait.
    struct Held
    {
        DecodeCaptured captured; //!< the segment
        Octets awaited;          //!< octets of the other direction that are to come before
    };

    /// What is known of a direction.
    struct Side
    {
        bool started{false};                //!< a segment of it is known
        bool alone{false};                  //!< the other side did not come, and does not follow
        uint32_t initial{0};                //!< sequence number of the first
        uint64_t edge{0};                   //!< all octets before it came; modulo 2^32 a number
        Octets seen;                        //!< octets that came, beyond @ref edge
        std::multimap<uint64_t, Held> held; //!< by what they acknowledge
        uint64_t found{0};                  //!< frame ahead that had what the last of them awaits
    };

    /// @param side a direction @param segment its first one
    static void Begin(Side& side, const DecodeSegment& segment);
    /// @param side a direction @param segment of it, given out now
    static void Note(Side& side, const DecodeSegment& segment);
    /// All octets before an offset came, or will not. @param side direction @param edge offset
    static void Advance(Side& side, uint64_t edge);
    /// @param other the other direction @param segment a segment @return offset there that it
    /// acknowledges, 0 if none
    static uint64_t FindAcknowledged(const Side& other, const DecodeSegment& segment);
    /// Begin with the other side as it follows, if it did not come. @param side direction @param
    /// segment of it @param ahead what follows
    void LookForOther(unsigned side, const DecodeSegment& segment, const Ahead& ahead);
    /// @param side direction @param segment of it @param end offset that it acknowledges @param
    /// ahead what follows @return octets before the offset that did not come, but will
    Octets FindAwaited(unsigned side,
                       const DecodeSegment& segment,
                       uint64_t end,
                       const Ahead& ahead);
    void GiveOut(unsigned side, const DecodeCaptured& captured); //!< @param side @param captured it
    /// @param side a direction @return whether a held segment of it could be given out
    bool Release(unsigned side);
    void ReleaseAll();   //!< Give out what need not wait any more.
    void ReleaseFirst(); //!< Give out the held segment that was captured first.

    Give m_give;                 //!< takes the segments
    std::array<Side, 2> m_sides; //!< directions
};

} // namespace ns3

#endif // DECODE_ORDER_H
