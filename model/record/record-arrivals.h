/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_ARRIVALS_H
#define RECORD_ARRIVALS_H

#include <boost/icl/interval_set.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief What is remembered of segments until their octets are read in order: which of them
 * hardware has worked on, and how many wait for others.
 *
 * Pure. Octets are known by their offset in the stream, 64 bits that do not wrap.
 */
class RecordArrivals
{
  public:
    /// A segment has come. @param start its first octet @param end behind its last one @param
    /// isWorkedOn hardware has worked on it @param isHeld it waits for octets in front of it
    void Add(uint64_t start, uint64_t end, bool isWorkedOn, bool isHeld)
    {
        if (isWorkedOn)
        {
            m_worked += Interval::right_open(start, end);
        }
        if (isHeld)
        {
            m_held += Interval::right_open(start, end);
        }
    }

    /// Count octets that hardware has worked on. @param start first of some @param end behind the
    /// last @return how many of them
    uint64_t CountWorked(uint64_t start, uint64_t end) const
    {
        return Count(m_worked, start, end);
    }

    /// Count octets that had to wait. @param start first of some @param end behind the last
    /// @return how many of them
    uint64_t CountHeld(uint64_t start, uint64_t end) const
    {
        return Count(m_held, start, end);
    }

    /// Count all that wait. @return octets
    uint64_t GetHeld() const
    {
        return boost::icl::length(m_held);
    }

    /// Forget what has been read. @param next offset of what has not @param start where the record
    /// under way begins, of which it counts what hardware has worked on
    void DropUpTo(uint64_t next, uint64_t start)
    {
        Drop(m_worked, start);
        Drop(m_held, next);
    }

  private:
    using Set = boost::icl::interval_set<uint64_t>;
    using Interval = Set::interval_type;

    /// @param set octets @param start first @param end behind the last @return octets in between
    static uint64_t Count(const Set& set, uint64_t start, uint64_t end)
    {
        if (set.empty())
        {
            return 0;
        }
        return boost::icl::length(set & Interval::right_open(start, end));
    }

    /// @param set octets @param next those before go
    static void Drop(Set& set, uint64_t next)
    {
        if (!set.empty() && set.begin()->lower() < next)
        {
            set -= Interval::right_open(0, next);
        }
    }

    Set m_worked; //!< octets that hardware has worked on
    Set m_held;   //!< octets that wait for others
};

} // namespace ns3

#endif // RECORD_ARRIVALS_H
