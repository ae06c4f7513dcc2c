/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_SENDER_H
#define DDP_SENDER_H

#include "ddp-segmenter.h"

#include "ns3/util-growing-queue.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief Sending half of a DDP Stream: messages in, segments out in submission order (RFC 5041
 * sections 4.3, 5.2 and 5.3).
 *
 * Pure. It numbers the messages of each queue and cuts one message after the other; the payload
 * stays with the caller, who knows it by the message's context.
 */
class DdpSender
{
  public:
    /// A segment of a submitted message.
    struct Segment : DdpSegment
    {
        uint64_t context{0}; //!< the message's context
    };

    /**
     * @brief Submit a Tagged message.
     * @param ulpControl RsvdULP, the same in all segments
     * @param stag STag of the peer's buffer
     * @param to TO of the message's first octet there
     * @param length octets, 0 to 2^32 - 1
     * @param context the caller's own, comes back with each segment
     * @return 0; EMSGSIZE if the message is too long; ESHUTDOWN after Close()
     */
    int SubmitTagged(uint8_t ulpControl,
                     uint32_t stag,
                     uint64_t to,
                     uint64_t length,
                     uint64_t context);

    /**
     * @brief Submit an Untagged message.
     * @param ulpControl first octet of RsvdULP, the same in all segments
     * @param ulpWord the other four octets of RsvdULP
     * @param qn queue number, any
     * @param length octets, 0 to 2^32 - 1
     * @param context the caller's own, comes back with each segment
     * @return as for SubmitTagged()
     */
    int SubmitUntagged(uint8_t ulpControl,
                       uint32_t ulpWord,
                       uint32_t qn,
                       uint64_t length,
                       uint64_t context);

    /**
     * @brief Say which DV segments have, before the first message.
     * @param version ddp::VERSION, as long as nothing else is said, or ddp::VERSION_RDMAC
     */
    void SetVersion(uint8_t version);
    /// Tell which version is sent. @return DV of the segments
    uint8_t GetVersion() const;

    /// Tell whether all messages are sent. @return true if there is nothing to send
    bool IsIdle() const;
    /// Tell whether the next segment continues a message. @return true if a message has been sent
    /// in part
    bool IsInMessage() const;
    uint32_t GetQueued() const; //!< Count messages under way. @return messages not sent in whole

    /**
     * @brief Show the next segment, as it is cut for this MULPDU. Only while IsIdle() is false.
     * @param mulpdu octets that the ULPDU may have now
     * @return the segment, to be taken or cut anew
     */
    Segment Show(uint32_t mulpdu) const;

    /// Go on behind a segment, which MPA has. @param segment what Show() returned last
    void Take(const Segment& segment);

    /**
     * @brief Refuse further messages; those submitted go out (section 6.2.1).
     */
    void Close();

    /**
     * @brief Forget all messages not sent in whole (section 6.2.2).
     */
    void Abort();

    /**
     * @brief Set the MSN of the next message of a queue, to try the wrap.
     * @param qn queue number
     * @param msn message sequence number
     */
    void SetNextMsn(uint32_t qn, uint32_t msn);

  private:
    /// A message that waits.
    struct Message
    {
        DdpSegmenter segmenter; //!< cuts it
        uint64_t context{0};    //!< the caller's own
    };

    /// MSN of a queue.
    struct Counter
    {
        uint32_t qn;   //!< queue number
        uint32_t next; //!< MSN of its next message
    };

    /// Queue a message. @param header its header @param length octets @param context caller's own
    /// @return as for SubmitTagged()
    int Submit(const DdpHeader& header, uint64_t length, uint64_t context);
    uint32_t& NextMsn(uint32_t qn); //!< @param qn queue number @return MSN of its next message

    GrowingQueue<Message, 2> m_messages;                   //!< in submission order
    boost::container::small_vector<Counter, 4> m_counters; //!< one for each queue in use
    bool m_inMessage{false};                               //!< the first message is under way
    bool m_closed{false};                                  //!< Close() was called
    uint8_t m_version{ddp::VERSION};                       //!< DV of the segments
};

} // namespace ns3

#endif // DDP_SENDER_H
