/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_RECEIVER_H
#define DDP_RECEIVER_H

#include "ddp-header.h"
#include "ddp-receive-queue.h"
#include "ddp-stag-table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ddp
/// @brief A message handed to the layer above (RFC 5041 section 5.4).
struct DdpDelivery
{
    DdpHeader header;    //!< header of its L segment: RsvdULP; STag, or QN and MSN
    uint32_t length{0};  //!< Untagged: octets of the message, MO plus payload of the L segment
    uint32_t payload{0}; //!< octets of the L segment behind its header
    uint64_t placed{0};  //!< octets that the message's segments carried together
    DdpBuffer buffer;    //!< Untagged: the buffer that holds it
};

/// @ingroup iwarp-ddp
/// @brief What the layer above says of a segment before it is placed.
struct DdpAdmission
{
    static constexpr uint16_t ADMITTED = 0xFFFF; //!< it refuses nothing

    uint32_t access{DDP_ACCESS_REMOTE_WRITE}; //!< rights that a Tagged Buffer has to grant
    DdpError error{DdpError::NONE};           //!< an error of DDP that it has found
    uint16_t refusal{ADMITTED};               //!< or its own reason to refuse the segment
};

/// @ingroup iwarp-ddp
/// @brief What is told of an error (RFC 5041 section 7.1).
struct DdpErrorReport
{
    DdpError error{DdpError::NONE};           //!< what is wrong; NONE if the layer above refuses it
    uint16_t refusal{DdpAdmission::ADMITTED}; //!< reason of the layer above
    const uint8_t* segment{nullptr}; //!< the segment, valid during the call only; perhaps none
    uint32_t available{0};           //!< octets that can be read there
    uint32_t length{0};              //!< octets of the segment, header included
};

/// @ingroup iwarp-ddp
/// @brief Counters of a receiver.
struct DdpReceiverStats
{
    uint64_t segments{0};     //!< segments placed
    uint64_t octets{0};       //!< payload octets placed
    uint64_t delivered{0};    //!< messages delivered
    uint64_t dropped{0};      //!< segments dropped silently behind an error
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
 *
 * What comes of a stream does not depend on how the layer below has cut or reordered it. So an
 * error is told in its turn, behind all messages ahead of it; what comes of segments behind it is
 * dropped. A segment in order behind others that are not delivered waits with its octets: these may
 * change what it means, as a Terminate or an invalidation does. Of those placed out of order the
 * STag is checked once more in their turn.
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
         * @return whether it may be placed; if not, Failed() follows in the segment's turn
         */
        virtual DdpAdmission Admit(const DdpHeader& header,
                                   const uint8_t* segment,
                                   uint32_t available,
                                   uint32_t payload) = 0;

        /**
         * @brief A segment was placed that had to wait for its turn, see Taken::LATER.
         * @param header its DDP header
         * @param payload octets of payload
         */
        virtual void PlacedLate([[maybe_unused]] const DdpHeader& header,
                                [[maybe_unused]] uint32_t payload)
        {
        }

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

    /// What became of a segment.
    enum class Taken : uint8_t
    {
        DROPPED, //!< it is wrong, or something ahead of it
        PLACED,  //!< it is in its place
        LATER,   //!< it is placed in its turn
    };

    /// What became of a segment, and what it is.
    struct Result
    {
        Taken taken{Taken::DROPPED}; //!< what became of it
        bool hasHeader{false};       //!< it is not dropped, and its header could be read
        DdpHeader header;            //!< that header
        uint32_t payload{0};         //!< octets behind it
    };

    /**
     * @brief A segment has arrived, in order or not.
     * @param order place in the sender's order: TCP sequence number of its FPDU, modulo 2^32
     * @param segment octets of the segment from its header on
     * @param available octets that can be read there; those behind are zero (virtual payload)
     * @param length octets of the segment, header included
     * @param inOrder all segments ahead of it have arrived
     * @param[out] sges receives the memory where its payload goes, behind what is there; none if
     *             it is dropped, or its buffer is not made of SGEs. nullptr if nobody asks
     * @return what became of it
     */
    Result Segment(uint32_t order,
                   const uint8_t* segment,
                   uint32_t available,
                   uint32_t length,
                   bool inOrder,
                   DdpSgeList* sges = nullptr);

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
    /// How a segment waits for its turn.
    enum class Turn : uint8_t
    {
        PLACED,       //!< in its place
        OUT_OF_ORDER, //!< the same, ahead of segments that may say otherwise
        LATER,        //!< with its octets
        FAULT,        //!< as an error
    };

    /// A segment that waits for delivery.
    struct Waiting
    {
        uint32_t order{0};       //!< place in the sender's order
        uint32_t payload{0};     //!< octets of payload
        uint32_t access{0};      //!< rights that it needs
        uint32_t available{0};   //!< LATER: octets of it in m_late
        std::size_t place{0};    //!< and where they are
        Turn turn{Turn::PLACED}; //!< how it waits
        DdpHeader header;        //!< its header, but if it waits as an error or with its octets
    };

    /// An error that waits for its turn.
    struct Fault
    {
        uint32_t order;               //!< place in the sender's order
        DdpErrorReport report;        //!< what is told of it, but for the octets
        std::array<uint8_t, 80> head; //!< the segment's first octets
    };

    /// Where a segment's payload goes.
    struct Target
    {
        const DdpStagEntry* entry{nullptr}; //!< Tagged Buffer; none if there is no payload
        DdpBuffer* buffer{nullptr};         //!< Untagged buffer
    };

    /// Check a segment. @param waiting receives its header, size and rights @param target receives
    /// where it goes @param report the segment; receives what is wrong @return nothing is wrong
    bool Validate(Waiting& waiting, Target& target, DdpErrorReport& report);
    /// Check and place a segment. @param waiting as above @param report as above
    /// @param[out] sges as Segment() @return it is in its place
    bool Place(Waiting& waiting, DdpErrorReport& report, DdpSgeList* sges = nullptr);
    /// Keep a segment with its octets for its turn. @param order place in the sender's order
    /// @param segment octets of it @param available that can be read there @param length of it
    /// @param[out] sges as Segment() @return what it is
    Result KeepLate(uint32_t order,
                    const uint8_t* segment,
                    uint32_t available,
                    uint32_t length,
                    DdpSgeList* sges);
    /// Tell where payload goes. @param header of its segment @param payload octets
    /// @param buffer Untagged buffer, or nullptr @param[out] sges as Segment()
    static void Locate(const DdpHeader& header,
                       uint32_t payload,
                       const DdpBuffer* buffer,
                       DdpSgeList& sges);
    /// Check a Tagged segment. @param header its header @param payload octets of it @param access
    /// rights needed @param target receives where it goes @return NONE, or what is wrong
    DdpError CheckTagged(const DdpHeader& header,
                         uint32_t payload,
                         uint32_t access,
                         Target& target) const;
    /// Check an Untagged segment. @param header its header @param payload octets of it
    /// @param target receives where it goes @return NONE, or what is wrong
    DdpError CheckUntagged(const DdpHeader& header, uint32_t payload, Target& target);
    /// Put payload into its place. @param header its header @param data its payload
    /// @param available octets that can be read there @param payload octets of it
    /// @param target where it goes @return false if memory does not take it
    bool Write(const DdpHeader& header,
               const uint8_t* data,
               uint32_t available,
               uint32_t payload,
               const Target& target);
    /// Keep an error for its turn. @param order place in the sender's order @param report error
    void KeepFault(uint32_t order, const DdpErrorReport& report);
    /// The turn of a segment has come. @param next segment @return false if it is wrong
    bool PopInOrder(Waiting& next);
    /// Bring a segment in its turn that is there with its octets, or as an error. @param next it
    /// @return it is in its place
    bool PlaceInTurn(Waiting& next);
    void Remember(const Waiting& waiting);    //!< @param waiting segment to deliver later
    void DeliverMessage(const Waiting& last); //!< @param last the message's L segment
    void Fail(const DdpErrorReport& report);  //!< stop @param report what is told
    /// Stop for an error of a segment whose header is left. @param error what is wrong @param at it
    void Fail(DdpError error, const Waiting& at);

    const DdpStagTable& m_table;                            //!< STags of the node
    const uint32_t m_pd;                                    //!< protection domain of the stream
    const uint32_t m_stream;                                //!< identity of the stream
    Listener& m_listener;                                   //!< the layer above
    std::vector<std::unique_ptr<DdpReceiveQueue>> m_queues; //!< by number; nullptr: not enabled
    std::vector<Waiting> m_waiting;                         //!< by order, from m_first on
    std::size_t m_first{0};                                 //!< first in use of m_waiting
    std::vector<uint8_t> m_late;                            //!< segments that are placed later
    uint32_t m_lateSegments{0};                             //!< how many
    std::unique_ptr<Fault> m_fault;                         //!< error ahead of all others
    uint64_t m_messageOctets{0};     //!< payload of the current message delivered so far
    bool m_stopped{false};           //!< nothing is placed any more
    uint8_t m_version{ddp::VERSION}; //!< DV that segments have to have
    DdpReceiverStats m_stats;        //!< counters
};

} // namespace ns3

#endif // DDP_RECEIVER_H
