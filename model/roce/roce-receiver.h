/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_RECEIVER_H
#define ROCE_RECEIVER_H

#include "roce-sender.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-roce
/// @brief What a receiver tells the sender of a packet.
struct RoceAnswer
{
    /// Kind of answer
    enum class Kind : uint8_t
    {
        NONE,    //!< nothing
        ACK,     //!< all before expected has come
        REFUSED, //!< the same, and a later packet came
    };

    Kind kind;         //!< kind
    uint64_t expected; //!< number of the first packet that has not come
    uint64_t arrived;  //!< number of the packet
};

/**
 * @ingroup iwarp-roce
 * @brief The receiving end of a connection, as RoceSender has the other one.
 *
 * Under go-back-N packets behind a hole are dropped, and the first of them is refused. Under
 * selective repeat they are placed, and each is refused; from beyond the sender's window none is
 * taken, so that a peer that keeps to none fills nothing.
 */
class RoceReceiver
{
  public:
    /// Make one that expects packet 0. @param recovery the sender's @param window the sender's
    /// @param period packets in order that one ACK is for, at least 1; the last of a message has
    /// one at once
    RoceReceiver(RoceRecovery recovery, uint64_t window, uint32_t period);

    /// A packet comes. @param segment it @param [out] messages sizes of the messages that it
    /// completes are put behind what is there @param [out] taken whether its payload is new
    /// @return what to send
    RoceAnswer Receive(const RoceSegment& segment, std::vector<uint64_t>& messages, bool& taken);

    uint64_t GetExpected() const;  //!< Tell what is missing. @return first packet that has not come
    uint64_t GetCompleted() const; //!< Count what is complete. @return messages (MSN)
    std::size_t GetHeld() const;   //!< Count what is kept. @return packets behind a hole
    /// Tell what finds room. @param number of a packet @return it is within the window, or old
    bool HasRoom(uint64_t number) const;

  private:
    void Advance(
        const RoceSegment& segment,
        std::vector<uint64_t>& messages); //!< @param segment in order @param messages of it

    const RoceRecovery m_recovery;          //!< the sender's
    const uint64_t m_window;                //!< the sender's
    const uint32_t m_period;                //!< packets of an ACK
    uint64_t m_expected{0};                 //!< first packet that has not come
    std::map<uint64_t, RoceSegment> m_came; //!< packets behind a hole
    uint64_t m_completed{0};                //!< messages
    uint64_t m_message{0};                  //!< octets of the message that is under way
    uint32_t m_unacknowledged{0};           //!< packets since the last ACK
    bool m_refused{false};                  //!< go-back-N has told of the hole
};

} // namespace ns3

#endif // ROCE_RECEIVER_H
