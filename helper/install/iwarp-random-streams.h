/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RANDOM_STREAMS_H
#define IWARP_RANDOM_STREAMS_H

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Gives out ns-3's random streams by number, in ascending order, so that none is given out
 * twice.
 */
class RandomStreams
{
  public:
    /// Begin. @param first number of the first stream, not negative: ns-3 numbers -1 itself
    explicit RandomStreams(int64_t first);

    /**
     * @brief Give out streams; NS_ABORT if there are not so many left.
     * @param count how many, not negative
     * @return number of the first of them
     */
    int64_t Take(int64_t count);

    /**
     * @brief Give out as many streams as something uses.
     * @param assign takes the number of the first of them, and returns how many it uses
     */
    template <typename Assign>
    void Give(const Assign& assign)
    {
        Take(assign(m_next));
    }

    /**
     * @brief Leave a gap, so that a few streams more or less before it leave what comes behind it
     * as it is.
     * @param number least that comes next
     */
    void Skip(int64_t number);

  private:
    int64_t m_next; //!< first that is free
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RANDOM_STREAMS_H
