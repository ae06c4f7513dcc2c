/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RANDOM_STREAMS_H
#define IWARP_RANDOM_STREAMS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Allocates ns-3's random streams in ranges, each for a purpose, of which no two meet.
 *
 * A range begins where it is asked for, so that it is the same whatever else there is; where
 * another one is in the way it begins behind that.
 */
class RandomStreams
{
  public:
    /// Streams with numbers in a row
    struct Range
    {
        std::string purpose; //!< what draws from them
        int64_t first;       //!< number of the first
        int64_t count;       //!< how many, more than 0
    };

    /**
     * @brief Allocate streams; NS_ABORT if there are not so many left.
     * @param purpose what draws from them
     * @param count how many, not negative
     * @param from least number, not negative: ns-3 numbers -1 itself
     * @return number of the first of them
     */
    int64_t Allocate(const std::string& purpose, int64_t count, int64_t from);

    /**
     * @brief Allocate as many streams as something uses.
     * @param purpose what draws from them
     * @param from least number
     * @param assign takes the number of the first of them, and returns how many it uses; called
     * again if these are not all free
     */
    template <typename Function>
    void Assign(const std::string& purpose, int64_t from, const Function& assign)
    {
        int64_t first = from;
        int64_t count = assign(first);
        for (int64_t free = Find(count, first); free != first; free = Find(count, first))
        {
            first = free;
            count = assign(first);
        }
        Allocate(purpose, count, first);
    }

    /// Find what is free for ever. @return number behind all that are allocated
    int64_t GetEnd() const;

    /// Tell who draws from what. @return ranges, in ascending order
    const std::vector<Range>& GetRanges() const;

  private:
    /// @param count how many @param from least number @return number of the first of so many that
    /// are free
    int64_t Find(int64_t count, int64_t from) const;

    std::vector<Range> m_ranges; //!< in ascending order
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RANDOM_STREAMS_H
