/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_SEGMENTER_H
#define DDP_SEGMENTER_H

#include "ddp-header.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ddp
/// @brief A DDP Segment to send: its header and which octets of the message it carries.
struct DdpSegment
{
    DdpHeader header;   //!< complete header
    uint32_t offset{0}; //!< offset of the payload in the message
    uint32_t length{0}; //!< octets of payload, 0 only if the whole message is empty

    /**
     * @brief Tell what the segment needs of the MULPDU.
     * @return octets of the ULPDU: header and payload
     */
    uint32_t GetSize() const
    {
        return header.GetSize() + length;
    }
};

/**
 * @ingroup iwarp-ddp
 * @brief Cuts one message into segments, one at a time (RFC 5041 section 5.2).
 *
 * The MULPDU is an argument of each cut, so that a change of it takes effect with the next
 * segment and never touches those already taken. Offsets rise, the L bit is on the last segment
 * only, and an empty message is one segment without payload.
 */
class DdpSegmenter
{
  public:
    /// A segmenter without a message: IsDone() is true.
    DdpSegmenter() = default;

    /**
     * @brief Begin a message.
     * @param header fields that are common to all segments; Tagged: TO of the message's first octet
     * @param length octets of the message
     */
    DdpSegmenter(const DdpHeader& header, uint32_t length);

    /**
     * @brief Tell whether the message is used up.
     * @return true when every segment has been taken
     */
    bool IsDone() const
    {
        return m_done;
    }

    /**
     * @brief Tell how much of the message is left.
     * @return octets of the message that no segment has carried yet
     */
    uint32_t GetRemaining() const
    {
        return m_length - m_offset;
    }

    /**
     * @brief Show the next segment, as it is cut for this MULPDU. Only while IsDone() is false.
     * @param mulpdu octets that the ULPDU may have now; more than a header's, MPA says 128 at least
     * @return the segment, to be taken or cut anew
     */
    DdpSegment Show(uint32_t mulpdu) const;

    /// Go on behind a segment. @param segment what Show() returned last
    void Take(const DdpSegment& segment);

    /**
     * @brief Count the segments of a message without cutting it.
     * @param length octets of a message
     * @param tagged which buffer model
     * @param mulpdu octets that each ULPDU may have
     * @return number of segments of that message
     */
    static uint32_t Count(uint32_t length, bool tagged, uint32_t mulpdu);

  private:
    DdpHeader m_header;   //!< header of the next segment but for L
    uint32_t m_length{0}; //!< octets of the message
    uint32_t m_offset{0}; //!< octets carried by earlier segments
    bool m_done{true};    //!< the L segment has been taken
};

} // namespace ns3

#endif // DDP_SEGMENTER_H
