/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TAGS_H
#define RNIC_TAGS_H

#include "ns3/rnic-time.h"
#include "ns3/rnic-timeline.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief A number of equal things of which each is held for a time, such as tags of read requests,
 * in closed form.
 *
 * They are booked ahead, and not in the order of their times: what is free before a booking begins
 * can be held by others until then. At no time more are held than there are.
 */
class RnicTags
{
  public:
    /// Make tags that are all free. @param count how many, at least 1
    explicit RnicTags(uint32_t count = 1);

    /**
     * @brief Find the first time from which on a tag is free for as long as it is needed.
     * @tparam F RnicTime(RnicTime), not falling
     * @param from ps, not before it
     * @param endOf tells until when a tag is needed that is taken at a time
     * @return ps, when it can be taken
     */
    template <typename F>
    RnicTime Find(RnicTime from, F endOf) const
    {
        while (from < m_fullUntil)
        {
            from = GetFree(from);
            if (from >= m_fullUntil)
            {
                break;
            }
            const RnicTime end = endOf(from);
            const RnicTime full = GetFull(from, end);
            if (full == end)
            {
                break;
            }
            from = full;
        }
        return from;
    }

    /**
     * @brief Hold a tag, which Find() has found free.
     * @param now ps, the clock, which never goes back: nothing will be asked for before it
     * @param start ps, from when on
     * @param end ps, until when
     */
    void Hold(RnicTime now, RnicTime start, RnicTime end);

  private:
    /// How many are held from a time on, until the next step.
    struct Step
    {
        RnicTime at;   //!< ps
        uint32_t held; //!< tags
    };

    /// @param from ps @return ps, the first time from then on at which a tag is free
    RnicTime GetFree(RnicTime from) const;
    /// @param from ps, when one is free @param to ps
    /// @return ps, the first time between them at which none is free; @p to if there is no such
    RnicTime GetFull(RnicTime from, RnicTime to) const;
    /// @param at ps @return index of the first step behind it
    std::size_t FindBehind(RnicTime at) const;
    /// @param at ps @return index of a step at that time, made if there was none
    std::size_t Split(RnicTime at);
    /// Leave a step out that changes nothing. @param index of the step
    void Merge(std::size_t index);

    uint32_t m_count;           //!< tags
    RnicTimeline<Step> m_steps; //!< before the first and behind the last none is held
    RnicTime m_fullUntil{0};    //!< ps, from when on there is no time at which none is free
};

} // namespace ns3

#endif // RNIC_TAGS_H
