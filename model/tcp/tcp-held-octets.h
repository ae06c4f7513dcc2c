/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_HELD_OCTETS_H
#define TCP_HELD_OCTETS_H

#include "ns3/sequence-number.h"

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief The octets that TCP has stored out of order, and what of a segment they leave to store.
 *
 * Sequence numbers may wrap: they are taken as those nearest to the left edge of the window, which
 * only moves on.
 */
class TcpHeldOctets
{
  public:
    /// Octets in a row.
    struct Piece
    {
        SequenceNumber32 seq; //!< the first
        uint32_t size;        //!< how many
    };

    /// Begin with nothing held. @param next left edge of the window
    explicit TcpHeldOctets(SequenceNumber32 next);

    /// Find what a segment brings that is not held yet. @param seq first octet, not below the left
    /// edge @param size octets @return those that are not held, in order
    std::vector<Piece> FindNew(SequenceNumber32 seq, uint32_t size) const;

    /// Take note of octets that TCP has stored. @param piece octets that are held from now on
    void Add(const Piece& piece);

    /// Follow the window and forget what it has passed. @param next left edge of the window, below
    /// which nothing is held out of order any more
    void DropUpTo(SequenceNumber32 next);

    /// Tell whether no octet waits out of order. @return true if no octet is held
    bool IsEmpty() const;
    /// Find where the held octets begin. @return the first of them; there must be one
    SequenceNumber32 GetFirst() const;

  private:
    using Range = boost::icl::discrete_interval<uint64_t>; //!< octets in a row
    Range ToRange(const Piece& piece) const; //!< @param piece octets @return their offsets

    boost::icl::interval_set<uint64_t> m_octets; //!< what is held, by offset
    SequenceNumber32 m_next;                     //!< left edge of the window
    uint64_t m_nextOffset{0};                    //!< its offset, which does not wrap
};

} // namespace ns3

#endif // TCP_HELD_OCTETS_H
