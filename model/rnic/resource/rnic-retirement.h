/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_RETIREMENT_H
#define RNIC_RETIREMENT_H

#include "ns3/rnic-time.h"

#include <cstdint>
#include <deque>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Octets of a connection that TCP has taken and the RNIC has not retired yet: they are in
 * its pipeline, or wait for the host interface (RFC 5041 Appendix A).
 *
 * When a segment retires is known when it comes, so it needs no event.
 */
class RnicRetirement
{
  public:
    /// Note a segment that TCP has taken.
    /// @param octets of a segment @param until ps, when it is retired; no earlier than those before
    void Add(uint64_t octets, RnicTime until);

    /// Tell how much is still on its way to the host.
    /// @param now ps, the clock, which never goes back @return octets not retired
    uint64_t GetHeld(RnicTime now);

    /**
     * @brief Tell when there will be room, as far as is known now.
     * @param now ps, the clock
     * @param octets any
     * @return ps, when no more than so many of those that have come are left
     */
    RnicTime GetTime(RnicTime now, uint64_t octets);

  private:
    std::deque<std::pair<RnicTime, uint64_t>> m_segments; //!< when they retire, and their octets
    uint64_t m_held{0};                                   //!< octets of these
};

} // namespace ns3

#endif // RNIC_RETIREMENT_H
