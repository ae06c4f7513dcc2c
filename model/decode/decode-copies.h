/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_COPIES_H
#define DECODE_COPIES_H

#include <boost/icl/interval_map.hpp>
#include <boost/icl/interval_set.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Finds which copy of each octet of a stream its receiver kept, from acknowledgments.
 *
 * Pure. Octets are known by their offset in the stream. What was acknowledged, in order or by SACK
 * (RFC 2018), before a segment came is sent in vain. What comes again before that was kept of the
 * later copy only: the earlier one was lost behind the place of capture, or the receiver refused
 * it. Near the receiver that takes an acknowledgment in between that leaves the first copy out, or
 * half a second, which is more than an acknowledgment may be delayed (RFC 9293 section 3.8.6.3).
 */
class DecodeCopies
{
  public:
    /// What became of a segment.
    enum class Fate : uint8_t
    {
        NONE,     //!< it has no octets
        KEPT,     //!< the receiver kept it, or what was new of it
        AGAIN,    //!< in vain: the receiver had all of it
        REPLACED, //!< lost or refused: a later copy was needed
        CHECKSUM, //!< its checksum is wrong
        WINDOW,   //!< it lies outside of the receive window
    };

    /// Octets that the receiver kept of a segment.
    struct Kept
    {
        uint64_t begin{0};      //!< first offset
        uint64_t end{0};        //!< offset behind the last one
        std::size_t segment{0}; //!< which segment
    };

    /// @param nearReceiver the capture was made where the receiver is
    explicit DecodeCopies(bool nearReceiver);

    /**
     * @brief A segment came.
     * @param segment its number, larger than that of any before
     * @param begin its first offset
     * @param end offset behind its last one
     * @param time when, ns
     * @return NONE, KEPT, AGAIN or WINDOW, before anything that follows is known
     */
    Fate Add(std::size_t segment, uint64_t begin, uint64_t end, int64_t time);

    /// The receiver acknowledges. @param ack offset of what it waits for
    void Acknowledge(uint64_t ack);
    /// The receiver has octets out of order. @param begin first offset @param end behind the last
    void Select(uint64_t begin, uint64_t end);
    /// The receiver's window ends there, or where it has ended before if that is further. @param
    /// edge offset
    void SetEdge(uint64_t edge);

    /// Take out what was kept. @return octets, by segment; call it once, after all the rest
    std::vector<Kept> TakeKept();

  private:
    /// Which segment brought octets; the first one has the number 0
    using Pending = boost::icl::interval_map<uint64_t, std::size_t, boost::icl::partial_enricher>;
    using Interval = boost::icl::interval<uint64_t>::interval_type;

    /// @param interval octets that are not pending any more: the receiver has them
    void Settle(const Interval& interval);
    /// @param segment a pending one @param time now @return a copy that comes now is needed
    bool IsMissed(std::size_t segment, int64_t time) const;

    bool m_near;                                   //!< near the receiver
    uint64_t m_acknowledged{0};                    //!< the receiver has all before this
    uint64_t m_edge{UINT64_MAX};                   //!< end of its window
    bool m_hasEdge{false};                         //!< the window is known
    std::size_t m_last{0};                         //!< segment that came last
    std::size_t m_lastBefore{0};                   //!< segment before the last acknowledgment
    bool m_anyAck{false};                          //!< there was an acknowledgment
    boost::icl::interval_set<uint64_t> m_selected; //!< the receiver has these, out of order
    Pending m_pending;                             //!< not acknowledged
    std::vector<int64_t> m_times;                  //!< of segments, by number
    std::vector<Kept> m_kept;                      //!< settled
};

} // namespace ns3

#endif // DECODE_COPIES_H
