/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_RECEIVE_QUEUE_H
#define DDP_RECEIVE_QUEUE_H

#include "ddp-buffer.h"
#include "ddp-error.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief A supply of buffers that are bound to messages only when these arrive: a receive queue
 * that several streams share, or buffers of the layer above.
 */
class DdpBufferSource
{
  public:
    virtual ~DdpBufferSource() = default;

    /**
     * @brief Count the buffers at hand.
     * @return buffers that Pop() could give now
     */
    virtual uint32_t GetAvailable() const = 0;

    /**
     * @brief Take a buffer for a message that arrives.
     * @param buffer receives it
     * @return false if there is none
     */
    virtual bool Pop(DdpBuffer& buffer) = 0;
};

/**
 * @ingroup iwarp-ddp
 * @brief A queue of Untagged Buffers of one stream (RFC 5041 sections 5.1.2 and 7.1).
 *
 * Without a source, buffers are bound to MSNs in posting order: the k-th buffer takes the message
 * with MSN k. With a source, a message gets a buffer when its first segment arrives. The window of
 * MSNs runs from the oldest message not delivered to the last that a buffer can be had for.
 *
 * The queue's own memory follows the buffers that are bound, not the width of the window: a message
 * far ahead of all others is kept apart until its turn comes.
 */
class DdpReceiveQueue
{
  public:
    /**
     * @brief Make an empty queue.
     * @param source where buffers come from; nullptr if they are posted; outlives the queue
     * @param firstMsn MSN of the first message, 1 but for tests of the wrap
     */
    explicit DdpReceiveQueue(DdpBufferSource* source = nullptr, uint32_t firstMsn = 1);

    /**
     * @brief Post a buffer. Only without a source.
     * @param buffer the buffer
     */
    void Post(DdpBuffer&& buffer);

    /**
     * @brief Put a buffer in front of all others, even with a source: it takes the first message.
     * Before any message.
     * @param buffer the buffer
     */
    void PostFirst(DdpBuffer&& buffer);

    /**
     * @brief Find the buffer of a message, binding one if the queue has a source.
     * @param msn MSN of the message
     * @param buffer receives the buffer; stays valid until Complete() or the next Find() or Post()
     * @return NONE, UNTAGGED_MSN_RANGE below the window, UNTAGGED_NO_BUFFER above it
     */
    DdpError Find(uint32_t msn, DdpBuffer** buffer);

    /**
     * @brief The oldest message is delivered: its buffer leaves the queue.
     * @param buffer receives it
     * @return false if no segment of that message was ever given a buffer
     */
    bool Complete(DdpBuffer& buffer);

    /**
     * @brief Take a buffer out of the queue without a message, oldest first (flush).
     * @param buffer receives it
     * @return false when none is left
     */
    bool Flush(DdpBuffer& buffer);

    /// Tell where the window of MSNs begins. @return MSN of the oldest message not delivered
    uint32_t GetLower() const;
    /// Tell how wide the window is. @return MSNs from GetLower() on that can be taken
    uint32_t GetWindow() const;
    /// Count the buffers in the queue. @return buffers bound to messages
    uint32_t GetBound() const;
    /// Count the memory in use. @return messages that there is a slot for
    uint32_t GetSlots() const;
    /// Tell whether buffers are taken as messages arrive. @return true if they come from a source,
    /// false if they are posted
    bool HasSource() const;

  private:
    /// A message of the window.
    struct Slot
    {
        DdpBuffer buffer;  //!< its buffer
        bool bound{false}; //!< there is one
    };

    /// Order of MSNs modulo 2^32.
    struct Before
    {
        /// @param a MSN @param b MSN @return a comes before b
        bool operator()(uint32_t a, uint32_t b) const
        {
            return static_cast<int32_t>(a - b) < 0;
        }
    };

    using Far = std::map<uint32_t, DdpBuffer, Before>; //!< buffers by MSN

    /// Messages of the window.
    struct Slots
    {
        boost::circular_buffer<Slot> near; //!< from m_lower on
        std::unique_ptr<Far> far;          //!< those far ahead of all others; mostly there are none
    };

    Slots& Window(); //!< @return m_window, made if there is none
    /// @return its near messages, with room for one more
    boost::circular_buffer<Slot>& NearWithRoom();
    DdpBuffer* GetBuffer(uint32_t ahead); //!< @param ahead messages before it @return its buffer
    /// Give a message a buffer. @param ahead messages before it @param buffer its buffer
    /// @return where the buffer is
    DdpBuffer* Bind(uint32_t ahead, DdpBuffer&& buffer);
    bool HasFar() const; //!< @return there are messages far ahead
    void FetchFront();   //!< put the oldest message among the near ones

    DdpBufferSource* m_source;       //!< where buffers come from, or nullptr
    uint32_t m_lower;                //!< MSN of the first slot
    uint32_t m_bound{0};             //!< slots with a buffer
    std::unique_ptr<Slots> m_window; //!< none before the first buffer or message
};

} // namespace ns3

#endif // DDP_RECEIVE_QUEUE_H
