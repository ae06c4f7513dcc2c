/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_DELAY_LINE_H
#define RNIC_DELAY_LINE_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Lets segments go when their time in the RNIC is over: what has none goes at once, unless
 * others wait, which it does not overtake. It costs an event if there is something to wait for.
 */
class RnicDelayLine
{
  public:
    /**
     * @brief Do something with a segment once a time is over.
     * @param delay the time
     * @param go called without arguments, now or later; keeps this until then
     */
    template <typename F>
    void Pass(Time delay, F go)
    {
        if (m_waiting == 0 && delay.IsZero())
        {
            go();
            return;
        }
        ++m_waiting;
        Simulator::Schedule(delay, [this, go = std::move(go)] {
            --m_waiting;
            go();
        });
    }

  private:
    uint64_t m_waiting{0}; //!< segments that have not gone yet
};

} // namespace ns3

#endif // RNIC_DELAY_LINE_H
