/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_RECEIVE_PATH_H
#define MPA_RECEIVE_PATH_H

#include "mpa-receiver.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Receiving half of an MPA stream: which octets MpaReceiver gets, and by which way.
 *
 * TCP shows each segment as it arrives, and hands octets up once they are in order. The receiver
 * gets them from the first of these, except for what TCP had before the receiver was there: octets
 * behind a Reply that the ULP had yet to judge, and those that TCP held at that moment, in order or
 * not. Pure: it knows sequence numbers and octets.
 */
class MpaReceivePath
{
  public:
    /**
     * @brief Keep octets that came before Open().
     * @param data octets, taken out of TCP in order
     * @param size number of octets
     */
    void HoldEarly(const uint8_t* data, std::size_t size);

    /**
     * @brief Full Operation begins.
     * @param config how to receive; seqStart is found here
     * @param next sequence number of the next octet that TCP hands up in order
     * @param tcpHolds TCP has octets that were not handed up
     * @param listener where ULPDUs go; outlives this
     */
    void Open(MpaReceiverConfig config,
              uint32_t next,
              bool tcpHolds,
              MpaReceiver::Listener& listener);

    bool IsOpen() const; //!< Tell whether Full Operation has begun. @return true from Open() on

    /// Tell whether octets of HoldEarly() are kept. @return true from HoldEarly() to TakeEarly()
    bool HasEarly() const;
    /// Count the octets that wait. @return octets in the receiver's memory, or kept by HoldEarly()
    uint64_t GetHeld() const;

    /// Take out what came before Open(). @return the octets of HoldEarly(), which are not kept any
    /// more: the first for the receiver
    std::vector<uint8_t> TakeEarly();

    /// Tell by which way octets go to the receiver. @return true if the receiver is to get octets
    /// also as TCP hands them up: it has not seen all of them arrive
    bool FeedsOnDrain() const;

    /**
     * @brief TCP has handed up all that is in order: deliver.
     * @param next sequence number of the next octet
     * @param tcpHolds TCP still has octets out of order
     */
    void Drained(uint32_t next, bool tcpHolds);

    MpaReceiver& GetReceiver(); //!< Reach the receiver. @return the receiver, from Open() on

  private:
    std::unique_ptr<MpaReceiver> m_receiver; //!< receiver, from Open() on
    std::vector<uint8_t> m_early;            //!< octets that came before
    bool m_feedOnDrain{false};               //!< see FeedsOnDrain()
};

} // namespace ns3

#endif // MPA_RECEIVE_PATH_H
