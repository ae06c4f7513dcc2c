/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SENDER_H
#define ROCE_SENDER_H

#include <cstdint>
#include <deque>

namespace ns3
{

/// @ingroup iwarp-roce
/// @brief What is sent again after a loss.
enum class RoceRecovery : uint8_t
{
    GO_BACK_N,        //!< all from the lost packet on; the receiver keeps nothing behind a hole
    SELECTIVE_REPEAT, //!< what is lost; the receiver places packets in any order
};

/// @ingroup iwarp-roce
/// @brief A packet with payload, as sender and receiver see it.
struct RoceSegment
{
    uint64_t number;  //!< of the packet, from 0 on; its low 24 bits are the PSN
    uint32_t payload; //!< octets
    uint64_t message; //!< octets of its message; only known where first is set
    bool first;       //!< of its message
    bool last;        //!< of its message
    bool again;       //!< it was sent before
    /// The receiver acknowledges it at once; what last is does not need it
    bool asksAck{false};
    uint64_t address{0}; //!< octets of all messages before its own
    bool inlined{false}; //!< its payload came with the doorbell
};

/**
 * @ingroup iwarp-roce
 * @brief The sending end of a connection: which packet goes next.
 *
 * Pure: posts, acknowledgements and timeouts in, packets out. At most a window of packets is under
 * way; it never changes, as nothing controls congestion.
 *
 * Go-back-N is that of RoCE adapters: a NAK or a timeout has all from the packet expected on sent
 * again. Selective repeat is that of IRN (Mittal et al., SIGCOMM 2018, section 3.1): each packet
 * that comes out of order is told by a NAK; a packet is lost if a later one has come; each is sent
 * again once until all that was sent before the loss was seen has come, and then new ones follow;
 * what is lost twice waits for the timeout.
 */
class RoceSender
{
  public:
    /// Make one that has nothing to send. @param recovery what is sent again
    /// @param window packets under way, at least 1 @param payload octets of a full packet
    RoceSender(RoceRecovery recovery, uint64_t window, uint32_t payload);

    /// Post a message. @param octets at least 1 @param inlined they come with the doorbell
    void Post(uint64_t octets, bool inlined = false);

    /// Take the packet that may be sent now. @param [out] segment it @return false if none may
    bool Next(RoceSegment& segment);

    /// Tell whether a packet waits to be sent again. @return so
    bool HasAgain() const;

    /// All before a packet has come. @param expected its number @return whether that is news
    bool Acknowledge(uint64_t expected);

    /// A packet came out of order. @param expected number of the first that has not come
    /// @param arrived number of the one that has; @p expected if it is not told
    /// @return whether more is known to have come in order
    bool Refuse(uint64_t expected, uint64_t arrived);

    /// Pop a message of which all is known to have come. @return octets of the oldest, 0 if there
    /// is none
    uint64_t PopArrived();

    void Expire(); //!< Nothing has been heard for the time of a timeout

    uint64_t GetBase() const; //!< Tell what is missing. @return first packet not known to have come
    /// Count the packets under way. @return sent and not known to have come in order
    uint64_t GetOutstanding() const;
    /// Count the messages. @return posted and not known to have come
    std::size_t GetMessages() const;

  private:
    /// A message
    struct Message
    {
        uint64_t first;   //!< number of its first packet
        uint64_t behind;  //!< number behind its last
        uint64_t octets;  //!< payload
        uint64_t address; //!< payload of all before
        bool inlined;     //!< its payload came with the doorbell
    };

    void Describe(uint64_t number, RoceSegment& segment) const; //!< @param number @param segment it
    uint64_t GetKnown() const; //!< @return packet behind all of which recovery knows
    void Recover();            //!< begin to send again

    const RoceRecovery m_recovery;  //!< what is sent again
    const uint64_t m_window;        //!< packets under way at most
    const uint32_t m_payload;       //!< octets of a full packet
    std::deque<Message> m_messages; //!< not known to have come
    std::deque<uint64_t> m_arrived; //!< octets of those that are, see PopArrived()
    uint64_t m_base{0};             //!< first packet that is not known to have come
    uint64_t m_next{0};             //!< next that goes unless one goes again
    uint64_t m_sent{0};             //!< behind the last that was ever sent
    uint64_t m_posted{0};           //!< behind the last of all messages
    uint64_t m_octets{0};           //!< payload of all messages
    std::deque<bool> m_came;        //!< whether packets have, from m_base on
    bool m_recovering{false};       //!< selective repeat sends again
    uint64_t m_resend{0};           //!< first that may be sent again
    uint64_t m_recover{0};          //!< recovery ends when all before this has come
};

} // namespace ns3

#endif // ROCE_SENDER_H
