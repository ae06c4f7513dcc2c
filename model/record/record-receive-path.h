/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_RECEIVE_PATH_H
#define RECORD_RECEIVE_PATH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Which octets of a stream the receiver of its records gets, and by which way.
 *
 * TCP shows each segment as it arrives, and hands octets up once they are in order. The receiver
 * gets them from the first of these, except for what TCP had before the receiver was there: octets
 * of records that came with the end of a negotiation, and those that TCP held at that moment, in
 * order or not. Pure: it knows sequence numbers and octets.
 *
 * @tparam Receiver of records: made of a configuration that has `seqStart` and of a `Listener`,
 * with `Advance(next)` and `GetHeld()`
 */
template <typename Receiver>
class RecordReceivePath
{
  public:
    /**
     * @brief Keep octets that came before Open().
     * @param data octets, taken out of TCP in order
     * @param size number of octets
     */
    void HoldEarly(const uint8_t* data, std::size_t size)
    {
        m_early.insert(m_early.end(), data, data + size);
    }

    /**
     * @brief Records begin.
     * @param config how to receive; seqStart is found here
     * @param next sequence number of the next octet that TCP hands up in order
     * @param tcpHolds TCP has octets that were not handed up
     * @param listener where records go; outlives this
     */
    template <typename Config>
    void Open(Config config, uint32_t next, bool tcpHolds, typename Receiver::Listener& listener)
    {
        config.seqStart = next - static_cast<uint32_t>(m_early.size());
        m_receiver = std::make_unique<Receiver>(config, listener);
        m_feedOnDrain = tcpHolds;
    }

    /// Tell whether records have begun. @return true from Open() on
    bool IsOpen() const
    {
        return m_receiver != nullptr;
    }

    /// Tell whether octets of HoldEarly() are kept. @return true from HoldEarly() to ReleaseEarly()
    bool HasEarly() const
    {
        return !m_early.empty();
    }

    /// Count the octets that wait. @return octets in the receiver's memory, or kept by HoldEarly()
    uint64_t GetHeld() const
    {
        return m_early.size() + (m_receiver ? m_receiver->GetHeld() : 0);
    }

    /// Take out what came before Open(). @return the octets of HoldEarly(), which are not kept any
    /// more: the first for the receiver
    std::vector<uint8_t> ReleaseEarly()
    {
        return std::exchange(m_early, {});
    }

    /// Tell by which way octets go to the receiver. @return true if the receiver is to get octets
    /// also as TCP hands them up: it has not seen all of them arrive
    bool FeedsOnDrain() const
    {
        return m_feedOnDrain;
    }

    /**
     * @brief TCP has handed up all that is in order: deliver.
     * @param next sequence number of the next octet
     * @param tcpHolds TCP still has octets out of order
     */
    void Drained(uint32_t next, bool tcpHolds)
    {
        m_feedOnDrain = m_feedOnDrain && tcpHolds;
        m_receiver->Advance(next);
    }

    /// Reach the receiver. @return the receiver, from Open() on
    Receiver& GetReceiver()
    {
        return *m_receiver;
    }

  private:
    std::unique_ptr<Receiver> m_receiver; //!< receiver, from Open() on
    std::vector<uint8_t> m_early;         //!< octets that came before
    bool m_feedOnDrain{false};            //!< see FeedsOnDrain()
};

} // namespace ns3

#endif // RECORD_RECEIVE_PATH_H
