/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_RECEIVER_H
#define DDP_RECEIVER_H

#include "ddp-header.h"
#include "ddp-receive-queue.h"
#include "ddp-stag-table.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ddp
/// @brief A message handed to the layer above (RFC 5041 section 5.4).
struct DdpDelivery
{
    DdpHeader header;     //!< header of its L segment: RsvdULP; STag, or QN and MSN
    uint32_t length{0};   //!< Untagged: octets of the message, MO plus payload of the L segment
    uint64_t placed{0};   //!< octets that the message's segments carried together
    uint32_t segments{0}; //!< its segments
    DdpBuffer buffer;     //!< Untagged: the buffer that holds it
};

/// @ingroup iwarp-ddp
/// @brief What is told of an error (RFC 5041 section 7.1).
struct DdpErrorReport
{
    DdpError error{DdpError::NONE};  //!< what is wrong
    const uint8_t* segment{nullptr}; //!< the segment, valid during the call only; perhaps none
    uint32_t available{0};           //!< octets that can be read there
    uint32_t length{0};              //!< octets of the segment, header included
};

/// @ingroup iwarp-ddp
/// @brief Counters of a receiver.
struct DdpReceiverStats
{
    uint64_t segments{0};     //!< segments accepted
    uint64_t octets{0};       //!< payload octets placed
    uint64_t delivered{0};    //!< messages delivered
    uint64_t dropped{0};      //!< segments dropped silently after an error
    uint64_t systemFaults{0}; //!< times that no buffer was there for a message (section 7.1)
};

/**
 * @ingroup iwarp-ddp
 * @brief Receiving half of a DDP Stream: segments in, placement now, delivery in order (RFC 5041
 * sections 5, 7 and 8).
 *
 * Pure: it knows octets and numbers, neither sockets nor time. Each segment is checked and placed
 * as it comes; the layer below says by Deliver() when it is complete in the sender's order. After
 * an error nothing is placed or delivered any more.
 */
class DdpReceiver
{
  public:
    /// The layer above.
    class Listener
    {
      public:
        virtual ~Listener() = default;

        /**
         * @brief Judge a segment before it is placed. Its version and queue are right.
         * @param header its DDP header
         * @param segment octets of the segment from its header on
         * @param available octets that can be read there
         * @param payload octets of payload
         * @param access receives the rights that a Tagged Buffer has to grant: REMOTE_WRITE as set
         * @return false to refuse it: nothing is placed any more, and no error is reported
         */
        virtual bool Admit(const DdpHeader& header,
                           const uint8_t* segment,
                           uint32_t available,
                           uint32_t payload,
                           uint32_t& access) = 0;

        /**
         * @brief A Tagged segment is complete in the sender's order, ahead of its message.
         * @param header its DDP header
         * @param payload octets of payload
         */
        virtual void SegmentDelivered([[maybe_unused]] const DdpHeader& header,
                                      [[maybe_unused]] uint32_t payload)
        {
        }

        /**
         * @brief A message is complete, and so are all before it.
         * @param delivery the message
         */
        virtual void Delivered(DdpDelivery& delivery) = 0;

        /**
         * @brief A fatal error; the peer's segments are dropped from here on.
         * @param report what is wrong
         */
        virtual void Failed(const DdpErrorReport& report) = 0;
    };

    /**
     * @brief Make the receiver of a stream; no queue is enabled yet.
     * @param table STags of the node; outlives the receiver
     * @param pd protection domain of the stream, not 0
     * @param stream identity of the stream, not 0
     * @param listener the layer above; outlives the receiver
     */
    DdpReceiver(const DdpStagTable& table, uint32_t pd, uint32_t stream, Listener& listener);
    DdpReceiver(const DdpReceiver&) = delete;
    DdpReceiver& operator=(const DdpReceiver&) = delete;

    /**
     * @brief Let messages come on a queue.
     * @param qn queue number, 0 to MAX_QUEUES - 1
     * @param source where its buffers come from; nullptr if they are posted
     * @param firstMsn MSN of the first message, 1 but for tests of the wrap
     */
    void EnableQueue(uint32_t qn, DdpBufferSource* source = nullptr, uint32_t firstMsn = 1);

    /**
     * @brief Get a queue, to post buffers to it or flush it.
     * @param qn number of an enabled queue
     * @return the queue
     */
    DdpReceiveQueue& GetQueue(uint32_t qn);

    /**
     * @brief Say which DV the peer's segments have, before the first of them.
     * @param version ddp::VERSION, as long as nothing else is said, or ddp::VERSION_RDMAC
     */
    void SetVersion(uint8_t version);

    /**
     * @brief A segment has arrived, in order or not.
     * @param order place in the sender's order: TCP sequence number of its FPDU, modulo 2^32
     * @param segment octets of the segment from its header on
     * @param available octets that can be read there; those behind are zero (virtual payload)
     * @param length octets of the segment, header included
     */
    void Segment(uint32_t order, const uint8_t* segment, uint32_t available, uint32_t length);

    /**
     * @brief Find where the payload of a segment went that was accepted and not delivered yet.
     * @param header its DDP header
     * @param payload octets of payload
     * @param[out] pieces receives the memory, behind what is there; none if a buffer is not made
     *             of pieces
     */
    void Locate(const DdpHeader& header, uint32_t payload, DdpSgeList& pieces);

    /**
     * @brief The next segments in the sender's order are complete.
     * @param count how many, at most as many as wait
     */
    void Deliver(uint32_t count);

    /**
     * @brief Stop: the layer above found an error, or ends the stream. Segments are dropped.
     */
    void Stop();

    /// Tell whether segments are only dropped now. @return true after an error or Stop()
    bool HasStopped() const;
    /// Count segments that wait for Deliver(). @return segments placed and not yet delivered
    uint32_t GetWaiting() const;
    /// Get the counters. @return counts since the beginning
    const DdpReceiverStats& GetStats() const;

    static constexpr uint32_t MAX_QUEUES = 64; //!< queues that a stream may have

  private:
    /// A segment that is placed and waits for delivery.
    struct Waiting
    {
        uint32_t order;   //!< place in the sender's order
        uint32_t payload; //!< octets of payload
        DdpHeader header; //!< its header
    };

    /// Place a segment's payload. @param header its header @param data its payload
    /// @param available octets that can be read there @param payload octets of it
    /// @param access rights needed @return NONE, or what is wrong
    DdpError Place(const DdpHeader& header,
                   const uint8_t* data,
                   uint32_t available,
                   uint32_t payload,
                   uint32_t access);
    DdpError PlaceUntagged(const DdpHeader& header,
                           const uint8_t* data,
                           uint32_t available,
                           uint32_t payload); //!< see Place()
    void Remember(const Waiting& waiting);    //!< @param waiting segment to deliver later
    void DeliverMessage(const Waiting& last); //!< @param last the message's L segment
    void Fail(DdpError error,
              const uint8_t* segment,
              uint32_t available,
              uint32_t length); //!< stop and report, see DdpErrorReport

    const DdpStagTable& m_table;                            //!< STags of the node
    const uint32_t m_pd;                                    //!< protection domain of the stream
    const uint32_t m_stream;                                //!< identity of the stream
    Listener& m_listener;                                   //!< the layer above
    std::vector<std::unique_ptr<DdpReceiveQueue>> m_queues; //!< by number; nullptr: not enabled
    std::vector<Waiting> m_waiting;                         //!< by order, from m_first on
    std::size_t m_first{0};                                 //!< first in use of m_waiting
    uint64_t m_messageOctets{0};     //!< payload of the current message delivered so far
    uint32_t m_messageSegments{0};   //!< segments of the current message so far
    bool m_stopped{false};           //!< nothing is placed any more
    uint8_t m_version{ddp::VERSION}; //!< DV that segments have to have
    DdpReceiverStats m_stats;        //!< counters
};

} // namespace ns3

#endif // DDP_RECEIVER_H
