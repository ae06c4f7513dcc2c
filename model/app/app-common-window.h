/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_COMMON_WINDOW_H
#define APP_COMMON_WINDOW_H

#include "ns3/nstime.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-app
 * @brief The time in which all of several flows run, and what each moves in it.
 *
 * Rates that flows have over times of their own do not add up to a rate: while one of them has the
 * link for itself the others have none. So all are measured from when the last of them has warmed
 * up until the first of them has ended. Only messages that a flow moves wholly in that time count,
 * so that the sum is never more than what passed, and less by two messages a flow at the most.
 */
class CommonWindow
{
  public:
    /// Messages of a flow, which end one behind the other
    struct Flow
    {
        Time from;                      //!< when the first message that counts may begin
        std::size_t first;              //!< index of that message
        const std::vector<Time>& ended; //!< when messages ended, ascending
    };

    /// Messages of a flow that count
    struct Range
    {
        std::size_t begin; //!< index of the first
        std::size_t end;   //!< index behind the last
    };

    static constexpr std::size_t LEAST = 10; //!< messages of each of several flows, or it is short

    /// Find the window. @param flows at least one
    explicit CommonWindow(const std::vector<Flow>& flows);

    /// Tell whether rates can be told. @return false if there is no such time, or a flow moves
    /// fewer than LEAST messages in it, or none if it is the only one
    bool IsLongEnough() const;
    Time GetStart() const; //!< Tell when the last flow has warmed up. @return start
    Time GetLength()
        const; //!< Tell how long all flows run. @return length; negative if they never do
    /// Get what counts. @return a range for each flow
    const std::vector<Range>& GetRanges() const;

  private:
    Time m_start;                //!< when the last has warmed up
    Time m_end;                  //!< when the first has ended
    std::vector<Range> m_ranges; //!< whole messages of each flow
};

} // namespace iwarp
} // namespace ns3

#endif // APP_COMMON_WINDOW_H
